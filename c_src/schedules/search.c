/* One try, and what is kept of it. Ranks are woken in the order of simulated time, so that when one of them decides,
 * everything that started earlier is known; what has not started yet is estimated. O(log p) an action. */
#include "schedules/search.h"

#include <assert.h>
#include <string.h>

enum { F, B, W }; /* B: an I where the backward is split */

static const double never = 1e300;
static const pp_try as_listed = {0};

/* ---- memory: stages, ranks, arrivals, the tree, lists ---- */

static int32_t leaves_of(int32_t ranks) {
    int32_t n = 1;
    while (n < ranks) n *= 2;
    return n;
}

static int32_t room_of(const pp_config *config, int32_t split) {
    return (2 + split) * config->chunks * config->microbatches;
}

size_t pp_search_bytes(const pp_config *config, int32_t split) {
    size_t n = (size_t)config->stages, leaves = (size_t)leaves_of(config->ranks);
    size_t bytes = n * (sizeof(pp_try_stage) + 2 * (size_t)config->microbatches * sizeof(double)) +
                   leaves * (sizeof(pp_try_rank) + 2 * sizeof(int32_t)) +
                   3 * (size_t)config->ranks * (size_t)room_of(config, split);
    return (bytes + 7) & ~(size_t)7;
}

PP_INLINE int32_t stage_of(const pp_search *s, int32_t rank, int32_t lane) {
    return lane & 1 ? 2 * s->ranks - 1 - rank : rank;
}

PP_INLINE int32_t rank_of(const pp_search *s, int32_t stage) {
    return stage < s->ranks ? stage : 2 * s->ranks - 1 - stage;
}

void pp_search_start(pp_search *s, const pp_config *config, const pp_writer *writer, double limit, int32_t split) {
    const double *costs = writer->costs;
    int32_t n = config->stages, m = config->microbatches, backward = split ? PP_COST_INPUT : PP_COST_BACKWARD;
    *s = (pp_search){.ranks = config->ranks,
                     .chunks = config->chunks,
                     .stages = n,
                     .microbatches = m,
                     .split = split,
                     .early =
                         config->recompute == PP_RECOMPUTE_EARLY || config->recompute == PP_RECOMPUTE_EARLY_EXCEPT_LAST,
                     .redo_end = pp_recompute_end(config),
                     .sender = config->transfer != PP_TRANSFER_OVERLAP,
                     .room = room_of(config, split),
                     .leaves = leaves_of(config->ranks),
                     .limit = limit,
                     .steps = PP_SEARCH_STEPS,
                     .score = {-1, 0, 0}};
    s->stage = writer->scratch;
    s->rank = (pp_try_rank *)(s->stage + n);
    double *arrivals = (double *)(void *)(s->rank + s->leaves);
    s->tree = (int32_t *)(arrivals + 2 * (size_t)n * (size_t)m);
    uint8_t *lists = (uint8_t *)(s->tree + 2 * s->leaves);
    for (int32_t i = 0; i < n; i++) {
        int crosses = i < n - 1 && rank_of(s, i) != rank_of(s, i + 1);
        s->stage[i] = (pp_try_stage){.time = {1, split ? 1 : 2, 1}, .redo = 1, .hop = 0, .kept = 1};
        if (costs != NULL)
            s->stage[i] = (pp_try_stage){
                .time = {costs[PP_COST_FORWARD * n + i], costs[backward * n + i], costs[PP_COST_WEIGHT * n + i]},
                .redo = costs[PP_COST_RECOMPUTE * n + i],
                .hop = crosses ? costs[PP_COST_LATENCY * n + i] : 0,
                .kept = costs[PP_COST_KEPT * n + i]};
        for (int32_t op = F; op <= B; op++, arrivals += m) s->stage[i].arrival[op] = arrivals;
        s->grain += 1e-9 * (s->stage[i].time[F] + s->stage[i].time[B]) / n;
    }
    for (int32_t r = 0; r < s->ranks; r++, lists += 3 * (size_t)s->room)
        s->rank[r] = (pp_try_rank){.list = lists, .ran = lists + s->room, .best = lists + 2 * (size_t)s->room};
}

