/* The table of schedules: closed forms, peaks and versions over a sweep of shapes and costs, and what each refuses. */
#include <stdio.h>

#include "check.h"
#include "plan.h"

/* F, I, W. In the unsplit schedules B is their sum. */
static const double costs[][3] = {{1, 1, 1}, {1, 0.5, 0.5}, {2, 2, 1}, {3, 4, 2}, {1, 1, 2},
                                  {2, 1, 1}, {1, 3, 1},     {5, 1, 2}, {1, 2, 4}, {4, 1, 1},
                                  {1, 0, 1}, {2, 3, 0},     {4, 3, 2}, {7, 5, 6}, {0.25, 6, 5}};
enum { COSTS = sizeof costs / sizeof costs[0] };

static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }

/* ---- closed forms: the formula a schedule claims is the makespan of what it generates ---- */

typedef struct form {
    const char *schedule;
    int32_t v_max;
    const char *more; /* further lines of the request; %d takes 1 .. more_max */
    int32_t more_max;
    int32_t forms; /* requests of the sweep that have a closed form */
} form;

static const form forms[] = {
    {"forward", 4, "", 1, 4860},
    {"forward", 3, "group=%d", 5, 18225},
    {"forward", 2, "placement=v", 1, 2430},
    {"naive", 1, "", 1, 1215},
    {"gpipe", 1, "", 1, 1215},
    {"gpipe", 1, "recompute=late\nbackward-order=descending", 1, 1215},
    {"1f1b", 1, "", 1, 1215},
    {"1f1b", 1, "recompute=late", 1, 1215},
    {"eager-1f1b", 1, "", 1, 1215},
    {"1f1b-overlap", 1, "", 1, 765},
    {"1f1b-overlap", 1, "overlap-cost=1%d", 3, 2295},
    {"interleaved", 4, "", 1, 2250},
    {"interleaved", 4, "dialect=pytorch", 1, 4005},
    {"interleaved", 3, "group=%d\nwarmup-factor=1", 9, 15075},
    {"interleaved", 3, "recompute=late", 1, 1905},
    {"interleaved-overlap", 3, "", 1, 1905},
    {"interleaved-overlap", 3, "group=%d\noverlap-cost=12.5", 9, 15075},
    {"bfs", 4, "", 1, 4860},
    {"bfs", 3, "recompute=late", 1, 3645},
    {"gis", 3, "", 1, 1035},
    {"gis", 3, "group=%d", 6, 1194},
    {"interleaved-zb", 3, "", 1, 2115},
    {"zb-h1", 1, "", 1, 1215},
    {"zb-h1", 1, "recompute=late", 1, 1215},
    {"zb-h2", 1, "", 1, 1215},
    {"zb-v", 2, "", 1, 306},
    {"dualpipe", 1, "", 1, 120},
    {"dualpipe", 1, "overlap-cost=1%d", 3, 360},
    {"dualpipe-v", 2, "", 1, 450},
    {"dualpipe-v", 2, "overlap-cost=1%d", 3, 1350},
    {"chimera", 1, "pipes=%d", 6, 495},
    {"hanayo", 4, "", 1, 1140},
    {"hanayo", 4, "recompute=late", 1, 1140},
    {"pipedream", 1, "", 1, 1215},
    {"2bw", 1, "", 1, 990},
    {"seq1f1b", 1, "slices=%d", 4, 4860},
};

static int32_t one_form(const char *text) {
    plan got;
    int32_t known = 0, status = plan_make(&got, text);
    CHECK_MSG(status != PP_ERR_DEADLOCK, "%s: deadlock", text);
    if (status == PP_OK) {
        const pp_summary *sum = &got.summary;
        known = sum->formula >= 0;
        CHECK_MSG(!known || sum->formula_holds == 1, "%s: takes %.17g, formula %.17g", text, sum->makespan,
                  sum->formula);
        CHECK_MSG(sum->lower_bound <= sum->makespan, "%s: bound %g over %g", text, sum->lower_bound, sum->makespan);
    } else {
        CHECK_MSG(got.fault.fix_option >= 0, "%s: no way out named", text);
    }
    plan_free(&got);
    return known;
}

