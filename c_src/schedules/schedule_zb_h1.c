/* ZB-H1, zero bubble with the memory of 1F1B: 1F1B with a split backward, W put off so far that every rank holds p
 * activations and has work left while the pipeline drains. The rule is that of turns in schedule_zb_h1.h with h = 1.
 * Makespan m (F + I + W) + (p - 1) max(F, I, F + I - W) for m >= p; the paper's (p - 1)(F + I - W) is the case
 * W <= min(F, I). For m < p it is p (F + I) + W + (m - 1) max(F + I, F + W, I + W). Any m is legal. Source: Qi et al.
 * 2023, section 2.1 (their B is I here). */
#include <math.h>

#include "schedules/schedule_zb_h1.h"

void pp_zb_h_generate(const pp_config *config, pp_writer *writer, int32_t h) {
    int32_t p = config->ranks, m = config->microbatches;
    for (int32_t r = 0; r < p; r++) {
        int32_t i_late = h * (p - 1 - r), w_late = h * (p - 1);
        pp_rank_start(writer, r);
        for (int32_t x = 0; x < w_late + m; x++) {
            if (x < m) pp_emit(writer, PP_F, r, x);
            if (x >= i_late && x < i_late + m) pp_emit_backward(writer, PP_I, r, x - i_late);
            if (x >= w_late) pp_emit(writer, PP_W, r, x - w_late);
            /* turns in which nothing can run are many where m is far below p */
            if (x + 1 >= m && x + 1 < i_late) x = i_late - 1;
            if (x + 1 >= i_late + m && x + 1 < w_late) x = w_late - 1;
        }
    }
}

static int64_t action_count(const pp_config *config) { return pp_actions_of(config, 3); }

static void generate(const pp_config *config, pp_writer *writer) { pp_zb_h_generate(config, writer, 1); }

static double makespan(const pp_config *config, double f, double b, double w) {
    double p = config->ranks, m = config->microbatches, i = b - w;
    double pair = fmax(f + i, w + fmax(f, i)); /* the longest two of the three */
    return m < p ? p * (f + i) + w + (m - 1) * pair : m * (f + b) + (p - 1) * (pair - w);
}

const pp_generator pp_generator_zb_h1 = {
    .name = "zb-h1",
    .placement = PP_PLACE_SINGLE,
    .chunks_min = 1,
    .chunks_max = 1,
    .chunks_default = 1,
    .trains = 1,
    .options = 1u << PP_OPT_RECOMPUTE,
    .formula = "m (F + I + W) + (p - 1) max(F, I, F + I - W)",
    .action_count = action_count,
    .generate = generate,
    .makespan = makespan,
};
