/* Times with transfers and uneven stages against worked numbers, and what scaling and relabelling must do. */
#include <stdio.h>

#include "check.h"
#include "plan.h"

static double makespan(const char *text) {
    plan p;
    int32_t status = plan_make(&p, text);
    CHECK_MSG(status == PP_OK, "%s: %s", text, pp_status_name(status));
    double ticks = p.summary.makespan;
    plan_free(&p);
    return ticks;
}

/* SIM-10: the order of merit turns over between c = 0.5 and c = 1. Interleaving at half the cost per chunk. */
static void latency(void) {
    static const double c[] = {0, 0.5, 1, 2}, gpipe[] = {33, 36, 39, 45}, one[] = {33, 41, 49, 65},
                        interleaved[] = {28.5, 35.5, 46, 70};
    for (int i = 0; i < 4; i++) {
        char text[160];
        snprintf(text, sizeof text, "s=gpipe\np=4\nm=8\nlatency=%g", c[i]);
        CHECK_EQ_DOUBLE(makespan(text), gpipe[i]);
        snprintf(text, sizeof text, "s=1f1b\np=4\nm=8\nlatency=%g", c[i]);
        CHECK_EQ_DOUBLE(makespan(text), one[i]);
        snprintf(text, sizeof text, "s=interleaved\np=4\nm=8\nv=2\nforward=0.5\nbackward=1\nlatency=%g", c[i]);
        CHECK_EQ_DOUBLE(makespan(text), interleaved[i]);
    }
}

/* 1F1B with latency: (m+p-1)(F+B) + 2c[(p-1)m/p + (p-2)] where p divides m (schedules.md 4). */
static void latency_closed_form(void) {
    static const int32_t ps[] = {2, 3, 4, 8};
    for (int i = 0; i < 4; i++) {
        for (int32_t times = 1; times <= 4; times++) {
            for (int32_t quarter = 1; quarter <= 12; quarter++) {
                int32_t p = ps[i], m = p * times;
                double c = quarter / 4.0;
                char text[100];
                snprintf(text, sizeof text, "s=1f1b\np=%d\nm=%d\nlatency=%g", p, m, c);
                CHECK_NEAR(makespan(text), (m + p - 1) * 3 + 2 * c * ((p - 1) * m / (double)p + (p - 2)), 1e-9);
            }
        }
    }
}

/* The three models of a message (pitfalls.md 4). */
static void transfer_models(void) {
    CHECK_EQ_DOUBLE(makespan("s=gpipe\np=2\nm=2\nlatency=1"), 11);
    CHECK_EQ_DOUBLE(makespan("s=gpipe\np=2\nm=2\nlatency=1\ntransfer=sender"), 13);
    CHECK_EQ_DOUBLE(makespan("s=gpipe\np=2\nm=2\nlatency=1\ntransfer=rendezvous"), 13);
    CHECK_EQ_DOUBLE(makespan("s=gpipe\np=4\nm=8\nlatency=0.5\ntransfer=overlap"), 36);
    CHECK_EQ_DOUBLE(makespan("s=gpipe\np=4\nm=8\nlatency=0.5\ntransfer=sender"), 43);
    CHECK_EQ_DOUBLE(makespan("s=gpipe\np=4\nm=8\nlatency=0.5\ntransfer=rendezvous"), 50);
    for (int32_t p = 2; p <= 6; p++) {
        for (int32_t m = 1; m <= 8; m++) {
            char text[120];
            snprintf(text, sizeof text, "s=1f1b\np=%d\nm=%d\nlatency=1\ntransfer=rendezvous", p, m);
            double both = makespan(text);
            snprintf(text, sizeof text, "s=1f1b\np=%d\nm=%d\nlatency=1", p, m);
            CHECK(both >= makespan(text));
        }
    }
}

/* Where the heavy stage sits matters for 1F1B and not for GPipe (SIM-17); one slow last stage (pitfalls.md 7). */
static void uneven(void) {
    CHECK_EQ_DOUBLE(makespan("s=gpipe\np=4\nm=8\nforward=1 1 1 2\nbackward=2 2 2 4"), 57);
    CHECK_EQ_DOUBLE(makespan("s=1f1b\np=4\nm=8\nforward=1 1 1 2\nbackward=2 2 2 4"), 57);
    CHECK_EQ_DOUBLE(makespan("s=1f1b\np=4\nm=8\nforward=2 1 1 1\nbackward=4 2 2 2"), 51);
    CHECK_EQ_DOUBLE(makespan("s=1f1b\np=4\nm=8\nforward=1 2 1 1\nbackward=2 4 2 2"), 53);
    CHECK_EQ_DOUBLE(makespan("s=1f1b\np=4\nm=8\nforward=1.25\nbackward=2.5"), 41.25);
    CHECK_EQ_DOUBLE(makespan("s=1f1b\np=4\nm=8\nforward=1;1;1;1,5"), 37);
    CHECK_EQ_DOUBLE(makespan("s=1f1b\np=4\nm=8\nforward=1,1,1,1.5\nbackward=2,2,2,3"), 45);
    CHECK_EQ_DOUBLE(makespan("s=forward\np=4\nm=8\nforward=1 1 1 2"), 19);
}

