/* A device fails: worked losses, the spare's run against the rules, and how often to write checkpoints against Daly's
 * published values, a run of random failures, and all intervals tried. */
#include <stdio.h>

#include "study.h"

typedef struct failure {
    pp_failure sum;
    pp_policy policies[PP_POLICY_COUNT];
    double *start, *finish;
    int32_t status;
    pp_fault fault;
} failure;

static failure fail(const plan *p, const char *text) {
    failure f = {.status = PP_OK};
    pp_failure_costs given;
    size_t bytes = sizeof(double) * (size_t)p->schedule->action_count;
    f.start = malloc(bytes);
    f.finish = malloc(bytes);
    const pp_request request = request_of(text);
    CHECK_EQ_INT(pp_failure_read(&request, &given, NULL), PP_OK);
    f.status = pp_failure_report(p->schedule, &p->config, p->costs, p->timeline, p->summary.makespan, &given, f.start,
                                 f.finish, &f.sum, f.policies, &f.fault);
    return f;
}

static void failure_free(failure *f) {
    free(f->start);
    free(f->finish);
}

static void policy_is(const pp_policy *policy, double lost, double work, double actions, double steps) {
    CHECK_EQ_DOUBLE(policy->known, 1);
    CHECK_EQ_DOUBLE(policy->time_lost, lost);
    CHECK_EQ_DOUBLE(policy->work_redone, work);
    CHECK_EQ_DOUBLE(policy->actions_lost, actions);
    CHECK_EQ_DOUBLE(policy->steps_redone, steps);
}

static void worked(void) {
    plan p;
    /* 1F1B p=2 m=2, 9 ticks, 6 of work a rank. At tick 4.5 rank 0 has run 0F0 0F1 and is in 0B0 (4..6); rank 1 has run 1F0
     * 1B0 1F1 (1..5). */
    static const char *text =
        "s=1f1b\np=2\nm=2\nfail-rank=1\nfail-time=4.5\nrestart-cost=3\nspare-delay=2\nfail-step=7\n"
        "checkpoint-every=5\ncheckpoint-cost=1\nhorizon=20";
    plan_expect(&p, text, PP_OK);
    CHECK_EQ_DOUBLE(p.summary.makespan, 9);
    failure f = fail(&p, text);
    CHECK_EQ_INT(f.status, PP_OK);
    policy_is(&f.policies[PP_POLICY_RESTART], 7.5, 2 + 0.5 + 3.5, 6, 0);
    policy_is(&f.policies[PP_POLICY_CHECKPOINT], 2 * 9 + 7.5, 2 * 12 + 6, 6, 2);
    CHECK_EQ_DOUBLE(f.policies[PP_POLICY_RESTART].goodput, 180 / 187.5);
    CHECK_EQ_DOUBLE(f.policies[PP_POLICY_CHECKPOINT].goodput, 180 / (180 + 4 + 25.5));
    /* the spare begins at 6.5 with 1F0 and ends 1B1 at 12.5; rank 0 had the gradient of 0B0 and needs that of 0B1: 14.5 */
    policy_is(&f.policies[PP_POLICY_SPARE], 5.5, 3.5, 3, 0);
    static const double start[] = {0, 1, 4, 12.5, 6.5, 7.5, 9.5, 10.5};
    for (int32_t i = 0; i < 8; i++) CHECK_EQ_DOUBLE(f.start[i], start[i]);
    int32_t lost[8];
    CHECK_EQ_INT(pp_failure_lost(p.schedule, p.timeline, PP_POLICY_SPARE, 1, 4.5, lost, 8), 3);
    CHECK(lost[0] == 4 && lost[1] == 5 && lost[2] == 6);
    CHECK_EQ_INT(pp_failure_lost(p.schedule, p.timeline, PP_POLICY_RESTART, 1, 4.5, NULL, 0), 6);
    failure_free(&f);
    plan_free(&p);
    /* without a backward, what was finished is not done again: rank 1 of 3 fails in its third action (3..4), 4 micro-batches */
    static const char *forward = "p=3\nm=4\nfail-rank=1\nfail-time=3.5\nspare-delay=1";
    plan_expect(&p, forward, PP_OK);
    f = fail(&p, forward);
    policy_is(&f.policies[PP_POLICY_SPARE], 1.5, 0.5, 1, 0); /* 4.5 instead of 3 */
    CHECK_EQ_DOUBLE(f.policies[PP_POLICY_CHECKPOINT].known, 0);
    failure_free(&f);
    plan_free(&p);
    /* what rank 0 had sent when it failed has arrived: rank 1 goes on to its end at 7, the spare begins at 7 */
    static const char *sent = "s=gpipe\np=2\nm=2\nfail-rank=0\nfail-time=2\nspare-delay=5";
    plan_expect(&p, sent, PP_OK);
    f = fail(&p, sent);
    policy_is(&f.policies[PP_POLICY_SPARE], 13 - 9, 2, 2, 0);
    CHECK_EQ_DOUBLE(f.finish[7], 7);
    failure_free(&f);
    plan_free(&p);
    static const char *late = "s=1f1b\np=2\nm=2\nfail-time=9.5";
    plan_expect(&p, late, PP_OK);
    CHECK_EQ_INT(p.config.fail_rank, 0);
    f = fail(&p, late);
    CHECK_EQ_INT(f.status, PP_ERR_FAIL_TIME);
    CHECK_EQ_TEXT(f.fault.fix_value, "9");
    failure_free(&f);
    plan_free(&p);
    plan_expect(&p, "p=3\nfail-rank=3", PP_ERR_RANGE);
    CHECK_EQ_TEXT(p.fault.fix_value, "2");
    plan_free(&p);
    plan_expect(&p, "p=3\nfail-rank=1\nfail-step=9\nhorizon=5", PP_ERR_RANGE);
    plan_free(&p);
    plan_expect(&p, "s=gpipe\np=2\nm=2\nlatency=1\ntransfer=rendezvous\nfail-rank=0", PP_OK);
    f = fail(&p, "fail-rank=0");
    CHECK(f.policies[PP_POLICY_SPARE].known == 0 && f.policies[PP_POLICY_RESTART].known == 1);
    CHECK_EQ_DOUBLE(f.sum.time, p.summary.makespan / 2);
    failure_free(&f);
    plan_free(&p);
}

