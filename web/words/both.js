// The tables of texts where both languages are at hand, as in Node.
import en from './strings.en.js';
import ru from './strings.ru.js';

/** @type {Record<string, Record<string, any>>} */
export const tables = { ru, en };
