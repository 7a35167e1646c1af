#include "network/model.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/random.h"
#include "network/tensor.h"

/* Rows that pp_network_loss and pp_network_predict run at a time. */
enum { BLOCK = 64 };

/* ---- layout ---- */

/* Products read weights where they lie, and rows that straddle lines of the cache cost more: arrays begin with one. */
enum { LINE = 64, LINE_FLOATS = 16 };
static float *aligned(void *at) { return (float *)(((uintptr_t)at + LINE - 1) & ~(uintptr_t)(LINE - 1)); }

/* 1 if layer l of an even cut lies in a stage that is held; NULL: all are. */
static int layer_held(int32_t layers, int32_t stages, const uint8_t *held, int32_t l) {
    const int32_t each = layers / stages, in_longer = layers % stages * (each + 1);
    return held == NULL || held[l < in_longer ? l / (each + 1) : layers % stages + (l - in_longer) / each];
}

/* One slab: the struct, the small tables, then floats. */
static size_t layout(const int32_t *widths, int32_t layers, int32_t stages, int32_t kind, const uint8_t *held,
                     pp_network *network) {
    size_t parameters = 0, widest = (size_t)widths[0];
    for (int32_t l = 0; l < layers; l++) {
        if (layer_held(layers, stages, held, l)) parameters += pp_layer_size(kind, widths, layers, l);
        if ((size_t)widths[l + 1] > widest) widest = (size_t)widths[l + 1];
    }
    const size_t tables = 2 * ((size_t)layers + 1) + (size_t)stages + 1;
    const size_t scratch = held != NULL ? 0 : BLOCK * (3 * widest + 2); /* two layers, targets, losses */
    const size_t state = (size_t)(kind >> PP_KIND_UPDATE) * parameters, spill = 2 * widest;
    const size_t room = (parameters + LINE_FLOATS - 1) / LINE_FLOATS * LINE_FLOATS;
    size_t panels = 0;
    for (int32_t l = 0; l < layers; l++) {
        const size_t needed = pp_matmul_bytes(widths[l], widths[l + 1]) / sizeof(float);
        if (needed > panels && layer_held(layers, stages, held, l)) panels = needed;
    }
    if (network != NULL) {
        network->widest = (int32_t)widest;
        network->parameter_count = (int32_t)parameters;
        network->widths = (int32_t *)(network + 1);
        network->layer_begin = network->widths + layers + 1;
        network->cuts = network->layer_begin + layers + 1;
        network->parameters = aligned(network->cuts + stages + 1);
        network->gradients = network->parameters + room;
        network->scratch = network->gradients + room;
        network->panels = network->scratch + scratch;
        network->state = network->panels + panels;
        network->spill = network->state + state;
    }
    return sizeof(pp_network) + tables * sizeof(int32_t) + LINE +
           (2 * room + scratch + panels + state + spill) * sizeof(float);
}

size_t pp_network_bytes(const int32_t *widths, int32_t layers, int32_t stages, int32_t kind) {
    assert(layers >= 1 && stages >= 1);
    return layout(widths, layers, stages, kind, NULL, NULL);
}

size_t pp_network_part_bytes(const int32_t *widths, int32_t layers, int32_t stages, int32_t kind, const uint8_t *held) {
    return layers < stages ? sizeof(pp_network) : layout(widths, layers, stages, kind, held, NULL);
}

static int32_t cut(pp_network *network, const int32_t *cuts) {
    int32_t *out = network->cuts;
    const int32_t each = network->layers / network->stages, longer = network->layers % network->stages;
    if (each < 1) return PP_ERR_LAYERS;
    out[0] = 0;
    for (int32_t s = 0; s < network->stages; s++) {
        out[s + 1] = cuts != NULL ? cuts[s + 1] : out[s] + each + (s < longer);
        if (out[s + 1] <= out[s]) return PP_ERR_LAYERS;
    }
    return (cuts == NULL || cuts[0] == 0) && out[network->stages] == network->layers ? PP_OK : PP_ERR_LAYERS;
}

