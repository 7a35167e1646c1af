/* A multilayer perceptron whose layers are cut into stages, trained by executing a schedule action by action. What it
 * shows: whatever the order of the actions, the gradients are those of the whole batch.
 *
 *     pp_training_parse    the request's text          ->  pp_training     (data, network, batch, rate ..)
 *     pp_training_fit      + stages, micro-batches     ->  defaults filled in, or the refusal
 *     pp_data_init         pp_training                 ->  pp_data         (for iris: fill features and labels, then
 *                                                                          pp_data_normalize)
 *     pp_network_init      widths, cuts                ->  pp_network      then pp_network_seed
 *     pp_run_init          schedule + timeline + network + data  ->  pp_run
 *     pp_run_next          one action at a time, in the order of simulated time; or pp_run_step, a whole step
 *     pp_reference_step    the same step of a second network: whole batch at once, no stages, no micro-batches
 *     pp_delayed_step      .. and what an asynchronous schedule makes of it, without a pipeline
 *     pp_gradient_difference, pp_weight_difference    how far the two are apart
 *
 * Each object stands at the head of the memory it was made in (8-byte aligned, the caller's) and is freed with it. A
 * run keeps pointers to its schedule, timeline, network and data: they must outlive it and stay where they are.
 *
 * Mean: the loss and every gradient are means over the samples of the whole batch. Micro-batches add sums, whatever
 * their sizes; the end of the step divides once. A sample whose label is negative has none: it counts for nothing.
 *
 * float32. Weight gradients add sample by sample, so a schedule whose backwards come in ascending order of
 * micro-batches at every stage gives the bits of the reference (pp_run_sums_in_order); others agree to rounding.
 */
#ifndef PP_ROOM_NETWORK_H
#define PP_ROOM_NETWORK_H

#include "core/core.h"
#include "core/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what a training is told ---- */

/* X(id, name, samples, features, classes). The pictures in the plane are made from a seed; iris the caller gives. */
#define PP_DATA_KINDS(X)                                                                                               \
    X(PP_DATA_SPIRALS, "spirals", 256, 2, 2)                                                                           \
    X(PP_DATA_CIRCLES, "circles", 256, 2, 2)                                                                           \
    X(PP_DATA_XOR, "xor", 256, 2, 2)                                                                                   \
    X(PP_DATA_IRIS, "iris", 150, 4, 3)

enum {
#define PP_DATA_ENUM(id, name, samples, features, classes) id,
    PP_DATA_KINDS(PP_DATA_ENUM)
#undef PP_DATA_ENUM
};
enum { PP_ACTIVATION_TANH, PP_ACTIVATION_RELU, PP_ACTIVATION_IDENTITY, PP_ACTIVATION_GELU };
enum { PP_NORM_NONE, PP_NORM_LAYER, PP_NORM_BATCH };
/* Rows a batch norm takes its statistics from. Micro-batch: those at hand; the running statistics, which evaluation
 * uses, move once for each micro-batch. Deferred: the same, but they move once a step, to the statistics of the whole
 * batch (GPipe, Huang et al. 2019, section 2.1; torchgpipe's DeferredBatchNorm). Batch: all rows of the step, which a
 * pipeline of more than one micro-batch cannot know, so it is refused there. */
enum { PP_STATISTICS_MICROBATCH, PP_STATISTICS_DEFERRED, PP_STATISTICS_BATCH };
/* Ends: the last layer uses the first one's weights, transposed, as a head does an embedding's. Each end keeps a copy;
 * their gradients are added before the update, so the copies stay equal. */
enum { PP_TIED_NONE, PP_TIED_ENDS };
/* Sizes of micro-batches: as equal as they can be, the larger first; or all alike and the last with what is left. */
enum { PP_SPLIT_EVEN, PP_SPLIT_LAST };
/* What the loss and the gradients are: the mean over the samples of the batch; the mean of the micro-batches' means,
 * which differs where sizes do; or the sum of those means, as where nobody divides by m. */
