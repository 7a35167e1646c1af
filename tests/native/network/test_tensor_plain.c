/* Each kernel against its plain version, bit for bit, over shapes that fill tiles and lanes and shapes that do not. */
#include <stdlib.h>

#include "check.h"
#include "network/tensor.h"
#include "plain.h"

static uint32_t random_state = 2024;

static float unit(void) { /* [-1, 1) */
    random_state = random_state * 1664525u + 1013904223u;
    return (float)(random_state >> 8) / 8388608.0f - 1.0f;
}

/* Fresh memory that ends with the array, so that the sanitizer sees a read or write past it. */
static float *floats(int32_t count) {
    float *x = malloc((size_t)count * sizeof(float));
    for (int32_t i = 0; i < count; i++) x[i] = 3.0f * unit();
    return x;
}

static float *copy(const float *x, int32_t count) {
    float *y = malloc((size_t)count * sizeof(float));
    memcpy(y, x, (size_t)count * sizeof(float));
    return y;
}

static int same(const float *x, const float *y, int32_t count) { return memcmp(x, y, (size_t)count * sizeof *x) == 0; }

/* ---- dense layers ---- */

static void test_product(int32_t rows, int32_t inputs, int32_t outputs) {
    float *x = floats(rows * inputs), *w = floats(inputs * outputs), *g = floats(rows * outputs);
    float *y = floats(rows * outputs), *dx = floats(rows * inputs), *dw = floats(inputs * outputs);
    float *y0 = copy(y, rows * outputs), *dx0 = copy(dx, rows * inputs), *dw0 = copy(dw, inputs * outputs);
    void *scratch = malloc(pp_matmul_bytes(inputs, outputs)); /* its end is watched as well */
    pp_matmul_forward(y, x, w, rows, inputs, outputs, scratch);
    plain_matmul_forward(y0, x, w, rows, inputs, outputs);
    pp_matmul_backward_input(dx, g, w, rows, inputs, outputs, scratch);
    plain_matmul_backward_input(dx0, g, w, rows, inputs, outputs);
    pp_matmul_backward_weight(dw, x, g, rows, inputs, outputs, scratch);
    plain_matmul_backward_weight(dw0, x, g, rows, inputs, outputs);
    int right = same(y, y0, rows * outputs) && same(dx, dx0, rows * inputs) && same(dw, dw0, inputs * outputs);
    pp_matmul_begin_weight(dw, x, g, rows, inputs, outputs, scratch); /* whatever stood there */
    memset(dw0, 0, (size_t)(inputs * outputs) * sizeof *dw0);
    plain_matmul_backward_weight(dw0, x, g, rows, inputs, outputs);
    right = right && same(dw, dw0, inputs * outputs);
    if (!right) printf("rows %d inputs %d outputs %d\n", rows, inputs, outputs);
    CHECK(right);
    free(x), free(w), free(g), free(y), free(dx), free(dw), free(y0), free(dx0), free(dw0), free(scratch);
}

static void test_products(void) {
    static const int32_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 31, 33};
    enum { SIZES = sizeof sizes / sizeof sizes[0] };
    for (int32_t i = 0; i < SIZES; i++)
        for (int32_t j = 0; j < SIZES; j++)
            for (int32_t k = 0; k < SIZES; k++) test_product(sizes[i], sizes[j], sizes[k]);
    /* past the blocks: depth 256, 64 rows, 256 columns, 4096 floats in place */
    static const int32_t large[][3] = {{67, 60, 30},  {66, 66, 66},   {72, 96, 40},  {199, 35, 24},
                                       {65, 257, 9},  {257, 65, 259}, {5, 70, 513},  {3, 600, 300},
                                       {130, 64, 64}, {64, 256, 1},   {600, 1, 300}, {300, 520, 1},
                                       {1, 300, 300}, {257, 2, 5},    {9, 129, 520}, {64, 64, 64}};
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) test_product(large[i][0], large[i][1], large[i][2]);
}

static void test_biases(int32_t rows, int32_t outputs) {
    void (*const kernel[])(float *, const float *, int32_t, int32_t) = {pp_bias_forward, pp_bias_tanh_forward,
                                                                        pp_bias_relu_forward};
    void (*const plain[])(float *, const float *, int32_t, int32_t) = {plain_bias_forward, plain_bias_tanh_forward,
                                                                       plain_bias_relu_forward};
    float *bias = floats(outputs);
    for (int32_t i = 0; i < 3; i++) {
        float *y = floats(rows * outputs), *y0 = copy(y, rows * outputs);
        kernel[i](y, bias, rows, outputs);
        plain[i](y0, bias, rows, outputs);
        CHECK(same(y, y0, rows * outputs));
        free(y), free(y0);
    }
    float *dy = floats(rows * outputs), *bias0 = copy(bias, outputs);
    pp_bias_backward(bias, dy, rows, outputs);
    plain_bias_backward(bias0, dy, rows, outputs);
    CHECK(same(bias, bias0, outputs));
    free(bias), free(bias0), free(dy);
}

