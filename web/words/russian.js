// The tables of texts in a page: English comes as a part, where a figure speaks it.
import en from './first.en.js';
import ru from './strings.ru.js';

/** @type {Record<string, Record<string, any>>} */
export const tables = { ru, en };
