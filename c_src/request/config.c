/* Requests: the one place where anything a user typed is read. Alone first (is it a number, is it in range), then
 * together (does this schedule accept it), and only then is anything sized. */
#include "request/config.h"

#include <math.h>
#include <string.h>

#include "core/fault.h"
#include "core/number.h"
#include "request/partition.h"
#include "schedules/schedule.h"

enum { NAME_LIMIT = 40 };

static const struct {
    const char *name;
    char letter, kind;
    int32_t min, max; /* kinds N and M only */
} option_table[PP_OPT_COUNT] = {
#define OPTION_ROW(id, name, letter, kind) [id] = {name, letter, kind, 1, 0},
    PP_OPTIONS(OPTION_ROW)
#undef OPTION_ROW
};

static const char *const dialects[] = {"megatron", "pytorch", "free", ""};
static const char *const backward_orders[] = {"ascending", "descending", ""};
static const char *const recomputes[] = {"none", "late", "early", "late-except-last", "early-except-last", ""};
static const char *const placements[] = {"loop", "v", ""};
static const char *const transfers[] = {"overlap", "sender", "rendezvous", ""};
static const char *const costs_ofs[] = {"chunk", "device", "batch", ""};
static const char *const partitions[] = {"cost", "equal", "makespan", ""};
static const char *const reduce_whens[] = {"beside", "behind", ""};
static const char *const optimizer_waits[] = {"own", "all", ""};

/* ---- names ---- */

static int name_char(const char **at, const char *end) {
    while (*at < end && (**at == '-' || **at == '_' || **at == ' ')) ++*at;
    if (*at >= end) return 0;
    char c = *(*at)++;
    return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : (unsigned char)c;
}

int pp_name_equal(pp_text text, const char *name) {
    const char *a = text.begin, *a_end = text.begin + text.length;
    const char *b = name, *b_end = name + strlen(name);
    int c;
    do {
        c = name_char(&a, a_end);
        if (c != name_char(&b, b_end)) return 0;
    } while (c != 0);
    return 1;
}

/* Edit distance (Wagner and Fischer 1974) with one row. */
int32_t pp_name_distance(pp_text text, const char *name) {
    int x[NAME_LIMIT], y[NAME_LIMIT], nx = 0, ny = 0, c;
    const char *a = text.begin, *b = name;
    while ((c = name_char(&a, text.begin + text.length)) != 0) {
        if (nx == NAME_LIMIT) return 1000;
        x[nx++] = c;
    }
    while ((c = name_char(&b, name + strlen(name))) != 0) {
        if (ny == NAME_LIMIT) return 1000;
        y[ny++] = c;
    }
    int32_t row[NAME_LIMIT + 1];
    for (int j = 0; j <= ny; j++) row[j] = j;
    for (int i = 1; i <= nx; i++) {
        int32_t diagonal = row[0];
        row[0] = i;
        for (int j = 1; j <= ny; j++) {
            int32_t up = row[j], best = diagonal + (x[i - 1] != y[j - 1]);
            if (up + 1 < best) best = up + 1;
            if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
            row[j] = best;
            diagonal = up;
        }
    }
    return row[ny];
}

/* ---- lines ---- */

static pp_text trim(const char *begin, const char *end) {
    while (begin < end && (*begin == ' ' || *begin == '\t' || *begin == '\r')) begin++;
    while (end > begin && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) end--;
    return (pp_text){begin, (int32_t)(end - begin)};
}

int pp_line_next(const char *text, int32_t length, int32_t *at, pp_text *name, pp_text *value) {
    while (*at < length) {
        const char *begin = text + *at, *end = begin, *equals = NULL;
        for (; end < text + length && *end != '\n'; end++)
            if (*end == '=' && equals == NULL) equals = end;
        *at = (int32_t)(end - text) + 1;
        *name = trim(begin, equals != NULL ? equals : end);
        *value = equals != NULL ? trim(equals + 1, end) : (pp_text){end, 0};
        if (name->length > 0 || value->length > 0) return 1;
    }
    return 0;
}

/* The option a name or letter means, -1 for none. */
static int32_t option_of(pp_text name) {
    for (int32_t o = 0; o < PP_OPT_COUNT; o++) {
        if (pp_name_equal(name, option_table[o].name)) return o;
        if (name.length == 1 && option_table[o].letter != 0 && name.begin[0] == option_table[o].letter) return o;
    }
    return -1;
}

/* ---- options, for callers ---- */

