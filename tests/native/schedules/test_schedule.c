/* Closed forms over a sweep of shapes and costs, and the invariants that hold for every schedule of the table. */
#include <stdio.h>

#include "check.h"
#include "plan.h"

static const struct {
    const char *f, *b;
    double forward, backward;
} costs[] = {{"1", "1", 1, 1}, {"1", "2", 1, 2}, {"2", "3", 2, 3}};

static int64_t rank_sum(const plan *p, int64_t (*of)(const plan *, int32_t)) {
    int64_t sum = 0;
    for (int32_t r = 0; r < p->schedule->ranks; r++) sum += of(p, r);
    return sum;
}

static int64_t slots_idle(const plan *p, int32_t r) { return (int64_t)(p->ranks[r].idle * 1024); }

/* What is true of any timed step. */
static void check_invariants(const plan *p, const char *text) {
    const pp_schedule *s = p->schedule;
    const pp_summary *sum = &p->summary;
    CHECK_MSG(sum->lower_bound <= sum->makespan, "%s: bound %g, makespan %g", text, sum->lower_bound, sum->makespan);
    CHECK_NEAR(sum->busy + sum->idle, s->ranks * sum->makespan, 1e-9 * sum->makespan);
    CHECK_NEAR(sum->utilization + sum->bubble_fraction, 1, 1e-12);
    CHECK(rank_sum(p, slots_idle) >= 0);
    for (int32_t r = 0; r < s->ranks; r++) {
        double last = 0;
        for (int32_t i = s->rank_begin[r]; i < s->rank_begin[r + 1]; i++) {
            int fused = i > s->rank_begin[r] && s->actions[i - 1].fused;
            CHECK(fused ? p->timeline->start[i] == p->timeline->start[i - 1] : p->timeline->start[i] >= last);
            CHECK(p->timeline->finish[i] >= p->timeline->start[i]);
            last = p->timeline->finish[i];
            int32_t input = p->timeline->input[i];
            if (input >= 0) CHECK(p->timeline->finish[input] <= p->timeline->start[i]);
        }
    }
    int32_t count = pp_idle_fill(s, p->costs, p->timeline, NULL, 0);
    pp_idle *idle = malloc(sizeof(pp_idle) * (size_t)(count + 1));
    CHECK_EQ_INT(pp_idle_fill(s, p->costs, p->timeline, idle, count), count);
    double total = 0;
    for (int32_t i = 0; i < count; i++) {
        CHECK(idle[i].finish > idle[i].start);
        total += idle[i].finish - idle[i].start;
        const int32_t f = (int32_t)idle[i].early;
        if (f < 0) continue;
        /* Its input is there, it ends before the wait does, and nothing of its rank stands between. */
        CHECK(s->actions[f].op == PP_F && f > idle[i].before && f < s->rank_begin[(int32_t)idle[i].rank + 1]);
        const int32_t input = p->timeline->input[f];
        CHECK((input < 0 ? 0 : p->timeline->finish[input]) <= idle[i].start);
        CHECK(idle[i].start < p->timeline->start[(int32_t)idle[i].before]);
        int32_t held = 1;
        for (int32_t j = s->rank_begin[(int32_t)idle[i].rank]; j < idle[i].before; j++) {
            const int32_t op = s->actions[j].op;
            held += (op == PP_F) - (op == PP_B || op == PP_W);
        }
        CHECK_EQ_DOUBLE(idle[i].held, held);
    }
    CHECK_NEAR(total, sum->idle, 1e-9 * (sum->idle + 1));
    free(idle);
    int32_t length = pp_critical_path(s, p->costs, p->timeline, NULL, 0), *path = malloc(4 * (size_t)(length + 1));
    pp_critical_path(s, p->costs, p->timeline, path, length);
    CHECK(length > 0);
    if (length > 0) {
        CHECK_EQ_DOUBLE(p->timeline->start[path[0]], 0);
        CHECK_EQ_DOUBLE(p->timeline->finish[path[length - 1]], sum->makespan);
    }
    for (int32_t n = 1; n < length; n++)
        CHECK(p->timeline->finish[path[n - 1]] <= p->timeline->start[path[n]] ||
              (s->actions[path[n - 1]].fused && path[n] == path[n - 1] + 1));
    free(path);
}

