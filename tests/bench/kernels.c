/* The kernels of the toy network as a WebAssembly module of their own, for tests/bench/kernels.mjs: the page's module
 * does not export them. Each call repeats its work, so that the cost of a call from JavaScript does not count. */
#include <stddef.h>
#include <stdint.h>

#include "network/data.h"
#include "network/model.h"
#include "network/tensor.h"

#define BENCH(name) __attribute__((export_name(#name), used)) name

size_t BENCH(bench_matmul_bytes)(int32_t inputs, int32_t outputs) { return pp_matmul_bytes(inputs, outputs); }

/* The core's own products, in the order of pp_network_products. */
pp_product *BENCH(bench_own)(int32_t which) {
    pp_product *const own[] = {pp_matmul_forward, pp_matmul_backward_input, pp_matmul_backward_weight,
                               pp_matmul_begin_weight};
    return own[which];
}

void BENCH(bench_product)(pp_product *product, float *out, const float *a, const float *b, int32_t rows, int32_t inputs,
                          int32_t outputs, void *scratch, int32_t times) {
    for (; times > 0; times--) product(out, a, b, rows, inputs, outputs, scratch);
}

/* The ceiling: one tile, depth * 32 multiplications and additions, panels resident in the first-level cache; the core's own,
 * and the same as a plain loop (loop.c). */
void BENCH(bench_tile)(float *c, const float *a, const float *b, int32_t depth, int32_t times) {
    for (; times > 0; times--) pp_matmul_tile(c, a, b, depth);
}
void bench_tile_4(float *c, const float *a, const float *b, int32_t depth, int32_t times);
void BENCH(bench_loop)(float *c, const float *a, const float *b, int32_t depth, int32_t times) {
    bench_tile_4(c, a, b, depth, times);
}

/* One unpipelined step on the batch that is given: everything pp_reference_step does but choose the samples. */
int32_t BENCH(bench_step)(pp_network *network, pp_data *data, const pp_training *training, int32_t step, void *memory,
                          size_t bytes, double *loss, int32_t times) {
    int32_t status = PP_OK;
    for (; times > 0 && status == PP_OK; times--)
        status = pp_reference_step(network, data, training, step, memory, bytes, loss);
    return status;
}

void BENCH(bench_batch)(pp_data *data, int32_t step, int32_t rows, float *features, int32_t *labels) {
    pp_data_batch(data, step, rows, features, labels);
}
