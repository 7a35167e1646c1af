// Steps in the memory of the core: from a request to a timed step and its report. Large steps stay there until their columns are
// read; the last few are kept, so that a change of costs alone need not make them again.
import { OPS } from '../words/ops.js';
import { CoreAccess } from './core-access.js';
import { COST_ROW, COST_ROWS } from './costs.js';
import { PipelineError } from './error.js';
import { hasMoves, requestText } from './request-text.js';
import { Step } from './step.js';
import { studiesOf } from './studies.js';

/**
 * @typedef {import('./types.js').Alloc} Alloc
 * @typedef {import('./types.js').Ask} Ask
 * @typedef {import('./types.js').Conditions} Conditions
 * @typedef {import('./types.js').MeasuredStep} MeasuredStep
 * @typedef {import('./types.js').Options} Options
 * @typedef {import('./types.js').Simulation} Simulation
 * @typedef {import('./types.js').Timed} Timed
 * @typedef {{ timed: Timed, held: number[], step: Simulation, readers: number }} Kept  readers: who is reading its memory now
 */

/** Of a larger step the columns stay in the core until they are read. */
const LAZY_ACTIONS = 3000;
/** So many of them are kept there: two that are compared. */
const KEPT_STEPS = 2;

/** The option that gives each of the first seven rows, in their order. */
const COST_OPTIONS = COST_ROWS.slice(0, 7).map(
    (row) => Object.keys(COST_ROW).find((name) => COST_ROW[name] === row) ?? '',
);

export class Steps extends CoreAccess {
    /** Steps whose memory is kept, the last one first. @type {Kept[]} */
    #kept = [];

    /** @param {Kept} step */
    #keep(step) {
        this.#kept.unshift(step);
        for (const { held } of this.#kept.splice(KEPT_STEPS)) this.release(held);
    }

    /** What is kept can be made again, but for what is being read at this moment. */
    makeRoom() {
        const free = this.#kept.filter(({ readers }) => readers === 0);
        this.#kept = this.#kept.filter(({ readers }) => readers > 0);
        for (const { held } of free) this.release(held);
        return free.length > 0;
    }

    /**
     * Reads of a step: where it is kept, from its memory, which stays as long as the work takes; else it is made again.
     * @template T @param {any} step @param {(alloc: Alloc) => Timed} source  makes it again
     * @param {(alloc: Alloc, timed: Timed) => T} work @returns {T}
     */
    withStep(step, source, work) {
        return this.scope((alloc) => {
            const kept = this.#kept.find((one) => one.step === step);
            if (!kept) return work(alloc, source(alloc));
            kept.readers++;
            try {
                return work(alloc, kept.timed);
            } finally {
                kept.readers--;
            }
        });
    }

    /**
     * Generates, checks and times a schedule.
     * @param {Options} options @param {Ask} ask @returns {Simulation}
     * @throws {PipelineError}
     */
    simulate(options, ask) {
        const request = options instanceof Uint8Array ? options : requestText(options);
        /** @type {number[]} */
        const held = [];
        let keeps = false;
        try {
            const timed = this.timed(this.allocator(held), request, held);
            const source = (/** @type {Alloc} */ again) => this.timed(again, request);
            const large = this.core.pp_schedule_action_count(timed.schedule) > LAZY_ACTIONS;
            const settles = !large || Object.keys(ask).length > 0;
            const step = this.scope((scratch) => this.report(scratch, timed, { ask, settles, source }));
            if (!settles) this.#keep({ timed, held, step, readers: 0 });
            keeps = !settles;
            return step;
        } finally {
            if (!keeps) this.release(held);
        }
    }

