// The figure before a lecture hall: it fills the screen, its answers wait for a key, the arrows walk the steps of the chapter,
// and two states are kept to switch between. Started by the attribute "lecture" or the key L in the figure; Esc ends it.
import { html, nothing } from 'lit';
import { PRESETS } from '../request/presets.js';
import { textOf } from '../words/strings.js';

/** States that can be kept, by the digit of their key. */
const PLACES = [1, 2];

/**
 * @typedef {object} Hall  what the lecture does with its figure
 * @property {() => string | undefined} step  the step of the chapter the figure stands at
 * @property {(name: string) => void} goTo  a step of the chapter
 * @property {() => string} state  what the figure shows, as an address writes it
 * @property {(state: string) => void} show
 * @property {() => void} end
 */

export class Lecture {
    #hall;
    #host;
    #runs = false;
    /** Are the answers shown? */
    #answers = false;
    /** @type {Map<number, string>} */
    #kept = new Map();

    /** @param {import('lit').LitElement} host @param {Hall} hall */
    constructor(host, hall) {
        this.#host = host;
        this.#hall = hall;
    }

    /** Are answers of the figure hidden now? */
    get hides() {
        return this.#runs && !this.#answers;
    }

    start() {
        if (this.#runs) return;
        this.#runs = true;
        this.#answers = false;
        // The screen may be asked for only where the reader has just done something; else the figure has the window (lecture.css).
        if (navigator.userActivation?.isActive) this.#host.requestFullscreen?.().catch(() => {});
        addEventListener('keydown', this.#onKey, { capture: true });
        addEventListener('fullscreenchange', this.#onFullscreen);
        this.#host.requestUpdate();
    }

    stop() {
        if (!this.#runs) return;
        this.#runs = false;
        removeEventListener('keydown', this.#onKey, { capture: true });
        removeEventListener('fullscreenchange', this.#onFullscreen);
        if (document.fullscreenElement === this.#host) document.exitFullscreen().catch(() => {});
        this.#host.requestUpdate();
    }

    /** The browser's own Esc leaves the full screen before the page hears of it. */
    #onFullscreen = () => {
        if (document.fullscreenElement === null) this.#hall.end();
    };

    /** @param {KeyboardEvent} event */
    #onKey = (event) => {
        const { key, code, ctrlKey, metaKey, altKey } = event;
        const target = /** @type {Element} */ (event.composedPath()[0]);
        if (ctrlKey || metaKey || altKey || event.defaultPrevented) return;
        if (target instanceof Element && target.matches('input, select, textarea')) return;
        const digit = Number(/^Digit([12])$/.exec(code)?.[1] ?? 0);
        const inChart = target instanceof Element && target.closest('.chart') !== null;
        if (key === 'Escape') this.#hall.end();
        else if (digit && event.shiftKey) this.#keep(digit);
        else if (digit) this.#recall(digit);
        else if (key === 'PageDown' || (key === 'ArrowRight' && !inChart)) this.#walk(1);
        else if (key === 'PageUp' || (key === 'ArrowLeft' && !inChart)) this.#walk(-1);
        else if (key === ' ' && !inChart && !target.matches('button')) this.#turn();
        else return;
        event.preventDefault();
        event.stopPropagation();
    };

    #turn = () => {
        this.#answers = !this.#answers;
        this.#host.requestUpdate();
    };

    /** @param {number} by  steps of the chapter */
    #walk(by) {
        const at = PRESETS.findIndex(({ name }) => name === this.#hall.step());
        const next = PRESETS[at < 0 ? 0 : at + by];
        if (!next) return;
        this.#answers = false;
        this.#hall.goTo(next.name);
    }

    /** @param {number} digit */
    #keep(digit) {
        this.#kept.set(digit, this.#hall.state());
        this.#host.requestUpdate();
    }

    /** @param {number} digit */
    #recall(digit) {
        const state = this.#kept.get(digit);
        if (state !== undefined) this.#hall.show(state);
    }

    /** @param {string} lang */
    render(lang) {
        if (!this.#runs) return nothing;
        const t = (/** @type {string} */ key, /** @type {(string | number)[]} */ ...values) =>
            textOf(lang, key, ...values);
        const button = (/** @type {string} */ name, /** @type {() => void} */ act, /** @type {unknown} */ words) =>
            html`<button type="button" class="action" data-lecture=${name} @click=${act}>${words}</button>`;
        return html`<div class="lecture" part="lecture" role="toolbar" aria-label=${t('lecture')}>
            ${button('back', () => this.#walk(-1), t('lecture_back'))}
            ${button('on', () => this.#walk(1), t('lecture_on'))}
            ${button('answers', this.#turn, t(this.#answers ? 'lecture_hide' : 'lecture_show'))}
            ${PLACES.map(
                (digit) => html`${button(`keep${digit}`, () => this.#keep(digit), t('lecture_keep', digit))}
                    ${this.#kept.has(digit) ? button(`recall${digit}`, () => this.#recall(digit), t('lecture_recall', digit)) : nothing}`,
            )}
            ${button('end', () => this.#hall.end(), t('lecture_end'))}
            <span class="keys">${t('lecture_keys')}</span>
        </div>`;
    }
}
