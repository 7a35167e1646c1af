// The compiled core, and texts, out of the text that stands for them inside a script; web/build/pack.mjs has packed it.
import { bytesOf, unmix } from './unmix.js';
import { join } from './wasm-streams.js';

/**
 * @param {string} text  base64 @param {[before: number, after: number, size: number]} sizes  of the module before its code,
 *     behind it, and in all @param {string} [machine]  unpack.wasm, base64
 * @returns {Uint8Array}
 */
export const unpack = (text, sizes, machine) => join(unmix(bytesOf(text), machine).next, ...sizes);

/** Begins the texts of a template, and divides them. */
export const TEMPLATE = '\u0002';

/** The strings of a template, as its tag takes them. @param {string[]} strings @returns {any} */
const template = (strings) => Object.assign(strings, { raw: strings });

/**
 * Texts one after another, in letters of one byte each.
 * @param {string} text @param {number} size @param {string} letters  those beyond ASCII, by their byte @param {string} [machine]
 */
export function unpackTexts(text, size, letters, machine) {
    const bytes = unmix(bytesOf(text), machine).text(size);
    const codes = Uint16Array.from({ length: 256 }, (_, byte) => letters.charCodeAt(byte - 128) || byte);
    const out = Uint16Array.from(bytes, (byte) => codes[byte]);
    let whole = '';
    for (let at = 0; at < size; at += 8192) whole += String.fromCharCode(...out.subarray(at, at + 8192));
    return whole.split('\0').map((text) => (text[0] === TEMPLATE ? template(text.slice(1).split(TEMPLATE)) : text));
}

/** A table of strings. @param {string} keys  by line @param {string} values  in the same order; behind a \u0001 as JSON */
export function tableOf(keys, values) {
    const lines = values.split('\n');
    return Object.fromEntries(
        keys.split('\n').map((key, i) => [key, lines[i][0] === '\u0001' ? JSON.parse(lines[i].slice(1)) : lines[i]]),
    );
}
