/* What would it bring? The request or its costs changed in one respect; the caller then makes, checks and times it as any
 * other, so that every figure is that of a real simulation. */
#include <string.h>

#include "core/number.h"
#include "request/read.h"
#include "schedules/schedule.h"
#include "studies/studies.h"

typedef struct sink {
    char *out;
    int32_t capacity, length;
} sink;

static void put(sink *s, const char *text, int32_t length) {
    for (int32_t i = 0; i < length; i++, s->length++)
        if (s->length < s->capacity) s->out[s->length] = text[i];
}

static void put_line(sink *s, int32_t option, const char *value, int32_t length) {
    const char *name = pp_option_name(option);
    put(s, name, (int32_t)strlen(name));
    put(s, "=", 1);
    put(s, value, length);
    put(s, "\n", 1);
}

int32_t pp_what_if_doubled(const pp_request *request, const pp_config *config, char *out, int32_t capacity) {
    sink s = {out, capacity, 0};
    char digits[32];
    for (int32_t o = 0; o < PP_OPT_COUNT; o++) {
        const pp_text value = request->given[o];
        const int counts = o == PP_OPT_MICROBATCHES || o == PP_OPT_GLOBAL_BATCH || o == PP_OPT_MICROBATCH_SIZE;
        if (value.begin != NULL && !counts) put_line(&s, o, value.begin, value.length);
    }
    pp_number_write(2.0 * config->microbatches, digits);
    put_line(&s, PP_OPT_MICROBATCHES, digits, (int32_t)strlen(digits));
    return s.length;
}

void pp_what_if_balanced(const pp_config *config, double *costs) {
    static const int32_t rows[] = {PP_COST_FORWARD, PP_COST_INPUT, PP_COST_WEIGHT, PP_COST_RECOMPUTE, PP_COST_OVERLAP};
    const int32_t n = config->stages;
    for (int32_t i = 0; i < 5; i++) {
        double *row = costs + rows[i] * n, sum = 0;
        if (rows[i] == PP_COST_OVERLAP && row[0] < 0) continue; /* F + B, of whatever they are */
        for (int32_t s = 0; s < n; s++) sum += row[s];
        for (int32_t s = 0; s < n; s++) row[s] = sum / n;
    }
    for (int32_t s = 0; s < n; s++)
        costs[PP_COST_BACKWARD * n + s] = costs[PP_COST_INPUT * n + s] + costs[PP_COST_WEIGHT * n + s];
}

void pp_what_if_no_transfers(const pp_config *config, double *costs) {
    for (int32_t s = 0; s < config->stages; s++)
        costs[PP_COST_LATENCY * config->stages + s] = costs[PP_COST_SIZE * config->stages + s] = 0;
}
