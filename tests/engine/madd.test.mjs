// Products with relaxed multiply-add: a module without data or stack, chosen by a probe, with the sums of fmaf. Node 20 has the instruction behind a flag, so another Node is started for it.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadEngine } from '../../web/engine/index.js';
import { withoutMadd } from '../support/optional.mjs';

const file = new URL('../../dist/core.madd.wasm', import.meta.url);
const skip = withoutMadd;
const flag = '--experimental-wasm-relaxed-simd';
const major = Number(process.versions.node.split('.')[0]);

/** What a program prints as JSON. From a file: a program of the command line would hand its type down to its threads. */
function run(/** @type {string} */ program, /** @type {string[]} */ ...flags) {
    const folder = mkdtempSync(join(tmpdir(), 'pipeline-figure-'));
    const path = join(folder, 'program.mjs');
    try {
        writeFileSync(path, program.replaceAll("'../../", `'${new URL('../..', import.meta.url)}`));
        return JSON.parse(execFileSync(process.execPath, [...flags, path], { encoding: 'utf8' }));
    } finally {
        rmSync(folder, { recursive: true });
    }
}

const flags = major > 20 ? [] : [flag];
const dump = fileURLToPath(new URL('../../build/native/pp_dump', import.meta.url));

/** Trains by each of the options of loadEngine. */
const training = (/** @type {string} */ ...options) => `
    import { loadEngine } from '../../web/engine/index.js';
    const all = [];
    for (const options of [${options}]) {
        const engine = await loadEngine(undefined, options);
        const run = engine.train({ schedule: '1f1b', ranks: 2, microbatches: 4, data: 'spirals', width: 19, batch: 37 });
        const steps = Array.from({ length: 20 }, () => run.step());
        all.push({ arithmetic: engine.arithmetic, steps, parameters: [...run.parameters] });
    }
    console.log(JSON.stringify(all));`;

test('where there is no such instruction, numbers are plain and nothing changes', {
    skip: major > 20 && 'this Node has it',
}, () => {
    const [usual, plain] = run(training('undefined', '{ arithmetic: "plain" }'));
    assert.equal(usual.arithmetic, 'plain');
    assert.deepEqual(usual, plain);
});

test('a probe chooses fused products by itself, and plain ones can be asked for', { skip }, () => {
    const [usual, plain] = run(training('undefined', '{ arithmetic: "plain" }'), ...flags);
    assert.deepEqual([usual.arithmetic, plain.arithmetic], ['fused', 'plain']);
    for (const [i, { loss, reference_loss: reference, gradient_difference: difference }] of usual.steps.entries()) {
        assert.ok(Math.abs(loss - plain.steps[i].loss) < 1e-5, `step ${i}: ${loss}, ${plain.steps[i].loss}`);
        assert.equal(loss, reference);
        assert.equal(difference, 0); // both sides of the comparison take the same products
    }
    assert.ok(usual.parameters.every((w, i) => Math.abs(w - plain.parameters[i]) < 1e-4));
    assert.notDeepEqual(usual.parameters, plain.parameters);
    if (major <= 20) assert.deepEqual(run(training('{ arithmetic: "plain" }'))[0], plain); // the same without the flag
});