static void sweep_forms(const form *f) {
    int32_t known = 0;
    for (int32_t p = 1; p <= 6; p++)
        for (int32_t m = 1; m <= 3 * p + 3; m++)
            for (int32_t v = 1; v <= f->v_max; v++)
                for (int32_t more = 1; more <= f->more_max; more++)
                    for (int c = 0; c < COSTS; c++) {
                        char text[400];
                        int used = snprintf(text, sizeof text,
                                            "schedule=%s\nranks=%d\nmicrobatches=%d\nchunks=%d\nforward=%g\n"
                                            "input-gradient=%g\nweight-gradient=%g\nrecompute-cost=1.5\n",
                                            f->schedule, p, m, v, costs[c][0], costs[c][1], costs[c][2]);
                        snprintf(text + used, sizeof text - (size_t)used, f->more, more);
                        known += one_form(text);
                    }
    CHECK_MSG(known == f->forms, "%s %s: %d requests have a closed form", f->schedule, f->more, known);
}

/* ---- chunks in flight, rank by rank ---- */

typedef int32_t (*peak_of)(int32_t p, int32_t m, int32_t v, int32_t r);

static int32_t peak_eager(int32_t p, int32_t m, int32_t v, int32_t r) { return least(m, 2 * (p - r) - 1 + 0 * v); }
static int32_t peak_overlap(int32_t p, int32_t m, int32_t v, int32_t r) { return least(m, 2 * (p - r) + 0 * v); }
static int32_t peak_bfs(int32_t p, int32_t m, int32_t v, int32_t r) { return m * v + 0 * (p + r); }
static int32_t peak_h1(int32_t p, int32_t m, int32_t v, int32_t r) { return least(m, p) + 0 * (v + r); }
static int32_t peak_h2(int32_t p, int32_t m, int32_t v, int32_t r) { return least(m, 2 * p - 1) + 0 * (v + r); }
static int32_t peak_dual(int32_t p, int32_t m, int32_t v, int32_t r) { return p * v + 1 + 0 * (m + r); }
static int32_t peak_gis(int32_t p, int32_t m, int32_t v, int32_t r) { return m % p != 0 ? -1 : p * v - r; }
static int32_t peak_zb_v(int32_t p, int32_t m, int32_t v, int32_t r) { return m < 2 * p ? -1 : p * v + 0 * r; }
static int32_t peak_zb_i(int32_t p, int32_t m, int32_t v, int32_t r) { return m % p != 0 ? -1 : p * v + 0 * r; }
static int32_t peak_hanayo(int32_t p, int32_t m, int32_t v, int32_t r) { return m % p != 0 ? -1 : p * v - (p - 1 - r); }
static int32_t peak_chimera(int32_t p, int32_t m, int32_t v, int32_t r) {
    return m % p != 0 ? -1 : p / 2 + 1 + least(r, p - 1 - r) + 0 * v;
}
static int32_t peak_seq(int32_t p, int32_t m, int32_t v, int32_t r) { return least(3 * m, p - 1 - r + 3) + 0 * v; }

static const struct {
    const char *schedule, *more;
    peak_of peak;
} peaks[] = {
    {"eager-1f1b", "", peak_eager},
    {"1f1b-overlap", "", peak_overlap},
    {"interleaved-zb", "", peak_zb_i},
    {"bfs", "", peak_bfs},
    {"gis", "", peak_gis},
    {"zb-h1", "", peak_h1},
    {"zb-h2", "", peak_h2},
    {"zb-v", "", peak_zb_v},
    {"dualpipe", "", peak_dual},
    {"dualpipe-v", "", peak_dual},
    {"chimera", "", peak_chimera},
    {"hanayo", "", peak_hanayo},
    {"seq1f1b", "slices=3", peak_seq},
};

static void check_peaks(void) {
    for (size_t n = 0; n < sizeof peaks / sizeof peaks[0]; n++) {
        int32_t compared = 0;
        for (int32_t p = 1; p <= 8; p++)
            for (int32_t m = 1; m <= 4 * p; m++)
                for (int32_t v = 1; v <= 4; v++) {
                    char text[200];
                    plan got;
                    snprintf(text, sizeof text, "s=%s\np=%d\nm=%d\nv=%d\n%s", peaks[n].schedule, p, m, v,
                             peaks[n].more);
                    if (plan_make(&got, text) == PP_OK) {
                        for (int32_t r = 0; r < p; r++) {
                            int32_t want = peaks[n].peak(p, m, v, r);
                            if (want < 0) continue;
                            CHECK_MSG(got.ranks[r].peak_activations == want, "%s: rank %d has %g in flight, wanted %d",
                                      text, r, got.ranks[r].peak_activations, want);
                            compared++;
                        }
                    }
                    plan_free(&got);
                }
        CHECK_MSG(compared > 50, "%s: %d peaks", peaks[n].schedule, compared);
    }
}

