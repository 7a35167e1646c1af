// SVG as text and through DOM calls, the golden pictures, the colours, and the pictures of the page and the README.
// A picture that changed is written beside its golden as .svg.new and the test fails: look at it, then rename it.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { buildPage, fillPage, readmeFigure, staticFigures } from '../../web/page/static.js';
import { caption, formula } from '../../web/scene/format.js';
import { selectionShapes } from '../../web/scene/overlays.js';
import { buildScene } from '../../web/scene/scene.js';
import {
    colourTokens,
    escapeXml,
    renderMath,
    renderScene,
    sceneToSvg,
    shapeToText,
    standaloneCss,
    updateOverlay,
    updateSvg,
} from '../../web/scene/svg.js';
import { svgFile } from '../../web/write/svg-file.js';
import { fakeDocument } from '../support/dom.mjs';
import { sameAsGolden } from '../support/pictures.mjs';
import { engine, settings, walk } from '../support/scenes.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const golden = join(root, 'tests/golden');
const css = readFileSync(join(root, 'web/scene/figure.css'), 'utf8');
const inFile = standaloneCss(css);

/** Throws where a text is not well-formed XML of the kind we write; returns the elements. */
function elementsOf(xml) {
    const open = [];
    const all = [];
    let at = 0;
    for (const found of xml.matchAll(/<(\/?)([a-z][\w-]*)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/g)) {
        assert.doesNotMatch(xml.slice(at, found.index), /[<>]|&(?!(?:amp|lt|gt|quot);)/, 'text');
        at = found.index + found[0].length;
        const [, closing, name, attributes, empty] = found;
        if (closing) assert.equal(open.pop(), name);
        else {
            const names = [...attributes.matchAll(/([\w:-]+)="/g)].map(([, each]) => each);
            assert.equal(new Set(names).size, names.length, `attribute twice: ${found[0]}`);
            all.push({
                name,
                attributes: Object.fromEntries([...attributes.matchAll(/([\w:-]+)="([^"]*)"/g)].map((a) => a.slice(1))),
            });
            if (!empty) open.push(name);
        }
    }
    assert.deepEqual(open, []);
    assert.equal(xml.slice(at).trim(), '');
    return all;
}

for (const [name, request, options] of settings) {
    test(`golden ${name}`, () => {
        const svg = svgFile(engine.simulate(request), options.lang, css, { idPrefix: 'pf', ...options });
        elementsOf(svg);
        sameAsGolden(svg, join(golden, `${name}.svg`));
    });
}

test('every golden belongs to a setting', () => {
    const names = readdirSync(golden).filter((name) => name.endsWith('.svg'));
    assert.deepEqual(names.sort(), settings.map(([name]) => `${name}.svg`).sort());
});

test('text that a caller gives is escaped', () => {
    assert.equal(escapeXml('<a href="x">&</a>'), '&lt;a href=&quot;x&quot;&gt;&amp;&lt;/a&gt;');
    const scene = buildScene(engine.simulate({}), { rankLabel: (rank) => `<script>${rank}&"` });
    const svg = sceneToSvg(scene, { title: '</svg><script>', desc: '"&' });
    assert.doesNotMatch(svg, /<script|<\/svg>./);
    elementsOf(svg);
});

test('a picture in a page has a role and a name, and takes neither style nor script', () => {
    const svg = sceneToSvg(buildScene(engine.simulate({}), { idPrefix: 'one' }), { title: 'Name', desc: 'More' });
    const [first, ...rest] = elementsOf(svg);
    assert.equal(first.attributes.role, 'img');
    assert.equal(first.attributes['aria-labelledby'], 'one-title one-desc');
    assert.deepEqual(
        rest.slice(0, 2).map(({ attributes }) => attributes.id),
        ['one-title', 'one-desc'],
    );
    for (const { name, attributes } of rest) {
        assert.ok(!['style', 'script', 'foreignObject', 'image', 'use', 'a'].includes(name), name);
        for (const key of Object.keys(attributes)) assert.doesNotMatch(key, /^(?:style|on|href)/);
    }
});

// ---- DOM ----

const scenes = settings.map(([, request, options]) => buildScene(engine.simulate(request), options));
/** A file has no parts. */
const drawing = (svg) => svg.children[0].serialize().replaceAll(' part="axis"', '');

test('the DOM calls draw what the text says', () => {
    for (const scene of scenes) {
        const svg = renderScene(scene, fakeDocument());
        assert.equal(drawing(svg), shapeToText({ type: 'g', shapes: scene.shapes }));
        assert.equal(svg.getAttribute('viewBox'), `0 0 ${scene.width} ${scene.height}`);
        assert.equal(svg.getAttribute('class'), 'pf-scene');
    }
});

test('an update leads to the same picture as drawing anew, whatever was there before', () => {
    const sorted = (text) =>
        text.replace(
            /<([a-z]+)((?: [\w-]+="[^"]*")*)/g,
            (_, name, list) =>
                `<${name}${
                    list
                        .match(/ [\w-]+="[^"]*"/g)
                        ?.sort()
                        .join('') ?? ''
                }`,
        );
    const document = fakeDocument();
    const svg = renderScene(scenes[0], document);
    for (const scene of [...scenes, ...scenes.toReversed()]) {
        updateSvg(svg, scene);
        assert.equal(sorted(drawing(svg)), sorted(shapeToText({ type: 'g', shapes: scene.shapes })));
    }
});

test('nodes are used again: a second pass over the same charts makes few, none for the same chart', () => {
    const document = fakeDocument();
    const svg = renderScene(scenes[9], document);
    let made = document.made;
    updateSvg(svg, buildScene(engine.simulate(settings[9][1]), settings[9][2]));
    assert.equal(document.made, made, 'the same chart');
    const writes = document.writes;
    updateSvg(svg, scenes[9]);
    assert.equal(document.writes, writes, 'nothing to write');
    made = document.made;
    for (let m = 1; m <= 32; m++) {
        updateSvg(svg, buildScene(engine.simulate({ schedule: '1f1b', ranks: 4, microbatches: m })));
    }
    assert.ok(document.made - made < 600, `${document.made - made} nodes`);
    const count = [...drawing(svg).matchAll(/<[a-z]/g)].length;
    assert.ok(count < 400, `${count} nodes`);
});

test('the overlay fades the chart while there is a selection, and leaves nothing behind', () => {
    const simulation = engine.simulate({});
    const scene = buildScene(simulation);
    const svg = renderScene(scene, fakeDocument());
    const before = svg.serialize();
    updateOverlay(svg, selectionShapes(scene, simulation, { kind: 'action', index: 5 }));
    assert.ok(svg.classList.contains('pf-dim'));
    assert.ok(svg.children[1].children.length > 3);
    updateOverlay(svg, selectionShapes(scene, simulation, { kind: 'idle', index: 0 }), { dim: false });
    assert.ok(!svg.classList.contains('pf-dim'));
    updateOverlay(svg, []);
    assert.equal(svg.serialize(), before);
});

test('the formula becomes MathML', () => {
    const node = renderMath(formula(engine.simulate({}), 'ru').math, fakeDocument());
    assert.equal(node.namespaceURI, 'http://www.w3.org/1998/Math/MathML');
    assert.match(
        node.serialize(),
        /^<math display="block"><mrow><mi>U<\/mi><mo>=<\/mo><mfrac><mi>m<\/mi><mrow><mi>m<\/mi><mo>\+<\/mo>.*<mfrac><mn>2<\/mn><mn>3<\/mn><\/mfrac><\/mrow><\/math>$/,
    );
});

// ---- colours ----

const tokens = colourTokens(css);
const luminance = (hex) => {
    const [r, g, b] = [1, 3, 5]
        .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
        .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const contrast = (a, b) => {
    const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
};

for (const [theme, name] of ['light', 'dark'].entries()) {
    const of = (token) => tokens[`--pf-${token}`][theme];
    const ground = of('surface');
    test(`${name}: every kind of cell has an edge or a fill of 3:1 against the ground and against idle time`, () => {
        for (const kind of ['forward', 'backward', 'input', 'weight', 'recompute']) {
            assert.ok(contrast(of(`${kind}-edge`), ground) >= 3, kind);
            assert.ok(contrast(of(`${kind}-edge`), of('idle')) >= 3, kind);
        }
    });
    test(`${name}: numbers on cells and words on the ground reach 4.5:1, strokes 3:1`, () => {
        for (const [text, fill] of [
            ['on-forward', 'forward'],
            ['on-light', 'backward'],
            ['on-light', 'input'],
            ['on-light', 'weight'],
            ['on-recompute', 'recompute'],
            ...['forward', 'backward', 'input', 'weight', 'recompute'].map((kind) => ['on-odd', `${kind}-odd`]),
            ['ink', 'surface'],
            ['quiet', 'surface'],
        ]) {
            const reached = contrast(of(text), of(fill));
            assert.ok(reached >= 4.5, `${text} on ${fill}: ${reached.toFixed(2)}`);
        }
        for (const stroke of ['comm', 'focus', 'quiet']) assert.ok(contrast(of(stroke), ground) >= 3, stroke);
    });
    test(`${name}: the two tones of a kind differ, and forward differs from backward without colour`, () => {
        for (const kind of ['forward', 'backward', 'input', 'weight', 'recompute']) {
            assert.ok(contrast(of(kind), of(`${kind}-odd`)) >= 1.3, kind);
        }
        assert.ok(contrast(of('forward'), of('backward')) >= 1.3);
    });
    test(`${name}: the hatch is quiet`, () => {
        const reached = contrast(of('hatch'), of('idle'));
        assert.ok(reached > 1.15 && reached < 1.9, reached.toFixed(2));
    });
}

test('browsers without light-dark() get the light colours of the others', () => {
    const plain = new Map(
        [...css.matchAll(/(--pf-[\w-]+): var\((--pipeline-[\w-]+), (#\w+)\)/g)].map((m) => [m[1], [m[2], m[3]]]),
    );
    const paired = [...css.matchAll(/(--pf-[\w-]+): var\((--pipeline-[\w-]+), light-dark\((#\w+), (#\w+)\)\)/g)];
    assert.equal(plain.size, paired.length);
    assert.ok(paired.length >= 20);
    for (const [, name, option, light] of paired) assert.deepEqual(plain.get(name), [option, light], name);
});

test('forced colours use system colours only, and say so for every token a stroke or a text uses', () => {
    const system = new Set(['Canvas', 'CanvasText', 'GrayText', 'Highlight']);
    const forced = /@media \(forced-colors: active\) \{([\s\S]*?)\n\}/.exec(css)[1];
    assert.doesNotMatch(forced, /#[0-9a-f]{3}/i);
    for (const name of Object.keys(tokens)) {
        const isFill = /^--pf-(?:forward|backward|input|weight|recompute)(?:-odd)?$/.test(name);
        assert.equal(system.has(tokens[name][2]), !isFill, name);
    }
});

test('every class of a scene has a rule, and every rule a class', () => {
    const used = new Set();
    const simulations = settings.map(([, request]) => engine.simulate(request));
    for (const [k, scene] of scenes.entries()) {
        const shapes = [...scene.shapes, ...selectionShapes(scene, simulations[k], { kind: 'action', index: 0 })];
        for (const shape of walk(shapes)) for (const name of (shape.class ?? '').split(' ')) used.add(name);
    }
    const ruled = new Set([...css.matchAll(/\.(pf-[\w-]+)/g)].map(([, name]) => name));
    // Groups without a look of their own; colours of cells that no schedule of this version has; the ground of files.
    for (const name of used)
        if (name && !['pf-ranks', 'pf-chunk', 'pf-mark-line', 'pf-on-light'].includes(name))
            assert.ok(ruled.has(name), name);
    for (const name of ruled) {
        const known = /^pf-(?:scene|dim|overlay|[IW]|on-[IW]|kind-[IW]|ground|legend|trail|followed|critical)$/.test(
            name,
        );
        assert.ok(known || used.has(name) || /^pf-(?:wire|awaited)/.test(name), name);
    }
});

test('a file carries its colours with it: no custom properties, both themes, forced colours', () => {
    assert.doesNotMatch(inFile, /var\(|light-dark|--pf|undefined|:host|\.pf-scene /);
    assert.match(inFile, /@media \(prefers-color-scheme:dark\)\{.*@media \(forced-colors:active\)\{/);
    assert.equal((inFile.match(/\{/g) ?? []).length, (inFile.match(/\}/g) ?? []).length);
    assert.ok(inFile.length < 8000, `${inFile.length}`);
});

// ---- page and README ----

const scratch = () => mkdtempSync(join(tmpdir(), 'figure-'));

test('the static figures are made for each entry of figures.json, in both languages, twice the same', async () => {
    const [one, two] = [scratch(), scratch()];
    await staticFigures(one);
    await staticFigures(two);
    const figures = JSON.parse(readFileSync(join(root, 'web/page/figures.json'), 'utf8'));
    const names = readdirSync(one).sort();
    assert.deepEqual(names, figures.flatMap(({ name }) => [`figure-${name}.en.svg`, `figure-${name}.ru.svg`]).sort());
    for (const name of names) {
        const svg = readFileSync(join(one, name), 'utf8');
        assert.equal(svg, readFileSync(join(two, name), 'utf8'));
        elementsOf(svg);
        assert.match(svg, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" /);
    }
    for (const folder of [one, two]) rmSync(folder, { recursive: true });
});

test('the page is filled in: pictures with unique ids and captions, exact values, nothing left open', async () => {
    const folder = scratch();
    await buildPage(folder);
    for (const [name, lang] of [
        ['index.html', 'ru'],
        ['index.en.html', 'en'],
    ]) {
        const html = readFileSync(join(folder, name), 'utf8');
        assert.doesNotMatch(html, /\{\{|\}\}|NaN|undefined/);
        const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
        assert.equal(new Set(ids).size, ids.length);
        const inside = new Set(ids);
        for (const [, id] of html.matchAll(/url\(#(.*?)\)/g)) assert.ok(inside.has(id), id);
        for (const [, list] of html.matchAll(/aria-labelledby="([^"]*)"/g)) {
            for (const id of list.split(' ')) assert.ok(inside.has(id), id);
        }
        assert.doesNotMatch(html, /<style| style="| on[a-z]+="/);
        assert.ok(html.indexOf('figure.css') < html.indexOf('page.css') && html.includes('figure.css'));
        const first = /<pipeline-figure [^>]*>(.*?)<\/pipeline-figure>/s.exec(html)[1];
        assert.ok(first.includes(`<figcaption>${caption(engine.simulate({}), lang)}</figcaption></figure>`));
    }
    for (const name of ['figure.css', 'page.css', 'chapter.py']) assert.ok(existsSync(join(folder, name)), name);
    rmSync(folder, { recursive: true });
});

test('values of the page: exact where the core is exact, in the language of the page, refused when wrong', () => {
    const fill = (inside, lang = 'ru') => fillPage(`{{${inside}}}`, lang, engine);
    assert.equal(fill('value bubble_ratio schedule=gpipe;ranks=4;microbatches=8'), '3/8');
    assert.equal(fill('value peaks schedule=1f1b;ranks=4;microbatches=8'), '4, 3, 2, 1');
    const half = 'schedule=interleaved;ranks=4;microbatches=8;chunks=2';
    assert.equal(fill(`value makespan ${half}`), '28,5');
    assert.equal(fill(`value makespan ${half}`, 'en'), '28.5');
    assert.equal(fill('value makespan schedule=forward;ranks=4;microbatches=8;forward=1 1 2 1'), '19');
    assert.throws(() => fill('value nonsense ranks=4'), /no figure named nonsense/);
    assert.throws(() => fill('static:nowhere.ru'), /nothing to put in place/);
    assert.throws(() => fill('value makespan ranks'), /is not name=value/);
    assert.throws(() => fill('value makespan ranks=0'), /ranks/);
});

test('docs/figure.svg is what `node web/page/static.js docs` writes', () => {
    assert.equal(readFileSync(join(root, 'docs/figure.svg'), 'utf8'), `${readmeFigure(engine)}\n`);
});
