/* What ranks hold: worked peaks, the level over time against a count by hand, the limit, and that nothing stays. */
#include <stdio.h>

#include "study.h"

static void peaks(const char *text, const double *want) {
    plan p;
    plan_expect(&p, text, PP_OK);
    memory m = plan_memory(&p, text);
    double most = 0;
    for (int32_t r = 0; r < p.schedule->ranks; r++) {
        CHECK_MSG(m.ranks[r].peak == want[r], "%s: rank %d peaks at %g, wanted %g", text, r, m.ranks[r].peak, want[r]);
        CHECK_EQ_DOUBLE(m.ranks[r].last, m.ranks[r].fixed);
        if (m.ranks[r].peak > most) most = m.ranks[r].peak;
    }
    CHECK_EQ_DOUBLE(m.sum.peak, most);
    CHECK_EQ_DOUBLE(m.sum.over_rank, -1);
    memory_free(&m);
    plan_free(&p);
}

static void worked(void) {
    static const double one[] = {4, 3, 2, 1}, all[] = {8, 8, 8, 8}, none[] = {0, 0, 0}, chunks[] = {11, 9, 7, 5};
    peaks("s=1f1b\np=4\nm=8", one);
    peaks("s=gpipe\np=4\nm=8", all);
    peaks("s=forward\np=3\nm=4", none);
    peaks("s=interleaved\np=4\nv=2\nm=8", chunks);
    /* in bytes: 10 of weights, 10 of gradients, 20 of the optimizer, 3 a micro-batch */
    static const double bytes[] = {52, 49, 46, 43}, lighter[] = {27, 24, 21, 18};
    peaks("s=1f1b\np=4\nm=8\nmemory-weights=10\nmemory-optimizer=20\nmemory-activations=3", bytes);
    peaks("s=1f1b\np=4\nm=8\nmemory-weights=10\nmemory-gradients=5\nmemory-activations=3", lighter);
    /* inputs of 1 kept by F, activations of 3 beside one of them while R and B run */
    static const double remade[] = {7, 6, 5, 4}, gpipe[] = {11, 11, 11, 11};
    peaks("s=1f1b\np=4\nm=8\nrecompute=late\nmemory-activations=3\nmemory-inputs=1", remade);
    peaks("s=gpipe\np=4\nm=8\nrecompute=early\nmemory-activations=3\nmemory-inputs=1", gpipe);
    /* SIM-24: the heaviest stage decides, not the average one */
    static const double layers[] = {1, 2, 2, 3};
    peaks("s=forward\np=4\nm=8\nlayers=8\ncuts=1 2 2 3\nmemory-weights=1", layers);
    static const double train[] = {2, 4, 4, 6};
    peaks("s=1f1b\np=4\nm=8\nlayers=8\ncuts=1 2 2 3\nmemory-weights=1", train);
}

/* ZB-H1 holds (p - r) M_B + r M_W on rank r (schedules.md 8), where that schedule is known. */
static void zero_bubble(void) {
    static const double want[] = {8, 7, 6, 5}, whole[] = {8, 8, 8, 8};
    plan p;
    int32_t status = plan_make(&p, "s=zb-h1\np=4\nm=8");
    plan_free(&p);
    if (status != PP_OK) return;
    peaks("s=zb-h1\np=4\nm=8\nmemory-activations=2\nmemory-kept=1", want);
    peaks("s=zb-h1\np=4\nm=8\nmemory-activations=2", whole);
}