void pp_search_clear(pp_search *s) {
    for (int32_t r = 0; r < s->ranks; r++) {
        memset(s->rank[r].put, 0, sizeof s->rank[r].put);
        s->rank[r].list_count = 0;
    }
}

void pp_search_put(pp_search *s, int32_t r, int32_t lane) {
    pp_try_rank *rank = &s->rank[r];
    if (rank->put[lane]++ < s->microbatches) rank->list[rank->list_count++] = (uint8_t)lane;
}

/* ---- who wakes next: a tree whose root is the rank that wakes first, of two the lower ---- */

PP_INLINE void tree_node(const pp_search *s, int32_t i) {
    int32_t a = s->tree[2 * i], b = s->tree[2 * i + 1];
    s->tree[i] = s->rank[a].wake <= s->rank[b].wake ? a : b;
}

static void tree_build(const pp_search *s) {
    for (int32_t i = 0; i < s->leaves; i++) {
        s->rank[i].wake = i < s->ranks ? 0 : never;
        s->tree[s->leaves + i] = i;
    }
    for (int32_t i = s->leaves - 1; i >= 1; i--) tree_node(s, i);
}

PP_INLINE void wake_at(const pp_search *s, int32_t r, double when) {
    s->rank[r].wake = when;
    for (int32_t i = (s->leaves + r) / 2; i >= 1; i /= 2) tree_node(s, i);
}

/* ---- what a rank knows ---- */

PP_INLINE int32_t lane_op(int32_t lane) { return lane / 2; }
PP_INLINE int32_t lane_of(const pp_search *s, int32_t op, int32_t stage) { return 2 * op + (stage >= s->ranks); }

/* Time of R before the next B of a stage. */
PP_INLINE double redo_time(const pp_search *s, const pp_try_stage *stage) {
    return stage->done[B] < s->redo_end ? stage->redo : 0;
}

/* Time of the next action of a lane. */
PP_INLINE double lane_time(const pp_search *s, int32_t r, int32_t lane) {
    const pp_try_stage *stage = &s->stage[stage_of(s, r, lane)];
    int32_t op = lane_op(lane);
    return stage->time[op] + (op == B ? redo_time(s, stage) : 0);
}

/* When the next action of a lane can start at the earliest; 0 if what it needs has not even started. */
PP_INLINE int ready(const pp_search *s, int32_t r, int32_t lane, double *when) {
    int32_t op = lane_op(lane), number = stage_of(s, r, lane);
    const pp_try_stage *stage = &s->stage[number];
    int32_t k = stage->done[op];
    *when = 0;
    if (op == W) return k < stage->done[B];
    if (op == F) {
        if (number == 0) return 1;
        if (k >= stage[-1].done[F]) return 0;
        *when = stage->arrival[F][k];
        return 1;
    }
    if (k >= stage->done[F] || (number < s->stages - 1 && k >= stage[1].done[B])) return 0;
    *when = stage->arrival[B][k] - (s->early ? redo_time(s, stage) : 0);
    return 1;
}

/* No earlier than this, seen from now, will the input of a lane come: the rank that makes it must first run what
 * stands before it in its own list, and that, `hops` ranks on, has an input, too. */
static double expected(const pp_search *s, int32_t r, int32_t lane, double now, int32_t hops) {
    int32_t op = lane_op(lane), stage = stage_of(s, r, lane), source = op == F ? stage - 1 : stage + 1;
    double when;
    if (ready(s, r, lane, &when)) return when;
    if (op == W || source >= s->stages || rank_of(s, source) == r) return never;
    int32_t from = rank_of(s, source);
    const pp_try_rank *rank = &s->rank[from];
    int32_t i = rank->head, end = rank->list_count;
    double start = rank->free > now ? rank->free : now;
    if (hops > 0 && i < end) {
        when = expected(s, from, rank->list[i], now, hops - 1);
        if (when < never && when > start) start = when;
    }
    for (int32_t last = i + 8 < end ? i + 8 : end; i < last; i++) {
        start += lane_time(s, from, rank->list[i]);
        if (rank->list[i] == lane_of(s, op, source)) break;
    }
    return start + s->stage[op == F ? source : stage].hop;
}

