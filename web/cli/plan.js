// "plan": from what was measured to the schedule and the cut that would be best, and, after a second run, how close that
// was. Every time is simulated by the core; here schedules are only gone through.

import { PipelineError } from '../engine/engine.js';
import { gain, layersOf, measuredLatency } from '../engine/measured.js';
import { factLines, plainNumbers, terminal } from './formats.js';
import { cliStrings } from './strings.js';

/**
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('../engine/measured.js').Layers} Layers
 * @typedef {{ name: string, input: string }} Source
 *
 * @typedef {object} Plan
 * @property {string} schedule @property {number} chunks @property {number} stages
 * @property {number[]} sizes  layers of each stage
 * @property {number} makespan @property {number} bubble_fraction
 * @property {number[]} peak_activations  by rank
 * @property {number} gain  over what was measured, or over 1F1B in equal parts
 * @property {boolean} fits  into the memory given, true where none is
 * @property {boolean} proved  no cut is better for this order
 * @property {Record<string, any>} request  that makes it
 */

/** Nothing can be planned: one sentence. */
export class PlanError extends Error {}

/** Schedules of so many chunks a rank are tried, where nothing is said. */
const CHUNKS = 4;
/** As many of the best are cut anew by the time of the step. */
const REFINED = 6;
/** Rows of the table. */
const ROWS = 10;

const plain = (/** @type {string} */ name) => name.toLowerCase().replace(/[-_]/g, '');

/** Takes an option out of pairs; its long name or its letter. @param {[string, string][]} pairs @param {string[]} names */
function option(pairs, ...names) {
    const found = pairs.filter(([name]) => names.includes(plain(name)));
    for (const pair of found) pairs.splice(pairs.indexOf(pair), 1);
    return found.at(-1)?.[1];
}

/** An unknown name is refused in the core's words; whether it fits is seen later. @param {Engine} engine @param {string} schedule */
function refuseUnknown(engine, schedule) {
    try {
        engine.simulate([['schedule', schedule]]);
    } catch (error) {
        if (!(error instanceof PipelineError) || error.code === 'name-unknown') throw error;
    }
}

/** Runs work; null where the core refuses. @template T @param {() => T} work @returns {T | null} */
function unlessRefused(work) {
    try {
        return work();
    } catch (error) {
        if (!(error instanceof PipelineError)) throw error;
        return null;
    }
}

/**
 * What a file says was measured: costs, and the step where there is one.
 * @param {Engine} engine @param {Source} source @param {[string, any][]} shape  ranks and micro-batches, for timers
 * @param {number[]} [sizes]
 */
function measured(engine, { input }, shape, sizes) {
    const step = unlessRefused(() => engine.check(input, { times: 'measured' }));
    const timed = step?.file.timed && step.file.measured ? step : null;
    const config = timed?.config ?? unlessRefused(() => engine.simulate([['schedule', 'gpipe'], ...shape]))?.config;
    const profile = (() => {
        try {
            return engine.parseProfile(input, config);
        } catch (error) {
            // Reason 0: the file tells no costs at all (layers alone, or nothing: layersOf says). Any other fault is told.
            if (!(error instanceof PipelineError && error.code === 'profile' && error.fault.a === 0)) throw error;
            return null;
        }
    })();
    const layers = layersOf(engine, input, profile, config, sizes);
    const latency = profile?.latency
        ? Math.max(...profile.latency)
        : timed
          ? measuredLatency(engine, timed.actions)
          : 0;
    return { step: timed, layers, latency };
}

/** The time of a measured order by the costs of layers. @param {Engine} engine @param {Source} source @param {Layers} layers @param {number[]} sizes @param {any} latency @param {[string, any][]} rest */
const predicted = (engine, { input }, layers, sizes, latency, rest) =>
    engine.check(input, [...rest, ...Object.entries(layers.stages(sizes)), ['latency', latency]]).summary;

