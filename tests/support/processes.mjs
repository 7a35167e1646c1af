// Ends a process with everything that it has started. Browsers make process groups of their own, so that the group of the
// one who started them is not enough: what belongs together carries the same mark in its environment, which is inherited.
import { readdirSync, readFileSync } from 'node:fs';

/** Name of the variable that carries the mark. */
export const MARK = 'PP_TEST_MARK';

/** Processes that carry the mark, or one within it. Only Linux tells the environment of others; elsewhere none are found. @param {string} mark */
export function marked(mark) {
    const carries = (/** @type {string} */ word) => `${word}/`.startsWith(`${MARK}=${mark}/`);
    /** @type {{ pid: number, name: string }[]} */
    const found = [];
    let all;
    try {
        all = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    } catch {
        return found;
    }
    for (const pid of all) {
        try {
            if (!readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').some(carries)) continue;
            const [, name, state] = /\((.*)\) (\S)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
            if (state !== 'Z') found.push({ pid: Number(pid), name });
        } catch {} // it has ended meanwhile, or belongs to another user
    }
    return found;
}

/** @param {number} pid  a process, or a group if negative @param {NodeJS.Signals} name */
export function signal(pid, name) {
    try {
        process.kill(pid, name);
    } catch {} // nobody is left
}

/** Ends at once the group that `pid` leads, and whoever carries the mark. @param {number} pid @param {string} mark */
export function endAll(pid, mark) {
    signal(-pid, 'SIGKILL');
    // Who is just about to start another one may be faster than the list.
    for (let round = 0; round < 3; round++) for (const one of marked(mark)) signal(one.pid, 'SIGKILL');
}
