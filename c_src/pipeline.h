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
 *     pp_schedule_make     pp_config                            ->  pp_schedule
 *     pp_check             pp_schedule                          ->  pp_timeline (who waits for whom; or the deadlock)
 *     pp_simulate          pp_timeline + costs                  ->  start and finish of each action
 *     pp_report            pp_timeline                          ->  pp_summary, pp_rank_report
 *     pp_idle_fill, pp_critical_path, pp_waits                  ->  the reasons
 *
 * Only pp_config_parse, pp_costs_parse and pp_schedule_parse accept text of unknown origin; they never read past its
 * length and refuse before anything is allocated. Passing a wrong pointer or a wrong size elsewhere is a fault of the
 * caller and is caught by assert in debug builds.
 */
#ifndef PIPELINE_H
#define PIPELINE_H

#include <stddef.h>
#include <stdint.h>

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
#define PP_STATUSES(X)                                                                                               \
    X(PP_OK, "ok")                                                                                                   \
    /* the request: an option, alone */                                                                              \
    X(PP_ERR_OPTION_UNKNOWN, "option-unknown")                                                                       \
    X(PP_ERR_OPTION_TWICE, "option-twice")                                                                           \
    X(PP_ERR_NOT_A_NUMBER, "not-a-number")                                                                           \
    X(PP_ERR_NOT_WHOLE, "not-whole")                                                                                 \
    X(PP_ERR_RANGE, "range")                                                                                         \
    X(PP_ERR_NAME_UNKNOWN, "name-unknown")                                                                           \
    X(PP_ERR_LIST_LENGTH, "list-length")                                                                             \
    X(PP_ERR_COST_SPLIT, "cost-split")                                                                               \
    X(PP_ERR_COST_OVERLAP, "cost-overlap")                                                                           \
    X(PP_ERR_TOO_LARGE, "too-large")                                                                                 \
    /* the request: options that do not go together */                                                               \
    X(PP_ERR_OPTION_MEANINGLESS, "option-meaningless")                                                               \
    X(PP_ERR_CHUNKS, "chunks")                                                                                       \
    X(PP_ERR_CHUNKS_EVEN, "chunks-even")                                                                             \
    X(PP_ERR_GROUP, "group")                                                                                         \
    X(PP_ERR_GROUP_REMAINDER, "group-remainder")                                                                     \
    X(PP_ERR_GROUP_HALF, "group-half")                                                                               \
    X(PP_ERR_GROUP_UPDATE, "group-update")                                                                           \
    X(PP_ERR_ROUNDS, "rounds")                                                                                       \
    X(PP_ERR_RANKS_EVEN, "ranks-even")                                                                               \
    X(PP_ERR_MICROBATCHES_EVEN, "microbatches-even")                                                                 \
    X(PP_ERR_MICROBATCHES_FEW, "microbatches-few")                                                                   \
    X(PP_ERR_MICROBATCHES_MULTIPLE, "microbatches-multiple")                                                         \
    X(PP_ERR_PIPES, "pipes")                                                                                         \
    X(PP_ERR_MEMORY_LIMIT, "memory-limit")                                                                           \
    /* a schedule */                                                                                                 \
    X(PP_ERR_SYNTAX, "syntax")                                                                                       \
    X(PP_ERR_EMPTY, "empty")                                                                                         \
    X(PP_ERR_STAGE_UNKNOWN, "stage-unknown")                                                                         \
    X(PP_ERR_STAGE_TWO_RANKS, "stage-two-ranks")                                                                     \
    X(PP_ERR_MISSING, "missing")                                                                                     \
    X(PP_ERR_DUPLICATE, "duplicate")                                                                                 \
    X(PP_ERR_ORDER, "order")                                                                                         \
    X(PP_ERR_SPLIT_MIX, "split-mix")                                                                                 \
    X(PP_ERR_DEADLOCK, "deadlock")                                                                                   \
    X(PP_ERR_OVERFLOW, "overflow")                                                                                   \
    /* the toy network */                                                                                            \
    X(PP_ERR_BATCH, "batch")                                                                                         \
    X(PP_ERR_NO_BACKWARD, "no-backward")                                                                             \
    X(PP_ERR_LAYERS, "layers")                                                                                       \
    X(PP_ERR_DIVERGED, "diverged")                                                                                   \
    X(PP_STEP_DONE, "step-done")   /* not an error: the run has finished a step */                                   \
    /* memory given by the caller */                                                                                 \
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
#define PP_FAULT_FIELDS(X)                                                                                           \
    X(code)            /* pp_status */                                                                               \
    X(option)          /* pp_option the fault lies in */                                                             \
    X(rank)            /* rank, or row of a file from 0 */                                                           \
    X(index)           /* slot in that rank's list, or column of a file from 0 */                                    \
    X(stage)           /* the action at fault */                                                                     \
    X(op)                                                                                                            \
    X(microbatch)                                                                                                    \
    X(wait_rank)       /* the rank and action it waits for */                                                        \
    X(wait_stage)                                                                                                    \
    X(wait_op)                                                                                                       \
    X(wait_microbatch)                                                                                               \
    X(cycle)           /* ranks in the circle of waiting */                                                          \
    X(a)               /* numbers of the rule, see faults.c */                                                       \
    X(b)                                                                                                             \
    X(c)                                                                                                             \
    X(schedule)        /* pp_schedule_id the rule belongs to */                                                      \
    X(fix_option)      /* nearest legal choice: this option .. */                                                    \
    X(fix2_option)     /* .. or this one, -1 if there is no second */

