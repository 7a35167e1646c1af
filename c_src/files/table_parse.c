/* Reading PyTorch's table of cells (torch/distributed/pipelining/schedules.py: _Action.from_str, _load_csv). The
 * grammar, and where this reader is stricter, stand in pipeline.h. */
#include <assert.h>
#include <limits.h>
#include <string.h>

#include "files/table.h"

/* ---- which form ---- */

static int is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static pp_text trim(pp_text text) {
    while (text.length > 0 && is_blank(text.begin[0])) text.begin++, text.length--;
    while (text.length > 0 && is_blank(text.begin[text.length - 1])) text.length--;
    return text;
}

pp_text pp_file_text(const char *text, int32_t length) {
    static const char mark[3] = {(char)0xEF, (char)0xBB, (char)0xBF};
    if (length >= 3 && memcmp(text, mark, 3) == 0) return (pp_text){text + 3, length - 3};
    return (pp_text){text, length};
}

int32_t pp_line_end(pp_text text, int32_t at) {
    for (; at < text.length; at++) {
        if (text.begin[at] == '\n') return at;
        if (text.begin[at] == '\r' && (at + 1 == text.length || text.begin[at + 1] != '\n')) return at;
    }
    return at;
}

char pp_separator(pp_text text) {
    const size_t length = (size_t)pp_line_end(text, 0);
    for (const char *c = ",;\t"; *c != 0; c++)
        if (memchr(text.begin, *c, length) != NULL) return *c;
    return ',';
}

