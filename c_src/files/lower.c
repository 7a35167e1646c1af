/* The passes that turn PyTorch's table of computing alone into all that its runtime executes.
 * Source: torch/distributed/pipelining/schedules.py, _merge_bw, _add_unshard_reshard, _add_reduce_grad, _add_send_recv,
 * _simulate_comms_compute; the order of the passes and the step counter are the ones found there after release 2.8. */
#include <assert.h>
#include <string.h>

#include "files/table.h"
#include "time/timeline.h"

enum { ACTIVE_STAGES = 3 }; /* stages whose weights a rank holds at once */

/* ---- passes ---- */

static void row_start(pp_table *out, int32_t rank) { out->row_begin[rank] = out->cell_count; }

static void put(pp_table *out, pp_action cell) { out->cells[out->cell_count++] = cell; }

static int32_t slot_end(const pp_table *in, int32_t i) {
    while (in->cells[i].fused) i++;
    return i + 1;
}

static void drop_communication(const pp_table *in, pp_table *out) {
    for (int32_t r = 0; r < in->ranks; r++) {
        row_start(out, r);
        for (int32_t i = in->row_begin[r]; i < in->row_begin[r + 1]; i++)
            if (pp_is_action(&in->cells[i])) put(out, in->cells[i]);
    }
}

static void merge_backward(const pp_table *in, pp_table *out) {
    for (int32_t r = 0; r < in->ranks; r++) {
        int32_t end = in->row_begin[r + 1];
        row_start(out, r);
        for (int32_t i = in->row_begin[r]; i < end; i++) {
            pp_action a = in->cells[i];
            if (a.op == PP_BLANK) continue;
            int32_t next = i + 1;
            while (next < end && in->cells[next].op == PP_BLANK) next++;
            int alone = !a.fused && (i == in->row_begin[r] || !in->cells[i - 1].fused);
            if (alone && a.op == PP_I && next < end && in->cells[next].op == PP_W && in->cells[next].stage == a.stage &&
                in->cells[next].microbatch == a.microbatch) {
                a.op = PP_B;
                i = next;
            }
            put(out, a);
        }
    }
}

/* The stages of the cells from i on, each once, by where it comes first; as many cells ahead as it takes for
 * ACTIVE_STAGES of them, to the end of a slot (so a group may make it one more). Both ends only move on. */
typedef struct window {
    const pp_table *in;
    const int32_t *next; /* per cell of the row: the next one of its stage */
    int32_t *seen;       /* per stage: its cells between here and the far end */
    int32_t begin, far, end;
    int32_t count;
    int32_t stages[ACTIVE_STAGES + 1], first[ACTIVE_STAGES + 1];
} window;

static void window_fill(window *w) {
    while (w->count < ACTIVE_STAGES && w->far < w->end) {
        int32_t stop = slot_end(w->in, w->far);
        for (; w->far < stop; w->far++) {
            const pp_action *cell = &w->in->cells[w->far];
            if (!pp_is_action(cell) || w->seen[cell->stage]++ > 0) continue;
            w->stages[w->count] = cell->stage;
            w->first[w->count++] = w->far;
        }
    }
}

/* Leaves cell i, the nearest of all, behind. */
static void window_leave(window *w, int32_t i) {
    int32_t stage = w->in->cells[i].stage, left = --w->seen[stage], at = 0;
    while (w->stages[at] != stage) at++;
    for (; at + 1 < w->count && (left == 0 || w->first[at + 1] < w->next[i - w->begin]); at++) {
        w->stages[at] = w->stages[at + 1];
        w->first[at] = w->first[at + 1];
    }
    w->stages[at] = stage;
    w->first[at] = w->next[i - w->begin];
    w->count -= left == 0;
}

static int holds(const int32_t *stages, int32_t count, int32_t stage) {
    for (int32_t n = 0; n < count; n++)
        if (stages[n] == stage) return 1;
    return 0;
}

