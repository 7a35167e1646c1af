/* Reading a trace: Chrome's "Trace Event Format", JSON Array or Object Format, as Perfetto opens it and PyTorch's profiler and
 * `--format trace` write it. An event counts if it is complete ("ph": "X") and named after an action: "2F0", or as PyTorch's
 * pipelining calls it for its profiler, "PP:2F0" (schedules that hold several stages on a rank), "Forward 0" and "Backward 0"
 * (one stage on each rank, whose number is that of the rank). Times are microseconds; the earliest of the step becomes 0.
 *
 * Which rank an event is of: where all stand in one process, each thread is a rank; where they stand in several, each process
 * is, unless two processes have the same action, which makes them two schedules, of which the first is read. Ranks are in the
 * order of the numbers of their processes or threads. Where the profiler has told the same annotation for the host and for the
 * device, the device's times count.
 *
 * Several steps in one trace have each action as often. The last step is taken: the first ones warm up. */
#include <math.h>
#include <string.h>

#include "core/number.h"
#include "files/records.h"

/* A stage that is that of the rank, and not told. */
enum { OWN_STAGE = UINT16_MAX };

/* ---- events ---- */

typedef struct event {
    pp_text name;
    double process, thread, begin, length;
    int32_t slice;
    int complete, on_device;
} event;

static int digits(pp_text text, int32_t *at, int32_t limit, int32_t *value) {
    int32_t begin = *at, sum = 0;
    for (; *at < text.length && text.begin[*at] >= '0' && text.begin[*at] <= '9'; ++*at) {
        if (sum >= limit) return 0;
        sum = sum * 10 + (text.begin[*at] - '0');
    }
    *value = sum;
    return *at > begin && sum < limit;
}

static int begins(pp_text text, const char *word) {
    int32_t length = (int32_t)strlen(word);
    return text.length > length && memcmp(text.begin, word, (size_t)length) == 0;
}

/* The action that a name tells. */
static int action_of(pp_text name, pp_record *out) {
    static const char forward[] = "Forward ", backward[] = "Backward ", prefix[] = "PP:";
    int32_t at = 0, stage, microbatch, op = -1;
    if (begins(name, forward) || begins(name, backward)) {
        op = begins(name, forward) ? PP_F : PP_B;
        at = (int32_t)(op == PP_F ? sizeof forward : sizeof backward) - 1;
        stage = OWN_STAGE;
    } else {
        if (begins(name, prefix)) at = (int32_t)sizeof prefix - 1;
        if (!digits(name, &at, PP_MAX_STAGES, &stage) || at == name.length) return 0;
        for (int32_t o = 0; o < PP_OP_COUNT; o++)
            if (name.begin[at] == pp_op_name(o)[0]) op = o;
        at++;
    }
    if (op < 0 || !digits(name, &at, PP_MAX_MICROBATCHES, &microbatch) || at != name.length) return 0;
    out->stage = (uint16_t)stage;
    out->op = (uint8_t)op;
    out->microbatch = microbatch;
    return 1;
}

/* A number, or 0 for a value that is none: processes and threads may be called by words, too. */
static int number_or_none(pp_json *json, double *value) {
    pp_text text;
    *value = 0;
    return pp_json_number(json, &text, value) || pp_json_string(json, &text) || pp_json_skip(json);
}

static int args_read(pp_json *json, event *e) {
    int first = 1, more;
    pp_text key;
    double value;
    if (pp_json_peek(json) != '{') return pp_json_skip(json);
    pp_json_enter(json, '{');
    while ((more = pp_json_member(json, &first, &key)) == 1) {
        if (!pp_name_equal(key, "slice")) {
            if (!pp_json_skip(json)) return 0;
            continue;
        }
        if (!number_or_none(json, &value)) return 0;
        if (value >= 0 && value < PP_MAX_SLICES && value == floor(value)) e->slice = (int32_t)value;
    }
    return more == 0;
}

static int is(pp_text text, const char *word) {
    return text.length == (int32_t)strlen(word) && memcmp(text.begin, word, (size_t)text.length) == 0;
}

