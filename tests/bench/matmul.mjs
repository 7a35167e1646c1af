// The kernels of the toy network in Node (kernels.mjs): node tests/bench/matmul.mjs [--quick] [--cpu]
// Relaxed multiply-add is measured where the build has it and this Node too (Node 20 with
// --experimental-wasm-relaxed-simd).
import { existsSync, readFileSync } from 'node:fs';
import { benchKernels } from './kernels.mjs';
import { openPeers } from './peers-node.mjs';

const built = (/** @type {string} */ name) => new URL(`../../build/wasm/${name}.wasm`, import.meta.url);
const madd = ['core_madd', 'tile_madd'].map(built);
const usable = madd.every(existsSync) && WebAssembly.validate(readFileSync(madd[0]));
if (!usable) console.log('  (no relaxed multiply-add: the compiler or this Node has none)');
// --cpu: time of the processor instead of the clock on the wall, for a machine that is busy with other things. It counts
// what helper threads do as well, such as those of the collector, which the other engines give more to do.
const processor = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e3;
};
await benchKernels({
    ...(process.argv.includes('--cpu') ? { clock: processor, slice: 2e-3 } : {}),
    kernels: readFileSync(built('kernels')),
    madd: usable ? [readFileSync(madd[0]), readFileSync(madd[1])] : undefined,
    peers: await openPeers(),
    print: console.log,
    quick: process.argv.includes('--quick'),
});
