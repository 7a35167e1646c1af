/* Pipeline Figure: pipeline-parallel schedules, generated, checked, timed, explained and executed.
 *
 * A network of layers is cut into S *stages*, numbered 0..S-1 in forward order. p *ranks* (devices, workers)
 * hold one stage each, or v stages each (then S = p*v and v is called *chunks*). A batch is cut into m
 * *micro-batches*, numbered 0..m-1, which follow each other through the stages.
 *
 * An *op* is one of
 *     F  forward                      I  backward for the inputs only
 *     B  backward, whole              W  backward for the weights only         (B = I then W)
 *     R  recomputation of a forward before its backward
 * The Zero Bubble papers write B for what is I here; PyTorch since 2.6, Megatron and DualPipe write B for the whole.
 *
 * An *action* is (stage, op, micro-batch), written 2F0: stage 2, forward, micro-batch 0. A *schedule* is, for each
 * rank, an ordered list of actions. Idle time is never part of a schedule; it results from timing it. Two actions
 * may share a *slot* ("fused F&B"): they start and finish together.
 *
 * Time is a double counted in *ticks*. Whole ticks are exact up to 2^53; sums run in a fixed order, so that native
 * code and WebAssembly agree bit for bit. A span is half open: [start, finish).
 *     makespan         last finish - first start, over all ranks
 *     span             largest (last finish - first start) of one rank
 *     bubble fraction  idle / (ranks * makespan)      GPipe's figure, 0..1
 *     bubble ratio     idle / busy                    Megatron's "bubble time fraction", may exceed 1
 *     bubble rate      (span - busy / ranks) / span   the Zero Bubble papers' figure
 *     in flight        chunks a rank has run F for and has not released; B releases, or W where the backward is
 *                      split (an I keeps them). A schedule without backward keeps nothing.
 *
 * How the calls follow each other (each takes memory from the caller, none allocates, none keeps a pointer that was
 * not said to be kept):
 *
 *     pp_config_parse      text "ranks=4\nmicrobatches=8\n..."  ->  pp_config
 *     pp_costs_parse       the same text                        ->  costs per stage
 *     pp_schedule_make     pp_config + costs                    ->  pp_schedule
 *     pp_check             pp_schedule                          ->  pp_timeline (who waits for whom; or the deadlock)
 *     pp_simulate          pp_timeline + costs                  ->  start and finish of each action
 *     pp_report            pp_timeline                          ->  pp_summary, pp_rank_report
 *     pp_idle_fill, pp_critical_path, pp_reasons                ->  the reasons
 *     pp_partition_search, pp_end_report, pp_memory_report,
 *     pp_takeover_find, pp_failure_report                       ->  what else can be asked of a step
 *
 * Only the functions whose name ends in _parse, and pp_what_if_doubled, accept text of unknown origin; they never read
 * past its length. A request is refused before anything is allocated, a file costs memory in proportion to its length.
 * Passing a wrong pointer or a wrong size elsewhere is a fault of the caller and is caught by assert in debug builds.
 */
#ifndef PIPELINE_H
#define PIPELINE_H

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

/* ---- 1. Statuses --------------------------------------------------------------------------------------------- */

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

enum { PP_LANG_EN = 0, PP_LANG_RU = 1 };
/* One sentence or two: the option, the value seen, the rule, the nearest legal choice. Writes at most capacity bytes
 * with the closing zero (UTF-8, never cut inside a character) and returns the length the whole text needs. */
PP_EXPORT(pp_fault_message)
int32_t pp_fault_message(const pp_fault *fault, int32_t lang, char *out, int32_t capacity);

/* ---- 2. The request: options ---------------------------------------------------------------------------------- */

/* X(id, name, letter, kind). Letter: the short form on a command line and in a request, 0 for none.
 * Kinds: N whole number, E one of a list of names, L one cost or one per stage, A another amount likewise, M micro-
 * batches with optional "p", R a number that may have decimals, S a text with a grammar of its own. Those that only
 * some schedules know come first, because a pp_generator names them by bits. */
#define PP_OPTIONS(X)                                                                                                  \
    X(PP_OPT_SCHEDULE, "schedule", 's', 'E')                                                                           \
    X(PP_OPT_RANKS, "ranks", 'p', 'N')                                                                                 \
    X(PP_OPT_MICROBATCHES, "microbatches", 'm', 'N')                                                                   \
    X(PP_OPT_CHUNKS, "chunks", 'v', 'N')                                                                               \
    X(PP_OPT_GROUP, "group", 0, 'N')                                                                                   \
    X(PP_OPT_DIALECT, "dialect", 0, 'E')                                                                               \
    X(PP_OPT_BACKWARD_ORDER, "backward-order", 0, 'E')                                                                 \
    X(PP_OPT_RECOMPUTE, "recompute", 0, 'E')                                                                           \
    X(PP_OPT_TRANSFER, "transfer", 0, 'E')                                                                             \
    X(PP_OPT_PIPES, "pipes", 0, 'N')                                                                                   \
    X(PP_OPT_SLICES, "slices", 0, 'N')                                                                                 \
    X(PP_OPT_MEMORY_LIMIT, "memory-limit", 0, 'M')                                                                     \
    X(PP_OPT_EXTRA_WARMUP, "extra-warmup", 0, 'N')                                                                     \
    X(PP_OPT_WARMUP_FACTOR, "warmup-factor", 0, 'N')                                                                   \
    X(PP_OPT_PLACEMENT, "placement", 0, 'E')                                                                           \
    X(PP_OPT_FORWARD, "forward", 0, 'L')                                                                               \
    X(PP_OPT_BACKWARD, "backward", 0, 'L')                                                                             \
    X(PP_OPT_INPUT_GRADIENT, "input-gradient", 0, 'L')                                                                 \
    X(PP_OPT_WEIGHT_GRADIENT, "weight-gradient", 0, 'L')                                                               \
    X(PP_OPT_RECOMPUTE_COST, "recompute-cost", 0, 'L')                                                                 \
    X(PP_OPT_OVERLAP_COST, "overlap-cost", 0, 'L')                                                                     \
    X(PP_OPT_KEPT_SHARE, "kept-share", 0, 'L')                                                                         \
    X(PP_OPT_LATENCY, "latency", 0, 'L')                                                                               \
    X(PP_OPT_COSTS_OF, "costs-of", 0, 'E')                                                                             \
    /* layers and samples, instead of stages and micro-batches */                                                      \
    X(PP_OPT_LAYERS, "layers", 0, 'S')                                                                                 \
    X(PP_OPT_PARTITION, "partition", 0, 'E')                                                                           \
    X(PP_OPT_CUTS, "cuts", 0, 'S')                                                                                     \
    X(PP_OPT_LAYOUT, "layout", 0, 'S')                                                                                 \
    X(PP_OPT_EMBEDDING, "embedding", 0, 'R')                                                                           \
    X(PP_OPT_HEAD, "head", 0, 'R')                                                                                     \
    X(PP_OPT_GLOBAL_BATCH, "global-batch", 0, 'N')                                                                     \
    X(PP_OPT_MICROBATCH_SIZE, "microbatch-size", 0, 'N')                                                               \
    /* transfers by size */                                                                                            \
    X(PP_OPT_BYTES, "bytes", 0, 'A')                                                                                   \
    X(PP_OPT_BANDWIDTH, "bandwidth", 0, 'A')                                                                           \
    /* the end of the step */                                                                                          \
    X(PP_OPT_REDUCE, "reduce", 0, 'A')                                                                                 \
    X(PP_OPT_REDUCE_WHEN, "reduce-when", 0, 'E')                                                                       \
    X(PP_OPT_OPTIMIZER, "optimizer", 0, 'A')                                                                           \
    X(PP_OPT_OPTIMIZER_WAITS, "optimizer-waits", 0, 'E')                                                               \
    /* memory */                                                                                                       \
    X(PP_OPT_MEMORY_WEIGHTS, "memory-weights", 0, 'A')                                                                 \
    X(PP_OPT_MEMORY_GRADIENTS, "memory-gradients", 0, 'A')                                                             \
    X(PP_OPT_MEMORY_OPTIMIZER, "memory-optimizer", 0, 'A')                                                             \
    X(PP_OPT_MEMORY_ACTIVATIONS, "memory-activations", 0, 'A')                                                         \
    X(PP_OPT_MEMORY_KEPT, "memory-kept", 0, 'A')                                                                       \
    X(PP_OPT_MEMORY_INPUTS, "memory-inputs", 0, 'A')                                                                   \
    X(PP_OPT_MEMORY_CAPACITY, "memory-capacity", 0, 'R')                                                               \
    /* a device fails */                                                                                               \
    X(PP_OPT_FAIL_RANK, "fail-rank", 0, 'N')                                                                           \
    X(PP_OPT_FAIL_TIME, "fail-time", 0, 'R')                                                                           \
    X(PP_OPT_FAIL_STEP, "fail-step", 0, 'N')                                                                           \
    X(PP_OPT_RESTART_COST, "restart-cost", 0, 'R')                                                                     \
    X(PP_OPT_SPARE_DELAY, "spare-delay", 0, 'R')                                                                       \
    X(PP_OPT_CHECKPOINT_COST, "checkpoint-cost", 0, 'R')                                                               \
    X(PP_OPT_CHECKPOINT_EVERY, "checkpoint-every", 0, 'N')                                                             \
    X(PP_OPT_MTBF, "mtbf", 0, 'R')                                                                                     \
    X(PP_OPT_HORIZON, "horizon", 0, 'N')                                                                               \
    /* the order, changed by hand: see pp_moves_apply */                                                               \
    X(PP_OPT_MOVES, "moves", 0, 'S')

typedef enum pp_option {
#define PP_OPTION_ENUM(id, name, letter, kind) id,
    PP_OPTIONS(PP_OPTION_ENUM)
#undef PP_OPTION_ENUM
        PP_OPT_COUNT
} pp_option;

PP_EXPORT(pp_option_count) int32_t pp_option_count(void);
/* Long name; "" outside the range. */
PP_EXPORT(pp_option_name) const char *pp_option_name(int32_t option);
/* Short letter as a character code, 0 for none. */
PP_EXPORT(pp_option_letter) int32_t pp_option_letter(int32_t option);
/* Kind as a character code, as above. */
PP_EXPORT(pp_option_kind) int32_t pp_option_kind(int32_t option);
/* Name number `value` of an option of kind E, "" when there are no more. Schedule names are the first example. */
PP_EXPORT(pp_option_value_name) const char *pp_option_value_name(int32_t option, int32_t value);
/* Smallest and largest legal value of an option of kind N, whatever the other options say. */
PP_EXPORT(pp_option_min) int32_t pp_option_min(int32_t option);
PP_EXPORT(pp_option_max) int32_t pp_option_max(int32_t option);

/* Whose rule an interleaved order must obey; free: none, the order is made as asked and pp_check says whether it runs. */
enum { PP_DIALECT_MEGATRON, PP_DIALECT_PYTORCH, PP_DIALECT_FREE };
enum { PP_BACKWARD_ASCENDING, PP_BACKWARD_DESCENDING };
/* When a forward is run again: late, once the gradient has arrived; early, as soon as the rank comes to it. The last
 * two spare the last micro-batch, whose activations would be dropped only to be made again at once (torchgpipe). */
enum {
    PP_RECOMPUTE_NONE,
    PP_RECOMPUTE_LATE,
    PP_RECOMPUTE_EARLY,
    PP_RECOMPUTE_LATE_EXCEPT_LAST,
    PP_RECOMPUTE_EARLY_EXCEPT_LAST
};
/* How the chunks of a forward-only pass lie: stage s on rank s mod p, or there and back. */
enum { PP_PLACEMENT_LOOP, PP_PLACEMENT_V };
/* How a message occupies the ranks: nobody; the sender until it has arrived; both, from when both are ready. */
enum { PP_TRANSFER_OVERLAP, PP_TRANSFER_SENDER, PP_TRANSFER_RENDEZVOUS };

/* Whose work the lists of costs give: of one action, so that a rank with v chunks does v times as much; of one micro-batch on
 * one rank, which v chunks share; of the whole batch on one rank, which v chunks and m micro-batches share. With the last two
 * all schedules do equal work, and can be compared. */
enum { PP_COSTS_OF_CHUNK, PP_COSTS_OF_DEVICE, PP_COSTS_OF_BATCH };

/* By what layers are cut into stages: the largest stage is least; as even a number of layers as can be; the simulated
 * makespan is least (pp_partition_search). */
enum { PP_PARTITION_COST, PP_PARTITION_EQUAL, PP_PARTITION_MAKESPAN };
/* When gradients are reduced: beside the rank's work as soon as a stage's are whole, or after the rank's last action. */
enum { PP_REDUCE_BESIDE, PP_REDUCE_BEHIND };
/* Whose gradients an optimizer waits for: its own rank's, or those of all ranks. */
enum { PP_WAITS_OWN, PP_WAITS_ALL };

/* The scalars of a request after pp_config_parse; whoever fills it by hand starts from pp_config_default. */
#define PP_CONFIG_FIELDS(X)                                                                                            \
    X(schedule) /* pp_schedule_id */                                                                                   \
    X(ranks)                                                                                                           \
    X(microbatches)                                                                                                    \
    X(global_batch)    /* samples of a step, 0 where nothing was said of samples */                                    \
    X(microbatch_size) /* samples of a micro-batch: global_batch / microbatches */                                     \
    X(batch_moved)     /* derived: the pp_option of these three that followed from the others, 0 for none */           \
    X(layers)          /* derived: how many, 0 where costs are given per stage */                                      \
    X(partition)                                                                                                       \
    X(reduce_when)                                                                                                     \
    X(optimizer_waits)                                                                                                 \
    X(fail_rank)        /* -1: no device fails */                                                                      \
    X(fail_step)        /* steps finished before the one in which it fails */                                          \
    X(checkpoint_every) /* steps, 0: not said */                                                                       \
    X(horizon)          /* steps a run has, 0: not said */                                                             \
    X(chunks)                                                                                                          \
    X(group) /* micro-batches per group and chunk of interleaved schedules, per update of 2bw */                       \
    X(dialect)                                                                                                         \
    X(backward_order)                                                                                                  \
    X(recompute)                                                                                                       \
    X(transfer)                                                                                                        \
    X(pipes)        /* pipes of bidirectional schedules, both directions counted */                                    \
    X(slices)       /* sequence slices per micro-batch */                                                              \
    X(memory_limit) /* micro-batches in flight, 0: the schedule's own default */                                       \
    X(extra_warmup)                                                                                                    \
    X(warmup_factor) /* forwards of the interleaved warm-up per rank still below: 2 hides latency, 1 saves memory */   \
    X(placement)                                                                                                       \
    X(costs_of)                                                                                                        \
    X(stages) /* derived: ranks * chunks, or ranks for bidirectional schedules */

