// Makes dist/ from the linked core (build/wasm/*.wasm) and the modules of web/: the list of what comes out. Started by build.sh.
//
//     pipeline-figure.js              classic script, defines the element; its parts come when they are opened, from
//     pipeline-figure/*.js            classic scripts that it adds to the page
//     pipeline-figure.whole.js        the same with everything inside
//     pipeline-figure.nowasm.js       the same where WebAssembly is forbidden: the core is JavaScript
//     pipeline-figure.anywidget.mjs   module for notebooks and MyST, with everything inside
//     module/                         modules; parts are chunks that index.js imports when they are opened
//     slim/                           the same; lit and the compiled core stay outside
//
// What the modules call 'pipeline-figure/…' is chosen here: whether the bytes of the core are inlined or in a file, how parts come,
// and which texts are there from the start. In Node package.json chooses.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateSync, gzipSync } from 'node:zlib';
import { build, transform } from 'esbuild';
import { scriptWithParts } from './script-with-parts.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = join(root, 'dist');
const wasm = (/** @type {string} */ name) => join(root, 'build/wasm', `${name}.wasm`);
const web = (/** @type {string} */ name) => join(root, 'web', name);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const sizes = {};

function report(name) {
    const bytes = readFileSync(join(dist, name));
    sizes[name] = { raw: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length };
    const columns = [name.padEnd(32), `${sizes[name].raw} bytes`.padStart(14), `${sizes[name].gzip} gzip`.padStart(13)];
    console.log(columns.join(' '));
}

// ---- the core ----

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
const compiler = readFileSync(join(root, 'build/wasm/compiler.txt'), 'utf8').trim();
const hasMadd = existsSync(wasm('core_madd'));
const core = {};
for (const name of ['core', 'core.rest', ...(hasMadd ? ['core.madd'] : [])]) {
    const built = wasm(name.replace('.', '_'));
    copyFileSync(built, join(dist, `${name}.wasm`));
    core[name] = createHash('sha256').update(readFileSync(built)).digest('hex');
    console.log(`${name}.wasm by ${compiler}, sha256 ${core[name]}`);
    report(`${name}.wasm`);
}
// As JavaScript, by Binaryen, which every Emscripten brings along; what a newer Emscripten uses unasked wasm2js can take back.
const features = ['--enable-mutable-globals', '--enable-sign-ext', '--enable-bulk-memory'];
const coreJs = join(root, 'build/wasm/core.mjs');
const wasm2js = process.env.PP_WASM2JS || 'wasm2js';
execFileSync(wasm2js, [wasm('core_scalar'), '-O', ...features, '-o', coreJs], {
    stdio: ['ignore', 'ignore', 'inherit'],
});

// ---- the scripts ----

/** Style sheets are text to the element, which adopts them; esbuild's own loader for text would leave them at full length. */
const styles = {
    name: 'styles',
    setup({ onLoad }) {
        onLoad({ filter: /\.css$/ }, async ({ path }) => {
            const text = readFileSync(path, 'utf8');
            // figure.css is cut at its comments for SVG files (standaloneCss in svg.js), and stays as it was written.
            if (path.endsWith('figure.css')) return { contents: text, loader: 'text' };
            const { code } = await transform(text, { loader: 'css', minify: true, target: 'es2022' });
            return { contents: code, loader: 'text' };
        });
    },
};

/** A compiled module inside a script: deflated, and inflated when it is asked for. */
const bytes = {
    name: 'bytes',
    setup({ onLoad }) {
        onLoad({ filter: /\.wasm$/ }, ({ path }) => {
            const content = readFileSync(path);
            const text = deflateSync(content, { level: 9 }).toString('base64');
            return {
                contents: `import { inflated } from './inflate.js';
                    export default Object.assign(() => inflated('${text}'), { byteLength: ${content.length} });`,
                loader: 'js',
                resolveDir: join(root, 'web/engine'),
            };
        });
    },
};

