// What the core can be asked for, and how it refuses: names of its fields, tables of options and schedules, refusals in words.
import { PipelineError } from './error.js';
import { CoreMemory } from './memory.js';

/** @typedef {import('./types.js').Alloc} Alloc */

export class CoreAccess extends CoreMemory {
    /** @param {any} core */
    constructor(core) {
        super(core);
        this.statuses = this.names((i) => core.pp_status_name(i), 'unknown');
        this.faultFields = this.names((i) => core.pp_fault_field_name(i));
        this.configFields = this.names((i) => core.pp_config_field_name(i));
        this.summaryFields = this.names((i) => core.pp_summary_field_name(i));
        this.rankFields = this.names((i) => core.pp_rank_field_name(i));
        this.idleFields = this.names((i) => core.pp_idle_field_name(i));
        /** What can be asked for. @type {{name: string, letter: string, kind: string, names: string[], min: number, max: number, standard: number}[]} */
        this.options = [];
        for (let o = 0; o < core.pp_option_count(); o++) this.options.push(this.#option(o));
        /** @type {{name: string, chunksMin: number, chunksMax: number, chunksDefault: number, trains: boolean, formula: string, options: string[]}[]} */
        this.schedules = [];
        for (let id = 0; id < core.pp_schedule_count(); id++) {
            this.schedules.push({
                name: this.string(core.pp_schedule_name(id)),
                chunksMin: core.pp_schedule_chunks_min(id),
                chunksMax: core.pp_schedule_chunks_max(id),
                chunksDefault: core.pp_schedule_chunks_default(id),
                trains: core.pp_schedule_trains(id) === 1,
                formula: this.string(core.pp_schedule_formula(id)),
                options: this.options
                    .map((option) => option.name)
                    .filter((_, o) => core.pp_schedule_option_used(id, o) === 1),
            });
        }
    }

    /**
     * What the core knows of an option. least, most: of a number; standard: where it is not given, -1 where it follows from others.
     * @param {number} o
     */
    #option(o) {
        const { core } = this;
        return {
            name: this.string(core.pp_option_name(o)),
            letter: String.fromCharCode(core.pp_option_letter(o)).replace('\0', ''),
            kind: String.fromCharCode(core.pp_option_kind(o)),
            names: this.names((i) => core.pp_option_choice(o, i)),
            min: /** @type {number} */ (core.pp_option_least(o)),
            max: /** @type {number} */ (core.pp_option_most(o)),
            standard: /** @type {number} */ (core.pp_option_standard(o)),
        };
    }

    /** What only training asks for. */
    get trainingOptions() {
        const { core } = this;
        const first = core.pp_training_option_first();
        return Array.from({ length: core.pp_training_option_count() }, (_, i) => this.#option(first + i));
    }

    /** How files are read and written; nothing in a core without files. */
    get fileOptions() {
        const { core } = this;
        if (!core.pp_file_parse) return [];
        const first = core.pp_file_option_first();
        return Array.from({ length: core.pp_file_option_count() }, (_, i) => this.#option(first + i));
    }

    /** Are schedules of this kind without a flush? @param {Record<string, any>} named  a configuration */
    isAsynchronous(named) {
        return this.core.pp_schedule_asynchronous(this.#scheduleOf(named)) === 1;
    }

    /** Is the schedule one whose order depends on the costs? @param {Record<string, any>} named */
    byCosts(named) {
        return this.core.pp_schedule_by_costs(this.#scheduleOf(named)) === 1;
    }

    /** @param {Record<string, any>} named */
    #scheduleOf(named) {
        return this.schedules.findIndex(({ name }) => name === named.schedule);
    }

    /** @param {Record<string, any>} named */
    transferOf(named) {
        return this.options.find((option) => option.name === 'transfer')?.names.indexOf(named.transfer) ?? 0;
    }

    /** @param {number} config */
    configObject(config) {
        const values = this.ints(config, this.configFields.length);
        /** @type {Record<string, any>} */
        const out = {};
        for (const [i, name] of this.configFields.entries()) {
            const option = this.options.find((o) => o.name === name.replaceAll('_', '-'));
            out[name] = option?.kind === 'E' ? option.names[values[i]] : values[i];
        }
        return out;
    }

    /**
     * A request in the core's memory, and what it gives by option (pp_request), by which it is read.
     * @param {Alloc} alloc @param {Uint8Array} text @param {number} fault
     */
    request(alloc, text, fault) {
        const { at, length } = this.copy(alloc, text);
        const request = alloc(this.core.pp_request_bytes());
        this.attempt(this.core.pp_request_parse(at, length, request, fault), fault);
        return { text: at, length, request };
    }

    /** Throws what a status other than 0 means. @param {number} status @param {number} fault */
    attempt(status, fault) {
        if (status !== 0) throw this.refusal(fault);
    }

    /** @param {number} fault @param {PipelineError['blocked']} [blocked] */
    refusal(fault, blocked) {
        const core = this.core;
        /** @type {Record<string, number>} */
        const fields = {};
        for (const [i, name] of this.faultFields.entries()) fields[name] = core.pp_fault_field(fault, i);
        const fixes = [];
        for (const [second, field] of ['fix_option', 'fix2_option'].entries()) {
            const option = this.#optionAt(fields[field]);
            if (option) fixes.push({ option: option.name, value: this.string(core.pp_fault_fix_value(fault, second)) });
        }
        const option = this.#optionAt(fields.option);
        return new PipelineError(this.message(fault), {
            code: this.statuses[fields.code],
            option: option?.name,
            names: option?.names,
            fixes,
            fault: fields,
            blocked,
            reader: this.message(fault, true),
        });
    }

    /** Options of schedules, of training and of files are numbered through. @param {number} number */
    #optionAt(number) {
        return (
            this.options[number] ??
            this.trainingOptions[number - this.core.pp_training_option_first()] ??
            this.fileOptions[number - this.core.pp_file_option_first()]
        );
    }

    /** @param {number} fault @param {boolean} [forReader]  of a figure, who has buttons for the nearest legal choice */
    message(fault, forReader = false) {
        return this.scope((alloc) => {
            const lang = (this.lang === 'ru' ? 1 : 0) + (forReader ? 2 : 0);
            const length = this.core.pp_fault_message(fault, lang, 0, 0);
            const out = alloc(length + 1);
            this.core.pp_fault_message(fault, lang, out, length + 1);
            return this.string(out);
        });
    }
}
