/* Layers cut into stages, each stage a run of consecutive layers.
 *
 * Largest stage least. Let a stage that starts at layer i cost the sum of its layers, added up from i on (begun with the
 * embedding or the head where it has them). Then
 * (1) the sum grows, or stays, with each layer more at its end, and with each layer more at its beginning. In real numbers
 *     that is plain; in floating point it is so because rounding keeps order: x <= y gives fl(x + c) <= fl(y + c).
 * (2) Fill stages from the left, each as full as a budget B allows, leaving a layer for every stage to come. By (1) and
 *     induction no cut within B has its s-th boundary further right. So if any cut is within B, this one is.
 * (3) "Some cut is within B" is monotone in B, and doubles that are not negative are ordered as their bits are ordered as
 *     numbers. Halving the range of bits finds the least B in at most 63 fillings, each of which looks at every layer once:
 *     the exact optimum, to the last bit, in time linear in layers.
 * Source: Pinar and Aykanat 2004, "Fast optimal load balancing algorithms for 1D partitioning", where such a filling is a
 * probe.
 *
 * Many cuts have that largest stage, and the filled one starves the last stages. From the right, with the same sums, the
 * leftmost boundary from which the rest still fits is found; between the two limits each stage in turn takes the fewest
 * layers that reach an even share of what is left. */
#include "request/partition.h"

#include <assert.h>
#include <string.h>

#include "core/fault.h"
#include "request/read.h"
#include "schedules/schedule.h"

static size_t align8(size_t bytes) { return (bytes + 7) & ~(size_t)7; }

int32_t pp_partition_bytes(const pp_config *config) {
    if (config->layers == 0) return 0;
    size_t doubles = 4 * (size_t)config->layers + (PP_COST_ROWS + 6) * (size_t)config->stages + 2;
    return (int32_t)(align8(sizeof(pp_cut)) + doubles * sizeof(double) +
                     align8(2 * ((size_t)config->stages + 1) * sizeof(int32_t)));
}

static const pp_cut *cut_of(const pp_config *config, const double *costs) {
    assert(config->layers > 0);
    return pp_cut_at((double *)costs, config);
}

/* ---- what was asked for ---- */

static int32_t refuse_needs(const pp_text *given, int32_t option, int32_t needed, pp_fault *fault) {
    pp_fault scratch;
    fault = pp_fault_start(fault, &scratch, PP_ERR_OPTION_NEEDS);
    fault->option = option;
    fault->b = needed;
    pp_fault_seen(fault, given[option].begin, given[option].length);
    pp_fault_fix_text(fault, option, "");
    return PP_ERR_OPTION_NEEDS;
}

static int32_t refuse_held(const pp_config *config, int32_t option, pp_text seen, int32_t held, pp_fault *fault) {
    pp_fault scratch;
    fault = pp_fault_start(fault, &scratch, PP_ERR_LAYERS_HELD);
    fault->option = option;
    fault->a = held;
    fault->b = config->layers;
    pp_fault_seen(fault, seen.begin, seen.length);
    if (option == PP_OPT_CUTS && config->layers % config->stages == 0)
        pp_fault_fix_number(fault, PP_OPT_CUTS, config->layers / config->stages);
    if (held <= PP_MAX_LAYERS) pp_fault_fix_number(fault, PP_OPT_LAYERS, held);
    return PP_ERR_LAYERS_HELD;
}

static int32_t refuse_few(const pp_config *config, int32_t option, pp_text seen, pp_fault *fault) {
    pp_fault scratch;
    fault = pp_fault_start(fault, &scratch, PP_ERR_LAYERS);
    fault->option = option;
    fault->a = config->stages;
    pp_fault_seen(fault, seen.begin, seen.length);
    if (option == PP_OPT_LAYERS) pp_fault_fix_number(fault, PP_OPT_LAYERS, config->stages);
    return PP_ERR_LAYERS;
}