typedef struct pp_fault {
#define PP_FAULT_INT(field) int32_t field;
    PP_FAULT_FIELDS(PP_FAULT_INT)
#undef PP_FAULT_INT
    char seen[64];     /* the text seen, cut to fit */
    char fix_value[32];
    char fix2_value[32];
} pp_fault;

PP_EXPORT(pp_fault_bytes) int32_t pp_fault_bytes(void);
PP_EXPORT(pp_fault_field_count) int32_t pp_fault_field_count(void);
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
 * Kinds: N whole number, E one of a list of names, L one cost or one per stage, M micro-batches with optional "p". */
#define PP_OPTIONS(X)                                                                                                \
    X(PP_OPT_SCHEDULE, "schedule", 's', 'E')                                                                         \
    X(PP_OPT_RANKS, "ranks", 'p', 'N')                                                                               \
    X(PP_OPT_MICROBATCHES, "microbatches", 'm', 'N')                                                                 \
    X(PP_OPT_CHUNKS, "chunks", 'v', 'N')                                                                             \
    X(PP_OPT_GROUP, "group", 0, 'N')                                                                                 \
    X(PP_OPT_DIALECT, "dialect", 0, 'E')                                                                             \
    X(PP_OPT_BACKWARD_ORDER, "backward-order", 0, 'E')                                                               \
    X(PP_OPT_RECOMPUTE, "recompute", 0, 'E')                                                                         \
    X(PP_OPT_TRANSFER, "transfer", 0, 'E')                                                                           \
    X(PP_OPT_PIPES, "pipes", 0, 'N')                                                                                 \
    X(PP_OPT_SLICES, "slices", 0, 'N')                                                                               \
    X(PP_OPT_MEMORY_LIMIT, "memory-limit", 0, 'M')                                                                   \
    X(PP_OPT_EXTRA_WARMUP, "extra-warmup", 0, 'N')                                                                   \
    X(PP_OPT_WARMUP_FACTOR, "warmup-factor", 0, 'N')                                                                 \
    X(PP_OPT_PLACEMENT, "placement", 0, 'E')                                                                         \
    X(PP_OPT_FORWARD, "forward", 0, 'L')                                                                             \
    X(PP_OPT_BACKWARD, "backward", 0, 'L')                                                                           \
    X(PP_OPT_INPUT_GRADIENT, "input-gradient", 0, 'L')                                                               \
    X(PP_OPT_WEIGHT_GRADIENT, "weight-gradient", 0, 'L')                                                             \
    X(PP_OPT_RECOMPUTE_COST, "recompute-cost", 0, 'L')                                                               \
    X(PP_OPT_OVERLAP_COST, "overlap-cost", 0, 'L')                                                                   \
    X(PP_OPT_LATENCY, "latency", 0, 'L')

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
/* Kind as a character code: 'N', 'E', 'L' or 'M' as above. */
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

