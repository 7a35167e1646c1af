// Everything that is known of an option stands in one table of the core. What people read of options is compared with it: the
// command line's help, the table of attributes in docs/embedding.md, the attributes of the element.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { cliStrings } from '../../web/cli/strings.js';
import { loadEngine } from '../../web/engine/index.js';
import { OPTIONS } from '../../web/request/state.js';

const engine = await loadEngine();
const all = [...engine.options, ...engine.trainingOptions, ...engine.fileOptions];

test('the help of the command line names every option, and every choice', () => {
    for (const [lang, { help }] of Object.entries(cliStrings))
        for (const { name, letter, kind, names } of all) {
            const [, told] = new RegExp(`--${name} ([\\w.|-]+)`).exec(help) ?? [];
            assert.ok(told, `${lang}: --${name} is not there`);
            if (letter) assert.ok(help.includes(`-${letter}, --${name} `), `${lang}: -${letter}`);
            if (kind === 'E' && name !== 'schedule') assert.equal(told, names.join('|'), `${lang}: --${name}`);
        }
});

test('the manual has a row for every option, with its choices and its standard value', () => {
    const manual = readFileSync(new URL('../../docs/embedding.md', import.meta.url), 'utf8');
    const rows = manual
        .split('\n')
        .filter((line) => line.startsWith('| `'))
        .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()));
    for (const { name, kind, names, standard } of engine.options) {
        const row = rows.find(([, first]) => first.split(', ').includes(`\`${name}\``));
        assert.ok(row, `${name} has no row`);
        const [, first, words, given] = row;
        if (first !== `\`${name}\`` || name === 'schedule') continue; // several share a row
        // In a figure costs are of a device unless it is told otherwise; on the command line they are of a chunk.
        if (name === 'costs-of') assert.equal(given, '`device`');
        else if (kind === 'E') {
            for (const choice of names) assert.ok(words.includes(`\`${choice}\``), `${name}: ${choice}`);
            assert.equal(given, `\`${names[standard]}\``, name);
        }
        if (kind === 'N' && /^\d+$/.test(given) && !/^(slices)$/.test(name))
            assert.equal(Number(given), standard, name);
    }
    // Slices are one where a schedule has none; the one that has them begins with two.
    assert.equal(engine.configOf({ schedule: 'seq1f1b' }).slices, 2);
});

test('what is not given is what the table says', () => {
    const config = engine.configOf({});
    for (const { name, kind, names, standard } of engine.options) {
        const field = config[name.replaceAll('-', '_')];
        if (
            field === undefined ||
            !'NE'.includes(kind) ||
            ['chunks', 'group', 'fail-rank', 'receive-buffers'].includes(name)
        )
            continue;
        assert.equal(field, kind === 'E' ? names[standard] : standard, name);
    }
    const training = engine.train({ schedule: 'gpipe', ranks: 2, microbatches: 2 });
    try {
        for (const { name, standard } of engine.trainingOptions) {
            if (['depth', 'batch', 'rate'].includes(name)) continue; // they follow from the schedule
            assert.equal(training.settings[name.replaceAll('-', '_')], standard, name);
        }
    } finally {
        training.close();
    }
});

test('limits are refused where the table has them', () => {
    for (const { name, kind, min, max } of engine.options) {
        if (kind !== 'N') continue;
        for (const value of [min - 1, max + 1])
            assert.throws(
                () => engine.simulate({ schedule: 'interleaved', [name]: value }),
                (/** @type {any} */ { code, option, fault }) => {
                    assert.deepEqual([code, option, fault.a, fault.b], ['range', name, min, max]);
                    return true;
                },
            );
    }
});

test('the element has an attribute for every option', () => {
    assert.deepEqual(
        OPTIONS,
        engine.options.map(({ name }) => name),
    );
});
