// The schedules found by trying against the peers' searches: never slower, never with more memory. Where ours is shorter
// the test says so.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadEngine } from '../../web/engine/index.js';
import { goldenRequest, goldenRows } from '../support/golden.mjs';

const engine = await loadEngine();

/** Counts what was compared; most groups are small, so each says how many rows it wants. */
class Tally {
    rows = 0;
    equal = 0;
    better = 0;

    /** @param {number} ours @param {number} theirs @param {string} what @param {number} [slack] */
    add(ours, theirs, what, slack = 1e-9) {
        assert.ok(ours <= theirs + slack, `${what}: ${ours}, theirs ${theirs}`);
        this.rows++;
        if (ours < theirs - slack) this.better++;
        else this.equal++;
    }

    toString() {
        return `${this.rows} rows: ${this.equal} equal, ${this.better} shorter`;
    }
}

test('manifest.csv: makespan, span and peak at most those of the peers', async (t) => {
    const maps = goldenRows('mapping.csv').filter((map) => map.compare === 'atmost');
    const manifest = goldenRows('manifest.csv');
    for (const map of maps) {
        const rows = manifest.filter((row) => row.generator === map.generator && row.schedule === map.schedule);
        await t.test(`${map.schedule} as ${map.name} ${map.options}`, (t) => {
            const tally = new Tally();
            for (const row of rows) {
                const { summary } = engine.simulate(goldenRequest(row, map));
                tally.add(summary.makespan, Number(row.makespan), `${row.file}: makespan`);
                assert.ok(summary.span <= Number(row.max_device_span), `${row.file}: span ${summary.span}`);
                assert.ok(summary.peak_activations <= Number(row.peak_activations), `${row.file}: peak`);
                assert.ok(summary.lower_bound <= summary.makespan, `${row.file}: lower bound ${summary.lower_bound}`);
            }
            assert.ok(tally.rows >= 10, `${tally.rows} rows`);
            t.diagnostic(String(tally));
        });
    }
    assert.equal(maps.length, 5);
});

// The papers' limits are in activations of which an I lets go of a part: per layer and token F holds 34 h + 5 a s bytes,
// and 32 h of them are kept for W (Table 1). Costs of two chunks are those of half a stage.
function tableRequest(row) {
    const [hidden, heads, seq, chunks] = [row.hidden, row.heads, row.seq, row.v].map(Number);
    return {
        schedule: 'zb-auto',
        ranks: row.p,
        microbatches: row.m,
        chunks,
        forward: row.T_F / chunks,
        'input-gradient': row.T_B / chunks,
        'weight-gradient': row.T_W / chunks,
        latency: row.T_comm,
        'memory-limit': row.schedule === 'ZB-2p' ? '2p' : '1p',
        'kept-share': (32 * hidden) / (34 * hidden + 5 * heads * seq),
    };
}

test('zero_bubble_tables.csv: bubble rates at most those of the tables', async (t) => {
    const rows = goldenRows('zero_bubble_tables.csv');
    for (const [schedule, wanted] of [
        ['ZB-1p', 8],
        ['ZB-2p', 8],
        ['ZB-V', 6],
    ]) {
        await t.test(schedule, (t) => {
            const tally = new Tally();
            for (const row of rows.filter((row) => row.schedule === schedule)) {
                const request = tableRequest(row);
                const { summary } = engine.simulate(request);
                const what = `${schedule} p=${row.p} m=${row.m}`;
                tally.add(summary.span, Number(row.cost), `${what}: span`, 0.001);
                assert.ok(
                    summary.bubble_rate <= Number(row.simulated_rate) + 0.00005,
                    `${what}: ${summary.bubble_rate}`,
                );
                if (schedule === 'ZB-2p') continue;
                // these hold even where an I lets go of nothing
                const whole = engine.simulate({ ...request, 'kept-share': 1 }).summary;
                assert.ok(whole.span <= Number(row.cost) + 0.001, `${what}: span ${whole.span} with everything kept`);
                assert.ok(whole.peak_activations <= row.p * row.v, `${what}: peak ${whole.peak_activations}`);
            }
            assert.ok(tally.rows >= wanted, `${tally.rows} rows`);
            t.diagnostic(String(tally));
        });
    }
});

test('numbers.csv: V-Half, V-Min and ZB-V', (t) => {
    const names = {
        v_half: { schedule: 'v-half' },
        v_min: { schedule: 'v-min' },
        zbv: { schedule: 'zb-auto', chunks: 2 },
    };
    const tally = new Tally();
    for (const row of goldenRows('numbers.csv')) {
        if (!names[row.schedule]) continue;
        const { summary } = engine.simulate({
            ...names[row.schedule],
            ranks: row.p,
            microbatches: row.m,
            forward: row.F,
            'input-gradient': row.I,
            'weight-gradient': row.W,
            latency: row.comm,
        });
        const what = `${row.schedule} p=${row.p} m=${row.m}`;
        tally.add(summary.makespan, Number(row.makespan), `${what}: makespan`);
        assert.ok(summary.span <= Number(row.max_device_span), `${what}: span ${summary.span}`);
        assert.ok(summary.peak_activations <= Math.max(...row.peak_per_device.split(' ').map(Number)), `${what}: peak`);
    }
    assert.ok(tally.rows >= 18, `${tally.rows} rows`);
    t.diagnostic(String(tally));
});

test('numbers.csv: never slower than ZB-H1 and ZB-H2 with their memory', (t) => {
    const tally = new Tally();
    for (const row of goldenRows('numbers.csv')) {
        const h = { zb_h1: 1, zb_h2: 2 }[row.schedule];
        if (!h) continue;
        const limit = h * (row.p - 1) + 1;
        const { summary } = engine.simulate({
            schedule: 'zb-auto',
            ranks: row.p,
            microbatches: row.m,
            forward: row.F,
            'input-gradient': row.I,
            'weight-gradient': row.W,
            latency: row.comm,
            'memory-limit': limit,
        });
        const what = `${row.schedule} p=${row.p} m=${row.m} F=${row.F} I=${row.I} W=${row.W}`;
        tally.add(summary.makespan, Number(row.makespan), `${what}: makespan`);
        assert.ok(summary.span <= Number(row.max_device_span) + 1e-9, `${what}: span ${summary.span}`);
        assert.ok(summary.peak_activations <= limit, `${what}: peak`);
    }
    assert.ok(tally.rows >= 90, `${tally.rows} rows`);
    t.diagnostic(String(tally));
});
