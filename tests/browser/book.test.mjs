// The chapter page as a reader opens it: from disk, with no server.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutBrowser } from '../support/browser.mjs';
import { bookPage, inChromium, quiet, reading, setControl } from '../support/figure-page.mjs';

describe('the chapter page, from file://', { skip: withoutBrowser }, () => {
    const { visit } = inChromium();

    /** The page as it opens at the exercises: only their figure is left. */
    async function visitInstrument() {
        const visited = await visit(bookPage);
        await visited.page.evaluate(async () => {
            for (const figure of document.querySelectorAll('pipeline-figure:not([figure-id="chapter"])'))
                figure.remove();
            const figure = /** @type {any} */ (document.querySelector('pipeline-figure'));
            figure.scrollIntoView();
            await figure.ready;
        });
        return visited;
    }

    it('MUST-01, POINT-01: shows 6 ticks at once, and complains of nothing', async () => {
        const { page, complaints, requests } = await visit(bookPage);
        const seen = await reading(page);
        assert.match(seen.sentence ?? '', /6 тактов, и треть клеток пуста/);
        assert.equal(seen.cells, 12 + 4, 'actions and idle intervals');
        // Down to the last figure: every one comes to life without a word in the console.
        await page.evaluate(async () => {
            for (const figure of document.querySelectorAll('pipeline-figure')) {
                figure.scrollIntoView();
                await /** @type {any} */ (figure).ready;
            }
        });
        assert.deepEqual(complaints, []);
        assert.deepEqual(requests, [], 'requests that leave the folder of the page');
    });

    for (const [width, height] of [
        [1366, 768],
        [360, 740],
    ])
        it(`the first figure is simple and whole in the first screen of ${width} x ${height}`, async () => {
            const { page } = await visit(bookPage);
            await page.setViewport({ width, height });
            const first = await page.evaluate(async () => {
                const figure = /** @type {any} */ (document.querySelector('pipeline-figure'));
                await figure.ready;
                await figure.updateComplete;
                const root = /** @type {ShadowRoot} */ (figure.shadowRoot);
                const seen = (/** @type {Element} */ node) => node.checkVisibility();
                const controls = [...root.querySelectorAll('button, select, input, [tabindex="0"]')].filter(seen);
                const texts = [
                    ...root.querySelectorAll('.chart text, .figure p, .figure label, .figure dt, .figure dd'),
                ]
                    .filter((node) => seen(node) && !node.closest('.unseen, .settings, .names'))
                    .map((node) => node.textContent ?? '');
                const lead = /** @type {Element} */ (document.querySelector('.lead'));
                const line = Number.parseFloat(getComputedStyle(lead).lineHeight);
                return {
                    controls: controls.length,
                    words: texts.join(' ').split(/\s+/).filter(Boolean).length,
                    chart: /** @type {Element} */ (root.querySelector('.chart')).getBoundingClientRect().bottom,
                    sentence: /** @type {Element} */ (root.querySelector('.sentence')).getBoundingClientRect().bottom,
                    slider: /** @type {Element} */ (root.querySelector('.slider')).getBoundingClientRect().bottom,
                    lead: Math.round(lead.getBoundingClientRect().height / line),
                };
            });
            assert.ok(first.controls <= 8, `${first.controls} controls`);
            assert.ok(first.words <= 60, `${first.words} words`);
            assert.ok(first.lead <= 3, `a lead of ${first.lead} lines`);
            for (const part of /** @type {const} */ (['chart', 'sentence', 'slider'])) {
                assert.ok(first[part] <= height, `${part} ends at ${first[part]}`);
            }
        });

    it('an exercise is never a screen away from its figure', async () => {
        const { page } = await visit(bookPage);
        const away = await page.evaluate(() => {
            const list = /** @type {Element} */ (document.querySelector('.exercises'));
            const figure = /** @type {Element} */ (document.querySelector('[figure-id="chapter"]'));
            return figure.getBoundingClientRect().top - list.getBoundingClientRect().bottom;
        });
        assert.ok(away >= 0 && away < 60, `${away} pixels`);
    });

    it('words of the text set the nearest figure, and are marked while it stands so', async () => {
        const { page, complaints } = await visit(bookPage);
        const said = await page.evaluate(async () => {
            const words = /** @type {HTMLElement} */ (document.querySelector('a.set'));
            const figure = /** @type {any} */ (document.querySelector('[figure-id="first"]'));
            await figure.ready;
            words.click();
            await new Promise((later) => figure.addEventListener('pipeline-change', later, { once: true }));
            await figure.updateComplete;
            return [words.textContent, words.getAttribute('aria-current'), figure.request.microbatches];
        });
        assert.deepEqual(said, ['занято одно устройство', 'true', '1']);
        assert.deepEqual(complaints, []);
    });

    it('a question is answered: the mistake is named, the figure is set, the answer is remembered', async () => {
        const { page } = await visit(bookPage);
        const question = '.question[data-name="ticks"]';
        await page.type(`${question} input`, '24');
        await page.click(`${question} form button`);
        const shown = await page.$$eval(`${question} details p`, (list) =>
            list.filter((p) => p.checkVisibility()).map((p) => p.textContent ?? ''),
        );
        assert.match(shown[0], /^За\s10/);
        assert.match(shown[1], /3 · 8\sклеток/);
        assert.equal(shown.length, 2);
        await page.waitForFunction(
            () => /** @type {any} */ (document.querySelector('[figure-id="first"]')).request.microbatches === '8',
        );
        await page.reload();
        assert.match((await page.$eval(`${question} .verdict`, (p) => p.textContent)) ?? '', /^Не\sтак\.$/);
    });

    it('the wave is built by hand, each placement accepted or refused with its reason', async () => {
        const { page } = await visit(bookPage);
        await page.$eval('.builder[data-name="wave"]', (box) => box.scrollIntoView());
        await page.waitForSelector('.builder[data-name="wave"] table');
        const press = (/** @type {number} */ rank, /** @type {number} */ tick) =>
            page.$$eval(
                '.builder[data-name="wave"] tbody tr',
                (rows, rank, tick) =>
                    /** @type {HTMLElement[]} */ ([...rows[rank].querySelectorAll('button')])[tick].click(),
                rank,
                tick,
            );
        const status = () => page.$eval('.builder[data-name="wave"] .verdict', (p) => p.textContent ?? '');
        await press(1, 0);
        assert.match(await status(), /Так нельзя: .* ждёт результата/);
        for (let k = 0; k < 4; k++) {
            await page.$$eval(
                '.builder[data-name="wave"] .palette button',
                (list, k) => /** @type {HTMLElement} */ (list[k]).click(),
                k,
            );
            for (let rank = 0; rank < 3; rank++) await press(rank, rank + k);
        }
        assert.match(await status(), /Готово: тактов 6/);
    });

    it('MUST-03: p = 5 and m = 9 give 13 ticks and 9/13 within 50 ms of the input event', async (t) => {
        const { page } = await visitInstrument();
        const slider = (/** @type {string} */ option) => `[data-option="${option}"] input[type="range"]`;
        const first = await setControl(page, slider('ranks'), '5');
        const second = await setControl(page, slider('microbatches'), '9');
        const seen = await reading(page);
        assert.equal(seen.time, '13 тактов');
        assert.equal(seen.utilization, '9/13');
        assert.match(seen.formula ?? '', /9 \/ \(9 \+ 5 − 1\) = 9\/13/);
        t.diagnostic(`from input event to changed page: ${first.toFixed(1)} ms, ${second.toFixed(1)} ms`);
        assert.ok(Math.max(first, second) < 50, `${first} ms, ${second} ms`);
    });

    it('MUST-03: 1F1B is chosen and the chart changes', async () => {
        const { page } = await visitInstrument();
        const drawing = () =>
            page.$eval('pipeline-figure', (figure) => figure.shadowRoot?.querySelector('.chart > svg > g')?.outerHTML);
        const before = await drawing();
        await page.select('pipeline-figure >>> [data-option="schedule"] select', '1f1b');
        const seen = await reading(page);
        assert.equal(seen.time, '18 тактов');
        assert.notEqual(await drawing(), before);
        assert.equal(
            await page.$eval('pipeline-figure', (figure) => figure.shadowRoot?.querySelectorAll('.chart .pf-B').length),
            1,
        );
    });

    it('training runs, the loss falls, and the gradients are those without a pipeline', async () => {
        const { page, complaints } = await visitInstrument();
        await page.select('pipeline-figure >>> [data-option="schedule"] select', '1f1b');
        await page.locator('pipeline-figure >>> .views ::-p-text(Обучить сеть)').click();
        await page.locator('pipeline-figure >>> .view ::-p-text(Обучать)').click();
        const value = (/** @type {string} */ name) =>
            page.$eval(
                'pipeline-figure',
                (figure, name) => figure.shadowRoot?.querySelector(`[data-value="${name}"]`)?.textContent ?? '',
                name,
            );
        // The loss shown is that of one batch, so it jumps: wait for a small one rather than read at a fixed step.
        const small = await page.waitForFunction(
            () => {
                const root = document.querySelector('pipeline-figure')?.shadowRoot;
                const shown = (/** @type {string} */ name) =>
                    Number(
                        root
                            ?.querySelector(`[data-value="${name}"]`)
                            ?.textContent?.replace(/\s/g, '')
                            .replace(',', '.'),
                    );
                return shown('step') >= 300 && shown('loss') < 0.2 && [shown('loss')];
            },
            { timeout: 60_000 },
        );
        const [loss] = /** @type {number[]} */ (await small.jsonValue());
        assert.ok(loss > 0 && loss < 0.2, `loss ${loss}; two spirals begin near 0.7`);
        assert.equal(await value('difference'), 'ровно 0');
        assert.match(await value('accuracy'), /%$/);
        // Paused, it stays where it is; one action lights up its cell.
        await page.locator('pipeline-figure >>> .view ::-p-text(Пауза)').click();
        const step = await value('step');
        await quiet(100);
        assert.equal(await value('step'), step);
        await page.locator('pipeline-figure >>> .view ::-p-text(Одна операция)').click();
        const lamp = await page.$eval('pipeline-figure', (f) =>
            f.shadowRoot?.querySelector('.lamp')?.getAttribute('d'),
        );
        assert.match(lamp ?? '', /^M/);
        // What is drawn is not blank.
        const colours = await page.$eval('pipeline-figure', (figure) => {
            const canvas = /** @type {HTMLCanvasElement} */ (figure.shadowRoot?.querySelector('.regions'));
            const { data } = /** @type {CanvasRenderingContext2D} */ (canvas.getContext('2d')).getImageData(
                0,
                0,
                300,
                300,
            );
            return new Set(new Uint32Array(data.buffer)).size;
        });
        assert.ok(colours > 20, `${colours} colours`);
        assert.deepEqual(complaints, []);
    });

    it('MUST-01, EMB-17: with scripts off the static figure stands there', async () => {
        const { page } = await visit(bookPage, { scripts: false });
        const box = await (await page.$('pipeline-figure > figure > svg'))?.boundingBox();
        assert.ok(box && box.width > 400 && box.height > 100);
        const text = await page
            .evaluate(() => document.querySelector('pipeline-figure')?.textContent ?? '')
            .catch(() => null);
        // Puppeteer's evaluate still works with scripts of the page off.
        assert.match(text ?? '', /6/);
        assert.match(text ?? '', /2\/3/);
        // Words that would set a figure are words, and answers can be opened.
        assert.equal(await page.$('a.set'), null);
        assert.ok((await page.$$('.question details summary')).length >= 5);
    });
});
