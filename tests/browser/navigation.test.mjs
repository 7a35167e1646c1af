// Pages that come and go without being loaded anew, pages that are kept while the reader is elsewhere, pages saved to disk.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { serve } from '../../scripts/serve.mjs';
import { launch, withoutBrowser } from '../support/browser.mjs';
import { becomes, open, pageFolder, quiet, reading } from '../support/figure-page.mjs';
import { opening } from '../support/hooks.mjs';
import { withoutPoppler, wordsOf } from '../support/optional.mjs';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
const FIGURE = '<pipeline-figure schedule="1f1b" ranks="4" microbatches="8"><p id="still">still</p></pipeline-figure>';
const MEGABYTE = 1 << 20;
const document_ = (/** @type {string} */ body, head = '<script src="pipeline-figure.js" defer></script>') =>
    `<!DOCTYPE html><html lang="ru"><head><meta charset="utf-8"><title>page</title>${head}</head><body>${body}</body></html>`;

/** A small router in the manner of Turbo: bodies are swapped, scripts of the new body run again, old ones are kept. */
const ROUTER = `<script>
    const kept = new Map();
    let here = location.pathname;
    async function visit(path, way = 'push') {
        kept.set(here, document.body);
        here = path;
        if (way === 'push') history.pushState(null, '', path);
        let body = way === 'back' ? kept.get(path) : null;
        if (!body) {
            const text = await (await fetch(path)).text();
            body = document.importNode(new DOMParser().parseFromString(text, 'text/html').body, true);
            for (const script of body.querySelectorAll('script')) {
                const again = document.createElement('script');
                again.src = script.src;
                script.replaceWith(again);
            }
        }
        document.documentElement.replaceChild(body, document.body);
        Object.assign(window, { visited: (window.visited ?? 0) + 1 });
    }
    addEventListener('popstate', () => visit(location.pathname, 'back'));
</script>`;

