/* Schedules found by trying: zb-auto, v-half, v-min and 1f1b-v. What must hold of them whatever the costs (valid,
 * within the limit, never slower than the rules in closed form), what the papers promise for equal costs, and, where
 * a case is so small that all orders can be counted out, how far from the best one they are. */
#include <stdio.h>

#include "check.h"
#include "plan.h"

static uint32_t random_state = 1;

static int32_t random_from(int32_t low, int32_t high) {
    random_state = random_state * 1664525u + 1013904223u;
    return low + (int32_t)(random_state >> 16) % (high - low + 1);
}

/* ---- cost sets ---- */

enum { COST_SETS = 7 };

/* One number per stage: base, and the slow stage's or an uneven share of it on top. */
static int cost_row(char *out, size_t size, const char *name, int32_t stages, double base, int32_t set) {
    int used = snprintf(out, size, "\n%s=", name);
    for (int32_t s = 0; s < stages; s++) {
        double cost = set == 5 ? base * (4 + s * 7 % 5) / 4 : set == 6 && s == stages / 2 ? base * 2 : base;
        used += snprintf(out + used, size - (size_t)used, "%g; ", cost);
    }
    return used;
}

static void request(char *out, size_t size, const char *name, int32_t p, int32_t m, int32_t v, int32_t set) {
    /* F, I, W and latency of a stage */
    static const double sets[COST_SETS][4] = {{1, 1, 1, 0}, {3, 4, 2, 0},   {2, 2, 5, 0},     {18.5, 18, 9.5, 0.625},
                                              {1, 1, 1, 2}, {4, 5, 3, 0.5}, {2, 3, 2, 0.0625}};
    const double *c = sets[set];
    int used = snprintf(out, size, "s=%s\np=%d\nm=%d\nv=%d\nlatency=%g", name, p, m, v, c[3]);
    used += cost_row(out + used, size - (size_t)used, "forward", p * v, c[0], set);
    used += cost_row(out + used, size - (size_t)used, "input-gradient", p * v, c[1], set);
    cost_row(out + used, size - (size_t)used, "weight-gradient", p * v, c[2], set);
}

/* The request with one more option, made and timed. */
static void made(plan *got, const char *text, const char *option, int32_t value) {
    char all[4096];
    if (option != NULL)
        snprintf(all, sizeof all, "%s\n%s=%d", text, option, value);
    else
        snprintf(all, sizeof all, "%s", text);
    int32_t status = plan_make(got, all);
    CHECK_MSG(status == PP_OK, "%s: status %s", all, pp_status_name(status));
    CHECK_MSG(got->summary.lower_bound <= got->summary.makespan * (1 + 1e-12), "%s: bound", all);
}

static int no_more(double a, double b) { return a <= b * (1 + 1e-9); }

static void same_actions(const plan *a, const plan *b, const char *text) {
    size_t bytes = sizeof(pp_action) * (size_t)a->schedule->action_count;
    CHECK_MSG(memcmp(a->schedule->actions, b->schedule->actions, bytes) == 0, "%s: other actions", text);
}

/* ---- zb-auto against the rules in closed form ---- */

/* Most micro-batches a rank holds where an I lets go of all but the share kept. */
static double most_kept(const plan *p, double kept) {
    double most = 0;
    for (int32_t r = 0; r < p->schedule->ranks; r++) {
        double held = 0;
        for (int32_t i = p->schedule->rank_begin[r]; i < p->schedule->rank_begin[r + 1]; i++) {
            int32_t op = p->schedule->actions[i].op;
            held += op == PP_F ? 1 : op == PP_I ? kept - 1 : op == PP_W ? -kept : 0;
            if (held > most) most = held;
        }
    }
    return most;
}

