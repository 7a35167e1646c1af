// What a figure shows, says and does follows from how things stand, not from what came before: nothing sticks.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withoutBrowser } from '../support/browser.mjs';
import { becomes, inChromium, settled } from '../support/figure-page.mjs';

/** @typedef {import('puppeteer-core').Page} Page */

const F = 'pipeline-figure';
const TRAINS = 'schedule="1f1b" ranks="4" microbatches="8"';
const figure = (/** @type {string} */ attributes) => `<${F} ${attributes}></${F}>`;
const DARK = 'background: #10151c; color: #eee';

/** Runs in the page, with the figure and its root; and comes back when all is drawn. */
const inside = (/** @type {Page} */ page, /** @type {(f: any, root: any) => any} */ does) =>
    /** @type {Promise<any>} */ (
        page.evaluate(`(async () => {
            const figure = document.querySelector('${F}');
            const answer = await (${does})(figure, figure.shadowRoot);
            for (let i = 0; i < 3; i++) await figure.updateComplete;
            return answer;
        })()`)
    );

/** Presses buttons by selector. @param {Page} page @param {string[]} selectors */
async function press(page, ...selectors) {
    for (const selector of selectors) await page.$eval(`${F} >>> ${selector}`, (node) => node.click());
}

/** Middle of a node in the figure. @param {Page} page @param {string} selector */
const middle = (page, selector) =>
    page.$eval(`${F} >>> ${selector}`, (node) => {
        const { x, y, width, height } = node.getBoundingClientRect();
        return { x: x + width / 2, y: y + height / 2 };
    });

const ink = (/** @type {Page} */ page) => inside(page, (_, root) => getComputedStyle(root.querySelector('.pf-F')).fill);

/** Commonest colours of a canvas. @param {Page} page @param {string} selector */
const pixels = (page, selector) =>
    page.$eval(`${F} >>> ${selector}`, (node) => {
        const canvas = /** @type {HTMLCanvasElement} */ (node);
        const { data } = /** @type {any} */ (canvas.getContext('2d')).getImageData(0, 0, canvas.width, canvas.height);
        const seen = /** @type {Record<string, number>} */ ({});
        for (let i = 0; i < data.length; i += 4) {
            const colour = data.subarray(i, i + 4).join();
            seen[colour] = (seen[colour] ?? 0) + 1;
        }
        return Object.keys(seen).sort((a, b) => seen[b] - seen[a]);
    });

