// <pipeline-figure>: attributes in, events out. This file holds the life of the element and its one dispatch: every change of
// what the figure shows goes through it (changes.js), becomes attributes and state (figure-state.js), is answered by the core,
// drawn (figure-view.js, stage.js) and told (report.js). Until the core is there, and wherever there is none, the static
// picture between the element's tags stands.
import { html, LitElement, nothing, unsafeCSS } from 'lit';
import { prepareCore } from '../engine/load.js';
import { loadPart } from '../parts/load.js';
import { readGiven } from '../request/file.js';
import { hashWith, holdsStates, placeFrom, requestFrom, stateText } from '../request/link.js';
import { presetNamed, presetOf } from '../request/presets.js';
import { asked, OPTIONS, ordersAnew, propertyOf, sameRequest } from '../request/state.js';
import { speaks, textOf } from '../words/strings.js';
import { fileChange, linkChange, optionsChange, releaseChange, shownChange, undoChange } from './changes.js';
import { FileDrop } from './edit-file.js';
import { FigureState, whoOf } from './figure-state.js';
import { editSetting, figureView, Shown, scheduleTrains, teachingSetting, VIEWS } from './figure-view.js';
import { Focus } from './focus.js';
import {
    learnLanguage,
    notNear,
    sharedEngine,
    sharedEngineNow,
    whenNear,
    wholeEngine,
    whyBlocked,
} from './hydration.js';
import { keepKeys, keepTouches } from './keys.js';
import { Late } from './late.js';
import { withMove } from './order-words.js';
import { Prediction } from './predict.js';
import { Formula, Numbers } from './readings.js';
import { Report } from './report.js';
import { untranslate } from './said.js';
import { openSection, watchSection } from './section.js';
import { Sentence } from './sentence.js';
import { isTooLarge, Stage, selectionDetail } from './stage.js';
import { styleSheet } from './styles.js';
import { groundOf, languageAround, prefersStill, schemeOf, watchPage } from './theme.js';
import { TEACHING_VIEWS } from './views.js';

/**
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('../engine/types.js').Simulation} Simulation
 * @typedef {import('../request/state.js').Request} Request
 * @typedef {import('./figure-state.js').Change} Change
 */

/** Views that belong to a step of the chapter. */
const STEP_VIEWS = ['compare', 'failure', 'batch'];
/** Views with a second chart on the axis of the first. */
const BESIDE_VIEWS = ['compare', 'failure'];

/** Ids of patterns must differ between the charts of one page. */
let figures = 0;

export class PipelineFigure extends LitElement {
    static properties = {
        ...Object.fromEntries(OPTIONS.map((name) => [propertyOf(name), { attribute: name, reflect: true }])),
        lang: { reflect: true },
        theme: { reflect: true },
        controls: { reflect: true },
        readonly: { type: Boolean, reflect: true },
        unanswered: { type: Boolean, reflect: true },
        preset: { reflect: true },
        lecture: { type: Boolean, reflect: true },
        challenge: { reflect: true },
        predict: { reflect: true },
        parts: { reflect: true },
        views: { reflect: true },
        view: { reflect: true },
        beside: { reflect: true },
        figureId: { attribute: 'figure-id', reflect: true },
        nowasm: { reflect: true },
    };

    static styles = unsafeCSS(styleSheet);

    /** @type {Engine | null} */
    #engine = null;
    /** Key and words of what keeps the core away. @type {{ key: string, detail: string[] } | null} */
    #blocked = null;
    #state = new FigureState();
    /** The request as it was read from the attributes for the present update. @type {Request} */
    #request = {};
    /** Changes that the next update carries out. @type {Change[]} */
    #changes = [];
    /** Of the update under way: who asked for it, and whether the core was asked. @type {{ by: import('./figure-state.js').By, answered: boolean }} */
    #carriedOut = { by: 'page', answered: false };
    /** What the figure showed at addresses that the reader has gone on from. @type {Map<string, { request: Request, file: import('../request/file.js').OpenFile | null }>} */
    #left = new Map();
    /** The preset as the page, or the figure itself, wrote it last. @type {string | null} */
    #presetSeen = null;
    #more = false;
    /** @type {string | null} */
    #view = null;
    /** What was open before the files were. @type {Pick<import('../request/link.js').Place, 'view' | 'time'>} */
    #beforeFiles = {};
    /** What a link or the page has named, until it is drawn: a cell, a moment. @type {import('../request/link.js').Place} */
    #wanted = {};
    /** What the page lights: 'path'. @type {string | null} */
    #lit = null;
    #printing = false;
    #lang = 'ru';
    #idPrefix = `pf${++figures}`;
    #internals = this.attachInternals();
    #report = new Report(this);
    #focus = new Focus();
    #update = () => this.requestUpdate();
    /** @type {(() => void) | undefined} */
    #unwatch;

