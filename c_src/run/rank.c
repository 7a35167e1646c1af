/* One rank of a run by itself, in a memory of its own: performs that rank's list, hands out what others need, takes what
 * they made. Whoever carries the messages knows no schedule: it asks what to send, and to whom, and hands in what came.
 *
 * A step ends as on real devices. Ranks that hold a further copy of a stage send its gradients to the rank that holds the
 * first one, which adds them in the order of the copies, as a run of all ranks does. The two ends of a network whose
 * weights are tied send each other the gradients of these, and each adds up both. Then the sums go to the ranks with
 * further copies; what batch norm found in the micro-batches of one copy has gone to the others already. Last, each rank
 * tells the root whether its gradients are finite, where there is a limit to their norm the squares of its layers, and,
 * with the last stage, its losses; the root adds the squares layer by layer, as update.c does, and tells all whether to
 * take the step or to skip it, and by what to multiply. In a stream, where each stage has made its updates on the way, nobody
 * waits for that: the root alone tells how the step went. What an update keeps stays on its rank, and copies of a stage come
 * to the same. So weights are those of pp_run_step, bit for bit. */
#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "core/fault.h"
#include "network/tensor.h"
#include "request/request.h"
#include "run/runtime.h"
#include "schedules/schedule.h"

enum { PHASE_ACTIONS, PHASE_COPIES, PHASE_TIED, PHASE_SUMS, PHASE_VOTE, PHASE_VERDICT };

/* What a message is, in the upper bits of its key; below them the cell, copy * stages + stage, stage or rank. */
enum {
    KEY_INPUT,
    KEY_GRADIENT,
    KEY_COPY,
    KEY_STATISTICS,
    KEY_TIED,
    KEY_SUM,
    KEY_VOTE,
    KEY_VERDICT,
    KEY_COUNT,
    KEY_SHIFT = 27
};
_Static_assert(KEY_COUNT <= sizeof((pp_run *)0)->in / sizeof(int32_t), "a counter for each kind");

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

static int holds(const pp_run *run, int32_t rank, int32_t stage) {
    for (int32_t c = 0; c < run->schedule->pipes; c++)
        if (holder(run, c, stage) == rank) return 1;
    return 0;
}

static float *gradients_of(const pp_run *run, int32_t copy, int32_t stage) {
    pp_network *network = run->network;
    const size_t begin = (size_t)network->layer_begin[network->cuts[stage]];
    return (copy == 0 ? network->gradients : run->copies + (size_t)(copy - 1) * (size_t)network->parameter_count) +
           begin;
}

/* ---- tied ends ---- */

/* The rank that holds the other end's first copy; -1: nothing is tied, or this rank holds the first copy of neither end. */
static int32_t other_end(const pp_run *run) {
    const int32_t first = holder(run, 0, 0), last = holder(run, 0, run->schedule->stages - 1);
    if (!run->network->options.tied) return -1;
    return run->only == first ? last : run->only == last ? first : -1;
}

static int32_t tied_floats(const pp_run *run) { return run->network->widths[0] * run->network->widths[1]; }

/* Gradients of the tied weights at one end, in the first layer or in the last one. */
static float *end_of(const pp_run *run, int last) {
    const pp_network *network = run->network;
    if (holder(run, 0, last ? run->schedule->stages - 1 : 0) != run->only) return run->tied;
    return network->gradients + network->layer_begin[last ? network->layers - 1 : 0];
}

/* ---- votes ---- */

/* 1 if the gradients are finite, (float) squares of the layers as doubles, losses of the batch. */
static float *vote_of(const pp_run *run, int32_t rank) {
    const uint64_t at = run->only == PP_ROOT_RANK ? (uint64_t)rank : 0;
    return run->votes + at * pp_rank_vote_floats(run->network, &run->network->options);
}

static int clips(const pp_run *run) { return run->network->options.clip > 0; }

static int32_t losses_begin(const pp_run *run) { return 1 + (clips(run) ? 2 * run->network->layers : 0); }

