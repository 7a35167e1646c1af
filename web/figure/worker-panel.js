// «With a thread for each device»: in the training panel, steps by one worker a rank, what the clock showed of them, and the
// same by one thread. Where no worker can be had the steps are made in slices by the page's own thread, and that is said.
import { html, nothing } from 'lit';
import { live } from 'lit/directives/live.js';
import {
    costChanges,
    endOf,
    MOST_WORKERS,
    measuredOf,
    median,
    middleStep,
    pageWorker,
    predict,
    WorkerRun,
    withCosts,
    workersKnown,
} from '../engine/workers.js';
import { buildScene } from '../scene/scene.js';
import { renderScene, updateSvg } from '../scene/svg.js';
import { countOf, formatNumber } from '../words/numbers.js';
import { OPS } from '../words/ops.js';
import { textOf } from '../words/strings.js';

/** @typedef {import('../engine/engine.js').Engine} Engine @typedef {import('../engine/training.js').Training} Training */

/** Steps by workers; those before the times count; steps by one thread, before and after. */
const STEPS = 20;
const WARM = 5;
const ALONE = 5;
/** Steps between two savings of the weights. */
const EVERY = 4;
/** The page's thread works no longer without a pause. */
const SLICE_MS = 12;

/** The first of each is what a network has unasked. */
const CHOICES = { width: ['16', '64', '128', '256', '512'], batch: ['32', '128', '512'] };

/** Until the next frame, or a little while where there are none. */
const pause = () => new Promise((go) => setTimeout(go, 0));

/**
 * Makes steps on this thread, which is given back to the page in between; what the page then does is taken out of the times.
 * @param {Training} training @param {() => boolean} wanted  no: null, and the training may be gone
 */
function stepsInSlices(training, wanted) {
    const { count } = training.simulation.actions;
    const fresh = () => ({ start: new Float64Array(count), finish: new Float64Array(count) });
    let ahead = fresh(); // of the next step, where there is no flush
    let away = 0;
    let left = performance.now();
    const now = () => performance.now() - away;
    return async () => {
        const own = ahead;
        ahead = fresh();
        away += performance.now() - left;
        let until = performance.now() + SLICE_MS;
        const begun = now();
        for (;;) {
            const from = now();
            const { action, done, ahead: early } = training.next();
            if (done) break;
            const of = early ? ahead : own;
            of.start[action] = from;
            of.finish[action] = now();
            if (performance.now() < until) continue;
            left = performance.now();
            await pause();
            if (!wanted()) return null;
            away += performance.now() - left;
            until = performance.now() + SLICE_MS;
        }
        left = performance.now();
        return { ...own, ended: [now()], took: now() - begun };
    };
}

/** The smallest step of the clock, ms: pages are given a coarse one. */
function clockStep() {
    const begun = performance.now();
    let now = begun;
    while (now === begun) now = performance.now();
    return now - begun;
}

/** What of a request decides what runs, rather than how long it is thought to take. @param {Record<string, any>} request */
const shapeOf = (request) => JSON.stringify(withCosts(Object.entries(request), {}).filter(([, value]) => value));

export class WorkerPanel {
    #update;
    #change;
    #adopt;
    /** Settings of the network that matter here, as chosen. */
    settings = { width: '', batch: '' };
    #lose = '';
    #busy = false;
    /** Grows when what is under way is no longer wanted. */
    #turn = 0;
    /** @type {WorkerRun | null} */ #run = null;
    /** @type {any} */ #result = null;
    #failed = '';

    /**
     * @param {() => void} update @param {(changes: Record<string, string>) => void} change  of the figure's request
     * @param {(records: any[]) => void} adopt  takes the records of steps made here
     */
    constructor(update, change, adopt) {
        this.#update = update;
        this.#change = change;
        this.#adopt = adopt;
    }

    get busy() {
        return this.#busy;
    }

    /** What is under way ends; what was measured stays until another schedule comes. */
    stop() {
        this.#turn++;
        this.#run?.close();
        this.#run = null;
        this.#busy = false;
    }

    /** Are the costs of the figure those measured? @param {Record<string, any>} request */
    #isFed(request) {
        return (
            this.#result !== null &&
            Object.entries(this.#result.costs).every(([name, text]) => (request[name] ?? '') === text)
        );
    }

    /** Time that the simulated chart is to reach to, so that both have one axis; 0: its own. @param {Record<string, any>} request */
    span(request) {
        return this.#isFed(request) ? this.#result.step.summary.makespan : 0;
    }

