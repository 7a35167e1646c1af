// npm run bench: medians, in Node, of what a reader's browser does after each change of a control.
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { loadEngine } from '../../web/engine/index.js';

const engine = await loadEngine();
const info = JSON.parse(readFileSync(new URL('../../dist/build-info.json', import.meta.url), 'utf8'));

/** Median time of a call in milliseconds: at least 7 calls and 200 ms of them, after a few that warm up. */
function median(work) {
    for (let i = 0; i < 3; i++) work();
    const times = [];
    const begin = performance.now();
    while (times.length < 7 || performance.now() - begin < 200) {
        const start = performance.now();
        work();
        times.push(performance.now() - start);
    }
    return times.sort((a, b) => a - b)[times.length >> 1];
}

/** @param {string[]} head @param {(string | number)[][]} rows */
function table(head, rows) {
    const cells = [head, ...rows].map((row) => row.map(String));
    const widths = head.map((_, column) => Math.max(...cells.map((row) => row[column].length)));
    for (const row of cells) {
        const [first, ...rest] = row.map((text, i) => (i === 0 ? text.padEnd(widths[i]) : text.padStart(widths[i])));
        console.log(`  ${[first, ...rest].join('  ')}`);
    }
    console.log();
}

const shapes = [
    { ranks: 4, microbatches: 8 },
    { ranks: 8, microbatches: 64 },
    { ranks: 32, microbatches: 256 },
    { ranks: 64, microbatches: 1024 },
];

console.log(`${cpus()[0].model}, node ${process.versions.node}, core by ${info.compiler}\n`);

console.log('A schedule made, checked, timed, explained and copied out');
table(
    ['schedule', 'ranks', 'micro-batches', 'actions', 'ms', 'actions/ms'],
    engine.schedules.flatMap(({ name }) =>
        shapes.map((shape) => {
            const request = { schedule: name, ...shape, latency: 0.5 };
            const { count } = engine.simulate(request).actions;
            const time = median(() => engine.simulate(request));
            return [name, shape.ranks, shape.microbatches, count, time.toFixed(2), Math.round(count / time)];
        }),
    ),
);

console.log('A training step of the default network, with the unpipelined step beside it');
table(
    ['schedule', 'ranks', 'micro-batches', 'ms'],
    engine.schedules
        .filter(({ trains }) => trains)
        .map(({ name }) => {
            const run = engine.train({ schedule: name, ranks: 3, microbatches: 6 });
            return [name, 3, 6, median(() => run.step()).toFixed(3)];
        }),
);

console.log('Loading');
table(
    ['what', 'ms'],
    [['core compiled and instantiated', median(() => new WebAssembly.Instance(compile(), imports())).toFixed(2)]],
);

function compile() {
    return new WebAssembly.Module(readFileSync(new URL('../../dist/core.wasm', import.meta.url)));
}

function imports() {
    return { env: { emscripten_notify_memory_growth() {} } };
}

console.log('Sizes');
table(
    ['file', 'bytes', 'gzip'],
    Object.entries(info.sizes).map(([name, { raw, gzip }]) => [name, raw, gzip]),
);