/* ---- asynchronous schedules: versions by counting what each rank has done before ---- */

static void check_versions(const char *text) {
    plan got;
    CHECK_EQ_INT(plan_make(&got, text), PP_OK);
    const pp_schedule *s = got.schedule;
    const int two = strcmp(pp_schedule_name(got.config.schedule), "2bw") == 0;
    const int32_t every = two ? got.config.group : 1;
    CHECK_EQ_INT(pp_schedule_asynchronous(got.config.schedule), 1);
    for (int32_t r = 0; r < s->ranks; r++) {
        int32_t backwards = 0, oldest = 0;
        for (int32_t i = s->rank_begin[r]; i < s->rank_begin[r + 1]; i++) {
            const int32_t k = s->actions[i].microbatch, version = pp_weight_version(&got.config, r, k);
            const int32_t made = backwards / every; /* updates applied so far */
            CHECK_MSG(version <= made, "%s: rank %d uses weights it has not made yet", text, r);
            CHECK_EQ_INT(pp_weight_delay(&got.config, r, k), k / every - version);
            if (s->actions[i].op == PP_F) {
                if (!two) CHECK_EQ_INT(version, made);                 /* the newest there is */
                oldest = pp_weight_version(&got.config, r, backwards); /* of those still to come back */
                CHECK_MSG(made - oldest + 1 <= got.ranks[r].weight_versions, "%s: rank %d keeps %d versions", text, r,
                          made - oldest + 1);
            }
            backwards += s->actions[i].op == PP_B;
        }
        if (!two) CHECK_EQ_DOUBLE(got.ranks[r].weight_versions, least(s->ranks - r, s->microbatches));
    }
    plan_free(&got);
}

static void check_asynchronous(void) {
    for (int32_t p = 1; p <= 6; p++) {
        for (int32_t m = 1; m <= 20; m++) {
            char text[100];
            snprintf(text, sizeof text, "s=pipedream\np=%d\nm=%d", p, m);
            check_versions(text);
            for (int32_t group = p; group <= 2 * p; group++) {
                snprintf(text, sizeof text, "s=2bw\np=%d\nm=%d\ngroup=%d", p, m, group);
                check_versions(text);
            }
        }
    }
    plan got;
    CHECK_EQ_INT(plan_make(&got, "s=1f1b\np=4\nm=8"), PP_OK);
    CHECK_EQ_INT(pp_schedule_asynchronous(got.config.schedule), 0);
    CHECK_EQ_INT(pp_weight_version(&got.config, 0, 7), 0);
    CHECK_EQ_INT(pp_weight_delay(&got.config, 0, 7), 0);
    plan_free(&got);
}

/* ---- recomputation ---- */

static int32_t count_op(const pp_schedule *s, int32_t op, int32_t microbatch) {
    int32_t count = 0;
    for (int32_t i = 0; i < s->action_count; i++)
        count += s->actions[i].op == op && s->actions[i].microbatch / s->slices == microbatch;
    return count;
}

static void check_recompute(void) {
    for (int32_t id = 0; id < pp_schedule_count(); id++) {
        if (!pp_schedule_option_used(id, PP_OPT_RECOMPUTE)) continue;
        for (int32_t mode = 0; pp_option_choice(PP_OPT_RECOMPUTE, mode)[0] != 0; mode++) {
            char text[200];
            plan got;
            snprintf(text, sizeof text, "s=%s\np=4\nm=8\nrecompute=%s", pp_schedule_name(id),
                     pp_option_choice(PP_OPT_RECOMPUTE, mode));
            CHECK_EQ_INT(plan_make(&got, text), PP_OK);
            const pp_schedule *s = got.schedule;
            int32_t all = s->stages * s->slices, spared = mode >= PP_RECOMPUTE_LATE_EXCEPT_LAST;
            CHECK_EQ_INT(count_op(s, PP_R, 0), mode == PP_RECOMPUTE_NONE ? 0 : all);
            CHECK_EQ_INT(count_op(s, PP_R, 7), mode == PP_RECOMPUTE_NONE || spared ? 0 : all);
            plan_free(&got);
        }
    }
}

