/* Times. pp_check left the actions in an order in which each comes after all it waits for, so one pass suffices and no
 * event queue is needed: an action starts at the later of "its rank is free" and "its input has arrived". */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/fault.h"
#include "time/events.h"
#include "time/timeline.h"

static double plain_cost(const pp_schedule *s, const double *costs, const pp_action *a) {
    return costs[pp_op_cost_row(a->op) * s->stages + a->stage] * pp_factor(s, a->stage, a->microbatch);
}

/* A slot of F and B: as given for the forward's stage, but no shorter than either half, whose stages may differ; else
 * the sum (no gain from running them together). */
double pp_slot_cost(const pp_schedule *s, const double *costs, const pp_action *a) {
    const pp_action *forward = a[0].op == PP_F ? &a[0] : &a[1];
    double given =
        costs[PP_COST_OVERLAP * s->stages + forward->stage] * pp_factor(s, forward->stage, forward->microbatch);
    double x = plain_cost(s, costs, &a[0]), y = plain_cost(s, costs, &a[1]);
    if (given < 0) return x + y;
    return given > x && given > y ? given : x > y ? x : y;
}

double pp_cost_of(const pp_schedule *s, const double *costs, int32_t i) {
    const pp_action *a = &s->actions[i];
    if (a->fused) return pp_slot_cost(s, costs, a);
    if (i > 0 && a[-1].fused) return pp_slot_cost(s, costs, a - 1);
    return plain_cost(s, costs, a);
}

/* Latency of the hop between two neighbouring stages for one unit; 0 on one rank. */
static double hop(const pp_schedule *s, const double *costs, int32_t from, int32_t to, int32_t unit) {
    if (pp_rank_of(s, from, unit) == pp_rank_of(s, to, unit)) return 0;
    return costs[PP_COST_LATENCY * s->stages + (from < to ? from : to)];
}

double pp_latency_of(const pp_schedule *s, const double *costs, const pp_timeline *line, int32_t i) {
    const int32_t x = line->input[i];
    if (x < 0) return 0;
    const pp_action *a = &s->actions[i];
    if (line->arrive != NULL && line->transfer >= 0 && pp_rank_of_action(s, x) != pp_rank_of_action(s, i))
        return line->arrive[x] - line->finish[x];
    return hop(s, costs, s->actions[line->input[i]].stage, a->stage, a->microbatch);
}

/* Ticks that the output of an action is on its way to another rank; 0 where nothing is sent. */
static double sending(const pp_schedule *s, const double *costs, const pp_action *a) {
    if (a->op == PP_F && a->stage < s->stages - 1) return hop(s, costs, a->stage, a->stage + 1, a->microbatch);
    if ((a->op == PP_B || a->op == PP_I) && a->stage > 0) return hop(s, costs, a->stage, a->stage - 1, a->microbatch);
    return 0;
}

/* The action of the slot that ends with action i whose message takes longer; the two of a fused slot go together. */
static int32_t longer_message(const pp_schedule *s, const double *costs, int32_t i) {
    int fused = i > 0 && s->actions[i - 1].fused;
    return fused && sending(s, costs, &s->actions[i - 1]) > sending(s, costs, &s->actions[i]) ? i - 1 : i;
}

double pp_occupied(const pp_schedule *s, const double *costs, int32_t i) {
    return sending(s, costs, &s->actions[longer_message(s, costs, i)]);
}

int32_t pp_sending_hop(const pp_schedule *s, const double *costs, int32_t i) {
    const pp_action *a = &s->actions[longer_message(s, costs, i)];
    if (sending(s, costs, a) == 0) return -1;
    return a->op == PP_F ? a->stage : a->stage - 1;
}

double pp_arrival(const pp_schedule *s, const double *costs, const pp_timeline *line, int32_t i) {
    const int32_t x = line->input[i];
    if (x >= 0 && line->arrive != NULL && line->transfer >= 0 && pp_rank_of_action(s, x) != pp_rank_of_action(s, i))
        return line->arrive[x];
    return x < 0 ? 0 : line->finish[line->input[i]] + pp_latency_of(s, costs, line, i);
}

