/* What schedule generators share: the row each one fills in, the writer it emits into, the limits of a request. */
#ifndef PP_SCHEDULE_H
#define PP_SCHEDULE_H

#include "schedules/schedules.h"

/* Limits of a request. 2^25 actions with their timeline are 1 GiB; the others keep products inside int32_t. */
#define PP_MAX_RANKS 4096
#define PP_MAX_MICROBATCHES 1048576
#define PP_MAX_CHUNKS 64
#define PP_MAX_STAGES 16384
#define PP_MAX_SLICES 64
#define PP_MAX_ACTIONS (INT64_C(1) << 25)
#define PP_MAX_COST 1e12
#define PP_MAX_LAYERS 65536
#define PP_MAX_BATCH (1 << 30)
#define PP_MAX_MICROBATCH_SIZE 65536
#define PP_MAX_STEPS 1000000000

/* Inlined even where a page's build asks for small code: these run once per action. */
#if defined(__GNUC__)
#define PP_INLINE static inline __attribute__((always_inline))
#else
#define PP_INLINE static inline
#endif

/* The row of costs that an op takes. The one place where ops and rows meet. */
PP_INLINE int32_t pp_op_cost_row(int32_t op) {
    static const uint8_t row[PP_OP_COUNT] = {[PP_F] = PP_COST_FORWARD,
                                             [PP_B] = PP_COST_BACKWARD,
                                             [PP_I] = PP_COST_INPUT,
                                             [PP_W] = PP_COST_WEIGHT,
                                             [PP_R] = PP_COST_RECOMPUTE};
    return row[op];
}

/* Where a generator writes: rank after rank, each rank's actions in order. */
typedef struct pp_writer {
    pp_action *actions;
    int32_t *rank_begin;
    int32_t count;
    int32_t recompute_end;           /* an R goes before the B or I of units below this one */
    const double *costs;             /* as pp_schedule_make got them: NULL means that all stages are equal */
    const pp_conditions *conditions; /* beside them, NULL: none */
    void *scratch;                   /* pp_generator.scratch_bytes bytes, 8-byte aligned */
    double bound;                    /* no order takes less, where a generator knows such a bound */
} pp_writer;

/* One schedule. A generator file defines one of these; the table in schedule.c lists it. */
typedef struct pp_generator {
    const char *name;
    int32_t placement; /* PP_PLACE_... */
    int32_t chunks_min, chunks_max, chunks_default;
    int32_t slices_default; /* 0 means 1 */
    int32_t trains;
    int32_t by_costs;    /* 1: its order depends on the costs */
    uint32_t options;    /* bit 1u << PP_OPT_...: options of its own, beside those every schedule has */
    const char *formula; /* closed form of the makespan in words of pipeline.h, "" for none */
    /* Refuses shapes the rule does not cover and fills in defaults that depend on the shape (group); NULL: all legal. */
    int32_t (*legal)(pp_config *config, pp_fault *fault);
    int64_t (*action_count)(const pp_config *config);
    size_t (*scratch_bytes)(const pp_config *config); /* NULL: none */
    /* Stage and unit placement other than by `placement`; NULL: by placement. */
    void (*place)(const pp_config *config, int32_t *stage_rank, int32_t *unit_pipe);
    void (*generate)(const pp_config *config, pp_writer *writer);
    /* The closed form in ticks for equal stages and free transfers; f, b, w: one stage's forward, whole backward and
     * weight gradient. NULL or a negative result: none for this shape. */
    double (*makespan)(const pp_config *config, double f, double b, double w);
    /* The same for a schedule with fused slots, each fb ticks long, in place of makespan. */
    double (*makespan_fused)(const pp_config *config, double f, double b, double w, double fb);
    /* Weight versions that rank holds at once; NULL: 1. */
    int32_t (*weight_versions)(const pp_config *config, int32_t rank);
    /* Asynchronous schedules: the version a micro-batch uses on rank, and after how many of them weights change. */
    int32_t (*weight_version)(const pp_config *config, int32_t rank, int32_t microbatch);
    int32_t (*update_every)(const pp_config *config);
    int32_t kept_back; /* updates: see pp_schedule */
} pp_generator;

