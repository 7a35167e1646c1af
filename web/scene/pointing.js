// What lies at a point of a scene.
import { lastNotAbove, rowTop, xToTime } from './geometry.js';

/**
 * @typedef {import('../engine/types.js').Simulation} Simulation
 * @typedef {import('./scene.js').Selection} Selection
 * @typedef {import('./scene.js').Scene} Scene
 */

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
