// The figure where a page, or a browser, forbids something.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutBrowser } from '../support/browser.mjs';
import { inChromium, pageText, reading, serve, setControl } from '../support/figure-page.mjs';

const FIGURE =
    '<pipeline-figure schedule="1f1b" ranks="4" microbatches="8"><p id="still">still picture</p></pipeline-figure>';

describe('the element under a policy', { skip: withoutBrowser }, () => {
    const { visit, write } = inChromium();

    /** The static picture is seen, the reason is said. @param {import('puppeteer-core').Page} page @param {RegExp} reason */
    async function blocked(page, reason) {
        await page.waitForFunction(
            () => document.querySelector('pipeline-figure')?.shadowRoot?.querySelector('.blocked')?.textContent,
        );
        const seen = await reading(page);
        assert.match(seen.blocked ?? '', reason);
        assert.equal(seen.chart, false);
        const box = await (await page.$('#still'))?.boundingBox();
        assert.ok(box && box.height > 0, 'the static picture is there');
        assert.equal(
            await page.$eval('pipeline-figure', (f) => f.shadowRoot?.querySelector('.blocked')?.getAttribute('role')),
            'status',
        );
        assert.equal(await page.$eval('pipeline-figure', (f) => /** @type {any} */ (f).ready), false);
    }

    for (const policy of [
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'",
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; require-trusted-types-for 'script'",
    ]) {
        it(`EMB-03: works in full under ${policy}`, async () => {
            const site = await serve(pageText(FIGURE), policy);
            try {
                const { page, complaints } = await visit(site.url, {
                    before: () => {
                        /** @type {any} */ (window).violations = [];
                        addEventListener('securitypolicyviolation', (event) => {
                            /** @type {any} */ (window).violations.push(
                                `${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}`,
                            );
                        });
                    },
                });
                assert.equal((await reading(page)).time, '33 такта');
                await setControl(page, '[data-option="ranks"] input', '5');
                await page.locator('pipeline-figure >>> .controls .link').click();
                for (const view of ['play', 'memory', 'curve', 'compare', 'path', 'table', 'train', 'files'])
                    await page.locator(`pipeline-figure >>> [data-view="${view}"]`).click();
                await page.locator('pipeline-figure >>> .place').click();
                assert.deepEqual(
                    await page.evaluate(() =>
                        /** @type {any} */ (window).violations.filter((/** @type {string} */ v) => !/favicon/.test(v)),
                    ),
                    [],
                );
                assert.deepEqual(
                    complaints.filter((text) => !/favicon/.test(text)),
                    [],
                );
                await page.close();
            } finally {
                site.close();
            }
        });
    }

    for (const [lang, reason] of /** @type {[string, RegExp][]} */ ([
        ['ru', /запрещает WebAssembly.*неподвижная схема.*wasm-unsafe-eval.*nowasm=pipeline-figure\.nowasm\.js/],
        ['en', /forbids WebAssembly.*still picture.*wasm-unsafe-eval.*nowasm=pipeline-figure\.nowasm\.js/],
    ])) {
        it(`MUST-09, EMB-03: without wasm-unsafe-eval says so and keeps the static picture: ${lang}`, async () => {
            const site = await serve(pageText(FIGURE, { lang }), "script-src 'self'");
            try {
                const { page } = await visit(site.url, { waits: false });
                await blocked(page, reason);
                await page.close();
            } finally {
                site.close();
            }
        });
    }

    it('MUST-09, EMB-05: without WebAssembly says so and keeps the static picture', async () => {
        const { page, complaints } = await visit(write(FIGURE), {
            waits: false,
            before: () => {
                delete (/** @type {any} */ (globalThis).WebAssembly);
            },
        });
        await blocked(page, /WebAssembly отключён/);
        assert.deepEqual(complaints, []);
    });

    it('POINT-12: lives in a sandbox, as learning platforms put pages into', async () => {
        const site = await serve(pageText(FIGURE), 'sandbox allow-scripts');
        try {
            const { page, complaints } = await visit(site.url);
            assert.equal((await reading(page)).time, '33 такта');
            assert.deepEqual(
                complaints.filter((text) => !/favicon/.test(text)),
                [],
            );
            await page.close();
        } finally {
            site.close();
        }
    });
});
