// Charts of many cells: what the core paints against the intervals it paints, pixel column by pixel column; columns that
// are read on demand; what a point of the picture is; the part in sight.
import assert from 'node:assert/strict';
import test from 'node:test';
import { loadEngine } from '../../web/engine/index.js';
import { chunkOf } from '../../web/engine/relations.js';
import { KINDS, PAINT_KINDS } from '../../web/engine/step.js';
import { largestZoom, Zoom } from '../../web/figure/zoom.js';
import { cellAfterKey, rowsOf, spanOf } from '../../web/scene/cells.js';
import { legendEntries } from '../../web/scene/legend.js';
import { activationSteps, memoryScene } from '../../web/scene/memory.js';
import { hitStep, hitTest } from '../../web/scene/pointing.js';
import { buildScene, SVG_CELLS } from '../../web/scene/scene.js';
import { walk } from '../support/scenes.mjs';

const engine = await loadEngine();
const [WAIT, WIRE, EDGE] = [10, 11, 12];
const NONE = -1;
/** Ground and mark of a kind are told apart, and both from nothing. */
const palette = Uint32Array.from({ length: 2 * PAINT_KINDS }, (_, i) => i + 1);

/** Kinds of the pixels of one rank's column, from the top. */
function painted(simulation, { columns = 300, height = 12, pitch = 14, grain = 1, first = 0, ranks, from = 0, scale }) {
    const count = ranks ?? simulation.perRank.length - first;
    const bytes = new Uint8ClampedArray(columns * pitch * count * 4);
    const wide = scale ?? columns / simulation.summary.makespan;
    simulation.paint({ from, scale: wide, first, ranks: count, columns, height, pitch, grain, palette }, (pixels) =>
        bytes.set(pixels),
    );
    const pixels = new Uint32Array(bytes.buffer);
    const kindOf = (value) => (value === 0 ? NONE : (value - 1) >> 1);
    const column = (rank, x, rows = height) =>
        Array.from({ length: rows }, (_, y) => kindOf(pixels[((rank - first) * pitch + y) * columns + x]));
    return { column, scale: wide, columns, height, pitch, grain, first, count, from };
}

/** Bars of a rank: kind, and where they begin and end in columns. */
function barsOf(simulation, rank, { from, scale }) {
    const { actions, idle } = simulation;
    const { chunk } = chunkOf(simulation);
    const x = (time) => (time - from) * scale;
    const bars = [];
    for (let i = 0; i < actions.count; i++) {
        if (actions.rank[i] !== rank) continue;
        const shares = [i - 1, i + 1].some((j) => actions.rank[j] === rank && actions.index[j] === actions.index[i]);
        const kind = actions.op[i] + 5 * (chunk[i] % 2);
        bars.push({ kind, x0: x(actions.start[i]), x1: x(actions.finish[i]), weight: shares ? 0.5 : 1 });
    }
    for (let j = 0; j < idle.count; j++) {
        if (idle.rank[j] !== rank) continue;
        const kind = idle.reason[j] === 2 ? WIRE : WAIT;
        bars.push({ kind, x0: x(idle.start[j]), x1: x(idle.finish[j]), weight: 1 });
    }
    return bars;
}

