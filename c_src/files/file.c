/* Requests about files: how one is read and written, and what may be asked beside one. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "core/number.h"
#include "files/table.h"
#include "request/conditions.h"
#include "request/config.h"
#include "request/options.h"
#include "request/partition.h"
#include "request/read.h"

int32_t pp_file_bytes(void) { return (int32_t)sizeof(pp_file); }

double pp_file_field(const pp_file *file, int32_t option) {
    switch (option) {
#define FIELD_CASE(id, member, name, letter, kind, least, most, standard, choices, type)                               \
    case id: return (double)file->member;
        PP_FILE_OPTIONS(FIELD_CASE)
#undef FIELD_CASE
    default: return -1;
    }
}

/* Reads the value of an option into its field. */
static int32_t value_take(int32_t option, pp_text value, pp_file *file, pp_fault *fault) {
    switch (option) {
    case PP_FILE_LETTERS: return pp_name_read(value, option, &file->letters, fault);
    case PP_FILE_RECEIVE: return pp_name_read(value, option, &file->receive, fault);
    case PP_FILE_TIMES: return pp_name_read(value, option, &file->times, fault);
    case PP_FILE_COMMS: return pp_name_read(value, option, &file->comms, fault);
    case PP_FILE_MERGE: return pp_name_read(value, option, &file->merge, fault);
    default: break;
    }
    pp_fault scratch;
    const double most = pp_option_most(option);
    int32_t used = pp_number_read(value.begin, value.length, 1, &file->scale), status = PP_OK;
    if (used == 0 || used != value.length || isnan(file->scale))
        status = PP_ERR_NOT_A_NUMBER;
    else if (!(file->scale > 0 && file->scale <= most))
        status = PP_ERR_RANGE;
    if (status == PP_OK) return PP_OK;
    fault = pp_fault_start(fault, &scratch, status);
    fault->option = option;
    fault->a = 0;
    fault->b = (int32_t)most;
    pp_fault_seen(fault, value.begin, value.length);
    if (status == PP_ERR_RANGE) pp_fault_fix_number(fault, option, file->scale > 0 ? most : 1);
    return status;
}

int32_t pp_file_parse(const char *text, int32_t length, pp_file *file, pp_fault *fault) {
    pp_fault scratch;
    pp_text name, value;
    int32_t at = 0;
    uint32_t given = 0;
    *file = (pp_file){.scale = pp_option_standard(PP_FILE_SCALE)};
    while (pp_line_next(text, length, &at, &name, &value)) {
        int32_t option = PP_FILE_LETTERS;
        while (option < PP_FILE_END && !pp_name_equal(name, pp_option_name(option))) option++;
        if (value.length == 0 && option < PP_FILE_END) continue;
        int32_t bit = option - PP_FILE_LETTERS;
        if (option == PP_FILE_END || (given >> bit & 1)) {
            int32_t status = option == PP_FILE_END ? PP_ERR_OPTION_UNKNOWN : PP_ERR_OPTION_TWICE;
            fault = pp_fault_start(fault, &scratch, status);
            fault->option = option == PP_FILE_END ? -1 : option;
            pp_text seen = option == PP_FILE_END ? name : value;
            pp_fault_seen(fault, seen.begin, seen.length);
            return status;
        }
        given |= 1u << bit;
        int32_t status = value_take(option, value, file, fault);
        if (status != PP_OK) return status;
    }
    return PP_OK;
}

int32_t pp_file_keeps(const pp_file *file, const pp_table *table) {
    return table->format == PP_FORMAT_TORCH && file->comms != PP_COMMS_NONE;
}

int32_t pp_lower_passes(const pp_file *file) {
    int32_t merge = file->merge ? PP_LOWER_MERGE : 0;
    switch (file->comms) {
    case PP_COMMS_ALL: return PP_LOWER_COMPUTE | merge | PP_LOWER_SHARD | PP_LOWER_REDUCE | PP_LOWER_TRANSFER;
    case PP_COMMS_TRANSFERS: return PP_LOWER_COMPUTE | merge | PP_LOWER_TRANSFER;
    default: return merge;
    }
}

