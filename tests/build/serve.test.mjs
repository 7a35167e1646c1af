// The small server of `npm start`: whatever is asked of it, it answers and goes on.
import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { serve } from '../../scripts/serve.mjs';

const folder = fileURLToPath(new URL('../golden/', import.meta.url));

/** The status line that comes of a request line. @param {string} url @param {string} target */
function statusOf(url, target) {
    const { port } = new URL(url);
    return new Promise((told, failed) => {
        const socket = connect(Number(port), '127.0.0.1', () =>
            socket.write(`GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`),
        );
        socket.once('data', (data) => {
            socket.destroy();
            told(String(data).split('\r\n')[0]);
        });
        socket.once('error', failed);
    });
}

test('odd paths are answered, none leads out of the folder, and the server goes on', async () => {
    const server = await serve(folder, { page: (path) => (path === '/here' ? '<p>here</p>' : undefined) });
    try {
        for (const target of [
            '//',
            '///x',
            '/%',
            '/../package.json',
            '/%2e%2e/package.json',
            '/a\\b',
            '/?a=%',
            '/x%00y',
        ])
            assert.match(String(await statusOf(server.url, target)), / 404 /, target);
        assert.match(String(await statusOf(server.url, '/here?x=//')), / 200 /);
    } finally {
        await server.close();
    }
});
