/* Layers into stages: worked cuts, all cuts tried for small cases, what is refused, and Megatron's layout strings. */
#include <stdio.h>

#include "check.h"
#include "plan.h"

static uint32_t state = 12345;
static uint32_t below(uint32_t n) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % n;
}

static void sizes_are(const char *text, const int32_t *sizes, int32_t stages, double largest) {
    plan p;
    int32_t status = plan_make(&p, text);
    CHECK_MSG(status == PP_OK, "%s: %s", text, pp_status_name(status));
    if (status == PP_OK) {
        const int32_t *cuts = pp_partition_cuts(&p.config, p.costs);
        pp_partition_summary sum;
        pp_partition_summarize(&p.config, p.costs, &sum);
        CHECK_EQ_INT(p.config.stages, stages);
        CHECK_EQ_INT(cuts[stages], p.config.layers);
        for (int32_t s = 0; s < stages; s++)
            CHECK_MSG(cuts[s + 1] - cuts[s] == sizes[s], "%s: stage %d holds %d", text, s, cuts[s + 1] - cuts[s]);
        CHECK_EQ_DOUBLE(sum.largest, largest);
        CHECK_EQ_DOUBLE(sum.proved, 1);
    }
    plan_free(&p);
}

static void worked(void) {
    static const int32_t a[] = {8, 8, 7, 7}, b[] = {5, 5, 5, 5, 5, 5, 4, 4}, c[] = {1, 2, 2, 1}, d[] = {2, 2, 1, 1},
                         e[] = {11, 14, 14, 9}, f[] = {3, 4, 4, 1}, g[] = {1, 1, 1}, h[] = {6, 6, 6, 6};
    sizes_are("p=4\nlayers=30", a, 4, 8); /* SIM-19 */
    sizes_are("p=4\nlayers=30\npartition=equal", a, 4, 8);
    sizes_are("p=4\nlayers=1*30", a, 4, 8);
    sizes_are("p=8\nlayers=38\nm=16", b, 8, 5); /* SIM-16 */
    sizes_are("p=4\nlayers=2 1*4 2", c, 4, 2);  /* SIM-22 */
    sizes_are("p=4\nlayers=2,1,1,1,1,2\npartition=equal", d, 4, 3);
    sizes_are("p=4\nlayers=48\ncuts=11 * * 9", e, 4, 14);
    sizes_are("p=4\nlayers=12\nembedding=1\nhead=2", f, 4, 4);
    sizes_are("layers=0 0 0", g, 3, 0);
    sizes_are("p=4\nlayers=24\ncuts=6", h, 4, 6);
    sizes_are("p=4\nlayers=24\ncuts=*", h, 4, 6);
    static const int32_t one[] = {5};
    sizes_are("p=1\nlayers=5\nembedding=2\nhead=3", one, 1, 10);
}

/* Stage costs are ticks: F of a stage is the sum of its layers, B twice that, whatever is said of the unit. */
static void ticks(void) {
    plan p;
    CHECK_EQ_INT(plan_make(&p, "s=1f1b\np=8\nm=16\nlayers=38\ncuts=4 4 4 4 4 4 4 10"), PP_OK);
    CHECK_EQ_DOUBLE(p.summary.makespan, 564); /* SIM-16 */
    CHECK_EQ_DOUBLE(p.summary.cadence_stage, 7);
    plan_free(&p);
    CHECK_EQ_INT(plan_make(&p, "s=1f1b\np=8\nm=16\nlayers=38"), PP_OK);
    CHECK_EQ_DOUBLE(p.summary.makespan, 333);
    plan_free(&p);
    CHECK_EQ_INT(
        plan_make(&p, "s=1f1b\np=2\nlayers=4\nforward=0.5\nbackward=2\nrecompute-cost=0.25\nlatency=3\noverlap-cost=2"),
        PP_OK);
    static const double want[] = {1, 2, 2, 4, 0.5, 4, 3};
    for (int32_t row = 0; row <= PP_COST_LATENCY; row++) CHECK_EQ_DOUBLE(p.costs[row * 2], want[row]);
    plan_free(&p);
}

/* ---- all cuts of small cases ---- */

typedef struct brute {
    const double *layer;
    int32_t layers, stages;
    double embedding, head;
    int32_t sizes[8];
    plan *p; /* NULL: only the largest stage */
    double *unit;
    double largest, makespan;
    long cuts;
} brute;