describe('the ground of the page', { skip: withoutBrowser }, () => {
    const { visit, write } = inChromium();
    const page_ = (/** @type {string} */ attributes, /** @type {string} */ style) =>
        write(figure(attributes), { head: `<style>${style}</style>` });
    const turns = (/** @type {Page} */ page, /** @type {string} */ name) =>
        page.evaluate((name) => {
            document.body.className = name;
        }, name);

    it('dark by a media query alone: followed there and back', async () => {
        const light = [{ name: 'prefers-color-scheme', value: 'light' }];
        const dark = [{ name: 'prefers-color-scheme', value: 'dark' }];
        const { page } = await visit(page_('', `@media (prefers-color-scheme: dark) { body { ${DARK} } }`), {
            media: light,
        });
        const first = await ink(page);
        await page.emulateMediaFeatures(dark);
        await becomes(async () => (await ink(page)) !== first, 'dark');
        await page.emulateMediaFeatures(light);
        await becomes(async () => (await ink(page)) === first, 'light again');
    });

    it('dark by degrees: the colour at the end counts', async () => {
        const { page } = await visit(
            page_('', `body { background: #fff; transition: background-color 0.1s } body.night { ${DARK} }`),
        );
        const first = await ink(page);
        await turns(page, 'night');
        await becomes(async () => (await ink(page)) !== first, 'dark');
    });

    it('what is painted follows, too: a chart on a canvas, the regions of a network at rest', async () => {
        const large = await visit(page_('schedule="1f1b" ranks="64" microbatches="64"', `body.night { ${DARK} }`));
        const chart = await pixels(large.page, '.dense');
        await turns(large.page, 'night');
        await becomes(async () => {
            const fill = await inside(
                large.page,
                (_, root) => getComputedStyle(root.querySelector('.probe path')).fill,
            );
            const colours = await pixels(large.page, '.dense');
            return colours.includes(`${fill.match(/\d+/g)},255`) && colours[1] !== chart[1];
        }, 'the chart in the colours of a dark page');

        const training = await visit(page_(TRAINS, `body.night { ${DARK} }`));
        await press(training.page, '[data-view="train"]');
        const regions = async () => (await pixels(training.page, '.regions')).join(' ');
        const seen = await regions();
        await turns(training.page, 'night');
        await becomes(async () => (await regions()) !== seen, 'the regions in other colours');
    });

    it('MUST-13: on paper the words are dark, whatever theme the figure has', async () => {
        for (const [attributes, style] of [
            ['theme="dark"', ''],
            ['', `body { ${DARK} }`],
        ]) {
            const { page } = await visit(page_(attributes, style));
            await page.emulateMediaType('print');
            await settled(page);
            const names = await inside(page, (_, root) => getComputedStyle(root.querySelector('.numbers dt')).color);
            assert.equal(names, 'rgb(90, 100, 116)', `${attributes} ${style}`);
            const words = await inside(page, (_, root) => getComputedStyle(root.querySelector('.numbers dd')).color);
            assert.equal(words, 'rgb(0, 0, 0)', `${attributes} ${style}`);
        }
    });

    it('MUST-08: forced colours leave the classes of the network apart, and in sight', async () => {
        const { page } = await visit(page_(TRAINS, ''));
        const session = await page.createCDPSession();
        await session.send('Emulation.setEmulatedMedia', { features: [{ name: 'forced-colors', value: 'active' }] });
        await press(page, '[data-view="train"]');
        await settled(page);
        const own = await inside(page, (_, root) =>
            [...root.querySelectorAll('.class-colours i')].map((node) => getComputedStyle(node).backgroundColor),
        );
        assert.equal(new Set(own).size, 3, String(own));
        const colours = await pixels(page, '.regions');
        for (const colour of own.slice(0, 2)) assert.ok(colours.includes(`${colour.match(/\d+/g)},255`), colour);
    });

    it('a page from right to left, or with habits for its lines: time goes to the right, names stand, p is p', async () => {
        const style =
            'body { text-indent: 3em; text-transform: uppercase; white-space: pre; letter-spacing: 0.2em; word-spacing: 1em }';
        const plain = await visit(page_(TRAINS, ''));
        const odd = await visit(page_(TRAINS, `html { direction: rtl } ${style}`));
        const look = (/** @type {Page} */ page) =>
            inside(page, (_, root) =>
                ['.pf-rank', '.scrub', '.slider', '.legend li', '[data-number="time"] dd'].map((name) => {
                    const node = root.querySelector(name);
                    const { x, width } = node.getBoundingClientRect();
                    return [name, Math.round(x), Math.round(width)];
                }),
            );
        await plain.page.bringToFront();
        const wanted = await look(plain.page);
        await odd.page.bringToFront();
        assert.deepEqual(await look(odd.page), wanted);
    });
});

describe('who changed what', { skip: withoutBrowser }, () => {
    const { visit, write } = inChromium();

    /** A figure with an id, and what it tells. @param {string} attributes */
    async function told(attributes) {
        const { page } = await visit(write(figure(`figure-id="a" ${attributes}`)));
        await page.evaluate(() => {
            const log = /** @type {string[]} */ ([]);
            Object.assign(window, { log });
            for (const name of ['change', 'answer']) {
                addEventListener(`pipeline-${name}`, (event) => {
                    const { source, solved } = /** @type {CustomEvent} */ (event).detail;
                    log.push(source ?? solved);
                });
            }
        });
        return { page, log: () => page.evaluate(() => /** @type {any} */ (window).log) };
    }
    const nine = (/** @type {Page} */ page) =>
        inside(page, (f) => {
            f.microbatches = 9;
        });

    it('a reader who asks for what is there has changed nothing: the page that then does is not taken for him', async () => {
        const typed = await told(TRAINS);
        await typed.page.focus(`${F} >>> .scrub input`);
        await typed.page.keyboard.press('End');
        await typed.page.keyboard.type(' ');
        const stepped = await told(TRAINS.replace('"8"', '"1"'));
        await stepped.page.focus(`${F} >>> .scrub[data-shown="1"] input`);
        await stepped.page.keyboard.press('ArrowDown');
        const chosen = await told('preset="gpipe"');
        await press(chosen.page, '[data-preset="gpipe"]');
        const linked = await told('schedule="gpipe" ranks="4" microbatches="8"');
        await linked.page.evaluate(() => {
            location.hash = '#pipeline.a=gpipe;p4;m8;unknown';
        });
        await settled(linked.page);
        for (const { page, log } of [typed, stepped, chosen, linked]) {
            await nine(page);
            assert.deepEqual(await log(), []);
            await press(page, '[data-edit="open"]');
            assert.ok(
                await inside(page, (_, root) => root.querySelector('[data-edit="undo"]').disabled),
                'nothing to take back',
            );
        }
    });

    it('POINT-09: a task that the page sets back can be solved again', async () => {
        const { page, log } = await told('schedule="gpipe" ranks="4" microbatches="4" challenge="bubble<20%"');
        const solve = async (/** @type {number} */ answers) => {
            await inside(page, (_, root) => {
                const slider = root.querySelector('[data-option="microbatches"] input');
                slider.value = 32;
                slider.dispatchEvent(new Event('input'));
            });
            const told = async () => (await log()).filter((/** @type {unknown} */ one) => one === true).length;
            await becomes(async () => (await told()) >= answers, 'the answer is told');
        };
        await solve(1);
        await inside(page, (f) => {
            f.microbatches = 4;
        });
        await solve(2);
        assert.deepEqual(await log(), ['user', true, 'user', true]);
    });

    it('MUST-11: an id that comes late finds its state in the address; a page with a base keeps its own address', async () => {
        const { page } = await visit(write(figure('schedule="gpipe" ranks="4" microbatches="8"')));
        const request = await inside(page, async (f) => {
            location.hash = '#pipeline.z=1f1b;p3;m5';
            f.figureId = 'z';
            await f.updateComplete;
            return f.request;
        });
        assert.deepEqual(request, { schedule: '1f1b', ranks: '3', microbatches: '5' });
        const before = page.url().split('#')[0];
        await page.evaluate(() => {
            document.head.append(Object.assign(document.createElement('base'), { href: './elsewhere/page.html' }));
        });
        await page.focus(`${F} >>> .scrub input`);
        await page.keyboard.press('ArrowUp');
        await becomes(async () => page.url() === `${before}#pipeline.z=1f1b;p4;m5`, 'the address follows');
    });
});

