/* The kernels against values from PyTorch: tests/golden/torch/values.txt, made by make.py beside it. */
#include <stdlib.h>

#include "check.h"
#include "network/tensor.h"

enum { ROWS = 9, INPUTS = 13, OUTPUTS = 10, STEPS = 6, MOST = 256 };

static const char *const path = "tests/golden/torch/values.txt";

/* The numbers of one line; their count must be as told. */
static void read_values(const char *wanted, double *values, int count) {
    char name[64];
    int found = 0, length = 0;
    FILE *file = fopen(path, "r");
    CHECK_MSG(file != NULL, "%s cannot be read", path);
    if (file == NULL) exit(1);
    for (int c = 0; c != '\n' && c != EOF;) c = fgetc(file); /* the first line says who made them */
    while (!found && fscanf(file, "%63s %d", name, &length) == 2) {
        found = strcmp(name, wanted) == 0 && length == count;
        for (int i = 0; i < length; i++) {
            double value;
            if (fscanf(file, "%lf", &value) != 1) exit(1);
            if (found) values[i] = value;
        }
    }
    fclose(file);
    CHECK_MSG(found, "no %d numbers %s", count, wanted);
}

static void take(const char *name, float *x, int count) {
    double values[MOST] = {0};
    read_values(name, values, count);
    for (int i = 0; i < count; i++) x[i] = (float)values[i];
}

/* Within a few roundings of a float, of the number itself or of the terms it was added up from, which are about 1. */
static void expect(const char *name, const float *seen, int count) {
    double wanted[MOST] = {0};
    read_values(name, wanted, count);
    for (int i = 0; i < count; i++) {
        const double slack = 1e-6 * (2 + fabs(wanted[i]));
        CHECK_MSG(fabs((double)seen[i] - wanted[i]) <= slack, "%s[%d]: %.9g, not %.9g", name, i, (double)seen[i],
                  wanted[i]);
    }
}

