// A timed step as the figure sees it. Its summary is at hand; columns with an entry per action are fetched from the core
// when someone reads them, because a figure of 10^6 actions that is timed anew at every step of a slider has no use for
// most of them. Of the last large steps the core's memory is kept (engine.js); of an older one it is made again, from the
// same request. A part of engine.js, with the same rhythm at the border.

/**
 * @typedef {import('./types.js').Alloc} Alloc
 * @typedef {import('./types.js').Timed} Timed
 * @typedef {{ kind: 'action' | 'idle', index: number }} Selection  an action or an idle interval of a step
 *
 * @typedef {object} Picture  what Step.paint draws, see pp_paint in pipeline.h
 * @property {number} from  tick at the left edge
 * @property {number} scale  columns a tick
 * @property {number} first  rank of the first row
 * @property {number} ranks
 * @property {number} columns  pixels
 * @property {number} height  of a rank's bar
 * @property {number} pitch  from rank to rank
 * @property {number} grain  pixels that a line is thick
 * @property {Uint32Array} palette  two colours for each kind, ground and mark
 */

/** Kinds of a palette, in its order: ops on a rank's first, third, … stage, on its second, …; waiting; transfer; edge. */
export const PAINT_KINDS = 13;
/** Bits of Step.kinds beside 1 << op. */
export const KINDS = { chunks: 1 << 5, wait: 1 << 6, wire: 1 << 7, message: 1 << 8 };

/**
 * Properties that are made when first read; those of one group together.
 * @template T @param {T} object @param {string[]} names @param {() => Record<string, any>} make @returns {T}
 */
export function lazily(object, names, make) {
    const settle = () => {
        const made = make();
        for (const name of names) Object.defineProperty(object, name, { value: made[name], enumerable: true });
    };
    for (const name of names) {
        Object.defineProperty(object, name, {
            enumerable: true,
            configurable: true,
            get: () => {
                settle();
                return /** @type {any} */ (object)[name];
            },
        });
    }
    return object;
}

const ACTION = ['rank', 'index', 'op', 'stage', 'microbatch', 'slice'];
const WHOLE = new Set(['rank', 'reason', 'before', 'waits_for', 'early', 'held']);

export class Step {
    #steps;
    #source;

