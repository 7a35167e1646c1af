// Takes the schedule out of the page: as CSV, as SVG, as the tag that shows it elsewhere.
import { html, nothing } from 'lit';
import { besideFile } from '../request/file.js';
import { asked } from '../request/state.js';
import figureCss from '../scene/figure.css';
import { escapeXml } from '../scene/svg.js';
import { textOf } from '../words/strings.js';
import { toCsv } from '../write/rows.js';
import { svgFile } from '../write/svg-file.js';
import { toTrace } from '../write/trace.js';

/** @typedef {import('../engine/types.js').Simulation} Simulation */

/** The element that shows this. @param {Record<string, string | null>} request @param {string} lang */
export function tagText(request, lang) {
    const attributes = Object.entries(request).flatMap(([name, value]) =>
        value === null || value === '' ? [] : [` ${name}="${escapeXml(value)}"`],
    );
    return `<pipeline-figure${attributes.join('')} lang="${lang}"></pipeline-figure>`;
}

/** @param {string} name @param {string} href */
function save(name, href) {
    const link = document.createElement('a');
    link.href = href;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
}

/** Pixels of a picture for each of its units: sharp on paper and on a slide. */
const PNG_SCALE = 2;

/** @param {string} text of an SVG file @returns {Promise<string>} address of the picture */
async function pngOf(text) {
    const url = URL.createObjectURL(new Blob([text], { type: 'image/svg+xml' }));
    try {
        const image = new Image();
        image.src = url;
        await image.decode();
        const canvas = document.createElement('canvas');
        canvas.width = image.width * PNG_SCALE;
        canvas.height = image.height * PNG_SCALE;
        canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
        return canvas.toDataURL();
    } finally {
        URL.revokeObjectURL(url);
    }
}

/** @param {string} type @param {string} text */
const address = (type, text) => URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));

/** @param {string} name @param {string} type @param {string} text */
export const download = (name, type, text) => save(name, address(type, text));

export class Files {
    #update;
    /** Why there was nothing to download. */
    #refused = '';
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
        this.#copied = this.#byHand = this.#refused = '';
    }

    /** @param {string} name @param {() => string | Promise<string>} make  its address @param {string} refusal */
    async #save(name, make, refusal) {
        this.reset();
        try {
            save(name, await make());
        } catch (error) {
            // PyTorch's actions cannot say the schedule; or a policy forbids pictures of blob:, or one is too large.
            this.#refused = refusal || /** @type {Error} */ (error).message;
        }
        this.#update();
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

    /**
     * @param {{ engine: import('../engine/engine.js').Engine, simulation: Simulation, request: Record<string, string | null>,
     *           file: import('../request/file.js').OpenFile | null, lang: string }} setting
     * @param {(() => string) | null} link  address of the page with this state, null where the page gave the figure no id
     */
    render({ engine, simulation, request, file, lang }, link) {
        const { schedule, ranks, microbatches } = simulation.config;
        const name = `pipeline-${schedule}-p${ranks}-m${microbatches}`;
        const t = (/** @type {string} */ key) => textOf(lang, key);
        const button = (/** @type {string} */ key, /** @type {string} */ end, /** @type {any} */ make, refusal = '') =>
            html`<button type="button" class="action" data-save=${end.split('.')[0]} @click=${() => this.#save(`${name}.${end}`, make, refusal)}>${t(key)}</button>`;
        const torch = () => {
            engine.lang = lang; // by now another figure may have asked in its own
            return file ? engine.torchCsv(besideFile(request), file.text) : engine.torchCsv(asked(request));
        };
        const copy = (/** @type {string} */ key, /** @type {() => string} */ text) =>
            html`<button type="button" class="action" @click=${() => this.#copy(key, text())}>${t(this.#copied === key ? 'files_copied' : key)}</button>`;
        return html`<div class="buttons">
            ${button('files_csv', 'csv', () => address('text/csv', toCsv(simulation)))}
            ${engine.readsFiles ? button('files_torch', 'torch.csv', () => address('text/csv', torch())) : nothing}
            ${button('files_trace', 'trace.json', () => address('application/json', toTrace([{ name, simulation }], 1000)))}
            ${button('files_svg', 'svg', () => address('image/svg+xml', svgFile(simulation, lang, figureCss)))}
            ${button('files_png', 'png', () => pngOf(svgFile(simulation, lang, figureCss)), t('files_png_failed'))}
            ${link ? copy('files_copy_link', link) : nothing}
            ${copy('files_copy_csv', () => toCsv(simulation))}
            ${file ? nothing : copy('files_copy_tag', () => tagText(request, lang))}
        </div>
        ${this.#refused ? html`<p class="note" role="status">${this.#refused}</p>` : nothing}
        ${this.#byHand ? html`<label class="by-hand">${t('files_not_copied')}<textarea readonly rows="4" .value=${this.#byHand}></textarea></label>` : nothing}`;
    }
}