/* One shape of gpipe (both orders), 1f1b, forward and naive with one pair of costs. */
static void sweep_single(int32_t p, int32_t m, int c) {
    static const char *const names[] = {"forward", "naive", "gpipe", "gpipe\nbackward-order=descending", "1f1b"};
    double f = costs[c].forward, b = costs[c].backward;
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        char text[200];
        plan got;
        snprintf(text, sizeof text, "schedule=%s\nranks=%d\nmicrobatches=%d\nforward=%s\nbackward=%s", names[n], p, m,
                 costs[c].f, costs[c].b);
        CHECK_EQ_INT(plan_make(&got, text), PP_OK);
        double want = n == 0 ? (m + p - 1) * f : n == 1 ? m * p * (f + b) : (m + p - 1) * (f + b);
        CHECK_EQ_DOUBLE(got.summary.makespan, want);
        CHECK_EQ_DOUBLE(got.summary.formula, want);
        CHECK_EQ_DOUBLE(got.summary.formula_holds, 1);
        if (n >= 2) { /* SCH-23, SIM-01: no unsplit schedule is faster, and these reach the bound */
            CHECK_EQ_DOUBLE(got.summary.lower_bound, want);
            CHECK_NEAR(got.summary.bubble_fraction, (p - 1.0) / (m + p - 1), 1e-12);
            CHECK_NEAR(got.summary.bubble_ratio, (p - 1.0) / m, 1e-12);
        }
        for (int32_t r = 0; r < p; r++) {
            int32_t kept = m < p - r ? m : p - r;
            int32_t peak = n == 0 ? 0 : n == 1 ? 1 : n == 4 ? kept : m;
            CHECK_EQ_DOUBLE(got.ranks[r].peak_activations, peak);
        }
        check_invariants(&got, text);
        plan_free(&got);
    }
}

/* Megatron's interleaving for each legal group, PyTorch's for each legal m. */
static void sweep_interleaved(int32_t p, int32_t m, int32_t v, int c) {
    double f = costs[c].forward, b = costs[c].backward;
    for (int32_t group = 0; group <= m + 1; group++) {
        char text[200];
        plan got;
        snprintf(text, sizeof text, "s=interleaved\np=%d\nm=%d\nv=%d\nforward=%s\nbackward=%s\ngroup=%.*d", p, m, v,
                 costs[c].f, costs[c].b, group > 0, group);
        if (group == 0) strcpy(strstr(text, "group="), "dialect=pytorch");
        int32_t rounds = m / p > 1 ? m / p : 1, n = group > 0 ? group : m / rounds;
        int legal = group > 0 ? n >= p && n <= m && (m % n == 0 || m % n >= p) : m % rounds == 0;
        int32_t status = plan_make(&got, text);
        CHECK_MSG((status == PP_OK) == legal, "%s: status %d", text, status);
        if (status != PP_OK) {
            CHECK(got.fault.fix_option >= 0);
            plan_free(&got);
            continue;
        }
        if (m >= p) {
            CHECK_MSG(got.summary.makespan == (m * v + p - 1) * (f + b), "%s: %g", text, got.summary.makespan);
            CHECK_EQ_DOUBLE(got.summary.formula_holds, 1);
            for (int32_t r = 0; r < p; r++) {
                int32_t peak = 2 * (p - 1 - r) + (v - 1) * n + 1;
                CHECK_EQ_DOUBLE(got.ranks[r].peak_activations, peak < m * v ? peak : m * v);
            }
        }
        check_invariants(&got, text);
        plan_free(&got);
    }
}

/* 1F1B waits on purpose: in the wait after its warm-up rank 0 could do the next F, and would hold 5 activations, not 4. Moved
 * there it is done there, and all else keeps its time. GPipe and a forward pass leave no F for later. */
