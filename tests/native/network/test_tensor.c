/* Each kernel against a plain double version, each gradient against central differences of that double version. */
#include "check.h"
#include "network/tensor.h"

#include <stdint.h>
#include <stdlib.h>

/* ---- numbers to test with ---- */

static uint32_t random_state = 12345;

static double random_unit(void) { /* [-1, 1) */
    random_state = random_state * 1664525u + 1013904223u;
    return (double)(random_state >> 8) / 8388608.0 - 1.0;
}

static void fill(float *x, int count) {
    for (int i = 0; i < count; i++) x[i] = (float)random_unit();
}

/* Fresh memory for each array, so that the sanitizer sees an overrun of any of them. */
static float *floats(int count) { return calloc((size_t)count, sizeof(float)); }

/* Distance in units of the last place of wanted, as a float. */
static double last_places(float seen, double wanted) {
    const float rounded = (float)wanted;
    if (rounded == 0.0f) return seen == 0.0f ? 0.0 : 1e9;
    int exponent;
    frexp(fabs(wanted), &exponent);
    return fabs((double)seen - wanted) / ldexp(1.0, exponent - 24);
}

/* ---- functions of one number ---- */

static void test_functions(void) {
    double worst_exp = 0, worst_log = 0, worst_tanh = 0, worst_turn = 0;
    for (int i = -873000; i <= 887000; i++) {
        const float x = (float)i * 1e-4f;
        worst_exp = fmax(worst_exp, last_places(pp_exp(x), exp((double)x)));
    }
    for (double x = 1e-45; x < 3e38; x *= 1.0003) {
        const float y = (float)x;
        if (y != 1.0f) worst_log = fmax(worst_log, last_places(pp_log(y), log((double)y)));
    }
    for (int i = 1; i < 100000; i++) {
        const float y = 0.5f + (float)i * 2e-5f;
        if (y != 1.0f) worst_log = fmax(worst_log, last_places(pp_log(y), log((double)y)));
    }
    for (int i = 0; i <= 1000000; i++) {
        const float x = (float)i * 1e-5f;
        worst_tanh = fmax(worst_tanh, last_places(pp_tanh(x), tanh((double)x)));
        if (pp_tanh(-x) != -pp_tanh(x) || fabsf(pp_tanh(x)) > 1.0f) CHECK(!"tanh is odd and within [-1, 1]");
    }
    for (double x = 1e-30; x < 1; x *= 1.01)
        worst_tanh = fmax(worst_tanh, last_places(pp_tanh((float)x), tanh((double)(float)x)));
    for (int i = -5000; i <= 5000; i++) {
        double c, s;
        pp_turn(i * 0.0013, &c, &s);
        worst_turn = fmax(worst_turn, fabs(c - cos(i * 0.0013 * 2 * 3.14159265358979323846)));
        worst_turn = fmax(worst_turn, fabs(s - sin(i * 0.0013 * 2 * 3.14159265358979323846)));
    }
    printf("last places: exp %.2f log %.2f tanh %.2f; turn %.1e\n", worst_exp, worst_log, worst_tanh, worst_turn);
    CHECK(worst_exp <= 2.0);
    CHECK(worst_log <= 2.0);
    CHECK(worst_tanh <= 5.0);
    CHECK(worst_turn <= 1e-13); /* the angle of cos() itself is rounded */

    CHECK_EQ_DOUBLE(pp_exp(0.0f), 1.0);
    CHECK_EQ_DOUBLE(pp_exp(-1000.0f), 0.0);
    CHECK(isinf(pp_exp(89.0f)));
    CHECK(isnan(pp_exp(NAN)));
    CHECK_EQ_DOUBLE(pp_log(1.0f), 0.0);
    CHECK(isinf(pp_log(0.0f)) && pp_log(0.0f) < 0);
    CHECK(isnan(pp_log(-1.0f)) && isnan(pp_log(NAN)));
    CHECK(isinf(pp_log(INFINITY)));
    CHECK_EQ_DOUBLE(pp_tanh(0.0f), 0.0);
    CHECK_EQ_DOUBLE(pp_tanh(INFINITY), 1.0);
    CHECK_EQ_DOUBLE(pp_tanh(-50.0f), -1.0);
    CHECK(isnan(pp_tanh(NAN)));
    double c, s;
    pp_turn(0.25, &c, &s);
    CHECK(c == 0.0 && s == 1.0);
    pp_turn(-0.5, &c, &s);
    CHECK(c == -1.0 && s == 0.0);
}

