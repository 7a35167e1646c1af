// "train --workers": the run by one worker a rank, measured beside the model's prediction and beside one worker alone. What is
// told is what was measured: no speed-up is said that the clock did not show.
import { availableParallelism } from 'node:os';
import { divergenceOf } from '../engine/training.js';
import { endOf, MOST_WORKERS, measuredOf, median, middleStep, predict, WorkerRun } from '../engine/workers.js';
import { threadWorker } from '../engine/workers-node.js';
import { OPS } from '../words/ops.js';
import { namedSettings } from '../write/python-twin.js';
import { cliStrings } from './strings.js';

/** Rounds in which workers and the one take turns, after one that warms up. */
const ROUNDS = 5;
/** Steps of a round without a flush. */
const LEAST = 5;
/** Actions that are printed; JSON has all. */
const SHOWN = 40;

/** Of "ACTION@STEP", both from 0; null if it is not one. @param {string} value @param {any} training */
export function killOf(value, training) {
    const [, action, step] = /^(\d+)@(\d+)$/.exec(value) ?? [];
    const kill = { action: Number(action), step: Number(step) };
    return kill.action < training.simulation.actions.count && kill.step < training.settings.steps ? kill : null;
}

/**
 * @param {any} engine @param {[string, string][]} pairs @param {'en' | 'ru'} lang @param {'text' | 'json'} format
 * @param {string | undefined} kill @param {(message: string) => Error} refuse
 */
export async function workersCommand(engine, pairs, lang, format, kill, refuse) {
    const text = cliStrings[lang];
    const training = engine.train(pairs);
    let run;
    try {
        const { config, actions } = training.simulation;
        if (config.ranks > MOST_WORKERS) throw refuse(text.tooManyWorkers(config.ranks, MOST_WORKERS));
        const lost = kill === undefined ? undefined : killOf(kill, training);
        if (lost === null) throw refuse(text.badKill(kill, actions.count - 1, training.settings.steps - 1));
        run = await new WorkerRun(training, threadWorker).start();
        const measured = await measure(engine, pairs, training, run, lost);
        const output =
            format === 'json' ? toJson(engine, training, measured) : toText(engine, training, measured, lang);
        return { output, diverged: measured.diverged };
    } finally {
        run?.close();
        training.close();
    }
}

/**
 * Milliseconds from the end of one step to the end of the next, with all that lies between: update, votes, saving. Null for
 * less than two steps with times.
 * @param {import('../engine/workers.js').RankStep[]} records
 */
function paceOf(records) {
    const ends = records.filter(({ finish }) => finish.length > 0).map(({ finish }) => Math.max(...finish));
    return ends.length > 1 ? (ends[ends.length - 1] - ends[0]) / (ends.length - 1) : null;
}

/**
 * Workers and one worker take turns, round by round, so that what else the machine does meets both.
 * @param {any} engine @param {[string, string][]} pairs @param {any} training @param {WorkerRun} run
 * @param {{ action: number, step: number } | undefined} kill
 */
async function measure(engine, pairs, training, run, kill) {
    const { steps } = training.settings;
    const { config } = training.simulation;
    const every = config.checkpoint_every || 10;
    // Without a flush a step is measured between others of its round.
    const rounds = Math.min(training.stream ? Math.max(1, Math.floor(steps / LEAST)) : steps, ROUNDS + 1);
    /** @type {import('../engine/workers.js').RankStep[]} */
    const records = [];
    const runs = [];
    const times = [];
    for (let round = 0; round < rounds; round++) {
        const end = Math.round((steps * (round + 1)) / rounds);
        const count = end - records.length;
        // Without a flush an action may be done before its step has begun.
        const still = run.losses.length === 0 ? kill : undefined;
        const begun = performance.now();
        const made = await run.advance(count, { every, kill: still });
        const between = performance.now();
        records.push(...made);
        runs.push(made);
        for (let step = 0; step < count; step++) training.run();
        const done = performance.now();
        // What warms up, and what had to be done twice, tells nothing of the pace.
        const struck = still && run.losses.length > 0;
        if (!struck && (round > 0 || rounds === 1))
            times.push({ workers: paceOf(made) ?? (between - begun) / count, one: (done - between) / count });
    }
    const late = runs.map((made) => made.filter(({ step }) => step > steps >> 1));
    const group = middleStep(late, training.stream);
    const shown = group[group.length >> 1];
    const trainingNames = new Set(engine.trainingOptions.map((/** @type {any} */ { name }) => name));
    const schedule = pairs.filter(([name]) => !trainingNames.has(name.toLowerCase()));
    const { step, costs } = measuredOf(engine, schedule, group);
    const predicted = predict(engine, schedule, costs);
    const own = training.state.stages;
    const equal = run.state.stages.every((bytes, stage) => Buffer.compare(bytes, own[stage]) === 0);
    const diverged = records
        .map((/** @type {any} */ record) => divergenceOf(training.settings, record))
        .find((found) => found !== null);
    const told = diverged ?? null;
    return { run, records, times, shown: { ...shown, measured: step }, costs, predicted, equal, diverged: told };
}

