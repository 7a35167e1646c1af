// No word that a reader sees or hears stands anywhere but in the string tables (or in the core's faults): the figure is
// built with every text of the tables between marks, and what is left without the marked parts may have no words.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { withoutBrowser } from '../support/browser.mjs';
import { inChromium } from '../support/figure-page.mjs';

const web = fileURLToPath(new URL('../../web/', import.meta.url));
const wasm = fileURLToPath(new URL('../../build/wasm/', import.meta.url));

/** The figure's script with marked texts. */
async function markedScript() {
    const { outputFiles } = await build({
        entryPoints: [join(web, 'figure/index.js')],
        bundle: true,
        write: false,
        format: 'iife',
        globalName: 'PipelineFigure',
        conditions: ['production'],
        define: { PIPELINE_FIGURE_VERSION: '"marked"' },
        alias: {
            'pipeline-figure/core-bytes': join(wasm, 'core.wasm'),
            'pipeline-figure/rest-bytes': join(wasm, 'core_rest.wasm'),
            'pipeline-figure/madd-bytes': join(web, 'engine/madd-bytes-none.js'),
            'pipeline-figure/fetch-part': join(web, 'figure/parts/by-import.js'),
            'pipeline-figure/words': join(web, 'words/both.js'),
        },
        plugins: [
            {
                name: 'marked',
                setup({ onLoad }) {
                    onLoad({ filter: /\.css$/ }, ({ path }) => ({
                        contents: readFileSync(path, 'utf8'),
                        loader: 'text',
                    }));
                    onLoad({ filter: /\.wasm$/ }, ({ path }) => ({ contents: readFileSync(path), loader: 'binary' }));
                    onLoad({ filter: /strings\.(?:ru|en)\.js$/ }, ({ path }) => ({
                        contents: `${readFileSync(path, 'utf8').replace('export default', 'const table =')}
                            const mark = (x) => typeof x === 'string' ? '⟦' + x + '⟧'
                                : Object.fromEntries(Object.entries(x).map(([key, text]) => [key, mark(text)]));
                            export default mark(table);`,
                    }));
                },
            },
        ],
    });
    return outputFiles[0].text;
}

/** Runs in the page: text and spoken text of the first figure, without what the core says of refusals. */
function everyText() {
    const root = /** @type {ShadowRoot} */ (document.querySelector('pipeline-figure')?.shadowRoot);
    const texts = [];
    for (const part of root.children) {
        const copy = /** @type {Element} */ (part.cloneNode(true));
        for (const said of copy.querySelectorAll('.refusal > p, .refusal > span')) said.remove();
        texts.push(copy.textContent ?? '');
    }
    for (const node of root.querySelectorAll('*')) {
        for (const name of [
            'aria-label',
            'aria-valuetext',
            'aria-description',
            'title',
            'placeholder',
            'alt',
            'alttext',
            'label',
        ]) {
            const text = node.getAttribute(name);
            if (text) texts.push(text);
        }
    }
    return texts;
}

/** @param {string} text */
function unmarked(text) {
    let rest = text;
    for (let shorter = ''; shorter !== rest; ) {
        shorter = rest;
        rest = rest.replace(/⟦[^⟦⟧]*⟧/g, ' ');
    }
    // Signs of formulas are letters, and so are letters of operations with a number: F3.
    return rest.match(/[\p{L}⟦⟧][\p{L}⟦⟧]+/gu) ?? [];
}

describe('words', { skip: withoutBrowser }, () => {
    const { visit, write } = inChromium();

    it('the measure itself', () => {
        assert.deepEqual(unmarked('⟦Через ⟦3⟧ стадии⟧ 4 m F3'), []);
        assert.deepEqual(unmarked('⟦Через⟧ стадии'), ['стадии']);
    });

    for (const lang of ['ru', 'en']) {
        it(`MUST-06: every word comes from the string tables: ${lang}`, async () => {
            for (const attributes of [
                'preset="gpipe" figure-id="w" challenge="bubble<10% memory<=4 time>=1"',
                'schedule="interleaved" ranks="4" microbatches="8" latency="0.5" recompute="late"',
                'schedule="zb-auto" ranks="3" microbatches="4" fail-rank="1" global-batch="16"',
            ]) {
                const url = write(`<pipeline-figure ${attributes}></pipeline-figure>`, { lang });
                writeFileSync(join(fileURLToPath(new URL('.', url)), 'pipeline-figure.js'), await markedScript());
                const { page } = await visit(url);
                let seen = 0;
                const look = async (/** @type {string} */ state) => {
                    const texts = await page.evaluate(everyText);
                    seen += texts.join('').length;
                    assert.deepEqual([...new Set(texts.flatMap(unmarked))], [], `${attributes}, ${state}`);
                };
                await look('as it opens');
                const press = (/** @type {string} */ selector) =>
                    page.$eval(`pipeline-figure >>> ${selector}`, async (node) => {
                        /** @type {HTMLElement} */ (node).click();
                        const figure = /** @type {any} */ (document.querySelector('pipeline-figure'));
                        await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
                        await figure.updateComplete;
                    });
                await press('.controls button[aria-expanded]');
                const views = await page.$eval('pipeline-figure', (f) =>
                    [...(f.shadowRoot?.querySelectorAll('[data-view]') ?? [])].map((button) =>
                        button.getAttribute('data-view'),
                    ),
                );
                for (const view of views) {
                    await press(`[data-view="${view}"]`);
                    if (view === 'train') await press('.view .action.primary');
                    await look(`view ${view}`);
                }
                await page.$eval('pipeline-figure >>> .place', (place) => /** @type {SVGElement} */ (place).focus());
                await look('a cell');
                await page.$eval('pipeline-figure', async (figure) => {
                    figure.setAttribute('ranks', '0');
                    await /** @type {any} */ (figure).updateComplete;
                });
                await look('refused');
                assert.ok(seen > 3000);
                await page.close();
            }
        });
    }
});
