/* Times of a step that really ran: what costs they show, and that these costs give the times again. */
#include "check.h"
#include "plan.h"

#include <math.h>
#include <stdio.h>

/* Times simulated with uneven costs stand for measured ones, shifted as a clock is; their costs simulate the same step. */
static void round_trip(const char *request) {
    plan p;
    CHECK_MSG(plan_make(&p, request) == PP_OK, "%s", request);
    const size_t count = (size_t)p.schedule->action_count, n = (size_t)p.schedule->stages;
    double *start = malloc(count * 8), *finish = malloc(count * 8), *costs = malloc(PP_COST_ROWS * n * 8);
    double *scratch = malloc((PP_COST_ROWS + 1) * n * 8);
    for (size_t i = 0; i < count; i++) {
        start[i] = p.timeline->start[i] + 1024;
        finish[i] = p.timeline->finish[i] + 1024;
        if (p.schedule->actions[i].fused) /* one after the other */
            finish[i] = start[i] + p.costs[PP_COST_FORWARD * n + p.schedule->actions[i].stage];
        if (i > 0 && p.schedule->actions[i - 1].fused) start[i] = finish[i - 1];
    }
    const int32_t told = pp_measured_costs(p.schedule, p.timeline, start, finish, costs, scratch);
    CHECK(told & 1 << PP_COST_FORWARD);
    for (size_t s = 0; s < n; s++) {
        CHECK_EQ_DOUBLE(costs[PP_COST_FORWARD * n + s], p.costs[PP_COST_FORWARD * n + s]);
        CHECK_EQ_DOUBLE(costs[PP_COST_BACKWARD * n + s], p.costs[PP_COST_BACKWARD * n + s]);
        if (told & 1 << PP_COST_INPUT) CHECK_EQ_DOUBLE(costs[PP_COST_INPUT * n + s], p.costs[PP_COST_INPUT * n + s]);
        if (told & 1 << PP_COST_RECOMPUTE)
            CHECK_EQ_DOUBLE(costs[PP_COST_RECOMPUTE * n + s], p.costs[PP_COST_RECOMPUTE * n + s]);
    }
    for (size_t s = 0; s + 1 < n && told & 1 << PP_COST_LATENCY; s++)
        if (p.schedule->pipes == 1 && p.schedule->stage_rank[s] != p.schedule->stage_rank[s + 1])
            CHECK_EQ_DOUBLE(costs[PP_COST_LATENCY * n + s], p.costs[PP_COST_LATENCY * n + s]);
    CHECK(!(told & 1 << PP_COST_INPUT) || !(told & 1 << PP_COST_BACKWARD));

    pp_summary summary;
    pp_rank_report *ranks = malloc(sizeof *ranks * (size_t)p.schedule->ranks);
    void *work = malloc(pp_report_scratch_bytes(p.schedule));
    pp_measured_times(p.schedule, start, finish, p.timeline);
    CHECK_EQ_INT(p.timeline->transfer, -1);
    pp_measured_report(p.schedule, &p.config, costs, p.timeline, work, &summary, ranks);
    CHECK_MSG(summary.makespan == p.summary.makespan && summary.busy == p.summary.busy &&
                  summary.idle == p.summary.idle,
              "%g busy of %g: %s", summary.busy, summary.makespan, request);
    CHECK_EQ_INT((int)summary.cadence_rank, (int)p.summary.cadence_rank);
    CHECK_EQ_INT((int)summary.utilization_denominator, 0); /* measured times are never called exact */
    CHECK_EQ_INT(pp_simulate(p.schedule, costs, PP_TRANSFER_OVERLAP, p.timeline, NULL), PP_OK);
    for (size_t i = 0; i < count; i++)
        CHECK_MSG(p.schedule->actions[i].fused || p.timeline->finish[i] == finish[i] - 1024, "action %d: %s", (int)i,
                  request);
    free(start), free(finish), free(costs), free(scratch), free(ranks), free(work);
    plan_free(&p);
}

static void test_round_trip(void) {
    round_trip("schedule=1f1b\nranks=4\nmicrobatches=8\nforward=1 2 3 4\nbackward=2 4 6 8\n");
    round_trip("schedule=1f1b\nranks=3\nmicrobatches=4\nlatency=0.5\n");
    round_trip("schedule=gpipe\nranks=4\nmicrobatches=4\nlatency=0.5 2 1 0\n");
    round_trip("schedule=gpipe\nranks=3\nmicrobatches=4\nrecompute=late\nrecompute-cost=1 3 1\n");
    round_trip("schedule=interleaved\nranks=2\nmicrobatches=4\nchunks=2\nforward=1 2 1 2\n");
    round_trip("schedule=zb-h1\nranks=3\nmicrobatches=6\ninput-gradient=2 1 2\nweight-gradient=1 3 1\n");
    round_trip("schedule=dualpipe\nranks=4\nmicrobatches=8\n");
    round_trip("schedule=chimera\nranks=4\nmicrobatches=4\n");
}

/* Halves of a fused slot one after the other, on one core: the slot is as long as both. */
static void test_fused(void) {
    plan p;
    CHECK_EQ_INT(plan_make(&p, "schedule=1f1b-overlap\nranks=2\nmicrobatches=8\n"), PP_OK);
    const size_t count = (size_t)p.schedule->action_count, n = (size_t)p.schedule->stages;
    double *start = malloc(count * 8), *finish = malloc(count * 8), costs[PP_COST_ROWS * 4],
           scratch[PP_COST_ROWS * 4 + 4];
    double clock = 0;
    int fused = 0;
    for (size_t i = 0; i < count; i++) { /* all on one thread, in any order */
        start[i] = clock;
        finish[i] = clock += p.schedule->actions[i].op == PP_F ? 1 : 2;
        fused += p.schedule->actions[i].fused;
    }
    CHECK(fused > 0 && n == 2);
    CHECK(pp_measured_costs(p.schedule, p.timeline, start, finish, costs, scratch) & 1 << PP_COST_OVERLAP);
    for (size_t s = 0; s < n; s++) {
        CHECK_EQ_DOUBLE(costs[PP_COST_FORWARD * n + s], 1);
        CHECK_EQ_DOUBLE(costs[PP_COST_BACKWARD * n + s], 2);
        CHECK_EQ_DOUBLE(costs[PP_COST_OVERLAP * n + s], 3);
    }
    pp_measured_times(p.schedule, start, finish, p.timeline);
    for (size_t i = 0; i + 1 < count; i++)
        if (p.schedule->actions[i].fused) {
            CHECK_EQ_DOUBLE(p.timeline->start[i], p.timeline->start[i + 1]);
            CHECK_EQ_DOUBLE(p.timeline->finish[i], p.timeline->finish[i + 1]);
            CHECK_EQ_DOUBLE(p.timeline->finish[i] - p.timeline->start[i], 3);
        }
    free(start), free(finish);
    plan_free(&p);
}

int main(void) {
    test_round_trip();
    test_fused();
    return check_report("test_measured");
}
