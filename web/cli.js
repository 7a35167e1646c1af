#!/usr/bin/env node
// The command line: the same core as the page, from a terminal.
// Exit status: 0 fine, 1 the schedule itself is at fault, 2 wrong use. Faults are one line on stderr.
import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { toCsv, toJson, toText } from './cli-formats.js';
import { cliStrings } from './cli-strings.js';
import { askOf } from './cli-studies.js';
import { trainCommand } from './cli-train.js';
import { loadEngine, PipelineError } from './engine.js';

/** Faults of a schedule, not of the way it was asked for. */
const SCHEDULE_FAULTS = new Set(
    'syntax empty stage-unknown stage-two-ranks missing duplicate order split-mix deadlock'.split(' '),
);
const FORMATS = ['text', 'json', 'csv', 'svg'];
const TRAIN_FORMATS = ['text', 'json'];

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

/** @param {string} output @param {string | undefined} file @param {any} text */
function deliver(output, file, text) {
    if (file === undefined) {
        process.stdout.write(output);
        return;
    }
    try {
        writeFileSync(file, output);
    } catch (error) {
        throw new UsageError(text.cannotWrite(file, /** @type {any} */ (error).code));
    }
}

/** @param {string[]} args */
async function run(args) {
    const langAt = args.findIndex((arg) => /^--lang(=|$)/.test(arg));
    const asked = langAt < 0 ? 'en' : args[langAt].includes('=') ? args[langAt].split('=')[1] : args[langAt + 1];
    const text = cliStrings[asked === 'ru' ? 'ru' : 'en'];
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
    const engine = await loadEngine();
    if (command !== 'simulate' && command !== 'train') {
        throw new UsageError(text.noSuchName('command', command, ['simulate', 'train']));
    }
    const { pairs, rest } = readPairs(others, text.missingValue);
    if (rest.length > 0) throw new UsageError(text.stray(rest[0]));
    const { taken, left } = takeOut(pairs, ['format', 'o', 'lang', 'why']);
    const lang = oneOf('lang', taken.lang ?? 'en', ['en', 'ru'], text);
    engine.lang = lang;
    if (command === 'train') {
        const kind = oneOf('format', taken.format ?? 'text', TRAIN_FORMATS, text);
        deliver(trainCommand(engine, left, lang, kind), taken.o, text);
        return;
    }
    const format = oneOf('format', taken.format ?? 'text', FORMATS, text);
    const ask = askOf(left, taken.why);
    if (taken.why !== undefined && !ask.why) throw new UsageError(text.badWhy(taken.why));
    const simulation = engine.simulate(left, format === 'text' || format === 'json' ? ask : {});
    if (format === 'json') deliver(toJson(simulation), taken.o, text);
    else if (format === 'csv') deliver(toCsv(simulation), taken.o, text);
    else if (format === 'svg') {
        const { figureSvg } = await import('./static.js');
        deliver(figureSvg(simulation, lang), taken.o, text);
    } else deliver(toText(simulation, lang), taken.o, text);
}

try {
    await run(process.argv.slice(2));
} catch (error) {
    if (!(error instanceof PipelineError || error instanceof UsageError)) throw error;
    process.stderr.write(`pipeline-figure: ${error.message}\n`);
    process.exitCode = error instanceof PipelineError && SCHEDULE_FAULTS.has(error.code) ? 1 : 2;
}
