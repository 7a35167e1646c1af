// The browser is ended from outside in the middle of a test.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inChromium } from '../../support/figure-page.mjs';

describe('a suite', () => {
    const { visit, write } = inChromium();
    it('loses its browser', async () => {
        const { page } = await visit(write('<pipeline-figure></pipeline-figure>'));
        process.kill(Number(page.browser().process()?.pid), 'SIGKILL');
        await page.waitForFunction(() => false);
    });
    it('finds none', async () => {
        await visit(write('<pipeline-figure></pipeline-figure>'));
    });
    it('needs none', () => assert.ok(true));
});
