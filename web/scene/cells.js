// The cells of a chart, actions and idle intervals alike, in the order a reader meets them. No document.
import { lazily } from '../engine/step.js';

/**
 * @typedef {import('../engine/types.js').Simulation} Simulation
 * @typedef {import('./scene.js').Selection} Selection
 */

/** @param {Simulation} simulation @param {Selection} cell @returns {{ rank: number, start: number, finish: number }} */
export function spanOf({ actions, idle }, { kind, index }) {
    if (kind === 'idle') return { rank: idle.rank[index], start: idle.start[index], finish: idle.finish[index] };
    return { rank: actions.rank[index], start: actions.start[index], finish: actions.finish[index] };
}

/** @param {Selection | null} a @param {Selection | null} b */
export const sameCell = (a, b) => a?.kind === b?.kind && a?.index === b?.index;

/** Cells of each rank, early ones first; a row is made when it is read. @param {Simulation} simulation @returns {Selection[][]} */
export function rowsOf(simulation) {
    /** @type {any} */
    const rows = simulation.perRank.map(() => null);
    for (const rank of rows.keys()) lazily(rows, [String(rank)], () => ({ [rank]: rowOf(simulation, rank) }));
    return rows;
}

/** @param {Simulation} simulation @param {number} rank @returns {Selection[]} */
function rowOf(simulation, rank) {
    const { idle, rankBegin } = simulation;
    /** @type {Selection[]} */
    const row = [];
    for (let index = rankBegin[rank]; index < rankBegin[rank + 1]; index++) row.push({ kind: 'action', index });
    // Ranks are ascending in idle.rank, too.
    for (let index = idle.rank.indexOf(rank); index >= 0 && idle.rank[index] === rank; index++) {
        row.push({ kind: 'idle', index });
    }
    const at = (/** @type {Selection} */ cell) => spanOf(simulation, cell);
    return row
        .map((cell) => ({ cell, ...at(cell) }))
        .sort((a, b) => a.start - b.start || a.finish - b.finish)
        .map(({ cell }) => cell);
}

/** The cell of a row at a time, or the one nearest to it. @param {Simulation} simulation @param {Selection[]} row @param {number} time */
function cellAt(simulation, row, time) {
    let best = row[0];
    let distance = Number.POSITIVE_INFINITY;
    for (const cell of row) {
        const { start, finish } = spanOf(simulation, cell);
        const away = time < start ? start - time : time >= finish ? time - finish : -1;
        if (away < distance) [best, distance] = [cell, away];
    }
    return best;
}

/**
 * Where a key leads, in the manner of a grid: arrows, Home and End, with Ctrl to the corners; PageUp and PageDown to the
 * same work for the micro-batch before or after.
 * @param {Simulation} simulation @param {Selection[][]} rows @param {Selection} cell
 * @param {{ key: string, ctrlKey?: boolean, metaKey?: boolean }} event
 * @returns {Selection | null} null: the key means nothing here
 */
export function cellAfterKey(simulation, rows, cell, { key, ctrlKey, metaKey }) {
    const { rank, start, finish } = spanOf(simulation, cell);
    const row = rows[rank];
    const at = row.findIndex((other) => sameCell(other, cell));
    const corner = ctrlKey || metaKey;
    switch (key) {
        case 'ArrowLeft':
            return row[Math.max(at - 1, 0)];
        case 'ArrowRight':
            return row[Math.min(at + 1, row.length - 1)];
        case 'ArrowUp':
        case 'ArrowDown': {
            const next = rows[rank + (key === 'ArrowUp' ? -1 : 1)];
            return next ? cellAt(simulation, next, (start + finish) / 2) : cell;
        }
        case 'Home':
            return (corner ? rows[0] : row)[0];
        case 'End':
            return (corner ? rows[rows.length - 1] : row).at(-1) ?? cell;
        case 'PageUp':
        case 'PageDown':
            return otherMicrobatch(simulation, row, cell, key === 'PageUp' ? -1 : 1) ?? cell;
        default:
            return null;
    }
}

/** @param {Simulation} simulation @param {Selection[]} row @param {Selection} cell @param {number} way */
function otherMicrobatch({ actions }, row, { kind, index }, way) {
    if (kind === 'idle') return undefined;
    const { microbatch, op, stage } = actions;
    return row.find(
        (other) =>
            other.kind === 'action' &&
            microbatch[other.index] === microbatch[index] + way &&
            op[other.index] === op[index] &&
            stage[other.index] === stage[index],
    );
}

/**
 * The step with other times, to look at; what no cell covers is idle.
 * @param {Simulation} simulation @param {{ start: Float64Array, finish: Float64Array }} times @returns {Simulation}
 */
export function wholeRows({ actions, summary, idle: _, perRank, ...rest }, { start, finish }) {
    const makespan = finish.reduce((most, time) => Math.max(most, time), 0);
    const count = perRank.length;
    const every = (/** @type {number} */ value) => new Float64Array(count).fill(value);
    return /** @type {any} */ ({
        ...rest,
        perRank,
        actions: { ...actions, start, finish },
        idle: {
            count,
            rank: Int32Array.from(perRank.keys()),
            start: every(0),
            finish: every(makespan),
            reason: new Int32Array(count),
            before: new Int32Array(count).fill(-1),
            waits_for: new Int32Array(count).fill(-1),
        },
        summary: { ...summary, makespan },
    });
}
