/* Micro-batches that are not alike, links, room for messages and gathers: read by the rules of pp_conditions. */
#include "request/conditions.h"

#include "core/fault.h"
#include "request/read.h"
#include "schedules/schedule.h"

/* More factors than this are refused: 128 MiB. */
static const int64_t most_factors = INT64_C(1) << 24;

static int32_t units_of(const pp_config *config) { return config->microbatches * config->slices; }

static int32_t refuse_needs(const pp_text *given, int32_t option, int32_t needed, const char *value, pp_fault *fault) {
    pp_fault scratch;
    fault = pp_fault_start(fault, &scratch, PP_ERR_OPTION_NEEDS);
    fault->option = option;
    fault->b = needed;
    pp_fault_seen(fault, given[option].begin, given[option].length);
    if (value != NULL)
        pp_fault_fix_text(fault, needed, value);
    else
        pp_fault_fix_text(fault, option, "");
    return PP_ERR_OPTION_NEEDS;
}

/* The next row of a list of lists, up to a '|'; 0 at the end. */
static int next_row(pp_text text, int32_t *at, pp_text *row) {
    if (*at > text.length) return 0;
    int32_t end = *at;
    while (end < text.length && text.begin[end] != '|') end++;
    *row = (pp_text){text.begin + *at, end - *at};
    *at = end + 1;
    return 1;
}

/* One row of factors: of each micro-batch, or of each unit. out: NULL, or room for all units. */
static int32_t read_row(pp_text row, const pp_config *config, double *out, pp_fault *fault) {
    pp_fault scratch;
    const int32_t m = config->microbatches, slices = config->slices, units = units_of(config);
    int32_t count;
    int32_t status = pp_numbers_read(row, PP_OPT_MICROBATCH_COSTS, m, out, units, &count, fault);
    if (status != PP_OK) return status;
    if (count != m && count != units) {
        fault = pp_fault_start(fault, &scratch, PP_ERR_LIST_LENGTH);
        fault->option = PP_OPT_MICROBATCH_COSTS;
        fault->a = m;
        fault->b = count;
        pp_fault_seen(fault, row.begin, row.length);
        return PP_ERR_LIST_LENGTH;
    }
    for (int32_t u = units - 1; out != NULL && count < units && u >= 0; u--) out[u] = out[u / slices];
    return PP_OK;
}

static int32_t read_rows(pp_text text, const pp_config *config, int32_t rows, double *out, pp_fault *fault) {
    pp_text row;
    int32_t at = 0, status = PP_OK;
    for (int32_t n = 0; n < rows && status == PP_OK && next_row(text, &at, &row); n++)
        status = read_row(row, config, out != NULL ? out + (size_t)n * (size_t)units_of(config) : NULL, fault);
    return status;
}

static int32_t shape_units(const pp_text *given, pp_config *config, pp_fault *fault) {
    pp_fault scratch;
    const pp_text text = given[PP_OPT_MICROBATCH_COSTS];
    if (text.begin == NULL)
        return given[PP_OPT_ORDER].begin == NULL
                   ? PP_OK
                   : refuse_needs(given, PP_OPT_ORDER, PP_OPT_MICROBATCH_COSTS, NULL, fault);
    int32_t rows = 1;
    for (int32_t i = 0; i < text.length; i++) rows += text.begin[i] == '|';
    if (rows != 1 && rows != config->stages) {
        fault = pp_fault_start(fault, &scratch, PP_ERR_LIST_LENGTH);
        fault->option = PP_OPT_MICROBATCH_COSTS;
        fault->c = rows;
        fault->a = config->stages;
        fault->b = rows;
        pp_fault_seen(fault, text.begin, text.length);
        return PP_ERR_LIST_LENGTH;
    }
    if ((int64_t)rows * units_of(config) > most_factors) {
        fault = pp_fault_start(fault, &scratch, PP_ERR_TOO_LARGE);
        fault->option = PP_OPT_MICROBATCH_COSTS;
        pp_fault_seen(fault, text.begin, text.length);
        return PP_ERR_TOO_LARGE;
    }
    config->with |= PP_WITH_UNITS;
    config->unit_rows = rows;
    return read_rows(text, config, rows, NULL, fault);
}

