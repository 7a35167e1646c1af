/* One rank of a run by itself, in a memory of its own: performs that rank's list, hands out what others need, takes what
 * they made. Whoever carries the messages knows no schedule: it asks what to send, and to whom, and hands in what came.
 *
 * A step ends as on real devices. Ranks that hold a further copy of a stage send its gradients to the rank that holds the
 * first one, which adds them in the order of the copies, as a run of all ranks does, and sends back the sum. Then each
 * rank tells the root whether its gradients are finite, and those with the last stage their losses; the root tells all
 * whether to take the step or to skip it. So weights are those of pp_run_step, bit for bit. */
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "fault.h"
#include "runtime.h"
#include "schedule.h"
#include "tensor.h"

enum { PHASE_ACTIONS, PHASE_COPIES, PHASE_SUMS, PHASE_VOTE, PHASE_VERDICT };

/* What a message is, in the upper bits of its key; below them the cell, copy * stages + stage, stage or rank. */
enum { KEY_INPUT, KEY_GRADIENT, KEY_COPY, KEY_SUM, KEY_VOTE, KEY_VERDICT, KEY_SHIFT = 27 };

/* ---- the part of the network ---- */

static void find_held(const pp_schedule *schedule, int32_t rank, uint8_t *held) {
    memset(held, 0, (size_t)schedule->stages);
    for (int32_t i = 0; i < schedule->pipes * schedule->stages; i++)
        if (schedule->stage_rank[i] == rank) held[i % schedule->stages] = 1;
}

size_t pp_rank_network_bytes(const pp_schedule *schedule, int32_t rank, const int32_t *widths, int32_t layers,
                             int32_t kind) {
    uint8_t held[PP_MAX_STAGES];
    find_held(schedule, rank, held);
    return pp_network_part_bytes(widths, layers, schedule->stages, kind, held);
}

int32_t pp_rank_network_init(const pp_schedule *schedule, int32_t rank, const int32_t *widths, int32_t layers,
                             int32_t kind, int32_t loss, void *memory, size_t bytes) {
    uint8_t held[PP_MAX_STAGES];
    find_held(schedule, rank, held);
    return pp_network_part_init(widths, layers, schedule->stages, held, kind, loss, memory, bytes);
}

int32_t pp_rank_stage(const pp_run *run, int32_t number) {
    for (int32_t s = 0; s < run->schedule->stages; s++)
        if (pp_run_holds(run, run->schedule, s) && number-- == 0) return s;
    return -1;
}

/* ---- gradients of copies ---- */

static int32_t holder(const pp_run *run, int32_t copy, int32_t stage) {
    return run->schedule->stage_rank[copy * run->schedule->stages + stage];
}

static float *gradients_of(const pp_run *run, int32_t copy, int32_t stage) {
    pp_network *network = run->network;
    const size_t begin = (size_t)network->layer_begin[network->cuts[stage]];
    return (copy == 0 ? network->gradients : run->copies + (size_t)(copy - 1) * (size_t)network->parameter_count) +
           begin;
}

/* Gradients of copies that others compute of stages whose first copy is here; sums that others make. */
static void awaited(const pp_run *run, int32_t *copies, int32_t *sums) {
    *copies = *sums = 0;
    for (int32_t s = 0; s < run->schedule->stages; s++) {
        const int own = holder(run, 0, s) == run->only;
        *sums += !own && pp_run_holds(run, run->schedule, s);
        for (int32_t c = 1; c < run->schedule->pipes; c++) *copies += own && holder(run, c, s) != run->only;
    }
}

static void add_copies(pp_run *run) {
    for (int32_t s = 0; s < run->schedule->stages; s++) {
        if (holder(run, 0, s) != run->only) continue;
        for (int32_t c = 1; c < run->schedule->pipes; c++)
            pp_add(gradients_of(run, 0, s), gradients_of(run, c, s), pp_stage_parameter_count(run->network, s));
    }
}

/* ---- votes ---- */

static float *vote_of(const pp_run *run, int32_t rank) {
    return run->votes + (run->only == PP_ROOT_RANK ? (size_t)rank * ((size_t)run->batch + 1) : 0);
}

static int holds_last(const pp_run *run, int32_t rank) {
    const int32_t last = run->schedule->stages - 1;
    for (int32_t c = 0; c < run->schedule->pipes; c++)
        if (holder(run, c, last) == rank) return 1;
    return 0;
}

static int32_t vote_length(const pp_run *run, int32_t rank) { return holds_last(run, rank) ? 1 + run->batch : 1; }

