/* Reading JSON as it comes, without building anything: the caller asks for the next member or element and takes or
 * skips its value. Nothing is allocated; nesting is limited, not recursed into. */
#ifndef PP_JSON_H
#define PP_JSON_H

#include "core/text.h"

typedef struct pp_json {
    const char *text;
    int32_t length, at;
} pp_json;

/* The character that the next value begins with, 0 at the end. */
char pp_json_peek(pp_json *json);
/* Steps into an object or array: '{' or '['. 1 if it is one. */
int pp_json_enter(pp_json *json, char bracket);
/* Goes to the next member of the object just entered or last asked: 1 and its key, before the value; 0 at the closing
 * bracket, behind it; -1 if this is not JSON. *first: 1 before the first call. */
int pp_json_member(pp_json *json, int *first, pp_text *key);
/* The same for an array. */
int pp_json_element(pp_json *json, int *first);
/* Values, as they stand in the text: a string without its quotes and with its escapes; a number. 1 if it is one. */
int pp_json_string(pp_json *json, pp_text *value);
int pp_json_number(pp_json *json, pp_text *text, double *value);
/* Passes over any value. 1 if it is one, as far as brackets and strings tell. */
int pp_json_skip(pp_json *json);
/* After the outermost value: nothing but blanks. */
int pp_json_end(pp_json *json);

#endif
