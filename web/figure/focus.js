// Focus that stays in the figure. A button goes away with what it has done, or has nothing more to do: without care the focus
// would fall to the body of the page, and a reader without a mouse would begin again at its top.

const FOCUSABLE = 'button, input, select, textarea, summary, a[href], [tabindex="0"]';

/** @param {Element} node */
const takesFocus = (node) =>
    node.isConnected && !(/** @type {any} */ (node).disabled) && node.getClientRects().length > 0;

export class Focus {
    /** @type {HTMLElement | null} */
    #held = null;
    /** Where the focus may go if that goes away, the best first. @type {Element[]} */
    #others = [];

    /** Before the figure draws. @param {ShadowRoot} root */
    note(root) {
        const held = /** @type {HTMLElement | null} */ (root.activeElement);
        this.#held = held;
        if (!held) return;
        const all = [...root.querySelectorAll(FOCUSABLE)];
        const at = all.indexOf(held);
        const [before, after] = [all.slice(0, Math.max(0, at)).reverse(), all.slice(at + 1)];
        const beside = [...after, ...before].filter((node) => node.parentNode === held.parentNode);
        this.#others = [...beside, ...before, ...after];
    }

    /** After it has drawn. */
    keep() {
        const held = this.#held;
        this.#held = null;
        if (!held || takesFocus(held)) return;
        /** @type {HTMLElement | undefined} */ (this.#others.find(takesFocus))?.focus();
    }
}
