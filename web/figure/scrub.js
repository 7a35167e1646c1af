// A number inside a sentence that can be changed where it stands: typed, by the arrow keys, or dragged sideways.
import { html } from 'lit';
import { live } from 'lit/directives/live.js';

/** Sideways pixels that change the number by one. */
const PIXELS_PER_STEP = 10;

/** @param {Event} event  of the field, or of the frame around it, which takes the pointer */
const field = (event) =>
    /** @type {HTMLInputElement} */ (/** @type {Element} */ (event.currentTarget).closest('.scrub')?.firstElementChild);
/** @param {HTMLInputElement} input */
const isFocused = (input) => input.matches(':focus');

/**
 * @typedef {object} ScrubState
 * @property {string} value  as typed
 * @property {number} min
 * @property {number} max
 * @property {string} label  what the number counts
 * @property {string} valueText  the number with its noun, as it is spoken
 * @property {string} hint  how it can be changed
 */

export class Scrub {
    #change;
    #update;
    /** What stands in the field while it is not yet a value of the figure: nothing, or a lone minus. @type {string | null} */
    #typed = null;
    /** @type {{ x: number, from: number, before: string, moved: boolean } | null} */
    #drag = null;
    /** @type {ScrubState | null} */
    #state = null;

    /** @param {(value: string) => void} change @param {() => void} update  asks the host to draw again */
    constructor(change, update) {
        this.#change = change;
        this.#update = update;
    }

    /** @param {ScrubState} state */
    render(state) {
        this.#state = state;
        const shown = this.#typed ?? state.value;
        const number = Number(state.value);
        return html`<span class="scrub" data-shown=${shown} @mousedown=${this.#onMouseDown} @pointerdown=${this.#onDown}
            @pointermove=${this.#onMove} @pointerup=${this.#onUp} @pointercancel=${this.#onCancel} @lostpointercapture=${this.#onUp}><input type="text" size="1" inputmode="numeric" autocomplete="off"
            role="spinbutton" aria-label=${state.label} aria-valuenow=${Number.isFinite(number) ? number : state.min}
            aria-valuemin=${state.min} aria-valuemax=${state.max} aria-valuetext=${state.valueText} title=${state.hint}
            .value=${live(shown)} @input=${this.#onInput} @blur=${this.#onBlur} @focus=${this.#onFocus}
            @keydown=${this.#onKey}></span>`;
    }

    /** @param {number} value */
    #set(value) {
        const { min, max } = /** @type {ScrubState} */ (this.#state);
        this.#typed = null;
        this.#change(String(Math.min(max, Math.max(min, value))));
    }

    #number() {
        const { value, min } = /** @type {ScrubState} */ (this.#state);
        const number = Number(value);
        return Number.isFinite(number) ? Math.round(number) : min;
    }

    /** @param {InputEvent} event */
    #onInput = (event) => {
        const text = field(event).value.trim();
        this.#typed = text === '' ? '' : null;
        if (text === '') this.#update();
        else this.#change(text);
    };

    /** @param {FocusEvent} event */
    #onFocus = (event) => {
        field(event).select();
    };

    #onBlur = () => {
        this.#typed = null;
        this.#update();
    };

    /** @param {KeyboardEvent} event */
    #onKey = (event) => {
        const steps = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
        if (steps === undefined) return;
        event.preventDefault();
        this.#set(this.#number() + steps);
    };

    /** Until it is known whether this is a drag, the field takes neither focus nor selection. @param {MouseEvent} event */
    #onMouseDown = (event) => {
        if (!isFocused(field(event))) event.preventDefault();
    };

    /** @param {PointerEvent} event */
    #onDown = (event) => {
        if (event.button !== 0 || isFocused(field(event))) return;
        // From the first moment on: a quick hand has left the number before it has moved by one.
        /** @type {Element} */ (event.currentTarget).setPointerCapture(event.pointerId);
        const value = /** @type {ScrubState} */ (this.#state).value;
        this.#drag = { x: event.clientX, from: this.#number(), before: value, moved: false };
    };

    /** @param {PointerEvent} event */
    #onMove = (event) => {
        if (event.buttons === 0) this.#drag = null; // let go of elsewhere
        const drag = this.#drag;
        if (!drag) return;
        const steps = Math.trunc((event.clientX - drag.x) / PIXELS_PER_STEP);
        if (!drag.moved) {
            if (steps === 0) return;
            drag.moved = true;
        }
        event.preventDefault();
        this.#set(drag.from + steps);
    };

    /** @param {PointerEvent} event */
    #onUp = (event) => {
        const drag = this.#drag;
        this.#drag = null;
        if (drag && !drag.moved && event.type === 'pointerup') field(event).focus();
    };

    /** The browser took the gesture for a scroll: as if it had not been. */
    #onCancel = () => {
        const drag = this.#drag;
        this.#drag = null;
        if (drag?.moved) this.#change(drag.before);
    };
}
