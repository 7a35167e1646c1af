// The compiled core as plain objects. This is the only file that sees a pointer: every call copies text and numbers in,
// runs, takes fresh views (memory may have moved), copies out and releases. What comes back is ordinary typed arrays
// the caller may keep. The same file serves the page, Node and workers.
import coreBytes from 'pipeline-figure/core-bytes';
import { loadPart } from '../parts/load.js';
import { plainName } from '../words/names.js';
import { OPS } from '../words/ops.js';
import { COST_ROW, COST_ROWS } from './costs.js';
import { irisSamples } from './iris.js';
import { Step } from './step.js';
import { activationPeaks, studiesOf } from './studies.js';

export { OPS };

const ABI = 1;
/** Of a larger step the columns stay in the core until they are read. */
const LAZY_ACTIONS = 3000;
/** So many of them are kept there: two that are compared. */
const KEPT_STEPS = 2;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * @typedef {string | number | ArrayLike<number> | null | undefined} OptionValue
 * @typedef {Record<string, OptionValue> | [string, OptionValue][]} Options
 *     Names and values of the command line ("ranks", "inputGradient" or "input-gradient", …). A list is one number, an
 *     array with one number per stage, or text as a person types it. As pairs where a name may stand twice.
 *
 * @typedef {{ option: string, value: string }} Fix  the nearest legal choice
 *
 * @typedef {(bytes: number) => number} Alloc  memory that its owner releases
 * @typedef {{ config: number, costs: number, schedule: number, timeline: number, fault: number, text: number,
 *             length: number, named: Record<string, any>, order?: Record<string, number>, table?: number, measured?: number }} Timed  a timed step in the
 *     core's memory, with its request; table: the file it was read from, measured: the same where the times are its own
 *
 * @typedef {object} Actions  equal-length columns, one entry per action, ranks end to end
 * @property {number} count
 * @property {Int32Array} rank
 * @property {Int32Array} index  slot in the rank's list; the halves of a fused slot share it
 * @property {Int32Array} op  0 F, 1 B, 2 I, 3 W, 4 R
 * @property {Int32Array} stage
 * @property {Int32Array} microbatch
 * @property {Int32Array} slice
 * @property {Float64Array} start  ticks
 * @property {Float64Array} finish
 * @property {Int32Array} input  the action whose output it waits for, -1 for none
 * @property {Float64Array} [arrive]  when its output is there, where more than the latency of the hop decides
 * @property {Int32Array} [version]  asynchronous schedules: updates the weights have seen that the action uses
 * @property {Int32Array} [delay]  and by how many updates they lag behind
 *
 * @typedef {object} Idle  intervals, equal-length columns, ranks end to end
 * @property {number} count
 * @property {Int32Array} rank
 * @property {Float64Array} start  ticks
 * @property {Float64Array} finish
 * @property {Int32Array} reason  0 filling, 1 waits for input, 2 transfer on its way, 3 draining, 4 gathers weights
 * @property {Int32Array} before  the action that ends the wait, -1 for none
 * @property {Int32Array} waits_for  the action whose output is awaited, -1 for none
 * @property {Int32Array} early  the rank's next F, where it could begin with the interval and end with the wait; -1 for none
 * @property {Int32Array} held  activations that the rank would hold with it
 *
 * @typedef {import('./studies.js').Ask} Ask
 * @typedef {StepReport & import('./studies.js').Studies & Step} Simulation
 *
 * @typedef {object} Conditions  what differs by micro-batch, and what a rank does beside computing
 * @property {Float64Array[]} [factors]  rows, one or one per stage, of the factor of each micro-batch (or slice) in the order shown
 * @property {Int32Array} [places]  of each micro-batch shown: its number as given
 * @property {boolean} [proved]  order=best: every order was tried
 * @property {Int32Array} [waiting]  per rank: most messages that had arrived and waited
 * @property {Int32Array} [gathers]  per rank: how often the weights of a stage were gathered
 *
 * @typedef {object} StepReport
 * @property {Conditions} [conditions]
 * @property {Record<string, any>} config  the request as understood: schedule, ranks, microbatches, chunks, stages, …
 * @property {Record<string, Float64Array>} costs  per stage: forward, backward, input, weight, recompute, overlap, latency
 * @property {Actions} actions
 * @property {Int32Array} stageRank  rank of each stage; pipes end to end for bidirectional schedules
 * @property {Record<string, number>} summary  pp_summary
 * @property {Record<string, number>[]} perRank  pp_rank_report
 * @property {{ updateEvery: number, late: number[] }} [stream]  of a schedule without a flush: micro-batches of an update; by rank, how
 *     many updates late its gradients come once the pipeline is full
 * @property {Idle} idle
 * @property {Int32Array} criticalPath  indices into actions
 * @property {Int32Array} rankBegin  ranks + 1 offsets into actions
 * @property {number} kinds  what a chart of it shows: bits 1 << op, and KINDS of step.js
 * @property {FileFacts} [file]  of one that was read
 *
 * @typedef {StepReport & { halt: number, circle: Int32Array }} Stall  drawn like a simulation, but nothing in it has been
 *     reported on: actions from halt on do not run. circle: pairs of an action and the one that has to run before it, each
 *     further on in the list of the next pair's rank; one pair where a rank waits for itself
 *
 * @typedef {object} FileFacts
 * @property {'torch' | 'csv' | 'json'} format
 * @property {boolean} timed  the file has times of its own
 * @property {boolean} measured  and they are the ones shown
 * @property {boolean} lowered  it has sends and receives, whose order was kept
 * @property {number | null} steps  of a lowered table by PyTorch's count, where every cell is one
 * @property {string | null} note  what to know about its cells
 *
 * @typedef {object} Others  simulations beside the one shown
 * @property {Simulation | null} [compare]  another schedule of the same setting (GPipe beside 1F1B, 1F1B beside interleaved)
 * @property {Simulation | null} [without]  the same without recomputation
 * @property {{ full: number, inputs: number }} [kept]  with recomputation: micro-batches whose activations a device holds
 *     at most, and those of which it holds the input
 * @property {Simulation['failure'] | null} [failure]  a device fails in this step
 *
 * @typedef {StepReport} MeasuredStep  of times that were measured: fractions are not exact, costs are means
 *
 * @typedef {object} Measured  figures of times alone, whatever ran; summary and perRank have NaN where more would be needed
 * @property {number} ranks
 * @property {boolean} named  the file also says what ran
 * @property {{ count: number, rank: Int32Array, start: Float64Array, finish: Float64Array }} intervals
 * @property {Record<string, number>} summary
 * @property {Record<string, number>[]} perRank
 */

/** A refusal of the core. message is a full sentence in the engine's language. */
export class PipelineError extends Error {
    /** @param {string} message @param {Record<string, any>} fields */
    constructor(message, fields) {
        super(message);
        this.name = 'PipelineError';
        /** @type {string} */ this.code = fields.code;
        /** @type {string | null} */ this.option = fields.option ?? null;
        /** The same for a reader of a figure: no names of options that only authors use. @type {string} */
        this.reader = fields.reader ?? '';
        /** @type {string} */ this.seen = fields.seen ?? '';
        /** @type {Fix[]} */ this.fixes = fields.fixes ?? [];
        /** @type {Record<string, number>} */ this.fault = fields.fault ?? {};
        /** On a deadlock: what the ranks stand before, and in which column of a file.
         * @type {{rank: number, stage: number, op: string, microbatch: number, column?: number}[]} */
        this.blocked = fields.blocked ?? [];
        /** How far a generated schedule comes whose changed order cannot run. @type {Stall | null} */
        this.stall = fields.stall ?? null;
        /** Names of an option of names, for a list of choices. @type {string[]} */ this.names = fields.names ?? [];
    }
}

/** The option that gives each of the first seven rows, in their order. */
const COST_OPTIONS = COST_ROWS.slice(0, 7).map(
    (row) => Object.keys(COST_ROW).find((name) => COST_ROW[name] === row) ?? '',
);

