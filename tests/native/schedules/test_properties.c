/* Random requests, and what must hold of every one that is accepted. How many is the first argument, the seed the
 * second; npm run fuzz asks for a million. The times are held against a second simulator written here from the rules. */
#include <math.h>
#include <stdio.h>

#include "check.h"
#include "plan.h"
#include "random_request.h"

/* ---- a second simulator, by the rules of the header and not by the code of the library ---- */

typedef struct slow {
    const plan *p;
    double *f, *b; /* finish of F and of B or I per stage and unit */
    int32_t units;
} slow;

static double slow_ready(const slow *t, const pp_action *a, double *own) {
    const pp_schedule *s = t->p->schedule;
    const double *latency = t->p->costs + PP_COST_LATENCY * s->stages;
    int32_t pipe = s->unit_pipe ? s->unit_pipe[a->microbatch] : 0, *rank = s->stage_rank + pipe * s->stages;
    int32_t here = a->stage * t->units + a->microbatch;
    *own = 0;
    if (a->op != PP_F) *own = a->op == PP_W ? t->b[here] : t->f[here];
    if (a->op == PP_F && a->stage > 0)
        return t->f[here - t->units] + (rank[a->stage - 1] != rank[a->stage] ? latency[a->stage - 1] : 0);
    int backward = a->op == PP_B || a->op == PP_I || (a->op == PP_R && s->recompute == PP_RECOMPUTE_LATE);
    if (backward && a->stage < s->stages - 1)
        return t->b[here + t->units] + (rank[a->stage + 1] != rank[a->stage] ? latency[a->stage] : 0);
    return 0;
}

static double slow_cost(const plan *p, const pp_action *a) {
    static const int32_t rows[] = {PP_COST_FORWARD, PP_COST_BACKWARD, PP_COST_INPUT, PP_COST_WEIGHT, PP_COST_RECOMPUTE};
    return p->costs[rows[a->op] * p->schedule->stages + a->stage];
}

/* Each action starts exactly when its rank is free and its input has arrived, after all it needs. */
static void against_slow(const plan *p, const char *text) {
    const pp_schedule *s = p->schedule;
    slow t = {.p = p, .units = s->microbatches * s->slices};
    size_t cells = (size_t)s->stages * (size_t)t.units;
    t.f = malloc(2 * cells * sizeof(double));
    t.b = t.f + cells;
    for (size_t i = 0; i < 2 * cells; i++) t.f[i] = INFINITY;
    for (int32_t i = 0; i < s->action_count; i++) {
        const pp_action *a = &s->actions[i];
        size_t here = (size_t)a->stage * (size_t)t.units + (size_t)a->microbatch;
        if (a->op == PP_F) t.f[here] = p->timeline->finish[i];
        if (a->op == PP_B || a->op == PP_I) t.b[here] = p->timeline->finish[i];
    }
    for (int32_t r = 0; r < s->ranks; r++) {
        double free = 0;
        int32_t held = 0;
        for (int32_t i = s->rank_begin[r]; i < s->rank_begin[r + 1];) {
            int32_t last = s->actions[i].fused ? i + 1 : i;
            double want = free, cost = 0, own;
            for (int32_t j = i; j <= last; j++) {
                const pp_action *a = &s->actions[j];
                double ready = slow_ready(&t, a, &own);
                if (ready > want) want = ready;
                CHECK_MSG(own <= p->timeline->start[i], "%s: action %d before what it needs", text, j);
                cost += slow_cost(p, a);
                held += (a->op == PP_F) - (a->op == PP_B || a->op == PP_W);
            }
            double given = p->costs[PP_COST_OVERLAP * s->stages + s->actions[i].stage];
            if (last > i && given >= 0) cost = given;
            CHECK_MSG(p->timeline->start[i] == want, "%s: action %d at %g, wanted %g", text, i, p->timeline->start[i],
                      want);
            CHECK_MSG(p->timeline->finish[last] == want + cost, "%s: action %d", text, i);
            free = p->timeline->finish[last];
            i = last + 1;
        }
        if (s->trains) CHECK_MSG(held == 0, "%s: rank %d still holds %d", text, r, held);
    }
    free(t.f);
}

