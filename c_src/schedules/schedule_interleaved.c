/* Interleaved 1F1B: each rank holds v chunks, stage s on rank s mod p. Micro-batches go in groups of N: a group passes
 * chunk 0, then chunk 1, ..., then the next group follows. Makespan (m v + p - 1)(F + B) with F and B of one chunk,
 * bubble ratio (p - 1) / (v m), and v times the messages of 1F1B.
 * Which groups are legal:
 *   megatron  p <= N <= m, and a short last group (m mod N) has at least p; N is p unless given
 *   pytorch   rounds = max(1, m div p) must divide m; N = m / rounds
 *   free      any N; some of these orders wait for themselves, which pp_check finds
 * The warm-up of rank r is (v - 1) N + 2(p - 1 - r) forwards. With warmup-factor 1 in place of the 2 it holds fewer
 * activations and takes as long where messages are free, but has nothing to do while they travel. With v = 1 the order
 * is 1F1B's. Source: Narayanan et al. 2021, section 2.2.2; Megatron-LM schedules.py; PyTorch's Interleaved1F1B. */
#include "schedules/schedule_interleaved.h"

#include "core/fault.h"
#include "schedules/schedule_1f1b.h"

static int32_t rounds_of(const pp_config *config) {
    int32_t rounds = config->microbatches / config->ranks;
    return rounds < 1 ? 1 : rounds;
}

static int pytorch_legal(const pp_config *config) { return config->microbatches % rounds_of(config) == 0; }

/* Nearest m, the larger one first, for which `ok` holds. */
static int32_t nearest_microbatches(const pp_config *config, int (*ok)(const pp_config *)) {
    pp_config other = *config;
    for (int32_t step = 1; step <= PP_MAX_MICROBATCHES; step++) {
        other.microbatches = config->microbatches + step;
        if (other.microbatches <= PP_MAX_MICROBATCHES && ok(&other)) return other.microbatches;
        other.microbatches = config->microbatches - step;
        if (other.microbatches >= 1 && ok(&other)) return other.microbatches;
    }
    return config->microbatches;
}

static int megatron_legal(const pp_config *config) {
    int32_t p = config->ranks, n = config->group, m = config->microbatches;
    if (n < p || n > m) return 0;
    return m % n == 0 || m % n >= p;
}

static int32_t refuse(const pp_config *config, int32_t code, int32_t option, double seen, pp_fault *fault) {
    fault->code = code;
    fault->option = option;
    fault->schedule = config->schedule;
    fault->a = config->ranks;
    fault->b = config->microbatches;
    fault->c = config->group;
    pp_fault_seen_number(fault, seen);
    return code;
}

int32_t pp_interleaved_rounds_legal(pp_config *config, pp_fault *fault) {
    pp_fault scratch;
    int32_t m = config->microbatches, given = config->group;
    if (given != 0 && (int64_t)given * rounds_of(config) != m) {
        fault = pp_fault_start(fault, &scratch, PP_ERR_ROUNDS);
        refuse(config, PP_ERR_ROUNDS, PP_OPT_GROUP, given, fault);
        if (pytorch_legal(config)) pp_fault_fix_number(fault, PP_OPT_GROUP, m / rounds_of(config));
        pp_fault_fix_text(fault, PP_OPT_DIALECT, "megatron");
        return PP_ERR_ROUNDS;
    }
    config->group = m / rounds_of(config);
    if (pytorch_legal(config)) return PP_OK;
    fault = pp_fault_start(fault, &scratch, PP_ERR_ROUNDS);
    refuse(config, PP_ERR_ROUNDS, PP_OPT_MICROBATCHES, m, fault);
    pp_fault_fix_number(fault, PP_OPT_MICROBATCHES, nearest_microbatches(config, pytorch_legal));
    return PP_ERR_ROUNDS;
}

