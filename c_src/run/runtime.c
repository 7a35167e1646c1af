/* Executes a schedule: walks its actions in the order of simulated time and calls the stages of a network. The only
 * file that knows both sides.
 *
 * Ranks are told apart as they would be on separate devices: a stage gets its input by a message, keeps what its
 * backward needs in a slot of its own rank, and frees the slot when the schedule says so. A rank has exactly as many
 * slots as its list has chunks in flight, so an executor that kept more than the simulation counts would not run.
 *
 * An asynchronous schedule runs as a stream: its pipeline is not emptied between steps. A rank begins a forward whenever it
 * has fewer micro-batches under way than its list ever has, and otherwise goes on with its list; where that has no forward
 * left, the forward is one of the next step. A step ends when every rank has done its last backward. Weights: versions.c. */
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/fault.h"
#include "network/model.h"
#include "network/tensor.h"
#include "request/config.h"
#include "request/request.h"
#include "run/runtime.h"
#include "schedules/schedule.h"
#include "studies/studies.h"

/* ---- memory ---- */

typedef struct cursor {
    char *base; /* NULL while only counting */
    uint64_t used;
} cursor;

static void *take(cursor *at, uint64_t count, size_t size) {
    void *taken = at->base != NULL ? at->base + at->used : NULL;
    at->used += (count * size + 7) & ~(uint64_t)7;
    return taken;
}

static int releases(const pp_action *a) { return a->op == PP_B || a->op == PP_W; }

/* Which F are made again by an R. */
enum { NONE, ALL, SOME };

int pp_run_holds(const pp_run *run, const pp_schedule *schedule, int32_t stage) {
    if (run->only < 0) return 1;
    for (int32_t copy = 0; copy < schedule->pipes; copy++)
        if (schedule->stage_rank[copy * schedule->stages + stage] == run->only) return 1;
    return 0;
}

/* The most cells a rank holds between `opens` and its B or W. Both halves of a fused slot count while it lasts. */
static int32_t slots_needed(const pp_schedule *schedule, int32_t rank, int32_t opens) {
    int32_t open = 0, most = 0;
    for (int32_t i = schedule->rank_begin[rank]; i < schedule->rank_begin[rank + 1];) {
        const int32_t end = i + 1 + schedule->actions[i].fused;
        for (int32_t j = i; j < end; j++) open += schedule->actions[j].op == opens;
        if (open > most) most = open;
        for (; i < end; i++) open -= releases(&schedule->actions[i]);
    }
    return schedule->trains ? most : 0;
}

int32_t pp_run_ahead(const pp_schedule *schedule, int32_t stage) {
    return stage < schedule->ranks ? slots_needed(schedule, stage, PP_F) - 1 : 0;
}

static int32_t count_op(const pp_schedule *schedule, int32_t op) {
    int32_t count = 0;
    for (int32_t i = 0; i < schedule->action_count; i++) count += schedule->actions[i].op == op;
    return count;
}

/* Widest of the stages a rank holds: of the inputs, or of activations and deltas. */
static int32_t width_needed(const pp_schedule *schedule, const pp_network *network, int32_t rank, int32_t work) {
    int32_t widest = 0;
    for (int32_t i = 0; i < schedule->pipes * schedule->stages; i++) {
        if (schedule->stage_rank[i] != rank) continue;
        const int32_t stage = i % schedule->stages;
        const int32_t width = work ? 2 * pp_stage_width(network, stage) : pp_stage_input_width(network, stage);
        if (width > widest) widest = width;
    }
    return widest;
}

