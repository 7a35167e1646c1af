/* The rules, the choices, and which question is asked next. All of it works on one array of numbers, `value`:
 *     begin[action]               it starts no earlier
 *     end[action]                 and is over no later
 *     before[rank][a][b][k]       so many actions of line b come before action k of line a
 * Each of them only grows, or for `end` shrinks, as more is known; what a choice has changed is saved and put back.
 * Sources: Carlier and Pinson 1989, An algorithm for solving the job-shop problem, for choices of pairs, and for the
 * rule that an action must come after a set it leaves no room in (pass_sets); Smith and Cheng 1993, Slack-based
 * heuristics, for which pair to choose. The rule of memory and its place among them are our own. */
#include "schedules/exact.h"

#include <math.h>
#include <string.h>

struct pp_exact_saved {
    int32_t at;
    double was;
};

/* Action k of line a and action n of line b of a rank, and which of them was put first. */
struct pp_exact_choice {
    int32_t rank, a, b, k, n, a_first, second, saved_count;
};

/* Largest steps: the rules take time by the square of a rank's actions. */
enum { MOST_ACTIONS = 192, MOST_ALL = 2048, MOST_CHOICES = 2048 };

/* ---- memory ---- */

static size_t align8(size_t bytes) { return (bytes + 7) & ~(size_t)7; }

typedef struct sizes {
    size_t lines, actions, all, orders, values, saved;
} sizes;

static sizes sizes_of(int32_t ranks, int32_t chunks, int32_t microbatches) {
    sizes n = {.lines = 3 * (size_t)chunks};
    n.actions = n.lines * (size_t)microbatches;
    n.all = n.actions * (size_t)ranks;
    n.orders = n.all * n.lines;
    n.values = 2 * n.all + n.orders;
    n.saved = 16 * n.values;
    n.lines *= (size_t)ranks;
    return n;
}

size_t pp_exact_bytes(const pp_config *config) {
    int alike = pp_recompute_end(config) == 0 || pp_recompute_end(config) == config->microbatches;
    if (!alike || config->slices > 1 || config->transfer == PP_TRANSFER_RENDEZVOUS) return 0;
    if ((int64_t)config->chunks * config->microbatches > MOST_ACTIONS) return 0;
    sizes n = sizes_of(config->ranks, config->chunks, config->microbatches);
    if (n.actions > MOST_ACTIONS || n.all > MOST_ALL) return 0;
    size_t doubles =
        2 * n.lines + (size_t)config->ranks * (size_t)(config->chunks + 1) + n.values + n.orders + 8 * n.actions;
    size_t ints = 2 * n.lines + n.values + 2 * n.all;
    return doubles * sizeof(double) + align8(ints * sizeof(int32_t)) + n.saved * sizeof(pp_exact_saved) +
           align8(MOST_CHOICES * sizeof(pp_exact_choice)) + align8(n.all + 2 * (size_t)config->ranks);
}

static void lay_out(pp_exact *e, void *memory) {
    sizes n = sizes_of(e->ranks, e->chunks, e->microbatches);
    double *doubles = memory;
    e->time = doubles, doubles += n.lines;
    e->lag = doubles, doubles += n.lines;
    e->kept = doubles, doubles += e->ranks * e->chunks;
    e->head = doubles, doubles += e->ranks;
    e->value = doubles, doubles += n.values;
    e->weight = doubles, doubles += n.orders;
    e->scratch = doubles, doubles += 8 * n.actions;
    e->saved = (pp_exact_saved *)(void *)doubles;
    e->choice = (pp_exact_choice *)(void *)(e->saved + n.saved);
    int32_t *ints = (int32_t *)(void *)((char *)e->choice + align8(MOST_CHOICES * sizeof(pp_exact_choice)));
    e->source = ints, ints += n.lines;
    e->target = ints, ints += n.lines;
    e->stamp = ints, ints += n.values;
    e->by_begin = ints, ints += n.all;
    e->by_end = ints, ints += n.all;
    e->best = (uint8_t *)(((uintptr_t)ints + 7) & ~(uintptr_t)7);
    e->dirty = e->best + n.all;
    e->loose = e->dirty + e->ranks;
    e->saved_room = (int32_t)n.saved;
    e->choice_room = MOST_CHOICES;
}

