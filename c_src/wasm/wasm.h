/* Memory, for a caller on the other side of the WebAssembly border. */
#ifndef PP_ROOM_WASM_H
#define PP_ROOM_WASM_H

#include "core/core.h"

#if defined(__wasm__)
/* bytes of memory, 8-byte aligned, released by pp_free; NULL when there is no more. */
PP_EXPORT(pp_alloc) void *pp_alloc(size_t bytes);
PP_EXPORT(pp_free) void pp_free(void *memory);
#endif

#endif
