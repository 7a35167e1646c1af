// Layers, transfers by size, the end of a step, memory, what-ifs and failures from the command line. Names of the tests are
// rows of the case list.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadEngine } from '../../web/engine/index.js';

const cli = fileURLToPath(new URL('../../web/cli.js', import.meta.url));
const engine = await loadEngine();

/** @param {string} line */
function run(line) {
    const args = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word);
    return spawnSync(process.execPath, [cli, 'simulate', ...args], { encoding: 'utf8' });
}

/** @param {string} line */
function simulate(line) {
    const { status, stdout, stderr } = run(`${line} --format json`);
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout);
}

/** @param {string} line */
function refused(line) {
    const got = run(line);
    assert.equal(got.status, 2, got.stdout + got.stderr);
    assert.match(got.stderr, /^pipeline-figure: [^\n]+\n$/);
    return got.stderr;
}

/** @param {string} line */
const makespan = (line) => simulate(line).makespan;

test('SIM-16: layers that do not divide are spread, not piled on the last stage', () => {
    const line = '-s 1f1b -p 8 -m 16 --layers 38';
    assert.equal(makespan(`${line} --cuts "4 4 4 4 4 4 4 10"`), 564);
    const got = simulate(line);
    assert.equal(got.makespan, 333);
    assert.deepEqual(got.partition.sizes, [5, 5, 5, 5, 5, 5, 4, 4]);
    assert.deepEqual(got.cadence, { ticks: 15, rank: 0, stage: 0 });
});

test('SIM-17: where the heavy stage sits matters to 1F1B, not to GPipe', () => {
    const rows = [
        ['1 1 1 2', 57],
        ['2 1 1 1', 51],
        ['1 2 1 1', 53],
    ];
    for (const [layers, one] of rows) {
        // the same as layers, one in each stage
        const costs = `-p 4 -m 8 --layers "${layers}" --cuts 1`;
        assert.equal(makespan(`-s gpipe ${costs}`), 57, 'sum (f + b) + (m - 1) max');
        const got = simulate(`-s 1f1b ${costs}`);
        assert.equal(got.makespan, one);
        assert.equal(got.what_if.balanced_stages.makespan, 41.25);
    }
});

test('SIM-18: the rate in the long run is set by the slowest stage', () => {
    const got = simulate('-s forward -p 4 -m 8 --forward "1 1 1 2"');
    assert.equal(got.makespan, 19);
    assert.equal(got.utilization.exact, '10/19');
    assert.deepEqual(got.cadence, { ticks: 2, rank: 3, stage: 3 });
    assert.ok(Math.abs(got.what_if.doubled_microbatches.makespan - got.makespan - 8 * got.cadence.ticks) < 1e-12);
});

test('SIM-19: every layer lies in exactly one stage', () => {
    const got = simulate('-s 1f1b -p 4 -m 8 --layers 30');
    assert.deepEqual(got.partition.sizes, [8, 8, 7, 7]);
    assert.equal(
        got.partition.sizes.reduce((a, b) => a + b),
        30,
    );
    assert.match(refused('-p 2 --layers 48 --cuts 11,13'), /stages hold 24 of 48 layers/);
    assert.match(refused('-p 1 --layers 20 --cuts 1'), /stages hold 1 of 20 layers/);
    assert.match(refused('-p 2 --layers 48 --cuts 11,13 --lang ru'), /в стадиях 24 из 48 слоёв/);
    assert.match(refused('-p 8 --layers 6'), /at least one layer; here are 8 stages\. Nearest legal: layers=8/);
    assert.deepEqual(simulate('-p 4 --layers 48 --cuts "11 * * 9"').partition.sizes, [11, 14, 14, 9]);
});

test('SIM-22: embedding and head count in the balance', () => {
    const cost = simulate('-p 4 --layers "2 1 1 1 1 2"').partition;
    assert.deepEqual([cost.sizes, cost.largest], [[1, 2, 2, 1], 2]);
    const equal = simulate('-p 4 --layers "2 1 1 1 1 2" --partition equal').partition;
    assert.deepEqual([equal.sizes, equal.largest], [[2, 2, 1, 1], 3]);
    // the same with the two as what they are, beside layers
    const beside = simulate('-p 4 --layers 6 --embedding 1 --head 1').partition;
    assert.deepEqual([beside.sizes, beside.largest], [[1, 2, 2, 1], 2]);
    const best = simulate('-s 1f1b -p 4 -m 8 --layers "2 1 1 1 1 2" --partition makespan');
    assert.ok(best.makespan <= 33 * 2 && best.partition.proved && best.partition.cases >= 1);
});

