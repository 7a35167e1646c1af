// The figure as a picture: sentence, controls, chart, readings and views, one under the other. Templates alone: a Figure in,
// HTML out; whatever a reader does goes to figure.act.
import { html, nothing } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { nearestLegalRequest } from '../request/link.js';
import { presetOf } from '../request/presets.js';
import { asked } from '../request/state.js';
import { trySimulate } from '../request/try-simulate.js';
import {
    describeAction,
    describeEarly,
    describeIdle,
    formatNumber,
    scheduleName,
    settingsText,
    title,
} from '../scene/format.js';
import { textOf } from '../words/strings.js';
import { termText } from './challenge.js';
import { fixButton, mainControls, moreControls, presetSteps, scheduleChoice, scheduleOf } from './controls.js';
import { nameOf, withMove } from './order-words.js';
import { legend } from './readings.js';
import { said } from './said.js';
import { isTooLarge } from './stage.js';
import { scheduleTable } from './table.js';
import { prefersStill } from './theme.js';
import { viewsFor } from './views.js';

/**
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('../engine/types.js').Simulation} Simulation
 * @typedef {import('../request/state.js').Request} Request
 * @typedef {import('./controls.js').ControlState} ControlState
 *
 * @typedef {object} Figure  a figure at the moment it is drawn
 * @property {Engine} engine
 * @property {import('./figure-state.js').FigureState} state
 * @property {Request} request
 * @property {string} lang
 * @property {string | null} view  that is open
 * @property {boolean} more  further options are open
 * @property {boolean} printing
 * @property {string | null} predict
 * @property {boolean} readonly
 * @property {Shown} shows
 * @property {ReturnType<import('./report.js').Report['checked']>} checked  conditions of the challenge
 * @property {string} idPrefix
 * @property {import('./stage.js').Stage} stage
 * @property {Parts} parts
 * @property {Act} act
 *
 * @typedef {object} Parts  with a state of their own
 * @property {import('./sentence.js').Sentence} sentence
 * @property {import('./readings.js').Numbers} numbers
 * @property {import('./readings.js').Formula} formula
 * @property {import('./edit-file.js').FileDrop} fileDrop
 * @property {import('./late.js').Late<{ files: import('./files.js').Files, python: import('./python-panel.js').PythonPanel }>} files
 * @property {import('./late.js').Late<import('./training-panel.js').TrainingPanel>} training
 * @property {import('./late.js').Late<import('./teaching.js').Teaching>} teaching
 * @property {import('./late.js').Late<import('./lecture.js').Lecture>} lecture
 * @property {import('./late.js').Late<import('./edit.js').Editing>} editing
 * @property {import('./predict.js').Prediction} prediction
 *
 * @typedef {object} Act  what a reader can do
 * @property {(changes: Request) => void} change  options
 * @property {(name: string) => void} goTo  a step of the chapter
 * @property {(view: string | null) => void} open  a view
 * @property {() => void} toggleMore
 * @property {() => void} toggleEditing
 * @property {import('./edit.js').EditSetting['setFile']} setFile
 * @property {(back: boolean) => void} travel  through the changes made
 * @property {(event: KeyboardEvent) => void} keys
 * @property {() => string | null} link  the address of the page with the figure's state, null where it has no place for one
 */

const CONTROLS = ['sentence', 'schedule', 'ranks', 'microbatches', 'chunks', 'more', 'edit', 'views'];
/** Views under the numbers; those that explain the chart stand right under it (teaching.js). */
export const VIEWS = ['table', 'train', 'files'];

/** What the page lets its reader see and change, by the attributes controls, readonly and preset. */
export class Shown {
    #named;
    #readonly;
    /** The buttons of views. */
    views;
    /** The steps of the chapter: where the page names one, or asks for them. */
    presets;
    /** Few parts, named by the page: the chart comes first, and under it what it is about. */
    isLean;
    #parts;
    #views;

