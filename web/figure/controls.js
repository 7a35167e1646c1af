// Sliders, choices and fields that set options of the request. What they offer comes from the core: names, limits, which
// option has a meaning. Values go out as the reader gave them.
import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import { PRESETS } from '../request/presets.js';
import { asked, listWith } from '../request/state.js';
import { countOf, scheduleName } from '../scene/format.js';
import { hasText, textOf } from '../words/strings.js';

/**
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('../engine/types.js').Simulation} Simulation
 *
 * @typedef {object} ControlState
 * @property {Engine} engine
 * @property {Simulation} known  the last one the core accepted: what a field shows when nothing was asked for
 * @property {Record<string, string | null>} request
 * @property {boolean} refused  the request is not the one of `known`
 * @property {string} lang
 * @property {(option: string) => boolean} shows  may the reader change it
 * @property {(option: string) => number} reach  how far a slider goes
 * @property {(option: string, value: string) => void} change
 * @property {(option: string, value: string) => void} slide  the same from a slider, which stops at legal values only
 */

/** Schedules that the chapter explains; the others are known from papers. */
const CHAPTER = ['forward', 'naive', 'gpipe', '1f1b', 'interleaved', 'zb-h2'];

/** Stages with a field each; more share one field. */
const COST_FIELDS = 16;

/** @param {Event} event */
const textIn = (event) => /** @type {HTMLInputElement | HTMLSelectElement} */ (event.target).value;

/** A number as a field shows it: in the reader's notation, never grouped. @param {number} value @param {string} lang */
const plain = (value, lang) => (lang === 'ru' ? String(value).replace('.', ',') : String(value));

/** @param {ControlState} state @param {string} option */
const optionOf = ({ engine }, option) =>
    /** @type {Engine['options'][0]} */ (engine.options.find(({ name }) => name === option));

/** @param {ControlState} state */
export function scheduleOf({ engine, request, known, refused }) {
    const of = (/** @type {string | null} */ name) => engine.schedules.find((schedule) => schedule.name === name);
    return (refused && of(request.schedule)) || of(known.config.schedule) || engine.schedules[0];
}

// ---- the row that is always there ----

/** @param {ControlState} state @param {string} option @param {string} label @param {string} noun */
function slider(state, option, label, noun) {
    if (!state.shows(option)) return nothing;
    const { request, known, lang } = state;
    const text = request[option] ?? String(known.config[option]);
    const number = Number(text);
    const value = Number.isFinite(number) ? number : known.config[option];
    return html`<label class="slider" data-option=${option}>
        <span class="label">${textOf(lang, label)}</span>
        <input type="range" min=${optionOf(state, option).min} max=${state.reach(option)} step="1" .value=${live(String(value))}
            aria-valuetext=${countOf(value, lang, noun)} @input=${(/** @type {Event} */ event) => state.slide(option, textIn(event))}>
        <span class="value" aria-hidden="true">${text}</span>
    </label>`;
}

// ---- steps of the chapter ----

