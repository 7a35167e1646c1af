// Fused multiply-add for training: whether this machine has it, and its products in the table of the core.

/** Products of a layer that core.madd.wasm brings, in the order in which the core takes them. */
export const PRODUCTS = ['forward', 'backward_input', 'backward_weight', 'begin_weight'].map(
    (name) => `pp_matmul_${name}`,
);

/** @type {boolean | undefined} */
let fuses;

/**
 * Is there a relaxed multiply-add, and does it round once? Asked of a module of that one instruction on three numbers: rounded
 * in between, (1 + 2^-12)^2 - (1 + 2^-11) is 0.
 */
function roundsOnce() {
    try {
        // biome-ignore format: sections
        const bytes = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 8, 1, 96, 3, 125, 125, 125, 1, 125, 3, 2, 1, 0,
            7, 5, 1, 1, 102, 0, 0, 10, 22, 1, 20, 0, 32, 0, 253, 19, 32, 1, 253, 19, 32, 2, 253, 19, 253, 133, 2, 253, 31, 0, 11);
        if (!WebAssembly.validate(bytes)) return false;
        const { f } = /** @type {any} */ (new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports);
        return f(1 + 2 ** -12, 1 + 2 ** -12, -1 - 2 ** -11) === 2 ** -24;
    } catch {
        return false; // no WebAssembly, or a stand-in
    }
}

export function hasFused() {
    fuses ??= roundsOnce();
    return fuses;
}

/** @typedef {'plain' | 'fused'} Arithmetic */

/** @param {Arithmetic | undefined} arithmetic  as asked for */
export function checkArithmetic(arithmetic) {
    if (arithmetic !== undefined && arithmetic !== 'plain' && arithmetic !== 'fused')
        throw new TypeError(`pipeline-figure: arithmetic is "${arithmetic}"; it can be "plain" or "fused"`);
}

/** Puts fused products into a core's table of functions; where they stand there. @param {any} core @param {WebAssembly.Module} module */
export function fuse({ memory, __indirect_function_table: table }, module) {
    const { exports } = new WebAssembly.Instance(module, { env: { memory } });
    const first = table.grow(PRODUCTS.length);
    return PRODUCTS.map((name, i) => {
        table.set(first + i, exports[name]);
        return first + i;
    });
}
