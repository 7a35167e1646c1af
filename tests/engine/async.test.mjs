// Issue 4, "asynchronous ones with weight versions", through engine.train, the command line, the figure's texts and ranks in
// threads. Every shape, and the papers' formulas, are in tests/native/run/test_async.c.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadEngine } from '../../web/engine/index.js';
import { TrainingLoop } from '../../web/engine/training-loop.js';
import { measuredOf, middleStep, predict, WorkerRun } from '../../web/engine/workers.js';
import { threadWorker } from '../../web/engine/workers-node.js';
import { headline, partsText } from '../../web/scene/format.js';
import { twinOf } from '../../web/write/python-twin.js';

const engine = await loadEngine();
const cli = fileURLToPath(new URL('../../web/cli.js', import.meta.url));
/** @param {any} a @param {any} b @param {string} what */
function sameState(a, b, what) {
    assert.equal(a.step, b.step, what);
    for (const [stage, bytes] of b.stages.entries())
        assert.equal(Buffer.compare(a.stages[stage], bytes), 0, `${what}, stage ${stage}`);
}
/** @param {string} line */
const run = (line) => spawnSync(process.execPath, [cli, ...line.split(' ')], { encoding: 'utf8' });
const plain = (/** @type {string} */ text) => text.replace(/\s/g, ' ');

const settings = [
    { schedule: 'pipedream', ranks: 4, microbatches: 8, versions: [4, 3, 2, 1], late: [3, 2, 1, 0] },
    { schedule: 'pipedream', ranks: 4, microbatches: 2, versions: [2, 2, 2, 1], late: [1, 1, 1, 0] },
    { schedule: '2bw', ranks: 3, microbatches: 6, versions: [2, 2, 2], late: [1, 1, 1] },
    { schedule: '2bw', ranks: 2, microbatches: 6, group: 4, versions: [2, 2], late: [1, 1] },
];

test('twenty steps: weights are those with the same delays to the last bit, and not those without; versions as simulated', () => {
    for (const { versions, late, ...options } of settings) {
        const training = engine.train({ ...options, batch: 24 });
        const what = JSON.stringify(options);
        try {
            for (let step = 0; step < 20; step++) {
                const { loss, reference_loss, weight_difference, gradient_difference } = training.step();
                assert.deepEqual([loss, weight_difference, gradient_difference], [reference_loss, 0, 0], what);
                const { measured, simulated } = training.activationBytes;
                assert.deepEqual(measured, simulated, what);
            }
            const { simulation, stream } = training;
            assert.ok(stream && simulation.stream && stream.synchronous_difference > 1e-6, what);
            assert.deepEqual(stream.versions, versions, what);
            assert.deepEqual(
                simulation.perRank.map((rank) => rank.weight_versions),
                versions,
                what,
            );
            assert.deepEqual([stream.late, simulation.stream.late], [late, late], what);
        } finally {
            training.close();
        }
    }
    const training = engine.train({ schedule: '1f1b', ranks: 4, microbatches: 8 });
    assert.equal(training.stream, null);
    assert.equal(training.simulation.stream, undefined);
    training.close();
});

test('momentum and Adam follow the updates of their stage; what needs all stages at once is refused', () => {
    for (const schedule of ['pipedream', '2bw']) {
        const options = { schedule, ranks: 2, microbatches: 4 };
        for (const update of ['momentum', 'adam']) {
            const training = engine.train({ ...options, update });
            for (let step = 0; step < 10; step++) assert.equal(training.step().weight_difference, 0, update);
            training.close();
        }
        for (const [option, value, fix] of [
            ['norm', 'batch', 'layer'],
            ['clip', '1', '0'],
            ['loss-scale', '8', '1'],
            ['mean', 'microbatches', 'samples'],
            ['moves', '0F2-1', ''],
        ])
            assert.throws(
                () => engine.train({ ...options, [option]: value }),
                (/** @type {any} */ { code, fixes }) =>
                    code === 'async-option' && fixes[0].option === option && fixes[0].value === fix,
                option,
            );
    }
});

test('one action at a time is the same run, and a step ends when its last backward has', () => {
    const options = { schedule: 'pipedream', ranks: 3, microbatches: 4 };
    const [whole, slow] = [engine.train(options), engine.train(options)];
    const ops = { F: 0, B: 0 };
    /** @type {any[]} */ const records = [];
    const loop = new TrainingLoop(slow, (news) => {
        if (news.action >= 0) ops[slow.simulation.actions.op[news.action] === 0 ? 'F' : 'B']++;
        records.push(...news.records);
    });
    for (let step = 0; step < 5; step++) {
        const { loss, reference_loss } = whole.step();
        while (records.length === step) loop.advance();
        assert.deepEqual([records[step].loss, records[step].weight_difference], [loss, 0]);
        assert.equal(loss, reference_loss);
    }
    assert.deepEqual(slow.parameters, whole.parameters);
    // A step's list is as long as before; forwards ahead of the first steps are behind the last one's.
    assert.ok(ops.F >= 20 && ops.B <= 60, JSON.stringify(ops));
    whole.close();
    slow.close();
});

