/* The eight steps of DualPipe for one rank, which DualPipeV follows on its own placement. */
#ifndef PP_SCHEDULE_DUALPIPE_H
#define PP_SCHEDULE_DUALPIPE_H

#include "schedules/schedule.h"

/* Two flows of `each` micro-batches meet on a rank; flow 0 is the one that entered nearer by. half: ranks a flow passes
 * before it meets the other in the middle; h: how many of those lie outside this one. Flow x runs stage[x] and its
 * micro-batches are numbered from first[x]. */
void pp_dualpipe_rank(pp_writer *writer, const int32_t stage[2], const int32_t first[2], int32_t each, int32_t half,
                      int32_t h);

/* The closed form of the makespan for I <= F, else -1; each and half as above. */
double pp_dualpipe_makespan(double each, double half, double f, double b, double w, double fb);

#endif
