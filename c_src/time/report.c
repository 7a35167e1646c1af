/* Reasons and figures of a timed step: the summary, each rank's share, why a rank is idle, what decides the makespan,
 * and a bound that no order of the same actions on the same ranks can go below. */
#include <math.h>
#include <string.h>

#include "time/timeline.h"

static const char *const summary_names[] = {
#define SUMMARY_NAME(field) #field,
    PP_SUMMARY_FIELDS(SUMMARY_NAME)
#undef SUMMARY_NAME
};
static const char *const rank_names[] = {
#define RANK_NAME(field) #field,
    PP_RANK_FIELDS(RANK_NAME)
#undef RANK_NAME
};
static const char *const idle_names[] = {
#define IDLE_NAME(field) #field,
    PP_IDLE_FIELDS(IDLE_NAME)
#undef IDLE_NAME
};

int32_t pp_summary_field_count(void) { return (int32_t)(sizeof summary_names / sizeof summary_names[0]); }
int32_t pp_rank_field_count(void) { return (int32_t)(sizeof rank_names / sizeof rank_names[0]); }
int32_t pp_idle_field_count(void) { return (int32_t)(sizeof idle_names / sizeof idle_names[0]); }
const char *pp_summary_field_name(int32_t i) { return i >= 0 && i < pp_summary_field_count() ? summary_names[i] : ""; }
const char *pp_rank_field_name(int32_t i) { return i >= 0 && i < pp_rank_field_count() ? rank_names[i] : ""; }
const char *pp_idle_field_name(int32_t i) { return i >= 0 && i < pp_idle_field_count() ? idle_names[i] : ""; }

/* ---- exact fractions ---- */

static const double whole_limit = 9007199254740992.0; /* 2^53 */

static int whole(double value) { return value >= 0 && value <= whole_limit && value == floor(value); }

/* scale: 0, or what makes numerator and denominator whole */
static void fraction(double numerator, double denominator, int scale, double *value, double *n, double *d) {
    *value = denominator > 0 ? numerator / denominator : 0;
    *n = *d = 0;
    if (scale > 1) numerator = floor(numerator * scale + 0.5), denominator = floor(denominator * scale + 0.5);
    if (scale == 0 || denominator <= 0 || !whole(numerator) || !whole(denominator)) return;
    double a = numerator, b = denominator;
    while (b > 0) {
        double rest = fmod(a, b);
        a = b;
        b = rest;
    }
    *n = numerator / a;
    *d = denominator / a;
}

void pp_report_shares(pp_summary *out, int32_t ranks, int scale) {
    double area = ranks * out->makespan;
    if (area > whole_limit / (scale > 1 ? scale : 1)) scale = 0;
    out->idle = area - out->busy;
    fraction(out->busy, area, scale, &out->utilization, &out->utilization_numerator, &out->utilization_denominator);
    fraction(out->idle, area, scale, &out->bubble_fraction, &out->bubble_fraction_numerator,
             &out->bubble_fraction_denominator);
    fraction(out->idle, out->busy, scale, &out->bubble_ratio, &out->bubble_ratio_numerator,
             &out->bubble_ratio_denominator);
    out->bubble_rate = out->span > 0 ? (out->span - out->busy / ranks) / out->span : 0;
}

/* ---- one rank ---- */

/* What one walk through all lists finds beside the ranks' reports. */
typedef struct walked {
    double *held_back;    /* per rank: ticks of W */
    double *first, *last; /* per micro-batch: when it begins, when its last op but W ends */
    double messages[2];   /* forward, backward */
    int split;            /* 1: there are W */
    int measured;         /* 1: clocks may say that an output came before its input */
} walked;

/* 1 if a stage and the one after it are on two ranks. */
static int crosses(const pp_schedule *s, const int32_t *rank, int32_t stage) {
    return stage >= 0 && stage + 1 < s->stages && rank[stage] != rank[stage + 1];
}

