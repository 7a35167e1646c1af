/* Forward only: inference and evaluation. Every rank runs F of micro-batch 0, 1, ..., so the work moves through the
 * ranks as a diagonal wave. Makespan (m + p - 1) F: the first micro-batch needs p ticks, each further one 1 more.
 * Source: PyTorch _ScheduleForwardOnly, DeepSpeed InferenceSchedule. */
#include "schedule.h"

static int64_t action_count(const pp_config *config) { return pp_actions_of(config, 1); }

static void generate(const pp_config *config, pp_writer *writer) {
    for (int32_t r = 0; r < config->ranks; r++) {
        pp_rank_start(writer, r);
        for (int32_t k = 0; k < config->microbatches; k++) pp_emit(writer, PP_F, r, k);
    }
}

static double makespan(const pp_config *config, double f, double b, double w) {
    (void)b, (void)w;
    return (config->microbatches + config->ranks - 1) * f;
}

const pp_generator pp_generator_forward = {
    .name = "forward",
    .placement = PP_PLACE_SINGLE,
    .chunks_min = 1,
    .chunks_max = 1,
    .chunks_default = 1,
    .trains = 0,
    .formula = "(m + p - 1) F",
    .action_count = action_count,
    .generate = generate,
    .makespan = makespan,
};
