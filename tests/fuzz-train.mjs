// Training by random settings: any schedule with any of its options and any options of the network. Whatever is accepted trains
// to the numbers of the network without a pipeline, holds the bytes that the simulation says, goes on from a checkpoint and by
// workers, also when two of these are lost, to the same bits; whatever is refused is refused in one sentence with a way out.
// Started by npm run fuzz:  node tests/fuzz-train.mjs [SETTINGS, 3000] [SEED, 1] [ONE OF THEM]
// To see them as requests, for the native test_rank:  node tests/fuzz-train.mjs SETTINGS SEED print
import assert from 'node:assert/strict';
import { loadEngine, PipelineError } from '../web/engine/index.js';
import { WorkerRun } from '../web/engine/workers.js';
import { threadWorker } from '../web/engine/workers-node.js';

const [count = 3000, seed = 1] = process.argv.slice(2, 4).map(Number);
const only = process.argv[4];
/** Of the settings that run, so many run by workers as well: making threads takes long. */
const BY_WORKERS = 0.15;
const engine = await loadEngine(undefined, { arithmetic: 'plain' });
const trainingNames = new Set(engine.trainingOptions.map(({ name }) => name));

/** Numbers from 0 to below 1, the same for the same key (Steele, Lea, Flood 2014, with 32 bits). @param {number} key */
function generator(key) {
    let state = key | 0;
    return () => {
        state = (state + 0x9e3779b9) | 0;
        let z = Math.imul(state ^ (state >>> 16), 0x85ebca6b);
        z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
        return ((z ^ (z >>> 16)) >>> 0) / 2 ** 32;
    };
}

/** @param {() => number} random @returns {Record<string, any>} */
function setting(random) {
    const pick = (/** @type {any[]} */ ...list) => list[Math.floor(random() * list.length)];
    const upTo = (/** @type {number} */ most) => 1 + Math.floor(random() * most);
    const s = pick(...engine.schedules.filter(({ trains }) => trains));
    const ranks = pick(1, 2, 2, 3, 4, 4, upTo(8));
    const m = pick(1, 2, 3, 4, 6, 8, upTo(16));
    const chunks = Math.max(s.chunksMin, Math.min(s.chunksMax, pick(1, 2, 2, 3, 4)));
    const stages = ranks * chunks;
    const costs = () =>
        random() < 0.5 ? pick(0, 0.5, 1, 2) : Array.from({ length: stages }, () => pick(0, 0.5, 1, 3)).join(' ');
    /** @type {Record<string, any>} */
    const out = { schedule: s.name, ranks, microbatches: m, chunks, width: pick(1, 2, 3, 5, 8, 17), seed: upTo(1000) };
    /** How often an option is there, and what it can be. @type {Record<string, [number, () => any]>} */
    const options = {
        group: [0.2, () => upTo(8)],
        dialect: [0.1, () => pick('megatron', 'pytorch', 'free')],
        'backward-order': [0.5, () => 'descending'],
        recompute: [0.3, () => pick('late', 'early', 'late-except-last', 'early-except-last')],
        transfer: [0.1, () => pick('sender', 'rendezvous')],
        pipes: [0.5, () => pick(2, 4, 6)],
        slices: [0.9, () => 1],
        'memory-limit': [0.5, () => pick('1p', '2p', 3)],
        'extra-warmup': [0.2, () => upTo(2)],
        forward: [0.2, costs],
        backward: [0.1, costs],
        latency: [0.2, () => pick(0.5, 3)],
        moves: [
            0.1,
            () => `${upTo(stages) - 1}${pick('F', 'B', 'I', 'W', 'R')}${upTo(m) - 1}${pick('+', '-')}${upTo(3)}`,
        ],
        data: [0.5, () => pick('circles', 'xor', 'iris')],
        depth: [0.4, () => pick(stages, stages + 1, 2 * stages, upTo(12))],
        activation: [0.6, () => pick('relu', 'identity', 'gelu')],
        loss: [0.3, () => 'squared-error'],
        batch: [0.8, () => pick(m, m + 1, 2 * m, 3 * m - 1, upTo(60), 300)],
        rate: [0.2, () => pick(0, 0.001, 0.3, 30, 1000)],
        init: [0.1, () => 'whole'],
        norm: [0.5, () => pick('layer', 'batch')],
        'norm-statistics': [0.2, () => pick('microbatch', 'deferred', 'batch')],
        dropout: [0.3, () => pick(0, 0.1, 0.9, 0.9999)],
        tied: [0.15, () => 'ends'],
        split: [0.3, () => 'last'],
        mean: [0.2, () => pick('microbatches', 'undivided')],
        update: [0.4, () => pick('momentum', 'adam')],
        momentum: [0.1, () => pick(0, 0.5, 0.9999)],
        epsilon: [0.1, () => pick(1, 1e-3, 1e-30)],
        clip: [0.2, () => pick(1e-6, 0.1, 1e6)],
        'loss-scale': [0.2, () => pick(2, 65536, 1e30, 1e38)],
        'scale-growth': [0.1, () => pick(0, 1, 2)],
    };
    for (const [name, [often, value]] of Object.entries(options)) {
        const chosen = random() < often;
        // Now and then also where it has no meaning.
        if (chosen && (trainingNames.has(name) || s.options.includes(name) || random() < 0.02)) out[name] = value();
    }
    return out;
}