static void lay_pool(cursor *at, const pp_schedule *schedule, const pp_network *network, int32_t only, int32_t rows,
                     int32_t opens, int32_t work, pp_pool *p) {
    const uint64_t ranks = (uint64_t)schedule->ranks;
    int32_t slots = 0;
    uint64_t floats = 0;
    for (int32_t r = 0; r < schedule->ranks; r++)
        if (only < 0 || r == only) slots += slots_needed(schedule, r, opens);
    p->begin = take(at, ranks + 1, sizeof(int32_t));
    p->free = take(at, (uint64_t)slots, sizeof(int32_t));
    p->used = take(at, ranks, sizeof(int32_t));
    p->peak = take(at, ranks, sizeof(int32_t));
    p->of = take(at, (uint64_t)schedule->stages * (uint64_t)schedule->microbatches, sizeof(int32_t));
    p->offset = take(at, (uint64_t)slots, sizeof(size_t));
    slots = 0;
    for (int32_t r = 0; r < schedule->ranks; r++) {
        const int32_t needed = only < 0 || r == only ? slots_needed(schedule, r, opens) : 0;
        const uint64_t size = (uint64_t)rows * (uint64_t)width_needed(schedule, network, r, work);
        if (p->begin != NULL) p->begin[r] = slots;
        for (int32_t n = 0; n < needed; n++, slots++, floats += size)
            if (p->offset != NULL) p->offset[slots] = (size_t)floats;
    }
    if (p->begin != NULL) p->begin[schedule->ranks] = slots;
    p->floats = take(at, floats, sizeof(float));
}

/* Stage and rank are one here: every asynchronous schedule has one stage a rank. */
static void lay_versions(cursor *at, const pp_schedule *schedule, const pp_network *network, pp_run *run) {
    const uint64_t stages = (uint64_t)schedule->stages;
    run->slots = schedule->kept_back > 0 ? schedule->kept_back : pp_run_ahead(schedule, run->only < 0 ? 0 : run->only);
    run->head_forward = take(at, stages, sizeof(int32_t));
    run->versions = take(at, stages, sizeof(pp_versions));
    run->version = take(at, stages * (uint64_t)schedule->microbatches, sizeof(int64_t));
    run->older = take(at, (uint64_t)run->slots * (uint64_t)network->parameter_count, sizeof(float));
}

static uint64_t lay_out(const pp_schedule *schedule, const pp_network *network, const pp_training *training,
                        char *memory, pp_run *run) {
    cursor at = {memory, 0};
    const int32_t batch = training->batch;
    const uint64_t n = (uint64_t)batch, stages = (uint64_t)schedule->stages, m = (uint64_t)schedule->microbatches;
    const int32_t rows = (batch + schedule->microbatches - 1) / schedule->microbatches;
    uint64_t hops = 0;
    int32_t widest = 0;
    take(&at, 1, sizeof(pp_run));
    run->live = take(&at, (uint64_t)schedule->ranks, sizeof(double));
    run->most = take(&at, (uint64_t)schedule->ranks, sizeof(double));
    run->microbatch_begin = take(&at, m + 1, sizeof(int32_t));
    run->head = take(&at, (uint64_t)schedule->ranks, sizeof(int32_t));
    if (schedule->update_every > 0) lay_versions(&at, schedule, network, run);
    run->input_there = take(&at, stages * m, 1);
    run->gradient_there = take(&at, stages * m, 1);
    run->remade = take(&at, run->recomputes ? stages * m : 0, 1);
    lay_pool(&at, schedule, network, run->only, rows, PP_F, 0, &run->inputs);
    lay_pool(&at, schedule, network, run->only, rows, run->recomputes == ALL ? PP_R : PP_F, 1, &run->work);
    run->labels = take(&at, n, sizeof(int32_t));
    run->features = take(&at, n * (uint64_t)pp_network_inputs(network), sizeof(float));
    run->targets = take(&at, n * (uint64_t)pp_network_outputs(network), sizeof(float));
    run->losses = take(&at, n, sizeof(float));
    run->hop_begin = take(&at, stages, sizeof(size_t));
    for (int32_t s = 0; s < schedule->stages; s++) {
        if (run->hop_begin != NULL) run->hop_begin[s] = (size_t)hops;
        if (s > 0 && (pp_run_holds(run, schedule, s) || pp_run_holds(run, schedule, s - 1)))
            hops += n * (uint64_t)pp_stage_input_width(network, s);
        if (pp_stage_width(network, s) > widest) widest = pp_stage_width(network, s);
    }
    run->input_messages = take(&at, hops, sizeof(float));
    run->gradient_messages = take(&at, schedule->trains ? hops : 0, sizeof(float));
    run->copies = take(&at, (uint64_t)(schedule->pipes - 1) * (uint64_t)network->parameter_count, sizeof(float));
    run->scratch = take(&at, (uint64_t)rows * (uint64_t)widest, sizeof(float));
    const uint64_t votes = run->only == PP_ROOT_RANK ? (uint64_t)schedule->ranks : run->only >= 0;
    run->votes = take(&at, votes * pp_rank_vote_floats(network, training), sizeof(float));
    const int tied = training->tied && run->only >= 0;
    run->tied = take(&at, tied ? (uint64_t)network->widths[0] * (uint64_t)network->widths[1] : 0, sizeof(float));
    run->statistics = take(&at, pp_statistics_count(network, batch, schedule->microbatches), sizeof(float));
    return at.used;
}

