#!/usr/bin/env node
// The command line: the same core as the page, from a terminal.
// Exit status: 0 fine, 1 the schedule itself is at fault or the training diverged, 2 wrong use. Faults are one line on stderr.
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import process from 'node:process';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { besideFacts, measuredJson, measuredText, simulatedBeside, stepFacts, withProfile } from './cli/files.js';
import { plainNumbers, proofFacts, toText } from './cli/formats.js';
import { PlanError, planCommand } from './cli/plan.js';
import { printable } from './cli/printable.js';
import { cliStrings } from './cli/strings.js';
import { askOf } from './cli/studies.js';
import { trainCommand } from './cli/train.js';
import { workersCommand } from './cli/workers.js';
import { writeWhole } from './cli/write-file.js';
import { PipelineError } from './engine/error.js';
import { loadEngine } from './engine/load.js';
import { pythonTwin } from './write/python-twin.js';
import { csvPieces, jsonPieces } from './write/rows.js';
import { tracePieces } from './write/trace.js';

/** Faults of a schedule, not of the way it was asked for. */
const SCHEDULE_FAULTS = new Set(
    'syntax empty stage-unknown stage-two-ranks missing duplicate order split-mix deadlock cell-group record transfer'.split(
        ' ',
    ),
);
const COMMANDS = ['simulate', 'check', 'train', 'plan'];
/** Those that read a file, named right behind. */
const READERS = ['check', 'plan'];
const FORMATS = ['text', 'json', 'csv', 'torch', 'trace', 'svg', 'python'];
const TRAIN_FORMATS = ['text', 'json', 'torch', 'python'];
const PLAN_FORMATS = ['text', 'json', 'torch'];

/** Wrong use that the core does not see: a command, a flag without value, a file. */
class UsageError extends Error {}

/**
 * Splits arguments into pairs. Every option takes a value, so that "--forward -1" is a value and not an option.
 * @param {string[]} args @param {(name: string) => string} missing
 */
function readPairs(args, missing) {
    /** @type {[string, string][]} */
    const pairs = [];
    const rest = [];
    for (let i = 0; i < args.length; i++) {
        const [, long, value] = /^--([^=]+)(?:=([\s\S]*))?$/.exec(args[i]) ?? [];
        const [, letter, joined] = /^-([a-z])([\s\S]*)$/i.exec(args[i]) ?? [];
        const name = long ?? letter;
        if (name === undefined) {
            rest.push(args[i]);
            continue;
        }
        const given = value ?? (joined || undefined) ?? args[++i];
        if (given === undefined) throw new UsageError(missing(args[args.length - 1]));
        pairs.push([name, given]);
    }
    return { pairs, rest };
}

/** @param {[string, string][]} pairs @param {string[]} names takes these out of the list; the last one given counts */
function takeOut(pairs, names) {
    /** @type {Record<string, string>} */
    const taken = {};
    const left = pairs.filter(([name, value]) => {
        const key = name.toLowerCase();
        if (!names.includes(key)) return true;
        taken[key] = value;
        return false;
    });
    return { taken, left };
}

/** @param {string} name @param {string} value @param {string[]} names @param {any} text */
function oneOf(name, value, names, text) {
    const found = names.find((other) => other === value.toLowerCase());
    if (!found) throw new UsageError(text.noSuchName(name, value, names));
    return found;
}

/** @param {string} file "-" is standard input @param {any} text */
function readInput(file, text) {
    try {
        return readFileSync(file === '-' ? 0 : file, 'utf8');
    } catch (error) {
        throw new UsageError(text.cannotRead(file, /** @type {any} */ (error).code));
    }
}

/**
 * What becomes of a standard output that takes no more. A reader that has seen enough and closed it (head) is no fault; a
 * full disk is one line, as for any other file. Where even the errors are not read, there is nobody left to tell.
 * @param {any} text
 */
function mindTheOutput(text) {
    process.stdout.on('error', (/** @type {NodeJS.ErrnoException} */ error) => {
        if (error.code === 'EPIPE') return;
        process.stderr.write(`pipeline-figure: ${text.cannotWrite('stdout', error.code)}\n`);
        process.exitCode = 2;
    });
    process.stderr.on('error', () => {});
}

