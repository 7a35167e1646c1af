// What explains the chart, as far as it needs no page: steps of the chapter, links, challenges, memory, running time,
// curves, comparisons.
import assert from 'node:assert/strict';
import test from 'node:test';
import { checkChallenge, parseChallenge, termText } from '../../web/figure/challenge.js';
import { hashWith, nearestLegalRequest, requestFrom, stateIn, stateText } from '../../web/request/link.js';
import { PRESETS, presetNamed, presetOf } from '../../web/request/presets.js';
import { OPTIONS, sameRequest } from '../../web/request/state.js';
import { frameOfSweep, nearestPoint, pointAfterKey, pointsOf, sweptValues } from '../../web/request/sweep.js';
import { scaledCosts } from '../../web/request/try-simulate.js';
import { busyAt, eventTimes, stepFrom } from '../../web/scene/clock.js';
import { compareText } from '../../web/scene/format.js';
import { activationSteps, heldAt, memoryScene } from '../../web/scene/memory.js';
import { buildScene } from '../../web/scene/scene.js';
import { languages, textOf } from '../../web/words/strings.js';
import { engine } from '../support/scenes.mjs';

const plain = (/** @type {string} */ text) => text.replace(/\s/g, ' ');

// ---- steps of the chapter ----

test('every step is legal, has a name in both languages, and is found again by its settings', () => {
    for (const { name, label, request, view } of PRESETS) {
        engine.simulate(request);
        assert.equal(presetNamed(name)?.name, name);
        assert.equal(presetOf({ ...request }, view ?? null)?.name, name);
        for (const lang of languages) assert.match(textOf(lang, label ?? `preset_${name}`), /\S/);
    }
    assert.equal(presetNamed('none'), undefined);
    assert.equal(presetOf({ ...PRESETS[0].request, microbatches: '5' }, null), undefined);
    // A view that explains does not lead away from a step; only the comparison is one of its own.
    assert.equal(presetOf(PRESETS[4].request, 'memory')?.name, '1f1b');
});

test('from step to step little changes', () => {
    for (const [i, { request, name }] of PRESETS.entries()) {
        if (i === 0 || name === 'gpipe') continue;
        const before = PRESETS[i - 1].request;
        // When a device fails and how often checkpoints are written is one thing.
        const failure = (/** @type {string} */ option) => /^(fail|checkpoint)-/.test(option);
        const differ = OPTIONS.filter((option) => (request[option] ?? null) !== (before[option] ?? null));
        const changed = new Set(differ.map((option) => (failure(option) ? 'failure' : option)));
        assert.ok(changed.size <= 2, `${name}: ${[...changed]}`);
    }
});

// ---- links ----

test('a state is written into a hash and read back', () => {
    const request = {
        schedule: 'interleaved',
        ranks: '4',
        microbatches: '8',
        chunks: '2',
        forward: '0,5; 1',
        latency: '1',
    };
    const text = stateText(request);
    assert.equal(text, 'interleaved;p4;m8;v2;forward=0%2C5%3B+1;latency=1');
    assert.ok(sameRequest(requestFrom(text), request));
    for (const preset of PRESETS) assert.ok(sameRequest(requestFrom(stateText(preset.request)), preset.request));
});

test('a hash is shared: by figures, and with anchors of the page', () => {
    const one = hashWith('#section', 'a', '1f1b;p4');
    assert.equal(one, '#section&pipeline.a=1f1b;p4');
    const two = hashWith(one, 'b', 'gpipe');
    assert.equal(stateIn(two, 'a'), '1f1b;p4');
    assert.equal(stateIn(two, 'b'), 'gpipe');
    assert.equal(stateIn(two, 'c'), null);
    assert.equal(stateIn('', 'a'), null);
    assert.equal(hashWith(two, 'a', 'zb-h1'), '#section&pipeline.b=gpipe&pipeline.a=zb-h1');
    assert.equal(stateIn(hashWith('', 'имя & =', 'x'), 'имя & ='), 'x');
});

test('whatever a hand wrote into a hash, the nearest legal state comes of it', () => {
    const read = (/** @type {string} */ text) => nearestLegalRequest(engine, requestFrom(text), 100_000);
    assert.deepEqual(read('1f1b;p0;m8'), { schedule: '1f1b', ranks: '1', microbatches: '8' });
    assert.deepEqual(read('interleaved;p4;m6'), { schedule: 'interleaved', ranks: '4', microbatches: '8' });
    assert.equal(read('nosuch;p4')?.ranks, '4');
    assert.deepEqual(read('gpipe;p3;latency=abc;colour=red;%E0%A4%A'), { schedule: 'gpipe', ranks: '3' });
    assert.equal(read('gpipe;p4;forward=1+2')?.forward, undefined);
    for (const text of [
        '1f1b;p4096;m1048576',
        'forward;p99999999;m99999999',
        'interleaved;v64;p256;m1000000',
        '1f1b;p16;microbatches=1,048576e6',
        '1f1b;p32;global-batch=524288;microbatch-size=1',
        ';;;',
        'x'.repeat(9999),
    ]) {
        const request = read(text);
        if (request) assert.ok(engine.simulate(request).actions.count <= 100_000, text);
    }
});

