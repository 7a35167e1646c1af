/* Why a rank is idle, back to the root. Every action but the first starts when one other lets it: the one whose output it
 * needs, or the one before it on its rank. Following these from what ends the wait, one comes to an action that starts at
 * once; the times of the chain join without a gap, so the part of it that lies in the wait is the whole of the wait. */
#include "schedules/schedule.h"
#include "time/timeline.h"

/* How x holds up i, which pp_bound_by says it does. */
static int32_t holds(const pp_schedule *s, const pp_timeline *line, int32_t x, int32_t i) {
    int32_t slot = i > 0 && s->actions[i - 1].fused ? i - 1 : i;
    if (line->input[slot] == x || (s->actions[slot].fused && line->input[slot + 1] == x)) return PP_HOLDS_INPUT;
    return line->finish[x] < line->start[slot] ? PP_HOLDS_SENDER : PP_HOLDS_RANK;
}

int32_t pp_reasons(const pp_schedule *schedule, const double *costs, const pp_timeline *timeline, const pp_idle *idle,
                   pp_reason *out, int32_t capacity) {
    int32_t drains = idle->reason == PP_IDLE_DRAIN, count = 0, after = drains ? -1 : (int32_t)idle->before;
    int32_t i = drains ? pp_last_action(schedule, timeline) : pp_bound_by(schedule, costs, timeline, after);
    for (; i >= 0; count++) {
        if (count < capacity) {
            double start = timeline->start[i], until = after >= 0 ? timeline->start[after] : timeline->finish[i];
            out[count] = (pp_reason){.action = i,
                                     .rank = pp_rank_of_action(schedule, i),
                                     .start = start,
                                     .finish = timeline->finish[i],
                                     .until = until,
                                     .holds = after >= 0 ? holds(schedule, timeline, i, after) : PP_HOLDS_END,
                                     .inside = start < idle->finish && until > idle->start};
        }
        after = i;
        i = pp_bound_by(schedule, costs, timeline, i);
    }
    return count;
}
