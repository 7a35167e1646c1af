/* Two streams of slots into one list. */
#include "schedules/schedule_wave.h"

/* A place in a stream. */
typedef struct cursor {
    const pp_stretch *stretch, *begin, *end;
    int32_t unit_slot, unit_first; /* of the unit at hand */
    int32_t at, left;              /* in the stretch at hand */
} cursor;

/* Micro-batches of the stretch that exist. */
static int32_t present(const pp_wave *wave, const cursor *c) {
    int32_t left = wave->microbatches - c->unit_first - c->stretch->first;
    return left < c->stretch->count ? left : c->stretch->count;
}

/* Goes on to the next stretch that has something in it; left = 0 at the end. */
static void settle(const pp_wave *wave, cursor *c) {
    while (c->unit_first < wave->microbatches) {
        for (; c->stretch < c->end; c->stretch++) {
            c->at = 0;
            c->left = present(wave, c);
            if (c->left > 0) return;
        }
        c->stretch = c->begin;
        c->unit_slot += wave->unit_slots;
        c->unit_first += wave->unit_size;
    }
    c->left = 0;
}

static cursor start(const pp_wave *wave, int32_t stream) {
    cursor c = {.begin = wave->stream[stream], .stretch = wave->stream[stream]};
    c.end = c.begin + wave->stretches[stream];
    settle(wave, &c);
    return c;
}

static int32_t slot_of(const cursor *c) { return c->unit_slot + c->stretch->slot + 2 * c->at; }

static void emit(const pp_wave *wave, cursor *c, pp_writer *writer) {
    int32_t k = c->unit_first + c->stretch->first + c->at++;
    if (c->stretch->op == PP_F)
        pp_emit(writer, PP_F, c->stretch->stage, k);
    else
        pp_emit_backward(writer, PP_B, c->stretch->stage, k);
    if (--c->left > 0) return;
    c->stretch++;
    settle(wave, c);
}

void pp_wave_rank(const pp_wave *wave, pp_writer *writer) {
    cursor a = start(wave, 0), b = start(wave, 1);
    while (a.left > 0 && b.left > 0) emit(wave, slot_of(&a) < slot_of(&b) ? &a : &b, writer);
    while (a.left > 0) emit(wave, &a, writer);
    while (b.left > 0) emit(wave, &b, writer);
}