int32_t pp_interleaved_legal(pp_config *config, pp_fault *fault) {
    pp_fault scratch;
    int32_t p = config->ranks, m = config->microbatches, given = config->group;
    if (config->chunks == 1) {
        config->group = 0;
        return PP_OK;
    }
    if (config->dialect == PP_DIALECT_PYTORCH) return pp_interleaved_rounds_legal(config, fault);
    if (given == 0) config->group = p;
    if (config->dialect == PP_DIALECT_FREE || megatron_legal(config)) return PP_OK;

    fault = pp_fault_start(fault, &scratch, PP_ERR_GROUP);
    if (config->group < p || config->group > m) {
        refuse(config, PP_ERR_GROUP, given != 0 ? PP_OPT_GROUP : PP_OPT_MICROBATCHES, given != 0 ? given : m, fault);
        if (m >= p) {
            pp_fault_fix_number(fault, PP_OPT_GROUP, config->group < p ? p : m);
        } else {
            pp_fault_fix_number(fault, PP_OPT_MICROBATCHES, config->group > p ? config->group : p);
            pp_fault_fix_text(fault, PP_OPT_DIALECT, "pytorch");
        }
        return PP_ERR_GROUP;
    }
    refuse(config, PP_ERR_GROUP_REMAINDER, PP_OPT_MICROBATCHES, m, fault);
    pp_fault_fix_number(fault, PP_OPT_MICROBATCHES, nearest_microbatches(config, megatron_legal));
    pp_fault_fix_number(fault, PP_OPT_GROUP, m);
    return PP_ERR_GROUP_REMAINDER;
}

static int64_t action_count(const pp_config *config) { return pp_actions_of(config, 2); }

static void generate(const pp_config *config, pp_writer *writer) {
    int32_t p = config->ranks, total = config->microbatches * config->chunks;
    for (int32_t r = 0; r < p; r++) {
        pp_rank_start(writer, r);
        if (config->chunks == 1) {
            pp_1f1b_rank(writer, r, config->microbatches, p - 1 - r + config->extra_warmup);
            continue;
        }
        int64_t wanted = config->warmup_factor * (int64_t)(p - 1 - r) + (int64_t)(config->chunks - 1) * config->group +
                         config->extra_warmup;
        int32_t warmup = wanted < total ? (int32_t)wanted : total;
        pp_turn forward = pp_turn_start(config), backward = forward;
        for (int32_t t = 0; t < warmup; t++) pp_turn_forward(writer, &forward, p, r);
        for (int32_t t = warmup; t < total; t++) {
            pp_turn_forward(writer, &forward, p, r);
            pp_turn_backward(writer, &backward, PP_B, p, r);
        }
        for (int32_t t = total - warmup; t < total; t++) pp_turn_backward(writer, &backward, PP_B, p, r);
    }
}

/* With m < p, which only PyTorch's rule lets pass, each chunk but the last waits for the first rank to be fed again. */
static double makespan(const pp_config *config, double f, double b, double w) {
    (void)w;
    double p = config->ranks, m = config->microbatches, v = config->chunks;
    if (v > 1 && config->dialect == PP_DIALECT_FREE && !megatron_legal(config)) return -1;
    return (m * v + p - 1 + (m < p ? (v - 1) * (p - m) : 0)) * (f + b);
}

const pp_generator pp_generator_interleaved = {
    .name = "interleaved",
    .placement = PP_PLACE_LOOP,
    .chunks_min = 1,
    .chunks_max = PP_MAX_CHUNKS,
    .chunks_default = 2,
    .trains = 1,
    .options = 1u << PP_OPT_RECOMPUTE | 1u << PP_OPT_GROUP | 1u << PP_OPT_EXTRA_WARMUP | 1u << PP_OPT_WARMUP_FACTOR,
    .formula = "(m v + p - 1)(F + B)",
    .legal = pp_interleaved_legal,
    .action_count = action_count,
    .generate = generate,
    .makespan = makespan,
};