/* ---- dense layers ---- */

static void test_dense_shape(int rows, int inputs, int outputs) {
    float *x = floats(rows * inputs), *w = floats(inputs * outputs), *b = floats(outputs), *y = floats(rows * outputs);
    float *dx = floats(rows * inputs), *dw = floats(inputs * outputs), *db = floats(outputs),
          *dy = floats(rows * outputs);
    fill(x, rows * inputs), fill(w, inputs * outputs), fill(b, outputs), fill(dy, rows * outputs);
    fill(y, rows * outputs), fill(dx, rows * inputs); /* forward and dx overwrite .. */
    fill(dw, inputs * outputs), fill(db, outputs);    /* .. while weight gradients add */
    float *dw_before = floats(inputs * outputs), *db_before = floats(outputs);
    memcpy(dw_before, dw, (size_t)(inputs * outputs) * sizeof(float));
    memcpy(db_before, db, (size_t)outputs * sizeof(float));

    void *scratch = malloc(pp_matmul_bytes(inputs, outputs));
    pp_matmul_forward(y, x, w, rows, inputs, outputs, scratch);
    pp_bias_forward(y, b, rows, outputs);
    pp_matmul_backward_input(dx, dy, w, rows, inputs, outputs, scratch);
    pp_matmul_backward_weight(dw, x, dy, rows, inputs, outputs, scratch);
    pp_bias_backward(db, dy, rows, outputs);

    for (int r = 0; r < rows; r++) {
        for (int o = 0; o < outputs; o++) {
            double sum = b[o];
            for (int i = 0; i < inputs; i++) sum += (double)x[r * inputs + i] * w[i * outputs + o];
            CHECK_NEAR(y[r * outputs + o], sum, 1e-6 * (inputs + 1));
        }
    }
    /* The product is linear in x and in w, so a central difference of step 1 is the derivative itself:
     * d/dx[r][i] of sum(dy * y) = sum over o of dy[r][o] w[i][o], and likewise for w and b. */
    for (int r = 0; r < rows; r++) {
        for (int i = 0; i < inputs; i++) {
            double sum = 0;
            for (int o = 0; o < outputs; o++) sum += (double)dy[r * outputs + o] * w[i * outputs + o];
            CHECK_NEAR(dx[r * inputs + i], sum, 1e-6 * (outputs + 1));
        }
    }
    for (int o = 0; o < outputs; o++) {
        for (int i = 0; i < inputs; i++) {
            double sum = dw_before[i * outputs + o];
            for (int r = 0; r < rows; r++) sum += (double)x[r * inputs + i] * dy[r * outputs + o];
            CHECK_NEAR(dw[i * outputs + o], sum, 1e-6 * (rows + 1));
        }
        double sum = db_before[o];
        for (int r = 0; r < rows; r++) sum += dy[r * outputs + o];
        CHECK_NEAR(db[o], sum, 1e-6 * (rows + 1));
    }

    /* Whole batch at once and row by row: the same floats. */
    float *dw_rows = floats(inputs * outputs), *db_rows = floats(outputs);
    memcpy(dw_rows, dw_before, (size_t)(inputs * outputs) * sizeof(float));
    memcpy(db_rows, db_before, (size_t)outputs * sizeof(float));
    for (int r = 0; r < rows; r++) {
        pp_matmul_backward_weight(dw_rows, x + r * inputs, dy + r * outputs, 1, inputs, outputs, scratch);
        pp_bias_backward(db_rows, dy + r * outputs, 1, outputs);
    }
    CHECK(memcmp(dw_rows, dw, (size_t)(inputs * outputs) * sizeof(float)) == 0);
    CHECK(memcmp(db_rows, db, (size_t)outputs * sizeof(float)) == 0);

    free(x), free(w), free(b), free(y), free(dx), free(dw), free(db), free(dy);
    free(dw_before), free(db_before), free(dw_rows), free(db_rows), free(scratch);
}

