/* The library's times against those of plain_time.h, on random requests of all schedules. How many is the first argument,
 * the seed the second. */
#include "check.h"
#include "plain_time.h"
#include "plan.h"
#include "random_request.h"

/* What an action takes alone, from the cost table's rows and the factor of its micro-batch. */
static double factor_of(const double *factors, int32_t rows, const pp_schedule *s, const pp_action *a) {
    const int32_t k = a->microbatch / s->slices;
    return rows == 0 ? 1 : factors[rows > 1 ? a->stage * s->microbatches + k : k];
}

static double ticks_of(const plan *p, const pp_action *a) {
    static const int32_t rows[] = {PP_COST_FORWARD, PP_COST_BACKWARD, PP_COST_INPUT, PP_COST_WEIGHT, PP_COST_RECOMPUTE};
    return p->costs[rows[a->op] * p->schedule->stages + a->stage];
}

/* What a request has beside its costs, kept as numbers for the plain simulator. */
typedef struct extras {
    double factors[512], gather[64];
    int32_t rows, links, room, gathers, keep;
} extras;

/* Quarters, as text behind a name. */
static void say_quarters(random_text *out, const char *name, const uint32_t *quarters, int32_t rows, int32_t columns) {
    char list[6000];
    int used = 0;
    for (int32_t i = 0; i < rows * columns; i++)
        used += snprintf(list + used, sizeof list - (size_t)used, "%s%u.%02u",
                         i == 0        ? ""
                         : i % columns ? " "
                                       : "|",
                         quarters[i] / 4, quarters[i] % 4 * 25);
    random_say(out, name, list);
}

static void say_extras(random_text *out, extras *x, int32_t stages, int32_t m, int meet) {
    uint32_t quarters[512];
    *x = (extras){0};
    if (random_below(2) && m > 1 && stages * m <= 512) {
        x->rows = stages > 1 && random_below(3) == 0 ? stages : 1;
        for (int32_t i = 0; i < x->rows * m; i++) quarters[i] = random_below(12) + 1, x->factors[i] = quarters[i] / 4.0;
        say_quarters(out, "microbatch-costs", quarters, x->rows, m);
    }
    if (random_below(2)) {
        random_list(out, "bytes", stages, 0, 12);
        random_number(out, "bandwidth", 1u << random_below(3));
        x->links = 1;
    }
    if (meet) return;
    if (random_below(3) == 0) random_number(out, "receive-buffers", (uint32_t)(x->room = (int32_t)random_below(4) + 1));
    if (random_below(3) == 0 && stages <= 64) {
        for (int32_t i = 0; i < stages; i++) quarters[i] = random_below(8) + 1, x->gather[i] = quarters[i] / 4.0;
        say_quarters(out, "gather", quarters, 1, stages);
        x->gathers = 1;
        x->keep = (int32_t)random_below(3) + 1;
        random_number(out, "gather-keep", (uint32_t)x->keep);
    }
}

