// Ranks in threads of their own: the weights, the clock, and a rank that is lost.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { loadEngine, PipelineError } from '../../web/engine/index.js';
import { WorkerRun, workersKnown } from '../../web/engine/workers.js';
import { threadWorker } from '../../web/engine/workers-node.js';

const engine = await loadEngine();
const cli = fileURLToPath(new URL('../../web/cli.js', import.meta.url));

/** @param {any} options @param {(training: any, run: WorkerRun) => Promise<any>} use @param {any} [spawn] */
async function withWorkers(options, use, spawn = threadWorker) {
    const training = engine.train(options);
    let run;
    try {
        run = await new WorkerRun(training, spawn).start();
        return await use(training, run);
    } finally {
        run?.close();
        training.close();
    }
}

/** Weights and what the update keeps, to the last bit. @param {any} a @param {any} b @param {string} what */
function sameState(a, b, what) {
    assert.equal(a.step, b.step, what);
    assert.equal(a.stages.length, b.stages.length);
    for (const [stage, bytes] of a.stages.entries()) {
        assert.ok(bytes.length > 16);
        assert.equal(Buffer.compare(bytes, b.stages[stage]), 0, `${what}, stage ${stage}`);
    }
}

/** A worker that a test can declare dead. @param {((reason: string) => void)[]} fails */
const mortal =
    (fails, stepped = () => {}) =>
    () => {
        const handle = threadWorker();
        const { listen } = handle;
        handle.listen = (take, fail) => {
            fails.push(fail);
            listen((message) => {
                if (message.kind === 'step') stepped();
                take(message);
            }, fail);
        };
        return handle;
    };

test('every schedule in threads, a rank each: weights, losses and live bytes are those of one instance, bit for bit', async () => {
    const shapes = {
        dualpipe: { ranks: 4, microbatches: 8 },
        'dualpipe-v': { ranks: 2, microbatches: 4 },
        seq1f1b: { slices: 1 },
    };
    let ran = 0;
    for (const { name } of engine.schedules.filter(({ trains }) => trains)) {
        const options = { schedule: name, ranks: 2, microbatches: 4, batch: 13, .../** @type {any} */ (shapes)[name] };
        await withWorkers(options, async (training, run) => {
            const records = await run.advance(4, { every: 3 });
            for (const { step, loss, skipped } of records) {
                const own = training.step();
                assert.deepEqual([step, loss, skipped], [own.step, own.loss, false], name);
            }
            sameState(run.state, training.state, name);
            assert.deepEqual(records[3].bytes, training.activationBytes.measured, name);
        });
        ran++;
    }
    assert.ok(ran >= 20, `${ran}`);
});

test('p = 1 to 4, recomputation, iris, whole numbers, Chimera with four pipes', async () => {
    for (const options of [
        { schedule: '1f1b', ranks: 1, microbatches: 3 },
        { schedule: '1f1b', ranks: 3, microbatches: 5, data: 'iris', recompute: 'late' },
        {
            schedule: 'interleaved',
            ranks: 4,
            microbatches: 8,
            chunks: 2,
            init: 'whole',
            activation: 'relu',
            loss: 'squared-error',
        },
        { schedule: 'chimera', ranks: 4, microbatches: 4, pipes: 4 },
        { schedule: '1f1b', ranks: 2, microbatches: 4, layers: 6, cuts: '2 4', depth: 6 },
        { schedule: 'gpipe', ranks: 2, microbatches: 4, moves: '1B0+2 0F1+1' },
    ])
        await withWorkers(options, async (training, run) => {
            await run.advance(2);
            await run.advance(3);
            for (let step = 0; step < 5; step++) training.run();
            sameState(run.state, training.state, JSON.stringify(options));
        });
});

