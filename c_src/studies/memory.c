/* What a rank holds over time. A rank's actions come one after another, so its level is a walk through its list: what an
 * action needs comes when it starts, what it releases goes when it ends. The numbers of micro-batches are counted, not
 * added up, so that a level that should come back to where it began does so to the last bit. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/fault.h"
#include "request/read.h"
#include "schedules/schedule.h"
#include "studies/studies.h"
#include "time/timeline.h"

static const int32_t row_option[PP_MEMORY_ROWS] = {
    [PP_MEMORY_WEIGHTS] = PP_OPT_MEMORY_WEIGHTS,     [PP_MEMORY_GRADIENTS] = PP_OPT_MEMORY_GRADIENTS,
    [PP_MEMORY_OPTIMIZER] = PP_OPT_MEMORY_OPTIMIZER, [PP_MEMORY_ACTIVATIONS] = PP_OPT_MEMORY_ACTIVATIONS,
    [PP_MEMORY_KEPT] = PP_OPT_MEMORY_KEPT,           [PP_MEMORY_INPUTS] = PP_OPT_MEMORY_INPUTS};

int32_t pp_memory_bytes(const pp_config *config) { return PP_MEMORY_ROWS * config->stages * (int32_t)sizeof(double); }

/* What was given per layer, for whole stages. */
static void per_stage(const pp_config *config, const double *costs, double *table) {
    if (config->layers == 0) return;
    const int32_t *cuts = pp_partition_cuts(config, costs), n = config->stages;
    for (int32_t row = 0; row < PP_MEMORY_INPUTS; row++)
        for (int32_t s = 0; s < n; s++) table[row * n + s] *= cuts[s + 1] - cuts[s];
}

/* What embedding and head take for themselves, on the first and the last stage or where the layout has them: always, and
 * a second number for each micro-batch. */
static int32_t add_ends(const pp_text *given, const pp_config *config, const double *costs, double *table, int32_t *any,
                        pp_fault *fault) {
    static const int32_t options[2] = {PP_OPT_MEMORY_EMBEDDING, PP_OPT_MEMORY_HEAD};
    int32_t n = config->stages;
    for (int32_t i = 0; i < 2; i++) {
        double amount[2] = {0, 0};
        int32_t count, status, stage = i == 0 ? 0 : n - 1;
        if (given[options[i]].begin == NULL) continue;
        *any = 1;
        status = pp_numbers_read(given[options[i]], options[i], 2, amount, 2, &count, fault);
        if (status != PP_OK) return status;
        if (count > 2) {
            pp_fault scratch;
            fault = pp_fault_start(fault, &scratch, PP_ERR_MEMORY_ENDS);
            fault->option = options[i];
            fault->b = count;
            pp_fault_seen(fault, given[options[i]].begin, given[options[i]].length);
            return PP_ERR_MEMORY_ENDS;
        }
        if (config->layers > 0) {
            pp_partition_summary cut;
            pp_partition_summarize(config, costs, &cut);
            stage = (int32_t)(i == 0 ? cut.embedding_stage : cut.head_stage);
        }
        table[PP_MEMORY_WEIGHTS * n + stage] += amount[0];
        table[PP_MEMORY_ACTIVATIONS * n + stage] += amount[1];
        table[PP_MEMORY_KEPT * n + stage] += amount[1];
    }
    return PP_OK;
}