/** @param {Options} options @returns {[string, OptionValue][]} */
const pairsOf = (options) => (Array.isArray(options) ? options : Object.entries(options));

/** @param {Options} options */
function requestText(options) {
    const lines = [];
    for (const [name, value] of pairsOf(options)) {
        if (value === null || value === undefined || value === '') continue;
        const text = typeof value === 'object' ? Array.from(value).join(' ') : String(value);
        lines.push(`${name}=${text.replace(/\s+/g, ' ')}`);
    }
    return encoder.encode(lines.join('\n'));
}

/** Does a request change the order? @param {Uint8Array} request */
const hasMoves = (request) => /^\s*moves\s*=\s*\S/im.test(decoder.decode(request));

/** One instance of the core. Make it with loadEngine. */
export class Engine {
    #outside;

    /**
     * @param {WebAssembly.Instance} instance @param {WebAssembly.Module} [module]  for workers, which make their own instance
     * @param {Outside} [outside]  what the instance was given to call
     */
    constructor(instance, module, outside) {
        this.#outside = outside;
        /** Functions of the core, and of its rest once that is here. @type {any} */
        this.core = { ...instance.exports };
        this.module = module;
        /** The rest of the core, for workers. @type {WebAssembly.Module | undefined} */
        this.rest = undefined;
        if (typeof this.core._initialize === 'function') this.core._initialize();
        const found = this.core.pp_abi_version();
        if (found !== ABI) throw new Error(`pipeline-figure: core has interface ${found}, this loader needs ${ABI}`);
        /** Language of messages: 'en' or 'ru'. */
        this.lang = 'en';
        this.statuses = this.#names((i) => this.core.pp_status_name(i), 'unknown');
        this.faultFields = this.#names((i) => this.core.pp_fault_field_name(i));
        this.configFields = this.#names((i) => this.core.pp_config_field_name(i));
        this.summaryFields = this.#names((i) => this.core.pp_summary_field_name(i));
        this.rankFields = this.#names((i) => this.core.pp_rank_field_name(i));
        this.idleFields = this.#names((i) => this.core.pp_idle_field_name(i));
        /** What can be asked for. @type {{name: string, letter: string, kind: string, names: string[], min: number, max: number}[]} */
        this.options = [];
        const core = this.core;
        for (let o = 0; o < core.pp_option_count(); o++) {
            this.options.push({
                name: this.#string(this.core.pp_option_name(o)),
                letter: String.fromCharCode(this.core.pp_option_letter(o)).replace('\0', ''),
                kind: String.fromCharCode(this.core.pp_option_kind(o)),
                names: this.#names((i) => this.core.pp_option_value_name(o, i)),
                min: this.core.pp_option_min(o),
                max: this.core.pp_option_max(o),
            });
        }
        /** @type {{name: string, chunksMin: number, chunksMax: number, chunksDefault: number, trains: boolean, formula: string, options: string[]}[]} */
        this.schedules = [];
        for (let id = 0; id < this.core.pp_schedule_count(); id++) {
            this.schedules.push({
                name: this.#string(this.core.pp_schedule_name(id)),
                chunksMin: this.core.pp_schedule_chunks_min(id),
                chunksMax: this.core.pp_schedule_chunks_max(id),
                chunksDefault: this.core.pp_schedule_chunks_default(id),
                trains: this.core.pp_schedule_trains(id) === 1,
                formula: this.#string(this.core.pp_schedule_formula(id)),
                options: this.options
                    .map((option) => option.name)
                    .filter((_, o) => this.core.pp_schedule_option_used(id, o) === 1),
            });
        }
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

    /** What only training asks for. @returns {{name: string, kind: string, names: string[], min: number, max: number}[]} */
    get trainingOptions() {
        const core = this.core;
        const first = core.pp_training_option_first();
        return Array.from({ length: core.pp_training_option_count() }, (_, i) => ({
            name: this.#string(core.pp_training_option_name(first + i)),
            kind: String.fromCharCode(core.pp_training_option_kind(first + i)),
            names: this.#names((n) => core.pp_training_option_value_name(first + i, n)),
            min: core.pp_training_option_min(first + i),
            max: core.pp_training_option_max(first + i),
        }));
    }

    /**
     * Generates, checks and times a schedule.
     * @param {Options} options
     * @param {Ask} [ask]  what else to find out about the step
     * @returns {Simulation}
     * @throws {PipelineError}
     */
    simulate(options, ask = {}) {
        const request = options instanceof Uint8Array ? options : requestText(options);
        /** @type {number[]} */
        const held = [];
        /** @type {Timed | undefined} */
        let timed;
        let keeps = false;
        try {
            const alloc = this.#allocator(held);
            timed = this.#timed(alloc, request, held);
            const source = (/** @type {Alloc} */ again) => this.#timed(again, request);
            keeps = Object.keys(ask).length === 0 && this.core.pp_schedule_action_count(timed.schedule) > LAZY_ACTIONS;
            const step = this.#scope((scratch) =>
                this.#report(scratch, /** @type {Timed} */ (timed), ask, keeps, source),
            );
            if (keeps) this.#keep({ timed, held, step });
            return step;
        } finally {
            if (!keeps) this.#release(held);
        }
    }

    /** Steps whose memory is kept, the last one first. @type {{ timed: Timed, held: number[], step: Simulation }[]} */
    #kept = [];

    /** @param {{ timed: Timed, held: number[], step: Simulation }} step */
    #keep(step) {
        this.#kept.unshift(step);
        for (const { held } of this.#kept.splice(KEPT_STEPS)) this.#release(held);
    }

