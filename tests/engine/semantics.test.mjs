// Options of the trained network besides dense layers and plain descent, and what micro-batches do to a step, through
// engine.train and the command line. Gradients against differences, and every schedule, are in tests/native.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadEngine } from '../../web/engine/index.js';
import { textOf } from '../../web/words/strings.js';

const engine = await loadEngine();
const cli = fileURLToPath(new URL('../../web/cli.js', import.meta.url));
const base = { schedule: '1f1b', ranks: 3, microbatches: 4 };

/** @param {any} options @param {number} steps */
function train(options, steps) {
    const training = engine.train({ ...base, ...options });
    try {
        const records = Array.from({ length: steps }, () => training.step());
        const memory = engine.core.memory.buffer.byteLength;
        const { parameters, settings, layers } = training;
        return {
            records,
            last: records[steps - 1],
            parameters,
            settings,
            layers,
            memory,
            semantics: training.semantics(),
        };
    } finally {
        training.close();
    }
}

/** @param {string} line @returns {{ status: number | null, stdout: string, stderr: string }} */
const run = (line) => spawnSync(process.execPath, [cli, ...line.split(' ')], { encoding: 'utf8' });

test('every choice of every option trains, and equals the unpipelined run to the last bit', () => {
    for (const { name, kind, names } of engine.trainingOptions) {
        if (kind !== 'E' || name === 'data' || name === 'init') continue;
        for (const value of names) {
            const more = name === 'norm-statistics' ? { norm: 'batch' } : {};
            const m = value === 'batch' && name === 'norm-statistics' ? 1 : 4;
            const { records, settings } = train({ ...more, [name]: value, microbatches: m, batch: 30 }, 10);
            assert.equal(settings[name.replace('-', '_')], names.indexOf(value), name);
            for (const { gradient_difference, weight_difference, loss } of records)
                assert.deepEqual([gradient_difference, weight_difference, loss > 0], [0, 0, true], `${name} ${value}`);
        }
    }
});

test('norms, dropout, tied ends and updates learn', () => {
    for (const options of [
        { norm: 'layer' },
        { norm: 'batch', batch: 64 },
        { norm: 'batch', 'norm-statistics': 'deferred', batch: 64 },
        { activation: 'gelu', dropout: 0.1 },
        { update: 'momentum' },
        { update: 'adam' },
        { tied: 'ends', update: 'adam' },
        { clip: 0.5, rate: 0.3 },
    ]) {
        const { last, records } = train({ data: 'circles', ...options }, 300);
        assert.ok(last.accuracy > 0.9, `${JSON.stringify(options)}: ${last.accuracy}`);
        assert.ok(records.every(({ skipped }) => skipped === 0));
    }
});

test('TEN-03: the gradient is the mean; a sum nobody divides is m times as large', () => {
    const right = train({ batch: 8, loss: 'squared-error' }, 1);
    assert.equal(right.last.gradient_difference, 0);
    assert.ok(Math.abs(right.semantics.undivided - 4) < 1e-5);
    const wrong = train({ batch: 8, loss: 'squared-error', mean: 'undivided' }, 1);
    assert.ok(Math.abs(wrong.last.loss / right.last.loss - 4) < 1e-6);
});

test('TEN-05: a mean of micro-batch means differs where sizes do, and only there', () => {
    const uneven = train({ batch: 30, split: 'last' }, 3).semantics;
    assert.deepEqual([uneven.smallest, uneven.largest], [6, 8]);
    assert.ok(uneven.means_gradient > 0.005 && uneven.means_loss !== uneven.loss);
    const even = train({ batch: 32 }, 3).semantics;
    assert.ok(even.means_gradient < 1e-6 && Math.abs(even.means_loss - even.loss) < 1e-12);
    const by = ['samples', 'microbatches'].map((mean) => train({ batch: 30, mean }, 1).last.loss);
    assert.notEqual(by[0], by[1]);
});