static double later(double a, double b) { return a > b ? a : b; }

/* One pass over the runs pp_check found. sender: a rank is free only when its message has arrived. */
static void time_in_order(const pp_schedule *s, const double *costs, int sender, pp_timeline *line) {
    for (int32_t n = 0; n < line->run_count; n++) {
        uint32_t run = line->runs[n];
        int32_t i = pp_run_first(run), end = i + pp_run_length(run);
        double free = pp_run_opens(run) ? 0 : line->finish[i - 1] + (sender ? pp_occupied(s, costs, i - 1) : 0);
        for (; i < end; i++) {
            const pp_action *a = &s->actions[i];
            double start = later(free, pp_arrival(s, costs, line, i));
            if (a->fused) {
                start = later(start, pp_arrival(s, costs, line, i + 1));
                line->start[i] = start;
                line->finish[i] = start + pp_slot_cost(s, costs, a);
                i++;
                line->start[i] = start;
                line->finish[i] = line->finish[i - 1];
            } else {
                line->start[i] = start;
                line->finish[i] = start + plain_cost(s, costs, a);
            }
            free = line->finish[i] + (sender ? pp_occupied(s, costs, i) : 0);
        }
    }
}

/* The same where messages occupy nobody, with all that is fixed for the schedule looked up before the loop: this is what
 * runs when a cost is dragged and the order stands. Fused slots go through time_in_order. uneven: a constant, micro-batches
 * have factors. */
PP_INLINE void time_overlapped(const pp_schedule *s, const double *costs, pp_timeline *line, int uneven) {
    const int32_t stages = s->stages, *stage_rank = s->stage_rank, *inputs = line->input;
    const pp_action *actions = s->actions;
    const double *latency = costs + PP_COST_LATENCY * stages, *cost[PP_OP_COUNT];
    double *starts = line->start, *finishes = line->finish;
    const double *unit = uneven ? s->conditions->unit : NULL;
    const size_t stride = uneven ? (size_t)s->conditions->stride : 0;
    for (int32_t op = 0; op < PP_OP_COUNT; op++) cost[op] = costs + pp_op_cost_row(op) * stages;
    int slow = 0;
    for (int32_t stage = 0; stage < stages; stage++) slow |= latency[stage] != 0;
    for (int32_t n = 0; n < line->run_count; n++) {
        const uint32_t run = line->runs[n];
        int32_t i = pp_run_first(run);
        const int32_t end = i + pp_run_length(run);
        double free = pp_run_opens(run) ? 0 : finishes[i - 1];
        for (; i < end; i++) {
            const pp_action a = actions[i];
            const int32_t input = inputs[i], stage = a.stage;
            if (input >= 0) {
                double arrival = finishes[input];
                if (slow) {
                    const int32_t lower = a.op == PP_F ? stage - 1 : stage;
                    if (stage_rank[lower] != stage_rank[lower + 1]) arrival += latency[lower];
                }
                free = later(free, arrival);
            }
            starts[i] = free;
            free +=
                uneven ? cost[a.op][stage] * unit[(size_t)stage * stride + (size_t)a.microbatch] : cost[a.op][stage];
            finishes[i] = free;
        }
    }
}

/* ---- rendezvous ----
 * A message occupies both of its ranks from when both have come to it. Between two slots a rank sends what the slot
 * behind it made and then receives what the slot before it needs. A send and a receive with the same peer are posted
 * together (Megatron's send_forward_recv_backward), without which 1F1B would wait for itself; with different peers one
 * follows the other. Where these waits close a circle, blocking messages deadlock, and that is reported. */

/* The gap a rank stands in: which of the (at most two) messages out and in are not through, and when the others were. */
typedef struct gap {
    double sent[2]; /* per half of the slot behind: when its message was through; the slot's end if it has none */
    double through; /* end of everything so far */
    int32_t sends, receives; /* bits: first and second half of the slot */
} gap;

