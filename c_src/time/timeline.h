/* What check, simulate and explain share about a timeline. */
#ifndef PP_TIMELINE_H
#define PP_TIMELINE_H

#include "schedules/schedule.h"
#include "time/time.h"

/* Doubles of scratch per rank in a timeline. */
#define PP_RANK_SCRATCH 6

/* Ticks an action takes by itself; a half of a fused slot takes the slot's. i indexes schedule->actions. */
double pp_cost_of(const pp_schedule *schedule, const double *costs, int32_t i);
double pp_slot_cost(const pp_schedule *schedule, const double *costs, const pp_action *slot);

/* The same for the first action of a slot, where it is asked for every one. */
PP_INLINE double pp_ticks(const pp_schedule *s, const double *costs, int32_t i) {
    const pp_action *a = &s->actions[i];
    if (a->fused) return pp_slot_cost(s, costs, a);
    return costs[pp_op_cost_row(a->op) * s->stages + a->stage] * pp_factor(s, a->stage, a->microbatch);
}

/* Ticks the messages of the slot that ends with action i occupy its rank where sending does, and the lower stage of the hop
 * they go over, -1 for none. */
double pp_occupied(const pp_schedule *schedule, const double *costs, int32_t i);
int32_t pp_sending_hop(const pp_schedule *schedule, const double *costs, int32_t i);

/* When the input of action i is there; 0 where it needs none. */
double pp_arrival(const pp_schedule *schedule, const double *costs, const pp_timeline *timeline, int32_t i);

/* Latency of the message that brings action i its input; 0 where the input is on the same rank or there is none. */
double pp_latency_of(const pp_schedule *schedule, const double *costs, const pp_timeline *timeline, int32_t i);

/* Of the wait before action i, from free on: when what it waits for was made (the rest of the wait is transfer), within
 * the wait, and by which action, -1 for none. */
double pp_idle_made(const pp_schedule *schedule, const double *costs, const pp_timeline *timeline, int32_t i,
                    double free, int32_t *waits_for);

/* A run: consecutive actions of one rank that can go one after another. Packed into 32 bits: index of the first action
 * (25 bits, PP_MAX_ACTIONS), length - 1 (6 bits), and whether it is the first run of its rank. */
enum { PP_RUN_LENGTH = 64 };
static inline int32_t pp_run_first(uint32_t run) { return (int32_t)(run & 0x1FFFFFF); }
static inline int32_t pp_run_length(uint32_t run) { return (int32_t)(run >> 25 & 63) + 1; }
static inline int pp_run_opens(uint32_t run) { return (int)(run >> 31); }

/* Adds actions begin..end-1 of a rank, in pieces of at most PP_RUN_LENGTH that keep the halves of a slot together. */
static inline void pp_run_add(const pp_schedule *schedule, pp_timeline *line, int32_t begin, int32_t end, int opens) {
    while (begin < end) {
        int32_t length = end - begin < PP_RUN_LENGTH ? end - begin : PP_RUN_LENGTH;
        length -= schedule->actions[begin + length - 1].fused;
        line->runs[line->run_count++] = (uint32_t)begin | (uint32_t)(length - 1) << 25 | (uint32_t)opens << 31;
        begin += length;
        opens = 0;
    }
}

/* Fills line->runs from line->input by letting each rank run as far as it can, again whenever something came for it. head:
 * 3 * ranks entries, of which the first `ranks` then say where each rank came to. Returns 1 if all lists are done, 0 if the
 * schedule waits for itself. */
int32_t pp_order(const pp_schedule *schedule, pp_timeline *line, int32_t *head);

/* Fills idle, utilization and the bubbles from busy, makespan and span. scale: 0, or what all times are whole times. */
void pp_report_shares(pp_summary *summary, int32_t ranks, int scale);

/* Finds what is wrong with a schedule, as pp_check tells it; PP_OK, with input and runs filled, if nothing is. */
int32_t pp_diagnose(const pp_schedule *schedule, pp_timeline *line, int32_t *blocked, pp_fault *fault);

/* Fills fault with PP_ERR_DEADLOCK. stands[r]: the action rank r stands before, waits[r]: the action it waits for;
 * -1 where a rank is through. */
void pp_fault_deadlock(const pp_schedule *schedule, const int32_t *stands, const int32_t *waits, pp_fault *fault);

/* The action that ends the step, of several the one on the lowest rank. */
static inline int32_t pp_last_action(const pp_schedule *schedule, const pp_timeline *line) {
    int32_t end = -1;
    for (int32_t r = 0; r < schedule->ranks; r++) {
        int32_t i = schedule->rank_begin[r + 1] - 1;
        if (i >= schedule->rank_begin[r] && (end < 0 || line->finish[i] > line->finish[end])) end = i;
    }
    return end;
}

static inline int32_t pp_rank_of_action(const pp_schedule *schedule, int32_t i) {
    return pp_rank_of(schedule, schedule->actions[i].stage, schedule->actions[i].microbatch);
}

#endif
