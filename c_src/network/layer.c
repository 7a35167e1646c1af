/* Layers, run forward and backward.
 *
 * A hidden layer is  z = x w + b,  n = norm(z),  a = activation(n),  y = dropout(a), and what the backward pass needs of
 * these it keeps in blocks [rows][width], z first, y last: tanh, relu and identity overwrite what they are given, gelu
 * does not, because its derivative is told by the argument. Deltas have the same blocks: the first ends as the gradient
 * of z, the last as that of n; those are what W reads. Nothing is drawn twice: a recomputation finds the dropout mask by
 * (seed, step, layer, sample), and writes the same statistics again. */
#include <assert.h>
#include <stddef.h>
#include <string.h>

#include "network/model.h"
#include "network/tensor.h"

/* Under the root of every norm: PyTorch's default. */
#define NORM_EPSILON 1e-5f

int32_t pp_kind_blocks(int32_t kind) {
    const int32_t activation = kind & ((1 << PP_KIND_NORM) - 1);
    return 1 + ((kind >> PP_KIND_NORM & 3) != PP_NORM_NONE) + (activation == PP_ACTIVATION_GELU) +
           (kind >> PP_KIND_DROPOUT & 1);
}

size_t pp_layer_size(int32_t kind, const int32_t *widths, int32_t layers, int32_t l) {
    static const uint8_t rows[] = {[PP_NORM_LAYER] = 2, [PP_NORM_BATCH] = 4};
    const size_t outputs = (size_t)widths[l + 1], more = l < layers - 1 ? rows[kind >> PP_KIND_NORM & 3] : 0;
    return ((size_t)widths[l] + 1 + more) * outputs;
}

static int32_t hidden_units(const pp_network *network, int32_t layers) {
    int32_t units = 0;
    for (int32_t l = 1; l <= layers; l++) units += network->widths[l];
    return units;
}

size_t pp_statistics_count(const pp_network *network, int32_t batch, int32_t microbatches) {
    const size_t hidden = (size_t)network->layers - 1;
    if (network->norm == PP_NORM_LAYER) return 2 * hidden * (size_t)batch;
    return network->norm == PP_NORM_NONE ? 0
                                         : 3 * (size_t)hidden_units(network, (int32_t)hidden) * (size_t)microbatches;
}

/* The norm of one layer: its parameters, where its gradients go, and what it writes down of the rows at hand. */
typedef struct norm {
    float *gain, *shift, *running_mean, *running_variance, *mean, *scale, *variance;
} norm;

static norm norm_of(const pp_network *network, int32_t l, float *parameters) {
    const size_t width = (size_t)network->widths[l + 1];
    norm n = {.gain = parameters + network->layer_begin[l] + ((size_t)network->widths[l] + 1) * width};
    n.shift = n.gain + width;
    n.running_mean = n.shift + width;
    n.running_variance = n.running_mean + width;
    const pp_pass *pass = &network->pass;
    if (pass->statistics == NULL) return n;
    if (network->norm == PP_NORM_LAYER) {
        const size_t batch = (size_t)network->options.batch;
        n.mean = pass->statistics + 2 * (size_t)l * batch + pass->row;
        n.scale = n.mean + batch;
    } else {
        const size_t units = (size_t)hidden_units(network, network->layers - 1);
        n.mean = pass->statistics + 3 * ((size_t)pass->microbatch * units + (size_t)hidden_units(network, l));
        n.scale = n.mean + width;
        n.variance = n.scale + width;
    }
    return n;
}

float *pp_stage_statistics(const pp_network *network, int32_t stage, int32_t microbatch, int32_t *count) {
    size_t units = 0, before = 0;
    *count = 0;
    for (int32_t l = 0; l < network->layers - 1; l++) {
        const int32_t width = network->norm == PP_NORM_BATCH ? network->widths[l + 1] : 0;
        units += (size_t)width;
        if (l < network->cuts[stage]) before += (size_t)width;
        if (l >= network->cuts[stage] && l < network->cuts[stage + 1]) *count += 3 * width;
    }
    return network->pass.statistics + 3 * ((size_t)microbatch * units + before);
}