enum { PP_MEAN_SAMPLES, PP_MEAN_MICROBATCHES, PP_MEAN_UNDIVIDED };
enum { PP_UPDATE_SGD, PP_UPDATE_MOMENTUM, PP_UPDATE_ADAM };
enum { PP_LOSS_CROSS_ENTROPY, PP_LOSS_SQUARED_ERROR };
/* Whole: weights, biases and features are small whole numbers, so that (with relu or identity, squared error and a
 * batch of a power of two) every sum of the first step is exact in float and must not depend on its order. */
enum { PP_INIT_RANDOM, PP_INIT_WHOLE };

/* X(type, field). The last ones follow from the data, the loss and the schedule. */
#define PP_TRAINING_FIELDS(X)                                                                                          \
    X(int32_t, data)                                                                                                   \
    X(int32_t, width)                                                                                                  \
    X(int32_t, depth)                                                                                                  \
    X(int32_t, activation)                                                                                             \
    X(int32_t, loss)                                                                                                   \
    X(int32_t, batch)                                                                                                  \
    X(int32_t, steps)                                                                                                  \
    X(int32_t, seed)                                                                                                   \
    X(double, rate)                                                                                                    \
    X(int32_t, init)                                                                                                   \
    X(int32_t, norm)                                                                                                   \
    X(int32_t, norm_statistics)                                                                                        \
    X(double, dropout)                                                                                                 \
    X(int32_t, tied)                                                                                                   \
    X(int32_t, split)                                                                                                  \
    X(int32_t, mean)                                                                                                   \
    X(int32_t, update)                                                                                                 \
    X(double, momentum)                                                                                                \
    X(double, beta1)                                                                                                   \
    X(double, beta2)                                                                                                   \
    X(double, epsilon)                                                                                                 \
    X(double, clip)                                                                                                    \
    X(double, loss_scale)                                                                                              \
    X(int32_t, scale_growth)                                                                                           \
    X(int32_t, samples)                                                                                                \
    X(int32_t, inputs)                                                                                                 \
    X(int32_t, outputs)                                                                                                \
    X(int32_t, microbatches)

typedef struct pp_training {
#define PP_TRAINING_MEMBER(type, field) type field;
    PP_TRAINING_FIELDS(PP_TRAINING_MEMBER)
#undef PP_TRAINING_MEMBER
} pp_training;

/* ---- samples ---- */

typedef struct pp_data pp_data;
typedef struct pp_network pp_network;

/* Samples in memory. Of iris, features and labels are zero until the caller has written them. PP_OK or CAPACITY. */
PP_EXPORT(pp_data_bytes) size_t pp_data_bytes(const pp_training *training);
PP_EXPORT(pp_data_init) int32_t pp_data_init(const pp_training *training, void *memory, size_t bytes);
PP_EXPORT(pp_data_samples) int32_t pp_data_samples(const pp_data *data);
PP_EXPORT(pp_data_inputs) int32_t pp_data_inputs(const pp_data *data);
/* samples * inputs, one sample after the other; and a class 0 .. per sample. To be written only before a run. */
PP_EXPORT(pp_data_features) float *pp_data_features(pp_data *data);
PP_EXPORT(pp_data_labels) int32_t *pp_data_labels(pp_data *data);
/* Shifts and scales each feature to mean 0 and variance 1 (a constant one to 0); with PP_INIT_WHOLE to whole numbers
 * about 0 as well. For data the caller has written. */
PP_EXPORT(pp_data_normalize) void pp_data_normalize(pp_data *data);
/* Gathers the batch of one step (from 0): features[batch * inputs], labels[batch]. Steps walk through all samples in a
 * shuffled order, a new one each time round; a batch may reach into the next round. Depends on seed and step alone. */
PP_EXPORT(pp_data_batch)
void pp_data_batch(pp_data *data, int32_t step, int32_t batch, float *features, int32_t *labels);

/* ---- the network ---- */

/* What a network has room for, in one number: PP_ACTIVATION_... alone, or what a request asks for besides it: norm,
 * dropout, tied ends, the state of the update; each from its bit on, the activation below. */
enum { PP_KIND_NORM = 4, PP_KIND_DROPOUT = 8, PP_KIND_TIED = 9, PP_KIND_UPDATE = 12 };

