// <pipeline-figure> in small pages of its own: what it takes, what it refuses, what it tells its page.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutBrowser } from '../support/browser.mjs';
import { inChromium, reading, setControl, setOption } from '../support/figure-page.mjs';

const IN = 'pipeline-figure >>> ';

describe('the element', { skip: withoutBrowser }, () => {
    const { visit, write } = inChromium();
    const figure = (/** @type {string} */ attributes, inner = '<p id="still">still picture</p>') =>
        `<pipeline-figure ${attributes}>${inner}</pipeline-figure>`;
    const openFigure = (/** @type {string} */ attributes, options = {}) => visit(write(figure(attributes)), options);

    it('VIE-14: an illegal setting takes the chart away and offers what is legal', async () => {
        const { page, complaints } = await openFigure('schedule="interleaved" ranks="4" microbatches="8" chunks="2"');
        assert.equal((await reading(page)).time, '28,5 такта');
        await setOption(page, 'microbatches', '6');
        const refused = await reading(page);
        assert.equal(refused.chart, false);
        assert.equal(refused.time, null, 'no number of the old setting is left');
        assert.equal(refused.formula, null);
        assert.doesNotMatch(refused.sentence ?? '', /28,5|такт/);
        assert.match(refused.refusal ?? '', /^число микробатчей m = 6: по правилу Megatron/);
        assert.deepEqual(refused.fixes, ['Поставить m = 8', 'Поставить размер группы N = 6']);
        await page.locator(`${IN}.refusal ::-p-text(Поставить размер группы N = 6)`).click();
        const mended = await reading(page);
        assert.equal(mended.chart, true);
        assert.equal(mended.refusal, null);
        assert.equal(await page.$eval('pipeline-figure', (f) => f.getAttribute('group')), '6');
        assert.deepEqual(complaints, []);
    });

    it('an attribute the core refuses is shown with its name and value; a legal one brings the chart back', async () => {
        const { page } = await visit(write(figure('ranks="0" lang="en"')), { waits: false });
        await page.waitForSelector(`${IN}.refusal`, { visible: true });
        const seen = await reading(page);
        assert.match(seen.refusal ?? '', /ranks.*0/);
        assert.deepEqual(seen.fixes, ['Take p = 1']);
        await page.$eval('pipeline-figure', (f) => f.setAttribute('ranks', '3'));
        await page.waitForSelector(`${IN}.chart > svg`, { visible: true });
        assert.equal((await reading(page)).time, '6 ticks');
    });

    it('VIE-03: decimal comma and decimal point are one half in a field of costs and in an attribute', async () => {
        const { page } = await openFigure('ranks="3" microbatches="4"');
        await page.locator(`${IN}.controls .link`).click();
        const first = await page.waitForSelector(`${IN}[data-option="forward"] [data-stage="0"]`, { visible: true });
        for (const typed of ['0,5', '0.5']) {
            await first?.click({ count: 3 });
            await first?.type(typed);
            await page.keyboard.press('Enter');
            await page.waitForFunction(
                () =>
                    /** @type {any} */ (document.querySelector('pipeline-figure')).simulation?.costs.forward[0] === 0.5,
            );
            assert.equal(await first?.evaluate((input) => /** @type {HTMLInputElement} */ (input).value), '0,5');
            assert.equal((await reading(page)).time, '5,5 такта');
            await first?.click({ count: 3 });
            await first?.type('1');
            await page.keyboard.press('Enter');
        }
        await page.$eval('pipeline-figure', (f) => f.setAttribute('forward', '0,5'));
        await page.waitForFunction(
            () => /** @type {any} */ (document.querySelector('pipeline-figure')).simulation?.summary.makespan === 3,
        );
    });

    it('a word in a field of costs is refused by the core, and stays to be mended', async () => {
        const { page } = await openFigure('ranks="3" microbatches="4"');
        await page.locator(`${IN}.controls .link`).click();
        await setControl(page, '[data-option="forward"] [data-stage="1"]', 'два', 'change');
        assert.match((await reading(page)).refusal ?? '', /два/);
        const kept = `${IN}[data-option="forward"] [data-stage="1"]`;
        assert.equal(await page.$eval(kept, (input) => /** @type {HTMLInputElement} */ (input).value), 'два');
        await setControl(page, '[data-option="forward"] [data-stage="1"]', '2', 'change');
        assert.equal((await reading(page)).time, '10 тактов');
    });

    it('lists of costs follow where the reader changes the number of stages', async () => {
        const { page } = await openFigure('ranks="4" microbatches="8" forward="1 1 2 1"');
        await setControl(page, '[data-option="ranks"] input', '5');
        assert.equal(await page.$eval('pipeline-figure', (f) => f.getAttribute('forward')), '1 1 2 1 1');
        await setControl(page, '[data-option="ranks"] input', '2');
        assert.equal(await page.$eval('pipeline-figure', (f) => f.getAttribute('forward')), '1');
        assert.equal((await reading(page)).time, '9 тактов');
    });

    it('an option without meaning for the chosen schedule is set aside, and comes back', async () => {
        const { page } = await openFigure('schedule="interleaved" ranks="4" microbatches="8" chunks="4"');
        const schedule = (/** @type {string} */ name) => page.select(`${IN}[data-option="schedule"] select`, name);
        await schedule('1f1b');
        assert.equal((await reading(page)).refusal, null);
        assert.equal(await page.$eval('pipeline-figure', (f) => f.getAttribute('chunks')), null);
        await schedule('interleaved');
        assert.equal(await page.$eval('pipeline-figure', (f) => f.getAttribute('chunks')), '4');
    });

    it('POINT-02: the numbers in the sentence are typed, stepped by arrow keys and dragged', async () => {
        const { page, complaints } = await openFigure('ranks="3" microbatches="4"');
        const fields = await page.$$(`${IN}.scrub input`);
        assert.equal(fields.length, 2);
        await fields[1].focus();
        await page.keyboard.press('ArrowUp');
        assert.equal((await reading(page)).time, '7 тактов');
        await page.keyboard.down('Control');
        await page.keyboard.press('a');
        await page.keyboard.up('Control');
        await page.keyboard.type('12');
        assert.equal((await reading(page)).time, '14 тактов');
        // An empty field is a field being typed in, not a setting.
        await page.keyboard.press('Backspace');
        await page.keyboard.press('Backspace');
        assert.equal(await fields[1].evaluate((input) => /** @type {HTMLInputElement} */ (input).value), '');
        await page.keyboard.type('6');
        assert.equal((await reading(page)).time, '8 тактов');
        assert.equal(
            await fields[1].evaluate((input) => input.matches(':focus')),
            true,
            'the words around it have changed',
        );
        await fields[1].evaluate((input) => /** @type {HTMLElement} */ (input).blur());
        const box = await fields[0].boundingBox();
        assert.ok(box);
        await page.mouse.move(box.x + 5, box.y + 8);
        await page.mouse.down();
        await page.mouse.move(box.x + 26, box.y + 8, { steps: 4 });
        await page.mouse.up();
        assert.equal(await page.$eval('pipeline-figure', (f) => f.getAttribute('ranks')), '5');
        assert.deepEqual(complaints, []);
    });

    it('a drag over an illegal number keeps the field under the pointer', async () => {
        const { page } = await openFigure('schedule="interleaved" ranks="4" microbatches="8" chunks="2"');
        const field = (await page.$$(`${IN}.scrub input`))[2];
        await field.focus();
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('ArrowDown');
        assert.equal((await reading(page)).chart, false);
        assert.equal(await field.evaluate((input) => input.isConnected && input.matches(':focus')), true);
        await page.keyboard.press('ArrowUp');
        await page.keyboard.press('ArrowUp');
        assert.equal((await reading(page)).time, '28,5 такта');
    });

    it('a cell that was explained is forgotten where it no longer exists', async () => {
        const { page, complaints } = await openFigure('schedule="1f1b" ranks="4" microbatches="8"');
        await page.$eval('pipeline-figure', (f) => {
            const last = [...(f.shadowRoot?.querySelectorAll('.place') ?? [])].at(-2);
            /** @type {SVGElement} */ (last).focus();
        });
        await page.keyboard.press('Enter');
        assert.match((await reading(page)).explanation ?? '', /^Устройство 4, обратный проход микробатча 8/);
        await setControl(page, '[data-option="microbatches"] input', '2');
        assert.match((await reading(page)).explanation ?? '', /^Нажмите на клетку/);
        assert.equal((await reading(page)).time, '15 тактов');
        assert.deepEqual(complaints, []);
    });

    it('VIE-01: 32 stages and 256 micro-batches: 16 384 operations follow the slider', async (t) => {
        const { page } = await openFigure('schedule="gpipe" ranks="32" microbatches="256"');
        const steps = [];
        for (let m = 255; m > 245; m--)
            steps.push(await setControl(page, '[data-option="microbatches"] input', String(m)));
        steps.sort((a, b) => a - b);
        t.diagnostic(`slider step, median of ${steps.length}: ${steps[steps.length >> 1].toFixed(1)} ms`);
        // The aim is 50; a machine that also does other things must not make this red.
        assert.ok(steps[steps.length >> 1] < 150, String(steps));
        const nodes = await page.$eval('pipeline-figure', (f) => f.shadowRoot?.querySelectorAll('*').length ?? 0);
        assert.ok(nodes < 1000, `${nodes} nodes`);
    });

    it('more actions than a picture can hold: numbers without a picture, and no frozen page', async () => {
        const { page, complaints } = await openFigure('ranks="3" microbatches="4"');
        const took = await setControl(page, '.scrub ~ .scrub input', '1000000');
        const seen = await reading(page);
        assert.equal(seen.chart, false);
        assert.match(seen.time ?? '', /1 000 002/);
        assert.ok(took < 2000, `${took} ms`);
        await setControl(page, '.scrub ~ .scrub input', '4');
        assert.equal((await reading(page)).chart, true);
        assert.deepEqual(complaints, []);
    });

    it('tells its page what the reader did, and keeps quiet about what the page did', async () => {
        const html = figure('ranks="3" microbatches="4"');
        const { page } = await visit(write(html), {
            before: () => {
                /** @type {any} */ (window).events = [];
                for (const name of ['ready', 'change', 'select', 'error']) {
                    addEventListener(`pipeline-${name}`, (event) => {
                        const { composed, detail } = /** @type {CustomEvent} */ (event);
                        /** @type {any} */ (window).events.push({ name, composed, detail });
                    });
                }
            },
        });
        const events = () => page.evaluate(() => /** @type {any} */ (window).events.splice(0));
        const ready = await events();
        assert.deepEqual(
            ready.map(({ name, composed }) => [name, composed]),
            [['ready', true]],
        );
        await page.$eval('pipeline-figure', async (f) => {
            /** @type {any} */ (f).microbatches = 5;
            await /** @type {any} */ (f).updateComplete;
        });
        assert.deepEqual(await events(), []);
        await setControl(page, '[data-option="microbatches"] input', '6');
        const [change] = await events();
        assert.equal(change.name, 'change');
        assert.deepEqual(change.detail, { state: { ranks: '3', microbatches: '6' }, source: 'user' });
        await page.locator(`${IN}.place`).click();
        const selected = (await events()).at(-1);
        assert.equal(selected.name, 'select');
        assert.equal(selected.detail.kind, 'action');
        assert.deepEqual([selected.detail.op, selected.detail.stage, selected.detail.microbatch], ['F', 0, 0]);
        await page.$eval('pipeline-figure', (f) => f.setAttribute('ranks', 'x'));
        await page.waitForSelector(`${IN}.refusal`, { visible: true });
        const [error] = await events();
        assert.equal(error.detail.code, 'not-a-number');
        assert.equal(error.detail.option, 'ranks');
    });

    it('attributes and properties mirror each other; properties set before the script count', async () => {
        const html = `${figure('schedule="gpipe"')}<script>document.querySelector('pipeline-figure').backwardOrder = 'descending';</script>`;
        const { page } = await visit(write(html));
        const seen = await page.$eval('pipeline-figure', (f) => {
            const element = /** @type {any} */ (f);
            return [element.schedule, f.getAttribute('backward-order'), element.request];
        });
        assert.deepEqual(seen, ['gpipe', 'descending', { schedule: 'gpipe', 'backward-order': 'descending' }]);
    });

    it('EMB-12: the script may come twice, elements may be moved, removed and cloned', async () => {
        const html = figure('ranks="3" microbatches="4"');
        const { page, complaints } = await visit(write(html, { scripts: 2 }));
        await page.evaluate(async () => {
            const first = /** @type {any} */ (document.querySelector('pipeline-figure'));
            const home = document.createElement('div');
            document.body.append(home);
            home.append(first);
            const copy = /** @type {any} */ (first.cloneNode(true));
            home.append(copy);
            await copy.ready;
            await copy.updateComplete;
            first.remove();
            document.querySelector('main')?.append(first);
            first.microbatches = 9;
            await first.updateComplete;
        });
        assert.equal((await reading(page, 0)).time, '11 тактов');
        assert.equal((await reading(page, 1)).time, '6 тактов');
        assert.deepEqual(complaints, []);
    });

    it('a figure far below waits until it comes near', async () => {
        const html = `${figure('')}<div id="gap"></div>${figure('ranks="4"')}<style>#gap{height:5000px}</style>`;
        const { page } = await visit(write(html));
        const lives = () =>
            page.evaluate(
                () => /** @type {any} */ (document.querySelectorAll('pipeline-figure')[1]).simulation !== null,
            );
        assert.equal(await lives(), false);
        await page.evaluate(() => document.querySelectorAll('pipeline-figure')[1].scrollIntoView());
        await page.waitForFunction(
            () => /** @type {any} */ (document.querySelectorAll('pipeline-figure')[1]).simulation,
        );
    });

    it('controls are those asked for; readonly has none', async () => {
        const { page } = await openFigure('controls="microbatches"');
        const found = () =>
            page.$eval('pipeline-figure', (f) =>
                [...(f.shadowRoot?.querySelectorAll('input, select, button:not(.switch)') ?? [])].map(
                    (node) =>
                        node.closest('[data-option]')?.getAttribute('data-option') ??
                        node.textContent?.replace(/\s+/g, ' ').trim(),
                ),
            );
        assert.deepEqual(await found(), ['microbatches']);
        await page.$eval('pipeline-figure', async (f) => {
            f.removeAttribute('controls');
            f.setAttribute('readonly', '');
            await /** @type {any} */ (f).updateComplete;
        });
        assert.deepEqual(await found(), ['По тактам', 'U(m)', 'Критический путь', 'Таблица', 'Файлы']);
    });

    it('language follows the nearest lang, also when it changes', async () => {
        const { page } = await visit(write(figure(''), { lang: 'en' }));
        assert.match((await reading(page)).sentence ?? '', /micro-batches/);
        await page.evaluate(() => {
            document.documentElement.lang = 'ru';
        });
        await page.waitForFunction(() =>
            /микробатча/.test(document.querySelector('pipeline-figure')?.shadowRoot?.textContent ?? ''),
        );
        await page.$eval('pipeline-figure', (f) => f.setAttribute('lang', 'en-GB'));
        await page.waitForFunction(
            () =>
                !/[а-яё]/i.test(
                    document.querySelector('pipeline-figure')?.shadowRoot?.querySelector('.figure')?.textContent ?? 'я',
                ),
        );
        // By the property it has changed when the update is complete.
        const words = (/** @type {string | null} */ lang) =>
            page.$eval(
                'pipeline-figure',
                async (f, now) => {
                    Object.assign(f, { lang: now });
                    await /** @type {any} */ (f).updateComplete;
                    return f.shadowRoot?.querySelector('.sentence')?.textContent ?? '';
                },
                lang,
            );
        assert.match(await words('ru'), /микробатча/);
        assert.match(await words('en'), /micro-batches/);
        assert.match(await words(null), /микробатча/);
    });

    it('dark follows color-scheme, a dark ground that does not say so, and the attribute', async () => {
        const ink = async (/** @type {string} */ attributes, /** @type {string} */ style) => {
            const url = write(figure(attributes), { head: `<style>${style}</style>` });
            const { page } = await visit(url);
            const colours = await page.$eval('pipeline-figure', async (f) => {
                const fill = () => getComputedStyle(/** @type {any} */ (f.shadowRoot?.querySelector('.pf-F'))).fill;
                const seen = [fill()];
                // Whatever else the page changes about itself.
                for (const name of ['a', 'b', 'c']) {
                    document.documentElement.dataset.name = name;
                    await new Promise((go) => setTimeout(go));
                    seen.push(fill());
                }
                return seen;
            });
            await page.close();
            assert.equal(new Set(colours).size, 1, `${attributes} ${style}: ${colours}`);
            return colours[0];
        };
        const light = await ink('', '');
        const dark = await ink('', ':root { color-scheme: dark }');
        assert.notEqual(light, dark);
        assert.equal(await ink('', 'body { background: #10151c; color: #eee }'), dark);
        assert.equal(await ink('lang="en"', 'html { background: #10151c; color: #eee }'), dark);
        assert.equal(await ink('theme="dark"', ''), dark);
        assert.equal(await ink('theme="light"', ':root { color-scheme: dark }'), light);
    });

    it('MUST-05, MUST-11, POINT-08: the table and the files say what the picture says', async () => {
        const { page } = await openFigure('schedule="1f1b" ranks="4" microbatches="8"');
        await page.locator(`${IN}.views ::-p-text(Таблица)`).click();
        const rows = await page.$eval('pipeline-figure', (f) =>
            [...(f.shadowRoot?.querySelectorAll('.schedule tbody tr') ?? [])].map((row) =>
                [...row.children].slice(0, 6).map((cell) => cell.textContent?.replace(/\s+/g, ' ').trim()),
            ),
        );
        assert.deepEqual(rows[0], ['Устройство 1', '24', '9', '4', 'F1 0–1', 'F2 1–2']);
        assert.deepEqual(rows[3], ['Устройство 4', '24', '9', '1', 'F1 3–4', 'B1 4–6']);
        await page.locator(`${IN}.views ::-p-text(Файлы)`).click();
        // The address of the file is seen where it is made: a download of a headless browser goes nowhere.
        const files = await page.evaluate(async () => {
            const kept = /** @type {Blob[]} */ ([]);
            const make = URL.createObjectURL;
            URL.createObjectURL = (blob) => {
                kept.push(/** @type {Blob} */ (blob));
                return make(blob);
            };
            HTMLAnchorElement.prototype.click = () => {};
            const root = document.querySelector('pipeline-figure')?.shadowRoot;
            for (const button of root?.querySelectorAll('.view button') ?? []) {
                if (/Скачать/.test(button.textContent ?? '')) /** @type {HTMLButtonElement} */ (button).click();
            }
            return Promise.all(kept.map((blob) => blob.text()));
        });
        assert.equal(files.length, 5, 'CSV, the table of PyTorch, trace, SVG, and the SVG that becomes a PNG');
        assert.match(files[0], /^device,index,op,stage,microbatch,start,end\n0,0,F,0,0,0,1\n/);
        assert.equal(files[0].trim().split('\n').length, 65);
        assert.match(files[3], /^<svg[^>]+xmlns=.*<title[^>]*>.*1F1B.*<style>/s);
    });

    it('what PyTorch cannot say is refused in words, with what it can', async () => {
        const { page } = await openFigure('schedule="dualpipe" ranks="4" microbatches="8"');
        await page.locator(`${IN}.views ::-p-text(Файлы)`).click();
        await page.locator(`${IN}.view [data-save="torch"]`).click();
        const note = await page.waitForSelector(`${IN}.view .note`, { visible: true });
        assert.match(
            (await note?.evaluate((p) => p.textContent)) ?? '',
            /В таблице PyTorch этого не записать: стадия там лежит только на одном устройстве\. Ближайшее допустимое: schedule=zb-v\.$/,
        );
    });

    it('a schedule without backward says why it cannot train', async () => {
        const { page } = await openFigure('');
        await page.locator(`${IN}.views ::-p-text(Обучить сеть)`).click();
        const text = await page.$eval(
            'pipeline-figure',
            (f) => f.shadowRoot?.querySelector('#view')?.textContent ?? '',
        );
        assert.match(text, /нет обратного прохода/);
    });

    it('EMB-08: a training stops when its figure leaves the page, and frees its memory', async () => {
        const { page } = await openFigure('schedule="gpipe"');
        await page.locator(`${IN}.views ::-p-text(Обучить сеть)`).click();
        await page.locator(`${IN}.view ::-p-text(Обучать)`).click();
        await page.waitForFunction(
            () =>
                Number(
                    document.querySelector('pipeline-figure')?.shadowRoot?.querySelector('[data-value="step"]')
                        ?.textContent,
                ) > 2,
        );
        const frames = await page.evaluate(async () => {
            document.querySelector('pipeline-figure')?.remove();
            let asked = 0;
            const original = requestAnimationFrame;
            window.requestAnimationFrame = (callback) => {
                asked++;
                return original(callback);
            };
            await new Promise((later) => setTimeout(later, 200));
            return asked;
        });
        assert.equal(frames, 0);
    });
});
