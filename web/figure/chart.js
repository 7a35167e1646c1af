// The chart in the page: draws the scene into its <svg>, finds the cell under a pointer, lets keys walk over the cells.
// It knows which cell is shown; what is said about it is the element's business.
import { cellAfterKey, rowsOf, sameCell, spanOf } from '../scene/cells.js';
import { rowTop, timeToX } from '../scene/geometry.js';
import { Motion } from '../scene/motion.js';
import { circleShapes, criticalPathShapes, microbatchShapes, selectionShapes } from '../scene/overlays.js';
import { hitStep, hitTest } from '../scene/pointing.js';
import { buildScene } from '../scene/scene.js';
import { renderScene, updateOverlay, updateSvg } from '../scene/svg.js';
import { formatNumber } from '../words/numbers.js';
import { textOf } from '../words/strings.js';
import { Dense } from './dense.js';
import { RowNames } from './row-names.js';
import { Zoom, ZoomBar } from './zoom.js';

/**
 * @typedef {import('../engine/types.js').Simulation} Simulation
 * @typedef {import('../scene/scene.js').Scene} Scene
 * @typedef {import('../scene/scene.js').Selection} Selection
 *
 * @typedef {object} ChartOptions
 * @property {string} lang
 * @property {number} width  of the box, in pixels
 * @property {number} text  how much larger letters are than usual
 * @property {string} name  of the whole chart, spoken
 * @property {string} idPrefix  of ids, unique in a page
 * @property {(cell: Selection) => string} cellName  spoken
 * @property {(rank: number) => string} rowName  spoken
 * @property {number} [span]  of the axis, where another chart shares it
 * @property {boolean} [fits]  never wider than its box
 * @property {boolean} [moves]  cells go to their new places instead of being there
 */

const SVG = 'http://www.w3.org/2000/svg';
/** Up to so many cells each is a place of its own for keys and screen readers; beyond, one cursor walks over a picture. */
const GRID_CELLS = 600;
/** After which the cursor of a large chart follows it. */
const REST_MS = 250;
/** Where a box is narrower than this and cells would be thinner than MIN_CELL, the chart scrolls inside its box. */
const NARROW = 480;
const MIN_CELL = 14;

const noBox = { x: 0, y: 0, w: 0, h: 0 };

export class Chart {
    /** @type {Simulation | null} */
    simulation = null;
    /** @type {Scene | null} */
    scene = null;
    /** @type {SVGSVGElement | null} */
    svg = null;
    #onShow;
    /** @type {Selection[][] | null} */
    #rowsMade = null;
    /** @type {Selection | null} */
    #pinned = null;
    /** @type {Selection | null} */
    #hovered = null;
    /** @type {Selection | null} */
    #focused = null;
    /** Where Tab enters. @type {Selection} */
    #entry = { kind: 'action', index: 0 };
    /** @type {Selection | null} */
    #shown = null;
    /** @type {ChartOptions | null} */
    #options = null;
    #lit = -1;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    #rest;
    /** Where the running time stands. @type {number | null} */
    #time = null;
    /** The critical path is shown. */
    #path = false;
    #onSpace;
    #motion = new Motion();
    /** A pointer is down: the focus that follows is its doing, and the click says what it means. */
    #pressed = false;

