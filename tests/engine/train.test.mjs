// The toy network through engine.train and the command line. Gradients against differences are in tests/native.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadEngine, PipelineError } from '../../web/engine/index.js';

const engine = await loadEngine();
const cli = fileURLToPath(new URL('../../web/cli.js', import.meta.url));

/** @param {any} options @param {number} steps */
function train(options, steps) {
    const training = engine.train(options);
    try {
        const records = Array.from({ length: steps }, () => training.step());
        return {
            records,
            last: records[steps - 1],
            exact: training.sumsInOrder,
            parameters: training.parameters,
            training,
        };
    } finally {
        training.close();
    }
}

test('Iris through 1F1B, p = 3, m = 5, reaches 95 % from a fixed seed', () => {
    const { last, records } = train({ schedule: '1f1b', ranks: 3, microbatches: 5, data: 'iris', seed: 1 }, 200);
    assert.ok(last.accuracy >= 0.95, `${last.accuracy}`);
    assert.ok(last.loss < records[0].loss / 4);
    const { stdout } = spawnSync(process.execPath, [
        cli,
        ...'train -s 1f1b -p 3 -m 5 --data iris --steps 200'.split(' '),
    ]);
    assert.match(String(stdout), /to the last bit/);
});

test('TEN-17: 20 steps equal the unpipelined run, every schedule, p 1..4, m 1, 2, 4, 8', () => {
    let ran = 0;
    for (const { name, chunksMin, chunksMax } of engine.schedules.filter((schedule) => schedule.trains)) {
        for (const ranks of [1, 2, 3, 4]) {
            for (const microbatches of [1, 2, 4, 8]) {
                for (let chunks = chunksMin; chunks <= Math.min(chunksMax, 2); chunks++) {
                    let got;
                    try {
                        got = train({ schedule: name, ranks, microbatches, chunks, activation: 'relu' }, 20);
                    } catch (error) {
                        if (error instanceof PipelineError && error.code !== 'deadlock') continue;
                        throw error;
                    }
                    ran++;
                    const what = `${name} p=${ranks} m=${microbatches} v=${chunks}`;
                    for (const { loss, reference_loss, gradient_difference, weight_difference } of got.records) {
                        if (got.exact) assert.deepEqual([gradient_difference, weight_difference], [0, 0], what);
                        else assert.ok(gradient_difference < 1e-5 && weight_difference < 1e-5, what);
                        assert.ok(Math.abs(loss - reference_loss) < 1e-5, what);
                    }
                }
            }
        }
    }
    assert.ok(ran >= 60, `${ran} ran`);
});

test('on whole-number data the first step is exact in any order', () => {
    for (const order of ['ascending', 'descending']) {
        for (const microbatches of [1, 2, 4, 8]) {
            const { records } = train(
                {
                    schedule: 'gpipe',
                    'backward-order': order,
                    ranks: 4,
                    microbatches,
                    init: 'whole',
                    activation: 'relu',
                    loss: 'squared-error',
                    batch: 32,
                },
                1,
            );
            assert.equal(records[0].gradient_difference, 0);
            assert.ok(records[0].loss > 0);
        }
    }
});

test('TEN-12: every data set is learnt, the loss falls over 100 steps', () => {
    for (const data of ['circles', 'xor', 'iris']) {
        const { records, last } = train({ schedule: '1f1b', ranks: 3, microbatches: 4, data }, 100);
        const mean = (/** @type {any[]} */ list) => list.reduce((sum, { loss }) => sum + loss, 0) / list.length;
        assert.ok(mean(records.slice(-10)) < 0.8 * mean(records.slice(0, 10)), data);
        assert.ok(last.accuracy > 0.7, `${data}: ${last.accuracy}`);
    }
    const { last } = train({ schedule: 'gpipe', ranks: 4, microbatches: 8, data: 'spirals' }, 600);
    assert.ok(last.accuracy > 0.9, `spirals: ${last.accuracy}`);
});

