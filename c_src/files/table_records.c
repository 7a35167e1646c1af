/* Reading our own CSV and JSON: one record per action, in any order, brought into ranks and slots. */
#include <math.h>
#include <string.h>

#include "core/number.h"
#include "files/json.h"
#include "files/records.h"

static const struct {
    const char *name, *other;
    int32_t limit; /* largest whole number + 1, 0 where it is none */
} fields[PP_FIELD_COUNT] = {
    [PP_FIELD_RANK] = {"device", "rank", PP_MAX_RANKS},
    [PP_FIELD_INDEX] = {"index", "slot", (int32_t)PP_MAX_ACTIONS},
    [PP_FIELD_OP] = {"op", "op", 0},
    [PP_FIELD_STAGE] = {"stage", "stage", PP_MAX_STAGES},
    [PP_FIELD_MICROBATCH] = {"microbatch", "microbatch", PP_MAX_MICROBATCHES},
    [PP_FIELD_SLICE] = {"seq", "slice", PP_MAX_SLICES},
    [PP_FIELD_START] = {"start", "start", 0},
    [PP_FIELD_FINISH] = {"end", "finish", 0},
};
enum {
    OPS = 1 << PP_FIELD_OP | 1 << PP_FIELD_STAGE | 1 << PP_FIELD_MICROBATCH,
    TIMES = 1 << PP_FIELD_START | 1 << PP_FIELD_FINISH
};

/* ---- faults ---- */

/* The row and column of a place in the text. */
static void place_of(const pp_records *r, const char *at, int csv, int32_t *row, int32_t *column) {
    *row = *column = 0;
    const int32_t place = (int32_t)(at - r->text.begin);
    for (int32_t begin = 0, end; (end = pp_line_end(r->text, begin)) < place; begin = end + 1)
        ++*row, *column = end + 1;
    const int32_t line = *column;
    *column = csv ? 0 : place - line;
    for (int32_t i = line; csv && i < place; i++) *column += r->text.begin[i] == r->separator;
}

int32_t pp_record_refuse_at(const pp_records *r, int csv, int32_t rule, int32_t b, pp_text seen) {
    int32_t row, column;
    pp_fault scratch, *fault = r->fault != NULL ? r->fault : &scratch;
    place_of(r, seen.begin, csv, &row, &column);
    pp_refuse_text(PP_ERR_RECORD, row, column, seen, fault);
    fault->a = rule;
    fault->b = b;
    return PP_ERR_RECORD;
}

int32_t pp_record_refuse(const pp_records *r, const pp_record *at, int32_t rule, int32_t b, const char *seen) {
    pp_fault scratch, *fault = r->fault != NULL ? r->fault : &scratch;
    pp_refuse_text(PP_ERR_RECORD, at->row, at->column, (pp_text){seen, (int32_t)strlen(seen)}, fault);
    fault->a = rule;
    fault->b = b;
    return PP_ERR_RECORD;
}

/* Where a record begins; each call looks further on than the one before. */
void pp_record_locate(pp_records *r, const char *at, pp_record *record) {
    const int32_t place = (int32_t)(at - r->text.begin);
    for (int32_t end; (end = pp_line_end(r->text, r->line)) < place; r->line = end + 1) r->row++;
    record->row = r->row;
    record->column = place - r->line;
}

/* ---- fields ---- */

static int32_t field_of(pp_text name) {
    for (int32_t f = 0; f < PP_FIELD_COUNT; f++)
        if (pp_name_equal(name, fields[f].name) || pp_name_equal(name, fields[f].other)) return f;
    return -1;
}

static int32_t op_of(pp_text text) {
    for (int32_t op = 0; op < PP_OP_COUNT; op++)
        if (text.length == 1 && text.begin[0] == pp_op_name(op)[0]) return op;
    return -1;
}