/* Memory of a network of `layers` dense layers: widths has layers + 1 entries. */
PP_EXPORT(pp_network_bytes)
size_t pp_network_bytes(const int32_t *widths, int32_t layers, int32_t stages, int32_t kind);
/* cuts: stages + 1 layer numbers, stage s has layers cuts[s] .. cuts[s+1]-1; NULL cuts as evenly as can be, longer
 * stages first. Every stage has a layer. All weights are zero: pp_network_seed fills them.
 * Returns PP_OK, PP_ERR_LAYERS (fewer layers than stages, or cuts that do not ascend from 0 to layers) or CAPACITY. */
PP_EXPORT(pp_network_init)
int32_t pp_network_init(const int32_t *widths, int32_t layers, int32_t stages, const int32_t *cuts, int32_t kind,
                        int32_t loss, void *memory, size_t bytes);
/* Starting weights: PP_INIT_...; the same for the same seed, whatever the stages. */
PP_EXPORT(pp_network_seed) void pp_network_seed(pp_network *network, int32_t init, int32_t seed);
/* A product of a layer with `rows` samples, as tensor.h says; the first argument is what it writes. */
typedef void pp_product(float *restrict out, const float *restrict a, const float *restrict b, int32_t rows,
                        int32_t inputs, int32_t outputs, void *scratch);
/* Other products in place of the network's own: y = x . w, dx = dy . w transposed, dw += x transposed . dy, and the same
 * from nothing. For fused ones, which round a multiplication and its addition once. */
PP_EXPORT(pp_network_products)
void pp_network_products(pp_network *network, pp_product *forward, pp_product *backward_input,
                         pp_product *backward_weight, pp_product *begin_weight);
/* Weights and gradients of one network into another of the same widths. */
void pp_network_copy(pp_network *to, const pp_network *from);

int32_t pp_network_stages(const pp_network *network);
int32_t pp_network_inputs(const pp_network *network);
PP_EXPORT(pp_network_outputs) int32_t pp_network_outputs(const pp_network *network);
PP_EXPORT(pp_network_cuts) const int32_t *pp_network_cuts(const pp_network *network);
PP_EXPORT(pp_network_parameter_count) int32_t pp_network_parameter_count(const pp_network *network);
/* Layer l: weights [input][output], then biases, from layer_begin[l] on (layers + 1 entries); in hidden layers with a
 * norm then its gains and shifts, with batch norm also running means and variances, whose gradients are 0. Gradients
 * likewise: the mean of the last finished step. */
PP_EXPORT(pp_network_layer_begin) const int32_t *pp_network_layer_begin(const pp_network *network);
PP_EXPORT(pp_network_parameters) float *pp_network_parameters(pp_network *network);
PP_EXPORT(pp_network_gradients) float *pp_network_gradients(pp_network *network);
/* What of them belongs to a stage: so many, one after the other. */
float *pp_stage_parameters(pp_network *network, int32_t stage);
int32_t pp_stage_parameter_count(const pp_network *network, int32_t stage);
/* A checkpoint of a stage: its parameters, what the update keeps of them (momentum, Adam's means), and the steps taken and
 * the loss scale of the network. Means something only to a network of the same shape and kind. Returns its bytes; memory
 * NULL: that alone. */
size_t pp_stage_save(const pp_network *network, int32_t stage, void *memory);
void pp_stage_load(pp_network *network, int32_t stage, const void *memory);

/* Mean loss over all samples, and the share of them whose class is told right. The network's scratch is used. */
double pp_network_loss(pp_network *network, const pp_data *data);
PP_EXPORT(pp_network_accuracy) double pp_network_accuracy(pp_network *network, const pp_data *data);
/* Runs `rows` points (rows * inputs floats) through the network. outputs: NULL, or rows * outputs floats:
 * probabilities with cross entropy, the raw outputs otherwise. classes: NULL, or the class of each point. */
PP_EXPORT(pp_network_predict)
void pp_network_predict(pp_network *network, const float *points, int32_t rows, float *outputs, int32_t *classes);

/* The yardstick: gradients of step number `step` (from 0) over its whole batch at once, left in the network, and the
 * update of its weights. Only batch norm, whose results depend on the rows it sees, takes the same micro-batches. loss: NULL, or the mean loss before the update. memory: pp_reference_bytes, caller's.
 * Returns PP_OK, CAPACITY, or DIVERGED (a loss or gradient is not finite; the weights stay as they were). */
