// Two steps of the chapter that look beyond one undisturbed step: a device that fails, and what cutting a batch does to its
// samples. Parts of teaching.js.
import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { peaksOf, trySimulate } from '../request/try-simulate.js';
import { wholeRows } from '../scene/cells.js';
import { countOf, formatNumber, formatShare } from '../scene/format.js';
import { timeToX } from '../scene/geometry.js';
import { buildScene } from '../scene/scene.js';
import { textOf } from '../words/strings.js';

/**
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('../engine/types.js').Simulation} Simulation
 * @typedef {import('./teaching.js').Setting} Setting
 * @typedef {NonNullable<Simulation['failure']>} Failure
 */

/** Micro-batches that a batch is tried with, where it divides. */
const CUTS = ['1', '2', '4', '8', '16', '32', '64'];

// ---- a device fails ----

/** The ways of going on that are known here, the usual one first. @param {Failure['policies']} policies */
const inOrder = (policies) =>
    ['checkpoint', 'spare', 'restart'].flatMap((way) => policies.filter(({ name, known }) => known && name === way));

export class Incident {
    /** @type {{ of: Simulation, failure: Failure | null, message: string, spare: Simulation | null } | null} */
    #known = null;

    /** What the core says of the failure, and the step with the spare device. @param {Setting} setting */
    of({ engine, simulation, request }) {
        if (this.#known?.of === simulation) return this.#known;
        const { simulation: answer, error } = trySimulate(engine, request, null, { failure: true });
        const failure = answer?.failure ?? null;
        const known = failure?.policies.some(({ name, known }) => name === 'spare' && known);
        const spare = failure && known ? wholeRows(simulation, failure) : null;
        this.#known = { of: simulation, failure, message: error?.message ?? '', spare };
        return this.#known;
    }

    /** Time that the chart beside reaches to. @param {Setting} setting */
    span(setting) {
        return Math.max(setting.simulation.summary.makespan, ...(this.of(setting).spare?.actions.finish ?? []));
    }

    /** When it fails, null where that was refused. @param {Setting} setting */
    time(setting) {
        return this.of(setting).failure?.time ?? null;
    }

    /** @param {Setting} setting */
    render(setting) {
        const { lang, simulation, change, request } = setting;
        const { failure, spare, message } = this.of(setting);
        const rank = Number(request['fail-rank']);
        const time = failure?.time ?? simulation.summary.makespan;
        const t = (/** @type {string} */ key, /** @type {(string | number)[]} */ ...values) =>
            textOf(lang, key, ...values);
        const at = formatNumber(time, lang);
        const set = (/** @type {string} */ option) => (/** @type {Event} */ event) =>
            change?.({ [option]: /** @type {HTMLInputElement} */ (event.target).value });
        return html`${
            change
                ? html`<div class="fields">
                <label class="field"><span class="label">${t('failure_device')}</span>
                    <select data-fail="rank" .value=${live(String(rank))} @change=${set('fail-rank')}>${simulation.perRank.map(
                        (_, r) => html`<option value=${r} ?selected=${r === rank}>${r + 1}</option>`,
                    )}</select></label>
                <label class="slider"><span class="label">${t('failure_time')}</span>
                    <input type="range" data-fail="time" min="0" max=${simulation.summary.makespan} step="0.5" .value=${live(String(time))}
                        aria-valuetext=${t('play_time', at)} @input=${set('fail-time')}>
                    <span class="value" aria-hidden="true">${at}</span></label>
            </div>`
                : nothing
        }
            ${
                failure
                    ? html`<p>${t('failure_words', rank + 1)}</p>
            <ul>${inOrder(failure.policies).map(
                ({ name, time_lost, actions_lost, steps_redone }) =>
                    html`<li>${t(
                        steps_redone > 0 ? 'failure_policy_steps' : 'failure_policy',
                        t(`failure_${name}`),
                        countOf(time_lost, lang, 'tick'),
                        countOf(actions_lost, lang, 'operation'),
                        countOf(steps_redone, lang, 'step'),
                    )}</li>`,
            )}</ul>`
                    : html`<p class="refusal"><span>${message}</span></p>`
            }
            ${spare ? html`<p>${t('failure_picture')}</p><div class="beside" data-plot="failure"></div>` : nothing}`;
    }

    /** The step with the spare, on the axis of the chart: struck through where the device is not there. @param {Setting} setting @param {import('../scene/scene.js').Scene} scene */
    picture(setting, scene) {
        const { failure, spare } = this.of(setting);
        if (!spare || !failure) return null;
        const { lang, width, simulation } = setting;
        const drawn = buildScene(spare, {
            lang,
            width,
            span: scene.plot.span,
            text: scene.text,
            phases: false,
            idPrefix: `${scene.idPrefix}c`,
        });
        const { rows, plot } = drawn;
        const { start, finish, rank } = simulation.actions;
        const top = plot.top + failure.rank * rows.pitch;
        const y = top + rows.height / 2;
        const at = (/** @type {number} */ time) => timeToX(drawn, time);
        const { lost = [] } = failure.policies.find(({ name }) => name === 'spare') ?? {};
        // What was lost stands where it was done, as an outline.
        const gone = Array.from(lost, (i) =>
            rank[i] === failure.rank && finish[i] <= failure.time
                ? `M${at(start[i]) + 1} ${top + 1}H${at(finish[i]) - 1}V${top + rows.height - 1}H${at(start[i]) + 1}z`
                : '',
        );
        const again = spare.actions.start.filter((begun, i) => rank[i] === failure.rank && begun >= failure.time);
        const [x, back] = [at(failure.time), at(Math.min(plot.span, ...again))];
        const cross = `M${x - 6} ${y - 6}L${x + 6} ${y + 6}M${x - 6} ${y + 6}L${x + 6} ${y - 6}`;
        const d = `${gone.join('')}${cross}${back > x + 8 ? `M${x + 8} ${y}H${back}` : ''}`;
        drawn.shapes.push({ type: 'path', class: 'pf-axis', d });
        return drawn;
    }
}

// ---- the samples of a batch ----

/** @param {Engine} engine @param {import('../request/state.js').Request} request @param {number} samples */
function cutsOf(engine, request, samples) {
    const same = { 'global-batch': String(samples), 'microbatch-size': null, 'costs-of': 'batch' };
    return CUTS.flatMap((microbatches) => {
        const cut = { ...request, ...same, microbatches };
        const { simulation } = trySimulate(engine, cut);
        if (!simulation?.batch) return [];
        // A device with several stages keeps a part of each sample in each of them.
        const held = peaksOf(engine, cut, String(simulation.batch.size / simulation.config.chunks), '0');
        return [{ simulation, held: Math.max(...held) }];
    });
}

/** @param {Setting} setting */
export function batchView({ engine, simulation, request, lang }) {
    const { batch, config } = simulation;
    if (!batch) return nothing;
    const t = (/** @type {string} */ key, /** @type {(string | number)[]} */ ...values) => textOf(lang, key, ...values);
    const samples = (/** @type {number} */ count) => countOf(count, lang, 'sample');
    const words = t('batch_words', samples(batch.global), countOf(config.microbatches, lang, 'microbatch'), batch.size);
    return html`<p>${words} ${t('batch_same')} ${batch.size < batch.global ? t('batch_norm', samples(batch.size), batch.global) : nothing}</p>
        <div class="scroller" role="group" tabindex="0" aria-label=${t('batch_table')}><table class="numbers-table cuts">
            <caption class="unseen">${t('batch_table')}</caption>
            <thead><tr><th scope="col">${t('label_microbatches')}</th><th scope="col">${t('batch_size')}</th><th scope="col">${t('batch_time')}</th><th scope="col">${t('figure_bubble')}</th><th scope="col">${t('batch_held')}</th></tr></thead>
            <tbody>${cutsOf(engine, request, batch.global).map(
                ({
                    simulation: cut,
                    held,
                }) => html`<tr aria-current=${cut.config.microbatches === config.microbatches ? 'true' : nothing}>
                <th scope="row">${cut.config.microbatches}</th><td>${cut.batch?.size}</td><td>${formatNumber(cut.summary.makespan, lang)}</td><td>${formatShare(cut.summary, 'bubble_fraction', lang)}</td><td>${formatNumber(held, lang)}</td></tr>`,
            )}</tbody>
        </table></div>`;
}
