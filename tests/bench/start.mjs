// npm run bench -- start: how long a reader waits for the figure, in Chromium: from the navigation to the living figure, what
// was transferred by then, and how long the page's main thread was busy.
//     node tests/bench/start.mjs [--beside DIST] [--rounds N] [--lang ru|en] [condition …]
// Beside it stands an empty lit element on the same page, which is the least that any such element takes, and the build with
// everything in one file; --beside adds the script of another build, such as that of an older commit. A round opens every page
// once, each in a fresh profile with nothing cached; shown are medians over the rounds, and of ratios within a round.
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { launch } from '../support/browser.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
        beside: { type: 'string' },
        rounds: { type: 'string', default: '9' },
        lang: { type: 'string', default: 'ru' },
    },
});
const rounds = Number(values.rounds);

// "Slow 4G" as the developer tools of Chromium had it: 1.6 Mbit/s, 150 ms.
const SLOW_4G = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 750e3 / 8 };
const CONDITIONS = [
    { name: 'disk', says: 'from disk', slower: 1 },
    { name: 'http', says: 'over http', slower: 1, http: true },
    { name: 'http-cpu4', says: 'over http, processor / 4', slower: 4, http: true },
    { name: 'slow', says: 'slow 4G (1.6 Mbit/s, 150 ms), processor / 4', slower: 4, http: true, network: SLOW_4G },
].filter(({ name }) => positionals.length === 0 || positionals.includes(name));

// ---- the pages ----

const folder = mkdtempSync(join(tmpdir(), 'pipeline-figure-'));
cpSync(join(root, 'dist'), join(folder, 'new'), { recursive: true });
await build({
    stdin: {
        contents: `import { LitElement, html } from 'lit';
            customElements.define('empty-element', class extends LitElement {
                render() { return html\`<p>empty</p>\`; }
                firstUpdated() { this.dispatchEvent(new Event('pipeline-ready', { bubbles: true })); }
            });`,
        resolveDir: root,
    },
    bundle: true,
    minify: true,
    format: 'iife',
    conditions: ['production'],
    target: 'es2022',
    outfile: join(folder, 'new/empty.js'),
});
const FIGURE = 'pipeline-figure schedule="1f1b" ranks="4" microbatches="8"';
/** @type {{ name: string, says: string, script: string, tag: string, count: number }[]} */
const pages = [];
for (const count of [1, 5]) {
    const many = (/** @type {string} */ says) => (count === 1 ? says : `${says}, ${count} on the page`);
    const add = (/** @type {string} */ name, /** @type {string} */ says, /** @type {string} */ script, tag = FIGURE) =>
        pages.push({ name: `${name}-${count}`, says: many(says), script, tag, count });
    add('empty', 'an empty lit element', 'new/empty.js', 'empty-element');
    add(
        'figure',
        'the figure',
        `new/${existsSync(join(root, 'dist/pipeline-figure.whole.js')) ? 'pipeline-figure.js' : 'pipeline-figure.iife.js'}`,
    );
    if (existsSync(join(root, 'dist/pipeline-figure.whole.js')))
        add('whole', 'the figure, all in one file', 'new/pipeline-figure.whole.js');
    if (values.beside) {
        cpSync(resolve(values.beside), join(folder, 'old'), { recursive: true });
        const script = ['whole.js', 'iife.js'].find((end) => existsSync(join(folder, `old/pipeline-figure.${end}`)));
        const usual = script === 'whole.js' ? 'js' : script;
        add('beside', `the figure of ${values.beside}`, `old/pipeline-figure.${usual}`);
    }
}
for (const { name, script, tag, count } of pages) {
    const [element] = tag.split(' ');
    writeFileSync(
        join(folder, `${name}.html`),
        `<!DOCTYPE html><html lang="${values.lang}"><head><meta charset="utf-8"><title>start</title><link rel="icon" href="data:,">
<script>let ready = 0;
addEventListener('pipeline-ready', () => { if (++ready === ${count}) performance.mark('living'); });</script>
<script src="${script}" defer></script></head>
<body>${`<div><${tag}>still picture</${element}></div>`.repeat(count)}</body></html>`,
    );
}
writeFileSync(join(folder, 'blank.html'), '<!DOCTYPE html><title>blank</title><link rel="icon" href="data:,">');

