// The Python program of the present setting: in a fold of the files view, and as a download.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { withoutBrowser } from '../support/browser.mjs';
import { inChromium, setControl } from '../support/figure-page.mjs';
import { withoutPython } from '../support/optional.mjs';

describe('the Python program', { skip: withoutBrowser || withoutPython }, () => {
    const { visit, write } = inChromium();

    /** @param {import('puppeteer-core').Page} page */
    const shown = (page) =>
        page.evaluate(
            () =>
                document.querySelector('pipeline-figure')?.shadowRoot?.querySelector('.python pre')?.textContent ?? '',
        );

    it('follows the figure and, run, prints its ticks and its share', async () => {
        const url = write('<pipeline-figure lang="ru"><p>still picture</p></pipeline-figure>');
        const { page, complaints } = await visit(url);
        await page.locator('pipeline-figure >>> [data-view="files"]').click();
        assert.equal(await shown(page), ''); // folded: nothing is made
        await page.locator('pipeline-figure >>> .python summary').click();
        await page.waitForFunction(() =>
            document.querySelector('pipeline-figure')?.shadowRoot?.querySelector('.python pre'),
        );
        const output = (/** @type {string} */ text) =>
            spawnSync('python3', ['-'], { input: text, encoding: 'utf8' }).stdout;
        assert.equal(output(await shown(page)), 'ticks 6\nutilization 2/3\n');
        await setControl(page, '[data-option="microbatches"] input', '8');
        assert.equal(output(await shown(page)), 'ticks 10\nutilization 4/5\n');
        await page.evaluate(() => document.querySelector('pipeline-figure')?.setAttribute('transfer', 'rendezvous'));
        await page.waitForFunction(() =>
            document.querySelector('pipeline-figure')?.shadowRoot?.querySelector('.python .note'),
        );
        assert.equal(await shown(page), '');
        assert.deepEqual(complaints, []);
    });

    it('is saved under the name of the setting', async () => {
        const url = write('<pipeline-figure lang="en" schedule="1f1b" ranks="2" microbatches="2"></pipeline-figure>');
        const { page } = await visit(url);
        await page.locator('pipeline-figure >>> [data-view="files"]').click();
        await page.locator('pipeline-figure >>> .python summary').click();
        await page.evaluate(() => {
            HTMLAnchorElement.prototype.click = function () {
                /** @type {any} */ (window).saved = { name: this.download, href: this.href };
            };
        });
        // Without `visible` it would watch for changes of the document, and the button comes into a shadow root.
        const save = await page.waitForSelector('pipeline-figure >>> [data-python="save"]', { visible: true });
        await save?.click();
        const { name, text } = await page.evaluate(async () => {
            const { name, href } = /** @type {any} */ (window).saved;
            return { name, text: await (await fetch(href)).text() };
        });
        assert.equal(name, 'pipeline-1f1b-p2-m2.py');
        assert.equal(text, await shown(page));
        assert.match(text, /def train_step/);
    });
});