    /**
     * A kept step with the same list of actions, which need not be made and checked again. Its memory goes over to the new
     * one: `held`.
     * @param {number} config @param {number[]} held
     */
    #sameList(config, held) {
        const core = this.core;
        const size = core.pp_config_bytes();
        const own = this.#bytes(config, size);
        const at = this.#kept.findIndex(
            ({ timed }) => !timed.named.edited && this.#bytes(timed.config, size).every((byte, i) => byte === own[i]),
        );
        if (at < 0) return null;
        const [{ timed, held: old }] = this.#kept.splice(at, 1);
        const taken = [timed.schedule, timed.timeline];
        held.push(...taken);
        this.#release(old.filter((place) => !taken.includes(place)));
        return timed;
    }

    /**
     * The same step kept in the core, where costs can change while the order stands.
     * @param {Options} options @returns {Held}
     * @throws {PipelineError}
     */
    hold(options) {
        return new Held(this.#access, options);
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

    /** How files are read and written. @returns {{name: string, kind: string, names: string[]}[]} */
    get fileOptions() {
        const core = this.core;
        if (!core.pp_file_option_first) return []; // a core without files
        const first = core.pp_file_option_first();
        return Array.from({ length: core.pp_file_option_count() }, (_, i) => ({
            name: this.#string(core.pp_file_option_name(first + i)),
            kind: String.fromCharCode(core.pp_file_option_kind(first + i)),
            names: this.#names((n) => core.pp_file_option_value_name(first + i, n)),
        }));
    }

    /**
     * What a request comes to before anything is made of it: its options with their defaults, sizes among them.
     * @param {Options} options @returns {Record<string, any>}
     * @throws {PipelineError}
     */
    configOf(options) {
        return this.#scope((alloc) => {
            const { core } = this;
            const fault = alloc(core.pp_fault_bytes());
            const { at, length } = this.#copy(alloc, requestText(options));
            const config = alloc(core.pp_config_bytes());
            this.#try(core.pp_config_parse(at, length, config, fault), fault);
            return this.#configObject(config);
        });
    }

    /**
     * Which of these options are of files and which not, and what the former say, defaults included.
     * @param {Options} options
     * @returns {{ settings: Record<string, any>, own: [string, OptionValue][], rest: [string, OptionValue][] }}
     * @throws {PipelineError}
     */
    fileSettings(options) {
        return this.#scope((alloc) => {
            const { settings, own, rest } = this.#file(alloc, options, alloc(this.core.pp_fault_bytes()));
            return { settings, own, rest };
        });
    }

    /**
     * Reads a schedule from a file (PyTorch's table, our CSV or JSON), checks it and times it like simulate.
     * @param {string} text @param {Options} [options]  costs, transfers, and file options (engine.fileOptions)
     * @param {Ask} [ask]  what times the step anew is left out where the times are not those of simulate
     * @returns {Simulation & { file: FileFacts }}
     * @throws {PipelineError}
     */
    check(text, options = {}, ask = {}) {
        return this.#scope((alloc) => {
            const timed = this.#read(alloc, text, options);
            const { lowered, measured } = timed.facts;
            const asked = lowered || measured ? { memory: ask.memory, why: ask.why } : ask;
            const source = (/** @type {Alloc} */ again) => this.#read(again, text, options);
            return Object.assign(this.#report(alloc, timed, asked, false, source), { file: timed.facts });
        });
    }

    /**
     * The figures of the times in a file: of what ran where and when, of any origin.
     * @param {string} text @returns {Measured}
     * @throws {PipelineError}
     */
    measure(text) {
        const core = this.core;
        return this.#scope((alloc) => {
            const fault = alloc(core.pp_fault_bytes());
            const table = this.#table(alloc, text, 0, fault);
            const ranks = core.pp_table_ranks(table);
            const count = core.pp_table_cell_count(table);
            const bytes = 8 * this.summaryFields.length;
            const summary = alloc(bytes);
            const reports = alloc(8 * this.rankFields.length * ranks);
            this.#bytes(summary, bytes).fill(255); // NaN
            this.#bytes(reports, 8 * this.rankFields.length * ranks).fill(255);
            this.#try(core.pp_table_report(table, summary, reports, fault), fault);
            const row = alloc(4 * count);
            core.pp_table_columns(table, row, 0, 0, 0, 0);
            return {
                ranks,
                named: core.pp_table_named(table) === 1,
                intervals: {
                    count,
                    rank: this.#ints(row, count),
                    start: this.#doubles(core.pp_table_start(table), count),
                    finish: this.#doubles(core.pp_table_finish(table), count),
                },
                summary: this.#records(this.summaryFields, summary, 1)[0],
                perRank: this.#records(this.rankFields, reports, ranks),
            };
        });
    }

    /**
     * A schedule as a table that PyTorch's pipelining reads.
     * @param {Options} options  of simulate or of check, and the file options comms and merge
     * @param {string} [text]  a file to take the schedule from
     * @throws {PipelineError}
     */
    torchCsv(options, text) {
        const core = this.core;
        return this.#scope((alloc) => {
            const fault = alloc(core.pp_fault_bytes());
            const { file, rest } = this.#file(alloc, options, fault);
            const timed = text === undefined ? this.#timed(alloc, rest) : this.#read(alloc, text, options);
            const { schedule, timeline } = timed;
            let table = timed.table && core.pp_file_keeps(file, timed.table) === 1 ? timed.table : 0;
            if (table === 0) {
                const bytes = core.pp_table_make_bytes(schedule);
                table = alloc(bytes);
                this.#try(core.pp_table_make(schedule, timeline, table, bytes, fault), fault);
            }
            const passes = core.pp_lower_passes(file);
            if (passes !== 0) {
                const bytes = core.pp_table_lower_bytes(table, schedule) >>> 0;
                const lowered = alloc(bytes);
                this.#try(core.pp_table_lower(table, schedule, passes, lowered, bytes, fault), fault);
                table = lowered;
            }
            const length = core.pp_table_print(table, 0, 0, 0);
            const out = alloc(length < 0 ? Number.POSITIVE_INFINITY : length + 1);
            core.pp_table_print(table, 0, out, length + 1);
            return decoder.decode(this.#bytes(out, length).slice());
        });
    }

    /**
     * Costs of stages from a file: times of actions, lists of costs, or what Megatron's timers print.
     * @param {string} text
     * @param {Record<string, any>} [config]  the run that was measured, as in Simulation.config; for timers
     * @returns {Record<string, Float64Array>}  options for simulate and check, one number for all stages or one each
     * @throws {PipelineError}
     */
    parseProfile(text, config) {
        const core = this.#files;
        return this.#scope((alloc) => {
            const { at, length } = this.#copy(alloc, text);
            const profile = this.#profile(alloc, at, length, config);
            /** @type {Record<string, Float64Array>} */
            const out = {};
            for (const row of COST_ROWS.keys()) {
                const count = core.pp_profile_count(profile, row);
                const option = this.options[core.pp_cost_option(row)];
                if (count > 0) out[option.name] = this.#doubles(core.pp_profile_values(profile, row), count);
            }
            return out;
        });
    }

    /** @param {Alloc} alloc @param {number} at @param {number} length @param {Record<string, any>} [config] */
    #profile(alloc, at, length, config) {
        const core = this.core;
        const fault = alloc(core.pp_fault_bytes());
        const shape = config === undefined ? 0 : alloc(core.pp_config_bytes());
        if (config !== undefined) {
            const values = this.configFields.map((name) => (Number.isInteger(config[name]) ? config[name] : 0));
            new Int32Array(core.memory.buffer, shape, values.length).set(values);
        }
        const bytes = core.pp_profile_bytes(at, length, shape) >>> 0;
        const profile = alloc(bytes);
        this.#try(core.pp_profile_parse(at, length, shape, profile, bytes, fault), fault);
        return profile;
    }

    /**
     * Trains the toy network by a schedule, action by action, beside the same network without a pipeline.
     * @param {Options} options  of the schedule and of the training (engine.trainingOptions)
     * @returns {Training}
     * @throws {PipelineError}
     */
    train(options) {
        return new Training(this, this.#access, options);
    }

    /**
     * A step that really ran: its figures, and the costs of stages that it shows.
     * @param {Options} options  of the schedule
     * @param {Float64Array} start @param {Float64Array} finish  of each action, in any unit, on one clock
     * @returns {{ step: MeasuredStep, costs: Record<string, Float64Array> }}  costs: options for simulate, one number a stage
     * @throws {PipelineError}
     */
    measuredStep(options, start, finish) {
        const core = this.core;
        const source = (/** @type {Alloc} */ alloc) => {
            const timed = this.#timed(alloc, options);
            const { schedule, timeline } = timed;
            const stages = core.pp_schedule_stages(schedule);
            const [from, to] = [start, finish].map((times) => {
                const at = alloc(times.byteLength);
                new Float64Array(core.memory.buffer, at, times.length).set(times);
                return at;
            });
            const costs = alloc(8 * COST_ROWS.length * stages);
            const scratch = alloc(8 * (COST_ROWS.length + 1) * stages);
            const told = core.pp_measured_costs(schedule, timeline, from, to, costs, scratch);
            core.pp_measured_times(schedule, from, to, timeline);
            return { ...timed, costs, told, stages };
        };
        return this.#scope((alloc) => {
            const { told, stages, ...timed } = source(alloc);
            /** @type {Record<string, Float64Array>} */
            const costs = {};
            for (const [row, option] of COST_OPTIONS.entries())
                if ((told >> row) & 1) costs[option] = this.#doubles(timed.costs + 8 * row * stages, stages);
            return { step: this.#report(alloc, timed, {}, false, source, true), costs };
        });
    }

    /**
     * Time of a step for each value of one option, everything else as given; refused values give null.
     * @param {Options} options @param {string} name @param {Iterable<number>} values
     * @returns {(Record<string, number> | null)[]} summaries
     */
    sweep(options, name, values) {
        const out = [];
        for (const value of values) {
            out.push(this.#summaryOf(requestText({ .../** @type {any} */ (options), [name]: value })));
        }
        return out;
    }

    /** The core, where it is one that reads files. */
    get #files() {
        if (this.core.pp_file_parse) return this.core;
        throw new Error('pipeline-figure: this core reads no files');
    }

    /** @param {Alloc} alloc @param {string | Uint8Array} text @returns {{ at: number, length: number }} */
    #copy(alloc, text) {
        const bytes = typeof text === 'string' ? encoder.encode(text) : text;
        const at = alloc(bytes.length + 1);
        this.#bytes(at, bytes.length).set(bytes);
        return { at, length: bytes.length };
    }

    /**
     * From a request to a timed step in the core's memory.
     * @param {Alloc} alloc @param {Options | Uint8Array} options  or the text of a request
     * @param {number[]} [held]  where the memory belongs that a kept step gives over @returns {Timed}
     */
    #timed(alloc, options, held) {
        const core = this.core;
        const fault = alloc(core.pp_fault_bytes());
        const request = options instanceof Uint8Array ? options : requestText(options);
        const { at: text, length } = this.#copy(alloc, request);
        const config = alloc(core.pp_config_bytes());
        this.#try(core.pp_config_parse(text, length, config, fault), fault);
        const costs = alloc(core.pp_costs_bytes(config));
        this.#try(core.pp_costs_parse(text, length, config, costs, fault), fault);
        const named = this.#configObject(config);
        named.edited = hasMoves(request);
        const kept = held && !named.edited && !this.#byCosts(named) && this.#sameList(config, held);
        let { schedule, timeline } = kept || { schedule: 0, timeline: 0 };
        if (schedule === 0) {
            const bytes = core.pp_schedule_bytes(config);
            schedule = alloc(bytes);
            this.#try(core.pp_schedule_make(config, costs, schedule, bytes, fault), fault);
            this.#try(core.pp_moves_apply(text, length, schedule, fault), fault);
            timeline = this.#checked(alloc, { schedule, fault, costs, named });
        }
        core.pp_conditions_attach(schedule, config, costs); // a kept one knew those of other costs
        this.#try(core.pp_partition_search(schedule, config, costs, timeline, fault), fault);
        this.#try(core.pp_simulate(schedule, costs, this.#transferOf(named), timeline, fault), fault);
        const order = this.#ordered(alloc, { config, costs, schedule, timeline, fault, named });
        return { config, costs, schedule, timeline, fault, text, length, named, order };
    }

    /**
     * Looks for the best order of micro-batches that are not alike, where the request asks for it.
     * @param {Alloc} alloc @param {Pick<Timed, 'config' | 'costs' | 'schedule' | 'timeline' | 'fault' | 'named'>} timed
     * @returns {Record<string, number> | undefined}
     */
    #ordered(alloc, { config, costs, schedule, timeline, fault, named }) {
        if (named.order !== 'best') return undefined;
        const core = this.core;
        const names = this.#names((i) => core.pp_record_field_name(1, i));
        const out = alloc(8 * names.length);
        const memory = alloc(core.pp_order_bytes(config));
        this.#try(core.pp_order_search(schedule, config, costs, timeline, memory, out, fault), fault);
        return this.#records(names, out, 1)[0];
    }

    /**
     * What differs by micro-batch, and how many messages wait and weights are gathered; undefined where nothing of it was asked.
     * @param {Alloc} alloc @param {Timed} timed @returns {Conditions | undefined}
     */
    #conditions(alloc, { costs, schedule, timeline, named, order }) {
        if (named.with === 0 && named.receive_buffers < 0) return undefined;
        const core = this.core;
        const ranks = core.pp_schedule_ranks(schedule);
        /** @type {Conditions} */
        const out = {};
        const factors = core.pp_conditions_units(schedule);
        if (factors) {
            const rows = named.unit_rows;
            const units = named.microbatches * named.slices;
            const all = this.#doubles(factors, rows * units);
            out.factors = Array.from({ length: rows }, (_, n) => all.slice(n * units, (n + 1) * units));
            out.places = this.#ints(core.pp_conditions_places(schedule), named.microbatches);
            if (order) out.proved = order.proved === 1;
        }
        const perRank = alloc(4 * ranks);
        core.pp_waiting_report(schedule, costs, timeline, alloc(core.pp_waiting_bytes(schedule)), perRank);
        out.waiting = this.#ints(perRank, ranks);
        const held = alloc(4 * core.pp_schedule_pipes(schedule) * core.pp_schedule_stages(schedule));
        core.pp_gather_report(schedule, timeline, held, perRank);
        const gathers = this.#ints(perRank, ranks);
        if (gathers.some((count) => count > 0)) out.gathers = gathers;
        return out;
    }

    /** @param {Record<string, any>} named */
    #transferOf(named) {
        return this.options.find((option) => option.name === 'transfer')?.names.indexOf(named.transfer) ?? 0;
    }

    /**
     * A timeline of a schedule that can run.
     * @param {Alloc} alloc @param {Pick<Timed, 'schedule' | 'fault' | 'costs' | 'named' | 'table'>} step  table: the file it
     *     came from
     */
    #checked(alloc, { schedule, fault, costs, named, table = 0 }) {
        const core = this.core;
        const bytes = core.pp_timeline_bytes(schedule);
        const timeline = alloc(bytes);
        const blocked = alloc(4 * core.pp_schedule_ranks(schedule));
        const status = core.pp_check(schedule, timeline, bytes, blocked, fault);
        if (status === 0) return timeline;
        if (table !== 0) core.pp_table_locate(table, fault);
        const error = this.#error(fault, this.#blocked(alloc, schedule, blocked, status, table));
        if ((named.edited || table !== 0) && (error.code === 'deadlock' || error.code === 'order')) {
            error.stall = this.#stall(alloc, { schedule, costs, named, timeline });
        }
        throw error;
    }

    /** @param {Alloc} alloc @param {Pick<Timed, 'schedule' | 'costs' | 'named' | 'timeline'>} step @returns {any} */
    #stall(alloc, { schedule, costs, named, timeline }) {
        const { core } = this;
        const ranks = core.pp_schedule_ranks(schedule);
        const circle = alloc(8 * ranks);
        const times = alloc(8 * (2 + ranks));
        const pairs = core.pp_stall(schedule, costs, this.#transferOf(named), timeline, circle, times);
        const [halt, makespan, ...firsts] = this.#doubles(times, 2 + ranks);
        return {
            ...this.#drawn(alloc, { schedule, costs, timeline }),
            config: { ...named, ranks, microbatches: core.pp_schedule_microbatches(schedule) }, // of a file nobody asked for them
            summary: { makespan },
            perRank: firsts.map((first) => ({ first })),
            kinds: core.pp_kinds(schedule, costs, 0),
            idle: {
                count: 0,
                ...Object.fromEntries(this.idleFields.map((name) => [name, new Float64Array(0)])),
            },
            criticalPath: new Int32Array(0),
            halt,
            circle: this.#ints(circle, 2 * pairs),
        };
    }

    /** @param {Alloc} alloc @param {Options} options @param {number} fault */
    #file(alloc, options, fault) {
        const core = this.#files;
        const known = this.fileOptions;
        const names = new Set(known.map((option) => plainName(option.name)));
        const pairs = pairsOf(options);
        const own = pairs.filter(([name]) => names.has(plainName(name)));
        const { at, length } = this.#copy(alloc, requestText(own));
        const file = alloc(core.pp_file_bytes());
        this.#try(core.pp_file_parse(at, length, file, fault), fault);
        /** @type {Record<string, any>} */
        const settings = {};
        for (const [i, option] of known.entries()) {
            const value = core.pp_file_field(file, core.pp_file_option_first() + i);
            settings[option.name] = option.kind === 'E' ? option.names[value] : value;
        }
        return { file, settings, own, rest: pairs.filter(([name]) => !names.has(plainName(name))) };
    }

    /** @param {Alloc} alloc @param {string} text @param {number} letters @param {number} fault */
    #table(alloc, text, letters, fault) {
        const core = this.#files;
        const { at, length } = this.#copy(alloc, text);
        const bytes = core.pp_table_parse_bytes(at, length) >>> 0;
        const table = alloc(bytes);
        this.#try(core.pp_table_parse(at, length, letters, table, bytes, fault), fault);
        return table;
    }

    /**
     * From a file to a timed step in the core's memory.
     * @param {Alloc} alloc @param {string} text @param {Options} options
     * @returns {Timed & { facts: FileFacts }}
     */
    #read(alloc, text, options) {
        const core = this.core;
        const fault = alloc(core.pp_fault_bytes());
        const { file, settings, rest } = this.#file(alloc, options, fault);
        const field = (/** @type {string} */ name) => {
            const at = this.fileOptions.findIndex((option) => option.name === name);
            return core.pp_file_field(file, core.pp_file_option_first() + at);
        };
        const table = this.#table(alloc, text, field('letters'), fault);
        const bytes = core.pp_table_schedule_bytes(table) >>> 0;
        const schedule = alloc(bytes);
        this.#try(core.pp_table_schedule(table, schedule, bytes, fault), fault);
        const measured = settings.times === 'measured';
        const asked = requestText(measured ? this.#withProfile(text, rest) : rest);
        const request = this.#copy(alloc, asked);
        const config = alloc(core.pp_config_bytes());
        this.#try(core.pp_config_of_file(request.at, request.length, schedule, config, fault), fault);
        const costs = alloc(core.pp_costs_bytes(config));
        this.#try(core.pp_costs_parse(request.at, request.length, config, costs, fault), fault);
        core.pp_conditions_attach(schedule, config, costs);
        const named = { ...this.#configObject(config), schedule: 'file', edited: hasMoves(asked) };
        this.#try(core.pp_moves_apply(request.at, request.length, schedule, fault), fault);
        // Cells, times and transfers of a file are those of its own order.
        const own = named.edited ? 0 : table;
        const timeline = this.#checked(alloc, { schedule, fault, costs, named, table: own });
        const early = own && core.pp_table_early(table, schedule, timeline, fault) === 1;
        const note = early ? this.#message(fault) : null;
        const lowered = own !== 0 && core.pp_table_lowered(table) === 1;
        const scratch = alloc(core.pp_table_scratch_bytes(table, schedule));
        this.#try(core.pp_partition_search(schedule, config, costs, timeline, fault), fault);
        if (own && measured && core.pp_table_timed(table) === 1) {
            core.pp_table_measured(table, schedule, timeline);
        } else if (lowered) {
            const blocked = alloc(4 * core.pp_schedule_ranks(schedule));
            const status = core.pp_table_simulate(
                table,
                schedule,
                costs,
                this.#transferOf(named),
                field('receive'),
                scratch,
                timeline,
                blocked,
                fault,
            );
            if (status !== 0) throw this.#error(fault, this.#blockedCells(alloc, table, blocked, status));
        } else {
            this.#try(core.pp_simulate(schedule, costs, this.#transferOf(named), timeline, fault), fault);
        }
        const order = lowered ? undefined : this.#ordered(alloc, { config, costs, schedule, timeline, fault, named });
        return {
            config,
            costs,
            schedule,
            timeline,
            fault,
            order,
            text: request.at,
            length: request.length,
            named,
            table,
            measured: measured ? own : 0,
            facts: {
                format: /** @type {const} */ (['torch', 'csv', 'json'])[core.pp_table_format(table)],
                timed: core.pp_table_timed(table) === 1,
                measured: measured && own !== 0,
                lowered,
                steps: lowered && core.pp_table_steps ? core.pp_table_steps(table, schedule, scratch) : null,
                note,
            },
        };
    }

    /** The costs that measured actions took, where the request gives none. @param {string} text @param {Options} options */
    #withProfile(text, options) {
        const pairs = pairsOf(options);
        const given = new Set(pairs.map(([name]) => plainName(name)));
        try {
            const profile = Object.entries(this.parseProfile(text));
            return [...pairs, ...profile.filter(([name]) => !given.has(plainName(name)))];
        } catch (error) {
            if (!(error instanceof PipelineError && error.code === 'profile')) throw error;
            return pairs; // a stage that never ran alone: the costs shown are then the defaults
        }
    }

    /** @param {Alloc} alloc @param {Timed} timed @param {boolean} [ran]  the times were measured, the costs made from them */
    #figures(alloc, { config, costs, schedule, timeline, fault, measured, named }, ran = false) {
        const core = this.core;
        const ranks = core.pp_schedule_ranks(schedule);
        const summary = alloc(8 * this.summaryFields.length);
        const reports = alloc(8 * this.rankFields.length * ranks);
        const scratch = alloc(core.pp_report_scratch_bytes(schedule));
        const report = ran ? core.pp_measured_report : core.pp_report;
        // The closed form speaks of the order that was generated.
        report(schedule, named.edited ? 0 : config, costs, timeline, scratch, summary, reports);
        if (measured) this.#try(core.pp_table_report(measured, summary, reports, fault), fault);
        return {
            summary: this.#records(this.summaryFields, summary, 1)[0],
            perRank: this.#records(this.rankFields, reports, ranks),
        };
    }

    /**
     * What a picture needs of an order that stalls.
     * @param {Alloc} alloc @param {Pick<Timed, 'schedule' | 'costs' | 'timeline'>} step
     */
    #drawn(alloc, { schedule, costs, timeline }) {
        const core = this.core;
        const stages = core.pp_schedule_stages(schedule);
        const columns = this.#columns(alloc, schedule);
        const table = this.#doubles(costs, COST_ROWS.length * stages);
        return {
            costs: Object.fromEntries(COST_ROWS.map((name, i) => [name, table.slice(i * stages, (i + 1) * stages)])),
            actions: {
                ...columns,
                start: this.#doubles(core.pp_timeline_start(timeline), columns.count),
                finish: this.#doubles(core.pp_timeline_finish(timeline), columns.count),
                input: this.#ints(core.pp_timeline_input(timeline), columns.count),
            },
            stageRank: this.#ints(core.pp_schedule_stage_rank(schedule), core.pp_schedule_pipes(schedule) * stages),
            rankBegin: this.#ints(core.pp_schedule_rank_begin(schedule), core.pp_schedule_ranks(schedule) + 1),
        };
    }

    /**
     * @param {Alloc} alloc @param {Timed} timed @param {Ask} ask
     * @param {boolean} keeps  the memory of timed outlives the call @param {(alloc: Alloc) => Timed} [source]  makes it again
     * @param {boolean} [ran]  the times were measured, the costs made from them
     * @returns {Simulation}
     */
    #report(alloc, timed, ask, keeps, source, ran) {
        const core = this.core;
        const { costs, schedule, named } = timed;
        const stages = core.pp_schedule_stages(schedule);
        const table = this.#doubles(costs, COST_ROWS.length * stages);
        const pipes = core.pp_schedule_pipes(schedule);
        const step = new Step(this.#access, timed, source ?? (() => timed), {
            config: named,
            costs: Object.fromEntries(COST_ROWS.map((name, i) => [name, table.slice(i * stages, (i + 1) * stages)])),
            stageRank: this.#ints(core.pp_schedule_stage_rank(schedule), pipes * stages),
            ...this.#figures(alloc, timed, ran),
            conditions: ran ? undefined : this.#conditions(alloc, timed),
        });
        if (!keeps) {
            this.#kept.unshift({ timed, held: [], step: /** @type {any} */ (step) });
            step.settle();
            this.#kept.shift();
        }
        // Last: some of them time the step anew.
        if (!ran) Object.assign(step, studiesOf(this.#access, alloc, timed, ask));
        return /** @type {any} */ (step);
    }

    /** Is the schedule one whose order depends on the costs? @param {Record<string, any>} named */
    #byCosts(named) {
        return this.core.pp_schedule_by_costs(this.schedules.findIndex(({ name }) => name === named.schedule)) === 1;
    }

    /** @param {Alloc} alloc @param {number} schedule */
    #columns(alloc, schedule) {
        const count = this.core.pp_schedule_action_count(schedule);
        const names = ['rank', 'index', 'op', 'stage', 'microbatch', 'slice'];
        const at = names.map(() => alloc(4 * count));
        this.core.pp_schedule_columns(schedule, ...at);
        /** @type {any} */
        const columns = { count };
        for (const [i, name] of names.entries()) columns[name] = this.#ints(at[i], count);
        return columns;
    }

    /** @param {Alloc} alloc @param {number} schedule @param {number} blocked @param {number} status @param {number} table */
    #blocked(alloc, schedule, blocked, status, table) {
        if (this.statuses[status] !== 'deadlock') return [];
        const heads = this.#ints(blocked, this.core.pp_schedule_ranks(schedule));
        const columns = this.#columns(alloc, schedule);
        const cells = table === 0 ? undefined : this.#cells(alloc, table);
        const actions = cells && [...cells.op.keys()].filter((i) => cells.op[i] < OPS.length);
        return [...heads].flatMap((i, rank) => {
            if (i < 0) return [];
            const head = { rank, stage: columns.stage[i], op: OPS[columns.op[i]], microbatch: columns.microbatch[i] };
            return [cells && actions ? { ...head, column: cells.column[actions[i]] } : head];
        });
    }

    /** @param {Alloc} alloc @param {number} table @param {number} blocked @param {number} status */
    #blockedCells(alloc, table, blocked, status) {
        if (this.statuses[status] !== 'deadlock') return [];
        const heads = this.#ints(blocked, this.core.pp_table_ranks(table));
        const { column, op, stage, microbatch } = this.#cells(alloc, table);
        return [...heads].flatMap((i, rank) =>
            i < 0
                ? []
                : [
                      {
                          rank,
                          stage: stage[i],
                          op: this.#string(this.core.pp_op_name(op[i])),
                          microbatch: microbatch[i],
                          column: column[i],
                      },
                  ],
        );
    }

    /** @param {Alloc} alloc @param {number} table */
    #cells(alloc, table) {
        const count = this.core.pp_table_cell_count(table);
        const at = Array.from({ length: 5 }, () => alloc(4 * count));
        this.core.pp_table_columns(table, ...at);
        const [row, column, op, stage, microbatch] = at.map((place) => this.#ints(place, count));
        return { row, column, op, stage, microbatch };
    }

    /** @param {number} config */
    #configObject(config) {
        const values = this.#ints(config, this.configFields.length);
        /** @type {Record<string, any>} */
        const out = {};
        for (const [i, name] of this.configFields.entries()) {
            const option = this.options.find((o) => o.name === name.replaceAll('_', '-'));
            out[name] = option?.kind === 'E' ? option.names[values[i]] : values[i];
        }
        return out;
    }

    /** Figures of another request; null if it is refused. @param {Uint8Array} request */
    #summaryOf(request) {
        try {
            return this.#scope((alloc) => this.#figures(alloc, this.#timed(alloc, request)).summary);
        } catch (error) {
            if (!(error instanceof PipelineError)) throw error;
            return null;
        }
    }

    /**
     * Lets a module that goes with this one, and is not always loaded with it, talk to the core.
     * @template T @param {(access: any) => T} work @returns {T}
     */
    lend(work) {
        return work(this.#access);
    }

    /** @type {any} */ #accessMade = null;

    get #access() {
        this.#accessMade ??= this.#makeAccess();
        return this.#accessMade;
    }

    /** What Training and the studies need of an engine beside its public side. */
    #makeAccess() {
        return {
            core: this.core,
            options: this.options,
            idleFields: this.idleFields,
            names: (/** @type {(i: number) => number} */ nameAt) => this.#names(nameAt),
            ints: (/** @type {number} */ at, /** @type {number} */ count) => this.#ints(at, count),
            doubles: (/** @type {number} */ at, /** @type {number} */ count) => this.#doubles(at, count),
            records: (/** @type {string[]} */ names, /** @type {number} */ at, /** @type {number} */ count) =>
                this.#records(names, at, count),
            transferOf: (/** @type {Record<string, any>} */ named) => this.#transferOf(named),
            summary: (/** @type {Alloc} */ alloc, /** @type {Timed} */ timed) => this.#figures(alloc, timed).summary,
            summaryOf: (/** @type {Uint8Array} */ request) => this.#summaryOf(request),
            timed: (/** @type {Alloc} */ alloc, /** @type {Options} */ options) => this.#timed(alloc, options),
            report: (
                /** @type {Alloc} */ alloc,
                /** @type {Timed} */ timed,
                /** @type {((alloc: Alloc) => Timed) | undefined} */ source,
            ) => this.#report(alloc, timed, {}, source !== undefined, source),
            allocator: (/** @type {number[]} */ held) => this.#allocator(held),
            release: (/** @type {number[]} */ held) => this.#release(held),
            copy: (/** @type {Alloc} */ alloc, /** @type {Options} */ options) =>
                this.#copy(alloc, requestText(options)),
            timedOf: (/** @type {any} */ step) => this.#kept.find((kept) => kept.step === step)?.timed,
            columns: (/** @type {Alloc} */ alloc, /** @type {number} */ schedule) => this.#columns(alloc, schedule),
            isAsynchronous: (/** @type {Record<string, any>} */ named) =>
                this.core.pp_schedule_asynchronous(this.schedules.findIndex(({ name }) => name === named.schedule)) ===
                1,
            scope: (/** @type {(alloc: Alloc) => any} */ work) => this.#scope(work),
            attempt: (/** @type {number} */ status, /** @type {number} */ fault) => this.#try(status, fault),
            ordered: (/** @type {Alloc} */ alloc, /** @type {Timed} */ timed) => this.#ordered(alloc, timed),
            bytes: (/** @type {number} */ at, /** @type {number} */ count) => this.#bytes(at, count),
            string: (/** @type {number} */ at) => this.#string(at),
            profile: (
                /** @type {Alloc} */ alloc,
                /** @type {number} */ at,
                /** @type {number} */ length,
                /** @type {Record<string, any>} */ config,
            ) => this.#profile(alloc, at, length, config),
        };
    }

    /** @param {number} at @param {number} count a fresh view, good until the next call into the core */
    #bytes(at, count) {
        return new Uint8Array(this.core.memory.buffer, at, count);
    }

    /** @param {number} status @param {number} fault */
    #try(status, fault) {
        if (status !== 0) throw this.#error(fault);
    }

    /** @param {number} fault @param {PipelineError['blocked']} [blocked] */
    #error(fault, blocked) {
        const core = this.core;
        /** @type {Record<string, number>} */
        const fields = {};
        for (const [i, name] of this.faultFields.entries()) fields[name] = core.pp_fault_field(fault, i);
        const fixes = [];
        for (const [second, field] of ['fix_option', 'fix2_option'].entries()) {
            const option = this.#optionAt(fields[field]);
            if (option)
                fixes.push({ option: option.name, value: this.#string(core.pp_fault_fix_value(fault, second)) });
        }
        const option = this.#optionAt(fields.option);
        return new PipelineError(this.#message(fault), {
            code: this.statuses[fields.code],
            option: option?.name,
            names: option?.names,
            fixes,
            fault: fields,
            blocked,
            reader: this.#message(fault, true),
        });
    }

    /** Options of schedules, of training and of files are numbered through. @param {number} number */
    #optionAt(number) {
        return (
            this.options[number] ??
            this.trainingOptions[number - this.core.pp_training_option_first()] ??
            this.fileOptions[number - this.core.pp_file_option_first?.()]
        );
    }

    /** @param {number} fault @param {boolean} [forReader]  of a figure, who has buttons for the nearest legal choice */
    #message(fault, forReader = false) {
        return this.#scope((alloc) => {
            const lang = (this.lang === 'ru' ? 1 : 0) + (forReader ? 2 : 0);
            const length = this.core.pp_fault_message(fault, lang, 0, 0);
            const out = alloc(length + 1);
            this.core.pp_fault_message(fault, lang, out, length + 1);
            return this.#string(out);
        });
    }

    // ---- memory ----

    /**
     * Runs work with an allocator whose memory is released when work is over, however it ends.
     * @template T @param {(alloc: (bytes: number) => number) => T} work @returns {T}
     */
    #scope(work) {
        /** @type {number[]} */
        const held = [];
        try {
            return work(this.#allocator(held));
        } finally {
            this.#release(held);
        }
    }

    /** @param {number[]} held @returns {Alloc} */
    #allocator(held) {
        return (bytes) => {
            let at = this.core.pp_alloc(Math.max(bytes, 1)) >>> 0;
            if (at === 0 && this.#kept.length > 0) {
                // What is kept can be made again.
                for (const kept of this.#kept.splice(0)) this.#release(kept.held);
                at = this.core.pp_alloc(Math.max(bytes, 1)) >>> 0;
            }
            if (at === 0) throw new PipelineError(`Not enough memory for ${bytes} bytes.`, { code: 'capacity' });
            held.push(at);
            return at;
        };
    }

    /** @param {number[]} held */
    #release(held) {
        for (const at of held) this.core.pp_free(at);
    }

    /** @param {number} at */
    #string(at) {
        const bytes = new Uint8Array(this.core.memory.buffer);
        let end = at;
        while (bytes[end] !== 0) end++;
        return decoder.decode(bytes.slice(at, end));
    }

    /** @param {(i: number) => number} nameAt @param {string} [last] @returns {string[]} names until "" (or last) */
    #names(nameAt, last = '') {
        const names = [];
        for (let i = 0; ; i++) {
            const name = this.#string(nameAt(i));
            if (name === '' || name === last) return names;
            names.push(name);
        }
    }

    /** @param {number} at @param {number} count */
    #ints(at, count) {
        return new Int32Array(this.core.memory.buffer, at, count).slice();
    }

    /** @param {number} at @param {number} count */
    #doubles(at, count) {
        return new Float64Array(this.core.memory.buffer, at, count).slice();
    }

    /** @param {string[]} names @param {number} at @param {number} count @returns {Record<string, number>[]} */
    #records(names, at, count) {
        const values = this.#doubles(at, names.length * count);
        const out = Array(count);
        for (let i = 0, next = 0; i < count; i++) {
            /** @type {Record<string, number>} */
            const record = {};
            for (const name of names) record[name] = values[next++];
            out[i] = record;
        }
        return out;
    }
}