typedef struct pp_config {
#define PP_CONFIG_INT(field) int32_t field;
    PP_CONFIG_FIELDS(PP_CONFIG_INT)
#undef PP_CONFIG_INT
} pp_config;

/* Samples, as a strip of them is cut. The size of micro-batch that cuts global_batch evenly and is nearest to size (way 0), or
 * the next larger (way 1) or smaller one (way -1), size itself where there is none. And the samples a batch is shown with
 * where nothing was said of samples: the least multiple of its micro-batches that is at least 32. */
PP_EXPORT(pp_batch_size_near) int32_t pp_batch_size_near(int32_t global_batch, int32_t size, int32_t way);
PP_EXPORT(pp_batch_shown) int32_t pp_batch_shown(int32_t microbatches);

PP_EXPORT(pp_config_bytes) int32_t pp_config_bytes(void);
int32_t pp_config_field_count(void);
PP_EXPORT(pp_config_field_name) const char *pp_config_field_name(int32_t field);

/* Reads a request: lines "name=value", the value as the user typed it. Names are those of PP_OPTIONS or their letters;
 * case, '_' and '-' in names do not matter. An empty value means the option was not given. Defaults: schedule forward,
 * 3 ranks, 4 micro-batches (the setting of the chapter), everything else as the schedule has it.
 * text: `length` bytes of UTF-8, need not end in zero, borrowed. config: filled. fault: filled on failure, may be NULL.
 * Fails with a status of the first two groups; nothing but *fault is then defined. Numbers: decimal point or comma. */
PP_EXPORT(pp_config_parse)
int32_t pp_config_parse(const char *text, int32_t length, pp_config *config, pp_fault *fault);

/* Rows of the cost table: costs[row * stages + stage], ticks >= 0. A fused slot takes PP_COST_OVERLAP of its forward's
 * stage, but no less than either half; where that is negative, F + B of its two halves. Latency s lies on the hop
 * between stages s and s+1. */
enum {
    PP_COST_FORWARD,
    PP_COST_INPUT,
    PP_COST_WEIGHT,
    PP_COST_BACKWARD, /* always input + weight */
    PP_COST_RECOMPUTE,
    PP_COST_OVERLAP,
    PP_COST_LATENCY, /* of a message in all: the latency given, and what its size adds */
    PP_COST_SIZE,    /* bytes / bandwidth, the part of the latency above that comes from the size */
    PP_COST_KEPT,    /* not a time: the share of a stage's activations, 0..1, that an I leaves for its W */
    PP_COST_ROWS
};
PP_EXPORT(pp_costs_bytes) int32_t pp_costs_bytes(const pp_config *config);

/* Reads the cost lists of the same request into costs (pp_costs_bytes(config) bytes, 8-byte aligned, caller's).
 * A list is one number for all stages or one per stage, separated by ';', blanks or ','; "1*3 2" is short for "1 1 1 2".
 * A lone comma is a decimal comma ("0,5" is one half) unless exactly two stages ask for a list of two ("1,2"); where ';'
 * or a blank separates, a comma is decimal. Defaults: F = I = W = 1, B = I + W, R = F, overlap = F + B, latency 0; B
 * alone is split in halves.
 * With costs-of device or batch the lists of F, B, I, W, R and overlap give the work of a whole rank, one number for all or
 * one per rank in the order of the network, and every chunk takes its part; a list with one number per stage is of chunks
 * all the same.
 * With layers the lists of F, B, I, W, R and overlap are ticks per unit of layer cost: a stage takes them times the
 * sum of its layers. The cut itself then lies behind the rows: see pp_partition_summarize.
 * Lists and numbers that other functions read are looked at, too, so that a request is refused as a whole.
 * Fails with NOT_A_NUMBER, RANGE, LIST_LENGTH, COST_SPLIT (B given with I or W that do not add up), COST_OVERLAP (below
 * the longer of F and B) or OPTION_NEEDS (bytes without bandwidth). */
PP_EXPORT(pp_costs_parse)
int32_t pp_costs_parse(const char *text, int32_t length, const pp_config *config, double *costs, pp_fault *fault);

/* ---- 3. Schedules --------------------------------------------------------------------------------------------- */

/* How stages lie on ranks. */
enum {
    PP_PLACE_SINGLE,        /* v = 1: stage s on rank s */
    PP_PLACE_LOOP,          /* stage s on rank s mod p */
    PP_PLACE_ZIGZAG,        /* leg q = s div p: rank s mod p if q is even, else p-1 - s mod p */
    PP_PLACE_BIDIRECTIONAL, /* p stages in several copies; the micro-batch decides which */
    PP_PLACE_FREE           /* as read from a file */
};

PP_EXPORT(pp_schedule_count) int32_t pp_schedule_count(void);
/* Name of schedule number id ("1f1b"); "" outside the range. Same numbers as pp_option_value_name(PP_OPT_SCHEDULE). */
PP_EXPORT(pp_schedule_name) const char *pp_schedule_name(int32_t id);
/* What a schedule accepts. option_used: 1 if the option has a meaning for this schedule. */
PP_EXPORT(pp_schedule_chunks_min) int32_t pp_schedule_chunks_min(int32_t id);
PP_EXPORT(pp_schedule_chunks_max) int32_t pp_schedule_chunks_max(int32_t id);
PP_EXPORT(pp_schedule_chunks_default) int32_t pp_schedule_chunks_default(int32_t id);
PP_EXPORT(pp_schedule_option_used) int32_t pp_schedule_option_used(int32_t id, int32_t option);
/* 1 if the schedule has a backward pass. */
PP_EXPORT(pp_schedule_trains) int32_t pp_schedule_trains(int32_t id);
/* 1 if weights change while micro-batches are under way, so that several versions of them exist. */
PP_EXPORT(pp_schedule_asynchronous) int32_t pp_schedule_asynchronous(int32_t id);
/* Which weights rank uses for the F and the B of a micro-batch (any number >= 0, beyond those of the config, too):
 * version x has seen x updates of that rank. And by how many updates these weights lag behind those that a run of one
 * micro-batch after the other would use. Both 0 where the schedule is synchronous. */
PP_EXPORT(pp_weight_version) int32_t pp_weight_version(const pp_config *config, int32_t rank, int32_t microbatch);
PP_EXPORT(pp_weight_delay) int32_t pp_weight_delay(const pp_config *config, int32_t rank, int32_t microbatch);
/* After how many micro-batches weights change, 0 where the schedule is synchronous; and by how many updates the weights
 * of rank lag behind once the pipeline is full. */
PP_EXPORT(pp_update_every) int32_t pp_update_every(const pp_config *config);
PP_EXPORT(pp_weight_lag) int32_t pp_weight_lag(const pp_config *config, int32_t rank);
/* The closed form of the makespan as one line of plain text in the letters of this header, "" if there is none. */
PP_EXPORT(pp_schedule_formula) const char *pp_schedule_formula(int32_t id);

enum { PP_F, PP_B, PP_I, PP_W, PP_R, PP_OP_COUNT };
/* "F", "B", "I", "W", "R"; and of what else a file's cell can hold, "UNSHARD" .. "RECV_B". */
PP_EXPORT(pp_op_name) const char *pp_op_name(int32_t op);

/* One action, 8 bytes. With sequence slices, microbatch is a *unit*: micro-batch * slices + slice. */
typedef struct pp_action {
    int32_t microbatch;
    uint16_t stage;
    uint8_t op;
    uint8_t fused; /* 1: shares its slot with the next action of the list */
} pp_action;

/* A schedule: ranks' lists end to end. The struct stands at the head of the slab it was made in, and its pointers
 * point into that slab: it lives as long as the caller's memory, and is freed with it. */
typedef struct pp_schedule {
    int32_t schedule; /* pp_schedule_id, -1 for one read from a file */
    int32_t ranks;
    int32_t stages;
    int32_t microbatches;
    int32_t slices;
    int32_t pipes; /* copies of the stages, 1 unless bidirectional */
    int32_t placement;
    int32_t recompute; /* NONE, LATE or EARLY; PP_RECOMPUTE_LATE: an R also waits for its backward's gradient */
    int32_t action_count;
    int32_t trains; /* 1: has a backward pass */
    int32_t
        update_every; /* asynchronous: micro-batches after whose backward a stage changes its weights; 0: the step's end */
    int32_t kept_back;   /* .. and by how many updates its weights are kept back on purpose, with two buffers */
    int32_t *rank_begin; /* ranks + 1 offsets into actions */
    int32_t *stage_rank; /* pipes * stages: the rank that holds a stage */
    int32_t *unit_pipe;  /* pipe of each unit (microbatches * slices), NULL when pipes is 1 */
    pp_action *actions;
    /* Found by trying: no order within its limit takes less at the costs it was made for; 0 where that is not known. */
    double bound;
    uint32_t bound_costs; /* a mark of those costs */
} pp_schedule;

/* Bytes pp_schedule_make needs. At most about 1 GiB: larger requests were refused by pp_config_parse. */
PP_EXPORT(pp_schedule_bytes) size_t pp_schedule_bytes(const pp_config *config);
/* Fills memory (8-byte aligned, caller's) with the schedule. costs: as filled by pp_costs_parse, or NULL for stages that
 * are all equal; only schedules found by trying (zb-auto, v-half, v-min, 1f1b-v) look at them, so that a change of costs
 * leaves the order of all others as it is. Returns PP_OK, PP_ERR_CAPACITY (bytes too few), or the
 * refusal of the schedule's own rule, which pp_config_parse gives too. The schedule is valid: pp_check accepts it. */
PP_EXPORT(pp_schedule_by_costs) int32_t pp_schedule_by_costs(int32_t schedule); /* 1: found by trying */
PP_EXPORT(pp_schedule_make)
int32_t pp_schedule_make(const pp_config *config, const double *costs, void *memory, size_t bytes, pp_fault *fault);

/* Changes the order of a schedule as the option moves of the request says: words "2F1-3", stage 2's F of micro-batch 1 three
 * places earlier in its rank's list, or "0B3+1", one later; with slices "2F1.0-3". A fused slot is one place. One word after
 * the other; without the option nothing is changed. Returns PP_OK or PP_ERR_MOVES (no such action, or the list ends before
 * that; the order is then unspecified). Whether the new order runs pp_check says. */
PP_EXPORT(pp_moves_apply)
int32_t pp_moves_apply(const char *text, int32_t length, pp_schedule *schedule, pp_fault *fault);

/* For callers that do not see the struct. */
PP_EXPORT(pp_schedule_ranks) int32_t pp_schedule_ranks(const pp_schedule *schedule);
PP_EXPORT(pp_schedule_stages) int32_t pp_schedule_stages(const pp_schedule *schedule);
PP_EXPORT(pp_schedule_microbatches) int32_t pp_schedule_microbatches(const pp_schedule *schedule);
int32_t pp_schedule_slices(const pp_schedule *schedule);
PP_EXPORT(pp_schedule_pipes) int32_t pp_schedule_pipes(const pp_schedule *schedule);
PP_EXPORT(pp_schedule_action_count) int32_t pp_schedule_action_count(const pp_schedule *schedule);
PP_EXPORT(pp_schedule_rank_begin) const int32_t *pp_schedule_rank_begin(const pp_schedule *schedule);
PP_EXPORT(pp_schedule_stage_rank) const int32_t *pp_schedule_stage_rank(const pp_schedule *schedule);
/* Copies the actions as columns, each action_count long: rank, slot in the rank's list, op, stage, micro-batch, slice.
 * A column that is NULL is left out. */
PP_EXPORT(pp_schedule_columns)
void pp_schedule_columns(const pp_schedule *schedule, int32_t *rank, int32_t *index, int32_t *op, int32_t *stage,
                         int32_t *microbatch, int32_t *slice);

/* ---- 4. Check and simulate ------------------------------------------------------------------------------------ */

/* The timing side of a schedule, in the caller's memory, like pp_schedule. 24 bytes an action. */
typedef struct pp_timeline {
    int32_t action_count;
    int32_t transfer; /* PP_TRANSFER_... of the last simulation, -1 before the first and for measured times */
    int32_t *input;   /* the action whose output this one waits for, -1 for none */
    uint32_t *runs;   /* pieces of the ranks' lists, in an order in which all comes after what it waits for */
    int32_t run_count;
    int32_t fused; /* 1: the schedule has fused slots */
    int32_t ops;   /* bit 1 << op for each op there is */
    double *start;
    double *finish;
    double *rank_scratch; /* for the library's own use */
} pp_timeline;

PP_EXPORT(pp_timeline_bytes) size_t pp_timeline_bytes(const pp_schedule *schedule);

/* Checks a schedule and fills timeline->input and ->runs. Per stage and micro-batch there must be one F, and with a
 * backward either one B or one I and one W, each after what it needs in its rank's list, on the rank that holds the
 * stage. memory: pp_timeline_bytes(schedule), 8-byte aligned, caller's; the pp_timeline stands at its head.
 * blocked: NULL, or ranks entries; on PP_ERR_DEADLOCK entry r is the action rank r stands before, -1 if it finished.
 * Returns PP_OK, STAGE_UNKNOWN, STAGE_TWO_RANKS, MISSING, DUPLICATE, ORDER, SPLIT_MIX, CAPACITY, or DEADLOCK (no rank
 * can go on; the fault names the action at the head of the first rank of the circle of waiting and what it waits for). */
PP_EXPORT(pp_check)
int32_t pp_check(const pp_schedule *schedule, void *memory, size_t bytes, int32_t *blocked, pp_fault *fault);

/* Times every action of a checked schedule: an action starts when its rank is free and its input has arrived; input
 * from another rank arrives one latency after it was produced, input from the same rank at once. What else a message
 * occupies is told by transfer (PP_TRANSFER_...). costs as filled by pp_costs_parse: PP_COST_ROWS * stages.
 * Returns PP_OK, PP_ERR_OVERFLOW (a time is not finite), or DEADLOCK (only with PP_TRANSFER_RENDEZVOUS: both ranks of
 * a message wait for each other). */
