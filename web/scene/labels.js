// The label of a cell: what it says, in which size, and which cells have one where there are too many.

import { BACKWARD, OPS } from '../words/ops.js';
import { onCellClass } from './cell-shapes.js';
import { drawn } from './geometry.js';
import { round, textShape, textWidth } from './shapes.js';

/**
 * @typedef {import('../engine/types.js').Simulation} Simulation
 * @typedef {import('./scene.js').Shape} Shape
 * @typedef {import('./scene.js').Scene} Scene
 */

const MAX_LABELS = 600;
/** Sizes of the numbers in the cells, and the least that can be read. */
const LABEL_SIZES = [13, 11.5, 10, 9];

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
export function hasRoomTurned(scene, i, every = 1) {
    const { w, h } = drawn(scene.box(i));
    const least = every === 1 ? MIN_TURNED : every === 2 ? MIN_TURNED_APART : MIN_TURNED_ALONE;
    return w >= least * scene.text && h >= 24 * scene.text;
}

/** Has a cell room for its number? @param {Scene} scene @param {Simulation} simulation @param {number} i */
export const hasRoom = (scene, simulation, i) =>
    fittingSize(cellText(simulation, i), drawn(scene.box(i)).w, scene.text) > 0;

/** @param {Scene} scene @param {Simulation} simulation @param {Int32Array} chunk @param {number[]} wanted @returns {Shape[]} */
export function labelShapes(scene, simulation, chunk, wanted) {
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
        if (letter) shapes.push(textShape(x + w / 2, top, OPS[op], `pf-op ${tone}`, 9 * scene.text, 'middle'));
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
export function labelled(scene, simulation) {
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
