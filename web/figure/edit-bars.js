// Strips that are cut with the hand: layers into stages, samples into micro-batches; and bars, one for each cost of a
// stage. A handle is dragged, or moved by keys. What may be cut where, and what it costs, the core says; here positions
// become requests.
import { html, nothing, svg } from 'lit';
import { listOf } from '../request/state.js';
import { countOf, formatNumber } from '../scene/format.js';
import { textOf } from '../words/strings.js';

/**
 * @typedef {import('../engine/types.js').Simulation} Simulation
 * @typedef {import('../request/state.js').Request} Request
 *
 * @typedef {object} Handle
 * @property {number} x  in units of the picture
 * @property {number} now
 * @property {number} min
 * @property {number} max
 * @property {string} label
 * @property {string} text  the value as it is spoken
 * @property {(x: number) => void} drag  to a place
 * @property {(way: number) => void} step  by a key
 */

const HEIGHT = 64;
const TOP = 20;
const ROW = 24;
/** A pointer so near takes hold of a handle. */
const REACH = 24;
/** Layers a stage is taken to have where costs are given per stage: a power of two, so that halves add up. */
const LAYERS_EACH = 4;
/** More are not drawn one by one. */
const MOST_DRAWN = 400;
const KEYS = /** @type {Record<string, number>} */ ({
    ArrowLeft: -1,
    ArrowDown: -1,
    ArrowRight: 1,
    ArrowUp: 1,
    PageDown: -10,
    PageUp: 10,
});

/** What is held by a pointer. */
export class Grip {
    /** @type {{ svg: Element, pointer: number, index: number, offset: number, x: number, moved: boolean } | null} */
    #held = null;
    #begin;
    #end;

    /** @param {() => void} begin @param {() => void} end  a handle was taken, and let go of */
    constructor(begin, end) {
        this.#begin = begin;
        this.#end = end;
    }

    #release() {
        if (!this.#held) return;
        this.#held = null;
        this.#end();
    }

    /** What is held still: a picture that was taken from the page has lost its pointer, and nobody was told. */
    #holding() {
        if (this.#held && !this.#held.svg.hasPointerCapture(this.#held.pointer)) this.#release();
        return this.#held;
    }

    /** @param {PointerEvent} event @param {number} width */
    #at({ clientX }, width) {
        const box = /** @type {{ svg: Element }} */ (this.#held).svg.getBoundingClientRect();
        return ((clientX - box.left) * width) / (box.width || 1);
    }

