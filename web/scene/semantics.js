// What micro-batches do to a step, as rows of a table: the numbers of pp_semantics in words. No document.
import { countOf, formatNumber, formatPercent } from '../words/numbers.js';
import { textOf } from '../words/strings.js';

/**
 * Only what the request has a part of.
 * @param {Record<string, number>} s  training.semantics() @param {number} m  micro-batches @param {string} lang
 * @returns {[string, string][]}  name and value
 */
export function semanticsRows(s, m, lang) {
    const n = (/** @type {number} */ value) => formatNumber(value, lang, value < 0.1 ? 4 : 3);
    const share = (/** @type {number} */ value) => formatPercent(value, lang);
    /** @type {[string, string][]} */
    const rows = [];
    const row = (/** @type {string} */ key, /** @type {(string | number)[]} */ ...values) =>
        rows.push([textOf(lang, `semantics_${key}`), textOf(lang, `semantics_${key}_value`, ...values)]);
    row('sizes', m, s.largest === s.smallest ? n(s.largest) : `${n(s.smallest)}…${n(s.largest)}`);
    if (s.norm_mean >= 0) {
        row('norm', n(s.norm_mean), share(s.norm_deviation));
        row('norm_effect', n(s.norm_output), n(s.loss), n(s.norm_loss), share(s.norm_gradient));
    }
    if (s.dropout_entries >= 0) row('dropout', n(s.dropout_by_sample), n(s.dropout_entries), n(s.dropout_by_row));
    row('means', n(s.means_loss), n(s.loss), share(s.means_gradient));
    row('undivided', countOf(s.undivided, lang, 'times'));
    row('clip', n(s.clip_limit), n(s.clip_parts), n(s.clip_whole), share(s.clip_gradient));
    if (s.tied_gradient >= 0) row('tied', share(s.tied_gradient));
    return rows;
}
