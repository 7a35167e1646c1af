/* GPipe, fill and drain: all forwards, then all backwards. Makespan (m + p - 1)(F + B), m activations on every rank.
 * The backwards run in ascending order (PyTorch, Megatron's figure) or descending (torchgpipe, the autograd order of
 * the original); the makespan is the same. Source: Huang et al. 2019, section 2.3. */
#include "schedules/schedule.h"

static int64_t action_count(const pp_config *config) { return pp_actions_of(config, 2); }

static void generate(const pp_config *config, pp_writer *writer) {
    int32_t m = config->microbatches, descending = config->backward_order == PP_BACKWARD_DESCENDING;
    for (int32_t r = 0; r < config->ranks; r++) {
        pp_rank_start(writer, r);
        for (int32_t k = 0; k < m; k++) pp_emit(writer, PP_F, r, k);
        for (int32_t k = 0; k < m; k++) pp_emit_backward(writer, PP_B, r, descending ? m - 1 - k : k);
    }
}

static double makespan(const pp_config *config, double f, double b, double w) {
    (void)w;
    return (config->microbatches + config->ranks - 1) * (f + b);
}

const pp_generator pp_generator_gpipe = {
    .name = "gpipe",
    .placement = PP_PLACE_SINGLE,
    .chunks_min = 1,
    .chunks_max = 1,
    .chunks_default = 1,
    .trains = 1,
    .options = 1u << PP_OPT_RECOMPUTE | 1u << PP_OPT_BACKWARD_ORDER,
    .formula = "(m + p - 1)(F + B)",
    .action_count = action_count,
    .generate = generate,
    .makespan = makespan,
};