/** What asks for more messages than activations and gradients, or keeps more than weights. */
const extended = {
    momentum: { update: 'momentum' },
    adam: { update: 'adam' },
    'tied ends': { tied: 'ends' },
    clipping: { clip: 0.05 },
    'a loss scale too large': { 'loss-scale': 1e38, 'scale-growth': 2, loss: 'squared-error' },
    'batch norm': { norm: 'batch' },
    'deferred batch norm': { norm: 'batch', 'norm-statistics': 'deferred', split: 'last' },
    'layer norm and dropout': { norm: 'layer', dropout: 0.3, activation: 'gelu', mean: 'microbatches' },
    'all at once': {
        update: 'adam',
        tied: 'ends',
        clip: 0.1,
        'loss-scale': 1e38,
        'scale-growth': 1,
        norm: 'batch',
        dropout: 0.2,
        activation: 'gelu',
    },
};
const schedules = [
    { schedule: 'gpipe', ranks: 2, microbatches: 4 },
    { schedule: '1f1b', ranks: 3, microbatches: 4 },
    { schedule: 'interleaved', ranks: 2, chunks: 2, microbatches: 4 },
    { schedule: 'zb-h1', ranks: 4, microbatches: 4 },
    { schedule: 'zb-v', ranks: 2, microbatches: 4 },
    { schedule: 'chimera', ranks: 2, microbatches: 4 },
    { schedule: 'chimera', ranks: 4, microbatches: 4 },
];

for (const [name, options] of Object.entries(extended))
    test(`${name}, in threads: weights, what the update keeps and skipped steps are those of one instance, bit for bit`, async () => {
        const skips = [];
        for (const shape of schedules)
            await withWorkers({ ...shape, width: 6, batch: 14, ...options }, async (training, run) => {
                let before = 0;
                for (const { step, loss, skipped } of await run.advance(5, { every: 2 })) {
                    const own = training.step();
                    assert.deepEqual([step, loss, skipped], [own.step, own.loss, own.skipped > before]);
                    before = own.skipped;
                    skips.push(skipped);
                }
                sameState(run.state, training.state, `${shape.schedule}, ${shape.ranks} ranks`);
            });
        // A scale that leaves the range of float is halved until it does not.
        assert.equal(skips.includes(true), 'loss-scale' in options);
        assert.ok(skips.includes(false));
    });

test('one clock: actions of a rank follow each other, and none begins before what it waits for has ended', async () => {
    const plain = { schedule: '1f1b', ranks: 3, microbatches: 6, width: 64 };
    /** @type {(training: any, run: WorkerRun) => Promise<void>} */
    const follow = async (training, run) => {
        const { actions } = training.simulation;
        for (const { start, finish, ended } of await run.advance(20)) {
            // Every rank has heard that all are through before it makes its update.
            for (const end of ended) assert.ok(end > Math.max(...finish) - 0.001);
            for (let i = 0; i < actions.count; i++) {
                assert.ok(start[i] > 0 && finish[i] >= start[i]);
                if (i > 0 && actions.rank[i] === actions.rank[i - 1]) assert.ok(start[i] >= finish[i - 1]);
                const input = actions.input[i];
                // One clock for all threads, told to a quarter of a microsecond.
                if (input >= 0) assert.ok(start[i] > finish[input] - 0.001, `${start[i] - finish[input]}`);
            }
            assert.ok(Math.abs(start[0] - performance.timeOrigin - performance.now()) < 60_000);
        }
    };
    await withWorkers(plain, follow);
    // A late recomputation waits for the gradient.
    await withWorkers({ ...plain, schedule: 'gpipe', recompute: 'late' }, follow);
    await withWorkers({ ...plain, recompute: 'late-except-last', 'input-gradient': 2 }, follow);
});

test('measured times: the figures are those of the times, and their costs simulate', async () => {
    const schedule = { schedule: 'gpipe', ranks: 2, microbatches: 3 };
    await withWorkers({ ...schedule, width: 48 }, async (_, run) => {
        const { start, finish } = (await run.advance(3))[2];
        const { step, costs } = engine.measuredStep(schedule, start, finish);
        const begun = Math.min(...start);
        assert.equal(step.summary.makespan, Math.max(...finish) - begun);
        for (let i = 0; i < start.length; i++) {
            assert.equal(step.actions.start[i], start[i] - begun);
            assert.equal(step.actions.finish[i], finish[i] - begun);
        }
        const own = [...step.actions.finish].reduce((sum, end, i) => sum + end - step.actions.start[i], 0);
        assert.ok(Math.abs(step.summary.busy - own) < 1e-9);
        assert.ok(step.summary.utilization > 0 && step.summary.utilization <= 1);
        assert.deepEqual(Object.keys(costs), ['forward', 'backward', 'latency']);
        const f = [0, 1, 2].map((i) => finish[i] - start[i]);
        assert.ok(Math.abs(costs.forward[0] - (f[0] + f[1] + f[2]) / 3) < 1e-9);
        const predicted = engine.simulate({ ...schedule, ...costs });
        assert.ok(predicted.summary.makespan > 0);
        assert.deepEqual(predicted.costs.forward, costs.forward);
    });
});

