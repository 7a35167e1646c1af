// c_src and web are divided into rooms, and what is in a room uses only rooms below it: docs/design-notes.md says which, and
// why. Here includes and imports are read and held to that. (That no C function calls upwards, whatever is included, is for the
// linker: the programs room_... of CMakeLists.txt.)
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '../..');
const read = (file) => readFileSync(join(root, file), 'utf8');

/** Folders in a folder, by name. */
const rooms = (folder) =>
    readdirSync(join(root, folder), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => entry.name)
        .sort();

/** The room a file stands in; '' for one that stands in none. */
const roomOf = (file) => (file.split('/').length > 2 ? file.split('/')[1] : '');

/** Which rooms of c_src each room may use, from the list that CMakeLists.txt links by. */
function usesOfC() {
    const uses = new Map();
    for (const [, room, used] of read('CMakeLists.txt').matchAll(/^set\(uses_(\w+)([^)]*)\)/gm))
        uses.set(room, used.split(/\s+/).filter(Boolean));
    uses.set('wasm', [...uses.keys()]); // the way out: whoever calls from JavaScript
    return uses;
}

/** The same of web: a room may use all rooms of the lines above its own. */
const WEB = [['words'], ['parts'], ['engine'], ['request', 'scene'], ['write'], ['figure', 'cli', 'page'], ['build']];

function usesOfWeb() {
    const uses = new Map();
    WEB.forEach((line, n) => {
        for (const room of line) uses.set(room, WEB.slice(0, n).flat());
    });
    uses.set('build', [...uses.keys()]);
    return uses;
}

/** Every file of a folder's rooms, with the files of the same folder that it names. */
function arrows(folder, endings, namesOf) {
    const files = readdirSync(join(root, folder), { recursive: true })
        .map((file) => `${folder}/${file}`)
        .filter((file) => endings.test(file) && roomOf(file));
    return new Map(files.map((file) => [file, namesOf(file, read(file))]));
}

const includes = () =>
    arrows('c_src', /\.[ch]$/, (file, text) =>
        [...text.matchAll(/^#include "([^"]+)"/gm)].map(([, name]) => {
            const beside = normalize(join(dirname(file), name));
            return existsSync(join(root, beside)) ? beside : `c_src/${name}`;
        }),
    );

/** What runs; types that a comment names are no imports. */
const imports = () =>
    arrows('web', /\.m?js$/, (file, text) =>
        [
            ...text
                .replace(/\/\*[\s\S]*?\*\//g, '')
                .matchAll(/^(?!\s*\/\/).*?\b(?:from|import)\b\s*\(?\s*['"](\.[^'"]+)['"]/gm),
        ]
            .map(([, name]) => normalize(join(dirname(file), name)))
            .filter((name) => name.startsWith('web/')),
    );

/** "file -> file" of each arrow that leads to a room its own may not use. */
function back(files, uses) {
    const wrong = [];
    for (const [file, used] of files)
        for (const other of used) {
            const from = roomOf(file);
            const to = roomOf(other);
            if (from !== to && !uses.get(from)?.includes(to)) wrong.push(`${file} -> ${other}`);
        }
    return wrong;
}

/** Names that lead round in a circle, the first one found; [] for none. */
function circle(next) {
    const done = new Set();
    const path = [];
    const visit = (at) => {
        if (path.includes(at)) return [...path.slice(path.indexOf(at)), at];
        if (done.has(at)) return [];
        path.push(at);
        for (const other of next.get(at) ?? []) {
            const found = visit(other);
            if (found.length) return found;
        }
        path.pop();
        done.add(at);
        return [];
    };
    for (const at of next.keys()) {
        const found = visit(at);
        if (found.length) return found;
    }
    return [];
}

test('the lists name the rooms there are', () => {
    assert.deepEqual([...usesOfC().keys()].sort(), rooms('c_src'));
    assert.deepEqual([...usesOfWeb().keys()].sort(), rooms('web'));
});

test('no include of c_src leads to a room above', () => {
    assert.deepEqual(circle(usesOfC()), []);
    assert.deepEqual(back(includes(), usesOfC()), []);
});

test('headers of c_src include each other in no circle', () => {
    const headers = new Map([...includes()].filter(([file]) => file.endsWith('.h')));
    assert.ok(headers.size > 20);
    assert.deepEqual(circle(headers), []);
});

test('no import of web leads to a room above, nor round in a circle', () => {
    const files = imports();
    assert.ok(files.size > 60);
    assert.deepEqual(back(files, usesOfWeb()), []);
    assert.deepEqual(circle(files), []);
});

test('design-notes say of each room what may stand there', () => {
    const notes = read('docs/design-notes.md');
    for (const folder of ['c_src', 'web'])
        for (const room of rooms(folder))
            assert.match(notes, new RegExp(`^\\| \`${folder}/${room}\` \\|`, 'm'), `${folder}/${room}`);
});

test('an arrow back and a circle are seen', () => {
    const uses = new Map([
        ['low', []],
        ['high', ['low']],
    ]);
    const files = new Map([
        ['c_src/high/a.c', ['c_src/low/b.h', 'c_src/high/c.h']],
        ['c_src/low/b.h', ['c_src/high/c.h']],
        ['c_src/high/c.h', ['c_src/low/b.h']],
    ]);
    assert.deepEqual(back(files, uses), ['c_src/low/b.h -> c_src/high/c.h']);
    assert.deepEqual(circle(files), ['c_src/low/b.h', 'c_src/high/c.h', 'c_src/low/b.h']);
});