static void report_rank(const pp_schedule *s, const double *costs, const pp_timeline *line, int32_t r, walked *all,
                        pp_rank_report *out) {
    const int32_t begin = s->rank_begin[r], end = s->rank_begin[r + 1], n = s->stages, trains = s->trains;
    const int32_t slices = s->slices, *stage_rank = s->stage_rank, *pipe = s->unit_pipe;
    const pp_action *const actions = s->actions;
    const double *cost[PP_OP_COUNT];
    int32_t held = 0, peak = 0, backward_seen = 0, warmup = 0, messages[2] = {0};
    double busy = 0, held_back = 0;
    const int uneven = pp_uneven(s);
    for (int32_t op = 0; op < PP_OP_COUNT; op++) cost[op] = costs + pp_op_cost_row(op) * n;
    for (int32_t i = begin, half = 0; i < end; i++) { /* half: the second of a slot */
        const pp_action a = actions[i];
        if (!half) {
            busy += a.fused || uneven ? pp_cost_of(s, costs, i) : cost[a.op][a.stage];
            held += trains & (a.op == PP_F);
            if (a.fused) held += trains & (actions[i + 1].op == PP_F);
            if (held > peak) peak = held;
        }
        half = a.fused;
        if (a.op == PP_W) { /* the gradient is through; weights have no one waiting */
            held--;
            all->split = 1;
            held_back += uneven ? pp_cost_of(s, costs, i) : cost[PP_W][a.stage];
            continue;
        }
        if (a.op == PP_F)
            warmup += !backward_seen;
        else if (a.op != PP_R)
            backward_seen = 1;
        held -= a.op == PP_B;
        /* A micro-batch enters and leaves by stage 0; without a backward it leaves by the last. */
        if (a.stage == 0 || (a.stage == n - 1 && !trains) || all->measured) {
            const int32_t k = slices == 1 ? a.microbatch : a.microbatch / slices;
            if (line->start[i] < all->first[k]) all->first[k] = line->start[i];
            if (line->finish[i] > all->last[k]) all->last[k] = line->finish[i];
        }
        /* An F takes its input from the stage below, a gradient comes from the one above. */
        const int32_t *rank = pipe != NULL ? stage_rank + pipe[a.microbatch] * n : stage_rank;
        if (a.op != PP_R) messages[a.op != PP_F] += crosses(s, rank, a.op == PP_F ? a.stage - 1 : a.stage);
    }
    all->held_back[r] = held_back;
    for (int32_t way = 0; way < 2; way++) all->messages[way] += messages[way];
    *out = (pp_rank_report){.busy = busy,
                            .first = end > begin ? line->start[begin] : 0,
                            .last = end > begin ? line->finish[end - 1] : 0,
                            .peak_activations = peak,
                            .weight_versions = 1,
                            .warmup = trains ? warmup : 0};
}

/* ---- lower bound ---- */

static double stage_sum(const double *costs, int32_t stages, int32_t row, int32_t from, int32_t to) {
    double sum = 0;
    for (int32_t stage = from; stage < to; stage++) sum += costs[row * stages + stage];
    return sum;
}

/* For each rank the least that must run elsewhere before its first action (head) and after its last B or I, or without
 * a backward its last F (tail). Returns the time of one unit alone through all stages, the longest of the pipes. */
static double ends_of_ranks(const pp_schedule *s, const double *costs, int32_t backward_row, double *head,
                            double *tail) {
    int32_t n = s->stages;
    double longest = 0;
    for (int32_t r = 0; r < s->ranks; r++) head[r] = tail[r] = INFINITY;
    /* All units of a pipe are alike, or each is looked at. */
    const int32_t uneven = pp_uneven(s), paths = uneven ? s->microbatches * s->slices : s->pipes;
    for (int32_t path = 0; path < paths; path++) {
        const int32_t pipe = !uneven                ? path
                             : s->unit_pipe != NULL ? s->unit_pipe[path]
                                                    : 0,
                      *rank = s->stage_rank + pipe * n;
        double forward = 0, backward = 0, rest = 0;
        for (int32_t stage = 0; stage < n; stage++) {
            if (forward < head[rank[stage]]) head[rank[stage]] = forward;
            if (s->trains && backward < tail[rank[stage]]) tail[rank[stage]] = backward;
            double hop = stage + 1 < n && rank[stage] != rank[stage + 1] ? costs[PP_COST_LATENCY * n + stage] : 0;
            const double factor = uneven ? pp_factor(s, stage, path) : 1;
            forward += costs[PP_COST_FORWARD * n + stage] * factor + hop;
            backward += costs[backward_row * n + stage] * factor + hop;
        }
        for (int32_t stage = n - 1; stage >= 0 && !s->trains; stage--) {
            if (rest < tail[rank[stage]]) tail[rank[stage]] = rest;
            rest += costs[PP_COST_FORWARD * n + stage] * (uneven ? pp_factor(s, stage, path) : 1);
            if (stage > 0 && rank[stage] != rank[stage - 1]) rest += costs[PP_COST_LATENCY * n + stage - 1];
        }
        double through = s->trains ? forward + backward : forward;
        if (through > longest) longest = through;
    }
    return longest;
}

