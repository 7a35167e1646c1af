// The products of a dense layer in WebAssembly over shapes that fill tiles, rounds and blocks and shapes that do not. Native
// tests (test_tensor_plain, test_tensor_fused) have the same against loops of C, but loops and tiles are others there.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { withoutMadd } from '../support/optional.mjs';

const program = fileURLToPath(new URL('../support/products.mjs', import.meta.url));
const flags = Number(process.versions.node.split('.')[0]) > 20 ? [] : ['--experimental-wasm-relaxed-simd'];
const made = JSON.parse(execFileSync(process.execPath, [...flags, program], { encoding: 'utf8' }));

test('every product is that of plain loops, bit for bit', () => {
    assert.ok(made.shapes > 2700);
    assert.deepEqual(made.plain, []);
});

test('relaxed multiply-add: the same where nothing is rounded', { skip: withoutMadd }, () =>
    assert.deepEqual(made.fused, []),
);
