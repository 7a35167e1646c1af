/* The best order of a small step: what the search says is proved must be what counting out all orders finds. Ten thousand
 * random steps, one chunk a rank and two, with latencies, recomputation, senders kept by their messages, and an I that
 * lets go of a part. Each is also asked with too little work, when nothing wrong may be claimed either. */
#include <stdio.h>

#include "check.h"
#include "plan.h"
#include "schedules/exact.h"

static uint32_t random_state = 1;

static int32_t random_from(int32_t low, int32_t high) {
    random_state = random_state * 1664525u + 1013904223u;
    return low + (int32_t)(random_state >> 16) % (high - low + 1);
}

/* ---- all orders ---- */

enum { RANKS = 3, MOST = 18, LANES = 6 };

typedef struct all_orders {
    const pp_search *search;
    int32_t ranks, chunks, room;
    uint8_t order[RANKS][MOST];
    double makespan, span; /* the least makespan, and of orders that have it the least span */
    int64_t count;
} all_orders;

static int32_t stage_at(const all_orders *a, int32_t rank, int32_t chunk) {
    return chunk == 0 ? rank : 2 * a->ranks - 1 - rank;
}

/* Times the orders by walking the ranks until nothing moves; nothing is shared with the code that is tested. */
static void time_orders(all_orders *a) {
    const pp_search *s = a->search;
    double over[3][2 * RANKS][MOST], busy[RANKS] = {0}, first[RANKS], makespan = 0, span = 0;
    int32_t place[RANKS] = {0}, done[3][2 * RANKS] = {{0}}, moved = 1, left = a->ranks * a->room;
    a->count++;
    while (moved) {
        moved = 0;
        for (int32_t r = 0; r < a->ranks; r++) {
            for (; place[r] < a->room; place[r]++, left--, moved = 1) {
                int32_t lane = a->order[r][place[r]], op = lane / 2, stage = stage_at(a, r, lane % 2);
                const pp_try_stage *t = &s->stage[stage];
                int32_t k = done[op][stage], last = s->stages - 1, up = op == 1;
                double redo = op == 1 && k < s->redo_end ? t->redo : 0, start = busy[r], arrived = 0, sends = 0;
                if (op == 0 && stage > 0) {
                    if (done[0][stage - 1] <= k) break;
                    arrived = over[0][stage - 1][k] + t[-1].hop;
                } else if (up && stage < last) {
                    if (done[1][stage + 1] <= k) break;
                    arrived = over[1][stage + 1][k] + t->hop;
                }
                if (place[r] == 0) first[r] = start > arrived ? start : arrived;
                if (s->early)
                    start += redo; /* R waits for nothing but its own forward */
                else
                    start = (start > arrived ? start : arrived) + redo;
                if (arrived > start) start = arrived;
                over[op][stage][k] = start + t->time[op];
                done[op][stage]++;
                if (s->sender) sends = op == 0 ? t->hop : up && stage > 0 ? t[-1].hop : 0;
                busy[r] = over[op][stage][k] + sends;
            }
        }
    }
    if (left > 0) return;
    for (int32_t r = 0; r < a->ranks; r++) {
        if (busy[r] > makespan) makespan = busy[r];
        if (busy[r] - first[r] > span) span = busy[r] - first[r];
    }
    if (makespan > a->makespan + 1e-9) return;
    if (makespan < a->makespan - 1e-9) a->span = span;
    a->makespan = makespan;
    if (span < a->span) a->span = span;
}

/* Every order of rank r that keeps to the limit, and of those behind it. */
static void shuffle(all_orders *a, int32_t r, int32_t place, const int32_t *done) {
    const pp_search *s = a->search;
    if (r == a->ranks) {
        time_orders(a);
        return;
    }
    if (place == a->room) {
        static const int32_t none[LANES] = {0};
        shuffle(a, r + 1, 0, none);
        return;
    }
    for (int32_t lane = 0; lane < LANES; lane++) {
        int32_t op = lane / 2, chunk = lane % 2, next[LANES];
        if (chunk >= a->chunks || done[lane] == s->microbatches) continue;
        if (op > 0 && done[lane] == done[lane - 2]) continue; /* F before I before W */
        if (a->chunks == 2 && op < 2 && chunk == (op == 0) && done[lane] == done[lane ^ 1])
            continue; /* down, then up */
        memcpy(next, done, sizeof next);
        next[lane]++;
        double held = 0;
        for (int32_t c = 0; c < a->chunks; c++)
            held += next[c] - next[2 + c] + s->stage[stage_at(a, r, c)].kept * (next[2 + c] - next[4 + c]);
        if (op == 0 && held > s->limit + 1e-9) continue;
        a->order[r][place] = (uint8_t)lane;
        shuffle(a, r, place + 1, next);
    }
}

/* ---- random steps ---- */

typedef struct step {
    pp_config config;
    double *costs;
    void *search_memory, *memory;
    pp_search search;
    pp_exact exact;
} step;

