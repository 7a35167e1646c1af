/* Filling a pp_fault. Every refusal of the library goes through here. */
#ifndef PP_FAULT_H
#define PP_FAULT_H

#include "pipeline.h"

/* All fields -1, all texts empty, code set. fault may be NULL: then a scratch fault is returned, so that callers can
 * go on filling without asking. */
pp_fault *pp_fault_start(pp_fault *fault, pp_fault *scratch, int32_t code);

void pp_fault_seen(pp_fault *fault, const char *text, int32_t length);
void pp_fault_seen_number(pp_fault *fault, double value);

/* Nearest legal choice; the first call fills fix, the second fix2, later ones are dropped. */
void pp_fault_fix_number(pp_fault *fault, int32_t option, double value);
void pp_fault_fix_text(pp_fault *fault, int32_t option, const char *value);

/* Words in both languages; templates as in faults.c. */
typedef struct pp_words {
    const char *en, *ru;
} pp_words;

/* What files add, in file_words.c: the template of a fault that only a file has, the rule it breaks, the name of an
 * option. NULL where there is none; a core without files (file_none.c) has none at all. */
const pp_words *pp_file_words(const pp_fault *fault);
const pp_words *pp_file_rule(const pp_fault *fault);
const pp_words *pp_file_option_words(int32_t option);

#endif