// ---- challenges ----

test('a challenge is read, and checked by the numbers of the core', () => {
    const { terms, faults } = parseChallenge('bubble<10% memory<=4; ranks>=4 time>12,5');
    assert.deepEqual(faults, []);
    assert.deepEqual(terms, [
        { name: 'bubble', sign: '<', value: 0.1 },
        { name: 'memory', sign: '<=', value: 4 },
        { name: 'ranks', sign: '>=', value: 4 },
        { name: 'time', sign: '>', value: 12.5 },
    ]);
    const holds = (/** @type {any} */ request) =>
        checkChallenge(terms, engine.simulate(request)).map((term) => term.holds);
    assert.deepEqual(holds({ schedule: 'gpipe', ranks: 4, microbatches: 8 }), [false, false, true, true]);
    assert.deepEqual(
        holds({ schedule: '1f1b', ranks: 4, microbatches: 27 }),
        [false, true, true, true],
        '3/30 is not below',
    );
    assert.deepEqual(holds({ schedule: '1f1b', ranks: 4, microbatches: 28 }), [true, true, true, true]);
    assert.deepEqual(parseChallenge('bubble<<1 pubble<1 bubble memory<x constructor<1').faults.length, 5);
    assert.deepEqual(parseChallenge(null), { terms: [], faults: [] });
});

test('conditions are said in both languages', () => {
    const simulation = engine.simulate({ schedule: 'gpipe', ranks: 4, microbatches: 8 });
    const text = (/** @type {string} */ challenge, /** @type {string} */ lang) =>
        plain(termText(checkChallenge(parseChallenge(challenge).terms, simulation)[0], lang));
    assert.equal(text('bubble<10%', 'ru'), 'доля пузыря меньше 10 %, сейчас 27,3 %');
    assert.equal(text('memory<=4', 'ru'), 'активаций на устройстве не больше 4, сейчас 8');
    assert.equal(text('utilization>=0.9', 'en'), 'utilization at least 90%, now 72.7%');
    for (const sign of ['<', '<=', '>', '>=', '=']) {
        for (const name of ['bubble', 'utilization', 'time', 'memory', 'ranks', 'microbatches']) {
            for (const lang of languages) assert.match(text(`${name}${sign}1`, lang), /1/);
        }
    }
});

// ---- memory ----

const trained = engine.schedules.filter(({ trains }) => trains);

test('the most activations of the steps is what the core says, for every schedule', () => {
    for (const { name } of trained) {
        for (const extra of [{}, { latency: 0.5 }, { recompute: 'late' }, { forward: 1.5 }]) {
            const request = { schedule: name, ranks: 4, microbatches: 8, ...extra };
            let simulation;
            try {
                simulation = engine.simulate(request);
            } catch {
                continue; // an option the schedule does not know
            }
            for (const [rank, steps] of activationSteps(simulation).entries()) {
                const most = Math.max(...steps.held);
                assert.equal(
                    most,
                    simulation.perRank[rank].peak_activations,
                    `${JSON.stringify(request)}, rank ${rank}`,
                );
                assert.equal(steps.held.at(-1), 0, `${name}: everything is freed`);
                assert.ok(
                    steps.time.every((time, i) => i === 0 || time > steps.time[i - 1]),
                    `${name}: ascending`,
                );
            }
        }
    }
});

test('what is held at a time; nothing where nothing is kept', () => {
    const [first] = activationSteps(engine.simulate({ schedule: '1f1b', ranks: 4, microbatches: 8 }));
    assert.deepEqual(
        [-1, 0, 1, 3.5, 12, 33].map((time) => heldAt(first, time)),
        [0, 1, 2, 4, 4, 0],
    );
    assert.equal(activationSteps(engine.simulate({})).length, 0);
});