static int32_t init(const int32_t *widths, int32_t layers, int32_t stages, const int32_t *cuts, const uint8_t *held,
                    int32_t kind, int32_t loss, void *memory) {
    assert(memory != NULL && ((uintptr_t)memory & 7) == 0);
    pp_network *network = memory;
    memset(network, 0, sizeof *network);
    network->layers = layers;
    network->stages = stages;
    network->kind = kind;
    network->activation = kind & ((1 << PP_KIND_NORM) - 1);
    network->norm = kind >> PP_KIND_NORM & 3;
    network->blocks = pp_kind_blocks(kind);
    network->extended = kind > PP_ACTIVATION_IDENTITY;
    network->loss = loss;
    layout(widths, layers, stages, kind, held, network);
    memcpy(network->widths, widths, ((size_t)layers + 1) * sizeof(int32_t));
    network->layer_begin[0] = 0;
    for (int32_t l = 0; l < layers; l++)
        network->layer_begin[l + 1] =
            network->layer_begin[l] +
            (layer_held(layers, stages, held, l) ? (int32_t)pp_layer_size(kind, widths, layers, l) : 0);
    pp_zero(network->parameters, network->parameter_count);
    pp_zero(network->gradients, network->parameter_count);
    pp_zero(network->state, (kind >> PP_KIND_UPDATE) * network->parameter_count);
    pp_network_products(network, pp_matmul_forward, pp_matmul_backward_input, pp_matmul_backward_weight,
                        pp_matmul_begin_weight);
    return cut(network, cuts);
}

int32_t pp_network_init(const int32_t *widths, int32_t layers, int32_t stages, const int32_t *cuts, int32_t kind,
                        int32_t loss, void *memory, size_t bytes) {
    if (bytes < pp_network_bytes(widths, layers, stages, kind)) return PP_ERR_CAPACITY;
    return init(widths, layers, stages, cuts, NULL, kind, loss, memory);
}

int32_t pp_network_part_init(const int32_t *widths, int32_t layers, int32_t stages, const uint8_t *held, int32_t kind,
                             int32_t loss, void *memory, size_t bytes) {
    if (layers < stages) return PP_ERR_LAYERS;
    if (bytes < pp_network_part_bytes(widths, layers, stages, kind, held)) return PP_ERR_CAPACITY;
    return init(widths, layers, stages, NULL, held, kind, loss, memory);
}

void pp_network_products(pp_network *network, pp_product *forward, pp_product *backward_input,
                         pp_product *backward_weight, pp_product *begin_weight) {
    network->forward = forward;
    network->backward_input = backward_input;
    network->backward_weight = backward_weight;
    network->begin_weight = begin_weight;
}

int32_t pp_network_stages(const pp_network *network) { return network->stages; }
int32_t pp_network_inputs(const pp_network *network) { return network->widths[0]; }
int32_t pp_network_outputs(const pp_network *network) { return network->widths[network->layers]; }
const int32_t *pp_network_cuts(const pp_network *network) { return network->cuts; }
int32_t pp_network_parameter_count(const pp_network *network) { return network->parameter_count; }
const int32_t *pp_network_layer_begin(const pp_network *network) { return network->layer_begin; }
float *pp_network_parameters(pp_network *network) { return network->parameters; }
float *pp_network_gradients(pp_network *network) { return network->gradients; }

float *pp_stage_parameters(pp_network *network, int32_t stage) {
    return network->parameters + network->layer_begin[network->cuts[stage]];
}

int32_t pp_stage_parameter_count(const pp_network *network, int32_t stage) {
    return network->layer_begin[network->cuts[stage + 1]] - network->layer_begin[network->cuts[stage]];
}

/* Where the biases of layer l begin. */
static size_t bias_begin(const pp_network *network, int32_t l) {
    return (size_t)network->layer_begin[l] + (size_t)network->widths[l] * (size_t)network->widths[l + 1];
}

