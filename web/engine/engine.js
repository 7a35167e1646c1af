// The core as plain objects, for whoever uses it: requests go in, results come out as ordinary objects and typed arrays that the
// caller may keep. The same file serves the page, Node and workers.
import { CoreFiles } from './files.js';
import { fuse } from './fused.js';
import { HeldStep } from './held-step.js';
import { requestText } from './request-text.js';
import { Training } from './training.js';

/**
 * @typedef {import('./types.js').Ask} Ask
 * @typedef {import('./types.js').FileFacts} FileFacts
 * @typedef {import('./types.js').Measured} Measured
 * @typedef {import('./types.js').MeasuredStep} MeasuredStep
 * @typedef {import('./types.js').Options} Options
 * @typedef {import('./types.js').OptionValue} OptionValue
 * @typedef {import('./types.js').Simulation} Simulation
 */

const ABI = 1;

/** One instance of the core. Make it with loadEngine. */
export class Engine {
    #inside;
    #outside;

    /**
     * @param {WebAssembly.Instance} instance @param {WebAssembly.Module} [module]  for workers, which make their own instance
     * @param {import('./load.js').Outside} [outside]  what the instance was given to call
     */
    constructor(instance, module, outside) {
        this.#outside = outside;
        /** @type {any} */
        const core = { ...instance.exports };
        this.module = module;
        /** The rest of the core, for workers. @type {WebAssembly.Module | undefined} */
        this.rest = undefined;
        if (typeof core._initialize === 'function') core._initialize();
        const found = core.pp_abi_version();
        if (found !== ABI) throw new Error(`pipeline-figure: core has interface ${found}, this loader needs ${ABI}`);
        this.#inside = new CoreFiles(core);
    }

    /** Functions of the core, and of its rest once that is here. @returns {any} */
    get core() {
        return this.#inside.core;
    }

    /** Language of messages: 'en' or 'ru'. */
    get lang() {
        return this.#inside.lang;
    }

    set lang(lang) {
        this.#inside.lang = lang;
    }

    /** What can be asked for. */
    get options() {
        return this.#inside.options;
    }

    get schedules() {
        return this.#inside.schedules;
    }

    /** Names of the statuses of the core, by number. */
    get statuses() {
        return this.#inside.statuses;
    }

    /** What only training asks for. */
    get trainingOptions() {
        return this.#inside.trainingOptions;
    }

    /** How files are read and written; empty in a core without files. */
    get fileOptions() {
        return this.#inside.fileOptions;
    }

    /** Is all of the core here: training, files, studies? */
    get isWhole() {
        return this.core.pp_run_init !== undefined;
    }

