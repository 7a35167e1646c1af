/* Walking a request text, "name=value" a line, and comparing names in it. Shared by everything that reads requests. */
#ifndef PP_CONFIG_H
#define PP_CONFIG_H

#include "pipeline.h"

typedef struct pp_text {
    const char *begin;
    int32_t length;
} pp_text;

/* Takes the next line that is not blank from text at *at. Returns 0 at the end, else 1 with name and value trimmed of
 * blanks (value empty when the line has no '='). */
int pp_line_next(const char *text, int32_t length, int32_t *at, pp_text *name, pp_text *value);

/* 1 if the text is this name; case, '-', '_' and blanks do not matter. */
int pp_name_equal(pp_text text, const char *name);

/* Number of edits between text and name after the same normalisation; large where either is over 40 letters. */
int32_t pp_name_distance(pp_text text, const char *name);

/* Names of any option, of schedules, training or files, and of the values of one of kind E; "" outside. */
const char *pp_any_option_name(int32_t option);
const char *pp_any_value_name(int32_t option, int32_t value);

/* Reads one of the names an option can have. Fills fault with NAME_UNKNOWN and the nearest. */
int32_t pp_name_read(pp_text text, int32_t option, int32_t *value, pp_fault *fault);

/* The values of a request by option, {NULL, 0} where it was not given. given: PP_OPT_COUNT entries. */
void pp_request_values(const char *text, int32_t length, pp_text *given);

/* Reads a list of numbers 0 .. PP_MAX_COST by the rules of pp_costs_parse. wanted: how many would be right, which decides
 * what a lone comma means. row: NULL, or capacity entries. Fails with NOT_A_NUMBER or RANGE. */
int32_t pp_numbers_read(pp_text text, int32_t option, int32_t wanted, double *row, int32_t capacity, int32_t *count,
                        pp_fault *fault);

/* The same where one number or one per stage is needed (for hops, one fewer); row may be NULL. Also fails with
 * LIST_LENGTH. */
/* By how many the work is shared that the cost lists give; 1 where they give that of one action. */
int32_t pp_costs_shared_by(const pp_config *config);
int32_t pp_list_read(pp_text text, int32_t option, int32_t stages, double *row, pp_fault *fault);

/* One such number. */
int32_t pp_amount_read(pp_text text, int32_t option, double *value, pp_fault *fault);

/* Samples, micro-batches and samples per micro-batch: from two of them the third. Fails with BATCH_SPLIT or RANGE. */
int32_t pp_batch_couple(const pp_text *given, pp_config *config, pp_fault *fault);

/* Fills PP_COST_SIZE of costs; the row of latencies is its scratch and to be filled afterwards. Fails with OPTION_NEEDS,
 * RANGE or what pp_list_read refuses. */
int32_t pp_hops_read(const pp_text *given, int32_t stages, double *costs, pp_fault *fault);

/* Reads the whole of text as one whole number in min..max. Fills fault with NOT_A_NUMBER, NOT_WHOLE or RANGE, the
 * option and the nearest legal value. */
int32_t pp_whole_read(pp_text text, int32_t option, int32_t min, int32_t max, int32_t *value, pp_fault *fault);

/* What each line of a request gives: PP_OPT_COUNT texts, begin NULL where an option is not given. Fills fault with
 * OPTION_UNKNOWN or OPTION_TWICE. */
int32_t pp_given_read(const char *text, int32_t length, pp_text *given, pp_fault *fault);
/* The scalars among them, each alone, over what config holds. */
int32_t pp_scalars_read(const pp_text *given, pp_config *config, pp_fault *fault);
/* And what they must be together, whatever the schedule: samples, and a device that fails. */
int32_t pp_scalars_settle(const pp_text *given, pp_config *config, pp_fault *fault);
/* An option that config's schedule does not know is refused rather than dropped in silence. */
int32_t pp_refuse_meaningless(const pp_config *config, int32_t option, pp_text seen, pp_fault *fault);

/* Whether a training can go without a flush (training.c): PP_OK or ASYNC_OPTION. */
int32_t pp_stream_runs(const pp_training *training, pp_fault *fault);

#endif