static int recomputes(const pp_schedule *schedule) {
    const int32_t count = count_op(schedule, PP_R);
    return count == 0 ? NONE : count == count_op(schedule, PP_F) ? ALL : SOME;
}

size_t pp_run_bytes(const pp_schedule *schedule, const pp_network *network, const pp_training *training) {
    return pp_rank_bytes(schedule, network, training, -1);
}

size_t pp_rank_bytes(const pp_schedule *schedule, const pp_network *network, const pp_training *training,
                     int32_t rank) {
    pp_run run;
    memset(&run, 0, sizeof run);
    run.only = rank;
    run.recomputes = recomputes(schedule);
    if (network->stages != schedule->stages) return sizeof run; /* pp_run_init refuses */
    const uint64_t bytes = lay_out(schedule, network, training, NULL, &run);
    return bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
}

/* 1 if at every stage the weight gradients come in ascending order of micro-batches, in one copy. last: stages. */
static int sums_in_order(const pp_schedule *schedule, int32_t *last) {
    if (schedule->pipes > 1) return 0;
    for (int32_t s = 0; s < schedule->stages; s++) last[s] = -1;
    for (int32_t i = 0; i < schedule->action_count; i++) {
        const pp_action *a = &schedule->actions[i];
        if (!releases(a)) continue;
        if (a->microbatch < last[a->stage]) return 0;
        last[a->stage] = a->microbatch;
    }
    return 1;
}

static int32_t refuse(int32_t status, int32_t option, int32_t a, double seen, int32_t fix, pp_fault *fault) {
    pp_fault scratch;
    fault = pp_fault_start(fault, &scratch, status);
    fault->option = option;
    fault->a = a;
    pp_fault_seen_number(fault, seen);
    if (option >= 0) pp_fault_fix_number(fault, option, fix);
    return status;
}

/* A stream goes in the order that was generated. */
static int32_t refuse_order(const pp_schedule *schedule, pp_fault *fault) {
    pp_fault scratch;
    const char *name = pp_schedule_name(schedule->schedule);
    fault = pp_fault_start(fault, &scratch, PP_ERR_ASYNC_OPTION);
    fault->option = PP_OPT_SCHEDULE;
    pp_fault_seen(fault, name, (int32_t)strlen(name));
    pp_fault_fix_text(fault, PP_OPT_MOVES, "");
    pp_fault_fix_text(fault, PP_OPT_SCHEDULE, "1f1b");
    return PP_ERR_ASYNC_OPTION;
}

int32_t pp_run_init(const pp_schedule *schedule, const pp_timeline *timeline, pp_network *network, pp_data *data,
                    const pp_training *training, void *memory, size_t bytes, pp_fault *fault) {
    return pp_rank_init(schedule, timeline, network, data, training, -1, memory, bytes, fault);
}

