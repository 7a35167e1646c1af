/* Reading single values of a request: whole numbers, names, lists of numbers. What is refused names the option, the text
 * that was seen and the nearest legal value. */
#include "request/read.h"

#include <math.h>
#include <string.h>

#include "core/fault.h"
#include "core/number.h"
#include "request/options.h"
#include "schedules/schedule.h"

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
    for (int32_t i = 0; (name = pp_option_choice(option, i))[0] != 0; i++) {
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
    pp_fault_fix_text(fault, option, pp_option_choice(option, nearest));
    return PP_ERR_NAME_UNKNOWN;
}

/* ---- the lines ---- */

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

int32_t pp_request_bytes(void) { return (int32_t)sizeof(pp_request); }

int32_t pp_request_parse(const char *text, int32_t length, pp_request *request, pp_fault *fault) {
    pp_text *given = request->given;
    pp_fault scratch;
    pp_text name, value;
    int32_t at = 0;
    for (int32_t o = 0; o < PP_OPT_COUNT; o++) given[o] = (pp_text){NULL, 0};
    while (pp_line_next(text, length, &at, &name, &value)) {
        int32_t option = pp_option_of(name);
        if (option < 0) {
            int32_t nearest = 0;
            for (int32_t o = 1; o < PP_OPT_COUNT; o++)
                if (pp_name_distance(name, pp_option_name(o)) < pp_name_distance(name, pp_option_name(nearest)))
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

/* ---- lists of numbers ---- */

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

/* Does a comma in this list separate, or is it the decimal mark of a Russian hand? The rule stands at pp_costs_read. */
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
