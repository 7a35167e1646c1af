// A simulation as rows: JSON with all that is known of it, CSV with its actions. Numbers come from the core; here they are
// only written.
import { OPS } from '../words/ops.js';

/** @typedef {import('../engine/types.js').Simulation} Simulation */

/** @param {Record<string, number>} summary @param {string} name "2/3", "1", or null where costs are not whole */
export function exactText(summary, name) {
    const numerator = summary[`${name}_numerator`];
    const denominator = summary[`${name}_denominator`];
    if (!denominator) return null;
    return denominator === 1 ? String(numerator) : `${numerator}/${denominator}`;
}

/** How long, and how much of it idle. @param {Record<string, number>} summary */
export const shares = (summary) => ({
    makespan: summary.makespan,
    span: summary.span,
    utilization: { value: summary.utilization, exact: exactText(summary, 'utilization') },
    bubble: {
        fraction: summary.bubble_fraction,
        fraction_exact: exactText(summary, 'bubble_fraction'),
        ratio: summary.bubble_ratio,
        ratio_exact: exactText(summary, 'bubble_ratio'),
        rate: summary.bubble_rate,
    },
});

/** Actions to a piece of a text: a text of all of a large step would be longer than a string can be. */
const PIECE = 4096;

/**
 * Pieces of text, PIECE actions each.
 * @param {number} count @param {(action: number) => string} text @param {string} between
 */
export function* piecesOf(count, text, between) {
    for (let from = 0; from < count; from += PIECE) {
        const lines = [];
        for (let i = from; i < Math.min(count, from + PIECE); i++) lines.push(text(i));
        yield `${from > 0 ? between : ''}${lines.join(between)}`;
    }
}

/** @param {Parameters<typeof jsonPieces>} what */
export const toJson = (...what) => [...jsonPieces(...what)].join('');

/** Members of an object as text, without its braces. @param {Record<string, any>} object */
const members = (object) => JSON.stringify(object).slice(1, -1);

/**
 * A simulation as JSON, in pieces that make one object.
 * @param {Simulation} simulation @param {import('../engine/proof.js').ProofReport} [proof] @param {number[]} [sizes]  layers of each stage
 */
export function* jsonPieces(simulation, proof, sizes) {
    const { config, actions, summary, perRank, criticalPath, file } = simulation;
    const slices = config.slices > 1;
    const before = {
        schedule: config.schedule,
        ranks: config.ranks,
        chunks: config.chunks,
        stages: config.stages,
        microbatches: config.microbatches,
        ...(config.recompute === 'none' ? {} : { recompute: config.recompute }),
        ...shares(summary),
        per_rank: perRank.map((rank, r) => ({
            rank: r,
            busy: rank.busy,
            idle: rank.idle,
            first: rank.first,
            last: rank.last,
            peak_activations: rank.peak_activations,
            weight_versions: rank.weight_versions,
        })),
    };
    const { rank, index, op, stage, microbatch, slice, start, finish } = actions;
    const action = (/** @type {number} */ i) =>
        JSON.stringify({
            rank: rank[i],
            index: index[i],
            op: OPS[op[i]],
            stage: stage[i],
            microbatch: microbatch[i],
            ...(slices ? { slice: slice[i] } : {}),
            start: start[i],
            finish: finish[i],
        });
    const after = {
        lower_bound: summary.lower_bound,
        ...(sizes ? { sizes } : {}),
        ...(proof ? { proof: { ...proof, proved: proof.proved === 1 } } : {}),
        critical_path: [...criticalPath],
        ...(file?.lowered ? { steps: file.steps } : {}),
        ...(file?.note ? { note: file.note } : {}),
        ...conditionFields(simulation),
        ...studyFields(simulation),
    };
    yield `{${members(before)},"actions":[`;
    yield* piecesOf(actions.count, action, ',');
    yield `],${members(after)}}\n`;
}

