/* Seq1F1B: 1F1B over slices of the sequence. A micro-batch is cut into k slices (option slices); a slice's forward
 * needs the keys and values of the slices before it, its backward the gradients of those after it. So units go forward
 * in the order (micro-batch, slice) and back in the order (micro-batch, slice from the last), and rank r warms up with
 * p - 2 - r + k forwards, until the first micro-batch is whole. Makespan, F and B of one slice: (m k + p - 1)(F + B);
 * p - 1 - r + k slices in flight, where 1F1B holds p - r whole micro-batches. With k = 1 it is 1F1B. All slices of a
 * stage cost the same here; the paper cuts them unequal so that they do. Any m is legal. Source: Sun et al. 2024;
 * sail-sg. */
#include "schedules/schedule.h"

static int64_t action_count(const pp_config *config) { return pp_actions_of(config, 2); }

static void generate(const pp_config *config, pp_writer *writer) {
    int32_t p = config->ranks, k = config->slices, units = config->microbatches * k;
    for (int32_t r = 0; r < p; r++) {
        int32_t wanted = p - 2 - r + k, warmup = wanted < units ? wanted : units, next = 0;
        pp_rank_start(writer, r);
        while (next < warmup) pp_emit(writer, PP_F, r, next++);
        for (int32_t whole = 0; whole < units; whole += k) {
            for (int32_t slice = k - 1; slice >= 0; slice--) {
                if (next < units) pp_emit(writer, PP_F, r, next++);
                pp_emit_backward(writer, PP_B, r, whole + slice);
            }
        }
    }
}

static double makespan(const pp_config *config, double f, double b, double w) {
    (void)w;
    return ((double)config->microbatches * config->slices + config->ranks - 1) * (f + b);
}

const pp_generator pp_generator_seq1f1b = {
    .name = "seq1f1b",
    .placement = PP_PLACE_SINGLE,
    .chunks_min = 1,
    .chunks_max = 1,
    .chunks_default = 1,
    .slices_default = 2,
    .trains = 1,
    .options = 1u << PP_OPT_RECOMPUTE | 1u << PP_OPT_SLICES,
    .formula = "(m k + p - 1)(F + B)",
    .action_count = action_count,
    .generate = generate,
    .makespan = makespan,
};
