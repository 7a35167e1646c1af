// The kernels of the toy network: products of dense layers, and whole training steps, beside plain JavaScript, other
// engines and the ceiling: the best register tile alone, on panels that stay in the first-level cache, of 4 x 8 entries for
// multiplication and addition, of 4 x 8 or 6 x 8 for relaxed multiply-add, be it the core's own or a plain loop. Rounds are interleaved, ratios are medians of
// paired rounds, so that a machine that changes its speed changes every side. matmul.mjs runs this in Node, browsers.mjs
// in browsers.

const median = (/** @type {number[]} */ list) => [...list].sort((a, b) => a - b)[list.length >> 1];

/**
 * @param {object} options
 * @param {BufferSource} options.kernels  build/wasm/kernels.wasm
 * @param {[BufferSource, BufferSource] | undefined} options.madd  core_madd.wasm and tile_madd.wasm, where there are any
 * @param {import('./peers.mjs').Peer[]} options.peers
 * @param {(line: string) => void} options.print
 * @param {boolean} [options.quick]  fewer rounds
 * @param {number} [options.slice]  seconds of one turn: many times what the clock can tell
 * @param {() => number} [options.clock]  milliseconds
 */
export async function benchKernels({
    kernels,
    madd,
    peers,
    print,
    quick = false,
    slice = 1e-3,
    clock = () => performance.now(),
}) {
    const module = await WebAssembly.compile(kernels);
    const core = /** @type {any} */ (
        (await WebAssembly.instantiate(module, { env: { emscripten_notify_memory_growth() {} } })).exports
    );
    core._initialize?.();

    /** The products as numbers in the core's table: its own, and those of relaxed multiply-add. */
    const own = [0, 1, 2, 3].map((which) => core.bench_own(which));
    let fused, tiles;
    if (madd) {
        const env = { memory: core.memory };
        const [products, alone] = await Promise.all(
            madd.map(
                async (bytes) => (await WebAssembly.instantiate(await WebAssembly.compile(bytes), { env })).exports,
            ),
        );
        const first = core.__indirect_function_table.grow(4);
        fused = ['forward', 'backward_input', 'backward_weight', 'begin_weight'].map((name, i) => {
            core.__indirect_function_table.set(first + i, products[`pp_matmul_${name}`]);
            return first + i;
        });
        tiles = alone;
    }

    /** Memory in the module, at a multiple of 64 bytes. */
    const room = (/** @type {number} */ bytes) => (core.pp_alloc(bytes + 64) + 63) & ~63;
    const view = (/** @type {number} */ at, /** @type {number} */ count) =>
        new Float32Array(core.memory.buffer, at, count);

    /** Numbers about 0, the same in every run. */
    function numbers(/** @type {number} */ count) {
        let state = 1;
        return Float32Array.from({ length: count }, () => {
            state = (Math.imul(state, 1664525) + 1013904223) | 0;
            return state / 2 ** 31;
        });
    }

    /**
     * Seconds a unit of work takes on each side, round by round. A side does as many units a turn as take about a
     * millisecond: many short turns, of which another process disturbs few.
     * @param {Record<string, (times: number) => any>} sides @returns {Promise<Record<string, number[]>>}
     */
    async function measure(sides, rounds = quick ? 31 : 101, turn = slice) {
        const timed = async (work, times) => {
            const start = clock();
            await work(times);
            return (clock() - start) / 1e3;
        };
        const times = {};
        for (const [name, work] of Object.entries(sides)) {
            let n = 1;
            // What the engine compiles while it runs is done with before a turn's length is found: some fifty turns.
            for (let spent = 0; spent < 50 * turn; ) spent += await timed(work, n);
            for (let spent = 0; spent < turn; ) {
                spent = Math.min(await timed(work, n), await timed(work, n));
                if (spent < turn)
                    n = Math.max(n + 1, Math.min(8 * n, Math.ceil((1.2 * n * turn) / Math.max(spent, 1e-6))));
            }
            times[name] = n;
        }
        const result = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
        for (let round = 0; round < rounds; round++)
            for (const [name, work] of Object.entries(sides))
                result[name].push((await timed(work, times[name])) / times[name]);
        return result;
    }

    function plainProduct(y, x, w, rows, inputs, outputs) {
        for (let r = 0; r < rows; r++) {
            const row = r * outputs;
            for (let o = 0; o < outputs; o++) y[row + o] = 0;
            for (let i = 0; i < inputs; i++) {
                const factor = x[r * inputs + i];
                const at = i * outputs;
                for (let o = 0; o < outputs; o++) y[row + o] += factor * w[at + o];
            }
        }
    }

    /** A table of text, the first column to the left. */
    function table(/** @type {string[][]} */ rows) {
        const widths = rows[0].map((_, column) => Math.max(...rows.map((row) => row[column].length)));
        for (const row of rows)
            print(
                `  ${row.map((text, i) => (i === 0 ? text.padEnd(widths[i]) : text.padStart(widths[i]))).join('  ')}`,
            );
        print('');
    }

    const DEEP = 256; // of the ceiling: as deep as a block of the products

    const tileA = room(8 * 4 * DEEP);
    const tileB = room(4 * 8 * DEEP);
    const tileC = room(4 * 48);
    for (const at of [tileA, tileB]) view(at, 8 * DEEP).set(numbers(8 * DEEP));
    const ofTile =
        (tile, depth = DEEP) =>
        (times) =>
            tile(tileC, tileA, tileB, depth, times);
    /** Register tiles alone, the core's own and plain loops, and how many rows each has. */
    const plainTiles = { own: [core.bench_tile, 4], loop: [core.bench_loop, 4] };
    const maddTiles = tiles
        ? { maddOwn: [tiles.bench_tile, 6], madd4: [tiles.bench_tile_4, 4], madd6: [tiles.bench_tile_6, 6] }
        : {};
    const sidesOf = (tiles) => Object.fromEntries(Object.entries(tiles).map(([name, [tile]]) => [name, ofTile(tile)]));
    /** Seconds that one product and addition takes in a round at best. */
    const top = (tiles) => (seconds, i) =>
        Math.min(...Object.entries(tiles).map(([name, [, rows]]) => seconds[name][i] / (8 * rows * DEEP)));
    const plainTop = top(plainTiles);
    const maddTop = top(maddTiles);
    /** The same of the loops alone, without what the core knows of engines. */
    const loopTop = top({ loop: plainTiles.loop });
    const { maddOwn: _, ...maddLoops } = maddTiles;
    const maddLoopTop = top(maddLoops);

    print('Products of a dense layer, one thread of WebAssembly');
    {
        const head = ['rows x inputs x outputs', 'GFLOP/s', 'x.w', "g.w'", "x'.g", 'of loop', 'tile as deep'];
        if (fused) head.push('madd GFLOP/s', 'madd x.w', 'of loop');
        const rows = [[...head, 'JS', ...peers.map(({ name }) => name)]];
        const shapes = [16, 32, 64, 128, 256, 512].map((n) => [n, n, n]);
        shapes.push([32, 2, 64], [32, 64, 64], [32, 64, 1], [128, 2, 64], [128, 64, 64], [128, 64, 1], [128, 256, 256]);
        for (const [n, inputs, outputs] of shapes) {
            const products = n * inputs * outputs;
            const x = room(4 * n * inputs);
            const w = room(4 * inputs * outputs);
            const y = room(4 * n * outputs);
            const sum = room(4 * inputs * outputs);
            const scratch = room(core.bench_matmul_bytes(inputs, outputs));
            const [xs, ws] = [numbers(n * inputs), numbers(inputs * outputs)];
            view(x, xs.length).set(xs);
            view(w, ws.length).set(ws);
            view(sum, ws.length).fill(0);
            const ys = new Float32Array(n * outputs);
            const depth = Math.min(inputs, DEEP);
            const product = (which, out, a, b) => (times) =>
                core.bench_product(which, out, a, b, n, inputs, outputs, scratch, times);
            const sides = {
                ...sidesOf(plainTiles),
                tile: ofTile(core.bench_tile, depth),
                forward: product(own[0], y, x, w),
                input: product(own[1], x, y, w),
                weight: product(own[2], sum, x, y),
                js: (times) => {
                    for (let k = 0; k < times; k++) plainProduct(ys, xs, ws, n, inputs, outputs);
                },
            };
            if (fused) Object.assign(sides, sidesOf(maddTiles), { fused: product(fused[0], y, x, w) });
            for (const peer of peers) sides[peer.name] = await peer.product(xs, ws, n, inputs, outputs);
            const seconds = await measure(sides);
            const share = (name, top = plainTop) =>
                `${(100 * median(seconds[name].map((time, i) => (top(seconds, i) * products) / time))).toFixed(0)} %`;
            const shorter = median(seconds.tile.map((time, i) => seconds.own[i] / DEEP / (time / depth)));
            const slower = (name) =>
                `${median(seconds[name].map((time, i) => time / seconds.forward[i])).toFixed(2)} x`;
            const speed = (name) => ((2e-9 * products) / median(seconds[name])).toFixed(1);
            rows.push([
                `${n} x ${inputs} x ${outputs}`,
                speed('forward'),
                share('forward'),
                share('input'),
                share('weight'),
                share('forward', loopTop),
                `${(100 * shorter).toFixed(0)} %`,
                ...(fused ? [speed('fused'), share('fused', maddTop), share('fused', maddLoopTop)] : []),
                slower('js'),
                ...peers.map(({ name }) => slower(name)),
            ]);
        }
        table(rows);
        print(
            '  Shares are of the ceiling, the best tile 256 deep on resident panels; "of loop": of a tile that is a plain loop;',
        );
        print(
            '  "tile as deep": the core\'s tile as deep as the product, where its beginning and end weigh more. Factors are',
        );
        print('  times of x.w without madd.');
        print('');
    }

    /** The typed-array step: loops over rows, a batch at once or a sample at a time. */
    function plainStep(task, atOnce) {
        const layers = task.layers.map(({ w, bias, inputs, outputs }) => ({
            w: w.slice(),
            bias: bias.slice(),
            dw: new Float32Array(w.length),
            dbias: new Float32Array(outputs),
            inputs,
            outputs,
            y: new Float32Array(atOnce * outputs),
            delta: new Float32Array(atOnce * outputs),
        }));
        const last = layers.length - 1;
        return () => {
            let loss = 0;
            for (const { dw, dbias } of layers) for (const sums of [dw, dbias]) sums.fill(0);
            for (let begin = 0; begin < task.rows; begin += atOnce) {
                const features = task.features.subarray(begin * task.widths[0], (begin + atOnce) * task.widths[0]);
                let x = features;
                for (const [l, { w, bias, inputs, outputs, y }] of layers.entries()) {
                    plainProduct(y, x, w, atOnce, inputs, outputs);
                    for (let r = 0, i = 0; r < atOnce; r++)
                        for (let o = 0; o < outputs; o++, i++)
                            y[i] = l === last ? y[i] + bias[o] : Math.tanh(y[i] + bias[o]);
                    x = y;
                }
                for (let r = 0; r < atOnce; r++) {
                    const error = x[r] - task.targets[begin + r];
                    loss += error * error;
                    layers[last].delta[r] = (2 * error) / task.rows;
                }
                for (let l = last; l >= 0; l--) {
                    const { w, dw, dbias, inputs, outputs, delta } = layers[l];
                    const below = l > 0 ? layers[l - 1].y : features;
                    for (let r = 0; r < atOnce; r++)
                        for (let i = 0; i < inputs; i++) {
                            const factor = below[r * inputs + i];
                            for (let o = 0, at = i * outputs, from = r * outputs; o < outputs; o++)
                                dw[at + o] += factor * delta[from + o];
                        }
                    for (let r = 0; r < atOnce; r++)
                        for (let o = 0; o < outputs; o++) dbias[o] += delta[r * outputs + o];
                    if (l === 0) break;
                    const to = layers[l - 1].delta;
                    for (let r = 0; r < atOnce; r++)
                        for (let i = 0; i < inputs; i++) {
                            let sum = 0;
                            for (let o = 0, at = i * outputs, from = r * outputs; o < outputs; o++)
                                sum += delta[from + o] * w[at + o];
                            const y = below[r * inputs + i];
                            to[r * inputs + i] = sum * (1 - y * y);
                        }
                }
            }
            for (const { w, bias, dw, dbias } of layers) {
                for (let i = 0; i < w.length; i++) w[i] -= task.rate * dw[i];
                for (let i = 0; i < bias.length; i++) bias[i] -= task.rate * dbias[i];
            }
            return loss / task.rows;
        };
    }

    /** A network in the module, and the same task for everyone else. */
    function prepareStep(widths, batch, products) {
        const hidden = widths.length - 2;
        const request = new TextEncoder().encode(
            [
                'data=spirals',
                'loss=squared-error',
                'activation=tanh',
                'width=16',
                `depth=${hidden + 1}`,
                `batch=${batch}`,
                'rate=0.01',
            ].join('\n'),
        );
        const text = room(request.length);
        new Uint8Array(core.memory.buffer, text, request.length).set(request);
        const training = room(core.pp_training_bytes());
        if (core.pp_training_parse(text, request.length, training, 0) !== 0) throw new Error('the request is refused');
        if (core.pp_training_fit(training, 1, 1, 0) !== 0) throw new Error('the request does not fit');
        const data = room(core.pp_data_bytes(training));
        core.pp_data_init(training, data, core.pp_data_bytes(training));
        const table = room(4 * widths.length);
        new Int32Array(core.memory.buffer, table, widths.length).set(widths);
        const bytes = core.pp_network_bytes(table, hidden + 1, 1, 0);
        const network = room(bytes);
        const [tanh, squaredError, seed] = [0, 1, 5];
        if (core.pp_network_init(table, hidden + 1, 1, 0, tanh, squaredError, network, bytes) !== 0)
            throw new Error('widths');
        core.pp_network_seed(network, 0, seed);

        const features = room(4 * batch * widths[0]);
        const labels = room(4 * batch);
        core.bench_batch(data, 0, batch, features, labels);
        const begin = new Int32Array(core.memory.buffer, core.pp_network_layer_begin(network), widths.length);
        const parameters = core.pp_network_parameters(network);
        const layers = widths.slice(1).map((outputs, l) => {
            const inputs = widths[l];
            const at = parameters + 4 * begin[l];
            return {
                inputs,
                outputs,
                w: view(at, inputs * outputs).slice(),
                bias: view(at + 4 * inputs * outputs, outputs).slice(),
            };
        });
        const needed = core.pp_reference_bytes(network, training);
        const memory = room(needed);
        const loss = room(8);
        if (products) core.pp_network_products(network, ...products);
        return {
            task: {
                rows: batch,
                widths,
                layers,
                rate: 0.01,
                features: view(features, batch * widths[0]).slice(),
                targets: Float32Array.from(new Int32Array(core.memory.buffer, labels, batch), (label) =>
                    label > 0 ? 1 : -1,
                ),
            },
            steps: (times) => {
                if (core.bench_step(network, data, training, 0, memory, needed, loss, times) !== 0)
                    throw new Error('diverged');
                return new Float64Array(core.memory.buffer, loss, 1)[0];
            },
        };
    }

    print('A training step: tanh, squared error, SGD; forward, backward, update');
    {
        const rows = [
            [
                'network',
                'batch',
                'side',
                'us a step',
                'of its ceiling',
                'of loop',
                'times ours',
                ...(fused ? ['times madd'] : []),
            ],
        ];
        for (const [widths, batch] of [
            [[2, 64, 64, 64, 64, 1], 32],
            [[2, 64, 64, 64, 64, 1], 128],
            [[2, ...Array(8).fill(256), 1], 128],
        ]) {
            const { task, steps } = prepareStep(widths, batch);
            const others = { 'JS, typed arrays': plainStep(task, batch), 'JS, a sample at a time': plainStep(task, 1) };
            for (const peer of peers) {
                try {
                    Object.assign(others, await peer.steps(task));
                } catch (error) {
                    print(`  (${peer.name} does not train: ${error instanceof Error ? error.message : error})`);
                }
            }
            // All begin with the same weights; ten steps must give the same losses.
            const names = Object.keys(others);
            for (let step = 0; step < 10; step++) {
                const ours = steps(1);
                for (const name of names) {
                    const theirs = await others[name]();
                    if (!(Math.abs(theirs - ours) < 1e-4 * (1 + ours)))
                        throw new Error(`step ${step}: loss ${ours}, ${name} ${theirs}`);
                }
            }
            const sides = { ours: steps, ...sidesOf(plainTiles) };
            if (fused) Object.assign(sides, sidesOf(maddTiles), { madd: prepareStep(widths, batch, fused).steps });
            for (const name of names)
                sides[name] = async (times) => {
                    for (let n = 0; n < times; n++) await others[name]();
                };
            const seconds = await measure(sides, quick ? 15 : 51, 2 * slice);
            let products = 0; // x.w and x'.g of each layer, g.w' of all but the first
            for (const [l, { inputs, outputs }] of task.layers.entries())
                products += batch * inputs * outputs * (l > 0 ? 3 : 2);
            const share = (name, top) =>
                `${(100 * median(seconds[name].map((time, i) => (top(seconds, i) * products) / time))).toFixed(0)} %`;
            const times = (name, side) =>
                `${median(seconds[name].map((time, k) => time / seconds[side][k])).toFixed(2)} x`;
            const row = (name, ofCeiling, ofLoop) => [
                name === 'ours' ? widths.join('-').replace('256-256-256-256-256-256-256-256', '256x8') : '',
                name === 'ours' ? String(batch) : '',
                name,
                (1e6 * median(seconds[name])).toFixed(1),
                ofCeiling,
                ofLoop,
                name === 'ours' ? '' : times(name, 'ours'),
                ...(fused ? [name === 'madd' ? '' : times(name, 'madd')] : []),
            ];
            rows.push(row('ours', share('ours', plainTop), share('ours', loopTop)));
            if (fused) rows.push(row('madd', share('madd', maddTop), share('madd', maddLoopTop)));
            for (const name of names) rows.push(row(name, '', ''));
        }
        table(rows);
    }
}