/* ---- the step ---- */

static int32_t op_of(const pp_exact *e, int32_t line) { return line / e->chunks; }

/* Of a rank, in the numbers of search.h. */
static int32_t lane_of(const pp_exact *e, int32_t line) { return 2 * op_of(e, line) + line % e->chunks; }

static int32_t line_of(const pp_exact *e, int32_t op, int32_t stage) {
    int32_t up = stage >= e->ranks, rank = up ? 2 * e->ranks - 1 - stage : stage;
    return rank * e->lines + op * e->chunks + up;
}

static void link_lines(pp_exact *e, int32_t line, int32_t source, double lag) {
    e->source[line] = source;
    e->lag[line] = lag;
    if (source >= 0) e->target[source] = line;
}

/* The greatest number that all times are multiples of, where all are whole. */
static double common_grain(const pp_exact *e) {
    double grain = 0;
    for (int32_t i = 0; i < 2 * e->ranks * e->lines; i++) {
        double a = i % 2 ? e->time[i / 2] : fabs(e->lag[i / 2]), b = grain;
        if (a != floor(a) || a > 1e9) return 0;
        while (a > 0) {
            double rest = fmod(b, a);
            b = a;
            a = rest;
        }
        grain = b;
    }
    return grain;
}

/* A message that keeps its sender makes its action longer. */
static void take_step(pp_exact *e, const pp_search *s) {
    int32_t n = s->stages;
    double mean = 0;
    for (int32_t i = 0; i < e->ranks * e->lines; i++) e->target[i] = -1;
    for (int32_t i = 0; i < n; i++) {
        const pp_try_stage *stage = &s->stage[i];
        double below = i > 0 ? s->stage[i - 1].hop : 0, above = i < n - 1 ? stage->hop : 0;
        double redo = s->redo_end > 0 ? stage->redo : 0, wait = s->sender ? 0 : 1;
        int32_t f = line_of(e, 0, i), b = line_of(e, 1, i), w = line_of(e, 2, i);
        e->time[f] = stage->time[0] + (s->sender ? above : 0);
        e->time[b] = stage->time[1] + redo + (s->sender ? below : 0);
        e->time[w] = stage->time[2];
        link_lines(e, f, i > 0 ? line_of(e, 0, i - 1) : -1, wait * below);
        if (i == n - 1)
            link_lines(e, b, f, 0);
        else
            link_lines(e, b, line_of(e, 1, i + 1), wait * above - (s->early ? redo : 0));
        link_lines(e, w, -1, 0);
        e->kept[f / e->lines * e->chunks + f % e->chunks] = stage->kept;
        mean += (e->time[f] + e->time[b] + e->time[w]) / n;
    }
    e->head[0] = 0;
    for (int32_t r = 1; r < e->ranks; r++)
        e->head[r] = e->head[r - 1] + e->time[(r - 1) * e->lines] + e->lag[r * e->lines];
    e->rounding = 1e-9 * mean;
    e->grain = common_grain(e);
}

/* ---- values ---- */

static double *begins(const pp_exact *e, int32_t rank) { return e->value + rank * e->actions; }
static double *ends(const pp_exact *e, int32_t rank) { return begins(e, rank) + e->ranks * e->actions; }

/* Before action k of line a, by k. */
static double *befores(const pp_exact *e, int32_t rank, int32_t a, int32_t b) {
    return e->value + 2 * e->ranks * e->actions + ((rank * e->lines + a) * e->lines + b) * e->microbatches;
}

static void set(pp_exact *e, double *place, double value) {
    int32_t at = (int32_t)(place - e->value);
    if (e->stamp[at] != e->stamps) {
        if (e->saved_count == e->saved_room) {
            e->crowded = 1;
            return;
        }
        e->saved[e->saved_count++] = (pp_exact_saved){at, *place};
        e->stamp[at] = e->stamps;
    }
    *place = value;
}

static void touch(pp_exact *e, int32_t rank) { e->dirty[rank] = e->loose[rank] = 1; }