/**
 * @param {Engine} engine @param {Source} source @param {[string, string][]} given
 * @param {{ lang: 'en' | 'ru', format: string, after?: Source }} how
 */
export function planCommand(engine, source, given, { lang, format, after }) {
    const pairs = [...given];
    const runsOn = option(pairs, 'runson') ?? 'pytorch';
    if (!['pytorch', 'any'].includes(runsOn))
        throw new PlanError(cliStrings[lang].noSuchName('runs-on', runsOn, ['pytorch', 'any']));
    const cuts = option(pairs, 'cuts');
    const sizes =
        cuts === undefined
            ? undefined
            : cuts
                  .split(/[\s,;]+/)
                  .filter(Boolean)
                  .map(Number);
    const only = option(pairs, 's', 'schedule');
    const chunks = option(pairs, 'v', 'chunks');
    const ranksGiven = option(pairs, 'p', 'ranks');
    const unitsGiven = option(pairs, 'm', 'microbatches');
    const latencyGiven = option(pairs, 'latency');
    const shape = /** @type {[string, any][]} */ ([
        ['ranks', ranksGiven],
        ['microbatches', unitsGiven],
    ]);
    if (only !== undefined) refuseUnknown(engine, only);
    const { step, layers, latency: found } = measured(engine, source, shape, sizes);
    const latency = latencyGiven ?? found;
    const ranks = ranksGiven ?? step?.config.ranks ?? layers.sizes.length;
    const microbatches = unitsGiven ?? step?.config.microbatches;
    if (!ranks || !microbatches) throw new PlanError(cliStrings[lang].planShape(source.name));
    if (Number(ranks) > layers.count) throw new PlanError(cliStrings[lang].planRanks(ranks, layers.count));
    const base = [...pairs, ['ranks', ranks], ['microbatches', microbatches], ['latency', latency]];
    const search = new Search(engine, layers, base, runsOn === 'pytorch');

    // What there is now: the measured step by its own mean times, else 1F1B in equal parts.
    const before = step
        ? predicted(engine, source, layers, layers.sizes, latency, pairs)
        : search.timed('1f1b', 1, 'equal');
    const plans = search.all(only, chunks);
    if (plans.length === 0) throw new PlanError(cliStrings[lang].planNone);
    for (const plan of plans) plan.gain = gain(engine, before.makespan, plan.makespan);
    const best = plans.find((plan) => plan.fits) ?? plans[0];
    if (format === 'torch') return engine.torchCsv(best.request);
    const now = step && layers.outcome({ predicted: before.makespan, one: step.summary.makespan });
    const second = after && compare(engine, after, layers, latency, pairs, before.makespan, now?.measured);
    const out = {
        source,
        step,
        layers,
        latency: Number(latency),
        ranks,
        microbatches,
        before,
        now,
        plans,
        best,
        second,
    };
    return format === 'json' ? toJson(engine, out) : toText(out, lang);
}

/**
 * A second run beside what the first one said of it.
 * @param {Engine} engine @param {Source} after @param {Layers} layers @param {any} latency @param {[string, any][]} rest
 * @param {number} before @param {number | undefined} measuredBefore
 */
function compare(engine, after, layers, latency, rest, before, measuredBefore) {
    const step = engine.check(after.input, { times: 'measured' });
    const own = layersOf(
        engine,
        after.input,
        unlessRefused(() => engine.parseProfile(after.input, step.config)),
    );
    const held = own.count === layers.count ? own.sizes : layers.sizes;
    const { makespan } = predicted(engine, after, layers, held, latency, rest);
    const outcome = own.outcome({ predicted: makespan, one: step.summary.makespan, before, measuredBefore });
    return { name: after.name, sizes: held, ...outcome };
}

/** Goes through schedules, chunks and cuts. */
class Search {
    /** @param {Engine} engine @param {Layers} layers @param {any[]} base @param {boolean} torch */
    constructor(engine, layers, base, torch) {
        this.engine = engine;
        this.layers = layers;
        this.base = base;
        this.torch = torch;
        this.memory = base.some(([name]) => plain(name) === 'memorycapacity');
    }