test('fused products are those of a native build with fmaf, bit for bit', { skip }, () => {
    const requests = ['tanh', 'relu', 'identity'].flatMap((activation) =>
        [5, 16, 33].flatMap((width) => [
            `schedule=1f1b\nranks=2\nmicrobatches=4\nactivation=${activation}\nwidth=${width}\nbatch=37\nsteps=20\nseed=7`,
            `schedule=zb-h1\nranks=3\nmicrobatches=6\nloss=squared-error\nactivation=${activation}\nwidth=${width}\nsteps=20`,
        ]),
    );
    const native = (/** @type {string} */ mode) => {
        const got = spawnSync(dump, [mode], { input: requests.join('\n\n'), encoding: 'utf8' });
        assert.equal(got.status, 0, `${dump}: ${got.error ?? got.stderr}`);
        return got.stdout
            .trim()
            .split('\n')
            .map((line) => line.split(' ')[1]); // of the weights
    };
    const wasm = run(
        `import { loadEngine } from '../../web/engine/index.js';
        const engine = await loadEngine();
        const hash = (bytes) => bytes.reduce((hash, byte) => BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n),
            0xcbf29ce484222325n).toString(16).padStart(16, '0');
        console.log(JSON.stringify(${JSON.stringify(requests)}.map((request) => {
            const training = engine.train(request.split('\\n').map((line) => line.split('=')));
            for (let step = 0; step < training.settings.steps; step++) training.step();
            const weights = hash(new Uint8Array(Float32Array.from(training.parameters).buffer));
            training.close();
            return weights;
        })));`,
        ...flags,
    );
    assert.deepEqual(wasm, native('fused'));
    assert.notDeepEqual(wasm, native('train'));
});

test('workers round as the page does: their weights are those of one thread', { skip }, () => {
    const [fused, plain] = run(
        `import { loadEngine } from '../../web/engine/index.js';
        import { WorkerRun } from '../../web/engine/workers.js';
        import { threadWorker } from '../../web/engine/workers-node.js';
        const all = [];
        for (const arithmetic of ['fused', 'plain']) {
            const engine = await loadEngine(undefined, { arithmetic });
            const training = engine.train({ schedule: '1f1b', ranks: 2, microbatches: 4, width: 19, batch: 37 });
            const run = await new WorkerRun(training, threadWorker).start();
            await run.advance(10);
            const { stages } = run.state;
            run.close();
            for (let step = 0; step < 10; step++) training.step();
            const [threads, one] = [stages, training.state.stages].map((all) => all.map((stage) => [...stage]));
            all.push([engine.arithmetic, threads, one]);
        }
        console.log(JSON.stringify(all));`,
        ...flags,
    );
    assert.deepEqual([fused[0], plain[0]], ['fused', 'plain']);
    assert.deepEqual(fused[1], fused[2]);
    assert.deepEqual(plain[1], plain[2]);
    assert.notDeepEqual(fused[1], plain[1]);
});

test('an instruction that rounds twice, a file that is missing, a browser without: plain', { skip }, () => {
    // Whether a machine fuses is asked once a process, so each has one of its own.
    const arithmetic = (/** @type {string} */ before, options = '') =>
        run(
            `import { loadEngine } from '../../web/engine/index.js';
            const { Instance } = WebAssembly;
            ${before}
            console.log(JSON.stringify((await loadEngine(undefined, { ${options} })).arithmetic));`,
            ...flags,
        );
    assert.equal(arithmetic(''), 'fused');
    const twice = `WebAssembly.Instance = function (module, imports) {
        return imports ? new Instance(module, imports) : { exports: { f: () => 0 } };
    };`;
    assert.equal(arithmetic(twice), 'plain');
    assert.equal(arithmetic('', "madd: new URL('file:///none/core.madd.wasm')"), 'plain');
    assert.equal(arithmetic('WebAssembly.validate = () => false;'), 'plain');
});

test('a module without data or stack, whose one import is memory', { skip }, () => {
    const [ids, imports, exports] = run(
        `import { readFileSync } from 'node:fs';
        const bytes = readFileSync(new URL('../../dist/core.madd.wasm'));
        const ids = [];
        for (let at = 8; at < bytes.length; ) {
            ids.push(bytes[at++]);
            let size = 0, shift = 0, byte;
            do size |= ((byte = bytes[at++]) & 127) << shift, shift += 7; while (byte > 127);
            at += size;
        }
        const module = new WebAssembly.Module(bytes);
        console.log(JSON.stringify([ids, WebAssembly.Module.imports(module), WebAssembly.Module.exports(module)]));`,
        ...flags,
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

test('another arithmetic is refused', async () => {
    await assert.rejects(
        loadEngine(undefined, { arithmetic: /** @type {any} */ ('exact') }),
        /arithmetic is "exact"; it can be "plain" or "fused"/,
    );
});
