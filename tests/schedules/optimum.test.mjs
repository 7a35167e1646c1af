// zb-auto against proved optima: how far its makespan is above the best possible one, and whether it knows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadEngine } from '../../web/engine/index.js';
import { instances } from './optimum.mjs';

const engine = await loadEngine();

test('instances.csv: within 0.1 % of the best on average, no step above 2 %, and no bound above the best', (t) => {
    const all = instances();
    assert.equal(all.length, 64);
    let sum = 0;
    let known = 0;
    for (const { set, id, makespan, request } of all) {
        const { summary } = engine.simulate(request);
        const gap = summary.makespan / makespan - 1;
        const what = `${set} ${id}: ${summary.makespan}, best ${makespan}`;
        assert.ok(gap >= 0, what);
        assert.ok(gap <= 0.02, what);
        assert.ok(summary.lower_bound <= makespan, `${what}, bound ${summary.lower_bound}`);
        sum += gap;
        known += summary.lower_bound === summary.makespan ? 1 : 0;
    }
    assert.ok(sum / all.length <= 0.001, `on average ${sum / all.length}`);
    assert.ok(known >= 48, `${known} known to be the best`);
    t.diagnostic(
        `on average ${(100 * sum) / all.length} % above the best; ${known} of ${all.length} known to be the best`,
    );
});