PP_EXPORT(pp_reference_bytes) size_t pp_reference_bytes(const pp_network *network, const pp_training *training);
PP_EXPORT(pp_reference_step)
int32_t pp_reference_step(pp_network *network, pp_data *data, const pp_training *training, int32_t step, void *memory,
                          size_t bytes, double *loss);

/* Largest absolute difference of two networks of the same widths; NaN if one of them holds a NaN. */
PP_EXPORT(pp_gradient_difference) double pp_gradient_difference(const pp_network *a, const pp_network *b);
PP_EXPORT(pp_weight_difference) double pp_weight_difference(const pp_network *a, const pp_network *b);

/* What micro-batches do to one step, in numbers: step number `step` with the present weights, the batch in m parts and in
 * one, and the usual mistakes. Nothing of the network changes. NAN: the request has no such part. Gradients compare as
 * |a - b| / |b| over all parameters. */
#define PP_SEMANTICS(X)                                                                                                \
    X(LOSS, loss)                       /* mean over the samples */                                                    \
    X(GRADIENT_NORM, gradient_norm)     /* of the mean gradient */                                                     \
    X(SMALLEST, smallest)               /* samples of the smallest micro-batch .. */                                   \
    X(LARGEST, largest)                 /* .. and of the largest */                                                    \
    X(NORM_MEAN, norm_mean)             /* batch norm: how far a micro-batch's mean is from that of the batch, in  \
                                             standard deviations of the batch; the furthest */   \
    X(NORM_DEVIATION, norm_deviation)   /* .. its standard deviation, as a share of the batch's */                     \
    X(NORM_OUTPUT, norm_output)         /* .. the network's outputs, absolutely */                                     \
    X(NORM_LOSS, norm_loss)             /* .. the loss with statistics of the whole batch */                           \
    X(NORM_GRADIENT, norm_gradient)     /* .. gradient by micro-batches against whole batch */                         \
    X(DROPOUT_ENTRIES, dropout_entries) /* entries of all masks .. */                                                  \
    X(DROPOUT_BY_SAMPLE, dropout_by_sample) /* .. that differ from those of m = 1: keyed by sample, as here .. */      \
    X(DROPOUT_BY_ROW, dropout_by_row)       /* .. and keyed by the row within the micro-batch */                       \
    X(MEANS_LOSS, means_loss)               /* mean of the micro-batches' means */                                     \
    X(MEANS_GRADIENT, means_gradient)       /* its gradient against that of the mean over samples */                   \
    X(UNDIVIDED, undivided)                 /* size of a gradient that nobody divided by m, against the right one */   \
    X(CLIP_LIMIT, clip_limit)               /* the request's, else half the gradient's norm */                         \
    X(CLIP_WHOLE, clip_whole)               /* norm after clipping once, by the global norm .. */                      \
    X(CLIP_PARTS, clip_parts)               /* .. and of the mean of micro-batches clipped one by one */               \
    X(CLIP_GRADIENT, clip_gradient)         /* the two gradients against each other */                                 \
    X(TIED_GRADIENT, tied_gradient)         /* tied weights: gradient of one use only against the sum of both */

enum {
#define PP_SEMANTICS_ENUM(id, name) PP_SEMANTICS_##id,
    PP_SEMANTICS(PP_SEMANTICS_ENUM)
#undef PP_SEMANTICS_ENUM
        PP_SEMANTICS_COUNT
};
PP_EXPORT(pp_semantics_count) int32_t pp_semantics_count(void);
PP_EXPORT(pp_semantics_name) const char *pp_semantics_name(int32_t i);
/* out: pp_semantics_count doubles. memory: pp_semantics_bytes, caller's. Returns PP_OK or CAPACITY. */
PP_EXPORT(pp_semantics_bytes) size_t pp_semantics_bytes(const pp_network *network, const pp_training *training);
PP_EXPORT(pp_semantics)
int32_t pp_semantics(pp_network *network, pp_data *data, const pp_training *training, int32_t step, void *memory,
                     size_t bytes, double *out);

#ifdef __cplusplus
}
#endif
#endif