int32_t pp_rank_init(const pp_schedule *schedule, const pp_timeline *timeline, pp_network *network, pp_data *data,
                     const pp_training *training, int32_t rank, void *memory, size_t bytes, pp_fault *fault) {
    const int32_t m = schedule->microbatches, batch = training->batch;
    assert(memory != NULL && ((uintptr_t)memory & 7) == 0);
    assert(timeline->action_count == schedule->action_count && data->inputs == pp_network_inputs(network));
    if (schedule->slices > 1) {
        refuse(PP_ERR_OPTION_MEANINGLESS, PP_OPT_SLICES, -1, schedule->slices, 1, fault);
        if (fault != NULL) fault->schedule = schedule->schedule;
        return PP_ERR_OPTION_MEANINGLESS;
    }
    if (network->stages != schedule->stages)
        return refuse(PP_ERR_LAYERS, PP_TRAIN_DEPTH, schedule->stages, network->layers, schedule->stages, fault);
    if (batch < m) {
        refuse(PP_ERR_BATCH, PP_TRAIN_BATCH, m, batch, m, fault);
        if (fault != NULL) pp_fault_fix_number(fault, PP_OPT_MICROBATCHES, batch);
        return PP_ERR_BATCH;
    }
    if (schedule->update_every < 0) return refuse_order(schedule, fault);
    const int32_t status = schedule->update_every > 0 ? pp_stream_runs(training, fault) : PP_OK;
    if (status != PP_OK) return status;
    if (bytes < pp_rank_bytes(schedule, network, training, rank)) return refuse(PP_ERR_CAPACITY, -1, -1, 0, 0, fault);

    pp_run *run = memory;
    memset(run, 0, sizeof *run);
    run->schedule = schedule;
    run->start = timeline->start;
    run->network = network;
    run->data = data;
    run->loss = NAN;
    run->batch = batch;
    run->only = rank;
    run->recomputes = recomputes(schedule);
    lay_out(schedule, network, training, memory, run);
    run->in_order = sums_in_order(schedule, run->inputs.of);
    for (int32_t k = 0; k <= m; k++) run->microbatch_begin[k] = pp_microbatch_row(training->split, batch, m, k);
    pp_network_options(network, training);
    network->options.microbatches = m;
    if (run->recomputes) memset(run->remade, 0, (size_t)schedule->stages * (size_t)m);
    for (int32_t i = 0; i < schedule->action_count; i++) {
        const pp_action *a = &schedule->actions[i];
        if (a->op == PP_R) run->remade[a->stage * m + a->microbatch] = 1;
    }
    memset(run->inputs.peak, 0, (size_t)schedule->ranks * sizeof(int32_t));
    memset(run->work.peak, 0, (size_t)schedule->ranks * sizeof(int32_t));
    memset(run->most, 0, (size_t)schedule->ranks * sizeof(double));
    run->position = -1;
    return PP_OK;
}

/* ---- slots ---- */

static void empty_pool(pp_pool *p, int32_t ranks, int32_t cells) {
    for (int32_t i = 0; i < p->begin[ranks]; i++) p->free[i] = i;
    for (int32_t r = 0; r < ranks; r++) p->used[r] = 0;
    for (int32_t i = 0; i < cells; i++) p->of[i] = -1;
}

static float *slot(const pp_pool *p, int32_t cell) {
    assert(p->of[cell] >= 0);
    return p->floats + p->offset[p->of[cell]];
}

static float *open_slot(pp_pool *p, int32_t rank, int32_t cell) {
    assert(p->of[cell] < 0);
    assert(p->used[rank] < p->begin[rank + 1] - p->begin[rank]); /* the peak in flight, never more */
    p->of[cell] = p->free[p->begin[rank] + p->used[rank]++];
    if (p->used[rank] > p->peak[rank]) p->peak[rank] = p->used[rank];
    return slot(p, cell);
}

static void close_slot(pp_pool *p, int32_t rank, int32_t cell) {
    assert(p->of[cell] >= 0);
    p->free[p->begin[rank] + --p->used[rank]] = p->of[cell];
    p->of[cell] = -1;
}

/* One action with everything it needs, looked up once. */
typedef struct job {
    int32_t rank, stage, microbatch, cell, rows, row;
    int first, last; /* stage */
} job;

static job job_of(const pp_run *run, int32_t rank, const pp_action *a) {
    job j = {.rank = rank, .stage = a->stage, .microbatch = a->microbatch};
    j.cell = j.stage * run->schedule->microbatches + j.microbatch;
    j.row = run->microbatch_begin[j.microbatch];
    j.rows = run->microbatch_begin[j.microbatch + 1] - j.row;
    j.first = j.stage == 0;
    j.last = j.stage == run->schedule->stages - 1;
    return j;
}

/* Live bytes are of what the ops made and still need: a stage's input, the outputs of its layers. Gradients, which
 * come and go within a backward, are none. */
static double input_bytes(const pp_run *run, const job *j) {
    return (double)j->rows * pp_stage_input_width(run->network, j->stage) * (double)sizeof(float);
}