/* Action `at` of all starts no earlier than `when`, and so what waits for it; 0 if its window is too small. */
static int no_earlier(pp_exact *e, int32_t at, double when) {
    int32_t m = e->microbatches, all = e->ranks * e->actions;
    while (when > e->value[at] + e->rounding) {
        int32_t line = at / m, target = e->target[line];
        if (when + e->time[line] > e->value[all + at] + e->rounding) return 0;
        set(e, &e->value[at], when);
        touch(e, line / e->lines);
        if (target < 0) break;
        when += e->time[line] + e->lag[target];
        at = target * m + at % m;
    }
    return 1;
}

/* It is over no later. */
static int no_later(pp_exact *e, int32_t at, double when) {
    int32_t m = e->microbatches, all = e->ranks * e->actions;
    while (when < e->value[all + at] - e->rounding) {
        int32_t line = at / m, source = e->source[line];
        if (e->value[at] + e->time[line] > when + e->rounding) return 0;
        set(e, &e->value[all + at], when);
        touch(e, line / e->lines);
        if (source < 0) break;
        when -= e->time[line] + e->lag[line];
        at = source * m + at % m;
    }
    return 1;
}

/* Actions of line b before `count` come before action k of line a, and before those behind it; 0 if one of them is known
 * to come after it. */
static int put_before(pp_exact *e, int32_t rank, int32_t a, int32_t b, int32_t k, double count) {
    double *before = befores(e, rank, a, b), *other = befores(e, rank, b, a);
    for (; k < e->microbatches && before[k] < count; k++) {
        if (other[(int32_t)count - 1] > k) return 0;
        set(e, &before[k], count);
        touch(e, rank);
    }
    return 1;
}

/* ---- rules of one rank; each answers 0 if there is no way ---- */

/* The actions of a line follow each other. */
static int pass_lines(pp_exact *e, int32_t rank) {
    int32_t m = e->microbatches;
    for (int32_t line = rank * e->lines; line < (rank + 1) * e->lines; line++) {
        const double *begin = e->value + line * m, *end = begin + e->ranks * e->actions;
        for (int32_t k = 1; k < m; k++)
            if (!no_earlier(e, line * m + k, begin[k - 1] + e->time[line])) return 0;
        for (int32_t k = m - 2; k >= 0; k--)
            if (!no_later(e, line * m + k, end[k + 1] - e->time[line])) return 0;
    }
    return 1;
}

/* Of two actions whose windows have no room for one order, the other is known. */
static int pass_pairs(pp_exact *e, int32_t rank) {
    const double *begin = begins(e, rank), *end = ends(e, rank), *time = e->time + rank * e->lines;
    int32_t m = e->microbatches;
    for (int32_t a = 0; a < e->lines; a++) {
        for (int32_t b = a + 1; b < e->lines; b++) {
            const double *before = befores(e, rank, a, b), *after = befores(e, rank, b, a);
            double both = time[a] + time[b] - e->rounding;
            for (int32_t k = 0; k < m; k++) {
                for (int32_t n = (int32_t)before[k]; n < m && after[n] <= k; n++) {
                    int a_first = begin[a * m + k] + both <= end[b * m + n];
                    int b_first = begin[b * m + n] + both <= end[a * m + k];
                    if (!a_first && !b_first) return 0;
                    if (!a_first && !put_before(e, rank, a, b, k, n + 1)) return 0;
                    if (!b_first && !put_before(e, rank, b, a, n, k + 1)) return 0;
                }
            }
        }
    }
    e->work += 0.25 * e->lines * e->actions;
    return 1;
}

/* What comes before something that comes before it. */
static int pass_chains(pp_exact *e, int32_t rank) {
    for (int32_t a = 0; a < e->lines; a++) {
        for (int32_t b = 0; b < e->lines; b++) {
            if (a == b) continue;
            const double *before = befores(e, rank, a, b);
            for (int32_t c = 0; c < e->lines; c++) {
                if (c == a || c == b) continue;
                const double *further = befores(e, rank, b, c), *known = befores(e, rank, a, c);
                for (int32_t k = 0; k < e->microbatches; k++) {
                    if (before[k] < 1) continue;
                    double count = further[(int32_t)before[k] - 1];
                    if (count > known[k] && !put_before(e, rank, a, c, k, count)) return 0;
                }
            }
        }
    }
    return 1;
}

