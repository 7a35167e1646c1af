// The compiled core for Node, under the name pipeline-figure/core-bytes (package.json "exports"). In bundles the same
// name stands for the inlined bytes, or for core-bytes-url.js in the slim one: see build.mjs.
import { readFileSync } from 'node:fs';

/** @type {Uint8Array} */
const bytes = readFileSync(new URL('../../dist/core.wasm', import.meta.url));

export default bytes;