    /** Listeners of the picture that has the handles. @param {Handle[]} handles @param {number} width */
    listeners(handles, width) {
        const nearest = (/** @type {number} */ x) =>
            handles.reduce((best, { x: at }, i) => (Math.abs(at - x) < Math.abs(handles[best].x - x) ? i : best), 0);
        return {
            down: (/** @type {PointerEvent} */ event) => {
                if (event.button !== 0 || handles.length === 0 || this.#holding()) return;
                const picture = /** @type {Element} */ (event.currentTarget);
                this.#held = {
                    svg: picture,
                    pointer: event.pointerId,
                    index: 0,
                    offset: 0,
                    x: event.clientX,
                    moved: false,
                };
                const x = this.#at(event, width);
                const index = nearest(x);
                const box = picture.getBoundingClientRect();
                if (Math.abs(handles[index].x - x) * (box.width / width) > REACH) {
                    this.#held = null;
                    return;
                }
                Object.assign(this.#held, { index, offset: handles[index].x - x });
                picture.setPointerCapture(event.pointerId);
                /** @type {HTMLElement} */ (picture.querySelectorAll('[role="slider"]')[index])?.focus();
                event.preventDefault();
                this.#begin();
            },
            move: (/** @type {PointerEvent} */ event) => {
                const held = this.#holding();
                if (!held) return;
                held.moved ||= Math.abs(event.clientX - held.x) > 2;
                if (held.moved) handles[held.index]?.drag(this.#at(event, width) + held.offset);
            },
            up: () => this.#release(),
            key: (/** @type {KeyboardEvent} */ event) => {
                const place = /** @type {Element} */ (event.target).closest('[role="slider"]');
                const picture = /** @type {Element} */ (event.currentTarget);
                const handle =
                    handles[[...picture.querySelectorAll('[role="slider"]')].indexOf(/** @type {any} */ (place))];
                const way = KEYS[event.key] ?? { Home: -1e9, End: 1e9 }[event.key];
                if (!handle || way === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
                event.preventDefault();
                handle.step(way);
            },
        };
    }
}

/** @param {Handle} handle */
const renderHandle = ({ x, now, min, max, label, text }) =>
    svg`<g class="handle" role="slider" tabindex="0" aria-label=${label} aria-orientation="horizontal" aria-valuemin=${min} aria-valuemax=${max}
        aria-valuenow=${now} aria-valuetext=${text}><rect x=${x - 12} y=${TOP - 8} width="24" height=${ROW + 28} /><path d="M${x} ${TOP - 6}v${ROW + 14}" /><circle cx=${x} cy=${TOP + ROW + 13} r="6" /></g>`;

/** @param {string} kind @param {string} name @param {number} width @param {unknown} inside @param {Handle[]} handles @param {Grip} grip */
function picture(kind, name, width, inside, handles, grip) {
    const on = grip.listeners(handles, width);
    return html`<svg class="strip" data-strip=${kind} viewBox="0 0 ${width} ${HEIGHT}" width=${width} height=${HEIGHT} role="group" aria-label=${name}
        @pointerdown=${on.down} @pointermove=${on.move} @pointerup=${on.up} @pointercancel=${on.up} @lostpointercapture=${on.up} @keydown=${on.key}>
        <g aria-hidden="true">${inside}</g>${handles.map(renderHandle)}</svg>`;
}

/** @param {number} x @param {number} width @param {number} y @param {string} text @param {string} [name] */
const over = (x, width, y, text, name = '') =>
    text.length * 7 > width
        ? nothing
        : svg`<text class=${name} x=${x + width / 2} y=${y} text-anchor="middle">${text}</text>`;

// ---- layers ----

/**
 * Options under which a network without layers has some, with the costs of its stages as they are wherever layers can say
 * so: equal stages keep all; of unequal ones the backward goes with the layers as the forward does.
 * @param {Simulation} simulation @param {Request} request @returns {Request}
 */
export function asLayers({ costs, config }, request) {
    const { forward } = costs;
    const count = LAYERS_EACH * config.stages;
    if (forward.every((cost) => cost === forward[0]) || forward.includes(0)) {
        return { layers: `${1 / LAYERS_EACH}*${count}` };
    }
    const changes = /** @type {Request} */ ({ forward: null });
    for (const [option, row] of Object.entries({
        backward: costs.backward,
        'input-gradient': costs.input,
        'weight-gradient': costs.weight,
        'recompute-cost': costs.recompute,
    })) {
        if (request[option])
            changes[option] = listOf(
                row.map((cost, s) => cost / forward[s]),
                config.stages,
            );
    }
    changes.layers = Array.from(forward, (cost) => `${cost / LAYERS_EACH}*${LAYERS_EACH}`).join(' ');
    return changes;
}

/**
 * @param {{ simulation: Simulation, request: Request, lang: string, width: number, grip: Grip,
 *           change: (changes: Request) => void }} setting
 */
export function layerBars({ simulation, request, lang, width, grip, change }) {
    const { partition, costs, config } = simulation;
    const stages = config.stages;
    const stageCosts = partition?.stageCosts ?? costs.forward;
    const sizes = partition?.sizes ?? Array(stages).fill(LAYERS_EACH);
    const layers = partition
        ? [...partition.layerCosts]
        : Array.from(costs.forward).flatMap((cost) => Array(LAYERS_EACH).fill(cost / LAYERS_EACH));
    const ends = [0];
    for (const size of sizes) ends.push(ends[ends.length - 1] + size);
    // What a stage costs beyond its layers, an embedding or a head, is a piece that belongs to no layer.
    const extra = sizes.map((_, s) =>
        Math.max(0, stageCosts[s] - layers.slice(ends[s], ends[s + 1]).reduce((a, b) => a + b, 0)),
    );
    if (!partition || partition.embedding_stage < 0) extra.fill(0);
    const lead = partition ? extra[partition.embedding_stage] || 0 : 0;
    const tail = partition && partition.head_stage !== partition.embedding_stage ? extra[partition.head_stage] || 0 : 0;
    const total = layers.reduce((a, b) => a + b, lead + tail) || 1;
    const inner = width - 2;
    const at = [1 + (lead / total) * inner];
    for (const cost of layers) at.push(at[at.length - 1] + (cost / total) * inner);
    const left = (/** @type {number} */ s) => (s === 0 ? 1 : at[ends[s]]);
    const right = (/** @type {number} */ s) => (s === stages - 1 ? width - 1 : at[ends[s + 1]]);
    const slowest = partition ? partition.largest_stage : -1;
    const words = (/** @type {number} */ s) =>
        textOf(lang, 'layers_stage', s + 1, countOf(sizes[s], lang, 'layer'), formatNumber(stageCosts[s], lang));
    const cut = (/** @type {number} */ s, /** @type {number} */ to) => {
        const end = Math.min(ends[s + 2] - 1, Math.max(ends[s] + 1, to));
        if (end === ends[s + 1]) return;
        const next = [...sizes];
        next[s] = end - ends[s];
        next[s + 1] = ends[s + 2] - end;
        change({
            ...(partition ? {} : asLayers(simulation, request)),
            cuts: next.join(' '),
            layout: null,
            partition: null,
        });
    };
    /** @type {Handle[]} */
    const handles = sizes.slice(1).map((_, s) => ({
        x: at[ends[s + 1]],
        now: ends[s + 1],
        min: ends[s] + 1,
        max: ends[s + 2] - 1,
        label: textOf(lang, 'layers_cut', s + 1, s + 2),
        text: `${words(s)}; ${words(s + 1)}`,
        drag: (x) =>
            cut(
                s,
                at.reduce((best, place, i) => (Math.abs(place - x) < Math.abs(at[best] - x) ? i : best), 0),
            ),
        step: (way) => cut(s, ends[s + 1] + way),
    }));
    const lines = layers.length <= MOST_DRAWN ? at.map((x) => `M${x.toFixed(1)} ${TOP}v${ROW}`).join('') : '';
    const inside = [
        ...sizes.map(
            (
                _,
                s,
            ) => svg`<rect class=${`piece${s % 2 ? ' odd' : ''}`} x=${left(s)} y=${TOP} width=${Math.max(0, right(s) - left(s))} height=${ROW} />
                ${over(left(s), right(s) - left(s), TOP - 7, formatNumber(stageCosts[s], lang), s === slowest ? 'most' : '')}`,
        ),
        svg`<path class="lines" d=${lines} />`,
        slowest >= 0
            ? svg`<rect class="slowest" x=${left(slowest)} y=${TOP} width=${right(slowest) - left(slowest)} height=${ROW} />`
            : nothing,
    ];
    const method = request.cuts || request.layout ? '' : (partition?.method ?? '');
    const choose = (/** @type {string} */ name) =>
        change({ ...(partition ? {} : asLayers(simulation, request)), cuts: null, layout: null, partition: name });
    return html`${picture('layers', textOf(lang, 'layers_name'), width, inside, handles, grip)}
        <div class="buttons">${['cost', 'equal', 'makespan'].map(
            (name) =>
                html`<button type="button" class="action" data-cut=${name} aria-pressed=${method === name} @click=${() => choose(name)}>${textOf(lang, `layers_by_${name}`)}</button>`,
        )}
            <label class="field"><span class="label">${textOf(lang, 'layers_costs')}</span><input type="text" autocomplete="off" data-option="layers"
                .value=${request.layers ?? ''} placeholder=${String(layers.length)} @change=${(
                    /** @type {Event} */ event,
                ) => {
                    const typed = /** @type {HTMLInputElement} */ (event.target).value.trim();
                    change({
                        layers: typed || null,
                        cuts: null,
                        layout: null,
                        ...(typed ? {} : { partition: null, embedding: null, head: null }),
                    });
                }}></label></div>
        <p class="note" data-words="layers">${
            partition
                ? textOf(
                      lang,
                      'layers_words',
                      formatNumber(partition.largest, lang),
                      partition.largest_stage + 1,
                      formatNumber(partition.mean, lang),
                  )
                : textOf(lang, 'layers_none')
        }</p>`;
}

// ---- samples ----

/**
 * @param {{ engine: import('../engine/engine.js').Engine, simulation: Simulation, lang: string, width: number, grip: Grip,
 *           change: (changes: Request) => void }} setting
 */
export function sampleBars({ engine, simulation, lang, width, grip, change }) {
    const m = simulation.config.microbatches;
    const samples = simulation.batch?.global ?? engine.batchShown(m);
    const size = simulation.batch?.size ?? samples / m;
    const scale = (width - 2) / samples;
    const take = (/** @type {number} */ b, whole = samples) => {
        if (b === size && whole === samples) return;
        change({ 'global-batch': String(whole), 'microbatch-size': String(b), microbatches: null });
    };
    const near = (/** @type {number} */ way) => engine.batchSize(samples, size, way);
    const words = textOf(
        lang,
        'samples_words',
        countOf(samples, lang, 'sample'),
        countOf(m, lang, 'microbatch'),
        formatNumber(size, lang),
    );
    const cuts = Math.min(m - 1, MOST_DRAWN);
    /** @type {Handle[]} */
    const handles =
        samples > 1
            ? [
                  {
                      x: 1 + Math.min(size, samples) * scale,
                      now: size,
                      min: 1,
                      max: samples,
                      label: textOf(lang, 'samples_cut'),
                      text: words,
                      drag: (x) =>
                          take(
                              engine.batchSize(samples, Math.min(samples, Math.max(1, Math.round((x - 1) / scale))), 0),
                          ),
                      step: (way) => {
                          let next = size;
                          for (let n = 0; n < Math.min(64, Math.abs(way)); n++)
                              next = engine.batchSize(samples, next, way);
                          take(next);
                      },
                  },
              ]
            : [];
    const inside = [
        ...Array.from(
            { length: Math.min(m, MOST_DRAWN) },
            (_, k) =>
                svg`<rect class=${`piece${k % 2 ? ' odd' : ''}`} x=${1 + k * size * scale} y=${TOP} width=${size * scale} height=${ROW} />`,
        ),
        samples <= MOST_DRAWN
            ? svg`<path class="lines" d=${Array.from({ length: samples }, (_, i) => `M${(1 + i * scale).toFixed(1)} ${TOP}v${ROW}`).join('')} />`
            : nothing,
        svg`<path class="cuts" d=${Array.from({ length: cuts }, (_, k) => `M${(1 + (k + 1) * size * scale).toFixed(1)} ${TOP - 3}v${ROW + 6}`).join('')} />`,
        ...Array.from({ length: Math.min(m, MOST_DRAWN) }, (_, k) =>
            over(1 + k * size * scale, size * scale, TOP - 7, String(k + 1)),
        ),
    ];
    const button = (/** @type {string} */ key, /** @type {number} */ way) =>
        html`<button type="button" class="action" data-samples=${key} ?disabled=${near(way) === size} @click=${() => take(near(way))}>${textOf(lang, `samples_${key}`)}</button>`;
    return html`${picture('samples', textOf(lang, 'samples_name'), width, inside, handles, grip)}
        <div class="buttons">${button('finer', -1)}${button('coarser', 1)}
            <label class="field"><span class="label">${textOf(lang, 'samples_count')}</span><input class="short" type="text" inputmode="numeric" autocomplete="off"
                data-option="global-batch" .value=${String(samples)} @change=${(/** @type {Event} */ event) =>
                    change({
                        'global-batch': /** @type {HTMLInputElement} */ (event.target).value,
                        'microbatch-size': String(size),
                        microbatches: null,
                    })}></label></div>
        <p class="note" data-words="samples">${words}</p>`;
}

// ---- costs ----

/** A step that is a power of ten, some forty of them in the whole. @param {number} most */
const stepOf = (most) => 10 ** Math.floor(Math.log10(most / 20));

/** Options of the costs of a stage that a schedule has. @param {Simulation} simulation @returns {[string, Float64Array, string][]} */
function costRows({ costs, actions }) {
    const has = (/** @type {number} */ op) => actions.op.includes(op);
    const hops = costs.latency.slice(0, -1);
    return [
        ['forward', costs.forward, 'F'],
        ...(has(2)
            ? [
                  ['input-gradient', costs.input, 'I'],
                  ['weight-gradient', costs.weight, 'W'],
              ]
            : has(1)
              ? [['backward', costs.backward, 'B']]
              : []),
        ...(hops.length ? [['latency', hops, 'L']] : []),
    ]
        .filter(([, row]) => row.length > 0)
        .map((row) => /** @type {any} */ (row));
}

/**
 * The request in which one cost is another. Where layers are cut, costs are ticks for a unit of their cost.
 * @param {Simulation} simulation @param {string} option @param {Float64Array} row @param {number} at @param {number} value
 * @returns {Request}
 */
function costChange({ costs, partition }, option, row, at, value) {
    const stages = partition && option !== 'latency' ? partition.stageCosts : null;
    const units = (/** @type {Float64Array} */ values) =>
        listOf(stages ? values.map((cost, s) => (stages[s] > 0 ? cost / stages[s] : cost)) : values, values.length);
    const next = row.slice();
    next[at] = value;
    const changes = /** @type {Request} */ ({ [option]: units(next) });
    if (option === 'backward') Object.assign(changes, { 'input-gradient': null, 'weight-gradient': null });
    if (option === 'input-gradient') Object.assign(changes, { backward: null, 'weight-gradient': units(costs.weight) });
    if (option === 'weight-gradient') Object.assign(changes, { backward: null, 'input-gradient': units(costs.input) });
    return changes;
}

/** What a row is called. @param {string} letter @param {string} lang */
const rowName = (letter, lang) => textOf(lang, letter === 'L' ? 'label_latency' : `op_${letter}`);

/** Bars of the costs of stages. */
export class Costs {
    /** Length of a whole bar, held while one is dragged. */
    #most = 0;
    #grip;
    #holds = false;

    /** @param {() => void} begin @param {() => void} end */
    constructor(begin, end) {
        this.#grip = new Grip(
            () => {
                this.#holds = true;
                begin();
            },
            () => {
                this.#holds = false;
                end();
            },
        );
    }

    /** @param {{ simulation: Simulation, lang: string, width: number, change: (changes: Request) => void }} setting */
    render({ simulation, lang, width, change }) {
        const rows = costRows(simulation);
        if (!this.#holds) this.#most = 1.6 * Math.max(1, ...rows.flatMap(([, row]) => [...row]));
        const most = this.#most;
        const step = stepOf(most);
        const columns = Math.max(1, Math.floor(width / 110));
        const wide = Math.min(170, Math.floor(width / Math.min(columns, simulation.config.stages)) - 12);
        const bar = (/** @type {[string, Float64Array, string]} */ [option, row, letter], /** @type {number} */ at) => {
            const value = row[at];
            const set = (/** @type {number} */ ticks) => {
                const next = Number(Math.max(0, Math.round(ticks / step) * step).toPrecision(12));
                if (next !== value) change(costChange(simulation, option, row, at, next));
            };
            const name = `${rowName(letter, lang)}, ${option === 'latency' ? textOf(lang, 'costs_hop', at + 1, at + 2) : `${textOf(lang, 'costs_stage_name')} ${at + 1}`}`;
            const x = 1 + Math.min(1, value / most) * (wide - 16);
            /** @type {Handle} */
            const handle = {
                x,
                now: value,
                min: 0,
                max: Math.max(value, most),
                label: name,
                text: countOf(value, lang, 'tick'),
                drag: (to) => set(((to - 1) / (wide - 16)) * most),
                step: (way) => set(Math.min(Math.max(value, most), value + way * step)),
            };
            const on = this.#grip.listeners([handle], wide);
            return html`<svg class="bar" data-bar=${`${option} ${at}`} viewBox="0 0 ${wide} 44" width=${wide} height="44"
                @pointerdown=${on.down} @pointermove=${on.move} @pointerup=${on.up} @pointercancel=${on.up} @lostpointercapture=${on.up} @keydown=${on.key}>
                <g class="handle" role="slider" tabindex="0" aria-label=${name} aria-orientation="horizontal" aria-valuemin="0" aria-valuemax=${handle.max} aria-valuenow=${value} aria-valuetext=${handle.text}>
                <rect x="0" y="0" width=${wide} height="44" />
                <rect class=${`piece bar-${letter}`} x="1" y="18" width=${Math.max(0.5, x - 1)} height="18" />
                <path d="M${x} 14v26" /><circle cx=${x} cy="27" r="6" />
                <text x="1" y="11">${option === 'latency' ? `${at + 1}→${at + 2}` : at + 1}: ${formatNumber(value, lang)}</text></g></svg>`;
        };
        return html`${rows.map(
            (
                row,
            ) => html`<div class="bars" role="group" aria-label=${rowName(row[2], lang)}><span class="label">${rowName(row[2], lang)}</span>
                <div class="bar-row">${Array.from(row[1].slice(0, 64), (_, at) => bar(row, at))}</div></div>`,
        )}<p class="note">${textOf(lang, 'costs_words')}</p>`;
    }
}
