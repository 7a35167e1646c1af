// Products with relaxed multiply-add: a module without data or stack, chosen by a probe, with sums that differ in their last
// bits at most. Node 20 has the instruction behind a flag, so another Node is started for it.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { loadEngine } from '../web/engine.js';

const file = new URL('../dist/core.madd.wasm', import.meta.url);
const skip = existsSync(file) ? false : 'NO COMPILER WITH RELAXED MULTIPLY-ADD: clang 16 or newer and its wasm-ld';
const flag = '--experimental-wasm-relaxed-simd';
const major = Number(process.versions.node.split('.')[0]);

/** What a program prints as JSON, in this folder. */
const run = (/** @type {string} */ program, /** @type {string[]} */ ...flags) =>
    JSON.parse(
        execFileSync(process.execPath, [...flags, '--input-type=module', '-e', program], {
            cwd: new URL('.', import.meta.url),
            encoding: 'utf8',
        }),
    );

const training = `
    import { readFileSync } from 'node:fs';
    import { loadEngine } from '../web/engine.js';
    const madd = readFileSync('../dist/core.madd.wasm');
    const all = [];
    for (const options of [undefined, { madd }]) {
        const engine = await loadEngine(undefined, options);
        const run = engine.train({ schedule: '1f1b', ranks: 2, microbatches: 4, data: 'spirals', width: 19, batch: 37 });
        const steps = Array.from({ length: 20 }, () => run.step());
        all.push({ used: engine.products !== undefined, steps, parameters: [...run.parameters] });
    }
    console.log(JSON.stringify(all));`;

test('where there is none, nothing changes', { skip: skip || (major > 20 && 'this Node always has it') }, () => {
    const [exact, other] = run(training);
    assert.equal(other.used, false);
    assert.deepEqual(other, exact);
});

test('trains like the exact products, to the last bits', { skip }, () => {
    const [exact, fused] = run(training, ...(major > 20 ? [] : [flag]));
    assert.deepEqual([exact.used, fused.used], [false, true]);
    for (const [i, { loss, reference_loss: reference, gradient_difference: difference }] of fused.steps.entries()) {
        assert.ok(Math.abs(loss - exact.steps[i].loss) < 1e-5, `step ${i}: ${loss}, ${exact.steps[i].loss}`);
        assert.equal(loss, reference);
        assert.equal(difference, 0); // both sides of the comparison take the same products
    }
    assert.ok(fused.parameters.every((w, i) => Math.abs(w - exact.parameters[i]) < 1e-4));
});

test('a module without data or stack, whose one import is memory', { skip }, () => {
    const [ids, imports, exports] = run(
        `import { readFileSync } from 'node:fs';
        const bytes = readFileSync('../dist/core.madd.wasm');
        const ids = [];
        for (let at = 8; at < bytes.length; ) {
            ids.push(bytes[at++]);
            let size = 0, shift = 0, byte;
            do size |= ((byte = bytes[at++]) & 127) << shift, shift += 7; while (byte > 127);
            at += size;
        }
        const module = new WebAssembly.Module(bytes);
        console.log(JSON.stringify([ids, WebAssembly.Module.imports(module), WebAssembly.Module.exports(module)]));`,
        ...(major > 20 ? [] : [flag]),
    );
    const [code, data] = [10, 11]; // numbers of sections
    assert.ok(ids.includes(code) && !ids.includes(data), `sections ${ids}`);
    assert.deepEqual(imports, [{ module: 'env', name: 'memory', kind: 'memory' }]);
    assert.deepEqual(exports.map((/** @type {{ name: string }} */ { name }) => name).sort(), [
        'pp_matmul_backward_input',
        'pp_matmul_backward_weight',
        'pp_matmul_begin_weight',
        'pp_matmul_forward',
    ]);
    // global.set 0, which is how a function takes room on its stack
    assert.ok(!readFileSync(file).includes(Buffer.from([0x24, 0x00])));
});

test('a core keeps exact products unless told otherwise', async () => {
    assert.equal((await loadEngine()).products, undefined);
});