test('ranks in threads: weights, losses and live bytes are those of one instance, bit for bit', async () => {
    for (const { versions, late, ...options } of settings) {
        const training = engine.train({ ...options, batch: 26 });
        const workers = await new WorkerRun(training, threadWorker).start();
        try {
            const records = [...(await workers.advance(3)), ...(await workers.advance(4))];
            for (const { step, loss, skipped } of records) {
                const own = training.step();
                assert.deepEqual([step, loss, skipped], [own.step, own.loss, false]);
                assert.equal(own.weight_difference, 0);
            }
            sameState(workers.state, training.state, JSON.stringify(options));
            assert.deepEqual(records[6].bytes, training.activationBytes.measured);
            // Of every action of a step there is a time, also of those that were done before it began.
            for (const { start, finish } of records)
                for (const [i, at] of start.entries()) assert.ok(at > 0 && finish[i] >= at);
        } finally {
            workers.close();
            training.close();
        }
    }
});

for (const options of [
    { schedule: 'pipedream', ranks: 2, microbatches: 3, update: 'momentum' },
    { schedule: 'pipedream', ranks: 3, microbatches: 4, update: 'adam', batch: 14 },
    { schedule: 'pipedream', ranks: 3, microbatches: 2 },
    { schedule: 'pipedream', ranks: 3, microbatches: 4, norm: 'layer', activation: 'gelu', dropout: 0.1, batch: 14 },
    { schedule: '2bw', ranks: 2, microbatches: 4, norm: 'layer', recompute: 'late-except-last' },
    { schedule: '2bw', ranks: 2, microbatches: 2, group: 5, update: 'adam' },
    { schedule: '2bw', ranks: 3, microbatches: 4, group: 3, update: 'momentum', recompute: 'late' },
])
    test(`a worker ended at each action of a step in turn, ${JSON.stringify(options)}: the stream goes on to equal weights`, async () => {
        const undisturbed = engine.train(options);
        const losses = Array.from({ length: 6 }, () => undisturbed.step().loss);
        const { count, rank } = undisturbed.simulation.actions;
        try {
            for (let action = 0; action < count; action++) {
                const training = engine.train(options);
                const workers = await new WorkerRun(training, threadWorker).start();
                try {
                    const records = await workers.advance(6, { every: 2, kill: { step: 3, action } });
                    sameState(workers.state, undisturbed.state, `action ${action}`);
                    const [{ from }] = workers.losses;
                    assert.ok(from === 2 || from === 0, `from ${from}`);
                    assert.deepEqual(workers.losses, [{ rank: rank[action], action, step: 3, from }]);
                    assert.deepEqual(
                        records.map(({ loss }) => loss),
                        losses,
                    );
                    // Also of what had been done before the checkpoint.
                    for (const { start, finish } of records)
                        for (const [i, at] of start.entries()) assert.ok(at > 0 && finish[i] >= at, `action ${i}`);
                } finally {
                    workers.close();
                    training.close();
                }
            }
        } finally {
            undisturbed.close();
        }
    });

test('in threads a step of a stream is told to be skipped where one thread tells it, whichever rank left the numbers', async () => {
    const options = { schedule: 'pipedream', ranks: 3, microbatches: 4, activation: 'identity', loss: 'squared-error' };
    const training = engine.train({ ...options, rate: 1000 });
    const workers = await new WorkerRun(training, threadWorker).start();
    try {
        let before = 0;
        const told = [];
        for (const { loss, skipped } of await workers.advance(12, { every: 5, kill: { step: 7, action: 4 } })) {
            const own = training.step();
            assert.deepEqual([loss, skipped], [own.loss, own.skipped > before]);
            before = own.skipped;
            told.push(skipped);
        }
        sameState(workers.state, training.state, 'diverged');
        assert.ok(told.includes(true));
    } finally {
        workers.close();
        training.close();
    }
});

