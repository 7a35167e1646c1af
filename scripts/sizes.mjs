// npm run sizes: what the one script is made of, after a build. Bytes are those in the bundle; the compressed size of a part
// is what the bundle would lose without it, measured on its minified text alone, so parts add up to somewhat more than the
// whole. The core, and the texts, styles and long strings, are packed by the build; a module counts its strings as well.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { transform } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));
const built = JSON.parse(readFileSync(`${root}build/parts.json`, 'utf8'));
const parts = built['pipeline-figure.iife.js'];

/** Files of packages count as their package. @param {string} file */
const groupOf = (file) =>
    /node_modules\/((?:@[^/]*\/)?[^/]*)\//.exec(file)?.[1] ?? file.replace(/^.*?:/, '').replace(root, '');

/** @param {string} file */
async function compressed(file) {
    const text = readFileSync(file.startsWith('/') ? file : root + file);
    const loader = file.endsWith('.css') ? 'css' : 'js';
    const { code } = await transform(text.toString(), { loader, minify: true, target: 'es2022' });
    return gzipSync(code, { level: 9 }).length;
}

const groups = new Map();
for (const [name, bytes] of Object.entries(built.packed))
    groups.set(`${name}, packed`, { bytes: Math.ceil((bytes * 4) / 3), gzip: bytes });
for (const [file, { bytesInOutput }] of Object.entries(parts)) {
    if (bytesInOutput === 0 || /^packed:|\.(wasm|css)$|strings\.(en|ru)\.js$/.test(file)) continue; // in what is packed
    const group = groups.get(groupOf(file)) ?? { bytes: 0, gzip: 0 };
    group.bytes += bytesInOutput;
    group.gzip += await compressed(file.replace(/^.*?:/, ''));
    groups.set(groupOf(file), group);
}
for (const [name, { bytes, gzip }] of [...groups].sort(([, a], [, b]) => b.gzip - a.gzip)) {
    console.log(`${String(bytes).padStart(8)} bytes ${String(gzip).padStart(7)} gzip  ${name}`);
}
