/* From when on transfers set the pace of a step.
 *
 * Let every hop take a + x b ticks (a, b per hop). The makespan T(x) is the longest of finitely many paths, each of which
 * is linear in x; so T is convex and made of straight pieces. A micro-batch alone meets each hop once, with a backward
 * twice, H(x) ticks in all, and a step may be longer by that in any case. Where T(x) rises above T + H(x), T without any
 * transfer, messages cost more than the way in and out: they have taken over. The difference is convex, so it is above 0
 * only from one point on, and that point is found from the right, as Newton would: the critical path at x is a straight
 * line that nowhere passes T; where it meets T + H(x) is a better x. Every step leaves a piece behind, so it ends, and the
 * result is as exact as the sums. */
#include <math.h>
#include <string.h>

#include "studies/studies.h"
#include "time/events.h"
#include "time/timeline.h"

typedef struct study {
    const pp_schedule *s;
    double *costs;      /* a copy, whose hops are changed */
    const double *size; /* what of a hop keeps its link, at x = 1 */
    int32_t transfer;
    pp_timeline *line;
    pp_fault *fault;
} study;

/* Row a or b of hop times. */
typedef struct hops {
    const double *plus, *minus; /* plus - minus; NULL is 0, both NULL a tick per hop */
} hops;

static double hop_of(hops h, int32_t stage) {
    if (h.plus == NULL && h.minus == NULL) return 1;
    return (h.plus != NULL ? h.plus[stage] : 0) - (h.minus != NULL ? h.minus[stage] : 0);
}

static int32_t time_hops(study *q, hops a, hops b, double x, double *ticks) {
    double *row = q->costs + PP_COST_LATENCY * (size_t)q->s->stages;
    double *size = q->costs + PP_COST_SIZE * (size_t)q->s->stages;
    for (int32_t stage = 0; stage < q->s->stages; stage++)
        row[stage] = hop_of(a, stage) + (x > 0 ? x * hop_of(b, stage) : 0);
    for (int32_t stage = 0; stage < q->s->stages; stage++) size[stage] = x > 0 ? x * q->size[stage] : 0;
    int32_t status = pp_simulate(q->s, q->costs, q->transfer, q->line, q->fault);
    if (status == PP_OK) *ticks = q->line->finish[pp_last_action(q->s, q->line)];
    return status;
}

/* The lower stage of the hop that lies between action i and the one that binds it; -1 if there is none. */
static int32_t hop_between(const study *q, int32_t before, int32_t i) {
    const pp_schedule *s = q->s;
    if (pp_rank_of_action(s, before) != pp_rank_of_action(s, i)) {
        int32_t slot = i > 0 && s->actions[i - 1].fused ? i - 1 : i;
        if (q->line->input[slot] != before) slot++;
        int32_t from = s->actions[before].stage, to = s->actions[slot].stage;
        return from < to ? from : to;
    }
    return q->line->finish[before] < q->line->start[i] ? pp_sending_hop(s, q->costs, before) : -1;
}

/* The message that kept the link which that of action x came to; -1: it went at once. */
static int32_t link_kept_by(const study *q, int32_t x) {
    const pp_schedule *s = q->s;
    const int32_t link = pp_link_of(s, x), hop = s->actions[x].stage - (s->actions[x].op != PP_F);
    if (link < 0 || q->line->arrive == NULL) return -1;
    const double began = q->line->arrive[x] - q->costs[PP_COST_LATENCY * s->stages + hop];
    if (began <= q->line->finish[x] * (1 + 1e-12)) return -1;
    for (int32_t i = x - 1; i >= s->rank_begin[pp_rank_of_action(s, x)]; i--)
        if (pp_link_of(s, i) == link) return i;
    return -1;
}

