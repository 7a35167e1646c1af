// The cells of a chart as shapes: actions, idle time, and what ranks do besides.
import { KINDS } from '../engine/step.js';
import { BACKWARD, FORWARD, OPS } from '../words/ops.js';
import { drawn, rowTop, timeToX } from './geometry.js';
import { BoxPath, pattern, round } from './shapes.js';

/**
 * @typedef {import('../engine/types.js').Simulation} Simulation
 * @typedef {import('./scene.js').Shape} Shape
 * @typedef {import('./scene.js').Box} Box
 * @typedef {import('./scene.js').SceneOptions} SceneOptions
 * @typedef {import('./scene.js').Scene} Scene
 */

export const IDLE_TRANSFER = 2;
const MAX_ROUNDED = 1500;
/** Of more idle intervals it is not asked when all devices work at once. */
export const MOST_IDLE = 3000;
/** Stages of one rank alternate in tone. @param {number} chunk */
const toneClass = (chunk) => (chunk % 2 === 1 ? ' pf-odd' : '');
/** @param {number} op @param {number} chunk */
export const cellClass = (op, chunk) => `pf-cell pf-${OPS[op]}${toneClass(chunk)}`;

/**
 * A line along the top of every cell but those of a forward pass: kinds are told apart without their colours, in any size,
 * and under a number. Dashes by kind.
 */
const KIND_DASHES = ['', 'none', '2 2', '5 2.5', '6 2 1.5 2'];

/** @param {number} op @param {number} chunk */
const kindClass = (op, chunk) => `pf-kind pf-kind-${OPS[op]}${toneClass(chunk)}`;

/** @param {Box} box  as drawn */
export function kindLine({ x, y, w, h }) {
    const inset = Math.min(2.5, w / 5);
    return `M${round(x + inset)} ${round(y + Math.min(2.75, h / 3))}h${round(w - 2 * inset)}`;
}

/** @param {number} op @param {number} chunk @param {string} d @returns {Shape} */
export const kindShape = (op, chunk, d) => ({
    type: 'path',
    class: kindClass(op, chunk),
    d,
    fill: 'none',
    stroke: 'currentColor',
    'stroke-dasharray': KIND_DASHES[op],
});

/** What stands on a cell. @param {number} op @param {number} chunk */
export const onCellClass = (op, chunk) => `pf-on pf-on-${OPS[op]}${toneClass(chunk)}`;

/** @param {Scene} scene @param {Simulation} simulation @param {Int32Array} chunk @param {number} chunks @returns {Shape[]} */
export function cellShapes(scene, simulation, chunk, chunks) {
    const { actions } = simulation;
    const { shown, idPrefix } = scene;
    const corner = shown.length <= MAX_ROUNDED && scene.rows.height >= 16 ? 2 : 0;
    const kinds = 2 * OPS.length;
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
            fill: op === FORWARD ? 'none' : `url(#${idPrefix}-${OPS[op]})`,
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
export function otherShapes(scene, others, makespan) {
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

/** @param {Scene} scene @param {Simulation} simulation @returns {Shape[]} */
export function idleShapes(scene, simulation) {
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
export function idlePath(scene, path, wire) {
    if (path.empty) return null;
    const fill = `url(#${scene.idPrefix}-${wire ? 'wire' : 'idle'})`;
    return { type: 'path', class: wire ? 'pf-idle-wire' : 'pf-idle', d: path.toString(), fill };
}

const OP_PATTERNS = ['', 'M0 3h6', 'M3 0v6', 'M2 3h2', 'M0 0L6 6M6 0L0 6'];

/** @param {Scene} scene @param {Simulation} simulation @returns {Shape} */
export function patternShapes(scene, simulation) {
    const { idPrefix } = scene;
    const { kinds } = simulation;
    /** @type {Shape[]} */
    const shapes = [];
    if (kinds & KINDS.wait) shapes.push(pattern(`${idPrefix}-idle`, 8, 'M-2 2L2 -2M0 8L8 0M6 10L10 6', 'pf-hatch'));
    if (kinds & KINDS.wire) shapes.push(pattern(`${idPrefix}-wire`, 6, 'M0 3h3', 'pf-wire'));
    for (let op = BACKWARD; op < OPS.length; op++) {
        if (!(kinds & (1 << op))) continue;
        shapes.push(pattern(`${idPrefix}-${OPS[op]}`, 6, OP_PATTERNS[op], 'pf-mark'));
    }
    return { type: 'defs', shapes };
}

/** The mark of a kind of cell in a legend, null where it is plain. @param {string} key @param {Box} box @returns {Shape | null} */
export function kindMark(key, box) {
    const op = OPS.indexOf(key);
    return op > FORWARD ? kindShape(op, 0, kindLine(box)) : null;
}
