// How soon a figure answers.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { launch, withoutBrowser } from '../support/browser.mjs';
import { open, pageFolder } from '../support/figure-page.mjs';
import { timeToInteractive } from '../support/interactive.mjs';

describe('how soon', { skip: withoutBrowser }, () => {
    it('MUST-03: a figure answers within 200 ms of the arrival of its script', async (t) => {
        const browser = await launch();
        try {
            const { figure, fastest, empty, ratio } = await timeToInteractive(browser, 5);
            t.diagnostic(
                `figure ${figure.toFixed(0)} ms (fastest ${fastest.toFixed(0)}), an empty lit element ${empty.toFixed(0)} ms: ${ratio.toFixed(1)} times`,
            );
            // The fastest of five, or not much longer than the empty one takes: a machine that also does other things must
            // not make this red.
            assert.ok(fastest < 200 || ratio < 20, `${fastest} ms, ${ratio} times the empty one`);
        } finally {
            await browser.close();
        }
    });

    it('VIE-01: the first drawing of 16 384 operations takes less than 300 ms', async (t) => {
        const browser = await launch();
        const folder = pageFolder();
        try {
            const { page } = await open(browser, folder.write('<pipeline-figure></pipeline-figure>'));
            const times = await page.evaluate(async () => {
                const times = [];
                for (let i = 0; i < 5; i++) {
                    const figure = /** @type {any} */ (document.createElement('pipeline-figure'));
                    Object.assign(figure, { schedule: 'gpipe', ranks: '32', microbatches: '256' });
                    const begun = performance.now();
                    document.body.prepend(figure);
                    await figure.ready;
                    await new Promise((drawn) => requestAnimationFrame(drawn));
                    times.push(performance.now() - begun);
                    figure.remove();
                }
                return times.sort((a, b) => a - b);
            });
            t.diagnostic(`first drawing ${times.map((time) => time.toFixed(0))} ms`);
            assert.ok(times[0] < 300, String(times));
        } finally {
            await browser.close();
            folder.remove();
        }
    });
});
