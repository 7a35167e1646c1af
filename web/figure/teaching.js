// What opens under the chart to explain it: time that runs, activations in memory, the curve U(m), a second schedule, the
// critical path. One at a time, all of one state.
import { html, nothing, svg } from 'lit';
import { live } from 'lit/directives/live.js';
import { asked, withSchedule } from '../request/state.js';
import { frameOfSweep, nearestPoint, pointAfterKey, pointsOf, sweptValues } from '../request/sweep.js';
import { NO_SAMPLES, scaledCosts, trySimulate } from '../request/try-simulate.js';
import { busyAt, Clock } from '../scene/clock.js';
import { compareText, countOf, formatNumber, formatShare, scheduleName, title } from '../scene/format.js';
import { activationSteps, heldAt, memoryScene } from '../scene/memory.js';
import { microbatchShapes } from '../scene/overlays.js';
import { buildScene } from '../scene/scene.js';
import { renderScene, updateOverlay, updateSvg } from '../scene/svg.js';
import { textOf } from '../words/strings.js';
import { Dense } from './dense.js';
import { batchView, Incident } from './incident.js';
import { RowNames } from './row-names.js';

/**
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('../engine/types.js').Simulation} Simulation
 *
 * @typedef {object} Setting
 * @property {Engine} engine
 * @property {Simulation} simulation
 * @property {import('../request/state.js').Request} request
 * @property {string} lang
 * @property {number} width  of the box, in pixels
 * @property {number} reach  largest m of the curve
 * @property {boolean} still  reduced motion
 * @property {boolean} drawn  there is a chart
 * @property {number} microbatch  that is followed through the chart; -1 for none
 * @property {((m: number) => void) | null} setMicrobatches  null: the reader may not
 * @property {boolean} trains
 * @property {((changes: import('../request/state.js').Request) => void) | null} change  null: the reader may not
 */

const MOST_COUNTS = 8;
/** Actions of the largest step that a curve is asked for, and of all its steps: it must not keep the reader waiting. */
const SWEPT_ACTIONS = 20_000;
const SWEPT_TOGETHER = 150_000;

export class Teaching {
    #update;
    clock;
    /** Name of the second schedule, null for the usual one. @type {string | null} */
    #other = null;
    /** @type {{ of: unknown[], answer: ReturnType<typeof trySimulate>, factor: number } | null} */
    #compared = null;
    /** @type {{ of: string, points: import('../request/sweep.js').Point[] } | null} */
    #swept = null;
    #dragging = false;
    incident = new Incident();
    /** @type {Dense | null} */
    #dense = null;
    /** @type {RowNames | null} */
    #names = null;
    /** @type {Element | null} */
    #namedBox = null;

    /** @param {() => void} update  asks the host to draw again */
    constructor(update) {
        this.#update = update;
        this.clock = new Clock(update);
    }

