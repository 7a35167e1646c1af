/* A timetable that a person fills in by hand, one action after the other, at times of their own choosing: does the next one
 * fit? The rules are those of a step, read against times instead of an order: an action needs what it works on to be ready,
 * and a rank does one thing at a time. */
#include "schedules/schedule.h"
#include "time/timeline.h"

static double duration(const pp_schedule *s, const double *costs, const pp_placed *a) {
    const int32_t row = a->op == PP_F ? PP_COST_FORWARD : PP_COST_BACKWARD;
    return costs[row * s->stages + (int32_t)a->stage];
}

static int same_action(const pp_placed *a, double op, double stage, double microbatch) {
    return a->op == op && a->stage == stage && a->microbatch == microbatch;
}

static int32_t find(const pp_placed *placed, int32_t count, double op, double stage, double microbatch) {
    for (int32_t i = 0; i < count; i++)
        if (same_action(&placed[i], op, stage, microbatch)) return i;
    return -1;
}

/* Does the second need the output of the first? A backward needs the forward of its own stage, too. */
static int needs(const pp_schedule *s, const pp_placed *first, const pp_placed *second) {
    if (first->microbatch != second->microbatch) return 0;
    if (second->op == PP_F) return first->op == PP_F && first->stage == second->stage - 1;
    if (first->op == PP_F) return first->stage == second->stage;
    return second->stage < s->stages - 1 && first->stage == second->stage + 1;
}

static int32_t check_input(const pp_schedule *s, const double *costs, const pp_placed *placed, int32_t count,
                           const pp_placed *wanted, double op, double stage, int32_t *other) {
    const int32_t i = find(placed, count, op, stage, wanted->microbatch);
    *other = i;
    if (i < 0) return PP_DRAFT_MISSING;
    return placed[i].start + duration(s, costs, &placed[i]) > wanted->start ? PP_DRAFT_EARLY : PP_DRAFT_FITS;
}

/* Forwards that have begun on the rank by the start of this one and whose backward has not ended by then. */
static int32_t held_with(const pp_schedule *s, const double *costs, const pp_placed *placed, int32_t count,
                         const pp_placed *wanted) {
    int32_t held = 1;
    for (int32_t i = 0; i < count; i++) {
        if (placed[i].op != PP_F || placed[i].rank != wanted->rank || placed[i].start > wanted->start) continue;
        const int32_t back = find(placed, count, PP_B, placed[i].stage, placed[i].microbatch);
        held += back < 0 || placed[back].start + duration(s, costs, &placed[back]) > wanted->start;
    }
    return held;
}

int32_t pp_draft_check(const pp_schedule *s, const double *costs, const pp_placed *placed, int32_t count,
                       const pp_placed *wanted, int32_t limit, int32_t *other) {
    const double start = wanted->start, finish = start + duration(s, costs, wanted);
    *other = -1;
    if ((*other = find(placed, count, wanted->op, wanted->stage, wanted->microbatch)) >= 0) return PP_DRAFT_TWICE;
    if (pp_rank_of(s, (int32_t)wanted->stage, (int32_t)wanted->microbatch) != wanted->rank) return PP_DRAFT_ELSEWHERE;
    for (int32_t i = 0; i < count; i++) {
        *other = i;
        if (placed[i].rank != wanted->rank) continue;
        if (placed[i].start < finish && placed[i].start + duration(s, costs, &placed[i]) > start) return PP_DRAFT_TAKEN;
    }
    *other = -1;
    int32_t status = PP_DRAFT_FITS;
    if (wanted->op == PP_F && wanted->stage > 0)
        status = check_input(s, costs, placed, count, wanted, PP_F, wanted->stage - 1, other);
    if (wanted->op == PP_B) {
        status = check_input(s, costs, placed, count, wanted, PP_F, wanted->stage, other);
        if (status == PP_DRAFT_FITS && wanted->stage < s->stages - 1)
            status = check_input(s, costs, placed, count, wanted, PP_B, wanted->stage + 1, other);
    }
    if (status != PP_DRAFT_FITS) return status;
    for (int32_t i = 0; i < count; i++) {
        *other = i;
        if (needs(s, wanted, &placed[i]) && placed[i].start < finish) return PP_DRAFT_BLOCKS;
    }
    *other = -1;
    if (limit > 0 && wanted->op == PP_F && s->trains && held_with(s, costs, placed, count, wanted) > limit)
        return PP_DRAFT_MEMORY;
    return PP_DRAFT_FITS;
}
