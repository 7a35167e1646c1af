/* Unpacks what a script carries packed: web/build/unmix.js says how, and has the same in JavaScript. A module of its own, unpack.wasm,
 * without imports. The state is laid out as there. */
#include <stdint.h>
#include <wasm_simd128.h>

#include "pipeline.h"

enum { REST, OP = 2, TEXT = 11 };

static struct {
    int16_t weights[1024][8], nodes[16][256][8];
    uint32_t contexts[8], lines[8];
    uint8_t rates[16];
    uint32_t range, code, at, unused;
    uint16_t squash[4096];
    int16_t stretch[4096];
    int16_t trees[16][256][2];
    uint8_t input[142000];
    uint16_t slots[1 << 20]; /* 12 bits of chance, 4 bits of how often it was asked; two decisions are found at once */
} state;

/* What was read: by kind the last four bytes, the last eight of all, the last four operators, the word so far. */
static uint32_t last[12], recent, older, ops, word;
static uint8_t texts[400000];

PP_EXPORT(pp_unpack_state) void *pp_unpack_state(void) { return &state; }

#define EACH(DO) DO(0) DO(1) DO(2) DO(3) DO(4) DO(5) DO(6) DO(7)
/* Places are counted in bytes, which spares multiplications: a browser's first code has them as they stand here. */
#define AT(array, bytes) ((char *)state.array + (bytes))
#define SLOT(i) AT(slots, state.lines[i] + here)
#define LOAD(i) asked = wasm_v128_load16_lane(SLOT(i), asked, i);
#define STORE(i) wasm_v128_store16_lane(SLOT(i), asked, i);
#define STRETCH(i) said = wasm_v128_load16_lane(AT(stretch, wasm_u16x8_extract_lane(odds, i)), said, i);

static v128_t line_of(v128_t contexts, int32_t node) {
    v128_t h = wasm_i32x4_mul(contexts, wasm_i32x4_splat((int32_t)0x9e3779b1));
    h = wasm_i32x4_mul(wasm_i32x4_add(h, wasm_i32x4_splat(node)), wasm_i32x4_splat((int32_t)0x85ebca6b));
    h = wasm_i32x4_mul(wasm_v128_xor(h, wasm_u32x4_shr(h, 15)), wasm_i32x4_splat(0x2c1b3c6d));
    return wasm_i32x4_shl(wasm_u32x4_shr(h, 14), 3);
}

