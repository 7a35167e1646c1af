/* In which order micro-batches that are not alike had best come.
 *
 * Up to eight are tried in every order. Of more, some orders are begun with (as given, falling, rising, the largest in the
 * middle) and the best of them is mended by putting one micro-batch elsewhere, or exchanging two, as long as that helps. The work
 * has a limit, and what was found is said to be best only where every order was tried or the step is as short as the bound that
 * holds for any order. */
#include <string.h>

#include "request/conditions.h"
#include "schedules/schedule.h"
#include "studies/studies.h"
#include "time/timeline.h"

static const int64_t most_actions = INT64_C(1) << 24;
enum { TRIED_ALL = 8 };

typedef struct order_search {
    const pp_schedule *s;
    const pp_config *config;
    const double *costs;
    pp_timeline *line;
    pp_conditions *c;
    int32_t *best; /* of all orders tried */
    double shortest;
    int64_t cases;
} order_search;

static int spent(const order_search *q) { return q->cases * q->s->action_count > most_actions; }

/* Times the order in c->place and keeps it if it is the best; its time, negative where it cannot run. */
static double try_order(order_search *q) {
    pp_fault unseen;
    pp_conditions_order(q->config, q->c, q->c->as_given);
    q->cases++;
    if (pp_simulate(q->s, q->costs, q->config->transfer, q->line, &unseen) != PP_OK) return -1;
    const double ticks = q->line->finish[pp_last_action(q->s, q->line)];
    if (q->shortest >= 0 && ticks >= q->shortest * (1 - 1e-12)) return ticks;
    q->shortest = ticks;
    memcpy(q->best, q->c->place, (size_t)q->config->microbatches * sizeof(int32_t));
    return ticks;
}

static void swap(int32_t *a, int32_t *b) {
    const int32_t kept = *a;
    *a = *b;
    *b = kept;
}

/* All orders of the first `count` places (Heap 1963). */
static void try_all(order_search *q, int32_t count) {
    if (count <= 1) {
        try_order(q);
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        try_all(q, count - 1);
        if (i + 1 < count) swap(&q->c->place[count % 2 == 0 ? i : 0], &q->c->place[count - 1]);
    }
}

static void begin_with(order_search *q, const int32_t *falling, int32_t how) {
    const int32_t m = q->config->microbatches;
    int32_t *place = q->c->place;
    for (int32_t k = 0; k < m; k++) {
        if (how == 0) place[k] = k;
        if (how == 1) place[k] = falling[k];
        if (how == 2) place[k] = falling[m - 1 - k];
        if (how == 3) place[k % 2 == 0 ? (m - 1) / 2 - k / 2 : (m - 1) / 2 + 1 + k / 2] = falling[k];
    }
    try_order(q);
}

/* One pass over all moves; 1 if any helped. */
static int mend(order_search *q) {
    const int32_t m = q->config->microbatches;
    int helped = 0;
    for (int32_t a = 0; a < m; a++)
        for (int32_t b = 0; b < m && !spent(q); b++) {
            if (a == b) continue;
            const double before = q->shortest;
            int32_t *place = q->c->place;
            memcpy(place, q->best, (size_t)m * sizeof(int32_t));
            if (a < b) {
                swap(&place[a], &place[b]);
                try_order(q);
                memcpy(place, q->best, (size_t)m * sizeof(int32_t));
            }
            const int32_t moved = place[a];
            memmove(place + a, place + a + 1, (size_t)(m - 1 - a) * sizeof(int32_t));
            memmove(place + b + 1, place + b, (size_t)(m - 1 - b) * sizeof(int32_t));
            place[b] = moved;
            try_order(q);
            helped |= q->shortest < before;
        }
    return helped;
}

static int all_equal(const order_search *q) {
    const int32_t all = q->config->microbatches * q->config->slices, slices = q->config->slices;
    for (int32_t n = 0; n < q->config->unit_rows; n++)
        for (int32_t u = slices; u < all; u++)
            if (q->c->as_given[n * all + u] != q->c->as_given[n * all + u % slices]) return 0;
    return 1;
}

size_t pp_order_bytes(const pp_config *config) { return 2 * (size_t)config->microbatches * sizeof(int32_t); }

int32_t pp_order_search(const pp_schedule *schedule, const pp_config *config, double *costs, pp_timeline *timeline,
                        void *memory, pp_order_summary *out, pp_fault *fault) {
    const int32_t m = config->microbatches;
    *out = (pp_order_summary){.proved = 1};
    if (config->order != PP_ORDER_BEST || !(config->with & PP_WITH_UNITS)) return PP_OK;
    order_search q = {.s = schedule,
                      .config = config,
                      .costs = costs,
                      .line = timeline,
                      .c = pp_conditions_at(costs, config->stages),
                      .best = memory,
                      .shortest = -1};
    int32_t *falling = q.best + m;
    memcpy(falling, q.c->place, (size_t)m * sizeof(int32_t)); /* pp_costs_read leaves them so */
    begin_with(&q, falling, 0);
    if (m <= TRIED_ALL && !all_equal(&q)) {
        try_all(&q, m);
    } else if (!all_equal(&q)) {
        for (int32_t how = 1; how < 4; how++) begin_with(&q, falling, how);
        while (!spent(&q) && mend(&q)) continue;
        out->proved = 0;
    }
    memcpy(q.c->place, q.best, (size_t)m * sizeof(int32_t));
    pp_conditions_order(config, q.c, q.c->as_given);
    out->cases = (double)q.cases;
    return pp_simulate(schedule, costs, config->transfer, timeline, fault);
}
