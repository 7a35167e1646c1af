/* Executes a schedule: walks its actions in the order of simulated time and calls the stages of a network. The only
 * file that knows both sides.
 *
 * Ranks are told apart as they would be on separate devices: a stage gets its input by a message, keeps what its
 * backward needs in a slot of its own rank, and frees the slot when the schedule says so. A rank has exactly as many
 * slots as its list has chunks in flight, so an executor that kept more than the simulation counts would not run. */
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "fault.h"
#include "model.h"
#include "schedule.h"
#include "tensor.h"

/* Slots of one kind. Cells are (stage, micro-batch), numbered stage * microbatches + microbatch. */
typedef struct pool {
    int32_t *begin; /* ranks + 1: slot numbers of each rank */
    int32_t *free;  /* free slot numbers of each rank, a stack from begin[rank] on */
    int32_t *used;  /* slots of each rank in use */
    int32_t *peak;  /* the most there were */
    int32_t *of;    /* slot of each cell, -1 for none */
    size_t *offset; /* where each slot's floats begin */
    float *floats;
} pool;

struct pp_run {
    const pp_schedule *schedule;
    const double *start;
    pp_network *network;
    pp_data *data;
    double rate;
    double loss;
    int32_t batch;
    int32_t steps;
    int32_t skipped;
    int32_t position;   /* actions of the present step done, -1 between steps */
    int32_t recomputes; /* F keeps the input alone, and R makes the activations again */
    int32_t in_order;
    int32_t half_slot;    /* rank that has done the first half of a fused slot, -1 for none */
    int32_t release_cell; /* cell whose slots are freed when that slot ends, -1 for none */
    int32_t *microbatch_begin;
    int32_t *head;           /* the action each rank comes to next */
    uint8_t *input_there;    /* of each cell: its input message has arrived .. */
    uint8_t *gradient_there; /* .. and that with the gradient of its output */
    pool inputs;             /* stage inputs, from F to B or W */
    pool work;               /* activations, then deltas; from F, or R, to B or W */
    /* The whole batch: a row for each sample, so that any number of messages may be under way. */
    int32_t *labels;
    float *features;
    float *targets;
    float *losses;
    size_t *hop_begin; /* of each stage but the first: where the messages into it begin */
    float *input_messages;
    float *gradient_messages; /* on the hop into stage s+1: gradients of the outputs of stage s */
    float *copies;            /* gradients of the second and further copies of the stages */
    float *scratch;           /* activations of a forward that keeps none */
};

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

static void lay_pool(cursor *at, const pp_schedule *schedule, const pp_network *network, int32_t rows, int32_t opens,
                     int32_t work, pool *p) {
    const uint64_t ranks = (uint64_t)schedule->ranks;
    int32_t slots = 0;
    uint64_t floats = 0;
    for (int32_t r = 0; r < schedule->ranks; r++) slots += slots_needed(schedule, r, opens);
    p->begin = take(at, ranks + 1, sizeof(int32_t));
    p->free = take(at, (uint64_t)slots, sizeof(int32_t));
    p->used = take(at, ranks, sizeof(int32_t));
    p->peak = take(at, ranks, sizeof(int32_t));
    p->of = take(at, (uint64_t)schedule->stages * (uint64_t)schedule->microbatches, sizeof(int32_t));
    p->offset = take(at, (uint64_t)slots, sizeof(size_t));
    slots = 0;
    for (int32_t r = 0; r < schedule->ranks; r++) {
        const int32_t needed = slots_needed(schedule, r, opens);
        const uint64_t size = (uint64_t)rows * (uint64_t)width_needed(schedule, network, r, work);
        if (p->begin != NULL) p->begin[r] = slots;
        for (int32_t n = 0; n < needed; n++, slots++, floats += size)
            if (p->offset != NULL) p->offset[slots] = (size_t)floats;
    }
    if (p->begin != NULL) p->begin[schedule->ranks] = slots;
    p->floats = take(at, floats, sizeof(float));
}