/* ---- starting weights ---- */

/* Makes the rows of a square matrix orthogonal, each of length sqrt(gain): Gram and Schmidt, twice over because of
 * rounding. A chain of such layers neither stretches nor flattens a signal (Saxe et al. 2014); without it networks of
 * 32 layers, one a stage, do not learn. */
static void make_orthogonal(float *w, int32_t width, double gain) {
    for (int32_t i = 0; i < width; i++) {
        float *row = w + (size_t)i * (size_t)width;
        for (int32_t j = 0; j < 2 * i; j++) {
            const float *other = w + (size_t)(j % i) * (size_t)width;
            double along = 0.0;
            for (int32_t k = 0; k < width; k++) along += (double)row[k] * (double)other[k];
            for (int32_t k = 0; k < width; k++) row[k] -= (float)(along / gain) * other[k];
        }
        double square = 0.0;
        for (int32_t k = 0; k < width; k++) square += (double)row[k] * (double)row[k];
        const double scale = square > 0.0 ? sqrt(gain / square) : 0.0;
        for (int32_t k = 0; k < width; k++) row[k] = (float)(scale * (double)row[k]);
    }
}

/* Uniform with variance gain / inputs: 1 keeps the size of a signal through tanh, 2 through relu, which halves it
 * (Glorot and Bengio 2010, He et al. 2015). Biases 0. */
static void seed_random(pp_network *network, int32_t l, uint64_t *state) {
    const int32_t inputs = network->widths[l], outputs = network->widths[l + 1];
    const double gain = network->activation == PP_ACTIVATION_RELU ? 2.0 : 1.0;
    const double limit = sqrt(3.0 * gain / (double)inputs);
    float *w = network->parameters + network->layer_begin[l];
    for (int32_t i = 0; i < inputs * outputs; i++) w[i] = (float)(limit * (2.0 * pp_random_unit(state) - 1.0));
    if (inputs == outputs) make_orthogonal(w, inputs, gain);
}

/* About two entries of 1 or -1 for each output: sums stay small through many layers. */
static void seed_whole(pp_network *network, int32_t l, uint64_t *state) {
    const int32_t inputs = network->widths[l], outputs = network->widths[l + 1];
    float *w = network->parameters + network->layer_begin[l];
    for (int32_t i = 0; i < inputs * outputs; i++) {
        const int32_t draw = pp_random_below(state, inputs);
        w[i] = draw == 0 ? 1.0f : draw == 1 ? -1.0f : 0.0f;
    }
    float *bias = network->parameters + bias_begin(network, l);
    for (int32_t o = 0; o < outputs; o++) bias[o] = (float)(pp_random_below(state, 3) - 1);
}

void pp_network_seed(pp_network *network, int32_t init, int32_t seed) {
    pp_zero(network->parameters, network->parameter_count);
    pp_zero(network->gradients, network->parameter_count);
    for (int32_t l = 0; l < network->layers; l++) {
        uint64_t state = pp_random_key(seed, PP_RANDOM_WEIGHTS, l);
        if (init == PP_INIT_WHOLE)
            seed_whole(network, l, &state);
        else
            seed_random(network, l, &state);
    }
    if (network->extended) pp_extended_seed(network);
}

void pp_network_copy(pp_network *to, const pp_network *from) {
    assert(to->parameter_count == from->parameter_count);
    const size_t bytes = (size_t)from->parameter_count * sizeof(float);
    memcpy(to->parameters, from->parameters, bytes);
    memcpy(to->gradients, from->gradients, bytes);
    memcpy(to->state, from->state, bytes * (size_t)(from->kind >> PP_KIND_UPDATE));
    to->applied = from->applied;
    to->good = from->good;
    to->scale = from->scale;
}

/* ---- saving ---- */

/* What a stage's later steps depend on beside its floats. */
typedef struct progress {
    int32_t applied, good;
    double scale;
} progress;

