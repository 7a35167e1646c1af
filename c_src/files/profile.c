/* Costs per stage from what was measured. The forms are told in pipeline.h. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/number.h"
#include "files/json.h"
#include "files/table.h"

static const struct {
    int32_t option;
    const char *letter, *word; /* other names of a row in a file */
} rows[PP_COST_ROWS] = {
    [PP_COST_FORWARD] = {PP_OPT_FORWARD, "F", "forward"},
    [PP_COST_INPUT] = {PP_OPT_INPUT_GRADIENT, "I", "input"},
    [PP_COST_WEIGHT] = {PP_OPT_WEIGHT_GRADIENT, "W", "weight"},
    [PP_COST_BACKWARD] = {PP_OPT_BACKWARD, "B", "backward"},
    [PP_COST_RECOMPUTE] = {PP_OPT_RECOMPUTE_COST, "R", "recompute"},
    [PP_COST_OVERLAP] = {PP_OPT_OVERLAP_COST, "FB", "overlap"},
    [PP_COST_LATENCY] = {PP_OPT_LATENCY, "latency", "latency"},
};

/* Rows that only the library fills have no name. */
static int row_given(int32_t row) { return row >= 0 && row < PP_COST_ROWS && rows[row].word != NULL; }

int32_t pp_cost_option(int32_t row) { return row_given(row) ? rows[row].option : -1; }
int32_t pp_profile_count(const pp_profile *profile, int32_t row) { return profile->count[row]; }
const double *pp_profile_values(const pp_profile *profile, int32_t row) { return profile->values[row]; }

int32_t pp_refuse_profile(int32_t reason, int32_t option, int32_t b, int32_t c, pp_fault *fault) {
    pp_fault scratch;
    fault = pp_fault_start(fault, &scratch, PP_ERR_PROFILE);
    fault->a = reason;
    fault->option = option;
    fault->b = b;
    fault->c = c;
    return PP_ERR_PROFILE;
}

int32_t pp_profile_row(pp_text name) {
    for (int32_t row = 0; row < PP_COST_ROWS; row++)
        if (row_given(row) && (pp_name_equal(name, pp_option_name(rows[row].option)) ||
                               pp_name_equal(name, rows[row].letter) || pp_name_equal(name, rows[row].word)))
            return row;
    return -1;
}

/* ---- lists in JSON and CSV ---- */

typedef struct reader {
    pp_text text;
    pp_profile *profile;
    int32_t capacity; /* of each row */
    pp_fault *fault;
} reader;

static int32_t refuse_at(const reader *r, const char *at, int32_t length, int32_t rule) {
    int32_t row = 0, column = 0;
    pp_fault scratch, *fault = r->fault != NULL ? r->fault : &scratch;
    const int32_t place = (int32_t)(at - r->text.begin);
    for (int32_t begin = 0, end; (end = pp_line_end(r->text, begin)) < place; begin = end + 1) row++, column = end + 1;
    column = place - column;
    pp_refuse_text(PP_ERR_RECORD, row, column, (pp_text){at, length}, fault);
    fault->a = rule;
    return PP_ERR_RECORD;
}

static int32_t refuse_json(const reader *r, const pp_json *json) {
    int32_t rest = json->length - json->at;
    return refuse_at(r, json->text + json->at, rest < 20 ? rest : 20, PP_RECORD_JSON);
}

static void add(reader *r, int32_t row, double value) {
    int32_t at = r->profile->count[row]++;
    if (at < r->capacity) r->profile->values[row][at] = value;
}

/* {"forward": 1, "backward": [2, 3], ...}: one number or an array of them for each name. named: the rows that have been
 * named until now, a bit each; those of this object are added. */
static int32_t json_rows(reader *r, pp_json *json, uint32_t *named, int *stages) {
    int first = 1, more;
    pp_text key, text;
    double value;
    if (!pp_json_enter(json, '{')) return refuse_json(r, json);
    while ((more = pp_json_member(json, &first, &key)) == 1) {
        int32_t row = pp_profile_row(key);
        if (stages != NULL && pp_name_equal(key, "stages") && pp_json_peek(json) == '[') {
            *stages = json->at; /* an object per stage: read by the caller */
            if (!pp_json_skip(json)) return refuse_json(r, json);
        } else if (row < 0) {
            if (!pp_json_skip(json)) return refuse_json(r, json);
        } else if (*named >> row & 1) {
            return refuse_at(r, key.begin, key.length, PP_RECORD_TWICE);
        } else if (*named |= UINT32_C(1) << row, pp_json_enter(json, '[')) {
            int first_of_list = 1;
            while ((more = pp_json_element(json, &first_of_list)) == 1) {
                if (!pp_json_number(json, &text, &value)) return refuse_json(r, json);
                add(r, row, value);
            }
            if (more != 0) return refuse_json(r, json);
        } else {
            if (!pp_json_number(json, &text, &value)) return refuse_json(r, json);
            add(r, row, value);
        }
    }
    return more == 0 ? PP_OK : refuse_json(r, json);
}

