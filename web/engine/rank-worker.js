// One rank of a training run in a worker of its own: performs its list, sends what it made to the ranks that need it, and
// tells the coordinator (workers.js) when each action began and ended. A part of engine.js, with an instance of the core to
// itself. The text of the function is all the worker gets, so it may use nothing from outside: a bundler that puts helpers of its own
// into it takes the workers away, and runs then go on in slices.

/**
 * @param {any} port  of the coordinator: postMessage, onmessage
 * @param {() => number} [now]  milliseconds on one clock for all workers of a page or process
 */
export function rankWorker(port, now = () => performance.timeOrigin + performance.now()) {
    /** @type {any} */ let core;
    /** @type {any} */ let setup;
    let run = 0;
    let network = 0;
    let out = 0;
    let box = 0; // where a stage is saved to and loaded from
    let first = 0; // action of this rank
    let count = 0; // of its actions
    let epoch = 0; // grows when a rank is lost: what was sent before counts no more
    let step = 0;
    /** @type {any} */ let order = null; // what the coordinator wants, null while there is nothing to do
    /** @type {any[]} */ let held = []; // messages of a step not yet begun
    let times = new Float64Array(0);
    let ahead = times; // of the next step's, where there is no flush
    const stages = /** @type {number[]} */ ([]);

    const ints = (/** @type {number} */ at, /** @type {number} */ n) => new Int32Array(core.memory.buffer, at, n);
    const floats = (/** @type {number} */ at, /** @type {number} */ n) => new Float32Array(core.memory.buffer, at, n);
    const alloc = (/** @type {number} */ bytes) => {
        const at = core.pp_alloc(Math.max(bytes, 1)) >>> 0;
        if (at === 0) throw new Error('not enough memory');
        return at;
    };
    const attempt = (/** @type {number} */ status) => {
        if (status !== 0) throw new Error(`status ${status}`);
    };
    const made = (/** @type {number} */ bytes, /** @type {(at: number, bytes: number) => number} */ make) => {
        const at = alloc(bytes);
        attempt(make(at, bytes));
        return at;
    };
    const boxed = (/** @type {number} */ stage) =>
        new Uint8Array(core.memory.buffer, box, core.pp_run_save(run, stage, 0));
    const savedOf = (/** @type {number} */ stage) => {
        core.pp_run_save(run, stage, box);
        return boxed(stage).slice();
    };

    /** The same steps as engine.simulate and engine.train take, up to this rank's part of the network. */
    function begin() {
        const calls = WebAssembly.Module.imports(setup.module).map(({ name }) => [name, () => 0]); // words of faults
        core = { ...new WebAssembly.Instance(setup.module, { env: Object.fromEntries(calls) }).exports };
        core._initialize?.();
        if (setup.rest) {
            const { memory, ...rest } = /** @type {any} */ (
                new WebAssembly.Instance(setup.rest, { env: core }).exports
            );
            rest._initialize?.();
            Object.assign(core, rest);
        }
        const [lines, own] = [setup.request, setup.own].map((bytes) => {
            const at = alloc(bytes.length);
            new Uint8Array(core.memory.buffer, at, bytes.length).set(bytes);
            return [at, bytes.length];
        });
        out = alloc(16);
        const request = made(core.pp_request_bytes(), (at) => core.pp_request_parse(...lines, at, 0));
        const config = made(core.pp_config_bytes(), (at) => core.pp_config_read(request, at, 0));
        const costs = made(core.pp_costs_bytes(config), (at) => core.pp_costs_read(request, config, at, 0));
        const schedule = made(core.pp_schedule_bytes(config), (at, bytes) =>
            core.pp_schedule_make(config, costs, at, bytes, 0),
        );
        attempt(core.pp_moves_apply(request, schedule, 0));
        const timeline = made(core.pp_timeline_bytes(schedule), (at, bytes) =>
            core.pp_check(schedule, at, bytes, 0, 0),
        );
        const training = made(core.pp_training_bytes(), (at) => core.pp_training_parse(...own, at, 0));
        const [all, microbatches] = [core.pp_schedule_stages(schedule), core.pp_schedule_microbatches(schedule)];
        attempt(core.pp_training_fit(training, all, microbatches, 0));
        const data = made(core.pp_data_bytes(training), (at, bytes) => core.pp_data_init(training, at, bytes));
        const { values, label } = setup.points;
        floats(core.pp_data_features(data), values.length).set(values);
        ints(core.pp_data_labels(data), label.length).set(label);
        const { rank, depth, loss } = setup;
        const kind = core.pp_training_kind(training);
        const widths = alloc(4 * (depth + 1));
        core.pp_training_widths(training, widths);
        network = made(core.pp_rank_network_bytes(schedule, rank, widths, depth, kind), (at, bytes) =>
            core.pp_rank_network_init(schedule, rank, widths, depth, kind, loss, at, bytes),
        );
        if (setup.madd) {
            const { memory, __indirect_function_table: table } = core;
            const { exports } = new WebAssembly.Instance(setup.madd.module, { env: { memory } });
            const first = table.grow(setup.madd.names.length);
            const set = (/** @type {string} */ name, /** @type {number} */ i) => {
                table.set(first + i, exports[name]);
                return first + i;
            };
            core.pp_network_products(network, ...setup.madd.names.map(set));
        }
        run = made(core.pp_rank_bytes(schedule, network, training, rank), (at, bytes) =>
            core.pp_rank_init(schedule, timeline, network, data, training, rank, at, bytes, 0),
        );
        for (let stage = core.pp_rank_stage(run, 0); stage >= 0; stage = core.pp_rank_stage(run, stages.length))
            stages.push(stage);
        box = alloc(Math.max(...stages.map((stage) => core.pp_run_save(run, stage, 0))));
        const [from, to] = ints(core.pp_schedule_rank_begin(schedule), rank + 2).slice(rank);
        first = from;
        count = to - from;
    }

    /** A message of another rank; one for a step to come waits. @param {[number, number, number, Float32Array]} message */
    function take(message) {
        const [itsEpoch, itsStep, key, values] = message;
        if (itsEpoch < epoch) return;
        const place = itsEpoch === epoch && itsStep <= step && order ? core.pp_rank_place(run, key, values.length) : 0;
        if (place === 0) {
            held.push(message);
            return;
        }
        floats(place, values.length).set(values);
        core.pp_rank_arrived(run, key);
    }

    function send() {
        for (let at = core.pp_rank_post(run, out); at !== 0; at = core.pp_rank_post(run, out)) {
            const [to, key, length] = ints(out, 3);
            const values = floats(at, length).slice();
            setup.ports[to].postMessage([epoch, step, key, values], [values.buffer]);
        }
    }

    /** Goes on until a message is missing or the steps asked for are done. */
    function pump() {
        while (order) {
            const { kill } = order;
            const its = core.pp_rank_next_step(run);
            if (kill && its === kill.step && core.pp_rank_next(run) === kill.action) {
                order = null; // it comes no further: the coordinator ends it
                port.postMessage({ kind: 'halted', epoch });
                return;
            }
            const began = now();
            const status = core.pp_rank_go(run, out);
            const [action] = ints(out, 1);
            if (status === setup.waits) return;
            if (action >= 0) {
                const at = action - first;
                const of = its > step ? ahead : times;
                of[at] = began;
                of[count + at] = now();
            }
            send(); // not part of the action: what it takes is the price of the hop
            if (action >= 0) continue;
            if (status === 0 && held.length > 0) {
                const messages = held;
                held = [];
                messages.forEach(take);
            } else if (status !== 0) endStep(status);
        }
    }

    /** @param {number} status */
    function endStep(status) {
        times[2 * count] = now();
        step++;
        const skipped = status === setup.diverged;
        const done = step >= order.target;
        const report = { kind: 'step', epoch, step, skipped, loss: core.pp_run_loss(run), times };
        port.postMessage({ ...report, bytes: core.pp_run_peak_bytes(run, setup.rank) }, [times.buffer]);
        // Behind the report: once all have saved a step, none of its reports can be lost with another rank.
        if (done || step % order.every === 0)
            port.postMessage({ kind: 'saved', epoch, step, saved: stages.map((s) => [s, savedOf(s)]), ahead });
        times = ahead;
        ahead = new Float64Array(2 * count + 1);
        if (done) order = null;
    }

    const tasks = /** @type {Record<string, (data: any) => void>} */ ({
        setup(data) {
            setup = data;
            begin();
            for (const [rank, other] of setup.ports.entries()) if (other) tasks.port({ rank, port: other });
            port.postMessage({ kind: 'ready', epoch, now: now() });
        },
        port(data) {
            setup.ports[data.rank] = data.port;
            data.port.onmessage = (/** @type {any} */ event) => {
                take(event.data);
                pump();
            };
        },
        /** From here, with what was saved: at first, and after a loss. */
        load(data) {
            ({ epoch, step } = data);
            order = null;
            held = held.filter(([its]) => its >= epoch);
            times = data.ahead ?? new Float64Array(2 * count + 1);
            ahead = new Float64Array(2 * count + 1);
            core.pp_run_rewind(run, step);
            for (const stage of stages) {
                boxed(stage).set(data.stages[stage]);
                core.pp_run_load(run, stage, box);
            }
        },
        go(data) {
            order = data.target > step ? data : null;
            pump();
        },
    });

    port.onmessage = (/** @type {any} */ event) => {
        try {
            tasks[event.data.kind](event.data);
        } catch (error) {
            port.postMessage({ kind: 'failed', epoch, message: String(error) });
        }
    };
}
