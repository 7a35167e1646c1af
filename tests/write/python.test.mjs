// The Python program of a setting, run by python3: the same ticks, utilization and losses, with numpy and without.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadEngine } from '../../web/engine/index.js';
import { pythonTwin, TWIN_STEPS, twinOf } from '../../web/write/python-twin.js';
import { withoutPython } from '../support/optional.mjs';

const engine = await loadEngine();
const cli = fileURLToPath(new URL('../../web/cli.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'pipeline-figure-'));
after(() => rmSync(folder, { recursive: true }));

/** What a program prints. @param {string} text @param {string[]} [flags] */
function run(text, flags = []) {
    const file = join(folder, 'twin.py');
    writeFileSync(file, text);
    const { stdout, stderr, status } = spawnSync('python3', [...flags, file], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    assert.equal(stderr, '');
    const value = (/** @type {string} */ word) => {
        const [above, below = '1'] = word.split('/');
        return Number(above) / Number(below);
    };
    const [[, ticks], [, utilization], ...losses] = stdout
        .trim()
        .split('\n')
        .map((line) => line.split(' '));
    return {
        ticks: Number(ticks),
        exact: utilization,
        utilization: value(utilization),
        losses: losses.map(([, , loss]) => Number(loss)),
    };
}

/** @param {any} seen @param {any} simulation */
function sameTimes(seen, { summary }) {
    assert.equal(seen.ticks, summary.makespan);
    assert.ok(Math.abs(seen.utilization - summary.utilization) < 1e-12);
    if (summary.utilization_denominator > 1)
        assert.equal(seen.exact, `${summary.utilization_numerator}/${summary.utilization_denominator}`);
}

const settings = [
    { schedule: '1f1b', ranks: 4, microbatches: 8 },
    { schedule: 'gpipe', ranks: 3, microbatches: 4, recompute: 'late', activation: 'relu', data: 'xor', seed: 5 },
    { schedule: 'interleaved', ranks: 2, microbatches: 4, data: 'circles', loss: 'squared-error', latency: 0.5 },
    { schedule: 'zb-h1', ranks: 3, microbatches: 5, data: 'iris', forward: '1 0.7 1.3', batch: 17 },
    {
        schedule: 'dualpipe',
        ranks: 4,
        microbatches: 8,
        transfer: 'sender',
        latency: 0.3,
        'overlap-cost': 2.5,
        width: 8,
    },
    {
        schedule: 'chimera',
        ranks: 4,
        microbatches: 8,
        init: 'whole',
        activation: 'relu',
        loss: 'squared-error',
        rate: 0.001,
    },
    {
        schedule: 'gpipe',
        ranks: 2,
        microbatches: 3,
        batch: 300,
        'backward-order': 'descending',
        width: 4,
        activation: 'identity',
    },
    // So far apart that the share of a right class is 0.
    { schedule: 'eager-1f1b', ranks: 6, microbatches: 7, data: 'iris', width: 1, rate: 1000 },
];

for (const [i, options] of settings.entries())
    test(`ticks, utilization, losses: ${JSON.stringify(options)}`, { skip: withoutPython }, () => {
        const training = engine.train(options);
        try {
            const text = twinOf(engine, training.simulation, options, i % 2 ? 'ru' : 'en') ?? '';
            const losses = Array.from({ length: TWIN_STEPS }, () => training.step().loss);
            // -S -I: the standard library alone
            for (const flags of i < 2 ? [[], ['-S', '-I']] : [[]]) {
                const seen = run(text, flags);
                sameTimes(seen, training.simulation);
                assert.equal(seen.losses.length, TWIN_STEPS);
                for (const [n, loss] of losses.entries())
                    assert.ok(
                        Math.abs(seen.losses[n] - loss) < 2e-5 * (1 + loss),
                        `step ${n + 1}: ${seen.losses[n]}, ${loss}`,
                    );
            }
        } finally {
            training.close();
        }
    });

test('every schedule: ticks and utilization, uneven stages, all transfers that it knows', {
    skip: withoutPython,
}, () => {
    let ran = 0;
    for (const { name } of engine.schedules) {
        const shape = /** @type {any} */ ({
            dualpipe: [4, 8],
            'dualpipe-v': [2, 4],
            '1f1b-overlap': [3, 8],
            'interleaved-overlap': [2, 8],
        })[name] ?? [4, 4];
        for (const more of [{}, { latency: 0.25, transfer: 'sender' }, { latency: 2, 'input-gradient': 1.5 }]) {
            const simulation = engine.simulate({ schedule: name, ranks: shape[0], microbatches: shape[1], ...more });
            const seen = run(pythonTwin(simulation, null, 'en') ?? '', ['-S', '-I']);
            sameTimes(seen, simulation);
            assert.deepEqual(seen.losses, []);
            ran++;
        }
    }
    assert.ok(ran > 70);
});

test('on the command line: simulate, check and train', { skip: withoutPython }, () => {
    const out = (/** @type {string} */ args, input = '') =>
        spawnSync(process.execPath, [cli, ...args.split(' ')], { encoding: 'utf8', input });
    const forward = run(out('simulate -p 3 -m 4 --format python').stdout);
    assert.deepEqual([forward.ticks, forward.exact], [6, '2/3']);
    assert.equal(run(out('train -s 1f1b -p 2 -m 2 --format python --lang ru').stdout).losses.length, TWIN_STEPS);
    const table = '0F0,0F1,,0B0,,0B1\n,1F0,1B0,1F1,1B1,\n';
    assert.equal(
        run(out('check - --format python', table).stdout).ticks,
        JSON.parse(out('check - --format json', table).stdout).makespan,
    );
    const refused = out('simulate --transfer rendezvous --format python');
    assert.equal(refused.status, 2);
    assert.match(refused.stderr, /transfer = rendezvous.*Nearest legal: transfer=sender/);
    assert.equal(out('train -s 1f1b --workers --format python').status, 2);
});

test('where no network fits there are times alone; where the rule is missing, nothing', () => {
    const forward = engine.simulate({});
    assert.doesNotMatch(twinOf(engine, forward, {}, 'ru') ?? '', /losses/);
    assert.equal(twinOf(engine, engine.simulate({ transfer: 'rendezvous' }), {}, 'ru'), null);
});