/* Its functions are called by schedules, request and time alone: under WebAssembly the rooms above are another module, for which
 * a pointer to a function of this one means nothing. */
const pp_generator *pp_generator_of(int32_t schedule);
/* Actions of a step of that shape. */
int64_t pp_config_actions(const pp_config *config);
/* Weight versions that a rank holds at once. */
int32_t pp_weight_versions(const pp_config *config, int32_t rank);
int32_t pp_stage_count(const pp_config *config);
/* By how many the work is shared that the lists of costs give; 1 where they give that of one action. */
int32_t pp_costs_shared_by(const pp_config *config);

/* Begins the refusal of a shape: a rule of config's schedule that `option`, as seen, breaks; a: number of the rule. The
 * caller adds the nearest legal choice. fault may be NULL, then scratch is filled. */
pp_fault *pp_refuse_shape(const pp_config *config, int32_t code, int32_t option, int32_t seen, int32_t a,
                          pp_fault *fault, pp_fault *scratch);

/* 1 if an option has a meaning for every schedule. */
int32_t pp_option_common(int32_t option);

/* Tells one set of costs from another. */
uint32_t pp_costs_mark(const double *costs, int32_t stages);

/* What a schedule tells about its R: only whether they wait for the gradient, not which there are. */
int32_t pp_recompute_when(int32_t recompute);

/* Units from 0 up to this one are recomputed. */
static inline int32_t pp_recompute_end(const pp_config *config) {
    int32_t units = config->microbatches * config->slices;
    switch (config->recompute) {
    case PP_RECOMPUTE_NONE: return 0;
    case PP_RECOMPUTE_LATE:
    case PP_RECOMPUTE_EARLY: return units;
    default: return units - config->slices;
    }
}

/* Actions of a schedule with `per_stage` of them per stage and unit, plus the R of those that are recomputed. */
static inline int64_t pp_actions_of(const pp_config *config, int32_t per_stage) {
    int64_t units = (int64_t)config->microbatches * config->slices;
    return config->stages * (units * per_stage + pp_recompute_end(config));
}

static inline void pp_rank_start(pp_writer *writer, int32_t rank) { writer->rank_begin[rank] = writer->count; }

PP_INLINE void pp_emit(pp_writer *writer, int32_t op, int32_t stage, int32_t unit) {
    writer->actions[writer->count++] = (pp_action){unit, (uint16_t)stage, (uint8_t)op, 0};
}

/* A B or I, after the R it needs where the request recomputes. */
PP_INLINE void pp_emit_backward(pp_writer *writer, int32_t op, int32_t stage, int32_t unit) {
    if (unit < writer->recompute_end) pp_emit(writer, PP_R, stage, unit);
    pp_emit(writer, op, stage, unit);
}

/* One slot: F of one unit beside B of another. */
PP_INLINE void pp_emit_fused(pp_writer *writer, int32_t f_stage, int32_t f_unit, int32_t b_stage, int32_t b_unit) {
    pp_emit(writer, PP_F, f_stage, f_unit);
    writer->actions[writer->count - 1].fused = 1;
    pp_emit(writer, PP_B, b_stage, b_unit);
}

/* Where the conditions stand: right behind the rows of costs. */
static inline pp_conditions *pp_conditions_at(double *costs, int32_t stages) {
    return (pp_conditions *)(costs + (size_t)PP_COST_ROWS * (size_t)stages);
}

/* 1 if micro-batches have factors. */
static inline int pp_uneven(const pp_schedule *schedule) {
    return schedule->conditions != NULL && schedule->conditions->unit != NULL;
}

/* By what all costs of a stage's unit are taken. */
PP_INLINE double pp_factor(const pp_schedule *schedule, int32_t stage, int32_t unit) {
    const pp_conditions *c = schedule->conditions;
    return c != NULL && c->unit != NULL ? c->unit[(size_t)stage * (size_t)c->stride + (size_t)unit] : 1;
}

/* The rank that runs a stage for a unit. */
PP_INLINE int32_t pp_rank_of(const pp_schedule *schedule, int32_t stage, int32_t unit) {
    int32_t pipe = schedule->unit_pipe != NULL ? schedule->unit_pipe[unit] : 0;
    return schedule->stage_rank[pipe * schedule->stages + stage];
}

#endif
