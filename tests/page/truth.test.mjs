// The page, the figure, the gallery and the command line say the same, and it is true: faults that a reader of the chapter
// once met, each with the number that is right.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { ask, askBeside } from '../../web/request/ask.js';
import { PRESETS } from '../../web/request/presets.js';
import { headline, partsText } from '../../web/scene/format.js';
import { engine } from '../support/scenes.mjs';

const root = new URL('../../', import.meta.url);
const read = (path) => readFileSync(new URL(path, root), 'utf8');
const figure = (request) => ask(engine, request).simulation;
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
    const said = partsText(headline(simulation, 'ru', askBeside(engine, request, simulation)));
    assert.match(said.replace(/\s/g, ' '), /28,5 такта/);
    assert.match(said.replace(/\s/g, ' '), /3\/19 вместо 3\/11/);
    // The page says the same, and so does the gallery's picture.
    assert.match(read('dist/index.html').replace(/\s/g, ' '), /шаг длится 28,5 такта вместо 33/);
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
