// A training run by workers, one a rank: starts them, joins them by channels, gathers what they report, and brings the run
// through the loss of one. It knows no schedule, and no memory but its own. In a page workers come from a Blob, so that a
// single script opened from disk can make them; in Node from worker_threads (workers-node.js).

import { plainName } from '../words/names.js';
import { COST_ROW } from './costs.js';
import { rankWorker } from './rank-worker.js';

/**
 * @typedef {object} Handle  one worker, however it was made
 * @property {(message: any, transfer?: any[]) => void} post
 * @property {(take: (message: any) => void, fail: (reason: string) => void) => void} listen
 * @property {() => unknown} end
 *
 * @typedef {{ step: number, loss: number, skipped: boolean, start: Float64Array, finish: Float64Array, ended: Float64Array, bytes: number[] }} RankStep
 *     loss: of the whole batch, before the update; start, finish: of each action, milliseconds on the clock of the page, 0 if it was done before the workers began, empty where the step is long past;
 *     ended: of each rank, when its update was made, after all that ranks then tell each other;
 *     bytes: the most of live activations on each rank
 *
 * @typedef {{ rank: number, action: number, step: number, from: number }} Loss  a rank lost at an action of a step (-1: not
 *     known), both from 0; the run went on from after `from` steps
 *
 * @typedef {{ stages: Uint8Array[], step: number, ahead?: Float64Array[] }} Saved  all that later steps depend on, stage by
 *     stage (pp_run_save), while batches and masks follow from the number of the step; of each rank the times of what it had
 *     done of the next step, without a flush
 */

/** @param {number[]} values */
export function median(values) {
    const sorted = [...values].sort((a, b) => a - b);
    return (sorted[(sorted.length - 1) >> 1] + sorted[sorted.length >> 1]) / 2;
}

/** Options that say how long things take, or from which that follows. */
const COSTS = [...Object.keys(COST_ROW), ...'bytes bandwidth layers partition cuts layout embedding head'.split(' ')];
const plainCosts = new Set(COSTS.map(plainName));

/**
 * A request with the costs that were measured in place of its own.
 * @param {[string, any][]} pairs @param {Record<string, any>} costs @returns {[string, any][]}
 */
export const withCosts = (pairs, costs) => [
    ...pairs.filter(([name]) => !plainCosts.has(plainName(name))),
    ...Object.entries(costs),
];

/** The same as changes to a request: '' where an option is to go. @param {Record<string, string>} costs */
export const costChanges = (costs) => Object.fromEntries(COSTS.map((name) => [name, costs[name] ?? '']));

/**
 * Three steps of a stream as one list: the request for it, its actions, and of each its step, 0 to 2, and what it is in the list
 * of one step. Null where there is a flush, and where the list's ranks have more micro-batches under way than the step's.
 * @param {any} engine @param {[string, any][]} pairs
 */
function threeSteps(engine, pairs) {
    const { actions, config, stream } = engine.simulate(pairs);
    const { microbatches: m, ranks } = config;
    if (!stream || m < ranks) return null;
    const others = pairs.filter(([name]) => !['m', 'microbatches'].includes(plainName(name)));
    /** @type {[string, any][]} */
    const request = [...others, ['microbatches', String(3 * m)]];
    const { actions: long } = engine.simulate(request);
    const name = (/** @type {any} */ { rank, op, microbatch }, /** @type {number} */ i) =>
        `${rank[i]} ${op[i]} ${microbatch[i] % m}`;
    const at = new Map(Array.from(actions.rank, (_, i) => [name(actions, i), i]));
    return {
        request,
        long,
        step: Array.from(long.microbatch, (k) => Math.floor(k / m)),
        own: Array.from(long.microbatch, (_, i) => /** @type {number} */ (at.get(name(long, i)))),
    };
}

/**
 * What the model says of a step with measured costs: start and finish of each action, from the first of them to the last,
 * milliseconds from one step to the next, and the speed-up over one worker, who waits for nobody. Without a flush that is a step
 * between two others (NaN where steps are not alike); list: time of the step by itself.
 * @param {any} engine @param {[string, any][]} request @param {Record<string, any>} costs
 */