    /**
     * A step that really ran: its figures, and the costs of stages that it shows.
     * @param {Options} options  of the schedule
     * @param {Float64Array} start @param {Float64Array} finish  of each action, in any unit, on one clock
     * @returns {{ step: MeasuredStep, costs: Record<string, Float64Array> }}  costs: options for simulate, one number a stage
     * @throws {PipelineError}
     * @throws {TypeError}  where the times are not as many as the actions
     */
    measuredStep(options, start, finish) {
        const core = this.core;
        const source = (/** @type {Alloc} */ alloc) => {
            const timed = this.timed(alloc, options);
            const { schedule, timeline } = timed;
            const stages = core.pp_schedule_stages(schedule);
            const count = core.pp_schedule_action_count(schedule);
            if (start.length !== count || finish.length !== count)
                throw new TypeError(
                    `measuredStep: ${count} times are needed, one for each action; start has ${start.length}, finish has ${finish.length}`,
                );
            const [from, to] = [start, finish].map((times) => {
                const at = alloc(8 * count);
                new Float64Array(core.memory.buffer, at, count).set(times);
                return at;
            });
            const costs = alloc(8 * COST_ROWS.length * stages);
            const scratch = alloc(8 * (COST_ROWS.length + 1) * stages);
            const told = core.pp_measured_costs(schedule, timeline, from, to, costs, scratch);
            core.pp_measured_times(schedule, from, to, timeline);
            return { ...timed, costs, told, stages };
        };
        return this.scope((alloc) => {
            const { told, stages, ...timed } = source(alloc);
            /** @type {Record<string, Float64Array>} */
            const costs = {};
            for (const [row, option] of COST_OPTIONS.entries())
                if ((told >> row) & 1) costs[option] = this.doubles(timed.costs + 8 * row * stages, stages);
            return { step: this.report(alloc, timed, { source, ran: true }), costs };
        });
    }

    /**
     * From a request to a timed step in the core's memory.
     * @param {Alloc} alloc @param {Options | Uint8Array} options  or the text of a request
     * @param {number[]} [held]  where the memory belongs that a kept step gives over @returns {Timed}
     */
    timed(alloc, options, held) {
        const core = this.core;
        const fault = alloc(core.pp_fault_bytes());
        const asked = options instanceof Uint8Array ? options : requestText(options);
        const { text, length, request } = this.request(alloc, asked, fault);
        const config = alloc(core.pp_config_bytes());
        this.attempt(core.pp_config_read(request, config, fault), fault);
        const costs = alloc(core.pp_costs_bytes(config));
        this.attempt(core.pp_costs_read(request, config, costs, fault), fault);
        const named = this.configObject(config);
        named.edited = hasMoves(asked);
        const kept = held && !named.edited && !this.byCosts(named) && this.#sameList(config, held);
        let { schedule, timeline } = kept || { schedule: 0, timeline: 0 };
        if (schedule === 0) {
            const bytes = core.pp_schedule_bytes(config);
            schedule = alloc(bytes);
            this.attempt(core.pp_schedule_make(config, costs, schedule, bytes, fault), fault);
            this.attempt(core.pp_moves_apply(request, schedule, fault), fault);
            timeline = this.checked(alloc, { schedule, fault, costs, named });
        }
        core.pp_conditions_attach(schedule, config, costs); // a kept one knew those of other costs
        this.attempt(core.pp_partition_search(schedule, config, costs, timeline, fault), fault);
        this.attempt(core.pp_simulate(schedule, costs, this.transferOf(named), timeline, fault), fault);
        const order = this.ordered(alloc, { config, costs, schedule, timeline, fault, named });
        return { config, costs, schedule, timeline, fault, text, length, request, named, order };
    }

