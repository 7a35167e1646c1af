// What a reader has answered is remembered on the reader's own machine, and nowhere else; where that is forbidden, it is
// remembered until the page is left.

const KEY = 'pipeline-figure.answers';

/** @returns {Record<string, any>} */
function read() {
    try {
        return JSON.parse(localStorage.getItem(KEY) ?? '{}') ?? {};
    } catch {
        return {};
    }
}

const answers = read();

/** @param {string} name */
export const answerTo = (name) => answers[name];

/** @param {string} name @param {any} answer */
export function remember(name, answer) {
    answers[name] = answer;
    try {
        localStorage.setItem(KEY, JSON.stringify(answers));
    } catch {} // private windows, pages from disk in some browsers
}

/** All of them, for the report. */
export const allAnswers = () => ({ ...answers });

export function forgetAnswers() {
    for (const name of Object.keys(answers)) delete answers[name];
    try {
        localStorage.removeItem(KEY);
    } catch {}
}

/**
 * The reader's own number, from which the numbers of the exercises are taken: neighbours get different ones, and the same
 * reader the same again. A teacher may give it in the address: ?seed=7.
 */
export function seedOfReader() {
    const given = Number(new URLSearchParams(location.search).get('seed'));
    const seed = given || answers.seed || Math.floor(Math.random() * 1_000_000) + 1;
    if (seed !== answers.seed) remember('seed', seed);
    return seed;
}

/**
 * A number from one to another for an exercise, the same for the same seed. (A step of a linear congruential generator.)
 * @param {number} seed @param {number} place @param {number} from @param {number} to
 */
export function pick(seed, place, from, to) {
    let state = (seed * 2654435761 + place * 40503) >>> 0;
    for (let n = 0; n < 3; n++) state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return from + (Math.floor(state / 65536) % (to - from + 1));
}

/**
 * A number as a reader writes it: 27,3 %, 3/11, 33. NaN where it is none.
 * @param {string} text
 */
export function numberIn(text) {
    const [, upper, lower, percent] = /^\s*(\d+(?:[.,]\d+)?)(?:\s*\/\s*(\d+))?\s*(%?)\s*$/.exec(text) ?? [];
    if (upper === undefined) return Number.NaN;
    const value = Number(upper.replace(',', '.')) / Number(lower ?? 1);
    return percent ? value / 100 : value;
}

/** Numbers are the same to a thousandth: a reader may round a fraction. @param {number} a @param {number} b */
export const sameNumber = (a, b) => Math.abs(a - b) <= 5e-4 * Math.max(1, Math.abs(b));