int32_t pp_memory_read(const pp_request *request, const pp_config *config, const double *costs, double *table,
                       double *capacity, int32_t *given_any, pp_fault *fault) {
    pp_fault scratch;
    const pp_text *given = request->given;
    const int32_t n = config->stages;
    double *activations = table + PP_MEMORY_ACTIVATIONS * n, *kept = table + PP_MEMORY_KEPT * n;
    int32_t any = 0, status;
    *capacity = INFINITY;
    for (int32_t row = 0; row < PP_MEMORY_ROWS; row++) {
        const pp_text list = given[row_option[row]];
        for (int32_t s = 0; s < n; s++) table[row * n + s] = 0;
        if (list.begin == NULL) continue;
        any = 1;
        status = pp_list_read(list, row_option[row], n, table + row * n, fault);
        if (status != PP_OK) return status;
    }
    if (given[PP_OPT_MEMORY_CAPACITY].begin != NULL) {
        status = pp_amount_read(given[PP_OPT_MEMORY_CAPACITY], PP_OPT_MEMORY_CAPACITY, capacity, fault);
        if (status != PP_OK) return status;
    }
    if (given[PP_OPT_MEMORY_GRADIENTS].begin == NULL && (config->schedule < 0 || pp_schedule_trains(config->schedule)))
        memcpy(table + PP_MEMORY_GRADIENTS * n, table + PP_MEMORY_WEIGHTS * n, (size_t)n * sizeof(double));
    const int32_t ends = given[PP_OPT_MEMORY_EMBEDDING].begin != NULL || given[PP_OPT_MEMORY_HEAD].begin != NULL;
    for (int32_t s = 0; s < n && !any && !ends; s++) activations[s] = 1;
    if (given[PP_OPT_MEMORY_KEPT].begin == NULL) memcpy(kept, activations, (size_t)n * sizeof(double));
    for (int32_t s = 0; s < n; s++) {
        if (kept[s] <= activations[s]) continue;
        fault = pp_fault_start(fault, &scratch, PP_ERR_MEMORY_SHARE);
        fault->option = PP_OPT_MEMORY_KEPT;
        fault->stage = s;
        pp_fault_seen_number(fault, kept[s]);
        pp_fault_fix_number(fault, PP_OPT_MEMORY_KEPT, activations[s]);
        return PP_ERR_MEMORY_SHARE;
    }
    if (any) per_stage(config, costs, table);
    status = add_ends(given, config, costs, table, &any, fault);
    if (status != PP_OK) return status;
    if (given_any != NULL) *given_any = any;
    return PP_OK;
}

/* ---- the walk ---- */

/* What a micro-batch may leave on a stage. */
enum { HELD_ACTIVATIONS, HELD_KEPT, HELD_INPUT, HELD_KINDS };

typedef struct walk {
    const pp_schedule *s;
    const double *table;
    int32_t *held;   /* per stage and kind: how many */
    uint8_t *remade; /* per stage and unit: 1 if an R makes its activations again; NULL where there is no R */
    int32_t count;   /* all of held */
    double level;    /* and what they take; exactly 0 when count is */
    int32_t counts;  /* 1: chunks are counted as pp_rank_report.peak_activations counts them */
    const int32_t
        *begin; /* NULL, or where micro-batches begin: samples are counted, and inputs are no part of activations */
} walk;

static size_t cells_of(const pp_schedule *s) {
    if (s->recompute == PP_RECOMPUTE_NONE) return 0;
    return (size_t)s->stages * (size_t)s->microbatches * (size_t)s->slices;
}

size_t pp_memory_scratch_bytes(const pp_schedule *schedule) {
    return HELD_KINDS * (size_t)schedule->stages * sizeof(int32_t) + (size_t)schedule->ranks * sizeof(double) +
           cells_of(schedule);
}

static size_t cell(const walk *w, const pp_action *a) {
    return a->stage * (size_t)w->s->microbatches * (size_t)w->s->slices + (size_t)a->microbatch;
}

static walk walk_begin(const pp_schedule *s, const double *table, void *memory) {
    walk w = {.s = s, .table = table, .held = memory, .counts = table == NULL};
    memset(w.held, 0, HELD_KINDS * (size_t)s->stages * sizeof(int32_t));
    if (s->recompute == PP_RECOMPUTE_NONE) return w;
    w.remade = (uint8_t *)(w.held + HELD_KINDS * s->stages);
    memset(w.remade, 0, cells_of(s));
    for (int32_t i = 0; i < s->action_count; i++)
        if (s->actions[i].op == PP_R) w.remade[cell(&w, &s->actions[i])] = 1;
    return w;
}

static double stage_level(const walk *w, int32_t stage) {
    const int32_t *held = w->held + HELD_KINDS * stage, n = w->s->stages;
    return held[HELD_ACTIVATIONS] * w->table[PP_MEMORY_ACTIVATIONS * n + stage] +
           held[HELD_KEPT] * w->table[PP_MEMORY_KEPT * n + stage] +
           held[HELD_INPUT] * w->table[PP_MEMORY_INPUTS * n + stage];
}