/** Arrow keys move along a row of buttons that is one tab stop. @param {KeyboardEvent} event */
function onPresetKey(event) {
    const row = /** @type {HTMLElement} */ (event.currentTarget);
    const buttons = /** @type {HTMLElement[]} */ ([...row.children]);
    const at = buttons.indexOf(/** @type {HTMLElement} */ (event.target));
    const last = buttons.length - 1;
    const next = { ArrowRight: at + 1, ArrowDown: at + 1, ArrowLeft: at - 1, ArrowUp: at - 1, Home: 0, End: last }[
        event.key
    ];
    if (next === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const target = buttons[(next + buttons.length) % buttons.length];
    for (const button of buttons) button.tabIndex = button === target ? 0 : -1;
    target.focus();
}

/** @param {string} lang @param {string | undefined} present @param {(name: string) => void} take */
export function presetSteps(lang, present, take) {
    const entry = present ?? PRESETS[0].name;
    return html`<div class="presets" part="presets" role="toolbar" aria-label=${textOf(lang, 'presets')} @keydown=${onPresetKey}>${PRESETS.map(
        ({ name, label }) =>
            html`<button type="button" class="preset" data-preset=${name} tabindex=${live(name === entry ? '0' : '-1')}
                aria-current=${name === present ? 'step' : nothing} @click=${() => take(name)}>${textOf(lang, label ?? `preset_${name}`)}</button>`,
    )}</div>`;
}

/** @param {ControlState} state */
export function scheduleChoice(state) {
    if (!state.shows('schedule')) return nothing;
    const { engine, lang } = state;
    const chosen = scheduleOf(state).name;
    const file = state.known.config.schedule === 'file';
    const known = engine.schedules.filter(({ name }) => CHAPTER.includes(name));
    const papers = engine.schedules.filter(({ name }) => !CHAPTER.includes(name));
    const choice = (/** @type {{ name: string }} */ { name }) =>
        html`<option value=${name} ?selected=${!file && name === chosen}>${scheduleName(name, lang)}</option>`;
    return html`<label class="schedule-choice" data-option="schedule"><span class="unseen">${textOf(lang, 'label_schedule')}</span>
        <select .value=${live(file ? 'file' : chosen)} @change=${(/** @type {Event} */ event) => state.change('schedule', textIn(event))}>${file ? html`<option value="file" selected>${scheduleName('file', lang)}</option>` : nothing}
            <optgroup label=${textOf(lang, 'schedules_chapter')}>${known.map(choice)}</optgroup>
            <optgroup label=${textOf(lang, 'schedules_papers', papers.length)}>${papers.map(choice)}</optgroup>
        </select></label>`;
}

/** Half ticks: from none to as long as a backward. */
const LATENCY = { max: 3, step: 0.5 };

/** How long a transfer takes, the same on every hop. @param {ControlState} state */
function latencySlider(state) {
    if (!state.shows('latency')) return nothing;
    const { known, lang } = state;
    const value = known.costs.latency[0] ?? 0;
    const set = (/** @type {Event} */ event) => state.change('latency', textIn(event) === '0' ? '' : textIn(event));
    return html`<label class="slider" data-option="latency">
        <span class="label">${textOf(lang, 'label_latency')}</span>
        <input type="range" min="0" max=${LATENCY.max} step=${LATENCY.step} .value=${live(String(value))}
            aria-valuetext=${countOf(value, lang, 'tick')} @input=${set}>
        <span class="value" aria-hidden="true">${plain(value, lang)}</span>
    </label>`;
}

/** What stays the same while m is changed: the micro-batch, or the batch. @param {ControlState} state */
function holdSwitch(state) {
    if (!state.shows('hold')) return nothing;
    const { lang } = state;
    const held = asked(state.request)['costs-of'];
    const choice = (/** @type {string} */ of, /** @type {string} */ key) =>
        html`<button type="button" class="action" aria-pressed=${held === of} data-hold=${of} @click=${() => state.change('costs-of', of === 'device' ? '' : of)}>${textOf(lang, key)}</button>`;
    return html`<span class="buttons hold" role="group" aria-label=${textOf(lang, 'hold')}><span class="label">${textOf(lang, 'hold')}</span>${choice('device', 'hold_microbatch')}${choice('batch', 'hold_batch')}</span>`;
}

/** @param {ControlState} state */
export function mainControls(state) {
    const several = state.known.config.chunks > 1;
    return [
        slider(state, 'ranks', several ? 'label_ranks_chunks' : 'label_ranks', several ? 'device' : 'stage'),
        slider(state, 'microbatches', 'label_microbatches', 'microbatch'),
        latencySlider(state),
        holdSwitch(state),
    ];
}

/** A button for a nearest legal choice. @param {Engine} engine @param {import('../engine/types.js').Fix} fix @param {string} lang */
export const fixButton = (engine, fix, lang) =>
    textOf(lang, fix.value === '' ? 'fix_remove' : 'fix', fixText(engine, fix, lang));

/**
 * A nearest legal choice in the words of the controls: "m = 8", "1F1B".
 * @param {Engine} engine @param {import('../engine/types.js').Fix} fix @param {string} lang
 */
export function fixText(engine, { option, value }, lang) {
    if (option === 'schedule') return scheduleName(value, lang);
    const known = engine.options.find(({ name }) => name === option);
    if (value === '') return hasText(`label_${option}`) ? textOf(lang, `label_${option}`) : known?.letter || option;
    if (known?.kind === 'E') return `${textOf(lang, `label_${option}`)}: ${textOf(lang, `value_${value}`)}`;
    // Readers count devices from 1, the option counts from 0.
    if (option === 'fail-rank') return textOf(lang, 'fix_failing', Number(value) + 1);
    const label = known?.letter || (hasText(`label_${option}`) ? textOf(lang, `label_${option}`) : option);
    return `${label} = ${lang === 'ru' ? value.replace('.', ',') : value}`;
}

// ---- «more…» ----

/** @param {ControlState} state @param {string} option */
function choice(state, option) {
    const { lang, request, known } = state;
    const chosen = asked(request)[option] ?? known.config[option.replaceAll('-', '_')];
    return html`<label class="field" data-option=${option}><span class="label">${textOf(lang, `label_${option}`)}</span>
        <select .value=${live(chosen)} @change=${(/** @type {Event} */ event) => state.change(option, textIn(event))}>${optionOf(
            state,
            option,
        ).names.map(
            (name) =>
                html`<option value=${name} ?selected=${name === chosen}>${textOf(lang, `value_${name}`)}</option>`,
        )}</select></label>`;
}

/** @param {ControlState} state @param {string} option @param {string} shown @param {string} [hint] */
function field(state, option, shown, hint) {
    return html`<label class="field" data-option=${option}><span class="label">${textOf(state.lang, `label_${option}`)}</span>
        <input class="short" type="text" inputmode="decimal" autocomplete="off" title=${hint ?? nothing}
            .value=${state.refused ? (state.request[option] ?? shown) : live(shown)}
            @change=${(/** @type {Event} */ event) => state.change(option, textIn(event))}></label>`;
}

/** A list as one field shows it: one number where all are equal. @param {ArrayLike<number>} list @param {string} lang */
function listText(list, lang) {
    const shown = Array.from(list, (value) => plain(value, lang));
    return shown.every((value) => value === shown[0]) ? (shown[0] ?? '') : shown.join('; ');
}

/** One field a stage. @param {ControlState} state @param {string} option @param {ArrayLike<number>} list */
function costRow(state, option, list) {
    const { lang } = state;
    const label = textOf(lang, `label_${option}`);
    return html`<div class="cost-row" role="group" aria-label=${label} data-option=${option}><span class="label">${label}</span><div class="costs">${Array.from(
        list,
        (value, stage) => html`<label class="cost"><span>${textOf(lang, 'costs_stage', stage + 1)}</span>
            <input type="text" inputmode="decimal" autocomplete="off" data-stage=${stage}
                .value=${state.refused ? plain(value, lang) : live(plain(value, lang))}
                @change=${(/** @type {Event} */ event) => state.change(option, listWith(list, stage, textIn(event)))}></label>`,
    )}</div></div>`;
}

/** @param {ControlState} state */
export function moreControls(state) {
    const { lang, known } = state;
    const schedule = scheduleOf(state);
    const used = (/** @type {string} */ option) => schedule.options.includes(option) && state.shows('more');
    const several = schedule.chunksMax > schedule.chunksMin;
    const stages = known.costs.forward.length;
    const costs = ['forward', ...(schedule.trains ? ['backward'] : [])];
    const hint = textOf(lang, 'costs_hint');
    return html`<div class="more" role="group" aria-label=${textOf(lang, 'more_title')}>
        <div class="fields">
            ${several ? field(state, 'chunks', String(known.config.chunks)) : nothing}
            ${used('group') ? field(state, 'group', String(known.config.group || '')) : nothing}
            ${used('group') ? choice(state, 'dialect') : nothing}
            ${used('placement') && known.config.chunks > 1 ? choice(state, 'placement') : nothing}
            ${used('pipes') ? field(state, 'pipes', String(known.config.pipes)) : nothing}
            ${used('slices') ? field(state, 'slices', String(known.config.slices)) : nothing}
            ${used('memory-limit') ? field(state, 'memory-limit', String(known.config.memory_limit)) : nothing}
            ${used('extra-warmup') ? field(state, 'extra-warmup', String(known.config.extra_warmup)) : nothing}
            ${used('warmup-factor') ? field(state, 'warmup-factor', String(known.config.warmup_factor)) : nothing}
            ${used('backward-order') ? choice(state, 'backward-order') : nothing}
            ${used('recompute') ? choice(state, 'recompute') : nothing}
            ${used('recompute') && known.config.recompute !== 'none' ? field(state, 'recompute-cost', listText(known.costs.recompute, lang), hint) : nothing}
        </div>
        <p class="fields-title">${textOf(lang, 'costs_title')}</p>
        ${costs.map((option) =>
            stages <= COST_FIELDS
                ? costRow(state, option, known.costs[option])
                : field(state, option, listText(known.costs[option], lang), hint),
        )}
        <div class="fields">
            ${field(state, 'latency', listText(known.costs.latency.slice(0, -1), lang), hint)}
            ${used('transfer') ? choice(state, 'transfer') : nothing}
            ${several ? choice(state, 'costs-of') : nothing}
        </div>
    </div>`;
}
