// Numbers and plurals as a reader of a language expects them. Spaces inside a number, and between a number and its
// word, never break (U+00A0).
import { textOf } from './strings.js';

/** @type {Map<string, Intl.NumberFormat>} */
const formats = new Map();
/** @type {Map<string, Intl.PluralRules>} */
const rules = new Map();

/** @param {string} lang @param {string} kind @param {Intl.NumberFormatOptions} options */
function formatter(lang, kind, options) {
    const key = `${lang} ${kind}`;
    let format = formats.get(key);
    if (!format) {
        // min2: 1234 stays together, 12 345 does not. Engines that do not know it take true or false.
        const grouping = /** @type {any} */ ({ useGrouping: 'min2' });
        format = new Intl.NumberFormat(lang, { ...grouping, ...options });
        formats.set(key, format);
    }
    return format;
}

/** @param {string} text */
const unbroken = (text) => text.replace(/[\s\u202f]/gu, '\u00a0').replace(/^-/u, '\u2212');

/** @param {number} value @param {string} lang @param {number} [digits] after the comma, at most */
export function formatNumber(value, lang, digits = 2) {
    return unbroken(formatter(lang, `n${digits}`, { maximumFractionDigits: digits }).format(value));
}

/** @param {number} value a share, 1 for all @param {string} lang */
export function formatPercent(value, lang) {
    return unbroken(formatter(lang, '%', { style: 'percent', maximumFractionDigits: 1 }).format(value));
}

/**
 * "2/3" where the core gives the fraction exactly, "1" and "0" for whole ones, else null.
 * @param {Record<string, number>} summary @param {string} field
 */
export function exactFraction(summary, field) {
    const over = summary[`${field}_denominator`];
    if (!(over > 0)) return null;
    const upper = summary[`${field}_numerator`];
    return over === 1 ? `${upper}` : `${upper}/${over}`;
}

/** The exact fraction, or the percentage. @param {Record<string, number>} summary @param {string} field @param {string} lang */
export function formatShare(summary, field, lang) {
    return exactFraction(summary, field) ?? formatPercent(summary[field], lang);
}

/**
 * The form of a word that goes with a number.
 * @param {number} value @param {string} lang @param {string} noun key of strings.*.js with the forms
 */
export function pluralOf(value, lang, noun) {
    let rule = rules.get(lang);
    if (!rule) {
        rule = new Intl.PluralRules(lang);
        rules.set(lang, rule);
    }
    // The form follows the number as it is shown: 1.999 is shown as 2.
    const forms = /** @type {any} */ (textOf(lang, noun));
    return forms[rule.select(Math.round(value * 100) / 100)] ?? forms.other;
}

/** "4 микробатча". @param {number} value @param {string} lang @param {string} noun */
export function countOf(value, lang, noun) {
    return `${formatNumber(value, lang)}\u00a0${pluralOf(value, lang, noun)}`;
}
