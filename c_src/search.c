/* One try, and what is kept of it. Ranks are woken in the order of simulated time, so that when one of them decides,
 * everything that started earlier is known; what has not started yet is estimated. O(log p) an action. */
#include "search.h"

#include <assert.h>
#include <string.h>

enum { F, B, W }; /* B: an I where the backward is split */

static const double never = 1e300;
static const pp_try as_listed = {0};

/* ---- memory ---- */

static size_t align8(size_t bytes) { return (bytes + 7) & ~(size_t)7; }

static int32_t leaves_of(int32_t ranks) {
    int32_t n = 1;
    while (n < ranks) n *= 2;
    return n;
}

static int32_t room_of(const pp_config *config, int32_t split) {
    return (2 + split) * config->chunks * config->microbatches;
}

size_t pp_search_bytes(const pp_config *config, int32_t split) {
    size_t p = (size_t)config->ranks, n = (size_t)config->stages, m = (size_t)config->microbatches;
    size_t leaves = (size_t)leaves_of(config->ranks), room = (size_t)room_of(config, split);
    return (8 * n + 2 * n * m + leaves + 5 * p) * sizeof(double) +
           align8((3 * n + (4 + 2 * PP_LANES) * p + 2 * leaves) * sizeof(int32_t)) + align8(3 * p * room);
}

static double *take_doubles(char **at, size_t count) {
    double *out = (double *)(void *)*at;
    *at += count * sizeof(double);
    return out;
}

static int32_t *take_ints(char **at, size_t count) {
    int32_t *out = (int32_t *)(void *)*at;
    *at += count * sizeof(int32_t);
    return out;
}

static void lay_out(pp_search *s, char *at) {
    size_t p = (size_t)s->ranks, n = (size_t)s->stages, leaves = (size_t)s->leaves, room = (size_t)s->room;
    double **stage_doubles[] = {&s->time[F], &s->time[B], &s->time[W], &s->redo,
                                &s->hop,     &s->kept,    &s->turned,  &s->none};
    double **rank_doubles[] = {&s->free, &s->first, &s->last, &s->busy, &s->left};
    int32_t **rank_ints[] = {&s->head, &s->list_count, &s->ran_count, &s->best_count};
    for (size_t i = 0; i < sizeof stage_doubles / sizeof stage_doubles[0]; i++)
        *stage_doubles[i] = take_doubles(&at, n);
    for (int32_t op = F; op <= B; op++) s->arrival[op] = take_doubles(&at, n * (size_t)s->microbatches);
    s->wake = take_doubles(&at, leaves);
    for (size_t i = 0; i < sizeof rank_doubles / sizeof rank_doubles[0]; i++) *rank_doubles[i] = take_doubles(&at, p);
    char *ints = at;
    for (int32_t op = F; op <= W; op++) s->done[op] = take_ints(&at, n);
    for (size_t i = 0; i < sizeof rank_ints / sizeof rank_ints[0]; i++) *rank_ints[i] = take_ints(&at, p);
    s->next = take_ints(&at, PP_LANES * p);
    s->put = take_ints(&at, PP_LANES * p);
    s->tree = take_ints(&at, 2 * leaves);
    s->list = (uint8_t *)ints + align8((size_t)(at - ints));
    s->ran = s->list + p * room;
    s->best = s->ran + p * room;
}

static int32_t rank_of(const pp_search *s, int32_t stage) {
    return stage < s->ranks ? stage : 2 * s->ranks - 1 - stage;
}