PP_EXPORT(pp_simulate)
int32_t pp_simulate(const pp_schedule *schedule, const double *costs, int32_t transfer, pp_timeline *timeline,
                    pp_fault *fault);

/* What a schedule does that pp_check has just refused with DEADLOCK or ORDER, in the timeline it left in memory: what can
 * run runs, timed as by pp_simulate (rendezvous as overlap), until all ranks stand still, at the last finish; what is left
 * follows there, rank by rank in its order, so that it can be drawn. times: 2 + ranks entries: when all stand still, where
 * the drawing ends, and the start of each rank's first action. circle: 2 * ranks entries. Fills pairs
 * (an action, the one that has to run before it) along the circle of waiting: each rank of it stands before the first, and
 * the second lies further on in the list of the next pair's rank. Returns how many pairs; 1 where a rank waits for
 * itself. */
PP_EXPORT(pp_stall)
int32_t pp_stall(const pp_schedule *schedule, const double *costs, int32_t transfer, pp_timeline *timeline,
                 int32_t *circle, double *times);

PP_EXPORT(pp_timeline_start) const double *pp_timeline_start(const pp_timeline *timeline);
PP_EXPORT(pp_timeline_finish) const double *pp_timeline_finish(const pp_timeline *timeline);
PP_EXPORT(pp_timeline_input) const int32_t *pp_timeline_input(const pp_timeline *timeline);

/* All figures of one timed step, doubles in ticks unless said. A fraction is exact where every cost is whole: then
 * numerator and denominator are set, in lowest terms; else the denominator is 0. */
#define PP_SUMMARY_FIELDS(X)                                                                                           \
    X(makespan)                                                                                                        \
    X(span)                                                                                                            \
    X(busy) /* over all ranks */                                                                                       \
    X(idle)                                                                                                            \
    X(utilization) /* busy / (ranks * makespan) */                                                                     \
    X(utilization_numerator)                                                                                           \
    X(utilization_denominator)                                                                                         \
    X(bubble_fraction) /* idle / (ranks * makespan) */                                                                 \
    X(bubble_fraction_numerator)                                                                                       \
    X(bubble_fraction_denominator)                                                                                     \
    X(bubble_ratio) /* idle / busy */                                                                                  \
    X(bubble_ratio_numerator)                                                                                          \
    X(bubble_ratio_denominator)                                                                                        \
    X(bubble_rate)     /* (span - busy / ranks) / span */                                                              \
    X(lower_bound)     /* no order of these actions on these ranks, within the limit of memory, is shorter */                                       \
    X(fill_end)        /* all ranks have started */                                                                    \
    X(drain_start)     /* the first rank has finished; before fill_end when no rank set is ever full */                \
    X(latency_first)   /* micro-batch 0, from its first start to its last finish */                                    \
    X(latency_largest) /* the slowest micro-batch */                                                                   \
    X(cadence)         /* busy time of the busiest rank per micro-batch: the steady rate */                            \
    X(cadence_rank)                                                                                                    \
    X(throughput)        /* micro-batches per tick */                                                                  \
    X(forward_sum)       /* F of one micro-batch through all stages */                                                 \
    X(backward_sum)      /* B likewise; 0 without a backward */                                                        \
    X(peak_activations)  /* chunks in flight, the largest of the ranks */                                              \
    X(transfers_forward) /* messages between different ranks */                                                        \
    X(transfers_backward)                                                                                              \
    X(cadence_stage) /* the largest stage of that rank */                                                              \
    X(formula)       /* closed form of the makespan for this schedule and shape, -1 if none */                         \
    X(formula_holds) /* 1: costs equal on all stages, no latency, so the closed form is the makespan */

typedef struct pp_summary {
#define PP_SUMMARY_DOUBLE(field) double field;
    PP_SUMMARY_FIELDS(PP_SUMMARY_DOUBLE)
#undef PP_SUMMARY_DOUBLE
} pp_summary;

#define PP_RANK_FIELDS(X)                                                                                              \
    X(busy)                                                                                                            \
    X(idle)             /* makespan - busy */                                                                          \
    X(first)            /* first start */                                                                              \
    X(last)             /* last finish */                                                                              \
    X(peak_activations) /* chunks, from the start of F to the end of B or W */                                         \
    X(weight_versions)                                                                                                 \
    X(warmup) /* forwards before the first backward */

typedef struct pp_rank_report {
#define PP_RANK_DOUBLE(field) double field;
    PP_RANK_FIELDS(PP_RANK_DOUBLE)
#undef PP_RANK_DOUBLE
} pp_rank_report;

/* Names and number of the doubles in the two structs, for callers that read them as plain columns. */
int32_t pp_summary_field_count(void);
PP_EXPORT(pp_summary_field_name) const char *pp_summary_field_name(int32_t field);
int32_t pp_rank_field_count(void);
PP_EXPORT(pp_rank_field_name) const char *pp_rank_field_name(int32_t field);

/* Fills summary and ranks reports (ranks entries) from a simulated timeline. config may be NULL (a schedule from a
 * file): then there is no closed form. scratch: pp_report_scratch_bytes(schedule), caller's. Cannot fail. */
PP_EXPORT(pp_report_scratch_bytes) size_t pp_report_scratch_bytes(const pp_schedule *schedule);
PP_EXPORT(pp_report)
void pp_report(const pp_schedule *schedule, const pp_config *config, const double *costs, const pp_timeline *timeline,
               void *scratch, pp_summary *summary, pp_rank_report *ranks);

/* Why a rank is idle. */
enum {
    PP_IDLE_FILL,     /* before the rank's first action: its input has not come through yet */
    PP_IDLE_INPUT,    /* between two actions: waits for the input of the next */
    PP_IDLE_TRANSFER, /* the input is made but still on its way, or the message occupies the rank */
    PP_IDLE_DRAIN     /* after the rank's last action, until the step ends */
};
/* One idle interval; doubles so that a caller can read it as columns. */
#define PP_IDLE_FIELDS(X)                                                                                              \
    X(rank)                                                                                                            \
    X(start)                                                                                                           \
    X(finish)                                                                                                          \
    X(reason)    /* PP_IDLE_... */                                                                                     \
    X(before)    /* the action that ends the wait, -1 for a drain */                                                   \
    X(waits_for) /* the action whose output is awaited, -1 for none */
typedef struct pp_idle {
#define PP_IDLE_DOUBLE(field) double field;
    PP_IDLE_FIELDS(PP_IDLE_DOUBLE)
#undef PP_IDLE_DOUBLE
} pp_idle;
int32_t pp_idle_field_count(void);
PP_EXPORT(pp_idle_field_name) const char *pp_idle_field_name(int32_t field);

/* Idle intervals of a simulated timeline, ranks ascending, time ascending. Writes at most capacity entries (out may be
 * NULL with capacity 0) and returns how many there are. A wait that is part awaiting and part transfer is two entries. */
PP_EXPORT(pp_idle_fill)
int32_t pp_idle_fill(const pp_schedule *schedule, const double *costs, const pp_timeline *timeline, pp_idle *out,
                     int32_t capacity);

/* The chain of actions that decides the makespan, first to last: each starts when the one before it lets it. Writes at
 * most capacity indices (out may be NULL with capacity 0) and returns the length. */
PP_EXPORT(pp_critical_path)
int32_t pp_critical_path(const pp_schedule *schedule, const double *costs, const pp_timeline *timeline, int32_t *out,
                         int32_t capacity);

/* The action that binds the start of `action`: its input, or the one before it on its rank; -1 if it starts at once.*/
int32_t pp_bound_by(const pp_schedule *schedule, const double *costs, const pp_timeline *timeline, int32_t action);

/* -- a chart of many cells --
 * What a pixel may show: an op on every other of a rank's stages (PP_F ... PP_R) and on those between (that plus PP_R + 1),
 * idle time of two kinds, the line between two wide bars. */
enum { PP_PAINT_WAIT = 2 * (PP_R + 1), PP_PAINT_WIRE, PP_PAINT_EDGE, PP_PAINT_KINDS };
/* Paints ranks first_rank ... + rank_count - 1 from tick `from` on, `scale` columns a tick: rank by rank `pitch` rows of
 * pixels, of which the chart takes the first `height`. pixels: columns * pitch * rank_count, caller's; 0 where nothing is.
 * A column that several kinds share is stacked, F uppermost, by their shares of it, each kind at least a row, so that no
 * bar and no bubble is lost however narrow; more kinds than rows become one mixed colour.
 * palette: two colours for each of PP_PAINT_KINDS, of the ground and of the mark on it, in whatever form the caller reads
 * (bytes red, green, blue, opacity for a canvas). Marks are of `grain` pixels, on bars of 4 grains and more.
 * scratch: pp_paint_scratch_bytes(schedule). Cannot fail. */
PP_EXPORT(pp_paint_scratch_bytes) size_t pp_paint_scratch_bytes(const pp_schedule *schedule);
PP_EXPORT(pp_paint)
void pp_paint(const pp_schedule *schedule, const double *costs, const pp_timeline *timeline, double from, double scale,
              int32_t first_rank, int32_t rank_count, int32_t columns, int32_t height, int32_t pitch, int32_t grain,
              const uint32_t *palette, void *scratch, uint32_t *pixels);
/* The action that a rank performs at a time, of a fused slot the first; -1 for none. By halving. */
PP_EXPORT(pp_action_at)
int32_t pp_action_at(const pp_schedule *schedule, const pp_timeline *timeline, int32_t rank, double time);
/* Which kinds of things a chart shows: bit 1 << op for each op, and these. timeline NULL: ops and chunks alone, all that
 * is drawn of an order that stalls. */
enum { PP_KIND_CHUNKS = 1 << 5, PP_KIND_WAIT = 1 << 6, PP_KIND_WIRE = 1 << 7, PP_KIND_MESSAGE = 1 << 8 };
PP_EXPORT(pp_kinds) int32_t pp_kinds(const pp_schedule *schedule, const double *costs, const pp_timeline *timeline);

/* ---- 4b. Studies of a step ------------------------------------------------------------------------------------ */

/* Results here are structs of doubles, so that a caller can read them as columns. Name of a field of one of them, ""
 * past the last. */
#define PP_RECORDS(X)                                                                                                  \
    X(PP_RECORD_PARTITION, PP_PARTITION_FIELDS)                                                                        \
    X(PP_RECORD_TAKEOVER, PP_TAKEOVER_FIELDS)                                                                          \
    X(PP_RECORD_END, PP_END_FIELDS)                                                                                    \
    X(PP_RECORD_END_RANK, PP_END_RANK_FIELDS)                                                                          \
    X(PP_RECORD_MEMORY, PP_MEMORY_FIELDS)                                                                              \
    X(PP_RECORD_MEMORY_RANK, PP_MEMORY_RANK_FIELDS)                                                                    \
    X(PP_RECORD_LEVEL, PP_LEVEL_FIELDS)                                                                                \
    X(PP_RECORD_REASON, PP_REASON_FIELDS)                                                                              \
    X(PP_RECORD_FAILURE, PP_FAILURE_FIELDS)                                                                            \
    X(PP_RECORD_POLICY, PP_POLICY_FIELDS)
enum {
#define PP_RECORD_ENUM(id, fields) id,
    PP_RECORDS(PP_RECORD_ENUM)
#undef PP_RECORD_ENUM
};
#define PP_RECORD_DOUBLE(field) double field;
PP_EXPORT(pp_record_field_name) const char *pp_record_field_name(int32_t record, int32_t field);

/* -- layers cut into stages --
 * layers      how many, each of cost 1; or the cost of each ("2 1*4 2")
 * embedding   cost added to the first stage, head: to the last; they are no layers and move nowhere
 * partition   by what the cut is chosen. cost and equal: of the cuts that are best, the one that gives each stage in turn
 *             the fewest layers that reach an even share of what is left (so 30 layers on 4 stages are 8 8 7 7)
 * cuts        layers of each stage; "*" leaves a stage to the partition: those stages stand together, "11 * * 9"
 * layout      Megatron's --pipeline-model-parallel-layout: E, then a t for each layer, then m (also layers), then L, a
 *             '|' between stages, "*N" after a letter or a (group): "Et*3|(tt|)*29,m|L". Commas and blanks mean nothing,
 *             a stage may be empty, groups do not nest. E and L cost what embedding and head say, wherever they stand.
 * Every layer lies in exactly one stage, and only a layout can leave a stage without one. pp_config_parse refuses all
 * else. Costs of a request with layers (pp_config.layers > 0) carry the cut, and stay where they were filled; the functions
 * below want such costs. */
#define PP_PARTITION_FIELDS(X)                                                                                         \
    X(layers)                                                                                                          \
    X(largest) /* cost of the largest stage */                                                                         \
    X(largest_stage)                                                                                                   \
    X(mean)        /* cost of an even share: no cut has a smaller largest stage */                                     \
    X(free_stages) /* stages that cuts or layout leave to the partition */                                             \
    X(proved)      /* 1: none of its kind is better; 0: the search came to its limit */                                \
    X(cases)       /* cuts that were simulated */                                                                      \
    X(embedding_stage)                                                                                                 \
    X(head_stage)
typedef struct pp_partition_summary {
    PP_PARTITION_FIELDS(PP_RECORD_DOUBLE)
} pp_partition_summary;
PP_EXPORT(pp_partition_summarize)
void pp_partition_summarize(const pp_config *config, const double *costs, pp_partition_summary *out);
/* stages + 1 layer numbers: stage s has layers cuts[s] .. cuts[s+1]-1. */
PP_EXPORT(pp_partition_cuts) const int32_t *pp_partition_cuts(const pp_config *config, const double *costs);
/* Costs of the stages, embedding and head counted; of the layers. */
PP_EXPORT(pp_partition_stage_costs)
const double *pp_partition_stage_costs(const pp_config *config, const double *costs);
PP_EXPORT(pp_partition_layer_costs)
const double *pp_partition_layer_costs(const pp_config *config, const double *costs);
/* With partition=makespan: simulates cuts until none that is left can be better than the best, and leaves that one in
 * costs and timeline (checked before). Begins with the cut by cost and takes another only if it is better. The work has
 * a limit (2^24 simulated actions, 2^22 cuts looked at); past it the best so far stands, and is not proved.
 * Does nothing for other requests. Returns PP_OK, or what pp_simulate refuses. */
PP_EXPORT(pp_partition_search)
int32_t pp_partition_search(const pp_schedule *schedule, const pp_config *config, double *costs, pp_timeline *timeline,
                            pp_fault *fault);