/* The stage's part of array n: the parameters, then the state of the update. */
static float *saved_array(const pp_network *network, int32_t stage, int32_t n) {
    float *const whole = n == 0 ? network->parameters : network->state + (n - 1) * (size_t)network->parameter_count;
    return whole + network->layer_begin[network->cuts[stage]];
}

size_t pp_stage_save(const pp_network *network, int32_t stage, void *memory) {
    const size_t size = (size_t)pp_stage_parameter_count(network, stage) * sizeof(float);
    const progress now = {network->applied, network->good, network->scale};
    const int32_t arrays = 1 + (network->kind >> PP_KIND_UPDATE);
    if (memory != NULL) memcpy(memory, &now, sizeof now);
    for (int32_t n = 0; memory != NULL && n < arrays; n++)
        memcpy((char *)memory + sizeof now + (size_t)n * size, saved_array(network, stage, n), size);
    return sizeof now + (size_t)arrays * size;
}

void pp_stage_load(pp_network *network, int32_t stage, const void *memory) {
    const size_t size = (size_t)pp_stage_parameter_count(network, stage) * sizeof(float);
    progress then;
    memcpy(&then, memory, sizeof then);
    network->applied = then.applied;
    network->good = then.good;
    network->scale = then.scale;
    for (int32_t n = 0; n <= network->kind >> PP_KIND_UPDATE; n++)
        memcpy(saved_array(network, stage, n), (const char *)memory + sizeof then + (size_t)n * size, size);
}

/* ---- one layer ---- */

static void layer_forward(const pp_network *network, int32_t l, int32_t rows, const float *x, float *y) {
    const int32_t inputs = network->widths[l], outputs = network->widths[l + 1];
    const float *bias = network->parameters + bias_begin(network, l);
    network->forward(y, x, network->parameters + network->layer_begin[l], rows, inputs, outputs, network->panels);
    switch (l == network->layers - 1 || network->extended ? PP_ACTIVATION_IDENTITY : network->activation) {
    case PP_ACTIVATION_TANH: pp_bias_tanh_forward(y, bias, rows, outputs); break;
    case PP_ACTIVATION_RELU: pp_bias_relu_forward(y, bias, rows, outputs); break;
    default: pp_bias_forward(y, bias, rows, outputs); break;
    }
}

/* delta holds the gradient of the layer's output y and becomes that of its sum before the activation. */
static void layer_backward_activation(const pp_network *network, int32_t l, int32_t rows, const float *y,
                                      float *delta) {
    const int32_t count = rows * network->widths[l + 1];
    if (l == network->layers - 1) return;
    switch (network->activation) {
    case PP_ACTIVATION_TANH: pp_tanh_backward(delta, delta, y, count); break;
    case PP_ACTIVATION_RELU: pp_relu_backward(delta, delta, y, count); break;
    default: pp_identity_backward(delta, delta, y, count); break;
    }
}

static void layer_backward_input(const pp_network *network, int32_t l, int32_t rows, const float *delta, float *dx) {
    network->backward_input(dx, delta, network->parameters + network->layer_begin[l], rows, network->widths[l],
                            network->widths[l + 1], network->panels);
}

/* first: what is in the gradients does not count. */
static void layer_backward_weight(const pp_network *network, int32_t l, int32_t rows, const float *x,
                                  const float *delta, int first, float *gradients) {
    const int32_t inputs = network->widths[l], outputs = network->widths[l + 1];
    float *const dw = gradients + network->layer_begin[l], *const dbias = gradients + bias_begin(network, l);
    if (first) {
        network->begin_weight(dw, x, delta, rows, inputs, outputs, network->panels);
        pp_zero(dbias, outputs);
    } else {
        network->backward_weight(dw, x, delta, rows, inputs, outputs, network->panels);
    }
    pp_bias_backward(dbias, delta, rows, outputs);
}

/* ---- one stage ---- */

