// "train": the toy network run by a schedule, beside the same network without a pipeline.

import { batchOf, gradientsOf } from '../engine/trained.js';
import { semanticsRows } from '../scene/semantics.js';
import { textOf } from '../words/strings.js';
import { isPlain, namedSettings, pythonTwin } from '../write/python-twin.js';
import { cliStrings } from './strings.js';

/** Rows of the table: the first step, the last, and some between. */
const ROWS = 10;

/**
 * @param {import('../engine/engine.js').Engine} engine @param {[string, string][]} pairs
 * @param {'en' | 'ru'} lang @param {string} format  text, json, torch or python
 * @param {(message: string) => Error} refuse
 * @returns {{ output: string, diverged: import('../engine/training.js').Divergence | null }}
 */
export function trainCommand(engine, pairs, lang, format, refuse) {
    const training = engine.train(pairs);
    try {
        const settings = namedSettings(engine, training);
        if ((format === 'python' || format === 'torch') && (training.stream || !isPlain(settings)))
            throw refuse(cliStrings[lang].onlyPlain(format));
        if (format === 'python') {
            const { layers, cuts } = training;
            const text = pythonTwin(training.simulation, { settings, layers, cuts }, lang);
            if (text === null) throw refuse(cliStrings[lang].noTwin);
            return { output: text, diverged: null };
        }
        const { steps } = training.settings;
        if (format === 'torch') return { output: toTask(engine, training), diverged: training.diverged };
        const records = [];
        for (let step = 0; step < steps; step++) {
            const record = training.step();
            if (format === 'json' || step === 0 || step === steps - 1 || step % Math.ceil(steps / ROWS) === 0)
                records.push(record);
        }
        const output =
            format === 'json' ? toJson(engine, training, records) : toText(engine, training, records, lang, pairs);
        return { output, diverged: training.diverged };
    } finally {
        training.close();
    }
}

/** @param {any} engine @param {any} training @param {any[]} records */
function toJson(engine, training, records) {
    const { config } = training.simulation;
    const out = {
        schedule: config.schedule,
        ranks: config.ranks,
        stages: config.stages,
        microbatches: config.microbatches,
        settings: namedSettings(engine, training),
        layers: [...training.layers],
        exact: training.sumsInOrder,
        ...(training.stream ? { stream: training.stream } : {}),
        peak_activations: training.peaks,
        peak_activation_bytes: training.activationBytes,
        steps: records,
        ...(training.diverged ? { diverged: training.diverged } : {}),
        semantics: training.semantics(),
    };
    return `${JSON.stringify(out)}\n`;
}

/** Numbers as they stand in memory, little-endian: text would be longer and the same. @param {any} array */
const base64 = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString('base64');

/**
 * What another engine needs to repeat the run and to compare: the network, its first weights, each step's samples and
 * loss, the gradients of the last step, the weights after it. @param {any} engine @param {any} training
 */
function toTask(engine, training) {
    const { config } = training.simulation;
    const parameters = base64(training.parameters);
    const steps = [];
    for (let step = 0; step < training.settings.steps; step++) {
        const { features, labels } = batchOf(training, step);
        const { loss } = training.step();
        if (training.diverged) break; // nothing to compare with: the numbers are not finite
        steps.push({ loss, features: base64(features), labels: base64(labels) });
    }
    const out = {
        kind: 'pipeline-figure task',
        schedule: config.schedule,
        ranks: config.ranks,
        stages: config.stages,
        microbatches: config.microbatches,
        settings: namedSettings(engine, training),
        widths: [...training.layers],
        parameters,
        gradients: base64(gradientsOf(training)),
        trained: base64(training.parameters),
        steps,
    };
    return `${JSON.stringify(out)}\n`;
}

/**
 * Options of the training, in the order given, that the title does not tell.
 * @param {any} engine @param {[string, string][]} pairs
 */
function furtherOptions(engine, pairs) {
    const first = engine.trainingOptions.findIndex((/** @type {any} */ o) => o.name === 'norm');
    const names = engine.trainingOptions.slice(first).map((/** @type {any} */ o) => o.name);
    const given = pairs.filter(([name]) => names.includes(name.toLowerCase().replaceAll('_', '-')));
    return given.length > 0 ? [given.map((pair) => pair.join('=')).join(' ')] : [];
}

/**
 * @param {any} engine @param {any} training @param {any[]} records @param {'en' | 'ru'} lang
 * @param {[string, string][]} pairs
 */
function toText(engine, training, records, lang, pairs) {
    const text = cliStrings[lang];
    const number = (/** @type {number} */ value, /** @type {number} */ digits) =>
        new Intl.NumberFormat(lang, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value);
    const small = (/** @type {number} */ value) =>
        value === 0
            ? '0'
            : !Number.isFinite(value)
              ? number(value, 0)
              : value.toExponential(1).replace('.', lang === 'ru' ? ',' : '.');
    const { config } = training.simulation;
    const settings = namedSettings(engine, training);
    const head = [text.step, text.loss, text.unpipelined, text.difference, text.accuracy];
    const rows = records.map((record) => [
        String(record.step),
        number(record.loss, 5),
        number(record.reference_loss, 5),
        small(record.gradient_difference),
        `${number(100 * record.accuracy, 1)}${lang === 'ru' ? ' %' : '%'}`,
    ]);
    const widths = head.map((name, i) => Math.max(name.length, ...rows.map((row) => row[i].length)));
    const line = (/** @type {string[]} */ cells) => cells.map((cell, i) => cell.padStart(widths[i])).join('  ');
    return `${[
        text.title(config),
        text.trainTitle(settings, [...training.layers].join('-')),
        ...furtherOptions(engine, pairs),
        '',
        line(head),
        ...rows.map(line),
        '',
        text[training.stream ? 'exactStream' : training.sumsInOrder ? 'exact' : 'rounded'],
        ...streamText(training, text, small),
        text.bytes(training.activationBytes),
        ...semanticsText(engine, training, lang),
    ].join('\n')}\n`;
}

/** Weights of a schedule without a flush. @param {any} training @param {any} text @param {(value: number) => string} small */
function streamText({ stream, simulation }, text, small) {
    if (!stream) return [];
    const { updateEvery, late } = simulation.stream;
    const simulated = simulation.perRank.map((/** @type {any} */ rank) => rank.weight_versions).join(' ');
    const [versions, measured] = [stream.versions, stream.late].map((list) => list.join(' '));
    return [
        text.synchronous(small(stream.synchronous_difference)),
        text.stream({ every: updateEvery, versions, simulated, late: measured, expected: late.join(' ') }),
    ];
}

/** What micro-batches do to the next step. @param {any} engine @param {any} training @param {'en' | 'ru'} lang */
function semanticsText(engine, training, lang) {
    const rows = semanticsRows(training.semantics(), training.simulation.config.microbatches, lang);
    const note = namedSettings(engine, training).norm === 'batch' ? [textOf(lang, 'semantics_norm_note')] : [];
    return [...note, '', textOf(lang, 'semantics_title'), ...rows.map(([name, value]) => `  ${name}: ${value}`)];
}