/* How many actions of line b may come before action k of line a. */
static int32_t may_precede(const pp_exact *e, int32_t rank, int32_t a, int32_t b, int32_t k) {
    const double *other = befores(e, rank, b, a);
    int32_t n = (int32_t)befores(e, rank, a, b)[k];
    while (n < e->microbatches && other[n] <= k) n++;
    return n;
}

/* At each forward: the chunks held, if only those forwards that must have run before it and all backwards that can. What
 * would then be too many must wait, or must have run. */
static int pass_memory(pp_exact *e, int32_t rank) {
    for (int32_t a = 0; a < e->chunks; a++) {
        for (int32_t k = 0; k < e->microbatches; k++) {
            double held = k + 1;
            for (int32_t c = 0; c < e->chunks; c++) {
                double kept = e->kept[rank * e->chunks + c];
                if (c != a) held += befores(e, rank, a, c)[k];
                held -= (1 - kept) * may_precede(e, rank, a, e->chunks + c, k);
                held -= kept * may_precede(e, rank, a, 2 * e->chunks + c, k);
            }
            double room = e->limit - held + 1e-9;
            if (room < 0) return 0;
            for (int32_t b = 0; b < 3 * e->chunks; b++) {
                if (b == a) continue;
                if (b < e->chunks) {
                    int32_t known = (int32_t)befores(e, rank, a, b)[k] + (int32_t)room;
                    if (known < e->microbatches && !put_before(e, rank, b, a, known, k + 1)) return 0;
                    continue;
                }
                double kept = e->kept[rank * e->chunks + b % e->chunks];
                double share = op_of(e, b) == 1 ? 1 - kept : kept;
                if (share <= 0) continue;
                double most = may_precede(e, rank, a, b, k), spare = floor(room / share);
                if (most - spare >= 1 && !put_before(e, rank, a, b, k, most - spare)) return 0;
            }
        }
    }
    return 1;
}

/* Sorted already but for what has changed since last time. */
static void sort(int32_t *order, int32_t count, const double *key) {
    for (int32_t i = 1; i < count; i++) {
        int32_t item = order[i], at = i;
        for (; at > 0 && key[order[at - 1]] > key[item]; at--) order[at] = order[at - 1];
        order[at] = item;
    }
}

/* No action starts before all that come before it can be over; and the other way round. */
static int pass_sums(pp_exact *e, int32_t rank) {
    const double *time = e->time + rank * e->lines;
    int32_t m = e->microbatches, n = e->actions, *by_begin = e->by_begin + rank * n, *by_end = e->by_end + rank * n;
    double *begin = e->scratch, *end = begin + n; /* as they are now: the sums below go by the sorted order */
    memcpy(begin, begins(e, rank), (size_t)n * sizeof(double));
    memcpy(end, ends(e, rank), (size_t)n * sizeof(double));
    sort(by_begin, n, begin);
    sort(by_end, n, end);
    for (int32_t a = 0; a < e->lines; a++) {
        for (int32_t k = 0; k < m; k++) {
            int32_t count[6], left = 0;
            for (int32_t b = 0; b < e->lines; b++) {
                count[b] = b == a ? k : (int32_t)befores(e, rank, a, b)[k];
                left += count[b];
            }
            double when = 0;
            for (int32_t i = 0; left > 0; i++) {
                int32_t at = by_begin[i], line = at / m;
                if (at % m >= count[line]) continue;
                when = (begin[at] > when ? begin[at] : when) + time[line];
                left--;
            }
            if (!no_earlier(e, (rank * e->lines + a) * m + k, when)) return 0;
            left = 0;
            for (int32_t b = 0; b < e->lines; b++) {
                const double *other = befores(e, rank, b, a);
                int32_t first = b == a ? k + 1 : k == 0 ? 0 : count[b];
                while (b != a && first < m && other[first] <= k) first++;
                count[b] = first;
                left += m - first;
            }
            when = INFINITY;
            for (int32_t i = n - 1; left > 0; i--) {
                int32_t at = by_end[i], line = at / m;
                if (at % m < count[line]) continue;
                when = (end[at] < when ? end[at] : when) - time[line];
                left--;
            }
            if (!no_later(e, (rank * e->lines + a) * m + k, when)) return 0;
        }
    }
    e->work += n * n;
    return 1;
}

