/* A table in memory, and what follows from it: its schedule, where in it a fault lies, and the times that stand in it. */
#include "files/table.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "time/timeline.h"

int32_t pp_refuse_text(int32_t code, int32_t row, int32_t column, pp_text seen, pp_fault *fault) {
    pp_fault scratch;
    fault = pp_fault_start(fault, &scratch, code);
    fault->rank = row;
    fault->column = column;
    pp_fault_seen(fault, seen.begin, seen.length);
    return code;
}

size_t pp_table_room(int32_t ranks, size_t cells, int timed) {
    uint64_t bytes = pp_align8(sizeof(pp_table)) + pp_align8(((size_t)ranks + 1) * sizeof(int32_t));
    bytes += (uint64_t)cells * (sizeof(pp_action) + (timed ? 2 * sizeof(double) : 0));
    return bytes > SIZE_MAX / 2 ? SIZE_MAX : (size_t)bytes;
}

void *pp_table_place(void *memory, int32_t format, int32_t ranks, size_t cells, int timed) {
    pp_table *table = memory;
    *table = (pp_table){.format = format, .ranks = ranks, .slices = 1, .named = 1, .timed = timed};
    table->row_begin = (int32_t *)((char *)memory + pp_align8(sizeof(pp_table)));
    table->cells = (pp_action *)((char *)table->row_begin + pp_align8(((size_t)ranks + 1) * sizeof(int32_t)));
    if (timed) {
        table->start = (double *)(table->cells + cells);
        table->finish = table->start + cells;
    }
    return (char *)memory + pp_table_room(ranks, cells, timed);
}

int pp_slot_legal(const pp_action *cells, int32_t i, int32_t end) {
    if (!cells[i].fused) return 1;
    if (i + 1 >= end || cells[i + 1].fused) return 0;
    int32_t a = cells[i].op, b = cells[i + 1].op;
    return (a == PP_F && (b == PP_B || b == PP_I)) || (b == PP_F && (a == PP_B || a == PP_I));
}

int32_t pp_table_format(const pp_table *table) { return table->format; }
int32_t pp_table_ranks(const pp_table *table) { return table->ranks; }
int32_t pp_table_cell_count(const pp_table *table) { return table->cell_count; }
int32_t pp_table_named(const pp_table *table) { return table->named; }
int32_t pp_table_timed(const pp_table *table) { return table->timed; }
int32_t pp_table_lowered(const pp_table *table) { return table->lowered; }
const double *pp_table_start(const pp_table *table) { return table->start; }
const double *pp_table_finish(const pp_table *table) { return table->finish; }

void pp_table_columns(const pp_table *table, int32_t *row, int32_t *column, int32_t *op, int32_t *stage,
                      int32_t *microbatch) {
    for (int32_t r = 0; r < table->ranks; r++) {
        int32_t at = 0;
        for (int32_t i = table->row_begin[r]; i < table->row_begin[r + 1]; i++) {
            const pp_action *cell = &table->cells[i];
            if (row != NULL) row[i] = r;
            if (column != NULL) column[i] = at;
            if (op != NULL) op[i] = cell->op;
            if (stage != NULL) stage[i] = cell->stage;
            if (microbatch != NULL) microbatch[i] = cell->microbatch < 0 ? -1 : cell->microbatch / table->slices;
            if (!cell->fused) at += cell->op == PP_BLANK ? cell->microbatch : 1;
        }
    }
}

/* ---- the schedule ---- */

typedef struct extent {
    int32_t actions, forwards, stages, units;
} extent;

static extent extent_of(const pp_table *table) {
    extent e = {0, 0, 0, 0};
    for (int32_t i = 0; i < table->cell_count; i++) {
        const pp_action *cell = &table->cells[i];
        e.actions += pp_is_action(cell);
        if (cell->op != PP_F) continue;
        e.forwards++;
        if (cell->stage >= e.stages) e.stages = cell->stage + 1;
        if (cell->microbatch >= e.units) e.units = cell->microbatch + 1;
    }
    e.units += (table->slices - e.units % table->slices) % table->slices;
    return e;
}

/* The first number of 0..count that is not marked; there is one, since at most count are. */
static int32_t unmarked(const uint8_t *marks) {
    int32_t at = 0;
    while (marks[at]) at++;
    return at;
}

static int32_t refuse_missing(const pp_table *table, int32_t stage, int32_t unit, pp_fault *fault) {
    pp_fault scratch;
    fault = pp_fault_start(fault, &scratch, PP_ERR_MISSING);
    fault->stage = stage;
    fault->op = PP_F;
    fault->microbatch = unit / table->slices;
    for (int32_t r = 0; r < table->ranks; r++)
        for (int32_t i = table->row_begin[r]; i < table->row_begin[r + 1]; i++)
            if (table->cells[i].stage == stage && pp_is_action(&table->cells[i])) fault->rank = r;
    return PP_ERR_MISSING;
}