test('the memory chart shares the time axis of the schedule, also where both are wider than their boxes', () => {
    const simulation = engine.simulate({ schedule: '1f1b', ranks: 4, microbatches: 8 });
    const scene = buildScene(simulation, { width: 760, lang: 'ru' });
    const memory = memoryScene(simulation, scene, 'ru');
    const [held] = memory.shapes.filter((shape) => shape.class === 'held');
    const stops = [...held.d.matchAll(/H([\d.]+)/g)].map(([, x]) => Number(x));
    assert.equal(stops[0], scene.plot.left);
    assert.ok(Math.abs(stops[stops.length - 1] - scene.plot.right) < 0.02);
    const wide = buildScene(simulation, { width: 328, lang: 'ru', minCell: 14 });
    assert.ok(wide.width > 328);
    const narrow = memoryScene(simulation, wide, 'ru');
    assert.equal(narrow.width, wide.width);
    const [last] = narrow.shapes.filter((shape) => shape.class === 'held');
    const ends = [...last.d.matchAll(/H([\d.]+)/g)].map(([, x]) => Number(x));
    assert.ok(Math.abs(ends[ends.length - 1] - wide.plot.right) < 0.02);
});

// ---- time ----

test('time goes from event to event', () => {
    const simulation = engine.simulate({ ranks: 3, microbatches: 4 });
    const times = eventTimes(simulation);
    assert.deepEqual(times, [0, 1, 2, 3, 4, 5, 6]);
    assert.equal(stepFrom(times, 0, 1), 1);
    assert.equal(stepFrom(times, 2.5, 1), 3);
    assert.equal(stepFrom(times, 2.5, -1), 2);
    assert.equal(stepFrom(times, 6, 1), 6);
    assert.equal(stepFrom(times, 0, -1), 0);
    assert.deepEqual(
        [0, 1, 2.5, 5, 6].map((time) => busyAt(simulation, time)),
        [1, 2, 3, 1, 0],
    );
});

// ---- the curve ----

test('the curve has the numbers of the core, and leaves out what it refuses', () => {
    const values = sweptValues(32, 8);
    assert.equal(values.length, 32);
    assert.ok(sweptValues(1000, 7).includes(7));
    assert.ok(sweptValues(1000, 7).length <= 65);
    const points = pointsOf(values, engine.sweep({ schedule: '1f1b', ranks: 4 }, 'microbatches', values));
    assert.deepEqual(
        points.map(({ m, value }) => Math.abs(value - m / (m + 3)) < 1e-12),
        points.map(() => true),
    );
    const some = pointsOf(values, engine.sweep({ schedule: 'interleaved', ranks: 4 }, 'microbatches', values));
    assert.ok(some.length > 4 && some.length < 32);
    assert.equal(nearestPoint(some, 7.4).m, 8);
    assert.equal(pointAfterKey(some, 8, 'ArrowLeft')?.m, some[some.findIndex(({ m }) => m === 8) - 1].m);
    assert.equal(pointAfterKey(some, 8, 'End'), some.at(-1));
    assert.equal(pointAfterKey(some, some[0].m, 'ArrowLeft'), some[0]);
    assert.equal(pointAfterKey(some, 8, 'a'), undefined);
    const frame = frameOfSweep(320, 32);
    assert.ok(Math.abs(frame.at(frame.x(8)) - 8) < 1e-9);
    assert.equal(frame.y(0), frame.bottom);
});

// ---- two schedules ----

test('two schedules of one work are told apart in words', () => {
    const of = (/** @type {any} */ more) => engine.simulate({ ranks: 4, microbatches: 8, ...more });
    const [one, two] = [of({ schedule: '1f1b' }), of({ schedule: 'gpipe' })];
    assert.equal(
        plain(compareText(one, two, 'ru')),
        'Время одинаково: 33 такта. Доля пузыря у обоих — 3/11. Наибольшее число активаций на устройстве: «1F1B» — 4, «GPipe» — 8.',
    );
    assert.match(
        plain(compareText(of({ schedule: 'zb-h1' }), one, 'en')),
        /^ZB-H1 is faster than 1F1B: 27 ticks instead of 33/,
    );
    assert.match(plain(compareText(one, of({ schedule: 'zb-h1' }), 'en')), /^ZB-H1 is faster than 1F1B/);
});

test('a network cut into other stages keeps its work', () => {
    const simulation = engine.simulate({ schedule: 'interleaved', ranks: 4, microbatches: 8, chunks: 2 });
    const request = { schedule: '1f1b', ranks: '4', microbatches: '8', ...scaledCosts(simulation, 2) };
    const other = engine.simulate(request);
    assert.equal(other.summary.busy, simulation.summary.busy);
    assert.equal(other.summary.makespan, 66);
    const uneven = engine.simulate({ schedule: '1f1b', ranks: 2, microbatches: 2, forward: '1 2' });
    assert.deepEqual(scaledCosts(uneven, 2), {});
});
