/* Kernels of the toy network: loops over float arrays, rows in order, every shape stated.
 *
 * A matrix of n rows and k columns is n*k floats, row after row. `rows` are samples; a weight matrix has one row per
 * input and one column per output.
 *
 * Four lanes are worked on at a time (lanes.h), and still each result is the one that a plain loop gives, bit for bit:
 * tests/native/plain.h has that loop for every kernel, and the tests compare.
 *
 * Sums run in a fixed order: over inputs or outputs ascending, over samples ascending. A gradient of weights goes on
 * adding to what is there. Hence micro-batches that add in ascending order give exactly the floats that the whole
 * batch gives at once, whatever the numbers are. Only sums along a row of a layer norm run in four parts, column mod 4,
 * added as (0 + 2) + (1 + 3); they do not depend on other rows. Batch norm is the exception by its nature: its
 * statistics are those of the rows it is given.
 *
 * exp, log, tanh, sine are our own, because C libraries differ in the last bits and a page must show what a native run
 * shows. They use only +, -, *, / and bit patterns; compile with -ffp-contract=off.
 *
 * No kernel allocates or can fail. Pointers do not overlap unless said. */
#ifndef PP_TENSOR_H
#define PP_TENSOR_H

#include <stddef.h>
#include <stdint.h>

/* e^x within 2 units in the last place; 0 below -87.3, infinity above 88.72. */
float pp_exp(float x);
/* Natural logarithm within 2 units in the last place; -infinity at 0, NaN below. */
float pp_log(float x);
/* Within 5 units in the last place, odd, never outside [-1, 1]. */
float pp_tanh(float x);
/* Cosine and sine of a number of whole turns (1 = 2 pi), good to about 1e-15; |turns| below 2^31. */
void pp_turn(double turns, double *cosine, double *sine);

/* Scratch memory of the products of one layer, for any number of rows; not kept from call to call. */
size_t pp_matmul_bytes(int32_t inputs, int32_t outputs);

/* y[rows][outputs] = x[rows][inputs] . w[inputs][outputs] */
void pp_matmul_forward(float *restrict y, const float *restrict x, const float *restrict w, int32_t rows,
                       int32_t inputs, int32_t outputs, void *scratch);
/* dx[rows][inputs] = dy[rows][outputs] . w transposed */
void pp_matmul_backward_input(float *restrict dx, const float *restrict dy, const float *restrict w, int32_t rows,
                              int32_t inputs, int32_t outputs, void *scratch);
/* dw[inputs][outputs] += x transposed . dy */
void pp_matmul_backward_weight(float *restrict dw, const float *restrict x, const float *restrict dy, int32_t rows,
                               int32_t inputs, int32_t outputs, void *scratch);
/* The same from nothing, dw = x transposed . dy: the first micro-batch of a step. */
void pp_matmul_begin_weight(float *restrict dw, const float *restrict x, const float *restrict dy, int32_t rows,
                            int32_t inputs, int32_t outputs, void *scratch);
/* c[4][8] = a . b from packed panels, a[depth][4] and b[depth][8]: the loop all three products come down to, alone. In the
 * module of fused multiply-add c[6][8], a[depth][8], of which 6 count.
 * With panels that stay in the first-level cache its speed is the ceiling the benchmark holds them against. */
void pp_matmul_tile(float *c, const float *a, const float *b, int32_t depth);

/* y[rows][outputs] += bias[outputs] in each row */
void pp_bias_forward(float *restrict y, const float *restrict bias, int32_t rows, int32_t outputs);
/* The same, then the activation, in one pass. */
void pp_bias_tanh_forward(float *restrict y, const float *restrict bias, int32_t rows, int32_t outputs);
void pp_bias_relu_forward(float *restrict y, const float *restrict bias, int32_t rows, int32_t outputs);
/* dbias[outputs] += sum of the rows of dy */
void pp_bias_backward(float *restrict dbias, const float *restrict dy, int32_t rows, int32_t outputs);

/* Activations: y may be x, dx may be dy. The gradient is told by the output y alone, so x need not be kept. */
void pp_tanh_forward(float *y, const float *x, int32_t count);
void pp_tanh_backward(float *dx, const float *dy, const float *y, int32_t count);
void pp_relu_forward(float *y, const float *x, int32_t count);
void pp_relu_backward(float *dx, const float *dy, const float *y, int32_t count);
void pp_identity_forward(float *y, const float *x, int32_t count);
void pp_identity_backward(float *dx, const float *dy, const float *y, int32_t count);
/* x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2, the tanh form of gelu. Its gradient is told by x, not by y. */
void pp_gelu_forward(float *y, const float *x, int32_t count);
void pp_gelu_backward(float *dx, const float *dy, const float *x, int32_t count);

/* Probabilities of each row; p may be x. The largest entry is subtracted first, so large scores do no harm. */
void pp_softmax_forward(float *p, const float *x, int32_t rows, int32_t classes);

