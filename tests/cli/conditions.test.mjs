// Rows of field reports through the command line: micro-batches that are not alike, links that carry one message after
// another, messages that wait, gathers of weights. The values come from an independent simulator.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runCli } from '../support/cli.mjs';

/** @param {string} line */
function simulate(line) {
    const { status, stdout, stderr } = runCli(`simulate ${line} --format json`);
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout);
}

test('T2-07: packed sequences make micro-batches of unequal cost, and their order changes the step', () => {
    const step = (rest) => simulate(`-s 1f1b -p 2 -m 2 ${rest}`);
    assert.equal(step('--microbatch-costs "3 1"').makespan, 20);
    assert.equal(step('--microbatch-costs "1 3"').makespan, 19);
    assert.equal(step('--microbatch-costs 2,2').makespan, 18);
    const best = step('--microbatch-costs "3 1" --order best');
    assert.equal(best.makespan, 19);
    assert.deepEqual(best.microbatch_costs, [1, 3]);
    assert.deepEqual(best.microbatch_order, [1, 0]);
    assert.equal(best.order_proved, true);
    const text = runCli('simulate -s 1f1b -p 2 -m 2 --microbatch-costs "3 1" --order best').stdout;
    assert.match(text, /factors of micro-batches +1 3 \(as given: 1 0\)/);
    assert.match(text, /order of micro-batches +none is better \(1 above the bound\)/);
    const falling = step('--microbatch-costs "1 3" --order falling');
    assert.equal(falling.makespan, 20);
});

test('T2-07: rows of factors by stage, and refusals that say what a list must be', () => {
    assert.equal(simulate('-s gpipe -p 2 -m 2 --microbatch-costs "1 1 | 1 1"').makespan, 9);
    assert.equal(simulate('-s forward -p 2 -m 2 --microbatch-costs "1 2 | 3 1"').makespan, 5);
    const { status, stderr } = runCli('simulate -s 1f1b -p 2 -m 2 --microbatch-costs "3 1 2"');
    assert.equal(status, 2);
    assert.match(stderr, /3 numbers are given; give one for each of the 2 micro-batches/);
    assert.match(runCli('simulate -p 3 -m 2 --microbatch-costs "1 2|2 1"').stderr, /2 rows are given/);
    assert.match(runCli('simulate -p 3 -m 2 --order best').stderr, /only together with microbatch-costs/);
});

test('T2-08: prefill in chunks of growing cost', () => {
    const grows = simulate('-s forward -p 4 -m 8 --microbatch-costs "2 3 4 5 6 7 8 9"');
    assert.equal(grows.makespan, 71);
    assert.equal(grows.bubble.fraction_exact, '27/71');
    assert.equal(simulate('-s forward -p 4 -m 8 --microbatch-costs 5.5*8').makespan, 60.5);
    assert.equal(simulate('-s seq1f1b -p 2 -m 1 --slices 2 --microbatch-costs "1 2"').makespan > 0, true);
});

test('T2-11: a link carries one activation after the other, so it can set the pace', () => {
    const step = (schedule, bytes) => simulate(`-s ${schedule} -p 4 -m 16 --bandwidth 1 --bytes ${bytes}`);
    assert.equal(step('gpipe', 0.5).makespan, 60);
    assert.equal(step('gpipe', 2).makespan, 84);
    assert.equal(step('forward', 0.5).makespan, 20.5);
    assert.equal(step('forward', 2).makespan, 40);
    for (const bytes of [0.5, 2]) assert.equal(step('gpipe', bytes).transfer.latency, 1); // bytes / bandwidth = f
    // What only travels does not queue.
    assert.equal(simulate('-s gpipe -p 4 -m 16 --latency 2').makespan, 69);
});

test('T2-12: shards of a stage are gathered before it runs', () => {
    const step = (rest) => simulate(`-s interleaved -p 2 -v 2 -m 4 --forward 1 --backward 2 ${rest}`);
    assert.equal(step('').makespan, 27);
    const both = step('--gather 1 --gather-keep 2');
    assert.deepEqual([both.makespan, both.gathers], [29, [2, 2]]);
    const one = step('--gather 1 --gather-keep 1');
    assert.deepEqual([one.makespan, one.gathers], [35, [11, 5]]);
});

test('T2-14: how many messages wait at a rank, and a limit on them', () => {
    const waiting = (schedule, rest = '--receive-buffers 0') =>
        simulate(`-s ${schedule} -p 2 -m 8 --forward "1 3" --backward "2 6" ${rest}`).waiting[1];
    assert.deepEqual(
        ['forward', 'gpipe', '1f1b'].map((name) => waiting(name)),
        [5, 5, 1],
    );
    assert.equal(waiting('forward', '--receive-buffers 2'), 2);
    const { status, stderr } = runCli('simulate -s 1f1b -p 4 -m 8 --receive-buffers 1');
    assert.equal(status, 1);
    assert.match(stderr, /Deadlock: rank/);
    assert.match(
        runCli('simulate -s 1f1b -p 4 -m 8 --receive-buffers 1 --transfer rendezvous').stderr,
        /Nearest legal: transfer=overlap/,
    );
});

test('no export is made as if micro-batches were alike', () => {
    const line = 'simulate -s 1f1b -p 2 -m 2 --microbatch-costs "3 1"';
    assert.match(runCli(`${line} --format csv`).stdout, /\n0,1,F,0,1,3,4\n/);
    assert.equal(runCli(`${line} --format python`).status, 2);
    assert.match(runCli(`${line} --format svg --lang ru`).stdout, /множители микробатчей 3; 1/);
});
