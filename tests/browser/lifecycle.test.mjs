// What figures leave behind: nothing.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { withoutBrowser } from '../support/browser.mjs';
import { becomes, inChromium, quiet } from '../support/figure-page.mjs';

const FIGURE = '<pipeline-figure schedule="1f1b" ranks="4" microbatches="8"></pipeline-figure>';
const MEGABYTE = 1 << 20;

describe('figures that come and go', { skip: withoutBrowser }, () => {
    const { visit, write, beside } = inChromium({ args: ['--js-flags=--expose-gc'] });

    /** Bytes in use once all is collected that can be. @param {import('puppeteer-core').Page} page */
    async function heap(page) {
        for (let i = 0; i < 3; i++) {
            await page.evaluate(() => /** @type {any} */ (globalThis).gc());
            await quiet(100);
        }
        return (await page.metrics()).JSHeapUsedSize ?? Number.NaN;
    }

    it('EMB-13: one inserted and removed a thousand times: memory returns to within 1 MB', async () => {
        const { page, complaints } = await visit(write(FIGURE.repeat(5)));
        const comeAndGo = (/** @type {number} */ times) =>
            page.evaluate((times) => {
                const figure = /** @type {Element} */ (document.querySelector('pipeline-figure'));
                const place = /** @type {Element} */ (figure.parentElement);
                for (let i = 0; i < times; i++) {
                    figure.remove();
                    place.prepend(figure);
                }
            }, times);
        await comeAndGo(20);
        const first = await heap(page);
        await comeAndGo(1000);
        await becomes(async () => (await heap(page)) - first < MEGABYTE, 'memory is given back');
        assert.deepEqual(complaints, []);
    });

    it('EMB-13: forty new ones, each drawn and thrown away: memory returns to within 1 MB', async () => {
        const { page, complaints } = await visit(write(FIGURE));
        const makeAndDrop = (/** @type {number} */ times) =>
            page.evaluate(async (times) => {
                for (let i = 0; i < times; i++) {
                    const figure = /** @type {any} */ (document.createElement('pipeline-figure'));
                    figure.setAttribute('schedule', 'gpipe');
                    document.body.prepend(figure);
                    await figure.ready;
                    figure.remove();
                }
            }, times);
        await makeAndDrop(10);
        const first = await heap(page);
        await makeAndDrop(40);
        await becomes(async () => (await heap(page)) - first < MEGABYTE, 'memory is given back');
        assert.deepEqual(complaints, []);
    });

    it('EMB-12: another version of the script says so once and leaves the element to the first', async () => {
        const url = write(FIGURE, { head: '<script src="other.js" defer></script>'.repeat(2), scripts: 1 });
        const text = readFileSync(beside('pipeline-figure.js'), 'utf8');
        const { version } = JSON.parse(readFileSync(new URL('../../dist/build-info.json', import.meta.url), 'utf8'));
        assert.ok(text.includes(`"${version}"`));
        writeFileSync(beside('other.js'), text.replaceAll(`"${version}"`, '"9.9.9"'));
        const { complaints } = await visit(url);
        assert.deepEqual(complaints, [
            `pipeline-figure: 9.9.9 is on this page already; ${version} leaves the element to it`,
        ]);
    });
});
