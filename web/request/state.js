// The request a figure stands for: names and values as text, as attributes and readers give them. Nothing is checked
// here; the core refuses, and its faults say what to do. No document, no engine.

import { COST_ROW } from '../engine/costs.js';

/** @typedef {Record<string, string | null>} Request  option name -> text as typed, null where not given */

/** Options of the core, in its order. They are the attributes of the element, so they must be known before the core is
 * loaded; a test compares the list with engine.options. */
export const OPTIONS = [
    'schedule',
    'ranks',
    'microbatches',
    'chunks',
    'group',
    'dialect',
    'backward-order',
    'recompute',
    'transfer',
    'pipes',
    'slices',
    'memory-limit',
    'extra-warmup',
    'warmup-factor',
    'placement',
    'forward',
    'backward',
    'input-gradient',
    'weight-gradient',
    'recompute-cost',
    'overlap-cost',
    'kept-share',
    'latency',
    'costs-of',
    'layers',
    'partition',
    'cuts',
    'layout',
    'embedding',
    'head',
    'layer-forward',
    'layer-input-gradient',
    'layer-weight-gradient',
    'global-batch',
    'microbatch-size',
    'bytes',
    'bandwidth',
    'reduce',
    'reduce-when',
    'optimizer',
    'optimizer-waits',
    'memory-weights',
    'memory-gradients',
    'memory-optimizer',
    'memory-activations',
    'memory-kept',
    'memory-inputs',
    'memory-embedding',
    'memory-head',
    'memory-capacity',
    'fail-rank',
    'fail-time',
    'fail-step',
    'restart-cost',
    'spare-delay',
    'checkpoint-cost',
    'checkpoint-every',
    'mtbf',
    'horizon',
    'moves',
    'microbatch-costs',
    'order',
    'receive-buffers',
    'gather',
    'gather-keep',
];

/** "backward-order" -> "backwardOrder" @param {string} option */
export const propertyOf = (option) => option.replace(/-(.)/g, (_, letter) => letter.toUpperCase());

/**
 * A reader takes another schedule. What has no meaning for it is set aside and comes back with a schedule that knows it.
 * @param {Request} request @param {Request} aside
 * @param {{ name: string, chunksMin: number, chunksMax: number, options: string[] }} schedule
 * @returns {{ request: Request, aside: Request }}
 */
export function withSchedule(request, aside, schedule) {
    const kept = /** @type {Request} */ ({});
    const left = /** @type {Request} */ ({});
    for (const option of OPTIONS) {
        const value = request[option] ?? aside[option] ?? null;
        if (value === null) continue;
        let means = schedule.options.includes(option) && option !== 'moves'; // they name places of an order
        if (option === 'chunks') {
            const chunks = Number(value);
            means &&= !(chunks < schedule.chunksMin || chunks > schedule.chunksMax);
        }
        (means ? kept : left)[option] = value;
    }
    kept.schedule = schedule.name;
    delete left.schedule;
    return { request: kept, aside: left };
}

/**
 * A list with one number per stage, cut or continued for another number of stages; the last number repeats.
 * @param {ArrayLike<number>} values @param {number} stages
 */
export function listOf(values, stages) {
    const list = Array.from({ length: stages }, (_, s) => values[Math.min(s, values.length - 1)]);
    return list.every((value) => value === list[0]) ? String(list[0]) : list.join(' ');
}

/**
 * The same list with one number replaced by what was typed, decimal comma and all. Other numbers are the core's own.
 * @param {ArrayLike<number>} values @param {number} stage @param {string} typed
 */
export function listWith(values, stage, typed) {
    const list = Array.from(values, String);
    list[stage] = typed;
    // With ';' between the numbers a comma can only be decimal.
    return list.join('; ');
}

/**
 * What a figure asks the core for: a device does the same work however many stages it has, unless the page says otherwise, so
 * that schedules shown one after the other can be compared. (The command line counts by stages.)
 * @param {Request} request @returns {Request}
 */
export const asked = (request) => (request['costs-of'] ? request : { ...request, 'costs-of': 'device' });

/** @param {Request} a @param {Request} b */
export const sameRequest = (a, b) => OPTIONS.every((option) => (a[option] ?? null) === (b[option] ?? null));

/** Options that change times alone. */
const TIMES = new Set([...Object.keys(COST_ROW), 'transfer', ...OPTIONS.slice(OPTIONS.indexOf('layers'))]);
for (const name of ['global-batch', 'microbatch-size']) TIMES.delete(name);

/** May the second request have other actions, or another order of them, than the first? @param {Request} a @param {Request} b */
export const ordersAnew = (a, b) => OPTIONS.some((name) => !TIMES.has(name) && (a[name] ?? null) !== (b[name] ?? null));