/* scratch: an int per stage, then one per cell of the longest row. */
static void add_shards(const pp_table *in, int32_t stages, int32_t *scratch, pp_table *out) {
    int32_t active[2 * ACTIVE_STAGES + 2], *last = scratch, *next_of = scratch + stages;
    for (int32_t r = 0; r < in->ranks; r++) {
        int32_t count = 0, begin = in->row_begin[r], end = in->row_begin[r + 1];
        memset(last, 0xFF, (size_t)stages * sizeof *last);
        for (int32_t i = end; i-- > begin;) {
            if (!pp_is_action(&in->cells[i])) continue;
            next_of[i - begin] = last[in->cells[i].stage];
            last[in->cells[i].stage] = i;
        }
        memset(last, 0, (size_t)stages * sizeof *last);
        window w = {.in = in, .next = next_of, .seen = last, .begin = begin, .far = begin, .end = end};
        row_start(out, r);
        for (int32_t i = begin; i < end;) {
            int32_t next = slot_end(in, i), kept = 0;
            if (!pp_is_action(&in->cells[i])) {
                i = next;
                continue;
            }
            if (w.far < i) w.far = i;
            window_fill(&w);
            for (int32_t n = 0; n < count; n++) { /* active stages ascend */
                if (holds(w.stages, w.count, active[n]))
                    active[kept++] = active[n];
                else
                    put(out, (pp_action){-1, (uint16_t)active[n], PP_RESHARD, 0});
            }
            count = kept;
            for (int32_t n = 0; n < w.count; n++) {
                int32_t stage = w.stages[n], at = count;
                if (holds(active, count, stage)) continue;
                put(out, (pp_action){-1, (uint16_t)stage, PP_UNSHARD, 0});
                for (; at > 0 && active[at - 1] > stage; at--) active[at] = active[at - 1];
                active[at] = stage;
                count++;
            }
            for (; i < next; i++) {
                put(out, in->cells[i]);
                window_leave(&w, i);
            }
        }
        for (int32_t n = 0; n < count; n++) put(out, (pp_action){-1, (uint16_t)active[n], PP_RESHARD, 0});
    }
}

/* done: a zero per stage. */
static void add_reductions(const pp_table *in, int32_t units, int32_t *done, pp_table *out) {
    for (int32_t r = 0; r < in->ranks; r++) {
        row_start(out, r);
        for (int32_t i = in->row_begin[r], next; i < in->row_begin[r + 1]; i = next) {
            next = slot_end(in, i);
            if (in->cells[i].op == PP_BLANK) continue;
            for (int32_t n = i; n < next; n++) put(out, in->cells[n]);
            for (int32_t n = i; n < next; n++) {
                const pp_action *a = &in->cells[n];
                if ((a->op == PP_B || a->op == PP_W) && ++done[a->stage] == units)
                    put(out, (pp_action){-1, a->stage, PP_REDUCE_GRAD, 0});
            }
        }
    }
}

/* What is known of each (stage, unit) while transfers are placed or steps are counted. */
enum { RAN_F = 1, RAN_B = 2, GOT_F = 4, GOT_B = 8, SENT_F = 16, SENT_B = 32 };

static uint8_t *mark_of(const pp_schedule *s, uint8_t *marks, int32_t stage, int32_t unit) {
    return &marks[(size_t)stage * (size_t)s->microbatches + (size_t)unit];
}

/* Can this action run, as far as its input goes: received, or made here? */
static int input_ready(const pp_schedule *s, uint8_t *marks, const pp_action *a) {
    int32_t stage = a->stage, unit = a->microbatch, neighbour;
    switch (a->op) {
    case PP_F: neighbour = stage - 1; break;
    case PP_B:
    case PP_I: neighbour = stage + 1; break;
    default: return 1;
    }
    if (neighbour < 0 || neighbour >= s->stages) return 1;
    int forward = a->op == PP_F;
    if (*mark_of(s, marks, stage, unit) & (forward ? GOT_F : GOT_B)) return 1;
    int here = s->stage_rank[neighbour] == s->stage_rank[stage];
    return here && (*mark_of(s, marks, neighbour, unit) & (forward ? RAN_F : RAN_B));
}

/* The stage an action sends its output to, -1 if it stays here. */
static int32_t sends_to(const pp_schedule *s, const pp_action *a) {
    int32_t to = a->op == PP_F ? a->stage + 1 : a->op == PP_B || a->op == PP_I ? a->stage - 1 : -1;
    if (to < 0 || to >= s->stages) return -1;
    return s->stage_rank[to] != s->stage_rank[a->stage] ? to : -1;
}

typedef struct transfers {
    const pp_schedule *s;
    pp_table *out;
    uint8_t *marks;
    int32_t *end; /* where each rank's list has come to in out */
} transfers;

static void run_cell(const transfers *t, int32_t rank, const pp_action *a) {
    int forward = a->op == PP_F;
    if (!pp_is_action(a) || a->op == PP_W) return;
    *mark_of(t->s, t->marks, a->stage, a->microbatch) |= forward ? RAN_F : RAN_B;
    int32_t to = sends_to(t->s, a);
    if (to < 0) return;
    int32_t peer = t->s->stage_rank[to];
    t->out->cells[t->end[rank]++] = (pp_action){a->microbatch, a->stage, forward ? PP_SEND_F : PP_SEND_B, 0};
    t->out->cells[t->end[peer]++] = (pp_action){a->microbatch, (uint16_t)to, forward ? PP_RECV_F : PP_RECV_B, 0};
    *mark_of(t->s, t->marks, to, a->microbatch) |= forward ? GOT_F : GOT_B;
}

