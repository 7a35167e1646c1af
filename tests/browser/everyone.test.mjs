// What axe does not see: contrast inside the pictures, targets, the order of Tab, reflow, forced colours, motion, paper,
// gestures that break off, and that every word comes from the string tables.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { withoutBrowser } from '../support/browser.mjs';
import { colouredThings, contrast, tooFaint } from '../support/contrast.mjs';
import { inChromium, quiet, reading, setControl } from '../support/figure-page.mjs';
import { withoutPoppler } from '../support/optional.mjs';

const IN = 'pipeline-figure >>> ';
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const THEME =
    '<style>:root{color-scheme:light dark;background:light-dark(#fff,#14191f);color:light-dark(#1a2230,#e7eaf0)}body{margin:8px}</style>';

/** @typedef {import('puppeteer-core').Page} Page */

/** Names of the views that can be opened. @param {Page} page @returns {Promise<string[]>} */
const viewsOf = (page) =>
    page.$eval('pipeline-figure', (f) =>
        [...(f.shadowRoot?.querySelectorAll('[data-view]') ?? [])].map((button) =>
            String(button.getAttribute('data-view')),
        ),
    );

/** Two frames, in which lit has drawn and boxes have been told of their size. @param {Page} page */
const rested = (page) =>
    page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true)))));

/** @param {Page} page @param {string} selector */
async function press(page, selector) {
    await page.$eval(`${IN}${selector}`, (node) => /** @type {HTMLElement} */ (node).click());
    await rested(page);
}

/**
 * Everything there is to open, one after the other: «more…», what can be taken hold of, then each view.
 * @param {Page} page @param {(state: string) => Promise<void>} look
 */
async function openAll(page, look) {
    await look('as it opens');
    await press(page, '.controls button[aria-expanded]');
    await press(page, '[data-edit="open"]');
    const parts = await page.$eval('pipeline-figure', (f) =>
        [...(f.shadowRoot?.querySelectorAll('[data-part]') ?? [])].map((button) => button.getAttribute('data-part')),
    );
    for (const part of parts) {
        await press(page, `[data-part="${part}"]`);
        await look(`more… and edit ${part}`);
    }
    await press(page, '[data-edit="open"]');
    for (const view of await viewsOf(page)) {
        await press(page, `[data-view="${view}"]`);
        await look(`more… and ${view}`);
    }
}

