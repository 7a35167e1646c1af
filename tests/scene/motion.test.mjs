// From one step to the next, and what is drawn of a failure: times in between, rows without holes.
import assert from 'node:assert/strict';
import test from 'node:test';
import { Incident } from '../../web/figure/incident.js';
import { wholeRows } from '../../web/scene/cells.js';
import { wayBetween } from '../../web/scene/motion.js';
import { buildScene } from '../../web/scene/scene.js';
import { sceneToSvg } from '../../web/scene/svg.js';
import { engine, find } from '../support/scenes.mjs';

const step = (/** @type {object} */ request) => engine.simulate({ ranks: 4, microbatches: 8, ...request });

test('the way begins where the cells were and ends where they are, and is short of neither', () => {
    const [from, to] = [step({ schedule: 'gpipe' }), step({ schedule: '1f1b' })];
    const way = wayBetween(from, to);
    const key = (/** @type {any} */ { op, stage, microbatch }, /** @type {number} */ i) =>
        `${op[i]} ${stage[i]} ${microbatch[i]}`;
    const was = new Map(Array.from(from.actions.start, (start, i) => [key(from.actions, i), start]));
    const [first, half, last] = [way(0), way(0.5), way(1)];
    for (let i = 0; i < to.actions.count; i++) {
        const a = was.get(key(to.actions, i));
        assert.equal(first.actions.start[i], a);
        assert.equal(half.actions.start[i], (Number(a) + to.actions.start[i]) / 2);
        assert.equal(last.actions.start[i], to.actions.start[i]);
        assert.equal(last.actions.finish[i], to.actions.finish[i]);
    }
});

test('what is new grows in its place, and what has moved to another device is new', () => {
    const [from, to] = [step({ schedule: '1f1b', microbatches: 4 }), step({ schedule: '1f1b' })];
    const begun = wayBetween(from, to)(0);
    const grown = Array.from(begun.actions.finish, (finish, i) => finish - begun.actions.start[i]);
    assert.equal(grown.filter((length) => length === 0).length, 2 * 4 * 4, 'four micro-batches on four devices');
    const other = step({ schedule: 'interleaved', chunks: 2 });
    for (const share of [0, 0.3, 1]) {
        const seen = wayBetween(to, other)(share);
        assert.ok(seen.actions.finish.every((finish, i) => finish >= seen.actions.start[i]));
    }
});

test('every moment of the way can be drawn, from every schedule to every other', () => {
    const steps = engine.schedules.map(({ name }) => step({ schedule: name }));
    for (const [i, from] of steps.entries()) {
        const to = steps[(i + 1) % steps.length];
        for (const share of [0, 0.4, 0.99]) {
            const text = sceneToSvg(buildScene(wayBetween(from, to)(share), { width: 760, lang: 'en' }), {
                title: 'x',
            });
            assert.doesNotMatch(text, /NaN|Infinity|undefined/, `${from.config.schedule} to ${to.config.schedule}`);
        }
    }
});

test('a failure: the step with the spare ends when the core says, and the lost work stands in its row', () => {
    const request = {
        schedule: '1f1b',
        ranks: '4',
        microbatches: '8',
        'fail-rank': '2',
        'fail-time': '12',
        'spare-delay': '3',
    };
    const simulation = engine.simulate(request);
    const setting = /** @type {any} */ ({ engine, simulation, request, lang: 'ru', width: 760 });
    const incident = new Incident();
    const { failure, spare } = incident.of(setting);
    const policy = failure?.policies.find(({ name }) => name === 'spare');
    assert.equal(spare?.summary.makespan, simulation.summary.makespan + Number(policy?.time_lost));
    assert.equal(incident.span(setting), spare?.summary.makespan);
    assert.equal(incident.time(setting), 12);
    const chart = buildScene(simulation, { width: 760, lang: 'ru', span: incident.span(setting) });
    const drawn = /** @type {any} */ (incident.picture(setting, chart));
    const outlines =
        find(drawn, 'pf-axis')
            .at(-1)
            .d.match(/M[^M]*z/g) ?? [];
    const lost = Array.from(policy?.lost ?? []).filter((i) => simulation.actions.finish[i] <= 12);
    assert.equal(outlines.length, lost.length);
    assert.ok(lost.every((i) => simulation.actions.rank[i] === 2));
});

test('a failure that cannot be is told in words, not thrown', () => {
    const request = { schedule: '1f1b', ranks: '3', microbatches: '4', 'fail-rank': '1', 'fail-time': '1000' };
    const setting = /** @type {any} */ ({
        engine,
        simulation: engine.simulate(request),
        request,
        lang: 'en',
        width: 760,
    });
    const { failure, message } = new Incident().of(setting);
    if (failure === null) assert.match(message, /fail-time.*1000/);
    else assert.ok(failure.time <= 1000);
});

test('whole rows: idle time behind all cells, to the end of the last', () => {
    const simulation = step({ schedule: 'gpipe' });
    const { start, finish } = simulation.actions;
    const rows = wholeRows(simulation, { start, finish });
    assert.equal(rows.idle.count, 4);
    assert.ok(rows.idle.start.every((time) => time === 0) && rows.idle.finish.every((time) => time === 33));
});
