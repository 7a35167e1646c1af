// Hands on a figure that is a guest: keys, drags, focus, what was pinned, and the way back. What the figure uses stops at the
// figure; what a reader holds stays held.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { inEveryBrowser } from '../support/guest.mjs';

const TAG = '<pipeline-figure schedule="1f1b" ranks="4" microbatches="8"></pipeline-figure>';

inEveryBrowser('keys and drags', (guest) => {
    const { ask, soon, show, drawn } = guest;
    const press = (/** @type {string} */ keys) => guest.driver.press(keys);
    const focus = (/** @type {string} */ selector) => ask((selector) => one(selector).focus(), selector);
    const request = () => ask(() => figure().request);
    /** Where the focus is inside the figure, '' outside. */
    const focused = () =>
        ask(() => {
            const at = root().activeElement;
            return at ? (at.getAttribute('aria-label') ?? at.textContent.trim()) || at.localName : '';
        });

    it('keys that the figure uses stop at the figure; those it does not use go on', async () => {
        await show(`${TAG}<script>
            const heard = [];
            for (const type of ['keydown', 'keypress', 'keyup'])
                for (const place of [document, window, document.body])
                    place.addEventListener(type, (event) => heard.push(event.key));
        </script>`);
        const heardAfter = async (/** @type {string[]} */ ...keys) => {
            for (const key of keys) await press(key);
            return ask(() => [...new Set(heard.splice(0))]);
        };
        // The chart, the number in the sentence, a slider, a choice, a button.
        await focus('.place[tabindex="0"]');
        assert.deepEqual(
            await heardAfter('ArrowRight', 'ArrowDown', 'Home', 'End', 'PageDown', 'Enter', 'Escape', ' '),
            [],
        );
        assert.deepEqual(await heardAfter('s'), ['s']);
        await focus('.scrub input');
        assert.deepEqual(await heardAfter('ArrowUp', 'ArrowDown', 'ArrowLeft', 'PageUp', '7', 's'), []);
        await focus('.slider input');
        assert.deepEqual(await heardAfter('ArrowRight', 'ArrowLeft', 'Home', 'PageUp'), []);
        await focus('.schedule-choice select');
        assert.deepEqual(await heardAfter('ArrowDown', 'g'), []);
        await press('Escape'); // WebKit opens the list
        await ask(() => heard.splice(0));
        await focus('[data-edit="open"]');
        assert.deepEqual(await heardAfter('Enter', ' '), []);
        // What it has no use for belongs to the page.
        await focus('[data-edit="open"]');
        assert.deepEqual(await heardAfter('ArrowRight', 's', '/'), ['ArrowRight', 's', '/']);
    });

    it('a finger that moves something in the figure leafs through no page; elsewhere it does', async () => {
        await show(`${TAG}<script>
            const touched = [];
            for (const type of ['touchstart', 'touchmove'])
                document.addEventListener(type, (event) => touched.push(type));
        </script>`);
        const heard = (/** @type {string} */ selector) =>
            ask((selector) => {
                for (const type of ['touchstart', 'touchmove'])
                    one(selector).dispatchEvent(new Event(type, { bubbles: true, composed: true }));
                return touched.splice(0).length;
            }, selector);
        assert.equal(await heard('.scrub input'), 0);
        assert.equal(await heard('.slider input'), 0);
        assert.equal(await heard('.numbers dd'), 2);
        assert.equal(await heard('.place'), 2, 'a chart that fits its box');
        await ask(() => press('[data-edit="open"]'));
        await drawn();
        assert.equal(await heard('.handle'), 0);
    });

    it('the number in the sentence is dragged at any speed, from any place of it', async () => {
        await show(TAG);
        for (const moves of [1, 13, 40]) {
            for (const part of [0.5, 0.02, 0.98]) {
                const at = await ask((part) => {
                    const { x, y, width, height } = one('.scrub').getBoundingClientRect();
                    return { x: x + Math.min(width - 1, Math.max(1, width * part)), y: y + height / 2 };
                }, part);
                await guest.driver.drag(at, 40, moves);
                assert.equal((await request()).ranks, '8', `${moves} moves from ${part}`);
                await ask(() => {
                    figure().ranks = 4;
                });
                await drawn();
            }
        }
        // A press that goes nowhere takes the focus, as before.
        const at = await ask(() => middle(one('.scrub')));
        await guest.driver.click(at.x, at.y);
        assert.equal(await ask(() => root().activeElement === one('.scrub input')), true);
    });

    it('focus stays in the figure: a cure that is taken, the last change taken back, what else goes away', async () => {
        await show('<pipeline-figure schedule="dualpipe" ranks="4" microbatches="8"></pipeline-figure>');
        await ask(() => {
            figure().microbatches = 7;
        });
        await soon(() => Boolean(one('.refusal button')));
        await focus('.refusal button');
        await press('Enter');
        await soon(() => !one('.refusal'));
        await drawn();
        assert.notEqual(await focused(), '', 'after the cure');
        // The last «Отменить».
        await show(TAG);
        await ask(() => press('[data-edit="open"]'));
        await drawn();
        await ask(() => {
            const slider = one('[data-option="microbatches"] input[type="range"]');
            slider.value = '9';
            slider.dispatchEvent(new Event('input'));
        });
        await soon(() => figure().request.microbatches === '9');
        await drawn();
        await focus('[data-edit="undo"]');
        await press('Enter');
        await soon(() => figure().request.microbatches === '8');
        await drawn();
        assert.notEqual(await focused(), '', 'after the last change is taken back');
        // «отпустить» goes with the cell it lets go of.
        await ask(() => {
            const { x, y } = middle(one('.place'));
            one('.chart > svg').dispatchEvent(new MouseEvent('click', { clientX: x, clientY: y, bubbles: true }));
        });
        await soon(() => Boolean(one('.explanation button')));
        await focus('.explanation button');
        await press('Enter');
        await soon(() => !one('.explanation button'));
        await drawn();
        assert.notEqual(await focused(), '', 'after the cell is let go');
    });

    it('the operation that the panel names is the one that moves, also after a change is taken back', async () => {
        await show(TAG);
        await ask(() => press('[data-edit="open"]'));
        await drawn();
        await ask(() => press('[data-part="order"]'));
        await drawn();
        await ask(() => {
            const place = all('.places > g')[1].querySelectorAll('.place');
            [...place].find((cell) => /микробатча 4,/.test(cell.getAttribute('aria-label'))).focus();
        });
        await press('Enter');
        await soon(() => /микробатча.4/.test(words('[data-words="order"]') ?? ''));
        await press('Alt+ArrowLeft');
        await soon(() => figure().request.moves);
        const first = (await request()).moves;
        await drawn();
        await press('Control+z');
        await soon(() => !figure().request.moves);
        await drawn();
        const named = await ask(() => words('[data-words="order"]'));
        await press('Alt+ArrowLeft');
        await soon(() => figure().request.moves);
        assert.equal((await request()).moves, first);
        assert.match(named, /микробатча 4/);
        assert.match(first, /^1F3-1$/);
    });

    it('pinned, the cell and the critical path are both seen, and so is the time that runs', async () => {
        await show(TAG);
        await ask(() => {
            const { x, y } = middle(one('.place'));
            one('.chart > svg').dispatchEvent(new MouseEvent('click', { clientX: x, clientY: y, bubbles: true }));
        });
        await soon(() => Boolean(one('.pf-selected')));
        await ask(() => press('[data-view="path"]'));
        await drawn();
        assert.deepEqual(await ask(() => [all('.pf-selected').length, all('.pf-critical').length > 3]), [1, true]);
        await ask(() => press('[data-view="play"]'));
        await drawn();
        // One veil only: what time covers is not pale already.
        const pale = await ask(() => ({
            cells: Number(getComputedStyle(one('.chart > svg .pf-cells')).opacity),
            veil: Boolean(one('.chart > .time')),
            selected: all('.pf-selected').length,
        }));
        assert.deepEqual(pale, { cells: 1, veil: true, selected: 1 });
    });
});