int32_t pp_stage_width(const pp_network *network, int32_t stage) {
    int32_t width = 0;
    for (int32_t l = network->cuts[stage]; l < network->cuts[stage + 1]; l++)
        width += network->widths[l + 1] * pp_layer_blocks(network, l);
    return width;
}

int32_t pp_stage_input_width(const pp_network *network, int32_t stage) { return network->widths[network->cuts[stage]]; }

int32_t pp_stage_output_width(const pp_network *network, int32_t stage) {
    return network->widths[network->cuts[stage + 1]];
}

float *pp_stage_output(const pp_network *network, int32_t stage, int32_t rows, float *activations) {
    const int32_t before = pp_stage_width(network, stage) - pp_stage_output_width(network, stage);
    return activations + (size_t)rows * (size_t)before;
}

void pp_stage_forward(const pp_network *network, int32_t stage, int32_t rows, const float *input, float *activations) {
    const float *x = input;
    float *y = activations;
    if (network->extended) {
        pp_layers_forward(network, network->cuts[stage], network->cuts[stage + 1], rows, input, activations);
        return;
    }
    for (int32_t l = network->cuts[stage]; l < network->cuts[stage + 1]; l++) {
        layer_forward(network, l, rows, x, y);
        x = y;
        y += (size_t)rows * (size_t)network->widths[l + 1];
    }
}

void pp_stage_backward_input(const pp_network *network, int32_t stage, int32_t rows, const float *activations,
                             const float *output_gradient, float *deltas, float *input_gradient) {
    size_t at = (size_t)rows * (size_t)pp_stage_width(network, stage);
    const float *gradient = output_gradient;
    if (network->extended) {
        pp_layers_backward_input(network, network->cuts[stage], network->cuts[stage + 1], rows, activations,
                                 output_gradient, deltas, input_gradient);
        return;
    }
    for (int32_t l = network->cuts[stage + 1] - 1; l >= network->cuts[stage]; l--) {
        const size_t count = (size_t)rows * (size_t)network->widths[l + 1];
        at -= count;
        /* The layer above has written its input gradient here; only the topmost one may come from outside. */
        if (gradient != NULL) memcpy(deltas + at, gradient, count * sizeof(float));
        gradient = NULL;
        layer_backward_activation(network, l, rows, activations + at, deltas + at);
        float *dx = l > network->cuts[stage] ? deltas + at - (size_t)rows * (size_t)network->widths[l] : input_gradient;
        if (dx != NULL) layer_backward_input(network, l, rows, deltas + at, dx);
    }
}

void pp_stage_backward_weight(const pp_network *network, int32_t stage, int32_t rows, const float *input,
                              const float *activations, const float *deltas, float *gradients) {
    const float *x = input;
    size_t at = 0;
    if (network->extended) {
        pp_layers_backward_weight(network, network->cuts[stage], network->cuts[stage + 1], rows, input, activations,
                                  deltas, gradients);
        return;
    }
    for (int32_t l = network->cuts[stage]; l < network->cuts[stage + 1]; l++) {
        layer_backward_weight(network, l, rows, x, deltas + at, 0, gradients);
        x = activations + at;
        at += (size_t)rows * (size_t)network->widths[l + 1];
    }
}

/* ---- loss ---- */

void pp_network_targets(const pp_network *network, const int32_t *labels, int32_t rows, float *targets) {
    const int32_t outputs = pp_network_outputs(network);
    for (int32_t r = 0; r < rows; r++)
        for (int32_t o = 0; o < outputs; o++)
            *targets++ = outputs == 1 ? (labels[r] > 0 ? 1.0f : -1.0f) : (labels[r] == o ? 1.0f : 0.0f);
}

void pp_network_loss_forward(const pp_network *network, int32_t rows, const float *outputs, const int32_t *labels,
                             const float *targets, float *losses) {
    const int32_t width = pp_network_outputs(network);
    if (network->loss == PP_LOSS_SQUARED_ERROR)
        pp_squared_error_forward(losses, outputs, targets, rows, width);
    else
        pp_cross_entropy_forward(losses, outputs, labels, rows, width);
    pp_mask_rows(losses, labels, rows, 1);
}

