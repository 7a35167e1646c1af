/* Samples to learn from: features, a class each, and the order in which batches take them. */
#ifndef PP_DATA_H
#define PP_DATA_H

#include "pipeline.h"

struct pp_data {
    int32_t kind;
    int32_t samples;
    int32_t inputs;
    int32_t seed;
    int32_t whole;   /* features are whole numbers */
    int32_t epoch;   /* whose order is in `order`, -1 for none */
    float *features; /* samples * inputs */
    int32_t *labels; /* samples */
    int32_t *order;  /* samples: a permutation */
};

/* Gathers the batch of one step: features[batch * inputs], labels[batch]. Steps walk through all samples in a shuffled
 * order, a new one each time round; a batch may reach into the next round. Depends on seed and step alone. */
void pp_data_batch(pp_data *data, int32_t step, int32_t batch, float *features, int32_t *labels);

#endif