/* Micro-batches of all chunks of rank r for which one op has run and another not. */
PP_INLINE int32_t between(const pp_search *s, int32_t r, int32_t op, int32_t other) {
    int32_t sum = 0;
    for (int32_t chunk = 0; chunk < s->chunks; chunk++) {
        const pp_try_stage *stage = &s->stage[stage_of(s, r, chunk)];
        sum += stage->done[op] - stage->done[other];
    }
    return sum;
}

/* Counted afresh each time, so that shares of chunks do not add up their rounding. */
static int holds_one_more(const pp_search *s, int32_t r, double limit) {
    double held = 1 + between(s, r, F, B);
    for (int32_t chunk = 0; chunk < s->chunks && s->split; chunk++) {
        const pp_try_stage *stage = &s->stage[stage_of(s, r, chunk)];
        held += stage->kept * (stage->done[B] - stage->done[W]);
    }
    return held <= limit + 1e-9;
}

static int has_room(const pp_search *s, int32_t r) { return holds_one_more(s, r, s->limit); }

/* The lane of W with most waiting, -1 for none. */
static int32_t pending(const pp_search *s, int32_t r) {
    int32_t lane = -1, most = 0;
    if (!s->split || s->fixed) return -1;
    for (int32_t chunk = s->chunks - 1; chunk >= 0; chunk--) {
        const pp_try_stage *stage = &s->stage[stage_of(s, r, chunk)];
        if (stage->done[B] - stage->done[W] <= most) continue;
        most = stage->done[B] - stage->done[W];
        lane = PP_LANE_W + chunk;
    }
    return lane;
}

/* ---- what a rank does ---- */

/* Could rank r hold one chunk more, not counting those that only await their W, up to place `end` of its list? */
static int one_more_fits(const pp_search *s, int32_t r, int32_t end) {
    const pp_try_rank *rank = &s->rank[r];
    int32_t level = 1 + between(s, r, F, B), limit = (int32_t)s->limit;
    for (int32_t i = rank->head; i < end && level <= limit; i++)
        if (i >= rank->next[rank->list[i]]) level += lane_op(rank->list[i]) == F ? 1 : -1; /* else it has been run */
    return level <= limit;
}

/* May a forward that stands at place `at` run now? It must leave room for all forwards between here and there, else
 * the rank could fill up and wait for ever. */
static int may_run_early(const pp_search *s, const pp_try *how, int32_t r, int32_t lane, int32_t at) {
    if (!has_room(s, r) || at - s->rank[r].head > 8 * s->ranks) return 0;
    if (lane == PP_LANE_F) {
        double spare = how->spare + (double)how->spare_step * r, half = s->limit / 2;
        int32_t left = (int32_t)(spare < half ? spare : half);
        if (s->stage[r].done[F] - s->stage[r].done[B] + 1 > s->limit - left) return 0;
    }
    return one_more_fits(s, r, at);
}

/* The first action of the list that can run now and be over when the awaited input comes; -1 for none. */
static int32_t run_ahead(const pp_search *s, const pp_try *how, int32_t r, double now, double wait) {
    const pp_try_rank *rank = &s->rank[r];
    int32_t found = -1, place = rank->list_count;
    for (int32_t lane = 0; lane < PP_LANE_W; lane++) {
        double when;
        if (rank->next[lane] >= place || rank->next[lane] == rank->head) continue;
        if (!ready(s, r, lane, &when) || when > now) continue;
        if (lane_time(s, r, lane) * (1 - how->over) > wait + s->grain) continue;
        if (lane_op(lane) == F && !may_run_early(s, how, r, lane, rank->next[lane])) continue;
        place = rank->next[lane];
        found = lane;
    }
    return found;
}

/* 1 as often as the rules of a dispatch may be left. */
static int strays(pp_search *s, const pp_dispatch *rules) {
    s->random = s->random * 1664525u + 1013904223u;
    return (int32_t)(s->random >> 24) < rules->odd;
}

