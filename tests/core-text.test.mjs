// What a script carries packed: the core, and the texts of a classic script.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { tableOf, unpack, unpackTexts } from '../web/core-text.js';
import { linesOf, lzma, pack, packTexts } from '../web/pack.mjs';
import en from '../web/strings.en.js';
import ru from '../web/strings.ru.js';
import { unlzma } from '../web/unlzma.js';

test('the core as text and back: vectors, jump tables, long constants and all', () => {
    const core = new Uint8Array(readFileSync(new URL('../dist/core.wasm', import.meta.url)));
    const { text, sizes, before } = pack(core);
    assert.deepEqual(unpack(text, sizes, before), core);
    assert.match(text, /^[A-Za-z0-9+/]*=*$/);
    assert.ok(text.length * 0.75 < 0.42 * core.length, `${text.length} letters for ${core.length} bytes`);
});

test('bytes of any kind through LZMA and back', () => {
    const noise = Uint8Array.from({ length: 5000 }, (_, i) => (Math.imul(i, 2654435761) ^ (i * i)) >>> 13);
    const far = new Uint8Array(300_000);
    far.set(noise);
    far.set(noise, 280_000);
    for (const bytes of [
        Uint8Array.of(7),
        noise,
        far,
        new Uint8Array(1000),
        Uint8Array.from('abababcabababc'.repeat(99), (c) => c.charCodeAt(0)),
    ]) {
        assert.deepEqual(unlzma(lzma(bytes), bytes.length), bytes);
    }
});

test('texts and tables of strings come back as they were', () => {
    const keys = Object.keys(en);
    const { text, size, letters } = packTexts([keys.join('\n'), linesOf(ru, keys), '', linesOf(en, keys)]);
    const [names, russian, nothing, english] = unpackTexts(text, size, letters);
    assert.deepEqual(tableOf(names, russian), ru);
    assert.deepEqual(tableOf(names, english), en);
    assert.equal(nothing, '');
    assert.throws(() => linesOf({ a: 'two\nlines', b: '' }, ['a', 'b']), /line by line/);
});
