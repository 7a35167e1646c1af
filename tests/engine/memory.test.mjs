// Running out of memory: every call is answered or refused in one sentence, nothing is kept of a refused one, and the next smaller
// call works. Memory is short in three ways: each allocation fails in turn, the module has a real cap, an array of JavaScript
// cannot be made.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import test from 'node:test';
import { loadEngine, PipelineError } from '../../web/engine/index.js';

const here = new URL('.', import.meta.url);
const SMALL = { schedule: '1f1b', ranks: 2, microbatches: 2 };
const LARGE = { schedule: '1f1b', ranks: 8, microbatches: 400 };

/** An engine whose allocations are counted, and fail where `fails` says so. */
async function watched() {
    const engine = await loadEngine();
    const { pp_alloc, pp_free } = engine.core;
    const watch = { open: new Set(), asked: 0, fails: (/** @type {number} */ _nth) => false };
    engine.core.pp_alloc = (/** @type {number} */ bytes) => {
        if (watch.fails(watch.asked++)) return 0;
        const at = pp_alloc(bytes);
        if (at !== 0) watch.open.add(at >>> 0);
        return at;
    };
    engine.core.pp_free = (/** @type {number} */ at) => {
        assert.ok(watch.open.delete(at >>> 0), `${at} was given back twice, or never had`);
        pp_free(at);
    };
    return { engine, watch };
}

/** @type {Record<string, (engine: import('../../web/engine/engine.js').Engine) => void>} */
const CALLS = {
    simulate: (engine) => engine.simulate(SMALL),
    'simulate a large step': (engine) => engine.simulate(LARGE),
    'simulate, with every study': (engine) =>
        engine.simulate(
            { ...SMALL, 'fail-rank': 1, 'memory-weights': 1 },
            { memory: true, whatIf: true, takeover: true, failure: true, why: { rank: 1, time: 0 } },
        ),
    'a move that cannot run': (engine) => {
        try {
            engine.simulate({ ...SMALL, moves: '1F0+3' });
        } catch (error) {
            if (!(error instanceof PipelineError) || error.code === 'capacity') throw error;
        }
    },
    hold: (engine) => {
        const step = engine.hold(LARGE);
        try {
            step.time({ ...LARGE, forward: 3 });
        } finally {
            step.close();
        }
    },
    check: (engine) => engine.check('0F0,0F1,0B0,0B1\n1F0,1B0,1F1,1B1\n'),
    torchCsv: (engine) => engine.torchCsv({ ...SMALL, comms: 'transfers' }),
    parseProfile: (engine) => engine.parseProfile('{"forward":[1,2],"backward":[2,2]}'),
    train: (engine) => {
        const training = engine.train({ ...SMALL, width: 4 });
        try {
            training.step();
            const { state } = training;
            training.state = state;
        } finally {
            training.close();
        }
    },
};

for (const [name, call] of Object.entries(CALLS))
    test(`each allocation fails in turn: ${name}`, async () => {
        const { engine, watch } = await watched();
        call(engine);
        const [needed, kept] = [watch.asked, watch.open.size];
        let refused = 0;
        for (let nth = 0; nth < needed; nth++) {
            watch.asked = 0;
            watch.fails = (n) => n === nth;
            try {
                call(engine);
            } catch (error) {
                if (!(error instanceof PipelineError)) throw error;
                assert.equal(error.code, 'capacity', `${nth}: ${error.message}`);
                assert.match(error.message, /memory/);
                refused++;
            }
            watch.fails = () => false;
            assert.equal(engine.simulate(SMALL).summary.makespan, 9);
            assert.ok(watch.open.size <= Math.max(kept, 40), `${nth}: ${watch.open.size} pieces of memory are held`);
        }
        assert.ok(needed >= 3 && refused > 0, `${refused} of ${needed}`);
    });

test('an array that cannot be made leaves nothing behind, and the same request works next time', async () => {
    const { engine, watch } = await watched();
    const { slice } = Float64Array.prototype;
    for (const request of [SMALL, LARGE]) {
        engine.simulate(request);
        const kept = watch.open.size;
        for (let n = 0; n < 6; n++) {
            let left = n;
            Float64Array.prototype.slice = function (...range) {
                if (left-- === 0) throw new RangeError('Array buffer allocation failed');
                return slice.apply(this, range);
            };
            try {
                engine.simulate({ ...request, forward: n + 2 });
            } catch (error) {
                assert.ok(error instanceof RangeError, String(error));
            } finally {
                Float64Array.prototype.slice = slice;
            }
            assert.ok(watch.open.size <= Math.max(kept, 40), `${watch.open.size} pieces of memory are held`);
            const { summary, actions } = engine.simulate({ ...request, forward: n + 2 });
            assert.equal(
                actions.finish[actions.count - 1],
                Math.max(...actions.finish.slice(-2 * request.microbatches)),
            );
            assert.ok(summary.makespan > 0);
        }
    }
});

/** Runs a program with a cap on the memory of a module, in pages of 64 KiB. @param {number} pages @param {string} program */
const capped = (pages, program) =>
    JSON.parse(
        execFileSync(process.execPath, [`--wasm-max-mem-pages=${pages}`, '--input-type=module', '--eval', program], {
            cwd: here,
            encoding: 'utf8',
            timeout: 300_000,
            stdio: ['ignore', 'pipe', 'inherit'],
        }),
    );

