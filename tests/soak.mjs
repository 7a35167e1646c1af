// 10^5 steps of training keep memory flat: that of the core to the byte, that of the process but for what the collector
// has not yet taken; by one thread, plain and with all options, and by a worker a rank, with a flush and without, which also makes equal weights.
// Started by npm run fuzz:  node --expose-gc tests/soak.mjs [STEPS, 100000]
import assert from 'node:assert/strict';
import { loadEngine } from '../web/engine/index.js';
import { WorkerRun } from '../web/engine/workers.js';
import { threadWorker } from '../web/engine/workers-node.js';

const steps = Number(process.argv[2] ?? 100_000);
/** Steps before the first look: by then all is allocated, and compiled. */
const WARM = 2000;
const engine = await loadEngine();
const plain = { schedule: '1f1b', ranks: 2, microbatches: 4, data: 'spirals', width: 8 };
const all = {
    ...plain,
    schedule: 'chimera',
    update: 'adam',
    tied: 'ends',
    clip: 1,
    'loss-scale': 65536,
    'scale-growth': 100,
    norm: 'batch',
    dropout: 0.1,
    activation: 'gelu',
};

/** Bytes of JavaScript, and of the whole process with its threads. */
async function memory() {
    for (let i = 0; i < 3; i++) {
        await new Promise((later) => setTimeout(later, 50)); // what was transferred may still be on its way
        /** @type {any} */ (globalThis).gc?.();
    }
    const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
    return { own: heapUsed + arrayBuffers, rss };
}

for (const options of [plain, all]) {
    const run = engine.train(options);
    let loss = 0;
    for (let i = 0; i < WARM; i++) run.step();
    const bytes = engine.core.memory.buffer.byteLength;
    const before = await memory();
    for (let i = 0; i < steps; i++) loss = run.step().loss;
    const grown = (await memory()).own - before.own;
    assert.equal(engine.core.memory.buffer.byteLength, bytes);
    assert.ok(Number.isFinite(loss));
    assert.ok(grown < 1e6, `${grown} bytes more`);
    run.close();
    console.log(
        `soak: ${options.schedule}, ${steps} steps, ${bytes} bytes of the core before and after, ${grown} bytes more in the process`,
    );
}

/** The stream also loses a worker in every thousand steps. */
for (const options of [all, { ...plain, schedule: '2bw', update: 'adam' }]) {
    const training = engine.train(options);
    const stream = Boolean(training.stream);
    const workers = await new WorkerRun(training, threadWorker).start();
    const advance = async (/** @type {number} */ count) => {
        for (let done = 0; done < count; done += 1000) {
            const action = (done / 1000) % training.simulation.actions.count;
            const kill = stream ? { step: workers.state.step + 300, action } : undefined;
            await workers.advance(Math.min(1000, count - done), { every: 250, kill });
        }
    };
    await advance(WARM);
    const before = await memory();
    await advance(steps >> 1);
    const half = await memory();
    await advance(steps - (steps >> 1));
    const after = await memory();
    const own = after.own - before.own;
    // Every thread has a heap of its own, which grows at first; by 50000 steps it no longer does.
    const rss = after.rss - half.rss;
    for (let i = 0; i < WARM + steps; i++) training.run();
    const { state } = training;
    assert.equal(workers.state.step, state.step);
    for (const [stage, saved] of workers.state.stages.entries())
        assert.equal(Buffer.compare(saved, state.stages[stage]), 0, `stage ${stage}`);
    const { length } = workers.losses;
    workers.close();
    training.close();
    assert.ok(own < 1e6, `${own} bytes more`);
    // Every thread has a heap of its own, and gives pages back when it likes.
    assert.ok(rss < 3e7, `${rss} bytes more of the process`);
    console.log(
        `soak: ${options.schedule}, 2 workers, ${length} of them lost, ${steps} steps, ${own} bytes more in JavaScript, ${rss} in the whole process; equal weights`,
    );
}