/* With a spare every action runs after what it needs, ranks do one thing at a time, nobody is earlier than without the
 * failure, and a spare that is there at tick 0 costs nothing. */
static void spares(int32_t id, int shape, const char *more) {
    char text[240];
    plan p;
    if (!plan_shape(&p, id, shape, more, text, sizeof text)) return;
    const pp_schedule *s = p.schedule;
    for (int32_t rank = 0; rank < s->ranks; rank++) {
        for (int part = 0; part <= 8; part++) {
            double time = p.summary.makespan * part / 8, end = 0;
            p.config.fail_rank = rank;
            snprintf(text, sizeof text, "spare-delay=%d\nfail-time=%.17g", part % 3, time);
            failure f = fail(&p, text);
            for (int32_t i = 0; i < s->action_count; i++) {
                int32_t x = p.timeline->input[i], r = 0;
                while (i >= s->rank_begin[r + 1]) r++;
                CHECK(f.start[i] >= p.timeline->start[i]);
                if (i > s->rank_begin[r] && !s->actions[i - 1].fused) CHECK(f.start[i] >= f.finish[i - 1]);
                int again = r == rank && p.timeline->start[i] < time && (s->trains || p.timeline->finish[i] > time);
                if (again) CHECK(f.start[i] >= time + part % 3);
                if (r != rank && p.timeline->start[i] < time) CHECK(f.start[i] == p.timeline->start[i]);
                /* its input: made before it starts, by the first run or the second */
                if (x >= 0) CHECK(f.start[i] >= f.finish[x] || f.start[i] >= p.timeline->finish[x]);
                if (f.finish[i] > end) end = f.finish[i];
            }
            CHECK_EQ_DOUBLE(end - p.summary.makespan, f.policies[PP_POLICY_SPARE].time_lost);
            if (part == 0) CHECK_EQ_DOUBLE(f.policies[PP_POLICY_SPARE].time_lost, 0);
            CHECK(f.policies[PP_POLICY_SPARE].work_redone <= f.policies[PP_POLICY_RESTART].work_redone);
            CHECK(f.policies[PP_POLICY_RESTART].work_redone <= p.summary.busy);
            if (part == 8) CHECK_EQ_DOUBLE(f.policies[PP_POLICY_RESTART].work_redone, p.summary.busy);
            failure_free(&f);
        }
    }
    plan_free(&p);
}

