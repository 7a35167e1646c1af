// The present setting as a Python program: in a fold, and as a file.
import { html, nothing } from 'lit';
import { textOf } from '../words/strings.js';
import { twinOf } from '../write/python-twin.js';
import { download } from './files.js';

/** Lists longer than this are not shown, only saved. */
const SHOWN = 60_000;

export class PythonPanel {
    #update;
    #open = false;
    /** @type {{ of: unknown[], text: string | null }} */
    #made = { of: [], text: null };

    /** @param {() => void} update */
    constructor(update) {
        this.#update = update;
    }

    /**
     * @param {import('../engine/engine.js').Engine} engine @param {import('../engine/types.js').Simulation} simulation
     * @param {Record<string, any>} options  of schedule and training @param {string} lang
     */
    render(engine, simulation, options, lang) {
        const { schedule, ranks, microbatches } = simulation.config;
        const toggle = (/** @type {Event} */ event) => {
            this.#open = /** @type {HTMLDetailsElement} */ (event.target).open;
            this.#update();
        };
        const program = () => {
            const of = [simulation, lang, JSON.stringify(options)];
            if (of.some((part, i) => part !== this.#made.of[i]))
                this.#made = { of, text: twinOf(engine, simulation, options, lang) };
            return this.#made.text;
        };
        const text = this.#open ? program() : null;
        const save = () => download(`pipeline-${schedule}-p${ranks}-m${microbatches}.py`, 'text/x-python', text ?? '');
        return html`<details class="python" ?open=${this.#open} @toggle=${toggle}>
            <summary>${textOf(lang, 'python_title')}</summary>
            ${
                text
                    ? html`<p>${textOf(lang, 'python_words')}</p>
                        <div class="buttons"><button type="button" class="action" data-python="save" @click=${save}>${textOf(lang, 'python_save')}</button></div>
                        ${text.length <= SHOWN ? html`<pre tabindex="0" lang="en" aria-label=${textOf(lang, 'python_title')}><code>${text}</code></pre>` : nothing}`
                    : this.#open
                      ? html`<p class="note">${textOf(lang, 'python_none')}</p>`
                      : nothing
            }
        </details>`;
    }
}
