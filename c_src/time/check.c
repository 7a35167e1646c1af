/* Is this a schedule, and can it run? Linear in actions. What is wrong with one that is not accepted: diagnose.c. */
#include <assert.h>
#include <string.h>

#include "core/fault.h"
#include "schedules/schedule.h"
#include "time/events.h"
#include "time/rank_queue.h"
#include "time/timeline.h"

/* The head of the slab, so that the doubles behind it are aligned where pointers are 4 bytes, too. */
static const size_t head_bytes = (sizeof(pp_timeline) + 7) & ~(size_t)7;

size_t pp_timeline_bytes(const pp_schedule *schedule) {
    size_t n = (size_t)schedule->action_count;
    size_t units = (size_t)schedule->microbatches * (size_t)schedule->slices;
    size_t times = 2 * n,
           tables = 2 * (size_t)schedule->stages * units; /* doubles; the tables of pp_check live there */
    return head_bytes + 2 * n * sizeof(int32_t) + (times > tables ? times : tables) * sizeof(double) +
           PP_RANK_SCRATCH * (size_t)schedule->ranks * sizeof(double) + pp_events_bytes(schedule);
}

const double *pp_timeline_start(const pp_timeline *timeline) { return timeline->start; }
const double *pp_timeline_finish(const pp_timeline *timeline) { return timeline->finish; }
const int32_t *pp_timeline_input(const pp_timeline *timeline) { return timeline->input; }
const double *pp_timeline_arrive(const pp_timeline *timeline) {
    return timeline->transfer >= 0 ? timeline->arrive : NULL;
}

/* ---- accepting ----
 * One pass does it all. The ranks are walked up and down; an action is taken when the tables hold what it needs: its own
 * rank's earlier actions and the output of the neighbouring stage. So "is it in order", "is its input there" and "whose
 * output is it" are the same two look-ups. */

/* Where the F and the B or I of each (stage, unit) stand in actions, -1 while they have not been taken. A further mark
 * says that the R (on F) or the W (on I) has been taken, too. */
enum { TAKEN = 1 << 30, INDEX = TAKEN - 1 };

typedef struct pass {
    const pp_schedule *s;
    int32_t *f, *b;
    int32_t units, last_stage, late;
    int64_t forwards, backwards, inputs, weights; /* how many of each op were taken */
    int32_t fused, recomputes;                    /* 1: there are such */
} pass;

/* 1 if action a can be taken now; *input is then the action whose output it waits for. */
static inline int can_take(const pass *p, const pp_action *a, int32_t rank, int32_t *input) {
    const pp_schedule *s = p->s;
    if (a->stage > p->last_stage || a->microbatch < 0 || a->microbatch >= p->units) return 0;
    if (pp_rank_of(s, a->stage, a->microbatch) != rank) return 0;
    size_t cell = (size_t)a->stage * (size_t)p->units + (size_t)a->microbatch;
    int32_t slice = s->slices > 1 ? a->microbatch % s->slices : 0;
    *input = -1;
    switch (a->op) {
    case PP_F:
        if (p->f[cell] >= 0 || (slice > 0 && p->f[cell - 1] < 0)) return 0;
        if (a->stage > 0) return (*input = p->f[cell - (size_t)p->units]) >= 0;
        return 1;
    case PP_R:
        if (p->f[cell] < 0 || p->f[cell] & TAKEN || p->b[cell] >= 0) return 0;
        if (p->late && a->stage < p->last_stage) return (*input = p->b[cell + (size_t)p->units]) >= 0;
        return 1;
    case PP_B:
    case PP_I:
        if (p->f[cell] < 0 || p->b[cell] >= 0) return 0;
        if (s->slices > 1 && slice + 1 < s->slices && p->b[cell + 1] < 0) return 0;
        if (a->stage < p->last_stage) return (*input = p->b[cell + (size_t)p->units]) >= 0;
        return 1;
    case PP_W: return p->b[cell] >= 0 && !(p->b[cell] & TAKEN) && s->actions[p->b[cell]].op == PP_I;
    default: return 0;
    }
}

static inline void take(pass *p, const pp_action *a, int32_t i) {
    size_t cell = (size_t)a->stage * (size_t)p->units + (size_t)a->microbatch;
    if (a->op == PP_F) {
        p->f[cell] = i;
        p->forwards++;
    } else if (a->op == PP_B || a->op == PP_I) {
        p->b[cell] = i;
        p->backwards++;
        p->inputs += a->op == PP_I;
    } else if (a->op == PP_W) {
        p->b[cell] |= TAKEN;
        p->weights++;
    } else {
        p->f[cell] |= TAKEN;
        p->recomputes = 1;
    }
}