for (const [name, options] of Object.entries({
    '1f1b': { schedule: '1f1b', ranks: 2, microbatches: 3 },
    'zb-h1': { schedule: 'zb-h1', ranks: 2, microbatches: 2 },
    chimera: { schedule: 'chimera', ranks: 2, microbatches: 2 },
    '1f1b with Adam': { schedule: '1f1b', ranks: 2, microbatches: 2, update: 'adam' },
    '1f1b with all at once': { schedule: '1f1b', ranks: 2, microbatches: 2, ...extended['all at once'], batch: 8 },
    'chimera with Adam, batch norm and clipping': {
        schedule: 'chimera',
        ranks: 2,
        microbatches: 2,
        update: 'adam',
        norm: 'batch',
        clip: 0.1,
    },
}))
    test(`a worker ended at each action of a step in turn, ${name}: the run goes on to equal weights`, async () => {
        const undisturbed = engine.train(options);
        try {
            for (let step = 0; step < 6; step++) undisturbed.run();
            const { count, rank } = undisturbed.simulation.actions;
            for (let action = 0; action < count; action++)
                await withWorkers(options, async (_, run) => {
                    const records = await run.advance(6, { every: 2, kill: { step: 3, action } });
                    sameState(run.state, undisturbed.state, `action ${action}`);
                    // From what was saved after step 2, or at first where a rank's part had not yet arrived.
                    const [{ from }] = run.losses;
                    assert.ok(from === 2 || from === 0, `from ${from}`);
                    assert.deepEqual(run.losses, [{ rank: rank[action], action, step: 3, from }]);
                    assert.deepEqual(
                        records.map(({ step }) => step),
                        [1, 2, 3, 4, 5, 6],
                    );
                });
        } finally {
            undisturbed.close();
        }
    });

test('a worker that dies of itself is replaced; one that fails ends the run, and nothing hangs', async () => {
    const options = { schedule: '1f1b', ranks: 3, microbatches: 4 };
    /** @type {any[]} */ const made = [];
    const spawn = () => {
        const handle = threadWorker();
        made.push(handle);
        return handle;
    };
    await withWorkers(
        options,
        async (training, run) => {
            await run.advance(4, { every: 2 });
            const more = run.advance(200, { every: 50 });
            made[1].post({ kind: 'no such task' }); // reported, not a death
            await assert.rejects(more, /not a function/);
            assert.equal(training.state.step, 0);
        },
        spawn,
    );
    /** @type {((reason: string) => void)[]} */ const fails = [];
    /** @type {() => void} */ let stepped = () => {};
    const underWay = new Promise((done) => {
        stepped = () => done(undefined);
    });
    await withWorkers(
        options,
        async (training, run) => {
            const records = run.advance(2000, { every: 10 });
            await underWay;
            fails[1]('gone');
            await records;
            for (let step = 0; step < 2000; step++) training.run();
            sameState(run.state, training.state, 'a loss nobody planned');
            assert.deepEqual([run.losses.length, run.losses[0].rank, run.losses[0].action], [1, 1, -1]);
        },
        mortal(fails, stepped),
    );
});

test('where no worker can be made, start() says so', async () => {
    const refused = () => {
        throw new Error('worker-src');
    };
    await assert.rejects(
        withWorkers({ schedule: '1f1b' }, async () => {}, refused),
        /worker-src/,
    );
    const silent = () => ({
        post() {},
        end() {},
        listen: (/** @type {any} */ _, /** @type {any} */ fail) => fail('refused'),
    });
    await assert.rejects(
        withWorkers({ schedule: '1f1b' }, async () => {}, silent),
        /refused/,
    );
    assert.equal(workersKnown({ module: {} }), false);
    // A worker that comes to life but cannot begin; and one closed before it could.
    const training = engine.train({ schedule: '1f1b' });
    try {
        const broken = {
            settings: training.settings,
            simulation: training.simulation,
            state: training.state,
            setup: { ...training.setup, module: 1 },
        };
        await assert.rejects(new WorkerRun(/** @type {any} */ (broken), threadWorker).start(), /WebAssembly/);
        const run = new WorkerRun(training, threadWorker);
        const started = run.start();
        run.close();
        await assert.rejects(started, /closed/);
        await assert.rejects(run.advance(1), /closed/);
    } finally {
        training.close();
    }
});