/* The scalars of a request after pp_config_parse; whoever fills it by hand starts from pp_config_default. */
#define PP_CONFIG_FIELDS(X)                                                                                          \
    X(schedule)        /* pp_schedule_id */                                                                          \
    X(ranks)                                                                                                         \
    X(microbatches)                                                                                                  \
    X(chunks)                                                                                                        \
    X(group)           /* micro-batches per group and chunk of interleaved schedules, per update of 2bw */           \
    X(dialect)                                                                                                       \
    X(backward_order)                                                                                                \
    X(recompute)                                                                                                     \
    X(transfer)                                                                                                      \
    X(pipes)           /* pipes of bidirectional schedules, both directions counted */                               \
    X(slices)          /* sequence slices per micro-batch */                                                         \
    X(memory_limit)    /* micro-batches in flight, 0: the schedule's own default */                                  \
    X(extra_warmup)                                                                                                  \
    X(warmup_factor)   /* forwards of the interleaved warm-up per rank still below: 2 hides latency, 1 saves memory */\
    X(placement)                                                                                                     \
    X(stages)          /* derived: ranks * chunks, or ranks for bidirectional schedules */

typedef struct pp_config {
#define PP_CONFIG_INT(field) int32_t field;
    PP_CONFIG_FIELDS(PP_CONFIG_INT)
#undef PP_CONFIG_INT
} pp_config;

PP_EXPORT(pp_config_bytes) int32_t pp_config_bytes(void);
PP_EXPORT(pp_config_field_count) int32_t pp_config_field_count(void);
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
    PP_COST_BACKWARD,  /* always input + weight */
    PP_COST_RECOMPUTE,
    PP_COST_OVERLAP,
    PP_COST_LATENCY,
    PP_COST_ROWS
};
PP_EXPORT(pp_costs_bytes) int32_t pp_costs_bytes(const pp_config *config);

/* Reads the cost lists of the same request into costs (pp_costs_bytes(config) bytes, caller's).
 * A list is one number for all stages or one per stage, separated by ';', blanks or ','. A lone comma is a decimal
 * comma ("0,5" is one half) unless exactly two stages ask for a list of two ("1,2"); where ';' or a blank separates, a
 * comma is decimal. Defaults: F = I = W = 1, B = I + W, R = F, overlap = F + B, latency 0; B alone is split in halves.
 * Fails with NOT_A_NUMBER, RANGE, LIST_LENGTH, COST_SPLIT (B given with I or W that do not add up) or COST_OVERLAP
 * (below the longer of F and B). */
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
/* The closed form of the makespan as one line of plain text in the letters of this header, "" if there is none. */
PP_EXPORT(pp_schedule_formula) const char *pp_schedule_formula(int32_t id);

enum { PP_F, PP_B, PP_I, PP_W, PP_R, PP_OP_COUNT };
/* "F", "B", "I", "W", "R". */
PP_EXPORT(pp_op_name) const char *pp_op_name(int32_t op);

/* One action, 8 bytes. With sequence slices, microbatch is a *unit*: micro-batch * slices + slice. */
typedef struct pp_action {
    int32_t microbatch;
    uint16_t stage;
    uint8_t op;
    uint8_t fused;     /* 1: shares its slot with the next action of the list */
} pp_action;

/* A schedule: ranks' lists end to end. The struct stands at the head of the slab it was made in, and its pointers
 * point into that slab: it lives as long as the caller's memory, and is freed with it. */
typedef struct pp_schedule {
    int32_t schedule;         /* pp_schedule_id, -1 for one read from a file */
    int32_t ranks;
    int32_t stages;
    int32_t microbatches;
    int32_t slices;
    int32_t pipes;            /* copies of the stages, 1 unless bidirectional */
    int32_t placement;
    int32_t recompute;        /* NONE, LATE or EARLY; PP_RECOMPUTE_LATE: an R also waits for its backward's gradient */
    int32_t action_count;
    int32_t trains;           /* 1: has a backward pass */
    int32_t *rank_begin;      /* ranks + 1 offsets into actions */
    int32_t *stage_rank;      /* pipes * stages: the rank that holds a stage */
    int32_t *unit_pipe;       /* pipe of each unit (microbatches * slices), NULL when pipes is 1 */
    pp_action *actions;
} pp_schedule;

