// npm run bench: large figures in Chromium, as a reader meets them. A change counts until the frame after it is drawn:
// from setting the attribute to the callback behind the next frame's painting. PP_CHROMIUM names the browser.
import { chromium, launch } from '../support/browser.mjs';
import { open, pageFolder } from '../support/figure-page.mjs';

if (!chromium) {
    console.log('Large figures in a browser: no Chromium here\n');
    process.exit(0);
}
const folder = pageFolder();
const browser = await launch();

/** @param {number[]} times @param {number} share */
const quantile = (times, share) =>
    times.sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))];

const figures = [
    ['p=32 m=256', { ranks: 32, microbatches: 256 }],
    ['100,000 actions', { ranks: 32, microbatches: 1600 }],
    ['1,000,000 actions', { ranks: 512, microbatches: 1024 }],
];
const rows = [];
for (const [name, { ranks, microbatches }] of figures) {
    const { page } = await open(
        browser,
        folder.write(`<pipeline-figure schedule="1f1b" ranks="4" microbatches="8" lang="en"></pipeline-figure>`),
    );
    const measured = await page.evaluate(
        async (settings, most) => {
            const figure = /** @type {any} */ (document.querySelector('pipeline-figure'));
            /** Script of one change, and all of it up to a drawn frame. @param {() => void} change */
            const time = async (change) => {
                await new Promise((done) => requestAnimationFrame(done));
                const begin = performance.now();
                change();
                await figure.updateComplete;
                const script = performance.now() - begin;
                const drawn = new Promise((done) => {
                    requestAnimationFrame(() => {
                        const channel = new MessageChannel();
                        channel.port1.onmessage = () => done(performance.now() - begin);
                        channel.port2.postMessage(null);
                    });
                });
                return [script, await drawn];
            };
            const first = await time(() => {
                figure.ranks = String(settings.ranks);
                figure.microbatches = String(settings.microbatches);
            });
            const costs = [];
            const steps = [];
            for (let k = 1; k <= most; k++)
                costs.push(
                    await time(() => {
                        figure.forward = (1 + k / 100).toFixed(2);
                    }),
                );
            figure.forward = null;
            await figure.updateComplete;
            for (let k = 1; k <= most; k++)
                steps.push(
                    await time(() => {
                        figure.microbatches = String(settings.microbatches - (k % 16));
                    }),
                );
            figure.microbatches = String(settings.microbatches);
            await figure.updateComplete;
            const nodes = figure.shadowRoot.querySelectorAll('*').length;
            // Frames while a cost is dragged without rest.
            let frames = 0;
            const begin = performance.now();
            while (performance.now() - begin < 2000) {
                figure.forward = (1 + (frames++ % 90) / 100).toFixed(2);
                await new Promise((done) => requestAnimationFrame(done));
            }
            const rate = (frames * 1000) / (performance.now() - begin);
            const zoom = [];
            const closer = figure.shadowRoot.querySelector('[data-zoom=zoom_in]');
            for (let k = 0; k < 12; k++) zoom.push(await time(() => closer.click()));
            return { first, costs, steps, rate, nodes, zoom };
        },
        { ranks, microbatches },
        name.startsWith('1,') ? 30 : 60,
    );
    const median = (/** @type {number[][]} */ pairs, /** @type {number} */ part) =>
        quantile(
            pairs.map((pair) => pair[part]),
            0.5,
        ).toFixed(1);
    const late = (/** @type {number[][]} */ pairs, /** @type {number} */ part) =>
        quantile(
            pairs.map((pair) => pair[part]),
            0.95,
        ).toFixed(1);
    rows.push([`${name}: first drawing`, measured.first[0].toFixed(1), '', measured.first[1].toFixed(1)]);
    rows.push([`${name}: a cost`, median(measured.costs, 0), late(measured.costs, 0), median(measured.costs, 1)]);
    rows.push([
        `${name}: micro-batches`,
        median(measured.steps, 0),
        late(measured.steps, 0),
        median(measured.steps, 1),
    ]);
    rows.push([`${name}: closer`, median(measured.zoom, 0), late(measured.zoom, 0), median(measured.zoom, 1)]);
    rows.push([`${name}: frames a second, a cost dragged`, measured.rate.toFixed(0), '', '']);
    rows.push([`${name}: elements`, String(measured.nodes), '', '']);
    await page.close();
}
await browser.close();
folder.remove();
console.log(
    'Large figures in Chromium, ms: script of a change (median, 95 of 100), and until its frame is drawn (median)',
);
const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column].length)));
for (const row of rows)
    console.log(`  ${row.map((text, i) => (i === 0 ? text.padEnd(widths[i]) : text.padStart(widths[i]))).join('  ')}`);
console.log();
