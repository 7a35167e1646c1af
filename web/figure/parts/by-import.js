// Stands for 'pipeline-figure/fetch-part' in modules, where a part is a chunk that is imported when it is asked for, and in
// scripts with everything inside, where it is there already.

/** @type {Record<string, () => Promise<any>>} */
const PARTS = {
    core: () => import('../../parts/core.js'),
    editing: () => import('./editing.js'),
    english: () => import('../../parts/english.js'),
    files: () => import('./files.js'),
    teaching: () => import('./teaching.js'),
    training: () => import('./training.js'),
};

/** @param {string} name @returns {Promise<any>} what the part exports */
export const fetchPart = (name) => PARTS[name]();
