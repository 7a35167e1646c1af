// The kernels of the toy network in Node (kernels.mjs): node tests/bench/matmul.mjs [--quick]
// Relaxed multiply-add is measured where the build has it and this Node too (Node 20 with
// --experimental-wasm-relaxed-simd).
import { existsSync, readFileSync } from 'node:fs';
import { benchKernels } from './kernels.mjs';
import { openPeers } from './peers-node.mjs';

const built = (/** @type {string} */ name) => new URL(`../../build/wasm/${name}.wasm`, import.meta.url);
const madd = ['core_madd', 'tile_madd'].map(built);
const usable = madd.every(existsSync) && WebAssembly.validate(readFileSync(madd[0]));
if (!usable) console.log('  (no relaxed multiply-add: the compiler or this Node has none)');
await benchKernels({
    kernels: readFileSync(built('kernels')),
    madd: usable ? [readFileSync(madd[0]), readFileSync(madd[1])] : undefined,
    peers: await openPeers(),
    print: console.log,
    quick: process.argv.includes('--quick'),
});
