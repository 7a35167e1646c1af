// What a reader changes by taking hold of it: layers cut into stages, samples into micro-batches, durations, the order of the
// operations. One part at a time, over the chart; and whatever was changed can be taken back.
import { html, nothing } from 'lit';
import { COST_ROW } from '../engine/costs.js';
import { asked } from '../request/state.js';
import { trySimulate } from '../request/try-simulate.js';
import { textOf } from '../words/strings.js';
import { Costs, Grip, layerBars, sampleBars } from './edit-bars.js';
import { Order, stallText } from './edit-order.js';

/**
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('../engine/types.js').Simulation} Simulation
 * @typedef {import('../request/state.js').Request} Request
 *
 * @typedef {object} EditSetting
 * @property {Engine} engine
 * @property {Simulation | null} simulation  null while the core refuses
 * @property {import('../engine/types.js').Stall | null} stall  or because the order stalls
 * @property {Request} request
 * @property {string} lang
 * @property {number} width
 * @property {import('./chart.js').Chart | null} chart
 * @property {(changes: Request) => void} change
 * @property {import('../request/file.js').OpenFile | null} file
 * @property {(file: import('../request/file.js').OpenFile | null) => void} setFile
 * @property {(back: boolean) => void} travel
 * @property {boolean} canUndo
 * @property {boolean} canRedo
 */

const PARTS = ['layers', 'samples', 'costs', 'order', 'file'];
/** Options that change times and leave the order. */
const TIMES = new Set([...Object.keys(COST_ROW), 'cuts']);

export class Editing {
    #update;
    /** @type {string | null} */
    part = null;
    order;
    #grip;
    #costs;
    /** @type {{ of: Simulation, simulation: Simulation | null } | null} */
    #generated = null;
    /** While a handle is held, the step stays in the core. @type {{ request: Request, step: import('../engine/held-step.js').HeldStep } | null} */
    #held = null;
    #settle;
    #begin;

    /**
     * @param {() => void} update @param {(name: string, places: number) => void} move  of the order
     * @param {import('./edit-file.js').FileDrop} fileDrop
     * @param {() => void} begin  a handle was taken @param {(timed: boolean) => void} settle  and let go of; timed: the step
     *     had been held
     */
    constructor(update, move, fileDrop, begin, settle) {
        this.#update = update;
        this.#begin = begin;
        this.#settle = settle;
        this.#grip = new Grip(
            () => this.#begin(),
            () => this.#release(),
        );
        this.#costs = new Costs(
            () => this.#begin(),
            () => this.#release(),
        );
        this.order = new Order(move, update);
        this.fileDrop = fileDrop;
    }

    // ---- times that follow a handle ----

    /** The chart follows it, frame by frame. */
    get holding() {
        return this.#held !== null;
    }

    /** A handle is held: what follows changes times. @param {Engine} engine @param {Request} request */
    hold(engine, request) {
        this.#held?.step.close();
        this.#held = null;
        try {
            this.#held = { request, step: engine.hold(asked(request)) };
        } catch {} // a refused request has no times
    }

    #release() {
        const held = this.#held !== null;
        this.close();
        this.#settle(held);
    }

    close() {
        this.#held?.step.close();
        this.#held = null;
    }

    /** The held step under other costs, null where the request asks for more than that. @param {Request} request */
    time(request) {
        if (!this.#held) return null;
        const names = new Set([...Object.keys(request), ...Object.keys(this.#held.request)]);
        for (const name of names) {
            if (!TIMES.has(name) && (request[name] ?? null) !== (this.#held.request[name] ?? null)) return null;
        }
        try {
            return this.#held.step.time(asked(request));
        } catch {
            return null;
        }
    }

    // ---- picture ----

    /** @param {string | null} part */
    #open(part) {
        this.part = part;
        this.order.open = part === 'order';
        this.fileDrop.reset();
        this.#update();
    }

    toggle() {
        this.#open(this.part === null ? 'layers' : null);
    }

    /** The order as it was generated, beside an edited one. @param {EditSetting} setting */
    generated({ engine, simulation, request, file }) {
        if (!simulation?.config.edited) return null;
        if (this.#generated?.of !== simulation) {
            this.#generated = {
                of: simulation,
                simulation: trySimulate(engine, { ...request, moves: null }, file).simulation,
            };
        }
        return this.#generated.simulation;
    }

    /** @param {EditSetting} setting */
    render(setting) {
        const { simulation, stall, lang, canUndo, canRedo, travel } = setting;
        const { part } = this;
        if (part === null) return nothing;
        const t = (/** @type {string} */ key) => textOf(lang, key);
        const step = (/** @type {string} */ key, /** @type {boolean} */ can) =>
            html`<button type="button" class="link" data-edit=${key} ?disabled=${!can} @click=${() => travel(key === 'undo')}>${t(`edit_${key}`)}</button>`;
        return html`<div class="edit" part="edit" id="edit" role="group" aria-label=${t('edit_title')}>
            <div class="views">${PARTS.filter((name) =>
                name === 'file' ? setting.engine.readsFiles : name !== 'samples' || !setting.file,
            ).map(
                (name) =>
                    html`<button type="button" class="link" aria-expanded=${part === name} data-part=${name} @click=${() => this.#open(name)}>${t(`edit_${name}`)}</button>`,
            )}<span class="travel">${step('undo', canUndo)}${step('redo', canRedo)}</span></div>
            ${part === 'order' ? this.#renderOrder(setting) : part === 'file' ? this.#renderFile(setting) : simulation ? this.#renderStrip(setting, simulation) : stall ? html`<p class="note">${t('edit_stands')}</p>` : nothing}
        </div>`;
    }

    /** @param {EditSetting} setting */
    #renderOrder(setting) {
        const { simulation, stall, lang, chart, change } = setting;
        return this.order.render({
            simulation: simulation ?? stall,
            generated: this.generated(setting),
            lang,
            chart,
            back: () => change({ moves: null }),
        });
    }

    /** @param {EditSetting} setting */
    #renderFile({ file, setFile, simulation, lang }) {
        return this.fileDrop.render({
            file,
            facts: simulation?.file ?? null,
            lang,
            back: () => setFile(null),
            setTimes: (times) => file && setFile({ ...file, times }),
        });
    }

    /** @param {EditSetting} setting @param {Simulation} simulation */
    #renderStrip({ engine, request, lang, width, change }, simulation) {
        const setting = { engine, simulation, request, lang, width: Math.max(240, width), grip: this.#grip, change };
        if (this.part === 'layers') return layerBars(setting);
        return this.part === 'samples' ? sampleBars(setting) : this.#costs.render(setting);
    }

    /** Why an order does not run, in the place of a refusal. @param {EditSetting} setting */
    renderStall({ stall, lang, change, travel, canUndo }) {
        if (!stall) return nothing;
        const [first, ...waits] = stallText(stall, lang);
        return html`<div class="refusal stalled" role="alert"><p>${first}</p>
            ${waits.length > 0 ? html`<ol>${waits.map((line) => html`<li>${line}</li>`)}</ol>` : nothing}
            <div class="buttons">${canUndo ? html`<button type="button" class="action primary" @click=${() => travel(true)}>${textOf(lang, 'edit_undo')}</button>` : nothing}
            <button type="button" class="action" @click=${() => change({ moves: null })}>${textOf(lang, 'order_back')}</button></div></div>`;
    }
}
