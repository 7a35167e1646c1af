/* DualPipe: micro-batches enter at both ends. Every stage is held twice, by rank s for the first half of the
 * micro-batches and by rank p - 1 - s for the second half, and where the two flows cross, F of one and B of the other
 * share a slot, so that the messages of each hide behind the other. m counts both directions.
 * Makespan for I <= F: m (F + B) - (m - p - 1)(F + B - FB) + (p/2 - 1)(FB + F - W - min(I, W)), decided by the middle
 * ranks, which share the most slots. The last term is their idle time; for F = I >= W it is DeepSeek's (PP/2 - 1)(F&B +
 * B - 3W) with their whole B. p + 1 activations and two stages' weights on every rank.
 * Legal: p even, m >= 2p, m even. Source: DeepSeek-V3 report, section 3.2.1; deepseek-ai/DualPipe. */
#include "schedules/schedule_dualpipe.h"

#include <math.h>

#include "core/fault.h"

typedef struct dual {
    pp_writer *writer;
    const int32_t *stage, *first;
    int32_t f[2], b[2]; /* next micro-batch of each flow */
    int32_t w;          /* where to look for the oldest I whose W is still to come */
} dual;

static void forward(dual *d, int32_t flow) { pp_emit(d->writer, PP_F, d->stage[flow], d->first[flow] + d->f[flow]++); }

static void backward(dual *d, int32_t flow, int32_t op) {
    pp_emit(d->writer, op, d->stage[flow], d->first[flow] + d->b[flow]++);
}

static void together(dual *d, int32_t f_flow, int32_t b_flow) {
    pp_emit_fused(d->writer, d->stage[f_flow], d->first[f_flow] + d->f[f_flow], d->stage[b_flow],
                  d->first[b_flow] + d->b[b_flow]);
    d->f[f_flow]++;
    d->b[b_flow]++;
}

static void weight(dual *d) {
    const pp_action *actions = d->writer->actions;
    while (actions[d->w].op != PP_I) d->w++;
    pp_emit(d->writer, PP_W, actions[d->w].stage, actions[d->w].microbatch);
    d->w++;
}

void pp_dualpipe_rank(pp_writer *writer, const int32_t stage[2], const int32_t first[2], int32_t each, int32_t half,
                      int32_t h) {
    dual d = {.writer = writer, .stage = stage, .first = first, .w = writer->count};
    int32_t inner = half - 1 - h, turn = (h + 1) / 2;
    /* 1, 2: forwards until the other flow has come, then of both */
    for (int32_t x = 0; x < 2 * inner; x++) forward(&d, 0);
    for (int32_t x = 0; x < h + 1; x++) forward(&d, 0), forward(&d, 1);
    /* 3: the other flow comes back; W at once, since this rank would wait */
    for (int32_t x = 0; x < inner; x++) backward(&d, 1, PP_I), weight(&d), forward(&d, 1);
    /* 4: the steady phase; in the middle the first two meet before there is anything to hide behind */
    for (int32_t x = 0; x < each - 2 * half + h + 1; x++) {
        if (x == 0 && inner == 0) {
            forward(&d, 0);
            backward(&d, 1, PP_B);
        } else {
            together(&d, 0, 1);
        }
        together(&d, 1, 0);
    }
    /* 5: the last forwards */
    for (int32_t x = 0; x < inner; x++) backward(&d, 1, PP_B), together(&d, 1, 0);
    /* 6: backwards of both flows; from the middle on W are put off */
    for (int32_t x = 0; x < h + 1; x++) {
        backward(&d, 1, x > turn || (x == turn && h % 2 == 1) ? PP_I : PP_B);
        backward(&d, 0, x >= turn ? PP_I : PP_B);
    }
    /* 7, 8: W that were put off, first between the last I */
    for (int32_t x = 0; x < inner; x++) weight(&d), backward(&d, 0, PP_I);
    for (int32_t x = 0; x < h + 1; x++) weight(&d);
}

