// "plan": from what was measured to the schedule and the cut that would be best, and, after a second run, how close that
// was. Every time is simulated by the core; here schedules are only gone through.

import { PipelineError } from '../engine/error.js';
import { above, gain, layersOf, measuredLatency } from '../engine/measured.js';
import { plainName } from '../words/names.js';
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
 * @property {number | null} memory_limit  micro-batches in flight that the order was looked for with
 * @property {number[]} memory  by rank, at its peak; in layers' activations where no memory was given
 * @property {number} above  by what share it may be above the best plan possible
 * @property {boolean} fits  into the memory given, true where none is
 * @property {number} over  by how much it does not
 * @property {boolean} proved  no cut is better for this order
 * @property {boolean} [order_proved]  with --prove: no order of these stages within its limit is better
 * @property {Record<string, any>} request  that makes it
 */

/** Nothing can be planned: one sentence. status: 1 where the request is sound and its answer is no. */
export class PlanError extends Error {
    /** @param {string} message @param {1 | 2} [status] */
    constructor(message, status = 2) {
        super(message);
        this.status = status;
    }
}

/** Schedules of so many chunks a rank are tried, where nothing is said. */
const CHUNKS = 4;
/** As many of the best are cut anew by the time of the step. */
const REFINED = 6;
/** So many limits of memory are tried at most, where a schedule takes one. */
const LIMITS = 16;
/** Rows of the table. */
const ROWS = 10;