static double output_bytes(const pp_run *run, const job *j) {
    return (double)j->rows * pp_stage_width(run->network, j->stage) * (double)sizeof(float);
}

static float *open_input(pp_run *run, const job *j) {
    run->live[j->rank] += input_bytes(run, j);
    return open_slot(&run->inputs, j->rank, j->cell);
}

static float *open_work(pp_run *run, const job *j) {
    run->live[j->rank] += output_bytes(run, j);
    return open_slot(&run->work, j->rank, j->cell);
}

static void release(pp_run *run, const job *j) {
    run->live[j->rank] -= input_bytes(run, j) + output_bytes(run, j);
    close_slot(&run->inputs, j->rank, j->cell);
    close_slot(&run->work, j->rank, j->cell);
}

static int is_remade(const pp_run *run, const job *j) { return run->recomputes && run->remade[j->cell]; }

/* ---- messages ---- */

float *pp_run_message(const pp_run *run, float *messages, int32_t stage, int32_t microbatch) {
    const size_t row = (size_t)run->microbatch_begin[microbatch];
    return messages + run->hop_begin[stage] + row * (size_t)pp_stage_input_width(run->network, stage);
}

/* ---- actions ---- */

/* Where the labels and the targets of the last stage lie. */
static const int32_t *labels_of(const pp_run *run, const job *j) { return run->labels + j->row; }

static const float *targets_of(const pp_run *run, const job *j) {
    return run->targets + (size_t)j->row * (size_t)pp_network_outputs(run->network);
}

/* Samples of the pass's step into their places; those of others stay. */
static void take_samples(pp_run *run, int32_t row, int32_t rows) {
    pp_network *network = run->network;
    pp_data_rows(run->data, (int64_t)network->pass.step * run->batch + row, rows,
                 run->features + (size_t)row * (size_t)pp_network_inputs(network), run->labels + row);
    pp_network_targets(network, run->labels + row, rows,
                       run->targets + (size_t)row * (size_t)pp_network_outputs(network));
}

void pp_run_take_samples(pp_run *run, int32_t microbatch) {
    const int32_t row = run->microbatch_begin[microbatch];
    run->network->pass.step = run->steps;
    take_samples(run, row, run->microbatch_begin[microbatch + 1] - row);
}

float *pp_run_kept(pp_run *run, pp_pool *pool, int32_t stage, int32_t microbatch) {
    const job j = job_of(run, stage, &(pp_action){.stage = stage, .microbatch = microbatch});
    if (pool->of[j.cell] >= 0) return slot(pool, j.cell);
    return pool == &run->work ? open_work(run, &j) : open_input(run, &j);
}

static void forward(pp_run *run, const job *j) {
    const pp_network *network = run->network;
    if (run->flows && (j->first || run->only >= 0)) take_samples(run, j->row, j->rows);
    const size_t width = (size_t)pp_stage_input_width(network, j->stage);
    const float *input = j->first ? run->features + (size_t)j->row * width
                                  : pp_run_message(run, run->input_messages, j->stage, j->microbatch);
    float *activations = run->scratch;
    if (run->schedule->trains) {
        float *kept = open_input(run, j);
        memcpy(kept, input, (size_t)j->rows * width * sizeof(float));
        input = kept;
        if (!is_remade(run, j)) activations = open_work(run, j);
    }
    pp_stage_forward(network, j->stage, j->rows, input, activations);
    const float *output = pp_stage_output(network, j->stage, j->rows, activations);
    run->input_there[j->cell] = 0;
    if (j->last) {
        pp_network_loss_forward(network, j->rows, output, labels_of(run, j), targets_of(run, j), run->losses + j->row);
        return;
    }
    const size_t count = (size_t)j->rows * (size_t)pp_stage_output_width(network, j->stage);
    memcpy(pp_run_message(run, run->input_messages, j->stage + 1, j->microbatch), output, count * sizeof(float));
    run->input_there[j->cell + run->schedule->microbatches] = 1;
}

static void recompute(pp_run *run, const job *j) {
    pp_stage_forward(run->network, j->stage, j->rows, slot(&run->inputs, j->cell), open_work(run, j));
}

static float *deltas_of(const pp_run *run, const job *j, float *activations) {
    return activations + (size_t)j->rows * (size_t)pp_stage_width(run->network, j->stage);
}

