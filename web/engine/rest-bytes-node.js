// The rest of the core for Node, under the name pipeline-figure/rest-bytes, as core-bytes-node.js has the core.
import { readFileSync } from 'node:fs';

/** @type {Uint8Array} */
const bytes = readFileSync(new URL('../../dist/core.rest.wasm', import.meta.url));

export default bytes;
