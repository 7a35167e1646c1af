// The sentence over the chart, its numbers to be edited where they stand.
import { html } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { countOf, headline, scheduleName } from '../scene/format.js';
import { textOf } from '../words/strings.js';
import { said } from './said.js';
import { Scrub } from './scrub.js';

/** @typedef {import('../scene/format.js').Part} Part */

/**
 * What can still be said while the core refuses the setting: its numbers, and nothing that follows from them.
 * @param {Record<string, string | null>} request @param {string} lang @param {import('../engine/types.js').Stall | null} stall
 * @returns {Part[]}
 */
function refusedParts(request, lang, stall) {
    // A file has its own p and m, which nobody asked for.
    const number = (/** @type {string} */ option) => request[option] ?? String(stall?.config[option] ?? '');
    const values = {
        '{p}': { text: number('ranks'), option: 'ranks' },
        '{m}': { text: number('microbatches'), option: 'microbatches' },
    };
    return textOf(lang, stall ? 'headline_stalled' : 'headline_refused')
        .split(/(\{\w\})/)
        .filter(Boolean)
        .map((piece) => values[/** @type {keyof typeof values} */ (piece)] ?? { text: piece });
}

/** Label and noun of a number in the sentence. @param {string} option @param {boolean} chunked */
function wordsOf(option, chunked) {
    if (option === 'ranks') return chunked ? ['label_ranks_chunks', 'device'] : ['label_ranks', 'stage'];
    return [`label_${option}`, option === 'chunks' ? 'stage' : 'microbatch'];
}

export class Sentence {
    #change;
    #update;
    /** @type {Record<string, Scrub>} */
    #scrubs = {};

    /** @param {(option: string, value: string) => void} change @param {() => void} update */
    constructor(change, update) {
        this.#change = change;
        this.#update = update;
    }

    /** @param {string} option */
    #scrub(option) {
        this.#scrubs[option] ??= new Scrub((value) => this.#change(option, value), this.#update);
        return this.#scrubs[option];
    }

    /**
     * @param {{ simulation: import('../engine/types.js').Simulation | null, request: Record<string, string | null>, lang: string,
     *           others: Parameters<typeof headline>[2], editable: (option: string) => boolean,
     *           limits: (option: string) => { min: number, max: number }, named: boolean, stall: import('../engine/types.js').Stall | null }} state  named: the name of the
     *     schedule stands above already
     */
    render({ simulation, request, lang, others, editable, limits, named, stall }) {
        const chunked = simulation !== null && simulation.config.chunks > 1;
        const parts = simulation ? headline(simulation, lang, others) : refusedParts(request, lang, stall);
        const name = simulation ? `${scheduleName(simulation.config.schedule, lang)}: ` : '';
        if (named && parts[0].text.startsWith(name)) parts[0].text = parts[0].text.slice(name.length);
        const hint = textOf(lang, 'scrub_hint');
        // A field keeps its node, and with it the focus, whatever words come and go around it.
        let after = 'start';
        const keyed = parts.map((part, i) => {
            const key =
                part.option ?? `${after}${part.strong ? '-strong' : ''}${i > 0 && parts[i - 1].strong ? '-on' : ''}`;
            after = part.option ?? after;
            return { key, part };
        });
        return html`<p class="sentence" part="sentence">${repeat(
            keyed,
            ({ key }) => key,
            ({ part }) => {
                if (part.strong) return html`<strong .textContent=${part.text}></strong>`;
                if (!part.option || !editable(part.option)) return said(part.text);
                const value = request[part.option] ?? String(part.value ?? part.text);
                const [label, noun] = wordsOf(part.option, chunked);
                return this.#scrub(part.option).render({
                    value,
                    ...limits(part.option),
                    label: textOf(lang, label),
                    valueText: countOf(Number(value) || 0, lang, noun),
                    hint,
                });
            },
        )}</p>`;
    }
}