static void test_dense(void) {
    for (int rows = 1; rows <= 5; rows++)
        for (int inputs = 1; inputs <= 9; inputs += 2)
            for (int outputs = 1; outputs <= 9; outputs += 2) test_dense_shape(rows, inputs, outputs);
    test_dense_shape(17, 33, 20);
}

/* ---- activations ---- */

static double act_double(int kind, double x) { return kind == 0 ? tanh(x) : kind == 1 ? fmax(x, 0) : x; }

static void test_activations(void) {
    void (*const forward[])(float *, const float *, int32_t) = {pp_tanh_forward, pp_relu_forward, pp_identity_forward};
    void (*const backward[])(float *, const float *, const float *, int32_t) = {pp_tanh_backward, pp_relu_backward,
                                                                                pp_identity_backward};
    enum { COUNT = 101 };
    float x[COUNT], y[COUNT], dy[COUNT], dx[COUNT];
    for (int kind = 0; kind < 3; kind++) {
        fill(x, COUNT), fill(dy, COUNT);
        for (int i = 0; i < COUNT; i++) x[i] *= 4;
        forward[kind](y, x, COUNT);
        backward[kind](dx, dy, y, COUNT);
        for (int i = 0; i < COUNT; i++) {
            const double h = 1e-5;
            if (kind == 1 && fabs(x[i]) < 2 * h) continue; /* the corner of relu */
            CHECK_NEAR(y[i], act_double(kind, x[i]), 1e-6);
            const double slope = (act_double(kind, x[i] + h) - act_double(kind, x[i] - h)) / (2 * h);
            CHECK_NEAR(dx[i], dy[i] * slope, 1e-6);
        }
        float in_place[COUNT];
        memcpy(in_place, x, sizeof x);
        forward[kind](in_place, in_place, COUNT);
        CHECK(memcmp(in_place, y, sizeof y) == 0);
        memcpy(in_place, dy, sizeof dy);
        backward[kind](in_place, in_place, y, COUNT);
        CHECK(memcmp(in_place, dx, sizeof dx) == 0);
    }
    x[0] = NAN;
    pp_relu_forward(y, x, 1);
    CHECK(isnan(y[0]));
}

/* ---- losses ---- */

static double cross_entropy_double(const double *x, int label, int classes) {
    double top = x[0], sum = 0;
    for (int c = 1; c < classes; c++) top = fmax(top, x[c]);
    for (int c = 0; c < classes; c++) sum += exp(x[c] - top);
    return log(sum) + top - x[label];
}

static void test_cross_entropy(void) {
    enum { ROWS = 7, CLASSES = 4 };
    float x[ROWS * CLASSES], dx[ROWS * CLASSES], p[ROWS * CLASSES], losses[ROWS];
    int32_t labels[ROWS];
    fill(x, ROWS * CLASSES);
    for (int i = 0; i < ROWS * CLASSES; i++) x[i] *= 5;
    for (int r = 0; r < ROWS; r++) labels[r] = r % CLASSES;
    labels[5] = -1; /* no label: counts for nothing */
    pp_cross_entropy_forward(losses, x, labels, ROWS, CLASSES);
    pp_cross_entropy_backward(dx, x, labels, ROWS, CLASSES);
    pp_softmax_forward(p, x, ROWS, CLASSES);
    for (int r = 0; r < ROWS; r++) {
        double row[CLASSES], sum = 0;
        for (int c = 0; c < CLASSES; c++) row[c] = x[r * CLASSES + c], sum += p[r * CLASSES + c];
        CHECK_NEAR(sum, 1, 1e-6);
        if (labels[r] < 0) {
            CHECK_EQ_DOUBLE(losses[r], 0);
            for (int c = 0; c < CLASSES; c++) CHECK_EQ_DOUBLE(dx[r * CLASSES + c], 0);
            continue;
        }
        CHECK_NEAR(losses[r], cross_entropy_double(row, labels[r], CLASSES), 2e-6);
        for (int c = 0; c < CLASSES; c++) {
            const double h = 1e-5, at = row[c];
            row[c] = at + h;
            const double above = cross_entropy_double(row, labels[r], CLASSES);
            row[c] = at - h;
            const double below = cross_entropy_double(row, labels[r], CLASSES);
            row[c] = at;
            CHECK_NEAR(dx[r * CLASSES + c], (above - below) / (2 * h), 1e-6);
        }
    }
    /* Scores that would overflow e^x. */
    float large[3] = {1000, 998, -1000}, loss;
    const int32_t second = 1;
    pp_cross_entropy_forward(&loss, large, &second, 1, 3);
    CHECK_NEAR(loss, 2.126928, 1e-5);
    pp_cross_entropy_backward(large, large, &second, 1, 3);
    CHECK_NEAR(large[0], 0.880797, 1e-5);
    CHECK_NEAR(large[1], -0.880797, 1e-5);
    CHECK_EQ_DOUBLE(large[2], 0);
}

