// A step that is timed again and again: its order stands, its costs change.
import { requestText } from './request-text.js';

/**
 * @typedef {import('./types.js').Alloc} Alloc
 * @typedef {import('./types.js').Options} Options
 * @typedef {import('./types.js').Simulation} Simulation
 * @typedef {import('./types.js').Timed} Timed
 */

/** A step whose costs change while its order stands. It holds memory of the core until close(). */
export class HeldStep {
    #steps;
    /** @type {number[]} */ #held = [];
    /** @type {Timed | null} */ #timed;

    /** @param {import('./steps.js').Steps} steps @param {Options} options */
    constructor(steps, options) {
        this.#steps = steps;
        try {
            this.#timed = steps.timed(steps.allocator(this.#held), options);
            /** As timed last. @type {Simulation} */
            this.simulation = this.#report(options, this.#timed);
        } catch (error) {
            this.close();
            throw error;
        }
    }

    /** @param {Options} options @param {Timed} timed @returns {Simulation} */
    #report(options, timed) {
        const steps = this.#steps;
        /** @type {Simulation} */
        const step = steps.scope((alloc) =>
            steps.report(alloc, timed, {
                settles: false,
                // An older one, or one that is read after close(), is made again.
                source: (again) =>
                    this.#timed && this.simulation === step ? this.#timed : steps.timed(again, options),
            }),
        );
        return step;
    }

    /**
     * Times the step anew.
     * @param {Options} options  a legal request that differs from the first one in costs or cuts alone
     * @returns {Simulation}
     * @throws {PipelineError}
     * @throws {Error}  after close()
     */
    time(options) {
        const steps = this.#steps;
        const timed = this.#timed;
        if (!timed) throw new Error('pipeline-figure: this step is closed');
        const { config, costs, schedule, timeline, fault, named } = timed;
        const { core } = steps;
        steps.scope((alloc) => {
            const { request } = steps.request(alloc, requestText(options), fault);
            steps.attempt(core.pp_costs_read(request, config, costs, fault), fault);
            core.pp_conditions_attach(schedule, config, costs);
            steps.attempt(core.pp_simulate(schedule, costs, steps.transferOf(named), timeline, fault), fault);
            timed.order = steps.ordered(alloc, timed);
        });
        this.simulation = this.#report(options, timed);
        return this.simulation;
    }

    /** Releases the memory; safe to call twice. */
    close() {
        this.#timed = null;
        this.#steps.release(this.#held.splice(0));
    }
}
