// The figure as an anywidget: Jupyter, marimo, Colab, and the anywidget directive of MyST. Traits of the model are the
// attributes of the element, written with _ or -; what a reader changes goes back into the model.
import './index.js';
import { OPTIONS } from '../request/state.js';

const ATTRIBUTES = [...OPTIONS, 'lang', 'theme', 'controls', 'readonly'];

/**
 * @typedef {object} Model
 * @property {(name: string) => any} get
 * @property {(name: string, value: any) => void} [set]
 * @property {() => void} [save_changes]
 * @property {(event: string, callback: () => void) => void} [on]
 * @property {(event: string, callback: () => void) => void} [off]
 */

/** The name a model knows an attribute by, undefined where it does not. @param {Model} model @param {string} attribute */
function traitOf(model, attribute) {
    return [attribute.replaceAll('-', '_'), attribute].find((name) => model.get(name) !== undefined);
}

/** @param {{ model: Model, el: HTMLElement }} place @returns {() => void} ends it */
function render({ model, el }) {
    const figure = document.createElement('pipeline-figure');
    /** @type {(() => void)[]} */
    const ends = [];
    for (const attribute of ATTRIBUTES) {
        const trait = traitOf(model, attribute);
        if (trait === undefined) continue;
        const take = () => {
            const value = model.get(trait);
            const text = Array.isArray(value) ? value.join(' ') : value === true ? '' : value;
            if (text === null || text === undefined || text === false) figure.removeAttribute(attribute);
            else figure.setAttribute(attribute, String(text));
        };
        take();
        model.on?.(`change:${trait}`, take);
        ends.push(() => model.off?.(`change:${trait}`, take));
    }
    figure.addEventListener('pipeline-change', (event) => {
        const { state } = /** @type {CustomEvent} */ (event).detail;
        for (const option of OPTIONS) {
            const trait = traitOf(model, option);
            if (trait === undefined) continue;
            // A number stays a number: traits have types.
            const value = typeof model.get(trait) === 'number' ? Number(state[option]) : (state[option] ?? null);
            if (value !== model.get(trait)) model.set?.(trait, value);
        }
        model.save_changes?.();
    });
    el.append(figure);
    return () => {
        for (const end of ends) end();
        figure.remove();
    };
}

export default { render };
