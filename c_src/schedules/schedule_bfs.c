/* Looped breadth-first: stage s on rank s mod p; all micro-batches pass chunk 0, then chunk 1, and so on; then all go
 * back, last chunk first, micro-batches in descending order. Weights of a chunk are needed once forward and once back,
 * which is what it is for where they must be gathered first (sharded data parallelism). Makespan with F and B of one
 * chunk: (m v + p - 1)(F + B), and (v - 1)(p - m)(F + B) more where m < p: each chunk then ends before the next is fed.
 * m v chunks in flight. Any m is legal. Source: Lamy-Poirier 2023; PyTorch ScheduleLoopedBFS. */
#include "schedules/schedule.h"

static int64_t action_count(const pp_config *config) { return pp_actions_of(config, 2); }

static void generate(const pp_config *config, pp_writer *writer) {
    int32_t p = config->ranks, m = config->microbatches;
    for (int32_t r = 0; r < p; r++) {
        pp_rank_start(writer, r);
        for (int32_t c = 0; c < config->chunks; c++)
            for (int32_t k = 0; k < m; k++) pp_emit(writer, PP_F, c * p + r, k);
        for (int32_t c = config->chunks - 1; c >= 0; c--)
            for (int32_t k = m - 1; k >= 0; k--) pp_emit_backward(writer, PP_B, c * p + r, k);
    }
}

static double makespan(const pp_config *config, double f, double b, double w) {
    (void)w;
    double p = config->ranks, m = config->microbatches, v = config->chunks;
    return (m * v + p - 1 + (m < p ? (v - 1) * (p - m) : 0)) * (f + b);
}

const pp_generator pp_generator_bfs = {
    .name = "bfs",
    .placement = PP_PLACE_LOOP,
    .chunks_min = 1,
    .chunks_max = PP_MAX_CHUNKS,
    .chunks_default = 2,
    .trains = 1,
    .options = 1u << PP_OPT_RECOMPUTE,
    .formula = "(m v + p - 1 + (v - 1) max(0, p - m))(F + B)",
    .action_count = action_count,
    .generate = generate,
    .makespan = makespan,
};
