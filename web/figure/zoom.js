// The part of a large step that is in sight, and how a reader moves it: buttons, keys, the wheel with Ctrl, dragging. The
// wheel alone scrolls the page, as everywhere. The whole is a zoom of 1.

import { firstStart } from '../engine/relations.js';
import { isSlow, wholePitch, xToTime } from '../scene/geometry.js';
import { formatNumber } from '../words/numbers.js';
import { textOf } from '../words/strings.js';

/**
 * @typedef {import('../engine/types.js').Simulation} Simulation
 * @typedef {import('../scene/scene.js').Scene} Scene
 * @typedef {import('../scene/scene.js').View} View
 */

const STEP = 2;
const ROW_HEIGHT = 34;
/** At the largest zoom so many actions stand side by side. */
const LEAST_ACTIONS = 8;
const DRAG = 4;

/** @param {number} value @param {number} least @param {number} most */
const within = (value, least, most) => Math.max(least, Math.min(most, value));

/**
 * The ranks that fit at a zoom: the chart keeps its height, so rows grow until they are as high as those of a small chart.
 * @param {Simulation} simulation @param {number} zoom
 */
function rowsAt(simulation, zoom) {
    const all = simulation.perRank.length;
    const height = all * wholePitch(simulation);
    const gap = isSlow(simulation) ? 12 : 4;
    const least = Math.min(all, Math.max(1, Math.floor(height / (ROW_HEIGHT + gap))));
    const ranks = within(Math.ceil(all / zoom), least, all);
    const pitch = Math.floor(height / ranks);
    return { ranks, rowHeight: Math.min(ROW_HEIGHT, pitch - (pitch < 8 ? 0 : pitch < 17 ? 1 : gap)) };
}

/** @param {Simulation} simulation */
export function largestZoom({ summary, actions, perRank }) {
    const each = (summary.makespan * perRank.length) / Math.max(1, actions.count);
    return Math.max(1, summary.makespan / (LEAST_ACTIONS * each));
}

export class Zoom {
    zoom = 1;
    /** Middle of what is in sight: a share of the step, and of the ranks. */
    #time = 0.5;
    #rank = 0.5;
    #onView;
    /** @type {{ x: number, y: number, time: number, rank: number, moved: boolean } | null} */
    #drag = null;

    /** @param {() => void} onView  what is in sight has changed */
    constructor(onView) {
        this.#onView = onView;
    }