    /**
     * A kept step with the same list of actions, which need not be made and checked again. Its memory goes over to the new
     * one: `held`.
     * @param {number} config @param {number[]} held
     */
    #sameList(config, held) {
        const core = this.core;
        const size = core.pp_config_bytes();
        const own = this.bytes(config, size);
        const at = this.#kept.findIndex(
            ({ timed, readers }) =>
                readers === 0 &&
                !timed.named.edited &&
                this.bytes(timed.config, size).every((byte, i) => byte === own[i]),
        );
        if (at < 0) return null;
        const [{ timed, held: old }] = this.#kept.splice(at, 1);
        const taken = [timed.schedule, timed.timeline];
        held.push(...taken);
        this.release(old.filter((place) => !taken.includes(place)));
        return timed;
    }

    /**
     * Looks for the best order of micro-batches that are not alike, where the request asks for it.
     * @param {Alloc} alloc @param {Pick<Timed, 'config' | 'costs' | 'schedule' | 'timeline' | 'fault' | 'named'>} timed
     * @returns {Record<string, number> | undefined}
     */
    ordered(alloc, { config, costs, schedule, timeline, fault, named }) {
        if (named.order !== 'best') return undefined;
        const core = this.core;
        const names = this.names((i) => core.pp_record_field_name(1, i));
        const out = alloc(8 * names.length);
        const memory = alloc(core.pp_order_bytes(config));
        this.attempt(core.pp_order_search(schedule, config, costs, timeline, memory, out, fault), fault);
        return this.records(names, out, 1)[0];
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
            const all = this.doubles(factors, rows * units);
            out.factors = Array.from({ length: rows }, (_, n) => all.slice(n * units, (n + 1) * units));
            out.places = this.ints(core.pp_conditions_places(schedule), named.microbatches);
            if (order) out.proved = order.proved === 1;
        }
        const perRank = alloc(4 * ranks);
        core.pp_waiting_report(schedule, costs, timeline, alloc(core.pp_waiting_bytes(schedule)), perRank);
        out.waiting = this.ints(perRank, ranks);
        const held = alloc(4 * core.pp_schedule_pipes(schedule) * core.pp_schedule_stages(schedule));
        core.pp_gather_report(schedule, timeline, held, perRank);
        const gathers = this.ints(perRank, ranks);
        if (gathers.some((count) => count > 0)) out.gathers = gathers;
        return out;
    }

    /**
     * A timeline of a schedule that can run.
     * @param {Alloc} alloc @param {Pick<Timed, 'schedule' | 'fault' | 'costs' | 'named' | 'table'>} step  table: the file it
     *     came from
     */
    checked(alloc, { schedule, fault, costs, named, table = 0 }) {
        const core = this.core;
        const bytes = core.pp_timeline_bytes(schedule);
        const timeline = alloc(bytes);
        const blocked = alloc(4 * core.pp_schedule_ranks(schedule));
        const status = core.pp_check(schedule, timeline, bytes, blocked, fault);
        if (status === 0) return timeline;
        if (table !== 0) core.pp_table_locate(table, fault);
        const error = this.refusal(fault, this.#blockedActions(alloc, schedule, blocked, status, table));
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
        const pairs = core.pp_stall(schedule, costs, this.transferOf(named), timeline, circle, times);
        const [halt, makespan, ...firsts] = this.doubles(times, 2 + ranks);
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
            circle: this.ints(circle, 2 * pairs),
        };
    }

    /**
     * A timed step as its caller gets it.
     * @param {Alloc} alloc @param {Timed} timed
     * @param {object} how
     * @param {Ask} [how.ask]  what else to find out
     * @param {boolean} [how.settles]  everything is read now; else the memory of timed outlives the call, and columns are read
     *     when somebody asks for them
     * @param {(alloc: Alloc) => Timed} how.source  makes the step again
     * @param {boolean} [how.ran]  the times were measured, the costs made from them
     * @returns {Simulation}
     */
    report(alloc, timed, { ask = {}, settles = true, source, ran = false }) {
        const core = this.core;
        const { costs, schedule, named } = timed;
        const stages = core.pp_schedule_stages(schedule);
        const pipes = core.pp_schedule_pipes(schedule);
        const step = new Step(this, timed, source, {
            config: named,
            costs: this.#costs(costs, stages),
            stageRank: this.ints(core.pp_schedule_stage_rank(schedule), pipes * stages),
            ...this.figures(alloc, timed, ran),
            conditions: ran ? undefined : this.#conditions(alloc, timed),
        });
        if (settles) {
            // For as long as it is read it counts as kept, so that it is read from the memory in which it stands.
            const now = { timed, held: [], step: /** @type {any} */ (step), readers: 1 };
            this.#kept.unshift(now);
            try {
                step.settle();
            } finally {
                this.#kept = this.#kept.filter((one) => one !== now);
            }
        }
        // Last: some of them time the step anew.
        if (!ran) Object.assign(step, studiesOf(this, alloc, timed, ask));
        return /** @type {any} */ (step);
    }

    /** @param {number} costs @param {number} stages @returns {Record<string, Float64Array>} */
    #costs(costs, stages) {
        const table = this.doubles(costs, COST_ROWS.length * stages);
        return Object.fromEntries(COST_ROWS.map((name, i) => [name, table.slice(i * stages, (i + 1) * stages)]));
    }

    /** @param {Alloc} alloc @param {Timed} timed @param {boolean} [ran]  the times were measured, the costs made from them */
    figures(alloc, { config, costs, schedule, timeline, fault, measured, named }, ran = false) {
        const core = this.core;
        const ranks = core.pp_schedule_ranks(schedule);
        const summary = alloc(8 * this.summaryFields.length);
        const reports = alloc(8 * this.rankFields.length * ranks);
        const scratch = alloc(core.pp_report_scratch_bytes(schedule));
        const report = ran ? core.pp_measured_report : core.pp_report;
        // The closed form speaks of the order that was generated.
        report(schedule, named.edited ? 0 : config, costs, timeline, scratch, summary, reports);
        if (measured) this.attempt(core.pp_table_report(measured, summary, reports, fault), fault);
        return {
            summary: this.records(this.summaryFields, summary, 1)[0],
            perRank: this.records(this.rankFields, reports, ranks),
        };
    }

    /**
     * What a picture needs of an order that stalls.
     * @param {Alloc} alloc @param {Pick<Timed, 'schedule' | 'costs' | 'timeline'>} step
     */
    #drawn(alloc, { schedule, costs, timeline }) {
        const core = this.core;
        const stages = core.pp_schedule_stages(schedule);
        const columns = this.columns(alloc, schedule);
        return {
            costs: this.#costs(costs, stages),
            actions: {
                ...columns,
                start: this.doubles(core.pp_timeline_start(timeline), columns.count),
                finish: this.doubles(core.pp_timeline_finish(timeline), columns.count),
                input: this.ints(core.pp_timeline_input(timeline), columns.count),
            },
            stageRank: this.ints(core.pp_schedule_stage_rank(schedule), core.pp_schedule_pipes(schedule) * stages),
            rankBegin: this.ints(core.pp_schedule_rank_begin(schedule), core.pp_schedule_ranks(schedule) + 1),
        };
    }

    /** @param {Alloc} alloc @param {number} schedule */
    columns(alloc, schedule) {
        const count = this.core.pp_schedule_action_count(schedule);
        const names = ['rank', 'index', 'op', 'stage', 'microbatch', 'slice'];
        const at = names.map(() => alloc(4 * count));
        this.core.pp_schedule_columns(schedule, ...at);
        /** @type {any} */
        const columns = { count };
        for (const [i, name] of names.entries()) columns[name] = this.ints(at[i], count);
        return columns;
    }

    /** @param {Alloc} alloc @param {number} table */
    cells(alloc, table) {
        const count = this.core.pp_table_cell_count(table);
        const at = Array.from({ length: 5 }, () => alloc(4 * count));
        this.core.pp_table_columns(table, ...at);
        const [row, column, op, stage, microbatch] = at.map((place) => this.ints(place, count));
        return { row, column, op, stage, microbatch };
    }

    /** @param {Alloc} alloc @param {number} schedule @param {number} blocked @param {number} status @param {number} table */
    #blockedActions(alloc, schedule, blocked, status, table) {
        if (this.statuses[status] !== 'deadlock') return [];
        const heads = this.ints(blocked, this.core.pp_schedule_ranks(schedule));
        const columns = this.columns(alloc, schedule);
        const cells = table === 0 ? undefined : this.cells(alloc, table);
        const actions = cells && [...cells.op.keys()].filter((i) => cells.op[i] < OPS.length);
        return [...heads].flatMap((i, rank) => {
            if (i < 0) return [];
            const head = { rank, stage: columns.stage[i], op: OPS[columns.op[i]], microbatch: columns.microbatch[i] };
            return [cells && actions ? { ...head, column: cells.column[actions[i]] } : head];
        });
    }

    /** What a request comes to before anything is made of it. @param {Options} options */
    configOf(options) {
        return this.scope((alloc) => {
            const { core } = this;
            const fault = alloc(core.pp_fault_bytes());
            const { request } = this.request(alloc, requestText(options), fault);
            const config = alloc(core.pp_config_bytes());
            this.attempt(core.pp_config_read(request, config, fault), fault);
            return this.configObject(config);
        });
    }

    /** Figures of another request; null if it is refused. @param {Uint8Array} request */
    summaryOf(request) {
        try {
            return this.scope((alloc) => this.figures(alloc, this.timed(alloc, request)).summary);
        } catch (error) {
            if (!(error instanceof PipelineError)) throw error;
            return null;
        }
    }
}
