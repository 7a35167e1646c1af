// kernels.mjs in a page, bundled by browsers.mjs: writes its lines to globalThis.lines, then sets globalThis.ended.
import { benchKernels } from './kernels.mjs';
import { jaxjs, onnxruntime, startPeers, tfjs } from './peers.mjs';

const page = /** @type {any} */ (globalThis);
page.lines = [];
const print = (/** @type {string} */ line) => page.lines.push(line);
const bytes = async (/** @type {string} */ path) => {
    const response = await fetch(path);
    return response.ok ? response.arrayBuffer() : undefined;
};

async function run() {
    const [kernels, products, tiles] = await Promise.all(
        ['kernels', 'core_madd', 'tile_madd'].map((name) => bytes(`/wasm/${name}.wasm`)),
    );
    if (!kernels) throw new Error('no kernels.wasm');
    const usable = products && tiles && WebAssembly.validate(products);
    if (!usable) print('  (no relaxed multiply-add: the compiler or this browser has none)');
    const modules = '/peers/node_modules';
    const peers = await startPeers(
        {
            'tfjs-wasm': async () => {
                const tf = await import('@tensorflow/tfjs-core');
                await import('@tensorflow/tfjs-core/dist/register_all_gradients.js');
                const wasm = await import('@tensorflow/tfjs-backend-wasm');
                return tfjs(tf, wasm, `${modules}/@tensorflow/tfjs-backend-wasm/dist/`);
            },
            'ort-web': async () => {
                const ort = await import('onnxruntime-web/wasm');
                ort.env.wasm.wasmPaths = `${modules}/onnxruntime-web/dist/`;
                return onnxruntime(ort);
            },
            'jax-js': async () => {
                page.Worker = undefined; // which it would take for leave to use threads
                return jaxjs(await import('@jax-js/jax'));
            },
        },
        print,
    );
    const madd = usable ? /** @type {[ArrayBuffer, ArrayBuffer]} */ ([products, tiles]) : undefined;
    // A clock in an isolated page tells 5 or 20 microseconds apart, elsewhere up to a millisecond.
    const slice = page.crossOriginIsolated ? 2e-3 : 2e-2;
    await benchKernels({ kernels, madd, peers, print, quick: location.hash === '#quick', slice });
}

run()
    .catch((error) => print(`failed: ${error?.stack ?? error}`))
    .finally(() => {
        page.ended = true;
    });
