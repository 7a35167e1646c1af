// The chapter page as a reader opens it: from disk, with no server.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutBrowser } from '../support/browser.mjs';
import { bookPage, inChromium, quiet, reading, setControl } from '../support/figure-page.mjs';

describe('the chapter page, from file://', { skip: withoutBrowser }, () => {
    const { visit } = inChromium();

    it('MUST-01, POINT-01: shows 6 ticks and 2/3 at once, and complains of nothing', async () => {
        const { page, complaints, requests } = await visit(bookPage);
        const seen = await reading(page);
        assert.equal(seen.time, '6');
        assert.equal(seen.utilization, '2/3');
        assert.equal(seen.bubble, '1/3');
        assert.equal(seen.fourth, '3 такта');
        assert.match(seen.sentence ?? '', /6 тактов/);
        assert.match(seen.formula ?? '', /m \/ \(m \+ p − 1\).*= 2\/3/);
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

    it('MUST-03: p = 5 and m = 9 give 13 ticks and 9/13 within 50 ms of the input event', async (t) => {
        const { page } = await visit(bookPage);
        const slider = (/** @type {string} */ option) => `[data-option="${option}"] input[type="range"]`;
        const first = await setControl(page, slider('ranks'), '5');
        const second = await setControl(page, slider('microbatches'), '9');
        const seen = await reading(page);
        assert.equal(seen.time, '13');
        assert.equal(seen.utilization, '9/13');
        assert.match(seen.formula ?? '', /9 \/ \(9 \+ 5 − 1\) = 9\/13/);
        t.diagnostic(`from input event to changed page: ${first.toFixed(1)} ms, ${second.toFixed(1)} ms`);
        assert.ok(Math.max(first, second) < 50, `${first} ms, ${second} ms`);
    });

    it('MUST-03: 1F1B is chosen and the chart changes', async () => {
        const { page } = await visit(bookPage);
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
        const { page, complaints } = await visit(bookPage);
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
    });
});
