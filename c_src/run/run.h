/* Runs: a schedule executed with the toy network, action by action, by one process or by one process a rank.
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
#ifndef PP_ROOM_RUN_H
#define PP_ROOM_RUN_H

#include "network/network.h"
#include "schedules/schedules.h"
#include "time/time.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pp_run pp_run;

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

/* -- without a pipeline -- */

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

#ifdef __cplusplus
}
#endif
#endif