static void backward_input(pp_run *run, const job *j) {
    const pp_network *network = run->network;
    float *activations = slot(&run->work, j->cell), *deltas = deltas_of(run, j, activations);
    const float *output_gradient = NULL;
    float *input_gradient = NULL;
    if (j->last)
        pp_network_loss_backward(network, j->rows, pp_stage_output(network, j->stage, j->rows, activations),
                                 labels_of(run, j), targets_of(run, j),
                                 pp_stage_output(network, j->stage, j->rows, deltas));
    else
        output_gradient = pp_run_message(run, run->gradient_messages, j->stage + 1, j->microbatch);
    run->gradient_there[j->cell] = 0;
    if (!j->first) input_gradient = pp_run_message(run, run->gradient_messages, j->stage, j->microbatch);
    pp_stage_backward_input(network, j->stage, j->rows, activations, output_gradient, deltas, input_gradient);
    if (!j->first) run->gradient_there[j->cell - run->schedule->microbatches] = 1;
}

/* Each copy of a stage adds up its own gradients, as it would on its own device. */
static void backward_weight(pp_run *run, const job *j) {
    const pp_schedule *schedule = run->schedule;
    const int32_t pipe = schedule->unit_pipe != NULL ? schedule->unit_pipe[j->microbatch] : 0;
    float *gradients =
        pipe == 0 ? run->network->gradients : run->copies + (size_t)(pipe - 1) * (size_t)run->network->parameter_count;
    float *activations = slot(&run->work, j->cell);
    pp_stage_backward_weight(run->network, j->stage, j->rows, slot(&run->inputs, j->cell), activations,
                             deltas_of(run, j, activations), gradients);
}

void pp_run_perform(pp_run *run, int32_t rank, const pp_action *a) {
    const job j = job_of(run, rank, a);
    pp_network *network = run->network;
    float *const newest = network->parameters;
    network->pass.row = j.row;
    network->pass.microbatch = j.microbatch;
    if (run->flows) pp_versions_enter(run, a);
    switch (a->op) {
    case PP_F: forward(run, &j); break;
    case PP_R: recompute(run, &j); break;
    case PP_I: backward_input(run, &j); break;
    case PP_W: backward_weight(run, &j); break;
    default:
        backward_input(run, &j);
        backward_weight(run, &j);
        break;
    }
    network->parameters = newest;
    if (run->flows && releases(a)) pp_versions_leave(run, a);
    const int second = run->half_slot >= 0;
    run->half_slot = a->fused ? rank : -1;
    /* What a fused slot releases it keeps until it ends. */
    if (run->live[rank] > run->most[rank]) run->most[rank] = run->live[rank];
    if (releases(a) && a->fused)
        run->release_action = a;
    else if (releases(a))
        release(run, &j);
    if (second && run->release_action != NULL) {
        const job held = job_of(run, rank, run->release_action);
        release(run, &held);
        run->release_action = NULL;
    }
}

/* ---- order ---- */

int32_t pp_run_head(const pp_run *run, int32_t rank) {
    const pp_schedule *schedule = run->schedule;
    const int32_t begin = schedule->rank_begin[rank], end = schedule->rank_begin[rank + 1];
    int32_t i = run->head[rank];
    while (run->flows && i < end && schedule->actions[i].op == PP_F) i++;
    if (i == end || !run->flows || run->inputs.used[rank] == pp_run_slots(run, rank)) return i < end ? i : -1;
    i = run->head_forward[rank];
    while (i == end || schedule->actions[i].op != PP_F) i = i < end ? i + 1 : begin;
    return i;
}

int32_t pp_run_take(pp_run *run, int32_t rank) {
    const int32_t i = pp_run_head(run, rank);
    (run->flows && run->schedule->actions[i].op == PP_F ? run->head_forward : run->head)[rank] = i + 1;
    run->position++;
    return i;
}

static int arrived(const pp_run *run, const pp_action *a) {
    const int32_t cell = a->stage * run->schedule->microbatches + a->microbatch;
    if (a->op == PP_F) return a->stage == 0 || run->input_there[cell];
    const int late = a->op == PP_R && run->schedule->recompute == PP_RECOMPUTE_LATE;
    if (a->op == PP_B || a->op == PP_I || late)
        return a->stage == run->schedule->stages - 1 || run->gradient_there[cell];
    return 1;
}

