// What a figure asks of the core: its own request, and those beside it that its sentence speaks of.

import { COST_ROW } from '../engine/costs.js';
import { PipelineError } from '../engine/error.js';
import { besideFile } from './file.js';
import { asked, listOf, OPTIONS, withSchedule } from './state.js';

/**
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('../engine/types.js').Simulation} Simulation
 * @typedef {import('./state.js').Request} Request
 *
 * @typedef {object} Answer
 * @property {Request} request  what was asked in the end
 * @property {Simulation | null} simulation  null where the core refused
 * @property {PipelineError | null} error
 */

/** Up to so many actions, other schedules are simulated beside for the sentence. */
const COMPARED_ACTIONS = 2000;
/** The schedule each is compared with in the sentence. @type {Record<string, string>} */
const COMPARED = { '1f1b': 'gpipe', interleaved: '1f1b' };

/**
 * @param {Engine} engine @param {Request} request @param {import('./file.js').OpenFile | null} [file]  stands in place of a
 *     generated schedule
 * @param {import('../engine/types.js').Ask} [more]
 * @returns {Answer}
 */
export function trySimulate(engine, request, file, more) {
    try {
        const simulation = file
            ? engine.check(file.text, { ...besideFile(request), times: file.times }, more)
            : engine.simulate(asked(request), more);
        return { request, simulation, error: null };
    } catch (error) {
        if (!(error instanceof PipelineError)) throw error;
        return { request, simulation: null, error };
    }
}

/**
 * The same after a reader changed something: costs with one number per stage follow the number of stages, and cuts for
 * another number are left to the core, unless the list is what was changed.
 * @param {Engine} engine @param {Request} request @param {Simulation} known  where the numbers of a list come from
 * @param {(option: string) => boolean} isNew
 */
export function tryFitting(engine, request, known, isNew) {
    let answer = trySimulate(engine, request);
    for (let tries = 0; tries < OPTIONS.length; tries++) {
        const { code, option, fault } = answer.error ?? {};
        if (code !== 'list-length' || !option || !fault || isNew(option)) break;
        const row = COST_ROW[option];
        if (!row && option !== 'cuts') break;
        answer = trySimulate(engine, { ...answer.request, [option]: row ? listOf(known.costs[row], fault.a) : null });
    }
    return answer;
}

/** Whatever was said of samples: another number of micro-batches is free of it. */
export const NO_SAMPLES = /** @type {Request} */ ({ 'global-batch': null, 'microbatch-size': null });

/**
 * Peak memory by device where a micro-batch takes so much of it, and its input beside.
 * @param {Engine} engine @param {Request} request @param {string} activations @param {string} inputs
 */
export function peaksOf(engine, request, activations, inputs) {
    const given = { 'memory-activations': activations, 'memory-kept': null, 'memory-inputs': inputs };
    const nothing = { 'memory-weights': null, 'memory-gradients': null, 'memory-optimizer': null };
    const { simulation } = trySimulate(engine, { ...request, ...given, ...nothing }, null, { memory: true });
    return simulation?.memory?.perRank.map(({ peak }) => peak) ?? [];
}

/**
 * Simulations for the sentence: another schedule in the same setting, or the same without recomputation, and what
 * recomputation leaves in memory.
 * @param {Engine} engine @param {Request} request @param {Simulation} simulation
 * @returns {import('../engine/types.js').Others}
 */
export function simulateBeside(engine, request, { config, actions }) {
    if (actions.count > COMPARED_ACTIONS || config.schedule === 'file') return {};
    if (config.recompute !== 'none') {
        const without = trySimulate(engine, { ...request, recompute: null, moves: null }).simulation;
        const [full, inputs] = [peaksOf(engine, request, '1', '0'), peaksOf(engine, request, '0', '1')];
        return { without, kept: { full: Math.max(...full), inputs: Math.max(...inputs) } };
    }
    const other = engine.schedules.find(({ name }) => name === COMPARED[config.schedule]);
    if (!other) return {};
    // Costs by chunk are of parts of a stage, and cannot be carried over as they stand.
    if (config.chunks > 1 && isByChunk(request, config)) return {};
    return { compare: trySimulate(engine, withSchedule(request, {}, other).request).simulation };
}

/**
 * Are costs given for each chunk, and not for a device's whole work?
 * @param {Request} request @param {Record<string, any>} config
 */
function isByChunk(request, config) {
    if (request['costs-of'] === 'chunk') return true;
    const many = (/** @type {string} */ text) => text.trim().split(/[\s;]+/).length > config.ranks;
    return Object.keys(COST_ROW).some((name) => name !== 'latency' && request[name] && many(request[name]));
}

/**
 * Options that make every stage cost `factor` times what it costs now, for a schedule that cuts the network into another
 * number of stages. Where stages are unequal there is no one way to do that, and the costs stay as they are.
 * @param {Simulation} simulation @param {number} factor @returns {Request}
 */
export function scaledCosts({ costs, config }, factor) {
    const rows = {
        forward: 'forward',
        input: 'input-gradient',
        weight: 'weight-gradient',
        recompute: 'recompute-cost',
    };
    const scaled = /** @type {Request} */ ({ backward: null });
    for (const [row, option] of Object.entries(rows)) {
        if (costs[row].some((value) => value !== costs[row][0])) return {};
        if (row !== 'recompute' || config.recompute !== 'none') scaled[option] = String(costs[row][0] * factor);
    }
    return scaled;
}
