/* ZB-V: zero bubble with the memory of 1F1B. Two chunks a rank in the shape of a V, stage r going down and 2p - 1 - r
 * coming back, so that the rank of the first stage has the last one, too, and every rank holds 2p chunks, as much as p
 * micro-batches of 1F1B. The order is written for n = max(m, 2p - 1) micro-batches in phases; those that do not exist
 * are left out, which keeps the order valid though not without bubbles. Makespan for m >= 2p - 1 and F, W <= I of one
 * chunk: 2 m (F + I + W) + (p - 1) max(I, 2(I - W)); with F = I = W no rank waits once it has begun. Legal: two chunks,
 * any m. Source: Qi et al. 2023, section 6; the order is PyTorch's ScheduleZBVZeroBubble. */
#include <math.h>

#include "schedules/schedule.h"

static int64_t action_count(const pp_config *config) { return pp_actions_of(config, 3); }

/* The micro-batches a phase of `count` runs, numbered from `first`, has below m. */
static int32_t below(int32_t m, int32_t first, int32_t count) {
    int32_t left = m - first;
    return left < 0 ? 0 : left < count ? left : count;
}

static void emit_f(pp_writer *writer, int32_t stage, int32_t k, int32_t m) {
    if (k < m) pp_emit(writer, PP_F, stage, k);
}

static void emit_i(pp_writer *writer, int32_t stage, int32_t k, int32_t m) {
    if (k < m) pp_emit_backward(writer, PP_I, stage, k);
}

static void emit_w(pp_writer *writer, int32_t stage, int32_t k, int32_t m) {
    if (k < m) pp_emit(writer, PP_W, stage, k);
}

/* In each loop the first action named has the lowest micro-batch, so the loop ends where that is m. */
static void generate_rank(pp_writer *writer, int32_t p, int32_t m, int32_t r) {
    int32_t n = m > 2 * p - 1 ? m : 2 * p - 1, down = r, up = 2 * p - 1 - r;
    for (int32_t x = 0; x < below(m, 0, 2 * (p - r) - 1); x++) emit_f(writer, down, x, m);
    for (int32_t x = 0; x < below(m, 0, r); x++) {
        emit_f(writer, up, x, m);
        emit_f(writer, down, 2 * (p - r) - 1 + x, m);
    }
    for (int32_t x = 0; x < below(m, 0, p - r); x++) {
        emit_f(writer, up, r + x, m);
        emit_i(writer, up, x, m);
        emit_w(writer, up, x, m);
    }
    for (int32_t x = 0; x < below(m, 0, n - p); x++) {
        emit_f(writer, down, 2 * p - 1 - r + x, m);
        emit_i(writer, down, x, m);
        emit_w(writer, down, x, m);
        emit_f(writer, up, p + x, m);
        emit_i(writer, up, p - r + x, m);
        emit_w(writer, up, p - r + x, m);
    }
    for (int32_t x = 0; x < below(m, n - p, r); x++) {
        emit_i(writer, down, n - p + x, m);
        emit_i(writer, up, n - r + x, m);
    }
    for (int32_t x = 0; x < below(m, n - p, p - r); x++) {
        emit_i(writer, down, n - p + r + x, m);
        emit_w(writer, down, n - p + x, m);
    }
    for (int32_t x = 0; x < below(m, n - r, r); x++) emit_w(writer, up, n - r + x, m);
    for (int32_t x = 0; x < below(m, n - r, r); x++) emit_w(writer, down, n - r + x, m);
}

static void generate(const pp_config *config, pp_writer *writer) {
    for (int32_t r = 0; r < config->ranks; r++) {
        pp_rank_start(writer, r);
        generate_rank(writer, config->ranks, config->microbatches, r);
    }
}

static double makespan(const pp_config *config, double f, double b, double w) {
    double i = b - w;
    if (config->microbatches < 2 * config->ranks - 1 || f > i || w > i) return -1;
    return 2.0 * config->microbatches * (f + b) + (config->ranks - 1) * fmax(i, 2 * (i - w));
}

const pp_generator pp_generator_zb_v = {
    .name = "zb-v",
    .placement = PP_PLACE_ZIGZAG,
    .chunks_min = 2,
    .chunks_max = 2,
    .chunks_default = 2,
    .trains = 1,
    .options = 1u << PP_OPT_RECOMPUTE,
    .formula = "2 m (F + I + W) + (p - 1) max(I, 2 (I - W))",
    .action_count = action_count,
    .generate = generate,
    .makespan = makespan,
};