/* Largest of: one unit alone through all stages; for each rank, what must run before its first action, its own work,
 * and what must run after its last. A rank cannot start before its lowest stage is fed, and after its last B or I the
 * gradient still goes down to stage 0; a W at the end has nothing after it, so where the backward is split the tail
 * counts after the work without W. A step with whole backward and one stage a rank gives the closed form
 * sum f + m (f + b) + sum b of the dependency argument.
 * Fused slots count with their own time, and the rest stands as it is: a slot is no shorter than either half, so a unit
 * that passes through it spends no less there than in its own F or B, and never meets a slot twice, since its F all end
 * before its B begin. And the last slot of a rank, W left out, is no fused one: its F would have a B still to come. */
static double lower_bound(const pp_schedule *s, const double *costs, const pp_rank_report *ranks, const walked *all,
                          double *scratch) {
    double *head = scratch, *tail = scratch + s->ranks;
    double bound = ends_of_ranks(s, costs, all->split ? PP_COST_INPUT : PP_COST_BACKWARD, head, tail);
    for (int32_t r = 0; r < s->ranks; r++) {
        if (s->rank_begin[r + 1] == s->rank_begin[r]) continue;
        double own = head[r] + ranks[r].busy, through = own - all->held_back[r] + tail[r];
        if (through > bound) bound = through;
        if (own > bound) bound = own;
    }
    return bound;
}

/* ---- summary ---- */

size_t pp_report_scratch_bytes(const pp_schedule *s) {
    return (3 * (size_t)s->ranks + 2 * (size_t)s->microbatches) * sizeof(double);
}

static void report_latency(const pp_schedule *s, const walked *all, pp_summary *out) {
    const double *first = all->first, *last = all->last;
    out->latency_first = isfinite(first[0]) ? last[0] - first[0] : 0;
    for (int32_t k = 0; k < s->microbatches; k++)
        if (isfinite(first[k]) && last[k] - first[k] > out->latency_largest) out->latency_largest = last[k] - first[k];
}

static int row_equal(const double *costs, int32_t stages, int32_t row) {
    for (int32_t stage = 1; stage < stages; stage++)
        if (costs[row * stages + stage] != costs[row * stages]) return 0;
    return 1;
}

/* Costs that many parts share are whole only together: of a third, three. */
static int whole_together(const pp_schedule *s, const double *costs, int32_t parts) {
    if (pp_uneven(s)) return 0;
    for (int32_t i = 0; i < (PP_COST_LATENCY + 1) * s->stages; i++) {
        const double sum = costs[i] * parts, near = floor(sum + 0.5);
        if (costs[i] >= 0 && fabs(sum - near) > 1e-9 * (near + 1)) return 0;
    }
    return 1;
}

/* 1 if every time is a sum of whole ticks: the costs of all actions, and the latencies. */
static int all_whole(const pp_schedule *s, const double *costs) {
    int whole = !pp_uneven(s); /* mostly all costs are, and no action needs to be asked */
    for (int32_t i = 0; i < PP_COST_LATENCY * s->stages; i++) whole &= costs[i] == floor(costs[i]);
    for (int32_t i = 0; !whole && i < s->action_count; i++) {
        double cost = pp_cost_of(s, costs, i);
        if (cost != floor(cost)) return 0;
    }
    for (int32_t stage = 0; stage < s->stages; stage++) {
        double latency = costs[PP_COST_LATENCY * s->stages + stage];
        if (latency != floor(latency)) return 0;
    }
    return 1;
}