export function predict(engine, request, costs) {
    const pairs = withCosts(request, costs);
    const { actions, stream, summary } = engine.simulate(pairs);
    const three = threeSteps(engine, pairs);
    let { start, finish } = actions;
    let pace = stream ? Number.NaN : summary.makespan;
    if (three) {
        const { long, step, own } = three;
        [start, finish] = [start.slice(), finish.slice()];
        const ends = [0, 0, 0];
        for (const [i, its] of step.entries()) {
            ends[its] = Math.max(ends[its], long.finish[i]);
            if (its !== 1) continue;
            start[own[i]] = long.start[i];
            finish[own[i]] = long.finish[i];
        }
        pace = ends[1] - ends[0];
        const begun = Math.min(...start);
        [start, finish] = [start, finish].map((times) => times.map((/** @type {number} */ time) => time - begun));
    }
    const makespan = Math.max(...finish);
    return { start, finish, makespan, pace, speedup: summary.busy / pace, list: summary.makespan };
}

/**
 * Of steps made one right after the other the middle one by time that has times, in a list by itself or, without a flush and
 * where there are so many, between its neighbours.
 * @param {any[][]} runs @param {any} stream @returns {any[]}
 */
export function middleStep(runs, stream) {
    // What the first step of a stream finds done was done before whatever came between.
    const groups = runs.flatMap((steps) =>
        stream ? steps.slice(3).map((after, i) => [steps[i + 1], steps[i + 2], after]) : steps.map((step) => [step]),
    );
    const there = groups.filter((group) => group.every(({ start }) => start.length > 0));
    if (there.length === 0) return stream ? middleStep(runs, null) : [];
    const long = (/** @type {any[]} */ group) => {
        const { start, finish } = group[group.length >> 1];
        return Math.max(...finish) - Math.min(...start);
    };
    return there.sort((a, b) => long(a) - long(b))[there.length >> 1];
}

/**
 * A step as its times show it, and its costs; a rank that waits for a message waits while it does nothing of a neighbour, either.
 * @param {import('./engine.js').Engine} engine @param {[string, any][]} pairs @param {any[]} group  of middleStep
 */
export function measuredOf(engine, pairs, group) {
    const shown = group[group.length >> 1];
    const { step, costs } = engine.measuredStep(pairs, shown.start, shown.finish);
    const three = group.length > 1 && threeSteps(engine, pairs);
    if (!three) return { step, costs };
    const [start, finish] = ['start', 'finish'].map((name) =>
        Float64Array.from(three.own, (own, i) => group[three.step[i]][name][own]),
    );
    return { step, costs: engine.measuredStep(three.request, start, finish).costs };
}

/** From the last action of a step to the last update. @param {{ finish: Float64Array, ended: ArrayLike<number> }} step */
export const endOf = ({ finish, ended }) => Math.max(...Array.from(ended)) - Math.max(...finish);

/** What a worker runs. @param {string} given  how it names the port of its maker; and its clock, if not that of the page */
export const workerText = (given) => `(${rankWorker})(${given})`;

/** More ranks than this are not given a thread each. */
export const MOST_WORKERS = 16;
/** A worker that has not answered after so long never will. */
const READY_MS = 20_000;
/** Losses without a step between them after which the run is given up. */
const MOST_LOSSES = 3;
/** Times are kept of so many steps, the last of those asked for, so that a long run takes no more memory than a short one. */
const KEPT_TIMES = 256;

/** @returns {Handle} */
export function pageWorker() {
    const url = URL.createObjectURL(new Blob([workerText('self')], { type: 'text/javascript' }));
    const worker = new Worker(url);
    return {
        post: (message, transfer = []) => worker.postMessage(message, transfer),
        listen(take, fail) {
            worker.onmessage = (event) => {
                URL.revokeObjectURL(url);
                take(event.data);
            };
            worker.onerror = (event) => {
                event.preventDefault();
                fail(event.message || 'worker refused');
            };
        },
        end: () => worker.terminate(),
    };
}

/** Can workers of this core be asked for here? Whether they are allowed is seen only when one is made. @param {any} engine */
export function workersKnown(engine) {
    const real = /** @type {any} */ (globalThis).WebAssembly?.Module;
    return typeof Worker === 'function' && Boolean(real) && engine.module instanceof real;
}

export class WorkerRun {
    #spawn;
    #setup;
    #actions;
    #stageRank;
    /** @type {Handle[]} */ #workers = [];
    /** @type {Saved} */ #saved;
    /** Stages on their way here, by step. @type {Map<number, { stages: Uint8Array[], ahead: Float64Array[], ranks: number }>} */
    #coming = new Map();
    /** @type {Map<number, any>} */ #steps = new Map();
    /** @type {((error?: Error) => void) | null} */ #settle = null;
    /** @type {((rank: number) => void)[]} */ #ready = [];
    /** @type {((error: Error) => void)[]} */ #refuse = [];
    #epoch = 0;
    #target = 0;
    #every = 1;
    /** @type {{ step: number, action: number } | undefined} */ #kill;
    #ended = false;
    #fruitless = 0;
    /** Ranks not yet replaced, and their workers. @type {[number, Handle][]} */ #gone = [];
    /** Ranks lost so far. @type {Loss[]} */ losses = [];