describe('a pointer let go of elsewhere', { skip: withoutBrowser }, () => {
    const { visit, write } = inChromium();
    const openFigure = async () => (await visit(write(figure(TRAINS)))).page;

    it('above a number of the sentence, or a cell: nothing follows a pointer that is not pressed', async () => {
        const page = await openFigure();
        const away = async (/** @type {{ x: number, y: number }} */ { x, y }) => {
            await page.mouse.move(x, y);
            await page.mouse.down();
            await page.mouse.move(x + 2, y + 500, { steps: 3 });
            await page.mouse.up();
            await page.mouse.move(x - 2, y);
            await page.mouse.move(x + 12, y, { steps: 7 });
        };
        await away(await middle(page, '.scrub'));
        await press(page, '[data-edit="open"]', '[data-part="order"]');
        await settled(page);
        await away(await middle(page, '.places > g:last-child > :nth-child(2)'));
        assert.ok(!(await inside(page, (_, root) => root.querySelector('.drop') !== null)), 'no cell is on its way');
        assert.deepEqual(await inside(page, (f) => f.request), { schedule: '1f1b', ranks: '4', microbatches: '8' });
    });

    it('a handle taken from the page with its figure is free, and can be taken again', async () => {
        const page = await openFigure();
        await press(page, '[data-edit="open"]');
        await settled(page);
        const { x, y } = await middle(page, '.handle > circle');
        await page.mouse.move(x, y);
        await page.mouse.down();
        await page.mouse.move(x + 160, y, { steps: 3 });
        await inside(page, (f) => {
            Object.assign(window, { figure: f, place: f.parentNode });
            f.remove();
        });
        await page.mouse.up();
        await page.evaluate('place.append(figure)');
        const cuts = () => inside(page, (f) => f.request.cuts);
        const held = await cuts();
        assert.equal(held, '6 2 4 4');
        await page.mouse.move(x - 160, y, { steps: 4 });
        assert.equal(await cuts(), held, 'nothing is held');
        const at = await middle(page, '.handle > circle');
        await page.mouse.move(at.x, at.y);
        await page.mouse.down();
        await page.mouse.move(at.x - 80, at.y, { steps: 3 });
        await page.mouse.up();
        assert.equal(await cuts(), '5 3 4 4');
    });
});

