// Pages for the tests of the element: a folder with the one script in it, and pages written beside it; opened from disk
// or served under a policy.
import { copyFileSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { launch } from './browser.mjs';
import { opening } from './hooks.mjs';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
export const bookPage = pathToFileURL(join(dist, 'index.html')).href;

/** @param {string} body @param {{ lang?: string, head?: string, scripts?: number }} [options] */
export function pageText(body, { lang = 'ru', head = '', scripts = 1 } = {}) {
    const script = '<script src="pipeline-figure.js" defer></script>';
    return `<!DOCTYPE html>
<html lang="${lang}"><head><meta charset="utf-8"><title>figure</title>
<meta name="viewport" content="width=device-width, initial-scale=1">${head}${script.repeat(scripts)}</head>
<body><main>${body}</main></body></html>`;
}

/** The script with its parts. @param {string} folder */
export function copyScripts(folder) {
    copyFileSync(join(dist, 'pipeline-figure.js'), join(folder, 'pipeline-figure.js'));
    cpSync(join(dist, 'pipeline-figure'), join(folder, 'pipeline-figure'), { recursive: true });
}

/** A folder of pages; remove() when done. */
export function pageFolder() {
    const folder = mkdtempSync(join(tmpdir(), 'pipeline-figure-'));
    copyScripts(folder);
    let pages = 0;
    return {
        path: folder,
        /** Writes a page and gives its file: address. @param {string} body @param {Parameters<typeof pageText>[1]} [options] */
        write(body, options) {
            const path = join(folder, `page-${++pages}.html`);
            writeFileSync(path, pageText(body, options));
            return pathToFileURL(path).href;
        },
        remove: () => rmSync(folder, { recursive: true, force: true }),
    };
}

/**
 * Serves one page and the script under a Content-Security-Policy.
 * @param {string} html @param {string} policy
 */
export async function serve(html, policy) {
    const { readFileSync } = await import('node:fs');
    const server = createServer((request, response) => {
        const script = request.url?.endsWith('.js');
        response.setHeader('Content-Type', script ? 'text/javascript' : 'text/html; charset=utf-8');
        response.setHeader('Content-Security-Policy', policy);
        response.end(script ? readFileSync(join(dist, String(request.url))) : html);
    });
    await new Promise((listening) => server.listen(0, '127.0.0.1', () => listening(undefined)));
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    return { url: `http://127.0.0.1:${port}/`, close: () => server.close() };
}

/**
 * Opens an address and waits for its first figure. Everything the page complains of, and every request that leaves it,
 * is collected.
 * @param {import('puppeteer-core').Browser} browser @param {string} url
 * @param {{ viewport?: import('puppeteer-core').Viewport, media?: import('puppeteer-core').MediaFeature[],
 *           scripts?: boolean, before?: () => void, waits?: boolean }} [options]
 */
export async function open(browser, url, options = {}) {
    const page = await browser.newPage();
    page.setDefaultTimeout(120_000); // for what never comes; on a busy machine half a minute may not be enough
    await page.bringToFront(); // a page behind another draws no frames, and nothing in it comes into view
    /** @type {string[]} */
    const complaints = [];
    /** @type {string[]} */
    const requests = [];
    page.on('console', (message) => {
        if (['error', 'warn'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('request', (request) => {
        if (!request.url().startsWith(new URL('.', url).href)) requests.push(request.url());
    });
    await page.setViewport(options.viewport ?? { width: 1200, height: 900 });
    if (options.media) await page.emulateMediaFeatures(options.media);
    if (options.scripts === false) await page.setJavaScriptEnabled(false);
    if (options.before) await page.evaluateOnNewDocument(options.before);
    await page.goto(url);
    if (options.scripts !== false && options.waits !== false) {
        await page.waitForFunction(() =>
            document.querySelector('pipeline-figure')?.shadowRoot?.querySelector('.chart > svg'),
        );
        // What a reader opens is there at once then; tests/browser/parts.test.mjs looks at how it comes.
        await page.evaluate(() => /** @type {any} */ (globalThis).PipelineFigure?.loadParts?.());
    }
    return { page, complaints, requests };
}

/**
 * For a suite: a Chromium, and a folder for its pages. Pages are closed behind each test, however it went; the rest goes with
 * the suite. @param {Parameters<typeof launch>[0]} [options]
 */
export function inChromium(options) {
    /** @type {import('puppeteer-core').Browser} */
    let browser;
    /** @type {ReturnType<typeof pageFolder>} */
    let folder;
    /** @type {import('puppeteer-core').Page[]} */
    const pages = [];
    opening(async (closing) => {
        folder = pageFolder();
        closing(() => folder.remove());
        browser = await launch(options);
        closing(() => browser.close());
    });
    afterEach(async () => {
        for (const page of pages.splice(0)) if (!page.isClosed()) await page.close();
    });
    /** Opens an address. @param {string} url @param {Parameters<typeof open>[2]} [how] */
    const visit = async (url, how) => {
        const opened = await open(browser, url, how);
        pages.push(opened.page);
        return opened;
    };
    return {
        visit,
        /** Writes a page, and gives its address. @type {ReturnType<typeof pageFolder>['write']} */
        write: (body, page) => folder.write(body, page),
        /** Path of a file beside the pages. @param {string} name */
        beside: (name) => join(folder.path, name),
    };
}

/**
 * Comes back when the figures of a page have drawn what was asked for so far: input that came before this call has been handled,
 * what is done once a frame has had two of them, and no update is due. @param {import('puppeteer-core').Page} page
 */
export const settled = (page) =>
    page.evaluate(async () => {
        const figures = /** @type {any[]} */ ([...document.querySelectorAll('pipeline-figure')]);
        const updated = async () => {
            for (const figure of figures) while (!(await figure.updateComplete));
        };
        for (let frame = 0; frame < 2; frame++) {
            await updated();
            await new Promise((drawn) => requestAnimationFrame(drawn));
        }
        await updated();
    });

/**
 * Asks until it is so: a busy machine takes its time. The minute is for what will never be so.
 * @template T @param {() => Promise<T>} question @param {string} what @returns {Promise<T>}
 */
export async function becomes(question, what) {
    const end = performance.now() + 60_000;
    for (;;) {
        const answer = await question();
        if (answer) return answer;
        if (performance.now() > end) throw new Error(`never so: ${what}`);
        await new Promise((later) => setTimeout(later, 30));
    }
}

/**
 * Lets some time go by in which something must NOT happen, which cannot be waited for. On a slow machine a test that uses this
 * sees less; it never fails for that. @param {number} milliseconds
 */
export const quiet = (milliseconds) => new Promise((over) => setTimeout(over, milliseconds));

/**
 * From now on the clock of a page goes by its frames, ten milliseconds for each that is asked for: what moves goes through the
 * same pictures on any machine. Runs in the page.
 */
export function clockByFrames() {
    let now = performance.now();
    const ask = requestAnimationFrame;
    performance.now = () => now;
    window.requestAnimationFrame = (work) =>
        ask(() => {
            now += 10;
            work(now);
        });
}

/**
 * What a figure shows, read from its shadow root.
 * @param {import('puppeteer-core').Page} page @param {number} [which]
 */
export function reading(page, which = 0) {
    return page.evaluate((n) => {
        const figure = /** @type {any} */ (document.querySelectorAll('pipeline-figure')[n]);
        const root = /** @type {ShadowRoot} */ (figure.shadowRoot);
        const text = (/** @type {string} */ selector) =>
            root
                .querySelector(selector)
                ?.textContent?.replace(/[\s\u00a0]+/g, ' ')
                .trim() ?? null;
        return {
            sentence: text('.sentence'),
            time: text('[data-number="time"] dd'),
            utilization: text('[data-number="utilization"] dd'),
            bubble: text('[data-number="bubble_fraction"] dd'),
            fourth: text('.numbers > div:last-child dd'),
            formula: root.querySelector('math')?.getAttribute('alttext') ?? null,
            cells: root.querySelectorAll('[role="gridcell"]').length,
            chart: root.querySelector('.chart > svg') !== null,
            refusal: text('.refusal p'),
            fixes: [...root.querySelectorAll('.refusal button')].map((button) => button.textContent?.trim()),
            explanation: text('.explanation'),
            status: text('.announcement'),
            blocked: text('.blocked'),
        };
    }, which);
}

/**
 * Sets a control as a reader would, and tells how long the figure took to show what `expected` says.
 * @param {import('puppeteer-core').Page} page @param {string} selector in the first figure @param {string} value
 * @param {string} event
 */
export function setControl(page, selector, value, event = 'input') {
    return page.evaluate(
        async (selector, value, event) => {
            const root = /** @type {ShadowRoot} */ (document.querySelector('pipeline-figure')?.shadowRoot);
            const control = /** @type {HTMLInputElement} */ (root.querySelector(selector));
            control.value = value;
            const seen = new Promise((settled, failed) => {
                // A range holds only what its step allows: a value between two of them changes nothing, and nothing would ever be seen.
                const never = () =>
                    failed(new Error(`${selector} was set to ${value}, holds ${control.value}, and nothing changed`));
                setTimeout(never, 60_000);
                new MutationObserver((_, observer) => {
                    observer.disconnect();
                    // The element writes numbers, sentence and picture in one go; all of it is there in the next task.
                    settled(performance.now());
                }).observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
            });
            const begun = performance.now();
            control.dispatchEvent(new Event(event, { bubbles: true, composed: true }));
            const done = /** @type {number} */ (await seen);
            return done - begun;
        },
        selector,
        value,
        event,
    );
}

/**
 * Sets an option as the author of a page does, by its attribute, and waits for the figure. Sliders stop only at legal values;
 * this is the way to one that is refused.
 * @param {import('puppeteer-core').Page} page @param {string} name @param {string} value
 */
export async function setOption(page, name, value) {
    await page.$eval('pipeline-figure', (figure, name, value) => figure.setAttribute(name, value), name, value);
    await settled(page);
}

/**
 * Sets an option of the training panel by its label, and waits for the view.
 * @param {import('puppeteer-core').Page} page @param {string} label @param {string} value
 */
export function setTraining(page, label, value) {
    return page.$eval(
        'pipeline-figure',
        async (figure, label, value) => {
            const { shadowRoot, updateComplete } = /** @type {any} */ (figure);
            const control = [...shadowRoot.querySelectorAll('.training-options label')]
                .find((field) => field.querySelector('span').textContent === label)
                .querySelector('select, input');
            control.value = value;
            control.dispatchEvent(new Event('change'));
            await updateComplete;
        },
        label,
        value,
    );
}
