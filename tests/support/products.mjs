// The three products of a dense layer as the WebAssembly build makes them, against loops of JavaScript: prints, as JSON, the
// shapes tried and those that differ, for plain products and, where this Node and the build have it, for fused ones. A
// program of its own, since Node 20 has relaxed multiply-add behind a flag.
import { existsSync, readFileSync } from 'node:fs';

const built = (/** @type {string} */ name) => new URL(`../../build/wasm/${name}.wasm`, import.meta.url);
const { instance } = await WebAssembly.instantiate(readFileSync(built('kernels')), {
    env: { emscripten_notify_memory_growth() {} },
});
const core = /** @type {any} */ (instance.exports);
core._initialize?.();

const sizes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 16, 17, 31, 34];
const shapes = sizes.flatMap((rows) => sizes.flatMap((inputs) => sizes.map((outputs) => [rows, inputs, outputs])));
for (const large of [66, 67, 72, 130])
    shapes.push([large, 64, 64], [64, large, 24], [40, 33, large], [large, 257, large]);

let state = 1;
const draw = () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return state / 2 ** 31;
};
/** Whole numbers leave nothing to round, so that sums of any rounding are the same. */
const numbers = (/** @type {number} */ count, /** @type {boolean} */ whole) =>
    Float32Array.from({ length: count }, () => (whole ? Math.round(8 * draw()) : draw()));

/** c += a . b, rounded after each product and each sum; entry (i, p) of a at i * along + p * deep, (p, j) of b likewise. */
function loops(c, a, [aAlong, aDeep], b, [bAlong, bDeep], m, n, k) {
    for (let i = 0; i < m; i++)
        for (let j = 0; j < n; j++) {
            let sum = c[i * n + j];
            for (let p = 0; p < k; p++)
                sum = Math.fround(sum + Math.fround(a[i * aAlong + p * aDeep] * b[j * bAlong + p * bDeep]));
            c[i * n + j] = sum;
        }
    return c;
}

function differing(/** @type {number[]} */ products, /** @type {boolean} */ whole) {
    const room = core.pp_alloc(4 * (3 * (130 * 257 + 257 * 130 + 130 * 130)) + core.bench_matmul_bytes(257, 257) + 512);
    const wrong = [];
    for (const [rows, inputs, outputs] of shapes) {
        let at = room;
        const put = (values) => {
            const here = at;
            new Float32Array(core.memory.buffer, here, values.length).set(values);
            at += 4 * values.length;
            return here;
        };
        const x = numbers(rows * inputs, whole);
        const w = numbers(inputs * outputs, whole);
        const g = numbers(rows * outputs, whole);
        const before = numbers(inputs * outputs, whole);
        const [atX, atW, atG] = [put(x), put(w), put(g)];
        const scratch = at + 4 * 257 * 257;
        const product = (which, out, a, b) => {
            const here = put(out);
            core.bench_product(products[which], here, a, b, rows, inputs, outputs, scratch, 1);
            at = here;
            return new Float32Array(core.memory.buffer, here, out.length).slice();
        };
        const made = [
            product(0, numbers(rows * outputs, whole), atX, atW),
            product(1, numbers(rows * inputs, whole), atG, atW),
            product(2, before, atX, atG),
            product(3, numbers(inputs * outputs, whole), atX, atG),
        ];
        const zeros = (count) => new Float32Array(count);
        const want = [
            loops(zeros(rows * outputs), x, [inputs, 1], w, [1, outputs], rows, outputs, inputs),
            loops(zeros(rows * inputs), g, [outputs, 1], w, [outputs, 1], rows, inputs, outputs),
            loops(before.slice(), x, [1, inputs], g, [1, outputs], inputs, outputs, rows),
            loops(zeros(inputs * outputs), x, [1, inputs], g, [1, outputs], inputs, outputs, rows),
        ];
        for (const [i, name] of ['x.w', "g.w'", "dw + x'.g", "x'.g"].entries())
            if (want[i].some((value, k) => !Object.is(value, made[i][k])))
                wrong.push(`${name} ${rows} ${inputs} ${outputs}`);
    }
    core.pp_free(room);
    return wrong;
}

const plain = differing([0, 1, 2, 3].map(core.bench_own), false);
let fused;
const madd = built('core_madd');
if (existsSync(madd) && WebAssembly.validate(readFileSync(madd))) {
    const { instance } = await WebAssembly.instantiate(readFileSync(madd), { env: { memory: core.memory } });
    const names = ['forward', 'backward_input', 'backward_weight', 'begin_weight'];
    const first = core.__indirect_function_table.grow(names.length);
    for (const [i, name] of names.entries())
        core.__indirect_function_table.set(first + i, instance.exports[`pp_matmul_${name}`]);
    fused = differing(
        names.map((_, i) => first + i),
        true,
    );
}
console.log(JSON.stringify({ shapes: shapes.length, plain, fused }));