/* One direction of the rule below, for actions sorted by their begin. late[i]: the new begin of action i. */
static int find_after(const pp_exact *e, int32_t n, const double *begin, const double *end, const double *time,
                      const int32_t *by_begin, const int32_t *by_end, double *late, double *sum, double *over) {
    for (int32_t i = 0; i < n; i++) late[i] = begin[i];
    for (int32_t i = 0; i < n; i++) {
        double limit = end[by_end[i]];
        if (i + 1 < n && end[by_end[i + 1]] == limit) continue;
        /* of the actions that are over by the limit, those from place x on: how long they take, and by when all of them
         * can be over */
        sum[n] = 0;
        over[n] = -INFINITY;
        for (int32_t x = n - 1; x >= 0; x--) {
            int32_t at = by_begin[x];
            sum[x] = sum[x + 1];
            over[x] = over[x + 1];
            if (end[at] > limit) continue;
            sum[x] += time[at];
            if (begin[at] + sum[x] > over[x]) over[x] = begin[at] + sum[x];
            if (over[x] > limit + e->rounding) return 0;
        }
        double most = -INFINITY; /* the set that leaves least room, among those that begin no later than the action */
        int32_t set = -1;
        for (int32_t x = 0; x < n; x++) {
            int32_t at = by_begin[x];
            if (end[at] <= limit) {
                if (begin[at] + sum[x] > most) {
                    most = begin[at] + sum[x];
                    set = x;
                }
                continue;
            }
            if (set >= 0 && most + time[at] > limit + e->rounding && over[set] > late[at]) late[at] = over[set];
            if (sum[x + 1] > 0 && begin[at] + time[at] + sum[x + 1] > limit + e->rounding && over[x + 1] > late[at])
                late[at] = over[x + 1];
        }
    }
    return 1;
}

static void reverse(int32_t *order, int32_t count) {
    for (int32_t i = 0; i < count / 2; i++) {
        int32_t item = order[i];
        order[i] = order[count - 1 - i];
        order[count - 1 - i] = item;
    }
}

/* A set of actions and one more that must all be over before the set's last end cannot be, if there is no time for all
 * of them in between: then the one comes after the whole set. And the other way round. */
static int pass_sets(pp_exact *e, int32_t rank) {
    int32_t n = e->actions, m = e->microbatches, all = rank * n;
    double *begin = e->scratch, *end = begin + n, *time = end + n, *late = time + n, *sum = late + n,
           *over = sum + n + 1;
    int32_t *by_begin = e->by_begin + all, *by_end = e->by_end + all;
    for (int32_t way = 0; way < 2; way++) {
        for (int32_t i = 0; i < n; i++) {
            time[i] = e->time[rank * e->lines + i / m];
            begin[i] = way == 0 ? begins(e, rank)[i] : -ends(e, rank)[i];
            end[i] = way == 0 ? ends(e, rank)[i] : -begins(e, rank)[i];
        }
        int32_t *first = way == 0 ? by_begin : by_end, *last = way == 0 ? by_end : by_begin;
        if (way == 1) reverse(first, n), reverse(last, n);
        sort(first, n, begin);
        sort(last, n, end);
        if (!find_after(e, n, begin, end, time, first, last, late, sum, over)) return 0;
        for (int32_t i = 0; i < n; i++) {
            if (late[i] <= begin[i] + e->rounding) continue;
            if (!(way == 0 ? no_earlier(e, all + i, late[i]) : no_later(e, all + i, -late[i]))) return 0;
        }
        if (way == 1) reverse(first, n), reverse(last, n);
    }
    e->work += 4 * n * n;
    return 1;
}

