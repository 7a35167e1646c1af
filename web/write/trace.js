// A timed schedule as a trace, for Perfetto and Chrome.
import { OPS } from '../words/ops.js';
import { piecesOf } from './rows.js';

/** @typedef {import('../engine/types.js').Simulation} Simulation */

const BETWEEN = ',\n';

/** @param {Parameters<typeof tracePieces>} what */
export const toTrace = (...what) => [...tracePieces(...what)].join('');

/**
 * Trace Event JSON in pieces: a process for each schedule, a thread for each rank, an arrow for each transfer.
 * @param {{ name: string, simulation: Simulation }[]} list @param {number} scale  microseconds a tick
 */
export function* tracePieces(list, scale) {
    let arrow = 0;
    yield '{"displayTimeUnit":"ms","traceEvents":[\n';
    for (const [at, { name, simulation }] of list.entries()) {
        const pid = at + 1;
        const { actions, config } = simulation;
        const { stage, microbatch, slice, rank, input, start, finish } = actions;
        const slices = config.slices > 1;
        /** @type {any[]} */
        const heads = [];
        const meta = (/** @type {string} */ what, /** @type {number} */ tid, /** @type {any} */ args) =>
            heads.push({ ph: 'M', name: what, pid, tid, args });
        meta('process_name', 0, { name });
        meta('process_sort_index', 0, { sort_index: pid });
        for (let tid = 0; tid < config.ranks; tid++) {
            meta('thread_name', tid, { name: `rank ${tid}` });
            meta('thread_sort_index', tid, { sort_index: tid });
        }
        const text = (/** @type {any[]} */ events) => events.map((event) => JSON.stringify(event)).join(BETWEEN);
        yield `${at > 0 ? BETWEEN : ''}${text(heads)}${actions.count > 0 ? BETWEEN : ''}`;
        const action = (/** @type {number} */ i) => {
            const op = OPS[actions.op[i]];
            const tid = rank[i];
            const ts = start[i] * scale;
            const args = { stage: stage[i], microbatch: microbatch[i], ...(slices ? { slice: slice[i] } : {}) };
            const own = {
                ph: 'X',
                name: `${args.stage}${op}${args.microbatch}`,
                cat: op,
                pid,
                tid,
                ts,
                dur: finish[i] * scale - ts,
                args,
            };
            const from = input[i];
            if (from < 0 || rank[from] === tid || op === 'R') return text([own]);
            const head = { cat: 'transfer', name: op === 'F' ? 'activations' : 'gradients', id: ++arrow, pid };
            // An arrow binds to the slice that holds its time, and a slice does not hold its own end.
            const length = (finish[from] - start[from]) * scale;
            const leaves = finish[from] * scale - length / 1024;
            return text([
                own,
                { ...head, ph: 's', tid: rank[from], ts: leaves },
                { ...head, ph: 'f', bp: 'e', tid, ts },
            ]);
        };
        yield* piecesOf(actions.count, action, BETWEEN);
    }
    yield '\n]}\n';
}
