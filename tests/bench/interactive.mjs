// npm run bench: how long after its script has arrived a figure answers, in Chromium, beside an empty lit element.
import { launch, withoutBrowser } from '../support/browser.mjs';
import { timeToInteractive } from '../support/interactive.mjs';

console.log('From the arrival of the script to a figure that answers, in Chromium, medians of 15 pages');
if (withoutBrowser) console.log(`  ${withoutBrowser}\n`);
else {
    const browser = await launch();
    try {
        const { figure, empty, ratio } = await timeToInteractive(browser, 15);
        const ms = (/** @type {number} */ time) => `${time.toFixed(1)} ms`;
        console.log(`  figure ${ms(figure)}, an empty lit element ${ms(empty)}: ${ratio.toFixed(1)} times as long\n`);
    } finally {
        await browser.close();
    }
}