inEveryBrowser('the address of the page', (guest) => {
    const { ask, soon, show, drawn } = guest;
    const LINKED = '<pipeline-figure figure-id="x" schedule="gpipe" ranks="4" microbatches="8"></pipeline-figure>';
    const slide = (/** @type {string} */ value) =>
        ask((value) => {
            const slider = one('[data-option="microbatches"] input[type="range"]');
            slider.value = value;
            slider.dispatchEvent(new Event('input'));
        }, value);
    const rested = () => new Promise((done) => setTimeout(done, 900)); // the address is written half a second later

    it('the figure follows the history both ways', async () => {
        await show(`${LINKED}<a href="#pipeline.x=1f1b;p3;m5">link</a>`);
        await ask(() => document.querySelector('a').click());
        await soon(() => figure().request.ranks === '3');
        await ask(() => history.back());
        await soon(() => location.hash === '');
        await soon(() => figure().request.ranks === '4' && figure().request.schedule === 'gpipe');
        await ask(() => history.forward());
        await soon(() => figure().request.ranks === '3');
        await ask(() => history.back());
        await soon(() => figure().request.ranks === '4');
    });

    it('a section stays the section: it opens, and a link to the next one leaves the figure as it is', async () => {
        const body = `${LINKED}<div style="height:3000px"></div><h2 id="sec">section</h2><div style="height:3000px"></div>
            <h2 id="next">next</h2><a href="#next">to it</a>`;
        await show(body, { hash: '#sec', waits: false });
        await ask(() => scrollTo(0, 0));
        await soon(() => stands());
        await slide('9');
        await soon(() => location.hash.includes('m9'));
        const hash = await ask(() => location.hash);
        assert.match(hash, /^#sec&pipeline\.x=/);
        // Above the section the figure sleeps, and wakes with its state when the reader comes to it.
        await show(body, { hash, waits: false });
        await soon(() => Math.abs(document.getElementById('sec').getBoundingClientRect().top) < 40);
        await ask(() => scrollTo(0, 0));
        await soon(() => stands() && figure().request.microbatches === '9');
        await ask(() => document.querySelector('a').click());
        await soon(() => location.hash === '#next');
        await drawn();
        assert.equal((await ask(() => figure().request)).microbatches, '9');
    });

    for (const route of ['#/chapter/19', '#!/chapter/19']) {
        it(`a hash that is a route is never written into: ${route}`, async () => {
            await show(LINKED, { hash: route });
            await slide('9');
            await rested();
            assert.equal(await ask(() => location.hash), route);
            assert.equal((await ask(() => figure().request)).microbatches, '9');
        });
    }
});
