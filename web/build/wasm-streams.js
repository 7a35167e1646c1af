// WebAssembly code, byte by byte, by what its bytes are (operators, locals, constants, offsets, …): what is alike is foretold by
// what is alike, which packs a fifth better than the code as it is.

/** Kinds of bytes. The first is the module around its code. */
export const [REST, HEAD, OP, MISC, LOCAL, INT, ALIGN, OFFSET, BRANCH, CALL, FLOAT] = Array(11).keys();
export const KINDS = 11;

/** Alignment that loads and stores (operators 40 to 62) have by nature: theirs is told by the difference. */
const natural = '23230011001122223230101';

/**
 * Walks over the content of a code section.
 * @param {(kind: number, count?: number, xor?: number) => number} take  moves bytes of a kind, an LEB128 number where no count
 *     is given, and gives the number
 * @param {() => void} begin  a function body begins, @param {() => void} end  and ends
 */
export function walk(take, begin, end) {
    const vector = () => {
        const op = take(OP);
        if (op < 12 || (op > 83 && op < 94)) {
            take(MISC);
            take(OFFSET);
            if (op > 83 && op < 92) take(MISC, 1);
        } else if (op < 14) take(FLOAT, 16);
        else if (op > 20 && op < 35) take(MISC, 1);
    };
    const bulk = () => {
        const op = take(OP);
        if (op > 7) take(MISC, op === 11 ? 1 : 2);
    };
    for (let bodies = take(HEAD); bodies > 0; bodies--) {
        begin();
        for (let groups = take(HEAD); groups > 0; groups--) {
            take(HEAD);
            take(HEAD, 1);
        }
        for (let depth = 0; depth >= 0; ) {
            const op = take(OP, 1);
            if (op === 11) depth--;
            else if (op > 1 && op < 5) {
                depth++;
                take(MISC);
            } else if (op === 12 || op === 13) take(BRANCH);
            else if (op === 14) for (let labels = take(BRANCH); labels >= 0; labels--) take(BRANCH);
            else if (op === 16) take(CALL);
            else if (op === 17) {
                take(CALL);
                take(CALL);
            } else if (op > 31 && op < 35) take(LOCAL);
            else if (op === 35 || op === 36 || op === 66) take(MISC);
            else if (op > 39 && op < 63) {
                take(ALIGN, 1, +natural[op - 40]);
                take(OFFSET);
            } else if (op === 63 || op === 64) take(MISC, 1);
            else if (op === 65) take(INT);
            else if (op === 67) take(FLOAT, 4);
            else if (op === 68) take(FLOAT, 8);
            else if (op === 252) bulk();
            else if (op === 253) vector();
        }
        end();
    }
}

/**
 * A whole module again.
 * @param {(kind: number, place: number) => number} next  the next byte; place: which of a number of several bytes
 * @param {number} before  bytes of the module before its code @param {number} after  and behind it @param {number} size  of all
 */
export function join(next, before, after, size) {
    // Room for the lengths of the bodies to grow into.
    const out = new Uint8Array(size + 9);
    let end = 0;
    let body = 0;
    const rest = (/** @type {number} */ count) => {
        while (count--) out[end++] = next(REST, 0);
    };
    rest(before);
    walk(
        (kind, count, xor = 0) => {
            let value = 0;
            for (let k = 0; k < (count ?? 10); k++) {
                const byte = next(kind, k) ^ xor;
                out[end++] = byte;
                value |= (count ? byte : byte & 127) << (7 * k);
                if (!count && byte < 128) break;
            }
            return value;
        },
        () => {
            body = end;
        },
        () => {
            const size = end - body;
            let length = 1;
            while (size >> (7 * length)) length++;
            out.copyWithin(body + length, body, end);
            for (let k = 0; k < length; k++) out[body++] = ((size >> (7 * k)) & 127) | (k + 1 < length ? 128 : 0);
            end += length;
        },
    );
    rest(after);
    return out.subarray(0, size);
}