    #parts = {
        sentence: new Sentence((option, value) => this.#changeOptions({ [option]: value }), this.#update),
        numbers: new Numbers(this.#update),
        formula: new Formula(),
        fileDrop: new FileDrop((name, text) => this.#takeFile(name, text), this.#update),
        files: this.#late('files', ({ Files, PythonPanel }) => ({
            files: new Files(this.#update),
            python: new PythonPanel(this.#update),
        })),
        training: this.#late(
            'training',
            ({ TrainingPanel }) =>
                new TrainingPanel(
                    this,
                    (/** @type {number} */ action) => this.#stage.chart?.light(action),
                    (/** @type {Request} */ changes) => this.#changeOptions(changes),
                ),
        ),
        teaching: this.#late('teaching', ({ Teaching }) => {
            const teaching = /** @type {import('./teaching.js').Teaching} */ (new Teaching(this.#update));
            teaching.compareWith(this.beside);
            return teaching;
        }),
        lecture: this.#late('teaching', ({ Lecture }) => {
            const lecture = /** @type {import('./lecture.js').Lecture} */ (
                new Lecture(this, {
                    step: () => presetOf(this.#request, this.#view)?.name,
                    goTo: (/** @type {string} */ name) => this.#goTo(name),
                    state: () => stateText(this.request, this.#place),
                    show: (/** @type {string} */ state) => this.show(state),
                    end: () => {
                        this.lecture = false;
                    },
                })
            );
            return lecture;
        }),
        editing: this.#late('editing', ({ Editing }) => this.#makeEditing(Editing)),
        prediction: new Prediction((term) => this.#reveal(term)),
    };
    #stage = new Stage(() => this.#parts.editing.here?.order, {
        update: this.#update,
        resized: () => {
            this.#drawStage('page');
            if (this.#view !== null) this.requestUpdate();
        },
        space: () => this.#onSpace(),
        chosen: (selection) => {
            const { simulation } = this.#state;
            if (simulation) this.#report.fire('pipeline-select', selectionDetail(simulation, selection));
        },
        stands: () => this.#drawn(),
    });
    #dropped = this.#parts.fileDrop.listeners(
        () => this.#mayOpenFile(),
        () => this.#lang,
    );

    /**
     * A panel that comes when a reader opens it, with the rest of the core.
     * @template Panel
     * @param {string} part @param {(part: any) => Panel} make
     * @returns {Late<Panel>}
     */
    #late(part, make) {
        const load = async () => {
            const [module] = await Promise.all([loadPart(part), wholeEngine(/** @type {Engine} */ (this.#engine))]);
            return module;
        };
        return new Late(load, make, this.#update);
    }

    /** @param {typeof import('./edit.js').Editing} Editing */
    #makeEditing(Editing) {
        const editing = new Editing(
            this.#update,
            (name, places) => this.#changeOptions({ moves: withMove(this.request.moves ?? null, name, places) }),
            this.#parts.fileDrop,
            () => this.#onGrip(),
            (timed) => this.#onRelease(timed),
        );
        const { chart, selection } = this.#stage;
        const drawn = this.#drawn();
        if (chart) editing.order.attach(chart);
        if (drawn && selection?.kind === 'action') editing.order.pick(drawn, selection.index);
        return editing;
    }

    constructor() {
        super();
        /** @type {string | null} */ this.theme = null;
        /** @type {string | null} */ this.controls = null;
        /** @type {boolean} */ this.readonly = false;
        /** The page has asked, and the answer waits. @type {boolean} */ this.unanswered = false;
        /** @type {string | null} */ this.preset = null;
        /** @type {boolean} */ this.lecture = false;
        /** @type {string | null} */ this.challenge = null;
        /** @type {string | null} */ this.predict = null;
        /** @type {string | null} */ this.parts = null;
        /** @type {string | null} */ this.views = null;
        /** @type {string | null} */ this.view = null;
        /** @type {string | null} */ this.beside = null;
        /** @type {string | null} */ this.figureId = null;
        /** @type {string | null} */ this.nowasm = null;
        /** Settles when the figure stands: true if it lives, false if only its static picture is shown. */
        this.ready = new Promise((resolve) => {
            this.#resolveReady = resolve;
        });
        for (const type of ['keydown', 'keypress', 'keyup']) this.addEventListener(type, /** @type {any} */ (keepKeys));
        for (const type of ['touchstart', 'touchmove']) this.addEventListener(type, keepTouches, { passive: true });
    }

    /** @type {(lives: boolean) => void} */
    #resolveReady = () => {};

    // ---- for the host ----

    /** The present simulation, null while the core refuses the request. Read only. */
    get simulation() {
        return this.#state.simulation;
    }

    /** What was refused, null if nothing was. Read only. */
    get error() {
        return this.#state.error;
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

    /**
     * Shows a state as the address of a page writes it: its setting, and the view, the cell or the moment it names.
     * @param {string} text @returns {boolean}  false before the figure lives
     */
    show(text) {
        const change = this.#engine && shownChange(this.#engine, text);
        if (change) this.#dispatch(change);
        return Boolean(change);
    }

    /** Does the figure stand at this state? @param {string} text */
    stands(text) {
        const { view, cell, idle } = placeFrom(text);
        const now = this.#place;
        const isAt = (
            /** @type {number | null | undefined} */ wanted,
            /** @type {number | null | undefined} */ index,
        ) => wanted === undefined || wanted === index;
        if (!sameRequest(requestFrom(text), this.request) || (view && view !== this.#view)) return false;
        return isAt(cell, now.cell) && isAt(idle, now.idle);
    }

    /** Lights what explains the time, until the next change: 'path', or null for nothing. @param {string | null} what */
    highlight(what) {
        this.#lit = what;
        this.requestUpdate();
    }

    // ---- life ----

    /** Sheets belong to a document: in another, such as that of a frame, a figure wears its own. */
    createRenderRoot() {
        const { defaultView } = this.ownerDocument;
        if (!defaultView || defaultView === window) return super.createRenderRoot();
        const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
        const sheet = new defaultView.CSSStyleSheet();
        sheet.replaceSync(styleSheet);
        root.adoptedStyleSheets = [sheet];
        return root;
    }

    adoptedCallback() {
        if (this.shadowRoot) this.createRenderRoot();
    }

    connectedCallback() {
        // lit writes its templates as HTML: in a page of XHTML they cannot be read, and the still picture stays.
        if (this.ownerDocument.contentType !== 'text/html') {
            this.#lang = languageAround(this);
            this.#refuse('blocked_xhtml', []);
            return;
        }
        super.connectedCallback();
        this.#unwatch = watchPage(this, this.#onPage);
        addEventListener('beforeprint', this.#onBeforePrint);
        addEventListener('afterprint', this.#onAfterPrint);
        addEventListener('hashchange', this.#onHash);
        watchSection();
        for (const [name, listener] of Object.entries(this.#dropped))
            this.addEventListener(name, /** @type {any} */ (listener));
        this.#onPage();
        // Also where the figure is far from the screen: it may be printed.
        prepareCore();
        learnLanguage(this.#lang).catch(() => {}); // whoever asks for it is told
        if (this.#engine === null) whenNear(this, () => this.#hydrate());
        else this.requestUpdate(); // what ran when it was taken out runs no more
    }

    disconnectedCallback() {
        super.disconnectedCallback();
        this.#unwatch?.();
        removeEventListener('beforeprint', this.#onBeforePrint);
        removeEventListener('afterprint', this.#onAfterPrint);
        removeEventListener('hashchange', this.#onHash);
        this.#parts.teaching.here?.clock.pause();
        this.#parts.editing.here?.close();
        this.#parts.lecture.here?.stop();
        notNear(this);
        this.#report.close();
    }

    async #hydrate() {
        try {
            const [engine] = await Promise.all([sharedEngine(this.nowasm), learnLanguage(this.#lang)]);
            this.#enliven(engine);
        } catch (error) {
            this.#block(error);
        }
    }

    /** @param {Engine} engine */
    #enliven(engine) {
        if (this.#engine !== null) return;
        this.#engine = engine;
        this.#blocked = null;
        this.#internals.states?.delete('blocked');
        this.requestUpdate();
        if (this.view) this.#open(this.view);
        this.#followPreset(true);
        this.#onHash(null);
    }

    /** @param {unknown} error @param {string} [key]  of the words that say why */
    #block(error, key = whyBlocked(error)) {
        const { file, came } = /** @type {any} */ (error);
        const detail = file ? [file, came] : [error instanceof Error ? error.message : String(error)];
        this.#blocked = { key, detail };
        this.requestUpdate();
        this.#refuse(key, detail);
    }

    /** There is a still picture only. @param {string} key  of the words that say why @param {string[]} detail */
    #refuse(key, detail) {
        this.#internals.states?.add('blocked');
        this.#resolveReady(false);
        const message = textOf(this.#lang, key, ...detail);
        this.#report.fire('pipeline-error', { code: key.replace('_', '-'), option: null, message });
    }

    /** The page may have another language or another ground. */
    #onPage = () => {
        const lang = languageAround(this);
        // Asked without its own answer, which would be taken for what the page says.
        const { states } = this.#internals;
        for (const state of ['dark', 'light', 'ground']) states?.delete(state);
        const ground = groundOf(this);
        if (ground !== schemeOf(this)) {
            if (this.theme === 'dark' || this.theme === 'light') states?.add('ground');
            else if (ground === 'dark') states?.add('dark');
            else states?.add('light');
        }
        this.#stage.chart?.dense.recolour();
        this.#parts.teaching.here?.recolour();
        this.#parts.training.here?.recolour(this.renderRoot);
        if (lang === this.#lang) return;
        if (!speaks(lang) && this.#engine) {
            learnLanguage(lang).then(this.#onPage, () => {}); // until then it goes on in the other one
            return;
        }
        this.#lang = lang;
        this.#parts.training.here?.relabel();
        const { error, file } = this.#state;
        if (error)
            this.#dispatch({ by: 'page', again: true }); // messages of the core are in one language
        else if (file && this.#engine) this.#state.relabel(this.#engine, lang, this.request);
        this.requestUpdate();
    };

    // Work done later is not on the paper, so all of this is done at once.
    #onBeforePrint = () => {
        const engine = this.#engine ?? sharedEngineNow();
        if (!engine || !speaks(this.#lang)) return;
        this.#enliven(engine);
        this.#printing = true;
        this.#stage.chart?.settle();
        this.requestUpdate();
        this.performUpdate();
    };

    #onAfterPrint = () => {
        this.#printing = false;
        this.requestUpdate();
    };

    // ---- changes ----

    /** The one way to change what the figure shows, but for the attributes that the page sets itself. @param {Change} change */
    #dispatch(change) {
        const now = this.request;
        this.#state.apply(change, now);
        if (change.view !== undefined) this.#open(change.view);
        if (change.place) this.#look(change.place);
        if (change.request) this.#writeAttributes(change.request, now);
        this.#changes.push(change);
        this.requestUpdate(); // fields show what is, also where nothing has changed
    }

    /** Looks at what a state names beside the setting. @param {import('../request/link.js').Place} place */
    #look(place) {
        const { view } = place;
        if (view && [...TEACHING_VIEWS, ...VIEWS].includes(view)) this.#open(view);
        else if (STEP_VIEWS.includes(this.#view ?? '')) this.#open(this.view);
        this.#stage.chart?.release();
        this.#wanted = place;
        this.#lit = null;
    }

    /** Where the reader looks, for a link. @returns {import('../request/link.js').Place} */
    get #place() {
        const { chart, selection } = this.#stage;
        const chosen = chart?.pinned ? selection : null;
        return {
            cell: chosen?.kind === 'action' ? chosen.index : null,
            idle: chosen?.kind === 'idle' ? chosen.index : null,
            ...(this.#view === 'files' ? this.#beforeFiles : this.#seen),
        };
    }

    /** The open view, where it is not the author's, and the moment at which time stands in it. */
    get #seen() {
        return {
            view: this.#view === this.view ? null : this.#view,
            time: this.#view === 'play' ? (this.#parts.teaching.here?.clock.time ?? null) : null,
        };
    }

    /** What a link or the page has named is chosen, now that it is drawn. */
    #findWanted() {
        const { cell, idle, time } = this.#wanted;
        const { simulation } = this.#state;
        const { chart } = this.#stage;
        if (!simulation) return;
        this.#wanted = {};
        if (typeof cell === 'number' && cell < simulation.actions.count)
            chart?.pick({ kind: 'action', index: cell }, false);
        if (typeof idle === 'number' && idle < simulation.idle.count) chart?.pick({ kind: 'idle', index: idle }, false);
        if (typeof time !== 'number' || this.#view !== 'play') return;
        this.#parts.teaching.ask(({ clock }) => {
            if (clock.time === null) clock.open(simulation);
            clock.set(time);
        });
    }

    /** @param {Request} request @param {Request} now */
    #writeAttributes(request, now) {
        for (const name of OPTIONS) {
            const value = request[name] ?? null;
            if ((now[name] ?? null) !== value) /** @type {any} */ (this)[propertyOf(name)] = value;
        }
    }

    /** The address of the page may say what the figure is to show. @param {HashChangeEvent | null} event */
    #onHash = (event) => {
        const engine = this.#engine;
        if (engine === null || !this.figureId) return;
        const now = this.request;
        if (event) this.#left.set(event.oldURL, { request: now, file: this.#state.file });
        const change = linkChange(engine, this.figureId, this.#state, now, this.#left.get(location.href), this.#place);
        if (change) this.#dispatch(change);
    };

    /** The address of the page with the present state in it, null where it has no place for one. Whole: a page may have a base of its own. */
    #link() {
        if (!this.figureId || this.#state.file || !holdsStates(location.hash)) return null;
        return new URL(hashWith(location.hash, this.figureId, stateText(this.request, this.#place)), location.href)
            .href;
    }

    /**
     * The page has named a step: its settings are taken; at first only those that no attribute gives.
     * @param {boolean} first
     */
    #followPreset(first) {
        if (this.preset === this.#presetSeen) return;
        this.#presetSeen = this.preset;
        const preset = presetNamed(this.preset);
        if (!preset) return;
        const request = first ? { ...preset.request, ...this.request } : preset.request;
        this.#dispatch({ by: 'page', request, aside: {}, view: preset.view ?? null });
    }

    /** A reader goes to a step. @param {string} name */
    #goTo(name) {
        const preset = presetNamed(name);
        if (!preset || this.readonly) return;
        const leaves = preset.view || STEP_VIEWS.includes(this.#view ?? '');
        const view = leaves ? (preset.view ?? null) : undefined;
        this.#dispatch({ by: 'reader', request: preset.request, aside: {}, file: null, undo: '', view });
    }

    /** A reader changes options. @param {Request} changes */
    #changeOptions(changes) {
        if (this.#engine === null || this.readonly) return;
        this.#dispatch(optionsChange(this.#engine, this.#state, this.request, changes));
    }

    #mayOpenFile() {
        return this.#shows().control('edit') && this.#engine !== null;
    }

    /** @param {string} name @param {string} text  that a reader gives the figure */
    #takeFile(name, text) {
        return new Promise((/** @type {(reading: import('../request/file.js').Reading | null) => void} */ read) => {
            this.#parts.editing.ask((editing) => {
                editing.part = 'file';
                read(this.#openFile(name, text));
            });
        });
    }

    /** A reader opens a file: a schedule, which is shown, or costs for the present one. @param {string} name @param {string} text */
    #openFile(name, text) {
        const engine = this.#engine;
        const { known } = this.#state;
        if (!engine || !known || !this.#mayOpenFile()) return null;
        engine.lang = this.#lang;
        const reading = readGiven(engine, name, text, known.config);
        if (reading.changes) this.#changeOptions(reading.changes);
        if (reading.file) this.#dispatch(fileChange(reading.file, this.#state, this.request));
        return reading;
    }

    /** The open file is shown another way, or closed. @param {import('../request/file.js').OpenFile | null} file */
    #setFile(file) {
        const request = file ? undefined : (this.#state.file?.before ?? {});
        this.#dispatch({ by: 'reader', request, file, undo: '' });
    }

    /** A reader takes a change back, or makes it again. @param {boolean} back */
    #travel(back) {
        const change = this.readonly ? null : undoChange(this.#state, this.request, back);
        if (change) this.#dispatch(change);
    }

    /** L begins a lecture and ends it, on a Russian keyboard too. @param {KeyboardEvent} event */
    #onLectureKey(event) {
        const { code, ctrlKey, metaKey, altKey, shiftKey, target } = event;
        if (code !== 'KeyL' || ctrlKey || metaKey || altKey || shiftKey) return;
        if (target instanceof Element && target.matches('input:not([type="range"]), select, textarea')) return;
        event.preventDefault();
        this.lecture = !this.lecture;
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

    /** A handle is being dragged: until it is let go of, all changes are one, and the order stands. */
    #onGrip() {
        this.#state.history.begin();
        if (this.#engine && !this.#state.file) this.#parts.editing.here?.hold(this.#engine, this.request);
    }

    /** @param {boolean} timed  the step was only timed while the handle moved */
    #onRelease(timed) {
        this.#state.history.end();
        const change = timed && this.#engine && releaseChange(this.#engine, this.#state, this.request);
        if (change) this.#dispatch(change);
    }

    /** Opens a view and closes the one that was open. @param {string | null} view */
    #open(view) {
        if (this.#view === view) return;
        if (this.#view === 'train') this.#parts.training.here?.reset();
        // A link is copied from the files: it leads to what the reader saw before they were opened.
        this.#beforeFiles = view === 'files' ? this.#seen : {};
        this.#parts.teaching.here?.reset();
        this.#view = view;
        this.requestUpdate();
    }

    /** The space bar on the chart: the time runs, or stops; where nothing may move by itself it goes a step. */
    #onSpace() {
        const { simulation } = this.#state;
        if (!simulation || !this.#shows().views) return;
        this.#open('play');
        this.#parts.teaching.ask(({ clock }) => {
            if (clock.time === null) clock.open(simulation);
            if (!prefersStill()) clock.toggle();
            else clock.step(1);
        });
    }

    // ---- an update: the core is asked, the figure drawn, the answer told ----

    /** Whatever goes wrong while the figure is drawn, the reader keeps the static picture, and the page hears of it. */
    performUpdate() {
        try {
            super.performUpdate();
        } catch (error) {
            // The words of a fault are all that is drawn then; if they fail too, there is nothing left to try.
            if (this.#blocked?.key === 'blocked_fault') throw error;
            console.error(error);
            this.#request = this.request; // until another one comes, the fault would come again
            this.#block(error, 'blocked_fault');
        }
    }

    /** After a fault: the figure is made again from its attributes. */
    #standUp() {
        this.#blocked = null;
        this.#internals.states?.delete('blocked');
        this.requestUpdate();
    }

    /** @param {Map<string, unknown>} changed */
    willUpdate(changed) {
        if (this.shadowRoot) {
            untranslate(this.shadowRoot);
            this.#focus.note(this.shadowRoot);
        }
        if (changed.has('lang') || changed.has('theme')) this.#onPage();
        const engine = this.#engine;
        // A fault holds until the page asks for something else, or the reader tries again.
        if (this.#blocked && engine && !sameRequest(this.#request, this.request)) this.#standUp();
        if (engine === null || this.#blocked) return;
        engine.lang = this.#lang; // shared with figures in another language
        if (changed.has('figureId')) this.#onHash(null);
        if (this.lecture && this.isConnected) this.#parts.lecture.ask((lecture) => this.lecture && lecture.start());
        else this.#parts.lecture.here?.stop();
        if (this.hasUpdated) this.#followPreset(false);
        if (this.readonly && this.#view === 'train') this.#open(null);
        const state = this.#state;
        const by = whoOf(this.#changes.splice(0));
        this.#request = this.request;
        // A page that asks for another order does not mean the file.
        if (by !== 'reader' && state.answered && ordersAnew(state.answered, this.#request)) state.file = null;
        const answered = !state.answered || !sameRequest(this.#request, state.answered);
        if (answered) this.#ask(engine, by, changed);
        this.#carriedOut = { by, answered };
        const { simulation } = state;
        if (this.preset !== null) this.preset = this.#presetSeen = presetOf(this.#request, this.#view)?.name ?? '';
        this.#report.readChallenge(this.challenge, simulation, this.#lang);
        const clock = this.#parts.teaching.here?.clock;
        if (this.#view === 'play' && simulation && clock?.time === null) clock.open(simulation);
        // Out of the page there is nobody who would free it.
        const trains = this.isConnected && this.#view === 'train' && simulation && !state.file;
        if (trains && scheduleTrains(engine, simulation)) {
            this.#parts.training.here?.prepare(engine, asked(this.#request), prefersStill());
        }
    }

    /** @param {Engine} engine @param {import('./figure-state.js').By} by @param {Map<string, unknown>} changed */
    #ask(engine, by, changed) {
        const { editing, training, teaching, files } = this.#parts;
        const asked = this.#request;
        this.#writeAttributes(this.#state.answer(engine, asked, by, changed, editing.here?.time(asked) ?? null), asked);
        this.#request = this.request;
        // What was shown of the last simulation has no meaning in this one.
        this.#lit = null;
        this.#stage.selection = null;
        training.here?.reset();
        teaching.here?.reset();
        files.here?.files.reset();
    }

    #shows() {
        return new Shown(this);
    }

    /** What the chart shows: also an order that cannot run, as far as it comes. */
    #drawn() {
        return this.#state.simulation ?? /** @type {Simulation | null} */ (this.#state.error?.stall ?? null);
    }

    /** The figure as it is to be drawn. @returns {import('./figure-view.js').Figure} */
    #figure() {
        const { simulation } = this.#state;
        return {
            engine: /** @type {Engine} */ (this.#engine),
            state: this.#state,
            request: this.#request,
            lang: this.#lang,
            view: this.#view,
            more: this.#more,
            printing: this.#printing,
            predict: this.predict,
            readonly: this.readonly,
            shows: this.#shows(),
            checked: this.#report.checked(simulation),
            idPrefix: this.#idPrefix,
            stage: this.#stage,
            parts: this.#parts,
            act: {
                change: (changes) => this.#changeOptions(changes),
                goTo: (name) => this.#goTo(name),
                open: (view) => this.#open(view),
                toggleMore: () => {
                    this.#more = !this.#more;
                    this.requestUpdate();
                },
                toggleEditing: () => this.#parts.editing.ask((editing) => editing.toggle()),
                setFile: (file) => this.#setFile(file),
                travel: (back) => this.#travel(back),
                keys: (event) => {
                    this.#onUndoKey(event);
                    this.#onLectureKey(event);
                },
                link: () => this.#link(),
            },
        };
    }

    render() {
        const { key, detail } = this.#blocked ?? {};
        const lives = this.#engine !== null && this.#blocked === null;
        const again =
            key === 'part_lost' || key === 'blocked_fault'
                ? html`<button type="button" class="action" @click=${() => (this.#engine ? this.#standUp() : this.#hydrate())}>${textOf(this.#lang, 'part_again')}</button>`
                : nothing;
        return html`
            ${lives ? figureView(this.#figure()) : nothing}
            <p class="blocked" part="blocked" role="status">${key ? textOf(this.#lang, key, ...(detail ?? [])) : nothing} ${again}</p>
            ${lives ? nothing : html`<slot></slot><slot name="caption" part="caption"></slot>`}
            <p class="unseen announcement" part="status" role="status"></p>`;
    }

    /** @param {Map<string, unknown>} _changed */
    updated(_changed) {
        if (this.#engine === null || this.#blocked) return;
        const { by, answered } = this.#carriedOut;
        const { editing, training, teaching } = this.#parts;
        const { chart } = this.#drawStage(by);
        if (chart) editing.here?.order.drawn(chart);
        training.here?.draw(this.renderRoot, this.#idPrefix);
        chart?.showTime(this.#shownTime());
        chart?.showPath(this.#view === 'path' || this.#lit === 'path');
        this.#findWanted();
        this.#drawBeside();
        this.#internals.states?.[training.here?.running || teaching.here?.clock.playing ? 'add' : 'delete']('playing');
        if (answered) this.#tell(by);
        this.#focus.keep();
    }

    /** The time that runs, or at which a device fails. */
    #shownTime() {
        const { simulation } = this.#state;
        const teaching = this.#parts.teaching.here;
        if (!teaching) return null;
        if (this.#view === 'play') return teaching.clock.time;
        if (this.#view !== 'failure' || !simulation) return null;
        return teaching.incident.time(teachingSetting(this.#figure(), simulation));
    }

    /** @param {import('./figure-state.js').By} by */
    #drawStage(by) {
        const box = /** @type {HTMLElement | null} */ (this.renderRoot.querySelector('.chart'));
        if (!box) return this.#stage;
        const { editing, teaching, training } = this.#parts;
        const simulation = this.#drawn();
        const view = this.#view ?? '';
        const compares =
            BESIDE_VIEWS.includes(view) &&
            this.#state.simulation !== null &&
            simulation !== null &&
            !isTooLarge(simulation) &&
            !this.#printing;
        this.#stage.draw(box, {
            simulation,
            lang: this.#lang,
            span: compares
                ? (teaching.here?.span(teachingSetting(this.#figure(), simulation), view) ?? 0)
                : view === 'train'
                  ? (training.here?.span ?? 0)
                  : 0,
            fits: compares || editing.here?.order.open === true, // a finger that drags a cell cannot scroll the chart in its box
            moves: by === 'reader' && !prefersStill() && !editing.here?.holding,
            idPrefix: this.#idPrefix,
        });
        return this.#stage;
    }

    /** What shares the axis of the chart. */
    #drawBeside() {
        const scene = this.#stage.chart?.scene;
        const { simulation } = this.#state;
        if (!scene || !simulation || !TEACHING_VIEWS.includes(this.#view ?? '')) return;
        this.#stage.alignClock(this.renderRoot.querySelector('.clock'), scene);
        this.#parts.teaching.here?.draw(this.renderRoot, teachingSetting(this.#figure(), simulation), scene);
    }

    /** @param {import('./figure-state.js').By} by */
    #tell(by) {
        const states = this.#internals.states;
        states?.[this.#state.error ? 'add' : 'delete']('error');
        if (!states?.has('ready')) {
            states?.add('ready');
            openSection();
            this.#resolveReady(true);
            this.#report.fire('pipeline-ready', { state: this.request });
        }
        this.#report.tell(by, () => ({
            simulation: this.#state.simulation,
            error: this.#state.error,
            request: this.request,
            lang: this.#lang,
            link: () => this.#link(),
            generated: () => this.#parts.editing.here?.generated(editSetting(this.#figure())) ?? null,
        }));
    }

    /** The reader has said what to expect. @param {import('./challenge.js').Checked | null} term */
    async #reveal(term) {
        this.requestUpdate();
        if (term) {
            const challenge = `predict ${term.name}`;
            const state = this.request;
            this.#report.fire('pipeline-answer', { challenge, solved: term.holds, terms: [term], state });
        }
        await this.updateComplete;
        const root = this.renderRoot;
        /** @type {HTMLElement | null} */ (root.querySelector('.said') ?? root.querySelector('input, select'))?.focus();
    }
}
