// What is read off the chart: the legend, the four numbers, the formula with the present numbers in it.
import { html, nothing, svg } from 'lit';
import { kindMark, onCellClass } from '../scene/cell-shapes.js';
import { exactFraction, formatPercent, formatShare, formula, keyNumbers } from '../scene/format.js';
import { legendEntries } from '../scene/legend.js';
import { renderMath } from '../scene/svg.js';
import { FORWARD } from '../words/ops.js';
import { textOf } from '../words/strings.js';
import { said } from './said.js';

/** @typedef {import('../engine/types.js').Simulation} Simulation */

/** @param {Simulation} simulation @param {string} lang @param {string} idPrefix  of the chart, whose patterns are used */
export function legend(simulation, lang, idPrefix) {
    return html`<ul class="legend" part="legend">${legendEntries(simulation, lang).map(
        ({ key, class: name, label }) =>
            html`<li><svg class="pf-scene" viewBox="0 0 16 14" width="16" height="14" aria-hidden="true">${
                key === 'message'
                    ? svg`<path class=${name} d="M4 2l8 11" fill="none" stroke="currentColor" />`
                    : svg`<rect class=${name} x="1" y="1" width="14" height="12" rx="1.5" fill=${fillOf(key, idPrefix)} stroke="currentColor" />`
            }${markOf(key)}${key === 'chunk' ? svg`<rect class="pf-chunk ${onCellClass(FORWARD, 1)}" x="3" y="9" width="9" height="2.5" />` : nothing}</svg>${label}</li>`,
    )}</ul>`;
}

/** @param {string} key */
function markOf(key) {
    const mark = kindMark(key, { x: 1.5, y: 1.5, w: 13, h: 11 });
    return mark
        ? svg`<path class=${mark.class} d=${mark.d} fill="none" stroke="currentColor" stroke-dasharray=${mark['stroke-dasharray']} />`
        : nothing;
}

/** @param {string} key @param {string} idPrefix */
const fillOf = (key, idPrefix) => (/^(B|I|W|R|idle|wire)$/.test(key) ? `url(#${idPrefix}-${key})` : 'none');

/** Switches of the numbers: percent instead of fractions, the ratio instead of the fraction of the bubble. */
export class Numbers {
    #update;
    #percent = false;
    #ratio = false;

    /** @param {() => void} update */
    constructor(update) {
        this.#update = update;
    }

    /** The ratio is shown. */
    get ratio() {
        return this.#ratio;
    }

    /** @param {Simulation} simulation @param {string} lang @param {import('../scene/format.js').Others} [others] */
    render(simulation, lang, others) {
        const { summary } = simulation;
        const toggle = (/** @type {'percent' | 'ratio'} */ which) => () => {
            if (which === 'percent') this.#percent = !this.#percent;
            else this.#ratio = !this.#ratio;
            this.#update();
        };
        const numbers = keyNumbers(simulation, lang, others).map((number) => {
            if (number.id !== 'bubble_fraction' || !this.#ratio) return number;
            return {
                id: 'bubble_ratio',
                label: textOf(lang, 'bubble_other'),
                value: formatShare(summary, 'bubble_ratio', lang),
                percent: formatPercent(summary.bubble_ratio, lang),
            };
        });
        const press = (/** @type {'percent' | 'ratio'} */ which, /** @type {boolean} */ pressed) =>
            html`<button type="button" class="switch" aria-pressed=${pressed} @click=${toggle(which)}>${textOf(lang, `numbers_${which}`)}</button>`;
        const exact = exactFraction(summary, 'utilization') !== null;
        return html`<dl class="numbers" part="numbers">${numbers.map(
            ({ id, label, value, percent, before }) => html`<div data-number=${id}>
                <dt>${said(label)}</dt>
                <dd translate="no">${this.#percent ? (percent ?? value) : value}${before === undefined ? nothing : html` <s aria-hidden="true">${before}</s><span class="unseen">${textOf(lang, 'figure_before', before)}</span>`}</dd>
            </div>`,
        )}</dl>
        <p class="numbers-note">${exact ? press('percent', this.#percent) : nothing} ${press('ratio', this.#ratio)}
            ${this.#ratio ? textOf(lang, 'numbers_ratio_is') : nothing}</p>`;
    }
}

/** The last formula set, so that its nodes are made again only when it changes. */
export class Formula {
    #text = '';
    /** @type {Element | null} */
    #node = null;

    /** @param {Simulation} simulation @param {string} lang @param {boolean} ratio */
    render(simulation, lang, ratio) {
        const { math, text, words, note } = formula(simulation, lang, ratio);
        if (text !== this.#text || this.#node === null) {
            this.#text = text;
            this.#node = renderMath(math, document);
            this.#node.setAttribute('alttext', text);
            // Large as a displayed formula, but at the left margin like the sentences around it.
            this.#node.removeAttribute('display');
            this.#node.setAttribute('displaystyle', 'true');
        }
        return html`<div class="formula" part="formula">${this.#node}<p>${said(words)} ${said(note)}</p></div>`;
    }
}
