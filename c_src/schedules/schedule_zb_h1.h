/* The one rule behind ZB-H1 and ZB-H2. */
#ifndef PP_SCHEDULE_ZB_H1_H
#define PP_SCHEDULE_ZB_H1_H

#include "schedules/schedule.h"

/* In turn x rank r runs F x, I x - h(p - 1 - r) and W x - h(p - 1), as far as there are such micro-batches. */
void pp_zb_h_generate(const pp_config *config, pp_writer *writer, int32_t h);

#endif
