// Traces in: what profilers write of a run becomes a schedule with measured times. And tables that came through a spreadsheet.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadEngine, PipelineError } from '../../web/engine/index.js';
import { toTrace } from '../../web/write/trace.js';

const engine = await loadEngine();
const measured = (/** @type {string} */ text, options = {}) => engine.check(text, { times: 'measured', ...options });

/** Complete events of 1F1B on two ranks, two micro-batches: names, ranks, starts, durations. @type {[string, number, number, number][]} */
const STEP = [
    ['0F0', 0, 0, 10],
    ['0F1', 0, 12, 10],
    ['0B0', 0, 40, 20],
    ['0B1', 0, 70, 20],
    ['1F0', 1, 11, 10],
    ['1B0', 1, 21, 18],
    ['1F1', 1, 40, 10],
    ['1B1', 1, 50, 19],
];
const event = (/** @type {Record<string, any>} */ fields) => ({ ph: 'X', cat: 'user_annotation', ...fields });
/** @param {(name: string, rank: number) => Record<string, any>} of @param {number} [from] @param {number} [slower] */
const step = (of, from = 0, slower = 1) =>
    STEP.map(([name, rank, ts, dur]) => event({ ts: from + ts * slower, dur: dur * slower, ...of(name, rank) }));

/** @param {import('../../web/engine/types.js').Actions} actions */
const listed = ({ rank, op, stage, microbatch, start, finish }) =>
    Array.from(rank, (r, i) => [r, op[i], stage[i], microbatch[i], start[i], finish[i]].join(' '));

const WANTED = listed(
    measured(
        `device,op,stage,microbatch,start,end\n${STEP.map(([name, rank, ts, dur]) => `${rank},${name[1]},${name[0]},${name[2]},${ts},${ts + dur}`).join('\n')}\n`,
    ).actions,
);

test('our own trace comes back: the same actions at the same times, of every schedule', () => {
    let read = 0;
    for (const { name, chunksDefault } of engine.schedules) {
        for (const more of [{}, { latency: 0.5, forward: '1 2 1.5', backward: '2 4 3' }]) {
            const request = { schedule: name, ranks: 3, microbatches: 6, ...(chunksDefault > 1 ? {} : more) };
            let simulation;
            try {
                simulation = engine.simulate(request);
            } catch (error) {
                assert.ok(error instanceof PipelineError);
                continue;
            }
            const back = measured(toTrace([{ name, simulation }], 1));
            assert.deepEqual(listed(back.actions), listed(simulation.actions), name);
            assert.equal(back.file.note, null);
            read++;
        }
    }
    assert.ok(read > 20, String(read));
    const slices = engine.simulate({ schedule: 'seq1f1b', ranks: 2, microbatches: 4, slices: 2 });
    assert.deepEqual(
        [...measured(toTrace([{ name: 'slices', simulation: slices }], 1)).actions.slice],
        [...slices.actions.slice],
    );
});

test('two schedules in one trace: the first is read', () => {
    const [a, b] = ['1f1b', 'gpipe'].map((schedule) => engine.simulate({ schedule, ranks: 2, microbatches: 4 }));
    const text = toTrace(
        [
            { name: 'a', simulation: a },
            { name: 'b', simulation: b },
        ],
        1,
    );
    assert.deepEqual(listed(measured(text).actions), listed(a.actions));
});

test('names, processes and threads as profilers have them', () => {
    const own = (/** @type {string} */ name, /** @type {number} */ rank) => ({ name, pid: rank, tid: rank });
    const noise = [
        { ph: 'M', name: 'process_name', pid: 'Spans', tid: 0, args: { name: 'python "x"' } },
        event({ name: 'aten::mm', pid: 3, tid: 9, ts: 1, dur: 2, args: { Shapes: [[2, { deep: [] }]] } }),
        event({ name: '0F', pid: 0, tid: 0, ts: 1, dur: 2 }),
        { ph: 'i', name: '0F0', pid: 0, tid: 0, ts: 3, s: 't' },
    ];
    /** @type {Record<string, any[]>} */
    const traces = {
        'PyTorch, dump of a schedule': step(own),
        'PyTorch, profiler': step((name, rank) => ({ name: `PP:${name}`, pid: 4100 + rank, tid: 77 })),
        'a thread for each rank': step((name, rank) => ({ name, pid: 9, tid: 500 + rank })),
        'single stages': step((name, rank) => ({
            name: `${name[1] === 'F' ? 'Forward' : 'Backward'} ${name[2]}`,
            pid: 10 + rank,
            tid: 1,
        })),
        'a clock that counts from 1970': step(own, 1.7e15),
        'words in place of numbers': step((name, rank) => ({ name, pid: 'host', tid: rank })),
        'host and device': [
            ...step((name, rank) => ({ name, pid: 70 + rank, tid: 1 }), -3, 1.2),
            ...step((name, rank) => ({ name, pid: rank, tid: 7, cat: 'gpu_user_annotation' })),
        ],
    };
    for (const [what, events] of Object.entries(traces)) {
        for (const text of [
            JSON.stringify(events),
            JSON.stringify({ schemaVersion: 1, traceEvents: [...noise, ...events], displayTimeUnit: 'ms' }, null, 1),
        ])
            assert.deepEqual(listed(measured(text).actions), WANTED, what);
    }
});

