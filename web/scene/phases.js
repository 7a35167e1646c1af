// The phases of a step, over the chart: filling, steady state, draining.
import { firstStart } from '../engine/relations.js';
import { countOf } from '../words/numbers.js';
import { textOf } from '../words/strings.js';
import { MOST_IDLE } from './cell-shapes.js';
import { timeToX } from './geometry.js';
import { round, textShape, textWidth } from './shapes.js';

/**
 * @typedef {import('../engine/types.js').Simulation} Simulation
 * @typedef {import('./scene.js').Shape} Shape
 * @typedef {import('./scene.js').Scene} Scene
 */

/**
 * When all devices are at work: what the idle intervals leave, from 0 for the start of the step.
 * @param {Simulation} simulation @returns {{ from: number, to: number }[]}
 */
export function allBusy(simulation) {
    const { idle, summary } = simulation;
    const zero = firstStart(simulation);
    const order = Array.from(idle.start.keys()).sort((a, b) => idle.start[a] - idle.start[b]);
    const list = [];
    let busy = 0;
    for (const j of order) {
        if (idle.start[j] - zero > busy) list.push({ from: busy, to: idle.start[j] - zero });
        busy = Math.max(busy, idle.finish[j] - zero);
    }
    if (summary.makespan > busy) list.push({ from: busy, to: summary.makespan });
    return list;
}

/** One micro-batch of the slowest device, in the middle of its work. @param {Simulation} simulation */
export function paceOf({ actions, summary, rankBegin, perRank }) {
    const rank = summary.cadence_rank;
    const busy = perRank.map((each) => each.busy);
    if (rank < 0 || Math.max(...busy) === Math.min(...busy)) return null;
    const middle = (rankBegin[rank] + rankBegin[rank + 1]) >> 1;
    const from = actions.start[middle];
    return from + summary.cadence <= summary.makespan ? { from, to: from + summary.cadence } : null;
}

/**
 * Names of parts of the step, each true of all of its part: until all are at work, while they are, after that; where stages
 * are unequal the time of a micro-batch on the slowest.
 * @param {Simulation} simulation
 * @returns {{ key: string, from: number, to: number, value?: number }[]}
 */
export function phaseList(simulation) {
    const { makespan, cadence } = simulation.summary;
    if (simulation.perRank.length < 2 || simulation.config.schedule === 'naive' || makespan <= 0) return [];
    if (simulation.idle.count > MOST_IDLE) return [];
    const pace = paceOf(simulation);
    if (pace) return [{ key: 'phase_pace', ...pace, value: cadence }];
    const busy = allBusy(simulation);
    if (busy.length === 0) return [{ key: 'phase_never_full', from: 0, to: makespan }];
    return [
        { key: 'phase_fill', from: 0, to: busy[0].from },
        ...busy.map((part) => ({ key: 'phase_steady', ...part })),
        { key: 'phase_drain', from: busy[busy.length - 1].to, to: makespan },
    ].filter((phase) => phase.to > phase.from);
}

/** @param {Scene} scene @param {Simulation} simulation @returns {Shape[]} */
export function phaseShapes(scene, simulation) {
    const phases = phaseList(simulation);
    if (phases.length === 0) return [];
    const size = 12 * scene.text;
    const y = size + 5;
    const { zero, left, right } = scene.plot;
    const at = phases
        .map(({ key, from, to, value }) => ({
            key,
            value,
            x0: Math.max(left, timeToX(scene, zero + from)) + 1,
            x1: Math.min(right, timeToX(scene, zero + to)) - 1,
        }))
        .filter(({ x0, x1 }) => x1 > x0 || !scene.view);
    const d = at.map(({ x0, x1 }) => `M${round(x0)} ${y + 4}V${y}H${round(x1)}v4`).join('');
    // Names may reach beyond their bracket into the next as long as they do not touch: the outer ones first.
    /** @type {[number, number][]} */
    const taken = [];
    /** @type {Shape[]} */
    const names = [];
    const order = at.filter((p) => p.key === 'phase_fill' || p.key === 'phase_drain');
    order.push(...at.filter((p) => !order.includes(p)));
    for (const { key, x0, x1, value } of order) {
        const shown = value === undefined ? '' : countOf(value, scene.lang, 'tick');
        for (const text of [textOf(scene.lang, key, shown), textOf(scene.lang, `${key}_short`, shown)]) {
            const width = textWidth(text, size);
            const from = key === 'phase_fill' ? x0 : key === 'phase_drain' ? x1 - width : (x0 + x1 - width) / 2;
            const fits = from >= 0 && from + width <= scene.width;
            if (!fits || taken.some(([a, b]) => from < b + 10 && from + width > a - 10)) continue;
            if (width > x1 - x0 + (key === 'phase_pace' ? width : 60)) continue;
            taken.push([from, from + width]);
            const anchor = key === 'phase_fill' ? 'start' : key === 'phase_drain' ? 'end' : 'middle';
            const x = anchor === 'start' ? x0 : anchor === 'end' ? x1 : (x0 + x1) / 2;
            names.push(textShape(x, y - 6, text, 'pf-phase-name', size, anchor));
            break;
        }
    }
    return [{ type: 'path', class: 'pf-phase', d, fill: 'none', stroke: 'currentColor' }, ...names];
}
