/* Proving that an order is the best, from outside: the search of schedules/exact.h, begun with an order that was made, and
 * what came of it as moves. */
#include <string.h>

#include "schedules/exact.h"
#include "schedules/schedule.h"
#include "studies/studies.h"

struct pp_proof {
    pp_search search;
    pp_exact exact;
    int32_t recompute_end, count;
    pp_action *order; /* scratch */
};

static const pp_try as_listed = {0};

static size_t align8(size_t bytes) { return (bytes + 7) & ~(size_t)7; }

size_t pp_proof_bytes(const pp_config *config) {
    size_t exact = pp_exact_bytes(config);
    const int known = config->with == 0; /* micro-batches are alike, messages only travel, weights are there */
    if (pp_schedule_option_used(config->schedule, PP_OPT_MEMORY_LIMIT) != 1 || exact == 0 || !known) return 0;
    return align8(sizeof(pp_proof)) + pp_search_bytes(config, 1) + exact +
           align8((size_t)pp_config_actions(config) * sizeof(pp_action) +
                  ((size_t)config->ranks + 1) * sizeof(int32_t));
}

pp_proof *pp_proof_start(const pp_config *config, const double *costs, const pp_schedule *schedule, void *memory) {
    pp_proof *p = memory;
    char *rest = (char *)memory + align8(sizeof *p);
    pp_writer writer = {.costs = costs, .scratch = rest};
    pp_search_start(&p->search, config, &writer, (double)config->chunks * config->memory_limit, 1);
    pp_search_clear(&p->search);
    for (int32_t r = 0; r < schedule->ranks; r++) {
        for (int32_t i = schedule->rank_begin[r]; i < schedule->rank_begin[r + 1]; i++) {
            const pp_action *a = &schedule->actions[i];
            int32_t op = a->op == PP_F ? PP_LANE_F : a->op == PP_I ? PP_LANE_B : PP_LANE_W;
            if (a->op != PP_R) pp_search_put(&p->search, r, op + (a->stage >= schedule->ranks));
        }
    }
    pp_search_try(&p->search, &as_listed);
    rest += pp_search_bytes(config, 1);
    pp_exact_start(&p->exact, &p->search, rest);
    p->recompute_end = pp_recompute_end(config);
    p->count = schedule->action_count;
    p->order = (pp_action *)(void *)(rest + pp_exact_bytes(config));
    return p;
}

int32_t pp_proof_run(pp_proof *p, double work) { return pp_exact_run(&p->exact, work) || p->exact.proved; }

void pp_proof_report_fill(const pp_proof *p, pp_proof_report *out) {
    const pp_exact *e = &p->exact;
    double low = e->makespan.low < e->makespan.high ? e->makespan.low : e->makespan.high;
    *out = (pp_proof_report){.bound = low,
                             .makespan = e->makespan.high,
                             .span = e->span.high,
                             .proved = e->proved,
                             .above = e->proved || low <= 0 ? 0 : e->makespan.high / low - 1,
                             .work = e->work};
}

const char *pp_proof_field_name(int32_t field) {
    static const char *const names[] = {
#define NAME(field) #field,
        PP_PROOF_FIELDS(NAME)
#undef NAME
    };
    return field >= 0 && field < (int32_t)(sizeof names / sizeof names[0]) ? names[field] : "";
}

/* ---- moves ---- */

typedef struct text {
    char *out;
    int32_t capacity, length;
} text;

static void put(text *t, char c) {
    if (t->length < t->capacity) t->out[t->length] = c;
    t->length++;
}

static void put_number(text *t, int32_t value) {
    char digits[12];
    int32_t count = 0;
    do digits[count++] = (char)('0' + value % 10);
    while ((value /= 10) > 0);
    while (count > 0) put(t, digits[--count]);
}

int32_t pp_proof_moves(pp_proof *p, const pp_schedule *s, char *out, int32_t capacity) {
    text t = {out, capacity, 0};
    int32_t *begin = (int32_t *)(void *)(p->order + p->count);
    pp_writer writer = {.actions = p->order, .rank_begin = begin, .recompute_end = p->recompute_end};
    pp_exact_give(&p->exact, &p->search);
    pp_search_emit(&p->search, &writer);
    begin[s->ranks] = writer.count;
    /* Of the list as it has become so far, place by place the action that belongs there is brought forward. What has been
     * brought is known by its place alone, so the list itself is not needed: an action still stands behind all of its list
     * that has not been brought yet. */
    for (int32_t r = 0; r < s->ranks; r++) {
        const pp_action *old = s->actions + s->rank_begin[r], *now = p->order + begin[r];
        int32_t count = s->rank_begin[r + 1] - s->rank_begin[r];
        for (int32_t i = 0; i < count; i++) {
            int32_t ahead = 0;
            for (int32_t x = 0; x < count; x++) {
                if (memcmp(&old[x], &now[i], sizeof *old) == 0) break;
                int32_t brought = 0;
                for (int32_t k = 0; k < i && !brought; k++) brought = memcmp(&old[x], &now[k], sizeof *old) == 0;
                ahead += !brought;
            }
            if (ahead == 0) continue;
            if (t.length > 0) put(&t, ' ');
            put_number(&t, now[i].stage);
            put(&t, "FBIWR"[now[i].op]);
            put_number(&t, now[i].microbatch);
            put(&t, '-');
            put_number(&t, ahead);
        }
    }
    return t.length;
}
