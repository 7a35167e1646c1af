// How a figure looks as a guest: numbers in its cells, what tells the kinds apart, what the page's own style does to it, how
// it grows with the text, and the space it takes before it lives.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { launch, withoutBrowser } from '../support/browser.mjs';
import { contrast } from '../support/contrast.mjs';
import { hostPage, inEveryBrowser, site } from '../support/guest.mjs';
import { opening } from '../support/hooks.mjs';
import { withoutPoppler } from '../support/optional.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const tag = (/** @type {string} */ attributes) => `<pipeline-figure ${attributes}></pipeline-figure>`;
const TRAINS = tag('schedule="1f1b" ranks="4" microbatches="8"');
const box = (/** @type {number} */ width, /** @type {string} */ body) => `<div style="width:${width}px">${body}</div>`;

/** What the README has an author put into a page. */
const readmeSnippet = () =>
    /<script src="pipeline-figure[\s\S]*?<\/div>/.exec(readFileSync(join(root, 'README.md'), 'utf8'))?.[0] ?? '';

inEveryBrowser('the look of a guest', (guest) => {
    const { ask, soon, show, drawn } = guest;

    for (const [attributes, width] of /** @type {[string, number][]} */ ([
        ['schedule="forward" ranks="16" microbatches="20"', 1100],
        ['schedule="interleaved" ranks="4" chunks="3" microbatches="12"', 760],
        ['schedule="1f1b" ranks="8" microbatches="32"', 1100],
        ['schedule="zb-h1" ranks="6" microbatches="12"', 760],
    ])) {
        it(`a cell that has room for its number has it: ${attributes} at ${width} px`, async () => {
            await show(box(width, tag(attributes)));
            const seen = await ask(() => {
                const { actions } = figure().simulation;
                const text = document.createElementNS('http://www.w3.org/2000/svg', 'text');
                text.setAttribute('class', 'pf-number');
                one('.pf-cells').append(text);
                const labels = all('.chart > svg > g:first-child .pf-number').filter((node) => node !== text);
                const middles = labels.map(middle);
                const micro = {};
                const missing = [];
                const outside = [];
                for (const place of all('.place')) {
                    const name = place.getAttribute('aria-label');
                    const [, number] = /микробатча.(\d+)/.exec(name) ?? [];
                    if (!number) continue;
                    const { x, y, width, height } = place.getBoundingClientRect();
                    // The least size that can be read.
                    text.setAttribute('font-size', '9');
                    text.textContent = number;
                    const room = text.getComputedTextLength() + 5 <= width && height >= 14;
                    const at = middles.findIndex((m) => m.x > x && m.x < x + width && m.y > y && m.y < y + height);
                    if (room && at < 0) missing.push(name);
                    // Turned, the box of a number is a line high, whatever its digits are.
                    const most = labels[at]?.hasAttribute('transform') ? width + 10 : width;
                    if (at >= 0 && middles[at].width > most) outside.push(name);
                    const row = Math.round(y);
                    if (at >= 0) micro[row] = [...new Set([...(micro[row] ?? []), number])].sort();
                }
                text.remove();
                return {
                    missing,
                    outside,
                    labels: labels.length,
                    count: actions.count,
                    rows: Object.values(micro).map(String),
                    ranks: figure().simulation.perRank.length,
                };
            });
            // All that have room; or the same micro-batches in every row.
            if (seen.missing.length > 0) {
                assert.equal(new Set(seen.rows).size, 1, seen.rows.join(' | '));
                assert.equal(seen.rows.length, seen.ranks);
            }
            assert.deepEqual(seen.outside, []);
            assert.ok(seen.labels > 0);
        });
    }

    it('where numbers would be too many, the same micro-batches have theirs in all rows', async () => {
        await show(box(1800, tag('schedule="forward" ranks="30" microbatches="19"')));
        const rows = await ask(() => {
            const rows = {};
            for (const node of all('.chart > svg > g:first-child .pf-number'))
                rows[Math.round(middle(node).y)] = [...(rows[Math.round(middle(node).y)] ?? []), node.textContent];
            return Object.values(rows).map((numbers) => numbers.join(' '));
        });
        assert.equal(new Set(rows).size, 1, [...new Set(rows)].join(' | '));
        assert.equal(rows.length, 30);
    });

    it('kinds differ by more than their colour: at every size', async () => {
        for (const [attributes, kinds] of /** @type {[string, string[]][]} */ ([
            ['schedule="1f1b" ranks="4" microbatches="8"', ['B']],
            ['schedule="1f1b" ranks="24" microbatches="12"', ['B']],
            ['schedule="zb-h1" ranks="4" microbatches="8"', ['I', 'W']],
            ['schedule="gpipe" recompute="late" ranks="20" microbatches="12"', ['B', 'R']],
        ])) {
            await show(box(1000, tag(attributes)));
            const marks = await ask((kinds) => {
                const of = (kind) => all(`.chart > svg > g:first-child .pf-kind-${kind}`);
                return kinds.map((kind) => ({
                    kind,
                    nodes: of(kind).length,
                    dash: of(kind)[0] && getComputedStyle(of(kind)[0]).strokeDasharray,
                    ink: of(kind)[0] && getComputedStyle(of(kind)[0]).stroke,
                    fill: getComputedStyle(one(`.chart .pf-cell.pf-${kind}`)).fill,
                    legend: all(`.legend .pf-kind-${kind}`).length,
                }));
            }, kinds);
            for (const { kind, nodes, ink, fill, legend } of marks) {
                assert.ok(nodes > 0, `${attributes}: ${kind} has no mark`);
                assert.ok(contrast(ink, fill) >= 3, `${kind}: ${ink} on ${fill}`);
                assert.ok(legend > 0, `${kind} has none in the legend`);
            }
            assert.equal(new Set(marks.map(({ dash }) => dash)).size, kinds.length, 'each its own');
            assert.equal(await ask(() => all('.pf-kind-F').length), 0, 'the forward pass is plain');
        }
        assert.equal(await ask(() => all('.pf-kind-B').length > 0), true);
    });

    it('pixels of a large step: forward and backward differ in grey, light and dark', async () => {
        for (const theme of ['light', 'dark']) {
            const ground = theme === 'dark' ? '#14191f' : '#fff';
            await show(
                `<div style="background:${ground};color-scheme:${theme}">${tag('schedule="1f1b" ranks="4" microbatches="8"')}</div>`,
            );
            const [f, b] = await ask(() => ['F', 'B'].map((op) => getComputedStyle(one(`.pf-cell.pf-${op}`)).fill));
            assert.ok(contrast(f, b) >= 2, `${theme}: ${f} and ${b}: ${contrast(f, b).toFixed(2)}`);
        }
    });

    it('habits of the page stay outside: line height, alignment, small caps, and all that is inherited', async () => {
        const style = (/** @type {string} */ rules) => `<style>${rules}</style>`;
        const look = () =>
            ask(() =>
                [
                    '.sentence',
                    '.scrub',
                    '.slider',
                    '.legend li',
                    '.numbers dd',
                    '.formula p',
                    '.explanation',
                    '.views',
                ].map((part) => {
                    const { x, width, height } = one(part).getBoundingClientRect();
                    const left = x - figure().getBoundingClientRect().x;
                    return [part, Math.round(left), Math.round(width), Math.round(height)].join(' ');
                }),
            );
        const base = 'body { font: 16px/1.5 sans-serif; margin: 8px; color: #222 }';
        await show(box(800, TRAINS), { head: style(base) });
        const wanted = await look();
        for (const rules of [
            '* { line-height: 1; text-align: center }',
            'body { font-variant: small-caps; font-style: italic; font-weight: 700; font-stretch: condensed }',
            '* { text-align: justify; hyphens: auto; word-break: break-all; letter-spacing: 2px; text-transform: uppercase }',
            'html { direction: rtl } body { text-indent: 2em; word-spacing: 9px; text-shadow: 1px 1px red; white-space: pre }',
            'pipeline-figure { line-height: 3; text-align: right; font-feature-settings: "smcp"; text-align-last: right }',
        ]) {
            await show(box(800, TRAINS), { head: style(base + rules) });
            assert.deepEqual(await look(), wanted, rules);
        }
    });

    it('a theme that the ground does not have brings its own ground', async () => {
        for (const [theme, ground] of [
            ['dark', '#fff'],
            ['light', '#111'],
            ['dark', ''],
        ]) {
            const around = ground ? `background:${ground};color:${ground === '#fff' ? '#222' : '#eee'}` : '';
            await show(`<div style="${around}">${tag(`theme="${theme}" schedule="1f1b"`)}</div>`);
            const seen = await ask(() => {
                const ground = (node) => {
                    for (let at = node; at; at = at.parentElement ?? at.parentNode?.host) {
                        const { backgroundColor } = getComputedStyle(at);
                        if (!/, 0\)$|transparent/.test(backgroundColor)) return backgroundColor;
                    }
                    return 'rgb(255, 255, 255)';
                };
                const sentence = one('.sentence');
                return {
                    words: [getComputedStyle(sentence).color, ground(sentence)],
                    chart: [getComputedStyle(one('.pf-rank')).fill, ground(one('.chart'))],
                };
            });
            for (const [what, [ink, under]] of Object.entries(seen))
                assert.ok(contrast(ink, under) >= 4.5, `${theme} on ${ground}: ${what} ${ink} on ${under}`);
        }
        // Where the ground has the theme already, nothing is laid under.
        await show(`<div style="background:#111;color:#eee">${tag('theme="dark"')}</div>`);
        assert.match(await ask(() => getComputedStyle(one('.figure')).backgroundColor), /, 0\)$|transparent/);
    });

    it('the chart grows with the text of the page', async () => {
        const sizes = () =>
            ask(() => ({
                name: Number(one('.pf-rank').getBoundingClientRect().height),
                tick: Number(one('.pf-tick').getBoundingClientRect().height),
                number: Number(one('.pf-number').getBoundingClientRect().height),
                outside: all('.chart text:not(.row-head)')
                    .filter((text) => {
                        const [a, b] = [text, one('.chart')].map((node) => node.getBoundingClientRect());
                        return a.left < b.left - 3 || a.right > b.right + 3; // boxes of letters have an edge in Firefox
                    })
                    .map((text) => `${text.getAttribute('class')} ${text.textContent}`),
            }));
        await show(box(1000, TRAINS), { head: '<style>html { font-size: 16px }</style>' });
        const plain = await sizes();
        for (const factor of [1.25, 2]) {
            await show(box(1000, TRAINS), { head: `<style>html { font-size: ${16 * factor}px }</style>` });
            await drawn();
            const grown = await sizes();
            for (const what of ['name', 'tick', 'number'])
                assert.ok(grown[what] / plain[what] > 0.85 * factor, `${what}: ${grown[what]} after ${plain[what]}`);
            assert.deepEqual(grown.outside, [], `at ${factor} nothing is cut off`);
        }
        // And back, when the reader sets the size while the page is open.
        await ask(() => {
            document.documentElement.style.fontSize = '16px';
        });
        await soon((height) => Math.abs(one('.pf-tick').getBoundingClientRect().height - height) < 1, plain.tick);
    });

    it('«Память» at 360 px: one axis, one scroll', async () => {
        await show(`<iframe title="narrow" style="width:360px;height:900px;border:0"></iframe>`, { waits: false });
        const inner = hostPage(tag('schedule="gpipe" ranks="4" microbatches="8"'));
        guest.pages['/narrow.html'] = inner;
        await ask(() => {
            document.querySelector('iframe').src = '/narrow.html';
        });
        await soon(() =>
            document.querySelector('iframe').contentWindow.eval?.('typeof stands === "function" && stands()'),
        );
        const inside = (/** @type {string} */ code) =>
            ask((code) => document.querySelector('iframe').contentWindow.eval(code), code);
        await inside(`press('[data-view="memory"]')`);
        await soon(() => document.querySelector('iframe').contentWindow.eval(`Boolean(one('.beside > svg'))`));
        await drawn();
        for (const left of [0, 60, 9999]) {
            await inside(`one('.chart').scrollLeft = ${left}`);
            await drawn();
            const apart = await inside(`(() => {
                // Where the largest time stands in both.
                const chart = one('.pf-row').getBoundingClientRect();
                const held = all('.held-floor').map((node) => node.getBoundingClientRect());
                return [chart.left - held[0].left, chart.right - held[0].right];
            })()`);
            for (const away of apart) assert.ok(Math.abs(away) <= 2, `scrolled by ${left}: ${apart}`);
            // Whose line it is stays to be read.
            const names = await inside(
                `all('.names').filter((node) => getComputedStyle(node).visibility === 'visible').length`,
            );
            assert.equal(names, left === 0 ? 0 : 2);
        }
        // Scrolled by its own bar, it takes the chart along.
        await inside(`one('.beside').scrollLeft = 30`);
        await soon(() =>
            document
                .querySelector('iframe')
                .contentWindow.eval(`one('.chart').scrollLeft === one('.beside').scrollLeft`),
        );
    });

    it('bars of durations stand in line, at every width', async () => {
        for (const width of [360, 560, 700, 1000]) {
            await show(box(width, TRAINS));
            await ask(() => press('[data-edit="open"]'));
            await drawn();
            await ask(() => press('[data-part="costs"]'));
            await drawn();
            const rows = await ask(() =>
                all('.bars').map((row) => {
                    const label = row.querySelector('.label').getBoundingClientRect();
                    const bars = [...row.querySelectorAll('svg')].map((bar) => bar.getBoundingClientRect());
                    return { label: [label.left, label.bottom], bars: bars.map(({ left, top }) => [left, top]) };
                }),
            );
            assert.ok(rows.length >= 2);
            for (const { label, bars } of rows) {
                const beside = bars[0][1] < label[1] - 1;
                // Beside the label all bars are right of it; below it the first of each line begins where the label does.
                const firsts = bars
                    .filter(([, top], i) => i === 0 || top > bars[i - 1][1] + 4)
                    .map(([left]) => Math.round(left));
                assert.equal(new Set(firsts).size, 1, `${width}: lines begin at ${firsts}`);
                assert.ok(beside ? firsts[0] > label[0] + 20 : firsts[0] >= label[0] - 1, `${width}: ${firsts}`);
            }
        }
    });

    it('a cell that is let go leaves no band, and transfers stay between the rows', async () => {
        await show(box(900, TRAINS));
        const below = () =>
            ask(() => one('.numbers').getBoundingClientRect().top - one('.legend').getBoundingClientRect().bottom);
        const first = await below();
        const at = await ask(() => middle(one('.place')));
        await guest.driver.click(at.x, at.y);
        await soon(() => Boolean(one('.explanation button')));
        await ask(() => press('.explanation button'));
        const away = await ask(() => middle(one('.formula p')));
        await guest.driver.click(away.x, away.y);
        await soon(() => !one('.explanation button'));
        await drawn();
        assert.ok((await below()) - first <= 2, `${await below()} px, ${first} before`);
        for (const attributes of [
            'schedule="interleaved" ranks="4" microbatches="8"',
            'schedule="interleaved" ranks="4" microbatches="8" latency="1"',
            'schedule="bfs" ranks="4" microbatches="8" latency="0.5"',
        ]) {
            await show(box(900, tag(attributes)));
            const seen = await ask(() => {
                // In units of the picture, with what a line is thick.
                const ends = (selector) =>
                    all(`.chart > svg > g:first-child ${selector}`).map((node) => {
                        const { y, height } = node.getBBox();
                        const half = Number.parseFloat(getComputedStyle(node).strokeWidth) / 2;
                        return { top: y - half, bottom: y + height + half, end: y + height, begin: y };
                    });
                const lines = [...ends('.pf-message'), ...ends('.pf-message-bar')];
                return {
                    top: Math.min(...lines.map(({ top }) => top)),
                    bottom: Math.max(...lines.map(({ bottom }) => bottom)),
                    bracket: Math.max(...ends('.pf-phase').map(({ end }) => end)),
                    axis: Math.min(...ends('.pf-axis').map(({ begin }) => begin)),
                };
            });
            assert.ok(seen.top >= seen.bracket, `${attributes}: up to ${seen.top}, bracket to ${seen.bracket}`);
            assert.ok(seen.bottom <= seen.axis, `${attributes}: down to ${seen.bottom}, axis from ${seen.axis}`);
        }
    });

    it('formulas break inside no operand', async () => {
        for (const [attributes, lang] of [
            ['schedule="forward"', 'ru'],
            ['schedule="gpipe"', 'en'],
            ['schedule="interleaved" ranks="4" microbatches="8"', 'ru'],
            ['schedule="naive"', 'en'],
        ]) {
            await show(box(360, tag(attributes)), { lang });
            const loose = await ask(() =>
                all('.formula p, .sentence, .explanation').flatMap(
                    (node) => node.textContent.match(/[\p{L}\d)](?: [+−·=]\s|\s[+−·=] )[\p{L}\d(]/gu) ?? [],
                ),
            );
            assert.deepEqual(loose, [], attributes);
        }
    });
});

