// What a script carries packed: the core, and the texts of a classic script.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { tableOf, unpack, unpackTexts } from '../../web/build/core-text.js';
import { linesOf, pack, packItems, packTexts } from '../../web/build/pack.mjs';
import { bytesOf, ROOM, TEXT, unmix } from '../../web/build/unmix.js';
import en from '../../web/words/strings.en.js';
import ru from '../../web/words/strings.ru.js';

const machine = readFileSync(new URL('../../build/wasm/unpack.wasm', import.meta.url)).toString('base64');

test('the core as text and back: vectors, jump tables, long constants and all', () => {
    const core = new Uint8Array(readFileSync(new URL('../../dist/core.wasm', import.meta.url)));
    const { text, sizes } = pack(core);
    // By c_src/wasm/unpack.c, and by the same loop in JavaScript.
    assert.deepEqual(unpack(text, sizes, machine), core);
    assert.deepEqual(unpack(text, sizes), core);
    assert.match(text, /^[A-Za-z0-9+/]*=*$/);
    assert.ok(text.length * 0.75 < 0.34 * core.length, `${text.length} letters for ${core.length} bytes`);
});

test('bytes of any kind, packed and unpacked', () => {
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
        const packed = packItems(Array.from(bytes, (byte, i) => ({ kind: i % 3 ? TEXT : 0, place: 0, byte })));
        for (const core of [machine, undefined]) {
            const { next } = unmix(packed, core);
            assert.deepEqual(
                bytes.map((_, i) => next(i % 3 ? TEXT : 0, 0)),
                bytes,
            );
        }
    }
});

test('texts and tables of strings come back as they were', () => {
    const keys = Object.keys(en);
    const { text, size, letters } = packTexts([keys.join('\n'), linesOf(ru, keys), '', linesOf(en, keys)]);
    const [names, russian, nothing, english] = unpackTexts(text, size, letters, machine);
    assert.deepEqual(unpackTexts(text, size, letters), [names, russian, nothing, english]);
    assert.deepEqual(tableOf(names, russian), ru);
    assert.deepEqual(tableOf(names, english), en);
    assert.equal(nothing, '');
    assert.throws(() => linesOf({ a: 'two\nlines', b: '' }, ['a', 'b']), /line by line/);
});

test('what a script carries unpacks without imports, and more than there is room for is refused', () => {
    const module = new WebAssembly.Module(bytesOf(machine));
    assert.deepEqual(WebAssembly.Module.imports(module), []);
    let seed = 1;
    const noise = Array.from({ length: ROOM + 5000 }, () => {
        seed ^= seed << 13;
        seed ^= seed >>> 17;
        seed ^= seed << 5;
        return seed & 255;
    });
    assert.throws(() => packItems(noise.map((byte) => ({ kind: TEXT, place: 0, byte }))), /room/);
});