/** What differs by micro-batch, and what ranks do beside computing. @param {Simulation} simulation */
function conditionFields({ conditions }) {
    if (!conditions) return {};
    const { factors, places, proved, waiting, gathers } = conditions;
    const rows = factors?.map((row) => [...row]);
    return {
        ...(rows
            ? { microbatch_costs: rows.length === 1 ? rows[0] : rows, microbatch_order: [...(places ?? [])] }
            : {}),
        ...(proved === undefined ? {} : { order_proved: proved }),
        ...(waiting ? { waiting: [...waiting] } : {}),
        ...(gathers ? { gathers: [...gathers] } : {}),
    };
}

/** @param {Simulation} simulation */
export const toCsv = (simulation) => [...csvPieces(simulation)].join('');

/** A simulation as CSV, a line for each action, in pieces. @param {Simulation} simulation */
export function* csvPieces({ config, actions }) {
    const slices = config.slices > 1;
    const { rank, index, op, stage, microbatch, slice, start, finish } = actions;
    yield `device,index,op,stage,microbatch,${slices ? 'seq,' : ''}start,end\n`;
    const line = (/** @type {number} */ i) => {
        const seq = slices ? `${slice[i]},` : '';
        return `${rank[i]},${index[i]},${OPS[op[i]]},${stage[i]},${microbatch[i]},${seq}${start[i]},${finish[i]}\n`;
    };
    yield* piecesOf(actions.count, line, '');
}

/** A step has an end of its own where something comes after its last action. @param {Simulation} simulation */
export const hasEnd = ({ end }) => end.perRank.some((rank) => rank.optimizer_finish > rank.reduce_start);

/** @param {Simulation} simulation @param {number} i */
export function actionName({ actions }, i) {
    return i < 0 ? null : `${actions.stage[i]}${OPS[actions.op[i]]}${actions.microbatch[i]}`;
}

/** @param {Simulation} simulation */
function studyFields(simulation) {
    const { summary, partition, batch, end, takeover, whatIf, memory, failure, why } = simulation;
    /** @type {Record<string, any>} */
    const out = {
        cadence: { ticks: summary.cadence, rank: summary.cadence_rank, stage: summary.cadence_stage },
        latency: { first: summary.latency_first, largest: summary.latency_largest },
        throughput: summary.throughput,
    };
    if (batch) out.batch = { ...batch, microbatches: simulation.config.microbatches };
    if (partition) {
        out.partition = {
            layers: partition.layers,
            method: partition.method,
            sizes: partition.sizes,
            stage_costs: [...partition.stageCosts],
            largest: partition.largest,
            mean: partition.mean,
            free_stages: partition.free_stages,
            proved: partition.proved === 1,
            cases: partition.cases,
        };
    }
    if (hasEnd(simulation))
        out.end = { finish: end.finish, reduced: end.reduced, exposed: end.exposed, per_rank: end.perRank };
    if (takeover) out.transfer = takeover;
    if (whatIf) {
        const shown = (/** @type {Record<string, number> | null} */ sum) =>
            sum && { makespan: sum.makespan, bubble_fraction: sum.bubble_fraction, throughput: sum.throughput };
        out.what_if = {
            doubled_microbatches: shown(whatIf.doubled),
            balanced_stages: shown(whatIf.balanced),
            no_transfers: shown(whatIf.free),
        };
    }
    if (memory) {
        const { perRank, given, capacity, over_rank, over_time, over_by, over_action, ...rest } = memory;
        out.memory = {
            ...rest,
            capacity: Number.isFinite(capacity) ? capacity : null,
            over:
                over_rank < 0
                    ? null
                    : { rank: over_rank, time: over_time, by: over_by, action: actionName(simulation, over_action) },
            per_rank: perRank.map(({ levels, ...rank }) => ({
                ...rank,
                levels: levels.map(({ time, level }) => [time, level]),
            })),
        };
    }
    if (failure) {
        const { start, finish, policies, ...rest } = failure;
        out.failure = {
            ...rest,
            policies: policies.map(({ lost, known, ...policy }) => ({
                ...policy,
                known: known === 1,
                lost: Array.from(lost, (i) => actionName(simulation, i)),
            })),
        };
    }
    if (why === null) out.why = null;
    if (why) {
        out.why = {
            ...why.idle,
            reasons: why.reasons.map((reason) => ({ ...reason, action: actionName(simulation, reason.action) })),
        };
    }
    return out;
}
