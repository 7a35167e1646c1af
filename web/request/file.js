// A schedule from a file in the place of a generated one: what of a request has a meaning beside it, and what a text is.

/**
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('../engine/error.js').PipelineError} PipelineError
 * @typedef {import('./state.js').Request} Request
 *
 * @typedef {{ name: string, text: string, times: string, before?: Request }} OpenFile  a file that stands in place of a generated
 *     schedule; times: as the option of files; before: what was asked for until then
 * @typedef {{ file?: OpenFile, changes?: Request, error?: string }} Reading
 */

/** Options beside a file that ask for its order. */
const OWN = [
    'schedule',
    'ranks',
    'microbatches',
    'chunks',
    'group',
    'dialect',
    'backward-order',
    'pipes',
    'memory-limit',
    'extra-warmup',
];
const LEFT_OUT = new Set([
    ...OWN,
    'warmup-factor',
    'placement',
    'global-batch',
    'microbatch-size',
    'slices',
    'recompute',
]);

/** What of a request has a meaning beside a file. @param {Request} request @returns {Request} */
export const besideFile = (request) =>
    Object.fromEntries(Object.entries(request).filter(([name, value]) => value !== null && !LEFT_OUT.has(name)));

/**
 * What a text is.
 * @param {Engine} engine @param {string} name @param {string} text @param {Record<string, any>} config  of the present schedule
 * @returns {Reading}
 */
export function readGiven(engine, name, text, config) {
    /** @type {PipelineError} */
    let refusal;
    try {
        const { timed } = engine.check(text).file;
        return { file: { name, text, times: timed ? 'measured' : 'simulated' } };
    } catch (error) {
        refusal = /** @type {PipelineError} */ (error);
        if (!refusal.code) throw error;
        // An order that stands still is drawn.
        if (refusal.stall) return { file: { name, text, times: 'simulated' } };
    }
    try {
        const costs = Object.entries(engine.parseProfile(text, config));
        return { changes: Object.fromEntries(costs.map(([option, list]) => [option, Array.from(list).join(' ')])) };
    } catch (error) {
        const { code, message, fault } = /** @type {PipelineError} */ (error);
        if (!code) throw error;
        // 0: the file tells no costs at all. A record that cannot be read lies in a file that does.
        const tells = code === 'record' || (code === 'profile' && fault.a > 0);
        return { error: tells ? message : refusal.message };
    }
}