    /** The page names the schedule to compare with. @param {string | null} name */
    compareWith(name) {
        if (this.#other !== null || !name) return;
        this.#other = name;
    }

    /** What was shown of the last simulation has no meaning in this one. */
    reset() {
        this.clock.close();
    }

    // ---- the second schedule ----

    /** The schedule beside, simulated for the same work. @param {Setting} setting */
    #ask({ engine, simulation, request, lang }) {
        const own = simulation.config.schedule;
        const usual = own === 'gpipe' ? '1f1b' : 'gpipe';
        const name = this.#other && this.#other !== own ? this.#other : usual;
        const of = [simulation, name, lang];
        if (this.#compared && of.every((part, i) => part === this.#compared?.of[i])) return this.#compared;
        const schedule = /** @type {Engine['schedules'][0]} */ (engine.schedules.find((known) => known.name === name));
        const asked = withSchedule(request, {}, schedule).request;
        const chunks = Number(asked.chunks ?? schedule.chunksDefault);
        // Where the work of a device is given, both do the same; where that of a chunk is, the costs follow their number.
        const factor = request['costs-of'] === 'chunk' ? simulation.config.chunks / chunks : 1;
        const scaled = factor === 1 ? asked : { ...asked, ...scaledCosts(simulation, factor) };
        this.#compared = { of, answer: trySimulate(engine, scaled), factor };
        return this.#compared;
    }

    /** Time that a chart beside this one reaches to. @param {Setting} setting @param {string} view */
    span(setting, view) {
        if (view === 'failure') return this.incident.span(setting);
        return this.#ask(setting).answer.simulation?.summary.makespan ?? 0;
    }

    // ---- views ----

    /** @param {string} view @param {Setting} setting */
    render(view, setting) {
        const { lang, simulation } = setting;
        if (view === 'play') return this.#renderPlay(setting);
        if (view === 'memory') {
            return html`<p>${textOf(lang, 'memory_words', formatNumber(simulation.summary.peak_activations, lang))}</p>
                <div class="beside" data-plot="memory"></div>`;
        }
        if (view === 'curve') return this.#renderCurve(setting);
        if (view === 'compare') return this.#renderCompare(setting);
        if (view === 'failure') return this.incident.render(setting);
        if (view === 'batch') return batchView(setting);
        const length = simulation.criticalPath.length;
        return html`<p>${textOf(lang, 'path_words', countOf(length, lang, 'operation_genitive'))}</p>`;
    }

    /** The time and what happens at it, in words. @param {Setting} setting */
    words({ simulation, lang, trains }) {
        const time = this.clock.time ?? 0;
        const shown = textOf(lang, 'play_time', formatNumber(time, lang, 1));
        const busy = textOf(lang, 'play_busy', busyAt(simulation, time), simulation.perRank.length);
        const text = `${shown}: ${busy}.`;
        if (!trains || simulation.perRank.length > MOST_COUNTS) return text;
        const counts = activationSteps(simulation)
            .map((steps) => heldAt(steps, time))
            .join(' · ');
        return `${text} ${textOf(lang, 'play_held', counts)}`;
    }

    /** @param {Setting} setting */
    #renderPlay(setting) {
        const { lang, still } = setting;
        const { clock } = this;
        const t = (/** @type {string} */ key) => textOf(lang, key);
        const words = this.words(setting);
        const step = clock.whole ? '1' : 'any';
        const button = (/** @type {string} */ key, /** @type {() => void} */ does, primary = false) =>
            html`<button type="button" class="action ${primary ? 'primary' : ''}" data-play=${key} @click=${does}>${t(key)}</button>`;
        return html`<div class="clock">
                <input type="range" min=${clock.begin} max=${clock.end} step=${clock.playing ? 'any' : step} .value=${live(String(clock.time ?? 0))}
                    aria-label=${t('play_slider')} aria-valuetext=${words}
                    @input=${(/** @type {Event} */ event) => clock.set(Number(/** @type {HTMLInputElement} */ (event.target).value))}>
            </div>
            <div class="buttons">
                ${still ? nothing : button(clock.playing ? 'play_pause' : 'play_start', () => clock.toggle(), true)}
                ${button('play_back', () => clock.step(-1))}
                ${button('play_forward', () => clock.step(1))}
                ${button('play_reset', () => clock.set(clock.begin))}
            </div>
            <p class="clock-words">${words}</p>
            <p class="note">${t('play_hint')}</p>`;
    }

