// What an idle interval offers can be done: the rank's next F, moved to where it is offered, begins there, the step takes no
// longer, and the rank then holds what was said.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadEngine } from '../../web/engine/index.js';
import { nameOf } from '../../web/figure/order-words.js';
import { heldAt } from '../../web/scene/memory.js';

const engine = await loadEngine();

test('an F that could begin earlier is begun there by one move, in every schedule that offers it', () => {
    const offering = new Set();
    for (const { name, trains } of engine.schedules)
        for (const [ranks, microbatches] of [
            [2, 4],
            [4, 8],
            [4, 12],
        ])
            for (const costs of [{}, { forward: 1.5, backward: 2.5 }, { latency: 0.5 }]) {
                const request = { schedule: name, ranks, microbatches, ...costs };
                /** @type {any} */
                let step;
                try {
                    step = engine.simulate(request);
                } catch {
                    continue; // a schedule for other sizes
                }
                const { idle, actions, summary } = step;
                for (let j = 0; j < idle.count; j++) {
                    const f = idle.early[j];
                    if (f < 0) continue;
                    const what = `${JSON.stringify(request)}: interval ${j}`;
                    assert.ok(trains, what);
                    offering.add(name);
                    const moved = engine.simulate({
                        ...request,
                        moves: `${nameOf(step, f)}${idle.before[j] - f}`,
                    });
                    const at = idle.before[j];
                    assert.equal(moved.actions.op[at], 0, what);
                    assert.equal(moved.actions.microbatch[at], actions.microbatch[f], what);
                    assert.ok(moved.actions.start[at] <= idle.start[j] + 1e-9, what);
                    assert.ok(moved.summary.makespan <= summary.makespan + 1e-9, what);
                    const held = moved.held()[idle.rank[j]];
                    assert.equal(heldAt(held, moved.actions.start[at]), idle.held[j], what);
                }
            }
    assert.ok(offering.has('1f1b') && !offering.has('gpipe') && !offering.has('forward'), [...offering].join(' '));
});