test('TEN-08: batch norm sees micro-batches; the run says so and gives the difference', () => {
    const { semantics, last } = train({ norm: 'batch', batch: 32 }, 20);
    assert.equal(last.weight_difference, 0, 'against the same micro-batches');
    assert.ok(semantics.norm_mean > 0.1 && semantics.norm_output > 0.01 && semantics.norm_gradient > 0.01);
    const one = train({ norm: 'batch', batch: 32, microbatches: 1 }, 20).semantics;
    assert.deepEqual([one.norm_mean, one.norm_deviation, one.norm_output, one.norm_gradient], [0, 0, 0, 0]);
    const text = run('train -s 1f1b -p 3 -m 4 --norm batch --steps 5').stdout;
    assert.ok(text.includes(textOf('en', 'semantics_norm_note')));
    assert.ok(
        !run('train -s 1f1b -p 3 -m 4 --norm layer --steps 5').stdout.includes(textOf('en', 'semantics_norm_note')),
    );
});

test('TEN-09: dropout masks are keyed by sample: m = 1 and 4, recomputed or not, the same weights', () => {
    const all = [1, 4].flatMap((microbatches) =>
        ['none', 'late'].map((recompute) => train({ microbatches, recompute, dropout: 0.5, seed: 1 }, 10)),
    );
    for (const { parameters } of all) assert.deepEqual(parameters, all[0].parameters);
    const { semantics } = all[2];
    assert.equal(semantics.dropout_by_sample, 0);
    assert.ok(semantics.dropout_by_row > semantics.dropout_entries / 4);
    assert.notDeepEqual(train({ dropout: 0.5, seed: 2 }, 10).parameters, all[0].parameters);
});

test('TEN-10: tied ends get the sum of both gradients and stay equal', () => {
    const { parameters, layers, semantics, last } = train({ tied: 'ends' }, 20);
    const [inputs, width] = layers;
    const head = parameters.length - width * inputs - inputs;
    for (let i = 0; i < inputs; i++)
        for (let u = 0; u < width; u++) assert.equal(parameters[head + u * inputs + i], parameters[i * width + u]);
    assert.ok(semantics.tied_gradient > 0.01);
    assert.equal(last.weight_difference, 0);
});

test('TEN-14: weights kept and staleness, with a flush and without', () => {
    for (const [schedule, versions] of /** @type {[string, number[]][]} */ ([
        ['gpipe', [1, 1, 1, 1]],
        ['1f1b', [1, 1, 1, 1]],
        ['pipedream', [4, 3, 2, 1]],
    ])) {
        const { perRank, actions } = engine.simulate({ schedule, ranks: 4, microbatches: 8 });
        const late = [0, 1, 2, 3].map((r) =>
            Math.max(...Array.from(actions.delay ?? [0]).filter((_, i) => !actions.delay || actions.rank[i] === r)),
        );
        assert.deepEqual(late, schedule === 'pipedream' ? [3, 2, 1, 0] : [0, 0, 0, 0], schedule);
        assert.deepEqual(
            perRank.map((rank) => rank.weight_versions),
            versions,
            schedule,
        );
    }
});

test('TEN-15: on an overflow all stages skip the same step, with the scale halved until it fits', () => {
    const { records } = train({ 'loss-scale': 1e38, batch: 256 }, 30);
    const first = records.findIndex(({ skipped }) => skipped === 1);
    assert.ok(first >= 0);
    assert.equal(records[first + 1].loss, records[first].loss, 'all 256 samples, and the same weights');
    assert.ok(records[29].skipped < 10);
    for (const { weight_difference } of records) assert.equal(weight_difference, 0);
    // a scale of a power of two changes no bit
    assert.deepEqual(train({ 'loss-scale': 65536 }, 20).parameters, train({}, 20).parameters);
});

test('TEN-19: on one thread no speed-up is claimed: the record has no times, the panel says the axis is modelled', () => {
    const { last } = train({}, 1);
    assert.deepEqual(
        Object.keys(last).filter((key) => /time|speed|ms$/.test(key)),
        [],
    );
    assert.match(textOf('en', 'train_honest'), /no speed-up.*model/s);
    assert.match(textOf('ru', 'train_honest'), /ускорения.*нет.*модель/s);
});

