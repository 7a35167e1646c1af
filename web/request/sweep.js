// The curve of utilisation over the number of micro-batches. Pure: summaries in, geometry out.

/** @typedef {{ m: number, value: number, exact: Record<string, number> }} Point */

const LEFT = 44;
const RIGHT = 16;
const TOP = 10;
const BOTTOM = 34;

/**
 * Values of m the curve is asked for, the present one among them.
 * @param {number} most @param {number} present @param {number} [points]  not many more than these
 */
export function sweptValues(most, present, points = 64) {
    const step = Math.max(1, Math.ceil(most / points));
    const values = new Set([present]);
    for (let m = 1; m <= most; m += step) values.add(m);
    return [...values].sort((a, b) => a - b);
}

/** @param {number[]} values @param {(Record<string, number> | null)[]} summaries  null where the core refuses @returns {Point[]} */
export const pointsOf = (values, summaries) =>
    values.flatMap((m, i) => {
        const exact = summaries[i];
        return exact ? [{ m, value: exact.utilization, exact }] : [];
    });

/** @param {number} width @param {number} most */
export function frameOfSweep(width, most) {
    const height = Math.round(Math.min(260, Math.max(160, width * 0.3)));
    const right = width - RIGHT;
    const bottom = height - BOTTOM;
    const x = (/** @type {number} */ m) => LEFT + (m / most) * (right - LEFT);
    const y = (/** @type {number} */ value) => bottom - value * (bottom - TOP);
    const at = (/** @type {number} */ px) => ((px - LEFT) / (right - LEFT)) * most;
    return { width, height, left: LEFT, right, top: TOP, bottom, x, y, at };
}

/** @param {Point[]} points @param {number} m */
export const nearestPoint = (points, m) =>
    points.reduce((best, point) => (Math.abs(point.m - m) < Math.abs(best.m - m) ? point : best), points[0]);

/** Where a key leads. @param {Point[]} points @param {number} present @param {string} key @returns {Point | undefined} */
export function pointAfterKey(points, present, key) {
    const at = points.findIndex(({ m }) => m === present);
    const steps = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 8, PageDown: -8 }[key];
    if (key === 'Home') return points[0];
    if (key === 'End') return points[points.length - 1];
    if (steps === undefined) return undefined;
    return points[Math.min(points.length - 1, Math.max(0, at + steps))];
}
