// The panel's options of the trained network, and its table of what micro-batches do to a step.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutBrowser } from '../support/browser.mjs';
import { becomes, inChromium, setOption, setTraining } from '../support/figure-page.mjs';

const IN = 'pipeline-figure >>> ';

describe('options of the training', { skip: withoutBrowser }, () => {
    const { visit, write } = inChromium();

    /** @param {any} page */
    const seen = (page) =>
        page.$eval('pipeline-figure', (/** @type {any} */ figure) => {
            const details = figure.shadowRoot.querySelector('.training-options');
            const rows = [...details.querySelectorAll('tr')].map((row) =>
                [...row.children].map((cell) => cell.textContent.replace(/\s+/g, ' ')),
            );
            return {
                rows: Object.fromEntries(rows),
                note: details.querySelector('.note')?.textContent ?? '',
                refusal: figure.shadowRoot.querySelector('#view .refusal')?.textContent ?? '',
            };
        });

    it('TEN-14: without a flush the panel says how late gradients come, and trains so; with one it says that none does', async () => {
        const { page, complaints } = await visit(
            write('<pipeline-figure schedule="pipedream" ranks="4" microbatches="8" lang="en"></pipeline-figure>'),
        );
        const text = (/** @type {string} */ at) =>
            page.$eval(`${IN}${at}`, (/** @type {any} */ node) => node.textContent.replace(/\s+/g, ' '));
        assert.match(
            await text('.sentence'),
            /not drained between steps, .* keeps 4 versions of them, and its gradients come 3 updates late\.$/,
        );
        await page.locator(`${IN}.views ::-p-text(Train a network)`).click();
        await page.waitForSelector(`${IN}[data-weights]`);
        assert.match(
            await text('[data-weights]'),
            /by 3 updates on the first device and by 0 updates on the last\. The network “without a pipeline” does the same\.$/,
        );
        assert.ok(await page.$(`${IN}.workers`));
        await page.locator(`${IN}.buttons ::-p-text(Train)`).click();
        await page.waitForFunction(
            () =>
                Number(
                    document.querySelector('pipeline-figure')?.shadowRoot?.querySelector('[data-value="step"]')
                        ?.textContent,
                ) >= 20,
        );
        await page.locator(`${IN}.buttons ::-p-text(Pause)`).click();
        assert.equal(await text('[data-value="difference"]'), 'exactly 0');
        assert.match(await text('[data-weights]'), /by up to 0\.\d*[1-9]/);
        await page.$eval('pipeline-figure', (/** @type {any} */ figure) => figure.setAttribute('schedule', '1f1b'));
        await page.waitForFunction(() =>
            /with a flush/.test(
                document.querySelector('pipeline-figure')?.shadowRoot?.querySelector('[data-weights]')?.textContent ??
                    '',
            ),
        );
        assert.doesNotMatch(await text('.sentence'), /flush/);
        assert.deepEqual(complaints, []);
    });

    it('a choice makes another network and other numbers; a refusal takes them away', async () => {
        const { page, complaints } = await visit(
            write('<pipeline-figure schedule="1f1b" ranks="3" microbatches="5" lang="en"></pipeline-figure>'),
        );
        await page.locator(`${IN}.views ::-p-text(Train a network)`).click();
        await page.locator(`${IN}.training-options summary`).click();
        await page.waitForSelector(`${IN}.training-options table`, { visible: true });
        const plain = await seen(page);
        assert.equal(plain.rows['micro-batches'], '5, samples in each: 6…7');
        assert.equal(plain.rows['dropout masks against m = 1'], undefined);
        await setTraining(page, 'norm', 'batch');
        await setTraining(page, 'dropout, share', '0,5');
        const rich = await seen(page);
        assert.match(
            rich.rows['batch norm by micro-batch against whole batch'],
            /^means up to [\d.]+ σ off, σ by up to/,
        );
        assert.match(rich.rows['dropout masks against m = 1'], /^0 of \d+ entries differ/);
        assert.match(rich.note, /same micro-batches/);
        await setTraining(page, 'momentum', '0.5');
        const refused = await seen(page);
        assert.match(refused.refusal, /momentum = 0\.5.*update=momentum/);
        assert.deepEqual(refused.rows, {}, 'no number of the old setting is left');
        await setTraining(page, 'update', 'momentum');
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
    });

    for (const [width, height] of [
        [1200, 900],
        [360, 740],
    ])
        it(`chart, loss and plane stand on one screen of ${width} x ${height}, and the curve of the schedule before stays grey`, async () => {
            const viewport = { width, height, isMobile: width < 500, hasTouch: width < 500 };
            const { page } = await visit(
                write('<pipeline-figure schedule="gpipe" ranks="3" microbatches="5" lang="en"></pipeline-figure>'),
                { viewport },
            );
            await page.locator(`${IN}[data-view="train"]`).click();
            const step = async () => {
                await page.waitForSelector(`${IN}.plots`, { visible: true });
                const count = () =>
                    page.$eval(`${IN}[data-value="step"]`, (cell) => Number(cell.textContent?.replace(/\D/g, '')));
                await page.locator(`${IN}.buttons .primary`).click();
                await becomes(async () => (await count()) >= 10, 'ten steps');
                await page.locator(`${IN}.buttons .primary`).click();
            };
            await step();
            const { chart, plots } = await page.$eval('pipeline-figure', (f) => {
                const root = /** @type {ShadowRoot} */ (f.shadowRoot);
                const of = (/** @type {string} */ selector) =>
                    /** @type {Element} */ (root.querySelector(selector)).getBoundingClientRect();
                return { chart: of('.chart').top, plots: of('.plots').bottom };
            });
            assert.ok(plots - chart <= height, `${plots - chart} px`);
            const key = () =>
                page.$eval('pipeline-figure', (f) => f.shadowRoot?.querySelector('.key-earlier')?.textContent ?? null);
            const curve = (/** @type {string} */ name) =>
                page.$eval(
                    'pipeline-figure',
                    (f, name) => f.shadowRoot?.querySelector(`.curve-${name}`)?.getAttribute('d')?.length ?? 0,
                    name,
                );
            assert.equal(await key(), null);
            await setOption(page, 'schedule', '1f1b');
            await becomes(async () => (await key()) === 'before: GPipe', 'the curve before');
            assert.ok((await curve('earlier')) > 20);
            assert.equal(await curve('pipeline'), 0);
            await step();
            assert.ok((await curve('pipeline')) > 20 && (await curve('earlier')) > 20);
            await page.locator(`${IN}.buttons ::-p-text(Start over)`).click();
            await becomes(async () => (await key()) === null, 'all begins anew');
        });

    it('360 px wide, in Russian: nothing is cut off, and what is touched is 44 px high', async () => {
        const { page } = await visit(
            write('<pipeline-figure schedule="1f1b" ranks="3" microbatches="5"></pipeline-figure>'),
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
    });
});
