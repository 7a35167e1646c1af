/* Why a rank is idle: the chain back to the root, for every idle interval of many steps. */
#include <stdio.h>

#include "study.h"

static void worked(void) {
    plan p;
    pp_idle idle[64];
    pp_reason why[64];
    plan_expect(&p, "s=1f1b\np=2\nm=2\nlatency=0.5", PP_OK);
    /* rank 0: 0F0 0-1, 0F1 1-2, waits until 5 for 1B0 (2.5..4.5 and half a tick on the way) */
    int32_t count = pp_idle_fill(p.schedule, p.costs, p.timeline, idle, 64), at = -1;
    for (int32_t i = 0; i < count; i++)
        if (idle[i].rank == 0 && idle[i].start == 2) at = i;
    CHECK(at >= 0);
    CHECK_EQ_INT(pp_reasons(p.schedule, p.costs, p.timeline, &idle[at], why, 64), 3);
    /* 1B0, held up by 1F0 on its rank, held up by 0F0 */
    static const double want[][6] = {
        {2.5, 4.5, 5, PP_HOLDS_INPUT, 1, 1}, {1.5, 2.5, 2.5, PP_HOLDS_RANK, 1, 1}, {0, 1, 1.5, PP_HOLDS_INPUT, 0, 0}};
    for (int i = 0; i < 3; i++) {
        const double got[] = {why[i].start, why[i].finish, why[i].until, why[i].holds, why[i].inside, why[i].rank};
        CHECK(got[0] == want[i][0] && got[1] == want[i][1] && got[2] == want[i][2] && got[3] == want[i][3]);
        CHECK(got[4] == want[i][4] && got[5] == want[i][5]);
    }
    CHECK_EQ_INT(pp_reasons(p.schedule, p.costs, p.timeline, &idle[at], NULL, 0), 3);
    plan_free(&p);
}

/* Each reason ends when the one before it in the list begins; the last begins at once; what is inside covers the wait. */
static void chains(int32_t id, int shape, const char *more) {
    char text[200];
    plan p;
    if (!plan_shape(&p, id, shape, more, text, sizeof text)) return;
    int32_t count = pp_idle_fill(p.schedule, p.costs, p.timeline, NULL, 0), n = p.schedule->action_count;
    pp_idle *idle = malloc(sizeof(pp_idle) * (size_t)(count + 1));
    pp_reason *why = malloc(sizeof(pp_reason) * (size_t)n);
    pp_idle_fill(p.schedule, p.costs, p.timeline, idle, count);
    for (int32_t k = 0; k < count; k++) {
        int32_t length = pp_reasons(p.schedule, p.costs, p.timeline, &idle[k], why, n);
        int drains = idle[k].reason == PP_IDLE_DRAIN;
        CHECK_MSG(length > 0 && length <= n, "%s: idle %d has %d reasons", text, k, length);
        double next = drains ? p.summary.makespan : p.timeline->start[(int32_t)idle[k].before];
        double covered = 0;
        for (int32_t i = 0; i < length; i++) {
            CHECK_MSG(why[i].until == next, "%s: idle %d, reason %d ends at %g, wanted %g", text, k, i, why[i].until,
                      next);
            CHECK(why[i].until >= why[i].finish);
            double from = why[i].start > idle[k].start ? why[i].start : idle[k].start;
            double to = why[i].until < idle[k].finish ? why[i].until : idle[k].finish;
            if (to > from) covered += to - from;
            CHECK_EQ_DOUBLE(why[i].inside, to > from);
            CHECK_EQ_INT(why[i].holds == PP_HOLDS_END, drains && i == 0);
            next = why[i].start;
        }
        CHECK_EQ_DOUBLE(next, 0);
        CHECK_MSG(fabs(covered - (idle[k].finish - idle[k].start)) < 1e-9, "%s: idle %d covered %g of %g", text, k,
                  covered, idle[k].finish - idle[k].start);
    }
    free(idle);
    free(why);
    plan_free(&p);
}

int main(void) {
    worked();
    for (int32_t id = 0; id < pp_schedule_count(); id++) {
        for (int shape = 0; shape < SHAPES; shape++) {
            chains(id, shape, "");
            chains(id, shape, "latency=0.5");
            chains(id, shape, "latency=1\ntransfer=sender\nforward=1.5");
        }
    }
    return check_report("reasons");
}
