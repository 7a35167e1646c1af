// The chart in its box: drawn when something it is made of has changed, and asked what the reader points at.

import { sameCell } from '../scene/cells.js';
import { formatNumber, title } from '../scene/format.js';
import { OPS } from '../words/ops.js';
import { textOf } from '../words/strings.js';
import { Chart } from './chart.js';

/**
 * @typedef {import('../engine/types.js').Simulation} Simulation
 * @typedef {import('../scene/scene.js').Selection} Selection
 * @typedef {import('./edit-order.js').Order} Order
 *
 * @typedef {object} Picture  what the chart is drawn from
 * @property {Simulation | null} simulation  or an order that stalls; null: a refusal stands in the chart's place
 * @property {string} lang
 * @property {number} span  time that a second chart on the same axis reaches to
 * @property {boolean} fits  the chart is as wide as its box
 * @property {boolean} moves  cells go to their new places
 * @property {string} idPrefix
 */

/** Beyond so many actions there is no picture, only numbers. */
const DRAWN_ACTIONS = 2_000_000;
/** Pixels of usual letters. Smaller ones leave the chart as it is; from the largest on it would be all letters. */
const EM = 16;
const LARGEST = 3;
/** Until the box has a width of its own. */
const WIDTH = 760;

/** Columns of an idle interval that the page is told. */
const IDLE = /** @type {const} */ (['rank', 'start', 'finish', 'reason', 'before', 'waits_for']);

/** @param {Simulation} simulation */
export const isTooLarge = ({ actions }) => actions.count > DRAWN_ACTIONS;

export class Stage {
    /** @type {Chart | null} */
    chart = null;
    /** What the reader points at or has pinned. @type {Selection | null} */
    selection = null;
    /** The reader goes over the cells: the place of what is said of them is kept, so that what is below does not jump. */
    used = false;
    #order;
    #events;
    /** The picture that was drawn last, and the width it was drawn for. @type {unknown[]} */
    #drawn = [];
    /** Height the chart had, kept while a refusal stands in its place. */
    #height = 0;
    #boxWidth = 0;
    /** How much larger the letters of the page are than usual ones. */
    #text = 1;
    /** As wide as an em of the box, whatever makes it so: the page, the reader's own size, a zoom of text alone. */
    #em = document.createElement('i');
    /** @type {ResizeObserver | undefined} */
    #resize;

    /**
     * @param {() => Order | undefined} order  by which actions are moved on the chart, once that part is here
     * @param {{ update: () => void, resized: () => void, space: () => void, chosen: (selection: Selection | null) => void,
     *           stands: () => Simulation | null }} events
     *     chosen: by a click or a key; stands: what is drawn, or would be if its order could run
     */
    constructor(order, events) {
        this.#order = order;
        this.#events = events;
    }

    get width() {
        return this.#boxWidth || WIDTH;
    }