static int32_t json_lists(reader *r) {
    pp_json json = {r->text.begin, r->text.length, 0};
    int stages = -1, first = 1;
    uint32_t above = 0; /* rows that are named beside "stages" */
    int32_t status = json_rows(r, &json, &above, &stages);
    if (status == PP_OK && !pp_json_end(&json)) status = refuse_json(r, &json);
    if (status != PP_OK || stages < 0) return status;
    json.at = stages + 1;
    for (int32_t stage = 0; pp_json_element(&json, &first) == 1; stage++) {
        uint32_t named = above;
        status = json_rows(r, &json, &named, NULL);
        if (status != PP_OK) return status;
        /* What one stage tells, all tell: a gap would give the times of later stages to earlier ones. */
        for (int32_t row = 0; row < PP_COST_ROWS; row++) {
            int32_t count = r->profile->count[row];
            if (above >> row & 1 || count == 0 || count == stage + 1) continue;
            return pp_refuse_profile(PP_PROFILE_STAGE, rows[row].option, named >> row & 1 ? 0 : stage, -1, r->fault);
        }
    }
    return PP_OK;
}

/* A header of names, then a line per stage. */
static int32_t csv_lists(reader *r) {
    enum { STAGE = -2, UNKNOWN = -1, COLUMNS = 64 };
    int32_t at = 0, line = 0, columns = 0, column_row[COLUMNS], last = -1;
    const char separator = pp_separator(r->text);
    while (at < r->text.length) {
        const char *begin = r->text.begin + at, *end = r->text.begin + pp_line_end(r->text, at);
        at = (int32_t)(end - r->text.begin) + 1;
        int32_t column = 0, used = 0;
        for (const char *cell = begin; cell <= end; column++) {
            const char *comma = memchr(cell, separator, (size_t)(end - cell)), *stop = comma != NULL ? comma : end;
            const char *next = stop + 1;
            while (cell < stop && (*cell == ' ' || *cell == '"')) cell++;
            while (stop > cell && strchr(" \"\r", stop[-1]) != NULL && stop[-1] != 0) stop--;
            pp_text text = {cell, (int32_t)(stop - cell)};
            used |= text.length > 0;
            if (line == 0 && column < COLUMNS) {
                int32_t row = pp_name_equal(text, "stage") ? STAGE : pp_profile_row(text);
                for (int32_t c = 0; c < columns; c++)
                    if (row != UNKNOWN && column_row[c] == row)
                        return refuse_at(r, text.begin, text.length, PP_RECORD_TWICE);
                column_row[columns++] = row;
            } else if (column < columns && column_row[column] != UNKNOWN && text.length > 0) {
                double value;
                int32_t read = pp_number_read(text.begin, text.length, separator != ',', &value);
                if (read != text.length || !isfinite(value))
                    return refuse_at(r, text.begin, text.length, PP_RECORD_NUMBER);
                int32_t row = column_row[column];
                if (row >= 0 && r->profile->count[row] != line - 1) /* a cell above is empty */
                    return pp_refuse_profile(PP_PROFILE_STAGE, rows[row].option, r->profile->count[row], -1, r->fault);
                if (row >= 0) add(r, row, value);
                if (row == STAGE && value != ++last) /* stages in their order */
                    return refuse_at(r, text.begin, text.length, PP_RECORD_NUMBER);
            }
            cell = next;
        }
        line += used != 0;
    }
    return PP_OK;
}

/* ---- the mean of what ran ---- */

static double *row_at(const reader *r, int32_t row) { return r->profile->values[row]; }