/* ---- activations ---- */

/* Numbers of all sizes, and the corners; NaN apart, whose bits are nobody's promise. */
static void fill_wide(float *x, int32_t count) {
    static const float corners[] = {0.0f,   -0.0f,  1e-40f, -1e-30f, 88.7f,    88.8f,
                                    -87.3f, -87.4f, 20.0f,  20.5f,   INFINITY, -INFINITY};
    for (int32_t i = 0; i < count; i++) x[i] = ldexpf(unit(), (int)(20.0f * unit()) - 12);
    for (int32_t i = 0; i < count && i < (int32_t)(sizeof corners / sizeof corners[0]); i++) x[i] = corners[i];
}

static void test_activations(int32_t count) {
    void (*const forward[])(float *, const float *, int32_t) = {pp_tanh_forward, pp_relu_forward, pp_gelu_forward};
    void (*const plain[])(float *, const float *, int32_t) = {plain_tanh_forward, plain_relu_forward,
                                                              plain_gelu_forward};
    void (*const backward[])(float *, const float *, const float *, int32_t) = {pp_tanh_backward, pp_relu_backward,
                                                                                pp_gelu_backward};
    void (*const plain_back[])(float *, const float *, const float *,
                               int32_t) = {plain_tanh_backward, plain_relu_backward, plain_gelu_backward};
    for (int32_t kind = 0; kind < 3; kind++) {
        float *x = floats(count), *y = floats(count), *y0 = floats(count), *dy = floats(count);
        if (kind < 2) fill_wide(x, count); /* gelu multiplies infinity by 0 */
        forward[kind](y, x, count);
        plain[kind](y0, x, count);
        CHECK(same(y, y0, count));
        forward[kind](x, x, count);
        CHECK(same(x, y, count)); /* in place */
        backward[kind](y, dy, x, count);
        plain_back[kind](y0, dy, x, count);
        CHECK(same(y, y0, count));
        backward[kind](dy, dy, x, count);
        CHECK(same(dy, y, count));
        free(x), free(y), free(y0), free(dy);
    }
    float bad[5] = {NAN, 1, NAN, -1, NAN};
    pp_tanh_forward(bad, bad, 5);
    CHECK(isnan(bad[0]) && isnan(bad[2]) && isnan(bad[4]) && bad[1] == pp_tanh(1));
    pp_gelu_forward(bad, bad, 5);
    CHECK(isnan(bad[0]) && isnan(bad[2]) && isnan(bad[4]) && !isnan(bad[3]));
}

/* Where lanes limit the square and one number itself: about the end of the fit, and as far as numbers go. */
static void test_tanh_end(void) {
    enum { COUNT = 4096 };
    float x[COUNT], y[COUNT], y0[COUNT], bias[COUNT] = {0};
    for (int32_t from = 0; from < 3; from++) {
        float at = from == 0 ? 7.97f : from == 1 ? 9.019f : 1e38f;
        for (int32_t i = 0; i < COUNT; i++) {
            x[i] = i % 2 == 0 ? at : -at;
            at = from == 2 ? at * 1.0003f : nextafterf(at, INFINITY);
        }
        pp_tanh_forward(y, x, COUNT);
        plain_tanh_forward(y0, x, COUNT);
        CHECK(same(y, y0, COUNT));
        pp_bias_tanh_forward(x, bias, 1, COUNT);
        CHECK(same(x, y0, COUNT));
    }
    float bad[19] = {[3] = NAN, [17] = NAN};
    pp_bias_tanh_forward(bad, bias, 1, 19);
    for (int32_t i = 0; i < 19; i++) CHECK(isnan(bad[i]) == (i == 3 || i == 17));
}

/* ---- losses ---- */

