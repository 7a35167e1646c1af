/* The 1F1B order of one rank, which interleaving with one chunk falls back on. */
#ifndef PP_SCHEDULE_1F1B_H
#define PP_SCHEDULE_1F1B_H

#include "schedules/schedule.h"

/* warmup forwards, then F and B in turn, then the backwards left. */
void pp_1f1b_rank(pp_writer *writer, int32_t stage, int32_t microbatches, int32_t warmup);

#endif
