// Takes long strings, and the markup of templates, out of a module, so that they can be packed with the other texts: the packer
// knows them better than a compressed transfer does. Only the build needs this file.
import { createHash } from 'node:crypto';
import { parse } from 'acorn';
import { TEMPLATE } from './core-text.js';

/** Shorter ones are better off where they are. */
const LONG = 40;
/** Numbers that stand for texts until the script is whole. */
const STANDS = /\b9\d{7}7\b/g;

/** @type {Map<number, string>} */
const texts = new Map();

/**
 * @param {string} code of a module @param {string} file its name
 * @returns {string} the same with `lifted[number]` for what was lifted; `lifted` is for the caller to declare
 */
export function lift(code, file) {
    /** @type {{ start: number, end: number, by: string }[]} */
    const changes = [];
    const held = (/** @type {string} */ text, /** @type {string} */ of = '') => {
        const digest = createHash('sha256').update(`${of}\0${text}`).digest();
        const number = 900_000_007 + 10 * (digest.readUInt32BE() % 10_000_000); // no noughts at the end, which minifiers shorten
        if ((texts.get(number) ?? text) !== text) throw new Error(`lift: two texts for ${number}`);
        texts.set(number, text);
        return `lifted[${number}]`;
    };
    const visit = (/** @type {any} */ node, /** @type {any} */ parent, /** @type {string} */ key) => {
        if (!node || typeof node.type !== 'string') return;
        const tag = node.type === 'TaggedTemplateExpression' && node.tag.name;
        if (tag === 'html' || tag === 'svg') {
            const { quasis, expressions } = node.quasi;
            const strings = quasis.map((/** @type {any} */ quasi) => quasi.value.cooked.replace(/\s*\n\s*/g, '\n'));
            // Every template is itself, even if another one reads the same.
            const by = `${tag}(${held(TEMPLATE + strings.join(TEMPLATE), `${file}:${node.start}`)}`;
            let at = node.start;
            for (const expression of expressions) {
                changes.push({ start: at, end: expression.start, by: at === node.start ? `${by},` : ',' });
                at = expression.end;
            }
            changes.push({ start: at, end: node.end, by: at === node.start ? `${by})` : ')' });
            for (const expression of expressions) visit(expression, node, 'expression');
            return;
        }
        if (node.type === 'TaggedTemplateExpression') return visit(node.quasi.expressions, node, 'expressions');
        if (node.type === 'TemplateLiteral') {
            for (const { start, end, value } of node.quasis) {
                if (value.cooked.length >= LONG) changes.push({ start, end, by: `\${${held(value.cooked)}}` });
            }
        }
        const text = node.type === 'Literal' && typeof node.value === 'string' && node.value.length >= LONG;
        if (text && key !== 'key' && key !== 'source' && parent.type !== 'ExpressionStatement') {
            changes.push({ start: node.start, end: node.end, by: held(node.value) });
        }
        for (const [key, value] of Object.entries(node)) {
            for (const child of Array.isArray(value) ? value : [value]) visit(child, node, key);
        }
    };
    visit(parse(code, { ecmaVersion: 'latest', sourceType: 'module' }), null, '');
    let out = '';
    let at = 0;
    for (const { start, end, by } of changes.sort((a, b) => a.start - b.start)) {
        out += code.slice(at, start) + by;
        at = end;
    }
    return out + code.slice(at);
}

/**
 * What was lifted out of a script, in the order of its use, and the script with places in that order.
 * @param {string} code @param {number} first place of the first
 */
export function settle(code, first) {
    /** @type {number[]} */
    const order = [];
    const settled = code.replace(STANDS, (number) => {
        if (!texts.has(+number)) return number;
        if (!order.includes(+number)) order.push(+number);
        return String(first + order.indexOf(+number));
    });
    return { code: settled, texts: order.map((number) => /** @type {string} */ (texts.get(number))) };
}
