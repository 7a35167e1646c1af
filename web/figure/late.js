// A panel that comes when a reader opens it. While it is on its way its place says so; where it cannot be loaded it says that, and
// can be asked for again.
import { html } from 'lit';
import { textOf } from '../words/strings.js';

/** A panel whose code comes with a part. @template Panel */
export class Late {
    #load;
    #make;
    #update;
    #coming = false;
    /** @type {((panel: Panel) => void)[]} */
    #uses = [];
    /** @type {unknown} */
    #lost = null;
    /** Once it is there. @type {Panel | null} */
    here = null;

    /**
     * @param {() => Promise<any>} load  what it is made of @param {(part: any) => Panel} make
     * @param {() => void} update  asks the host to draw again
     */
    constructor(load, make, update) {
        this.#load = load;
        this.#make = make;
        this.#update = update;
    }

    /** Has anybody asked for it? */
    get asked() {
        return this.here !== null || this.#coming || this.#lost !== null;
    }

    /** Asks for it, to be used at once or when it has come. @param {(panel: Panel) => void} use */
    ask(use) {
        if (this.here) {
            use(this.here);
            return;
        }
        this.#uses.push(use);
        this.#fetch();
        this.#update();
    }

    #fetch() {
        if (this.here || this.#coming || this.#lost) return;
        this.#coming = true;
        this.#load().then(
            (part) => this.#settle(part, null),
            (error) => this.#settle(null, error ?? true),
        );
    }

    /** @param {any} part @param {unknown} error */
    #settle(part, error) {
        this.#coming = false;
        this.#lost = error;
        if (part) {
            this.here = this.#make(part);
            for (const use of this.#uses.splice(0)) use(this.here);
        }
        this.#update();
    }

    #again = () => {
        this.#lost = null;
        this.#fetch();
        this.#update();
    };

    /**
     * The panel, or that it is on its way, or lost.
     * @param {string} lang @param {(panel: Panel) => unknown} draw
     */
    render(lang, draw) {
        this.#fetch();
        if (this.here) return draw(this.here);
        if (!this.#lost)
            return html`<p class="note" role="status" data-part="coming">${textOf(lang, 'part_coming')}</p>`;
        return html`<p class="refusal" role="alert" data-part="lost">${textOf(lang, 'part_lost')}
            <button type="button" class="action" @click=${this.#again}>${textOf(lang, 'part_again')}</button></p>`;
    }
}
