// What else can be asked of a timed step: how its layers are cut, the end of the step, memory, transfers, what-ifs, the
// chain of reasons for a wait, a failure. A part of engine.js, with the same rhythm at the border, in a file of its own.

/**
 * @typedef {object} Ask
 * @property {boolean} [memory]  levels over time and peaks by rank
 * @property {boolean} [whatIf]  doubled micro-batches, balanced stages, no transfers: a simulation each
 * @property {boolean} [takeover]  from when on transfers set the pace
 * @property {boolean} [failure]  what a failing device costs, and how often to write checkpoints
 * @property {{ rank: number, time: number }} [why]  why this rank is idle at this time
 *
 * @typedef {Record<string, number>} Row  a record of the core: its fields, doubles
 *
 * @typedef {object} Studies
 * @property {(Row & { method: string, sizes: number[], stageCosts: Float64Array, layerCosts: Float64Array }) | null} partition
 *     null where costs are given per stage; sizes: layers of each stage
 * @property {{ global: number, size: number, moved: string | null } | null} batch  moved: the option that followed from the
 *     others; null where nothing was said of samples
 * @property {Row & { perRank: Row[] }} end  of the step, with reduction and optimizer
 * @property {(Row & { given: boolean, capacity: number, perRank: (Row & { levels: Row[] })[] })} [memory]
 * @property {{ doubled: Row | null, balanced: Row, free: Row }} [whatIf]  summaries; null: a refused request
 * @property {Row} [takeover]
 * @property {(Row & { rank: number, policies: (Row & { name: string, lost: Int32Array })[], start: Float64Array,
 *     finish: Float64Array })} [failure]  policies: restart, checkpoint, spare; start, finish: the step with the spare
 * @property {{ idle: Row, reasons: Row[] } | null} [why]  null where the rank is busy
 */

/** Records of the core by their number. */
const RECORDS = 'partition order takeover end endRank memory memoryRank level reason failure policy'.split(' ');
const POLICIES = ['restart', 'checkpoint', 'spare'];
/** Names of their fields, by core. @type {WeakMap<any, Record<string, string[]>>} */
const fieldNames = new WeakMap();

/**
 * @param {import('./steps.js').Steps} steps @param {import('./types.js').Alloc} alloc
 * @param {any} timed @param {Ask} ask @returns {Studies}
 */
export function studiesOf(steps, alloc, timed, ask) {
    const study = new Study(steps, alloc, timed);
    /** @type {Studies} */
    const out = { partition: study.partition(), batch: study.batch(), end: study.end() };
    if (ask.memory) out.memory = study.memory();
    if (ask.takeover) out.takeover = study.takeover();
    if (ask.why) out.why = study.why(ask.why);
    if (ask.failure) out.failure = study.failure(out.end.finish);
    if (ask.whatIf) out.whatIf = study.whatIf();
    return out;
}

/**
 * What the simulation says of a run of the toy network: the most bytes of live activations on each rank.
 * @param {import('./steps.js').Steps} steps @param {import('./types.js').Alloc} alloc @param {any} timed @param {number} run
 */
export function activationPeaks(steps, alloc, timed, run) {
    const { core } = steps;
    const { config, schedule } = timed;
    const table = alloc(core.pp_memory_bytes(config));
    const ranks = core.pp_schedule_ranks(schedule);
    const [scratch, peaks] = [alloc(core.pp_memory_scratch_bytes(schedule)), alloc(8 * ranks)];
    core.pp_run_memory(run, table);
    core.pp_memory_peaks(schedule, table, core.pp_run_microbatch_begin(run), scratch, peaks);
    return [...new Float64Array(core.memory.buffer, peaks, ranks)];
}

