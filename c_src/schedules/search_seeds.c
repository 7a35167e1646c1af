/* Lists from a few numbers, and climbing: which numbers are good depends on the costs, so they are tried. */
#include "schedules/search_seeds.h"

/* Time from the end of a forward on rank to the arrival of its gradient, if the next rank had nothing else to do and
 * were the last; of two chunks the mean. */
static double round_trip(const pp_search *s, int32_t rank) {
    const pp_try_stage *down = &s->stage[rank + 1], *up = &s->stage[s->stages - 2 - rank];
    double sum = down->time[0] + down->time[1] + 2 * s->stage[rank].hop;
    return s->chunks == 1 ? sum : (sum + up->time[0] + up->time[1] + 2 * up->hop) / 2;
}

static double mean_round_trip(const pp_search *s) {
    double sum = 0;
    for (int32_t r = 0; r + 1 < s->ranks; r++) sum += round_trip(s, r);
    return s->ranks > 1 ? sum / (s->ranks - 1) : 0;
}

static void list_one_chunk(pp_search *s, int32_t r, int32_t lag) {
    int32_t m = s->microbatches;
    for (int32_t x = 0; x < m + lag; x++) {
        if (x < m) pp_search_put(s, r, PP_LANE_F);
        if (x >= lag) pp_search_put(s, r, PP_LANE_B);
    }
}

void pp_list_two_chunks(pp_search *s, int32_t r, const double at[4]) {
    static const int32_t lanes[4] = {PP_LANE_F, PP_LANE_F + 1, PP_LANE_B + 1, PP_LANE_B};
    int32_t next[4] = {0}, m = s->microbatches;
    for (int32_t n = 0; n < 4 * m; n++) {
        int32_t first = -1;
        for (int32_t i = 0; i < 4; i++)
            if (next[i] < m && (first < 0 || at[i] + next[i] < at[first] + next[first] - 1e-9)) first = i;
        next[first]++;
        pp_search_put(s, r, lanes[first]);
    }
}

int32_t pp_guess_try(pp_search *s, const pp_guess *g) {
    int32_t last = s->ranks - 1, lag = 0, most = s->microbatches - 1;
    double unit = mean_round_trip(s), below = 0;
    int by_time = g->by_time && unit > 0;
    if (most > s->limit - 1) most = (int32_t)s->limit - 1;
    pp_search_clear(s);
    for (int32_t r = last; r >= 0; r--) {
        if (r < last) below += by_time ? round_trip(s, r) / unit : 1;
        double above = last - below > 0 ? last - below : 0;
        if (s->chunks == 1) {
            double wanted = g->slope * below + g->shift[0];
            int32_t now = wanted < most ? (int32_t)wanted : most;
            if (now > lag)
                lag = now; /* never less than the next rank's: that one would wait for this, and this for it */
            list_one_chunk(s, r, lag);
        } else {
            double at[4] = {0};
            at[1] = g->slope * below + g->shift[0];
            at[2] = at[1] + g->slope * above + g->shift[1];
            at[3] = at[2] + g->slope * below + g->shift[2];
            pp_list_two_chunks(s, r, at);
        }
    }
    return pp_search_try(s, &g->how);
}

/* ---- climbing ---- */

/* Tries g with one number changed; keeps the change if it is the best so far. */
static int32_t change(pp_search *s, pp_guess *g, float *number, float value) {
    float before = *number;
    *number = value;
    if (value >= 0 && pp_search_more(s) && pp_guess_try(s, g)) return 1;
    *number = before;
    return 0;
}

static int32_t toggle(pp_search *s, pp_guess *g, int32_t *flag) {
    *flag = !*flag;
    if (pp_search_more(s) && pp_guess_try(s, g)) return 1;
    *flag = !*flag;
    return 0;
}

void pp_guess_climb(pp_search *s, pp_guess *g) {
    static const float overs[] = {0, 0.125, 0.25, 0.5, 0.75, 1};
    int32_t shifts = s->chunks == 1 ? 1 : 3;
    float shift = s->chunks == 1 ? 0.5f : 1 / 6.0f, slope = 1 / 8.0f;
    for (int32_t rounds = 0; rounds < 3;) {
        int32_t better = 0;
        for (int32_t sign = -1; sign <= 1; sign += 2) {
            for (int32_t i = 0; i < shifts; i++)
                better |= change(s, g, &g->shift[i], g->shift[i] + (float)sign * shift);
            better |= change(s, g, &g->slope, g->slope * (1 + (float)sign * slope));
        }
        for (size_t i = 0; i < sizeof overs / sizeof overs[0]; i++)
            if (overs[i] != g->how.over) better |= change(s, g, &g->how.over, overs[i]);
        better |= toggle(s, g, &g->how.fair);
        better |= toggle(s, g, &g->how.hops);
        better |= toggle(s, g, &g->how.ahead);
        better |= toggle(s, g, &g->by_time);
        if (!pp_search_more(s)) return;
        if (better) continue;
        shift /= 2;
        slope /= 2;
        rounds++;
    }
}

/* ---- without lists ---- */

void pp_guess_dispatch(pp_search *s, int32_t often) {
    static const float fewer[] = {0, 0.25, 0.5, 1};
    static const int32_t odd[] = {6, 20, 60};
    pp_dispatch best = {.on = 1};
    pp_search_clear(s);
    for (int32_t n = 0; n < 24 && pp_search_more(s); n++) {
        pp_dispatch rules = {
            .on = 1, .forward_first = n % 2, .weights = n / 2 % 3, .fewer = fewer[n / 6] * (float)s->chunks};
        if (pp_search_try(s, &(pp_try){.free = rules})) best = rules;
    }
    for (int32_t n = 0; n < often && pp_search_more(s); n++) {
        pp_dispatch rules = best;
        if (n % 3 == 2) { /* other rules, too */
            rules.forward_first = n / 3 % 2;
            rules.weights = n / 6 % 3;
            rules.fewer = fewer[n / 18 % 4] * (float)s->chunks;
        }
        rules.odd = odd[n % 5 % 3];
        rules.seed = (uint32_t)n * 2654435761u + 1;
        if (pp_search_try(s, &(pp_try){.free = rules})) best = rules, best.odd = 0;
    }
}