/* -- transfers --
 * When do transfers take over? A micro-batch alone meets each hop once in each direction, so with transfers of h ticks
 * any step is at least that much longer than it would be without. While it is longer by no more than that, messages
 * cost only on the way in and out; beyond, ranks wait for messages in the steady state too. */
#define PP_TAKEOVER_FIELDS(X)                                                                                          \
    X(free_makespan)    /* with transfers that take no time */                                                         \
    X(through)          /* ticks of transfer that one micro-batch alone meets */                                       \
    X(factor)           /* they take over at this many times the present ones (at this many ticks a hop  */            \
                        /* where there are none): Infinity if never, NaN for rendezvous, where it is not */            \
                        /* worked out                                                                    */            \
    X(latency)          /* the longest hop at that point */                                                            \
    X(makespan)         /* of the step at that point */                                                                \
    X(bandwidth_factor) /* the same, the latency staying and the bandwidth divided; NaN without bytes */
typedef struct pp_takeover {
    PP_TAKEOVER_FIELDS(PP_RECORD_DOUBLE)
} pp_takeover;
/* scratch: PP_COST_ROWS * stages doubles. The timeline is used and left as pp_simulate leaves it with these costs. */
PP_EXPORT(pp_takeover_find)
int32_t pp_takeover_find(const pp_schedule *schedule, const double *costs, int32_t transfer, double *scratch,
                         pp_timeline *timeline, pp_takeover *out, pp_fault *fault);

/* What if? Doubled micro-batches: the same request with m doubled, as text for pp_config_parse; writes at most capacity
 * bytes and returns the length it needs. Samples go: m alone is said. */
PP_EXPORT(pp_what_if_doubled)
int32_t pp_what_if_doubled(const char *text, int32_t length, const pp_config *config, char *out, int32_t capacity);
/* Balanced stages: each stage costs the mean of all. No transfers: latency 0. Both change costs in place. */
PP_EXPORT(pp_what_if_balanced) void pp_what_if_balanced(const pp_config *config, double *costs);
PP_EXPORT(pp_what_if_no_transfers) void pp_what_if_no_transfers(const pp_config *config, double *costs);

/* -- the end of the step --
 * reduce (ticks per stage): the gradients of a stage are summed over the replicas of the pipeline, and over the ranks
 * that hold a copy of the stage, once its last B or W is done there. A rank reduces one stage at a time, in the order
 * in which they are whole; reduce-when=beside: beside its other work; behind: when its last action is done. optimizer
 * (ticks per stage): each rank then steps the stages it holds, when its own gradients are reduced, or, with optimizer-
 * waits=all, those of all ranks (a global norm, an overflow check). Without these options the step ends with its last
 * action. A schedule without backward has no such end. */
#define PP_END_FIELDS(X)                                                                                               \
    X(makespan) /* of the actions */                                                                                   \
    X(finish)   /* of the whole step */                                                                                \
    X(reduced)  /* all gradients of all ranks are reduced */                                                           \
    X(exposed)  /* finish - makespan */
typedef struct pp_end {
    PP_END_FIELDS(PP_RECORD_DOUBLE)
} pp_end;
#define PP_END_RANK_FIELDS(X)                                                                                          \
    X(reduce_start)  /* first start; where a rank reduces nothing, its last action's finish */                         \
    X(reduce_finish) /* last finish */                                                                                 \
    X(optimizer_start)                                                                                                 \
    X(optimizer_finish)
typedef struct pp_end_rank {
    PP_END_RANK_FIELDS(PP_RECORD_DOUBLE)
} pp_end_rank;
PP_EXPORT(pp_end_bytes) int32_t pp_end_bytes(const pp_config *config);
/* Ticks of reduce and optimizer per stage into ends (pp_end_bytes). Fails as pp_costs_parse does. */
PP_EXPORT(pp_end_parse)
int32_t pp_end_parse(const char *text, int32_t length, const pp_config *config, double *ends, pp_fault *fault);
/* scratch: pp_end_scratch_bytes(schedule). ranks: one entry per rank. Cannot fail. */
PP_EXPORT(pp_end_scratch_bytes) size_t pp_end_scratch_bytes(const pp_schedule *schedule);
PP_EXPORT(pp_end_report)
void pp_end_report(const pp_schedule *schedule, const pp_config *config, const double *ends,
                   const pp_timeline *timeline, void *scratch, pp_end *out, pp_end_rank *ranks);

/* -- memory --
 * Per stage, in any unit. Always there: weights, once for each copy of a stage on the rank and each version the schedule
 * needs; gradients and optimizer state, once for each copy. Per micro-batch (with slices: per slice):
 *     F       from its start: the activations; where an R will make them again, the stage's input only
 *     R       from its start: the activations, beside the input
 *     B       at its end: all released
 *     I, W    at the end of I what W does not need (activations - kept), at the end of W the rest
 * Halves of a fused slot begin and end together. A schedule without backward keeps nothing.
 * Options memory-...: what is not given is 0, but gradients are as weights, kept as activations. With layers they are per
 * layer and taken times the layers of a stage, all but the inputs. With none given, activations are 1: then the level is
 * the chunks in flight. */
enum {
    PP_MEMORY_WEIGHTS,
    PP_MEMORY_GRADIENTS,
    PP_MEMORY_OPTIMIZER,
    PP_MEMORY_ACTIVATIONS,
    PP_MEMORY_KEPT,
    PP_MEMORY_INPUTS,
    PP_MEMORY_ROWS
};
PP_EXPORT(pp_memory_bytes) int32_t pp_memory_bytes(const pp_config *config);
/* Fills table[row * stages + stage] (pp_memory_bytes) and capacity, what a rank may hold (Infinity: no limit given).
 * costs: of the same request, for the layers. given: 1 if any of the lists was, NULL if nobody wants to know. Fails as
 * pp_costs_parse does, or with MEMORY_SHARE (more kept than there are activations). */
PP_EXPORT(pp_memory_parse)
int32_t pp_memory_parse(const char *text, int32_t length, const pp_config *config, const double *costs, double *table,
                        double *capacity, int32_t *given, pp_fault *fault);
#define PP_MEMORY_FIELDS(X)                                                                                            \
    X(peak) /* the most that a rank holds */                                                                           \
    X(peak_rank)                                                                                                       \
    X(peak_time)                                                                                                       \
    X(over_rank) /* the first to pass the capacity, the lower rank of two; -1: none does */                            \
    X(over_time)                                                                                                       \
    X(over_by)     /* by how much, when it does */                                                                     \
    X(over_action) /* the action that begins then; -1: it does not even hold the weights */
typedef struct pp_memory {
    PP_MEMORY_FIELDS(PP_RECORD_DOUBLE)
} pp_memory;
#define PP_MEMORY_RANK_FIELDS(X)                                                                                       \
    X(fixed) /* weights, gradients, optimizer state */                                                                 \
    X(peak)                                                                                                            \
    X(peak_time)                                                                                                       \
    X(last) /* after its last action */
typedef struct pp_memory_rank {
    PP_MEMORY_RANK_FIELDS(PP_RECORD_DOUBLE)
} pp_memory_rank;
/* config may be NULL (one version of the weights). scratch: pp_memory_scratch_bytes(schedule). Cannot fail. */
PP_EXPORT(pp_memory_scratch_bytes) size_t pp_memory_scratch_bytes(const pp_schedule *schedule);
PP_EXPORT(pp_memory_report)
void pp_memory_report(const pp_schedule *schedule, const pp_config *config, const double *table, double capacity,
                      const pp_timeline *timeline, void *scratch, pp_memory *out, pp_memory_rank *ranks);
/* The same peaks, one a rank, where micro-batches differ in size: micro-batch k has the samples from begin[k] up to
 * begin[k + 1]. table is for one sample; inputs are no part of activations there, and what is always there is left out. Of
 * an asynchronous schedule: once its pipeline is full. */
PP_EXPORT(pp_memory_peaks)
void pp_memory_peaks(const pp_schedule *schedule, const double *table, const int32_t *begin, void *scratch,
                     double *peaks);
/* The level of one rank over time: from each time on, until the next, it holds so much. Writes at most capacity entries
 * (out may be NULL with capacity 0) and returns how many there are. table may be NULL: then chunks of activations are
 * counted, each from the start of its F to the end of its B or W, as peak_activations of pp_rank_report does. An action
 * that takes no time has two entries of one time: what is held in that instant, and what is held from there on. */
#define PP_LEVEL_FIELDS(X)                                                                                             \
    X(time)                                                                                                            \
    X(level)
typedef struct pp_level {
    PP_LEVEL_FIELDS(PP_RECORD_DOUBLE)
} pp_level;
PP_EXPORT(pp_memory_levels)
int32_t pp_memory_levels(const pp_schedule *schedule, const pp_config *config, const double *table,
                         const pp_timeline *timeline, int32_t rank, void *scratch, pp_level *out, int32_t capacity);

/* -- why, back to the root --
 * How the action of a reason holds up what comes after it: its output is needed; its rank is busy with it; its message
 * keeps the rank; the step is not over before it. */
enum { PP_HOLDS_INPUT, PP_HOLDS_RANK, PP_HOLDS_SENDER, PP_HOLDS_END };
#define PP_REASON_FIELDS(X)                                                                                            \
    X(action)                                                                                                          \
    X(rank)                                                                                                            \
    X(start)                                                                                                           \
    X(finish)                                                                                                          \
    X(until)  /* when it lets the next one go: its finish, and the transfer behind it */                               \
    X(holds)  /* PP_HOLDS_... */                                                                                       \
    X(inside) /* 1: it runs, or its message does, while the rank is idle */
typedef struct pp_reason {
    PP_REASON_FIELDS(PP_RECORD_DOUBLE)
} pp_reason;
/* The chain of reasons for an idle interval of pp_idle_fill, from what the rank waits for back to an action that
 * starts at once. Each is held up by the one after it in the list, so the times join: what is inside covers the
 * interval without a gap. Writes at most capacity entries (out may be NULL with capacity 0) and returns how many there
 * are. */
PP_EXPORT(pp_reasons)
int32_t pp_reasons(const pp_schedule *schedule, const double *costs, const pp_timeline *timeline, const pp_idle *idle,
                   pp_reason *out, int32_t capacity);

/* -- a device fails --
 * Rank fail-rank fails at tick fail-time of a step, after fail-step steps. What was computed and not yet made part of the
 * weights is lost with it, and
 *     restart      the step begins anew with the weights of the last step, which a neighbour keeps, after restart-cost
 *     checkpoint   all go back to the last checkpoint, written after every checkpoint-every steps; after restart-cost
 *     spare        after spare-delay another device takes the rank's place and does its actions of this step again; the
 *                  others keep what they have, hand it over once more, and go on as soon as they can. Without a backward
 *                  only what was not finished is done again. Not worked out for rendezvous (known = 0). */
enum { PP_POLICY_RESTART, PP_POLICY_CHECKPOINT, PP_POLICY_SPARE, PP_POLICY_COUNT };
#define PP_POLICY_FIELDS(X)                                                                                            \
    X(known)        /* 0: this policy is not worked out, or no checkpoints are written */                              \
    X(time_lost)    /* ticks by which the run ends later */                                                            \
    X(work_redone)  /* busy ticks, over all ranks, that were for nothing */                                            \
    X(actions_lost) /* of the step in which it fails, those cut short included */                                      \
    X(steps_redone) /* whole steps before that one */                                                                  \
    X(goodput)      /* of `horizon` steps with this one failure: their ticks / all, checkpoints too */
typedef struct pp_policy {
    PP_POLICY_FIELDS(PP_RECORD_DOUBLE)
} pp_policy;
/* With a mean time between failures M (exponential, on the whole machine), checkpoints of d ticks after every n steps
 * of T ticks, and restarts of R ticks in which it can fail again: n steps take M e^(R/M) (e^((n T + d)/M) - 1) ticks
 * on average (Daly 2006). Goodput is n T over that. best_every: the n for which it is largest, by search. */
#define PP_FAILURE_FIELDS(X)                                                                                           \
    X(step)        /* ticks of a step, T */                                                                            \
    X(time)        /* tick at which it fails: as asked, or the middle of the step */                                   \
    X(horizon)     /* steps of the run: as asked, or 100 or as many as it takes to fail */                             \
    X(every)       /* steps between checkpoints: as asked, else best_every, else 0 */                                  \
    X(best_every)  /* 0 from here on: no mtbf given */                                                                 \
    X(young)       /* ticks between checkpoints: sqrt(2 d M) */                                                        \
    X(daly)        /* sqrt(2 d M) (1 + sqrt(d / 2M) / 3 + d / 18M) - d, and M from d = 2M on */                        \
    X(young_every) /* the nearest number of steps, at least 1 */                                                       \
    X(daly_every)                                                                                                      \
    X(best_goodput)                                                                                                    \
    X(young_goodput)                                                                                                   \
    X(daly_goodput)                                                                                                    \
    X(goodput)         /* with `every` */                                                                              \
    X(restart_goodput) /* of restarting the step (n = 1, d = 0) */
typedef struct pp_failure {
    PP_FAILURE_FIELDS(PP_RECORD_DOUBLE)
} pp_failure;
/* What the request says in ticks; time is -1 where it was not given, mtbf 0. */
typedef struct pp_failure_costs {
    double time, restart, spare, checkpoint, mtbf;
} pp_failure_costs;
PP_EXPORT(pp_failure_costs_bytes) int32_t pp_failure_costs_bytes(void);
PP_EXPORT(pp_failure_parse)
int32_t pp_failure_parse(const char *text, int32_t length, pp_failure_costs *given, pp_fault *fault);
/* step: ticks of a step (pp_end.finish). out; policies: PP_POLICY_COUNT entries, all known = 0 where no rank fails.
 * start, finish: action_count doubles each, the times with the spare (where an action runs twice, the second), or as in
 * the timeline where there is none. Returns PP_OK or FAIL_TIME (the step is over by then). */
PP_EXPORT(pp_failure_report)
int32_t pp_failure_report(const pp_schedule *schedule, const pp_config *config, const double *costs,
                          const pp_timeline *timeline, double step, const pp_failure_costs *given, double *start,
                          double *finish, pp_failure *out, pp_policy *policies, pp_fault *fault);
/* The actions a policy loses, of the step in which rank fails at `time`: those that have begun, of all ranks or, with a
 * spare, of that one. Writes at most capacity indices and returns how many there are. */
