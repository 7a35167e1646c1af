/* Forward only: inference and evaluation. Every rank runs F of micro-batch 0, 1, ..., so the work moves through the
 * ranks as a diagonal wave. Makespan (m + p - 1) F: the first micro-batch needs p ticks, each further one 1 more.
 * With v chunks a rank:
 *   loop  stage s on rank s mod p, in the turns of schedule_interleaved.c: groups of N micro-batches (option group, p
 *         unless given) pass chunk 0, then chunk 1, ... Any N runs. Makespan (m v + p - 1) F, and for each group of
 *         n < p, whose next chunk is not fed in time, (v - 1)(p - n) F more
 *   v     stages there and back; F of stage s and micro-batch k in the order of v k + s, later stages first. Stages
 *         that meet on a rank need no message. Makespan 2(m + p - 1) F for v = 2
 * Source: PyTorch _ScheduleForwardOnly, DeepSpeed InferenceSchedule; Megatron-LM's forward_only interleaving. */
#include "core/fault.h"
#include "schedules/schedule_interleaved.h"

static int32_t legal(pp_config *config, pp_fault *fault) {
    pp_fault scratch;
    int32_t n = config->group;
    if (n == 0) config->group = config->ranks;
    if (n == 0 || config->placement == PP_PLACEMENT_LOOP) return PP_OK;
    fault = pp_refuse_shape(config, PP_ERR_OPTION_MEANINGLESS, PP_OPT_GROUP, n, -1, fault, &scratch);
    pp_fault_fix_text(fault, PP_OPT_GROUP, "");
    pp_fault_fix_text(fault, PP_OPT_PLACEMENT, "loop");
    return PP_ERR_OPTION_MEANINGLESS;
}

static int64_t action_count(const pp_config *config) { return pp_actions_of(config, 1); }

/* A rank's stages, in the order in which they come in one round of the V. */
static size_t scratch_bytes(const pp_config *config) { return (size_t)config->chunks * sizeof(int32_t); }

static void generate_v(const pp_config *config, pp_writer *writer, int32_t r) {
    int32_t p = config->ranks, v = config->chunks, m = config->microbatches, *stages = writer->scratch;
    for (int32_t leg = 0; leg < v; leg++) {
        int32_t stage = leg * p + (leg % 2 ? p - 1 - r : r), at = leg;
        for (; at > 0 && stages[at - 1] % v >= stage % v; at--) stages[at] = stages[at - 1];
        stages[at] = stage;
    }
    /* round j: F of stage s is at v k + s = v j + s mod v, so k = j - s / v */
    for (int32_t j = r / v, left = v * m; left > 0; j++) {
        int32_t before = left, ahead = INT32_MAX;
        for (int32_t n = 0; n < v; n++) {
            int32_t k = j - stages[n] / v;
            if (k < 0 && -k < ahead) ahead = -k;
            if (k < 0 || k >= m) continue;
            pp_emit(writer, PP_F, stages[n], k);
            left--;
        }
        if (left == before) j += ahead - 1; /* nothing until the next leg is reached */
    }
}

static void generate(const pp_config *config, pp_writer *writer) {
    int32_t p = config->ranks, total = config->microbatches * config->chunks;
    for (int32_t r = 0; r < p; r++) {
        pp_rank_start(writer, r);
        if (config->placement == PP_PLACEMENT_V) {
            generate_v(config, writer, r);
            continue;
        }
        pp_turn turn = pp_turn_start(config);
        for (int32_t t = 0; t < total; t++) pp_turn_forward(writer, &turn, p, r);
    }
}

static double makespan(const pp_config *config, double f, double b, double w) {
    (void)b, (void)w;
    double p = config->ranks, m = config->microbatches, v = config->chunks;
    if (v <= 1) return (m + p - 1) * f;
    if (config->placement == PP_PLACEMENT_V) return v == 2 ? 2 * (m + p - 1) * f : -1;
    int32_t full = config->microbatches / config->group, rest = config->microbatches % config->group;
    double unfed = config->group < p ? full * (p - config->group) : 0;
    if (rest > 0 && rest < p) unfed += p - rest;
    return (m * v + p - 1 + (v - 1) * unfed) * f;
}

const pp_generator pp_generator_forward = {
    .name = "forward",
    .placement = PP_PLACE_LOOP,
    .chunks_min = 1,
    .chunks_max = PP_MAX_CHUNKS,
    .chunks_default = 1,
    .trains = 0,
    .options = 1u << PP_OPT_GROUP | 1u << PP_OPT_PLACEMENT,
    .formula = "(m v + p - 1) F",
    .legal = legal,
    .action_count = action_count,
    .scratch_bytes = scratch_bytes,
    .generate = generate,
    .makespan = makespan,
};