int main(void) {
    float x[ROWS * INPUTS], w[INPUTS * OUTPUTS], bias[OUTPUTS], g[ROWS * OUTPUTS], gx[ROWS * INPUTS];
    float y[MOST], dx[MOST], dw[MOST], db[MOST], mean[MOST], scale[MOST];
    void *scratch = malloc(pp_matmul_bytes(INPUTS, OUTPUTS));
    take("x", x, ROWS * INPUTS), take("w", w, INPUTS * OUTPUTS), take("bias", bias, OUTPUTS);
    take("g", g, ROWS * OUTPUTS), take("gx", gx, ROWS * INPUTS);

    pp_matmul_forward(y, x, w, ROWS, INPUTS, OUTPUTS, scratch);
    pp_bias_forward(y, bias, ROWS, OUTPUTS);
    expect("linear.y", y, ROWS * OUTPUTS);
    pp_matmul_backward_input(dx, g, w, ROWS, INPUTS, OUTPUTS, scratch);
    expect("linear.dx", dx, ROWS * INPUTS);
    pp_zero(dw, MOST), pp_zero(db, MOST);
    pp_matmul_backward_weight(dw, x, g, ROWS, INPUTS, OUTPUTS, scratch);
    pp_bias_backward(db, g, ROWS, OUTPUTS);
    expect("linear.dw", dw, INPUTS * OUTPUTS);
    expect("linear.dbias", db, OUTPUTS);

    pp_tanh_forward(y, x, ROWS * INPUTS);
    expect("tanh.y", y, ROWS * INPUTS);
    pp_tanh_backward(dx, gx, y, ROWS * INPUTS);
    expect("tanh.dx", dx, ROWS * INPUTS);
    pp_relu_forward(y, x, ROWS * INPUTS);
    expect("relu.y", y, ROWS * INPUTS);
    pp_relu_backward(dx, gx, y, ROWS * INPUTS);
    expect("relu.dx", dx, ROWS * INPUTS);
    pp_gelu_forward(y, x, ROWS * INPUTS);
    expect("gelu.y", y, ROWS * INPUTS);
    pp_gelu_backward(dx, gx, x, ROWS * INPUTS);
    expect("gelu.dx", dx, ROWS * INPUTS);

    float scores[ROWS * OUTPUTS], number[ROWS];
    int32_t labels[ROWS];
    take("scores", scores, ROWS * OUTPUTS), take("labels", number, ROWS);
    for (int r = 0; r < ROWS; r++) labels[r] = (int32_t)number[r];
    pp_softmax_forward(y, scores, ROWS, OUTPUTS);
    expect("softmax.y", y, ROWS * OUTPUTS);
    pp_cross_entropy_forward(y, scores, labels, ROWS, OUTPUTS);
    expect("cross_entropy.y", y, ROWS);
    pp_cross_entropy_backward(dx, scores, labels, ROWS, OUTPUTS);
    expect("cross_entropy.dx", dx, ROWS * OUTPUTS);
    pp_squared_error_forward(y, scores, g, ROWS, OUTPUTS);
    expect("squared_error.y", y, ROWS);
    pp_squared_error_backward(dx, scores, g, ROWS, OUTPUTS);
    expect("squared_error.dx", dx, ROWS * OUTPUTS);

    float gain[INPUTS], shift[INPUTS];
    take("gain", gain, INPUTS), take("shift", shift, INPUTS);
    pp_layer_norm_forward(y, mean, scale, x, gain, shift, 1e-5f, ROWS, INPUTS);
    expect("layer_norm.y", y, ROWS * INPUTS);
    pp_zero(dw, MOST), pp_zero(db, MOST);
    pp_layer_norm_backward(dx, dw, db, gx, x, mean, scale, gain, ROWS, INPUTS);
    expect("layer_norm.dx", dx, ROWS * INPUTS);
    expect("layer_norm.dgain", dw, INPUTS);
    expect("layer_norm.dshift", db, INPUTS);

    float running_mean[INPUTS], running_variance[INPUTS];
    for (int c = 0; c < INPUTS; c++) running_mean[c] = 0, running_variance[c] = 1;
    pp_batch_norm_forward(y, mean, scale, running_mean, running_variance, x, gain, shift, 0.1f, 1e-5f, ROWS, INPUTS);
    expect("batch_norm.y", y, ROWS * INPUTS);
    expect("batch_norm.mean", running_mean, INPUTS);
    expect("batch_norm.variance", running_variance, INPUTS);
    pp_zero(dw, MOST), pp_zero(db, MOST);
    pp_batch_norm_backward(dx, dw, db, gx, x, mean, scale, gain, ROWS, INPUTS);
    expect("batch_norm.dx", dx, ROWS * INPUTS);
    expect("batch_norm.dgain", dw, INPUTS);
    expect("batch_norm.dshift", db, INPUTS);
    pp_batch_norm_evaluate(y, x, running_mean, running_variance, gain, shift, 1e-5f, ROWS, INPUTS);
    expect("batch_norm.evaluated", y, ROWS * INPUTS);

    float pushes[STEPS * INPUTS], first[INPUTS], second[INPUTS];
    take("pushes", pushes, STEPS * INPUTS);
    take("gain", y, INPUTS);
    for (int step = 0; step < STEPS; step++) pp_sgd(y, pushes + step * INPUTS, 0.05f, INPUTS);
    expect("sgd", y, INPUTS);
    take("gain", y, INPUTS), pp_zero(first, INPUTS);
    for (int step = 0; step < STEPS; step++) pp_sgd_momentum(y, first, pushes + step * INPUTS, 0.05f, 0.9f, INPUTS);
    expect("momentum", y, INPUTS);
    take("gain", y, INPUTS), pp_zero(first, INPUTS), pp_zero(second, INPUTS);
    for (int step = 0; step < STEPS; step++)
        pp_adam(y, first, second, pushes + step * INPUTS, 0.01, 0.9, 0.999, 1e-8, step + 1, INPUTS);
    expect("adam", y, INPUTS);
    free(scratch);
    return check_report("test_tensor_torch");
}
