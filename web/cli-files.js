// Files on the command line: what "check" reads, profiles of measured times, and traces for Chrome and Perfetto.

import { factLines, plainNumbers, shareFacts, shares, terminal } from './cli-formats.js';
import { cliStrings } from './cli-strings.js';
import { OPS, PipelineError } from './engine.js';

/**
 * @typedef {import('./engine.js').Engine} Engine
 * @typedef {import('./engine.js').Simulation} Simulation
 * @typedef {[string, any][]} Pairs
 */

/**
 * Options with the costs of a measured run in place of those that are not given.
 * @param {Engine} engine @param {Pairs} pairs @param {string} profile  the file's text
 * @param {() => Record<string, any>} configOf  the run it was measured on; only a dump of timers asks
 * @returns {Pairs}
 */
export function withProfile(engine, pairs, profile, configOf) {
    let costs;
    try {
        costs = engine.parseProfile(profile);
    } catch (error) {
        if (!(error instanceof PipelineError && error.code === 'profile')) throw error;
        costs = engine.parseProfile(profile, configOf());
    }
    const plain = (/** @type {string} */ name) => name.toLowerCase().replace(/[-_]/g, '');
    const given = new Set(pairs.map(([name]) => plain(name)));
    return [...pairs, ...Object.entries(costs).filter(([name]) => !given.has(plain(name)))];
}

/**
 * The order of a file beside what was measured: the same order, with the mean times of its actions.
 * @param {Engine} engine @param {string} input @param {Pairs} pairs
 * @returns {Simulation | undefined}  nothing where a stage has no time of its own
 */
export function simulatedBeside(engine, input, pairs) {
    const order = pairs.filter(([name]) => name.toLowerCase() !== 'times');
    try {
        return engine.check(
            input,
            withProfile(engine, order, input, () => ({})),
        );
    } catch (error) {
        if (!(error instanceof PipelineError && error.code === 'profile')) throw error;
        return undefined;
    }
}

/** @param {Simulation} beside @param {'en' | 'ru'} lang */
export function besideFacts(beside, lang) {
    const text = cliStrings[lang];
    const [[, makespan], , , [, fraction]] = shareFacts(beside.summary, lang);
    return [
        [text.simulated, makespan],
        [text.simulatedBubble, fraction],
    ];
}

/** @param {Simulation} simulation @param {'en' | 'ru'} lang */
export const stepFacts = ({ file }, lang) =>
    file?.lowered ? [[cliStrings[lang].steps, plainNumbers(lang)(file.steps ?? 0)]] : [];

/**
 * Times of which nothing is known but where and when.
 * @param {import('./engine.js').Measured} measured @param {string} name @param {'en' | 'ru'} lang
 */
export function measuredText({ ranks, summary, perRank }, name, lang) {
    const text = cliStrings[lang];
    const plain = plainNumbers(lang);
    const busy = perRank.map((rank) => plain(rank.busy)).join(' ');
    return terminal([
        text.measuredTitle(name, ranks),
        '',
        ...factLines([...shareFacts(summary, lang), [text.busy, busy]]),
    ]);
}

/** @param {import('./engine.js').Measured} measured */
export function measuredJson({ ranks, intervals, summary, perRank }) {
    const out = {
        ranks,
        ...shares(summary),
        per_rank: perRank.map(({ busy, idle, first, last }, rank) => ({ rank, busy, idle, first, last })),
        actions: Array.from({ length: intervals.count }, (_, i) => ({
            rank: intervals.rank[i],
            start: intervals.start[i],
            finish: intervals.finish[i],
        })),
        lower_bound: summary.lower_bound,
    };
    return `${JSON.stringify(out)}\n`;
}

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