static int pass_rank(pp_exact *e, int32_t rank) {
    return pass_lines(e, rank) && pass_pairs(e, rank) && pass_chains(e, rank) && pass_memory(e, rank) &&
           pass_sums(e, rank);
}

/* All rules, until none of them tells anything more. */
static int pass_all(pp_exact *e) {
    for (int32_t r = 0; r < e->ranks;) {
        if (e->crowded) return 0;
        if (e->dirty[r]) {
            e->dirty[r] = 0;
            if (!pass_rank(e, r)) return 0;
            r = 0;
            continue;
        }
        if (++r < e->ranks) continue;
        for (r = 0; r < e->ranks && !e->loose[r]; r++) {
        }
        if (r == e->ranks) return 1;
        e->loose[r] = 0;
        if (!pass_sets(e, r)) return 0;
        r = 0;
    }
    return 1;
}

/* ---- questions ---- */

/* Before anything is known but the step and the time it may take. */
static int open_question(pp_exact *e, double until, double within) {
    int32_t m = e->microbatches, n = e->actions, c = e->chunks;
    e->until = until;
    e->within = within;
    e->saved_count = e->choice_count = e->stamps = e->crowded = 0;
    memset(e->stamp, 0, (size_t)(2 * e->ranks * n + e->ranks * n * e->lines) * sizeof(int32_t)); /* nothing is saved */
    memset(e->value, 0, (size_t)(2 * e->ranks * n + e->ranks * n * e->lines) * sizeof(double));
    for (int32_t r = 0; r < e->ranks; r++) {
        double latest = e->head[r] + within < until ? e->head[r] + within : until;
        touch(e, r);
        for (int32_t i = 0; i < n; i++) {
            ends(e, r)[i] = latest;
            e->by_begin[r * n + i] = e->by_end[r * n + i] = i;
        }
        for (int32_t k = 0; k < m; k++) {
            /* down by the first chunk, up by the second, and back */
            if (c == 2) befores(e, r, 1, 0)[k] = befores(e, r, 3, 1)[k] = befores(e, r, 2, 3)[k] = k + 1;
            for (int32_t x = 0; x < c; x++) befores(e, r, c + x, x)[k] = befores(e, r, 2 * c + x, c + x)[k] = k + 1;
        }
    }
    for (int32_t r = 0; r < e->ranks; r++)
        if (!no_earlier(e, r * n, e->head[r])) return 0;
    return pass_all(e);
}

/* The pair that leaves least room, whichever of the two comes first; 0 if all are in order. */
static int choose(pp_exact *e, pp_exact_choice *out) {
    double least = INFINITY;
    int32_t m = e->microbatches;
    for (int32_t r = 0; r < e->ranks; r++) {
        const double *begin = begins(e, r), *end = ends(e, r), *time = e->time + r * e->lines;
        for (int32_t a = 0; a < e->lines; a++) {
            for (int32_t b = a + 1; b < e->lines; b++) {
                const double *before = befores(e, r, a, b), *after = befores(e, r, b, a);
                const double *weight = e->weight + ((r * e->lines + a) * e->lines + b) * m;
                for (int32_t k = 0; k < m; k++) {
                    for (int32_t n = (int32_t)before[k]; n < m && after[n] <= k; n++) {
                        double a_first = end[b * m + n] - begin[a * m + k] - time[a] - time[b];
                        double b_first = end[a * m + k] - begin[b * m + n] - time[a] - time[b];
                        double small = a_first < b_first ? a_first : b_first, unit = 1e8 * e->rounding;
                        double large = a_first < b_first ? b_first : a_first;
                        if (small < 0) small = 0;
                        if (large < 0) large = 0;
                        double room = (sqrt((small + unit) * (large + unit)) + 0.3 * large) / (1 + weight[k]);
                        if (room >= least) continue;
                        least = room;
                        *out = (pp_exact_choice){r, a, b, k, n, a_first >= b_first, 0, 0};
                    }
                }
            }
        }
    }
    e->work += e->ranks * e->actions;
    return least < INFINITY;
}

