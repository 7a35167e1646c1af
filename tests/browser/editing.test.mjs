// What a reader changes by taking hold of it: layers, samples, durations, the order. By pointer, by keys, by buttons.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { withoutBrowser } from '../support/browser.mjs';
import { becomes, inChromium, reading, setControl, setOption, settled } from '../support/figure-page.mjs';

const IN = 'pipeline-figure >>> ';
/** @typedef {import('puppeteer-core').Page} Page */

describe('taking hold of the figure', { skip: withoutBrowser }, () => {
    const { visit, write, beside } = inChromium();
    /** Opens a figure with a part of what can be changed. @param {string} attributes @param {string} part */
    const openPart = async (attributes, part, options = {}, hash = '') => {
        const opened = await visit(write(`<pipeline-figure ${attributes}></pipeline-figure>`) + hash, options);
        await press(opened.page, '[data-edit="open"]');
        await press(opened.page, `[data-part="${part}"]`);
        return opened;
    };
    const press = async (/** @type {Page} */ page, /** @type {string} */ selector) => {
        await page.locator(IN + selector).click();
        await settled(page);
    };
    const request = (/** @type {Page} */ page) => page.$eval('pipeline-figure', (f) => /** @type {any} */ (f).request);
    const ticks = async (/** @type {Page} */ page) => (await reading(page)).time?.split(' ')[0];
    const text = (/** @type {Page} */ page, /** @type {string} */ selector) =>
        page.$eval(IN + selector, (node) => node.textContent?.replace(/\s+/g, ' ').trim() ?? '');
    /** Middle of something in the figure, in pixels of the window. */
    const middle = (/** @type {Page} */ page, /** @type {string} */ selector) =>
        page.$eval(IN + selector, (node) => {
            node.scrollIntoView({ block: 'center' });
            const { x, y, width, height } = node.getBoundingClientRect();
            return { x: x + width / 2, y: y + height / 2 };
        });
    const drag = async (
        /** @type {Page} */ page,
        /** @type {string} */ selector,
        /** @type {number} */ dx,
        loose = true,
    ) => {
        const { x, y } = await middle(page, selector);
        await page.mouse.move(x, y);
        await page.mouse.down();
        await page.mouse.move(x + dx, y, { steps: 8 });
        if (loose) await page.mouse.up();
        await settled(page);
    };
    const focus = (/** @type {Page} */ page, /** @type {string} */ selector) =>
        page.$eval(IN + selector, (node) => /** @type {any} */ (node).focus());
    const altKey = async (/** @type {Page} */ page, /** @type {import('puppeteer-core').KeyInput} */ key) => {
        await page.keyboard.down('Alt');
        await page.keyboard.press(key);
        await page.keyboard.up('Alt');
        await settled(page);
    };
    const handle = '[data-strip="layers"] [role="slider"]';
    const spoken = (/** @type {Page} */ page, /** @type {string} */ selector) =>
        page.$eval(IN + selector, (node) => node.getAttribute('aria-valuetext')?.replace(/\s+/g, ' ') ?? '');

    it('MUST-10, POINT-02: a boundary of stages is dragged over the layers, and the chart follows', async () => {
        const { page, complaints } = await openPart(
            'schedule="gpipe" ranks="4" microbatches="8" layers="2 1 1 1 1 1 1 2" cuts="2" lang="en"',
            'layers',
        );
        assert.equal(await ticks(page), '93'); // forward 3 + 2 + 2 + 3 and 7 times 3, backward twice that
        const before = await ticks(page);
        await focus(page, handle);
        assert.equal(await spoken(page, handle), 'stage 1: 2 layers, cost 3; stage 2: 2 layers, cost 2');
        const width = await page.$eval(`${IN}.strip`, (node) => node.getBoundingClientRect().width);
        await drag(page, handle, -width / 10); // a layer of cost 1 is a tenth of the strip
        assert.equal((await request(page)).cuts, '1 3 2 2');
        assert.equal(await spoken(page, handle), 'stage 1: 1 layer, cost 2; stage 2: 3 layers, cost 3');
        assert.equal(await ticks(page), before); // the dearest stage is as dear as it was
        // Further than the next boundary it does not go, and a stage keeps a layer.
        await drag(page, handle, width);
        assert.equal((await request(page)).cuts, '3 1 2 2');
        await drag(page, handle, -width);
        assert.equal((await request(page)).cuts, '1 3 2 2');
        assert.deepEqual(complaints, []);
    });

    it('while a boundary is held the chart follows in the same order, and what is let go of stays', async () => {
        const { page } = await openPart('schedule="zb-auto" ranks="3" microbatches="6" lang="en"', 'layers');
        const times = new Set([await ticks(page)]);
        const { x, y } = await middle(page, handle);
        await page.mouse.move(x, y);
        await page.mouse.down();
        for (let dx = 60; dx <= 300; dx += 60) {
            await page.mouse.move(x - dx, y, { steps: 2 });
            await settled(page);
            times.add(await ticks(page));
        }
        assert.ok(times.size > 2, [...times].join());
        await page.mouse.up();
        await settled(page);
        const shown = await page.$eval('pipeline-figure', (f) => /** @type {any} */ (f).simulation.summary.makespan);
        const asked = await page.evaluate(async () => {
            const engine = await /** @type {any} */ (globalThis).PipelineFigure.loadEngine();
            const figure = /** @type {any} */ (document.querySelector('pipeline-figure'));
            return engine.simulate(figure.request).summary.makespan;
        });
        assert.equal(shown, asked); // an order that is searched for is searched for again
    });

    it('costs given per stage become layers at the first drag; equal stages keep their times until then', async () => {
        const { page } = await openPart('schedule="gpipe" ranks="4" microbatches="8" lang="en"', 'layers');
        await press(page, '[data-cut="equal"]');
        assert.equal((await request(page)).layers, '0.25*16');
        assert.equal(await ticks(page), '33');
        await focus(page, handle);
        await page.keyboard.press('ArrowRight');
        await settled(page);
        assert.equal((await request(page)).cuts, '5 3 4 4');
        assert.equal(await ticks(page), '38.25');
    });

    it('the best cut is the core’s, at the press of a button; so is the equal one (SIM-22)', async () => {
        const { page } = await openPart(
            'schedule="gpipe" ranks="4" layers="2 1 1 1 1 2" cuts="1 1 1 3" lang="en"',
            'layers',
        );
        assert.match(
            await text(page, '[data-words="layers"]'),
            /stage is 4, with a cost of 4; an ideal cut would come to 2/,
        );
        await press(page, '[data-cut="cost"]');
        assert.match(await text(page, '[data-words="layers"]'), /with a cost of 2/);
        assert.equal(await page.$eval(`${IN}[data-cut="cost"]`, (b) => b.getAttribute('aria-pressed')), 'true');
        const sizes = await page.$eval('pipeline-figure', (f) => /** @type {any} */ (f).simulation.partition.sizes);
        assert.deepEqual(sizes, [1, 2, 2, 1]);
        await press(page, '[data-cut="equal"]');
        assert.match(await text(page, '[data-words="layers"]'), /with a cost of 3/);
    });

    it('a batch of samples is cut by dragging, by keys and by buttons, always evenly (SIM-28)', async () => {
        const { page } = await openPart(
            'schedule="1f1b" ranks="8" global-batch="64" microbatch-size="1" lang="en"',
            'samples',
        );
        const cut = '[data-strip="samples"] [role="slider"]';
        const bubbles = [];
        for (let n = 0; n < 5; n++) {
            bubbles.push((await reading(page)).bubble);
            await press(page, '[data-samples="coarser"]');
        }
        assert.deepEqual(bubbles, ['7/71', '7/39', '7/23', '7/15', '7/11']);
        await focus(page, cut);
        await page.keyboard.press('ArrowLeft');
        await settled(page);
        assert.equal((await request(page))['microbatch-size'], '16');
        assert.match(await spoken(page, cut), /64 samples = 4 micro-batches of 16/);
        const width = await page.$eval(`${IN}.strip`, (node) => node.getBoundingClientRect().width);
        await drag(page, cut, (-9 * width) / 64); // to 7 samples, which do not divide 64: 8 do
        assert.equal((await request(page))['microbatch-size'], '8');
        assert.equal((await reading(page)).bubble, '7/15');
        // Another number of micro-batches keeps their size, and is not refused for the samples it leaves.
        await page.$eval(`${IN}[data-option="microbatches"] input`, (input) => {
            /** @type {HTMLInputElement} */ (input).value = '9';
            input.dispatchEvent(new Event('input', { bubbles: true }));
        });
        await settled(page);
        assert.match(await text(page, '[data-words="samples"]'), /72 samples = 9 micro-batches of 8/);
    });

    it('the cost of a stage is dragged at the end of its bar, and moved by keys', async () => {
        const { page, complaints } = await openPart('schedule="gpipe" ranks="4" microbatches="8" lang="en"', 'costs');
        const bar = '[data-bar="forward 1"] [role="slider"]';
        await focus(page, bar);
        for (let n = 0; n < 10; n++) await page.keyboard.press('ArrowRight');
        await settled(page);
        assert.equal((await request(page)).forward, '1 2 1 1');
        assert.equal(await spoken(page, bar), '2 ticks');
        assert.equal(await ticks(page), '41'); // 5 + 7·2 forward, 8 + 7·2 backward
        await drag(page, '[data-bar="forward 1"] circle', -400);
        assert.equal((await request(page)).forward, '1 0 1 1');
        await drag(page, '[data-bar="backward 0"] circle', 30);
        assert.match((await request(page)).backward, /^2\.\d 2 2 2$/);
        assert.deepEqual(complaints, []);
    });

    it('another number of stages: cuts by hand are left to the core, and a list that has no next number is refused', async () => {
        const cut = await openPart('schedule="1f1b" layers="1*16" cuts="6 2 4 4" ranks="4" lang="en"', 'layers');
        await setControl(cut.page, '[data-option="ranks"] input', '3');
        assert.equal((await reading(cut.page)).refusal, null);
        const { ranks, layers, cuts } = await request(cut.page);
        assert.deepEqual([ranks, layers, cuts], ['3', '1*16', undefined]);
        const { page, complaints } = await openPart(
            'schedule="1f1b" ranks="4" bytes="1" bandwidth="1 2 3 4" lang="en"',
            'layers',
        );
        await setOption(page, 'ranks', '3');
        assert.match((await reading(page)).refusal ?? '', /^bandwidth = 1 2 3 4: 4 numbers are given/);
        assert.deepEqual([...cut.complaints, ...complaints], []);
    });

    it('a backward in two halves has bars for both, which change apart', async () => {
        for (const [lang, name] of [
            ['ru', 'градиент по весам, стадия 1'],
            ['en', 'weight gradient, stage 1'],
        ]) {
            const { page, complaints } = await openPart(
                `schedule="zb-h1" ranks="2" microbatches="4" lang="${lang}"`,
                'costs',
            );
            const bar = '[data-bar="weight-gradient 0"] [role="slider"]';
            const label = await page.$eval(`pipeline-figure >>> ${bar}`, (node) => node.ariaLabel ?? '');
            assert.equal(label.replaceAll('\u00a0', ' '), name);
            await focus(page, bar);
            for (let n = 0; n < 10; n++) await page.keyboard.press('ArrowRight');
            await settled(page);
            const { 'weight-gradient': weight, 'input-gradient': input } = await request(page);
            assert.deepEqual([weight, input], ['1.1 1', '1']);
            assert.deepEqual(complaints, []);
        }
    });

    it('with layers, the cost of a stage is that of a unit of its layers', async () => {
        const { page } = await openPart(
            'schedule="gpipe" ranks="2" microbatches="2" layers="4" cuts="1 3" lang="en"',
            'costs',
        );
        await focus(page, '[data-bar="forward 1"] [role="slider"]');
        await page.keyboard.press('PageUp');
        await settled(page);
        const costs = await page.$eval('pipeline-figure', (f) => [.../** @type {any} */ (f).simulation.costs.forward]);
        assert.deepEqual(costs, [1, 4]);
    });

    /** Place of an action on the chart. @param {string} name  as it is spoken */
    const place = (name) => `[role="gridcell"][aria-label^="${name}"]`;

    it('an operation is moved by Alt and an arrow; the core times the new order, in words beside the old one', async () => {
        const { page, complaints } = await openPart('schedule="1f1b" ranks="4" microbatches="8" lang="en"', 'order');
        await focus(page, place('Backward of micro-batch 1, stage 1'));
        await altKey(page, 'ArrowLeft');
        assert.equal((await request(page)).moves, '0B0-1');
        assert.equal(await ticks(page), '36');
        const words = 'it takes 36 ticks, it took 33 ticks; bubble fraction 1/3, it was 3/11';
        assert.ok((await text(page, '.difference')).includes(words));
        assert.match(
            await text(page, '[data-words="order"]'),
            /Chosen: backward of micro-batch 1 at stage 1; device 1, place 4 of 16/,
        );
        // The moved operation stays in focus, so that the next press moves it again.
        const focused = () =>
            page.$eval('pipeline-figure', (f) => f.shadowRoot?.activeElement?.getAttribute('aria-label'));
        assert.match((await focused()) ?? '', /^Backward of micro-batch 1, stage 1/);
        await altKey(page, 'ArrowRight');
        assert.equal((await request(page)).moves, undefined); // back where it was
        assert.equal(await ticks(page), '33');
        await altKey(page, 'ArrowLeft');
        await becomes(async () => (await reading(page)).status?.includes(words), 'announced');
        assert.match((await reading(page)).sentence ?? '', /order changed/);
        await press(page, '[data-order="back"]');
        assert.equal(await ticks(page), '33');
        assert.deepEqual(complaints, []);
    });

    it('an operation is moved by dragging its cell, and by buttons', async () => {
        const { page } = await openPart('schedule="gpipe" ranks="3" microbatches="4" lang="en"', 'order');
        await drag(page, place('Backward of micro-batch 4, stage 1'), -300);
        const { moves } = await request(page);
        assert.match(moves, /^0B3-\d$/);
        assert.equal(await page.$(`${IN}.drop`), null);
        await press(page, '[data-order="back"]');
        await page.locator(IN + place('Forward of micro-batch 2, stage 1')).click();
        await press(page, '[data-order="later"]');
        await press(page, '[data-order="later"]');
        assert.equal((await request(page)).moves, '0F1+2');
        await press(page, '[data-order="earlier"]');
        assert.equal((await request(page)).moves, '0F1+1');
    });

    it('SCH-25: an order that waits for itself is drawn with its circle, and the edit is not lost', async () => {
        const { page, complaints } = await openPart(
            'schedule="gpipe" ranks="2" microbatches="2" moves="1F0+1 1B1-2" lang="en"',
            'order',
        );
        await focus(page, place('Backward of micro-batch 1, stage 1'));
        await altKey(page, 'ArrowLeft');
        assert.equal((await request(page)).moves, '1F0+1 1B1-2 0B0-1');
        const { refusal, chart, time } = await reading(page);
        assert.match(refusal ?? '', /^Deadlock: .* in a circle, 2 of them/);
        assert.equal(time, null); // no numbers of a step that never ends
        assert.ok(chart);
        const waits = await page.$$eval(`${IN}.stalled li`, (lines) => lines.map((line) => line.textContent));
        assert.deepEqual(
            waits,
            [
                'Device 1, place 2: backward of micro-batch 1 at stage 1 stands and waits for device 2, where backward of micro-batch 1 at stage 2 has to come first.',
                'Device 2, place 1: forward of micro-batch 2 at stage 2 stands and waits for device 1, where forward of micro-batch 2 at stage 1 has to come first.',
            ].map((line) => line.replace(/ /g, ' ')),
        );
        const drawing = await page.$eval(`${IN}.chart > svg`, (svg) => ({
            dim: svg.classList.contains('pf-dim'),
            arrows: svg.querySelectorAll('.pf-overlay .pf-arrow-tip').length,
            stands: svg.querySelectorAll('.pf-overlay .pf-selected').length,
        }));
        assert.deepEqual(drawing, { dim: true, arrows: 4, stands: 3 }); // two cells, and the line of the standstill
        // The circle is broken from here as well: the operation that was moved is still in hand.
        await altKey(page, 'ArrowRight');
        assert.equal((await request(page)).moves, '1F0+1 1B1-2');
        await altKey(page, 'ArrowLeft');
        await press(page, '.stalled .primary');
        assert.equal((await request(page)).moves, '1F0+1 1B1-2');
        assert.deepEqual(complaints, []);
    });

    it('an operation before what it needs on its own device: one message with device and place', async () => {
        const { page } = await openPart('schedule="gpipe" ranks="2" microbatches="2" lang="ru"', 'order');
        await focus(page, place('Обратный проход микробатча 1, стадия 2'));
        await altKey(page, 'ArrowLeft');
        await altKey(page, 'ArrowLeft');
        const { refusal, chart } = await reading(page);
        assert.equal(
            refusal,
            'Устройство 2, место 1: операция «обратный проход микробатча 1 на стадии 2» стоит раньше, чем нужная ей операция «прямой проход микробатча 1 на стадии 2».',
        );
        assert.ok(chart);
    });

    it('every change is taken back and made again, by buttons and by Ctrl+Z', async () => {
        const { page } = await openPart('schedule="gpipe" ranks="4" microbatches="8" lang="en"', 'layers');
        const seen = [await request(page)];
        await press(page, '[data-cut="equal"]');
        seen.push(await request(page));
        await focus(page, handle);
        await page.keyboard.press('ArrowRight');
        await settled(page);
        seen.push(await request(page));
        await press(page, '[data-part="order"]');
        await focus(page, place('Forward of micro-batch 3, stage 1'));
        await altKey(page, 'ArrowRight');
        seen.push(await request(page));
        for (const state of seen.slice(0, -1).reverse()) {
            await press(page, '[data-edit="undo"]');
            assert.deepEqual(await request(page), state);
        }
        assert.ok(await page.$eval(`${IN}[data-edit="undo"]`, (b) => /** @type {HTMLButtonElement} */ (b).disabled));
        await focus(page, '[data-part="order"]');
        for (const state of seen.slice(1)) {
            await page.keyboard.down('Control');
            await page.keyboard.press('y');
            await page.keyboard.up('Control');
            await settled(page);
            assert.deepEqual(await request(page), state);
        }
        await page.keyboard.down('Control');
        await page.keyboard.press('z');
        await page.keyboard.up('Control');
        await settled(page);
        assert.deepEqual(await request(page), seen[2]);
    });

    it('what was changed by hand is in the address, and comes back from there', async () => {
        const { page } = await openPart('figure-id="a" schedule="1f1b" ranks="4" microbatches="8" lang="en"', 'order');
        await focus(page, place('Backward of micro-batch 1, stage 1'));
        await altKey(page, 'ArrowLeft');
        const hash = await becomes(async () => {
            const { hash } = new URL(page.url());
            return hash.includes('moves=0B0-1') && hash;
        }, 'in the address');
        await page.close();
        const again = await openPart('figure-id="a" schedule="gpipe" lang="en"', 'order', {}, hash);
        assert.equal(await ticks(again.page), '36');
        // Another number of micro-batches is another order: moves do not outlive it.
        await again.page.$eval(`${IN}[data-option="microbatches"] input`, (input) => {
            /** @type {HTMLInputElement} */ (input).value = '9';
            input.dispatchEvent(new Event('input', { bubbles: true }));
        });
        await settled(again.page);
        assert.equal((await request(again.page)).moves, undefined);
        await again.page.close();
    });

    it('VIE-09: a finger drags a boundary and a cell; a swipe that starts there scrolls the page', async () => {
        const { page } = await openPart('schedule="gpipe" ranks="2" microbatches="4" lang="en"', 'layers', {
            viewport: { width: 360, height: 640, hasTouch: true, isMobile: true },
        });
        const swipe = async (
            /** @type {{ x: number, y: number }} */ { x, y },
            /** @type {number} */ dx,
            /** @type {number} */ dy,
        ) => {
            const touch = await page.touchscreen.touchStart(x, y);
            for (let i = 1; i <= 10; i++) await touch.move(x + (dx * i) / 10, y + (dy * i) / 10);
            await touch.end();
            await settled(page);
        };
        await swipe(await middle(page, `${handle} circle`), 60, 0);
        assert.match((await request(page)).cuts, /^[56] [23]$/);
        const { cuts } = await request(page);
        await page.evaluate(() => scrollTo(0, 0));
        await swipe(await middle(page, `${handle} circle`), 0, -150);
        await becomes(() => page.evaluate(() => scrollY > 60), 'the page scrolls');
        assert.equal((await request(page)).cuts, cuts);
        await page.evaluate(() => scrollTo(0, 0));
        await press(page, '[data-part="order"]');
        await swipe(await middle(page, place('Backward of micro-batch 3, stage 1')), -80, 0);
        assert.match((await request(page)).moves, /^0B2-\d$/);
        const { moves } = await request(page);
        await page.evaluate(() => scrollTo(0, 0));
        await swipe(await middle(page, place('Forward of micro-batch 2, stage 1')), 0, -150);
        await becomes(() => page.evaluate(() => scrollY > 60), 'the page scrolls');
        assert.equal((await request(page)).moves, moves);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    });

    /** Gives a text to the figure as a paste or a drop does. @param {Page} page @param {string} text @param {'paste' | 'drop'} how */
    const give = async (page, text, how, name = 'order.csv') => {
        await page.evaluate(
            async (text, how, name) => {
                const data = new DataTransfer();
                if (how === 'drop') data.items.add(new File([text], name));
                else data.setData('text/plain', text);
                const root = /** @type {any} */ (document.querySelector('pipeline-figure')?.shadowRoot);
                const init = { bubbles: true, composed: true, cancelable: true };
                const target = root.querySelector('.chart');
                // A file is read in its own time; then something in the figure changes.
                const changed = new Promise((seen) => {
                    const everything = { subtree: true, childList: true, attributes: true, characterData: true };
                    new MutationObserver(seen).observe(root, everything);
                });
                if (how === 'drop') {
                    target.dispatchEvent(new DragEvent('dragover', { ...init, dataTransfer: data }));
                    target.dispatchEvent(new DragEvent('drop', { ...init, dataTransfer: data }));
                } else target.dispatchEvent(new ClipboardEvent('paste', { ...init, clipboardData: data }));
                await changed;
            },
            text,
            how,
            name,
        );
        await settled(page);
    };
    const CSV_01 = '0F0,0F1,,0B0,,0B1\n,1F0,1B0,1F1,1B1,';

    it('a table of PyTorch is pasted, dropped or opened, drawn, moved on, and taken back (CSV-01)', async () => {
        const { page, complaints } = await openPart('schedule="gpipe" ranks="4" microbatches="8" lang="en"', 'file');
        await give(page, CSV_01, 'paste');
        assert.equal(await ticks(page), '9');
        assert.match((await reading(page)).sentence ?? '', /it takes 9 ticks/);
        assert.match(await text(page, '[data-words="file"]'), /schedule of a file: pasted text/);
        // It can be changed like any other; the core checks.
        await press(page, '[data-part="order"]');
        await focus(page, place('Backward of micro-batch 1, stage 1'));
        await altKey(page, 'ArrowLeft');
        assert.equal((await request(page)).moves, '0B0-1');
        assert.match(await text(page, '.difference'), /it took 9 ticks/);
        await press(page, '[data-edit="undo"]');
        await press(page, '[data-edit="undo"]');
        assert.equal(await ticks(page), '33');
        await give(page, CSV_01, 'drop');
        assert.match(await text(page, '[data-words="file"]'), /order\.csv/);
        await press(page, '[data-file="back"]');
        assert.equal(await ticks(page), '33');
        const path = beside('opened.csv');
        writeFileSync(path, CSV_01);
        const [chooser] = await Promise.all([
            page.waitForFileChooser(),
            page.locator(`${IN}[data-file="open"]`).click(),
        ]);
        await chooser.accept([path]);
        await becomes(async () => (await ticks(page)) === '9', 'the file is read');
        assert.match(await text(page, '[data-words="file"]'), /opened\.csv/);
        // A page that sets an attribute means a generated schedule.
        await page.$eval('pipeline-figure', (f) => f.setAttribute('microbatches', '4'));
        await settled(page);
        assert.match((await reading(page)).sentence ?? '', /it takes (?!9 )/);
        assert.deepEqual(complaints, []);
    });

    it('sends and receives of a file keep their order (CSV-06)', async () => {
        const { page } = await openPart('lang="en"', 'file');
        await give(page, '0F0,0SEND_F0,0F1,0SEND_F1\n1RECV_F0,1F0,1RECV_F1,1F1', 'paste');
        assert.equal(await ticks(page), '3');
    });

    it('what is wrong with a file is said by row and column, and the chart stays', async () => {
        const { page } = await openPart('schedule="gpipe" ranks="4" microbatches="8" lang="ru"', 'file');
        for (const [broken, words] of [
            ['0F0,0F1,,0B0,,0B1\n,1F0,1X0', /строка 2, столбец 3/i],
            ['0F0,0B0\n0F1,0B1', /строка|устройств/i],
        ]) {
            await give(page, /** @type {string} */ (broken), 'paste');
            assert.match((await reading(page)).refusal ?? '', /** @type {RegExp} */ (words));
            assert.equal(await ticks(page), '33');
        }
        await give(page, 'x'.repeat((8 << 20) + 1), 'drop');
        assert.match((await reading(page)).refusal ?? '', /слишком велик: 8 МиБ, а читается не больше 8 МиБ/);
        // A file whose order stands still is drawn with its circle.
        await give(page, '0F0,0B0,0F1,0B1\n1F1,1B1,1F0,1B0', 'paste');
        assert.match((await reading(page)).refusal ?? '', /^Взаимная блокировка/);
        assert.equal((await page.$$(`${IN}.stalled li`)).length, 2);
    });

    it('measured costs are taken for the present schedule; measured times are drawn as they are', async () => {
        const { page } = await openPart('schedule="gpipe" ranks="2" microbatches="4" lang="en"', 'file');
        await give(page, '{"forward": [1, 2], "backward": 3}', 'paste');
        assert.equal((await request(page)).forward, '1 2');
        assert.equal((await request(page)).backward, '3');
        // A report of Megatron's timers: milliseconds of a step, over four micro-batches.
        const report = [
            'times across ranks (ms):\n  forward-compute:\n     rank  0: 8.00\n     rank  1: 16.00\n',
            '  backward-compute:\n     rank  0: 16.00\n     rank  1: 24.00\n',
        ];
        await give(page, report.join(''), 'drop');
        assert.equal((await request(page)).forward, '2 4');
        assert.equal((await request(page)).backward, '4 6');
        assert.equal(await ticks(page), '46');
        await give(page, report.join('').replace('rank  1: 24.00', 'rank  1: -24.00'), 'drop');
        assert.match((await reading(page)).refusal ?? '', /-24/);
        assert.equal((await request(page)).backward, '4 6');
        await give(page, 'device,op,stage,microbatch,start,end\n0,F,0,0,0,1\n1,F,1,0,1.5,4\n', 'paste');
        assert.equal(await ticks(page), '4');
        await press(page, '[data-file="times"]');
        assert.equal(await ticks(page), '2'); // the same order with the costs of the request
    });

    it('what is shown can be taken away: tables, trace, pictures', async () => {
        const { page } = await openPart('schedule="gpipe" ranks="2" microbatches="2" lang="en"', 'order');
        await page.evaluate(() => {
            /** @type {any} */ (window).saved = [];
            const { createObjectURL } = URL;
            URL.createObjectURL = (blob) => {
                /** @type {any} */ (window).saved.push(/** @type {Blob} */ (blob).text());
                return createObjectURL(blob);
            };
        });
        await press(page, '[data-view="files"]');
        await press(page, '[data-save="torch"]');
        await press(page, '[data-save="trace"]');
        const saved = await page.evaluate(() => Promise.all(/** @type {any} */ (window).saved));
        assert.equal(saved[0].trim(), '0F0,0F1,,,0B0,0B1\n,1F0,1F1,1B0,1B1');
        assert.equal(JSON.parse(saved[1]).traceEvents.filter((/** @type {any} */ event) => event.ph === 'X').length, 8);
        await give(page, saved[0], 'paste');
        assert.equal(await ticks(page), '9');
    });

    it('readonly figures, and those whose controls do not name it, have nothing to take hold of', async () => {
        for (const attributes of ['readonly', 'controls="ranks"']) {
            const { page } = await visit(write(`<pipeline-figure ${attributes}></pipeline-figure>`));
            assert.equal(await page.$(`${IN}[data-edit="open"]`), null);
            await page.close();
        }
    });
});
