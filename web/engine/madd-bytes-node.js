// Products with relaxed multiply-add for Node, under the name pipeline-figure/madd-bytes, as core-bytes-node.js has the core.
// Where the compiler could not make them there are none.
import { existsSync, readFileSync } from 'node:fs';

const file = new URL('../../dist/core.madd.wasm', import.meta.url);

/** @type {Uint8Array | undefined} */
const bytes = existsSync(file) ? readFileSync(file) : undefined;

export default bytes;