    /** What is in sight, null for the whole. @param {Simulation} simulation @returns {View | null} */
    view(simulation) {
        this.zoom = Math.min(this.zoom, largestZoom(simulation));
        if (this.zoom <= 1) return null;
        const { ranks, rowHeight } = rowsAt(simulation, this.zoom);
        const all = simulation.perRank.length;
        const half = 1 / (2 * this.zoom);
        this.#time = within(this.#time, half, 1 - half);
        this.#rank = within(this.#rank, ranks / (2 * all), 1 - ranks / (2 * all));
        const span = simulation.summary.makespan / this.zoom;
        const first = within(Math.round(this.#rank * all - ranks / 2), 0, all - ranks);
        return {
            from: firstStart(simulation) + this.#time * simulation.summary.makespan - span / 2,
            span,
            first,
            ranks,
            rowHeight,
        };
    }

    /** @param {number} factor @param {{ time: number, rank: number }} [at]  shares that stay where they are */
    by(factor, at = { time: this.#time, rank: this.#rank }) {
        const zoom = Math.max(1, this.zoom * factor);
        const moves = this.zoom / zoom;
        this.#time = at.time + (this.#time - at.time) * moves;
        this.#rank = at.rank + (this.#rank - at.rank) * moves;
        this.zoom = zoom < 1.01 ? 1 : zoom;
        this.#onView();
    }

    /** By shares of what is in sight. @param {number} time @param {number} rank */
    move(time, rank) {
        this.#time += time / this.zoom;
        this.#rank += rank / this.zoom;
        this.#onView();
    }

    reset() {
        this.zoom = 1;
        this.#onView();
    }

    /** Brings a cell into sight. @param {Simulation} simulation @param {{ rank: number, start: number, finish: number }} cell */
    reveal(simulation, { rank, start, finish }) {
        const view = this.view(simulation);
        if (!view) return;
        const { makespan } = simulation.summary;
        const all = simulation.perRank.length;
        const middle = (start + finish) / 2;
        const [time, row] = [this.#time, this.#rank];
        if (middle < view.from || middle > view.from + view.span) {
            this.#time = (middle - firstStart(simulation)) / makespan;
        }
        if (rank < view.first) this.#rank = (rank + view.ranks / 2) / all;
        else if (rank >= view.first + view.ranks) this.#rank = (rank + 1 - view.ranks / 2) / all;
        if (time !== this.#time || row !== this.#rank) this.#onView();
    }

    /** @param {string} key @returns {boolean} whether it meant something */
    key(key) {
        if (key === '+' || key === '=') this.by(STEP);
        else if (key === '-') this.by(1 / STEP);
        else if (key === '0') this.reset();
        else return false;
        return true;
    }

    /** @param {WheelEvent} event @param {Simulation} simulation @param {Scene} scene @param {number} x @param {number} y  in the scene */
    wheel(event, simulation, scene, x, y) {
        const { plot, rows } = scene;
        if (event.ctrlKey || event.metaKey) {
            const time = (xToTime(scene, x) - plot.zero) / simulation.summary.makespan;
            const rank = (rows.first + (y - plot.top) / rows.pitch) / simulation.perRank.length;
            this.by(2 ** (-event.deltaY / (event.deltaMode === 0 ? 200 : 6)), {
                time: within(time, 0, 1),
                rank: within(rank, 0, 1),
            });
        } else if (this.zoom > 1 && (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))) {
            this.move(
                ((event.deltaX || event.deltaY) * (event.deltaMode === 0 ? 1 : 20)) / (plot.right - plot.left),
                0,
            );
        } else return;
        event.preventDefault();
    }

    /** @param {PointerEvent} event */
    press(event) {
        if (this.zoom <= 1 || event.button !== 0) return;
        this.#drag = { x: event.clientX, y: event.clientY, time: this.#time, rank: this.#rank, moved: false };
    }

    /** @param {PointerEvent} event @param {Scene} scene @returns {boolean} the reader drags */
    drag(event, scene) {
        const drag = this.#drag;
        if (!drag) return false;
        if (event.buttons === 0) {
            this.#drag = null;
            return false;
        }
        const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
        if (!drag.moved && Math.hypot(dx, dy) < DRAG) return false;
        if (!drag.moved) /** @type {Element} */ (event.currentTarget).setPointerCapture(event.pointerId);
        drag.moved = true;
        const { plot, rows } = scene;
        this.#time = drag.time - dx / (plot.right - plot.left) / this.zoom;
        this.#rank = drag.rank - dy / rows.pitch / (rows.begin.length - 1);
        this.#onView();
        return true;
    }

    /** @returns {boolean} a drag has ended, and the click that follows means nothing */
    release() {
        const moved = this.#drag?.moved ?? false;
        this.#drag = null;
        return moved;
    }
}

/** The buttons. */
export class ZoomBar {
    bar = document.createElement('div');
    #zoom;
    #shown = document.createElement('span');
    /** @type {HTMLButtonElement[]} */
    #buttons = [];

    /** @param {Zoom} zoom */
    constructor(zoom) {
        this.#zoom = zoom;
        this.bar.className = 'zoom';
        this.bar.setAttribute('role', 'group');
        /** @type {[string, string, () => void][]} */
        const buttons = [
            ['zoom_out', '−', () => zoom.by(1 / STEP)],
            ['zoom_in', '+', () => zoom.by(STEP)],
            ['zoom_all', '', () => zoom.reset()],
            ['zoom_earlier', '←', () => zoom.move(-0.5, 0)],
            ['zoom_later', '→', () => zoom.move(0.5, 0)],
            ['zoom_up', '↑', () => zoom.move(0, -0.5)],
            ['zoom_down', '↓', () => zoom.move(0, 0.5)],
        ];
        for (const [key, sign, does] of buttons) {
            const button = this.bar.appendChild(document.createElement('button'));
            button.type = 'button';
            button.className = 'action';
            button.dataset.zoom = key;
            button.textContent = sign;
            button.addEventListener('click', does);
            this.#buttons.push(button);
        }
        this.bar.append(this.#shown);
    }

    /** What the bar says. @param {Simulation} simulation @param {View | null} view @param {string} lang */
    describe(simulation, view, lang) {
        const all = simulation.perRank.length;
        const whole = view === null;
        const off = [whole, this.#zoom.zoom >= largestZoom(simulation) * 0.999, whole];
        const { from = 0, span = 0, first = 0, ranks = all } = view ?? {};
        const begin = firstStart(simulation);
        const hair = span * 1e-6;
        off.push(whole || from <= begin + hair, whole || from + span >= begin + simulation.summary.makespan - hair);
        off.push(first === 0, first + ranks >= all);
        this.bar.setAttribute('aria-label', textOf(lang, 'zoom'));
        for (const [i, button] of this.#buttons.entries()) {
            const key = /** @type {string} */ (button.dataset.zoom);
            button.setAttribute('aria-label', textOf(lang, key));
            button.title = textOf(lang, key);
            if (key === 'zoom_all') button.textContent = textOf(lang, key);
            // A button that loses its sense under the finger keeps the focus.
            button.setAttribute('aria-disabled', String(off[i]));
        }
        const digits = span > 50 ? 0 : 2;
        this.#shown.textContent = whole
            ? textOf(lang, 'zoom_hint')
            : textOf(
                  lang,
                  'zoom_shown',
                  formatNumber(from - begin, lang, digits),
                  formatNumber(from - begin + span, lang, digits),
                  first + 1,
                  first + ranks,
              );
    }
}
