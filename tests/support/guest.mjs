// A figure as a guest: pages of other people, served from 127.0.0.1 beside the files of dist/, opened in Chromium, Firefox and
// WebKit alike. Every page gets a few helpers, so that a question to it stays a line.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { describe } from 'node:test';
import { fileURLToPath } from 'node:url';
import { engines, until } from './engines.mjs';
import { opening } from './hooks.mjs';

/** What is tested: the build of this folder, or another, to see a test go red. */
const dist = process.env.PP_DIST ?? fileURLToPath(new URL('../../dist', import.meta.url));
const TYPES = {
    '.css': 'text/css; charset=utf-8',
    '.html': 'text/html; charset=utf-8',
    '.js': 'text/javascript',
    '.mjs': 'text/javascript',
    '.svg': 'image/svg+xml',
    '.wasm': 'application/wasm',
};

/** What every page of guest.show() has: figure(n), root(n), one(selector), all(selector), press(selector), words(selector). */
export const HELPERS = `<script>
    const figure = (n = 0) => document.querySelectorAll('pipeline-figure')[n];
    const root = (n = 0) => figure(n)?.shadowRoot;
    const one = (selector, n = 0) => root(n)?.querySelector(selector);
    const all = (selector, n = 0) => [...(root(n)?.querySelectorAll(selector) ?? [])];
    const press = (selector, n = 0) => one(selector, n).click();
    const words = (selector, n = 0) => one(selector, n)?.textContent.replace(/\\s+/g, ' ').trim() ?? null;
    const middle = (node) => {
        const { x, y, width, height } = node.getBoundingClientRect();
        return { x: x + width / 2, y: y + height / 2, width, height };
    };
    const stands = (n = 0) => Boolean(one('.chart > svg', n));
    addEventListener('error', ({ message }) => (window.faults ??= []).push(message));
</script>`;

/** @param {string} body @param {{ lang?: string, head?: string, script?: string }} [options] */
export function hostPage(body, { lang = 'ru', head = '', script = '/dist/pipeline-figure.js' } = {}) {
    return `<!DOCTYPE html><html lang="${lang}"><head><meta charset="utf-8"><title>host</title>
<meta name="viewport" content="width=device-width, initial-scale=1">${HELPERS}${head}
<script src="${script}" defer></script></head><body>${body}</body></html>`;
}

/**
 * Serves pages by path, the folders named, and dist/ of the repository under /dist/. A page is its text, or { type, body }.
 * @param {Record<string, any>} pages @param {Record<string, string>} [folders]  by their first part of a path
 */
export async function site(pages, folders = {}) {
    const all = /** @type {Record<string, string>} */ ({ dist, ...folders });
    const server = createServer((request, response) => {
        const path = decodeURIComponent(new URL(String(request.url), 'http://127.0.0.1').pathname);
        const page = pages[path];
        const [, first, ...rest] = path.split('/');
        try {
            if (page !== undefined) {
                const { type = TYPES['.html'], body = page, ...more } = page;
                response.writeHead(200, { 'content-type': type, ...more.headers }).end(body);
            } else if (all[first]) {
                const body = readFileSync(join(all[first], ...rest));
                response
                    .writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream' })
                    .end(body);
            } else response.writeHead(404).end();
        } catch {
            response.writeHead(404).end();
        }
    });
    await new Promise((listening) => server.listen(0, '127.0.0.1', () => listening(undefined)));
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    return {
        pages,
        url: `http://127.0.0.1:${port}`,
        close: () => {
            server.close();
            server.closeAllConnections();
        },
    };
}

/**
 * A suite for each of the three browsers. guest.show(body) opens a page with that body and waits for its figures; guest.ask
 * runs a function in the page; guest.soon waits until one says yes.
 * @param {string} title @param {(guest: any) => void} tests
 * @param {{ pages?: Record<string, any>, folders?: Record<string, string>, prefs?: Record<string, unknown>, only?: string[], forced?: boolean }} [options]
 *   forced: colours are the reader's, in Chromium; Firefox has a setting for that, to be named in prefs
 */
export function inEveryBrowser(title, tests, options = {}) {
    for (const { name, skip, launch } of engines.filter(
        ({ name }) => !name.includes('without') && (process.env.PP_ONLY ?? name) === name,
    )) {
        if (options.only && !options.only.includes(name)) continue;
        describe(`${title}: ${name}`, { skip }, () => {
            const guest = /** @type {any} */ ({ name, pages: { ...options.pages } });
            let count = 0;
            opening(async (closing) => {
                guest.site = await site(guest.pages, options.folders);
                closing(() => guest.site.close());
                guest.driver = await launch(options.prefs);
                closing(() => guest.driver.close());
                if (options.forced && name === 'Chromium') await guest.driver.force();
            });
            guest.ask = (work, ...args) => guest.driver.eval(work, ...args);
            guest.soon = async (question, ...args) => {
                for (;;) {
                    try {
                        return await until(guest.driver, question, ...args);
                    } catch (error) {
                        // A page that is being left answers nothing; the next one will.
                        if (String(error).includes('never so') || !/context|navigat|destroy/i.test(String(error)))
                            throw error;
                    }
                }
            };
            guest.go = (path) => guest.driver.goto(guest.site.url + path);
            /** Until nothing is left to be drawn: two frames, and what lit has put off. */
            guest.drawn = async () => {
                await guest.ask(() => {
                    window.frames_ = 0;
                    const next = () => ++window.frames_ < 3 && requestAnimationFrame(next);
                    requestAnimationFrame(next);
                });
                await guest.soon(() => window.frames_ >= 3);
            };
            guest.show = async (body, page = {}) => {
                const path = `/page-${++count}.html`;
                guest.pages[path] = page.raw ? body : hostPage(body, page);
                await guest.driver.goto(guest.site.url + path + (page.hash ?? ''));
                if (page.waits !== false) {
                    await guest.soon(() =>
                        [...document.querySelectorAll('pipeline-figure')].every((f) =>
                            f.shadowRoot?.querySelector('.chart > svg'),
                        ),
                    );
                    // What a reader opens is there at once then; tests/browser/parts.test.mjs looks at how it comes.
                    await guest.ask(() => {
                        const coming = window.PipelineFigure?.loadParts?.();
                        window.parts_ = coming ? 'coming' : 'here';
                        coming?.finally(() => {
                            window.parts_ = 'here';
                        });
                    });
                    await guest.soon(() => window.parts_ === 'here');
                }
                return path;
            };
            tests(guest);
        });
    }
}
