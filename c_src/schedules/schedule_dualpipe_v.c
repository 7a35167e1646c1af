/* DualPipeV, DualPipe cut in half: rank r holds stage r and stage 2p - 1 - r, so that the second half of the model
 * comes back through the same ranks and each weight is stored once. The steps are DualPipe's with the flow of the first
 * chunk in place of one direction and that of the second in place of the other; all m micro-batches pass both.
 * Makespan for I <= F of one chunk: 2m (F + B) - (2m - 2p - 1)(F + B - FB) + (p - 1)(FB + F - W - min(I, W)); 2p + 1
 * chunks in flight. Legal: two chunks, m >= 2p.
 * Source: deepseek-ai/DualPipe (from sail-sg's "cut in half"); PyTorch ScheduleDualPipeV. */
#include "core/fault.h"
#include "schedules/schedule_dualpipe.h"

static int32_t legal(pp_config *config, pp_fault *fault) {
    pp_fault scratch;
    int32_t least = 2 * config->ranks, m = config->microbatches;
    if (m >= least) return PP_OK;
    fault = pp_refuse_shape(config, PP_ERR_MICROBATCHES_FEW, PP_OPT_MICROBATCHES, m, least, fault, &scratch);
    pp_fault_fix_number(fault, PP_OPT_MICROBATCHES, least);
    if (m >= 2) pp_fault_fix_number(fault, PP_OPT_RANKS, m / 2);
    return PP_ERR_MICROBATCHES_FEW;
}

/* As in schedule_dualpipe.c, on one rank of each h. */
static int64_t action_count(const pp_config *config) {
    int64_t p = config->ranks;
    return pp_actions_of(config, 2) + p * (3 * p - 1) / 2;
}

static void generate(const pp_config *config, pp_writer *writer) {
    static const int32_t first[2] = {0, 0};
    for (int32_t r = 0; r < config->ranks; r++) {
        int32_t stage[2] = {r, 2 * config->ranks - 1 - r};
        pp_rank_start(writer, r);
        pp_dualpipe_rank(writer, stage, first, config->microbatches, config->ranks, r);
    }
}

static double makespan_fused(const pp_config *config, double f, double b, double w, double fb) {
    return pp_dualpipe_makespan(config->microbatches, config->ranks, f, b, w, fb);
}

const pp_generator pp_generator_dualpipe_v = {
    .name = "dualpipe-v",
    .placement = PP_PLACE_ZIGZAG,
    .chunks_min = 2,
    .chunks_max = 2,
    .chunks_default = 2,
    .trains = 1,
    .formula = "2 m (F + B) - (2 m - 2 p - 1)(F + B - FB) + (p - 1)(FB + F - W - min(I, W))",
    .legal = legal,
    .action_count = action_count,
    .generate = generate,
    .makespan_fused = makespan_fused,
};
