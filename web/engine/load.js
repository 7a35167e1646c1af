// From bytes to an engine: compiled once a page, one instance a call; the rest of the core and its fused products come when they
// are asked for.
import coreBytes from 'pipeline-figure/core-bytes';
import { loadPart } from '../parts/load.js';
import { Engine } from './engine.js';
import { checkArithmetic, hasFused } from './fused.js';

/** @typedef {import('./fused.js').Arithmetic} Arithmetic */
/** @typedef {{ rest: any }} Outside  the rest of the core, once it is here */

/**
 * What a core calls outside of itself: words of its rest, which may come later, and the notice that memory has grown, which we
 * do not need, since views are never kept.
 * @param {WebAssembly.Module} module
 */
function outsideOf(module) {
    /** @type {Outside} */
    const outside = { rest: null };
    /** @type {Record<string, (...values: number[]) => number>} */
    const env = {};
    for (const { kind, name } of WebAssembly.Module.imports(module))
        if (kind === 'function') env[name] = (...values) => outside.rest?.[name]?.(...values) ?? 0;
    return { outside, imports: { env } };
}

// Compiled once per page, however many copies of the script and figures there are. Different cores differ in
// length.
const shared = /** @type {any} */ (globalThis);
const key = Symbol.for('pipeline-figure');
const kind = String(/** @type {any} */ (coreBytes)?.byteLength ?? coreBytes);

/** @returns {Record<string, Promise<WebAssembly.Module> | WebAssembly.Module | undefined>} */
function cache() {
    shared[key] ??= {};
    shared[key][kind] ??= {};
    return shared[key][kind];
}

/** @param {any} source */
async function compile(source) {
    if (source instanceof WebAssembly.Module) return source;
    if (typeof source === 'function') return WebAssembly.compile(await source());
    if (typeof source === 'string' || source instanceof URL) {
        const response = await fetch(source);
        const bytes = new Uint8Array(await response.arrayBuffer());
        // Servers answer with a page of theirs where a file is missing, some of them with status 200.
        if (!response.ok || ![0, 0x61, 0x73, 0x6d].every((byte, i) => bytes[i] === byte)) {
            const came = [response.status, response.headers.get('content-type'), `${bytes.length} B`];
            const file = String(source).replace(/.*\//, '');
            throw Object.assign(new Error(`pipeline-figure: ${source} answered ${came.join(', ')}`), {
                file,
                came: came.filter(Boolean).join(', '),
            });
        }
        return WebAssembly.compile(bytes);
    }
    return WebAssembly.compile(source);
}

/** What this build carries, compiled: once a page. @param {'core' | 'rest' | 'madd'} name @param {any} bytes */
function own(name, bytes) {
    const held = cache();
    held[name] ??= compile(bytes).then(
        (module) => {
            held[name] = module;
            return module;
        },
        (error) => {
            held[name] = undefined; // to be tried again
            throw error;
        },
    );
    return /** @type {Promise<WebAssembly.Module> | WebAssembly.Module} */ (held[name]);
}

/** Begins to compile the core, which a figure will soon ask for. */
export function prepareCore() {
    Promise.resolve(own('core', coreBytes)).catch(() => {}); // whoever asks for it is told
}

/**
 * The core without its rest, which is all that the first view of a figure needs.
 * @param {string | URL | BufferSource | WebAssembly.Module} [source]  defaults to what this build carries
 */
export async function loadCore(source) {
    const module = await (source === undefined ? own('core', coreBytes) : compile(source));
    const { outside, imports } = outsideOf(module);
    const instance = /** @type {any} */ (await WebAssembly.instantiate(module, imports));
    return new Engine(instance, module, outside);
}

/**
 * The same at once, for printing, where work done later is lost. Only once the core has been compiled (prepareCore).
 * @returns {Engine}
 */
export function loadCoreNow() {
    const { core } = cache();
    if (!(core instanceof WebAssembly.Module)) throw new Error('pipeline-figure: the core is not there yet');
    const { outside, imports } = outsideOf(core);
    return new Engine(new WebAssembly.Instance(core, imports), core, outside);
}

/**
 * @typedef {object} EngineOptions
 * @property {Arithmetic} [arithmetic]  'plain' for numbers that are the same on every machine; else training is fused where the
 *     machine does that, which engine.arithmetic tells
 * @property {string | URL | BufferSource | WebAssembly.Module} [rest]  where core.rest.wasm is, if not where this build has it
 * @property {string | URL | BufferSource | WebAssembly.Module} [madd]  the same of core.madd.wasm
 */

/**
 * Makes an engine whole: with training, files and studies.
 * @param {Engine} engine @param {EngineOptions} [options]
 */
export async function completeEngine(engine, { arithmetic, rest, madd } = {}) {
    checkArithmetic(arithmetic);
    const part = engine.isWhole && madd ? {} : await loadPart('core');
    const products = madd ?? part.madd;
    // A file is under way at the same time; one that is missing is no reason to have no engine.
    const fused =
        arithmetic !== 'plain' && products && hasFused()
            ? Promise.resolve(madd ? compile(madd) : own('madd', part.madd)).catch(() => undefined)
            : undefined;
    if (!engine.isWhole) await engine.join(await (rest ? compile(rest) : own('rest', part.rest)));
    const module = await fused;
    if (module) engine.fuse(module);
    return engine;
}

/**
 * Loads the core, all of it: one compiled module a page, one instance a call.
 * @param {string | URL | BufferSource | WebAssembly.Module} [source]  defaults to what this build carries
 * @param {EngineOptions} [options] @returns {Promise<Engine>}
 */
export async function loadEngine(source, options = {}) {
    checkArithmetic(options.arithmetic);
    return completeEngine(await loadCore(source), options);
}