/* The same without lists: forwards and backwards of the later chunk first, they lead on to where memory is let go of. */
static int32_t dispatch(pp_search *s, const pp_dispatch *rules, int32_t r, double now, double *until) {
    double limit = s->limit - (double)rules->fewer * r, when, next = never;
    if (limit < s->chunks) limit = s->chunks;
    int32_t weights = pending(s, r), full = 0, left_out = -1;
    *until = never;
    if (weights >= 0 && rules->weights == 2 && !strays(s, rules)) return weights;
    for (int32_t turn = 0; turn < 2; turn++) {
        int32_t forward = turn == 0 ? rules->forward_first : !rules->forward_first;
        for (int32_t chunk = s->chunks - 1; chunk >= 0; chunk--) {
            int32_t lane = (forward ? PP_LANE_F : PP_LANE_B) + chunk;
            if (s->stage[stage_of(s, r, lane)].done[lane_op(lane)] == s->microbatches) continue;
            if (!ready(s, r, lane, &when)) continue;
            if (forward && !holds_one_more(s, r, chunk + 1 < s->chunks ? limit - 1 : limit)) {
                full = 1; /* a first chunk leaves room for a second one */
                continue;
            }
            if (when > now) {
                if (when < next) next = when;
                continue;
            }
            if (!strays(s, rules)) return lane;
            left_out = lane;
        }
    }
    if (weights >= 0 && (rules->weights == 1 || full || lane_time(s, r, weights) <= next - now + s->grain))
        return weights;
    *until = next;
    return next < never ? -1 : left_out;
}

/* What rank r runs now; -1: it waits, until *until or, where that is never, for a message. */
static int32_t choose(const pp_search *s, const pp_try *how, int32_t r, double now, double *until) {
    const pp_try_rank *rank = &s->rank[r];
    int32_t weights = pending(s, r), lane;
    double when;
    *until = never;
    if (rank->head >= rank->list_count) return weights;
    lane = rank->list[rank->head];
    if (weights >= 0 && lane_op(lane) == F && !has_room(s, r)) return weights;
    int known = ready(s, r, lane, &when);
    if (known && when <= now) return lane;
    if (known) *until = when;
    if (!known && (weights >= 0 || how->ahead)) when = expected(s, r, lane, now, how->hops);
    if (how->ahead) {
        int32_t other = run_ahead(s, how, r, now, when - now);
        if (other >= 0) return other;
    }
    if (weights < 0) return -1;
    double wait = when > now ? when - now : 0, waited = now - rank->first - rank->busy;
    if (lane_time(s, r, weights) * (1 - how->over) <= wait + s->grain) return weights;
    if (how->fair && waited + wait >= s->idlest - s->grain) return weights;
    return -1;
}

/* A message that arrives at `when` wakes a rank that waits for it, or for anything it could run ahead. */
static void message(const pp_search *s, const pp_try *how, int32_t op, int32_t stage, double now, double when) {
    int32_t r = rank_of(s, stage);
    const pp_try_rank *to = &s->rank[r];
    s->stage[stage].arrival[op][s->stage[op == F ? stage - 1 : stage + 1].done[op] - 1] = when;
    if (op == B && s->early) when -= redo_time(s, &s->stage[stage]); /* R comes first */
    if (when < now) when = now;
    if (to->wake <= when) return;
    if (!how->free.on && to->head >= to->list_count) return;
    if (!how->free.on && !how->ahead && to->list[to->head] != lane_of(s, op, stage)) return;
    wake_at(s, r, when > to->free ? when : to->free);
}

static void run(pp_search *s, const pp_try *how, int32_t r, int32_t lane, double start) {
    int32_t op = lane_op(lane), number = stage_of(s, r, lane);
    pp_try_stage *stage = &s->stage[number];
    pp_try_rank *rank = &s->rank[r];
    double time = lane_time(s, r, lane), redo = op == B ? redo_time(s, stage) : 0, finish = start, sends = 0;
    if (redo > 0) { /* an early R has begun as soon as the rank was free */
        double made = (s->early ? rank->free : start) + redo, arrived = stage->arrival[B][stage->done[B]];
        finish = made > arrived ? made : arrived;
    }
    finish += stage->time[op];
    if (rank->first < 0) rank->first = start;
    double waited = start - rank->first - rank->busy;
    if (waited > s->idlest) s->idlest = waited;
    rank->busy += time;
    rank->left -= time;
    rank->last = rank->free = finish;
    rank->ran[rank->ran_count++] = (uint8_t)lane;
    stage->done[op]++;
    if (op == F && number == s->stages - 1) {
        stage->arrival[B][stage->done[F] - 1] = finish; /* the loss */
    } else if (op == F) {
        sends = stage->hop;
        message(s, how, F, number + 1, start, finish + sends);
    } else if (op == B && number > 0) {
        sends = stage[-1].hop;
        message(s, how, B, number - 1, start, finish + sends);
    }
    if (s->sender) rank->free += sends;
    wake_at(s, r, rank->free);
}

