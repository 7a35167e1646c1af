// Every text a reader sees, by language. Russian is the first language of the figure; any other but Russian gets English.
import { tables } from 'pipeline-figure/words';

export const languages = ['ru', 'en'];

/**
 * Russian lines do not break after a short word or before a dash.
 * @param {string} text
 */
const bound = (text) =>
    text
        .replace(/(?<![\p{L}\d-])(\p{L}{1,2}) (?=\S)/gu, '$1\u00a0')
        .replace(/ (?=— |—$|(?:же|ли|бы)(?!\p{L}))/gu, '\u00a0');

/** Lines in no language break inside a sum or a product. @param {string} text */
const sumsBound = (text) => text.replace(/(?<=[\p{L}\d)}])\s([+−·=])\s(?=[\p{L}\d({])/gu, '\u00a0$1\u00a0');

/** Is the whole table of a language here? @param {string} lang */
export const speaks = (lang) => 'tick' in tables[lang];

/** @param {string} lang @param {Record<string, any>} table */
export function learn(lang, table) {
    tables[lang] = table;
}

/** Texts that were asked for: to bind them all takes a page's start several milliseconds. @type {Record<string, Map<string, string>>} */
const boundTexts = { ru: new Map(), en: new Map() };

/** @param {string} lang @param {string} key */
function boundText(lang, key) {
    const text = tables[lang][key];
    if (typeof text !== 'string') return text;
    const known = boundTexts[lang].get(key) ?? sumsBound(lang === 'ru' ? bound(text) : text);
    boundTexts[lang].set(key, known);
    return known;
}

/** @param {string} lang as in an attribute: "ru", "ru-RU", "en" @returns {'ru' | 'en'} */
export function languageOf(lang) {
    return /^ru\b/i.test(lang) ? 'ru' : 'en';
}

/** Whether a key has a text: not every option has a control with a label. @param {string} key */
export const hasText = (key) => Object.values(tables).some((table) => table && key in table);

/**
 * The text of a key. {0}, {1}, … are replaced by the further arguments.
 * @param {string} lang @param {string} key @param {...(string | number)} values
 * @returns {string}
 */
export function textOf(lang, key, ...values) {
    const text = (tables[lang] && boundText(lang, key)) ?? boundText('en', key);
    if (text === undefined) throw new Error(`pipeline-figure: no text for ${key}`);
    if (values.length === 0) return text;
    return text.replace(
        /\{(\d)\}/g,
        (/** @type {string} */ whole, /** @type {string} */ digit) => values[+digit] ?? whole,
    );
}