test("Megatron's layout strings", () => {
    const got = simulate('-s interleaved -p 16 -v 2 -m 16 --layout "Et*3|(tt|)*29,m|L" --head 1');
    assert.deepEqual(got.partition.sizes, [3, ...Array(29).fill(2), 1, 0]);
    assert.equal(got.partition.stage_costs[31], 1);
    assert.match(refused('-s 1f1b -p 4 --layout "Et|t|tL"'), /has 3 stages, the schedule 4\. Nearest legal: ranks=3/);
    assert.match(refused('-p 2 --layout "Et|q"'), /at place 4 it cannot go on so/);
});

test('SIM-24: the heaviest stage decides the memory, not the average one', () => {
    const got = simulate('-s forward -p 4 -m 8 --layers 8 --cuts "1 2 2 3" --memory-weights 1').memory;
    assert.deepEqual([got.peak, got.peak_rank], [3, 3]);
    assert.deepEqual(
        got.per_rank.map((rank) => rank.peak),
        [1, 2, 2, 3],
    );
});

test('memory: levels over time, the limit passed first, back to where it began', () => {
    const line = '-s 1f1b -p 4 -m 8 --memory-weights 10 --memory-activations 3';
    const got = simulate(`${line} --memory-capacity 28.5`).memory;
    assert.deepEqual(got.over, { rank: 0, time: 2, by: 0.5, action: '0F2' });
    assert.deepEqual(
        got.per_rank.map((rank) => rank.peak),
        [32, 29, 26, 23],
    );
    for (const { levels, fixed, peak } of got.per_rank) {
        assert.deepEqual([levels[0][0], levels.at(-1)[1]], [0, fixed]);
        assert.equal(Math.max(...levels.map(([, level]) => level)), peak);
    }
    assert.equal(simulate(line).memory.over, null);
    assert.match(
        run(`${line} --memory-capacity 28.5`).stdout,
        /memory passes the capacity +on rank 0 at tick 2, by 0\.5/,
    );
    assert.match(refused('-p 3 --memory-kept 2 --memory-activations 1'), /Nearest legal: memory-kept=1/);
});

test('SIM-26: recomputation takes time, and takes it in the backward', () => {
    const line = '-s gpipe -p 4 -m 8';
    const always = simulate(`${line} --recompute late`);
    const never = simulate(line);
    assert.deepEqual([always.makespan, never.makespan], [44, 33]);
    assert.deepEqual([always.bubble.fraction_exact, never.bubble.fraction_exact], ['3/11', '3/11'], 'hides it');
    assert.deepEqual([makespan('-s gpipe -p 3 -m 4 --recompute late'), makespan('-s gpipe -p 3 -m 4')], [24, 18]);
});

const recomputes = engine.options.find(({ name }) => name === 'recompute').names;
test(
    'SIM-26: except for the last micro-batch',
    { skip: recomputes.includes('late-except-last') ? false : 'needs recompute=late-except-last' },
    () => assert.equal(makespan('-s gpipe -p 4 -m 8 --recompute late-except-last'), 43),
);

test('SIM-28: at a fixed global batch a larger micro-batch means fewer of them', () => {
    const want = ['7/71', '7/39', '7/23', '7/15', '7/11'];
    for (const [i, size] of [1, 2, 4, 8, 16].entries()) {
        const got = simulate(`-s 1f1b -p 8 --global-batch 64 --microbatch-size ${size}`);
        assert.equal(got.microbatches, 64 / size);
        assert.equal(got.bubble.fraction_exact, want[i]);
        assert.deepEqual(got.batch, { global: 64, size, moved: 'microbatches', microbatches: 64 / size });
    }
    assert.equal(simulate('-s 1f1b -p 8 --global-batch 64 -m 16').batch.moved, 'microbatch-size');
    assert.equal(simulate('-s 1f1b -p 8 -m 16 --microbatch-size 2').batch.moved, 'global-batch');
    assert.equal(simulate('-s 1f1b -p 8 -m 16 --microbatch-size 4 --global-batch 64').batch.moved, null);
    assert.match(
        refused('-p 8 --global-batch 64 --microbatch-size 5'),
        /Nearest legal: global-batch=65 or microbatch-size=4/,
    );
    assert.match(refused('-p 8 --global-batch 64 --microbatch-size 4 -m 8'), /global-batch=32/);
    const { stdout } = run('-s 1f1b -p 8 --global-batch 64 --microbatch-size 4');
    assert.match(stdout, /64 = 16 micro-batches x 4 \(microbatches followed from the others\)/);
});