test('what is no number of steps is refused, and so is a training that has been closed', async () => {
    const training = engine.train({ schedule: '1f1b', ranks: 2, microbatches: 4 });
    const run = await new WorkerRun(training, threadWorker).start();
    try {
        for (const steps of [2.5, Number.NaN]) await assert.rejects(run.advance(steps), /a whole number/);
        assert.deepEqual(await run.advance(0), []);
    } finally {
        run.close();
        training.close();
    }
    for (const use of [
        () => training.step(),
        () => training.run(),
        () => training.next(),
        () => training.state,
        () => training.parameters,
        () => training.semantics(),
        () => training.predict(Float32Array.of(0, 0)),
        () => training.activationBytes,
    ])
        assert.throws(use, /the training is closed/);
});

test('a long run keeps the times of its last steps alone', async () => {
    await withWorkers({ schedule: '1f1b', ranks: 2, microbatches: 2, width: 4, batch: 4 }, async (training, run) => {
        const records = await run.advance(600, { every: 100 });
        assert.equal(records.length, 600);
        assert.deepEqual([records[0].start.length, records[300].finish.length], [0, 0]);
        assert.equal(records[599].start.length, training.simulation.actions.count);
        for (let step = 0; step < 600; step++) training.run();
        sameState(run.state, training.state, 'long');
    });
});

test('what one rank reports of a long run may come only when another is through', async () => {
    let through = false;
    /** @type {(() => void)[]} */ const late = [];
    let made = 0;
    const spawn = () => {
        const handle = threadWorker();
        const { listen } = handle;
        const second = made++ === 1;
        handle.listen = (take, fail) =>
            listen((message) => {
                if (second && message.kind !== 'ready' && !through) late.push(() => take(message));
                else take(message);
                through ||= message.kind === 'step' && message.step === 600 && !second;
                if (through) for (const give of late.splice(0)) give();
            }, fail);
        return handle;
    };
    const options = { schedule: '1f1b', ranks: 2, microbatches: 2, width: 4, batch: 4 };
    await withWorkers(
        options,
        async (training, run) => {
            const records = await run.advance(600, { every: 100 });
            assert.equal(records[0].start.length, 0);
            assert.ok(records[599].start.every((/** @type {number} */ at) => at > 0));
            for (let step = 0; step < 600; step++) training.run();
            sameState(run.state, training.state, 'late reports');
        },
        spawn,
    );
});

/** Processors this process had while work ran, by the clock: 1 where one thread was never made to wait. @param {() => any} work */
async function processors(work) {
    const begun = performance.now();
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000 / (performance.now() - begun);
}

/** Keeps two threads busy for a fifth of a second. */
async function spin() {
    const text =
        "const end = performance.now() + 200; while (performance.now() < end); require('node:worker_threads').parentPort.postMessage(0);";
    const threads = [0, 1].map(() => new Worker(text, { eval: true }));
    await Promise.all(threads.map((thread) => new Promise((told) => thread.once('message', told))));
}

test('ranks that are lost while another is being replaced are replaced as well; a planned loss still comes', async () => {
    const options = { schedule: '1f1b', ranks: 3, microbatches: 4 };
    /** @type {((reason: string) => void)[]} */ const fails = [];
    for (const lost of [
        [0, 2],
        [2, 1, 0],
    ]) {
        /** @type {() => void} */ let stepped = () => {};
        const underWay = new Promise((done) => {
            stepped = () => done(undefined);
        });
        await withWorkers(
            options,
            async (training, run) => {
                const records = run.advance(400, { every: 10, kill: { step: 399, action: 9 } });
                await underWay;
                for (const rank of lost) fails[rank]('gone');
                for (const { loss } of await records) assert.equal(loss, training.step().loss);
                sameState(run.state, training.state, `${lost}`);
                assert.deepEqual(
                    run.losses.map(({ rank, action, step }) => [rank, action, step]),
                    [...lost.map((rank) => [rank, -1, -1]), [training.simulation.actions.rank[9], 9, 399]],
                );
                fails.length = 0;
            },
            mortal(fails, stepped),
        );
    }
});

