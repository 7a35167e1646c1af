// The schedule in words: the sentence under the figure, what a cell does and why a device waits, the formula with the
// present numbers, the four numbers, the caption. Every number comes from simulations passed in; nothing is computed
// here that the core computes. Devices, stages and micro-batches are counted from 1 (see scene.js).

import { messageTo, neighbours } from '../engine/relations.js';
import { countOf, exactFraction, formatNumber, formatPercent, formatShare, pluralOf } from '../words/numbers.js';
import { OPS, WEIGHT_GRADIENT } from '../words/ops.js';
import { textOf } from '../words/strings.js';

export { countOf, exactFraction, formatNumber, formatPercent, formatShare, pluralOf };

/**
 * @typedef {import('../engine/types.js').Simulation} Simulation
 * @typedef {import('./scene.js').Shape} Shape
 *
 * @typedef {import('../engine/types.js').Others} Others
 *
 * @typedef {{ text: string, strong?: boolean, option?: string, value?: number }} Part
 *     A piece of a sentence. One with an option is a number that may be edited: the option's value as shown.
 */

/** @param {ArrayLike<number>} values */
function allEqual(values) {
    for (let i = 1; i < values.length; i++) if (values[i] !== values[0]) return false;
    return true;
}

/** @param {Simulation} simulation */
export function trains({ kinds }) {
    return (kinds & 6) !== 0;
}

/** What makes the closed form fail, as far as the request shows it. @param {Simulation} simulation */
export function conditions(simulation) {
    const { costs, config } = simulation;
    const rows = trains(simulation) ? [costs.forward, costs.input, costs.weight] : [costs.forward];
    const hops = costs.latency.slice(0, -1);
    return {
        uneven: rows.some((row) => !allEqual(row)),
        latency: hops.some((ticks) => ticks > 0),
        latencyTicks: hops.length > 0 && allEqual(hops) ? hops[0] : null,
        recompute: config.recompute !== undefined && config.recompute !== 'none' && (simulation.kinds & 16) !== 0,
    };
}

/** "1F1B", «Чередование»; a schedule read from a file has no name. @param {string | null | undefined} schedule @param {string} lang */
export function scheduleName(schedule, lang) {
    return textOf(lang, `schedule_${schedule || 'file'}`);
}

// ---- the sentence ----

/**
 * @param {string} template @param {Record<string, string | number | Part>} values
 * @returns {Part[]}
 */
function fill(template, values) {
    /** @type {Part[]} */
    const parts = [];
    let strong = false;
    for (const piece of template.split(/(\{\w+\}|\*)/)) {
        if (piece === '*') {
            strong = !strong;
            continue;
        }
        if (piece === '') continue;
        const name = /^\{(\w+)\}$/.exec(piece)?.[1];
        const value = name === undefined ? piece : values[name];
        if (typeof value === 'object') {
            parts.push(value);
            continue;
        }
        const text = String(value);
        const last = parts[parts.length - 1];
        if (last && last.option === undefined && Boolean(last.strong) === strong) last.text += text;
        else if (text !== '') parts.push(strong ? { text, strong } : { text });
    }
    return parts;
}

/** A share in words where they are short, and the grammar that goes with it. @param {Record<string, number>} summary @param {string} lang */
function shareInWords(summary, lang) {
    const upper = summary.bubble_fraction_numerator;
    const lower = summary.bubble_fraction_denominator;
    if ((upper === 1 && lower >= 2 && lower <= 10) || (upper === 2 && lower === 3) || (upper === 3 && lower === 4)) {
        return { share: textOf(lang, `share_${upper}_${lower}`), form: upper === 1 ? 'one' : 'few' };
    }
    return { share: formatShare(summary, 'bubble_fraction', lang), form: upper === 1 && lower > 0 ? 'one' : 'other' };
}