void pp_search_start(pp_search *s, const pp_config *config, const pp_writer *writer, double limit, int32_t split) {
    const double *costs = writer->costs;
    int32_t n = config->stages, backward = split ? PP_COST_INPUT : PP_COST_BACKWARD;
    *s = (pp_search){.ranks = config->ranks,
                     .chunks = config->chunks,
                     .stages = n,
                     .microbatches = config->microbatches,
                     .split = split,
                     .early = config->recompute == PP_RECOMPUTE_EARLY,
                     .sender = config->transfer != PP_TRANSFER_OVERLAP,
                     .room = room_of(config, split),
                     .leaves = leaves_of(config->ranks),
                     .limit = limit,
                     .steps = PP_SEARCH_STEPS,
                     .score = {-1, 0, 0}};
    lay_out(s, writer->scratch);
    for (int32_t i = 0; i < n; i++) {
        int crosses = i < n - 1 && rank_of(s, i) != rank_of(s, i + 1);
        s->time[F][i] = costs != NULL ? costs[PP_COST_FORWARD * n + i] : 1;
        s->time[B][i] = costs != NULL ? costs[backward * n + i] : split ? 1 : 2;
        s->time[W][i] = costs != NULL ? costs[PP_COST_WEIGHT * n + i] : 1;
        s->redo[i] = config->recompute == PP_RECOMPUTE_NONE ? 0 : costs != NULL ? costs[PP_COST_RECOMPUTE * n + i] : 1;
        s->hop[i] = costs != NULL && crosses ? costs[PP_COST_LATENCY * n + i] : 0;
        s->kept[i] = costs != NULL ? costs[PP_COST_KEPT * n + i] : 1;
        s->none[i] = 0;
        s->grain += 1e-9 * (s->time[F][i] + s->time[B][i]) / n;
    }
    pp_search_clear(s);
}

void pp_search_clear(pp_search *s) {
    memset(s->list_count, 0, (size_t)s->ranks * sizeof(int32_t));
    memset(s->put, 0, (size_t)s->ranks * PP_LANES * sizeof(int32_t));
}

void pp_search_put(pp_search *s, int32_t rank, int32_t lane) {
    if (s->put[rank * PP_LANES + lane]++ < s->microbatches)
        s->list[(size_t)rank * (size_t)s->room + (size_t)s->list_count[rank]++] = (uint8_t)lane;
}

/* ---- who wakes next: a tree whose root is the rank that wakes first, of two the lower ---- */

static void tree_node(const pp_search *s, int32_t i) {
    int32_t a = s->tree[2 * i], b = s->tree[2 * i + 1];
    s->tree[i] = s->wake[a] <= s->wake[b] ? a : b;
}

static void tree_build(const pp_search *s) {
    for (int32_t i = 0; i < s->leaves; i++) s->tree[s->leaves + i] = i;
    for (int32_t i = s->leaves - 1; i >= 1; i--) tree_node(s, i);
}

static void wake_at(const pp_search *s, int32_t rank, double when) {
    s->wake[rank] = when;
    for (int32_t i = (s->leaves + rank) / 2; i >= 1; i /= 2) tree_node(s, i);
}

/* ---- what a rank knows ---- */

static int32_t lane_op(int32_t lane) { return lane / 2; }
static int32_t lane_of(const pp_search *s, int32_t op, int32_t stage) { return 2 * op + (stage >= s->ranks); }
static const uint8_t *list_of(const pp_search *s, int32_t r) { return s->list + (size_t)r * (size_t)s->room; }

static double lane_time(const pp_search *s, int32_t r, int32_t lane) {
    int32_t op = lane_op(lane), stage = pp_search_stage(s, r, lane & 1);
    return s->time[op][stage] + (op == B ? s->redo[stage] : 0);
}

/* When the next action of a lane can start at the earliest; 0 if what it needs has not even started. */
static int ready(const pp_search *s, int32_t r, int32_t lane, double *when) {
    int32_t op = lane_op(lane), stage = pp_search_stage(s, r, lane & 1), k = s->done[op][stage];
    size_t at = (size_t)stage * (size_t)s->microbatches + (size_t)k;
    *when = 0;
    if (op == W) return k < s->done[B][stage];
    if (op == F) {
        if (stage == 0) return 1;
        if (k >= s->done[F][stage - 1]) return 0;
        *when = s->arrival[F][at];
        return 1;
    }
    if (k >= s->done[F][stage] || (stage < s->stages - 1 && k >= s->done[B][stage + 1])) return 0;
    *when = s->arrival[B][at] - (s->early ? s->redo[stage] : 0);
    return 1;
}