int32_t pp_option_count(void) { return PP_OPT_COUNT; }

static int option_valid(int32_t o) { return o >= 0 && o < PP_OPT_COUNT; }

const char *pp_option_name(int32_t option) { return option_valid(option) ? option_table[option].name : ""; }
int32_t pp_option_letter(int32_t option) { return option_valid(option) ? option_table[option].letter : 0; }
int32_t pp_option_kind(int32_t option) { return option_valid(option) ? option_table[option].kind : 0; }

const char *pp_option_value_name(int32_t option, int32_t value) {
    const char *const *names;
    switch (option) {
    case PP_OPT_SCHEDULE: return pp_schedule_name(value);
    case PP_OPT_PARTITION: names = partitions; break;
    case PP_OPT_REDUCE_WHEN: names = reduce_whens; break;
    case PP_OPT_OPTIMIZER_WAITS: names = optimizer_waits; break;
    case PP_OPT_DIALECT: names = dialects; break;
    case PP_OPT_BACKWARD_ORDER: names = backward_orders; break;
    case PP_OPT_RECOMPUTE: names = recomputes; break;
    case PP_OPT_TRANSFER: names = transfers; break;
    case PP_OPT_PLACEMENT: names = placements; break;
    case PP_OPT_COSTS_OF: names = costs_ofs; break;
    default: return "";
    }
    for (int32_t i = 0; names[i][0] != 0; i++)
        if (i == value) return names[i];
    return "";
}

int32_t pp_option_min(int32_t option) {
    switch (option) {
    case PP_OPT_EXTRA_WARMUP:
    case PP_OPT_MEMORY_LIMIT:
    case PP_OPT_FAIL_RANK:
    case PP_OPT_FAIL_STEP: return 0;
    default: return 1;
    }
}

int32_t pp_option_max(int32_t option) {
    switch (option) {
    case PP_OPT_RANKS: return PP_MAX_RANKS;
    case PP_OPT_GLOBAL_BATCH: return PP_MAX_BATCH;
    case PP_OPT_MICROBATCH_SIZE: return PP_MAX_MICROBATCH_SIZE;
    case PP_OPT_FAIL_RANK: return PP_MAX_RANKS - 1;
    case PP_OPT_FAIL_STEP:
    case PP_OPT_CHECKPOINT_EVERY:
    case PP_OPT_HORIZON: return PP_MAX_STEPS;
    case PP_OPT_MICROBATCHES: return PP_MAX_MICROBATCHES;
    case PP_OPT_CHUNKS: return PP_MAX_CHUNKS;
    case PP_OPT_GROUP: return PP_MAX_MICROBATCHES;
    case PP_OPT_PIPES: return PP_MAX_RANKS;
    case PP_OPT_SLICES: return PP_MAX_SLICES;
    case PP_OPT_MEMORY_LIMIT: return PP_MAX_MICROBATCHES;
    case PP_OPT_EXTRA_WARMUP: return PP_MAX_MICROBATCHES;
    case PP_OPT_WARMUP_FACTOR: return 2;
    default: return 0;
    }
}

int32_t pp_config_bytes(void) { return (int32_t)sizeof(pp_config); }

static const char *const config_names[] = {
#define CONFIG_NAME(field) #field,
    PP_CONFIG_FIELDS(CONFIG_NAME)
#undef CONFIG_NAME
};

int32_t pp_config_field_count(void) { return (int32_t)(sizeof config_names / sizeof config_names[0]); }

const char *pp_config_field_name(int32_t field) {
    return field >= 0 && field < pp_config_field_count() ? config_names[field] : "";
}

const char *pp_any_option_name(int32_t option) {
    return option < PP_OPT_COUNT   ? pp_option_name(option)
           : option < PP_TRAIN_END ? pp_training_option_name(option)
                                   : pp_file_option_name(option);
}

const char *pp_any_value_name(int32_t option, int32_t value) {
    return option < PP_OPT_COUNT   ? pp_option_value_name(option, value)
           : option < PP_TRAIN_END ? pp_training_option_value_name(option, value)
                                   : pp_file_option_value_name(option, value);
}

/* ---- scalars ---- */

