/* Chimera: pipelines in both directions over the same ranks, each with its own copy of the stages, so that the bubbles
 * of one hold work of the other. f pairs (option pipes: 2f pipelines); pair i is turned by i p/f ranks: its down
 * pipeline has stage s on rank s + i p/f, its up pipeline on rank p - 1 - s + i p/f. A unit of p micro-batches, p/(2f)
 * a pipeline, runs by the slots of schedule_wave.h; more micro-batches are units one after the other, 2p slots apart
 * ("direct concatenation"). Micro-batches of a unit are numbered down pipelines first.
 * Makespan m (F + B) + (p/f - 2)(max(F, B) + (m/p - 1)|B - F|); with F = B that is the paper's 2m + p/f - 2 slots. For
 * m < p it is p (F + B) + 2(n - 1) max(F, B), n the most micro-batches in a pipeline.
 * p/2 + 1 activations at the ends to p in the middle (f = 1), 2f stages' weights on each rank.
 * Legal: p even, f divides p/2, m a multiple of p, or below p. Source: Li and Hoefler 2021. */
#include <math.h>

#include "core/fault.h"
#include "schedules/schedule_wave.h"

static int32_t legal(pp_config *config, pp_fault *fault) {
    pp_fault scratch;
    int32_t p = config->ranks, m = config->microbatches, pipes = config->pipes;
    if (p % 2 != 0) {
        fault = pp_refuse_shape(config, PP_ERR_RANKS_EVEN, PP_OPT_RANKS, p, -1, fault, &scratch);
        pp_fault_fix_number(fault, PP_OPT_RANKS, p + 1);
        return PP_ERR_RANKS_EVEN;
    }
    if (pipes % 2 != 0 || p % pipes != 0) {
        fault = pp_refuse_shape(config, PP_ERR_PIPES, PP_OPT_PIPES, pipes, p, fault, &scratch);
        int32_t pairs = pipes < p ? pipes / 2 : p / 2;
        if (pairs < 1) pairs = 1;
        while (p / 2 % pairs != 0) pairs--;
        pp_fault_fix_number(fault, PP_OPT_PIPES, 2 * pairs);
        return PP_ERR_PIPES;
    }
    if (m > p && m % p != 0) {
        fault = pp_refuse_shape(config, PP_ERR_MICROBATCHES_MULTIPLE, PP_OPT_MICROBATCHES, m, p, fault, &scratch);
        pp_fault_fix_number(fault, PP_OPT_MICROBATCHES, (m + p - 1) / p * p);
        pp_fault_fix_number(fault, PP_OPT_MICROBATCHES, m / p * p);
        return PP_ERR_MICROBATCHES_MULTIPLE;
    }
    return PP_OK;
}

static int64_t action_count(const pp_config *config) { return pp_actions_of(config, 2); }

static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }

/* Rank of a stage: pipes 0 .. f-1 go down, f .. 2f-1 up. */
static int32_t rank_of(const pp_config *config, int32_t pipe, int32_t stage) {
    int32_t p = config->ranks, pairs = config->pipes / 2;
    int down = pipe < pairs;
    return ((down ? stage : p - 1 - stage) + pipe % pairs * (p / pairs)) % p;
}

/* The first micro-batch of a unit that goes into a pipe; for pipe = pipes, the size of the unit. What m < p leaves over
 * after equal shares goes to the pairs one by one, down before up. */
static int32_t pipe_first(const pp_config *config, int32_t pipe) {
    int32_t unit = least(config->microbatches, config->ranks), over = unit % config->pipes;
    int32_t down = least(pipe, config->pipes / 2), up = pipe - down; /* pipes of each direction before this one */
    return unit / config->pipes * pipe + least(down, (over + 1) / 2) + least(up, over / 2);
}

static void place(const pp_config *config, int32_t *stage_rank, int32_t *unit_pipe) {
    for (int32_t pipe = 0; pipe < config->pipes; pipe++)
        for (int32_t s = 0; s < config->ranks; s++) stage_rank[pipe * config->ranks + s] = rank_of(config, pipe, s);
    for (int32_t pipe = 0, k = 0; k < config->microbatches; k++) {
        int32_t in_unit = k % config->ranks;
        if (in_unit == 0) pipe = 0;
        while (in_unit >= pipe_first(config, pipe + 1)) pipe++;
        unit_pipe[k] = pipe;
    }
}

/* Per stream of a rank: for each pipe a stretch of F or one of B. */
static size_t scratch_bytes(const pp_config *config) { return 2 * (size_t)config->pipes * sizeof(pp_stretch); }

/* A rank's stages in down pipes are all of one parity and p/f apart; so are those in up pipes. One stream is F of the
 * down pipes and then B of the up pipes, the other F of the up pipes and then B of the down pipes. */
static void generate(const pp_config *config, pp_writer *writer) {
    int32_t p = config->ranks, pairs = config->pipes / 2, apart = p / pairs;
    pp_stretch *streams[2] = {writer->scratch, (pp_stretch *)writer->scratch + config->pipes};
    pp_wave wave = {.unit_slots = 2 * p,
                    .unit_size = p,
                    .microbatches = config->microbatches,
                    .stretches = {config->pipes, config->pipes},
                    .stream = {streams[0], streams[1]}};
    for (int32_t r = 0; r < p; r++) {
        for (int32_t up = 0; up < 2; up++) {
            for (int32_t n = 0; n < pairs; n++) {
                /* the n-th lowest stage that this rank holds in this direction, and its pair */
                int32_t stage = (up ? p - 1 - r : r) % apart + n * apart;
                int32_t pair = ((r - (up ? p - 1 - stage : stage) + p) % p) / apart;
                int32_t pipe = up * pairs + pair, first = pipe_first(config, pipe);
                int32_t count = pipe_first(config, pipe + 1) - first;
                streams[up][n] = (pp_stretch){stage, PP_F, stage, first, count};
                streams[1 - up][config->pipes - 1 - n] = (pp_stretch){2 * p - 1 - stage, PP_B, stage, first, count};
            }
        }
        pp_rank_start(writer, r);
        pp_wave_rank(&wave, writer);
    }
}

static double makespan(const pp_config *config, double f, double b, double w) {
    (void)w;
    int32_t p = config->ranks, m = config->microbatches, pipes = config->pipes;
    if (m < p) return p * (f + b) + 2 * ((m + pipes - 1) / pipes - 1) * fmax(f, b);
    return m * (f + b) + (2 * p / pipes - 2) * (fmax(f, b) + (m / p - 1) * fabs(b - f));
}

const pp_generator pp_generator_chimera = {
    .name = "chimera",
    .placement = PP_PLACE_BIDIRECTIONAL,
    .chunks_min = 1,
    .chunks_max = 1,
    .chunks_default = 1,
    .trains = 1,
    .options = 1u << PP_OPT_RECOMPUTE | 1u << PP_OPT_PIPES,
    .formula = "m (F + B) + (2 p/pipes - 2)(max(F, B) + (m/p - 1) |B - F|)",
    .legal = legal,
    .action_count = action_count,
    .scratch_bytes = scratch_bytes,
    .place = place,
    .generate = generate,
    .makespan = makespan,
};