typedef struct rendezvous {
    const pp_schedule *s;
    const double *costs;
    pp_timeline *line;
    int32_t *taker; /* who takes an action's output, -1 for nobody */
    int32_t *head;
    gap *gaps;
} rendezvous;

static int32_t slot_of(const pp_schedule *s, int32_t i) { return i > 0 && s->actions[i - 1].fused ? i - 1 : i; }
static int32_t slot_last(const pp_schedule *s, int32_t i) { return s->actions[i].fused ? i + 1 : i; }

static int crosses(const pp_schedule *s, int32_t x, int32_t y) {
    return pp_rank_of_action(s, x) != pp_rank_of_action(s, y);
}

/* Opens the gap before rank r's next slot; `free` is when the slot behind it finished. */
static void gap_open(const rendezvous *v, int32_t r, double free) {
    const pp_schedule *s = v->s;
    int32_t i = v->head[r];
    gap *g = &v->gaps[r];
    *g = (gap){.sent = {free, free}, .through = free};
    if (i > s->rank_begin[r])
        for (int32_t x = slot_of(s, i - 1); x < i; x++)
            if (v->taker[x] >= 0 && crosses(s, x, v->taker[x])) g->sends |= 1 << (x - slot_of(s, i - 1));
    if (i >= s->rank_begin[r + 1]) return;
    for (int32_t y = i; y <= slot_last(s, i); y++) {
        int32_t x = v->line->input[y];
        if (x >= 0 && v->taker[x] == y) g->receives |= 1 << (y - i); /* a B behind a late R has it already */
    }
}

/* 1 if rank r has posted the receive from `peer`: what it sends to others is through; and since when. What it sends to that
 * same peer is posted together with the receive, whether it is through or not. */
static int posted(const rendezvous *v, int32_t r, int32_t peer, double *since) {
    const gap *g = &v->gaps[r];
    const int32_t at = v->head[r];
    *since = 0;
    if (at == v->s->rank_begin[r]) return 1;
    const int32_t first = slot_of(v->s, at - 1);
    *since = v->line->finish[at - 1];
    for (int32_t n = 0; first + n < at; n++) {
        const int32_t taker = v->taker[first + n];
        if (taker < 0 || pp_rank_of_action(v->s, taker) == peer) continue;
        if (g->sends >> n & 1) return 0;
        *since = later(*since, g->sent[n]);
    }
    return 1;
}

/* Receives what can be received in front of rank r's next slot; 1 if the slot can start. *waits: an action that has to
 * run before it can. */
static int receive(const rendezvous *v, int32_t r, int32_t *waits) {
    const pp_schedule *s = v->s;
    int32_t i = v->head[r];
    gap *g = &v->gaps[r];
    for (int32_t n = 0; n < 2; n++) {
        if (!(g->receives >> n & 1)) continue;
        int32_t y = i + n, x = v->line->input[y], from = pp_rank_of_action(s, x);
        if (x >= v->head[from]) {
            *waits = x;
            continue;
        }
        if (from == r) {
            g->receives &= ~(1 << n);
            continue; /* handed over on the same rank */
        }
        double ready;
        if (!posted(v, r, from, &ready)) continue;
        double end = later(v->line->finish[x], ready) + pp_latency_of(s, v->costs, v->line, y);
        g->receives &= ~(1 << n);
        g->through = later(g->through, end);
        gap *other = &v->gaps[from];
        const int32_t half = x - slot_of(s, v->head[from] - 1);
        other->sends &= ~(1 << half);
        other->sent[half] = end;
        other->through = later(other->through, end);
    }
    if (g->sends != 0) {
        int32_t first = slot_of(s, i - 1), z = v->taker[first + (g->sends & 1 ? 0 : 1)], to = pp_rank_of_action(s, z);
        *waits = slot_of(s, z) > v->head[to] ? slot_of(s, z) - 1 : z;
    }
    return g->sends == 0 && g->receives == 0;
}

