// Files on the command line: what "check" reads, profiles of measured times, and traces for Chrome and Perfetto.

import { PipelineError } from '../engine/error.js';
import { measuredLatency } from '../engine/measured.js';
import { plainName } from '../words/names.js';
import { shares } from '../write/rows.js';
import { factLines, plainNumbers, shareFacts, terminal } from './formats.js';
import { cliStrings } from './strings.js';

/**
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('../engine/types.js').Simulation} Simulation
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
    const given = new Set(pairs.map(([name]) => plainName(name)));
    return [...pairs, ...Object.entries(costs).filter(([name]) => !given.has(plainName(name)))];
}

/**
 * The order of a file beside what was measured: the same order, with the mean times of its actions and what its messages
 * took.
 * @param {Engine} engine @param {Simulation} measured @param {string} input @param {Pairs} pairs
 * @returns {Simulation | undefined}  nothing where a stage has no time of its own
 */
export function simulatedBeside(engine, measured, input, pairs) {
    const order = pairs.filter(([name]) => name.toLowerCase() !== 'times');
    if (!order.some(([name]) => name.toLowerCase() === 'latency'))
        order.push(['latency', measuredLatency(engine, measured.actions)]);
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

/** @param {Simulation} simulation @param {'en' | 'ru'} lang @param {number[]} [cut]  layers of each stage */
export const stepFacts = ({ file }, lang, cut) => [
    ...(file?.lowered ? [[cliStrings[lang].steps, plainNumbers(lang)(file.steps ?? 0)]] : []),
    ...(cut ? [[cliStrings[lang].planSizes, cut.join(' ')]] : []),
];

/**
 * Times of which nothing is known but where and when.
 * @param {import('../engine/types.js').Measured} measured @param {string} name @param {'en' | 'ru'} lang
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

/** @param {import('../engine/types.js').Measured} measured */
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