static void change(walk *w, const pp_action *a, int32_t kind, int32_t by) {
    const int32_t stage = a->stage;
    const double before = stage_level(w, stage);
    if (w->begin != NULL) by *= w->begin[a->microbatch + 1] - w->begin[a->microbatch];
    w->held[HELD_KINDS * stage + kind] += by;
    w->count += by;
    w->level = w->count == 0 ? 0 : w->level - before + stage_level(w, stage);
}

static int is_remade(const walk *w, const pp_action *a) { return w->remade != NULL && w->remade[cell(w, a)]; }

/* By itself, beside the activations. */
static int keeps_input(const walk *w, const pp_action *a) { return w->begin != NULL || is_remade(w, a); }

static void take(walk *w, const pp_action *a) {
    if (!w->s->trains) return;
    if (w->counts) {
        w->level += a->op == PP_F;
        return;
    }
    if (a->op == PP_F && keeps_input(w, a)) change(w, a, HELD_INPUT, 1);
    if (a->op == PP_R || (a->op == PP_F && !is_remade(w, a))) change(w, a, HELD_ACTIVATIONS, 1);
}

static void release(walk *w, const pp_action *a) {
    if (w->counts) {
        w->level -= a->op == PP_B || a->op == PP_W;
        return;
    }
    if (a->op == PP_I) change(w, a, HELD_KEPT, 1);
    if (a->op == PP_B || a->op == PP_I) change(w, a, HELD_ACTIVATIONS, -1);
    if ((a->op == PP_B || a->op == PP_W) && keeps_input(w, a)) change(w, a, HELD_INPUT, -1);
    if (a->op == PP_W) change(w, a, HELD_KEPT, -1);
}

/* What is always there, rank by rank. */
static void find_fixed(const pp_schedule *s, const pp_config *config, const double *table, double *fixed) {
    const int32_t n = s->stages;
    for (int32_t r = 0; r < s->ranks; r++) fixed[r] = 0;
    for (int32_t i = 0; table != NULL && i < s->pipes * n; i++) {
        const double *stage = table + i % n;
        const int32_t rank = s->stage_rank[i];
        double versions = config != NULL ? pp_weight_versions(config, rank) : 1;
        fixed[rank] +=
            versions * stage[PP_MEMORY_WEIGHTS * n] + stage[PP_MEMORY_GRADIENTS * n] + stage[PP_MEMORY_OPTIMIZER * n];
    }
}

static double step_start(const pp_schedule *s, const pp_timeline *line) {
    double first = INFINITY;
    for (int32_t r = 0; r < s->ranks; r++)
        if (s->rank_begin[r + 1] > s->rank_begin[r] && line->start[s->rank_begin[r]] < first)
            first = line->start[s->rank_begin[r]];
    return first;
}

static int32_t slot_end(const pp_schedule *s, int32_t i) { return s->actions[i].fused ? i + 2 : i + 1; }

void pp_memory_report(const pp_schedule *s, const pp_config *config, const double *table, double capacity,
                      const pp_timeline *line, void *scratch, pp_memory *out, pp_memory_rank *ranks) {
    double *fixed = scratch, begin = step_start(s, line);
    walk w = walk_begin(s, table, fixed + s->ranks);
    find_fixed(s, config, table, fixed);
    *out = (pp_memory){.peak = -1, .over_rank = -1, .over_action = -1};
    for (int32_t r = 0; r < s->ranks; r++) {
        pp_memory_rank *rank = &ranks[r];
        double over_time = INFINITY, over_by = 0;
        int32_t over_action = -1;
        *rank = (pp_memory_rank){.fixed = fixed[r], .peak = fixed[r], .peak_time = begin};
        if (fixed[r] > capacity) over_time = begin, over_by = fixed[r] - capacity;
        for (int32_t i = s->rank_begin[r]; i < s->rank_begin[r + 1]; i = slot_end(s, i)) {
            for (int32_t j = i; j < slot_end(s, i); j++) take(&w, &s->actions[j]);
            double level = fixed[r] + w.level;
            if (level > rank->peak) rank->peak = level, rank->peak_time = line->start[i];
            if (level > capacity && over_time == INFINITY)
                over_time = line->start[i], over_by = level - capacity, over_action = i;
            for (int32_t j = i; j < slot_end(s, i); j++) release(&w, &s->actions[j]);
        }
        rank->last = fixed[r] + w.level;
        if (rank->peak > out->peak) {
            out->peak = rank->peak;
            out->peak_rank = r;
            out->peak_time = rank->peak_time;
        }
        if (over_time < (out->over_rank < 0 ? INFINITY : out->over_time)) {
            out->over_rank = r;
            out->over_time = over_time;
            out->over_by = over_by;
            out->over_action = over_action;
        }
    }
}