    /**
     * @param {import('./training.js').Training} training  what to run, and from which weights; it is only read
     * @param {() => Handle} [spawn]
     */
    constructor(training, spawn = pageWorker) {
        const { loss } = training.settings;
        this.#spawn = spawn;
        this.#setup = { kind: 'setup', ...training.setup, loss };
        this.#actions = training.simulation.actions;
        this.#stageRank = training.simulation.stageRank;
        this.#saved = training.state;
        this.ranks = training.simulation.config.ranks;
    }

    /** Makes the workers; fails where none can be made. */
    async start() {
        try {
            const channels = Array.from(
                { length: this.ranks },
                () => /** @type {any[]} */ (Array(this.ranks).fill(null)),
            );
            for (let a = 0; a < this.ranks; a++)
                for (let b = 0; b < a; b++) {
                    const { port1, port2 } = new MessageChannel();
                    channels[a][b] = port1;
                    channels[b][a] = port2;
                }
            for (let rank = 0; rank < this.ranks; rank++) this.#workers.push(this.#spawn());
            await Promise.all(channels.map((ports, rank) => this.#begin(rank, ports)));
            this.#load();
        } catch (error) {
            this.close();
            throw error;
        }
        return this;
    }

    /** Sets a worker up; settles when it is ready. @param {number} rank @param {any[]} ports @returns {Promise<void>} */
    #begin(rank, ports) {
        const worker = this.#workers[rank];
        return new Promise((ready, refuse) => {
            const timer = setTimeout(() => refuse(new Error('no answer')), READY_MS);
            let begun = false;
            const current = () => this.#workers[rank] === worker;
            this.#ready[rank] = () => {
                clearTimeout(timer);
                begun = true;
                ready();
            };
            this.#refuse[rank] = (error) => {
                clearTimeout(timer);
                refuse(error);
            };
            worker.listen(
                (message) => {
                    if (!begun && message.kind === 'failed') this.#refuse[rank](new Error(message.message));
                    else if (current()) this.#take(rank, message);
                },
                (reason) => {
                    if (!begun) this.#refuse[rank](new Error(reason));
                    else if (current()) this.#lost(rank);
                },
            );
            const own = ports.filter(Boolean);
            worker.post({ ...this.#setup, rank, ports }, own);
        });
    }

    /** All ranks go on from what was saved. */
    #load() {
        const { step, stages, ahead } = this.#saved;
        for (const [rank, worker] of this.#workers.entries()) {
            // Only what the rank holds: stageRank has the copies of the stages end to end.
            const own = stages.map((bytes, stage) =>
                this.#stageRank.some((holder, i) => holder === rank && i % stages.length === stage) ? bytes : null,
            );
            worker.post({ kind: 'load', epoch: this.#epoch, step, stages: own, ahead: ahead?.[rank] });
        }
    }

    #go() {
        const rankOf = (/** @type {number} */ action) => this.#actions.rank[action];
        for (const [rank, worker] of this.#workers.entries()) {
            const kill = this.#kill && rankOf(this.#kill.action) === rank ? this.#kill : undefined;
            worker.post({ kind: 'go', target: this.#target, every: this.#every, kill });
        }
    }

    /**
     * Runs steps. Stages are saved every so many steps, and behind the last.
     * @param {number} steps @param {{ every?: number, kill?: { step: number, action: number } }} [how]  kill: end the worker
     *     that comes to this action of this step, both from 0, before it performs it
     * @returns {Promise<RankStep[]>}
     */
    async advance(steps, { every = 10, kill } = {}) {
        if (this.#ended) throw new Error('the workers are closed');
        if (this.#settle) throw new Error('the workers are at work');
        if (!Number.isInteger(steps)) throw new Error(`steps = ${steps}: a whole number is needed`);
        if (steps <= 0) return [];
        this.#target = this.#saved.step + steps;
        this.#every = every;
        this.#kill = kill;
        this.#steps.clear();
        const from = this.#saved.step;
        const done = new Promise((settled, failed) => {
            this.#settle = (error) => {
                this.#settle = null;
                if (error) failed(error);
                else settled(undefined);
            };
        });
        this.#go();
        await done;
        return Array.from({ length: steps }, (_, i) => this.#steps.get(from + i + 1)).map(
            ({ ranks, ...record }) => record,
        );
    }

    /** @param {number} rank @param {any} message */
    #take(rank, message) {
        const { kind, epoch } = message;
        if (kind === 'ready') {
            this.#ready[rank](rank);
            return;
        }
        if (epoch !== this.#epoch) return;
        if (kind === 'halted') this.#lost(rank, this.#kill);
        if (kind === 'failed') this.#fail(new Error(message.message));
        if (kind === 'saved') this.#save(rank, message);
        if (kind === 'step') this.#record(rank, message);
    }

    /** @param {number} rank @param {any} message  with the stages of that rank */
    #save(rank, { step, saved, ahead }) {
        const coming = this.#coming.get(step) ?? { stages: [], ahead: [], ranks: 0 };
        for (const [stage, bytes] of saved) coming.stages[stage] = bytes;
        coming.ahead[rank] = ahead;
        this.#coming.set(step, coming);
        if (++coming.ranks < this.ranks) return;
        this.#saved = { step, stages: coming.stages, ahead: coming.ahead };
        this.#fruitless = 0;
        for (const older of [...this.#coming.keys()]) if (older <= step) this.#coming.delete(older);
        this.#finish();
    }

    /** @param {number} rank @param {any} message */
    #record(rank, { step, skipped, loss, times, bytes }) {
        const { count, rank: ranks } = this.#actions;
        const record = this.#steps.get(step) ?? {
            step,
            loss: Number.NaN,
            skipped,
            start: new Float64Array(count),
            finish: new Float64Array(count),
            ended: new Float64Array(this.ranks),
            bytes: Array(this.ranks).fill(0),
            ranks: 0,
        };
        this.#steps.set(step, record);
        if (rank === 0) Object.assign(record, { loss, skipped });
        const first = ranks.indexOf(rank);
        const own = times.length >> 1;
        // A rank's reports may come long after the other's.
        if (record.start.length > 0) {
            record.start.set(times.subarray(0, own), Math.max(first, 0));
            record.finish.set(times.subarray(own, 2 * own), Math.max(first, 0));
        }
        record.ended[rank] = times[2 * own];
        record.bytes[rank] = bytes;
        record.ranks++;
        const old = this.#steps.get(step - KEPT_TIMES);
        if (old) old.start = old.finish = new Float64Array(0);
        this.#finish();
    }

    #finish() {
        if (this.#saved.step !== this.#target || this.#steps.get(this.#target)?.ranks !== this.ranks) return;
        this.#settle?.();
    }

    /** @param {Error} error */
    #fail(error) {
        if (this.#settle) this.#settle(error);
        this.close();
    }

    /**
     * A rank is gone: another worker takes its place, and all go back to what was saved.
     * @param {number} rank @param {{ step: number, action: number }} [kill]  where it was to be lost
     */
    async #lost(rank, kill) {
        const { step } = this.#saved;
        if (kill) this.#kill = undefined;
        this.losses.push({ rank, action: kill?.action ?? -1, step: kill?.step ?? -1, from: step });
        this.#epoch++;
        this.#coming.clear();
        for (const later of [...this.#steps.keys()]) if (later > step) this.#steps.delete(later);
        this.#gone.push([rank, this.#workers[rank]]);
        try {
            if (++this.#fruitless > MOST_LOSSES) throw new Error('workers are lost again and again');
            this.#workers[rank] = this.#spawn();
            // Where others are lost meanwhile, they are replaced behind it.
            if (this.#gone.length === 1) await this.#replace();
        } catch (error) {
            this.#fail(/** @type {Error} */ (error));
        }
    }

    async #replace() {
        for (; this.#gone.length > 0; this.#gone.shift()) {
            const [[rank, gone]] = this.#gone;
            await gone.end();
            const ports = this.#workers.map((worker, other) => {
                if (this.#gone.some(([lost]) => lost === other)) return null; // itself; and those still to come bring theirs
                const { port1, port2 } = new MessageChannel();
                worker.post({ kind: 'port', rank, port: port2 }, [port2]);
                return port1;
            });
            await this.#begin(rank, ports);
            if (this.#ended) return;
        }
        this.#load();
        this.#go();
    }

    /** What was saved last; after advance() the stages behind its last step. */
    get state() {
        return this.#saved;
    }

    /** Ends the workers; safe to call twice. */
    close() {
        if (this.#ended) return;
        this.#ended = true;
        for (const refuse of this.#refuse) refuse?.(new Error('closed'));
        for (const worker of this.#workers.splice(0)) worker.end();
        this.#settle?.(new Error('closed'));
    }
}
