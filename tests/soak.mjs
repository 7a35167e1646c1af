// 10^5 steps of training keep memory flat: that of the core to the byte, that of the process but for what the collector
// has not yet taken. Started by npm run fuzz:  node --expose-gc tests/soak.mjs [STEPS, 100000]
import assert from 'node:assert/strict';
import { loadEngine } from '../web/engine.js';

const steps = Number(process.argv[2] ?? 100_000);
const engine = await loadEngine();
const run = engine.train({ schedule: '1f1b', ranks: 2, microbatches: 4, data: 'spirals', width: 8 });
const memory = () => {
    /** @type {any} */ (globalThis).gc?.();
    return process.memoryUsage().heapUsed;
};
for (let i = 0; i < 1000; i++) run.step();
const [bytes, heap] = [engine.core.memory.buffer.byteLength, memory()];
let loss = 0;
for (let i = 0; i < steps; i++) loss = run.step().loss;
const grown = memory() - heap;
assert.equal(engine.core.memory.buffer.byteLength, bytes);
assert.ok(Number.isFinite(loss));
assert.ok(grown < 1e6, `${grown} bytes more`);
run.close();
console.log(`soak: ${steps} steps, ${bytes} bytes of the core before and after, ${grown} bytes more in the process`);