function compare(simulation, options, name) {
    const picture = painted(simulation, options);
    const { columns, height, grain } = picture;
    for (let rank = picture.first; rank < picture.first + picture.count; rank++) {
        const bars = barsOf(simulation, rank, picture);
        const touching = Array.from({ length: columns }, () => []);
        for (const bar of bars) {
            for (let x = Math.max(0, Math.floor(bar.x0)); x <= bar.x1 && x < columns; x++) touching[x].push(bar);
        }
        const seen = touching.map((_, x) => picture.column(rank, x));
        for (const [x, there] of touching.entries()) {
            const where = `${name}, rank ${rank}, column ${x}: ${seen[x].join(' ')}`;
            const share = new Float64Array(PAINT_KINDS);
            for (const { kind, x0, x1, weight } of there)
                share[kind] += weight * Math.max(0, Math.min(x1, x + 1) - Math.max(x0, x));
            const covered = share.reduce((sum, part) => sum + part, 0);
            if (seen[x].includes(EDGE)) {
                const mine = there.filter(({ x0, x1 }) => Math.min(x1, x + 1) - Math.max(x0, x) > 1e-3);
                assert.ok(
                    mine.every(({ x0, x1 }) => x1 - x0 >= 4 * grain - 1e-6),
                    `a line only between wide bars. ${where}`,
                );
                continue;
            }
            for (let kind = 0; kind < PAINT_KINDS; kind++) {
                const rows = seen[x].filter((value) => value === kind).length;
                const exact = covered > 0 ? (share[kind] / covered) * height : 0;
                if (share[kind] > 2e-3) assert.ok(rows > 0, `kind ${kind} is lost. ${where}`);
                if (rows > 0)
                    assert.ok(
                        there.some((bar) => bar.kind === kind),
                        `kind ${kind} is made up. ${where}`,
                    );
                // Each kind that is there takes at least a row, from those that have more.
                assert.ok(rows <= Math.max(1, Math.ceil(exact + 1e-6)), `${rows} rows for ${exact}. ${where}`);
            }
            if (covered > 0.01) assert.ok(!seen[x].includes(NONE), `a hole. ${where}`);
            if (there.length === 0)
                assert.ok(
                    seen[x].every((value) => value === NONE),
                    where,
                );
            assert.deepEqual(
                picture
                    .column(rank, x, picture.pitch)
                    .slice(height)
                    .filter((value) => value !== NONE),
                [],
                where,
            );
        }
        for (const { kind, x0, x1 } of bars) {
            if (x1 <= 0 || x0 >= columns) continue;
            const [a, b] = [Math.max(0, Math.floor(x0)), Math.min(columns - 1, Math.floor(x1))];
            const own = seen.slice(a, b + 1);
            assert.ok(
                own.some((column) => column.includes(kind)),
                `${name}: a bar of kind ${kind} at ${x0} is nowhere`,
            );
        }
    }
}

const requests = [
    { schedule: '1f1b', ranks: 8, microbatches: 200 },
    { schedule: '1f1b', ranks: 8, microbatches: 100, latency: 0.3, forward: 0.7 },
    { schedule: 'zb-h1', ranks: 4, microbatches: 150, transfer: 'sender', latency: 0.1 },
    { schedule: 'zb-v', ranks: 4, microbatches: 60 },
    { schedule: 'dualpipe', ranks: 4, microbatches: 60 },
    { schedule: 'chimera', ranks: 4, microbatches: 40 },
    { schedule: 'interleaved', ranks: 4, microbatches: 64, chunks: 3, latency: 0.01 },
    { schedule: 'gpipe', ranks: 5, microbatches: 70, recompute: 'late', backward: 0.001 },
    { schedule: '1f1b', ranks: 3, microbatches: 5 },
];

for (const request of requests) {
    test(`pixels hold every bar and every bubble by its share: ${JSON.stringify(request)}`, () => {
        const simulation = engine.simulate(request);
        const { makespan } = simulation.summary;
        compare(simulation, {}, 'whole');
        compare(simulation, { columns: 97, height: 16, pitch: 16 }, 'few columns');
        compare(simulation, { columns: 1500, grain: 2 }, 'many columns');
        compare(simulation, { first: 1, ranks: 2, from: makespan / 3, scale: 900 / makespan }, 'a part');
        compare(simulation, { from: makespan * 0.9, scale: 800 / makespan }, 'over the end');
    });
}

