/* Messages by size, the point where transfers take over, and what removing them, balancing or doubling m brings. */
#include <stdio.h>

#include "study.h"

static pp_takeover takeover(const char *text) {
    plan p;
    pp_takeover out = {0};
    plan_expect(&p, text, PP_OK);
    const int32_t n = p.schedule->action_count;
    double *scratch = malloc(sizeof(double) * PP_COST_ROWS * (size_t)p.config.stages),
           *start = malloc(sizeof(double) * (size_t)n);
    memcpy(start, p.timeline->start, sizeof(double) * (size_t)n);
    CHECK_EQ_INT(pp_takeover_find(p.schedule, p.costs, p.config.transfer, scratch, p.timeline, &out, NULL), PP_OK);
    CHECK(memcmp(start, p.timeline->start, sizeof(double) * (size_t)n) == 0); /* left as it was */
    free(start);
    free(scratch);
    plan_free(&p);
    return out;
}

static double makespan(const char *text) {
    plan p;
    plan_expect(&p, text, PP_OK);
    double ticks = p.summary.makespan;
    plan_free(&p);
    return ticks;
}

static void sizes(void) {
    CHECK_EQ_DOUBLE(makespan("s=1f1b\np=4\nm=8\nbytes=100\nbandwidth=200"), 41); /* half a tick */
    CHECK_EQ_DOUBLE(makespan("s=1f1b\np=4\nm=8\nbytes=100\nbandwidth=400\nlatency=0.25"), 41);
    CHECK_EQ_DOUBLE(makespan("s=gpipe\np=4\nm=8\nbytes=100\nbandwidth=200\ntransfer=rendezvous"), 50);
    plan p;
    plan_expect(&p, "p=4\nbytes=100 200 400\nbandwidth=100 100 50\nlatency=1", PP_OK);
    static const double want[] = {2, 3, 9, 1}, size[] = {1, 2, 8, 0};
    for (int32_t s = 0; s < 4; s++) {
        CHECK_EQ_DOUBLE(p.costs[PP_COST_LATENCY * 4 + s], want[s]);
        CHECK_EQ_DOUBLE(p.costs[PP_COST_SIZE * 4 + s], size[s]);
    }
    plan_free(&p);
    plan_expect(&p, "p=4\nbytes=100", PP_ERR_OPTION_NEEDS);
    CHECK_EQ_INT(p.fault.b, PP_OPT_BANDWIDTH);
    plan_free(&p);
    plan_expect(&p, "p=4\nbandwidth=100", PP_ERR_OPTION_NEEDS);
    plan_free(&p);
    plan_expect(&p, "p=4\nbytes=100\nbandwidth=0", PP_ERR_RANGE);
    plan_free(&p);
    plan_expect(&p, "p=4\nbytes=100\nbandwidth=1 2 3 0", PP_OK); /* behind the last stage there is no hop */
    CHECK_EQ_DOUBLE(p.costs[PP_COST_LATENCY * 4 + 2], 100.0 / 3);
    CHECK_EQ_DOUBLE(p.costs[PP_COST_LATENCY * 4 + 3], 0);
    plan_free(&p);
    plan_expect(&p, "p=4\nbytes=1e12\nbandwidth=1e-300", PP_ERR_OVERFLOW);
    plan_free(&p);
}

static void points(void) {
    /* GPipe and a forward pass pay on the way in and out only, whatever the latency */
    pp_takeover t = takeover("s=gpipe\np=4\nm=8\nlatency=0.5");
    CHECK(t.factor == INFINITY && t.latency == INFINITY);
    CHECK_EQ_DOUBLE(t.free_makespan, 33);
    CHECK_EQ_DOUBLE(t.through, 3);
    CHECK(isnan(t.bandwidth_factor));
    CHECK(takeover("p=3\nm=4").factor == INFINITY);
    CHECK(takeover("s=1f1b\np=1\nm=4").factor == INFINITY);
    /* 1F1B pays in the steady state from the first bit on (pitfalls.md 4) */
    CHECK_EQ_DOUBLE(takeover("s=1f1b\np=4\nm=8\nlatency=0.5").factor, 0);
    CHECK_EQ_DOUBLE(takeover("s=1f1b\np=4\nm=8").factor, 0);
    /* interleaved hides the way round a group, SIM-10: 28.5 + 14 c up to c = 0.5, and 46 at 1 */
    t = takeover("s=interleaved\np=4\nm=8\nv=2\nforward=0.5\nbackward=1\nlatency=0.25");
    CHECK_EQ_DOUBLE(t.latency, 0.5);
    CHECK_EQ_DOUBLE(t.factor, 2);
    CHECK_EQ_DOUBLE(t.makespan, 35.5);
    /* a sender that is held up sets the pace once F + c passes the slowest stage */
    t = takeover("p=3\nm=8\nforward=1 1 2\ntransfer=sender");
    CHECK_EQ_DOUBLE(t.factor, 1); /* ticks, as there are no transfers at present */
    CHECK_EQ_DOUBLE(t.makespan, makespan("p=3\nm=8\nforward=1 1 2\ntransfer=sender\nlatency=1"));
    CHECK_EQ_DOUBLE(takeover("p=3\nm=8\ntransfer=sender").factor, 0);
    /* by bandwidth: half a tick of latency stays, another half of size doubles up to the same point */
    t = takeover("s=interleaved\np=4\nm=8\nv=2\nforward=2\nbackward=4\nlatency=0.5\nbytes=50\nbandwidth=100");
    CHECK_EQ_DOUBLE(t.latency, 2);
    CHECK_EQ_DOUBLE(t.factor, 2);
    CHECK_EQ_DOUBLE(t.bandwidth_factor, 3);
    CHECK(isnan(takeover("s=gpipe\np=4\nm=8\nlatency=1\ntransfer=rendezvous").factor));
}

