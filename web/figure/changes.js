// The changes that a reader or the address of the page asks for, made from what they did. Nothing is carried out here: each
// is a plain Change for the element's dispatch.

import { nearestLegalRequest, placeFrom, requestFrom, stateIn, stateText } from '../request/link.js';
import { ordersAnew, sameRequest, withSchedule } from '../request/state.js';
import { trySimulate } from '../request/try-simulate.js';

/**
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('../request/state.js').Request} Request
 * @typedef {import('./figure-state.js').Change} Change
 * @typedef {import('./figure-state.js').FigureState} FigureState
 */

/** A link leads to no larger step. */
const LINKED_ACTIONS = 100_000;

/**
 * The reader sets options.
 * @param {Engine} engine @param {FigureState} state @param {Request} now @param {Request} changes
 * @returns {Change}
 */
export function optionsChange(engine, state, now, changes) {
    let request = /** @type {Request} */ ({ ...now, ...changes });
    /** @type {Request | undefined} */
    let aside;
    const schedule = engine.schedules.find(({ name }) => name === changes.schedule);
    if (schedule) ({ request, aside } = withSchedule(request, state.aside, schedule));
    const reordered = ordersAnew(now, request);
    // Moves name actions of the order they were made in.
    if (request.moves && !('moves' in changes) && reordered) request.moves = null;
    // A micro-batch keeps its number of samples where another number of micro-batches is asked for.
    if (changes.microbatches && state.simulation?.batch) {
        request['microbatch-size'] = String(state.simulation.batch.size);
        request['global-batch'] = null;
    }
    const undo = 'moves' in changes ? '' : Object.keys(changes).join();
    const file = changes.schedule || ordersAnew(now, request) ? null : undefined;
    return { by: 'reader', request, aside, undo, file };
}

/**
 * The reader opens a file that holds a schedule.
 * @param {import('../request/file.js').OpenFile} file @param {FigureState} state @param {Request} now
 * @returns {Change}
 */
export function fileChange(file, state, now) {
    // Costs by stage, cuts and moves were made for another schedule.
    const fits = (/** @type {string | null} */ value) => value !== null && !/[\s;*]/.test(value.trim());
    const request = Object.fromEntries(
        Object.entries(now).filter(
            ([option, value]) =>
                option === 'schedule' ||
                (fits(value) && !['ranks', 'microbatches', 'layers', 'cuts', 'moves'].includes(option)),
        ),
    );
    return { by: 'reader', request, file: { ...file, before: state.file?.before ?? now }, undo: '' };
}

/**
 * The reader takes the last change back, or makes it again. Null where there is none.
 * @param {FigureState} state @param {Request} now @param {boolean} back
 * @returns {Change | null}
 */
export function undoChange(state, now, back) {
    const found = state.history.go({ request: now, file: state.file }, back);
    return found ? { by: 'reader', request: found.request, file: found.file, aside: {} } : null;
}

/**
 * What the address of the page says of a figure, null where it says nothing new. Nothing it says can be refused: the nearest
 * legal request is taken. An address that says nothing of the figure, but was there before, has it back as it was then.
 * @param {Engine} engine @param {string} id @param {FigureState} state @param {Request} now
 * @param {{ request: Request, file: import('../request/file.js').OpenFile | null } | undefined} then  what the figure showed at this address
 * @param {import('../request/link.js').Place} place  where the reader looks
 * @returns {Change | null}
 */
export function linkChange(engine, id, state, now, then, place) {
    const text = stateIn(location.hash, id);
    if (text === null) {
        if (!then || (sameRequest(then.request, now) && then.file === state.file)) return null;
        return { by: 'url', request: then.request, file: then.file, aside: {} };
    }
    if (text === stateText(now, place)) return null;
    const wanted = requestFrom(text);
    // What names no option leaves the author's setting alone, and may still say where to look.
    if (Object.keys(wanted).length === 0) {
        const place = placeFrom(text);
        return Object.keys(place).length > 0 ? { by: 'url', place } : null;
    }
    const request = nearestLegalRequest(engine, wanted, LINKED_ACTIONS);
    return request ? { by: 'url', request, aside: {}, place: placeFrom(text) } : null;
}

/**
 * The page shows its reader a state, who can take that back. Null where it cannot be read.
 * @param {Engine} engine @param {string} text @returns {Change | null}
 */
export function shownChange(engine, text) {
    const request = nearestLegalRequest(engine, requestFrom(text), LINKED_ACTIONS);
    return request && { by: 'reader', request, aside: {}, file: null, undo: '', place: placeFrom(text) };
}

/**
 * A handle was let go of that changed times while the order stood. A schedule that looks at costs may have another order by
 * now: then, or where the step was only timed, the core is asked again. Null where the shown step is the answer.
 * @param {Engine} engine @param {FigureState} state @param {Request} now
 * @returns {Change | null}
 */
export function releaseChange(engine, { simulation }, now) {
    if (!simulation) return null;
    const next = trySimulate(engine, now).simulation?.actions;
    const { op, stage, microbatch } = simulation.actions;
    const stands = (/** @type {Int32Array} */ column, /** @type {Int32Array} */ other) =>
        column.every((value, i) => value === other[i]);
    const same =
        next &&
        simulation.criticalPath.length > 0 &&
        stands(op, next.op) &&
        stands(stage, next.stage) &&
        stands(microbatch, next.microbatch);
    return same ? null : { by: 'reader', again: true };
}
