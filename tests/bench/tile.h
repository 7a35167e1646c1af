/* Register tiles of 4 x 8 or 6 x 8 entries on panels, as a plain loop along k: ceilings for npm run bench. */
#ifndef BENCH_TILE_H
#define BENCH_TILE_H

#include "core/lanes.h"

#define TILE(rows)                                                                                                     \
    void bench_tile_##rows(float *c, const float *a, const float *b, int32_t depth, int32_t times) {                   \
        for (; times > 0; times--) {                                                                                   \
            v4 sum[rows][2] = {{{0}}};                                                                                 \
            const float *p = a, *q = b, *const end = b + 8 * depth;                                                    \
            _Pragma("clang loop unroll(disable)") for (; q != end; p += rows, q += 8) {                                \
                const v4 b0 = v4_load(q), b1 = v4_load(q + 4);                                                         \
                _Pragma("clang loop unroll(full)") for (int r = 0; r < rows; r++) {                                    \
                    sum[r][0] = v4_madd(sum[r][0], v4_all(p[r]), b0);                                                  \
                    sum[r][1] = v4_madd(sum[r][1], v4_all(p[r]), b1);                                                  \
                }                                                                                                      \
            }                                                                                                          \
            _Pragma("clang loop unroll(full)") for (int r = 0; r < rows; r++) {                                        \
                v4_store(c + 8 * r, sum[r][0]);                                                                        \
                v4_store(c + 8 * r + 4, sum[r][1]);                                                                    \
            }                                                                                                          \
            __asm__ volatile("" ::: "memory");                                                                         \
        }                                                                                                              \
    }

#endif
