// What npm would publish, and how large the one script is.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { withoutMadd } from '../support/optional.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
// npm may belong to another Node than the one that runs the tests, and is then found on the PATH from before set-up.
const env = { ...process.env, PATH: process.env.PP_NPM_PATH ?? process.env.PATH };
const [packed] = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
        cwd: root,
        env,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
    }),
);
const files = new Set(packed.files.map(({ path }) => path));

/** Files of the repository that a module of it loads, the module itself first. */
function closure(start, seen = new Set()) {
    if (seen.has(start)) return seen;
    seen.add(start);
    const text = readFileSync(join(root, start), 'utf8');
    for (const [, specifier] of text.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*|new URL\(\s*)'(\.[^']*)'/g)) {
        const file = join(dirname(start), specifier);
        if (!statSync(join(root, file), { throwIfNoEntry: false })?.isFile()) continue;
        if (file.endsWith('.js')) closure(file, seen);
        else seen.add(file);
    }
    return seen;
}

test('the package holds the bundles, the core, the licences and the manual', () => {
    const wanted = [
        'dist/pipeline-figure.js',
        'dist/pipeline-figure/core.js',
        'dist/pipeline-figure/training.js',
        'dist/pipeline-figure.whole.js',
        'dist/module/index.js',
        'dist/slim/index.js',
        'dist/pipeline-figure.nowasm.js',
        'dist/pipeline-figure.anywidget.mjs',
        'dist/embed.html',
        'dist/core.wasm',
        'dist/core.rest.wasm',
        'dist/build-info.json',
        'package.json',
        'LICENSE',
        'README.md',
        'THIRD_PARTY_LICENSES',
    ];
    assert.deepEqual(
        wanted.filter((file) => !files.has(file)),
        [],
    );
});

/** Paths in a value of package.json, however deep. */
function paths(value) {
    return typeof value === 'string' ? [value.replace(/^\.\//, '')] : Object.values(value).flatMap(paths);
}

// core.madd.wasm is there where the compiler has relaxed multiply-add.
const { sizes } = JSON.parse(readFileSync(join(root, 'dist/build-info.json'), 'utf8'));
const named = paths([manifest.exports, manifest.bin]).filter(
    (file) => file !== 'dist/core.madd.wasm' || 'core.madd.wasm' in sizes,
);

test('every file that package.json names is in the package', () => {
    assert.ok(named.length > 3);
    assert.deepEqual(
        named.filter((file) => !files.has(file)),
        [],
    );
});

test('what Node loads, by name or as the command line, is in the package with all that it loads', () => {
    const needed = named.filter((file) => file.startsWith('web/')).flatMap((file) => [...closure(file)]);
    assert.ok(needed.includes('web/cli.js') && needed.includes('dist/core.wasm'));
    assert.deepEqual(
        needed.filter((file) => !files.has(file)),
        [],
    );
});

test('the package holds no tests, sources of the core or leftovers of the build', () => {
    const unwanted = [...files].filter((path) => /^(tests|build|c_src|scripts|node_modules)\//.test(path));
    assert.deepEqual(unwanted, []);
});

test('a script for notebooks and the page in one file weigh what the whole script weighs, and each core is in it once', () => {
    const script = sizes['pipeline-figure.whole.js'].gzip;
    for (const name of ['pipeline-figure.anywidget.mjs', 'embed.html'])
        assert.ok(sizes[name].gzip < script + 2000, `${name}: ${sizes[name].gzip} bytes, the script ${script}`);
});

test('EMB-02: embed.html is whole: it asks for no other file, and no text in it ends a script early', () => {
    const html = readFileSync(join(root, 'dist/embed.html'), 'utf8');
    assert.equal(html.match(/<\/script/g)?.length, 2);
    assert.doesNotMatch(html, /<script[^>]+src=|<link/);
    assert.ok(html.includes('pipeline-figure:resize'));
});

test('docs/recipes.md names files that are there', () => {
    const recipes = readFileSync(join(root, 'docs/recipes.md'), 'utf8');
    const files = [...recipes.matchAll(/`((?:pipeline-figure|embed|core)\.[\w.]+)`/g)].map(([, name]) => name);
    assert.ok(files.length > 8);
    const made = withoutMadd ? files.filter((name) => name !== 'core.madd.wasm') : files;
    assert.deepEqual(
        made.filter((name) => !(name in sizes)),
        [],
    );
});

test('the lock file names no registry', () => {
    assert.doesNotMatch(readFileSync(join(root, 'package-lock.json'), 'utf8'), /"resolved"|https?:\/\/[^"]*\.tgz/);
});

test('every package inside a bundle has its licence in THIRD_PARTY_LICENSES', () => {
    const { bundled } = JSON.parse(readFileSync(join(root, 'dist/build-info.json'), 'utf8'));
    const licences = readFileSync(join(root, 'THIRD_PARTY_LICENSES'), 'utf8');
    assert.ok(bundled.includes('lit'));
    assert.deepEqual(
        bundled.filter((name) => !licences.includes(name)),
        [],
    );
});
