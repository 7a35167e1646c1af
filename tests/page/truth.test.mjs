// The page, the figure, the gallery and the command line say the same, and it is true: faults that a reader of the chapter
// once met, each with the number that is right.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { PRESETS } from '../../web/request/presets.js';
import { peaksOf, simulateBeside, trySimulate } from '../../web/request/try-simulate.js';
import { describeAction, formula, headline, keyNumbers, partsText } from '../../web/scene/format.js';
import { engine } from '../support/scenes.mjs';

const root = new URL('../../', import.meta.url);
const read = (path) => readFileSync(new URL(path, root), 'utf8');
const figure = (request) => trySimulate(engine, request).simulation;
const cli = (...options) =>
    JSON.parse(
        execFileSync(process.execPath, ['web/cli.js', 'simulate', ...options, '--format', 'json'], {
            cwd: root,
            encoding: 'utf8',
        }),
    );
const SHAPE = { ranks: '4', microbatches: '8' };

test('a device does the same work however many stages it has', () => {
    const request = PRESETS.find(({ name }) => name === 'interleaved').request;
    const simulation = figure(request);
    assert.equal(simulation.summary.makespan, 28.5);
    const said = partsText(headline(simulation, 'ru', simulateBeside(engine, request, simulation)));
    assert.match(said.replace(/\s/g, ' '), /28,5 такта/);
    assert.match(said.replace(/\s/g, ' '), /15,8 % вместо 27,3 %/);
    // The page says the same, and so does the gallery's picture.
    assert.match(plain(read('dist/index.html').replace(/<[^>]+>/g, '')), /шаг длится 28,5 такта вместо 33/);
    assert.match(read('tests/golden/gallery/interleaved.svg'), />28\.5<|>28,5</);
    // The command line counts by stages unless it is told otherwise.
    assert.equal(cli('-s', 'interleaved', '-p', '4', '-m', '8', '-v', '2').makespan, 57);
    assert.equal(cli('-s', 'interleaved', '-p', '4', '-m', '8', '-v', '2', '--costs-of', 'device').makespan, 28.5);
});

test('no schedule works more than 1F1B, whatever it is cut into', () => {
    const work = figure({ schedule: '1f1b', ...SHAPE }).summary.busy;
    for (const { name, trains } of engine.schedules) {
        const simulation = figure({ schedule: name, ...SHAPE });
        if (!simulation || !trains) continue;
        assert.ok(Math.abs(simulation.summary.busy - work) < 1e-9, `${name}: ${simulation.summary.busy}`);
    }
});

test('thirds stay exact', () => {
    const { summary } = figure({ schedule: 'interleaved', ranks: '4', microbatches: '8', chunks: '3' });
    assert.deepEqual([summary.bubble_ratio_numerator, summary.bubble_ratio_denominator], [1, 8]);
    const batch = figure({ schedule: 'forward', ranks: '3', microbatches: '6', 'costs-of': 'batch' }).summary;
    assert.deepEqual([batch.utilization_numerator, batch.utilization_denominator], [3, 4]);
    assert.ok(Math.abs(batch.makespan - 8 / 6) < 1e-12);
});

const plain = (text) => text.replace(/\s/g, ' ');
const say = (request, lang = 'ru') => {
    const simulation = figure(request);
    return plain(partsText(headline(simulation, lang, simulateBeside(engine, request, simulation))));
};
const step = (name) => PRESETS.find((preset) => preset.name === name).request;

test('recomputation: the step is longer, and inputs are kept instead of activations', () => {
    const request = step('recompute');
    const simulation = figure(request);
    const others = simulateBeside(engine, request, simulation);
    assert.deepEqual(others.kept, { full: 1, inputs: 8 });
    assert.match(
        say(request),
        /время — 44 такта.*хранит оно входы 8 микробатчей, а не все активации 8 микробатчей.*44 такта вместо 33/i,
    );

    const numbers = keyNumbers(simulation, 'ru', others);
    assert.deepEqual(
        numbers.map(({ id, value, before }) => [id, plain(value), before && plain(before)]).filter(([, , b]) => b),
        [
            ['time', '44 такта', '33'],
            ['kept', 'входов 8 и целиком 1', 'целиком 8'],
        ],
    );
    const spared = { ...request, recompute: 'late-except-last' };
    assert.ok(simulateBeside(engine, spared, figure(spared)).kept.full >= 1);
});

test('the same batch cut finer: memory is counted in samples, and does not grow', () => {
    const held = (schedule) =>
        ['1', '2', '4', '8', '16', '32'].map((microbatches) => {
            const cut = { schedule, ranks: '4', microbatches, 'global-batch': '32', 'costs-of': 'batch' };
            return Math.max(...peaksOf(engine, cut, String(figure(cut).batch.size), '0'));
        });
    assert.deepEqual(held('gpipe'), [32, 32, 32, 32, 32, 32]);
    assert.deepEqual(held('1f1b'), [32, 32, 32, 16, 8, 4]);
});

test('with the batch held the time falls from p to 1 + (p - 1) / m', () => {
    for (const [m, ticks] of [
        [1, 3],
        [2, 2],
        [4, 1.5],
        [8, 1.25],
        [16, 1.125],
    ]) {
        const batch = { ranks: '3', microbatches: String(m), 'costs-of': 'batch' };
        assert.equal(figure({ schedule: 'forward', ...batch }).summary.makespan, ticks);
    }
});

test('a gradient by weights needs the one by inputs', () => {
    const simulation = figure({ schedule: 'zb-h1', ...SHAPE });
    const w = simulation.actions.op.indexOf(3);
    assert.match(
        describeAction(simulation, w, 'ru').replace(/\s/g, ' '),
        /Нужен градиент по входу, вычисленный здесь же/,
    );
    const f = simulation.actions.op.indexOf(0);
    assert.match(describeAction(simulation, f, 'ru').replace(/\s/g, ' '), /Ничьего результата/);
});

test('what is drawn of a schedule without a flush is one step from an empty pipeline, and the sentence says so', () => {
    assert.match(say({ schedule: 'pipedream', ...SHAPE }), /Нарисован один шаг с пустого конвейера/);
    assert.match(say({ schedule: 'pipedream', ...SHAPE }, 'en'), /one step from an empty pipeline/);
});

test('no schedule is called free of a bubble that it has', () => {
    const { summary } = figure(step('zero-bubble'));
    assert.ok(summary.bubble_fraction > 0);
    for (const file of ['dist/index.html', 'dist/gallery.html']) assert.doesNotMatch(read(file), /[^и]\sбез пузыря/i);
});

test('the formula follows the measure: fraction or ratio, never both under one name', () => {
    for (const name of ['gpipe', '1f1b', 'interleaved', 'zero-bubble', 'slow-network']) {
        const simulation = figure(step(name));
        const [fraction, ratio] = [false, true].map((r) => plain(formula(simulation, 'ru', r).text));
        const { summary } = simulation;
        assert.match(fraction, /^доля пузыря = /);
        assert.match(ratio, /^простой \/ работа = /);
        const exact = (field) => `${summary[`${field}_numerator`]}/${summary[`${field}_denominator`]}`;
        assert.ok(fraction.endsWith(`= ${exact('bubble_fraction')}`), fraction);
        assert.ok(ratio.endsWith(`= ${exact('bubble_ratio')}`), ratio);
    }
});
