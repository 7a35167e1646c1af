/* Why a schedule was not accepted. pp_check accepts in one pass and asks here only when that pass came to a halt, so this
 * file may take its time: every action is found its place by stage and micro-batch, each cell is looked at, and where
 * all are in order the ranks stand in a circle of waiting. */
#include <string.h>

#include "core/fault.h"
#include "time/diagnose.h"
#include "time/rank_queue.h"

static pp_fault *at_action(const pp_schedule *s, int32_t i, int32_t code, pp_fault *fault, pp_fault *scratch) {
    const pp_action *a = &s->actions[i];
    fault = pp_fault_start(fault, scratch, code);
    fault->stage = a->stage;
    fault->op = a->op;
    fault->microbatch = a->microbatch / s->slices;
    fault->rank = 0;
    while (s->rank_begin[fault->rank + 1] <= i) fault->rank++;
    fault->index = 0;
    for (int32_t j = s->rank_begin[fault->rank]; j < i; j++) fault->index += !s->actions[j].fused;
    return fault;
}

static int32_t refuse(const pp_schedule *s, int32_t i, int32_t code, pp_fault *fault) {
    pp_fault scratch;
    at_action(s, i, code, fault, &scratch);
    return code;
}

static int32_t refuse_order(const pp_schedule *s, int32_t i, int32_t needed_op, int32_t needed_unit, pp_fault *fault) {
    pp_fault scratch;
    fault = at_action(s, i, PP_ERR_ORDER, fault, &scratch);
    fault->wait_stage = fault->stage;
    fault->wait_op = needed_op;
    fault->wait_microbatch = needed_unit / s->slices;
    fault->wait_rank = fault->rank;
    return PP_ERR_ORDER;
}

static int32_t refuse_missing(const pp_schedule *s, int32_t stage, int32_t op, int32_t unit, pp_fault *fault) {
    pp_fault scratch;
    fault = pp_fault_start(fault, &scratch, PP_ERR_MISSING);
    fault->stage = stage;
    fault->op = op;
    fault->microbatch = unit / s->slices;
    fault->rank = pp_rank_of(s, stage, unit);
    return PP_ERR_MISSING;
}

static int32_t fill_tables(const pp_schedule *s, const pp_tables *t, pp_fault *fault) {
    int32_t units = s->microbatches * s->slices;
    for (int32_t r = 0; r < s->ranks; r++) {
        for (int32_t i = s->rank_begin[r]; i < s->rank_begin[r + 1]; i++) {
            const pp_action *a = &s->actions[i];
            if (a->stage >= s->stages || a->microbatch < 0 || a->microbatch >= units || a->op >= PP_OP_COUNT)
                return refuse(s, i, PP_ERR_STAGE_UNKNOWN, fault);
            int32_t owner = pp_rank_of(s, a->stage, a->microbatch);
            if (owner != r) {
                pp_fault scratch, *f = at_action(s, i, PP_ERR_STAGE_TWO_RANKS, fault, &scratch);
                f->wait_rank = owner;
                return PP_ERR_STAGE_TWO_RANKS;
            }
            int32_t *table = a->op == PP_F ? t->f : a->op == PP_W ? t->w : a->op == PP_R ? t->r : t->b;
            int32_t *place = &table[(size_t)a->stage * (size_t)units + (size_t)a->microbatch];
            if (*place >= 0) {
                int mixed = s->actions[*place].op != a->op; /* an I beside a B */
                return refuse(s, i, mixed ? PP_ERR_SPLIT_MIX : PP_ERR_DUPLICATE, fault);
            }
            *place = i;
        }
    }
    return PP_OK;
}

/* 1 if action `needed` comes before the slot that holds `i`. Both stand on one rank. */
static int before(const pp_schedule *s, int32_t needed, int32_t i) {
    return needed < i && !(needed == i - 1 && s->actions[needed].fused);
}

/* Presence and order of all actions of one stage and unit. */
static int32_t check_unit(const pp_schedule *s, const pp_tables *t, int32_t stage, int32_t unit, pp_fault *fault) {
    size_t at = (size_t)stage * (size_t)(s->microbatches * s->slices) + (size_t)unit;
    int32_t f = t->f[at], b = t->b[at], w = t->w[at], r = t->r[at];
    if (f < 0) return refuse_missing(s, stage, PP_F, unit, fault);
    if (s->slices > 1 && unit % s->slices > 0 && !before(s, t->f[at - 1], f))
        return refuse_order(s, f, PP_F, unit - 1, fault); /* a slice attends to those before it */
    if (!s->trains) return PP_OK;
    if (b < 0) return refuse_missing(s, stage, w >= 0 ? PP_I : PP_B, unit, fault); /* a W is half of a split one */
    if (!before(s, f, b)) return refuse_order(s, b, PP_F, unit, fault);
    if (s->slices > 1 && unit % s->slices > 0 && t->b[at - 1] >= 0 && !before(s, b, t->b[at - 1]))
        return refuse_order(s, t->b[at - 1], s->actions[b].op, unit, fault);
    int split = s->actions[b].op == PP_I;
    if (split && w < 0) return refuse_missing(s, stage, PP_W, unit, fault);
    if (!split && w >= 0) return refuse(s, w, PP_ERR_SPLIT_MIX, fault);
    if (split && !before(s, b, w)) return refuse_order(s, w, PP_I, unit, fault);
    if (r >= 0 && !before(s, f, r)) return refuse_order(s, r, PP_F, unit, fault);
    if (r >= 0 && !before(s, r, b)) return refuse_order(s, b, PP_R, unit, fault);
    return PP_OK;
}

