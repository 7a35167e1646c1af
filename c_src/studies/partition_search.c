/* The cut with the least makespan. First the best one is looked for: a layer is taken from one stage and given to another,
 * any other, and those in between pass layers on, as long as that makes the step shorter; then some layers are moved by
 * chance and it begins again. What ranks have to do in all follows from that by itself, however many stages they have.
 *
 * Then all cuts are gone through, depth first over the boundaries, but for those of which a bound shows that they cannot be
 * better. The actions of stage s on one rank come after the forwards of the stages before it and, where the backward is not
 * split, before their backwards, and they run one after another (`load` ticks per unit of cost). The same holds for all
 * stages of a rank together. And what is left to be cut must find room in what is left of the ranks' time.
 *
 * An order that depends on the costs is made anew for each cut that is tried; there are too many of those to go through
 * all cuts. */
#include <assert.h>
#include <string.h>

#include "request/partition.h"
#include "schedules/schedule.h"
#include "studies/studies.h"
#include "time/timeline.h"

/* Fewer cuts than this are gone through at once. */
static const double few_cuts = 1e4;

/* Limits: simulated actions while the best cut is looked for, and in all; looks at a stage; orders made anew. */
static const int64_t local_actions = INT64_C(1) << 24, most_actions = INT64_C(1) << 26, most_looks = INT64_C(1) << 23;
enum { MOST_ORDERS = 24, KICKS = 40, MOVES_A_KICK = 3 };

