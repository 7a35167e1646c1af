// What is laid over a chart: a chosen cell with what it waits for, a micro-batch on its way, the critical path, a circle of
// ranks that wait for each other. Arrows between cells.
import { chunkOf, neighbours } from '../engine/relations.js';
import { FORWARD, OPS } from '../words/ops.js';
import { cellClass, IDLE_TRANSFER, idlePath, kindLine, kindShape } from './cell-shapes.js';
import { drawn, timeToX } from './geometry.js';
import { hasRoom, hasRoomTurned, labelShapes } from './labels.js';
import { BoxPath, boxPath, round } from './shapes.js';

/**
 * @typedef {import('../engine/types.js').Simulation} Simulation
 * @typedef {import('./scene.js').Shape} Shape
 * @typedef {import('./scene.js').Selection} Selection
 * @typedef {import('./scene.js').Box} Box
 * @typedef {import('./scene.js').Scene} Scene
 */

/** More of these lifted out of the chart, or arrows, would be a tangle. */
const MAX_LIFTED = 300;

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
            fill: op === FORWARD ? 'none' : `url(#${scene.idPrefix}-${OPS[op]})`,
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
 * @param {Scene} scene @param {import('../engine/types.js').Stall} stall
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
