// Schedules, times and costs that stand in files: read into the memory of the core, checked and timed like generated ones, and
// written as tables of PyTorch.
import { plainName } from '../words/names.js';
import { COST_ROWS } from './costs.js';
import { PipelineError } from './error.js';
import { hasMoves, pairsOf, requestText } from './request-text.js';
import { Steps } from './steps.js';

/**
 * @typedef {import('./types.js').Alloc} Alloc
 * @typedef {import('./types.js').Ask} Ask
 * @typedef {import('./types.js').FileFacts} FileFacts
 * @typedef {import('./types.js').Measured} Measured
 * @typedef {import('./types.js').Options} Options
 * @typedef {import('./types.js').OptionValue} OptionValue
 * @typedef {import('./types.js').Simulation} Simulation
 * @typedef {import('./types.js').Timed} Timed
 */

const decoder = new TextDecoder();

export class CoreFiles extends Steps {
    /**
     * Reads a schedule from a file (PyTorch's table, our CSV or JSON), checks it and times it like simulate.
     * @param {string} text @param {Options} options  costs, transfers, and file options (engine.fileOptions)
     * @param {Ask} ask  what times the step anew is left out where the times are not those of simulate
     * @returns {Simulation & { file: FileFacts }}
     * @throws {PipelineError}
     */
    check(text, options, ask) {
        return this.scope((alloc) => {
            const timed = this.#read(alloc, text, options);
            const { lowered, measured } = timed.facts;
            const asked = lowered || measured ? { memory: ask.memory, why: ask.why } : ask;
            const source = (/** @type {Alloc} */ again) => this.#read(again, text, options);
            return Object.assign(this.report(alloc, timed, { ask: asked, source }), { file: timed.facts });
        });
    }

