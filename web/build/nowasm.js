// The package without WebAssembly. build.mjs makes pipeline-figure.nowasm.js from it and puts `standIn` wherever the
// modules say WebAssembly; the core is JavaScript (wasm-to-js.mjs), slower and larger, with equal numbers.
import { loadEngine as load } from '../engine/load.js';
import { standIn } from './nowasm-stand-in.js';

export * from '../figure/index.js';

// Another copy of the script on this page may have left a module of real WebAssembly, or its failure, as the shared one.
export const loadEngine = () => load(/** @type {any} */ (new standIn.Module()));
