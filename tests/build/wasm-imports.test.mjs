// The compiled core leans on nothing outside itself, and exports what the headers declare, no more and no less.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';

const folder = new URL('../../c_src/', import.meta.url);
const core = new WebAssembly.Module(readFileSync(new URL('../../dist/core.wasm', import.meta.url)));
const exported = WebAssembly.Module.exports(core);

/** Names in PP_EXPORT(name) in the headers, but for the definition of the macro itself. */
function marked() {
    const names = [];
    for (const file of readdirSync(folder, { encoding: 'utf8', recursive: true }).filter((name) =>
        name.endsWith('.h'),
    )) {
        const lines = readFileSync(new URL(file, folder), 'utf8').split('\n');
        for (const line of lines.filter((text) => !text.startsWith('#define'))) {
            names.push(...[...line.matchAll(/\bPP_EXPORT\((\w+)\)/g)].map((match) => match[1]));
        }
    }
    return names;
}

test('the core imports nothing but the notice of memory growth', () => {
    const imports = WebAssembly.Module.imports(core).map(({ module, name, kind }) => `${kind} ${module}.${name}`);
    assert.deepEqual(
        imports.filter((name) => name !== 'function env.emscripten_notify_memory_growth'),
        [],
    );
});

test('each function marked in a header is exported, and each exported pp_ function is marked in one', () => {
    const declared = marked();
    assert.ok(declared.length > 0, 'no header marks anything');
    assert.equal(new Set(declared).size, declared.length, 'a name is marked twice');
    const functions = exported.filter(({ kind }) => kind === 'function').map(({ name }) => name);
    assert.deepEqual(
        {
            'marked, but not exported': declared.filter((name) => !functions.includes(name)),
            'exported, but not marked': functions.filter((name) => name.startsWith('pp_') && !declared.includes(name)),
        },
        { 'marked, but not exported': [], 'exported, but not marked': [] },
    );
});

test('each exported function is called by something in web/, or by the benchmark', () => {
    const text = ['../../web/', '../bench/']
        .flatMap((name) => {
            const from = new URL(name, import.meta.url);
            return readdirSync(from, { encoding: 'utf8', recursive: true })
                .filter((file) => /\.m?js$/.test(file))
                .map((file) => readFileSync(new URL(file, from), 'utf8'));
        })
        .join('\n');
    const called = new Set(text.match(/\bpp_\w+/g));
    assert.deepEqual(
        marked().filter((name) => !called.has(name)),
        [],
    );
});

test("the figure's core is the same but for communication written into files, and needs no more", () => {
    const figure = new WebAssembly.Module(readFileSync(new URL('../../build/wasm/core_figure.wasm', import.meta.url)));
    const lowering = /^pp_(table_(lower(_bytes)?|steps)|plan_.*|outcome_.*|measured_latency)$/;
    const names = (/** @type {WebAssembly.Module} */ module) =>
        WebAssembly.Module.exports(module).map(({ name }) => name);
    assert.deepEqual(
        names(figure),
        names(core).filter((name) => !lowering.test(name)),
    );
    assert.ok(!names(figure).includes('pp_table_lower') && names(core).includes('pp_table_lower'));
    assert.deepEqual(WebAssembly.Module.imports(figure), WebAssembly.Module.imports(core));
});

test('the core of the script without WebAssembly is the same but for SIMD', () => {
    const [figure, scalar] = ['figure', 'scalar'].map((name) =>
        readFileSync(new URL(`../../build/wasm/core_${name}.wasm`, import.meta.url)),
    );
    const of = (/** @type {BufferSource} */ bytes) => {
        const module = new WebAssembly.Module(bytes);
        return { imports: WebAssembly.Module.imports(module), exports: WebAssembly.Module.exports(module) };
    };
    assert.deepEqual(of(scalar), of(figure));
    assert.ok(!scalar.equals(figure));
});

test('the core exports its memory', () => {
    assert.ok(exported.some(({ kind, name }) => kind === 'memory' && name === 'memory'));
});