/** Takes an option out of pairs; its long name or its letter. @param {[string, string][]} pairs @param {string[]} names */
function option(pairs, ...names) {
    const found = pairs.filter(([name]) => names.includes(plainName(name)));
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
 * @param {{ lang: 'en' | 'ru', format: string, after?: Source,
 *     prove?: (engine: Engine, request: Record<string, any>) => ReturnType<typeof import('../engine/proof.js').proveBest> }} how
 */
export async function planCommand(engine, source, given, { lang, format, after, prove }) {
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
    const base = /** @type {[string, any][]} */ ([
        ...pairs,
        ['ranks', ranks],
        ['microbatches', microbatches],
        ['latency', latency],
    ]);
    const text = cliStrings[lang];
    const recompute = named(pairs, 'recompute');
    if (runsOn === 'pytorch' && recompute !== undefined && plainName(recompute) !== 'none')
        throw new PlanError(text.planRecompute(recompute));
    const search = new Search(engine, layers, base, runsOn === 'pytorch');

    // What there is now: the measured step by its own mean times, else 1F1B in equal parts, if it can be made.
    const transfer = pairs.filter(([name]) => plainName(name) === 'transfer');
    const before = step
        ? predicted(engine, source, layers, layers.sizes, latency, transfer)
        : unlessRefused(() => search.timed('1f1b', 1, 'equal'));
    const plans = search.all(only, chunks);
    const unused = only === undefined && search.unused(plans);
    if (unused) {
        if (!search.known(unused[0])) engine.simulate([unused]); // refused by the core, which tells the nearest name
        throw new PlanError(text.planUnused(...unused));
    }
    if (plans.length === 0) throw new PlanError([text.planNone, ...search.reasons()].join(' '));
    const bound = search.bound(only, chunks);
    const weigh = (/** @type {Plan} */ plan) => {
        plan.gain = before ? gain(engine, before.makespan, plan.makespan) : Number.NaN;
        plan.above = bound > 0 ? above(engine, plan.makespan, bound) : Number.NaN;
    };
    const best = plans[0];
    plans.forEach(weigh);
    if (!best.fits) {
        const nearest = plans.reduce((least, plan) => (plan.over < least.over ? plan : least));
        const number = plainNumbers(lang);
        throw new PlanError(
            text.planTooSmall(
                number(search.capacity),
                nearest.schedule,
                nearest.sizes.join(' '),
                number(Math.max(...nearest.memory)),
                number(nearest.over),
            ),
            1,
        );
    }
    if (prove) {
        await search.prove(best, prove);
        weigh(best);
    }
    if (format === 'torch') return { output: engine.torchCsv(best.request), sizes: best.sizes };
    const now = step && layers.outcome({ predicted: /** @type {any} */ (before).makespan, one: step.summary.makespan });
    const second = after && compare(engine, after, layers, latency, transfer, before?.makespan ?? 0, now?.measured);
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
        bound,
        second,
    };
    return { output: format === 'json' ? toJson(engine, out) : toText(out, lang), sizes: best.sizes };
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
        this.memory = base.some(([name]) => plainName(name).startsWith('memory') && plainName(name) !== 'memorylimit');
        this.capacity = Number(named(base, 'memorycapacity') ?? Number.POSITIVE_INFINITY);
        /** Why a schedule was left out. @type {Map<string, string>} */
        this.refused = new Map();
        /** Whether the options must all be known: where one schedule was asked for. */
        this.strict = false;
    }

    /** @param {string} name  a letter or a long name */
    known(name) {
        const asked = plainName(name);
        return this.engine.options.find((o) => plainName(o.name) === asked || o.letter === name)?.name;
    }

    /** What of the options a schedule knows; all of them where one schedule was asked for. @param {string} schedule */
    optionsOf(schedule) {
        const row = this.engine.schedules.find(({ name }) => name === schedule);
        return this.base.filter(([name]) => {
            const long = this.known(name);
            const uses = long !== undefined && row?.options.includes(long) === true;
            return uses || this.strict;
        });
    }

    /** An option that none of the schedules of the plans knows. @param {Plan[]} plans @returns {[string, string] | undefined} */
    unused(plans) {
        const rows = this.engine.schedules.filter(({ name }) => plans.some((plan) => plan.schedule === name));
        return this.base.find(([name]) => {
            const long = this.known(name);
            return long === undefined || (rows.length > 0 && !rows.some((row) => row.options.includes(long)));
        });
    }

    /** @returns {string[]} */
    reasons() {
        return [...this.refused].map(([schedule, reason]) => `${schedule}: ${reason}`).slice(0, this.strict ? 1 : 0);
    }

    /**
     * No plan of those that are looked for takes less.
     * @param {string} [only] @param {string} [chunks] @returns {number} 0 where that is not known
     */
    bound(only, chunks) {
        const row = this.engine.schedules.find(({ name }) => plainName(name) === plainName(only ?? ''));
        const value = (/** @type {string} */ name) => named(this.base, plainName(name));
        // Two actions in less than both, micro-batches that take less than their stage: the bound knows of neither.
        if (value('overlap-cost') !== undefined || value('microbatch-costs') !== undefined) return 0;
        const latency = String(value('latency')).split(/[\s;]+/);
        return this.layers.bound({
            ranks: Number(value('ranks')),
            microbatches: Number(value('microbatches')),
            chunks: Number(chunks ?? Math.min(row?.chunksMax ?? CHUNKS, CHUNKS)),
            bothEnds: !this.torch,
            latency: Math.min(...latency.map(Number)) || 0,
            limit: value('kept-share') === undefined ? Number.parseInt(value('memory-limit') ?? '0', 10) || 0 : 0,
            embedding: Number(value('embedding') ?? 0),
            head: Number(value('head') ?? 0),
        });
    }

    /**
     * The best cut of one schedule, and the step with it.
     * @param {string} schedule @param {number} chunks @param {string} partition
     * @param {[string, any][]} [more]  options of its own @returns {Plan}
     */
    timed(schedule, chunks, partition, more = []) {
        const { engine, layers } = this;
        const row = engine.schedules.find(({ name }) => name === schedule);
        const own = [
            ...this.optionsOf(schedule),
            ...more,
            ['schedule', schedule],
            ['chunks', chunks],
            ...(row?.options.includes('dialect') && this.torch ? [['dialect', 'pytorch']] : []),
        ];
        const { forward, input, weight } = layers.units;
        const each = (/** @type {'forward' | 'input' | 'weight'} */ name) => layers.costs.map((cost) => cost[name]);
        const cut = engine.simulate(
            /** @type {any} */ ([
                ...own,
                // One number would be that many layers of cost 1.
                ['layers', layers.count === 1 ? `1*${layers.weights[0]}` : layers.weights],
                ['layer-forward', each('forward')],
                ['layer-input-gradient', each('input')],
                ['layer-weight-gradient', each('weight')],
                ['partition', partition],
                ['forward', forward],
                ['input-gradient', input],
                ['weight-gradient', weight],
                ...(this.memory ? [] : [['memory-activations', 1]]),
            ]),
            { memory: true },
        );
        const { sizes, proved } = /** @type {any} */ (cut.partition);
        // What is told is what this request makes: the costs of the stages as they were cut.
        const request = Object.fromEntries([
            ...own.filter(([name]) => !OF_LAYERS.includes(plainName(String(name)))),
            ['forward', brief(cut.costs.forward)],
            ['input-gradient', brief(cut.costs.input)],
            ['weight-gradient', brief(cut.costs.weight)],
            ...(named(own, 'recompute') ? [['recompute-cost', brief(cut.costs.recompute)]] : []),
        ]);
        const { summary, perRank, config } = engine.simulate(request);
        const memory = /** @type {any} */ (cut.memory).perRank.map((/** @type {any} */ rank) => rank.peak);
        return {
            schedule,
            chunks,
            stages: config.stages,
            sizes,
            makespan: summary.makespan,
            bubble_fraction: summary.bubble_fraction,
            peak_activations: perRank.map((rank) => rank.peak_activations),
            memory_limit: row?.options.includes('memory-limit') ? config.memory_limit : null,
            memory,
            gain: Number.NaN,
            above: Number.NaN,
            fits: /** @type {any} */ (cut.memory).over_rank < 0,
            over: Math.max(0, Math.max(...memory) - this.capacity),
            proved: partition === 'makespan' && proved === 1,
            request,
        };
    }

    /** Runs work; null where the core refuses, which is remembered. @template T @param {string} schedule @param {() => T} work */
    attempt(schedule, work) {
        try {
            return work();
        } catch (error) {
            if (!(error instanceof PipelineError)) throw error;
            if (!this.refused.has(schedule)) this.refused.set(schedule, error.message);
            return null;
        }
    }

    /**
     * Where the order is looked for within a limit of memory and none was given: limits from that of V-Min to that of ZB-H2.
     * @param {string} schedule @returns {[string, any][][]}
     */
    limits(schedule) {
        const row = this.engine.schedules.find(({ name }) => name === schedule);
        if (!row?.options.includes('memory-limit') || named(this.base, 'memorylimit') !== undefined) return [[]];
        const [p, m] = ['ranks', 'microbatches'].map((name) => Number(named(this.base, name)));
        const all = range(Math.max(1, Math.floor((p + 4) / 3)), Math.max(1, Math.min(2 * p - 1, m)));
        const step = Math.ceil(all.length / LIMITS) || 1;
        const some = all.filter((limit, i) => (all.length - 1 - i) % step === 0 || limit === p);
        return (some.length > 0 ? some : [1]).map((limit) => [['memory-limit', limit]]);
    }

    /**
     * Is the order of the best plan the best there is? If not, the better one takes its place.
     * @param {Plan} plan @param {(engine: Engine, request: any) => any} prove
     */
    async prove(plan, prove) {
        const result = await prove(this.engine, plan.request);
        if (result === null) return;
        if (result.moves !== '') {
            plan.request.moves = result.moves;
            const { summary, perRank } = this.engine.simulate(plan.request);
            plan.makespan = summary.makespan;
            plan.bubble_fraction = summary.bubble_fraction;
            plan.peak_activations = perRank.map((rank) => rank.peak_activations);
        }
        plan.order_proved = result.report.proved === 1;
    }

    /** Can the engine that runs it say it? @param {Plan} plan */
    runs({ schedule, request }) {
        if (!this.torch) return true;
        const table = this.attempt(schedule, () => this.engine.torchCsv(request));
        return table !== null && !table.includes('OVERLAP'); // not before release 2.9
    }

    /** @param {string} [only] @param {string} [chunksGiven] @returns {Plan[]} the best first */
    all(only, chunksGiven) {
        /** @type {Plan[]} */
        const plans = [];
        this.strict = only !== undefined;
        for (const { name, chunksMin, chunksMax, trains } of this.engine.schedules) {
            if (!trains || (only !== undefined && plainName(only) !== plainName(name))) continue;
            const most = Math.min(chunksMax, CHUNKS);
            const wanted = chunksGiven === undefined ? range(chunksMin, most) : [Number(chunksGiven)];
            for (const chunks of wanted) {
                const found = this.limits(name)
                    .map((more) => this.attempt(name, () => this.timed(name, chunks, 'cost', more)))
                    .filter((plan) => plan !== null);
                plans.push(...worthTelling(found).filter((plan) => this.runs(plan)));
            }
        }
        plans.sort(better);
        for (const [i, plan] of plans.slice(0, REFINED).entries()) {
            /** @type {[string, any][]} */
            const more = this.limits(plan.schedule)[0].length > 0 ? [['memory-limit', plan.memory_limit]] : [];
            const refined = unlessRefused(() => this.timed(plan.schedule, plan.chunks, 'makespan', more));
            const worth =
                refined && (refined.makespan < plan.makespan || refined.proved) && refined.makespan <= plan.makespan;
            if (worth && (refined.fits || !plan.fits)) plans[i] = refined;
        }
        return plans.sort(better);
    }
}

