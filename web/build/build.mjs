// Makes dist/ from the linked core (build/wasm/*.wasm) and the modules of web/: the list of what comes out. Started by build.sh.
//
// The modules import the core from 'pipeline-figure/core-bytes', which is, in
//     pipeline-figure.iife.js         its bytes, inlined        classic script, defines the element; the one script tag
//     pipeline-figure.js              its bytes, inlined        the same as a module
//     pipeline-figure.slim.js         a URL                     module; lit and core.wasm stay outside
//     pipeline-figure.anywidget.mjs   its bytes, inlined        module for notebooks and MyST
//     pipeline-figure.nowasm.js       nothing; the core is JavaScript      classic script, where WebAssembly is forbidden
// and in Node web/engine/core-bytes-node.js; 'pipeline-figure/madd-bytes' is, in the same way, the products with relaxed multiply-add, where
// the compiler has that. Bundles that are figures and nothing else carry a core that writes no communication into files.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateSync, gzipSync } from 'node:zlib';
import { build, transform } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = join(root, 'dist');
const wasm = (/** @type {string} */ name) => join(root, 'build/wasm', `${name}.wasm`);
const web = (/** @type {string} */ name) => join(root, 'web', name);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const sizes = {};

function report(name) {
    const bytes = readFileSync(join(dist, name));
    sizes[name] = { raw: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length };
    const columns = [name.padEnd(29), `${sizes[name].raw} bytes`.padStart(14), `${sizes[name].gzip} gzip`.padStart(13)];
    console.log(columns.join(' '));
}

// ---- the core ----

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
copyFileSync(wasm('core'), join(dist, 'core.wasm'));
const compiler = readFileSync(join(root, 'build/wasm/compiler.txt'), 'utf8').trim();
const sha256 = createHash('sha256')
    .update(readFileSync(wasm('core')))
    .digest('hex');
console.log(`core.wasm by ${compiler}, sha256 ${sha256}`);
report('core.wasm');
const hasMadd = existsSync(wasm('core_madd'));
if (hasMadd) {
    copyFileSync(wasm('core_madd'), join(dist, 'core.madd.wasm'));
    report('core.madd.wasm');
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
const script = { format: 'iife', globalName: 'PipelineFigure' };
const module = { format: 'esm' };
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
// The module with everything inside may be imported where there is no page (server rendering): lit has files for Node
// that run in both, and "neutral" keeps esbuild from preferring those that do not.
const anywhere = { platform: 'neutral', mainFields: ['module', 'main'], conditions: ['production', 'node'] };
const carries = (core, madd) => ({
    'pipeline-figure/core-bytes': core,
    'pipeline-figure/madd-bytes': hasMadd ? madd : web('engine/madd-bytes-none.js'),
});
const inlined = carries(wasm('core'), wasm('core_madd'));
const figure = carries(wasm('core_figure'), wasm('core_madd'));
const apart = carries(web('engine/core-bytes-url.js'), web('engine/madd-bytes-url.js'));
const plain = {
    ...carries(web('engine/core-bytes-none.js'), web('engine/madd-bytes-none.js')),
    'pipeline-figure/core-js': coreJs,
    env: web('build/nowasm-env.js'),
};

const outputs = {
    'pipeline-figure.iife.js': { ...script, alias: figure },
    'pipeline-figure.js': { ...module, ...anywhere, alias: inlined },
    'pipeline-figure.slim.js': { ...module, alias: apart, external: ['lit', 'lit/*'] },
    'pipeline-figure.anywidget.mjs': { ...module, alias: figure, entryPoints: [web('figure/anywidget.js')] },
    'pipeline-figure.nowasm.js': {
        ...script,
        alias: plain,
        entryPoints: [web('build/nowasm.js')],
        inject: [web('build/nowasm-stand-in.js')],
    },
    // What the chapter page does beside its figures.
    'chapter.js': { format: 'iife', entryPoints: [web('page/lesson/chapter.js')] },
};
const parts = {}; // bytes of each input inside an output
for (const [name, options] of Object.entries(outputs)) {
    const { metafile } = await build({ ...common, ...options, outfile: join(dist, name) }).catch(() => process.exit(1));
    parts[name] = Object.values(metafile.outputs)[0].inputs;
    toAscii(name);
    report(name);
}
writeFileSync(join(root, 'build/parts.json'), JSON.stringify(parts)); // read by scripts/sizes.mjs

// ---- pages ----

// A whole page in one file, for frames.
const page = (name) => readFileSync(join(root, 'web/page', name), 'utf8');
const inScript = (text) => text.replaceAll('</script', '<\\/script').trim();
const { code: embedCode } = await transform(page('embed.js'), { minify: true, target: 'es2022' });
const embedParts = {
    script: inScript(readFileSync(join(dist, 'pipeline-figure.iife.js'), 'utf8')),
    embed: inScript(embedCode),
};
writeFileSync(
    join(dist, 'embed.html'),
    page('embed.html').replace(/\{\{(\w+)\}\}/g, (_, part) => embedParts[part]),
);
report('embed.html');

// Packages with code or data inside a bundle.
const packages = JSON.stringify(parts).matchAll(/node_modules\/((?:@[^/]*\/)?[^/]*)\//g);
const bundled = [...new Set(Array.from(packages, ([, name]) => name))].sort();
writeFileSync(
    join(dist, 'build-info.json'),
    `${JSON.stringify({ version, compiler, core: { sha256 }, bundled, sizes }, null, 2)}\n`,
);
for (const name of ['LICENSE', 'THIRD_PARTY_LICENSES']) copyFileSync(join(root, name), join(dist, name));

// The static figures and the page come from the same core, in Node, which finds it in dist/ by now.
const { buildPage, staticFigures } = await import('../page/static.js');
await staticFigures(dist);
await buildPage(dist);
const { buildGallery } = await import('../page/gallery.js');
await buildGallery(dist);
