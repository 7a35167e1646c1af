/* 1F1B with F and B run together, so that the messages inside one micro-batch's forward (expert parallelism) hide
 * behind another's backward. Rank r warms up with 2(p - 1 - r) + 1 forwards, so that the two halves of a slot never
 * wait for each other; then m - warm-up slots F&B, then the backwards left. Makespan p (F + B) + (m - 1) FB; 2(p - r)
 * activations. Legal: m >= 2p - 1, or rank 0 would have no slot to share. Source: Megatron-LM combined_1f1b. */
#include "core/fault.h"
#include "schedules/schedule.h"

static int32_t legal(pp_config *config, pp_fault *fault) {
    pp_fault scratch;
    int32_t least = 2 * config->ranks - 1, m = config->microbatches;
    if (m >= least) return PP_OK;
    fault = pp_refuse_shape(config, PP_ERR_MICROBATCHES_FEW, PP_OPT_MICROBATCHES, m, least, fault, &scratch);
    pp_fault_fix_number(fault, PP_OPT_MICROBATCHES, least);
    pp_fault_fix_number(fault, PP_OPT_RANKS, (m + 1) / 2);
    return PP_ERR_MICROBATCHES_FEW;
}

static int64_t action_count(const pp_config *config) { return pp_actions_of(config, 2); }

static void generate(const pp_config *config, pp_writer *writer) {
    int32_t p = config->ranks, m = config->microbatches;
    for (int32_t r = 0; r < p; r++) {
        int32_t warmup = 2 * (p - 1 - r) + 1;
        pp_rank_start(writer, r);
        for (int32_t k = 0; k < warmup; k++) pp_emit(writer, PP_F, r, k);
        for (int32_t k = 0; k < m - warmup; k++) pp_emit_fused(writer, r, warmup + k, r, k);
        for (int32_t k = m - warmup; k < m; k++) pp_emit(writer, PP_B, r, k);
    }
}

static double makespan_fused(const pp_config *config, double f, double b, double w, double fb) {
    (void)w;
    return config->ranks * (f + b) + (config->microbatches - 1) * fb;
}

const pp_generator pp_generator_1f1b_overlap = {
    .name = "1f1b-overlap",
    .placement = PP_PLACE_SINGLE,
    .chunks_min = 1,
    .chunks_max = 1,
    .chunks_default = 1,
    .trains = 1,
    .formula = "p (F + B) + (m - 1) FB",
    .legal = legal,
    .action_count = action_count,
    .generate = generate,
    .makespan_fused = makespan_fused,
};
