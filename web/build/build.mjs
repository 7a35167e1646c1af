// Makes dist/ from the linked core (build/wasm/core.wasm) and the modules of web/. Started by build.sh.
//
// web/figure/index.js imports the core from 'pipeline-figure/core-bytes', which is
//     pipeline-figure.iife.js   the bytes, inlined    classic script, defines the element; the one script tag
//     pipeline-figure.js        the bytes, inlined    the same as a module
//     pipeline-figure.slim.js   a URL                 module; lit and core.wasm stay outside
//     pipeline-figure.anywidget.mjs   the bytes, inlined    module for notebooks and MyST
//     pipeline-figure.nowasm.js       nothing; the core is JavaScript     classic script, where WebAssembly is forbidden
// and in Node web/engine/core-bytes-node.js; 'pipeline-figure/madd-bytes' is, in the same way, the products with relaxed multiply-add, where
// the compiler has that. Bundles that are figures and nothing else carry a core that writes no communication into files.
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, transform } from 'esbuild';
import { minify } from 'terser';
import en from '../words/strings.en.js';
import ru from '../words/strings.ru.js';
import { lift, settle } from './lift.mjs';
import { linesOf, pack, packTexts } from './pack.mjs';
import { trimWasm } from './trim-wasm.mjs';
import { wasmToJs } from './wasm-to-js.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const dist = join(root, 'dist');
const core = join(dist, 'core.wasm');
const sizes = {};
const bundled = new Set(); // packages with code or data inside a bundle

function report(name) {
    const bytes = readFileSync(join(dist, name));
    sizes[name] = { raw: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length };
    const columns = [name.padEnd(29), `${sizes[name].raw} bytes`.padStart(14), `${sizes[name].gzip} gzip`.padStart(13)];
    console.log(columns.join(' '));
}

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
copyFileSync(join(root, 'build/wasm/core.wasm'), core);
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const compiler = readFileSync(join(root, 'build/wasm/compiler.txt'), 'utf8').trim();
const sha256 = createHash('sha256').update(readFileSync(core)).digest('hex');
console.log(`core.wasm by ${compiler}, sha256 ${sha256}`);
report('core.wasm');
// Where the compiler has relaxed multiply-add.
const maddBuilt = join(root, 'build/wasm/core_madd.wasm');
if (existsSync(maddBuilt)) {
    copyFileSync(maddBuilt, join(dist, 'core.madd.wasm'));
    report('core.madd.wasm');
}

// Style sheets are text to the element, which adopts them; esbuild's own loader for text would leave them at full length.
const styles = {
    name: 'styles',
    setup({ onLoad }) {
        onLoad({ filter: /\.css$/ }, async ({ path }) => {
            // figure.css is cut at its comments for SVG files (standaloneCss in svg.js), and stays as it was written.
            if (path.endsWith('figure.css')) return { contents: readFileSync(path, 'utf8'), loader: 'text' };
            const { code } = await transform(readFileSync(path, 'utf8'), {
                loader: 'css',
                minify: true,
                target: 'es2022',
            });
            return { contents: code, loader: 'text' };
        });
    },
};