/* "30" is thirty layers of cost 1; anything else a list of costs. row: NULL, or *count entries. */
static int32_t read_layers(pp_text text, int32_t *count, double *row, pp_fault *fault) {
    pp_fault scratch;
    int32_t capacity = *count, repeated = 0, status;
    for (int32_t i = 0; i < text.length; i++) repeated |= text.begin[i] == '*';
    status = pp_numbers_read(text, PP_OPT_LAYERS, 2, row, capacity, count, fault);
    if (status != PP_OK) return status;
    if (*count == 1 && !repeated) {
        status = pp_whole_read(text, PP_OPT_LAYERS, 1, PP_MAX_LAYERS, count, fault);
        for (int32_t i = 0; status == PP_OK && row != NULL && i < capacity; i++) row[i] = 1;
        return status;
    }
    if (*count <= PP_MAX_LAYERS) return PP_OK;
    fault = pp_fault_start(fault, &scratch, PP_ERR_RANGE);
    fault->option = PP_OPT_LAYERS;
    fault->a = 1;
    fault->b = PP_MAX_LAYERS;
    pp_fault_seen(fault, text.begin, text.length);
    return PP_ERR_RANGE;
}

static int is_separator(char c) { return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '[' || c == ']'; }

/* The next word of a list of cuts; 0 at the end. */
static int next_word(pp_text text, int32_t *at, pp_text *word) {
    while (*at < text.length && is_separator(text.begin[*at])) ++*at;
    word->begin = text.begin + *at;
    while (*at < text.length && !is_separator(text.begin[*at])) ++*at;
    word->length = (int32_t)(text.begin + *at - word->begin);
    return word->length > 0;
}

/* Layers of each stage, -1 for "*". sizes: NULL, or an entry per stage. */
static int32_t read_cuts(pp_text text, const pp_config *config, int32_t *sizes, pp_fault *fault) {
    pp_fault scratch;
    pp_text word;
    int32_t at = 0, count = 0, free = 0, ended = 0, size = 0, status;
    int64_t held = 0;
    while (next_word(text, &at, &word)) {
        size = -1;
        if (word.length == 1 && word.begin[0] == '*') {
            if (ended) {
                fault = pp_fault_start(fault, &scratch, PP_ERR_CUTS);
                fault->option = PP_OPT_CUTS;
                pp_fault_seen(fault, text.begin, text.length);
                return PP_ERR_CUTS;
            }
            free++;
        } else {
            status = pp_whole_read(word, PP_OPT_CUTS, 1, PP_MAX_LAYERS, &size, fault);
            if (status != PP_OK) return status;
            ended = free > 0;
            held += size;
        }
        if (sizes != NULL && count < config->stages) sizes[count] = size;
        count++;
    }
    if (count == 1 && config->stages > 1) { /* one for all */
        for (int32_t s = 0; sizes != NULL && s < config->stages; s++) sizes[s] = size;
        count = config->stages;
        free *= config->stages;
        held *= config->stages;
    }
    if (count != config->stages) {
        fault = pp_fault_start(fault, &scratch, PP_ERR_LIST_LENGTH);
        fault->option = PP_OPT_CUTS;
        fault->a = config->stages;
        fault->b = count;
        pp_fault_seen(fault, text.begin, text.length);
        return PP_ERR_LIST_LENGTH;
    }
    if (free == 0 ? held != config->layers : held > config->layers)
        return refuse_held(config, PP_OPT_CUTS, text, (int32_t)held, fault);
    return held + free > config->layers ? refuse_few(config, PP_OPT_CUTS, text, fault) : PP_OK;
}

static int32_t check_layout(const pp_text *given, pp_config *config, pp_fault *fault) {
    pp_fault scratch;
    pp_text text = given[PP_OPT_LAYOUT];
    pp_layout layout;
    int32_t status = pp_layout_read(text, NULL, &layout, fault);
    if (status != PP_OK) return status;
    if (layout.stages != config->stages) {
        fault = pp_fault_start(fault, &scratch, PP_ERR_LAYOUT_STAGES);
        fault->option = PP_OPT_LAYOUT;
        fault->a = layout.stages;
        fault->b = config->stages;
        pp_fault_seen(fault, text.begin, text.length);
        int32_t chunks = layout.stages / config->ranks, most = pp_schedule_chunks_max(config->schedule);
        if (layout.stages % config->ranks == 0 && chunks <= most)
            pp_fault_fix_number(fault, PP_OPT_CHUNKS, chunks);
        else if (layout.stages % config->chunks == 0 && layout.stages / config->chunks <= PP_MAX_RANKS)
            pp_fault_fix_number(fault, PP_OPT_RANKS, layout.stages / config->chunks);
        return PP_ERR_LAYOUT_STAGES;
    }
    if (given[PP_OPT_LAYERS].begin != NULL && layout.layers != config->layers)
        return refuse_held(config, PP_OPT_LAYOUT, text, layout.layers, fault);
    config->layers = layout.layers;
    return PP_OK;
}

