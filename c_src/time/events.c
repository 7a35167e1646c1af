/* Times where more than ranks and latencies decide: links that carry one message after another, room for only so many
 * messages, gathers of weights (pp_conditions).
 *
 * Links alone need no queue of events: all messages of a link come from one rank, in the order of its list, so the one pass
 * over the runs meets them in the order in which the link carries them. Room and gathers do: whether a message may leave
 * depends on what another rank does by then. Ranks are taken in the order of time; each has at most one event to come, the
 * start or the finish of its slot, in a heap. O(log p) an action. */
#include "time/events.h"

#include <math.h>
#include <string.h>

#include "time/timeline.h"

static double later(double a, double b) { return a > b ? a : b; }

/* The hop of an action's message, -1 where there is none; *way: 0 up, 1 down. */
static int32_t hop_of(const pp_schedule *s, const pp_action *a, int32_t *way) {
    *way = a->op != PP_F;
    if (a->op == PP_F) return a->stage < s->stages - 1 ? a->stage : -1;
    if (a->op == PP_B || a->op == PP_I) return a->stage - 1; /* of stage 0: -1 */
    return -1;
}

static int32_t link_of(const pp_schedule *s, const pp_action *a, int32_t hop, int32_t way) {
    const int32_t pipe = s->unit_pipe != NULL ? s->unit_pipe[a->microbatch] : 0;
    return s->conditions->link[(pipe * 2 + way) * s->stages + hop];
}

int32_t pp_link_of(const pp_schedule *s, int32_t i) {
    int32_t way, hop = hop_of(s, &s->actions[i], &way);
    return hop < 0 || s->conditions == NULL || s->conditions->link == NULL ? -1 : link_of(s, &s->actions[i], hop, way);
}

static size_t align8(size_t bytes) { return (bytes + 7) & ~(size_t)7; }

/* ---- the memory ---- */

/* What a rank does. */
enum { IDLE, STARTS, RUNS };
typedef struct rank_state {
    double free;                /* since when it can begin its next slot, for all that it does itself */
    double key;                 /* when its event comes */
    int32_t state, head, ready; /* ready: 1, its weights are gathered for the slot at head */
    int32_t unsent;             /* messages of the slot behind it that have not left */
    int32_t places;             /* of its room that are taken */
    int32_t first, last;        /* messages that wait to leave for it: a chain of nodes, -1: none */
} rank_state;

typedef struct slab {
    double *arrive, *gathered, *link_free;
    rank_state *rank;
    int32_t *taker, *held, *heap, *node_next, *node_action;
    size_t bytes;
} slab;

static int with(const pp_schedule *s, int32_t bits) {
    return s->conditions != NULL && (s->conditions->with & bits) != 0;
}

static slab lay_out(const pp_schedule *s, char *memory) {
    const size_t n = (size_t)s->action_count, ranks = (size_t)s->ranks, stages = (size_t)s->pipes * (size_t)s->stages;
    const int events = with(s, PP_WITH_ROOM | PP_WITH_GATHER);
    slab m = {0};
    size_t at = 0;
    m.arrive = (double *)(memory + at), at += n * sizeof(double);
    m.link_free = (double *)(memory + at), at += (with(s, PP_WITH_LINKS) ? 2 * stages : 0) * sizeof(double);
    m.gathered = (double *)(memory + at), at += (with(s, PP_WITH_GATHER) ? n : 0) * sizeof(double);
    if (events) {
        m.rank = (rank_state *)(memory + at), at += align8(ranks * sizeof(rank_state));
        m.taker = (int32_t *)(memory + at), at += n * sizeof(int32_t);
        m.held = (int32_t *)(memory + at), at += stages * sizeof(int32_t);
        m.heap = (int32_t *)(memory + at), at += ranks * sizeof(int32_t);
        m.node_next = (int32_t *)(memory + at), at += 2 * ranks * sizeof(int32_t);
        m.node_action = (int32_t *)(memory + at), at += 2 * ranks * sizeof(int32_t);
    }
    if (!with(s, PP_WITH_GATHER)) m.gathered = NULL;
    m.bytes = align8(at);
    return m;
}