// What is packed comes first in a script: between two pieces of code it would push the one out of the other's window, which a
// compressed transfer pays with some 3 kB. Until the script is whole, a name stands for it.
const payloads = new Map();
const payload = (name, text) => {
    payloads.set(name, text);
    return name;
};
// What the texts of a bundle become is known when it is whole.
const TEXT = ['$text', '$size', '$letters'];
async function finish(path, shrinks) {
    let code = readFileSync(path, 'utf8');
    if (shrinks) {
        const options = {
            ecma: 2020,
            module: path.endsWith('.mjs'),
            compress: { passes: 3 },
            format: { preamble: banner },
        };
        code = (await minify(code, options)).code;
    }
    // Whole names: $core begins $core_madd, too.
    const names = new Set(code.match(/[\w$]+/g));
    const used = [...payloads].filter(([name]) => names.has(name)).map(([name, text]) => `${name}="${text}"`);
    if (code.includes(TEXT[0])) {
        const settled = settle(code, TEXTS.length);
        code = settled.code;
        packedTexts = packTexts([...(await ownTexts()), ...settled.texts]);
        const { text, size, letters } = packedTexts;
        used.push(...[text, size, letters].map((value, i) => `${TEXT[i]}=${ascii(JSON.stringify(value))}`));
    }
    used.sort((a, b) => b.length - a.length); // modules are read in any order
    const head = used.length === 0 ? '' : `var ${used.join()};`;
    // A classic script has a scope of its own; in a module everything has.
    const at = path.endsWith('.js') && /=\(\(\)=>\{/.exec(code);
    const begin = at && !/^import|\bexport\{/m.test(code) ? at.index + at[0].length : banner.length;
    writeFileSync(path, code.slice(0, begin) + head + code.slice(begin));
}

// The core inlined, and unpacked when it is asked for. Packing takes seconds, so each core is packed once.
const packed = new Map();
const machine = readFileSync(join(root, 'build/wasm/unpack.wasm')).toString('base64');
const bytes = {
    name: 'bytes',
    setup({ onLoad }) {
        onLoad({ filter: /\.wasm$/ }, ({ path }) => {
            if (!packed.has(path)) packed.set(path, pack(readFileSync(path)));
            const { text, sizes } = packed.get(path);
            return {
                contents: `import { unpack } from './core-text.js';
                    export default Object.assign(() => unpack(${payload(`$${basename(path, '.wasm')}`, text)}, ${JSON.stringify(sizes)}, ${payload('$unpack', machine)}),
                        { byteLength: ${readFileSync(path).length} });`,
                loader: 'js',
                resolveDir: join(root, 'web/build'),
            };
        });
    },
};

// Texts and style sheets of a classic script, packed together. Modules keep them as they are: who bundles, compresses.
let packedTexts = null;
const TEXTS = ['keys', 'strings.en.js', 'strings.ru.js', 'element.css', 'figure.css'];
async function ownTexts() {
    const keys = Object.keys(en);
    const { code } = await transform(readFileSync(join(root, 'web/figure/element.css'), 'utf8'), {
        loader: 'css',
        minify: true,
        target: 'es2022',
    });
    const figureCss = readFileSync(join(root, 'web/scene/figure.css'), 'utf8');
    return [keys.join('\n'), linesOf(en, keys), linesOf(ru, keys), code, figureCss];
}
/** Beyond ASCII, as a classic script tells it in a page of any encoding. @param {string} text */
const ascii = (text) => text.replace(/[^\0-\x7f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
/** What unpacks the texts has none of them; the tables are among them. */
const UNLIFTED = /[\\/](core-text|unmix|wasm-streams|strings\.(en|ru))\.js$/;
const textsWith = (machine) => ({
    name: 'texts',
    setup({ onLoad, onResolve }) {
        onResolve({ filter: /^packed-texts$/ }, () => ({ path: 'texts', namespace: 'packed' }));
        onLoad({ filter: /.*/, namespace: 'packed' }, () => ({
            contents: `import { unpackTexts } from './core-text.js';
                export default unpackTexts(${TEXT}${machine && `, ${payload('$unpack', machine)}`});`,
            loader: 'js',
            resolveDir: join(root, 'web/build'),
        }));
        onLoad({ filter: /[\\/]web[\\/][\w-]+[\\/][\w-]*\.js$/ }, ({ path }) => {
            if (UNLIFTED.test(path)) return undefined;
            const code = lift(readFileSync(path, 'utf8'), basename(path));
            return {
                contents: code.includes('lifted[') ? `import lifted from 'packed-texts';\n${code}` : code,
                loader: 'js',
            };
        });
        onLoad({ filter: /[\\/]web[\\/][\w-]+[\\/](strings\.(en|ru)\.js|(element|figure)\.css)$/ }, ({ path }) => {
            const at = TEXTS.indexOf(basename(path));
            const value = at < 3 ? `tableOf(texts[0], texts[${at}])` : `texts[${at}]`;
            return {
                contents: `import texts from 'packed-texts'; import { tableOf } from './core-text.js'; export default ${value};`,
                loader: 'js',
                resolveDir: join(root, 'web/build'),
            };
        });
    },
});
const texts = textsWith(machine);

// The core that figures carry: it reads files, and writes no communication into them. As JavaScript, which has no SIMD, it stays in build/ for the tests.
const figureCore = join(root, 'build/wasm/figure.wasm');
const modules = readdirSync(join(root, 'web'), { recursive: true }).filter((name) => name.endsWith('.js'));
const callers = modules.map((name) => readFileSync(join(root, 'web', name), 'utf8')).join('\n');
writeFileSync(figureCore, trimWasm(readFileSync(join(root, 'build/wasm/core_figure.wasm')), callers));
const coreJs = join(root, 'build/wasm/core.mjs');
writeFileSync(coreJs, wasmToJs(join(root, 'build/wasm/core_scalar.wasm')));

const banner = `/* Pipeline Figure ${version}, MIT. Parts of others: THIRD_PARTY_LICENSES. */`;
const common = {
    entryPoints: [join(root, 'web/figure/index.js')],
    bundle: true,
    minify: true,
    target: 'es2022',
    conditions: ['production'],
    define: { PIPELINE_FIGURE_VERSION: JSON.stringify(version) },
    plugins: [styles, bytes],
    legalComments: 'eof',
    banner: { js: banner },
    metafile: true,
    logLevel: 'warning', // prints errors too; a build that fails has said why
};
const noMadd = join(root, 'web/engine/madd-bytes-none.js');
const carries = (core, madd) => ({
    'pipeline-figure/core-bytes': core,
    'pipeline-figure/madd-bytes': existsSync(maddBuilt) ? madd : noMadd,
});
const inlined = carries(core, maddBuilt);
const figure = carries(figureCore, maddBuilt);
const apart = carries(join(root, 'web/engine/core-bytes-url.js'), join(root, 'web/engine/madd-bytes-url.js'));
// Modules are always read as UTF-8; a classic script in a page of another encoding is not, and stays ASCII.
// The module with everything inside may be imported where there is no page (server rendering): lit has files for Node
// that run in both, and "neutral" keeps esbuild from preferring those that do not.
const anywhere = { platform: 'neutral', mainFields: ['module', 'main'], conditions: ['production', 'node'] };
const bundles = {
    'pipeline-figure.iife.js': {
        format: 'iife',
        globalName: 'PipelineFigure',
        alias: figure,
        plugins: [texts, styles, bytes],
    },
    'pipeline-figure.js': { format: 'esm', charset: 'utf8', alias: inlined, ...anywhere },
    'pipeline-figure.slim.js': { format: 'esm', charset: 'utf8', alias: apart, external: ['lit', 'lit/*'] },
    'pipeline-figure.anywidget.mjs': {
        entryPoints: [join(root, 'web/figure/anywidget.js')],
        format: 'esm',
        charset: 'utf8',
        alias: figure,
        plugins: [texts, styles, bytes],
    },
    'pipeline-figure.nowasm.js': {
        entryPoints: [join(root, 'web/build/nowasm.js')],
        format: 'iife',
        globalName: 'PipelineFigure',
        plugins: [textsWith(''), styles, bytes],
        alias: {
            'pipeline-figure/core-bytes': join(root, 'web/engine/core-bytes-none.js'),
            'pipeline-figure/madd-bytes': noMadd,
            'pipeline-figure/core-js': coreJs,
        },
        inject: [join(root, 'web/build/nowasm-stand-in.js')],
    },
};
const parts = {}; // bytes of each input inside a bundle
for (const [name, options] of Object.entries(bundles)) {
    const { metafile } = await build({ ...common, ...options, outfile: join(dist, name) }).catch(() => process.exit(1));
    for (const [, name] of Object.keys(metafile.inputs)
        .join('\n')
        .matchAll(/node_modules\/((?:@[^/]*\/)?[^/]*)\//g)) {
        bundled.add(name);
    }
    await finish(join(dist, name), /iife|anywidget/.test(name));
    report(name);
    parts[name] = Object.values(metafile.outputs)[0].inputs;
}
parts.packed = Object.fromEntries(
    [
        ['core_figure.wasm', packed.get(figureCore).text],
        ['texts and styles', packedTexts.text],
    ].map(([name, text]) => [name, Math.round(text.length * 0.75)]),
);
writeFileSync(join(root, 'build/parts.json'), JSON.stringify(parts)); // read by scripts/sizes.mjs

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

writeFileSync(
    join(dist, 'build-info.json'),
    `${JSON.stringify({ version, compiler, core: { sha256 }, bundled: [...bundled].sort(), sizes }, null, 2)}\n`,
);

for (const name of ['LICENSE', 'THIRD_PARTY_LICENSES']) copyFileSync(join(root, name), join(dist, name));

// The static figures and the page come from the same core, in Node, which finds it in dist/ by now.
const { buildPage, staticFigures } = await import('../page/static.js');
await staticFigures(dist);
await buildPage(dist);
const { buildGallery } = await import('../page/gallery.js');
await buildGallery(dist);
