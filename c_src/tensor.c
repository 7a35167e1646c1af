#include "tensor.h"

#include <stddef.h>
#include <string.h>

/* ---- functions of one number ---- */

static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* x = n ln 2 + r with |r| <= ln 2 / 2. Adding 1.5 * 2^23 rounds to a whole number and leaves it in the low bits, which
 * spares a conversion to int: that would be undefined for NaN. ln 2 is split so that n * high is exact. */
static float reduce(float x, int32_t *n) {
    const float shift = 12582912.0f;
    const float shifted = x * 1.44269504f + shift;
    const float whole = shifted - shift;
    *n = (int32_t)(bits_of(shifted) - bits_of(shift));
    return (x - whole * 0.693359375f) - whole * -2.12194440e-4f;
}

/* 2^n for -126 <= n <= 127; other n give some number, without undefined behaviour. */
static float power_of_two(int32_t n) { return float_of(((uint32_t)n + 127u) << 23); }

/* e^r - 1 on the reduced range: the Taylor series to r^8 / 8!, whose rest is below a tenth of a last place. */
static float exp_minus_one_reduced(float r) {
    float p = 1.0f / 40320.0f;
    p = p * r + 1.0f / 5040.0f;
    p = p * r + 1.0f / 720.0f;
    p = p * r + 1.0f / 120.0f;
    p = p * r + 1.0f / 24.0f;
    p = p * r + 1.0f / 6.0f;
    p = p * r + 0.5f;
    return p * (r * r) + r;
}

float pp_exp(float x) {
    if (x > 88.72283f) return float_of(0x7F800000u);
    if (x < -87.33654f) return 0.0f;
    int32_t n;
    const float r = reduce(x, &n);
    /* Two factors, since 2^128 is not a float though e^x may still be one. */
    const int32_t half = n / 2;
    return ((exp_minus_one_reduced(r) + 1.0f) * power_of_two(half)) * power_of_two(n - half);
}

/* x = 2^n m with m in [sqrt 1/2, sqrt 2); log m = 2 atanh(s), s = (m - 1) / (m + 1), |s| < 0.172: five terms do. */
float pp_log(float x) {
    int32_t n = 0;
    if (!(x > 0.0f)) return x == 0.0f ? float_of(0xFF800000u) : float_of(0x7FC00000u);
    if (bits_of(x) == 0x7F800000u) return x;
    if (x < 1.17549435e-38f) {
        x *= 8388608.0f;
        n = -23;
    }
    /* Offset so that the exponent changes at sqrt 1/2 = 0x3F3504F3. */
    const uint32_t bits = bits_of(x) - 0x3F3504F3u;
    n += (int32_t)(bits >> 23) - (bits >> 31 ? 512 : 0);
    const float m = float_of((bits & 0x007FFFFFu) + 0x3F3504F3u);
    const float f = m - 1.0f;
    const float s = f / (2.0f + f);
    const float z = s * s;
    float p = 2.0f / 9.0f;
    p = p * z + 2.0f / 7.0f;
    p = p * z + 2.0f / 5.0f;
    p = p * z + 2.0f / 3.0f;
    /* 2s + s z p, written as f - s (f - z p): s itself is rounded, f is exact. */
    const float log_m = f - s * (f - z * p);
    return (float)n * 0.693359375f + (log_m + (float)n * -2.12194440e-4f);
}

/* tanh |x| = -t / (2 + t) with t = e^(-2|x|) - 1, which keeps its relative precision near 0 because only there n = 0
 * and the series starts with r itself. One path for every x: four lanes can walk it together. */
float pp_tanh(float x) {
    const uint32_t sign = bits_of(x) & 0x80000000u;
    float a = float_of(bits_of(x) ^ sign);
    if (a > 20.0f) a = 20.0f;
    int32_t n;
    const float r = reduce(-2.0f * a, &n);
    const float scale = power_of_two(n);
    const float t = scale * exp_minus_one_reduced(r) + (scale - 1.0f);
    return float_of(bits_of(-t / (2.0f + t)) ^ sign);
}