/* ---- numbers that were published or reported, by their label ---- */

static void expect_time(const char *text, double makespan) {
    plan got;
    int32_t status = plan_make(&got, text);
    CHECK_MSG(status == PP_OK, "%s: %s", text, pp_status_name(status));
    if (status == PP_OK)
        CHECK_MSG(got.summary.makespan == makespan, "%s: %g, wanted %g", text, got.summary.makespan, makespan);
    plan_free(&got);
}

static void expect_stages(const char *text, int32_t rank, int32_t first, int32_t second) {
    plan got;
    CHECK_EQ_INT(plan_make(&got, text), PP_OK);
    for (int32_t stage = 0; stage < got.schedule->stages; stage++)
        CHECK_MSG((got.schedule->stage_rank[stage] == rank) == (stage == first || stage == second), "%s: stage %d",
                  text, stage);
    plan_free(&got);
}

static void check_published(void) {
    /* SIM-26 */
    /* A device's work shared among its chunks, and the batch's among its micro-batches. */
    expect_time("s=interleaved\np=4\nm=8\nv=2", 57);
    expect_time("s=interleaved\np=4\nm=8\nv=2\ncosts-of=device", 28.5);
    expect_time("s=interleaved\np=4\nm=8\nv=2\ncosts-of=device\nforward=1 1 1 1\nbackward=2", 28.5);
    expect_time("s=interleaved\np=4\nm=8\nv=2\ncosts-of=device\nforward=0.5*8", 28.5);
    expect_time("s=seq1f1b\np=4\nm=8\ncosts-of=device", 28.5);
    expect_time("s=zb-v\np=4\nm=8\ncosts-of=device", 25.5);
    expect_time("s=forward\np=3\nm=1\ncosts-of=batch", 3);
    expect_time("s=forward\np=3\nm=8\ncosts-of=batch", 1.25);
    expect_time("s=gpipe\np=4\nm=8\nv=1\ncosts-of=batch\nlatency=1", 33. / 8 + 6);
    expect_time("s=gpipe\np=4\nm=8\nrecompute=late", 44);
    expect_time("s=gpipe\np=4\nm=8\nrecompute=late-except-last", 43);
    expect_time("s=gpipe\np=4\nm=8\nrecompute=Late_Except_Last\nbackward-order=descending", 43);
    expect_time("s=gpipe\np=4\nm=8\nrecompute=early", 41);
    expect_time("s=gpipe\np=4\nm=8\nrecompute=early-except-last", 40);
    expect_time("s=gpipe\np=3\nm=4\nrecompute=late", 24);
    /* SCH-17 */
    expect_time("s=interleaved\np=4\nv=2\nm=8\nbackward=1", 38);
    expect_time("s=interleaved\np=4\nv=2\nm=8\nbackward=1\nwarmup-factor=1", 38);
    expect_time("s=interleaved\np=4\nv=2\nm=8\nforward=2\nbackward=2\nlatency=1", 90);
    expect_time("s=interleaved\np=4\nv=2\nm=8\nforward=2\nbackward=2\nlatency=1\nwarmup-factor=1", 106);
    /* SIM-13 */
    expect_time("s=forward\np=2\nv=2\nm=1\nlatency=5\nplacement=v", 14);
    expect_time("s=forward\np=2\nv=2\nm=1\nlatency=5", 19);
    /* SIM-05, SCH-18 */
    expect_time("s=dualpipe\np=8\nm=20", 66);
    expect_time("s=dualpipe\np=8\nm=20\noverlap-cost=2", 52);
    expect_time("s=dualpipe-v\np=4\nm=10", 66);
    /* eager 1F1B hides the round trip that 1F1B pays (schedules.md 4b) */
    expect_time("s=1f1b\np=4\nm=8\nlatency=0.5", 41);
    expect_time("s=eager-1f1b\np=4\nm=8\nlatency=0.5", 36);
    /* Chimera, F = B: 3p - 2 slots, and 2m + p/f - 2 */
    expect_time("s=chimera\np=8\nm=8\nbackward=1", 22);
    expect_time("s=chimera\np=8\nm=8\nbackward=1\npipes=4", 18);
    expect_time("s=chimera\np=8\nm=32\nbackward=1", 70);
    /* Hanayo, one wave: the greedy order's third of idle time */
    expect_time("s=hanayo\np=4\nm=4", 36);
    /* SCH-15 */
    expect_stages("s=zb-v\np=4", 0, 0, 7);
    expect_stages("s=hanayo\np=4", 3, 3, 4);
    expect_stages("s=interleaved\np=4\nm=4", 0, 0, 4);
    expect_stages("s=forward\np=4\nv=2\nplacement=v", 1, 1, 6);
}

