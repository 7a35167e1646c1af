// docs/embedding.md against the element: each name that a page may use stands in its table, and each name in a table is
// there to be used. Names come from the class, from what it draws, and from its style sheets.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { PipelineFigure } from '../../dist/module/index.js';
import { PRESETS } from '../../web/request/presets.js';
import { manualNames, manualTable } from '../support/manual.mjs';

const web = fileURLToPath(new URL('../../web/', import.meta.url));
const texts = (/** @type {RegExp} */ wanted) =>
    readdirSync(web, { encoding: 'utf8', recursive: true })
        .filter((name) => wanted.test(name) && !name.startsWith('cli'))
        .map((name) => readFileSync(web + name, 'utf8'))
        .join('\n');
const code = texts(/\.js$/);
const css = texts(/\.css$/);
const all = (/** @type {string} */ text, /** @type {RegExp} */ pattern) =>
    [...new Set([...text.matchAll(pattern)].map(([, name]) => name))].sort();
const documented = (/** @type {string} */ section) => manualNames(section).sort();

test('MUST-15: the manual has the attributes of the element, each with its property, and no other', () => {
    assert.deepEqual(documented('Attributes'), [...PipelineFigure.observedAttributes].sort());
    for (const [property, { attribute, reflect }] of PipelineFigure.elementProperties) {
        const name = typeof attribute === 'string' ? attribute : property;
        assert.equal(
            property,
            name.replace(/-(.)/g, (_, letter) => letter.toUpperCase()),
        );
        assert.ok(reflect, `${property} is reflected`);
    }
});

test('MUST-15: the manual has the read-only properties, and the methods', () => {
    const inherited = new Set(['constructor', ...PipelineFigure.elementProperties.keys()]);
    for (let up = Object.getPrototypeOf(PipelineFigure.prototype); up; up = Object.getPrototypeOf(up))
        for (const name of Object.getOwnPropertyNames(up)) inherited.add(name);
    // What the browser itself calls.
    for (const name of ['connectedCallback', 'disconnectedCallback', 'adoptedCallback']) inherited.add(name);
    const own = Object.entries(Object.getOwnPropertyDescriptors(PipelineFigure.prototype)).filter(
        ([name]) => !inherited.has(name),
    );
    const methods = own.filter(([, { get }]) => !get).map(([name]) => name);
    const fields = all(
        /constructor\(\) \{[\s\S]*?\n {4}\}/.exec(code.slice(code.indexOf('class PipelineFigure')))?.[0] ?? '',
        /this\.(\w+) =/g,
    );
    const properties = [...own.filter(([, { get }]) => get).map(([name]) => name), ...fields];
    assert.deepEqual(
        documented('Properties and methods'),
        [...methods, ...properties.filter((name) => !PipelineFigure.elementProperties.has(name))].sort(),
    );
});

test('MUST-15: the manual has the events, parts, slots and states of the element, and no other', () => {
    assert.deepEqual(documented('Events'), all(code, /\bfire\('([\w-]+)'/g));
    assert.deepEqual(documented('Parts'), all(code, / part(?:="|: ')([\w-]+)/g));
    const slots = all(code, /<slot(?: name="([\w-]+)")?/g).map((name) => name ?? '(default)');
    assert.deepEqual(
        manualTable('Slots')
            .map(([name]) => name.replaceAll('`', ''))
            .sort(),
        slots.sort(),
    );
    const states = all(code, /states\?*\.(?:add|\[[^\]]*\]\?*\.?)?\(?'(\w+)'\)/g);
    const section = readFileSync(`${web}../docs/embedding.md`, 'utf8').split('## States')[1].split('\n## ')[0];
    assert.deepEqual(
        all(section, /`(\w+)`/g),
        [...new Set([...states, ...all(code, /states\??\.?\[[^\]]*\]\('(\w+)'\)/g)])].sort(),
    );
});

test('MUST-15: the manual has the custom properties of the style sheets, and no other', () => {
    assert.deepEqual(documented('Custom properties'), all(css, /var\((--pipeline-[\w-]+)/g));
});

test('MUST-15: the manual has the steps of the chapter, and what a challenge may ask', () => {
    const manual = readFileSync(`${web}../docs/embedding.md`, 'utf8');
    const section = manual.split('### Steps, views and tasks')[1].split('\n## ')[0];
    const steps = /takes ([\s\S]*?)\. Each/.exec(section)?.[1] ?? '';
    assert.deepEqual(all(steps, /`([\w-]+)`/g), PRESETS.map(({ name }) => name).sort());
    const terms = /conditions: ([\s\S]*?), one of/.exec(section)?.[1] ?? '';
    const fields = /const FIELDS = \{([\s\S]*?)\}/.exec(readFileSync(`${web}figure/challenge.js`, 'utf8'))?.[1] ?? '';
    assert.deepEqual(all(terms, /`(\w+)`/g), all(fields, /(\w+):/g));
    const controls = manualTable('Attributes').find(([name]) => name === '`controls`')?.[1] ?? '';
    const known = /const CONTROLS = \[(.*?)\]/.exec(code)?.[1] ?? '';
    assert.deepEqual(all(controls, /`(\w+)`/g), [...all(known, /'(\w+)'/g), 'presets', 'latency', 'hold'].sort());
});
