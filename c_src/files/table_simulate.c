/* Times of a schedule whose table writes out its communication: cell after cell, as each rank has them. Where
 * pp_simulate knows who waits for whom, here the SEND and RECV cells say when a message leaves and where a rank stands
 * for it. */
#include <math.h>
#include <string.h>

#include "files/table.h"
#include "time/timeline.h"

typedef struct walk {
    const pp_table *t;
    const pp_schedule *s;
    const double *costs;
    pp_timeline *line;
    int32_t transfer, receive;
    double *arrival;      /* per action: when its output is on the rank that needs it; negative: not sent */
    double *clock;        /* per rank */
    int32_t *ref;         /* per cell: the action it is, or whose output it carries; -1 for none */
    int32_t *send, *recv; /* per action: the cells that carry its output, -1 for none */
    int32_t *head;        /* per rank: its next cell */
} walk;

static size_t cells_of(const pp_schedule *s) { return (size_t)s->stages * (size_t)s->microbatches; }

/* Doubles: arrivals, clocks. Ints: refs, sends, receives, heads, two per rank for a deadlock; F and B of each place. */
size_t pp_table_scratch_bytes(const pp_table *t, const pp_schedule *s) {
    size_t n = (size_t)s->action_count, ranks = (size_t)s->ranks;
    return (n + ranks) * sizeof(double) +
           ((size_t)t->cell_count + 2 * n + 4 * ranks + 2 * cells_of(s)) * sizeof(int32_t) + 8;
}

/* ---- what each cell carries ---- */

static int32_t column_of(const pp_table *t, int32_t r, int32_t cell) {
    int32_t column = 0;
    for (int32_t i = t->row_begin[r]; i < cell; i++)
        if (!t->cells[i].fused) column += t->cells[i].op == PP_BLANK ? t->cells[i].microbatch : 1;
    return column;
}

