// docs/recipes.md without the generators themselves, which npm run test:generators runs.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { manualNames } from '../support/manual.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (/** @type {string} */ path) => readFileSync(root + path, 'utf8');
const recipes = read('docs/recipes.md');
const sections = recipes.split(/^## /m).slice(1);
const sectionOf = (/** @type {string} */ title) => sections.find((text) => text.startsWith(title)) ?? '';

test('MUST-15, POINT-12: a recipe for each generator, and each that says it is built is built', () => {
    for (const name of [
        'Plain HTML',
        'Sphinx',
        'MyST',
        'MkDocs',
        'Hugo',
        'Jekyll',
        'pandoc',
        'Quarto',
        'MDX',
        'Docusaurus',
        'VitePress',
    ])
        assert.match(recipes, new RegExp(`^## .*${name}`, 'm'));
    const built = sections.filter((text) => /\b[Bb]uilt\b/.test(text.split('\n').slice(1).join('\n').split('```')[0]));
    const script = read('scripts/generators.mjs');
    const ran = [...script.matchAll(/section: '([^']+)'/g)].map(([, title]) => title);
    for (const title of ran) assert.ok(sectionOf(title), `no section "${title}"`);
    for (const text of built.filter((text) => /^Built/m.test(text))) {
        const [title] = text.split('\n');
        assert.ok(ran.includes(title), `"${title}" says it is built`);
    }
    assert.ok(ran.length >= 9);
});

test('POINT-12, EMB-10: in every recipe the tag is on one line, with attributes of the manual as plain strings', () => {
    const known = new Set(manualNames('Attributes'));
    const tags = [...recipes.matchAll(/<pipeline-figure( [^>{]*)?>/g)];
    assert.ok(tags.length > 7);
    for (const [tag, attributes = ''] of tags) {
        assert.doesNotMatch(tag, /\n/);
        assert.equal(attributes.replace(/ [a-z-]+="[^"]*"/g, ''), '', tag);
        for (const [, name] of attributes.matchAll(/ ([a-z-]+)=/g)) assert.ok(known.has(name), name);
    }
    assert.doesNotMatch(sectionOf('MDX'), /<img[^>]*[^/]>|\sclass=/);
});

test('EMB-11: where raw HTML is dropped there is a shortcode, and a picture of its own to show', () => {
    assert.match(sectionOf('Hugo'), /layouts\/shortcodes\/pipeline-figure\.html/);
    assert.match(recipes, /Where HTML is dropped altogether[\s\S]{0,80}show the SVG as an image/);
    assert.ok(existsSync(`${root}dist/figure-gpipe-p4-m8.en.svg`));
    assert.match(recipes, /--format svg/);
});
