/* Eager 1F1B: twice the warm-up of 1F1B, 2(p - 1 - r) forwards on rank r, then one forward and one backward in turn. At
 * no latency it takes as long as 1F1B, (m + p - 1)(F + B); with latency c it pays 2(p - 1)c like GPipe, where 1F1B pays
 * a round trip again and again. The price is memory: min(m, 2(p - r) - 1) activations. Any m >= 1 is legal.
 * Source: the warm-up factor 2 of Megatron-LM's interleaving (Narayanan et al. 2021) with one chunk; minPP. */
#include "schedules/schedule_1f1b.h"

static int64_t action_count(const pp_config *config) { return pp_actions_of(config, 2); }

static void generate(const pp_config *config, pp_writer *writer) {
    for (int32_t r = 0; r < config->ranks; r++) {
        pp_rank_start(writer, r);
        pp_1f1b_rank(writer, r, config->microbatches, 2 * (config->ranks - 1 - r));
    }
}

static double makespan(const pp_config *config, double f, double b, double w) {
    (void)w;
    return (config->microbatches + config->ranks - 1) * (f + b);
}

const pp_generator pp_generator_eager_1f1b = {
    .name = "eager-1f1b",
    .placement = PP_PLACE_SINGLE,
    .chunks_min = 1,
    .chunks_max = 1,
    .chunks_default = 1,
    .trains = 1,
    .options = 1u << PP_OPT_RECOMPUTE,
    .formula = "(m + p - 1)(F + B)",
    .action_count = action_count,
    .generate = generate,
    .makespan = makespan,
};