/* Raises *peak to what is held when an action runs. */
static void pass(walk *w, const pp_action *a, double *peak) {
    take(w, a);
    if (w->level > *peak) *peak = w->level;
    release(w, a);
}

/* A stream (runtime.c): a forward, if need be of the next step, whenever fewer are under way than the list ever has. */
static double stream_peak(walk *w, int32_t r) {
    const pp_action *const a = w->s->actions;
    const int32_t begin = w->s->rank_begin[r], end = w->s->rank_begin[r + 1];
    int32_t open = 0, most = 0, forward = begin;
    double peak = 0;
    for (int32_t i = begin; i < end; i++) {
        open += a[i].op == PP_F;
        if (open > most) most = open;
        open -= a[i].op == PP_B || a[i].op == PP_W;
    }
    for (int32_t i = begin; i < end; i++) {
        for (; a[i].op != PP_F && open < most; forward = forward + 1 < end ? forward + 1 : begin)
            if (a[forward].op == PP_F) pass(w, &a[forward], &peak), open++;
        if (a[i].op == PP_F) continue;
        pass(w, &a[i], &peak);
        open -= a[i].op == PP_B || a[i].op == PP_W;
    }
    w->level = w->count = 0; /* what is under way is of no other rank */
    return peak;
}

void pp_memory_peaks(const pp_schedule *s, const double *table, const int32_t *begin, void *scratch, double *peaks) {
    walk w = walk_begin(s, table, (double *)scratch + s->ranks);
    w.begin = begin;
    for (int32_t r = 0; r < s->ranks; r++) {
        peaks[r] = s->update_every > 0 ? stream_peak(&w, r) : 0;
        if (s->update_every > 0) continue;
        for (int32_t i = s->rank_begin[r]; i < s->rank_begin[r + 1]; i = slot_end(s, i)) {
            for (int32_t j = i; j < slot_end(s, i); j++) take(&w, &s->actions[j]);
            if (w.level > peaks[r]) peaks[r] = w.level;
            for (int32_t j = i; j < slot_end(s, i); j++) release(&w, &s->actions[j]);
        }
    }
}

typedef struct level_sink {
    pp_level *out;
    int32_t capacity, count;
    double time, level; /* not yet written: another change may come at the same time */
    double written;
} level_sink;

static void sink_write(level_sink *sink) {
    if (sink->count > 0 && sink->level == sink->written) return;
    if (sink->count < sink->capacity) sink->out[sink->count] = (pp_level){sink->time, sink->level};
    sink->written = sink->level;
    sink->count++;
}

static void sink_put(level_sink *sink, double time, double level) {
    if (time > sink->time) sink_write(sink);
    sink->time = time;
    sink->level = level;
}

int32_t pp_memory_levels(const pp_schedule *s, const pp_config *config, const double *table, const pp_timeline *line,
                         int32_t r, void *scratch, pp_level *out, int32_t capacity) {
    double *fixed = scratch;
    walk w = walk_begin(s, table, fixed + s->ranks);
    assert(r >= 0 && r < s->ranks);
    find_fixed(s, config, table, fixed);
    level_sink sink = {.out = out, .capacity = capacity, .time = step_start(s, line), .level = fixed[r]};
    for (int32_t i = s->rank_begin[r]; i < s->rank_begin[r + 1]; i = slot_end(s, i)) {
        for (int32_t j = i; j < slot_end(s, i); j++) take(&w, &s->actions[j]);
        sink_put(&sink, line->start[i], fixed[r] + w.level);
        if (line->finish[i] == line->start[i])
            sink_write(&sink); /* held for an instant, and part of the peak all the same */
        for (int32_t j = i; j < slot_end(s, i); j++) release(&w, &s->actions[j]);
        sink_put(&sink, line->finish[i], fixed[r] + w.level);
    }
    sink_write(&sink);
    return sink.count;
}
