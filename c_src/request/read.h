/* Reading single values of a request. */
#ifndef PP_READ_H
#define PP_READ_H

#include "core/text.h"
#include "request/request.h"

/* Reads one of the names an option can have. Fills fault with NAME_UNKNOWN and the nearest. */
int32_t pp_name_read(pp_text text, int32_t option, int32_t *value, pp_fault *fault);

/* What a request gives, by option: the text of its value, begin NULL where it is not given. */
struct pp_request {
    pp_text given[PP_OPT_COUNT];
};

/* Reads a list of numbers 0 .. PP_MAX_COST by the rules of pp_costs_read. wanted: how many would be right, which decides
 * what a lone comma means. row: NULL, or capacity entries. Fails with NOT_A_NUMBER or RANGE. */
int32_t pp_numbers_read(pp_text text, int32_t option, int32_t wanted, double *row, int32_t capacity, int32_t *count,
                        pp_fault *fault);

/* The same where one number or one per stage is needed (for hops, one fewer); row may be NULL. Also fails with
 * LIST_LENGTH. */
int32_t pp_list_read(pp_text text, int32_t option, int32_t stages, double *row, pp_fault *fault);

/* One such number. */
int32_t pp_amount_read(pp_text text, int32_t option, double *value, pp_fault *fault);

/* Reads the whole of text as one whole number in min..max. Fills fault with NOT_A_NUMBER, NOT_WHOLE or RANGE, the
 * option and the nearest legal value. */
int32_t pp_whole_read(pp_text text, int32_t option, int32_t min, int32_t max, int32_t *value, pp_fault *fault);

/* An option that config's schedule does not know is refused rather than dropped in silence. */
int32_t pp_refuse_meaningless(const pp_config *config, int32_t option, pp_text seen, pp_fault *fault);

/* Fills PP_COST_SIZE of costs; the row of latencies is its scratch and to be filled afterwards. Fails with OPTION_NEEDS,
 * RANGE or what pp_list_read refuses. */
int32_t pp_hops_read(const pp_text *given, int32_t stages, double *costs, pp_fault *fault);

#endif
