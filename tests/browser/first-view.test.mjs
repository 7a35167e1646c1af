// Each option by itself, in a figure that opens nothing: the first part of the script and the first core are enough for whatever
// an author may set, and what is refused is refused in words.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutBrowser } from '../support/browser.mjs';
import { inChromium } from '../support/figure-page.mjs';

const SETTINGS = [
    'recompute="late"',
    'recompute="early" recompute-cost="2"',
    'layers="12" partition="cost"',
    'layers="12" partition="makespan"',
    'layers="8" cuts="2 2 3 1"',
    'global-batch="32"',
    'global-batch="32" microbatch-size="2"',
    'memory-weights="3" memory-activations="2"',
    'memory-weights="3" memory-capacity="20"',
    'fail-rank="1" fail-time="5"',
    'fail-step="3" fail-rank="1" checkpoint-every="2" mtbf="100"',
    'moves="3B0+1"',
    'moves="3B0+99"',
    'latency="1" transfer="rendezvous"',
    'bytes="2" bandwidth="1"',
    'bandwidth="1"',
    'microbatch-costs="3 1 1 1 1 1 1 1"',
    'microbatch-costs="3 1 1 1 1 1 1 1" order="best"',
    'gather="1"',
    'gather="1" gather-keep="1"',
    'receive-buffers="1"',
    'receive-buffers="8"',
    'reduce="1" optimizer="1"',
    'forward="1 2 1 1"',
    'forward="1 2"',
    'layout="nonsense"',
];

describe('the first view', { skip: withoutBrowser }, () => {
    const { visit, write } = inChromium();
    for (const setting of SETTINGS)
        it(`${setting}: a chart, or a refusal in words`, async () => {
            const { page, complaints } = await visit(
                write(`<pipeline-figure schedule="1f1b" ranks="4" microbatches="8" ${setting}></pipeline-figure>`),
                { waits: false }, // a refusal has no chart
            );
            await page.waitForFunction(() => {
                const root = document.querySelector('pipeline-figure')?.shadowRoot;
                return root?.querySelector('.chart > svg') || root?.querySelector('.refusal')?.textContent?.trim();
            });
            const shown = await page.$eval('pipeline-figure', (figure) => {
                const root = /** @type {ShadowRoot} */ (figure.shadowRoot);
                return {
                    chart: root.querySelector('.chart > svg') !== null,
                    refusal: root.querySelector('.refusal')?.textContent?.trim() ?? '',
                };
            });
            assert.ok(shown.chart || shown.refusal.length > 20, JSON.stringify(shown));
            assert.deepEqual(complaints, []);
            await page.close();
        });

    it('a listener that answers each refusal by another wrong setting comes to an end, and the page goes on', async () => {
        const { page, complaints } = await visit(
            write('<pipeline-figure ranks="3" microbatches="4"></pipeline-figure>'),
        );
        const told = await page.$eval('pipeline-figure', async (figure) => {
            let told = 0;
            figure.addEventListener('pipeline-error', () => {
                told++;
                figure.setAttribute('microbatches', told % 2 ? '-1' : '0');
            });
            figure.setAttribute('microbatches', '0');
            const settled = async () => {
                while (!(await /** @type {any} */ (figure).updateComplete));
                await new Promise((later) => setTimeout(later));
            };
            await settled();
            const first = told;
            figure.setAttribute('microbatches', '4');
            await settled();
            const lives = figure.shadowRoot?.querySelector('.chart > svg') !== null;
            told = 0;
            figure.setAttribute('ranks', '0');
            await settled();
            return { first, lives, again: told > 0 };
        });
        assert.deepEqual(told, { first: 20, lives: true, again: true });
        assert.match(complaints.join(), /20 refusals in a row/);
    });

    it('a fault while it is drawn: the static picture stays, the reason is said, and what is asked for next is drawn again', async () => {
        const { page } = await visit(
            write(
                '<pipeline-figure schedule="1f1b" ranks="4" microbatches="8"><p id="still" style="height:90px">.</p></pipeline-figure>',
            ),
        );
        const seen = () =>
            page.$eval('pipeline-figure', (figure) => ({
                chart: figure.shadowRoot?.querySelector('.chart > svg') !== null,
                still: /** @type {HTMLElement} */ (figure.querySelector('#still')).getBoundingClientRect().height,
                reason: figure.shadowRoot?.querySelector('.blocked')?.textContent?.replace(/\s+/g, ' ').trim(),
                blocked: figure.matches(':state(blocked)'),
            }));
        /** Asks for five micro-batches, or as many as said, where every number that is written fails. */
        const ask = (/** @type {string} */ m, fails = true) =>
            page.$eval(
                'pipeline-figure',
                async (figure, m, fails) => {
                    /** @type {any} */ (window).told ??= [];
                    figure.addEventListener('pipeline-error', ({ detail }) =>
                        /** @type {any} */ (window).told.push(detail.code),
                    );
                    const { select } = Intl.PluralRules.prototype;
                    if (fails)
                        Intl.PluralRules.prototype.select = () => {
                            throw new Error('no plural');
                        };
                    figure.setAttribute('microbatches', m);
                    await /** @type {any} */ (figure).updateComplete;
                    await /** @type {any} */ (figure).updateComplete;
                    Intl.PluralRules.prototype.select = select;
                },
                m,
                fails,
            );
        await ask('5');
        assert.deepEqual(await seen(), {
            chart: false,
            still: 90,
            reason: 'Рисунок остановила ошибка (no plural). Ниже показана неподвижная схема. Попробовать ещё раз',
            blocked: true,
        });
        assert.ok((await page.evaluate(() => /** @type {any} */ (window).told)).includes('blocked-fault'));
        await page.locator('pipeline-figure >>> .blocked button').click();
        await page.waitForSelector('pipeline-figure >>> .chart > svg');
        assert.equal((await seen()).blocked, false);
        await ask('6');
        assert.equal((await seen()).blocked, true);
        await ask('7', false);
        await page.waitForSelector('pipeline-figure >>> .chart > svg');
        assert.deepEqual(await seen(), { chart: true, still: 0, reason: '', blocked: false });
    });
});
