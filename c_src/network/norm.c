/* Layer norm (Ba, Kiros, Hinton 2016), batch norm (Ioffe and Szegedy 2015) and dropout (Srivastava et al. 2014). */
#include <stddef.h>

#include "core/lanes.h"
#include "core/random.h"
#include "network/tensor.h"

/* 1 / sqrt(variance + epsilon) */
static v4 scale_of(v4 variance, float epsilon) { return 1.0f / v4_sqrt(variance + epsilon); }

/* The first n lanes of x, 0 in the others. */
static v4 keep(v4 x, int32_t n) {
    const v4_mask lane = {0, 1, 2, 3}, count = {n, n, n, n};
    return v4_choose(lane < count, x, v4_all(0.0f));
}

/* ---- layer norm ---- */

void pp_layer_norm_forward(float *y, float *restrict mean, float *restrict scale, const float *x,
                           const float *restrict gain, const float *restrict shift, float epsilon, int32_t rows,
                           int32_t columns) {
    const float count = (float)columns;
    for (int32_t r = 0; r < rows; r++, x += columns, y += columns) {
        v4 sum = {0}, squares = {0};
        V4_EACH(c, n, columns) sum += v4_load_some(x + c, n);
        const float m = v4_sum(sum) / count;
        V4_EACH(c, n, columns) {
            const v4 d = keep(v4_load_some(x + c, n) - m, n);
            squares += d * d;
        }
        const float s = scale_of(v4_all(v4_sum(squares) / count), epsilon)[0];
        V4_EACH(c, n, columns) {
            const v4 standard = (v4_load_some(x + c, n) - m) * s;
            v4_store_some(y + c, v4_load_some(gain + c, n) * standard + v4_load_some(shift + c, n), n);
        }
        mean[r] = m;
        scale[r] = s;
    }
}

void pp_layer_norm_backward(float *dx, float *restrict dgain, float *restrict dshift, const float *dy,
                            const float *restrict x, const float *restrict mean, const float *restrict scale,
                            const float *restrict gain, int32_t rows, int32_t columns) {
    /* y = gain * h + shift, h = (x - mean) * scale. With g = dy * gain, the mean and the scale taken into account:
     * dx = scale * (g - average of g - h * average of g h) */
    const float count = (float)columns;
    for (int32_t r = 0; r < rows; r++, x += columns, dy += columns, dx += columns) {
        const float m = mean[r], s = scale[r];
        v4 sum = {0}, along = {0};
        V4_EACH(c, n, columns) {
            const v4 d = v4_load_some(dy + c, n), h = (v4_load_some(x + c, n) - m) * s;
            const v4 g = d * v4_load_some(gain + c, n);
            sum += g;
            along += g * h;
            v4_store_some(dgain + c, v4_load_some(dgain + c, n) + d * h, n);
            v4_store_some(dshift + c, v4_load_some(dshift + c, n) + d, n);
        }
        const float g_mean = v4_sum(sum) / count, gh_mean = v4_sum(along) / count;
        V4_EACH(c, n, columns) {
            const v4 h = (v4_load_some(x + c, n) - m) * s;
            const v4 g = v4_load_some(dy + c, n) * v4_load_some(gain + c, n);
            v4_store_some(dx + c, s * ((g - g_mean) - h * gh_mean), n);
        }
    }
}

/* ---- batch norm: four columns at a time, down all rows ---- */

void pp_batch_norm_forward(float *y, float *restrict mean, float *restrict scale, float *restrict running_mean,
                           float *restrict running_variance, const float *x, const float *restrict gain,
                           const float *restrict shift, float momentum, float epsilon, int32_t rows, int32_t columns) {
    const size_t row = (size_t)columns;
    const float count = (float)rows;
    V4_EACH(c, n, columns) {
        v4 sum = {0}, squares = {0};
        for (int32_t r = 0; r < rows; r++) sum += v4_load_some(x + (size_t)r * row + c, n);
        const v4 m = sum / count;
        for (int32_t r = 0; r < rows; r++) {
            const v4 d = v4_load_some(x + (size_t)r * row + c, n) - m;
            squares += d * d;
        }
        const v4 s = scale_of(squares / count, epsilon), k = v4_load_some(gain + c, n), b = v4_load_some(shift + c, n);
        for (int32_t r = 0; r < rows; r++) {
            const size_t at = (size_t)r * row + (size_t)c;
            v4_store_some(y + at, k * ((v4_load_some(x + at, n) - m) * s) + b, n);
        }
        v4_store_some(mean + c, m, n);
        v4_store_some(scale + c, s, n);
        if (running_mean != NULL) {
            const v4 old = v4_load_some(running_mean + c, n);
            v4_store_some(running_mean + c, old + momentum * (m - old), n);
        }
        if (running_variance != NULL && rows > 1) {
            const v4 old = v4_load_some(running_variance + c, n);
            v4_store_some(running_variance + c, old + momentum * (squares / (count - 1.0f) - old), n);
        }
    }
}