int32_t pp_conditions_shape(const pp_text *given, pp_config *config, pp_fault *fault) {
    const int meet = config->transfer == PP_TRANSFER_RENDEZVOUS;
    config->with = config->unit_rows = 0;
    int32_t status = shape_units(given, config, fault);
    if (status != PP_OK) return status;
    if (given[PP_OPT_GATHER_KEEP].begin != NULL && given[PP_OPT_GATHER].begin == NULL)
        return refuse_needs(given, PP_OPT_GATHER_KEEP, PP_OPT_GATHER, NULL, fault);
    if (given[PP_OPT_GATHER].begin != NULL) {
        if (meet) return refuse_needs(given, PP_OPT_GATHER, PP_OPT_TRANSFER, "overlap", fault);
        config->with |= PP_WITH_GATHER;
    }
    if (config->receive_buffers >= 0 && given[PP_OPT_RECEIVE_BUFFERS].begin != NULL) {
        if (meet) return refuse_needs(given, PP_OPT_RECEIVE_BUFFERS, PP_OPT_TRANSFER, "overlap", fault);
        if (config->receive_buffers > 0) config->with |= PP_WITH_ROOM;
    }
    if (config->transfer == PP_TRANSFER_OVERLAP && given[PP_OPT_BYTES].begin != NULL &&
        given[PP_OPT_BANDWIDTH].begin != NULL)
        config->with |= PP_WITH_LINKS;
    return PP_OK;
}

/* The largest first, of equal ones the earlier; a micro-batch counts with the sum of its factors. */
static void fall(const pp_config *config, pp_conditions *c, const double *units, double *sums) {
    const int32_t m = config->microbatches, slices = config->slices, all = units_of(config);
    for (int32_t k = 0; k < m; k++) {
        double sum = 0;
        for (int32_t n = 0; n < config->unit_rows; n++)
            for (int32_t x = 0; x < slices; x++) sum += units[n * all + k * slices + x];
        sums[k] = sum;
    }
    for (int32_t gap = m / 2; gap > 0; gap /= 2) /* a sort by shrinking distances (Shell 1959) */
        for (int32_t i = gap; i < m; i++) {
            const int32_t moved = c->place[i];
            int32_t at = i;
            while (at >= gap && (sums[c->place[at - gap]] < sums[moved] ||
                                 (sums[c->place[at - gap]] == sums[moved] && c->place[at - gap] > moved))) {
                c->place[at] = c->place[at - gap];
                at -= gap;
            }
            c->place[at] = moved;
        }
}

void pp_conditions_order(const pp_config *config, pp_conditions *c, const double *as_given) {
    const int32_t slices = config->slices, all = units_of(config);
    for (int32_t n = 0; n < config->unit_rows; n++)
        for (int32_t u = 0; u < all; u++)
            c->unit[n * all + u] = as_given[n * all + c->place[u / slices] * slices + u % slices];
}

int32_t pp_conditions_make(const pp_text *given, const pp_config *config, double *costs, pp_fault *fault) {
    if (config->with == 0) return PP_OK;
    const size_t stages = (size_t)config->stages, units = (size_t)config->unit_rows * (size_t)units_of(config);
    pp_conditions *c = pp_conditions_at(costs, config->stages);
    *c = (pp_conditions){.with = config->with,
                         .stride = config->unit_rows > 1 ? units_of(config) : 0,
                         .room = config->with & PP_WITH_ROOM ? config->receive_buffers : 0,
                         .keep = config->gather_keep > 0 ? config->gather_keep : config->stages};
    double *doubles = (double *)((char *)c + ((sizeof *c + 7) & ~(size_t)7));
    double *as_given = doubles + units + stages + (size_t)config->microbatches;
    int32_t *ints = (int32_t *)(as_given + units);
    c->place = ints;
    for (int32_t k = 0; k < config->microbatches; k++) c->place[k] = k;
    int32_t status = PP_OK;
    if (config->with & PP_WITH_GATHER) {
        c->gather = doubles + units;
        status = pp_list_read(given[PP_OPT_GATHER], PP_OPT_GATHER, config->stages, c->gather, fault);
    }
    if (config->with & PP_WITH_LINKS) c->link = ints + config->microbatches;
    if (status != PP_OK || units == 0) return status;
    c->unit = doubles;
    status = read_rows(given[PP_OPT_MICROBATCH_COSTS], config, config->unit_rows, as_given, fault);
    if (status != PP_OK) return status;
    c->as_given = as_given;
    if (config->order != PP_ORDER_GIVEN) fall(config, c, as_given, doubles + units + stages);
    pp_conditions_order(config, c, as_given);
    return PP_OK;
}
