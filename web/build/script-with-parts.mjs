// Bundles a classic script and its parts (web/parts/ and web/figure/parts/): each part is a script of its own that holds what the first one does not
// have, and takes from it the modules that both use. web/parts/by-script.js brings them together in the page.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../..', import.meta.url));
const byScript = join(root, 'web/parts/by-script.js');

/**
 * @param {import('esbuild').BuildOptions & { entryPoints: string[] }} options  of the script
 * @param {{ parts: string[], outdir: string, name: string, finish: (file: string) => void }} to  name of the script; parts stand in a
 *     folder of that name beside it; finish is called with each file that was written, before its digest is taken
 * @returns {Promise<import('esbuild').Metafile['outputs']>}
 */
export async function scriptWithParts(options, { parts, outdir, name, finish }) {
    const own = { ...options, alias: { ...options.alias, 'pipeline-figure/fetch-part': byScript }, metafile: true };
    const [entry] = options.entryPoints;
    const define = (/** @type {unknown} */ files) => ({
        ...options.define,
        PIPELINE_FIGURE_PARTS: JSON.stringify(files),
    });

    // What the script has of itself; parts must not have it again.
    const trial = await build({ ...own, define: define({}), write: false, outdir });
    const [{ inputs }] = Object.values(/** @type {import('esbuild').Metafile} */ (trial.metafile).outputs);
    const has = new Set(
        Object.keys(inputs)
            .filter((path) => inputs[path].bytesInOutput > 0 && /\.(js|mjs)$/.test(path))
            .map((path) => join(process.cwd(), path)),
    );
    /** Modules that parts take, in the order in which they get them. @type {string[]} */
    const common = [];

    /** @type {import('esbuild').Plugin} */
    const shared = {
        name: 'shared',
        setup({ onResolve, onLoad, resolve }) {
            onResolve({ filter: /./ }, async ({ path, pluginData, kind, ...from }) => {
                if (kind === 'entry-point' || pluginData === 'own') return undefined;
                const { resolveDir, importer, namespace } = from;
                const found = await resolve(path, { kind, resolveDir, importer, namespace, pluginData: 'own' });
                return has.has(found.path) ? { path: found.path, namespace: 'shared' } : found;
            });
            onLoad({ filter: /./, namespace: 'shared' }, async ({ path }) => {
                if (!common.includes(path)) common.push(path);
                const names = await exportsOf(path, own);
                const at = `shared[${common.indexOf(path)}]`;
                return {
                    contents: names
                        .map((each) =>
                            each === 'default'
                                ? `export default ${at}.default;`
                                : `export const ${each} = ${at}.${each};`,
                        )
                        .join('\n'),
                    loader: 'js',
                };
            });
        },
    };
    /** @type {import('esbuild').Metafile['outputs']} */
    const outputs = {};
    /** @type {Record<string, { file: string, integrity: string }>} */
    const files = {};
    for (const part of parts) {
        const file = `${name}/${basename(part)}`;
        const outfile = join(outdir, file);
        const { metafile } = await build({
            ...own,
            entryPoints: [part],
            outfile,
            define: define({}),
            plugins: [shared, ...(options.plugins ?? [])],
            globalName: 'part',
            banner: { js: `${options.banner?.js ?? ''}\nglobalThis[Symbol.for("pipeline-figure part")]=(shared)=>{` },
            footer: { js: 'return part};' },
        });
        finish(file);
        Object.assign(outputs, /** @type {import('esbuild').Metafile} */ (metafile).outputs);
        const digest = createHash('sha384').update(readFileSync(outfile)).digest('base64');
        files[basename(part, '.js')] = { file, integrity: `sha384-${digest}` };
    }

    const { metafile } = await build({
        ...own,
        entryPoints: undefined,
        stdin: {
            contents: `${common.map((path, i) => `import * as common${i} from ${JSON.stringify(path)};`).join('\n')}
                import { share } from ${JSON.stringify(byScript)};
                export * from ${JSON.stringify(entry)};
                share([${common.map((_, i) => `common${i}`)}]);`,
            resolveDir: root,
        },
        outfile: join(outdir, `${name}.js`),
        define: define(files),
    });
    finish(`${name}.js`);
    return Object.assign(outputs, /** @type {import('esbuild').Metafile} */ (metafile).outputs);
}

/** @type {Map<string, string[]>} */
const known = new Map();

/** Names that a module exports. @param {string} path @param {import('esbuild').BuildOptions} options */
async function exportsOf(path, options) {
    if (!known.has(path)) {
        const { metafile } = await build({
            ...options,
            entryPoints: [path],
            stdin: undefined,
            format: 'esm',
            globalName: undefined,
            write: false,
            outdir: root,
            define: { ...options.define, PIPELINE_FIGURE_PARTS: '{}' },
        });
        const [{ exports }] = Object.values(/** @type {import('esbuild').Metafile} */ (metafile).outputs);
        known.set(path, exports);
    }
    return /** @type {string[]} */ (known.get(path));
}
