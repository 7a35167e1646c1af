// Names of files and cells come from outside: in a terminal their control characters would move the cursor or change its colours.

/** Control characters but for the end of a line, and those that turn the direction of a text. */
const CONTROL = /(?!\n)[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/** A text whose control characters, but for the ends of lines, are question marks. @param {string} text */
export const printable = (text) => text.replace(CONTROL, '?');