test('transfers by size, and from when on they set the pace', () => {
    const line = '-s interleaved -v 2 -p 4 -m 8 --forward 0.5 --backward 1';
    const got = simulate(`${line} --bytes 100 --bandwidth 400`);
    assert.equal(got.makespan, makespan(`${line} --latency 0.25`));
    assert.deepEqual(
        [got.transfer.factor, got.transfer.latency, got.transfer.bandwidth_factor, got.transfer.free_makespan],
        [2, 0.5, 2, 28.5],
    );
    assert.equal(got.what_if.no_transfers.makespan, 28.5);
    assert.equal(simulate('-s gpipe -p 4 -m 8 --latency 5').transfer.factor, null, 'never');
    assert.match(run('-s gpipe -p 4 -m 8 --latency 5').stdout, /transfers take over +never/);
    assert.match(refused('-p 4 --bytes 100'), /together with bandwidth/);
    assert.match(refused('-p 4 --bytes 100 --bandwidth 0'), /above 0/);
});

test('the end of the step', () => {
    const got = simulate('-s 1f1b -p 2 -m 2 --reduce 4 --optimizer "1 5" --optimizer-waits all');
    assert.equal(got.makespan, 9, 'of the actions, as ever');
    assert.deepEqual([got.end.finish, got.end.exposed, got.end.reduced], [18, 9, 13]);
    assert.ok(!('end' in simulate('-s 1f1b -p 2 -m 2')));
});

test('a device fails', () => {
    const line = '-s 1f1b -p 2 -m 2 --fail-rank 1 --fail-time 4.5 --restart-cost 3 --spare-delay 2 --fail-step 7';
    const { policies, every } = simulate(`${line} --checkpoint-every 5`).failure;
    assert.equal(every, 5);
    assert.deepEqual(
        policies.map(({ name, time_lost, work_redone }) => [name, time_lost, work_redone]),
        [
            ['restart', 7.5, 6],
            ['checkpoint', 25.5, 30],
            ['spare', 5.5, 3.5],
        ],
    );
    assert.deepEqual(policies[2].lost, ['1F0', '1B0', '1F1']);
    const daly = simulate('-s 1f1b -p 1 -m 1 --forward 0.25 --backward 0.75 --mtbf 1440 --checkpoint-cost 5').failure;
    assert.deepEqual([daly.best_every, daly.daly_every, daly.young_every], [117, 117, 120]);
    assert.match(run(`${line} --lang ru`).stdout, /отказ, запасное устройство +потеряно тактов: 5,5/);
    assert.match(
        refused('-p 3 --fail-rank 3'),
        /ranks are counted from 0 here; it must be from 0 to 2\. Nearest legal: fail-rank=2/,
    );
    assert.match(refused('-p 3 --fail-time 99'), /over by then\. Nearest legal: fail-time=6/);
});

test('why a rank is idle, back to the root', () => {
    const { why } = simulate('-s 1f1b -p 2 -m 2 --latency 0.5 --why 0@3');
    assert.deepEqual([why.start, why.finish], [2, 4.5], 'the half tick on the way is an interval of its own');
    assert.deepEqual(
        why.reasons.map(({ action, until }) => [action, until]),
        [
            ['1B0', 5],
            ['1F0', 2.5],
            ['0F0', 1.5],
        ],
    );
    assert.equal(simulate('-s 1f1b -p 2 -m 2 --why 0@0').why, null);
    assert.match(run('-s 1f1b -p 2 -m 2 --why 0@2').stdout, /idle from 2 to 4 +waits for 1B0 of rank 1 \(2–4\)/);
    assert.match(refused('-p 3 --why soon'), /such as 2@5/);
});