static uint64_t lay_out(const pp_schedule *schedule, const pp_network *network, int32_t batch, char *memory,
                        pp_run *run) {
    cursor at = {memory, 0};
    const uint64_t n = (uint64_t)batch, stages = (uint64_t)schedule->stages, m = (uint64_t)schedule->microbatches;
    const int32_t rows = (batch + schedule->microbatches - 1) / schedule->microbatches;
    uint64_t hops = 0;
    int32_t widest = 0;
    take(&at, 1, sizeof(pp_run));
    run->microbatch_begin = take(&at, m + 1, sizeof(int32_t));
    run->head = take(&at, (uint64_t)schedule->ranks, sizeof(int32_t));
    run->input_there = take(&at, stages * m, 1);
    run->gradient_there = take(&at, stages * m, 1);
    lay_pool(&at, schedule, network, rows, PP_F, 0, &run->inputs);
    lay_pool(&at, schedule, network, rows, run->recomputes ? PP_R : PP_F, 1, &run->work);
    run->labels = take(&at, n, sizeof(int32_t));
    run->features = take(&at, n * (uint64_t)pp_network_inputs(network), sizeof(float));
    run->targets = take(&at, n * (uint64_t)pp_network_outputs(network), sizeof(float));
    run->losses = take(&at, n, sizeof(float));
    run->hop_begin = take(&at, stages, sizeof(size_t));
    for (int32_t s = 0; s < schedule->stages; s++) {
        if (run->hop_begin != NULL) run->hop_begin[s] = (size_t)hops;
        if (s > 0) hops += n * (uint64_t)pp_stage_input_width(network, s);
        if (pp_stage_width(network, s) > widest) widest = pp_stage_width(network, s);
    }
    run->input_messages = take(&at, hops, sizeof(float));
    run->gradient_messages = take(&at, schedule->trains ? hops : 0, sizeof(float));
    run->copies = take(&at, (uint64_t)(schedule->pipes - 1) * (uint64_t)network->parameter_count, sizeof(float));
    run->scratch = take(&at, (uint64_t)rows * (uint64_t)widest, sizeof(float));
    return at.used;
}

static int recomputes(const pp_schedule *schedule) {
    const int32_t count = count_op(schedule, PP_R);
    return count > 0 && count == count_op(schedule, PP_F);
}

