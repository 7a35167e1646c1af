/* PipeDream: 1F1B without a flush. Each micro-batch is a minibatch of its own: after its backward the rank updates its
 * weights at once, so the pipeline never drains; what is drawn is the beginning of a run, with the drain at its end.
 * Weight stashing: F and B of minibatch x on rank r both use version max(0, x - (p - 1 - r)), whose gradient is p - 1 -
 * r updates late; the rank keeps the p - r versions that minibatches under way still need. The order and the makespan
 * (m + p - 1)(F + B) are those of 1F1B. No rank has more than m under way, so with fewer than p - r of them the gradients
 * are m - 1 updates late and m versions are kept. Source: Harlap et al. 2018; Narayanan et al. 2019. */
#include "schedules/schedule_1f1b.h"

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
    int32_t under_way = config->ranks - rank;
    return under_way < config->microbatches ? under_way : config->microbatches;
}

static int32_t weight_version(const pp_config *config, int32_t rank, int32_t microbatch) {
    int32_t late = weight_versions(config, rank) - 1;
    return microbatch > late ? microbatch - late : 0;
}

static int32_t update_every(const pp_config *config) {
    (void)config;
    return 1;
}

const pp_generator pp_generator_pipedream = {
    .name = "pipedream",
    .placement = PP_PLACE_SINGLE,
    .chunks_min = 1,
    .chunks_max = 1,
    .chunks_default = 1,
    .trains = 1,
    .options = 1u << PP_OPT_RECOMPUTE,
    .formula = "(m + p - 1)(F + B)",
    .action_count = action_count,
    .generate = generate,
    .makespan = makespan,
    .weight_versions = weight_versions,
    .weight_version = weight_version,
    .update_every = update_every,
};