/** @param {Simulation} simulation @param {string} lang */
function conditionText(simulation, lang) {
    const { uneven, latency, latencyTicks, recompute } = conditions(simulation);
    let text = simulation.config.edited ? textOf(lang, 'headline_edited') : '';
    if (uneven) text += textOf(lang, 'headline_uneven');
    if (latency && latencyTicks !== null) {
        text += textOf(lang, 'headline_latency').replace('{latency}', countOf(latencyTicks, lang, 'tick'));
    } else if (latency) text += textOf(lang, 'headline_latency_varied');
    if (recompute) text += textOf(lang, 'headline_recompute');
    return text;
}

/**
 * A device fails: when, and what the ways of going on cost beside the undisturbed step.
 * @param {NonNullable<Simulation['failure']>} failure
 * @param {(key: string, more?: Record<string, string | number | Part>) => Part[]} say @param {string} lang
 */
function failureParts(failure, say, lang) {
    const lost = (/** @type {string} */ way) => {
        const policy = failure.policies.find(({ name, known }) => known && name === way);
        return policy && countOf(policy.time_lost, lang, 'tick');
    };
    const [checkpoint, spare, restart] = ['checkpoint', 'spare', 'restart'].map(lost);
    const device = { rank: failure.rank + 1, at: formatNumber(failure.time, lang) };
    const start = say('headline_failure', device);
    if (checkpoint && spare) return [...start, ...say('headline_failure_both', { checkpoint, spare })];
    if (checkpoint) return [...start, ...say('headline_failure_checkpoint', { checkpoint })];
    if (spare) return [...start, ...say('headline_failure_spare', { spare })];
    return [...start, ...say('headline_failure_restart', { restart: restart ?? '' })];
}

/**
 * One sentence or two that are true for the present state.
 * @param {Simulation} simulation
 * @param {string} lang
 * @param {Others} [others]
 * @returns {Part[]}
 */
export function headline(simulation, lang, others = {}) {
    const { config, summary, perRank } = simulation;
    const schedule = config.schedule;
    const { uneven, latency, recompute } = conditions(simulation);
    const plain = !uneven && !latency && !recompute && !config.edited;
    /** @param {string} option @param {number} value @returns {Part} */
    const editable = (option, value) => ({ text: formatNumber(value, lang), option, value });
    /** @type {Record<string, string | number | Part>} */
    const values = {
        name: scheduleName(schedule, lang),
        p: editable('ranks', config.ranks),
        m: editable('microbatches', config.microbatches),
        v: editable('chunks', config.chunks),
        devices: pluralOf(config.ranks, lang, 'device'),
        stages: pluralOf(config.ranks, lang, 'stage'),
        microbatches: pluralOf(config.microbatches, lang, 'microbatch'),
        pass: pluralOf(config.microbatches, lang, 'pass'),
        time: countOf(summary.makespan, lang, 'tick'),
        share: formatShare(summary, 'bubble_fraction', lang),
        conditions: conditionText(simulation, lang),
        activations: countOf(perRank[0].peak_activations, lang, 'activation_accusative'),
        peak: formatNumber(summary.peak_activations, lang),
        messages: formatNumber(summary.transfers_forward + summary.transfers_backward, lang),
        rank: summary.cadence_rank + 1,
        cadence: countOf(summary.cadence, lang, 'tick'),
    };
    /** @param {string} key @param {Record<string, string | number | Part>} [more] */
    const say = (key, more) => fill(textOf(lang, key), { ...values, ...more });

    if (schedule === 'forward' && plain) {
        const now = shareInWords(summary, lang);
        const start = say('headline_forward', { stages: pluralOf(config.ranks, lang, 'stage_accusative') });
        if (summary.idle === 0) return joined([...start, ...say('headline_empty_none')]);
        return joined([...start, ...say(`headline_empty_${now.form}`, { share: now.share })]);
    }
    const chunked = config.chunks > 1;
    const start = chunked
        ? say('headline_start_chunks', { stages: pluralOf(config.chunks, lang, 'stage_each') })
        : say('headline_start');
    const kept = recompute && trains(simulation) ? keptParts(others, say, lang) : [];
    const late = simulation.stream
        ? say('headline_stream', {
              versions: countOf(perRank[0].weight_versions, lang, 'version_accusative'),
              late: countOf(simulation.stream.late[0], lang, 'update_accusative'),
          })
        : [];
    if (others.failure) return joined([...start, ...failureParts(others.failure, say, lang)]);
    return joined([...start, ...remark(simulation, others.compare ?? null, plain, say, lang), ...kept, ...late]);
}