/* Takes one field into a record. text: as it stands, value: the same as a number, NaN if it is none. */
static int32_t field_take(const pp_records *r, int csv, pp_record *at, int32_t field, pp_text text, double value) {
    if (field == PP_FIELD_OP) {
        int32_t op = op_of(text);
        if (op < 0) return pp_record_refuse_at(r, csv, PP_RECORD_OP, -1, text);
        at->op = (uint8_t)op;
    } else if (field == PP_FIELD_START || field == PP_FIELD_FINISH) {
        if (!isfinite(value)) return pp_record_refuse_at(r, csv, PP_RECORD_NUMBER, -1, text);
        *(field == PP_FIELD_START ? &at->start : &at->finish) = value;
    } else {
        int32_t limit = fields[field].limit, whole = value >= 0 && value < limit ? (int32_t)value : -1;
        if (whole < 0 || value != whole) return pp_record_refuse_at(r, csv, PP_RECORD_WHOLE, limit - 1, text);
        if (field == PP_FIELD_RANK) at->rank = whole;
        if (field == PP_FIELD_INDEX) at->index = whole;
        if (field == PP_FIELD_STAGE) at->stage = (uint16_t)whole;
        if (field == PP_FIELD_MICROBATCH) at->microbatch = whole;
        if (field == PP_FIELD_SLICE) at->slice = whole;
    }
    at->given |= (uint8_t)(1u << field);
    return PP_OK;
}

/* ---- CSV ---- */

static pp_text unquoted(const char *begin, const char *end) {
    while (begin < end && (*begin == ' ' || *begin == '\t' || *begin == '\r')) begin++;
    while (end > begin && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) end--;
    if (end - begin >= 2 && *begin == '"' && end[-1] == '"') begin++, end--;
    return (pp_text){begin, (int32_t)(end - begin)};
}

/* The next field of a line from *at on; 0 behind the last. */
static int csv_field(pp_text line, char separator, int32_t *at, pp_text *field) {
    if (*at > line.length) return 0;
    const char *begin = line.begin + *at, *end = memchr(begin, separator, (size_t)(line.length - *at));
    if (end == NULL) end = line.begin + line.length;
    *field = unquoted(begin, end);
    *at = (int32_t)(end - line.begin) + 1;
    return 1;
}

static int csv_line(pp_text text, int32_t *at, pp_text *line) {
    while (*at < text.length) {
        *line = (pp_text){text.begin + *at, pp_line_end(text, *at) - *at};
        *at += line->length + 1;
        pp_text bare = unquoted(line->begin, line->begin + line->length);
        if (bare.length > 0) return 1;
    }
    return 0;
}

enum { COLUMNS = 64 };

static int32_t csv_parse(pp_records *r) {
    pp_text line, cell;
    int8_t column_field[COLUMNS];
    int32_t at = 0, in_line = 0, columns = 0, status;
    if (!csv_line(r->text, &at, &line)) return PP_OK;
    while (csv_field(line, r->separator, &in_line, &cell) && columns < COLUMNS)
        column_field[columns++] = (int8_t)field_of(cell);
    while (csv_line(r->text, &at, &line)) {
        pp_record *record = &r->records[r->count++];
        memset(record, 0, sizeof *record);
        pp_record_locate(r, line.begin, record);
        in_line = 0;
        for (int32_t c = 0; csv_field(line, r->separator, &in_line, &cell); c++) {
            if (c >= columns || column_field[c] < 0 || cell.length == 0) continue;
            double value;
            if (pp_number_read(cell.begin, cell.length, r->separator != ',', &value) != cell.length) value = NAN;
            status = field_take(r, 1, record, column_field[c], cell, value);
            if (status != PP_OK) return status;
        }
    }
    return PP_OK;
}

/* ---- JSON ---- */

int32_t pp_record_refuse_json(const pp_records *r, const pp_json *json) {
    int32_t rest = json->length - json->at, shown = rest < 20 ? rest : 20;
    const char *begin = json->text + json->at;
    const char *end = memchr(begin, '\n', (size_t)(shown > 0 ? shown : 0));
    return pp_record_refuse_at(r, 0, PP_RECORD_JSON, -1,
                               (pp_text){begin, end != NULL ? (int32_t)(end - begin) : shown});
}

static int32_t json_record(pp_records *r, pp_json *json) {
    pp_record *record = &r->records[r->count++];
    int first = 1, more;
    pp_text key, text;
    memset(record, 0, sizeof *record);
    pp_record_locate(r, json->text + json->at, record);
    if (!pp_json_enter(json, '{')) return pp_record_refuse_json(r, json);
    while ((more = pp_json_member(json, &first, &key)) == 1) {
        int32_t field = field_of(key), status;
        double value = NAN;
        if (field < 0) {
            if (!pp_json_skip(json)) return pp_record_refuse_json(r, json);
            continue;
        }
        if (!pp_json_string(json, &text) && !pp_json_number(json, &text, &value)) return pp_record_refuse_json(r, json);
        status = field_take(r, 0, record, field, text, value);
        if (status != PP_OK) return status;
    }
    return more == 0 ? PP_OK : pp_record_refuse_json(r, json);
}