/* counts: PP_COST_ROWS * capacity zeros. */
static int32_t means(reader *r, const pp_table *table, double *counts) {
    int32_t stages = 0;
    for (int32_t i = 0; i < table->cell_count; i++)
        if (table->cells[i].stage >= stages) stages = table->cells[i].stage + 1;
    if (stages > table->cell_count)
        return pp_refuse_profile(PP_PROFILE_STAGE, PP_OPT_FORWARD, table->cell_count, -1, r->fault);
    for (int32_t row = 0; row < PP_COST_ROWS; row++) memset(row_at(r, row), 0, (size_t)stages * sizeof(double));
    memset(counts, 0, PP_COST_ROWS * (size_t)stages * sizeof(double));
    for (int32_t i = 0; i < table->cell_count; i++) {
        const pp_action *a = &table->cells[i];
        int32_t row = pp_op_cost_row(a->op), stage = a->stage;
        if (a->fused) { /* the two halves have the same times */
            row = PP_COST_OVERLAP;
            stage = a[0].op == PP_F ? a[0].stage : a[1].stage;
            i++;
        }
        row_at(r, row)[stage] += table->finish[i] - table->start[i];
        counts[row * stages + stage]++;
    }
    int seen[PP_COST_ROWS] = {0};
    for (int32_t row = 0; row < PP_COST_ROWS; row++) {
        for (int32_t s = 0; s < stages; s++) {
            if (counts[row * stages + s] > 0) row_at(r, row)[s] /= counts[row * stages + s];
            seen[row] |= counts[row * stages + s] > 0;
        }
    }
    int split = seen[PP_COST_INPUT] || seen[PP_COST_WEIGHT];
    double *f = row_at(r, PP_COST_FORWARD), *b = row_at(r, PP_COST_BACKWARD), *input = row_at(r, PP_COST_INPUT);
    double *weight = row_at(r, PP_COST_WEIGHT), *overlap = row_at(r, PP_COST_OVERLAP);
    for (int32_t s = 0; s < stages; s++) {
        int has_b = counts[PP_COST_BACKWARD * stages + s] > 0;
        int has_split = counts[PP_COST_INPUT * stages + s] > 0 && counts[PP_COST_WEIGHT * stages + s] > 0;
        if (!(counts[PP_COST_FORWARD * stages + s] > 0))
            return pp_refuse_profile(PP_PROFILE_STAGE, PP_OPT_FORWARD, s, -1, r->fault);
        if ((split || seen[PP_COST_BACKWARD] || seen[PP_COST_OVERLAP]) && !has_b && !has_split)
            return pp_refuse_profile(PP_PROFILE_STAGE, PP_OPT_BACKWARD, s, -1, r->fault);
        if (seen[PP_COST_RECOMPUTE] && !(counts[PP_COST_RECOMPUTE * stages + s] > 0))
            row_at(r, PP_COST_RECOMPUTE)[s] = f[s];
        if (split && !has_split) input[s] = weight[s] = b[s] / 2;
        if (has_split) b[s] = input[s] + weight[s];
        if (!(counts[PP_COST_OVERLAP * stages + s] > 0)) overlap[s] = f[s] + b[s];
        overlap[s] = fmax(overlap[s], fmax(f[s], b[s]));
    }
    r->profile->count[PP_COST_FORWARD] = stages;
    r->profile->count[PP_COST_INPUT] = r->profile->count[PP_COST_WEIGHT] = split ? stages : 0;
    r->profile->count[PP_COST_BACKWARD] = seen[PP_COST_BACKWARD] && !split ? stages : 0;
    r->profile->count[PP_COST_RECOMPUTE] = seen[PP_COST_RECOMPUTE] ? stages : 0;
    r->profile->count[PP_COST_OVERLAP] = seen[PP_COST_OVERLAP] ? stages : 0;
    return PP_OK;
}

/* ---- Megatron's timers ---- */

static const char forward_timer[] = "forward-compute", backward_timer[] = "backward-compute";

static const char *find(pp_text text, const char *word) {
    int32_t length = (int32_t)strlen(word);
    for (int32_t at = 0; at + length <= text.length; at++)
        if (text.begin[at] == word[0] && memcmp(text.begin + at, word, (size_t)length) == 0) return text.begin + at;
    return NULL;
}

/* The text from behind the last time that word stands in it, length 0 if it does not. */
static pp_text behind_last(pp_text text, const char *word) {
    pp_text rest = {text.begin + text.length, 0};
    for (const char *at; (at = find(text, word)) != NULL;) {
        const char *end = text.begin + text.length;
        text.begin = at + strlen(word);
        text.length = (int32_t)(end - text.begin);
        rest = text;
    }
    return rest;
}

static void skip(pp_text *text, const char *of) {
    while (text->length > 0 && text->begin[0] != 0 && strchr(of, text->begin[0]) != NULL) text->begin++, text->length--;
}

