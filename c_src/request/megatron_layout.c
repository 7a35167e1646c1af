/* Megatron's layout strings (--pipeline-model-parallel-layout): "Et*3|(tt|)*29,m|L". The letters: E embedding, t a layer,
 * m a layer for predicting further tokens, L head and loss; '|' ends a stage, "*N" repeats the letter, the bar or the
 * (group) before it, commas and blanks mean nothing. Stages come in forward order, which for several chunks is Megatron's
 * order, too: all ranks of the first chunk, then all of the second.
 * Narrower than Megatron's: a group has to be repeated, a repetition is at least once. Kept of its rules: E first and once,
 * L last and once, no t behind an m; a stage may be empty. Not kept: where m may stand.
 * Source: Megatron Core, pipeline_parallel_layer_layout.py, and its user guide, "Custom Pipeline Model Parallel Layout". */
#include "core/fault.h"
#include "core/number.h"
#include "request/partition.h"
#include "schedules/schedule.h"

typedef struct reader {
    const char *text;
    int32_t length, at;
    int32_t *sizes;
    pp_layout layout;
    char last; /* the letter before, 0 at the start */
} reader;

static int is_skipped(char c) { return c == ',' || c == ' ' || c == '\t'; }

/* Takes one letter or bar; 0 where it may not stand. */
static int take(reader *r, char c) {
    pp_layout *layout = &r->layout;
    if (c == '|') {
        if (layout->stages >= PP_MAX_STAGES) return 0;
        if (r->sizes != NULL) r->sizes[layout->stages] = 0;
        layout->stages++;
        return 1;
    }
    if ((c == 'E') != (r->last == 0) || r->last == 'L' || (c == 't' && r->last == 'm')) return 0;
    if (c == 'E') layout->embedding_stage = layout->stages - 1;
    if (c == 'L') layout->head_stage = layout->stages - 1;
    if (c == 't' || c == 'm') {
        if (layout->layers >= PP_MAX_LAYERS) return 0;
        layout->layers++;
        if (r->sizes != NULL) r->sizes[layout->stages - 1]++;
    }
    r->last = c;
    return 1;
}

/* "*N" at r->at: N, or 1 where there is no star; 0 where the star has no number behind it. */
static int32_t times(reader *r) {
    if (r->at >= r->length || r->text[r->at] != '*') return 1;
    int32_t n = 0;
    for (r->at++; r->at < r->length && r->text[r->at] >= '0' && r->text[r->at] <= '9'; r->at++)
        if (n <= PP_MAX_LAYERS) n = n * 10 + (r->text[r->at] - '0');
    return n;
}

/* A letter or bar with its repetition. */
static int take_item(reader *r) {
    char c = r->text[r->at];
    if (c != 'E' && c != 't' && c != 'm' && c != 'L' && c != '|') return 0;
    int32_t begin = r->at++, n = times(r), end = r->at;
    r->at = begin; /* a fault lies where the letter stands */
    for (int32_t i = 0; i < n; i++)
        if (!take(r, c)) return 0;
    if (n > 0) r->at = end;
    return n > 0;
}

/* Items up to `end`, groups not among them. */
static int take_items(reader *r, int32_t end) {
    while (r->at < end) {
        if (is_skipped(r->text[r->at]))
            r->at++;
        else if (!take_item(r))
            return 0;
    }
    return 1;
}

static int take_group(reader *r) {
    int32_t open = r->at, close = open + 1;
    while (close < r->length && r->text[close] != ')') close++;
    if (close + 1 >= r->length || r->text[close + 1] != '*') return 0;
    r->at = close + 1;
    int32_t n = times(r), end = r->at, items = 0;
    for (int32_t i = open + 1; i < close; i++) items += !is_skipped(r->text[i]);
    if (n == 0 || items == 0) {
        r->at = open;
        return 0;
    }
    for (int32_t i = 0; i < n; i++) {
        r->at = open + 1;
        if (!take_items(r, close)) return 0;
    }
    r->at = end;
    return 1;
}

int32_t pp_layout_read(pp_text text, int32_t *sizes, pp_layout *layout, pp_fault *fault) {
    pp_fault scratch;
    reader r = {.text = text.begin, .length = text.length, .sizes = sizes};
    int ok = take(&r, '|'); /* the first stage */
    while (ok && r.at < r.length) {
        if (is_skipped(r.text[r.at]))
            r.at++;
        else
            ok = r.text[r.at] == '(' ? take_group(&r) : take_item(&r);
    }
    *layout = r.layout;
    if (ok && r.last == 'L' && r.layout.layers > 0) return PP_OK;
    fault = pp_fault_start(fault, &scratch, PP_ERR_LAYOUT);
    fault->option = PP_OPT_LAYOUT;
    fault->a = r.at + 1;
    pp_fault_seen(fault, text.begin, text.length);
    return PP_ERR_LAYOUT;
}