static int follow(pp_exact *e, const pp_exact_choice *c) {
    e->stamps++;
    return (c->a_first ? put_before(e, c->rank, c->b, c->a, c->n, c->k + 1)
                       : put_before(e, c->rank, c->a, c->b, c->k, c->n + 1)) &&
           pass_all(e);
}

static void undo(pp_exact *e, int32_t count) {
    while (e->saved_count > count) {
        const pp_exact_saved *saved = &e->saved[--e->saved_count];
        e->value[saved->at] = saved->was;
    }
    e->stamps++; /* what is changed from here on is saved anew */
    memset(e->dirty, 0, 2 * (size_t)e->ranks);
}

enum { OPEN, YES, NO, GIVEN_UP };

/* One choice further. */
static int go_on(pp_exact *e) {
    pp_exact_choice next;
    if (!choose(e, &next)) return YES;
    if (e->choice_count == e->choice_room) return GIVEN_UP;
    next.saved_count = e->saved_count;
    e->choice[e->choice_count++] = next;
    if (follow(e, &next)) return OPEN;
    while (!e->crowded && e->choice_count > 0) {
        pp_exact_choice *c = &e->choice[e->choice_count - 1];
        undo(e, c->saved_count);
        if (c->second) {
            e->choice_count--;
            continue;
        }
        e->weight[((c->rank * e->lines + c->a) * e->lines + c->b) * e->microbatches + c->k] += 1;
        c->second = 1;
        c->a_first = !c->a_first;
        if (follow(e, c)) return OPEN;
    }
    return e->crowded ? GIVEN_UP : NO;
}

/* ---- what has been found ---- */

/* All pairs are in order: so many actions come before an action. */
static void take_order(pp_exact *e) {
    int32_t m = e->microbatches, n = e->actions;
    e->makespan.high = e->span.high = 0;
    for (int32_t r = 0; r < e->ranks; r++) {
        double last = 0;
        for (int32_t a = 0; a < e->lines; a++) {
            for (int32_t k = 0; k < m; k++) {
                int32_t place = k;
                for (int32_t b = 0; b < e->lines; b++)
                    if (b != a) place += (int32_t)befores(e, r, a, b)[k];
                e->best[r * n + place] = (uint8_t)lane_of(e, a);
            }
            double over = begins(e, r)[a * m + m - 1] + e->time[r * e->lines + a];
            if (over > last) last = over;
        }
        if (last > e->makespan.high) e->makespan.high = last;
        if (last - e->head[r] > e->span.high) e->span.high = last - e->head[r];
    }
}

/* Nothing lies between the two. */
static int met(const pp_exact *e, const pp_exact_goal *goal) {
    return goal->high - goal->low <= (e->grain > 0 ? e->grain / 2 : 2e-9 * goal->high);
}

/* The largest value that an order could still have and be better. */
static double next_better(const pp_exact *e, double high) { return e->grain > 0 ? high - e->grain : high * (1 - 1e-9); }

/* At a share of the way from low to the next better than high. */
static double value_between(const pp_exact *e, const pp_exact_goal *goal, double share) {
    double value = goal->low + share * (next_better(e, goal->high) - goal->low);
    if (e->grain > 0) value = floor(value / e->grain + 1e-6) * e->grain;
    return value < goal->low ? goal->low : value;
}

/* No order has this value or less. */
static void raise(const pp_exact *e, pp_exact_goal *goal, double value) {
    double low = e->grain > 0 ? floor(value / e->grain + 1 + 1e-6) * e->grain : value;
    if (low > goal->low) goal->low = low;
}

/* What no choice is needed for, first: between low and reach lies the least value that the rules do not exclude. Halves
 * that; 0 if it is known. */
static int halve(pp_exact *e, pp_exact_goal *goal) {
    int spans = goal == &e->span;
    if (e->reach < 0) e->reach = goal->high;
    if (e->reach - goal->low <= (e->grain > 0 ? e->grain / 2 : 1e-4 * e->reach)) return 0;
    double value = value_between(e, &(pp_exact_goal){goal->low, e->reach}, 0.5);
    if (open_question(e, spans ? e->makespan.high : value, spans ? value : INFINITY))
        e->reach = value;
    else
        raise(e, goal, value);
    return 1;
}