/* 1 if it was one. */
static int event_read(pp_json *json, event *e) {
    int first = 1, more, good = 1;
    pp_text key, text;
    memset(e, 0, sizeof *e);
    if (!pp_json_enter(json, '{')) return 0;
    while (good && (more = pp_json_member(json, &first, &key)) == 1) {
        if (is(key, "ph") || is(key, "name") || is(key, "cat")) {
            if (!pp_json_string(json, &text)) {
                good = pp_json_skip(json);
                continue;
            }
            if (is(key, "ph")) e->complete = is(text, "X");
            if (is(key, "name")) e->name = text;
            if (is(key, "cat")) e->on_device = is(text, "gpu_user_annotation");
        } else if (is(key, "pid")) {
            good = number_or_none(json, &e->process);
        } else if (is(key, "tid")) {
            good = number_or_none(json, &e->thread);
        } else if (is(key, "ts")) {
            good = number_or_none(json, &e->begin);
        } else if (is(key, "dur")) {
            good = number_or_none(json, &e->length);
        } else if (is(key, "args")) {
            good = args_read(json, e);
        } else {
            good = pp_json_skip(json);
        }
    }
    return good && more == 0;
}

static int32_t clamped(double number) {
    return number < 0 || number != floor(number) ? 0 : number < INT32_MAX ? (int32_t)number : INT32_MAX;
}

int pp_is_trace(pp_json json) {
    int first = 1, first_member = 1;
    pp_text key;
    if (!pp_json_enter(&json, '[') || pp_json_element(&json, &first) != 1 || !pp_json_enter(&json, '{')) return 0;
    while (pp_json_member(&json, &first_member, &key) == 1) {
        if (is(key, "ph")) return 1;
        if (!pp_json_skip(&json)) return 0;
    }
    return 0;
}

/* ---- whose they are, and of which step ---- */

/* index: the process, rank: the thread, until ranks are told. */
static int by_place(const void *records, int32_t a, int32_t b) {
    const pp_record *x = (const pp_record *)records + a, *y = (const pp_record *)records + b;
    return x->index != y->index ? x->index < y->index : x->rank <= y->rank;
}

static int compare_actions(const pp_record *x, const pp_record *y) {
    if (x->stage != y->stage) return x->stage < y->stage ? -1 : 1;
    if (x->op != y->op) return x->op < y->op ? -1 : 1;
    if (x->microbatch != y->microbatch) return x->microbatch < y->microbatch ? -1 : 1;
    return x->slice < y->slice ? -1 : x->slice > y->slice;
}

/* The same action together, in the order of processes, and of time in each. */
static int by_action(const void *records, int32_t a, int32_t b) {
    const pp_record *x = (const pp_record *)records + a, *y = (const pp_record *)records + b;
    int order = compare_actions(x, y);
    if (order != 0) return order < 0;
    return x->index != y->index ? x->index < y->index : x->start <= y->start;
}

/* The same by rank. */
static int by_rank(const void *records, int32_t a, int32_t b) {
    const pp_record *x = (const pp_record *)records + a, *y = (const pp_record *)records + b;
    if (x->rank != y->rank) return x->rank < y->rank;
    int order = compare_actions(x, y);
    return order != 0 ? order < 0 : x->start <= y->start;
}