    /**
     * The best cut of one schedule, and the step with it.
     * @param {string} schedule @param {number} chunks @param {string} partition @returns {Plan}
     */
    timed(schedule, chunks, partition) {
        const { engine, layers, base } = this;
        const known = engine.schedules.find(({ name }) => name === schedule);
        const named = [
            ...base.filter(([name]) => !name.startsWith('memory') || this.memory),
            ['schedule', schedule],
            ['chunks', chunks],
            ...(known?.options.includes('dialect') && this.torch ? [['dialect', 'pytorch']] : []),
        ];
        const { forward, input, weight } = layers.units;
        const cut = engine.simulate(
            [
                ...named,
                // One number would be that many layers of cost 1.
                ['layers', layers.count === 1 ? `1*${layers.weights[0]}` : layers.weights],
                ['partition', partition],
                ['forward', forward],
                ['input-gradient', input],
                ['weight-gradient', weight],
            ],
            { memory: this.memory },
        );
        const { sizes, proved } = /** @type {any} */ (cut.partition);
        // Anew by the costs of each stage: above, every layer had the same shares of F, I and W.
        const request = Object.fromEntries([
            ...named.filter(([name]) => !name.startsWith('memory')),
            ...Object.entries(layers.stages(sizes)),
        ]);
        const { summary, perRank, config } = engine.simulate(request);
        return {
            schedule,
            chunks,
            stages: config.stages,
            sizes,
            makespan: summary.makespan,
            bubble_fraction: summary.bubble_fraction,
            peak_activations: perRank.map((rank) => rank.peak_activations),
            gain: Number.NaN,
            fits: !(cut.memory && cut.memory.over_rank >= 0),
            proved: partition === 'makespan' && proved === 1,
            request,
        };
    }

    /** Can the engine that runs it say it? @param {Plan} plan */
    runs({ request }) {
        if (!this.torch) return true;
        const table = unlessRefused(() => this.engine.torchCsv(request));
        return table !== null && !table.includes('OVERLAP'); // not before release 2.9
    }

    /** @param {string} [only] @param {string} [chunksGiven] @returns {Plan[]} the best first */
    all(only, chunksGiven) {
        /** @type {Plan[]} */
        const plans = [];
        for (const { name, chunksMin, chunksMax, trains } of this.engine.schedules) {
            if (!trains || (only !== undefined && plain(only) !== plain(name))) continue;
            const most = Math.min(chunksMax, CHUNKS);
            const wanted = chunksGiven === undefined ? range(chunksMin, most) : [Number(chunksGiven)];
            for (const chunks of wanted) {
                const plan = unlessRefused(() => this.timed(name, chunks, 'cost'));
                if (plan && this.runs(plan)) plans.push(plan);
            }
        }
        plans.sort(better);
        for (const [i, plan] of plans.slice(0, REFINED).entries()) {
            const refined = unlessRefused(() => this.timed(plan.schedule, plan.chunks, 'makespan'));
            if (refined && (refined.makespan < plan.makespan || refined.proved) && refined.makespan <= plan.makespan)
                plans[i] = refined;
        }
        return plans.sort(better);
    }
}

const range = (/** @type {number} */ from, /** @type {number} */ to) =>
    Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);

/** First what fits; then the shorter; then what keeps less. @param {Plan} a @param {Plan} b */
const better = (a, b) =>
    Number(b.fits) - Number(a.fits) ||
    a.makespan - b.makespan ||
    Math.max(...a.peak_activations) - Math.max(...b.peak_activations) ||
    a.chunks - b.chunks;