/* Down to an eighth of a turn, then Taylor: |angle| <= pi / 4. */
void pp_turn(double turns, double *cosine, double *sine) {
    const double eighths = turns * 4.0;
    int32_t quarter = (int32_t)eighths;
    if ((double)quarter > eighths) quarter--;
    double rest = eighths - (double)quarter;
    if (rest > 0.5) {
        rest -= 1.0;
        quarter++;
    }
    const double a = rest * 1.5707963267948966;
    const double z = a * a;
    double c = 0.0, s = 0.0;
    for (int32_t k = 18; k > 0; k -= 2) {
        c = (1.0 + c) * -z / (double)(k * (k - 1));
        s = (1.0 + s) * -z / (double)(k * (k + 1));
    }
    c += 1.0;
    s = (1.0 + s) * a;
    switch ((uint32_t)quarter & 3u) {
    case 0: *cosine = c, *sine = s; break;
    case 1: *cosine = -s, *sine = c; break;
    case 2: *cosine = -c, *sine = -s; break;
    default: *cosine = s, *sine = -c; break;
    }
}

/* ---- dense layers ---- */

void pp_matmul_forward(float *restrict y, const float *restrict x, const float *restrict w, int32_t rows,
                       int32_t inputs, int32_t outputs) {
    for (int32_t r = 0; r < rows; r++) {
        float *restrict y_row = y + (size_t)r * (size_t)outputs;
        const float *restrict x_row = x + (size_t)r * (size_t)inputs;
        for (int32_t o = 0; o < outputs; o++) y_row[o] = 0.0f;
        for (int32_t i = 0; i < inputs; i++) {
            const float factor = x_row[i];
            const float *restrict w_row = w + (size_t)i * (size_t)outputs;
            for (int32_t o = 0; o < outputs; o++) y_row[o] += factor * w_row[o];
        }
    }
}

void pp_matmul_backward_input(float *restrict dx, const float *restrict dy, const float *restrict w, int32_t rows,
                              int32_t inputs, int32_t outputs) {
    /* y[r][o] += x[r][i] * w[i][o] */
    for (int32_t r = 0; r < rows; r++) {
        float *restrict dx_row = dx + (size_t)r * (size_t)inputs;
        const float *restrict dy_row = dy + (size_t)r * (size_t)outputs;
        for (int32_t i = 0; i < inputs; i++) {
            const float *restrict w_row = w + (size_t)i * (size_t)outputs;
            float sum = 0.0f;
            for (int32_t o = 0; o < outputs; o++) sum += dy_row[o] * w_row[o];
            dx_row[i] = sum;
        }
    }
}

void pp_matmul_backward_weight(float *restrict dw, const float *restrict x, const float *restrict dy, int32_t rows,
                               int32_t inputs, int32_t outputs) {
    /* y[r][o] += x[r][i] * w[i][o]; samples outermost, so that each entry adds them one by one */
    for (int32_t r = 0; r < rows; r++) {
        const float *restrict x_row = x + (size_t)r * (size_t)inputs;
        const float *restrict dy_row = dy + (size_t)r * (size_t)outputs;
        for (int32_t i = 0; i < inputs; i++) {
            const float factor = x_row[i];
            float *restrict dw_row = dw + (size_t)i * (size_t)outputs;
            for (int32_t o = 0; o < outputs; o++) dw_row[o] += factor * dy_row[o];
        }
    }
}

void pp_bias_forward(float *restrict y, const float *restrict bias, int32_t rows, int32_t outputs) {
    for (int32_t r = 0; r < rows; r++) {
        float *restrict y_row = y + (size_t)r * (size_t)outputs;
        for (int32_t o = 0; o < outputs; o++) y_row[o] += bias[o];
    }
}

void pp_bias_backward(float *restrict dbias, const float *restrict dy, int32_t rows, int32_t outputs) {
    /* y[r][o] += bias[o] */
    for (int32_t r = 0; r < rows; r++) {
        const float *restrict dy_row = dy + (size_t)r * (size_t)outputs;
        for (int32_t o = 0; o < outputs; o++) dbias[o] += dy_row[o];
    }
}

/* ---- activations ---- */

void pp_tanh_forward(float *y, const float *x, int32_t count) {
    for (int32_t i = 0; i < count; i++) y[i] = pp_tanh(x[i]);
}

void pp_tanh_backward(float *dx, const float *dy, const float *y, int32_t count) {
    /* y = tanh x, whose derivative is 1 - y^2 */
    for (int32_t i = 0; i < count; i++) dx[i] = dy[i] * (1.0f - y[i] * y[i]);
}

void pp_relu_forward(float *y, const float *x, int32_t count) {
    /* A NaN stays one, so that a diverged run is noticed. */
    for (int32_t i = 0; i < count; i++) y[i] = x[i] <= 0.0f ? 0.0f : x[i];
}

void pp_relu_backward(float *dx, const float *dy, const float *y, int32_t count) {
    /* y = max(x, 0), so y > 0 where x > 0 */
    for (int32_t i = 0; i < count; i++) dx[i] = y[i] > 0.0f ? dy[i] : 0.0f;
}

