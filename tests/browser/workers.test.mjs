// Steps by workers in the training panel: measured, fed back, disturbed, and where workers are forbidden.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutBrowser } from '../support/browser.mjs';
import { inChromium, pageText, serve, setTraining } from '../support/figure-page.mjs';

const figure = (/** @type {string} */ attributes) =>
    `<pipeline-figure ${attributes}><p>still picture</p></pipeline-figure>`;

describe('training by workers', { skip: withoutBrowser }, () => {
    const { visit, write } = inChromium();

    /** Presses buttons of the panel, one right after the other. @param {import('puppeteer-core').Page} page @param {...string} names */
    const press = (page, ...names) =>
        page.evaluate(
            async (...names) => {
                const figure = /** @type {any} */ (document.querySelector('pipeline-figure'));
                for (const name of names)
                    figure.shadowRoot.querySelector(`[data-worker="${name}"], [data-view="${name}"]`).click();
                await figure.updateComplete;
            },
            ...names,
        );

    /** Opens the panel, if it is not open, and starts. @param {import('puppeteer-core').Page} page @param {Record<string, string>} [choices] */
    async function run(page, choices = {}) {
        if (!(await page.$('pipeline-figure >>> [data-worker="run"]')))
            await page.locator('pipeline-figure >>> [data-view="train"]').click();
        await page.locator('pipeline-figure >>> [data-worker="run"]').wait();
        for (const [name, value] of Object.entries(choices))
            await page.evaluate(
                async (name, value) => {
                    const figure = /** @type {any} */ (document.querySelector('pipeline-figure'));
                    const select = figure.shadowRoot.querySelector(`[data-worker="${name}"]`);
                    select.value = value;
                    select.dispatchEvent(new Event('change', { bubbles: true }));
                    await figure.updateComplete;
                },
                name,
                value,
            );
        await press(page, 'run');
        await page.waitForFunction(
            () => {
                const root = document.querySelector('pipeline-figure')?.shadowRoot;
                const button = /** @type {HTMLButtonElement | null | undefined} */ (
                    root?.querySelector('[data-worker="run"]')
                );
                return button?.disabled === false && root?.querySelector('.workers .numbers-table, .workers .refusal');
            },
            { timeout: 60_000 },
        );
        return seen(page);
    }

    /** @param {import('puppeteer-core').Page} page */
    const seen = (page) =>
        page.evaluate(() => {
            const root = /** @type {ShadowRoot} */ (document.querySelector('pipeline-figure')?.shadowRoot);
            const values = Object.fromEntries(
                [
                    .../** @type {NodeListOf<HTMLElement>} */ (
                        root.querySelectorAll('[data-value], [data-worker-value]')
                    ),
                ].map((cell) => [
                    cell.dataset.value ?? cell.dataset.workerValue,
                    cell.textContent?.replace(/\s+/g, ' ').trim(),
                ]),
            );
            return {
                values,
                notes: [...root.querySelectorAll('.workers .note')].map((note) =>
                    note.textContent?.replace(/\s+/g, ' '),
                ),
                cells: root.querySelectorAll('[data-plot="measured"] .pf-cells path').length,
                others: root.querySelectorAll('[data-plot="measured"] .pf-other').length,
                busy: /** @type {any} */ (root.querySelector('[data-worker="run"]'))?.disabled,
                refusal: root.querySelector('.workers .refusal')?.textContent ?? null,
            };
        });

    it('from disk: the loss goes on, the weights are exact, the measured chart stands under the simulated one', async () => {
        const url = write(figure('lang="en" schedule="1f1b" ranks="2" microbatches="4"'));
        const { page, complaints } = await visit(url);
        // Wide enough for operations that the clock of a page can see, a tenth of a millisecond fine.
        const { values, notes, cells, refusal } = await run(page, { width: '512' });
        assert.equal(refusal, null);
        assert.equal(values.step, '35');
        assert.equal(values.difference, 'exactly 0');
        assert.equal(values.loss, values.reference);
        assert.ok(cells > 0);
        assert.ok(Number(values.one) > 0 && Number(values.many) > 0 && Number(values.operations) > 0);
        // Said is what was measured, whichever it was.
        const gain = Number(values.one) / Number(values.many);
        if (Math.abs(gain - 1) > 0.05)
            assert.match(values.speedup ?? '', gain > 1 ? /^[\d.]+ times$/ : /^none: [\d.]+ times/);
        assert.ok(!notes.join().includes('did not allow'));

        // The times become costs, the measurement stays, and both charts have one axis.
        await page.locator('pipeline-figure >>> [data-worker="feed"]').click();
        await page.waitForFunction(
            () => /** @type {any} */ (document.querySelector('pipeline-figure')).request.forward,
        );
        const fed = await page.evaluate(() => {
            const element = /** @type {any} */ (document.querySelector('pipeline-figure'));
            const last = (/** @type {string} */ box) =>
                element.shadowRoot.querySelector(`${box} .pf-tick-last`)?.getAttribute('x');
            return {
                request: element.request,
                costs: [...element.simulation.costs.forward],
                tags: element.shadowRoot.querySelectorAll('[data-plot="measured"] svg').length,
                ends: [last('.chart'), last('[data-plot="measured"]')],
                makespan: element.simulation.summary.makespan,
            };
        });
        assert.equal(fed.tags, 1);
        assert.equal(fed.request.forward.split(' ').length, 2);
        assert.deepEqual(fed.costs, fed.request.forward.split(' ').map(Number));
        assert.match((await seen(page)).notes.join(), /ticks are milliseconds/);
        // Another schedule: what was measured of the old one goes.
        await page.evaluate(() => document.querySelector('pipeline-figure')?.setAttribute('microbatches', '6'));
        await page.waitForFunction(
            () => !document.querySelector('pipeline-figure')?.shadowRoot?.querySelector('[data-plot="measured"]'),
        );
        assert.deepEqual(complaints, []);
    });

    it('a clock too coarse to see an operation: the note says so, and no chart of nothing stands over it', async () => {
        const { page } = await visit(write(figure('lang="ru" schedule="1f1b" ranks="4" microbatches="8"')), {
            before: () => {
                // As browsers that hide from fingerprints have it; without workers all is timed by this clock.
                const exact = performance.now.bind(performance);
                performance.now = () => Math.floor(exact() / 100) * 100;
                Reflect.deleteProperty(globalThis, 'Worker');
            },
        });
        const { notes, cells } = await run(page, { width: '8' });
        assert.match(notes.join(), /слишком груб/);
        assert.equal(cells, 0);
        assert.equal(await page.$('pipeline-figure >>> [data-plot="measured"]'), null);
    });

    it('a device lost on the way is replaced, and the weights are exact', async () => {
        const url = write(figure('lang="ru" schedule="1f1b" ranks="3" microbatches="4"'));
        const { page, complaints } = await visit(url);
        const { values, notes } = await run(page, { lose: '1' });
        assert.match(
            notes.join(),
            /Устройство 2 потеряно перед [FB]2·\d шага 16; .* после шага 12\..*до последнего бита/,
        );
        assert.equal(values.difference, 'ровно 0');
        assert.equal(values.step, '35');
        assert.deepEqual(complaints, []);
    });

    it('without a flush, too: a step among its neighbours, a device lost and replaced, exact weights, costs fed back', async () => {
        for (const [lang, schedule, same, told] of /** @type {[string, string, string, RegExp][]} */ ([
            [
                'ru',
                'pipedream',
                'ровно 0',
                /потеряно перед [FB]2·\d шага 16; .* после шага 12\. В ней было и всё.*до последнего бита/,
            ],
            [
                'en',
                '2bw',
                'exactly 0',
                /lost before [FB]2·\d of step 16; .* after step 12\. It held all.*to the last bit/,
            ],
        ])) {
            const url = write(figure(`lang="${lang}" schedule="${schedule}" ranks="3" microbatches="4"`));
            const { page, complaints } = await visit(url);
            const { values, notes, refusal, cells, others } = await run(page, {
                lose: '1',
                width: '256',
                batch: '512',
            });
            assert.equal(refusal, null);
            assert.match(notes.join(), told);
            assert.deepEqual([values.difference, values.step, others], [same, '35', 1]);
            assert.equal(values.loss, values.reference);
            assert.ok(cells > 0 && values.model !== '—' && values.predicted !== '—');
            assert.match(
                notes.join(),
                lang === 'ru' ? /серые клетки — операции соседних шагов/ : /grey cells are operations/,
            );
            await page.locator('pipeline-figure >>> [data-worker="feed"]').click();
            await page.waitForFunction(
                () => /** @type {any} */ (document.querySelector('pipeline-figure')).simulation.costs.forward[0] !== 1,
            );
            // Again, from another network, with nobody lost.
            const again = await run(page, { lose: '' });
            assert.deepEqual([again.values.difference, again.values.step], [same, '35']);
            assert.deepEqual(complaints, []);
        }
    });

    it('Adam, tied ends, clipping and a loss scale go to the workers, too, and the weights are exact', async () => {
        const url = write(figure('lang="en" schedule="1f1b" ranks="2" microbatches="4"'));
        const { page, complaints } = await visit(url);
        await page.locator('pipeline-figure >>> [data-view="train"]').click();
        await page.locator('pipeline-figure >>> .training-options summary').click();
        await page.waitForSelector('pipeline-figure >>> .training-options table', { visible: true });
        for (const [label, value] of [
            ['update', 'adam'],
            ['shared weights', 'ends'],
            ['limit of the gradient norm (0: none)', '0.1'],
            ['loss scale', '1e38'],
        ])
            await setTraining(page, label, value);
        // A wide network: at the end of a step of a narrow one a fast machine may show less than its clock can.
        const { values, notes, refusal } = await run(page, { lose: '1', width: '512' });
        assert.equal(refusal, null);
        assert.equal(values.step, '35');
        assert.equal(values.difference, 'exactly 0');
        assert.ok(Number(values.many) > 0 && Number(values.end) > 0, `${values.many} ${values.end}`);
        assert.match(notes.join(), /Device 2 .* to the last bit/);
        assert.deepEqual(complaints, []);
    });

    it('closed while the workers are at work, they end; opened again, it starts anew', async () => {
        const url = write(figure('lang="en" schedule="gpipe" ranks="2" microbatches="2"'));
        const { page, complaints } = await visit(url);
        await page.locator('pipeline-figure >>> [data-view="train"]').click();
        await page.locator('pipeline-figure >>> [data-worker="run"]').wait();
        await press(page, 'run', 'table');
        const { values, refusal } = await run(page);
        assert.equal(refusal, null);
        assert.equal(values.step, '35');
        const workers = page.workers().length;
        assert.equal(workers, 0, `${workers} workers left`);
        assert.deepEqual(complaints, []);
    });

    for (const [policy, schedule] of [
        ["default-src 'none'; script-src 'self' 'wasm-unsafe-eval'", '1f1b'],
        ["script-src 'self' 'wasm-unsafe-eval'; worker-src 'none'", '1f1b'],
        ["script-src 'self' 'wasm-unsafe-eval' blob:; require-trusted-types-for 'script'", '1f1b'],
        ["script-src 'self' 'wasm-unsafe-eval'; worker-src 'none'", 'pipedream'],
    ])
        it(`without workers the same steps run in slices, and no speed-up is said: ${schedule}, ${policy}`, async () => {
            const site = await serve(
                pageText(figure(`schedule="${schedule}" ranks="2" microbatches="3"`), { lang: 'en' }),
                policy,
            );
            try {
                const { page } = await visit(site.url);
                const { values, notes, cells, refusal, busy } = await run(page, { width: '512' });
                assert.equal(refusal, null);
                assert.equal(busy, false);
                assert.match(
                    notes.join(),
                    /did not allow workers\. The same steps were made .* no speed-up was measured/,
                );
                assert.equal(values.speedup, '—');
                assert.equal(values.many, '—');
                assert.equal(values.difference, 'exactly 0');
                assert.equal(values.step, '30');
                assert.ok(cells > 0);
                await page.close();
            } finally {
                site.close();
            }
        });
});
