/* The ground floor: what every room speaks of. How a function says that it failed, and the fault it fills in then.
 *
 * Statuses and faults are numbers and texts without a language; the sentences that people read are made of them at the
 * very top, in words/words.h. */
#ifndef PP_ROOM_CORE_H
#define PP_ROOM_CORE_H

#include <stddef.h>
#include <stdint.h>

/* What JavaScript calls. */
#if defined(__wasm__)
#define PP_EXPORT(name) __attribute__((visibility("default"), export_name(#name)))
#else
#define PP_EXPORT(name)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Every function that can fail returns one of these; PP_OK is 0. X(code, name): the name is what programs see. */
#define PP_STATUSES(X)                                                                                                 \
    X(PP_OK, "ok")                                                                                                     \
    /* the request: an option, alone */                                                                                \
    X(PP_ERR_OPTION_UNKNOWN, "option-unknown")                                                                         \
    X(PP_ERR_OPTION_TWICE, "option-twice")                                                                             \
    X(PP_ERR_NOT_A_NUMBER, "not-a-number")                                                                             \
    X(PP_ERR_NOT_WHOLE, "not-whole")                                                                                   \
    X(PP_ERR_RANGE, "range")                                                                                           \
    X(PP_ERR_NAME_UNKNOWN, "name-unknown")                                                                             \
    X(PP_ERR_LIST_LENGTH, "list-length")                                                                               \
    X(PP_ERR_LAYER_LENGTH, "layer-length")                                                                             \
    X(PP_ERR_COST_SPLIT, "cost-split")                                                                                 \
    X(PP_ERR_COST_OVERLAP, "cost-overlap")                                                                             \
    X(PP_ERR_TOO_LARGE, "too-large")                                                                                   \
    /* the request: options that do not go together */                                                                 \
    X(PP_ERR_OPTION_MEANINGLESS, "option-meaningless")                                                                 \
    X(PP_ERR_CHUNKS, "chunks")                                                                                         \
    X(PP_ERR_CHUNKS_EVEN, "chunks-even")                                                                               \
    X(PP_ERR_GROUP, "group")                                                                                           \
    X(PP_ERR_GROUP_REMAINDER, "group-remainder")                                                                       \
    X(PP_ERR_GROUP_HALF, "group-half")                                                                                 \
    X(PP_ERR_GROUP_UPDATE, "group-update")                                                                             \
    X(PP_ERR_ROUNDS, "rounds")                                                                                         \
    X(PP_ERR_RANKS_EVEN, "ranks-even")                                                                                 \
    X(PP_ERR_MICROBATCHES_EVEN, "microbatches-even")                                                                   \
    X(PP_ERR_MICROBATCHES_FEW, "microbatches-few")                                                                     \
    X(PP_ERR_MICROBATCHES_MULTIPLE, "microbatches-multiple")                                                           \
    X(PP_ERR_PIPES, "pipes")                                                                                           \
    X(PP_ERR_MEMORY_LIMIT, "memory-limit")                                                                             \
    X(PP_ERR_OPTION_NEEDS, "option-needs")                                                                             \
    X(PP_ERR_OPTION_BESIDE, "option-beside")                                                                           \
    X(PP_ERR_BATCH_SPLIT, "batch-split")                                                                               \
    X(PP_ERR_LAYERS_HELD, "layers-held")                                                                               \
    X(PP_ERR_CUTS, "cuts")                                                                                             \
    X(PP_ERR_LAYOUT, "layout")                                                                                         \
    X(PP_ERR_LAYOUT_STAGES, "layout-stages")                                                                           \
    X(PP_ERR_MEMORY_SHARE, "memory-share")                                                                             \
    X(PP_ERR_MEMORY_ENDS, "memory-ends")                                                                               \
    X(PP_ERR_FAIL_TIME, "fail-time")                                                                                   \
    X(PP_ERR_MOVES, "moves")                                                                                           \
    /* a schedule */                                                                                                   \
    X(PP_ERR_SYNTAX, "syntax")                                                                                         \
    X(PP_ERR_EMPTY, "empty")                                                                                           \
    X(PP_ERR_STAGE_UNKNOWN, "stage-unknown")                                                                           \
    X(PP_ERR_STAGE_TWO_RANKS, "stage-two-ranks")                                                                       \
    X(PP_ERR_MISSING, "missing")                                                                                       \
    X(PP_ERR_DUPLICATE, "duplicate")                                                                                   \
    X(PP_ERR_ORDER, "order")                                                                                           \
    X(PP_ERR_SPLIT_MIX, "split-mix")                                                                                   \
    X(PP_ERR_DEADLOCK, "deadlock")                                                                                     \
    X(PP_ERR_OVERFLOW, "overflow")                                                                                     \
    /* a file */                                                                                                       \
    X(PP_ERR_CELL_GROUP, "cell-group")                                                                                 \
    X(PP_ERR_RECORD, "record")                                                                                         \
    X(PP_ERR_TRANSFER, "transfer")                                                                                     \
    X(PP_ERR_SHAPE, "shape")                                                                                           \
    X(PP_ERR_INEXPRESSIBLE, "inexpressible")                                                                           \
    X(PP_ERR_PROFILE, "profile")                                                                                       \
    X(PP_NOTE_EARLY, "early") /* not an error: see pp_table_early */                                                   \
    X(PP_NOTE_STEPS, "steps") /* not an error: see pp_table_early */                                                   \
    /* the toy network */                                                                                              \
    X(PP_ERR_BATCH, "batch")                                                                                           \
    X(PP_ERR_NO_BACKWARD, "no-backward")                                                                               \
    X(PP_ERR_LAYERS, "layers")                                                                                         \
    X(PP_ERR_STATISTICS, "statistics")                                                                                 \
    X(PP_ERR_BATCH_NORM, "batch-norm")                                                                                 \
    X(PP_ERR_TIED, "tied")                                                                                             \
    X(PP_ERR_SPLIT_EMPTY, "split-empty")                                                                               \
    X(PP_ERR_ASYNC_OPTION, "async-option")                                                                             \
    X(PP_ERR_DIVERGED, "diverged")                                                                                     \
    X(PP_STEP_DONE, "step-done")   /* not an error: the run has finished a step */                                     \
    X(PP_RANK_WAITS, "rank-waits") /* nor this: a rank needs a message before it can go on */                          \
    /* memory given by the caller */                                                                                   \
    X(PP_ERR_CAPACITY, "capacity")

