// What the element takes over from around it: the language of the page, whether its ground is dark, and whether things may move.
import { languageOf } from '../words/strings.js';

/** The element or shadow host above a node. @param {Node} node @returns {Element | null} */
function above(node) {
    return node.parentElement ?? /** @type {any} */ (node.parentNode)?.host ?? null;
}

/** The nearest lang of a node or above it, Russian where there is none. @param {Element} node */
export function languageAround(node) {
    for (let at = /** @type {Element | null} */ (node); at; at = above(at)) {
        // A property is set before its attribute follows; SVG elements have none.
        const lang = (at instanceof HTMLElement ? at.lang : at.getAttribute('lang')) || at.getAttribute('xml:lang');
        if (lang) return languageOf(lang);
    }
    return 'ru';
}

/** @param {Element} node */
function isDark(node) {
    const channels = getComputedStyle(node)
        .backgroundColor.match(/[\d.]+/g)
        ?.map(Number);
    if (!channels || channels.length < 3 || channels[3] === 0) return null; // see-through
    const [red, green, blue] = channels;
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 110;
}

/** The scheme that colours of a node are chosen by. @param {Element} node @returns {'dark' | 'light'} */
export function schemeOf(node) {
    const said = getComputedStyle(node).colorScheme;
    if (!said.includes('dark')) return 'light';
    if (!said.includes('light')) return 'dark';
    return matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

/**
 * What a node stands on: the nearest ground that is not see-through, or the canvas of the page. A page may be dark without a
 * word of it in color-scheme, and then light-dark() alone would choose wrongly.
 * @param {Element} node @returns {'dark' | 'light'}
 */
export function groundOf(node) {
    for (let at = /** @type {Element | null} */ (node); at; at = at.assignedSlot ?? above(at)) {
        const dark = isDark(at);
        if (dark !== null) return dark ? 'dark' : 'light';
    }
    return schemeOf(node.ownerDocument.documentElement);
}

/** @type {Set<() => void>} */
const watchers = new Set();

function tell() {
    for (const watcher of watchers) watcher();
}

/** A ground that changes by degrees has its colour at the end. @param {TransitionEvent} event */
function onTransition({ propertyName }) {
    if (propertyName === 'background-color') tell();
}

/** @type {MediaQueryList[]} */
let media = [];

/** What is asked once a page, however many figures watch it. */
function watchMedia() {
    media = ['(prefers-color-scheme: dark)', '(forced-colors: active)', 'print'].map((query) => matchMedia(query));
    for (const list of media) list.addEventListener('change', tell);
    addEventListener('load', tell);
    addEventListener('transitionend', onTransition);
    addEventListener('change', tell); // a switch that style sheets ask for by :checked changes no attribute
}

function forgetMedia() {
    for (const list of media) list.removeEventListener('change', tell);
    removeEventListener('load', tell);
    removeEventListener('transitionend', onTransition);
    removeEventListener('change', tell);
}

/**
 * Calls back when the page may have changed its language or theme around a node: by an attribute of anything that the node
 * lies in, a style sheet that came late, the system, or paper.
 * @param {Element} node @param {() => void} callback @returns {() => void} ends it
 */
export function watchPage(node, callback) {
    const observer = new MutationObserver(() => {
        look(); // a slot may be another by now
        callback();
    });
    const look = () => {
        for (let at = node.assignedSlot ?? above(node); at; at = at.assignedSlot ?? above(at)) {
            observer.observe(at, { attributes: true });
        }
    };
    look();
    watchers.add(callback);
    if (watchers.size === 1) watchMedia();
    return () => {
        observer.disconnect();
        watchers.delete(callback);
        if (watchers.size === 0) forgetMedia();
    };
}

/** The reader wants nothing to move by itself. */
export const prefersStill = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
