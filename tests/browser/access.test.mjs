// The figure by keyboard, in speech, in both languages and themes, on a phone, in forced colours, on paper.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import { withoutBrowser } from '../support/browser.mjs';
import { becomes, inChromium, quiet, reading, setControl, setOption } from '../support/figure-page.mjs';
import { withoutPoppler, wordsOf } from '../support/optional.mjs';

const IN = 'pipeline-figure >>> ';
const VIEWS = ['play', 'memory', 'curve', 'compare', 'path', 'table', 'train', 'files'];
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

describe('the figure for everyone', { skip: withoutBrowser }, () => {
    const { visit, write } = inChromium();
    const THEME =
        '<style>:root{color-scheme:light dark;background:light-dark(#fff,#14191f);color:light-dark(#1a2230,#e7eaf0)}</style>';
    const openFigure = (/** @type {string} */ attributes, options = {}, page = {}) =>
        visit(write(`<h1>h</h1><pipeline-figure ${attributes}></pipeline-figure>`, { head: THEME, ...page }), options);
    /** Every space is one to a test. */
    const plain = (/** @type {string | null | undefined} */ text) => text?.replace(/\s/g, ' ') ?? null;
    /** Name of the focused thing. */
    const focused = (/** @type {import('puppeteer-core').Page} */ page) =>
        page
            .evaluate(() => {
                const node = document.querySelector('pipeline-figure')?.shadowRoot?.activeElement;
                return node?.getAttribute('aria-label') ?? node?.textContent?.trim() ?? null;
            })
            .then(plain);

    it('MUST-04, POINT-03, POINT-10: keys walk over the cells: one tab stop, arrows, Home and End, Ctrl, PageUp and PageDown, Esc', async () => {
        const { page } = await openFigure('schedule="1f1b" ranks="3" microbatches="4"');
        await page.$eval(`${IN}.place[tabindex="0"]`, (place) => /** @type {SVGElement} */ (place).focus());
        assert.equal(
            await page.$eval('pipeline-figure', (f) => f.shadowRoot?.querySelectorAll('.place[tabindex="0"]').length),
            1,
        );
        const walk = async (/** @type {import('puppeteer-core').KeyInput} */ key, control = false) => {
            if (control) await page.keyboard.down('Control');
            await page.keyboard.press(key);
            if (control) await page.keyboard.up('Control');
            return focused(page);
        };
        assert.equal(await focused(page), 'Прямой проход микробатча 1, стадия 1, устройство 1, с 0 до 1');
        assert.equal(await walk('ArrowRight'), 'Прямой проход микробатча 2, стадия 1, устройство 1, с 1 до 2');
        assert.equal(await walk('ArrowDown'), 'Прямой проход микробатча 1, стадия 2, устройство 2, с 1 до 2');
        assert.equal(await walk('Home'), 'Простой, устройство 2, с 0 до 1');
        assert.match((await reading(page)).explanation ?? '', /Устройство 2 простаивает/);
        assert.equal(await walk('End', true), 'Простой, устройство 3, с 14 до 18');
        assert.equal(await walk('Home', true), 'Прямой проход микробатча 1, стадия 1, устройство 1, с 0 до 1');
        assert.equal(await walk('PageDown'), 'Прямой проход микробатча 2, стадия 1, устройство 1, с 1 до 2');
        assert.equal(await walk('PageUp'), 'Прямой проход микробатча 1, стадия 1, устройство 1, с 0 до 1');
        assert.equal(await walk('End'), 'Обратный проход микробатча 4, стадия 1, устройство 1, с 16 до 18');
        // The selected cell, what it waits for, the way of its micro-batch.
        const overlay = () =>
            page.$eval('pipeline-figure', (f) => f.shadowRoot?.querySelectorAll('.pf-overlay > *').length ?? 0);
        assert.ok((await overlay()) > 5);
        await page.keyboard.press('Enter');
        assert.match((await reading(page)).explanation ?? '', /снять выделение/);
        await page.keyboard.press('Escape');
        assert.equal(await overlay(), 0);
        // Tab leaves the chart at once.
        await page.keyboard.press('Tab');
        assert.equal(await focused(page), 'По тактам');
    });

    it('MUST-04, POINT-03: a pointer shows a cell, also an idle one; a click pins it, a second lets go', async () => {
        const { page } = await openFigure('ranks="3" microbatches="4"');
        const box = await (await page.waitForSelector(`${IN}.chart > svg`, { visible: true }))?.boundingBox();
        assert.ok(box);
        const at = async (/** @type {string} */ name) => {
            const box = await page.$eval(
                'pipeline-figure',
                (f, name) =>
                    [...(f.shadowRoot?.querySelectorAll('.place') ?? [])]
                        .find((place) => place.getAttribute('aria-label')?.replace(/\s/g, ' ').startsWith(name))
                        ?.getBoundingClientRect()
                        .toJSON(),
                name,
            );
            return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
        };
        const cell = await at('Прямой проход микробатча 2, стадия 2');
        await page.mouse.move(cell.x, cell.y);
        assert.match((await reading(page)).explanation ?? '', /^Устройство 2, прямой проход микробатча 2/);
        const idle = await at('Простой, устройство 3, с 0 до 2');
        await page.mouse.move(idle.x, idle.y);
        assert.match((await reading(page)).explanation ?? '', /^Устройство 3 простаивает с 0 до 2/);
        await page.mouse.click(cell.x, cell.y);
        await page.mouse.move(idle.x, idle.y);
        assert.match((await reading(page)).explanation ?? '', /^Устройство 2/, 'pinned');
        await page.mouse.click(cell.x, cell.y);
        await page.mouse.move(5, 5);
        assert.match((await reading(page)).explanation ?? '', /^Нажмите на клетку/);
    });

    it('beyond 600 cells the chart is one picture with a cursor that keys move', async () => {
        const { page } = await openFigure('schedule="1f1b" ranks="8" microbatches="64"');
        assert.equal((await reading(page)).cells, 0);
        await page.focus(`${IN}.cursor`);
        await page.keyboard.press('ArrowRight');
        assert.equal(await focused(page), 'Прямой проход микробатча 2, стадия 1, устройство 1, с 1 до 2');
        assert.match((await reading(page)).explanation ?? '', /^Устройство 1, прямой проход микробатча 2/);
    });

    it('MUST-05, VIE-05: roles and names as the browser tells them', async () => {
        const { page } = await openFigure('ranks="3" microbatches="4"');
        const session = await page.createCDPSession();
        await session.send('Accessibility.enable');
        const { nodes } = await session.send('Accessibility.getFullAXTree');
        const names = (/** @type {string} */ role) =>
            nodes.filter((node) => !node.ignored && node.role?.value === role).map((node) => plain(node.name?.value));
        assert.deepEqual(names('grid'), ['Расписание «Только вперёд»: 3 устройства, 4 микробатча']);
        assert.deepEqual(names('row').slice(0, 3), ['Устройство 1', 'Устройство 2', 'Устройство 3']);
        assert.deepEqual(names('rowheader').slice(0, 3), ['Устройство 1', 'Устройство 2', 'Устройство 3']);
        assert.equal(names('gridcell').length, 16);
        assert.equal(names('gridcell')[0], 'Прямой проход микробатча 1, стадия 1, устройство 1, с 0 до 1');
        assert.deepEqual(names('slider'), ['стадии p', 'микробатчи m']);
        assert.deepEqual(names('spinbutton'), ['стадии p', 'микробатчи m']);
        const texts = await page.$eval('pipeline-figure', (f) =>
            [...(f.shadowRoot?.querySelectorAll('[aria-valuetext]') ?? [])].map((node) =>
                node.getAttribute('aria-valuetext')?.replace(/\s/g, ' '),
            ),
        );
        assert.deepEqual(texts, ['3 стадии', '4 микробатча', '3 стадии', '4 микробатча']);
    });

    it('VIE-04: the status line speaks once, half a second after the value rests', async () => {
        const { page } = await openFigure('ranks="3" microbatches="4"');
        assert.equal((await reading(page)).status, '', 'silent until the reader does something');
        await page.evaluate(() => {
            const line = document.querySelector('pipeline-figure')?.shadowRoot?.querySelector('.announcement');
            /** @type {any} */ (window).spoken = [];
            new MutationObserver(() => /** @type {any} */ (window).spoken.push(line?.textContent)).observe(
                /** @type {Node} */ (line),
                {
                    childList: true,
                    characterData: true,
                    subtree: true,
                },
            );
        });
        for (let p = 4; p <= 8; p++) {
            await setControl(page, '[data-option="ranks"] input', String(p));
        }
        assert.deepEqual(await page.evaluate(() => /** @type {any} */ (window).spoken), [], 'while it moves');
        const heard = () => page.evaluate(() => /** @type {any} */ (window).spoken);
        await becomes(async () => (await heard()).length > 0, 'spoken');
        await quiet(100);
        const spoken = await heard();
        assert.equal(spoken.length, 1);
        assert.match(spoken[0], /11\sтактов/);
    });

    for (const lang of ['ru', 'en']) {
        for (const scheme of ['light', 'dark']) {
            it(`axe finds nothing: ${lang}, ${scheme}`, async () => {
                const { page } = await openFigure(
                    'schedule="interleaved" ranks="4" microbatches="8"',
                    { media: [{ name: 'prefers-color-scheme', value: scheme }] },
                    { lang },
                );
                const check = async (/** @type {string} */ state) => {
                    await page.evaluate(axe);
                    const found = await page.evaluate(async () => {
                        const { violations } = await /** @type {any} */ (window).axe.run(document, {
                            resultTypes: ['violations'],
                        });
                        return violations.map(
                            (/** @type {any} */ v) =>
                                `${v.id}: ${v.nodes.map((/** @type {any} */ n) => n.target.join(' ')).slice(0, 3)}`,
                        );
                    });
                    assert.deepEqual(found, [], state);
                };
                await check('as it opens');
                await page.locator(`${IN}.controls .link`).click();
                for (const view of VIEWS) {
                    await page.locator(`${IN}[data-view="${view}"]`).click();
                    await check(`more…, view ${view}`);
                }
                await setOption(page, 'microbatches', '6');
                await check('refused');
                await page.close();
            });
        }
    }

    it('MUST-07, VIE-12: 320 px wide: the page does not scroll sideways, whatever is open', async () => {
        const viewport = { width: 320, height: 640, isMobile: true, hasTouch: true };
        const { page } = await openFigure('schedule="1f1b" ranks="8" microbatches="16"', { viewport });
        const wide = () => page.evaluate(() => document.documentElement.scrollWidth);
        assert.equal(await wide(), 320, 'as it opens');
        await page.locator(`${IN}.controls .link`).click();
        assert.equal(await wide(), 320, 'more…');
        for (const view of VIEWS) {
            await page.locator(`${IN}[data-view="${view}"]`).click();
            assert.equal(await wide(), 320, `view ${view}`);
        }
        await setControl(page, '[data-option="ranks"] input', '0');
    });

    it('MUST-07, VIE-12: on coarse pointers what is touched is 44 px high', async () => {
        const viewport = { width: 360, height: 740, isMobile: true, hasTouch: true };
        const { page } = await openFigure('schedule="interleaved" ranks="4" microbatches="8"', { viewport });
        await page.locator(`${IN}.controls .link`).click();
        await page.locator(`${IN}[data-view="train"]`).click();
        const small = await page.$eval('pipeline-figure', (f) =>
            [...(f.shadowRoot?.querySelectorAll('button, select, input') ?? [])]
                .map((node) => ({
                    name: node.className || node.tagName,
                    box: (node.closest('.check') ?? node).getBoundingClientRect(),
                }))
                .filter(({ box }) => box.width > 0 && (box.height < 43.5 || box.width < 24))
                .map(({ name, box }) => `${name} ${box.width.toFixed(0)}x${box.height.toFixed(0)}`),
        );
        assert.deepEqual(small, []);
    });

    it('MUST-04, MUST-07, VIE-09: a tap explains, a finger on a slider moves it, a swipe that starts on the chart scrolls the page', async () => {
        const viewport = { width: 360, height: 640, isMobile: true, hasTouch: true };
        const html =
            '<pipeline-figure ranks="3" microbatches="4"></pipeline-figure><p class="tall">.</p><style>.tall{height:2000px}</style>';
        const { page } = await visit(write(html), { viewport });
        const svg = await (await page.waitForSelector(`${IN}.chart > svg`, { visible: true }))?.boundingBox();
        assert.ok(svg);
        const swipe = async (
            /** @type {number} */ x,
            /** @type {number} */ y,
            /** @type {number} */ dx,
            /** @type {number} */ dy,
        ) => {
            const touch = await page.touchscreen.touchStart(x, y);
            for (let i = 1; i <= 10; i++) await touch.move(x + (dx * i) / 10, y + (dy * i) / 10);
            await touch.end();
        };
        await page.touchscreen.tap(svg.x + 60, svg.y + 60);
        const scrolled = () => page.evaluate(() => scrollY);
        await becomes(
            async () => /^Устройство 1, прямой/.test((await reading(page)).explanation ?? ''),
            'a tap explains',
        );
        await swipe(svg.x + 150, svg.y + 60, 0, -200);
        await becomes(async () => (await scrolled()) > 100, 'the page scrolls');
        // A swipe lets the page run on for a while: it is sent back until it stays there.
        const stands = () =>
            page.evaluate(async () => {
                scrollTo(0, 0);
                for (let frame = 0; frame < 3; frame++) await new Promise((drawn) => requestAnimationFrame(drawn));
                return scrollY === 0;
            });
        await becomes(stands, 'and stands again');
        const slider = await (
            await page.waitForSelector(`${IN}[data-option="microbatches"] input`, { visible: true })
        )?.boundingBox();
        assert.ok(slider);
        const before = (await reading(page)).time;
        await swipe(slider.x + 20, slider.y + slider.height / 2, 80, 0);
        await becomes(async () => (await reading(page)).time !== before, 'the slider moves');
    });

    it('MUST-08, VIE-10: forced colours: kinds of cells differ by pattern, text is the text colour of the system', async () => {
        const { page } = await openFigure('schedule="1f1b" ranks="3" microbatches="4"');
        const session = await page.createCDPSession();
        await session.send('Emulation.setEmulatedMedia', { features: [{ name: 'forced-colors', value: 'active' }] });
        const seen = await page.$eval('pipeline-figure', (f) => {
            const style = (/** @type {string} */ selector) =>
                getComputedStyle(/** @type {Element} */ (f.shadowRoot?.querySelector(selector)));
            return {
                forward: style('.pf-F').fill,
                backward: style('.pf-B').fill,
                text: style('.pf-number').fill,
                ink: style('.sentence').color,
            };
        });
        assert.notEqual(seen.forward, seen.backward);
        assert.match(seen.backward, /url/);
        assert.equal(seen.text, seen.ink);
    });

    it('MUST-08: reduced motion: training runs, no cell blinks', async () => {
        const { page } = await openFigure('schedule="gpipe"', {
            media: [{ name: 'prefers-reduced-motion', value: 'reduce' }],
        });
        await page.locator(`${IN}[data-view="train"]`).click();
        await page.evaluate(() => {
            const lamp = document.querySelector('pipeline-figure')?.shadowRoot?.querySelector('.lamp');
            /** @type {any} */ (window).lit = 0;
            new MutationObserver(() => lamp?.getAttribute('d') && /** @type {any} */ (window).lit++).observe(
                /** @type {Node} */ (lamp),
                { attributes: true },
            );
        });
        await page.locator(`${IN}.view .action.primary`).click();
        await page.waitForFunction(
            () =>
                Number(
                    document
                        .querySelector('pipeline-figure')
                        ?.shadowRoot?.querySelector('[data-value="step"]')
                        ?.textContent?.replace(/\s/g, ''),
                ) > 20,
        );
        assert.equal(await page.evaluate(() => /** @type {any} */ (window).lit), 0);
    });

    it('MUST-13, POINT-11, VIE-07: paper: settings in words, table open, nothing to press, also for a figure never scrolled to', async (t) => {
        const html = `<pipeline-figure schedule="1f1b" ranks="4" microbatches="8"></pipeline-figure><div class="gap"></div>
            <pipeline-figure schedule="gpipe" ranks="2" microbatches="3"></pipeline-figure><style>.gap{height:4000px}@media print{.gap{display:none}}</style>`;
        const { page } = await visit(write(html, { head: THEME }), {
            media: [{ name: 'prefers-color-scheme', value: 'dark' }],
        });
        const pdf = await page.pdf({ format: 'A4' });
        if (withoutPoppler) {
            t.skip(withoutPoppler);
        } else {
            const plain = wordsOf(pdf);
            assert.match(plain, /Настройки: 1F1B, 4 устройства, 8 микробатчей/);
            assert.match(plain, /Настройки: GPipe, 2 устройства, 3 микробатча/);
            assert.match(plain, /Устройство 4/);
            assert.match(plain, /B1 4–6/);
            assert.doesNotMatch(plain, /ещё…|Обучить сеть|Нажмите на клетку/);
        }
        assert.equal(
            await page.evaluate(
                () => /** @type {any} */ (document.querySelectorAll('pipeline-figure')[1]).simulation?.summary.makespan,
            ),
            12,
        );
    });
});
