// Orders and times of the peers' own generators, op by op.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadEngine, OPS, PipelineError } from '../web/engine.js';
import { goldenMissing, goldenRequest, goldenRows } from './support/golden.mjs';

const engine = await loadEngine();
const ours = new Set(engine.schedules.map((schedule) => schedule.name));

test('orders of manifest.csv', { skip: goldenMissing }, async (t) => {
    const maps = new Map(goldenRows('mapping.csv').map((map) => [`${map.generator},${map.schedule}`, map]));
    const groups = Map.groupBy
        ? Map.groupBy(goldenRows('manifest.csv'), (row) => `${row.generator},${row.schedule}`)
        : goldenRows('manifest.csv').reduce((all, row) => {
              const key = `${row.generator},${row.schedule}`;
              return all.set(key, [...(all.get(key) ?? []), row]);
          }, new Map());
    let compared = 0;
    for (const [key, rows] of groups) {
        const map = maps.get(key);
        if (!map || map.compare === 'skip' || !ours.has(map.name)) continue;
        await t.test(`${key}: ${rows.length} files, ${map.compare}`, () => {
            for (const row of rows) compareRow(row, map);
            compared += rows.length;
        });
    }
    assert.ok(compared >= 264, `only ${compared} files were compared`);
});

function compareRow(row, map) {
    const { summary, perRank, actions } = engine.simulate(goldenRequest(row, map));
    assert.equal(summary.makespan, Number(row.makespan), `${row.file}: makespan`);
    assert.equal(summary.span, Number(row.max_device_span), `${row.file}: span`);
    assert.equal(summary.idle, Number(row.idle_total), `${row.file}: idle`);
    const peaks = perRank.map((rank) => rank.peak_activations).join(' ');
    assert.equal(peaks, row.peak_per_device, `${row.file}: peaks`);
    assert.ok(summary.lower_bound <= summary.makespan, `${row.file}: lower bound ${summary.lower_bound}`);
    if (map.compare !== 'order') return;
    const expected = goldenRows(row.file);
    assert.equal(actions.count, expected.length, row.file);
    for (const [i, want] of expected.entries()) {
        const got = [
            actions.rank[i],
            actions.index[i],
            OPS[actions.op[i]],
            actions.stage[i],
            actions.microbatch[i],
            actions.start[i],
            actions.finish[i],
        ];
        const wanted = [want.device, want.index, want.op, want.stage, want.microbatch, want.start, want.end];
        assert.equal(got.join(), wanted.join(), `${row.file}, row ${i}`);
    }
}

test('settings the peers refuse are refused with the rule in words', { skip: goldenMissing }, () => {
    const peers = { 'megatron,interleaved': {}, 'pytorch,Interleaved1F1B': { dialect: 'pytorch' } };
    let refused = 0;
    for (const row of goldenRows('rejected.csv')) {
        const extra = peers[`${row.generator},${row.schedule}`];
        if (!extra) continue;
        const group = /N=(\d+)/.exec(row.params)?.[1];
        const options = { schedule: 'interleaved', ranks: row.p, microbatches: row.m, chunks: row.v, group, ...extra };
        assert.throws(
            () => engine.simulate(options),
            (error) => {
                assert.ok(error instanceof PipelineError);
                assert.match(error.message, /rule/);
                assert.ok(error.fixes.length > 0, error.message);
                for (const fix of error.fixes) engine.simulate({ ...options, group: undefined, [fix.option]: fix.value });
                return true;
            },
        );
        refused++;
    }
    assert.ok(refused >= 15, `${refused} refusals`);
});

test('numbers.csv: makespan, span, idle and peaks for all its costs', { skip: goldenMissing }, () => {
    const names = {
        forward_only: { schedule: 'forward' },
        naive: { schedule: 'naive' },
        gpipe: { schedule: 'gpipe' },
        '1f1b': { schedule: '1f1b' },
        interleaved_1f1b: { schedule: 'interleaved' },
        gpipe_recompute_early: { schedule: 'gpipe', recompute: 'early' },
        gpipe_recompute_late: { schedule: 'gpipe', recompute: 'late' },
        '1f1b_recompute_early': { schedule: '1f1b', recompute: 'early' },
    };
    let rows = 0;
    for (const row of goldenRows('numbers.csv')) {
        if (!names[row.schedule]) continue;
        const group = /N=(\d+)/.exec(row.params)?.[1];
        // The late rows give no R of its own: their W is W + R, "B costs R+I+W".
        const late = row.schedule === 'gpipe_recompute_late';
        const options = {
            ...names[row.schedule],
            ranks: row.p,
            microbatches: row.m,
            chunks: row.v,
            forward: row.F,
            'input-gradient': row.I,
            'weight-gradient': late ? row.W - row.R : row.W,
            'recompute-cost': row.R,
            latency: row.comm,
            group,
        };
        const { summary, perRank } = engine.simulate(options);
        const what = JSON.stringify(options);
        const near = (got, want, name) => assert.ok(Math.abs(got - Number(want)) < 1e-9, `${what}: ${name} ${got}, ${want}`);
        near(summary.makespan, row.makespan, 'makespan');
        near(summary.span, row.max_device_span, 'span');
        near(summary.idle, row.idle_total, 'idle');
        assert.equal(perRank.map((rank) => rank.peak_activations).join(' '), row.peak_per_device, what);
        rows++;
    }
    assert.ok(rows >= 190, `${rows} rows`);
});
