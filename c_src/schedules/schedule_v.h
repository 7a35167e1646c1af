/* The building blocks of V-Half and V-Min, which zb-auto tries, too. */
#ifndef PP_SCHEDULE_V_H
#define PP_SCHEDULE_V_H

#include "schedules/search_seeds.h"

void pp_try_v_half(pp_search *search);
void pp_try_v_min(pp_search *search);

/* The tries a block gets: as it stands, then with its ranks running ahead, each with W placed in several ways. */
void pp_try_block(pp_search *search, pp_guess guess);

#endif
