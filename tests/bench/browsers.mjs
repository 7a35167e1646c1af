// The kernels of the toy network in real browsers (kernels.mjs): node tests/bench/browsers.mjs [--quick] [Chromium …]
// Without names: Chromium and Firefox, whichever are here.
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { serve } from '../../scripts/serve.mjs';
import { engines } from '../support/engines.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const names = process.argv.slice(2).filter((name) => !name.startsWith('--'));
const quick = process.argv.includes('--quick');

if (!existsSync(`${root}build/peers/node_modules/onnxruntime-web`)) {
    console.log('  (no peers in build/peers: npm run bench installs them)');
    process.exit(0);
}
await build({
    entryPoints: [`${root}tests/bench/page.mjs`],
    bundle: true,
    format: 'esm',
    outfile: `${root}build/bench/page.js`,
    nodePaths: [`${root}build/peers/node_modules`],
    logLevel: 'error',
});
const isolated = {
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
    'cross-origin-resource-policy': 'same-origin',
};
const server = await serve(`${root}build`, {
    headers: () => isolated,
    page: (path) =>
        path === '/'
            ? '<!doctype html><title>kernels</title><script type="module" src="/bench/page.js"></script>'
            : undefined,
});
try {
    for (const name of names.length > 0 ? names : ['Chromium', 'Firefox']) {
        const engine = engines.find((each) => each.name.toLowerCase() === name.toLowerCase());
        if (!engine || engine.skip) {
            console.log(`(${engine?.skip || `no ${name}`})\n`);
            continue;
        }
        const driver = await engine.launch();
        console.log(`In ${driver.version}`);
        await driver.goto(`${server.url}${quick ? '#quick' : ''}`);
        for (let seen = 0, ended = false; !ended; ) {
            await sleep(500);
            const state = await driver.eval(
                (from) => ({ lines: globalThis.lines?.slice(from) ?? [], ended: globalThis.ended === true }),
                seen,
            );
            for (const line of state.lines) console.log(line);
            seen += state.lines.length;
            ended = state.ended;
        }
        await driver.close();
    }
} finally {
    await server.close();
}
