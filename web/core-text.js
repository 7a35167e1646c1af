// The compiled core out of the text that stands for it inside a script; web/pack.mjs has packed it.
import { unlzma } from './unlzma.js';
import { join } from './wasm-streams.js';

/** @param {string} text  base64 @param {number} size  of what it holds */
export const unpackBytes = (text, size) =>
    unlzma(
        Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)),
        size,
    );

/**
 * @param {string} text @param {number[]} sizes  of the streams @param {number} before  bytes of the module before its code
 * @returns {Uint8Array}
 */
export function unpack(text, sizes, before) {
    const bytes = unpackBytes(
        text,
        sizes.reduce((sum, size) => sum + size, 0),
    );
    let at = 0;
    return join(
        sizes.map((size) => {
            at += size;
            return bytes.subarray(at - size, at);
        }),
        before,
    );
}

/**
 * Texts one after another, in letters of one byte each.
 * @param {string} text @param {number} size @param {string} letters  those beyond ASCII, by their byte
 */
export const unpackTexts = (text, size, letters) =>
    Array.from(unpackBytes(text, size), (byte) => letters[byte - 128] ?? String.fromCharCode(byte))
        .join('')
        .split('\0');

/** A table of strings. @param {string} keys  by line @param {string} values  in the same order; behind a \u0001 as JSON */
export function tableOf(keys, values) {
    const lines = values.split('\n');
    return Object.fromEntries(
        keys.split('\n').map((key, i) => [key, lines[i][0] === '\u0001' ? JSON.parse(lines[i].slice(1)) : lines[i]]),
    );
}