static void test_losses(int32_t rows, int32_t classes) {
    float *x = floats(rows * classes), *p = floats(rows * classes), *p0 = floats(rows * classes);
    float *targets = floats(rows * classes), *losses = floats(rows), *losses0 = floats(rows);
    int32_t *labels = malloc((size_t)rows * sizeof *labels);
    for (int32_t i = 0; i < rows * classes; i++) x[i] *= 30.0f;
    for (int32_t r = 0; r < rows; r++) labels[r] = r % (classes + 1) - 1;
    pp_softmax_forward(p, x, rows, classes);
    plain_softmax_forward(p0, x, rows, classes);
    CHECK(same(p, p0, rows * classes));
    pp_cross_entropy_forward(losses, x, labels, rows, classes);
    plain_cross_entropy_forward(losses0, x, labels, rows, classes);
    CHECK(same(losses, losses0, rows));
    pp_cross_entropy_backward(p, x, labels, rows, classes);
    plain_cross_entropy_backward(p0, x, labels, rows, classes);
    CHECK(same(p, p0, rows * classes));
    pp_squared_error_forward(losses, x, targets, rows, classes);
    plain_squared_error_forward(losses0, x, targets, rows, classes);
    CHECK(same(losses, losses0, rows));
    pp_squared_error_backward(p, x, targets, rows, classes);
    plain_squared_error_backward(p0, x, targets, rows, classes);
    CHECK(same(p, p0, rows * classes));
    free(x), free(p), free(p0), free(targets), free(losses), free(losses0), free(labels);
}

/* ---- normalisation and dropout ---- */

static void test_norms(int32_t rows, int32_t columns) {
    const int32_t count = rows * columns, most = rows > columns ? rows : columns;
    float *x = floats(count), *dy = floats(count), *y = floats(count), *y0 = floats(count);
    float *gain = floats(columns), *shift = floats(columns);
    float *a = floats(most), *a0 = copy(a, most), *b = floats(most), *b0 = copy(b, most);
    float *c = floats(columns), *c0 = copy(c, columns), *d = floats(columns), *d0 = copy(d, columns);

    pp_layer_norm_forward(y, a, b, x, gain, shift, 1e-5f, rows, columns);
    plain_layer_norm_forward(y0, a0, b0, x, gain, shift, 1e-5f, rows, columns);
    CHECK(same(y, y0, count) && same(a, a0, rows) && same(b, b0, rows));
    pp_layer_norm_backward(y, c, d, dy, x, a, b, gain, rows, columns);
    plain_layer_norm_backward(y0, c0, d0, dy, x, a, b, gain, rows, columns);
    CHECK(same(y, y0, count) && same(c, c0, columns) && same(d, d0, columns));

    pp_batch_norm_forward(y, a, b, c, d, x, gain, shift, 0.1f, 1e-5f, rows, columns);
    plain_batch_norm_forward(y0, a0, b0, c0, d0, x, gain, shift, 0.1f, 1e-5f, rows, columns);
    CHECK(same(y, y0, count) && same(a, a0, columns) && same(b, b0, columns));
    CHECK(same(c, c0, columns) && same(d, d0, columns));
    pp_batch_norm_backward(y, c, d, dy, x, a, b, gain, rows, columns);
    plain_batch_norm_backward(y0, c0, d0, dy, x, a, b, gain, rows, columns);
    CHECK(same(y, y0, count) && same(c, c0, columns) && same(d, d0, columns));
    for (int32_t i = 0; i < columns; i++) d[i] = fabsf(d[i]);
    pp_batch_norm_evaluate(y, x, c, d, gain, shift, 1e-5f, rows, columns);
    plain_batch_norm_evaluate(y0, x, c, d, gain, shift, 1e-5f, rows, columns);
    CHECK(same(y, y0, count));
    free(x), free(dy), free(y), free(y0), free(gain), free(shift);
    free(a), free(a0), free(b), free(b0), free(c), free(c0), free(d), free(d0);
}

static void test_dropout(int32_t rows, int32_t columns) {
    const int32_t count = rows * columns;
    float *x = floats(count), *y = floats(count), *y0 = floats(count);
    pp_dropout(y, x, 0.3f, 7, 11, 2, 5, rows, columns);
    plain_dropout(y0, x, 0.3f, 7, 11, 2, 5, rows, columns);
    CHECK(same(y, y0, count));
    /* in micro-batches of one sample: the same mask */
    for (int32_t r = 0; r < rows; r++) pp_dropout(y0 + r * columns, x + r * columns, 0.3f, 7, 11, 2, 5 + r, 1, columns);
    CHECK(same(y, y0, count));
    pp_dropout(y, x, 0.0f, 7, 11, 2, 5, rows, columns);
    CHECK(same(y, x, count));
    free(x), free(y), free(y0);
}

