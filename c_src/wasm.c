/* Memory for a caller on the other side of the WebAssembly border. Nothing here has an opinion. */
#include <stdlib.h>

#include "pipeline.h"

PP_EXPORT(pp_alloc) void *pp_alloc(size_t bytes);
PP_EXPORT(pp_free) void pp_free(void *memory);

void *pp_alloc(size_t bytes) { return malloc(bytes); }
void pp_free(void *memory) { free(memory); }