void pp_layers_seed(pp_network *network) {
    for (int32_t l = 0; l < network->layers - 1; l++) {
        const norm n = norm_of(network, l, network->parameters);
        for (int32_t c = 0; network->norm != PP_NORM_NONE && c < network->widths[l + 1]; c++) {
            n.gain[c] = 1.0f;
            if (network->norm == PP_NORM_BATCH) n.running_variance[c] = 1.0f;
        }
    }
}

static void norm_forward(const pp_network *network, int32_t l, int32_t rows, float *y, const float *x) {
    const norm n = norm_of(network, l, network->parameters);
    const int32_t width = network->widths[l + 1];
    if (network->norm == PP_NORM_LAYER) {
        pp_layer_norm_forward(y, n.mean, n.scale, x, n.gain, n.shift, NORM_EPSILON, rows, width);
    } else if (network->pass.evaluates) {
        pp_batch_norm_evaluate(y, x, n.running_mean, n.running_variance, n.gain, n.shift, NORM_EPSILON, rows, width);
    } else {
        /* The corrected variance: moved by the whole way from 0. */
        pp_zero(n.variance, width);
        pp_batch_norm_forward(y, n.mean, n.scale, NULL, n.variance, x, n.gain, n.shift, 1.0f, NORM_EPSILON, rows,
                              width);
    }
}

/* dx from dy, x; gains and shifts of `gradients` go on adding. */
static void norm_backward(const pp_network *network, int32_t l, int32_t rows, float *dx, const float *dy,
                          const float *x, float *dgain, float *dshift) {
    const norm n = norm_of(network, l, network->parameters);
    (network->norm == PP_NORM_LAYER ? pp_layer_norm_backward : pp_batch_norm_backward)(
        dx, dgain, dshift, dy, x, n.mean, n.scale, n.gain, rows, network->widths[l + 1]);
}

static void activate(const pp_network *network, float *y, const float *x, int32_t count) {
    switch (network->activation) {
    case PP_ACTIVATION_TANH: pp_tanh_forward(y, x, count); break;
    case PP_ACTIVATION_RELU: pp_relu_forward(y, x, count); break;
    case PP_ACTIVATION_GELU: pp_gelu_forward(y, x, count); break;
    default: break; /* y is x */
    }
}

static void drop(const pp_network *network, int32_t l, int32_t rows, float *y, const float *x) {
    const pp_training *options = &network->options;
    pp_dropout(y, x, network->pass.evaluates ? 0.0f : (float)options->dropout, options->seed, network->pass.step, l,
               network->pass.row, rows, network->widths[l + 1]);
}

/* z = x w + b. Where nothing stands between the sum and tanh or relu, these are taken in the same pass over it: 1 if so. */
static int sum_forward(const pp_network *network, int32_t l, int32_t rows, const float *x, float *y) {
    const int32_t inputs = network->widths[l], outputs = network->widths[l + 1];
    const float *w = network->parameters + network->layer_begin[l], *bias = w + (size_t)inputs * (size_t)outputs;
    network->forward(y, x, w, rows, inputs, outputs, network->panels);
    switch (l == network->layers - 1 || network->norm != PP_NORM_NONE ? PP_ACTIVATION_IDENTITY : network->activation) {
    case PP_ACTIVATION_TANH: pp_bias_tanh_forward(y, bias, rows, outputs); return 1;
    case PP_ACTIVATION_RELU: pp_bias_relu_forward(y, bias, rows, outputs); return 1;
    default: pp_bias_forward(y, bias, rows, outputs); return 0;
    }
}

void pp_layers_forward(const pp_network *network, int32_t begin, int32_t end, int32_t rows, const float *input,
                       float *activations) {
    const float *x = input;
    float *y = activations;
    for (int32_t l = begin; l < end; l++) {
        const int32_t count = rows * network->widths[l + 1];
        const int activated = sum_forward(network, l, rows, x, y);
        if (l < network->layers - 1) {
            if (network->norm != PP_NORM_NONE) norm_forward(network, l, rows, y + count, y), y += count;
            float *const a = network->activation == PP_ACTIVATION_GELU ? y + count : y;
            if (!activated) activate(network, a, y, count);
            y = a;
            if (pp_drops(network)) drop(network, l, rows, y + count, y), y += count;
        }
        x = y;
        y += count;
    }
}

