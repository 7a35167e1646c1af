/* Interleaving with a split backward. Forwards and backwards go through the table of schedule_interleaved.c with
 * PyTorch's groups, N = m / max(1, m div p). Rank r warms up with (v - 1) N + p - 1 - r forwards; then F and I in turn,
 * and from the r-th I on a W each, so that every rank runs r turns late with its W and has work while the pipeline
 * drains. With v = 1 it is ZB-H1. Makespan for m >= p, F, I, W of one chunk: m v (F + I + W) + (p - 1) max(F, I, F + I
 * - W), and p + (v - 1) N chunks in flight.
 * Legal: m a multiple of max(1, m div p). Source: PyTorch ScheduleInterleavedZeroBubble. */
#include "schedules/schedule_interleaved.h"

#include <math.h>

static int64_t action_count(const pp_config *config) { return pp_actions_of(config, 3); }

static void generate(const pp_config *config, pp_writer *writer) {
    int32_t p = config->ranks, total = config->microbatches * config->chunks;
    for (int32_t r = 0; r < p; r++) {
        int32_t wanted = (config->chunks - 1) * config->group + p - 1 - r, warmup = wanted < total ? wanted : total;
        int32_t late = r < total ? r : total;
        pp_turn forward = pp_turn_start(config), backward = forward, weight = forward;
        pp_rank_start(writer, r);
        for (int32_t t = 0; t < warmup; t++) pp_turn_forward(writer, &forward, p, r);
        for (int32_t t = 0; t < total; t++) {
            if (t < total - warmup) pp_turn_forward(writer, &forward, p, r);
            pp_turn_backward(writer, &backward, PP_I, p, r);
            if (t >= late) pp_turn_weight(writer, &weight, p, r);
        }
        for (int32_t t = 0; t < late; t++) pp_turn_weight(writer, &weight, p, r);
    }
}

static double makespan(const pp_config *config, double f, double b, double w) {
    if (config->microbatches < config->ranks) return -1;
    double i = b - w, hop = fmax(f + i - w, fmax(f, i));
    return (double)config->microbatches * config->chunks * (f + b) + (config->ranks - 1) * hop;
}

const pp_generator pp_generator_interleaved_zb = {
    .name = "interleaved-zb",
    .placement = PP_PLACE_LOOP,
    .chunks_min = 1,
    .chunks_max = PP_MAX_CHUNKS,
    .chunks_default = 2,
    .trains = 1,
    .options = 1u << PP_OPT_RECOMPUTE,
    .formula = "m v (F + I + W) + (p - 1) max(F, I, F + I - W)",
    .legal = pp_interleaved_rounds_legal,
    .action_count = action_count,
    .generate = generate,
    .makespan = makespan,
};