int32_t pp_whole_read(pp_text text, int32_t option, int32_t min, int32_t max, int32_t *value, pp_fault *fault) {
    pp_fault scratch;
    double number;
    int32_t used = pp_number_read(text.begin, text.length, 1, &number), status = PP_OK;
    if (used == 0 || used != text.length || isnan(number))
        status = PP_ERR_NOT_A_NUMBER;
    else if (number < min || number > max)
        status = PP_ERR_RANGE;
    else if (number != (double)(int32_t)number)
        status = PP_ERR_NOT_WHOLE;
    if (status == PP_OK) {
        *value = (int32_t)number;
        return PP_OK;
    }
    fault = pp_fault_start(fault, &scratch, status);
    fault->option = option;
    fault->a = min;
    fault->b = max;
    pp_fault_seen(fault, text.begin, text.length);
    if (status == PP_ERR_RANGE) pp_fault_fix_number(fault, option, number < min ? min : max);
    if (status == PP_ERR_NOT_WHOLE) pp_fault_fix_number(fault, option, (double)(int32_t)(number + 0.5));
    return status;
}

int32_t pp_name_read(pp_text text, int32_t option, int32_t *value, pp_fault *fault) {
    pp_fault scratch;
    int32_t nearest = 0, least = 1000;
    const char *name;
    for (int32_t i = 0; (name = pp_any_value_name(option, i))[0] != 0; i++) {
        if (pp_name_equal(text, name)) {
            *value = i;
            return PP_OK;
        }
        int32_t distance = pp_name_distance(text, name);
        /* "interlaeved1f1b": what goes on after a name costs less than what is wrong in it */
        pp_text head = {text.begin, text.length < (int32_t)strlen(name) ? text.length : (int32_t)strlen(name)};
        int32_t head_distance = strlen(name) < 4 ? 1000 : pp_name_distance(head, name) + 1;
        if (head_distance < distance) distance = head_distance;
        if (distance < least) {
            least = distance;
            nearest = i;
        }
    }
    fault = pp_fault_start(fault, &scratch, PP_ERR_NAME_UNKNOWN);
    fault->option = option;
    pp_fault_seen(fault, text.begin, text.length);
    pp_fault_fix_text(fault, option, pp_any_value_name(option, nearest));
    return PP_ERR_NAME_UNKNOWN;
}

/* "3" micro-batches, or "2p" for twice the number of ranks. */
static int32_t limit_read(pp_text text, int32_t ranks, int32_t *value, pp_fault *fault) {
    pp_text number = text;
    int32_t factor = 1;
    if (text.length > 1 && (text.begin[text.length - 1] == 'p' || text.begin[text.length - 1] == 'P')) {
        number.length--;
        factor = ranks;
    }
    int32_t status = pp_whole_read(number, PP_OPT_MEMORY_LIMIT, 1, PP_MAX_MICROBATCHES / factor, value, fault);
    if (status == PP_OK) *value *= factor;
    return status;
}

/* The schedule whose name a user most likely wants where one rank must hold several stages. */
static int32_t refuse_chunks(const pp_config *config, const pp_generator *row, pp_fault *fault) {
    pp_fault scratch;
    fault = pp_fault_start(fault, &scratch, PP_ERR_CHUNKS);
    fault->option = PP_OPT_CHUNKS;
    fault->schedule = config->schedule;
    fault->a = row->chunks_min;
    fault->b = row->chunks_max;
    fault->c = config->chunks;
    pp_fault_seen_number(fault, config->chunks);
    pp_fault_fix_number(fault, PP_OPT_CHUNKS, config->chunks < row->chunks_min ? row->chunks_min : row->chunks_max);
    if (row->chunks_max == 1 && row->trains) pp_fault_fix_text(fault, PP_OPT_SCHEDULE, "interleaved");
    return PP_ERR_CHUNKS;
}

int32_t pp_refuse_meaningless(const pp_config *config, int32_t option, pp_text seen, pp_fault *fault) {
    pp_fault scratch;
    fault = pp_fault_start(fault, &scratch, PP_ERR_OPTION_MEANINGLESS);
    fault->option = option;
    fault->schedule = config->schedule;
    pp_fault_seen(fault, seen.begin, seen.length);
    pp_fault_fix_text(fault, option, "");
    for (int32_t id = 0; id < pp_schedule_count() && config->schedule >= 0; id++) {
        if (pp_schedule_trains(id) && pp_schedule_option_used(id, option)) {
            pp_fault_fix_text(fault, PP_OPT_SCHEDULE, pp_schedule_name(id));
            break;
        }
    }
    return PP_ERR_OPTION_MEANINGLESS;
}

