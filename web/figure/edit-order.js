// The order of a schedule changed by hand: an action moved along its device's list, by dragging its cell, by Alt and an
// arrow key, by buttons. Moves are the option "moves" of the request; whether the new order runs the core says.
import { html, nothing } from 'lit';
import { timeToX } from '../scene/geometry.js';
import { OPS } from '../words/ops.js';
import { textOf } from '../words/strings.js';
import { differenceText, nameOf } from './order-words.js';

/**
 * @typedef {import('../engine/types.js').Simulation} Simulation
 * @typedef {import('../engine/types.js').Stall} Stall
 * @typedef {import('./chart.js').Chart} Chart
 */

const SVG = 'http://www.w3.org/2000/svg';
/** Pixels after which a press on a cell is a drag. */
const SLACK = 5;

/** An action in words. @param {Simulation | Stall} simulation @param {number} i @param {string} lang */
export function actionText({ actions }, i, lang) {
    const op = textOf(lang, `op_${OPS[actions.op[i]]}`);
    return textOf(lang, 'edit_action', op, actions.microbatch[i] + 1, actions.stage[i] + 1);
}

/** Slots of a rank's list. @param {Simulation | Stall} simulation @param {number} rank */
const slotsOf = ({ actions }, rank) => {
    let last = -1;
    for (let i = 0; i < actions.count; i++) if (actions.rank[i] === rank) last = Math.max(last, actions.index[i]);
    return last + 1;
};

/** What a refused order comes to, sentence by sentence. @param {Stall} stall @param {string} lang */
export function stallText(stall, lang) {
    const { circle, actions } = stall;
    if (circle.length === 2) {
        const [stands, needs] = circle;
        const place = actions.index[stands] + 1;
        const words = [stands, needs].map((i) => actionText(stall, i, lang));
        return [textOf(lang, 'edit_before', actions.rank[stands] + 1, place, ...words)];
    }
    const lines = Array.from({ length: circle.length / 2 }, (_, n) => {
        const [stands, needs] = circle.slice(2 * n, 2 * n + 2);
        return textOf(
            lang,
            'edit_waits',
            actions.rank[stands] + 1,
            actions.index[stands] + 1,
            actionText(stall, stands, lang),
            actions.rank[needs] + 1,
            actionText(stall, needs, lang),
        );
    });
    return [textOf(lang, 'edit_deadlock', circle.length / 2), ...lines];
}

export class Order {
    #move;
    #update;
    /** Name of the action that is moved. @type {string | null} */
    #picked = null;
    /** @type {{ index: number, x: number, rank: number, to: number, moved: boolean } | null} */
    #drag = null;
    /** A drag ended: the click that follows means nothing. */
    #swallow = false;
    /** @type {SVGPathElement | null} */
    #mark = null;
    /** The picked action is to be found again in the next drawing, and in focus if the chart had it. */
    #follow = false;
    #focus = false;
    /** The step that was drawn last. @type {unknown} */
    #drawn = null;
    open = false;

    /** @param {(name: string, places: number) => void} move @param {() => void} update */
    constructor(move, update) {
        this.#move = move;
        this.#update = update;
    }

    /** @param {Simulation | Stall} simulation */
    #index(simulation) {
        if (this.#picked === null) return -1;
        for (let i = 0; i < simulation.actions.count; i++) if (nameOf(simulation, i) === this.#picked) return i;
        return -1;
    }

    /** A cell was chosen on the chart. @param {Simulation | Stall} simulation @param {number} i */
    pick(simulation, i) {
        this.#picked = nameOf(simulation, i);
        this.#update();
    }

    /** @param {Chart} chart @param {number} index @param {number} places */
    #shift(chart, index, places) {
        const simulation = /** @type {Simulation} */ (chart.simulation);
        const to = simulation.actions.index[index] + places;
        if (places === 0 || to < 0 || to >= slotsOf(simulation, simulation.actions.rank[index])) return;
        this.#picked = nameOf(simulation, index);
        this.#follow = true;
        this.#focus = chart.box.matches(':focus-within');
        this.#move(this.#picked, places);
    }