/* No earlier than this, seen from now, will the input of a lane come: the rank that makes it must first run what stands
 * before it in its own list, and that, `hops` ranks on, has an input, too. */
static double expected(const pp_search *s, int32_t r, int32_t lane, double now, int32_t hops) {
    int32_t op = lane_op(lane), stage = pp_search_stage(s, r, lane & 1), source = op == F ? stage - 1 : stage + 1;
    double when;
    if (ready(s, r, lane, &when)) return when;
    if (op == W || source >= s->stages || rank_of(s, source) == r) return never;
    int32_t from = rank_of(s, source), i = s->head[from], end = s->list_count[from];
    const uint8_t *list = list_of(s, from);
    double start = s->free[from] > now ? s->free[from] : now;
    if (hops > 0 && i < end) {
        when = expected(s, from, list[i], now, hops - 1);
        if (when < never && when > start) start = when;
    }
    for (int32_t last = i + 8 < end ? i + 8 : end; i < last; i++) {
        start += lane_time(s, from, list[i]);
        if (list[i] == lane_of(s, op, source)) break;
    }
    return start + s->hop[op == F ? source : stage];
}

/* Counted afresh each time, so that shares of chunks do not add up their rounding. */
static int has_room(const pp_search *s, int32_t r) {
    double held = 1;
    for (int32_t chunk = 0; chunk < s->chunks; chunk++) {
        int32_t stage = pp_search_stage(s, r, chunk);
        held += s->done[F][stage] - s->done[B][stage];
        if (s->split) held += s->kept[stage] * (s->done[B][stage] - s->done[W][stage]);
    }
    return held <= s->limit + 1e-9;
}

/* The lane of W with most waiting, -1 for none. */
static int32_t pending(const pp_search *s, int32_t r) {
    int32_t lane = -1, most = 0;
    if (!s->split || s->fixed) return -1;
    for (int32_t chunk = s->chunks - 1; chunk >= 0; chunk--) {
        int32_t stage = pp_search_stage(s, r, chunk), waiting = s->done[B][stage] - s->done[W][stage];
        if (waiting > most) lane = PP_LANE_W + chunk;
        if (waiting > most) most = waiting;
    }
    return lane;
}

/* ---- what a rank does ---- */

/* Could rank r hold one chunk more, not counting those that only await their W, on its list's way to place `end`? */
static int one_more_fits(const pp_search *s, int32_t r, int32_t end) {
    const uint8_t *list = list_of(s, r);
    const int32_t *next = s->next + r * PP_LANES;
    int32_t level = 1, limit = (int32_t)s->limit;
    for (int32_t chunk = 0; chunk < s->chunks; chunk++) {
        int32_t stage = pp_search_stage(s, r, chunk);
        level += s->done[F][stage] - s->done[B][stage];
    }
    for (int32_t i = s->head[r]; i < end && level <= limit; i++)
        if (i >= next[list[i]]) level += lane_op(list[i]) == F ? 1 : -1; /* else it has been run */
    return level <= limit;
}

/* May a forward that stands at place `at` run now? It must leave room for all forwards between here and there, else the
 * rank could fill up and wait for ever. */
static int may_run_early(const pp_search *s, const pp_try *how, int32_t r, int32_t lane, int32_t at) {
    if (!has_room(s, r) || at - s->head[r] > 8 * s->ranks) return 0;
    if (lane == PP_LANE_F) {
        double spare = how->spare + how->spare_step * r, half = s->limit / 2;
        int32_t left = (int32_t)(spare < half ? spare : half);
        if (s->done[F][r] - s->done[B][r] + 1 > s->limit - left) return 0;
    }
    return one_more_fits(s, r, at);
}

