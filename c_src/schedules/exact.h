/* The best order of a small step, found and proved. One question is asked again and again: is there an order that is
 * over by a given time? Each action has a window of time in which it can run. What must come before what narrows the
 * windows, and narrower windows tell more of what must come before what. Where that stops, one pair of actions of a
 * rank is put in either order, and each of the two ways is followed. If no way is left, there is no such order: the best
 * step is longer. If all pairs are in order, an order has been found.
 *
 * This asks for a step whose micro-batches are alike. Then no order is better than all of those in which the
 * micro-batches follow each other in every stage and op: numbering them anew, in each stage and op by who comes first,
 * changes no time. What is left to choose is how the forwards, input gradients and weight gradients of a rank are
 * shuffled into each other. */
#ifndef PP_EXACT_H
#define PP_EXACT_H

#include "schedules/search.h"

typedef struct pp_exact_saved pp_exact_saved;
typedef struct pp_exact_choice pp_exact_choice;

/* A figure that is being made smaller: no order has less than low, and one has been found that has high. */
typedef struct pp_exact_goal {
    double low, high;
} pp_exact_goal;

typedef struct pp_exact {
    /* what is known */
    pp_exact_goal makespan;
    pp_exact_goal span; /* of steps of that makespan; worked on once it is settled */
    int32_t proved;     /* 1: no order has a shorter makespan; by a billionth at most, where times are not whole */
    int32_t settled;    /* 1: and of those none has a shorter span */
    double work;        /* done so far, in steps of the innermost loops */
    uint8_t *best;      /* [rank][place] lanes of search.h: the best order so far */

    /* the step; a line is one op of one stage, lines of a rank stand together: forwards, input gradients, weights */
    int32_t ranks, lines, microbatches, chunks;
    int32_t actions; /* of a rank */
    double limit;    /* chunks a rank may hold */
    double grain;    /* every time is a multiple of it; 0: there is no such number */
    double rounding; /* times that differ by no more are equal */
    double *time;    /* [line] of one action */
    double *lag;     /* [line] from the end of the action it waits for to its start; negative for an early R */
    int32_t *source; /* [line] the line it waits for, -1 for none */
    int32_t *target; /* [line] the other way */
    double *kept;    /* [rank][chunk] share of a chunk that stays from I to W */
    double *head;    /* [rank] when its first action starts, in any order */

    /* the question */
    double until, within; /* is over by then, and on no rank takes longer */
    int32_t asking;
    double asked, allowed;      /* work it has had and may have */
    double reach;               /* the rules alone do not exclude it; below 0: that has not been looked for */
    int32_t round;              /* questions asked */
    double *value;              /* windows and what is known of the order; see exact.c */
    int32_t *stamp;             /* [value] the last choice after which it was saved */
    int32_t *by_begin, *by_end; /* [rank][action] actions by their windows */
    uint8_t *dirty, *loose; /* [rank] windows are narrower than when its rules were applied, the quick and the slow */
    double *scratch;
    double *weight; /* [rank][line][line][microbatch] how often choices there have failed */
    pp_exact_saved *saved;
    int32_t saved_count, saved_room;
    pp_exact_choice *choice;
    int32_t choice_count, choice_room, stamps;
    int32_t crowded; /* there was no room to save more */
} pp_exact;

/* Bytes of memory a search for the best order takes; 0 if it cannot be done: the step is too large, or its micro-batches
 * are not alike. */
size_t pp_exact_bytes(const pp_config *config);

/* Begins with the best order the search has, if it has one. The limit is the search's. */
void pp_exact_start(pp_exact *exact, const pp_search *search, void *memory);

/* Goes on until so much work has been done, or nothing is left to find out: then 1. */
int32_t pp_exact_run(pp_exact *exact, double work);

/* Gives the search the best order: 1 if it was better than the search's own. */
int32_t pp_exact_give(const pp_exact *exact, pp_search *search);

#endif