static void one_chunk(int32_t p, int32_t m, int32_t set) {
    char text[4096], rules[2][4096];
    request(text, sizeof text, "zb-auto", p, m, 1, set);
    request(rules[0], sizeof rules[0], "zb-h1", p, m, 1, set);
    request(rules[1], sizeof rules[1], "zb-h2", p, m, 1, set);
    const int32_t limits[] = {1, (p + 1) / 2, p, 2 * p - 1, 2 * p, 3 * p};
    double before = INFINITY;
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        plan got, rule;
        made(&got, text, "memory-limit", limits[i]);
        CHECK_MSG(got.summary.peak_activations <= limits[i], "%s: limit %d", text, limits[i]);
        CHECK_MSG(no_more(got.summary.makespan, before * 1.02), "%s: limit %d is worse than a smaller one", text,
                  limits[i]);
        before = got.summary.makespan;
        for (int32_t h = 1; h <= 2; h++) {
            if (limits[i] < h * (p - 1) + 1) continue;
            made(&rule, rules[h - 1], NULL, 0);
            CHECK_MSG(no_more(got.summary.makespan, rule.summary.makespan), "%s: limit %d: %g, ZB-H%d %g", text,
                      limits[i], got.summary.makespan, h, rule.summary.makespan);
            if (set == 0)
                CHECK_MSG(no_more(got.summary.span, rule.summary.span), "%s: limit %d: span %g, ZB-H%d %g", text,
                          limits[i], got.summary.span, h, rule.summary.span);
            plan_free(&rule);
        }
        /* F = I = W: the makespan of ZB-H1 with the memory of 1F1B, and no rank waits with twice that */
        if (set == 0 && limits[i] >= p && m >= p) CHECK_EQ_DOUBLE(got.summary.makespan, 3 * m + p - 1);
        if (set == 0 && limits[i] >= 2 * p - 1 && m >= 2 * p - 1) CHECK_EQ_DOUBLE(got.summary.span, 3 * m);
        plan_free(&got);
    }
}

static void two_chunks(int32_t p, int32_t m, int32_t set) {
    static const char *const names[] = {"v-min", "v-half", "zb-v"};
    const int32_t limits[] = {(p + 4) / 3, (p + 2) / 2, p, 1, 2 * p};
    char text[4096], rule[4096];
    request(text, sizeof text, "zb-auto", p, m, 2, set);
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        plan got, block;
        made(&got, text, "memory-limit", limits[i]);
        CHECK_MSG(got.summary.peak_activations <= 2 * limits[i], "%s: limit %d", text, limits[i]);
        if (i < 3) { /* the limit of this rule */
            request(rule, sizeof rule, names[i], p, m, 2, set);
            made(&block, rule, NULL, 0);
            CHECK_MSG(no_more(got.summary.makespan, block.summary.makespan), "%s: limit %d: %g, %s %g", text, limits[i],
                      got.summary.makespan, names[i], block.summary.makespan);
            CHECK_MSG(no_more(got.summary.span, block.summary.span * 1.01), "%s: limit %d: span %g, %s %g", text,
                      limits[i], got.summary.span, names[i], block.summary.span);
            plan_free(&block);
        }
        if (set == 0 && limits[i] >= p && m >= 2 * p - 1) {
            CHECK_EQ_DOUBLE(got.summary.makespan, 6 * m + p - 1);
            CHECK_EQ_DOUBLE(got.summary.span, 6 * m);
        }
        plan_free(&got);
    }
}

/* ---- the V schedules ---- */

static void v_schedules(int32_t p, int32_t m, int32_t set) {
    static const char *const names[] = {"v-half", "v-min", "1f1b-v"};
    const int32_t peaks[] = {(p + 2) / 2 * 2, (p + 4) / 3 * 2, 2 * (1 + 2 * p / 3)};
    for (int32_t i = 0; i < 3; i++) {
        char text[4096];
        plan got;
        request(text, sizeof text, names[i], p, m, 2, set);
        made(&got, text, NULL, 0);
        CHECK_MSG(got.summary.peak_activations <= peaks[i], "%s: peak %g", text, got.summary.peak_activations);
        if (set == 0 && i < 2 && m >= 2 * p) {
            CHECK_MSG(got.summary.formula_holds == 1, "%s: %g, formula %g", text, got.summary.makespan,
                      got.summary.formula);
            /* p = 2 or less shares the limit of ZB-V, and V-Min may hold fewer than its bound */
            if (p > 2 && i == 0) CHECK_EQ_DOUBLE(got.summary.peak_activations, peaks[i]);
        }
        if (set == 0 && i == 2) {
            double rule = 6 * m + 6 * (p - 1); /* 1F1B in the same units */
            CHECK_MSG(got.summary.makespan <= rule, "%s: %g, 1F1B %g", text, got.summary.makespan, rule);
            if (m >= p && p >= 3)
                CHECK_MSG(got.summary.makespan <= 6 * m + 5 * (p - 1), "%s: %g", text, got.summary.makespan);
        }
        plan_free(&got);
    }
}