for (const pages of [40, 64, 128])
    test(`a module of at most ${pages} pages: refusals in one sentence, and the next smaller call works`, () => {
        const { answered, refused, wrong, said } = capped(
            pages,
            `import { loadEngine, PipelineError } from '../../web/engine/index.js';
            const engine = await loadEngine();
            engine.lang = 'ru';
            const out = { answered: 0, refused: 0, wrong: [], said: '' };
            const attempt = (name, call) => {
                try {
                    call();
                    out.answered++;
                } catch (error) {
                    if (error instanceof PipelineError && error.code === 'capacity') out.refused++, out.said = error.message;
                    else out.wrong.push(name + ': ' + error);
                }
                const { summary } = engine.simulate({ schedule: '1f1b', ranks: 2, microbatches: 2 });
                if (summary.makespan !== 9) out.wrong.push('afterwards ' + summary.makespan);
            };
            for (let m = 16; m <= 1 << 17; m *= 2)
                for (const schedule of ['1f1b', 'gpipe', 'zb-h1']) {
                    const request = { schedule, ranks: 8, microbatches: m };
                    let step;
                    attempt('simulate ' + schedule + ' ' + m, () => { step = engine.simulate({ ...request, latency: 1 }); });
                    if (step) {
                        attempt('held ' + m, () => step.held());
                        attempt('actions ' + m, () => {
                            const sum = step.actions.stage.reduce((all, one) => all + one, 0);
                            const each = schedule === 'zb-h1' ? 3 : 2;
                            if (sum !== 28 * each * m) throw new Error('the sum of stages is ' + sum);
                        });
                        attempt('idle ' + m, () => step.idle.start.length);
                    }
                    attempt('memory ' + m, () => engine.simulate(request, { memory: true }));
                    attempt('table ' + m, () => engine.torchCsv(request));
                    attempt('train ' + m, () => {
                        const training = engine.train({ ...request, ranks: 2, schedule: 'gpipe', batch: Math.min(m, 4096), microbatches: Math.min(m, 64), width: Math.min(m, 512) });
                        try {
                            training.step();
                        } finally {
                            training.close();
                        }
                    });
                }
            console.log(JSON.stringify(out));`,
        );
        assert.deepEqual(wrong.slice(0, 5), []);
        assert.ok(answered > 20 && refused > 20, `${answered} answered, ${refused} refused`);
        assert.match(said, /^Не хватает памяти: нужно ещё [\d,\s]+МиБ\. Возьмите меньше/);
    });

test('a step that was handed out stays right, or is refused, whatever was asked since', () => {
    const { sums, refused, wrong } = capped(
        700,
        `import { loadEngine, PipelineError } from '../../web/engine/index.js';
        const engine = await loadEngine();
        const out = { sums: 0, refused: 0, wrong: [] };
        const may = (call) => {
            try {
                return call();
            } catch (error) {
                if (!(error instanceof PipelineError) || error.code !== 'capacity') throw error;
                out.refused++;
                return null;
            }
        };
        for (let m = 1000; m < 40000; m += 1000) {
            const ask = (schedule) => may(() => engine.simulate({ schedule, ranks: 16, microbatches: m }));
            const [a, b] = [ask('1f1b'), ask('gpipe')];
            for (const step of [a, b]) {
                const stages = step && may(() => step.actions.stage);
                if (!stages) continue;
                let sum = 0;
                for (const stage of stages) sum += stage;
                out.sums++;
                if (sum !== 240 * m) out.wrong.push(m + ': ' + sum);
            }
        }
        console.log(JSON.stringify(out));`,
    );
    assert.deepEqual(wrong, []);
    assert.ok(sums > 10 && refused > 5, `${sums} sums, ${refused} refused`);
});

test('a thousand refused and accepted calls in turn leave the memory as it was', async () => {
    const { engine, watch } = await watched();
    engine.simulate(SMALL);
    const [open, bytes] = [watch.open.size, engine.core.memory.buffer.byteLength];
    for (let n = 0; n < 500; n++) {
        assert.throws(() => engine.simulate({ ...SMALL, microbatches: -n }), PipelineError);
        assert.throws(() => engine.check(`0F0,0B${n + 1}\n`), PipelineError);
        engine.simulate({ ...SMALL, forward: n + 1 });
    }
    assert.equal(watch.open.size, open);
    assert.equal(engine.core.memory.buffer.byteLength, bytes);
});

test('a step that is closed, and times that are too few, are refused, and the engine goes on', async () => {
    const { engine, watch } = await watched();
    const step = engine.hold(SMALL);
    const { simulation } = step;
    step.close();
    assert.throws(() => step.time({ ...SMALL, forward: 2 }), /this step is closed/);
    step.close();
    assert.equal(simulation.actions.finish.length, 8, 'what it had told can still be read');
    const open = watch.open.size;
    for (const [start, finish] of [
        [[], []],
        [
            [0, 1],
            [1, 2],
        ],
        [Array(8).fill(0), Array(9).fill(1)],
    ])
        assert.throws(
            () => engine.measuredStep(SMALL, Float64Array.from(start), Float64Array.from(finish)),
            /measuredStep: 8 times are needed, one for each action; start has \d, finish has \d$/,
        );
    assert.equal(watch.open.size, open);
    assert.equal(engine.simulate(SMALL).summary.makespan, 9);
});
