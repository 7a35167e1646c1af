// Orders and times of the peers' own generators, op by op.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadEngine, OPS, PipelineError } from '../../web/engine/index.js';
import { goldenOrder, goldenRequest, goldenRows } from '../support/golden.mjs';

const engine = await loadEngine();
const ours = new Set(engine.schedules.map((schedule) => schedule.name));

test('orders of manifest.csv', async (t) => {
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
        if (!map || !['order', 'metrics'].includes(map.compare) || !ours.has(map.name)) continue; // at most: golden-search
        await t.test(`${key}: ${rows.length} files, ${map.compare}`, () => {
            for (const row of rows) compareRow(row, map);
            compared += rows.length;
        });
    }
    assert.ok(compared >= 485, `only ${compared} files were compared`);
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
    const expected = goldenOrder(row.file);
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

test('settings the peers refuse are refused with the rule in words', () => {
    const maps = new Map(goldenRows('mapping.csv').map((map) => [`${map.generator},${map.schedule}`, map]));
    for (const row of goldenRows('rejected.csv')) {
        const options = goldenRequest(row, maps.get(`${row.generator},${row.schedule}`));
        assert.throws(
            () => engine.simulate(options),
            (error) => {
                assert.ok(error instanceof PipelineError);
                assert.match(error.message, /rule|needs at least/);
                assert.ok(error.fixes.length > 0, error.message);
                for (const fix of error.fixes)
                    engine.simulate({ ...options, group: undefined, [fix.option]: fix.value });
                return true;
            },
        );
    }
});

test('numbers.csv: makespan, span, idle and peaks for all its costs', () => {
    const names = {
        forward_only: { schedule: 'forward' },
        naive: { schedule: 'naive' },
        gpipe: { schedule: 'gpipe' },
        '1f1b': { schedule: '1f1b' },
        interleaved_1f1b: { schedule: 'interleaved' },
        gpipe_recompute_early: { schedule: 'gpipe', recompute: 'early' },
        gpipe_recompute_late: { schedule: 'gpipe', recompute: 'late' },
        '1f1b_recompute_early': { schedule: '1f1b', recompute: 'early' },
        eager_1f1b: { schedule: 'eager-1f1b' },
        interleaved_1f1b_overlap: { schedule: 'interleaved-overlap' },
        looped_bfs: { schedule: 'bfs' },
        gis: { schedule: 'gis' },
        interleaved_zb: { schedule: 'interleaved-zb' },
        zb_h1: { schedule: 'zb-h1' },
        zb_h2: { schedule: 'zb-h2' },
        zbv: { schedule: 'zb-v' },
        dualpipe: { schedule: 'dualpipe' },
        dualpipev: { schedule: 'dualpipe-v' },
        chimera: { schedule: 'chimera' },
        seq1f1b: { schedule: 'seq1f1b' },
    };
    let rows = 0;
    for (const row of goldenRows('numbers.csv')) {
        if (!names[row.schedule]) continue;
        const given = (name) => new RegExp(`\\b${name}=(\\d+)`).exec(row.params)?.[1];
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
            'overlap-cost': row.FB,
            latency: row.comm,
            group: given('N') ?? given('g'),
            pipes: given('pipes'),
            slices: given('k'),
        };
        const { summary, perRank } = engine.simulate(options);
        const what = JSON.stringify(options);
        const near = (got, want, name) =>
            assert.ok(Math.abs(got - Number(want)) < 1e-9, `${what}: ${name} ${got}, ${want}`);
        near(summary.makespan, row.makespan, 'makespan');
        near(summary.span, row.max_device_span, 'span');
        near(summary.idle, row.idle_total, 'idle');
        near(Math.max(...perRank.map((rank) => rank.busy)), row.busy_max, 'busy');
        assert.equal(perRank.map((rank) => rank.peak_activations).join(' '), row.peak_per_device, what);
        if (Number(row.comm) === 0 && summary.formula >= 0) near(summary.formula, row.makespan, 'formula');
        rows++;
    }
    assert.ok(rows >= 512, `${rows} rows`);
});

test('zero_bubble_tables.csv: rates and spans of the schedules that are rules', () => {
    const names = { '1F1B': '1f1b', '1F1B-I': 'interleaved', 'ZB-H1': 'zb-h1', 'ZB-H2': 'zb-h2' };
    let rows = 0;
    for (const row of goldenRows('zero_bubble_tables.csv')) {
        if (!names[row.schedule]) continue;
        const { summary } = engine.simulate({
            schedule: names[row.schedule],
            ranks: row.p,
            microbatches: row.m,
            chunks: row.v,
            forward: Number(row.T_F) / Number(row.v),
            'input-gradient': Number(row.T_B) / Number(row.v),
            'weight-gradient': Number(row.T_W) / Number(row.v),
            latency: row.T_comm,
        });
        const what = `table ${row.table}, ${row.model}, m=${row.m}, ${row.schedule}`;
        assert.equal(summary.bubble_rate.toFixed(4), row.simulated_rate, what);
        assert.ok(Math.abs(summary.span - Number(row.cost)) < 6e-4, `${what}: span ${summary.span}, ${row.cost}`);
        rows++;
    }
    assert.equal(rows, 72);
});

test('weight_versions.csv: version, lag and number of versions', () => {
    const groups = goldenRows('weight_versions.csv').reduce((all, row) => {
        const key = `${row.schedule},${row.p},${row.m_per_update}`;
        return all.set(key, [...(all.get(key) ?? []), row]);
    }, new Map());
    for (const [key, rows] of groups) {
        const [schedule, ranks, every] = key.split(',');
        const microbatches = Math.max(...rows.map((row) => Number(row.microbatch))) + 1;
        const { actions, perRank } = engine.simulate(
            schedule === 'pipedream'
                ? { schedule, ranks, microbatches }
                : { schedule: '2bw', ranks, microbatches, group: every },
        );
        const at = new Map(Array.from(actions.rank, (rank, i) => [`${rank},${actions.microbatch[i]}`, i]));
        assert.equal(at.size, rows.length, key);
        for (const row of rows) {
            const i = at.get(`${row.device},${row.microbatch}`);
            const what = `${key}, rank ${row.device}, micro-batch ${row.microbatch}`;
            assert.equal(actions.version[i], Number(row.version_used), `${what}: version`);
            assert.equal(actions.delay[i], Number(row.updates_behind), `${what}: lag`);
            assert.equal(perRank[row.device].weight_versions, Number(row.distinct_versions_peak), `${what}: versions`);
        }
    }
});