/* ---- intervals ---- */

/* Daly 2006, figures 3 to 5: dump 5 minutes, restart 10; mean time between failures 24 h, 6 h, 15 min: 117, 57, 9.1. */
static void daly(void) {
    static const double mtbf[] = {1440, 360, 15}, published[] = {117, 57, 9.1}, tolerance[] = {0.5, 0.5, 0.05};
    for (int i = 0; i < 3; i++) {
        char text[200];
        plan p;
        snprintf(text, sizeof text,
                 "s=1f1b\np=1\nm=1\nforward=0.01\nbackward=0\nmtbf=%g\ncheckpoint-cost=5\nrestart-cost=10", mtbf[i]);
        plan_expect(&p, text, PP_OK);
        failure f = fail(&p, text);
        CHECK_NEAR(f.sum.daly, published[i], tolerance[i]);
        CHECK_NEAR(f.sum.young, sqrt(2 * 5 * mtbf[i]), 1e-12);
        CHECK_NEAR(f.sum.best_every * 0.01, f.sum.daly, 0.05); /* his estimate is that good */
        CHECK(f.sum.best_goodput >= f.sum.daly_goodput && f.sum.daly_goodput > f.sum.young_goodput);
        failure_free(&f);
        plan_free(&p);
    }
}

/* Every number of steps tried. */
static void all_intervals(void) {
    for (int i = 0; i < 40; i++) {
        char text[200];
        plan p;
        double mtbf = 50 + 700 * i, cost = i % 7 * 3;
        snprintf(text, sizeof text, "s=1f1b\np=2\nm=2\nmtbf=%g\ncheckpoint-cost=%g\nrestart-cost=%d", mtbf, cost,
                 i % 3 * 20);
        plan_expect(&p, text, PP_OK);
        failure f = fail(&p, text);
        double best = 0;
        int32_t every = 0;
        for (int32_t n = 1; n <= 500; n++) {
            double goodput = n * 9 / pp_failure_expected(9, n, cost, i % 3 * 20, mtbf);
            if (goodput > best) best = goodput, every = n;
        }
        CHECK_EQ_INT(f.sum.best_every, every);
        CHECK_EQ_DOUBLE(f.sum.best_goodput, best);
        CHECK_EQ_DOUBLE(f.sum.every, every);
        CHECK_EQ_DOUBLE(f.sum.goodput, best);
        CHECK_NEAR(f.sum.restart_goodput, 9 / pp_failure_expected(9, 1, 0, i % 3 * 20, mtbf), 1e-15);
        failure_free(&f);
        plan_free(&p);
    }
    CHECK_NEAR(pp_failure_expected(10, 5, 2, 7, 100), 100 * exp(0.07) * (exp(0.52) - 1), 1e-11);
    CHECK_NEAR(pp_failure_expected(1, 1, 0, 0, 1e9) - 1, 0.5e-9, 1e-15);
    CHECK(pp_failure_expected(1e6, 1e6, 0, 0, 1) == INFINITY);
}

/* A run with failures drawn at random takes as long on average as the formula says. */
static void drawn(void) {
    const double step = 9, every = 4, cost = 3, restart = 5, mtbf = 60;
    uint64_t state = 88172645463325252u;
    double total = 0;
    const int runs = 400000;
    for (int n = 0; n < runs; n++) {
        for (double left = every * step + cost;;) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            double until = -mtbf * log(((double)(state >> 11) + 0.5) / 9007199254740992.0);
            if (until >= left) {
                total += left;
                break;
            }
            total += until;
            left = restart + every * step + cost; /* can fail again while it restarts */
        }
    }
    CHECK_NEAR(total / runs / pp_failure_expected(step, every, cost, restart, mtbf), 1, 0.005);
}

int main(void) {
    worked();
    for (int32_t id = 0; id < pp_schedule_count(); id++) {
        for (int shape = 0; shape < SHAPES; shape++) {
            spares(id, shape, "latency=0.5");
            spares(id, shape, "latency=0.5\ntransfer=sender");
            spares(id, shape, "recompute=late");
        }
    }
    daly();
    all_intervals();
    drawn();
    plan p;
    plan_expect(&p, "mtbf=0", PP_ERR_RANGE);
    plan_free(&p);
    return check_report("failure");
}