test('several steps: the last one is shown, and the note says so in both languages', () => {
    const own = (/** @type {string} */ name, /** @type {number} */ rank) => ({ name, pid: rank, tid: 0 });
    const text = JSON.stringify({ traceEvents: [...step(own, 0, 3), ...step(own, 1000, 2), ...step(own, 2000)] });
    const { actions, file } = measured(text);
    assert.deepEqual(listed(actions), WANTED);
    assert.equal(file.note, '3 steps stand in this trace; the last one is shown: the first ones warm up.');
    engine.lang = 'ru';
    assert.match(String(measured(text).file.note), /^В этой трассировке шагов: 3; показан последний/);
    assert.throws(
        () => measured(JSON.stringify({ traceEvents: [...step(own), ...step(own, 1000).slice(1)] })),
        /операция встречается другое число раз.*между шагами/,
    );
    engine.lang = 'en';
    assert.throws(
        () => measured(JSON.stringify({ traceEvents: [...step(own), ...step(own, 1000).slice(1)] })),
        /^PipelineError: Row 1, column \d+: this action stands there another number of times than the first one, \d; the trace must begin and end between two steps\.$/,
    );
});

test('costs of stages from a trace', () => {
    const own = (/** @type {string} */ name, /** @type {number} */ rank) => ({ name, pid: rank, tid: 0 });
    const costs = engine.parseProfile(JSON.stringify({ traceEvents: step(own) }));
    assert.deepEqual(Object.fromEntries(Object.entries(costs).map(([name, list]) => [name, [...list]])), {
        forward: [10, 10],
        backward: [20, 18.5],
    });
});

test('a trace without actions, or torn off, is refused in one sentence', () => {
    for (const [text, said] of /** @type {[string, RegExp][]} */ ([
        ['{"traceEvents":[]}', /No schedule was found in it/],
        ['{"traceEvents":[{"ph":"X","name":"aten::mm","ts":1,"dur":2}]}', /No schedule was found in it/],
        ['[{"ph":"X","name":"0F0","ts":1,"dur":2', /is not JSON as it is wanted here/],
        ['{"traceEvents":[{"ph":"X","name":"0F0","ts":1,"dur":-2}]}', /finishes before it starts/],
        ['{"traceEvents":[{"ph":"X","name":"99999F0","ts":1,"dur":2}]}', /No schedule was found in it/],
    ]))
        assert.throws(() => measured(text), said, text);
});

test('semicolons, tabs and the line ends of old files', () => {
    const csv = 'device,index,op,stage,microbatch,start,end\n0,0,F,0,0,0,1.5\n0,1,B,0,0,1.5,3\n';
    const want = listed(measured(csv).actions);
    const semicolons = csv.replaceAll(',', ';').replaceAll('.', ',');
    for (const text of [
        semicolons,
        csv.replaceAll(',', '\t'),
        csv.replaceAll('\n', '\r'),
        csv.replaceAll('\n', '\r\n'),
        semicolons.replaceAll('\n', '\r'),
    ])
        assert.deepEqual(listed(measured(text).actions), want, JSON.stringify(text));

    const table = '0F0,(0F1;0B0)OVERLAP_F_B,0B1\n1F0,1B0,1F1,1B1\n';
    const order = '0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n';
    for (const [text, ends] of [
        [order, ['\n', '\r', '\r\n']],
        [table, ['\n']],
    ])
        for (const end of ends)
            for (const separator of [',', ';', '\t']) {
                let inside = false;
                const other = [...String(text)]
                    .map((c) => {
                        inside = c === '(' || (inside && c !== ')');
                        return c === ',' ? separator : c === '\n' ? end : c;
                    })
                    .join('');
                const read = (/** @type {string} */ file) => {
                    try {
                        return listed(engine.check(file).actions).join();
                    } catch (error) {
                        return String(error);
                    }
                };
                assert.equal(read(other), read(String(text)), JSON.stringify(other));
            }

    // Places are counted alike.
    for (const end of ['\n', '\r', '\r\n'])
        assert.throws(() => engine.check(`0F0,0B0${end}1F0,x${end}`), /Row 2, column 2: x is not an action/);
    assert.deepEqual([...engine.parseProfile('stage;forward;backward\r0;1,5;2\r1;3;4,25\r').backward], [2, 4.25]);
});
