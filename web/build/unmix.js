// What web/build/pack.mjs has packed, unpacked. Each byte is told by decisions along a tree; several contexts foretell each
// decision; weights that learn mix what they say; an arithmetic coder holds what they did not foresee. As in PAQ (M. Mahoney,
// Adaptive Weighing of Context Models for Lossless Data Compression, 2005), with a model of WebAssembly code beside that of
// text. Numbers are added, multiplied and divided only, so that all browsers round alike.
//
// c_src/wasm/unpack.c has the contexts and the loop over the decisions of a byte a second time, for speed: those here pack, and
// unpack texts where WebAssembly is forbidden. Both work on the same memory; tests/build/core-text.test.mjs compares them.
import { KINDS, OP, REST } from './wasm-streams.js';

const CONTEXTS = 8;
/** Steps of one unit of the logarithm of the odds. */
const GRAIN = 160;
/** The kind of bytes that are text, behind those of WebAssembly. */
export const TEXT = KINDS;
/** Packed bytes that the memory has room for. */
export const ROOM = 142_000;
/** Bytes of text that it has room for. */
export const TEXT_ROOM = 400_000;

/** Bytes out of base64. @param {string} text */
export function bytesOf(text) {
    const native = /** @type {any} */ (Uint8Array).fromBase64;
    if (native) return /** @type {Uint8Array<ArrayBuffer>} */ (native.call(Uint8Array, text));
    const letters = atob(text);
    const bytes = new Uint8Array(letters.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = letters.charCodeAt(i);
    return bytes;
}

/** @param {number} a @param {number} b */
const mix = (a, b) => Math.imul(Math.imul(a, 0x9e3779b1) + b, 0x85ebca6b);

/** A product of fractions of 32768. @param {number} a @param {number} b */
const rounded = (a, b) => (Math.imul(a, b) + 16384) >> 15;

/** @param {number} weight */
const within = (weight) => Math.max(-32768, Math.min(32767, weight));

/**
 * The state as c_src/wasm/unpack.c lays it out. @param {ArrayBuffer} memory @param {number} at
 */
function stateIn(memory, at) {
    const place = (/** @type {any} */ type, /** @type {number} */ count) => {
        const view = new type(memory, at, count);
        at += view.byteLength;
        return view;
    };
    return {
        weights: /** @type {Int16Array} */ (place(Int16Array, 1024 * 8)),
        nodes: /** @type {Int16Array} */ (place(Int16Array, 16 * 256 * 8)),
        contexts: /** @type {Int32Array} */ (place(Int32Array, 8)),
        lines: /** @type {Int32Array} */ (place(Int32Array, 8)),
        rates: /** @type {Uint8Array} */ (place(Uint8Array, 16)),
        coder: /** @type {Uint32Array} */ (place(Uint32Array, 4)),
        squash: /** @type {Uint16Array} */ (place(Uint16Array, 4096)),
        stretch: /** @type {Int16Array} */ (place(Int16Array, 4096)),
        trees: /** @type {Int16Array} */ (place(Int16Array, 512 * 16)),
        input: /** @type {Uint8Array} */ (place(Uint8Array, ROOM)),
        slots: /** @type {Uint16Array} */ (place(Uint16Array, 1 << 20)),
    };
}

/** @typedef {ReturnType<typeof stateIn>} State */

/** The loop of c_src/wasm/unpack.c. @param {State} state @param {(chance: number) => number} decide */
const loop =
    ({ stretch, weights, nodes, contexts, lines, rates, squash, trees, slots }, decide) =>
    (/** @type {number} */ tree, /** @type {number} */ set) => {
        const asked = new Int32Array(CONTEXTS);
        let path = 4;
        let node = 1;
        while (node > 0) {
            if (path > 3) {
                path = 1;
                for (let i = 0; i < CONTEXTS; i++) {
                    const h = mix(contexts[i], node);
                    lines[i] = (Math.imul(h ^ (h >>> 15), 0x2c1b3c6d) >>> 14) << 2;
                }
            }
            const at = (tree * 256 + node) * 8;
            let sum = 0;
            for (let i = 0; i < CONTEXTS; i++) {
                asked[i] = slots[lines[i] + path];
                sum += Math.imul(stretch[asked[i] >> 4], weights[set * 8 + i] + nodes[at + i]);
            }
            const chance = squash[Math.max(0, Math.min(4095, (sum >> 13) + 2048))];
            const bit = decide(chance);
            const error = ((bit << 16) - chance) >> 3;
            for (let i = 0; i < CONTEXTS; i++) {
                const p = asked[i] >> 4;
                const n = asked[i] & 15;
                const step = rounded(error, stretch[p]);
                weights[set * 8 + i] = within(weights[set * 8 + i] + step);
                nodes[at + i] = within(nodes[at + i] + step);
                slots[lines[i] + path] = ((p + rounded(bit * 4095 - p, rates[n] << 8)) << 4) | (n + +(n < 6));
            }
            node = trees[tree * 512 + node * 2 + bit];
            path = path * 2 + bit;
        }
        return ~node;
    };

/** Reads decisions. @param {State} state @returns {(chance: number) => number} chance of a 1, of 65536 */
const reading =
    ({ coder, input }) =>
    (chance) => {
        const bound = Math.imul(coder[0] >>> 16, chance) >>> 0;
        const bit = +(coder[1] < bound);
        if (bit) coder[0] = bound;
        else {
            coder[0] -= bound;
            coder[1] -= bound;
        }
        while (coder[0] < 2 ** 24) {
            coder[0] <<= 8;
            coder[1] = (coder[1] << 8) | input[coder[2]++];
        }
        return bit;
    };

/**
 * @param {Uint8Array} packed @param {string} [core]  unpack.wasm, base64
 * @param {(chance: number) => number} [decide]  instead of what is packed, by who packs
 * @param {Int16Array[]} [seen]  gets the trees
 * @returns {{ next: (kind: number, place: number) => number, text: (count: number) => Uint8Array }} next: the next byte, of a
 *     kind; place: which of a number of several bytes. text: as many bytes of text
 */
export function unmix(packed, core, decide, seen) {
    /** @type {any} */
    let machine;
    try {
        if (core) machine = new WebAssembly.Instance(new WebAssembly.Module(bytesOf(core))).exports;
    } catch {} // a page may forbid it
    const state = machine
        ? stateIn(machine.memory.buffer, machine.pp_unpack_state())
        : stateIn(new ArrayBuffer(3 << 20), 0);
    const next = machine?.pp_unpack_byte ?? loop(state, decide ?? reading(state));
    const { stretch, weights, nodes, contexts, rates, coder, squash, trees, input, slots } = state;

    for (let k = 0, p = 0; k < 4096; k++) {
        let e = 1 - (k - 2048) / GRAIN / 4096;
        for (let i = 0; i < 12; i++) e *= e;
        squash[k] = 65504 / (1 + e) + 16;
        for (; p < 4096 && p * 16 + 8 <= squash[k]; p++) stretch[p] = k - 2048;
    }
    weights.fill(900);
    nodes.fill(900);
    for (let n = 0; n < 16; n++) rates[n] = 1280 / (n * 8 + 13);
    slots.fill(1 << 15);
    input.set(packed);
    coder[0] = -1;
    while (coder[2] < 4) coder[1] = (coder[1] << 8) | input[coder[2]++];

    // Trees of prefix codes: by node and decision the next node, or ~byte. The shorter a byte's length, the fewer decisions.
    const lengths = new Uint8Array(256).fill(4, 0, 16);
    const plant = (/** @type {number} */ kind) => {
        const bytes = [...lengths.keys()]
            .filter((byte) => lengths[byte])
            .sort((a, b) => lengths[a] - lengths[b] || a - b);
        let used = 0;
        let nodes = 1;
        const grow = (/** @type {number} */ depth) => {
            if (lengths[bytes[used]] <= depth) return ~bytes[used++];
            const node = kind * 512 + 2 * nodes;
            const own = nodes++;
            trees[node] = grow(depth + 1);
            trees[node + 1] = grow(depth + 1);
            return own;
        };
        if (bytes.length) grow(0);
        seen?.push(trees.subarray(kind * 512, kind * 512 + 512));
    };
    plant(TEXT + 1);
    for (let kind = 0; kind <= TEXT; kind++) {
        for (let byte = 0, before = 0, any = 0; byte < 256; byte++) {
            if (byte % 16 === 0) {
                contexts.fill(mix(1, kind));
                any = next(TEXT + 1, 1023);
            }
            if (!any) {
                lengths[byte] = 0;
                continue;
            }
            for (let i = 0; i < CONTEXTS; i++)
                contexts[i] = mix(~i, (i & 1 && before + 1) | (i & 2 && lengths[byte] << 4) | (i & 4 && kind << 8));
            lengths[byte] = before = next(TEXT + 1, 1023);
        }
        plant(kind);
    }

    if (machine) {
        return {
            next: machine.pp_unpack_next,
            text: (count) => new Uint8Array(machine.memory.buffer, machine.pp_unpack_text(count), count),
        };
    }

    // What was read: by kind the last four bytes, the last eight of all, the last four operators, the word so far.
    const last = new Int32Array(KINDS + 1);
    let [r, older, ops, word] = [0, 0, 0, 0];
    const get = (/** @type {number} */ kind, /** @type {number} */ place) => {
        const text = kind === REST || kind === TEXT;
        const same = last[kind];
        const of = kind * 8 + Math.min(place, 7);
        contexts[0] = of;
        contexts[1] = mix(of + 128, text ? r & 255 : ops & 0xffff);
        contexts[2] = mix(of + 256, text ? r & 0xffffff : ((same & 255) << 8) | (ops & 255));
        contexts[3] = mix(of + 384, r & 0xffff);
        contexts[4] = mix(of + 512, text ? r : mix(same & 0xffff, ops & 0xffff));
        contexts[5] = mix(of + 640, text ? mix(r, older & 0xffff) : ops);
        contexts[6] = mix(of + 768, text ? word : ops & 0xffffff);
        contexts[7] = mix(of + 896, text ? r & 0xff00 : r & 0xffffff);
        const byte = next(kind, kind === OP ? 256 + (ops & 255) : text ? 512 + (r & 255) : of);
        last[kind] = (same << 8) | byte;
        older = (older << 8) | (r >>> 24);
        r = (r << 8) | byte;
        if (kind === OP && place === 0) ops = (ops << 8) | byte;
        word = byte > 127 || ((byte | 32) > 96 && (byte | 32) < 123) ? mix(word, byte) : 0;
        return byte;
    };
    return { next: get, text: (count) => Uint8Array.from({ length: count }, () => get(TEXT, 0)) };
}
