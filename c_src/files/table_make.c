/* A schedule as PyTorch's table: a column a step, blanks where a rank must wait. */
#include <assert.h>
#include <string.h>

#include "files/table.h"
#include "time/timeline.h"

/* Slots and, before each, one run of blanks; then the column of each action. */
size_t pp_table_make_bytes(const pp_schedule *s) {
    size_t n = (size_t)s->action_count;
    return pp_table_room(s->ranks, 2 * n + 1, 0) + n * sizeof(int32_t);
}

static int32_t refuse(int32_t code, pp_fault *fault) {
    pp_fault scratch;
    fault = pp_fault_start(fault, &scratch, code);
    fault->b = (int32_t)PP_MAX_COLUMNS;
    return code;
}

/* The step of each slot when all take one: after the slot before it, and after those whose output it needs. */
static void lock_step(const pp_schedule *s, const pp_timeline *line, int32_t *column) {
    for (int32_t n = 0; n < line->run_count; n++) {
        int32_t i = pp_run_first(line->runs[n]), end = i + pp_run_length(line->runs[n]);
        int32_t next = pp_run_opens(line->runs[n]) ? 0 : column[i - 1] + 1;
        while (i < end) {
            int32_t last = i + s->actions[i].fused;
            for (int32_t j = i; j <= last; j++)
                if (line->input[j] >= 0 && column[line->input[j]] >= next) next = column[line->input[j]] + 1;
            for (; i <= last; i++) column[i] = next;
            next++;
        }
    }
}

int32_t pp_table_make(const pp_schedule *s, const pp_timeline *line, void *memory, size_t bytes, pp_fault *fault) {
    assert(memory != NULL && ((uintptr_t)memory & 7) == 0);
    if (bytes < pp_table_make_bytes(s)) return refuse(PP_ERR_CAPACITY, fault);
    int32_t status = pp_torch_check(s, fault);
    if (status != PP_OK) return status;
    int32_t *column = pp_table_place(memory, PP_FORMAT_TORCH, s->ranks, 2 * (size_t)s->action_count + 1, 0);
    pp_table *table = memory;
    int64_t columns = 0;
    lock_step(s, line, column);
    for (int32_t r = 0; r < s->ranks; r++) {
        int32_t at = 0;
        table->row_begin[r] = table->cell_count;
        for (int32_t i = s->rank_begin[r]; i < s->rank_begin[r + 1]; i++) {
            if (column[i] > at) table->cells[table->cell_count++] = (pp_action){column[i] - at, 0, PP_BLANK, 0};
            at = column[i];
            table->cells[table->cell_count++] = s->actions[i];
            at += !s->actions[i].fused;
        }
        columns += at;
    }
    table->row_begin[s->ranks] = table->cell_count;
    if (columns <= PP_MAX_COLUMNS) return PP_OK;
    return refuse(PP_ERR_TOO_LARGE, fault);
}
