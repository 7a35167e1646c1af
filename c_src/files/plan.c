/* From a measured run to the costs of its layers, and from a prediction to how far it was off. The forms are told in
 * pipeline.h. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "files/json.h"
#include "files/table.h"
#include "request/partition.h"

enum { F, I, W, ROWS };

/* ---- reading ---- */

/* What the JSON has, counted; and where it goes, NULL while only counting. */
typedef struct found {
    int32_t layers, sizes, makespans;
    double *cost; /* F, I, W of each layer, rows of row_length */
    int32_t row_length;
    int32_t *size;
    double *makespan;
    int64_t held;          /* layers of all sizes */
    int32_t split, halved; /* some layer tells I and W; some tells its backward alone */
} found;

static int32_t refuse_json(const pp_json *json, pp_fault *fault) {
    int32_t rest = json->length - json->at, row = 0, column = 0;
    pp_fault scratch;
    if (fault == NULL) fault = &scratch;
    for (int32_t i = 0; i < json->at; i++) {
        column++;
        if (json->text[i] == '\n') row++, column = 0;
    }
    pp_refuse_text(PP_ERR_RECORD, row, column, (pp_text){json->text + json->at, rest < 20 ? rest : 20}, fault);
    fault->a = PP_RECORD_JSON;
    return PP_ERR_RECORD;
}

/* An object of one layer. */
static int32_t read_layer(pp_json *json, found *out, pp_fault *fault) {
    double costs[PP_COST_ROWS], value;
    int first = 1, more, given[PP_COST_ROWS] = {0};
    pp_text key, text;
    if (!pp_json_enter(json, '{')) return refuse_json(json, fault);
    while ((more = pp_json_member(json, &first, &key)) == 1) {
        int32_t row = pp_profile_row(key);
        if (row < 0 ? !pp_json_skip(json) : !pp_json_number(json, &text, &value)) return refuse_json(json, fault);
        if (row >= 0) costs[row] = value, given[row] = 1;
    }
    if (more != 0) return refuse_json(json, fault);
    int32_t layer = out->layers++, has_split = given[PP_COST_INPUT] && given[PP_COST_WEIGHT];
    if (out->cost == NULL) return PP_OK;
    if (!given[PP_COST_FORWARD]) return pp_refuse_profile(PP_PROFILE_LAYER, PP_OPT_FORWARD, layer, -1, fault);
    if (!has_split && !given[PP_COST_BACKWARD])
        return pp_refuse_profile(PP_PROFILE_LAYER, PP_OPT_BACKWARD, layer, -1, fault);
    double *cost = out->cost + layer;
    cost[F * out->row_length] = costs[PP_COST_FORWARD];
    cost[I * out->row_length] = has_split ? costs[PP_COST_INPUT] : costs[PP_COST_BACKWARD] / 2;
    cost[W * out->row_length] = has_split ? costs[PP_COST_WEIGHT] : costs[PP_COST_BACKWARD] / 2;
    *(has_split ? &out->split : &out->halved) = 1;
    return PP_OK;
}

/* "layers", "sizes", "makespans" of an object; nothing where the text is no object. */
static int32_t read_json(pp_text text, found *out, pp_fault *fault) {
    pp_json json = {text.begin, text.length, 0};
    int first = 1, more, inner;
    int32_t status;
    pp_text key, seen;
    double value;
    if (!pp_json_enter(&json, '{')) return PP_OK;
    while ((more = pp_json_member(&json, &first, &key)) == 1) {
        int layers = pp_name_equal(key, "layers"), sizes = pp_name_equal(key, "sizes");
        if (!(layers || sizes || pp_name_equal(key, "makespans")) || pp_json_peek(&json) != '[') {
            if (!pp_json_skip(&json)) return refuse_json(&json, fault);
            continue;
        }
        int first_of_list = 1;
        pp_json_enter(&json, '[');
        while ((inner = pp_json_element(&json, &first_of_list)) == 1) {
            if (layers) {
                status = read_layer(&json, out, fault);
                if (status != PP_OK) return status;
                continue;
            }
            if (!pp_json_number(&json, &seen, &value)) return refuse_json(&json, fault);
            int32_t at = sizes ? out->sizes++ : out->makespans++;
            int32_t size = value > 0 && value <= PP_MAX_LAYERS ? (int32_t)value : 0;
            if (sizes) out->held += size;
            if (sizes && out->size != NULL) out->size[at] = size;
            if (!sizes && out->makespan != NULL) out->makespan[at] = value;
        }
        if (inner != 0) return refuse_json(&json, fault);
    }
    return more == 0 ? PP_OK : refuse_json(&json, fault);
}