/* The first action of the list that can run now and be over when the awaited input comes; -1 for none. */
static int32_t run_ahead(const pp_search *s, const pp_try *how, int32_t r, double now, double wait) {
    const int32_t *next = s->next + r * PP_LANES;
    int32_t found = -1;
    for (int32_t lane = 0; lane < PP_LANE_W; lane++) {
        double when;
        if (next[lane] >= s->list_count[r] || next[lane] == s->head[r]) continue;
        if (found >= 0 && next[found] < next[lane]) continue;
        if (!ready(s, r, lane, &when) || when > now) continue;
        if (lane_time(s, r, lane) * (1 - how->over) > wait + s->grain) continue;
        if (lane_op(lane) == F && !may_run_early(s, how, r, lane, next[lane])) continue;
        found = lane;
    }
    return found;
}

/* What rank r runs now; -1: it waits, until *until or, where that is never, for a message. */
static int32_t choose(const pp_search *s, const pp_try *how, int32_t r, double now, double *until) {
    int32_t weights = pending(s, r), lane;
    double when;
    *until = never;
    if (s->head[r] >= s->list_count[r]) return weights;
    lane = list_of(s, r)[s->head[r]];
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
    double wait = when > now ? when - now : 0, waited = now - s->first[r] - s->busy[r];
    if (lane_time(s, r, weights) * (1 - how->over) <= wait + s->grain) return weights;
    if (how->fair && waited + wait >= s->idlest - s->grain) return weights;
    return -1;
}

/* A message wakes a rank that waits for it, or for anything it could run ahead. */
static void message(const pp_search *s, const pp_try *how, int32_t op, int32_t stage, double when) {
    int32_t to = rank_of(s, stage);
    if (s->head[to] >= s->list_count[to] || s->wake[to] <= when) return;
    if (!how->ahead && list_of(s, to)[s->head[to]] != lane_of(s, op, stage)) return;
    wake_at(s, to, when > s->free[to] ? when : s->free[to]);
}

static void run(pp_search *s, const pp_try *how, int32_t r, int32_t lane, double start) {
    int32_t op = lane_op(lane), stage = pp_search_stage(s, r, lane & 1), k = s->done[op][stage]++;
    size_t m = (size_t)s->microbatches, at = (size_t)stage * m + (size_t)k;
    double finish = start, sends = 0;
    if (op == B && s->redo[stage] > 0) {
        finish += s->redo[stage];
        if (s->arrival[B][at] > finish) finish = s->arrival[B][at];
    }
    finish += s->time[op][stage];
    if (s->first[r] < 0) s->first[r] = start;
    double waited = start - s->first[r] - s->busy[r];
    if (waited > s->idlest) s->idlest = waited;
    s->busy[r] += lane_time(s, r, lane);
    s->left[r] -= lane_time(s, r, lane);
    s->last[r] = s->free[r] = finish;
    s->ran[(size_t)r * (size_t)s->room + (size_t)s->ran_count[r]++] = (uint8_t)lane;
    if (op == F && stage < s->stages - 1) {
        sends = s->hop[stage];
        s->arrival[F][at + m] = finish + sends;
        message(s, how, F, stage + 1, finish + sends);
    } else if (op == F) {
        s->arrival[B][at] = finish; /* the loss */
    } else if (op == B && stage > 0) {
        sends = s->hop[stage - 1];
        s->arrival[B][at - m] = finish + sends;
        message(s, how, B, stage - 1, finish + sends);
    }
    if (s->sender) s->free[r] += sends;
    wake_at(s, r, s->free[r]);
}

/* Behind what has been run: at next the first of each lane that has not, at head the first of all. */
static void advance(const pp_search *s, int32_t r, int32_t lane, int ahead) {
    if (!ahead) {
        s->head[r]++;
        return;
    }
    const uint8_t *list = list_of(s, r);
    int32_t *next = s->next + r * PP_LANES, count = s->list_count[r], i = next[lane] + 1;
    while (i < count && list[i] != lane) i++;
    next[lane] = i;
    s->head[r] = count;
    for (int32_t x = 0; x < PP_LANE_W; x++)
        if (next[x] < s->head[r]) s->head[r] = next[x];
}

/* ---- a try ---- */

