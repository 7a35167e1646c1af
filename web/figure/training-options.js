// What the trained network has besides dense layers and plain descent, and what micro-batches do to its next step.
import { html, nothing } from 'lit';
import { semanticsRows } from '../scene/semantics.js';
import { formatNumber } from '../words/numbers.js';
import { textOf } from '../words/strings.js';

/** While steps run by, the comparison is made anew at most so often. */
const COMPARE_MS = 500;

export class TrainingOptions {
    /** As chosen or typed; what is not here is left to the core. @type {Record<string, string>} */
    settings = {};
    #changed;
    #redraw;
    #open = false;
    /** @type {{ training?: any, step?: number, lang?: string, at: number, rows: [string, string][] }} */
    #compared = { at: 0, rows: [] };

    /** @param {() => void} changed  the network is another one @param {() => void} redraw  only the view is */
    constructor(changed, redraw) {
        this.#changed = changed;
        this.#redraw = redraw;
    }

    /**
     * @param {unknown} fields  those of the data and of the descent, which stand first
     * @param {import('../engine/engine.js').Engine} engine @param {import('../engine/training.js').Training | null} training
     * @param {number} step  steps done @param {boolean} running @param {string} lang
     */
    render(fields, engine, training, step, running, lang) {
        const { trainingOptions } = engine;
        const first = trainingOptions.findIndex(({ name }) => name === 'norm');
        const shown = trainingOptions.filter(({ name }, i) => i >= first || name === 'activation' || name === 'loss');
        const toggle = (/** @type {Event} */ event) => {
            this.#open = /** @type {HTMLDetailsElement} */ (event.target).open;
            this.#compared = { at: 0, rows: [] };
            if (this.#open) this.#redraw();
        };
        const batchNorm = trainingOptions[first].names[training?.settings.norm ?? 0] === 'batch';
        return html`<details class="training-options" ?open=${this.#open} @toggle=${toggle}>
            <summary>${textOf(lang, 'semantics_options')}</summary>
            ${
                this.#open
                    ? html`<div class="fields">${fields}${shown.map((option) => this.#field(option, training, lang))}</div>
                ${training ? this.#table(training, step, running, lang) : nothing}
                ${batchNorm ? html`<p class="note">${textOf(lang, 'semantics_norm_note')}</p>` : nothing}`
                    : nothing
            }
        </details>`;
    }

    /** @param {{ name: string, kind: string, names: string[] }} option @param {any} training @param {string} lang */
    #field({ name, kind, names }, training, lang) {
        const [label, ...values] = textOf(
            lang,
            name === 'loss' ? 'train_loss_function' : `train_${name.replace('-', '_')}`,
        ).split('|');
        const change = (/** @type {Event} */ event) => {
            const { value } = /** @type {HTMLInputElement} */ (event.target);
            // The first choice of each is the core's own.
            if (value === '' || value === names[0]) delete this.settings[name];
            else this.settings[name] = value;
            this.#changed();
        };
        const given = this.settings[name] ?? '';
        const own = training?.settings[name.replace('-', '_')];
        return html`<label class="field"><span>${label}</span>${
            kind === 'E'
                ? html`<select @change=${change}>${names.map(
                      (value, i) =>
                          html`<option value=${value} ?selected=${value === (given || names[0])}>${values[i]}</option>`,
                  )}</select>`
                : html`<input class="short" type="text" inputmode="decimal" .value=${given} @change=${change}
                    placeholder=${own === undefined ? '' : own > 0 && own < 1e-4 ? own : formatNumber(own, lang, 4)}>`
        }</label>`;
    }

    /** @param {import('../engine/training.js').Training} training @param {number} step @param {boolean} running @param {string} lang */
    #table(training, step, running, lang) {
        const last = this.#compared;
        const now = performance.now();
        const stale = last.training !== training || last.lang !== lang || last.step !== step;
        if (stale && (last.training !== training || !running || now - last.at > COMPARE_MS)) {
            const rows = semanticsRows(training.semantics(), training.simulation.config.microbatches, lang);
            this.#compared = { training, step, lang, at: now, rows };
        }
        return html`<table class="numbers-table" aria-label=${textOf(lang, 'semantics_title')}>
            <caption>${textOf(lang, 'semantics_title')}</caption>
            <tbody>${this.#compared.rows.map(([name, value]) => html`<tr><th scope="row">${name}</th><td>${value}</td></tr>`)}</tbody>
        </table>`;
    }
}