test('a wait much narrower than a pixel leaves a trace, and so does an action without length', () => {
    const simulation = engine.simulate({ schedule: '1f1b', ranks: 2, microbatches: 400, latency: 1e-5 });
    const { idle } = simulation;
    const picture = painted(simulation, {});
    const narrow = [...idle.rank.keys()].filter((j) => idle.finish[j] - idle.start[j] < 1e-4 && idle.start[j] > 0);
    assert.ok(narrow.length > 100);
    for (const j of narrow) {
        const column = picture.column(idle.rank[j], Math.floor(idle.start[j] * picture.scale));
        assert.ok(column.includes(WIRE) || column.includes(WAIT), String(j));
    }
    const free = engine.simulate({ schedule: 'zb-h1', ranks: 2, microbatches: 3, weightGradient: 0 });
    const whole = painted(free, {});
    const { actions } = free;
    for (let i = 0; i < actions.count; i++) {
        if (actions.op[i] !== 3) continue;
        const x = Math.min(whole.columns - 1, Math.floor(actions.start[i] * whole.scale));
        assert.ok(
            [x - 1, x].some((column) => whole.column(actions.rank[i], column).includes(3)),
            `W ${i}`,
        );
    }
});

test('more kinds than rows become one mixed colour, of which none is the whole', () => {
    const simulation = engine.simulate({ schedule: '1f1b', ranks: 2, microbatches: 300 });
    const columns = 40;
    const bytes = new Uint8ClampedArray(columns * 2 * 4);
    const two = new Uint32Array(2 * PAINT_KINDS).fill(0xff000000);
    two[0] = 0xff0000ff; // F is red, B is green
    two[2] = 0xff00ff00;
    simulation.paint(
        {
            from: 0,
            scale: columns / simulation.summary.makespan,
            first: 0,
            ranks: 2,
            columns,
            height: 1,
            pitch: 1,
            grain: 1,
            palette: two,
        },
        (pixels) => bytes.set(pixels),
    );
    const [red, green, blue, alpha] = bytes.slice(4 * 20);
    assert.ok(red > 60 && red < 120 && green > 130 && green < 200 && blue === 0 && alpha === 255, `${red} ${green}`);
});

test('a point is what the intervals say; by halving as by looking at all', () => {
    for (const request of requests) {
        const simulation = engine.simulate(request);
        const { actions, idle, summary } = simulation;
        for (let k = 0; k < 300; k++) {
            const rank = k % simulation.perRank.length;
            const time = (((k * 7919) % 4001) / 4000) * summary.makespan * 1.02;
            const action = actions.rank.findIndex(
                (r, i) => r === rank && actions.start[i] <= time && time < actions.finish[i],
            );
            const wait = idle.rank.findIndex((r, j) => r === rank && idle.start[j] <= time && time < idle.finish[j]);
            const expected =
                action >= 0 ? { kind: 'action', index: action } : wait >= 0 ? { kind: 'idle', index: wait } : null;
            assert.deepEqual(simulation.at(rank, time), expected, JSON.stringify([request, rank, time]));
        }
        assert.equal(simulation.at(-1, 0), null);
        assert.equal(simulation.at(99, 0), null);
        const scene = buildScene(simulation, { width: 900 });
        for (let k = 0; k < 300; k++) {
            const x = scene.plot.left + (((k * 7919) % 1009) / 1010) * (scene.plot.right - scene.plot.left);
            const y = scene.plot.top + (((k * 104729) % 997) / 998) * (scene.plot.bottom - scene.plot.top - 8);
            assert.deepEqual(hitStep(scene, simulation, x, y), hitTest(scene, x, y), JSON.stringify([request, x, y]));
        }
    }
});

test('kinds are those of the columns', () => {
    for (const request of [{}, { ranks: 1 }, { ranks: 3, latency: 1 }, ...requests]) {
        const simulation = engine.simulate(request);
        const { actions, idle } = simulation;
        let kinds = 0;
        for (const op of actions.op) kinds |= 1 << op;
        for (const reason of idle.reason) kinds |= reason === 2 ? KINDS.wire : KINDS.wait;
        if (new Set(simulation.stageRank).size < simulation.stageRank.length) kinds |= KINDS.chunks;
        if (actions.input.some((from, i) => from >= 0 && actions.rank[from] !== actions.rank[i]))
            kinds |= KINDS.message;
        assert.equal(simulation.kinds, kinds, JSON.stringify(request));
    }
});