static void against_plain(const plan *p, const extras *x, int32_t status, const char *text) {
    const pp_schedule *s = p->schedule;
    size_t n = (size_t)s->action_count, ranks = (size_t)s->ranks, stages = (size_t)s->stages;
    double *ticks = malloc(6 * n * sizeof(double)), *overlap = ticks + n;
    int32_t *counts = malloc(2 * ranks * sizeof(int32_t)), *link = malloc(ranks * ranks * sizeof(int32_t));
    double *latency = malloc(2 * stages * sizeof(double)), *size = latency + stages;
    const int links = x->links && p->config.transfer == PP_TRANSFER_OVERLAP;
    for (size_t i = 0; i < stages; i++) {
        size[i] = links ? p->costs[PP_COST_SIZE * stages + i] : 0;
        latency[i] = p->costs[PP_COST_LATENCY * stages + i] - size[i];
    }
    for (size_t i = 0; i < ranks * ranks; i++) link[i] = (int32_t)i;
    int fused = 0;
    for (size_t i = 0; i < n; i++) {
        const double factor = factor_of(x->factors, x->rows, s, &s->actions[i]);
        ticks[i] = ticks_of(p, &s->actions[i]) * factor;
        overlap[i] = p->costs[PP_COST_OVERLAP * s->stages + s->actions[i].stage] * factor;
        fused |= s->actions[i].fused;
    }
    plain_time t = {.s = s,
                    .cost = ticks,
                    .overlap = overlap,
                    .latency = latency,
                    .size = size,
                    .link = links ? link : NULL,
                    .transfer = p->config.transfer,
                    .room = x->room,
                    .gather = x->gathers ? x->gather : NULL,
                    .keep = fused && x->keep < 2 ? 2 : x->keep, /* both halves of a slot run together */
                    .start = ticks + 2 * n,
                    .finish = ticks + 3 * n,
                    .arrive = ticks + 4 * n,
                    .waiting = counts,
                    .gathers = counts + ranks};
    int through = plain_simulate(&t);
    CHECK_MSG(through == (status == PP_OK), "%s: the plain simulator %s", text,
              through ? "comes through" : "stands still");
    int equal = through == (status == PP_OK);
    for (size_t i = 0; i < n && status == PP_OK && equal; i++)
        if (t.start[i] != p->timeline->start[i]) {
            equal = 0;
            CHECK_MSG(0, "%s: action %d (%d.%d.%d) at %g, wanted %g", text, (int)i, s->actions[i].stage,
                      s->actions[i].op, s->actions[i].microbatch, p->timeline->start[i], t.start[i]);
        }
    CHECK(equal || status != PP_OK || check_failed > 0);
    if (status == PP_OK && equal && p->config.transfer != PP_TRANSFER_RENDEZVOUS) {
        int32_t *waiting = malloc((ranks + 64 * stages) * sizeof(int32_t)), *held = waiting + ranks;
        void *scratch = malloc(pp_waiting_bytes(s));
        pp_waiting_report(s, p->costs, p->timeline, scratch, waiting);
        for (size_t r = 0; r < ranks; r++)
            CHECK_MSG(waiting[r] == t.waiting[r], "%s: rank %d has %d waiting, wanted %d", text, (int)r, waiting[r],
                      t.waiting[r]);
        pp_gather_report(s, p->timeline, held, waiting);
        for (size_t r = 0; r < ranks; r++)
            CHECK_MSG(waiting[r] == t.gathers[r], "%s: rank %d gathers %d times, wanted %d", text, (int)r, waiting[r],
                      t.gathers[r]);
        CHECK_MSG(p->summary.lower_bound <= p->summary.makespan * (1 + 1e-12), "%s: bound %g over %g", text,
                  p->summary.lower_bound, p->summary.makespan);
        double busy = 0;
        for (size_t i = 0; i < n; i++)
            if (i == 0 || !s->actions[i - 1].fused) busy += p->timeline->finish[i] - p->timeline->start[i];
        CHECK_MSG(fabs(busy - p->summary.busy) <= 1e-9 * busy, "%s: busy %g, wanted %g", text, p->summary.busy, busy);
        free(scratch), free(waiting);
    }
    free(ticks), free(counts), free(link), free(latency);
}

/* Values known from elsewhere. */
static double makespan_of(const char *text, int32_t *waiting) {
    plan p;
    CHECK_MSG(plan_make(&p, text) == PP_OK, "%s", text);
    double ticks = p.summary.makespan;
    if (waiting != NULL) {
        void *scratch = malloc(pp_waiting_bytes(p.schedule));
        pp_waiting_report(p.schedule, p.costs, p.timeline, scratch, waiting);
        free(scratch);
    }
    plan_free(&p);
    return ticks;
}

