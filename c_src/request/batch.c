/* Samples: a step has a global batch of G, cut into m micro-batches of b samples, G = m b. Who raises b at the same G
 * lowers m, and the bubble grows; so of the three numbers the one that was not given moves, and it is told which. Nothing
 * here changes costs: they are ticks of a micro-batch, however many samples it has. */
#include "core/fault.h"
#include "request/config.h"
#include "schedules/schedule.h"

static pp_fault *refuse(const pp_config *config, int32_t option, int32_t seen, pp_fault *fault, pp_fault *scratch) {
    fault = pp_fault_start(fault, scratch, PP_ERR_BATCH_SPLIT);
    fault->option = option;
    fault->a = config->global_batch;
    fault->b = config->microbatches;
    fault->c = config->microbatch_size;
    pp_fault_seen_number(fault, seen);
    return fault;
}

/* Refuses a global batch that does not divide into `part` parts. */
static int32_t refuse_rest(const pp_config *config, int32_t part_option, int32_t part, pp_fault *fault) {
    pp_fault scratch;
    int32_t whole = config->global_batch, less = whole - whole % part, more = less + part;
    int down = less > 0 && (whole - less <= more - whole || more > PP_MAX_BATCH);
    fault = refuse(config, PP_OPT_GLOBAL_BATCH, whole, fault, &scratch);
    pp_fault_fix_number(fault, PP_OPT_GLOBAL_BATCH, down ? less : more);
    while (whole % part != 0) part--;
    pp_fault_fix_number(fault, part_option, part);
    return PP_ERR_BATCH_SPLIT;
}

static int32_t move_microbatches(pp_config *config, pp_fault *fault) {
    pp_fault scratch;
    int32_t size = config->microbatch_size;
    config->batch_moved = PP_OPT_MICROBATCHES;
    config->microbatches = config->global_batch / size;
    if (config->global_batch % size != 0) return refuse_rest(config, PP_OPT_MICROBATCH_SIZE, size, fault);
    if (config->microbatches <= PP_MAX_MICROBATCHES) return PP_OK;
    fault = refuse(config, PP_OPT_GLOBAL_BATCH, config->global_batch, fault, &scratch);
    fault->code = PP_ERR_RANGE;
    fault->a = size;
    fault->b = size * PP_MAX_MICROBATCHES; /* below the global batch, so below 2^30 */
    pp_fault_fix_number(fault, PP_OPT_GLOBAL_BATCH, fault->b);
    return PP_ERR_RANGE;
}

static int32_t move_size(pp_config *config, pp_fault *fault) {
    config->batch_moved = PP_OPT_MICROBATCH_SIZE;
    config->microbatch_size = config->global_batch / config->microbatches;
    if (config->global_batch % config->microbatches == 0) return PP_OK;
    return refuse_rest(config, PP_OPT_MICROBATCHES, config->microbatches, fault);
}

int32_t pp_batch_couple(const pp_text *given, pp_config *config, pp_fault *fault) {
    pp_fault scratch;
    int whole = given[PP_OPT_GLOBAL_BATCH].begin != NULL, size = given[PP_OPT_MICROBATCH_SIZE].begin != NULL;
    int count = given[PP_OPT_MICROBATCHES].begin != NULL;
    if (!whole && !size) return PP_OK;
    if (!size) config->microbatch_size = 1;
    if (whole && !count) return move_microbatches(config, fault);
    if (whole && !size) return move_size(config, fault);
    int64_t product = (int64_t)config->microbatches * config->microbatch_size;
    if (!whole && product <= PP_MAX_BATCH) {
        config->batch_moved = PP_OPT_GLOBAL_BATCH;
        config->global_batch = (int32_t)product;
    }
    if (product == config->global_batch) return PP_OK;
    fault = whole ? refuse(config, PP_OPT_GLOBAL_BATCH, config->global_batch, fault, &scratch)
                  : refuse(config, PP_OPT_MICROBATCH_SIZE, config->microbatch_size, fault, &scratch);
    if (product <= PP_MAX_BATCH)
        pp_fault_fix_number(fault, PP_OPT_GLOBAL_BATCH, (double)product);
    else
        pp_fault_fix_number(fault, PP_OPT_MICROBATCH_SIZE, PP_MAX_BATCH / config->microbatches);
    return PP_ERR_BATCH_SPLIT;
}

int32_t pp_batch_size_near(int32_t global_batch, int32_t size, int32_t way) {
    int32_t best = size, distance = INT32_MAX;
    for (int32_t d = 1; d <= global_batch / d; d++) {
        if (global_batch % d != 0) continue;
        for (int32_t n = 0; n < 2; n++) {
            const int32_t b = n == 0 ? d : global_batch / d, away = b > size ? b - size : size - b;
            if (b > PP_MAX_MICROBATCH_SIZE || global_batch / b > PP_MAX_MICROBATCHES || away >= distance) continue;
            if (way > 0 ? b <= size : way < 0 ? b >= size : 0) continue;
            best = b;
            distance = away;
        }
    }
    return best;
}

int32_t pp_batch_shown(int32_t microbatches) { return (31 / microbatches + 1) * microbatches; }
