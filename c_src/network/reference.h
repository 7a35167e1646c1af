/* The batch of a step in one piece, for the yardstick and for comparisons with it. */
#ifndef PP_REFERENCE_H
#define PP_REFERENCE_H

#include "network/model.h"

/* Where everything about a batch lies in one memory. */
typedef struct pp_batch {
    int32_t *labels;
    float *features, *targets, *losses, *outputs, *statistics, *activations, *deltas;
    size_t to_output; /* floats of activations for one row, before the network's outputs */
} pp_batch;

/* Lays it out in memory and returns the bytes that takes; memory NULL: that alone. */
size_t pp_batch_lay(const pp_network *network, int32_t batch, int32_t microbatches, void *memory, pp_batch *out);
/* Fetches the samples of a step. */
void pp_batch_load(pp_network *network, pp_data *data, int32_t step, const pp_batch *w);
/* Gradients of parts from .. to - 1 of a batch in `chunks` parts, and of nothing else; undivided. */
void pp_batch_gradients(pp_network *network, const pp_batch *w, int32_t chunks, int32_t from, int32_t to);

/* The same in two steps, in a memory of pp_reference_bytes: the samples of a step; then, micro-batch by micro-batch, gradients
 * added to those that are there. Tells where the labels and the losses are. */
void pp_reference_load(pp_network *network, pp_data *data, int32_t step, void *memory, int32_t **labels,
                       float **losses);
void pp_reference_microbatch(pp_network *network, void *memory, int32_t k);

#endif
