/* The products rounded once for each multiplication with its addition: matmul.c over again, with fmaf in place of the two.
 * What core.madd.wasm must give, bit for bit, where an engine's multiply-add is a fused one. */
#ifndef FUSED_H
#define FUSED_H

#define PP_FUSED
#define pp_matmul_bytes fused_matmul_bytes
#define pp_matmul_tile fused_matmul_tile
#define pp_matmul_forward fused_matmul_forward
#define pp_matmul_backward_input fused_matmul_backward_input
#define pp_matmul_backward_weight fused_matmul_backward_weight
#define pp_matmul_begin_weight fused_matmul_begin_weight
#include "network/matmul.c"
#undef pp_matmul_bytes
#undef pp_matmul_tile
#undef pp_matmul_forward
#undef pp_matmul_backward_input
#undef pp_matmul_backward_weight
#undef pp_matmul_begin_weight

#endif