void pp_batch_norm_backward(float *dx, float *restrict dgain, float *restrict dshift, const float *dy,
                            const float *restrict x, const float *restrict mean, const float *restrict scale,
                            const float *restrict gain, int32_t rows, int32_t columns) {
    /* As for layer norm, with averages down the columns; there gain is one number and can be left out of them. */
    const size_t row = (size_t)columns;
    const float count = (float)rows;
    V4_EACH(c, n, columns) {
        const v4 m = v4_load_some(mean + c, n), s = v4_load_some(scale + c, n), k = v4_load_some(gain + c, n);
        v4 sum = {0}, along = {0};
        for (int32_t r = 0; r < rows; r++) {
            const size_t at = (size_t)r * row + (size_t)c;
            const v4 d = v4_load_some(dy + at, n);
            sum += d;
            along += d * ((v4_load_some(x + at, n) - m) * s);
        }
        const v4 d_mean = sum / count, dh_mean = along / count, factor = k * s;
        for (int32_t r = 0; r < rows; r++) {
            const size_t at = (size_t)r * row + (size_t)c;
            const v4 h = (v4_load_some(x + at, n) - m) * s;
            v4_store_some(dx + at, factor * ((v4_load_some(dy + at, n) - d_mean) - h * dh_mean), n);
        }
        v4_store_some(dgain + c, v4_load_some(dgain + c, n) + along, n);
        v4_store_some(dshift + c, v4_load_some(dshift + c, n) + sum, n);
    }
}

void pp_batch_norm_evaluate(float *y, const float *x, const float *restrict running_mean,
                            const float *restrict running_variance, const float *restrict gain,
                            const float *restrict shift, float epsilon, int32_t rows, int32_t columns) {
    const size_t row = (size_t)columns;
    V4_EACH(c, n, columns) {
        const v4 m = v4_load_some(running_mean + c, n), s = scale_of(v4_load_some(running_variance + c, n), epsilon);
        const v4 k = v4_load_some(gain + c, n), b = v4_load_some(shift + c, n);
        for (int32_t r = 0; r < rows; r++) {
            const size_t at = (size_t)r * row + (size_t)c;
            v4_store_some(y + at, k * ((v4_load_some(x + at, n) - m) * s) + b, n);
        }
    }
}

/* ---- dropout ---- */

/* 32 bits for each of four columns: a counter through two rounds of multiply and shift ("lowbias32" of C. Wellons'
 * hash prospector), whose start is the key of the row. */
static v4_bits draw(uint64_t key, uint32_t column) {
    v4_bits z = (v4_bits){column, column + 1, column + 2, column + 3} * 0x9E3779B9u + (uint32_t)key;
    z = (z ^ (z >> 16)) * 0x7FEB352Du;
    z = (z ^ (z >> 15) ^ (uint32_t)(key >> 32)) * 0x846CA68Bu;
    return z ^ (z >> 16);
}

void pp_dropout(float *y, const float *x, float rate, int32_t seed, int32_t step, int32_t layer, int32_t first_sample,
                int32_t rows, int32_t columns) {
    const float stretch = 1.0f / (1.0f - rate);
    const int32_t limit = (int32_t)((double)rate * 16777216.0); /* of 24 bits, so that signed lanes compare */
    const v4_mask limits = {limit, limit, limit, limit};
    const uint64_t of_step = pp_random_key(seed, PP_RANDOM_DROPOUT, step);
    for (int32_t r = 0; r < rows; r++, x += columns, y += columns) {
        uint64_t key = of_step ^ (uint32_t)layer;
        key = pp_random_next(&key) ^ (uint32_t)(first_sample + r);
        key = pp_random_next(&key);
        V4_EACH(c, n, columns) {
            const v4_mask falls = (v4_mask)(draw(key, (uint32_t)c) >> 8) < limits;
            v4_store_some(y + c, v4_choose(falls, v4_all(0.0f), v4_load_some(x + c, n) * stretch), n);
        }
    }
}
