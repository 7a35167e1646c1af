// That a figure answers, and how soon, told and not judged: speed is measured by npm run bench.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { launch, withoutBrowser } from '../support/browser.mjs';
import { open, pageFolder } from '../support/figure-page.mjs';
import { timeToInteractive } from '../support/interactive.mjs';

describe('how soon', { skip: withoutBrowser }, () => {
    it('MUST-03: a figure answers once its script has arrived, and the time is told', async (t) => {
        const browser = await launch();
        try {
            const { figure, fastest, empty, ratio } = await timeToInteractive(browser, 5);
            t.diagnostic(
                `figure ${figure.toFixed(0)} ms (fastest ${fastest.toFixed(0)}), an empty lit element ${empty.toFixed(0)} ms: ${ratio.toFixed(1)} times`,
            );
            assert.ok(figure >= fastest && fastest > 0 && empty > 0, `${figure} ${fastest} ${empty}`);
        } finally {
            await browser.close();
        }
    });

    it('VIE-01: 16 384 operations are drawn at once, and the time is told', async (t) => {
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
                    const canvas = figure.shadowRoot.querySelector('.chart canvas');
                    if (figure.simulation.actions.count !== 16_384 || !(canvas?.width > 300))
                        throw new Error('not drawn');
                    figure.remove();
                }
                return times.sort((a, b) => a - b);
            });
            t.diagnostic(`first drawing ${times.map((time) => time.toFixed(0))} ms`);
            assert.equal(times.length, 5);
        } finally {
            await browser.close();
            folder.remove();
        }
    });
});
