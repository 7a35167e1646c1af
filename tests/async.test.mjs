// Issue 4, "asynchronous ones with weight versions", through engine.train, the command line, the figure's texts and ranks in
// threads. Every shape, and the papers' formulas, are in tests/native/test_async.c.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadEngine } from '../web/engine.js';
import { headline, partsText } from '../web/format.js';
import { twinOf } from '../web/python-twin.js';
import { TrainingLoop } from '../web/training-loop.js';
import { WorkerRun } from '../web/workers.js';
import { threadWorker } from '../web/workers-node.js';

const engine = await loadEngine();
const cli = fileURLToPath(new URL('../web/cli.js', import.meta.url));
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
            assert.deepEqual(workers.state.weights, training.state.weights);
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
        /No flush between steps: .* keeps 4 versions, its gradients come 3 updates late\.$/,
    );
    assert.match(
        told('2bw', 'ru'),
        /Между шагами конвейер не опустошается: .* хранит их 2 версии, его градиенты запаздывают на 1 обновление\.$/,
    );
    assert.doesNotMatch(told('1f1b', 'en'), /flush/);
});

test('what cannot repeat such a run does not pretend to', () => {
    const options = { schedule: 'pipedream', ranks: 2, microbatches: 4 };
    const text = /** @type {string} */ (twinOf(engine, engine.simulate(options), options, 'en'));
    assert.doesNotMatch(text, /loss/);
    for (const format of ['python', 'torch'])
        assert.equal(run(`train -s pipedream -p 2 -m 4 --format ${format}`).status, 2);
    const killed = run('train -s pipedream -p 2 -m 4 --steps 3 --workers --kill 3@1 --lang en');
    assert.equal(killed.status, 2);
    assert.match(killed.stderr, /kill = 3@1: pipedream has no flush between steps; .* Nearest legal: schedule=1f1b\./);
});