    // ---- running ----

    /** @param {Engine} engine @param {Training} training @param {Record<string, any>} request */
    async #start(engine, training, request) {
        const turn = ++this.#turn;
        const wanted = () => turn === this.#turn;
        this.#busy = true;
        this.#failed = '';
        this.#update();
        try {
            const one = /** @type {number[]} */ ([]);
            const step = stepsInSlices(training, wanted);
            const alone = async () => {
                for (let i = 0; i < ALONE; i++) {
                    const made = await step();
                    if (!made) return;
                    one.push(made.took);
                    this.#adopt([training.step()]);
                    await pause();
                    if (!wanted()) return;
                }
            };
            await alone();
            if (!wanted()) return;
            const by =
                (await this.#byWorkers(engine, training)) ?? (wanted() && (await this.#inSlices(training, step)));
            if (!by || !wanted()) return;
            const difference = await this.#catchUp(training, by.records, wanted);
            await alone();
            if (wanted()) this.#conclude(engine, request, { ...by, difference, stream: training.stream }, one);
        } catch (error) {
            if (wanted()) this.#failed = String(error);
        } finally {
            if (wanted()) this.stop();
            this.#update();
        }
    }

    /** The action in the middle of the list of the rank that is to be lost. @param {any} actions @param {number} step */
    #killed({ rank }, step) {
        if (this.#lose === '') return undefined;
        const wanted = Number(this.#lose);
        const first = rank.indexOf(wanted);
        const action = Math.floor((first + rank.lastIndexOf(wanted)) / 2);
        return first < 0 ? undefined : { step, action };
    }

    /** null where there are no workers. @param {Engine} engine @param {Training} training */
    async #byWorkers(engine, training) {
        const { actions, config } = training.simulation;
        const { step } = training.state;
        this.reason = !workersKnown(engine) ? 'workers_unknown' : config.ranks > MOST_WORKERS ? 'workers_many' : '';
        if (this.reason) return null;
        try {
            this.#run = new WorkerRun(training, pageWorker);
            await this.#run.start();
        } catch {
            this.#run = null;
            this.reason = 'workers_refused';
            return null;
        }
        const run = this.#run;
        const every = EVERY;
        const first = await run.advance(WARM, { every });
        const kill = this.#killed(actions, step + WARM + EVERY + 1);
        const records = await run.advance(STEPS, { every, kill });
        // From the end of one step to the end of the next; the middle of them, which a loss does not move.
        const ends = records.map(({ finish }) => Math.max(...finish));
        const each = median(ends.slice(1).map((end, i) => end - ends[i]));
        training.state = run.state;
        const { losses } = run;
        run.close();
        return { records: [...first, ...records], timed: records, each, losses, workers: config.ranks };
    }

