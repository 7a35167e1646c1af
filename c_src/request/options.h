/* The tables of options, for the library's own readers; pipeline.h has what callers ask of them. */
#ifndef PP_OPTIONS_H
#define PP_OPTIONS_H

#include "core/text.h"
#include "request/request.h"

/* Limits of a training: those of a toy, large enough for every figure and small enough that nothing can overflow. */
enum {
    PP_TRAIN_MAX_WIDTH = 1024,
    PP_TRAIN_MAX_DEPTH = 16384, /* as many as there can be stages */
    PP_TRAIN_MAX_BATCH = 65536,
    PP_TRAIN_MAX_STEPS = 1000000,
    PP_TRAIN_MAX_SEED = 2147483647,
    PP_TRAIN_MAX_RATE = 1000
};

/* The largest share below 1 that is accepted, and the largest factor of a loss, which is near the end of float. */
#define PP_TRAIN_BELOW_ONE 0.9999
#define PP_TRAIN_MAX_LOSS_SCALE 1e38

/* The schedule's option that a name or letter means, -1 for none. */
int32_t pp_option_of(pp_text name);

#endif
