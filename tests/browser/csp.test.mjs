// The table of policies of docs/embedding.md over http, in all three engines: the figure lives, or its still picture stays
// with a sentence that names the cure; nothing it does is reported as a violation, but for the compilation itself.
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serve } from '../../scripts/serve.mjs';
import { engines, until } from '../support/engines.mjs';
import { copyScripts } from '../support/figure-page.mjs';
import { opening } from '../support/hooks.mjs';

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));
const WASM = "script-src 'self' 'wasm-unsafe-eval'";
const TYPES = "require-trusted-types-for 'script'";
const NONCE = 'nonce="abc"';

const FOREIGN = 'globalThis.foreign = true';
/** What the page loads, and which other script its figure names. @type {Record<string, [string, string]>} */
const USES = {
    usual: ['pipeline-figure.js', ''],
    named: ['pipeline-figure.js', 'pipeline-figure.nowasm.js'],
    other: ['pipeline-figure.nowasm.js', ''],
    data: ['pipeline-figure.js', `data:text/javascript,${FOREIGN}`],
    below: ['pipeline-figure.js', 'uploads/foreign.js'],
    elsewhere: ['pipeline-figure.js', 'http://localhost:1/foreign.js'],
};
const LIVES = null;
const POLICY = {
    ru: /запрещает WebAssembly.*wasm-unsafe-eval.*nowasm=pipeline-figure\.nowasm\.js/,
    en: /forbids WebAssembly.*wasm-unsafe-eval.*nowasm=pipeline-figure\.nowasm\.js/,
};
const PLAIN = {
    ru: /замену ему, pipeline-figure\.nowasm\.js, загрузить не удалось/,
    en: /its replacement, pipeline-figure\.nowasm\.js, could not be loaded/,
};

const FORBIDDEN = {
    ru: /замену ему, .*foreign.*, загрузить не удалось/,
    en: /its replacement, .*foreign.*, could not be loaded/,
};

/**
 * typed: the rule that blocks is one of trusted types, which a browser may not know yet (Firefox before 148); there the figure
 * lives. @type {{ policy: string, use?: string, blocked: typeof LIVES | typeof POLICY, typed?: boolean }[]}
 */
const TABLE = [
    { policy: '', blocked: LIVES },
    { policy: WASM, blocked: LIVES },
    { policy: "script-src 'self' 'unsafe-eval'", blocked: LIVES },
    { policy: `default-src 'none'; ${WASM}`, blocked: LIVES },
    { policy: `default-src 'self'; ${WASM}; style-src 'self'`, blocked: LIVES },
    { policy: `default-src 'none'; ${WASM}; style-src 'none'; connect-src 'none'`, blocked: LIVES },
    { policy: `${WASM}; ${TYPES}`, blocked: LIVES },
    { policy: `${WASM}; ${TYPES}; trusted-types lit-html`, blocked: LIVES },
    {
        policy: "script-src 'nonce-abc' 'strict-dynamic' 'wasm-unsafe-eval'; object-src 'none'; base-uri 'none'",
        blocked: LIVES,
    },
    { policy: 'sandbox allow-scripts', blocked: LIVES },
    { policy: "script-src 'self'", blocked: POLICY },
    { policy: "script-src 'self'", use: 'named', blocked: LIVES },
    { policy: "script-src 'self'", use: 'other', blocked: LIVES },
    { policy: "script-src 'nonce-abc' 'strict-dynamic'", use: 'named', blocked: LIVES },
    // Scripts that this one adds are trusted: whoever may set attributes must not thereby run a script of another place.
    { policy: "script-src 'nonce-abc' 'strict-dynamic'", use: 'data', blocked: FORBIDDEN },
    { policy: "script-src 'nonce-abc' 'strict-dynamic'", use: 'below', blocked: FORBIDDEN },
    { policy: "script-src 'nonce-abc' 'strict-dynamic'", use: 'elsewhere', blocked: FORBIDDEN },
    { policy: "script-src 'nonce-abc'", use: 'named', blocked: PLAIN },
    { policy: `script-src 'self'; ${TYPES}`, use: 'named', blocked: PLAIN, typed: true },
    { policy: `default-src 'none'; script-src 'self'; ${TYPES}; trusted-types lit-html`, use: 'other', blocked: LIVES },
];

/** @param {string} use @param {string} lang */
function pageOf(use, lang) {
    const [script, named] = USES[use];
    const nowasm = named ? ` nowasm="${named}"` : '';
    return `<!DOCTYPE html><html lang="${lang}"><head><meta charset="utf-8"><title>figure</title>
<script ${NONCE} src="watch.js"></script><script ${NONCE} src="${script}" defer></script></head><body>
<pipeline-figure schedule="1f1b" ranks="4" microbatches="8"${nowasm}><p id="still">still picture</p></pipeline-figure></body></html>`;
}

