/* What diagnose.c and stall.c share: where each action of a schedule stands, and what it waits for. */
#ifndef PP_DIAGNOSE_H
#define PP_DIAGNOSE_H

#include "time/timeline.h"

/* Where the F, the B or I, the W and the R of each (stage, unit) stand in actions; -1 where there is none. */
typedef struct pp_tables {
    int32_t *f, *b, *w, *r;
} pp_tables;

/* Fills the tables, which lie where the timeline's start times will be. Fails where an action has no place in them. */
int32_t pp_tables_make(const pp_schedule *s, const pp_timeline *line, pp_tables *t, pp_fault *fault);
/* What an action waits for from another stage, -1 for nothing; check.c knows the same in its one pass. */
int32_t pp_tables_input(const pp_schedule *s, const pp_tables *t, const pp_action *a);
/* 1 if an action has run, or there is none to wait for (-1). head: where each rank came to. */
int pp_arrived(const pp_schedule *s, const int32_t *head, int32_t input);
/* A rank on the circle of waiting. A blocked rank waits for an action of a blocked rank, so after as many steps as there
 * are ranks we are on it. */
int32_t pp_rank_on_circle(const pp_schedule *s, const int32_t *waits);

#endif