static void report_formula(const pp_schedule *s, const pp_config *config, const double *costs, pp_summary *out) {
    out->formula = -1;
    const pp_generator *row = config != NULL ? pp_generator_of(config->schedule) : NULL;
    /* A late R runs right before its B or I and waits for the same gradient, so the two count as one longer op. */
    int late = config != NULL && config->recompute == PP_RECOMPUTE_LATE;
    const int plain =
        s->conditions == NULL || (s->conditions->with & ~PP_WITH_LINKS) == 0; /* links: without transfers only */
    if (row == NULL || !plain || (config->recompute != PP_RECOMPUTE_NONE && !late)) return;
    int32_t n = s->stages;
    double f = costs[PP_COST_FORWARD * n], b = costs[PP_COST_BACKWARD * n], w = costs[PP_COST_WEIGHT * n];
    double given = costs[PP_COST_OVERLAP * n];
    if (late) b += costs[PP_COST_RECOMPUTE * n];
    if (row->makespan != NULL) out->formula = row->makespan(config, f, b, w);
    if (row->makespan_fused != NULL) out->formula = row->makespan_fused(config, f, b, w, given >= 0 ? given : f + b);
    int equal = row_equal(costs, n, PP_COST_FORWARD) && (!late || row_equal(costs, n, PP_COST_RECOMPUTE)) &&
                (row->makespan_fused == NULL || row_equal(costs, n, PP_COST_OVERLAP));
    if (s->trains) equal = equal && row_equal(costs, n, PP_COST_INPUT) && row_equal(costs, n, PP_COST_WEIGHT);
    for (int32_t stage = 0; stage + 1 < n; stage++) equal = equal && costs[PP_COST_LATENCY * n + stage] == 0;
    out->formula_holds = out->formula >= 0 && equal && fabs(out->formula - out->makespan) <= 1e-9 * out->makespan;
}

/* The stage that gives the busiest rank most to do. */
static int32_t largest_stage(const pp_schedule *s, const double *costs, int32_t rank) {
    int32_t largest = -1;
    double most = -1;
    for (int32_t i = 0; i < s->pipes * s->stages; i++) {
        int32_t stage = i % s->stages;
        double ticks = costs[PP_COST_FORWARD * s->stages + stage];
        if (s->trains) ticks += costs[PP_COST_BACKWARD * s->stages + stage];
        if (s->stage_rank[i] == rank && ticks > most) largest = stage, most = ticks;
    }
    return largest;
}

