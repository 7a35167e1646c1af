// Files that a reader gives to the figure: a schedule in PyTorch's table, in our CSV or JSON, or measured costs. Opened,
// dropped or pasted. What is in them the core says, and what is wrong with them, by row and column.
import { html, nothing } from 'lit';
import { formatNumber } from '../scene/format.js';
import { textOf } from '../words/strings.js';

/**
 * @typedef {import('../request/file.js').OpenFile} OpenFile
 * @typedef {import('../request/file.js').Reading} Reading
 */

/** Longer files are refused before they are read. */
const LARGEST = 8 << 20;
export class FileDrop {
    #take;
    #update;
    #error = '';
    /** A file lies over the figure. */
    over = false;

    /** @param {(name: string, text: string) => Promise<Reading | null>} take @param {() => void} update */
    constructor(take, update) {
        this.#take = take;
        this.#update = update;
    }

    /** @param {string} name @param {string} text @param {string} lang */
    async give(name, text, lang) {
        if (text.length > LARGEST) this.#refuse(text.length, lang);
        else this.#error = (await this.#take(name, text))?.error ?? '';
        this.#update();
    }

    /** @param {number} size @param {string} lang */
    #refuse(size, lang) {
        const [seen, most] = [size, LARGEST].map((bytes) => formatNumber(bytes / (1 << 20), lang, 1));
        this.#error = textOf(lang, 'file_large', seen, most);
    }

    /** @param {File} file @param {string} lang */
    async open(file, lang) {
        if (file.size > LARGEST) {
            this.#refuse(file.size, lang);
            this.#update();
        } else await this.give(file.name, await file.text(), lang);
    }

    reset() {
        this.#error = '';
    }

    /** Listeners of the figure for what is dropped or pasted on it. @param {() => boolean} may @param {() => string} lang */
    listeners(may, lang) {
        const show = (/** @type {boolean} */ over) => {
            if (over === this.over) return;
            this.over = over;
            this.#update();
        };
        return {
            dragover: (/** @type {DragEvent} */ event) => {
                const types = event.dataTransfer?.types ?? [];
                if (!may() || !types.some((type) => type === 'Files' || type === 'text/plain')) return;
                event.preventDefault();
                show(true);
            },
            dragleave: () => show(false),
            drop: (/** @type {DragEvent} */ event) => {
                const file = event.dataTransfer?.files[0];
                const text = event.dataTransfer?.getData('text');
                show(false);
                if (!may() || !(file || text)) return;
                event.preventDefault();
                if (file) this.open(file, lang());
                else this.give('', String(text), lang());
            },
            paste: (/** @type {ClipboardEvent} */ event) => {
                const typing = event.composedPath()[0];
                if (!may() || typing instanceof HTMLTextAreaElement) return;
                if (typing instanceof HTMLInputElement && typing.type === 'text') return;
                const file = event.clipboardData?.files[0];
                const text = event.clipboardData?.getData('text');
                if (!file && !text) return;
                event.preventDefault();
                if (file) this.open(file, lang());
                else this.give('', String(text), lang());
            },
        };
    }

    /**
     * @param {{ file: OpenFile | null, facts: import('../engine/types.js').FileFacts | null, lang: string, back: () => void,
     *           setTimes: (times: string) => void }} setting
     */
    render({ file, facts, lang, back, setTimes }) {
        const t = (/** @type {string} */ key) => textOf(lang, key);
        const choose = (/** @type {Event} */ event) => {
            const input = /** @type {HTMLInputElement} */ (event.target);
            const chosen = input.files?.[0];
            if (chosen) this.open(chosen, lang);
            input.value = '';
        };
        const press = (/** @type {Event} */ event) =>
            /** @type {HTMLElement} */ (/** @type {Element} */ (event.currentTarget).nextElementSibling).click();
        return html`<div class="buttons"><button type="button" class="action" data-file="open" @click=${press}>${t('file_open')}</button><input type="file"
                hidden accept=".csv,.json,.txt,.log,text/*,application/json" @change=${choose}>
            ${file ? html`<button type="button" class="action" data-file="back" @click=${back}>${t('order_back')}</button>` : nothing}
            ${file && facts?.timed ? html`<label class="check"><input type="checkbox" data-file="times" .checked=${file.times === 'measured'} @change=${(/** @type {Event} */ event) => setTimes(/** @type {HTMLInputElement} */ (event.target).checked ? 'measured' : 'simulated')}>${t('file_measured')}</label>` : nothing}</div>
            <p class="note" data-words="file">${file ? textOf(lang, 'file_shown', file.name || t('file_pasted')) : t('file_hint')}${facts?.note ? ` ${facts.note}` : ''}</p>
            ${this.#error ? html`<div class="refusal" role="alert"><p>${this.#error}</p></div>` : nothing}`;
    }
}