/* The rank whose next action starts first; -1 if none can go on. Asking what has arrived as well as the clock matters
 * where actions cost nothing and many start at the same tick. */
int32_t pp_run_next_rank(const pp_run *run) {
    const pp_schedule *schedule = run->schedule;
    int32_t best = -1;
    double earliest = 0.0;
    if (run->half_slot >= 0) return run->half_slot;
    const int32_t end = run->only < 0 ? schedule->ranks : run->only + 1;
    for (int32_t r = run->only < 0 ? 0 : run->only; r < end; r++) {
        const int32_t i = pp_run_head(run, r);
        if (i < 0 || (best >= 0 && run->start[i] >= earliest)) continue;
        const pp_action *a = &schedule->actions[i];
        if (!arrived(run, a) || (a->fused && !arrived(run, a + 1))) continue;
        best = r;
        earliest = run->start[i];
    }
    return best;
}

/* Nothing is under way. */
static void empty(pp_run *run) {
    const pp_schedule *schedule = run->schedule;
    const int32_t cells = schedule->stages * schedule->microbatches;
    memset(run->live, 0, (size_t)schedule->ranks * sizeof(double));
    memset(run->most, 0, (size_t)schedule->ranks * sizeof(double));
    memset(run->input_there, 0, (size_t)cells);
    memset(run->gradient_there, 0, (size_t)cells);
    empty_pool(&run->inputs, schedule->ranks, cells);
    empty_pool(&run->work, schedule->ranks, cells);
}

void pp_run_begin_step(pp_run *run) {
    const pp_schedule *schedule = run->schedule;
    pp_network *network = run->network;
    network->pass = (pp_pass){.step = run->steps, .evaluates = !schedule->trains, .statistics = run->statistics};
    memcpy(run->head, schedule->rank_begin, (size_t)schedule->ranks * sizeof(int32_t));
    run->position = 0;
    run->labelled = run->diverged = 0;
    run->half_slot = -1;
    run->release_action = NULL;
    if (run->flows) {
        memcpy(run->most, run->live, (size_t)schedule->ranks * sizeof(double));
        return;
    }
    empty(run);
    if (schedule->trains) pp_zero(network->gradients, network->parameter_count);
    if (schedule->update_every > 0) {
        pp_versions_begin(run);
        memcpy(run->head_forward, schedule->rank_begin, (size_t)schedule->ranks * sizeof(int32_t));
        return;
    }
    for (int32_t copy = 1; copy < schedule->pipes; copy++)
        pp_zero(run->copies + (size_t)(copy - 1) * (size_t)network->parameter_count, network->parameter_count);
    take_samples(run, 0, run->batch);
    network->pass.total = pp_labelled(run->labels, run->batch);
}

void pp_run_add_copies(pp_run *run) {
    const pp_schedule *schedule = run->schedule;
    pp_network *network = run->network;
    for (int32_t s = 0; s < schedule->stages; s++) {
        if (run->only >= 0 && schedule->stage_rank[s] != run->only) continue;
        const int32_t begin = network->layer_begin[network->cuts[s]], count = pp_stage_parameter_count(network, s);
        for (int32_t copy = 1; copy < schedule->pipes; copy++)
            pp_add(network->gradients + begin,
                   run->copies + (size_t)(copy - 1) * (size_t)network->parameter_count + begin, count);
    }
}

/* The last rank is never ahead, so its losses are those of this step; labels may be of the next one. */
double pp_run_stream_loss(const pp_run *run) {
    return pp_loss_sum(run->batch, run->losses) / (run->labelled > 0 ? run->labelled : 1);
}

int32_t pp_run_end_step(pp_run *run, int taken) {
    run->position = -1;
    run->steps++;
    run->skipped += !taken;
    return taken ? PP_STEP_DONE : PP_ERR_DIVERGED;
}

