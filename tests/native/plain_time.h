/* A second simulator, written from the rules in pipeline.h and from nothing in the library: the tests hold the library's
 * times against it. It is slow and plain on purpose. Time goes from one instant to the next; at each instant everything
 * that the rules let happen happens, until nothing more does.
 *
 * The rules, in the words of the header:
 *   - A rank runs the slots of its list one after another. A slot starts when the rank is free and all inputs of its
 *     actions are there; the actions of a fused slot start and finish together.
 *   - An output that another rank needs is a message. It leaves when its action is over and is there one latency later.
 *   - A link carries one message after another, in the order in which they come to it: each keeps it for its size, and is
 *     there one latency after that.
 *   - Where a rank has room for only so many messages, a message leaves only when there is a place for it. The place is
 *     taken until the action that needs the message starts. The sender does nothing until its messages have left.
 *   - transfer=sender: a rank is free again when its messages have arrived. transfer=rendezvous: a message moves while
 *     neither of its two ranks does anything else, from when the one has made it and the other has come to where it needs
 *     it. Sends come before receives, but a send and a receive with the same rank are posted together.
 *   - A gather of a stage's weights stops the rank, as soon as it has come to an action of a stage that it does not hold.
 *     It holds so many stages, and lets go of the one it has not used for longest. */
#ifndef PLAIN_TIME_H
#define PLAIN_TIME_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "pipeline.h"

typedef struct plain_time {
    /* given */
    const pp_schedule *s;
    const double *cost;    /* per action: ticks it takes alone */
    const double *overlap; /* per action: ticks of a fused slot, said at its F; negative: the sum of its halves */
    const double *latency; /* per hop, counted by its lower stage */
    const double *size;    /* per hop: ticks a message keeps its link */
    const int32_t *link; /* per ordered pair of ranks, from * ranks + to: which link; NULL: messages pass each other */
    int32_t transfer;
    int32_t room;         /* messages a rank has room for, 0: any number */
    const double *gather; /* per stage: ticks; NULL: no gathers */
    int32_t keep;         /* stages a rank holds */
    /* found */
    double *start, *finish;
    double *arrive;       /* per action: when its message arrives; NaN: it has none */
    int32_t *waiting;     /* per rank: most messages that had arrived and waited */
    int32_t *gathers;     /* per rank */
    double *gather_start; /* per rank: begin of the last gather */
} plain_time;

typedef struct plain_message {
    int32_t action, taker, from, to;
    int32_t state; /* what has become of it, PLAIN_... */
    double made, left, arrives;
} plain_message;
enum { PLAIN_UNMADE, PLAIN_MADE, PLAIN_LEFT, PLAIN_MOVING, PLAIN_ARRIVED, PLAIN_TAKEN };

typedef struct plain_state {
    plain_time *t;
    double now;
    int32_t *at;         /* per rank: first action of the slot it stands before or runs */
    int32_t *busy;       /* per rank: 1: it runs that slot */
    int32_t *message_of; /* per action: its message, -1 for none */
    int32_t *needs;      /* per action: the action whose output it needs, -1 for none */
    int32_t *rank_of;    /* per action */
    int32_t *taken;      /* per rank: places taken */
    double *stops;       /* per rank: end of the gather at hand */
    int32_t *held;       /* ranks * stages: when last used, counted in slots; 0: not held */
    int32_t used;
    double *link_free;
    int32_t link_count, message_count;
    plain_message *messages;
} plain_state;

static int32_t plain_slot_end(const pp_schedule *s, int32_t i) { return s->actions[i].fused ? i + 2 : i + 1; }

static double plain_hop(const plain_time *t, const double *row, int32_t a, int32_t b) {
    int32_t x = t->s->actions[a].stage, y = t->s->actions[b].stage;
    return row[x < y ? x : y];
}

/* Who needs whose output: F the F of the stage below, a backward the one of the stage above; a late R needs the gradient
 * too, and where there is one, its B or I finds the gradient there. */