test('what a rank reports of a step comes before its checkpoint, so that no loss is missing when another rank is lost', async () => {
    /** @type {string[]} */ const order = [];
    const listening = () => {
        const handle = threadWorker();
        const { listen } = handle;
        handle.listen = (take, fail) =>
            listen((message) => {
                if (message.step) order.push(`${message.kind} ${message.step}`);
                take(message);
            }, fail);
        return handle;
    };
    await withWorkers(
        { schedule: '1f1b', ranks: 1, microbatches: 2 },
        async (_, run) => {
            await run.advance(3, { every: 2 });
        },
        listening,
    );
    assert.deepEqual(order, ['step 1', 'step 2', 'saved 2', 'step 3', 'saved 3']);
});

test('p = 2 on two cores: a measured speed-up for a network large enough', async (t) => {
    const options = { schedule: '1f1b', ranks: 2, microbatches: 8, width: 512, batch: 1024 };
    await withWorkers(options, async (training, run) => {
        const clean = [];
        for (let round = 0; round < 12 && clean.length < 3; round++) {
            const before = await processors(spin);
            const records = await run.advance(3, { every: 100 });
            const after = await processors(spin);
            const begun = performance.now();
            const alone = await processors(() => [0, 1, 2].map(() => training.run()));
            const one = (performance.now() - begun) / 3;
            const [first, , last] = records.map(({ finish }) => Math.max(...finish));
            // A round counts where nothing else wanted the processors; threads take a while to start, so not quite two.
            if (round > 0 && Math.min(before, after) > 1.6 && alone > 0.97) clean.push((2 * one) / (last - first));
        }
        sameState(run.state, training.state, 'speed-up');
        if (clean.length === 0) {
            t.skip('BUSY MACHINE: others want the processors, so there is no speed-up to ask for');
            return;
        }
        t.diagnostic(`measured speed-ups: ${clean.map((ratio) => ratio.toFixed(2)).join(' ')}`);
        assert.ok(Math.max(...clean) > 1.1, clean.join(' '));
    });
});

/** @param {string} args */
function train(args) {
    const { stdout, stderr, status } = spawnSync(process.execPath, [cli, 'train', ...args.split(' ')], {
        encoding: 'utf8',
    });
    return { stdout, stderr, status };
}

test('train --workers: measured beside predicted, and no speed-up that was not measured', () => {
    const { stdout, status } = train('-s 1f1b -p 2 -m 4 --workers --steps 12 --width 32 --format json');
    assert.equal(status, 0);
    const out = JSON.parse(stdout);
    assert.equal(out.actions.length, 16);
    assert.equal(out.workers.equal, true);
    assert.equal(out.steps.length, 12);
    const { one_worker, workers, speedup, predicted_speedup, hop, step_end } = out.milliseconds;
    assert.ok(one_worker > 0 && workers > 0 && speedup > 0 && predicted_speedup > 0 && hop > 0 && step_end > 0);
    assert.deepEqual(out.peak_activation_bytes.measured, out.peak_activation_bytes.simulated);
    const last = out.actions.reduce(
        (/** @type {number} */ most, /** @type {any} */ a) => Math.max(most, a.predicted_finish),
        0,
    );
    assert.equal(last, out.milliseconds.predicted_step);
    assert.equal(out.ends.length, 2);
    const through = Math.max(...out.actions.map((/** @type {any} */ a) => a.finish));
    assert.ok(Math.abs(Math.max(...out.ends) - through - step_end) < 1e-6);
    // What was measured can be read back: as a profile, and as times.
    const file = join(mkdtempSync(join(tmpdir(), 'pipeline-figure-')), 'measured.json');
    writeFileSync(file, stdout);
    const read = (/** @type {string} */ args) =>
        JSON.parse(
            spawnSync(process.execPath, [cli, ...args.split(' '), '--format', 'json'], { encoding: 'utf8' }).stdout,
        );
    assert.equal(read(`check ${file} --times measured`).makespan, out.milliseconds.step);
    assert.ok(read(`simulate -s 1f1b -p 2 -m 4 --profile ${file}`).makespan < out.milliseconds.predicted_step + 1e-9);
    rmSync(dirname(file), { recursive: true });
    // Measured costs take the place of what the request says of times, and of nothing else.
    const args = '-s gpipe -p 2 -m 3 --backward-order descending --layers 6 --cuts 2,4 --latency 1 --recompute late';
    const fed = JSON.parse(train(`${args} --workers --steps 4 --format json`).stdout);
    const plain = engine.simulate({
        schedule: 'gpipe',
        ranks: 2,
        microbatches: 3,
        'backward-order': 'descending',
        recompute: 'late',
        ...fed.costs,
    });
    assert.equal(fed.milliseconds.predicted_step, plain.summary.makespan);
    assert.equal(fed.actions[3].op + fed.actions[4].op + fed.actions[4].microbatch, 'RB2');
    for (const lang of ['en', 'ru']) {
        const text = train(`-s gpipe -p 2 -m 2 --workers --steps 6 --lang ${lang}`).stdout;
        const [, ratio] = /(?:took|дольше одного в) ([\d.,]+)/.exec(text) ?? [];
        const claimed = /speed-up over one worker: ([\d.,]+)|против одного потока: в ([\d.,]+)/.exec(text);
        // A network so small cannot gain from a second thread; what is said must be what was seen.
        assert.ok((ratio === undefined) !== (claimed === null), text);
        assert.match(text, lang === 'ru' ? /до последнего бита/ : /to the last bit/);
    }
});

