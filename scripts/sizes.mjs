// npm run sizes: what the one script is made of, after a build: bytes of each module in it, and of each package.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const built = JSON.parse(readFileSync(`${root}build/parts.json`, 'utf8'));

/** Files of packages count as their package. @param {string} file */
const groupOf = (file) => /node_modules\/((?:@[^/]*\/)?[^/]*)\//.exec(file)?.[1] ?? file;

/** @type {Map<string, number>} */
const groups = new Map();
for (const [file, { bytesInOutput }] of Object.entries(built['pipeline-figure.js']))
    groups.set(groupOf(file), (groups.get(groupOf(file)) ?? 0) + bytesInOutput);
for (const [name, bytes] of [...groups].sort(([, a], [, b]) => b - a))
    console.log(`${String(bytes).padStart(8)} bytes  ${name}`);
