/* Texts of a known length, as they are cut out of what a user gave: lines, and names compared as people write them. */
#ifndef PP_TEXT_H
#define PP_TEXT_H

#include <stdint.h>

typedef struct pp_text {
    const char *begin;
    int32_t length;
} pp_text;

/* What is left between begin and end without blanks, tabs and carriage returns at either side. */
pp_text pp_trim(const char *begin, const char *end);

/* Takes the next line that is not blank from text at *at. Returns 0 at the end, else 1 with name and value trimmed of
 * blanks (value empty when the line has no '='). */
int pp_line_next(const char *text, int32_t length, int32_t *at, pp_text *name, pp_text *value);

/* 1 if the text is this name; case, '-', '_' and blanks do not matter. */
int pp_name_equal(pp_text text, const char *name);

/* Number of edits between text and name after the same normalisation; large where either is over 40 letters. */
int32_t pp_name_distance(pp_text text, const char *name);

#endif
