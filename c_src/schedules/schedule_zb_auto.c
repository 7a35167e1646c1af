/* The automatic zero-bubble scheduler: a split backward, as many micro-batches in flight as a limit allows, and an
 * order found by trying with the costs at hand. One chunk a rank: the limit p gives what the papers call ZB-1p (the
 * memory of 1F1B), 2p gives ZB-2p. Two chunks a rank in a V: the limit p gives ZB-V. At F = I = W the makespan is 3 m
 * + p - 1 from the limit p on and no rank waits once it has begun from 2p - 1 on; in a V 6 m + p - 1, and both from p
 * on (m >= 2p - 1, in F of one chunk). For other costs there is no closed form.
 *
 * What is tried: first the rules in closed form that the limit admits: ZB-H1 and ZB-H2, or ZB-V, V-Half and V-Min;
 * then guesses at how far the backward of each rank should lag behind its forward, with W where a rank would wait, and the
 * best of these with one number changed at a time; then dispatches, where a rank runs what can run, some ranks with fewer
 * micro-batches than the limit and some choices left to chance; last, where the step is small enough, the best order of
 * all (exact.h), as far as a tenth of a second leads. What counts is the makespan. Of equal makespans the papers' cost
 * decides, the span of the rank that is busy longest: with an optimizer that does not wait for all ranks, steps follow each
 * other at that distance. Of equal spans the smaller peak wins. In a V a shorter span may cost a hundredth of the
 * makespan, if the step is too large for the last of these. No makespan is longer than that of the rules.
 *
 * The limit counts micro-batches from the start of F to the end of W, or as much of them as kept-share says from I to
 * W. It is p unless given, and each from 1 on can be met. Any m is legal. Where a message keeps both of its ranks
 * (transfer rendezvous) one chunk takes ZB-H1, cut to the limit: most other orders would wait for themselves.
 * Source: Qi et al. 2023, sections 3 and 6, for what is wanted; the search is our own. */
#include "core/fault.h"
#include "schedules/exact.h"
#include "schedules/schedule_v.h"
#include "schedules/search_seeds.h"

static int32_t legal(pp_config *config, pp_fault *fault) {
    pp_fault scratch;
    if (config->memory_limit == 0) config->memory_limit = config->ranks;
    if (config->memory_limit > 0) return PP_OK;
    fault = pp_refuse_shape(config, PP_ERR_MEMORY_LIMIT, PP_OPT_MEMORY_LIMIT, config->memory_limit, 1, fault, &scratch);
    pp_fault_fix_number(fault, PP_OPT_MEMORY_LIMIT, 1);
    return PP_ERR_MEMORY_LIMIT;
}

static int64_t action_count(const pp_config *config) { return pp_actions_of(config, 3); }

static size_t scratch_bytes(const pp_config *config) { return pp_search_bytes(config, 1) + pp_exact_bytes(config); }

/* How long the search for the best order of all goes on, in steps of its innermost loops: a tenth of a second. */
static const double exact_work = 6e6;

/* Dispatches left to chance. */
static const int32_t deviations = 300;

static const pp_try as_listed = {0};

static int32_t smaller(int32_t a, int32_t b) { return a < b ? a : b; }

/* In turn x rank r runs F x, I x - h (p - 1 - r), W x - h (p - 1): ZB-H1 for h = 1, ZB-H2 for 2; cut to the limit. */
static void try_turns(pp_search *s, int32_t limit, int32_t h) {
    int32_t p = s->ranks, m = s->microbatches;
    pp_search_clear(s);
    for (int32_t r = 0; r < p; r++) {
        int32_t i_late = smaller(smaller(h * (p - 1 - r), limit - 1), m);
        int32_t w_late = smaller(smaller(h * (p - 1), limit - 1), m);
        for (int32_t x = 0; x < m + w_late; x++) {
            if (x < m) pp_search_put(s, r, PP_LANE_F);
            if (x >= i_late) pp_search_put(s, r, PP_LANE_B);
            if (x >= w_late) pp_search_put(s, r, PP_LANE_W);
        }
    }
    pp_search_try(s, &as_listed);
}

