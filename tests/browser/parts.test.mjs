// Parts of the figure come when they are opened: from disk, over http, under the policies of docs/embedding.md. One that is lost is a
// sentence and a button that tries again.
import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { serve } from '../../scripts/serve.mjs';
import { engines, until } from '../support/engines.mjs';
import { copyScripts } from '../support/figure-page.mjs';
import { opening } from '../support/hooks.mjs';

const POLICIES = [
    '',
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'",
    "script-src 'nonce-abc' 'strict-dynamic' 'wasm-unsafe-eval'",
    "script-src 'self' 'wasm-unsafe-eval'; require-trusted-types-for 'script'; trusted-types lit-html pipeline-figure",
    'sandbox allow-scripts',
];
const VIEWS = ['play', 'memory', 'curve', 'compare', 'path', 'table', 'train', 'files'];
const page = (lang = 'ru') => `<!DOCTYPE html><html lang="${lang}"><head><meta charset="utf-8"><title>parts</title>
<script nonce="abc" src="watch.js"></script><script nonce="abc" src="pipeline-figure.js" defer></script></head>
<body><pipeline-figure schedule="1f1b" ranks="4" microbatches="8"></pipeline-figure></body></html>`;
const WATCH = `wrong = []; for (const name of ['error', 'unhandledrejection'])
    addEventListener(name, (event) => wrong.push(String(event.message || event.reason)));`;

for (const { name, skip, launch } of engines) {
    if (name.includes('without')) continue;
    describe(`parts in ${name}`, { skip }, () => {
        /** @type {import('../support/engines.mjs').Driver} */ let driver;
        /** @type {Awaited<ReturnType<typeof serve>>} */ let site;
        /** @type {string} */ let folder;
        opening(async (closing) => {
            folder = mkdtempSync(join(tmpdir(), 'pipeline-figure-'));
            closing(() => rmSync(folder, { recursive: true, force: true }));
            copyScripts(folder);
            writeFileSync(join(folder, 'watch.js'), WATCH);
            for (const lang of ['ru', 'en']) writeFileSync(join(folder, `${lang}.html`), page(lang));
            site = await serve(folder, {
                page: (path) => (/^\/\d$/.test(path) ? page() : undefined),
                headers: (path) => {
                    const policy = POLICIES[Number(path.slice(1))];
                    return /** @type {Record<string, string>} */ (policy ? { 'content-security-policy': policy } : {});
                },
            });
            closing(() => site.close());
            driver = await launch();
            closing(() => driver.close());
        });

        const lives = () =>
            until(driver, () =>
                Boolean(document.querySelector('pipeline-figure')?.shadowRoot?.querySelector('.chart > svg')),
            );
        const press = (/** @type {string} */ selector) =>
            driver.eval(
                (selector) =>
                    /** @type {any} */ (document.querySelector('pipeline-figure')).shadowRoot
                        .querySelector(selector)
                        .click(),
                selector,
            );
        const arrived = () =>
            until(driver, () => {
                const root = document.querySelector('pipeline-figure')?.shadowRoot;
                return !root?.querySelector('[data-part="coming"]');
            });
        const state = () =>
            driver.eval(() => {
                const root = document.querySelector('pipeline-figure')?.shadowRoot;
                return {
                    lost: root?.querySelector('[data-part="lost"]')?.textContent?.replace(/\s+/g, ' ').trim() ?? null,
                    empty: [...(root?.querySelectorAll('.view:not([hidden])') ?? [])].filter(
                        (view) => view.children.length === 0,
                    ).length,
                    edits: Boolean(root?.querySelector('.edit')),
                    wrong: /** @type {any} */ (window).wrong,
                };
            });

        async function allOpen() {
            await lives();
            for (const view of VIEWS) {
                await press(`[data-view="${view}"]`);
                await arrived();
                const { lost, empty } = await state();
                assert.deepEqual({ lost, empty }, { lost: null, empty: 0 }, view);
            }
            await press('[data-edit="open"]');
            await arrived();
            const { edits, wrong } = await state();
            assert.equal(edits, true);
            assert.deepEqual(wrong, []);
        }

        for (const lang of ['ru', 'en'])
            it(`every panel opens from disk: ${lang}`, async () => {
                await driver.goto(pathToFileURL(join(folder, `${lang}.html`)).href);
                await allOpen();
            });

        for (const [i, policy] of POLICIES.entries())
            it(`every panel opens over http: ${policy || 'no policy'}`, async () => {
                await driver.goto(`${site.url}${i}`);
                await allOpen();
            });

        for (const [how, lose, find] of /** @type {[string, (file: string) => void, (file: string) => void][]} */ ([
            [
                'that is not there',
                (file) => renameSync(file, `${file}.away`),
                (file) => renameSync(`${file}.away`, file),
            ],
            [
                'that is another than the script knows',
                (file) => {
                    renameSync(file, `${file}.away`);
                    writeFileSync(file, '// something else');
                },
                (file) => renameSync(`${file}.away`, file),
            ],
        ]))
            it(`a part ${how} is a sentence and can be asked for again; the figure goes on`, async () => {
                const file = join(folder, 'pipeline-figure/training.js');
                lose(file);
                try {
                    await driver.goto(`${site.url}0`);
                    await lives();
                    await press('[data-view="train"]');
                    await arrived();
                    const { lost, wrong } = await state();
                    assert.match(String(lost), /не удалось загрузить.*Попробовать ещё раз/);
                    assert.deepEqual(wrong, []);
                } finally {
                    find(file);
                }
                await press('[data-part="lost"] button');
                await arrived();
                assert.equal((await state()).lost, null);
            });
    });
}