/**
 * What recomputation costs and what it saves.
 * @param {Others} others @param {(key: string, more?: Record<string, string | number | Part>) => Part[]} say @param {string} lang
 */
function keptParts({ without, kept }, say, lang) {
    if (!without || !kept) return [];
    return say('headline_recompute_kept', {
        before: formatNumber(without.summary.makespan, lang),
        inputs: countOf(kept.inputs, lang, 'microbatch_genitive'),
        more: countOf(without.summary.peak_activations, lang, 'microbatch_genitive'),
        full: formatNumber(kept.full, lang),
    });
}

/**
 * The second sentence: what this schedule is about.
 * @param {Simulation} simulation @param {Simulation | null} compare @param {boolean} plain
 * @param {(key: string, more?: Record<string, string | number | Part>) => Part[]} say @param {string} lang
 */
function remark(simulation, compare, plain, say, lang) {
    const { config, summary, perRank } = simulation;
    if (conditions(simulation).recompute && trains(simulation)) return say('headline_bubble');
    if (config.schedule === 'naive' && plain) return say(config.ranks > 1 ? 'headline_naive' : 'headline_naive_one');
    if (compare) {
        const more = {
            other: scheduleName(compare.config.schedule, lang),
            others: formatShare(compare.summary, 'bubble_fraction', lang),
            more: formatNumber(compare.perRank[0].peak_activations, lang),
            fewer: formatNumber(compare.summary.transfers_forward + compare.summary.transfers_backward, lang),
        };

        // Two fractions cannot be compared by eye.
        const percent = {
            share: formatPercent(summary.bubble_fraction, lang),
            others: formatPercent(compare.summary.bubble_fraction, lang),
        };
        const sameBubble = Math.abs(summary.bubble_fraction - compare.summary.bubble_fraction) < 1e-12;
        const samePeak = perRank[0].peak_activations === compare.perRank[0].peak_activations;
        if (config.chunks > 1) return say('headline_messages', { ...more, ...percent });
        if (sameBubble) return say(samePeak ? 'headline_same_all' : 'headline_same_bubble', more);
        return say('headline_other_bubble', { ...more, ...percent });
    }
    if (conditions(simulation).uneven) return say('headline_cadence');
    if (!trains(simulation)) {
        const { share } = shareInWords(summary, lang);
        return summary.idle === 0 ? say('headline_idle_none') : say('headline_idle', { share });
    }
    if (plain && summary.bubble_rate === 0 && summary.idle > 0) return say('headline_no_wait');
    const peaks = perRank.map((rank) => rank.peak_activations);
    if (allEqual(peaks)) return say('headline_gpipe');
    if (peaks[0] === summary.peak_activations) return say('headline_activations');
    return say('headline_any');
}

/** Neighbouring plain pieces put together. @param {Part[]} parts */
function joined(parts) {
    /** @type {Part[]} */
    const out = [];
    for (const part of parts) {
        const last = out[out.length - 1];
        const same = last && !last.option && !part.option && Boolean(last.strong) === Boolean(part.strong);
        if (same) last.text += part.text;
        else out.push({ ...part });
    }
    return out;
}

/** @param {Part[]} parts */
export function partsText(parts) {
    return parts.map((part) => part.text).join('');
}

// ---- one cell, one wait ----

/** @param {Simulation} simulation @param {number} i @param {string} lang */
function opName(simulation, i, lang) {
    return textOf(lang, `op_${OPS[simulation.actions.op[i]]}`);
}

/**
 * What an action does, what it waited for and who waits for it.
 * @param {Simulation} simulation @param {number} i @param {string} lang
 */
