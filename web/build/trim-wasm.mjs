// The core without what a script does not call: exports that no module of web/ names go, and with them what only they reach.
// Only the build needs this file.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Every browser that has the vectors of the core has these too. */
const features = ['simd', 'mutable-globals', 'sign-ext', 'bulk-memory', 'nontrapping-float-to-int'];
const KEPT = /^(memory|__indirect_function_table|_initialize)$/;

/** @param {Uint8Array} module @param {(name: string) => boolean} keeps @returns {Uint8Array} */
export function withoutExports(module, keeps) {
    const number = (/** @type {number} */ at) => {
        let value = 0;
        for (let k = 0; ; k++) {
            value |= (module[at + k] & 127) << (7 * k);
            if (module[at + k] < 128) return { value, next: at + k + 1 };
        }
    };
    const leb = (/** @type {number} */ value) => {
        const bytes = [];
        for (; value > 127; value >>>= 7) bytes.push((value & 127) | 128);
        return [...bytes, value];
    };
    /** @type {Uint8Array[]} */
    const out = [module.subarray(0, 8)];
    for (let at = 8; at < module.length; ) {
        const { value: size, next: begin } = number(at + 1);
        if (module[at] !== 7) out.push(module.subarray(at, begin + size));
        else {
            const kept = [];
            const { value: count, next } = number(begin);
            for (let i = 0, from = next; i < count; i++) {
                const name = number(from);
                const end = name.next + name.value;
                const { next } = number(end + 1);
                if (keeps(Buffer.from(module.subarray(name.next, end)).toString()))
                    kept.push(module.subarray(from, next));
                from = next;
            }
            const content = Buffer.concat([Uint8Array.from(leb(kept.length)), ...kept]);
            out.push(Uint8Array.from([7, ...leb(content.length)]), content);
        }
        at = begin + size;
    }
    return new Uint8Array(Buffer.concat(out));
}

/**
 * @param {Uint8Array} core @param {string} code  of the modules that may call it @param {string} [wasmOpt]  Binaryen's, which
 *     stands beside wasm2js
 * @returns {Uint8Array}
 */
export function trimWasm(core, code, wasmOpt = (process.env.PP_WASM2JS || 'wasm2js').replace(/wasm2js$/, 'wasm-opt')) {
    const words = new Set(code.match(/\w+/g));
    const folder = mkdtempSync(join(tmpdir(), 'pipeline-figure-'));
    const [from, to] = ['from', 'to'].map((name) => join(folder, `${name}.wasm`));
    try {
        writeFileSync(
            from,
            withoutExports(core, (name) => KEPT.test(name) || words.has(name)),
        );
        const enabled = features.map((feature) => `--enable-${feature}`);
        execFileSync(wasmOpt, [from, '-Oz', ...enabled, '-o', to], { stdio: ['ignore', 'ignore', 'inherit'] });
        return new Uint8Array(readFileSync(to));
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}
