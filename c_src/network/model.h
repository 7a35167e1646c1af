/* The network: dense layers cut into stages. Knows nothing of schedules: a stage is run by whoever calls it. */
#ifndef PP_MODEL_H
#define PP_MODEL_H

#include "network/data.h"
#include "network/network.h"

/* The part of a step that is being run, for what depends on more than the rows at hand. */
typedef struct pp_pass {
    int32_t step;
    int32_t row;        /* of the batch: the first one at hand */
    int32_t microbatch; /* whose rows they are */
    int32_t total;      /* samples of the batch that have a label */
    int32_t evaluates;  /* no dropout, running statistics */
    float *statistics;  /* pp_statistics_count floats: what norms found in this step */
} pp_pass;

struct pp_network {
    int32_t layers;
    int32_t stages;
    int32_t kind;       /* pp_training_kind */
    int32_t activation; /* after every layer but the last */
    int32_t norm;
    int32_t blocks; /* arrays [rows][width] that a hidden layer keeps */
    int32_t loss;
    int32_t widest; /* largest of the widths */
    int32_t parameter_count;
    pp_product *forward, *backward_input, *backward_weight, *begin_weight; /* pp_network_products */
    int32_t *widths;                                                       /* layers + 1 */
    int32_t *cuts;        /* stages + 1: stage s has layers cuts[s] .. cuts[s+1]-1 */
    int32_t *layer_begin; /* layers + 1: where a layer's weights begin, its biases after them */
    float *parameters;
    float *gradients; /* laid out like the parameters */
    float *scratch;   /* pp_network_loss and _predict: one block of rows */
    float *panels;    /* pp_matmul_...: room to lay out factors in */
    float *state;     /* of the update: 0, 1 or 2 arrays laid out like the parameters */
    float *spill;     /* 2 * widest: results of a kernel that nobody asked for */
    int32_t applied;  /* steps taken, not skipped */
    int32_t good;     /* of them since the scale last changed */
    double scale;     /* of the loss; 0 before the options of a training are known */
    pp_training options;
    pp_pass pass;
};

/* Arrays begin with a line of the cache: products read weights where they lie, and rows that straddle lines cost more. */
enum { PP_LINE = 64 };
static inline float *pp_aligned(void *at) {
    return (float *)(((uintptr_t)at + PP_LINE - 1) & ~(uintptr_t)(PP_LINE - 1));
}
/* Rows that are run at a time where a network is asked without being trained. */
enum { PP_EVALUATED_ROWS = 64 };

static inline int32_t pp_training_microbatches(const pp_training *training) {
    return training->microbatches > 0 ? training->microbatches : 1;
}
static inline int32_t pp_step_microbatches(const pp_network *network) {
    return pp_training_microbatches(&network->options);
}
static inline double pp_loss_scale(const pp_network *network) { return network->scale > 0 ? network->scale : 1; }
/* 1 if the first and the last layer share their weights; if hidden layers drop some of their outputs. */
static inline int pp_is_tied(const pp_network *network) { return network->kind >> PP_KIND_TIED & 1; }
static inline int pp_drops(const pp_network *network) { return network->kind >> PP_KIND_DROPOUT & 1; }

/* Takes on the options of a training before its first step. */
void pp_network_options(pp_network *network, const pp_training *training);

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

/* Ends a step over `rows` samples: mean loss, gradients of the mean, and the update of the weights. If the loss or a gradient is
 * not finite the weights stay, and the status is PP_ERR_DIVERGED. losses: one per sample. */
int32_t pp_network_update(pp_network *network, int32_t rows, const int32_t *labels, const float *losses, double *loss);
/* The losses added in order, and their mean over the samples that have a label. */
double pp_loss_sum(int32_t rows, const float *losses);
double pp_mean_loss(int32_t rows, const int32_t *labels, const float *losses);
/* Rows that have a label. */
int32_t pp_with_label(const int32_t *labels, int32_t rows);
/* The same, but at least 1: the divisor of the mean. */
int32_t pp_labelled(const int32_t *labels, int32_t rows);
/* ---- layers, and the end of a step ---- */

