// The core as JavaScript says what the core in WebAssembly says, to the last bit.
import assert from 'node:assert/strict';
import { register } from 'node:module';
import { test } from 'node:test';
import { Engine, loadEngine, PipelineError } from '../../web/engine/index.js';

// What it imports from 'env' is web/build/nowasm-env.js, in the bundle and here.
const env = new URL('../../web/build/nowasm-env.js', import.meta.url).href;
const resolve = `export const resolve = (name, context, next) =>
    name === 'env' ? { url: ${JSON.stringify(env)}, shortCircuit: true } : next(name, context);`;
register(`data:text/javascript,${encodeURIComponent(resolve)}`);
const plain = new Engine(/** @type {any} */ ({ exports: await import('../../build/wasm/core.mjs') }));
const engine = await loadEngine();

/** @param {Engine} core @param {Record<string, any>} options */
function answer(core, options) {
    try {
        return core.simulate(options);
    } catch (error) {
        if (!(error instanceof PipelineError)) throw error;
        return { code: error.code, message: error.message, fixes: error.fixes };
    }
}

test('every schedule: equal answers and equal refusals', () => {
    let simulated = 0;
    for (const { name } of engine.schedules) {
        for (const [ranks, microbatches] of [
            [1, 1],
            [3, 4],
            [4, 8],
            [8, 24],
        ]) {
            for (const costs of [{}, { forward: 1.3, backward: '2,7', latency: 0.1, transfer: 'rendezvous' }]) {
                const options = { schedule: name, ranks, microbatches, ...costs };
                const expected = answer(engine, options);
                assert.deepEqual(answer(plain, options), expected, JSON.stringify(options));
                if ('actions' in expected) simulated++;
            }
        }
    }
    assert.ok(simulated > 50, `${simulated} simulations`);
});

test('memory grows', () => {
    const options = { schedule: '1f1b', ranks: 32, microbatches: 512 };
    assert.deepEqual(answer(plain, options), answer(engine, options));
});

test('training: equal losses and weights after twenty steps', () => {
    for (const options of [
        { schedule: '1f1b', ranks: 2, microbatches: 4, data: 'spirals' },
        { schedule: 'zb-h1', ranks: 3, microbatches: 6, data: 'iris' },
    ]) {
        const [a, b] = [plain, engine].map((core) => {
            const run = core.train(options);
            const steps = Array.from({ length: 20 }, () => run.step());
            const parameters = run.parameters.slice();
            run.close();
            return { steps, parameters };
        });
        assert.deepEqual(a, b);
        assert.ok(Number.isFinite(b.steps[19].loss));
    }
});

test('engines over the one module do not disturb each other', async () => {
    const other = new Engine(/** @type {any} */ ({ exports: plain.core }));
    const options = { schedule: '1f1b', ranks: 2, microbatches: 4 };
    const alone = engine.train(options);
    const [first, second] = [plain, other].map((core) => core.train(options));
    for (let n = 0; n < 3; n++) {
        const expected = alone.step();
        assert.deepEqual([first.step(), second.step()], [expected, expected]);
    }
    for (const training of [alone, first, second]) training.close();
});