static void early_forward(void) {
    plan got, moved;
    CHECK_EQ_INT(plan_make(&got, "s=1f1b\np=4\nm=8"), PP_OK);
    pp_idle idle[64];
    const int32_t count = pp_idle_fill(got.schedule, got.costs, got.timeline, idle, 64);
    CHECK(count > 0 && count < 64);
    CHECK(idle[0].rank == 0 && idle[0].start == 4 && idle[0].finish == 10);
    const int32_t f = (int32_t)idle[0].early;
    CHECK(f == 5 && got.schedule->actions[f].op == PP_F && got.schedule->actions[f].microbatch == 4);
    CHECK_EQ_DOUBLE(idle[0].held, 5);
    CHECK_EQ_INT(plan_make(&moved, "s=1f1b\np=4\nm=8\nmoves=0F4-1"), PP_OK);
    CHECK_EQ_DOUBLE(moved.timeline->start[4], 4);
    CHECK_EQ_DOUBLE(moved.ranks[0].peak_activations, 5);
    CHECK_EQ_DOUBLE(moved.summary.makespan, got.summary.makespan);
    plan_free(&moved);
    plan_free(&got);
    for (int n = 0; n < 2; n++) {
        CHECK_EQ_INT(plan_make(&got, n ? "s=gpipe\np=4\nm=8" : "s=forward\np=4\nm=8"), PP_OK);
        const int32_t waits = pp_idle_fill(got.schedule, got.costs, got.timeline, idle, 64);
        for (int32_t i = 0; i < waits && i < 64; i++) CHECK_EQ_DOUBLE(idle[i].early, -1);
        plan_free(&got);
    }
}

/* SCH-11: one chunk a rank is 1F1B, action by action. */
static void check_one_chunk(void) {
    for (int32_t p = 1; p <= 6; p++) {
        for (int32_t m = 1; m <= 9; m++) {
            plan a, b;
            char text[100];
            snprintf(text, sizeof text, "s=interleaved\np=%d\nm=%d\nv=1", p, m);
            CHECK_EQ_INT(plan_make(&a, text), PP_OK);
            snprintf(text, sizeof text, "s=1f1b\np=%d\nm=%d", p, m);
            CHECK_EQ_INT(plan_make(&b, text), PP_OK);
            CHECK_EQ_INT(a.schedule->action_count, b.schedule->action_count);
            CHECK(memcmp(a.schedule->actions, b.schedule->actions,
                         sizeof(pp_action) * (size_t)a.schedule->action_count) == 0);
            plan_free(&a);
            plan_free(&b);
        }
    }
}

/* Recomputation: late lengthens every hop of the backward, early only the ranks' own work (schedules.md 3). */
static void check_recompute(void) {
    for (int32_t p = 1; p <= 6; p++) {
        for (int32_t m = 1; m <= 10; m++) {
            plan got;
            char text[120];
            snprintf(text, sizeof text, "s=gpipe\np=%d\nm=%d\nrecompute=late", p, m);
            CHECK_EQ_INT(plan_make(&got, text), PP_OK);
            CHECK_EQ_DOUBLE(got.summary.makespan, (m + p - 1) * 4);
            plan_free(&got);
            snprintf(text, sizeof text, "s=gpipe\np=%d\nm=%d\nrecompute=early", p, m);
            CHECK_EQ_INT(plan_make(&got, text), PP_OK);
            CHECK_EQ_DOUBLE(got.summary.makespan, (m + p - 1) * 3 + m);
            plan_free(&got);
        }
    }
}

/* Every schedule of the table over small shapes and uneven costs: what is accepted must run and obey the invariants. */
static void sweep_all(void) {
    int32_t ran = 0;
    for (int32_t id = 0; id < pp_schedule_count(); id++) {
        for (int32_t shape = 0; shape < 8 * 12 * 3; shape++) {
            int32_t p = shape % 8 + 1, m = shape / 8 % 12 + 1, v = shape / 96 + 1;
            plan got;
            char text[160];
            snprintf(text, sizeof text, "s=%s\np=%d\nm=%d\nv=%d\nlatency=0.25", pp_schedule_name(id), p, m, v);
            if (plan_make(&got, text) == PP_OK) {
                check_invariants(&got, text);
                ran++;
            } else {
                CHECK_MSG(got.fault.code == PP_ERR_CHUNKS || got.fault.fix_option >= 0, "%s: no way out named", text);
            }
            plan_free(&got);
        }
    }
    CHECK_MSG(ran >= 96 * 5, "only %d shapes ran", ran);
}

int main(void) {
    for (int c = 0; c < 3; c++) {
        for (int32_t p = 1; p <= 8; p++) {
            for (int32_t m = 1; m <= 24; m++) {
                sweep_single(p, m, c);
                if (m <= 16 && p <= 6)
                    for (int32_t v = 2; v <= 4; v++) sweep_interleaved(p, m, v, c);
            }
        }
    }
    check_one_chunk();
    early_forward();
    check_recompute();
    sweep_all();
    return check_report("schedule");
}