/* Every stage must have an F of every unit. Where the highest numbers promise more than there are, some F is missing,
 * and it is found in memory for those there are: fewer numbers than places leave one of the first places free. */
static int32_t check_extent(const pp_table *table, const extent *e, int32_t *counts, pp_fault *fault) {
    uint8_t *marks = (uint8_t *)counts;
    int32_t n = e->forwards, stage = 0;
    if ((int64_t)e->stages * e->units <= n) return PP_OK;
    if (e->stages > n) {
        memset(marks, 0, (size_t)n + 1);
        for (int32_t i = 0; i < table->cell_count; i++)
            if (table->cells[i].op == PP_F && table->cells[i].stage <= n) marks[table->cells[i].stage] = 1;
        return refuse_missing(table, unmarked(marks), 0, fault);
    }
    memset(counts, 0, (size_t)e->stages * sizeof *counts);
    for (int32_t i = 0; i < table->cell_count; i++)
        if (table->cells[i].op == PP_F) counts[table->cells[i].stage]++;
    while (counts[stage] >= e->units) stage++;
    n = counts[stage];
    memset(marks, 0, (size_t)n + 1);
    for (int32_t i = 0; i < table->cell_count; i++) {
        const pp_action *cell = &table->cells[i];
        if (cell->op == PP_F && cell->stage == stage && cell->microbatch <= n) marks[cell->microbatch] = 1;
    }
    return refuse_missing(table, stage, unmarked(marks), fault);
}

/* Units that lie on the same ranks, stage by stage, are of one pipe. unit_rank: for each unit the rank of each stage;
 * slots: a power of two above 2 * units; stage_rank: filled for each pipe. Returns the number of pipes. */
static int32_t find_pipes(const extent *e, const int32_t *unit_rank, int32_t *slots, uint32_t slot_mask,
                          int32_t *stage_rank, int32_t *unit_pipe) {
    size_t row = (size_t)e->stages * sizeof(int32_t);
    int32_t pipes = 0;
    memset(slots, 0xFF, ((size_t)slot_mask + 1) * sizeof *slots);
    for (int32_t unit = 0; unit < e->units; unit++) {
        const int32_t *ranks = unit_rank + (size_t)unit * (size_t)e->stages;
        uint64_t hash = UINT64_C(0xCBF29CE484222325); /* FNV-1a */
        for (int32_t s = 0; s < e->stages; s++) hash = (hash ^ (uint32_t)ranks[s]) * UINT64_C(0x100000001B3);
        uint32_t at = (uint32_t)(hash ^ hash >> 32) & slot_mask;
        while (slots[at] >= 0 && memcmp(stage_rank + (size_t)slots[at] * (size_t)e->stages, ranks, row) != 0)
            at = (at + 1) & slot_mask;
        if (slots[at] < 0) {
            memcpy(stage_rank + (size_t)pipes * (size_t)e->stages, ranks, row);
            slots[at] = pipes++;
        }
        unit_pipe[unit] = slots[at];
    }
    return pipes;
}

static uint32_t slot_mask_of(int32_t units) {
    uint32_t mask = 1;
    while (mask < 2 * (uint32_t)units) mask = mask * 2 + 1;
    return mask;
}

/* Struct, rank_begin, actions, then for each F one of stage_rank, unit_pipe, unit_rank and up to 4 slots. */
size_t pp_table_schedule_bytes(const pp_table *table) {
    size_t n = (size_t)table->cell_count + 1;
    return pp_align8(sizeof(pp_schedule)) + pp_align8(((size_t)table->ranks + 1) * sizeof(int32_t)) +
           n * sizeof(pp_action) + 7 * n * sizeof(int32_t) + 64;
}