static int32_t check_size(const pp_config *config, const pp_generator *row, pp_fault *fault) {
    pp_fault scratch;
    if (row->action_count(config) <= PP_MAX_ACTIONS && config->stages <= PP_MAX_STAGES) return PP_OK;
    int64_t actions = row->action_count(config);
    fault = pp_fault_start(fault, &scratch, PP_ERR_TOO_LARGE);
    fault->schedule = config->schedule;
    if (config->stages > PP_MAX_STAGES) {
        fault->option = PP_OPT_CHUNKS;
        fault->a = PP_MAX_STAGES;
        pp_fault_seen_number(fault, config->chunks);
        pp_fault_fix_number(fault, PP_OPT_CHUNKS, PP_MAX_STAGES / config->ranks);
    } else {
        fault->option = PP_OPT_MICROBATCHES;
        fault->b = PP_MAX_ACTIONS;
        pp_fault_seen_number(fault, config->microbatches);
        int32_t fewer = (int32_t)((int64_t)config->microbatches * PP_MAX_ACTIONS / actions);
        if (fewer > config->ranks) fewer -= fewer % config->ranks; /* legal for schedules that divide m by p, too */
        pp_fault_fix_number(fault, PP_OPT_MICROBATCHES, fewer < 1 ? 1 : fewer);
    }
    return PP_ERR_TOO_LARGE;
}

/* A device that fails must be there, and the run must last until it does. */
static int32_t check_failure(const pp_text *given, pp_config *config, pp_fault *fault) {
    pp_fault scratch;
    int32_t option = -1;
    if (given[PP_OPT_FAIL_RANK].begin == NULL) config->fail_rank = given[PP_OPT_FAIL_TIME].begin != NULL ? 0 : -1;
    if (config->fail_rank >= config->ranks) option = PP_OPT_FAIL_RANK;
    if (config->horizon > 0 && config->fail_step >= config->horizon) option = PP_OPT_FAIL_STEP;
    if (option < 0) return PP_OK;
    fault = pp_fault_start(fault, &scratch, PP_ERR_RANGE);
    fault->option = option;
    fault->a = 0;
    fault->b = option == PP_OPT_FAIL_RANK ? config->ranks - 1 : config->horizon - 1;
    pp_fault_seen(fault, given[option].begin, given[option].length);
    pp_fault_fix_number(fault, option, fault->b);
    return PP_ERR_RANGE;
}

int32_t pp_given_read(const char *text, int32_t length, pp_text *given, pp_fault *fault) {
    pp_fault scratch;
    pp_text name, value;
    int32_t at = 0;
    for (int32_t o = 0; o < PP_OPT_COUNT; o++) given[o] = (pp_text){NULL, 0};
    while (pp_line_next(text, length, &at, &name, &value)) {
        int32_t option = option_of(name);
        if (option < 0) {
            int32_t nearest = 0;
            for (int32_t o = 1; o < PP_OPT_COUNT; o++)
                if (pp_name_distance(name, option_table[o].name) < pp_name_distance(name, option_table[nearest].name))
                    nearest = o;
            fault = pp_fault_start(fault, &scratch, PP_ERR_OPTION_UNKNOWN);
            pp_fault_seen(fault, name.begin, name.length);
            pp_fault_fix_text(fault, nearest, "");
            return PP_ERR_OPTION_UNKNOWN;
        }
        if (value.length == 0) continue;
        if (given[option].begin != NULL) {
            fault = pp_fault_start(fault, &scratch, PP_ERR_OPTION_TWICE);
            fault->option = option;
            pp_fault_seen(fault, value.begin, value.length);
            return PP_ERR_OPTION_TWICE;
        }
        given[option] = value;
    }
    return PP_OK;
}

