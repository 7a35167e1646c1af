// LZMA, the decoder: as the specification of 7-Zip's author has it (lzma-specification.txt, Igor Pavlov, public domain), for
// lc = 3, lp = 0, pb = 2, and a length that is known.

/** @param {Uint8Array} input  from the range coder's first byte on @param {number} size of what comes out */
export function unlzma(input, size) {
    const out = new Uint8Array(size);
    // isMatch 0, isRep 192, isRepG0 204, isRepG1 216, isRepG2 228, isRep0Long 240, posSlot 432, position 687, align 802,
    // length 818, repLength 1332, literal 1846
    const chances = new Uint16Array(1846 + 768 * 8).fill(1024);
    let at = 5;
    let range = 2 ** 32 - 1;
    let code = 0;
    for (let k = 1; k < 5; k++) code = code * 256 + input[k];
    const shift = () => {
        if (range < 2 ** 24) {
            range *= 256;
            code = code * 256 + (input[at++] | 0);
        }
    };
    const bit = (/** @type {number} */ i) => {
        const chance = chances[i];
        const bound = (range >>> 11) * chance;
        const one = code >= bound;
        if (one) {
            range -= bound;
            code -= bound;
            chances[i] -= chance >> 5;
        } else {
            range = bound;
            chances[i] += (2048 - chance) >> 5;
        }
        shift();
        return +one;
    };
    const tree = (/** @type {number} */ base, /** @type {number} */ bits) => {
        let m = 1;
        for (let k = 0; k < bits; k++) m = m * 2 + bit(base + m);
        return m - (1 << bits);
    };
    const reversed = (/** @type {number} */ base, /** @type {number} */ bits) => {
        let m = 1;
        let value = 0;
        for (let k = 0; k < bits; k++) {
            const one = bit(base + m);
            m = m * 2 + one;
            value += one << k;
        }
        return value;
    };
    const lengthAt = (/** @type {number} */ base, /** @type {number} */ position) => {
        if (!bit(base)) return tree(base + 2 + position * 8, 3);
        return bit(base + 1) ? 16 + tree(base + 258, 8) : 8 + tree(base + 130 + position * 8, 3);
    };
    let state = 0;
    let count = 0;
    let [rep0, rep1, rep2, rep3] = [1, 1, 1, 1];
    while (count < size) {
        const position = count & 3;
        if (!bit(state * 16 + position)) {
            const base = 1846 + 768 * ((out[count - 1] | 0) >> 5);
            let m = 1;
            if (state > 6) {
                // Behind a match the byte it would have gone on with tells much of this one.
                let beside = out[count - rep0];
                while (m < 256) {
                    const expected = (beside >> 7) & 1;
                    beside <<= 1;
                    const one = bit(base + m + 256 + 256 * expected);
                    m = m * 2 + one;
                    if (one !== expected) break;
                }
            }
            while (m < 256) m = m * 2 + bit(base + m);
            out[count++] = m;
            state = state < 4 ? 0 : state < 10 ? state - 3 : state - 6;
            continue;
        }
        let length;
        if (bit(192 + state)) {
            if (!bit(204 + state)) {
                if (!bit(240 + state * 16 + position)) {
                    state = state < 7 ? 9 : 11;
                    out[count] = out[count - rep0];
                    count++;
                    continue;
                }
            } else {
                let next = rep1;
                if (bit(216 + state)) {
                    next = rep2;
                    if (bit(228 + state)) {
                        next = rep3;
                        rep3 = rep2;
                    }
                    rep2 = rep1;
                }
                rep1 = rep0;
                rep0 = next;
            }
            length = lengthAt(1332, position);
            state = state < 7 ? 8 : 11;
        } else {
            [rep3, rep2, rep1] = [rep2, rep1, rep0];
            length = lengthAt(818, position);
            state = state < 7 ? 7 : 10;
            const slot = tree(432 + 64 * Math.min(length, 3), 6);
            rep0 = slot;
            if (slot > 3) {
                const bits = (slot >> 1) - 1;
                rep0 = (2 | (slot & 1)) << bits;
                if (slot < 14) rep0 += reversed(687 + rep0 - slot, bits);
                else {
                    for (let k = bits - 1; k > 3; k--) {
                        range = Math.floor(range / 2);
                        if (code >= range) {
                            code -= range;
                            rep0 += 1 << k;
                        }
                        shift();
                    }
                    rep0 += reversed(802, 4);
                }
            }
            rep0++;
        }
        for (length += 2; length > 0 && count < size; length--, count++) out[count] = out[count - rep0];
    }
    return out;
}