static void plain_connect(plain_state *p) {
    const pp_schedule *s = p->t->s;
    int32_t units = s->microbatches * s->slices, n = s->action_count;
    int32_t *f = malloc(sizeof(int32_t) * (size_t)(s->stages * units)),
            *b = malloc(sizeof(int32_t) * (size_t)(s->stages * units));
    int32_t *taker = malloc(sizeof(int32_t) * (size_t)n);
    for (int32_t r = 0; r < s->ranks; r++)
        for (int32_t i = s->rank_begin[r]; i < s->rank_begin[r + 1]; i++) {
            const pp_action *a = &s->actions[i];
            p->rank_of[i] = r;
            if (a->op == PP_F) f[a->stage * units + a->microbatch] = i;
            if (a->op == PP_B || a->op == PP_I) b[a->stage * units + a->microbatch] = i;
        }
    for (int32_t i = 0; i < n; i++) p->needs[i] = p->message_of[i] = taker[i] = -1;
    for (int32_t i = 0; i < n; i++) {
        const pp_action *a = &s->actions[i];
        int gradient = a->op == PP_B || a->op == PP_I || (a->op == PP_R && s->recompute == PP_RECOMPUTE_LATE);
        if (a->op == PP_F && a->stage > 0) p->needs[i] = f[(a->stage - 1) * units + a->microbatch];
        if (gradient && a->stage < s->stages - 1) p->needs[i] = b[(a->stage + 1) * units + a->microbatch];
        int32_t x = p->needs[i];
        if (x >= 0 && (taker[x] < 0 || i < taker[x])) taker[x] = i;
    }
    p->message_count = 0;
    for (int32_t x = 0; x < n; x++) {
        p->t->arrive[x] = NAN;
        if (taker[x] < 0 || p->rank_of[x] == p->rank_of[taker[x]]) continue;
        p->message_of[x] = p->message_count;
        p->messages[p->message_count++] =
            (plain_message){.action = x, .taker = taker[x], .from = p->rank_of[x], .to = p->rank_of[taker[x]]};
    }
    free(f), free(b), free(taker);
}

/* Is the output of action x there for a rank that needs it now? */
static int plain_there(const plain_state *p, int32_t x, int32_t rank) {
    if (p->rank_of[x] == rank) return p->t->finish[x] <= p->now;
    return p->messages[p->message_of[x]].state >= PLAIN_ARRIVED;
}

static int plain_finish_slots(plain_state *p) {
    const pp_schedule *s = p->t->s;
    int changed = 0;
    for (int32_t r = 0; r < s->ranks; r++) {
        if (!p->busy[r] || p->t->finish[p->at[r]] > p->now) continue;
        int32_t end = plain_slot_end(s, p->at[r]);
        for (int32_t i = p->at[r]; i < end; i++)
            if (p->message_of[i] >= 0) {
                plain_message *m = &p->messages[p->message_of[i]];
                m->state = PLAIN_MADE;
                m->made = p->now;
            }
        p->at[r] = end;
        p->busy[r] = 0;
        changed = 1;
    }
    return changed;
}

/* Messages leave in the order in which they were made, the lower rank first, as far as there is room where they go. */
static int plain_leave(plain_state *p) {
    int changed = 0;
    for (;;) {
        plain_message *first = NULL;
        for (int32_t i = 0; i < p->message_count; i++) {
            plain_message *m = &p->messages[i];
            if (m->state != PLAIN_MADE || (p->t->room > 0 && p->taken[m->to] >= p->t->room)) continue;
            if (first == NULL || m->made < first->made) first = m; /* the messages stand in the order of ranks */
        }
        if (first == NULL) return changed;
        first->state = PLAIN_LEFT;
        first->left = p->now;
        p->taken[first->to]++;
        changed = 1;
    }
}

static int plain_move(plain_state *p) {
    const plain_time *t = p->t;
    int changed = 0;
    for (;;) { /* the first that has left and whose link is free */
        plain_message *first = NULL;
        for (int32_t i = 0; i < p->message_count; i++) {
            plain_message *m = &p->messages[i];
            if (m->state != PLAIN_LEFT) continue;
            if (t->link != NULL && p->link_free[t->link[m->from * t->s->ranks + m->to]] > p->now) continue;
            if (first == NULL || m->left < first->left) first = m;
        }
        if (first == NULL) break;
        double size = plain_hop(t, t->size, first->action, first->taker);
        if (t->link != NULL) p->link_free[t->link[first->from * t->s->ranks + first->to]] = p->now + size;
        first->state = PLAIN_MOVING;
        first->arrives = p->now + size + plain_hop(t, t->latency, first->action, first->taker);
        changed = 1;
    }
    for (int32_t i = 0; i < p->message_count; i++) {
        plain_message *m = &p->messages[i];
        if (m->state != PLAIN_MOVING || m->arrives > p->now) continue;
        m->state = PLAIN_ARRIVED;
        t->arrive[m->action] = p->now;
        changed = 1;
    }
    return changed;
}

