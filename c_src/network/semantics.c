/* What micro-batches do to a step: the same batch taken in one piece and in m, with the usual mistakes made on purpose. */
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "network/reference.h"
#include "network/tensor.h"

static const char *const semantics_names[] = {
#define SEMANTICS_NAME(id, name) #name,
    PP_SEMANTICS(SEMANTICS_NAME)
#undef SEMANTICS_NAME
};

int32_t pp_semantics_count(void) { return PP_SEMANTICS_COUNT; }
const char *pp_semantics_name(int32_t i) { return i >= 0 && i < PP_SEMANTICS_COUNT ? semantics_names[i] : ""; }

size_t pp_semantics_bytes(const pp_network *network, const pp_training *training) {
    pp_batch w;
    return 2 * pp_batch_lay(network, training->batch, pp_training_microbatches(training), NULL, &w) +
           3 * (size_t)network->parameter_count * sizeof(float);
}

/* |a - b| / |b| over all parameters; running statistics have no gradient and do not count. */
static double apart(const float *a, const float *b, int32_t count) {
    double difference = 0, size = 0;
    for (int32_t i = 0; i < count; i++) {
        difference += ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i]);
        size += (double)b[i] * (double)b[i];
    }
    if (size == 0) return difference > 0 ? INFINITY : difference;
    return sqrt(difference / size); /* NaN where the numbers are */
}

/* Mean gradients of the step, as the options have it. */
static void gradients_of(pp_network *network, const pp_batch *w, int32_t chunks, int32_t mean) {
    network->options.mean = mean;
    pp_batch_gradients(network, w, chunks, 0, chunks);
    pp_divide(network->gradients, (float)network->pass.total, network->parameter_count);
}

/* Each micro-batch against all of them together: how far its means are off, in standard deviations, and by what share
 * its standard deviation is; the furthest of all columns. */
static void compare_norms(const pp_network *network, const float *parts, const float *all, double *out) {
    const int32_t m = pp_step_microbatches(network);
    size_t units = 0, before = 0;
    for (int32_t l = 1; l < network->layers; l++) units += (size_t)network->widths[l];
    for (int32_t l = 1; l < network->layers; before += (size_t)network->widths[l++])
        for (int32_t k = 0; k < m; k++)
            for (int32_t c = 0; c < network->widths[l]; c++) {
                const size_t width = (size_t)network->widths[l];
                const float *a = parts + 3 * ((size_t)k * units + before) + c, *b = all + 3 * before + c;
                out[PP_SEMANTICS_NORM_MEAN] =
                    fmax(out[PP_SEMANTICS_NORM_MEAN], fabs(((double)a[0] - (double)b[0]) * (double)b[width]));
                out[PP_SEMANTICS_NORM_DEVIATION] =
                    fmax(out[PP_SEMANTICS_NORM_DEVIATION], fabs((double)b[width] / (double)a[width] - 1));
            }
}

/* Masks of all layers for the whole batch, and for micro-batches that know which samples they hold, or do not. */
static void compare_masks(const pp_network *network, const pp_batch *w, double *out) {
    const pp_training *o = &network->options;
    const int32_t m = pp_step_microbatches(network), batch = o->batch;
    for (int32_t l = 0; l < network->layers - 1; l++) {
        const int32_t width = network->widths[l + 1], count = batch * width;
        float *const whole_mask = w->activations, *const mask = w->deltas;
        for (int known = 0; known < 2; known++) {
            for (int32_t i = 0; i < count; i++) whole_mask[i] = mask[i] = 1;
            pp_dropout(whole_mask, whole_mask, (float)o->dropout, o->seed, network->pass.step, l, 0, batch, width);
            for (int32_t k = 0; k < m; k++) {
                const int32_t row = pp_microbatch_row(o->split, batch, m, k);
                float *const part = mask + (size_t)row * (size_t)width;
                pp_dropout(part, part, (float)o->dropout, o->seed, network->pass.step, l, known ? row : 0,
                           pp_microbatch_row(o->split, batch, m, k + 1) - row, width);
            }
            for (int32_t i = 0; i < count; i++)
                out[known ? PP_SEMANTICS_DROPOUT_BY_SAMPLE : PP_SEMANTICS_DROPOUT_BY_ROW] += mask[i] != whole_mask[i];
        }
        out[PP_SEMANTICS_DROPOUT_ENTRIES] += count;
    }
}

