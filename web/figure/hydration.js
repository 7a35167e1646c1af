// When a figure comes to life: near the screen, or at once when the page is printed. One core a page.
import { completeEngine, loadCore, loadCoreNow } from '../engine/load.js';
import { loadPart } from '../parts/load.js';
import { learn, speaks } from '../words/strings.js';

/** @typedef {import('../engine/engine.js').Engine} Engine */

/** @type {Engine | undefined} */
let engine;
/** @type {Promise<Engine> | undefined} */
let loading;

/** Where this script lies; for a module, and a script written into the page, the page's own folder. */
const ownFolder =
    typeof document === 'undefined'
        ? ''
        : new URL('.', /** @type {HTMLScriptElement | null} */ (document.currentScript)?.src || document.baseURI).href;

/**
 * Scripts that a trusted script adds are trusted themselves, so an attribute may name only a file beside this one: whoever may
 * write attributes, but no scripts, must not run one by it. @param {string} source
 */
function besideUs(source) {
    const { href } = new URL(source, document.baseURI);
    if (!href.startsWith(ownFolder) || href.slice(ownFolder.length).includes('/'))
        throw new TypeError(`pipeline-figure: ${source} does not lie beside the script of the figure`);
    return href;
}

/** By address. @type {Map<string, Promise<Engine>>} */
const plainLoading = new Map();

/**
 * The core from a script without WebAssembly. A classic script, since a page opened from disk may load no module.
 * @param {string} source @returns {Promise<Engine>}
 */
function loadPlain(source) {
    const known = plainLoading.get(source);
    if (known) return known;
    const loading = new Promise((loaded, failed) => {
        const script = document.createElement('script');
        script.addEventListener('load', () => loaded(/** @type {any} */ (globalThis).PipelineFigure.loadEngine()));
        script.addEventListener('error', failed);
        script.src = besideUs(source); // throws where trusted types are required
        document.head.append(script);
    });
    plainLoading.set(source, loading);
    return loading;
}

/**
 * @param {string | null} [plain]  address of pipeline-figure.nowasm.js, for where WebAssembly is forbidden
 * @returns {Promise<Engine>}
 */
export async function sharedEngine(plain) {
    if (engine) return engine;
    loading ??= loadCore();
    try {
        engine ??= await loading;
    } catch (error) {
        loading = undefined;
        if (!plain) throw error;
        engine ??= await loadPlain(plain).catch(() => {
            throw Object.assign(new Error(plain), { plain });
        });
    }
    return engine;
}

/** The texts of a language, where the page has come without them. @param {string} lang */
export async function learnLanguage(lang) {
    if (speaks(lang)) return;
    try {
        const { table } = await loadPart('english');
        learn(lang, table);
    } catch (error) {
        throw Object.assign(new Error(String(error)), { part: true });
    }
}

/** @type {Promise<Engine> | undefined} */
let completing;

/** Makes the shared engine whole, for what a reader opens. @param {Engine} engine  that a figure lives by */
export function wholeEngine(engine) {
    completing ??= engine.isWhole ? Promise.resolve(engine) : completeEngine(engine);
    completing.catch(() => {
        completing = undefined; // to be asked for again
    });
    return completing;
}

/** Loads all that a reader may open, before it is opened: for a page that is to go on offline, or in a talk. */
export async function loadParts() {
    const panels = ['editing', 'english', 'files', 'teaching', 'training'];
    await Promise.all([...panels.map(loadPart), sharedEngine().then(wholeEngine)]);
}

/** The same at once; undefined where this build or this browser cannot. @returns {Engine | undefined} */
export function sharedEngineNow() {
    try {
        engine ??= loadCoreNow();
    } catch {}
    return engine;
}

/**
 * Why there is no core: key of a text for the reader.
 * @param {any} error
 * @returns {'blocked_policy' | 'blocked_missing' | 'blocked_old' | 'blocked_plain' | 'blocked_file' | 'blocked_other' | 'part_lost'}
 */
export function whyBlocked(error) {
    if (error?.plain) return 'blocked_plain';
    if (error?.file) return 'blocked_file';
    if (error?.part) return 'part_lost';
    if (typeof WebAssembly === 'undefined') return 'blocked_missing';
    if (error instanceof WebAssembly.CompileError && /unsafe-eval|CSP|Content Security/i.test(error.message))
        return 'blocked_policy';
    if (typeof DecompressionStream === 'undefined') return 'blocked_old'; // inflate.js
    return 'blocked_other';
}

/** How far from the screen is near, in pixels. */
const NEAR = 300;
/** @type {IntersectionObserver | undefined} */
let observer;
/** @type {WeakMap<Element, () => void>} */
const waiting = new WeakMap();

/** Calls back once, when an element is on the screen or soon will be. @param {Element} element @param {() => void} callback */
export function whenNear(element, callback) {
    if (typeof IntersectionObserver === 'undefined') {
        callback();
        return;
    }
    // The observer tells with the next frame. The first figure, if it is on the screen when the script comes, does not wait.
    if (!engine) {
        const { top, bottom, width } = element.getBoundingClientRect();
        if (width > 0 && bottom > -NEAR && top < innerHeight + NEAR) {
            queueMicrotask(callback);
            return;
        }
    }
    observer ??= new IntersectionObserver(
        (entries) => {
            for (const { isIntersecting, target } of entries) {
                if (!isIntersecting) continue;
                observer?.unobserve(target);
                waiting.get(target)?.();
                waiting.delete(target);
            }
        },
        { rootMargin: `${NEAR}px` },
    );
    waiting.set(element, callback);
    observer.observe(element);
}

/** @param {Element} element */
export function notNear(element) {
    observer?.unobserve(element);
    waiting.delete(element);
}