/* ---- refusals ---- */

static void expect(const char *text, int32_t status, int32_t option, const char *fix) {
    plan got;
    int32_t seen = plan_make(&got, text);
    CHECK_MSG(seen == status, "%s: %s, wanted %s", text, pp_status_name(seen), pp_status_name(status));
    if (seen == status && status != PP_OK) {
        CHECK_EQ_INT(got.fault.option, option);
        CHECK_EQ_TEXT(got.fault.fix_value, fix);
        for (int32_t lang = 0; lang < 2; lang++) {
            char message[500];
            int32_t length = pp_fault_message(&got.fault, lang, message, sizeof message);
            CHECK(length > 20 && length < 500);
            CHECK_MSG(strchr(message, '%') == NULL, "%s", message);
            CHECK_MSG(strstr(message, got.fault.seen) != NULL && strstr(message, fix) != NULL, "%s", message);
        }
    }
    plan_free(&got);
}

static void check_refusals(void) {
    expect("s=dualpipe\np=3\nm=8", PP_ERR_RANKS_EVEN, PP_OPT_RANKS, "4"); /* SCH-18 */
    expect("s=dualpipe\np=5\nm=8", PP_ERR_RANKS_EVEN, PP_OPT_RANKS, "4");
    expect("s=dualpipe\np=8\nm=12", PP_ERR_MICROBATCHES_FEW, PP_OPT_MICROBATCHES, "16");
    expect("s=dualpipe\np=8\nm=17", PP_ERR_MICROBATCHES_EVEN, PP_OPT_MICROBATCHES, "18");
    expect("s=dualpipe\np=8\nm=20", PP_OK, -1, "");
    expect("s=dualpipe\np=4\nm=8\nrecompute=late", PP_ERR_OPTION_MEANINGLESS, PP_OPT_RECOMPUTE, "");
    expect("s=dualpipe-v\np=4\nm=7", PP_ERR_MICROBATCHES_FEW, PP_OPT_MICROBATCHES, "8");
    expect("s=dualpipe-v\np=3\nm=7", PP_OK, -1, "");
    expect("s=zb-v\np=4\nv=3", PP_ERR_CHUNKS, PP_OPT_CHUNKS, "2");
    expect("s=zb-v\np=4\nm=1", PP_OK, -1, "");
    expect("s=zb-h2\np=4\nm=3", PP_OK, -1, "");
    expect("s=1f1b-overlap\np=4\nm=6", PP_ERR_MICROBATCHES_FEW, PP_OPT_MICROBATCHES, "7");
    expect("s=interleaved-overlap\np=4\nm=13\ngroup=4", PP_ERR_GROUP_REMAINDER, PP_OPT_MICROBATCHES, "12");
    expect("s=interleaved-zb\np=4\nm=13", PP_ERR_ROUNDS, PP_OPT_MICROBATCHES, "12");
    expect("s=interleaved-zb\np=2\nm=7\nv=1", PP_ERR_ROUNDS, PP_OPT_MICROBATCHES, "8");
    expect("s=gis\np=4\nm=8\ngroup=1", PP_ERR_GROUP_HALF, PP_OPT_GROUP, "2");
    expect("s=gis\np=5\nm=8\ngroup=2", PP_ERR_GROUP_HALF, PP_OPT_GROUP, "3");
    expect("s=gis\np=4\nm=8\ngroup=5", PP_ERR_GROUP_HALF, PP_OPT_GROUP, "4");
    expect("s=chimera\np=3\nm=3", PP_ERR_RANKS_EVEN, PP_OPT_RANKS, "4");
    expect("s=chimera\np=8\nm=12", PP_ERR_MICROBATCHES_MULTIPLE, PP_OPT_MICROBATCHES, "16");
    expect("s=chimera\np=8\nm=5", PP_OK, -1, "");
    expect("s=chimera\np=8\nm=8\npipes=3", PP_ERR_PIPES, PP_OPT_PIPES, "2");
    expect("s=chimera\np=8\nm=8\npipes=6", PP_ERR_PIPES, PP_OPT_PIPES, "4");
    expect("s=chimera\np=12\nm=12\npipes=4096", PP_ERR_PIPES, PP_OPT_PIPES, "12");
    expect("s=hanayo\np=4\nm=8\nv=3", PP_ERR_CHUNKS_EVEN, PP_OPT_CHUNKS, "4");
    expect("s=2bw\np=4\nm=3", PP_ERR_MICROBATCHES_FEW, PP_OPT_MICROBATCHES, "4");
    expect("s=2bw\np=4\nm=8\ngroup=3", PP_ERR_GROUP_UPDATE, PP_OPT_GROUP, "4");
    expect("s=forward\np=2\nv=2\nplacement=v\ngroup=2", PP_ERR_OPTION_MEANINGLESS, PP_OPT_GROUP, "");
    expect("s=gpipe\nplacement=v", PP_ERR_OPTION_MEANINGLESS, PP_OPT_PLACEMENT, "");
    expect("s=interleaved\nwarmup-factor=3", PP_ERR_RANGE, PP_OPT_WARMUP_FACTOR, "2");
    expect("s=gpipe\nrecompute=last", PP_ERR_NAME_UNKNOWN, PP_OPT_RECOMPUTE, "late");
    expect("s=interleaved\ndialect=pytorch\np=4\nm=1000000\ngroup=999999", PP_ERR_ROUNDS, PP_OPT_GROUP, "4");
    expect("s=hanayo\np=1024\nm=1048576", PP_ERR_TOO_LARGE, PP_OPT_MICROBATCHES, "8192");
}