int32_t pp_partition_shape(const pp_text *given, pp_config *config, pp_fault *fault) {
    static const int32_t of_layers[] = {PP_OPT_CUTS,
                                        PP_OPT_EMBEDDING,
                                        PP_OPT_HEAD,
                                        PP_OPT_LAYER_FORWARD,
                                        PP_OPT_LAYER_INPUT_GRADIENT,
                                        PP_OPT_LAYER_WEIGHT_GRADIENT};
    pp_fault scratch;
    int listed = given[PP_OPT_LAYERS].begin != NULL, drawn = given[PP_OPT_LAYOUT].begin != NULL;
    for (int32_t i = 0; i < 6 && !listed && !drawn; i++)
        if (given[of_layers[i]].begin != NULL) return refuse_needs(given, of_layers[i], PP_OPT_LAYERS, fault);
    if (listed) {
        int32_t status = read_layers(given[PP_OPT_LAYERS], &config->layers, NULL, fault);
        if (status != PP_OK) return status;
    }
    if (drawn && given[PP_OPT_CUTS].begin != NULL) {
        fault = pp_fault_start(fault, &scratch, PP_ERR_OPTION_BESIDE);
        fault->option = PP_OPT_CUTS;
        fault->b = PP_OPT_LAYOUT;
        pp_fault_seen(fault, given[PP_OPT_CUTS].begin, given[PP_OPT_CUTS].length);
        return PP_ERR_OPTION_BESIDE;
    }
    if (drawn) return check_layout(given, config, fault);
    if (!listed) return PP_OK;
    if (config->layers < config->stages) return refuse_few(config, PP_OPT_LAYERS, given[PP_OPT_LAYERS], fault);
    return given[PP_OPT_CUTS].begin != NULL ? read_cuts(given[PP_OPT_CUTS], config, NULL, fault) : PP_OK;
}

/* ---- costs of stages ---- */

double pp_cut_extra(const pp_cut *p, int32_t stage) {
    return (stage == p->embedding_stage ? p->embedding : 0) + (stage == p->head_stage ? p->head : 0);
}

double pp_cut_cost(const pp_cut *p, int32_t stage, int32_t from, int32_t to) {
    double sum = pp_cut_extra(p, stage);
    for (int32_t i = from; i < to; i++) sum += p->layer[i];
    return sum;
}

/* Where the stage ends if it starts at `from` and is filled up to the budget, at most up to `limit`. */
static int32_t fill(const pp_cut *p, int32_t stage, int32_t from, int32_t limit, double budget) {
    double sum = pp_cut_extra(p, stage);
    int32_t to = from;
    while (to < limit && sum + p->layer[to] <= budget) sum += p->layer[to++];
    return to;
}

/* Of layers that have costs of their own in a row, their sum; the ends of the network have the unit's. */
static double own_cost(const pp_cut *p, int32_t row, int32_t stage, const int32_t *at) {
    double sum = p->unit[p->own_row[row] * p->stages + stage] * pp_cut_extra(p, stage);
    for (int32_t i = at[stage]; i < at[stage + 1]; i++) sum += p->own[row][i];
    return sum;
}

void pp_cut_apply(const pp_cut *p, const int32_t *at, double *costs) {
    static const int32_t rows[] = {PP_COST_FORWARD, PP_COST_INPUT, PP_COST_WEIGHT, PP_COST_RECOMPUTE};
    const size_t n = (size_t)p->stages;
    for (size_t s = 0; s < n; s++) {
        for (int32_t i = 0; i < 4; i++) {
            double *cost = &costs[(size_t)rows[i] * n + s], unit = p->unit[(size_t)rows[i] * n + s];
            *cost = unit * p->stage[s];
            if (i < 3 && p->own[i] != NULL) *cost = own_cost(p, i, (int32_t)s, at);
            /* what is run again is the forward */
            if (i == 3 && p->own[0] != NULL && unit == p->unit[PP_COST_FORWARD * n + s])
                *cost = costs[PP_COST_FORWARD * n + s];
        }
        costs[PP_COST_BACKWARD * n + s] = costs[PP_COST_INPUT * n + s] + costs[PP_COST_WEIGHT * n + s];
        double overlap = p->unit[PP_COST_OVERLAP * n + s];
        costs[PP_COST_OVERLAP * n + s] = overlap >= 0 ? overlap * p->stage[s] : overlap;
    }
}