/* Takes what can be taken of one rank's list from i on; returns where it stopped. */
static int32_t take_rank(pass *p, pp_timeline *line, int32_t rank, int32_t i, int32_t end) {
    const pp_action *actions = p->s->actions;
    int32_t input, other;
    for (; i < end; i++) {
        if (!can_take(p, &actions[i], rank, &input)) break;
        if (actions[i].fused) { /* both halves look before either is taken: a half may not need the other */
            if (i + 1 >= end || actions[i + 1].fused || !can_take(p, &actions[i + 1], rank, &other)) break;
            line->input[i] = input < 0 ? -1 : input & INDEX;
            take(p, &actions[i], i);
            p->fused = 1;
            i++;
            input = other;
        }
        line->input[i] = input < 0 ? -1 : input & INDEX;
        take(p, &actions[i], i);
    }
    return i;
}

/* The same for the bulk of all lists, F and whole B of schedules with one copy of each stage, without the questions that
 * do not arise there. Stops before anything else, which take_rank then looks at. */
static int32_t take_plain(pass *p, pp_timeline *line, int32_t rank, int32_t i, int32_t end) {
    const pp_action *actions = p->s->actions;
    const int32_t *stage_rank = p->s->stage_rank;
    const uint32_t units = (uint32_t)p->units, last = (uint32_t)p->last_stage;
    int32_t *f = p->f, *b = p->b, *inputs = line->input, begin = i, forwards = 0;
    for (; i < end; i++) {
        const pp_action a = actions[i];
        const uint32_t stage = a.stage, unit = (uint32_t)a.microbatch;
        if (a.fused || a.op > PP_B || stage > last || unit >= units || stage_rank[stage] != rank) break;
        const size_t cell = (size_t)stage * units + unit;
        int32_t input = -1;
        if (a.op == PP_F) {
            if (f[cell] >= 0 || (stage > 0 && (input = f[cell - units]) < 0)) break;
            f[cell] = i;
            forwards++;
        } else {
            if (f[cell] < 0 || b[cell] >= 0 || (stage < last && (input = b[cell + units]) < 0)) break;
            b[cell] = i;
        }
        inputs[i] = input < 0 ? -1 : input & INDEX;
    }
    p->forwards += forwards;
    p->backwards += i - begin - forwards;
    return i;
}

/* Walking up and down the ranks is linear only while it finds work: a list whose every action waits for a far rank would
 * have all ranks looked at for each action. Up to this many looks for each action taken are allowed. */
static int looks_in_vain(int64_t looks, int64_t done, int32_t ranks) { return looks > 4 * (done + ranks); }

/* Takes what is left, in time linear in it. memory: 2 * ranks entries. Returns how many actions were taken. */
static int32_t take_by_queue(pass *p, pp_timeline *line, int32_t *head, int32_t *memory) {
    const pp_schedule *s = p->s;
    pp_rank_queue queue = pp_rank_queue_of_all(s->ranks, memory);
    int32_t done = 0;
    while (queue.count > 0) {
        const int32_t r = pp_rank_queue_take(&queue), begin = head[r];
        head[r] = take_rank(p, line, r, begin, s->rank_begin[r + 1]);
        if (head[r] == begin) continue;
        pp_run_add(s, line, begin, head[r], begin == s->rank_begin[r]);
        pp_rank_queue_wake(&queue, s, begin, head[r]);
        done += head[r] - begin;
    }
    return done;
}

/* 1 if the schedule is whole and runs; then input and runs are filled. */
static int accept(const pp_schedule *s, pp_timeline *line) {
    size_t cells = (size_t)s->stages * (size_t)s->microbatches * (size_t)s->slices;
    pass p = {.s = s,
              .f = (int32_t *)line->start,
              .b = (int32_t *)line->start + cells,
              .units = s->microbatches * s->slices,
              .last_stage = s->stages - 1,
              .late = s->recompute == PP_RECOMPUTE_LATE};
    int32_t *head = (int32_t *)line->rank_scratch, done = 0, moved = 1;
    const int plain = s->pipes == 1 && s->slices == 1;
    int64_t looks = 0;
    memset(p.f, 0xFF, 2 * cells * sizeof(int32_t));
    memcpy(head, s->rank_begin, (size_t)s->ranks * sizeof(int32_t));
    line->run_count = 0;
    for (int up = 1; moved || !up; up = !up) {
        if (looks_in_vain(looks, done, s->ranks)) {
            done += take_by_queue(&p, line, head, head + s->ranks);
            break;
        }
        looks += s->ranks;
        if (up) moved = 0;
        for (int32_t n = 0; n < s->ranks; n++) {
            int32_t r = up ? n : s->ranks - 1 - n, begin = head[r], end = s->rank_begin[r + 1];
            if (begin == end) continue;
            int32_t at = plain ? take_plain(&p, line, r, begin, end) : begin;
            if (at < end) at = take_rank(&p, line, r, at, end);
            if (at == begin) continue;
            pp_run_add(s, line, begin, at, begin == s->rank_begin[r]);
            head[r] = at;
            done += at - begin;
            moved = 1;
        }
    }
    int64_t all = (int64_t)cells;
    line->fused = p.fused;
    line->ops = (p.forwards > 0) << PP_F | (p.backwards > p.inputs) << PP_B | (p.inputs > 0) << PP_I |
                (p.weights > 0) << PP_W | p.recomputes << PP_R;
    return done == s->action_count && p.forwards == all && p.backwards == (s->trains ? all : 0) &&
           p.inputs == p.weights;
}

