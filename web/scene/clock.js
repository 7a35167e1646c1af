// A time that runs over the chart: played, stepped from event to event, or set by hand.

/** @typedef {import('../engine/types.js').Simulation} Simulation */

/** A tick takes so long, unless the whole would be shorter or longer than is good to watch. */
const TICK_MS = 450;
const SHORTEST_MS = 3000;
const LONGEST_MS = 20_000;

/** Times at which something begins or ends, ascending. @param {Simulation} simulation */
export function eventTimes({ actions }) {
    const times = new Float64Array(2 * actions.count);
    times.set(actions.start);
    times.set(actions.finish, actions.count);
    return [...times.sort().filter((time, i) => i === 0 || time !== times[i - 1])];
}

/** The event after a time (way 1) or before it (way -1). @param {number[]} times @param {number} time @param {number} way */
export function stepFrom(times, time, way) {
    const next = way > 0 ? times.find((at) => at > time) : times.filter((at) => at < time).pop();
    return next ?? (way > 0 ? times[times.length - 1] : times[0]) ?? 0;
}

/** Ranks at work at a time. @param {Simulation} simulation @param {number} time */
export function busyAt({ actions, perRank }, time) {
    const busy = perRank.map(() => 0);
    for (let i = 0; i < actions.count; i++) {
        if (actions.start[i] <= time && time < actions.finish[i]) busy[actions.rank[i]] = 1;
    }
    return busy.reduce((sum, one) => sum + one, 0);
}

export class Clock {
    /** Null: no time is set. @type {number | null} */
    time = null;
    playing = false;
    /** @type {number[]} */
    #times = [];
    #frame = 0;
    #last = 0;
    #onTick;

    /** @param {() => void} onTick  the time, or whether it runs, has changed */
    constructor(onTick) {
        this.#onTick = onTick;
    }

    get end() {
        return this.#times[this.#times.length - 1] ?? 0;
    }

    get begin() {
        return this.#times[0] ?? 0;
    }

    /** All times are whole, so that a slider may go by ticks. */
    get whole() {
        return this.#times.every(Number.isInteger);
    }

    /** @param {Simulation} simulation */
    open(simulation) {
        this.#times = eventTimes(simulation);
        this.time ??= this.begin;
        this.#onTick();
    }

    /** Back to no time at all. */
    close() {
        this.pause();
        this.time = null;
        this.#times = [];
    }

    pause() {
        cancelAnimationFrame(this.#frame);
        this.#frame = 0;
        this.playing = false;
    }

    /** @param {number} time */
    set(time) {
        this.pause();
        this.time = Math.min(this.end, Math.max(this.begin, time));
        this.#onTick();
    }

    /** @param {number} way */
    step(way) {
        this.set(stepFrom(this.#times, this.time ?? this.begin, way));
    }

    toggle() {
        if (this.playing) this.pause();
        else {
            if (this.time === null || this.time >= this.end) this.time = this.begin;
            this.playing = true;
            this.#last = performance.now();
            this.#frame = requestAnimationFrame(this.#run);
        }
        this.#onTick();
    }

    #run = (/** @type {number} */ now) => {
        const span = this.end - this.begin;
        const length = Math.min(LONGEST_MS, Math.max(SHORTEST_MS, span * TICK_MS));
        // A page that was out of sight does not jump ahead.
        const passed = Math.min(100, Math.max(0, now - this.#last));
        this.#last = now;
        this.time = Math.min(this.end, (this.time ?? this.begin) + (passed * span) / length);
        if (this.time >= this.end) this.playing = false;
        else this.#frame = requestAnimationFrame(this.#run);
        this.#onTick();
    };
}