    /** @param {HTMLElement} box @param {Picture} picture */
    draw(box, picture) {
        const chart = this.chart?.box === box ? this.chart : this.#attach(box);
        const { simulation, lang, span, fits } = picture;
        const now = [simulation, this.#boxWidth, this.#text, lang, span, fits];
        if (now.every((part, i) => part === this.#drawn[i])) {
            chart.dense.recolour();
            return;
        }
        this.#drawn = now;
        if (simulation === null || isTooLarge(simulation)) {
            if (chart.svg) this.#height = box.clientHeight;
            chart.clear();
            box.style.setProperty('min-height', simulation ? '0' : `${this.#height}px`);
            return;
        }
        box.style.removeProperty('min-height');
        chart.draw(simulation, {
            lang,
            width: this.width,
            text: this.#text,
            span,
            fits,
            moves: picture.moves,
            idPrefix: picture.idPrefix,
            name: title(simulation, lang),
            cellName: (cell) => cellName(simulation, cell, lang),
            rowName: (rank) => textOf(lang, 'rank', rank + 1),
        });
    }

    /** @param {HTMLElement} box */
    #attach(box) {
        this.chart?.clear();
        const { space, update } = this.#events;
        const chart = new Chart(box, (selection, cause) => this.#onShow(selection, cause), space, update);
        this.chart = chart;
        this.#order()?.attach(chart);
        this.#resize?.disconnect();
        this.#em.className = 'em';
        box.append(this.#em);
        this.#resize = new ResizeObserver(() => {
            if (box.clientWidth === 0 || !this.#measure(box)) return;
            this.#events.resized();
        });
        this.#resize.observe(box);
        this.#resize.observe(this.#em);
        for (const end of ['pointerleave', 'focusout']) box.addEventListener(end, () => this.#leave());
        this.#measure(box);
        return chart;
    }

    #isUnderHand() {
        return this.chart?.box.matches(':hover, :focus-within') ?? false;
    }

    /** The pointer or the focus has left the chart. */
    #leave() {
        if (!this.used || this.selection !== null) return;
        this.used = false;
        this.#events.update();
    }

    /** Has the box, or the size of its letters, changed? @param {HTMLElement} box */
    #measure(box) {
        const before = [this.#boxWidth, this.#text];
        this.#boxWidth = box.clientWidth;
        const em = this.#em.getBoundingClientRect().width || EM;
        this.#text = Math.min(LARGEST, Math.max(1, Math.round((em / EM) * 50) / 50));
        return before[0] !== this.#boxWidth || before[1] !== this.#text;
    }

    /** @param {Selection | null} selection @param {'point' | 'pin' | 'key' | 'draw'} cause */
    #onShow(selection, cause) {
        // Let go of by a click, it is over; a gap between two cells is not the end of it.
        this.used = selection !== null || (this.used && cause !== 'pin' && this.#isUnderHand());
        const drawn = this.#events.stands();
        if (drawn && selection?.kind === 'action' && (cause === 'pin' || cause === 'key')) {
            this.#order()?.pick(drawn, selection.index);
        }
        if (!sameCell(selection, this.selection) || cause === 'pin') this.#events.update();
        this.selection = selection;
        if (cause === 'pin' || cause === 'key') this.#events.chosen(selection);
    }

    /**
     * A clock beside the chart is as wide as the axis of the chart.
     * @param {HTMLElement | null} clock @param {import('../scene/scene.js').Scene} scene
     */
    alignClock(clock, scene) {
        const inside = scene.width <= this.#boxWidth;
        clock?.style.setProperty('padding-left', inside ? `${scene.plot.left}px` : '8px');
        clock?.style.setProperty('padding-right', inside ? `${scene.width - scene.plot.right}px` : '8px');
    }
}

/** The name of a cell, short, for a screen reader. @param {Simulation} simulation @param {Selection} cell @param {string} lang */
function cellName({ actions, idle }, { kind, index }, lang) {
    const at = (/** @type {number} */ time) => formatNumber(time, lang);
    if (kind === 'idle') {
        return textOf(lang, 'cell_idle', at(idle.start[index]), at(idle.finish[index]), idle.rank[index] + 1);
    }
    const op = textOf(lang, `op_${OPS[actions.op[index]]}`);
    const name = op[0].toLocaleUpperCase(lang) + op.slice(1);
    const numbers = [actions.microbatch[index] + 1, actions.stage[index] + 1];
    const times = [actions.start[index], actions.finish[index]].map(at);
    return textOf(lang, 'cell_action', name, ...numbers, ...times, actions.rank[index] + 1);
}

/** A chosen cell as the page is told of it. @param {Simulation} simulation @param {Selection | null} selection */
export function selectionDetail({ actions, idle }, selection) {
    if (!selection) return null;
    const { kind, index } = selection;
    if (kind === 'idle') return { kind, ...Object.fromEntries(IDLE.map((name) => [name, idle[name][index]])) };
    return {
        kind,
        index,
        rank: actions.rank[index],
        op: OPS[actions.op[index]],
        stage: actions.stage[index],
        microbatch: actions.microbatch[index],
        start: actions.start[index],
        finish: actions.finish[index],
    };
}
