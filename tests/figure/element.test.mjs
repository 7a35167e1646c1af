// The parts of the element that need no page: the request, the order of the cells, curves and regions, when the toy
// network works. And that importing the package where there is no page does nothing.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { COST_ROW } from '../../web/engine/costs.js';
import { TrainingLoop } from '../../web/engine/training-loop.js';
import { listOf, listWith, OPTIONS, propertyOf, sameRequest, withSchedule } from '../../web/request/state.js';
import { cellAfterKey, rowsOf, sameCell, spanOf } from '../../web/scene/cells.js';
import { Curve, curvePath, frameOf, gridPoints, regionPixels, roundUp } from '../../web/scene/training-plot.js';
import { textOf } from '../../web/words/strings.js';
import { engine } from '../support/scenes.mjs';

// ---- the request ----

test('the attributes are the options of the core, in its order', () => {
    assert.deepEqual(
        OPTIONS,
        engine.options.map(({ name }) => name),
    );
    for (const option of engine.options) assert.equal(option.name in COST_ROW, option.kind === 'L', option.name);
    const { costs } = engine.simulate({});
    for (const row of Object.values(COST_ROW)) assert.ok(costs[row], row);
    assert.equal(propertyOf('backward-order'), 'backwardOrder');
    assert.equal(new Set(OPTIONS.map(propertyOf)).size, OPTIONS.length);
});

test('what the controls may show has a name in both languages', () => {
    for (const lang of ['ru', 'en']) {
        for (const { name, kind, names } of engine.options) {
            if (name === 'schedule' || kind !== 'E') continue;
            assert.match(textOf(lang, `label_${name}`), /\S/);
            for (const value of names) assert.match(textOf(lang, `value_${value}`), /\S/);
        }
        const data = engine.trainingOptions.find(({ name }) => name === 'data');
        for (const name of data?.names ?? []) assert.match(textOf(lang, `data_${name}`), /\S/);
    }
});

test('another schedule takes what it knows; the rest waits and comes back', () => {
    const schedule = (/** @type {string} */ name) =>
        /** @type {any} */ (engine.schedules.find((candidate) => candidate.name === name));
    const start = { schedule: 'interleaved', ranks: '4', chunks: '3', group: '4', recompute: 'late' };
    const one = withSchedule(start, {}, schedule('1f1b'));
    assert.deepEqual(one.request, { schedule: '1f1b', ranks: '4', recompute: 'late' });
    assert.deepEqual(one.aside, { chunks: '3', group: '4' });
    const forward = withSchedule(one.request, one.aside, schedule('forward'));
    assert.deepEqual(forward.request, { schedule: 'forward', ranks: '4', chunks: '3', group: '4' });
    const back = withSchedule(forward.request, forward.aside, schedule('interleaved'));
    assert.ok(sameRequest(back.request, start));
    assert.deepEqual(back.aside, {});
    // Every schedule accepts what every other leaves it.
    for (const { name: from } of engine.schedules) {
        for (const to of engine.schedules) {
            const asked = { schedule: from, ranks: '4', microbatches: '8' };
            engine.simulate(withSchedule(asked, {}, to).request);
        }
    }
});

test('lists follow the stages; one number in a list is what was typed', () => {
    assert.equal(listOf([1, 1, 2, 1], 5), '1 1 2 1 1');
    assert.equal(listOf([1, 1, 2, 1], 2), '1');
    assert.equal(listOf([0.5, 2], 3), '0.5 2 2');
    for (const typed of ['0,5', '0.5', ' 0,5 ']) {
        assert.deepEqual([...engine.simulate({ forward: listWith([1, 1, 1], 1, typed) }).costs.forward], [1, 0.5, 1]);
        const two = engine.simulate({ ranks: 2, forward: listWith([1, 1], 0, typed) });
        assert.deepEqual([...two.costs.forward], [0.5, 1]);
        assert.deepEqual([...engine.simulate({ ranks: 1, forward: listWith([1], 0, typed) }).costs.forward], [0.5]);
    }
    // Nothing is checked here: the core says what is wrong.
    for (const typed of ['', 'two', '1 2', '-1']) {
        assert.throws(
            () => engine.simulate({ forward: listWith([1, 1, 1], 1, typed) }),
            { name: 'PipelineError' },
            typed,
        );
    }
});

// ---- cells ----

test('rows hold every action and every wait once, in the order of time, without holes', () => {
    for (const request of [
        {},
        { schedule: '1f1b', ranks: 4, microbatches: 8 },
        { schedule: 'interleaved', ranks: 4, microbatches: 8, latency: 0.5 },
    ]) {
        const simulation = engine.simulate(request);
        const rows = rowsOf(simulation);
        assert.equal(rows.flat().length, simulation.actions.count + simulation.idle.count);
        for (const row of rows) {
            let at = 0;
            for (const cell of row) {
                const { start, finish } = spanOf(simulation, cell);
                assert.equal(start, at);
                at = finish;
            }
            assert.equal(at, simulation.summary.makespan);
        }
    }
});