describe('figures on pages that come and go', { skip: withoutBrowser }, () => {
    /** @type {import('puppeteer-core').Browser} */
    let browser;
    /** @type {Awaited<ReturnType<typeof serve>>} */
    let site;
    /** @type {ReturnType<typeof pageFolder>} */
    let folder;
    opening(async (closing) => {
        const script = '<script src="pipeline-figure.js"></script>';
        const pages = /** @type {Record<string, string>} */ ({
            '/a': document_(`<p>no figure</p><a href="/b">b</a>${script}`, ROUTER),
            '/b': document_(`${FIGURE}${script}`, ROUTER),
            '/favicon.ico': '',
            '/plain-a': document_('<a href="/plain-b">b</a>', ''),
            '/plain-b': document_(FIGURE),
        });
        folder = pageFolder();
        closing(() => folder.remove());
        site = await serve(dist, { page: (path) => pages[path], headers: () => ({ 'cache-control': 'max-age=60' }) });
        closing(() => site.close());
        browser = await launch({ args: ['--js-flags=--expose-gc'] });
        closing(() => browser.close());
    });
    const stands = () => Boolean(document.querySelector('pipeline-figure')?.shadowRoot?.querySelector('.chart > svg'));

    it('EMB-08, EMB-12: bodies are swapped: the figure lives each time, back and forward too, whatever script runs again', async () => {
        const { page, complaints } = await open(browser, `${site.url}a`, { waits: false });
        const visit = (/** @type {string} */ path) =>
            page.evaluate((path) => /** @type {any} */ (window).visit(path), path);
        await visit('/b');
        await page.waitForFunction(stands);
        assert.equal((await reading(page)).time, '33 такта');
        await page.evaluate(() => history.back());
        await page.waitForFunction(() => !document.querySelector('pipeline-figure'));
        await page.evaluate(() => history.forward());
        await page.waitForFunction(stands);
        for (let i = 0; i < 3; i++) {
            await visit('/a');
            await visit('/b');
        }
        await page.waitForFunction(stands);
        assert.equal((await reading(page)).time, '33 такта');
        assert.deepEqual(complaints, []);
        await page.close();
    });

    it('EMB-08: what plays or trains stops when its page is left, and its memory is given back', async () => {
        const { page } = await open(browser, `${site.url}b`);
        const heap = async () => {
            for (let i = 0; i < 3; i++) {
                await page.evaluate(() => /** @type {any} */ (globalThis).gc());
                await quiet(100);
            }
            return (await page.metrics()).JSHeapUsedSize ?? Number.NaN;
        };
        const round = async () => {
            await page.evaluate(async (tag) => {
                const place = document.body;
                place.innerHTML = tag;
                const figure = /** @type {any} */ (place.querySelector('pipeline-figure'));
                await figure.ready;
                for (const view of ['play', 'train']) {
                    figure.shadowRoot.querySelector(`[data-view="${view}"]`).click();
                    await figure.updateComplete;
                    const frame = () => new Promise((drawn) => requestAnimationFrame(drawn));
                    const start = () => figure.shadowRoot.querySelector('.view:not([hidden]) .action.primary');
                    while (!start()) await frame(); // the panel is a part that comes when it is opened
                    start().click();
                    for (let n = 0; n < 2; n++) await frame();
                }
                // Asked for after the figure has gone, a frame is one that a left page still draws.
                place.replaceChildren();
                const ask = window.requestAnimationFrame;
                let asked = 0;
                window.requestAnimationFrame = (work) => {
                    asked++;
                    return ask(work);
                };
                await new Promise((later) => setTimeout(later, 200));
                window.requestAnimationFrame = ask;
                Object.assign(window, { asked });
            }, FIGURE);
            assert.ok((await page.evaluate(() => /** @type {any} */ (window).asked)) <= 1, 'nothing runs on');
        };
        for (let i = 0; i < 3; i++) await round();
        const first = await heap();
        for (let i = 0; i < 6; i++) await round();
        await becomes(async () => (await heap()) - first < MEGABYTE, 'memory is given back');
        await page.close();
    });

    it('EMB-08: a page kept for going back is not spoilt by its figure, and comes back alive', async (t) => {
        const { page } = await open(browser, `${site.url}plain-b`);
        await page.evaluate(async () => {
            addEventListener('pageshow', (event) => Object.assign(window, { kept: event.persisted }));
            const figure = /** @type {any} */ (document.querySelector('pipeline-figure'));
            figure.setAttribute('ranks', '5');
            await figure.updateComplete;
        });
        await page.goto(`${site.url}plain-a`);
        await page.goBack();
        await page.waitForFunction(stands);
        const kept = await page.evaluate(() => /** @type {any} */ (window).kept === true);
        const why = await page.evaluate(() =>
            JSON.stringify(
                /** @type {any} */ (performance.getEntriesByType('navigation')[0]).notRestoredReasons ?? null,
            ),
        );
        t.diagnostic(`kept: ${kept}${kept ? '' : `, because of ${why}`}`);
        // A listener to unload would forbid it in every browser.
        assert.doesNotMatch(readFileSync(join(dist, 'pipeline-figure.whole.js'), 'utf8'), /["'](?:before)?unload["']/);
        const time = (await reading(page)).time;
        assert.equal(time, kept ? '36 тактов' : '33 такта');
        await page.locator('pipeline-figure >>> [data-view="table"]').click();
        await page.waitForFunction(() => document.querySelector('pipeline-figure')?.shadowRoot?.querySelector('table'));
        await page.close();
    });

    it('EMB-01, EMB-02, EMB-16, MUST-02: from disk and offline, with the script beside it or inside it; no request leaves', async () => {
        const place = mkdtempSync(join(tmpdir(), 'pipeline-figure-'));
        try {
            const script = readFileSync(join(dist, 'pipeline-figure.whole.js'), 'utf8');
            // At the end of the body, where a saved page has it: a script inside cannot wait with defer.
            const inside = document_(`${FIGURE}<script>${script.replaceAll('</script', '<\\/script')}</script>`, '');
            const path = join(place, 'saved page.html');
            writeFileSync(path, inside);
            for (const url of [pathToFileURL(path).href, folder.write(FIGURE)]) {
                const page = await browser.newPage();
                await page.bringToFront();
                const complaints = /** @type {string[]} */ ([]);
                const requests = /** @type {string[]} */ ([]);
                page.on('pageerror', (error) => complaints.push(String(error)));
                page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
                page.on('request', (request) => requests.push(request.url()));
                await page.setOfflineMode(true);
                await page.goto(url);
                await page.waitForFunction(stands);
                assert.equal((await reading(page)).time, '33 такта');
                for (const view of ['play', 'memory', 'curve', 'compare', 'path', 'table', 'train', 'files'])
                    await page.locator(`pipeline-figure >>> [data-view="${view}"]`).click();
                const asked = requests.filter((request) => !request.startsWith('file:'));
                assert.deepEqual(asked, []);
                assert.deepEqual(complaints, []);
                await page.close();
            }
        } finally {
            rmSync(place, { recursive: true, force: true });
        }
    });

    it('EMB-03, EMB-06: the scripts evaluate no text and share no memory', () => {
        for (const name of readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) =>
            /\.m?js$/.test(name),
        )) {
            const text = readFileSync(join(dist, name), 'utf8');
            assert.doesNotMatch(
                text,
                /\beval\(|new Function\b|\bFunction\(["'`]|SharedArrayBuffer|importScripts/,
                name,
            );
        }
    });

    const still = 'scripts off, on paper: the picture, its caption with the numbers, no word of a mouse';
    it(`EMB-17, MUST-01: ${still}`, { skip: withoutPoppler }, async () => {
        const { page } = await open(browser, pathToFileURL(join(dist, 'index.html')).href, { scripts: false });
        const text = wordsOf(await page.pdf({ format: 'A4' }));
        assert.match(text, /Время 6 тактов, занятость 2\/3, доля пузыря 1\/3/);
        assert.match(text, /Устройство 3/);
        assert.doesNotMatch(text, /включите JavaScript|мышкой|наведите/i);
        await page.close();
    });
});
