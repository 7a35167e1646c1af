// The core and texts packed for a script (unmix.js says how), and written as base64, which a compressed transfer takes back.
// web/build/core-text.js unpacks. Only the build needs this file.
import { TEMPLATE, tableOf, unpack, unpackTexts } from './core-text.js';
import { ROOM, TEXT, TEXT_ROOM, unmix } from './unmix.js';
import { KINDS, REST, walk } from './wasm-streams.js';

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

/** @typedef {{ kind: number, place: number, byte: number }} Item */

/** @param {Uint8Array} module @returns {{ items: Item[], sizes: [number, number, number] }} */
function takeApart(module) {
    const [begin, end] = codeOf(module);
    /** @type {Item[]} */
    const items = [];
    const rest = (/** @type {number} */ from, /** @type {number} */ to) => {
        for (const byte of module.subarray(from, to)) items.push({ kind: REST, place: 0, byte });
    };
    rest(0, begin);
    let at = begin;
    walk(
        (kind, count, xor = 0) => {
            const { value, next } = count ? { value: module[at], next: at + count } : lebAt(module, at);
            for (let place = 0; at < next; at++, place++) items.push({ kind, place, byte: module[at] ^ xor });
            return value;
        },
        () => {
            at = lebAt(module, at).next; // its length follows from the rest
        },
        () => {},
    );
    if (at !== end) throw new Error('code of a kind that wasm-streams.js does not know');
    rest(end, module.length);
    return { items, sizes: [begin, module.length - end, module.length] };
}

/** Lengths of a prefix code, at most 15. @param {number[]} counts  by byte */
function lengthsOf(counts) {
    const least = counts.reduce((sum, count) => sum + count, 0) / 4000;
    const lengths = counts.map(() => 0);
    let groups = counts.flatMap((count, byte) => (count ? { count: Math.max(count, least), bytes: [byte] } : []));
    if (groups.length === 1) for (const bit of [0, 1]) lengths[groups[0].bytes[0] ^ bit] = 1; // a tree has two sides
    while (groups.length > 1) {
        const [a, b, ...others] = groups.sort((a, b) => a.count - b.count);
        const bytes = [...a.bytes, ...b.bytes];
        for (const byte of bytes) lengths[byte]++;
        groups = [...others, { count: a.count + b.count, bytes }];
    }
    if (lengths.some((length) => length > 15)) throw new Error('a prefix code that is too long');
    return lengths;
}

/** Decisions that lead to each byte. @param {Int16Array} tree */
function pathsOf(tree) {
    /** @type {number[][]} */
    const paths = [];
    const go = (/** @type {number} */ node, /** @type {number[]} */ path) => {
        if (node < 0) paths[~node] = path;
        else for (const bit of [0, 1]) go(tree[2 * node + bit], [...path, bit]);
    };
    if (tree.some((node) => node !== 0)) go(1, []);
    return paths;
}

/** @param {Item[]} items @returns {Uint8Array} what unmix reads */
export function packItems(items) {
    const counts = Array.from({ length: KINDS + 1 }, () => Array.from({ length: 256 }, () => 0));
    for (const { kind, byte } of items) counts[kind][byte]++;
    /** @type {number[]} */
    const out = [];
    let low = 0;
    let range = 2 ** 32 - 1;
    // The lengths of the codes come first, in four decisions each, sixteen behind a word whether there are any.
    const rows = counts
        .map(lengthsOf)
        .flatMap((lengths) => Array.from({ length: 16 }, (_, k) => lengths.slice(16 * k, 16 * k + 16)));
    const told = rows.flatMap((row) => (row.some(Boolean) ? [1, ...row] : [0]));
    let ahead = told.flatMap((value) => [8, 4, 2, 1].map((bit) => +((value & bit) > 0)));
    let at = 0;
    const put = () => {
        out.push(Math.floor(low / 2 ** 24));
        low = (low % 2 ** 24) * 256;
    };
    const decide = (/** @type {number} */ chance) => {
        const bit = ahead[at++];
        const bound = (range >>> 16) * chance;
        if (bit) range = bound;
        else {
            low += bound;
            range -= bound;
            if (low >= 2 ** 32) {
                low -= 2 ** 32;
                let k = out.length - 1;
                while (++out[k] === 256) out[k--] = 0;
            }
        }
        for (; range < 2 ** 24; range *= 256) put();
        return bit;
    };
    /** @type {Int16Array[]} */
    const trees = [];
    const { next } = unmix(new Uint8Array(0), undefined, decide, trees);
    const paths = trees.slice(1).map(pathsOf);
    for (const { kind, place, byte } of items) {
        ahead = paths[kind][byte];
        at = 0;
        next(kind, place);
    }
    for (let k = 0; k < 4; k++) put();
    if (out.length > ROOM) throw new Error('more packed bytes than unmix.js has room for');
    return Uint8Array.from(out);
}

/** @param {Uint8Array} module @returns {{ text: string, sizes: [number, number, number] }} arguments of unpack */
export function pack(module) {
    const { items, sizes } = takeApart(module);
    const text = Buffer.from(packItems(items)).toString('base64');
    if (!Buffer.from(unpack(text, sizes)).equals(Buffer.from(module))) {
        throw new Error('the packed core does not unpack to what it was');
    }
    return { text, sizes };
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
    if (bytes.length > TEXT_ROOM) throw new Error('more text than unmix.js has room for');
    const items = Array.from(bytes, (byte) => ({ kind: TEXT, place: 0, byte }));
    const packed = { text: Buffer.from(packItems(items)).toString('base64'), size: bytes.length, letters };
    const again = unpackTexts(packed.text, packed.size, letters).map((text) =>
        Array.isArray(text) ? TEMPLATE + text.join(TEMPLATE) : text,
    );
    if (again.join('\0') !== whole) throw new Error('packed texts do not unpack');
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
