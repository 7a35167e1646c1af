/* The network: dense layers cut into stages. Knows nothing of schedules: a stage is run by whoever calls it. */
#ifndef PP_MODEL_H
#define PP_MODEL_H

#include "data.h"
#include "pipeline.h"

struct pp_network {
    int32_t layers;
    int32_t stages;
    int32_t activation; /* after every layer but the last */
    int32_t loss;
    int32_t widest; /* largest of the widths */
    int32_t parameter_count;
    pp_product *forward, *backward_input, *backward_weight, *begin_weight; /* pp_network_products */
    int32_t *widths;      /* layers + 1 */
    int32_t *cuts;        /* stages + 1: stage s has layers cuts[s] .. cuts[s+1]-1 */
    int32_t *layer_begin; /* layers + 1: where a layer's weights begin, its biases after them */
    float *parameters;
    float *gradients; /* laid out like the parameters */
    float *scratch;   /* pp_network_loss and _predict: one block of rows */
    float *panels;    /* pp_matmul_...: room to lay out factors in */
};

/* What a stage is given and keeps for n rows, all float arrays of the caller:
 *     input         [n][input width]     what came from the stage before, or the samples
 *     activations   [n][width] of each of its layers, one block after the other; the last block is its output
 *     deltas        laid out like activations: loss gradient before the layer's activation function
 * Floats of activations (and of deltas) for one row: */
int32_t pp_stage_width(const pp_network *network, int32_t stage);
int32_t pp_stage_input_width(const pp_network *network, int32_t stage);
int32_t pp_stage_output_width(const pp_network *network, int32_t stage);

/* Where the stage's output stands in its activations; also where the gradient of it goes in its deltas. */
float *pp_stage_output(const pp_network *network, int32_t stage, int32_t rows, float *activations);

/* F, and R: input -> activations. */
void pp_stage_forward(const pp_network *network, int32_t stage, int32_t rows, const float *input, float *activations);
/* I: output_gradient -> deltas, and the gradient of the stage's input. output_gradient NULL: it stands already in the
 * deltas, at pp_stage_output. input_gradient NULL: nobody asks for it. */
void pp_stage_backward_input(const pp_network *network, int32_t stage, int32_t rows, const float *activations,
                             const float *output_gradient, float *deltas, float *input_gradient);
/* W: adds to gradients, an array laid out like the parameters of the whole network. B is I, then W. */
void pp_stage_backward_weight(const pp_network *network, int32_t stage, int32_t rows, const float *input,
                              const float *activations, const float *deltas, float *gradients);

/* The loss of the last stage's outputs, a sum over each row, and its gradient. targets: as pp_network_targets fills
 * them, outputs for each row. Rows with a negative label give 0. */
void pp_network_targets(const pp_network *network, const int32_t *labels, int32_t rows, float *targets);
void pp_network_loss_forward(const pp_network *network, int32_t rows, const float *outputs, const int32_t *labels,
                             const float *targets, float *losses);
void pp_network_loss_backward(const pp_network *network, int32_t rows, const float *outputs, const int32_t *labels,
                              const float *targets, float *output_gradient);

/* Ends a step over `rows` samples: mean loss, gradients / samples, SGD. If the loss or a gradient is not finite the
 * weights stay, and the status is PP_ERR_DIVERGED. losses: one per sample. */
int32_t pp_network_update(pp_network *network, int32_t rows, const int32_t *labels, const float *losses, double rate,
                          double *loss);
/* How many samples have a label, at least 1: what gradients are divided by. */
int32_t pp_labelled(const int32_t *labels, int32_t rows);
/* The mean over the samples that have a label, added in order. */
double pp_mean_loss(int32_t rows, const int32_t *labels, const float *losses);

/* A network of which only the stages with held[stage] != 0 have memory for weights and gradients, as on a device that holds
 * no others; layers are cut evenly. Shapes are told of all. It has no scratch: pp_network_loss, _accuracy and _predict
 * need a whole one. */
size_t pp_network_part_bytes(const int32_t *widths, int32_t layers, int32_t stages, const uint8_t *held);
int32_t pp_network_part_init(const int32_t *widths, int32_t layers, int32_t stages, const uint8_t *held,
                             int32_t activation, int32_t loss, void *memory, size_t bytes);

#endif