/* Are the messages of the slot behind rank r so far that the rank may go on? */
static int plain_rid(const plain_state *p, int32_t r) {
    const pp_schedule *s = p->t->s;
    if (p->at[r] == s->rank_begin[r]) return 1;
    for (int32_t i = p->at[r] - 1; i >= s->rank_begin[r] && i >= p->at[r] - 2; i--) {
        if (i < p->at[r] - 1 && !s->actions[i].fused) break;
        if (p->message_of[i] < 0) continue;
        const plain_message *m = &p->messages[p->message_of[i]];
        if (p->t->room > 0 && m->state < PLAIN_LEFT) return 0;
        if (p->t->transfer == PP_TRANSFER_SENDER && m->state < PLAIN_ARRIVED) return 0;
    }
    return 1;
}

/* 1 if rank r holds the weights of all stages of its slot; else it gathers, one after another. */
static int plain_gathered(plain_state *p, int32_t r) {
    const pp_schedule *s = p->t->s;
    int32_t *held = &p->held[r * s->stages], end = plain_slot_end(s, p->at[r]);
    if (p->t->gather == NULL) return 1;
    if (p->stops[r] > p->now) return 0;
    for (int32_t i = p->at[r]; i < end; i++) {
        int32_t stage = s->actions[i].stage, count = 0, oldest = -1;
        if (held[stage]) {
            held[stage] = ++p->used;
            continue;
        }
        for (int32_t x = 0; x < s->stages; x++) {
            if (!held[x]) continue;
            count++;
            if (oldest < 0 || held[x] < held[oldest]) oldest = x;
        }
        if (count >= p->t->keep) held[oldest] = 0;
        held[stage] = ++p->used;
        p->t->gathers[r]++;
        p->stops[r] = p->now + p->t->gather[stage];
        if (p->stops[r] > p->now) return 0;
    }
    return 1;
}

static int plain_start_slots(plain_state *p) {
    plain_time *t = p->t;
    const pp_schedule *s = t->s;
    int changed = 0;
    for (int32_t r = 0; r < s->ranks; r++) {
        if (p->busy[r] || p->at[r] >= s->rank_begin[r + 1] || !plain_rid(p, r) || !plain_gathered(p, r)) continue;
        int32_t i = p->at[r], end = plain_slot_end(s, i), ready = 1;
        double ticks = 0, fused = -1;
        for (int32_t x = i; x < end; x++) {
            if (p->needs[x] >= 0 && !plain_there(p, p->needs[x], r)) ready = 0;
            ticks += t->cost[x];
            if (end > i + 1 && s->actions[x].op == PP_F && fused < 0) fused = t->overlap[x];
        }
        if (!ready) continue;
        if (end > i + 1 && fused >= 0) ticks = fmax(fused, fmax(t->cost[i], t->cost[i + 1]));
        for (int32_t x = i; x < end; x++) {
            t->start[x] = p->now;
            t->finish[x] = p->now + ticks;
            int32_t from = p->needs[x];
            if (from < 0 || p->message_of[from] < 0) continue;
            plain_message *m = &p->messages[p->message_of[from]];
            if (m->taker != x || m->state == PLAIN_TAKEN) continue;
            m->state = PLAIN_TAKEN;
            p->taken[r]--;
        }
        p->busy[r] = 1;
        changed = 1;
    }
    return changed;
}

/* ---- rendezvous ---- */

/* Messages of the slot behind rank r that have not arrived. */
static int plain_unsent(const plain_state *p, int32_t r, int32_t not_to) {
    const pp_schedule *s = p->t->s;
    int count = 0;
    for (int32_t i = p->at[r] - 1; i >= s->rank_begin[r] && i >= p->at[r] - 2; i--) {
        if (i < p->at[r] - 1 && !s->actions[i].fused) break;
        if (p->message_of[i] < 0) continue;
        const plain_message *m = &p->messages[p->message_of[i]];
        count += m->state < PLAIN_ARRIVED && m->to != not_to;
    }
    return count;
}

