// The layout: every cell once, nothing overlapping, nothing clipped, rows tiled from 0 to the makespan, and pointing.
import assert from 'node:assert/strict';
import test from 'node:test';
import { messages, neighbours } from '../../web/engine/relations.js';
import { tickStep } from '../../web/scene/axis.js';
import { timeToX, xToTime } from '../../web/scene/geometry.js';
import { cellText } from '../../web/scene/labels.js';
import { legendEntries } from '../../web/scene/legend.js';
import { criticalPathShapes, microbatchShapes, selectionShapes } from '../../web/scene/overlays.js';
import { allBusy } from '../../web/scene/phases.js';
import { hitTest } from '../../web/scene/pointing.js';
import { buildScene } from '../../web/scene/scene.js';
import { textWidth } from '../../web/scene/shapes.js';
import { boxesOf, engine, find, settings, walk } from '../support/scenes.mjs';

const OPS = ['F', 'B', 'I', 'W', 'R'];
const near = (a, b, within = 0.02) => Math.abs(a - b) <= within;

const cases = settings.map(([name, request, options]) => {
    const simulation = engine.simulate(request);
    return { name, simulation, options, scene: buildScene(simulation, options) };
});

for (const { name, simulation, options, scene } of cases) {
    const { actions, idle, summary, perRank } = simulation;
    const { cells, idleCells, plot, rows } = scene;

    test(`${name}: every action is drawn once, inside its own time`, () => {
        const drawn = OPS.map((letter) => find(scene, 'pf-cell', `pf-${letter}`).flatMap((shape) => boxesOf(shape.d)));
        for (let op = 0; op < OPS.length; op++) {
            const own = [...actions.op.keys()].filter((i) => actions.op[i] === op);
            assert.equal(drawn[op].length, own.length, OPS[op]);
            const left = new Set(drawn[op]);
            for (const i of own) {
                const box = [...left].find(
                    ({ x0, x1, y0, y1 }) =>
                        x0 >= cells.x[i] - 0.02 &&
                        x1 <= cells.x[i] + cells.w[i] + 0.02 &&
                        y0 >= cells.y[i] - 0.02 &&
                        y1 <= cells.y[i] + cells.h[i] + 0.02,
                );
                assert.ok(box, `action ${i}`);
                assert.ok(box.x1 - box.x0 >= cells.w[i] - 2.52, `action ${i} has its width`);
                left.delete(box);
            }
        }
    });

    test(`${name}: cells and idle intervals tile each row from 0 to the makespan`, () => {
        for (let rank = 0; rank < perRank.length; rank++) {
            const row = [];
            for (let i = rows.begin[rank]; i < rows.begin[rank + 1]; i++) row.push([cells.x[i], cells.w[i]]);
            for (let j = rows.idleBegin[rank]; j < rows.idleBegin[rank + 1]; j++) {
                row.push([idleCells.x[j], idleCells.w[j]]);
                assert.equal(idle.rank[j], rank);
            }
            row.sort((a, b) => a[0] - b[0]);
            let x = plot.left;
            for (const [from, width] of row) {
                assert.ok(near(from, x, 1e-6), `rank ${rank}: ${from} follows ${x}`);
                x = from + width;
            }
            assert.ok(near(x, timeToX(scene, plot.origin + summary.makespan), 1e-6));
        }
        const hatched = find(scene, 'pf-idle').concat(find(scene, 'pf-idle-wire'));
        assert.equal(hatched.flatMap((shape) => boxesOf(shape.d)).length, idle.count);
        assert.equal(find(scene, 'pf-row').flatMap((shape) => boxesOf(shape.d)).length, perRank.length);
    });

    test(`${name}: no text is clipped, and none overlaps its neighbour`, () => {
        const lines = new Map();
        for (const shape of walk(scene.shapes)) {
            if (shape.type !== 'text') continue;
            const width = textWidth(shape.text, shape['font-size']);
            const anchor = shape['text-anchor'] ?? 'start';
            const from = shape.x - (anchor === 'middle' ? width / 2 : anchor === 'end' ? width : 0);
            assert.ok(from >= -0.5 && from + width <= scene.width + 0.5, `${shape.class} ${shape.text}`);
            assert.ok(shape.y - shape['font-size'] * 0.8 >= 0 && shape.y + 3 <= scene.height, shape.text);
            const line = lines.get(`${shape.y}`) ?? [];
            lines.set(`${shape.y}`, line.concat({ from, to: from + width, text: shape.text }));
        }
        for (const line of lines.values()) {
            line.sort((a, b) => a.from - b.from);
            for (let k = 1; k < line.length; k++) {
                assert.ok(line[k].from >= line[k - 1].to - 0.01, `"${line[k - 1].text}" and "${line[k].text}"`);
            }
        }
    });

    test(`${name}: the axis ends with the makespan, inside the picture`, () => {
        const ticks = find(scene, 'pf-tick');
        const last = ticks[ticks.length - 1];
        assert.match(last.class, /pf-tick-last/);
        assert.equal(Number(last.text.replace(',', '.')), Math.round(summary.makespan * 100) / 100);
        assert.ok(near(last.x, timeToX(scene, plot.origin + summary.makespan)));
        assert.equal(ticks[0].text, '0');
        assert.equal(boxesOf(find(scene, 'pf-axis')[0].d).length, ticks.length);
        const steps = ticks.slice(0, -1).map((tick) => Number(tick.text.replace(',', '.')));
        if (steps.length > 1) assert.match(String(steps[1]), /^0?\.?0*[125]0*$/);
        for (const tick of ticks)
            assert.ok(near(tick.x, timeToX(scene, Number(tick.text.replace(',', '.')))), tick.text);
    });

    test(`${name}: a number stands in every cell that is wide enough, and is the micro-batch counted from 1`, () => {
        const numbers = find(scene, 'pf-number');
        assert.ok(numbers.length <= 300);
        const wide = [...actions.op.keys()].filter((i) => cells.w[i] >= 18);
        if (wide.length <= 300) assert.ok(numbers.length >= wide.length);
        for (const shape of numbers) {
            const hit = hitTest(scene, shape.x, shape.y - 2);
            assert.equal(hit?.kind, 'action');
            assert.equal(shape.text, cellText(simulation, hit.index));
            assert.equal(shape.text, String(actions.microbatch[hit.index] + 1));
            // Turned, it may stand over the edges of its cell, if the neighbours have none.
            if (!shape.transform) assert.ok(textWidth(shape.text, shape['font-size']) <= cells.w[hit.index] - 2);
        }
        assert.equal(find(scene, 'pf-op').length, numbers.filter(({ class: c }) => /pf-on-[IWR]/.test(c)).length);
    });

    test(`${name}: pointing at the middle of a cell or an idle interval finds it`, () => {
        for (let i = 0; i < actions.count; i++) {
            const at = [cells.x[i] + cells.w[i] / 2, cells.y[i] + cells.h[i] / 2];
            assert.deepEqual(hitTest(scene, ...at), { kind: 'action', index: i });
            assert.deepEqual(hitTest(scene, cells.x[i] + 1e-6, cells.y[i]), { kind: 'action', index: i });
        }
        for (let j = 0; j < idle.count; j++) {
            const at = [idleCells.x[j] + idleCells.w[j] / 2, idleCells.y[j] + idleCells.h[j] / 2];
            assert.deepEqual(hitTest(scene, ...at), { kind: 'idle', index: j });
        }
        assert.equal(hitTest(scene, plot.left - 1, plot.top + 5), null);
        assert.equal(hitTest(scene, plot.right + 1, plot.top + 5), null);
        assert.equal(hitTest(scene, plot.left + 5, plot.bottom + 20), null);
        assert.equal(hitTest(scene, plot.left + 5, 0), null);
    });

    test(`${name}: the same arrays give the same shapes, and stay as they were`, () => {
        const before = structuredClone(simulation);
        const again = buildScene(simulation, options);
        assert.equal(JSON.stringify(again.shapes), JSON.stringify(scene.shapes));
        for (let i = 0; i < actions.count; i++) {
            selectionShapes(scene, simulation, { kind: 'action', index: i });
        }
        assert.deepEqual({ ...simulation }, before);
    });

    test(`${name}: numbers have at most two decimals, and ids are the figure's own`, () => {
        const other = buildScene(simulation, { ...options, idPrefix: 'other' });
        const ids = new Set([...walk(scene.shapes)].flatMap((shape) => shape.id ?? []));
        for (const shape of walk(scene.shapes)) {
            assert.doesNotMatch(JSON.stringify(shape), /\d\.\d{3}|NaN|Infinity|null/);
            const used = /url\(#(.*?)\)/.exec(shape.fill ?? '')?.[1];
            if (used) assert.ok(ids.has(used), used);
            assert.ok(!('style' in shape));
        }
        for (const shape of walk(other.shapes)) assert.ok(!ids.has(shape.id), shape.id);
    });

    test(`${name}: a selection shows the cell, what it waits for and what waits for it`, () => {
        for (let i = 0; i < actions.count; i++) {
            const { waitsFor, awaitedBy, previous } = neighbours(simulation, i);
            for (const j of waitsFor) assert.ok(neighbours(simulation, j).awaitedBy.includes(i));
            for (const j of awaitedBy) assert.deepEqual(neighbours(simulation, j).waitsFor, [i]);
            if (previous >= 0) assert.ok(actions.finish[previous] <= actions.start[i]);
            else assert.equal(actions.index[i], 0);
            const shapes = selectionShapes(scene, simulation, { kind: 'action', index: i });
            const named = (n) => shapes.filter((shape) => shape.class === n).length;
            assert.equal(named('pf-selected'), 1);
            assert.equal(named('pf-awaited'), waitsFor.length);
            assert.equal(named('pf-awaiting'), awaitedBy.length);
            assert.equal(named('pf-arrow'), waitsFor.length + awaitedBy.length);
            assert.doesNotMatch(JSON.stringify(shapes), /NaN|\d\.\d{3}/);
        }
        for (let j = 0; j < idle.count; j++) {
            const shapes = selectionShapes(scene, simulation, { kind: 'idle', index: j });
            assert.equal(shapes.filter((shape) => shape.class === 'pf-selected').length, 1);
        }
        assert.deepEqual(selectionShapes(scene, simulation, null), []);
        assert.ok(criticalPathShapes(scene, simulation).length >= simulation.criticalPath.length);
    });
}

const byName = (name) => cases.find((each) => each.name === name);

test('brackets are true: all at work where all are, the cadence where stages are unequal, else nothing of the kind', () => {
    const names = (name) => find(byName(name).scene, 'pf-phase-name').map((shape) => shape.text.replace(/\s/g, ' '));
    assert.deepEqual(names('forward-p3-m4.ru').sort(), ['заняты все', 'заполнение', 'опустошение']);
    assert.deepEqual(names('forward-p4-m2.en'), ['never all at work']);
    assert.deepEqual(names('uneven-p4-m8.ru'), ['темп: микробатч за 2 такта']);
    assert.deepEqual(names('forward-p1-m5.ru'), []);
    assert.deepEqual(names('naive-p3-m2.en'), []);
    const { scene } = byName('forward-p3-m4.ru');
    const brackets = boxesOf(find(scene, 'pf-phase')[0].d);
    const at = [0, 2, 4, 6].map((time) => timeToX(scene, time));
    brackets.forEach((box, k) => {
        assert.ok(near(box.x0, at[k], 1.01) && near(box.x1, at[k + 1], 1.01));
    });
    assert.equal(brackets.length, 3);
    // Of 1F1B tick by tick: 1234112233444444444444443332221 11 devices at work.
    assert.deepEqual(allBusy(engine.simulate({ schedule: '1f1b', ranks: 4, microbatches: 8 })), [
        { from: 3, to: 4 },
        { from: 10, to: 24 },
    ]);
    assert.deepEqual(allBusy(engine.simulate({ schedule: '1f1b', ranks: 4, microbatches: 8, latency: 1 })), []);
});

test('all at work: the brackets against counting the devices, tick by tick, for every schedule', () => {
    for (const { name } of engine.schedules) {
        const simulation = engine.simulate({ schedule: name, ranks: 4, microbatches: 8 });
        const { actions, summary } = simulation;
        const zero = Math.min(...actions.start);
        const parts = allBusy(simulation);
        for (let t = 0.25; t < summary.makespan; t += 0.5) {
            const busy = new Set();
            for (let i = 0; i < actions.count; i++)
                if (actions.start[i] - zero <= t && actions.finish[i] - zero > t) busy.add(actions.rank[i]);
            const inside = parts.some(({ from, to }) => from <= t && t < to);
            assert.equal(inside, busy.size === 4, `${name} at ${t}`);
        }
    }
});

test('idle time is divided at ticks, so that the empty cells can be counted', () => {
    const { scene } = byName('forward-p3-m4.ru');
    const [ticks] = find(scene, 'pf-idle-tick');
    assert.equal(
        ticks.d.match(/M/g).length,
        2,
        '0 to 2 and 4 to 6 are two ticks each; the middle device waits one tick twice',
    );
    assert.equal(find(scene, 'pf-axis-name')[0].text, 'такты');
});

test('forwards without numbers never stand beside numbered backwards', () => {
    for (const schedule of ['1f1b', 'gpipe', 'interleaved', 'zb-h1'])
        for (const [ranks, microbatches] of [
            [4, 8],
            [8, 16],
            [16, 32],
        ])
            for (const width of [360, 760, 1200]) {
                const simulation = engine.simulate({ schedule, ranks, microbatches, 'costs-of': 'device' });
                const scene = buildScene(simulation, { width, minCell: width < 480 ? 14 : 0 });
                const on = new Set(find(scene, 'pf-number').map((shape) => /pf-on-(\w)/.exec(shape.class)[1]));
                const kinds = new Set([...simulation.actions.op].map((op) => 'FBIWR'[op]));
                assert.ok(
                    on.size === 0 || on.size === kinds.size,
                    `${schedule} ${ranks} ${microbatches} ${width}: ${[...on]}`,
                );
            }
});

test('messages: one stroke each without latency, a line from the end of the work to the arrival with it', () => {
    for (const [name, count] of [
        ['forward-p3-m4.ru', 8],
        ['gpipe-p4-m8.en', 48],
        ['forward-p1-m5.ru', 0],
    ]) {
        const { scene, simulation } = byName(name);
        const { transfers_forward: forward, transfers_backward: backward } = simulation.summary;
        assert.equal(messages(simulation).length, count);
        assert.equal(forward + backward, count);
        assert.equal(find(scene, 'pf-message').flatMap((shape) => boxesOf(shape.d)).length, count);
    }
    const { scene, simulation } = byName('1f1b-p4-m8-c1.ru');
    const lines = find(scene, 'pf-message-bar').flatMap((shape) => boxesOf(shape.d));
    const sent = messages(simulation);
    assert.equal(lines.length, sent.length);
    for (const [k, { from, to, arrived }] of sent.entries()) {
        assert.equal(arrived, simulation.actions.finish[from] + 1);
        assert.ok(arrived <= simulation.actions.start[to]);
        assert.ok(near(lines[k].x0, timeToX(scene, simulation.actions.finish[from])));
        assert.ok(near(lines[k].x1, timeToX(scene, arrived)));
    }
    const looped = byName('interleaved-p4-m8-v2.ru');
    assert.ok(
        find(looped.scene, 'pf-message').flatMap((s) => boxesOf(s.d)).length > messages(looped.simulation).length,
    );
    // From the last rank to the first and back a message leaves at one edge and comes in at the other, half the way each.
    const slow = byName('interleaved-p3-m3-v3-c05.en');
    const wrapping = messages(slow.simulation).filter(
        ({ from, to }) => Math.abs(slow.simulation.actions.rank[from] - slow.simulation.actions.rank[to]) === 2,
    );
    assert.ok(wrapping.length > 0);
    const pieces = find(slow.scene, 'pf-message-bar').flatMap((shape) => boxesOf(shape.d));
    assert.equal(pieces.length, messages(slow.simulation).length + wrapping.length);
    const halves = pieces.filter(({ x0, x1 }) => near(x1 - x0, 0.25 * slow.scene.plot.scale));
    assert.equal(halves.length, 2 * wrapping.length);
    const without = buildScene(simulation, { transfers: false });
    assert.equal(find(without, 'pf-message-bar').length, 0);
});

test('in every way of transferring, a message arrives before it is used and is as long as its latency', () => {
    for (const transfer of ['overlap', 'sender', 'rendezvous']) {
        const simulation = engine.simulate({
            schedule: '1f1b',
            ranks: 4,
            microbatches: 8,
            latency: '0.5 1 2 1',
            transfer,
        });
        const { start, finish } = simulation.actions;
        for (const { from, to, sent, arrived } of messages(simulation)) {
            assert.ok(sent >= finish[from] && arrived <= start[to] + 1e-9, `${transfer} ${from} ${to}`);
        }
    }
});

test('the stages of one device differ by tone and by a bar that grows', () => {
    const { scene, simulation } = byName('interleaved-p3-m3-v3-c05.en');
    const { actions } = simulation;
    const bars = find(scene, 'pf-chunk').flatMap((shape) => boxesOf(shape.d));
    const later = [...actions.stage.keys()].filter((i) => actions.stage[i] >= 3);
    assert.equal(bars.length, later.length);
    for (const bar of bars) {
        const { index } = hitTest(scene, (bar.x0 + bar.x1) / 2, bar.y0);
        const chunk = Math.floor(actions.stage[index] / 3);
        const full = scene.cells.w[index] - 8.5;
        assert.ok(near(bar.x1 - bar.x0, (full * chunk) / 2, 0.05));
    }
    assert.ok(find(scene, 'pf-cell', 'pf-odd').length > 0);
    assert.ok(legendEntries(simulation, 'en').some(({ key }) => key === 'chunk'));
});

test('SIM-04: beside halves, the legend calls a whole backward whole', () => {
    const label = (/** @type {string} */ schedule, /** @type {string} */ lang) => {
        const simulation = engine.simulate({ schedule, ranks: 4, microbatches: 8 });
        return legendEntries(simulation, lang).find(({ key }) => key === 'B')?.label;
    };
    assert.equal(label('dualpipe', 'en'), 'backward (whole)');
    assert.equal(label('dualpipe', 'ru'), 'обратный проход (целиком)');
    assert.equal(label('1f1b', 'en'), 'backward');
    assert.equal(label('zb-h1', 'en'), undefined);
});

test('narrow boxes: short names, no clipped cell; wide charts grow beyond the box where cells must keep a width', () => {
    const { scene } = byName('forward-p3-m4-360.ru');
    assert.deepEqual(
        find(scene, 'pf-rank').map((shape) => shape.text),
        ['У1', 'У2', 'У3'],
    );
    assert.ok(scene.width <= 328);
    const wide = byName('1f1b-p4-m8-360.en').scene;
    assert.ok(wide.width > 328);
    assert.ok(Math.min(...wide.cells.w) >= 14);
    const tiny = engine.simulate({ ranks: 2, microbatches: 500, forward: '0.001 3' });
    assert.ok(buildScene(tiny, { width: 360, minCell: 14 }).width <= 6000);
});

test('two charts on one axis have the same scale', () => {
    const one = engine.simulate({ schedule: '1f1b', ranks: 4, microbatches: 8 });
    const two = engine.simulate({ schedule: 'gpipe', ranks: 4, microbatches: 8, latency: 1 });
    const span = Math.max(one.summary.makespan, two.summary.makespan);
    const [a, b] = [one, two].map((simulation) => buildScene(simulation, { span, lang: 'en' }));
    assert.equal(a.plot.scale, b.plot.scale);
    assert.equal(timeToX(a, 33), timeToX(b, 33));
    assert.ok(near(xToTime(a, timeToX(a, 7)), 7, 1e-9));
    const end = find(a, 'pf-tick-last')[0];
    assert.equal(end.text, '33');
    assert.ok(end.x < a.plot.right - 10);
});

test('what ranks do besides, of other steps: a box each, in the row, cut off where the step ends', () => {
    const simulation = engine.simulate({ schedule: 'pipedream', ranks: 2, microbatches: 2 });
    const { makespan } = simulation.summary;
    const other = { rank: [0, 1, 1, 0], start: [-1, 0.25, makespan - 1, -3], finish: [0.5, 0.5, makespan + 1, -2] };
    const scene = buildScene(simulation, { others: [other] });
    const [shape, ...more] = find(scene, 'pf-other');
    const found = boxesOf(shape.d);
    assert.deepEqual([found.length, more.length], [3, 0]);
    for (const [i, { x0, x1, y0, y1 }] of found.entries()) {
        const [from, to] = [Math.max(other.start[i], 0), Math.min(other.finish[i], makespan)];
        assert.ok(x0 >= timeToX(scene, from) - 0.02 && x1 <= timeToX(scene, to) + 0.02 && x1 > x0, `${x0} ${x1}`);
        const top = scene.plot.top + other.rank[i] * scene.rows.pitch;
        assert.ok(y0 >= top && y1 <= top + scene.rows.height);
    }
    assert.equal(find(buildScene(simulation), 'pf-other').length, 0);
});

test('halves of a shared slot lie above each other, and pointing tells them apart', () => {
    const simulation = engine.simulate({ schedule: '1f1b', ranks: 1, microbatches: 2 });
    const { actions } = simulation;
    // F0, then B0 together with F1, then B1.
    actions.op.set([0, 1, 0, 1]);
    actions.microbatch.set([0, 0, 1, 1]);
    actions.index.set([0, 1, 1, 2]);
    actions.start.set([0, 1, 1, 4]);
    actions.finish.set([1, 4, 4, 6]);
    const scene = buildScene(simulation);
    const { x, y, w, h } = scene.cells;
    assert.ok(y[2] < y[1] && h[1] === h[2] && y[2] + h[2] <= y[1] && y[1] + h[1] <= y[0] + h[0] + 1e-9);
    for (const i of [0, 1, 2, 3]) {
        assert.deepEqual(hitTest(scene, x[i] + w[i] / 2, y[i] + h[i] / 2), { kind: 'action', index: i });
    }
    assert.equal(neighbours(simulation, 2).previous, 0);
    assert.equal(neighbours(simulation, 3).previous, 2);
});

test('following one micro-batch shows each of its actions once', () => {
    const { scene, simulation } = byName('1f1b-p4-m8.ru');
    const shapes = microbatchShapes(scene, simulation, 2);
    assert.equal(shapes.filter((shape) => shape.class === 'pf-followed').length, 8);
    assert.equal(shapes.filter((shape) => shape.class === 'pf-trail').length, 6);
});

test('the steps of the axis are 1, 2 or 5 times a power of ten', () => {
    for (const scale of [0.013, 0.4, 3, 7, 21, 90, 4000]) {
        const step = tickStep(scale, 40);
        assert.ok(step * scale >= 40 * (1 - 1e-9) && step * scale <= 100.1, `${scale}`);
        assert.match(step.toExponential(), /^[125]e/);
    }
});

/** A simulation that counts how often entries of its columns are read. @param {any} simulation */
function counted(simulation) {
    const seen = { reads: 0 };
    const column = (/** @type {any} */ values) =>
        new Proxy(values, {
            get(target, key) {
                const value = target[key];
                if (typeof key === 'string' && /^\d+$/.test(key)) seen.reads++;
                return typeof value === 'function' ? value.bind(target) : value;
            },
        });
    const columns = (/** @type {any} */ table) =>
        Object.fromEntries(
            Object.keys(table).map((name) => [
                name,
                ArrayBuffer.isView(table[name]) ? column(table[name]) : table[name],
            ]),
        );
    const { actions, idle } = simulation;
    return { seen, simulation: { ...simulation, actions: columns(actions), idle: columns(idle) } };
}

test('16 384 actions: few nodes, at most 300 numbers, and each action is looked at a few times', (t) => {
    const simulation = engine.simulate({ schedule: '1f1b', ranks: 32, microbatches: 256 });
    assert.equal(simulation.actions.count, 16384);
    for (const [width, minCell] of [
        [1200, 0],
        [360, 14],
    ]) {
        const began = performance.now();
        const scene = buildScene(simulation, { width, minCell });
        t.diagnostic(`${width} px wide: ${(performance.now() - began).toFixed(1)} ms`);
        const nodes = [...walk(scene.shapes)].length;
        assert.ok(nodes < 800, `${nodes} nodes`);
        assert.ok(find(scene, 'pf-number').length <= 300);
        const { seen, simulation: watched } = counted(simulation);
        buildScene(watched, { width, minCell });
        // About 25 times each; work that grows faster than the chart would read them thousands of times.
        assert.ok(seen.reads > 10 * 16384 && seen.reads < 28 * 16384, `${seen.reads} reads`);
        const cells = find(scene, 'pf-cell').flatMap((shape) => boxesOf(shape.d));
        assert.equal(cells.length, 16384);
        assert.ok(hitTest(scene, scene.plot.left + 1, scene.plot.top + 1)?.kind === 'action');
    }
});

test('costs of nothing, fractions and hundreds of ranks do not break the picture', () => {
    for (const request of [
        { forward: '0 1 0' },
        { forward: 0 },
        { schedule: '1f1b', ranks: 3, microbatches: 3, forward: 0.1, backward: 0.30000000000000004 },
        { ranks: 300, microbatches: 2 },
        { ranks: 2, microbatches: 3000 },
        { forward: 1e9 },
        { forward: 1e-6 },
    ]) {
        const simulation = engine.simulate(request);
        const scene = buildScene(simulation, { lang: 'en' });
        const text = JSON.stringify(scene.shapes);
        assert.doesNotMatch(text, /NaN|Infinity|null|e[+-]\d/, JSON.stringify(request));
        assert.ok([...walk(scene.shapes)].length < 1000, JSON.stringify(request));
        assert.ok(scene.width <= 760 && scene.height < 4000, JSON.stringify(request));
    }
});