/* Bytes pp_schedule_make needs. At most about 1 GiB: larger requests were refused by pp_config_parse. */
PP_EXPORT(pp_schedule_bytes) size_t pp_schedule_bytes(const pp_config *config);
/* Fills memory (8-byte aligned, caller's) with the schedule. Returns PP_OK, PP_ERR_CAPACITY (bytes too few), or the
 * refusal of the schedule's own rule, which pp_config_parse gives too. The schedule is valid: pp_check accepts it. */
PP_EXPORT(pp_schedule_make)
int32_t pp_schedule_make(const pp_config *config, void *memory, size_t bytes, pp_fault *fault);

/* For callers that do not see the struct. */
PP_EXPORT(pp_schedule_ranks) int32_t pp_schedule_ranks(const pp_schedule *schedule);
PP_EXPORT(pp_schedule_stages) int32_t pp_schedule_stages(const pp_schedule *schedule);
PP_EXPORT(pp_schedule_microbatches) int32_t pp_schedule_microbatches(const pp_schedule *schedule);
PP_EXPORT(pp_schedule_slices) int32_t pp_schedule_slices(const pp_schedule *schedule);
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
    int32_t transfer;         /* PP_TRANSFER_... of the last pp_simulate, -1 before the first */
    int32_t *input;           /* the action whose output this one waits for, -1 for none */
    uint32_t *runs;           /* pieces of the ranks' lists, in an order in which all comes after what it waits for */
    int32_t run_count;
    int32_t fused;            /* 1: the schedule has fused slots */
    double *start;
    double *finish;
    double *rank_scratch;     /* for the library's own use */
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

PP_EXPORT(pp_timeline_start) const double *pp_timeline_start(const pp_timeline *timeline);
PP_EXPORT(pp_timeline_finish) const double *pp_timeline_finish(const pp_timeline *timeline);
PP_EXPORT(pp_timeline_input) const int32_t *pp_timeline_input(const pp_timeline *timeline);

/* All figures of one timed step, doubles in ticks unless said. A fraction is exact where every cost is whole: then
 * numerator and denominator are set, in lowest terms; else the denominator is 0. */
#define PP_SUMMARY_FIELDS(X)                                                                                         \
    X(makespan)                                                                                                      \
    X(span)                                                                                                          \
    X(busy)                      /* over all ranks */                                                                \
    X(idle)                                                                                                          \
    X(utilization)               /* busy / (ranks * makespan) */                                                     \
    X(utilization_numerator)                                                                                         \
    X(utilization_denominator)                                                                                       \
    X(bubble_fraction)           /* idle / (ranks * makespan) */                                                     \
    X(bubble_fraction_numerator)                                                                                     \
    X(bubble_fraction_denominator)                                                                                   \
    X(bubble_ratio)              /* idle / busy */                                                                   \
    X(bubble_ratio_numerator)                                                                                        \
    X(bubble_ratio_denominator)                                                                                      \
    X(bubble_rate)               /* (span - busy / ranks) / span */                                                  \
    X(lower_bound)               /* no order of these actions on these ranks is shorter */                           \
    X(fill_end)                  /* all ranks have started */                                                        \
    X(drain_start)               /* the first rank has finished; before fill_end when no rank set is ever full */    \
    X(latency_first)             /* micro-batch 0, from its first start to its last finish */                        \
    X(latency_largest)           /* the slowest micro-batch */                                                       \
    X(cadence)                   /* busy time of the busiest rank per micro-batch: the steady rate */                \
    X(cadence_rank)                                                                                                  \
    X(throughput)                /* micro-batches per tick */                                                        \
    X(forward_sum)               /* F of one micro-batch through all stages */                                       \
    X(backward_sum)              /* B likewise; 0 without a backward */                                              \
    X(peak_activations)          /* chunks in flight, the largest of the ranks */                                    \
    X(transfers_forward)         /* messages between different ranks */                                              \
    X(transfers_backward)                                                                                            \
    X(formula)                   /* closed form of the makespan for this schedule and shape, -1 if none */           \
    X(formula_holds)             /* 1: costs equal on all stages, no latency, so the closed form is the makespan */