class Study {
    /** @param {import('./steps.js').Steps} steps @param {import('./types.js').Alloc} alloc @param {any} timed */
    constructor(steps, alloc, timed) {
        this.steps = steps;
        this.core = steps.core;
        this.alloc = alloc;
        this.timed = timed;
        this.ranks = this.core.pp_schedule_ranks(timed.schedule);
        this.stages = this.core.pp_schedule_stages(timed.schedule);
        this.transfer = steps.transferOf(timed.named);
    }

    /** @param {string} record @returns {string[]} */
    names(record) {
        const known = fieldNames.get(this.core) ?? {};
        const number = RECORDS.indexOf(record);
        known[record] ??= this.steps.names((/** @type {number} */ i) => this.core.pp_record_field_name(number, i));
        fieldNames.set(this.core, known);
        return known[record];
    }

    /** Room for some records, and how to read them. @param {string} record @param {number} count */
    records(record, count) {
        const names = this.names(record);
        const at = this.alloc(8 * names.length * count);
        return { at, read: (n = count) => /** @type {Row[]} */ (this.steps.records(names, at, n)) };
    }

    partition() {
        const { config, costs, named } = this.timed;
        if (!named.layers) return null;
        const { at, read } = this.records('partition', 1);
        this.core.pp_partition_summarize(config, costs, at);
        const cuts = this.steps.ints(this.core.pp_partition_cuts(config, costs), this.stages + 1);
        const sizes = Array.from({ length: this.stages }, (_, s) => cuts[s + 1] - cuts[s]);
        const stageCosts = this.steps.doubles(this.core.pp_partition_stage_costs(config, costs), this.stages);
        const layerCosts = this.steps.doubles(this.core.pp_partition_layer_costs(config, costs), named.layers);
        return /** @type {any} */ ({ ...read()[0], method: named.partition, sizes, stageCosts, layerCosts });
    }

    batch() {
        const { named } = this.timed;
        if (!named.global_batch) return null;
        const moved = this.steps.options[named.batch_moved].name;
        return { global: named.global_batch, size: named.microbatch_size, moved: named.batch_moved ? moved : null };
    }

    end() {
        const { core, alloc } = this;
        const { config, schedule, timeline, request, fault } = this.timed;
        const ends = alloc(core.pp_end_bytes(config));
        this.steps.attempt(core.pp_end_read(request, config, ends, fault), fault);
        const out = this.records('end', 1);
        const ranks = this.records('endRank', this.ranks);
        const scratch = alloc(core.pp_end_scratch_bytes(schedule));
        core.pp_end_report(schedule, config, ends, timeline, scratch, out.at, ranks.at);
        return /** @type {any} */ ({ ...out.read()[0], perRank: ranks.read() });
    }

    memory() {
        const { core, alloc } = this;
        const { config, costs, schedule, timeline, request, fault } = this.timed;
        const table = alloc(core.pp_memory_bytes(config));
        const limit = alloc(8);
        const given = alloc(4);
        this.steps.attempt(core.pp_memory_read(request, config, costs, table, limit, given, fault), fault);
        const [capacity] = this.steps.doubles(limit, 1);
        const { all, ranks, scratch } = this.memoryReport(table, capacity);
        const levels = this.records('level', 2 * core.pp_schedule_action_count(schedule) + 1);
        const perRank = ranks.map((rank, r) => {
            const most = 2 * core.pp_schedule_action_count(schedule) + 1;
            const count = core.pp_memory_levels(schedule, config, table, timeline, r, scratch, levels.at, most);
            return { ...rank, levels: levels.read(count) };
        });
        return /** @type {any} */ ({
            ...all,
            given: this.steps.ints(given, 1)[0] === 1,
            capacity,
            perRank,
        });
    }

    /** @param {number} table @param {number} capacity */
    memoryReport(table, capacity) {
        const { core } = this;
        const { config, schedule, timeline } = this.timed;
        const out = this.records('memory', 1);
        const ranks = this.records('memoryRank', this.ranks);
        const scratch = this.alloc(core.pp_memory_scratch_bytes(schedule));
        core.pp_memory_report(schedule, config, table, capacity, timeline, scratch, out.at, ranks.at);
        return { all: out.read()[0], ranks: ranks.read(), scratch };
    }

