/* The loss of a network's outputs, its gradient, and what its mean is taken over. */
#include "network/model.h"
#include "network/tensor.h"

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

/* Weighs a micro-batch's loss gradient: by the scale of the loss, and by what the mean is taken over. */
static void weigh(const pp_network *network, int32_t rows, const int32_t *labels, float *gradient) {
    double factor = pp_loss_scale(network);
    /* All are divided by the labels of the whole batch in the end. */
    if (network->options.mean != PP_MEAN_SAMPLES) factor *= (double)network->pass.total / pp_labelled(labels, rows);
    if (network->options.mean == PP_MEAN_MICROBATCHES) factor /= pp_step_microbatches(network);
    if (factor != 1) pp_multiply(gradient, (float)factor, rows * network->widths[network->layers]);
}

void pp_network_loss_backward(const pp_network *network, int32_t rows, const float *outputs, const int32_t *labels,
                              const float *targets, float *output_gradient) {
    const int32_t width = pp_network_outputs(network);
    if (network->loss == PP_LOSS_SQUARED_ERROR)
        pp_squared_error_backward(output_gradient, outputs, targets, rows, width);
    else
        pp_cross_entropy_backward(output_gradient, outputs, labels, rows, width);
    pp_mask_rows(output_gradient, labels, rows, width);
    weigh(network, rows, labels, output_gradient);
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

double pp_step_loss(const pp_network *network, int32_t rows, const int32_t *labels, const float *losses) {
    const int32_t m = pp_step_microbatches(network), split = network->options.split, mean = network->options.mean;
    double sum = 0;
    if (mean == PP_MEAN_SAMPLES) return pp_mean_loss(rows, labels, losses);
    for (int32_t k = 0; k < m; k++) {
        const int32_t row = pp_microbatch_row(split, rows, m, k);
        sum += pp_mean_loss(pp_microbatch_row(split, rows, m, k + 1) - row, labels + row, losses + row);
    }
    return mean == PP_MEAN_MICROBATCHES ? sum / m : sum;
}