static void same_times(const plan *a, const plan *b, const int32_t *at, double factor, const char *text) {
    for (int32_t i = 0; i < a->schedule->action_count; i++)
        CHECK_MSG(b->timeline->start[at ? at[i] : i] == factor * a->timeline->start[i], "%s: action %d", text, i);
}

/* Ranks numbered the other way round: the same times on the other ranks. */
static void relabelled(const plan *p, const char *text) {
    const pp_schedule *s = p->schedule;
    plan q = {.config = p->config};
    size_t bytes = pp_schedule_bytes(&p->config), costs = (size_t)pp_costs_bytes(&p->config);
    q.schedule = malloc(bytes);
    q.costs = malloc(costs);
    memcpy(q.costs, p->costs, costs);
    CHECK_EQ_INT(pp_schedule_make(&p->config, q.costs, q.schedule, bytes, NULL), PP_OK);
    int32_t *at = malloc(sizeof(int32_t) * (size_t)(s->action_count + 1)), next = 0;
    for (int32_t r = 0; r < s->ranks; r++) {
        int32_t from = s->ranks - 1 - r;
        q.schedule->rank_begin[r] = next;
        for (int32_t i = s->rank_begin[from]; i < s->rank_begin[from + 1]; i++) {
            at[i] = next;
            q.schedule->actions[next++] = s->actions[i];
        }
    }
    q.schedule->rank_begin[s->ranks] = next;
    for (int32_t i = 0; i < s->pipes * s->stages; i++) q.schedule->stage_rank[i] = s->ranks - 1 - s->stage_rank[i];
    CHECK_EQ_INT(plan_time(&q), PP_OK);
    same_times(p, &q, at, 1, text);
    CHECK(q.summary.makespan == p->summary.makespan && q.summary.idle == p->summary.idle);
    CHECK_EQ_DOUBLE(q.summary.lower_bound, p->summary.lower_bound);
    for (int32_t r = 0; r < s->ranks; r++)
        CHECK_EQ_DOUBLE(q.ranks[r].peak_activations, p->ranks[s->ranks - 1 - r].peak_activations);
    free(at);
    plan_free(&q);
}

/* All costs and latencies times four: all times times four, in the same order. */
static void scaled(plan *p, const char *text) {
    int32_t count = PP_COST_ROWS * p->schedule->stages;
    double *start = malloc(sizeof(double) * (size_t)p->schedule->action_count), before = p->summary.makespan;
    memcpy(start, p->timeline->start, sizeof(double) * (size_t)p->schedule->action_count);
    for (int32_t i = 0; i < count; i++) p->costs[i] *= 4;
    CHECK_EQ_INT(pp_simulate(p->schedule, p->costs, PP_TRANSFER_OVERLAP, p->timeline, &p->fault), PP_OK);
    for (int32_t i = 0; i < p->schedule->action_count; i++)
        CHECK_MSG(p->timeline->start[i] == 4 * start[i], "%s: action %d", text, i);
    CHECK(before >= 0);
    free(start);
}

