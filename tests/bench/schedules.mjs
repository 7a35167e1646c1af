// The scheduler: actions per second in WebAssembly, beside the native build, a list simulation in plain JavaScript and
// one in plain Python. Rounds are interleaved, ratios are medians of paired rounds, so that a machine that changes its
// speed changes both sides.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { listSimulation } from './list-simulation.mjs';

const path = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));
const median = (/** @type {number[]} */ list) => [...list].sort((a, b) => a - b)[list.length >> 1];

/** The core without the copying of engine.js: what is measured is C. */
async function openCore() {
    const module = await WebAssembly.compile(readFileSync(path('../../dist/core.wasm')));
    const { exports } = await WebAssembly.instantiate(module, { env: { emscripten_notify_memory_growth() {} } });
    const core = /** @type {any} */ (exports);
    core._initialize?.();
    return core;
}

/** A request in the core's memory, ready to be run again and again. */
function prepare(core, request) {
    const text = new TextEncoder().encode(request);
    const at = core.pp_alloc(text.length);
    new Uint8Array(core.memory.buffer, at, text.length).set(text);
    const config = core.pp_alloc(core.pp_config_bytes());
    const lines = core.pp_alloc(core.pp_request_bytes());
    if (core.pp_request_parse(at, text.length, lines, 0) !== 0) throw new Error(request);
    if (core.pp_config_read(lines, config, 0) !== 0) throw new Error(request);
    const costs = core.pp_alloc(core.pp_costs_bytes(config));
    core.pp_costs_read(lines, config, costs, 0);
    const bytes = core.pp_schedule_bytes(config);
    const schedule = core.pp_alloc(bytes);
    core.pp_schedule_make(config, costs, schedule, bytes, 0);
    const timelineBytes = core.pp_timeline_bytes(schedule);
    const timeline = core.pp_alloc(timelineBytes);
    const count = core.pp_schedule_action_count(schedule);
    const make = () => core.pp_schedule_make(config, costs, schedule, bytes, 0);
    const check = () => core.pp_check(schedule, timeline, timelineBytes, 0, 0);
    const time = () => core.pp_simulate(schedule, costs, 0, timeline, 0);
    return {
        count,
        bytesPerAction: timelineBytes / count,
        whole() {
            make();
            check();
            return time();
        },
        time,
        close() {
            for (const memory of [timeline, schedule, costs, config, at]) core.pp_free(memory);
        },
    };
}

const seconds = (/** @type {() => void} */ work) => {
    const start = performance.now();
    work();
    return (performance.now() - start) / 1e3;
};

/** Answers of a program line by line, started once so that its start is not measured. */
function partner(command, args) {
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    return {
        ask: async (/** @type {string} */ line) => {
            child.stdin.write(`${line}\n`);
            return String((await lines.next()).value);
        },
        close: () => child.stdin.end(),
    };
}

const core = await openCore();
const native = path('../../build/native/pp_bench');
const million = (/** @type {number} */ count, /** @type {number} */ s) => (count / s / 1e6).toFixed(1).padStart(8);

console.log('Generate, check and time (million actions a second; the last column: only the costs change)');
console.log('  request                                   actions    wasm  native  native/wasm  bytes/action   re-time');
const requests = [
    's=1f1b p=64 m=1024',
    's=1f1b p=512 m=8192',
    's=1f1b p=8 m=65536',
    's=gpipe p=64 m=1024',
    's=interleaved p=64 m=1024 v=2',
    's=forward p=64 m=4096',
];
for (const request of requests) {
    const text = request.replaceAll(' ', '\n');
    const plan = prepare(core, text);
    const rounds = plan.count > 4e6 ? 5 : 15;
    const whole = [];
    const retime = [];
    const ratios = [];
    const natively = [];
    for (let round = 0; round < rounds; round++) {
        // As the native program does: the better of two, since the first finds the caches full of the other's data.
        whole.push(Math.min(seconds(plan.whole), seconds(plan.whole)));
        plan.time();
        retime.push(seconds(plan.time));
        if (!existsSync(native)) continue;
        const got = spawnSync(native, ['2'], { input: `${text}\n`, encoding: 'utf8' });
        const [, make, check, simulate] = got.stdout.trim().split(' ').map(Number);
        natively.push(make + check + simulate);
        ratios.push(whole[round] / (make + check + simulate));
    }
    console.log(
        `  ${request.padEnd(38)} ${String(plan.count).padStart(10)}${million(plan.count, median(whole))}${
            natively.length > 0 ? million(plan.count, median(natively)) : '       -'
        }${(ratios.length > 0 ? median(ratios).toFixed(2) : '-').padStart(13)}${plan.bytesPerAction
            .toFixed(1)
            .padStart(14)}${million(plan.count, median(retime)).padStart(10)}`,
    );
    plan.close();
}

console.log('\nAgainst a list simulation of 1F1B (medians of paired rounds)');
console.log('  ranks  micro-batches    actions   wasm ms     JS ms   Python ms   JS/wasm   Python/wasm');
const python = partner('python3', [path('list_simulation.py')]);
for (const [ranks, microbatches] of [
    [4, 8],
    [8, 256],
    [64, 1024],
]) {
    const plan = prepare(core, `s=1f1b\np=${ranks}\nm=${microbatches}`);
    const times = { wasm: [], js: [], python: [] };
    const repeat = Math.max(1, Math.round(20000 / plan.count));
    for (let round = 0; round < 9; round++) {
        times.wasm.push(
            seconds(() => {
                for (let n = 0; n < repeat; n++) plan.whole();
            }) / repeat,
        );
        times.js.push(
            seconds(() => {
                for (let n = 0; n < repeat; n++) listSimulation(ranks, microbatches);
            }) / repeat,
        );
        const [makespan, time] = (await python.ask(`${ranks} ${microbatches}`)).split(' ').map(Number);
        if (makespan !== 3 * (microbatches + ranks - 1)) throw new Error(`Python says ${makespan}`);
        times.python.push(time);
    }
    const ratio = (name) => median(times[name].map((time, i) => time / times.wasm[i])).toFixed(1);
    const ms = (list) => (1e3 * median(list)).toFixed(3).padStart(10);
    console.log(
        `  ${String(ranks).padStart(5)}${String(microbatches).padStart(15)}${String(plan.count).padStart(11)}${ms(times.wasm)}${ms(
            times.js,
        )}${ms(times.python).padStart(12)}${ratio('js').padStart(10)}${ratio('python').padStart(14)}`,
    );
    plan.close();
}
python.close();

console.log('\nGrowth with the number of actions (time of 2m over time of m; 2 is linear)');
const names = [];
for (let id = 0; id < core.pp_schedule_count(); id++) {
    const bytes = new Uint8Array(core.memory.buffer);
    let end = core.pp_schedule_name(id);
    let name = '';
    while (bytes[end] !== 0) name += String.fromCharCode(bytes[end++]);
    names.push(name);
}
for (const name of names.filter((each) => each !== 'zb-auto')) {
    const ranks = 16;
    const plans = [1024, 2048].map((m) => prepare(core, `s=${name}\np=${ranks}\nm=${m}`));
    const ratios = [];
    for (let round = 0; round < 15; round++) ratios.push(1 / (seconds(plans[0].whole) / seconds(plans[1].whole)));
    console.log(`  ${name.padEnd(22)}${median(ratios).toFixed(2)}`);
    for (const plan of plans) plan.close();
}