// ---- columns on demand ----

const large = { schedule: '1f1b', ranks: 8, microbatches: 400 };

test('columns of a large step are those of any other, whenever they are read', () => {
    const asked = engine.simulate(large, { memory: true }); // with a question everything is read at once
    const steps = [1, 2, 3, 4].map((forward) => engine.simulate({ ...large, forward }));
    engine.simulate({ ...large, microbatches: 401 });
    const [late] = steps; // long given up by the core
    assert.ok(late.actions.count > SVG_CELLS);
    for (const name of ['rank', 'index', 'op', 'stage', 'microbatch', 'slice', 'start', 'finish', 'input']) {
        assert.deepEqual(late.actions[name], asked.actions[name], name);
    }
    assert.deepEqual({ ...late.idle }, { ...asked.idle });
    assert.deepEqual(late.criticalPath, asked.criticalPath);
    assert.deepEqual(late.summary, asked.summary);
    assert.equal(late.actions.rank, late.actions.rank, 'read once');
    assert.equal(steps[3].actions.finish.at(-1), steps[3].perRank[7].last);
});

test('a changed cost times the same list anew, and gives what a fresh core gives', async () => {
    const other = await loadEngine();
    for (const schedule of ['1f1b', 'v-half', 'zb-h1']) {
        for (const change of [
            { forward: 2 },
            { latency: 0.5 },
            { latency: 0.5, transfer: 'rendezvous' },
            {},
            { recompute: 'late' },
        ]) {
            const request = { schedule, ranks: 8, microbatches: 200, ...change };
            let fresh;
            try {
                fresh = other.simulate(request, { memory: true });
            } catch (error) {
                assert.throws(() => engine.simulate(request), { message: error.message });
                continue;
            }
            const now = engine.simulate(request);
            assert.deepEqual(now.summary, fresh.summary, JSON.stringify(request));
            assert.deepEqual(now.actions.start, fresh.actions.start, JSON.stringify(request));
            assert.deepEqual(now.actions.op, fresh.actions.op, JSON.stringify(request));
        }
    }
});

test('a refusal leaves the steps before it as they were', () => {
    const step = engine.simulate(large);
    assert.throws(() => engine.simulate({ ...large, forward: 1e12, microbatches: 400, latency: -1 }), {
        name: 'PipelineError',
    });
    assert.throws(() => engine.simulate({ ...large, forward: 'x' }), { name: 'PipelineError' });
    assert.equal(step.actions.finish[0], 1);
});

// ---- the part in sight ----

test('a chart of many cells has few shapes; close up it has cells again, all that are in sight', () => {
    const simulation = engine.simulate({ schedule: '1f1b', ranks: 32, microbatches: 256 });
    const options = { width: 1100, lang: 'ru', pixels: true };
    const count = (scene) => [...walk(scene.shapes)].length;
    const whole = buildScene(simulation, options);
    assert.ok(whole.dense && count(whole) < 120, String(count(whole)));
    const zoom = new Zoom(() => {});
    zoom.by(16);
    const view = zoom.view(simulation);
    const near = buildScene(simulation, { ...options, view });
    assert.ok(!near.dense && near.shown.length <= SVG_CELLS);
    const { actions } = simulation;
    const inside = [...actions.rank.keys()].filter(
        (i) =>
            actions.rank[i] >= view.first &&
            actions.rank[i] < view.first + view.ranks &&
            actions.start[i] < view.from + view.span &&
            actions.finish[i] >= view.from,
    );
    assert.deepEqual([...near.shown], inside);
    for (const i of near.shown) {
        const { x, y, w, h } = near.box(i);
        assert.ok(
            x >= near.plot.left && x + w <= near.plot.right + 1e-9 && y >= near.plot.top && y + h <= near.plot.bottom,
        );
    }
    const text = near.shapes.flatMap((shape) => shape.shapes ?? [shape]).filter(({ type }) => type === 'text');
    assert.ok(text.length < 650, String(text.length)); // 600 numbers, names of ranks, an axis
    assert.ok(near.height <= whole.height + 40, 'the chart keeps its height');
    // Every point of the close-up is what the core says of it.
    const [x, y] = [near.plot.left + 333, near.plot.top + 100];
    const hit = hitStep(near, simulation, x, y);
    const box = hit.kind === 'action' ? near.box(hit.index) : near.idleBox(hit.index);
    assert.ok(x >= box.x && x <= box.x + box.w && y >= box.y - 6 && y <= box.y + box.h + 6);
});