static void put_often(pp_search *s, int32_t rank, int32_t count, int32_t a, int32_t b, int32_t c) {
    for (int32_t n = 0; n < count; n++) {
        if (a >= 0) pp_search_put(s, rank, a);
        if (b >= 0) pp_search_put(s, rank, b);
        if (c >= 0) pp_search_put(s, rank, c);
    }
}

/* The rule of ZB-V, with or without its W. Written for 2p - 1 micro-batches or more; those there are not drop out. */
static void list_zb_v(pp_search *s, int with_w) {
    enum { F0 = PP_LANE_F, F1, I0 = PP_LANE_B, I1 };
    int32_t p = s->ranks, n = s->microbatches > 2 * p - 1 ? s->microbatches : 2 * p - 1;
    int32_t w0 = with_w ? PP_LANE_W : -1, w1 = with_w ? PP_LANE_W + 1 : -1;
    pp_search_clear(s);
    for (int32_t r = 0; r < p; r++) {
        put_often(s, r, 2 * (p - r) - 1, F0, -1, -1);
        put_often(s, r, r, F1, F0, -1);
        put_often(s, r, p - r, F1, I1, w1);
        for (int32_t k = 0; k < n - p; k++) {
            if (k < n - 2 * p + 1 + r) pp_search_put(s, r, F0);
            put_often(s, r, 1, I0, w0, -1);
            put_often(s, r, 1, F1, I1, w1);
        }
        put_often(s, r, r, I0, I1, -1);
        put_often(s, r, p - r, I0, w0, -1);
        if (with_w) put_often(s, r, n, w1, -1, -1);
        if (with_w) put_often(s, r, n, w0, -1, -1);
    }
}

static void try_zb_v(pp_search *s) {
    static const pp_try loose[] = {
        {.fair = 1}, {.fair = 1, .over = 0.125f}, {.hops = 1}, {.fair = 1, .over = 0.5}, {.over = 1}};
    for (size_t i = 0; i < sizeof loose / sizeof loose[0] && pp_search_more(s); i++) {
        list_zb_v(s, 0);
        pp_search_try(s, &loose[i]);
    }
}

/* A guess to start from, in few bytes: slope, or with `full` a share of the slope at which the first rank's lag uses
 * up the limit; shifts in quarters of a micro-batch with one chunk, in sixths with two. */
typedef struct start {
    float slope, over;
    int8_t full, shift[3], by_time, ahead, hops, fair;
} start;

static void try_starts(pp_search *s, int32_t limit, const start *starts, size_t count) {
    double full = s->ranks > 1 ? (limit - 1.0) / (s->ranks - 1) : 0, unit = s->chunks == 1 ? 4 : 6;
    pp_guess best = {0};
    for (size_t n = 0; n < count && pp_search_more(s); n++) {
        const start *from = &starts[n];
        pp_guess guess = {.slope = from->full ? from->slope * full : from->slope, .by_time = from->by_time};
        for (int32_t i = 0; i < 3; i++) guess.shift[i] = from->shift[i] / unit;
        guess.how = (pp_try){.ahead = from->ahead, .hops = from->hops, .fair = from->fair, .over = from->over};
        if (pp_guess_try(s, &guess) || n == 0) best = guess;
    }
    pp_guess_climb(s, &best);
}

/* Where to start was found by trying some thousand guesses on random costs: these are the best most often. */
static void search_one_chunk(pp_search *s, int32_t limit, int rendezvous) {
    static const start starts[] = {
        {.full = 1, .slope = 1, .shift = {2}, .hops = 1, .fair = 1, .over = 0.75},
        {.slope = 2.25, .shift = {1}, .fair = 1, .over = 0.5},
        {.slope = 1, .shift = {2}, .by_time = 1, .over = 1},
        {.full = 1, .slope = 1, .shift = {1}, .fair = 1},
        {.slope = 2, .by_time = 1, .over = 1},
        {.full = 1, .slope = 1, .shift = {2}, .over = 0.5},
        {.slope = 1.25, .shift = {1}, .over = 0.75},
        {.slope = 1.75, .shift = {2}, .over = 0.25},
        {.slope = 2.25, .shift = {2}, .over = 1},
        {.full = 1, .slope = 1, .over = 0.75},
        {.slope = 2.5, .over = 1},
        {.slope = 1, .shift = {2}, .fair = 1, .over = 0.5},
        {.slope = 1.5, .shift = {2}},
        {.slope = 1},
        {.slope = 3, .shift = {1}, .fair = 1, .over = 0.5},
        {.slope = 4},
    };
    try_turns(s, limit, 1);
    if (rendezvous) return;
    try_turns(s, limit, 2);
    try_starts(s, limit, starts, sizeof starts / sizeof starts[0]);
    pp_guess_dispatch(s, deviations);
    pp_search_by_span(s, 0);
    try_starts(s, limit, starts, sizeof starts / sizeof starts[0]);
}

