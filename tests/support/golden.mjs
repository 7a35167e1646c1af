// The golden data of the peers, tests/golden/peers: what their own generators made; README.md there says where it is from and
// how it is written.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const goldenFolder = fileURLToPath(new URL('../golden/peers/', import.meta.url));

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

/** What an operation costs in the orders of the peers. @type {Record<string, number>} */
const COSTS = { F: 1, B: 2, I: 1, W: 1, R: 1 };

/** @typedef {{ device: number, index: number, op: string, stage: number, microbatch: number, start: number, end: number }} Operation */

/** The operations of a line, which is a rank. @param {string} line @param {number} device @returns {Operation[]} */
function operationsOf(line, device) {
    /** @type {Operation[]} */
    const operations = [];
    let at = 0;
    let index = 0;
    for (const cell of line.split(' ')) {
        if (cell.startsWith('.')) {
            at += Number(cell.slice(1));
            continue;
        }
        const slot = cell.split('&').map((word) => {
            const [, stage, op, microbatch] = /^(\d+)([FBIWR])(\d+)(?:\/\d+)?$/.exec(word) ?? [];
            if (!op) throw new Error(`tests/golden/peers: ${cell} is no operation`);
            return { device, index, op, stage: Number(stage), microbatch: Number(microbatch) };
        });
        const end = at + slot.reduce((sum, { op }) => sum + COSTS[op], 0);
        operations.push(...slot.map((operation) => ({ ...operation, start: at, end })));
        at = end;
        index++;
    }
    return operations;
}

/** @type {Map<string, Map<string, string[]>>} lines of the orders by generator and name */
const orders = new Map();

/** Operations of an order, rank by rank. @param {string} file  as manifest.csv names it: orders/GENERATOR/NAME.csv */
export function goldenOrder(file) {
    const [, generator, name] = /^orders\/([\w-]+)\/(.*)\.csv$/.exec(file) ?? [];
    let byName = orders.get(generator);
    if (!byName) {
        const [, ...parts] = `\n${readFileSync(`${goldenFolder}orders/${generator}.txt`, 'utf8')}`.split('\n== ');
        byName = new Map(
            parts.map((part) => {
                const [title, ...lines] = part.trimEnd().split('\n');
                return [title, lines];
            }),
        );
        orders.set(generator, byName);
    }
    const lines = byName.get(name);
    if (!lines) throw new Error(`tests/golden/peers has no order ${file}`);
    return lines.flatMap(operationsOf);
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