export function describeAction(simulation, i, lang) {
    const { actions } = simulation;
    /** @param {number} time */
    const at = (time) => formatNumber(time, lang);
    const { waitsFor, awaitedBy, previous } = neighbours(simulation, i);
    let text = textOf(
        lang,
        'action',
        actions.rank[i] + 1,
        opName(simulation, i, lang),
        actions.microbatch[i] + 1,
        actions.stage[i] + 1,
        at(actions.start[i]),
        at(actions.finish[i]),
    );
    const free = previous >= 0 ? actions.finish[previous] : 0;
    // A gradient by weights needs the one by inputs, which its own device has just made.
    if (waitsFor.length === 0) {
        text += textOf(lang, actions.op[i] === WEIGHT_GRADIENT ? 'action_needs_here' : 'action_needs_nothing');
    }
    for (const j of waitsFor) {
        const arrived = messageTo(simulation, i)?.arrived ?? actions.finish[j];
        const own = actions.rank[j] === actions.rank[i];
        const key = own ? 'action_needs_own' : arrived > actions.finish[j] ? 'action_needs_sent' : 'action_needs';
        const stage = actions.stage[j] + 1;
        const ready = at(actions.finish[j]);
        text += textOf(lang, key, stage, opName(simulation, j, lang), actions.rank[j] + 1, ready, at(arrived));
        if (own) continue;
        if (actions.start[i] > arrived)
            text += textOf(lang, 'action_queued', countOf(actions.start[i] - arrived, lang, 'tick'));
        else text += textOf(lang, 'action_at_once');
        if (actions.start[i] > free)
            text += textOf(lang, 'action_waited', countOf(actions.start[i] - free, lang, 'tick'));
    }
    const recomputation = actions.op[i] === 4;
    if (awaitedBy.length === 0) text += textOf(lang, recomputation ? 'action_awaited_own' : 'action_awaited_nobody');
    for (const j of awaitedBy) {
        const start = at(actions.start[j]);
        text += textOf(
            lang,
            'action_awaited',
            actions.rank[j] + 1,
            opName(simulation, j, lang),
            actions.stage[j] + 1,
            start,
        );
    }
    return text;
}

/**
 * That the device could do its next forward pass in an idle interval, and what it would hold for it; '' where it could not.
 * @param {Simulation} simulation @param {number} j index into idle @param {string} lang
 */
export function describeEarly({ actions, idle, perRank }, j, lang) {
    const i = idle.early[j];
    if (i < 0) return '';
    const [held, peak] = [idle.held[j], perRank[idle.rank[j]].peak_activations];
    const number = actions.microbatch[i] + 1;
    if (held <= peak) return textOf(lang, 'idle_early', number, countOf(held, lang, 'activation_accusative'));
    return textOf(
        lang,
        'idle_early_more',
        number,
        countOf(held, lang, 'activation_accusative'),
        formatNumber(peak, lang),
    );
}

const IDLE_KEYS = ['idle_fill', 'idle_input', 'idle_transfer', 'idle_drain', 'idle_gather'];

/**
 * Why a device does nothing in an idle interval: what it waits for, since when, from whom.
 * @param {Simulation} simulation @param {number} j index into idle @param {string} lang
 */
export function describeIdle(simulation, j, lang) {
    const { actions, idle } = simulation;
    const [rank, start, finish, reason, source] = [idle.rank, idle.start, idle.finish, idle.reason, idle.waits_for].map(
        (column) => column[j],
    );
    const from = formatNumber(start, lang);
    const to = formatNumber(finish, lang);
    let key = IDLE_KEYS[reason] ?? 'idle_plain';
    if (key === 'idle_drain' || source < 0)
        return textOf(lang, source < 0 && reason < 3 ? 'idle_plain' : key, rank + 1, from, to);
    if (key === 'idle_transfer' && actions.rank[source] === rank) key = 'idle_sending';
    return textOf(
        lang,
        key,
        rank + 1,
        from,
        to,
        actions.rank[source] + 1,
        opName(simulation, source, lang),
        actions.microbatch[source] + 1,
        actions.stage[source] + 1,
    );
}