/* The figures that the report finds in one walk, each by a walk of its own from what the timeline says. */
static void counted(const plan *p, const char *text) {
    const pp_schedule *s = p->schedule;
    const pp_timeline *line = p->timeline;
    double largest = 0, latency = 0, messages[2] = {0};
    for (int32_t k = 0; k < s->microbatches; k++) {
        double first = INFINITY, last = 0;
        for (int32_t i = 0; i < s->action_count; i++) {
            if (s->actions[i].op == PP_W || s->actions[i].microbatch / s->slices != k) continue;
            first = fmin(first, line->start[i]);
            last = fmax(last, line->finish[i]);
        }
        if (k == 0) latency = last - first;
        largest = fmax(largest, last - first);
    }
    CHECK_MSG(p->summary.latency_first == latency, "%s: latency %g for %g", text, p->summary.latency_first, latency);
    CHECK_MSG(p->summary.latency_largest == largest, "%s: largest latency", text);
    int32_t peak = 0;
    for (int32_t r = 0; r < s->ranks; r++) {
        int32_t held = 0, most = 0, warmup = 0, seen = 0;
        double busy = 0;
        for (int32_t i = s->rank_begin[r]; i < s->rank_begin[r + 1]; i++) {
            const pp_action *a = &s->actions[i];
            const int second = i > s->rank_begin[r] && a[-1].fused, x = line->input[i];
            if (!second) busy += line->finish[i] - line->start[i];
            seen |= a->op == PP_B || a->op == PP_I;
            warmup += a->op == PP_F && !seen;
            if (!second) held += (a->op == PP_F) + (a->fused && a[1].op == PP_F); /* both begin before one ends */
            most = held > most ? held : most;
            held -= a->op == PP_B || a->op == PP_W;
            if (x >= 0 && a->op != PP_R && (x < s->rank_begin[r] || x >= s->rank_begin[r + 1]))
                messages[a->op != PP_F]++;
        }
        CHECK_MSG(fabs(p->ranks[r].busy - busy) <= 1e-9 * p->summary.makespan, "%s: busy of rank %d", text, r);
        CHECK_MSG(p->ranks[r].peak_activations == (s->trains ? most : 0), "%s: peak of rank %d", text, r);
        CHECK_MSG(p->ranks[r].warmup == (s->trains ? warmup : 0), "%s: warm-up of rank %d", text, r);
        peak = most > peak ? most : peak;
    }
    CHECK_MSG(p->summary.transfers_forward == messages[0], "%s: %g messages up", text, messages[0]);
    CHECK_MSG(p->summary.transfers_backward == messages[1], "%s: %g messages down", text, messages[1]);
    int32_t ops = 0;
    for (int32_t i = 0; i < s->action_count; i++) ops |= 1 << s->actions[i].op;
    CHECK_MSG((pp_kinds(s, p->costs, line) & 31) == ops, "%s: kinds", text);
}

static int one(const char *text, int64_t *accepted, int64_t *deadlocked) {
    plan p;
    int32_t status = plan_make(&p, text);
    int free_dialect = p.config.dialect == PP_DIALECT_FREE;
    if (status == PP_ERR_DEADLOCK) {
        (*deadlocked)++;
        CHECK_MSG(free_dialect || p.config.transfer == PP_TRANSFER_RENDEZVOUS, "%s: accepted and deadlocked", text);
    }
    if (status == PP_OK) {
        (*accepted)++;
        const pp_summary *sum = &p.summary;
        CHECK_MSG(sum->lower_bound <= sum->makespan, "%s: bound %g over %g", text, sum->lower_bound, sum->makespan);
        CHECK_MSG(sum->busy + sum->idle == p.schedule->ranks * sum->makespan, "%s: busy + idle", text);
        counted(&p, text);
        if (p.config.transfer == PP_TRANSFER_OVERLAP) {
            against_slow(&p, text);
            relabelled(&p, text);
            scaled(&p, text);
        }
    }
    plan_free(&p);
    return status;
}

int main(int argc, char **argv) {
    int64_t wanted = argc > 1 ? atoll(argv[1]) : 20000, accepted = 0, deadlocked = 0;
    random_start(argc > 2 ? (uint64_t)atoll(argv[2]) : 1);
    for (int64_t n = 0; n < wanted; n++) {
        char text[4096];
        random_request(text, sizeof text);
        one(text, &accepted, &deadlocked);
    }
    printf("properties: %lld requests, %lld accepted, %lld deadlocked as asked\n", (long long)wanted,
           (long long)accepted, (long long)deadlocked);
    CHECK(accepted * 3 > wanted);
    return check_report("properties");
}
