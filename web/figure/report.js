// What a figure tells: the page by events, readers who do not see the picture by a sentence, the address of the page by the
// figure's state, and a reader with a challenge by whether it is met.
import { countOf, formatShare, title } from '../scene/format.js';
import { textOf } from '../words/strings.js';
import { checkChallenge, parseChallenge } from './challenge.js';
import { differenceText } from './order-words.js';

/**
 * @typedef {import('../engine/types.js').Simulation} Simulation
 * @typedef {import('../request/state.js').Request} Request
 *
 * @typedef {object} Present  the figure as it stands
 * @property {Simulation | null} simulation
 * @property {import('../engine/error.js').PipelineError | null} error
 * @property {Request} request
 * @property {string} lang
 * @property {() => string | null} link  the address of the page with the figure's state; null where it has none
 * @property {() => Simulation | null} generated  the order as it was generated, where the reader has changed it
 */

/** Refusals that are told one right after the other: a listener that answers each by another wrong setting would never end. */
const MOST_REFUSALS = 20;
/** Rest after which the status line speaks. */
const REST_MS = 500;

export class Report {
    #host;
    /** Conditions of the challenge, and the text they were read from. @type {{ text: string | null } & ReturnType<typeof parseChallenge>} */
    #task = { text: null, terms: [], faults: [] };
    #solved = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    #rest;
    /** Refusals that were told in the present task of the page. */
    #refusals = 0;

    /** @param {import('lit').LitElement} host */
    constructor(host) {
        this.#host = host;
    }

    /** @param {string} name @param {any} detail */
    fire(name, detail) {
        this.#host.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
    }

    /** The page may have given another challenge. @param {string | null} text @param {Simulation | null} simulation @param {string} lang */
    readChallenge(text, simulation, lang) {
        if (text === this.#task.text) return;
        this.#task = { text, ...parseChallenge(text) };
        this.#solved = this.#isSolved(simulation);
        for (const fault of this.#task.faults) {
            const message = textOf(lang, 'challenge_unknown', fault);
            this.fire('pipeline-error', { code: 'challenge', option: 'challenge', message });
        }
    }

    /** The conditions of the challenge against the numbers of the core; null where there is nothing to check. @param {Simulation | null} simulation */
    checked(simulation) {
        const { terms } = this.#task;
        return simulation && terms.length > 0 ? checkChallenge(terms, simulation) : null;
    }

    /** @param {Simulation | null} simulation */
    #isSolved(simulation) {
        return this.checked(simulation)?.every(({ holds }) => holds) ?? false;
    }

    /** A new answer is on the screen. @param {import('./figure-state.js').By} by  who asked @param {() => Present} present */
    tell(by, present) {
        const { simulation, error, request } = present();
        if (error) this.#refuse(error);
        if (by === 'page') {
            this.#solved = this.#isSolved(simulation); // the page may ask its reader again
            return;
        }
        this.fire('pipeline-change', { state: request, source: by === 'reader' ? 'user' : 'url' });
        if (by !== 'reader') return;
        this.close();
        this.#rest = setTimeout(() => this.#atRest(present()), REST_MS);
    }

    /** @param {import('../engine/error.js').PipelineError} error */
    #refuse({ code, option, message }) {
        if (this.#refusals === 0)
            setTimeout(() => {
                this.#refusals = 0;
            });
        if (++this.#refusals > MOST_REFUSALS) return;
        if (this.#refusals === MOST_REFUSALS)
            console.warn(`pipeline-figure: ${MOST_REFUSALS} refusals in a row, the next are not told: ${message}`);
        this.fire('pipeline-error', { code, option, message });
    }

    /** The reader has come to rest: the change is spoken, kept in the address of the page, and checked. @param {Present} present */
    #atRest({ simulation, request, lang, link, generated }) {
        const checked = this.checked(simulation);
        this.#announce(simulation, simulation && generated(), lang);
        const address = simulation && link();
        if (address && address !== location.href) {
            try {
                history.replaceState(history.state, '', address);
            } catch {} // a frame without an address, or a browser that has had enough
        }
        if (!checked) return;
        const solved = this.#isSolved(simulation);
        if (solved === this.#solved) return;
        this.#solved = solved;
        this.fire('pipeline-answer', { challenge: this.#task.text, solved, terms: checked, state: request });
    }

    /** One sentence for those who do not see the picture. A refusal speaks for itself. @param {Simulation | null} simulation @param {Simulation | null} generated @param {string} lang */
    #announce(simulation, generated, lang) {
        const line = this.#host.renderRoot.querySelector('.announcement');
        if (!line) return;
        if (!simulation) {
            line.textContent = '';
            return;
        }
        const time = countOf(simulation.summary.makespan, lang, 'tick');
        const share = formatShare(simulation.summary, 'utilization', lang);
        const said = [textOf(lang, 'status', title(simulation, lang), time, share)];
        if (generated) said.push(differenceText(simulation, generated, lang));
        if (this.#isSolved(simulation)) said.push(textOf(lang, 'challenge_solved'));
        line.textContent = said.join(' ');
    }

    /** Says nothing more of what was told last. */
    close() {
        clearTimeout(this.#rest);
    }
}
