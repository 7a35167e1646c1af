// The state of a figure in the address of its page: #pipeline.<figure-id>=1f1b;p4;m8;latency=1. Only figures that
// have a figure-id are there, and whatever else the page keeps behind the # stays as it was.
import { PipelineError } from '../engine/error.js';
import { asked, OPTIONS } from './state.js';
import { trySimulate } from './try-simulate.js';

/** @typedef {import('./state.js').Request} Request */

/** Options with a letter of their own. @type {Record<string, string>} */
const LETTERS = { p: 'ranks', m: 'microbatches', v: 'chunks' };
/** A longer one was not written by a figure. */
const LONGEST = 4000;

/** @param {string} value */
const written = (value) => encodeURIComponent(value.trim().replace(/\s+/g, ' ')).replaceAll('%20', '+');

/** @param {string} text */
const read = (text) => decodeURIComponent(text.replaceAll('+', ' '));

/**
 * What a reader looks at beside the setting: a view, a cell that is chosen, a moment of time.
 * @typedef {{ view?: string | null, cell?: number | null, idle?: number | null, time?: number | null }} Place
 */
const PLACES = /** @type {const} */ (['view', 'cell', 'idle', 'time']);

/** What a text says of the place; views are names, the others numbers. @param {string} text @returns {Place} */
export function placeFrom(text) {
    const place = /** @type {Record<string, any>} */ ({});
    for (const part of text.slice(0, LONGEST).split(';')) {
        const [, name, value] = /^(view|cell|idle|time)=([a-z0-9.-]+)$/.exec(part) ?? [];
        if (name) place[name] = name === 'view' ? value : Number(value);
    }
    return place;
}

/** @param {Request} request @param {Place} [place] */
export function stateText(request, place = {}) {
    const letterOf = Object.fromEntries(Object.entries(LETTERS).map(([letter, name]) => [name, letter]));
    return OPTIONS.flatMap((name) => {
        const value = request[name];
        if (value === null || value === undefined || value === '') return [];
        if (name === 'schedule') return [written(value)];
        const letter = letterOf[name];
        return [letter && /^\d+$/.test(value) ? `${letter}${value}` : `${name}=${written(value)}`];
    })
        .concat(
            PLACES.flatMap((name) =>
                place[name] === null || place[name] === undefined ? [] : [`${name}=${place[name]}`],
            ),
        )
        .join(';');
}

/** What is not understood is left out. @param {string} text @returns {Request} */
export function requestFrom(text) {
    const request = /** @type {Request} */ ({});
    for (const part of text.slice(0, LONGEST).split(';')) {
        const [, letter, number] = /^([pmv])(\d+)$/.exec(part) ?? [];
        const [, name, value] = /^([a-z-]+)=(.*)$/.exec(part) ?? [];
        try {
            if (letter) request[LETTERS[letter]] = number;
            else if (name && OPTIONS.includes(name)) request[name] = read(value);
            else if (!name && part !== '' && request.schedule === undefined) request.schedule = read(part);
        } catch {} // a torn % sequence
    }
    return request;
}

/** @param {string} id */
const keyOf = (id) => `pipeline.${encodeURIComponent(id)}=`;
/** @param {string} hash */
const partsOf = (hash) => hash.replace(/^#/, '').split('&').filter(Boolean);

/** What a hash says of a figure, null if nothing. @param {string} hash @param {string} id */
export function stateIn(hash, id) {
    const key = keyOf(id);
    return (
        partsOf(hash)
            .find((part) => part.startsWith(key))
            ?.slice(key.length) ?? null
    );
}

/** May a state be written into a hash? A page that keeps its route there would take it for another. @param {string} hash */
export const holdsStates = (hash) => !/^#[/!]/.test(hash);

/** The section that a hash names before the states of figures, null if there is none. @param {string} hash */
export function sectionIn(hash) {
    const [name, ...states] = partsOf(hash);
    if (name?.includes('=') || !states.some((part) => part.startsWith('pipeline.'))) return null;
    try {
        return decodeURIComponent(name);
    } catch {
        return name; // a torn % sequence
    }
}

/** The hash with a figure's state in it. @param {string} hash @param {string} id @param {string} state */
export function hashWith(hash, id, state) {
    const key = keyOf(id);
    return `#${[...partsOf(hash).filter((part) => !part.startsWith(key)), key + state].join('&')}`;
}

/**
 * The nearest request that the core accepts; what has no nearest legal value is left out.
 * @param {import('../engine/engine.js').Engine} engine @param {Request} request @param {number} most  actions that may be drawn
 */
export function nearestLegalRequest(engine, request, most) {
    let answer = trySimulate(engine, withinReach(engine, request, most));
    for (let tries = 0; answer.error && tries < 2 * OPTIONS.length; tries++) {
        const { fixes, option } = answer.error;
        const name = fixes[0]?.option ?? option ?? (answer.request.moves && 'moves');
        if (!name) return null;
        const next = { ...answer.request };
        if (fixes[0] && next[name] !== fixes[0].value) next[name] = fixes[0].value;
        else delete next[name];
        answer = trySimulate(engine, withinReach(engine, next, most));
    }
    return answer.simulation ? answer.request : null;
}

/** What says how many micro-batches there are, besides their number. */
const SAMPLES = ['global-batch', 'microbatch-size'];

/**
 * A link must not freeze the page it leads to: a step of more actions gets fewer micro-batches. Sizes are those that the core
 * reads, however they are written. @param {import('../engine/engine.js').Engine} engine @param {Request} request @param {number} most
 */
function withinReach(engine, request, most) {
    try {
        const { ranks, microbatches, chunks, slices } = engine.configOf(asked(request));
        const fitting = { ...request };
        const fewer = Math.min(ranks, 256);
        if (ranks > fewer) fitting.ranks = String(fewer);
        const each = fewer * chunks * slices * 2;
        if (each * microbatches <= most) return fitting;
        for (const name of SAMPLES) delete fitting[name];
        fitting.microbatches = String(Math.max(1, Math.floor(most / each)));
        return fitting;
    } catch (error) {
        if (!(error instanceof PipelineError)) throw error;
        return request; // refused before anything is made, with a remedy
    }
}
