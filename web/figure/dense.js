// A chart of too many cells for SVG: pixels that the core paints, on a canvas under the axes of the scene. Its colours are
// those of figure.css, read from a few elements that have the classes of the cells, so that themes, forced colours and
// paper hold for it as for the rest.
import { PAINT_KINDS } from '../engine/step.js';
import { OPS } from '../words/ops.js';

/** @typedef {import('../scene/scene.js').Scene} Scene @typedef {import('../engine/types.js').Simulation} Simulation */

const SVG = 'http://www.w3.org/2000/svg';
/** More pixels than these take longer than a frame: the picture is then coarser than the screen. */
const MOST_PIXELS = 6e6;
/** Rows after which the core's patterns are where they were (TILE in paint.c), whatever the pitch. */
const PATTERN = 24;
/** Classes whose fill is the ground, and whose stroke is the mark, in the order of the core's palette. */
const PROBES = [
    ...OPS.map((op) => [`pf-cell pf-${op}`, '']),
    ...OPS.map((op) => [`pf-cell pf-${op} pf-odd`, '']),
    ['pf-hatch-ground', 'pf-hatch-line'],
    ['pf-wire-ground', 'pf-wire-line'],
    ['pf-ground', ''],
];

/** @type {CanvasRenderingContext2D | null} */
let dot = null;
/** @type {Map<string, Uint8ClampedArray>} */
const seen = new Map();

/** A CSS colour as its four bytes. @param {string} colour */
function bytesOf(colour) {
    const known = seen.get(colour);
    if (known) return known;
    if (!dot) {
        const canvas = document.createElement('canvas');
        canvas.width = canvas.height = 1;
        dot = canvas.getContext('2d', { willReadFrequently: true });
    }
    if (!dot) return new Uint8ClampedArray([128, 128, 128, 255]);
    dot.clearRect(0, 0, 1, 1);
    dot.fillStyle = colour;
    dot.fillRect(0, 0, 1, 1);
    const bytes = dot.getImageData(0, 0, 1, 1).data;
    seen.set(colour, bytes);
    return bytes;
}

export class Dense {
    canvas = document.createElement('canvas');
    #probe = document.createElementNS(SVG, 'svg');
    #context = this.canvas.getContext('2d');
    /** Puts off what is left to paint. */
    #later = nothing;
    /** @type {[Simulation, Scene] | null} */
    #drawn = null;
    #key = '';

    /** @param {Element} box  the chart is its last child */
    constructor(box) {
        this.box = box;
        this.canvas.className = 'dense';
        this.#probe.setAttribute('class', 'pf-scene probe');
        for (const node of [this.canvas, this.#probe]) node.setAttribute('aria-hidden', 'true');
        for (const names of PROBES) {
            for (const name of names) {
                this.#probe.appendChild(document.createElementNS(SVG, 'path')).setAttribute('class', name);
            }
        }
    }

    /** @param {Simulation} simulation @param {Scene} scene */
    draw(simulation, scene) {
        if (!this.canvas.isConnected) this.box.prepend(this.#probe, this.canvas);
        this.#drawn = [simulation, scene];
        this.#paint(this.#colours());
    }

    clear() {
        this.#later();
        this.#probe.remove();
        this.canvas.remove();
        this.#drawn = null;
    }

    /** Paints again where the colours, or the pixels of the screen, are no longer what they were. */
    recolour() {
        if (!this.#drawn) return;
        const palette = this.#colours();
        if (this.#keyOf(palette) !== this.#key) this.#paint(palette);
    }

    /** @param {Uint32Array} palette */
    #keyOf(palette) {
        return `${palette.join()} ${devicePixelRatio}`;
    }

    #colours() {
        const palette = new Uint32Array(2 * PAINT_KINDS);
        const bytes = new Uint8ClampedArray(palette.buffer);
        for (let kind = 0; kind < PAINT_KINDS; kind++) {
            const [ground, line] = [0, 1].map((k) => getComputedStyle(this.#probe.children[2 * kind + k]));
            const below = bytesOf(ground.fill);
            const above = PROBES[kind][1] ? bytesOf(line.stroke) : below;
            const share = Number(line.strokeOpacity) || 1;
            for (let c = 0; c < 4; c++) {
                bytes[8 * kind + c] = below[c];
                bytes[8 * kind + 4 + c] = below[c] + (above[c] - below[c]) * share;
            }
        }
        return palette;
    }

    /** Rows in sight at once, the others when there is time: what a reader waits for is what he sees. @param {Uint32Array} palette */
    #paint(palette) {
        const { canvas } = this;
        const [simulation, scene] = /** @type {[Simulation, Scene]} */ (this.#drawn);
        const { plot, rows } = scene;
        const width = plot.right - plot.left;
        const height = rows.count * rows.pitch;
        const ratio = Math.min(devicePixelRatio || 1, Math.sqrt(MOST_PIXELS / (width * height)));
        const columns = Math.max(1, Math.ceil(width * ratio));
        const pitch = Math.max(1, Math.ceil(rows.pitch * ratio));
        const grain = Math.max(1, Math.round(ratio));
        if (canvas.width !== columns || canvas.height !== pitch * rows.count) {
            canvas.width = columns;
            canvas.height = pitch * rows.count;
        }
        const place = { left: plot.left, top: plot.top, width, height };
        for (const [name, value] of Object.entries(place)) canvas.style.setProperty(name, `${value}px`);
        /** @param {number} first @param {number} end  rows of the picture */
        const part = (first, end) => {
            if (first >= end) return;
            simulation.paint(
                {
                    from: plot.origin,
                    scale: columns / plot.span,
                    first: rows.first + first,
                    ranks: end - first,
                    columns,
                    height: Math.max(1, Math.round(rows.height * (pitch / rows.pitch))),
                    pitch,
                    grain,
                    palette,
                },
                (pixels) => this.#context?.putImageData(new ImageData(pixels, columns), 0, first * pitch),
            );
        };
        const [first, end] = this.#inSight(rows.count, grain * PATTERN);
        this.#later();
        part(first, end);
        if (first > 0 || end < rows.count) {
            const all = () => {
                this.#later();
                part(0, first);
                part(end, rows.count);
            };
            const soon = setTimeout(all, 100);
            addEventListener('scroll', all, { capture: true, passive: true });
            addEventListener('beforeprint', all);
            this.#later = () => {
                clearTimeout(soon);
                removeEventListener('scroll', all, true);
                removeEventListener('beforeprint', all);
                this.#later = nothing;
            };
        }
        this.#key = this.#keyOf(palette);
    }

    /** Rows within the window, from and to where patterns begin anew. @param {number} count @param {number} period */
    #inSight(count, period) {
        const { top, height } = this.canvas.getBoundingClientRect();
        const row = height / count;
        if (!(row > 0) || matchMedia('print').matches) return [0, count];
        const at = (/** @type {number} */ periods) => Math.max(0, Math.min(count, periods * period));
        return [at(Math.floor(-top / row / period)), at(Math.ceil((innerHeight - top) / row / period))];
    }
}

function nothing() {}