/**
 * What a command has to say goes to standard output or into a file. A large step is written piece by piece.
 * @param {string | (() => Iterable<string>)} output @param {string | undefined} file @param {any} text
 */
async function deliver(output, file, text) {
    if (file === undefined) {
        const { stdout } = process;
        // Whoever reads may be slow, or leave; of the latter mindTheOutput has said what there is to say.
        if (typeof output === 'string') stdout.write(output);
        else
            await pipeline(Readable.from(output()), stdout, { end: false }).catch((error) => {
                if (error.code === undefined) throw error;
            });
        return;
    }
    const pieces = typeof output === 'string' ? () => [output] : output;
    try {
        writeWhole(file, pieces);
    } catch (error) {
        throw new UsageError(text.cannotWrite(file, /** @type {any} */ (error).code));
    }
}

/** The language of what is said before the options have been read. @param {string[]} args @returns {'en' | 'ru'} */
function asked(args) {
    const at = args.findIndex((arg) => /^--lang(=|$)/.test(arg));
    const lang = at < 0 ? 'en' : args[at].includes('=') ? args[at].split('=')[1] : args[at + 1];
    return lang === 'ru' ? 'ru' : 'en';
}

/** @param {string[]} args */
async function run(args) {
    const text = cliStrings[asked(args)];
    const [command, ...others] = args;
    if (command === undefined || /^(-h|--help|help)$/.test(command)) {
        process.stdout.write(text.help);
        return;
    }
    if (command === '--version') {
        const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
        process.stdout.write(`${version}\n`);
        return;
    }
    const engine = await loadEngine(undefined, { arithmetic: 'plain' });
    if (!COMMANDS.includes(command)) throw new UsageError(text.noSuchName('command', command, COMMANDS));
    const workers = command === 'train' && others.includes('--workers'); // the one option without a value
    const valued = withSeconds(workers ? others.filter((arg) => arg !== '--workers') : others);
    const { pairs, rest } = readPairs(valued, text.missingValue);
    const name = READERS.includes(command) ? rest.shift() : undefined;
    if (READERS.includes(command) && name === undefined) throw new UsageError(text.needsFile(command));
    if (rest.length > 0) throw new UsageError(text.stray(rest[0]));
    const own =
        { train: ['kill'], plan: ['after', 'prove'], simulate: ['profile', 'why', 'prove', 'chart'] }[command] ??
        (command === 'check' ? ['profile', 'why', 'chart'] : []);
    const { taken, left } = takeOut(pairs, ['format', 'o', 'lang', ...own]);
    const lang = oneOf('lang', taken.lang ?? 'en', ['en', 'ru'], text) === 'ru' ? 'ru' : 'en';
    engine.lang = lang;
    if (command === 'train') {
        const formats = workers ? TRAIN_FORMATS.slice(0, 2) : TRAIN_FORMATS;
        const kind = /** @type {any} */ (oneOf('format', taken.format ?? 'text', formats, text));
        if (taken.kill !== undefined && !workers) throw new UsageError(text.killNeedsWorkers);
        const refuse = (/** @type {string} */ message) => new UsageError(message);
        const { output, diverged } = workers
            ? await workersCommand(engine, left, lang, kind, taken.kill, refuse)
            : trainCommand(engine, left, lang, kind, refuse);
        await deliver(output, taken.o, text);
        if (diverged) {
            process.stderr.write(`pipeline-figure: ${cliStrings[lang].diverged(diverged)}\n`);
            process.exitCode = 1;
        }
        return;
    }
    const file = (/** @type {string} */ path) => ({ name: basename(path), input: readInput(path, text) });
    if (command === 'plan') {
        const kind = oneOf('format', taken.format ?? 'text', PLAN_FORMATS, text);
        const after = taken.after === undefined ? undefined : file(taken.after);
        const seconds = taken.prove === undefined ? undefined : secondsOf(taken.prove, cliStrings[lang]);
        const prove = seconds === undefined ? undefined : { prove: proof(seconds, lang) };
        const source = file(/** @type {string} */ (name));
        const { output, sizes } = await planCommand(engine, source, left, { lang, format: kind, after, ...prove });
        await deliver(output, taken.o, text);
        // A table of actions has no place for its cut: PyTorch takes every line for a rank.
        if (kind === 'torch' && taken.o !== undefined) await deliver(cutText(sizes), cutFile(taken.o), text);
        return;
    }
    const format = oneOf('format', taken.format ?? 'text', FORMATS, text);
    const source = name === undefined ? undefined : file(name);
    const cut = name === undefined ? undefined : cutOf(name, cliStrings[lang]);
    const profile = taken.profile === undefined ? undefined : readInput(taken.profile, text);
    const ask = format === 'text' || format === 'json' ? askOf(left, taken.why) : {};
    if (taken.why !== undefined && !askOf(left, taken.why).why) throw new UsageError(text.badWhy(taken.why));
    const chart = taken.chart ?? 'auto';
    if (!['auto', 'always', 'never'].includes(chart)) throw new UsageError(cliStrings[lang].badChart(chart));
    const prove = taken.prove === undefined ? undefined : secondsOf(taken.prove, cliStrings[lang]);
    await deliver(
        await produced(engine, left, { format, lang, source, profile, ask, chart, prove, cut }),
        taken.o,
        text,
    );
}