static int holds_last(const pp_run *run, int32_t rank) { return holds(run, rank, run->schedule->stages - 1); }

static int32_t vote_length(const pp_run *run, int32_t rank) {
    return losses_begin(run) + (holds_last(run, rank) ? run->batch : 0);
}

static void make_vote(pp_run *run) {
    const pp_network *network = run->network;
    float *vote = vote_of(run, run->only);
    if (run->flows) run->verdict = !run->diverged; /* its own updates are made: the root alone asks for the others */
    vote[0] = (float)(run->flows ? !run->diverged : pp_update_divide(run->network, run->batch, run->labels));
    for (int32_t l = 0; clips(run) && l < network->layers; l++) {
        const double square = pp_layer_square(network, network->gradients, l); /* 0 for a layer that is not here */
        memcpy(vote + 1 + 2 * l, &square, sizeof square);
    }
    if (holds_last(run, run->only)) memcpy(vote + losses_begin(run), run->losses, (size_t)run->batch * sizeof(float));
}

/* On the root: of all layers, each as its first copy's rank told it. */
static double norm_of_votes(const pp_run *run) {
    const pp_network *network = run->network;
    double total = 0;
    for (int32_t s = 0; s < network->stages; s++)
        for (int32_t l = network->cuts[s]; l < network->cuts[s + 1]; l++) {
            double square;
            memcpy(&square, vote_of(run, holder(run, 0, s)) + 1 + 2 * l, sizeof square);
            total += square;
        }
    return sqrt(total);
}

/* On the root, once all votes are in. */
static void count_votes(pp_run *run) {
    const pp_schedule *schedule = run->schedule;
    run->verdict = 1;
    for (int32_t r = 0; r < schedule->ranks; r++) run->verdict &= vote_of(run, r)[0] != 0.0f;
    for (int32_t k = 0; k < schedule->microbatches; k++) {
        const int32_t row = run->microbatch_begin[k], rows = run->microbatch_begin[k + 1] - row;
        const float *losses = vote_of(run, pp_rank_of(schedule, schedule->stages - 1, k)) + losses_begin(run);
        memcpy(run->losses + row, losses + row, (size_t)rows * sizeof(float));
    }
    run->verdict &= pp_all_finite(run->losses, run->batch);
    run->loss = run->flows ? pp_run_stream_loss(run) : pp_step_loss(run->network, run->batch, run->labels, run->losses);
    run->factor = clips(run) && run->verdict ? pp_clip_factor(norm_of_votes(run), run->network->options.clip) : 1;
    vote_of(run, run->only)[0] = (float)run->verdict;
    vote_of(run, run->only)[1] = run->factor;
}

/* ---- messages out ---- */

static float *hand_out(pp_message *out, int32_t to, int32_t kind, int32_t what, int32_t count, float *floats) {
    *out = (pp_message){to, kind << KEY_SHIFT | what, count};
    return floats;
}

