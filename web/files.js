// Takes the schedule out of the page: as CSV, as SVG, as the tag that shows it elsewhere.
import { html, nothing } from 'lit';
import { toCsv } from './cli-formats.js';
import figureCss from './figure.css';
import { textOf } from './strings.js';
import { escapeXml } from './svg.js';
import { svgFile } from './svg-file.js';

/** @typedef {import('./engine.js').Simulation} Simulation */

/** The element that shows this. @param {Record<string, string | null>} request @param {string} lang */
export function tagText(request, lang) {
    const attributes = Object.entries(request).flatMap(([name, value]) =>
        value === null || value === '' ? [] : [` ${name}="${escapeXml(value)}"`],
    );
    return `<pipeline-figure${attributes.join('')} lang="${lang}"></pipeline-figure>`;
}

/** @param {string} name @param {string} type @param {string} text */
function download(name, type, text) {
    const url = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export class Files {
    #update;
    /** Button whose text was copied last. */
    #copied = '';
    /** A text that could not be copied, to be copied by hand. */
    #byHand = '';

    /** @param {() => void} update */
    constructor(update) {
        this.#update = update;
    }

    /** What was said of a copy is no longer about the present schedule. */
    reset() {
        this.#copied = this.#byHand = '';
    }

    /** @param {string} key @param {string} text */
    async #copy(key, text) {
        this.reset();
        try {
            await navigator.clipboard.writeText(text);
            this.#copied = key;
        } catch {
            this.#byHand = text;
        }
        this.#update();
    }

    /** @param {Simulation} simulation @param {Record<string, string | null>} request @param {string} lang */
    render(simulation, request, lang) {
        const { schedule, ranks, microbatches } = simulation.config;
        const name = `pipeline-${schedule}-p${ranks}-m${microbatches}`;
        const t = (/** @type {string} */ key) => textOf(lang, key);
        const copy = (/** @type {string} */ key, /** @type {() => string} */ text) =>
            html`<button type="button" class="action" @click=${() => this.#copy(key, text())}>${t(this.#copied === key ? 'files_copied' : key)}</button>`;
        return html`<div class="buttons">
            <button type="button" class="action" @click=${() => download(`${name}.csv`, 'text/csv', toCsv(simulation))}>${t('files_csv')}</button>
            <button type="button" class="action" @click=${() => download(`${name}.svg`, 'image/svg+xml', svgFile(simulation, lang, figureCss))}>${t('files_svg')}</button>
            ${copy('files_copy_csv', () => toCsv(simulation))}
            ${copy('files_copy_tag', () => tagText(request, lang))}
        </div>
        ${this.#byHand ? html`<label class="by-hand">${t('files_not_copied')}<textarea readonly rows="4" .value=${this.#byHand}></textarea></label>` : nothing}`;
    }
}
