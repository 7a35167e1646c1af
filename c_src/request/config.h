/* What reads the whole numbers and names of a request, for the readers of files, which have a request beside them. */
#ifndef PP_CONFIG_H
#define PP_CONFIG_H

#include "core/text.h"
#include "request/request.h"

/* Samples, micro-batches and samples per micro-batch: from two of them the third. Fails with BATCH_SPLIT or RANGE. */
int32_t pp_batch_couple(const pp_text *given, pp_config *config, pp_fault *fault);

/* The scalars among them, each alone, over what config holds. */
/* Each scalar as it is where no option is given. */
void pp_scalars_standard(pp_config *config);
int32_t pp_scalars_read(const pp_text *given, pp_config *config, pp_fault *fault);
/* And what they must be together, whatever the schedule: samples, and a device that fails. */
int32_t pp_scalars_settle(const pp_text *given, pp_config *config, pp_fault *fault);
/* Both, and whether the schedule accepts it: a whole request of what is given for each option (PP_OPT_COUNT entries). */
int32_t pp_config_of_values(const pp_text *given, pp_config *config, pp_fault *fault);
/* Puts choices that are legal for the whole request, and nearest, in place of those a refusal of it offers (fixes.c). config:
 * as far as it was read. */
void pp_fixes_settle(const pp_text *given, const pp_config *config, pp_fault *fault);
/* Whether a training can go without a flush (training.c): PP_OK or ASYNC_OPTION. */
int32_t pp_stream_runs(const pp_training *training, pp_fault *fault);

#endif
