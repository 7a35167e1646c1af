/* A network in memory: where its weights lie, what they start from, and what a training asks of it. */
#include "network/model.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/random.h"
#include "network/tensor.h"

/* ---- layout ---- */

enum { LINE_FLOATS = PP_LINE / sizeof(float) };

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
    const size_t scratch = held != NULL ? 0 : PP_EVALUATED_ROWS * (3 * widest + 2); /* two layers, targets, losses */
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
        network->parameters = pp_aligned(network->cuts + stages + 1);
        network->gradients = network->parameters + room;
        network->scratch = network->gradients + room;
        network->panels = network->scratch + scratch;
        network->state = network->panels + panels;
        network->spill = network->state + state;
    }
    return sizeof(pp_network) + tables * sizeof(int32_t) + PP_LINE +
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

/* Where the biases of layer l begin. */
static size_t bias_begin(const pp_network *network, int32_t l) {
    return (size_t)network->layer_begin[l] + (size_t)network->widths[l] * (size_t)network->widths[l + 1];
}

/* ---- what a training asks of it ---- */

void pp_network_options(pp_network *network, const pp_training *training) {
    network->options = *training;
    if (network->scale == 0) network->scale = training->loss_scale > 1 ? training->loss_scale : 1;
}

/* ---- tied ends ---- */

void pp_tie(const pp_network *network, float *parameters, int add) {
    pp_tie_ends(network, parameters, parameters + network->layer_begin[network->layers - 1], add);
}

void pp_tie_ends(const pp_network *network, float *first, float *last, int add) {
    const int32_t inputs = network->widths[0], width = network->widths[1];
    for (int32_t i = 0; i < inputs; i++)
        for (int32_t u = 0; u < width; u++) {
            float *a = first + (size_t)i * (size_t)width + u, *b = last + (size_t)u * (size_t)inputs + i;
            if (add) *b += *a;
            *a = *b;
        }
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
    pp_layers_seed(network);
    /* The head's weights are the smaller ones: with those at both ends a network starts quietly. */
    if (pp_is_tied(network)) pp_tie(network, network->parameters, 0);
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
