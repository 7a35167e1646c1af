// An order changed by hand in words: as the option "moves" of the request, and as what it came to.
import { countOf, formatNumber, formatShare } from '../scene/format.js';
import { OPS } from '../words/ops.js';
import { textOf } from '../words/strings.js';

/**
 * @typedef {import('../engine/types.js').Simulation} Simulation
 * @typedef {import('../engine/types.js').Stall} Stall
 */

/** How the option names an action. @param {Simulation | Stall} simulation @param {number} i */
export function nameOf({ actions, config }, i) {
    const slice = config.slices > 1 ? `.${actions.slice[i]}` : '';
    return `${actions.stage[i]}${OPS[actions.op[i]]}${actions.microbatch[i]}${slice}`;
}

/** Moves with one more, joined with the last where that moved the same action. @param {string | null} moves @param {string} name @param {number} places */
export function withMove(moves, name, places) {
    const words = (moves ?? '').split(/[\s,;]+/).filter(Boolean);
    const [, last, so] = /^(.*?)([+-]\d+)$/.exec(words[words.length - 1] ?? '') ?? [];
    const all = places + (last === name ? Number(so) : 0);
    if (last === name) words.pop();
    if (all !== 0) words.push(`${name}${all > 0 ? '+' : ''}${all}`);
    return words.join(' ') || null;
}

/** The edited step beside the generated one. @param {Simulation} simulation @param {Simulation} generated @param {string} lang */
export function differenceText(simulation, generated, lang) {
    const both = [simulation, generated];
    const times = both.map(({ summary }) => countOf(summary.makespan, lang, 'tick'));
    const shares = both.map(({ summary }) => formatShare(summary, 'bubble_fraction', lang));
    const peaks = both.map(({ summary }) => formatNumber(summary.peak_activations, lang));
    const same = [times, shares, peaks].every(([a, b]) => a === b);
    if (same) return textOf(lang, 'edit_same', times[0]);
    return textOf(lang, 'edit_difference', ...times, ...shares, ...peaks);
}