PP_EXPORT(pp_failure_lost)
int32_t pp_failure_lost(const pp_schedule *schedule, const pp_timeline *timeline, int32_t policy, int32_t rank,
                        double time, int32_t *out, int32_t capacity);
/* Average ticks for `every` steps and the checkpoint behind them, as above. */
double pp_failure_expected(double step, double every, double checkpoint, double restart, double mtbf);

/* -- a step that really ran --
 * start, finish: action_count doubles each, in any unit and on one clock; no action of a rank begins before the one before
 * it ends. Halves of a fused slot may have times of their own. timeline: checked. */
/* Puts the times into the timeline, the first start at 0, a fused slot as one. */
PP_EXPORT(pp_measured_times)
void pp_measured_times(const pp_schedule *schedule, const double *start, const double *finish, pp_timeline *timeline);
/* Costs of the stages that these times show, as pp_simulate takes them: the mean of each stage and op; for a hop the mean
 * from the maker's finish to the taker's start, where the taker's rank was waiting. What did not occur is filled in as
 * pp_costs_parse does. costs: PP_COST_ROWS * stages doubles; scratch: as many, and stages more. Returns a bit 1 << row for
 * each row that was measured. */
PP_EXPORT(pp_measured_costs)
int32_t pp_measured_costs(const pp_schedule *schedule, const pp_timeline *timeline, const double *start,
                          const double *finish, double *costs, double *scratch);
/* pp_report of measured times: busy is what actions took. costs: of pp_measured_costs. */
PP_EXPORT(pp_measured_report)
void pp_measured_report(const pp_schedule *schedule, const pp_config *config, const double *costs,
                        const pp_timeline *timeline, void *scratch, pp_summary *summary, pp_rank_report *ranks);

/* ---- 5. The toy network --------------------------------------------------------------------------------------- */

/* A multilayer perceptron whose layers are cut into stages, trained by executing a schedule action by action. What it
 * shows: whatever the order of the actions, the gradients are those of the whole batch.
 *
 *     pp_training_parse    the request's text          ->  pp_training     (data, network, batch, rate ..)
 *     pp_training_fit      + stages, micro-batches     ->  defaults filled in, or the refusal
 *     pp_data_init         pp_training                 ->  pp_data         (for iris: fill features and labels, then
 *                                                                          pp_data_normalize)
 *     pp_network_init      widths, cuts                ->  pp_network      then pp_network_seed
 *     pp_run_init          schedule + timeline + network + data  ->  pp_run
 *     pp_run_next          one action at a time, in the order of simulated time; or pp_run_step, a whole step
 *     pp_reference_step    the same step of a second network: whole batch at once, no stages, no micro-batches
 *     pp_delayed_step      .. and what an asynchronous schedule makes of it, without a pipeline
 *     pp_gradient_difference, pp_weight_difference    how far the two are apart
 *
 * Each object stands at the head of the memory it was made in (8-byte aligned, the caller's) and is freed with it. A
 * run keeps pointers to its schedule, timeline, network and data: they must outlive it and stay where they are.
 *
 * Mean: the loss and every gradient are means over the samples of the whole batch. Micro-batches add sums, whatever
 * their sizes; the end of the step divides once. A sample whose label is negative has none: it counts for nothing.
 *
 * float32. Weight gradients add sample by sample, so a schedule whose backwards come in ascending order of
 * micro-batches at every stage gives the bits of the reference (pp_run_sums_in_order); others agree to rounding.
 *
 * Asynchronous schedules, pipedream and 2bw, have no flush. Their list is the beginning of a stream of micro-batches, with
 * the drain at its end; a run is the stream: the pipeline is not emptied between steps. A step ends when every rank has done
 * the last backward of its m micro-batches; by then ranks have begun forwards of the next step, as many as their list has
 * under way before a backward, less one, and these stay. No rank ever has more under way than in its list, so live bytes and
 * versions of the weights are those that were simulated. Weights change within the step, on each stage by itself:
 *     pipedream  after the backward of each micro-batch, by the mean over its samples. F takes the newest weights of its stage;
 *                R and B take the same ones, which the stage keeps till then (weight stashing).
 *     2bw        after the backward of `group` micro-batches, by the mean over their samples; groups go on across steps. Micro-
 *                batches of group t take the version of group t - 1: W(t + 1) = W(t) - rate * gradient of group t at W(t - 1).
 * At the end of a step all stages have made the same updates, those of pp_delayed_step to the last bit. The state of momentum
 * and Adam follows the updates of its stage. What needs all stages at once, or the step's end, is refused with ASYNC_OPTION:
 * batch norm, tied ends, clipping, loss scaling, means other than over samples; and so is an order changed by moves. */

/* X(id, name, kind): kinds as in PP_OPTIONS, and R, a number with decimals. Numbered after PP_OPTIONS, so that a fault
 * can name either. */
#define PP_TRAINING_OPTIONS(X)                                                                                         \
    X(PP_TRAIN_DATA, "data", 'E')                                                                                      \
    X(PP_TRAIN_WIDTH, "width", 'N') /* units of a hidden layer */                                                      \
    X(PP_TRAIN_DEPTH, "depth", 'N') /* dense layers; 0 or none given: by the number of stages */                       \
    X(PP_TRAIN_ACTIVATION, "activation", 'E')                                                                          \
    X(PP_TRAIN_LOSS, "loss", 'E')                                                                                      \
    X(PP_TRAIN_BATCH, "batch", 'N') /* samples a step; 0 or none given: 32, or one per micro-batch */                  \
    X(PP_TRAIN_STEPS, "steps", 'N')                                                                                    \
    X(PP_TRAIN_SEED, "seed", 'N')                                                                                      \
    X(PP_TRAIN_RATE, "rate", 'R') /* learning rate of plain gradient descent; none given: by depth */                  \
    X(PP_TRAIN_INIT, "init", 'E')                                                                                      \
    X(PP_TRAIN_NORM, "norm", 'E') /* between sum and activation of every hidden layer */                               \
    X(PP_TRAIN_STATISTICS, "norm-statistics", 'E')                                                                     \
    X(PP_TRAIN_DROPOUT, "dropout", 'R') /* share of a hidden layer's outputs that falls */                             \
    X(PP_TRAIN_TIED, "tied", 'E')                                                                                      \
    X(PP_TRAIN_SPLIT, "split", 'E') /* a batch that m does not divide */                                               \
    X(PP_TRAIN_MEAN, "mean", 'E')                                                                                      \
    X(PP_TRAIN_UPDATE, "update", 'E')                                                                                  \
    X(PP_TRAIN_MOMENTUM, "momentum", 'R')                                                                              \
    X(PP_TRAIN_BETA1, "beta1", 'R')                                                                                    \
    X(PP_TRAIN_BETA2, "beta2", 'R')                                                                                    \
    X(PP_TRAIN_EPSILON, "epsilon", 'R')                                                                                \
    X(PP_TRAIN_CLIP, "clip", 'R')                 /* largest global norm of the gradients; 0: any */                   \
    X(PP_TRAIN_LOSS_SCALE, "loss-scale", 'R')     /* factor of the loss, taken out before the update */                \
    X(PP_TRAIN_SCALE_GROWTH, "scale-growth", 'N') /* steps without overflow until it doubles; 0: never */

enum {
    PP_TRAIN_BEFORE_FIRST = PP_OPT_COUNT - 1,
#define PP_TRAINING_OPTION_ENUM(id, name, kind) id,
    PP_TRAINING_OPTIONS(PP_TRAINING_OPTION_ENUM)
#undef PP_TRAINING_OPTION_ENUM
        PP_TRAIN_END
};

/* X(id, name, samples, features, classes). The pictures in the plane are made from a seed; iris the caller gives. */
#define PP_DATA_KINDS(X)                                                                                               \
    X(PP_DATA_SPIRALS, "spirals", 256, 2, 2)                                                                           \
    X(PP_DATA_CIRCLES, "circles", 256, 2, 2)                                                                           \
    X(PP_DATA_XOR, "xor", 256, 2, 2)                                                                                   \
    X(PP_DATA_IRIS, "iris", 150, 4, 3)

enum {
#define PP_DATA_ENUM(id, name, samples, features, classes) id,
    PP_DATA_KINDS(PP_DATA_ENUM)
#undef PP_DATA_ENUM
};
enum { PP_ACTIVATION_TANH, PP_ACTIVATION_RELU, PP_ACTIVATION_IDENTITY, PP_ACTIVATION_GELU };
enum { PP_NORM_NONE, PP_NORM_LAYER, PP_NORM_BATCH };
/* Rows a batch norm takes its statistics from. Micro-batch: those at hand; the running statistics, which evaluation
 * uses, move once for each micro-batch. Deferred: the same, but they move once a step, to the statistics of the whole
 * batch (GPipe, Huang et al. 2019, section 2.1; torchgpipe's DeferredBatchNorm). Batch: all rows of the step, which a
 * pipeline of more than one micro-batch cannot know, so it is refused there. */
enum { PP_STATISTICS_MICROBATCH, PP_STATISTICS_DEFERRED, PP_STATISTICS_BATCH };
/* Ends: the last layer uses the first one's weights, transposed, as a head does an embedding's. Each end keeps a copy;
 * their gradients are added before the update, so the copies stay equal. */
enum { PP_TIED_NONE, PP_TIED_ENDS };
/* Sizes of micro-batches: as equal as they can be, the larger first; or all alike and the last with what is left. */
enum { PP_SPLIT_EVEN, PP_SPLIT_LAST };
/* What the loss and the gradients are: the mean over the samples of the batch; the mean of the micro-batches' means,
 * which differs where sizes do; or the sum of those means, as where nobody divides by m. */
enum { PP_MEAN_SAMPLES, PP_MEAN_MICROBATCHES, PP_MEAN_UNDIVIDED };
enum { PP_UPDATE_SGD, PP_UPDATE_MOMENTUM, PP_UPDATE_ADAM };
enum { PP_LOSS_CROSS_ENTROPY, PP_LOSS_SQUARED_ERROR };
/* Whole: weights, biases and features are small whole numbers, so that (with relu or identity, squared error and a
 * batch of a power of two) every sum of the first step is exact in float and must not depend on its order. */
enum { PP_INIT_RANDOM, PP_INIT_WHOLE };

/* X(type, field). The last ones follow from the data, the loss and the schedule. */
#define PP_TRAINING_FIELDS(X)                                                                                          \
    X(int32_t, data)                                                                                                   \
    X(int32_t, width)                                                                                                  \
    X(int32_t, depth)                                                                                                  \
    X(int32_t, activation)                                                                                             \
    X(int32_t, loss)                                                                                                   \
    X(int32_t, batch)                                                                                                  \
    X(int32_t, steps)                                                                                                  \
    X(int32_t, seed)                                                                                                   \
    X(double, rate)                                                                                                    \
    X(int32_t, init)                                                                                                   \
    X(int32_t, norm)                                                                                                   \
    X(int32_t, norm_statistics)                                                                                        \
    X(double, dropout)                                                                                                 \
    X(int32_t, tied)                                                                                                   \
    X(int32_t, split)                                                                                                  \
    X(int32_t, mean)                                                                                                   \
    X(int32_t, update)                                                                                                 \
    X(double, momentum)                                                                                                \
    X(double, beta1)                                                                                                   \
    X(double, beta2)                                                                                                   \
    X(double, epsilon)                                                                                                 \
    X(double, clip)                                                                                                    \
    X(double, loss_scale)                                                                                              \
    X(int32_t, scale_growth)                                                                                           \
    X(int32_t, samples)                                                                                                \
    X(int32_t, inputs)                                                                                                 \
    X(int32_t, outputs)                                                                                                \
    X(int32_t, microbatches)

typedef struct pp_training {
#define PP_TRAINING_MEMBER(type, field) type field;
    PP_TRAINING_FIELDS(PP_TRAINING_MEMBER)
#undef PP_TRAINING_MEMBER
} pp_training;

PP_EXPORT(pp_training_option_count) int32_t pp_training_option_count(void);
/* option: PP_TRAIN_DATA .. PP_TRAIN_END - 1, the number a fault names. "" outside. */
PP_EXPORT(pp_training_option_name) const char *pp_training_option_name(int32_t option);
PP_EXPORT(pp_training_option_kind) int32_t pp_training_option_kind(int32_t option);
PP_EXPORT(pp_training_option_value_name) const char *pp_training_option_value_name(int32_t option, int32_t value);
PP_EXPORT(pp_training_option_min) double pp_training_option_min(int32_t option);
PP_EXPORT(pp_training_option_max) double pp_training_option_max(int32_t option);
/* Number of the first training option: PP_TRAIN_DATA. */
PP_EXPORT(pp_training_option_first) int32_t pp_training_option_first(void);

PP_EXPORT(pp_training_bytes) int32_t pp_training_bytes(void);
PP_EXPORT(pp_training_field_count) int32_t pp_training_field_count(void);
PP_EXPORT(pp_training_field_name) const char *pp_training_field_name(int32_t field);
PP_EXPORT(pp_training_field) double pp_training_field(const pp_training *training, int32_t field);

/* Reads the training options of a request: the same lines "name=value" as pp_config_parse. Options of the schedule are
 * passed over; other names are refused. Not given: depth and batch are 0, the rate is -1. Fails with OPTION_UNKNOWN,
 * OPTION_TWICE, NOT_A_NUMBER, NOT_WHOLE, RANGE, NAME_UNKNOWN, or OPTION_NEEDS (of an update, norm or scale that was not
 * asked for); training is then undefined. */
PP_EXPORT(pp_training_parse)
int32_t pp_training_parse(const char *text, int32_t length, pp_training *training, pp_fault *fault);

/* Fills depth, batch and rate where they were not given, and checks that they fit the schedule. Fails with LAYERS
 * (fewer layers than stages), BATCH (fewer samples than micro-batches), SPLIT_EMPTY (the last one would have none),
 * STATISTICS (of a whole batch that comes in parts), BATCH_NORM (a micro-batch of one sample has no variance), TIED (ends
 * of unequal shape) or TOO_LARGE (the run would pass 512 MiB). */
PP_EXPORT(pp_training_fit)
int32_t pp_training_fit(pp_training *training, int32_t stages, int32_t microbatches, pp_fault *fault);

/* Training needs a schedule with a backward; a run of one without only evaluates. PP_OK or NO_BACKWARD. */
PP_EXPORT(pp_training_needs_backward)
int32_t pp_training_needs_backward(const pp_schedule *schedule, pp_fault *fault);

