/* Layers cut into stages: what the readers of a request ask of partition.c, and partition.c of megatron_layout.c; and the
 * cut itself, for the search in studies/partition_search.c. */
#ifndef PP_PARTITION_H
#define PP_PARTITION_H

#include "core/text.h"
#include "request/request.h"

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

/* A cut. It stands behind the rows of costs, and its arrays stand behind it. */
typedef struct pp_cut {
    int32_t layers, stages, method, proved, cases;
    int32_t embedding_stage, head_stage;
    int32_t first, last; /* stages first .. last-1 are free, the others have a fixed number of layers */
    double embedding, head;
    double *layer;      /* layers */
    double *own[3];     /* layers: F, I, W of each where they have been told apart; NULL: `layer` times the unit */
    int32_t own_row[3]; /* the rows of costs these are */
    double *stage;      /* stages: costs under `at` */
    double *unit;       /* PP_COST_ROWS * stages: ticks per unit of layer cost */
    double *load;       /* stages: for the search */
    double *pass;       /* stages: for the search */
    double *before;     /* stages + 1: for the search */
    double *left;       /* stages + 1: for the search */
    double *held;       /* stages: for the search, by rank */
    int32_t *at;        /* stages + 1 */
    int32_t *spare;     /* stages + 1 */
} pp_cut;
/* Behind the rows of costs and the conditions. */
static inline pp_cut *pp_cut_at(double *costs, const pp_config *config) {
    return (pp_cut *)((char *)(costs + (size_t)PP_COST_ROWS * (size_t)config->stages) + pp_conditions_bytes(config));
}

/* What embedding and head add to a stage. */
double pp_cut_extra(const pp_cut *p, int32_t stage);
/* The cost of a stage that has layers from .. to - 1. */
double pp_cut_cost(const pp_cut *p, int32_t stage, int32_t from, int32_t to);
/* Fills the rows of costs for stages cut at `at`, whose costs stand in p->stage. */
void pp_cut_apply(const pp_cut *p, const int32_t *at, double *costs);
/* Fills p->stage from the boundaries in p->at, and then the rows of costs. */
void pp_cut_settle(pp_cut *p, double *costs);

#endif
