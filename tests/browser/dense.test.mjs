// Large steps in a page: a canvas under the axes, in the colours of the page, sharp on any screen; few elements; the part
// in sight by buttons, keys, wheel and dragging; pointing and keys as in a small chart.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutBrowser } from '../support/browser.mjs';
import { becomes, inChromium, reading, settled } from '../support/figure-page.mjs';

const IN = 'pipeline-figure >>> ';
const LARGE = '<pipeline-figure schedule="1f1b" ranks="32" microbatches="256" lang="en"></pipeline-figure>';

describe('large steps in a page', { skip: withoutBrowser }, () => {
    const { visit, write } = inChromium();
    const openLarge = (html = LARGE, options = {}) =>
        visit(write(`<h1>h</h1>${html}<p style="height:3000px">`), options);

    /** Colours on the canvas, the most frequent first, as #rrggbb; and its size. */
    const canvas = (/** @type {import('puppeteer-core').Page} */ page) =>
        page.evaluate(() => {
            const root = /** @type {ShadowRoot} */ (document.querySelector('pipeline-figure')?.shadowRoot);
            const node = /** @type {HTMLCanvasElement | null} */ (root.querySelector('canvas.dense'));
            if (!node) return null;
            const copy = document.createElement('canvas');
            Object.assign(copy, { width: node.width, height: node.height });
            const context = /** @type {CanvasRenderingContext2D} */ (
                copy.getContext('2d', { willReadFrequently: true })
            );
            context.drawImage(node, 0, 0);
            const { data } = context.getImageData(0, 0, node.width, node.height);
            const counts = new Map();
            for (const pixel of new Uint32Array(data.buffer)) counts.set(pixel, (counts.get(pixel) ?? 0) + 1);
            const hex = (/** @type {number} */ pixel) =>
                pixel >>> 24 === 0
                    ? 'none'
                    : `#${[0, 8, 16].map((shift) => ((pixel >> shift) & 255).toString(16).padStart(2, '0')).join('')}`;
            const colours = [...counts].sort((a, b) => b[1] - a[1]).map(([pixel]) => hex(pixel));
            const box = node.getBoundingClientRect();
            return { colours, width: node.width, height: node.height, shown: [box.width, box.height] };
        });
    const shown = (/** @type {import('puppeteer-core').Page} */ page) =>
        page.$eval(`${IN}.zoom span`, (node) => node.textContent);
    const press = (/** @type {import('puppeteer-core').Page} */ page, /** @type {string} */ name) =>
        page.$eval(`${IN}[data-zoom=zoom_${name}]`, (button) => /** @type {HTMLElement} */ (button).click());

    it('VIE-01: a canvas in the colours of the figure; few elements; close up, cells again', async () => {
        const { page, complaints } = await openLarge();
        const picture = await canvas(page);
        assert.deepEqual(picture?.colours.slice(0, 2).sort(), ['#0b6cb8', '#f0b14a']);
        assert.ok(picture?.colours.includes('#f9fafb') && picture.colours.includes('#d9dee6'), 'idle time, hatched');
        const nodes = () =>
            page.$eval('pipeline-figure', (figure) => figure.shadowRoot?.querySelectorAll('*').length ?? 0);
        assert.ok((await nodes()) < 400, String(await nodes()));
        for (let k = 0; k < 5; k++) await press(page, 'in');
        assert.equal(await canvas(page), null);
        assert.ok((await page.$$(`${IN}.pf-cell`)).length >= 2);
        assert.ok((await page.$$(`${IN}.pf-number`)).length > 20);
        assert.ok((await nodes()) < 1500, String(await nodes()));
        await press(page, 'all');
        assert.ok(await canvas(page));
        assert.deepEqual(complaints, []);
        await page.close();
    });

    it('as many pixels as the screen has', async () => {
        const { page } = await openLarge(LARGE, { viewport: { width: 900, height: 800, deviceScaleFactor: 2 } });
        const picture = await canvas(page);
        assert.ok(
            picture &&
                Math.abs(picture.width - 2 * picture.shown[0]) <= 2 &&
                Math.abs(picture.height - 2 * picture.shown[1]) <= 2,
        );
        await page.close();
    });

    it('rows in sight first, the others when there is time, or as soon as one scrolls; at last the same picture', async () => {
        const tall = '<pipeline-figure schedule="1f1b" ranks="256" microbatches="16" lang="en"></pipeline-figure>';
        /** Sums of the upper 100 rows of pixels and of the lower 100, once `when` is over. @param {import('puppeteer-core').Page} page @param {string} forward @param {string} when */
        const sums = (page, forward, when) =>
            page.$eval(
                'pipeline-figure',
                async (figure, cost, until) => {
                    const node = /** @type {any} */ (figure);
                    node.forward = cost;
                    await node.updateComplete;
                    if (until === 'scrolled') dispatchEvent(new Event('scroll'));
                    if (until === 'printed') dispatchEvent(new Event('beforeprint'));
                    const canvas = node.shadowRoot.querySelector('canvas.dense');
                    const copy = document.createElement('canvas');
                    Object.assign(copy, { width: canvas.width, height: canvas.height });
                    const context = /** @type {CanvasRenderingContext2D} */ (
                        copy.getContext('2d', { willReadFrequently: true })
                    );
                    context.drawImage(canvas, 0, 0);
                    return [0, canvas.height - 100].map((y) => {
                        const { data } = context.getImageData(0, y, canvas.width, 100);
                        return new Uint32Array(data.buffer).reduce((sum, pixel) => (sum * 31 + pixel) >>> 0, 7);
                    });
                },
                forward,
                when,
            );
        const high = await openLarge(tall, { viewport: { width: 900, height: 2000 } });
        const whole = {};
        for (const cost of ['1', '2', '3', '4']) whole[cost] = await sums(high.page, cost, 'at once');
        await high.page.close();
        const low = await openLarge(tall, { viewport: { width: 900, height: 500 } });
        /** Setting the same cost again draws nothing. @param {string} cost */
        const atLast = async (cost) => `${await sums(low.page, cost, 'at once')}` === `${whole[cost]}`;
        await becomes(() => atLast('1'), 'the whole picture');
        const [upper, lower] = await sums(low.page, '2', 'at once');
        assert.ok(upper === whole['2'][0] && lower !== whole['2'][1]);
        await becomes(() => atLast('2'), 'the whole picture');
        assert.deepEqual(await sums(low.page, '3', 'scrolled'), whole['3']);
        assert.deepEqual(await sums(low.page, '4', 'printed'), whole['4']);
        await low.page.evaluate(() => scrollTo(0, 800));
        await settled(low.page);
        const [above, below] = await sums(low.page, '1', 'at once');
        assert.ok(above !== whole['1'][0] && below === whole['1'][1]);
        assert.deepEqual([...low.complaints, ...high.complaints], []);
        await low.page.close();
    });

    it('dark pages, changes of the theme, a colour of the page, forced colours, paper', async () => {
        const { page } = await openLarge(
            LARGE.replace('<pipeline-figure', '<pipeline-figure style="--pipeline-backward:#ff00ff"'),
            {
                media: [{ name: 'prefers-color-scheme', value: 'light' }],
            },
        );
        assert.ok((await canvas(page))?.colours.includes('#ff00ff'));
        await page.$eval('pipeline-figure', (figure) => {
            /** @type {any} */ (figure).theme = 'dark';
        });
        await settled(page);
        await becomes(async () => (await canvas(page))?.colours.includes('#2a74b8'), 'the theme of the figure');
        const buttons = () => page.$eval(`${IN}.zoom`, (node) => node.getBoundingClientRect().height);
        assert.ok((await buttons()) > 20);
        await page.emulateMediaType('print');
        await settled(page);
        assert.equal(await buttons(), 0, 'nothing to press on paper');
        await becomes(async () => (await canvas(page))?.colours.includes('#0b6cb8'), 'paper is light');
        await page.emulateMediaType('screen');
        await page.emulateMediaFeatures([{ name: 'prefers-color-scheme', value: 'dark' }]);
        await page.close();

        const forced = await openLarge();
        const session = await forced.page.createCDPSession();
        await session.send('Emulation.setEmulatedMedia', { features: [{ name: 'forced-colors', value: 'active' }] });
        await settled(forced.page);
        const { colours } = /** @type {NonNullable<Awaited<ReturnType<typeof canvas>>>} */ (await canvas(forced.page));
        const system = await forced.page.evaluate(() => {
            const probe = document.body.appendChild(document.createElement('i'));
            return ['CanvasText', 'Highlight'].map((name) => {
                probe.style.color = name;
                const [r, g, b] = getComputedStyle(probe).color.match(/\d+/g)?.map(Number) ?? [];
                return `#${[r, g, b].map((part) => part.toString(16).padStart(2, '0')).join('')}`;
            });
        });
        const parts = (/** @type {string} */ colour) =>
            [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
        const alike = (/** @type {string} */ a, /** @type {string} */ b) =>
            parts(a).every((part, c) => Math.abs(part - parts(b)[c]) <= 2);
        for (const colour of system)
            assert.ok(
                colours.some((own) => alike(own, colour)),
                `${colour} of ${colours}`,
            );
        assert.ok(!colours.includes('#0b6cb8'));
        await forced.page.close();
    });

    it('pointing at a pixel explains the action under it; a click pins it', async () => {
        const { page } = await openLarge();
        const svg = /** @type {import('puppeteer-core').ElementHandle} */ (
            await page.$(`${IN}.chart > svg:not(.probe)`)
        );
        const box = /** @type {import('puppeteer-core').BoundingBox} */ (await svg.boundingBox());
        const pixels = await page.$eval(`${IN}canvas.dense`, (node) => node.getBoundingClientRect().toJSON());
        await page.mouse.move(pixels.x + 10, pixels.y + 8);
        await settled(page);
        assert.match((await reading(page)).explanation ?? '', /^Device 1, .*micro-batch \d+/i);
        await page.mouse.click(box.x + box.width / 2, box.y + 300);
        await settled(page);
        assert.match((await reading(page)).explanation ?? '', /let go/);
        assert.ok((await page.$$(`${IN}.pf-selected`)).length === 1);
        await page.close();
    });

    it('keys: + and − around the cursor, arrows take the part in sight along', async () => {
        const { page } = await openLarge();
        await page.$eval(`${IN}.cursor`, (cursor) => /** @type {HTMLElement} */ (cursor).focus());
        for (let k = 0; k < 6; k++) await page.keyboard.press('+');
        await settled(page);
        await page.keyboard.press('Home');
        await settled(page);
        assert.match((await shown(page)) ?? '', /ticks 0–/);
        for (let k = 0; k < 30; k++) await page.keyboard.press('ArrowRight');
        await page.keyboard.press('End');
        await settled(page);
        assert.match((await shown(page)) ?? '', /–861,/);
        for (let k = 0; k < 31; k++) await page.keyboard.press('ArrowDown');
        await settled(page);
        assert.match((await shown(page)) ?? '', /–32$/);
        const label = await page.$eval(`${IN}.cursor`, (cursor) => cursor.getAttribute('aria-label'));
        assert.ok(label && label.length > 5);
        await page.keyboard.press('0');
        await settled(page);
        assert.match((await shown(page)) ?? '', /Ctrl/);
        await page.close();
    });

    it('the wheel scrolls the page; with Ctrl it brings the chart closer, around the pointer', async () => {
        const { page } = await openLarge();
        const svg = /** @type {import('puppeteer-core').ElementHandle} */ (
            await page.$(`${IN}.chart > svg:not(.probe)`)
        );
        const box = /** @type {import('puppeteer-core').BoundingBox} */ (await svg.boundingBox());
        await page.mouse.move(box.x + 600, box.y + 200);
        await page.mouse.wheel({ deltaY: 200 });
        await page.waitForFunction(() => scrollY > 0);
        assert.match((await shown(page)) ?? '', /Ctrl/);
        await page.evaluate(() => scrollTo(0, 0));
        const prevented = await page.$eval(`${IN}.chart`, (chart) => {
            const event = (/** @type {any} */ init) =>
                new WheelEvent('wheel', { bubbles: true, cancelable: true, clientX: 600, clientY: 300, ...init });
            return [{ deltaY: 100 }, { deltaY: -800, ctrlKey: true }, { deltaY: 100 }, { deltaX: 50 }].map(
                (init) => !chart.dispatchEvent(event(init)),
            );
        });
        assert.deepEqual(prevented, [false, true, false, true]);
        assert.match((await shown(page)) ?? '', /^Shown: ticks [1-9]/);
        await page.close();
    });

    it('dragging moves the part in sight, and is no click; small figures have nothing of this', async () => {
        const { page } = await openLarge();
        for (let k = 0; k < 3; k++) await press(page, 'in');
        const before = await shown(page);
        const svg = /** @type {import('puppeteer-core').ElementHandle} */ (
            await page.$(`${IN}.chart > svg:not(.probe)`)
        );
        const box = /** @type {import('puppeteer-core').BoundingBox} */ (await svg.boundingBox());
        await page.mouse.move(box.x + 600, box.y + 200);
        await page.mouse.down();
        await page.mouse.move(box.x + 400, box.y + 150, { steps: 4 });
        await page.mouse.up();
        await settled(page);
        assert.notEqual(await shown(page), before);
        assert.doesNotMatch((await reading(page)).explanation ?? '', /let go/);
        await page.close();
        const small = await openLarge('<pipeline-figure schedule="1f1b" ranks="4" microbatches="8"></pipeline-figure>');
        assert.equal((await small.page.$$(`${IN}.zoom`)).length, 0);
        assert.equal((await small.page.$$(`${IN}canvas.dense`)).length, 0);
        await small.page.close();
    });

    it('a million actions are drawn, compared, and put away', async () => {
        const { page, complaints } = await openLarge(
            '<pipeline-figure schedule="1f1b" ranks="512" microbatches="1024" lang="en"></pipeline-figure>',
        );
        assert.ok(await canvas(page));
        await page.$eval(`${IN}[data-view=compare]`, (button) => /** @type {HTMLElement} */ (button).click());
        await settled(page);
        assert.equal((await page.$$(`${IN}canvas.dense`)).length, 2);
        assert.ok(
            (await page.$eval('pipeline-figure', (figure) => figure.shadowRoot?.querySelectorAll('*').length ?? 0)) <
                3000,
        );
        await page.$eval(`${IN}[data-view=memory]`, (button) => /** @type {HTMLElement} */ (button).click());
        await settled(page);
        assert.ok((await page.$$(`${IN}.held`)).length > 0);
        await page.$eval(`${IN}[data-view=table]`, (button) => /** @type {HTMLElement} */ (button).click());
        await settled(page);
        assert.ok((await page.$$(`${IN}table`)).length === 1);
        await page.$eval('pipeline-figure', (figure) => {
            /** @type {any} */ (figure).ranks = '4';
            /** @type {any} */ (figure).microbatches = '8';
        });
        await settled(page);
        assert.equal(await canvas(page), null);
        assert.deepEqual(complaints, []);
        await page.close();
    });
});
