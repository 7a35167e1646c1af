/* The end of a step: the sums of gradients become those of the mean, tied ends are added up, the global norm is clipped (Pascanu
 * et al. 2013), the weights move by plain descent, momentum or Adam, and the running statistics of batch norm follow. With loss
 * scaling (Micikevicius et al. 2018) a step that overflowed is skipped. In whatever order the stages come to this, all of them
 * take the step or all of them skip it. */
#include <math.h>
#include <stddef.h>

#include "network/model.h"
#include "network/tensor.h"

/* The share by which running statistics move: PyTorch's default. */
#define RUNNING 0.1f

/* ---- clipping ---- */

double pp_layer_square(const pp_network *network, const float *gradients, int32_t l) {
    int32_t from = network->layer_begin[l];
    double sum = 0;
    if (pp_is_tied(network) && l == network->layers - 1) from += network->widths[l] * network->widths[l + 1];
    for (int32_t i = from; i < network->layer_begin[l + 1]; i++) sum += (double)gradients[i] * (double)gradients[i];
    return sum;
}

/* Each layer's sum by itself: ranks that hold some of the layers come to the same one (rank.c). */
double pp_global_norm(const pp_network *network, const float *gradients) {
    double total = 0;
    for (int32_t l = 0; l < network->layers; l++) total += pp_layer_square(network, gradients, l);
    return sqrt(total);
}

float pp_clip_factor(double norm, double limit) { return norm > limit ? (float)(limit / norm) : 1.0f; }

void pp_clip(const pp_network *network, float *gradients, double limit) {
    pp_multiply(gradients, pp_clip_factor(pp_global_norm(network, gradients), limit), network->parameter_count);
}

/* ---- running statistics ---- */

static void follow(float *running, double to) { *running += RUNNING * ((float)to - *running); }

/* One column: found has mean, scale and corrected variance of the first micro-batch, those of the next one `stride` on.
 * Deferred, the variance of the whole is put together from its parts (Chan, Golub, LeVeque 1983). */
static void move_column(const pp_network *network, const float *found, size_t width, size_t stride, float *mean,
                        float *variance) {
    const int32_t m = pp_step_microbatches(network), split = network->options.split, batch = network->options.batch;
    double sum = 0, squares = 0;
    for (int32_t k = 0; k < m; k++) {
        const int32_t rows = pp_microbatch_row(split, batch, m, k + 1) - pp_microbatch_row(split, batch, m, k);
        const double its_mean = found[(size_t)k * stride], its_variance = found[(size_t)k * stride + 2 * width];
        sum += rows * its_mean;
        squares += (rows - 1) * its_variance;
        if (network->options.norm_statistics != PP_STATISTICS_MICROBATCH) continue;
        follow(mean, its_mean);
        if (rows > 1) follow(variance, its_variance);
    }
    if (network->options.norm_statistics == PP_STATISTICS_MICROBATCH) return;
    sum /= batch;
    for (int32_t k = 0; k < m; k++) {
        const int32_t rows = pp_microbatch_row(split, batch, m, k + 1) - pp_microbatch_row(split, batch, m, k);
        const double off = found[(size_t)k * stride] - sum;
        squares += rows * off * off;
    }
    follow(mean, sum);
    if (batch > 1) follow(variance, squares / (batch - 1));
}

static void move_running(pp_network *network) {
    size_t units = 0, before = 0;
    for (int32_t l = 1; l < network->layers; l++) units += (size_t)network->widths[l];
    for (int32_t l = 0; l < network->layers - 1; l++) {
        const size_t width = (size_t)network->widths[l + 1];
        float *mean = network->parameters + network->layer_begin[l + 1] - 2 * width;
        const int held = network->layer_begin[l + 1] > network->layer_begin[l]; /* a rank by itself has not all */
        for (size_t c = 0; held && c < width; c++)
            move_column(network, network->pass.statistics + 3 * before + c, width, 3 * units, mean + c,
                        mean + width + c);
        before += width;
    }
}

/* ---- the step ---- */

void pp_descend(pp_network *network, int32_t begin, int32_t count, int32_t step) {
    const pp_training *options = &network->options;
    const float rate = (float)options->rate;
    float *const w = network->parameters + begin, *const dw = network->gradients + begin;
    float *const state = network->state + begin;
    switch (network->kind >> PP_KIND_UPDATE) {
    case PP_UPDATE_MOMENTUM: pp_sgd_momentum(w, state, dw, rate, (float)options->momentum, count); break;
    case PP_UPDATE_ADAM:
        pp_adam(w, state, state + network->parameter_count, dw, options->rate, options->beta1, options->beta2,
                options->epsilon, step, count);
        break;
    default: pp_sgd(w, dw, rate, count); break;
    }
}

int32_t pp_update_divide(pp_network *network, int32_t rows, const int32_t *labels) {
    const int32_t count = network->parameter_count;
    int32_t finite = pp_divide(network->gradients, (float)pp_labelled(labels, rows), count);
    if (pp_loss_scale(network) != 1) finite &= pp_divide(network->gradients, (float)network->scale, count);
    return finite;
}

int32_t pp_update_end(pp_network *network, int32_t taken) {
    const pp_training *options = &network->options;
    if (!taken) {
        if (network->scale > 1) network->scale /= 2;
        network->good = 0;
        return PP_ERR_DIVERGED;
    }
    pp_descend(network, 0, network->parameter_count, ++network->applied);
    if (network->norm == PP_NORM_BATCH) move_running(network);
    if (options->loss_scale > 1 && ++network->good == options->scale_growth) {
        network->good = 0;
        if (network->scale < 1e38) network->scale *= 2;
    }
    return PP_OK;
}

int32_t pp_network_update(pp_network *network, int32_t rows, const int32_t *labels, const float *losses, double *loss) {
    *loss = pp_step_loss(network, rows, labels, losses);
    if (pp_is_tied(network)) pp_tie(network, network->gradients, 1);
    const int32_t finite = pp_update_divide(network, rows, labels) && pp_all_finite(losses, rows);
    if (finite && network->options.clip > 0) pp_clip(network, network->gradients, network->options.clip);
    return pp_update_end(network, finite);
}
