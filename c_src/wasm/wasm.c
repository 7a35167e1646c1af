/* Memory for a caller on the other side of the WebAssembly border. Nothing here has an opinion. */
#include <stdlib.h>

#include "wasm/wasm.h"

void *pp_alloc(size_t bytes) { return malloc(bytes); }
void pp_free(void *memory) { free(memory); }