static int32_t rank_of_cell(const pp_table *t, int32_t cell) {
    int32_t low = 0, high = t->ranks;
    while (high - low > 1) {
        int32_t middle = (low + high) / 2;
        if (t->row_begin[middle] <= cell)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static pp_fault *at_cell(const pp_table *t, int32_t cell, int32_t code, pp_fault *fault, pp_fault *scratch) {
    const pp_action *a = &t->cells[cell];
    fault = pp_fault_start(fault, scratch, code);
    fault->rank = rank_of_cell(t, cell);
    fault->column = column_of(t, fault->rank, cell);
    fault->stage = a->stage;
    fault->op = a->op;
    fault->microbatch = a->microbatch;
    return fault;
}

static void awaits(const pp_table *t, int32_t cell, pp_fault *fault) {
    const pp_action *a = &t->cells[cell];
    fault->wait_rank = rank_of_cell(t, cell);
    fault->wait_column = column_of(t, fault->wait_rank, cell);
    fault->wait_stage = a->stage;
    fault->wait_op = a->op;
    fault->wait_microbatch = a->microbatch;
}

static int32_t refuse_cell(const walk *w, int32_t cell, int32_t code, pp_fault *fault) {
    pp_fault scratch;
    at_cell(w->t, cell, code, fault, &scratch);
    return code;
}

static int32_t refuse_missing(const walk *w, int32_t stage, int32_t op, int32_t unit, pp_fault *fault) {
    pp_fault scratch;
    fault = pp_fault_start(fault, &scratch, PP_ERR_MISSING);
    fault->stage = stage;
    fault->op = op;
    fault->microbatch = unit;
    fault->rank = w->s->stage_rank[stage];
    return PP_ERR_MISSING;
}

/* The stage that made what a transfer carries, and the one that takes it; -1 where there is none. */
static void ends_of(const pp_schedule *s, const pp_action *a, int32_t *from, int32_t *to) {
    int step = a->op == PP_SEND_F || a->op == PP_RECV_F ? 1 : -1;
    *from = a->op == PP_SEND_F || a->op == PP_SEND_B ? a->stage : a->stage - step;
    *to = *from + step;
    if (*from >= s->stages || *to >= s->stages) *from = *to = -1;
}

/* Finds for each cell its action, and for each action whose output goes to another rank its one SEND and one RECV. */
static int32_t resolve(walk *w, int32_t *f, int32_t *b, pp_fault *fault) {
    const pp_table *t = w->t;
    const pp_schedule *s = w->s;
    size_t units = (size_t)s->microbatches;
    int32_t action = 0;
    memset(w->send, 0xFF, 2 * (size_t)s->action_count * sizeof(int32_t));
    memset(f, 0xFF, 2 * cells_of(s) * sizeof(int32_t));
    for (int32_t i = 0; i < t->cell_count; i++) {
        const pp_action *a = &t->cells[i];
        w->ref[i] = pp_is_action(a) ? action++ : -1;
        if (a->op == PP_F || a->op == PP_B || a->op == PP_I)
            (a->op == PP_F ? f : b)[(size_t)a->stage * units + (size_t)a->microbatch] = w->ref[i];
    }
    for (int32_t i = 0, rank = 0; i < t->cell_count; i++) {
        const pp_action *a = &t->cells[i];
        int32_t from, to;
        while (t->row_begin[rank + 1] <= i) rank++;
        if (pp_is_action(a) || a->op == PP_BLANK) continue;
        if (a->stage >= s->stages || a->microbatch >= s->microbatches)
            return refuse_cell(w, i, PP_ERR_STAGE_UNKNOWN, fault);
        if (s->stage_rank[a->stage] != rank) {
            pp_fault scratch, *at = at_cell(t, i, PP_ERR_STAGE_TWO_RANKS, fault, &scratch);
            at->wait_rank = s->stage_rank[a->stage];
            return PP_ERR_STAGE_TWO_RANKS;
        }
        if (a->op < PP_SEND_F) continue;
        ends_of(s, a, &from, &to);
        if (from < 0 || to < 0 || s->stage_rank[from] == s->stage_rank[to])
            return refuse_cell(w, i, PP_ERR_TRANSFER, fault);
        int forward = a->op == PP_SEND_F || a->op == PP_RECV_F, sends = a->op == PP_SEND_F || a->op == PP_SEND_B;
        int32_t made = (forward ? f : b)[(size_t)from * units + (size_t)a->microbatch];
        if (made < 0) return refuse_cell(w, i, PP_ERR_TRANSFER, fault); /* a forward pass alone */
        int32_t *place = sends ? &w->send[made] : &w->recv[made];
        if (*place >= 0) return refuse_cell(w, i, PP_ERR_DUPLICATE, fault);
        *place = i;
        w->ref[i] = made;
    }
    return PP_OK;
}

/* A SEND comes after what it sends, a RECV before what it is for, and none is missing. */
static int32_t check_transfers(const walk *w, pp_fault *fault) {
    const pp_table *t = w->t;
    for (int32_t i = 0, rank = 0; i < t->cell_count; i++) {
        const pp_action *a = &t->cells[i];
        while (t->row_begin[rank + 1] <= i) rank++;
        if (!pp_is_action(a)) continue;
        int32_t x = w->line->input[w->ref[i]], own = w->send[w->ref[i]];
        if (own >= 0 && own < i) {
            pp_fault scratch, *at = at_cell(t, own, PP_ERR_ORDER, fault, &scratch);
            awaits(t, i, at);
            return PP_ERR_ORDER;
        }
        if (x < 0 || pp_rank_of_action(w->s, x) == rank) continue;
        const pp_action *made = &w->s->actions[x];
        int forward = a->op == PP_F;
        if (w->send[x] < 0)
            return refuse_missing(w, made->stage, forward ? PP_SEND_F : PP_SEND_B, made->microbatch, fault);
        if (w->recv[x] < 0) return refuse_missing(w, a->stage, forward ? PP_RECV_F : PP_RECV_B, a->microbatch, fault);
        if (w->recv[x] > i) {
            pp_fault scratch, *at = at_cell(t, i, PP_ERR_ORDER, fault, &scratch);
            awaits(t, w->recv[x], at);
            return PP_ERR_ORDER;
        }
    }
    return PP_OK;
}

/* ---- times ---- */

static double later(double a, double b) { return a > b ? a : b; }

/* Ticks the output of action x is on its way. */
static double latency(const walk *w, int32_t x) {
    const pp_action *a = &w->s->actions[x];
    return w->costs[PP_COST_LATENCY * w->s->stages + (a->op == PP_F ? a->stage : a->stage - 1)];
}

static int32_t slot_end(const pp_table *t, int32_t i) {
    while (t->cells[i].fused) i++;
    return i + 1;
}

/* The cell that the slot at i still waits for, -1 if it can run; *ready: when its last input is there. */
static int32_t slot_waits(const walk *w, int32_t rank, int32_t i, double *ready) {
    *ready = w->clock[rank];
    for (int32_t n = i, end = slot_end(w->t, i); n < end; n++) {
        int32_t x = w->line->input[w->ref[n]];
        if (x < 0 || pp_rank_of_action(w->s, x) == rank) continue; /* made here: pp_check has seen the order */
        if (w->arrival[x] < 0) return w->send[x];
        *ready = later(*ready, w->arrival[x]);
    }
    return -1;
}

/* Runs the head of a rank, or tells the cell it waits for; -1 if it ran. */
static int32_t run_head(walk *w, int32_t rank) {
    int32_t i = w->head[rank], x = w->ref[i];
    const pp_action *a = &w->t->cells[i];
    double ready;
    if (pp_is_action(a)) {
        int32_t waits = slot_waits(w, rank, i, &ready), end = slot_end(w->t, i);
        if (waits >= 0) return waits;
        w->clock[rank] = ready + pp_cost_of(w->s, w->costs, x);
        for (; i < end; i++) {
            w->line->start[w->ref[i]] = ready;
            w->line->finish[w->ref[i]] = w->clock[rank];
        }
        w->head[rank] = end;
        return -1;
    }
    int sends = a->op == PP_SEND_F || a->op == PP_SEND_B, receives = a->op == PP_RECV_F || a->op == PP_RECV_B;
    if (w->transfer == PP_TRANSFER_RENDEZVOUS && (sends || receives)) {
        int32_t other = sends ? w->recv[x] : w->send[x], peer = rank_of_cell(w->t, other);
        if (w->head[peer] != other) return other;
        w->arrival[x] = later(w->clock[rank], w->clock[peer]) + latency(w, x);
        w->clock[rank] = w->clock[peer] = w->arrival[x];
        w->head[peer]++;
    } else if (sends) {
        w->arrival[x] = w->clock[rank] + latency(w, x);
        if (w->transfer == PP_TRANSFER_SENDER) w->clock[rank] = w->arrival[x];
    } else if (receives && w->receive == PP_RECEIVE_WAIT) {
        if (w->arrival[x] < 0) return w->send[x];
        w->clock[rank] = later(w->clock[rank], w->arrival[x]);
    }
    w->head[rank]++;
    return -1;
}

static int32_t refuse_deadlock(walk *w, int32_t *stands, int32_t *waits, pp_fault *fault) {
    const pp_table *t = w->t;
    int32_t r = 0, cycle = 0;
    for (int32_t rank = 0; rank < t->ranks; rank++) {
        stands[rank] = waits[rank] = -1;
        if (w->head[rank] == t->row_begin[rank + 1]) continue;
        stands[rank] = w->head[rank];
        waits[rank] = run_head(w, rank);
    }
    while (waits[r] < 0) r++;
    /* as in pp_fault_deadlock: after as many steps as there are ranks we are on a circle */
    for (int32_t steps = 0; steps < t->ranks; steps++) r = rank_of_cell(t, waits[r]);
    int32_t first = r, lowest = r;
    do {
        if (r < lowest) lowest = r;
        r = rank_of_cell(t, waits[r]);
        cycle++;
    } while (r != first);
    pp_fault scratch;
    fault = at_cell(t, stands[lowest], PP_ERR_DEADLOCK, fault, &scratch);
    awaits(t, waits[lowest], fault);
    fault->cycle = cycle;
    return PP_ERR_DEADLOCK;
}

int32_t pp_table_simulate(const pp_table *t, const pp_schedule *s, const double *costs, int32_t transfer,
                          int32_t receive, void *scratch, pp_timeline *line, int32_t *blocked, pp_fault *fault) {
    line->arrive = line->gathered = NULL; /* sends and receives say when messages are there */
    size_t n = (size_t)s->action_count, ranks = (size_t)s->ranks;
    walk w = {.t = t, .s = s, .costs = costs, .line = line, .transfer = transfer, .receive = receive};
    w.arrival = scratch;
    w.clock = w.arrival + n;
    w.ref = (int32_t *)(w.clock + ranks);
    w.send = w.ref + t->cell_count;
    w.recv = w.send + n;
    w.head = w.recv + n;
    int32_t *stands = w.head + ranks, *waits = stands + ranks, *f = waits + 2 * ranks, *b = f + cells_of(s);
    int32_t status = resolve(&w, f, b, fault), moved = 1, left = 0;
    if (status == PP_OK) status = check_transfers(&w, fault);
    if (status != PP_OK) return status;
    line->transfer = transfer;
    for (size_t i = 0; i < n; i++) w.arrival[i] = -1;
    for (size_t r = 0; r < ranks; r++) {
        w.clock[r] = 0;
        w.head[r] = t->row_begin[r];
    }
    for (int up = 1; moved || !up; up = !up) {
        if (up) moved = 0;
        for (int32_t k = 0; k < s->ranks; k++) {
            int32_t r = up ? k : s->ranks - 1 - k;
            while (w.head[r] < t->row_begin[r + 1] && run_head(&w, r) < 0) moved = 1;
        }
    }
    for (int32_t r = 0; r < s->ranks; r++) left |= w.head[r] < t->row_begin[r + 1];
    if (left) {
        status = refuse_deadlock(&w, stands, waits, fault);
        if (blocked != NULL) memcpy(blocked, stands, ranks * sizeof *blocked);
        return status;
    }
    for (size_t r = 0; r < ranks; r++) {
        pp_fault unseen;
        if (isfinite(w.clock[r])) continue;
        pp_fault_start(fault, &unseen, PP_ERR_OVERFLOW);
        return PP_ERR_OVERFLOW;
    }
    return PP_OK;
}
