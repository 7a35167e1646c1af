/* Cuts with the least makespan against all cuts there are: layers with shares of F, I and W of their own, several stages a
 * rank, ends that cost more. What is said to be proved must be the best; what is found for interleaved stages must be the best
 * whether it is proved or not. */
#include <stdio.h>

#include "check.h"
#include "plan.h"
#include "schedules/schedule.h"

static uint32_t random_state = 1;

static int32_t random_from(int32_t low, int32_t high) {
    random_state = random_state * 1664525u + 1013904223u;
    return low + (int32_t)(random_state >> 16) % (high - low + 1);
}

/* ---- all cuts ---- */

enum { MOST_STAGES = 8, MOST_LAYERS = 40 };

typedef struct all_cuts {
    plan *p;
    int32_t layers, stages;
    double layer[3][MOST_LAYERS], embedding[3], head[3]; /* F, I, W */
    int32_t at[MOST_STAGES + 1];
    double *costs;
    double best;
    long count;
} all_cuts;

static void stage_costs(const all_cuts *a, int32_t s, double *costs) {
    static const int32_t rows[3] = {PP_COST_FORWARD, PP_COST_INPUT, PP_COST_WEIGHT};
    int32_t n = a->stages;
    for (int32_t i = 0; i < 3; i++) {
        double sum = (s == 0 ? a->embedding[i] : 0) + (s == n - 1 ? a->head[i] : 0);
        for (int32_t l = a->at[s]; l < a->at[s + 1]; l++) sum += a->layer[i][l];
        costs[rows[i] * n + s] = sum;
    }
    costs[PP_COST_BACKWARD * n + s] = costs[PP_COST_INPUT * n + s] + costs[PP_COST_WEIGHT * n + s];
    costs[PP_COST_RECOMPUTE * n + s] = costs[PP_COST_FORWARD * n + s];
}

static double end_of(const plan *p) {
    double end = 0;
    for (int32_t r = 0; r < p->schedule->ranks; r++) {
        double last = p->timeline->finish[p->schedule->rank_begin[r + 1] - 1];
        if (last > end) end = last;
    }
    return end;
}

static void go_through(all_cuts *a, int32_t stage) {
    if (stage == a->stages) {
        stage_costs(a, stage - 1, a->costs);
        pp_simulate(a->p->schedule, a->costs, a->p->config.transfer, a->p->timeline, NULL);
        double end = end_of(a->p);
        if (a->count++ == 0 || end < a->best) a->best = end;
        return;
    }
    for (a->at[stage] = a->at[stage - 1] + 1; a->at[stage] <= a->layers - (a->stages - stage); a->at[stage]++) {
        stage_costs(a, stage - 1, a->costs);
        go_through(a, stage + 1);
    }
}

/* The request with its layers, searched and then gone through. */
static void compare(const char *head, all_cuts *a, int32_t own, int32_t must_prove) {
    static const char *const names[3] = {"layer-forward", "layer-input-gradient", "layer-weight-gradient"};
    char text[4000];
    plan p;
    int used = snprintf(text, sizeof text, "%s\npartition=makespan\nlayers=", head);
    for (int32_t l = 0; l < a->layers; l++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%g; ",
                         own ? a->layer[0][l] + a->layer[1][l] + a->layer[2][l] : a->layer[0][l]);
    for (int32_t i = 0; i < 3 && own; i++) {
        used += snprintf(text + used, sizeof text - (size_t)used, "\n%s=", names[i]);
        for (int32_t l = 0; l < a->layers; l++)
            used += snprintf(text + used, sizeof text - (size_t)used, "%g; ", a->layer[i][l]);
    }
    CHECK_MSG(plan_make(&p, text) == PP_OK, "%s", text);
    CHECK_EQ_INT(pp_partition_search(p.schedule, &p.config, p.costs, p.timeline, NULL), PP_OK);
    double found = end_of(&p);
    pp_partition_summary sum;
    pp_partition_summarize(&p.config, p.costs, &sum);
    a->p = &p;
    a->stages = p.config.stages;
    a->costs = malloc((size_t)pp_costs_bytes(&p.config));
    memcpy(a->costs, p.costs, sizeof(double) * PP_COST_ROWS * (size_t)a->stages);
    a->at[0] = a->count = 0;
    a->at[a->stages] = a->layers;
    go_through(a, 1);
    if (must_prove || sum.proved == 1)
        CHECK_MSG(fabs(found - a->best) <= 1e-9 * a->best, "%s: %.12g, proved %g, best %.12g", text, found, sum.proved,
                  a->best);
    if (must_prove == 2) CHECK_EQ_DOUBLE(sum.proved, 1);
    CHECK_MSG(found >= a->best * (1 - 1e-9), "%s: %.12g, best %.12g", text, found, a->best);
    free(a->costs);
    plan_free(&p);
}