static void make_vote(pp_run *run) {
    pp_network *network = run->network;
    const int32_t count = network->parameter_count;
    float *vote = vote_of(run, run->only);
    vote[0] = pp_divide(network->gradients, (float)pp_labelled(run->labels, run->batch), count) ? 1.0f : 0.0f;
    if (holds_last(run, run->only)) memcpy(vote + 1, run->losses, (size_t)run->batch * sizeof(float));
}

/* On the root, once all votes are in. */
static void count_votes(pp_run *run) {
    const pp_schedule *schedule = run->schedule;
    run->verdict = 1;
    for (int32_t r = 0; r < schedule->ranks; r++) run->verdict &= vote_of(run, r)[0] != 0.0f;
    for (int32_t k = 0; k < schedule->microbatches; k++) {
        const int32_t row = run->microbatch_begin[k], rows = run->microbatch_begin[k + 1] - row;
        const float *vote = vote_of(run, pp_rank_of(schedule, schedule->stages - 1, k));
        memcpy(run->losses + row, vote + 1 + row, (size_t)rows * sizeof(float));
    }
    run->verdict &= pp_all_finite(run->losses, run->batch);
    run->loss = pp_extended_loss(run->network, run->batch, run->labels, run->losses);
    vote_of(run, run->only)[0] = (float)run->verdict;
}

/* ---- messages out ---- */

static float *hand_out(pp_message *out, int32_t to, int32_t kind, int32_t what, int32_t count, float *floats) {
    *out = (pp_message){to, kind << KEY_SHIFT | what, count};
    return floats;
}

/* What the action just performed made for another rank. */
static float *post_output(pp_run *run, pp_message *out) {
    const pp_schedule *schedule = run->schedule;
    if (run->output < 0) return NULL;
    const pp_action *a = &schedule->actions[run->output];
    run->output = -1;
    const int forward = a->op == PP_F;
    const int32_t stage = a->stage + (forward ? 1 : -1), m = schedule->microbatches;
    if ((!forward && a->op != PP_B && a->op != PP_I) || stage < 0 || stage == schedule->stages) return NULL;
    const int32_t to = pp_rank_of(schedule, stage, a->microbatch), hop = forward ? stage : a->stage;
    if (to == run->only) return NULL;
    const int32_t rows = run->microbatch_begin[a->microbatch + 1] - run->microbatch_begin[a->microbatch];
    return hand_out(out, to, forward ? KEY_INPUT : KEY_GRADIENT, stage * m + a->microbatch,
                    rows * pp_stage_input_width(run->network, hop),
                    pp_run_message(run, forward ? run->input_messages : run->gradient_messages, hop, a->microbatch));
}

/* Of a stage to the rank of its first copy, or the sum from there to the others, each rank once. */
static float *post_gradients(pp_run *run, pp_message *out) {
    const pp_schedule *schedule = run->schedule;
    const int sums = run->phase == PHASE_SUMS;
    while (run->sent < (schedule->pipes - 1) * schedule->stages) {
        const int32_t copy = 1 + run->sent / schedule->stages, s = run->sent % schedule->stages;
        const int32_t first = holder(run, 0, s), other = holder(run, copy, s);
        int again = 0;
        run->sent++;
        if (first == other || run->only != (sums ? first : other)) continue;
        for (int32_t c = 1; c < copy; c++) again |= holder(run, c, s) == other;
        if (sums && again) continue;
        return hand_out(out, sums ? other : first, sums ? KEY_SUM : KEY_COPY, sums ? s : copy * schedule->stages + s,
                        pp_stage_parameter_count(run->network, s), gradients_of(run, sums ? 0 : copy, s));
    }
    return NULL;
}

static float *post_vote(pp_run *run, pp_message *out) {
    if (run->only == PP_ROOT_RANK || run->sent++ > 0) return NULL;
    return hand_out(out, PP_ROOT_RANK, KEY_VOTE, run->only, vote_length(run, run->only), run->votes);
}

static float *post_verdict(pp_run *run, pp_message *out) {
    if (run->only != PP_ROOT_RANK || ++run->sent >= run->schedule->ranks) return NULL;
    return hand_out(out, run->sent, KEY_VERDICT, 0, 1, vote_of(run, run->only));
}

const float *pp_rank_post(pp_run *run, pp_message *out) {
    if (run->position < 0) return NULL;
    switch (run->phase) {
    case PHASE_ACTIONS: return post_output(run, out);
    case PHASE_COPIES:
    case PHASE_SUMS: return post_gradients(run, out);
    case PHASE_VOTE: return post_vote(run, out);
    default: return post_verdict(run, out);
    }
}

/* ---- messages in ---- */

