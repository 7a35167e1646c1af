/* V-Half: no bubble in the steady state, with half the activations of 1F1B. Two chunks a rank in a V, the backward
 * split. A micro-batch takes two slots for each rank on its way down and one on its way up, in its forward and in its
 * backward; the next one follows six slots later, which is as long as a rank's six actions take. Rank r runs its
 *     first F at 2r, second F at 3p - r - 2, first I at 3p + d + 2r - 1, second I at 6p + d - r - 2,
 * with d = 3 for an even p, where slots would collide, else 0. So the second F comes (p - 1 - r) / 2 micro-batches
 * after the first, the first I another r / 2 later, the second another (p - 1 - r) / 2. W goes where a rank would
 * wait, and while a step begins and ends ranks run ahead as far as their memory allows.
 *
 * Peak 2 floor((p + 2) / 2) chunks. Makespan for F = I = W and m >= 2p, in F of one chunk: 6 m + 3 p - 4, or for an
 * even p 6 m + 3 p - 7 (p = 2: 6 m + 1); 1F1B has 6 m + 6 (p - 1). Any m is legal.
 * Source: Qi et al. 2024, Pipeline Parallelism with Controllable Memory. */
#include "schedules/schedule_v.h"

void pp_try_block(pp_search *s, pp_guess guess) {
    static const pp_try ways[] = {
        {0}, {.hops = 1}, {.fair = 1, .over = 0.5}, {.over = 1}, {.hops = 1, .fair = 1, .over = 0.125f}};
    for (int32_t ahead = 0; ahead < 2; ahead++) {
        for (size_t i = 0; i < sizeof ways / sizeof ways[0] && pp_search_more(s); i++) {
            guess.how = ways[i];
            guess.how.ahead = ahead;
            pp_guess_try(s, &guess);
        }
    }
}

void pp_try_v_half(pp_search *s) {
    float d = s->ranks % 2 == 0 ? 3 : 0;
    pp_try_block(s, (pp_guess){.slope = 0.5f, .shift = {1 / 6.0f, (1 + d) / 6, 2 / 6.0f}});
}

static int64_t action_count(const pp_config *config) { return pp_actions_of(config, 3); }

static size_t scratch_bytes(const pp_config *config) { return pp_search_bytes(config, 1); }

static void generate(const pp_config *config, pp_writer *writer) {
    pp_search search;
    pp_search_start(&search, config, writer, (config->ranks + 2) / 2 * 2, 1);
    pp_try_v_half(&search);
    pp_search_emit(&search, writer);
}

static double makespan(const pp_config *config, double f, double b, double w) {
    double m = config->microbatches;
    int32_t p = config->ranks;
    if (m < 2 * p || f != w || b != 2 * w) return -1;
    return f * (6 * m + (p <= 2 ? p - 1 : p % 2 == 0 ? 3 * p - 7 : 3 * p - 4));
}

const pp_generator pp_generator_v_half = {
    .name = "v-half",
    .placement = PP_PLACE_ZIGZAG,
    .chunks_min = 2,
    .chunks_max = 2,
    .chunks_default = 2,
    .trains = 1,
    .by_costs = 1,
    .options = 1u << PP_OPT_RECOMPUTE,
    .formula = "F = I = W: (6 m + 3 p - 4) F, with an even p (6 m + 3 p - 7) F",
    .action_count = action_count,
    .scratch_bytes = scratch_bytes,
    .generate = generate,
    .makespan = makespan,
};
