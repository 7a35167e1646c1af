// Lays a timed schedule out as a picture: arrays and a width in, a plain list of shapes and their geometry out. Pure: no
// document, no engine, no colours (classes only; figure.css has the colours) and no rule of scheduling. Every time shown
// comes from the simulation.
//
// Numbers shown to a reader, here and in format.js, count devices, stages and micro-batches from 1, as the chapter does.
// Code, files and attributes count from 0.
//
// A shape is { type, class, text, shapes, ...attributes }: type is the SVG element, shapes are its children, everything
// else goes onto the element as it stands. Units are CSS pixels, times ticks.
import { chunkOf, firstStart } from '../engine/relations.js';
import { formatNumber } from '../words/numbers.js';
import { textOf } from '../words/strings.js';
import { axisShapes } from './axis.js';
import { cellShapes, idleShapes, otherShapes, patternShapes } from './cell-shapes.js';
import {
    boxes,
    boxIn,
    boxMakers,
    CELL_GAP,
    defaultRowHeight,
    inSight,
    isRowShown,
    isSlow,
    rowGap,
    rowOffsets,
    rowTop,
    splitFused,
    timeToX,
} from './geometry.js';
import { labelled, labelShapes } from './labels.js';
import { legendShapes } from './legend.js';
import { transferShapes } from './message-shapes.js';
import { paceOf, phaseList, phaseShapes } from './phases.js';
import { BoxPath, textShape, textWidth } from './shapes.js';

/**
 * @typedef {import('../engine/types.js').Simulation} Simulation
 *
 * @typedef {{ type: string, class?: string, text?: string, shapes?: Shape[], [attribute: string]: any }} Shape
 *
 * @typedef {import('../engine/step.js').Selection} Selection
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

const MAX_WIDTH = 6000;
const NARROW = 480;
/** More cells than these are drawn as pixels where there is a canvas. */
export const SVG_CELLS = 3000;

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

/** @param {number} count */
const all = (count) => Int32Array.from({ length: count }, (_, i) => i);
const noChunks = { chunk: new Int32Array(0), chunks: 1 };

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