typedef struct pp_summary {
#define PP_SUMMARY_DOUBLE(field) double field;
    PP_SUMMARY_FIELDS(PP_SUMMARY_DOUBLE)
#undef PP_SUMMARY_DOUBLE
} pp_summary;

#define PP_RANK_FIELDS(X)                                                                                            \
    X(busy)                                                                                                          \
    X(idle)                      /* makespan - busy */                                                               \
    X(first)                     /* first start */                                                                   \
    X(last)                      /* last finish */                                                                   \
    X(peak_activations)          /* chunks, from the start of F to the end of B or W */                              \
    X(weight_versions)                                                                                               \
    X(warmup)                    /* forwards before the first backward */

typedef struct pp_rank_report {
#define PP_RANK_DOUBLE(field) double field;
    PP_RANK_FIELDS(PP_RANK_DOUBLE)
#undef PP_RANK_DOUBLE
} pp_rank_report;

/* Names and number of the doubles in the two structs, for callers that read them as plain columns. */
PP_EXPORT(pp_summary_field_count) int32_t pp_summary_field_count(void);
PP_EXPORT(pp_summary_field_name) const char *pp_summary_field_name(int32_t field);
PP_EXPORT(pp_rank_field_count) int32_t pp_rank_field_count(void);
PP_EXPORT(pp_rank_field_name) const char *pp_rank_field_name(int32_t field);

/* Fills summary and ranks reports (ranks entries) from a simulated timeline. config may be NULL (a schedule from a
 * file): then there is no closed form. scratch: pp_report_scratch_bytes(schedule), caller's. Cannot fail. */
PP_EXPORT(pp_report_scratch_bytes) size_t pp_report_scratch_bytes(const pp_schedule *schedule);
PP_EXPORT(pp_report)
void pp_report(const pp_schedule *schedule, const pp_config *config, const double *costs, const pp_timeline *timeline,
               void *scratch, pp_summary *summary, pp_rank_report *ranks);

/* Why a rank is idle. */
enum {
    PP_IDLE_FILL,      /* before the rank's first action: its input has not come through yet */
    PP_IDLE_INPUT,     /* between two actions: waits for the input of the next */
    PP_IDLE_TRANSFER,  /* the input is made but still on its way, or the message occupies the rank */
    PP_IDLE_DRAIN      /* after the rank's last action, until the step ends */
};
/* One idle interval; doubles so that a caller can read it as columns. */
#define PP_IDLE_FIELDS(X)                                                                                            \
    X(rank)                                                                                                          \
    X(start)                                                                                                         \
    X(finish)                                                                                                        \
    X(reason)                    /* PP_IDLE_... */                                                                   \
    X(before)                    /* the action that ends the wait, -1 for a drain */                                 \
    X(waits_for)                 /* the action whose output is awaited, -1 for none */
