// A training of the toy network by a schedule, in this thread; beside it the same network without a pipeline.
import { plainName } from '../words/names.js';
import { PRODUCTS } from './fused.js';
import { irisSamples } from './iris.js';
import { pairsOf, requestText } from './request-text.js';
import { activationPeaks } from './studies.js';

/**
 * @typedef {import('./types.js').Alloc} Alloc
 * @typedef {import('./types.js').Options} Options
 * @typedef {import('./types.js').Simulation} Simulation
 */

/** @typedef {{ step: number, cause: 'loss' | 'gradient' }} Divergence */

/**
 * Has a training left the range of numbers in this step? Where the loss is scaled, a gradient that overflows is part of it:
 * the step is skipped and the scale halved.
 * @param {Record<string, number>} settings @param {{ step: number, loss: number, skipped: number | boolean }} record
 * @returns {Divergence | null}
 */
export function divergenceOf(settings, { step, loss, skipped }) {
    if (!Number.isFinite(loss)) return { step, cause: 'loss' };
    return skipped && !(settings.loss_scale > 1) ? { step, cause: 'gradient' } : null;
}

/** The core of a training that has given its memory back, which may be another's by now. */
const closed = new Proxy(
    {},
    {
        get() {
            throw new Error('the training is closed');
        },
    },
);

/**
 * A training run: the network executed by the schedule, and beside it the same network trained without a pipeline.
 * It holds memory of the core until close().
 */
export class Training {
    /** @type {any} */ #core;
    #steps;
    /** @type {number[]} */ #held = [];
    #run;
    #network;
    /** Networks without a pipeline, each with a memory. Of an asynchronous schedule the first has no delays. @type {any[]} */
    #references;
    #delayed = false;
    #data;
    #training;
    #step = 0;
    #out;
    #setup;
    #timed;

