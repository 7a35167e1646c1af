/* GIS, grouped interleaving with a short lifespan: interleaving with a split backward, each W right after its I, so
 * that a backward frees its rank's successor early and its memory soon. Groups of N micro-batches pass the chunks in
 * turn, as in schedule_interleaved.c; in turn x a rank runs the forward number x, and I and W number x - lag, where
 * lag = (v - 1) N + p - 1 - r. A last group that is not full keeps its turns: nothing runs in those of missing
 * micro-batches.
 * Legal: p/2 <= N <= p. Give turn x of rank r the time x + d r with d (p - 1) < N: then every forward comes after the
 * one it needs, through the wrap from rank p - 1 to 0, too. A gradient comes one turn before it is needed, or, through
 * the wrap, p - 1 - N turns after: that is in time if d (p - 1) > p - 1 - N. Such a d exists just if 2N > p - 1; with
 * fewer micro-batches in a group the ranks would wait in a circle.
 * Makespan for N that divides m, F, I, W of one chunk: m v (F + I + W) + (p - 1)(F + I) for N = p, and for smaller
 * groups (GIS-H is N = p/2), where F = I = W, (v - 1)(p - N) F more. N (v - 1) + p chunks in flight.
 * Source: PipeOffload (Wan et al. 2025), table 1; the authors' group_interleaved_1f1b. */
#include "core/fault.h"
#include "schedules/schedule_interleaved.h"

static int32_t legal(pp_config *config, pp_fault *fault) {
    pp_fault scratch;
    int32_t p = config->ranks, least = (p + 1) / 2, n = config->group;
    if (n == 0) config->group = n = p;
    if (n >= least && n <= p) return PP_OK;
    fault = pp_refuse_shape(config, PP_ERR_GROUP_HALF, PP_OPT_GROUP, n, least, fault, &scratch);
    fault->b = p;
    pp_fault_fix_number(fault, PP_OPT_GROUP, n < least ? least : p);
    return PP_ERR_GROUP_HALF;
}

static int64_t action_count(const pp_config *config) { return pp_actions_of(config, 3); }

/* The turn's number when every group is full. */
static int32_t turn_number(const pp_turn *turn) {
    return turn->first * turn->chunks + turn->chunk * turn->group + turn->k - turn->first;
}

static void generate(const pp_config *config, pp_writer *writer) {
    int32_t p = config->ranks, total = config->microbatches * config->chunks;
    for (int32_t r = 0; r < p; r++) {
        int32_t lag = (config->chunks - 1) * config->group + p - 1 - r, forwards = 0;
        pp_turn forward = pp_turn_start(config), backward = forward;
        pp_rank_start(writer, r);
        for (int32_t done = 0; done < total; done++) {
            int32_t now = turn_number(&backward) + lag;
            for (; forwards < total && turn_number(&forward) <= now; forwards++)
                pp_turn_forward(writer, &forward, p, r);
            pp_turn weight = backward;
            pp_turn_backward(writer, &backward, PP_I, p, r);
            pp_turn_weight(writer, &weight, p, r);
        }
    }
}

static double makespan(const pp_config *config, double f, double b, double w) {
    double p = config->ranks, v = config->chunks, n = config->group, i = b - w;
    if (config->microbatches % config->group != 0 || (n != p && (f != i || i != w))) return -1;
    return config->microbatches * v * (f + b) + (p - 1) * (f + i) + (v - 1) * (p - n) * f;
}

const pp_generator pp_generator_gis = {
    .name = "gis",
    .placement = PP_PLACE_LOOP,
    .chunks_min = 1,
    .chunks_max = PP_MAX_CHUNKS,
    .chunks_default = 2,
    .trains = 1,
    .options = 1u << PP_OPT_RECOMPUTE | 1u << PP_OPT_GROUP,
    .formula = "m v (F + I + W) + (p - 1)(F + I) + (v - 1)(p - N) F",
    .legal = legal,
    .action_count = action_count,
    .generate = generate,
    .makespan = makespan,
};
