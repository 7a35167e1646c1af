// The golden data lies beside the project, not in it: a user's clone has none. Tests that need it say so loudly.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const goldenFolder = fileURLToPath(new URL('../../../shared/reference/golden/', import.meta.url));

/** false where the data is there, else the reason to skip, said once on stderr. */
export const goldenMissing = existsSync(goldenFolder) ? false : `no golden data at ${goldenFolder}`;
if (goldenMissing) console.error(`\n*** ${goldenMissing}: the tests against published orders are SKIPPED ***\n`);

/** Rows of a CSV file as objects; fields may be quoted. @param {string} file @returns {Record<string, string>[]} */
export function goldenRows(file) {
    const lines = readFileSync(goldenFolder + file, 'utf8')
        .trim()
        .split(/\r?\n/);
    const cells = (/** @type {string} */ line) =>
        [...line.matchAll(/(?:^|,)(?:"([^"]*)"|([^,]*))/g)].map(([, quoted, plain]) => quoted ?? plain);
    const names = cells(lines[0]);
    return lines.slice(1).map((line) => {
        const values = cells(line);
        return Object.fromEntries(names.map((name, i) => [name, values[i]]));
    });
}

/** Options of the engine for a row of manifest.csv, by mapping.csv; null where mapping.csv says skip. */
export function goldenRequest(/** @type {Record<string, string>} */ row, /** @type {Record<string, string>} */ map) {
    const params = Object.fromEntries(
        (row.params ?? '')
            .split(/[ ;]/)
            .filter(Boolean)
            .map((pair) => pair.split('=')),
    );
    /** @type {Record<string, string>} */
    const options = { schedule: map.name, ranks: row.p, microbatches: row.m, chunks: row.v };
    const words = map.options
        .replace(/\{(\w+)\}/g, (_, key) => params[key])
        .split(' ')
        .filter(Boolean);
    for (let i = 0; i < words.length; i += 2) {
        const name = words[i].replace(/^-+/, '');
        options[name === 'v' ? 'chunks' : name] = words[i + 1];
    }
    return options;
}
