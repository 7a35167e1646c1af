// What a figure says on pages of others: in their encodings and languages, under a translator, in XHTML, with its files out of
// reach, and to those who hear it.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { HELPERS, hostPage, inEveryBrowser } from '../support/guest.mjs';

const TAG = '<pipeline-figure schedule="1f1b" ranks="4" microbatches="8"></pipeline-figure>';

inEveryBrowser(
    'words on a page of others',
    (guest) => {
        const { ask, soon, show, drawn } = guest;
        const slide = (/** @type {string} */ value) =>
            ask((value) => {
                const slider = one('[data-option="microbatches"] input[type="range"]');
                slider.value = value;
                slider.dispatchEvent(new Event('input'));
            }, value);

        for (const [what, type, head] of [
            ['without an encoding', 'text/html', ''],
            ['in windows-1251', 'text/html; charset=windows-1251', ''],
            ['in KOI8-R, said by the page', 'text/html', '<meta charset="koi8-r">'],
        ]) {
            it(`a page ${what}: every word and sign is right, also in labels`, async () => {
                guest.pages['/plain'] = {
                    type,
                    body: Buffer.from(
                        `<!DOCTYPE html><html lang="ru"><title>t</title>${head}${HELPERS}<script src="/dist/pipeline-figure.js" defer></script>${TAG}`,
                        'latin1',
                    ),
                };
                await guest.go('/plain');
                await soon(() => stands());
                const seen = await ask(() => [
                    words('[data-number="time"] dd'),
                    one('math').getAttribute('alttext'),
                    one('.place').getAttribute('aria-label').split(' ')[0],
                    one('.pf-rank').textContent,
                ]);
                assert.equal(seen[0], '33 такта');
                assert.match(seen[1], /p − 1/);
                assert.match(seen[2], /^(Прямой|Устройство)/);
                assert.match(seen[3], /Устройство.1/);
                const strange = await ask(() =>
                    all('*').flatMap((node) =>
                        [node.textContent, node.getAttribute('aria-label'), node.title]
                            .map((text) => /[Ââ€Ѓ‚Ð][^\s]?/.exec(text ?? '')?.[0])
                            .filter(Boolean),
                    ),
                );
                assert.deepEqual(strange, []);
            });
        }

        it('a cell is named with its device, and rows have headers', async () => {
            await show(TAG);
            const seen = await ask(() => ({
                cells: all('[role="gridcell"]').map((cell) => cell.getAttribute('aria-label')),
                rows: all('.places > [role="row"]').map((row) =>
                    [...row.querySelectorAll('[role="rowheader"]')].map((head) => head.textContent),
                ),
                byRow: all('.places > [role="row"]').map((row) => row.querySelectorAll('[role="gridcell"]').length),
            }));
            assert.deepEqual(
                seen.rows.map(([name]) => name),
                [1, 2, 3, 4].map((n) => `Устройство ${n}`),
            );
            const rows = seen.byRow.flatMap((count, rank) => Array(count).fill(rank + 1));
            for (const [i, name] of seen.cells.entries()) assert.match(name, new RegExp(`стройство.${rows[i]}`));
            assert.match(seen.cells[0], /[Пп]рямой проход микробатча 1/);
            // In the large picture, too, where one cursor walks.
            await show('<pipeline-figure schedule="1f1b" ranks="8" microbatches="64"></pipeline-figure>');
            await soon(() => one('.cursor')?.hasAttribute('aria-label'));
            assert.match(await ask(() => one('.cursor').getAttribute('aria-label')), /стройство.1/);
        });

        it('under a page translator everything that changes still changes', async () => {
            await show(TAG);
            // What translators do: every text is put into elements of their own, unless it says that it is not to be translated.
            const translate = () =>
                ask(() => {
                    const walker = document.createTreeWalker(root(), NodeFilter.SHOW_TEXT);
                    const texts = [];
                    while (walker.nextNode()) texts.push(walker.currentNode);
                    for (const text of texts) {
                        const parent = text.parentElement;
                        if (!text.data.trim() || parent?.closest('[translate="no"], style, svg, math, option'))
                            continue;
                        const [outer, inner] = [document.createElement('font'), document.createElement('font')];
                        inner.textContent = text.data;
                        outer.append(inner);
                        text.replaceWith(outer);
                    }
                });
            const read = () =>
                ask(() =>
                    Object.fromEntries(
                        [
                            '.sentence',
                            '.numbers',
                            '.formula p',
                            '.settings',
                            '.explanation',
                            '#explain',
                            '#view',
                            '.edit',
                        ].map((part) => [part, words(part)]),
                    ),
                );
            for (const view of ['play', 'memory', 'compare', 'table', 'path']) {
                await show(TAG);
                await ask((view) => press(`[data-view="${view}"]`), view);
                await ask(() => press('[data-edit="open"]'));
                await drawn();
                await translate();
                await slide('5');
                await soon(() => figure().request.microbatches === '5');
                await drawn();
                const translated = await read();
                await show(TAG.replace('"8"', '"5"'));
                await ask((view) => press(`[data-view="${view}"]`), view);
                await ask(() => press('[data-edit="open"]'));
                await drawn();
                assert.deepEqual(translated, await read(), view);
            }
            const numbers = await ask(() =>
                all('.numbers dd').map((node) => node.closest('[translate="no"]') !== null),
            );
            assert.deepEqual(numbers, [true, true, true, true]);
        });

        it('the page changes its language: training goes on, and the chosen cell stays chosen', async () => {
            await show(TAG);
            await ask(() => {
                const { x, y } = middle(one('.place'));
                one('.chart > svg').dispatchEvent(new MouseEvent('click', { clientX: x, clientY: y, bubbles: true }));
            });
            await ask(() => press('[data-view="train"]'));
            await soon(() => Boolean(one('#view .action.primary')));
            await ask(() => press('#view .action.primary'));
            await soon(() => Number(words('[data-value="step"]')) >= 20);
            await ask(() => {
                document.documentElement.lang = 'en';
            });
            await soon(() => /ticks/.test(words('.sentence')));
            const step = await ask(() => Number(words('[data-value="step"]').replace(/\D/g, '')));
            assert.ok(step >= 20, `step ${step}`);
            await soon((step) => Number(words('[data-value="step"]').replace(/\D/g, '')) > step, step);
            assert.equal(await ask(() => figure().matches(':state(playing)')), true);
            await soon(() => /Device 1/.test(words('.explanation')));
            assert.equal(await ask(() => all('.pf-selected').length), 1);
            // A refusal, too, is said in the new language.
            await ask(() => {
                figure().setAttribute('schedule', 'dualpipe');
                figure().microbatches = 7;
            });
            await soon(() => Boolean(one('.refusal')));
            const said = await ask(() => words('.refusal p'));
            await ask(() => {
                document.documentElement.lang = 'ru';
            });
            await soon((said) => one('.refusal') && words('.refusal p') !== said, said);
            assert.match(await ask(() => words('.refusal p')), /[а-я]/);
        });

        it('any ancestor says the language and the ground, now or later', async () => {
            const style = '<style>.dark { background: #14181d; color: #e7eaf0 }</style>';
            await show(`<div class="outer"><div class="wrap"><section>${TAG}</section></div></div>`, { head: style });
            const ink = () => ask(() => getComputedStyle(one('.pf-rank')).fill);
            const light = await ink();
            await ask(() => document.querySelector('.wrap').classList.add('dark'));
            await soon((light) => getComputedStyle(one('.pf-rank')).fill !== light, light);
            await ask(() => document.querySelector('.wrap').classList.remove('dark'));
            await soon((light) => getComputedStyle(one('.pf-rank')).fill === light, light);
            await ask(() => document.querySelector('.outer').setAttribute('lang', 'en'));
            await soon(() => /ticks/.test(words('.sentence')));
            await ask(() => document.querySelector('.outer').removeAttribute('lang'));
            await soon(() => /такт/.test(words('.sentence')));
            // In the shadow of another element, and slotted into one.
            await ask(() => {
                const host = document.body.appendChild(document.createElement('x-host'));
                host.attachShadow({ mode: 'open' }).innerHTML = '<div class="inside"><slot></slot></div>';
                host.append(figure());
            });
            await soon(() => stands());
            await ask(() => {
                const inside = document.querySelector('x-host').shadowRoot.querySelector('.inside');
                inside.setAttribute('style', 'background: #14181d; color: #e7eaf0');
            });
            await soon((light) => getComputedStyle(one('.pf-rank')).fill !== light, light);
            await ask(() =>
                document.querySelector('x-host').shadowRoot.querySelector('.inside').removeAttribute('style'),
            );
            await soon((light) => getComputedStyle(one('.pf-rank')).fill === light, light);
        });

        it('a page of XHTML keeps its still picture, and ready says so', async () => {
            guest.pages['/page.xhtml'] = {
                type: 'application/xhtml+xml',
                body: `<?xml version="1.0" encoding="UTF-8"?><html xmlns="http://www.w3.org/1999/xhtml" lang="ru"><head><title>x</title>
                <script>window.faults = []; addEventListener('error', function (event) { faults.push(event.message); });
                addEventListener('unhandledrejection', function (event) { faults.push(String(event.reason)); });</script>
                <script src="/dist/pipeline-figure.js" defer="defer"></script></head>
                <body><p>before</p><pipeline-figure schedule="gpipe" ranks="4" microbatches="8"><span id="still" style="display:block;height:80px">still</span></pipeline-figure></body></html>`,
            };
            await guest.go('/page.xhtml');
            await ask(() => {
                document.querySelector('pipeline-figure').ready.then((lives) => {
                    window.lives = lives;
                });
            });
            await soon(() => typeof window.lives === 'boolean');
            const seen = await ask(() => ({
                lives: window.lives,
                faults: window.faults,
                height: document.getElementById('still').getBoundingClientRect().height,
                alive: Boolean(document.querySelector('pipeline-figure').shadowRoot?.querySelector('.chart > svg')),
            }));
            assert.deepEqual(seen.faults, []);
            assert.ok(seen.lives ? seen.alive : seen.height === 80, JSON.stringify(seen));
        });

        for (const [what, answer] of [
            ['a page of HTML', { type: 'text/html', body: '<!DOCTYPE html><title>Not here</title>' }],
            [
                'HTML that calls itself wasm',
                { type: 'application/wasm', body: '<!DOCTYPE html><title>Not here</title>' },
            ],
            ['nothing at all', { type: 'application/wasm', body: '' }],
        ]) {
            it(`core.wasm answered with ${what}: a sentence names the file and what came`, async () => {
                guest.pages['/dist/core.wasm'] = answer;
                const map = JSON.stringify({
                    imports: Object.fromEntries(
                        [
                            ['lit', 'lit/index.js'],
                            ['lit/', 'lit/'],
                            ['lit-html', 'lit-html/lit-html.js'],
                            ['lit-html/', 'lit-html/'],
                            ['lit-element/', 'lit-element/'],
                            ['lit-element', 'lit-element/index.js'],
                            ['@lit/reactive-element', '@lit/reactive-element/reactive-element.js'],
                            ['@lit/reactive-element/', '@lit/reactive-element/'],
                        ].map(([name, path]) => [name, `/modules/${path}`]),
                    ),
                });
                guest.pages['/slim.html'] = hostPage(`<pipeline-figure>still</pipeline-figure>
                <script type="importmap">${map}</script><script type="module" src="/dist/slim/index.js"></script>`).replace(
                    /<script src="[^"]*" defer><\/script>/,
                    '',
                );
                await guest.go('/slim.html');
                await soon(() => words('.blocked'));
                const said = await ask(() => words('.blocked'));
                assert.match(said, /core\.wasm/);
                assert.doesNotMatch(said, /magic|0[0-9a-f] [0-9a-f]{2}/i);
                if (answer.type === 'text/html') assert.match(said, /text\/html/);
                assert.match(said, /[а-я]/i);
            });
        }

        /** In the page: no browser lets a script put something into the clipboard of a real event. */
        const pasting = `window.paste = (text) => {
            const event = new Event('paste', { bubbles: true, composed: true, cancelable: true });
            Object.defineProperty(event, 'clipboardData', { value: { files: [], getData: () => text } });
            figure().dispatchEvent(event);
        }`;
        it('a pasted order that stands still is told with its own p and m, and its rows are counted from 1', async () => {
            await show(`${TAG}<script>${pasting}</script>`);
            await ask(() => {
                paste('0F0,0B0,0F1,0B1\n1F1,1B1,1F0,1B0');
            });
            await soon(() => Boolean(one('.stalled')));
            await drawn();
            // Numbers that can be changed stand in fields.
            const said = await ask(() => [
                words('.sentence'),
                words('.stalled'),
                all('.sentence input').map((field) => field.value),
            ]);
            assert.match(
                said[0].replace(/(?<=[pm] =) ?(?=[,:])/g, () => ` ${said[2].shift()}`),
                /p = 2, m = 2/,
            );
            assert.doesNotMatch(said.slice(0, 2).join(' '), /\b(?:rank|устройств[а-я]*|строк[а-я]*|ранг[а-я]*) 0\b/i);
            // A table that cannot be read names its rows as people count them.
            await show(`${TAG}<script>${pasting}</script>`);
            await ask(() => {
                paste('0F0,0B0,0F1,0B1\n1F0,1X0,1F1,1B1');
            });
            await soon(() => Boolean(one('.edit .refusal')));
            assert.match(await ask(() => words('.edit .refusal')), /строк\S* 2/i);
        });
    },
    {
        folders: {
            slim: process.env.PP_DIST ?? new URL('../../dist', import.meta.url).pathname,
            modules: new URL('../../node_modules', import.meta.url).pathname,
        },
    },
);