/** As servers of pages send files: compressed. @type {Map<string, Buffer>} */
const compressed = new Map();
const TYPES = { html: 'text/html; charset=utf-8', js: 'text/javascript', wasm: 'application/wasm' };
const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://127.0.0.1').pathname;
    const file = join(folder, path);
    if (!existsSync(file)) return void response.writeHead(404).end();
    if (!compressed.has(path)) compressed.set(path, gzipSync(readFileSync(file), { level: 9 }));
    const body = /** @type {Buffer} */ (compressed.get(path));
    response
        .writeHead(200, {
            'content-type': TYPES[/** @type {keyof typeof TYPES} */ (path.split('.').pop())],
            'content-encoding': 'gzip',
            'content-length': body.length,
        })
        .end(body);
});
await new Promise((listening) => server.listen(0, '127.0.0.1', () => listening(undefined)));
const http = `http://127.0.0.1:${/** @type {import('node:net').AddressInfo} */ (server.address()).port}/`;
const disk = `${pathToFileURL(folder).href}/`;

// ---- one visit ----

const TRACED = ['-*', 'blink.user_timing', 'disabled-by-default-devtools.timeline'];

/** Milliseconds of the main thread's tasks between the navigation and the mark. @param {any[]} events */
function busyOf(events) {
    const living = events.find(({ name, cat }) => name === 'living' && cat.includes('user_timing'));
    const begun = events.filter(
        ({ name, pid, ts }) => name === 'navigationStart' && pid === living.pid && ts <= living.ts,
    );
    const from = Math.max(...begun.map(({ ts }) => ts));
    let busy = 0;
    for (const { name, ph, pid, tid, ts, dur = 0 } of events) {
        if (name !== 'RunTask' || ph !== 'X' || pid !== living.pid || tid !== living.tid) continue;
        busy += Math.max(0, Math.min(ts + dur, living.ts) - Math.max(ts, from));
    }
    return busy / 1000;
}

/**
 * @param {import('puppeteer-core').Browser} browser @param {typeof pages[0]} page @param {typeof CONDITIONS[0]} condition
 */
async function visit(browser, { name, count }, { slower, http: overHttp, network }) {
    const context = await browser.createBrowserContext();
    try {
        const page = await context.newPage();
        await page.bringToFront();
        await page.setViewport({ width: 1200, height: count === 1 ? 900 : 7000 });
        const base = overHttp ? http : disk;
        await page.goto(`${base}blank.html`); // the process of the page is there, and the connection
        const session = await page.createCDPSession();
        await session.send('Network.enable');
        if (network) await session.send('Network.emulateNetworkConditions', network);
        if (slower > 1) await session.send('Emulation.setCPUThrottlingRate', { rate: slower });
        let bytes = 0;
        session.on('Network.loadingFinished', ({ encodedDataLength }) => {
            bytes += encodedDataLength;
        });
        await page.tracing.start({ categories: TRACED });
        await page.goto(`${base}${name}.html`, { waitUntil: 'commit' }).catch(() => page.goto(`${base}${name}.html`));
        await page.waitForFunction(() => performance.getEntriesByName('living').length > 0, {
            polling: 50,
            timeout: 0,
        });
        const time = await page.evaluate(() => performance.getEntriesByName('living')[0].startTime);
        const trace = JSON.parse(Buffer.from(/** @type {Uint8Array} */ (await page.tracing.stop())).toString());
        return { time, busy: busyOf(trace.traceEvents), bytes };
    } finally {
        await context.close();
    }
}

// ---- the table ----

const median = (/** @type {number[]} */ numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
const browser = await launch();
try {
    console.log(`${await browser.version()}, lang ${values.lang}, medians of ${rounds} rounds`);
    for (const condition of CONDITIONS) {
        /** @type {Record<string, Awaited<ReturnType<typeof visit>>[]>} */
        const seen = Object.fromEntries(pages.map(({ name }) => [name, []]));
        for (let round = 0; round < rounds; round++)
            for (const page of pages) seen[page.name].push(await visit(browser, page, condition));
        console.log(`\n${condition.says}`);
        console.log('  living, ms  / empty  main thread, ms  / empty  kB');
        for (const { name, says, count } of pages) {
            const own = seen[name];
            const ratio = (/** @type {string} */ other, /** @type {'time' | 'busy'} */ of) =>
                median(own.map((visit, round) => visit[of] / seen[other][round][of]));
            const empty = `empty-${count}`;
            const columns = [
                median(own.map(({ time }) => time))
                    .toFixed(0)
                    .padStart(12),
                ratio(empty, 'time').toFixed(1).padStart(7),
                median(own.map(({ busy }) => busy))
                    .toFixed(0)
                    .padStart(15),
                ratio(empty, 'busy').toFixed(1).padStart(7),
                (median(own.map(({ bytes }) => bytes)) / 1000).toFixed(1).padStart(6),
            ];
            const old = `beside-${count}`;
            const sooner =
                seen[old] && name === `figure-${count}`
                    ? `; beside the other build: ${(1 / ratio(old, 'time')).toFixed(2)} times sooner, ${(1 / ratio(old, 'busy')).toFixed(2)} times less work`
                    : '';
            console.log(`${columns.join('  ')}  ${says}${sooner}`);
        }
    }
} finally {
    await browser.close();
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
}
