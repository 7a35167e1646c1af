// «Train the network»: the toy network of the core, executed by the schedule in the figure. Settings and buttons, the
// curve of the loss, the regions of decision, and the comparison with the same network trained without a pipeline.
import { html, nothing, svg } from 'lit';
import { PipelineError } from '../engine/error.js';
import { TrainingLoop } from '../engine/training-loop.js';
import { scheduleName } from '../scene/format.js';
import { Curve, curvePath, frameOf, gridPoints, regionPixels, roundUp } from '../scene/training-plot.js';
import { countOf, formatNumber, formatPercent } from '../words/numbers.js';
import { textOf } from '../words/strings.js';
import { TrainingOptions } from './training-options.js';
import { WorkerPanel } from './worker-panel.js';

/** @typedef {import('../engine/engine.js').Engine} Engine */

const CURVE = { width: 300, height: 150 };
const REGION_CELLS = 60;
const REGION_PIXELS = 300;
/** The picture of the regions is redrawn at most so often. */
const REGION_MS = 120;

export class TrainingPanel {
    #host;
    #light;
    /** @type {import('../engine/training.js').Training | null} */
    #training = null;
    /** @type {TrainingLoop | null} */
    #loop = null;
    /** @type {PipelineError | null} */
    #error = null;
    /** @type {import('../engine/training-loop.js').StepRecord | null} */
    #record = null;
    #curve = new Curve();
    #reference = new Curve();
    /** The curve of the network before this one, with its schedule: it stays grey beside the new one. @type {{ curve: Curve, schedule: string } | null} */
    #earlier = null;
    #regionsDrawn = 0;
    #colours = '';
    #begun = false;
    /** Settings of the panel, as typed. */
    #settings = { data: 'spirals', rate: '', seed: '' };
    #slow = false;
    /** @type {Record<string, any>} */ #request = {};
    #lang = 'ru';
    #workers;
    #more;

