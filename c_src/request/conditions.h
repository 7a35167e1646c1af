/* Conditions of a step that stand behind the rows of costs (pp_conditions): what config.c and costs.c ask for. */
#ifndef PP_CONDITIONS_H
#define PP_CONDITIONS_H

#include "core/text.h"
#include "schedules/schedules.h"

/* Finds out which there are (config->with, config->unit_rows) and refuses what does not go together. Fails with
 * OPTION_NEEDS, LIST_LENGTH, TOO_LARGE or what is wrong with a number. */
int32_t pp_conditions_shape(const pp_text *given, pp_config *config, pp_fault *fault);
/* Fills them in. Nothing where there are none. */
int32_t pp_conditions_make(const pp_text *given, const pp_config *config, double *costs, pp_fault *fault);

/* Factors in the order of c->place, from those as given. */
void pp_conditions_order(const pp_config *config, pp_conditions *c, const double *as_given);

#endif