// ---- the formula ----

/** @param {string | number} text @returns {Shape} */
const mi = (text) => ({ type: 'mi', text: String(text) });
/** @param {string | number} text @returns {Shape} */
const mn = (text) => ({ type: 'mn', text: String(text) });
/** @param {string} text @returns {Shape} */
const mo = (text) => ({ type: 'mo', text });
/** @param {string} text @returns {Shape} */
const mtext = (text) => ({ type: 'mtext', text });
/** @param {...Shape} shapes @returns {Shape} */
const mrow = (...shapes) => (shapes.length === 1 ? shapes[0] : { type: 'mrow', shapes });
/** @param {Shape} over @param {Shape} under @returns {Shape} */
const mfrac = (over, under) => ({ type: 'mfrac', shapes: [over, under] });

/** @param {string} text "2/3" or any other result @returns {Shape} */
function result(text) {
    const parts = /^(\d+)\/(\d+)$/.exec(text);
    return parts ? mfrac(mn(parts[1]), mn(parts[2])) : mn(text);
}

/** A tree of formula() as a line of plain text. @param {Shape} tree @returns {string} */
export function mathText(tree) {
    if (tree.type === 'mfrac') {
        const [over, under] = (tree.shapes ?? []).map((shape) => ({
            text: mathText(shape),
            row: shape.type === 'mrow',
        }));
        if (!over.row && !under.row) return `${over.text}/${under.text}`;
        return `${over.row ? `(${over.text})` : over.text} / ${under.row ? `(${under.text})` : under.text}`;
    }
    if (tree.type === 'mo') return ` ${tree.text} `;
    return (tree.text ?? '') + (tree.shapes ?? []).map(mathText).join('');
}

/**
 * The closed form with the present numbers put in, or where it does not hold the definition with the simulated numbers.
 * @param {Simulation} simulation @param {string} lang @param {boolean} [ratio]  idle time by work, and not by all time
 * @returns {{ holds: boolean, math: Shape, text: string, words: string, note: string }}
 *     math: a MathML tree for renderMath; text: the same as a line; words: what it says; note: when it holds, or why not
 */
export function formula(simulation, lang, ratio = false) {
    const { summary } = simulation;
    const closed = summary.formula_holds === 1 ? closedForm(simulation, lang, ratio) : null;
    const { field, left, general, present, words } = closed ?? definition(simulation, lang, ratio);
    const value = formatShare(summary, field, lang);
    const row = mrow(left, mo('='), general, mo('='), present, mo('='), result(value));
    return {
        holds: closed !== null,
        math: { type: 'math', display: 'block', shapes: [row] },
        text: mathText(row).replace(/ {2,}/g, ' '),
        words,
        note: closed ? textOf(lang, 'formula_holds') : formulaNote(simulation, lang),
    };
}

/** @param {string} lang @param {boolean} ratio */
const bubbleName = (lang, ratio) => mtext(textOf(lang, ratio ? 'formula_symbol_ratio' : 'formula_symbol_bubble'));

/**
 * The formula of the chapter for this schedule, null where it has none.
 * @param {Simulation} simulation @param {string} lang @param {boolean} ratio
 */