size_t pp_events_bytes(const pp_schedule *s) {
    return with(s, PP_WITH_LINKS | PP_WITH_ROOM | PP_WITH_GATHER) ? lay_out(s, NULL).bytes : 0;
}

void pp_events_place(const pp_schedule *s, pp_timeline *line, char *memory) {
    line->arrive = line->gathered = NULL;
    line->events = memory;
    if (pp_events_bytes(s) == 0) return;
    const slab m = lay_out(s, memory);
    line->arrive = m.arrive;
    line->gathered = m.gathered;
}

/* ---- links alone ---- */

void pp_time_linked(const pp_schedule *s, const double *costs, pp_timeline *line) {
    const int32_t stages = s->stages, *inputs = line->input;
    const double *latency = costs + PP_COST_LATENCY * stages, *size = costs + PP_COST_SIZE * stages;
    const slab m = lay_out(s, line->events);
    double *starts = line->start, *finishes = line->finish, *arrive = m.arrive, *link_free = m.link_free;
    for (int32_t l = 0; l < s->conditions->link_count; l++) link_free[l] = 0;
    for (int32_t n = 0; n < line->run_count; n++) {
        const uint32_t run = line->runs[n];
        int32_t i = pp_run_first(run);
        const int32_t end = i + pp_run_length(run);
        double free = pp_run_opens(run) ? 0 : finishes[i - 1];
        while (i < end) {
            const int32_t last = s->actions[i].fused ? i + 1 : i;
            for (int32_t x = i; x <= last; x++)
                if (inputs[x] >= 0) free = later(free, arrive[inputs[x]]);
            const double start = free;
            free += pp_ticks(s, costs, i);
            for (; i <= last; i++) {
                int32_t way, hop = hop_of(s, &s->actions[i], &way);
                const int32_t link = hop < 0 ? -1 : link_of(s, &s->actions[i], hop, way);
                starts[i] = start;
                finishes[i] = arrive[i] = free;
                if (link < 0) continue;
                const double begin = later(free, link_free[link]);
                link_free[link] = begin + size[hop];
                arrive[i] = begin + latency[hop];
            }
        }
    }
}

/* ---- events ---- */

typedef struct events {
    const pp_schedule *s;
    const pp_conditions *c;
    const double *costs;
    pp_timeline *line;
    slab m;
    int32_t sender, keep, used, waiting; /* waiting: events in the heap */
} events;

/* Of two ranks the one whose event comes first; what ends comes before what begins. */
static int sooner(const events *e, int32_t a, int32_t b) {
    const rank_state *x = &e->m.rank[a], *y = &e->m.rank[b];
    if (x->key != y->key) return x->key < y->key;
    if (x->state != y->state) return x->state == RUNS;
    return a < b;
}

static void push(events *e, int32_t r) {
    int32_t *heap = e->m.heap, at = e->waiting++;
    for (; at > 0 && sooner(e, r, heap[(at - 1) / 2]); at = (at - 1) / 2) heap[at] = heap[(at - 1) / 2];
    heap[at] = r;
}

