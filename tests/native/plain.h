/* What each kernel of tensor.h computes, in the plainest C: one loop a line, no lanes, no tiles. The kernels must give
 * these bits. Names are those of the kernels with plain_ for pp_. */
#ifndef PLAIN_H
#define PLAIN_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/random.h"
#include "network/tensor.h"

/* ---- dense layers ---- */

static void plain_matmul_forward(float *y, const float *x, const float *w, int32_t rows, int32_t inputs,
                                 int32_t outputs) {
    for (int32_t r = 0; r < rows; r++)
        for (int32_t o = 0; o < outputs; o++) {
            float sum = 0.0f;
            for (int32_t i = 0; i < inputs; i++) sum += x[r * inputs + i] * w[i * outputs + o];
            y[r * outputs + o] = sum;
        }
}

static void plain_matmul_backward_input(float *dx, const float *dy, const float *w, int32_t rows, int32_t inputs,
                                        int32_t outputs) {
    for (int32_t r = 0; r < rows; r++)
        for (int32_t i = 0; i < inputs; i++) {
            float sum = 0.0f;
            for (int32_t o = 0; o < outputs; o++) sum += dy[r * outputs + o] * w[i * outputs + o];
            dx[r * inputs + i] = sum;
        }
}

static void plain_matmul_backward_weight(float *dw, const float *x, const float *dy, int32_t rows, int32_t inputs,
                                         int32_t outputs) {
    for (int32_t i = 0; i < inputs; i++)
        for (int32_t o = 0; o < outputs; o++)
            for (int32_t r = 0; r < rows; r++) dw[i * outputs + o] += x[r * inputs + i] * dy[r * outputs + o];
}

static void plain_bias_forward(float *y, const float *bias, int32_t rows, int32_t outputs) {
    for (int32_t i = 0; i < rows * outputs; i++) y[i] += bias[i % outputs];
}

static void plain_bias_tanh_forward(float *y, const float *bias, int32_t rows, int32_t outputs) {
    for (int32_t i = 0; i < rows * outputs; i++) y[i] = pp_tanh(y[i] + bias[i % outputs]);
}

static void plain_bias_relu_forward(float *y, const float *bias, int32_t rows, int32_t outputs) {
    for (int32_t i = 0; i < rows * outputs; i++) {
        const float x = y[i] + bias[i % outputs];
        y[i] = x <= 0.0f ? 0.0f : x;
    }
}

static void plain_bias_backward(float *dbias, const float *dy, int32_t rows, int32_t outputs) {
    for (int32_t i = 0; i < rows * outputs; i++) dbias[i % outputs] += dy[i];
}

/* ---- activations ---- */

static void plain_tanh_forward(float *y, const float *x, int32_t count) {
    for (int32_t i = 0; i < count; i++) y[i] = pp_tanh(x[i]);
}

static void plain_tanh_backward(float *dx, const float *dy, const float *y, int32_t count) {
    for (int32_t i = 0; i < count; i++) dx[i] = dy[i] * (1.0f - y[i] * y[i]);
}

static void plain_relu_forward(float *y, const float *x, int32_t count) {
    for (int32_t i = 0; i < count; i++) y[i] = x[i] <= 0.0f ? 0.0f : x[i];
}

static void plain_relu_backward(float *dx, const float *dy, const float *y, int32_t count) {
    for (int32_t i = 0; i < count; i++) dx[i] = y[i] > 0.0f ? dy[i] : 0.0f;
}

static void plain_gelu_forward(float *y, const float *x, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        const float t = pp_tanh(0.79788456f * (x[i] + 0.044715f * (x[i] * x[i]) * x[i]));
        y[i] = 0.5f * x[i] * (1.0f + t);
    }
}

static void plain_gelu_backward(float *dx, const float *dy, const float *x, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        const float square = x[i] * x[i];
        const float t = pp_tanh(0.79788456f * (x[i] + 0.044715f * square * x[i]));
        const float inner = 0.79788456f * (1.0f + 3.0f * 0.044715f * square);
        dx[i] = dy[i] * (0.5f * (1.0f + t) + 0.5f * x[i] * (1.0f - t * t) * inner);
    }
}

/* ---- losses ---- */

static void plain_softmax_forward(float *p, const float *x, int32_t rows, int32_t classes) {
    for (int32_t r = 0; r < rows; r++, p += classes, x += classes) {
        float top = x[0], sum = 0.0f;
        for (int32_t c = 1; c < classes; c++) top = x[c] > top ? x[c] : top;
        for (int32_t c = 0; c < classes; c++) sum += p[c] = pp_exp(x[c] - top);
        for (int32_t c = 0; c < classes; c++) p[c] /= sum;
    }
}