static int32_t profile_stages(const pp_profile *profile) {
    int32_t most = 0;
    if (profile == NULL) return 0;
    for (int32_t row = 0; row < PP_COST_LATENCY; row++)
        if (profile->count[row] > most) most = profile->count[row];
    return most;
}

/* One number stands for all stages. */
static double profile_cost(const pp_profile *profile, int32_t row, int32_t stage) {
    int32_t count = profile->count[row];
    return count == 0 ? 0 : profile->values[row][count == 1 ? 0 : stage];
}

/* How much there is of each: layers and stages as the plan will have them. */
typedef struct extent {
    int32_t layers, stages, makespans;
} extent;

static int64_t sum_of(const int32_t *sizes, int32_t count) {
    int64_t sum = 0;
    for (int32_t s = 0; s < count; s++) sum += sizes[s];
    return sum;
}

static extent extent_of(pp_text text, const pp_profile *profile, const int32_t *sizes, int32_t size_count) {
    found out = {.size = NULL};
    (void)read_json(text, &out, NULL); /* what is wrong with it is said when it is read */
    extent e = {out.layers, sizes != NULL ? size_count : out.sizes, out.makespans};
    int64_t held = sizes != NULL ? sum_of(sizes, size_count) : out.held;
    if (e.stages == 0) e.stages = profile_stages(profile);
    if (e.layers == 0 && held > 0) e.layers = held < PP_MAX_LAYERS ? (int32_t)held : PP_MAX_LAYERS;
    if (e.layers == 0) e.layers = e.stages;
    return e;
}

size_t pp_plan_bytes(const char *text, int32_t length, const pp_profile *profile, const int32_t *sizes,
                     int32_t size_count) {
    pp_text body = pp_file_text(text, length);
    extent e = extent_of(body, profile, sizes, size_count);
    return pp_align8(sizeof(pp_plan)) + ((ROWS + 1) * (size_t)e.layers + (size_t)e.makespans) * sizeof(double) +
           pp_align8((size_t)e.stages * sizeof(int32_t));
}

static void sort(double *values, int32_t count) {
    for (int32_t gap = count / 2; gap > 0; gap /= 2) {
        for (int32_t i = gap; i < count; i++) {
            double value = values[i];
            int32_t at = i;
            for (; at >= gap && values[at - gap] > value; at -= gap) values[at] = values[at - gap];
            values[at] = value;
        }
    }
}

/* ---- the costs of layers ---- */

/* Makes the layers of each stage add up to what the stage took. */
static void fit_stages(pp_plan *plan, const pp_profile *profile, int own_layers, int own_split) {
    int stage_split = profile->count[PP_COST_INPUT] > 0 && profile->count[PP_COST_WEIGHT] > 0;
    int32_t n = plan->layers, begin = 0;
    plan->split = own_split || stage_split;
    for (int32_t s = 0; s < plan->stages; s++) {
        int32_t end = begin + plan->sizes[s];
        double f = profile_cost(profile, PP_COST_FORWARD, s), backward = profile_cost(profile, PP_COST_BACKWARD, s);
        double input = backward / 2;
        if (stage_split) {
            input = profile_cost(profile, PP_COST_INPUT, s);
            backward = input + profile_cost(profile, PP_COST_WEIGHT, s);
        }
        double own_f = 0, own_b = 0;
        for (int32_t l = begin; own_layers && l < end; l++) {
            own_f += plan->cost[F * n + l];
            own_b += plan->cost[I * n + l] + plan->cost[W * n + l];
        }
        for (int32_t l = begin; l < end; l++) {
            double *cost = plan->cost + l, share = 1.0 / (end - begin);
            cost[F * n] = own_f > 0 ? cost[F * n] * (f / own_f) : f * share;
            if (own_b > 0) {
                cost[I * n] *= backward / own_b;
                cost[W * n] *= backward / own_b;
            } else {
                cost[I * n] = input * share;
                cost[W * n] = (backward - input) * share;
            }
        }
        begin = end;
    }
}