/* A schedule with split backwards, made by hand: rank 0 of 2, F F I I W W, where I leaves a third of the activations. */
static void split(void) {
    plan p;
    plan_expect(&p, "s=gpipe\np=1\nm=2\nmemory-activations=3\nmemory-kept=1\nmemory-weights=5\nmemory-gradients=0",
                PP_OK);
    pp_action list[] = {{0, 0, PP_F, 0}, {1, 0, PP_F, 0}, {0, 0, PP_I, 0},
                        {1, 0, PP_I, 0}, {0, 0, PP_W, 0}, {1, 0, PP_W, 0}};
    static int32_t begin[] = {0, 6}, rank[] = {0};
    pp_schedule s = *p.schedule;
    s.actions = list;
    s.rank_begin = begin;
    s.stage_rank = rank;
    s.action_count = 6;
    void *line = malloc(pp_timeline_bytes(&s)), *scratch = malloc(pp_memory_scratch_bytes(&s));
    CHECK_EQ_INT(pp_check(&s, line, pp_timeline_bytes(&s), NULL, NULL), PP_OK);
    CHECK_EQ_INT(pp_simulate(&s, p.costs, PP_TRANSFER_OVERLAP, line, NULL), PP_OK);
    memory m = plan_memory(&p, "memory-activations=3\nmemory-kept=1\nmemory-weights=5\nmemory-gradients=0");
    pp_level levels[12];
    static const double want[][2] = {{0, 8}, {1, 11}, {3, 9}, {4, 7}, {5, 6}, {6, 5}};
    int32_t count = pp_memory_levels(&s, &p.config, m.table, line, 0, scratch, levels, 12);
    CHECK_EQ_INT(count, 6);
    for (int32_t i = 0; i < count && i < 6; i++) {
        CHECK_EQ_DOUBLE(levels[i].time, want[i][0]);
        CHECK_EQ_DOUBLE(levels[i].level, want[i][1]);
    }
    CHECK_EQ_INT(pp_memory_levels(&s, &p.config, m.table, line, 0, scratch, NULL, 0), 6);
    memory_free(&m);
    free(line);
    free(scratch);
    plan_free(&p);
}

/* Stages that take no time: peaks and levels give one answer, and the curve has the instant in which they hold something. */
static void instants(void) {
    plan p;
    plan_expect(&p, "s=1f1b\np=2\nm=2\nforward=1 0\nbackward=2 0", PP_OK);
    static const double want[][2] = {{0, 0}, {1, 1}, {1, 0}, {2, 1}, {2, 0}};
    void *scratch = malloc(pp_memory_scratch_bytes(p.schedule));
    pp_level levels[9];
    int32_t count = pp_memory_levels(p.schedule, &p.config, NULL, p.timeline, 1, scratch, levels, 9);
    double peak = 0;
    CHECK_EQ_INT(count, 5);
    for (int32_t i = 0; i < count && i < 5; i++) {
        CHECK_EQ_DOUBLE(levels[i].time, want[i][0]);
        CHECK_EQ_DOUBLE(levels[i].level, want[i][1]);
        if (levels[i].level > peak) peak = levels[i].level;
    }
    CHECK_EQ_DOUBLE(peak, p.ranks[1].peak_activations);
    free(scratch);
    plan_free(&p);
}

/* What one action has added to its rank's memory by a time, counted afresh: 4 of activations, 2.5 kept from I to W, 1 of
 * input. */
static double added(const pp_schedule *s, const pp_timeline *line, int32_t i, double now) {
    const pp_action *a = &s->actions[i];
    double start = line->start[i], finish = line->finish[i], input = 0;
    for (int32_t j = 0; j < s->action_count; j++)
        if (s->actions[j].op == PP_R && s->actions[j].stage == a->stage && s->actions[j].microbatch == a->microbatch)
            input = 1;
    if (!s->trains) return 0;
    if (a->op == PP_F && start <= now) return input > 0 ? input : 4;
    if (a->op == PP_R && start <= now) return 4;
    if (a->op == PP_B && finish <= now) return -4 - input;
    if (a->op == PP_I && finish <= now) return 2.5 - 4;
    if (a->op == PP_W && finish <= now) return -2.5 - input;
    return 0;
}