/** A step whose costs change while its order stands. It holds memory of the core until close(). */
export class Held {
    #access;
    /** @type {number[]} */ #held = [];
    #timed;

    /** @param {any} access @param {Options} options */
    constructor(access, options) {
        this.#access = access;
        try {
            /** @type {Timed} */
            this.#timed = access.timed(access.allocator(this.#held), options);
            /** As timed last. @type {Simulation} */
            this.simulation = this.#report(options, this.#timed);
        } catch (error) {
            this.close();
            throw error;
        }
    }

    /** @param {Options} options @param {Timed} timed @returns {Simulation} */
    #report(options, timed) {
        const { scope, report } = this.#access;
        /** @type {Simulation} */
        const step = scope((/** @type {Alloc} */ alloc) =>
            report(alloc, timed, (/** @type {Alloc} */ again) =>
                // An older one, or after close(): made again.
                this.#held.length > 0 && this.simulation === step ? this.#timed : this.#access.timed(again, options),
            ),
        );
        return step;
    }

    /**
     * Times the step anew.
     * @param {Options} options  a legal request that differs from the first one in costs or cuts alone
     * @returns {Simulation}
     * @throws {PipelineError}
     */
    time(options) {
        const { core, attempt, transferOf, scope, copy, ordered } = this.#access;
        const { config, costs, schedule, timeline, fault, named } = this.#timed;
        scope((/** @type {Alloc} */ alloc) => {
            const { at, length } = copy(alloc, options);
            attempt(core.pp_costs_parse(at, length, config, costs, fault), fault);
            core.pp_conditions_attach(schedule, config, costs);
            attempt(core.pp_simulate(schedule, costs, transferOf(named), timeline, fault), fault);
            this.#timed.order = ordered(alloc, this.#timed);
        });
        this.simulation = this.#report(options, this.#timed);
        return this.simulation;
    }

    /** Releases the memory; safe to call twice. */
    close() {
        this.#access.release(this.#held.splice(0));
    }
}

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
    #access;
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

    /** @param {Engine} engine @param {any} access @param {Options} options */
    constructor(engine, access, options) {
        this.#core = engine.core;
        this.#access = access;
        const core = this.#core;
        const trainingNames = new Set(engine.trainingOptions.map((option) => plainName(option.name)));
        const pairs = pairsOf(options);
        const own = pairs.filter(([name]) => trainingNames.has(plainName(name)));
        const hold = access.allocator(this.#held);
        try {
            const timed = access.timed(
                hold,
                pairs.filter(([name]) => !trainingNames.has(plainName(name))),
            );
            this.#timed = timed;
            const { schedule, timeline, fault, named } = timed;
            /** The schedule that is executed. @type {Simulation} */
            this.simulation = access.scope((/** @type {Alloc} */ alloc) => access.report(alloc, timed));
            const text = requestText(own);
            const request = hold(text.length + 1);
            access.bytes(request, text.length).set(text);
            this.#training = hold(core.pp_training_bytes());
            const { module, madd, statuses } = engine;
            const status = (/** @type {string} */ name) => statuses.indexOf(name);
            this.#setup = {
                module,
                rest: engine.rest,
                madd: madd && { module: madd.module, names: PRODUCTS },
                request: access.bytes(timed.text, timed.length).slice(),
                own: text,
                waits: status('rank-waits'),
                diverged: status('diverged'),
            };
            access.attempt(core.pp_training_parse(request, text.length, this.#training, fault), fault);
            access.attempt(core.pp_training_needs_backward(schedule, fault), fault);
            const fit = core.pp_training_fit(this.#training, named.stages, named.microbatches, fault);
            access.attempt(fit, fault);
            /** Settings as understood: data, width, depth, batch, rate, … @type {Record<string, number>} */
            this.settings = {};
            for (let i = 0; i < core.pp_training_field_count(); i++) {
                const name = access.string(core.pp_training_field_name(i));
                this.settings[name] = core.pp_training_field(this.#training, i);
            }

            const dataBytes = core.pp_data_bytes(this.#training);
            this.#data = hold(dataBytes);
            access.attempt(core.pp_data_init(this.#training, this.#data, dataBytes), fault);
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
            const stream = access.isAsynchronous(named);
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
                access.attempt(made, fault);
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
            access.attempt(begun, fault);
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
            this.#access.scope((/** @type {Alloc} */ alloc) => {
                const bytes = core.pp_run_save(this.#run, stage, 0);
                const at = alloc(bytes);
                core.pp_run_save(this.#run, stage, at);
                return this.#access.bytes(at, bytes).slice();
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
            this.#access.scope((/** @type {Alloc} */ alloc) => {
                const at = alloc(bytes.length);
                this.#access.bytes(at, bytes.length).set(bytes);
                this.#core.pp_run_load(this.#run, stage, at);
            });
    }

    /**
     * The most bytes of live activations each rank holds at once: measured in the last step, and as the simulation counts
     * them.
     * @returns {{ measured: number[], simulated: number[] }}
     */
    get activationBytes() {
        const access = this.#access;
        return {
            measured: this.simulation.perRank.map((_, rank) => this.#core.pp_run_peak_bytes(this.#run, rank)),
            simulated: access.scope((/** @type {Alloc} */ alloc) =>
                activationPeaks(access, alloc, this.#timed, this.#run),
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
        return this.#access.scope((/** @type {Alloc} */ alloc) => {
            const bytes = core.pp_semantics_bytes(this.#network, this.#training);
            const count = core.pp_semantics_count();
            const out = alloc(8 * count);
            core.pp_semantics(this.#network, this.#data, this.#training, this.#step, alloc(bytes), bytes, out);
            const values = new Float64Array(core.memory.buffer, out, count);
            return Object.fromEntries(
                Array.from(values, (value, i) => [this.#access.string(core.pp_semantics_name(i)), value]),
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

    /** As Engine.lend. @template T @param {(inside: any) => T} work @returns {T} */
    lend(work) {
        return work({ ...this.#access, data: this.#data, network: this.#network });
    }

    /**
     * Outputs of the network for points of its features: probabilities of the classes, or plain outputs.
     * @param {Float32Array} points  count * features @returns {Float32Array} count * classes
     */
    predict(points) {
        const core = this.#core;
        const rows = points.length / this.features;
        return this.#access.scope((/** @type {Alloc} */ alloc) => {
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

/** @typedef {{ rest: any }} Outside  the rest of the core, once it is here */

/**
 * What a core calls outside of itself: words of its rest, which may come later, and the notice that memory has grown, which we
 * do not need, since views are never kept.
 * @param {WebAssembly.Module} module
 */
function outsideOf(module) {
    /** @type {Outside} */
    const outside = { rest: null };
    /** @type {Record<string, (...values: number[]) => number>} */
    const env = {};
    for (const { kind, name } of WebAssembly.Module.imports(module))
        if (kind === 'function') env[name] = (...values) => outside.rest?.[name]?.(...values) ?? 0;
    return { outside, imports: { env } };
}

// Compiled once per page, however many copies of the script and figures there are. Different cores differ in
// length.
const shared = /** @type {any} */ (globalThis);
const key = Symbol.for('pipeline-figure');
const kind = String(/** @type {any} */ (coreBytes)?.byteLength ?? coreBytes);

/** @returns {Record<string, Promise<WebAssembly.Module> | WebAssembly.Module | undefined>} */
function cache() {
    shared[key] ??= {};
    shared[key][kind] ??= {};
    return shared[key][kind];
}

/** @param {any} source */
async function compile(source) {
    if (source instanceof WebAssembly.Module) return source;
    if (typeof source === 'function') return WebAssembly.compile(await source());
    if (typeof source === 'string' || source instanceof URL) {
        const response = await fetch(source);
        const bytes = new Uint8Array(await response.arrayBuffer());
        // Servers answer with a page of theirs where a file is missing, some of them with status 200.
        if (!response.ok || ![0, 0x61, 0x73, 0x6d].every((byte, i) => bytes[i] === byte)) {
            const came = [response.status, response.headers.get('content-type'), `${bytes.length} B`];
            const file = String(source).replace(/.*\//, '');
            throw Object.assign(new Error(`pipeline-figure: ${source} answered ${came.join(', ')}`), {
                file,
                came: came.filter(Boolean).join(', '),
            });
        }
        return WebAssembly.compile(bytes);
    }
    return WebAssembly.compile(source);
}

/** Products of a layer that core.madd.wasm brings, in the order in which the core takes them. */
const PRODUCTS = ['forward', 'backward_input', 'backward_weight', 'begin_weight'].map((name) => `pp_matmul_${name}`);

/** @type {boolean | undefined} */
let fuses;

/**
 * Is there a relaxed multiply-add, and does it round once? Asked of a module of that one instruction on three numbers: rounded
 * in between, (1 + 2^-12)^2 - (1 + 2^-11) is 0.
 */
function roundsOnce() {
    try {
        // biome-ignore format: sections
        const bytes = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 8, 1, 96, 3, 125, 125, 125, 1, 125, 3, 2, 1, 0,
            7, 5, 1, 1, 102, 0, 0, 10, 22, 1, 20, 0, 32, 0, 253, 19, 32, 1, 253, 19, 32, 2, 253, 19, 253, 133, 2, 253, 31, 0, 11);
        if (!WebAssembly.validate(bytes)) return false;
        const { f } = /** @type {any} */ (new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports);
        return f(1 + 2 ** -12, 1 + 2 ** -12, -1 - 2 ** -11) === 2 ** -24;
    } catch {
        return false; // no WebAssembly, or a stand-in
    }
}

function hasFused() {
    fuses ??= roundsOnce();
    return fuses;
}

/** @typedef {'plain' | 'fused'} Arithmetic */

/** @param {Arithmetic | undefined} arithmetic  as asked for */
function checkArithmetic(arithmetic) {
    if (arithmetic !== undefined && arithmetic !== 'plain' && arithmetic !== 'fused')
        throw new TypeError(`pipeline-figure: arithmetic is "${arithmetic}"; it can be "plain" or "fused"`);
}

/** Puts fused products into a core's table of functions; where they stand there. @param {any} core @param {WebAssembly.Module} module */
function fuse({ memory, __indirect_function_table: table }, module) {
    const { exports } = new WebAssembly.Instance(module, { env: { memory } });
    const first = table.grow(PRODUCTS.length);
    return PRODUCTS.map((name, i) => {
        table.set(first + i, exports[name]);
        return first + i;
    });
}

/** What this build carries, compiled: once a page. @param {'core' | 'rest' | 'madd'} name @param {any} bytes */
function own(name, bytes) {
    const held = cache();
    held[name] ??= compile(bytes).then(
        (module) => {
            held[name] = module;
            return module;
        },
        (error) => {
            held[name] = undefined; // to be tried again
            throw error;
        },
    );
    return /** @type {Promise<WebAssembly.Module> | WebAssembly.Module} */ (held[name]);
}

/** Begins to compile the core, which a figure will soon ask for. */
export function prepareCore() {
    Promise.resolve(own('core', coreBytes)).catch(() => {}); // whoever asks for it is told
}

/**
 * The core without its rest, which is all that the first view of a figure needs.
 * @param {string | URL | BufferSource | WebAssembly.Module} [source]  defaults to what this build carries
 */
export async function loadCore(source) {
    const module = await (source === undefined ? own('core', coreBytes) : compile(source));
    const { outside, imports } = outsideOf(module);
    const instance = /** @type {any} */ (await WebAssembly.instantiate(module, imports));
    return new Engine(instance, module, outside);
}

/**
 * The same at once, for printing, where work done later is lost. Only once the core has been compiled (prepareCore).
 * @returns {Engine}
 */
export function loadCoreNow() {
    const { core } = cache();
    if (!(core instanceof WebAssembly.Module)) throw new Error('pipeline-figure: the core is not there yet');
    const { outside, imports } = outsideOf(core);
    return new Engine(new WebAssembly.Instance(core, imports), core, outside);
}

/**
 * @typedef {object} EngineOptions
 * @property {Arithmetic} [arithmetic]  'plain' for numbers that are the same on every machine; else training is fused where the
 *     machine does that, which engine.arithmetic tells
 * @property {string | URL | BufferSource | WebAssembly.Module} [rest]  where core.rest.wasm is, if not where this build has it
 * @property {string | URL | BufferSource | WebAssembly.Module} [madd]  the same of core.madd.wasm
 */

/**
 * Makes an engine whole: with training, files and studies.
 * @param {Engine} engine @param {EngineOptions} [options]
 */
export async function completeEngine(engine, { arithmetic, rest, madd } = {}) {
    checkArithmetic(arithmetic);
    const part = engine.isWhole && madd ? {} : await loadPart('core');
    const products = madd ?? part.madd;
    // A file is under way at the same time; one that is missing is no reason to have no engine.
    const fused =
        arithmetic !== 'plain' && products && hasFused()
            ? Promise.resolve(madd ? compile(madd) : own('madd', part.madd)).catch(() => undefined)
            : undefined;
    if (!engine.isWhole) await engine.join(await (rest ? compile(rest) : own('rest', part.rest)));
    const module = await fused;
    if (module) engine.fuse(module);
    return engine;
}

/**
 * Loads the core, all of it: one compiled module a page, one instance a call.
 * @param {string | URL | BufferSource | WebAssembly.Module} [source]  defaults to what this build carries
 * @param {EngineOptions} [options] @returns {Promise<Engine>}
 */
export async function loadEngine(source, options = {}) {
    checkArithmetic(options.arithmetic);
    return completeEngine(await loadCore(source), options);
}
