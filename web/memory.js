// Activations held by each device over time, as a step chart that shares the time axis of the schedule. The counts are
// read off the actions of the core: one more from the start of F, one less at the end of B or W. Pure.
import { formatNumber } from './numbers.js';
import { textOf } from './strings.js';

/**
 * @typedef {import('./engine.js').Simulation} Simulation
 * @typedef {import('./scene.js').Scene} Scene
 * @typedef {import('./scene.js').Shape} Shape
 * @typedef {{ time: number, count: number }[]} Steps  count holds from time on
 */

const [F, B, W] = [0, 1, 3];
const ROW_GAP = 6;

/** @param {Simulation} simulation @returns {Steps[]} one list per rank */
export function activationSteps({ actions, perRank, summary }) {
    const ranks = perRank.map(() => /** @type {Steps} */ ([]));
    if (summary.peak_activations === 0) return ranks;
    const { rank, op, index, start, finish, count } = actions;
    const held = new Int32Array(ranks.length);
    const change = (/** @type {number} */ r, /** @type {number} */ time, /** @type {number} */ by) => {
        held[r] += by;
        const steps = ranks[r];
        // What is freed and what is taken at one time is no dip.
        if (steps[steps.length - 1]?.time === time) steps.pop();
        steps.push({ time, count: held[r] });
    };
    // A rank's actions follow each other; those of one slot run together.
    for (let i = 0; i < count; ) {
        let end = i + 1;
        while (end < count && rank[end] === rank[i] && index[end] === index[i]) end++;
        for (let j = i; j < end; j++) if (op[j] === F) change(rank[j], start[j], 1);
        for (let j = i; j < end; j++) if (op[j] === B || op[j] === W) change(rank[j], finish[j], -1);
        i = end;
    }
    return ranks;
}

/** @param {Steps} steps @param {number} time */
export function heldAt(steps, time) {
    let count = 0;
    for (const step of steps) if (step.time <= time) count = step.count;
    return count;
}

/** @param {number} value */
const round = (value) => Math.round(value * 100) / 100;

/**
 * @param {Simulation} simulation @param {Scene} scene  of the schedule @param {number} width  of the box
 * @param {string} lang
 */
export function memoryScene(simulation, scene, width, lang) {
    const { origin, left } = scene.plot;
    const fits = scene.width <= width;
    const right = fits ? scene.plot.right : width - (scene.width - scene.plot.right);
    const scale = (right - left) / scene.plot.span;
    const most = Math.max(1, simulation.summary.peak_activations);
    const height = Math.max(8, Math.min(30, scene.rows.height));
    const pitch = height + (height < 16 ? 2 : ROW_GAP);
    const end = origin + simulation.summary.makespan;
    const everyName = Math.ceil(13 / pitch);
    /** @type {Shape[]} */
    const shapes = [];
    for (const [rank, steps] of activationSteps(simulation).entries()) {
        const floor = 4 + rank * pitch + height;
        const x = (/** @type {number} */ time) => round(left + (time - origin) * scale);
        const y = (/** @type {number} */ count) => round(floor - (count / most) * (height - 1));
        let d = `M${x(origin)} ${floor}`;
        for (const { time, count } of steps) d += `H${x(time)}V${y(count)}`;
        d += `H${x(end)}V${floor}z`;
        shapes.push({ type: 'path', class: 'held', d });
        shapes.push({ type: 'path', class: 'held-floor', d: `M${left} ${floor}H${x(end)}` });
        if (rank % everyName !== 0) continue;
        const size = Math.min(13, Math.max(9, height - 2));
        const base = round(floor - height / 2 + size * 0.36);
        const name = textOf(lang, scene.narrow ? 'rank_short' : 'rank', rank + 1);
        const peak = formatNumber(simulation.perRank[rank].peak_activations, lang);
        shapes.push({ type: 'text', class: 'pf-rank', x: 0, y: base, 'font-size': size, text: name });
        // The largest count stands where it is first reached, on a ground of its own.
        const top = steps.find(({ count }) => count === simulation.perRank[rank].peak_activations);
        if (!top || height < 14) continue;
        const at = x(top.time) + 4;
        shapes.push({
            type: 'text',
            class: 'held-peak',
            x: at,
            y: round(y(top.count) + (top.count * 2 > most ? 12 : -3)),
            'font-size': 12,
            text: peak,
        });
    }
    const rows = simulation.perRank.length;
    return { ...scene, width, height: rows * pitch + 8, idPrefix: `${scene.idPrefix}m`, shapes };
}
