// The core packed for a script: its code taken apart by kinds of bytes (wasm-streams.js), all of it through LZMA, and written
// as base64, which a compressed transfer takes back. web/core-text.js unpacks it. Only the build needs this file.
import LZMA from 'lzma';
import { tableOf, unpack, unpackTexts } from './core-text.js';
import { KINDS, walk } from './wasm-streams.js';

/** @param {Uint8Array} bytes @param {number} at */
function lebAt(bytes, at) {
    let value = 0;
    for (let k = 0; ; k++) {
        value |= (bytes[at + k] & 127) << (7 * k);
        if (bytes[at + k] < 128) return { value, next: at + k + 1 };
    }
}

/** Where the content of the code section begins and ends. @param {Uint8Array} module */
function codeOf(module) {
    for (let at = 8; at < module.length; ) {
        const { value, next } = lebAt(module, at + 1);
        if (module[at] === 10) return [next, next + value];
        at = next + value;
    }
    throw new Error('a module without code');
}

/** @param {Uint8Array} module @returns {{ streams: number[][], before: number }} */
function takeApart(module) {
    const [begin, end] = codeOf(module);
    const streams = Array.from({ length: KINDS }, () => /** @type {number[]} */ ([]));
    let at = begin;
    walk(
        (kind, count, xor = 0) => {
            const { value, next } = count ? { value: module[at], next: at + count } : lebAt(module, at);
            for (; at < next; at++) streams[kind].push(module[at] ^ xor);
            return value;
        },
        () => {
            at = lebAt(module, at).next; // its length follows from the rest
        },
        () => {},
    );
    if (at !== end) throw new Error('code of a kind that wasm-streams.js does not know');
    streams[0] = [...module.subarray(0, begin), ...module.subarray(end)];
    return { streams, before: begin };
}

/** @param {Uint8Array} bytes @returns {Uint8Array} without the header of the .lzma format */
export function lzma(bytes) {
    const packed = Uint8Array.from(LZMA.compress(bytes, 9), (byte) => byte & 255);
    if (packed[0] !== 0x5d) throw new Error('LZMA with other properties than unlzma.js takes');
    return packed.subarray(13);
}

/** @param {Uint8Array} module @returns {{ text: string, sizes: number[], before: number }} arguments of unpack */
export function pack(module) {
    const { streams, before } = takeApart(module);
    const text = Buffer.from(lzma(Uint8Array.from(streams.flat()))).toString('base64');
    const packed = { text, sizes: streams.map((stream) => stream.length), before };
    if (!Buffer.from(unpack(text, packed.sizes, before)).equals(Buffer.from(module))) {
        throw new Error('the packed core does not unpack to what it was');
    }
    return packed;
}

/** @param {string[]} texts @returns {{ text: string, size: number, letters: string }} arguments of unpackTexts */
export function packTexts(texts) {
    const whole = texts.join('\0');
    const letters = [...new Set(whole.replace(/[\0-\x7f]/g, ''))].sort().join('');
    if (letters.length > 128) throw new Error('more letters beyond ASCII than a byte can tell');
    const bytes = Uint8Array.from(whole, (letter) => {
        const at = letters.indexOf(letter);
        return at < 0 ? letter.charCodeAt(0) : 128 + at;
    });
    const packed = { text: Buffer.from(lzma(bytes)).toString('base64'), size: bytes.length, letters };
    if (unpackTexts(packed.text, packed.size, letters).join('\0') !== whole)
        throw new Error('packed texts do not unpack');
    return packed;
}

/** Values of a table of strings, line by line, in the order of the keys. @param {Record<string, any>} table @param {string[]} keys */
export function linesOf(table, keys) {
    const lines = keys.map((key) =>
        typeof table[key] === 'string' ? table[key] : `\u0001${JSON.stringify(table[key])}`,
    );
    const text = lines.join('\n');
    const again = tableOf(keys.join('\n'), text);
    if (keys.some((key) => JSON.stringify(again[key]) !== JSON.stringify(table[key]))) {
        throw new Error('a table of strings that cannot be told line by line');
    }
    return text;
}
