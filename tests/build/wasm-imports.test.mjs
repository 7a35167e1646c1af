// The compiled core leans on nothing outside itself, and exports what the headers declare, no more and no less.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';

const folder = new URL('../../c_src/', import.meta.url);
const read = (/** @type {string} */ name) =>
    new WebAssembly.Module(readFileSync(new URL(`../../${name}.wasm`, import.meta.url)));
const core = read('dist/core');
const rest = read('dist/core.rest');
const functionsOf = (/** @type {WebAssembly.ModuleExportDescriptor[]} */ list) =>
    list.filter(({ kind }) => kind === 'function').map(({ name }) => name);
const given = functionsOf(WebAssembly.Module.exports(core));
const taken = functionsOf(WebAssembly.Module.imports(rest));
const more = functionsOf(WebAssembly.Module.exports(rest));

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

test('the core calls the notice of memory growth, the words for files, and nothing else outside itself', () => {
    assert.deepEqual(
        WebAssembly.Module.imports(core)
            .map(({ module, name, kind }) => `${kind} ${module}.${name}`)
            .sort(),
        [
            'function env.emscripten_notify_memory_growth',
            'function env.pp_file_option_words',
            'function env.pp_file_rule',
            'function env.pp_file_words',
        ],
    );
});

test('what the core calls, its rest has', () => {
    const called = functionsOf(WebAssembly.Module.imports(core)).filter((name) => name.startsWith('pp_'));
    assert.deepEqual(
        called.filter((name) => !more.includes(name)),
        [],
    );
});

test('the rest of the core works in its memory, and calls nothing but the core', () => {
    const others = WebAssembly.Module.imports(rest).filter(({ kind }) => kind !== 'function');
    assert.deepEqual(others, [{ module: 'env', name: 'memory', kind: 'memory' }]);
    assert.deepEqual(
        taken.filter((name) => !given.includes(name)),
        [],
    );
    assert.ok(!taken.some((name) => /alloc|free/.test(name)));
    // What has functions in it: each module has a table of its own, in which the other's pointers mean something else.
    assert.ok(!taken.includes('pp_generator_of'));
});

test('the rest has its data and its stack below those of the core', async () => {
    const { exports: own } = await WebAssembly.instantiate(core, { env: new Proxy({}, { get: () => () => 0 }) });
    const { exports: other } = await WebAssembly.instantiate(rest, { env: own });
    const { pp_schedule_name: nameAt } = /** @type {any} */ (own);
    const [end, base] = [/** @type {any} */ (other).__heap_base.value, 524288]; // GLOBAL_BASE in CMakeLists.txt
    assert.ok(end > 262144 && end <= base, `the rest ends at ${end}`);
    assert.ok(nameAt(0) >= base, `the core has a text at ${nameAt(0)}`);
});

test('each function marked in a header is exported, and each exported pp_ function is marked in one', () => {
    const declared = marked();
    assert.ok(declared.length > 0, 'no header marks anything');
    assert.equal(new Set(declared).size, declared.length, 'a name is marked twice');
    // What one module gives the other need not be marked.
    const called = functionsOf(WebAssembly.Module.imports(core));
    const functions = [...given, ...more].filter(
        (name) => declared.includes(name) || !(taken.includes(name) || called.includes(name)),
    );
    assert.equal(new Set(functions.filter((name) => name.startsWith('pp_'))).size, declared.length, 'in both modules');
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

test('the core of the script without WebAssembly is the same in one module, without SIMD', () => {
    const scalar = read('build/wasm/core_scalar');
    const marks = new Set(marked());
    const both = new Set([...given, ...more].filter((name) => marks.has(name)));
    assert.deepEqual(new Set(functionsOf(WebAssembly.Module.exports(scalar)).filter((name) => marks.has(name))), both);
    assert.deepEqual(functionsOf(WebAssembly.Module.imports(scalar)), ['emscripten_notify_memory_growth']);
});

test('the core exports its memory', () => {
    assert.ok(WebAssembly.Module.exports(core).some(({ kind, name }) => kind === 'memory' && name === 'memory'));
});
