/* What the files of this room share: a text in both languages, and where the words for files are found. */
#ifndef PP_TEMPLATES_H
#define PP_TEMPLATES_H

#include "core/core.h"

/* One text in both languages. It may have placeholders, which fault_words.c lists. */
typedef struct pp_words {
    const char *en, *ru;
} pp_words;

/* In file_words.c: the sentence for a fault that only files can have, the rule it breaks, and what readers call an option
 * about files. NULL where there is none. */
const pp_words *pp_file_words(const pp_fault *fault);
const pp_words *pp_file_rule(const pp_fault *fault);
const pp_words *pp_file_option_words(int32_t option);

#endif