/* Most chunks an order holds on rank r. An I leaves the share `kept` of its chunk, all of it where that is NULL. */
static double most_held(const pp_search *s, int32_t r, const uint8_t *order, int32_t count, const double *kept) {
    int32_t ran[PP_LANES] = {0};
    double most = 0;
    for (int32_t i = 0; i < count; i++) {
        ran[order[i]]++;
        if (lane_op(order[i]) != F) continue;
        double held = 0;
        for (int32_t chunk = 0; chunk < s->chunks; chunk++) {
            double share = !s->split ? 0 : kept != NULL ? kept[pp_search_stage(s, r, chunk)] : 1;
            held += ran[PP_LANE_F + chunk] - ran[PP_LANE_B + chunk];
            held += share * (ran[PP_LANE_B + chunk] - ran[PP_LANE_W + chunk]);
        }
        if (held > most) most = held;
    }
    return most;
}

/* Everything as it is before the first action; 0 if a list asks for more than the limit. */
static int begin(pp_search *s, int ahead) {
    memset(s->done[F], 0, 3 * (size_t)s->stages * sizeof(int32_t));
    s->idlest = 0;
    s->fixed = s->split && s->list_count[0] == s->room;
    for (int32_t r = 0; r < s->ranks; r++) {
        const uint8_t *list = list_of(s, r);
        int32_t *next = s->next + r * PP_LANES, count = s->list_count[r];
        /* W that are not in the list run as soon as there is need */
        if (most_held(s, r, list, count, s->fixed ? s->kept : s->none) > s->limit + 1e-9) return 0;
        for (int32_t x = 0; x < PP_LANES; x++) next[x] = count;
        if (ahead)
            for (int32_t i = count - 1; i >= 0; i--) next[list[i]] = i;
        s->head[r] = s->ran_count[r] = 0;
        s->free[r] = s->last[r] = s->busy[r] = s->left[r] = 0;
        s->first[r] = -1;
        for (int32_t lane = 0; lane < PP_LANES; lane++)
            if ((lane & 1) < s->chunks && lane_op(lane) < 2 + s->split)
                s->left[r] += s->microbatches * lane_time(s, r, lane);
    }
    for (int32_t i = 0; i < s->leaves; i++) s->wake[i] = i < s->ranks ? 0 : never;
    tree_build(s);
    return 1;
}

/* Runs the lists; 0 if they do not fit, wait for themselves, or go past the bound. */
static int run_lists(pp_search *s, const pp_try *how, const pp_score *bound) {
    int64_t left = (int64_t)s->ranks * s->room;
    if (!begin(s, how->ahead)) return 0;
    for (;;) {
        int32_t r = s->leaves > 1 ? s->tree[1] : 0;
        double now = s->wake[r], until;
        if (now >= never) return left == 0;
        int32_t lane = choose(s, how, r, now, &until);
        if (lane < 0) {
            wake_at(s, r, until);
            continue;
        }
        run(s, how, r, lane, now);
        if (lane < PP_LANE_W || s->fixed) advance(s, r, lane, how->ahead);
        double last = s->last[r] + s->left[r]; /* no earlier than this */
        if (last > bound->makespan || last - s->first[r] > bound->span) return 0;
        left--;
        s->steps--;
    }
}

static pp_score score_of(const pp_search *s) {
    pp_score score = {0, 0, 0};
    for (int32_t r = 0; r < s->ranks; r++) {
        double peak = most_held(s, r, s->ran + (size_t)r * (size_t)s->room, s->ran_count[r], NULL);
        if (s->last[r] > score.makespan) score.makespan = s->last[r];
        if (s->last[r] - s->first[r] > score.span) score.span = s->last[r] - s->first[r];
        if (peak > score.peak) score.peak = peak;
    }
    return score;
}

static int better(const pp_search *s, const pp_score *a, const pp_score *b) {
    double slack = 1e-9 * b->makespan, longer = a->makespan - b->makespan, wider = a->span - b->span;
    double first = s->by_span ? wider : longer, second = s->by_span ? longer : wider;
    if (first < -slack || first > slack) return first < 0;
    if (second < -slack || second > slack) return second < 0;
    return a->peak < b->peak;
}

