// The memory of the core, as plain numbers and texts: room for a while, bytes copied in, fresh views copied out. Memory may move
// with every call, so that no view is kept. Only the files of this folder see addresses.
import { noMemoryText } from '../words/no-memory.js';
import { PipelineError } from './error.js';

/** @typedef {import('./types.js').Alloc} Alloc */

const encoder = new TextEncoder();
const decoder = new TextDecoder();
/** Memory of a module has addresses of 32 bits. */
const MOST_BYTES = 0xffffffff;

export class CoreMemory {
    /** @param {any} core  functions of the core, and of its rest once that is here */
    constructor(core) {
        this.core = core;
        /** Language of messages: 'en' or 'ru'. */
        this.lang = 'en';
    }

    /**
     * Runs work with an allocator whose memory is released when work is over, however it ends.
     * @template T @param {(alloc: Alloc) => T} work @returns {T}
     */
    scope(work) {
        /** @type {number[]} */
        const held = [];
        try {
            return work(this.allocator(held));
        } finally {
            this.release(held);
        }
    }

    /**
     * An allocator whose memory belongs to `held`, and goes back by release(held).
     * @param {number[]} held @returns {Alloc}
     */
    allocator(held) {
        return (bytes) => {
            const size = Math.max(bytes, 1);
            let at = size > MOST_BYTES ? 0 : this.core.pp_alloc(size) >>> 0;
            if (at === 0 && size <= MOST_BYTES && this.makeRoom()) at = this.core.pp_alloc(size) >>> 0;
            if (at === 0) throw this.noMemory(size);
            held.push(at);
            return at;
        };
    }

    /** Gives back what can be made again; false where there is nothing of the kind. */
    makeRoom() {
        return false;
    }

    /** @param {number} bytes  that were asked for in vain */
    noMemory(bytes) {
        return new PipelineError(noMemoryText(this.lang, bytes), {
            code: 'capacity',
            reader: noMemoryText(this.lang, bytes),
        });
    }

    /** @param {number[]} held  addresses that an allocator has given */
    release(held) {
        for (const at of held) this.core.pp_free(at);
    }

    /** @param {Alloc} alloc @param {string | Uint8Array} text @returns {{ at: number, length: number }} */
    copy(alloc, text) {
        const bytes = typeof text === 'string' ? encoder.encode(text) : text;
        const at = alloc(bytes.length + 1);
        this.bytes(at, bytes.length).set(bytes);
        return { at, length: bytes.length };
    }

    /** @param {number} at @param {number} count  a fresh view, good until the next call into the core */
    bytes(at, count) {
        return new Uint8Array(this.core.memory.buffer, at, count);
    }

    /** @param {number} at */
    string(at) {
        const bytes = new Uint8Array(this.core.memory.buffer);
        let end = at;
        while (bytes[end] !== 0) end++;
        return decoder.decode(bytes.slice(at, end));
    }

    /** @param {(i: number) => number} nameAt @param {string} [last] @returns {string[]} names until "" (or last) */
    names(nameAt, last = '') {
        const names = [];
        for (let i = 0; ; i++) {
            const name = this.string(nameAt(i));
            if (name === '' || name === last) return names;
            names.push(name);
        }
    }

    /** @param {number} at @param {number} count */
    ints(at, count) {
        return new Int32Array(this.core.memory.buffer, at, count).slice();
    }

    /** @param {number} at @param {number} count */
    doubles(at, count) {
        return new Float64Array(this.core.memory.buffer, at, count).slice();
    }

    /** @param {string[]} names @param {number} at @param {number} count @returns {Record<string, number>[]} */
    records(names, at, count) {
        const values = this.doubles(at, names.length * count);
        const out = Array(count);
        for (let i = 0, next = 0; i < count; i++) {
            /** @type {Record<string, number>} */
            const record = {};
            for (const name of names) record[name] = values[next++];
            out[i] = record;
        }
        return out;
    }
}