/** @param {any} measured */
function figures({ times, shown, predicted, costs }) {
    const workers = median(times.map((/** @type {any} */ t) => t.workers));
    const one = median(times.map((/** @type {any} */ t) => t.one));
    const forward = [...costs.forward];
    return {
        workers,
        one,
        speedup: times.length > 0 ? median(times.map((/** @type {any} */ t) => t.one / t.workers)) : Number.NaN,
        predictedSpeedup: predicted.speedup,
        step: shown.measured.summary.makespan,
        predictedStep: predicted.makespan,
        end: endOf(shown),
        hop: costs.latency ? Math.max(...costs.latency) : 0,
        stage: forward.reduce((sum, cost) => sum + cost, 0) / forward.length,
    };
}

/** @param {any} engine @param {any} training @param {any} measured */
function toJson(engine, training, measured) {
    const { run, records, shown, costs, predicted, equal } = measured;
    const { config, actions } = training.simulation;
    const numbers = figures(measured);
    const out = {
        schedule: config.schedule,
        ranks: config.ranks,
        stages: config.stages,
        microbatches: config.microbatches,
        settings: namedSettings(engine, training),
        layers: [...training.layers],
        workers: { count: run.ranks, cores: availableParallelism(), equal, losses: run.losses },
        milliseconds: {
            one_worker: numbers.one,
            workers: numbers.workers,
            speedup: numbers.speedup,
            predicted_speedup: numbers.predictedSpeedup,
            step: numbers.step,
            predicted_step: numbers.predictedStep,
            step_end: numbers.end,
            hop: numbers.hop,
            forward_of_a_stage: numbers.stage,
        },
        peak_activation_bytes: { measured: shown.bytes, simulated: training.activationBytes.simulated },
        costs: Object.fromEntries(Object.entries(costs).map(([name, list]) => [name, [.../** @type {any} */ (list)]])),
        actions: Array.from({ length: actions.count }, (_, i) => ({
            rank: actions.rank[i],
            index: actions.index[i],
            op: OPS[actions.op[i]],
            stage: actions.stage[i],
            microbatch: actions.microbatch[i],
            start: shown.measured.actions.start[i],
            finish: shown.measured.actions.finish[i],
            predicted_start: predicted.start[i],
            predicted_finish: predicted.finish[i],
        })),
        // On the clock of the actions: when each rank had heard all of the others and made its update.
        ends: [...shown.ended].map((end) => end - Math.min(...shown.start)),
        steps: records.map((/** @type {any} */ { step, loss, skipped }) => ({ step, loss, skipped })),
        ...(measured.diverged ? { diverged: measured.diverged } : {}),
    };
    return `${JSON.stringify(out)}\n`;
}

/** @param {any} engine @param {any} training @param {any} measured @param {'en' | 'ru'} lang */
function toText(engine, training, measured, lang) {
    const text = cliStrings[lang];
    const { run, records, shown, predicted, equal } = measured;
    const { config, actions } = training.simulation;
    const number = (/** @type {number} */ value, digits = 2) =>
        Number.isFinite(value)
            ? new Intl.NumberFormat(lang, { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(
                  value,
              )
            : '–';
    const n = figures(measured);
    const facts = [
        [text.oneWorker, number(n.one)],
        [text.manyWorkers(run.ranks), number(n.workers)],
        [text.stepMeasured, number(n.step)],
        [text.stepPredicted, number(n.predictedStep)],
        [text.stepEnd, number(n.end, 3)],
        [text.hop, number(n.hop, 3)],
        [text.forwardOfStage, number(n.stage, 3)],
    ];
    const width = Math.max(...facts.map(([name]) => name.length));
    const head = [text.action, text.measuredSpan, text.predictedSpan];
    const rows = Array.from({ length: Math.min(actions.count, SHOWN) }, (_, i) => [
        `${text.rank(actions.rank[i])}${actions.stage[i]}${OPS[actions.op[i]]}${actions.microbatch[i]}`,
        ...[shown.measured.actions, predicted].map(
            ({ start, finish }) => `${number(start[i], 3)} – ${number(finish[i], 3)}`,
        ),
    ]);
    const widths = head.map((name, i) => Math.max(name.length, ...rows.map((row) => row[i].length)));
    const line = (/** @type {string[]} */ cells) =>
        cells.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]) : cell.padStart(widths[i]))).join('  ');
    const faster = n.speedup > 1;
    return `${[
        text.title(config),
        text.trainTitle(namedSettings(engine, training), [...training.layers].join('-')),
        text.workersTitle(run.ranks, availableParallelism(), records.length),
        '',
        ...facts.map(([name, value]) => `${name.padEnd(width)}  ${value}`),
        '',
        Number.isNaN(n.speedup)
            ? text.speedUnknown
            : text[faster ? 'speedup' : 'noSpeedup'](
                  number(faster ? n.speedup : 1 / n.speedup),
                  number(n.predictedSpeedup),
              ),
        '',
        text.stepShown(shown.step),
        ...(training.stream ? [text.stepInStream] : []),
        line(head),
        ...rows.map(line),
        ...(actions.count > SHOWN ? [text.andMore(actions.count - SHOWN)] : []),
        '',
        ...run.losses.map((/** @type {any} */ loss) =>
            text.loss_(
                loss,
                loss.action < 0
                    ? ''
                    : `${actions.stage[loss.action]}${OPS[actions.op[loss.action]]}${actions.microbatch[loss.action]}`,
                training.stream,
            ),
        ),
        text[equal ? 'workersEqual' : 'workersDiffer'],
        text.bytes({ measured: shown.bytes, simulated: training.activationBytes.simulated }),
    ].join('\n')}\n`;
}