/* All ranks together, one cell of each in turn; a cell that is not ready waits for the next turn. scratch: heads,
 * blanks left, ends, marks. */
static void add_transfers(const pp_table *in, const pp_schedule *s, int32_t *scratch, pp_table *out) {
    int32_t *head = scratch, *left = head + s->ranks, *end = left + s->ranks, done = 0, moved = 1;
    transfers t = {s, out, (uint8_t *)(end + s->ranks), end};
    memset(t.marks, 0, (size_t)s->stages * (size_t)s->microbatches);
    /* room: each rank's own cells, its sends, and what the others send it */
    memset(left, 0, (size_t)s->ranks * sizeof *left);
    for (int32_t r = 0; r < s->ranks; r++) {
        for (int32_t i = in->row_begin[r]; i < in->row_begin[r + 1]; i++) {
            int32_t to = sends_to(s, &in->cells[i]);
            left[r] += (in->cells[i].op != PP_BLANK) + (to >= 0);
            if (to >= 0) left[s->stage_rank[to]]++;
        }
    }
    for (int32_t r = 0; r < s->ranks; r++) {
        out->row_begin[r] = end[r] = out->cell_count;
        out->cell_count += left[r];
        head[r] = in->row_begin[r];
        left[r] = 0;
    }
    while (done < in->cell_count && moved) {
        moved = 0;
        for (int32_t r = 0; r < s->ranks; r++) {
            int32_t i = head[r];
            if (i == in->row_begin[r + 1]) continue;
            if (in->cells[i].op == PP_BLANK) { /* each blank of the run takes a turn */
                moved = 1;
                if (++left[r] < in->cells[i].microbatch) continue;
                left[r] = 0;
                head[r]++;
                done++;
                continue;
            }
            int32_t next = slot_end(in, i), ready = 1;
            for (int32_t n = i; n < next; n++) ready &= input_ready(s, t.marks, &in->cells[n]);
            if (!ready) continue;
            for (int32_t n = i; n < next; n++) out->cells[end[r]++] = in->cells[n];
            for (int32_t n = i; n < next; n++) run_cell(&t, r, &in->cells[n]);
            head[r] = next;
            done += next - i;
            moved = 1;
        }
    }
    assert(done == in->cell_count); /* pp_check has found an order in which all can run */
    out->lowered = 1;
}

/* Per action itself, a SEND, a RECV, an UNSHARD and a RESHARD; each rank's first stages; reductions. */
static size_t lowered_cells(const pp_table *table, const pp_schedule *s) {
    return 6 * (size_t)table->cell_count + 2 * (ACTIVE_STAGES + 1) * (size_t)s->ranks + 1;
}

/* What the greediest pass needs. */
static size_t scratch_ints(const pp_table *table, const pp_schedule *s) {
    size_t marks = ((size_t)s->stages * (size_t)s->microbatches + 3) / 4;
    return 3 * (size_t)s->ranks + marks + (size_t)s->stages + (size_t)table->cell_count;
}

/* Two tables to go back and forth between. */
size_t pp_table_lower_bytes(const pp_table *table, const pp_schedule *s) {
    uint64_t bytes = 2 * (uint64_t)pp_table_room(s->ranks, lowered_cells(table, s), 0);
    bytes += (uint64_t)scratch_ints(table, s) * sizeof(int32_t);
    return bytes > SIZE_MAX / 2 ? SIZE_MAX : (size_t)bytes;
}

