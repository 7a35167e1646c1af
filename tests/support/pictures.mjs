// Golden pictures: an SVG against the one that is stored. One that differs is written beside it as .svg.new: look at it,
// then rename it.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname } from 'node:path';

/** @param {string} svg @param {string} path  of the golden */
export function sameAsGolden(svg, path) {
    // One element a line: a change can be read.
    const text = `${svg.replace(/></g, '>\n<')}\n`;
    const known = existsSync(path) ? readFileSync(path, 'utf8') : null;
    if (text === known) {
        rmSync(`${path}.new`, { force: true });
        return;
    }
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(`${path}.new`, text);
    assert.fail(`${path} ${known === null ? 'is missing' : 'differs'}; see ${basename(path)}.new`);
}