describe('a figure that is moved', { skip: withoutBrowser }, () => {
    const { visit, write } = inChromium();

    it('while its time plays: it stands, and its button says so', async () => {
        const { page } = await visit(write(figure(TRAINS)));
        await press(page, '[data-view="play"]');
        await settled(page);
        await press(page, '[data-play="play_start"]');
        await inside(page, (f) => {
            const place = f.parentNode;
            f.remove();
            place.append(f);
        });
        assert.deepEqual(
            await inside(page, (f, root) => [
                f.matches(':state(playing)'),
                root.querySelector('[data-play]').dataset.play,
            ]),
            [false, 'play_start'],
        );
    });

    it('EMB-08: while its network is shown: out of the page it has none; back again, it has', async () => {
        const { page } = await visit(write(figure(TRAINS)));
        await press(page, '[data-view="train"]');
        const networks = await inside(page, async (f, root) => {
            const shown = () => root.querySelector('.regions') !== null;
            const place = f.parentNode;
            f.remove();
            await f.updateComplete;
            const outside = shown();
            place.append(f);
            await f.updateComplete;
            return [outside, shown()];
        });
        assert.deepEqual(networks, [false, true]);
    });

    it('a figure that becomes one for reading only trains no more', async () => {
        const { page } = await visit(write(figure(TRAINS)));
        await press(page, '[data-view="train"]');
        await press(page, '#view .action.primary');
        const left = await inside(page, async (f, root) => {
            f.readonly = true;
            await f.updateComplete;
            await f.updateComplete;
            return [root.querySelector('#view button') !== null, f.matches(':state(playing)')];
        });
        assert.deepEqual(left, [false, false]);
    });

    it('into the document of a frame, and back, or made there: it has its looks', async () => {
        const { page, complaints } = await visit(write(`${figure(TRAINS)}<iframe title="frame"></iframe>`));
        const looks = await inside(page, async (f) => {
            const frame = /** @type {any} */ (document.querySelector('iframe')).contentDocument;
            const look = (/** @type {any} */ node) => getComputedStyle(node.shadowRoot.querySelector('.views')).display;
            const seen = [];
            for (const home of [frame.body, document.body]) {
                home.append(f);
                await f.updateComplete;
                seen.push(look(f));
            }
            const other = frame.body.appendChild(document.createElement(f.localName));
            await other.ready;
            await other.updateComplete;
            return [...seen, look(other)];
        });
        assert.deepEqual(looks, ['flex', 'flex', 'flex']);
        assert.deepEqual(complaints, []);
    });

    it('EMB-13: a press on the chart leaves no listener behind', async () => {
        const { page } = await visit(write(figure(TRAINS)), {
            before: () => {
                let kept = 0;
                const { addEventListener: add, removeEventListener: remove } = window;
                Object.assign(window, {
                    kept: () => kept,
                    addEventListener(/** @type {any} */ type, /** @type {any} */ listener, /** @type {any} */ options) {
                        kept++;
                        // One that fires but once goes by itself.
                        if (options?.once) add.call(window, type, () => kept--, options);
                        add.call(window, type, listener, options);
                    },
                    removeEventListener(/** @type {any[]} */ ...all) {
                        kept--;
                        remove.apply(window, /** @type {any} */ (all));
                    },
                });
            },
        });
        const kept = () => page.evaluate(() => /** @type {any} */ (window).kept());
        const before = await kept();
        const { x, y } = await middle(page, '.chart > svg');
        for (let i = 0; i < 3; i++) await page.mouse.click(x + 9 * i, y);
        assert.equal(await kept(), before);
    });
});

describe('figures side by side', { skip: withoutBrowser }, () => {
    const { visit, write } = inChromium();

    it('each refuses in its own language, whoever asked last', async () => {
        const html = figure('schedule="dualpipe" ranks="4" microbatches="8"') + figure('lang="en"');
        const { page } = await visit(write(html));
        const other = () =>
            page.evaluate(async (name) => {
                const second = /** @type {any} */ (document.querySelectorAll(name)[1]);
                await second.ready;
                second.microbatches = 7;
                await second.updateComplete;
            }, F);
        await press(page, '[data-view="files"]');
        await other();
        await press(page, '[data-save="torch"]');
        const note = await page.waitForSelector(`${F} >>> #view .note[role="status"]`);
        assert.match((await note?.evaluate((node) => node.textContent)) ?? '', /В таблице PyTorch этого не записать/);

        const forward = await visit(write(figure('schedule="1f1b" ranks="4" microbatches="7"') + figure('lang="en"')));
        await press(forward.page, '[data-view="compare"]');
        await forward.page.evaluate(async (name) => {
            const second = /** @type {any} */ (document.querySelectorAll(name)[1]);
            await second.ready;
            second.microbatches = 6;
            await second.updateComplete;
        }, F);
        const refusal = await inside(forward.page, async (f, root) => {
            const choice = root.querySelector('#explain select');
            choice.value = 'interleaved';
            choice.dispatchEvent(new Event('change'));
            await f.updateComplete;
            return root.querySelector('#explain .refusal').textContent;
        });
        assert.match(refusal, /Ближайшее допустимое/);
    });

    it('VIE-03: values copied from a page, with blanks that do not break', async () => {
        const { page } = await visit(
            write(figure('ranks="&nbsp;3" microbatches="4" forward="1&nbsp;2&#8239;1&nbsp;"')),
        );
        const seen = await inside(page, (f) => [f.error?.message ?? '', [...(f.simulation?.costs.forward ?? [])]]);
        assert.deepEqual(seen, ['', [1, 2, 1]]);
    });
});