float *pp_rank_place(pp_run *run, int32_t key, int32_t count) {
    const pp_schedule *schedule = run->schedule;
    const int32_t kind = key >> KEY_SHIFT, what = key & ((1 << KEY_SHIFT) - 1), m = schedule->microbatches;
    int32_t needed = -1;
    float *place = NULL;
    if (key < 0 || run->position < 0) return NULL;
    if (kind == KEY_INPUT || kind == KEY_GRADIENT) {
        const int32_t hop = what / m + (kind == KEY_GRADIENT), k = what % m;
        if (hop < 1 || hop >= schedule->stages || pp_rank_of(schedule, what / m, k) != run->only) return NULL;
        needed = (run->microbatch_begin[k + 1] - run->microbatch_begin[k]) * pp_stage_input_width(run->network, hop);
        place = pp_run_message(run, kind == KEY_INPUT ? run->input_messages : run->gradient_messages, hop, k);
    } else if (kind == KEY_COPY || kind == KEY_SUM) {
        const int32_t copy = what / schedule->stages, s = what % schedule->stages;
        if (copy >= schedule->pipes || !pp_run_holds(run, schedule, s)) return NULL;
        needed = pp_stage_parameter_count(run->network, s);
        place = gradients_of(run, copy, s);
    } else if (kind == KEY_VOTE && run->only == PP_ROOT_RANK && what < schedule->ranks) {
        needed = vote_length(run, what);
        place = vote_of(run, what);
    } else if (kind == KEY_VERDICT && run->only != PP_ROOT_RANK) {
        needed = 1;
        place = run->votes;
    }
    return count == needed ? place : NULL;
}

void pp_rank_arrived(pp_run *run, int32_t key) {
    const int32_t what = key & ((1 << KEY_SHIFT) - 1);
    switch (key >> KEY_SHIFT) {
    case KEY_INPUT: run->input_there[what] = 1; break;
    case KEY_GRADIENT: run->gradient_there[what] = 1; break;
    case KEY_COPY: run->copies_in++; break;
    case KEY_SUM: run->sums_in++; break;
    case KEY_VOTE: run->votes_in++; break;
    default: run->verdict = run->votes[0] != 0.0f; break;
    }
}

/* ---- going on ---- */

static int32_t enter(pp_run *run, int32_t phase) {
    run->phase = phase;
    run->sent = 0;
    return PP_OK;
}

static int32_t end_step(pp_run *run) {
    run->position = -1;
    run->steps++;
    if (run->verdict) {
        pp_sgd(run->network->parameters, run->network->gradients, (float)run->rate, run->network->parameter_count);
        if (run->network->norm == PP_NORM_BATCH) pp_move_running(run->network);
    }
    run->skipped += !run->verdict;
    return run->verdict ? PP_STEP_DONE : PP_ERR_DIVERGED;
}

static int32_t next_action(pp_run *run, int32_t *action) {
    const int32_t rank = run->only;
    if (run->head[rank] == run->schedule->rank_begin[rank + 1]) return enter(run, PHASE_COPIES);
    if (pp_run_next_rank(run) < 0) return PP_RANK_WAITS;
    const int32_t i = run->head[rank]++;
    run->position++;
    pp_run_perform(run, rank, &run->schedule->actions[i]);
    run->output = *action = i;
    return PP_OK;
}

int32_t pp_rank_go(pp_run *run, int32_t *action) {
    int32_t copies, sums;
    assert(run->only >= 0 && run->schedule->trains);
    *action = -1;
    if (run->position < 0) {
        pp_run_begin_step(run);
        run->copies_in = run->sums_in = run->votes_in = 0;
        run->output = run->verdict = -1;
        return enter(run, PHASE_ACTIONS);
    }
    if (run->phase == PHASE_ACTIONS) return next_action(run, action);
    awaited(run, &copies, &sums);
    switch (run->phase) {
    case PHASE_COPIES:
        if (run->copies_in < copies) return PP_RANK_WAITS;
        add_copies(run);
        return enter(run, PHASE_SUMS);
    case PHASE_SUMS:
        if (run->sums_in < sums) return PP_RANK_WAITS;
        make_vote(run);
        return enter(run, PHASE_VOTE);
    case PHASE_VOTE:
        if (run->only == PP_ROOT_RANK && run->votes_in + 1 < run->schedule->ranks) return PP_RANK_WAITS;
        if (run->only == PP_ROOT_RANK) count_votes(run);
        return enter(run, PHASE_VERDICT);
    default: return run->verdict < 0 ? PP_RANK_WAITS : end_step(run);
    }
}

int32_t pp_rank_next(const pp_run *run) {
    const int32_t *begin = run->schedule->rank_begin + run->only;
    if (run->position < 0) return begin[0];
    return run->head[run->only] < begin[1] ? run->head[run->only] : -1;
}