/* Floats that norms write down in a step: of layer norm mean and scale of each row, of batch norm mean, scale and
 * corrected variance of each column for each micro-batch. */
size_t pp_statistics_count(const pp_network *network, int32_t batch, int32_t microbatches);
/* Number of parameters of layer l, for a kind. */
size_t pp_layer_size(int32_t kind, const int32_t *widths, int32_t layers, int32_t l);
int32_t pp_kind_blocks(int32_t kind);
static inline int32_t pp_layer_blocks(const pp_network *network, int32_t l) {
    return l < network->layers - 1 ? network->blocks : 1;
}
/* Norms start as the identity. After the weights are seeded. */
void pp_layers_seed(pp_network *network);
/* Makes the first layer's weights those of the last one, transposed; add: both become their sum. */
void pp_tie(const pp_network *network, float *parameters, int add);
/* The same of the two layers alone, wherever they lie. */
void pp_tie_ends(const pp_network *network, float *first, float *last, int add);
/* What layer l adds to the square of the norm. Weights that two layers share count once. */
double pp_layer_square(const pp_network *network, const float *gradients, int32_t l);
/* Squares added layer by layer, and the root. */
double pp_global_norm(const pp_network *network, const float *gradients);
/* What gradients of this norm are to be multiplied with. */
float pp_clip_factor(double norm, double limit);
void pp_clip(const pp_network *network, float *gradients, double limit);
/* Layers begin .. end-1, as a stage has them, or all of them; arguments as for the stages above. first: whatever stands in the
 * gradients of these layers does not count. */
void pp_layers_forward(const pp_network *network, int32_t begin, int32_t end, int32_t rows, const float *input,
                       float *activations);
void pp_layers_backward_input(const pp_network *network, int32_t begin, int32_t end, int32_t rows,
                              const float *activations, const float *output_gradient, float *deltas,
                              float *input_gradient);
void pp_layers_backward_weight(const pp_network *network, int32_t begin, int32_t end, int32_t rows, const float *input,
                               const float *activations, const float *deltas, int first, float *gradients);
/* One layer at evaluation, from x to y; at most PP_EVALUATED_ROWS rows. statistics: room for two floats a row. */
void pp_layer_evaluate(const pp_network *network, int32_t l, int32_t rows, const float *x, float *y, float *statistics);
/* The loss of a step, by the mean its training asks for. */
double pp_step_loss(const pp_network *network, int32_t rows, const int32_t *labels, const float *losses);
/* What batch norm found of a micro-batch in the layers of a stage, `count` floats in a row; 0: nothing. */
float *pp_stage_statistics(const pp_network *network, int32_t stage, int32_t microbatch, int32_t *count);
/* Weights begin .. begin + count - 1 by their gradients, as the training's update says; step: from 1, for Adam. */
void pp_descend(pp_network *network, int32_t begin, int32_t count, int32_t step);
/* The parts of pp_network_update, for ranks that must hear of each other in between. Gradients become those of the mean; 1 if all are finite. */
int32_t pp_update_divide(pp_network *network, int32_t rows, const int32_t *labels);
/* The step, PP_OK; or, taken 0, none, PP_ERR_DIVERGED. */
int32_t pp_update_end(pp_network *network, int32_t taken);
/* A network of which only the stages with held[stage] != 0 have memory for weights and gradients, as on a device that holds
 * no others; layers are cut evenly. Shapes are told of all. It has no scratch: pp_network_loss, _accuracy and _predict
 * need a whole one. */
size_t pp_network_part_bytes(const int32_t *widths, int32_t layers, int32_t stages, int32_t kind, const uint8_t *held);
int32_t pp_network_part_init(const int32_t *widths, int32_t layers, int32_t stages, const uint8_t *held, int32_t kind,
                             int32_t loss, void *memory, size_t bytes);

#endif