/* The report and the curve tell the same, and a second count of it all, action by action, too. */
static void curves(int32_t id, int shape, const char *more) {
    char text[400];
    plan p;
    if (!plan_shape(&p, id, shape, more, text, sizeof text)) return;
    memory mem = plan_memory(&p, "memory-weights=7\nmemory-activations=4\nmemory-kept=2.5\nmemory-inputs=1");
    const pp_schedule *s = p.schedule;
    int32_t most = 2 * s->action_count + 1;
    pp_level *levels = malloc(sizeof(pp_level) * (size_t)most);
    double fixed = 0;
    for (int32_t r = 0; r < s->ranks; r++) {
        int32_t count = pp_memory_levels(s, &p.config, mem.table, p.timeline, r, mem.scratch, levels, most);
        double peak = 0;
        for (int32_t i = 0; i < count; i++) {
            if (levels[i].level > peak) peak = levels[i].level;
            if (i > 0) CHECK(levels[i].time > levels[i - 1].time && levels[i].level != levels[i - 1].level);
            double held = mem.ranks[r].fixed;
            for (int32_t j = s->rank_begin[r]; j < s->rank_begin[r + 1]; j++)
                held += added(s, p.timeline, j, levels[i].time);
            CHECK_MSG(held == levels[i].level, "%s: rank %d at %g: %g, wanted %g", text, r, levels[i].time,
                      levels[i].level, held);
        }
        CHECK_EQ_DOUBLE(peak, mem.ranks[r].peak);
        CHECK_EQ_DOUBLE(levels[0].time, 0);
        CHECK_EQ_DOUBLE(levels[count - 1].level, mem.ranks[r].fixed);
        CHECK_EQ_DOUBLE(mem.ranks[r].last, mem.ranks[r].fixed);
        fixed += mem.ranks[r].fixed - 7 * (p.ranks[r].weight_versions - 1) * s->stages / s->ranks;
    }
    CHECK_EQ_DOUBLE(fixed, (s->trains ? 14 : 7) * s->stages * s->pipes); /* each copy of each stage lies somewhere */
    free(levels);
    memory_free(&mem);
    mem = plan_memory(&p, text); /* in activations */
    CHECK_EQ_INT(mem.given, 0);
    for (int32_t r = 0; r < s->ranks; r++)
        if (s->recompute == PP_RECOMPUTE_NONE) CHECK_EQ_DOUBLE(mem.ranks[r].peak, p.ranks[r].peak_activations);
    memory_free(&mem);
    plan_free(&p);
}

static void limit(void) {
    static const char *text = "s=1f1b\np=4\nm=8\nmemory-weights=10\nmemory-activations=3\nmemory-capacity=28.5";
    plan p;
    plan_expect(&p, text, PP_OK);
    memory m = plan_memory(&p, text);
    CHECK_EQ_DOUBLE(m.sum.over_rank, 0); /* 20 + 3 * 3 is over; rank 1 has three at tick 5 */
    CHECK_EQ_DOUBLE(m.sum.over_time, 2);
    CHECK_EQ_DOUBLE(m.sum.over_by, 0.5);
    CHECK_EQ_DOUBLE(m.sum.over_action, 2);
    memory_free(&m);
    m = plan_memory(&p, "memory-weights=10\nmemory-activations=3\nmemory-capacity=32"); /* its peak: full, not over */
    CHECK_EQ_DOUBLE(m.sum.peak, 32);
    CHECK_EQ_DOUBLE(m.sum.over_rank, -1);
    memory_free(&m);
    m = plan_memory(&p, "memory-weights=10 10 20 10\nmemory-activations=3\nmemory-capacity=39");
    CHECK_EQ_DOUBLE(m.sum.over_rank, 2); /* does not hold its weights */
    CHECK_EQ_DOUBLE(m.sum.over_time, 0);
    CHECK_EQ_DOUBLE(m.sum.over_by, 1);
    CHECK_EQ_DOUBLE(m.sum.over_action, -1);
    memory_free(&m);
    double table[4 * PP_MEMORY_ROWS], capacity;
    pp_fault fault;
    static const char *bad[] = {"memory-activations=2\nmemory-kept=1 1 3 1", "memory-kept=1"};
    for (int i = 0; i < 2; i++) {
        const pp_request asked = request_of(bad[i]);
        CHECK_EQ_INT(pp_memory_read(&asked, &p.config, p.costs, table, &capacity, NULL, &fault), PP_ERR_MEMORY_SHARE);
    }
    plan_free(&p);
    plan_expect(&p, "p=3\nmemory-weights=1 2", PP_ERR_LIST_LENGTH);
    plan_free(&p);
    plan_expect(&p, "p=3\nmemory-capacity=-5", PP_ERR_RANGE);
    plan_free(&p);
}

int main(void) {
    worked();
    zero_bubble();
    split();
    instants();
    for (int32_t id = 0; id < pp_schedule_count(); id++) {
        for (int shape = 0; shape < SHAPES - 1; shape++) {
            curves(id, shape, "latency=0.5");
            curves(id, shape, "recompute=late");
            curves(id, shape, "recompute=early\nforward=2");
        }
    }
    limit();
    return check_report("memory");
}