const common = {
    entryPoints: [web('figure/index.js')],
    bundle: true,
    minify: true,
    target: 'es2022',
    conditions: ['production'],
    define: { PIPELINE_FIGURE_VERSION: JSON.stringify(version) },
    plugins: [styles, bytes],
    legalComments: 'eof',
    banner: { js: `/* Pipeline Figure ${version}, MIT. Parts of others: THIRD_PARTY_LICENSES. */` },
    metafile: true,
    logLevel: 'warning', // prints errors too; a build that fails has said why
};
const inlined = {
    'pipeline-figure/core-bytes': wasm('core'),
    'pipeline-figure/rest-bytes': wasm('core_rest'),
    'pipeline-figure/madd-bytes': hasMadd ? wasm('core_madd') : web('engine/madd-bytes-none.js'),
    'pipeline-figure/fetch-part': web('figure/parts/by-import.js'),
    'pipeline-figure/words': web('words/russian.js'),
};
const apart = {
    ...inlined,
    'pipeline-figure/core-bytes': web('engine/core-bytes-url.js'),
    'pipeline-figure/rest-bytes': web('engine/rest-bytes-url.js'),
    'pipeline-figure/madd-bytes': web(`engine/madd-bytes-${hasMadd ? 'url' : 'none'}.js`),
};
const plain = {
    ...inlined,
    'pipeline-figure/core-bytes': web('engine/core-bytes-none.js'),
    'pipeline-figure/rest-bytes': web('engine/rest-bytes-none.js'),
    'pipeline-figure/madd-bytes': web('engine/madd-bytes-none.js'),
    'pipeline-figure/core-js': coreJs,
    env: web('build/nowasm-env.js'),
};
const script = { format: 'iife', globalName: 'PipelineFigure', alias: inlined };
const modules = { format: 'esm', splitting: true, entryNames: 'index', chunkNames: '[name]-[hash]' };
// Modules with everything inside may be imported where there is no page (server rendering): lit has files for Node
// that run in both, and "neutral" keeps esbuild from preferring those that do not.
const anywhere = { platform: 'neutral', mainFields: ['module', 'main'], conditions: ['production', 'node'] };

/**
 * A script as ASCII: pages name no encoding, or another, and what is read in theirs must come out right. esbuild escapes
 * strings, but neither regular expressions nor templates, where an escape means the same.
 * @param {string} name
 */
function toAscii(name) {
    const code = readFileSync(join(dist, name), 'utf8');
    const escaped = (/** @type {string} */ letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
    writeFileSync(join(dist, name), code.replace(/[^\0-\x7f]/g, escaped));
}

const inputs = {}; // bytes of each input inside an output
const finish = (name) => {
    toAscii(name);
    report(name);
};
/** @param {string} name  in dist/ @param {import('esbuild').BuildOptions} options */
async function output(name, options) {
    const to = options.splitting ? { outdir: join(dist, name) } : { outfile: join(dist, name) };
    const { metafile } = await build({ ...common, ...options, ...to });
    for (const [path, { inputs: of }] of Object.entries(metafile.outputs)) {
        const file = relative(dist, join(process.cwd(), path));
        inputs[file] = of;
        finish(file);
    }
}

const panels = ['editing', 'files', 'teaching', 'training'];
const parts = [
    ...['core', 'english'].map((name) => web(`parts/${name}.js`)),
    ...panels.map((name) => web(`figure/parts/${name}.js`)),
];
await scriptWithParts({ ...common, ...script }, { parts, outdir: dist, name: 'pipeline-figure', finish });
await output('pipeline-figure.whole.js', script);
await output('pipeline-figure.nowasm.js', {
    ...script,
    alias: plain,
    entryPoints: [web('build/nowasm.js')],
    inject: [web('build/nowasm-stand-in.js')],
});
await output('pipeline-figure.anywidget.mjs', {
    format: 'esm',
    alias: inlined,
    entryPoints: [web('figure/anywidget.js')],
});
await output('module', { ...modules, ...anywhere, alias: inlined });
// What the chapter page does beside its figures.
await output('chapter.js', { format: 'iife', entryPoints: [web('page/lesson/chapter.js')] });
await output('slim', { ...modules, alias: apart, external: ['lit', 'lit/*'] });
writeFileSync(join(root, 'build/parts.json'), JSON.stringify(inputs)); // read by scripts/sizes.mjs

// ---- pages ----

// A whole page in one file, for frames.
const page = (name) => readFileSync(join(root, 'web/page', name), 'utf8');
const inScript = (text) => text.replaceAll('</script', '<\\/script').trim();
const { code: embedCode } = await transform(page('embed.js'), { minify: true, target: 'es2022' });
const embedParts = {
    script: inScript(readFileSync(join(dist, 'pipeline-figure.whole.js'), 'utf8')),
    embed: inScript(embedCode),
};
writeFileSync(
    join(dist, 'embed.html'),
    page('embed.html').replace(/\{\{(\w+)\}\}/g, (_, part) => embedParts[part]),
);
report('embed.html');

// Packages with code or data inside a bundle.
const packages = JSON.stringify(inputs).matchAll(/node_modules\/((?:@[^/]*\/)?[^/]*)\//g);
const bundled = [...new Set(Array.from(packages, ([, name]) => name))].sort();
writeFileSync(
    join(dist, 'build-info.json'),
    `${JSON.stringify({ version, compiler, core: { sha256: core.core, rest: core['core.rest'] }, bundled, sizes }, null, 2)}\n`,
);
for (const name of ['LICENSE', 'THIRD_PARTY_LICENSES']) copyFileSync(join(root, name), join(dist, name));

// The static figures and the page come from the same core, in Node, which finds it in dist/ by now.
const { buildPage, staticFigures } = await import('../page/static.js');
await staticFigures(dist);
await buildPage(dist);
const { buildGallery } = await import('../page/gallery.js');
await buildGallery(dist);