int32_t pp_table_lower(const pp_table *table, const pp_schedule *s, int32_t passes, void *memory, size_t bytes,
                       pp_fault *fault) {
    assert(memory != NULL && ((uintptr_t)memory & 7) == 0 && table->format == PP_FORMAT_TORCH);
    if (bytes < pp_table_lower_bytes(table, s)) {
        pp_fault spare;
        pp_fault_start(fault, &spare, PP_ERR_CAPACITY);
        return PP_ERR_CAPACITY;
    }
    size_t cells = lowered_cells(table, s), room = pp_table_room(s->ranks, cells, 0);
    pp_table *spare = (pp_table *)((char *)memory + room), *result = memory;
    int32_t *scratch = (int32_t *)((char *)spare + room), count = 0;
    const pp_table *in = table;
    for (int32_t pass = PP_LOWER_COMPUTE; pass <= PP_LOWER_TRANSFER; pass *= 2) count += (passes & pass) != 0;
    pp_table *out = count % 2 == 1 ? result : spare; /* so that the last pass writes result */
    for (int32_t pass = PP_LOWER_COMPUTE; pass <= PP_LOWER_TRANSFER; pass *= 2) {
        if (!(passes & pass)) continue;
        pp_table_place(out, PP_FORMAT_TORCH, s->ranks, cells, 0);
        out->lowered = in->lowered && pass != PP_LOWER_COMPUTE;
        switch (pass) {
        case PP_LOWER_COMPUTE: drop_communication(in, out); break;
        case PP_LOWER_MERGE: merge_backward(in, out); break;
        case PP_LOWER_SHARD: add_shards(in, s->stages, scratch, out); break;
        case PP_LOWER_REDUCE:
            memset(scratch, 0, (size_t)s->stages * sizeof *scratch);
            add_reductions(in, s->microbatches, scratch, out);
            break;
        default: add_transfers(in, s, scratch, out); break;
        }
        out->row_begin[s->ranks] = out->cell_count;
        in = out;
        out = out == result ? spare : result;
    }
    if (count == 0) {
        pp_table_place(result, PP_FORMAT_TORCH, s->ranks, cells, 0);
        result->lowered = table->lowered;
        result->cell_count = table->cell_count;
        memcpy(result->row_begin, table->row_begin, ((size_t)s->ranks + 1) * sizeof(int32_t));
        memcpy(result->cells, table->cells, (size_t)table->cell_count * sizeof(pp_action));
    }
    return PP_OK;
}

/* ---- the step counter ---- */

/* Can the slot at i run, by what other ranks have done so far? */
static int step_ready(const pp_table *table, const pp_schedule *s, uint8_t *marks, int32_t i) {
    int ready = 1;
    for (int32_t n = i, end = slot_end(table, i); n < end; n++) {
        const pp_action *a = &table->cells[n];
        int32_t stage = a->stage, unit = a->microbatch;
        switch (a->op) {
        case PP_SEND_F: ready &= (*mark_of(s, marks, stage, unit) & RAN_F) != 0; break;
        case PP_SEND_B: ready &= (*mark_of(s, marks, stage, unit) & RAN_B) != 0; break;
        case PP_RECV_F: ready &= stage > 0 && (*mark_of(s, marks, stage - 1, unit) & SENT_F) != 0; break;
        case PP_RECV_B: ready &= stage + 1 < s->stages && (*mark_of(s, marks, stage + 1, unit) & SENT_B) != 0; break;
        default: ready &= input_ready(s, marks, a);
        }
    }
    return ready;
}

static void step_take(const pp_table *table, const pp_schedule *s, uint8_t *marks, int32_t i) {
    static const uint8_t bits[PP_CELL_OP_COUNT] = {
        [PP_F] = RAN_F,       [PP_B] = RAN_B,      [PP_I] = RAN_B,     [PP_SEND_F] = SENT_F,
        [PP_SEND_B] = SENT_B, [PP_RECV_F] = GOT_F, [PP_RECV_B] = GOT_B};
    for (int32_t n = i, end = slot_end(table, i); n < end; n++) {
        const pp_action *a = &table->cells[n];
        if (a->microbatch >= 0 && a->op != PP_BLANK) *mark_of(s, marks, a->stage, a->microbatch) |= bits[a->op];
    }
}

/* A rank that could not go on in a round gets one second try in it. */
int32_t pp_table_steps(const pp_table *table, const pp_schedule *s, void *scratch) {
    int32_t *head = scratch, *idled = head + s->ranks, *steps = idled + s->ranks, done = 0, longest = 0, moved = 1;
    uint8_t *marks = (uint8_t *)(steps + s->ranks);
    memset(marks, 0, (size_t)s->stages * (size_t)s->microbatches);
    memset(steps, 0, (size_t)s->ranks * sizeof *steps);
    memcpy(head, table->row_begin, (size_t)s->ranks * sizeof *head);
    while (done < table->cell_count) {
        if (!moved) return -1;
        moved = 0;
        for (int32_t turn = 0; turn < 2; turn++) {
            for (int32_t r = 0; r < s->ranks; r++) {
                int32_t i = head[r];
                if (turn == 0) idled[r] = 0;
                if (i == table->row_begin[r + 1] || (turn == 1 && !idled[r])) continue;
                if (!step_ready(table, s, marks, i)) {
                    steps[r] += turn == 0; /* an idle step, which the second try may fill */
                    idled[r] = 1;
                    continue;
                }
                step_take(table, s, marks, i);
                head[r] = slot_end(table, i);
                done += head[r] - i;
                steps[r] += turn == 0 && table->cells[i].op != PP_BLANK;
                moved = 1;
            }
        }
        for (int32_t r = 0; r < s->ranks; r++)
            if (steps[r] > longest) longest = steps[r];
    }
    return longest;
}
