/* Samples to learn from: features, a class each, and the order in which batches take them. */
#ifndef PP_DATA_H
#define PP_DATA_H

#include "network/network.h"

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

/* Samples first .. first + rows - 1 of all that the steps take one after the other; batches of one size are cut from them. */
void pp_data_rows(pp_data *data, int64_t first, int32_t rows, float *features, int32_t *labels);

/* First row of micro-batch k, 0 .. m, of a batch. */
int32_t pp_microbatch_row(int32_t split, int32_t batch, int32_t m, int32_t k);

#endif