/** Options that a cut has used up: what comes of them are costs of stages. */
const OF_LAYERS = ['embedding', 'head', 'costsof'].concat(
    ['weights', 'gradients', 'optimizer', 'activations', 'kept', 'inputs', 'embedding', 'head', 'capacity'].map(
        (row) => `memory${row}`,
    ),
);

/** One number where all are equal. @param {ArrayLike<number>} costs */
const brief = (costs) => {
    const all = Array.from(costs);
    return all.every((cost) => cost === all[0]) ? all[0] : all;
};

/** The last value given under a name. @param {any[]} pairs @param {string} name  plain @returns {any} */
const named = (pairs, name) => pairs.filter(([given]) => plainName(String(given)) === name).at(-1)?.[1];

/** Of plans of one schedule those that no other beats both in time and in memory. @param {Plan[]} plans */
function worthTelling(plans) {
    const most = (/** @type {Plan} */ plan) => Math.max(...plan.memory);
    const sorted = [...plans].sort((a, b) => a.makespan - b.makespan || most(a) - most(b));
    return sorted.filter((plan, i) => sorted.slice(0, i).every((other) => most(plan) < most(other) - 1e-9));
}

const range = (/** @type {number} */ from, /** @type {number} */ to) =>
    Array.from({ length: Math.max(0, to - from + 1) }, (_, i) => from + i);