static void plain_cross_entropy_forward(float *losses, const float *x, const int32_t *labels, int32_t rows,
                                        int32_t classes) {
    for (int32_t r = 0; r < rows; r++, x += classes) {
        float top = x[0], sum = 0.0f;
        for (int32_t c = 1; c < classes; c++) top = x[c] > top ? x[c] : top;
        for (int32_t c = 0; c < classes; c++) sum += pp_exp(x[c] - top);
        losses[r] = labels[r] < 0 ? 0.0f : pp_log(sum) + (top - x[labels[r]]);
    }
}

static void plain_cross_entropy_backward(float *dx, const float *x, const int32_t *labels, int32_t rows,
                                         int32_t classes) {
    plain_softmax_forward(dx, x, rows, classes);
    for (int32_t r = 0; r < rows; r++)
        for (int32_t c = 0; c < classes; c++) {
            if (c == labels[r]) dx[r * classes + c] -= 1.0f;
            if (labels[r] < 0) dx[r * classes + c] = 0.0f;
        }
}

static void plain_squared_error_forward(float *losses, const float *x, const float *targets, int32_t rows,
                                        int32_t outputs) {
    for (int32_t r = 0; r < rows; r++) {
        losses[r] = 0.0f;
        for (int32_t i = r * outputs; i < (r + 1) * outputs; i++)
            losses[r] += (x[i] - targets[i]) * (x[i] - targets[i]);
    }
}

static void plain_squared_error_backward(float *dx, const float *x, const float *targets, int32_t rows,
                                         int32_t outputs) {
    for (int32_t i = 0; i < rows * outputs; i++) dx[i] = 2.0f * (x[i] - targets[i]);
}

/* ---- normalisation and dropout ---- */

/* Sums along a row: four parts, by column mod 4. */
static float plain_four(const float *part) { return (part[0] + part[2]) + (part[1] + part[3]); }

static void plain_layer_norm_forward(float *y, float *mean, float *scale, const float *x, const float *gain,
                                     const float *shift, float epsilon, int32_t rows, int32_t columns) {
    for (int32_t r = 0; r < rows; r++, x += columns, y += columns) {
        float sum[4] = {0}, squares[4] = {0};
        for (int32_t c = 0; c < columns; c++) sum[c % 4] += x[c];
        mean[r] = plain_four(sum) / (float)columns;
        for (int32_t c = 0; c < columns; c++) squares[c % 4] += (x[c] - mean[r]) * (x[c] - mean[r]);
        scale[r] = 1.0f / sqrtf(plain_four(squares) / (float)columns + epsilon);
        for (int32_t c = 0; c < columns; c++) y[c] = gain[c] * ((x[c] - mean[r]) * scale[r]) + shift[c];
    }
}

static void plain_layer_norm_backward(float *dx, float *dgain, float *dshift, const float *dy, const float *x,
                                      const float *mean, const float *scale, const float *gain, int32_t rows,
                                      int32_t columns) {
    for (int32_t r = 0; r < rows; r++, x += columns, dy += columns, dx += columns) {
        float g[4] = {0}, gh[4] = {0};
        for (int32_t c = 0; c < columns; c++) {
            const float h = (x[c] - mean[r]) * scale[r];
            g[c % 4] += dy[c] * gain[c];
            gh[c % 4] += dy[c] * gain[c] * h;
            dgain[c] += dy[c] * h;
            dshift[c] += dy[c];
        }
        const float g_mean = plain_four(g) / (float)columns, gh_mean = plain_four(gh) / (float)columns;
        for (int32_t c = 0; c < columns; c++) {
            const float h = (x[c] - mean[r]) * scale[r];
            dx[c] = scale[r] * ((dy[c] * gain[c] - g_mean) - h * gh_mean);
        }
    }
}

