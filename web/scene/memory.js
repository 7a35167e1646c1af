// Activations held by each device over time, as a step chart that shares the time axis of the schedule. What is held is
// the core's word (Step.held). Pure.

import { firstStart } from '../engine/relations.js';
import { formatNumber } from '../words/numbers.js';
import { textOf } from '../words/strings.js';

/**
 * @typedef {import('../engine/types.js').Simulation} Simulation
 * @typedef {import('./scene.js').Scene} Scene
 * @typedef {import('./scene.js').Shape} Shape
 * @typedef {{ time: Float64Array, held: Float64Array }} Steps  held[k] holds from time[k] on
 */

const ROW_GAP = 6;

/** @type {WeakMap<Simulation, Steps[]>} */
const known = new WeakMap();

/** @param {Simulation} simulation @returns {Steps[]} one for each rank; none where nothing is kept */
export function activationSteps(simulation) {
    const steps = known.get(simulation) ?? (simulation.summary.peak_activations === 0 ? [] : simulation.held());
    known.set(simulation, steps);
    return steps;
}

/** @param {Steps} steps @param {number} value */
function lastAt({ time }, value) {
    let low = 0;
    let high = time.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (time[middle] <= value) low = middle + 1;
        else high = middle;
    }
    return low - 1;
}

/** @param {Steps} steps @param {number} time */
export const heldAt = (steps, time) => steps.held[lastAt(steps, time)] ?? 0;

/**
 * The outline of what a rank holds. Of all that happens within half a pixel only the least and the most are drawn, so
 * that the path has an end however many steps there are.
 * @param {Steps} steps @param {Scene['plot']} plot @param {(time: number) => number} x @param {(count: number) => number} y
 */
function outline(steps, { origin, span }, x, y) {
    const { time, held } = steps;
    const first = Math.max(0, lastAt(steps, origin));
    let d = `V${y(heldAt(steps, origin))}`;
    let at = x(origin);
    let [least, most, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0];
    const write = () => {
        if (most < least) return;
        d += `H${at}`;
        if (most !== last) d += `V${y(most)}`;
        if (least !== last && least !== most) d += `V${y(least)}`;
        d += `V${y(last)}`;
    };
    for (let k = first; k < time.length && time[k] <= origin + span; k++) {
        if (time[k] < origin) continue;
        const next = x(time[k]);
        if (next - at >= 0.5) {
            write();
            [at, least, most] = [next, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
        }
        last = held[k];
        least = Math.min(least, last);
        most = Math.max(most, last);
    }
    write();
    return d;
}

/** @param {number} value */
const round = (value) => Math.round(value * 100) / 100;

/**
 * @param {Simulation} simulation @param {Scene} scene  of the schedule, whose axis this one has, to the pixel
 * @param {string} lang @param {number} [most]  activations that fill a row
 */
export function memoryScene(simulation, scene, lang, most = Math.max(1, simulation.summary.peak_activations)) {
    const { origin, left, scale } = scene.plot;
    const height = Math.max(4, Math.min(30 * scene.text, scene.rows.height));
    const pitch = height + (height < 8 ? 0 : height < 16 ? 2 : ROW_GAP);
    const { first, count } = scene.rows;
    const end = Math.min(origin + scene.plot.span, firstStart(simulation) + simulation.summary.makespan);
    const everyName = Math.ceil(13 / pitch);
    /** @type {Shape[]} */
    const shapes = [];
    /** @type {Shape[]} */
    const names = [];
    for (const [row, steps] of activationSteps(simulation)
        .slice(first, first + count)
        .entries()) {
        const rank = first + row;
        const floor = 4 + row * pitch + height;
        const x = (/** @type {number} */ time) => round(left + (time - origin) * scale);
        const y = (/** @type {number} */ count) => round(floor - (count / most) * (height - 1));
        const d = `M${x(origin)} ${floor}${outline(steps, scene.plot, x, y)}H${x(end)}V${floor}z`;
        shapes.push({ type: 'path', class: 'held', d });
        shapes.push({ type: 'path', class: 'held-floor', d: `M${left} ${floor}H${x(end)}` });
        if (row % everyName !== 0) continue;
        const size = Math.min(13 * scene.text, Math.max(9, height - 2));
        const base = round(floor - height / 2 + size * 0.36);
        const name = textOf(lang, scene.narrow ? 'rank_short' : 'rank', rank + 1);
        const peak = formatNumber(simulation.perRank[rank].peak_activations, lang);
        names.push({ type: 'text', class: 'pf-rank', x: 0, y: base, 'font-size': size, text: name });
        // The largest count stands where it is first reached, on a ground of its own.
        const top = steps.held.indexOf(simulation.perRank[rank].peak_activations);
        if (top < 0 || height < 14 || steps.time[top] < origin || steps.time[top] > end) continue;
        const at = x(steps.time[top]) + 4;
        shapes.push({
            type: 'text',
            class: 'held-peak',
            x: at,
            y: round(y(steps.held[top]) + (steps.held[top] * 2 > most ? 12 : -3)),
            'font-size': 12 * scene.text,
            text: peak,
        });
    }
    shapes.push({ type: 'g', class: 'pf-ranks', shapes: names });
    return { ...scene, height: count * pitch + 8, idPrefix: `${scene.idPrefix}m`, shapes };
}
