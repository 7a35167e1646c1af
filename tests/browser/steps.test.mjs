// The steps of the chapter that look beyond one undisturbed step, and the way from one step to the next.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutBrowser } from '../support/browser.mjs';
import { clockByFrames, inChromium, reading, setControl } from '../support/figure-page.mjs';

const IN = 'pipeline-figure >>> ';

describe('a device that fails, a batch that is cut, cells that move', { skip: withoutBrowser }, () => {
    const { visit, write } = inChromium();
    /** @param {string} attributes @param {string} [motion] @param {string} [lang] */
    const openFigure = (attributes, motion = 'reduce', lang = 'ru') =>
        visit(write(`<pipeline-figure ${attributes}></pipeline-figure>`, { lang }), {
            media: [{ name: 'prefers-reduced-motion', value: motion }],
        });
    const view = (/** @type {import('puppeteer-core').Page} */ page) =>
        page.$eval(`${IN}#explain`, (node) =>
            /** @type {HTMLElement} */ (node).hidden ? null : node.textContent?.replace(/\s+/g, ' ').trim(),
        );

    it('a failed device: what is lost by each way of going on, and the step with a spare on the axis of the chart', async () => {
        const { page, complaints } = await openFigure('preset="1f1b"');
        await page.locator(`${IN}[data-preset="failure"]`).click();
        assert.match(
            (await view(page)) ?? '',
            /в памяти устройства 3.*Вернуться к контрольной точке: работа закончится на 115,5 такта позже, повторить 3 шага и ещё 37 операций\.\s*Подставить запасное устройство: шаг удлинится на 12,5 такта, повторить 9 операций\.\s*Начать шаг заново, если .* на копии: шаг удлинится на 16,5 такта, повторить 37 операций\./,
        );
        const { sentence } = await reading(page);
        assert.match(
            sentence ?? '',
            /33 такта\. Это без отказа\. Устройство 3 отказывает в момент 16,5, и шаг потерян: с контрольной точкой он закончится на 115,5 такта позже, с запасным устройством — на 12,5 такта\.$/,
        );
        // One axis: each tick of the second picture stands under the same one of the first.
        const ticks = (/** @type {string} */ selector) =>
            page.$$eval(`${IN}${selector} > svg text`, (texts) =>
                Object.fromEntries(
                    texts
                        .filter((text) => /^\d+$/.test(text.textContent ?? '') && Number(text.getAttribute('y')) > 100)
                        .map((text) => [text.textContent, text.getAttribute('x')]),
                ),
            );
        const [own, beside] = [await ticks('.chart'), await ticks('.beside')];
        for (const tick of ['0', '10', '20', '30']) assert.equal(beside[tick], own[tick], `${tick}: ${own[tick]}`);
        await setControl(page, '[data-fail="rank"]', '0', 'change');
        await setControl(page, '[data-fail="time"]', '10');
        assert.match((await reading(page)).sentence ?? '', /Устройство 1 отказывает в момент 10,/);
        assert.match((await view(page)) ?? '', /в памяти устройства 1:/);
        assert.equal(await page.$eval('pipeline-figure', (f) => f.getAttribute('fail-time')), '10');
        // A later time than the step has is refused in words, and the slider mends it.
        await page.$eval('pipeline-figure', (f) => f.setAttribute('fail-time', '1000'));
        await page.waitForFunction(() =>
            document.querySelector('pipeline-figure')?.shadowRoot?.querySelector('#explain .refusal'),
        );
        assert.match((await view(page)) ?? '', /fail-time.*1000/);
        await setControl(page, '[data-fail="time"]', '12');
        assert.match((await reading(page)).sentence ?? '', /в момент 12,/);
        // Another step closes it.
        await page.locator(`${IN}[data-preset="gpipe"]`).click();
        assert.equal(await view(page), null);
        assert.deepEqual(complaints, []);
    });

    it('a batch: its samples, what a layer that averages sees, and other ways to cut it', async () => {
        const { page } = await openFigure('preset="batch"', 'reduce', 'en');
        assert.match(
            (await view(page)) ?? '',
            /The batch is 32 samples, in 8 micro-batches of size 4 each\..*sees only 4 samples out of 32/,
        );
        const rows = await page.$eval('pipeline-figure', (f) =>
            [...(f.shadowRoot?.querySelectorAll('.cuts tbody tr') ?? [])].map((row) =>
                [...row.children].map((cell) => cell.textContent?.trim()).join(' '),
            ),
        );
        // Micro-batches, samples in each; of a step of the whole batch, whose work on a device is 3: its time, 3 (1 + 3/m), and its
        // bubble; and the samples whose activations the first device keeps, min(m, 4) 32/m.
        assert.deepEqual(rows, [
            '1 32 12 3/4 32',
            '2 16 7.5 3/5 32',
            '4 8 5.25 3/7 32',
            '8 4 4.13 3/11 16',
            '16 2 3.56 3/19 8',
            '32 1 3.28 3/35 4',
        ]);
        assert.equal(await page.$eval(`${IN}.cuts [aria-current="true"] th`, (th) => th.textContent), '8');
        const cut = (/** @type {string} */ m) =>
            page.$eval(
                'pipeline-figure',
                (figure, m) => {
                    figure.setAttribute('microbatches', m);
                    return /** @type {any} */ (figure).updateComplete;
                },
                m,
            );
        await cut('16');
        assert.match((await view(page)) ?? '', /in 16 micro-batches of size 2 each/);
        assert.equal((await page.$$(`${IN}.cuts tbody tr`)).length, 6);
        // Seven do not go into thirty-two: refused, nothing stale.
        await cut('7');
        assert.match((await reading(page)).refusal ?? '', /32/);
    });

    it('POINT-09: predict before you see: the answer is hidden, then told beside what was expected', async () => {
        const { page } = await openFigure('', 'reduce');
        const ask = async (/** @type {Record<string, string>} */ attributes, /** @type {string} */ guess) => {
            await page.evaluate(async (attributes) => {
                Object.assign(window, { answer: null });
                addEventListener('pipeline-answer', ({ detail }) => Object.assign(window, { answer: detail }), {
                    once: true,
                });
                const figure = document.createElement('pipeline-figure');
                for (const [name, value] of Object.entries(attributes)) figure.setAttribute(name, value);
                document.body.replaceChildren(figure);
                await /** @type {any} */ (figure).ready;
            }, attributes);
            const hidden = await page.$eval(
                'pipeline-figure',
                (f) => f.shadowRoot?.textContent?.replace(/\s+/g, ' ') ?? '',
            );
            assert.equal(await page.$(`${IN}.chart`), null);
            await page.type(`${IN}form input`, guess);
            await page.keyboard.press('Enter');
            await page.waitForFunction(() =>
                document.querySelector('pipeline-figure')?.shadowRoot?.querySelector('.chart > svg'),
            );
            const said = await page.$$eval(
                `${IN}.said`,
                ([node]) => node?.textContent?.replace(/\s+/g, ' ').trim() ?? null,
            );
            const focused = await page.evaluate(
                () => document.querySelector('pipeline-figure')?.shadowRoot?.activeElement?.className,
            );
            return { hidden, said, focused, answer: await page.evaluate(() => /** @type {any} */ (window).answer) };
        };
        const wrong = await ask({ predict: 'time', ranks: '4', microbatches: '6' }, '10');
        assert.match(
            wrong.hidden,
            /Настройки: Только вперёд, 4 устройства, 6 микробатчей.*Сначала предскажите: время шага/,
        );
        assert.doesNotMatch(wrong.hidden, /9|2\/3|1\/3/);
        assert.equal(
            wrong.said,
            'Предсказание (время шага в тактах): вы ожидали 10, вышло 9. Найдите на рисунке, почему.',
        );
        assert.match(wrong.focused ?? '', /said/);
        assert.deepEqual(wrong.answer.terms, [{ name: 'time', sign: '=', value: 10, seen: 9, holds: false }]);
        assert.deepEqual([wrong.answer.challenge, wrong.answer.solved], ['predict time', false]);
        for (const [guess, right] of /** @type {[string, boolean][]} */ ([
            ['1/3', true],
            ['33,3 %', true],
            ['33', true],
            ['30 %', false],
        ])) {
            const { said } = await ask({ predict: 'bubble' }, guess);
            assert.equal(/Верно\.$/.test(said ?? ''), right, `${guess}: ${said}`);
        }
        const nothing = await ask({ predict: 'bubble' }, ' ');
        assert.deepEqual([nothing.said, nothing.answer], [null, null]);
    });

    it('a figure that only shows has the words of a failure and nothing to change', async () => {
        const { page } = await openFigure('schedule="1f1b" fail-rank="1" readonly');
        await page.locator(`${IN}[data-view="failure"]`).click();
        assert.match((await view(page)) ?? '', /в памяти устройства 2/);
        assert.match((await reading(page)).sentence ?? '', /Устройство 2 отказывает/);
        assert.equal(await page.$(`${IN}[data-fail]`), null);
    });

    /** Paths of the forward cells, frame by frame, after a slider has moved. Runs in the page. */
    const frames = async () => {
        const figure = /** @type {any} */ (document.querySelector('pipeline-figure'));
        const root = figure.shadowRoot;
        const painted = () => root.querySelector('.chart > svg .pf-F').getAttribute('d');
        const seen = [painted()];
        const slider = root.querySelector('[data-option="microbatches"] input');
        slider.value = '10';
        slider.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
        await figure.updateComplete;
        const places = root.querySelectorAll('.place').length;
        for (let frame = 0; frame < 60; frame++) {
            await new Promise((drawn) => requestAnimationFrame(drawn));
            if (painted() !== seen.at(-1)) seen.push(painted());
        }
        return {
            different: new Set(seen).size,
            places,
            cells: figure.simulation.actions.count + figure.simulation.idle.count,
        };
    };

    it('MUST-08, POINT-10: a slider moves the cells to their places, once; what is pointed at and read aloud is there at once', async () => {
        const { page } = await openFigure('schedule="1f1b" ranks="4" microbatches="6"', 'no-preference');
        await page.evaluate(clockByFrames);
        const seen = await page.evaluate(frames);
        assert.ok(seen.different > 3, `${seen.different} pictures`);
        assert.equal(seen.places, seen.cells);
        const still = await page.evaluate(async () => {
            const of = () =>
                document.querySelector('pipeline-figure')?.shadowRoot?.querySelector('.pf-F')?.getAttribute('d');
            const before = of();
            for (let frame = 0; frame < 20; frame++) await new Promise((drawn) => requestAnimationFrame(drawn));
            return before === of();
        });
        assert.ok(still, 'and then rests');
        // The page itself sets an attribute: nothing moves.
        const jumps = await page.evaluate(async () => {
            const figure = /** @type {any} */ (document.querySelector('pipeline-figure'));
            const of = () => figure.shadowRoot.querySelector('.pf-F').getAttribute('d');
            figure.microbatches = '5';
            await figure.updateComplete;
            const first = of();
            for (let frame = 0; frame < 40; frame++) await new Promise((drawn) => requestAnimationFrame(drawn));
            return first === of();
        });
        assert.ok(jumps);
    });

    it('MUST-08, POINT-10: with reduced motion cells are in their places at once', async () => {
        const { page } = await openFigure('schedule="1f1b" ranks="4" microbatches="6"');
        await page.evaluate(clockByFrames);
        const seen = await page.evaluate(frames);
        assert.equal(seen.different, 2);
    });

    it('MUST-13: printed while cells move, the sheet has them in their places', async () => {
        const { page } = await openFigure('schedule="1f1b" ranks="4" microbatches="6"', 'no-preference');
        await page.evaluate(clockByFrames);
        const same = await page.evaluate(async () => {
            const figure = /** @type {any} */ (document.querySelector('pipeline-figure'));
            const root = figure.shadowRoot;
            const of = () => root.querySelector('.pf-F').getAttribute('d');
            const slider = root.querySelector('[data-option="microbatches"] input');
            slider.value = '12';
            slider.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
            await figure.updateComplete;
            dispatchEvent(new Event('beforeprint'));
            const printed = of();
            dispatchEvent(new Event('afterprint'));
            await figure.updateComplete;
            for (let frame = 0; frame < 60; frame++) await new Promise((drawn) => requestAnimationFrame(drawn));
            return printed === of();
        });
        assert.ok(same);
    });
});