/* ---- accepting in order ----
 * Most lists hold only F and whole B and, of each stage, the units in ascending order. Then two counts per stage say what
 * has been taken, and only outputs that the neighbour has not taken yet need to be remembered: a short ring per stage in
 * place of the tables, which for large schedules do not stay in the cache. */
enum { RING = 32 };

typedef struct stream {
    int32_t forwards, backwards; /* how many were taken: units below are through */
    int32_t f[RING], b[RING];    /* where the last RING of each stand in actions */
} stream;

/* 1 if the schedule is whole, runs, and is of that kind; then input and runs are filled. 0 says only that accept() has to
 * look. A rank whose ring is full waits for its neighbour, too; where that closes a circle, accept() finds there is none. */
static int accept_in_order(const pp_schedule *s, pp_timeline *line) {
    const int32_t units = s->microbatches, last = s->stages - 1, *stage_rank = s->stage_rank;
    const pp_action *actions = s->actions;
    stream *streams = (stream *)line->start;
    int32_t *head = (int32_t *)line->rank_scratch, *inputs = line->input, done = 0, moved = 1;
    int64_t looks = 0;
    if (actions[s->action_count - 1].microbatch != units - 1) return 0; /* descending: seen before the work is done */
    if (s->pipes > 1 || s->slices > 1 ||
        (size_t)s->stages * sizeof(stream) > 2 * (size_t)s->action_count * sizeof(double))
        return 0;
    for (int32_t stage = 0; stage <= last; stage++) streams[stage].forwards = streams[stage].backwards = 0;
    memcpy(head, s->rank_begin, (size_t)s->ranks * sizeof(int32_t));
    line->run_count = 0;
    for (int up = 1; moved || !up; up = !up) {
        if (looks_in_vain(looks, done, s->ranks)) return 0;
        looks += s->ranks;
        if (up) moved = 0;
        for (int32_t n = 0; n < s->ranks; n++) {
            const int32_t r = up ? n : s->ranks - 1 - n, begin = head[r], end = s->rank_begin[r + 1];
            int32_t i = begin;
            for (; i < end; i++) {
                const pp_action a = actions[i];
                const int32_t stage = a.stage, unit = a.microbatch;
                if (a.fused || a.op > PP_B || stage > last || stage_rank[stage] != r) return 0;
                stream *own = &streams[stage];
                int32_t input = -1;
                if (a.op == PP_F) {
                    if (unit != own->forwards) return 0;
                    if (stage > 0) {
                        if (own[-1].forwards <= unit) break;
                        input = own[-1].f[unit % RING];
                    }
                    if (stage < last && unit - own[1].forwards >= RING) break;
                    own->f[unit % RING] = i;
                    own->forwards = unit + 1;
                } else {
                    if (unit != own->backwards || unit >= own->forwards) return 0;
                    if (stage < last) {
                        if (own[1].backwards <= unit) break;
                        input = own[1].b[unit % RING];
                    }
                    if (stage > 0 && unit - own[-1].backwards >= RING) break;
                    own->b[unit % RING] = i;
                    own->backwards = unit + 1;
                }
                inputs[i] = input;
            }
            if (i == begin) continue;
            pp_run_add(s, line, begin, i, begin == s->rank_begin[r]);
            head[r] = i;
            done += i - begin;
            moved = 1;
        }
    }
    for (int32_t stage = 0; stage <= last; stage++)
        if (streams[stage].forwards != units || streams[stage].backwards != (s->trains ? units : 0)) return 0;
    line->fused = 0;
    line->ops = 1 << PP_F | s->trains << PP_B;
    return done == s->action_count;
}

int32_t pp_check(const pp_schedule *s, void *memory, size_t bytes, int32_t *blocked, pp_fault *fault) {
    pp_fault scratch;
    assert(memory != NULL && ((uintptr_t)memory & 7) == 0);
    if (bytes < pp_timeline_bytes(s)) {
        pp_fault_start(fault, &scratch, PP_ERR_CAPACITY);
        return PP_ERR_CAPACITY;
    }
    if (s->action_count == 0) {
        pp_fault_start(fault, &scratch, PP_ERR_EMPTY);
        return PP_ERR_EMPTY;
    }
    pp_timeline *line = memory;
    size_t n = (size_t)s->action_count;
    line->action_count = s->action_count;
    line->transfer = -1;
    line->input = (int32_t *)((char *)memory + head_bytes);
    line->runs = (uint32_t *)(line->input + n);
    line->rank_scratch = (double *)(line->runs + n);
    line->start = line->rank_scratch + PP_RANK_SCRATCH * (size_t)s->ranks;
    line->finish = line->start + n;
    pp_events_place(s, line, (char *)memory + (pp_timeline_bytes(s) - pp_events_bytes(s)));
    return accept_in_order(s, line) || accept(s, line) ? PP_OK : pp_diagnose(s, line, blocked, fault);
}
