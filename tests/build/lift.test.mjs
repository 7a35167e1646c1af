// Long strings and markup taken out of a module come back where they stood.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { unpackTexts } from '../../web/build/core-text.js';
import { lift, settle } from '../../web/build/lift.mjs';
import { packTexts } from '../../web/build/pack.mjs';

const LONG = 'a string that is long enough to be worth its place among texts: «да»';
const MODULE = `
    const html = (strings, ...values) => ({ strings, values });
    const plain = (n) => \`\${n}${LONG}\${n + 1}, short \${\`${LONG}, nested \${n}\`}\`;
    const markup = (n) => html\`<p
            class="long">\${n}<b>\${html\`<i>\${'${LONG}'}</i>\`}</b></p>\`;
    const bare = () => html\`<hr>\`;
    const keys = { '${LONG}': 1, short: 'short', long: '${LONG}' };
    const other = 912345677;
    globalThis.result = [plain(1), markup(2), bare(), bare().strings === bare().strings, keys, other];`;

/** @param {string} code @param {unknown} [lifted] */
function run(code, lifted) {
    new Function('lifted', code)(lifted);
    const { result } = /** @type {any} */ (globalThis);
    delete (/** @type {any} */ (globalThis).result);
    return result;
}

test('a module with its texts lifted, packed and unpacked does what it did', () => {
    const { code, texts } = settle(lift(MODULE, 'module.js'), 3);
    assert.equal(texts.length, 5); // one of them used twice
    // A key of an object stays, as does a number that stands for nothing.
    assert.equal(code.split(LONG).length, 2);
    const packed = packTexts(['', 'first', '', ...texts]);
    const lifted = unpackTexts(packed.text, packed.size, packed.letters);
    const [before, after] = [run(MODULE), run(code, lifted)];
    // Line breaks in markup lose what stands around them.
    before[1].strings = before[1].strings.map((/** @type {string} */ text) => text.replace(/\s*\n\s*/g, '\n'));
    for (const { strings } of [after[1], after[2], after[1].values[1]]) assert.deepEqual(strings.raw, strings);
    assert.deepEqual(JSON.parse(JSON.stringify(after)), JSON.parse(JSON.stringify(before)));
});
