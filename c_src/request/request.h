/* Requests: the one place where anything a user typed is read.
 *
 * A request is text, lines "name=value". Each value is read alone first (is it a number, is it in range), then all together
 * (does this schedule accept them), and only then is anything sized. What is refused names the option, the text that was
 * seen, the rule and the nearest legal value. */
#ifndef PP_ROOM_REQUEST_H
#define PP_ROOM_REQUEST_H

#include "core/core.h"
#include "network/network.h"
#include "schedules/schedules.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the options, for callers that list them ---- */

/* Options of a schedule are numbered from 0, those of a training and about a file behind them (core/options.h). */
PP_EXPORT(pp_option_count) int32_t pp_option_count(void);
PP_EXPORT(pp_training_option_first) int32_t pp_training_option_first(void);
PP_EXPORT(pp_training_option_count) int32_t pp_training_option_count(void);
PP_EXPORT(pp_file_option_first) int32_t pp_file_option_first(void);
PP_EXPORT(pp_file_option_count) int32_t pp_file_option_count(void);

/* Of any option, by its number, which is also the one that a fault names. Long name, "" outside the range; short letter as a
 * character code, 0 for none; kind as a character code. */
PP_EXPORT(pp_option_name) const char *pp_option_name(int32_t option);
PP_EXPORT(pp_option_letter) int32_t pp_option_letter(int32_t option);
PP_EXPORT(pp_option_kind) int32_t pp_option_kind(int32_t option);
/* Choice number `number` of an option of kind E, "" when there are no more. Schedule names are the first example. */
PP_EXPORT(pp_option_choice) const char *pp_option_choice(int32_t option, int32_t number);
/* Smallest and largest legal value of a number, whatever the other options say; 0 and 0 for kinds that have none. */
PP_EXPORT(pp_option_least) double pp_option_least(int32_t option);
PP_EXPORT(pp_option_most) double pp_option_most(int32_t option);
/* The value of a number, or the number of the choice, where the option is not given; -1 where it follows from others. */
PP_EXPORT(pp_option_standard) double pp_option_standard(int32_t option);

/* ---- a schedule ---- */

/* Samples, as a strip of them is cut. The size of micro-batch that cuts global_batch evenly and is nearest to size (way 0), or
 * the next larger (way 1) or smaller one (way -1), size itself where there is none. And the samples a batch is shown with
 * where nothing was said of samples: the least multiple of its micro-batches that is at least 32. */
PP_EXPORT(pp_batch_size_near) int32_t pp_batch_size_near(int32_t global_batch, int32_t size, int32_t way);
PP_EXPORT(pp_batch_shown) int32_t pp_batch_shown(int32_t microbatches);

PP_EXPORT(pp_config_bytes) int32_t pp_config_bytes(void);
int32_t pp_config_field_count(void);
PP_EXPORT(pp_config_field_name) const char *pp_config_field_name(int32_t field);

/* A request told apart into its lines "name=value", the value as the user typed it. Names are those of PP_OPTIONS or their
 * letters; case, '_' and '-' in names do not matter. An empty value means the option was not given.
 * text: `length` bytes of UTF-8, need not end in zero; borrowed for as long as the request is read. request:
 * pp_request_bytes() bytes, 8-byte aligned, caller's. fault: filled on failure, may be NULL.
 * Fails with OPTION_UNKNOWN or OPTION_TWICE. */
typedef struct pp_request pp_request;
PP_EXPORT(pp_request_bytes) int32_t pp_request_bytes(void);
PP_EXPORT(pp_request_parse)
int32_t pp_request_parse(const char *text, int32_t length, pp_request *request, pp_fault *fault);

/* The scalars of a request. Defaults: schedule forward, 3 ranks, 4 micro-batches (the setting of the chapter), everything
 * else as the schedule has it. Numbers: decimal point or comma. Fails with a status of the first two groups; nothing but
 * *fault is then defined. */
PP_EXPORT(pp_config_read)
int32_t pp_config_read(const pp_request *request, pp_config *config, pp_fault *fault);

/* ---- its costs ---- */

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
PP_EXPORT(pp_costs_read)
int32_t pp_costs_read(const pp_request *request, const pp_config *config, double *costs, pp_fault *fault);

/* -- layers cut into stages --
 * layers      how many, each of cost 1; or the cost of each ("2 1*4 2")
 * embedding   cost added to the first stage, head: to the last; they are no layers and move nowhere
 * partition   by what the cut is chosen. cost and equal: of the cuts that are best, the one that gives each stage in turn
 *             the fewest layers that reach an even share of what is left (so 30 layers on 4 stages are 8 8 7 7)
 * layer-forward, layer-input-gradient, layer-weight-gradient   ticks of each layer, where layers do not all have the same
 *             shares of the three; in place of layers times forward, .. Cuts are compared by the costs in layers until
 *             they are simulated, and by their true costs then
 * cuts        layers of each stage; "*" leaves a stage to the partition: those stages stand together, "11 * * 9"
 * layout      Megatron's --pipeline-model-parallel-layout: E, then a t for each layer, then m (also layers), then L, a
 *             '|' between stages, "*N" after a letter or a (group): "Et*3|(tt|)*29,m|L". Commas and blanks mean nothing,
 *             a stage may be empty, groups do not nest. E and L cost what embedding and head say, wherever they stand.
 * Every layer lies in exactly one stage, and only a layout can leave a stage without one. pp_config_read refuses all
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

/* ---- its order, changed by hand ---- */

/* Changes the order of a schedule as the option moves of the request says: words "2F1-3", stage 2's F of micro-batch 1 three
 * places earlier in its rank's list, or "0B3+1", one later; with slices "2F1.0-3". A fused slot is one place. One word after
 * the other; without the option nothing is changed. Returns PP_OK or PP_ERR_MOVES (no such action, or the list ends before
 * that; the order is then unspecified). Whether the new order runs pp_check says. */
PP_EXPORT(pp_moves_apply)
int32_t pp_moves_apply(const pp_request *request, pp_schedule *schedule, pp_fault *fault);

/* ---- a training ---- */

/* Reads the training options of a request: the same lines "name=value" as pp_request_parse. Options of the schedule are
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

PP_EXPORT(pp_training_kind) int32_t pp_training_kind(const pp_training *training);

PP_EXPORT(pp_training_bytes) int32_t pp_training_bytes(void);
PP_EXPORT(pp_training_field_count) int32_t pp_training_field_count(void);
PP_EXPORT(pp_training_field_name) const char *pp_training_field_name(int32_t field);
PP_EXPORT(pp_training_field) double pp_training_field(const pp_training *training, int32_t field);

#ifdef __cplusplus
}
#endif
#endif