/** Boxes of the words of a PDF, in points, sheet by sheet. @param {Buffer} pdf */
const sheets = (pdf) =>
    execFileSync('pdftotext', ['-bbox', '-', '-'], { input: pdf, encoding: 'utf8' })
        .split('<page ')
        .slice(1)
        .map((sheet) =>
            [...sheet.matchAll(/xMin="([\d.]+)"[^>]*xMax="([\d.]+)"[^>]*>([^<]*)</g)].map(([, left, right, word]) => ({
                left: Number(left),
                right: Number(right),
                word,
            })),
        );

// WebKit's driver cannot print, and WebKit knows no medium to be put on by script: what it would print is not seen here.
inEveryBrowser(
    'a guest on paper',
    (guest) => {
        const { show } = guest;
        const page = (/** @type {string} */ body, /** @type {object} */ more) =>
            show(`<h1>Heading</h1><p>Paragraph of the host.</p>${body}`, {
                head: '<style>@page { size: A4; margin: 15mm } body { margin: 0; font: 16px/1.5 sans-serif }</style>',
                ...more,
            });

        for (const attributes of [
            'schedule="1f1b" ranks="4" microbatches="8"',
            'schedule="gpipe" ranks="4" microbatches="5"',
            'schedule="interleaved" ranks="4" microbatches="8" chunks="3"',
            'schedule="forward" ranks="16" microbatches="20"',
        ]) {
            it(`A4 with 15 mm margins: the figure never widens the sheet: ${attributes}`, {
                skip: withoutPoppler,
            }, async () => {
                const size = (/** @type {ReturnType<typeof sheets>} */ [first]) => {
                    const word = first.find(({ word }) => word === 'Paragraph');
                    assert.ok(word, 'the host is printed');
                    return word.right - word.left;
                };
                await page('');
                const alone = size(sheets(await guest.driver.pdf()));
                await page(tag(attributes));
                const together = sheets(await guest.driver.pdf());
                const ratio = size(together) / alone;
                assert.ok(Math.abs(ratio - 1) < 0.01, `the host prints at ${ratio}`);
                for (const [n, sheet] of together.entries()) {
                    assert.ok(sheet.length > 0, `sheet ${n + 1} is empty`);
                    // A margin is 42.5 points; boxes of letters have an edge.
                    const [least, most] = [
                        Math.min(...sheet.map((w) => w.left)),
                        Math.max(...sheet.map((w) => w.right)),
                    ];
                    assert.ok(
                        least >= 42 && most <= 595.3 - 42,
                        `sheet ${n + 1}: words from ${least} to ${most} points`,
                    );
                }
            });
        }
    },
    { only: ['Chromium', 'Firefox'] },
);

