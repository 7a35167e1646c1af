// npm run test:consumers: the packed package in projects of its users. TypeScript reads its types, Node imports it, esbuild,
// Vite, Rollup and webpack bundle it, and Chromium opens what they made. Needs npm's registry; not part of npm test.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { launch } from '../tests/support/browser.mjs';
import { serve } from './serve.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const project = join(root, 'build/consumers');

/** The slim module's files beside a bundle: the core and, where it was built, the products with relaxed multiply-add. */
function copyCores(/** @type {string} */ to) {
    const dist = join(project, 'node_modules/pipeline-figure/dist');
    for (const name of ['core.wasm', 'core.rest.wasm', 'core.madd.wasm'])
        if (existsSync(join(dist, name))) copyFileSync(join(dist, name), join(to, '..', name));
}
const env = { ...process.env, PATH: process.env.PP_NPM_PATH ?? process.env.PATH };
const tools = [
    'esbuild@0.28.2',
    'vite@8.4.0',
    'rollup@4.68.8',
    '@rollup/plugin-node-resolve@16.0.3',
    'webpack@5.113.0',
    'typescript@7.0.2',
];

/** @param {string[]} args */
const npm = (...args) =>
    execFileSync('npm', args, { cwd: project, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

mkdirSync(project, { recursive: true });
for (const name of readdirSync(project)) if (name.endsWith('.tgz')) rmSync(join(project, name));
writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }\n');
npm('pack', root, '--ignore-scripts', '--silent');
const [packed] = readdirSync(project).filter((name) => name.endsWith('.tgz'));
rmSync(join(project, 'node_modules/pipeline-figure'), { recursive: true, force: true });
npm('install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', `./${packed}`, ...tools);

const load = (/** @type {string} */ name) =>
    import(pathToFileURL(createRequire(join(project, 'package.json')).resolve(name)).href);

// One project in two ways to take the package. What TypeScript must know stands in both.
/** @param {string} name */
const main = (name) => `import { Engine, loadEngine, PipelineError, PipelineFigure } from '${name}';
const engine: Engine = await loadEngine();
const simulation = engine.simulate({ schedule: 'gpipe', ranks: 4, microbatches: 8, forward: [1, 1, 1, 1] });
const starts: Float64Array = simulation.actions.start;
const makespan: number = simulation.summary.makespan;
const figure = document.createElement('pipeline-figure') as PipelineFigure;
figure.setAttribute('schedule', '1f1b');
figure.setAttribute('ranks', '4');
figure.setAttribute('microbatches', '8');
document.body.append(figure);
const lives: boolean = await figure.ready;
try {
    engine.simulate({ ranks: 0 });
} catch (error) {
    if (!(error instanceof PipelineError)) throw error;
    const fixes: { option: string; value: string }[] = error.fixes;
    document.title = [makespan, starts.length, lives, fixes.length].join(' ');
}
`;
for (const [file, name] of [
    ['main.ts', 'pipeline-figure'],
    ['slim.ts', 'pipeline-figure/slim'],
])
    writeFileSync(join(project, file), main(name));
const wrong = `${main('pipeline-figure')}const bad: string = simulation.summary.makespan;\n`;
writeFileSync(join(project, 'wrong.ts'), wrong);

const out = join(project, 'out');
rmSync(out, { recursive: true, force: true });
const page = (/** @type {string} */ script) =>
    `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>…</title><script type="module" src="${script}"></script></head><body></body></html>`;

/** @param {string} entry @param {'bundler' | 'nodenext'} resolution */
function types(entry, resolution) {
    const module = resolution === 'bundler' ? 'esnext' : 'nodenext';
    execFileSync(
        join(project, 'node_modules/.bin/tsc'),
        [
            '--ignoreConfig',
            '--noEmit',
            '--strict',
            '--target',
            'es2022',
            '--module',
            module,
            '--moduleResolution',
            resolution,
            entry,
        ],
        { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
    );
}

/** Types stripped, for the bundlers that do not. @param {string} entry */
async function plain(entry) {
    const { transform } = await load('esbuild');
    const { readFileSync } = await import('node:fs');
    const { code } = await transform(readFileSync(join(project, entry), 'utf8'), { loader: 'ts' });
    const file = join(project, entry.replace('.ts', '.mjs'));
    writeFileSync(file, code);
    return file;
}

/** @type {Record<string, (entry: string, to: string) => Promise<void>>} */
const bundlers = {
    async esbuild(entry, to) {
        const { build } = await load('esbuild');
        await build({
            entryPoints: [join(project, entry)],
            bundle: true,
            format: 'esm',
            target: 'es2022',
            outfile: join(to, 'bundle.js'),
            logLevel: 'silent',
        });
        // esbuild leaves new URL(…) as it is: the files go beside the bundle by hand.
        if (entry === 'slim.ts') copyCores(to);
        writeFileSync(join(to, 'index.html'), page('bundle.js'));
    },
    async vite(entry, to) {
        const { build } = await load('vite');
        writeFileSync(join(project, 'index.html'), page(`/${entry}`));
        await build({
            root: project,
            logLevel: 'silent',
            base: './',
            build: { outDir: to, emptyOutDir: true, target: 'es2022' },
        });
    },
    async rollup(entry, to) {
        const [{ rollup }, { nodeResolve }] = [await load('rollup'), await load('@rollup/plugin-node-resolve')];
        const bundle = await rollup({ input: await plain(entry), plugins: [nodeResolve({ browser: true })] });
        await bundle.write({ file: join(to, 'bundle.js'), format: 'es' });
        await bundle.close();
        if (entry === 'slim.ts') copyCores(to);
        writeFileSync(join(to, 'index.html'), page('bundle.js'));
    },
    async webpack(entry, to) {
        const { default: webpack } = await load('webpack');
        const options = {
            mode: 'production',
            context: project,
            entry: await plain(entry),
            output: { path: to, filename: 'bundle.js', module: true, publicPath: 'auto' },
            experiments: { outputModule: true },
            performance: { hints: false },
        };
        await new Promise((done, broken) => {
            webpack(options, (/** @type {any} */ error, /** @type {any} */ stats) => {
                if (error || stats.hasErrors()) broken(error ?? new Error(stats.toString('errors-only')));
                else done(undefined);
            });
        });
        writeFileSync(join(to, 'index.html'), page('bundle.js'));
    },
};

let passed = 0;
let failed = 0;
/** @param {string} name @param {() => unknown} work */
async function check(name, work) {
    try {
        await work();
        passed += 1;
        console.log(`ok      ${name}`);
    } catch (error) {
        failed += 1;
        const { stdout, stderr } = /** @type {any} */ (error);
        console.log(`failed  ${name}: ${stdout || stderr || error}`);
    }
}

for (const resolution of /** @type {const} */ (['bundler', 'nodenext'])) {
    for (const entry of ['main.ts', 'slim.ts'])
        await check(`types of ${entry}, ${resolution}`, () => types(entry, resolution));
}
await check('types are not any', () => {
    try {
        types('wrong.ts', 'bundler');
    } catch (error) {
        if (/TS2322/.test(/** @type {any} */ (error).stdout)) return;
        throw error;
    }
    throw new Error('a number passes for a string');
});
await check('node', () => {
    const code = `import { loadEngine } from 'pipeline-figure';
        const { summary } = (await loadEngine()).simulate({ schedule: 'gpipe', ranks: 4, microbatches: 8 });
        if (summary.makespan !== 33) throw new Error(String(summary.makespan));`;
    execFileSync(process.execPath, ['--input-type=module', '-e', code], {
        cwd: project,
        encoding: 'utf8',
        stdio: 'pipe',
    });
});
await check('command line', () => {
    const got = execFileSync(join(project, 'node_modules/.bin/pipeline-figure'), ['simulate', '-s', 'gpipe'], {
        cwd: project,
        encoding: 'utf8',
        stdio: 'pipe',
    });
    if (!/gpipe/i.test(got)) throw new Error(got);
});

const browser = await launch();
try {
    for (const [name, bundle] of Object.entries(bundlers)) {
        for (const entry of ['main.ts', 'slim.ts']) {
            await check(`${name}, ${entry}`, async () => {
                const to = join(out, `${name}-${entry.replace('.ts', '')}`);
                mkdirSync(to, { recursive: true });
                await bundle(entry, to);
                const site = await serve(to);
                const tab = await browser.newPage();
                /** @type {string[]} */
                const complaints = [];
                tab.on('pageerror', (error) => complaints.push(String(error)));
                try {
                    await tab.goto(site.url);
                    await tab.waitForFunction(() => document.title !== '…', { timeout: 10_000 }).catch(() => {});
                    const title = await tab.title();
                    if (title !== '33 64 true 1' || complaints.length > 0) throw new Error(`${title} ${complaints}`);
                } finally {
                    await tab.close();
                    await site.close();
                }
            });
        }
    }
} finally {
    await browser.close();
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
