/* Layers cut into stages: what config.c asks of partition.c, and partition.c of layout.c. */
#ifndef PP_PARTITION_H
#define PP_PARTITION_H

#include "request/config.h"

/* Counts the layers of a request into config->layers and checks that the cut asked for holds each of them once. Fails with
 * OPTION_NEEDS, OPTION_BESIDE, LAYERS (fewer than stages), LAYERS_HELD, CUTS, LAYOUT, LAYOUT_STAGES, LIST_LENGTH, or with
 * what is wrong with a number. */
int32_t pp_partition_shape(const pp_text *given, pp_config *config, pp_fault *fault);

/* Bytes the cut takes behind the rows of costs; 0 without layers. */
int32_t pp_partition_bytes(const pp_config *config);

/* Cuts, and takes the rows of costs times the costs of the stages. Nothing without layers. */
int32_t pp_partition_make(const pp_text *given, const pp_config *config, double *costs, pp_fault *fault);

/* What a layout string says. Stages without a layer are counted. */
typedef struct pp_layout {
    int32_t stages, layers;
    int32_t embedding_stage, head_stage;
} pp_layout;

/* Reads a layout. sizes: NULL, or room for the layers of each stage, as many as a first reading found. Fails with LAYOUT;
 * fault->a is then the place, counted from 1. */
int32_t pp_layout_read(pp_text text, int32_t *sizes, pp_layout *layout, pp_fault *fault);

#endif