/* The goal that is worked on; NULL: all is known. */
static pp_exact_goal *goal_of(pp_exact *e) {
    if (!e->proved && met(e, &e->makespan)) {
        e->proved = 1;
        e->round = e->asking = 0;
        e->reach = -1;
    }
    if (!e->proved) return &e->makespan;
    if (!e->settled && met(e, &e->span)) e->settled = 1;
    return e->settled ? NULL : &e->span;
}

static void ask(pp_exact *e, pp_exact_goal *goal) {
    int spans = goal == &e->span;
    int32_t turn = e->round - 1, doublings = turn / 3 < 20 ? turn / 3 : 20;
    double value = value_between(e, goal, turn % 3 / 2.0);
    e->asking = 1;
    e->asked = 0;
    e->allowed = 100.0 * e->ranks * e->actions * e->actions * (1 << doublings);
    e->round++;
    if (open_question(e, spans ? e->makespan.high : value, spans ? value : INFINITY)) return;
    raise(e, goal, value);
    e->asking = 0;
}

/* One micro-batch after the other: it runs within any limit. Down, up, and back the same way, then the weights. */
static void serial_order(const pp_exact *e) {
    static const uint8_t way[] = {0, 1, 3, 2, 4, 5};
    for (int32_t i = 0, r = 0; r < e->ranks; r++) {
        for (int32_t k = 0; k < e->microbatches; k++)
            for (int32_t x = 0; x < 6; x++)
                if (way[x] % 2 < e->chunks) e->best[i++] = way[x];
    }
}

void pp_exact_start(pp_exact *e, const pp_search *s, void *memory) {
    int32_t chunks = s->chunks, lines = 3 * chunks;
    *e = (pp_exact){.ranks = s->ranks,
                    .lines = lines,
                    .microbatches = s->microbatches,
                    .chunks = chunks,
                    .actions = lines * s->microbatches,
                    .limit = s->limit,
                    .reach = -1};
    lay_out(e, memory);
    take_step(e, s);
    memset(e->weight, 0, (size_t)e->ranks * (size_t)e->actions * (size_t)lines * sizeof(double));
    double serial = 0, most = 0;
    for (int32_t r = 0; r < e->ranks; r++) {
        double busy = 0;
        for (int32_t x = r * lines; x < (r + 1) * lines; x++) {
            busy += e->time[x] * e->microbatches;
            serial += (e->time[x] + (e->lag[x] > 0 ? e->lag[x] : 0)) * e->microbatches;
        }
        if (busy > most) most = busy;
    }
    e->makespan.low = e->span.low = most;
    e->makespan.high = e->span.high = serial;
    serial_order(e);
    if (s->score.makespan >= 0) {
        e->makespan.high = s->score.makespan;
        e->span.high = s->score.span;
        for (int32_t r = 0; r < e->ranks; r++) memcpy(e->best + r * e->actions, s->rank[r].best, (size_t)e->actions);
    }
}

int32_t pp_exact_run(pp_exact *e, double work) {
    const double until = e->work + work;
    pp_exact_goal *goal;
    while ((goal = goal_of(e)) != NULL && e->work < until) {
        if (e->round == 0) {
            if (!halve(e, goal)) e->round = 1;
            continue;
        }
        if (!e->asking) {
            ask(e, goal);
            continue;
        }
        double before = e->work, value = goal == &e->span ? e->within : e->until;
        int answer = go_on(e);
        e->asked += e->work - before;
        if (answer == YES) take_order(e);
        if (answer == NO) raise(e, goal, value);
        if (answer != OPEN || e->asked > e->allowed) e->asking = 0;
    }
    return goal == NULL;
}

int32_t pp_exact_give(const pp_exact *e, pp_search *s) {
    static const pp_try as_listed = {0};
    s->by_span = 0; /* the makespan counts first */
    pp_search_clear(s);
    for (int32_t r = 0; r < e->ranks; r++)
        for (int32_t i = 0; i < e->actions; i++) pp_search_put(s, r, e->best[r * e->actions + i]);
    return pp_search_try(s, &as_listed);
}
