/* The whole numbers and names of a request. Each is read alone first (is it a number, is it in range), then all together
 * (does this schedule accept them), and only then is anything sized. */
#include "request/config.h"

#include <stddef.h>
#include <string.h>

#include "core/fault.h"
#include "request/conditions.h"
#include "request/options.h"
#include "request/partition.h"
#include "request/read.h"
#include "schedules/schedule.h"

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

/* Where the value of an option lies in a configuration. */
static const struct {
    int32_t option;
    size_t at;
} scalars[] = {{PP_OPT_SCHEDULE, offsetof(pp_config, schedule)},
               {PP_OPT_RANKS, offsetof(pp_config, ranks)},
               {PP_OPT_MICROBATCHES, offsetof(pp_config, microbatches)},
               {PP_OPT_GLOBAL_BATCH, offsetof(pp_config, global_batch)},
               {PP_OPT_MICROBATCH_SIZE, offsetof(pp_config, microbatch_size)},
               {PP_OPT_PARTITION, offsetof(pp_config, partition)},
               {PP_OPT_REDUCE_WHEN, offsetof(pp_config, reduce_when)},
               {PP_OPT_OPTIMIZER_WAITS, offsetof(pp_config, optimizer_waits)},
               {PP_OPT_FAIL_RANK, offsetof(pp_config, fail_rank)},
               {PP_OPT_FAIL_STEP, offsetof(pp_config, fail_step)},
               {PP_OPT_CHECKPOINT_EVERY, offsetof(pp_config, checkpoint_every)},
               {PP_OPT_HORIZON, offsetof(pp_config, horizon)},
               {PP_OPT_CHUNKS, offsetof(pp_config, chunks)},
               {PP_OPT_GROUP, offsetof(pp_config, group)},
               {PP_OPT_DIALECT, offsetof(pp_config, dialect)},
               {PP_OPT_BACKWARD_ORDER, offsetof(pp_config, backward_order)},
               {PP_OPT_RECOMPUTE, offsetof(pp_config, recompute)},
               {PP_OPT_TRANSFER, offsetof(pp_config, transfer)},
               {PP_OPT_PIPES, offsetof(pp_config, pipes)},
               {PP_OPT_SLICES, offsetof(pp_config, slices)},
               {PP_OPT_MEMORY_LIMIT, offsetof(pp_config, memory_limit)},
               {PP_OPT_EXTRA_WARMUP, offsetof(pp_config, extra_warmup)},
               {PP_OPT_WARMUP_FACTOR, offsetof(pp_config, warmup_factor)},
               {PP_OPT_PLACEMENT, offsetof(pp_config, placement)},
               {PP_OPT_COSTS_OF, offsetof(pp_config, costs_of)},
               {PP_OPT_ORDER, offsetof(pp_config, order)},
               {PP_OPT_RECEIVE_BUFFERS, offsetof(pp_config, receive_buffers)},
               {PP_OPT_GATHER_KEEP, offsetof(pp_config, gather_keep)}};
enum { SCALARS = sizeof scalars / sizeof scalars[0] };

static int32_t *field_of(pp_config *config, int32_t scalar) { return (int32_t *)((char *)config + scalars[scalar].at); }

void pp_scalars_standard(pp_config *config) {
    for (int32_t i = 0; i < SCALARS; i++) *field_of(config, i) = (int32_t)pp_option_standard(scalars[i].option);
}

int32_t pp_scalars_read(const pp_text *given, pp_config *config, pp_fault *fault) {
    for (int32_t i = 0; i < SCALARS; i++) {
        int32_t o = scalars[i].option, *field = field_of(config, i), status;
        if (given[o].begin == NULL) continue;
        if (pp_option_kind(o) == 'E')
            status = pp_name_read(given[o], o, field, fault);
        else if (pp_option_kind(o) == 'M')
            status = limit_read(given[o], config->ranks, field, fault);
        else
            status = pp_whole_read(given[o], o, (int32_t)pp_option_least(o), (int32_t)pp_option_most(o), field, fault);
        if (status != PP_OK) return status;
    }
    return PP_OK;
}

int32_t pp_scalars_settle(const pp_text *given, pp_config *config, pp_fault *fault) {
    int32_t status = pp_batch_couple(given, config, fault);
    return status == PP_OK ? check_failure(given, config, fault) : status;
}

int32_t pp_config_of_values(const pp_text *given, pp_config *config, pp_fault *fault) {
    memset(config, 0, sizeof *config);
    pp_scalars_standard(config);
    int32_t status = pp_scalars_read(given, config, fault);
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
    if (status == PP_OK && row->legal != NULL) status = row->legal(config, fault);
    return status == PP_OK ? pp_conditions_shape(given, config, fault) : status;
}

int32_t pp_config_read(const pp_request *request, pp_config *config, pp_fault *fault) {
    int32_t status = pp_config_of_values(request->given, config, fault);
    if (status != PP_OK && fault != NULL) pp_fixes_settle(request->given, config, fault);
    return status;
}