/** @param {any} options */
function attempt(options) {
    try {
        return { training: engine.train(options) };
    } catch (error) {
        if (!(error instanceof PipelineError)) throw error;
        return { error };
    }
}

/** @param {any} options @param {PipelineError} error */
function checkRefusal(options, error) {
    for (const lang of ['en', 'ru']) {
        engine.lang = lang;
        const { message } = /** @type {PipelineError} */ (attempt(options).error);
        engine.lang = 'en';
        assert.match(message, lang === 'ru' ? /^[А-ЯЁа-яё][^\n]{20,}\.$/ : /^[A-Za-z0-9][^\n]{20,}\.$/, lang);
        assert.doesNotMatch(message, /undefined|NaN|null|\[object|%[a-z]|[{}]| {2}/);
    }
    // Of an order there is no nearest one that runs.
    assert.ok(error.fixes.length > 0 || ['deadlock', 'order', 'moves'].includes(error.code), error.message);
    for (const { option, value } of error.fixes) {
        const { training, error: next } = attempt({ ...options, [option]: value });
        training?.close();
        assert.ok(
            !next || next.code !== error.code || next.option !== error.option,
            `${option}=${value} is refused like this: ${error.message} ${next?.message}`,
        );
    }
}

/** @param {any} a @param {any} b @param {string} what */
function sameState(a, b, what) {
    assert.equal(a.step, b.step, what);
    for (const [stage, bytes] of a.stages.entries())
        assert.equal(Buffer.compare(bytes, b.stages[stage]), 0, `${what}, stage ${stage}`);
}

const isNumber = Number.isFinite;

/** @param {any} options @param {any} training @param {() => number} random */
function checkSteps(options, training, random) {
    const steps = 2 + Math.floor(random() * 7);
    const cut = Math.floor(random() * steps);
    const exact = training.sumsInOrder || training.stream;
    const { gradient_norm: norm } = training.semantics();
    const peaks = training.simulation.perRank.map((/** @type {any} */ rank) => rank.peak_activations);
    const records = [];
    let saved;
    for (let step = 0; step < steps; step++) {
        if (step === cut) saved = training.state;
        const record = training.step();
        const { measured, simulated } = training.activationBytes;
        records.push({ ...record, bytes: measured });
        assert.deepEqual(measured, simulated, 'bytes');
        assert.deepEqual(training.peaks, peaks, 'peaks');
        const { loss, reference_loss, gradient_difference, weight_difference } = record;
        // Once numbers have left the range of float, so have their differences.
        if (exact) {
            assert.ok(loss === reference_loss || !isNumber(loss), `step ${step}: loss ${loss}, ${reference_loss}`);
            if (isNumber(weight_difference)) assert.equal(weight_difference, 0, `step ${step}`);
            if (isNumber(gradient_difference) && !training.stream) assert.equal(gradient_difference, 0, `step ${step}`);
        } else if (step === 0 && isNumber(gradient_difference) && isNumber(norm)) {
            assert.ok(gradient_difference <= 1e-5 * Math.max(1, norm) * 100, `${gradient_difference}, of ${norm}`);
        }
    }
    const end = training.state;
    training.semantics();
    sameState(training.state, end, 'what micro-batches do to a step changes nothing');
    // Once more from the checkpoint, action by action, with another training of the engine under way.
    const again = engine.train(options);
    const other = engine.train({ schedule: 'chimera', ranks: 2, microbatches: 4, update: 'adam' });
    try {
        again.state = saved;
        for (let step = cut; step < steps; step++) {
            const stop = Math.floor(random() * 2 * again.simulation.actions.count);
            let ended = false;
            for (let i = 0; i < stop && !ended; i++) {
                ended = again.next().done;
                other.next();
            }
            if (!ended) again.run();
        }
        sameState(again.state, end, `resumed from step ${cut} of ${steps}`);
    } finally {
        again.close();
        other.close();
    }
    return { steps, end, records };
}

/** @param {any} options @param {any} done  of checkSteps @param {() => number} random */
async function checkWorkers(options, { steps, end, records }, random) {
    const training = engine.train(options);
    const { actions } = training.simulation;
    const run = await new WorkerRun(training, threadWorker).start();
    try {
        const any = () => ({ action: Math.floor(random() * actions.count) });
        const every = 1 + Math.floor(random() * 4);
        const half = Math.floor(random() * (steps + 1));
        const kills = [
            { step: Math.floor(random() * half), ...any() },
            { step: half + Math.floor(random() * (steps - half)), ...any() },
        ];
        const made = [
            ...(await run.advance(half, { every, kill: kills[0] })),
            ...(await run.advance(steps - half, { every, kill: kills[1] })),
        ];
        const told = `by workers, lost ${JSON.stringify(run.losses)}, checkpoints every ${every} steps`;
        assert.ok(run.losses.length > 0, told);
        sameState(run.state, end, told);
        let before = 0;
        for (const [step, { loss, skipped, bytes, start, finish }] of made.entries()) {
            assert.deepEqual([loss, skipped], [records[step].loss, records[step].skipped > before], told);
            assert.deepEqual(bytes, records[step].bytes, told);
            before = records[step].skipped;
            if (training.stream) continue; // forwards of the next step
            for (const [i, input] of actions.input.entries())
                assert.ok(input < 0 || start[i] > finish[input] - 0.001, `action ${i} before its input; ${told}`);
        }
        const request = Object.entries(options).filter(([name]) => !trainingNames.has(name));
        const last = made[steps - 1];
        const { utilization } = engine.measuredStep(request, last.start, last.finish).step.summary;
        assert.ok(utilization > 0 && utilization <= 1 + 1e-9, `${utilization}`);
        return run.losses.length;
    } finally {
        run.close();
        training.close();
    }
}

const total = { ran: 0, workers: 0, lost: 0, steps: 0 };
const schedules = new Set();
const refused = new Set();
const [from, to] = only > '' && only !== 'print' ? [Number(only), Number(only) + 1] : [0, count];
for (let i = from; i < to; i++) {
    const random = generator(seed * 1_000_003 + i);
    const options = setting(random);
    if (only === 'print') {
        console.log(
            `${Object.entries(options)
                .map((pair) => pair.join('='))
                .join('\n')}\n`,
        );
        continue;
    }
    const { training, error } = attempt(options);
    try {
        if (error) {
            refused.add(error.code);
            checkRefusal(options, error);
            continue;
        }
        const done = checkSteps(options, training, random);
        schedules.add(options.schedule);
        total.ran++;
        total.steps += done.steps;
        if (random() > BY_WORKERS) continue;
        total.workers++;
        total.lost += await checkWorkers(options, done, random);
    } catch (failed) {
        console.log(`fuzz-train: ${count} ${seed} ${i} ${JSON.stringify(options)}`);
        throw failed;
    } finally {
        training?.close();
    }
}
if (only !== 'print') {
    const all = engine.schedules.filter(({ trains }) => trains).length;
    assert.ok(schedules.size === all || to - from < 3000, `${schedules.size} of ${all} schedules`);
    console.log(
        `fuzz-train: ${to - from} settings from seed ${seed}: ${total.ran} ran for ${total.steps} steps, of ${schedules.size} schedules; ${total.workers} by workers, ${total.lost} of them lost; refusals of ${refused.size} kinds`,
    );
}
