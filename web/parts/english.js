// The texts in English, for figures on English pages.
export { default as table } from '../words/strings.en.js';