/* Behind what has been run: at next the first of each lane that has not, at head the first of all. */
static void advance(pp_try_rank *rank, int32_t lane, int ahead) {
    if (!ahead) {
        rank->head++;
        return;
    }
    int32_t i = rank->next[lane] + 1;
    while (i < rank->list_count && rank->list[i] != lane) i++;
    rank->next[lane] = i;
    rank->head = rank->list_count;
    for (int32_t x = 0; x < PP_LANE_W; x++)
        if (rank->next[x] < rank->head) rank->head = rank->next[x];
}

/* ---- a try ---- */

/* Most chunks an order holds on rank r. An I leaves `kept` of its chunk; below 0: the stage's own share. */
static double most_held(const pp_search *s, int32_t r, const uint8_t *order, int32_t count, double kept) {
    int32_t ran[PP_LANES] = {0};
    double most = 0;
    for (int32_t i = 0; i < count; i++) {
        ran[order[i]]++;
        if (lane_op(order[i]) != F) continue;
        double held = 0;
        for (int32_t chunk = 0; chunk < s->chunks; chunk++) {
            double share = kept < 0 ? s->stage[stage_of(s, r, chunk)].kept : kept;
            held += ran[PP_LANE_F + chunk] - ran[PP_LANE_B + chunk];
            held += share * (ran[PP_LANE_B + chunk] - ran[PP_LANE_W + chunk]);
        }
        if (held > most) most = held;
    }
    return most;
}

/* Everything as it is before the first action; 0 if a list asks for more than the limit. */
static int begin(pp_search *s, int ahead) {
    s->idlest = 0;
    s->fixed = s->split && s->rank[0].list_count == s->room;
    for (int32_t i = 0; i < s->stages; i++) memset(s->stage[i].done, 0, sizeof s->stage[i].done);
    for (int32_t r = 0; r < s->ranks; r++) {
        pp_try_rank *rank = &s->rank[r];
        /* W that are not in the list run as soon as there is need */
        if (most_held(s, r, rank->list, rank->list_count, s->fixed ? -1 : 0) > s->limit + 1e-9) return 0;
        for (int32_t x = 0; x < PP_LANES; x++) rank->next[x] = rank->list_count;
        if (ahead)
            for (int32_t i = rank->list_count - 1; i >= 0; i--) rank->next[rank->list[i]] = i;
        rank->head = rank->ran_count = 0;
        rank->free = rank->last = rank->busy = rank->left = 0;
        rank->first = -1;
        for (int32_t chunk = 0; chunk < s->chunks; chunk++) {
            const pp_try_stage *stage = &s->stage[stage_of(s, r, chunk)];
            for (int32_t op = F; op < 2 + s->split; op++) rank->left += s->microbatches * stage->time[op];
            rank->left += s->redo_end * stage->redo;
        }
    }
    tree_build(s);
    return 1;
}

/* Runs the lists; 0 if they do not fit, wait for themselves, or go past the bound. */
static int run_lists(pp_search *s, const pp_try *how, const pp_score *bound) {
    int64_t left = (int64_t)s->ranks * s->room;
    if (!begin(s, how->ahead)) return 0;
    s->random = how->free.seed;
    s->fixed = s->fixed && !how->free.on;
    for (;;) {
        int32_t r = s->leaves > 1 ? s->tree[1] : 0;
        pp_try_rank *rank = &s->rank[r];
        double now = rank->wake, until;
        if (now >= never) return left == 0;
        int32_t lane = how->free.on ? dispatch(s, &how->free, r, now, &until) : choose(s, how, r, now, &until);
        if (lane < 0) {
            wake_at(s, r, until);
            continue;
        }
        run(s, how, r, lane, now);
        if (!how->free.on && (lane < PP_LANE_W || s->fixed)) advance(rank, lane, how->ahead);
        double last = rank->last + rank->left; /* no earlier than this */
        if (last > bound->makespan || last - rank->first > bound->span) return 0;
        left--;
        s->steps--;
    }
}

