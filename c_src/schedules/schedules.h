/* Schedules: what one is made from, what it is, and making it.
 *
 * A request that was read and checked is a pp_config; with the costs of its stages it gives a pp_schedule: for each rank the
 * ordered list of its actions. No time is in it; that is what time/time.h computes. */
#ifndef PP_ROOM_SCHEDULES_H
#define PP_ROOM_SCHEDULES_H

#include "core/core.h"
#include "core/options.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what a schedule is made from ---- */

/* The scalars of a request after pp_config_read. */
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
    X(order)           /* of micro-batches that are not alike */                                                       \
    X(receive_buffers) /* messages a rank has room for, 0: any number, -1: not said */                                 \
    X(gather_keep)     /* stages whose weights a rank holds, 0: not said */                                            \
    X(with)            /* derived: bits PP_WITH_..., what of pp_conditions there is */                                 \
    X(unit_rows)       /* derived: rows of factors, 1 or one per stage; 0 where micro-batches are alike */             \
    X(stages)          /* derived: ranks * chunks, or ranks for bidirectional schedules */

typedef struct pp_config {
#define PP_CONFIG_INT(field) int32_t field;
    PP_CONFIG_FIELDS(PP_CONFIG_INT)
#undef PP_CONFIG_INT
} pp_config;

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

/* ---- which schedules there are ---- */

/* How stages lie on ranks. */
enum {
    PP_PLACE_SINGLE,        /* v = 1: stage s on rank s */
    PP_PLACE_LOOP,          /* stage s on rank s mod p */
    PP_PLACE_ZIGZAG,        /* leg q = s div p: rank s mod p if q is even, else p-1 - s mod p */
    PP_PLACE_BIDIRECTIONAL, /* p stages in several copies; the micro-batch decides which */
    PP_PLACE_FREE           /* as read from a file */
};

PP_EXPORT(pp_schedule_count) int32_t pp_schedule_count(void);
/* Name of schedule number id ("1f1b"); "" outside the range. Same numbers as pp_option_choice(PP_OPT_SCHEDULE). */
PP_EXPORT(pp_schedule_name) const char *pp_schedule_name(int32_t id);
/* What a schedule accepts. option_used: 1 if the option has a meaning for this schedule. */
PP_EXPORT(pp_schedule_chunks_min) int32_t pp_schedule_chunks_min(int32_t id);
PP_EXPORT(pp_schedule_chunks_max) int32_t pp_schedule_chunks_max(int32_t id);
PP_EXPORT(pp_schedule_chunks_default) int32_t pp_schedule_chunks_default(int32_t id);
PP_EXPORT(pp_schedule_option_used) int32_t pp_schedule_option_used(int32_t id, int32_t option);
/* 1 if the schedule has a backward pass. */
PP_EXPORT(pp_schedule_trains) int32_t pp_schedule_trains(int32_t id);
/* 1 if its order depends on the costs: it is found by trying. */
PP_EXPORT(pp_schedule_by_costs) int32_t pp_schedule_by_costs(int32_t id);
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

/* ---- actions and schedules ---- */

enum { PP_F, PP_B, PP_I, PP_W, PP_R, PP_OP_COUNT };
/* "F", "B", "I", "W", "R"; and of what else a file's cell can hold, "UNSHARD" .. "RECV_B". */
PP_EXPORT(pp_op_name) const char *pp_op_name(int32_t op);

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
    uint32_t bound_costs;                   /* a mark of those costs */
    const struct pp_conditions *conditions; /* of pp_conditions_attach, NULL where there are none */
} pp_schedule;

/* -- what a request says of its step beside the rows of costs --
 * microbatch-costs  a factor for each micro-batch (with slices, also one for each slice): all its costs are those of the
 *                   stage times this. Rows of factors, one per stage, with '|' between them, where stages differ in that.
 * order             which micro-batch goes first: as given; the largest; or what pp_order_search finds. Micro-batches are
 *                   numbered by their places in that order.
 * bytes, bandwidth  with transfer=overlap a link carries one message after another, in the order in which its rank makes
 *                   them: each keeps the link for bytes / bandwidth and is there one latency later. There is one link from a
 *                   rank to another, whatever stages the messages belong to.
 * receive-buffers   a rank has room for so many messages, from when they leave until the action that needs them starts. Where
 *                   there is none, a message does not leave, and its sender does nothing else. Not for rendezvous, where no
 *                   message waits.
 * gather            ticks to gather the sharded weights of a stage. A rank that comes to an action of a stage it does not hold
 *                   gathers them first, and does nothing else meanwhile. It holds gather-keep stages (all of its own unless
 *                   said) and lets go of the one it has not used for longest. */
