// Every promise has a test: the table of support/rows.mjs against the names of the tests; and every id that a test names has its
// meaning in cases.md.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { rows } from './support/rows.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const ID = /\b(?:MUST|POINT|VIE|EMB)-\d\d\b/g;

/** Ids in the names of the tests of a file; a name may be a template. @param {string} file @returns {Set<string>} */
function idsIn(file) {
    const text = existsSync(root + file) ? readFileSync(root + file, 'utf8') : '';
    const names = [...text.matchAll(/(?<![\w.])(?:it|test)\(\s*(['`"])((?:\\.|(?!\1)[^\\])*)\1/g)].map(
        ([, , name]) => name,
    );
    return new Set(names.flatMap((name) => name.match(ID) ?? []));
}

for (const [id, { says, files }] of Object.entries(rows)) {
    // A file that is not there yet is work under way, said loudly.
    const awaited = files.filter((file) => !existsSync(root + file));
    test(`${id} has a test: ${says}`, { todo: awaited.length > 0 && `AWAITED for ${id}: ${awaited}` }, () => {
        assert.ok(files.length > 0);
        assert.deepEqual(
            files.filter((file) => !idsIn(file).has(id)),
            [],
            `no test there has ${id} in its name`,
        );
    });
}

test('tests name no row that the table lacks, nor one in a file that the table does not name', () => {
    const names = readdirSync(`${root}tests`, { encoding: 'utf8', recursive: true });
    for (const name of names.filter((name) => name.endsWith('.test.mjs'))) {
        const file = `tests/${name}`;
        for (const id of idsIn(file)) assert.ok(rows[id]?.files.includes(file), `${id} in ${file}`);
    }
});

const cases = readFileSync(`${root}tests/cases.md`, 'utf8');
const told = [...cases.matchAll(/^\| ([A-Z][A-Z0-9]*-\d\d) \| (.*?) *\|$/gm)];

test('every id that a test names has its meaning in tests/cases.md, and every id there has a test', () => {
    const known = new Set(told.map(([, id]) => id));
    assert.equal(known.size, told.length, 'an id stands there twice');
    for (const [, id, meaning] of told) assert.match(meaning, /^\S.{20,}\.$/, id);
    const families = new RegExp(
        `\\b(?:${[...new Set([...known].map((id) => id.split('-')[0]))].join('|')})-\\d\\d\\b`,
        'g',
    );
    const named = new Map();
    for (const name of readdirSync(`${root}tests`, { encoding: 'utf8', recursive: true })) {
        if (!/\.(test\.mjs|c|h)$/.test(name)) continue;
        const text = readFileSync(`${root}tests/${name}`, 'utf8');
        // Of these families anywhere; of a new one, where a name begins with it.
        const begins = [...text.matchAll(/['"`]((?:[A-Z][A-Z0-9]*-\d\d(?:, )?)+): /g)].flatMap(([, ids]) =>
            ids.split(', '),
        );
        for (const id of [...(text.match(families) ?? []), ...begins]) named.set(id, name);
    }
    assert.deepEqual(
        [...named].filter(([id]) => !known.has(id)),
        [],
        'not in tests/cases.md',
    );
    assert.deepEqual(
        [...known].filter((id) => !named.has(id)),
        [],
        'no test has it',
    );
});

test('the table of what the figure promises has the rows of tests/cases.md, all of them and no other', () => {
    const wanted = told.map(([, id]) => id).filter((id) => /^(MUST|POINT|VIE|EMB)-/.test(id));
    assert.deepEqual(Object.keys(rows).sort(), wanted.sort());
});
