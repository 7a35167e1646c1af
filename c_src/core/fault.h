/* Filling a pp_fault. Every refusal of the library goes through here. */
#ifndef PP_FAULT_H
#define PP_FAULT_H

#include "core/core.h"

/* All fields -1, all texts empty, code set. fault may be NULL: then a scratch fault is returned, so that callers can
 * go on filling without asking. */
pp_fault *pp_fault_start(pp_fault *fault, pp_fault *scratch, int32_t code);

void pp_fault_seen(pp_fault *fault, const char *text, int32_t length);
void pp_fault_seen_number(pp_fault *fault, double value);

/* Nearest legal choice; the first call fills fix, the second fix2, later ones are dropped. */
void pp_fault_fix_number(pp_fault *fault, int32_t option, double value);
void pp_fault_fix_text(pp_fault *fault, int32_t option, const char *value);

#endif
