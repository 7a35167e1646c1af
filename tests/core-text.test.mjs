import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { pack, unpack } from '../web/core-text.js';

test('the core as text and back', () => {
    const core = new Uint8Array(readFileSync(new URL('../dist/core.wasm', import.meta.url)));
    for (const bytes of [new Uint8Array(), Uint8Array.from({ length: 256 }, (_, i) => i), core]) {
        const text = pack(bytes);
        assert.deepEqual(unpack(text), bytes);
        assert.match(text, /^[ -~]*$/);
        assert.doesNotMatch(text, /["\\`$<]/);
    }
});
