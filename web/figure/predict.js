// Predict before you see: the answer is hidden until the reader has said what to expect.
import { html, nothing } from 'lit';
import { textOf } from '../words/strings.js';
import { FIELDS, shownTerm } from './challenge.js';

/** @typedef {import('../engine/types.js').Simulation} Simulation */

/** Shares are guessed to a percent. */
const NEAR = 0.005;
const isShare = (/** @type {string} */ name) => name === 'bubble' || name === 'utilization';

/**
 * A number as a reader writes it: 27,3 %, 3/11, 33. NaN where it is none.
 * @param {string} text @param {string} name
 */
export function guessIn(text, name) {
    const [, upper, lower, percent] = /^\s*(\d+(?:[.,]\d+)?)(?:\s*\/\s*(\d+))?\s*(%?)\s*$/.exec(text) ?? [];
    const value = Number((upper ?? 'none').replace(',', '.')) / Number(lower ?? 1);
    // Of a share more than one is meant in percent.
    return percent || (isShare(name) && value > 1) ? value / 100 : value;
}

export class Prediction {
    /** What was asked and what was said; NaN: nothing. @type {{ name: string, guess: number } | null} */
    #said = null;
    #reveal;

    /** @param {(term: { name: string, sign: string, value: number, seen: number, holds: boolean } | null) => void} reveal */
    constructor(reveal) {
        this.#reveal = reveal;
    }

    /** Is the answer still hidden? @param {string | null} name of the attribute */
    hides(name) {
        return name !== null && Object.hasOwn(FIELDS, name) && this.#said?.name !== name;
    }

    /** @param {string} name @param {number} guess @param {Simulation} simulation */
    #term(name, guess, { summary, config }) {
        const seen = summary[FIELDS[name]] ?? config[FIELDS[name]];
        const holds = isShare(name) ? Math.abs(guess - seen) < NEAR : guess === seen;
        return { name, sign: '=', value: guess, seen, holds };
    }

    /** The question. @param {string} name @param {Simulation} simulation @param {string} lang */
    ask(name, simulation, lang) {
        const submit = (/** @type {Event} */ event) => {
            event.preventDefault();
            const { value } = /** @type {HTMLInputElement} */ (
                /** @type {HTMLFormElement} */ (event.currentTarget).querySelector('input')
            );
            const guess = guessIn(value, name);
            this.#said = { name, guess };
            this.#reveal(Number.isNaN(guess) ? null : this.#term(name, guess, simulation));
        };
        return html`<form class="challenge buttons" part="challenge" @submit=${submit}>
            <label class="field"><span>${textOf(lang, 'predict_ask', textOf(lang, `challenge_${name}`))}</span>
                <input class="short" type="text" inputmode="decimal" autocomplete="off"></label>
            <button class="action primary">${textOf(lang, 'predict_show')}</button></form>`;
    }

    /** What came of it; as it was when it was said. @param {string | null} name @param {Simulation} simulation @param {string} lang */
    verdict(name, simulation, lang) {
        if (!name || this.#said?.name !== name || Number.isNaN(this.#said.guess)) return nothing;
        const { guess } = this.#said;
        const { seen, holds } = this.#term(name, guess, simulation);
        const [said, came] = [guess, seen].map((value) => shownTerm(name, value, lang));
        const words = textOf(lang, 'predict_said', textOf(lang, `challenge_${name}`), said, came);
        return html`<p class="challenge said" part="challenge" tabindex="-1">${words} <b ?data-right=${holds}>${textOf(lang, holds ? 'predict_right' : 'predict_wrong')}</b></p>`;
    }
}
