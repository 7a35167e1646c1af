// What the classes of a chart mean.
import { KINDS } from '../engine/step.js';
import { FORWARD, INPUT_GRADIENT, OPS } from '../words/ops.js';
import { textOf } from '../words/strings.js';
import { cellClass, kindMark, onCellClass } from './cell-shapes.js';
import { boxPath, round, textShape, textWidth } from './shapes.js';

/**
 * @typedef {import('../engine/types.js').Simulation} Simulation
 * @typedef {import('./scene.js').Shape} Shape
 * @typedef {import('./scene.js').Scene} Scene
 */

/**
 * What the picture shows, in the order of a legend: class of the sample and its name.
 * @param {Simulation} simulation @param {string} lang @param {{ transfers?: boolean }} [options]
 * @returns {{ key: string, class: string, label: string }[]}
 */
export function legendEntries(simulation, lang, options = {}) {
    const { kinds } = simulation;
    const entries = [];
    for (let op = 0; op < OPS.length; op++) {
        if (!(kinds & (1 << op))) continue;
        const letter = OPS[op];
        // Beside halves, a whole backward says that it is whole.
        const whole = letter === 'B' && kinds & (1 << INPUT_GRADIENT) ? '_whole' : '';
        entries.push({ key: letter, class: cellClass(op, 0), label: textOf(lang, `legend_${letter}${whole}`) });
    }
    /** @param {number} bit @param {string} key @param {string} name @param {string} [label] */
    const entry = (bit, key, name, label = `legend_${key}`) => {
        if (kinds & bit) entries.push({ key, class: name, label: textOf(lang, label) });
    };
    entry(KINDS.chunks, 'chunk', 'pf-cell pf-F pf-odd');
    entry(KINDS.wait, 'idle', 'pf-idle');
    entry(KINDS.wire, 'wire', 'pf-idle-wire');
    if (options.transfers !== false) {
        entry(KINDS.message, 'message', 'pf-message', kinds & 6 ? 'legend_message' : 'legend_message_forward');
    }
    return entries;
}

/** Lays the legend out in lines. @param {Scene} scene @param {Simulation} simulation @param {boolean} transfers */
export function legendShapes(scene, simulation, transfers) {
    const size = 12.5;
    const line = 22;
    let x = 0;
    let y = scene.height + 16;
    /** @type {Shape[]} */
    const shapes = [];
    for (const { key, class: name, label } of legendEntries(simulation, scene.lang, { transfers })) {
        const width = 20 + textWidth(label, size);
        if (x > 0 && x + width > scene.width) {
            x = 0;
            y += line;
        }
        if (key === 'message') {
            const d = `M${round(x + 3)} ${y - 10}l8 11`;
            shapes.push({ type: 'path', class: name, d, fill: 'none', stroke: 'currentColor' });
        } else {
            const of = key === 'idle' || key === 'wire' ? key : /^[BIWR]$/.test(key) ? key : '';
            const fill = of === '' ? 'none' : `url(#${scene.idPrefix}-${of})`;
            shapes.push({
                type: 'path',
                class: name,
                d: boxPath(x + 0.5, y - 10, 13, 12, 2),
                fill,
                stroke: 'currentColor',
            });
            const mark = kindMark(key, { x: x + 0.5, y: y - 10, w: 13, h: 12 });
            if (mark) shapes.push(mark);
            if (key === 'chunk')
                shapes.push({
                    type: 'path',
                    class: `pf-chunk ${onCellClass(FORWARD, 1)}`,
                    d: boxPath(x + 3, y - 2, 8, 2.5, 0),
                });
        }
        shapes.push(textShape(x + 20, y, label, 'pf-legend', size));
        x += width + 16;
    }
    return { shapes, height: y + 8 };
}
