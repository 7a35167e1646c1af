#include "network/tensor.h"

#include <stddef.h>
#include <string.h>

#include "core/lanes.h"

/* For kernels that few requests use, or that see a handful of numbers: small rather than fast. */
#if defined(__clang__)
#define PP_COMPACT __attribute__((minsize))
#else
#define PP_COMPACT
#endif

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

/* e^r - 1 on the reduced range: the Taylor series to r^8 / 8!, whose rest is below a tenth of a last place. Added up in
 * pairs (Estrin), because the chain of dependent operations is what tanh waits for. */
static float exp_minus_one_reduced(float r) {
    const float r2 = r * r, r4 = r2 * r2;
    const float p01 = r * (1.0f / 6.0f) + 0.5f, p23 = r * (1.0f / 120.0f) + 1.0f / 24.0f;
    const float p45 = r * (1.0f / 5040.0f) + 1.0f / 720.0f;
    const float p = (p45 + r2 * (1.0f / 40320.0f)) * r4 + (p23 * r2 + p01);
    return p * r2 + r;
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
PP_COMPACT float pp_log(float x) {
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

/* tanh x = 2 t / (1 + t^2) with t = tanh(x / 2) = x P(x^2) / Q(x^2), hence 2 u v / (u^2 + v^2) with u = x P, v = Q: one
 * division, and shorter polynomials than a quotient of the whole needs, since where t nears 1 its error counts less. P
 * has degree 2 and Q degree 3: the fit with the least largest relative error of tanh on |x| < 9.02, which is 7e-9, by
 * Remez's exchange. Beyond that tanh rounds to 1, which is what this gives there. One path for every x: four lanes can
 * walk it together. */
#define TANH_END 9.02f
#define TANH_P(z) ((46.5082041f * (z) + 12127.25f) * (z) + 407374.037f)
#define TANH_Q(z) ((((z) + 982.661453f) * (z) + 92150.1337f) * (z) + 814748.078f)

float pp_tanh(float x) {
    if (x > TANH_END) x = TANH_END;
    if (x < -TANH_END) x = -TANH_END;
    const float z = x * x, u = x * TANH_P(z), v = TANH_Q(z), product = u * v;
    return (product + product) / (u * u + v * v);
}

/* ---- the same, four at a time: line by line what is above, with choices in place of branches ---- */

static v4 reduce_lanes(v4 x, v4_bits *n) {
    const v4 shift = v4_all(12582912.0f);
    const v4 shifted = x * 1.44269504f + shift;
    const v4 whole = shifted - shift;
    *n = (v4_bits)shifted - (v4_bits)shift;
    return (x - whole * 0.693359375f) - whole * -2.12194440e-4f;
}

static v4 power_of_two_lanes(v4_bits n) { return (v4)((n + 127u) << 23); }

static v4 exp_minus_one_reduced_lanes(v4 r) {
    const v4 r2 = r * r, r4 = r2 * r2;
    const v4 p01 = r * (1.0f / 6.0f) + 0.5f, p23 = r * (1.0f / 120.0f) + 1.0f / 24.0f;
    const v4 p45 = r * (1.0f / 5040.0f) + 1.0f / 720.0f;
    const v4 p = (p45 + r2 * (1.0f / 40320.0f)) * r4 + (p23 * r2 + p01);
    return p * r2 + r;
}

static v4 exp_lanes(v4 x) {
    v4_bits n;
    const v4 r = reduce_lanes(x, &n);
    const v4_bits half = (v4_bits)((v4_mask)(n + (n >> 31)) >> 1); /* n / 2, towards 0 */
    v4 y = ((exp_minus_one_reduced_lanes(r) + 1.0f) * power_of_two_lanes(half)) * power_of_two_lanes(n - half);
    y = v4_choose(x < v4_all(-87.33654f), v4_all(0.0f), y);
    return v4_choose(x > v4_all(88.72283f), v4_all(float_of(0x7F800000u)), y);
}

static inline v4 tanh_lanes(v4 x) {
    x = v4_within(x, TANH_END);
    const v4 z = x * x, u = x * TANH_P(z), v = TANH_Q(z), product = u * v;
    return (product + product) / (u * u + v * v);
}

/* Down to an eighth of a turn, then Taylor: |angle| <= pi / 4. */
PP_COMPACT void pp_turn(double turns, double *cosine, double *sine) {
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

/* ---- biases ---- */

void pp_bias_forward(float *restrict y, const float *restrict bias, int32_t rows, int32_t outputs) {
    for (int32_t r = 0; r < rows; r++, y += outputs)
        V4_EACH(o, n, outputs) v4_store_some(y + o, v4_load_some(y + o, n) + v4_load_some(bias + o, n), n);
}

/* Columns that are no whole sixteen. Apart, because a call among the rows would cost the loop below its registers. */
static PP_COMPACT __attribute__((noinline)) void bias_tanh_rest(float *y, const float *bias, int32_t rows,
                                                                int32_t outputs, int32_t columns) {
    for (int32_t r = 0; r < rows; r++, y += outputs) {
        for (int32_t i = 0; i < columns; i++) y[i] += bias[i];
        pp_tanh_forward(y, y, columns);
    }
}

void pp_bias_tanh_forward(float *restrict y, const float *restrict bias, int32_t rows, int32_t outputs) {
    const int32_t whole = outputs / 16 * 16;
    if (whole < outputs) bias_tanh_rest(y + whole, bias + whole, rows, outputs, outputs - whole);
    /* Rows and columns in one loop: engines set up the many constants before the innermost one. */
    for (int32_t o = 0, left = rows * (whole / 16); left > 0; left--) {
        const v4 x0 = v4_load(y) + v4_load(bias + o), x1 = v4_load(y + 4) + v4_load(bias + o + 4);
        const v4 x2 = v4_load(y + 8) + v4_load(bias + o + 8), x3 = v4_load(y + 12) + v4_load(bias + o + 12);
        V4_LOADED(); /* four chains of operations side by side, which share the constants */
        v4_store(y, tanh_lanes(x0)), v4_store(y + 4, tanh_lanes(x1));
        v4_store(y + 8, tanh_lanes(x2)), v4_store(y + 12, tanh_lanes(x3));
        y += 16;
        o += 16;
        if (o == whole) o = 0, y += outputs - whole;
    }
}

/* A NaN stays one, so that a diverged run is noticed. */
static v4 relu_lanes(v4 x) { return v4_choose(x <= v4_all(0.0f), v4_all(0.0f), x); }

void pp_bias_relu_forward(float *restrict y, const float *restrict bias, int32_t rows, int32_t outputs) {
    for (int32_t r = 0; r < rows; r++, y += outputs)
        V4_EACH(o, n, outputs) v4_store_some(y + o, relu_lanes(v4_load_some(y + o, n) + v4_load_some(bias + o, n)), n);
}

void pp_bias_backward(float *restrict dbias, const float *restrict dy, int32_t rows, int32_t outputs) {
    /* y[r][o] += bias[o] */
    const size_t row = (size_t)outputs;
    int32_t o = 0;
    for (; o + 16 <= outputs; o += 16) { /* a whole line of the cache */
        const float *from = dy + o;
        float *const to = dbias + o;
        v4 s0 = v4_load(to), s1 = v4_load(to + 4), s2 = v4_load(to + 8), s3 = v4_load(to + 12);
        for (int32_t r = 0; r < rows; r++, from += row) {
            s0 += v4_load(from), s1 += v4_load(from + 4);
            s2 += v4_load(from + 8), s3 += v4_load(from + 12);
        }
        v4_store(to, s0), v4_store(to + 4, s1), v4_store(to + 8, s2), v4_store(to + 12, s3);
    }
    for (int32_t r = 0; r < rows; r++, dy += row)
        for (int32_t i = o; i < outputs; i++) dbias[i] += dy[i];
}

/* ---- activations ---- */

PP_COMPACT __attribute__((noinline)) void pp_tanh_forward(float *y, const float *x, int32_t count) {
    V4_EACH(i, n, count) v4_store_some(y + i, tanh_lanes(v4_load_some(x + i, n)), n);
}

void pp_tanh_backward(float *dx, const float *dy, const float *y, int32_t count) {
    /* y = tanh x, whose derivative is 1 - y^2 */
    int32_t i = 0;
    for (; i + 16 <= count; i += 16) {
        const v4 t0 = v4_load(y + i), t1 = v4_load(y + i + 4), t2 = v4_load(y + i + 8), t3 = v4_load(y + i + 12);
        const v4 d0 = v4_load(dy + i), d1 = v4_load(dy + i + 4), d2 = v4_load(dy + i + 8), d3 = v4_load(dy + i + 12);
        V4_LOADED();
        v4_store(dx + i, d0 * (1.0f - t0 * t0)), v4_store(dx + i + 4, d1 * (1.0f - t1 * t1));
        v4_store(dx + i + 8, d2 * (1.0f - t2 * t2)), v4_store(dx + i + 12, d3 * (1.0f - t3 * t3));
    }
    for (; i < count; i++) dx[i] = dy[i] * (1.0f - y[i] * y[i]);
}

PP_COMPACT void pp_relu_forward(float *y, const float *x, int32_t count) {
    V4_EACH(i, n, count) v4_store_some(y + i, relu_lanes(v4_load_some(x + i, n)), n);
}

void pp_relu_backward(float *dx, const float *dy, const float *y, int32_t count) {
    /* y = max(x, 0), so y > 0 where x > 0 */
    V4_EACH(i, n, count)
        v4_store_some(dx + i, v4_choose(v4_load_some(y + i, n) > v4_all(0.0f), v4_load_some(dy + i, n), v4_all(0.0f)),
                      n);
}

PP_COMPACT void pp_identity_forward(float *y, const float *x, int32_t count) {
    if (y != x) memcpy(y, x, (size_t)count * sizeof *y);
}

PP_COMPACT void pp_identity_backward(float *dx, const float *dy, const float *y, int32_t count) {
    (void)y;
    if (dx != dy) memcpy(dx, dy, (size_t)count * sizeof *dx);
}

/* sqrt(2 / pi), and the factor of the cube. */
#define GELU_SCALE 0.79788456f
#define GELU_CUBE 0.044715f

PP_COMPACT void pp_gelu_forward(float *y, const float *x, int32_t count) {
    V4_EACH(i, n, count) {
        const v4 at = v4_load_some(x + i, n);
        const v4 t = tanh_lanes(GELU_SCALE * (at + GELU_CUBE * (at * at) * at));
        v4_store_some(y + i, 0.5f * at * (1.0f + t), n);
    }
}

PP_COMPACT void pp_gelu_backward(float *dx, const float *dy, const float *x, int32_t count) {
    /* y = x (1 + t) / 2 with t = tanh u(x), so y' = (1 + t) / 2 + x (1 - t^2) u' / 2 */
    V4_EACH(i, n, count) {
        const v4 at = v4_load_some(x + i, n), square = at * at;
        const v4 t = tanh_lanes(GELU_SCALE * (at + GELU_CUBE * square * at));
        const v4 inner = GELU_SCALE * (1.0f + (3.0f * GELU_CUBE) * square);
        v4_store_some(dx + i, v4_load_some(dy + i, n) * (0.5f * (1.0f + t) + 0.5f * at * (1.0f - t * t) * inner), n);
    }
}

/* ---- losses ---- */

static float largest(const float *x, int32_t count) {
    float top = x[0];
    for (int32_t i = 1; i < count; i++) top = x[i] > top ? x[i] : top;
    return top;
}

PP_COMPACT void pp_softmax_forward(float *p, const float *x, int32_t rows, int32_t classes) {
    for (int32_t r = 0; r < rows; r++, p += classes, x += classes) {
        const float top = largest(x, classes);
        float sum = 0.0f;
        V4_EACH(c, n, classes) v4_store_some(p + c, exp_lanes(v4_load_some(x + c, n) - top), n);
        for (int32_t c = 0; c < classes; c++) sum += p[c];
        V4_EACH(c, n, classes) v4_store_some(p + c, v4_load_some(p + c, n) / sum, n);
    }
}

PP_COMPACT void pp_cross_entropy_forward(float *restrict losses, const float *restrict x,
                                         const int32_t *restrict labels, int32_t rows, int32_t classes) {
    for (int32_t r = 0; r < rows; r++, x += classes) {
        if (labels[r] < 0) {
            losses[r] = 0.0f;
            continue;
        }
        const float top = largest(x, classes);
        float sum = 0.0f;
        V4_EACH(c, n, classes) {
            const v4 each = exp_lanes(v4_load_some(x + c, n) - top);
            for (int32_t i = 0; i < 4 && i < n; i++) sum += each[i];
        }
        losses[r] = pp_log(sum) + (top - x[labels[r]]);
    }
}

PP_COMPACT void pp_cross_entropy_backward(float *dx, const float *x, const int32_t *labels, int32_t rows,
                                          int32_t classes) {
    /* loss = log(sum exp x) - x[label], so the gradient is softmax(x) less 1 at the label */
    pp_softmax_forward(dx, x, rows, classes);
    for (int32_t r = 0; r < rows; r++) {
        if (labels[r] >= 0) dx[(size_t)r * (size_t)classes + (size_t)labels[r]] -= 1.0f;
    }
    pp_mask_rows(dx, labels, rows, classes);
}

PP_COMPACT void pp_squared_error_forward(float *restrict losses, const float *restrict x, const float *restrict targets,
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

PP_COMPACT void pp_squared_error_backward(float *dx, const float *x, const float *targets, int32_t rows,
                                          int32_t outputs) {
    /* loss = sum of (x - target)^2 */
    V4_EACH(i, n, rows * outputs)
        v4_store_some(dx + i, 2.0f * (v4_load_some(x + i, n) - v4_load_some(targets + i, n)), n);
}

PP_COMPACT void pp_mask_rows(float *x, const int32_t *labels, int32_t rows, int32_t columns) {
    for (int32_t r = 0; r < rows; r++, x += columns) {
        if (labels[r] < 0) pp_zero(x, columns);
    }
}

/* ---- whole arrays ---- */

void pp_sgd(float *restrict w, const float *restrict dw, float rate, int32_t count) {
    int32_t i = 0;
    for (; i + 4 <= count; i += 4) v4_store(w + i, v4_load(w + i) - rate * v4_load(dw + i));
    for (; i < count; i++) w[i] -= rate * dw[i];
}

/* Dividing by a power of two is multiplying by its inverse, bit for bit and several times faster. */
static int has_exact_inverse(float x) { return (bits_of(x) & 0x807FFFFFu) == 0 && x >= 1.0f && x < 1e30f; }

PP_COMPACT void pp_sgd_momentum(float *restrict w, float *restrict velocity, const float *restrict dw, float rate,
                                float momentum, int32_t count) {
    V4_EACH(i, n, count) {
        const v4 v = momentum * v4_load_some(velocity + i, n) + v4_load_some(dw + i, n);
        v4_store_some(velocity + i, v, n);
        v4_store_some(w + i, v4_load_some(w + i, n) - rate * v, n);
    }
}

/* By squaring, since C libraries differ in pow. */
static double power(double base, int32_t exponent) {
    double result = 1.0;
    for (; exponent > 0; exponent >>= 1, base *= base)
        if (exponent & 1) result *= base;
    return result;
}

PP_COMPACT void pp_adam(float *restrict w, float *restrict first, float *restrict second, const float *restrict dw,
                        double rate, double beta1, double beta2, double epsilon, int32_t step, int32_t count) {
    const float keep1 = (float)beta1, take1 = (float)(1.0 - beta1), keep2 = (float)beta2, take2 = (float)(1.0 - beta2),
                small = (float)epsilon;
    const float pace = (float)(rate / (1.0 - power(beta1, step)));
    const v4 correction = v4_sqrt(v4_all((float)(1.0 - power(beta2, step))));
    V4_EACH(i, n, count) {
        const v4 g = v4_load_some(dw + i, n);
        const v4 m = keep1 * v4_load_some(first + i, n) + take1 * g;
        const v4 v = keep2 * v4_load_some(second + i, n) + take2 * (g * g);
        v4_store_some(first + i, m, n);
        v4_store_some(second + i, v, n);
        v4_store_some(w + i, v4_load_some(w + i, n) - pace * (m / (v4_sqrt(v) / correction + small)), n);
    }
}

PP_COMPACT void pp_multiply(float *x, float factor, int32_t count) {
    V4_EACH(i, n, count) v4_store_some(x + i, v4_load_some(x + i, n) * factor, n);
}

int32_t pp_divide(float *x, float divisor, int32_t count) {
    if (has_exact_inverse(divisor))
        pp_multiply(x, 1.0f / divisor, count);
    else
        V4_EACH(i, n, count) v4_store_some(x + i, v4_load_some(x + i, n) / divisor, n);
    return pp_all_finite(x, count);
}

void pp_add(float *restrict y, const float *restrict x, int32_t count) {
    V4_EACH(i, n, count) v4_store_some(y + i, v4_load_some(y + i, n) + v4_load_some(x + i, n), n);
}

void pp_zero(float *x, int32_t count) {
    int32_t i = 0;
    for (; i + 4 <= count; i += 4) v4_store(x + i, v4_all(0.0f));
    for (; i < count; i++) x[i] = 0.0f;
}

int32_t pp_all_finite(const float *x, int32_t count) {
    /* x - x is 0, or NaN if x is infinite or NaN; and so are sums of it */
    v4 s0 = v4_all(0.0f), s1 = s0, s2 = s0, s3 = s0;
    int32_t i = 0;
    for (; i + 16 <= count; i += 16) {
        const v4 x0 = v4_load(x + i), x1 = v4_load(x + i + 4), x2 = v4_load(x + i + 8), x3 = v4_load(x + i + 12);
        s0 += x0 - x0, s1 += x1 - x1, s2 += x2 - x2, s3 += x3 - x3;
    }
    float sum = v4_sum((s0 + s1) + (s2 + s3));
    for (; i < count; i++) sum += x[i] - x[i];
    return sum == 0.0f;
}

PP_COMPACT float pp_largest_difference(const float *x, const float *y, int32_t count) {
    float top = 0.0f;
    for (int32_t i = 0; i < count; i++) {
        const float difference = x[i] > y[i] ? x[i] - y[i] : y[i] - x[i];
        if (!(difference <= top)) top = difference; /* true for NaN, which then stays */
        if (top != top) break;
    }
    return top;
}
