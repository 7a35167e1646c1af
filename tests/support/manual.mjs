// The tables of docs/embedding.md.
import { readFileSync } from 'node:fs';

const manual = readFileSync(new URL('../../docs/embedding.md', import.meta.url), 'utf8');

/** Cells of the rows of the first table of a section. @param {string} section @returns {string[][]} */
export function manualTable(section) {
    const text = manual.split(new RegExp(`^##+ ${section}\\n`, 'm'))[1]?.split(/^##+ /m)[0];
    if (!text) throw new Error(`docs/embedding.md has no section "${section}"`);
    const [table] = /(?:^\|.*\n)+/m.exec(text) ?? [];
    if (!table) throw new Error(`docs/embedding.md: no table in "${section}"`);
    return table
        .trimEnd()
        .split('\n')
        .slice(2)
        .map((row) =>
            row
                .slice(1, -1)
                .split(/(?<!\\)\|/)
                .map((cell) => cell.trim()),
        );
}

/** What the first column names. @param {string} section @returns {string[]} */
export const manualNames = (section) =>
    manualTable(section).flatMap(([names]) => [...names.matchAll(/`([^`]+)`/g)].map(([, name]) => name));