static double brute_stage(const brute *b, int32_t s, int32_t from) {
    double sum = (s == 0 ? b->embedding : 0) + (s == b->stages - 1 ? b->head : 0);
    for (int32_t i = from; i < from + b->sizes[s]; i++) sum += b->layer[i];
    return sum;
}

static void brute_try(brute *b) {
    double largest = 0, stage[8];
    for (int32_t s = 0, at = 0; s < b->stages; at += b->sizes[s++]) {
        stage[s] = brute_stage(b, s, at);
        if (stage[s] > largest) largest = stage[s];
    }
    b->cuts++;
    if (b->cuts == 1 || largest < b->largest) b->largest = largest;
    if (b->p == NULL) return;
    double *costs = malloc((size_t)pp_costs_bytes(&b->p->config));
    memcpy(costs, b->unit, sizeof(double) * PP_COST_ROWS * (size_t)b->stages);
    for (int32_t row = 0; row <= PP_COST_OVERLAP; row++)
        for (int32_t s = 0; s < b->stages; s++) costs[row * b->stages + s] *= stage[s];
    for (int32_t s = 0; s < b->stages; s++)
        if (b->unit[PP_COST_OVERLAP * b->stages + s] < 0) costs[PP_COST_OVERLAP * b->stages + s] = -1;
    CHECK_EQ_INT(pp_simulate(b->p->schedule, costs, b->p->config.transfer, b->p->timeline, NULL), PP_OK);
    double end = 0;
    for (int32_t i = 0; i < b->p->schedule->action_count; i++)
        if (b->p->timeline->finish[i] > end) end = b->p->timeline->finish[i];
    if (b->cuts == 1 || end < b->makespan) b->makespan = end;
    free(costs);
}

static void brute_walk(brute *b, int32_t stage, int32_t left) {
    if (stage == b->stages - 1) {
        b->sizes[stage] = left;
        brute_try(b);
        return;
    }
    for (b->sizes[stage] = 1; b->sizes[stage] <= left - (b->stages - 1 - stage); b->sizes[stage]++)
        brute_walk(b, stage + 1, left - b->sizes[stage]);
}

static int layers_text(char *out, size_t size, int32_t layers, int tenths) {
    int used = snprintf(out, size, "\nlayers=");
    for (int32_t i = 0; i < layers; i++)
        used += snprintf(out + used, size - (size_t)used, tenths ? "%u.%u;" : "%u;", below(6), below(10));
    return used;
}

/* By cost: the largest stage is that of the best of all cuts, to the last bit; each stage has a layer. */
static void every_cut_by_cost(void) {
    for (int round = 0; round < 3000; round++) {
        char text[400];
        int32_t stages = 1 + (int32_t)below(6), layers = stages + (int32_t)below(9);
        if (layers == 1) layers = 2; /* one number would be a count */
        double embedding = below(2) * below(5), head = below(2) * below(5);
        int used = snprintf(text, sizeof text, "p=%d\nembedding=%g\nhead=%g", stages, embedding, head);
        layers_text(text + used, sizeof text - (size_t)used, layers, round & 1);
        plan p;
        CHECK_EQ_INT(plan_make(&p, text), PP_OK);
        CHECK_EQ_INT(p.config.layers, layers);
        brute b = {.layer = pp_partition_layer_costs(&p.config, p.costs),
                   .layers = layers,
                   .stages = stages,
                   .embedding = embedding,
                   .head = head};
        brute_walk(&b, 0, layers);
        pp_partition_summary sum;
        pp_partition_summarize(&p.config, p.costs, &sum);
        CHECK_MSG(sum.largest == b.largest, "%s: %.17g, best %.17g", text, sum.largest, b.largest);
        const int32_t *cuts = pp_partition_cuts(&p.config, p.costs);
        CHECK(cuts[0] == 0 && cuts[stages] == layers);
        double most = 0;
        for (int32_t s = 0; s < stages; s++) {
            CHECK_MSG(cuts[s + 1] > cuts[s], "%s: stage %d is empty", text, s);
            b.sizes[s] = cuts[s + 1] - cuts[s];
            double cost = brute_stage(&b, s, cuts[s]);
            CHECK_EQ_DOUBLE(pp_partition_stage_costs(&p.config, p.costs)[s], cost);
            if (cost > most) most = cost;
        }
        CHECK_EQ_DOUBLE(most, sum.largest);
        plan_free(&p);
    }
}