test('TEN-01, TEN-03: uneven micro-batches weigh by their size; too small a batch is refused', () => {
    for (const [batch, microbatches] of [
        [8, 3],
        [7, 4],
        [33, 5],
    ]) {
        const { records } = train({ schedule: '1f1b', ranks: 2, microbatches, batch }, 5);
        for (const { gradient_difference } of records)
            assert.equal(gradient_difference, 0, `${batch} / ${microbatches}`);
    }
    assert.throws(
        () => engine.train({ schedule: '1f1b', ranks: 2, microbatches: 8, batch: 3 }),
        (/** @type {any} */ error) => error.code === 'batch' && error.fixes.some((fix) => fix.option === 'batch'),
    );
    assert.throws(() => engine.train({ schedule: 'forward' }), { code: 'no-backward' });
    assert.throws(() => engine.train({ schedule: '1f1b', ranks: 5, depth: 3 }), { code: 'layers' });
    assert.throws(() => engine.train({ schedule: '1f1b', speed: 3 }), { code: 'option-unknown' });
});

test('one action at a time is the same run, and activations peak where the simulation says', () => {
    const options = { schedule: 'interleaved', ranks: 2, chunks: 2, microbatches: 4 };
    const whole = train(options, 3);
    const training = engine.train(options);
    try {
        for (let step = 0; step < 3; step++) {
            const seen = new Set();
            let last = -1;
            for (;;) {
                const { action, done } = training.next();
                if (done) break;
                seen.add(action);
                const start = training.simulation.actions.start[action];
                assert.ok(start >= last, 'in the order of simulated time');
                last = start;
            }
            assert.equal(seen.size, training.simulation.actions.count);
            assert.deepEqual(training.step(), whole.records[step]);
        }
        assert.deepEqual(training.parameters, whole.parameters);
        assert.deepEqual(
            training.peaks,
            training.simulation.perRank.map((rank) => rank.peak_activations),
        );
        const out = training.predict(Float32Array.of(0, 0, 1, 1));
        assert.equal(out.length, 4);
        for (const row of [0, 2]) assert.ok(Math.abs(out[row] + out[row + 1] - 1) < 1e-6, 'probabilities');
    } finally {
        training.close();
        training.close();
    }
});

test('runs give their memory back', () => {
    const before = engine.core.memory.buffer.byteLength;
    for (let i = 0; i < 300; i++) train({ schedule: 'gpipe', ranks: 4, microbatches: 8 }, 1);
    for (let i = 0; i < 300; i++) assert.throws(() => engine.train({ schedule: 'gpipe', ranks: 4, depth: 2 }));
    assert.ok(engine.core.memory.buffer.byteLength <= before + 4 * 65536);
});

test('training.state: what is no state of this training is refused, and the training goes on as before', async () => {
    const engine = await loadEngine();
    const training = engine.train({ schedule: '1f1b', ranks: '2', microbatches: '4' });
    training.step();
    const { step, stages } = training.state;
    const [first, second] = stages;
    for (const wrong of /** @type {any[]} */ ([
        null,
        {},
        { step },
        { step, stages: [] },
        { step, stages: [first] },
        { step, stages: [...stages, first] },
        { step, stages: [first.slice(1), second] },
        { step, stages: [first, [...second]] },
        { step, stages: { length: 2, 0: first, 1: second } },
        { step: -1, stages },
        { step: 0.5, stages },
        { step: 'x', stages },
        { step: 2 ** 31, stages },
    ]))
        assert.throws(
            () => {
                training.state = wrong;
            },
            { name: 'TypeError', message: /^training\.state: / },
            JSON.stringify(wrong)?.slice(0, 80),
        );
    assert.deepEqual(training.state, { step, stages });
    training.state = { step, stages };
    assert.deepEqual(training.state, { step, stages });
    training.close();
});