int32_t pp_semantics(pp_network *network, pp_data *data, const pp_training *training, int32_t step, void *memory,
                     size_t bytes, double *out) {
    const pp_network saved = *network;
    const int32_t m = pp_training_microbatches(training), count = network->parameter_count, batch = training->batch;
    assert(memory != NULL && ((uintptr_t)memory & 3) == 0);
    if (bytes < pp_semantics_bytes(network, training)) return PP_ERR_CAPACITY;
    pp_batch w, one;
    const size_t each = pp_batch_lay(network, batch, m, memory, &w) / sizeof(float);
    pp_batch_lay(network, batch, m, (float *)memory + each, &one);
    float *const kept = (float *)memory + 2 * each, *const right = kept + count, *const sum = right + count;
    memcpy(kept, network->gradients, (size_t)count * sizeof(float));
    pp_network_options(network, training);
    network->scale = 1;
    for (int32_t i = 0; i < PP_SEMANTICS_COUNT; i++) out[i] = 0;

    /* The step as it is meant: the mean over samples; batch norm by micro-batches. */
    const int32_t chunks = network->norm == PP_NORM_BATCH ? m : 1;
    pp_batch_load(network, data, step, &w);
    gradients_of(network, &w, chunks, PP_MEAN_SAMPLES);
    out[PP_SEMANTICS_LOSS] = pp_mean_loss(batch, w.labels, w.losses);
    out[PP_SEMANTICS_TIED_GRADIENT] = NAN;
    if (pp_is_tied(network)) {
        memcpy(sum, network->gradients, (size_t)count * sizeof(float));
        pp_tie(network, network->gradients, 1);
        out[PP_SEMANTICS_TIED_GRADIENT] = apart(sum, network->gradients, network->widths[0] * network->widths[1]);
    }
    memcpy(right, network->gradients, (size_t)count * sizeof(float));
    out[PP_SEMANTICS_GRADIENT_NORM] = pp_global_norm(network, right);

    /* Batch norm over all rows. */
    if (network->norm == PP_NORM_BATCH) {
        pp_batch_load(network, data, step, &one);
        network->options.microbatches = 1;
        gradients_of(network, &one, 1, PP_MEAN_SAMPLES);
        if (pp_is_tied(network)) pp_tie(network, network->gradients, 1);
        network->options.microbatches = m;
        compare_norms(network, w.statistics, one.statistics, out);
        out[PP_SEMANTICS_NORM_OUTPUT] =
            (double)pp_largest_difference(w.outputs, one.outputs, batch * network->widths[network->layers]);
        out[PP_SEMANTICS_NORM_LOSS] = pp_mean_loss(batch, one.labels, one.losses);
        out[PP_SEMANTICS_NORM_GRADIENT] = apart(right, network->gradients, count);
        network->pass.statistics = w.statistics;
    } else {
        for (int32_t i = PP_SEMANTICS_NORM_MEAN; i <= PP_SEMANTICS_NORM_GRADIENT; i++) out[i] = NAN;
    }

    /* Masks. */
    if (pp_drops(network))
        compare_masks(network, &w, out);
    else
        for (int32_t i = PP_SEMANTICS_DROPOUT_ENTRIES; i <= PP_SEMANTICS_DROPOUT_BY_ROW; i++) out[i] = NAN;

    /* Means of means, and the sum nobody divided. */
    for (int32_t k = 0; k < m; k++) {
        const double rows =
            pp_microbatch_row(training->split, batch, m, k + 1) - pp_microbatch_row(training->split, batch, m, k);
        out[PP_SEMANTICS_SMALLEST] = k == 0 ? rows : fmin(out[PP_SEMANTICS_SMALLEST], rows);
        out[PP_SEMANTICS_LARGEST] = fmax(out[PP_SEMANTICS_LARGEST], rows);
    }
    for (int32_t mean = PP_MEAN_MICROBATCHES; mean <= PP_MEAN_UNDIVIDED; mean++) {
        gradients_of(network, &w, chunks, mean);
        if (pp_is_tied(network)) pp_tie(network, network->gradients, 1);
        if (mean == PP_MEAN_MICROBATCHES) {
            out[PP_SEMANTICS_MEANS_LOSS] = pp_step_loss(network, batch, w.labels, w.losses);
            out[PP_SEMANTICS_MEANS_GRADIENT] = apart(network->gradients, right, count);
        } else {
            out[PP_SEMANTICS_UNDIVIDED] = pp_global_norm(network, network->gradients) / out[PP_SEMANTICS_GRADIENT_NORM];
        }
    }

    /* Clipping each micro-batch's own mean gradient, and the mean of what is left: against clipping once. */
    const double limit = training->clip > 0 ? training->clip : out[PP_SEMANTICS_GRADIENT_NORM] / 2;
    out[PP_SEMANTICS_CLIP_LIMIT] = limit;
    pp_zero(sum, count);
    network->options.mean = PP_MEAN_MICROBATCHES;
    for (int32_t k = 0; k < m; k++) {
        pp_batch_gradients(network, &w, m, k, k + 1);
        pp_divide(network->gradients, (float)network->pass.total / (float)m, count);
        if (pp_is_tied(network)) pp_tie(network, network->gradients, 1);
        pp_clip(network, network->gradients, limit);
        pp_add(sum, network->gradients, count);
    }
    pp_divide(sum, (float)m, count);
    out[PP_SEMANTICS_CLIP_PARTS] = pp_global_norm(network, sum);
    pp_clip(network, right, limit);
    out[PP_SEMANTICS_CLIP_WHOLE] = pp_global_norm(network, right);
    out[PP_SEMANTICS_CLIP_GRADIENT] = apart(sum, right, count);

    *network = saved;
    memcpy(network->gradients, kept, (size_t)count * sizeof(float));
    return PP_OK;
}
