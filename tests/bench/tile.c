/* Ceilings of relaxed multiply-add for npm run bench: the core's own tile, and two as plain loops. */
#include "tile.h"
#include "network/matmul.c"

TILE(4)
TILE(6)

/* a[depth][8], of which the tile takes 6. */
void bench_tile(float *c, const float *a, const float *b, int32_t depth, int32_t times) {
    for (; times > 0; times--) pp_matmul_tile(c, a, b, depth);
}