static void search_two_chunks(pp_search *s, int32_t limit, double slack) {
    static const pp_guess serial = {0}; /* one micro-batch after the other: fits any limit */
    static const start starts[] = {
        {.full = 1, .slope = 1, .shift = {1, 2, 2}, .ahead = 1, .hops = 1, .fair = 1, .over = 0.5},
        {.full = 1, .slope = 1, .shift = {1, 1, 3}, .ahead = 1, .hops = 1, .over = 0.25},
        {.full = 1, .slope = 1, .shift = {3, 2, 2}, .ahead = 1, .over = 1},
        {.full = 1, .slope = 0.75, .shift = {2, 3, 2}, .ahead = 1, .over = 1},
        {.full = 1, .slope = 1, .shift = {1, 2, 3}, .ahead = 1, .over = 0.5},
        {.full = 1, .slope = 0.75, .shift = {3, 1, 1}, .ahead = 1, .hops = 1, .fair = 1, .over = 0.5},
        {.full = 1, .slope = 0.875, .shift = {1, 2, 2}, .ahead = 1, .hops = 1, .over = 0.5},
        {.full = 1, .slope = 1, .shift = {1, 3, 1}, .ahead = 1, .fair = 1, .over = 0.5},
        {.full = 1, .slope = 0.875, .shift = {3, 2, 2}, .ahead = 1, .fair = 1, .over = 0.25},
        {.full = 1, .slope = 0.75, .shift = {1, 1, 1}, .over = 1},
        {.full = 1, .slope = 1, .shift = {1, 1, 1}, .fair = 1, .over = 0.5},
        {.full = 1, .slope = 1, .shift = {1, 1, 1}},
        {.full = 1, .slope = 0.625, .shift = {1, 1, 3}, .ahead = 1, .over = 0.5},
    };
    list_zb_v(s, 1);
    pp_search_try(s, &as_listed);
    pp_try_v_half(s);
    pp_try_v_min(s);
    if (s->score.makespan < 0) pp_guess_try(s, &serial);
    for (int32_t by_span = 0; by_span < 2; by_span++) {
        if (by_span) pp_search_by_span(s, slack);
        try_zb_v(s);
        try_starts(s, limit, starts, sizeof starts / sizeof starts[0]);
        if (!by_span) pp_guess_dispatch(s, deviations);
    }
}

static void generate(const pp_config *config, pp_writer *writer) {
    pp_search search;
    pp_search_start(&search, config, writer, (double)config->chunks * config->memory_limit, 1);
    const int small = pp_exact_bytes(config) > 0;
    if (config->chunks == 1)
        search_one_chunk(&search, config->memory_limit, config->transfer == PP_TRANSFER_RENDEZVOUS);
    else
        search_two_chunks(&search, config->memory_limit, small ? 0 : 0.01);
    if (small) {
        pp_exact exact;
        pp_exact_start(&exact, &search, (char *)writer->scratch + pp_search_bytes(config, 1));
        pp_exact_run(&exact, exact_work);
        pp_exact_give(&exact, &search);
        writer->bound = exact.makespan.low;
    }
    pp_search_emit(&search, writer);
}

const pp_generator pp_generator_zb_auto = {
    .name = "zb-auto",
    .placement = PP_PLACE_ZIGZAG, /* one chunk: stage s on rank s */
    .chunks_min = 1,
    .chunks_max = 2,
    .chunks_default = 1,
    .trains = 1,
    .by_costs = 1,
    .options = 1u << PP_OPT_RECOMPUTE | 1u << PP_OPT_MEMORY_LIMIT | 1u << PP_OPT_KEPT_SHARE,
    .formula = "",
    .legal = legal,
    .action_count = action_count,
    .scratch_bytes = scratch_bytes,
    .generate = generate,
};
