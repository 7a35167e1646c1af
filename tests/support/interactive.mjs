// Time from the arrival of the script to a figure that answers, beside an empty element made with lit: what a figure costs
// above the least that such an element can.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { serve } from '../../scripts/serve.mjs';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));

const EMPTY = `import { html, LitElement } from 'lit';
customElements.define('lit-empty', class extends LitElement { render() { return html\`<p>empty</p>\`; } });`;

/** Runs in the page before its scripts. */
function watch() {
    const done = (/** @type {number} */ ready) =>
        requestAnimationFrame(() => {
            const [script] = performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js'));
            const arrived = /** @type {PerformanceResourceTiming} */ (script).responseEnd;
            Object.assign(window, { took: { ready: ready - arrived, drawn: performance.now() - arrived } });
        });
    addEventListener('pipeline-ready', () => done(performance.now()));
    customElements.whenDefined('lit-empty').then(async () => {
        await /** @type {any} */ (document.querySelector('lit-empty')).updateComplete;
        done(performance.now());
    });
}

/**
 * Medians in milliseconds, of `times` fresh pages each.
 * @param {import('puppeteer-core').Browser} browser @param {number} times
 */
export async function timeToInteractive(browser, times) {
    const { outputFiles } = await build({
        stdin: { contents: EMPTY, resolveDir: root },
        bundle: true,
        minify: true,
        write: false,
        format: 'iife',
        conditions: ['production'],
    });
    const page_ = (/** @type {string} */ script, /** @type {string} */ tag) =>
        `<!DOCTYPE html><html lang="ru"><meta charset="utf-8"><title>page</title><script src="${script}" defer></script><body>${tag}</body></html>`;
    const pages = /** @type {Record<string, string>} */ ({
        '/figure': page_(
            'pipeline-figure.js',
            '<pipeline-figure schedule="1f1b" ranks="4" microbatches="8"></pipeline-figure>',
        ),
        '/empty': page_('empty.js', '<lit-empty></lit-empty>'),
        '/empty.js': outputFiles[0].text,
        '/favicon.ico': '',
    });
    const site = await serve(dist, {
        page: (path) => pages[path],
        headers: (path) => (path.endsWith('.js') ? { 'content-type': 'text/javascript' } : {}),
    });
    try {
        /** @type {Record<string, number[]>} */
        const took = { figure: [], empty: [] };
        for (let i = 0; i < times; i++) {
            for (const kind of ['figure', 'empty']) {
                const page = await browser.newPage();
                await page.bringToFront();
                await page.evaluateOnNewDocument(watch);
                await page.goto(`${site.url}${kind}`);
                await page.waitForFunction(() => /** @type {any} */ (window).took);
                took[kind].push(await page.evaluate(() => /** @type {any} */ (window).took.ready));
                await page.close();
            }
        }
        const sorted = (/** @type {number[]} */ list) => list.toSorted((a, b) => a - b);
        const [figure, empty] = [sorted(took.figure), sorted(took.empty)];
        const middle = times >> 1;
        return {
            figure: figure[middle],
            fastest: figure[0],
            empty: empty[middle],
            ratio: figure[middle] / empty[middle],
        };
    } finally {
        await site.close();
    }
}
