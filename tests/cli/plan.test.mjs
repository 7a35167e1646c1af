// What "plan" and "--prove" say must hold: proved only where no other cut or order is shorter, bounds that nothing goes
// below, commands that reproduce what was told, refusals with their true reason.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadEngine } from '../../web/engine/index.js';
import { layersOf } from '../../web/engine/measured.js';

const engine = await loadEngine();
const folder = mkdtempSync(join(tmpdir(), 'plan-'));
const program = fileURLToPath(new URL('../../web/cli.js', import.meta.url));

/** @param {string[]} args */
const run = (...args) => spawnSync(process.execPath, [program, ...args], { encoding: 'utf8' });

/** @param {string} name @param {{ forward: number, input: number, weight: number }[]} layers */
function write(name, layers) {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify({ layers }));
    return path;
}

/** Layers whose shares of F, I and W differ. @param {number} count @param {number} seed */
function uneven(count, seed) {
    let state = seed;
    const next = () => {
        state = (state * 1664525 + 1013904223) >>> 0;
        return 1 + ((state >>> 16) % 12);
    };
    return Array.from({ length: count }, () => ({ forward: next(), input: next(), weight: next() }));
}

const nine = write('nine.json', [
    ...Array(8).fill({ forward: 4, input: 4, weight: 3 }),
    { forward: 9, input: 8, weight: 13 },
]);

/** The least makespan over all cuts. @param {string} schedule @param {number} p @param {number} m @param {any[]} layers */
function bestCut(schedule, p, m, layers) {
    const sum = (/** @type {number} */ from, /** @type {number} */ to, /** @type {string} */ row) =>
        layers.slice(from, to).reduce((total, layer) => total + layer[row], 0);
    let best = Number.POSITIVE_INFINITY;
    const walk = (/** @type {number[]} */ at) => {
        if (at.length < p) {
            for (let to = at[at.length - 1] + 1; to <= layers.length - (p - at.length); to++) walk([...at, to]);
            return;
        }
        const ends = [...at.slice(1), layers.length];
        const costs = (/** @type {string} */ row) => at.map((from, s) => sum(from, ends[s], row));
        const { makespan } = engine.simulate({
            schedule,
            ranks: p,
            microbatches: m,
            forward: costs('forward'),
            'input-gradient': costs('input'),
            'weight-gradient': costs('weight'),
        }).summary;
        best = Math.min(best, makespan);
    };
    walk([0]);
    return best;
}

test('plan: a cut is called proved only if no cut is shorter with the true costs of its layers', () => {
    for (const [seed, schedule] of /** @type {const} */ ([
        [1, 'zb-h1'],
        [2, '1f1b'],
        [3, 'zb-h1'],
        [4, 'gpipe'],
    ])) {
        const layers = uneven(24, seed);
        const path = write(`shares-${seed}.json`, layers);
        const { best } = JSON.parse(run('plan', path, '-p', '3', '-m', '3', '-s', schedule, '--format', 'json').stdout);
        const least = bestCut(schedule, 3, 3, layers);
        assert.equal(best.proved, true, schedule);
        assert.ok(Math.abs(best.makespan - least) < 1e-9 * least, `${schedule}: ${best.makespan}, least ${least}`);
    }
});

test('plan: every row is above the bound and says by how much; what the text shows, its command makes', () => {
    for (const more of [[], ['--latency', '1.5'], ['-v', '1'], ['-s', 'zb-auto', '-v', '1', '--memory-limit', '2']]) {
        const given = ['plan', nine, '-p', '3', '-m', '6', ...more];
        const plan = JSON.parse(run(...given, '--format', 'json').stdout);
        assert.ok(plan.bound > 0);
        for (const { schedule, makespan, above, request } of plan.plans.map(
            (/** @type {any} */ p, /** @type {number} */ i) => (i === 0 ? plan.best : p),
        )) {
            assert.ok(makespan >= plan.bound * (1 - 1e-12), `${schedule}: ${makespan}, bound ${plan.bound}`);
            assert.ok(Math.abs(makespan - plan.bound * (1 + above)) < 1e-9 * makespan, schedule);
            if (request) assert.equal(engine.simulate(request).summary.makespan, makespan);
        }
        const { stdout } = run(...given);
        const words = /** @type {RegExpExecArray} */ (/^ {2}(--ranks .*)$/m.exec(stdout))[1];
        const args = [...words.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare);
        const made = JSON.parse(run('simulate', ...args, '--format', 'json').stdout);
        assert.equal(made.makespan, plan.best.makespan, words);
        assert.match(stdout, /above best +activations +memory +beside the best\n/);
        assert.match(stdout, /It is at most [\d.]+% above the best possible plan\.|No plan is shorter\./);
    }
    assert.match(run('plan', nine, '-p', '3', '-m', '6').stdout, /time \+[\d.]+%, memory −[\d.]+%\n/);
});

