/* Searching for an order, for schedules that no rule in closed form describes. A generator proposes *lists*: per rank
 * an order of its forwards and backwards. A *try* runs the lists through simulated time, puts the weight gradients
 * where a rank would wait, and is kept if the step became shorter. A list is a guess at what is good and a try finds
 * out, so that unequal stages and slow transfers need no rules of their own.
 *
 * Whatever the list, a try that is kept is a valid order that runs to its end, no rank of it ever holds more than the
 * limit, and pp_simulate finds its step no longer than the try did. */
#ifndef PP_SEARCH_H
#define PP_SEARCH_H

#include "schedules/schedule.h"

/* Actions that tries may run in all, so that a search ends in half a second, whatever the request. What a generator
 * needs to have any order at all is run without asking. */
#define PP_SEARCH_STEPS (INT64_C(1) << 22)

/* A lane is one op of one chunk of a rank. Micro-batches follow each other in a lane, so a row of lanes is an order. */
enum {
    PP_LANE_F,     /* + chunk, 0 or 1 */
    PP_LANE_B = 2, /* a B, or an I where the backward is split */
    PP_LANE_W = 4,
    PP_LANES = 6
};

/* Without lists: a rank runs whatever can run, by a few rules. */
typedef struct pp_dispatch {
    int32_t on;
    int32_t forward_first; /* of a forward and a backward that can both run; else the backward */
    int32_t weights; /* W: 0 only into a wait that holds it or where memory is full, 1 rather than wait, 2 at once */
    float fewer;     /* rank r holds r * fewer chunks fewer than the limit, at least those of one micro-batch */
    int32_t odd;     /* in 256 choices, so many are others than by the rules */
    uint32_t seed;   /* which ones: the same seed, the same order */
} pp_dispatch;

/* How a try decides what the list leaves open. All zero: the list as it stands, a W only into a wait that holds it. */
typedef struct pp_try {
    int32_t ahead; /* while it waits, a rank may run what stands later in its list and fits into the wait */
    int32_t hops;  /* ranks looked ahead to learn when an input will come */
    int32_t fair;  /* a W may also go into a shorter wait if that wait would make its rank the idlest */
    float over;    /* .. or if it sticks out by no more than this share of itself */
    /* Running chunk 0 ahead, rank r leaves room for spare + spare_step r forwards of chunk 1. */
    float spare, spare_step;
    pp_dispatch free; /* free.on: without lists */
} pp_try;

typedef struct pp_score {
    double makespan, span, peak;
} pp_score;

/* A stage in a try. time: F; B or I; W. redo: R. hop: to the next stage. kept: share of a chunk an I leaves to its W. */
typedef struct pp_try_stage {
    double time[3], redo, hop, kept;
    double *arrival[2]; /* per micro-batch: of the input of F, of B */
    int32_t done[3];    /* actions run */
} pp_try_stage;

typedef struct pp_try_rank {
    double wake, free, first, last, busy, left; /* left: work it still has */
    int32_t head, next[PP_LANES];               /* places in the list: the first not run, of all and of each lane */
    int32_t put[PP_LANES];                      /* how many a generator has put there */
    int32_t list_count, ran_count;
    uint8_t *list, *ran, *best; /* lanes */
} pp_try_rank;

typedef struct pp_search {
    int32_t ranks, chunks, stages, microbatches;
    int32_t split;    /* 1: the backward is I and W, 0: B */
    int32_t early;    /* R need not wait for the gradient */
    int32_t redo_end; /* micro-batches below this one are recomputed */
    int32_t sender;   /* a message keeps the rank that sends it */
    int32_t fixed;    /* the lists place the W, too */
    int32_t by_span;  /* see pp_search_by_span */
    int32_t room;     /* lanes a rank's list has place for */
    int32_t leaves;   /* of the tree of ranks: a power of two */
    double limit;     /* chunks a rank may hold */
    double grain;     /* times closer than this are equal */
    double longest;   /* by_span: the makespan not to be passed */
    uint32_t random;  /* state of the choices that are not by the rules */
    double idlest;    /* how long the rank has waited that waited most */
    int64_t steps;    /* left of PP_SEARCH_STEPS */
    pp_score score;   /* of best; makespan < 0: there is none yet */
    pp_try_stage *stage;
    pp_try_rank *rank; /* leaves of them */
    int32_t *tree;
} pp_search;

size_t pp_search_bytes(const pp_config *config, int32_t split);

/* In the writer's scratch. limit: chunks in flight per rank. The writer's costs may be NULL: all stages are equal. */
void pp_search_start(pp_search *search, const pp_config *config, const pp_writer *writer, double limit, int32_t split);

/* Empties the lists; then each is filled lane by lane. What goes beyond the micro-batches there are is dropped. */
void pp_search_clear(pp_search *search);
void pp_search_put(pp_search *search, int32_t rank, int32_t lane);

/* Runs the lists and keeps the order if it is the best so far: 1 if it is, 0 if not, or if the lists ask for more
 * than the limit or wait for themselves. Lists that place the W, too, are run as they stand; how must then be all
 * zero. */
int32_t pp_search_try(pp_search *search, const pp_try *how);

/* For whole backwards, where a step read from its end is a step again, with F and B changing places: runs the lists,
 * packs what came of it against the end of the step, and that against its beginning, a few times over. 1 if any was
 * the best. */
int32_t pp_search_turn(pp_search *search, const pp_try *how);

/* Until here the shortest makespan wins, of equal ones the shortest span; from here on the shortest span, of equal
 * ones the shortest makespan, among steps that are longer than the best until now by no more than this share of it. */
void pp_search_by_span(pp_search *search, double share);

/* 0: the steps are used up. */
static inline int pp_search_more(const pp_search *s) { return s->steps > 0; }

/* Writes the best order. There must be one. */
void pp_search_emit(const pp_search *search, pp_writer *writer);

#endif