/* By makespan: no cut of all is simulated shorter, for every schedule, and the bound saves work. */
static void every_cut_by_makespan(int32_t id, int shape, const char *more, long *tried, long *all) {
    static const int32_t ranks[] = {2, 3, 4, 2, 2}, microbatches[] = {4, 6, 8, 2, 5};
    char text[600], list[100];
    int32_t p = ranks[shape], stages = p * (pp_schedule_chunks_default(id) > 1 ? pp_schedule_chunks_default(id) : 1);
    if (stages > 6) return;
    int32_t layers = stages + 1 + (int32_t)below(5);
    uint32_t head = below(4);
    layers_text(list, sizeof list, layers, 0);
    snprintf(text, sizeof text, "s=%s\np=%d\nm=%d\npartition=makespan\nlatency=%u\nhead=%u%s%s", pp_schedule_name(id),
             p, microbatches[shape], below(2), head, more, list);
    plan q;
    if (plan_make(&q, text) != PP_OK) { /* a shape or an option the schedule does not know */
        plan_free(&q);
        return;
    }
    CHECK_EQ_INT(q.config.stages, stages);
    pp_config plain = q.config;
    plain.layers = 0;
    double *unit = malloc((size_t)pp_costs_bytes(&plain));
    CHECK_EQ_INT(costs_of(text, (int32_t)(strstr(text, "\nlayers") - text), &plain, unit, NULL), PP_OK);
    brute b = {.layer = pp_partition_layer_costs(&q.config, q.costs),
               .layers = layers,
               .stages = stages,
               .head = head,
               .p = &q,
               .unit = unit};
    CHECK_EQ_INT(pp_partition_search(q.schedule, &q.config, q.costs, q.timeline, NULL), PP_OK);
    double end = 0;
    for (int32_t i = 0; i < q.schedule->action_count; i++)
        if (q.timeline->finish[i] > end) end = q.timeline->finish[i];
    CHECK_MSG(end <= q.summary.makespan, "%s: worse than by cost", text);
    pp_partition_summary sum;
    pp_partition_summarize(&q.config, q.costs, &sum);
    if (pp_schedule_by_costs(id)) { /* each cut has an order of its own */
        CHECK_EQ_DOUBLE(sum.proved, 0);
        free(unit);
        plan_free(&q);
        return;
    }
    brute_walk(&b, 0, layers);
    CHECK_MSG(end == b.makespan, "%s: %g, best %g", text, end, b.makespan);
    CHECK_EQ_DOUBLE(sum.proved, 1);
    *tried += (long)sum.cases;
    *all += b.cuts;
    free(unit);
    plan_free(&q);
}

static void every_schedule_by_makespan(void) {
    static const char *const more[] = {"",
                                       "\ntransfer=sender",
                                       "\nrecompute=late",
                                       "\nrecompute=early",
                                       "\noverlap-cost=2.5",
                                       "\nforward=2\nbackward=1",
                                       "\ninput-gradient=0.5"};
    long tried = 0, all = 0;
    for (int32_t id = 0; id < pp_schedule_count(); id++)
        for (int shape = 0; shape < 5; shape++)
            for (size_t i = 0; i < sizeof more / sizeof more[0]; i++)
                every_cut_by_makespan(id, shape, more[i], &tried, &all);
    printf("partition: simulated %ld of %ld cuts\n", tried, all);
    CHECK(tried * 4 < all * 3);
}

/* Too many cuts: the search ends at its limit, says so, and is no worse than it began. */
static void too_many(void) {
    plan p;
    CHECK_EQ_INT(plan_make(&p, "s=1f1b\np=16\nm=64\npartition=makespan\nlayers=3 1*40 5 2*60 7"), PP_OK);
    CHECK_EQ_INT(pp_partition_search(p.schedule, &p.config, p.costs, p.timeline, NULL), PP_OK);
    pp_partition_summary sum;
    pp_partition_summarize(&p.config, p.costs, &sum);
    CHECK_EQ_DOUBLE(sum.proved, 0);
    CHECK(p.timeline->finish[pp_schedule_rank_begin(p.schedule)[1] - 1] <= p.summary.makespan);
    plan_free(&p);
}