/* Ten thousand small requests, half of them with shares of their own in each layer. */
static void test_small(int32_t cases) {
    static const char *const names[] = {"1f1b", "gpipe",          "interleaved", "zb-h1",
                                        "bfs",  "interleaved-zb", "zb-v",        "hanayo"};
    long cuts = 0;
    for (int32_t n = 0; n < cases; n++) {
        const char *name = names[random_from(0, 7)];
        int32_t v = strcmp(name, "1f1b") == 0 || strcmp(name, "gpipe") == 0 || strcmp(name, "zb-h1") == 0 ? 1 : 2;
        int32_t p = v == 1 ? random_from(2, 4) : 2, m = p * random_from(1, 3), own = n % 2, stages = p * v;
        all_cuts a = {.layers = stages + random_from(0, 5)};
        if (strcmp(name, "zb-v") == 0) m = 2 * p;
        for (int32_t l = 0; l < a.layers; l++)
            for (int32_t i = 0; i < 3; i++) a.layer[i][l] = own || i == 0 ? random_from(0, 9) : a.layer[0][l];
        char head[200];
        int32_t first = random_from(0, 1) * random_from(0, 5), last = random_from(0, 1) * random_from(0, 9);
        for (int32_t i = 0; i < 3; i++) a.embedding[i] = first, a.head[i] = last;
        snprintf(head, sizeof head, "s=%s\np=%d\nm=%d\nv=%d\nlatency=%d\nembedding=%d\nhead=%d", name, p, m, v,
                 random_from(0, 2), first, last);
        compare(head, &a, own, 2);
        cuts += a.count;
    }
    printf("cuts: %d requests against %ld cuts\n", cases, cuts);
}

/* Interleaved: 34 layers with an uneven embedding and a head of 2.4 blocks, and sixty lists of uneven layers. */
static void test_interleaved(void) {
    all_cuts a = {.layers = 34};
    for (int32_t i = 0; i < 3; i++) {
        for (int32_t l = 0; l < a.layers; l++) a.layer[i][l] = 1;
        a.embedding[i] = 0.3;
        a.head[i] = 2.4;
    }
    compare("s=interleaved\np=4\nm=8\nv=2\nembedding=0.3\nhead=2.4", &a, 0, 1);
    for (int32_t n = 0; n < 60; n++) {
        all_cuts b = {.layers = random_from(12, 20)};
        int32_t most = random_from(1, 9);
        for (int32_t l = 0; l < b.layers; l++)
            for (int32_t i = 0; i < 3; i++) b.layer[i][l] = i == 0 ? random_from(1, 1 + most) : b.layer[0][l];
        int32_t head = random_from(0, 8);
        for (int32_t i = 0; i < 3; i++) b.head[i] = head;
        char text[200];
        snprintf(text, sizeof text, "s=interleaved\np=4\nm=%d\nv=2\nhead=%d", 4 * random_from(1, 3), head);
        compare(text, &b, 0, 1);
    }
}

/* 24 layers whose shares of F, I and W differ, of which a search that takes the shares for equal is wrong. */
static void test_shares(void) {
    for (int32_t n = 0; n < 40; n++) {
        all_cuts a = {.layers = 24};
        for (int32_t l = 0; l < a.layers; l++)
            for (int32_t i = 0; i < 3; i++) a.layer[i][l] = (double)random_from(1, 12 * (1 + (l / 8 == i))) / 4;
        compare(n % 2 ? "s=zb-h1\np=3\nm=3" : "s=1f1b\np=3\nm=3", &a, 1, 2);
    }
}

/* An order that depends on the costs is made for the cut it stands with: made again, it is the same. */
static void test_anew(void) {
    for (int32_t n = 0; n < 10; n++) {
        plan p;
        char text[400];
        snprintf(text, sizeof text,
                 "s=zb-auto\np=3\nm=5\npartition=makespan\nlayers=4 9 1 3 3 8 %d 2\nhead=%d\nmemory-limit=%d", n, n % 4,
                 1 + n % 4);
        CHECK_EQ_INT(plan_make(&p, text), PP_OK);
        double before = end_of(&p);
        CHECK_EQ_INT(pp_partition_search(p.schedule, &p.config, p.costs, p.timeline, NULL), PP_OK);
        double found = end_of(&p);
        CHECK_MSG(found <= before, "%s: %g, before %g", text, found, before);
        CHECK_EQ_INT(pp_schedule_make(&p.config, p.costs, p.schedule, pp_schedule_bytes(&p.config), NULL), PP_OK);
        CHECK_EQ_INT(pp_check(p.schedule, p.timeline, pp_timeline_bytes(p.schedule), NULL, NULL), PP_OK);
        CHECK_EQ_INT(pp_simulate(p.schedule, p.costs, p.config.transfer, p.timeline, NULL), PP_OK);
        CHECK_EQ_DOUBLE(end_of(&p), found);
        plan_free(&p);
    }
}

int main(void) {
    test_small(10000);
    test_interleaved();
    test_shares();
    test_anew();
    return check_report("cuts");
}
