/* The order that Chimera and Hanayo share. Count slots one F or one B long. A micro-batch that enters moves one stage a
 * slot, forward and then back, and the next one follows two slots behind. On every rank the slots of one parity then
 * form one stream of work without a gap, and those of the other parity a second one, so that no two actions meet. */
#ifndef PP_SCHEDULE_WAVE_H
#define PP_SCHEDULE_WAVE_H

#include "schedules/schedule.h"

/* A piece of a stream: one op of one stage for micro-batches first .. first + count - 1, in every other slot on. */
typedef struct pp_stretch {
    int32_t slot, op, stage, first, count;
} pp_stretch;

/* A unit is what enters before the wave starts anew: unit_size micro-batches in unit_slots slots. */
typedef struct pp_wave {
    int32_t unit_slots, unit_size, microbatches;
    int32_t stretches[2];        /* how many in each stream */
    const pp_stretch *stream[2]; /* of unit 0, slots ascending */
} pp_wave;

/* Emits one rank: both streams of all units, merged by slot, without what belongs to micro-batches beyond the last. */
void pp_wave_rank(const pp_wave *wave, pp_writer *writer);

#endif
