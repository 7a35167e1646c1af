/* Four floats at a time, through the vector extensions of GCC and clang: SSE, NEON or WebAssembly SIMD where the
 * compiler is allowed to use them, four plain floats where it is not. Each lane does what one float would do, so the
 * results are the same bits either way. For tensor.c, matmul.c and norm.c alone. */
#ifndef PP_LANES_H
#define PP_LANES_H

#include <stdint.h>

typedef float v4 __attribute__((vector_size(16)));
typedef int32_t v4_mask __attribute__((vector_size(16))); /* of a comparison: all bits or none */
typedef uint32_t v4_bits __attribute__((vector_size(16)));
typedef float v4_anywhere __attribute__((vector_size(16), aligned(4), may_alias));

static inline v4 v4_load(const float *x) { return *(const v4_anywhere *)x; }
static inline void v4_store(float *y, v4 x) { *(v4_anywhere *)y = x; }
static inline v4 v4_all(float x) { return (v4){x, x, x, x}; }

/* sum + a * b, rounded twice everywhere; with PP_MADD rounded as the machine likes, mostly once, and with PP_FUSED, for
 * tests, once. */
static inline v4 v4_madd(v4 sum, v4 a, v4 b) {
#if defined(PP_MADD)
    return __builtin_wasm_relaxed_madd_f32x4(a, b, sum);
#elif defined(PP_FUSED)
    return (v4){__builtin_fmaf(a[0], b[0], sum[0]), __builtin_fmaf(a[1], b[1], sum[1]),
                __builtin_fmaf(a[2], b[2], sum[2]), __builtin_fmaf(a[3], b[3], sum[3])};
#else
    return sum + a * b;
#endif
}

/* The first n lanes, 0 < n; all if n > 3. Lanes that were not loaded are 0. */
static inline v4 v4_load_some(const float *x, int32_t n) {
    if (n > 3) return v4_load(x);
    return (v4){x[0], n > 1 ? x[1] : 0.0f, n > 2 ? x[2] : 0.0f, 0.0f};
}

static inline void v4_store_some(float *y, v4 x, int32_t n) {
    if (n > 3) {
        v4_store(y, x);
        return;
    }
    y[0] = x[0];
    if (n > 1) y[1] = x[1];
    if (n > 2) y[2] = x[2];
}

static inline v4 v4_choose(v4_mask where, v4 yes, v4 no) {
    return (v4)(((v4_mask)yes & where) | ((v4_mask)no & ~where));
}

/* -limit or limit where x is beyond it; a NaN stays. */
static inline v4 v4_within(v4 x, float limit) {
    const v4 top = v4_all(limit), bottom = v4_all(-limit);
#if defined(__wasm_simd128__)
    return __builtin_wasm_pmax_f32x4(__builtin_wasm_pmin_f32x4(x, top), bottom);
#else
    x = v4_choose(x > top, top, x);
    return v4_choose(x < bottom, bottom, x);
#endif
}

/* What was loaded stays loaded: clang for WebAssembly would move each load down to its use, behind the stores before that,
 * and engines would work through one chain of operations after the other where they could do all at once. */
#define V4_LOADED() __asm__ volatile("" ::: "memory")

/* Lanes i, j of a, then k, l of b. */
#if defined(__clang__) || __GNUC__ >= 12
#define V4_PICK(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, 4 + (k), 4 + (l))
#else
#define V4_PICK(a, b, i, j, k, l) __builtin_shuffle(a, b, (v4_mask){i, j, 4 + (k), 4 + (l)})
#endif

static inline v4 v4_sqrt(v4 x) {
#if defined(__wasm_simd128__)
    return __builtin_wasm_sqrt_f32x4(x);
#elif defined(__SSE__)
    return __builtin_ia32_sqrtps(x);
#else
    return (v4){__builtin_sqrtf(x[0]), __builtin_sqrtf(x[1]), __builtin_sqrtf(x[2]), __builtin_sqrtf(x[3])};
#endif
}

/* Lanes added in one fixed order. */
static inline float v4_sum(v4 x) { return (x[0] + x[2]) + (x[1] + x[3]); }

/* A loop over count entries, four at a time: i is the first of a round, n how many are left, itself included. */
#define V4_EACH(i, n, count) for (int32_t i = 0, n; n = (count)-i, i < (count); i += 4)

#endif