void pp_cut_settle(pp_cut *p, double *costs) {
    for (int32_t s = 0; s < p->stages; s++) p->stage[s] = pp_cut_cost(p, s, p->at[s], p->at[s + 1]);
    pp_cut_apply(p, p->at, costs);
}

/* ---- cutting the free stages ---- */

static void cut_equal(pp_cut *p) {
    int32_t stages = p->last - p->first, layers = p->at[p->last] - p->at[p->first];
    for (int32_t s = p->first; s + 1 < p->last; s++)
        p->at[s + 1] = p->at[s] + layers / stages + (s - p->first < layers % stages);
}

/* Fills the stages from the left; 1 if all layers find room. */
static int fits(const pp_cut *p, double budget) {
    int32_t at = p->at[p->first], end = p->at[p->last];
    for (int32_t s = p->first; s < p->last; s++) {
        int32_t next = fill(p, s, at, end - (p->last - 1 - s), budget);
        if (next == at) return 0;
        at = next;
    }
    return at == end;
}

static double from_bits(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The least budget within which there is a cut. */
static double least_largest(const pp_cut *p) {
    double all = p->embedding + p->head;
    for (int32_t i = p->at[p->first]; i < p->at[p->last]; i++) all += p->layer[i];
    uint64_t low = 0, high;
    all += all * 1e-9; /* no stage passes it, in whatever order its layers are added */
    memcpy(&high, &all, sizeof high);
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (fits(p, from_bits(middle)))
            high = middle;
        else
            low = middle + 1;
    }
    return from_bits(low);
}

/* Leftmost boundaries from which the rest fits into the stages to the right, into `left`. */
static void leftmost(const pp_cut *p, double budget, int32_t *left) {
    left[p->last] = p->at[p->last];
    for (int32_t s = p->last - 1; s > p->first; s--) {
        int32_t to = left[s + 1], low = p->at[p->first] + (s - p->first), high = to - 1;
        while (low < high) {
            int32_t middle = low + (high - low) / 2;
            if (fill(p, s, middle, to, budget) == to)
                high = middle;
            else
                low = middle + 1;
        }
        left[s] = low;
    }
}

/* Between the two limits, layers to each stage until it has an even share of what is left. Left of the share by a
 * billionth counts as reached: sums in another order may differ so much. */
static void cut_by_cost(pp_cut *p) {
    double budget = least_largest(p), rest = 0;
    leftmost(p, budget, p->spare);
    for (int32_t i = p->at[p->first]; i < p->at[p->last]; i++) rest += p->layer[i];
    for (int32_t s = p->first; s < p->last; s++) rest += pp_cut_extra(p, s);
    for (int32_t s = p->first; s + 1 < p->last; s++) {
        int32_t at = p->at[s], to = p->spare[s + 1], limit = p->at[p->last] - (p->last - 1 - s);
        double share = rest / (p->last - s) * (1 - 1e-9);
        if (to <= at) to = at + 1;
        limit = fill(p, s, at, limit, budget);
        double sum = pp_cut_cost(p, s, at, to);
        while (to < limit && sum < share) sum += p->layer[to++];
        p->at[s + 1] = to;
        rest -= sum;
    }
}

/* Costs of layers in a row of their own: one number for all, or one each. */
static int32_t read_own(const pp_text *given, pp_cut *p, double *rows, pp_fault *fault) {
    static const int32_t options[] = {PP_OPT_LAYER_FORWARD, PP_OPT_LAYER_INPUT_GRADIENT, PP_OPT_LAYER_WEIGHT_GRADIENT};
    static const int32_t cost_rows[] = {PP_COST_FORWARD, PP_COST_INPUT, PP_COST_WEIGHT};
    for (int32_t i = 0; i < 3; i++) {
        p->own_row[i] = cost_rows[i];
        if (given[options[i]].begin == NULL) continue;
        p->own[i] = rows + i * p->layers;
        int32_t status = pp_list_read(given[options[i]], options[i], p->layers, p->own[i], fault);
        if (status == PP_ERR_LIST_LENGTH && fault != NULL) fault->code = PP_ERR_LAYER_LENGTH;
        if (status != PP_OK) return status == PP_ERR_LIST_LENGTH ? PP_ERR_LAYER_LENGTH : status;
    }
    return PP_OK;
}