void pp_report(const pp_schedule *s, const pp_config *config, const double *costs, const pp_timeline *line,
               void *scratch, pp_summary *out, pp_rank_report *ranks) {
    double *ends = scratch, *held_back = ends + 2 * s->ranks, *begun = held_back + s->ranks;
    walked all = {
        .held_back = held_back, .first = begun, .last = begun + s->microbatches, .measured = line->transfer < 0};
    for (int32_t k = 0; k < s->microbatches; k++) all.first[k] = INFINITY, all.last[k] = 0;
    *out = (pp_summary){.cadence_rank = -1, .cadence_stage = -1};
    double first = INFINITY, last = 0;
    for (int32_t r = 0; r < s->ranks; r++) {
        report_rank(s, costs, line, r, &all, &ranks[r]);
        const pp_generator *row = config != NULL ? pp_generator_of(config->schedule) : NULL;
        if (row != NULL && row->weight_versions != NULL) ranks[r].weight_versions = row->weight_versions(config, r);
        out->busy += ranks[r].busy;
        if (ranks[r].peak_activations > out->peak_activations) out->peak_activations = ranks[r].peak_activations;
        if (ranks[r].last - ranks[r].first > out->span) out->span = ranks[r].last - ranks[r].first;
        if (s->rank_begin[r + 1] == s->rank_begin[r]) continue;
        if (ranks[r].first < first) first = ranks[r].first;
        if (ranks[r].last > last) last = ranks[r].last;
        if (ranks[r].first > out->fill_end) out->fill_end = ranks[r].first;
        if (out->cadence_rank < 0 || ranks[r].busy > out->cadence * s->microbatches) {
            out->cadence = ranks[r].busy / s->microbatches;
            out->cadence_rank = r;
        }
    }
    if (out->cadence_rank >= 0) out->cadence_stage = largest_stage(s, costs, (int32_t)out->cadence_rank);
    if (s->conditions != NULL && s->conditions->gather != NULL)
        first = 0; /* the first thing a rank does is no action */
    out->makespan = last - first;
    out->drain_start = out->makespan;
    for (int32_t r = 0; r < s->ranks; r++) {
        ranks[r].idle = out->makespan - ranks[r].busy;
        if (s->rank_begin[r + 1] > s->rank_begin[r] && ranks[r].last < out->drain_start)
            out->drain_start = ranks[r].last;
    }
    const int32_t parts = config != NULL ? pp_costs_shared_by(config) : 1;
    pp_report_shares(out, s->ranks, parts > 1 ? whole_together(s, costs, parts) * parts : all_whole(s, costs));
    out->throughput = out->makespan > 0 ? s->microbatches / out->makespan : 0;
    out->forward_sum = stage_sum(costs, s->stages, PP_COST_FORWARD, 0, s->stages);
    out->backward_sum = s->trains ? stage_sum(costs, s->stages, PP_COST_BACKWARD, 0, s->stages) : 0;
    out->lower_bound = lower_bound(s, costs, ranks, &all, ends);
    /* Only of an order that keeps to the limit, and while the costs are those it was found for. */
    if (config != NULL && s->bound > out->lower_bound && s->bound_costs == pp_costs_mark(costs, s->stages))
        out->lower_bound = s->bound < out->makespan ? s->bound : out->makespan;
    report_latency(s, &all, out);
    out->transfers_forward = all.messages[0];
    out->transfers_backward = all.messages[1];
    report_formula(s, config, costs, out);
}

/* ---- reasons ---- */

static int32_t slot_begin(const pp_schedule *s, int32_t i) { return i > 0 && s->actions[i - 1].fused ? i - 1 : i; }

/* Of the slot's inputs the one that arrives last, -1 for none. */
static int32_t last_input(const pp_schedule *s, const double *costs, const pp_timeline *line, int32_t slot) {
    int32_t at = slot;
    if (s->actions[slot].fused && pp_arrival(s, costs, line, slot + 1) > pp_arrival(s, costs, line, slot))
        at = slot + 1;
    return line->input[at] >= 0 ? at : -1;
}

int32_t pp_bound_by(const pp_schedule *s, const double *costs, const pp_timeline *line, int32_t i) {
    int32_t slot = slot_begin(s, i), previous = slot - 1;
    if (slot == s->rank_begin[pp_rank_of_action(s, i)]) previous = -1;
    int32_t at = last_input(s, costs, line, slot);
    if (previous >= 0 && line->finish[previous] == line->start[slot]) return previous;
    if (at >= 0 && (previous < 0 || pp_arrival(s, costs, line, at) >= line->start[slot])) return line->input[at];
    if (previous >= 0) return previous; /* its message kept the rank */
    return -1;
}

int32_t pp_critical_path(const pp_schedule *s, const double *costs, const pp_timeline *line, int32_t *out,
                         int32_t capacity) {
    int32_t end = -1, length = 0;
    for (int32_t r = 0; r < s->ranks; r++) {
        int32_t i = s->rank_begin[r + 1] - 1;
        if (i >= s->rank_begin[r] && (end < 0 || line->finish[i] > line->finish[end])) end = i;
    }
    for (int32_t i = end; i >= 0; i = pp_bound_by(s, costs, line, i)) length++;
    int32_t at = length;
    for (int32_t i = end; i >= 0; i = pp_bound_by(s, costs, line, i))
        if (--at < capacity) out[at] = i;
    return length;
}

typedef struct idle_sink {
    pp_idle *out;
    int32_t capacity, count;
} idle_sink;

