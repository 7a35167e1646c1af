/* One stage of a network: its part of the layers, run forward and backward, and saved. */
#include <string.h>

#include "network/model.h"

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
    pp_layers_forward(network, network->cuts[stage], network->cuts[stage + 1], rows, input, activations);
}

void pp_stage_backward_input(const pp_network *network, int32_t stage, int32_t rows, const float *activations,
                             const float *output_gradient, float *deltas, float *input_gradient) {
    pp_layers_backward_input(network, network->cuts[stage], network->cuts[stage + 1], rows, activations,
                             output_gradient, deltas, input_gradient);
}

void pp_stage_backward_weight(const pp_network *network, int32_t stage, int32_t rows, const float *input,
                              const float *activations, const float *deltas, float *gradients) {
    pp_layers_backward_weight(network, network->cuts[stage], network->cuts[stage + 1], rows, input, activations, deltas,
                              0, gradients);
}

/* ---- its parameters ---- */

float *pp_stage_parameters(pp_network *network, int32_t stage) {
    return network->parameters + network->layer_begin[network->cuts[stage]];
}

int32_t pp_stage_parameter_count(const pp_network *network, int32_t stage) {
    return network->layer_begin[network->cuts[stage + 1]] - network->layer_begin[network->cuts[stage]];
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