function closedForm({ config }, lang, ratio) {
    const { ranks: p, microbatches: m, chunks: v, schedule } = config;
    const n = (/** @type {number} */ value) => mn(formatNumber(value, lang));
    const minus = mo('−');
    const less = [mi('p'), minus, mn(1)];
    const lessNow = [n(p), minus, mn(1)];
    const several = v > 1;
    const work = several ? [mi('v'), mo('·'), mi('m')] : [mi('m')];
    const workNow = several ? [n(v), mo('·'), n(m)] : [n(m)];
    const field = ratio ? 'bubble_ratio' : 'bubble_fraction';
    if (schedule === 'naive') {
        return {
            field,
            left: bubbleName(lang, ratio),
            general: ratio ? mrow(...less) : mfrac(mrow(...less), mi('p')),
            present: ratio ? mrow(...lessNow) : mfrac(mrow(...lessNow), n(p)),
            words: textOf(lang, ratio ? 'formula_naive_ratio' : 'formula_naive', p - 1, p),
        };
    }
    const known = several ? schedule === 'interleaved' && m >= p : ['forward', 'gpipe', '1f1b'].includes(schedule);
    if (!known) return null;
    const all = mrow(...work, mo('+'), ...less);
    const allNow = mrow(...workNow, mo('+'), ...lessNow);
    if (schedule === 'forward' && !ratio) {
        return {
            field: 'utilization',
            left: mi('U'),
            general: mfrac(mi('m'), all),
            present: mfrac(n(m), allNow),
            words: textOf(lang, 'formula_utilization', m, m + p - 1),
        };
    }
    const [over, overNow] = [mrow(...less), mrow(...lessNow)];
    return {
        field,
        left: bubbleName(lang, ratio),
        general: mfrac(over, ratio ? mrow(...work) : all),
        present: mfrac(overNow, ratio ? mrow(...workNow) : allNow),
        words: textOf(
            lang,
            ratio ? 'formula_ratio' : several ? 'formula_bubble_chunks' : 'formula_bubble',
            p - 1,
            ratio ? v * m : v * m + p - 1,
        ),
    };
}

/**
 * What the number is, with what the step came to.
 * @param {Simulation} simulation @param {string} lang @param {boolean} ratio
 */
function definition(simulation, lang, ratio) {
    const { config, summary } = simulation;
    const busy = !trains(simulation) && !ratio;
    const n = (/** @type {number} */ value) => mn(formatNumber(value, lang));
    const area = mrow(mi('p'), mo('·'), mi('T'));
    const areaNow = mrow(n(config.ranks), mo('·'), n(summary.makespan));
    const [over, under] = busy
        ? [summary.busy, summary.busy + summary.idle]
        : [summary.idle, ratio ? summary.busy : summary.busy + summary.idle];
    return {
        field: busy ? 'utilization' : ratio ? 'bubble_ratio' : 'bubble_fraction',
        left: busy ? mi('U') : bubbleName(lang, ratio),
        general: mfrac(
            mtext(textOf(lang, busy ? 'formula_symbol_busy' : 'formula_symbol_idle')),
            ratio ? mtext(textOf(lang, 'formula_symbol_busy')) : area,
        ),
        present: mfrac(n(over), ratio ? n(under) : areaNow),
        words: textOf(
            lang,
            `formula_definition_${busy ? 'utilization' : ratio ? 'ratio' : 'bubble'}`,
            formatNumber(over, lang),
            formatNumber(under, lang),
        ),
    };
}

/** Why a definition stands there and no closed form. @param {Simulation} simulation @param {string} lang */
function formulaNote(simulation, lang) {
    const { summary } = simulation;
    const { uneven, latency, recompute } = conditions(simulation);
    if (recompute) return textOf(lang, 'formula_recompute');
    if (simulation.config.edited) return textOf(lang, 'formula_edited');
    if (summary.formula < 0 || summary.formula_holds === 1) return textOf(lang, 'formula_none');
    if (uneven) return textOf(lang, 'formula_uneven');
    if (latency) {
        const [without, now] = [summary.formula, summary.makespan].map((ticks) => countOf(ticks, lang, 'tick'));
        return textOf(lang, 'formula_latency', without, now);
    }
    return textOf(lang, 'formula_none');
}

// ---- numbers and captions ----

/** Peak of activations of each device. @param {Simulation} simulation @param {string} lang @param {string} between */
export function peaksText(simulation, lang, between) {
    return simulation.perRank.map((rank) => formatNumber(rank.peak_activations, lang)).join(between);
}

const MOST_PEAKS = 8;

/**
 * The four numbers below the chart. percent: the share in percent where value is a fraction.
 * @param {Simulation} simulation @param {string} lang @param {Others} [others]
 * @returns {{ id: string, label: string, value: string, percent?: string, before?: string }[]}  before: without recomputation
 */
