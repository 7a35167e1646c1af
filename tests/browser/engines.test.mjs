// The figure in all three engines, from disk and over http: it lives, lives again, and says so where it may not.
// PP_SHOTS=folder keeps pictures of it.
import assert from 'node:assert/strict';
import { copyFileSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { serve } from '../../scripts/serve.mjs';
import { engines, until } from '../support/engines.mjs';
import { copyScripts, quiet } from '../support/figure-page.mjs';
import { opening } from '../support/hooks.mjs';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
const SCRIPT = '<script src="pipeline-figure.js" defer></script>';
const PLAIN = '<script src="pipeline-figure.nowasm.js" defer></script>';
const FIGURE =
    '<pipeline-figure schedule="1f1b" ranks="4" microbatches="8"><p id="still">still picture</p></pipeline-figure>';
const NOWASM = FIGURE.replace(' ranks', ' nowasm="pipeline-figure.nowasm.js" ranks');

/** What goes wrong in the page is kept in window.wrong. */
const WATCH = `<script>
    window.wrong = [];
    for (const name of ['error', 'unhandledrejection'])
        addEventListener(name, (event) => wrong.push(String(event.message ?? event.reason)), true);
</script>`;

/** @param {string} body @param {string} [head] @param {string} [lang] */
const document_ = (body, head = SCRIPT, lang = 'ru') => `<!DOCTYPE html>
<html lang="${lang}"><head><meta charset="utf-8"><title>figure</title>
<meta name="viewport" content="width=device-width, initial-scale=1">${head}</head><body><main>${body}</main></body></html>`;

/** What the first figure shows. Runs in the page. */
function seen() {
    const figure = /** @type {any} */ (document.querySelector('pipeline-figure'));
    const text = (/** @type {string} */ selector) =>
        figure?.shadowRoot?.querySelector(selector)?.textContent?.replace(/\s+/g, ' ').trim() || null;
    const still = document.querySelector('#still');
    return {
        time: text('[data-number="time"] dd'),
        chart: Boolean(figure?.shadowRoot?.querySelector('.chart > svg')),
        cells: figure?.shadowRoot?.querySelectorAll('[role="gridcell"]').length,
        explanation: text('.explanation'),
        blocked: text('.blocked'),
        still: Boolean(still && still.getBoundingClientRect().height > 0),
        wrong: /** @type {any} */ (window).wrong ?? [],
    };
}

/** Runs in the page. */
const stands = () => Boolean(document.querySelector('pipeline-figure')?.shadowRoot?.querySelector('.chart > svg'));
const isBlocked = () =>
    Boolean(document.querySelector('pipeline-figure')?.shadowRoot?.querySelector('.blocked')?.textContent?.trim());

/** Address on the server: the page, and the policy it comes with. @type {Record<string, [string, string?]>} */
const PAGES = {
    '/wasm': [document_(FIGURE), "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'"],
    '/types': [
        document_(FIGURE),
        "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; require-trusted-types-for 'script'",
    ],
    '/strict': [document_(FIGURE), "script-src 'self'"],
    '/strict-en': [document_(FIGURE, SCRIPT, 'en'), "script-src 'self'"],
    '/strict-named': [document_(NOWASM), "script-src 'self'"],
    '/strict-plain': [document_(FIGURE, PLAIN), "default-src 'none'; script-src 'self'"],
    '/sandbox': [document_(FIGURE), 'sandbox allow-scripts'],
    '/module': [document_(FIGURE, '<script type="module" src="module/index.js"></script>')],
    '/widget': [
        document_(
            '<div id="cell"></div>',
            `<script type="module">
                import widget from './pipeline-figure.anywidget.mjs';
                const values = { schedule: '1f1b', ranks: 4, microbatches: 8, backward_order: null, lang: 'ru' };
                const heard = new Map();
                window.model = {
                    values,
                    saved: 0,
                    heard,
                    get: (name) => values[name],
                    set(name, value) { values[name] = value; heard.get('change:' + name)?.(); },
                    save_changes() { this.saved++; },
                    on: (event, callback) => heard.set(event, callback),
                    off: (event) => heard.delete(event),
                };
                window.end = widget.render({ model, el: document.querySelector('#cell') });
            </script>`,
        ),
    ],
    '/frame': [
        `<!DOCTYPE html><title>frame</title><script>
            window.told = [];
            addEventListener('message', (event) => told.push(event.data));
        </script><iframe width="700" height="300" sandbox="allow-scripts"
            src="embed.html?schedule=gpipe&amp;ranks=3&amp;microbatches=4&amp;lang=en&amp;id=a&amp;onload=alert(1)"></iframe>`,
    ],
    '/narrow': [
        `<!DOCTYPE html><title>narrow</title><body style="margin:0"><iframe src="index.html"
            style="border:0;width:360px;height:880px"></iframe>`,
    ],
};

for (const { name, skip, launch } of engines) {
    const hasWasm = !name.includes('without');
    describe(name, { skip }, () => {
        /** @type {import('../support/engines.mjs').Driver} */
        let driver;
        /** @type {Awaited<ReturnType<typeof serve>>} */
        let site;
        /** @type {string} */
        let folder;
        let pages = 0;

        opening(async (closing) => {
            folder = mkdtempSync(join(tmpdir(), 'pipeline-figure-'));
            closing(() => rmSync(folder, { recursive: true, force: true }));
            copyScripts(folder);
            copyFileSync(join(dist, 'pipeline-figure.nowasm.js'), join(folder, 'pipeline-figure.nowasm.js'));
            cpSync(join(dist, 'module'), join(folder, 'module'), { recursive: true });
            site = await serve(dist, {
                page: (path) => PAGES[path]?.[0],
                headers: (path) => {
                    const policy = PAGES[path]?.[1];
                    return /** @type {Record<string, string>} */ (policy ? { 'content-security-policy': policy } : {});
                },
            });
            closing(() => site.close());
            driver = await launch();
            closing(() => driver.close());
        });

        /** Opens a page from disk. @param {string} body @param {string} [head] */
        async function fromDisk(body, head = WATCH + SCRIPT) {
            const path = join(folder, `page-${++pages}.html`);
            writeFileSync(path, document_(body, head));
            await driver.goto(pathToFileURL(path).href);
        }
        const fromSite = (/** @type {string} */ path) => driver.goto(site.url + path.slice(1));

        async function lives() {
            await until(driver, stands);
            const shown = await driver.eval(seen);
            assert.equal(shown.time, '33 такта');
            assert.equal(shown.still, false);
            assert.deepEqual(shown.wrong, []);
        }

        /** The reason is said, the static picture stays. @param {RegExp} reason */
        async function staysStill(reason) {
            await until(driver, isBlocked);
            const shown = await driver.eval(seen);
            assert.match(shown.blocked ?? '', reason);
            assert.equal(shown.chart, false);
            assert.equal(shown.still, true);
        }

        /** @param {string} what */
        async function keep(what) {
            if (!process.env.PP_SHOTS) return;
            writeFileSync(join(process.env.PP_SHOTS, `${name.replaceAll(' ', '-')}-${what}.png`), await driver.shot());
        }

        it('EMB-05: without WebAssembly, the script made for that: from disk', async () => {
            await fromDisk(FIGURE, `${WATCH}<script>delete globalThis.WebAssembly;</script>${PLAIN}`);
            await lives();
        });

        it('EMB-05: without WebAssembly, an attribute that names it: from disk', async () => {
            await fromDisk(NOWASM + FIGURE, `${WATCH}<script>delete globalThis.WebAssembly;</script>${SCRIPT}`);
            await lives();
            assert.equal(await driver.eval(() => document.scripts.length), 4, 'loaded once');
        });

        /** Steps of training with a worker for each device, or what is done in their place. */
        async function trained() {
            await until(driver, stands);
            await driver.eval(() => {
                const { shadowRoot } = /** @type {any} */ (document.querySelector('pipeline-figure'));
                shadowRoot.querySelector('[data-view="train"]').click();
            });
            await until(driver, () =>
                Boolean(document.querySelector('pipeline-figure')?.shadowRoot?.querySelector('.workers')),
            );
            await driver.eval(() => {
                const { shadowRoot } = /** @type {any} */ (document.querySelector('pipeline-figure'));
                shadowRoot.querySelector('[data-worker="run"]').click();
            });
            return until(driver, () => {
                const root = document.querySelector('pipeline-figure')?.shadowRoot;
                if (!root?.querySelector('.workers .numbers-table, .workers .refusal')) return null;
                const text = (/** @type {string} */ selector) =>
                    root.querySelector(selector)?.textContent?.replace(/\s+/g, ' ');
                return {
                    step: text('[data-value="step"]'),
                    difference: text('[data-value="difference"]'),
                    refusal: text('.workers .refusal') ?? null,
                    notes: [...root.querySelectorAll('.workers .note')]
                        .map((note) => note.textContent?.replace(/\s+/g, ' '))
                        .join(' '),
                };
            });
        }

        it('without WebAssembly a training by workers runs in slices and says so: from disk', async () => {
            await fromDisk(FIGURE, `${WATCH}<script>delete globalThis.WebAssembly;</script>${PLAIN}`);
            const { step, difference, refusal, notes } = await trained();
            assert.deepEqual([step, difference, refusal], ['30', 'ровно 0', null]);
            assert.match(notes, /нет потоков.*ускорения не измерено/);
        });

        if (hasWasm)
            it('a worker for each device, from disk: the weights are exact', async () => {
                await fromDisk(FIGURE);
                const { step, difference, refusal } = await trained();
                assert.deepEqual([step, difference, refusal], ['35', 'ровно 0', null]);
                assert.deepEqual((await driver.eval(seen)).wrong, []);
                await keep('workers');
            });

        if (!hasWasm) {
            it('MUST-09, EMB-05: has no WebAssembly, says so and keeps the static picture: from disk', async () => {
                await fromDisk(FIGURE);
                assert.equal(await driver.eval(() => typeof WebAssembly), 'undefined');
                await staysStill(/WebAssembly отключён/);
                assert.deepEqual((await driver.eval(seen)).wrong, []);
            });
            return;
        }

        it('a boundary of stages and an operation are dragged, from disk', async () => {
            await fromDisk(FIGURE);
            await lives();
            /** Runs in the page. @param {string} selector */
            const middle = (selector) => {
                const node = document.querySelector('pipeline-figure')?.shadowRoot?.querySelector(selector);
                node?.scrollIntoView({ block: 'center' });
                const { x, y, width, height } = /** @type {Element} */ (node).getBoundingClientRect();
                return { x: x + width / 2, y: y + height / 2 };
            };
            const press = async (/** @type {string} */ selector) => {
                await until(
                    driver,
                    (s) => document.querySelector('pipeline-figure')?.shadowRoot?.querySelector(s) !== null,
                    selector,
                );
                const { x, y } = await driver.eval(middle, selector);
                await driver.click(x, y);
            };
            const asked = (/** @type {string} */ name) =>
                until(driver, (name) => document.querySelector('pipeline-figure')?.getAttribute(name), name);
            await press('[data-edit="open"]');
            await until(driver, () =>
                Boolean(document.querySelector('pipeline-figure')?.shadowRoot?.querySelector('.strip')),
            );
            await driver.drag(await driver.eval(middle, '.strip circle'), 150);
            assert.match(await asked('cuts'), /^[567] [123] 4 4$/);
            await press('[data-edit="undo"]');
            await until(driver, () => !document.querySelector('pipeline-figure')?.hasAttribute('cuts'));
            await press('[data-part="order"]');
            const cell = '[role="gridcell"][aria-label^="Обратный проход микробатча 2,"]';
            await driver.drag(await driver.eval(middle, cell), -90);
            assert.match(await asked('moves'), /^0B1-[12]$/);
            assert.deepEqual((await driver.eval(seen)).wrong, []);
            await keep('moved');
        });

        it('MUST-02, EMB-01: lives from disk, with a click, the keyboard and a control', async () => {
            await fromDisk(FIGURE);
            await lives();
            const cell = await driver.eval(() => {
                const root = document.querySelector('pipeline-figure')?.shadowRoot;
                root?.querySelector('.chart')?.scrollIntoView({ block: 'center' });
                const cell = /** @type {Element} */ (root?.querySelector('[role="gridcell"]') ?? document.body);
                const { x, y, width, height } = cell.getBoundingClientRect();
                return { x: x + width / 2, y: y + height / 2 };
            });
            await driver.click(cell.x, cell.y);
            const explanation = () =>
                document.querySelector('pipeline-figure')?.shadowRoot?.querySelector('.explanation')?.textContent ?? '';
            await until(driver, () => {
                const root = document.querySelector('pipeline-figure')?.shadowRoot;
                return root?.querySelector('.explanation:not([data-quiet])') !== null;
            });
            const first = await driver.eval(explanation);
            await driver.press('ArrowRight');
            await until(
                driver,
                (before) =>
                    document.querySelector('pipeline-figure')?.shadowRoot?.querySelector('.explanation')
                        ?.textContent !== before,
                first,
            );
            await driver.eval(() => {
                const control = /** @type {HTMLInputElement} */ (
                    document.querySelector('pipeline-figure')?.shadowRoot?.querySelector('[data-option="ranks"] input')
                );
                control.value = '5';
                control.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
            });
            await until(driver, () => document.querySelector('pipeline-figure')?.getAttribute('ranks') === '5');
            assert.deepEqual((await driver.eval(seen)).wrong, []);
            await keep('disk');
        });

        it('its modules are refused from disk, as with a reader', async () => {
            await fromDisk(FIGURE, '<script type="module" src="module/index.js"></script>');
            await quiet(500);
            assert.equal(await driver.eval(() => customElements.get('pipeline-figure') === undefined), true);
        });

        it('EMB-12, EMB-13, POINT-12: twenty figures compile once; the script twice is harmless; a moved and a cloned figure go on', async () => {
            const count = `<script>
                window.compiled = 0;
                const compile = WebAssembly.compile;
                WebAssembly.compile = (...args) => { compiled++; return compile(...args); };
            </script>`;
            await fromDisk(FIGURE.repeat(20), WATCH + count + SCRIPT + SCRIPT);
            await lives();
            await driver.eval(() => {
                for (const figure of document.querySelectorAll('pipeline-figure')) figure.scrollIntoView();
                const [first] = document.querySelectorAll('pipeline-figure');
                const clone = first.cloneNode(true);
                first.remove();
                document.body.append(first, clone);
                clone.parentElement?.scrollIntoView({ block: 'end' });
            });
            await until(driver, () => {
                const all = [...document.querySelectorAll('pipeline-figure')];
                for (const figure of all.slice(-2)) figure.scrollIntoView();
                return all.slice(-2).every((figure) => figure.shadowRoot?.querySelector('.chart > svg'));
            });
            assert.equal(await driver.eval(() => /** @type {any} */ (window).compiled), 1);
            assert.deepEqual((await driver.eval(seen)).wrong, []);
            assert.deepEqual(
                await driver.eval(() => Object.keys(globalThis).filter((key) => /pipeline/i.test(key))),
                ['PipelineFigure'],
                'one global name',
            );
        });

        it('EMB-13: inserted and removed fifty times', async () => {
            await fromDisk(FIGURE);
            await lives();
            await driver.eval(() => {
                const figure = /** @type {Element} */ (document.querySelector('pipeline-figure'));
                const place = figure.parentElement;
                for (let i = 0; i < 50; i++) {
                    figure.remove();
                    place?.append(figure);
                }
            });
            await lives();
        });

        for (const path of ['/wasm', '/types', '/sandbox', '/module', '/strict-named', '/strict-plain']) {
            it(`lives over http at ${path}: ${PAGES[path][1] ?? 'no policy'}`, async () => {
                const before = site.requests.length;
                await fromSite(path);
                await lives();
                const files = site.requests.slice(before).filter((file) => file !== '/favicon.ico' && file !== path);
                assert.ok(
                    files.every((file) => /^\/(pipeline-figure(\.nowasm)?|module\/[\w-]+)\.js$/.test(file)),
                    String(files),
                );
            });
        }

        it('under script-src self says what is needed and keeps the static picture', async () => {
            await fromSite('/strict');
            await staysStill(/запрещает WebAssembly.*wasm-unsafe-eval/);
            await fromSite('/strict-en');
            await staysStill(/forbids WebAssembly.*wasm-unsafe-eval/);
        });

        it('POINT-12: embed.html in a sandboxed frame tells its height to the page around', async () => {
            await fromSite('/frame');
            const tall = () => {
                const told = /** @type {any} */ (window).told ?? [];
                return told.some((/** @type {any} */ { height }) => height > 400) && told;
            };
            const told = await until(driver, tall);
            const [lti, own] = [
                told.filter((/** @type {any} */ message) => message.subject === 'lti.frameResize'),
                told.filter((/** @type {any} */ message) => message.type === 'pipeline-figure:resize'),
            ];
            assert.ok(lti.length > 0 && lti.length === own.length && lti.length < 20, `${lti.length} messages`);
            assert.ok(own.every((/** @type {any} */ message) => message.id === 'a'));
            // Never the height of a frame in which nothing stands yet.
            assert.ok(
                own.every((/** @type {any} */ message) => message.height > 400),
                JSON.stringify(own),
            );
            await keep('frame');
        });

        it('as an anywidget follows its model, tells it what the reader changes, and goes', async () => {
            await fromSite('/widget');
            await until(driver, stands);
            assert.equal((await driver.eval(seen)).time, '33 такта');
            await driver.eval(() => /** @type {any} */ (window).model.set('ranks', 5));
            await until(driver, () => document.querySelector('pipeline-figure')?.getAttribute('ranks') === '5');
            await driver.eval(() => {
                const control = /** @type {HTMLInputElement} */ (
                    document
                        .querySelector('pipeline-figure')
                        ?.shadowRoot?.querySelector('[data-option="microbatches"] input')
                );
                control.value = '6';
                control.dispatchEvent(new Event('input', { bubbles: true, composed: true }));
            });
            const told = await until(driver, () => {
                const { saved, values } = /** @type {any} */ (window).model;
                return saved > 0 && values;
            });
            assert.deepEqual([told.schedule, told.ranks, told.microbatches, told.backward_order], ['1f1b', 5, 6, null]);
            const left = () => {
                /** @type {any} */ (window).end();
                return [
                    document.querySelectorAll('pipeline-figure').length,
                    /** @type {any} */ (window).model.heard.size,
                ];
            };
            assert.deepEqual(await driver.eval(left), [0, 0]);
        });

        it('the chapter has no sideways scroll, wide and on a phone', async () => {
            const overflow = () => document.documentElement.scrollWidth - document.documentElement.clientWidth;
            await fromSite('/index.html');
            await until(driver, stands);
            assert.equal(await driver.eval(overflow), 0);
            await driver.eval(() => document.querySelector('pipeline-figure')?.scrollIntoView());
            await keep('page-1200');
            await fromSite('/narrow');
            const phone = () => {
                const page = document.querySelector('iframe')?.contentDocument;
                const figure = page?.querySelector('pipeline-figure');
                figure?.scrollIntoView();
                if (!page || !figure?.shadowRoot?.querySelector('.chart > svg')) return null;
                return { over: page.documentElement.scrollWidth - page.documentElement.clientWidth };
            };
            assert.deepEqual(await until(driver, phone), { over: 0 });
            await keep('page-360');
        });
    });
}
