/* Products with fused multiply-add against plain loops of fmaf, bit for bit, over shapes that fill tiles and shapes that do
 * not; and that they are others than the plain products. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "fused.h"

static uint32_t random_state = 2024;

static float *floats(int32_t count) {
    float *x = malloc((size_t)count * sizeof(float));
    for (int32_t i = 0; i < count; i++) {
        random_state = random_state * 1664525u + 1013904223u;
        x[i] = 3.0f * ((float)(random_state >> 8) / 8388608.0f - 1.0f);
    }
    return x;
}

/* c[m][n] = a . b, or c += a . b; entry (i, p) of a at i * along + p * deep, (p, j) of b likewise. */
static void loops(float *c, const float *a, int32_t a_along, int32_t a_deep, const float *b, int32_t b_along,
                  int32_t b_deep, int32_t m, int32_t n, int32_t k, int first, int fused) {
    for (int32_t i = 0; i < m; i++)
        for (int32_t j = 0; j < n; j++) {
            float sum = first ? 0.0f : c[i * n + j];
            for (int32_t p = 0; p < k; p++) {
                const float x = a[i * a_along + p * a_deep], y = b[j * b_along + p * b_deep];
                sum = fused ? fmaf(x, y, sum) : sum + x * y;
            }
            c[i * n + j] = sum;
        }
}

static int same(const float *x, const float *y, int32_t count) { return memcmp(x, y, (size_t)count * sizeof *x) == 0; }

static int differing;

static void test_product(int32_t rows, int32_t inputs, int32_t outputs) {
    float *x = floats(rows * inputs), *w = floats(inputs * outputs), *g = floats(rows * outputs);
    float *out = floats(rows * inputs + inputs * outputs + rows * outputs);
    float *want = floats(rows * inputs + inputs * outputs + rows * outputs);
    void *scratch = malloc(fused_matmul_bytes(inputs, outputs));

    fused_matmul_forward(out, x, w, rows, inputs, outputs, scratch);
    loops(want, x, inputs, 1, w, 1, outputs, rows, outputs, inputs, 1, 1);
    CHECK_MSG(same(out, want, rows * outputs), "forward %d %d %d", rows, inputs, outputs);
    loops(want, x, inputs, 1, w, 1, outputs, rows, outputs, inputs, 1, 0);
    differing += !same(out, want, rows * outputs);

    fused_matmul_backward_input(out, g, w, rows, inputs, outputs, scratch);
    loops(want, g, outputs, 1, w, outputs, 1, rows, inputs, outputs, 1, 1);
    CHECK_MSG(same(out, want, rows * inputs), "input %d %d %d", rows, inputs, outputs);

    fused_matmul_begin_weight(out, x, g, rows, inputs, outputs, scratch);
    loops(want, x, 1, inputs, g, 1, outputs, inputs, outputs, rows, 1, 1);
    CHECK_MSG(same(out, want, inputs * outputs), "weight %d %d %d", rows, inputs, outputs);
    fused_matmul_backward_weight(out, x, g, rows, inputs, outputs, scratch);
    loops(want, x, 1, inputs, g, 1, outputs, inputs, outputs, rows, 0, 1);
    CHECK_MSG(same(out, want, inputs * outputs), "more weight %d %d %d", rows, inputs, outputs);
    free(x), free(w), free(g), free(out), free(want), free(scratch);
}

int main(void) {
    static const int32_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 17, 33};
    enum { SIZES = sizeof sizes / sizeof sizes[0] };
    for (int32_t i = 0; i < SIZES; i++)
        for (int32_t j = 0; j < SIZES; j++)
            for (int32_t k = 0; k < SIZES; k++) test_product(sizes[i], sizes[j], sizes[k]);
    static const int32_t large[][3] = {{67, 60, 30}, {66, 66, 66},   {72, 96, 40}, {199, 35, 24},
                                       {65, 257, 9}, {257, 65, 259}, {5, 70, 513}, {130, 64, 64},
                                       {64, 256, 1}, {600, 1, 300},  {9, 129, 65}, {64, 64, 64}};
    for (size_t i = 0; i < sizeof large / sizeof large[0]; i++) test_product(large[i][0], large[i][1], large[i][2]);
    CHECK(differing > 100);
    return check_report("test_tensor_fused");
}
