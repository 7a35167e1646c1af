// The axis of time under a chart.

import { formatNumber } from '../words/numbers.js';
import { textOf } from '../words/strings.js';
import { timeToX } from './geometry.js';
import { round, textShape, textWidth } from './shapes.js';

/**
 * @typedef {import('./scene.js').Shape} Shape
 * @typedef {import('./scene.js').Scene} Scene
 */

/**
 * Round steps of 1, 2 or 5 times a power of ten, at least `pixels` apart.
 * @param {number} scale pixels per tick @param {number} pixels
 */
export function tickStep(scale, pixels) {
    const least = pixels / scale;
    const power = 10 ** Math.floor(Math.log10(least));
    for (const factor of [1, 2, 5]) if (factor * power >= least * (1 - 1e-9)) return factor * power;
    return 10 * power;
}

/** @param {number} x @param {number} y @param {number} length */
const tickMark = (x, y, length) => `M${round(x)} ${round(y)}v${length}`;

/** @param {Scene} scene @param {number} makespan @returns {Shape[]} */
export function axisShapes(scene, makespan) {
    const { plot, lang } = scene;
    const end = plot.span;
    const size = 12 * scene.text;
    /** @param {number} value */
    const label = (value) => formatNumber(value, lang);
    const widest = Math.max(textWidth(label(plot.origin - plot.zero + end), size), textWidth('00', size));
    let step = tickStep(plot.scale, widest + 22);
    // A step of whole ticks where the figure is about whole ticks, unless there is less than one tick to mark.
    if (step < 1 && end >= 2 && plot.scale >= 24) step = 1;
    const y = plot.bottom + 4;
    let marks = '';
    /** @type {Shape[]} */
    const labels = [];
    /** @param {number} time @param {string} name */
    const put = (time, name) => {
        const x = timeToX(scene, plot.zero + time);
        marks += tickMark(x, y, 5);
        labels.push(textShape(x, y + 6 + size, label(time), name, size, 'middle'));
    };
    const clear = (textWidth(label(makespan), size) + widest) / 2 + 10;
    const zero = plot.zero;
    const begin = plot.origin - zero;
    for (let k = Math.ceil((begin / step) * (1 - 1e-9)); k * step <= (begin + end) * (1 + 1e-9); k++) {
        const time = k * step;
        if (Math.abs(time - makespan) * plot.scale < clear && time !== makespan) continue;
        if (time !== makespan) put(time, 'pf-tick');
    }
    if (makespan <= (begin + end) * (1 + 1e-9)) put(makespan, 'pf-tick pf-tick-last');
    // What the numbers count, where there is room under the names of the devices.
    const name = textOf(lang, 'axis_ticks');
    if (textWidth(name, size) + 10 <= plot.left) labels.push(textShape(0, y + 6 + size, name, 'pf-axis-name', size));
    labels.unshift({ type: 'path', class: 'pf-axis', d: marks, fill: 'none', stroke: 'currentColor' });
    return labels.map((shape) => ({ ...shape, part: 'axis' }));
}