int32_t pp_scalars_read(const pp_text *given, pp_config *config, pp_fault *fault) {
    const struct {
        int32_t option;
        int32_t *field;
    } scalars[] = {{PP_OPT_SCHEDULE, &config->schedule},
                   {PP_OPT_RANKS, &config->ranks},
                   {PP_OPT_MICROBATCHES, &config->microbatches},
                   {PP_OPT_GLOBAL_BATCH, &config->global_batch},
                   {PP_OPT_MICROBATCH_SIZE, &config->microbatch_size},
                   {PP_OPT_PARTITION, &config->partition},
                   {PP_OPT_REDUCE_WHEN, &config->reduce_when},
                   {PP_OPT_OPTIMIZER_WAITS, &config->optimizer_waits},
                   {PP_OPT_FAIL_RANK, &config->fail_rank},
                   {PP_OPT_FAIL_STEP, &config->fail_step},
                   {PP_OPT_CHECKPOINT_EVERY, &config->checkpoint_every},
                   {PP_OPT_HORIZON, &config->horizon},
                   {PP_OPT_CHUNKS, &config->chunks},
                   {PP_OPT_GROUP, &config->group},
                   {PP_OPT_DIALECT, &config->dialect},
                   {PP_OPT_BACKWARD_ORDER, &config->backward_order},
                   {PP_OPT_RECOMPUTE, &config->recompute},
                   {PP_OPT_TRANSFER, &config->transfer},
                   {PP_OPT_PIPES, &config->pipes},
                   {PP_OPT_SLICES, &config->slices},
                   {PP_OPT_MEMORY_LIMIT, &config->memory_limit},
                   {PP_OPT_EXTRA_WARMUP, &config->extra_warmup},
                   {PP_OPT_WARMUP_FACTOR, &config->warmup_factor},
                   {PP_OPT_PLACEMENT, &config->placement},
                   {PP_OPT_COSTS_OF, &config->costs_of}};
    for (size_t i = 0; i < sizeof scalars / sizeof scalars[0]; i++) {
        int32_t o = scalars[i].option, status;
        if (given[o].begin == NULL) continue;
        if (option_table[o].kind == 'E')
            status = pp_name_read(given[o], o, scalars[i].field, fault);
        else if (option_table[o].kind == 'M')
            status = limit_read(given[o], config->ranks, scalars[i].field, fault);
        else
            status = pp_whole_read(given[o], o, pp_option_min(o), pp_option_max(o), scalars[i].field, fault);
        if (status != PP_OK) return status;
    }
    return PP_OK;
}

int32_t pp_scalars_settle(const pp_text *given, pp_config *config, pp_fault *fault) {
    int32_t status = pp_batch_couple(given, config, fault);
    return status == PP_OK ? check_failure(given, config, fault) : status;
}

int32_t pp_config_parse(const char *text, int32_t length, pp_config *config, pp_fault *fault) {
    pp_text given[PP_OPT_COUNT];
    int32_t status = pp_given_read(text, length, given, fault);
    if (status != PP_OK) return status;
    *config = (pp_config){.schedule = 0, .ranks = 3, .microbatches = 4, .pipes = 2, .slices = 1, .warmup_factor = 2};
    status = pp_scalars_read(given, config, fault);
    if (status == PP_OK) status = pp_scalars_settle(given, config, fault);
    if (status != PP_OK) return status;

    const pp_generator *row = pp_generator_of(config->schedule);
    if (given[PP_OPT_CHUNKS].begin == NULL) config->chunks = row->chunks_default;
    if (given[PP_OPT_SLICES].begin == NULL && row->slices_default != 0) config->slices = row->slices_default;
    if (config->chunks < row->chunks_min || config->chunks > row->chunks_max) return refuse_chunks(config, row, fault);
    config->stages = pp_stage_count(config);
    for (int32_t o = 0; o < PP_OPT_COUNT; o++)
        if (given[o].begin != NULL && !pp_schedule_option_used(config->schedule, o))
            return pp_refuse_meaningless(config, o, given[o], fault);
    status = check_size(config, row, fault);
    if (status == PP_OK) status = pp_partition_shape(given, config, fault);
    if (status != PP_OK) return status;
    return row->legal != NULL ? row->legal(config, fault) : PP_OK;
}

/* ---- cost lists ---- */

int32_t pp_costs_bytes(const pp_config *config) {
    return PP_COST_ROWS * config->stages * (int32_t)sizeof(double) + pp_partition_bytes(config);
}

void pp_request_values(const char *text, int32_t length, pp_text *given) {
    pp_text name, value;
    int32_t at = 0;
    for (int32_t o = 0; o < PP_OPT_COUNT; o++) given[o] = (pp_text){NULL, 0};
    while (pp_line_next(text, length, &at, &name, &value)) {
        int32_t option = option_of(name);
        if (option >= 0 && value.length > 0) given[option] = value;
    }
}

typedef enum { SEPARATOR_COMMA, SEPARATOR_BLANK } separator;

static int is_blank(char c) { return c == ' ' || c == '\t' || c == ';' || c == '[' || c == ']'; }