/** Where the layers of a table's stages stand. @param {string} table */
const cutFile = (table) => `${table}.cut.json`;

/** @param {number[]} sizes */
const cutText = (sizes) => `${JSON.stringify({ kind: 'pipeline-figure cut', sizes })}\n`;

/** The layers of each stage of a table, where a file beside it tells them. @param {string} table @param {any} text */
function cutOf(table, text) {
    if (table === '-' || !existsSync(cutFile(table))) return undefined;
    try {
        const { sizes } = JSON.parse(readInput(cutFile(table), text));
        if (Array.isArray(sizes) && sizes.every((size) => Number.isInteger(size) && size > 0)) return sizes;
    } catch (error) {
        if (error instanceof UsageError) throw error;
    }
    throw new UsageError(text.noCut(cutFile(table)));
}

/** How long "--prove" looks for the best order where no seconds follow. */
const PROVE_SECONDS = '60';

/** "--prove" may stand alone. @param {string[]} args */
function withSeconds(args) {
    return args.flatMap((arg, i) =>
        arg === '--prove' && !/^[\d.,]/.test(args[i + 1] ?? '') ? [arg, PROVE_SECONDS] : [arg],
    );
}

/** @param {string} value @param {any} text */
function secondsOf(value, text) {
    const seconds = Number(value.replace(',', '.'));
    if (!(seconds > 0)) throw new UsageError(text.badProve(value));
    return seconds;
}

/**
 * Looks for the best order until the time is over or Ctrl-C comes, and tells a terminal how far it is.
 * @param {number} seconds @param {'en' | 'ru'} lang
 */
function proof(seconds, lang) {
    return async (/** @type {import('./engine/engine.js').Engine} */ engine, /** @type {any} */ request) => {
        const { proveBest } = await import('./engine/proof.js');
        const stop = new AbortController();
        const abort = () => stop.abort();
        const number = plainNumbers(lang);
        let told = performance.now();
        process.once('SIGINT', abort);
        try {
            return await proveBest(engine, request, {
                seconds,
                signal: stop.signal,
                onProgress: ({ makespan, bound }) => {
                    if (performance.now() < told + 1000) return;
                    told = performance.now();
                    process.stderr.write(`${cliStrings[lang].proofProgress(number(makespan), number(bound))}\n`);
                },
            });
        } finally {
            process.off('SIGINT', abort);
        }
    };
}

/**
 * What "simulate" or, of a file, "check" writes.
 * @param {import('./engine/engine.js').Engine} engine @param {[string, string][]} given
 * @param {{ format: string, lang: 'en' | 'ru', source?: { name: string, input: string }, profile?: string,
 *     ask: import('./engine/types.js').Ask, chart: string, prove?: number, cut?: number[] }} how
 */