/* The point is one: up to it the step is longer by the way in and out at most, beyond it by more. */
static void both_sides(void) {
    static const char *const rows[] = {"s=interleaved\nv=2\np=3\nm=6",
                                       "s=interleaved\nv=3\np=4\nm=8",
                                       "s=interleaved\nv=2\np=4\nm=12\nextra-warmup=3",
                                       "s=1f1b\np=4\nm=6\nforward=1 3 1 1",
                                       "s=1f1b\np=3\nm=9\nforward=1 2 4\ntransfer=sender",
                                       "p=5\nm=9\nforward=2 1 1 1 5\ntransfer=sender",
                                       "s=1f1b\np=5\nm=8\nforward=1 1 1 1 3\nbackward=2 2 2 2 1"};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[200];
        pp_takeover t = takeover(rows[i]);
        snprintf(text, sizeof text, "%s\nlatency=1", rows[i]);
        double through = takeover(text).through;
        for (int side = -1; side <= 1 && t.factor < INFINITY; side++) {
            double c = side < 0 ? t.factor / 2 : t.factor + side * 0.125;
            snprintf(text, sizeof text, "%s\nlatency=%.17g", rows[i], c);
            double over = makespan(text) - (t.free_makespan + c * through);
            CHECK_MSG(side > 0 ? over > 1e-9 : over < 1e-9, "%s: %g over at latency %g", rows[i], over, c);
        }
        if (t.factor == INFINITY) {
            snprintf(text, sizeof text, "%s\nlatency=1000000", rows[i]);
            CHECK(makespan(text) <= t.free_makespan + 1e6 * through + 1e-3);
        }
    }
}

static void what_if(void) {
    plan p, q;
    static const char *text = "s=1f1b\np=4\nm=8\nforward=1 1 1 2\nbackward=2 2 2 4\nlatency=1";
    plan_expect(&p, text, PP_OK);
    pp_what_if_no_transfers(&p.config, p.costs);
    CHECK_EQ_INT(pp_simulate(p.schedule, p.costs, p.config.transfer, p.timeline, NULL), PP_OK);
    CHECK_EQ_DOUBLE(p.timeline->finish[p.schedule->rank_begin[1] - 1], 57); /* SIM-17 */
    pp_what_if_balanced(&p.config, p.costs);
    CHECK_EQ_INT(pp_simulate(p.schedule, p.costs, p.config.transfer, p.timeline, NULL), PP_OK);
    CHECK_EQ_DOUBLE(p.timeline->finish[p.schedule->rank_begin[1] - 1], 41.25);
    for (int32_t s = 0; s < 4; s++) CHECK_EQ_DOUBLE(p.costs[PP_COST_BACKWARD * 4 + s], 2.5);
    plan_free(&p);
    static const char *const requests[] = {"s=1f1b\np=4\nm=8", "m=8\ns=1f1b\np=4\n",
                                           "S-c_hedule=1f1b\nranks=4\nMicro-Batches=8",
                                           "s=1f1b\np=4\nglobal-batch=16\nmicrobatch-size=2"};
    for (int i = 0; i < 4; i++) {
        char doubled[200];
        plan_expect(&p, requests[i], PP_OK);
        const pp_request request = request_of(requests[i]);
        int32_t needed = pp_what_if_doubled(&request, &p.config, NULL, 0);
        CHECK(needed > 0 && needed < 199);
        CHECK_EQ_INT(pp_what_if_doubled(&request, &p.config, doubled, needed), needed);
        doubled[needed] = 0;
        plan_expect(&q, doubled, PP_OK);
        CHECK_EQ_DOUBLE(q.summary.makespan, (16 + 3) * 3);
        plan_free(&q);
        plan_free(&p);
    }
}

int main(void) {
    sizes();
    points();
    both_sides();
    what_if();
    return check_report("transfer");
}
