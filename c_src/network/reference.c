/* The yardstick: the step of a training without a pipeline, the whole batch through all layers at once. */
#include "network/reference.h"

#include <assert.h>
#include <string.h>

#include "network/tensor.h"

size_t pp_batch_lay(const pp_network *network, int32_t batch, int32_t microbatches, void *memory, pp_batch *out) {
    const size_t n = (size_t)batch, outputs = (size_t)network->widths[network->layers];
    size_t width = 0, sum = 0;
    for (int32_t l = 0; l < network->layers; l++)
        width += (size_t)(network->widths[l + 1] * pp_layer_blocks(network, l));
    const size_t counts[] = {n * width,
                             n * width,
                             n * (size_t)network->widths[0],
                             n * outputs,
                             n,
                             n * outputs,
                             n,
                             pp_statistics_count(network, batch, microbatches)};
    float *at[8], *const begin = memory != NULL ? pp_aligned(memory) : NULL;
    for (int i = 0; i < 8; sum += counts[i++]) at[i] = memory != NULL ? begin + sum : NULL;
    *out = (pp_batch){.activations = at[0],
                      .deltas = at[1],
                      .features = at[2],
                      .targets = at[3],
                      .losses = at[4],
                      .outputs = at[5],
                      .labels = (int32_t *)at[6],
                      .statistics = at[7],
                      .to_output = width - outputs};
    return sum * sizeof(float) + PP_LINE;
}

size_t pp_reference_bytes(const pp_network *network, const pp_training *training) {
    pp_batch w;
    return pp_batch_lay(network, training->batch, pp_training_microbatches(training), NULL, &w);
}

void pp_batch_load(pp_network *network, pp_data *data, int32_t step, const pp_batch *w) {
    const int32_t batch = network->options.batch;
    pp_data_batch(data, step, batch, w->features, w->labels);
    pp_network_targets(network, w->labels, batch, w->targets);
    network->pass = (pp_pass){.step = step, .total = pp_labelled(w->labels, batch), .statistics = w->statistics};
}

/* Adds the gradients of one of `chunks` parts of the batch, through all layers at once; undivided. first: whatever stands in the
 * gradients does not count. */
static void run_chunk(pp_network *network, const pp_batch *w, int32_t chunks, int32_t chunk, int first) {
    const pp_training *o = &network->options;
    const int32_t m = pp_step_microbatches(network), batch = o->batch, outputs = network->widths[network->layers];
    const int32_t row = pp_microbatch_row(o->split, batch, chunks, chunk);
    const int32_t rows = pp_microbatch_row(o->split, batch, chunks, chunk + 1) - row;
    const float *x = w->features + (size_t)row * (size_t)network->widths[0];
    float *const y = w->outputs + (size_t)row * (size_t)outputs;
    network->pass.row = row;
    network->pass.microbatch = chunk;
    pp_layers_forward(network, 0, network->layers, rows, x, w->activations);
    memcpy(y, w->activations + (size_t)rows * w->to_output, (size_t)(rows * outputs) * sizeof(float));
    pp_network_loss_forward(network, rows, y, w->labels + row, w->targets + (size_t)row * (size_t)outputs,
                            w->losses + row);
    /* The gradient of the loss is taken micro-batch by micro-batch, even where all rows run as one pass, since each of them
     * divides by its own count. */
    for (int32_t k = chunks > 1 ? chunk : 0; k < (chunks > 1 ? chunk + 1 : m); k++) {
        const int32_t begin = pp_microbatch_row(o->split, batch, m, k);
        const int32_t count = pp_microbatch_row(o->split, batch, m, k + 1) - begin;
        const size_t at = (size_t)begin * (size_t)outputs;
        pp_network_loss_backward(network, count, w->outputs + at, w->labels + begin, w->targets + at,
                                 w->deltas + (size_t)rows * w->to_output + (size_t)((begin - row) * outputs));
    }
    pp_layers_backward_input(network, 0, network->layers, rows, w->activations, NULL, w->deltas, NULL);
    pp_layers_backward_weight(network, 0, network->layers, rows, x, w->activations, w->deltas, first,
                              network->gradients);
}

/* Gradients of chunks from .. to-1 alone. */
void pp_batch_gradients(pp_network *network, const pp_batch *w, int32_t chunks, int32_t from, int32_t to) {
    for (int32_t chunk = from; chunk < to; chunk++) run_chunk(network, w, chunks, chunk, chunk == from);
}

void pp_reference_load(pp_network *network, pp_data *data, int32_t step, void *memory, int32_t **labels,
                       float **losses) {
    pp_batch w;
    pp_batch_lay(network, network->options.batch, pp_step_microbatches(network), memory, &w);
    pp_batch_load(network, data, step, &w);
    *labels = w.labels;
    *losses = w.losses;
}

void pp_reference_microbatch(pp_network *network, void *memory, int32_t k) {
    const int32_t m = pp_step_microbatches(network);
    pp_batch w;
    pp_batch_lay(network, network->options.batch, m, memory, &w);
    run_chunk(network, &w, m, k, 0);
}

int32_t pp_reference_step(pp_network *network, pp_data *data, const pp_training *training, int32_t step, void *memory,
                          size_t bytes, double *loss) {
    double mean;
    pp_batch w;
    assert(memory != NULL && ((uintptr_t)memory & 3) == 0);
    if (bytes < pp_reference_bytes(network, training)) return PP_ERR_CAPACITY;
    pp_network_options(network, training);
    /* Batch norm's results depend on the rows it sees, so it is given the same micro-batches as the pipeline. */
    const int32_t m = pp_step_microbatches(network), chunks = network->norm == PP_NORM_BATCH ? m : 1;
    pp_batch_lay(network, training->batch, m, memory, &w);
    pp_batch_load(network, data, step, &w);
    pp_batch_gradients(network, &w, chunks, 0, chunks);
    return pp_network_update(network, training->batch, w.labels, w.losses, loss != NULL ? loss : &mean);
}

/* ---- how far two networks are apart ---- */

double pp_gradient_difference(const pp_network *a, const pp_network *b) {
    assert(a->parameter_count == b->parameter_count);
    return (double)pp_largest_difference(a->gradients, b->gradients, a->parameter_count);
}

double pp_weight_difference(const pp_network *a, const pp_network *b) {
    assert(a->parameter_count == b->parameter_count);
    return (double)pp_largest_difference(a->parameters, b->parameters, a->parameter_count);
}
