// Pieces that a scene is put together from: text that is sure to fit, paths of many boxes, patterns.

/**
 * @typedef {import('./scene.js').Shape} Shape
 */

/** @param {number} value */
export const round = (value) => Math.round(value * 100) / 100;

/**
 * Width of a line in a typical sans-serif face, rather too wide than too narrow: nothing may be clipped.
 * @param {string} text @param {number} size
 */
export function textWidth(text, size) {
    let width = 0;
    for (const letter of text) {
        if (/[\s.,:;·'|!ijlI()[\]]/u.test(letter)) width += 0.36;
        else if (/[mwMWшщжюмыфШЩЖЮМФ%—]/u.test(letter)) width += 0.9;
        else if (/\p{Lu}/u.test(letter)) width += 0.72;
        else width += 0.63;
    }
    return width * size;
}

/** @param {number} x @param {number} y @param {string} text @param {string} name @param {number} size @param {string} [anchor] @returns {Shape} */
export function textShape(x, y, text, name, size, anchor = 'start') {
    /** @type {Shape} */
    const shape = { type: 'text', class: name, x: round(x), y: round(y), 'font-size': size, text };
    if (anchor !== 'start') shape['text-anchor'] = anchor;
    return shape;
}

const decoder = new TextDecoder();

/**
 * Text of a path of many boxes, written as bytes: tens of thousands of short strings would be garbage at each step of a
 * slider.
 */
export class BoxPath {
    #bytes = new Uint8Array(1024);
    #at = 0;

    get empty() {
        return this.#at === 0;
    }

    /** @param {string} letter @param {...number} values */
    #put(letter, ...values) {
        this.#bytes[this.#at++] = letter.charCodeAt(0);
        for (let k = 0; k < values.length; k++) {
            if (k > 0) this.#bytes[this.#at++] = 32;
            this.#number(values[k]);
        }
    }

    /** Two decimals at most. @param {number} value */
    #number(value) {
        let hundredths = Math.round(value * 100);
        if (hundredths < 0) {
            this.#bytes[this.#at++] = 45;
            hundredths = -hundredths;
        }
        const whole = Math.floor(hundredths / 100);
        let digits = 1;
        for (let power = 10; power <= whole; power *= 10) digits++;
        for (let rest = whole, k = digits - 1; k >= 0; k--) {
            this.#bytes[this.#at + k] = 48 + (rest % 10);
            rest = Math.floor(rest / 10);
        }
        this.#at += digits;
        const fraction = hundredths - whole * 100;
        if (fraction === 0) return;
        this.#bytes[this.#at++] = 46;
        this.#bytes[this.#at++] = 48 + Math.floor(fraction / 10);
        if (fraction % 10 > 0) this.#bytes[this.#at++] = 48 + (fraction % 10);
    }

    /** @param {number} x @param {number} y @param {number} w @param {number} h @param {number} [r] corner */
    box(x, y, w, h, r = 0) {
        if (this.#at + 512 > this.#bytes.length) {
            const larger = new Uint8Array(this.#bytes.length * 2);
            larger.set(this.#bytes);
            this.#bytes = larger;
        }
        const corner = w >= 3 * r && h >= 3 * r ? r : 0;
        const across = w - 2 * corner;
        const down = h - 2 * corner;
        this.#put('M', x + corner, y);
        this.#put('h', across);
        if (corner > 0) this.#put('a', corner, corner, 0, 0, 1, corner, corner);
        this.#put('v', down);
        if (corner > 0) this.#put('a', corner, corner, 0, 0, 1, -corner, corner);
        this.#put('h', -across);
        if (corner > 0) {
            this.#put('a', corner, corner, 0, 0, 1, -corner, -corner);
            this.#put('v', -down);
            this.#put('a', corner, corner, 0, 0, 1, corner, -corner);
        }
        this.#put('z');
        return this;
    }

    toString() {
        return decoder.decode(this.#bytes.subarray(0, this.#at));
    }
}

/** @param {number} x @param {number} y @param {number} w @param {number} h @param {number} [r] corner */
export const boxPath = (x, y, w, h, r) => new BoxPath().box(x, y, w, h, r).toString();

/** @param {string} id @param {number} size @param {string} d @param {string} name @returns {Shape} */
export function pattern(id, size, d, name) {
    return {
        type: 'pattern',
        id,
        width: size,
        height: size,
        patternUnits: 'userSpaceOnUse',
        shapes: [
            { type: 'rect', class: `${name}-ground`, width: size, height: size, fill: 'none' },
            { type: 'path', class: `${name}-line`, d, fill: 'none', stroke: 'currentColor' },
        ],
    };
}