    /** @param {Setting} setting @returns {import('../request/sweep.js').Point[]} */
    #points({ engine, simulation, request, reach }) {
        const m = simulation.config.microbatches;
        const each = simulation.actions.count / m;
        const most = Math.max(m, Math.min(reach, Math.floor(SWEPT_ACTIONS / each)));
        const of = JSON.stringify([{ ...request, microbatches: null }, most]);
        if (this.#swept?.of !== of || !this.#swept.points.some((point) => point.m === m)) {
            const values =
                each * most > SWEPT_ACTIONS
                    ? [m]
                    : sweptValues(most, m, Math.min(64, (2 * SWEPT_TOGETHER) / (each * most)));
            this.#swept = {
                of,
                points: pointsOf(values, engine.sweep(asked({ ...request, ...NO_SAMPLES }), 'microbatches', values)),
            };
        }
        return this.#swept.points;
    }

    /** @param {Setting} setting */
    #renderCurve(setting) {
        const { lang, width, simulation, setMicrobatches } = setting;
        const points = this.#points(setting);
        if (points.length === 0) return nothing;
        const most = points[points.length - 1].m;
        const frame = frameOfSweep(Math.max(240, width), most);
        const { left, right, top, bottom, height, x, y } = frame;
        const present = nearestPoint(points, simulation.config.microbatches);
        const percent = (/** @type {number} */ value) => `${value * 100}\u00a0%`;
        const line = points.map((point) => `${x(point.m).toFixed(1)} ${y(point.value).toFixed(1)}`).join('L');
        const dots = points.map((point) => `M${x(point.m).toFixed(1)} ${y(point.value).toFixed(1)}h0`).join('');
        const words = textOf(lang, 'curve_point', present.m, formatShare(present.exact, 'utilization', lang));
        const labelLeft = x(present.m) > (left + right) / 2;
        const go = (/** @type {import('../request/sweep.js').Point | undefined} */ point) => {
            if (point && point.m !== simulation.config.microbatches) setMicrobatches?.(point.m);
        };
        const point = (/** @type {PointerEvent} */ event) => {
            const box = /** @type {Element} */ (event.currentTarget).getBoundingClientRect();
            go(nearestPoint(points, frame.at(((event.clientX - box.left) * frame.width) / box.width)));
        };
        const down = (/** @type {PointerEvent} */ event) => {
            if (!setMicrobatches || event.button !== 0) return;
            this.#dragging = true;
            /** @type {Element} */ (event.currentTarget).setPointerCapture(event.pointerId);
            point(event);
        };
        const move = (/** @type {PointerEvent} */ event) => {
            this.#dragging &&= event.buttons !== 0; // let go of elsewhere
            if (this.#dragging) point(event);
        };
        const up = () => {
            this.#dragging = false;
        };
        const key = (/** @type {KeyboardEvent} */ event) => {
            if (event.altKey || event.ctrlKey || event.metaKey) return;
            const next = pointAfterKey(points, present.m, event.key);
            if (!next) return;
            event.preventDefault();
            go(next);
        };
        const ticks = [...new Set([1, ...[0.25, 0.5, 0.75, 1].map((part) => Math.round(most * part))])];
        return html`${setMicrobatches ? html`<p>${textOf(lang, 'curve_words')}</p>` : nothing}
            <svg class="sweep" viewBox="0 0 ${frame.width} ${height}" width=${frame.width} height=${height}
                role=${setMicrobatches ? 'slider' : 'img'} tabindex=${setMicrobatches ? 0 : nothing} aria-label=${textOf(lang, 'curve_name')}
                aria-valuemin=${setMicrobatches ? points[0].m : nothing} aria-valuemax=${setMicrobatches ? most : nothing}
                aria-valuenow=${setMicrobatches ? present.m : nothing} aria-valuetext=${setMicrobatches ? words : nothing}
                @pointerdown=${down} @pointermove=${move} @pointerup=${up} @pointercancel=${up} @keydown=${setMicrobatches ? key : nothing}>
                <g aria-hidden="true">
                <path class="sweep-grid" d=${[0.25, 0.5, 0.75, 1].map((value) => `M${left} ${y(value)}H${right}`).join('')} />
                <path class="sweep-axis" d="M${left} ${top}V${bottom}H${right}" />
                ${[0, 0.5, 1].map((value) => svg`<text x=${left - 7} y=${y(value) + 4} text-anchor="end">${percent(value)}</text>`)}
                ${ticks.map((m) => svg`<text x=${x(m)} y=${bottom + 17} text-anchor="middle">${m}</text>`)}
                <text x=${right} y=${height - 2} text-anchor="end">${textOf(lang, 'label_microbatches')}</text>
                <path class="sweep-line" d="M${line}" />
                <path class="sweep-dots" d=${dots} />
                <path class="sweep-here" d="M${x(present.m)} ${y(present.value)}V${bottom}" />
                <circle class="sweep-point" cx=${x(present.m)} cy=${y(present.value)} r="6" />
                <text class="sweep-label" x=${x(present.m) + (labelLeft ? -11 : 11)} y=${y(present.value) + 20} text-anchor=${labelLeft ? 'end' : 'start'}>${words}</text>
                </g>
            </svg>`;
    }

    /** @param {Setting} setting */
    #renderCompare(setting) {
        const { engine, simulation, lang } = setting;
        const { answer, of, factor } = this.#ask(setting);
        const name = /** @type {string} */ (of[1]);
        const choose = (/** @type {Event} */ event) => {
            this.#other = /** @type {HTMLSelectElement} */ (event.target).value;
            this.#update();
        };
        const choices = engine.schedules.filter((known) => known.trains && known.name !== simulation.config.schedule);
        const other = answer.simulation;
        return html`<label class="field"><span class="label">${textOf(lang, 'compare_with')}</span>
            <select .value=${live(name)} @change=${choose}>${choices.map(
                (known) =>
                    html`<option value=${known.name} ?selected=${known.name === name}>${scheduleName(known.name, lang)}</option>`,
            )}</select></label>
            <p class="note">${textOf(lang, 'compare_held')}</p>
            <div class="beside" data-held="own"></div>
            <div class="beside" data-plot="compare"></div>
            <div class="beside" data-held="other"></div>
            ${other ? html`<p class="compare-words">${compareText(simulation, other, lang)}</p>` : html`<p class="refusal"><span>${answer.error?.message}</span></p>`}
            ${other && factor !== 1 ? html`<p class="note">${textOf(lang, 'compare_scaled', formatNumber(factor, lang))}</p>` : nothing}`;
    }

    // ---- drawings that share the axis of the chart ----

    /**
     * Beside a second schedule: what each device holds under both, on one scale of memory, and the micro-batch that the reader follows in the
     * first chart followed in the second as well.
     * @param {ParentNode} root @param {SVGSVGElement} picture @param {Setting} setting @param {Simulation} other
     * @param {import('../scene/scene.js').Scene} scene @param {import('../scene/scene.js').Scene} beside  of the second chart
     */
    #follow(root, picture, { simulation, lang, microbatch }, other, scene, beside) {
        const follows = microbatch >= 0 && microbatch < other.config.microbatches && !beside.dense;
        updateOverlay(picture, follows ? microbatchShapes(beside, other, microbatch) : []);
        // A device that holds several stages holds an activation of each; of equal work each is that much smaller.
        const fullest = Math.max(...[simulation, other].map((of) => of.summary.peak_activations / of.config.chunks));
        for (const [which, of, on] of /** @type {const} */ ([
            ['own', simulation, scene],
            ['other', other, beside],
        ])) {
            const box = root.querySelector(`[data-held="${which}"]`);
            if (!box) continue;
            const drawn = memoryScene(of, on, lang, Math.max(1, fullest * of.config.chunks));
            const name = textOf(lang, 'memory_name', title(of, lang));
            const old = /** @type {SVGSVGElement | null} */ (box.querySelector('svg'));
            const held = old ?? renderScene(drawn, document);
            if (old) updateSvg(old, drawn);
            else box.replaceChildren(held);
            held.setAttribute('role', 'img');
            held.setAttribute('aria-label', name);
        }
    }

    /** The page may have other colours. */
    recolour() {
        this.#dense?.recolour();
    }

    /**
     * Once the chart is drawn.
     * @param {ParentNode} root @param {Setting} setting @param {import('../scene/scene.js').Scene} scene  of the chart
     */
    draw(root, setting, scene) {
        const box = root.querySelector('.beside[data-plot]');
        if (!box) return;
        const { lang, simulation, width } = setting;
        const kind = /** @type {HTMLElement} */ (box).dataset.plot;
        const other = kind === 'compare' ? this.#ask(setting).answer.simulation : simulation;
        if (!other) {
            box.replaceChildren();
            return;
        }
        const drawn =
            kind === 'memory'
                ? memoryScene(simulation, scene, lang)
                : kind === 'failure'
                  ? this.incident.picture(setting, scene)
                  : buildScene(other, {
                        lang,
                        width,
                        span: scene.plot.span,
                        text: scene.text,
                        idPrefix: `${scene.idPrefix}c`,
                        pixels: true,
                    });
        if (!drawn) return;
        let picture = /** @type {SVGSVGElement | null} */ (box.querySelector('svg[data-of]'));
        if (picture?.getAttribute('data-of') !== kind) {
            picture = renderScene(drawn, document);
            picture.setAttribute('data-of', String(kind));
            picture.setAttribute('role', 'img');
            this.#dense?.clear();
            box.replaceChildren(picture);
        } else updateSvg(/** @type {SVGSVGElement} */ (picture), drawn);
        if (kind === 'compare')
            this.#follow(root, /** @type {SVGSVGElement} */ (picture), setting, other, scene, drawn);
        if (kind === 'compare' && drawn.dense) {
            if (this.#dense?.box !== box) this.#dense = new Dense(box);
            this.#dense.draw(other, drawn);
        } else this.#dense?.clear();
        const name = kind === 'memory' ? textOf(lang, 'memory_name', title(other, lang)) : title(other, lang);
        /** @type {Element} */ (picture).setAttribute('aria-label', name);
        const chart = root.querySelector('.chart');
        if (kind === 'memory' && chart) scrollTogether(chart, box);
        if (this.#namedBox !== box) [this.#namedBox, this.#names] = [box, new RowNames(box)];
        this.#names?.keep(/** @type {SVGSVGElement} */ (picture), drawn, box.clientWidth);
    }
}

/** @type {WeakSet<Element>} */
const together = new WeakSet();

/** Two pictures on one axis, each wider than its box, are scrolled as one. @param {Element} chart @param {Element} box */
function scrollTogether(chart, box) {
    box.scrollLeft = chart.scrollLeft;
    if (together.has(box)) return;
    together.add(box);
    for (const [from, to] of [
        [chart, box],
        [box, chart],
    ]) {
        const follow = () => {
            if (box.isConnected && to.scrollLeft !== from.scrollLeft) to.scrollLeft = from.scrollLeft;
        };
        from.addEventListener('scroll', follow, { passive: true });
    }
}
