// The other engines in Node, from build/peers, where scripts/bench.sh installs what tests/bench/peers/package.json names.
// One that is not there, or does not start, is left out and said so.
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { jaxjs, onnxruntime, startPeers, tfjs } from './peers.mjs';

const home = new URL('../../build/peers/', import.meta.url);
const require = createRequire(new URL('package.json', home));
const inPeers = (/** @type {string} */ path) => new URL(`node_modules/${path}`, home);

export async function openPeers() {
    if (!existsSync(inPeers('onnxruntime-web'))) {
        console.log('  (no peers: npm install --prefix build/peers did not run or failed)');
        return [];
    }
    return startPeers({ 'tfjs-wasm': openTfjs, 'ort-web': openOrt, 'jax-js': openJax }, console.log);
}

async function openTfjs() {
    const tf = require('@tensorflow/tfjs-core');
    // The gradients are ES modules without file extensions, which Node does not load.
    const gradients = fileURLToPath(new URL('gradients.mjs', home));
    buildSync({
        entryPoints: [fileURLToPath(inPeers('@tensorflow/tfjs-core/dist/register_all_gradients.js'))],
        bundle: true,
        format: 'esm',
        platform: 'node',
        outfile: gradients,
        logLevel: 'error',
    });
    await import(gradients);
    const files = fileURLToPath(inPeers('@tensorflow/tfjs-backend-wasm/dist/'));
    return tfjs(tf, require('@tensorflow/tfjs-backend-wasm'), files);
}

async function openOrt() {
    const ort = await import(inPeers('onnxruntime-web/dist/ort.node.min.mjs').href);
    // In Node it defines Worker, which jax-js would take for leave to use threads.
    Object.defineProperty(globalThis, 'Worker', { get: () => undefined, set() {} });
    return onnxruntime(ort);
}

async function openJax() {
    return jaxjs(await import(inPeers('@jax-js/jax/dist/index.js').href));
}