int32_t pp_table_schedule(const pp_table *table, void *memory, size_t bytes, pp_fault *fault) {
    pp_fault scratch;
    assert(memory != NULL && ((uintptr_t)memory & 7) == 0);
    extent e = extent_of(table);
    int32_t status = bytes < pp_table_schedule_bytes(table) ? PP_ERR_CAPACITY
                     : !table->named                        ? PP_ERR_RECORD
                     : e.actions == 0                       ? PP_ERR_EMPTY
                                                            : PP_OK;
    if (status != PP_OK) {
        fault = pp_fault_start(fault, &scratch, status);
        fault->a = status == PP_ERR_RECORD ? PP_RECORD_OPS : -1;
        return status;
    }
    pp_schedule *s = memory;
    *s = (pp_schedule){.schedule = -1,
                       .ranks = table->ranks,
                       .stages = e.stages,
                       .microbatches = e.units / table->slices,
                       .slices = table->slices,
                       .pipes = 1,
                       .placement = PP_PLACE_FREE,
                       .recompute = table->recompute,
                       .action_count = e.actions};
    s->rank_begin = (int32_t *)((char *)memory + pp_align8(sizeof *s));
    s->actions = (pp_action *)((char *)s->rank_begin + pp_align8(((size_t)s->ranks + 1) * sizeof(int32_t)));
    s->stage_rank = (int32_t *)(s->actions + table->cell_count + 1);
    status = check_extent(table, &e, s->stage_rank, fault);
    if (status != PP_OK) return status;
    int32_t n = e.forwards + 1, *unit_rank = s->stage_rank + 2 * n, copies = 0, count = 0;
    memset(unit_rank, 0xFF, (size_t)e.stages * (size_t)e.units * sizeof(int32_t));
    for (int32_t stage = 0; stage < e.stages; stage++) s->stage_rank[stage] = -1;
    for (int32_t r = 0; r < table->ranks; r++) {
        s->rank_begin[r] = count;
        for (int32_t i = table->row_begin[r]; i < table->row_begin[r + 1]; i++) {
            const pp_action *cell = &table->cells[i];
            if (!pp_is_action(cell)) continue;
            s->actions[count++] = *cell;
            s->trains |= cell->op != PP_F;
            if (cell->op != PP_F) continue;
            int32_t *own = &unit_rank[(size_t)cell->microbatch * (size_t)e.stages + cell->stage];
            if (*own < 0) *own = r;
            if (s->stage_rank[cell->stage] < 0) s->stage_rank[cell->stage] = r;
            copies |= s->stage_rank[cell->stage] != r;
        }
    }
    s->rank_begin[table->ranks] = count;
    if (copies && table->format != PP_FORMAT_TORCH) {
        int32_t *slots = unit_rank + n;
        for (int32_t stage = 0; stage < e.stages; stage++)
            for (int32_t unit = 0; unit < e.units; unit++)
                if (unit_rank[(size_t)unit * (size_t)e.stages + (size_t)stage] < 0)
                    return refuse_missing(table, stage, unit, fault);
        s->unit_pipe = s->stage_rank + n;
        s->pipes = find_pipes(&e, unit_rank, slots, slot_mask_of(e.units), s->stage_rank, s->unit_pipe);
    }
    return PP_OK;
}

/* ---- where a fault lies ---- */

/* Column of the slot-th slot of ops in a row. */
static int32_t column_of_slot(const pp_table *table, int32_t row, int32_t slot) {
    int32_t column = 0;
    for (int32_t i = table->row_begin[row]; i < table->row_begin[row + 1]; i++) {
        const pp_action *cell = &table->cells[i];
        if (cell->fused) continue;
        if (pp_is_action(cell) && slot-- == 0) return column;
        column += cell->op == PP_BLANK ? cell->microbatch : 1;
    }
    return -1;
}

static int32_t column_of_action(const pp_table *table, int32_t row, int32_t stage, int32_t op, int32_t microbatch) {
    int32_t column = 0;
    for (int32_t i = table->row_begin[row]; i < table->row_begin[row + 1]; i++) {
        const pp_action *cell = &table->cells[i];
        if (cell->op == op && cell->stage == stage && cell->microbatch == microbatch) return column;
        if (!cell->fused) column += cell->op == PP_BLANK ? cell->microbatch : 1;
    }
    return -1;
}

void pp_table_locate(const pp_table *table, pp_fault *fault) {
    if (fault == NULL || table->format != PP_FORMAT_TORCH) return;
    if (fault->rank >= 0 && fault->index >= 0) fault->column = column_of_slot(table, fault->rank, fault->index);
    if (fault->wait_rank >= 0 && fault->wait_stage >= 0)
        fault->wait_column =
            column_of_action(table, fault->wait_rank, fault->wait_stage, fault->wait_op, fault->wait_microbatch);
}

