// npm run test:generators: docs/recipes.md carried out. For each section the files it shows are written to a folder, the
// generator runs, and what comes out is opened in Chromium: the tag must have survived with its picture inside, and live.
// Not part of npm test: the generators are large. scripts/generators.sh installs them.
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { launch } from '../tests/support/browser.mjs';
import { serve } from './serve.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const packages = createRequire(join(root, 'build/generators/package.json'));
const recipes = readFileSync(join(root, 'docs/recipes.md'), 'utf8');

/** The files a section shows: "In `name`:" and a fenced block. @param {string} title */
function filesOf(title) {
    const section = recipes.split(/^## /m).find((text) => text.startsWith(`${title}\n`));
    if (!section) throw new Error(`docs/recipes.md has no section "${title}"`);
    const blocks = section.matchAll(/In `([^`]+)`[^`]*?(?:`[^`]+`[^`]*?)*:\n\n(`{3,})\w+\n([\s\S]*?)\n\2\n/g);
    return [...blocks].map(([, name, , text]) => ({ name, text }));
}

/** A page around what a compiler gave. @param {string} body */
const wrapped = (body) =>
    `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>page</title><script src="/pipeline-figure.iife.js" defer></script></head><body>${body}</body></html>`;

/** What stands for React: HTML as text. */
const jsx = {
    Fragment: (/** @type {any} */ { children }) => [children].flat().join(''),
    /** @param {any} type @param {any} props */
    jsx(type, { children = [], ...props }) {
        if (typeof type === 'function') return type({ children, ...props });
        const inner = [children].flat().join('');
        const attributes = Object.entries(props).map(([name, value]) => ` ${name}="${value}"`);
        return `<${type}${attributes.join('')}>${type === 'img' ? '' : `${inner}</${type}>`}`;
    },
};

/**
 * @typedef {object} Generator
 * @property {string} section of docs/recipes.md
 * @property {string[]} assets  folders, below the project, that get the script and the picture
 * @property {Record<string, string>} [more]  files every project of this kind has
 * @property {(folder: string, run: (program: string, ...args: string[]) => void) => Promise<void> | void} make
 * @property {string} site  folder that is served @property {string} page
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
        make: (_, run) => run('mkdocs', 'build', '--quiet', '--site-dir', 'out'),
        site: 'out',
        page: 'index.html',
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
        make: (_, run) =>
            run('pandoc', 'book.md', '--standalone', '--include-in-header', 'figure-head.html', '-o', 'book.html'),
        site: '.',
        page: 'book.html',
    },
    {
        section: 'MDX and Docusaurus',
        assets: ['.'],
        async make(folder) {
            const { evaluate } = await import(pathToFileURL(packages.resolve('@mdx-js/mdx')).href);
            const text = readFileSync(join(folder, 'docs/gpipe.mdx'), 'utf8');
            const { default: Content } = await evaluate(text, { ...jsx, jsxs: jsx.jsx });
            writeFileSync(join(folder, 'gpipe.html'), wrapped(Content({})));
        },
        site: '.',
        page: 'gpipe.html',
    },
    {
        section: 'VitePress',
        assets: ['.'],
        async make(folder) {
            const { default: MarkdownIt } = await import(pathToFileURL(packages.resolve('markdown-it')).href);
            const text = readFileSync(join(folder, 'gpipe.md'), 'utf8');
            writeFileSync(join(folder, 'gpipe.html'), wrapped(new MarkdownIt({ html: true }).render(text)));
        },
        site: '.',
        page: 'gpipe.html',
    },
];

const browser = await launch();
const top = mkdtempSync(join(tmpdir(), 'pipeline-figure-'));
let failed = 0;
try {
    for (const [i, { section, assets, more = {}, make, site, page }] of generators.entries()) {
        const folder = join(top, String(i));
        const files = filesOf(section);
        for (const { name, text } of [...files, ...Object.entries(more).map(([name, text]) => ({ name, text }))]) {
            mkdirSync(join(folder, dirname(name)), { recursive: true });
            writeFileSync(join(folder, name), `${text}\n`);
        }
        for (const asset of assets) {
            mkdirSync(join(folder, asset), { recursive: true });
            copyFileSync(join(root, 'dist/pipeline-figure.iife.js'), join(folder, asset, 'pipeline-figure.iife.js'));
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
            if (still.length !== 1 || still[0] === 0) throw new Error(`pictures inside the tag: ${still}`);
            await tab.setJavaScriptEnabled(true);
            await tab.goto(server.url + page);
            await tab.waitForFunction(
                () =>
                    /** @type {any} */ (document.querySelector('pipeline-figure'))?.simulation?.summary.makespan ===
                        33 && document.querySelector('pipeline-figure')?.shadowRoot?.querySelector('.chart > svg'),
                { timeout: 10_000 },
            );
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
