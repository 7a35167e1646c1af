/* What simulate.c asks of events.c: a step with links, with room for only so many messages, with gathers. */
#ifndef PP_EVENTS_H
#define PP_EVENTS_H

#include "schedules/schedule.h"
#include "time/time.h"

/* Bytes of a timeline for it, 0 where the schedule has no such conditions; and where in the timeline they are. */
size_t pp_events_bytes(const pp_schedule *schedule);
void pp_events_place(const pp_schedule *schedule, pp_timeline *timeline, char *memory);

/* Links, and nothing else of the kind: one pass over the runs. */
void pp_time_linked(const pp_schedule *schedule, const double *costs, pp_timeline *timeline);
/* All of it. PP_OK or DEADLOCK: with so little room ranks wait for each other. */
int32_t pp_time_events(const pp_schedule *schedule, const double *costs, int32_t transfer, pp_timeline *timeline,
                       pp_fault *fault);

/* The link that the message of an action takes, -1 for none. */
int32_t pp_link_of(const pp_schedule *schedule, int32_t action);

#endif
