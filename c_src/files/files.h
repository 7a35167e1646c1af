/* Files: schedules and costs in and out.
 *
 * Schedules travel between tools as text. Three forms are read, told apart by how the text begins.
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
 *   trace               Chrome's trace events, an array of them or an object that has one as "traceEvents": trace.c says
 *                       which events count, whose they are and which step is taken.
 * Cells of tables and of CSV may stand between ';' or tabs where no ',' is there; ',' is then the decimal sign. A CR alone
 * ends a line, too.
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
#ifndef PP_ROOM_FILES_H
#define PP_ROOM_FILES_H

#include "request/request.h"
#include "time/time.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { PP_FORMAT_TORCH, PP_FORMAT_CSV, PP_FORMAT_JSON };
enum { PP_LETTERS_TODAY, PP_LETTERS_OLD };
/* What a RECV cell does: post a receive and go on, its consumer waits (PyTorch's runtime); or stand until it is in. */
enum { PP_RECEIVE_POST, PP_RECEIVE_WAIT };
enum { PP_TIMES_SIMULATED, PP_TIMES_MEASURED };
/* Which communication a table is written with: what it has (a generated one: none), none, all that PyTorch's runtime
 * needs, or the sends and receives alone. */
enum { PP_COMMS_KEEP, PP_COMMS_NONE, PP_COMMS_ALL, PP_COMMS_TRANSFERS };

typedef struct pp_file {
#define PP_FILE_MEMBER(id, member, name, letter, kind, least, most, standard, choices, type) type member;
    PP_FILE_OPTIONS(PP_FILE_MEMBER)
#undef PP_FILE_MEMBER
} pp_file;

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
    int32_t steps;      /* of a trace: training steps in it, of which the last was taken; else 0 */
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
 * the schedule how it recomputes. Fails as pp_config_read does, with OPTION_MEANINGLESS for what only a generator
 * asks, and with SHAPE where the file says otherwise. */
PP_EXPORT(pp_config_of_file)
int32_t pp_config_of_file(const pp_request *request, pp_schedule *schedule, pp_config *config, pp_fault *fault);

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

/* ---- a plan from what was measured ---- */

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
/* What messages took: the median of start - finish of its input, over all actions that waited for one from another rank and
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
/* No plan of these layers takes less, whatever its cut and its order, if it holds to the shape: micro-batches go once
 * through all layers and back, ranks work one action at a time, and no two actions of a rank are run as one for less than
 * both. The costs of embedding and head are those of the request: in units of a layer's whole work. */
typedef struct pp_plan_ends {
    double embedding, head;
} pp_plan_ends;
typedef struct pp_plan_shape {
    int32_t ranks, microbatches;
    int32_t chunks;    /* at most so many stages a rank */
    int32_t both_ends; /* 1: a stage may lie on two ranks, one from either end */
    double latency;    /* of every hop */
    double limit;      /* micro-batches that a rank may hold; 0: no limit */
} pp_plan_shape;
enum { PP_PLAN_BOUND_LAYERS = 256 }; /* of more layers, cuts are not gone through */
/* By what share a step may be above the best possible. */
PP_EXPORT(pp_plan_above) double pp_plan_above(double makespan, double bound);
PP_EXPORT(pp_plan_bound_bytes) size_t pp_plan_bound_bytes(const pp_plan *plan);
PP_EXPORT(pp_plan_bound)
double pp_plan_bound(const pp_plan *plan, const pp_plan_ends *ends, const pp_plan_shape *shape, void *scratch);

PP_EXPORT(pp_plan_outcome)
void pp_plan_outcome(const pp_plan *plan, double predicted, double one, double before, double measured_before,
                     pp_outcome *out);
PP_EXPORT(pp_outcome_field_name) const char *pp_outcome_field_name(int32_t field);
/* 1 - after / before; NaN where before is 0. */
PP_EXPORT(pp_plan_gain) double pp_plan_gain(double before, double after);

#ifdef __cplusplus
}
#endif
#endif