/* The critical path as a line fixed + x slope. */
static void path_line(const study *q, hops a, hops b, double *fixed, double *slope) {
    *fixed = *slope = 0;
    for (int32_t i = pp_last_action(q->s, q->line), before; i >= 0; i = before) {
        *fixed += pp_cost_of(q->s, q->costs, i);
        before = pp_bound_by(q->s, q->costs, q->line, i);
        int32_t hop = before >= 0 ? hop_between(q, before, i) : -1;
        if (hop < 0) continue;
        *fixed += hop_of(a, hop);
        *slope += hop_of(b, hop);
        for (int32_t kept; (kept = link_kept_by(q, before)) >= 0; before = kept)
            *slope += q->size[q->s->actions[kept].stage - (q->s->actions[kept].op != PP_F)];
    }
}

/* What a micro-batch alone meets, on the pipe where it meets most. */
static double through(const pp_schedule *s, hops h) {
    double most = 0;
    for (int32_t pipe = 0; pipe < s->pipes; pipe++) {
        const int32_t *rank = s->stage_rank + pipe * s->stages;
        double sum = 0;
        for (int32_t stage = 0; stage + 1 < s->stages; stage++)
            if (rank[stage] != rank[stage + 1]) sum += hop_of(h, stage);
        if (sum > most) most = sum;
    }
    return s->trains ? 2 * most : most;
}

/* Least x from which on T(x) is above free + through(a) + x through(b). */
static int32_t find(study *q, hops a, hops b, double free, double *x) {
    const double base = free + through(q->s, a), rise = through(q->s, b);
    double ticks, fixed, slope, largest = 0;
    *x = INFINITY;
    int32_t status = time_hops(q, a, b, 0, &ticks);
    if (status != PP_OK || rise <= 0) return status;
    if (ticks > base * (1 + 1e-12)) {
        *x = 0;
        return PP_OK;
    }
    for (int32_t stage = 0; stage + 1 < q->s->stages; stage++)
        if (hop_of(b, stage) > largest) largest = hop_of(b, stage);
    for (double at = 1048576 * (base + 1) / largest;;) { /* far beyond: one hop is longer than a million steps */
        status = time_hops(q, a, b, at, &ticks);
        if (status != PP_OK) return status;
        path_line(q, a, b, &fixed, &slope);
        if (fixed + at * slope <= (base + at * rise) * (1 + 1e-12) || slope <= rise) return PP_OK;
        double next = (base - fixed) / (slope - rise);
        if (next < 0) next = 0;
        if (!(next < at)) return PP_OK;
        *x = at = next;
        if (next == 0) return PP_OK;
    }
}

int32_t pp_takeover_find(const pp_schedule *schedule, const double *costs, int32_t transfer, double *scratch,
                         pp_timeline *timeline, pp_takeover *out, pp_fault *fault) {
    const size_t n = (size_t)schedule->stages;
    const double *latency = costs + PP_COST_LATENCY * n, *size = costs + PP_COST_SIZE * n;
    const hops none = {latency, latency}, all = {latency, NULL}, fixed = {latency, size}, sized = {size, NULL};
    const int32_t with = schedule->conditions != NULL ? schedule->conditions->with : 0;
    const int unknown = transfer == PP_TRANSFER_RENDEZVOUS || (with & (PP_WITH_ROOM | PP_WITH_GATHER)) != 0;
    study q = {schedule, scratch, size, transfer, timeline, fault};
    hops present = all;
    memcpy(scratch, costs, PP_COST_ROWS * n * sizeof(double));
    *out = (pp_takeover){.through = through(schedule, all), .bandwidth_factor = NAN};
    if (out->through == 0) present = (hops){NULL, NULL};
    int32_t status = time_hops(&q, none, none, 0, &out->free_makespan);
    if (status == PP_OK && unknown) {
        out->factor = out->latency = out->makespan = NAN;
    } else if (status == PP_OK) {
        status = find(&q, none, present, out->free_makespan, &out->factor);
        for (size_t s = 0; s + 1 < n; s++) {
            double hop = out->factor * hop_of(present, (int32_t)s);
            if (hop > out->latency) out->latency = hop;
        }
        out->makespan = out->free_makespan + out->factor * through(schedule, present);
        if (status == PP_OK && through(schedule, sized) > 0)
            status = find(&q, fixed, sized, out->free_makespan, &out->bandwidth_factor);
    }
    if (status != PP_OK) return status;
    return pp_simulate(schedule, costs, transfer, timeline, fault);
}