static void step_make(step *s, const char *text) {
    pp_fault fault;
    int32_t length = (int32_t)strlen(text);
    CHECK_MSG(config_of(text, length, &s->config, &fault) == PP_OK, "%s", text);
    s->costs = malloc((size_t)pp_costs_bytes(&s->config));
    CHECK_EQ_INT(costs_of(text, length, &s->config, s->costs, &fault), PP_OK);
    s->search_memory = malloc(pp_search_bytes(&s->config, 1));
    pp_writer writer = {.costs = s->costs, .scratch = s->search_memory};
    pp_search_start(&s->search, &s->config, &writer, (double)s->config.chunks * s->config.memory_limit, 1);
    size_t bytes = pp_exact_bytes(&s->config);
    CHECK_MSG(bytes > 0, "%s", text);
    s->memory = malloc(bytes); /* flush against its end: what runs over is seen */
    pp_exact_start(&s->exact, &s->search, s->memory);
}

static void step_free(step *s) {
    free(s->memory);
    free(s->search_memory);
    free(s->costs);
}

static void random_step(char *out, size_t size, int32_t whole) {
    static const char *const names[] = {"forward", "input-gradient", "weight-gradient"};
    static const char *const models[] = {"recompute=late", "recompute=early", "transfer=sender", "kept-share=0.5",
                                         "kept-share=0"};
    int32_t chunks = random_from(0, 5) == 0 ? 2 : 1, p = chunks == 2 ? random_from(1, 2) : random_from(1, 3);
    int32_t m = chunks == 2 ? (p == 1 ? 2 : 1 + (random_from(0, 9) == 0))
                : p == 3    ? random_from(1, 2)
                            : random_from(1, 3);
    int32_t uneven = random_from(0, 2) > 0, model = random_from(0, 9);
    int used = snprintf(out, size, "s=zb-auto\np=%d\nm=%d\nv=%d\nmemory-limit=%d\nlatency=%g", p, m, chunks,
                        random_from(1, p + 1), random_from(0, 1) * random_from(0, 3) / (whole ? 1.0 : 7));
    for (int32_t op = 0; op < 3; op++) {
        double cost = 1;
        used += snprintf(out + used, size - (size_t)used, "\n%s=", names[op]);
        for (int32_t i = 0; i < p * chunks; i++) {
            if (i == 0 || uneven) cost = random_from(op == 2 ? 0 : 1, 9) / (whole ? 1.0 : 7);
            used += snprintf(out + used, size - (size_t)used, "%.12g; ", cost);
        }
    }
    if (model < 5) snprintf(out + used, size - (size_t)used, "\n%s", models[model]);
}

static int close_to(double a, double b) { return a >= b - 1e-6 && a <= b + 1e-6; }

static void test_against_all_orders(int32_t cases) {
    static const int32_t none[LANES] = {0};
    int64_t orders = 0;
    for (int32_t n = 0; n < cases; n++) {
        char text[1000];
        step s;
        random_step(text, sizeof text, n % 4 > 0);
        step_make(&s, text);
        all_orders a = {.search = &s.search,
                        .ranks = s.config.ranks,
                        .chunks = s.config.chunks,
                        .room = 3 * s.config.chunks * s.config.microbatches,
                        .makespan = INFINITY,
                        .span = INFINITY};
        shuffle(&a, 0, 0, none);
        orders += a.count;
        /* a little work at a time */
        for (int32_t i = 0; i < 10000; i++) {
            if (pp_exact_run(&s.exact, 1)) break;
            const pp_exact *e = &s.exact;
            CHECK_MSG(e->makespan.low <= a.makespan + 1e-6, "%s: bound %g, best %g", text, e->makespan.low, a.makespan);
            CHECK_MSG(e->makespan.high >= a.makespan - 1e-6, "%s: %g, best %g", text, e->makespan.high, a.makespan);
            if (e->proved) CHECK_MSG(close_to(e->makespan.high, a.makespan), "%s", text);
        }
        CHECK_MSG(s.exact.proved && s.exact.settled, "%s: not proved", text);
        CHECK_MSG(close_to(s.exact.makespan.high, a.makespan), "%s: proved %g, best %g", text, s.exact.makespan.high,
                  a.makespan);
        CHECK_MSG(close_to(s.exact.span.high, a.span), "%s: span %g, best %g", text, s.exact.span.high, a.span);
        /* the order takes what was said of it */
        CHECK_MSG(pp_exact_give(&s.exact, &s.search), "%s: the order does not run", text);
        CHECK_MSG(close_to(s.search.score.makespan, a.makespan) && close_to(s.search.score.span, a.span),
                  "%s: said %g and %g, takes %g and %g", text, a.makespan, a.span, s.search.score.makespan,
                  s.search.score.span);
        step_free(&s);
    }
    printf("exact: %d steps against %.3g orders\n", cases, (double)orders);
}

int main(void) {
    test_against_all_orders(10000);
    return check_report("exact");
}