/* What the action just performed made for another rank. */
static float *post_output(pp_run *run, pp_message *out) {
    const pp_schedule *schedule = run->schedule;
    if (run->again == 0 && run->output < 0) return NULL;
    pp_action forward_again = {.stage = run->only, .op = PP_F};
    const pp_action *a = &forward_again;
    if (run->again > 0)
        forward_again.microbatch = pp_run_ahead(schedule, run->only) - run->again--;
    else {
        a = &schedule->actions[run->output];
        run->output = -1;
    }
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

/* Gradients of a further copy of a stage, to the rank of the first one. */
static float *post_copy(pp_run *run, pp_message *out) {
    const pp_schedule *schedule = run->schedule;
    while (run->sent < (schedule->pipes - 1) * schedule->stages) {
        const int32_t at = schedule->stages + run->sent++, s = at % schedule->stages, first = holder(run, 0, s);
        if (schedule->stage_rank[at] == run->only && first != run->only)
            return hand_out(out, first, KEY_COPY, at, pp_stage_parameter_count(run->network, s),
                            gradients_of(run, at / schedule->stages, s));
    }
    return NULL;
}

/* Their sum, back from there. */
static float *post_sum(pp_run *run, pp_message *out) {
    const int32_t ranks = run->schedule->ranks;
    while (run->sent < run->schedule->stages * ranks) {
        const int32_t s = run->sent / ranks, to = run->sent++ % ranks;
        if (to != run->only && holder(run, 0, s) == run->only && holds(run, to, s))
            return hand_out(out, to, KEY_SUM, s, pp_stage_parameter_count(run->network, s), gradients_of(run, 0, s));
    }
    return NULL;
}

/* What batch norm found in a micro-batch, to the other ranks with a copy of the stage. */
static float *post_statistics(pp_run *run, pp_message *out) {
    const pp_schedule *schedule = run->schedule;
    const int32_t ranks = schedule->ranks, m = schedule->microbatches;
    int32_t count, at;
    /* After the places of post_copy. The last stage may have no norm, and then it is the end. */
    while ((at = run->sent - (schedule->pipes - 1) * schedule->stages) < schedule->stages * m * ranks) {
        const int32_t cell = at / ranks, to = at % ranks;
        float *found = pp_stage_statistics(run->network, cell / m, cell % m, &count);
        if (count == 0 || schedule->pipes == 1) return NULL;
        run->sent++;
        if (to != run->only && holds(run, to, cell / m) && pp_rank_of(schedule, cell / m, cell % m) == run->only)
            return hand_out(out, to, KEY_STATISTICS, cell, count, found);
    }
    return NULL;
}

static float *post_tied(pp_run *run, pp_message *out) {
    const int32_t to = other_end(run);
    if (to < 0 || to == run->only || run->sent++ > 0) return NULL;
    return hand_out(out, to, KEY_TIED, 0, tied_floats(run), end_of(run, holder(run, 0, 0) != run->only));
}

static float *post_vote(pp_run *run, pp_message *out) {
    if (run->only == PP_ROOT_RANK || run->sent++ > 0) return NULL;
    return hand_out(out, PP_ROOT_RANK, KEY_VOTE, run->only, vote_length(run, run->only), run->votes);
}

static float *post_verdict(pp_run *run, pp_message *out) {
    if (run->flows || run->only != PP_ROOT_RANK || ++run->sent >= run->schedule->ranks) return NULL;
    return hand_out(out, run->sent, KEY_VERDICT, 0, 2, vote_of(run, run->only));
}

const float *pp_rank_post(pp_run *run, pp_message *out) {
    if (run->position < 0) return NULL;
    float *floats;
    switch (run->phase) {
    case PHASE_ACTIONS: return post_output(run, out);
    case PHASE_COPIES: return (floats = post_copy(run, out)) != NULL ? floats : post_statistics(run, out);
    case PHASE_TIED: return post_tied(run, out);
    case PHASE_SUMS: return post_sum(run, out);
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
    } else if (kind == KEY_STATISTICS) {
        const int32_t s = what / m;
        if (s >= schedule->stages || !pp_run_holds(run, schedule, s)) return NULL;
        place = pp_stage_statistics(run->network, s, what % m, &needed);
    } else if (kind == KEY_TIED && run->network->options.tied) {
        needed = tied_floats(run);
        place = run->tied;
    } else if (kind == KEY_VOTE && run->only == PP_ROOT_RANK && what < schedule->ranks) {
        needed = vote_length(run, what);
        place = vote_of(run, what);
    } else if (kind == KEY_VERDICT && run->only != PP_ROOT_RANK) {
        needed = 2;
        place = run->votes;
    }
    return count == needed ? place : NULL;
}

void pp_rank_arrived(pp_run *run, int32_t key) {
    const int32_t what = key & ((1 << KEY_SHIFT) - 1), kind = key >> KEY_SHIFT;
    run->in[kind]++;
    if (kind == KEY_INPUT) run->input_there[what] = 1;
    if (kind == KEY_GRADIENT) run->gradient_there[what] = 1;
    if (kind != KEY_VERDICT) return;
    run->verdict = run->votes[0] != 0.0f;
    run->factor = run->votes[1];
}

/* ---- going on ---- */

/* 1 if messages of a kind are still to come that this rank must have before it goes on. */
static int lacks(const pp_run *run, int32_t kind) {
    const pp_schedule *schedule = run->schedule;
    int32_t count = kind == KEY_TIED ? other_end(run) >= 0 && other_end(run) != run->only : 0, floats;
    if (kind == KEY_VOTE) count = run->only == PP_ROOT_RANK ? schedule->ranks - 1 : 0;
    for (int32_t s = 0; s < schedule->stages; s++) {
        const int own = holder(run, 0, s) == run->only, held = pp_run_holds(run, schedule, s);
        if (kind == KEY_SUM) count += !own && held;
        for (int32_t c = 1; kind == KEY_COPY && c < schedule->pipes; c++)
            count += own && holder(run, c, s) != run->only;
        if (kind != KEY_STATISTICS || !held) continue;
        pp_stage_statistics(run->network, s, 0, &floats);
        for (int32_t k = 0; k < schedule->microbatches; k++)
            count += floats > 0 && pp_rank_of(schedule, s, k) != run->only;
    }
    return run->in[kind] < count;
}

static int32_t enter(pp_run *run, int32_t phase) {
    run->phase = phase;
    run->sent = 0;
    return PP_OK;
}

/* The weights of a stream were moved on the way. */
static int32_t end_step(pp_run *run) {
    if (!run->flows) {
        pp_multiply(run->network->gradients, run->factor, run->network->parameter_count);
        pp_update_end(run->network, run->verdict);
    }
    return pp_run_end_step(run, run->verdict);
}

static int32_t next_action(pp_run *run, int32_t *action) {
    const int32_t rank = run->only;
    if (pp_run_head(run, rank) < 0) return enter(run, PHASE_COPIES);
    if (pp_run_next_rank(run) < 0) return PP_RANK_WAITS;
    const int32_t i = pp_run_take(run, rank);
    pp_run_perform(run, rank, &run->schedule->actions[i]);
    run->output = *action = i;
    return PP_OK;
}

int32_t pp_rank_go(pp_run *run, int32_t *action) {
    assert(run->only >= 0 && run->schedule->trains);
    *action = -1;
    if (run->position < 0) {
        pp_run_begin_step(run);
        memset(run->in, 0, sizeof run->in);
        run->output = run->verdict = -1;
        return enter(run, PHASE_ACTIONS);
    }
    switch (run->phase) {
    case PHASE_ACTIONS: return next_action(run, action);
    case PHASE_COPIES:
        if (lacks(run, KEY_COPY) || lacks(run, KEY_STATISTICS)) return PP_RANK_WAITS;
        pp_run_add_copies(run);
        return enter(run, PHASE_TIED);
    case PHASE_TIED:
        if (lacks(run, KEY_TIED)) return PP_RANK_WAITS;
        if (other_end(run) >= 0) pp_tie_ends(run->network, end_of(run, 0), end_of(run, 1), 1);
        return enter(run, PHASE_SUMS);
    case PHASE_SUMS:
        if (lacks(run, KEY_SUM)) return PP_RANK_WAITS;
        make_vote(run);
        return enter(run, PHASE_VOTE);
    case PHASE_VOTE:
        if (lacks(run, KEY_VOTE)) return PP_RANK_WAITS;
        if (run->only == PP_ROOT_RANK) count_votes(run);
        return enter(run, PHASE_VERDICT);
    default: return run->verdict < 0 ? PP_RANK_WAITS : end_step(run);
    }
}

int32_t pp_rank_next(const pp_run *run) {
    return run->position < 0 && !run->flows ? run->schedule->rank_begin[run->only] : pp_run_head(run, run->only);
}

int32_t pp_rank_next_step(const pp_run *run) {
    const int32_t i = pp_rank_next(run);
    if (!run->flows || i < 0 || run->schedule->actions[i].op != PP_F) return run->steps;
    return run->origin + (int32_t)(run->versions[run->only].begun / run->schedule->microbatches);
}
