// The best order of a step, looked for a little at a time. A part of engine.js, with the same rhythm at the border, in a file
// of its own: figures have no use for it.

/** @typedef {import('./engine.js').Engine} Engine */
/** @typedef {Record<'bound' | 'makespan' | 'span' | 'proved' | 'above' | 'work', number>} ProofReport  pp_proof_report */

/** Work between two looks at the clock: some hundredths of a second. */
const SLICE = 3e6;

/**
 * @param {Engine} engine
 * @param {import('./types.js').Options} options  of the schedule
 * @param {{ seconds?: number, signal?: AbortSignal, onProgress?: (report: ProofReport) => void }} [how]  when to stop, and
 *     who hears how far it has come, after each slice
 * @returns {Promise<{ report: ProofReport, moves: string } | null>}  moves: the option that makes the best order found; null
 *     where nothing can be proved of such a request
 * @throws {import('./error.js').PipelineError}
 */
export async function proveBest(engine, options, { seconds = 60, signal, onProgress } = {}) {
    return engine.withInternals(async (steps) => {
        const { core } = steps;
        /** @type {number[]} */
        const held = [];
        try {
            const alloc = steps.allocator(held);
            const { config, costs, schedule } = steps.timed(alloc, options);
            const room = core.pp_proof_bytes(config) >>> 0;
            if (room === 0) return null;
            const proof = core.pp_proof_start(config, costs, schedule, alloc(room));
            const fields = steps.names((/** @type {number} */ i) => core.pp_proof_field_name(i));
            const out = alloc(8 * fields.length);
            const report = () => {
                core.pp_proof_report_fill(proof, out);
                return /** @type {ProofReport} */ (steps.records(fields, out, 1)[0]);
            };
            const end = performance.now() + 1000 * seconds;
            while (!core.pp_proof_run(proof, SLICE) && performance.now() < end && !signal?.aborted) {
                onProgress?.(report());
                await new Promise((resolve) => setTimeout(resolve)); // let whoever stops it do so
            }
            const length = core.pp_proof_moves(proof, schedule, 0, 0);
            const text = alloc(length + 1);
            core.pp_proof_moves(proof, schedule, text, length);
            return { report: report(), moves: new TextDecoder().decode(steps.bytes(text, length).slice()) };
        } finally {
            steps.release(held);
        }
    });
}
