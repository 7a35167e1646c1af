// From one step to the next: every operation goes from where it was to where it is, once, so that the reader sees what has
// changed. Only the painting moves; what can be pointed at and read aloud is the new step at once.

import { wholeRows } from './cells.js';

/** @typedef {import('../engine/types.js').Simulation} Simulation */

const MOVED_MS = 260;

/** @param {Simulation['actions']} actions @param {number} i */
const keyOf = ({ op, stage, microbatch, slice }, i) =>
    ((microbatch[i] * 4096 + stage[i]) * 64 + (slice?.[i] ?? 0)) * 8 + op[i];

/**
 * A way from one step to another: by the share of the way that is done, a step with times in between. What is new grows.
 * @param {Simulation} from @param {Simulation} to @returns {(share: number) => Simulation}
 */
export function wayBetween(from, to) {
    const was = new Map();
    for (let i = 0; i < from.actions.count; i++) was.set(keyOf(from.actions, i), i);
    const { count, start, finish, rank } = to.actions;
    const before = Int32Array.from({ length: count }, (_, i) => was.get(keyOf(to.actions, i)) ?? -1);
    return (share) => {
        const between = (/** @type {number} */ a, /** @type {number} */ b) => a + (b - a) * share;
        const [s, f] = [new Float64Array(count), new Float64Array(count)];
        for (let i = 0; i < count; i++) {
            const j = before[i];
            const known = j >= 0 && from.actions.rank[j] === rank[i];
            s[i] = known ? between(from.actions.start[j], start[i]) : start[i];
            f[i] = known ? between(from.actions.finish[j], finish[i]) : between(start[i], finish[i]);
        }
        return wholeRows(to, { start: s, finish: f });
    };
}

export class Motion {
    /** @type {number | undefined} */
    #frame;
    /** What is seen while it moves. @type {Simulation | null} */
    #seen = null;

    get moving() {
        return this.#frame !== undefined;
    }

    stop() {
        if (this.#frame !== undefined) cancelAnimationFrame(this.#frame);
        this.#frame = undefined;
        this.#seen = null;
    }

    /**
     * @param {Simulation} from @param {Simulation} to
     * @param {(seen: Simulation) => void} paint  at last with `to` itself
     */
    go(from, to, paint) {
        const way = wayBetween(this.#seen ?? from, to);
        this.stop();
        const begun = performance.now();
        const step = () => {
            const share = Math.min(1, (performance.now() - begun) / MOVED_MS);
            if (share === 1) {
                this.stop();
                paint(to);
                return;
            }
            // Quick at first, slow at the end.
            this.#seen = way(1 - (1 - share) ** 3);
            paint(this.#seen);
            this.#frame = requestAnimationFrame(step);
        };
        step();
    }
}