    takeover() {
        const { costs, schedule, timeline, fault } = this.timed;
        const { at, read } = this.records('takeover', 1);
        const scratch = this.alloc(this.core.pp_costs_bytes(this.timed.config));
        const found = this.core.pp_takeover_find(schedule, costs, this.transfer, scratch, timeline, at, fault);
        this.steps.attempt(found, fault);
        return read()[0];
    }

    /** @param {{ rank: number, time: number }} ask */
    why({ rank, time }) {
        const { core } = this;
        const { costs, schedule, timeline } = this.timed;
        const names = this.steps.idleFields;
        const count = core.pp_idle_fill(schedule, costs, timeline, 0, 0);
        const at = this.alloc(8 * names.length * count);
        core.pp_idle_fill(schedule, costs, timeline, at, count);
        const intervals = /** @type {Row[]} */ (this.steps.records(names, at, count));
        const chosen = intervals.findIndex((idle) => idle.rank === rank && idle.start <= time && time < idle.finish);
        if (chosen < 0) return null;
        const interval = at + 8 * names.length * chosen;
        const length = core.pp_reasons(schedule, costs, timeline, interval, 0, 0);
        const out = this.records('reason', length);
        core.pp_reasons(schedule, costs, timeline, interval, out.at, length);
        return { idle: intervals[chosen], reasons: out.read() };
    }

    /** @param {number} step */
    failure(step) {
        const { core, alloc } = this;
        const { config, costs, schedule, timeline, request, fault, named } = this.timed;
        const given = alloc(core.pp_failure_costs_bytes());
        this.steps.attempt(core.pp_failure_read(request, given, fault), fault);
        const count = core.pp_schedule_action_count(schedule);
        const [start, finish] = [alloc(8 * count), alloc(8 * count)];
        const out = this.records('failure', 1);
        const policies = this.records('policy', POLICIES.length);
        const asked = [schedule, config, costs, timeline, step, given, start, finish, out.at, policies.at, fault];
        this.steps.attempt(core.pp_failure_report(...asked), fault);
        const sum = out.read()[0];
        const list = alloc(4 * count);
        const lost = (/** @type {number} */ policy) => {
            if (named.fail_rank < 0) return new Int32Array(0);
            const found = core.pp_failure_lost(schedule, timeline, policy, named.fail_rank, sum.time, list, count);
            return this.steps.ints(list, found);
        };
        return /** @type {any} */ ({
            ...sum,
            rank: named.fail_rank,
            policies: policies.read().map((policy, i) => ({ ...policy, name: POLICIES[i], lost: lost(i) })),
            start: this.steps.doubles(start, count),
            finish: this.steps.doubles(finish, count),
        });
    }

    /** Leaves the timeline of the last of its simulations. */
    whatIf() {
        const { core, steps } = this;
        const { config, costs, schedule, timeline, request, fault, named } = this.timed;
        const bytes = core.pp_what_if_doubled(request, config, 0, 0);
        const doubled = this.alloc(bytes);
        core.pp_what_if_doubled(request, config, doubled, bytes);
        const changed = (/** @type {(config: number, costs: number) => void} */ change) => {
            const copy = this.alloc(core.pp_costs_bytes(config));
            steps.bytes(copy, core.pp_costs_bytes(config)).set(steps.bytes(costs, core.pp_costs_bytes(config)));
            change(config, copy);
            steps.attempt(core.pp_simulate(schedule, copy, this.transfer, timeline, fault), fault);
            return steps.figures(this.alloc, { ...this.timed, costs: copy }).summary;
        };
        return {
            doubled: named.schedule === 'file' ? null : steps.summaryOf(steps.bytes(doubled, bytes).slice()),
            balanced: changed(core.pp_what_if_balanced),
            free: changed(core.pp_what_if_no_transfers),
        };
    }
}