int32_t pp_plan_parse(const char *text, int32_t length, const pp_profile *profile, const int32_t *sizes,
                      int32_t size_count, void *memory, size_t bytes, pp_fault *fault) {
    pp_fault unseen;
    assert(memory != NULL && ((uintptr_t)memory & 7) == 0);
    if (bytes < pp_plan_bytes(text, length, profile, sizes, size_count)) {
        pp_fault_start(fault, &unseen, PP_ERR_CAPACITY);
        return PP_ERR_CAPACITY;
    }
    pp_text body = pp_file_text(text, length);
    pp_plan *plan = memory;
    extent e = extent_of(body, profile, sizes, size_count);
    double *rest = (double *)((char *)memory + pp_align8(sizeof *plan));
    *plan = (pp_plan){.layers = e.layers, .stages = e.stages, .steps = e.makespans, .cost = rest};
    plan->weight = plan->cost + ROWS * (size_t)e.layers;
    plan->makespans = plan->weight + e.layers;
    int32_t *own_sizes = plan->sizes = (int32_t *)(plan->makespans + e.makespans);
    found out = {.cost = plan->cost,
                 .row_length = e.layers,
                 .size = sizes == NULL ? own_sizes : NULL,
                 .makespan = plan->makespans};
    int32_t status = read_json(body, &out, fault);
    if (status != PP_OK) return status;
    if (sizes != NULL) memcpy(own_sizes, sizes, (size_t)size_count * sizeof(int32_t));
    if (sizes == NULL && out.sizes == 0) { /* a stage is one layer */
        for (int32_t s = 0; s < e.stages; s++) own_sizes[s] = 1;
    }
    int32_t stages = profile_stages(profile), told = sizes != NULL || out.sizes > 0;
    int64_t held = sum_of(own_sizes, e.stages);
    for (int32_t s = 0; s < e.stages; s++)
        if (own_sizes[s] < 1) held = -1;
    if ((told || stages > 0) && (held != e.layers || (stages > 1 && stages != e.stages)))
        return pp_refuse_profile(PP_PROFILE_SIZES, -1, e.stages, (int32_t)(held < 0 ? 0 : held), fault);
    plan->split = out.split && !out.halved;
    if (stages > 0)
        fit_stages(plan, profile, out.layers > 0, plan->split);
    else if (out.layers == 0)
        return pp_refuse_profile(PP_PROFILE_NONE, -1, -1, -1, fault);
    double all = 0;
    for (int32_t l = 0; l < e.layers; l++) {
        const double *cost = plan->cost + l;
        if (!(cost[F * e.layers] >= 0 && cost[I * e.layers] >= 0 && cost[W * e.layers] >= 0)) all = NAN;
        plan->weight[l] = cost[F * e.layers] + cost[I * e.layers] + cost[W * e.layers];
        all += plan->weight[l];
    }
    if (!(all > 0)) return pp_refuse_profile(PP_PROFILE_COST, -1, -1, -1, fault);
    sort(plan->makespans, plan->steps);
    return PP_OK;
}

int32_t pp_plan_layers(const pp_plan *plan) { return plan->layers; }
int32_t pp_plan_stages(const pp_plan *plan) { return plan->stages; }
int32_t pp_plan_split(const pp_plan *plan) { return plan->split; }
const int32_t *pp_plan_sizes(const pp_plan *plan) { return plan->sizes; }
const double *pp_plan_costs(const pp_plan *plan) { return plan->cost; }
const double *pp_plan_weights(const pp_plan *plan) { return plan->weight; }

