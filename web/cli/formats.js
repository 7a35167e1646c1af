// A simulation as text for a terminal. Numbers come from the core; here they are only written.

import { OPS } from '../words/ops.js';
import { exactText } from '../write/rows.js';
import { printable } from './printable.js';
import { cliStrings } from './strings.js';
import { studyFacts } from './studies.js';

/** @typedef {import('../engine/types.js').Simulation} Simulation */

/** What differs by micro-batch, and what ranks do beside computing. @param {Simulation} simulation @param {any} text @param {(value: number) => string} plain */
function conditionFacts({ conditions, summary }, text, plain) {
    if (!conditions) return [];
    const { factors, places, proved, waiting, gathers } = conditions;
    const facts = [];
    if (factors && places) {
        const rows = factors.map((row) => [...row].map(plain).join(' ')).join(' | ');
        const moved = places.some((place, k) => place !== k);
        facts.push([text.unitCosts, moved ? text.unitCostsMoved(rows, [...places].join(' ')) : rows]);
    }
    const gap = plain(summary.makespan - summary.lower_bound);
    if (proved !== undefined) facts.push([text.order, proved ? text.orderProved(gap) : text.orderFound(gap)]);
    if (waiting) facts.push([text.waiting, [...waiting].join(' ')]);
    if (gathers) facts.push([text.gathers, [...gathers].join(' ')]);
    return facts;
}

/** Numbers for a terminal. @param {'en' | 'ru'} lang */
export function plainNumbers(lang) {
    const number = new Intl.NumberFormat(lang, { maximumFractionDigits: 4, useGrouping: false });
    return (/** @type {number} */ value) => number.format(value);
}

/** What needs nothing but times. @param {Record<string, number>} summary @param {'en' | 'ru'} lang */
export function shareFacts(summary, lang) {
    const text = cliStrings[lang];
    const plain = plainNumbers(lang);
    /** @param {string} name */
    const share = (name) => {
        const exact = exactText(summary, name);
        const percent = new Intl.NumberFormat(lang, { style: 'percent', maximumFractionDigits: 1 });
        return `${exact === null ? '' : `${exact} = `}${percent.format(summary[name])}`;
    };
    return [
        [text.makespan, `${plain(summary.makespan)} (${text.bound} ${plain(summary.lower_bound)})`],
        [text.span, plain(summary.span)],
        [text.utilization, share('utilization')],
        [text.bubbleFraction, share('bubble_fraction')],
        [text.bubbleRatio, share('bubble_ratio')],
    ];
}

/** @param {string[][]} facts  names and values */
export function factLines(facts) {
    const width = Math.max(...facts.map(([name]) => name.length)) + 2;
    return facts.map(([name, value]) => `${name.padEnd(width)}${value}`);
}

/** Lines as a terminal shows them. @param {string[]} lines */
export const terminal = (lines) => `${printable(lines.join('\n')).replaceAll('\u00a0', ' ')}\n`;

/** What is known of the best possible order. @param {import('../engine/proof.js').ProofReport} report @param {'en' | 'ru'} lang */
export function proofFacts({ proved, above, bound }, lang) {
    const text = cliStrings[lang];
    const percent = new Intl.NumberFormat(lang, { style: 'percent', maximumFractionDigits: 2 });
    const said = proved === 1 ? text.proofDone : text.proofOpen(percent.format(above), plainNumbers(lang)(bound));
    return [[text.proof, said]];
}

/**
 * @param {Simulation} simulation @param {'en' | 'ru'} lang @param {string[][]} [more]  further facts
 * @param {string} [chart]  auto: where it fits a terminal
 */
export function toText(simulation, lang, more = [], chart = 'auto') {
    const { config, summary, perRank, costs, file } = simulation;
    const text = cliStrings[lang];
    const plain = plainNumbers(lang);
    /** @param {ArrayLike<number>} list */
    const row = (list) => {
        const all = Array.from(list, plain);
        return all.every((item) => item === all[0]) ? all[0] : all.join('; ');
    };
    const trains = summary.backward_sum > 0 || perRank.some((rank) => rank.peak_activations > 0);
    const lines = [text.title(config), ''];
    const drawn = chart === 'never' ? [] : drawing(simulation, text, plain, chart === 'always');
    if (drawn.length > 0) lines.push(...drawn, '');
    else if (chart === 'auto') lines.push(text.chartLeft(COLUMNS), '');
    const facts = [
        ...shareFacts(summary, lang),
        [text.latency, plain(summary.latency_first)],
        [text.cadence, text.cadenceValue(plain(summary.cadence), summary.cadence_rank)],
        [text.forwardCosts, `${row(costs.forward)} (${text.sum} ${plain(summary.forward_sum)})`],
        ...(trains
            ? [
                  [text.backwardCosts, `${row(costs.backward)} (${text.sum} ${plain(summary.backward_sum)})`],
                  [text.peaks, perRank.map((rank) => plain(rank.peak_activations)).join(' ')],
              ]
            : []),
        ...(simulation.stream
            ? [
                  [
                      text.flush,
                      text.noFlush(perRank.map((r) => r.weight_versions).join(' '), simulation.stream.late.join(' ')),
                  ],
              ]
            : []),
        [text.transfers, text.transfersValue(summary.transfers_forward, summary.transfers_backward)],
        ...conditionFacts(simulation, text, plain),
        ...studyFacts(simulation, lang, plain),
        ...more,
    ];
    lines.push(...factLines(facts));
    if (config.ranks === 1) lines.push('', text.oneRank);
    if (file?.note) lines.push('', file.note);
    return terminal(lines);
}

/** Columns of a terminal. */
const COLUMNS = 120;

/**
 * The chart in letters, a column a tick, where all times are whole and it is not too wide; else each rank's list. What does
 * not fit a terminal is drawn only if it is asked for.
 * @param {Simulation} simulation @param {any} text @param {(value: number) => string} plain @param {boolean} always
 * @returns {string[]}
 */
function drawing({ config, actions, summary }, text, plain, always) {
    // Far too many for a terminal: their letters need not be made.
    if (!always && actions.count > 10 * COLUMNS * config.ranks) return [];
    const names = Array.from({ length: actions.count }, (_, i) => {
        const chunk = config.chunks > 1 || config.stages !== config.ranks ? `${actions.stage[i]}` : '';
        return `${chunk}${OPS[actions.op[i]]}${actions.microbatch[i]}`;
    });
    const cell = names.reduce((most, name) => Math.max(most, name.length), 0) + 1; // too many for one call's arguments
    const whole = actions.start.every(Number.isInteger) && actions.finish.every(Number.isInteger);
    const grid = whole && summary.makespan * cell <= 200;
    const rows = Array.from({ length: config.ranks }, () => (grid ? Array(summary.makespan).fill('.') : ['']));
    for (let i = 0; i < actions.count; i++) {
        const row = rows[actions.rank[i]];
        if (!grid) row.push(`${names[i]} ${plain(actions.start[i])}–${plain(actions.finish[i])}`);
        else
            for (let t = actions.start[i]; t < actions.finish[i]; t++) {
                if (t > actions.start[i]) row[t] = '-';
                else row[t] = row[t] === '.' ? names[i] : `${row[t]}&${names[i]}`;
            }
    }
    const lines = grid
        ? rows.map((row, r) => `${text.rank(r)}${row.map((c) => c.padEnd(cell)).join('')}`.trimEnd())
        : rows.map((row, r) => `${text.rank(r)}${row.slice(1).join(', ')}`);
    return always || lines.every((line) => line.length <= COLUMNS) ? lines : [];
}
