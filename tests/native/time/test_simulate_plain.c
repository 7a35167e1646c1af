/* The library's times against those of plain_time.h, on random requests of all schedules. How many is the first argument,
 * the seed the second. */
#include "check.h"
#include "plain_time.h"
#include "plan.h"
#include "random_request.h"

/* What an action takes alone, from the cost table's rows. */
static double ticks_of(const plan *p, const pp_action *a) {
    static const int32_t rows[] = {PP_COST_FORWARD, PP_COST_BACKWARD, PP_COST_INPUT, PP_COST_WEIGHT, PP_COST_RECOMPUTE};
    return p->costs[rows[a->op] * p->schedule->stages + a->stage];
}

static void against_plain(const plan *p, int32_t status, const char *text) {
    const pp_schedule *s = p->schedule;
    size_t n = (size_t)s->action_count, ranks = (size_t)s->ranks;
    double *ticks = malloc(6 * n * sizeof(double)), *overlap = ticks + n;
    int32_t *counts = malloc(2 * ranks * sizeof(int32_t));
    const double *latency = p->costs + PP_COST_LATENCY * s->stages;
    double *none = calloc((size_t)s->stages, sizeof(double));
    for (size_t i = 0; i < n; i++) {
        ticks[i] = ticks_of(p, &s->actions[i]);
        overlap[i] = p->costs[PP_COST_OVERLAP * s->stages + s->actions[i].stage];
    }
    plain_time t = {.s = s,
                    .cost = ticks,
                    .overlap = overlap,
                    .latency = latency,
                    .size = none,
                    .transfer = p->config.transfer,
                    .start = ticks + 2 * n,
                    .finish = ticks + 3 * n,
                    .arrive = ticks + 4 * n,
                    .waiting = counts,
                    .gathers = counts + ranks};
    int through = plain_simulate(&t);
    CHECK_MSG(through == (status == PP_OK), "%s: the plain simulator %s", text,
              through ? "comes through" : "stands still");
    for (size_t i = 0; i < n && through && status == PP_OK; i++)
        if (!CHECK_MSG(t.start[i] == p->timeline->start[i], "%s: action %d (%d.%d.%d) at %g, wanted %g", text, (int)i,
                       s->actions[i].stage, s->actions[i].op, s->actions[i].microbatch, p->timeline->start[i],
                       t.start[i]))
            continue;
        else
            break;
    free(ticks), free(counts), free(none);
}

int main(int argc, char **argv) {
    int64_t wanted = argc > 1 ? atoll(argv[1]) : 3000, timed = 0, stuck = 0;
    random_start(argc > 2 ? (uint64_t)atoll(argv[2]) : 1);
    for (int64_t n = 0; n < wanted; n++) {
        char text[4096];
        plan p;
        random_small_request(text, sizeof text);
        int32_t status = plan_make(&p, text);
        if (p.timeline != NULL &&
            (status == PP_OK || (status == PP_ERR_DEADLOCK && p.config.dialect != PP_DIALECT_FREE))) {
            against_plain(&p, status, text);
            timed += status == PP_OK;
            stuck += status != PP_OK;
        }
        plan_free(&p);
    }
    printf("plain: %lld timed, %lld stand still in both\n", (long long)timed, (long long)stuck);
    return check_report("simulate_plain");
}
