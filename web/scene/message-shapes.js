// Messages between ranks, as lines from row to row.
import { messages, messageTo } from '../engine/relations.js';
import { isRowShown, rowTop, timeToX } from './geometry.js';
import { round } from './shapes.js';

/**
 * @typedef {import('../engine/types.js').Simulation} Simulation
 * @typedef {import('./scene.js').Shape} Shape
 * @typedef {import('./scene.js').Scene} Scene
 */

const MAX_TRANSFERS = 400;
/** @param {number} x0 @param {number} y0 @param {number} x1 @param {number} y1 */
export const stroke = (x0, y0, x1, y1) => `M${round(x0)} ${round(y0)}L${round(x1)} ${round(y1)}`;

/** @param {Scene} scene @param {Simulation} simulation @returns {Shape[]} */
export function transferShapes(scene, simulation) {
    const { actions, config } = simulation;
    const all = scene.view
        ? Array.from(scene.shown, (to) => messageTo(simulation, to)).flatMap((message) =>
              message && message.sent >= scene.plot.origin && isRowShown(scene, actions.rank[message.from])
                  ? [message]
                  : [],
          )
        : messages(simulation);
    const every = Math.max(1, Math.ceil(all.length / MAX_TRANSFERS));
    const shown = every === 1 ? all : all.filter(({ to }) => actions.microbatch[to] % every === 0);
    const { height, pitch } = scene.rows;
    const lane = pitch - height;
    const reach = Math.min(3, lane * 0.75, height / 6);
    let strokes = '';
    let bars = '';
    for (const { from, to, sent, arrived } of shown) {
        const x0 = timeToX(scene, sent);
        const x1 = timeToX(scene, arrived);
        const a = actions.rank[from];
        const b = actions.rank[to];
        // Forwards go on to the next stage, down the chart; gradients go up. From the last rank to the first (or back)
        // a message leaves the chart at one edge and comes in at the other.
        const wraps = Math.abs(a - b) > 1 && config.stages > config.ranks;
        const down = wraps ? b < a : b > a;
        const leave = rowTop(scene, a) + (down ? height : 0);
        const enter = rowTop(scene, b) + (down ? 0 : height);
        const sign = down ? 1 : -1;
        if (arrived > sent && !wraps) bars += stroke(x0, leave, x1, enter);
        else if (arrived > sent) {
            const half = (x1 - x0) / 2;
            const out = sign * Math.min(6, Math.max(lane, 5)); // below the bracket, above the axis
            bars += stroke(x0, leave, x0 + half, leave + out) + stroke(x1 - half, enter - out, x1, enter);
        } else if (!wraps) strokes += stroke(x0 - reach, leave - sign * reach, x0 + reach, enter + sign * reach);
        else {
            const near = sign * reach;
            strokes += stroke(x0 - reach, leave - near, x0 + reach, leave + near);
            strokes += stroke(x0 - reach, enter - near, x0 + reach, enter + near);
        }
    }
    /** @type {Shape[]} */
    const shapes = [];
    if (strokes) shapes.push({ type: 'path', class: 'pf-message', d: strokes, fill: 'none', stroke: 'currentColor' });
    if (bars) shapes.push({ type: 'path', class: 'pf-message-bar', d: bars, fill: 'none', stroke: 'currentColor' });
    return shapes;
}
