// zb-auto on steps whose best makespan is known from elsewhere: how far above it, how long it takes, how many it knows to be
// the best.
import { loadEngine } from '../../web/engine/index.js';
import { instances } from '../schedules/optimum.mjs';

const engine = await loadEngine();
/** @type {Map<string, { gap: number, bound: number, time: number, known: boolean }[]>} */
const sets = new Map();
for (const { set, makespan, request } of instances()) {
    const start = performance.now();
    const { summary } = engine.simulate(request);
    const time = performance.now() - start;
    const gap = summary.makespan / makespan - 1;
    const bound = 1 - summary.lower_bound / makespan;
    sets.set(set, [...(sets.get(set) ?? []), { gap, bound, time, known: summary.lower_bound === summary.makespan }]);
}
const percent = (/** @type {number} */ value) => `${(100 * value).toFixed(2)} %`.padStart(10);
console.log('zb-auto beside proved optima (tests/golden/optimum)');
console.log('  set                 steps  gap, mean       most  bound below   known best   ms, most');
for (const [set, rows] of [...sets, /** @type {const} */ (['all', [...sets.values()].flat()])]) {
    const mean = (/** @type {number[]} */ list) => list.reduce((a, b) => a + b, 0) / list.length;
    const gaps = rows.map((row) => row.gap);
    console.log(
        `  ${set.padEnd(20)}${String(rows.length).padStart(4)} ${percent(mean(gaps))} ${percent(Math.max(...gaps))}`,
        ` ${percent(mean(rows.map((row) => row.bound)))} ${String(rows.filter((row) => row.known).length).padStart(12)}`,
        `${Math.max(...rows.map((row) => row.time))
            .toFixed(0)
            .padStart(9)}`,
    );
}
