/* Lists that pp_search starts from: a few numbers that say how far, at each rank, the backward of a micro-batch lags
 * behind its forward. */
#ifndef PP_SEARCH_SEEDS_H
#define PP_SEARCH_SEEDS_H

#include "schedules/search.h"

/* Lags are counted in micro-batches that begin in the meantime.
 *     one chunk       slope * below + shift[0], rounded down, from the forward to the backward
 *     two, in a V     slope * below + shift[0] from the first forward to the second,
 *                     slope * above + shift[1] from there to the first backward,
 *                     slope * below + shift[2] from there to the second
 * below, above: how many ranks are below or above this one; or, by_time, how long it takes to run down them and back,
 * the mean over all ranks being one. */
typedef struct pp_guess {
    float slope, shift[3];
    int32_t by_time;
    pp_try how;
} pp_guess;

/* Puts into rank's list its first F, second F, first B and second B, the micro-batches of each one unit apart,
 * beginning at at[0..3] in units of a micro-batch: whatever comes earlier stands earlier. */
void pp_list_two_chunks(pp_search *search, int32_t rank, const double at[4]);

/* Fills search's lists and tries them; 1 if they are the best so far. */
int32_t pp_guess_try(pp_search *search, const pp_guess *guess);

/* From a guess that was the best, changes one number at a time as long as that helps and there are steps left. */
void pp_guess_climb(pp_search *search, pp_guess *guess);

/* Without lists: rules for what a rank runs next, in all their combinations, then the best of them with choices left to
 * chance, `often` times. The same search, the same order: chance is numbers from a formula. */
void pp_guess_dispatch(pp_search *search, int32_t often);

#endif