test('zoom ends at single cells, pans only over the step, and brings a cell into sight', () => {
    const simulation = engine.simulate({ schedule: '1f1b', ranks: 32, microbatches: 256 });
    const zoom = new Zoom(() => {});
    assert.equal(zoom.view(simulation), null);
    zoom.by(1e9);
    const close = zoom.view(simulation);
    assert.ok(Math.abs(zoom.zoom - largestZoom(simulation)) < 1e-9);
    assert.ok(buildScene(simulation, { width: 800, pixels: true, view: close }).box(0).w >= 0);
    assert.ok(close.span < 40 && close.rowHeight === 34);
    for (const [time, rank] of [
        [-1e6, -1e6],
        [1e6, 1e6],
    ]) {
        zoom.move(time, rank);
        const { from, span, first, ranks } = zoom.view(simulation);
        assert.ok(from >= -1e-9 && from + span <= simulation.summary.makespan + 1e-6);
        assert.ok(first >= 0 && first + ranks <= 32);
    }
    const cell = spanOf(simulation, { kind: 'action', index: 40 });
    zoom.reveal(simulation, cell);
    const { from, span, first, ranks } = zoom.view(simulation);
    assert.ok(cell.start >= from && cell.finish <= from + span && cell.rank >= first && cell.rank < first + ranks);
    zoom.by(1e-9);
    assert.equal(zoom.view(simulation), null);
});

test('keys walk over a large step without a list of all cells', () => {
    const simulation = engine.simulate(large);
    const rows = rowsOf(simulation);
    const next = cellAfterKey(simulation, rows, { kind: 'action', index: 0 }, { key: 'ArrowRight' });
    assert.deepEqual(next, { kind: 'action', index: 1 });
    const made = Object.getOwnPropertyDescriptors(rows);
    assert.deepEqual(
        [0, 1, 7].map((rank) => 'value' in made[rank]),
        [true, false, false],
    );
});

test('the memory chart of a large step has a path of bounded length that reaches the peak', () => {
    const simulation = engine.simulate({ schedule: 'gpipe', ranks: 2, microbatches: 20_000 });
    const scene = buildScene(simulation, { width: 760, pixels: true });
    const memory = memoryScene(simulation, scene, 'en');
    const paths = memory.shapes.filter((shape) => shape.class === 'held');
    assert.equal(paths.length, 2);
    for (const { d } of paths) assert.ok(d.length < 60_000, String(d.length));
    const top = Math.min(...[...paths[0].d.matchAll(/V([\d.]+)/g)].map(([, y]) => Number(y)));
    assert.ok(Math.abs(top - 5) < 0.1, String(top));
    assert.equal(Math.max(...activationSteps(simulation)[0].held), 20_000);
});

test('the legend of a chart in pixels names what it shows', () => {
    const simulation = engine.simulate({ schedule: 'zb-h1', ranks: 8, microbatches: 200, latency: 0.2 });
    const keys = legendEntries(simulation, 'en').map(({ key }) => key);
    assert.deepEqual(keys, ['F', 'I', 'W', 'idle', 'wire', 'message']);
});
