// The gallery as built: each example is its tag, a live figure, and a picture that is compared with the one stored in
// tests/golden/gallery. A picture that changed is written beside its golden as .svg.new: look at it, then rename it.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { HtmlValidate } from 'html-validate';
import { loadEngine } from '../../web/engine/index.js';
import { examples, requestOf, tagOf } from '../../web/page/gallery.js';
import { presetNamed } from '../../web/request/presets.js';
import { manualNames } from '../support/manual.mjs';
import { sameAsGolden } from '../support/pictures.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const golden = join(root, 'tests/golden/gallery');
const pages = { ru: 'gallery.html', en: 'gallery.en.html' };
const read = (/** @type {string} */ name) => readFileSync(join(root, 'dist', name), 'utf8');
const engine = await loadEngine();

for (const example of examples()) {
    const { name } = example;
    test(`gallery ${name}`, () => {
        const html = read(pages.ru);
        const [section] = html.split(`<section aria-labelledby="${name}">`)[1].split('</section>');
        const [svg] = /** @type {RegExpExecArray} */ (/<svg[\s\S]*?<\/svg>/.exec(section));
        sameAsGolden(svg, join(golden, `${name}.svg`));
    });
}

test('every stored picture belongs to an example, and names are used once', () => {
    const names = examples().map(({ name }) => name);
    assert.equal(new Set(names).size, names.length);
    assert.deepEqual(
        readdirSync(golden)
            .filter((name) => name.endsWith('.svg'))
            .sort(),
        names.map((name) => `${name}.svg`).sort(),
    );
});

test('examples use what the manual has, and the core takes them', () => {
    const documented = manualNames('Attributes');
    for (const example of examples()) {
        for (const name of Object.keys(example.attributes))
            assert.ok(documented.includes(name), `${example.name}: ${name}`);
        const { preset } = example.attributes;
        if (preset !== undefined) assert.deepEqual(example.request, presetNamed(preset)?.request, example.name);
        engine.simulate(requestOf(example));
    }
});

for (const [lang, page] of Object.entries(pages)) {
    test(`${page} is valid, complete and asks for nothing from outside`, async () => {
        const html = read(page);
        const validator = new HtmlValidate({
            extends: ['html-validate:recommended'],
            elements: ['html5', { 'pipeline-figure': { flow: true } }],
            rules: { 'doctype-style': 'off' },
        });
        const { results } = await validator.validateString(html, page);
        assert.deepEqual(
            results.flatMap(({ messages }) => messages.map((m) => `${m.line}: ${m.ruleId}: ${m.message}`)),
            [],
        );
        assert.doesNotMatch(html, /\{\{|undefined|(?:src|href)="(?:[a-z]+:)?\/\//);
        for (const [, link] of html.matchAll(/(?:src|href)="([^"#:]+)"/g))
            assert.ok(existsSync(join(root, 'dist', link)), link);
        for (const example of examples()) {
            assert.ok(html.includes(`${tagOf(example)}<figure>`), example.name);
            assert.ok(example.title[lang] && example.words[lang], `${example.name} has words in ${lang}`);
        }
    });
}