static void idle_add(idle_sink *sink, int32_t rank, double start, double finish, int32_t reason, int32_t before,
                     int32_t waits_for) {
    if (finish <= start) return;
    if (sink->count < sink->capacity)
        sink->out[sink->count] = (pp_idle){rank, start, finish, reason, before, waits_for, -1, 0};
    sink->count++;
}

/* The forwards that a rank has still to do, while its list is walked. */
typedef struct forwards {
    int32_t next; /* index of the first F not done yet; the end of the list where there is none */
    int32_t held; /* activations held so far */
} forwards;

/* Says of the intervals from `first` on, which come before action i, whether the next F could begin with them and end before
 * action i begins: its input must be there when the interval begins. */
static void idle_early(const idle_sink *sink, int32_t first, const pp_schedule *s, const double *costs,
                       const pp_timeline *line, int32_t i, int32_t end, forwards *of) {
    if (of->next < i) of->next = i;
    while (of->next < end && s->actions[of->next].op != PP_F) of->next++;
    const int32_t f = of->next;
    if (f == end || f == i || s->actions[f].fused || s->actions[f - 1].fused) return;
    const double there = pp_arrival(s, costs, line, f);
    for (int32_t n = first; n < sink->count && n < sink->capacity; n++) {
        pp_idle *idle = &sink->out[n];
        if (there > idle->start || idle->start + pp_ticks(s, costs, f) > line->start[i]) continue;
        idle->early = f;
        idle->held = of->held + 1;
    }
}

double pp_idle_made(const pp_schedule *s, const double *costs, const pp_timeline *line, int32_t i, double free,
                    int32_t *waits_for) {
    const double start = line->start[i];
    const int first = i == s->rank_begin[pp_rank_of_action(s, i)];
    int32_t at = last_input(s, costs, line, i);
    int32_t input = at >= 0 ? line->input[at] : -1;
    int late = at >= 0 && pp_arrival(s, costs, line, at) >= start;
    if (!late && !first) input = i - 1; /* its own message kept it */
    double made = input >= 0 ? line->finish[input] : 0;
    *waits_for = input;
    return made < free ? free : made > start ? start : made;
}

int32_t pp_idle_fill(const pp_schedule *s, const double *costs, const pp_timeline *line, pp_idle *out,
                     int32_t capacity) {
    idle_sink sink = {out, capacity, 0};
    double end = 0;
    for (int32_t r = 0; r < s->ranks; r++) {
        int32_t i = s->rank_begin[r + 1] - 1;
        if (i >= s->rank_begin[r] && line->finish[i] > end) end = line->finish[i];
    }
    const int overlaps = s->trains && s->conditions == NULL && line->transfer == PP_TRANSFER_OVERLAP;
    for (int32_t r = 0; r < s->ranks; r++) {
        double free = 0;
        forwards of = {s->rank_begin[r], 0};
        for (int32_t i = s->rank_begin[r]; i < s->rank_begin[r + 1]; i++) {
            const int32_t op = s->actions[i].op, waits = sink.count;
            double start = line->start[i];
            if (line->gathered != NULL && line->transfer >= 0 && start > free && line->gathered[i] > free) {
                idle_add(&sink, r, free, line->gathered[i], PP_IDLE_GATHER, i, -1);
                free = line->gathered[i];
            }
            if (start > free) {
                int32_t input;
                const double made = pp_idle_made(s, costs, line, i, free, &input);
                int first = i == s->rank_begin[r];
                idle_add(&sink, r, free, made, first ? PP_IDLE_FILL : PP_IDLE_INPUT, i, input);
                idle_add(&sink, r, made, start, PP_IDLE_TRANSFER, i, input);
                if (overlaps && !first) idle_early(&sink, waits, s, costs, line, i, s->rank_begin[r + 1], &of);
            }
            of.held += (op == PP_F) - (op == PP_B || op == PP_W);
            if (line->finish[i] > free) free = line->finish[i];
        }
        idle_add(&sink, r, free, end, PP_IDLE_DRAIN, -1, -1);
    }
    return sink.count;
}
