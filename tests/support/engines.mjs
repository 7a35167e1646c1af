// Chromium, Firefox and WebKit behind one small face, for the tests that all three must pass. scripts/setup.sh finds or
// installs them and passes their paths; a test file started by hand finds them by name.
//
// Chromium and Firefox are driven by puppeteer-core (CDP and WebDriver BiDi). No driver from npm speaks to WebKitGTK, so
// there is a WebDriver client of some lines here.
import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import puppeteer from 'puppeteer-core';
import { chromium, launch as launchChromium } from './browser.mjs';

/**
 * @typedef {object} Driver  one browser with one page
 * @property {string} version
 * @property {(url: string) => Promise<void>} goto
 * @property {<T>(work: (...args: any[]) => T, ...args: any[]) => Promise<T>} eval  in the page
 * @property {(x: number, y: number) => Promise<void>} click
 * @property {(from: { x: number, y: number }, dx: number, moves?: number) => Promise<void>} drag  sideways, in so many moves
 * @property {(key: string) => Promise<void>} press  a key, with others held before a plus: 'Alt+ArrowLeft'
 * @property {(width: number, height: number) => Promise<void>} resize  of the view; WebKit's window has a least width
 * @property {() => Promise<Buffer>} shot  a PNG of the view
 * @property {() => Promise<void>} [force]  the colours of the reader; Chromium alone is told by its driver
 * @property {(() => Promise<Buffer>) | null} pdf  null where the driver cannot print
 * @property {() => Promise<void>} close
 */

/** @param {string[]} names */
function find(...names) {
    for (const name of names) {
        try {
            return execFileSync('which', [name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
        } catch {}
    }
    return null;
}

/**
 * Gives the view a size. With it puppeteer always asks for an orientation of the screen, which Firefox knows only since 144;
 * who refuses that has been told the size all the same, and it is the page that says when it has it.
 * @param {import('puppeteer-core').Page} page @param {number} width @param {number} height
 */
async function resize(page, width, height) {
    await page.setViewport({ width, height }).catch((error) => {
        if (!/unknown command|unsupported operation/.test(error.message)) throw error;
    });
    await page.waitForFunction((w, h) => innerWidth === w && innerHeight === h, {}, width, height);
}

/** The browser is closed where this fails. @param {import('puppeteer-core').Browser} browser @returns {Promise<Driver>} */
async function throughPuppeteer(browser) {
    const page = await firstPage(browser).catch(async (error) => {
        await browser.close();
        throw error;
    });
    return {
        version: await browser.version(),
        goto: async (url) => {
            await page.goto(url);
        },
        eval: (work, ...args) => page.evaluate(/** @type {any} */ (work), ...args),
        click: (x, y) => page.mouse.click(x, y),
        drag: async ({ x, y }, dx, moves = 4) => {
            await page.mouse.move(x, y);
            await page.mouse.down();
            for (let n = 1; n <= moves; n++) await page.mouse.move(x + (dx * n) / moves, y);
            await page.mouse.up();
        },
        press: async (keys) => {
            const [key, ...held] = keys.split('+').reverse();
            for (const other of held) await page.keyboard.down(/** @type {any} */ (other));
            await page.keyboard.press(/** @type {any} */ (key));
            for (const other of held) await page.keyboard.up(/** @type {any} */ (other));
        },
        resize: (width, height) => resize(page, width, height),
        shot: async () => Buffer.from(await page.screenshot()),
        // The size and margins that a page asks for, in both browsers.
        pdf: async () => Buffer.from(await page.pdf({ format: 'A4', preferCSSPageSize: true })),
        force: async () => {
            const session = await page.createCDPSession();
            await session.send('Emulation.setEmulatedMedia', {
                features: [{ name: 'forced-colors', value: 'active' }],
            });
        },
        close: () => browser.close(),
    };
}

/** @param {import('puppeteer-core').Browser} browser */
async function firstPage(browser) {
    const page = await browser.newPage();
    await page.bringToFront(); // a page behind another draws no frames, and nothing in it comes into view
    await resize(page, 1200, 900);
    return page;
}

/** @param {string} executablePath @param {Record<string, unknown>} [prefs] */
async function firefox(executablePath, prefs = {}) {
    const browser = await puppeteer.launch({
        browser: 'firefox',
        executablePath,
        defaultViewport: null, // it would come by the command that Firefox may refuse
        timeout: 120_000,
        extraPrefsFirefox: {
            // Automation loosens both; a reader's Firefox has these values.
            'security.fileuri.strict_origin_policy': true,
            'dom.navigation.navigationRateLimit.count': 200,
            ...prefs,
        },
    });
    return throughPuppeteer(browser);
}

const freePort = () =>
    /** @type {Promise<number>} */ (
        new Promise((found) => {
            const server = createServer().listen(0, '127.0.0.1', () => {
                const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
                server.close(() => found(port));
            });
        })
    );

/** As WebDriver writes keys without a letter. @type {Record<string, string>} */
const KEYS = {
    Tab: '\ue004',
    Enter: '\ue007',
    Shift: '\ue008',
    Control: '\ue009',
    Alt: '\ue00a',
    Escape: '\ue00c',
    PageUp: '\ue00e',
    PageDown: '\ue00f',
    End: '\ue010',
    Home: '\ue011',
    ArrowLeft: '\ue012',
    ArrowUp: '\ue013',
    ArrowRight: '\ue014',
    ArrowDown: '\ue015',
};

/** @param {string} executablePath @returns {Promise<Driver>} */
async function webkit(executablePath) {
    const port = await freePort();
    // A group of its own, so that the display goes with the driver.
    const display = ['-a', '-s', '-screen 0 1400x1200x24', executablePath, `--port=${port}`];
    const driver = spawn('xvfb-run', display, { stdio: 'ignore', detached: true });
    /** @type {Error | undefined} */
    let broken;
    driver.once('error', (error) => {
        broken = error;
    });
    driver.once('exit', (code) => {
        broken ??= new Error(`WebKit: the driver ended with ${code}`);
    });
    const end = () => {
        try {
            process.kill(-(/** @type {number} */ (driver.pid)));
        } catch {}
    };
    process.once('exit', end);
    /** @param {string} method @param {string} path @param {unknown} [body] @returns {Promise<any>} */
    async function call(method, path, body) {
        const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, body: body && JSON.stringify(body) });
        const { value } = /** @type {any} */ (await response.json());
        if (!response.ok) throw new Error(`WebKit: ${method} ${path}: ${value?.error} ${value?.message}`);
        return value;
    }
    try {
        for (let i = 0; ; i++) {
            try {
                await call('GET', '/status');
                break;
            } catch (error) {
                if (broken || i > 2400) throw broken ?? error;
                await sleep(50);
            }
        }
        const { sessionId, capabilities } = await call('POST', '/session', { capabilities: { alwaysMatch: {} } });
        const session = `/session/${sessionId}`;
        const act = (/** @type {object} */ source) => call('POST', `${session}/actions`, { actions: [source] });
        const size = (/** @type {object} */ rect) => call('POST', `${session}/window/rect`, rect);
        /** @type {Driver} */
        const self = {
            version: `${capabilities.browserName} ${capabilities.browserVersion}`,
            goto: (url) => call('POST', `${session}/url`, { url }),
            eval: (work, ...args) =>
                call('POST', `${session}/execute/sync`, { script: `return (${work}).apply(null, arguments)`, args }),
            click: (x, y) =>
                act({
                    type: 'pointer',
                    id: 'mouse',
                    parameters: { pointerType: 'mouse' },
                    actions: [
                        { type: 'pointerMove', x: Math.round(x), y: Math.round(y), duration: 0 },
                        { type: 'pointerDown', button: 0 },
                        { type: 'pointerUp', button: 0 },
                    ],
                }),
            drag: ({ x, y }, dx, moves = 4) =>
                act({
                    type: 'pointer',
                    id: 'mouse',
                    parameters: { pointerType: 'mouse' },
                    actions: [
                        { type: 'pointerMove', x: Math.round(x), y: Math.round(y), duration: 0 },
                        { type: 'pointerDown', button: 0 },
                        ...Array.from({ length: moves }, (_, n) => ({
                            type: 'pointerMove',
                            x: Math.round(x + (dx * (n + 1)) / moves),
                            y: Math.round(y),
                            duration: 30,
                        })),
                        { type: 'pointerUp', button: 0 },
                    ],
                }),
            press: (keys) => {
                const values = keys.split('+').map((key) => KEYS[key] ?? key);
                const down = values.map((value) => ({ type: 'keyDown', value }));
                const up = values.reverse().map((value) => ({ type: 'keyUp', value }));
                return act({ type: 'key', id: 'keys', actions: [...down, ...up] });
            },
            resize: async (width, height) => {
                await size({ width, height });
                const inner = await self.eval(() => [innerWidth, innerHeight]);
                await size({ width: 2 * width - inner[0], height: 2 * height - inner[1] });
            },
            shot: async () => Buffer.from(await call('GET', `${session}/screenshot`), 'base64'),
            pdf: null,
            close: async () => {
                await call('DELETE', session).catch(() => {});
                end();
            },
        };
        await self.resize(1200, 900);
        return self;
    } catch (error) {
        end();
        throw error;
    }
}

