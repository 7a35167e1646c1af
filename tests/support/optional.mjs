// Programs that tests use and that a machine may lack. scripts/setup.sh installs them where it can. For the options of a test,
// { skip: withoutPython }: false where the program is there, or when CI is set, where its absence must fail; else the words
// of a skip, the same for all tests that need it.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** @param {boolean} here @param {string} reason @returns {string | false} */
const unless = (here, reason) => (here || process.env.CI ? false : reason);
const runs = (/** @type {string} */ program, /** @type {string} */ flag) => spawnSync(program, [flag]).status === 0;

export const withoutPython = unless(runs('python3', '--version'), 'NO PYTHON: install python3');
export const withoutPoppler = unless(runs('pdftotext', '-v'), 'NO PDFTOTEXT: install poppler-utils');
export const withoutMadd = unless(
    existsSync(new URL('../../dist/core.madd.wasm', import.meta.url)),
    'NO COMPILER WITH RELAXED MULTIPLY-ADD: clang 16 or newer and its wasm-ld (Debian 12: install clang-16 and lld-16)',
);

/** The words of a PDF, with single spaces. @param {Uint8Array} pdf */
export const wordsOf = (pdf) =>
    execFileSync('pdftotext', ['-layout', '-', '-'], { input: pdf, encoding: 'utf8' }).replace(/\s+/g, ' ');