    /**
     * @param {import('./steps.js').Steps} steps
     * @param {Timed} timed
     * @param {(alloc: Alloc) => Timed} source  makes it again
     * @param {Record<string, any>} facts  what is known at once
     */
    constructor(steps, timed, source, facts) {
        this.#steps = steps;
        this.#source = source;
        Object.assign(this, facts);
        const { core } = steps;
        const count = core.pp_schedule_action_count(timed.schedule);
        /** @type {any} */
        const actions = { count };
        lazily(actions, ACTION, () => this.#with((alloc, { schedule }) => steps.columns(alloc, schedule)));
        lazily(actions, ['start', 'finish', 'input'], () =>
            this.#with((_, { timeline }) => ({
                start: steps.doubles(core.pp_timeline_start(timeline), count),
                finish: steps.doubles(core.pp_timeline_finish(timeline), count),
                input: steps.ints(core.pp_timeline_input(timeline), count),
            })),
        );
        lazily(actions, ['arrive'], () =>
            this.#with((_, { timeline }) => {
                const at = core.pp_timeline_arrive(timeline);
                return { arrive: at === 0 ? undefined : steps.doubles(at, count) };
            }),
        );
        if (steps.isAsynchronous(timed.named)) {
            const { config, named } = timed;
            // An order changed by hand has no rule for its weights.
            if (!named.edited)
                Object.assign(this, {
                    stream: {
                        updateEvery: core.pp_update_every(config),
                        late: Array.from({ length: named.ranks }, (_, rank) => core.pp_weight_lag(config, rank)),
                    },
                });
            lazily(actions, ['version', 'delay'], () =>
                this.#with((_, now) => ({
                    version: versions(core.pp_weight_version, now.config, actions),
                    delay: versions(core.pp_weight_delay, now.config, actions),
                })),
            );
        }
        lazily(this, ['actions'], () => ({ actions }));
        lazily(this, ['idle'], () => ({ idle: this.#idle() }));
        lazily(this, ['criticalPath', 'kinds', 'rankBegin'], () =>
            this.#with((alloc, { schedule, costs, timeline }) => {
                const length = core.pp_critical_path(schedule, costs, timeline, 0, 0);
                const path = alloc(4 * length);
                core.pp_critical_path(schedule, costs, timeline, path, length);
                const ranks = core.pp_schedule_ranks(schedule);
                return {
                    criticalPath: steps.ints(path, length),
                    kinds: core.pp_kinds(schedule, costs, timeline),
                    rankBegin: steps.ints(core.pp_schedule_rank_begin(schedule), ranks + 1),
                };
            }),
        );
    }

    /** Everything is read now: the memory of the core it stands in is not kept. */
    settle() {
        const { actions, idle, criticalPath } = /** @type {any} */ (this);
        void [actions.rank, actions.start, actions.version, idle.start, criticalPath];
        return this;
    }

    /** @template T @param {(alloc: Alloc, timed: Timed) => T} work @returns {T} */
    #with(work) {
        return this.#steps.withStep(this, this.#source, work);
    }

    #idle() {
        const { core, idleFields } = this.#steps;
        /** @type {any} */
        const idle = {};
        lazily(idle, ['count'], () => ({
            count: this.#with((_, { schedule, costs, timeline }) => core.pp_idle_fill(schedule, costs, timeline, 0, 0)),
        }));
        return lazily(idle, idleFields, () =>
            this.#with((alloc, { schedule, costs, timeline }) => {
                const { count } = idle;
                const fields = idleFields.length;
                const at = alloc(8 * fields * count);
                core.pp_idle_fill(schedule, costs, timeline, at, count);
                const values = this.#steps.doubles(at, fields * count);
                /** @type {Record<string, any>} */
                const columns = {};
                for (const [f, name] of idleFields.entries()) {
                    const column = WHOLE.has(name) ? new Int32Array(count) : new Float64Array(count);
                    for (let j = 0; j < count; j++) column[j] = values[j * fields + f];
                    columns[name] = column;
                }
                return columns;
            }),
        );
    }

    /** What a rank does at a time; null outside the step. @param {number} rank @param {number} time @returns {Selection | null} */
    at(rank, time) {
        const { core } = this.#steps;
        const index = this.#with((_, { schedule, timeline }) => core.pp_action_at(schedule, timeline, rank, time));
        if (index >= 0) return { kind: 'action', index };
        /** @type {any} */
        const { idle } = this;
        let low = 0;
        let high = idle.count;
        while (low < high) {
            const middle = (low + high) >> 1;
            if (idle.rank[middle] < rank || (idle.rank[middle] === rank && idle.start[middle] <= time))
                low = middle + 1;
            else high = middle;
        }
        const found = low - 1;
        return found >= 0 && idle.rank[found] === rank && time < idle.finish[found]
            ? { kind: 'idle', index: found }
            : null;
    }

    /**
     * Draws the step into pixels: columns * ranks * pitch of them, 4 bytes each.
     * @param {Picture} picture @param {(pixels: Uint8ClampedArray<ArrayBuffer>) => void} use  they are the core's, and good during the call
     */
    paint({ from, scale, first, ranks, columns, height, pitch, grain, palette }, use) {
        const { core } = this.#steps;
        this.#with((alloc, { schedule, costs, timeline }) => {
            const colours = alloc(palette.byteLength);
            const scratch = alloc(core.pp_paint_scratch_bytes(schedule));
            const length = 4 * columns * pitch * ranks;
            const at = alloc(length);
            this.#steps
                .bytes(colours, palette.byteLength)
                .set(new Uint8Array(palette.buffer, palette.byteOffset, palette.byteLength));
            const shape = [from, scale, first, ranks, columns, height, pitch, grain];
            core.pp_paint(schedule, costs, timeline, ...shape, colours, scratch, at);
            use(new Uint8ClampedArray(core.memory.buffer, at, length));
        });
    }

    /** Chunks of activations each rank holds: from each time on, until the next, so many. @returns {{ time: Float64Array, held: Float64Array }[]} */
    held() {
        const { core } = this.#steps;
        return this.#with((alloc, { schedule, timeline }) => {
            const most = 2 * core.pp_schedule_action_count(schedule) + 1;
            const scratch = alloc(core.pp_memory_scratch_bytes(schedule));
            const at = alloc(16 * most);
            return Array.from({ length: core.pp_schedule_ranks(schedule) }, (_, rank) => {
                const count = core.pp_memory_levels(schedule, 0, 0, timeline, rank, scratch, at, most);
                const values = this.#steps.doubles(at, 2 * count);
                return {
                    time: Float64Array.from({ length: count }, (_, k) => values[2 * k]),
                    held: Float64Array.from({ length: count }, (_, k) => values[2 * k + 1]),
                };
            });
        });
    }
}

/** @param {(config: number, rank: number, microbatch: number) => number} of @param {number} config @param {any} actions */
function versions(of, config, { rank, microbatch }) {
    return Int32Array.from(rank, (r, i) => of(config, r, microbatch[i]));
}
