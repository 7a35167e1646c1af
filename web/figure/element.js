// <pipeline-figure>: attributes in, events out. It keeps the request, asks the core, and hands what the core says to the
// parts that show it. Until the core is there, and wherever there is none, the static picture between its tags stands.
import { html, LitElement, nothing, unsafeCSS } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { OPS, prepareEngine } from '../engine/engine.js';
import { ask, askBeside, askFitting } from '../request/ask.js';
import { History } from '../request/history.js';
import { hashWith, holdsStates, lawful, requestFrom, stateIn, stateText } from '../request/link.js';
import { presetNamed, presetOf } from '../request/presets.js';
import { asked, OPTIONS, ordersAnew, propertyOf, sameRequest, withSchedule } from '../request/state.js';
import { sameCell } from '../scene/cells.js';
import figureCss from '../scene/figure.css';
import {
    countOf,
    describeAction,
    describeIdle,
    formatNumber,
    formatShare,
    scheduleName,
    settingsText,
    title,
} from '../scene/format.js';
import { textOf } from '../words/strings.js';
import { checkChallenge, parseChallenge, termText } from './challenge.js';
import { Chart } from './chart.js';
import { fixText, mainControls, moreControls, presetSteps, scheduleChoice, scheduleOf } from './controls.js';
import { Editing } from './edit.js';
import { readGiven } from './edit-file.js';
import { differenceText, withMove } from './edit-order.js';
import elementCss from './element.css';
import { Files } from './files.js';
import { Focus } from './focus.js';
import { notNear, sharedEngine, sharedEngineNow, whenNear, whyBlocked } from './hydration.js';
import { keepKeys } from './keys.js';
import { Prediction } from './predict.js';
import { PythonPanel } from './python-panel.js';
import { Formula, legend, Numbers } from './readings.js';
import { openSection, watchSection } from './section.js';
import { Sentence } from './sentence.js';
import { scheduleTable } from './table.js';
import { TEACHING_VIEWS, Teaching } from './teaching.js';
import { isOnUnsaidDark, languageAround, watchPage } from './theme.js';
import { TrainingPanel } from './training-panel.js';

/**
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('../engine/engine.js').PipelineError} PipelineError
 * @typedef {import('../engine/engine.js').Simulation} Simulation
 * @typedef {import('../scene/scene.js').Selection} Selection
 * @typedef {import('../request/state.js').Request} Request
 */

/** How far sliders reach unless the figure asks for more. @type {Record<string, number>} */
const REACH = { ranks: 16, microbatches: 32 };
/** Rest after which the status line speaks. */
const REST_MS = 500;
/** Beyond so many actions there is no picture, only numbers. */
const DRAWN_ACTIONS = 2_000_000;
/** A link leads to no larger step. */
const LINKED_ACTIONS = 100_000;
const VIEWS = ['table', 'train', 'files'];
/** Views that belong to a step of the chapter. */
const STEP_VIEWS = ['compare', 'failure', 'batch'];
/** Views with a second chart on the axis of the first. */
const BESIDE_VIEWS = ['compare', 'failure'];
const CONTROLS = ['sentence', 'schedule', 'ranks', 'microbatches', 'chunks', 'more', 'edit', 'views'];

/** Columns of an idle interval. */
const IDLE = /** @type {const} */ (['rank', 'start', 'finish', 'reason', 'before', 'waits_for']);

const prefersStill = () => matchMedia('(prefers-reduced-motion: reduce)').matches;

/** Has the schedule a backward pass? @param {Engine} engine @param {Simulation} simulation */
function scheduleTrains(engine, { config, actions }) {
    return engine.schedules.find(({ name }) => name === config.schedule)?.trains ?? actions.op.some((op) => op > 0);
}

/** @param {Simulation} simulation */
const isTooLarge = ({ actions }) => actions.count > DRAWN_ACTIONS;

/** Ids of patterns must differ between the charts of one page. */
let figures = 0;

export class PipelineFigure extends LitElement {
    static properties = {
        ...Object.fromEntries(OPTIONS.map((name) => [propertyOf(name), { attribute: name, reflect: true }])),
        lang: { reflect: true },
        theme: { reflect: true },
        controls: { reflect: true },
        readonly: { type: Boolean, reflect: true },
        preset: { reflect: true },
        challenge: { reflect: true },
        predict: { reflect: true },
        figureId: { attribute: 'figure-id', reflect: true },
        nowasm: { reflect: true },
    };

    static styles = [unsafeCSS(figureCss), unsafeCSS(elementCss)];