static int32_t json_records(pp_records *r, pp_json *json) {
    int first = 1, more;
    if (!pp_json_enter(json, '[')) return pp_record_refuse_json(r, json);
    while ((more = pp_json_element(json, &first)) == 1) {
        int32_t status = json_record(r, json);
        if (status != PP_OK) return status;
    }
    return more == 0 ? PP_OK : pp_record_refuse_json(r, json);
}

static int32_t json_parse(pp_records *r) {
    pp_json json = {r->text.begin, r->text.length, 0};
    int first = 1, more = 0, found = 0;
    pp_text key;
    int32_t status = PP_OK;
    if (pp_json_peek(&json) == '[') {
        status = pp_is_trace(json) ? pp_trace_records(r, &json) : json_records(r, &json);
    } else {
        if (!pp_json_enter(&json, '{')) return pp_record_refuse_json(r, &json);
        while (status == PP_OK && (more = pp_json_member(&json, &first, &key)) == 1) {
            pp_text name;
            if (!found && pp_name_equal(key, "actions")) {
                found = 1;
                status = json_records(r, &json);
            } else if (!found && pp_name_equal(key, "traceEvents")) {
                found = 1;
                status = pp_trace_records(r, &json);
            } else if (pp_name_equal(key, "recompute") && pp_json_string(&json, &name)) {
                int late = name.length >= 4 && memcmp(name.begin, "late", 4) == 0;
                r->recompute = late ? PP_RECOMPUTE_LATE : PP_RECOMPUTE_NONE;
            } else if (!pp_json_skip(&json)) {
                return pp_record_refuse_json(r, &json);
            }
        }
    }
    if (status != PP_OK) return status;
    return more == 0 && pp_json_end(&json) ? PP_OK : pp_record_refuse_json(r, &json);
}

/* ---- from records to ranks and slots ---- */

typedef struct keys {
    const pp_record *records;
    int by_index, by_start;
} keys;

static int in_order(const void *by, int32_t a, int32_t b) {
    const keys *k = by;
    const pp_record *x = &k->records[a], *y = &k->records[b];
    if (x->rank != y->rank) return x->rank < y->rank;
    if (k->by_index) return x->index <= y->index;
    return !k->by_start || x->start <= y->start;
}

/* Sorts 0..count-1 into order, keeping equals as they are: merging runs that double (von Neumann). */
int32_t *pp_records_sort(int (*in_order)(const void *keys, int32_t a, int32_t b), const void *k, int32_t count,
                         int32_t *order, int32_t *other) {
    for (int32_t i = 0; i < count; i++) order[i] = i;
    for (int64_t width = 1; width < count; width *= 2) {
        for (int64_t low = 0; low < count; low += 2 * width) {
            int64_t middle = low + width < count ? low + width : count;
            int64_t high = low + 2 * width < count ? low + 2 * width : count;
            for (int64_t a = low, b = middle, out = low; out < high; out++) {
                int left = b >= high || (a < middle && in_order(k, order[a], order[b]));
                other[out] = left ? order[a++] : order[b++];
            }
        }
        int32_t *swap = order;
        order = other;
        other = swap;
    }
    return order;
}

/* Every record must give what any of them gives, and a rank. */
static int32_t check_fields(const pp_records *r, int32_t *given) {
    *given = 0;
    for (int32_t i = 0; i < r->count; i++) *given |= r->records[i].given;
    *given |= 1 << PP_FIELD_RANK;
    if (*given & OPS) *given |= OPS;
    if (*given & TIMES) *given |= TIMES;
    for (int32_t i = 0; i < r->count; i++) {
        const pp_record *record = &r->records[i];
        int32_t missing = *given & ~record->given;
        for (int32_t f = 0; f < PP_FIELD_COUNT; f++)
            if (missing >> f & 1) return pp_record_refuse(r, record, PP_RECORD_FIELD, -1, fields[f].name);
        if (*given & TIMES && record->finish < record->start)
            return pp_record_refuse(r, record, PP_RECORD_FINISH, -1, "");
    }
    return PP_OK;
}

/* Two records of one rank are one slot if they have the same index; without indices, if they have the same times. */
static int same_slot(const pp_record *a, const pp_record *b, int32_t given) {
    if (a->rank != b->rank) return 0;
    if (given >> PP_FIELD_INDEX & 1) return a->index == b->index;
    return (given & TIMES) && (given & OPS) && a->start == b->start && a->finish == b->finish && a->op != b->op &&
           (a->op == PP_F || b->op == PP_F);
}

