// The figure before a lecture hall: it fills the window, its answers wait, keys walk the steps, two states are kept.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutBrowser } from '../support/browser.mjs';
import { becomes, inChromium, settled } from '../support/figure-page.mjs';

const IN = 'pipeline-figure >>> ';

describe('a lecture', { skip: withoutBrowser }, () => {
    const { visit, write } = inChromium();
    const openFigure = (/** @type {string} */ attributes) =>
        visit(write(`<p>Text of the page.</p><pipeline-figure ${attributes}></pipeline-figure><p>More of it.</p>`), {
            viewport: { width: 1366, height: 768 },
        });
    /** @param {import('puppeteer-core').Page} page */
    const seen = async (page) => {
        await settled(page);
        return page.$eval('pipeline-figure', (figure) => {
            const root = /** @type {ShadowRoot} */ (figure.shadowRoot);
            const shown = (/** @type {string} */ selector) => {
                const node = root.querySelector(selector);
                return node?.checkVisibility({ visibilityProperty: true }) ?? false;
            };
            const { top, bottom, width } = figure.getBoundingClientRect();
            return {
                fills: top <= 0 && bottom >= innerHeight && width >= document.documentElement.clientWidth,
                sentence: shown('.sentence'),
                numbers: shown('.numbers'),
                chart: shown('.chart > svg'),
                preset: figure.getAttribute('preset'),
                schedule: figure.getAttribute('schedule'),
            };
        });
    };
    const begun = (/** @type {import('puppeteer-core').Page} */ page) =>
        page.waitForSelector(`${IN}.lecture`, { visible: true });

    it('by the key L: the window is full, answers wait for the space bar, Esc gives all back', async () => {
        const { page, complaints } = await openFigure('preset="gpipe"');
        await page.focus(`${IN}[data-preset="gpipe"]`);
        await page.keyboard.press('KeyL');
        await begun(page);
        const { preset, ...asked } = await seen(page);
        assert.deepEqual(asked, { fills: true, sentence: false, numbers: false, chart: true, schedule: 'gpipe' });
        assert.equal(preset, 'gpipe');
        const [cell, type] = await page.$eval('pipeline-figure', (figure) => {
            const root = /** @type {ShadowRoot} */ (figure.shadowRoot);
            const { height } = /** @type {Element} */ (root.querySelector('.place')).getBoundingClientRect();
            return [height, Number.parseFloat(getComputedStyle(figure).fontSize)];
        });
        assert.ok(cell >= 48 && type >= 24, `${cell} px, type of ${type} px`);
        await page.evaluate(() => /** @type {any} */ (document.activeElement)?.blur());
        await page.keyboard.press('Space');
        const { sentence, numbers } = await seen(page);
        assert.ok(sentence && numbers);
        await page.keyboard.press('Escape');
        await becomes(async () => !(await seen(page)).fills, 'the page is back');
        assert.equal((await seen(page)).sentence, true);
        assert.deepEqual(complaints, []);
    });

    it('by the attribute: arrows and a clicker walk the steps, each with its answers hidden; two states are kept', async () => {
        const { page, complaints } = await openFigure('preset="forward" lecture');
        await begun(page);
        await page.keyboard.press('ArrowRight');
        await becomes(async () => (await seen(page)).preset === 'uneven', 'the next step');
        await page.keyboard.press('PageDown');
        await becomes(async () => (await seen(page)).preset === 'gpipe', 'the one after');
        await page.keyboard.press('Space');
        assert.equal((await seen(page)).sentence, true);
        await page.keyboard.press('ArrowRight');
        await becomes(async () => (await seen(page)).preset === 'recompute', 'recomputation');
        assert.equal((await seen(page)).sentence, false);
        await page.keyboard.press('ArrowLeft');
        await becomes(async () => (await seen(page)).preset === 'gpipe', 'and back');
        const keep = async (/** @type {'Digit1' | 'Digit2'} */ digit) => {
            await page.keyboard.down('Shift');
            await page.keyboard.press(digit);
            await page.keyboard.up('Shift');
        };
        await keep('Digit1');
        await page.$eval('pipeline-figure', (figure) => figure.setAttribute('microbatches', '5'));
        await settled(page);
        await keep('Digit2');
        const m = () => page.$eval('pipeline-figure', (figure) => figure.getAttribute('microbatches'));
        await page.keyboard.press('Digit1');
        await becomes(async () => (await m()) === '8', 'the first state');
        await page.keyboard.press('Digit2');
        await becomes(async () => (await m()) === '5', 'the second state');
        // The same by buttons, for who has no keyboard.
        await page.locator(`${IN}[data-lecture="recall1"]`).click();
        await becomes(async () => (await m()) === '8', 'the first state again');
        await page.locator(`${IN}[data-lecture="answers"]`).click();
        assert.equal((await seen(page)).sentence, true);
        await page.locator(`${IN}[data-lecture="end"]`).click();
        await becomes(async () => !(await seen(page)).fills, 'the page is back');
        assert.equal(await page.$eval('pipeline-figure', (figure) => figure.hasAttribute('lecture')), false);
        assert.deepEqual(complaints, []);
    });

    it('a letter typed into a field is a letter, and a figure that is taken out lets go of the keys', async () => {
        const { page, complaints } = await openFigure('ranks="3" microbatches="4"');
        await page.locator(`${IN}.controls button[aria-expanded]`).click();
        const field = await page.waitForSelector(`${IN}input[type="text"]`, { visible: true });
        await field?.focus();
        await page.keyboard.press('KeyL');
        assert.equal((await seen(page)).fills, false);
        await page.$eval('pipeline-figure', (figure) => figure.setAttribute('lecture', ''));
        await begun(page);
        const eaten = await page.evaluate(() => {
            document.querySelector('pipeline-figure')?.remove();
            const event = new KeyboardEvent('keydown', { key: ' ', code: 'Space', bubbles: true, cancelable: true });
            document.body.dispatchEvent(event);
            return event.defaultPrevented;
        });
        assert.equal(eaten, false);
        assert.deepEqual(complaints, []);
    });
});
