// Which keys the figure uses. A page around it may turn its leaves at an arrow, or search at a letter: what the figure uses
// stops at the figure, and all the rest goes on to the page. Said once for all controls, since a page cannot tell what
// inside a figure has the focus.

const WALKING = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'PageUp', 'PageDown'];
const PRESSING = ['Enter', ' '];
const WRITING = [...WALKING, 'Enter', 'Backspace', 'Delete', 'Insert'];
/** With Ctrl or Cmd, in a field of text. */
const CLIPBOARD = 'acvxyz';

/** Fields that are written in. @param {EventTarget} target */
const isText = (target) =>
    target instanceof HTMLTextAreaElement ||
    (target instanceof HTMLInputElement && !['range', 'checkbox', 'radio', 'file'].includes(target.type));

/**
 * Does the browser itself do something with the key where it was pressed?
 * @param {EventTarget} target @param {{ key: string, ctrlKey: boolean, metaKey: boolean, altKey: boolean }} event
 */
function isNative(target, { key, ctrlKey, metaKey, altKey }) {
    const letter = key.length === 1;
    const command = ctrlKey || metaKey;
    if (isText(target)) {
        return letter ? !command || CLIPBOARD.includes(key.toLowerCase()) : !altKey && WRITING.includes(key);
    }
    if (command || altKey) return false;
    if (target instanceof HTMLSelectElement) return letter || [...WALKING, 'Enter', 'Escape'].includes(key);
    if (target instanceof HTMLInputElement) return (target.type === 'range' ? WALKING : PRESSING).includes(key);
    if (!(target instanceof HTMLElement)) return false;
    if (target.matches('button, summary, a')) return PRESSING.includes(key);
    const { scrollWidth, clientWidth, scrollHeight, clientHeight } = target;
    return (scrollWidth > clientWidth || scrollHeight > clientHeight) && [...WALKING, ' '].includes(key);
}

/** Keys of the figure that are down: what follows from them stops as well. @type {Set<string>} */
const held = new Set();

/** A listener for keydown, keypress and keyup, behind all others of the figure. @param {KeyboardEvent} event */
export function keepKeys(event) {
    const { type, key } = event;
    if (type === 'keydown') {
        // What the figure has done something with, it has said so of.
        if (event.defaultPrevented || isNative(event.composedPath()[0], event)) held.add(key);
        else held.delete(key);
    }
    if (held.has(key)) event.stopPropagation();
    if (type === 'keyup') held.delete(key);
}

/** What a finger moves sideways. */
const DRAGGED = '.scrub, input[type="range"], .strip, .bar, .sweep, .chart, .beside, .scroller';

/**
 * A listener for touches: a page that is leafed through with a finger is not, where the finger moves a number, a handle, or a
 * picture wider than its box. @param {Event} event
 */
export function keepTouches(event) {
    const target = /** @type {Element} */ (event.composedPath()[0]);
    const held = target instanceof Element && target.closest(DRAGGED);
    if (!held) return;
    const scrolls = !held.matches('.chart, .beside, .scroller') || held.scrollWidth > held.clientWidth;
    if (scrolls || held.matches('.ordering')) event.stopPropagation();
}
