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

/* Reads the whole of text as one whole number in min..max. Fills fault with NOT_A_NUMBER, NOT_WHOLE or RANGE, the
 * option and the nearest legal value. */
int32_t pp_whole_read(pp_text text, int32_t option, int32_t min, int32_t max, int32_t *value, pp_fault *fault);

#endif
