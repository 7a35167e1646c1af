// npm run test:generators: docs/recipes.md carried out. For each section the files it shows are written to a folder, the
// generator runs, and what comes out is opened in Chromium: the tag must have survived with its picture inside, and live.
// Not part of npm test: the generators are large. scripts/generators.sh installs them.
import { execFileSync } from 'node:child_process';
import {
    copyFileSync,
    cpSync,
    existsSync,
    mkdirSync,
    mkdtempSync,
    readdirSync,
    readFileSync,
    rmSync,
    symlinkSync,
    writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launch } from '../tests/support/browser.mjs';
import { serve } from './serve.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const packages = join(root, 'build/generators/node_modules');
const recipes = readFileSync(join(root, 'docs/recipes.md'), 'utf8');

/** The files a section shows: "In `name`:" and a fenced block. @param {string} title */
function filesOf(title) {
    const section = recipes.split(/^## /m).find((text) => text.startsWith(`${title}\n`));
    if (!section) throw new Error(`docs/recipes.md has no section "${title}"`);
    const blocks = section.matchAll(/In `([^`]+)`[^`]*?(?:`[^`]+`[^`]*?)*:\n\n(`{3,})\w+\n([\s\S]*?)\n\2\n/g);
    return [...blocks].map(([, name, , text]) => ({ name, text }));
}

/**
 * A program from npm, where a project of this kind would have it.
 * @param {string} folder @param {string} name
 */
function npmProgram(folder, name) {
    if (!existsSync(join(folder, 'node_modules'))) symlinkSync(packages, join(folder, 'node_modules'));
    return join(packages, '.bin', name);
}

/** A page around what a generator gave. @param {string} body */
const wrapped = (body) =>
    `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>page</title><script src="/pipeline-figure.js" defer></script></head><body>${body}</body></html>`;

/**
 * @typedef {object} Generator
 * @property {string} section of docs/recipes.md
 * @property {string[]} assets  folders, below the project, that get the script and the picture
 * @property {Record<string, string>} [more]  files every project of this kind has
 * @property {(folder: string, run: (program: string, ...args: string[]) => void) => Promise<void> | void} make
 * @property {string} site  folder that is served
 * @property {string} page
 * @property {string} [start]  a page with a link to it, where a link within the site loads no new document
 * @property {boolean} [bare]  nothing stands inside the tag
 */
/** @type {Generator[]} */
const generators = [
    { section: 'Plain HTML', assets: ['.'], make() {}, site: '.', page: 'page.html' },
    {
        section: 'Sphinx with MyST',
        assets: ['_static'],
        make: (_, run) => run('sphinx-build', '-q', '-b', 'html', '.', 'out'),
        site: 'out',
        page: 'index.html',
    },
    {
        section: 'MkDocs Material',
        assets: ['docs'],
        more: { 'docs/other.md': '# Other\n\n[GPipe](index.md)\n' },
        make: (_, run) => run('mkdocs', 'build', '--quiet', '--site-dir', 'out'),
        site: 'out',
        page: 'index.html',
        start: 'other/',
    },
    {
        section: 'Hugo',
        assets: ['static'],
        more: {
            'config.toml': 'baseURL = "/"\ntitle = "Book"\n',
            'layouts/_default/single.html': wrapped('{{ .Content }}'),
        },
        make: (_, run) => run('hugo', '--quiet', '--destination', 'out'),
        site: 'out',
        page: 'gpipe/',
    },
    {
        section: 'Jekyll',
        assets: ['.'],
        more: { '_config.yml': 'title: Book\n' },
        make: (_, run) => run('jekyll', 'build', '--quiet', '--destination', 'out'),
        site: 'out',
        page: 'index.html',
    },
    {
        section: 'pandoc and Quarto',
        assets: ['.'],
        make(folder, run) {
            const filter = ['--lua-filter', 'paper.lua'];
            run(
                'pandoc',
                'book.md',
                '--standalone',
                '--include-in-header',
                'figure-head.html',
                ...filter,
                '-o',
                'book.html',
            );
            run('pandoc', 'book.md', ...filter, '-t', 'epub3', '-o', 'book.epub');
            run('unzip', '-q', 'book.epub', '-d', 'epub');
            const chapters = readdirSync(join(folder, 'epub/EPUB/text')).map((name) =>
                readFileSync(join(folder, 'epub/EPUB/text', name), 'utf8'),
            );
            const book = chapters.join('\n');
            const image = /<img src="\.\.\/(media\/[^"]+\.svg)"[^>]* alt="GPipe: 33 ticks"/.exec(book)?.[1];
            if (!image || !existsSync(join(folder, 'epub/EPUB', image))) throw new Error('EPUB: no picture');
            if (/<pipeline-figure|<script/.test(book)) throw new Error('EPUB: the tag is in it');
            if (readFileSync(join(folder, 'book.html'), 'utf8').includes('class="paper"'))
                throw new Error('two pictures');
        },
        site: '.',
        page: 'book.html',
    },
    {
        section: 'MDX and Docusaurus',
        assets: ['static'],
        more: { 'package.json': '{ "private": true }', 'src/pages/index.md': '# Book\n\n[GPipe](/docs/gpipe)\n' },
        make: (folder, run) => run(npmProgram(folder, 'docusaurus'), 'build'),
        site: 'build',
        page: 'docs/gpipe/',
        start: '',
    },
    {
        section: 'VitePress',
        assets: ['public'],
        more: { 'index.md': '# Book\n\n[GPipe](./gpipe)\n' },
        make: (folder, run) => run(npmProgram(folder, 'vitepress'), 'build'),
        site: '.vitepress/dist',
        page: 'gpipe.html',
        start: 'index.html',
    },
    {
        section: 'Notebooks and MyST',
        assets: ['.'],
        more: {
            'myst.yml': 'version: 1\nproject:\n  title: Book\nsite:\n  template: ./theme\n',
            // Themes are fetched from the net; this one is only there to be named.
            'theme/template.yml':
                'jtex: v1\ntitle: theme\nversion: 1.0.0\nbuild:\n  install: "true"\n  start: "true"\n',
        },
        make(folder, run) {
            run(npmProgram(folder, 'myst'), 'build', '--site');
            const { mdast } = JSON.parse(readFileSync(join(folder, '_build/site/content/gpipe.json'), 'utf8'));
            const found = /** @type {any} */ (
                mdast.children[0].children.find((/** @type {any} */ n) => n.type === 'anywidget')
            );
            // What a theme does with such a node.
            const page = `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>page</title><div id="cell"></div>
<script type="module">
import widget from '.${found.esm}';
const model = ${JSON.stringify(found.model)};
widget.render({
    model: { get: (name) => model[name], set(name, value) { model[name] = value; }, save_changes() {}, on() {}, off() {} },
    el: document.querySelector('#cell'),
});
</script></html>`;
            writeFileSync(join(folder, '_build/site/public/page.html'), page);
        },
        site: '_build/site/public',
        page: 'page.html',
        bare: true,
    },
];

/** Runs in the page. */
const lives = () =>
    /** @type {any} */ (document.querySelector('pipeline-figure'))?.simulation?.summary.makespan === 33 &&
    document.querySelector('pipeline-figure')?.shadowRoot?.querySelector('.chart > svg');

/**
 * By a link within the site, back and forth again: one document all along, and the figure lives each time.
 * @param {import('puppeteer-core').Page} tab @param {string} start @param {string} page
 */
async function goThere(tab, start, page) {
    await tab.goto(start, { waitUntil: 'networkidle0' });
    await tab.evaluate(() => Object.assign(window, { stays: true }));
    const followed = await tab.evaluate(() => {
        const link = [...document.querySelectorAll('a')].find((a) => a.textContent === 'GPipe');
        link?.click();
        return Boolean(link);
    });
    if (!followed) throw new Error(`${start}: no link to ${page}`);
    await tab.waitForFunction(lives, { timeout: 10_000 });
    await tab.evaluate(() => history.back());
    await tab.waitForFunction(() => !document.querySelector('pipeline-figure'), { timeout: 10_000 });
    await tab.evaluate(() => history.forward());
    await tab.waitForFunction(lives, { timeout: 10_000 });
    if (!(await tab.evaluate(() => /** @type {any} */ (window).stays))) throw new Error('the document was loaded anew');
}

const browser = await launch();
const top = mkdtempSync(join(tmpdir(), 'pipeline-figure-'));
let failed = 0;
try {
    for (const [i, { section, assets, more = {}, make, site, page, start, bare }] of generators.entries()) {
        const folder = join(top, String(i));
        const files = filesOf(section);
        for (const { name, text } of [...files, ...Object.entries(more).map(([name, text]) => ({ name, text }))]) {
            mkdirSync(join(folder, dirname(name)), { recursive: true });
            writeFileSync(join(folder, name), `${text}\n`);
        }
        for (const asset of assets) {
            mkdirSync(join(folder, asset), { recursive: true });
            copyFileSync(join(root, 'dist/pipeline-figure.js'), join(folder, asset, 'pipeline-figure.js'));
            cpSync(join(root, 'dist/pipeline-figure'), join(folder, asset, 'pipeline-figure'), { recursive: true });
            copyFileSync(
                join(root, 'dist/pipeline-figure.anywidget.mjs'),
                join(folder, asset, 'pipeline-figure.anywidget.mjs'),
            );
            copyFileSync(join(root, 'dist/figure-gpipe-p4-m8.en.svg'), join(folder, asset, 'gpipe.svg'));
        }
        let server;
        try {
            if (files.length === 0) throw new Error('the section shows no file');
            await make(folder, (program, ...args) => {
                execFileSync(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], encoding: 'utf8' });
            });
            server = await serve(join(folder, site));
            const tab = await browser.newPage();
            // Before the script: what the generator left of the tag.
            await tab.setJavaScriptEnabled(false);
            await tab.goto(server.url + page);
            const still = await tab.$$eval('pipeline-figure > img', (images) =>
                images.map((image) => /** @type {HTMLImageElement} */ (image).naturalWidth),
            );
            if (!bare && (still.length !== 1 || still[0] === 0)) throw new Error(`pictures inside the tag: ${still}`);
            await tab.setJavaScriptEnabled(true);
            await tab.goto(server.url + page);
            await tab.waitForFunction(lives, { timeout: 10_000 });
            if (start !== undefined) await goThere(tab, server.url + start, page);
            if (process.env.PP_SHOTS)
                await tab.screenshot({ path: /** @type {any} */ (join(process.env.PP_SHOTS, `generator-${i}.png`)) });
            await tab.close();
            console.log(`ok      ${section}`);
        } catch (error) {
            failed += 1;
            console.log(`failed  ${section}: ${/** @type {any} */ (error).stderr || error}`);
        }
        await server?.close();
    }
} finally {
    await browser.close();
    rmSync(top, { recursive: true, force: true });
}
console.log(`${generators.length - failed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