describe('what axe does not see', { skip: withoutBrowser }, () => {
    const { visit, write } = inChromium();
    const openFigure = (/** @type {string} */ attributes, options = {}, page = {}) =>
        visit(write(`<h1>h</h1><pipeline-figure ${attributes}></pipeline-figure>`, { head: THEME, ...page }), options);
    const media = (/** @type {string} */ name, /** @type {string} */ value) => ({ media: [{ name, value }] });

    it('the measure of contrast itself', () => {
        assert.equal(contrast('rgb(0, 0, 0)', 'rgb(255, 255, 255)'), 21);
        assert.equal(contrast('color(srgb 0 0 0)', 'rgb(255, 255, 255)'), 21);
        assert.equal(contrast('none', 'rgb(255, 255, 255)'), 1);
        const faint = { what: 'x', ink: 'rgb(150, 150, 150)', ground: 'rgb(255, 255, 255)' };
        assert.equal(tooFaint([{ kind: 'text', ...faint }]).length, 1);
        assert.equal(tooFaint([{ kind: 'edge', ...faint, ink: 'none|rgb(0, 0, 0)' }]).length, 0);
    });

    it('and on a page whose author has chosen pale colours', async () => {
        const pale =
            '<style>pipeline-figure{--pipeline-quiet:#aab;--pipeline-forward:#eef;--pipeline-forward-edge:#eef}</style>';
        const { page } = await openFigure('', {}, { head: THEME + pale });
        const found = tooFaint(await page.evaluate(colouredThings)).join('\n');
        assert.match(found, /pf-tick/);
        assert.match(found, /pf-F/);
        assert.match(found, /pf-number/);
    });

    for (const lang of ['ru', 'en']) {
        for (const scheme of ['light', 'dark']) {
            it(`MUST-08, POINT-10: contrast in the pictures, 4.5 for words, 3 for cells: ${lang}, ${scheme}`, async () => {
                for (const attributes of [
                    'schedule="gpipe" recompute="late" latency="0.5"',
                    'schedule="v-half" ranks="4" microbatches="6"',
                ]) {
                    const { page } = await openFigure(attributes, media('prefers-color-scheme', scheme), { lang });
                    const look = async (/** @type {string} */ state) => {
                        const things = await page.evaluate(colouredThings);
                        assert.ok(things.filter(({ kind }) => kind === 'text').length > 20, state);
                        assert.ok(things.filter(({ kind }) => kind === 'edge').length >= 4, state);
                        assert.deepEqual(tooFaint(things), [], `${attributes}, ${state}`);
                    };
                    await look('as it opens');
                    for (const view of ['memory', 'curve', 'compare']) {
                        await press(page, `[data-view="${view}"]`);
                        await look(view);
                    }
                    await press(page, '[aria-controls="edit"]');
                    for (const part of ['layers', 'samples', 'costs']) {
                        await press(page, `[data-part="${part}"]`);
                        const handles = (await page.evaluate(colouredThings)).filter(({ what }) => what === 'handle');
                        assert.ok(handles.length > 0, part);
                        await look(part);
                    }
                    await page.close();
                }
            });
        }
    }

    it('MUST-05, POINT-10: targets are at least 24 px, by mouse, with whatever is open', async () => {
        const { page } = await openFigure('preset="gpipe" figure-id="t" challenge="bubble<10%"');
        await openAll(page, async (state) => {
            const small = await page.$eval('pipeline-figure', (f) =>
                [
                    ...(f.shadowRoot?.querySelectorAll(
                        'button, select, input, textarea, a, [role="slider"], [role="separator"]',
                    ) ?? []),
                ]
                    .map((node) => ({
                        name: `${node.tagName} ${node.className} ${node.textContent?.trim().slice(0, 20)}`,
                        box: (node.closest('label, .check, .scrub') ?? node).getBoundingClientRect(),
                    }))
                    .filter(({ box }) => box.width > 0 && (box.height < 23.5 || box.width < 23.5))
                    .map(({ name, box }) => `${name}: ${box.width.toFixed(0)} x ${box.height.toFixed(0)}`),
            );
            assert.deepEqual(small, [], state);
        });
    });

    it('MUST-05, POINT-10: Tab goes from top to bottom, stops once at the chart, and shows where it is', async () => {
        const { page } = await openFigure('schedule="1f1b" ranks="3" microbatches="4"');
        await press(page, '.controls button[aria-expanded]');
        await page.evaluate(() => /** @type {HTMLElement} */ (document.activeElement)?.blur());
        const stops = [];
        for (let i = 0; i < 60; i++) {
            await page.keyboard.press('Tab');
            const stop = await page.evaluate(() => {
                const node = document.querySelector('pipeline-figure')?.shadowRoot?.activeElement;
                if (!node) return null;
                const { outlineStyle, outlineWidth, stroke, boxShadow } = getComputedStyle(node);
                const box = node.getBoundingClientRect();
                return {
                    name: node.getAttribute('aria-label') ?? node.textContent?.trim() ?? '',
                    chart: node.closest('.chart') !== null,
                    top: box.top + scrollY,
                    left: box.left,
                    order: node.tabIndex,
                    ring:
                        (outlineStyle !== 'none' && outlineWidth !== '0px') ||
                        (stroke !== 'none' && stroke !== '') ||
                        boxShadow !== 'none',
                };
            });
            if (!stop) break;
            stops.push(stop);
        }
        assert.ok(stops.length > 15 && stops.length < 60, `${stops.length} stops`);
        assert.deepEqual(
            stops.filter(({ ring }) => !ring),
            [],
            'each shows its focus',
        );
        assert.deepEqual(
            stops.filter(({ order }) => order > 0),
            [],
            'no order of its own',
        );
        assert.deepEqual(
            stops.filter(({ chart }) => chart).map(({ name }) => name.replace(/\s/g, ' ')),
            ['Прямой проход микробатча 1, стадия 1, устройство 1, с 0 до 1'],
            'one stop in the chart',
        );
        // Down, or along a line from left to right; lines are up to 30 px high.
        for (let i = 1; i < stops.length; i++) {
            const [a, b] = [stops[i - 1], stops[i]];
            assert.ok(
                b.top > a.top - 30 && (b.top > a.top + 8 || b.left >= a.left - 1 || b.top > a.top),
                `${a.name} -> ${b.name}`,
            );
        }
        // Backwards the same way.
        await page.keyboard.down('Shift');
        await page.keyboard.press('Tab');
        await page.keyboard.press('Tab');
        await page.keyboard.up('Shift');
        const back = await page.evaluate(() => {
            const node = document.querySelector('pipeline-figure')?.shadowRoot?.activeElement;
            return node?.getAttribute('aria-label') ?? node?.textContent?.trim();
        });
        assert.ok(
            stops.slice(-3).some(({ name }) => name === back),
            String(back),
        );
    });

    for (const [what, viewport] of /** @type {[string, import('puppeteer-core').Viewport][]} */ ([
        ['320 px', { width: 320, height: 568, isMobile: true, hasTouch: true }],
        ['1280 px at 400 %', { width: 320, height: 256, deviceScaleFactor: 4 }],
    ])) {
        it(`MUST-07, POINT-10, VIE-12: reflow at ${what}: nothing is cut off and the page does not scroll sideways`, async () => {
            const { page } = await openFigure(
                'preset="gpipe" challenge="bubble<10% memory<=4" ranks="8" microbatches="16"',
                { viewport },
            );
            await openAll(page, async (state) => {
                assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320, state);
                const cut = await page.$eval('pipeline-figure', (f) =>
                    [...(f.shadowRoot?.querySelectorAll('p, button, label, dd, li, td, summary') ?? [])]
                        .filter((node) => !node.closest('.scroller, .unseen') && node.getBoundingClientRect().width > 0)
                        .filter(
                            (node) =>
                                node.getBoundingClientRect().right > 320.5 || node.scrollWidth > node.clientWidth + 2,
                        )
                        .filter((node) => getComputedStyle(node).display !== 'inline')
                        .map((node) => `${node.tagName}.${node.className} ${node.textContent?.trim().slice(0, 40)}`),
                );
                assert.deepEqual(cut, [], state);
            });
            await page.close();
        });
    }

    it('VIE-12: on a phone labels drop out by size, targets are 44 px, sideways the chart scrolls in its box', async () => {
        for (const width of [320, 360]) {
            const viewport = { width, height: 740, isMobile: true, hasTouch: true };
            const { page } = await openFigure('schedule="1f1b" ranks="8" microbatches="16"', { viewport });
            const seen = await page.$eval('pipeline-figure', (f) => {
                const chart = /** @type {HTMLElement} */ (f.shadowRoot?.querySelector('.chart'));
                const texts = [...chart.querySelectorAll('.pf-number')].map((text) =>
                    /** @type {SVGTextElement} */ (text).getBBox(),
                );
                const low = [...(f.shadowRoot?.querySelectorAll('button, select, input') ?? [])]
                    .map((node) => node.getBoundingClientRect())
                    .filter((box) => box.width > 0 && box.height < 43.5).length;
                const cells = [...chart.querySelectorAll('.place')].map(
                    (place) => /** @type {SVGGraphicsElement} */ (place).getBBox().width,
                );
                const [least, most] = [Math.min(...texts.map((box) => box.width)), Math.max(...cells)];
                return { page: document.documentElement.scrollWidth, texts: texts.length, least, most, low };
            });
            assert.equal(seen.page, width);
            assert.equal(seen.low, 0);
            assert.ok(seen.texts === 0 || seen.least < seen.most, 'no label wider than the cells');
            await page.close();
        }
    });

    it('MUST-08, VIE-10: forced colours: kinds differ by pattern, letter and edge, the focus is seen', async () => {
        const { page } = await openFigure('schedule="gpipe" recompute="late" ranks="3" microbatches="4"');
        const session = await page.createCDPSession();
        await session.send('Emulation.setEmulatedMedia', { features: [{ name: 'forced-colors', value: 'active' }] });
        const kinds = await page.$eval('pipeline-figure', (f) => {
            const look = (/** @type {string} */ selector) => {
                const node = f.shadowRoot?.querySelector(selector);
                if (!node) return null;
                const { fill, stroke, strokeWidth } = getComputedStyle(node);
                const id = /url\("?#([^")]+)/.exec(fill)?.[1];
                const pattern = id && f.shadowRoot?.querySelector(`[id="${id}"]`)?.innerHTML.replace(/id="[^"]*"/g, '');
                return { fill: pattern ?? fill, stroke, width: strokeWidth };
            };
            return ['.pf-F', '.pf-B', '.pf-R', '.pf-idle'].map(look);
        });
        assert.ok(kinds.every(Boolean), JSON.stringify(kinds));
        assert.equal(new Set(kinds.map((kind) => kind?.fill)).size, 4, `fills differ: ${JSON.stringify(kinds)}`);
        for (const kind of kinds.slice(0, 3)) assert.ok(kind?.stroke !== 'none' && kind?.width !== '0px', 'an edge');
        const arrows = await page.$$eval(`${IN}select`, (all) => all.map((node) => getComputedStyle(node).appearance));
        assert.deepEqual([...new Set(arrows)], ['auto'], 'a choice is seen to be one');
        const systemInk = await page.evaluate(() => {
            const probe = document.body.appendChild(document.createElement('i'));
            probe.style.color = 'CanvasText';
            return getComputedStyle(probe).color;
        });
        const things = await page.evaluate(colouredThings);
        const odd = things.filter(({ kind, ink }) => kind === 'text' && ink !== systemInk);
        assert.deepEqual(odd, [], 'words are the text of the system');
        await page.$eval(`${IN}.place[tabindex="0"]`, (place) => /** @type {SVGElement} */ (place).focus());
        await page.keyboard.press('ArrowRight');
        const ring = await page.$eval('pipeline-figure', (f) => {
            const node = /** @type {Element} */ (f.shadowRoot?.activeElement);
            const { stroke, outlineStyle } = getComputedStyle(node);
            return { stroke, outlineStyle };
        });
        assert.ok(ring.stroke !== 'none' || ring.outlineStyle !== 'none', JSON.stringify(ring));
    });

    it('MUST-08, POINT-10: reduced motion: nothing moves by itself, whatever is pressed', async () => {
        const { page } = await openFigure('preset="gpipe"', media('prefers-reduced-motion', 'reduce'));
        const moving = () =>
            page.evaluate(
                () =>
                    document.getAnimations({ subtree: true }).length +
                    /** @type {any} */ (document.querySelector('pipeline-figure')).shadowRoot.getAnimations().length,
            );
        await openAll(page, async (state) => assert.equal(await moving(), 0, state));
        await setControl(page, '[data-option="microbatches"] input', '5');
        assert.equal(await moving(), 0, 'after a slider');
        await press(page, '[data-view="play"]');
        assert.equal(await page.$(`${IN}[data-play="play_start"]`), null, 'nothing to play, only steps');
        await press(page, '[data-play="play_forward"]');
        const before = (await reading(page)).explanation;
        await quiet(400);
        assert.equal((await reading(page)).explanation, before);
    });

    it('VIE-04: while the time plays nothing is announced, and a slider says its value once', async () => {
        const { page } = await openFigure('schedule="gpipe" ranks="3" microbatches="4"');
        await page.evaluate(() => {
            const spoken = /** @type {string[]} */ ([]);
            Object.assign(window, { spoken });
            const root = document.querySelector('pipeline-figure')?.shadowRoot;
            for (const live of root?.querySelectorAll('[role="status"], [role="alert"], [aria-live], output') ?? [])
                new MutationObserver(() => spoken.push(live.textContent ?? '')).observe(live, {
                    childList: true,
                    characterData: true,
                    subtree: true,
                });
        });
        await press(page, '[data-view="play"]');
        await press(page, '[data-play="play_start"]');
        await quiet(900);
        assert.deepEqual(await page.evaluate(() => /** @type {any} */ (window).spoken), []);
        // The slider speaks for itself: nothing around it is live.
        const live = await page.$eval(`${IN}[data-option="microbatches"] input`, (input) =>
            Boolean(input.closest('[aria-live], [role="status"], output')),
        );
        assert.equal(live, false);
    });

    it('VIE-05, MUST-05: the picture has a role and a name; controls are outside of it and can be reached', async () => {
        for (const attributes of ['ranks="3" microbatches="4"', 'schedule="1f1b" ranks="8" microbatches="64"']) {
            const { page } = await openFigure(attributes);
            await openAll(page, async (state) => {
                const hidden = await page.$eval('pipeline-figure', (f) =>
                    [...(f.shadowRoot?.querySelectorAll('button, input, select, textarea, a') ?? [])]
                        .filter((node) => node.closest('[role="img"], [aria-hidden="true"], [role="grid"]'))
                        .map((node) => node.outerHTML.slice(0, 80)),
                );
                assert.deepEqual(hidden, [], state);
                const nameless = await page.$eval('pipeline-figure', (f) =>
                    [...(f.shadowRoot?.querySelectorAll('[role="img"], [role="grid"], [role="slider"]') ?? [])]
                        .filter((node) => !node.getAttribute('aria-label')?.trim())
                        .map((node) => node.outerHTML.slice(0, 80)),
                );
                assert.deepEqual(nameless, [], state);
            });
            await page.close();
        }
    });

    it('VIE-09: a gesture that breaks off leaves a legal state', async () => {
        const { page } = await openFigure('ranks="3" microbatches="4"');
        await press(page, '[data-view="curve"]');
        const after = await page.evaluate(async () => {
            const figure = /** @type {any} */ (document.querySelector('pipeline-figure'));
            const root = figure.shadowRoot;
            for (const target of [
                root.querySelector('svg.sweep'),
                root.querySelector('.scrub input'),
                root.querySelector('.chart > svg'),
            ]) {
                const { left, top, width, height } = target.getBoundingClientRect();
                const send = (/** @type {string} */ type, /** @type {number} */ part) => {
                    try {
                        target.dispatchEvent(
                            new PointerEvent(type, {
                                bubbles: true,
                                composed: true,
                                pointerId: 1,
                                pointerType: 'touch',
                                isPrimary: true,
                                buttons: 1,
                                clientX: left + width * part,
                                clientY: top + height / 2,
                            }),
                        );
                    } catch {} // a pointer that is not there cannot be captured
                };
                send('pointerdown', 0.3);
                send('pointermove', 0.5);
                send('pointercancel', 0.5);
                await figure.updateComplete;
                const rested = figure.microbatches;
                send('pointermove', 0.9);
                await figure.updateComplete;
                if (figure.microbatches !== rested)
                    return `moves on after it broke off: ${target.outerHTML.slice(0, 60)}`;
            }
            return { makespan: figure.simulation?.summary.makespan, error: figure.error };
        });
        assert.equal(typeof after, 'object', String(after));
        assert.ok(/** @type {any} */ (after).makespan > 0);
        assert.equal(/** @type {any} */ (after).error, null);
    });

    const paper = 'paper from a dark page, without background graphics: white ground, cells in colour';
    it(`MUST-13, POINT-11, VIE-07: ${paper}`, { skip: withoutPoppler }, async () => {
        const { page } = await openFigure(
            'schedule="1f1b" ranks="4" microbatches="8"',
            media('prefers-color-scheme', 'dark'),
        );
        const place = mkdtempSync(join(tmpdir(), 'pipeline-figure-'));
        try {
            writeFileSync(join(place, 'a.pdf'), await page.pdf({ format: 'A4', printBackground: false }));
            execFileSync('pdftoppm', ['-r', '50', '-f', '1', '-l', '1', join(place, 'a.pdf'), join(place, 'a')]);
            const file = readdirSync(place).find((name) => name.endsWith('.ppm'));
            const ppm = readFileSync(join(place, String(file)));
            const [, width, height] = /** @type {RegExpExecArray} */ (
                /^P6\s+(\d+)\s+(\d+)\s+255\s/.exec(ppm.toString('latin1', 0, 40))
            ).map(Number);
            const pixels = ppm.subarray(ppm.length - 3 * width * height);
            let [white, blue, amber, dark] = [0, 0, 0, 0];
            for (let i = 0; i < pixels.length; i += 3) {
                const [r, g, b] = pixels.subarray(i, i + 3);
                if (r > 240 && g > 240 && b > 240) white++;
                else if (b > 140 && r < 80) blue++;
                else if (r > 200 && g > 130 && b < 140) amber++;
                else if (r + g + b < 120) dark++;
            }
            const all = width * height;
            assert.ok(white > 0.6 * all, `paper stays white: ${white / all}`);
            assert.ok(
                blue > 0.003 * all && amber > 0.006 * all,
                `cells have their colours: ${blue / all}, ${amber / all}`,
            );
            assert.ok(dark < 0.1 * all, `no dark ground: ${dark / all}`);
            const right = [...Array(height).keys()].some((y) => pixels[3 * (y * width + width - 2)] < 200);
            assert.equal(right, false, 'nothing runs off the sheet');
        } finally {
            rmSync(place, { recursive: true, force: true });
        }
    });

    for (const [lang, scheme] of [
        ['ru', 'dark'],
        ['en', 'light'],
    ]) {
        it(`MUST-05, POINT-10: axe finds nothing in the chapter and the gallery, and leaves undecided only what is looked at here: ${lang}, ${scheme}`, async () => {
            for (const name of ['index', 'gallery']) {
                const url = new URL(`../../dist/${name}${lang === 'en' ? '.en' : ''}.html`, import.meta.url).href;
                const { page } = await visit(url, media('prefers-color-scheme', scheme));
                await page.evaluate(async () => {
                    for (const figure of document.querySelectorAll('pipeline-figure')) {
                        figure.scrollIntoView();
                        await /** @type {any} */ (figure).ready;
                    }
                });
                const told = (/** @type {any[]} */ list) =>
                    list.map(
                        ({ id, nodes }) =>
                            `${id}: ${nodes.map((/** @type {any} */ n) => n.target.join(' ')).slice(0, 3)}`,
                    );
                if (name === 'index') {
                    await press(page, '[data-edit="open"]');
                    for (const part of ['layers', 'samples', 'costs', 'order', 'file']) {
                        if (!(await page.$(`${IN}[data-part="${part}"]`))) continue;
                        await press(page, `[data-part="${part}"]`);
                        await page.evaluate(axe);
                        const { violations } = await page.evaluate(() =>
                            /** @type {any} */ (window).axe.run('pipeline-figure', { resultTypes: ['violations'] }),
                        );
                        assert.deepEqual(told(violations), [], part);
                    }
                    await press(page, '[data-edit="open"]');
                    for (const step of ['failure', 'batch']) {
                        await press(page, `[data-preset="${step}"]`);
                        await page.evaluate(axe);
                        const { violations } = await page.evaluate(() =>
                            /** @type {any} */ (window).axe.run('pipeline-figure', { resultTypes: ['violations'] }),
                        );
                        assert.deepEqual(violations, [], step);
                    }
                }
                await page.evaluate(axe);
                const { violations, incomplete } = await page.evaluate(() =>
                    /** @type {any} */ (window).axe.run(document, { resultTypes: ['violations', 'incomplete'] }),
                );
                assert.deepEqual(told(violations), [], name);
                // Contrast inside SVG and over pictures is measured above.
                assert.deepEqual(told(incomplete.filter(({ id }) => id !== 'color-contrast')), [], name);
                await page.close();
            }
        });
    }
});