void pp_network_loss_backward(const pp_network *network, int32_t rows, const float *outputs, const int32_t *labels,
                              const float *targets, float *output_gradient) {
    const int32_t width = pp_network_outputs(network);
    if (network->loss == PP_LOSS_SQUARED_ERROR)
        pp_squared_error_backward(output_gradient, outputs, targets, rows, width);
    else
        pp_cross_entropy_backward(output_gradient, outputs, labels, rows, width);
    pp_mask_rows(output_gradient, labels, rows, width);
    if (network->extended) pp_weigh(network, rows, labels, output_gradient);
}

int32_t pp_with_label(const int32_t *labels, int32_t rows) {
    int32_t count = 0;
    for (int32_t r = 0; r < rows; r++) count += labels[r] >= 0;
    return count;
}

int32_t pp_labelled(const int32_t *labels, int32_t rows) {
    const int32_t count = pp_with_label(labels, rows);
    return count > 0 ? count : 1;
}

double pp_loss_sum(int32_t rows, const float *losses) {
    double sum = 0.0;
    for (int32_t r = 0; r < rows; r++) sum += (double)losses[r];
    return sum;
}

double pp_mean_loss(int32_t rows, const int32_t *labels, const float *losses) {
    return pp_loss_sum(rows, losses) / (double)pp_labelled(labels, rows);
}

int32_t pp_network_update(pp_network *network, int32_t rows, const int32_t *labels, const float *losses, double rate,
                          double *loss) {
    const int32_t count = network->parameter_count;
    if (network->extended) return pp_extended_update(network, rows, labels, losses, loss);
    *loss = pp_mean_loss(rows, labels, losses);
    const float samples = (float)pp_labelled(labels, rows);
    /* At least one sample: what is finite stays so when it is divided. */
    if (!pp_all_finite(network->gradients, count) || !pp_all_finite(losses, rows)) {
        pp_divide(network->gradients, samples, count);
        return PP_ERR_DIVERGED;
    }
    pp_divide_sgd(network->parameters, network->gradients, samples, (float)rate, count);
    network->applied++;
    return PP_OK;
}

/* ---- evaluation ---- */

