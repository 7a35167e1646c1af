/* Naive model parallelism: a micro-batch goes through all stages forward and back before the next one enters, so one
 * rank works at a time. Makespan m p (F + B); with the undivided batch (m = 1) that is p (F + B). One activation a rank.
 * Source: the starting point of GPipe, Huang et al. 2019, section 2.3 and figure 2b. */
#include "schedules/schedule.h"

static int64_t action_count(const pp_config *config) { return pp_actions_of(config, 2); }

static void generate(const pp_config *config, pp_writer *writer) {
    for (int32_t r = 0; r < config->ranks; r++) {
        pp_rank_start(writer, r);
        for (int32_t k = 0; k < config->microbatches; k++) {
            pp_emit(writer, PP_F, r, k);
            pp_emit_backward(writer, PP_B, r, k);
        }
    }
}

static double makespan(const pp_config *config, double f, double b, double w) {
    (void)w;
    return (double)config->microbatches * config->ranks * (f + b);
}

const pp_generator pp_generator_naive = {
    .name = "naive",
    .placement = PP_PLACE_SINGLE,
    .chunks_min = 1,
    .chunks_max = 1,
    .chunks_default = 1,
    .trains = 1,
    .options = 1u << PP_OPT_RECOMPUTE,
    .formula = "m p (F + B)",
    .action_count = action_count,
    .generate = generate,
    .makespan = makespan,
};