    /** The same steps, one action after another on this thread. @param {Training} training @param {() => Promise<any>} step */
    async #inSlices(training, step) {
        const timed = [];
        for (let n = 0; n < STEPS; n++) {
            const made = await step();
            if (!made) return null;
            const record = training.step();
            timed.push({ ...record, ...made });
            this.#adopt([record]);
        }
        return { records: [], timed, each: Number.NaN, losses: [], workers: 0 };
    }

    /**
     * The unpipelined network makes the steps that the workers made.
     * @param {Training} training @param {any[]} records @param {() => boolean} wanted
     */
    async #catchUp(training, records, wanted) {
        let difference = Number.NaN;
        let until = performance.now() + SLICE_MS;
        for (const [i, { loss }] of records.entries()) {
            const record = training.step();
            // Gradients stay with the workers, and weights come with the last step.
            record.gradient_difference = Number.NaN;
            if (i < records.length - 1) record.weight_difference = Number.NaN;
            else difference = record.weight_difference;
            this.#adopt([{ ...record, loss }]);
            if (performance.now() < until) continue;
            await pause();
            if (!wanted()) break;
            until = performance.now() + SLICE_MS;
        }
        return difference;
    }

    /** @param {Engine} engine @param {Record<string, any>} request @param {any} by @param {number[]} one */
    #conclude(engine, request, { timed, each, losses, workers, difference, stream }, one) {
        const group = middleStep([timed], stream);
        const middle = group[group.length >> 1];
        const { step, costs } = measuredOf(engine, Object.entries(request), group);
        const begun = Math.min(...middle.start);
        // As a reader would type them: four digits are more than any clock of a page has.
        const clock = clockStep();
        const texts = Object.fromEntries(
            Object.entries(costs).map(([name, list]) => [
                name,
                Array.from(list, (value) => Number(value.toPrecision(4))).join(' '),
            ]),
        );
        /** @type {any} */ let predicted = null;
        try {
            predicted = predict(engine, Object.entries(request), texts);
        } catch {} // costs that do not go with another option of the request
        this.#result = {
            shape: shapeOf(request),
            step,
            others: group
                .filter((other) => other !== middle)
                .map(({ start, finish }) => ({
                    rank: step.actions.rank,
                    start: start.map((/** @type {number} */ time) => time - begun),
                    finish: finish.map((/** @type {number} */ time) => time - begun),
                })),
            costs: texts,
            feed: costChanges(texts),
            predicted,
            number: middle.step,
            one: median(one),
            many: each,
            losses,
            workers,
            difference,
            end: endOf(middle),
            coarse: costs.forward.some((value) => value < 5 * clock),
            blind:
                4 *
                    middle.finish.filter(
                        (/** @type {number} */ time, /** @type {number} */ i) => time > middle.start[i],
                    ).length <
                middle.start.length,
            reason: this.reason,
            stage: costs.forward.reduce((sum, value) => sum + value, 0) / costs.forward.length,
            hop: costs.latency ? Math.max(...costs.latency) : Number.NaN,
        };
    }

    // ---- picture ----

    /**
     * @param {{ engine: Engine, training: Training, request: Record<string, any>, lang: string, reset: () => void,
     *     begin: () => void }} context
     */
    render({ engine, training, request, lang, reset, begin }) {
        const t = (/** @type {string} */ key, /** @type {(string | number)[]} */ ...values) =>
            textOf(lang, key, ...values);
        if (this.#result && this.#result.shape !== shapeOf(request)) this.#result = null;
        const { ranks } = training.simulation.config;
        const choose = (/** @type {'width' | 'batch'} */ name) => (/** @type {Event} */ event) => {
            const { value } = /** @type {HTMLSelectElement} */ (event.target);
            this.settings[name] = value === CHOICES[name][0] ? '' : value;
            reset();
        };
        const lose = (/** @type {Event} */ event) => {
            this.#lose = /** @type {HTMLSelectElement} */ (event.target).value;
        };
        const select = (/** @type {'width' | 'batch'} */ name) => {
            const shown = this.settings[name] || CHOICES[name][0];
            return html`<label class="field"><span>${t(`workers_${name}`)}</span>
                <select data-worker=${name} ?disabled=${this.#busy} .value=${live(shown)} @change=${choose(name)}>${CHOICES[name].map((value) => html`<option ?selected=${value === shown}>${value}</option>`)}</select></label>`;
        };
        const cores = typeof navigator === 'undefined' ? 0 : (navigator.hardwareConcurrency ?? 0);
        const start = () => {
            begin();
            this.#start(engine, training, request);
        };
        const devices = Array.from({ length: Math.min(ranks, MOST_WORKERS) }, (_, rank) => rank);
        return html`<section class="workers" aria-labelledby="workers">
            <p id="workers" class="title">${t('workers_title')}</p>
            <p>${t('workers_intro', countOf(WARM + STEPS, lang, 'step'))} ${cores > 0 ? t('workers_cores', cores) : nothing}</p>
            <div class="fields">
                ${select('width')} ${select('batch')}
                <label class="field"><span>${t('workers_lose')}</span>
                    <select data-worker="lose" ?disabled=${this.#busy} .value=${live(this.#lose)} @change=${lose}><option value="">${t('workers_lose_none')}</option>${devices.map((rank) => html`<option value=${rank} ?selected=${String(rank) === this.#lose}>${t('rank', rank + 1)}</option>`)}</select></label>
            </div>
            <div class="buttons">
                <button type="button" class="action" data-worker="run" ?disabled=${this.#busy} @click=${start}>${t(this.#busy ? 'workers_running' : 'workers_run')}</button>
            </div>
            <div role="status">${this.#failed ? html`<p class="refusal">${t('workers_failed', this.#failed)}</p>` : nothing}
            ${this.#result ? this.#renderResult(this.#result, training, request, lang, t) : nothing}</div>
        </section>`;
    }

    /**
     * @param {any} result @param {Training} training @param {Record<string, any>} request @param {string} lang
     * @param {(key: string, ...values: (string | number)[]) => string} t
     */
    #renderResult(result, training, request, lang, t) {
        const number = (/** @type {number} */ value, digits = 2) =>
            Number.isFinite(value) ? formatNumber(value, lang, digits) : '—';
        // Below the step of the clock nothing was measured, and 0 would look as if it had been.
        const told = (/** @type {number} */ value, digits = 2) => (value > 0 ? number(value, digits) : '—');
        const { actions } = training.simulation;
        const { one, many, predicted, step, workers } = result;
        const gain = one / many;
        const speedup = !Number.isFinite(gain)
            ? '—'
            : gain > 1
              ? t('workers_faster', countOf(gain, lang, 'times'))
              : t('workers_slower', countOf(1 / gain, lang, 'times'));
        const model = predicted?.speedup ?? Number.NaN;
        /** @type {[string, string, string][]} */
        const rows = [
            ['one', t('workers_one'), number(one)],
            ['many', t('workers_many_ms'), number(many)],
            ['speedup', t('workers_speedup'), speedup],
            ['model', t('workers_model'), workers > 0 ? told(model) : '—'],
            ['operations', t('workers_step'), number(step.summary.makespan)],
            ['predicted', t('workers_predicted'), number(predicted?.makespan ?? Number.NaN)],
            ['end', t('workers_end'), told(result.end, 3)],
            ['hop', t('workers_hop'), workers > 0 ? told(result.hop, 3) : '—'],
            ['stage', t('workers_stage'), told(result.stage, 3)],
        ];
        const name = (/** @type {number} */ i) =>
            `${OPS[actions.op[i]]}${actions.stage[i] + 1}·${actions.microbatch[i] + 1}`;
        return html`
            ${result.reason ? html`<p class="note">${t('workers_none', t(result.reason, MOST_WORKERS))}</p>` : nothing}
            ${
                // Most operations would have no length at all: there is no chart that tells anything.
                result.blind
                    ? nothing
                    : html`<p>${t('workers_chart', result.number)}</p><div class="beside" data-plot="measured"></div>`
            }
            ${result.coarse || result.blind ? html`<p class="note">${t('workers_coarse')}</p>` : nothing}
            ${result.others.length > 0 ? html`<p class="note">${t('workers_stream')}</p>` : nothing}
            <table class="numbers-table" aria-label=${t('workers_table')}><tbody>${rows.map(([key, label, value]) => html`<tr><th scope="row">${label}</th><td data-worker-value=${key}>${value}</td></tr>`)}</tbody></table>
            ${result.losses.map((/** @type {any} */ { rank, action, step: at, from }) => html`<p class="note" data-worker-loss>${t('workers_lost', rank + 1, action < 0 ? '—' : name(action), at + 1, from)} ${training.stream ? t('workers_lost_stream') : nothing} ${result.difference === 0 ? t('workers_same') : t('workers_near', result.difference.toExponential(0))}</p>`)}
            ${
                this.#isFed(request)
                    ? html`<p class="note">${t('workers_fed')}</p>`
                    : html`<div class="buttons"><button type="button" class="action" data-worker="feed" @click=${() => this.#change(result.feed)}>${t('workers_feed')}</button></div>`
            }`;
    }

    /** The measured chart, after the template is in the page. @param {ParentNode} root @param {string} lang @param {Record<string, any>} request @param {string} idPrefix */
    draw(root, lang, request, idPrefix) {
        const box = root.querySelector('[data-plot="measured"]');
        if (!box || !this.#result) return;
        const { step, others } = this.#result;
        const span = this.#isFed(request) ? Math.max(step.summary.makespan, this.#result.predicted?.list ?? 0) : 0;
        const width = box.clientWidth || 760;
        const of = `${width} ${span} ${lang} ${this.#result.number} ${step.summary.makespan}`;
        const old = /** @type {SVGSVGElement | null} */ (box.firstElementChild);
        if (old?.getAttribute('data-of') === of) return;
        const scene = buildScene(step, { lang, width, span, phases: false, idPrefix, others });
        const picture = old ?? renderScene(scene, document);
        if (old) updateSvg(old, scene);
        else box.replaceChildren(picture);
        picture.setAttribute('data-of', of);
        picture.setAttribute('role', 'img');
        picture.setAttribute(
            'aria-label',
            textOf(lang, 'workers_chart_name', step.perRank.length, formatNumber(step.summary.makespan, lang)),
        );
    }
}