    /** Listens on the box of a chart, once. @param {Chart} chart */
    attach(chart) {
        const { box } = chart;
        const when = (/** @type {(event: any) => void} */ does) => (/** @type {Event} */ event) =>
            this.open && chart.simulation ? does(event) : undefined;
        box.addEventListener(
            'pointerdown',
            when((event) => this.#down(chart, event)),
        );
        box.addEventListener(
            'pointermove',
            when((event) => this.#moveTo(chart, event)),
        );
        box.addEventListener(
            'pointerup',
            when((event) => this.#up(chart, event)),
        );
        box.addEventListener(
            'pointercancel',
            when(() => this.#drop()),
        );
        box.addEventListener('click', (event) => this.#swallow && event.stopPropagation(), true);
        box.addEventListener(
            'keydown',
            when((event) => {
                const way = { ArrowLeft: -1, ArrowRight: 1 }[/** @type {string} */ (event.key)];
                if (!event.altKey || way === undefined) return;
                event.preventDefault();
                const cell = chart.at;
                if (cell.kind === 'action') this.#shift(chart, cell.index, way);
            }),
        );
    }

    /** @param {Chart} chart @param {PointerEvent} event */
    #down(chart, event) {
        this.#swallow = false;
        const cell = chart.cellAt(event);
        if (event.button !== 0 || cell?.kind !== 'action') return;
        const { rank, index } = /** @type {Simulation} */ (chart.simulation).actions;
        this.#drag = {
            index: cell.index,
            x: event.clientX,
            rank: rank[cell.index],
            to: index[cell.index],
            moved: false,
        };
    }

    /** @param {Chart} chart @param {PointerEvent} event */
    #moveTo(chart, event) {
        if (event.buttons === 0) this.#drop(); // let go of elsewhere
        const drag = this.#drag;
        if (!drag) return;
        if (!drag.moved && Math.abs(event.clientX - drag.x) < SLACK) return;
        const { svg, scene, simulation } = chart;
        if (!svg || !scene || !simulation) return;
        if (!drag.moved) svg.setPointerCapture(event.pointerId);
        drag.moved = true;
        // The place among the other slots of the rank: behind those whose middle the pointer has passed.
        const { actions, rankBegin } = simulation;
        const own = actions.index[drag.index];
        const x = chart.xOf(event);
        let to = 0;
        let edge = scene.plot.left;
        for (let i = rankBegin[drag.rank]; i < rankBegin[drag.rank + 1]; i++) {
            const half = i > rankBegin[drag.rank] && actions.index[i] === actions.index[i - 1]; // of a slot that was seen
            if (half || actions.index[i] === own) continue;
            const end = timeToX(scene, actions.finish[i]);
            if ((timeToX(scene, actions.start[i]) + end) / 2 > x) continue;
            to++;
            edge = Math.max(edge, end);
        }
        drag.to = to;
        this.#mark ??= /** @type {SVGPathElement} */ (document.createElementNS(SVG, 'path'));
        this.#mark.setAttribute('class', 'drop');
        const { y, h } = scene.box(drag.index);
        this.#mark.setAttribute('d', `M${edge} ${y - 3}v${h + 6}`);
        if (this.#mark.parentNode !== svg) svg.append(this.#mark);
    }

    #drop() {
        this.#drag = null;
        this.#mark?.remove();
    }

    /** @param {Chart} chart @param {PointerEvent} event */
    #up(chart, event) {
        const drag = this.#drag;
        this.#drop();
        if (!drag?.moved) return;
        event.preventDefault();
        this.#swallow = true;
        setTimeout(() => {
            this.#swallow = false;
        });
        this.#shift(
            chart,
            drag.index,
            drag.to - /** @type {Simulation} */ (chart.simulation).actions.index[drag.index],
        );
    }

    /** After the chart is drawn: the moved action stays chosen. @param {Chart} chart */
    drawn(chart) {
        chart.box.classList.toggle('ordering', this.open);
        const { simulation } = chart;
        const isNew = simulation !== this.#drawn;
        this.#drawn = simulation;
        if (!simulation || !(this.#follow || (this.open && isNew))) return;
        const index = this.#index(simulation);
        // Taken back, or moved by other means, the operation has another place: keys go on from there.
        if (index >= 0 && this.#follow) chart.pick({ kind: 'action', index }, this.#focus);
        else if (index >= 0) chart.enter({ kind: 'action', index });
        this.#follow = false;
    }

    /**
     * @param {{ simulation: Simulation | Stall | null, generated: Simulation | null, lang: string, chart: Chart | null,
     *           back: () => void }} setting
     */
    render({ simulation, generated, lang, chart, back }) {
        const index = simulation ? this.#index(simulation) : -1;
        const place = simulation && index >= 0 ? simulation.actions.index[index] : 0;
        const last = simulation && index >= 0 ? slotsOf(simulation, simulation.actions.rank[index]) - 1 : 0;
        const button = (/** @type {string} */ key, /** @type {number} */ places, /** @type {boolean} */ can) =>
            html`<button type="button" class="action" data-order=${key} ?disabled=${!can} @click=${() => chart && this.#shift(chart, index, places)}>${textOf(lang, `order_${key}`)}</button>`;
        const picked =
            simulation && index >= 0
                ? textOf(
                      lang,
                      'order_picked',
                      actionText(simulation, index, lang),
                      simulation.actions.rank[index] + 1,
                      place + 1,
                      last + 1,
                  )
                : textOf(lang, 'order_hint');
        const edited = simulation?.config.edited;
        return html`<p class="note" data-words="order">${picked}</p>
            <div class="buttons">${button('earlier', -1, index >= 0 && place > 0)}${button('later', 1, index >= 0 && place < last)}
            ${edited ? html`<button type="button" class="action" data-order="back" @click=${back}>${textOf(lang, 'order_back')}</button>` : nothing}</div>
            ${edited && generated && !('circle' in simulation) ? html`<p class="difference">${differenceText(simulation, generated, lang)}</p>` : nothing}`;
    }
}