/* A shape refused for its own sake becomes legal by the first way out, for every schedule of the table. */
static void check_ways_out(void) {
    for (int32_t id = 0; id < pp_schedule_count(); id++)
        for (int32_t p = 1; p <= 9; p++)
            for (int32_t m = 1; m <= 20; m++) {
                char text[200], name[40];
                plan got, fixed;
                int32_t fixes = 0, ranks = p, microbatches = m;
                snprintf(name, sizeof name, "%s", pp_schedule_name(id));
                for (; fixes < 3; fixes++) { /* the first way out may be another number, or another schedule */
                    snprintf(text, sizeof text, "s=%s\np=%d\nm=%d", name, ranks, microbatches);
                    int32_t status = plan_make(&got, text), option = got.fault.fix_option;
                    if (status != PP_OK && option == PP_OPT_RANKS) ranks = atoi(got.fault.fix_value);
                    if (status != PP_OK && option == PP_OPT_MICROBATCHES) microbatches = atoi(got.fault.fix_value);
                    if (status != PP_OK && option == PP_OPT_SCHEDULE)
                        snprintf(name, sizeof name, "%s", got.fault.fix_value);
                    plan_free(&got);
                    if (status == PP_OK) break;
                }
                snprintf(text, sizeof text, "s=%s\np=%d\nm=%d", name, ranks, microbatches);
                CHECK_MSG(plan_make(&fixed, text) == PP_OK, "%s: the way out of p=%d m=%d is none", text, p, m);
                plan_free(&fixed);
            }
}

/* ---- sizes: the largest ranks, the fewest micro-batches; generation must not grow with the square of p ---- */

static void check_wide(void) {
    for (int32_t id = 0; id < pp_schedule_count(); id++)
        for (int32_t m = 1; m <= 512; m += 511) {
            char text[100];
            plan got;
            snprintf(text, sizeof text, "s=%s\np=%d\nm=%d", pp_schedule_name(id), m == 1 ? 4096 : 256, m);
            int32_t status = plan_make(&got, text);
            CHECK_MSG(status != PP_ERR_DEADLOCK, "%s", text);
            if (status == PP_OK) CHECK_MSG(got.summary.lower_bound <= got.summary.makespan, "%s", text);
            plan_free(&got);
        }
}

int main(void) {
    for (size_t n = 0; n < sizeof forms / sizeof forms[0]; n++) sweep_forms(&forms[n]);
    check_peaks();
    check_asynchronous();
    check_recompute();
    check_published();
    check_refusals();
    check_ways_out();
    check_wide();
    return check_report("schedules");
}
