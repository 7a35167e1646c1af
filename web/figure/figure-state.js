// What a figure stands for: the request with the core's answer to it, the file in place of a generated schedule, and the
// way back. No document: the attributes of the request belong to the element.

import { History } from '../request/history.js';
import { propertyOf, sameRequest } from '../request/state.js';
import { simulateBeside, tryFitting, trySimulate } from '../request/try-simulate.js';

/**
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('../engine/error.js').PipelineError} PipelineError
 * @typedef {import('../engine/types.js').Simulation} Simulation
 * @typedef {import('../request/state.js').Request} Request
 * @typedef {import('../request/file.js').OpenFile} OpenFile
 *
 * @typedef {'page' | 'url' | 'reader'} By  who changes a figure: the page by attributes, the address of the page by what stands
 *     behind its #, or the reader
 *
 * @typedef {object} Change  of a figure. It goes through the element's one dispatch, and travels with the update that carries
 *     it out, so that whoever draws or tells the answer knows where it came from.
 * @property {By} by
 * @property {Request} [request]  all options as they are to be; left out: as they are
 * @property {Request} [aside]  options that have no meaning for the schedule, kept for one that knows them
 * @property {OpenFile | null} [file]  to be shown in place of a generated schedule; null: the generated one
 * @property {string} [undo]  with it, the reader can take the change back; changes of the same options in quick succession are
 *     taken back as one, and '' is never one with the change before it
 * @property {string | null} [view]  to be opened; null: none
 * @property {import('../request/link.js').Place} [place]  what is looked at, beside the setting
 * @property {boolean} [again]  the core is to be asked again, though the request may be the same
 */

/** How far sliders reach unless the figure asks for more. @type {Record<string, number>} */
const REACH = { ranks: 16, microbatches: 32 };

/** @type {By[]} */
const STRONGEST = ['reader', 'url', 'page'];

/** Who changed the figure, where several changes are carried out by one update. @param {Change[]} changes @returns {By} */
export const whoOf = (changes) => STRONGEST.find((who) => changes.some(({ by }) => by === who)) ?? 'page';

export class FigureState {
    /** Null while the core refuses the request. @type {Simulation | null} */
    simulation = null;
    /** What was refused. @type {PipelineError | null} */
    error = null;
    /** The last simulation that the core accepted. @type {Simulation | null} */
    known = null;
    /** The request that simulation and error answer; null: the core has to be asked again. @type {Request | null} */
    answered = null;
    /** Simulations that the sentence compares with. @type {ReturnType<typeof simulateBeside>} */
    others = {};
    /** Options that the reader's choice of schedule left without meaning. @type {Request} */
    aside = {};
    /** Shown in place of a generated schedule. @type {OpenFile | null} */
    file = null;
    reach = { ...REACH };
    /** @type {History<{ request: Request, file: OpenFile | null }>} */
    history = new History();

    /** Everything a change asks for that is kept here. @param {Change} change @param {Request} now  the request until then */
    apply({ request, aside, file, undo, again }, now) {
        const differs = !request || file || this.file !== null || !sameRequest(request, now);
        if (undo !== undefined && differs) this.history.note({ request: now, file: this.file }, undo);
        if (aside) this.aside = aside;
        if (again || (file !== undefined && file !== this.file)) this.answered = null;
        if (file !== undefined) this.file = file;
    }

    /**
     * Asks the core.
     * @param {Engine} engine @param {Request} request @param {By} by
     * @param {Map<string, unknown>} changed  properties of the element
     * @param {Simulation | null} timed  the same step with new times, where a handle is being dragged
     * @returns {Request} what was answered in the end: a list that no longer fits may have been made to
     */
    answer(engine, request, by, changed, timed) {
        const answer = timed
            ? { request, simulation: timed, error: null }
            : this.file
              ? trySimulate(engine, request, this.file)
              : by === 'reader' && this.known
                ? tryFitting(engine, request, this.known, (option) => changed.has(propertyOf(option)))
                : trySimulate(engine, request);
        this.simulation = answer.simulation;
        this.error = answer.error;
        this.answered = answer.request;
        if (answer.simulation) {
            this.known = answer.simulation;
            this.others = this.file ? {} : simulateBeside(engine, answer.request, answer.simulation);
            for (const name of Object.keys(REACH)) {
                const value = answer.simulation.config[name];
                if (value > this.reach[name]) this.reach[name] = 2 * value;
            }
        } else {
            // Something must tell what the controls offer, even if the very first request was refused.
            this.known ??= engine.simulate({});
        }
        return answer.request;
    }

    /** What is said of a file, in another language. The step stays the same one. @param {Engine} engine @param {string} lang @param {Request} request */
    relabel(engine, lang, request) {
        engine.lang = lang;
        const again = trySimulate(engine, request, this.file).simulation;
        if (again && this.simulation) this.simulation.file = again.file;
    }
}