export function keyNumbers(simulation, lang, others = {}) {
    const { summary, perRank } = simulation;
    const backward = trains(simulation);
    const { uneven } = conditions(simulation);
    const { without, kept } = others;
    const time = {
        id: 'time',
        label: textOf(lang, backward ? 'figure_step' : 'figure_time'),
        value: countOf(summary.makespan, lang, 'tick'),
        before: without ? formatNumber(without.summary.makespan, lang) : undefined,
    };
    /** @param {string} field @param {string} key */
    const share = (field, key) => ({
        id: field,
        label: textOf(lang, key),
        value: formatShare(summary, field, lang),
        percent: formatPercent(summary[field], lang),
    });
    let last;
    if (kept) {
        last = {
            id: 'kept',
            label: textOf(lang, 'figure_kept'),
            value: textOf(lang, 'figure_kept_value', formatNumber(kept.inputs, lang), formatNumber(kept.full, lang)),
            before: without
                ? textOf(lang, 'figure_kept_before', formatNumber(without.summary.peak_activations, lang))
                : undefined,
        };
    } else if (uneven) {
        last = {
            id: 'cadence',
            label: textOf(lang, 'figure_cadence'),
            value: textOf(lang, 'figure_cadence_value', countOf(summary.cadence, lang, 'tick')),
        };
    } else if (!backward) {
        last = {
            id: 'latency',
            label: textOf(lang, 'figure_latency'),
            value: countOf(summary.latency_largest, lang, 'tick'),
        };
    } else if (perRank.length <= MOST_PEAKS) {
        last = {
            id: 'activations',
            label: textOf(lang, 'figure_activations'),
            value: peaksText(simulation, lang, ' · '),
        };
    } else {
        const value = formatNumber(summary.peak_activations, lang);
        last = { id: 'activations', label: textOf(lang, 'figure_activations_most'), value };
    }
    return [time, share('utilization', 'figure_utilization'), share('bubble_fraction', 'figure_bubble'), last];
}

/**
 * The settings in words, for paper and for captions.
 * @param {Simulation} simulation @param {string} lang
 */
export function settingsText(simulation, lang) {
    const { config, costs } = simulation;
    const name = scheduleName(config.schedule, lang);
    const devices = countOf(config.ranks, lang, 'device');
    const microbatches = countOf(config.microbatches, lang, 'microbatch');
    const each = pluralOf(config.chunks, lang, 'stage_each');
    const pieces = [
        config.chunks > 1
            ? textOf(lang, 'settings_chunks', name, devices, config.chunks, each, microbatches)
            : textOf(lang, 'settings_ranks', name, devices, microbatches),
    ];
    /** @param {Float64Array} row */
    const list = (row) => {
        const shown = allEqual(row) ? row.slice(0, 1) : row.slice(0, 16);
        return `${[...shown].map((value) => formatNumber(value, lang)).join('; ')}${shown.length > 1 && row.length > 16 ? '; …' : ''}`;
    };
    const rows = [costs.forward, costs.backward, costs.input, costs.weight, costs.recompute];
    const shown = OPS.flatMap((letter, op) =>
        simulation.kinds & (1 << op) ? [textOf(lang, 'settings_cost', letter, list(rows[op]))] : [],
    );
    pieces.push(shown.join(', '));
    const { latency, latencyTicks, recompute } = conditions(simulation);
    if (latency) {
        const ticks = latencyTicks === null ? list(costs.latency.slice(0, -1)) : countOf(latencyTicks, lang, 'tick');
        pieces.push(textOf(lang, 'settings_latency', ticks));
        if (config.transfer !== 'overlap') pieces.push(textOf(lang, `settings_transfer_${config.transfer}`));
    }
    if (recompute) pieces.push(textOf(lang, `settings_recompute_${config.recompute}`));
    const { factors } = simulation.conditions ?? {};
    if (factors) pieces.push(textOf(lang, 'settings_units', factors.map(list).join(' | ')));
    if (config.receive_buffers > 0) pieces.push(textOf(lang, 'settings_buffers', config.receive_buffers));
    if (simulation.conditions?.gathers) pieces.push(textOf(lang, 'settings_gather'));
    if (config.edited) pieces.push(textOf(lang, 'settings_edited'));
    return pieces.filter((piece) => piece !== '').join('; ');
}