/* Layers a network has when none were asked for: the smallest multiple of the stages that is at least 4. */
int32_t pp_network_default_layers(int32_t stages);

/* Writes the depth + 1 widths of the network: inputs, hidden .., outputs. */
PP_EXPORT(pp_training_widths) void pp_training_widths(const pp_training *training, int32_t *widths);

typedef struct pp_data pp_data;
typedef struct pp_network pp_network;
typedef struct pp_run pp_run;

/* Samples in memory. Of iris, features and labels are zero until the caller has written them. PP_OK or CAPACITY. */
PP_EXPORT(pp_data_bytes) size_t pp_data_bytes(const pp_training *training);
PP_EXPORT(pp_data_init) int32_t pp_data_init(const pp_training *training, void *memory, size_t bytes);
PP_EXPORT(pp_data_samples) int32_t pp_data_samples(const pp_data *data);
PP_EXPORT(pp_data_inputs) int32_t pp_data_inputs(const pp_data *data);
/* samples * inputs, one sample after the other; and a class 0 .. per sample. To be written only before a run. */
PP_EXPORT(pp_data_features) float *pp_data_features(pp_data *data);
PP_EXPORT(pp_data_labels) int32_t *pp_data_labels(pp_data *data);
/* Shifts and scales each feature to mean 0 and variance 1 (a constant one to 0); with PP_INIT_WHOLE to whole numbers
 * about 0 as well. For data the caller has written. */
PP_EXPORT(pp_data_normalize) void pp_data_normalize(pp_data *data);
/* Gathers the batch of one step (from 0): features[batch * inputs], labels[batch]. Steps walk through all samples in a
 * shuffled order, a new one each time round; a batch may reach into the next round. Depends on seed and step alone. */
PP_EXPORT(pp_data_batch)
void pp_data_batch(pp_data *data, int32_t step, int32_t batch, float *features, int32_t *labels);

/* What a network has room for, in one number: PP_ACTIVATION_... alone, or what a request asks for besides it: norm,
 * dropout, tied ends, the state of the update; each from its bit on, the activation below. */
enum { PP_KIND_NORM = 4, PP_KIND_DROPOUT = 8, PP_KIND_TIED = 9, PP_KIND_UPDATE = 12 };
PP_EXPORT(pp_training_kind) int32_t pp_training_kind(const pp_training *training);
/* Memory of a network of `layers` dense layers: widths has layers + 1 entries. */
PP_EXPORT(pp_network_bytes)
size_t pp_network_bytes(const int32_t *widths, int32_t layers, int32_t stages, int32_t kind);
/* cuts: stages + 1 layer numbers, stage s has layers cuts[s] .. cuts[s+1]-1; NULL cuts as evenly as can be, longer
 * stages first. Every stage has a layer. All weights are zero: pp_network_seed fills them.
 * Returns PP_OK, PP_ERR_LAYERS (fewer layers than stages, or cuts that do not ascend from 0 to layers) or CAPACITY. */
PP_EXPORT(pp_network_init)
int32_t pp_network_init(const int32_t *widths, int32_t layers, int32_t stages, const int32_t *cuts, int32_t kind,
                        int32_t loss, void *memory, size_t bytes);
/* Starting weights: PP_INIT_...; the same for the same seed, whatever the stages. */
PP_EXPORT(pp_network_seed) void pp_network_seed(pp_network *network, int32_t init, int32_t seed);
/* A product of a layer with `rows` samples, as tensor.h says; the first argument is what it writes. */
typedef void pp_product(float *restrict out, const float *restrict a, const float *restrict b, int32_t rows,
                        int32_t inputs, int32_t outputs, void *scratch);
/* Other products in place of the network's own: y = x . w, dx = dy . w transposed, dw += x transposed . dy, and the same
 * from nothing. For fused ones, which round a multiplication and its addition once. */
PP_EXPORT(pp_network_products)
void pp_network_products(pp_network *network, pp_product *forward, pp_product *backward_input,
                         pp_product *backward_weight, pp_product *begin_weight);
/* Weights and gradients of one network into another of the same widths. */
void pp_network_copy(pp_network *to, const pp_network *from);

int32_t pp_network_layers(const pp_network *network);
int32_t pp_network_stages(const pp_network *network);
int32_t pp_network_inputs(const pp_network *network);
PP_EXPORT(pp_network_outputs) int32_t pp_network_outputs(const pp_network *network);
const int32_t *pp_network_widths(const pp_network *network);
PP_EXPORT(pp_network_cuts) const int32_t *pp_network_cuts(const pp_network *network);
PP_EXPORT(pp_network_parameter_count) int32_t pp_network_parameter_count(const pp_network *network);
/* Layer l: weights [input][output], then biases, from layer_begin[l] on (layers + 1 entries); in hidden layers with a
 * norm then its gains and shifts, with batch norm also running means and variances, whose gradients are 0. Gradients
 * likewise: the mean of the last finished step. */
PP_EXPORT(pp_network_layer_begin) const int32_t *pp_network_layer_begin(const pp_network *network);
PP_EXPORT(pp_network_parameters) float *pp_network_parameters(pp_network *network);
PP_EXPORT(pp_network_gradients) float *pp_network_gradients(pp_network *network);
/* What of them belongs to a stage: so many, one after the other. */
float *pp_stage_parameters(pp_network *network, int32_t stage);
int32_t pp_stage_parameter_count(const pp_network *network, int32_t stage);
/* A checkpoint of a stage: its parameters, what the update keeps of them (momentum, Adam's means), and the steps taken and
 * the loss scale of the network. Means something only to a network of the same shape and kind. Returns its bytes; memory
 * NULL: that alone. */
size_t pp_stage_save(const pp_network *network, int32_t stage, void *memory);
void pp_stage_load(pp_network *network, int32_t stage, const void *memory);

/* Mean loss over all samples, and the share of them whose class is told right. The network's scratch is used. */
double pp_network_loss(pp_network *network, const pp_data *data);
PP_EXPORT(pp_network_accuracy) double pp_network_accuracy(pp_network *network, const pp_data *data);
/* Runs `rows` points (rows * inputs floats) through the network. outputs: NULL, or rows * outputs floats:
 * probabilities with cross entropy, the raw outputs otherwise. classes: NULL, or the class of each point. */
PP_EXPORT(pp_network_predict)
void pp_network_predict(pp_network *network, const float *points, int32_t rows, float *outputs, int32_t *classes);

/* The yardstick: gradients of step number `step` (from 0) over its whole batch at once, left in the network, and the
 * update of its weights. Only batch norm, whose results depend on the rows it sees, takes the same micro-batches. loss: NULL, or the mean loss before the update. memory: pp_reference_bytes, caller's.
 * Returns PP_OK, CAPACITY, or DIVERGED (a loss or gradient is not finite; the weights stay as they were). */
PP_EXPORT(pp_reference_bytes) size_t pp_reference_bytes(const pp_network *network, const pp_training *training);
PP_EXPORT(pp_reference_step)
int32_t pp_reference_step(pp_network *network, pp_data *data, const pp_training *training, int32_t step, void *memory,
                          size_t bytes, double *loss);

/* The yardstick of an asynchronous schedule: what it learns, without a pipeline, and without its list. Each micro-batch goes
 * through the whole network, every stage with the version of its weights that is pp_weight_lag updates old (the first one
 * in the beginning); updates are those of the schedule. late = 0: no gradient comes late, what a pipeline with a flush
 * before every update would learn. pp_delayed_init begins with the weights the network has and keeps the versions
 * in memory: pp_delayed_bytes, the caller's, 8-byte aligned, used by all steps that follow. training: fitted to the
 * micro-batches of config; the schedule is asynchronous. Steps as of pp_reference_step, in ascending order; the gradients left are
 * those of the last update. PP_OK, CAPACITY, or DIVERGED (a loss or gradient is not finite; a stage takes no such gradient). */
PP_EXPORT(pp_delayed_bytes)
size_t pp_delayed_bytes(const pp_config *config, const pp_network *network, const pp_training *training);
PP_EXPORT(pp_delayed_init)
int32_t pp_delayed_init(const pp_config *config, pp_network *network, const pp_training *training, int32_t late,
                        void *memory, size_t bytes);
PP_EXPORT(pp_delayed_step)
int32_t pp_delayed_step(pp_network *network, pp_data *data, const pp_training *training, int32_t step, void *memory,
                        size_t bytes, double *loss);

/* Largest absolute difference of two networks of the same widths; NaN if one of them holds a NaN. */
PP_EXPORT(pp_gradient_difference) double pp_gradient_difference(const pp_network *a, const pp_network *b);
PP_EXPORT(pp_weight_difference) double pp_weight_difference(const pp_network *a, const pp_network *b);

/* What micro-batches do to one step, in numbers: step number `step` with the present weights, the batch in m parts and in
 * one, and the usual mistakes. Nothing of the network changes. NAN: the request has no such part. Gradients compare as
 * |a - b| / |b| over all parameters. */
#define PP_SEMANTICS(X)                                                                                                \
    X(LOSS, loss)                       /* mean over the samples */                                                    \
    X(GRADIENT_NORM, gradient_norm)     /* of the mean gradient */                                                     \
    X(SMALLEST, smallest)               /* samples of the smallest micro-batch .. */                                   \
    X(LARGEST, largest)                 /* .. and of the largest */                                                    \
    X(NORM_MEAN, norm_mean)             /* batch norm: how far a micro-batch's mean is from that of the batch, in  \
                                             standard deviations of the batch; the furthest */   \
    X(NORM_DEVIATION, norm_deviation)   /* .. its standard deviation, as a share of the batch's */                     \
    X(NORM_OUTPUT, norm_output)         /* .. the network's outputs, absolutely */                                     \
    X(NORM_LOSS, norm_loss)             /* .. the loss with statistics of the whole batch */                           \
    X(NORM_GRADIENT, norm_gradient)     /* .. gradient by micro-batches against whole batch */                         \
    X(DROPOUT_ENTRIES, dropout_entries) /* entries of all masks .. */                                                  \
    X(DROPOUT_BY_SAMPLE, dropout_by_sample) /* .. that differ from those of m = 1: keyed by sample, as here .. */      \
    X(DROPOUT_BY_ROW, dropout_by_row)       /* .. and keyed by the row within the micro-batch */                       \
    X(MEANS_LOSS, means_loss)               /* mean of the micro-batches' means */                                     \
    X(MEANS_GRADIENT, means_gradient)       /* its gradient against that of the mean over samples */                   \
    X(UNDIVIDED, undivided)                 /* size of a gradient that nobody divided by m, against the right one */   \
    X(CLIP_LIMIT, clip_limit)               /* the request's, else half the gradient's norm */                         \
    X(CLIP_WHOLE, clip_whole)               /* norm after clipping once, by the global norm .. */                      \
    X(CLIP_PARTS, clip_parts)               /* .. and of the mean of micro-batches clipped one by one */               \
    X(CLIP_GRADIENT, clip_gradient)         /* the two gradients against each other */                                 \
    X(TIED_GRADIENT, tied_gradient)         /* tied weights: gradient of one use only against the sum of both */

enum {
#define PP_SEMANTICS_ENUM(id, name) PP_SEMANTICS_##id,
    PP_SEMANTICS(PP_SEMANTICS_ENUM)
#undef PP_SEMANTICS_ENUM
        PP_SEMANTICS_COUNT
};
PP_EXPORT(pp_semantics_count) int32_t pp_semantics_count(void);
PP_EXPORT(pp_semantics_name) const char *pp_semantics_name(int32_t i);
/* out: pp_semantics_count doubles. memory: pp_semantics_bytes, caller's. Returns PP_OK or CAPACITY. */
PP_EXPORT(pp_semantics_bytes) size_t pp_semantics_bytes(const pp_network *network, const pp_training *training);
PP_EXPORT(pp_semantics)
int32_t pp_semantics(pp_network *network, pp_data *data, const pp_training *training, int32_t step, void *memory,
                     size_t bytes, double *out);

/* Memory of a run: messages between stages, and per rank as many slots for activations as it has at most in flight.
 * SIZE_MAX if that is more than a pointer can span. */
PP_EXPORT(pp_run_bytes)
size_t pp_run_bytes(const pp_schedule *schedule, const pp_network *network, const pp_training *training);
/* A run before its first step. timeline: checked and simulated. network: as many stages as the schedule; the run
 * writes its gradients and, at the end of each step, its weights. A schedule without backward only evaluates: steps
 * give the loss of their batch and change no weight.
 * Returns PP_OK, CAPACITY, LAYERS (another number of stages), BATCH (fewer samples than micro-batches), ASYNC_OPTION (see
 * above) or OPTION_MEANINGLESS (sequence slices: the toy network has no sequence). */
PP_EXPORT(pp_run_init)
int32_t pp_run_init(const pp_schedule *schedule, const pp_timeline *timeline, pp_network *network, pp_data *data,
                    const pp_training *training, void *memory, size_t bytes, pp_fault *fault);
/* Performs the next action in the order of simulated start, ties by rank, and tells its index in the schedule. When
 * none is left it ends the step: gradients are divided, weights move, action is -1 and the status PP_STEP_DONE (not an
 * error), or DIVERGED (a loss or gradient is not finite: every stage skips this step). The call after that begins the
 * next step. action may be NULL. A stream may begin the next step's forwards before; DIVERGED: some stage skipped an update. */
PP_EXPORT(pp_run_next) int32_t pp_run_next(pp_run *run, int32_t *action);
/* What is left of the present step, or all of the next one. Returns PP_OK or DIVERGED. */
PP_EXPORT(pp_run_step) int32_t pp_run_step(pp_run *run);

int32_t pp_run_batch(const pp_run *run);
/* Samples microbatch_begin[k] .. microbatch_begin[k+1]-1 of the batch are micro-batch k; larger ones come first. */
PP_EXPORT(pp_run_microbatch_begin) const int32_t *pp_run_microbatch_begin(const pp_run *run);
/* Mean loss of the last finished step, before its update; NaN before the first. */
PP_EXPORT(pp_run_loss) double pp_run_loss(const pp_run *run);
/* Steps finished, and how many of them were skipped because they diverged. */
PP_EXPORT(pp_run_steps) int32_t pp_run_steps(const pp_run *run);
PP_EXPORT(pp_run_skipped) int32_t pp_run_skipped(const pp_run *run);
/* Actions of the present step already performed. */
int32_t pp_run_position(const pp_run *run);
/* 1 if gradients add in the reference's order, so that they are equal to it bit for bit. */
PP_EXPORT(pp_run_sums_in_order) int32_t pp_run_sums_in_order(const pp_run *run);
/* Activation slots of a rank: in use now; the most that were, measured; how many there are. */
int32_t pp_run_in_flight(const pp_run *run, int32_t rank);
PP_EXPORT(pp_run_peak) int32_t pp_run_peak(const pp_run *run, int32_t rank);
int32_t pp_run_slots(const pp_run *run, int32_t rank);
/* Measured since the stream began: the most versions of its weights a rank held at once; the most updates that it made
 * between the version a gradient was taken at and the update by that gradient. 1 and 0 where the schedule is synchronous. */