/* Losses, one per row, not yet a mean: who knows the whole batch divides, once. A row with a negative label (softmax)
 * has no label: loss and gradient 0. x are scores before the softmax. dx may be x. */
void pp_cross_entropy_forward(float *restrict losses, const float *restrict x, const int32_t *restrict labels,
                              int32_t rows, int32_t classes);
void pp_cross_entropy_backward(float *dx, const float *x, const int32_t *labels, int32_t rows, int32_t classes);
/* losses[r] = sum over outputs of (x - target)^2, without a half. */
void pp_squared_error_forward(float *restrict losses, const float *restrict x, const float *restrict targets,
                              int32_t rows, int32_t outputs);
void pp_squared_error_backward(float *dx, const float *x, const float *targets, int32_t rows, int32_t outputs);

/* Rows whose label is negative become 0. */
void pp_mask_rows(float *x, const int32_t *labels, int32_t rows, int32_t columns);

/* ---- normalisation and dropout (norm.c) ---- */

/* y = gain * (x - mean) / sqrt(variance + epsilon) + shift with mean and variance (not corrected) of each row. y may be
 * x. mean, scale: rows floats for the backward pass; scale is 1 / sqrt(variance + epsilon). */
void pp_layer_norm_forward(float *y, float *restrict mean, float *restrict scale, const float *x,
                           const float *restrict gain, const float *restrict shift, float epsilon, int32_t rows,
                           int32_t columns);
/* dgain and dshift go on adding, sample by sample. dx may be dy. */
void pp_layer_norm_backward(float *dx, float *restrict dgain, float *restrict dshift, const float *dy,
                            const float *restrict x, const float *restrict mean, const float *restrict scale,
                            const float *restrict gain, int32_t rows, int32_t columns);

/* The same with mean and variance of each column over the rows given: of the micro-batch, or of the whole batch. mean,
 * scale: columns floats. running_mean, running_variance: NULL, or columns floats moved by the share `momentum` towards
 * those of these rows, the variance corrected by rows / (rows - 1) (left alone if there is one row). */
void pp_batch_norm_forward(float *y, float *restrict mean, float *restrict scale, float *restrict running_mean,
                           float *restrict running_variance, const float *x, const float *restrict gain,
                           const float *restrict shift, float momentum, float epsilon, int32_t rows, int32_t columns);
void pp_batch_norm_backward(float *dx, float *restrict dgain, float *restrict dshift, const float *dy,
                            const float *restrict x, const float *restrict mean, const float *restrict scale,
                            const float *restrict gain, int32_t rows, int32_t columns);
/* What evaluation does: running statistics instead of those of the rows. */
void pp_batch_norm_evaluate(float *y, const float *x, const float *restrict running_mean,
                            const float *restrict running_variance, const float *restrict gain,
                            const float *restrict shift, float epsilon, int32_t rows, int32_t columns);

/* y = x / (1 - rate), or 0 with probability `rate`, 0 <= rate < 1. Which entries fall is a function of (seed, step,
 * layer, sample, column) alone, where row r holds sample first_sample + r of the batch: not of the micro-batches, the
 * stages or the order of work, and a recomputation drops the same ones. Backward is the same call on gradients. */
void pp_dropout(float *y, const float *x, float rate, int32_t seed, int32_t step, int32_t layer, int32_t first_sample,
                int32_t rows, int32_t columns);

/* ---- whole arrays ---- */

/* w -= rate * dw */
void pp_sgd(float *restrict w, const float *restrict dw, float rate, int32_t count);
/* velocity = momentum * velocity + dw, then w -= rate * velocity. velocity is 0 before the first step. */
void pp_sgd_momentum(float *restrict w, float *restrict velocity, const float *restrict dw, float rate, float momentum,
                     int32_t count);
/* Adam (Kingma and Ba 2015), step from 1 on; first and second moment are 0 before it.
 * first = beta1 first + (1 - beta1) dw, second = beta2 second + (1 - beta2) dw^2,
 * w -= rate / (1 - beta1^step) * first / (sqrt(second / (1 - beta2^step)) + epsilon) */
void pp_adam(float *restrict w, float *restrict first, float *restrict second, const float *restrict dw, double rate,
             double beta1, double beta2, double epsilon, int32_t step, int32_t count);

/* x /= divisor, which is not 0, and returns 1 if no quotient is infinite or NaN; x *= factor; y += x; x = 0 */
int32_t pp_divide(float *x, float divisor, int32_t count);
void pp_multiply(float *x, float factor, int32_t count);
void pp_add(float *restrict y, const float *restrict x, int32_t count);
void pp_zero(float *x, int32_t count);
/* 1 if no entry is infinite or NaN. */
int32_t pp_all_finite(const float *x, int32_t count);
/* Largest |x - y|; NaN if any of the differences is. */
float pp_largest_difference(const float *x, const float *y, int32_t count);

#endif
