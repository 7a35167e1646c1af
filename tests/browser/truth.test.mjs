// What the figure says and lets a reader do agrees with the chapter, in a browser: faults that readers once met, each with what is
// right. What needs no browser is in tests/page/truth.test.mjs.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadEngine } from '../../web/engine/index.js';
import { withoutBrowser } from '../support/browser.mjs';
import { becomes, bookPage, inChromium, reading, settled } from '../support/figure-page.mjs';

const engine = await loadEngine();
const IN = 'pipeline-figure >>> ';
const plain = (/** @type {string | null} */ text) => (text ?? '').replace(/\s/g, ' ');

describe('the figure agrees with the chapter', { skip: withoutBrowser }, () => {
    const { visit, write } = inChromium();
    const openFigure = (/** @type {string} */ attributes, options = {}, hash = '') =>
        visit(write(`<pipeline-figure ${attributes}></pipeline-figure>`) + hash, options);

    /** Focus on the cell of the chart that Tab reaches. @param {import('puppeteer-core').Page} page */
    const enterChart = (page) =>
        page.$eval(`${IN}.place[tabindex="0"]`, (place) => /** @type {SVGElement} */ (place).focus());
    const refused = async (/** @type {string} */ attributes) => {
        const { page } = await openFigure(attributes, { waits: false });
        await page.waitForSelector(`${IN}.refusal`);
        return reading(page);
    };

    for (const preset of ['forward', 'interleaved', 'failure', 'zero-bubble', 'recompute'])
        it(`sliders of the step ${preset} stop at legal values only`, async () => {
            const { page } = await openFigure(`preset="${preset}"`);
            const walked = await page.$eval('pipeline-figure', async (element) => {
                const figure = /** @type {any} */ (element);
                const root = /** @type {ShadowRoot} */ (figure.shadowRoot);
                const refused = [];
                let stops = 0;
                for (const option of ['microbatches', 'ranks']) {
                    const slider = () =>
                        /** @type {HTMLInputElement} */ (
                            root.querySelector(`[data-option="${option}"] input[type="range"]`)
                        );
                    const { min, max } = slider();
                    for (let value = Number(min); value <= Number(max); value++) {
                        slider().value = String(value);
                        slider().dispatchEvent(new Event('input', { bubbles: true, composed: true }));
                        await figure.updateComplete;
                        stops++;
                        const refusal = root.querySelector('.refusal p, .refusal span')?.textContent;
                        if (refusal) refused.push(`${option} ${value}: ${refusal}`);
                    }
                }
                return { stops, refused };
            });
            assert.deepEqual(walked.refused, []);
            assert.ok(walked.stops >= 30, String(walked.stops));
        });

    it('a whole training step is never compared with forwards alone', async () => {
        const { page } = await openFigure('preset="forward"');
        assert.equal(await page.$(`${IN}[data-view="compare"]`), null, 'nothing is offered beside forwards alone');
        await page.locator(`${IN}[data-preset="1f1b"]`).click();
        await page.locator(`${IN}[data-view="compare"]`).click();
        await page.waitForSelector(`${IN}.compare-words`);
        const offered = await page.$$eval(`${IN}#explain select option`, (list) =>
            list.map((option) => /** @type {HTMLOptionElement} */ (option).value),
        );
        const halves = engine.schedules.filter(({ trains }) => !trains).map(({ name }) => name);
        assert.ok(halves.includes('forward') && offered.includes('gpipe'));
        assert.deepEqual(
            offered.filter((name) => halves.includes(name)),
            [],
        );
    });

    const keepsWhatIsCopied = () =>
        Object.defineProperty(navigator, 'clipboard', {
            value: {
                writeText: async (/** @type {string} */ text) => {
                    /** @type {any} */ (window).copied = text;
                },
            },
        });
    for (const [view, preset, shown] of /** @type {const} */ ([
        ['failure', 'failure', '#explain svg'],
        ['compare', '1f1b', '[data-plot="compare"] svg'],
        ['memory', '1f1b', '#explain svg'],
        ['play', '1f1b', '[data-play="play_forward"]'],
        ['train', '1f1b', '.training-options'],
    ]))
        it(`a link that is copied opens with what was seen: ${view}, the chosen cell, the moment`, async () => {
            const { page } = await openFigure(`preset="${preset}" figure-id="main"`, { before: keepsWhatIsCopied });
            // The step of the failure opens its view by itself.
            if (view !== 'failure') await page.locator(`${IN}[data-view="${view}"]`).click();
            await page.waitForSelector(`${IN}${shown}`);
            if (view === 'play')
                for (let i = 0; i < 3; i++) await page.locator(`${IN}[data-play="play_forward"]`).click();
            await enterChart(page);
            for (const key of ['ArrowRight', 'ArrowDown', 'Enter']) await page.keyboard.press(key);
            await settled(page);
            const { explanation } = await reading(page);
            const moment = () =>
                page.evaluate(
                    () =>
                        document
                            .querySelector('pipeline-figure')
                            ?.shadowRoot?.querySelector('svg.time path')
                            ?.getAttribute('d') ?? null,
                );
            const at = await moment();
            await page.locator(`${IN}[data-view="files"]`).click();
            await page.locator(`${IN}#view ::-p-text(Скопировать ссылку)`).click();
            await page.waitForFunction(() => /** @type {any} */ (window).copied);
            const address = new URL(await page.evaluate(() => /** @type {any} */ (window).copied)).hash;
            assert.match(address, new RegExp(`;cell=\\d+.*view=${view}|view=${view}.*;cell=\\d+`));

            const other = await openFigure('figure-id="main"', {}, address);
            await other.page.waitForSelector(`${IN}${shown}`);
            await becomes(
                async () => plain((await reading(other.page)).explanation) === plain(explanation),
                `the same cell is told: ${explanation}`,
            );
            if (view === 'play') {
                assert.ok(at);
                assert.match(address, /time=/);
                await other.page.waitForSelector(`${IN}svg.time`);
            }
        });

    it('another step lets go of the chosen cell, and offers nothing to let go of', async () => {
        const { page } = await openFigure('preset="gpipe"');
        await enterChart(page);
        for (const key of ['ArrowRight', 'Enter']) await page.keyboard.press(key);
        const release = async () => (await page.$$(`${IN}button ::-p-text(снять выделение)`)).length > 0;
        await becomes(release, 'the chosen cell can be let go');
        await page.locator(`${IN}[data-preset="interleaved"]`).click();
        await settled(page);
        assert.equal(await release(), false);
        assert.match(plain((await reading(page)).explanation), /^(Нажмите на клетку|$)/);
    });

    it('devices are counted from 1 in what a reader is told', async () => {
        const { refusal, fixes } = await refused('preset="failure" fail-rank="9"');
        assert.match(plain(refusal), /9/);
        assert.match(plain(refusal), /считаются с 0/);
        assert.deepEqual(fixes.map(plain), ['Поставить отказавшее устройство: 4']);
        const half = await refused('ranks="два" microbatches="4"');
        assert.match(plain(half.refusal), /целое число/);
        assert.doesNotMatch(plain(half.refusal), /0,5/);
    });

    it('the chart of a phone says up to where it goes on, and says so no more at its end', async () => {
        const { page } = await openFigure('preset="1f1b"', { viewport: { width: 360, height: 740 } });
        const sign = () =>
            page.$eval('pipeline-figure', (figure) => {
                const root = /** @type {ShadowRoot} */ (figure.shadowRoot);
                return root.querySelector('.goes-on') ? (root.querySelector('.until')?.textContent ?? '') : null;
            });
        assert.match(plain(await becomes(sign, 'a sign where the chart goes on')), /33/);
        await page.$eval(`${IN}.chart`, (chart) => {
            const box =
                [chart, ...chart.querySelectorAll('*')].find(
                    (node) => node.scrollWidth > node.clientWidth + 4 && getComputedStyle(node).overflowX !== 'visible',
                ) ?? chart;
            box.scrollLeft = box.scrollWidth;
        });
        await becomes(async () => (await sign()) === null, 'no sign at the end');
    });

    it('formulas of the page and of the figure ask for named fonts first', async () => {
        const { page } = await visit(bookPage);
        const fonts = await page.evaluate(async () => {
            const figure = /** @type {any} */ (document.querySelector('[figure-id="formula"]'));
            figure.scrollIntoView();
            await figure.ready;
            await figure.updateComplete;
            return [document.querySelector('main math'), figure.shadowRoot.querySelector('.formula math')].map(
                (math) => getComputedStyle(/** @type {Element} */ (math)).fontFamily,
            );
        });
        for (const family of fonts) assert.match(family, /^"?[A-Z][\w ]+ Math"?,.*\bmath\b/, family);
    });

    it('nothing above a question gives its answer away', async () => {
        const { page } = await visit(bookPage);
        const above = await page.evaluate(async () => {
            const first = /** @type {any} */ (document.querySelector('[figure-id="first"]'));
            await first.ready;
            await first.updateComplete;
            const question = /** @type {HTMLElement} */ (document.querySelector('.question[data-name="ticks"]'));
            const range = document.createRange();
            range.setStart(document.body, 0);
            range.setEndBefore(question);
            const figure = [...first.shadowRoot.querySelectorAll('.sentence, .numbers, .chart text, .explanation')];
            return {
                right: question.dataset.right,
                said: [range.toString(), ...figure.map((node) => node.textContent)].join(' '),
            };
        });
        assert.equal(above.right, '10');
        assert.doesNotMatch(above.said, /(?<![\d.,])10(?![\d.,])/);
        assert.doesNotMatch(above.said, /[Уу]двойте|пятая/);
    });

    it('a figure that follows its question keeps its words back until the reader has answered, or gone on', async () => {
        /** @param {import('puppeteer-core').Page} page @param {string} name */
        const seen = async (page, name) => {
            await page.evaluate(async (name) => {
                const figure = /** @type {any} */ (document.querySelector(`[figure-id="${name}"]`));
                figure.scrollIntoView();
                await figure.ready;
            }, name);
            await settled(page);
            return page.$eval(`[figure-id="${name}"]`, (figure) => {
                const sentence = /** @type {Element} */ (figure.shadowRoot?.querySelector('.sentence'));
                const { height } = sentence.getBoundingClientRect();
                return { said: sentence.checkVisibility({ visibilityProperty: true }), height };
            });
        };
        const { page } = await visit(bookPage);
        assert.equal((await seen(page, 'first')).said, true, 'no question comes before the first figure');
        for (const name of ['pair', 'recompute', 'transfers']) {
            const before = await seen(page, name);
            assert.equal(before.said, false, name);
            const question = await page.$(`.question[data-figure="${name}"]`);
            assert.ok(await question?.$('.waits'));
            if (name === 'pair') await question?.$eval('input', (input) => input.click());
            else if (name === 'recompute')
                await question?.$eval('.skip', (skip) => /** @type {HTMLElement} */ (skip).click());
            else
                await page.$eval('[figure-id="transfers"]', (figure) => {
                    const slider = /** @type {HTMLInputElement} */ (
                        figure.shadowRoot?.querySelector('input[type="range"]')
                    );
                    slider.value = slider.max;
                    slider.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
                });
            await becomes(async () => (await seen(page, name)).said, name);
            assert.equal(await question?.$('.waits'), null);
            if (name === 'recompute') assert.equal((await seen(page, name)).height, before.height, 'nothing has moved');
        }
        // An answer that is remembered shows at once.
        await page.reload();
        assert.equal((await seen(page, 'pair')).said, true);
    });

    it('the exercise on transfers begins from its state with one press, and asks for one number', async () => {
        const { page } = await visit(bookPage);
        const box = '.exercise[data-name="transfers"]';
        await page.evaluate(async () => {
            const figure = /** @type {any} */ (document.querySelector('[figure-id="chapter"]'));
            figure.scrollIntoView();
            await figure.ready;
        });
        for (;;) {
            if (await page.$eval(box, (node) => !(/** @type {HTMLElement} */ (node).hidden))) break;
            await page.$$eval('.exercises .stepper button', (buttons) =>
                /** @type {HTMLElement} */ (buttons.at(-1)).click(),
            );
        }
        await page.$eval(`${box} form button[type="button"]`, (button) => /** @type {HTMLElement} */ (button).click());
        const figure = '[figure-id="chapter"]';
        await page.waitForFunction(
            (figure) => /** @type {any} */ (document.querySelector(figure)).request.schedule === 'interleaved',
            {},
            figure,
        );
        await page.waitForSelector(`${figure} >>> .compare-words`);
        const compared = () => page.$eval(`${figure} >>> .compare-words`, (node) => node.textContent ?? '');
        assert.match(plain(await compared()), /28,5/);
        // One control, for one number.
        await page.$eval(figure, (element) => element.setAttribute('latency', '1'));
        await becomes(async () => /46.*39|39.*46/.test(plain(await compared())), '46 against 39');
        assert.equal(await page.$$eval(`${box} input`, (list) => list.length), 1);
    });
});
