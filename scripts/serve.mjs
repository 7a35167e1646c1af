// A small file server for dist/ on 127.0.0.1. As a program it serves dist/ on a free port (or the one in PORT) and
// prints the address; tests import serve() and may add headers per path.
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const types = {
    '.css': 'text/css; charset=utf-8',
    '.csv': 'text/csv; charset=utf-8',
    '.html': 'text/html; charset=utf-8',
    '.js': 'text/javascript; charset=utf-8',
    '.json': 'application/json; charset=utf-8',
    '.mjs': 'text/javascript; charset=utf-8',
    '.pdf': 'application/pdf',
    '.png': 'image/png',
    '.svg': 'image/svg+xml; charset=utf-8',
    '.txt': 'text/plain; charset=utf-8',
    '.wasm': 'application/wasm',
};

/** The file a request's path names inside folder, or null. */
function fileOf(folder, path) {
    let file;
    try {
        file = join(folder, normalize(decodeURIComponent(path)));
        if (file !== folder && !file.startsWith(folder + sep)) return null;
        if (statSync(file).isDirectory()) file = join(file, 'index.html');
        return statSync(file).isFile() ? file : null;
    } catch {
        return null;
    }
}

/**
 * Serves a folder.
 * @param {string} folder
 * @param {object} [options]
 * @param {number} [options.port] 0, the default, takes a free one
 * @param {(path: string) => Record<string, string>} [options.headers] more headers for a path
 * @param {(path: string) => string | undefined} [options.page] an HTML document for a path that is no file
 * @returns {Promise<{ url: string, requests: string[], close(): Promise<void> }>}
 */
export async function serve(folder, { port = 0, headers = () => ({}), page = () => undefined } = {}) {
    const top = resolve(folder);
    const requests = [];
    const server = createServer((request, response) => {
        // Not new URL(path, base): a path of two slashes would be taken for another host.
        const { pathname: path } = new URL(`http://127.0.0.1/${request.url.replace(/^\//, '')}`);
        requests.push(path);
        const more = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', ...headers(path) };
        const made = page(path);
        if (made !== undefined) {
            response.writeHead(200, { 'content-type': types['.html'], ...more }).end(made);
            return;
        }
        const file = fileOf(top, path);
        if (file === null) {
            response.writeHead(404, { 'content-type': types['.txt'], ...more }).end('not found\n');
            return;
        }
        response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream', ...more });
        if (request.method === 'HEAD') response.end();
        else createReadStream(file).pipe(response);
    });
    await new Promise((listening, failed) => {
        server.once('error', failed);
        server.listen(port, '127.0.0.1', listening);
    });
    return {
        url: `http://127.0.0.1:${server.address().port}/`,
        requests,
        close: () =>
            new Promise((closed) => {
                server.close(closed);
                server.closeAllConnections();
            }),
    };
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) {
    const dist = fileURLToPath(new URL('../dist', import.meta.url));
    try {
        const { url } = await serve(dist, { port: Number(process.env.PORT ?? 0) });
        console.log(url);
    } catch (error) {
        console.error(`serve: port ${process.env.PORT} cannot be used: ${error.message}`);
        process.exitCode = 2;
    }
}