test('train --workers with Adam, tied ends, clipping, a loss scale and batch norm; what one thread refuses is refused', () => {
    const options =
        '-s chimera -p 2 -m 4 --update adam --tied ends --clip 0.1 --loss-scale 1e38 --norm batch --dropout 0.1';
    const args = `${options} --activation relu --batch 16 --steps 8`;
    const out = JSON.parse(train(`${args} --workers --kill 3@5 --checkpoint-every 2 --format json`).stdout);
    assert.equal(out.workers.equal, true);
    assert.equal(out.workers.losses.length, 1);
    assert.equal(out.settings.update, 'adam');
    // The losses of the run by one thread.
    const alone = JSON.parse(train(`${args} --format json`).stdout);
    assert.deepEqual(
        out.steps.map((/** @type {any} */ step) => step.loss),
        alone.steps.map((/** @type {any} */ step) => step.loss),
    );
    for (const refused of ['--tied ends --data iris', '--norm batch --batch 4', '--update sgd --momentum 0.5']) {
        const [one, many] = ['', ' --workers'].map((more) => train(`-s 1f1b -p 2 -m 4 ${refused}${more}`));
        assert.equal(many.status, 2);
        assert.deepEqual(many, one);
    }
});

test('train --workers --kill ends a worker and resumes; what is not there to end is refused in one line', () => {
    const { stdout, status } = train(
        '-s 1f1b -p 2 -m 2 --workers --steps 8 --kill 5@3 --checkpoint-every 2 --format json',
    );
    assert.equal(status, 0);
    const out = JSON.parse(stdout);
    assert.equal(out.workers.equal, true);
    assert.equal(out.workers.losses.length, 1);
    assert.equal(out.workers.losses[0].action, 5);
    assert.match(
        train('-s 1f1b -p 2 -m 2 --workers --steps 6 --kill 1@1').stdout,
        /rank 0 was lost before 0F1 of step 1/,
    );
    for (const [args, message] of /** @type {[string, RegExp][]} */ ([
        ['-p 2 -s 1f1b --kill 1@1', /only with --workers/],
        [
            '-p 2 -s 1f1b --workers --steps 5 --kill 99@1',
            /kill = 99@1: an action from 0 to 15 .* Nearest legal: kill=15@4/,
        ],
        ['-p 2 -s 1f1b --workers --kill soon', /kill = soon/],
        ['-p 17 -s 1f1b -m 17 --workers', /ranks = 17: .* at most 16.*ranks=16/],
        ['-p 3 --workers', /backward/],
    ])) {
        const { stderr, status } = train(args);
        assert.equal(status, 2, args);
        assert.match(stderr, message);
        assert.equal(stderr.trim().split('\n').length, 1);
    }
});

test('a schedule that refuses its request refuses it with workers, too', () => {
    assert.throws(() => engine.train({ schedule: 'interleaved', ranks: 6, microbatches: 3 }), PipelineError);
});