static void test_squared_error(void) {
    enum { ROWS = 5, OUTPUTS = 3 };
    float x[ROWS * OUTPUTS], t[ROWS * OUTPUTS], dx[ROWS * OUTPUTS], losses[ROWS];
    fill(x, ROWS * OUTPUTS), fill(t, ROWS * OUTPUTS);
    pp_squared_error_forward(losses, x, t, ROWS, OUTPUTS);
    pp_squared_error_backward(dx, x, t, ROWS, OUTPUTS);
    for (int r = 0; r < ROWS; r++) {
        double sum = 0;
        for (int o = 0; o < OUTPUTS; o++) {
            const double d = (double)x[r * OUTPUTS + o] - t[r * OUTPUTS + o], h = 1e-4;
            sum += d * d;
            CHECK_NEAR(dx[r * OUTPUTS + o], ((d + h) * (d + h) - (d - h) * (d - h)) / (2 * h), 1e-6);
        }
        CHECK_NEAR(losses[r], sum, 1e-6);
    }
    const int32_t labels[ROWS] = {0, -1, 1, 0, -1};
    float masked[ROWS * OUTPUTS];
    memcpy(masked, dx, sizeof dx);
    pp_mask_rows(masked, labels, ROWS, OUTPUTS);
    for (int i = 0; i < ROWS * OUTPUTS; i++) CHECK_EQ_DOUBLE(masked[i], labels[i / OUTPUTS] < 0 ? 0 : dx[i]);
}

/* ---- whole arrays ---- */

static void test_arrays(void) {
    enum { COUNT = 37 };
    float w[COUNT], dw[COUNT], before[COUNT];
    fill(w, COUNT), fill(dw, COUNT);
    memcpy(before, w, sizeof w);
    pp_sgd(w, dw, 0.125f, COUNT);
    for (int i = 0; i < COUNT; i++) CHECK_NEAR(w[i], (double)before[i] - 0.125 * dw[i], 1e-7);
    CHECK_NEAR(pp_largest_difference(w, w, COUNT), 0, 0);
    w[20] = before[20] + 3, w[30] = before[30] - 4;
    CHECK_NEAR(pp_largest_difference(w, before, COUNT), 4, 1e-6);
    w[3] = NAN;
    CHECK(isnan(pp_largest_difference(w, before, COUNT)));
    CHECK(!pp_all_finite(w, COUNT));
    w[3] = -INFINITY;
    CHECK(!pp_all_finite(w, COUNT));
    CHECK(pp_all_finite(before, COUNT));

    /* The gradient of a batch of 8 in 4 micro-batches: summed and divided once by 8, not by 2 or 4 or twice. */
    float sum[2] = {0, 0}, part[2];
    for (int k = 0; k < 4; k++) {
        part[0] = (float)(k + 1), part[1] = -8;
        pp_add(sum, part, 2);
    }
    pp_divide(sum, 8, 2);
    CHECK_EQ_DOUBLE(sum[0], 1.25);
    CHECK_EQ_DOUBLE(sum[1], -4);
    pp_zero(sum, 2);
    CHECK(sum[0] == 0 && sum[1] == 0);
}

int main(void) {
    test_functions();
    test_dense();
    test_activations();
    test_cross_entropy();
    test_squared_error();
    test_arrays();
    return check_report("test_tensor");
}
