/* Time: whether a schedule can run, when each of its actions starts and finishes, and why a rank waits.
 *
 *     pp_check        who waits for whom, or the deadlock
 *     pp_simulate     start and finish of each action
 *     pp_report       the figures of the step
 *     pp_idle_fill, pp_critical_path, pp_reasons      why it took so long
 *     pp_paint        the step as pixels, where there are too many actions to draw
 *     pp_measured_times, pp_measured_costs            the same of a step that really ran */
#ifndef PP_ROOM_TIME_H
#define PP_ROOM_TIME_H

#include "schedules/schedules.h"

#ifdef __cplusplus
extern "C" {
#endif

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
    double *arrive;       /* where there are links, room or gathers: when each action's output is there; else NULL */
    double *gathered;     /* where there are gathers: of each slot, when its rank was ready for it; else NULL */
    char *events;         /* for the library's own use */
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
 * occupies is told by transfer (PP_TRANSFER_...). costs as filled by pp_costs_read: PP_COST_ROWS * stages.
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
/* When each action's output is there; NULL where the latency of its hop says it. */
PP_EXPORT(pp_timeline_arrive) const double *pp_timeline_arrive(const pp_timeline *timeline);

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
    X(lower_bound)     /* no order of these actions on these ranks, within the limit of memory, is shorter */          \
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
    PP_IDLE_DRAIN,    /* after the rank's last action, until the step ends */
    PP_IDLE_GATHER    /* weights of the next stage are gathered */
};
/* One idle interval; doubles so that a caller can read it as columns. */
#define PP_IDLE_FIELDS(X)                                                                                              \
    X(rank)                                                                                                            \
    X(start)                                                                                                           \
    X(finish)                                                                                                          \
    X(reason)    /* PP_IDLE_... */                                                                                     \
    X(before)    /* the action that ends the wait, -1 for a drain */                                                   \
    X(waits_for) /* the action whose output is awaited, -1 for none */                                                 \
    X(early)     /* the rank's next F, where it could begin with the interval and end with the wait; -1 for none */    \
    X(held)      /* activations that the rank would hold with it */
typedef struct pp_idle {
#define PP_IDLE_DOUBLE(field) double field;
    PP_IDLE_FIELDS(PP_IDLE_DOUBLE)
#undef PP_IDLE_DOUBLE
} pp_idle;
int32_t pp_idle_field_count(void);
PP_EXPORT(pp_idle_field_name) const char *pp_idle_field_name(int32_t field);

/* Idle intervals of a simulated timeline, ranks ascending, time ascending. A schedule such as 1F1B lets a rank wait though
 * the next micro-batch is there, to hold fewer activations: `early` and `held` say so, where messages overlap with work and no
 * condition (memory for messages, gathered weights, unequal micro-batches) could forbid it. Writes at most capacity entries
 * (out may be NULL with capacity 0) and returns how many there are. A wait that is part awaiting and part transfer is two
 * entries. */
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

/* -- a step that really ran --
 * start, finish: action_count doubles each, in any unit and on one clock; no action of a rank begins before the one before
 * it ends. Halves of a fused slot may have times of their own. timeline: checked. */
/* Puts the times into the timeline, the first start at 0, a fused slot as one. */
PP_EXPORT(pp_measured_times)
void pp_measured_times(const pp_schedule *schedule, const double *start, const double *finish, pp_timeline *timeline);
/* Costs of the stages that these times show, as pp_simulate takes them: the mean of each stage and op; for a hop the mean
 * from the maker's finish to the taker's start, where the taker's rank was waiting. What did not occur is filled in as
 * pp_costs_read does. costs: PP_COST_ROWS * stages doubles; scratch: as many, and stages more. Returns a bit 1 << row for
 * each row that was measured. */
PP_EXPORT(pp_measured_costs)
int32_t pp_measured_costs(const pp_schedule *schedule, const pp_timeline *timeline, const double *start,
                          const double *finish, double *costs, double *scratch);
/* pp_report of measured times: busy is what actions took. costs: of pp_measured_costs. */
PP_EXPORT(pp_measured_report)
void pp_measured_report(const pp_schedule *schedule, const pp_config *config, const double *costs,
                        const pp_timeline *timeline, void *scratch, pp_summary *summary, pp_rank_report *ranks);

/* -- a timetable made by hand --
 * A person puts actions into an empty timetable one after the other, each at a time of its own. Does one more fit beside
 * those placed already? Forwards and whole backwards; schedule says which stage lies on which rank, and how many there
 * are, its order does not matter. */
enum {
    PP_DRAFT_FITS,
    PP_DRAFT_TWICE,     /* it stands there already */
    PP_DRAFT_ELSEWHERE, /* its stage lies on another rank */
    PP_DRAFT_TAKEN,     /* the rank does something else then */
    PP_DRAFT_MISSING,   /* what it needs has not been placed */
    PP_DRAFT_EARLY,     /* what it needs ends later */
    PP_DRAFT_BLOCKS,    /* something that needs it begins before it ends */
    PP_DRAFT_MEMORY     /* the rank would hold more than limit micro-batches */
};
typedef struct pp_placed {
    double rank, op, stage, microbatch, start;
} pp_placed;
/* PP_DRAFT_FITS or why not. *other: the one of placed that is in the way, -1 for none. limit: micro-batches a rank may
 * hold from the start of F to the end of B, 0 for any number. Stage and micro-batch must be of the schedule. */
PP_EXPORT(pp_draft_check)
int32_t pp_draft_check(const pp_schedule *schedule, const double *costs, const pp_placed *placed, int32_t count,
                       const pp_placed *wanted, int32_t limit, int32_t *other);

#ifdef __cplusplus
}
#endif
#endif