static int better(const pp_search *s, const pp_score *a, const pp_score *b) {
    double slack = 1e-9 * b->makespan, longer = a->makespan - b->makespan, wider = a->span - b->span;
    double first = s->by_span ? wider : longer, second = s->by_span ? longer : wider;
    if (first < -slack || first > slack) return first < 0;
    if (second < -slack || second > slack) return second < 0;
    return a->peak < b->peak;
}

/* After lists have been run: keeps the order if it is the best so far. */
static int keep(pp_search *s) {
    pp_score score = {0, 0, 0};
    for (int32_t r = 0; r < s->ranks; r++) {
        const pp_try_rank *rank = &s->rank[r];
        double peak = most_held(s, r, rank->ran, rank->ran_count, s->split ? 1 : 0);
        if (rank->last > score.makespan) score.makespan = rank->last;
        if (rank->last - rank->first > score.span) score.span = rank->last - rank->first;
        if (peak > score.peak) score.peak = peak;
    }
    if (s->score.makespan >= 0 && !better(s, &score, &s->score)) return 0;
    s->score = score;
    for (int32_t r = 0; r < s->ranks; r++) memcpy(s->rank[r].best, s->rank[r].ran, (size_t)s->room);
    return 1;
}

static const pp_score unbounded = {1e300, 1e300, 1e300};

int32_t pp_search_try(pp_search *s, const pp_try *how) {
    pp_score bound = unbounded;
    if (s->score.makespan >= 0) {
        bound.makespan = (s->by_span ? s->longest : s->score.makespan) * (1 + 1e-9);
        if (s->by_span) bound.span = s->score.span * (1 + 1e-9);
    }
    return run_lists(s, how, &bound) && keep(s);
}

void pp_search_by_span(pp_search *s, double share) {
    s->longest = s->score.makespan * (1 + share);
    s->by_span = 1;
}

/* ---- read from the end ---- */

/* What has just been run becomes the list, from its end, and F and B change places. Another turn undoes it. */
static void turn(pp_search *s) {
    for (int32_t r = 0; r < s->ranks; r++) {
        pp_try_rank *rank = &s->rank[r];
        for (int32_t i = 0; i < s->room; i++) rank->list[i] = rank->ran[s->room - 1 - i] ^ (PP_LANE_F ^ PP_LANE_B);
        rank->list_count = s->room;
    }
    for (int32_t i = 0; i < s->stages; i++) {
        double *time = s->stage[i].time, forward = time[F];
        time[F] = time[B];
        time[B] = forward;
    }
}

int32_t pp_search_turn(pp_search *s, const pp_try *how) {
    const pp_try back = {.ahead = 1, .hops = how->hops};
    int32_t redo_end = s->redo_end, best = 0, ran = run_lists(s, how, &unbounded);
    for (int32_t round = 0; round < 3 && ran; round++) {
        best |= keep(s);
        if (!pp_search_more(s)) break;
        turn(s);
        s->redo_end = 0; /* there is no R to find room for */
        ran = run_lists(s, &back, &unbounded);
        turn(s);
        s->redo_end = redo_end;
        if (!ran) break;
        best |= pp_search_try(s, &as_listed);
        ran = run_lists(s, &back, &unbounded);
    }
    return best | (ran && keep(s));
}

/* ---- what came of it ---- */

void pp_search_emit(const pp_search *s, pp_writer *writer) {
    assert(s->score.makespan >= 0);
    for (int32_t r = 0; r < s->ranks; r++) {
        int32_t ran[PP_LANES] = {0};
        pp_rank_start(writer, r);
        for (int32_t i = 0; i < s->room; i++) {
            int32_t lane = s->rank[r].best[i], stage = stage_of(s, r, lane), k = ran[lane]++;
            if (lane_op(lane) == B)
                pp_emit_backward(writer, s->split ? PP_I : PP_B, stage, k);
            else
                pp_emit(writer, lane_op(lane) == F ? PP_F : PP_W, stage, k);
        }
    }
}
