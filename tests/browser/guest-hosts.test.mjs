// Three hosts as authors have them, each with two figures: a book whose pages are turned by the arrow keys, as mdBook has it; an
// application of one page whose routes stand behind the #; a deck of slides of reveal.js.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { HELPERS, hostPage, inEveryBrowser } from '../support/guest.mjs';

const tag = (/** @type {string} */ attributes) =>
    `<div class="pipeline-figure"><pipeline-figure ${attributes}><img src="still.svg" alt="still"></pipeline-figure></div>`;
const TWO = `${tag('schedule="1f1b" ranks="4" microbatches="8" figure-id="a"')}<p>Words between.</p>${tag('schedule="gpipe" ranks="3" microbatches="4" figure-id="b"')}`;

/** As mdBook does it: arrows turn the pages, s opens the search, themes are classes of the root. @param {number} n */
const chapter = (n) =>
    hostPage(
        `<div id="body-container"><nav><button id="theme">theme</button></nav><main><h1 id="top">Chapter ${n}</h1>${TWO}</main></div>
        <script>
            document.addEventListener('keydown', (event) => {
                if (event.altKey || event.ctrlKey || event.metaKey) return;
                if (event.key === 'ArrowRight' && ${n} < 3) location.href = '/book/${n + 1}.html';
                if (event.key === 'ArrowLeft' && ${n} > 1) location.href = '/book/${n - 1}.html';
                if (event.key === 's' || event.key === '/') document.documentElement.classList.add('searching');
            });
            document.getElementById('theme').addEventListener('click', () => {
                document.documentElement.className = 'navy';
            });
        </script>`,
        {
            lang: 'en',
            head: `<style>html { font-size: 62.5%; --bg: #fff; --fg: #222 } html.navy { --bg: #161923; --fg: #bcbdd0 }
                body { margin: 0; font-size: 1.6rem; background: var(--bg); color: var(--fg); line-height: 1.45 }
                main { max-width: 75rem; margin: 0 auto }</style>`,
        },
    );

inEveryBrowser(
    'a book that is read with the arrow keys',
    (guest) => {
        const { ask, soon, drawn } = guest;
        const press = (/** @type {string} */ keys) => guest.driver.press(keys);
        const here = () => ask(() => location.pathname);

        it('arrows, letters and a drag stay in the figure that has the focus; outside they are the book’s', async () => {
            await guest.go('/book/2.html');
            await soon(() => stands(0));
            // Down at the second figure: it comes to life when the reader comes to it.
            await ask(() => figure(1).scrollIntoView());
            await soon(() => stands(1));
            for (const n of [0, 1]) {
                await ask((n) => one('.place[tabindex="0"]', n).focus(), n);
                const first = await ask((n) => root(n).activeElement.getAttribute('aria-label'), n);
                await press('ArrowRight');
                await press('ArrowDown');
                const second = await ask((n) => root(n).activeElement.getAttribute('aria-label'), n);
                assert.notEqual(second, first);
                await ask((n) => one('[data-option="microbatches"] input', n).focus(), n);
                const m = Number(await ask((n) => figure(n).request.microbatches, n));
                await press('ArrowRight');
                await soon((n, m) => figure(n).request.microbatches === String(m), n, m + 1);
                await ask((n) => one('.scrub input', n).focus(), n);
                await press('s');
                await press('/');
                await ask((n) => root(n).activeElement.blur(), n);
            }
            await drawn();
            assert.equal(await here(), '/book/2.html');
            assert.equal(await ask(() => document.documentElement.classList.contains('searching')), false);
            await press('ArrowRight');
            await soon(() => location.pathname === '/book/3.html' && typeof stands === 'function');
            await soon(() => stands(0));
            // On the way back the book shows its figures as their author made them.
            await press('ArrowLeft');
            await soon(() => location.pathname === '/book/2.html' && typeof stands === 'function' && stands(0));
        });

        it('a theme that is a class of the root is followed at once, by both figures', async () => {
            await guest.go('/book/1.html');
            await soon(() => stands(0));
            await ask(() => figure(1).scrollIntoView());
            await soon(() => stands(1));
            const inks = () => ask(() => [0, 1].map((n) => getComputedStyle(one('.pf-rank', n)).fill));
            const light = await inks();
            await ask(() => document.getElementById('theme').click());
            await soon((light) => [0, 1].every((n) => getComputedStyle(one('.pf-rank', n)).fill !== light[n]), light);
            assert.equal(await ask(() => window.faults ?? null), null);
        });
    },
    { pages: Object.fromEntries([1, 2, 3].map((n) => [`/book/${n}.html`, chapter(n)])) },
);