void pp_identity_forward(float *y, const float *x, int32_t count) {
    if (y != x) memcpy(y, x, (size_t)count * sizeof *y);
}

void pp_identity_backward(float *dx, const float *dy, const float *y, int32_t count) {
    (void)y;
    if (dx != dy) memcpy(dx, dy, (size_t)count * sizeof *dx);
}

/* ---- losses ---- */

static float largest(const float *x, int32_t count) {
    float top = x[0];
    for (int32_t i = 1; i < count; i++) top = x[i] > top ? x[i] : top;
    return top;
}

void pp_softmax_forward(float *p, const float *x, int32_t rows, int32_t classes) {
    for (int32_t r = 0; r < rows; r++, p += classes, x += classes) {
        const float top = largest(x, classes);
        float sum = 0.0f;
        for (int32_t c = 0; c < classes; c++) {
            p[c] = pp_exp(x[c] - top);
            sum += p[c];
        }
        for (int32_t c = 0; c < classes; c++) p[c] /= sum;
    }
}

void pp_cross_entropy_forward(float *restrict losses, const float *restrict x, const int32_t *restrict labels,
                              int32_t rows, int32_t classes) {
    for (int32_t r = 0; r < rows; r++, x += classes) {
        if (labels[r] < 0) {
            losses[r] = 0.0f;
            continue;
        }
        const float top = largest(x, classes);
        float sum = 0.0f;
        for (int32_t c = 0; c < classes; c++) sum += pp_exp(x[c] - top);
        losses[r] = pp_log(sum) + (top - x[labels[r]]);
    }
}

void pp_cross_entropy_backward(float *dx, const float *x, const int32_t *labels, int32_t rows, int32_t classes) {
    /* loss = log(sum exp x) - x[label], so the gradient is softmax(x) less 1 at the label */
    pp_softmax_forward(dx, x, rows, classes);
    for (int32_t r = 0; r < rows; r++) {
        if (labels[r] >= 0) dx[(size_t)r * (size_t)classes + (size_t)labels[r]] -= 1.0f;
    }
    pp_mask_rows(dx, labels, rows, classes);
}

void pp_squared_error_forward(float *restrict losses, const float *restrict x, const float *restrict targets,
                              int32_t rows, int32_t outputs) {
    for (int32_t r = 0; r < rows; r++, x += outputs, targets += outputs) {
        float sum = 0.0f;
        for (int32_t o = 0; o < outputs; o++) {
            const float difference = x[o] - targets[o];
            sum += difference * difference;
        }
        losses[r] = sum;
    }
}

void pp_squared_error_backward(float *dx, const float *x, const float *targets, int32_t rows, int32_t outputs) {
    /* loss = sum of (x - target)^2 */
    const size_t count = (size_t)rows * (size_t)outputs;
    for (size_t i = 0; i < count; i++) dx[i] = 2.0f * (x[i] - targets[i]);
}

void pp_mask_rows(float *x, const int32_t *labels, int32_t rows, int32_t columns) {
    for (int32_t r = 0; r < rows; r++, x += columns) {
        if (labels[r] < 0) pp_zero(x, columns);
    }
}

/* ---- whole arrays ---- */

void pp_sgd(float *restrict w, const float *restrict dw, float rate, int32_t count) {
    for (int32_t i = 0; i < count; i++) w[i] -= rate * dw[i];
}

void pp_divide(float *x, float divisor, int32_t count) {
    for (int32_t i = 0; i < count; i++) x[i] /= divisor;
}

void pp_add(float *restrict y, const float *restrict x, int32_t count) {
    for (int32_t i = 0; i < count; i++) y[i] += x[i];
}

void pp_zero(float *x, int32_t count) {
    for (int32_t i = 0; i < count; i++) x[i] = 0.0f;
}

int32_t pp_all_finite(const float *x, int32_t count) {
    uint32_t bad = 0;
    for (int32_t i = 0; i < count; i++) bad |= (bits_of(x[i]) & 0x7F800000u) == 0x7F800000u;
    return bad == 0;
}

float pp_largest_difference(const float *x, const float *y, int32_t count) {
    float top = 0.0f;
    for (int32_t i = 0; i < count; i++) {
        const float difference = x[i] > y[i] ? x[i] - y[i] : y[i] - x[i];
        if (!(difference <= top)) top = difference; /* true for NaN, which then stays */
        if (top != top) break;
    }
    return top;
}
