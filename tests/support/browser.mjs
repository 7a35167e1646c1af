// Chromium for the tests in a real browser. scripts/setup.sh finds or installs it and passes its path in PP_CHROMIUM;
// a test file started by hand finds it by name.
import { execFileSync } from 'node:child_process';
import puppeteer from 'puppeteer-core';

function find() {
    if (process.env.PP_CHROMIUM) return process.env.PP_CHROMIUM;
    for (const name of ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']) {
        try {
            return execFileSync('which', [name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
        } catch {}
    }
    return null;
}

export const chromium = find();

/**
 * For the options of a test or suite: { skip: withoutBrowser }. False when there is a browser, or when CI is set, where
 * its absence must fail; else the words of a skip.
 * @type {string | false}
 */
export const withoutBrowser = chromium || process.env.CI ? false : 'NO BROWSER: install chromium, or set CHROMIUM';

/** Launches Chromium. One launch per test file, one page per test. */
export async function launch(options = {}) {
    if (!chromium) throw new Error('no Chromium found: install chromium, or set CHROMIUM to its path');
    return puppeteer.launch({
        browser: 'chrome',
        executablePath: chromium,
        timeout: 120_000, // a busy machine takes its time
        ...options,
        args: [
            '--no-sandbox',
            '--disable-gpu',
            '--disable-quic',
            '--disable-dev-shm-usage',
            '--disable-background-networking',
            '--disable-component-update',
            '--disable-sync',
            '--no-first-run',
            ...(options.args ?? []),
        ],
    });
}
