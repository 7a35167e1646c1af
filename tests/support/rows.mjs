// What the figure promises, row by row, and the files whose tests hold it. A test carries the id of its row in its name:
// "VIE-07: …", or several, "MUST-13, POINT-11, VIE-07: …". tests/rows.test.mjs asks for one in every file named here.
//     MUST   the reader's must-haves, ranked       POINT  what a figure must do to be better than its anchors
//     VIE    faults readers met in a view          EMB    faults authors met when embedding one
const browser = (/** @type {string[]} */ ...names) => names.map((name) => `tests/browser/${name}.test.mjs`);
const node = (/** @type {string[]} */ ...names) => names.map((name) => `tests/${name}.test.mjs`);

/** @type {Record<string, { says: string, files: string[] }>} */
export const rows = {
    'MUST-01': {
        says: 'the right schedule at once; scripts off, from disk, on paper',
        files: browser('book', 'navigation'),
    },
    'MUST-02': {
        says: 'one script tag, from disk, three engines, no request',
        files: browser('engines', 'navigation'),
    },
    'MUST-03': {
        says: 'p, m and schedule change bubble, time, memory in 50 ms',
        files: browser('book', 'interactive'),
    },
    'MUST-04': { says: 'cell to dependencies, by mouse, touch, keys', files: browser('access') },
    'MUST-05': {
        says: 'keyboard and screen reader as good as the mouse',
        files: browser('access', 'element', 'everyone'),
    },
    'MUST-06': {
        says: 'Russian done properly, English complete',
        files: [...browser('words'), ...node('words/strings', 'scene/format', 'page/page')],
    },
    'MUST-07': { says: 'phone: 320 px, large controls, the page scrolls', files: browser('access', 'everyone') },
    'MUST-08': {
        says: 'dark, forced colours, colour-blind, reduced motion',
        files: browser('access', 'everyone', 'looks', 'present', 'steps', 'teaching'),
    },
    'MUST-09': {
        says: 'clear words and a still picture where something forbids',
        files: browser('csp', 'engines', 'policy'),
    },
    'MUST-10': { says: 'unequal stages with boundaries that are dragged', files: browser('editing') },
    'MUST-11': {
        says: 'a link to this state, steps, copy and download',
        files: browser('element', 'present', 'teaching'),
    },
    'MUST-12': { says: 'play, step, scrub; two schedules on one axis', files: browser('teaching') },
    'MUST-13': { says: 'print sheet', files: browser('access', 'everyone', 'looks', 'present', 'steps') },
    'MUST-14': { says: 'tasks whose answers are checked', files: browser('teaching') },
    'MUST-15': {
        says: "the author's side",
        files: [...node('page/manual', 'page/recipes', 'cli/cli'), ...browser('manual')],
    },

    'POINT-01': {
        says: 'right before the first touch; picture and caption agree',
        files: [...browser('book'), ...node('page/page')],
    },
    'POINT-02': {
        says: 'boundary, time and numbers are taken hold of',
        files: browser('editing', 'element', 'teaching'),
    },
    'POINT-03': { says: 'a cell says what it waits for; pin; critical path', files: browser('access', 'teaching') },
    'POINT-04': { says: 'play, step, reset; steps without motion', files: browser('teaching') },
    'POINT-05': { says: 'several views of one state', files: [...browser('teaching'), ...node('scene/format')] },
    'POINT-06': { says: 'two schedules on one axis', files: browser('teaching') },
    'POINT-07': { says: 'a sentence that is rewritten with the state', files: node('scene/format') },
    'POINT-08': { says: 'steps, state in the address, copy and save', files: browser('element', 'teaching') },
    'POINT-09': {
        says: 'tasks checked by the core, nothing sent; predict before you see',
        files: browser('present', 'steps', 'teaching'),
    },
    'POINT-10': { says: 'for everyone', files: browser('access', 'everyone', 'looks', 'steps') },
    'POINT-11': { says: 'paper', files: browser('access', 'everyone', 'looks') },
    'POINT-12': {
        says: 'one tag, many figures, disk, policies, frames',
        files: [...browser('csp', 'engines', 'policy'), ...node('page/recipes')],
    },

    'VIE-01': { says: 'thousands of operations', files: browser('element', 'interactive', 'dense') },
    'VIE-03': { says: 'decimal comma', files: [...browser('element', 'present'), ...node('cli/cli')] },
    'VIE-04': { says: 'one announcement', files: browser('access', 'everyone') },
    'VIE-05': { says: 'role of the picture', files: browser('access', 'everyone') },
    'VIE-07': { says: 'paper from a dark page', files: browser('access', 'everyone', 'looks') },
    'VIE-09': { says: 'dragging and scrolling', files: browser('access', 'everyone', 'editing') },
    'VIE-10': { says: 'forced colours', files: browser('access', 'everyone') },
    'VIE-12': { says: 'phones', files: browser('access', 'everyone') },
    'VIE-14': { says: 'an illegal setting', files: browser('element') },

    'EMB-01': { says: 'opened from disk', files: browser('engines', 'navigation') },
    'EMB-02': { says: 'saved as one file', files: [...browser('navigation'), ...node('build/package')] },
    'EMB-03': { says: 'policies', files: browser('csp', 'navigation', 'policy') },
    'EMB-05': { says: 'no WebAssembly', files: browser('engines', 'policy') },
    'EMB-06': { says: 'no headers for threads', files: browser('csp', 'navigation') },
    'EMB-08': { says: 'instant navigation', files: browser('element', 'navigation', 'present') },
    'EMB-10': { says: 'MDX and server rendering', files: node('figure/element', 'page/recipes') },
    'EMB-11': { says: 'raw HTML dropped', files: node('page/recipes') },
    'EMB-12': { says: 'the script twice', files: browser('element', 'engines', 'lifecycle', 'navigation') },
    'EMB-13': { says: 'one compiled module, memory given back', files: browser('engines', 'lifecycle', 'present') },
    'EMB-16': { says: 'no outside script', files: browser('navigation') },
    'EMB-17': {
        says: 'readers without scripts, paper',
        files: [...browser('book', 'navigation'), ...node('page/page')],
    },
};
