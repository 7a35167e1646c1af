/* What a step asks of its ranks beside computing: places for messages that have arrived, and weights to be gathered. */
#include "schedules/schedule.h"
#include "studies/studies.h"
#include "time/timeline.h"

size_t pp_waiting_bytes(const pp_schedule *schedule) {
    return (size_t)schedule->action_count * (2 * sizeof(double) + sizeof(int32_t)) + sizeof(double);
}

static void sift(double *list, int32_t at, int32_t count) {
    const double moved = list[at];
    for (int32_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && list[child + 1] > list[child]) child++;
        if (list[child] <= moved) break;
        list[at] = list[child];
    }
    list[at] = moved;
}

/* Ascending, in place (Williams 1964). */
static void sort(double *list, int32_t count) {
    for (int32_t i = count / 2 - 1; i >= 0; i--) sift(list, i, count);
    for (int32_t end = count - 1; end > 0; end--) {
        const double last = list[0];
        list[0] = list[end];
        list[end] = last;
        sift(list, 0, end);
    }
}

void pp_waiting_report(const pp_schedule *s, const double *costs, const pp_timeline *line, void *scratch,
                       int32_t *waiting) {
    double *there = scratch, *taken = there + s->action_count;
    int32_t *taker = (int32_t *)(taken + s->action_count);
    for (int32_t i = 0; i < s->action_count; i++) taker[i] = -1;
    for (int32_t i = 0; i < s->action_count; i++) {
        const int32_t x = line->input[i];
        if (x >= 0 && (taker[x] < 0 || i < taker[x])) taker[x] = i;
    }
    for (int32_t r = 0; r < s->ranks; r++) {
        int32_t count = 0, most = 0;
        for (int32_t i = s->rank_begin[r]; i < s->rank_begin[r + 1]; i++) {
            const int32_t x = line->input[i];
            if (x < 0 || taker[x] != i || pp_rank_of_action(s, x) == r) continue;
            there[count] = pp_arrival(s, costs, line, i);
            taken[count++] = line->start[i]; /* ascending already */
        }
        sort(there, count);
        for (int32_t i = 0, gone = 0; i < count; i++) {
            while (gone < count && taken[gone] <= there[i]) gone++;
            if (i + 1 < count && there[i + 1] == there[i]) continue; /* all that come at once */
            if (i + 1 - gone > most) most = i + 1 - gone;
        }
        waiting[r] = most;
    }
}

void pp_gather_report(const pp_schedule *s, const pp_timeline *line, int32_t *held, int32_t *gathers) {
    const pp_conditions *c = s->conditions;
    for (int32_t r = 0; r < s->ranks; r++) gathers[r] = 0;
    if (c == NULL || c->gather == NULL) return;
    const int32_t keep = line->fused && c->keep < 2 ? 2 : c->keep;
    for (int32_t x = 0; x < s->pipes * s->stages; x++) held[x] = 0;
    for (int32_t r = 0, used = 0; r < s->ranks; r++)
        for (int32_t i = s->rank_begin[r]; i < s->rank_begin[r + 1]; i++) {
            const pp_action *a = &s->actions[i];
            const int32_t copy = (s->unit_pipe != NULL ? s->unit_pipe[a->microbatch] : 0) * s->stages + a->stage;
            int32_t count = 0, oldest = -1;
            for (int32_t x = 0; x < s->pipes * s->stages && held[copy] == 0; x++) {
                if (s->stage_rank[x] != r || held[x] == 0) continue;
                count++;
                if (oldest < 0 || held[x] < held[oldest]) oldest = x;
            }
            if (held[copy] == 0) {
                gathers[r]++;
                if (count >= keep) held[oldest] = 0;
            }
            held[copy] = ++used;
        }
}