size_t pp_run_bytes(const pp_schedule *schedule, const pp_network *network, const pp_training *training) {
    pp_run run;
    memset(&run, 0, sizeof run);
    run.recomputes = recomputes(schedule);
    if (network->stages != schedule->stages) return sizeof run; /* pp_run_init refuses */
    const uint64_t bytes = lay_out(schedule, network, training->batch, NULL, &run);
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

static int32_t refuse(int32_t status, int32_t option, int32_t a, int32_t seen, int32_t fix, pp_fault *fault) {
    pp_fault scratch;
    fault = pp_fault_start(fault, &scratch, status);
    fault->option = option;
    fault->a = a;
    pp_fault_seen_number(fault, seen);
    if (option >= 0) pp_fault_fix_number(fault, option, fix);
    return status;
}

int32_t pp_run_init(const pp_schedule *schedule, const pp_timeline *timeline, pp_network *network, pp_data *data,
                    const pp_training *training, void *memory, size_t bytes, pp_fault *fault) {
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
    if (bytes < pp_run_bytes(schedule, network, training)) return refuse(PP_ERR_CAPACITY, -1, -1, 0, 0, fault);

    pp_run *run = memory;
    memset(run, 0, sizeof *run);
    run->schedule = schedule;
    run->start = timeline->start;
    run->network = network;
    run->data = data;
    run->rate = training->rate;
    run->loss = NAN;
    run->batch = batch;
    run->recomputes = recomputes(schedule);
    lay_out(schedule, network, batch, memory, run);
    run->in_order = sums_in_order(schedule, run->inputs.of);
    /* Sizes as equal as they can be, the larger first: 8 in 3 is 3, 3, 2. */
    run->microbatch_begin[0] = 0;
    for (int32_t k = 0; k < m; k++)
        run->microbatch_begin[k + 1] = run->microbatch_begin[k] + batch / m + (k < batch % m);
    memset(run->inputs.peak, 0, (size_t)schedule->ranks * sizeof(int32_t));
    memset(run->work.peak, 0, (size_t)schedule->ranks * sizeof(int32_t));
    run->position = -1;
    return PP_OK;
}

/* ---- slots ---- */

static void empty_pool(pool *p, int32_t ranks, int32_t cells) {
    for (int32_t i = 0; i < p->begin[ranks]; i++) p->free[i] = i;
    for (int32_t r = 0; r < ranks; r++) p->used[r] = 0;
    for (int32_t i = 0; i < cells; i++) p->of[i] = -1;
}

static float *slot(const pool *p, int32_t cell) {
    assert(p->of[cell] >= 0);
    return p->floats + p->offset[p->of[cell]];
}

static float *open_slot(pool *p, int32_t rank, int32_t cell) {
    assert(p->of[cell] < 0);
    assert(p->used[rank] < p->begin[rank + 1] - p->begin[rank]); /* the peak in flight, never more */
    p->of[cell] = p->free[p->begin[rank] + p->used[rank]++];
    if (p->used[rank] > p->peak[rank]) p->peak[rank] = p->used[rank];
    return slot(p, cell);
}

static void close_slot(pool *p, int32_t rank, int32_t cell) {
    assert(p->of[cell] >= 0);
    p->free[p->begin[rank] + --p->used[rank]] = p->of[cell];
    p->of[cell] = -1;
}

static void release(pp_run *run, int32_t rank, int32_t cell) {
    close_slot(&run->inputs, rank, cell);
    close_slot(&run->work, rank, cell);
}

/* ---- messages ---- */

/* Messages of one micro-batch on the hop into `stage`, stage >= 1. */
static float *message(const pp_run *run, float *messages, int32_t stage, int32_t microbatch) {
    const size_t row = (size_t)run->microbatch_begin[microbatch];
    return messages + run->hop_begin[stage] + row * (size_t)pp_stage_input_width(run->network, stage);
}

/* ---- actions ---- */

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

/* Where the labels and the targets of the last stage lie. */
static const int32_t *labels_of(const pp_run *run, const job *j) { return run->labels + j->row; }

static const float *targets_of(const pp_run *run, const job *j) {
    return run->targets + (size_t)j->row * (size_t)pp_network_outputs(run->network);
}

static void forward(pp_run *run, const job *j) {
    const pp_network *network = run->network;
    const size_t width = (size_t)pp_stage_input_width(network, j->stage);
    const float *input =
        j->first ? run->features + (size_t)j->row * width : message(run, run->input_messages, j->stage, j->microbatch);
    float *activations = run->scratch;
    if (run->schedule->trains) {
        float *kept = open_slot(&run->inputs, j->rank, j->cell);
        memcpy(kept, input, (size_t)j->rows * width * sizeof(float));
        input = kept;
        if (!run->recomputes) activations = open_slot(&run->work, j->rank, j->cell);
    }
    pp_stage_forward(network, j->stage, j->rows, input, activations);
    const float *output = pp_stage_output(network, j->stage, j->rows, activations);
    if (j->last) {
        pp_network_loss_forward(network, j->rows, output, labels_of(run, j), targets_of(run, j), run->losses + j->row);
        return;
    }
    const size_t count = (size_t)j->rows * (size_t)pp_stage_output_width(network, j->stage);
    memcpy(message(run, run->input_messages, j->stage + 1, j->microbatch), output, count * sizeof(float));
    run->input_there[j->cell + run->schedule->microbatches] = 1;
}

static void recompute(pp_run *run, const job *j) {
    float *activations = run->recomputes ? open_slot(&run->work, j->rank, j->cell) : slot(&run->work, j->cell);
    pp_stage_forward(run->network, j->stage, j->rows, slot(&run->inputs, j->cell), activations);
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
        output_gradient = message(run, run->gradient_messages, j->stage + 1, j->microbatch);
    if (!j->first) input_gradient = message(run, run->gradient_messages, j->stage, j->microbatch);
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

static void perform(pp_run *run, int32_t rank, const pp_action *a) {
    const job j = job_of(run, rank, a);
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
    const int second = run->half_slot >= 0;
    run->half_slot = a->fused ? rank : -1;
    /* What a fused slot releases it keeps until it ends. */
    if (releases(a) && a->fused)
        run->release_cell = j.cell;
    else if (releases(a))
        release(run, rank, j.cell);
    if (second && run->release_cell >= 0) {
        release(run, rank, run->release_cell);
        run->release_cell = -1;
    }
}

/* ---- order ---- */

static int arrived(const pp_run *run, const pp_action *a) {
    const int32_t cell = a->stage * run->schedule->microbatches + a->microbatch;
    if (a->op == PP_F) return a->stage == 0 || run->input_there[cell];
    if (a->op == PP_B || a->op == PP_I) return a->stage == run->schedule->stages - 1 || run->gradient_there[cell];
    return 1;
}

/* The rank whose next action starts first; -1 if none can go on. Asking what has arrived as well as the clock matters
 * where actions cost nothing and many start at the same tick. */
static int32_t next_rank(const pp_run *run) {
    const pp_schedule *schedule = run->schedule;
    int32_t best = -1;
    double earliest = 0.0;
    if (run->half_slot >= 0) return run->half_slot;
    for (int32_t r = 0; r < schedule->ranks; r++) {
        const int32_t i = run->head[r];
        if (i == schedule->rank_begin[r + 1] || (best >= 0 && run->start[i] >= earliest)) continue;
        const pp_action *a = &schedule->actions[i];
        if (!arrived(run, a) || (a->fused && !arrived(run, a + 1))) continue;
        best = r;
        earliest = run->start[i];
    }
    return best;
}

static void begin_step(pp_run *run) {
    const pp_schedule *schedule = run->schedule;
    pp_network *network = run->network;
    const int32_t cells = schedule->stages * schedule->microbatches;
    pp_data_batch(run->data, run->steps, run->batch, run->features, run->labels);
    pp_network_targets(network, run->labels, run->batch, run->targets);
    if (schedule->trains) pp_zero(network->gradients, network->parameter_count);
    for (int32_t copy = 1; copy < schedule->pipes; copy++)
        pp_zero(run->copies + (size_t)(copy - 1) * (size_t)network->parameter_count, network->parameter_count);
    memcpy(run->head, schedule->rank_begin, (size_t)schedule->ranks * sizeof(int32_t));
    memset(run->input_there, 0, (size_t)cells);
    memset(run->gradient_there, 0, (size_t)cells);
    empty_pool(&run->inputs, schedule->ranks, cells);
    empty_pool(&run->work, schedule->ranks, cells);
    run->half_slot = -1;
    run->release_cell = -1;
    run->position = 0;
}

static int32_t end_step(pp_run *run) {
    pp_network *network = run->network;
    run->position = -1;
    run->steps++;
    if (!run->schedule->trains) {
        run->loss = pp_mean_loss(run->batch, run->labels, run->losses);
        return isfinite(run->loss) ? PP_STEP_DONE : PP_ERR_DIVERGED;
    }
    for (int32_t copy = 1; copy < run->schedule->pipes; copy++)
        pp_add(network->gradients, run->copies + (size_t)(copy - 1) * (size_t)network->parameter_count,
               network->parameter_count);
    const int32_t status = pp_network_update(network, run->batch, run->labels, run->losses, run->rate, &run->loss);
    if (status == PP_OK) return PP_STEP_DONE;
    run->skipped++;
    return status;
}

int32_t pp_run_next(pp_run *run, int32_t *action) {
    if (run->position < 0) begin_step(run);
    if (run->position == run->schedule->action_count) {
        if (action != NULL) *action = -1;
        return end_step(run);
    }
    const int32_t rank = next_rank(run);
    assert(rank >= 0);
    if (rank < 0) return PP_ERR_DEADLOCK; /* the schedule was not checked */
    const int32_t i = run->head[rank]++;
    run->position++;
    perform(run, rank, &run->schedule->actions[i]);
    if (action != NULL) *action = i;
    return PP_OK;
}

int32_t pp_run_step(pp_run *run) {
    int32_t status;
    do status = pp_run_next(run, NULL);
    while (status == PP_OK);
    return status == PP_STEP_DONE ? PP_OK : status;
}

/* ---- accessors ---- */

int32_t pp_run_batch(const pp_run *run) { return run->batch; }
const int32_t *pp_run_microbatch_begin(const pp_run *run) { return run->microbatch_begin; }
double pp_run_loss(const pp_run *run) { return run->loss; }
int32_t pp_run_steps(const pp_run *run) { return run->steps; }
int32_t pp_run_skipped(const pp_run *run) { return run->skipped; }
int32_t pp_run_position(const pp_run *run) { return run->position < 0 ? 0 : run->position; }
int32_t pp_run_sums_in_order(const pp_run *run) { return run->in_order; }

int32_t pp_run_in_flight(const pp_run *run, int32_t rank) { return run->position < 0 ? 0 : run->inputs.used[rank]; }

int32_t pp_run_peak(const pp_run *run, int32_t rank) { return run->inputs.peak[rank]; }
int32_t pp_run_slots(const pp_run *run, int32_t rank) { return run->inputs.begin[rank + 1] - run->inputs.begin[rank]; }