// Firefox takes its colours from the reader by a setting. WebKitGTK has no forced colours: its media query never matches.
inEveryBrowser(
    'a guest in forced colours',
    (guest) => {
        const { ask, show, soon } = guest;
        it('no hatch shines through a forward pass, backward has its own, and words stand on the reader’s ground', async () => {
            for (const body of [tag('preset="failure"'), TRAINS, tag('schedule="zb-h1" theme="dark"')]) {
                await show(body);
                await soon(() => matchMedia('(forced-colors: active)').matches);
                const seen = await ask(() => {
                    const fills = (kind) => [
                        ...new Set(all(`.pf-cell.pf-${kind}`).map((cell) => getComputedStyle(cell).fill)),
                    ];
                    const canvas = document.createElement('i');
                    canvas.style.cssText = 'color: CanvasText; background: Canvas; forced-color-adjust: none';
                    document.body.append(canvas);
                    const { color, backgroundColor } = getComputedStyle(canvas);
                    canvas.remove();
                    return {
                        F: fills('F'),
                        marked: [...fills('B'), ...fills('I'), ...fills('W')],
                        ink: getComputedStyle(one('.sentence')).color,
                        system: [color, backgroundColor],
                    };
                });
                assert.ok(seen.F.length > 0 && seen.marked.length > 0);
                for (const fill of seen.F) assert.match(fill, /^rgb\(/, 'a fill of its own');
                for (const fill of seen.marked) assert.match(fill, /url/);
                assert.ok(contrast(seen.ink, seen.system[1]) >= 7, `${seen.ink} on ${seen.system[1]}`);
            }
        });
    },
    { only: ['Chromium', 'Firefox'], prefs: { 'browser.display.document_color_use': 2 }, forced: true },
);

describe('a guest before it lives', { skip: withoutBrowser }, () => {
    /** @type {import('puppeteer-core').Browser} */
    let browser;
    /** @type {Awaited<ReturnType<typeof site>>} */
    let host;
    opening(async (closing) => {
        host = await site({});
        closing(() => host.close());
        browser = await launch();
        closing(() => browser.close());
    });
    const visit = async (
        /** @type {string} */ html,
        /** @type {any} */ { width = 1200, scripts = true, waits = true } = {},
    ) => {
        const page = await browser.newPage();
        await page.setViewport({ width, height: 900 });
        if (!scripts) await page.setJavaScriptEnabled(false);
        host.pages['/page'] = html;
        await page.goto(`${host.url}/page`);
        if (scripts && waits) await page.waitForFunction(() => all('.chart > svg').length > 0);
        return page;
    };

    // The same without a tool that reads a PDF; Chromium alone can be told to show its page as a sheet.
    for (const attributes of [
        'schedule="1f1b" ranks="4" microbatches="8"',
        'schedule="gpipe" ranks="4" microbatches="5"',
        'schedule="interleaved" ranks="4" microbatches="8" chunks="3"',
    ]) {
        it(`on the screen of a sheet nothing sticks out: ${attributes}`, async () => {
            const head = '<style>body { margin: 0 }</style>';
            const page = await visit(hostPage(tag(attributes), { head }), { width: 680 });
            await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
            await page.emulateMediaType('print');
            const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
            assert.ok(wide <= 0, `${wide} px too wide`);
            await page.close();
        });
    }

    it('the picture in the tag fits a phone without the script', async () => {
        const snippet = readmeSnippet().replace(/<script[^>]*><\/script>/, '');
        assert.match(snippet, /<img/);
        const svg = readFileSync(join(root, 'docs/figure.svg'), 'utf8');
        for (const name of ['1f1b.svg', 'docs/figure.svg', 'gpipe.svg'])
            host.pages[`/${name}`] = { type: 'image/svg+xml', body: svg };
        const page = await visit(
            `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>t</title>${snippet}<p id="below">below`,
            { width: 360, scripts: false },
        );
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        assert.ok(wide <= 360, `${wide} px`);
        await page.close();
    });

    for (const width of [1200, 360]) {
        it(`the space that the figure takes is kept before it comes: ${width} px`, async () => {
            const snippet = readmeSnippet();
            const svg = readFileSync(join(root, 'docs/figure.svg'), 'utf8');
            host.pages['/1f1b.svg'] = { type: 'image/svg+xml', body: svg };
            const html = hostPage(`<main>${snippet}</main><p id="below">below</p>`, { lang: 'ru' }).replace(
                /<script src="\/dist[^>]*><\/script>/,
                '',
            );
            host.pages['/pipeline-figure.js'] = {
                type: 'text/javascript',
                body: readFileSync(join(process.env.PP_DIST ?? join(root, 'dist'), 'pipeline-figure.js')),
            };
            const below = () => document.getElementById('below')?.getBoundingClientRect().top ?? 0;
            // What is seen before the script is there: it is told that scripts run, and has none yet.
            const still = await visit(html.replace('pipeline-figure.js', 'late.js'), { width, waits: false });
            const before = await still.evaluate(below);
            await still.close();
            const watch = `<script>window.tops_ = [];
                requestAnimationFrame(function frame() {
                    const below = document.getElementById('below');
                    if (below) tops_.push(Math.round(below.getBoundingClientRect().top));
                    requestAnimationFrame(frame);
                });</script>`;
            const page = await visit(html.replace('<body>', `<body>${watch}`), { width });
            await page.evaluate(() => /** @type {any} */ (document.querySelector('pipeline-figure')).ready);
            const after = await page.evaluate(below);
            // A line more or less of words is nobody's jump.
            assert.ok(Math.abs(after - before) <= 80, `from ${before} to ${after}`);
            const frames = await page.evaluate(() => window.tops_);
            assert.ok(Math.min(...frames) >= before - 80, `on the way at ${frames}`);
            await page.close();
        });
    }
});