static void known(void) {
    static const struct {
        const char *text;
        double makespan;
    } cases[] = {
        {"s=1f1b\np=2\nm=2\nmicrobatch-costs=3 1", 20}, /* T2-07: packed sequences */
        {"s=1f1b\np=2\nm=2\nmicrobatch-costs=1 3", 19},
        {"s=1f1b\np=2\nm=2\nmicrobatch-costs=2 2", 18},
        {"s=forward\np=4\nm=8\nmicrobatch-costs=2 3 4 5 6 7 8 9", 71}, /* T2-08: prefill in chunks */
        {"s=forward\np=4\nm=8\nmicrobatch-costs=5.5*8", 60.5},
        {"s=gpipe\np=4\nm=16\nbandwidth=1\nbytes=0.5", 60}, /* T2-11: links that carry */
        {"s=gpipe\np=4\nm=16\nbandwidth=1\nbytes=2", 84},
        {"s=forward\np=4\nm=16\nbandwidth=1\nbytes=0.5", 20.5},
        {"s=forward\np=4\nm=16\nbandwidth=1\nbytes=2", 40},
        {"s=interleaved\np=2\nv=2\nm=4", 27}, /* T2-12: gathers */
        {"s=interleaved\np=2\nv=2\nm=4\ngather=1\ngather-keep=2", 29},
        {"s=interleaved\np=2\nv=2\nm=4\ngather=1\ngather-keep=1", 35},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        CHECK_MSG(makespan_of(cases[i].text, NULL) == cases[i].makespan, "%s: %g, wanted %g", cases[i].text,
                  makespan_of(cases[i].text, NULL), cases[i].makespan);
    static const char *const waits[] = {"forward", "gpipe", "1f1b"}; /* T2-14: receive buffers */
    static const int32_t wanted[] = {5, 5, 1};
    for (int n = 0; n < 3; n++) {
        char text[100];
        int32_t waiting[2];
        snprintf(text, sizeof text, "s=%s\np=2\nm=8\nforward=1 3\nbackward=2 6", waits[n]);
        makespan_of(text, waiting);
        CHECK_EQ_INT(waiting[1], wanted[n]);
    }
}

/* The shortest step over all orders, each asked for by itself, against the one that order=best finds. */
static void best_orders(void) {
    for (int n = 0; n < 40; n++) {
        plan p;
        int32_t m = 4, at[4] = {0, 1, 2, 3};
        uint32_t sizes[4];
        char head[200], text[400];
        double shortest = INFINITY;
        static const char *const schedules[] = {"1f1b", "gpipe", "forward", "zb-h1"};
        snprintf(head, sizeof head, "s=%s\np=%u\nm=4\nforward=%u", schedules[random_below(4)], random_below(3) + 2,
                 random_below(3) + 1);
        for (int32_t k = 0; k < m; k++) sizes[k] = random_below(6) + 1;
        for (at[0] = 0; at[0] < 4; at[0]++)
            for (at[1] = 0; at[1] < 4; at[1]++)
                for (at[2] = 0; at[2] < 4; at[2]++) {
                    at[3] = 6 - at[0] - at[1] - at[2];
                    if (at[0] == at[1] || at[0] == at[2] || at[1] == at[2]) continue;
                    snprintf(text, sizeof text, "%s\nmicrobatch-costs=%u %u %u %u", head, sizes[at[0]], sizes[at[1]],
                             sizes[at[2]], sizes[at[3]]);
                    shortest = fmin(shortest, makespan_of(text, NULL));
                }
        snprintf(text, sizeof text, "%s\nmicrobatch-costs=%u %u %u %u\norder=best", head, sizes[0], sizes[1], sizes[2],
                 sizes[3]);
        CHECK_EQ_INT(plan_make(&p, text), PP_OK);
        pp_order_summary out;
        void *memory = malloc(pp_order_bytes(&p.config));
        CHECK_EQ_INT(pp_order_search(p.schedule, &p.config, p.costs, p.timeline, memory, &out, &p.fault), PP_OK);
        double found = 0;
        for (int32_t i = 0; i < p.schedule->action_count; i++) found = fmax(found, p.timeline->finish[i]);
        CHECK_MSG(found == shortest && out.proved == 1, "%s: %g, the shortest is %g", text, found, shortest);
        int32_t seen = 0;
        for (int32_t k = 0; k < m; k++) seen |= 1 << pp_conditions_places(p.schedule)[k];
        CHECK_EQ_INT(seen, 15);
        free(memory);
        plan_free(&p);
    }
}

int main(int argc, char **argv) {
    int64_t wanted = argc > 1 ? atoll(argv[1]) : 3000, timed = 0, stuck = 0;
    random_start(argc > 2 ? (uint64_t)atoll(argv[2]) : 1);
    known();
    best_orders();
    for (int64_t n = 0; n < wanted; n++) {
        char text[16384], *value;
        plan p;
        extras x = {0};
        random_small_request(text, 4096);
        pp_config config;
        if (random_below(4) > 0 && config_of(text, (int32_t)strlen(text), &config, NULL) == PP_OK) {
            random_text more = {text + strlen(text), sizeof text - strlen(text)};
            say_extras(&more, &x, config.stages, config.microbatches, config.transfer == PP_TRANSFER_RENDEZVOUS);
        }
        int32_t status = plan_make(&p, text);
        value = strstr(text, "dialect=free");
        if (p.timeline != NULL && (status == PP_OK || (status == PP_ERR_DEADLOCK && value == NULL))) {
            against_plain(&p, &x, status, text);
            timed += status == PP_OK;
            stuck += status != PP_OK;
        }
        plan_free(&p);
    }
    printf("plain: %lld timed, %lld stand still in both\n", (long long)timed, (long long)stuck);
    return check_report("simulate_plain");
}