PP_EXPORT(pp_run_versions) int32_t pp_run_versions(const pp_run *run, int32_t rank);
PP_EXPORT(pp_run_lag) int32_t pp_run_lag(const pp_run *run, int32_t rank);
/* Measured: the most bytes of live activations a rank held in the last step (or this one so far): inputs of its stages and
 * outputs of their layers, of micro-batches between their F (or R) and what releases them. Gradients are not counted. */
PP_EXPORT(pp_run_peak_bytes) double pp_run_peak_bytes(const pp_run *run, int32_t rank);
/* What pp_memory_peaks is to be asked to say the same beforehand, with pp_run_microbatch_begin: PP_MEMORY_ROWS * stages, in
 * bytes of one sample, nothing that is always there. */
PP_EXPORT(pp_run_memory) void pp_run_memory(const pp_run *run, double *table);
/* The next step is number `steps`, from what the network holds or pp_run_load puts there. Between steps or within one. A stream
 * whose stages are not loaded begins anew, with an empty pipeline. */
PP_EXPORT(pp_run_rewind) void pp_run_rewind(pp_run *run, int32_t steps);
/* A checkpoint of a stage that the run holds, between steps: pp_stage_save, and of a stream also what is under way there: sums of
 * gradients, older weights still in use, activations kept for a backward, messages sent and not yet taken (checkpoint.c). Equal
 * states are equal bytes. Returns its bytes, the same at all times; memory NULL: that alone. */
PP_EXPORT(pp_run_save) size_t pp_run_save(const pp_run *run, int32_t stage, void *memory);
/* After pp_run_rewind to the step it was saved at, all stages of the run in turn: what follows is what followed then, to the
 * last bit. Saved by a rank or by a run of all. */
PP_EXPORT(pp_run_load) void pp_run_load(pp_run *run, int32_t stage, const void *memory);
/* 1 if the action performed last is one of the next step already: a forward ahead, in a stream. */
PP_EXPORT(pp_run_is_ahead) int32_t pp_run_is_ahead(const pp_run *run);

/* -- one rank by itself --
 * The same run by p processes, each with a memory of its own: what it keeps and does is that of one rank, and messages go
 * between them. The carrier of the messages knows no schedule:
 *
 *     repeat   pp_rank_go                  the next thing that can be done
 *              pp_rank_post, until NULL    what is now to be sent, to which rank
 *     and for each message that comes, of the same step: pp_rank_place, write the floats there, pp_rank_arrived.
 *
 * Messages may come in any order. One of a later step must be held back until this rank has begun that step: until
 * pp_rank_go has been called after PP_STEP_DONE; one of an earlier step (of a stream) is still good. Weights after each step
 * are those of pp_run_step, bit for bit. The network has only the stages of the rank (both, or all, of a bidirectional
 * schedule). Who wants to resume after a loss keeps what pp_run_save tells of all stages behind the same step; afterwards every
 * rank is rewound to that step and loaded, and messages sent before are thrown away. */
PP_EXPORT(pp_rank_network_bytes)
size_t pp_rank_network_bytes(const pp_schedule *schedule, int32_t rank, const int32_t *widths, int32_t layers,
                             int32_t kind);
/* PP_OK, LAYERS or CAPACITY. All weights are zero. */
PP_EXPORT(pp_rank_network_init)
int32_t pp_rank_network_init(const pp_schedule *schedule, int32_t rank, const int32_t *widths, int32_t layers,
                             int32_t kind, int32_t loss, void *memory, size_t bytes);
/* As pp_run_bytes and pp_run_init, but that a checked timeline will do; rank -1 is all of them. */
PP_EXPORT(pp_rank_bytes)
size_t pp_rank_bytes(const pp_schedule *schedule, const pp_network *network, const pp_training *training, int32_t rank);
PP_EXPORT(pp_rank_init)
int32_t pp_rank_init(const pp_schedule *schedule, const pp_timeline *timeline, pp_network *network, pp_data *data,
                     const pp_training *training, int32_t rank, void *memory, size_t bytes, pp_fault *fault);
/* Stages that the rank holds, ascending: number 0, 1, ..; -1 when there are no more. */
PP_EXPORT(pp_rank_stage) int32_t pp_rank_stage(const pp_run *run, int32_t number);
/* The action the rank comes to next, by its index in the schedule; -1 if it has none left in this step. */
PP_EXPORT(pp_rank_next) int32_t pp_rank_next(const pp_run *run);
/* The step, from 0, that it belongs to; in a stream it may be ahead of the one under way. */
PP_EXPORT(pp_rank_next_step) int32_t pp_rank_next_step(const pp_run *run);
/* PP_OK (action: what was performed, -1 for the beginning or a part of the end of a step), RANK_WAITS, STEP_DONE, or
 * DIVERGED (the step is over, and all ranks have skipped it; in a stream rank 0 alone tells, that a stage has skipped an
 * update). The schedule trains. On rank 0 pp_run_loss then tells the
 * mean loss. */
PP_EXPORT(pp_rank_go) int32_t pp_rank_go(pp_run *run, int32_t *action);
typedef struct pp_message {
    int32_t to;    /* rank */
    int32_t key;   /* what it is, for pp_rank_place there */
    int32_t count; /* floats */
} pp_message;
/* Floats to be sent, good until the next call; NULL if there are no more. */
PP_EXPORT(pp_rank_post) const float *pp_rank_post(pp_run *run, pp_message *out);
/* Where a message belongs; NULL if it is none for this rank, or not as long as it should be. */
PP_EXPORT(pp_rank_place) float *pp_rank_place(pp_run *run, int32_t key, int32_t count);
PP_EXPORT(pp_rank_arrived) void pp_rank_arrived(pp_run *run, int32_t key);

/* ---- 6. Files ------------------------------------------------------------------------------------------------- */

/* Schedules travel between tools as text. Three forms are read, told apart by how the text begins.
 *
 *   PyTorch's table     one line per rank, one cell per step, commas between, no header:      0F0,0F1,,0B0,,0B1
 *       cell     nothing (an idle step), an action, or a group
 *       action   stage, type, micro-batch: 2F0. Types F B I W; and where communication is written out ("lowered")
 *                SEND_F RECV_F SEND_B RECV_B, which name the stage that sends or receives, and without micro-batch
 *                UNSHARD RESHARD REDUCE_GRAD
 *       group    (2F1;3B0)OVERLAP_F_B: an F and a B in one slot
 *     Blanks about a cell, quotes around it, CR before LF, a byte-order mark and empty lines at the end are passed
 *     over. PyTorch ignores what follows the digits of a cell, and takes an F without a micro-batch; here both are
 *     faults. Files from before PyTorch 2.6 have other letters (PP_LETTERS_OLD): B for the input gradient, BW for
 *     the whole.
 *   our CSV             first line: names of columns, in any order. device (or rank) is needed; op, stage,
 *                       microbatch, or none of these where only times are known; index (slot in the rank's list),
 *                       seq (or slice), start, end (or finish). Other columns are passed over. Rows with the same
 *                       device and index are one slot. Without index the order is that of start, without both that
 *                       of the rows.
 *   our JSON            an array of such records, or an object that has one as "actions"; "recompute": "late" where
 *                       R waits for the gradient; other members are passed over.
 *
 * Where a stage lies is read from the file. PyTorch's table cannot say which of two ranks runs a stage for which
 * micro-batch, so a stage on two ranks is refused there as PyTorch refuses it; the other two carry bidirectional
 * schedules and slices.
 *
 * A fault in a file names row and column (fault->rank and fault->column), both counted from 0: row r is line r + 1, and
 * in PyTorch's table the rank. In JSON the column is the place in the line.
 *
 *     pp_table_parse       text                    ->  pp_table       what the file says, cell by cell
 *     pp_table_schedule    pp_table                ->  pp_schedule    its actions; then pp_config_of_file and pp_check
 *     pp_table_simulate    + timeline, costs       ->  times in the order of the file's own transfers
 *     pp_table_measured    + timeline              ->  the times that stand in the file
 *     pp_table_make        pp_schedule + timeline  ->  pp_table       a column a step, blanks where a rank must wait
 *     pp_table_lower       pp_table + schedule     ->  pp_table       with sends, receives, shards, reductions
 *     pp_table_print       pp_table                ->  text
 *     pp_profile_parse     text                    ->  pp_profile     costs per stage
 *
 * Memory is never more than in proportion to the text. Text may be hostile. */

/* What a cell can hold beside the ops of a schedule. Numbers go on from PP_R, so that a fault can name any of them. */
enum {
    PP_UNSHARD = PP_OP_COUNT, /* gather a stage's weights before use */
    PP_RESHARD,
    PP_REDUCE_GRAD,
    PP_SEND_F,
    PP_RECV_F,
    PP_SEND_B,
    PP_RECV_B,
    PP_BLANK, /* idle steps */
    PP_CELL_OP_COUNT
};

enum { PP_FORMAT_TORCH, PP_FORMAT_CSV, PP_FORMAT_JSON };
enum { PP_LETTERS_TODAY, PP_LETTERS_OLD };
/* What a RECV cell does: post a receive and go on, its consumer waits (PyTorch's runtime); or stand until it is in. */
enum { PP_RECEIVE_POST, PP_RECEIVE_WAIT };
enum { PP_TIMES_SIMULATED, PP_TIMES_MEASURED };
/* Which communication a table is written with: what it has (a generated one: none), none, all that PyTorch's runtime
 * needs, or the sends and receives alone. */
enum { PP_COMMS_KEEP, PP_COMMS_NONE, PP_COMMS_ALL, PP_COMMS_TRANSFERS };

/* Options of files. X(id, name, kind, type): numbered after PP_TRAINING_OPTIONS, so that a fault can name either. */
#define PP_FILE_OPTIONS(X)                                                                                             \
    X(PP_FILE_LETTERS, letters, 'E', int32_t) /* of a file that is read: today, before-2.6 */                          \
    X(PP_FILE_RECEIVE, receive, 'E', int32_t) /* post, wait */                                                         \
    X(PP_FILE_TIMES, times, 'E', int32_t)     /* simulated, measured */                                                \
    X(PP_FILE_COMMS, comms, 'E', int32_t)     /* keep, compute-only, compute-comms, transfers */                       \
    X(PP_FILE_MERGE, merge, 'E', int32_t)     /* no, yes: an I before its W becomes a B */                             \
    X(PP_FILE_SCALE, scale, 'R', double)      /* microseconds a tick in a trace */

enum {
    PP_FILE_BEFORE_FIRST = PP_TRAIN_END - 1,
#define PP_FILE_OPTION_ENUM(id, name, kind, type) id,
    PP_FILE_OPTIONS(PP_FILE_OPTION_ENUM)
#undef PP_FILE_OPTION_ENUM
        PP_FILE_END
};

typedef struct pp_file {
#define PP_FILE_MEMBER(id, name, kind, type) type name;
    PP_FILE_OPTIONS(PP_FILE_MEMBER)
#undef PP_FILE_MEMBER
} pp_file;

PP_EXPORT(pp_file_option_first) int32_t pp_file_option_first(void);
PP_EXPORT(pp_file_option_count) int32_t pp_file_option_count(void);
PP_EXPORT(pp_file_option_name) const char *pp_file_option_name(int32_t option);
PP_EXPORT(pp_file_option_kind) int32_t pp_file_option_kind(int32_t option);
PP_EXPORT(pp_file_option_value_name) const char *pp_file_option_value_name(int32_t option, int32_t value);
PP_EXPORT(pp_file_bytes) int32_t pp_file_bytes(void);
/* The value of an option, by its number. */
PP_EXPORT(pp_file_field) double pp_file_field(const pp_file *file, int32_t option);
/* Reads the file options of a request, which holds no others. Not given: the first name of each, and scale 1. Fails
 * with OPTION_UNKNOWN, OPTION_TWICE, NAME_UNKNOWN, NOT_A_NUMBER or RANGE. */
PP_EXPORT(pp_file_parse)
int32_t pp_file_parse(const char *text, int32_t length, pp_file *file, pp_fault *fault);

/* A file, cell by cell. A cell of a group has fused set but for its last member; a blank counts in microbatch how many
 * idle steps it stands for; UNSHARD, RESHARD and REDUCE_GRAD have microbatch -1. Stands at the head of its memory. */
typedef struct pp_table {
    int32_t format; /* PP_FORMAT_... */
    int32_t ranks;
    int32_t slices; /* microbatch of a cell is a unit, as in pp_action */
    int32_t cell_count;
    int32_t named;      /* 1: cells name actions; 0: times only */
    int32_t timed;      /* 1: start and finish are there */
    int32_t lowered;    /* 1: has sends or receives */
    int32_t recompute;  /* PP_RECOMPUTE_LATE where our JSON says so */
    int32_t *row_begin; /* ranks + 1 offsets into cells */
    pp_action *cells;
    double *start, *finish;
} pp_table;

/* Bytes pp_table_parse needs for a text; SIZE_MAX if that is more than a pointer can span. */
PP_EXPORT(pp_table_parse_bytes) size_t pp_table_parse_bytes(const char *text, int32_t length);
/* Fails with SYNTAX (a cell is no action), CELL_GROUP (a group is not one F and one B or I), RECORD (a field of our CSV
 * or JSON; the fault's a tells which rule), TOO_LARGE, EMPTY or CAPACITY; the table is then undefined. */
PP_EXPORT(pp_table_parse)
int32_t pp_table_parse(const char *text, int32_t length, int32_t letters, void *memory, size_t bytes, pp_fault *fault);