enum { PP_ORDER_GIVEN, PP_ORDER_FALLING, PP_ORDER_BEST };
enum { PP_WITH_UNITS = 1, PP_WITH_LINKS = 2, PP_WITH_ROOM = 4, PP_WITH_GATHER = 8 };
typedef struct pp_conditions {
    int32_t with;       /* bits PP_WITH_... */
    int32_t stride;     /* of unit: 0 where one row holds for all stages */
    int32_t room;       /* 0: any number */
    int32_t keep;       /* stages */
    int32_t link_count; /* links there are */
    double *unit;       /* [stage * stride + unit], NULL: all 1 */
    double *as_given;   /* the same factors in the order given */
    int32_t *place;     /* of each micro-batch: its number as given */
    double *gather;     /* per stage, NULL: none */
    int32_t *link; /* [(pipe * 2 + way) * stages + hop] of a message up (way 0) or down; -1: it stays on its rank */
} pp_conditions;
int32_t pp_conditions_bytes(const pp_config *config);
/* Lets a schedule know the conditions that stand in costs (pp_costs_read); it keeps a pointer into them. pp_schedule_make
 * does so itself: this is for a schedule that is timed with other costs than it was made with, or that was read from a
 * file; then before pp_timeline_bytes. */
PP_EXPORT(pp_conditions_attach)
void pp_conditions_attach(pp_schedule *schedule, const pp_config *config, const double *costs);
/* The factors of the first row, units of them, and the numbers of the micro-batches as given; NULL where all are alike. */
PP_EXPORT(pp_conditions_units) const double *pp_conditions_units(const pp_schedule *schedule);
PP_EXPORT(pp_conditions_places) const int32_t *pp_conditions_places(const pp_schedule *schedule);

/* Bytes pp_schedule_make needs. At most about 1 GiB: larger requests were refused by pp_config_read. */
PP_EXPORT(pp_schedule_bytes) size_t pp_schedule_bytes(const pp_config *config);
/* Fills memory (8-byte aligned, caller's) with the schedule. costs: as filled by pp_costs_read, or NULL for stages that
 * are all equal; only schedules found by trying (zb-auto, v-half, v-min, 1f1b-v) look at them, so that a change of costs
 * leaves the order of all others as it is. Returns PP_OK, PP_ERR_CAPACITY (bytes too few), or the
 * refusal of the schedule's own rule, which pp_config_read gives too. The schedule is valid: pp_check accepts it. */
PP_EXPORT(pp_schedule_make)
int32_t pp_schedule_make(const pp_config *config, const double *costs, void *memory, size_t bytes, pp_fault *fault);

/* For callers that do not see the struct. */
PP_EXPORT(pp_schedule_ranks) int32_t pp_schedule_ranks(const pp_schedule *schedule);
PP_EXPORT(pp_schedule_stages) int32_t pp_schedule_stages(const pp_schedule *schedule);
PP_EXPORT(pp_schedule_microbatches) int32_t pp_schedule_microbatches(const pp_schedule *schedule);
PP_EXPORT(pp_schedule_pipes) int32_t pp_schedule_pipes(const pp_schedule *schedule);
PP_EXPORT(pp_schedule_action_count) int32_t pp_schedule_action_count(const pp_schedule *schedule);
PP_EXPORT(pp_schedule_rank_begin) const int32_t *pp_schedule_rank_begin(const pp_schedule *schedule);
PP_EXPORT(pp_schedule_stage_rank) const int32_t *pp_schedule_stage_rank(const pp_schedule *schedule);
/* Copies the actions as columns, each action_count long: rank, slot in the rank's list, op, stage, micro-batch, slice.
 * A column that is NULL is left out. */
PP_EXPORT(pp_schedule_columns)
void pp_schedule_columns(const pp_schedule *schedule, int32_t *rank, int32_t *index, int32_t *op, int32_t *stage,
                         int32_t *microbatch, int32_t *slice);

#ifdef __cplusplus
}
#endif
#endif