/* Reads one number, and "*N" behind it, and steps over what separates it from the next. 0 at the end, -1 at a fault. */
static int list_next(pp_text text, separator by, int32_t *at, double *value, int32_t *times, pp_text *item) {
    while (*at < text.length && is_blank(text.begin[*at])) ++*at;
    if (*at >= text.length) return 0;
    int32_t used = pp_number_read(text.begin + *at, text.length - *at, by == SEPARATOR_BLANK, value);
    int clean = used > 0;
    *times = 1;
    item->begin = text.begin + *at;
    *at += used;
    if (clean && *at < text.length && text.begin[*at] == '*') {
        int32_t digits = 0;
        for (*times = 0, ++*at; *at < text.length && text.begin[*at] >= '0' && text.begin[*at] <= '9'; ++*at, digits++)
            if (*times <= PP_MAX_LAYERS) *times = *times * 10 + (text.begin[*at] - '0');
        clean = digits > 0 && *times > 0;
    }
    item->length = (int32_t)(text.begin + *at - item->begin);
    while (*at < text.length && is_blank(text.begin[*at])) ++*at;
    if (clean && *at < text.length && text.begin[*at] == ',' && by == SEPARATOR_COMMA) {
        ++*at;
        clean = *at < text.length; /* no comma after the last number */
    } else if (clean && *at < text.length && !is_blank(text.begin[*at - 1])) {
        clean = 0;
    }
    if (!clean) {
        while (item->begin + item->length < text.begin + text.length && !is_blank(item->begin[item->length]) &&
               item->begin[item->length] != ',')
            item->length++;
        return -1;
    }
    return 1;
}

/* Does a comma in this list separate, or is it the decimal mark of a Russian hand? The rule stands at pp_costs_parse. */
static separator separator_of(pp_text text, int32_t wanted) {
    int32_t commas = 0, points = 0, blanks_alone = 0;
    for (int32_t i = 0; i < text.length; i++) {
        char c = text.begin[i];
        commas += c == ',';
        points += c == '.';
        blanks_alone += c == ';' || (c == ' ' && i > 0 && text.begin[i - 1] != ',' && text.begin[i - 1] != ' ' &&
                                     i + 1 < text.length && text.begin[i + 1] != ',');
    }
    if (blanks_alone > 0) return points > 0 ? SEPARATOR_COMMA : SEPARATOR_BLANK;
    if (commas != 1 || points > 0) return SEPARATOR_COMMA;
    int32_t comma = 0;
    while (text.begin[comma] != ',') comma++;
    int tight = comma + 1 < text.length && text.begin[comma + 1] != ' ';
    int leading_zero = comma == 1 && text.begin[0] == '0';
    return tight && (wanted != 2 || leading_zero) ? SEPARATOR_BLANK : SEPARATOR_COMMA;
}

/* Largest value of a number of this option: a share is at most the whole. */
static double most_of(int32_t option) { return option == PP_OPT_KEPT_SHARE ? 1 : PP_MAX_COST; }

static int32_t refuse_number(int32_t status, int32_t option, int32_t stage, double value, pp_text seen,
                             pp_fault *fault) {
    pp_fault scratch;
    fault = pp_fault_start(fault, &scratch, status);
    fault->option = option;
    fault->stage = stage;
    pp_fault_seen(fault, seen.begin, seen.length);
    int positive = option == PP_OPT_MTBF && value <= 0; /* then none is nearest */
    if (status == PP_ERR_RANGE && !positive) pp_fault_fix_number(fault, option, value < 0 ? 0 : most_of(option));
    return status;
}

static int32_t amount_status(int32_t option, double value) {
    if (isnan(value)) return PP_ERR_NOT_A_NUMBER;
    return value < 0 || value > most_of(option) ? PP_ERR_RANGE : PP_OK;
}

int32_t pp_numbers_read(pp_text text, int32_t option, int32_t wanted, double *row, int32_t capacity, int32_t *count,
                        pp_fault *fault) {
    separator by = separator_of(text, wanted);
    int32_t at = 0, got, times;
    double value = 0;
    pp_text item = text;
    *count = 0;
    while ((got = list_next(text, by, &at, &value, &times, &item)) > 0) {
        int32_t status = amount_status(option, value);
        if (status != PP_OK) return refuse_number(status, option, *count, value, item, fault);
        for (int32_t n = 0; row != NULL && n < times && *count + n < capacity; n++) row[*count + n] = value;
        if (*count < INT32_MAX / 2) *count += times;
    }
    return got < 0 ? refuse_number(PP_ERR_NOT_A_NUMBER, option, *count, value, item, fault) : PP_OK;
}

