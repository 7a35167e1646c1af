// Dark and paper in all three engines: contrast as computed there, what the sheet of paper holds. PP_SHOTS=folder keeps
// pictures.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { colouredThings, contrast, tooFaint } from '../support/contrast.mjs';
import { engines, until } from '../support/engines.mjs';
import { becomes, pageFolder, quiet } from '../support/figure-page.mjs';
import { opening } from '../support/hooks.mjs';
import { withoutPoppler, wordsOf } from '../support/optional.mjs';

const GROUND = 'background:light-dark(#fff,#14191f);color:light-dark(#1a2230,#e7eaf0)';
/** The page says that it is dark; it is dark and says nothing; it follows the reader. */
const PAGES = {
    'a page that is dark': `<style>:root{color-scheme:dark;${GROUND}}</style>`,
    'a page that is dark and does not say so': '<style>:root{background:#14191f;color:#e7eaf0}</style>',
    "a page that follows the reader's theme": `<style>:root{color-scheme:light dark;${GROUND}}</style>`,
};

for (const { name, skip, launch } of engines) {
    if (name.includes('without')) continue;
    describe(`dark and paper in ${name}`, { skip }, () => {
        /** @type {import('../support/engines.mjs').Driver} */
        let driver;
        /** @type {ReturnType<typeof pageFolder>} */
        let folder;
        opening(async (closing) => {
            folder = pageFolder();
            closing(() => folder.remove());
            driver = await launch({ 'layout.css.prefers-color-scheme.content-override': 0 });
            closing(() => driver.close());
        });
        const stands = () =>
            Boolean(document.querySelector('pipeline-figure')?.shadowRoot?.querySelector('.chart > svg'));
        async function show(/** @type {string} */ head, lang = 'ru') {
            const body =
                '<pipeline-figure schedule="gpipe" recompute="late" ranks="4" microbatches="6"></pipeline-figure>';
            await driver.goto(folder.write(body, { head, lang }));
            await until(driver, stands);
        }

        for (const [what, head] of Object.entries(PAGES)) {
            it(`MUST-08, POINT-10: ${what}: dark colours, contrast of words and cells`, async () => {
                await show(head, what.includes('follows') ? 'en' : 'ru');
                const { ground, ink, forward } = await driver.eval(() => {
                    const root = /** @type {ShadowRoot} */ (document.querySelector('pipeline-figure')?.shadowRoot);
                    const of = (/** @type {string} */ selector) =>
                        getComputedStyle(/** @type {Element} */ (root.querySelector(selector)));
                    return {
                        ground: getComputedStyle(document.documentElement).backgroundColor,
                        ink: of('.sentence').color,
                        forward: of('.pf-F').fill,
                    };
                });
                assert.ok(contrast(ink, ground) > 4.5, `${ink} on ${ground}`);
                // Only Chromium is asked through its driver, Firefox by a preference, WebKit not at all.
                const isDark = contrast(ground, 'rgb(0, 0, 0)') < 2;
                if (!what.includes('follows') || name === 'Firefox') assert.ok(isDark, ground);
                assert.equal(forward, isDark ? 'rgb(42, 116, 184)' : 'rgb(11, 108, 184)');
                const things = await driver.eval(colouredThings);
                assert.ok(things.length > 60, `${things.length} things`);
                assert.deepEqual(tooFaint(things), []);
                if (process.env.PP_SHOTS)
                    writeFileSync(join(process.env.PP_SHOTS, `${name}-dark-${what.length}.png`), await driver.shot());
            });
        }

        it('MUST-13, POINT-11, VIE-07: before it prints, the figure opens its table and says its settings, at once', async () => {
            await show(PAGES['a page that is dark']);
            const seen = await driver.eval(() => {
                dispatchEvent(new Event('beforeprint'));
                // Now, not later: what comes later is not on the paper.
                const root = /** @type {ShadowRoot} */ (document.querySelector('pipeline-figure')?.shadowRoot);
                const rules = [...root.adoptedStyleSheets, ...document.styleSheets].flatMap((sheet) => [
                    ...sheet.cssRules,
                ]);
                const paper = rules.filter((rule) => rule instanceof CSSMediaRule && /print/.test(rule.conditionText));
                const seen = {
                    table: root.querySelectorAll('table.schedule tbody tr').length,
                    settings: root.querySelector('.settings')?.textContent?.replace(/\s+/g, ' '),
                    paper: paper.map((rule) => rule.cssText).join(' '),
                };
                dispatchEvent(new Event('afterprint'));
                return seen;
            });
            assert.equal(seen.table, 4);
            assert.match(seen.settings ?? '', /^Настройки: GPipe, 4 устройства, 6 микробатчей/);
            assert.match(seen.paper, /\.controls[^}]*\{[^}]*display: none/);
            assert.match(seen.paper, /color-scheme: (?:only )?light/);
        });

        it('every step of the chapter opens, cells come to rest, nothing goes wrong', async () => {
            const watch =
                '<script>wrong = []; for (const name of ["error", "unhandledrejection"]) addEventListener(name, (event) => wrong.push(String(event.message || event.reason)));</script>';
            await driver.goto(
                folder.write('<pipeline-figure preset="forward"></pipeline-figure>', {
                    head: watch + PAGES['a page that is dark'],
                }),
            );
            await until(driver, stands);
            const names = await driver.eval(() =>
                [
                    ...(document.querySelector('pipeline-figure')?.shadowRoot?.querySelectorAll('[data-preset]') ?? []),
                ].map((node) => /** @type {HTMLElement} */ (node).dataset.preset),
            );
            assert.ok(names.length >= 11);
            const painted = () =>
                document.querySelector('pipeline-figure')?.shadowRoot?.querySelector('.pf-F')?.getAttribute('d') ??
                null;
            for (const name of names) {
                await driver.eval(
                    (name) =>
                        /** @type {any} */ (document.querySelector('pipeline-figure')).shadowRoot
                            .querySelector(`[data-preset="${name}"]`)
                            .click(),
                    name,
                );
                await until(
                    driver,
                    (name) => /** @type {any} */ (document.querySelector('pipeline-figure')).preset === name,
                    name,
                );
                if (name === 'failure' || name === 'compare')
                    await until(driver, () =>
                        Boolean(
                            document.querySelector('pipeline-figure')?.shadowRoot?.querySelector('.beside > svg .pf-F'),
                        ),
                    );
            }
            // Cells come to rest, and then stay.
            let first = await driver.eval(painted);
            await becomes(async () => {
                await quiet(100);
                const before = first;
                first = await driver.eval(painted);
                return first === before;
            }, 'cells come to rest');
            await quiet(100);
            assert.equal(await driver.eval(painted), first);
            assert.deepEqual(await driver.eval(() => /** @type {any} */ (window).wrong), []);
        });

        if (name === 'WebKit') return; // its driver cannot print
        const sheet = 'the sheet holds settings, numbers and table, and nothing to press';
        it(`MUST-13, POINT-11: ${sheet}`, { skip: withoutPoppler }, async () => {
            await show(PAGES['a page that is dark']);
            assert.ok(driver.pdf);
            const plain = wordsOf(await driver.pdf());
            assert.match(plain, /Настройки: GPipe, 4 устройства, 6 микробатчей/);
            assert.match(plain, /Устройство 4/);
            assert.doesNotMatch(plain, /ещё…|Обучить сеть|Нажмите на клетку/);
        });
    });
}