/* From the gradient of y, in the last block, to that of z, in the first; see above. */
static void layer_backward(const pp_network *network, int32_t l, int32_t rows, const float *blocks, float *deltas) {
    const int32_t count = rows * network->widths[l + 1], last = network->blocks - 1;
    float *d = deltas + (size_t)last * (size_t)count;
    const float *a = blocks + (size_t)(last - pp_drops(network)) * (size_t)count;
    if (pp_drops(network)) drop(network, l, rows, d, d);
    switch (network->activation) {
    case PP_ACTIVATION_TANH: pp_tanh_backward(d, d, a, count); break;
    case PP_ACTIVATION_RELU: pp_relu_backward(d, d, a, count); break;
    case PP_ACTIVATION_GELU: pp_gelu_backward(d, d, a - count, count); break;
    default: break;
    }
    if (network->norm != PP_NORM_NONE)
        norm_backward(network, l, rows, deltas, d, blocks, network->spill, network->spill + network->widest);
    else if (d != deltas)
        memcpy(deltas, d, (size_t)count * sizeof(float));
}

void pp_layers_backward_input(const pp_network *network, int32_t begin, int32_t end, int32_t rows,
                              const float *activations, const float *output_gradient, float *deltas,
                              float *input_gradient) {
    size_t at = 0;
    for (int32_t l = begin; l < end; l++)
        at += (size_t)rows * (size_t)(network->widths[l + 1] * pp_layer_blocks(network, l));
    for (int32_t l = end - 1; l >= begin; l--) {
        const int32_t inputs = network->widths[l], outputs = network->widths[l + 1];
        const size_t count = (size_t)rows * (size_t)outputs;
        const float *y_gradient = l == end - 1 ? output_gradient : NULL;
        if (y_gradient != NULL) memcpy(deltas + at - count, y_gradient, count * sizeof(float));
        at -= count * (size_t)pp_layer_blocks(network, l);
        if (l < network->layers - 1) layer_backward(network, l, rows, activations + at, deltas + at);
        float *dx = l > begin ? deltas + at - (size_t)rows * (size_t)inputs : input_gradient;
        if (dx != NULL)
            network->backward_input(dx, deltas + at, network->parameters + network->layer_begin[l], rows, inputs,
                                    outputs, network->panels);
    }
}

void pp_layers_backward_weight(const pp_network *network, int32_t begin, int32_t end, int32_t rows, const float *input,
                               const float *activations, const float *deltas, int first, float *gradients) {
    const float *x = input;
    size_t at = 0;
    for (int32_t l = begin; l < end; l++) {
        const int32_t inputs = network->widths[l], outputs = network->widths[l + 1];
        const size_t count = (size_t)rows * (size_t)outputs;
        float *const dw = gradients + network->layer_begin[l];
        const size_t weights = (size_t)inputs * (size_t)outputs;
        (first ? network->begin_weight : network->backward_weight)(dw, x, deltas + at, rows, inputs, outputs,
                                                                   network->panels);
        if (first) pp_zero(dw + weights, network->layer_begin[l + 1] - network->layer_begin[l] - (int32_t)weights);
        pp_bias_backward(dw + weights, deltas + at, rows, outputs);
        const size_t last = at + count * (size_t)(pp_layer_blocks(network, l) - 1);
        if (l < network->layers - 1 && network->norm != PP_NORM_NONE) {
            const norm n = norm_of(network, l, gradients);
            /* The gradient of z comes out once more, the same. */
            norm_backward(network, l, rows, (float *)deltas + at, deltas + last, activations + at, n.gain, n.shift);
        }
        x = activations + last;
        at = last + count;
    }
}

void pp_layer_evaluate(const pp_network *network, int32_t l, int32_t rows, const float *x, float *y,
                       float *statistics) {
    const int activated = sum_forward(network, l, rows, x, y);
    if (l == network->layers - 1) return;
    const int32_t width = network->widths[l + 1];
    const norm n = norm_of(network, l, network->parameters);
    if (network->norm == PP_NORM_LAYER)
        pp_layer_norm_forward(y, statistics, statistics + rows, y, n.gain, n.shift, NORM_EPSILON, rows, width);
    else if (network->norm == PP_NORM_BATCH)
        pp_batch_norm_evaluate(y, y, n.running_mean, n.running_variance, n.gain, n.shift, NORM_EPSILON, rows, width);
    if (!activated) activate(network, y, y, rows * width);
}
