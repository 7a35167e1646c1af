/* 1F1B with flush: after a warm-up of p - 1 - r forwards, rank r runs one forward and one backward in turn. Makespan
 * (m + p - 1)(F + B) like GPipe, but only min(m, p - r) activations. Any m >= 1 is legal.
 * Source: PipeDream-flush (Narayanan et al. 2021, section 2.2.1), DAPPLE (Fan et al. 2021). */
#include "schedules/schedule_1f1b.h"

void pp_1f1b_rank(pp_writer *writer, int32_t stage, int32_t microbatches, int32_t warmup) {
    if (warmup > microbatches) warmup = microbatches;
    for (int32_t k = 0; k < warmup; k++) pp_emit(writer, PP_F, stage, k);
    for (int32_t k = 0; k < microbatches - warmup; k++) {
        pp_emit(writer, PP_F, stage, warmup + k);
        pp_emit_backward(writer, PP_B, stage, k);
    }
    for (int32_t k = microbatches - warmup; k < microbatches; k++) pp_emit_backward(writer, PP_B, stage, k);
}

static int64_t action_count(const pp_config *config) { return pp_actions_of(config, 2); }

static void generate(const pp_config *config, pp_writer *writer) {
    for (int32_t r = 0; r < config->ranks; r++) {
        pp_rank_start(writer, r);
        pp_1f1b_rank(writer, r, config->microbatches, config->ranks - 1 - r);
    }
}

static double makespan(const pp_config *config, double f, double b, double w) {
    (void)w;
    return (config->microbatches + config->ranks - 1) * (f + b);
}

const pp_generator pp_generator_1f1b = {
    .name = "1f1b",
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
