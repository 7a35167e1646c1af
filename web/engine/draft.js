// A timetable that a reader fills in by hand: whether the next action fits, and if not, why. The rules are the core's.

/** @typedef {{ rank: number, op: number, stage: number, microbatch: number, start: number }} Placed  op: 0 F, 1 B */

export const DRAFT = ['fits', 'twice', 'elsewhere', 'taken', 'missing', 'early', 'blocks', 'memory'];

/** @param {Placed} action */
const row = ({ rank, op, stage, microbatch, start }) => [rank, op, stage, microbatch, start];

/**
 * @param {import('./engine.js').Engine} engine @param {import('./types.js').Options} request  shape and costs
 * @param {Placed[]} placed @param {Placed} wanted @param {number} [limit]  micro-batches a device may hold
 * @returns {{ why: string, other: Placed | null }}  why: one of DRAFT; other: what is in the way
 */
export function draftCheck(engine, request, placed, wanted, limit = 0) {
    return engine.withInternals((steps) =>
        steps.scope((alloc) => {
            const { core } = steps;
            const { schedule, costs } = steps.timed(alloc, request);
            const rows = [...placed, wanted].flatMap(row);
            const at = alloc(8 * rows.length);
            const other = alloc(4);
            new Float64Array(core.memory.buffer, at, rows.length).set(rows);
            const last = at + 40 * placed.length;
            const why = core.pp_draft_check(schedule, costs, at, placed.length, last, limit, other);
            const [index] = steps.ints(other, 1);
            return { why: DRAFT[why], other: placed[index] ?? null };
        }),
    );
}