static int take_word(pp_text *text, const char *word) {
    int32_t length = (int32_t)strlen(word);
    if (text->length < length || memcmp(text->begin, word, (size_t)length) != 0) return 0;
    text->begin += length;
    text->length -= length;
    return 1;
}

static int take_number(pp_text *text, double *value) {
    if (text->length == 0 || text->begin[0] < '0' || text->begin[0] > '9') return 0;
    int32_t used = pp_number_read(text->begin, text->length, 0, value);
    text->begin += used;
    text->length -= used;
    return used > 0 && isfinite(*value);
}

/* A line "rank N: time" has begun; N is `count`. What is left of a time that cannot be read is refused where it stands. */
static int32_t rank_read(const reader *r, pp_text *rest, int32_t count, double *values) {
    double number;
    skip(rest, " ");
    const pp_text rank = *rest;
    const int ordered = take_number(rest, &number) && number == count && count < r->capacity;
    skip(rest, " ");
    const int colon = ordered && take_word(rest, ":");
    skip(rest, " ");
    if (colon && take_number(rest, &values[count])) return PP_OK;
    if (!ordered) *rest = rank;
    int32_t length = 0;
    while (length < rest->length && length < 20 && strchr(" \t\r\n", rest->begin[length]) == NULL) length++;
    return refuse_at(r, rest->begin, length, PP_RECORD_NUMBER);
}

/* Times of one timer: "name ....: (min, max)", "name ....: max", or a line "rank N: time" for each rank. values: one
 * per rank. *count: how many there are, 0 for none; *largest: 1 where only the largest is told. */
static int32_t timer_read(const reader *r, const char *name, double *values, int32_t *count, int *largest) {
    pp_text rest = behind_last(r->text, name);
    double value;
    *count = *largest = 0;
    skip(&rest, " .");
    if (!take_word(&rest, ":")) return PP_OK;
    skip(&rest, " \t\r");
    if (take_word(&rest, "(")) {
        skip(&rest, " ");
        if (!take_number(&rest, &value)) return PP_OK;
        skip(&rest, " ,");
    }
    if (take_number(&rest, &values[0])) {
        *count = *largest = 1;
        return PP_OK;
    }
    for (;; ++*count) {
        skip(&rest, " \t\r\n>");
        if (!take_word(&rest, "rank")) return PP_OK;
        const int32_t status = rank_read(r, &rest, *count, values);
        if (status != PP_OK) return status;
    }
}

/* Megatron lays stages in a loop, and where several ranks share a place in the pipeline they follow each other. */
static int32_t timer_row(reader *r, const char *name, int32_t row, const pp_config *config, double *scratch) {
    int32_t n;
    int largest;
    const int32_t status = timer_read(r, name, scratch, &n, &largest);
    if (status != PP_OK || n == 0) return status;
    if (config == NULL || config->ranks <= 0) return pp_refuse_profile(PP_PROFILE_SHAPE, -1, -1, -1, r->fault);
    int32_t p = config->ranks, share = n / p;
    double parts = (double)config->microbatches * config->chunks;
    if (largest) {
        add(r, row, scratch[0] / parts);
        return PP_OK;
    }
    if (n % p != 0) return pp_refuse_profile(PP_PROFILE_RANKS, -1, n, p, r->fault);
    for (int32_t stage = 0; stage < config->stages; stage++) {
        double sum = 0;
        for (int32_t i = 0; i < share; i++) sum += scratch[stage % p * share + i];
        add(r, row, sum / share / parts);
    }
    return PP_OK;
}

/* ---- which form ---- */

enum { FORM_TIMERS, FORM_ACTIONS, FORM_JSON, FORM_CSV, FORM_NONE };

static int has_actions(pp_text text) {
    pp_json json = {text.begin, text.length, 0};
    int first = 1;
    pp_text key;
    if (pp_json_peek(&json) == '[') return 1;
    if (!pp_json_enter(&json, '{')) return 0;
    while (pp_json_member(&json, &first, &key) == 1) {
        if (pp_name_equal(key, "actions") || pp_name_equal(key, "traceEvents")) return 1;
        if (!pp_json_skip(&json)) return 0;
    }
    return 0;
}