/* Large ones are cut fast: 65536 layers on 4096 stages. */
static void large(void) {
    plan p;
    CHECK_EQ_INT(plan_make(&p, "p=4096\nm=1\nlayers=1*30000 3 2*35535"), PP_OK);
    pp_partition_summary sum;
    pp_partition_summarize(&p.config, p.costs, &sum);
    CHECK(sum.largest >= sum.mean && sum.largest <= sum.mean + 3);
    plan_free(&p);
}

/* ---- layouts ---- */

static void layouts(void) {
    static const int32_t deepseek[32] = {3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
                                         2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1, 0};
    static const int32_t empty[] = {0, 0, 1, 0}, four[] = {3, 2, 2, 1}, bars[] = {1, 0, 0, 2}, ends[] = {1, 1, 1};
    sizes_are("s=interleaved\np=16\nm=16\nv=2\nlayout=Et*3|(tt|)*29,m|L", deepseek, 32, 3);
    sizes_are("p=4\nlayout=E||t|L", empty, 4, 1);
    sizes_are("p=4\nlayout=Ettt|(tt|)*2tL\nhead=1.5\nembedding=0.5", four, 4, 3.5);
    sizes_are("p=4\nlayout=Et|*3 t, tL", bars, 4, 2);
    sizes_are("layout=Et|t|tL\nlayers=2 1 3", ends, 3, 3);
    static const struct {
        const char *text;
        int32_t status, place;
    } rows[] = {{"p=1\nlayout=ttL", PP_ERR_LAYOUT, 1},
                {"p=1\nlayout=Ett", PP_ERR_LAYOUT, 4},
                {"p=2\nlayout=Et|EtL", PP_ERR_LAYOUT, 4},
                {"p=2\nlayout=EtL|t", PP_ERR_LAYOUT, 5},
                {"p=2\nlayout=Emt|L", PP_ERR_LAYOUT, 3},
                {"p=2\nlayout=Et|xL", PP_ERR_LAYOUT, 4},
                {"p=2\nlayout=Et*|L", PP_ERR_LAYOUT, 2},
                {"p=2\nlayout=Et*0|L", PP_ERR_LAYOUT, 2},
                {"p=2\nlayout=E(t|L", PP_ERR_LAYOUT, 2},
                {"p=2\nlayout=E(t|)L", PP_ERR_LAYOUT, 2},
                {"p=2\nlayout=E()*2L", PP_ERR_LAYOUT, 2},
                {"p=2\nlayout=E((t)*2|)*2L", PP_ERR_LAYOUT, 3},
                {"p=1\nlayout=EL", PP_ERR_LAYOUT, 3},
                {"p=1\nlayout=Et*99999999999L", PP_ERR_LAYOUT, 2},
                {"p=1\nlayout=E(t*65536)*65536L", PP_ERR_LAYOUT, 3},
                {"p=1\nlayout=E|*16385tL", PP_ERR_LAYOUT, 2},
                {"p=3\nlayout=Et|L", PP_ERR_LAYOUT_STAGES, 2},
                {"p=2\nlayout=Et|L\ncuts=1", PP_ERR_OPTION_BESIDE, -1},
                {"p=2\nlayout=Et|L\nlayers=2", PP_ERR_LAYERS_HELD, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        plan p;
        int32_t status = plan_make(&p, rows[i].text);
        CHECK_MSG(status == rows[i].status, "%s: %s", rows[i].text, pp_status_name(status));
        CHECK_MSG(p.fault.a == rows[i].place, "%s: place %d", rows[i].text, p.fault.a);
        plan_free(&p);
    }
    plan p;
    CHECK_EQ_INT(plan_make(&p, "s=interleaved\np=2\nm=4\nv=2\nlayout=Et|t|t|t|t|tL"), PP_ERR_LAYOUT_STAGES);
    CHECK_EQ_INT(p.fault.fix_option, PP_OPT_CHUNKS);
    CHECK_EQ_TEXT(p.fault.fix_value, "3");
    plan_free(&p);
    CHECK_EQ_INT(plan_make(&p, "s=1f1b\np=2\nlayout=Et|t|t|tL"), PP_ERR_LAYOUT_STAGES);
    CHECK_EQ_INT(p.fault.fix_option, PP_OPT_RANKS);
    plan_free(&p);
    /* any letters: a status */
    static const char letters[] = "EtmL|(*)2,9 ";
    for (int round = 0; round < 20000; round++) {
        char text[40] = "layout=";
        size_t used = 7;
        while (used < sizeof text - 1 && below(12) > 0) text[used++] = letters[below(sizeof letters - 1)];
        text[used] = 0;
        pp_config config;
        int32_t status = config_of(text, (int32_t)used, &config, NULL);
        CHECK(status >= 0 && status < PP_STATUS_COUNT);
    }
}

/* ---- refusals ---- */

static void refused(const char *text, int32_t status, const char *part, const char *fix) {
    plan p;
    char message[600];
    int32_t got = plan_make(&p, text);
    CHECK_MSG(got == status, "%s: %s", text, pp_status_name(got));
    for (int32_t lang = 0; got == status && lang < 2; lang++) {
        pp_fault_message(&p.fault, lang, message, sizeof message);
        CHECK_MSG(lang == 1 || strstr(message, part) != NULL, "%s", message);
        CHECK_MSG(fix == NULL || strstr(message, fix) != NULL, "%s", message);
        CHECK_MSG(strchr(message, '%') == NULL, "%s", message);
    }
    plan_free(&p);
}

static void refusals(void) {
    refused("p=2\nlayers=48\ncuts=11,13", PP_ERR_LAYERS_HELD, "stages hold 24 of 48 layers", "cuts=24 "); /* SIM-19 */
    refused("p=1\nlayers=20\ncuts=1", PP_ERR_LAYERS_HELD, "stages hold 1 of 20 layers", "layers=1.");
    refused("p=3\nlayers=2", PP_ERR_LAYERS, "at least one layer", "layers=3");
    refused("p=3\nlayers=4\ncuts=2 * *", PP_OK, "", NULL);
    refused("p=3\nlayers=4\ncuts=3 * *", PP_ERR_LAYERS, "at least one layer", NULL);
    refused("p=3\nlayers=4\ncuts=5 * *", PP_ERR_LAYERS_HELD, "hold 5 of 4", NULL);
    refused("p=3\nlayers=9\ncuts=* 2 *", PP_ERR_CUTS, "stand together", NULL);
    refused("p=3\nlayers=9\ncuts=4 5", PP_ERR_LIST_LENGTH, "each of the 3 stages", NULL);
    refused("p=3\nlayers=9\ncuts=4 0 5", PP_ERR_RANGE, "from 1 to 65536", NULL);
    refused("p=3\nlayers=9\ncuts=4 1.5 3", PP_ERR_NOT_WHOLE, "whole number", NULL);
    refused("p=3\nlayers=9\ncuts=4 x 3", PP_ERR_NOT_A_NUMBER, "number", NULL);
    refused("p=3\ncuts=3", PP_ERR_OPTION_NEEDS, "together with layers", NULL);
    refused("p=3\nembedding=1", PP_ERR_OPTION_NEEDS, "layers", NULL);
    refused("p=3\nlayers=2.5", PP_ERR_NOT_WHOLE, "whole number", NULL);
    refused("p=3\nlayers=0", PP_ERR_RANGE, "from 1 to 65536", NULL);
    refused("p=3\nlayers=1e9", PP_ERR_RANGE, "from 1 to 65536", NULL);
    refused("p=3\nlayers=1*70000", PP_ERR_RANGE, "from 1 to 65536", NULL);
    refused("p=3\nlayers=1*0 2", PP_ERR_NOT_A_NUMBER, "number", NULL);
    refused("p=3\nlayers=1 -2 3", PP_ERR_RANGE, "from 0", NULL);
    refused("p=3\nlayers=1 2 NaN", PP_ERR_NOT_A_NUMBER, "number", NULL);
    refused("p=3\nlayers=9\nhead=-1", PP_ERR_RANGE, "from 0", "head=0");
    refused("p=3\nlayers=9\npartition=even", PP_ERR_NAME_UNKNOWN, "cost, equal, makespan", NULL);
}

int main(void) {
    worked();
    ticks();
    every_cut_by_cost();
    every_schedule_by_makespan();
    too_many();
    large();
    layouts();
    refusals();
    return check_report("partition");
}