test('a stream is handed from one thread to workers and back while micro-batches are under way', async () => {
    for (const { versions, late, ...options } of settings) {
        const [training, alone] = [engine.train(options), engine.train(options)];
        for (let step = 0; step < 3; step++) training.step();
        const workers = await new WorkerRun(training, threadWorker).start();
        try {
            await workers.advance(4, { kill: { step: 5, action: 2 } });
            training.state = workers.state;
            for (let step = 0; step < 4; step++) training.step(); // the unpipelined network makes the steps, too
            const { weight_difference, loss, reference_loss } = training.step();
            assert.deepEqual([weight_difference, loss], [0, reference_loss]);
            for (let step = 0; step < 8; step++) alone.run();
            sameState(training.state, alone.state, JSON.stringify(options));
            assert.deepEqual([training.stream?.versions, training.stream?.late], [versions, late]);
        } finally {
            workers.close();
            training.close();
            alone.close();
        }
    }
});

test('saving and resuming a stream takes no memory that stays', () => {
    const training = engine.train({ schedule: 'pipedream', ranks: 3, microbatches: 4, update: 'adam' });
    let saved = training.state;
    const go = (/** @type {number} */ rounds) => {
        for (let round = 0; round < rounds; round++) {
            for (let step = 0; step < 3; step++) training.run();
            if (round % 2) training.state = saved;
            saved = training.state;
        }
    };
    go(10);
    const bytes = engine.core.memory.buffer.byteLength;
    go(2000);
    assert.equal(engine.core.memory.buffer.byteLength, bytes);
    training.close();
});

test('without a flush the model predicts a step between others: where no hop takes time, no bubble', () => {
    const request = Object.entries({ schedule: 'pipedream', ranks: 3, microbatches: 6 });
    const { pace, speedup, makespan, list, start, finish } = predict(engine, request, { forward: [1], backward: [2] });
    assert.deepEqual([pace, speedup, list], [18, 3, 24]);
    assert.ok(makespan >= list && Math.min(...start) === 0 && Math.max(...finish) === makespan);
    assert.ok(start.every((at, i) => finish[i] - at === 1 || finish[i] - at === 2));
    // With a flush it is the list itself; with fewer micro-batches than ranks steps are not alike.
    assert.equal(
        predict(
            engine,
            [
                ['schedule', '1f1b'],
                ['m', '6'],
                ['ranks', '3'],
            ],
            { forward: [1] },
        ).pace,
        24,
    );
    const few = [
        ['schedule', 'pipedream'],
        ['m', '2'],
        ['ranks', '3'],
    ];
    assert.ok(Number.isNaN(predict(engine, /** @type {any} */ (few), {}).speedup));
});

test('a hop of a stream is what a rank waited for, not what it did of other steps meanwhile', () => {
    const [ranks, m] = [3, 4];
    const costs = { forward: [1, 4, 1], backward: [2, 6, 2], latency: [0.25, 0.25, 0] }; // of the hop behind each stage
    const own = { schedule: 'pipedream', ranks, microbatches: m };
    const { actions } = engine.simulate(own);
    const { actions: long } = engine.simulate({ ...own, microbatches: 3 * m, ...costs });
    const group = [0, 1, 2].map((step) => {
        const times = { start: new Float64Array(actions.count), finish: new Float64Array(actions.count) };
        for (let i = 0; i < actions.count; i++) {
            const at = long.microbatch.findIndex(
                (k, j) =>
                    k === step * m + actions.microbatch[i] &&
                    long.rank[j] === actions.rank[i] &&
                    long.op[j] === actions.op[i],
            );
            times.start[i] = 7 + long.start[at];
            times.finish[i] = 7 + long.finish[at];
        }
        return times;
    });
    const pairs = Object.entries(own);
    const measured = measuredOf(engine, pairs, group);
    for (const [name, list] of Object.entries(costs)) assert.deepEqual([...measured.costs[name]], list, name);
    const alone = measuredOf(engine, pairs, [group[1]]);
    assert.ok(Math.max(...alone.costs.latency) > 0.25);
    assert.deepEqual(measured.step, alone.step);
    // The model with these costs says again what was measured.
    const { start } = predict(engine, pairs, measured.costs);
    const begun = Math.min(...group[1].start);
    assert.deepEqual(
        [...start],
        [...group[1].start].map((at) => at - begun),
    );
    // The step in the middle by time: of a stream one that has neighbours, and not one behind the first step.
    const step = (/** @type {number} */ at, long = 1) => ({ at, start: [at], finish: [at + long] });
    const steps = [step(0), step(1), step(2), step(3), step(4, 5), step(5), step(6)];
    assert.deepEqual(
        middleStep([steps], {}).map(({ at }) => at),
        [4, 5, 6],
    );
    assert.deepEqual(
        middleStep([steps.slice(0, 3)], {}).map(({ at }) => at),
        [1],
    );
    assert.deepEqual(middleStep([[{ start: [], finish: [] }]], null), []);
});

