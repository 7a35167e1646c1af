// The panel's options of the trained network, and its table of what micro-batches do to a step.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { launch, withoutBrowser } from '../support/browser.mjs';
import { open, pageFolder } from '../support/figure-page.mjs';

const IN = 'pipeline-figure >>> ';

describe('options of the training', { skip: withoutBrowser }, () => {
    /** @type {import('puppeteer-core').Browser} */
    let browser;
    /** @type {ReturnType<typeof pageFolder>} */
    let folder;
    before(async () => {
        folder = pageFolder();
        browser = await launch();
    });
    after(async () => {
        await browser?.close();
        folder?.remove();
    });

    /** Sets a control by its label and waits for the view. @param {any} page @param {string} label @param {string} value */
    const set = (page, label, value) =>
        page.$eval(
            'pipeline-figure',
            async (/** @type {any} */ figure, /** @type {string} */ label, /** @type {string} */ value) => {
                const fields = [...figure.shadowRoot.querySelectorAll('.training-options label')];
                const control = fields
                    .find((field) => field.querySelector('span').textContent === label)
                    .querySelector('select, input');
                control.value = value;
                control.dispatchEvent(new Event('change'));
                await figure.updateComplete;
            },
            label,
            value,
        );
    /** @param {any} page */
    const seen = (page) =>
        page.$eval('pipeline-figure', (/** @type {any} */ figure) => {
            const details = figure.shadowRoot.querySelector('.training-options');
            const rows = [...details.querySelectorAll('tr')].map((row) =>
                [...row.children].map((cell) => cell.textContent),
            );
            return {
                rows: Object.fromEntries(rows),
                note: details.querySelector('.note')?.textContent ?? '',
                refusal: figure.shadowRoot.querySelector('#view .refusal')?.textContent ?? '',
            };
        });

    it('a choice makes another network and other numbers; a refusal takes them away', async () => {
        const { page, complaints } = await open(
            browser,
            folder.write('<pipeline-figure schedule="1f1b" ranks="3" microbatches="5" lang="en"></pipeline-figure>'),
        );
        await page.locator(`${IN}.views ::-p-text(Train a network)`).click();
        await page.locator(`${IN}.training-options summary`).click();
        await page.waitForSelector(`${IN}.training-options table`, { visible: true });
        const plain = await seen(page);
        assert.equal(plain.rows['micro-batches'], '5, samples in each: 7…6');
        assert.equal(plain.rows['dropout masks against m = 1'], undefined);
        await set(page, 'norm', 'batch');
        await set(page, 'dropout, share', '0,5');
        const rich = await seen(page);
        assert.match(
            rich.rows['batch norm by micro-batch against whole batch'],
            /^means up to [\d.]+ σ off, σ by up to/,
        );
        assert.match(rich.rows['dropout masks against m = 1'], /^0 of \d+ entries differ/);
        assert.match(rich.note, /same micro-batches/);
        await set(page, 'momentum', '0.5');
        const refused = await seen(page);
        assert.match(refused.refusal, /momentum = 0\.5.*update=momentum/);
        assert.deepEqual(refused.rows, {}, 'no number of the old setting is left');
        await set(page, 'update', 'momentum');
        assert.equal((await seen(page)).refusal, '');
        await page.locator(`${IN}.view button.primary`).click();
        await page.waitForFunction(() => {
            const root = document.querySelector('pipeline-figure')?.shadowRoot;
            return Number(root?.querySelector('[data-value="step"]')?.textContent) > 3;
        });
        assert.equal(
            await page.$eval(
                'pipeline-figure',
                (f) => f.shadowRoot?.querySelector('[data-value="difference"]')?.textContent,
            ),
            'exactly 0',
        );
        assert.deepEqual(complaints, []);
        await page.close();
    });

    it('360 px wide, in Russian: nothing is cut off, and what is touched is 44 px high', async () => {
        const { page } = await open(
            browser,
            folder.write('<pipeline-figure schedule="1f1b" ranks="3" microbatches="5"></pipeline-figure>'),
            { viewport: { width: 360, height: 800 } },
        );
        await page.locator(`${IN}.views ::-p-text(Обучить сеть)`).click();
        await page.locator(`${IN}.training-options summary`).click();
        await page.waitForSelector(`${IN}.training-options table`, { visible: true });
        const sizes = await page.$eval('pipeline-figure', (figure) => {
            const details = /** @type {any} */ (figure.shadowRoot).querySelector('.training-options');
            const right = Math.max(
                ...[...details.querySelectorAll('*')].map((node) => node.getBoundingClientRect().right),
            );
            return { right, summary: details.querySelector('summary').getBoundingClientRect().height };
        });
        assert.ok(sizes.right <= 360, `${sizes.right}`);
        assert.ok(sizes.summary >= 44, `${sizes.summary}`);
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
        await page.close();
    });
});
