// What a page is told, as docs/embedding.md says it: own properties of a figure, and what its events carry.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutBrowser } from '../support/browser.mjs';
import { inChromium, setControl } from '../support/figure-page.mjs';
import { manualNames, manualTable } from '../support/manual.mjs';

describe('the manual', { skip: withoutBrowser }, () => {
    const { visit, write } = inChromium();

    it('MUST-15: a figure has no property of its own that the manual lacks', async () => {
        const { page } = await visit(write('<pipeline-figure></pipeline-figure>'));
        const own = await page.evaluate(() => {
            const Figure = /** @type {any} */ (customElements.get('pipeline-figure'));
            customElements.define('bare-element', class extends Object.getPrototypeOf(Figure) {});
            const bare = new Set(
                Object.getOwnPropertyNames(document.body.appendChild(document.createElement('bare-element'))),
            );
            const figure = /** @type {Element} */ (document.querySelector('pipeline-figure'));
            return Object.getOwnPropertyNames(figure).filter((name) => !bare.has(name) && !name.startsWith('_'));
        });
        const documented = new Set(manualNames('Properties and methods'));
        const undocumented = own.filter(
            (name) => !documented.has(name) && name !== 'hasUpdated' && name !== 'isUpdatePending',
        );
        assert.deepEqual(undocumented, []);
    });

    it('MUST-15: each event comes with what the manual says, and with nothing else', async () => {
        const { page } = await visit(write('<main></main>'), { waits: false });
        await page.evaluate(async () => {
            const heard = /** @type {Record<string, string[]>} */ ({});
            /** @type {any} */ (window).heard = heard;
            for (const name of ['ready', 'change', 'select', 'error', 'answer'])
                addEventListener(`pipeline-${name}`, (event) => {
                    const { detail } = /** @type {CustomEvent} */ (event);
                    const term = detail?.terms?.[0];
                    heard[`pipeline-${name}`] = [
                        ...(heard[`pipeline-${name}`] ?? []),
                        ...Object.keys(detail ?? {}),
                        ...Object.keys(term ?? {}),
                    ];
                });
            const figure = document.createElement('pipeline-figure');
            for (const [name, value] of Object.entries({
                schedule: 'gpipe',
                ranks: '3',
                microbatches: '4',
                challenge: 'bubble<20%',
            }))
                figure.setAttribute(name, value);
            document.body.prepend(figure);
            await /** @type {any} */ (figure).ready;
        });
        await setControl(page, '[data-option="microbatches"] input', '12');
        await page.waitForFunction(() => /** @type {any} */ (window).heard['pipeline-answer']);
        const focus = (/** @type {string} */ name) =>
            page.$eval(
                'pipeline-figure',
                (f, name) =>
                    /** @type {any} */ (
                        [...(f.shadowRoot?.querySelectorAll('.place') ?? [])].find((place) =>
                            place.getAttribute('aria-label')?.startsWith(name),
                        )
                    )?.focus(),
                name,
            );
        await focus('Прямой');
        await page.keyboard.press('ArrowRight');
        await page.keyboard.press('End');
        await page.keyboard.press('ArrowRight');
        await focus('Простой');
        await page.keyboard.press('Enter');
        await page.keyboard.press('ArrowDown');
        await page.$eval('pipeline-figure', async (figure) => {
            figure.setAttribute('ranks', 'x');
            await /** @type {any} */ (figure).updateComplete;
        });
        const heard = await page.evaluate(() => /** @type {any} */ (window).heard);
        for (const [event, , detail] of manualTable('Events')) {
            const name = event.replaceAll('`', '');
            const values = new Set(['user', 'url', 'action', 'idle', 'null']);
            const said = new Set(
                [...detail.matchAll(/`(\w+)`/g)].map(([, word]) => word).filter((word) => !values.has(word)),
            );
            assert.deepEqual([...new Set(heard[name])].sort(), [...said].sort(), name);
        }
    });
});