/* Runs the slots of rank r that are ready; 1 if anything moved. */
static int run_rank(const rendezvous *v, int32_t r) {
    const pp_schedule *s = v->s;
    int moved = 0;
    int32_t waits;
    while (v->head[r] < s->rank_begin[r + 1]) {
        int32_t before = v->gaps[r].receives;
        int ready = receive(v, r, &waits);
        moved |= v->gaps[r].receives != before;
        if (!ready) break;
        int32_t i = v->head[r], last = slot_last(s, i);
        double start = v->gaps[r].through, finish = start + pp_cost_of(s, v->costs, i);
        for (; i <= last; i++) {
            v->line->start[i] = start;
            v->line->finish[i] = finish;
        }
        v->head[r] = i;
        gap_open(v, r, finish);
        moved = 1;
    }
    return moved;
}

static int32_t time_rendezvous(const pp_schedule *s, const double *costs, pp_timeline *line, pp_fault *fault) {
    /* The runs' memory serves for the takers meanwhile; the runs are made again at the end. */
    gap *gaps = (gap *)line->rank_scratch;
    int32_t *head = (int32_t *)(gaps + s->ranks), *taker = (int32_t *)line->runs, moved = 1, through = 1;
    rendezvous v = {s, costs, line, taker, head, gaps};
    for (int32_t i = 0; i < s->action_count; i++) taker[i] = -1;
    for (int32_t i = 0; i < s->action_count; i++) {
        int32_t x = line->input[i];
        if (x >= 0 && (taker[x] < 0 || i < taker[x])) taker[x] = i; /* a late R takes the gradient before its B does */
    }
    for (int32_t r = 0; r < s->ranks; r++) {
        head[r] = s->rank_begin[r];
        gap_open(&v, r, 0);
    }
    for (int up = 1; moved || !up; up = !up) {
        if (up) moved = 0;
        for (int32_t n = 0; n < s->ranks; n++) moved |= run_rank(&v, up ? n : s->ranks - 1 - n);
    }
    int32_t *stands = head + s->ranks, *waits = stands + s->ranks;
    for (int32_t r = 0; r < s->ranks; r++) {
        stands[r] = waits[r] = -1;
        if (head[r] >= s->rank_begin[r + 1]) continue;
        through = 0;
        stands[r] = head[r];
        receive(&v, r, &waits[r]);
    }
    if (!through) pp_fault_deadlock(s, stands, waits, fault);
    pp_order(s, line, head);
    return through ? PP_OK : PP_ERR_DEADLOCK;
}

int32_t pp_simulate(const pp_schedule *s, const double *costs, int32_t transfer, pp_timeline *line, pp_fault *fault) {
    pp_fault scratch;
    assert(line->action_count == s->action_count);
    line->transfer = transfer;
    const int32_t with = s->conditions != NULL ? s->conditions->with : 0;
    if (with & (PP_WITH_ROOM | PP_WITH_GATHER)) {
        const int32_t status = pp_time_events(s, costs, transfer, line, fault);
        if (status != PP_OK) return status;
    } else if (with & PP_WITH_LINKS) {
        pp_time_linked(s, costs, line);
    } else if (transfer == PP_TRANSFER_RENDEZVOUS) {
        int32_t status = time_rendezvous(s, costs, line, fault);
        if (status != PP_OK) return status;
    } else if (transfer == PP_TRANSFER_OVERLAP && s->pipes == 1 && !line->fused) {
        if (with & PP_WITH_UNITS)
            time_overlapped(s, costs, line, 1);
        else
            time_overlapped(s, costs, line, 0);
    } else {
        time_in_order(s, costs, transfer == PP_TRANSFER_SENDER, line);
    }
    for (int32_t r = 0; r < s->ranks; r++) {
        int32_t end = s->rank_begin[r + 1];
        if (end > s->rank_begin[r] && !isfinite(line->finish[end - 1])) {
            pp_fault_start(fault, &scratch, PP_ERR_OVERFLOW);
            return PP_ERR_OVERFLOW;
        }
    }
    return PP_OK;
}