/* Costs and latency times 3 give times times 3, bit for bit. */
static void scaled(void) {
    static const char *const names[] = {"gpipe", "1f1b", "interleaved", "naive"};
    for (int n = 0; n < 4; n++) {
        for (int32_t p = 1; p <= 6; p++) {
            char text[200];
            plan a, b;
            snprintf(text, sizeof text, "s=%s\np=%d\nm=%d\nforward=2\nbackward=3\nlatency=1", names[n], p, 2 * p);
            CHECK_EQ_INT(plan_make(&a, text), PP_OK);
            snprintf(text, sizeof text, "s=%s\np=%d\nm=%d\nforward=6\nbackward=9\nlatency=3", names[n], p, 2 * p);
            CHECK_EQ_INT(plan_make(&b, text), PP_OK);
            for (int32_t i = 0; i < a.schedule->action_count; i++)
                CHECK_EQ_DOUBLE(b.timeline->start[i], 3 * a.timeline->start[i]);
            CHECK_EQ_DOUBLE(a.summary.bubble_fraction, b.summary.bubble_fraction);
            plan_free(&a);
            plan_free(&b);
        }
    }
}

/* SIM-36: no recursion, no growth with m. SIM-33: 131072 actions. */
static void long_runs(void) {
    CHECK_EQ_DOUBLE(makespan("s=gpipe\np=2\nm=4096\nforward=1\nbackward=1"), 8194);
    CHECK_EQ_DOUBLE(makespan("s=1f1b\np=2\nm=4096\nforward=1\nbackward=1"), 8194);
    CHECK_EQ_DOUBLE(makespan("s=1f1b\np=64\nm=1024"), 3261);
}

/* SIM-09, SIM-15, SIM-32 */
static void figures(void) {
    plan p;
    CHECK_EQ_INT(plan_make(&p, "s=1f1b\np=4\nm=8\nforward=0.25\nbackward=0,25"), PP_OK);
    CHECK_EQ_DOUBLE(p.summary.makespan, 5.5);
    CHECK_NEAR(p.summary.bubble_fraction, 3.0 / 11, 1e-15);
    CHECK_NEAR(p.summary.bubble_ratio, 3.0 / 8, 1e-15);
    CHECK_EQ_DOUBLE(p.summary.utilization_denominator, 0); /* not whole, so not exact */
    CHECK_EQ_DOUBLE(p.summary.transfers_forward, 24);
    CHECK_EQ_DOUBLE(p.summary.transfers_backward, 24);
    plan_free(&p);
    CHECK_EQ_INT(plan_make(&p, "s=interleaved\np=4\nm=8\nv=2"), PP_OK);
    CHECK_EQ_DOUBLE(p.summary.transfers_forward, 56);
    CHECK_EQ_DOUBLE(p.summary.bubble_ratio_numerator, 3);
    CHECK_EQ_DOUBLE(p.summary.bubble_ratio_denominator, 16);
    plan_free(&p);
    CHECK_EQ_INT(plan_make(&p, "s=interleaved\np=4\nm=8\nv=4\nforward=0.25\nbackward=0.5"), PP_OK);
    CHECK_EQ_DOUBLE(p.summary.makespan, 26.25);
    plan_free(&p);
}

static void idle_reasons(void) {
    plan p;
    pp_idle idle[32];
    CHECK_EQ_INT(plan_make(&p, "s=forward\np=3\nm=4\nlatency=0.5"), PP_OK);
    int32_t count = pp_idle_fill(p.schedule, p.costs, p.timeline, idle, 32);
    CHECK_EQ_INT(count, 6); /* drain 0; fill, transfer, drain 1; fill, transfer 2 */
    CHECK_EQ_DOUBLE(idle[1].reason, PP_IDLE_FILL);
    CHECK_EQ_DOUBLE(idle[1].finish, 1);
    CHECK_EQ_DOUBLE(idle[1].before, 4);
    CHECK_EQ_DOUBLE(idle[1].waits_for, 0);
    CHECK_EQ_DOUBLE(idle[2].reason, PP_IDLE_TRANSFER);
    CHECK_EQ_DOUBLE(idle[2].finish, 1.5);
    CHECK_EQ_DOUBLE(idle[3].reason, PP_IDLE_DRAIN);
    plan_free(&p);
}

int main(void) {
    latency();
    latency_closed_form();
    transfer_models();
    uneven();
    scaled();
    long_runs();
    figures();
    idle_reasons();
    return check_report("simulate");
}