/* By the names in the first line: times of actions, or costs of stages. */
static int32_t form_of_header(pp_text text) {
    const char *end = text.begin + pp_line_end(text, 0);
    const char separator = pp_separator(text);
    int32_t form = FORM_NONE;
    for (const char *cell = text.begin; cell <= end;) {
        const char *comma = memchr(cell, separator, (size_t)(end - cell)), *stop = comma != NULL ? comma : end;
        const char *next = stop + 1;
        while (cell < stop && (*cell == ' ' || *cell == '"')) cell++;
        while (stop > cell && (stop[-1] == ' ' || stop[-1] == '"' || stop[-1] == '\r')) stop--;
        pp_text name = {cell, (int32_t)(stop - cell)};
        if (pp_name_equal(name, "start")) return FORM_ACTIONS;
        if (name.length > 0 && pp_profile_row(name) >= 0) form = FORM_CSV;
        cell = next;
    }
    return form;
}

static int32_t form_of(pp_text text) {
    if (find(text, forward_timer) != NULL || find(text, backward_timer) != NULL) return FORM_TIMERS;
    if (pp_file_format(text) == PP_FORMAT_JSON) return has_actions(text) ? FORM_ACTIONS : FORM_JSON;
    return form_of_header(text);
}

/* The most numbers a row can have. */
static size_t row_capacity(pp_text text, int32_t form, const pp_config *config) {
    size_t count = 2;
    for (int32_t i = 0; i < text.length; i++) {
        char c = text.begin[i];
        const int line = c == '\n' || c == '\r';
        count += line || c == '{' || (c == ',' && form == FORM_JSON);
    }
    if (form == FORM_TIMERS && config != NULL && (size_t)config->stages > count) count = (size_t)config->stages;
    return count;
}

/* Head, rows, the scratch of the same size that a form needs, and the table of its actions. */
size_t pp_profile_bytes(const char *text, int32_t length, const pp_config *config) {
    pp_text body = pp_file_text(text, length);
    int32_t form = form_of(body);
    uint64_t rows_bytes = (uint64_t)row_capacity(body, form, config) * PP_COST_ROWS * sizeof(double);
    uint64_t bytes = pp_align8(sizeof(pp_profile)) + 2 * rows_bytes;
    if (form == FORM_ACTIONS) bytes += pp_table_parse_bytes(text, length);
    return bytes > SIZE_MAX / 2 ? SIZE_MAX : (size_t)bytes;
}

int32_t pp_profile_parse(const char *text, int32_t length, const pp_config *config, void *memory, size_t bytes,
                         pp_fault *fault) {
    pp_fault unseen;
    assert(memory != NULL && ((uintptr_t)memory & 7) == 0);
    if (bytes < pp_profile_bytes(text, length, config)) {
        pp_fault_start(fault, &unseen, PP_ERR_CAPACITY);
        return PP_ERR_CAPACITY;
    }
    pp_profile *profile = memory;
    reader r = {.text = pp_file_text(text, length), .profile = profile, .fault = fault};
    int32_t form = form_of(r.text), status = PP_OK, told = 0;
    size_t capacity = row_capacity(r.text, form, config);
    double *values = (double *)((char *)memory + pp_align8(sizeof *profile));
    double *scratch = values + PP_COST_ROWS * capacity;
    *profile = (pp_profile){.count = {0}};
    r.capacity = (int32_t)capacity;
    for (int32_t row = 0; row < PP_COST_ROWS; row++) profile->values[row] = values + (size_t)row * capacity;
    if (form == FORM_TIMERS) {
        status = timer_row(&r, forward_timer, PP_COST_FORWARD, config, scratch);
        if (status == PP_OK) status = timer_row(&r, backward_timer, PP_COST_BACKWARD, config, scratch);
    } else if (form == FORM_JSON) {
        status = json_lists(&r);
    } else if (form == FORM_CSV) {
        status = csv_lists(&r);
    } else if (form == FORM_ACTIONS) {
        pp_table *table = (pp_table *)(scratch + PP_COST_ROWS * capacity);
        status = pp_table_parse(text, length, PP_LETTERS_TODAY, table, pp_table_parse_bytes(text, length), fault);
        if (status == PP_OK && table->named && table->timed) status = means(&r, table, scratch);
    }
    if (status != PP_OK) return status;
    int32_t most = 0;
    for (int32_t row = 0; row < PP_COST_ROWS; row++) {
        told |= profile->count[row];
        if (row != PP_COST_LATENCY && profile->count[row] > most) most = profile->count[row];
    }
    for (int32_t row = 0; row < PP_COST_LATENCY; row++)
        if (profile->count[row] > 1 && profile->count[row] < most)
            return pp_refuse_profile(PP_PROFILE_COUNT, rows[row].option, profile->count[row], most, fault);
    return told ? PP_OK : pp_refuse_profile(PP_PROFILE_NONE, -1, -1, -1, fault);
}