PP_EXPORT(pp_table_format) int32_t pp_table_format(const pp_table *table);
PP_EXPORT(pp_table_ranks) int32_t pp_table_ranks(const pp_table *table);
PP_EXPORT(pp_table_cell_count) int32_t pp_table_cell_count(const pp_table *table);
PP_EXPORT(pp_table_named) int32_t pp_table_named(const pp_table *table);
PP_EXPORT(pp_table_timed) int32_t pp_table_timed(const pp_table *table);
PP_EXPORT(pp_table_lowered) int32_t pp_table_lowered(const pp_table *table);
PP_EXPORT(pp_table_start) const double *pp_table_start(const pp_table *table);
PP_EXPORT(pp_table_finish) const double *pp_table_finish(const pp_table *table);
/* Cells as columns, each cell_count long: row, column in the row, op, stage, micro-batch. NULL is left out. */
PP_EXPORT(pp_table_columns)
void pp_table_columns(const pp_table *table, int32_t *row, int32_t *column, int32_t *op, int32_t *stage,
                      int32_t *microbatch);

/* The schedule of a table: action n is its n-th cell that holds an op. Stages and micro-batches are those that have an
 * F; each stage must have one of each micro-batch. Fails with RECORD (no ops in the file), EMPTY, MISSING or CAPACITY;
 * what else is wrong is for pp_check to say, and pp_table_locate then tells where. */
PP_EXPORT(pp_table_schedule_bytes) size_t pp_table_schedule_bytes(const pp_table *table);
PP_EXPORT(pp_table_schedule)
int32_t pp_table_schedule(const pp_table *table, void *memory, size_t bytes, pp_fault *fault);
/* Adds the columns of PyTorch's table to a fault of pp_check. */
PP_EXPORT(pp_table_locate) void pp_table_locate(const pp_table *table, pp_fault *fault);
/* 1 if, read as a grid of steps, some cell stands no later than one it needs. Then fault holds PP_NOTE_EARLY with both:
 * not an error, since the cells are an order and no times; PyTorch's own tables do so here and there. timeline: from
 * pp_check, not yet simulated. */
PP_EXPORT(pp_table_early)
int32_t pp_table_early(const pp_table *table, const pp_schedule *schedule, const pp_timeline *timeline,
                       pp_fault *fault);

/* The request beside a file: costs, latency, transfer, recompute (early if R stand in the file and nothing else is
 * said); ranks, microbatches, chunks and slices only as the file has them. Fills config, with schedule -1, and tells
 * the schedule how it recomputes. Fails as pp_config_parse does, with OPTION_MEANINGLESS for what only a generator
 * asks, and with SHAPE where the file says otherwise. */
PP_EXPORT(pp_config_of_file)
int32_t pp_config_of_file(const char *text, int32_t length, pp_schedule *schedule, pp_config *config, pp_fault *fault);

/* Times a checked schedule whose table has sends and receives, cell after cell as each rank has them. A SEND hands its
 * message over when the rank comes to it; the message arrives one latency later. With PP_TRANSFER_SENDER the rank
 * stands in its SEND until then, with PP_TRANSFER_RENDEZVOUS both ranks stand in SEND and RECV from when both have come
 * to them. receive: PP_RECEIVE_...; UNSHARD, RESHARD and REDUCE_GRAD take no time. scratch: pp_table_scratch_bytes.
 * blocked: NULL, or ranks entries; on DEADLOCK the cell each rank stands before, -1 if it finished.
 * Fails with MISSING, DUPLICATE, ORDER, TRANSFER (a transfer that no action needs), DEADLOCK or OVERFLOW. */
PP_EXPORT(pp_table_scratch_bytes) size_t pp_table_scratch_bytes(const pp_table *table, const pp_schedule *schedule);
PP_EXPORT(pp_table_simulate)
int32_t pp_table_simulate(const pp_table *table, const pp_schedule *schedule, const double *costs, int32_t transfer,
                          int32_t receive, void *scratch, pp_timeline *timeline, int32_t *blocked, pp_fault *fault);

/* Puts the times of the file into the timeline of its checked schedule, the first start at 0. */
PP_EXPORT(pp_table_measured)
void pp_table_measured(const pp_table *table, const pp_schedule *schedule, pp_timeline *timeline);
/* The figures that need nothing but times, whatever ran: makespan, span, busy, idle, utilization, bubbles, lower_bound
 * (the busiest rank), fill_end, drain_start; per rank busy, idle, first, last. Other fields are left as they are.
 * Fails with RECORD: no times in the file, or one action of a rank starts before the one before it has finished; or with
 * OVERFLOW: the sums are beyond what a double holds. */
PP_EXPORT(pp_table_report)
int32_t pp_table_report(const pp_table *table, pp_summary *summary, pp_rank_report *ranks, pp_fault *fault);

/* Can PyTorch's actions say this schedule? PP_OK or INEXPRESSIBLE: the fault's a tells why, its fix what they can say. */
int32_t pp_torch_check(const pp_schedule *schedule, pp_fault *fault);

/* A schedule as PyTorch's table. Each column is a step in which every slot takes one: an action stands in the first
 * column after the one before it on its rank and after the one whose output it needs; the rest are blanks. (PyTorch's
 * generators place blanks by rules of their own, which differ from one to the next; its reader passes over them.)
 * timeline: checked. Fails with INEXPRESSIBLE (pp_torch_check), TOO_LARGE (more than 2^28 columns in all) or
 * CAPACITY. */
PP_EXPORT(pp_table_make_bytes) size_t pp_table_make_bytes(const pp_schedule *schedule);
PP_EXPORT(pp_table_make)
int32_t pp_table_make(const pp_schedule *schedule, const pp_timeline *timeline, void *memory, size_t bytes,
                      pp_fault *fault);

/* Passes from computing alone to all that PyTorch's runtime executes, in its order (torch.distributed.pipelining). Each
 * reads one table and writes another. */
enum {
    PP_LOWER_COMPUTE = 1,  /* drop blanks and communication */
    PP_LOWER_MERGE = 2,    /* an I directly followed by its W becomes a B */
    PP_LOWER_SHARD = 4,    /* UNSHARD and RESHARD: a rank holds the weights of the next 3 stages it will run */
    PP_LOWER_REDUCE = 8,   /* REDUCE_GRAD after a stage's last B or W */
    PP_LOWER_TRANSFER = 16 /* SEND after an action whose output goes to another rank, RECV posted there at once */
};
/* 1 if what is to be written starts from the table that was read, blanks and all; 0 if from one that pp_table_make
 * makes of its schedule: for our CSV and JSON, and where computing alone is asked for. */
PP_EXPORT(pp_file_keeps) int32_t pp_file_keeps(const pp_file *file, const pp_table *table);
/* The passes that options comms and merge then ask for, 0 for none. */
PP_EXPORT(pp_lower_passes) int32_t pp_lower_passes(const pp_file *file);
PP_EXPORT(pp_table_lower_bytes) size_t pp_table_lower_bytes(const pp_table *table, const pp_schedule *schedule);
/* Runs passes in the order above. schedule: the table's own, accepted by pp_check. PP_OK or CAPACITY. */
PP_EXPORT(pp_table_lower)
int32_t pp_table_lower(const pp_table *table, const pp_schedule *schedule, int32_t passes, void *memory, size_t bytes,
                       pp_fault *fault);
/* PyTorch's simulated_steps of a lowered table: every cell counts as one step. -1 if it waits for itself. */
PP_EXPORT(pp_table_steps)
int32_t pp_table_steps(const pp_table *table, const pp_schedule *schedule, void *scratch);

/* Writes PyTorch's CSV, lines ended by LF, at most capacity bytes with the closing zero, and returns the length the
 * whole text needs, -1 if that is 2^31 or more. table: of PP_FORMAT_TORCH. */
PP_EXPORT(pp_table_print)
int32_t pp_table_print(const pp_table *table, int32_t letters, char *out, int32_t capacity);

/* Costs from a file, one row for each that it tells:
 *   - our CSV or JSON of actions with times (pp_table_parse): the mean of each stage and op. Times of a fused slot
 *     count for the overlap of its F's stage, and no less than its F or B alone;
 *   - JSON with lists of costs under the names of the options ("forward": [1, 2], or one number), or "stages": an array
 *     of objects with one number each; F, B, I, W, R will do for names;
 *   - CSV with a column "stage" and columns of costs;
 *   - what Megatron-LM's timers print (--timing-log-level 2): forward-compute and backward-compute of a step, in ms.
 *     They are divided by the micro-batches and chunks of config. With times of all ranks each stage gets those of its
 *     rank (the mean where several ranks share a stage); with (min, max) or max alone every stage gets the max, since
 *     the dump does not tell whose it is: the step then comes out no shorter than it was. The last report in the text
 *     counts. */
typedef struct pp_profile {
    int32_t count[PP_COST_ROWS]; /* numbers in each row: 0, 1, or one per stage */
    double *values[PP_COST_ROWS];
} pp_profile;

/* config: the run that was measured; NULL where unknown, which only a timer dump minds. Fails as pp_table_parse does,
 * and with PROFILE (the fault's a tells why) or CAPACITY. */
PP_EXPORT(pp_profile_bytes) size_t pp_profile_bytes(const char *text, int32_t length, const pp_config *config);
PP_EXPORT(pp_profile_parse)
int32_t pp_profile_parse(const char *text, int32_t length, const pp_config *config, void *memory, size_t bytes,
                         pp_fault *fault);
PP_EXPORT(pp_profile_count) int32_t pp_profile_count(const pp_profile *profile, int32_t row);
PP_EXPORT(pp_profile_values) const double *pp_profile_values(const pp_profile *profile, int32_t row);
/* The option that gives a row of costs, -1 where none does. */
PP_EXPORT(pp_cost_option) int32_t pp_cost_option(int32_t row);

/* ---- 6b. A plan from what was measured ------------------------------------------------------------------------ */

/* The layers of a network that ran: what each costs, so that any cut of them can be timed; and how far the time of a step
 * was off what had been predicted.
 *
 * JSON may have, beside what pp_profile_parse reads of it,
 *     "layers"      an object per layer: "forward" and "backward", or "forward", "input" and "weight" (letters do, too)
 *     "sizes"       layers of each stage of the run
 *     "makespans"   times of steps that were measured
 * Each layer's share of its stage follows from "layers"; without them the layers of a stage are alike; without sizes a
 * stage is one layer, and cannot be cut. Where stages were measured, the layers of a stage add up to it: F to its F, I and
 * W to its backward, in the proportion that the layers tell, else the stage, else in halves. */
typedef struct pp_plan {
    int32_t layers;
    int32_t stages;    /* of the run, 0: the file tells of layers alone */
    int32_t steps;     /* how many makespans */
    int32_t split;     /* 1: I and W were told apart */
    int32_t *sizes;    /* layers of each stage of the run */
    double *cost;      /* F, I and W, a row of layers each */
    double *weight;    /* F + I + W of each layer */
    double *makespans; /* ascending */
} pp_plan;

/* profile: of the same text, NULL where pp_profile_parse finds none. sizes: NULL, or size_count layers of each stage
 * that count instead of the file's. Fails with PROFILE (the fault's a tells why), RECORD or CAPACITY. */
PP_EXPORT(pp_plan_bytes)
size_t pp_plan_bytes(const char *text, int32_t length, const pp_profile *profile, const int32_t *sizes,
                     int32_t size_count);
PP_EXPORT(pp_plan_parse)
int32_t pp_plan_parse(const char *text, int32_t length, const pp_profile *profile, const int32_t *sizes,
                      int32_t size_count, void *memory, size_t bytes, pp_fault *fault);
PP_EXPORT(pp_plan_layers) int32_t pp_plan_layers(const pp_plan *plan);
PP_EXPORT(pp_plan_stages) int32_t pp_plan_stages(const pp_plan *plan);
PP_EXPORT(pp_plan_split) int32_t pp_plan_split(const pp_plan *plan);
PP_EXPORT(pp_plan_sizes) const int32_t *pp_plan_sizes(const pp_plan *plan);
PP_EXPORT(pp_plan_costs) const double *pp_plan_costs(const pp_plan *plan);
PP_EXPORT(pp_plan_weights) const double *pp_plan_weights(const pp_plan *plan);
/* F, I and W of all layers per unit of weight: with the weights as layers, these three are costs of a request. */
PP_EXPORT(pp_plan_units) void pp_plan_units(const pp_plan *plan, double *units);
/* F, I and W, a row of stages each, of stages with so many layers. sizes add up to the layers of the plan. */
PP_EXPORT(pp_plan_stage_costs)
void pp_plan_stage_costs(const pp_plan *plan, const int32_t *sizes, int32_t stages, double *costs);
/* What messages took: the mean of start - finish of its input, over all actions that waited for one from another rank and
 * for nothing else; 0 if none did. Columns of a measured step as in pp_schedule_columns and pp_timeline. */
PP_EXPORT(pp_measured_latency)
double pp_measured_latency(int32_t count, const int32_t *rank, const int32_t *input, const double *start,
                           const double *finish);

#define PP_OUTCOME_FIELDS(X)                                                                                           \
    X(predicted)                                                                                                       \
    X(measured)      /* median of the steps, or the one step there is */                                               \
    X(low)           /* the fastest */                                                                                 \
    X(high)          /* and the slowest of them */                                                                     \
    X(ratio)         /* measured / predicted */                                                                        \
    X(noise)         /* (high - low) / measured */                                                                     \
    X(gain)          /* 1 - predicted / before, NaN where nothing was before: as expected */                           \
    X(gain_measured) /* 1 - measured / measured before, likewise */
typedef struct pp_outcome {
    PP_OUTCOME_FIELDS(PP_RECORD_DOUBLE)
} pp_outcome;
/* plan: of the file that was measured. one: the time of the step it shows, for where it tells no makespans. before,
 * measured_before: the step to compare with, as predicted and as measured, 0 for none. */
PP_EXPORT(pp_plan_outcome)
void pp_plan_outcome(const pp_plan *plan, double predicted, double one, double before, double measured_before,
                     pp_outcome *out);
PP_EXPORT(pp_outcome_field_name) const char *pp_outcome_field_name(int32_t field);
/* 1 - after / before; NaN where before is 0. */
PP_EXPORT(pp_plan_gain) double pp_plan_gain(double before, double after);

/* ---- 7. Memory, for a caller on the other side of the WebAssembly border -------------------------------------- */

#if defined(__wasm__)
/* bytes of memory, 8-byte aligned, released by pp_free; NULL when there is no more. */
PP_EXPORT(pp_alloc) void *pp_alloc(size_t bytes);
PP_EXPORT(pp_free) void pp_free(void *memory);
#endif

#ifdef __cplusplus
}
#endif
#endif