/* The share that falls is the rate, and a mask says nothing of that of the next seed, step, layer, sample or column. */
static void test_masks(void) {
    enum { ROWS = 200, COLUMNS = 50, COUNT = ROWS * COLUMNS };
    static float ones[COUNT], base[COUNT], other[COUNT];
    for (int32_t i = 0; i < COUNT; i++) ones[i] = 1.0f;
    for (int32_t percent = 5; percent <= 95; percent += 15) {
        const double rate = percent / 100.0, slack = 5.0 / sqrt(COUNT);
        pp_dropout(base, ones, (float)rate, 1, 0, 0, 0, ROWS, COLUMNS);
        for (int32_t what = 0; what < 6; what++) {
            int32_t fell = 0, both = 0;
            pp_dropout(other, ones, (float)rate, 1 + (what == 1), what == 2, what == 3, what == 4, ROWS, COLUMNS);
            for (int32_t i = 0; i + 1 < COUNT; i++) {
                fell += base[i] == 0;
                both += base[i] == 0 && other[i + (what == 5)] == 0;
            }
            CHECK(fabs((double)fell / COUNT - rate) < slack * sqrt(rate * (1 - rate)));
            if (what > 0) CHECK(fabs((double)both / COUNT - rate * rate) < slack * rate);
        }
    }
}

/* ---- optimisers, sums ---- */

static void test_optimisers(int32_t count) {
    float *w = floats(count), *w0 = copy(w, count), *dw = floats(count), *a = floats(count), *b = floats(count);
    for (int32_t i = 0; i < count; i++) b[i] = fabsf(b[i]);
    float *a0 = copy(a, count), *b0 = copy(b, count);
    pp_sgd(w, dw, 0.03f, count);
    plain_sgd(w0, dw, 0.03f, count);
    CHECK(same(w, w0, count));
    /* powers of two take another way; the smallest number has an inverse that is no float */
    static const float divisors[] = {1.0f, 3.0f, 32.0f, 0.25f, -8.0f, 1e-45f, 0x1p127f};
    for (size_t i = 0; i < sizeof divisors / sizeof divisors[0]; i++) {
        float *g = copy(dw, count), *g0 = copy(dw, count);
        pp_divide(g, divisors[i], count);
        pp_sgd(w, g, 0.03f, count);
        plain_divide_sgd(w0, g0, divisors[i], 0.03f, count);
        CHECK(same(w, w0, count) && same(g, g0, count));
        memcpy(w, dw, (size_t)count * sizeof *w), memcpy(w0, dw, (size_t)count * sizeof *w);
        free(g), free(g0);
    }
    pp_sgd_momentum(w, a, dw, 0.03f, 0.9f, count);
    plain_sgd_momentum(w0, a0, dw, 0.03f, 0.9f, count);
    CHECK(same(w, w0, count) && same(a, a0, count));
    for (int32_t step = 1; step <= 100000; step *= 10) {
        pp_adam(w, a, b, dw, 0.01, 0.9, 0.999, 1e-8, step, count);
        plain_adam(w0, a0, b0, dw, 0.01, 0.9, 0.999, 1e-8, step, count);
        CHECK(same(w, w0, count) && same(a, a0, count) && same(b, b0, count));
    }
    CHECK_EQ_INT(pp_divide(a, 3.0f, count), 1);
    for (int32_t i = 0; i < count; i++) CHECK(a[i] == a0[i] / 3.0f);
    float *sum = copy(a, count);
    pp_add(sum, b, count);
    for (int32_t i = 0; i < count; i++) CHECK(sum[i] == a[i] + b[i]);
    free(sum);
    for (int32_t i = 0; i < count; i++) { /* one bad entry, wherever it is */
        const float before = a[i];
        a[i] = i % 2 ? NAN : -INFINITY;
        CHECK(!pp_all_finite(a, count) && pp_divide(a, 2.0f, count) == 0);
        a[i] = before;
        CHECK(pp_all_finite(a, count));
    }
    free(w), free(w0), free(dw), free(a), free(a0), free(b), free(b0);
}

int main(void) {
    test_products();
    test_tanh_end();
    for (int32_t rows = 1; rows <= 5; rows++) {
        for (int32_t columns = 1; columns <= 13; columns++) {
            test_biases(rows, columns);
            test_losses(rows, columns);
            test_norms(rows, columns);
            test_dropout(rows, columns);
        }
    }
    test_norms(64, 33);
    for (int32_t count = 1; count <= 40; count++) {
        test_activations(count);
        test_optimisers(count);
    }
    test_activations(100003);
    test_masks();
    return check_report("test_tensor_plain");
}
