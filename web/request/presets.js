// The steps of the chapter's argument: settings a reader reaches with one click, each changing as little as possible from
// the one before. No document, no engine.
import { sameRequest } from './state.js';

/**
 * @typedef {object} Preset
 * @property {string} name
 * @property {string} [label]  key of its name, where that is not preset_<name>
 * @property {import('./state.js').Request} request
 * @property {string} [view]  opened with it
 */

const first = { schedule: 'forward', ranks: '3', microbatches: '4' };
const training = { schedule: 'gpipe', ranks: '4', microbatches: '8' };

/** @type {Preset[]} */
export const PRESETS = [
    { name: 'forward', label: 'schedule_forward', request: first },
    { name: 'uneven', request: { ...first, forward: '1 2 1' } },
    { name: 'gpipe', request: training },
    { name: 'recompute', request: { ...training, recompute: 'late' } },
    { name: '1f1b', label: 'schedule_1f1b', request: { ...training, schedule: '1f1b' } },
    {
        name: 'interleaved',
        label: 'schedule_interleaved',
        request: { ...training, schedule: 'interleaved', chunks: '2' },
    },
    { name: 'zero-bubble', request: { ...training, schedule: 'zb-h2' } },
    { name: 'slow-network', request: { ...training, schedule: '1f1b', latency: '1' } },
    {
        name: 'failure',
        request: { ...training, schedule: '1f1b', 'fail-rank': '2', 'fail-step': '3', 'checkpoint-every': '4' },
        view: 'failure',
    },
    { name: 'batch', request: { ...training, schedule: '1f1b', 'global-batch': '32' }, view: 'batch' },
    { name: 'compare', request: { ...training, schedule: '1f1b' }, view: 'compare' },
];

/** @param {string | null} name */
export const presetNamed = (name) => PRESETS.find((preset) => preset.name === name);

/** The step a figure stands at. @param {import('./state.js').Request} request @param {string | null} view */
export const presetOf = (request, view) =>
    PRESETS.find(
        (preset) => sameRequest(preset.request, request) && (preset.view === 'compare') === (view === 'compare'),
    );
