/* Studies: what else can be asked of a timed step. Where transfers set the pace, how the step ends, what memory a rank needs,
 * what a failure costs, what would be if something were otherwise, and which cut of the layers makes the step shortest. */
#ifndef PP_ROOM_STUDIES_H
#define PP_ROOM_STUDIES_H

#include "request/request.h"
#include "time/time.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Results here are structs of doubles, so that a caller can read them as columns. Name of a field of one of them, ""
 * past the last. */
#define PP_RECORDS(X)                                                                                                  \
    X(PP_RECORD_PARTITION, PP_PARTITION_FIELDS)                                                                        \
    X(PP_RECORD_ORDER, PP_ORDER_FIELDS)                                                                                \
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
PP_EXPORT(pp_record_field_name) const char *pp_record_field_name(int32_t record, int32_t field);

/* -- transfers --
 * When do transfers take over? A micro-batch alone meets each hop once in each direction, so with transfers of h ticks
 * any step is at least that much longer than it would be without. While it is longer by no more than that, messages
 * cost only on the way in and out; beyond, ranks wait for messages in the steady state too. */
#define PP_TAKEOVER_FIELDS(X)                                                                                          \
    X(free_makespan)    /* with transfers that take no time */                                                         \
    X(through)          /* ticks of transfer that one micro-batch alone meets */                                       \
    X(factor)           /* they take over at this many times the present ones (at this many ticks a hop  */            \
                        /* where there are none): Infinity if never, NaN for rendezvous, room and gathers, where */    \
                        /* it is not worked out                                                           */           \
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

/* What if? Doubled micro-batches: the same request with m doubled, as text for pp_request_parse; writes at most capacity
 * bytes and returns the length it needs. Samples go: m alone is said. */
PP_EXPORT(pp_what_if_doubled)
int32_t pp_what_if_doubled(const pp_request *request, const pp_config *config, char *out, int32_t capacity);
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
/* Ticks of reduce and optimizer per stage into ends (pp_end_bytes). Fails as pp_costs_read does. */
PP_EXPORT(pp_end_read)
int32_t pp_end_read(const pp_request *request, const pp_config *config, double *ends, pp_fault *fault);
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
 * layer and taken times the layers of a stage, all but the inputs. memory-embedding and memory-head: what the ends of
 * the network take beside layers, always (weights, gradients and optimizer in one), and a second number for each micro-batch.
 * With none given, activations are 1: then the level is
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
 * pp_costs_read does, or with MEMORY_SHARE (more kept than there are activations). */
PP_EXPORT(pp_memory_read)
int32_t pp_memory_read(const pp_request *request, const pp_config *config, const double *costs, double *table,
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
PP_EXPORT(pp_failure_read)
int32_t pp_failure_read(const pp_request *request, pp_failure_costs *given, pp_fault *fault);
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

/* -- the cut with the least makespan -- */

/* With partition=makespan: simulates cuts until none that is left can be better than the best, and leaves that one in
 * costs and timeline (checked before). Begins with the cut by cost and takes another only if it is better. The work has
 * a limit (2^26 simulated actions, 2^23 looks at a stage); past it the best so far stands, and is not proved. Where the order
 * depends on the costs (pp_schedule_by_costs), it is made anew for each of some cuts and left in schedule, whose memory must
 * be that of pp_schedule_bytes; none of those is proved. Does nothing for other requests. Returns PP_OK, or what
 * pp_simulate refuses. */
PP_EXPORT(pp_partition_search)
int32_t pp_partition_search(pp_schedule *schedule, const pp_config *config, double *costs, pp_timeline *timeline,
                            pp_fault *fault);

/* -- the best order --
 * Whether an order found by trying is the best there is, and a better one where it is not: of one stage a rank, or two in a
 * V, with micro-batches that are alike, within memory-limit. The work goes on a little at a time, so that whoever asks can
 * show how far it has come, and stop. Nothing is proved of more than some 2000 actions. */
#define PP_PROOF_FIELDS(X)                                                                                             \
    X(bound)    /* no order within the limit takes less */                                                             \
    X(makespan) /* of the best order so far */                                                                         \
    X(span)                                                                                                            \
    X(proved) /* 1: none is better */                                                                                  \
    X(above)  /* the share by which the best so far may be above the best possible */                                  \
    X(work)   /* done so far; a second is some hundred millions */
typedef struct pp_proof_report {
    PP_PROOF_FIELDS(PP_RECORD_DOUBLE)
} pp_proof_report;
typedef struct pp_proof pp_proof;
/* 0: of such a request nothing can be proved. */
PP_EXPORT(pp_proof_bytes) size_t pp_proof_bytes(const pp_config *config);
/* Begins with the order of the schedule, which pp_schedule_make made with these costs. memory: 8-byte aligned. */
PP_EXPORT(pp_proof_start)
pp_proof *pp_proof_start(const pp_config *config, const double *costs, const pp_schedule *schedule, void *memory);
/* Goes on for so much work. 1: all is proved. */
PP_EXPORT(pp_proof_run) int32_t pp_proof_run(pp_proof *proof, double work);
PP_EXPORT(pp_proof_report_fill) void pp_proof_report_fill(const pp_proof *proof, pp_proof_report *out);
PP_EXPORT(pp_proof_field_name) const char *pp_proof_field_name(int32_t field);
/* How the schedule becomes the best order, as the option moves has it ("" where it is the best). Writes up to capacity
 * bytes and returns the length, without the zero at the end. */
PP_EXPORT(pp_proof_moves)
int32_t pp_proof_moves(pp_proof *proof, const pp_schedule *schedule, char *out, int32_t capacity);
/* With order=best: looks for the order of micro-batches in which the step is shortest, and leaves it in costs and timeline. Up to
 * eight micro-batches are tried in every order; of more the best found within 2^24 simulated actions stands, and is not proved.
 * memory: pp_order_bytes. Does nothing for other requests. Returns PP_OK, or what pp_simulate refuses. */
#define PP_ORDER_FIELDS(X)                                                                                             \
    X(proved) /* 1: every order was tried */                                                                           \
    X(cases)  /* orders that were simulated */
typedef struct pp_order_summary {
    PP_ORDER_FIELDS(PP_RECORD_DOUBLE)
} pp_order_summary;
PP_EXPORT(pp_order_bytes) size_t pp_order_bytes(const pp_config *config);
PP_EXPORT(pp_order_search)
int32_t pp_order_search(const pp_schedule *schedule, const pp_config *config, double *costs, pp_timeline *timeline,
                        void *memory, pp_order_summary *out, pp_fault *fault);
/* -- messages that wait --
 * The most messages that had arrived at each rank and waited for the action that needs them. scratch: pp_waiting_bytes. */
PP_EXPORT(pp_waiting_bytes) size_t pp_waiting_bytes(const pp_schedule *schedule);
PP_EXPORT(pp_waiting_report)
void pp_waiting_report(const pp_schedule *schedule, const double *costs, const pp_timeline *timeline, void *scratch,
                       int32_t *waiting);
/* How often each rank gathers the weights of a stage (pp_conditions); held: pipes * stages entries of scratch. */
PP_EXPORT(pp_gather_report)
void pp_gather_report(const pp_schedule *schedule, const pp_timeline *timeline, int32_t *held, int32_t *gathers);

#ifdef __cplusplus
}
#endif
#endif