/* ---- whatever the request ---- */

/* The same twice; the same where no costs are given as where all are one; all costs times four or three, all times
 * times that, in the same order. */
static void repeated(const char *text, const char *plain) {
    plan a, b;
    made(&a, text, NULL, 0);
    made(&b, text, NULL, 0);
    same_actions(&a, &b, text);
    for (int32_t factor = 3; factor <= 4; factor++) {
        size_t bytes = pp_schedule_bytes(&a.config);
        for (int32_t i = 0; i < PP_COST_KEPT * b.schedule->stages; i++) b.costs[i] = a.costs[i] * factor;
        CHECK_EQ_INT(pp_schedule_make(&b.config, b.costs, b.schedule, bytes, NULL), PP_OK);
        same_actions(&a, &b, text);
    }
    plan_free(&a);
    plan_free(&b);

    made(&a, plain, NULL, 0);
    made(&b, plain, NULL, 0);
    CHECK_EQ_INT(pp_schedule_make(&b.config, NULL, b.schedule, pp_schedule_bytes(&b.config), NULL), PP_OK);
    same_actions(&a, &b, plain);
    plan_free(&a);
    plan_free(&b);
}

static void test_repeated(void) {
    static const char *const names[] = {"zb-auto", "v-half", "v-min", "1f1b-v", "zb-auto"};
    for (int32_t i = 0; i < 5; i++) {
        char text[4096], plain[4096];
        request(text, sizeof text, names[i], 4, 9, i == 0 ? 1 : 2, 5);
        snprintf(plain, sizeof plain, "s=%s\np=5\nm=7\nv=%d", names[i], i == 0 ? 1 : 2);
        repeated(text, plain);
    }
}

/* Recomputation and messages that keep their sender are part of the time that is tried. */
static void test_other_models(void) {
    static const char *const models[] = {"recompute=late",
                                         "recompute=early",
                                         "recompute=late-except-last",
                                         "recompute=early-except-last",
                                         "transfer=sender",
                                         "recompute=early\ntransfer=sender"};
    static const char *const pairs[][2] = {
        {"zb-auto", "zb-h1"}, {"zb-auto\nv=2", "zb-v"}, {"v-half", NULL}, {"v-min", NULL}, {"1f1b-v", NULL}};
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        for (int32_t p = 1; p <= 6; p++) {
            for (int32_t n = 0; n < 5; n++) {
                plan got[2];
                double figures[2] = {0, INFINITY};
                for (int32_t k = 0; k < 2 && pairs[n][k] != NULL; k++) {
                    char text[400];
                    snprintf(text, sizeof text, "s=%s\np=%d\nm=%d\nlatency=0.5\nforward=2\n%s", pairs[n][k], p, 3 * p,
                             models[i]);
                    made(&got[k], text, NULL, 0);
                    figures[k] = n == 0 ? got[k].summary.makespan : got[k].summary.span;
                    plan_free(&got[k]);
                }
                CHECK_MSG(no_more(figures[0], figures[1]), "%s, p=%d, %s: %g, rule %g", pairs[n][0], p, models[i],
                          figures[0], figures[1]);
            }
        }
    }
}

/* With one chunk no message waits for itself even where it keeps both ranks. */
static void test_rendezvous(void) {
    for (int32_t p = 1; p <= 8; p++) {
        for (int32_t m = 1; m <= 20; m++) {
            for (int32_t limit = 1; limit <= 2 * p; limit++) {
                char text[400];
                plan got;
                snprintf(text, sizeof text, "s=zb-auto\np=%d\nm=%d\ntransfer=rendezvous\nlatency=0.5\nforward=%d", p, m,
                         m % 4 + 1);
                made(&got, text, "memory-limit", limit);
                plan_free(&got);
            }
        }
    }
}