    /** @param {import('./engine.js').Engine} engine @param {import('./steps.js').Steps} steps @param {Options} options */
    constructor(engine, steps, options) {
        this.#core = engine.core;
        this.#steps = steps;
        const core = this.#core;
        const trainingNames = new Set(engine.trainingOptions.map((option) => plainName(option.name)));
        const pairs = pairsOf(options);
        const own = pairs.filter(([name]) => trainingNames.has(plainName(name)));
        const hold = steps.allocator(this.#held);
        try {
            const asked = pairs.filter(([name]) => !trainingNames.has(plainName(name)));
            const timed = steps.timed(hold, asked);
            this.#timed = timed;
            const { schedule, timeline, fault, named } = timed;
            /** The schedule that is executed. @type {Simulation} */
            this.simulation = steps.scope((/** @type {Alloc} */ alloc) =>
                steps.report(alloc, timed, { source: (again) => steps.timed(again, asked) }),
            );
            const text = requestText(own);
            const request = hold(text.length + 1);
            steps.bytes(request, text.length).set(text);
            this.#training = hold(core.pp_training_bytes());
            const { module, madd, statuses } = engine;
            const status = (/** @type {string} */ name) => statuses.indexOf(name);
            this.#setup = {
                module,
                rest: engine.rest,
                madd: madd && { module: madd.module, names: PRODUCTS },
                request: steps.bytes(timed.text, timed.length).slice(),
                own: text,
                waits: status('rank-waits'),
                diverged: status('diverged'),
            };
            steps.attempt(core.pp_training_parse(request, text.length, this.#training, fault), fault);
            steps.attempt(core.pp_training_needs_backward(schedule, fault), fault);
            const fit = core.pp_training_fit(this.#training, named.stages, named.microbatches, fault);
            steps.attempt(fit, fault);
            /** Settings as understood: data, width, depth, batch, rate, … @type {Record<string, number>} */
            this.settings = {};
            for (let i = 0; i < core.pp_training_field_count(); i++) {
                const name = steps.string(core.pp_training_field_name(i));
                this.settings[name] = core.pp_training_field(this.#training, i);
            }

            const dataBytes = core.pp_data_bytes(this.#training);
            this.#data = hold(dataBytes);
            steps.attempt(core.pp_data_init(this.#training, this.#data, dataBytes), fault);
            const dataNames = engine.trainingOptions.find((option) => option.name === 'data')?.names ?? [];
            if (dataNames[this.settings.data] === 'iris') this.#fillIris();

            const widths = hold(4 * (this.settings.depth + 1));
            core.pp_training_widths(this.#training, widths);
            /** Units of each layer, inputs first. */
            this.layers = this.#ints(widths, this.settings.depth + 1);
            /** The step in which a number stopped being finite, and which; from then on weights do not change.
             * @type {Divergence | null} */
            this.diverged = null;
            const networkKind = core.pp_training_kind(this.#training);
            const stream = steps.isAsynchronous(named);
            this.#delayed = stream;
            const [network, ...references] = (stream ? [0, 1, 2] : [0, 1]).map(() => {
                const bytes = core.pp_network_bytes(widths, this.settings.depth, named.stages, networkKind);
                const at = hold(bytes);
                const made = core.pp_network_init(
                    widths,
                    this.settings.depth,
                    named.stages,
                    0,
                    networkKind,
                    this.settings.loss,
                    at,
                    bytes,
                );
                steps.attempt(made, fault);
                if (engine.madd) core.pp_network_products(at, ...engine.madd.products);
                core.pp_network_seed(at, this.settings.init, this.settings.seed);
                return at;
            });
            this.#network = network;
            /** Layer numbers where stages begin, and the end. */
            this.cuts = this.#ints(core.pp_network_cuts(network), named.stages + 1);
            const runBytes = core.pp_run_bytes(schedule, network, this.#training);
            this.#run = hold(runBytes);
            const begun = core.pp_run_init(
                schedule,
                timeline,
                network,
                this.#data,
                this.#training,
                this.#run,
                runBytes,
                fault,
            );
            steps.attempt(begun, fault);
            this.#references = references.map((at, late) => {
                const { config } = timed;
                const bytes = stream
                    ? core.pp_delayed_bytes(config, at, this.#training)
                    : core.pp_reference_bytes(at, this.#training);
                const memory = hold(bytes);
                if (stream) core.pp_delayed_init(config, at, this.#training, late, memory, bytes);
                return { at, bytes, memory };
            });
            this.#out = hold(8);

            this.features = core.pp_data_inputs(this.#data);
            this.classes = core.pp_network_outputs(network);
            const samples = core.pp_data_samples(this.#data);
            /** The samples as trained on. @type {{ values: Float32Array, label: Int32Array }} */
            this.points = {
                values: this.#floats(core.pp_data_features(this.#data), samples * this.features),
                label: this.#ints(core.pp_data_labels(this.#data), samples),
            };
        } catch (error) {
            this.close();
            throw error;
        }
    }

    /** Performs the next action in the order of simulated time; done once the step's update is made; ahead: it is one of the next step. */
    next() {
        const status = this.#core.pp_run_next(this.#run, this.#out);
        const [action] = this.#ints(this.#out, 1);
        return { action, done: status !== 0, ahead: this.#core.pp_run_is_ahead(this.#run) === 1 };
    }

    /** What is left of the present step, or all of the next; then the same step of the unpipelined network. */
    step() {
        const core = this.#core;
        if (core.pp_run_steps(this.#run) === this.#step) core.pp_run_step(this.#run); // else next() has just ended it
        const go = this.#delayed ? core.pp_delayed_step : core.pp_reference_step;
        for (const { at, memory, bytes } of this.#references)
            go(at, this.#data, this.#training, this.#step, memory, bytes, this.#out);
        this.#step++;
        const reference = this.#references[this.#references.length - 1].at;
        const loss = core.pp_run_loss(this.#run);
        this.diverged ??= divergenceOf(this.settings, {
            step: this.#step,
            loss,
            skipped: core.pp_run_skipped(this.#run),
        });
        return {
            step: this.#step,
            loss,
            reference_loss: new Float64Array(core.memory.buffer, this.#out, 1)[0],
            gradient_difference: core.pp_gradient_difference(this.#network, reference),
            weight_difference: core.pp_weight_difference(this.#network, reference),
            accuracy: core.pp_network_accuracy(this.#network, this.#data),
            skipped: core.pp_run_skipped(this.#run),
        };
    }

    /** The schedule's step alone, without the unpipelined network: what is to be timed. */
    run() {
        this.#core.pp_run_step(this.#run);
    }

    /** What a rank in a worker starts from, but for its number and ports (rank-worker.js). */
    get setup() {
        return { ...this.#setup, depth: this.settings.depth, points: this.points };
    }

    /** Steps that the schedule's network has seen, and what they left, stage by stage (pp_run_save); between steps. @returns {import('./workers.js').Saved} */
    get state() {
        const core = this.#core;
        const stages = Array.from({ length: this.simulation.config.stages }, (_, stage) =>
            this.#steps.scope((/** @type {Alloc} */ alloc) => {
                const bytes = core.pp_run_save(this.#run, stage, 0);
                const at = alloc(bytes);
                core.pp_run_save(this.#run, stage, at);
                return this.#steps.bytes(at, bytes).slice();
            }),
        );
        return { step: core.pp_run_steps(this.#run), stages };
    }

    /**
     * Takes steps that were made elsewhere; step() then only runs the unpipelined network until it has as many. What is no state of
     * this training is refused with a TypeError, and nothing is taken of it.
     */
    set state(state) {
        const { step, stages } = state ?? {};
        const { config } = this.simulation;
        if (!Number.isInteger(step) || step < 0 || step > 0x7fffffff)
            throw new TypeError(`training.state: step = ${step}; a number of steps is needed, 0 or more`);
        if (!Array.isArray(stages) || stages.length !== config.stages)
            throw new TypeError(
                `training.state: ${config.stages} stages are needed, not ${Array.isArray(stages) ? stages.length : stages}`,
            );
        for (const [stage, bytes] of stages.entries()) {
            const needed = this.#core.pp_run_save(this.#run, stage, 0);
            if (!(bytes instanceof Uint8Array) || bytes.length !== needed)
                throw new TypeError(
                    `training.state: stage ${stage} is ${needed} bytes of a Uint8Array, not ${bytes?.length ?? bytes}`,
                );
        }
        this.#core.pp_run_rewind(this.#run, step);
        for (const [stage, bytes] of stages.entries())
            this.#steps.scope((/** @type {Alloc} */ alloc) => {
                const at = alloc(bytes.length);
                this.#steps.bytes(at, bytes.length).set(bytes);
                this.#core.pp_run_load(this.#run, stage, at);
            });
    }

    /**
     * The most bytes of live activations each rank holds at once: measured in the last step, and as the simulation counts
     * them.
     * @returns {{ measured: number[], simulated: number[] }}
     */
    get activationBytes() {
        const steps = this.#steps;
        return {
            measured: this.simulation.perRank.map((_, rank) => this.#core.pp_run_peak_bytes(this.#run, rank)),
            simulated: steps.scope((/** @type {Alloc} */ alloc) =>
                activationPeaks(steps, alloc, this.#timed, this.#run),
            ),
        };
    }

    /**
     * Of an asynchronous schedule, by rank and measured: the most versions of its weights there were, and by how many updates
     * gradients came late; and how far the weights are from those of a run without delays.
     * Null where there is a flush.
     */
    get stream() {
        const core = this.#core;
        const ofRanks = (/** @type {(run: number, rank: number) => number} */ of) =>
            this.simulation.perRank.map((_, rank) => of(this.#run, rank));
        return this.#delayed
            ? {
                  versions: ofRanks(core.pp_run_versions),
                  late: ofRanks(core.pp_run_lag),
                  synchronous_difference: core.pp_weight_difference(this.#network, this.#references[0].at),
              }
            : null;
    }

    /**
     * What micro-batches do to the next step, with the weights as they are (pp_semantics); NaN where the request has no such
     * part. Changes nothing. @returns {Record<string, number>}
     */
    semantics() {
        const core = this.#core;
        return this.#steps.scope((/** @type {Alloc} */ alloc) => {
            const bytes = core.pp_semantics_bytes(this.#network, this.#training);
            const count = core.pp_semantics_count();
            const out = alloc(8 * count);
            core.pp_semantics(this.#network, this.#data, this.#training, this.#step, alloc(bytes), bytes, out);
            const values = new Float64Array(core.memory.buffer, out, count);
            return Object.fromEntries(
                Array.from(values, (value, i) => [this.#steps.string(core.pp_semantics_name(i)), value]),
            );
        });
    }

    /** Gradients add in the order of the whole batch, so the difference is exactly 0. */
    get sumsInOrder() {
        return this.#core.pp_run_sums_in_order(this.#run) === 1;
    }

    /** Measured: the most activations each rank held at once. */
    get peaks() {
        return this.simulation.perRank.map((_, rank) => this.#core.pp_run_peak(this.#run, rank));
    }

    /** Weights and biases, layer by layer. */
    get parameters() {
        const count = this.#core.pp_network_parameter_count(this.#network);
        return this.#floats(this.#core.pp_network_parameters(this.#network), count);
    }

    /**
     * What a module that goes with this one may use of the training: the steps of its engine, its data and its network.
     * @template T @param {(inside: { steps: import('./steps.js').Steps, data: number, network: number }) => T} work @returns {T}
     */
    withInternals(work) {
        return work({ steps: this.#steps, data: this.#data, network: this.#network });
    }

    /**
     * Outputs of the network for points of its features: probabilities of the classes, or plain outputs.
     * @param {Float32Array} points  count * features @returns {Float32Array} count * classes
     */
    predict(points) {
        const core = this.#core;
        const rows = points.length / this.features;
        return this.#steps.scope((/** @type {Alloc} */ alloc) => {
            const input = alloc(points.byteLength);
            const output = alloc(4 * rows * this.classes);
            new Float32Array(core.memory.buffer, input, points.length).set(points);
            core.pp_network_predict(this.#network, input, rows, output, 0);
            return this.#floats(output, rows * this.classes);
        });
    }

    /** Releases the memory; safe to call twice. */
    close() {
        for (const at of this.#held.splice(0)) this.#core.pp_free(at);
        this.#core = closed;
    }

    #fillIris() {
        const { features, labels } = irisSamples();
        const core = this.#core;
        new Float32Array(core.memory.buffer, core.pp_data_features(this.#data), features.length).set(features);
        new Int32Array(core.memory.buffer, core.pp_data_labels(this.#data), labels.length).set(labels);
        core.pp_data_normalize(this.#data);
    }

    /** @param {number} at @param {number} count */
    #ints(at, count) {
        return new Int32Array(this.#core.memory.buffer, at, count).slice();
    }

    /** @param {number} at @param {number} count */
    #floats(at, count) {
        return new Float32Array(this.#core.memory.buffer, at, count).slice();
    }
}