    /** @type {Engine | null} */
    #engine = null;
    /** @type {Simulation | null} */
    #simulation = null;
    /** The last one the core accepted. @type {Simulation | null} */
    #known = null;
    /** @type {PipelineError | null} */
    #error = null;
    /** Key and words of what keeps the core away. @type {{ key: string, detail: string } | null} */
    #blocked = null;
    /** What the present simulation answers. @type {Request | null} */
    #answered = null;
    /** Options a reader's choice of schedule left without meaning. @type {Request} */
    #aside = {};
    /** What the sentence speaks of beside. @type {ReturnType<typeof askBeside>} */
    #others = {};
    /** The answer is new: the page has not been told of it yet. */
    #isNew = false;
    #byReader = false;
    /** The answer was read from the address of the page. */
    #byUrl = false;
    /** What the figure showed at addresses that the reader has gone on from. @type {Map<string, { request: Request, file: import('./edit-file.js').Given | null }>} */
    #left = new Map();
    /** The preset as the page, or the figure itself, wrote it last. @type {string | null} */
    #presetSeen = null;
    /** Conditions of the challenge, and the text they were read from. @type {{ text: string | null } & ReturnType<typeof parseChallenge>} */
    #task = { text: null, terms: [], faults: [] };
    #solved = false;
    #more = false;
    /** @type {string | null} */
    #view = null;
    #printing = false;
    /** @type {Record<string, number>} */
    #reach = { ...REACH };
    #width = 0;
    /** What the chart was drawn from last. @type {unknown[]} */
    #drawn = [];
    #idPrefix = `pf${++figures}`;
    /** Height the chart had, kept while a refusal stands in its place. */
    #height = 0;
    /** @type {Chart | null} */
    #chart = null;
    /** @type {Selection | null} */
    #shown = null;
    /** Has a cell been explained? From then on its place is kept, so that what is below does not jump. */
    #used = false;
    #lang = 'ru';
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    #status;
    /** @type {(() => void) | undefined} */
    #unwatch;
    /** @type {ResizeObserver | undefined} */
    #resize;
    #internals = this.attachInternals();
    #update = () => this.requestUpdate();
    #sentence = new Sentence((option, value) => this.#change({ [option]: value }), this.#update);
    #numbers = new Numbers(this.#update);
    #formula = new Formula();
    #files = new Files(this.#update);
    #python = new PythonPanel(this.#update);
    #training = new TrainingPanel(
        this,
        (action) => this.#chart?.light(action),
        (changes) => this.#change(changes),
    );
    #teaching = new Teaching(this.#update);
    /** Read from a file, in place of a generated schedule. @type {import('./edit-file.js').Given | null} */
    #file = null;
    /** @type {History<{ request: Request, file: import('./edit-file.js').Given | null }>} */
    #history = new History();
    #editing = new Editing(
        this.#update,
        (name, places) => this.#change({ moves: withMove(this.request.moves ?? null, name, places) }),
        (name, text) => this.#takeFile(name, text),
        () => {
            this.#history.begin();
            if (this.#engine && !this.#file) this.#editing.hold(this.#engine, this.request);
        },
        (timed) => {
            this.#history.end();
            if (timed) this.#settleOrder();
        },
    );
    #given = this.#editing.desk.listeners(
        () => this.#maySetFile(),
        () => this.#lang,
    );
    #focus = new Focus();
    #prediction = new Prediction((term) => this.#reveal(term));

    constructor() {
        super();
        /** @type {string | null} */ this.theme = null;
        /** @type {string | null} */ this.controls = null;
        /** @type {boolean} */ this.readonly = false;
        /** @type {string | null} */ this.preset = null;
        /** @type {string | null} */ this.challenge = null;
        /** @type {string | null} */ this.predict = null;
        /** @type {string | null} */ this.figureId = null;
        /** @type {string | null} */ this.nowasm = null;
        /** Settles when the figure stands: true if it lives, false if only its static picture is shown. */
        this.ready = new Promise((settle) => {
            this.#settle = settle;
        });
        for (const type of ['keydown', 'keypress', 'keyup']) this.addEventListener(type, /** @type {any} */ (keepKeys));
    }

    /** @type {(lives: boolean) => void} */
    #settle = () => {};

    // ---- for the host ----

    /** The present simulation, null while the core refuses the request. Read only. */
    get simulation() {
        return this.#simulation;
    }

    /** What was refused, null if nothing was. Read only. */
    get error() {
        return this.#error;
    }

    /** The request: names and values as they were given. */
    get request() {
        const request = /** @type {Request} */ ({});
        for (const name of OPTIONS) {
            const value = /** @type {any} */ (this)[propertyOf(name)];
            if (value !== null && value !== undefined && value !== '') request[name] = String(value);
        }
        return request;
    }

    // ---- life ----

    /** Sheets belong to a document: in another, such as that of a frame, a figure wears its own. */
    createRenderRoot() {
        const { defaultView } = this.ownerDocument;
        if (!defaultView || defaultView === window) return super.createRenderRoot();
        const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
        const sheet = new defaultView.CSSStyleSheet();
        sheet.replaceSync(figureCss + elementCss);
        root.adoptedStyleSheets = [sheet];
        return root;
    }

    adoptedCallback() {
        if (this.shadowRoot) this.createRenderRoot();
    }

    connectedCallback() {
        super.connectedCallback();
        this.#unwatch = watchPage(this.#onPage);
        addEventListener('beforeprint', this.#onBeforePrint);
        addEventListener('afterprint', this.#onAfterPrint);
        addEventListener('hashchange', this.#onHash);
        watchSection();
        for (const [name, listener] of Object.entries(this.#given))
            this.addEventListener(name, /** @type {any} */ (listener));
        this.#onPage();
        prepareEngine(); // also where the figure is far from the screen: it may be printed
        if (this.#engine === null) whenNear(this, () => this.#hydrate());
        else this.requestUpdate(); // what ran when it was taken out runs no more
    }

    disconnectedCallback() {
        super.disconnectedCallback();
        this.#unwatch?.();
        removeEventListener('beforeprint', this.#onBeforePrint);
        removeEventListener('afterprint', this.#onAfterPrint);
        removeEventListener('hashchange', this.#onHash);
        this.#teaching.clock.pause();
        this.#editing.close();
        notNear(this);
        clearTimeout(this.#status);
    }

    async #hydrate() {
        try {
            this.#enliven(await sharedEngine(this.nowasm));
        } catch (error) {
            this.#block(error);
        }
    }

    /** @param {Engine} engine */
    #enliven(engine) {
        if (this.#engine !== null) return;
        this.#engine = engine;
        this.#blocked = null;
        this.requestUpdate();
        this.#takePreset(true);
        this.#onHash(null);
    }

    /** @param {unknown} error */
    #block(error) {
        const key = whyBlocked(error);
        const detail = error instanceof Error ? error.message : String(error);
        this.#blocked = { key, detail };
        this.requestUpdate();
        this.#settle(false);
        this.#fire('pipeline-error', {
            code: key.replace('_', '-'),
            option: null,
            message: textOf(this.#lang, key, detail),
        });
    }

    #onPage = () => {
        const lang = languageAround(this);
        // Asked without its own answer, which would be taken for what the page says.
        this.#internals.states?.delete('dark');
        if (isOnUnsaidDark(this)) this.#internals.states?.add('dark');
        this.#chart?.dense.recolour();
        this.#teaching.recolour();
        this.#training.recolour(this.renderRoot);
        if (lang === this.#lang) return;
        this.#lang = lang;
        this.#answered = null;
        this.requestUpdate();
    };

    // Work done later is not on the paper, so all of this is done at once.
    #onBeforePrint = () => {
        const engine = this.#engine ?? sharedEngineNow();
        if (!engine) return;
        this.#enliven(engine);
        this.#printing = true;
        this.#chart?.settle();
        this.requestUpdate();
        this.performUpdate();
    };

    #onAfterPrint = () => {
        this.#printing = false;
        this.requestUpdate();
    };

    // ---- state ----

    /**
     * What the address of the page says of this figure. Nothing it says can be refused: the nearest lawful is taken. An address
     * that says nothing of it but was left once has the figure back as it was then.
     * @param {HashChangeEvent | null} event
     */
    #onHash = (event) => {
        const engine = this.#engine;
        if (engine === null || !this.figureId) return;
        if (event) this.#left.set(event.oldURL, { request: this.request, file: this.#file });
        const text = stateIn(location.hash, this.figureId);
        const before = text === null ? this.#left.get(location.href) : null;
        if (text === null && !before) return;
        if (text !== null && text === stateText(this.request)) return;
        const request = before ? before.request : lawful(engine, requestFrom(text ?? ''), LINKED_ACTIONS);
        if (!request || (before && sameRequest(request, this.request) && before.file === this.#file)) return;
        this.#aside = {};
        this.#byUrl = true;
        if (before) this.#setFile(before.file);
        this.#take(request);
    };

    /** The address of the page with the present state in it, null where it has no place for one. */
    #link() {
        if (!this.figureId || this.#file || !holdsStates(location.hash)) return null;
        return new URL(hashWith(location.hash, this.figureId, stateText(this.request)), location.href).href;
    }

    /**
     * The page has named a step: its settings are taken; at first only those that no attribute gives.
     * @param {boolean} first
     */
    #takePreset(first) {
        if (this.preset === this.#presetSeen) return;
        this.#presetSeen = this.preset;
        const preset = presetNamed(this.preset);
        if (!preset) return;
        this.#aside = {};
        this.#setView(preset.view ?? null);
        this.#take(first ? { ...preset.request, ...this.request } : preset.request);
    }

    /** A reader goes to a step. @param {string} name */
    #goTo(name) {
        const preset = presetNamed(name);
        if (!preset || this.readonly) return;
        this.#aside = {};
        this.#byReader = true;
        this.#note('', preset.request);
        this.#setFile(null);
        if (preset.view || STEP_VIEWS.includes(this.#view ?? '')) this.#setView(preset.view ?? null);
        this.#take(preset.request);
    }

    /** @param {string | null} view */
    #setView(view) {
        if (this.#view === view) return;
        if (this.#view === 'train') this.#training.reset();
        this.#teaching.reset();
        this.#view = view;
        this.requestUpdate();
    }

    /** The space bar on the chart: the time runs, or stops; where nothing may move by itself it goes a step. */
    #onSpace = () => {
        const { clock } = this.#teaching;
        if (!this.#simulation || !this.#showsViews()) return;
        this.#setView('play');
        if (clock.time === null) clock.open(this.#simulation);
        if (!prefersStill()) clock.toggle();
        else clock.step(1);
    };

    /** A reader changes options. @param {Request} changes */
    #change(changes) {
        const engine = this.#engine;
        if (engine === null || this.readonly) return;
        let request = /** @type {Request} */ ({ ...this.request, ...changes });
        const schedule = engine.schedules.find(({ name }) => name === changes.schedule);
        if (schedule) ({ request, aside: this.#aside } = withSchedule(request, this.#aside, schedule));
        // Moves name actions of the order they were made in.
        if (request.moves && !('moves' in changes) && ordersAnew(this.request, request)) request.moves = null;
        // Samples of a micro-batch stay as many where another number of micro-batches is asked for.
        if (changes.microbatches && this.#simulation?.batch) {
            request['microbatch-size'] = String(this.#simulation.batch.size);
            request['global-batch'] = null;
        }
        this.#byReader = true;
        this.#note('moves' in changes ? '' : Object.keys(changes).join(), request);
        if (changes.schedule || ordersAnew(this.request, request)) this.#setFile(null);
        this.#take(request);
    }

    /** The present state can be come back to. @param {string} what  will be changed @param {Request} [next]  if it is another */
    #note(what, next) {
        if (!next || this.#file || !sameRequest(next, this.request))
            this.#history.note({ request: this.request, file: this.#file }, what);
    }

    /** @param {import('./edit-file.js').Given | null} file */
    #setFile(file) {
        if (file === this.#file) return;
        this.#file = file;
        this.#answered = null;
        this.requestUpdate();
    }

    /** A reader gives a file: a schedule, which is shown, or costs for the present one. @param {string} name @param {string} text */
    #takeFile(name, text) {
        const engine = this.#engine;
        if (!engine || !this.#known || !this.#maySetFile()) return null;
        engine.lang = this.#lang;
        const reading = readGiven(engine, name, text, this.#known.config);
        if (reading.changes) this.#change(reading.changes);
        if (reading.file) {
            this.#note('');
            this.#byReader = true;
            this.#setFile({ ...reading.file, before: this.#file?.before ?? this.request });
            // Costs by stage, cuts and moves were made for another schedule.
            const fits = (/** @type {string | null} */ value) => value !== null && !/[\s;*]/.test(value.trim());
            const kept = Object.entries(this.request).filter(
                ([option, value]) =>
                    option === 'schedule' ||
                    (fits(value) && !['ranks', 'microbatches', 'layers', 'cuts', 'moves'].includes(option)),
            );
            this.#take(Object.fromEntries(kept));
        }
        return reading;
    }

    #maySetFile() {
        return this.#shows('edit') && this.#engine?.readsFiles === true;
    }

    /** A reader takes a change back, or back again. @param {boolean} back */
    #travel(back) {
        const state = this.readonly ? undefined : this.#history.go({ request: this.request, file: this.#file }, back);
        if (!state) return;
        this.#byReader = true;
        this.#aside = {};
        this.#setFile(state.file);
        this.#take(state.request);
    }

    /** @param {KeyboardEvent} event */
    #onUndoKey(event) {
        const { key, ctrlKey, metaKey, altKey, shiftKey, target } = event;
        const own = target instanceof HTMLInputElement && target.type === 'text' && target.role !== 'spinbutton';
        const letter = key.toLowerCase();
        if (altKey || !(ctrlKey || metaKey) || own || target instanceof HTMLTextAreaElement) return;
        const redo = letter === 'y' || (letter === 'z' && shiftKey);
        if (letter !== 'z' && !redo) return;
        event.preventDefault();
        this.#travel(!redo);
    }

    /** A handle was let go of: schedules that look at costs may have another order by now. */
    #settleOrder() {
        const engine = this.#engine;
        if (!engine || !this.#simulation) return;
        const { simulation } = ask(engine, this.request);
        const { op, stage, microbatch } = this.#simulation.actions;
        const stands = (/** @type {Int32Array} */ column, /** @type {Int32Array} */ now) =>
            column.every((value, i) => value === now[i]);
        const next = simulation?.actions;
        if (
            next &&
            this.#simulation.criticalPath.length > 0 &&
            stands(op, next.op) &&
            stands(stage, next.stage) &&
            stands(microbatch, next.microbatch)
        )
            return;
        this.#answered = null;
        this.#byReader = true;
        this.requestUpdate();
    }

    /** @param {Request} request */
    #take(request) {
        for (const name of OPTIONS) {
            const value = request[name] ?? null;
            if ((this.request[name] ?? null) !== value) /** @type {any} */ (this)[propertyOf(name)] = value;
        }
        this.requestUpdate(); // fields show what is, also where nothing has changed
    }

    /** @param {Map<string, unknown>} changed */
    willUpdate(changed) {
        if (this.shadowRoot) this.#focus.note(this.shadowRoot);
        if (changed.has('lang')) this.#onPage();
        const engine = this.#engine;
        if (engine === null) return;
        if (changed.has('figureId')) this.#onHash(null);
        if (this.hasUpdated) this.#takePreset(false);
        if (this.readonly && this.#view === 'train') this.#setView(null);
        const request = this.request;
        // A page that asks for another order does not mean the file.
        if (!this.#byReader && this.#answered && ordersAnew(this.#answered, request)) this.#file = null;
        if (!this.#answered || !sameRequest(request, this.#answered)) this.#ask(engine, request, changed);
        if (this.preset !== null) this.preset = this.#presetSeen = presetOf(this.request, this.#view)?.name ?? '';
        if (this.challenge !== this.#task.text) this.#readChallenge();
        if (this.#view === 'play' && this.#simulation && this.#teaching.clock.time === null) {
            this.#teaching.clock.open(this.#simulation);
        }
        // Out of the page there is nobody who would free it.
        if (
            this.isConnected &&
            this.#view === 'train' &&
            this.#simulation &&
            !this.#file &&
            scheduleTrains(engine, this.#simulation)
        ) {
            engine.lang = this.#lang;
            this.#training.prepare(engine, asked(this.request), prefersStill());
        }
    }

    /** @param {Engine} engine @param {Request} request @param {Map<string, unknown>} changed */
    #ask(engine, request, changed) {
        engine.lang = this.#lang;
        const quick = this.#editing.time(request);
        const answer = quick
            ? { request, simulation: quick, error: null }
            : this.#file
              ? ask(engine, request, this.#file)
              : this.#byReader && this.#known
                ? askFitting(engine, request, this.#known, (option) => changed.has(propertyOf(option)))
                : ask(engine, request);
        this.#simulation = answer.simulation;
        this.#error = answer.error;
        this.#answered = answer.request;
        this.#take(answer.request);
        if (answer.simulation) {
            this.#known = answer.simulation;
            this.#others = this.#file ? {} : askBeside(engine, answer.request, answer.simulation);
            for (const name of Object.keys(REACH)) {
                const value = answer.simulation.config[name];
                if (value > this.#reach[name]) this.#reach[name] = 2 * value;
            }
        } else {
            // Something must tell what the controls offer, even if the very first request was refused.
            this.#known ??= engine.simulate({});
        }
        // What was shown of the last simulation has no meaning in this one.
        this.#shown = null;
        this.#training.reset();
        this.#teaching.reset();
        this.#files.reset();
        this.#isNew = true;
    }

    #readChallenge() {
        this.#task = { text: this.challenge, ...parseChallenge(this.challenge) };
        this.#solved = this.#isSolved();
        for (const fault of this.#task.faults) {
            const message = textOf(this.#lang, 'challenge_unknown', fault);
            this.#fire('pipeline-error', { code: 'challenge', option: 'challenge', message });
        }
    }

    /** The reader has said what to expect. @param {import('./challenge.js').Checked | null} term */
    async #reveal(term) {
        this.requestUpdate();
        if (term) {
            const challenge = `predict ${term.name}`;
            this.#fire('pipeline-answer', { challenge, solved: term.holds, terms: [term], state: this.request });
        }
        await this.updateComplete;
        const root = this.renderRoot;
        /** @type {HTMLElement | null} */ (root.querySelector('.said') ?? root.querySelector('input, select'))?.focus();
    }

    /** The conditions of the challenge against the numbers of the core, null where there is nothing to check. */
    #checked() {
        const { terms } = this.#task;
        return this.#simulation && terms.length > 0 ? checkChallenge(terms, this.#simulation) : null;
    }

    #isSolved() {
        return this.#checked()?.every(({ holds }) => holds) ?? false;
    }

    // ---- picture ----

    render() {
        const { key, detail } = this.#blocked ?? {};
        const lives = this.#engine !== null && this.#blocked === null;
        return html`
            ${lives ? this.#renderFigure() : nothing}
            <p class="blocked" part="blocked" role="status">${key ? textOf(this.#lang, key, detail ?? '') : nothing}</p>
            ${lives ? nothing : html`<slot></slot><slot name="caption" part="caption"></slot>`}
            <p class="unseen announcement" part="status" role="status"></p>`;
    }

    /** @param {string} option */
    #shows(option) {
        if (this.readonly) return false;
        const named = this.controls?.trim().split(/\s+/) ?? CONTROLS;
        return named.includes(option);
    }

    #showsViews() {
        return this.controls === null || this.#shows('views');
    }

    /** The steps of the chapter, where the page names one or asks for them. */
    #showsPresets() {
        return !this.readonly && (this.preset !== null || /(^|\s)presets(\s|$)/.test(this.controls ?? ''));
    }

    /** What the views that explain are made of. @param {Simulation} simulation */
    #setting(simulation) {
        const engine = /** @type {Engine} */ (this.#engine);
        return {
            engine,
            simulation,
            request: this.request,
            lang: this.#lang,
            width: this.#width || 760,
            reach: this.#reach.microbatches,
            still: prefersStill(),
            drawn: !isTooLarge(simulation),
            trains: scheduleTrains(engine, simulation),
            change: this.readonly ? null : (/** @type {Request} */ changes) => this.#change(changes),
            setMicrobatches: this.#shows('microbatches')
                ? (/** @type {number} */ m) => this.#change({ microbatches: String(m) })
                : null,
        };
    }

    /** What the parts that are taken hold of are made of. @returns {import('./edit.js').EditSetting} */
    #editSetting() {
        return {
            engine: /** @type {Engine} */ (this.#engine),
            simulation: this.#simulation,
            stall: this.#error?.stall ?? null,
            request: this.request,
            lang: this.#lang,
            width: this.#width || 760,
            chart: this.#chart,
            file: this.#file,
            setFile: (file) => {
                this.#note('');
                this.#byReader = true;
                if (!file) this.#take(this.#file?.before ?? {});
                this.#setFile(file);
            },
            change: (changes) => this.#change(changes),
            travel: (back) => this.#travel(back),
            canUndo: this.#history.canUndo,
            canRedo: this.#history.canRedo,
        };
    }

    #renderFigure() {
        const engine = /** @type {Engine} */ (this.#engine);
        const known = /** @type {Simulation} */ (this.#known);
        const simulation = this.#simulation;
        const lang = this.#lang;
        const request = this.request;
        engine.lang = lang; // shared with figures in another language
        /** @type {import('./controls.js').ControlState} */
        const state = {
            engine,
            known,
            request,
            refused: simulation === null,
            lang,
            shows: (option) => this.#shows(option),
            reach: (option) => this.#reach[option],
            change: (option, value) => this.#change({ [option]: value }),
        };
        const limits = (/** @type {string} */ name) => {
            const { min, max } = /** @type {Engine['options'][0]} */ (
                engine.options.find((option) => option.name === name)
            );
            return { min, max };
        };
        if (simulation && this.#prediction.hides(this.predict) && !this.#printing) {
            return html`<div class="figure" role="group" lang=${lang} aria-label=${title(simulation, lang)}>
                <p class="settings" data-seen>${textOf(lang, 'settings', settingsText(simulation, lang))}</p>
                ${this.#prediction.ask(this.predict ?? '', simulation, lang)}
                <slot name="caption" part="caption"></slot>
            </div>`;
        }
        const others = this.#others;
        const stepping = this.#showsPresets();
        const editable = (/** @type {string} */ option) => this.#shows('sentence') && this.#shows(option);
        return html`<div class="figure" role="group" lang=${lang} @keydown=${this.#onUndoKey} ?data-over=${this.#editing.desk.over} aria-label=${simulation ? title(simulation, lang) : scheduleName(scheduleOf(state).name, lang)}>
            ${stepping ? presetSteps(lang, presetOf(request, this.#view)?.name, (name) => this.#goTo(name)) : scheduleChoice(state)}
            ${this.#sentence.render({ simulation, request, lang, others, editable, limits, named: !stepping && this.#shows('schedule'), stalled: !!this.#error?.stall })}
            ${simulation ? this.#prediction.verdict(this.predict, simulation, lang) : nothing}
            ${this.#renderChallenge()}
            ${this.#renderControls(state)}
            ${this.#shows('edit') ? this.#editing.render(this.#editSetting()) : nothing}
            ${simulation ? html`<p class="settings" part="settings">${textOf(lang, 'settings', settingsText(simulation, lang))}</p>` : nothing}
            <div class="stage">
                <div class="chart" part="chart"></div>
                ${simulation || this.#error?.stall ? nothing : this.#renderRefusal()}
                ${simulation && isTooLarge(simulation) ? html`<p class="note">${textOf(lang, 'chart_too_large', formatNumber(simulation.actions.count, lang))}</p>` : nothing}
            </div>
            ${this.#error?.stall ? this.#editing.renderStall(this.#editSetting()) : nothing}
            ${simulation ? this.#renderReadings(simulation) : nothing}
            ${simulation ? this.#renderViews(state, simulation) : nothing}
            <slot name="caption" part="caption"></slot>
        </div>`;
    }

    /** @param {import('./controls.js').ControlState} state */
    #renderControls(state) {
        if (this.readonly) return nothing;
        const { lang } = state;
        const more = this.#shows('more');
        const toggle = () => {
            this.#more = !this.#more;
            this.requestUpdate();
        };
        return html`<div class="controls" part="controls">
            ${this.#showsPresets() ? scheduleChoice(state) : nothing}
            ${mainControls(state)}
            <span class="toggles">
            ${more ? html`<button type="button" class="link" aria-expanded=${this.#more} title=${textOf(lang, 'more_title')} @click=${toggle}>${textOf(lang, 'more')}</button>` : nothing}
            ${this.#shows('edit') ? html`<button type="button" class="link" data-edit="open" aria-expanded=${this.#editing.part !== null} aria-controls="edit" title=${textOf(lang, 'edit_title')} @click=${() => this.#editing.toggle()}>${textOf(lang, 'edit')}</button>` : nothing}
        </div>
        ${more && this.#more ? moreControls(state) : nothing}`;
    }

    #renderChallenge() {
        const lang = this.#lang;
        const checked = this.#checked();
        if (!checked) return nothing;
        return html`<div class="challenge" part="challenge">
            <p><strong>${textOf(lang, 'challenge')}</strong> ${textOf(lang, 'challenge_do')}</p>
            <ul>${checked.map(
                (term) =>
                    html`<li ?data-holds=${term.holds}>${termText(term, lang)} — <b>${textOf(lang, term.holds ? 'challenge_holds' : 'challenge_fails')}</b></li>`,
            )}</ul>
            ${checked.every(({ holds }) => holds) ? html`<p class="verdict">${textOf(lang, 'challenge_solved')}</p>` : nothing}
            </span>
        </div>`;
    }

    #renderRefusal() {
        const engine = /** @type {Engine} */ (this.#engine);
        const error = /** @type {PipelineError} */ (this.#error);
        return html`<div class="refusal" part="refusal" role="alert">
            <p>${error.message}</p>
            ${
                this.readonly
                    ? nothing
                    : html`<div class="buttons">${error.fixes.map(
                          (fix) =>
                              html`<button type="button" class="action primary" @click=${() => this.#change({ [fix.option]: fix.value })}>${textOf(this.#lang, 'fix', fixText(engine, fix, this.#lang))}</button>`,
                      )}</div>`
            }
        </div>`;
    }

    /** @param {Simulation} simulation */
    #renderReadings(simulation) {
        const lang = this.#lang;
        const shown = this.#shown;
        const text = !shown
            ? html`<slot name="hint">${textOf(lang, 'explain_hint')}</slot>`
            : shown.kind === 'action'
              ? describeAction(simulation, shown.index, lang)
              : describeIdle(simulation, shown.index, lang);
        return html`
            ${guard([simulation, lang], () => legend(simulation, lang, this.#idPrefix))}
            <p class="explanation" ?data-quiet=${!shown} ?data-used=${this.#used} part="explanation">${text}
                ${this.#chart?.pinned ? html`<button type="button" class="link" @click=${() => this.#chart?.release()}>${textOf(lang, 'explain_release')}</button>` : nothing}</p>
            ${this.#renderTeaching(simulation)}
            ${this.#numbers.render(simulation, lang, this.#others)}
            ${guard([simulation, lang, this.#numbers.ratio], () => this.#formula.render(simulation, lang, this.#numbers.ratio))}`;
    }

    /** Buttons that open a view, and close it. @param {string[]} views @param {string} [panel] */
    #viewButtons(views, panel = 'view') {
        return views.map(
            (view) =>
                html`<button type="button" class="link" aria-expanded=${this.#view === view} aria-controls=${panel} data-view=${view} @click=${() => this.#setView(this.#view === view ? null : view)}>${textOf(this.#lang, `view_${view}`)}</button>`,
        );
    }

    /** What explains the chart stands right under it: most of it shares the axis of time. @param {Simulation} simulation */
    #renderTeaching(simulation) {
        const setting = this.#setting(simulation);
        const views = Teaching.viewsFor(setting);
        const open = views.includes(this.#view ?? '') ? this.#view : null;
        return html`${this.#showsViews() ? html`<div class="views explain" part="toolbar">${this.#viewButtons(views, 'explain')}</div>` : nothing}
            <div class="view" part="view" id="explain" ?hidden=${open === null}>${open ? this.#teaching.render(open, setting) : nothing}</div>`;
    }

    /** @param {import('./controls.js').ControlState} state @param {Simulation} simulation */
    #renderViews(state, simulation) {
        const lang = this.#lang;
        const open = this.#view;
        const shows = this.#showsViews();
        return html`${
            shows
                ? html`<div class="views" part="toolbar">${this.#viewButtons(VIEWS.filter((view) => view !== 'train' || !(this.readonly || simulation.file)))}</div>`
                : nothing
        }
        <div class="view" part="view" id="view" ?hidden=${!this.#printing && !VIEWS.includes(open ?? '')}>
            ${open === 'table' || this.#printing ? guard([simulation, lang], () => scheduleTable(simulation, lang)) : nothing}
            ${
                open === 'train' && !this.#printing && !simulation.file
                    ? this.#training.render({
                          engine: state.engine,
                          lang,
                          trains: scheduleTrains(state.engine, simulation),
                          still: prefersStill(),
                      })
                    : nothing
            }
            ${open === 'files' && !this.#printing ? this.#files.render({ engine: state.engine, simulation, request: state.request, file: this.#file, lang }, this.#link() === null ? null : () => this.#link() ?? '') : nothing}
            ${open === 'files' && !this.#printing && !this.#file ? this.#python.render(state.engine, simulation, { ...asked(state.request), ...this.#training.options }, lang) : nothing}
        </div>`;
    }

    /** @param {Map<string, unknown>} _changed */
    updated(_changed) {
        if (this.#engine === null) return;
        const box = /** @type {HTMLElement | null} */ (this.renderRoot.querySelector('.chart'));
        if (box) this.#drawChart(box);
        if (this.#chart) this.#editing.order.drawn(this.#chart);
        this.#training.draw(this.renderRoot, this.#idPrefix);
        const { clock } = this.#teaching;
        this.#chart?.showTime(this.#shownTime());
        this.#chart?.showPath(this.#view === 'path');
        this.#drawBeside();
        this.#internals.states?.[this.#training.running || clock.playing ? 'add' : 'delete']('playing');
        const [isNew, byReader, byUrl] = [this.#isNew, this.#byReader, this.#byUrl];
        this.#isNew = this.#byReader = this.#byUrl = false; // also where a reader asked for what is there
        if (isNew) this.#tell(byReader, byUrl);
        this.#focus.keep();
    }

    /** The time that runs, or at which a device fails. */
    #shownTime() {
        if (this.#view === 'play') return this.#teaching.clock.time;
        if (this.#view !== 'failure' || !this.#simulation) return null;
        return this.#teaching.incident.time(this.#setting(this.#simulation));
    }

    /** @param {HTMLElement} box */
    #drawChart(box) {
        if (this.#chart?.box !== box) {
            this.#chart?.clear();
            this.#chart = new Chart(box, (shown, cause) => this.#onShow(shown, cause), this.#onSpace, this.#update);
            this.#editing.order.attach(this.#chart);
            this.#resize?.disconnect();
            this.#resize = new ResizeObserver(() => this.#onResize(box));
            this.#resize.observe(box);
            this.#width = box.clientWidth;
        }
        const simulation = this.#simulation ?? /** @type {Simulation | null} */ (this.#error?.stall ?? null);
        const lang = this.#lang;
        const view = this.#view ?? '';
        const compares =
            BESIDE_VIEWS.includes(view) &&
            this.#simulation !== null &&
            simulation !== null &&
            !isTooLarge(simulation) &&
            !this.#printing;
        const beside = view === 'train' ? this.#training.span : 0;
        const span = compares ? this.#teaching.span(this.#setting(simulation), view) : beside;
        const fits = compares || this.#editing.order.open; // a finger that drags a cell cannot scroll the chart in its box
        const now = [simulation, this.#width, lang, span, fits];
        if (now.every((part, i) => part === this.#drawn[i])) {
            this.#chart.dense.recolour();
            return;
        }
        this.#drawn = now;
        if (simulation === null || isTooLarge(simulation)) {
            if (this.#chart.svg) this.#height = box.clientHeight;
            this.#chart.clear();
            box.style.setProperty('min-height', simulation ? '0' : `${this.#height}px`);
            return;
        }
        box.style.removeProperty('min-height');
        this.#chart.draw(simulation, {
            lang,
            width: this.#width || 760,
            span,
            fits,
            moves: this.#byReader && !prefersStill() && !this.#editing.holding,
            idPrefix: this.#idPrefix,
            name: title(simulation, lang),
            cellName: (cell) => this.#cellName(simulation, cell),
            rowName: (rank) => textOf(lang, 'rank', rank + 1),
        });
    }

    /** What shares the axis of the chart. */
    #drawBeside() {
        const scene = this.#chart?.scene;
        if (!scene || !this.#simulation || !TEACHING_VIEWS.includes(this.#view ?? '')) return;
        const clock = /** @type {HTMLElement | null} */ (this.renderRoot.querySelector('.clock'));
        const inside = scene.width <= this.#width;
        clock?.style.setProperty('padding-left', inside ? `${scene.plot.left}px` : '8px');
        clock?.style.setProperty('padding-right', inside ? `${scene.width - scene.plot.right}px` : '8px');
        this.#teaching.draw(this.renderRoot, this.#setting(this.#simulation), scene);
    }

    /** @param {HTMLElement} box */
    #onResize(box) {
        if (box.clientWidth === 0 || box.clientWidth === this.#width) return;
        this.#width = box.clientWidth;
        this.#drawChart(box);
        if (this.#view !== null) this.requestUpdate();
    }

    /** Short and spoken. @param {Simulation} simulation @param {Selection} cell */
    #cellName({ actions, idle }, { kind, index }) {
        const lang = this.#lang;
        const at = (/** @type {number} */ time) => formatNumber(time, lang);
        if (kind === 'idle') return textOf(lang, 'cell_idle', at(idle.start[index]), at(idle.finish[index]));
        const op = textOf(lang, `op_${OPS[actions.op[index]]}`);
        const name = op[0].toLocaleUpperCase(lang) + op.slice(1);
        const numbers = [actions.microbatch[index] + 1, actions.stage[index] + 1];
        return textOf(lang, 'cell_action', name, ...numbers, at(actions.start[index]), at(actions.finish[index]));
    }

    // ---- events ----

    /** @param {string} name @param {any} detail */
    #fire(name, detail) {
        this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
    }

    /** @param {boolean} byReader @param {boolean} byUrl  read from the address of the page */
    #tell(byReader, byUrl) {
        const error = this.#error;
        const states = this.#internals.states;
        states?.[error ? 'add' : 'delete']('error');
        if (!states?.has('ready')) {
            states?.add('ready');
            openSection();
            this.#settle(true);
            this.#fire('pipeline-ready', { state: this.request });
        }
        if (error) this.#fire('pipeline-error', { code: error.code, option: error.option, message: error.message });
        if (!byReader && !byUrl) {
            this.#solved = this.#isSolved(); // by the page, which may ask its reader again
            return;
        }
        this.#fire('pipeline-change', { state: this.request, source: byReader ? 'user' : 'url' });
        if (!byReader) return;
        clearTimeout(this.#status);
        this.#status = setTimeout(() => this.#rest(), REST_MS);
    }

    /** The reader has come to rest: what was changed is told, kept in the address of the page, and checked. */
    #rest() {
        const checked = this.#checked();
        this.#announce();
        if (this.#simulation) {
            try {
                const link = this.#link(); // whole: a page may have a base of its own
                if (link !== null && link !== location.href) history.replaceState(history.state, '', link);
            } catch {} // a frame without an address, or a browser that has had enough
        }
        if (!checked) return;
        const solved = this.#isSolved();
        if (solved === this.#solved) return;
        this.#solved = solved;
        this.#fire('pipeline-answer', {
            challenge: this.#task.text,
            solved,
            terms: checked,
            state: this.request,
        });
    }

    /** One sentence for those who do not see the picture, once the value rests. A refusal speaks for itself. */
    #announce() {
        const line = this.renderRoot.querySelector('.announcement');
        const simulation = this.#simulation;
        if (!line) return;
        const lang = this.#lang;
        if (!simulation) line.textContent = '';
        else {
            const generated = this.#editing.generated(this.#editSetting());
            const time = countOf(simulation.summary.makespan, lang, 'tick');
            const share = formatShare(simulation.summary, 'utilization', lang);
            const said = textOf(lang, 'status', title(simulation, lang), time, share);
            const text = generated ? `${said} ${differenceText(simulation, generated, lang)}` : said;
            line.textContent = this.#isSolved() ? `${text} ${textOf(lang, 'challenge_solved')}` : text;
        }
    }

    /** @param {Selection | null} shown @param {'point' | 'pin' | 'key' | 'draw'} cause */
    #onShow(shown, cause) {
        this.#used ||= shown !== null;
        const drawn = this.#simulation ?? this.#error?.stall;
        if (drawn && shown?.kind === 'action' && (cause === 'pin' || cause === 'key')) {
            this.#editing.order.pick(drawn, shown.index);
        }
        if (!sameCell(shown, this.#shown) || cause === 'pin') this.requestUpdate();
        this.#shown = shown;
        const simulation = this.#simulation;
        if (!simulation || cause === 'draw' || cause === 'point') return;
        const { actions, idle } = simulation;
        const detail = !shown
            ? null
            : shown.kind === 'idle'
              ? { kind: 'idle', ...Object.fromEntries(IDLE.map((name) => [name, idle[name][shown.index]])) }
              : {
                    kind: 'action',
                    index: shown.index,
                    rank: actions.rank[shown.index],
                    op: OPS[actions.op[shown.index]],
                    stage: actions.stage[shown.index],
                    microbatch: actions.microbatch[shown.index],
                    start: actions.start[shown.index],
                    finish: actions.finish[shown.index],
                };
        this.#fire('pipeline-select', detail);
    }
}