/** First what fits; then the shorter; then what keeps less. @param {Plan} a @param {Plan} b */
const better = (a, b) =>
    Number(b.fits) - Number(a.fits) ||
    a.makespan - b.makespan ||
    Math.max(...a.memory) - Math.max(...b.memory) ||
    a.chunks - b.chunks;

/** @param {Engine} engine @param {any} out */
function toJson(
    engine,
    { source, step, layers, latency, ranks, microbatches, before, now, plans, best, bound, second },
) {
    const shown = (/** @type {Plan} */ { request, ...plan }) => ({
        ...plan,
        gain: numberOrNull(plan.gain),
        above: numberOrNull(plan.above),
    });
    const table = unlessRefused(() => engine.torchCsv(best.request));
    return `${JSON.stringify({
        kind: 'pipeline-figure plan',
        ranks: Number(ranks),
        microbatches: Number(microbatches),
        latency,
        layers: layers.costs,
        ...(step && { measured: { schedule: source.name, sizes: layers.sizes, ...finite(now) } }),
        bound: bound > 0 ? bound : null,
        ...(step || !before
            ? {}
            : { compared_with: { schedule: '1f1b', sizes: before.sizes, makespan: before.makespan } }),
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
function toText({ source, step, layers, latency, ranks, microbatches, before, now, plans, best, bound, second }, lang) {
    const text = cliStrings[lang];
    const number = plainNumbers(lang);
    const percent = (/** @type {number} */ value) =>
        new Intl.NumberFormat(lang, { style: 'percent', maximumFractionDigits: 1 }).format(value);
    const list = (/** @type {number[]} */ values) => values.join(' ');
    const share = (/** @type {number} */ value) => (Number.isFinite(value) ? percent(value) : '—');
    const most = (/** @type {Plan} */ plan) => Math.max(...plan.memory);
    const signed = (/** @type {number} */ value) => (value < 0 ? '−' : '+') + percent(Math.abs(value));
    /** What a row gives up beside the best. @param {Plan} plan */
    const beside = (plan) =>
        text.planBeside(signed(plan.makespan / best.makespan - 1), signed(most(plan) / most(best) - 1 || 0));
    const shown = plans.slice(0, ROWS);
    const rows = shown.map((/** @type {Plan} */ plan) => [
        plan.schedule,
        String(plan.chunks),
        list(plan.sizes),
        number(plan.makespan),
        percent(plan.bubble_fraction),
        share(plan.gain),
        share(plan.above),
        list(plan.peak_activations),
        number(Math.max(...plan.memory)),
        plan.fits ? (plan === best ? '' : beside(plan)) : text.planOver,
    ]);
    const head = text.planHead;
    const widths = head.map((/** @type {string} */ name, /** @type {number} */ i) =>
        Math.max(name.length, ...rows.map((/** @type {string[]} */ row) => row[i].length)),
    );
    const line = (/** @type {string[]} */ cells) =>
        cells
            .map((cell, i) =>
                i === 0 || i === 2 || i === head.length - 1 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]),
            )
            .join('  ')
            .trimEnd();
    const facts = step
        ? [
              [text.planMeasured, text.planSpread(number(now.measured), number(now.low), number(now.high))],
              [text.simulated, text.planRatio(number(now.predicted), number(now.ratio))],
              [text.planSizes, list(layers.sizes)],
          ]
        : before
          ? [[text.planCompared, `${number(before.makespan)} (${list(before.sizes)})`]]
          : [];
    facts.push([text.planLatency, number(latency)]);
    if (bound > 0) facts.push([text.planBound, number(bound)]);
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
    const first = ['ranks', 'microbatches', 'schedule', 'chunks', 'latency'];
    const rank = (/** @type {string} */ name) => (first.includes(name) ? first.indexOf(name) : first.length);
    const words = Object.entries(best.request)
        .sort(([a], [b]) => rank(a) - rank(b))
        .filter(([name, value]) => name !== 'latency' || Number(value) !== 0)
        .map(([name, value]) => {
            const said = Array.isArray(value) ? value.join(' ') : String(value);
            return `--${name} ${/\s/.test(said) ? `"${said}"` : said}`;
        });
    const verdict = [
        ...(Number.isFinite(best.above)
            ? [best.above > 0 ? text.planAbove(percent(best.above)) : text.planOptimal]
            : []),
        ...(best.order_proved ? [text.planOrderProved] : []),
    ];
    return terminal([
        text.planTitle(source.name, Number(ranks), Number(microbatches), layers.count),
        '',
        ...factLines(facts),
        '',
        line(head),
        ...rows.map(line),
        ...(plans.length > ROWS ? [text.planMore(plans.length - ROWS)] : []),
        '',
        text.planBest(best.schedule, list(best.sizes), number(best.makespan), share(best.gain)),
        `  ${words.join(' ')}`,
        ...verdict,
        ...(layers.split ? [] : ['', text.planHalves]),
        ...after,
    ]);
}