test('keys never lead out of the chart, arrows reach every cell', () => {
    const simulation = engine.simulate({ schedule: '1f1b', ranks: 3, microbatches: 4 });
    const rows = rowsOf(simulation);
    const all = rows.flat();
    const keys = ['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'PageUp', 'PageDown'];
    const name = (/** @type {any} */ cell) => `${cell.kind} ${cell.index}`;
    const reached = new Set([name(rows[0][0])]);
    for (let grown = true; grown; ) {
        grown = false;
        for (const cell of all.filter((candidate) => reached.has(name(candidate)))) {
            for (const key of keys.slice(0, 4)) {
                const next = cellAfterKey(simulation, rows, cell, { key });
                if (next && !reached.has(name(next))) {
                    reached.add(name(next));
                    grown = true;
                }
            }
        }
    }
    assert.equal(reached.size, all.length);
    for (const cell of all) {
        for (const key of keys) {
            for (const ctrlKey of [false, true]) {
                const next = cellAfterKey(simulation, rows, cell, { key, ctrlKey });
                assert.ok(next && all.some((other) => sameCell(other, next)), key);
            }
        }
        assert.equal(cellAfterKey(simulation, rows, cell, { key: 'a' }), null);
    }
    // Up and down stay in the column of time.
    const middle = { kind: /** @type {const} */ ('action'), index: 5 };
    const { start, finish } = spanOf(simulation, middle);
    const below = spanOf(simulation, /** @type {any} */ (cellAfterKey(simulation, rows, middle, { key: 'ArrowDown' })));
    assert.ok(below.start <= (start + finish) / 2 && below.finish >= (start + finish) / 2);
});

// ---- training ----

test('a curve keeps its ends and a bounded number of points, however long it grows', () => {
    const curve = new Curve(64);
    for (let step = 1; step <= 10_000; step++) curve.add(step, 1 / step);
    assert.ok(curve.points.length < 64);
    assert.equal(curve.last?.x, 10_000);
    curve.add(10_001, Number.NaN);
    assert.equal(curve.last?.x, 10_000, 'what is not a number is not drawn');
    const path = curvePath(curve, { width: 100, height: 50, xMax: 10_000, yMax: 1 });
    assert.match(path, /^M[\d. L]+$/);
    assert.match(path, /L100\.0 50\.0$/);
    assert.equal(curvePath(new Curve(), { width: 1, height: 1, xMax: 1, yMax: 1 }), '');
    assert.deepEqual([0.03, 0.7, 1, 1.1, 5, 730].map(roundUp), [0.05, 1, 1, 2, 5, 1000]);
});

test('regions: a square around the points, cells from the upper left, the surer the stronger', () => {
    const frame = frameOf([0, 0, 9, 9, 10, 5, 9, 9], 4);
    assert.ok(frame.size >= 10 && frame.left < 0 && frame.top > 5);
    const points = gridPoints(frame, 2, 4);
    assert.equal(points.length, 16);
    assert.ok(points[0] < points[4] && points[1] > points[9]);
    assert.deepEqual([points[2], points[3]], [0, 0]);
    const pixels = new Uint8ClampedArray(8);
    regionPixels(
        Float32Array.from([0.9, 0.1, 0.45, 0.55]),
        2,
        [
            [1, 2, 3],
            [4, 5, 6],
        ],
        pixels,
    );
    assert.deepEqual([...pixels.slice(0, 3), ...pixels.slice(4, 7)], [1, 2, 3, 4, 5, 6]);
    assert.ok(pixels[3] > pixels[7]);
});

test('one action at a time, then the end of the step; whole steps within a slice; a pause is a pause', async (t) => {
    /** @type {((now: number) => void) | null} */
    let frame = null;
    Object.assign(globalThis, {
        requestAnimationFrame: (/** @type {any} */ callback) => {
            frame = callback;
            return 1;
        },
        cancelAnimationFrame: () => {
            frame = null;
        },
    });
    const training = engine.train({ schedule: '1f1b', ranks: 2, microbatches: 2, data: 'xor', batch: 8 });
    try {
        /** @type {{ action: number, records: any[] }[]} */
        const news = [];
        const loop = new TrainingLoop(training, (report) => news.push(report));
        const { count } = training.simulation.actions;
        for (let i = 0; i <= count; i++) loop.advance();
        assert.equal(new Set(news.slice(0, count).map(({ action }) => action)).size, count, 'each action once');
        assert.deepEqual(
            news.slice(0, count).flatMap(({ records }) => records),
            [],
        );
        assert.equal(news[count].records[0].step, 1);
        assert.equal(news[count].records[0].gradient_difference, 0);
        // In simulated time, actions do not start before those performed earlier.
        const starts = news.slice(0, count).map(({ action }) => training.simulation.actions.start[action]);
        assert.deepEqual(
            starts,
            [...starts].sort((a, b) => a - b),
        );

        news.length = 0;
        loop.start();
        // By a clock on which each look takes 1 ms: a slice of 8 ms has 8 steps, whatever the machine does.
        let clock = 0;
        const { mock } = t.mock.method(performance, 'now', () => ++clock);
        /** @type {any} */ (frame)(0);
        mock.restore();
        assert.equal(news[0].records.length, 8);
        assert.ok(news[0].action >= 0, 'it stops inside a step, so that a cell can be lit');
        const steps = news[0].records.at(-1).step;
        loop.pause();
        assert.equal(frame, null);
        assert.equal(loop.running, false);
        // The half-done step is finished, not begun again.
        loop.lit = false;
        loop.start();
        /** @type {any} */ (frame)(1);
        assert.equal(news[1].records[0].step, steps + 1);
        loop.pause();
    } finally {
        training.close();
    }
});

// ---- without a page ----

test('EMB-10: importing the package where there is no page looks for none, and the engine computes', () => {
    const program = `
        const { loadEngine, PipelineFigure } = await import(process.argv[1]);
        const engine = await loadEngine();
        const page = ['window', 'document', 'HTMLElement'].filter((name) => name in globalThis);
        console.log(JSON.stringify({ page, kind: typeof PipelineFigure, makespan: engine.simulate({}).summary.makespan }));`;
    const bundle = fileURLToPath(new URL('../../dist/module/index.js', import.meta.url));
    const out = execFileSync(process.execPath, ['--input-type=module', '-e', program, bundle], { encoding: 'utf8' });
    assert.deepEqual(JSON.parse(out), { page: [], kind: 'function', makespan: 6 });
});