int32_t pp_tables_input(const pp_schedule *s, const pp_tables *t, const pp_action *a) {
    size_t units = (size_t)(s->microbatches * s->slices), unit = (size_t)a->microbatch;
    switch (a->op) {
    case PP_F: return a->stage > 0 ? t->f[(size_t)(a->stage - 1) * units + unit] : -1;
    case PP_R: /* late recomputation starts when the gradient is there */
        if (s->recompute != PP_RECOMPUTE_LATE) return -1;
        /* fall through */
    case PP_B:
    case PP_I: return a->stage < s->stages - 1 ? t->b[(size_t)(a->stage + 1) * units + unit] : -1;
    default: return -1;
    }
}

int pp_arrived(const pp_schedule *s, const int32_t *head, int32_t input) {
    if (input < 0) return 1;
    const pp_action *a = &s->actions[input];
    return input < head[pp_rank_of(s, a->stage, a->microbatch)];
}

int32_t pp_order(const pp_schedule *s, pp_timeline *line, int32_t *head) {
    int32_t done = 0;
    memcpy(head, s->rank_begin, (size_t)s->ranks * sizeof(int32_t));
    line->run_count = 0;
    for (pp_rank_queue queue = pp_rank_queue_of_all(s->ranks, head + s->ranks); queue.count > 0;) {
        int32_t r = pp_rank_queue_take(&queue), i = head[r], end = s->rank_begin[r + 1], begin = i;
        while (i < end) {
            int fused = s->actions[i].fused;
            if (!pp_arrived(s, head, line->input[i]) || (fused && !pp_arrived(s, head, line->input[i + 1]))) break;
            i += 1 + fused;
            head[r] = i; /* at once: a chunk may feed the next chunk of the same rank */
        }
        if (i == begin) continue;
        pp_run_add(s, line, begin, i, begin == s->rank_begin[r]);
        pp_rank_queue_wake(&queue, s, begin, i);
        done += i - begin;
    }
    return done == s->action_count;
}

int32_t pp_rank_on_circle(const pp_schedule *s, const int32_t *waits) {
    int32_t r = 0;
    while (waits[r] < 0) r++;
    for (int32_t steps = 0; steps < s->ranks; steps++) r = pp_rank_of_action(s, waits[r]);
    return r;
}

void pp_fault_deadlock(const pp_schedule *s, const int32_t *stands, const int32_t *waits, pp_fault *fault) {
    pp_fault scratch;
    int32_t r = pp_rank_on_circle(s, waits), cycle = 0;
    int32_t first = r, lowest = r;
    do {
        if (r < lowest) lowest = r;
        r = pp_rank_of_action(s, waits[r]);
        cycle++;
    } while (r != first);
    fault = at_action(s, stands[lowest], PP_ERR_DEADLOCK, fault, &scratch);
    const pp_action *a = &s->actions[waits[lowest]];
    fault->wait_stage = a->stage;
    fault->wait_op = a->op;
    fault->wait_microbatch = a->microbatch / s->slices;
    fault->wait_rank = pp_rank_of_action(s, waits[lowest]);
    fault->root_stage = a->op == PP_F ? -1 : s->stages - 1;
    fault->cycle = cycle;
}

/* For each rank the action it stands before and the one it waits for, -1 where it is through. */
static void blocked_ranks(const pp_schedule *s, const int32_t *input, const int32_t *head, int32_t *stands,
                          int32_t *waits) {
    for (int32_t r = 0; r < s->ranks; r++) {
        int32_t i = head[r];
        stands[r] = waits[r] = -1;
        if (i >= s->rank_begin[r + 1]) continue;
        if (s->actions[i].fused && pp_arrived(s, head, input[i])) i++;
        stands[r] = i;
        waits[r] = input[i];
    }
}

int32_t pp_tables_make(const pp_schedule *s, const pp_timeline *line, pp_tables *t, pp_fault *fault) {
    size_t cells = (size_t)s->stages * (size_t)(s->microbatches * s->slices);
    t->f = (int32_t *)line->start;
    t->b = t->f + cells;
    t->w = t->b + cells;
    t->r = t->w + cells;
    memset(t->f, 0xFF, 4 * cells * sizeof(int32_t));
    return fill_tables(s, t, fault);
}

int32_t pp_diagnose(const pp_schedule *s, pp_timeline *line, int32_t *blocked, pp_fault *fault) {
    int32_t units = s->microbatches * s->slices, status;
    pp_tables t;
    status = pp_tables_make(s, line, &t, fault);
    for (int32_t stage = 0; stage < s->stages && status == PP_OK; stage++)
        for (int32_t unit = 0; unit < units && status == PP_OK; unit++) status = check_unit(s, &t, stage, unit, fault);
    if (status != PP_OK) return status;
    for (int32_t i = 0; i < s->action_count; i++) line->input[i] = pp_tables_input(s, &t, &s->actions[i]);

    int32_t *head = (int32_t *)line->rank_scratch, *stands = head + s->ranks, *waits = stands + s->ranks;
    line->fused = 1;
    if (pp_order(s, line, head)) return PP_OK;
    blocked_ranks(s, line->input, head, stands, waits);
    if (blocked != NULL) memcpy(blocked, stands, (size_t)s->ranks * sizeof(int32_t));
    pp_fault_deadlock(s, stands, waits, fault);
    return PP_ERR_DEADLOCK;
}