/* A table of cells begins with a digit, a blank or a parenthesis. */
int32_t pp_file_format(pp_text text) {
    int32_t at = 0;
    while (at < text.length && (is_blank(text.begin[at]) || text.begin[at] == '\n')) at++;
    if (at == text.length) return PP_FORMAT_TORCH;
    if (text.begin[at] == '{' || text.begin[at] == '[') return PP_FORMAT_JSON;
    if (text.begin[at] == '"') at++;
    pp_text word = {text.begin + at, 0};
    while (at + word.length < text.length && strchr(",;\"\r\n\t ", word.begin[word.length]) == NULL) word.length++;
    static const char *const names[] = {"device",     "rank", "index", "slot",  "op",  "stage",
                                        "microbatch", "seq",  "slice", "start", "end", "finish"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (pp_name_equal(word, names[i])) return PP_FORMAT_CSV;
    return PP_FORMAT_TORCH;
}

/* ---- one cell ---- */

static const char *letters_of(int32_t op, int32_t letters) {
    if (letters == PP_LETTERS_OLD && op == PP_B) return "BW";
    if (letters == PP_LETTERS_OLD && op == PP_I) return "B";
    return pp_op_name(op);
}

/* A run of digits, as large as an int32_t at most. Returns whether there was one. */
static int digits_read(pp_text text, int32_t *at, int32_t *value) {
    int32_t begin = *at, sum = 0;
    for (; *at < text.length && text.begin[*at] >= '0' && text.begin[*at] <= '9'; ++*at) {
        int32_t digit = text.begin[*at] - '0';
        sum = sum > (INT32_MAX - digit) / 10 ? INT32_MAX : sum * 10 + digit;
    }
    *value = sum;
    return *at > begin;
}

/* The longest type that stands here, -1 for none. */
static int32_t type_read(pp_text text, int32_t *at, int32_t letters) {
    int32_t found = -1, longest = 0;
    for (int32_t op = 0; op < PP_BLANK; op++) {
        const char *name = letters_of(op, letters);
        int32_t length = (int32_t)strlen(name);
        if (op == PP_R || length <= longest || length > text.length - *at) continue;
        if (memcmp(text.begin + *at, name, (size_t)length) != 0) continue;
        found = op;
        longest = length;
    }
    *at += longest;
    return found;
}

static int has_microbatch(int32_t op) { return op < PP_UNSHARD || op > PP_REDUCE_GRAD; }

static int32_t action_read(pp_text text, int32_t letters, pp_action *out) {
    int32_t at = 0, stage, op, microbatch;
    if (!digits_read(text, &at, &stage) || (op = type_read(text, &at, letters)) < 0) return PP_ERR_SYNTAX;
    int given = digits_read(text, &at, &microbatch);
    if (at != text.length || given != has_microbatch(op)) return PP_ERR_SYNTAX;
    if (stage >= PP_MAX_STAGES || microbatch >= PP_MAX_MICROBATCHES) return PP_ERR_TOO_LARGE;
    *out = (pp_action){given ? microbatch : -1, (uint16_t)stage, (uint8_t)op, 0};
    return PP_OK;
}

/* "(2F1;3B0)OVERLAP_F_B" */
static int32_t group_read(pp_text text, int32_t letters, pp_table *table) {
    const char *close = memchr(text.begin, ')', (size_t)text.length);
    if (close == NULL) return PP_ERR_SYNTAX;
    int32_t begin = table->cell_count, at = 1, end = (int32_t)(close - text.begin);
    pp_text kind = trim((pp_text){close + 1, text.length - end - 1});
    if (kind.length != 11 || memcmp(kind.begin, "OVERLAP_F_B", 11) != 0) return PP_ERR_SYNTAX;
    while (at <= end) {
        int32_t from = at;
        while (at < end && text.begin[at] != ';') at++;
        pp_action *cell = &table->cells[table->cell_count++];
        int32_t status = action_read(trim((pp_text){text.begin + from, at - from}), letters, cell);
        if (status != PP_OK) return status;
        cell->fused = 1;
        at++;
    }
    table->cells[table->cell_count - 1].fused = 0;
    int legal = table->cell_count - begin == 2 && pp_slot_legal(table->cells, begin, table->cell_count);
    return legal ? PP_OK : PP_ERR_CELL_GROUP;
}

static int32_t cell_read(pp_text text, int32_t letters, pp_table *table) {
    text = trim(text);
    if (text.length >= 2 && text.begin[0] == '"' && text.begin[text.length - 1] == '"')
        text = trim((pp_text){text.begin + 1, text.length - 2});
    if (text.length == 0) {
        int first = table->cell_count == table->row_begin[table->ranks];
        if (first || table->cells[table->cell_count - 1].op != PP_BLANK)
            table->cells[table->cell_count++] = (pp_action){0, 0, PP_BLANK, 0};
        table->cells[table->cell_count - 1].microbatch++;
        return PP_OK;
    }
    if (text.begin[0] == '(') return group_read(text, letters, table);
    pp_action *cell = &table->cells[table->cell_count++];
    int32_t status = action_read(text, letters, cell);
    if (status == PP_OK && cell->op >= PP_SEND_F) table->lowered = 1;
    return status;
}

static int32_t refuse_cell(int32_t status, int32_t row, int32_t column, pp_text text, pp_fault *fault) {
    pp_fault scratch;
    if (fault == NULL) fault = &scratch;
    text = trim(text);
    pp_refuse_text(status, row, column, text, fault);
    const char *type = text.begin;
    while (type < text.begin + text.length && *type >= '0' && *type <= '9') type++;
    int old = text.begin + text.length - type > 1 && type[0] == 'B' && type[1] == 'W';
    if (status == PP_ERR_SYNTAX && old)
        pp_fault_fix_text(fault, PP_FILE_LETTERS, pp_option_choice(PP_FILE_LETTERS, PP_LETTERS_OLD));
    return status;
}

/* ---- the table ---- */

size_t pp_table_parse_bytes(const char *text, int32_t length) {
    pp_text body = pp_file_text(text, length);
    int32_t format = pp_file_format(body), lines = 1;
    if (format != PP_FORMAT_TORCH) return pp_records_bytes(body, format);
    size_t cells = 1;
    for (int32_t i = 0; i < body.length; i++) {
        char c = body.begin[i];
        cells += c == ',' || c == ';' || c == '\t' || c == '\n' || c == '\r';
        lines += c == '\n' || c == '\r';
    }
    return pp_table_room(lines < PP_MAX_RANKS ? lines : PP_MAX_RANKS, cells, 0);
}

/* What stands between cells: PyTorch writes ','; a table without one may have come through a spreadsheet. */
static char cell_separator(pp_text text) {
    if (memchr(text.begin, ',', (size_t)text.length) != NULL) return ',';
    if (memchr(text.begin, '\t', (size_t)text.length) != NULL) return '\t';
    return ';';
}

/* Where the cell that begins at `at` ends. In a group ';' stands between its actions. */
static int32_t cell_end(pp_text line, int32_t at, char separator) {
    for (int inside = 0; at < line.length; at++) {
        if (line.begin[at] == separator && !inside) return at;
        inside = separator == ';' && (line.begin[at] == '(' || (inside && line.begin[at] != ')'));
    }
    return at;
}

static int32_t torch_parse(pp_text text, int32_t letters, void *memory, pp_fault *fault) {
    pp_table *table = memory;
    int32_t lines = 1, at = 0, kept = 0;
    const char separator = text.length > 0 ? cell_separator(text) : ',';
    for (int32_t i = 0; i < text.length; i++) lines += text.begin[i] == '\n' || text.begin[i] == '\r';
    pp_table_place(memory, PP_FORMAT_TORCH, lines < PP_MAX_RANKS ? lines : PP_MAX_RANKS, 0, 0);
    table->ranks = 0;
    table->row_begin[0] = 0;
    while (at < text.length) {
        pp_text line = {text.begin + at, pp_line_end(text, at) - at};
        at += line.length + 1;
        if (table->ranks == PP_MAX_RANKS) {
            if (trim(line).length == 0) continue;
            return pp_refuse_text(PP_ERR_TOO_LARGE, table->ranks, 0, trim(line), fault);
        }
        if (trim(line).length > 0) {
            for (int32_t from = 0, column = 0; from <= line.length; column++) {
                pp_text cell = {line.begin + from, cell_end(line, from, separator) - from};
                int32_t status = cell_read(cell, letters, table);
                if (status == PP_OK && table->cell_count > PP_MAX_ACTIONS) status = PP_ERR_TOO_LARGE;
                if (status != PP_OK) return refuse_cell(status, table->ranks, column, cell, fault);
                from += cell.length + 1;
            }
            kept = table->ranks + 1;
        }
        table->row_begin[++table->ranks] = table->cell_count;
    }
    table->ranks = kept; /* empty lines at the end are no ranks */
    if (kept > 0) return PP_OK;
    pp_fault scratch;
    pp_fault_start(fault, &scratch, PP_ERR_EMPTY);
    return PP_ERR_EMPTY;
}

int32_t pp_table_parse(const char *text, int32_t length, int32_t letters, void *memory, size_t bytes, pp_fault *fault) {
    pp_fault scratch;
    assert(memory != NULL && ((uintptr_t)memory & 7) == 0);
    if (bytes < pp_table_parse_bytes(text, length)) {
        pp_fault_start(fault, &scratch, PP_ERR_CAPACITY);
        return PP_ERR_CAPACITY;
    }
    pp_text body = pp_file_text(text, length);
    int32_t format = pp_file_format(body);
    if (format == PP_FORMAT_TORCH) return torch_parse(body, letters, memory, fault);
    return pp_records_parse(body, format, memory, fault);
}

/* ---- writing ---- */

typedef struct sink {
    char *out;
    int64_t capacity, length;
} sink;

static void put(sink *s, const char *text) {
    for (; *text != 0; text++, s->length++)
        if (s->length < s->capacity - 1) s->out[s->length] = *text;
}

static void put_digits(sink *s, int32_t value) {
    char digits[12];
    int n = 11;
    digits[n] = 0;
    do digits[--n] = (char)('0' + value % 10);
    while ((value /= 10) != 0);
    put(s, digits + n);
}

static void put_cell(sink *s, const pp_action *cell, int32_t letters) {
    put_digits(s, cell->stage);
    put(s, letters_of(cell->op, letters));
    if (cell->microbatch >= 0) put_digits(s, cell->microbatch);
}

int32_t pp_table_print(const pp_table *table, int32_t letters, char *out, int32_t capacity) {
    sink s = {out, capacity, 0};
    assert(table->format == PP_FORMAT_TORCH);
    for (int32_t r = 0; r < table->ranks; r++) {
        /* An empty line at the end would be no rank when the table is read back. */
        if (r == table->ranks - 1 && table->row_begin[r] == table->row_begin[r + 1]) put(&s, ",");
        for (int32_t i = table->row_begin[r]; i < table->row_begin[r + 1]; i++) {
            const pp_action *cell = &table->cells[i];
            if (i > table->row_begin[r]) put(&s, ",");
            if (cell->op == PP_BLANK) {
                for (int32_t n = 1; n < cell->microbatch; n++) put(&s, ",");
                continue;
            }
            if (!cell->fused) {
                put_cell(&s, cell, letters);
                continue;
            }
            put(&s, "(");
            for (; cell->fused; cell++, i++) {
                put_cell(&s, cell, letters);
                put(&s, ";");
            }
            put_cell(&s, cell, letters);
            put(&s, ")OVERLAP_F_B");
        }
        put(&s, "\n");
    }
    if (capacity > 0) out[s.length < capacity - 1 ? s.length : capacity - 1] = 0;
    return s.length < INT32_MAX ? (int32_t)s.length : -1;
}
