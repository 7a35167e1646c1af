// A task for the reader: conditions on numbers of the core, as the page writes them in the attribute:
//     challenge="bubble<10% memory<=4"
// No document, no engine.
import { formatNumber, formatPercent } from '../scene/format.js';
import { textOf } from '../words/strings.js';

/**
 * @typedef {{ name: string, sign: string, value: number }} Term
 * @typedef {Term & { seen: number, holds: boolean }} Checked
 */

/** Where a name is found: in the summary, or in the request as understood. @type {Record<string, string>} */
export const FIELDS = {
    bubble: 'bubble_fraction',
    utilization: 'utilization',
    time: 'makespan',
    memory: 'peak_activations',
    ranks: 'ranks',
    microbatches: 'microbatches',
};
/** @type {Record<string, (a: number, b: number) => boolean>} */
const SIGNS = {
    '<': (a, b) => a < b,
    '<=': (a, b) => a <= b,
    '>': (a, b) => a > b,
    '>=': (a, b) => a >= b,
    '=': (a, b) => a === b,
};
/** @type {Record<string, string>} */
const WORDS = { '<': 'less', '<=': 'most', '>': 'greater', '>=': 'least', '=': 'equal' };

/** @param {string | null} text @returns {{ terms: Term[], faults: string[] }} faults: what is not understood */
export function parseChallenge(text) {
    const terms = [];
    const faults = [];
    for (const word of (text ?? '').split(/[\s;]+/).filter(Boolean)) {
        const [, name, sign, number, percent] = /^([a-z]+)([<>]=?|=)(\d+(?:[.,]\d+)?)(%?)$/.exec(word) ?? [];
        if (!Object.hasOwn(FIELDS, name)) faults.push(word);
        else terms.push({ name, sign, value: Number(number.replace(',', '.')) / (percent ? 100 : 1) });
    }
    return { terms, faults };
}

/** @param {Term[]} terms @param {import('../engine/types.js').Simulation} simulation @returns {Checked[]} */
export function checkChallenge(terms, { summary, config }) {
    return terms.map((term) => {
        const seen = summary[FIELDS[term.name]] ?? config[FIELDS[term.name]];
        return { ...term, seen, holds: SIGNS[term.sign](seen, term.value) };
    });
}

/** @param {string} name @param {number} value @param {string} lang */
export const shownTerm = (name, value, lang) =>
    name === 'bubble' || name === 'utilization' ? formatPercent(value, lang) : formatNumber(value, lang);

/** "bubble fraction below 10 %: now 27.3 %" @param {Checked} term @param {string} lang */
export function termText({ name, sign, value, seen }, lang) {
    const rule = textOf(lang, `challenge_sign_${WORDS[sign]}`, shownTerm(name, value, lang));
    return textOf(lang, 'challenge_term', textOf(lang, `challenge_${name}`), rule, shownTerm(name, seen, lang));
}