int32_t pp_amount_read(pp_text text, int32_t option, double *value, pp_fault *fault) {
    int32_t used = pp_number_read(text.begin, text.length, 1, value);
    int32_t status = used == 0 || used != text.length ? PP_ERR_NOT_A_NUMBER : amount_status(option, *value);
    if (status == PP_OK && option == PP_OPT_MTBF && *value == 0) status = PP_ERR_RANGE;
    return status == PP_OK ? PP_OK : refuse_number(status, option, -1, *value, text, fault);
}

int32_t pp_list_read(pp_text text, int32_t option, int32_t stages, double *row, pp_fault *fault) {
    pp_fault scratch;
    int32_t count, status = pp_numbers_read(text, option, stages, row, stages, &count, fault);
    if (status != PP_OK) return status;
    /* hops are one fewer than stages, so both counts are right for what lies on hops */
    int on_hops = option == PP_OPT_LATENCY || option == PP_OPT_BYTES || option == PP_OPT_BANDWIDTH;
    int hops = on_hops && count == stages - 1 && stages > 2;
    if (count != 1 && count != stages && !hops) {
        fault = pp_fault_start(fault, &scratch, PP_ERR_LIST_LENGTH);
        fault->option = option;
        fault->a = stages;
        fault->b = count;
        pp_fault_seen(fault, text.begin, text.length);
        return PP_ERR_LIST_LENGTH;
    }
    if (row == NULL) return PP_OK;
    if (count == 1)
        for (int32_t s = 1; s < stages; s++) row[s] = row[0];
    if (hops) row[stages - 1] = 0;
    return PP_OK;
}

int32_t pp_costs_shared_by(const pp_config *config) {
    if (config->costs_of == PP_COSTS_OF_CHUNK) return 1;
    const int32_t parts = (config->layers > 0 ? 1 : config->chunks) * config->slices;
    return config->costs_of == PP_COSTS_OF_BATCH ? parts * config->microbatches : parts;
}

/* One list of costs, whoever's work it gives. text.begin NULL: row is filled with the standard. */
static int32_t work_read(pp_text text, int32_t option, const pp_config *config, double *row, pp_fault *fault) {
    const int32_t stages = config->stages, each = stages / config->ranks;
    double parts = pp_costs_shared_by(config);
    if (text.begin != NULL) {
        int32_t count = 0, status = PP_OK;
        if (config->costs_of != PP_COSTS_OF_CHUNK && each > 1 && config->layers == 0)
            status = pp_numbers_read(text, option, config->ranks, row, stages, &count, fault);
        if (status != PP_OK) return status;
        if (count == config->ranks && count > 1) {
            for (int32_t s = stages - 1; s >= 0; s--) row[s] = row[s / each];
        } else {
            status = pp_list_read(text, option, stages, row, fault);
            if (status != PP_OK) return status;
            if (count == stages) parts /= each; /* of chunks already */
        }
    }
    for (int32_t s = 0; s < stages; s++)
        if (row[s] > 0) row[s] /= parts; /* a negative one stands for what is not given */
    return PP_OK;
}

static int32_t split_backward(const pp_text *given, int32_t stages, double *input, double *weight, double *backward,
                              pp_fault *fault) {
    pp_fault scratch;
    int has_input = given[PP_OPT_INPUT_GRADIENT].begin != NULL,
        has_weight = given[PP_OPT_WEIGHT_GRADIENT].begin != NULL;
    int has_backward = given[PP_OPT_BACKWARD].begin != NULL;
    for (int32_t s = 0; s < stages; s++) {
        if (!has_backward) {
            backward[s] = input[s] + weight[s];
            continue;
        }
        if (!has_input && !has_weight) input[s] = weight[s] = backward[s] / 2;
        if (has_input && !has_weight) weight[s] = backward[s] - input[s];
        if (!has_input && has_weight) input[s] = backward[s] - weight[s];
        double sum = input[s] + weight[s], gap = sum - backward[s];
        if (input[s] < 0 || weight[s] < 0 || gap > 1e-9 * sum || gap < -1e-9 * sum) {
            fault = pp_fault_start(fault, &scratch, PP_ERR_COST_SPLIT);
            fault->option = PP_OPT_BACKWARD;
            fault->stage = s;
            pp_fault_seen_number(fault, backward[s]);
            double least = backward[0]; /* a half of it can be as much at every stage */
            int alike = 1;
            for (int32_t t = 0; t < stages; t++) {
                if (backward[t] < least) least = backward[t];
                alike &= input[t] + weight[t] == sum;
            }
            if (has_input && has_weight && !alike) /* no one number is the sum of all */
                pp_fault_fix_text(fault, PP_OPT_BACKWARD, "");
            else if (has_input && has_weight)
                pp_fault_fix_number(fault, PP_OPT_BACKWARD, sum);
            else
                pp_fault_fix_number(fault, has_input ? PP_OPT_INPUT_GRADIENT : PP_OPT_WEIGHT_GRADIENT, least);
            return PP_ERR_COST_SPLIT;
        }
        backward[s] = sum;
    }
    return PP_OK;
}

