// Other engines for kernels.mjs, given their modules: peers-node.mjs and page.mjs load them. All of them run in
// WebAssembly on one thread.

/** @typedef {{ name: string, product: Function, steps: Function }} Peer */

/**
 * @param {Record<string, () => Promise<{ product: Function, steps: Function }>>} open
 * @param {(line: string) => void} print  says what does not start @returns {Promise<Peer[]>}
 */
export async function startPeers(open, print) {
    const peers = [];
    for (const [name, start] of Object.entries(open)) {
        try {
            peers.push({ name, ...(await start()) });
        } catch (error) {
            print(`  (${name} does not start: ${error instanceof Error ? error.message : error})`);
        }
    }
    return peers;
}

/** @param {any} tf  @tensorflow/tfjs-core with gradients and the WebAssembly backend @param {any} wasm  the backend
 * @param {string} files  where its .wasm files are */
export async function tfjs(tf, wasm, files) {
    wasm.setWasmPaths(files);
    tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', false);
    await tf.setBackend('wasm');
    if (!tf.env().getBool('WASM_HAS_SIMD_SUPPORT')) throw new Error('no SIMD');

    return {
        /** The product x . w, `times` over. */
        async product(x, w, rows, inputs, outputs) {
            const a = tf.tensor2d(x, [rows, inputs]);
            const b = tf.tensor2d(w, [inputs, outputs]);
            return (times) => {
                for (let n = 0; n < times; n++) tf.matMul(a, b).dispose();
            };
        },
        async steps(task) {
            const x = tf.tensor2d(task.features, [task.rows, task.widths[0]]);
            const t = tf.tensor2d(task.targets, [task.rows, 1]);
            const fresh = () =>
                task.layers.map(({ w, bias, inputs, outputs }) => ({
                    w: tf.variable(tf.tensor2d(w, [inputs, outputs])),
                    bias: tf.variable(tf.tensor1d(bias)),
                }));
            const last = task.layers.length - 1;

            const layers = fresh();
            const optimizer = tf.train.sgd(task.rate);
            const predict = () =>
                layers.reduce((y, { w, bias }, l) => {
                    const z = tf.add(tf.matMul(y, w), bias);
                    return l === last ? z : tf.tanh(z);
                }, x);
            const minimize = () =>
                tf.tidy(() => {
                    const cost = optimizer.minimize(() => tf.mean(tf.squaredDifference(predict(), t)), true);
                    return cost.dataSync()[0];
                });

            const own = fresh();
            const byHand = () =>
                tf.tidy(() => {
                    const outputs = [x];
                    for (const [l, { w, bias }] of own.entries()) {
                        const z = tf.add(tf.matMul(outputs[l], w), bias);
                        outputs.push(l === last ? z : tf.tanh(z));
                    }
                    const error = tf.sub(outputs[last + 1], t);
                    const loss = tf.mean(tf.square(error)).dataSync()[0];
                    let delta = tf.mul(error, 2 / task.rows);
                    for (let l = last; l >= 0; l--) {
                        const { w, bias } = own[l];
                        const dw = tf.matMul(tf.transpose(outputs[l]), delta);
                        const dbias = tf.sum(delta, 0);
                        if (l > 0) {
                            const back = tf.matMul(delta, tf.transpose(w));
                            delta = tf.mul(back, tf.sub(1, tf.square(outputs[l])));
                        }
                        w.assign(tf.sub(w, tf.mul(dw, task.rate)));
                        bias.assign(tf.sub(bias, tf.mul(dbias, task.rate)));
                    }
                    return loss;
                });
            return { 'tfjs minimize': minimize, 'tfjs by hand': byHand };
        },
    };
}

/** @param {any} ort  onnxruntime-web */
export async function onnxruntime(ort) {
    ort.env.wasm.numThreads = 1;
    ort.env.logLevel = 'error';
    return {
        async product(x, w, rows, inputs, outputs) {
            const model = onnxProduct(rows, inputs, outputs);
            const session = await ort.InferenceSession.create(model, { executionProviders: ['wasm'] });
            const feeds = {
                x: new ort.Tensor('float32', x, [rows, inputs]),
                w: new ort.Tensor('float32', w, [inputs, outputs]),
            };
            return async (times) => {
                for (let n = 0; n < times; n++) await session.run(feeds);
            };
        },
        steps: async () => ({}), // it does not train
    };
}

/** A model of one node, y = x . w, in ONNX's protocol buffer. */
function onnxProduct(rows, inputs, outputs) {
    const varint = (value) => (value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)]);
    const number = (field, value) => [field << 3, ...varint(value)];
    const bytes = (field, body) => [(field << 3) | 2, ...varint(body.length), ...body];
    const text = (field, value) => bytes(field, [...new TextEncoder().encode(value)]);
    const shape = (sizes) => sizes.flatMap((size) => bytes(1, number(1, size)));
    const value = (name, sizes) => [
        ...text(1, name),
        ...bytes(2, bytes(1, [...number(1, 1), ...bytes(2, shape(sizes))])),
    ];
    const node = [...text(1, 'x'), ...text(1, 'w'), ...text(2, 'y'), ...text(4, 'MatMul')];
    const graph = [
        ...bytes(1, node),
        ...text(2, 'product'),
        ...bytes(11, value('x', [rows, inputs])),
        ...bytes(11, value('w', [inputs, outputs])),
        ...bytes(12, value('y', [rows, outputs])),
    ];
    return Uint8Array.from([...number(1, 8), ...bytes(7, graph), ...bytes(8, number(2, 13))]);
}

/** @param {any} jax  @jax-js/jax */
export async function jaxjs(jax) {
    await jax.init('wasm');
    jax.defaultDevice('wasm');
    const np = jax.numpy;
    return {
        async product(x, w, rows, inputs, outputs) {
            const a = np.array(x).reshape([rows, inputs]);
            const b = np.array(w).reshape([inputs, outputs]);
            const product = jax.jit((left, right) => np.matmul(left, right));
            return async (times) => {
                for (let n = 0; n < times; n++) {
                    const y = product(a.ref, b.ref);
                    await y.blockUntilReady();
                    y.dispose();
                }
            };
        },
        async steps(task) {
            const x = np.array(task.features).reshape([task.rows, task.widths[0]]);
            const t = np.array(task.targets).reshape([task.rows, 1]);
            let weights = task.layers.flatMap(({ w, bias, inputs, outputs }) => [
                np.array(w).reshape([inputs, outputs]),
                np.array(bias),
            ]);
            const last = task.layers.length - 1;
            const cost = (parameters, features, targets) => {
                let y = features;
                for (let l = 0; l <= last; l++) {
                    const z = np.matmul(y, parameters[2 * l]).add(parameters[2 * l + 1]);
                    y = l === last ? z : np.tanh(z);
                }
                return np.square(y.sub(targets)).mean();
            };
            const step = jax.jit((parameters, features, targets) => {
                const kept = jax.tree.ref(parameters);
                const [loss, gradients] = jax.valueAndGrad(cost)(parameters, features, targets);
                return [loss, kept.map((w, i) => w.sub(gradients[i].mul(task.rate)))];
            });
            return {
                'jax-js jit': async () => {
                    const [loss, moved] = step(weights, x.ref, t.ref);
                    weights = moved;
                    return (await loss.data())[0];
                },
            };
        },
    };
}
