/* A network asked: its answers to points, its loss and its accuracy over all samples. */
#include <string.h>

#include "network/model.h"
#include "network/tensor.h"

/* Runs at most PP_EVALUATED_ROWS rows; returns the outputs, which lie in the scratch. */
static float *run_block(pp_network *network, const float *points, int32_t rows) {
    const float *x = points;
    float *y = network->scratch, *other = network->scratch + PP_EVALUATED_ROWS * (size_t)network->widest;
    for (int32_t l = 0; l < network->layers; l++) {
        pp_layer_evaluate(network, l, rows, x, y, network->scratch + 3 * PP_EVALUATED_ROWS * (size_t)network->widest);
        float *const done = y;
        y = other;
        other = done;
        x = done;
    }
    return other;
}

static int32_t class_of(const float *outputs, int32_t width) {
    if (width == 1) return outputs[0] > 0.0f;
    int32_t best = 0;
    for (int32_t o = 1; o < width; o++)
        if (outputs[o] > outputs[best]) best = o;
    return best;
}

void pp_network_predict(pp_network *network, const float *points, int32_t rows, float *outputs, int32_t *classes) {
    const int32_t inputs = pp_network_inputs(network), width = pp_network_outputs(network);
    for (int32_t begin = 0; begin < rows; begin += PP_EVALUATED_ROWS) {
        const int32_t count = rows - begin < PP_EVALUATED_ROWS ? rows - begin : PP_EVALUATED_ROWS;
        float *block = run_block(network, points + (size_t)begin * (size_t)inputs, count);
        if (classes != NULL)
            for (int32_t r = 0; r < count; r++) classes[begin + r] = class_of(block + (size_t)r * (size_t)width, width);
        if (outputs == NULL) continue;
        if (network->loss == PP_LOSS_CROSS_ENTROPY) pp_softmax_forward(block, block, count, width);
        memcpy(outputs + (size_t)begin * (size_t)width, block, (size_t)count * (size_t)width * sizeof(float));
    }
}

double pp_network_loss(pp_network *network, const pp_data *data) {
    float *targets = network->scratch + 2 * PP_EVALUATED_ROWS * (size_t)network->widest;
    float *losses = targets + PP_EVALUATED_ROWS * (size_t)network->widest;
    double sum = 0.0;
    for (int32_t begin = 0; begin < data->samples; begin += PP_EVALUATED_ROWS) {
        const int32_t count = data->samples - begin < PP_EVALUATED_ROWS ? data->samples - begin : PP_EVALUATED_ROWS;
        const int32_t *labels = data->labels + begin;
        const float *outputs = run_block(network, data->features + (size_t)begin * (size_t)data->inputs, count);
        pp_network_targets(network, labels, count, targets);
        pp_network_loss_forward(network, count, outputs, labels, targets, losses);
        for (int32_t r = 0; r < count; r++) sum += (double)losses[r];
    }
    return sum / (double)pp_labelled(data->labels, data->samples);
}

double pp_network_accuracy(pp_network *network, const pp_data *data) {
    const int32_t width = pp_network_outputs(network);
    int32_t right = 0;
    for (int32_t begin = 0; begin < data->samples; begin += PP_EVALUATED_ROWS) {
        const int32_t count = data->samples - begin < PP_EVALUATED_ROWS ? data->samples - begin : PP_EVALUATED_ROWS;
        const float *outputs = run_block(network, data->features + (size_t)begin * (size_t)data->inputs, count);
        for (int32_t r = 0; r < count; r++)
            right += class_of(outputs + (size_t)r * (size_t)width, width) == data->labels[begin + r];
    }
    return (double)right / (double)pp_labelled(data->labels, data->samples);
}