/* What other functions read: a request is refused as a whole, not when somebody asks for its memory. */
static int32_t check_amounts(const pp_text *given, int32_t stages, pp_fault *fault) {
    int32_t status = PP_OK;
    double value;
    for (int32_t o = PP_OPT_LATENCY + 1; o < PP_OPT_COUNT && status == PP_OK; o++) {
        if (given[o].begin == NULL) continue;
        if (option_table[o].kind == 'A') status = pp_list_read(given[o], o, stages, NULL, fault);
        if (option_table[o].kind == 'R') status = pp_amount_read(given[o], o, &value, fault);
    }
    return status;
}

int32_t pp_costs_parse(const char *text, int32_t length, const pp_config *config, double *costs, pp_fault *fault) {
    static const struct {
        int32_t option, row;
        double standard;
    } lists[] = {{PP_OPT_FORWARD, PP_COST_FORWARD, 1},           {PP_OPT_INPUT_GRADIENT, PP_COST_INPUT, 1},
                 {PP_OPT_WEIGHT_GRADIENT, PP_COST_WEIGHT, 1},    {PP_OPT_BACKWARD, PP_COST_BACKWARD, 2},
                 {PP_OPT_RECOMPUTE_COST, PP_COST_RECOMPUTE, -1}, {PP_OPT_OVERLAP_COST, PP_COST_OVERLAP, -1},
                 {PP_OPT_KEPT_SHARE, PP_COST_KEPT, 1},           {PP_OPT_LATENCY, PP_COST_LATENCY, 0}};
    pp_text given[PP_OPT_COUNT];
    int32_t stages = config->stages, status;
    pp_request_values(text, length, given);
    status = check_amounts(given, stages, fault);
    if (status == PP_OK) status = pp_hops_read(given, stages, costs, fault);
    if (status != PP_OK) return status;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        double *row = costs + (size_t)lists[i].row * (size_t)stages;
        const int is_work = lists[i].row != PP_COST_KEPT && lists[i].row != PP_COST_LATENCY;
        for (int32_t s = 0; s < stages; s++) row[s] = lists[i].standard;
        if (is_work)
            status = work_read(given[lists[i].option], lists[i].option, config, row, fault);
        else if (given[lists[i].option].begin != NULL)
            status = pp_list_read(given[lists[i].option], lists[i].option, stages, row, fault);
        if (status != PP_OK) return status;
    }
    for (int32_t s = 0; s < stages; s++) costs[PP_COST_LATENCY * stages + s] += costs[PP_COST_SIZE * stages + s];
    double *forward = costs + PP_COST_FORWARD * (size_t)stages, *backward = costs + PP_COST_BACKWARD * (size_t)stages;
    status = split_backward(given, stages, costs + PP_COST_INPUT * (size_t)stages,
                            costs + PP_COST_WEIGHT * (size_t)stages, backward, fault);
    if (status != PP_OK) return status;
    double *recompute = costs + PP_COST_RECOMPUTE * (size_t)stages, *overlap = costs + PP_COST_OVERLAP * (size_t)stages;
    double longest = 0; /* legal for all stages */
    int32_t short_stage = -1;
    for (int32_t s = 0; s < stages; s++) {
        if (recompute[s] < 0) recompute[s] = forward[s];
        const double longer = forward[s] > backward[s] ? forward[s] : backward[s];
        if (longer > longest) longest = longer;
        if (given[PP_OPT_OVERLAP_COST].begin != NULL && overlap[s] < longer && short_stage < 0) short_stage = s;
    }
    if (short_stage >= 0) {
        pp_fault scratch;
        fault = pp_fault_start(fault, &scratch, PP_ERR_COST_OVERLAP);
        fault->option = PP_OPT_OVERLAP_COST;
        fault->stage = short_stage;
        pp_fault_seen_number(fault, overlap[short_stage]);
        pp_fault_fix_number(fault, PP_OPT_OVERLAP_COST, longest);
        return PP_ERR_COST_OVERLAP;
    }
    return pp_partition_make(given, config, costs, fault);
}