    /** @param {{ controls: string | null, readonly: boolean, preset: string | null, parts: string | null, views: string | null }} attributes */
    constructor({ controls, readonly, preset, parts, views }) {
        this.isLean = parts !== null;
        this.#parts = parts?.trim().split(/\s+/);
        this.#views = views?.trim().split(/\s+/);
        this.#named = controls?.trim().split(/\s+/) ?? CONTROLS;
        this.#readonly = readonly;
        this.views = controls === null || this.control('views');
        this.presets = !readonly && (preset !== null || (controls !== null && this.#named.includes('presets')));
    }

    /** @param {string} name  sentence, legend, explanation, numbers, formula */
    part(name) {
        return this.#parts?.includes(name) ?? true;
    }

    /** Those that the reader may open. @param {string[]} views */
    offered(views) {
        return this.views ? views.filter((view) => this.#views?.includes(view) ?? true) : [];
    }

    /** May the reader change it? @param {string} name  of an option or of a group of controls */
    control(name) {
        return !this.#readonly && this.#named.includes(name);
    }
}

/** Has the schedule a backward pass? @param {Engine} engine @param {Simulation} simulation */
export function scheduleTrains(engine, { config, actions }) {
    return engine.schedules.find(({ name }) => name === config.schedule)?.trains ?? actions.op.some((op) => op > 0);
}

/** What the views that explain are made of. @param {Figure} figure @param {Simulation} simulation @returns {import('./teaching.js').Setting} */
export function teachingSetting({ engine, state, request, lang, stage, readonly, shows, act }, simulation) {
    return {
        engine,
        simulation,
        request,
        lang,
        width: stage.width,
        reach: state.reach.microbatches,
        still: prefersStill(),
        drawn: !isTooLarge(simulation),
        microbatch: stage.selection?.kind === 'action' ? simulation.actions.microbatch[stage.selection.index] : -1,
        trains: scheduleTrains(engine, simulation),
        change: readonly ? null : act.change,
        setMicrobatches: shows.control('microbatches') ? (m) => act.change({ microbatches: String(m) }) : null,
    };
}

/** What the parts that are taken hold of are made of. @param {Figure} figure @returns {import('./edit.js').EditSetting} */
export function editSetting({ engine, state, request, lang, stage, act }) {
    return {
        engine,
        simulation: state.simulation,
        stall: state.error?.stall ?? null,
        request,
        lang,
        width: stage.width,
        chart: stage.chart,
        file: state.file,
        setFile: act.setFile,
        change: act.change,
        travel: act.travel,
        canUndo: state.history.canUndo,
        canRedo: state.history.canRedo,
    };
}

/** Larger steps are not looked through for a legal one while a slider moves. */
const SLID_ACTIONS = 100_000;

/**
 * What a slider sets: the value, or where that is refused the nearest that is not, with whatever has to follow.
 * @param {Engine} engine @param {Request} request @param {Request} changes @returns {Request}
 */
function slidTo(engine, request, changes) {
    const wanted = { ...request, ...changes };
    const { error } = trySimulate(engine, wanted);
    if (!error || error.code === 'list-length') return changes; // lists follow by themselves
    const legal = nearestLegalRequest(engine, wanted, SLID_ACTIONS);
    if (!legal) return changes;
    const names = new Set([...Object.keys(wanted), ...Object.keys(legal)]);
    return Object.fromEntries(
        [...names]
            .filter((name) => (legal[name] ?? null) !== (request[name] ?? null))
            .map((name) => [name, legal[name] ?? null]),
    );
}

/** @param {Figure} figure @returns {ControlState} */
function controlState({ engine, state, request, lang, shows, act }) {
    return {
        engine,
        known: /** @type {Simulation} */ (state.known),
        request,
        refused: state.simulation === null,
        lang,
        shows: (option) => shows.control(option),
        reach: (option) => state.reach[option],
        change: (option, value) => act.change({ [option]: value }),
        slide: (option, value) => act.change(slidTo(engine, request, { [option]: value })),
    };
}

/**
 * While the network trains, its curve and the chart stand on one screen: the numbers of the schedule come back afterwards.
 * @param {Figure} figure
 */
const isTraining = ({ view, printing }) => view === 'train' && !printing;

/** @param {Figure} figure */
export function figureView(figure) {
    const { engine, state, request, lang, predict, parts, shows, act } = figure;
    const { simulation } = state;
    if (simulation && parts.prediction.hides(predict) && !figure.printing) {
        return html`<div class="figure" role="group" lang=${lang} aria-label=${title(simulation, lang)}>
            <p class="settings" data-seen>${textOf(lang, 'settings', settingsText(simulation, lang))}</p>
            ${parts.prediction.ask(predict ?? '', simulation, lang)}
            <slot name="caption" part="caption"></slot>
        </div>`;
    }
    const controls = controlState(figure);
    const stall = state.error?.stall;
    const limits = (/** @type {string} */ name) => {
        const { min, max } = /** @type {Engine['options'][0]} */ (
            engine.options.find((option) => option.name === name)
        );
        return { min, max };
    };
    const editable = (/** @type {string} */ option) => shows.control('sentence') && shows.control(option);
    const training = isTraining(figure);
    const label = simulation ? title(simulation, lang) : scheduleName(scheduleOf(controls).name, lang);
    const head = html`
        ${shows.part('sentence') ? parts.sentence.render({ simulation, request, lang, others: { ...state.others, failure: failureOf(figure, simulation) }, editable, limits, named: !shows.presets && shows.control('schedule'), stall: stall ?? null }) : nothing}
        ${simulation ? parts.prediction.verdict(predict, simulation, lang) : nothing}
        ${challengeView(figure)}
        ${controlsView(figure, controls)}`;
    return html`<div class="figure" ?data-lean=${shows.isLean} ?data-training=${training} role="group" lang=${lang} ?data-unanswered=${parts.lecture.here?.hides ?? false} @keydown=${act.keys} ?data-over=${parts.fileDrop.over} aria-label=${label}>
        ${shows.presets ? presetSteps(lang, presetOf(request, figure.view)?.name, act.goTo) : scheduleChoice(controls)}
        ${shows.isLean ? nothing : head}
        ${shows.control('edit') && parts.editing.asked ? parts.editing.render(lang, (editing) => editing.render(editSetting(figure))) : nothing}
        ${simulation ? html`<p class="settings" part="settings">${said(textOf(lang, 'settings', settingsText(simulation, lang)))}</p>` : nothing}
        <div class="stage">
            <div class="chart" part="chart"></div>
            ${simulation || stall ? nothing : refusalView(figure)}
            ${simulation && isTooLarge(simulation) ? html`<p class="note">${textOf(lang, 'chart_too_large', formatNumber(simulation.actions.count, lang))}</p>` : nothing}
        </div>
        ${stall ? parts.editing.render(lang, (editing) => editing.renderStall(editSetting(figure))) : nothing}
        ${shows.isLean ? head : nothing}
        ${simulation ? readingsView(figure, simulation) : nothing}
        ${simulation ? viewsView(figure, simulation) : nothing}
        <slot name="caption" part="caption"></slot>
        ${parts.lecture.here?.render(lang) ?? nothing}
    </div>`;
}

/** @param {Figure} figure @param {ControlState} controls */
function controlsView({ readonly, more, lang, shows, parts, act }, controls) {
    if (readonly) return nothing;
    const offersMore = shows.control('more');
    return html`<div class="controls" part="controls">
            ${shows.presets ? scheduleChoice(controls) : nothing}
            ${mainControls(controls)}
            <span class="toggles">
            ${offersMore ? html`<button type="button" class="link" aria-expanded=${more} title=${textOf(lang, 'more_title')} @click=${act.toggleMore}>${textOf(lang, 'more')}</button>` : nothing}
            ${shows.control('edit') ? html`<button type="button" class="link" data-edit="open" aria-expanded=${(parts.editing.here?.part ?? null) !== null} aria-controls="edit" title=${textOf(lang, 'edit_title')} @click=${act.toggleEditing}>${textOf(lang, 'edit')}</button>` : nothing}
            </span>
        </div>
        ${offersMore && more ? moreControls(controls) : nothing}`;
}

/** @param {Figure} figure */
function challengeView({ checked, lang }) {
    if (!checked) return nothing;
    return html`<div class="challenge" part="challenge">
        <p><strong>${textOf(lang, 'challenge')}</strong> ${textOf(lang, 'challenge_do')}</p>
        <ul>${checked.map(
            (term) =>
                html`<li ?data-holds=${term.holds}>${termText(term, lang)} — <b>${textOf(lang, term.holds ? 'challenge_holds' : 'challenge_fails')}</b></li>`,
        )}</ul>
        ${checked.every(({ holds }) => holds) ? html`<p class="verdict">${textOf(lang, 'challenge_solved')}</p>` : nothing}
    </div>`;
}

/** @param {Figure} figure */
function refusalView({ engine, state, readonly, lang, act }) {
    const error = /** @type {import('../engine/error.js').PipelineError} */ (state.error);
    return html`<div class="refusal" part="refusal" role="alert">
        <p>${error.reader || error.message}</p>
        ${
            readonly
                ? nothing
                : html`<div class="buttons">${error.fixes.map(
                      (fix) =>
                          html`<button type="button" class="action primary" @click=${() => act.change({ [fix.option]: fix.value })}>${fixButton(engine, fix, lang)}</button>`,
                  )}</div>`
        }
    </div>`;
}

/** @param {Figure} figure @param {Simulation} simulation */
function readingsView(figure, simulation) {
    const { state, lang, stage, parts, idPrefix, shows } = figure;
    const { selection, chart } = stage;
    const training = isTraining(figure);
    // A lean figure says nothing of cells before one is chosen.
    const explains = shows.part('explanation') || selection !== null;
    const text = !selection
        ? html`<slot name="hint">${textOf(lang, 'explain_hint')}</slot>`
        : selection.kind === 'action'
          ? said(describeAction(simulation, selection.index, lang))
          : html`${said(describeIdle(simulation, selection.index, lang))} ${earlyView(figure, simulation, selection.index)}`;
    return html`
        ${shows.part('legend') ? guard([simulation, lang], () => legend(simulation, lang, idPrefix)) : nothing}
        <p class="explanation" ?hidden=${!explains} ?data-quiet=${!selection} ?data-used=${stage.used} part="explanation">${explains ? text : nothing}
            ${selection && chart?.pinned ? html`<button type="button" class="link" @click=${() => chart.release()}>${textOf(lang, 'explain_release')}</button>` : nothing}</p>
        ${teachingView(figure, simulation)}
        ${shows.part('numbers') && !training ? parts.numbers.render(simulation, lang, state.others) : nothing}
        ${shows.part('formula') && !training ? guard([simulation, lang, parts.numbers.ratio], () => parts.formula.render(simulation, lang, parts.numbers.ratio)) : nothing}`;
}

/** What the core says of the device that fails, once that view is open and its part is here. @param {Figure} figure @param {Simulation | null} simulation */
function failureOf(figure, simulation) {
    const { here } = figure.parts.teaching;
    if (!simulation || !here || figure.view !== 'failure') return null;
    return here.incident.of(teachingSetting(figure, simulation)).failure;
}

/** In an idle cell: what the device could begin there, and the button that does it. @param {Figure} figure @param {Simulation} simulation @param {number} j */
function earlyView({ state, request, readonly, lang, act }, simulation, j) {
    const words = describeEarly(simulation, j, lang);
    if (words === '') return nothing;
    const { early, before } = simulation.idle;
    const begin = () =>
        act.change({
            moves: withMove(request.moves ?? null, nameOf(simulation, early[j]), before[j] - early[j]),
        });
    return html`${said(words)} ${readonly || state.file ? nothing : html`<button type="button" class="link" data-early @click=${begin}>${textOf(lang, 'idle_early_do')}</button>`}`;
}

/** Buttons that open a view, and close it. @param {Figure} figure @param {string[]} views @param {string} panel */
function viewButtons({ view: open, lang, act }, views, panel) {
    return views.map(
        (view) =>
            html`<button type="button" class="link" aria-expanded=${open === view} aria-controls=${panel} data-view=${view} @click=${() => act.open(open === view ? null : view)}>${textOf(lang, `view_${view}`)}</button>`,
    );
}

/** What explains the chart stands right under it: most of it shares the axis of time. @param {Figure} figure @param {Simulation} simulation */
function teachingView(figure, simulation) {
    const setting = teachingSetting(figure, simulation);
    const views = viewsFor(setting);
    const open = views.includes(figure.view ?? '') ? figure.view : null;
    const offered = figure.shows.offered(views);
    return html`${offered.length > 0 ? html`<div class="views explain" part="toolbar">${viewButtons(figure, offered, 'explain')}</div>` : nothing}
        <div class="view" part="view" id="explain" ?hidden=${open === null}>${open ? figure.parts.teaching.render(figure.lang, (teaching) => teaching.render(open, setting)) : nothing}</div>`;
}

/** @param {Figure} figure @param {Simulation} simulation */
function viewsView(figure, simulation) {
    const { engine, state, request, lang, view: open, printing, readonly, shows, parts, act } = figure;
    const { file } = state;
    const trains = !(readonly || simulation.file);
    const offered = shows.offered(VIEWS.filter((view) => view !== 'train' || trains));
    const shown = printing ? null : open;
    return html`${offered.length > 0 ? html`<div class="views" part="toolbar">${viewButtons(figure, offered, 'view')}</div>` : nothing}
        <div class="view" part="view" id="view" ?hidden=${!printing && !VIEWS.includes(open ?? '')}>
            ${shown === 'table' || printing ? guard([simulation, lang], () => scheduleTable(simulation, lang)) : nothing}
            ${
                shown === 'train' && !simulation.file
                    ? parts.training.render(lang, (training) =>
                          training.render({
                              engine,
                              lang,
                              trains: scheduleTrains(engine, simulation),
                              still: prefersStill(),
                          }),
                      )
                    : nothing
            }
            ${
                shown === 'files'
                    ? parts.files.render(
                          lang,
                          ({ files, python }) => html`
                              ${files.render({ engine, simulation, request, file, lang }, act.link() === null ? null : () => act.link() ?? '')}
                              ${file ? nothing : python.render(engine, simulation, { ...asked(request), ...parts.training.here?.options }, lang)}`,
                      )
                    : nothing
            }
        </div>`;
}