test('TEN-14: the command line says that there is no flush, which versions there are, and how late gradients come', () => {
    const en = run('train -s pipedream -p 4 -m 8 --steps 20 --lang en');
    assert.equal(en.status, 0, en.stderr);
    assert.match(en.stdout, /No flush between steps: weights change after every micro-batch\./);
    assert.match(en.stdout, /Versions by rank: measured 4 3 2 1, simulated 4 3 2 1\./);
    assert.match(en.stdout, /Gradients late by updates: measured 3 2 1 0, expected 3 2 1 0\./);
    assert.match(en.stdout, /same delays: the two runs agree to the last bit/);
    assert.match(en.stdout, /Without delays the weights would differ by up to [1-9]\.\de-\d/);
    const ru = run('train -s 2bw -p 2 -m 4 --steps 5 --lang ru');
    assert.match(ru.stdout, /Между шагами конвейер не опустошается: веса меняются через каждые 2 микробатча\./);
    assert.match(
        ru.stdout,
        /измерено 2 2, по расчёту 2 2\. Запаздывание градиентов, обновлений: измерено 1 1, ожидалось 1 1/,
    );
    const json = JSON.parse(run('train -s 2bw -p 2 -m 4 --steps 5 --format json').stdout);
    assert.deepEqual(
        [json.stream.versions, json.stream.late],
        [
            [2, 2],
            [1, 1],
        ],
    );
    assert.ok(json.stream.synchronous_difference > 0);
    assert.match(
        run('simulate -s pipedream -p 4 -m 8 --lang en').stdout,
        /flush +none between steps: weight versions by rank 4 3 2 1, gradients late by 3 2 1 0 updates/,
    );
    assert.match(
        run('simulate -s 2bw -p 2 -m 4 --lang ru').stdout,
        /между шагами нет: версий весов по устройствам 2 2, градиенты запаздывают на 1 1/,
    );
    assert.doesNotMatch(run('simulate -s 1f1b -p 4 -m 8 --lang en').stdout, /flush/);
});

test('TEN-14: the sentence over the chart says it in both languages, and not of a schedule with a flush', () => {
    const told = (/** @type {string} */ schedule, /** @type {string} */ lang) =>
        plain(partsText(headline(engine.simulate({ schedule, ranks: 4, microbatches: 8 }), lang)));
    assert.match(
        told('pipedream', 'en'),
        /one step from an empty pipeline\. .* keeps 4 versions of them, and its gradients come 3 updates late\.$/,
    );
    assert.match(
        told('2bw', 'ru'),
        /Нарисован один шаг с пустого конвейера\. .* хранит их 2 версии, его градиенты запаздывают на 1 обновление\.$/,
    );
    assert.doesNotMatch(told('1f1b', 'en'), /flush/);
});

test('what cannot repeat such a run does not pretend to', () => {
    const options = { schedule: 'pipedream', ranks: 2, microbatches: 4 };
    const text = /** @type {string} */ (twinOf(engine, engine.simulate(options), options, 'en'));
    assert.doesNotMatch(text, /loss/);
    for (const format of ['python', 'torch'])
        assert.equal(run(`train -s pipedream -p 2 -m 4 --format ${format}`).status, 2);
});

test('train --workers --kill without a flush: what was lost, from where the stream went on, and that the weights are equal', () => {
    const en = run('train -s pipedream -p 2 -m 4 --steps 12 --workers --kill 3@7 --checkpoint-every 2 --lang en');
    assert.equal(en.status, 0, en.stderr);
    assert.match(
        en.stdout,
        /rank 0 was lost before 0F2 of step 7; .* after (?:0 steps\.|[246] steps, with all that was under way there)/,
    );
    assert.match(en.stdout, /never disturbed, to the last bit/);
    // A rank may be lost before the checkpoint of the steps just done has come in: then an earlier one is gone back to.
    const ru = run(
        'train -s 2bw -p 3 -m 4 --update adam --steps 12 --workers --kill 9@5 --checkpoint-every 2 --lang ru',
    );
    assert.match(
        ru.stdout,
        /устройства 1 потерян перед 1F1 шага 5; .* после (?:0 шагов\.|[24] шагов со всем, что было тогда начато)/,
    );
    assert.match(ru.stdout, /до последнего бита/);
    // A forward that is done before its step begins, in the round before; and one of the first step.
    for (const kill of ['0@6', '1@0', '15@11']) {
        const { workers } = JSON.parse(
            run(`train -s pipedream -p 2 -m 4 --steps 12 --workers --kill ${kill} --format json`).stdout,
        );
        assert.equal(workers.equal, true);
        assert.deepEqual(
            workers.losses.map((/** @type {any} */ loss) => `${loss.action}@${loss.step}`),
            [kill],
        );
    }
});