static int32_t fill(pp_records *r, int32_t given, const int32_t *order, int32_t ranks, pp_table *table) {
    int32_t slices = 1, rank = 0;
    for (int32_t i = 0; i < r->count; i++)
        if (r->records[i].slice >= slices) slices = r->records[i].slice + 1;
    table->slices = slices;
    table->named = (given & OPS) != 0;
    table->cell_count = r->count;
    for (int32_t i = 0; i < r->count; i++) {
        const pp_record *record = &r->records[order[i]], *last = i > 0 ? &r->records[order[i - 1]] : NULL;
        pp_action *cell = &table->cells[i];
        while (rank <= record->rank) table->row_begin[rank++] = i;
        *cell = (pp_action){record->microbatch * slices + record->slice, record->stage, record->op, 0};
        if (!table->named) *cell = (pp_action){1, 0, PP_BLANK, 0};
        if (table->timed) {
            table->start[i] = record->start;
            table->finish[i] = record->finish;
        }
        if (last == NULL || !same_slot(last, record, given)) continue;
        cell[-1].fused = 1;
        int32_t begin = i - 1 > table->row_begin[record->rank] && cell[-2].fused ? i - 2 : i - 1;
        if (!table->named || !pp_slot_legal(table->cells, begin, i + 1))
            return pp_record_refuse(r, record, PP_RECORD_SLOT, -1, "");
        if (!table->timed) continue; /* a slot lasts from the first start to the last finish of its halves */
        double start = fmin(table->start[i - 1], record->start), finish = fmax(table->finish[i - 1], record->finish);
        table->start[i - 1] = table->start[i] = start;
        table->finish[i - 1] = table->finish[i] = finish;
    }
    table->row_begin[ranks] = r->count;
    for (rank = 0; rank < ranks; rank++)
        if (table->row_begin[rank] == table->row_begin[rank + 1])
            return pp_record_refuse(r, &r->records[0], PP_RECORD_RANK, rank, "");
    return PP_OK;
}

static int32_t record_bound(pp_text text, int32_t format) {
    int32_t count = 0;
    for (int32_t i = 0; i < text.length; i++) {
        const char c = text.begin[i];
        count += format == PP_FORMAT_JSON ? c == '{' : c == '\n' || c == '\r';
    }
    return count + 1;
}

/* The table, with a row for the highest rank a number can name; behind it the records, and two orders. */
size_t pp_records_bytes(pp_text text, int32_t format) {
    size_t count = (size_t)record_bound(text, format);
    uint64_t table = pp_table_room(PP_MAX_RANKS, count, 1);
    uint64_t bytes = table + (uint64_t)count * (sizeof(pp_record) + 2 * sizeof(int32_t));
    return bytes > SIZE_MAX / 2 ? SIZE_MAX : (size_t)bytes;
}

int32_t pp_records_parse(pp_text text, int32_t format, void *memory, pp_fault *fault) {
    int32_t bound = record_bound(text, format), ranks = 1, given;
    void *rest = pp_table_place(memory, format, PP_MAX_RANKS, (size_t)bound, 1);
    pp_table *table = memory;
    pp_records r = {.text = text, .records = rest, .fault = fault};
    r.separator = pp_separator(text);
    int32_t *order = (int32_t *)(r.records + bound);
    r.order = order;
    r.other = order + bound;
    int32_t status = format == PP_FORMAT_JSON ? json_parse(&r) : csv_parse(&r);
    if (status == PP_OK && r.count == 0) {
        pp_fault scratch;
        pp_fault_start(fault, &scratch, PP_ERR_EMPTY);
        return PP_ERR_EMPTY;
    }
    if (status == PP_OK && r.count > PP_MAX_ACTIONS)
        return pp_record_refuse(&r, &r.records[r.count - 1], PP_RECORD_WHOLE, (int32_t)PP_MAX_ACTIONS, "");
    if (status == PP_OK) status = check_fields(&r, &given);
    if (status != PP_OK) return status;
    for (int32_t i = 0; i < r.count; i++)
        if (r.records[i].rank >= ranks) ranks = r.records[i].rank + 1;
    keys k = {r.records, given >> PP_FIELD_INDEX & 1, given >> PP_FIELD_START & 1};
    table->ranks = ranks;
    table->timed = (given & TIMES) != 0;
    table->recompute = r.recompute;
    table->steps = r.steps;
    return fill(&r, given, pp_records_sort(in_order, &k, r.count, order, order + bound), ranks, table);
}