const APP = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>app</title>${HELPERS}
<script src="/dist/pipeline-figure.js" defer></script>
<script>
    const routes = {
        '': () => '<h1>Home</h1><a href="#/chapter/19">19</a>',
        '/chapter/19': () => '<h1>Nineteen</h1>' + ${JSON.stringify(TWO)},
        '/chapter/20': () => '<h1>Twenty</h1>' + ${JSON.stringify(TWO)},
    };
    function show() {
        const page = routes[location.hash.slice(1)];
        window.shown = (window.shown ?? 0) + 1;
        document.getElementById('app').innerHTML = page ? page() : '<h1>Not found</h1>';
    }
    addEventListener('hashchange', show);
    addEventListener('DOMContentLoaded', show);
</script></head><body><div id="app"></div></body></html>`;

inEveryBrowser(
    'an application with its routes behind the #',
    (guest) => {
        const { ask, soon, drawn } = guest;
        const slide = (/** @type {number} */ n, /** @type {string} */ value) =>
            ask(
                (n, value) => {
                    const slider = one('[data-option="microbatches"] input[type="range"]', n);
                    slider.value = value;
                    slider.dispatchEvent(new Event('input'));
                },
                n,
                value,
            );
        const title = () => ask(() => document.querySelector('h1').textContent);

        it('routes come and go with their figures, and no figure writes into them', async () => {
            await guest.go('/app');
            await soon(() => Boolean(document.querySelector('h1')));
            for (let round = 0; round < 3; round++) {
                for (const route of ['#/chapter/19', '#/chapter/20']) {
                    await ask((route) => {
                        location.hash = route;
                    }, route);
                    await soon(() => stands(0));
                    await slide(0, String(9 + round));
                    await soon((m) => figure(0).request.microbatches === m, String(9 + round));
                    await ask(() => figure(1).scrollIntoView());
                    await soon(() => stands(1));
                    await ask(() => one('[data-view="train"]', 0).click());
                    await soon(() => Boolean(one('#view .action.primary', 0))); // the training comes as a part of its own
                    await ask(() => one('#view .action.primary', 0).click());
                    await new Promise((done) => setTimeout(done, 700)); // the address would have been written by now
                    assert.equal(await ask(() => location.hash), route);
                }
            }
            assert.equal(await title(), 'Twenty');
            await ask(() => history.back());
            await soon(() => document.querySelector('h1').textContent === 'Nineteen' && stands(0));
            assert.equal(await ask(() => figure(0).request.microbatches), '8', 'a new figure, as its author made it');
            await ask(() => {
                location.hash = '';
            });
            await soon(() => document.querySelector('h1').textContent === 'Home');
            await drawn();
            assert.equal(await ask(() => window.faults ?? null), null);
            // A link is not offered where the address has no place for a state.
            await ask(() => {
                location.hash = '#/chapter/19';
            });
            await soon(() => stands(0));
            await ask(() => one('[data-view="files"]', 0).click());
            await soon(() => all('#view button', 0).length > 3);
            const buttons = await ask(() => all('#view button', 0).map((button) => button.textContent.trim()));
            assert.ok(!buttons.includes('Copy link'), String(buttons));
        });
    },
    { pages: { '/app': APP } },
);

const DECK = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>deck</title>${HELPERS}
<link rel="stylesheet" href="/reveal/reveal.css"><link rel="stylesheet" href="/reveal/theme/white.css">
<style>pipeline-figure { font-size: 16px } .two { display: grid; grid-template-columns: 1fr 1fr; gap: 20px }</style>
<script src="/dist/pipeline-figure.js" defer></script></head>
<body><div class="reveal"><div class="slides">
<section><h2>One</h2></section>
<section><h3>Two</h3><div class="two"><div>${tag('schedule="1f1b" ranks="3" microbatches="4" controls="sentence ranks microbatches"')}</div><div>${tag('schedule="gpipe" ranks="3" microbatches="4" controls="sentence ranks microbatches"')}</div></div></section>
<section><h2>Three</h2></section></div></div>
<script src="/reveal/reveal.js"></script>
<script>Reveal.initialize({ hash: true, transition: 'none', width: 960, height: 700 }).then(() => { window.deck = true; });</script></body></html>`;

