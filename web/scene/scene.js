// Lays a timed schedule out as a picture: arrays and a width in, a plain list of shapes and their geometry out. Pure: no
// document, no engine, no colours (classes only; figure.css has the colours) and no rule of scheduling. Every time shown
// comes from the simulation.
//
// Numbers shown to a reader, here and in format.js, count devices, stages and micro-batches from 1, as the chapter does.
// Code, files and attributes count from 0.
//
// A shape is { type, class, text, shapes, ...attributes }: type is the SVG element, shapes are its children, everything
// else goes onto the element as it stands. Units are CSS pixels, times ticks.

import { KINDS } from '../engine/step.js';
import { countOf, formatNumber } from '../words/numbers.js';
import { textOf } from '../words/strings.js';

/**
 * @typedef {import('../engine/engine.js').Simulation} Simulation
 *
 * @typedef {{ type: string, class?: string, text?: string, shapes?: Shape[], [attribute: string]: any }} Shape
 *
 * @typedef {{ kind: 'action' | 'idle', index: number }} Selection
 *
 * @typedef {{ x: number, y: number, w: number, h: number }} Box
 *
 * @typedef {object} Boxes  one entry per action or idle interval; full extents, without the gap between cells
 * @property {Float64Array} x
 * @property {Float64Array} y
 * @property {Float64Array} w
 * @property {Float64Array} h
 *
 * @typedef {object} SceneOptions
 * @property {number} [width]  of the box, 760
 * @property {string} [lang]  'ru' or 'en'
 * @property {number} [span]  largest time of the axis, for charts that share one
 * @property {boolean} [transfers]  messages between ranks, true
 * @property {boolean} [phases]  filling, steady state, draining above the chart, true
 * @property {boolean} [labels]  numbers in the cells, true
 * @property {boolean} [legend]  what the classes mean, below the axis, false
 * @property {(rank: number, short: boolean) => string} [rankLabel]
 * @property {number} [rowHeight]  34 for up to 12 ranks, less for more
 * @property {number} [minCell]  where the shortest cell would be narrower, the scene grows beyond the box
 * @property {string} [idPrefix]  for ids that must be unique in a page
 * @property {boolean} [pixels]  more than SVG_CELLS cells are left to a canvas
 * @property {{ rank: ArrayLike<number>, start: ArrayLike<number>, finish: ArrayLike<number> }[]} [others]  what ranks do besides,
 *     of other steps; without names
 * @property {View | null} [view]  a part of the step; null, and where it is left out: the whole
 * @property {number} [text]  how much larger than usual letters are, 1
 *
 * @typedef {{ from: number, span: number, first: number, ranks: number, rowHeight: number }} View  ticks and ranks in sight
 *
 * @typedef {object} Scene
 * @property {number} width
 * @property {number} height
 * @property {string} lang
 * @property {string} idPrefix
 * @property {boolean} narrow  device names are shortened
 * @property {number} text  how much larger than usual letters are
 * @property {{ left: number, right: number, top: number, bottom: number, origin: number, span: number, scale: number,
 *     zero: number }} plot  scale is pixels per tick; origin is the time at plot.left, zero the one that the axis calls 0
 * @property {{ height: number, pitch: number, first: number, count: number, begin: Int32Array, idleBegin: Int32Array }} rows
 *     first, count: ranks in sight; begin and idleBegin: ranks + 1 offsets into the actions and the idle intervals
 * @property {View | null} view
 * @property {boolean} dense  cells are left to a canvas (dense.js)
 * @property {ArrayLike<number>} shown  actions drawn as cells
 * @property {ArrayLike<number>} shownIdle
 * @property {(i: number) => Box} box  of an action; without width where it is out of sight
 * @property {(j: number) => Box} idleBox
 * @property {Boxes} cells  of all actions; only where the whole step is shown, cell by cell
 * @property {Boxes} idleCells
 * @property {Shape[]} shapes
 */

const OP_LETTERS = ['F', 'B', 'I', 'W', 'R'];
const FORWARD = 0;
const BACKWARD = 1;
const INPUT_GRADIENT = 2;
const IDLE_TRANSFER = 2;

export const CELL_GAP = 1.5;
/** Width of the line around a cell; it lies half inside, half outside the path. */
const EDGE = 1;
const MAX_LABELS = 600;
/** Sizes of the numbers in the cells, and the least that can be read. */
const LABEL_SIZES = [13, 11.5, 10, 9];
const MAX_TRANSFERS = 400;
const MAX_WIDTH = 6000;
const NARROW = 480;
const MAX_ROUNDED = 1500;
/** More cells than these are drawn as pixels where there is a canvas. */
export const SVG_CELLS = 3000;
/** More of these lifted out of the chart, or arrows, would be a tangle. */
const MAX_LIFTED = 300;

/** @param {number} value */
const round = (value) => Math.round(value * 100) / 100;

// ---- text ----

/**
 * Width of a line in a typical sans-serif face, rather too wide than too narrow: nothing may be clipped.
 * @param {string} text @param {number} size
 */
