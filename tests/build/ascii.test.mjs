// Scripts are ASCII to the last byte: a page without <meta charset>, or in another encoding, reads them in its own.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const dist = process.env.PP_DIST ?? fileURLToPath(new URL('../../dist', import.meta.url));
const scripts = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((name) => /\.m?js$/.test(name));

test('there are scripts to look at', () => assert.ok(scripts.length >= 5, String(scripts)));

for (const name of scripts) {
    test(`${name} is ASCII`, () => {
        const bytes = readFileSync(`${dist}/${name}`);
        const at = bytes.findIndex((byte) => byte > 0x7f);
        const around = bytes.subarray(Math.max(0, at - 30), at + 30).toString();
        assert.equal(at, -1, `byte ${at}: ${around}`);
    });
}
