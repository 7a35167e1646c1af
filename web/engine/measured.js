// From a measured run to the costs of its layers, and how far a prediction was off. A part of engine.js, with the same
// rhythm at the border, in a file of its own: figures have no use for it.

/** @typedef {import('./engine.js').Engine} Engine */

/**
 * @typedef {object} Layers  what ran, layer by layer
 * @property {number} count
 * @property {number[]} sizes  layers of each stage of the run; none where the file tells of layers alone
 * @property {boolean} split  backwards for inputs and for weights were told apart
 * @property {{ forward: number, input: number, weight: number }[]} costs  of each layer
 * @property {Float64Array} weights  of each layer: all of its work
 * @property {{ forward: number, input: number, weight: number }} units  of all layers, per unit of weight
 * @property {(sizes: number[]) => Record<'forward' | 'input-gradient' | 'weight-gradient', number[]>} stages  costs of
 *     stages with so many layers each, as options
 * @property {(shape: { ranks: number, microbatches: number, chunks: number, bothEnds: boolean, latency: number,
 *     limit: number, embedding: number, head: number }) => number} bound  no plan of these layers takes less
 * @property {(outcome: { predicted: number, one: number, before?: number, measuredBefore?: number }) =>
 *     Record<string, number>} outcome  pp_outcome
 */

const encoder = new TextEncoder();

/** @param {any} core @param {any} steps */
const outcomeFields = (core, steps) => steps.names((/** @type {number} */ i) => core.pp_outcome_field_name(i));

/**
 * @param {Engine} engine
 * @param {string} text  of a measured run or a profile
 * @param {Record<string, Float64Array> | null} profile  of engine.parseProfile; null where it finds none
 * @param {Record<string, any>} [config]  of the run, for a profile of timers
 * @param {number[]} [sizes]  layers of each stage, in place of the file's
 * @returns {Layers}
 * @throws {import('./error.js').PipelineError}
 */
export function layersOf(engine, text, profile, config, sizes) {
    /** What is kept is read again: memory of the core is not held from call to call. @param {(plan: number, steps: any, alloc: any) => any} work */
    const withPlan = (work) =>
        engine.withInternals((steps) =>
            steps.scope((alloc) => {
                const { core } = steps;
                const fault = alloc(core.pp_fault_bytes());
                const bytes = encoder.encode(text);
                const at = alloc(bytes.length + 1);
                steps.bytes(at, bytes.length).set(bytes);
                const told = profile ? steps.profile(alloc, at, bytes.length, config) : 0;
                const list = sizes ? alloc(4 * sizes.length) : 0;
                if (sizes) new Int32Array(core.memory.buffer, list, sizes.length).set(sizes);
                const count = sizes?.length ?? 0;
                const room = core.pp_plan_bytes(at, bytes.length, told, list, count) >>> 0;
                const plan = alloc(room);
                steps.attempt(core.pp_plan_parse(at, bytes.length, told, list, count, plan, room, fault), fault);
                return work(plan, steps, alloc);
            }),
        );
    return withPlan((plan, steps, alloc) => {
        const { core } = steps;
        const count = core.pp_plan_layers(plan);
        const rows = steps.doubles(core.pp_plan_costs(plan), 3 * count);
        const units = alloc(24);
        core.pp_plan_units(plan, units);
        const [forward, input, weight] = steps.doubles(units, 3);
        return {
            count,
            sizes: [...steps.ints(core.pp_plan_sizes(plan), core.pp_plan_stages(plan))],
            split: core.pp_plan_split(plan) === 1,
            costs: Array.from({ length: count }, (_, l) => ({
                forward: rows[l],
                input: rows[count + l],
                weight: rows[2 * count + l],
            })),
            weights: steps.doubles(core.pp_plan_weights(plan), count),
            units: { forward, input, weight },
            stages: (/** @type {number[]} */ held) =>
                withPlan((plan, steps, alloc) => {
                    const { core } = steps;
                    const list = alloc(4 * held.length);
                    new Int32Array(core.memory.buffer, list, held.length).set(held);
                    const out = alloc(24 * held.length);
                    core.pp_plan_stage_costs(plan, list, held.length, out);
                    const row = (/** @type {number} */ n) => [...steps.doubles(out + 8 * n * held.length, held.length)];
                    return { forward: row(0), 'input-gradient': row(1), 'weight-gradient': row(2) };
                }),
            bound: (/** @type {any} */ { ranks, microbatches, chunks, bothEnds, latency, limit, embedding, head }) =>
                withPlan((plan, { core }, alloc) => {
                    const [ends, shape] = [alloc(16), alloc(32)];
                    const scratch = alloc(core.pp_plan_bound_bytes(plan));
                    const { buffer } = core.memory;
                    new Float64Array(buffer, ends, 2).set([embedding, head]);
                    new Int32Array(buffer, shape, 4).set([ranks, microbatches, chunks, bothEnds ? 1 : 0]);
                    new Float64Array(buffer, shape + 16, 2).set([latency, limit]);
                    return core.pp_plan_bound(plan, ends, shape, scratch);
                }),
            outcome: (/** @type {any} */ { predicted, one, before = 0, measuredBefore = 0 }) =>
                withPlan((plan, steps, alloc) => {
                    const names = outcomeFields(steps.core, steps);
                    const out = alloc(8 * names.length);
                    steps.core.pp_plan_outcome(plan, predicted, one, before, measuredBefore, out);
                    return steps.records(names, out, 1)[0];
                }),
        };
    });
}

/**
 * What messages took in a measured step: the median of those that a rank waited for and for nothing else.
 * @param {Engine} engine @param {import('./types.js').Actions} actions @returns {number}
 */
export function measuredLatency(engine, { count, rank, input, start, finish }) {
    return engine.withInternals((steps) =>
        steps.scope((alloc) => {
            const { core } = steps;
            const put = (/** @type {Int32Array | Float64Array} */ column) => {
                const at = alloc(column.byteLength);
                const Column = /** @type {any} */ (column.constructor);
                new Column(core.memory.buffer, at, count).set(column);
                return at;
            };
            return core.pp_measured_latency(count, ...[rank, input, start, finish].map(put));
        }),
    );
}

/** How much shorter: 1 - after / before. @param {Engine} engine @param {number} before @param {number} after */
export const gain = (engine, before, after) => engine.withInternals(({ core }) => core.pp_plan_gain(before, after));

/** By what share a step may be above the best possible. @param {Engine} engine @param {number} makespan @param {number} bound */
export const above = (engine, makespan, bound) =>
    engine.withInternals(({ core }) => core.pp_plan_above(makespan, bound));