    /**
     * The figures of the times in a file: of what ran where and when, of any origin.
     * @param {string} text @returns {Measured}
     * @throws {PipelineError}
     */
    measure(text) {
        const core = this.core;
        return this.scope((alloc) => {
            const fault = alloc(core.pp_fault_bytes());
            const table = this.#table(alloc, text, 0, fault);
            const ranks = core.pp_table_ranks(table);
            const count = core.pp_table_cell_count(table);
            const bytes = 8 * this.summaryFields.length;
            const summary = alloc(bytes);
            const reports = alloc(8 * this.rankFields.length * ranks);
            this.bytes(summary, bytes).fill(255); // NaN
            this.bytes(reports, 8 * this.rankFields.length * ranks).fill(255);
            this.attempt(core.pp_table_report(table, summary, reports, fault), fault);
            const row = alloc(4 * count);
            core.pp_table_columns(table, row, 0, 0, 0, 0);
            return {
                ranks,
                named: core.pp_table_named(table) === 1,
                intervals: {
                    count,
                    rank: this.ints(row, count),
                    start: this.doubles(core.pp_table_start(table), count),
                    finish: this.doubles(core.pp_table_finish(table), count),
                },
                summary: this.records(this.summaryFields, summary, 1)[0],
                perRank: this.records(this.rankFields, reports, ranks),
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
        return this.scope((alloc) => {
            const fault = alloc(core.pp_fault_bytes());
            const { file, rest } = this.#fileRequest(alloc, options, fault);
            const timed = text === undefined ? this.timed(alloc, rest) : this.#read(alloc, text, options);
            const { schedule, timeline } = timed;
            let table = timed.table && core.pp_file_keeps(file, timed.table) === 1 ? timed.table : 0;
            if (table === 0) {
                const bytes = core.pp_table_make_bytes(schedule);
                table = alloc(bytes);
                this.attempt(core.pp_table_make(schedule, timeline, table, bytes, fault), fault);
            }
            const passes = core.pp_lower_passes(file);
            if (passes !== 0) {
                const bytes = core.pp_table_lower_bytes(table, schedule) >>> 0;
                const lowered = alloc(bytes);
                this.attempt(core.pp_table_lower(table, schedule, passes, lowered, bytes, fault), fault);
                table = lowered;
            }
            const length = core.pp_table_print(table, 0, 0, 0);
            const out = alloc(length < 0 ? Number.POSITIVE_INFINITY : length + 1);
            core.pp_table_print(table, 0, out, length + 1);
            return decoder.decode(this.bytes(out, length).slice());
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
        const core = this.#fileCore;
        return this.scope((alloc) => {
            const { at, length } = this.copy(alloc, text);
            const profile = this.profile(alloc, at, length, config);
            /** @type {Record<string, Float64Array>} */
            const out = {};
            for (const row of COST_ROWS.keys()) {
                const count = core.pp_profile_count(profile, row);
                const option = this.options[core.pp_cost_option(row)];
                if (count > 0) out[option.name] = this.doubles(core.pp_profile_values(profile, row), count);
            }
            return out;
        });
    }

    /**
     * Which of these options are of files and which not, and what the former say, defaults included.
     * @param {Options} options
     * @returns {{ settings: Record<string, any>, own: [string, OptionValue][], rest: [string, OptionValue][] }}
     * @throws {PipelineError}
     */
    fileSettings(options) {
        return this.scope((alloc) => {
            const { settings, own, rest } = this.#fileRequest(alloc, options, alloc(this.core.pp_fault_bytes()));
            return { settings, own, rest };
        });
    }

    /** The core, where it is one that reads files. */
    get #fileCore() {
        if (this.core.pp_file_parse) return this.core;
        throw new Error('pipeline-figure: this core reads no files');
    }

    /** @param {Alloc} alloc @param {Options} options @param {number} fault */
    #fileRequest(alloc, options, fault) {
        const core = this.#fileCore;
        const known = this.fileOptions;
        const names = new Set(known.map((option) => plainName(option.name)));
        const pairs = pairsOf(options);
        const own = pairs.filter(([name]) => names.has(plainName(name)));
        const { at, length } = this.copy(alloc, requestText(own));
        const file = alloc(core.pp_file_bytes());
        this.attempt(core.pp_file_parse(at, length, file, fault), fault);
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
        const core = this.#fileCore;
        const { at, length } = this.copy(alloc, text);
        const bytes = core.pp_table_parse_bytes(at, length) >>> 0;
        const table = alloc(bytes);
        this.attempt(core.pp_table_parse(at, length, letters, table, bytes, fault), fault);
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
        const { file, settings, rest } = this.#fileRequest(alloc, options, fault);
        const field = (/** @type {string} */ name) => {
            const at = this.fileOptions.findIndex((option) => option.name === name);
            return core.pp_file_field(file, core.pp_file_option_first() + at);
        };
        const table = this.#table(alloc, text, field('letters'), fault);
        const bytes = core.pp_table_schedule_bytes(table) >>> 0;
        const schedule = alloc(bytes);
        this.attempt(core.pp_table_schedule(table, schedule, bytes, fault), fault);
        const measured = settings.times === 'measured';
        const asked = requestText(measured ? this.#withProfile(text, rest) : rest);
        const { text: at, length, request } = this.request(alloc, asked, fault);
        const config = alloc(core.pp_config_bytes());
        this.attempt(core.pp_config_of_file(request, schedule, config, fault), fault);
        const costs = alloc(core.pp_costs_bytes(config));
        this.attempt(core.pp_costs_read(request, config, costs, fault), fault);
        core.pp_conditions_attach(schedule, config, costs);
        const named = { ...this.configObject(config), schedule: 'file', edited: hasMoves(asked) };
        this.attempt(core.pp_moves_apply(request, schedule, fault), fault);
        // Cells, times and transfers of a file are those of its own order.
        const own = named.edited ? 0 : table;
        const timeline = this.checked(alloc, { schedule, fault, costs, named, table: own });
        const early = own && core.pp_table_early(table, schedule, timeline, fault) === 1;
        const note = early ? this.message(fault) : null;
        const lowered = own !== 0 && core.pp_table_lowered(table) === 1;
        const scratch = alloc(core.pp_table_scratch_bytes(table, schedule));
        this.attempt(core.pp_partition_search(schedule, config, costs, timeline, fault), fault);
        if (own && measured && core.pp_table_timed(table) === 1) {
            core.pp_table_measured(table, schedule, timeline);
        } else if (lowered) {
            const blocked = alloc(4 * core.pp_schedule_ranks(schedule));
            const status = core.pp_table_simulate(
                table,
                schedule,
                costs,
                this.transferOf(named),
                field('receive'),
                scratch,
                timeline,
                blocked,
                fault,
            );
            if (status !== 0) throw this.refusal(fault, this.#blockedCells(alloc, table, blocked, status));
        } else {
            this.attempt(core.pp_simulate(schedule, costs, this.transferOf(named), timeline, fault), fault);
        }
        const order = lowered ? undefined : this.ordered(alloc, { config, costs, schedule, timeline, fault, named });
        return {
            config,
            costs,
            schedule,
            timeline,
            fault,
            order,
            text: at,
            length,
            request,
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

    /** @param {Alloc} alloc @param {number} at @param {number} length @param {Record<string, any>} [config] */
    profile(alloc, at, length, config) {
        const core = this.core;
        const fault = alloc(core.pp_fault_bytes());
        const shape = config === undefined ? 0 : alloc(core.pp_config_bytes());
        if (config !== undefined) {
            const values = this.configFields.map((name) => (Number.isInteger(config[name]) ? config[name] : 0));
            new Int32Array(core.memory.buffer, shape, values.length).set(values);
        }
        const bytes = core.pp_profile_bytes(at, length, shape) >>> 0;
        const profile = alloc(bytes);
        this.attempt(core.pp_profile_parse(at, length, shape, profile, bytes, fault), fault);
        return profile;
    }

    /** @param {Alloc} alloc @param {number} table @param {number} blocked @param {number} status */
    #blockedCells(alloc, table, blocked, status) {
        if (this.statuses[status] !== 'deadlock') return [];
        const heads = this.ints(blocked, this.core.pp_table_ranks(table));
        const { column, op, stage, microbatch } = this.cells(alloc, table);
        return [...heads].flatMap((i, rank) =>
            i < 0
                ? []
                : [
                      {
                          rank,
                          stage: stage[i],
                          op: this.string(this.core.pp_op_name(op[i])),
                          microbatch: microbatch[i],
                          column: column[i],
                      },
                  ],
        );
    }
}
