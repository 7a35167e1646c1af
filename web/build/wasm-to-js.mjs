// The core as JavaScript, for browsers and pages that forbid WebAssembly: what wasm2js (of Binaryen, which every Emscripten
// brings along) makes of core.wasm, as a function that gives a fresh instance at each call.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// What a newer Emscripten may use unasked, and wasm2js can take back.
const features = ['--enable-mutable-globals', '--enable-sign-ext', '--enable-bulk-memory'];

/**
 * @param {string} core  path of the wasm @param {string} [wasm2js] @returns {string} a module whose default export makes
 * an instance: its memory and functions
 */
export function wasmToJs(core, wasm2js = process.env.PP_WASM2JS || 'wasm2js') {
    const folder = mkdtempSync(join(tmpdir(), 'pipeline-figure-'));
    const out = join(folder, 'core.js');
    let text;
    try {
        execFileSync(wasm2js, [core, '-O', ...features, '-o', out], { stdio: ['ignore', 'ignore', 'inherit'] });
        text = readFileSync(out, 'utf8');
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
    // It comes as a module with one instance. Kept is the function that makes instances; Binaryen's versions differ in
    // whether they hand it the imports flat or by module.
    const end = text.search(/^var retasmFunc\b/m);
    const body = text.slice(0, end).replace(/^import\b.*\n/gm, '');
    if (end < 0 || !body.includes('function asmFunc(')) throw new Error('wasm2js writes what build.mjs does not know');
    return `export default function instance() {
${body}
const env = { abort() { throw new Error('abort'); }, emscripten_notify_memory_growth() {} };
return asmFunc({ ...env, env });
}
`;
}