/**
 * A caption that stands for the figure where it cannot move: settings, then the key numbers.
 * @param {Simulation} simulation @param {string} lang
 */
export function caption(simulation, lang) {
    const { summary, perRank } = simulation;
    const numbers = [
        textOf(lang, 'caption_time', countOf(summary.makespan, lang, 'tick')),
        textOf(lang, 'caption_utilization', formatShare(summary, 'utilization', lang)),
        textOf(lang, 'caption_bubble', formatShare(summary, 'bubble_fraction', lang)),
    ];
    if (conditions(simulation).uneven) numbers.push(textOf(lang, 'caption_cadence', summary.cadence_rank + 1));
    if (!trains(simulation)) {
        numbers.push(textOf(lang, 'caption_latency', countOf(summary.latency_largest, lang, 'tick')));
    } else if (conditions(simulation).recompute) {
        numbers.push(textOf(lang, 'caption_recompute', peaksText(simulation, lang, ', ')));
    } else if (perRank.length <= MOST_PEAKS) {
        numbers.push(textOf(lang, 'caption_activations', peaksText(simulation, lang, ', ')));
    } else {
        numbers.push(textOf(lang, 'caption_activations_most', formatNumber(summary.peak_activations, lang)));
    }
    const text = numbers.join(', ');
    return `${settingsText(simulation, lang)}. ${text[0].toLocaleUpperCase(lang)}${text.slice(1)}.`;
}

/** Name of the picture: «Расписание 1F1B: 4 устройства, 8 микробатчей». @param {Simulation} simulation @param {string} lang */
export function title(simulation, lang) {
    const { config } = simulation;
    const devices = countOf(config.ranks, lang, 'device');
    return textOf(
        lang,
        'title',
        scheduleName(config.schedule, lang),
        devices,
        countOf(config.microbatches, lang, 'microbatch'),
    );
}

/**
 * What tells two schedules of one work apart: time, bubble, memory.
 * @param {Simulation} simulation @param {Simulation} other @param {string} lang
 */
export function compareText(simulation, other, lang) {
    const [a, b] = [simulation, other];
    const names = [a, b].map(({ config }) => scheduleName(config.schedule, lang));
    const times = [a, b].map(({ summary }) => countOf(summary.makespan, lang, 'tick'));
    const fractions = [a, b].map(({ summary }) => formatShare(summary, 'bubble_fraction', lang));
    const alike = fractions[0] === fractions[1];
    const shares = alike ? fractions : [a, b].map(({ summary }) => formatPercent(summary.bubble_fraction, lang));
    const peaks = [a, b].map(({ summary }) => formatNumber(summary.peak_activations, lang));
    const same = a.summary.makespan === b.summary.makespan;
    const [fast, slow] = a.summary.makespan < b.summary.makespan ? [0, 1] : [1, 0];
    const parts = [
        same
            ? textOf(lang, 'compare_time_same', ...names, times[0])
            : textOf(
                  lang,
                  'compare_time',
                  names[fast],
                  names[slow],
                  times[fast],
                  formatNumber([a, b][slow].summary.makespan, lang),
              ),
        textOf(lang, alike ? 'compare_bubble_same' : 'compare_bubble', ...names, ...shares),
    ];
    if (trains(a) && trains(b)) {
        parts.push(textOf(lang, peaks[0] === peaks[1] ? 'compare_memory_same' : 'compare_memory', ...names, ...peaks));
        if (a.config.chunks !== b.config.chunks) parts.push(textOf(lang, 'compare_memory_chunks'));
    }
    return parts.join(' ');
}
