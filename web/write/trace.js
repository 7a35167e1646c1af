// A timed schedule as a trace, for Perfetto and Chrome.
import { OPS } from '../words/ops.js';

/** @typedef {import('../engine/types.js').Simulation} Simulation */

/**
 * Trace Event JSON: a process for each schedule, a thread for each rank, an arrow for each transfer.
 * @param {{ name: string, simulation: Simulation }[]} list @param {number} scale  microseconds a tick
 */
export function toTrace(list, scale) {
    /** @type {any[]} */
    const events = [];
    let arrow = 0;
    for (const [at, { name, simulation }] of list.entries()) {
        const pid = at + 1;
        const { actions, config } = simulation;
        const meta = (/** @type {string} */ what, /** @type {number} */ tid, /** @type {any} */ args) =>
            events.push({ ph: 'M', name: what, pid, tid, args });
        meta('process_name', 0, { name });
        meta('process_sort_index', 0, { sort_index: pid });
        for (let tid = 0; tid < config.ranks; tid++) {
            meta('thread_name', tid, { name: `rank ${tid}` });
            meta('thread_sort_index', tid, { sort_index: tid });
        }
        for (let i = 0; i < actions.count; i++) {
            const op = OPS[actions.op[i]];
            const tid = actions.rank[i];
            const ts = actions.start[i] * scale;
            const dur = actions.finish[i] * scale - ts;
            const args = { stage: actions.stage[i], microbatch: actions.microbatch[i] };
            events.push({
                ph: 'X',
                name: `${args.stage}${op}${args.microbatch}`,
                cat: op,
                pid,
                tid,
                ts,
                dur,
                args: config.slices > 1 ? { ...args, slice: actions.slice[i] } : args,
            });
            const from = actions.input[i];
            if (from < 0 || actions.rank[from] === tid || op === 'R') continue;
            const head = { cat: 'transfer', name: op === 'F' ? 'activations' : 'gradients', id: ++arrow, pid };
            // An arrow binds to the slice that holds its time, and a slice does not hold its own end.
            const length = (actions.finish[from] - actions.start[from]) * scale;
            const leaves = actions.finish[from] * scale - length / 1024;
            events.push({ ...head, ph: 's', tid: actions.rank[from], ts: leaves });
            events.push({ ...head, ph: 'f', bp: 'e', tid, ts });
        }
    }
    const lines = events.map((event) => JSON.stringify(event)).join(',\n');
    return `{"displayTimeUnit":"ms","traceEvents":[\n${lines}\n]}\n`;
}
