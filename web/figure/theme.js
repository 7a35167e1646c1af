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
        const lang = at instanceof HTMLElement ? at.lang : at.getAttribute('lang');
        if (lang) return languageOf(lang);
    }
    return 'ru';
}

/**
 * Does the page look dark without saying so in color-scheme? Then light-dark() inside would choose wrongly. Asks the
 * nearest ground that is not see-through.
 * @param {Element} node
 */
export function isOnUnsaidDark(node) {
    if (getComputedStyle(node).colorScheme !== 'normal') return false;
    for (let at = /** @type {Element | null} */ (node); at; at = above(at)) {
        const channels = getComputedStyle(at)
            .backgroundColor.match(/[\d.]+/g)
            ?.map(Number);
        if (!channels || channels.length < 3 || channels[3] === 0) continue;
        const [red, green, blue] = channels;
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 110;
    }
    return false;
}

/** @type {Set<() => void>} */
const watchers = new Set();
/** @type {MutationObserver | undefined} */
let observer;

function tell() {
    for (const watcher of watchers) watcher();
}

/** A ground that changes by degrees has its colour at the end. @param {TransitionEvent} event */
function onTransition({ propertyName }) {
    if (propertyName === 'background-color') tell();
}

/** @type {MediaQueryList[]} */
let media = [];

/**
 * Calls back when the page may have changed its language or theme: by an attribute, a style sheet that came late, the
 * system, or paper. One observer a page. @param {() => void} callback
 */
export function watchPage(callback) {
    watchers.add(callback);
    if (watchers.size === 1) {
        observer ??= new MutationObserver(tell);
        for (const root of [document.documentElement, document.body])
            if (root) observer.observe(root, { attributes: true });
        media = ['(prefers-color-scheme: dark)', '(forced-colors: active)', 'print'].map((query) => matchMedia(query));
        for (const list of media) list.addEventListener('change', tell);
        addEventListener('load', tell);
        addEventListener('transitionend', onTransition);
    }
    return () => {
        watchers.delete(callback);
        if (watchers.size > 0) return;
        observer?.disconnect();
        for (const list of media) list.removeEventListener('change', tell);
        removeEventListener('load', tell);
        removeEventListener('transitionend', onTransition);
    };
}

/** The reader wants nothing to move by itself. */
export const prefersStill = () => matchMedia('(prefers-reduced-motion: reduce)').matches;