static int plain_meet(plain_state *p) {
    const plain_time *t = p->t;
    int changed = 0;
    for (int32_t i = 0; i < p->message_count; i++) {
        plain_message *m = &p->messages[i];
        if (m->state == PLAIN_MADE && !p->busy[m->to]) {
            int32_t at = p->at[m->to], here = m->taker == at || (m->taker == at + 1 && t->s->actions[at].fused);
            if (here && at < t->s->rank_begin[m->to + 1] && plain_unsent(p, m->to, m->from) == 0) {
                m->state = PLAIN_MOVING;
                m->arrives =
                    p->now + plain_hop(t, t->size, m->action, m->taker) + plain_hop(t, t->latency, m->action, m->taker);
                changed = 1;
            }
        }
        if (m->state == PLAIN_MOVING && m->arrives <= p->now) {
            m->state = PLAIN_ARRIVED;
            t->arrive[m->action] = p->now;
            changed = 1;
        }
    }
    return changed;
}

/* ---- the loop ---- */

static double plain_next(const plain_state *p) {
    const plain_time *t = p->t;
    double next = INFINITY;
    for (int32_t r = 0; r < t->s->ranks; r++) {
        if (p->busy[r] && t->finish[p->at[r]] > p->now) next = fmin(next, t->finish[p->at[r]]);
        if (p->stops[r] > p->now) next = fmin(next, p->stops[r]);
    }
    for (int32_t l = 0; l < p->link_count; l++)
        if (p->link_free[l] > p->now) next = fmin(next, p->link_free[l]);
    for (int32_t i = 0; i < p->message_count; i++)
        if (p->messages[i].state == PLAIN_MOVING) next = fmin(next, p->messages[i].arrives);
    return next;
}

/* Times everything; 1 if all lists come to their end, 0 if they stand still before. */
static int plain_simulate(plain_time *t) {
    const pp_schedule *s = t->s;
    size_t n = (size_t)s->action_count, ranks = (size_t)s->ranks;
    plain_state p = {.t = t};
    p.at = malloc(sizeof(int32_t) * ranks), p.busy = calloc(ranks, sizeof(int32_t)),
    p.taken = calloc(ranks, sizeof(int32_t));
    p.message_of = malloc(sizeof(int32_t) * n), p.needs = malloc(sizeof(int32_t) * n),
    p.rank_of = malloc(sizeof(int32_t) * n);
    p.stops = calloc(ranks, sizeof(double)), p.held = calloc(ranks * (size_t)s->stages, sizeof(int32_t));
    p.messages = malloc(sizeof(plain_message) * n);
    plain_connect(&p);
    for (size_t i = 0; t->link != NULL && i < ranks * ranks; i++)
        if (t->link[i] >= p.link_count) p.link_count = t->link[i] + 1;
    p.link_free = calloc((size_t)p.link_count + 1, sizeof(double));
    for (size_t i = 0; i < n; i++) t->start[i] = t->finish[i] = INFINITY;
    for (int32_t r = 0; r < s->ranks; r++) p.at[r] = s->rank_begin[r], t->waiting[r] = t->gathers[r] = 0;
    for (p.now = 0; p.now < INFINITY; p.now = plain_next(&p)) {
        for (int changed = 1; changed;) {
            changed = plain_finish_slots(&p);
            if (t->transfer == PP_TRANSFER_RENDEZVOUS) {
                changed |= plain_meet(&p);
                for (int32_t r = 0; r < s->ranks; r++) /* a rank that has not sent everything does not start */
                    if (!p.busy[r] && plain_unsent(&p, r, -1) > 0) p.busy[r] = 2;
                changed |= plain_start_slots(&p);
                for (int32_t r = 0; r < s->ranks; r++) p.busy[r] = p.busy[r] == 2 ? 0 : p.busy[r];
            } else {
                changed |= plain_leave(&p);
                changed |= plain_move(&p);
                changed |= plain_start_slots(&p);
            }
        }
        for (int32_t r = 0; r < s->ranks; r++) {
            int32_t waits = 0;
            for (int32_t i = 0; i < p.message_count; i++)
                waits += p.messages[i].to == r && p.messages[i].state == PLAIN_ARRIVED;
            if (waits > t->waiting[r]) t->waiting[r] = waits;
        }
    }
    int through = 1;
    for (int32_t r = 0; r < s->ranks; r++) through &= p.at[r] == s->rank_begin[r + 1] && !p.busy[r];
    free(p.at), free(p.busy), free(p.taken), free(p.message_of), free(p.needs), free(p.rank_of), free(p.stops),
        free(p.held);
    free(p.messages), free(p.link_free);
    return through;
}

#endif