void pp_plan_units(const pp_plan *plan, double *units) {
    double all = 0;
    for (int32_t l = 0; l < plan->layers; l++) all += plan->weight[l];
    for (int32_t row = 0; row < ROWS; row++) {
        units[row] = 0;
        for (int32_t l = 0; l < plan->layers; l++) units[row] += plan->cost[row * plan->layers + l];
        units[row] /= all;
    }
}

void pp_plan_stage_costs(const pp_plan *plan, const int32_t *sizes, int32_t stages, double *costs) {
    for (int32_t row = 0; row < ROWS; row++) {
        int32_t l = 0;
        for (int32_t s = 0; s < stages; s++) {
            double sum = 0;
            for (int32_t end = l + sizes[s]; l < end && l < plan->layers; l++)
                sum += plan->cost[row * plan->layers + l];
            costs[row * stages + s] = sum;
        }
    }
}

/* ---- no plan is shorter ---- */

/* Sums over the first layers, with the ends of the network: F, I, W. */
typedef struct prefix {
    const pp_plan *plan;
    const pp_plan_ends *ends;
    double unit[ROWS];
} prefix;

static double run_sum(const prefix *x, int32_t row, int32_t from, int32_t to) {
    int32_t n = x->plan->layers;
    double sum = 0;
    for (int32_t l = from; l < to; l++) sum += x->plan->cost[row * n + l];
    if (from == 0 && to > 0) sum += x->ends->embedding * x->unit[row];
    if (to == n && from < to) sum += x->ends->head * x->unit[row];
    return sum;
}

/* One stage a rank: of all cuts the least that the busiest rank needs, with what must come before its work and, but for its
 * weight gradients, after it. room: 2 (layers + 1) doubles. */
static double bound_of_cuts(const prefix *x, int32_t ranks, int32_t m, double latency, double *room) {
    int32_t n = x->plan->layers;
    double *best = room, *next = room + n + 1;
    for (int32_t at = 0; at <= n; at++) best[at] = at == 0 ? 0 : INFINITY;
    for (int32_t r = 0; r < ranks; r++) {
        for (int32_t to = 0; to <= n; to++) next[to] = INFINITY;
        for (int32_t from = r; from + (ranks - r) <= n; from++) {
            if (best[from] == INFINITY) continue;
            double before = run_sum(x, F, 0, from) + r * latency, after = run_sum(x, I, 0, from) + r * latency;
            double first = run_sum(x, W, 0, 1), sum[ROWS];
            for (int32_t row = 0; row < ROWS; row++) sum[row] = from == 0 ? x->ends->embedding * x->unit[row] : 0;
            for (int32_t to = from + 1; to <= n - (ranks - 1 - r); to++) {
                for (int32_t row = 0; row < ROWS; row++)
                    sum[row] += x->plan->cost[row * n + to - 1] + (to == n ? x->ends->head * x->unit[row] : 0);
                if (r == ranks - 1 && to < n) continue;
                double f = sum[F], i = sum[I], w = sum[W];
                double own = before + m * (f + i + w), through = before + m * (f + i) + after + (r == 0 ? w : first);
                double most = own > through ? own : through;
                if (best[from] > most) most = best[from];
                if (most < next[to]) next[to] = most;
            }
        }
        memcpy(best, next, ((size_t)n + 1) * sizeof *best);
    }
    return best[n];
}

size_t pp_plan_bound_bytes(const pp_plan *plan) { return 2 * ((size_t)plan->layers + 1) * sizeof(double); }

