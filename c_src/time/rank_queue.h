/* Ranks that are to be looked at, first come, first served; each stands in the queue once. For walks over lists that have
 * to stay linear: a rank that waits is looked at again only after an action it may be waiting for was taken. */
#ifndef PP_RANK_QUEUE_H
#define PP_RANK_QUEUE_H

#include "schedules/schedule.h"

typedef struct pp_rank_queue {
    int32_t *rank, *queued; /* `ranks` entries each, the caller's */
    int32_t ranks, first, count;
} pp_rank_queue;

/* All ranks, in their order. memory: 2 * ranks entries. */
static inline pp_rank_queue pp_rank_queue_of_all(int32_t ranks, int32_t *memory) {
    pp_rank_queue q = {.rank = memory, .queued = memory + ranks, .ranks = ranks, .first = 0, .count = ranks};
    for (int32_t r = 0; r < ranks; r++) q.rank[r] = r, q.queued[r] = 1;
    return q;
}

static inline int32_t pp_rank_queue_take(pp_rank_queue *q) {
    int32_t rank = q->rank[q->first];
    q->first = q->first + 1 < q->ranks ? q->first + 1 : 0;
    q->count--;
    q->queued[rank] = 0;
    return rank;
}

/* Adds the ranks that may wait for the outputs of actions begin..end-1: an F is waited for by the next stage, a B or an I
 * by the stage before. */
static inline void pp_rank_queue_wake(pp_rank_queue *q, const pp_schedule *s, int32_t begin, int32_t end) {
    for (int32_t i = begin; i < end; i++) {
        const pp_action a = s->actions[i];
        int32_t stage = a.op == PP_F ? a.stage + 1 : a.op == PP_B || a.op == PP_I ? a.stage - 1 : -1;
        if (stage < 0 || stage >= s->stages) continue;
        int32_t rank = pp_rank_of(s, stage, a.microbatch), place = q->first + q->count;
        if (q->queued[rank]) continue;
        q->queued[rank] = 1;
        q->rank[place < q->ranks ? place : place - q->ranks] = rank;
        q->count++;
    }
}

#endif
