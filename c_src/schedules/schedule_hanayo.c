/* Hanayo: Chimera's wave without its second copy of the weights. With W waves the model is cut into v = 2W stages a
 * rank, laid there and back (stage s on rank s mod p on even legs, p - 1 - s mod p on odd ones), so that a micro-batch
 * passes the ranks W times up and down and hands over within the rank at each turn.
 * The paper gives no list of actions per rank; this is the rule chosen here. A unit of p micro-batches runs by the
 * slots of schedule_wave.h, F of stage s at slot 2k + s and B at slot 2k + 2S - 1 - s, S = v p; the next unit follows
 * 2S slots later. With F = B no rank waits but while the pipeline fills and drains. With B = 2F, W = 1 and m = p it
 * takes as long as the greedy order, backward before forward and later stages before earlier; with more waves, less.
 * Makespan for m a multiple of p, F and B of one chunk: m v (F + B) + 2(p - 1)(max(F, B) + (m/p - 1)|B - F|); for m < p
 * S (F + B) + 2(m - 1) max(F, B). The bubble of one unit, 2(p - 1) B, is the numerator of the ratio that is quoted from
 * the paper, (2p - 2)/(3 p W + p - 1) for B = 2F, whose denominator counts half of it.
 * v p chunks in flight. Legal: v even; m not a multiple of p leaves slots of the last unit empty.
 * Source: Liu et al. 2023. */
#include <math.h>

#include "core/fault.h"
#include "schedules/schedule_wave.h"

static int32_t legal(pp_config *config, pp_fault *fault) {
    pp_fault scratch;
    int32_t v = config->chunks;
    if (v % 2 == 0) return PP_OK;
    fault = pp_refuse_shape(config, PP_ERR_CHUNKS_EVEN, PP_OPT_CHUNKS, v, -1, fault, &scratch);
    pp_fault_fix_number(fault, PP_OPT_CHUNKS, v + 1 <= PP_MAX_CHUNKS ? v + 1 : v - 1);
    return PP_ERR_CHUNKS_EVEN;
}

static int64_t action_count(const pp_config *config) { return pp_actions_of(config, 2); }

/* Per stream of a rank: for each chunk a stretch of F or one of B. */
static size_t scratch_bytes(const pp_config *config) { return 2 * (size_t)config->chunks * sizeof(pp_stretch); }

/* Stages of even legs have the parity of the rank, those of odd legs the other: one stream is F of the even legs and
 * then B of the odd ones, the other F of the odd legs and then B of the even ones. */
static void generate(const pp_config *config, pp_writer *writer) {
    int32_t p = config->ranks, v = config->chunks;
    pp_stretch *streams[2] = {writer->scratch, (pp_stretch *)writer->scratch + v};
    pp_wave wave = {.unit_slots = 2 * config->stages,
                    .unit_size = p,
                    .microbatches = config->microbatches,
                    .stretches = {v, v},
                    .stream = {streams[0], streams[1]}};
    for (int32_t r = 0; r < p; r++) {
        for (int32_t leg = 0; leg < v; leg++) {
            int32_t odd = leg % 2, stage = leg * p + (odd ? p - 1 - r : r);
            streams[odd][leg / 2] = (pp_stretch){stage, PP_F, stage, 0, p};
            streams[1 - odd][v - 1 - leg / 2] = (pp_stretch){2 * config->stages - 1 - stage, PP_B, stage, 0, p};
        }
        pp_rank_start(writer, r);
        pp_wave_rank(&wave, writer);
    }
}

static double makespan(const pp_config *config, double f, double b, double w) {
    (void)w;
    int32_t p = config->ranks, m = config->microbatches;
    if (m < p) return config->stages * (f + b) + 2 * (m - 1) * fmax(f, b);
    if (m % p != 0) return -1;
    return (double)m * config->chunks * (f + b) + 2 * (p - 1) * (fmax(f, b) + (m / p - 1) * fabs(b - f));
}

const pp_generator pp_generator_hanayo = {
    .name = "hanayo",
    .placement = PP_PLACE_ZIGZAG,
    .chunks_min = 2,
    .chunks_max = PP_MAX_CHUNKS,
    .chunks_default = 2,
    .trains = 1,
    .options = 1u << PP_OPT_RECOMPUTE,
    .formula = "m v (F + B) + 2 (p - 1)(max(F, B) + (m/p - 1) |B - F|)",
    .legal = legal,
    .action_count = action_count,
    .scratch_bytes = scratch_bytes,
    .generate = generate,
    .makespan = makespan,
};