static int32_t pop(events *e) {
    int32_t *heap = e->m.heap, first = heap[0], moved = heap[--e->waiting], at = 0;
    for (int32_t child; (child = 2 * at + 1) < e->waiting; at = child) {
        if (child + 1 < e->waiting && sooner(e, heap[child + 1], heap[child])) child++;
        if (!sooner(e, heap[child], moved)) break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
    return first;
}

static int32_t slot_last(const pp_schedule *s, int32_t i) { return s->actions[i].fused ? i + 1 : i; }

static int crosses(const events *e, int32_t x) {
    const int32_t y = e->m.taker[x];
    return y >= 0 && pp_rank_of_action(e->s, x) != pp_rank_of_action(e->s, y);
}

/* Gathers the weights that the slot at hand needs and its rank does not hold. */
static void gather(events *e, int32_t r) {
    rank_state *rank = &e->m.rank[r];
    const pp_schedule *s = e->s;
    for (int32_t i = rank->head; i <= slot_last(s, rank->head); i++) {
        const pp_action *a = &s->actions[i];
        const int32_t copy = (s->unit_pipe != NULL ? s->unit_pipe[a->microbatch] : 0) * s->stages + a->stage;
        int32_t count = 0, oldest = -1;
        if (e->m.held[copy] == 0) {
            for (int32_t x = 0; x < s->pipes * s->stages; x++) {
                if (s->stage_rank[x] != r || e->m.held[x] == 0) continue;
                count++;
                if (oldest < 0 || e->m.held[x] < e->m.held[oldest]) oldest = x;
            }
            if (count >= e->keep) e->m.held[oldest] = 0;
            rank->free += e->c->gather[a->stage];
        }
        e->m.held[copy] = ++e->used;
    }
    e->m.gathered[rank->head] = rank->free;
}

static void run_slot(events *e, int32_t r, double start) {
    rank_state *rank = &e->m.rank[r];
    const double finish = start + pp_ticks(e->s, e->costs, rank->head);
    for (int32_t i = rank->head; i <= slot_last(e->s, rank->head); i++) {
        e->line->start[i] = start;
        e->line->finish[i] = finish;
    }
    rank->state = RUNS;
    rank->key = finish;
    push(e, r);
}

/* Begins the next slot of a rank that does nothing, if its inputs are there or on their way. */
static void begin(events *e, int32_t r) {
    rank_state *rank = &e->m.rank[r];
    if (rank->state != IDLE || rank->unsent > 0 || rank->head >= e->s->rank_begin[r + 1]) return;
    if (e->c->gather != NULL && !rank->ready) gather(e, r);
    rank->ready = 1;
    double start = rank->free;
    for (int32_t i = rank->head; i <= slot_last(e->s, rank->head); i++) {
        const int32_t x = e->line->input[i];
        if (x < 0) continue;
        const double there = pp_rank_of_action(e->s, x) == r ? e->line->finish[x] : e->m.arrive[x];
        if (isnan(there)) return;
        start = later(start, there);
    }
    if (e->c->room == 0) {
        run_slot(e, r, start);
        return;
    }
    rank->state = STARTS; /* a place in its room is free only then */
    rank->key = start;
    push(e, r);
}

/* The message of action x leaves. */
static void leave(events *e, int32_t x, double now) {
    const pp_action *a = &e->s->actions[x];
    const int32_t from = pp_rank_of_action(e->s, x), to = pp_rank_of_action(e->s, e->m.taker[x]);
    int32_t way, hop = hop_of(e->s, a, &way);
    double begins = now;
    if (e->c->link != NULL) {
        const int32_t link = link_of(e->s, a, hop, way);
        begins = later(now, e->m.link_free[link]);
        e->m.link_free[link] = begins + e->costs[PP_COST_SIZE * e->s->stages + hop];
    }
    e->m.arrive[x] = begins + e->costs[PP_COST_LATENCY * e->s->stages + hop];
    rank_state *sender = &e->m.rank[from];
    e->m.rank[to].places++;
    sender->unsent--;
    sender->free = later(sender->free, e->sender ? e->m.arrive[x] : now);
    begin(e, to);
}

/* Lets messages leave for rank r as far as there is room. */
static void admit(events *e, int32_t r, double now) {
    rank_state *rank = &e->m.rank[r];
    while (rank->first >= 0 && rank->places < e->c->room) {
        const int32_t x = e->m.node_action[rank->first], from = pp_rank_of_action(e->s, x);
        rank->first = e->m.node_next[rank->first];
        leave(e, x, now);
        begin(e, from);
    }
}

static void send(events *e, int32_t r, int32_t x, int32_t half, double now) {
    rank_state *to = &e->m.rank[pp_rank_of_action(e->s, e->m.taker[x])];
    if (e->c->room == 0 || (to->first < 0 && to->places < e->c->room)) {
        leave(e, x, now);
        return;
    }
    const int32_t node = 2 * r + half;
    e->m.node_action[node] = x;
    e->m.node_next[node] = -1;
    if (to->first < 0)
        to->first = node;
    else
        e->m.node_next[to->last] = node;
    to->last = node;
}

static void starts(events *e, int32_t r, double now) {
    rank_state *rank = &e->m.rank[r];
    for (int32_t i = rank->head; i <= slot_last(e->s, rank->head); i++) {
        const int32_t x = e->line->input[i];
        if (x >= 0 && e->m.taker[x] == i && crosses(e, x)) rank->places--;
    }
    run_slot(e, r, now);
    admit(e, r, now);
}

static void finishes(events *e, int32_t r, double now) {
    rank_state *rank = &e->m.rank[r];
    const int32_t first = rank->head, end = slot_last(e->s, first) + 1;
    rank->head = end;
    rank->state = IDLE;
    rank->ready = 0;
    rank->free = now;
    for (int32_t i = first; i < end; i++) rank->unsent += crosses(e, i);
    for (int32_t i = first; i < end; i++)
        if (crosses(e, i)) send(e, r, i, i - first, now);
    begin(e, r);
}

int32_t pp_time_events(const pp_schedule *s, const double *costs, int32_t transfer, pp_timeline *line,
                       pp_fault *fault) {
    events e = {.s = s,
                .c = s->conditions,
                .costs = costs,
                .line = line,
                .m = lay_out(s, line->events),
                .sender = transfer == PP_TRANSFER_SENDER,
                .keep = s->conditions->keep};
    if (line->fused && e.keep < 2) e.keep = 2; /* both halves of a slot run together */
    for (int32_t i = 0; i < s->action_count; i++) e.m.taker[i] = -1, e.m.arrive[i] = NAN;
    for (int32_t i = 0; i < s->action_count; i++) {
        const int32_t x = line->input[i];
        if (x >= 0 && (e.m.taker[x] < 0 || i < e.m.taker[x]))
            e.m.taker[x] = i; /* a late R takes it before its B does */
    }
    for (int32_t l = 0; e.c->link != NULL && l < e.c->link_count; l++) e.m.link_free[l] = 0;
    memset(e.m.held, 0, (size_t)s->pipes * (size_t)s->stages * sizeof(int32_t));
    for (int32_t r = 0; r < s->ranks; r++) e.m.rank[r] = (rank_state){.head = s->rank_begin[r], .first = -1};
    for (int32_t r = 0; r < s->ranks; r++) begin(&e, r);
    while (e.waiting > 0) {
        const int32_t r = pop(&e);
        const double now = e.m.rank[r].key;
        if (e.m.rank[r].state == STARTS)
            starts(&e, r, now);
        else
            finishes(&e, r, now);
    }
    int32_t *stands = e.m.node_next, *waits = e.m.node_action, through = 1;
    for (int32_t r = 0; r < s->ranks; r++) {
        const rank_state *rank = &e.m.rank[r];
        stands[r] = waits[r] = -1;
        if (rank->head >= s->rank_begin[r + 1] && rank->unsent == 0) continue;
        through = 0;
        stands[r] = rank->head < s->rank_begin[r + 1] ? rank->head : rank->head - 1;
        for (int32_t i = stands[r]; i <= slot_last(s, stands[r]) && rank->unsent == 0; i++) {
            const int32_t x = line->input[i];
            if (x >= 0 && pp_rank_of_action(s, x) != r && isnan(e.m.arrive[x])) waits[r] = x;
        }
        for (int32_t i = rank->head - 1; waits[r] < 0 && rank->unsent > 0 && i >= s->rank_begin[r]; i--)
            if (crosses(&e, i) && isnan(e.m.arrive[i])) /* it goes when the other rank does what it stands before */
                waits[r] = e.m.rank[pp_rank_of_action(s, e.m.taker[i])].head;
    }
    if (through) return PP_OK;
    pp_fault_deadlock(s, stands, waits, fault);
    return PP_ERR_DEADLOCK;
}
