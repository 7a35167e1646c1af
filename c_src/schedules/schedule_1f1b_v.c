/* 1F1B-V: two chunks a rank in a V, the backward whole, two thirds of the activations of 1F1B and a smaller bubble.
 *
 * A rank's four actions of one micro-batch fill six slots (a B takes two), and the next micro-batch follows six slots
 * later. No rank waits in the steady state if each has its four places, counted modulo six, to itself. With forwards
 * that go on at once from rank to rank, down and up again, three neighbouring ranks can take the places
 *     rank    first F  second F  first B  second B
 *     3q            0         1     2, 3      4, 5
 *     3q + 1        1         0     4, 5      2, 3
 *     3q + 2        2         5     3, 4      0, 1
 * where with every three ranks the second F moves back by three and all others move on by three. A B then goes on at
 * once two times out of three and waits three slots the third time. The row may begin with any of the three; how a
 * step begins and ends differs, so all are tried, and packed against both ends of the step.
 *
 * A micro-batch spends eight slots at each rank, so that a rank holds 8p / 6 chunks; peak 2 (1 + floor(2p / 3)). No
 * closed form: for B = 2F about 6 m + 4 p of one chunk's F, where 1F1B has 6 m + 6 (p - 1). Any m is legal.
 * Source: Qi et al. 2024, Pipeline Parallelism with Controllable Memory; the places were derived anew. */
#include "schedules/search_seeds.h"

enum { SLOTS = 6 };

/* The first slot from `from` on that has this place. */
static int32_t slot_from(int32_t from, int32_t place) { return from + ((place - from) % SLOTS + SLOTS) % SLOTS; }

/* Slots of micro-batch 0, one after the other along its way: at[4 * rank + which]. begin: where in the row of three
 * rank 0 stands. */
static void fill_slots(int32_t *at, int32_t p, int32_t begin) {
    static const int32_t first_b[3] = {2, 4, 3}, second_b[3] = {4, 2, 0};
    for (int32_t r = 0; r < p; r++) at[4 * r] = r;
    for (int32_t r = p - 1; r >= 0; r--) {
        int32_t before = r == p - 1 ? at[4 * r] : at[4 * (r + 1) + 1];
        at[4 * r + 1] = slot_from(before + 1, 1 - r - 2 * begin);
    }
    for (int32_t r = 0; r < p; r++) {
        int32_t q = r + begin, from = r == 0 ? at[1] + 1 : at[4 * (r - 1) + 2] + 2;
        at[4 * r + 2] = slot_from(from, first_b[q % 3] + q / 3 * 3 - begin);
    }
    for (int32_t r = p - 1; r >= 0; r--) {
        int32_t q = r + begin, from = (r == p - 1 ? at[4 * r + 2] : at[4 * (r + 1) + 3]) + 2;
        at[4 * r + 3] = slot_from(from, second_b[q % 3] + q / 3 * 3 - begin);
    }
}

static void list_block(pp_search *s, const int32_t *slots) {
    pp_search_clear(s);
    for (int32_t r = 0; r < s->ranks; r++) {
        double at[4];
        for (int32_t i = 0; i < 4; i++) at[i] = (double)slots[4 * r + i] / SLOTS;
        pp_list_two_chunks(s, r, at);
    }
}

static int64_t action_count(const pp_config *config) { return pp_actions_of(config, 2); }

static size_t scratch_bytes(const pp_config *config) {
    return pp_search_bytes(config, 0) + 4 * (size_t)config->ranks * sizeof(int32_t);
}

static void generate(const pp_config *config, pp_writer *writer) {
    /* Deeper ranks get more second forwards before their first backward, and must keep room for them. */
    static const pp_try ways[] = {{0},
                                  {.ahead = 1, .spare = 1, .spare_step = 1},
                                  {.hops = 1},
                                  {.ahead = 1, .hops = 1, .spare = 1, .spare_step = 1},
                                  {.ahead = 1, .spare = 1, .spare_step = 0.75}};
    pp_search search;
    int32_t *slots = (int32_t *)(void *)((char *)writer->scratch + pp_search_bytes(config, 0));
    pp_search_start(&search, config, writer, 2 * (1 + 2 * config->ranks / 3), 0);
    for (size_t way = 0; way < sizeof ways / sizeof ways[0]; way++) {
        for (int32_t begin = 0; begin < 3 && pp_search_more(&search); begin++) {
            fill_slots(slots, config->ranks, begin);
            list_block(&search, slots);
            pp_search_turn(&search, &ways[way]);
        }
    }
    pp_search_emit(&search, writer);
}

const pp_generator pp_generator_1f1b_v = {
    .name = "1f1b-v",
    .placement = PP_PLACE_ZIGZAG,
    .chunks_min = 2,
    .chunks_max = 2,
    .chunks_default = 2,
    .trains = 1,
    .by_costs = 1,
    .options = 1u << PP_OPT_RECOMPUTE,
    .formula = "",
    .action_count = action_count,
    .scratch_bytes = scratch_bytes,
    .generate = generate,
};