/** @param {Engine} engine @param {any} out */
function toJson(engine, { source, step, layers, latency, ranks, microbatches, before, now, plans, best, second }) {
    const shown = (/** @type {Plan} */ { request, ...plan }) => ({ ...plan, gain: numberOrNull(plan.gain) });
    const table = unlessRefused(() => engine.torchCsv(best.request));
    return `${JSON.stringify({
        kind: 'pipeline-figure plan',
        ranks: Number(ranks),
        microbatches: Number(microbatches),
        latency,
        layers: layers.costs,
        ...(step && { measured: { schedule: source.name, sizes: layers.sizes, ...finite(now) } }),
        ...(step ? {} : { compared_with: { schedule: '1f1b', sizes: before.sizes, makespan: before.makespan } }),
        best: { ...shown(best), request: best.request, table },
        plans: plans.map(shown),
        ...(second && { after: finite(second) }),
    })}\n`;
}

const numberOrNull = (/** @type {number} */ value) => (Number.isFinite(value) ? value : null);
const finite = (/** @type {Record<string, any>} */ record) =>
    Object.fromEntries(
        Object.entries(record).map(([name, value]) => [name, typeof value === 'number' ? numberOrNull(value) : value]),
    );

/** @param {any} out @param {'en' | 'ru'} lang */
function toText({ source, step, layers, latency, ranks, microbatches, before, now, plans, best, second }, lang) {
    const text = cliStrings[lang];
    const number = plainNumbers(lang);
    const percent = (/** @type {number} */ value) =>
        new Intl.NumberFormat(lang, { style: 'percent', maximumFractionDigits: 1 }).format(value);
    const list = (/** @type {number[]} */ values) => values.join(' ');
    const shown = plans.slice(0, ROWS);
    const rows = shown.map((/** @type {Plan} */ plan) => [
        plan.schedule,
        String(plan.chunks),
        list(plan.sizes),
        number(plan.makespan),
        percent(plan.bubble_fraction),
        percent(plan.gain),
        list(plan.peak_activations),
        plan.fits ? '' : text.planOver,
    ]);
    const head = text.planHead;
    const widths = head.map((/** @type {string} */ name, /** @type {number} */ i) =>
        Math.max(name.length, ...rows.map((/** @type {string[]} */ row) => row[i].length)),
    );
    const line = (/** @type {string[]} */ cells) =>
        cells
            .map((cell, i) => (i === 0 || i === 2 ? cell.padEnd(widths[i]) : cell.padStart(widths[i])))
            .join('  ')
            .trimEnd();
    const facts = step
        ? [
              [text.planMeasured, text.planSpread(number(now.measured), number(now.low), number(now.high))],
              [text.simulated, text.planRatio(number(now.predicted), number(now.ratio))],
              [text.planSizes, list(layers.sizes)],
          ]
        : [[text.planCompared, `${number(before.makespan)} (${list(before.sizes)})`]];
    facts.push([text.planLatency, number(latency)]);
    const after = second
        ? [
              '',
              text.planAfter(second.name),
              ...factLines([
                  [text.planPredicted, number(second.predicted)],
                  [
                      text.planMeasured,
                      text.planSpread(number(second.measured), number(second.low), number(second.high)),
                  ],
                  [text.planQuotient, text.planNoise(number(second.ratio), percent(second.noise))],
                  [
                      text.planGain,
                      text.planGains(
                          percent(second.gain),
                          Number.isFinite(second.gain_measured) ? percent(second.gain_measured) : '—',
                      ),
                  ],
              ]),
          ]
        : [];
    const words = Object.entries(best.request)
        .filter(([name]) => ['schedule', 'ranks', 'microbatches', 'chunks', 'dialect'].includes(name))
        .map(([name, value]) => `--${name} ${value}`);
    return terminal([
        text.planTitle(source.name, Number(ranks), Number(microbatches), layers.count),
        '',
        ...factLines(facts),
        '',
        line(head),
        ...rows.map(line),
        ...(plans.length > ROWS ? [text.planMore(plans.length - ROWS)] : []),
        '',
        text.planBest(best.schedule, list(best.sizes), number(best.makespan), percent(best.gain)),
        `  ${words.join(' ')}`,
        ...(layers.split ? [] : ['', text.planHalves]),
        ...after,
    ]);
}