inEveryBrowser(
    'a deck of reveal.js',
    (guest) => {
        const { ask, soon, drawn } = guest;
        const press = (/** @type {string} */ keys) => guest.driver.press(keys);
        const at = () => ask(() => Reveal.getIndices().h);

        it('keys, drags and clicks on a scaled slide are the figure’s; the deck goes on as before', async () => {
            await guest.go('/deck');
            await soon(() => window.deck);
            assert.equal(await at(), 0);
            await press('ArrowRight');
            await soon(() => Reveal.getIndices().h === 1);
            await soon(() => stands(0) && stands(1));
            for (const n of [0, 1]) {
                await ask((n) => one('.place[tabindex="0"]', n).focus(), n);
                const first = await ask((n) => root(n).activeElement.getAttribute('aria-label'), n);
                for (const key of ['ArrowRight', 'ArrowRight', 'ArrowDown', 'Home', 'End']) await press(key);
                assert.notEqual(await ask((n) => root(n).activeElement.getAttribute('aria-label'), n), first);
                await press(' '); // the time would run here, had the figure its views
                await ask((n) => one('.scrub input', n).focus(), n);
                for (const key of ['ArrowUp', 'b', 'f', 'o']) await press(key);
                assert.equal(await at(), 1);
                assert.equal(await ask(() => Reveal.isPaused() || Reveal.isOverview()), false);
                await ask((n) => {
                    root(n).activeElement.blur();
                    figure(n).ranks = 3;
                }, n);
                await drawn();
            }
            // The slide is scaled to its window: what is dragged and clicked is what lies under the pointer.
            const scale = await ask(() => Reveal.getScale());
            const number = await ask(() => middle(one('.scrub')));
            await guest.driver.drag(number, 20, 5);
            await soon(() => figure(0).request.ranks === '5');
            const cell = await ask(() => middle(all('.place', 1)[2]));
            await guest.driver.click(cell.x, cell.y);
            await soon(() => Boolean(one('.pf-selected', 1)));
            const apart = await ask(() => {
                const [a, b] = [one('.pf-selected', 1), all('.place', 1)[2]].map((node) => middle(node));
                return Math.abs(a.x - b.x) + Math.abs(a.y - b.y);
            });
            assert.ok(apart < 3, `scaled by ${scale}: ${apart} px apart`);
            assert.equal(await at(), 1);
            await soon(() => location.hash === '#/1'); // the deck writes its address a second late
            assert.equal(await ask(() => getComputedStyle(one('.sentence')).textAlign), 'start');
            // Off the figure the keys are the deck's again; there and back, the figures live.
            await ask(() => (document.activeElement.shadowRoot?.activeElement ?? document.activeElement).blur());
            await press('ArrowRight');
            await soon(() => Reveal.getIndices().h === 2);
            await press('ArrowLeft');
            await soon(() => Reveal.getIndices().h === 1);
            assert.equal(await ask(() => figure(0).request.ranks), '5');
            assert.equal(await ask(() => window.faults ?? null), null);
        });
    },
    {
        pages: { '/deck': DECK },
        folders: { reveal: fileURLToPath(new URL('../../node_modules/reveal.js/dist', import.meta.url)) },
    },
);