/* An I that lets go of most of its micro-batch leaves more under the same limit, and the limit holds in those terms. */
static void test_kept_share(void) {
    for (int32_t p = 2; p <= 8; p += 2) {
        static const char *const shares[] = {"1", "0.5", "0.25", "0"};
        double before = INFINITY;
        for (int32_t i = 0; i < 4; i++) {
            char text[400];
            plan got;
            snprintf(text, sizeof text,
                     "s=zb-auto\np=%d\nm=%d\nforward=18\ninput-gradient=18\nweight-gradient=9\n"
                     "latency=0.5\nmemory-limit=2p\nkept-share=%s",
                     p, 4 * p, shares[i]);
            made(&got, text, NULL, 0);
            CHECK_MSG(most_kept(&got, got.costs[PP_COST_KEPT * p]) <= 2 * p + 1e-9, "%s", text);
            CHECK_MSG(no_more(got.summary.span, before), "%s: %g, before %g", text, got.summary.span, before);
            before = got.summary.span;
            plan_free(&got);
        }
    }
}

static void test_refusals(void) {
    static const struct {
        const char *text;
        int32_t code, option;
        const char *fix;
    } cases[] = {
        {"s=zb-auto\nmemory-limit=0", PP_ERR_RANGE, PP_OPT_MEMORY_LIMIT, "1"},
        {"s=zb-auto\nmemory-limit=-2p", PP_ERR_RANGE, PP_OPT_MEMORY_LIMIT, "1"},
        {"s=zb-auto\nmemory-limit=1.5", PP_ERR_NOT_WHOLE, PP_OPT_MEMORY_LIMIT, "2"},
        {"s=zb-auto\nv=3", PP_ERR_CHUNKS, PP_OPT_CHUNKS, "2"},
        {"s=v-half\nv=1", PP_ERR_CHUNKS, PP_OPT_CHUNKS, "2"},
        {"s=v-min\nmemory-limit=2", PP_ERR_OPTION_MEANINGLESS, PP_OPT_MEMORY_LIMIT, ""},
        {"s=1f1b-v\nkept-share=0.5", PP_ERR_OPTION_MEANINGLESS, PP_OPT_KEPT_SHARE, ""},
        {"s=zb-auto\nkept-share=1.5", PP_ERR_RANGE, PP_OPT_KEPT_SHARE, "1"},
        {"s=zb-auto\nkept-share=-1", PP_ERR_RANGE, PP_OPT_KEPT_SHARE, "0"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        plan got;
        char words[400];
        CHECK_MSG(plan_make(&got, cases[i].text) == cases[i].code, "%s: status %d", cases[i].text, got.fault.code);
        CHECK_EQ_INT(got.fault.option, cases[i].option);
        CHECK_EQ_TEXT(got.fault.fix_value, cases[i].fix);
        for (int32_t lang = 0; lang < 2; lang++) CHECK(pp_fault_message(&got.fault, lang, words, sizeof words) > 20);
        plan_free(&got);
    }
    /* the default, and what a caller that fills the config by hand could get wrong */
    plan got;
    CHECK_EQ_INT(plan_make(&got, "s=zb-auto\np=5\nm=9"), PP_OK);
    CHECK_EQ_INT(got.config.memory_limit, 5);
    plan_free(&got);
    CHECK_EQ_INT(plan_make(&got, "s=zb-auto\np=5\nm=9\nmemory-limit=2p"), PP_OK);
    CHECK_EQ_INT(got.config.memory_limit, 10);
    plan_free(&got);
}

/* ---- all orders of a small case ---- */

enum { SMALL_RANKS = 3, SMALL_M = 3, SMALL = 3 * SMALL_M };

typedef struct small {
    int32_t p, m, limit;
    double time[3][SMALL_RANKS], latency;
    int32_t order[SMALL_RANKS][SMALL]; /* 0 F, 1 I, 2 W, micro-batches ascending */
    double makespan;                   /* the best */
} small;

static double small_makespan(const small *s) {
    double f[SMALL_RANKS][SMALL_M], b[SMALL_RANKS][SMALL_M], free[SMALL_RANKS] = {0}, makespan = 0;
    int32_t head[SMALL_RANKS] = {0}, done[SMALL_RANKS][3] = {{0}}, moved = 1, left = s->p * 3 * s->m;
    while (moved) {
        moved = 0;
        for (int32_t r = 0; r < s->p; r++) {
            while (head[r] < 3 * s->m) {
                int32_t op = s->order[r][head[r]], k = done[r][op], needed = op == 0 ? r - 1 : r + 1;
                double start = free[r];
                if (op < 2 && needed >= 0 && needed < s->p) {
                    if (done[needed][op] <= k) break;
                    double arrived = (op == 0 ? f : b)[needed][k] + s->latency;
                    if (arrived > start) start = arrived;
                }
                free[r] = start + s->time[op][r];
                if (op < 2) (op == 0 ? f : b)[r][k] = free[r];
                done[r][op]++;
                head[r]++;
                left--;
                moved = 1;
            }
        }
    }
    if (left > 0) return INFINITY;
    for (int32_t r = 0; r < s->p; r++)
        if (free[r] > makespan) makespan = free[r];
    return makespan;
}

static void small_orders(small *s, int32_t r, int32_t f, int32_t b, int32_t w) {
    if (r == s->p) {
        double makespan = small_makespan(s);
        if (makespan < s->makespan) s->makespan = makespan;
        return;
    }
    if (w == s->m) {
        small_orders(s, r + 1, 0, 0, 0);
        return;
    }
    int32_t *next = &s->order[r][f + b + w];
    if (f < s->m && f - w < s->limit) *next = 0, small_orders(s, r, f + 1, b, w);
    if (b < f) *next = 1, small_orders(s, r, f, b + 1, w);
    if (w < b) *next = 2, small_orders(s, r, f, b, w + 1);
}

static void test_best_of_all(void) {
    int32_t cases = 400, best = 0;
    for (int32_t n = 0; n < cases; n++) {
        small s = {.p = random_from(0, 3) > 0 ? 2 : 3, .makespan = INFINITY};
        s.m = s.p == 3 ? 2 : random_from(2, 3);
        s.limit = random_from(1, 2 * s.p);
        s.latency = random_from(0, 1) * random_from(0, 2);
        int32_t uneven = random_from(0, 1), used;
        char text[400];
        used = snprintf(text, sizeof text, "s=zb-auto\np=%d\nm=%d\nmemory-limit=%d\nlatency=%g", s.p, s.m, s.limit,
                        s.latency);
        for (int32_t op = 0; op < 3; op++) {
            static const char *const names[] = {"forward", "input-gradient", "weight-gradient"};
            used += snprintf(text + used, sizeof text - (size_t)used, "\n%s=", names[op]);
            for (int32_t r = 0; r < s.p; r++) {
                s.time[op][r] = r > 0 && !uneven ? s.time[op][0] : random_from(1, 6);
                used += snprintf(text + used, sizeof text - (size_t)used, "%g; ", s.time[op][r]);
            }
        }
        plan got;
        made(&got, text, NULL, 0);
        small_orders(&s, 0, 0, 0, 0);
        CHECK_MSG(got.summary.makespan >= s.makespan - 1e-9, "%s: %g is better than the best, %g", text,
                  got.summary.makespan, s.makespan);
        best += got.summary.makespan <= s.makespan + 1e-9 && got.summary.lower_bound >= s.makespan - 1e-9;
        plan_free(&got);
    }
    printf("search: %d of %d small cases are the best of all orders and known to be\n", best, cases);
    CHECK_EQ_INT(best, cases);
}

int main(void) {
    static const int32_t counts[] = {1, 2, 3, 5, 8, 13, 16, 24};
    for (int32_t set = 0; set < COST_SETS; set++) {
        for (int32_t p = 1; p <= 8; p++) {
            for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
                if (set > 0 && (p * 3 + (int32_t)i) % 4 != set % 4)
                    continue; /* a part of the grid for each other set */
                one_chunk(p, counts[i], set);
                two_chunks(p, counts[i], set);
                v_schedules(p, counts[i], set);
            }
        }
    }
    for (int32_t p = 9; p <= 16; p++) {
        one_chunk(p, 2 * p, 0);
        two_chunks(p, 2 * p, 0);
        for (int32_t m = p; m <= 2 * p + 1; m += p / 2) v_schedules(p, m, 0);
    }
    test_repeated();
    test_other_models();
    test_rendezvous();
    test_kept_share();
    test_refusals();
    test_best_of_all();
    return check_report("search");
}