    /**
     * @param {HTMLElement} box @param {(cell: Selection | null, cause: 'point' | 'pin' | 'key' | 'draw') => void} onShow
     * @param {() => void} onSpace  the space bar was pressed on the chart
     * @param {() => void} [onView]  another part of the step is in sight
     */
    constructor(box, onShow, onSpace, onView) {
        this.box = box;
        this.#onShow = onShow;
        this.#onSpace = onSpace;
        this.names = new RowNames(box);
        box.addEventListener('scroll', () => this.#markEnds(), { passive: true });
        // Not on the picture: Chromium makes an SVG that listens to focus a stop of Tab.
        box.addEventListener('focusin', (event) => this.#onFocus(event));
        box.addEventListener('focusout', () => this.#focus(null));
        // A picture of its own over the chart, so that the cells need not be painted again whenever the time moves on.
        this.veil = document.createElementNS(SVG, 'svg');
        this.veil.setAttribute('class', 'time');
        this.veil.setAttribute('aria-hidden', 'true');
        for (const name of ['time-veil', 'time-line']) {
            this.veil.appendChild(document.createElementNS(SVG, 'path')).setAttribute('class', name);
        }
        this.until = document.createElement('span');
        this.until.className = 'until';
        this.until.setAttribute('aria-hidden', 'true');
        this.cursor = document.createElement('div');
        this.cursor.className = 'cursor';
        this.cursor.setAttribute('role', 'img');
        this.cursor.tabIndex = 0;
        this.dense = new Dense(box);
        this.zoom = new Zoom(() => {
            if (!this.simulation || !this.#options) return;
            this.draw(this.simulation, this.#options);
            onView?.();
        });
        this.zoomBar = new ZoomBar(this.zoom);
        box.addEventListener('wheel', (event) => this.#onWheel(event), { passive: false });
    }

    /** Cells by row, made when keys or screen readers ask for them. */
    get #rows() {
        this.#rowsMade ??= rowsOf(/** @type {Simulation} */ (this.simulation));
        return this.#rowsMade;
    }

    /** Too many cells for a place of its own each. */
    get #large() {
        const { actions, idle } = /** @type {Simulation} */ (this.simulation);
        return actions.count > GRID_CELLS || actions.count + idle.count > GRID_CELLS;
    }

    /** The cell that is explained and lifted out of the rest. */
    get shown() {
        return this.#shown;
    }

    get pinned() {
        return this.#pinned !== null;
    }

    /** @param {Simulation} simulation @param {ChartOptions} options */
    draw(simulation, options) {
        const before = this.simulation;
        const changed = simulation !== before;
        this.simulation = simulation;
        this.#options = options;
        const stalled = 'circle' in simulation;
        const large = this.#large && !stalled;
        const view = large && !options.fits ? this.zoom.view(simulation) : null;
        const look = {
            width: options.width,
            lang: options.lang,
            text: options.text,
            minCell: options.width < NARROW * options.text && !large && !options.fits ? MIN_CELL * options.text : 0,
            span: options.span,
            idPrefix: options.idPrefix,
            phases: !stalled,
            pixels: !stalled,
            view,
        };
        const scene = buildScene(simulation, look);
        this.scene = scene;
        this.#motion.stop();
        const stands = before && !('circle' in before) && !stalled;
        if (this.svg === null) this.#insert(scene);
        else if (changed && stands && options.moves && !large && before.actions.count <= GRID_CELLS) {
            this.#motion.go(before, simulation, (seen) => {
                if (this.svg) updateSvg(this.svg, seen === simulation ? scene : buildScene(seen, look));
            });
        } else updateSvg(this.svg, scene);
        if (changed) {
            this.#rowsMade = null;
            this.#forget();
        }
        if (this.scene.dense) this.dense.draw(simulation, this.scene);
        else this.dense.clear();
        if (large && !options.fits) {
            if (!this.zoomBar.bar.isConnected) this.box.append(this.zoomBar.bar);
            this.zoomBar.describe(simulation, view, options.lang);
        } else this.zoomBar.bar.remove();
        this.#describe(!this.#large);
        this.names.keep(this.svg, scene, options.width);
        this.#markEnds();
        this.#overlay();
        this.#drawTime();
    }

    /** Where the chart goes on beyond its box it fades, and the box says up to where. */
    #markEnds() {
        const { box } = this;
        const goesOn = box.scrollLeft + box.clientWidth < box.scrollWidth - 4;
        box.classList.toggle('goes-on', goesOn);
        if (!goesOn || !this.simulation) {
            this.until.remove();
            return;
        }
        const lang = this.#options?.lang ?? 'ru';
        const { makespan } = this.simulation.summary;
        this.until.textContent = textOf(lang, 'chart_goes_on', formatNumber(makespan, lang));
        if (!this.until.isConnected) box.after(this.until);
        box.style.setProperty('--until', `${this.until.offsetWidth}px`);
    }

    /** What moves is where it goes, at once. */
    settle() {
        if (this.#motion.moving && this.svg && this.scene) updateSvg(this.svg, this.scene);
        this.#motion.stop();
    }

    /** Nothing is drawn any more. */
    clear() {
        this.#motion.stop();
        this.svg?.remove();
        this.cursor.remove();
        this.names.remove();
        this.veil.remove();
        this.dense.clear();
        this.zoomBar.bar.remove();
        this.until.remove();
        this.svg = null;
        this.scene = null;
        this.simulation = null;
        this.#pinned = this.#hovered = this.#focused = null;
        this.#show('draw');
    }

    /** Lets go of the pinned cell. */
    release() {
        this.#pinned = this.#hovered = null;
        this.#show('pin');
    }

    /** Lights up the cell of an action that is being executed, -1 for none. @param {number} action */
    light(action) {
        if (this.#lit === action) return;
        this.#lit = action;
        this.#overlay();
    }

    /** The running time, null for none. @param {number | null} time */
    showTime(time) {
        if (this.#time === time) return;
        const covered = this.#time !== null;
        this.#time = time;
        this.#drawTime();
        if (covered !== (time !== null)) this.#overlay();
    }

    #drawTime() {
        const { box, scene } = this;
        if (!scene || this.#time === null) {
            this.veil.remove();
            return;
        }
        if (!this.veil.isConnected) box.append(this.veil);
        this.veil.setAttribute('width', String(scene.width));
        this.veil.setAttribute('height', String(scene.height));
        const [veil, line] = this.veil.children;
        const { left, right, top, bottom, origin } = scene.plot;
        const x = Math.min(right, Math.max(left, timeToX(scene, Math.max(origin, this.#time))));
        veil.setAttribute('d', `M${x.toFixed(1)} ${top - 1}H${right + 1}V${bottom + 1}H${x.toFixed(1)}z`);
        line.setAttribute('d', `M${x.toFixed(1)} ${top - 4}V${bottom + 5}`);
        if (box.scrollWidth > box.clientWidth) box.scrollLeft = x - (box.clientWidth + left) / 2;
    }

    /** @param {boolean} shown */
    showPath(shown) {
        if (this.#path === shown) return;
        this.#path = shown;
        this.#overlay();
    }

    /** @param {Scene} scene */
    #insert(scene) {
        const svg = renderScene(scene, document);
        for (const layer of svg.children) layer.setAttribute('aria-hidden', 'true');
        const lamp = svg.appendChild(document.createElementNS(SVG, 'path'));
        lamp.setAttribute('class', 'lamp');
        lamp.setAttribute('aria-hidden', 'true');
        svg.appendChild(document.createElementNS(SVG, 'g')).setAttribute('class', 'places');
        svg.addEventListener('pointermove', (event) => this.#onPoint(event));
        svg.addEventListener('pointerleave', () => this.#hover(null));
        svg.addEventListener('pointerdown', (event) => {
            this.#press();
            this.zoom.press(event);
        });
        svg.addEventListener('click', (event) => this.#onClick(event));
        for (const node of [svg, this.cursor]) {
            node.addEventListener('keydown', (event) => this.#onKey(/** @type {KeyboardEvent} */ (event)));
        }
        this.svg = svg;
        this.box.append(svg);
    }

    // ---- what is selected ----

    /** A new simulation: the cells of the old one are gone; a focused place stays in focus where it still exists. */
    #forget() {
        this.#pinned = this.#hovered = null;
        this.#lit = -1;
        const simulation = /** @type {Simulation} */ (this.simulation);
        const exists = (/** @type {Selection} */ { kind, index }) =>
            index < (kind === 'action' ? simulation.actions.count : simulation.idle.count);
        if (!exists(this.#entry)) this.#entry = { kind: 'action', index: 0 };
        if (this.#focused && !exists(this.#focused)) this.#focused = null;
        this.#show('draw');
    }

    /** @param {'point' | 'pin' | 'key' | 'draw'} cause */
    #show(cause) {
        const shown = this.#pinned ?? this.#hovered ?? this.#focused;
        if (cause !== 'draw' && cause !== 'pin' && sameCell(shown, this.#shown)) return;
        this.#shown = shown;
        this.#overlay();
        this.#onShow(shown, cause);
    }

    /** @param {Selection | null} cell */
    #hover(cell) {
        if (sameCell(cell, this.#hovered)) return;
        this.#hovered = cell;
        if (!this.#pinned) this.#show('point');
    }

    /** @param {Selection | null} cell */
    #focus(cell) {
        this.#focused = cell;
        if (cell && this.#pinned) this.#pinned = cell;
        this.#show('key');
    }

    #overlay() {
        const { svg, scene, simulation } = this;
        if (!svg || !scene || !simulation) return;
        const shown = this.#shown;
        const followed =
            shown?.kind === 'action'
                ? microbatchShapes(scene, simulation, simulation.actions.microbatch[shown.index])
                : [];
        const path = this.#path ? criticalPathShapes(scene, simulation) : [];
        updateOverlay(
            svg,
            'circle' in simulation
                ? circleShapes(scene, /** @type {any} */ (simulation))
                : [...path, ...followed, ...selectionShapes(scene, simulation, shown)],
            // Where the time covers what is still to come, paling the rest as well would leave nothing to see.
            { dim: this.#time === null },
        );
        const at = this.#lit;
        const { x, y, w, h } = at < 0 || at >= simulation.actions.count ? noBox : scene.box(at);
        svg.children[2].setAttribute('d', w > 0 ? `M${x} ${y - 1}h${w}v${h + 2}h${-w}z` : '');
        this.#placeCursor();
    }

    // ---- pointer ----

    /** @param {MouseEvent} event @returns {Selection | null} */
    cellAt(event) {
        if (!this.svg || !this.scene) return null;
        const box = this.svg.getBoundingClientRect();
        const zoom = this.scene.width / box.width || 1;
        const [x, y] = [(event.clientX - box.left) * zoom, (event.clientY - box.top) * zoom];
        return this.scene.cells
            ? hitTest(this.scene, x, y)
            : hitStep(this.scene, /** @type {Simulation} */ (this.simulation), x, y);
    }

    /** Where a pointer is, in units of the scene. @param {MouseEvent} event */
    xOf(event) {
        const box = /** @type {SVGSVGElement} */ (this.svg).getBoundingClientRect();
        return ((event.clientX - box.left) * /** @type {Scene} */ (this.scene).width) / (box.width || 1);
    }

    /** Where keys are. */
    get at() {
        return this.#focused ?? this.#entry;
    }

    /** Chooses a cell, as a click does. @param {Selection} cell @param {boolean} focus */
    pick(cell, focus) {
        this.#enterAt(cell);
        this.#pinned = cell;
        if (focus) /** @type {HTMLElement | SVGElement} */ (this.#placeOf(cell) ?? this.cursor).focus();
        this.#show('pin');
    }

    /** Makes a cell the one that keys begin at; with the focus, if the chart has it already. @param {Selection} cell */
    enter(cell) {
        const within = this.box.matches(':focus-within');
        this.#enterAt(cell);
        if (!within) return;
        const place = this.#placeOf(cell);
        if (place) place.focus();
        else this.#focus(cell);
    }

    /** After a finger, focus and click come later than its lifting; after a drag, no click comes at all. */
    #press() {
        this.#pressed = true;
        const ends = ['pointerup', 'pointercancel'];
        const over = () => {
            for (const end of ends) removeEventListener(end, over);
            setTimeout(() => {
                this.#pressed = false;
            }, 400);
        };
        for (const end of ends) addEventListener(end, over);
    }

    /** @param {PointerEvent} event */
    #onPoint(event) {
        if (this.scene && this.zoom.drag(event, this.scene)) return;
        // A finger does not hover: it taps, or scrolls the page.
        if (event.pointerType !== 'touch') this.#hover(this.cellAt(event));
    }

    /** @param {WheelEvent} event */
    #onWheel(event) {
        if (!this.svg || !this.scene || !this.simulation || !this.zoomBar.bar.isConnected) return;
        const { left, top } = this.svg.getBoundingClientRect();
        this.zoom.wheel(event, this.simulation, this.scene, event.clientX - left, event.clientY - top);
    }

    /** @param {MouseEvent} event */
    #onClick(event) {
        if (this.zoom.release()) return;
        const cell = this.cellAt(event);
        this.#pressed = false;
        this.#pinned = cell && sameCell(cell, this.#pinned) ? null : cell;
        this.#focused = null;
        if (!this.#pinned) this.#hovered = null;
        if (cell) this.#enterAt(cell);
        this.#show('pin');
    }

    // ---- keys ----

    /** @param {KeyboardEvent} event */
    #onKey(event) {
        this.#pressed = false;
        const cell = this.#focused ?? this.#entry;
        if (event.key === 'Escape') {
            if (!this.#pinned && !this.#shown) return;
            this.#pinned = this.#hovered = null;
            this.#focused = null;
            this.#show('pin');
        } else if (event.key === ' ') {
            if (!event.repeat) this.#onSpace();
        } else if (event.key === 'Enter') {
            this.#pinned = sameCell(cell, this.#pinned) ? null : cell;
            this.#focused = cell;
            this.#show('pin');
        } else {
            if (event.altKey || !this.simulation) return;
            if (event.target === this.cursor && !event.ctrlKey && !event.metaKey && this.zoom.key(event.key)) {
                event.preventDefault();
                return;
            }
            const next = cellAfterKey(this.simulation, this.#rows, cell, event);
            if (!next) return;
            this.#enterAt(next);
            const place = this.#placeOf(next);
            if (place) place.focus();
            else {
                this.#focus(next);
                this.#reveal(next);
            }
        }
        event.preventDefault();
    }

    /** @param {FocusEvent} event */
    #onFocus(event) {
        const cell = event.target === this.cursor ? this.#entry : places.get(/** @type {Element} */ (event.target));
        if (!cell) return;
        this.#enterAt(cell);
        if (this.#pressed) return;
        this.#focus(cell);
        this.#reveal(cell);
    }

    /** Keeps a cell in sight where the chart scrolls in its box. @param {Selection} cell */
    #reveal(cell) {
        const { box, scene, simulation } = this;
        if (!scene || !simulation) return;
        if (scene.view) this.zoom.reveal(simulation, spanOf(simulation, cell));
        if (box.scrollWidth <= box.clientWidth) return;
        const { start, finish } = spanOf(simulation, cell);
        const { left, origin, scale } = scene.plot;
        const [from, to] = [start, finish].map((time) => left + (time - origin) * scale);
        if (from < box.scrollLeft + left) box.scrollLeft = Math.max(0, from - left);
        else if (to > box.scrollLeft + box.clientWidth) box.scrollLeft = to - box.clientWidth + 8;
    }

    // ---- places: what keys and screen readers find ----

    /** @param {boolean} grid */
    #describe(grid) {
        const svg = /** @type {SVGSVGElement} */ (this.svg);
        const { name } = /** @type {ChartOptions} */ (this.#options);
        svg.setAttribute('role', grid ? 'grid' : 'img');
        svg.setAttribute('aria-label', name);
        if (grid) {
            this.cursor.remove();
            this.#fillPlaces(svg.children[3]);
        } else {
            svg.children[3].replaceChildren();
            if (!this.cursor.isConnected) this.box.append(this.cursor);
            this.#placeCursor();
        }
    }

    /** One transparent rectangle per cell; those there are are used again. @param {Element} layer */
    #fillPlaces(layer) {
        const { cellName, rowName } = /** @type {ChartOptions} */ (this.#options);
        const scene = /** @type {Scene} */ (this.scene);
        while (layer.children.length > this.#rows.length) layer.lastElementChild?.remove();
        for (const [rank, row] of this.#rows.entries()) {
            const line = layer.children[rank] ?? layer.appendChild(document.createElementNS(SVG, 'g'));
            line.setAttribute('role', 'row');
            line.setAttribute('aria-label', rowName(rank));
            const head = line.firstElementChild ?? line.appendChild(newHead());
            head.textContent = rowName(rank);
            head.setAttribute('y', (rowTop(scene, rank) + scene.rows.height / 2).toFixed(2));
            while (line.children.length > row.length + 1) line.lastElementChild?.remove();
            for (const [i, cell] of row.entries()) {
                const place = line.children[i + 1] ?? line.appendChild(newPlace());
                setBox(place, (cell.kind === 'action' ? scene.box : scene.idleBox)(cell.index));
                place.setAttribute('aria-label', cellName(cell));
                place.setAttribute('tabindex', sameCell(cell, this.#entry) ? '0' : '-1');
                places.set(place, cell);
            }
        }
    }

    /** @param {Selection} cell @returns {SVGElement | null} */
    #placeOf(cell) {
        if (this.#large) return null;
        const { rank } = spanOf(/** @type {Simulation} */ (this.simulation), cell);
        const at = this.#rows[rank].findIndex((other) => sameCell(other, cell));
        return /** @type {SVGElement | null} */ (this.svg?.children[3].children[rank]?.children[at + 1] ?? null);
    }

    /** The one tab stop moves to a cell. @param {Selection} cell */
    #enterAt(cell) {
        if (sameCell(cell, this.#entry)) return;
        this.#placeOf(this.#entry)?.setAttribute('tabindex', '-1');
        this.#entry = cell;
        this.#placeOf(cell)?.setAttribute('tabindex', '0');
    }

    /** Beyond GRID_CELLS: the one focusable thing lies over the cell it stands for. */
    #placeCursor() {
        clearTimeout(this.#rest);
        // Where it stands is read from columns that a large step fetches only then: not while something is dragged.
        const named = this.cursor.hasAttribute('aria-label');
        if (this.#large && named && this.#focused === null) this.#rest = setTimeout(() => this.#putCursor(), REST_MS);
        else this.#putCursor();
    }

    #putCursor() {
        const { cursor, scene } = this;
        if (!cursor.isConnected || !scene || !this.#options) return;
        const cell = this.#focused ?? this.#entry;
        const { x, y, w, h } = (cell.kind === 'action' ? scene.box : scene.idleBox)(cell.index);
        cursor.setAttribute('aria-label', this.#options.cellName(cell));
        for (const [name, value] of Object.entries({ left: x, top: y, width: w, height: h })) {
            cursor.style.setProperty(name, `${value.toFixed(1)}px`);
        }
    }
}

/** @type {WeakMap<Element, Selection>} */
const places = new WeakMap();

/** @param {Element} node @param {import('../scene/scene.js').Box} box */
function setBox(node, { x, y, w, h }) {
    for (const [name, value] of Object.entries({ x, y, width: w, height: h }))
        node.setAttribute(name, value.toFixed(2));
}

/** Names a row to those who walk over its cells. It is not seen, and lies over the name that is. */
function newHead() {
    const head = document.createElementNS(SVG, 'text');
    head.setAttribute('role', 'rowheader');
    head.setAttribute('class', 'row-head');
    return head;
}

function newPlace() {
    const place = document.createElementNS(SVG, 'rect');
    place.setAttribute('role', 'gridcell');
    place.setAttribute('class', 'place');
    return place;
}