static void plain_batch_norm_forward(float *y, float *mean, float *scale, float *running_mean, float *running_variance,
                                     const float *x, const float *gain, const float *shift, float momentum,
                                     float epsilon, int32_t rows, int32_t columns) {
    for (int32_t c = 0; c < columns; c++) {
        float sum = 0.0f, squares = 0.0f;
        for (int32_t r = 0; r < rows; r++) sum += x[r * columns + c];
        mean[c] = sum / (float)rows;
        for (int32_t r = 0; r < rows; r++) {
            const float d = x[r * columns + c] - mean[c];
            squares += d * d;
        }
        scale[c] = 1.0f / sqrtf(squares / (float)rows + epsilon);
        for (int32_t r = 0; r < rows; r++)
            y[r * columns + c] = gain[c] * ((x[r * columns + c] - mean[c]) * scale[c]) + shift[c];
        running_mean[c] += momentum * (mean[c] - running_mean[c]);
        if (rows > 1) running_variance[c] += momentum * (squares / ((float)rows - 1.0f) - running_variance[c]);
    }
}

static void plain_batch_norm_backward(float *dx, float *dgain, float *dshift, const float *dy, const float *x,
                                      const float *mean, const float *scale, const float *gain, int32_t rows,
                                      int32_t columns) {
    for (int32_t c = 0; c < columns; c++) {
        float sum = 0.0f, along = 0.0f;
        for (int32_t i = c; i < rows * columns; i += columns) {
            sum += dy[i];
            along += dy[i] * ((x[i] - mean[c]) * scale[c]);
        }
        for (int32_t i = c; i < rows * columns; i += columns) {
            const float h = (x[i] - mean[c]) * scale[c];
            dx[i] = gain[c] * scale[c] * ((dy[i] - sum / (float)rows) - h * (along / (float)rows));
        }
        dgain[c] += along;
        dshift[c] += sum;
    }
}

static void plain_batch_norm_evaluate(float *y, const float *x, const float *running_mean,
                                      const float *running_variance, const float *gain, const float *shift,
                                      float epsilon, int32_t rows, int32_t columns) {
    for (int32_t i = 0; i < rows * columns; i++) {
        const int32_t c = i % columns;
        const float scale = 1.0f / sqrtf(running_variance[c] + epsilon);
        y[i] = gain[c] * ((x[i] - running_mean[c]) * scale) + shift[c];
    }
}

static void plain_dropout(float *y, const float *x, float rate, int32_t seed, int32_t step, int32_t layer,
                          int32_t first_sample, int32_t rows, int32_t columns) {
    for (int32_t i = 0; i < rows * columns; i++) {
        uint64_t key = pp_random_key(seed, PP_RANDOM_DROPOUT, step) ^ (uint32_t)layer;
        key = pp_random_next(&key) ^ (uint32_t)(first_sample + i / columns);
        key = pp_random_next(&key);
        uint32_t z = (uint32_t)(i % columns) * 0x9E3779B9u + (uint32_t)key;
        z = (z ^ (z >> 16)) * 0x7FEB352Du;
        z = (z ^ (z >> 15) ^ (uint32_t)(key >> 32)) * 0x846CA68Bu;
        z ^= z >> 16;
        y[i] = (double)(z >> 8) < floor((double)rate * 16777216.0) ? 0.0f : x[i] * (1.0f / (1.0f - rate));
    }
}

/* ---- optimisers ---- */

static void plain_sgd(float *w, const float *dw, float rate, int32_t count) {
    for (int32_t i = 0; i < count; i++) w[i] -= rate * dw[i];
}

static void plain_divide_sgd(float *w, float *dw, float divisor, float rate, int32_t count) {
    for (int32_t i = 0; i < count; i++) dw[i] /= divisor, w[i] -= rate * dw[i];
}

static void plain_sgd_momentum(float *w, float *velocity, const float *dw, float rate, float momentum, int32_t count) {
    for (int32_t i = 0; i < count; i++) {
        velocity[i] = momentum * velocity[i] + dw[i];
        w[i] -= rate * velocity[i];
    }
}

static double plain_power(double base, int32_t exponent) {
    const double half = exponent > 1 ? plain_power(base * base, exponent / 2) : 1.0;
    return exponent & 1 ? base * half : half;
}

static void plain_adam(float *w, float *first, float *second, const float *dw, double rate, double beta1, double beta2,
                       double epsilon, int32_t step, int32_t count) {
    const float pace = (float)(rate / (1.0 - plain_power(beta1, step)));
    const float correction = sqrtf((float)(1.0 - plain_power(beta2, step)));
    for (int32_t i = 0; i < count; i++) {
        first[i] = (float)beta1 * first[i] + (float)(1.0 - beta1) * dw[i];
        second[i] = (float)beta2 * second[i] + (float)(1.0 - beta2) * (dw[i] * dw[i]);
        w[i] -= pace * (first[i] / (sqrtf(second[i]) / correction + (float)epsilon));
    }
}

#endif
