// The command line as a script outside the repository calls it. Names of the tests are rows of the case list.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../../web/cli.js', import.meta.url));

/** @param {string} line @param {Record<string, string>} [env] */
function run(line, env) {
    const args = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word);
    return spawnSync(process.execPath, [cli, ...args], { encoding: 'utf8', env: { ...process.env, ...env } });
}

/** @param {string} line */
function simulate(line) {
    const { status, stdout, stderr } = run(`simulate ${line} --format json`);
    assert.equal(status, 0, stderr);
    const out = JSON.parse(stdout);
    return { ...out, peaks: out.per_rank.map((rank) => rank.peak_activations) };
}

/** A refusal: one line, no stack, status 2 for wrong use and 1 for a schedule at fault. */
function refused(line, status = 2) {
    const got = run(`simulate ${line}`);
    assert.equal(got.status, status, got.stdout + got.stderr);
    assert.equal(got.stdout, '');
    assert.match(got.stderr, /^pipeline-figure: [^\n]+\n$/);
    assert.doesNotMatch(got.stderr, /\bat .*:\d+:\d+|undefined|\[object/);
    return got.stderr;
}

const chain = (line) => {
    const { makespan, bubble } = simulate(line);
    return [makespan, bubble.fraction_exact];
};

test('the opening setting', () => {
    const got = simulate('-s forward -p 3 -m 4');
    assert.equal(got.makespan, 6);
    assert.equal(got.utilization.exact, '2/3');
    assert.equal(got.bubble.fraction_exact, '1/3');
    assert.deepEqual(simulate(''), got, 'and it is what no options mean');
});

test('GPipe, 1F1B and interleaved, p = 4, m = 8', () => {
    for (const [name, peaks] of [
        ['gpipe', [8, 8, 8, 8]],
        ['1f1b', [4, 3, 2, 1]],
    ]) {
        const got = simulate(`-s ${name} -p 4 -m 8`);
        assert.equal(got.makespan, 33);
        assert.equal(got.bubble.fraction_exact, '3/11');
        assert.equal(got.bubble.ratio_exact, '3/8');
        assert.deepEqual(got.peaks, peaks);
    }
    const got = simulate('-s interleaved -p 4 -m 8 -v 2');
    assert.equal(got.makespan, 57);
    assert.equal(got.bubble.ratio_exact, '3/16');
    assert.deepEqual(got.peaks, [11, 9, 7, 5]);
});

test('JSON has the fields of the interface, CSV its columns', () => {
    const got = simulate('-s 1f1b -p 2 -m 2');
    for (const name of 'schedule ranks chunks stages microbatches makespan span utilization bubble per_rank actions lower_bound critical_path'.split(
        ' ',
    ))
        assert.ok(name in got, name);
    assert.deepEqual(Object.keys(got.bubble), ['fraction', 'fraction_exact', 'ratio', 'ratio_exact', 'rate']);
    assert.deepEqual(Object.keys(got.per_rank[0]), [
        'rank',
        'busy',
        'idle',
        'first',
        'last',
        'peak_activations',
        'weight_versions',
    ]);
    assert.deepEqual(Object.keys(got.actions[0]), ['rank', 'index', 'op', 'stage', 'microbatch', 'start', 'finish']);
    const last = got.critical_path.at(-1);
    assert.equal(got.actions[last].finish, got.makespan);
    const { stdout } = run('simulate -s gpipe -p 2 -m 1 --format csv');
    assert.equal(
        stdout,
        'device,index,op,stage,microbatch,start,end\n0,0,F,0,0,0,1\n0,1,B,0,0,4,6\n1,0,F,1,0,1,2\n1,1,B,1,0,2,4\n',
    );
    assert.equal(
        simulate('-s gpipe -p 2 -m 2 --forward 0.5').utilization.exact,
        null,
        'exact only where costs are whole',
    );
});

test('SCH-01: 1F1B with fewer micro-batches than stages', () => {
    const got = simulate('-s 1f1b -p 4 -m 2 --forward 1 --backward 1');
    assert.deepEqual([got.makespan, got.bubble.fraction_exact, got.peaks], [10, '3/5', [2, 2, 2, 1]]);
    assert.equal(simulate('-s 1f1b -p 8 -m 1 --forward 1 --backward 1').makespan, 16);
});

test('SCH-03: the refusal names rule, values and nearest legal choice', () => {
    const message = refused('-s interleaved --dialect megatron -p 6 -v 2 -m 3');
    for (const part of ['p <= N <= m', 'p = 6', 'm = 3', 'microbatches=6', 'dialect=pytorch'])
        assert.ok(message.includes(part), `${part} in ${message}`);
    simulate('-s interleaved --dialect megatron -p 6 -v 2 -m 6');
    simulate('-s interleaved --dialect pytorch -p 6 -v 2 -m 3');
});

test('SCH-04: groups', () => {
    for (const group of [1, 2, 3]) {
        const line = `-s interleaved -p 4 -v 2 -m 8 --group ${group} --backward 1`;
        assert.match(refused(line), /group=4/);
        assert.match(refused(`${line} --dialect free`, 1), /Deadlock/);
    }
    const four = simulate('-s interleaved -p 4 -v 2 -m 8 --group 4 --backward 1');
    assert.deepEqual([four.makespan, four.bubble.fraction_exact, four.peaks], [38, '3/19', [11, 9, 7, 5]]);
    const eight = simulate('-s interleaved -p 4 -v 2 -m 8 --group 8 --backward 1');
    assert.deepEqual([eight.makespan, eight.peaks], [38, [15, 13, 11, 9]]);
});

test('SCH-05: the same shape in three dialects', () => {
    const line = '-s interleaved -p 4 -v 2 -m 6 --backward 1';
    assert.match(refused(line), /m mod N/);
    assert.deepEqual(chain(`${line} --group 6`), [30, '1/5']);
    assert.deepEqual(chain(`${line} --dialect pytorch`), [30, '1/5']);
    assert.deepEqual(chain(`${line} --dialect free`), [36, '1/3'], 'the ragged order run anyway');
});

test('SCH-08: an order that waits for itself', () => {
    const line = '-s interleaved -p 8 -v 2 -m 12 --group 8 --backward 1';
    assert.match(refused(line), /m mod N/);
    const message = refused(`${line} --dialect free`, 1);
    assert.match(message, /rank 0 stands before 8F9/);
    assert.match(message, /circle/);
    assert.equal(simulate(line.replace('--group 8', '--group 12')).makespan, 62);
});

test('SCH-09: interleaving with m below p', () => {
    assert.match(refused('-s interleaved -p 4 -v 2 -m 3'), /m = 3/);
    assert.deepEqual(chain('-s interleaved -p 4 -v 2 -m 3 --dialect pytorch --backward 1'), [20, '2/5']);
});

test('SCH-11: two ranks, one rank, one chunk', () => {
    assert.equal(simulate('-s interleaved -p 2 -v 2 -m 4 --backward 1').makespan, 18);
    const one = run('simulate -s interleaved -p 1 -v 2 -m 4');
    assert.equal(one.status, 0);
    assert.match(one.stdout, /One rank: there is no pipeline/);
    assert.deepEqual(simulate('-s interleaved -p 4 -v 1 -m 8').actions, simulate('-s 1f1b -p 4 -m 8').actions);
});

test('SCH-13: one stage a rank with two chunks', () => {
    for (const name of ['1f1b', 'gpipe']) {
        const message = refused(`-s ${name} -p 4 -v 2 -m 8`);
        assert.match(message, new RegExp(`${name} has one stage per rank`));
        assert.match(message, /chunks=1 or schedule=interleaved/);
    }
});

test('SCH-14: names of schedules', () => {
    const message = refused('-s interlaeved1f1b');
    assert.match(message, /forward, naive, gpipe, 1f1b, eager-1f1b, .*interleaved/);
    assert.match(message, /Nearest legal: schedule=interleaved/);
    assert.equal(simulate('-s 1F1B').schedule, '1f1b');
    assert.equal(simulate('-s G-Pipe').schedule, 'gpipe');
});

test('SCH-20: numbers that are none', () => {
    const rows = [
        ['-p 0', /from 1 to 4096/, /ranks=1\b/],
        ['-m 0', /from 1 to/, /microbatches=1\b/],
        ['-m -1', /-1: it must be from 1 to/, /microbatches=1\b/],
        ['-m 2.5', /whole number/, /microbatches=3\b/],
        ['-p NaN', /a whole number from 1 to 4096/, /ranks/],
        ['-p 1e9', /from 1 to 4096/, /ranks=4096/],
        ['-s gpipe --forward -1', /0 to/, /forward=0\b/],
        ['-s gpipe --forward Infinity', /finite/, /forward/],
    ];
    const started = process.hrtime.bigint();
    for (const [line, rule, fix] of rows) {
        const message = refused(line);
        assert.match(message, rule);
        assert.match(message, fix);
    }
    assert.ok(process.hrtime.bigint() - started < 60_000_000_000n, 'and none of them hangs');
});

test('SCH-23: no unsplit schedule is below the dependency bound', () => {
    for (const name of ['gpipe', '1f1b']) {
        const got = simulate(`-s ${name} -p 8 -m 32 --forward 1 --backward 1`);
        assert.deepEqual([got.makespan, got.bubble.fraction_exact, got.lower_bound], [78, '7/39', 78]);
    }
});

test('SCH-24: costs per stage need no layers', () => {
    const line = 'simulate -s gpipe -p 4 -m 8 --forward';
    const { stdout } = run(`${line} 0.5,1,1,1`);
    assert.match(stdout, /0\.5; 1; 1; 1 \(sum 3\.5\)/);
    assert.match(stdout, /makespan, ticks +32\.5/);
    assert.equal(run(`${line} "0,5 1 1 1"`).stdout, stdout, 'decimal comma');
    assert.equal(run(`${line} "[0.5, 1, 1, 1]"`).stdout, stdout, 'brackets');
});

test('SIM-01: GPipe in both orders and 1F1B differ in memory, not in time', () => {
    for (const [p, m, f, b] of [
        [3, 5, 1, 1],
        [8, 12, 1, 2],
        [5, 3, 2, 3],
    ]) {
        for (const name of ['gpipe', 'gpipe --backward-order descending', '1f1b']) {
            const got = simulate(`-s ${name} -p ${p} -m ${m} --forward ${f} --backward ${b}`);
            assert.equal(got.makespan, (m + p - 1) * (f + b));
            assert.ok(Math.abs(got.bubble.fraction - (p - 1) / (m + p - 1)) < 1e-12);
            const kept = (r) => (name === '1f1b' ? Math.min(m, p - r) : m);
            assert.deepEqual(
                got.peaks,
                Array.from({ length: p }, (_, r) => kept(r)),
            );
        }
    }
});

test('SIM-02: two definitions, two names', () => {
    const one = simulate('-s gpipe -p 8 -m 1');
    assert.deepEqual([one.bubble.fraction_exact, one.bubble.ratio_exact], ['7/8', '7']);
    const many = simulate('-s gpipe -p 8 -m 32');
    assert.deepEqual([many.bubble.fraction_exact, many.bubble.ratio_exact], ['7/39', '7/32']);
    const { stdout } = run('simulate -s gpipe -p 8 -m 1');
    assert.match(stdout, /bubble fraction \(idle \/ all\) +7\/8 = 87\.5%/);
    assert.match(stdout, /bubble ratio \(idle \/ busy\) +7 = 700%/);
    assert.match(stdout, /utilization .* 1\/8 = 12\.5%/, 'nothing over 100 % is called utilization');
});

test('SIM-10: slow links turn the order of merit', () => {
    const rows = [
        [0, 33, 33, 28.5],
        [0.5, 36, 41, 35.5],
        [1, 39, 49, 46],
        [2, 45, 65, 70],
    ];
    for (const [c, ...want] of rows) {
        const shape = `-p 4 -m 8 --latency ${c}`;
        const got = [
            simulate(`-s gpipe ${shape}`).makespan,
            simulate(`-s 1f1b ${shape}`).makespan,
            simulate(`-s interleaved -v 2 --forward 0.5 --backward 1 ${shape}`).makespan,
        ];
        assert.deepEqual(got, want, `c = ${c}`);
    }
});

test('VIE-03: decimal comma and point, whatever the locale', () => {
    const want = simulate('-s gpipe -p 3 -m 4 --forward 0.5').makespan;
    assert.equal(simulate('-s gpipe -p 3 -m 4 --forward 0,5').makespan, want);
    const { stdout } = run('simulate -s gpipe -p 3 -m 4 --forward 0.5 --format csv', { LC_ALL: 'ru_RU.UTF-8' });
    assert.match(stdout, /^0,1,F,0,1,0\.5,1$/m, 'files use the point');
});

test('wrong use is one line and status 2', () => {
    assert.match(run('bogus').stderr, /command = bogus: no such name; the names are/);
    assert.equal(run('bogus').status, 2);
    assert.match(refused('-p'), /a value must follow/);
    assert.match(refused('--format xml'), /text, json, csv, torch, trace, svg/);
    assert.match(refused('--lang de'), /en, ru/);
    assert.match(refused('--speed 3'), /speed: there is no such option/);
    assert.match(refused('-p 3 --ranks 4'), /given twice/);
    assert.match(refused('-p 3 -p 4'), /given twice/);
    assert.match(refused('stray'), /not an option/);
    assert.match(refused('-o /nowhere/at/all.json --format json'), /cannot be written/);
    assert.equal(run('').status, 0);
    assert.equal(run('--help').stdout, run('').stdout);
    assert.match(run('--version').stdout, /^\d+\.\d+\.\d+\n$/);
});

test('Russian refusals and text', () => {
    const { stderr, status } = run('simulate -p 0 --lang ru');
    assert.equal(status, 2);
    assert.match(
        stderr,
        /число устройств p \(ranks\) = 0: допустимы значения от 1 до 4096\. Ближайшее допустимое: ranks=1\./,
    );
    const { stdout } = run('simulate -s 1f1b -p 4 -m 8 --lang ru');
    assert.match(stdout, /доля пузыря \(простой \/ всё\) +3\/11 = 27,3 %/);
    assert.match(stdout, /4 устройства, 4 стадии, 8 микробатчей/);
});

test('MUST-15: -o writes the file, and svg is an SVG', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pipeline-figure-'));
    try {
        const file = join(folder, 'figure.svg');
        const got = run(`simulate -s 1f1b -p 4 -m 8 --format svg -o ${file}`);
        assert.equal(got.status, 0, got.stderr);
        assert.equal(got.stdout, '');
        const svg = readFileSync(file, 'utf8');
        assert.match(svg, /^<svg [^>]*xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
        assert.equal(run('simulate -s 1f1b -p 4 -m 8 --format svg').stdout, svg);
        assert.match(run('simulate -s 1f1b -p 4 -m 8 --format svg --lang ru').stdout, /Устройство 1/);
    } finally {
        rmSync(folder, { recursive: true });
    }
});

test('SIM-04: a whole backward is not an input gradient', () => {
    const costs = '-p 8 -m 20 --forward 1 --backward 2 --weight-gradient 1 --overlap-cost 3';
    for (const [name, idle] of [
        ['1f1b', 21],
        ['zb-h1', 7],
        ['dualpipe', 6],
    ]) {
        const got = simulate(`-s ${name} ${costs}`);
        assert.deepEqual(new Set(got.per_rank.map((rank) => rank.idle)), new Set([idle]), String(name));
    }
    // The same 2 read as the input gradient alone is another request, with another bubble.
    assert.equal(simulate('-s zb-h1 -p 8 -m 20 --input-gradient 2 --weight-gradient 1').per_rank[0].idle, 14);
});

test('SIM-30: 1F1B caps what is in flight', () => {
    assert.deepEqual(simulate('-s 1f1b -p 4 -m 8').peaks, [4, 3, 2, 1]);
});

test('SIM-31: any number of ranks, no tick between stages unless asked', () => {
    assert.equal(simulate('-s interleaved -p 8 -v 2 -m 16 --backward 1').makespan, 78);
    assert.equal(simulate('-s interleaved -p 4 -v 2 -m 8').makespan, 57);
});

test('SIM-39: tensors that skip stages are refused, not ignored', () => {
    assert.match(refused('-s 1f1b -p 4 -m 8 --skip 0:2'), /skip/);
});