/* A run of all ranks has no more actions in this step. */
static int32_t finish_step(pp_run *run) {
    if (run->flows) { /* its updates were made on the way */
        run->loss = pp_run_stream_loss(run);
        run->diverged |= !isfinite(run->loss);
        return pp_run_end_step(run, !run->diverged);
    }
    if (!run->schedule->trains) { /* there is no update that could be skipped */
        run->loss = pp_mean_loss(run->batch, run->labels, run->losses);
        const int32_t done = pp_run_end_step(run, 1);
        return isfinite(run->loss) ? done : PP_ERR_DIVERGED;
    }
    pp_run_add_copies(run);
    return pp_run_end_step(run,
                           pp_network_update(run->network, run->batch, run->labels, run->losses, &run->loss) == PP_OK);
}

int32_t pp_run_next(pp_run *run, int32_t *action) {
    if (run->position < 0) pp_run_begin_step(run);
    const int32_t rank = pp_run_next_rank(run);
    if (rank < 0) {
        for (int32_t r = 0; r < run->schedule->ranks; r++) {
            assert(pp_run_head(run, r) < 0);
            if (pp_run_head(run, r) >= 0) return PP_ERR_DEADLOCK; /* the schedule was not checked */
        }
        if (action != NULL) *action = -1;
        return finish_step(run);
    }
    const int32_t i = pp_run_take(run, rank);
    pp_run_perform(run, rank, &run->schedule->actions[i]);
    if (action != NULL) *action = i;
    return PP_OK;
}

int32_t pp_run_step(pp_run *run) {
    int32_t status;
    do status = pp_run_next(run, NULL);
    while (status == PP_OK);
    return status == PP_STEP_DONE ? PP_OK : status;
}

void pp_run_rewind(pp_run *run, int32_t steps) {
    run->steps = steps;
    run->position = -1;
    run->flows = 0;
    run->again = 0;
    run->skipped = 0;
    run->loss = NAN;
    empty(run);
}

void pp_run_resume(pp_run *run, int32_t stage) {
    const pp_schedule *schedule = run->schedule;
    int32_t i = run->head[stage] = schedule->rank_begin[stage];
    for (int32_t n = pp_run_ahead(schedule, stage); n > 0; i++) n -= schedule->actions[i].op == PP_F;
    run->head_forward[stage] = i;
}

/* ---- accessors ---- */

int32_t pp_run_batch(const pp_run *run) { return run->batch; }
const int32_t *pp_run_microbatch_begin(const pp_run *run) { return run->microbatch_begin; }
double pp_run_loss(const pp_run *run) { return run->loss; }
int32_t pp_run_steps(const pp_run *run) { return run->steps; }
int32_t pp_run_skipped(const pp_run *run) { return run->skipped; }
int32_t pp_run_position(const pp_run *run) { return run->position < 0 ? 0 : run->position; }
int32_t pp_run_sums_in_order(const pp_run *run) { return run->in_order; }

int32_t pp_run_in_flight(const pp_run *run, int32_t rank) {
    return run->position < 0 && !run->flows ? 0 : run->inputs.used[rank];
}

int32_t pp_run_peak(const pp_run *run, int32_t rank) { return run->inputs.peak[rank]; }
int32_t pp_run_is_ahead(const pp_run *run) { return run->network->pass.step > run->steps; }
int32_t pp_run_versions(const pp_run *run, int32_t rank) { return run->flows ? run->versions[rank].most : 1; }
int32_t pp_run_lag(const pp_run *run, int32_t rank) { return run->flows ? run->versions[rank].late : 0; }
int32_t pp_run_slots(const pp_run *run, int32_t rank) { return run->inputs.begin[rank + 1] - run->inputs.begin[rank]; }
double pp_run_peak_bytes(const pp_run *run, int32_t rank) { return run->most[rank]; }

void pp_run_memory(const pp_run *run, double *table) {
    const int32_t n = run->schedule->stages;
    memset(table, 0, (size_t)(PP_MEMORY_ROWS * n) * sizeof(double));
    for (int32_t s = 0; s < n; s++) {
        const double made = (double)sizeof(float) * pp_stage_width(run->network, s);
        table[PP_MEMORY_ACTIVATIONS * n + s] = table[PP_MEMORY_KEPT * n + s] = made;
        table[PP_MEMORY_INPUTS * n + s] = (double)sizeof(float) * pp_stage_input_width(run->network, s);
    }
}
