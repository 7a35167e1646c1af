// Files in and out: PyTorch's own tables and ours, through the engine and the command line. Names with a number are rows of
// the case list.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { loadEngine, OPS, PipelineError } from '../../web/engine/index.js';
import { toCsv, toJson } from '../../web/write/rows.js';
import { runCli } from '../support/cli.mjs';
import { goldenFolder, goldenRequest, goldenRows } from '../support/golden.mjs';

const engine = await loadEngine();

/** @param {string} text @param {string} [line] */
function check(text, line = '') {
    const { status, stdout, stderr } = runCli(`check - --format json ${line}`, text);
    assert.equal(status, 0, stderr);
    return JSON.parse(stdout);
}

/** A refusal: one line, no stack. @param {string} text @param {string} [line] @param {number} [wanted] */
function refused(text, line = '', wanted = 1) {
    const { status, stdout, stderr } = runCli(`check - ${line}`, text);
    assert.equal(status, wanted, stdout + stderr);
    assert.equal(stdout, '');
    assert.match(stderr, /^pipeline-figure: [^\n]+\n$/);
    assert.doesNotMatch(stderr, /\bat .*:\d+:\d+|undefined|\[object/);
    return stderr;
}

// ---- PyTorch's own files ----

const folder = `${goldenFolder}pytorch-format/`;
const read = (/** @type {string} */ name) => readFileSync(name, 'utf8');

test('PyTorch: every table comes back byte for byte', () => {
    let files = 0;
    for (const place of [folder, `${goldenFolder}pytorch-artifacts/`]) {
        for (const name of readdirSync(place)) {
            if (!/^(?!simulated).*\.csv$/.test(name)) continue;
            const text = read(place + name);
            assert.equal(engine.torchCsv({}, text), text, name);
            const { file, actions } = engine.check(text);
            assert.equal(file.lowered, text.includes('SEND'), name);
            assert.ok(actions.count > 0);
            files++;
        }
    }
    assert.ok(files >= 44, `${files} files`);
});

test('PyTorch: lowering gives its files, and its steps', () => {
    const steps = new Map(goldenRows('pytorch-format/simulated_steps.csv').map((row) => [row.schedule, row]));
    let compared = 0;
    for (const name of readdirSync(folder)) {
        const [, schedule, merged] = /^(.*?)(\.merged)?\.comms\.csv$/.exec(name) ?? [];
        if (!schedule) continue;
        const want = read(folder + name);
        const options = { comms: 'transfers', merge: merged ? 'yes' : 'no' };
        const compute = read(`${folder}${schedule}.compute.csv`);
        assert.equal(engine.torchCsv(options, compute), want, name);
        const row = steps.get(schedule);
        assert.equal(engine.check(want).file.steps, Number(merged ? row?.steps_merge_bw : row?.steps_unmerged), name);
        compared++;
    }
    assert.ok(compared >= 22, `${compared} files`);
    const vectors = JSON.parse(read(`${goldenFolder}pytorch-artifacts/lowering_vectors.json`));
    for (const { compute, out, simulated_steps } of vectors.csv) {
        const got = engine.torchCsv({ comms: 'transfers', merge: 'yes' }, read(goldenFolder + compute));
        assert.equal(got, read(goldenFolder + out), compute);
        assert.equal(engine.check(got).file.steps, simulated_steps);
    }
});

test('PyTorch: what our generators write holds the same actions', () => {
    const ours = new Set(engine.schedules.map((schedule) => schedule.name));
    const maps = goldenRows('mapping.csv').filter((map) => /^pytorch/.test(map.generator) && ours.has(map.name));
    const blanksToo = [];
    let compared = 0;
    for (const name of readdirSync(folder)) {
        const [, schedule, p, m, v] = /^(\w+?)_p(\d+)_m(\d+)_v(\d+)\.compute\.csv$/.exec(name) ?? [];
        const map = maps.find((row) => row.schedule === schedule && row.compare === 'order');
        if (!map) continue;
        const text = read(folder + name);
        const request = goldenRequest({ p, m, v }, map);
        const wanted = engine.torchCsv({ comms: 'transfers' }, text);
        assert.equal(engine.torchCsv({ ...request, comms: 'transfers' }), wanted, name);
        if (engine.torchCsv(request) === text) blanksToo.push(schedule);
        compared++;
    }
    assert.ok(compared >= 7, `${compared} files`);
    if (ours.has('bfs')) assert.ok(blanksToo.includes('LoopedBFS'), 'one step a column, as PyTorch draws this one');
});

// ---- every schedule, out and in again ----

/** @param {any} a @param {any} b @param {string} what */
function sameStep(a, b, what) {
    for (const name of ['rank', 'index', 'op', 'stage', 'microbatch', 'slice', 'start', 'finish', 'input'])
        assert.deepEqual(b.actions[name], a.actions[name], `${what}: ${name}`);
    // A file has no closed form, does not know of a pipe that nothing goes through, nor what a search has proved.
    const pipes = a.stageRank.length === b.stageRank.length;
    const bound = pipes && !what.includes('"schedule":"zb-auto"');
    const known = ([name]) => !name.startsWith('formula') && (bound || name !== 'lower_bound');
    assert.deepEqual(
        Object.fromEntries(Object.entries(b.summary).filter(known)),
        Object.fromEntries(Object.entries(a.summary).filter(known)),
        what,
    );
    const figures = (/** @type {any} */ { weight_versions, ...rest }) => rest; // a file does not tell
    assert.deepEqual(b.perRank.map(figures), a.perRank.map(figures), what);
    assert.deepEqual(b.idle, a.idle, what);
    assert.deepEqual(b.criticalPath, a.criticalPath, what);
}

test('CSV-01: import of an export equals the model, for every schedule', () => {
    const costs = [
        {},
        { forward: 0.1, backward: 0.3, latency: 0.7 },
        { forward: 3, 'input-gradient': 2, 'weight-gradient': 1, latency: 1, transfer: 'sender' },
    ];
    let tables = 0;
    let refusals = 0;
    for (const { name, chunksMin, chunksMax, options } of engine.schedules) {
        let made = 0;
        for (const ranks of [1, 2, 3, 4, 6, 8]) {
            for (const microbatches of [1, 2, 3, 4, 6, 8, 16, 24]) {
                for (let chunks = chunksMin; chunks <= Math.min(chunksMax, 3); chunks++) {
                    for (const recompute of options.includes('recompute') ? ['none', 'late'] : ['none']) {
                        const cost = costs[(ranks + microbatches + chunks) % costs.length];
                        const told = recompute === 'none' ? cost : { ...cost, recompute };
                        const request = { schedule: name, ranks, microbatches, chunks, ...told };
                        const what = JSON.stringify(request);
                        let model;
                        try {
                            model = engine.simulate(request);
                        } catch (error) {
                            if (!(error instanceof PipelineError)) throw error;
                            continue;
                        }
                        made++;
                        sameStep(model, engine.check(toJson(model), cost), what);
                        sameStep(model, engine.check(toCsv(model), told), what);
                        const measured = engine.check(toCsv(model), { ...told, times: 'measured' });
                        assert.deepEqual(measured.actions.start, model.actions.start, what);
                        assert.ok(
                            Math.abs(measured.summary.busy - model.summary.busy) < 1e-9 * model.summary.busy,
                            what,
                        );
                        try {
                            const table = engine.torchCsv(request);
                            sameStep(model, engine.check(table, cost), what);
                            assert.equal(engine.torchCsv({}, table), table, what);
                            if (cost.transfer) continue; // two sends of one slot go one after the other
                            const lowered = engine.torchCsv({ ...request, comms: 'compute-comms' });
                            sameStep(model, engine.check(lowered, cost), what);
                            tables++;
                        } catch (error) {
                            if (!(error instanceof PipelineError && error.code === 'inexpressible')) throw error;
                            assert.match(error.message, /^PyTorch's table cannot say this: .{20,}\.$/);
                            refusals++;
                        }
                    }
                }
            }
        }
        assert.ok(made > 0, `${name} was never made`);
    }
    assert.ok(tables > 150 && refusals > 50, `${tables} tables, ${refusals} refusals`);
});

test('CSV-01: same cells, same empties', () => {
    const cells = '0F0,0F1,,0B0,,0B1\n,1F0,1B0,1F1,1B1\n';
    for (const text of [cells, cells.replaceAll('\n', '\r\n'), `\ufeff${cells.replaceAll(',', ' , ').trim()}`]) {
        const { status, stdout } = runCli('check - --format torch', text);
        assert.deepEqual([status, stdout], [0, cells]);
    }
    assert.equal(check(cells).makespan, 9);
    assert.equal(runCli('simulate -s 1f1b -p 2 -m 2 --format torch').stdout, cells, 'and so is 1F1B written');
});

test('CSV-04: placement is read from the file', () => {
    const { actions, chunks, stages } = check('0F0,,,3F0\n,1F0,2F0\n');
    assert.deepEqual([chunks, stages], [2, 4]);
    assert.deepEqual(
        actions.filter(({ rank }) => rank === 0).map(({ stage }) => stage),
        [0, 3],
    );
    const message = refused('0F0,,,3F0\n,1F0,2F0,3B0\n');
    assert.match(message, /Row 2, column 4: 3B0 stands on rank 1, but its stage lies on rank 0/);
});

test('CSV-06: where receives stand', () => {
    const second = '1RECV_F0,1F0,1SEND_F0,1RECV_F1,1F1,1SEND_F1,3RECV_F0,3F0,3RECV_F1,3F1\n';
    const before = `0F0,0SEND_F0,2RECV_F0,0F1,0SEND_F1,2RECV_F1,2F0,2SEND_F0,2F1,2SEND_F1\n${second}`;
    const after = `0F0,0SEND_F0,0F1,0SEND_F1,2RECV_F0,2F0,2SEND_F0,2RECV_F1,2F1,2SEND_F1\n${second}`;
    assert.equal(check(before, '--receive wait').makespan, 7);
    assert.equal(check(after, '--receive wait').makespan, 5);
    assert.equal(check(before).makespan, 5, 'a receive is a post unless told otherwise');
    assert.equal(check('0F0,0F1,2F0,2F1\n1F0,1F1,3F0,3F1\n').makespan, 5);
    assert.equal(engine.torchCsv({ comms: 'transfers' }, '0F0,0F1,2F0,2F1\n1F0,1F1,3F0,3F1\n'), before);
    // pitfalls: lowered 1F1B with receives that stand
    for (const [p, m, post, wait] of [
        [2, 3, 12, 14],
        [4, 8, 33, 45],
    ]) {
        const lowered = engine.torchCsv({ schedule: '1f1b', ranks: p, microbatches: m, comms: 'compute-comms' });
        assert.equal(engine.check(lowered).summary.makespan, post);
        assert.equal(engine.check(lowered, { receive: 'wait' }).summary.makespan, wait);
    }
});

test('SCH-25: an order that waits for itself', () => {
    const started = process.hrtime.bigint();
    const message = refused('0F0,0B0,0F1,0B1\n1F1,1B1,1F0,1B0\n');
    assert.ok(process.hrtime.bigint() - started < 10_000_000_000n);
    assert.match(message, /Deadlock: rank 0 stands before 0B0 \(row 1, column 2\)/);
    assert.match(message, /circle: 2/);
    assert.match(message, /rank 0 before 0B0 \(column 2\), rank 1 before 1F1 \(column 1\)/);
    assert.match(refused('0F0,0B0,0F1,0B1\n1F1,1B1,1F0,1B0\n', '--lang ru'), /устройство 1 перед 1F1 \(столбец 1\)/);
    assert.throws(
        () => engine.check('0F0,0B0,0F1,0B1\n1F1,1B1,1F0,1B0\n'),
        (/** @type {any} */ error) => {
            assert.deepEqual(error.blocked, [
                { rank: 0, stage: 0, op: 'B', microbatch: 0, column: 1 },
                { rank: 1, stage: 1, op: 'F', microbatch: 1, column: 0 },
            ]);
            return error.code === 'deadlock';
        },
    );
});

test('SIM-06: a backward before its forward has reached the last rank', () => {
    const rows = engine.torchCsv({ schedule: '1f1b', ranks: 4, microbatches: 8, comms: 'transfers' });
    assert.ok(rows);
    const ranks = engine.torchCsv({ schedule: '1f1b', ranks: 4, microbatches: 8 }).trim().split('\n');
    const first = ranks[0].split(',').filter((cell) => cell !== '' && cell !== '0B4');
    first.splice(first.indexOf('0F4') + 1, 0, '0B4');
    const message = refused(`${[first.join(','), ...ranks.slice(1)].join('\n')}\n`);
    assert.match(message, /rank 0 stands before 0B4 \(row 1, column 7\)/);
    assert.match(message, /0B4 needs 1B4 \(row 2, column \d+\), which needs 3F4/);

    // Where nothing waits in a circle it is an order like any other. It is never drawn where its cell stands.
    const drawn =
        '0F0,0F1,0F2,0F3,0F4,0B4,0B3,0B2,0B1,0B0\n' +
        ',1F0,1F1,1F2,1F3,1F4,,1B4,1B3,1B2,1B1,1B0\n,,2F0,2F1,2F2,2F3,2F4,2B4,2B3,2B2,2B1,2B0\n' +
        ',,,3F0,3F1,3F2,3F3,3F4,3B4,3B3,3B2,3B1,3B0\n';
    const { file, actions } = engine.check(drawn);
    assert.match(
        file.note ?? '',
        /Row 1, column 6: 0B4 stands no later than 1B4 \(row 2, column 8\), which it needs, which needs 3F4/,
    );
    const at = (/** @type {number} */ stage, /** @type {string} */ op) =>
        [...actions.op.keys()].find(
            (i) => actions.stage[i] === stage && OPS[actions.op[i]] === op && actions.microbatch[i] === 4,
        ) ?? -1;
    assert.equal(actions.start[at(0, 'B')], actions.finish[at(1, 'B')]);
    assert.match(runCli('check -', drawn).stdout, /column 6: 0B4/);
    assert.equal(check(drawn).note, file.note);
});

test('SIM-37: the bubbles of a measured run', () => {
    const intervals = 'device,start,end\n0,0,1\n0,3,4\n1,1,2\n1,2,3\n';
    const named =
        'device,index,op,stage,microbatch,start,end\n' + '0,0,F,0,0,0,1\n0,1,B,0,0,3,4\n1,0,F,1,0,1,2\n1,1,B,1,0,2,3\n';
    for (const text of [intervals, named]) {
        const got = check(text, '--times measured');
        assert.equal(got.makespan, 4);
        assert.equal(got.per_rank[0].busy + got.per_rank[1].busy, 4);
        assert.deepEqual([got.bubble.fraction, got.bubble.fraction_exact], [0.5, '1/2']);
    }
    const { stdout } = runCli('check - --times measured', named);
    assert.match(stdout, /rank 0 {2}F0 \. {2}\. {2}B0/);
    assert.match(stdout, /simulated with mean times +4 /);
    assert.match(refused(intervals), /does not say what ran/);
    assert.match(refused('0F0\n', '--times measured'), /has no times/);
    const late = named.replace('0,1,B,0,0,3,4', '0,1,B,0,0,5,6.5'); // as it happens
    const got = check(late, '--times measured');
    assert.deepEqual([got.makespan, got.bubble.fraction_exact], [6.5, null]);
    assert.equal(check(late).makespan, 6, 'the same order, timed by the costs asked for');
    const trace = JSON.parse(runCli('check - --times measured --format trace', late).stdout);
    assert.deepEqual(
        [...new Set(trace.traceEvents.map((/** @type {any} */ event) => event.pid))],
        [1, 2],
        'and beside it',
    );
});

// ---- faults, options ----

test('faults of a file are told by row and column', () => {
    assert.match(refused('0F0,0F1\n1F0,,1G1\n'), /Row 2, column 3: 1G1 is not an action/);
    assert.match(refused('0F0,0F1\n1F0,,1G1\n', '--lang ru'), /Строка 2, столбец 3: 1G1 — не операция/);
    assert.match(refused('0F0,0F1,0B0,0B1\n,1F0,1B0,1F1\n'), /1B1 is missing on rank 1/);
    assert.match(
        refused('0F0,0B1,0F1,0B0\n,1F0,1B0,1F1,1B1\n'),
        /Row 1, column 2: 0B1 stands before 0F1 \(row 1, column 3\)/,
    );
    assert.match(refused('0F0,0F0,0B0\n'), /column 2: 0F0 stands twice/);
    assert.match(refused('0F0,(0F1;0W0)OVERLAP_F_B\n'), /column 2: .* not a group/);
    assert.match(refused('0F0,0SEND_F0\n1F0\n'), /1RECV_F0 is missing on rank 1/);
    assert.match(refused(''), /no actions/);
    assert.match(refused('0F0,0BW0\n'), /Nearest legal: letters=before-2\.6/);
    assert.equal(check('0F0,0BW0\n', '--letters before-2.6').makespan, 3);
    assert.match(refused('device,op,stage,microbatch\n0,F,0,x\n'), /Row 2, column 4: x is not a whole number/);
    assert.match(refused('{"actions":[{"rank":0,}]}'), /not JSON/);
    assert.match(refused('0F0\n', '-p 4', 2), /ranks \(p\) = 4: the file has 1\. Nearest legal: ranks=1/);
    assert.match(refused('0F0\n', '-s gpipe', 2), /schedule of a file/);
    assert.match(refused('0F0\n', '--comms transfers', 2), /no meaning here/);
    assert.match(refused('0F0\n', '--forward x', 2), /a number is needed/);
    assert.equal(runCli('check').status, 2);
    assert.match(runCli('check /nowhere/a.csv').stderr, /cannot be read \(ENOENT\)/);
    assert.match(runCli('simulate -s gpipe -p 2 -m 2 --recompute late --format torch').stderr, /no action recomputes/);
    assert.equal(runCli('simulate -s gpipe -p 2 -m 2 --recompute late --format torch').status, 2);
});

test('costs and transfers go with a file as with a name', () => {
    for (const options of [{ forward: '1 2', backward: 3 }, { latency: 0.5 }, { latency: 1, transfer: 'rendezvous' }]) {
        const request = { schedule: '1f1b', ranks: 2, microbatches: 4, ...options };
        sameStep(engine.simulate(request), engine.check(engine.torchCsv(request), options), JSON.stringify(options));
    }
});

test('a blocked transfer is named with its cell', () => {
    const program =
        '0F0,0SEND_F0,0F1,0SEND_F1,0RECV_B0,0B0,0RECV_B1,0B1\n1RECV_F0,1F0,1B0,1SEND_B0,1RECV_F1,1F1,1B1,1SEND_B1\n';
    assert.equal(check(program).makespan, 9);
    const message = refused(program, '--transfer rendezvous');
    assert.match(message, /rank 0 stands before 0SEND_F1 \(row 1, column 4\)/);
    assert.match(message, /rank 1 before 1SEND_B0 \(column 4\)/);
});

test('a profile: actions, lists, timers', () => {
    const request = { schedule: 'interleaved', ranks: 2, microbatches: 4, chunks: 2 };
    const costs = { forward: '1 2 3 4', 'input-gradient': '2 2 1 1', 'weight-gradient': '1 1 2 2' };
    const model = engine.simulate({ ...request, ...costs });
    for (const text of [toJson(model), toCsv(model)]) {
        const profile = engine.parseProfile(text);
        assert.deepEqual(Object.keys(profile).sort(), ['backward', 'forward']);
        assert.deepEqual([...profile.forward], [1, 2, 3, 4]);
        assert.deepEqual([...profile.backward], [3, 3, 3, 3]);
        assert.equal(engine.simulate({ ...request, ...profile }).summary.makespan, model.summary.makespan);
    }
    for (const text of [
        '{"forward": [1, 2], "backward": 3, "note": "x"}',
        '{"stages": [{"F": 1}, {"F": 2}], "B": 3}',
        'stage,forward,backward\n0,1,3\n1,2,3\n',
        'F,B\n1,3\n2,3\n',
    ]) {
        const { forward, backward } = engine.parseProfile(text);
        assert.deepEqual([...forward], [1, 2], text);
        assert.ok(
            backward.every((/** @type {number} */ b) => b === 3),
            text,
        );
        assert.equal(engine.simulate({ schedule: 'gpipe', ranks: 2, forward, backward }).costs.backward[1], 3);
    }
    const split = engine.parseProfile('{"I": [1, 1], "W": [2, 0.5]}');
    assert.deepEqual([...split['input-gradient'], ...split['weight-gradient']], [1, 1, 2, 0.5]);
    assert.throws(() => engine.parseProfile('hello'), /it tells none/);
    assert.throws(() => engine.parseProfile('{"forward": [1, "x"]}'), /not JSON/);
    assert.throws(() => engine.parseProfile('stage,forward\n0,x\n'), /x is not a number/);
});

test("a profile from Megatron's timers, as far as they tell", () => {
    const each = (/** @type {string} */ name, /** @type {number[]} */ times) =>
        `  ${name}:\n${times.map((ms, rank) => `     rank ${String(rank).padStart(2)}: ${ms.toFixed(2)}`).join('\n')}\n`;
    const all = `times across ranks (ms):\n${each('forward-backward', [99, 99])}${each('forward-compute', [8, 16])}${each('backward-compute', [16, 24])}`;
    const run = engine.simulate({ schedule: '1f1b', ranks: 2, microbatches: 4 }).config;
    const got = engine.parseProfile(`${all.replaceAll('8.00', '80.00')}\n${all}`, run);
    assert.deepEqual(
        [[...got.forward], [...got.backward]],
        [
            [2, 4],
            [4, 6],
        ],
        'the last report counts',
    );
    const four = engine.parseProfile(`times across ranks (ms):\n${each('forward-compute', [8, 10, 16, 18])}`, run);
    assert.deepEqual([...four.forward], [2.25, 4.25], 'two ranks share a place in the pipeline');
    const chunks = engine.simulate({ schedule: 'interleaved', ranks: 2, microbatches: 4, chunks: 2 }).config;
    assert.deepEqual([...engine.parseProfile(all, chunks).forward], [1, 2, 1, 2]);
    const minmax =
        '(min, max) time across ranks (ms):\n    forward-compute ................................: (8.00, 16.00)\n' +
        '    backward-compute ...............................: (16.00, 24.00)\n';
    assert.deepEqual([...engine.parseProfile(minmax, run).forward], [4], 'whose the max is, is not told');
    const old = ' iteration 30/ 100 |\ntime (ms) | forward-compute: 16.00 | backward-compute: 24.00 | optimizer: 3.0';
    assert.deepEqual([...engine.parseProfile(old, run).backward], [6]);
    assert.throws(() => engine.parseProfile(all), /ranks, microbatches and chunks/);
    const three = engine.simulate({ schedule: 'gpipe', ranks: 3 }).config;
    assert.throws(() => engine.parseProfile(all, three), /2 ranks, which is no multiple of 3/);
    // What cannot be read is refused, not left out.
    for (const [from, to, words] of [
        ['rank  1: 24.00', 'rank  1: -24.00', /Row 10.*-24\.00 is not a number/],
        ['rank  1: 24.00', 'rank  1: nan', /Row 10.*nan is not a number/],
        ['rank  1: 24.00', 'rank  2: 24.00', /Row 10.*2: is not a number/],
        ['rank  1: 24.00', '', /1 ranks, which is no multiple of 2/],
    ])
        assert.throws(
            () => engine.parseProfile(all.replace(/** @type {string} */ (from), /** @type {string} */ (to)), run),
            /** @type {RegExp} */ (words),
        );
});

test('traces: a thread a rank, an arrow a transfer', () => {
    const { stdout } = runCli('simulate -s 1f1b -p 2 -m 2 --format trace --scale 1000');
    const { traceEvents } = JSON.parse(stdout);
    const of = (/** @type {string} */ phase) => traceEvents.filter((/** @type {any} */ event) => event.ph === phase);
    assert.deepEqual(of('X')[0], {
        ph: 'X',
        name: '0F0',
        cat: 'F',
        pid: 1,
        tid: 0,
        ts: 0,
        dur: 1000,
        args: { stage: 0, microbatch: 0 },
    });
    assert.equal(of('X').length, 8);
    assert.deepEqual([of('s').length, of('f').length], [4, 4]);
    for (const arrow of of('s')) {
        const inside = of('X').some(
            (/** @type {any} */ slice) =>
                slice.tid === arrow.tid && arrow.ts >= slice.ts && arrow.ts < slice.ts + slice.dur,
        );
        assert.ok(inside, `arrow at ${arrow.ts}`);
    }
    assert.match(runCli('check - --format svg', '0F0,0F1\n,1F0,1F1\n').stdout, /^<svg/);
    assert.match(runCli('simulate -s gpipe --format trace --scale 0').stderr, /scale.*Nearest legal: scale=1/);
});

test('a table whose every action waits for a far rank is checked, and its deadlock is named', () => {
    // Stage s stands on rank 0, p - 1, 1, p - 2, …: neither a walk up nor one down the ranks finds more than one action.
    const ranks = 40;
    const microbatches = 4;
    const rankOf = (/** @type {number} */ stage) => (stage % 2 ? ranks - 1 - (stage >> 1) : stage >> 1);
    const rows = Array.from({ length: ranks }, () => /** @type {string[]} */ ([]));
    for (let unit = 0; unit < microbatches; unit++) {
        for (let stage = 0; stage < ranks; stage++) rows[rankOf(stage)].push(`${stage}F${unit}`);
        for (let stage = ranks - 1; stage >= 0; stage--) rows[rankOf(stage)].push(`${stage}B${unit}`);
    }
    const text = () => rows.map((row) => row.join(',')).join('\n');
    const step = engine.check(text());
    assert.equal(step.summary.makespan, microbatches * ranks * 3);
    for (const transfer of ['sender', 'rendezvous'])
        assert.equal(engine.check(text(), { transfer }).summary.makespan, microbatches * ranks * 3);
    // The second micro-batch before the first on one rank alone.
    const row = rows[rankOf(7)];
    [row[0], row[1], row[2], row[3]] = [row[2], row[3], row[0], row[1]];
    assert.throws(() => engine.check(text()), { code: 'deadlock' });
});

test('a rank without actions is still there when a table that was written is read back', () => {
    for (const comms of ['keep', 'compute-only', 'compute-comms', 'transfers']) {
        const written = engine.torchCsv({ comms }, '0F0\n,\n');
        assert.equal(engine.check(written).config.ranks, 2, comms);
    }
});
