/* PipeDream-2BW: 1F1B without a flush, with two versions of the weights. Gradients of N micro-batches (option group)
 * add up before each update, and N >= p, so when the micro-batches of one update enter, those of the one before last
 * are through: version max(0, k div N - 1) serves micro-batch k on every rank, one update late, and two versions are
 * enough. What is drawn are the first m micro-batches of a run, with the drain at their end; the order and the makespan
 * (m + p - 1)(F + B) are those of 1F1B. Legal: N >= p; N not given is the least such that divides m.
 * Source: Narayanan et al. 2021 (ICML), section 3.1. */
#include "core/fault.h"
#include "schedules/schedule_1f1b.h"

/* The least divisor of m >= p that is at least p. */
static int32_t least_group(int32_t p, int32_t m) {
    int32_t least = m;
    for (int32_t d = 1; (int64_t)d * d <= m; d++) {
        if (m % d != 0) continue;
        if (d >= p && d < least) least = d;
        if (m / d >= p && m / d < least) least = m / d;
    }
    return least;
}

static int32_t legal(pp_config *config, pp_fault *fault) {
    pp_fault scratch;
    int32_t p = config->ranks, m = config->microbatches, n = config->group;
    if (n == 0 && m >= p) config->group = n = least_group(p, m);
    if (n >= p) return PP_OK;
    if (n == 0) {
        fault = pp_refuse_shape(config, PP_ERR_MICROBATCHES_FEW, PP_OPT_MICROBATCHES, m, p, fault, &scratch);
        pp_fault_fix_number(fault, PP_OPT_MICROBATCHES, p);
        pp_fault_fix_number(fault, PP_OPT_RANKS, m);
        return PP_ERR_MICROBATCHES_FEW;
    }
    fault = pp_refuse_shape(config, PP_ERR_GROUP_UPDATE, PP_OPT_GROUP, n, p, fault, &scratch);
    pp_fault_fix_number(fault, PP_OPT_GROUP, p);
    return PP_ERR_GROUP_UPDATE;
}

static int64_t action_count(const pp_config *config) { return pp_actions_of(config, 2); }

static void generate(const pp_config *config, pp_writer *writer) {
    for (int32_t r = 0; r < config->ranks; r++) {
        pp_rank_start(writer, r);
        pp_1f1b_rank(writer, r, config->microbatches, config->ranks - 1 - r);
    }
}

static double makespan(const pp_config *config, double f, double b, double w) {
    (void)w;
    return (config->microbatches + config->ranks - 1) * (f + b);
}

static int32_t weight_versions(const pp_config *config, int32_t rank) {
    (void)config, (void)rank;
    return 2;
}

static int32_t weight_version(const pp_config *config, int32_t rank, int32_t microbatch) {
    (void)rank;
    int32_t updates = microbatch / config->group;
    return updates > 1 ? updates - 1 : 0;
}

static int32_t update_every(const pp_config *config) { return config->group; }

const pp_generator pp_generator_2bw = {
    .name = "2bw",
    .placement = PP_PLACE_SINGLE,
    .chunks_min = 1,
    .chunks_max = 1,
    .chunks_default = 1,
    .trains = 1,
    .options = 1u << PP_OPT_RECOMPUTE | 1u << PP_OPT_GROUP,
    .formula = "(m + p - 1)(F + B)",
    .legal = legal,
    .action_count = action_count,
    .generate = generate,
    .makespan = makespan,
    .weight_versions = weight_versions,
    .weight_version = weight_version,
    .update_every = update_every,
    .kept_back = 1,
};