double pp_plan_bound(const pp_plan *plan, const pp_plan_ends *ends, const pp_plan_shape *shape, void *scratch) {
    prefix x = {.plan = plan, .ends = ends};
    int32_t n = plan->layers, p = shape->ranks, m = shape->microbatches;
    pp_plan_units(plan, x.unit);
    double f = run_sum(&x, F, 0, n), i = run_sum(&x, I, 0, n), w = run_sum(&x, W, 0, n), first = run_sum(&x, W, 0, 1);
    /* one micro-batch through all layers and back, the weights of the first last */
    double alone = f + i + 2 * (p - 1) * shape->latency + first, bound = alone;
    /* by the limit: whoever has the first layer holds so many at once, and each is gone after a way there and back */
    if (shape->limit > 0) {
        double rounds = floor((m - 1) / (shape->limit * shape->chunks));
        if (rounds * alone + alone > bound) bound = rounds * alone + alone;
    }
    /* all work, and what ranks wait for the forwards of at least a layer for each rank before them */
    double work = m * (f + i + w), wait = 0;
    for (int32_t r = 0; r < p; r++) {
        int32_t before = shape->both_ends && p - 1 - r < r ? p - 1 - r : r;
        wait += run_sum(&x, F, 0, before) + before * shape->latency;
    }
    if ((work + wait) / p > bound) bound = (work + wait) / p;
    if (shape->chunks == 1 && !shape->both_ends && n <= PP_PLAN_BOUND_LAYERS) {
        double cuts = bound_of_cuts(&x, p, m, shape->latency, scratch);
        if (cuts > bound) bound = cuts;
    }
    return bound;
}

/* ---- what was measured ---- */

/* How long action i waited for a message and for nothing else; below 0: it did not, or that is not known. */
static double wait_for_message(int32_t i, const int32_t *rank, const int32_t *input, const double *start,
                               const double *finish) {
    if (input[i] < 0 || rank[input[i]] == rank[i]) return -1;
    int first = i == 0 || rank[i - 1] != rank[i];
    double made = finish[input[i]];
    if (!first && finish[i - 1] > made) return -1; /* the message may have been there before its reader */
    return start[i] > made ? start[i] - made : 0;
}

/* The wait that `count` of all waits do not pass, by halving the range of bits: doubles that are not negative are ordered as
 * their bits are. */
static double wait_of_order(int32_t wanted, int32_t count, const int32_t *rank, const int32_t *input,
                            const double *start, const double *finish) {
    uint64_t low = 0, high = UINT64_C(0x7FF0000000000000);
    double most;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        int32_t within = 0;
        memcpy(&most, &middle, sizeof most);
        for (int32_t i = 0; i < count; i++) {
            double wait = wait_for_message(i, rank, input, start, finish);
            within += wait >= 0 && wait <= most;
        }
        if (within >= wanted)
            high = middle;
        else
            low = middle + 1;
    }
    memcpy(&most, &low, sizeof most);
    return most;
}

double pp_measured_latency(int32_t count, const int32_t *rank, const int32_t *input, const double *start,
                           const double *finish) {
    int32_t waited = 0;
    for (int32_t i = 0; i < count; i++) waited += wait_for_message(i, rank, input, start, finish) >= 0;
    if (waited == 0) return 0;
    double lower = wait_of_order((waited + 1) / 2, count, rank, input, start, finish);
    return waited % 2 ? lower : (lower + wait_of_order(waited / 2 + 1, count, rank, input, start, finish)) / 2;
}

double pp_plan_above(double makespan, double bound) {
    return bound > 0 ? (makespan > bound ? makespan / bound - 1 : 0) : NAN;
}

double pp_plan_gain(double before, double after) { return before > 0 ? 1 - after / before : NAN; }

void pp_plan_outcome(const pp_plan *plan, double predicted, double one, double before, double measured_before,
                     pp_outcome *out) {
    const double *steps = plan->makespans;
    int32_t n = plan->steps;
    out->predicted = predicted;
    out->measured = n > 0 ? steps[(n - 1) / 2] : one;
    out->low = n > 0 ? steps[0] : one;
    out->high = n > 0 ? steps[n - 1] : one;
    out->ratio = out->measured / predicted;
    out->noise = (out->high - out->low) / out->measured;
    out->gain = pp_plan_gain(before, predicted);
    out->gain_measured = pp_plan_gain(measured_before, out->measured);
}

const char *pp_outcome_field_name(int32_t field) {
    static const char *const names[] = {
#define NAME(field) #field,
        PP_OUTCOME_FIELDS(NAME)
#undef NAME
    };
    return field >= 0 && field < (int32_t)(sizeof names / sizeof names[0]) ? names[field] : "";
}