/* Runs at most BLOCK rows; returns the outputs, which lie in the scratch. */
static float *run_block(pp_network *network, const float *points, int32_t rows) {
    const float *x = points;
    float *y = network->scratch, *other = network->scratch + BLOCK * (size_t)network->widest;
    for (int32_t l = 0; l < network->layers; l++) {
        layer_forward(network, l, rows, x, y);
        if (network->extended)
            pp_layer_evaluate(network, l, rows, y, network->scratch + 3 * BLOCK * (size_t)network->widest);
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
    for (int32_t begin = 0; begin < rows; begin += BLOCK) {
        const int32_t count = rows - begin < BLOCK ? rows - begin : BLOCK;
        float *block = run_block(network, points + (size_t)begin * (size_t)inputs, count);
        if (classes != NULL)
            for (int32_t r = 0; r < count; r++) classes[begin + r] = class_of(block + (size_t)r * (size_t)width, width);
        if (outputs == NULL) continue;
        if (network->loss == PP_LOSS_CROSS_ENTROPY) pp_softmax_forward(block, block, count, width);
        memcpy(outputs + (size_t)begin * (size_t)width, block, (size_t)count * (size_t)width * sizeof(float));
    }
}

double pp_network_loss(pp_network *network, const pp_data *data) {
    float *targets = network->scratch + 2 * BLOCK * (size_t)network->widest;
    float *losses = targets + BLOCK * (size_t)network->widest;
    double sum = 0.0;
    for (int32_t begin = 0; begin < data->samples; begin += BLOCK) {
        const int32_t count = data->samples - begin < BLOCK ? data->samples - begin : BLOCK;
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
    for (int32_t begin = 0; begin < data->samples; begin += BLOCK) {
        const int32_t count = data->samples - begin < BLOCK ? data->samples - begin : BLOCK;
        const float *outputs = run_block(network, data->features + (size_t)begin * (size_t)data->inputs, count);
        for (int32_t r = 0; r < count; r++)
            right += class_of(outputs + (size_t)r * (size_t)width, width) == data->labels[begin + r];
    }
    return (double)right / (double)pp_labelled(data->labels, data->samples);
}

/* ---- the yardstick ---- */

/* Written out over all layers rather than as one stage, so that a fault of the stages shows as a difference. */

static size_t outputs_of_layers(const pp_network *network) {
    size_t sum = 0;
    for (int32_t l = 1; l <= network->layers; l++) sum += (size_t)network->widths[l];
    return sum;
}

size_t pp_reference_bytes(const pp_network *network, const pp_training *training) {
    if (pp_asks_more(network, training)) return pp_extended_reference_bytes(network, training);
    /* samples, targets, losses */
    size_t per_row = (size_t)network->widths[0] + (size_t)pp_network_outputs(network) + 1 + outputs_of_layers(network);
    per_row += 2 * (size_t)network->widest; /* gradient of a layer's output, and of its input */
    return (size_t)training->batch * (per_row * sizeof(float) + sizeof(int32_t)) + LINE;
}

int32_t pp_reference_step(pp_network *network, pp_data *data, const pp_training *training, int32_t step, void *memory,
                          size_t bytes, double *loss) {
    double mean;
    const int32_t rows = training->batch;
    const size_t n = (size_t)rows;
    assert(memory != NULL && ((uintptr_t)memory & 3) == 0);
    if (bytes < pp_reference_bytes(network, training)) return PP_ERR_CAPACITY;
    pp_network_options(network, training);
    if (network->extended) {
        int32_t *its_labels;
        float *its_losses;
        pp_extended_reference(network, data, step, memory, &its_labels, &its_losses);
        return pp_extended_update(network, rows, its_labels, its_losses, loss != NULL ? loss : &mean);
    }
    float *delta = aligned(memory);
    float *dx = delta + n * (size_t)network->widest;
    float *y = dx + n * (size_t)network->widest;
    float *const features = y + n * outputs_of_layers(network);
    float *const targets = features + n * (size_t)network->widths[0];
    float *const losses = targets + n * (size_t)pp_network_outputs(network);
    int32_t *const labels = (int32_t *)(losses + n);

    pp_data_batch(data, step, rows, features, labels);
    pp_network_targets(network, labels, rows, targets);
    const float *x = features;
    for (int32_t l = 0; l < network->layers; l++) {
        layer_forward(network, l, rows, x, y);
        x = y;
        y += n * (size_t)network->widths[l + 1];
    }
    pp_network_loss_forward(network, rows, x, labels, targets, losses);
    pp_network_loss_backward(network, rows, x, labels, targets, delta);
    for (int32_t l = network->layers - 1; l >= 0; l--) {
        y -= n * (size_t)network->widths[l + 1];
        x = l > 0 ? y - n * (size_t)network->widths[l] : features;
        layer_backward_activation(network, l, rows, y, delta);
        layer_backward_weight(network, l, rows, x, delta, 1, network->gradients);
        if (l == 0) break;
        layer_backward_input(network, l, rows, delta, dx);
        float *const done = delta;
        delta = dx;
        dx = done;
    }
    return pp_network_update(network, rows, labels, losses, training->rate, loss != NULL ? loss : &mean);
}

double pp_gradient_difference(const pp_network *a, const pp_network *b) {
    assert(a->parameter_count == b->parameter_count);
    return (double)pp_largest_difference(a->gradients, b->gradients, a->parameter_count);
}

double pp_weight_difference(const pp_network *a, const pp_network *b) {
    assert(a->parameter_count == b->parameter_count);
    return (double)pp_largest_difference(a->parameters, b->parameters, a->parameter_count);
}
