// What explains the chart, in a page: steps of the chapter, running time, memory, curve, comparison, critical path,
// challenges, the state in the address.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutBrowser } from '../support/browser.mjs';
import { becomes, inChromium, quiet, reading, setControl, settled } from '../support/figure-page.mjs';

const IN = 'pipeline-figure >>> ';
const REST = 700;

describe('what explains the chart', { skip: withoutBrowser }, () => {
    const { visit, write } = inChromium();
    /** Collects what the figure tells its page. */
    const listen = () => {
        /** @type {any} */ (window).told = [];
        for (const name of ['change', 'answer', 'error']) {
            addEventListener(`pipeline-${name}`, (event) =>
                /** @type {any} */ (window).told.push({ name, .../** @type {CustomEvent} */ (event).detail }),
            );
        }
    };
    const openFigure = (/** @type {string} */ attributes, options = {}, hash = '') =>
        visit(write(`<pipeline-figure ${attributes}></pipeline-figure>`) + hash, {
            before: listen,
            ...options,
        });
    const told = (/** @type {import('puppeteer-core').Page} */ page) =>
        page.evaluate(() => /** @type {any} */ (window).told);
    const attribute = (/** @type {import('puppeteer-core').Page} */ page, /** @type {string} */ name) =>
        page.$eval('pipeline-figure', (f, name) => f.getAttribute(name), name);
    const text = (/** @type {import('puppeteer-core').Page} */ page, /** @type {string} */ selector) =>
        page.$eval(`${IN}${selector}`, (node) => node.textContent?.replace(/\s+/g, ' ').trim() ?? '');
    const view = (/** @type {import('puppeteer-core').Page} */ page, /** @type {string} */ name) =>
        page.locator(`${IN}[data-view="${name}"]`).click();
    const press = (/** @type {import('puppeteer-core').Page} */ page, /** @type {string} */ name) =>
        page.locator(`${IN}[data-play="${name}"]`).click();
    const present = (/** @type {import('puppeteer-core').Page} */ page) =>
        page.$eval('pipeline-figure', (f) =>
            [...(f.shadowRoot?.querySelectorAll('.preset[aria-current]') ?? [])].map(
                (node) => /** @type {HTMLElement} */ (node).dataset.preset,
            ),
        );

    it('MUST-11, POINT-08: steps of the chapter: one click each, the present one is marked, arrow keys walk', async () => {
        const { page, complaints } = await openFigure('preset="forward"');
        assert.equal((await reading(page)).time, '6 тактов');
        assert.deepEqual(await present(page), ['forward']);
        const times = {
            uneven: '10',
            gpipe: '33',
            recompute: '44',
            '1f1b': '33',
            interleaved: '28,5',
            'zero-bubble': '27',
        };
        for (const [name, time] of Object.entries(times)) {
            await page.locator(`${IN}[data-preset="${name}"]`).click();
            assert.equal((await reading(page)).time?.split(' ')[0], time, name);
            assert.deepEqual(await present(page), [name]);
            assert.equal(await attribute(page, 'preset'), name);
        }
        // A number changed by hand is no step any more; the row stays.
        await setControl(page, '[data-option="microbatches"] input', '9');
        assert.deepEqual(await present(page), []);
        assert.equal(await attribute(page, 'preset'), '');
        // One tab stop; arrows, Home, End; Enter takes the step.
        await page.focus(`${IN}[data-preset="forward"]`);
        await page.keyboard.press('End');
        await page.keyboard.press('ArrowRight');
        await page.keyboard.press('ArrowRight');
        await page.keyboard.press('Enter');
        assert.deepEqual(await present(page), ['uneven']);
        assert.equal(await attribute(page, 'forward'), '1 2 1');
        const stops = await page.$eval(
            'pipeline-figure',
            (f) => f.shadowRoot?.querySelectorAll('.preset[tabindex="0"]').length,
        );
        assert.equal(stops, 1);
        // The page names a step later.
        await page.$eval('pipeline-figure', (f) => f.setAttribute('preset', 'slow-network'));
        await page.waitForFunction(() => document.querySelector('pipeline-figure')?.getAttribute('latency') === '1');
        assert.equal(await attribute(page, 'forward'), null);
        assert.deepEqual(complaints, []);
    });

    it('attributes beside a preset win; a figure without the attribute has no steps', async () => {
        const { page } = await openFigure('preset="1f1b" microbatches="12"');
        assert.equal(await attribute(page, 'schedule'), '1f1b');
        assert.equal((await reading(page)).time, '45 тактов');
        await page.close();
        const plain = await openFigure('schedule="1f1b"');
        assert.equal(await plain.page.$(`${IN}.presets`), null);
        await plain.page.close();
    });

    it('MUST-12, POINT-06: comparison: a second schedule on the same axis, the difference in words', async () => {
        const { page, complaints } = await openFigure('preset="compare"');
        assert.deepEqual(await present(page), ['compare']);
        assert.match(
            await text(page, '.compare-words'),
            /^Время одинаково: 33 такта\. Доля пузыря у обоих — 3\/11\. .*«1F1B» — 4, «GPipe» — 8/,
        );
        // Memory under each, on one scale: 1F1B stays at the half of GPipe's height.
        const heldHeights = () =>
            page.$eval('pipeline-figure', (f) =>
                ['own', 'other'].map((which) => {
                    const root = /** @type {ShadowRoot} */ (f.shadowRoot);
                    const held = root.querySelector(`[data-held="${which}"] .held`);
                    return /** @type {SVGPathElement} */ (held).getBBox().height;
                }),
            );
        const heights = await heldHeights();
        assert.ok(Math.abs(heights[1] / heights[0] - 2) < 0.02, String(heights));
        // A micro-batch that is pointed at is followed in both charts: four stages, forward and back.
        const followed = () =>
            page.$eval('pipeline-figure', (f) =>
                ['.chart', '[data-plot="compare"]'].map(
                    (box) => f.shadowRoot?.querySelectorAll(`${box} .pf-followed`).length,
                ),
            );
        assert.deepEqual(await followed(), [0, 0]);
        await page.$eval(`${IN}.place[tabindex="0"]`, (place) => /** @type {SVGElement} */ (place).focus());
        await becomes(async () => String(await followed()) === '8,8', 'the micro-batch in both');
        await page.keyboard.press('Escape');
        await becomes(async () => String(await followed()) === '0,0', 'and in none');
        await page.select(`${IN}#explain select`, 'interleaved');
        await becomes(
            async () => /28,5/.test((await text(page, '.compare-words')) ?? ''),
            'the second schedule is another',
        );
        // Interleaving holds 11 activations of half the size, where 1F1B holds 4.
        const [ones, halves] = await heldHeights();
        assert.ok(Math.abs(halves / ones - 11 / 2 / 4) < 0.06, `${halves} / ${ones}`);
        const ends = await page.$eval('pipeline-figure', (f) =>
            ['.chart > svg', '.beside > svg'].map(
                (selector) => f.shadowRoot?.querySelector(selector)?.getBoundingClientRect().width,
            ),
        );
        assert.ok(Math.abs(Number(ends[0]) - Number(ends[1])) < 8, String(ends));
        await view(page, 'compare');
        assert.equal(await page.$(`${IN}.beside`), null);
        assert.deepEqual(await present(page), ['1f1b']);
        assert.deepEqual(complaints, []);
    });

    it('an idle cell of 1F1B: the next micro-batch could begin there, at the price of one more activation, and a button does it', async () => {
        const { page, complaints } = await openFigure('preset="1f1b"');
        await page.$eval(`${IN}.place[tabindex="0"]`, (place) => /** @type {SVGElement} */ (place).focus());
        await page.keyboard.press('ArrowRight');
        await page.keyboard.press('ArrowRight');
        await page.keyboard.press('ArrowRight');
        await page.keyboard.press('ArrowRight');
        await page.keyboard.press('Enter');
        assert.match(
            (await reading(page)).explanation ?? '',
            /простаивает с 4 до 10.*Здесь уместился бы прямой проход микробатча 5: его вход уже есть\. Но тогда устройство хранило бы 5 активаций вместо 4\. начать здесь/,
        );
        await page.locator(`${IN}[data-early]`).click();
        await becomes(async () => (await attribute(page, 'moves')) === '0F4-1', 'the order is changed');
        const { time, fourth } = await reading(page);
        assert.equal(time, '33 такта');
        assert.match(fourth ?? '', /5 · 3 · 2 · 1/);
        // GPipe leaves no forward pass for later.
        await page.locator(`${IN}[data-preset="gpipe"]`).click();
        await page.$eval(`${IN}.place[tabindex="0"]`, (place) => /** @type {SVGElement} */ (place).focus());
        await page.keyboard.press('Home');
        for (let cell = 0; cell < 8; cell++) await page.keyboard.press('ArrowRight');
        assert.match((await reading(page)).explanation ?? '', /простаивает/);
        assert.doesNotMatch((await reading(page)).explanation ?? '', /уместился/);
        assert.deepEqual(complaints, []);
    });

    it('MUST-12, POINT-02, POINT-04: time: stepped, scrubbed, played and paused; the cells to come are veiled', async () => {
        const { page } = await openFigure('preset="1f1b"');
        await view(page, 'play');
        await press(page, 'play_forward');
        await press(page, 'play_forward');
        assert.equal(
            await text(page, '.clock-words'),
            'Время 2: занято устройств 3 из 4. Активаций на устройствах: 3 · 2 · 1 · 0.',
        );
        await press(page, 'play_back');
        assert.match(await text(page, '.clock-words'), /^Время 1:/);
        await page.$eval(`${IN}.clock input`, (input) => /** @type {HTMLElement} */ (input).focus());
        await page.keyboard.press('End');
        assert.match(await text(page, '.clock-words'), /^Время 33: занято устройств 0 из 4/);
        const begun = await text(page, '.clock-words');
        await press(page, 'play_start');
        await becomes(async () => (await text(page, '.clock-words')) !== begun, 'it plays');
        await press(page, 'play_pause');
        await settled(page);
        const paused = await text(page, '.clock-words');
        assert.match(paused, /^Время [0-9]/);
        await quiet(200);
        assert.equal(await text(page, '.clock-words'), paused, 'paused');
        assert.ok(await page.$(`${IN}.time`));
        await view(page, 'play');
        assert.equal(await page.$(`${IN}.time`), null);
    });

    it('the space bar plays only where the chart has the focus', async () => {
        const { page } = await openFigure('preset="1f1b"');
        await page.keyboard.press('Space');
        assert.equal(await page.$(`${IN}.clock`), null);
        await page.$eval(`${IN}.place[tabindex="0"]`, (place) => /** @type {SVGElement} */ (place).focus());
        await page.keyboard.press('Space');
        await page.waitForSelector(`${IN}[data-play="play_pause"]`, { visible: true });
        await settled(page);
        await page.keyboard.press('Space');
        await page.waitForSelector(`${IN}[data-play="play_start"]`, { visible: true });
        // Another setting: the time begins anew, and does not run by itself.
        await setControl(page, '[data-option="microbatches"] input', '9');
        assert.match(await text(page, '.clock-words'), /^Время 0:/);
        assert.equal(await page.$eval(`${IN}.clock input`, (input) => input.getAttribute('max')), '36');
    });

    it('MUST-08, POINT-04: reduced motion: nothing plays, the space bar steps', async () => {
        const { page } = await openFigure('preset="1f1b"', {
            media: [{ name: 'prefers-reduced-motion', value: 'reduce' }],
        });
        await page.$eval(`${IN}.place[tabindex="0"]`, (place) => /** @type {SVGElement} */ (place).focus());
        await page.keyboard.press('Space');
        assert.equal(await page.$(`${IN}[data-play="play_start"]`), null);
        await settled(page);
        assert.match(await text(page, '.clock-words'), /^Время 1:/);
    });

    it('POINT-05: memory shares the time axis; forward only has none', async () => {
        const { page } = await openFigure('preset="1f1b"');
        await view(page, 'memory');
        const peaks = await page.$$eval(`${IN}.held-peak`, (nodes) => nodes.map((node) => node.textContent));
        assert.deepEqual(peaks, ['4', '3', '2', '1']);
        const name = await page.$eval(`${IN}.beside svg`, (svg) => svg.getAttribute('aria-label'));
        assert.match(name?.replace(/\s/g, ' ') ?? '', /^Активации на устройствах. Расписание «1F1B»/);
        await page.locator(`${IN}[data-preset="forward"]`).click();
        assert.equal(await page.$(`${IN}[data-view="memory"]`), null);
        assert.equal(await page.$(`${IN}.beside`), null);
    });

    it('POINT-05: the curve: its point is moved by keys and by the pointer, to legal values only', async () => {
        const { page, complaints } = await openFigure('schedule="interleaved" ranks="4" microbatches="8"');
        await view(page, 'curve');
        await page.$eval(`${IN}.sweep`, (svg) => /** @type {SVGElement} */ (svg).focus());
        await page.keyboard.press('ArrowRight');
        const next = await attribute(page, 'microbatches');
        assert.ok(Number(next) > 8);
        assert.equal((await reading(page)).refusal, null);
        assert.match((await page.$eval(`${IN}.sweep`, (svg) => svg.getAttribute('aria-valuetext'))) ?? '', /^m/);
        const box = await (await page.waitForSelector(`${IN}.sweep`, { visible: true }))?.boundingBox();
        assert.ok(box);
        await page.mouse.move(box.x + box.width * 0.5, box.y + 40);
        await page.mouse.down();
        await page.mouse.move(box.x + box.width - 17, box.y + 60, { steps: 5 });
        await page.mouse.up();
        assert.equal(await attribute(page, 'microbatches'), '32');
        await page.mouse.move(box.x + 100, box.y + 40);
        assert.equal(await attribute(page, 'microbatches'), '32', 'let go');
        assert.equal((await reading(page)).refusal, null);
        assert.deepEqual(complaints, []);
    });

    it('a curve of a figure that only shows cannot be moved', async () => {
        const { page } = await openFigure('schedule="1f1b" ranks="4" microbatches="8" readonly');
        await view(page, 'curve');
        assert.equal(await page.$eval(`${IN}.sweep`, (svg) => svg.getAttribute('role')), 'img');
        await page.locator(`${IN}.sweep`).click();
        assert.equal(await attribute(page, 'microbatches'), '8');
    });

    it('POINT-03: the critical path is drawn on demand, and a chosen cell beside it', async () => {
        const { page } = await openFigure('preset="1f1b"');
        const critical = () =>
            page.$eval('pipeline-figure', (f) => f.shadowRoot?.querySelectorAll('.pf-critical').length ?? 0);
        assert.equal(await critical(), 0);
        await view(page, 'path');
        assert.equal(await critical(), 22);
        assert.match(await text(page, '#explain'), /цепочка из 22 операций/);
        await page.$eval(`${IN}.place[tabindex="0"]`, (place) => /** @type {SVGElement} */ (place).focus());
        assert.equal(await critical(), 22);
        assert.ok(await page.$(`${IN}.pf-selected`));
    });

    it('MUST-14, POINT-09: a challenge is judged by the core and told to the page', async () => {
        const { page } = await openFigure(
            'schedule="gpipe" ranks="4" microbatches="8" challenge="bubble&lt;10% memory&lt;=4"',
        );
        const states = () =>
            page.$$eval(`${IN}.challenge li`, (items) => items.map((li) => li.hasAttribute('data-holds')));
        assert.deepEqual(await states(), [false, false]);
        await page.select(`${IN}[data-option="schedule"] select`, '1f1b');
        assert.deepEqual(await states(), [false, true]);
        await quiet(REST);
        assert.deepEqual(
            (await told(page)).filter((/** @type {any} */ event) => event.name === 'answer'),
            [],
        );
        await setControl(page, '[data-option="microbatches"] input', '28');
        assert.deepEqual(await states(), [true, true]);
        assert.equal(await text(page, '.verdict'), 'Решено: все условия выполнены.');
        const answer = await becomes(
            async () => (await told(page)).find((/** @type {any} */ event) => event.name === 'answer'),
            'the answer is told',
        );
        assert.equal(answer.solved, true);
        assert.equal(answer.state.microbatches, '28');
        assert.deepEqual(
            answer.terms.map((/** @type {any} */ term) => [term.name, term.holds]),
            [
                ['bubble', true],
                ['memory', true],
            ],
        );
        assert.match((await reading(page)).status ?? '', /Решено/);
    });

    it('a condition that is not understood is an error of the page, not of the reader', async () => {
        const { page } = await openFigure('challenge="pubble&lt;1" ranks="3" microbatches="4"');
        assert.equal(await page.$(`${IN}.challenge`), null);
        const [error] = await told(page);
        assert.equal(error.option, 'challenge');
        assert.match(error.message, /pubble<1/);
    });

    it('MUST-11, POINT-08: the state is in the address, only for a figure with an id, and comes back from there', async () => {
        const { page } = await openFigure('preset="1f1b" figure-id="main"', {}, '#chapter');
        assert.equal(await page.evaluate(() => location.hash), '#chapter');
        await setControl(page, '[data-option="microbatches"] input', '12');
        await becomes(
            async () => (await page.evaluate(() => location.hash)) === '#chapter&pipeline.main=1f1b;p4;m12',
            'the state is in the address',
        );
        const before = await page.evaluate(() => history.length);
        // A link in the text of the page, with more than the core allows.
        await page.evaluate(() => {
            location.hash = '#pipeline.main=interleaved;p4;m6';
        });
        await page.waitForFunction(
            () => document.querySelector('pipeline-figure')?.getAttribute('schedule') === 'interleaved',
        );
        assert.equal(await attribute(page, 'microbatches'), '8');
        assert.equal((await reading(page)).refusal, null);
        assert.deepEqual(
            (await told(page)).map((/** @type {any} */ event) => event.source),
            ['user', 'url'],
        );
        assert.equal(await page.evaluate(() => history.length), before + 1, 'only the link made an entry');
        await page.close();

        const other = await openFigure('figure-id="main" ranks="3" microbatches="4"', {}, '#pipeline.main=gpipe;p2;m3');
        assert.equal(await attribute(other.page, 'schedule'), 'gpipe');
        assert.equal((await reading(other.page)).time, '12 тактов');
        await other.page.close();

        // A link that names no option at all leaves the author's setting.
        for (const torn of ['%', '', 'colour=red', '%E0%A4%A']) {
            const kept = await openFigure('figure-id="main" ranks="5" microbatches="4"', {}, `#pipeline.main=${torn}`);
            assert.equal(await attribute(kept.page, 'ranks'), '5', torn);
            assert.equal((await reading(kept.page)).time, '8 тактов', torn);
            await kept.page.close();
        }

        const looks = await openFigure('figure-id="main" ranks="5" microbatches="4"', {}, '#pipeline.main=view=table');
        assert.equal(await attribute(looks.page, 'ranks'), '5');
        await looks.page.waitForSelector(`${IN}table.schedule`, { visible: true });
        await looks.page.close();

        const without = await openFigure('ranks="3" microbatches="4"', {}, '#pipeline.=gpipe;p2;m3');
        assert.equal((await reading(without.page)).time, '6 тактов');
        await setControl(without.page, '[data-option="microbatches"] input', '12');
        await quiet(REST);
        assert.equal(await without.page.evaluate(() => location.hash), '#pipeline.=gpipe;p2;m3');
        await view(without.page, 'files');
        assert.doesNotMatch(await text(without.page, '#view'), /ссылку/);
        await without.page.close();
    });

    it('MUST-11, POINT-08: files: a link that leads to this very state, a PNG', async () => {
        const { page, complaints } = await openFigure('preset="1f1b" figure-id="main"', {
            before: () => {
                /** @type {any} */ (window).copied = null;
                Object.defineProperty(navigator, 'clipboard', {
                    value: {
                        writeText: async (/** @type {string} */ text) => {
                            /** @type {any} */ (window).copied = text;
                        },
                    },
                });
                HTMLAnchorElement.prototype.click = function () {
                    /** @type {any} */ (window).saved = { name: this.download, href: this.href };
                };
            },
        });
        await view(page, 'files');
        await page.locator(`${IN}#view ::-p-text(Скопировать ссылку)`).click();
        await page.waitForFunction(() => /** @type {any} */ (window).copied !== null);
        assert.match(
            await page.evaluate(() => /** @type {any} */ (window).copied),
            /^file:.*\.html#pipeline\.main=1f1b;p4;m8$/,
        );
        await page.locator(`${IN}#view ::-p-text(Скачать PNG)`).click();
        await page.waitForFunction(() => /** @type {any} */ (window).saved);
        const size = await page.evaluate(async () => {
            const { name, href } = /** @type {any} */ (window).saved;
            const image = new Image();
            image.src = href;
            await image.decode();
            return [name, href.slice(0, 14), image.width > 1500, image.height > 300];
        });
        assert.deepEqual(size, ['pipeline-1f1b-p4-m8.png', 'data:image/png', true, true]);
        assert.deepEqual(complaints, []);
    });

    it('320 px wide with steps, a challenge and every view: no sideways scrolling, nothing too small to touch', async () => {
        const { page } = await openFigure('preset="interleaved" challenge="bubble&lt;10% memory&lt;=4" figure-id="a"', {
            viewport: { width: 320, height: 640, isMobile: true, hasTouch: true },
        });
        for (const name of ['play', 'memory', 'curve', 'compare', 'path', 'table', 'train', 'files']) {
            await view(page, name);
            assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320, name);
            const small = await page.$eval('pipeline-figure', (f) =>
                [...(f.shadowRoot?.querySelectorAll('button, select, input') ?? [])]
                    .map((node) => ({ node, box: (node.closest('.check') ?? node).getBoundingClientRect() }))
                    .filter(({ box }) => box.width > 0 && (box.height < 43.5 || box.width < 24))
                    .map(({ node }) => node.className || node.tagName),
            );
            assert.deepEqual(small, [], name);
        }
    });
});