int32_t pp_table_early(const pp_table *table, const pp_schedule *s, const pp_timeline *line, pp_fault *fault) {
    if (table->steps > 1) {
        pp_fault unseen;
        fault = pp_fault_start(fault, &unseen, PP_NOTE_STEPS);
        fault->a = table->steps;
        return 1;
    }
    if (table->format != PP_FORMAT_TORCH || table->lowered) return 0;
    int32_t blanks = 0;
    for (int32_t i = 0; i < table->cell_count; i++) blanks |= table->cells[i].op == PP_BLANK;
    if (!blanks) return 0;                           /* not drawn as a grid */
    int32_t *column = (int32_t *)line->start, n = 0; /* the times are not there yet */
    for (int32_t r = 0; r < table->ranks; r++) {
        int32_t at = 0;
        for (int32_t i = table->row_begin[r]; i < table->row_begin[r + 1]; i++) {
            const pp_action *cell = &table->cells[i];
            if (pp_is_action(cell)) column[n++] = at;
            if (!cell->fused) at += cell->op == PP_BLANK ? cell->microbatch : 1;
        }
    }
    for (int32_t i = 0; i < n; i++) {
        int32_t x = line->input[i];
        if (x < 0 || column[x] < column[i]) continue;
        const pp_action *a = &s->actions[i], *b = &s->actions[x];
        pp_fault scratch;
        fault = pp_fault_start(fault, &scratch, PP_NOTE_EARLY);
        fault->rank = pp_rank_of_action(s, i);
        fault->column = column[i];
        fault->stage = a->stage;
        fault->op = a->op;
        fault->microbatch = a->microbatch;
        fault->wait_rank = pp_rank_of_action(s, x);
        fault->wait_column = column[x];
        fault->wait_stage = b->stage;
        fault->wait_op = b->op;
        fault->wait_microbatch = b->microbatch;
        fault->root_stage = b->op == PP_F ? -1 : s->stages - 1;
        return 1;
    }
    return 0;
}

/* ---- times that stand in the file ---- */

static double first_start(const pp_table *table) {
    double first = INFINITY;
    for (int32_t i = 0; i < table->cell_count; i++)
        if (table->start[i] < first) first = table->start[i];
    return first;
}

void pp_table_measured(const pp_table *table, const pp_schedule *s, pp_timeline *line) {
    double zero = first_start(table);
    assert(table->timed && table->cell_count == s->action_count);
    line->transfer = -1;
    for (int32_t i = 0; i < s->action_count; i++) {
        line->start[i] = table->start[i] - zero;
        line->finish[i] = table->finish[i] - zero;
    }
}

static int32_t refuse_times(const pp_table *table, int32_t rank, int32_t i, int32_t rule, pp_fault *fault) {
    pp_fault scratch;
    fault = pp_fault_start(fault, &scratch, PP_ERR_RECORD);
    fault->a = rule;
    if (rule != PP_RECORD_OVERLAP) return PP_ERR_RECORD;
    fault->rank = rank;
    fault->index = 0;
    for (int32_t j = table->row_begin[rank]; j < i; j++) fault->index += !table->cells[j].fused;
    return PP_ERR_RECORD;
}

int32_t pp_table_report(const pp_table *table, pp_summary *out, pp_rank_report *ranks, pp_fault *fault) {
    if (!table->timed) return refuse_times(table, 0, 0, PP_RECORD_TIMES, fault);
    double zero = first_start(table), end = 0;
    int exact = 1;
    out->busy = out->span = out->fill_end = out->lower_bound = 0;
    out->drain_start = INFINITY;
    for (int32_t r = 0; r < table->ranks; r++) {
        pp_rank_report *rank = &ranks[r];
        int32_t begin = table->row_begin[r];
        rank->busy = rank->last = 0;
        rank->first = table->start[begin] - zero;
        for (int32_t i = begin; i < table->row_begin[r + 1]; i++) {
            if (i > begin && table->cells[i - 1].fused) continue;
            double start = table->start[i] - zero, finish = table->finish[i] - zero;
            if (i > begin && start < rank->last) return refuse_times(table, r, i, PP_RECORD_OVERLAP, fault);
            rank->busy += finish - start;
            rank->last = finish;
            exact = exact && start == floor(start) && finish == floor(finish);
        }
        out->busy += rank->busy;
        if (rank->busy > out->lower_bound) out->lower_bound = rank->busy;
        if (rank->last - rank->first > out->span) out->span = rank->last - rank->first;
        if (rank->first > out->fill_end) out->fill_end = rank->first;
        if (rank->last < out->drain_start) out->drain_start = rank->last;
        if (rank->last > end) end = rank->last;
    }
    out->makespan = end;
    out->idle = table->ranks * end - out->busy;
    for (int32_t r = 0; r < table->ranks; r++) ranks[r].idle = end - ranks[r].busy;
    if (!isfinite(table->ranks * end) || !isfinite(out->busy)) {
        pp_fault scratch;
        pp_fault_start(fault, &scratch, PP_ERR_OVERFLOW);
        return PP_ERR_OVERFLOW;
    }
    pp_report_shares(out, table->ranks, exact);
    return PP_OK;
}
