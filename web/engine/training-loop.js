// When the toy network works: in slices of a frame, one action at a time or as many steps as fit. No document.

/** Longest work in one frame, so that the page stays at hand. */
const SLICE_MS = 8;
/** Pause between two actions that a reader is to follow with the eye. */
const ACTION_MS = 110;
/** Frames for which an action stays lit while whole steps run by. */
const LIT_FRAMES = 4;

/**
 * @typedef {{ step: number, loss: number, reference_loss: number, gradient_difference: number,
 *             weight_difference: number, accuracy: number, skipped: number }} StepRecord
 * @typedef {{ simulation: import('./types.js').Simulation, next: () => { action: number, done: boolean },
 *             step: () => StepRecord }} Run  the part of a Training that is needed here
 */

export class TrainingLoop {
    #run;
    #report;
    #frame = 0;
    #due = 0;
    #performed = 0;
    #frames = 0;

    /** One action at a time, rather than as many steps as fit. */
    slow = false;
    /** While steps run by, stop each frame inside a step, a little later each time, and tell where. */
    lit = true;

    /**
     * @param {Run} run
     * @param {(news: { action: number, records: StepRecord[] }) => void} report  after each frame with news in it:
     *     the action performed last (-1: between two steps) and the steps that ended
     */
    constructor(run, report) {
        this.#run = run;
        this.#report = report;
    }

    get running() {
        return this.#frame !== 0;
    }

    start() {
        if (this.running) return;
        this.#due = 0;
        this.#frame = requestAnimationFrame(this.#slice);
    }

    pause() {
        cancelAnimationFrame(this.#frame);
        this.#frame = 0;
    }

    /** One action; with the last of a step also its end: the division of the gradients and the new weights. */
    advance() {
        this.#report(this.#action());
    }

    /** Ends the step that is half done, if one is. */
    settle() {
        if (this.#performed > 0) this.#report({ action: -1, records: [this.#finish()] });
    }

    /** @param {number} now */
    #slice = (now) => {
        this.#frame = requestAnimationFrame(this.#slice);
        try {
            if (!this.slow) this.#report(this.#steps());
            else if (now >= this.#due) {
                this.#due = now + ACTION_MS;
                this.#report(this.#action());
            }
        } catch (error) {
            this.pause();
            throw error;
        }
    };

    #action() {
        if (this.#performed === this.#run.simulation.actions.count) return { action: -1, records: [this.#finish()] };
        const { action, done } = this.#run.next();
        if (done) return { action: -1, records: [this.#finish()] };
        this.#performed++;
        return { action, records: [] };
    }

    #steps() {
        const until = performance.now() + SLICE_MS;
        const records = [];
        do records.push(this.#finish());
        while (performance.now() < until);
        let action = -1;
        if (this.lit) {
            const reach = 1 + (Math.floor(this.#frames++ / LIT_FRAMES) % this.#run.simulation.actions.count);
            for (let done = false; !done && this.#performed < reach; this.#performed++)
                ({ action, done } = this.#run.next());
        }
        return { action, records };
    }

    #finish() {
        this.#performed = 0;
        return this.#run.step();
    }
}