/* The next byte in the contexts that are there. tree: its kind; set: whose weights. */
PP_EXPORT(pp_unpack_byte) int32_t pp_unpack_byte(int32_t tree, int32_t set) {
    uint32_t range = state.range, code = state.code;
    v128_t weights = wasm_v128_load(state.weights[set]);
    int node = 1, path = 4;
    do {
        if (path > 3) {
            path = 1;
            for (int i = 0; i < 8; i += 4)
                wasm_v128_store(state.lines + i, line_of(wasm_v128_load(state.contexts + i), node));
        }
        const uint32_t here = (uint32_t)path * 2;
        v128_t asked = wasm_i16x8_splat(0), said = asked;
        EACH(LOAD)
        v128_t chances = wasm_u16x8_shr(asked, 4), odds = wasm_i16x8_shl(chances, 1);
        EACH(STRETCH)
        v128_t own = wasm_v128_load(state.nodes[tree][node]);
        v128_t sums = wasm_i32x4_add(wasm_i32x4_dot_i16x8(said, weights), wasm_i32x4_dot_i16x8(said, own));
        int sum = wasm_i32x4_extract_lane(sums, 0) + wasm_i32x4_extract_lane(sums, 1) +
                  wasm_i32x4_extract_lane(sums, 2) + wasm_i32x4_extract_lane(sums, 3);
        int place = (sum >> 13) + 2048;
        uint32_t chance = state.squash[place < 0 ? 0 : place > 4095 ? 4095 : place];
        uint32_t bound = (range >> 16) * chance;
        int16_t *weights_here = state.nodes[tree][node];
        int error, goal;
        /* Branches, which the processor foresees, where sums would have to be waited for. */
        if (code < bound) {
            __asm__ volatile("");
            range = bound;
            path = path * 2 + 1;
            node = state.trees[tree][node][1];
            error = (65536 - (int)chance) >> 3;
            goal = 4095;
        } else {
            __asm__ volatile("");
            range -= bound;
            code -= bound;
            path = path * 2;
            node = state.trees[tree][node][0];
            error = -(int)chance >> 3;
            goal = 0;
        }
        while (!(range >> 24)) {
            range <<= 8;
            code = code << 8 | state.input[state.at++];
        }
        v128_t errors = wasm_i16x8_splat((int16_t)error);
        v128_t step = wasm_i16x8_q15mulr_sat(said, errors);
        weights = wasm_i16x8_add_sat(weights, step);
        wasm_v128_store(weights_here, wasm_i16x8_add_sat(own, step));
        v128_t times = wasm_v128_and(asked, wasm_i16x8_splat(15));
        v128_t rates = wasm_i8x16_swizzle(wasm_v128_load(state.rates),
                                          wasm_v128_or(wasm_i16x8_shl(times, 8), wasm_i16x8_splat(255)));
        v128_t misses = wasm_i16x8_sub(wasm_i16x8_splat((int16_t)goal), chances);
        chances = wasm_i16x8_add(chances, wasm_i16x8_q15mulr_sat(misses, rates));
        times = wasm_i16x8_min(wasm_i16x8_add(times, wasm_i16x8_splat(1)), wasm_i16x8_splat(6));
        asked = wasm_v128_or(wasm_i16x8_shl(chances, 4), times);
        EACH(STORE)
    } while (node > 0);
    wasm_v128_store(state.weights[set], weights);
    state.range = range;
    state.code = code;
    return ~node;
}

static uint32_t mix(uint32_t a, uint32_t b) { return (a * 0x9e3779b1u + b) * 0x85ebca6bu; }

/* The next byte of a kind. place: which of a number of several bytes. */
PP_EXPORT(pp_unpack_next) int32_t pp_unpack_next(int32_t kind, int32_t place) {
    uint32_t *contexts = state.contexts;
    uint32_t same = last[kind], of = (uint32_t)(kind * 8 + (place < 7 ? place : 7)), set = of;
    if (kind == REST || kind == TEXT) {
        set = 512 + (recent & 255);
        contexts[1] = recent & 255;
        contexts[2] = recent & 0xffffff;
        contexts[4] = recent;
        contexts[5] = mix(recent, older & 0xffff);
        contexts[6] = word;
        contexts[7] = recent & 0xff00;
    } else {
        if (kind == OP) set = 256 + (ops & 255);
        contexts[1] = ops & 0xffff;
        contexts[2] = (same & 255) << 8 | (ops & 255);
        contexts[4] = mix(same & 0xffff, ops & 0xffff);
        contexts[5] = ops;
        contexts[6] = ops & 0xffffff;
        contexts[7] = recent & 0xffffff;
    }
    contexts[3] = recent & 0xffff;
    contexts[0] = of;
    for (uint32_t i = 1; i < 8; i++) contexts[i] = mix(of + i * 128, contexts[i]);
    uint32_t byte = (uint32_t)pp_unpack_byte(kind, (int32_t)set);
    last[kind] = same << 8 | byte;
    older = older << 8 | recent >> 24;
    recent = recent << 8 | byte;
    if (kind == OP && place == 0) ops = ops << 8 | byte;
    word = byte > 127 || (byte | 32) - 'a' < 26u ? mix(word, byte) : 0;
    return (int32_t)byte;
}

/* As many bytes of text, at most 400000. */
PP_EXPORT(pp_unpack_text) uint8_t *pp_unpack_text(int32_t count) {
    for (int i = 0; i < count; i++) texts[i] = (uint8_t)pp_unpack_next(TEXT, 0);
    return texts;
}