const paths = {
    firefox: process.env.PP_FIREFOX || find('firefox-esr', 'firefox'),
    webkit: process.env.PP_WEBKIT || (find('xvfb-run') && find('WebKitWebDriver')),
};

/** @param {string} name @param {string | null} path @param {string} cure */
const missing = (name, path, cure) => (path || process.env.CI ? false : `NO ${name}: ${cure}`);

/** @type {{ name: string, skip: string | false, launch: (prefs?: Record<string, unknown>) => Promise<Driver> }[]} prefs: of Firefox */
export const engines = [
    {
        name: 'Chromium',
        skip: missing('BROWSER', chromium, 'install chromium, or set CHROMIUM'),
        launch: async () => throughPuppeteer(await launchChromium()),
    },
    {
        name: 'Firefox',
        skip: missing('FIREFOX', paths.firefox, 'install firefox-esr, or set FIREFOX'),
        launch: (prefs) => firefox(paths.firefox ?? 'firefox-esr', prefs),
    },
    {
        name: 'Firefox without WebAssembly',
        skip: missing('FIREFOX', paths.firefox, 'install firefox-esr, or set FIREFOX'),
        launch: () => firefox(paths.firefox ?? 'firefox-esr', { 'javascript.options.wasm': false }),
    },
    {
        name: 'WebKit',
        skip: missing('WEBKIT', paths.webkit || null, 'install webkit2gtk-driver, xvfb and xauth'),
        launch: () => webkit(paths.webkit || 'WebKitWebDriver'),
    },
];

/**
 * Asks the page until the answer is yes, and gives the answer.
 * @template T @param {Driver} driver @param {(...args: any[]) => T} question @param {any[]} args @returns {Promise<T>}
 */
export async function until(driver, question, ...args) {
    const end = Date.now() + Number(process.env.PP_PATIENCE ?? 60_000);
    for (;;) {
        const answer = await driver.eval(question, ...args);
        if (answer) return answer;
        if (Date.now() > end) throw new Error(`never so: ${question}`);
        await sleep(50);
    }
}