static int32_t legal(pp_config *config, pp_fault *fault) {
    pp_fault scratch;
    int32_t p = config->ranks, m = config->microbatches;
    int32_t most = m < 4 ? 2 : m / 4 * 2; /* ranks these micro-batches are enough for */
    if (p % 2 != 0) {
        fault = pp_refuse_shape(config, PP_ERR_RANKS_EVEN, PP_OPT_RANKS, p, -1, fault, &scratch);
        pp_fault_fix_number(fault, PP_OPT_RANKS, p + 1 < most ? p + 1 : most);
        if (m >= 2 * p) pp_fault_fix_text(fault, PP_OPT_SCHEDULE, "dualpipe-v");
        return PP_ERR_RANKS_EVEN;
    }
    if (m < 2 * p) {
        fault = pp_refuse_shape(config, PP_ERR_MICROBATCHES_FEW, PP_OPT_MICROBATCHES, m, 2 * p, fault, &scratch);
        pp_fault_fix_number(fault, PP_OPT_MICROBATCHES, 2 * p);
        if (m >= 4 && m % 2 == 0) pp_fault_fix_number(fault, PP_OPT_RANKS, most);
        return PP_ERR_MICROBATCHES_FEW;
    }
    if (m % 2 != 0) {
        fault = pp_refuse_shape(config, PP_ERR_MICROBATCHES_EVEN, PP_OPT_MICROBATCHES, m, -1, fault, &scratch);
        pp_fault_fix_number(fault, PP_OPT_MICROBATCHES, m + 1);
        pp_fault_fix_text(fault, PP_OPT_SCHEDULE, "dualpipe-v");
        return PP_ERR_MICROBATCHES_EVEN;
    }
    return PP_OK;
}

/* Each rank runs m F and m B; one more for each B that is an I and a W: 2 half - 1 - h, on the two ranks of each h. */
static int64_t action_count(const pp_config *config) {
    int64_t half = config->ranks / 2;
    return pp_actions_of(config, 2) + half * (3 * half - 1);
}

static void place(const pp_config *config, int32_t *stage_rank, int32_t *unit_pipe) {
    int32_t p = config->ranks, m = config->microbatches;
    for (int32_t s = 0; s < p; s++) {
        stage_rank[s] = s;
        stage_rank[p + s] = p - 1 - s;
    }
    for (int32_t k = 0; k < m; k++) unit_pipe[k] = k >= m / 2;
}

static void generate(const pp_config *config, pp_writer *writer) {
    int32_t p = config->ranks, each = config->microbatches / 2, half = p / 2;
    for (int32_t r = 0; r < p; r++) {
        int lower = r < half;
        int32_t stage[2] = {lower ? r : p - 1 - r, lower ? p - 1 - r : r};
        int32_t first[2] = {lower ? 0 : each, lower ? each : 0};
        pp_rank_start(writer, r);
        pp_dualpipe_rank(writer, stage, first, each, half, lower ? r : p - 1 - r);
    }
}

double pp_dualpipe_makespan(double each, double half, double f, double b, double w, double fb) {
    double i = b - w;
    if (i > f) return -1;
    return 2 * each * (f + b) - (2 * (each - half) - 1) * (f + b - fb) + (half - 1) * (fb + f - w - fmin(i, w));
}

static double makespan_fused(const pp_config *config, double f, double b, double w, double fb) {
    return pp_dualpipe_makespan(config->microbatches / 2, config->ranks / 2, f, b, w, fb);
}

const pp_generator pp_generator_dualpipe = {
    .name = "dualpipe",
    .placement = PP_PLACE_BIDIRECTIONAL,
    .chunks_min = 1,
    .chunks_max = 1,
    .chunks_default = 1,
    .trains = 1,
    .formula = "m (F + B) - (m - p - 1)(F + B - FB) + (p/2 - 1)(FB + F - W - min(I, W))",
    .legal = legal,
    .action_count = action_count,
    .place = place,
    .generate = generate,
    .makespan_fused = makespan_fused,
};
