// The same bytes natively and in WebAssembly: times, figures, and 50 steps of training. The native side is pp_dump
// (tests/native/dump.c), which prints a hash of what it computed.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadEngine, PipelineError } from '../../web/engine/index.js';

const dump = fileURLToPath(new URL('../../build/native/pp_dump', import.meta.url));
const engine = await loadEngine(undefined, { arithmetic: 'plain' });

/** 64-bit FNV-1a over the bytes of typed arrays, in two halves. @param {ArrayBufferView[]} parts */
function hash(...parts) {
    let high = 0xcbf29ce4;
    let low = 0x84222325;
    for (const part of parts) {
        for (const byte of new Uint8Array(part.buffer, part.byteOffset, part.byteLength)) {
            low = (low ^ byte) >>> 0;
            const product = low * 0x1b3; // times 2^40 + 0x1b3
            const carry = Math.floor(product / 0x100000000);
            high = (Math.imul(high, 0x1b3) + carry + (low << 8)) >>> 0;
            low = product >>> 0;
        }
    }
    return high.toString(16).padStart(8, '0') + low.toString(16).padStart(8, '0');
}

/** @param {string[]} requests @param {string[]} [args] */
function native(requests, args = []) {
    const got = spawnSync(dump, args, { input: requests.join('\n\n'), encoding: 'utf8', maxBuffer: 1 << 26 });
    assert.equal(got.status, 0, `${dump}: ${got.error ?? got.stderr}`);
    return got.stdout.trim().split('\n');
}

/** @param {string} request */
const pairs = (request) => /** @type {[string, string][]} */ (request.split('\n').map((line) => line.split('=')));

/** @param {() => string} work */
function answer(work) {
    try {
        return work();
    } catch (error) {
        if (!(error instanceof PipelineError)) throw error;
        return error.code;
    }
}

test('every simulate case: start, finish, summary, ranks', () => {
    const costs = [
        '',
        '\nforward=2\nbackward=3',
        '\nforward=0.1\nbackward=0.3\nlatency=0.7',
        '\nlatency=1\ntransfer=sender',
        '\nforward=1.37\nlatency=0.11\ntransfer=rendezvous',
        '\nmoves=0F1-1 0B0+1',
    ];
    const requests = [];
    for (const { name, chunksMin, chunksMax } of engine.schedules) {
        for (const p of [1, 2, 3, 4, 5, 8]) {
            for (const m of [1, 2, 3, 4, 6, 8, 13, 24]) {
                for (let v = chunksMin; v <= Math.min(chunksMax, 3); v++) {
                    for (const cost of costs)
                        requests.push(`schedule=${name}\nranks=${p}\nmicrobatches=${m}\nchunks=${v}${cost}`);
                }
            }
        }
    }
    const want = native(requests);
    assert.equal(want.length, requests.length);
    let timed = 0;
    const { summaryFields, rankFields } = engine.withInternals((inside) => inside);
    for (const [i, request] of requests.entries()) {
        const got = answer(() => {
            const { actions, summary, perRank } = engine.simulate(pairs(request));
            timed++;
            return `ok ${hash(
                actions.start,
                actions.finish,
                Float64Array.from(summaryFields, (name) => summary[name]),
                Float64Array.from(perRank.flatMap((rank) => rankFields.map((name) => rank[name]))),
            )}`;
        });
        assert.equal(got, want[i], request);
    }
    assert.ok(timed > 1000, `${timed} of ${requests.length} were timed`);
});

test('50 training steps: weights, loss, measured peaks', () => {
    const requests = [];
    for (const { name, trains, options } of engine.schedules.filter((schedule) => schedule.trains)) {
        // a shape the schedule accepts, and whole micro-batches, since the toy network has no sequence to slice
        const ranks = ['dualpipe', 'chimera'].includes(name) ? 2 : 3;
        const whole = options.includes('slices') ? '\nslices=1' : '';
        for (const data of ['spirals', 'circles', 'xor']) {
            for (const activation of ['relu', 'tanh']) {
                requests.push(
                    `schedule=${name}\nranks=${ranks}\nmicrobatches=6${whole}\ndata=${data}\nactivation=${activation}\nsteps=50\nseed=7`,
                );
            }
        }
        requests.push(
            `schedule=${name}\nranks=2\nmicrobatches=4${whole}\nloss=squared-error\nactivation=relu\nsteps=50`,
        );
        assert.ok(trains);
    }
    const want = native(requests, ['train']);
    for (const [i, request] of requests.entries()) {
        const got = answer(() => {
            const training = engine.train(pairs(request));
            try {
                let record = { loss: Number.NaN };
                for (let step = 0; step < training.settings.steps; step++) record = training.step();
                const rest = hash(Float64Array.of(record.loss), Int32Array.from(training.peaks));
                return `ok ${hash(training.parameters)} ${rest}`;
            } finally {
                training.close();
            }
        });
        assert.equal(got, want[i], request);
        assert.match(got, /^ok /);
    }
});