async function produced(engine, given, { format, lang, source, profile, ask, chart, prove, cut }) {
    const { settings, own, rest } = engine.fileSettings(given);
    refuseMeaningless(own, format, source !== undefined, cliStrings[lang]);
    const simulated = () => (source ? engine.check(source.input, given) : engine.simulate(rest));
    const asked = profile === undefined ? rest : withProfile(engine, rest, profile, () => simulated().config);
    const proved = prove === undefined ? undefined : await proof(prove, lang)(engine, asked);
    if (proved === null) throw new UsageError(cliStrings[lang].proofNone);
    const costs = proved?.moves ? /** @type {[string, any][]} */ ([...asked, ['moves', proved.moves]]) : asked;
    const all = [...own, ...costs];
    if (format === 'torch') return engine.torchCsv(all, source?.input);
    if (source && settings.times === 'measured' && (format === 'text' || format === 'json')) {
        const measured = engine.measure(source.input);
        if (!measured.named)
            return format === 'json' ? measuredJson(measured) : measuredText(measured, source.name, lang);
    }
    const simulation = source ? engine.check(source.input, all, ask) : engine.simulate(costs, ask);
    if (source && cut && cut.length !== simulation.config.stages)
        throw new UsageError(cliStrings[lang].wrongCut(cutFile(source.name), cut.join(' '), simulation.config.stages));
    if (source && format !== 'svg') simulation.config.schedule = source.name;
    const beside =
        source && settings.times === 'measured' ? simulatedBeside(engine, simulation, source.input, all) : undefined;
    switch (format) {
        case 'json':
            return () => jsonPieces(simulation, proved?.report, cut);
        case 'csv':
            return () => csvPieces(simulation);
        case 'python': {
            const twin = pythonTwin(simulation, null, lang);
            if (twin === null) throw new UsageError(cliStrings[lang][simulation.config.with ? 'noTwinOf' : 'noTwin']);
            return twin;
        }
        case 'trace': {
            const text = cliStrings[lang];
            const list = [{ name: text.title(simulation.config), simulation }];
            if (beside) list.push({ name: text.simulated, simulation: beside });
            return () => tracePieces(list, settings.scale);
        }
        case 'svg': {
            const text = cliStrings[lang];
            const { figureSvg, figuresSvg } = await import('./page/static.js');
            if (!beside) return figureSvg(simulation, lang);
            const list = [
                { name: text.measuredStep(source?.name), simulation },
                { name: text.simulated, simulation: beside },
            ];
            return figuresSvg(list, lang);
        }
        default:
            return toText(
                simulation,
                lang,
                [
                    ...stepFacts(simulation, lang, cut),
                    ...(proved ? proofFacts(proved.report, lang) : []),
                    ...(beside ? besideFacts(beside, lang) : []),
                ],
                chart,
            );
    }
}

/**
 * An option of files that this command and format do not ask is refused rather than dropped in silence.
 * @param {[string, any][]} own @param {string} format @param {boolean} reads @param {any} text
 */
function refuseMeaningless(own, format, reads, text) {
    const asked = [
        ...(reads ? ['letters', 'receive', 'times'] : []),
        ...(format === 'torch' ? ['comms', 'merge'] : []),
        ...(format === 'trace' ? ['scale'] : []),
    ];
    for (const [name, value] of own)
        if (!asked.includes(name.toLowerCase())) throw new UsageError(text.noMeaning(name, value));
}

/** Where each rank stands on a deadlock. @param {PipelineError['blocked']} blocked @param {any} text */
function blockedText(blocked, text) {
    if (blocked.length === 0) return '';
    const shown = blocked.slice(0, 8).map(text.blockedAt);
    return ` ${text.blocked(shown.join(', '), blocked.length > shown.length)}`;
}

const spoken = cliStrings[asked(process.argv)];
mindTheOutput(spoken);
try {
    await run(process.argv.slice(2));
} catch (error) {
    // A text longer than the engine can hold, or more memory than there is.
    const tooLarge = error instanceof RangeError;
    const known = error instanceof PipelineError || error instanceof UsageError || error instanceof PlanError;
    if (!known && !tooLarge) throw error;
    const message = tooLarge ? spoken.tooLarge(error.message) : /** @type {Error} */ (error).message;
    const blocked = error instanceof PipelineError ? blockedText(error.blocked, spoken) : '';
    process.stderr.write(`pipeline-figure: ${printable(`${message}${blocked}`)}\n`);
    process.exitCode =
        error instanceof PlanError
            ? error.status
            : error instanceof PipelineError && SCHEDULE_FAULTS.has(error.code)
              ? 1
              : 2;
}
