/* The cut with the least makespan, found by timing cuts.
 *
 * Depth first over the boundaries. A choice is given up when a bound shows that nothing better can follow: the actions of
 * stage s on one rank come after the forwards of the stages before it and, where the backward is not split, before their
 * backwards, and they run one after another (`load` ticks per unit of cost); and of the stages still to be cut one costs at
 * least an even share of what is left. */
#include <assert.h>
#include <string.h>

#include "request/partition.h"
#include "studies/studies.h"
#include "time/timeline.h"

/* Limits of the search for the least makespan. */
static const int64_t search_actions = INT64_C(1) << 24, search_looks = INT64_C(1) << 22;

typedef struct search {
    pp_cut *p;
    const pp_schedule *s;
    double *costs;
    int32_t transfer;
    pp_timeline *line;
    pp_fault *fault;
    int32_t backward; /* 1: the backwards of the stages before count */
    double least_load;
    double best;
} search;

static double makespan(const search *q) {
    double first = 0, last = 0;
    int32_t any = 0;
    for (int32_t r = 0; r < q->s->ranks; r++) {
        int32_t begin = q->s->rank_begin[r], end = q->s->rank_begin[r + 1];
        if (begin == end) continue;
        if (!any || q->line->start[begin] < first) first = q->line->start[begin];
        if (!any || q->line->finish[end - 1] > last) last = q->line->finish[end - 1];
        any = 1;
    }
    return last - first;
}

static double unit_cost(const pp_cut *p, int32_t op, int32_t stage) {
    static const int32_t row[PP_OP_COUNT] = {[PP_F] = PP_COST_FORWARD,
                                             [PP_B] = PP_COST_BACKWARD,
                                             [PP_I] = PP_COST_INPUT,
                                             [PP_W] = PP_COST_WEIGHT,
                                             [PP_R] = PP_COST_RECOMPUTE};
    return p->unit[row[op] * p->stages + stage];
}

/* What each stage gives its busiest rank to do, per unit of its cost. Of a slot whose length is given, only the forward
 * counts: the slot is no shorter. */
static void find_loads(search *q) {
    pp_cut *p = q->p;
    const pp_schedule *s = q->s;
    q->backward = s->trains;
    for (int32_t stage = 0; stage < p->stages; stage++) p->load[stage] = 0;
    for (int32_t pipe = 0; pipe < s->pipes; pipe++) {
        for (int32_t stage = 0; stage < p->stages; stage++) p->before[stage] = 0;
        for (int32_t i = 0; i < s->action_count; i++) {
            const pp_action *a = &s->actions[i];
            if (s->unit_pipe != NULL && s->unit_pipe[a->microbatch] != pipe) continue;
            int fused = a->fused || (i > 0 && a[-1].fused);
            int given = fused && p->unit[PP_COST_OVERLAP * p->stages + a->stage] >= 0;
            if (a->op == PP_W || given) q->backward = 0;
            if (!given || a->op == PP_F) p->before[a->stage] += unit_cost(p, a->op, a->stage);
        }
        for (int32_t stage = 0; stage < p->stages; stage++)
            if (p->before[stage] > p->load[stage]) p->load[stage] = p->before[stage];
    }
    q->least_load = p->load[p->first];
    for (int32_t stage = p->first; stage < p->last; stage++)
        if (p->load[stage] < q->least_load) q->least_load = p->load[stage];
}

static double passing(const search *q, int32_t stage) {
    double ticks = unit_cost(q->p, PP_F, stage);
    if (q->backward) ticks += unit_cost(q->p, PP_B, stage);
    return ticks * q->p->stage[stage];
}

/* Times the cut whose stage costs stand in p->stage. */
static int32_t try_cut(search *q, double *ticks) {
    pp_cut_apply(q->p, q->costs);
    int32_t status = pp_simulate(q->s, q->costs, q->transfer, q->line, q->fault);
    q->p->cases++;
    *ticks = makespan(q);
    return status;
}

/* Layers from the first free stage's first to the last free stage's last: all cuts but those that cannot be better. */
static int32_t walk(search *q) {
    pp_cut *p = q->p;
    int32_t *at = p->spare, first = p->first, last = p->last, end = p->at[last], d = first;
    int64_t looks = 0;
    double ticks;
    memcpy(at, p->at, ((size_t)p->stages + 1) * sizeof(int32_t));
    p->left[first] = p->before[first] =
        0; /* cost from this stage on; ticks before it can begin and after it has ended */
    for (int32_t s = first; s < last; s++) p->left[first] += p->stage[s];
    for (int32_t s = 0; s < first; s++) p->before[first] += passing(q, s);
    at[d + 1] = at[d];
    while (d >= first) {
        int32_t after = last - 1 - d; /* free stages behind this one */
        if (++looks > search_looks || (int64_t)p->cases * q->s->action_count > search_actions) {
            p->proved = 0;
            break;
        }
        const double enough = q->best * (1 - 1e-12); /* sums in another order differ by less */
        if (after == 0) {
            p->stage[d] = pp_cut_cost(p, d, at[d], end);
            if (p->before[d] + p->load[d] * p->stage[d] < enough) {
                int32_t status = try_cut(q, &ticks);
                if (status != PP_OK) return status;
                if (ticks < enough) {
                    q->best = ticks;
                    memcpy(p->at + first + 1, at + first + 1, (size_t)(last - first - 1) * sizeof(int32_t));
                }
            }
            d--;
            continue;
        }
        if (at[d + 1] == at[d]) p->stage[d] = pp_cut_extra(p, d);
        if (at[d + 1] >= end - after) {
            d--;
            continue;
        }
        p->stage[d] += p->layer[at[d + 1]++];
        if (p->before[d] + p->load[d] * p->stage[d] >= enough) {
            d--; /* with more layers it only grows */
            continue;
        }
        p->left[d + 1] = p->left[d] - p->stage[d];
        p->before[d + 1] = p->before[d] + passing(q, d);
        if (p->before[d + 1] + q->least_load * (p->left[d + 1] / after) >= enough) continue;
        d++;
        if (d < last - 1) at[d + 1] = at[d];
    }
    return PP_OK;
}

int32_t pp_partition_search(const pp_schedule *schedule, const pp_config *config, double *costs, pp_timeline *timeline,
                            pp_fault *fault) {
    if (config->layers == 0 || config->partition != PP_PARTITION_MAKESPAN) return PP_OK;
    pp_cut *p = (pp_cut *)(costs + PP_COST_ROWS * (size_t)config->stages);
    search q = {.p = p, .s = schedule, .costs = costs, .transfer = config->transfer, .line = timeline, .fault = fault};
    assert(schedule->stages == p->stages);
    p->cases = 0;
    p->proved = 1;
    pp_cut_settle(p, costs);
    int32_t status = try_cut(&q, &q.best);
    if (status == PP_OK && p->last - p->first > 1) {
        find_loads(&q);
        status = walk(&q);
    }
    if (status != PP_OK) return status;
    pp_cut_settle(p, costs);
    return pp_simulate(schedule, costs, config->transfer, timeline, fault);
}