typedef struct search {
    pp_cut *p;
    pp_schedule *s;
    const pp_config *config;
    double *costs;
    pp_timeline *line;
    pp_fault *fault;
    int32_t anew;      /* 1: the order depends on the costs */
    int32_t by_rank;   /* 1: each stage is on one rank, and its cost per unit is load */
    double least_load; /* per unit of cost, of the free stages */
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

/* What a stage of one layer would take for so many actions of each op, per unit of the layer's cost; layer -1: for what
 * the stage has beside layers. */
static double ticks_of(const pp_cut *p, const int32_t *count, int32_t stage, int32_t layer) {
    static const int32_t rows[3] = {PP_COST_FORWARD, PP_COST_INPUT, PP_COST_WEIGHT};
    const double *unit = p->unit + stage;
    double cost[3], again = unit[PP_COST_RECOMPUTE * p->stages];
    for (int32_t i = 0; i < 3; i++) {
        cost[i] = unit[rows[i] * p->stages];
        if (layer >= 0 && p->own[i] != NULL) cost[i] = p->own[i][layer] / p->layer[layer];
    }
    if (again == unit[PP_COST_FORWARD * p->stages]) again = cost[0];
    return count[PP_F] * cost[0] + count[PP_B] * (cost[1] + cost[2]) + count[PP_I] * cost[1] + count[PP_W] * cost[2] +
           count[PP_R] * again;
}

/* The least of it, whatever layers the stage gets. */
static double least_ticks(const pp_cut *p, const int32_t *count, int32_t stage) {
    double least = ticks_of(p, count, stage, -1);
    if (p->own[0] == NULL && p->own[1] == NULL && p->own[2] == NULL) return least;
    if (!(stage == p->embedding_stage && p->embedding > 0) && !(stage == p->head_stage && p->head > 0)) least = -1;
    for (int32_t i = 0; i < p->layers; i++) {
        if (p->layer[i] <= 0) continue;
        double ticks = ticks_of(p, count, stage, i);
        if (least < 0 || ticks < least) least = ticks;
    }
    return least < 0 ? 0 : least;
}

/* How often a stage runs each op for one pipe. Of a slot whose length is given, only the forward counts: the slot is no
 * shorter. */
static void count_ops(const search *q, int32_t pipe, int32_t stage, int32_t *count, int32_t *backward) {
    const pp_schedule *s = q->s;
    memset(count, 0, PP_OP_COUNT * sizeof *count);
    for (int32_t i = 0; i < s->action_count; i++) {
        const pp_action *a = &s->actions[i];
        if (a->stage != stage || (s->unit_pipe != NULL && s->unit_pipe[a->microbatch] != pipe)) continue;
        int fused = a->fused || (i > 0 && a[-1].fused);
        int given = fused && q->p->unit[PP_COST_OVERLAP * q->p->stages + a->stage] >= 0;
        if (a->op == PP_W || given) *backward = 0;
        if (!given || a->op == PP_F) count[a->op]++;
    }
}

/* What each stage gives its busiest rank to do, per unit of its cost, and what passes through it before and after. */
static void find_loads(search *q) {
    pp_cut *p = q->p;
    int32_t count[PP_OP_COUNT], backward = q->s->trains;
    for (int32_t stage = 0; stage < p->stages; stage++) {
        p->load[stage] = 0;
        for (int32_t pipe = 0; pipe < q->s->pipes; pipe++) {
            count_ops(q, pipe, stage, count, &backward);
            double load = least_ticks(p, count, stage);
            if (load > p->load[stage]) p->load[stage] = load;
        }
    }
    const int32_t once[PP_OP_COUNT] = {[PP_F] = 1, [PP_B] = backward};
    for (int32_t stage = 0; stage < p->stages; stage++) p->pass[stage] = least_ticks(p, once, stage);
    q->by_rank = q->s->pipes == 1;
    q->least_load = p->load[p->first];
    for (int32_t stage = p->first; stage < p->last; stage++)
        if (p->load[stage] < q->least_load) q->least_load = p->load[stage];
}

/* Times the cut at `at`, whose stage costs stand in p->stage. */
static int32_t try_cut(search *q, const int32_t *at, double *ticks) {
    pp_cut *p = q->p;
    int32_t status = PP_OK;
    pp_cut_apply(p, at, q->costs);
    if (q->anew) {
        status = pp_schedule_make(q->config, q->costs, q->s, pp_schedule_bytes(q->config), q->fault);
        if (status == PP_OK) status = pp_check(q->s, q->line, pp_timeline_bytes(q->s), NULL, q->fault);
    }
    if (status == PP_OK) status = pp_simulate(q->s, q->costs, q->config->transfer, q->line, q->fault);
    p->cases++;
    *ticks = makespan(q);
    return status;
}

/* ---- one layer at a time ---- */

/* Takes a layer from stage a and gives one to stage b; the stages between them pass it on. */
static void shift(int32_t *at, int32_t a, int32_t b) {
    for (int32_t s = a + 1; s <= b; s++) at[s]--;
    for (int32_t s = b + 1; s <= a; s++) at[s]++;
}

static int32_t try_places(search *q, const int32_t *at, double *ticks) {
    pp_cut *p = q->p;
    for (int32_t s = 0; s < p->stages; s++) p->stage[s] = pp_cut_cost(p, s, at[s], at[s + 1]);
    return try_cut(q, at, ticks);
}

static int spent(const search *q) {
    return q->anew ? q->p->cases >= MOST_ORDERS : (int64_t)q->p->cases * q->s->action_count > local_actions;
}

/* From the cut in `at`, which takes *ticks, to one that no single move makes better. */
static int32_t descend(search *q, int32_t *at, double *ticks) {
    const pp_cut *p = q->p;
    for (int32_t better = 1; better && !spent(q);) {
        int32_t from = -1, to = -1;
        better = 0;
        for (int32_t a = p->first; a < p->last; a++) {
            for (int32_t b = p->first; b < p->last; b++) {
                double tried;
                if (a == b || at[a + 1] - at[a] < 2 || spent(q)) continue;
                shift(at, a, b);
                int32_t status = try_places(q, at, &tried);
                shift(at, b, a);
                if (status != PP_OK) return status;
                if (tried >= *ticks * (1 - 1e-12)) continue;
                *ticks = tried;
                from = a;
                to = b;
                better = 1;
            }
        }
        if (better) shift(at, from, to);
    }
    return PP_OK;
}

static void keep(search *q, const int32_t *at, double ticks) {
    pp_cut *p = q->p;
    if (ticks >= q->best * (1 - 1e-12)) return;
    q->best = ticks;
    memcpy(p->at, at, ((size_t)p->stages + 1) * sizeof(int32_t));
}

static int32_t look_around(search *q) {
    pp_cut *p = q->p;
    int32_t *at = p->spare, free = p->last - p->first;
    uint32_t chance = 1;
    for (int32_t kick = 0; kick <= KICKS && !spent(q); kick++) {
        double ticks = q->best;
        int32_t status = PP_OK;
        memcpy(at, p->at, ((size_t)p->stages + 1) * sizeof(int32_t));
        for (int32_t n = 0; n < MOVES_A_KICK && kick > 0; n++) {
            chance = chance * 1664525u + 1013904223u;
            int32_t a = p->first + (int32_t)((chance >> 8) % (uint32_t)free);
            chance = chance * 1664525u + 1013904223u;
            int32_t b = p->first + (int32_t)((chance >> 8) % (uint32_t)free);
            if (a != b && at[a + 1] - at[a] >= 2) shift(at, a, b);
        }
        if (kick > 0) status = try_places(q, at, &ticks);
        if (status == PP_OK) status = descend(q, at, &ticks);
        if (status != PP_OK) return status;
        keep(q, at, ticks);
    }
    return PP_OK;
}

/* ---- all cuts ---- */

static double passing(const search *q, int32_t stage) { return q->p->pass[stage] * q->p->stage[stage]; }

/* Can the step be shorter than `enough`? Stages up to d are cut. before: ticks before and after stage d. */
static int may_be_better(const search *q, int32_t d, double enough) {
    const pp_cut *p = q->p;
    const double own = p->load[d] * p->stage[d];
    if (p->before[d] + own >= enough) return 0;
    if (!q->by_rank) return 1;
    /* the ranks' time from before their first stage on; of ranks without a stage yet, all after stage d */
    const int32_t *rank = q->s->stage_rank;
    double room = 0, rest = p->left[d] - p->stage[d];
    for (int32_t r = 0; r < q->s->ranks; r++) p->held[r] = enough - p->before[d] - passing(q, d);
    for (int32_t s = d; s >= 0; s--) p->held[rank[s]] = enough - p->before[s];
    for (int32_t s = 0; s <= d; s++) p->held[rank[s]] -= p->load[s] * p->stage[s];
    for (int32_t s = p->last; s < p->stages; s++) p->held[rank[s]] -= p->load[s] * p->stage[s];
    for (int32_t r = 0; r < q->s->ranks; r++) {
        if (p->held[r] < 0) return 0;
        room += p->held[r];
    }
    return q->least_load * rest <= room * (1 + 1e-12);
}

/* Layers from the first free stage's first to the last free stage's last: all cuts but those that cannot be better. */
static int32_t walk(search *q) {
    pp_cut *p = q->p;
    int32_t *at = p->spare, first = p->first, last = p->last, end = p->at[last], d = first;
    int64_t looks = 0;
    double ticks;
    memcpy(at, p->at, ((size_t)p->stages + 1) * sizeof(int32_t));
    for (int32_t s = 0; s < p->stages; s++) p->stage[s] = pp_cut_cost(p, s, at[s], at[s + 1]);
    p->before[0] = 0;
    for (int32_t s = 0; s < first; s++) p->before[s + 1] = p->before[s] + passing(q, s);
    p->left[first] = 0; /* cost from this stage on; before: ticks before it can begin and after it has ended */
    for (int32_t s = first; s < last; s++) p->left[first] += p->stage[s];
    for (int32_t s = first - 1; s >= 0; s--) p->left[s] = p->left[s + 1] + p->stage[s];
    at[d + 1] = at[d];
    while (d >= first) {
        int32_t after = last - 1 - d; /* free stages behind this one */
        if (++looks > most_looks || (int64_t)p->cases * q->s->action_count > most_actions) {
            p->proved = 0;
            break;
        }
        const double enough = q->best * (1 - 1e-12); /* sums in another order differ by less */
        if (after == 0) {
            p->stage[d] = pp_cut_cost(p, d, at[d], end);
            if (may_be_better(q, d, enough)) {
                int32_t status = try_cut(q, at, &ticks);
                if (status != PP_OK) return status;
                if (ticks < enough) {
                    q->best = ticks;
                    memcpy(p->at + first + 1, at + first + 1, (size_t)(last - first - 1) * sizeof(int32_t));
                }
            }
            d--;
            continue;
        }
        if (at[d + 1] == at[d]) p->stage[d] = pp_cut_cost(p, d, at[d], at[d]);
        if (at[d + 1] >= end - after) {
            d--;
            continue;
        }
        p->stage[d] += p->layer[at[d + 1]++];
        if (p->before[d] + p->load[d] * p->stage[d] >= enough) {
            d--; /* with more layers it only grows */
            continue;
        }
        if (!may_be_better(q, d, enough)) continue;
        p->left[d + 1] = p->left[d] - p->stage[d];
        p->before[d + 1] = p->before[d] + passing(q, d);
        if (p->before[d + 1] + q->least_load * (p->left[d + 1] / after) >= enough) continue;
        d++;
        if (d < last - 1) at[d + 1] = at[d];
    }
    return PP_OK;
}

/* Ways to cut what is free. */
static double count_cuts(const pp_cut *p) {
    double cuts = 1, layers = p->at[p->last] - p->at[p->first], stages = p->last - p->first;
    for (int32_t i = 1; i < stages; i++) cuts *= (layers - i) / i;
    return cuts;
}

int32_t pp_partition_search(pp_schedule *schedule, const pp_config *config, double *costs, pp_timeline *timeline,
                            pp_fault *fault) {
    if (config->layers == 0 || config->partition != PP_PARTITION_MAKESPAN) return PP_OK;
    pp_cut *p = pp_cut_at(costs, config);
    search q = {.p = p,
                .s = schedule,
                .config = config,
                .costs = costs,
                .line = timeline,
                .fault = fault,
                .anew = schedule->schedule >= 0 && pp_schedule_by_costs(schedule->schedule)};
    assert(schedule->stages == p->stages);
    p->cases = 0;
    p->proved = 1;
    pp_cut_settle(p, costs);
    int32_t status = try_cut(&q, p->at, &q.best);
    if (status == PP_OK && p->last - p->first > 1) {
        find_loads(&q);
        if (q.anew || count_cuts(p) > few_cuts) status = look_around(&q);
        if (q.anew)
            p->proved = 0;
        else if (status == PP_OK)
            status = walk(&q);
    }
    if (config->with & PP_WITH_UNITS) p->proved = 0; /* the bounds speak of micro-batches that are alike */
    if (status != PP_OK) return status;
    for (int32_t s = 0; s < p->stages; s++) p->stage[s] = pp_cut_cost(p, s, p->at[s], p->at[s + 1]);
    p->cases--; /* the best once more */
    return try_cut(&q, p->at, &q.best);
}
