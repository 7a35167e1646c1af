// Where things lie: ticks to pixels and back, rows, and the boxes of actions and idle intervals.
import { sameSlot } from '../engine/relations.js';
import { FORWARD } from '../words/ops.js';

/**
 * @typedef {import('../engine/types.js').Simulation} Simulation
 * @typedef {import('./scene.js').Box} Box
 * @typedef {import('./scene.js').Boxes} Boxes
 * @typedef {import('./scene.js').View} View
 * @typedef {import('./scene.js').Scene} Scene
 */

export const CELL_GAP = 1.5;
/** Width of the line around a cell; it lies half inside, half outside the path. */
const EDGE = 1;

/** @param {ArrayLike<number>} ranks ascending @param {number} count of ranks */
export function rowOffsets(ranks, count) {
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
export const rowGap = (height, slow) => (height < 8 ? 0 : height < 16 ? 1 : slow ? 12 : 4);

/** From row to row of the whole chart in pixels. @param {Simulation} simulation */
export function wholePitch({ perRank }) {
    const height = defaultRowHeight(perRank.length, true);
    return height + rowGap(height, false);
}

/** Messages between ranks take time, and get room between the rows. @param {Simulation} simulation */
export const isSlow = ({ perRank, costs }) => perRank.length > 1 && costs.latency.some((ticks) => ticks > 0);

/** Path of a cell's fill: gap and half of the edge taken off, less where a cell is very narrow. @param {Box} box */
export function drawn({ x, y, w, h }) {
    const less = Math.min(CELL_GAP + EDGE, w / 3);
    return { x: x + less / 2, y: y + EDGE / 2, w: Math.max(w - less, 0.5), h: h - EDGE };
}

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
export const isRowShown = ({ rows }, rank) => rank >= rows.first && rank < rows.first + rows.count;

/** @param {Scene} scene @param {ArrayLike<number>} rank @param {ArrayLike<number>} start @param {ArrayLike<number>} finish @returns {Boxes} */
export function boxes(scene, rank, start, finish) {
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
export function splitFused(scene, simulation) {
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
export function boxMakers(scene, { actions, idle }) {
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
export function inSight({ start, finish }, begin, { from, span, first, ranks }) {
    /** @type {number[]} */
    const list = [];
    for (let r = first; r < first + ranks; r++) {
        let i = Math.max(begin[r], lastNotAbove(start, begin[r], begin[r + 1], from));
        for (; i < begin[r + 1] && start[i] < from + span; i++) if (finish[i] >= from) list.push(i);
    }
    return list;
}

/** @param {Boxes} boxes @returns {(i: number) => Box} */
export const boxIn = (boxes) => (i) => ({ x: boxes.x[i], y: boxes.y[i], w: boxes.w[i], h: boxes.h[i] });

/** Last entry of values[from..to) that is not above the value, -1 if none. @param {Float64Array} values @param {number} from @param {number} to @param {number} value */
export function lastNotAbove(values, from, to, value) {
    let low = from;
    let high = to;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (values[middle] <= value) low = middle + 1;
        else high = middle;
    }
    return low > from ? low - 1 : -1;
}