    /**
     * Adds the rest of the core, a module that works in the memory of this one.
     * @param {WebAssembly.Module} module
     */
    async join(module) {
        const { exports } = await WebAssembly.instantiate(module, { env: this.core });
        if (this.isWhole) return; // somebody else was first
        const { memory, ...rest } = /** @type {any} */ (exports);
        rest._initialize?.();
        Object.assign(this.core, rest);
        this.rest = module;
        if (this.#outside) this.#outside.rest = rest;
    }

    /** @type {WebAssembly.Module | undefined} */ #maddModule;
    /** @type {{ module: WebAssembly.Module, products: number[] } | undefined} */ #madd;

    /** Training is to take fused products. @param {WebAssembly.Module} module  core.madd.wasm */
    fuse(module) {
        this.#maddModule = module;
    }

    /** The module of fused products, for workers, and where the core's table has them; made by the first training. */
    get madd() {
        const module = this.#maddModule;
        this.#maddModule = undefined;
        try {
            if (module) this.#madd = { module, products: fuse(this.core, module) };
        } catch {} // plain then
        return this.#madd;
    }

    /** How products of training round: 'plain', after each multiplication and each addition, the same numbers everywhere; or
     * 'fused', once for both, faster, the numbers of any machine that has such an operation. @returns {'plain' | 'fused'} */
    get arithmetic() {
        return this.madd ? 'fused' : 'plain';
    }

    /**
     * Generates, checks and times a schedule.
     * @param {Options} options
     * @param {Ask} [ask]  what else to find out about the step
     * @returns {Simulation}
     * @throws {import('./error.js').PipelineError}
     */
    simulate(options, ask = {}) {
        return this.#inside.simulate(options, ask);
    }

    /**
     * The same step kept in the core, where costs can change while the order stands.
     * @param {Options} options @returns {HeldStep}
     * @throws {import('./error.js').PipelineError}
     */
    hold(options) {
        return new HeldStep(this.#inside, options);
    }

    /**
     * Time of a step for each value of one option, everything else as given; refused values give null.
     * @param {Options} options @param {string} name @param {Iterable<number>} values
     * @returns {(Record<string, number> | null)[]} summaries
     */
    sweep(options, name, values) {
        return Array.from(values, (value) =>
            this.#inside.summaryOf(requestText({ .../** @type {any} */ (options), [name]: value })),
        );
    }

    /**
     * What a request comes to before anything is made of it: its options with their defaults, sizes among them.
     * @param {Options} options @returns {Record<string, any>}
     * @throws {import('./error.js').PipelineError}
     */
    configOf(options) {
        return this.#inside.configOf(options);
    }

    /** The even size of micro-batch nearest to `size`, or (way 1, -1) the next larger or smaller one. */
    batchSize(/** @type {number} */ samples, /** @type {number} */ size, way = 0) {
        return /** @type {number} */ (this.core.pp_batch_size_near(samples, size, way));
    }

    /** Samples a batch is shown with where nothing was said of samples. */
    batchShown(/** @type {number} */ microbatches) {
        return /** @type {number} */ (this.core.pp_batch_shown(microbatches));
    }

    get readsFiles() {
        return this.core.pp_file_parse !== undefined;
    }

    /**
     * Which of these options are of files and which not, and what the former say, defaults included.
     * @param {Options} options
     * @returns {{ settings: Record<string, any>, own: [string, OptionValue][], rest: [string, OptionValue][] }}
     * @throws {import('./error.js').PipelineError}
     */
    fileSettings(options) {
        return this.#inside.fileSettings(options);
    }

    /**
     * Reads a schedule from a file (PyTorch's table, our CSV or JSON), checks it and times it like simulate.
     * @param {string} text @param {Options} [options]  costs, transfers, and file options (engine.fileOptions)
     * @param {Ask} [ask]  what times the step anew is left out where the times are not those of simulate
     * @returns {Simulation & { file: FileFacts }}
     * @throws {import('./error.js').PipelineError}
     */
    check(text, options = {}, ask = {}) {
        return this.#inside.check(text, options, ask);
    }

    /**
     * The figures of the times in a file: of what ran where and when, of any origin.
     * @param {string} text @returns {Measured}
     * @throws {import('./error.js').PipelineError}
     */
    measure(text) {
        return this.#inside.measure(text);
    }

    /**
     * A schedule as a table that PyTorch's pipelining reads.
     * @param {Options} options  of simulate or of check, and the file options comms and merge
     * @param {string} [text]  a file to take the schedule from
     * @throws {import('./error.js').PipelineError}
     */
    torchCsv(options, text) {
        return this.#inside.torchCsv(options, text);
    }

    /**
     * Costs of stages from a file: times of actions, lists of costs, or what Megatron's timers print.
     * @param {string} text
     * @param {Record<string, any>} [config]  the run that was measured, as in Simulation.config; for timers
     * @returns {Record<string, Float64Array>}  options for simulate and check, one number for all stages or one each
     * @throws {import('./error.js').PipelineError}
     */
    parseProfile(text, config) {
        return this.#inside.parseProfile(text, config);
    }

    /**
     * A step that really ran: its figures, and the costs of stages that it shows.
     * @param {Options} options  of the schedule
     * @param {Float64Array} start @param {Float64Array} finish  of each action, in any unit, on one clock
     * @returns {{ step: MeasuredStep, costs: Record<string, Float64Array> }}  costs: options for simulate, one number a stage
     * @throws {import('./error.js').PipelineError}
     */
    measuredStep(options, start, finish) {
        return this.#inside.measuredStep(options, start, finish);
    }

    /**
     * Trains the toy network by a schedule, action by action, beside the same network without a pipeline.
     * @param {Options} options  of the schedule and of the training (engine.trainingOptions)
     * @returns {Training}
     * @throws {import('./error.js').PipelineError}
     */
    train(options) {
        return new Training(this, this.#inside, options);
    }

    /**
     * For modules that go with this one and are not always loaded with it (draft.js, measured.js, proof.js).
     * @template T @param {(inside: CoreFiles) => T} work @returns {T}
     */
    withInternals(work) {
        return work(this.#inside);
    }
}