test('memory stays flat over steps with every option on', () => {
    const options = {
        norm: 'batch',
        dropout: 0.2,
        update: 'adam',
        clip: 1,
        tied: 'ends',
        activation: 'gelu',
        batch: 32,
    };
    train(options, 1);
    const before = engine.core.memory.buffer.byteLength;
    assert.equal(train(options, 500).memory, before);
    for (let i = 0; i < 50; i++) train(options, 1);
    assert.equal(engine.core.memory.buffer.byteLength, before);
});

test('the command line takes the options, names them, and prints what micro-batches do', () => {
    const { stdout, status } = run(
        'train -s 1f1b -p 3 -m 4 --batch 30 --norm batch --dropout 0.3 --tied ends --update adam --clip 0.7 --steps 5',
    );
    assert.equal(status, 0);
    assert.match(stdout, /norm=batch dropout=0\.3 tied=ends update=adam clip=0\.7/);
    for (const key of ['sizes', 'norm', 'dropout', 'means', 'undivided', 'clip', 'tied'])
        assert.ok(stdout.includes(`  ${textOf('en', `semantics_${key}`)}: `), key);
    const ru = run('train -s 1f1b -p 3 -m 4 --steps 5 --lang ru').stdout;
    assert.ok(ru.includes(textOf('ru', 'semantics_undivided')) && !ru.includes(textOf('ru', 'semantics_norm')));
    const json = JSON.parse(run('train -s 1f1b -p 3 -m 4 --steps 5 --mean microbatches --format json').stdout);
    assert.equal(json.settings.mean, 'microbatches');
    assert.equal(json.settings.norm_statistics, 'microbatch');
    assert.equal(json.semantics.norm_mean, null);
    assert.ok(json.semantics.clip_gradient > 0);
});

test('once a run has left the numbers, no difference is told as none', () => {
    const args = 'train -s 1f1b -p 2 -m 4 --rate 1000 --steps 20 --activation identity --loss squared-error';
    const [en, ru] = ['', ' --lang ru'].map((lang) => run(args + lang).stdout);
    assert.match(en, /20 +NaN +NaN +NaN/);
    assert.match(en, /gradient NaN% off/);
    assert.match(ru, /20( +не\sчисло){3}/);
    assert.doesNotMatch(ru, /NaN|расходится на 0 %/);
});

test('refusals: value, rule, nearest legal value, in both languages', () => {
    for (const [line, en, ru] of [
        [
            '--norm batch --norm-statistics batch',
            /cannot wait.*norm-statistics=deferred or microbatches=1/,
            /ждать не могут/,
        ],
        ['--norm batch --batch 6', /no variance.*batch=8/, /нет дисперсии/],
        ['--dropout 1', /below 1.*dropout=0\.9999/, /меньше 1/],
        ['--tied ends --data iris', /4 and 3.*tied=none or data=spirals/, /общие веса/],
        ['--batch 9 --split last', /batch=10 or split=even/, /ничего не останется/],
        [
            '--momentum 0.5',
            /only together with update.*update=momentum, or leave out momentum\./,
            /или уберите momentum\./,
        ],
        ['--tied ends --data iris --loss squared-error', /Nearest legal: tied=none\.$/m, /допустимое: tied=none\.$/m],
        [
            '-s seq1f1b',
            /slices = 2: samples.*no sequences.*Nearest legal: slices=1\./,
            /не последовательности.*slices=1\./,
        ],
        ['-s 2bw -m 3 --loss-scale 1e30', /loss-scale = 1e30:.*loss-scale=1\./, /= 1e30:/],
        ['-s pipedream --clip 1e-7', /clip = 1e-7:/, /= 1e-7:/],
        ['--norm layer --format torch', /format = torch.*format=json/, /плотные слои/],
        ['--dropout 0.5 --format python', /format = python.*format=json/, /плотные слои/],
        ['--update addam', /sgd, momentum, adam.*update=adam/, /такого названия нет/],
    ]) {
        const given = `${String(line).includes('-s ') ? '' : '-s 1f1b '}-p 3${String(line).includes('-m ') ? '' : ' -m 4'} ${line}`;
        const english = run(`train ${given}`);
        assert.equal(english.status, 2, `${line}`);
        assert.match(english.stderr, /** @type {RegExp} */ (en));
        assert.match(run(`train --lang ru ${given}`).stderr, /** @type {RegExp} */ (ru));
    }
});