test('plan: where nothing fits the memory there is no table, and the nearest that would fit is told', () => {
    const tight = ['plan', nine, '-p', '3', '-m', '6', '--memory-activations', '1', '--memory-weights', '2'];
    for (const format of ['text', 'json', 'torch']) {
        const { status, stdout, stderr } = run(...tight, '--memory-capacity', '9', '--format', format);
        assert.equal(status, 1);
        assert.equal(stdout, '');
        assert.match(stderr, /no plan fits\. The nearest is [\w-]+ with layers [\d ]+: it needs 19, 10 more\./);
    }
    assert.match(run(...tight, '--memory-capacity', '9', '--lang', 'ru').stderr, /нужно 19, недостаёт 10/);
    const { status, stdout } = run(...tight, '--memory-capacity', '19', '--format', 'json');
    assert.equal(status, 0);
    const plan = JSON.parse(stdout);
    assert.ok(Math.max(...plan.best.memory) <= 19 && plan.best.fits);
    const lower = JSON.parse(run(...tight, '--memory-capacity', '24', '--format', 'json').stdout);
    assert.ok(lower.best.makespan < plan.best.makespan, 'limits of zb-auto are tried within the memory');
});

test('plan: options reach the schedules that know them, and refusals name their reason', () => {
    const plan = (/** @type {string[]} */ ...more) => run('plan', nine, '-p', '3', '-m', '6', ...more);
    const limited = JSON.parse(plan('--memory-limit', '2', '--format', 'json').stdout);
    const auto = limited.plans.filter((/** @type {any} */ p) => p.schedule === 'zb-auto');
    assert.ok(auto.length > 0 && auto.every((/** @type {any} */ p) => p.memory_limit === 2));
    assert.ok(limited.compared_with.makespan > 0, '1F1B knows no limit and is compared with all the same');
    const head = JSON.parse(plan('--embedding', '2', '--head', '8', '-v', '1', '--format', 'json').stdout);
    assert.ok(head.best.sizes[2] < 2 || head.best.sizes[0] >= head.best.sizes[2]);
    assert.ok(head.best.makespan > JSON.parse(plan('-v', '1', '--format', 'json').stdout).best.makespan);
    assert.equal(plan('--group', '4', '-s', 'interleaved').status, 0);

    const refused = (/** @type {string[]} */ ...more) => {
        const { status, stdout, stderr } = plan(...more);
        assert.equal(status, 2, stderr);
        assert.equal(stdout, '');
        return stderr;
    };
    assert.match(refused('--recompute', 'late'), /PyTorch's tables have no action that recomputes/);
    assert.equal(plan('--recompute', 'late', '--runs-on', 'any').status, 0);
    assert.match(refused('--pipes', '2'), /pipes = 2: none of the schedules/);
    assert.match(refused('--foo', '2'), /foo: there is no such option/);
    assert.match(refused('-s', 'zb-v', '-v', '3'), /no schedule fits.*zb-v has exactly this many stages per rank: 2/);
    assert.match(refused('-s', 'seq1f1b'), /no schedule fits.*slices/);
});

test('--prove: the best order, found and proved; Ctrl-C and little time end with the best so far', () => {
    const request = ['-p', '3', '-m', '6', '--memory-limit', '2', '--forward', '22 22 21', '--latency', '1'];
    const costs = ['--input-gradient', '22 23 23', '--weight-gradient', '14 17 17', '--format', 'json'];
    const step = JSON.parse(run('simulate', '-s', 'zb-auto', ...request, ...costs, '--prove').stdout);
    assert.deepEqual([step.proof.proved, step.proof.makespan, step.proof.bound], [true, step.makespan, step.makespan]);
    const large = [
        '-s',
        'zb-auto',
        '-p',
        '8',
        '-m',
        '32',
        '--memory-limit',
        '4',
        '--latency',
        '1',
        '--forward',
        '7 5 6 9 4 7 8 5',
    ];
    const open = run('simulate', ...large, '--prove', '0.01', '--format', 'json');
    const { proof, makespan, lower_bound } = JSON.parse(open.stdout);
    assert.equal(proof.proved, false);
    assert.ok(proof.bound < makespan && lower_bound <= makespan);
    assert.match(
        run('simulate', ...large, '--prove=0.01').stdout,
        /best possible order +at most [\d.]+% above the best possible/,
    );
    assert.match(run('simulate', '-s', '1f1b', '--prove').stderr, /the best order is looked for where zb-auto/);
    assert.match(run('simulate', '-s', 'zb-auto', '--prove=x').stderr, /seconds are needed/);
    assert.match(
        run('plan', nine, '-p', '3', '-m', '6', '-s', 'zb-auto', '-v', '1', '--prove').stdout,
        /is shorter: proved\.\n/,
    );
});

test('simulate: a chart wider than a terminal is drawn only if it is asked for', () => {
    const wide = ['simulate', '-s', 'interleaved', '-p', '8', '-v', '3', '-m', '64'];
    const short = run(...wide).stdout;
    assert.ok(short.length < 1500, `${short.length} letters`);
    assert.match(short, /wider than 120 columns; --chart always/);
    assert.ok(run(...wide, '--chart', 'always').stdout.length > 20000);
    const small = ['simulate', '-s', '1f1b', '-p', '4', '-m', '8'];
    assert.match(run(...small).stdout, /^rank 3 .*F0/m);
    assert.doesNotMatch(run(...small, '--chart', 'never').stdout, /^rank 3 /m);
    assert.match(run(...small, '--chart', 'wide').stderr, /chart = wide: no such name/);
});

test('plan --format torch -o: the cut stands beside the table, and check reads it back', () => {
    const table = join(folder, 'table.csv');
    const given = ['plan', nine, '-p', '3', '-m', '6', '-s', 'zb-h1'];
    assert.equal(run(...given, '--format', 'torch', '-o', table).status, 0);
    const { best } = JSON.parse(run(...given, '--format', 'json').stdout);
    assert.equal(readFileSync(table, 'utf8'), best.table);
    assert.deepEqual(JSON.parse(readFileSync(`${table}.cut.json`, 'utf8')).sizes, best.sizes);
    assert.deepEqual(JSON.parse(run('check', table, '--format', 'json').stdout).sizes, best.sizes);
    assert.match(run('check', table).stdout, /layers of its stages +4 3 2\n/);
    writeFileSync(`${table}.cut.json`, '{"sizes": [9]}');
    assert.match(run('check', table).stderr, /table\.csv\.cut\.json: layers 9 are not those of 3 stages/);
    writeFileSync(`${table}.cut.json`, 'hello');
    assert.match(run('check', table, '--lang', 'ru').stderr, /это не слои стадий/);
});

test('memory of embedding and head is their own', () => {
    const memory = (/** @type {any} */ more) =>
        engine
            .simulate(
                {
                    schedule: '1f1b',
                    ranks: 4,
                    microbatches: 8,
                    layers: 8,
                    'memory-weights': 2,
                    'memory-activations': 1,
                    ...more,
                },
                { memory: true },
            )
            .memory?.perRank.map((/** @type {any} */ rank) => rank.peak);
    const plain = /** @type {number[]} */ (memory({}));
    assert.deepEqual(memory({ 'memory-embedding': '5;0.5', 'memory-head': '7' }), [
        plain[0] + 5 + 4 * 0.5,
        plain[1],
        plain[2],
        plain[3] + 7,
    ]);
    assert.throws(() => memory({ 'memory-head': '1;2;3' }), /3 numbers are given/);
    // A published job of 175B parameters: 96 layers on 8 devices with 3 stages each, 8 ways of tensor parallelism, 18 bytes a
    // parameter, 34 s h bytes of activations a layer: 45.56 and 12.35 GiB on the first device, its embedding beside them.
    const GiB = 2 ** 30;
    const [h, vocabulary, sequence, tensor] = [12288, 51200, 2048, 8];
    const embedding = (18 * vocabulary * h) / tensor / GiB;
    const job = {
        schedule: 'interleaved',
        ranks: 8,
        chunks: 3,
        microbatches: 64,
        layers: 96,
        'memory-weights': (18 * 12 * h * h) / tensor / GiB,
        'memory-gradients': 0,
        'memory-activations': (34 * sequence * h) / tensor / GiB,
    };
    const first = Number(memory(job)?.[0]);
    assert.equal(Number(memory({ ...job, 'memory-activations': 0 })?.[0]).toFixed(2), '45.56');
    assert.equal(Number(memory({ ...job, 'memory-weights': 0 })?.[0]).toFixed(2), '12.35');
    const ends = memory({ ...job, 'memory-embedding': embedding, 'memory-head': embedding });
    assert.ok(Math.abs(Number(ends?.[0]) - first - embedding) < 1e-9);
    assert.ok(Math.abs(Number(ends?.[7]) - Number(memory(job)?.[7]) - embedding) < 1e-9);
    assert.equal(ends?.[3], memory(job)?.[3], 'no layer carries them');
});

test('layersOf: no bound of layers is above what any schedule needs', () => {
    const layers = uneven(10, 9);
    const own = layersOf(engine, JSON.stringify({ layers }), null);
    for (const chunks of [1, 2]) {
        const bound = own.bound({
            ranks: 2,
            microbatches: 3,
            chunks,
            bothEnds: false,
            latency: 0,
            limit: 0,
            embedding: 0,
            head: 0,
        });
        for (const schedule of ['1f1b', 'zb-h1', 'zb-auto', 'gpipe'])
            assert.ok(bound <= bestCut(schedule, 2, 3, layers) * (1 + 1e-12), `${schedule}, ${chunks}: ${bound}`);
        if (chunks === 1) {
            const best = bestCut('zb-auto', 2, 3, layers);
            assert.ok(bound > 0.8 * best, `${bound}, best ${best}`);
        }
    }
});
