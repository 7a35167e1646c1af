// How training rounds in a real browser: chosen by a probe, the same in the script, beside it, and in workers.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serve } from '../../scripts/serve.mjs';
import { launch, withoutBrowser } from '../support/browser.mjs';
import { opening } from '../support/hooks.mjs';
import { withoutMadd } from '../support/optional.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const skip = withoutBrowser || withoutMadd;
const MODULES = '/node_modules/';
const imports = {
    lit: `${MODULES}lit/index.js`,
    'lit/': `${MODULES}lit/`,
    'lit-html': `${MODULES}lit-html/lit-html.js`,
    'lit-html/': `${MODULES}lit-html/`,
    'lit-element/lit-element.js': `${MODULES}lit-element/lit-element.js`,
    '@lit/reactive-element': `${MODULES}@lit/reactive-element/reactive-element.js`,
};
const pages = /** @type {Record<string, string>} */ ({
    '/script': '<script src="/dist/pipeline-figure.js"></script>',
    '/slim': `<script type="importmap">${JSON.stringify({ imports })}</script>
        <script type="module">globalThis.PipelineFigure = await import('/dist/slim/index.js');</script>`,
});

describe('how training rounds', { skip }, () => {
    /** @type {import('puppeteer-core').Browser} */ let browser;
    /** @type {Awaited<ReturnType<typeof serve>>} */ let server;
    opening(async (closing) => {
        browser = await launch();
        closing(() => browser.close());
        server = await serve(root, {
            page: (path) => pages[path] && `<!DOCTYPE html><meta charset="utf-8">${pages[path]}`,
        });
        closing(() => server.close());
    });

    /** Trains on a page, by each arithmetic. @param {string} path @param {() => void} [first] */
    async function trained(path, first) {
        const page = await browser.newPage();
        const before = server.requests.length;
        if (first) await page.evaluateOnNewDocument(first);
        await page.goto(new URL(path, server.url).href);
        await page.waitForFunction(() => 'PipelineFigure' in globalThis);
        const all = await page.evaluate(async () => {
            const { loadEngine } = /** @type {any} */ (globalThis).PipelineFigure;
            const all = [];
            for (const options of [undefined, { arithmetic: 'plain' }]) {
                const engine = await loadEngine(undefined, options);
                const training = engine.train({ schedule: 'zb-h1', ranks: 3, microbatches: 6, width: 19, batch: 37 });
                const steps = Array.from({ length: 20 }, () => training.step());
                all.push({
                    arithmetic: engine.arithmetic,
                    differences: steps.map((step) => Math.max(step.gradient_difference, step.weight_difference)),
                    parameters: [...training.parameters],
                });
            }
            return all;
        });
        await page.close();
        const fetched = server.requests.slice(before).filter((path) => path.endsWith('core.madd.wasm')).length;
        return { all, fetched };
    }

    for (const path of Object.keys(pages))
        it(`${path}: fused where the probe says so; equal to the unpipelined run either way`, async () => {
            const { all, fetched } = await trained(path);
            assert.deepEqual(
                all.map(({ arithmetic }) => arithmetic),
                ['fused', 'plain'],
            );
            for (const { differences } of all) assert.deepEqual(differences, Array(20).fill(0));
            assert.notDeepEqual(all[0].parameters, all[1].parameters);
            assert.equal(fetched, path === '/slim' ? 1 : 0);
        });

    it('/slim: a browser without fetches nothing, and trains', async () => {
        const { all, fetched } = await trained('/slim', () => {
            WebAssembly.validate = () => false;
        });
        assert.deepEqual([all[0].arithmetic, fetched], ['plain', 0]);
        assert.deepEqual(all[0], all[1]);
    });
});
