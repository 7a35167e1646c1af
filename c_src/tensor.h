/* Kernels of the toy network: plain loops over float arrays, rows in order, every shape stated.
 *
 * A matrix of n rows and k columns is n*k floats, row after row. `rows` are samples; a weight matrix has one row per
 * input and one column per output, so that the innermost loop of a product runs along memory and needs no sum across
 * lanes: vectorised or not, each result is the same chain of additions.
 *
 * Sums run in a fixed order: over inputs or outputs ascending, over samples ascending. A gradient of weights goes on
 * adding to what is there. Hence micro-batches that add in ascending order give exactly the floats that the whole
 * batch gives at once, whatever the numbers are.
 *
 * exp, log, tanh, sine are our own, because C libraries differ in the last bits and a page must show what a native run
 * shows. They use only +, -, *, / and bit patterns; compile with -ffp-contract=off.
 *
 * No kernel allocates or can fail. Pointers do not overlap unless said. */
#ifndef PP_TENSOR_H
#define PP_TENSOR_H

#include <stdint.h>

/* e^x within 2 units in the last place; 0 below -87.3, infinity above 88.72. */
float pp_exp(float x);
/* Natural logarithm within 2 units in the last place; -infinity at 0, NaN below. */
float pp_log(float x);
/* Within 4 units in the last place, odd, never outside [-1, 1]. */
float pp_tanh(float x);
/* Cosine and sine of a number of whole turns (1 = 2 pi), good to about 1e-15; |turns| below 2^31. */
void pp_turn(double turns, double *cosine, double *sine);

/* y[rows][outputs] = x[rows][inputs] . w[inputs][outputs] */
void pp_matmul_forward(float *restrict y, const float *restrict x, const float *restrict w, int32_t rows,
                       int32_t inputs, int32_t outputs);
/* dx[rows][inputs] = dy[rows][outputs] . w transposed */
void pp_matmul_backward_input(float *restrict dx, const float *restrict dy, const float *restrict w, int32_t rows,
                              int32_t inputs, int32_t outputs);
/* dw[inputs][outputs] += x transposed . dy */
void pp_matmul_backward_weight(float *restrict dw, const float *restrict x, const float *restrict dy, int32_t rows,
                               int32_t inputs, int32_t outputs);

/* y[rows][outputs] += bias[outputs] in each row */
void pp_bias_forward(float *restrict y, const float *restrict bias, int32_t rows, int32_t outputs);
/* dbias[outputs] += sum of the rows of dy */
void pp_bias_backward(float *restrict dbias, const float *restrict dy, int32_t rows, int32_t outputs);

/* Activations: y may be x, dx may be dy. The gradient is told by the output y alone, so x need not be kept. */
void pp_tanh_forward(float *y, const float *x, int32_t count);
void pp_tanh_backward(float *dx, const float *dy, const float *y, int32_t count);
void pp_relu_forward(float *y, const float *x, int32_t count);
void pp_relu_backward(float *dx, const float *dy, const float *y, int32_t count);
void pp_identity_forward(float *y, const float *x, int32_t count);
void pp_identity_backward(float *dx, const float *dy, const float *y, int32_t count);

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

/* w -= rate * dw */
void pp_sgd(float *restrict w, const float *restrict dw, float rate, int32_t count);

/* x /= divisor; y += x; x = 0 */
void pp_divide(float *x, float divisor, int32_t count);
void pp_add(float *restrict y, const float *restrict x, int32_t count);
void pp_zero(float *x, int32_t count);
/* 1 if no entry is infinite or NaN. */
int32_t pp_all_finite(const float *x, int32_t count);
/* Largest |x - y|; NaN if any of the differences is. */
float pp_largest_difference(const float *x, const float *y, int32_t count);

#endif