    /**
     * @param {import('lit').ReactiveControllerHost & Element} host
     * @param {(action: number) => void} light  shows the action being executed in the chart
     * @param {(changes: Record<string, string>) => void} change  of the figure's request, by the reader
     */
    constructor(host, light, change) {
        this.#host = host;
        this.#light = light;
        this.#workers = new WorkerPanel(
            () => host.requestUpdate(),
            change,
            (records) => this.#onNews({ action: -1, records }),
        );
        this.#more = new TrainingOptions(
            () => this.reset(),
            () => host.requestUpdate(),
        );
        host.addController(this);
    }

    hostDisconnected() {
        this.reset();
    }

    /** Forgets the network: for another schedule, another setting, or when the panel closes. */
    reset() {
        if (this.#training === null && this.#error === null) return;
        this.#workers.stop();
        this.#loop?.pause();
        if (this.#training && this.#curve.last)
            this.#earlier = { curve: this.#curve, schedule: this.#training.simulation.config.schedule };
        this.#training?.close();
        this.#training = this.#loop = this.#error = this.#record = null;
        this.#curve = new Curve();
        this.#reference = new Curve();
        this.#begun = false;
        this.#light(-1);
        this.#host.requestUpdate();
    }

    /** The page speaks another language: a network goes on, and only a refusal has words of the old one. */
    relabel() {
        if (this.#error) this.reset();
    }

    get running() {
        return this.#loop?.running ?? false;
    }

    /**
     * Makes the network, so that its data and first guesses are seen before anything runs.
     * @param {Engine} engine @param {Record<string, any>} request @param {boolean} still  no cell is to be animated
     */
    prepare(engine, request, still) {
        this.#request = request;
        if (this.#training || this.#error) return;
        try {
            this.#training = engine.train({ ...request, ...this.options });
        } catch (error) {
            if (!(error instanceof PipelineError)) throw error;
            this.#error = error;
            return;
        }
        this.#loop = new TrainingLoop(this.#training, (news) => this.#onNews(news));
        this.#loop.lit = !still;
        this.#loop.slow = this.#slow && !still;
    }

    /** @param {{ action: number, records: import('../engine/training-loop.js').StepRecord[] }} news */
    #onNews({ action, records }) {
        for (const record of records) {
            this.#curve.add(record.step, record.loss);
            this.#reference.add(record.step, record.reference_loss);
            this.#record = record;
        }
        this.#light(action);
        this.#host.requestUpdate();
    }

    /** What the reader has set of the training. */
    get options() {
        return { ...this.#settings, ...this.#workers.settings, ...this.#more.settings };
    }

    /** Time that the chart of the schedule is to reach to, beside a measured one. */
    get span() {
        return this.#workers.span(this.#request);
    }

    /** Pixels, after the template is in the page. @param {ParentNode} root @param {string} idPrefix */
    draw(root, idPrefix) {
        this.#workers.draw(root, this.#lang, this.#request, `${idPrefix}m`);
        if (!this.running || performance.now() - this.#regionsDrawn >= REGION_MS) this.#drawRegions(root);
    }

    /** The page may have other colours. @param {ParentNode} root */
    recolour(root) {
        if (String(classColours(root)) !== this.#colours) this.#drawRegions(root);
    }

    /** @param {ParentNode} root */
    #drawRegions(root) {
        const canvas = /** @type {HTMLCanvasElement | null} */ (root.querySelector('.regions'));
        if (!canvas || !this.#training) return;
        this.#regionsDrawn = performance.now();
        const colours = classColours(root);
        this.#colours = String(colours);
        drawRegions(canvas, this.#training, colours);
    }

    /**
     * @param {{ engine: Engine, lang: string, trains: boolean, still: boolean }} context
     */
    render(context) {
        const { engine, lang, trains, still } = context;
        this.#lang = lang;
        const t = (/** @type {string} */ key, /** @type {(string | number)[]} */ ...values) =>
            textOf(lang, key, ...values);
        if (!trains) return html`<p class="note">${t('train_forward_only')}</p>`;
        const begun = this.#begun;
        const settings = this.#training?.settings ?? {};
        const data = engine.trainingOptions.find(({ name }) => name === 'data')?.names ?? [];
        const start = () => {
            if (this.running) this.#loop?.pause();
            else this.#loop?.start();
            this.#begun = true;
            this.#host.requestUpdate();
        };
        const step = () => {
            this.#loop?.pause();
            this.#begun = true;
            this.#loop?.advance();
        };
        const begin = () => {
            this.#loop?.pause();
            this.#loop?.settle();
            this.#begun = true;
        };
        const startOver = () => {
            this.reset();
            this.#earlier = null;
        };
        const setting = (/** @type {'data' | 'rate' | 'seed'} */ name) => (/** @type {Event} */ event) => {
            this.#settings[name] = /** @type {HTMLInputElement} */ (event.target).value;
            this.reset();
        };
        const shown = (/** @type {number | undefined} */ value) =>
            value === undefined ? '' : formatNumber(value, lang, 4);
        const pace = (/** @type {Event} */ event) => {
            this.#slow = /** @type {HTMLInputElement} */ (event.target).checked;
            if (this.#loop) this.#loop.slow = this.#slow && !still;
        };
        const fields = html`<label class="field"><span>${t('train_data')}</span>
                    <select @change=${setting('data')}>${data.map(
                        (name) =>
                            html`<option value=${name} ?selected=${name === this.#settings.data}>${t(`data_${name}`)}</option>`,
                    )}</select></label>
                <label class="field"><span>${t('train_rate')}</span>
                    <input class="short" type="text" inputmode="decimal" placeholder=${shown(settings.rate)} .value=${this.#settings.rate}
                        @change=${setting('rate')}></label>
                <label class="field"><span>${t('train_seed')}</span>
                    <input class="short" type="text" inputmode="numeric" placeholder=${shown(settings.seed)} .value=${this.#settings.seed} @change=${setting('seed')}></label>`;
        return html`
            <div class="buttons">
                <button type="button" class="action primary" ?disabled=${this.#error !== null || this.#workers.busy} @click=${start}>${t(this.running ? 'train_pause' : begun ? 'train_go_on' : 'train_start')}</button>
                <button type="button" class="action" ?disabled=${this.#error !== null || this.#workers.busy} @click=${step}>${t('train_step')}</button>
                <button type="button" class="action" ?disabled=${!begun} @click=${startOver}>${t('train_reset')}</button>
                ${still ? nothing : html`<label class="check"><input type="checkbox" .checked=${this.#slow} @change=${pace}> ${t('train_slow')}</label>`}
            </div>
            ${this.#error ? html`<p class="refusal" role="alert">${this.#error.message}</p>` : nothing}
            ${this.#training ? this.#renderPlots(this.#training, lang, t) : nothing}
            ${begun ? nothing : html`<p class="note">${t('train_intro')}</p>`}
            ${this.#training ? this.#renderNumbers(this.#training, lang, t) : nothing}
            ${this.#more.render(fields, engine, this.#training, this.#record?.step ?? 0, this.running || this.#workers.busy, lang)}
            ${this.#training ? this.#renderWeights(this.#training, lang, t) : nothing}
            <p class="note">${t('train_honest')}</p>
            ${this.#training ? this.#workers.render({ engine, training: this.#training, request: this.#request, lang, reset: () => this.reset(), begin }) : nothing}`;
    }

    /**
     * Which weights gradients are taken at.
     * @param {import('../engine/training.js').Training} training @param {string} lang
     * @param {(key: string, ...values: (string | number)[]) => string} t
     */
    #renderWeights(training, lang, t) {
        const { late = [] } = training.simulation.stream ?? {};
        const [first, last] = [late[0], late[late.length - 1]].map((of) => countOf(of, lang, 'update_accusative'));
        const off = training.stream?.synchronous_difference;
        const words = t(training.stream ? 'train_stream' : 'train_flush', first, last);
        return html`<p class="note" data-weights>${words}${off ? t('train_stream_off', formatNumber(off, lang, 4)) : nothing}</p>`;
    }

    /**
     * @param {import('../engine/training.js').Training} training @param {string} lang
     * @param {(key: string, ...values: (string | number)[]) => string} t
     */
    #renderPlots(training, lang, t) {
        const record = this.#record;
        const { width, height } = CURVE;
        const earlier = this.#earlier;
        const yMax = roundUp(Math.max(this.#curve.reach, earlier?.curve.reach ?? 0));
        const xMax = Math.max(10, roundUp(Math.max(record?.step ?? 0, earlier?.curve.last?.x ?? 0)));
        const frame = { width, height, xMax, yMax };
        const number = (/** @type {number} */ value, digits = 4) => formatNumber(value, lang, digits);
        const { classes, features } = training;
        return html`
            <div class="plots">
                <figure class="plot">
                    <figcaption>${t('train_curve')}</figcaption>
                    <svg class="curve" viewBox="-34 -8 ${width + 44} ${height + 28}" role="img"
                        aria-label=${record ? t('train_curve_name', record.step, number(record.loss)) : t('train_curve')}>
                        <path class="curve-frame" d="M0 0V${height}H${width}" />
                        <text class="curve-tick" x="-5" y="4" text-anchor="end">${number(yMax)}</text>
                        <text class="curve-tick" x="-5" y=${height} text-anchor="end">0</text>
                        <text class="curve-tick" x=${width} y=${height + 5} text-anchor="end" dominant-baseline="hanging">${t('train_curve_axis', number(xMax))}</text>
                        ${earlier ? svg`<path class="curve-earlier" d=${curvePath(earlier.curve, frame)} />` : nothing}
                        <path class="curve-reference" d=${curvePath(this.#reference, frame)} />
                        <path class="curve-pipeline" d=${curvePath(this.#curve, frame)} />
                    </svg>
                    <p class="key"><span class="key-pipeline">${t('train_key_pipeline')}</span> <span class="key-reference">${t('train_key_reference')}</span>${earlier ? html` <span class="key-earlier">${t('train_key_earlier', scheduleName(earlier.schedule, lang))}</span>` : nothing}</p>
                </figure>
                <figure class="plot">
                    <figcaption>${t(features > 2 ? 'train_regions_slice' : 'train_regions')}</figcaption>
                    <canvas class="regions" width=${REGION_PIXELS} height=${REGION_PIXELS} role="img"
                        aria-label=${t('train_regions_name', classes, record ? formatPercent(record.accuracy, lang) : '—')}></canvas>
                    <span class="class-colours" aria-hidden="true"><i class="class-0"></i><i class="class-1"></i><i class="class-2"></i></span>
                </figure>
            </div>`;
    }

    /**
     * @param {import('../engine/training.js').Training} training @param {string} lang
     * @param {(key: string, ...values: (string | number)[]) => string} t
     */
    #renderNumbers(training, lang, t) {
        const record = this.#record;
        const number = (/** @type {number} */ value, digits = 4) => formatNumber(value, lang, digits);
        const { layers } = training;
        return html`
            <table class="numbers-table" aria-label=${t('train_table')}>
                <tbody>
                    <tr><th scope="row">${t('train_layers')}</th><td>${[...layers].join(' → ')}</td></tr>
                    <tr><th scope="row">${t('train_steps')}</th><td data-value="step">${record ? number(record.step) : '0'}</td></tr>
                    <tr><th scope="row">${t('train_loss')}</th><td data-value="loss">${record ? number(record.loss, 6) : '—'}</td></tr>
                    <tr><th scope="row">${t('train_reference')}</th><td data-value="reference">${record ? number(record.reference_loss, 6) : '—'}</td></tr>
                    <tr><th scope="row">${t('train_gradients')}</th><td data-value="difference">${record ? difference(record.gradient_difference, lang, t) : '—'}</td></tr>
                    <tr><th scope="row">${t('train_weights')}</th><td>${record ? difference(record.weight_difference, lang, t) : '—'}</td></tr>
                    <tr><th scope="row">${t('train_accuracy')}</th><td data-value="accuracy">${record ? formatPercent(record.accuracy, lang) : '—'}</td></tr>
                </tbody>
            </table>
            ${training.diverged ? html`<p class="refusal">${t(`train_diverged_${training.diverged.cause}`, training.diverged.step)}</p>` : nothing}
            ${record && record.skipped > 0 && !training.diverged ? html`<p class="refusal">${t('train_skipped', record.skipped)}</p>` : nothing}`;
    }
}

/**
 * Zero is said to be exactly zero; anything else in the power of ten it has.
 * @param {number} value @param {string} lang @param {(key: string) => string} t
 */
function difference(value, lang, t) {
    if (value === 0) return t('train_exactly_zero');
    if (!Number.isFinite(value)) return '—';
    const power = Math.floor(Math.log10(value));
    return html`${formatNumber(value / 10 ** power, lang, 1)} · 10<sup>${power < 0 ? '−' : ''}${Math.abs(power)}</sup>`;
}

// ---- pixels ----

/** The colours of the classes as numbers: computed ones, so that themes and forced colours have had their say.
 * @param {ParentNode} root */
function classColours(root) {
    return [...root.querySelectorAll('.class-colours i')].map((node) =>
        (getComputedStyle(node).backgroundColor.match(/[\d.]+/g) ?? ['0', '0', '0']).slice(0, 3).map(Number),
    );
}

/** @param {HTMLCanvasElement} canvas @param {any} training @param {number[][]} colours */
function drawRegions(canvas, training, colours) {
    const { points, features, classes } = training;
    const frame = frameOf(points.values, features);
    const context = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d'));
    const image = new ImageData(REGION_CELLS, REGION_CELLS);
    regionPixels(training.predict(gridPoints(frame, REGION_CELLS, features)), classes, colours, image.data);
    const small = document.createElement('canvas');
    small.width = small.height = REGION_CELLS;
    /** @type {CanvasRenderingContext2D} */ (small.getContext('2d')).putImageData(image, 0, 0);
    context.clearRect(0, 0, canvas.width, canvas.height);
    context.drawImage(small, 0, 0, canvas.width, canvas.height);
    const scale = canvas.width / frame.size;
    for (let i = 0; i < points.label.length; i++) {
        const label = points.label[i];
        if (label < 0) continue;
        const x = (points.values[i * features] - frame.left) * scale;
        const y = (frame.top - points.values[i * features + 1]) * scale;
        context.beginPath();
        // A shape per class besides its colour: disc, square, triangle.
        if (label === 0) context.arc(x, y, 3.4, 0, 2 * Math.PI);
        else if (label === 1) context.rect(x - 3, y - 3, 6, 6);
        else {
            context.moveTo(x, y - 4);
            context.lineTo(x + 3.8, y + 3);
            context.lineTo(x - 3.8, y + 3);
            context.closePath();
        }
        context.fillStyle = `rgb(${colours[label % colours.length].join(' ')})`;
        context.fill();
        context.strokeStyle = 'rgb(255 255 255 / 0.85)';
        context.lineWidth = 1;
        context.stroke();
    }
}
