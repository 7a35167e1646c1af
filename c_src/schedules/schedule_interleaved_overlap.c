/* Interleaved 1F1B with F and B run together: the order of schedule_interleaved.c with one more forward in the warm-up,
 * (v - 1) N + 2(p - 1 - r) + 1, and each pair of the steady phase in one slot F&B. Makespan, with F, B and FB of one
 * chunk: (p + (v - 1) N)(F + B) + (m v - (v - 1) N - 1) FB, where the last rank has that many slots to share.
 * Legal groups are those of interleaving; with v = 1 the order is that of 1f1b-overlap. Source: Megatron-LM
 * overlap_moe_expert_parallel_comm. */
#include "schedules/schedule_interleaved.h"

static int64_t action_count(const pp_config *config) { return pp_actions_of(config, 2); }

static void generate(const pp_config *config, pp_writer *writer) {
    int32_t p = config->ranks, total = config->microbatches * config->chunks;
    for (int32_t r = 0; r < p; r++) {
        int64_t wanted = 2 * (int64_t)(p - 1 - r) + (int64_t)(config->chunks - 1) * config->group + 1;
        int32_t warmup = wanted < total ? (int32_t)wanted : total;
        pp_turn forward = pp_turn_start(config), backward = forward;
        pp_rank_start(writer, r);
        for (int32_t t = 0; t < warmup; t++) pp_turn_forward(writer, &forward, p, r);
        for (int32_t t = warmup; t < total; t++) {
            pp_turn_forward(writer, &forward, p, r);
            writer->actions[writer->count - 1].fused = 1;
            pp_turn_backward(writer, &backward, PP_B, p, r);
        }
        for (int32_t t = total - warmup; t < total; t++) pp_turn_backward(writer, &backward, PP_B, p, r);
    }
}

static double makespan_fused(const pp_config *config, double f, double b, double w, double fb) {
    (void)w;
    double p = config->ranks, m = config->microbatches, v = config->chunks, filling = (v - 1) * config->group;
    if (v > 1 && (m < p || config->dialect == PP_DIALECT_FREE)) return -1;
    return (p + filling) * (f + b) + (m * v - filling - 1) * fb;
}

const pp_generator pp_generator_interleaved_overlap = {
    .name = "interleaved-overlap",
    .placement = PP_PLACE_LOOP,
    .chunks_min = 1,
    .chunks_max = PP_MAX_CHUNKS,
    .chunks_default = 2,
    .trains = 1,
    .options = 1u << PP_OPT_GROUP,
    .formula = "(p + (v - 1) N)(F + B) + (m v - (v - 1) N - 1) FB",
    .legal = pp_interleaved_legal,
    .action_count = action_count,
    .generate = generate,
    .makespan_fused = makespan_fused,
};