typedef struct pp_idle {
#define PP_IDLE_DOUBLE(field) double field;
    PP_IDLE_FIELDS(PP_IDLE_DOUBLE)
#undef PP_IDLE_DOUBLE
} pp_idle;
PP_EXPORT(pp_idle_field_count) int32_t pp_idle_field_count(void);
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
PP_EXPORT(pp_bound_by)
int32_t pp_bound_by(const pp_schedule *schedule, const double *costs, const pp_timeline *timeline, int32_t action);

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
 *     pp_gradient_difference, pp_weight_difference    how far the two are apart
 *
 * Each object stands at the head of the memory it was made in (8-byte aligned, the caller's) and is freed with it. A
 * run keeps pointers to its schedule, timeline, network and data: they must outlive it and stay where they are.
 *
 * Mean: the loss and every gradient are means over the samples of the whole batch. Micro-batches add sums, whatever
 * their sizes; the end of the step divides once. A sample whose label is negative has none: it counts for nothing.
 *
 * float32. Weight gradients add sample by sample, so a schedule whose backwards come in ascending order of
 * micro-batches at every stage gives the bits of the reference (pp_run_sums_in_order); others agree to rounding. */

/* X(id, name, kind): kinds as in PP_OPTIONS, and R, a number with decimals. Numbered after PP_OPTIONS, so that a fault
 * can name either. */
#define PP_TRAINING_OPTIONS(X)                                                                                       \
    X(PP_TRAIN_DATA, "data", 'E')                                                                                    \
    X(PP_TRAIN_WIDTH, "width", 'N')            /* units of a hidden layer */                                         \
    X(PP_TRAIN_DEPTH, "depth", 'N')            /* dense layers; 0 or none given: by the number of stages */          \
    X(PP_TRAIN_ACTIVATION, "activation", 'E')                                                                        \
    X(PP_TRAIN_LOSS, "loss", 'E')                                                                                    \
    X(PP_TRAIN_BATCH, "batch", 'N')            /* samples a step; 0 or none given: 32, or one per micro-batch */     \
    X(PP_TRAIN_STEPS, "steps", 'N')                                                                                  \
    X(PP_TRAIN_SEED, "seed", 'N')                                                                                    \
    X(PP_TRAIN_RATE, "rate", 'R')              /* learning rate of plain gradient descent; none given: by depth */   \
    X(PP_TRAIN_INIT, "init", 'E')

enum {
    PP_TRAIN_BEFORE_FIRST = PP_OPT_COUNT - 1,
#define PP_TRAINING_OPTION_ENUM(id, name, kind) id,
    PP_TRAINING_OPTIONS(PP_TRAINING_OPTION_ENUM)
#undef PP_TRAINING_OPTION_ENUM
        PP_TRAIN_END
};

/* X(id, name, samples, features, classes). The pictures in the plane are made from a seed; iris the caller gives. */
#define PP_DATA_KINDS(X)                                                                                             \
    X(PP_DATA_SPIRALS, "spirals", 256, 2, 2)                                                                         \
    X(PP_DATA_CIRCLES, "circles", 256, 2, 2)                                                                         \
    X(PP_DATA_XOR, "xor", 256, 2, 2)                                                                                 \
    X(PP_DATA_IRIS, "iris", 150, 4, 3)

enum {
#define PP_DATA_ENUM(id, name, samples, features, classes) id,
    PP_DATA_KINDS(PP_DATA_ENUM)
#undef PP_DATA_ENUM
};
enum { PP_ACTIVATION_TANH, PP_ACTIVATION_RELU, PP_ACTIVATION_IDENTITY };
enum { PP_LOSS_CROSS_ENTROPY, PP_LOSS_SQUARED_ERROR };
/* Whole: weights, biases and features are small whole numbers, so that (with relu or identity, squared error and a
 * batch of a power of two) every sum of the first step is exact in float and must not depend on its order. */
enum { PP_INIT_RANDOM, PP_INIT_WHOLE };

/* X(type, field). The last three follow from the data and the loss. */
#define PP_TRAINING_FIELDS(X)                                                                                        \
    X(int32_t, data)                                                                                                 \
    X(int32_t, width)                                                                                                \
    X(int32_t, depth)                                                                                                \
    X(int32_t, activation)                                                                                           \
    X(int32_t, loss)                                                                                                 \
    X(int32_t, batch)                                                                                                \
    X(int32_t, steps)                                                                                                \
    X(int32_t, seed)                                                                                                 \
    X(double, rate)                                                                                                  \
    X(int32_t, init)                                                                                                 \
    X(int32_t, samples)                                                                                              \
    X(int32_t, inputs)                                                                                               \
    X(int32_t, outputs)

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
 * OPTION_TWICE, NOT_A_NUMBER, NOT_WHOLE, RANGE, or NAME_UNKNOWN; training is then undefined. */
PP_EXPORT(pp_training_parse)
int32_t pp_training_parse(const char *text, int32_t length, pp_training *training, pp_fault *fault);

/* Fills depth, batch and rate where they were not given, and checks that they fit the schedule. Fails with LAYERS
 * (fewer layers than stages), BATCH (fewer samples than micro-batches) or TOO_LARGE (the run would pass 512 MiB). */
PP_EXPORT(pp_training_fit)
int32_t pp_training_fit(pp_training *training, int32_t stages, int32_t microbatches, pp_fault *fault);

/* Training needs a schedule with a backward; a run of one without only evaluates. PP_OK or NO_BACKWARD. */
PP_EXPORT(pp_training_needs_backward)
int32_t pp_training_needs_backward(const pp_schedule *schedule, pp_fault *fault);

/* Layers a network has when none were asked for: the smallest multiple of the stages that is at least 4. */
PP_EXPORT(pp_network_default_layers) int32_t pp_network_default_layers(int32_t stages);

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

/* Memory of a network of `layers` dense layers: widths has layers + 1 entries. */
PP_EXPORT(pp_network_bytes) size_t pp_network_bytes(const int32_t *widths, int32_t layers, int32_t stages);
/* cuts: stages + 1 layer numbers, stage s has layers cuts[s] .. cuts[s+1]-1; NULL cuts as evenly as can be, longer
 * stages first. Every stage has a layer. All weights are zero: pp_network_seed fills them.
 * Returns PP_OK, PP_ERR_LAYERS (fewer layers than stages, or cuts that do not ascend from 0 to layers) or CAPACITY. */
PP_EXPORT(pp_network_init)
int32_t pp_network_init(const int32_t *widths, int32_t layers, int32_t stages, const int32_t *cuts, int32_t activation,
                        int32_t loss, void *memory, size_t bytes);
/* Starting weights: PP_INIT_...; the same for the same seed, whatever the stages. */
PP_EXPORT(pp_network_seed) void pp_network_seed(pp_network *network, int32_t init, int32_t seed);
/* Weights and gradients of one network into another of the same widths. */
PP_EXPORT(pp_network_copy) void pp_network_copy(pp_network *to, const pp_network *from);

PP_EXPORT(pp_network_layers) int32_t pp_network_layers(const pp_network *network);
PP_EXPORT(pp_network_stages) int32_t pp_network_stages(const pp_network *network);
PP_EXPORT(pp_network_inputs) int32_t pp_network_inputs(const pp_network *network);
PP_EXPORT(pp_network_outputs) int32_t pp_network_outputs(const pp_network *network);
PP_EXPORT(pp_network_widths) const int32_t *pp_network_widths(const pp_network *network);
PP_EXPORT(pp_network_cuts) const int32_t *pp_network_cuts(const pp_network *network);
PP_EXPORT(pp_network_parameter_count) int32_t pp_network_parameter_count(const pp_network *network);
/* Layer l: weights [input][output], then biases, from layer_begin[l] on (layers + 1 entries); gradients likewise: the
 * mean of the last finished step. */
PP_EXPORT(pp_network_layer_begin) const int32_t *pp_network_layer_begin(const pp_network *network);
PP_EXPORT(pp_network_parameters) float *pp_network_parameters(pp_network *network);
PP_EXPORT(pp_network_gradients) float *pp_network_gradients(pp_network *network);

/* Mean loss over all samples, and the share of them whose class is told right. The network's scratch is used. */
PP_EXPORT(pp_network_loss) double pp_network_loss(pp_network *network, const pp_data *data);
PP_EXPORT(pp_network_accuracy) double pp_network_accuracy(pp_network *network, const pp_data *data);
/* Runs `rows` points (rows * inputs floats) through the network. outputs: NULL, or rows * outputs floats:
 * probabilities with cross entropy, the raw outputs otherwise. classes: NULL, or the class of each point. */
PP_EXPORT(pp_network_predict)
void pp_network_predict(pp_network *network, const float *points, int32_t rows, float *outputs, int32_t *classes);

/* The yardstick: gradients of step number `step` (from 0) over its whole batch at once, left in the network, and the
 * update of its weights. loss: NULL, or the mean loss before the update. memory: pp_reference_bytes, caller's.
 * Returns PP_OK, CAPACITY, or DIVERGED (a loss or gradient is not finite; the weights stay as they were). */
PP_EXPORT(pp_reference_bytes) size_t pp_reference_bytes(const pp_network *network, const pp_training *training);
PP_EXPORT(pp_reference_step)
int32_t pp_reference_step(pp_network *network, pp_data *data, const pp_training *training, int32_t step, void *memory,
                          size_t bytes, double *loss);

/* Largest absolute difference of two networks of the same widths; NaN if one of them holds a NaN. */
PP_EXPORT(pp_gradient_difference) double pp_gradient_difference(const pp_network *a, const pp_network *b);
PP_EXPORT(pp_weight_difference) double pp_weight_difference(const pp_network *a, const pp_network *b);

/* Memory of a run: messages between stages, and per rank as many slots for activations as it has at most in flight.
 * SIZE_MAX if that is more than a pointer can span. */
PP_EXPORT(pp_run_bytes)
size_t pp_run_bytes(const pp_schedule *schedule, const pp_network *network, const pp_training *training);
/* A run before its first step. timeline: checked and simulated. network: as many stages as the schedule; the run
 * writes its gradients and, at the end of each step, its weights. A schedule without backward only evaluates: steps
 * give the loss of their batch and change no weight.
 * Returns PP_OK, CAPACITY, LAYERS (another number of stages), BATCH (fewer samples than micro-batches) or
 * OPTION_MEANINGLESS (sequence slices: the toy network has no sequence). */
PP_EXPORT(pp_run_init)
int32_t pp_run_init(const pp_schedule *schedule, const pp_timeline *timeline, pp_network *network, pp_data *data,
                    const pp_training *training, void *memory, size_t bytes, pp_fault *fault);
/* Performs the next action in the order of simulated start, ties by rank, and tells its index in the schedule. When
 * none is left it ends the step: gradients are divided, weights move, action is -1 and the status PP_STEP_DONE (not an
 * error), or DIVERGED (a loss or gradient is not finite: every stage skips this step). The call after that begins the
 * next step. action may be NULL. */
PP_EXPORT(pp_run_next) int32_t pp_run_next(pp_run *run, int32_t *action);
/* What is left of the present step, or all of the next one. Returns PP_OK or DIVERGED. */
PP_EXPORT(pp_run_step) int32_t pp_run_step(pp_run *run);

PP_EXPORT(pp_run_batch) int32_t pp_run_batch(const pp_run *run);
/* Samples microbatch_begin[k] .. microbatch_begin[k+1]-1 of the batch are micro-batch k; larger ones come first. */
PP_EXPORT(pp_run_microbatch_begin) const int32_t *pp_run_microbatch_begin(const pp_run *run);
/* Mean loss of the last finished step, before its update; NaN before the first. */
PP_EXPORT(pp_run_loss) double pp_run_loss(const pp_run *run);
/* Steps finished, and how many of them were skipped because they diverged. */
PP_EXPORT(pp_run_steps) int32_t pp_run_steps(const pp_run *run);
PP_EXPORT(pp_run_skipped) int32_t pp_run_skipped(const pp_run *run);
/* Actions of the present step already performed. */
PP_EXPORT(pp_run_position) int32_t pp_run_position(const pp_run *run);
/* 1 if gradients add in the reference's order, so that they are equal to it bit for bit. */
PP_EXPORT(pp_run_sums_in_order) int32_t pp_run_sums_in_order(const pp_run *run);
/* Activation slots of a rank: in use now; the most that were, measured; how many there are. */
PP_EXPORT(pp_run_in_flight) int32_t pp_run_in_flight(const pp_run *run, int32_t rank);
PP_EXPORT(pp_run_peak) int32_t pp_run_peak(const pp_run *run, int32_t rank);
PP_EXPORT(pp_run_slots) int32_t pp_run_slots(const pp_run *run, int32_t rank);

/* ---- 6. Memory, for a caller on the other side of the WebAssembly border -------------------------------------- */

#if defined(__wasm__)
/* bytes of memory, 8-byte aligned, released by pp_free; NULL when there is no more. */
PP_EXPORT(pp_alloc) void *pp_alloc(size_t bytes);
PP_EXPORT(pp_free) void pp_free(void *memory);
#endif

#ifdef __cplusplus
}
#endif
#endif
