// Every promise has a test: the table of support/rows.mjs against the names of the tests, and, where the lists that the
// promises come from lie beside the repository, against those.
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

const lists = fileURLToPath(new URL('../../shared/', import.meta.url));
const without = existsSync(`${lists}cases.md`) && existsSync(`${lists}web.md`) ? false : `no lists at ${lists}`;
if (without) console.error(`\n*** ${without}: the rows were NOT compared with the lists they come from ***\n`);

test('the table has the rows of the lists, all of them and no other', { skip: without }, () => {
    const cases = readFileSync(`${lists}cases.md`, 'utf8');
    const web = readFileSync(`${lists}web.md`, 'utf8');
    const wanted = [...cases.matchAll(/^\| ((?:VIE|EMB)-\d\d) /gm)].map(([, id]) => id);
    const numbered = (/** @type {string} */ text, /** @type {string} */ name) =>
        [...text.matchAll(/^(\d+)\. /gm)].map(([, number]) => `${name}-${number.padStart(2, '0')}`);
    wanted.push(...numbered(web.split('Point by point,')[1].split('\n## ')[0], 'POINT'));
    wanted.push(...numbered(web.split('## 7. Must-haves')[1].split('\n## ')[0], 'MUST'));
    assert.deepEqual(Object.keys(rows).sort(), wanted.sort());
});
