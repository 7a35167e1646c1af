// Options as the text that the core parses: one "name=value" a line.

/** @typedef {import('./types.js').Options} Options */
/** @typedef {import('./types.js').OptionValue} OptionValue */

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** @param {Options} options @returns {[string, OptionValue][]} */
export const pairsOf = (options) => (Array.isArray(options) ? options : Object.entries(options));

/** @param {Options} options */
export function requestText(options) {
    const lines = [];
    for (const [name, value] of pairsOf(options)) {
        if (value === null || value === undefined || value === '') continue;
        const text = typeof value === 'object' ? Array.from(value).join(' ') : String(value);
        lines.push(`${name}=${text.replace(/\s+/g, ' ')}`);
    }
    return encoder.encode(lines.join('\n'));
}

/** Does a request change the order? @param {Uint8Array} request */
export const hasMoves = (request) => /^\s*moves\s*=\s*\S/im.test(decoder.decode(request));
