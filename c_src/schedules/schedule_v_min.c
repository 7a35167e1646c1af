/* V-Min: the least memory that a V with a split backward gets by with, a third of the activations of 1F1B. As V-Half,
 * but a micro-batch takes one slot for each rank either way. Rank r runs its
 *     first F at r, second F at 2p - r - 1, first I at 2p + d + r, second I at 4p + d - r - 1,
 * with d = 2 where 3 divides p, else 0; the next micro-batch follows six slots later. With unequal costs ranks wait
 * for each other in the steady state, too, which V-Half avoids.
 *
 * Peak 2 floor((p + 4) / 3) chunks. Makespan for F = I = W and m >= 2p, in F of one chunk: 6 m + 4 p - 5, or where 3
 * divides p 6 m + 4 p - 7 (p = 2: 6 m + 1). Any m is legal.
 * Source: Qi et al. 2024, Pipeline Parallelism with Controllable Memory. */
#include "schedules/schedule_v.h"

void pp_try_v_min(pp_search *s) {
    float d = s->ranks % 3 == 0 ? 2 : 0;
    pp_try_block(s, (pp_guess){.slope = 1 / 3.0f, .shift = {1 / 6.0f, (1 + d) / 6, 1 / 6.0f}});
}

static int64_t action_count(const pp_config *config) { return pp_actions_of(config, 3); }

static size_t scratch_bytes(const pp_config *config) { return pp_search_bytes(config, 1); }

static void generate(const pp_config *config, pp_writer *writer) {
    pp_search search;
    pp_search_start(&search, config, writer, (config->ranks + 4) / 3 * 2, 1);
    pp_try_v_min(&search);
    pp_search_emit(&search, writer);
}

static double makespan(const pp_config *config, double f, double b, double w) {
    double m = config->microbatches;
    int32_t p = config->ranks;
    if (m < 2 * p || f != w || b != 2 * w) return -1;
    return f * (6 * m + (p <= 2 ? p - 1 : p % 3 == 0 ? 4 * p - 7 : 4 * p - 5));
}

const pp_generator pp_generator_v_min = {
    .name = "v-min",
    .placement = PP_PLACE_ZIGZAG,
    .chunks_min = 2,
    .chunks_max = 2,
    .chunks_default = 2,
    .trains = 1,
    .by_costs = 1,
    .options = 1u << PP_OPT_RECOMPUTE,
    .formula = "F = I = W: (6 m + 4 p - 5) F, where 3 divides p (6 m + 4 p - 7) F",
    .action_count = action_count,
    .scratch_bytes = scratch_bytes,
    .generate = generate,
    .makespan = makespan,
};