/** Kept in window.violations, window.wrong and window.told. Served as a file. */
const WATCH = `violations = []; wrong = []; told = [];
addEventListener('securitypolicyviolation', (event) => violations.push(event.effectiveDirective + ' ' + event.blockedURI));
for (const name of ['error', 'unhandledrejection'])
    addEventListener(name, (event) => wrong.push(String(event.message || event.reason)));
addEventListener('pipeline-error', ({ detail }) => told.push(detail.code));`;

for (const { name, skip, launch } of engines) {
    if (name.includes('without')) continue;
    describe(`policies in ${name}`, { skip }, () => {
        /** @type {import('../support/engines.mjs').Driver} */
        let driver;
        /** @type {Awaited<ReturnType<typeof serve>>} */
        let site;
        /** @type {string} */
        let folder;
        opening(async (closing) => {
            folder = mkdtempSync(join(tmpdir(), 'pipeline-figure-'));
            closing(() => rmSync(folder, { recursive: true, force: true }));
            copyScripts(folder);
            copyFileSync(join(dist, 'pipeline-figure.nowasm.js'), join(folder, 'pipeline-figure.nowasm.js'));
            writeFileSync(join(folder, 'watch.js'), WATCH);
            mkdirSync(join(folder, 'uploads'));
            writeFileSync(join(folder, 'uploads', 'foreign.js'), FOREIGN);
            const row = (/** @type {string} */ path) => TABLE[Number(/^\/(\d+)/.exec(path)?.[1] ?? -1)];
            site = await serve(folder, {
                page: (path) => row(path) && pageOf(row(path).use ?? 'usual', path.slice(-2)),
                headers: (path) => (row(path)?.policy ? { 'content-security-policy': row(path).policy } : {}),
            });
            closing(() => site.close());
            driver = await launch();
            closing(() => driver.close());
        });

        for (const [i, { policy, use = 'usual', blocked: wanted, typed }] of TABLE.entries()) {
            const stays = `the still picture stays, and why is said${typed ? ', where trusted types are known' : ''}`;
            const what = wanted === LIVES ? 'the figure lives' : stays;
            it(`EMB-03, EMB-06, MUST-09, POINT-12: ${policy || 'no policy'}, script ${use}: ${what}`, async () => {
                const known = !typed || (await driver.eval(() => 'trustedTypes' in window));
                const blocked = known ? wanted : LIVES;
                for (const lang of blocked === LIVES ? ['ru'] : ['ru', 'en']) {
                    await driver.goto(`${site.url}${i}-${lang}`);
                    await until(driver, () => {
                        const root = document.querySelector('pipeline-figure')?.shadowRoot;
                        const why = root?.querySelector('.blocked')?.textContent?.trim();
                        return Boolean(why || root?.querySelector('.chart > svg'));
                    });
                    const seen = await driver.eval(() => {
                        const figure = /** @type {any} */ (document.querySelector('pipeline-figure'));
                        const still = document.querySelector('#still')?.getBoundingClientRect();
                        const { violations, wrong, told } = /** @type {any} */ (window);
                        return {
                            time: figure.simulation?.summary.makespan ?? null,
                            blocked: figure.shadowRoot.querySelector('.blocked').textContent.trim(),
                            still: Boolean(still && still.height > 0),
                            violations,
                            wrong,
                            told,
                            foreign: /** @type {any} */ (globalThis).foreign ?? false,
                            isolated: globalThis.crossOriginIsolated === true,
                        };
                    });
                    const refused = seen.violations.filter(
                        (/** @type {string} */ text) =>
                            !/wasm-eval|require-trusted-types-for|nowasm\.js|favicon/.test(text),
                    );
                    assert.deepEqual(refused, [], 'nothing but the compilation was refused');
                    assert.deepEqual(seen.wrong, []);
                    assert.equal(seen.foreign, false, 'no script of another place has run');
                    assert.equal(seen.isolated, false, 'neither COOP nor COEP');
                    if (blocked === LIVES) {
                        assert.equal(seen.time, 33, seen.blocked);
                        assert.equal(seen.still, false);
                        assert.equal(seen.blocked, '');
                    } else {
                        assert.match(seen.blocked.replace(/\s+/g, ' '), blocked[lang]);
                        assert.equal(seen.still, true);
                        assert.equal(seen.time, null);
                        assert.deepEqual(seen.told, [blocked === POLICY ? 'blocked-policy' : 'blocked-plain']);
                    }
                }
            });
        }
    });
}