/* The order the lists led to, *kept: it is the best now; or NULL. */
static const uint8_t *run_and_keep(pp_search *s, const pp_try *how, const pp_score *bound, int *kept) {
    *kept = 0;
    if (!run_lists(s, how, bound)) return NULL;
    pp_score score = score_of(s);
    uint8_t *order = s->ran;
    int32_t *count = s->ran_count;
    if (s->score.makespan >= 0 && !better(s, &score, &s->score)) return order;
    *kept = 1;
    s->score = score;
    s->ran = s->best;
    s->best = order;
    s->ran_count = s->best_count;
    s->best_count = count;
    return order;
}

static const pp_score unbounded = {1e300, 1e300, 1e300};

int32_t pp_search_try(pp_search *s, const pp_try *how) {
    pp_score bound = unbounded;
    int kept;
    if (s->score.makespan >= 0) {
        bound.makespan = (s->by_span ? s->longest : s->score.makespan) * (1 + 1e-9);
        if (s->by_span) bound.span = s->score.span * (1 + 1e-9);
    }
    run_and_keep(s, how, &bound, &kept);
    return kept;
}

void pp_search_by_span(pp_search *s, double share) {
    s->longest = s->score.makespan * (1 + share);
    s->by_span = 1;
}

/* ---- read from the end ---- */

static void list_from_end(pp_search *s, const uint8_t *order) {
    size_t n = (size_t)s->room;
    for (int32_t r = 0; r < s->ranks; r++) {
        const uint8_t *from = order + (size_t)r * n;
        uint8_t *to = s->list + (size_t)r * n;
        for (size_t i = 0; i < n; i++) to[i] = from[n - 1 - i] ^ (PP_LANE_F ^ PP_LANE_B);
        s->list_count[r] = s->room;
    }
}

static void swap(double **a, double **b) {
    double *c = *a;
    *a = *b;
    *b = c;
}

/* Runs the lists with F and B in each other's place. A B with its R before it is then simply a long F. */
static int run_turned(pp_search *s, const pp_try *how) {
    for (int32_t i = 0; i < s->stages; i++) s->turned[i] = s->time[B][i] + s->redo[i];
    swap(&s->time[F], &s->time[B]); /* B is F's */
    swap(&s->time[F], &s->turned);  /* F is B's with R */
    swap(&s->redo, &s->none);
    int ran = run_lists(s, how, &unbounded);
    swap(&s->redo, &s->none);
    swap(&s->time[F], &s->turned);
    swap(&s->time[F], &s->time[B]);
    return ran;
}

int32_t pp_search_turn(pp_search *s, const pp_try *how) {
    const pp_try back = {.ahead = 1, .hops = how->hops};
    int kept, best = 0;
    const uint8_t *order = run_and_keep(s, how, &unbounded, &kept);
    for (int32_t round = 0; round < 3 && order != NULL && pp_search_more(s); round++) {
        best |= kept;
        list_from_end(s, order);
        if (!run_turned(s, &back)) return best;
        list_from_end(s, s->ran);
        best |= pp_search_try(s, &as_listed);
        order = run_and_keep(s, &back, &unbounded, &kept);
    }
    return best | kept;
}

/* ---- what came of it ---- */

void pp_search_emit(const pp_search *s, pp_writer *writer) {
    assert(s->score.makespan >= 0);
    for (int32_t r = 0; r < s->ranks; r++) {
        const uint8_t *order = s->best + (size_t)r * (size_t)s->room;
        int32_t ran[PP_LANES] = {0};
        pp_rank_start(writer, r);
        for (int32_t i = 0; i < s->room; i++) {
            int32_t lane = order[i], stage = pp_search_stage(s, r, lane & 1), k = ran[lane]++;
            if (lane_op(lane) == B)
                pp_emit_backward(writer, s->split ? PP_I : PP_B, stage, k);
            else
                pp_emit(writer, lane_op(lane) == F ? PP_F : PP_W, stage, k);
        }
    }
}