/* ---- the request beside a file ---- */

static int32_t refuse_shape(int32_t option, int32_t given, int32_t found, pp_fault *fault) {
    pp_fault scratch;
    fault = pp_fault_start(fault, &scratch, PP_ERR_SHAPE);
    fault->option = option;
    fault->a = found;
    pp_fault_seen_number(fault, given);
    pp_fault_fix_number(fault, option, found);
    return PP_ERR_SHAPE;
}

/* The most stages of one pipe that a rank has. */
static int32_t chunks_of(const pp_schedule *s) {
    int32_t most = 1;
    for (int32_t r = 0; r < s->ranks; r++) {
        int32_t count = 0;
        for (int32_t stage = 0; stage < s->stages; stage++) count += s->stage_rank[stage] == r;
        if (count > most) most = count;
    }
    return most;
}

/* Beside a file, what has a meaning whatever the order is: no question to a generator. */
static int file_option_used(int32_t option) {
    return (pp_option_common(option) && option != PP_OPT_SCHEDULE) || option == PP_OPT_RECOMPUTE ||
           option == PP_OPT_SLICES;
}

int32_t pp_config_of_file(const pp_request *request, pp_schedule *schedule, pp_config *config, pp_fault *fault) {
    pp_text given[PP_OPT_COUNT];
    int32_t status, recomputes = 0;
    memcpy(given, request->given, sizeof given); /* micro-batches will be added */
    memset(config, 0, sizeof *config);
    pp_scalars_standard(config);
    config->schedule = -1;
    config->ranks = schedule->ranks;
    config->microbatches = schedule->microbatches;
    config->chunks = chunks_of(schedule);
    config->pipes = schedule->pipes;
    config->slices = schedule->slices;
    config->stages = schedule->stages;
    const pp_config file = *config;
    for (int32_t i = 0; i < schedule->action_count; i++) recomputes |= schedule->actions[i].op == PP_R;
    for (int32_t o = 0; o < PP_OPT_COUNT; o++)
        if (given[o].begin != NULL && !file_option_used(o)) return pp_refuse_meaningless(&file, o, given[o], fault);
    status = pp_scalars_read(given, config, fault);
    if (status != PP_OK) return status;
    if (config->ranks != file.ranks) return refuse_shape(PP_OPT_RANKS, config->ranks, file.ranks, fault);
    if (config->microbatches != file.microbatches)
        return refuse_shape(PP_OPT_MICROBATCHES, config->microbatches, file.microbatches, fault);
    if (config->chunks != file.chunks) return refuse_shape(PP_OPT_CHUNKS, config->chunks, file.chunks, fault);
    if (config->slices != file.slices) return refuse_shape(PP_OPT_SLICES, config->slices, file.slices, fault);
    if (given[PP_OPT_MICROBATCHES].begin == NULL)
        given[PP_OPT_MICROBATCHES] = (pp_text){"", 0}; /* the file gives them */
    status = pp_scalars_settle(given, config, fault);
    if (status == PP_OK) status = pp_partition_shape(given, config, fault);
    if (status == PP_OK) status = pp_conditions_shape(given, config, fault);
    if (status != PP_OK) return status;
    if (config->recompute != PP_RECOMPUTE_NONE && !recomputes)
        return pp_refuse_meaningless(&file, PP_OPT_RECOMPUTE, given[PP_OPT_RECOMPUTE], fault);
    if (recomputes && config->recompute == PP_RECOMPUTE_NONE)
        config->recompute = schedule->recompute != PP_RECOMPUTE_NONE ? schedule->recompute : PP_RECOMPUTE_EARLY;
    schedule->recompute = pp_recompute_when(config->recompute);
    return PP_OK;
}