export function textWidth(text, size) {
    let width = 0;
    for (const letter of text) {
        if (/[\s.,:;·'|!ijlI()[\]]/u.test(letter)) width += 0.36;
        else if (/[mwMWшщжюмыфШЩЖЮМФ%—]/u.test(letter)) width += 0.9;
        else if (/\p{Lu}/u.test(letter)) width += 0.72;
        else width += 0.63;
    }
    return width * size;
}

/** @param {number} x @param {number} y @param {string} text @param {string} name @param {number} size @param {string} [anchor] @returns {Shape} */
function textShape(x, y, text, name, size, anchor = 'start') {
    /** @type {Shape} */
    const shape = { type: 'text', class: name, x: round(x), y: round(y), 'font-size': size, text };
    if (anchor !== 'start') shape['text-anchor'] = anchor;
    return shape;
}

// ---- rows ----

/** @param {ArrayLike<number>} ranks ascending @param {number} count of ranks */
function rowOffsets(ranks, count) {
    const begin = new Int32Array(count + 1);
    for (let i = 0; i < ranks.length; i++) begin[ranks[i] + 1]++;
    for (let r = 0; r < count; r++) begin[r + 1] += begin[r];
    return begin;
}

/** @param {number} ranks @param {boolean} [pixels]  of a chart in pixels, whose rows may be lower */
export function defaultRowHeight(ranks, pixels = false) {
    if (ranks <= 12) return 34;
    if (ranks <= 24) return 24;
    if (ranks <= 64) return 16;
    if (ranks <= 128 || !pixels) return 8;
    return ranks <= 1024 ? 4 : 2;
}

/** Between rows. @param {number} height of a row @param {boolean} slow  messages take time */
const rowGap = (height, slow) => (height < 8 ? 0 : height < 16 ? 1 : slow ? 12 : 4);
/** From row to row of the whole chart in pixels. @param {Simulation} simulation */
export function wholePitch({ perRank }) {
    const height = defaultRowHeight(perRank.length, true);
    return height + rowGap(height, false);
}
/** Messages between ranks take time, and get room between the rows. @param {Simulation} simulation */
export const isSlow = ({ perRank, costs }) => perRank.length > 1 && costs.latency.some((ticks) => ticks > 0);

/**
 * Which of its rank's stages an action belongs to, from 0 in the order of the stages.
 * @param {Simulation} simulation
 */
export function chunkOf(simulation) {
    const known = chunks.get(simulation) ?? findChunks(simulation);
    chunks.set(simulation, known);
    return known;
}

/** @type {WeakMap<Simulation, ReturnType<typeof findChunks>>} */
const chunks = new WeakMap();

/** @param {Simulation} simulation */
function findChunks(simulation) {
    const { stageRank, actions, config } = simulation;
    const stages = config.stages;
    const held = new Map();
    const place = new Int32Array(stageRank.length);
    for (let i = 0; i < stageRank.length; i++) {
        place[i] = held.get(stageRank[i]) ?? 0;
        held.set(stageRank[i], place[i] + 1);
    }
    const pipes = stageRank.length / stages;
    const chunk = new Int32Array(actions.count);
    for (let i = 0; i < actions.count; i++) {
        let pipe = 0;
        while (pipe + 1 < pipes && stageRank[pipe * stages + actions.stage[i]] !== actions.rank[i]) pipe++;
        chunk[i] = place[pipe * stages + actions.stage[i]];
    }
    return { chunk, chunks: Math.max(1, ...held.values()) };
}

// ---- axis ----

/**
 * Round steps of 1, 2 or 5 times a power of ten, at least `pixels` apart.
 * @param {number} scale pixels per tick @param {number} pixels
 */
export function tickStep(scale, pixels) {
    const least = pixels / scale;
    const power = 10 ** Math.floor(Math.log10(least));
    for (const factor of [1, 2, 5]) if (factor * power >= least * (1 - 1e-9)) return factor * power;
    return 10 * power;
}

/** @param {number} x @param {number} y @param {number} length */
const tickMark = (x, y, length) => `M${round(x)} ${round(y)}v${length}`;

/** @param {Scene} scene @param {number} makespan @returns {Shape[]} */
function axisShapes(scene, makespan) {
    const { plot, lang } = scene;
    const end = plot.span;
    const size = 12 * scene.text;
    /** @param {number} value */
    const label = (value) => formatNumber(value, lang);
    const widest = Math.max(textWidth(label(plot.origin - plot.zero + end), size), textWidth('00', size));
    let step = tickStep(plot.scale, widest + 22);
    // A step of whole ticks where the figure is about whole ticks, unless there is less than one tick to mark.
    if (step < 1 && end >= 2 && plot.scale >= 24) step = 1;
    const y = plot.bottom + 4;
    let marks = '';
    /** @type {Shape[]} */
    const labels = [];
    /** @param {number} time @param {string} name */
    const put = (time, name) => {
        const x = timeToX(scene, plot.zero + time);
        marks += tickMark(x, y, 5);
        labels.push(textShape(x, y + 6 + size, label(time), name, size, 'middle'));
    };
    const clear = (textWidth(label(makespan), size) + widest) / 2 + 10;
    const zero = plot.zero;
    const begin = plot.origin - zero;
    for (let k = Math.ceil((begin / step) * (1 - 1e-9)); k * step <= (begin + end) * (1 + 1e-9); k++) {
        const time = k * step;
        if (Math.abs(time - makespan) * plot.scale < clear && time !== makespan) continue;
        if (time !== makespan) put(time, 'pf-tick');
    }
    if (makespan <= (begin + end) * (1 + 1e-9)) put(makespan, 'pf-tick pf-tick-last');
    // What the numbers count, where there is room under the names of the devices.
    const name = textOf(lang, 'axis_ticks');
    if (textWidth(name, size) + 10 <= plot.left) labels.push(textShape(0, y + 6 + size, name, 'pf-axis-name', size));
    labels.unshift({ type: 'path', class: 'pf-axis', d: marks, fill: 'none', stroke: 'currentColor' });
    return labels.map((shape) => ({ ...shape, part: 'axis' }));
}

// ---- phases ----

/** Of more idle intervals it is not asked when all devices work at once. */
const MOST_IDLE = 3000;

/**
 * When all devices are at work: what the idle intervals leave, from 0 for the start of the step.
 * @param {Simulation} simulation @returns {{ from: number, to: number }[]}
 */
export function allBusy(simulation) {
    const { idle, summary } = simulation;
    const zero = firstStart(simulation);
    const order = Array.from(idle.start.keys()).sort((a, b) => idle.start[a] - idle.start[b]);
    const list = [];
    let busy = 0;
    for (const j of order) {
        if (idle.start[j] - zero > busy) list.push({ from: busy, to: idle.start[j] - zero });
        busy = Math.max(busy, idle.finish[j] - zero);
    }
    if (summary.makespan > busy) list.push({ from: busy, to: summary.makespan });
    return list;
}

/** One micro-batch of the slowest device, in the middle of its work. @param {Simulation} simulation */
function paceOf({ actions, summary, rankBegin, perRank }) {
    const rank = summary.cadence_rank;
    const busy = perRank.map((each) => each.busy);
    if (rank < 0 || Math.max(...busy) === Math.min(...busy)) return null;
    const middle = (rankBegin[rank] + rankBegin[rank + 1]) >> 1;
    const from = actions.start[middle];
    return from + summary.cadence <= summary.makespan ? { from, to: from + summary.cadence } : null;
}

/**
 * Names of parts of the step, each true of all of its part: until all are at work, while they are, after that; where stages
 * are unequal the time of a micro-batch on the slowest.
 * @param {Simulation} simulation
 * @returns {{ key: string, from: number, to: number, value?: number }[]}
 */
function phaseList(simulation) {
    const { makespan, cadence } = simulation.summary;
    if (simulation.perRank.length < 2 || simulation.config.schedule === 'naive' || makespan <= 0) return [];
    if (simulation.idle.count > MOST_IDLE) return [];
    const pace = paceOf(simulation);
    if (pace) return [{ key: 'phase_pace', ...pace, value: cadence }];
    const busy = allBusy(simulation);
    if (busy.length === 0) return [{ key: 'phase_never_full', from: 0, to: makespan }];
    return [
        { key: 'phase_fill', from: 0, to: busy[0].from },
        ...busy.map((part) => ({ key: 'phase_steady', ...part })),
        { key: 'phase_drain', from: busy[busy.length - 1].to, to: makespan },
    ].filter((phase) => phase.to > phase.from);
}

/** @param {Scene} scene @param {Simulation} simulation @returns {Shape[]} */
function phaseShapes(scene, simulation) {
    const phases = phaseList(simulation);
    if (phases.length === 0) return [];
    const size = 12 * scene.text;
    const y = size + 5;
    const { zero, left, right } = scene.plot;
    const at = phases
        .map(({ key, from, to, value }) => ({
            key,
            value,
            x0: Math.max(left, timeToX(scene, zero + from)) + 1,
            x1: Math.min(right, timeToX(scene, zero + to)) - 1,
        }))
        .filter(({ x0, x1 }) => x1 > x0 || !scene.view);
    const d = at.map(({ x0, x1 }) => `M${round(x0)} ${y + 4}V${y}H${round(x1)}v4`).join('');
    // Names may reach beyond their bracket into the next as long as they do not touch: the outer ones first.
    /** @type {[number, number][]} */
    const taken = [];
    /** @type {Shape[]} */
    const names = [];
    const order = at.filter((p) => p.key === 'phase_fill' || p.key === 'phase_drain');
    order.push(...at.filter((p) => !order.includes(p)));
    for (const { key, x0, x1, value } of order) {
        const shown = value === undefined ? '' : countOf(value, scene.lang, 'tick');
        for (const text of [textOf(scene.lang, key, shown), textOf(scene.lang, `${key}_short`, shown)]) {
            const width = textWidth(text, size);
            const from = key === 'phase_fill' ? x0 : key === 'phase_drain' ? x1 - width : (x0 + x1 - width) / 2;
            const fits = from >= 0 && from + width <= scene.width;
            if (!fits || taken.some(([a, b]) => from < b + 10 && from + width > a - 10)) continue;
            if (width > x1 - x0 + (key === 'phase_pace' ? width : 60)) continue;
            taken.push([from, from + width]);
            const anchor = key === 'phase_fill' ? 'start' : key === 'phase_drain' ? 'end' : 'middle';
            const x = anchor === 'start' ? x0 : anchor === 'end' ? x1 : (x0 + x1) / 2;
            names.push(textShape(x, y - 6, text, 'pf-phase-name', size, anchor));
            break;
        }
    }
    return [{ type: 'path', class: 'pf-phase', d, fill: 'none', stroke: 'currentColor' }, ...names];
}

// ---- cells ----

const decoder = new TextDecoder();

/**
 * Text of a path of many boxes, written as bytes: tens of thousands of short strings would be garbage at each step of a
 * slider.
 */
class BoxPath {
    #bytes = new Uint8Array(1024);
    #at = 0;

    get empty() {
        return this.#at === 0;
    }

    /** @param {string} letter @param {...number} values */
    #put(letter, ...values) {
        this.#bytes[this.#at++] = letter.charCodeAt(0);
        for (let k = 0; k < values.length; k++) {
            if (k > 0) this.#bytes[this.#at++] = 32;
            this.#number(values[k]);
        }
    }

    /** Two decimals at most. @param {number} value */
    #number(value) {
        let hundredths = Math.round(value * 100);
        if (hundredths < 0) {
            this.#bytes[this.#at++] = 45;
            hundredths = -hundredths;
        }
        const whole = Math.floor(hundredths / 100);
        let digits = 1;
        for (let power = 10; power <= whole; power *= 10) digits++;
        for (let rest = whole, k = digits - 1; k >= 0; k--) {
            this.#bytes[this.#at + k] = 48 + (rest % 10);
            rest = Math.floor(rest / 10);
        }
        this.#at += digits;
        const fraction = hundredths - whole * 100;
        if (fraction === 0) return;
        this.#bytes[this.#at++] = 46;
        this.#bytes[this.#at++] = 48 + Math.floor(fraction / 10);
        if (fraction % 10 > 0) this.#bytes[this.#at++] = 48 + (fraction % 10);
    }

    /** @param {number} x @param {number} y @param {number} w @param {number} h @param {number} [r] corner */
    box(x, y, w, h, r = 0) {
        if (this.#at + 512 > this.#bytes.length) {
            const larger = new Uint8Array(this.#bytes.length * 2);
            larger.set(this.#bytes);
            this.#bytes = larger;
        }
        const corner = w >= 3 * r && h >= 3 * r ? r : 0;
        const across = w - 2 * corner;
        const down = h - 2 * corner;
        this.#put('M', x + corner, y);
        this.#put('h', across);
        if (corner > 0) this.#put('a', corner, corner, 0, 0, 1, corner, corner);
        this.#put('v', down);
        if (corner > 0) this.#put('a', corner, corner, 0, 0, 1, -corner, corner);
        this.#put('h', -across);
        if (corner > 0) {
            this.#put('a', corner, corner, 0, 0, 1, -corner, -corner);
            this.#put('v', -down);
            this.#put('a', corner, corner, 0, 0, 1, corner, -corner);
        }
        this.#put('z');
        return this;
    }

    toString() {
        return decoder.decode(this.#bytes.subarray(0, this.#at));
    }
}

/** @param {number} x @param {number} y @param {number} w @param {number} h @param {number} [r] corner */
const boxPath = (x, y, w, h, r) => new BoxPath().box(x, y, w, h, r).toString();

/** Path of a cell's fill: gap and half of the edge taken off, less where a cell is very narrow. @param {Box} box */
function drawn({ x, y, w, h }) {
    const less = Math.min(CELL_GAP + EDGE, w / 3);
    return { x: x + less / 2, y: y + EDGE / 2, w: Math.max(w - less, 0.5), h: h - EDGE };
}

/** Stages of one rank alternate in tone. @param {number} chunk */
const toneClass = (chunk) => (chunk % 2 === 1 ? ' pf-odd' : '');
/** @param {number} op @param {number} chunk */
const cellClass = (op, chunk) => `pf-cell pf-${OP_LETTERS[op]}${toneClass(chunk)}`;
/**
 * A line along the top of every cell but those of a forward pass: kinds are told apart without their colours, in any size,
 * and under a number. Dashes by kind.
 */
const KIND_DASHES = ['', 'none', '2 2', '5 2.5', '6 2 1.5 2'];
/** @param {number} op @param {number} chunk */
const kindClass = (op, chunk) => `pf-kind pf-kind-${OP_LETTERS[op]}${toneClass(chunk)}`;
/** @param {Box} box  as drawn */
function kindLine({ x, y, w, h }) {
    const inset = Math.min(2.5, w / 5);
    return `M${round(x + inset)} ${round(y + Math.min(2.75, h / 3))}h${round(w - 2 * inset)}`;
}
/** @param {number} op @param {number} chunk @param {string} d @returns {Shape} */
const kindShape = (op, chunk, d) => ({
    type: 'path',
    class: kindClass(op, chunk),
    d,
    fill: 'none',
    stroke: 'currentColor',
    'stroke-dasharray': KIND_DASHES[op],
});

/** What stands on a cell. @param {number} op @param {number} chunk */
const onCellClass = (op, chunk) => `pf-on pf-on-${OP_LETTERS[op]}${toneClass(chunk)}`;

/** @param {Scene} scene @param {Simulation} simulation @param {Int32Array} chunk @param {number} chunks @returns {Shape[]} */
function cellShapes(scene, simulation, chunk, chunks) {
    const { actions } = simulation;
    const { shown, idPrefix } = scene;
    const corner = shown.length <= MAX_ROUNDED && scene.rows.height >= 16 ? 2 : 0;
    const kinds = 2 * OP_LETTERS.length;
    const paths = Array.from({ length: kinds }, () => new BoxPath());
    const bars = Array.from({ length: kinds }, () => new BoxPath());
    const lines = Array.from({ length: kinds }, () => '');
    for (let n = 0; n < shown.length; n++) {
        const i = shown[n];
        const box = drawn(scene.box(i));
        const kind = 2 * actions.op[i] + (chunk[i] % 2);
        paths[kind].box(box.x, box.y, box.w, box.h, corner);
        if (actions.op[i] !== FORWARD) lines[kind] += kindLine(box);
        // How deep in the network the stage lies among those of its device: a bar that grows.
        const full = box.w - 6;
        if (chunk[i] > 0 && full > 2 && box.h >= 14) {
            bars[kind].box(box.x + 3, box.y + box.h - 5, (full * chunk[i]) / (chunks - 1), 2.5);
        }
    }
    /** @type {Shape[]} */
    const shapes = [];
    for (let kind = 0; kind < kinds; kind++) {
        if (paths[kind].empty) continue;
        const op = kind >> 1;
        // The pattern shows where a style sheet does not set the fill: in forced colours, or without figure.css.
        shapes.push({
            type: 'path',
            class: cellClass(op, kind & 1),
            d: paths[kind].toString(),
            fill: op === FORWARD ? 'none' : `url(#${idPrefix}-${OP_LETTERS[op]})`,
            stroke: 'currentColor',
        });
    }
    for (let kind = 0; kind < kinds; kind++) if (lines[kind]) shapes.push(kindShape(kind >> 1, kind & 1, lines[kind]));
    for (let kind = 0; kind < kinds; kind++) {
        if (bars[kind].empty) continue;
        shapes.push({ type: 'path', class: `pf-chunk ${onCellClass(kind >> 1, kind & 1)}`, d: bars[kind].toString() });
    }
    return shapes;
}

/** @param {Scene} scene @param {NonNullable<SceneOptions['others']>} others @param {number} makespan @returns {Shape[]} */
function otherShapes(scene, others, makespan) {
    const path = new BoxPath();
    const { zero, scale } = scene.plot;
    for (const { rank, start, finish } of others)
        for (let i = 0; i < rank.length; i++) {
            const from = Math.max(start[i], zero);
            const w = (Math.min(finish[i], zero + makespan) - from) * scale;
            const box = drawn({ x: timeToX(scene, from), y: rowTop(scene, rank[i]), w, h: scene.rows.height });
            if (w > 0) path.box(box.x, box.y, box.w, box.h, 2);
        }
    return path.empty ? [] : [{ type: 'path', class: 'pf-other', d: path.toString() }];
}

/** What stands in a cell: the micro-batch, counted from 1. @param {Simulation} simulation @param {number} i */
export function cellText(simulation, i) {
    const { actions, config } = simulation;
    return `${actions.microbatch[i] + 1}${config.slices > 1 ? `.${actions.slice[i] + 1}` : ''}`;
}

/** The largest of a few sizes at which a text fits, 0 if none does. @param {string} text @param {number} width @param {number} scale */
function fittingSize(text, width, scale) {
    const size = LABEL_SIZES.find((size) => textWidth(text, size * scale) <= width - 1);
    return size ? size * scale : 0;
}

/** Narrower cells have no room for a number that is turned, either. */
const MIN_TURNED = 8.5;
const MIN_TURNED_APART = 5.5;
const MIN_TURNED_ALONE = 3.2;
/** Of more cells it is not asked which have room. */
const MOST_ASKED = 4 * MAX_LABELS;

/**
 * A number that does not lie in its cell may stand in it. Where the neighbours have none, it may reach over them by a pixel
 * or two, and by more where numbers are far apart.
 * @param {Scene} scene @param {number} i @param {number} [every]  k of the k-th micro-batches that have numbers
 */
function hasRoomTurned(scene, i, every = 1) {
    const { w, h } = drawn(scene.box(i));
    const least = every === 1 ? MIN_TURNED : every === 2 ? MIN_TURNED_APART : MIN_TURNED_ALONE;
    return w >= least * scene.text && h >= 24 * scene.text;
}

/** Has a cell room for its number? @param {Scene} scene @param {Simulation} simulation @param {number} i */
const hasRoom = (scene, simulation, i) => fittingSize(cellText(simulation, i), drawn(scene.box(i)).w, scene.text) > 0;

/** @param {Scene} scene @param {Simulation} simulation @param {Int32Array} chunk @param {number[]} wanted @returns {Shape[]} */
function labelShapes(scene, simulation, chunk, wanted) {
    const { actions } = simulation;
    // One size for the whole chart: the largest at which every number fits that fits at all.
    const chosen = [];
    let common = LABEL_SIZES[0] * scene.text;
    for (const i of wanted) {
        const { w, h } = drawn(scene.box(i));
        if (!hasRoom(scene, simulation, i)) {
            if (hasRoomTurned(scene, i, Number.POSITIVE_INFINITY)) chosen.push(i); // asked for, it is to be seen
            continue;
        }
        const fitting = fittingSize(cellText(simulation, i), w, scene.text);
        const size = h >= 15 * scene.text ? fitting : Math.min(fitting, h - 4);
        if (size < 8) continue;
        chosen.push(i);
        common = Math.min(common, size);
    }
    /** @type {Shape[]} */
    const shapes = [];
    for (const i of chosen) {
        const { x, y, w, h } = drawn(scene.box(i));
        const text = cellText(simulation, i);
        const size = common;
        const op = actions.op[i];
        const tone = onCellClass(op, chunk[i]);
        const letter = op > BACKWARD && h >= 28 * scene.text;
        const middle = y + h / 2 + size * 0.36 + (letter ? 4.5 * scene.text : 0);
        const top = y + 3 + 8.5 * scene.text;
        if (!hasRoom(scene, simulation, i)) {
            const small = Math.max(8 * scene.text, Math.min(11 * scene.text, w - 0.5));
            const [cx, cy] = [round(x + w / 2 + small * 0.36), round(y + h / 2)];
            const shape = textShape(cx, cy, text, `pf-number ${tone}`, round(small), 'middle');
            shapes.push({ ...shape, transform: `rotate(-90 ${cx} ${cy})` });
            continue;
        }
        if (letter) shapes.push(textShape(x + w / 2, top, OP_LETTERS[op], `pf-op ${tone}`, 9 * scene.text, 'middle'));
        shapes.push(textShape(x + w / 2, middle, text, `pf-number ${tone}`, size, 'middle'));
    }
    return shapes;
}

/**
 * Cells whose number is shown: all that have room; where one kind has none, or where they are too many, those of every k-th
 * micro-batch, in all rows and for all its operations, or none at all. Forwards without numbers beside numbered backwards
 * would seem to be something else.
 * @param {Scene} scene @param {Simulation} simulation
 */
function labelled(scene, simulation) {
    const { microbatch, op } = simulation.actions;
    let tries = 0;
    for (const every of [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]) {
        if (scene.shown.length > MOST_ASKED * every) continue;
        const some = Array.from(scene.shown).filter(
            (i) => every === 1 || microbatch[i] === 0 || (microbatch[i] + 1) % every === 0,
        );
        if (some.length > MOST_ASKED) continue;
        const wide = some.filter((i) => hasRoom(scene, simulation, i) || hasRoomTurned(scene, i, every));
        const count = wide.reduce((sum, i) => sum + (op[i] > BACKWARD ? 2 : 1), 0);
        if (count > MAX_LABELS) continue;
        const numbered = new Set(wide);
        const kinds = new Set(wide.map((i) => op[i]));
        // Close up, cells are cut off at the edges, and some have no room for that reason alone.
        const blank = !scene.view && some.some((i) => !numbered.has(i) && scene.box(i).w > 0);
        if (!blank || some.every((i) => kinds.has(op[i]))) return wide;
        if (++tries === 3) break; // fewer numbers would find no more room
    }
    return [];
}

// ---- idle time ----

/** @param {Scene} scene @param {Simulation} simulation @returns {Shape[]} */
function idleShapes(scene, simulation) {
    const { shownIdle } = scene;
    const waiting = new BoxPath();
    const wire = new BoxPath();
    for (let n = 0; n < shownIdle.length; n++) {
        const { x, y, w, h } = scene.idleBox(shownIdle[n]);
        (simulation.idle.reason[shownIdle[n]] === IDLE_TRANSFER ? wire : waiting).box(x, y, w, h);
    }
    return [idlePath(scene, waiting, false), idlePath(scene, wire, true), idleTicks(scene, simulation)].flatMap(
        (shape) => shape ?? [],
    );
}

/** Narrower ticks are not told apart by lines, nor more of them. */
const MIN_TICK = 7;
const MOST_TICKS = 2000;

/** Lines that divide idle time into ticks, so that empty cells can be counted. @param {Scene} scene @param {Simulation} simulation @returns {Shape | null} */
function idleTicks(scene, simulation) {
    const { plot, shownIdle, rows } = scene;
    const { start, finish, rank } = simulation.idle;
    if (plot.scale < MIN_TICK || shownIdle.length > MOST_TICKS) return null;
    let d = '';
    for (let n = 0, lines = 0; n < shownIdle.length && lines < MOST_TICKS; n++) {
        const j = shownIdle[n];
        const top = rowTop(scene, rank[j]);
        for (let t = Math.floor(start[j] - plot.zero) + 1; t < finish[j] - plot.zero; t++, lines++) {
            const x = timeToX(scene, plot.zero + t);
            if (x > plot.left && x < plot.right) d += `M${round(x)} ${round(top)}v${rows.height}`;
        }
    }
    return d === '' ? null : { type: 'path', class: 'pf-idle-tick', d, fill: 'none' };
}

/** @param {Scene} scene @param {BoxPath} path @param {boolean} wire @returns {Shape | null} */
function idlePath(scene, path, wire) {
    if (path.empty) return null;
    const fill = `url(#${scene.idPrefix}-${wire ? 'wire' : 'idle'})`;
    return { type: 'path', class: wire ? 'pf-idle-wire' : 'pf-idle', d: path.toString(), fill };
}

// ---- messages ----

/**
 * The message that brings an action its input, null where none crosses from rank to rank.
 * @param {Simulation} simulation @param {number} to
 * @returns {{ from: number, to: number, sent: number, arrived: number } | null}
 */
export function messageTo({ actions, costs, config }, to) {
    const from = actions.input[to];
    if (from < 0 || actions.rank[from] === actions.rank[to]) return null;
    const latency = costs.latency[Math.min(actions.stage[from], actions.stage[to])];
    // A link that carries one after another, or a place that had to become free.
    if (actions.arrive) return { from, to, sent: actions.arrive[from] - latency, arrived: actions.arrive[from] };
    let sent = actions.finish[from];
    // Both ranks are held by the message, so that the taker starts when it is through.
    if (config.transfer === 'rendezvous') sent = Math.max(sent, actions.start[to] - latency);
    return { from, to, sent, arrived: sent + latency };
}

/** All messages between ranks, in the order of their takers. @param {Simulation} simulation */
export function messages(simulation) {
    const list = [];
    for (let to = 0; to < simulation.actions.count; to++) {
        const message = messageTo(simulation, to);
        if (message) list.push(message);
    }
    return list;
}

/** @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 */
const stroke = (x0, y0, x1, y1) => `M${round(x0)} ${round(y0)}L${round(x1)} ${round(y1)}`;

/** @param {Scene} scene @param {Simulation} simulation @returns {Shape[]} */
function transferShapes(scene, simulation) {
    const { actions, config } = simulation;
    const all = scene.view
        ? Array.from(scene.shown, (to) => messageTo(simulation, to)).flatMap((message) =>
              message && message.sent >= scene.plot.origin && isRowShown(scene, actions.rank[message.from])
                  ? [message]
                  : [],
          )
        : messages(simulation);
    const every = Math.max(1, Math.ceil(all.length / MAX_TRANSFERS));
    const shown = every === 1 ? all : all.filter(({ to }) => actions.microbatch[to] % every === 0);
    const { height, pitch } = scene.rows;
    const lane = pitch - height;
    const reach = Math.min(3, lane * 0.75, height / 6);
    let strokes = '';
    let bars = '';
    for (const { from, to, sent, arrived } of shown) {
        const x0 = timeToX(scene, sent);
        const x1 = timeToX(scene, arrived);
        const a = actions.rank[from];
        const b = actions.rank[to];
        // Forwards go on to the next stage, down the chart; gradients go up. From the last rank to the first (or back)
        // a message leaves the chart at one edge and comes in at the other.
        const wraps = Math.abs(a - b) > 1 && config.stages > config.ranks;
        const down = wraps ? b < a : b > a;
        const leave = rowTop(scene, a) + (down ? height : 0);
        const enter = rowTop(scene, b) + (down ? 0 : height);
        const sign = down ? 1 : -1;
        if (arrived > sent && !wraps) bars += stroke(x0, leave, x1, enter);
        else if (arrived > sent) {
            const half = (x1 - x0) / 2;
            const out = sign * Math.min(6, Math.max(lane, 5)); // below the bracket, above the axis
            bars += stroke(x0, leave, x0 + half, leave + out) + stroke(x1 - half, enter - out, x1, enter);
        } else if (!wraps) strokes += stroke(x0 - reach, leave - sign * reach, x0 + reach, enter + sign * reach);
        else {
            const near = sign * reach;
            strokes += stroke(x0 - reach, leave - near, x0 + reach, leave + near);
            strokes += stroke(x0 - reach, enter - near, x0 + reach, enter + near);
        }
    }
    /** @type {Shape[]} */
    const shapes = [];
    if (strokes) shapes.push({ type: 'path', class: 'pf-message', d: strokes, fill: 'none', stroke: 'currentColor' });
    if (bars) shapes.push({ type: 'path', class: 'pf-message-bar', d: bars, fill: 'none', stroke: 'currentColor' });
    return shapes;
}

// ---- patterns ----

/** @param {string} id @param {number} size @param {string} d @param {string} name @returns {Shape} */
function pattern(id, size, d, name) {
    return {
        type: 'pattern',
        id,
        width: size,
        height: size,
        patternUnits: 'userSpaceOnUse',
        shapes: [
            { type: 'rect', class: `${name}-ground`, width: size, height: size, fill: 'none' },
            { type: 'path', class: `${name}-line`, d, fill: 'none', stroke: 'currentColor' },
        ],
    };
}

const OP_PATTERNS = ['', 'M0 3h6', 'M3 0v6', 'M2 3h2', 'M0 0L6 6M6 0L0 6'];

/** @param {Scene} scene @param {Simulation} simulation @returns {Shape} */
function patternShapes(scene, simulation) {
    const { idPrefix } = scene;
    const { kinds } = simulation;
    /** @type {Shape[]} */
    const shapes = [];
    if (kinds & KINDS.wait) shapes.push(pattern(`${idPrefix}-idle`, 8, 'M-2 2L2 -2M0 8L8 0M6 10L10 6', 'pf-hatch'));
    if (kinds & KINDS.wire) shapes.push(pattern(`${idPrefix}-wire`, 6, 'M0 3h3', 'pf-wire'));
    for (let op = BACKWARD; op < OP_LETTERS.length; op++) {
        if (!(kinds & (1 << op))) continue;
        shapes.push(pattern(`${idPrefix}-${OP_LETTERS[op]}`, 6, OP_PATTERNS[op], 'pf-mark'));
    }
    return { type: 'defs', shapes };
}

// ---- legend ----

/**
 * What the picture shows, in the order of a legend: class of the sample and its name.
 * @param {Simulation} simulation @param {string} lang @param {{ transfers?: boolean }} [options]
 * @returns {{ key: string, class: string, label: string }[]}
 */
export function legendEntries(simulation, lang, options = {}) {
    const { kinds } = simulation;
    const entries = [];
    for (let op = 0; op < OP_LETTERS.length; op++) {
        if (!(kinds & (1 << op))) continue;
        const letter = OP_LETTERS[op];
        // Beside halves, a whole backward says that it is whole.
        const whole = letter === 'B' && kinds & (1 << INPUT_GRADIENT) ? '_whole' : '';
        entries.push({ key: letter, class: cellClass(op, 0), label: textOf(lang, `legend_${letter}${whole}`) });
    }
    /** @param {number} bit @param {string} key @param {string} name @param {string} [label] */
    const entry = (bit, key, name, label = `legend_${key}`) => {
        if (kinds & bit) entries.push({ key, class: name, label: textOf(lang, label) });
    };
    entry(KINDS.chunks, 'chunk', 'pf-cell pf-F pf-odd');
    entry(KINDS.wait, 'idle', 'pf-idle');
    entry(KINDS.wire, 'wire', 'pf-idle-wire');
    if (options.transfers !== false) {
        entry(KINDS.message, 'message', 'pf-message', kinds & 6 ? 'legend_message' : 'legend_message_forward');
    }
    return entries;
}

/** The mark of a kind of cell in a legend, null where it is plain. @param {string} key @param {Box} box @returns {Shape | null} */
export function kindMark(key, box) {
    const op = OP_LETTERS.indexOf(key);
    return op > FORWARD ? kindShape(op, 0, kindLine(box)) : null;
}

/** Lays the legend out in lines. @param {Scene} scene @param {Simulation} simulation @param {boolean} transfers */
function legendShapes(scene, simulation, transfers) {
    const size = 12.5;
    const line = 22;
    let x = 0;
    let y = scene.height + 16;
    /** @type {Shape[]} */
    const shapes = [];
    for (const { key, class: name, label } of legendEntries(simulation, scene.lang, { transfers })) {
        const width = 20 + textWidth(label, size);
        if (x > 0 && x + width > scene.width) {
            x = 0;
            y += line;
        }
        if (key === 'message') {
            const d = `M${round(x + 3)} ${y - 10}l8 11`;
            shapes.push({ type: 'path', class: name, d, fill: 'none', stroke: 'currentColor' });
        } else {
            const of = key === 'idle' || key === 'wire' ? key : /^[BIWR]$/.test(key) ? key : '';
            const fill = of === '' ? 'none' : `url(#${scene.idPrefix}-${of})`;
            shapes.push({
                type: 'path',
                class: name,
                d: boxPath(x + 0.5, y - 10, 13, 12, 2),
                fill,
                stroke: 'currentColor',
            });
            const mark = kindMark(key, { x: x + 0.5, y: y - 10, w: 13, h: 12 });
            if (mark) shapes.push(mark);
            if (key === 'chunk')
                shapes.push({
                    type: 'path',
                    class: `pf-chunk ${onCellClass(FORWARD, 1)}`,
                    d: boxPath(x + 3, y - 2, 8, 2.5, 0),
                });
        }
        shapes.push(textShape(x + 20, y, label, 'pf-legend', size));
        x += width + 16;
    }
    return { shapes, height: y + 8 };
}

// ---- the scene ----

/** @param {Scene} scene @param {number} time */
export function timeToX(scene, time) {
    return scene.plot.left + (time - scene.plot.origin) * scene.plot.scale;
}

/** @param {Scene} scene @param {number} x */
export function xToTime(scene, x) {
    return scene.plot.origin + (x - scene.plot.left) / scene.plot.scale;
}

/** @param {Scene} scene @param {number} rank */
export function rowTop(scene, rank) {
    return scene.plot.top + (rank - scene.rows.first) * scene.rows.pitch;
}

/** @param {Scene} scene @param {number} rank */
const isRowShown = ({ rows }, rank) => rank >= rows.first && rank < rows.first + rows.count;

/** @param {Simulation} simulation */
export function firstStart({ perRank, rankBegin }) {
    const firsts = perRank.filter((_, r) => rankBegin[r + 1] > rankBegin[r]).map(({ first }) => first);
    return firsts.length > 0 ? Math.min(...firsts) : 0;
}

/** Shortest duration that is not zero. @param {Simulation} simulation */
function shortest(simulation) {
    const { start, finish, count } = simulation.actions;
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < count; i++) {
        const length = finish[i] - start[i];
        if (length > 0 && length < least) least = length;
    }
    return least;
}

/** @param {Scene} scene @param {ArrayLike<number>} rank @param {ArrayLike<number>} start @param {ArrayLike<number>} finish @returns {Boxes} */
function boxes(scene, rank, start, finish) {
    const count = rank.length;
    const out = {
        x: new Float64Array(count),
        y: new Float64Array(count),
        w: new Float64Array(count),
        h: new Float64Array(count),
    };
    for (let i = 0; i < count; i++) {
        out.x[i] = timeToX(scene, start[i]);
        out.y[i] = rowTop(scene, rank[i]);
        out.w[i] = (finish[i] - start[i]) * scene.plot.scale;
        out.h[i] = scene.rows.height;
    }
    return out;
}

/** Two actions of one slot share its box: the forward above. @param {Scene} scene @param {Simulation} simulation */
function splitFused(scene, simulation) {
    const { actions } = simulation;
    const { y, h } = scene.cells;
    for (let i = 0; i + 1 < actions.count; i++) {
        if (!sameSlot(simulation, i, i + 1)) continue;
        const half = (scene.rows.height - 1) / 2;
        const upper = actions.op[i + 1] === FORWARD ? i + 1 : i;
        h[i] = h[i + 1] = half;
        y[2 * i + 1 - upper] += half + 1;
    }
}

/**
 * Boxes one by one, cut off at the edges of the plot.
 * @param {Scene} scene @param {Simulation} simulation
 */
function boxMakers(scene, { actions, idle }) {
    const { plot, rows } = scene;
    /** @param {number} rank @param {number} start @param {number} finish @returns {Box} */
    const make = (rank, start, finish) => {
        const x = Math.max(plot.left, timeToX(scene, start));
        const w = isRowShown(scene, rank) ? Math.min(plot.right, timeToX(scene, finish)) - x : 0;
        return { x: Math.min(x, plot.right), y: rowTop(scene, rank), w: Math.max(0, w), h: rows.height };
    };
    /** @param {number} i */
    const box = (i) => {
        const own = make(actions.rank[i], actions.start[i], actions.finish[i]);
        const slot = actions.index[i];
        const mate = [i - 1, i + 1].find((j) => actions.index[j] === slot && actions.rank[j] === actions.rank[i]);
        if (mate === undefined) return own;
        own.h = (rows.height - 1) / 2;
        const upper = actions.op[Math.max(i, mate)] === FORWARD ? Math.max(i, mate) : Math.min(i, mate);
        if (i !== upper) own.y += own.h + 1;
        return own;
    };
    return { box, idleBox: (/** @type {number} */ j) => make(idle.rank[j], idle.start[j], idle.finish[j]) };
}

/** Intervals of the rows in sight that reach into the time in sight. @param {{ start: Float64Array, finish: Float64Array }} columns @param {Int32Array} begin @param {View} view */
function inSight({ start, finish }, begin, { from, span, first, ranks }) {
    /** @type {number[]} */
    const list = [];
    for (let r = first; r < first + ranks; r++) {
        let i = Math.max(begin[r], lastNotAbove(start, begin[r], begin[r + 1], from));
        for (; i < begin[r + 1] && start[i] < from + span; i++) if (finish[i] >= from) list.push(i);
    }
    return list;
}

/** @param {number} count */
const all = (count) => Int32Array.from({ length: count }, (_, i) => i);

/** @param {Simulation} simulation @param {number} i @param {number} j */
function sameSlot({ actions }, i, j) {
    return actions.rank[i] === actions.rank[j] && actions.index[i] === actions.index[j];
}

const noChunks = { chunk: new Int32Array(0), chunks: 1 };

/** @param {Boxes} boxes @returns {(i: number) => Box} */
const boxIn = (boxes) => (i) => ({ x: boxes.x[i], y: boxes.y[i], w: boxes.w[i], h: boxes.h[i] });

/**
 * @param {Simulation} simulation
 * @param {SceneOptions} [options]
 * @returns {Scene}
 */
export function buildScene(simulation, options = {}) {
    const { width = 760, lang = 'ru', transfers = true, phases = true, labels = true, legend = false } = options;
    const { minCell = 0, idPrefix = 'pf', pixels = false, view = null, others = [], text = 1 } = options;
    const { actions, idle, perRank, summary, rankBegin } = simulation;
    const ranks = perRank.length;
    const { first, ranks: count } = view ?? { first: 0, ranks };
    const narrow = width < NARROW * text;
    const nameOf = options.rankLabel ?? ((rank, short) => textOf(lang, short ? 'rank_short' : 'rank', rank + 1));
    const names = Array.from({ length: ranks }, (_, rank) => nameOf(rank, narrow));
    const usual = defaultRowHeight(ranks, pixels);
    const height = view?.rowHeight ?? options.rowHeight ?? (ranks <= 24 ? Math.round(usual * text) : usual);
    const dense = pixels && !view && actions.count > SVG_CELLS;
    const slow = transfers && !dense && isSlow(simulation);
    const gap = rowGap(height, slow);
    const pitch = height + gap;

    const nameSize = Math.min(13 * text, Math.max(9, height - 2));
    const axisSize = 12 * text;
    const left = Math.ceil(Math.max(...names.map((name) => textWidth(name, nameSize)))) + (narrow ? 8 : 14);
    const makespan = summary.makespan;
    const span = Math.max(options.span ?? 0, makespan) || 1;
    const margin =
        Math.ceil(Math.max(...[span, makespan].map((time) => textWidth(formatNumber(time, lang), axisSize))) / 2) + 2;
    let scale = Math.max(width - left - margin, 40) / (view?.span ?? span);
    if (minCell > 0) {
        const widest = Math.max(MAX_WIDTH - left - margin, 40) / span;
        scale = Math.max(scale, Math.min((minCell + CELL_GAP) / shortest(simulation), widest));
    }
    const bracketed = phases && phaseList(simulation).length > 0;
    const top = bracketed ? axisSize + 14 + (slow ? 4 : 0) : slow ? 10 : 4;
    const bottom = top + count * pitch - gap + (slow ? 6 : 0);
    const zero = firstStart(simulation);
    const right = left + (view?.span ?? span) * scale;

    /** @type {Scene} */
    const scene = {
        width: Math.ceil(right + margin),
        height: bottom + axisSize + 16,
        lang,
        idPrefix,
        narrow,
        text,
        plot: { left, right, top, bottom, origin: view?.from ?? zero, span: view?.span ?? span, scale, zero },
        rows: { height, pitch, first, count, begin: rankBegin, idleBegin: new Int32Array(0) },
        view,
        dense,
        shown: [],
        shownIdle: [],
        box: /** @type {any} */ (null),
        idleBox: /** @type {any} */ (null),
        cells: /** @type {any} */ (null),
        idleCells: /** @type {any} */ (null),
        shapes: [],
    };
    if (view) scene.shown = inSight(actions, rankBegin, view);
    if (view && pixels && scene.shown.length > SVG_CELLS) scene.dense = true;
    if (scene.dense) scene.shown = [];
    if (!scene.dense) scene.rows.idleBegin = rowOffsets(idle.rank, ranks);
    Object.assign(scene, boxMakers(scene, simulation));
    if (view && !scene.dense) scene.shownIdle = inSight(idle, scene.rows.idleBegin, view);
    if (!view && !scene.dense) {
        scene.cells = boxes(scene, actions.rank, actions.start, actions.finish);
        splitFused(scene, simulation);
        scene.idleCells = boxes(scene, idle.rank, idle.start, idle.finish);
        scene.shown = all(actions.count);
        scene.shownIdle = all(idle.count);
        scene.box = boxIn(scene.cells);
        scene.idleBox = boxIn(scene.idleCells);
    }

    const { chunk, chunks } = scene.dense ? noChunks : chunkOf(simulation);
    const tracks = new BoxPath();
    const slowest = paceOf(simulation) ? summary.cadence_rank : -1;
    const begin = Math.max(left, timeToX(scene, zero));
    const rowWidth = Math.min(right, timeToX(scene, zero + makespan)) - begin;
    for (let r = first; r < first + count; r++) tracks.box(begin, rowTop(scene, r), rowWidth, height);
    const everyName = Math.ceil(13 / pitch);
    const numbered = labels && !scene.dense ? labelShapes(scene, simulation, chunk, labelled(scene, simulation)) : [];
    // A line around a row would lie on the last pixels of it.
    const track = { type: 'path', class: 'pf-row', d: tracks.toString(), fill: 'none', stroke: 'currentColor' };
    scene.shapes = [
        patternShapes(scene, simulation),
        ...(bracketed ? phaseShapes(scene, simulation) : []),
        ...idleShapes(scene, simulation),
        ...(scene.dense ? [] : [track]),
        ...otherShapes(scene, others, makespan),
        { type: 'g', class: 'pf-cells', shapes: [...cellShapes(scene, simulation, chunk, chunks), ...numbered] },
        ...(transfers && !scene.dense ? transferShapes(scene, simulation) : []),
        {
            type: 'g',
            class: 'pf-ranks',
            shapes: names.flatMap((name, r) =>
                isRowShown(scene, r) && (r - first) % everyName === 0
                    ? [
                          textShape(
                              0,
                              rowTop(scene, r) + height / 2 + nameSize * 0.36,
                              name,
                              r === slowest ? 'pf-rank pf-rank-slow' : 'pf-rank',
                              nameSize,
                          ),
                      ]
                    : [],
            ),
        },
        ...axisShapes(scene, makespan),
    ];
    if (legend) {
        const below = legendShapes(scene, simulation, transfers);
        scene.shapes.push(...below.shapes);
        scene.height = below.height;
    }
    return scene;
}

// ---- pointing ----

/** Last entry of values[from..to) that is not above the value, -1 if none. @param {Float64Array} values @param {number} from @param {number} to @param {number} value */
function lastNotAbove(values, from, to, value) {
    let low = from;
    let high = to;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (values[middle] <= value) low = middle + 1;
        else high = middle;
    }
    return low > from ? low - 1 : -1;
}

/**
 * What lies at a point of the scene. The gap between rows belongs to the nearer row.
 * @param {Scene} scene @param {number} x @param {number} y
 * @returns {Selection | null}
 */
export function hitTest(scene, x, y) {
    const { rows, plot, cells, idleCells } = scene;
    const gap = rows.pitch - rows.height;
    const rank = Math.floor((y - plot.top + gap / 2) / rows.pitch);
    if (rank < 0 || rank >= rows.begin.length - 1) return null;
    let i = lastNotAbove(cells.x, rows.begin[rank], rows.begin[rank + 1], x);
    if (i >= 0 && x < cells.x[i] + cells.w[i]) {
        // The other half of a shared slot has the same box but for its height.
        if (i > rows.begin[rank] && cells.x[i - 1] === cells.x[i] && cells.h[i] < rows.height) {
            const upper = cells.y[i] < cells.y[i - 1] ? i : i - 1;
            const lower = 2 * i - 1 - upper;
            i = y < cells.y[lower] ? upper : lower;
        }
        return { kind: 'action', index: i };
    }
    const j = lastNotAbove(idleCells.x, rows.idleBegin[rank], rows.idleBegin[rank + 1], x);
    if (j >= 0 && x < idleCells.x[j] + idleCells.w[j]) return { kind: 'idle', index: j };
    return null;
}

/**
 * The same where cells are pixels, or only some of them in sight: the core is asked.
 * @param {Scene} scene @param {Simulation} simulation @param {number} x @param {number} y
 * @returns {Selection | null}
 */
export function hitStep(scene, simulation, x, y) {
    const { rows, plot } = scene;
    const row = Math.floor((y - plot.top + (rows.pitch - rows.height) / 2) / rows.pitch);
    if (row < 0 || row >= rows.count || x < plot.left || x > plot.right) return null;
    const rank = rows.first + row;
    const hit = simulation.at(rank, xToTime(scene, x));
    if (hit?.kind !== 'action') return hit;
    // Of a shared slot the core gives the first half.
    const own = scene.box(hit.index);
    const top = rowTop(scene, rank);
    const other = own.h < rows.height && y >= top + own.h + 1 === (own.y === top);
    return other ? { kind: 'action', index: hit.index + 1 } : hit;
}

/** Who waits for each action, made once per simulation. @type {WeakMap<Simulation, { begin: Int32Array, list: Int32Array }>} */
const takers = new WeakMap();

/** @param {Simulation} simulation */
function takersOf(simulation) {
    let known = takers.get(simulation);
    if (known) return known;
    const { input, count } = simulation.actions;
    const begin = new Int32Array(count + 1);
    for (let i = 0; i < count; i++) if (input[i] >= 0) begin[input[i] + 1]++;
    for (let i = 0; i < count; i++) begin[i + 1] += begin[i];
    const next = begin.slice();
    const list = new Int32Array(begin[count]);
    for (let i = 0; i < count; i++) if (input[i] >= 0) list[next[input[i]]++] = i;
    known = { begin, list };
    takers.set(simulation, known);
    return known;
}

/**
 * @param {Simulation} simulation @param {number} index
 * @returns {{ waitsFor: number[], awaitedBy: number[], previous: number }}  previous: the slot before on the same rank
 */
export function neighbours(simulation, index) {
    const { actions } = simulation;
    const { begin, list } = takersOf(simulation);
    let previous = index - 1;
    while (previous >= 0 && sameSlot(simulation, previous, index)) previous--;
    if (previous >= 0 && actions.rank[previous] !== actions.rank[index]) previous = -1;
    return {
        waitsFor: actions.input[index] >= 0 ? [actions.input[index]] : [],
        awaitedBy: [...list.subarray(begin[index], begin[index + 1])],
        previous,
    };
}

// ---- what is laid over the chart ----

/** Cells that can be seen, and not more than can be told apart. @param {Scene} scene @param {number[]} indices */
function liftable(scene, indices) {
    return (scene.cells ? indices : indices.filter((i) => scene.box(i).w > 0)).slice(0, MAX_LIFTED);
}

/** The cells once more, to stand out of a chart that fades. @param {Scene} scene @param {Simulation} simulation @param {number[]} indices @returns {Shape[]} */
function liftedCells(scene, simulation, indices) {
    const { chunk } = chunkOf(simulation);
    const { actions } = simulation;
    const shown = liftable(scene, indices);
    const shapes = shown.flatMap((i) => {
        const box = drawn(scene.box(i));
        const op = actions.op[i];
        /** @type {Shape} */
        const cell = {
            type: 'path',
            class: cellClass(op, chunk[i]),
            d: boxPath(box.x, box.y, box.w, box.h, 2),
            fill: op === FORWARD ? 'none' : `url(#${scene.idPrefix}-${OP_LETTERS[op]})`,
            stroke: 'currentColor',
        };
        return op === FORWARD ? [cell] : [cell, kindShape(op, chunk[i], kindLine(box))];
    });
    const wide = shown.filter((i) => hasRoom(scene, simulation, i) || hasRoomTurned(scene, i)).sort((a, b) => a - b);
    return [...shapes, ...labelShapes(scene, simulation, chunk, wide)];
}

/** @param {Box} box @param {string} name @returns {Shape} */
function outline({ x, y, w, h }, name) {
    const d = boxPath(x, y - 0.5, w, h + 1, 2);
    return { type: 'path', class: name, d, fill: 'none', stroke: 'currentColor' };
}

/** @param {Scene} scene @param {number[]} indices @param {string} name */
const outlines = (scene, indices, name) => liftable(scene, indices).map((i) => outline(scene.box(i), name));

/**
 * An arrow from one cell to another that needs it. Cells that touch at a corner get a short slanted one across the
 * corner; others one from the end of the first to the start of the second.
 * @param {Scene} scene @param {number} from @param {number} to @param {string} name @returns {Shape[]}
 */
function arrowBetween(scene, from, to, name) {
    const [a, b] = [scene.box(from), scene.box(to)];
    if (!scene.cells && (a.w === 0 || b.w === 0)) return [];
    const gap = b.x - (a.x + a.w);
    const down = b.y === a.y ? 0 : b.y > a.y ? 1 : -1;
    if (gap < 12 && down !== 0) {
        const x0 = a.x + a.w - Math.min(9, a.w / 2);
        const x1 = b.x + Math.min(9, b.w / 2);
        const y0 = a.y + a.h / 2 + down * (a.h / 2 - Math.min(9, a.h / 3));
        const y1 = b.y + b.h / 2 - down * (b.h / 2 - Math.min(9, b.h / 3));
        return arrow(`M${round(x0)} ${round(y0)}L`, x0, y0, x1, y1, name);
    }
    const x0 = a.x + a.w;
    const y0 = a.y + a.h / 2;
    const y1 = b.y + b.h / 2;
    const bend = round(Math.max(gap / 2, 8));
    return arrow(`M${round(x0)} ${round(y0)}C${round(x0 + bend)} ${round(y0)} `, b.x - bend, y1, b.x - 1, y1, name);
}

/**
 * A line that ends in a tip: begun by `start`, arriving at x, y from the direction of cx, cy, which is also the last
 * control point where the line is a curve.
 * @param {string} start @param {number} cx @param {number} cy @param {number} x @param {number} y @param {string} name
 * @returns {Shape[]}
 */
function arrow(start, cx, cy, x, y, name) {
    const length = Math.hypot(x - cx, y - cy) || 1;
    const [dx, dy] = [(x - cx) / length, (y - cy) / length];
    const [bx, by] = [x - 8 * dx, y - 8 * dy];
    const side = 3.6;
    const curve = start.includes('C') ? `${round(cx)} ${round(cy)} ` : '';
    const d = `${start}${curve}${round(bx + 2 * dx)} ${round(by + 2 * dy)}`;
    const tip = `M${round(x)} ${round(y)}L${round(bx - side * dy)} ${round(by + side * dx)}L${round(bx + side * dy)} ${round(by - side * dx)}z`;
    return [
        { type: 'path', class: 'pf-halo', d: d + tip, fill: 'none' },
        { type: 'path', class: name, d, fill: 'none', stroke: 'currentColor' },
        { type: 'path', class: `${name} pf-arrow-tip`, d: tip },
    ];
}

/**
 * Shapes to lay over the chart for one selected cell or idle interval: it, what it waits for, what waits for it. The
 * rest of the chart is meant to fade (class pf-dim on the svg).
 * @param {Scene} scene @param {Simulation} simulation @param {Selection | null} selection
 * @returns {Shape[]}
 */
export function selectionShapes(scene, simulation, selection) {
    if (!selection) return [];
    if (selection.kind === 'action') {
        const { waitsFor, awaitedBy } = neighbours(simulation, selection.index);
        return [
            ...liftedCells(scene, simulation, [...waitsFor, selection.index, ...awaitedBy]),
            ...outlines(scene, waitsFor, 'pf-awaited'),
            ...outlines(scene, awaitedBy, 'pf-awaiting'),
            ...outlines(scene, [selection.index], 'pf-selected'),
            ...waitsFor.flatMap((i) => arrowBetween(scene, i, selection.index, 'pf-arrow')),
            ...awaitedBy.flatMap((i) => arrowBetween(scene, selection.index, i, 'pf-arrow')),
        ];
    }
    const { idle } = simulation;
    const j = selection.index;
    const [before, source] = [idle.before[j], idle.waits_for[j]];
    const around = [...new Set([source, before])].filter((i) => i >= 0);
    const own = scene.idleBox(j);
    if (own.w === 0 && !scene.idleCells) return [];
    const path = new BoxPath().box(own.x, own.y, own.w, own.h);
    return [
        ...[idlePath(scene, path, idle.reason[j] === IDLE_TRANSFER)].flatMap((shape) => shape ?? []),
        ...liftedCells(scene, simulation, around),
        ...outlines(scene, source >= 0 ? [source] : [], 'pf-awaited'),
        ...outlines(scene, before >= 0 ? [before] : [], 'pf-awaiting'),
        outline(own, 'pf-selected'),
        ...(source >= 0 && before >= 0 ? arrowBetween(scene, source, before, 'pf-arrow') : []),
    ];
}

/**
 * One micro-batch followed through the stages, in the order of time.
 * @param {Scene} scene @param {Simulation} simulation @param {number} microbatch from 0
 * @returns {Shape[]}
 */
export function microbatchShapes(scene, simulation, microbatch) {
    const { actions } = simulation;
    const own = [];
    for (let i = 0; i < actions.count; i++) if (actions.microbatch[i] === microbatch) own.push(i);
    own.sort((a, b) => actions.start[a] - actions.start[b] || a - b);
    const hops = liftable(scene, own).filter(
        (i) => actions.input[i] >= 0 && actions.rank[actions.input[i]] !== actions.rank[i],
    );
    return [
        ...liftedCells(scene, simulation, own),
        ...outlines(scene, own, 'pf-followed'),
        ...hops.flatMap((i) => arrowBetween(scene, actions.input[i], i, 'pf-trail')),
    ];
}

/**
 * The chain of actions that decides the makespan.
 * @param {Scene} scene @param {Simulation} simulation
 * @returns {Shape[]}
 */
export function criticalPathShapes(scene, simulation) {
    const path = [...simulation.criticalPath];
    const { rank } = simulation.actions;
    return [
        ...liftedCells(scene, simulation, path),
        ...outlines(scene, path, 'pf-critical'),
        ...path
            .map((i, k) => [path[k - 1] ?? i, i])
            .filter(
                ([from, to]) =>
                    rank[from] !== rank[to] && (scene.cells || (scene.box(from).w > 0 && scene.box(to).w > 0)),
            )
            .slice(0, MAX_LIFTED)
            .flatMap(([from, to]) => arrowBetween(scene, from, to, 'pf-arrow')),
    ];
}

/**
 * Devices that wait for each other in a circle: what each stands before, what that needs, and arrows from what has to come
 * first to what has to come later, by need and by the order of a device's list.
 * @param {Scene} scene @param {import('../engine/engine.js').Stall} stall
 * @returns {Shape[]}
 */
export function circleShapes(scene, stall) {
    const circle = [...stall.circle];
    const stands = circle.filter((_, n) => n % 2 === 0);
    const needs = circle.filter((_, n) => n % 2 === 1);
    const x = round(timeToX(scene, stall.halt));
    return [
        { type: 'path', class: 'pf-selected', d: `M${x} ${scene.plot.top - 3}V${scene.plot.bottom + 4}`, fill: 'none' },
        ...liftedCells(scene, /** @type {any} */ (stall), [...new Set(circle)]),
        ...needs.map((i) => outline(scene.box(i), 'pf-awaited')),
        ...stands.map((i) => outline(scene.box(i), 'pf-selected')),
        ...stands.flatMap((i, n) => arrowBetween(scene, needs[n], i, 'pf-arrow')),
        ...stands.flatMap((i, n) => {
            const later = needs[(n + needs.length - 1) % needs.length];
            return later === i ? [] : arrowBetween(scene, i, later, 'pf-trail');
        }),
    ];
}