typedef enum pp_status {
#define PP_STATUS_ENUM(code, name) code,
    PP_STATUSES(PP_STATUS_ENUM)
#undef PP_STATUS_ENUM
        PP_STATUS_COUNT
} pp_status;

/* Version of this interface; a loader compares it before anything else. Grows when a caller would break. */
#define PP_ABI 1
PP_EXPORT(pp_abi_version) int32_t pp_abi_version(void);

/* Short name of a status ("deadlock"); static text, "unknown" for a number that is none. */
PP_EXPORT(pp_status_name) const char *pp_status_name(int32_t status);

/* What went wrong, where, and what would be legal. Filled by the call that fails, untouched by one that succeeds.
 * A field that says nothing is -1. */
#define PP_FAULT_FIELDS(X)                                                                                             \
    X(code)   /* pp_status */                                                                                          \
    X(option) /* pp_option the fault lies in */                                                                        \
    X(rank)   /* rank, or row of a file from 0 */                                                                      \
    X(index)  /* slot in that rank's list */                                                                           \
    X(column) /* column of a file from 0; -1: the fault does not lie in one, or has a slot instead */                  \
    X(stage)  /* the action at fault */                                                                                \
    X(op)                                                                                                              \
    X(microbatch)                                                                                                      \
    X(wait_rank) /* the rank and action it waits for */                                                                \
    X(wait_stage)                                                                                                      \
    X(wait_op)                                                                                                         \
    X(wait_microbatch)                                                                                                 \
    X(wait_column)                                                                                                     \
    X(root_stage) /* the action awaited is a backward: the last stage, where it comes from */                          \
    X(cycle)      /* ranks in the circle of waiting */                                                                 \
    X(a)          /* numbers of the rule, see words/fault_words.c */                                                   \
    X(b)                                                                                                               \
    X(c)                                                                                                               \
    X(schedule)    /* pp_schedule_id the rule belongs to */                                                            \
    X(fix_option)  /* nearest legal choice: this option .. */                                                          \
    X(fix2_option) /* .. or this one, -1 if there is no second */

typedef struct pp_fault {
#define PP_FAULT_INT(field) int32_t field;
    PP_FAULT_FIELDS(PP_FAULT_INT)
#undef PP_FAULT_INT
    char seen[64]; /* the text seen, cut to fit */
    char fix_value[32];
    char fix2_value[32];
} pp_fault;

PP_EXPORT(pp_fault_bytes) int32_t pp_fault_bytes(void);
int32_t pp_fault_field_count(void);
PP_EXPORT(pp_fault_field_name) const char *pp_fault_field_name(int32_t field);
/* The int32 field, by its number in PP_FAULT_FIELDS. */
PP_EXPORT(pp_fault_field) int32_t pp_fault_field(const pp_fault *fault, int32_t field);
PP_EXPORT(pp_fault_fix_value) const char *pp_fault_fix_value(const pp_fault *fault, int32_t second);

/* Results of several numbers are structs of doubles, so that a caller can read them as columns: a list of fields, X(field)
 * each, makes the struct and its names. */
#define PP_RECORD_DOUBLE(field) double field;

#ifdef __cplusplus
}
#endif
#endif