/* Tells ranks, and drops what is of another schedule. */
static int32_t ranks_of(pp_records *r) {
    pp_record *records = r->records;
    int32_t several = 0, twice = 0, count = 0, rank = -1;
    const int32_t *order = pp_records_sort(by_action, records, r->count, r->order, r->other);
    for (int32_t i = 1; i < r->count; i++) {
        const pp_record *x = &records[order[i - 1]], *y = &records[order[i]];
        several |= records[i].index != records[0].index;
        twice |= x->stage != OWN_STAGE && compare_actions(x, y) == 0 && x->index != y->index;
    }
    order = pp_records_sort(by_place, records, r->count, r->order, r->other);
    const int32_t first = records[order[0]].index;
    const int by_process = several && !twice;
    int32_t *of = order == r->order ? r->other : r->order; /* the rank of each record */
    for (int32_t i = 0; i < r->count; i++) {
        const pp_record *x = &records[order[i]], *last = i > 0 ? &records[order[i - 1]] : NULL;
        int same = last != NULL && last->index == x->index && (by_process || last->rank == x->rank);
        if (!same && ++rank == PP_MAX_RANKS) return pp_record_refuse(r, x, PP_RECORD_WHOLE, PP_MAX_RANKS - 1, "rank");
        of[order[i]] = x->index == first || by_process ? rank : -1;
    }
    for (int32_t i = 0; i < r->count; i++) {
        if (of[i] < 0) continue;
        records[count] = records[i];
        records[count].rank = of[i];
        records[count].index = 0;
        if (records[count].stage == OWN_STAGE) records[count].stage = (uint16_t)of[i];
        count++;
    }
    r->count = count;
    return PP_OK;
}

/* Keeps the last step. */
static int32_t last_step(pp_records *r) {
    pp_record *records = r->records;
    const int32_t *order = pp_records_sort(by_rank, records, r->count, r->order, r->other);
    int32_t *keeps = order == r->order ? r->other : r->order, count = 0;
    double least = INFINITY;
    for (int32_t from = 0, next; from < r->count; from = next) {
        const pp_record *x = &records[order[from]];
        for (next = from + 1; next < r->count; next++) {
            const pp_record *y = &records[order[next]];
            if (x->rank != y->rank || compare_actions(x, y) != 0) break;
        }
        for (int32_t i = from; i < next; i++) keeps[order[i]] = i == next - 1;
        if (r->steps == 0) r->steps = next - from;
        if (next - from != r->steps) return pp_record_refuse(r, x, PP_RECORD_STEPS, r->steps, "");
    }
    for (int32_t i = 0; i < r->count; i++)
        if (keeps[i]) records[count++] = records[i], least = fmin(least, records[i].start);
    r->count = count;
    for (int32_t i = 0; i < count; i++) records[i].start -= least, records[i].finish -= least;
    return PP_OK;
}

int32_t pp_trace_records(pp_records *r, pp_json *json) {
    int first = 1, more, sliced = 0, on_device = 0;
    int32_t count = 0;
    double begin = 0;
    if (!pp_json_enter(json, '[')) return pp_record_refuse_json(r, json);
    while ((more = pp_json_element(json, &first)) == 1) {
        pp_record *record = &r->records[r->count];
        event e;
        memset(record, 0, sizeof *record);
        pp_record_locate(r, json->text + json->at, record);
        if (!event_read(json, &e)) return pp_record_refuse_json(r, json);
        if (!e.complete || !action_of(e.name, record)) continue;
        /* From the first one on: of a clock that counts from 1970 a sum would lose what is below a microsecond. */
        if (r->count == 0) begin = e.begin;
        record->start = e.begin - begin;
        record->finish = record->start + e.length;
        record->rank = clamped(e.thread);
        record->index = clamped(e.process);
        record->slice = e.slice;
        record->given = (uint8_t)e.on_device; /* until all are read */
        sliced |= e.slice > 0;
        on_device |= e.on_device;
        r->count++;
    }
    if (more != 0) return pp_record_refuse_json(r, json);
    for (int32_t i = 0; i < r->count; i++)
        if (r->records[i].given == on_device) r->records[count++] = r->records[i];
    r->count = count;
    if (count == 0) return PP_OK; /* which is refused as an empty file */
    int32_t status = ranks_of(r);
    if (status == PP_OK) status = last_step(r);
    if (status != PP_OK) return status;
    const int given = 1 << PP_FIELD_RANK | 1 << PP_FIELD_OP | 1 << PP_FIELD_STAGE | 1 << PP_FIELD_MICROBATCH |
                      1 << PP_FIELD_START | 1 << PP_FIELD_FINISH | sliced << PP_FIELD_SLICE;
    for (int32_t i = 0; i < r->count; i++) r->records[i].given = (uint8_t)given;
    return PP_OK;
}