int32_t pp_partition_make(const pp_text *given, const pp_config *config, double *costs, pp_fault *fault) {
    if (config->layers == 0) return PP_OK;
    const size_t n = (size_t)config->stages;
    pp_cut *p = pp_cut_at(costs, config);
    *p = (pp_cut){.layers = config->layers,
                  .stages = config->stages,
                  .method = config->partition,
                  .proved = 1,
                  .head_stage = config->stages - 1};
    p->layer = (double *)((char *)p + align8(sizeof(pp_cut)));
    double *own = p->layer + config->layers;
    p->stage = own + 3 * (size_t)config->layers;
    p->unit = p->stage + n;
    p->load = p->unit + PP_COST_ROWS * n;
    p->pass = p->load + n;
    p->before = p->pass + n;
    p->left = p->before + n + 1;
    p->held = p->left + n + 1;
    p->at = (int32_t *)(p->held + n);
    p->spare = p->at + n + 1;
    memcpy(p->unit, costs, PP_COST_ROWS * n * sizeof(double));

    int32_t status = PP_OK, count = config->layers;
    for (int32_t i = 0; i < config->layers; i++) p->layer[i] = 1;
    if (given[PP_OPT_LAYERS].begin != NULL) status = read_layers(given[PP_OPT_LAYERS], &count, p->layer, fault);
    if (status == PP_OK && given[PP_OPT_EMBEDDING].begin != NULL)
        status = pp_amount_read(given[PP_OPT_EMBEDDING], PP_OPT_EMBEDDING, &p->embedding, fault);
    if (status == PP_OK && given[PP_OPT_HEAD].begin != NULL)
        status = pp_amount_read(given[PP_OPT_HEAD], PP_OPT_HEAD, &p->head, fault);
    if (status == PP_OK) status = read_own(given, p, own, fault);
    if (status != PP_OK) return status;

    int32_t *sizes = p->spare;
    for (size_t s = 0; s < n; s++) sizes[s] = -1;
    if (given[PP_OPT_LAYOUT].begin != NULL) {
        pp_layout layout;
        status = pp_layout_read(given[PP_OPT_LAYOUT], sizes, &layout, fault);
        p->embedding_stage = layout.embedding_stage;
        p->head_stage = layout.head_stage;
    } else if (given[PP_OPT_CUTS].begin != NULL) {
        status = read_cuts(given[PP_OPT_CUTS], config, sizes, fault);
    }
    if (status != PP_OK) return status;

    /* the fixed stages at both ends; the free ones between them */
    p->last = p->stages;
    p->at[0] = 0;
    p->at[p->stages] = p->layers;
    for (; p->first < p->last && sizes[p->first] >= 0; p->first++)
        p->at[p->first + 1] = p->at[p->first] + sizes[p->first];
    for (; p->last > p->first && sizes[p->last - 1] >= 0; p->last--)
        p->at[p->last - 1] = p->at[p->last] - sizes[p->last - 1];
    if (p->first < p->last && p->method == PP_PARTITION_EQUAL) cut_equal(p);
    if (p->first < p->last && p->method != PP_PARTITION_EQUAL) cut_by_cost(p);
    pp_cut_settle(p, costs);
    return PP_OK;
}

/* ---- reading ---- */

void pp_partition_summarize(const pp_config *config, const double *costs, pp_partition_summary *out) {
    const pp_cut *p = cut_of(config, costs);
    double all = 0;
    *out = (pp_partition_summary){.layers = p->layers,
                                  .free_stages = p->last - p->first,
                                  .proved = p->proved,
                                  .cases = p->cases,
                                  .embedding_stage = p->embedding_stage,
                                  .head_stage = p->head_stage};
    for (int32_t s = 0; s < p->stages; s++) {
        all += p->stage[s];
        if (p->stage[s] <= out->largest && s > 0) continue;
        out->largest = p->stage[s];
        out->largest_stage = s;
    }
    out->mean = all / p->stages;
}

const int32_t *pp_partition_cuts(const pp_config *config, const double *costs) { return cut_of(config, costs)->at; }

const double *pp_partition_stage_costs(const pp_config *config, const double *costs) {
    return cut_of(config, costs)->stage;
}

const double *pp_partition_layer_costs(const pp_config *config, const double *costs) {
    return cut_of(config, costs)->layer;
}
