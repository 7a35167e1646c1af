/* ZB-H2, zero bubble with twice the memory: twice the warm-up and W put off twice as far, so that each rank, once it
 * has begun, never waits. The rule is that of turns in schedule_zb_h1.h with h = 2. For m >= 2p - 1 the longest span of
 * a rank, which is what the paper counts where ranks may step on their own, is m (F + I + W) + (p - 1) max(0, I - F, F
 * + I - 2W). Rank 0 begins p - 1 forwards before rank p - 1, so the makespan has max(F, I - F, F + I - 2W) in that
 * place. With fewer micro-batches the order stands, and pays in turn the longest two of F, I, W and a pair of turns for
 * each micro-batch. 2p - 1 activations on every rank. Source: Qi et al. 2023, section 2.2 (their B is I here). */
#include <math.h>

#include "schedules/schedule_zb_h1.h"

static int64_t action_count(const pp_config *config) { return pp_actions_of(config, 3); }

static void generate(const pp_config *config, pp_writer *writer) { pp_zb_h_generate(config, writer, 2); }

static double makespan(const pp_config *config, double f, double b, double w) {
    int32_t p = config->ranks, m = config->microbatches;
    double i = b - w;
    if (m >= 2 * p - 1) return m * (f + b) + (p - 1) * fmax(f, fmax(i - f, f + i - 2 * w));
    double two = fmax(2 * f + i + 2 * w, 2 * i + fmax(2 * w, 2 * f)), one = fmax(f + i, w + fmax(f, i));
    return p * (f + i) + w + (m - 1) / 2 * two + (m - 1) % 2 * one;
}

const pp_generator pp_generator_zb_h2 = {
    .name = "zb-h2",
    .placement = PP_PLACE_SINGLE,
    .chunks_min = 1,
    .chunks_max = 1,
    .chunks_default = 1,
    .trains = 1,
    .options = 1u << PP_OPT_RECOMPUTE,
    .formula = "m (F + I + W) + (p - 1) max(F, I - F, F + I - 2W)",
    .action_count = action_count,
    .generate = generate,
    .makespan = makespan,
};
