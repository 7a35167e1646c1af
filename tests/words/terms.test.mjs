// One word for one thing, in everything a reader sees in Russian: the figure, the chapter, the command line, the refusals.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';
import ru from '../../web/words/strings.ru.js';

const root = new URL('../../', import.meta.url);
const read = (path) => readFileSync(new URL(path, root), 'utf8');

/** What is not said, and what is said instead. */
const APART = [
    [/(?<![а-яё])батч/i, 'пакет'],
    [/(?<![а-яё])действи[еяюй](?![а-яё])/i, 'операция'],
    [/шаг обучения/i, 'скорость обучения, или просто шаг'],
    [/отношение пузыря/i, 'отношение простоя к работе'],
    [/(?<![а-яё])связ(?:ь|и|ей|ям|ях)(?![а-яё])/i, 'канал'],
    [/сценари/i, 'скрипты'],
    [/(?<![а-яё])трасс[аыуе](?![а-яё])/i, 'трассировка'],
];

const texts = {
    'web/words/strings.ru.js': Object.values(ru)
        .flatMap((text) => (typeof text === 'string' ? [text] : Object.values(text)))
        .join('\n'),
    'dist/index.html': read('dist/index.html').replace(/<pre>.*?<\/pre>|<[^>]+>/gs, ' '),
    'dist/gallery.html': read('dist/gallery.html').replace(/<pre>.*?<\/pre>|<[^>]+>/gs, ' '),
    'web/page/embed.html': read('web/page/embed.html'),
};
for (const name of readdirSync(new URL('c_src/words/', root)).filter((file) => file.endsWith('.c')))
    texts[`c_src/words/${name}`] = read(`c_src/words/${name}`);

for (const [wrong, right] of APART)
    test(`${right}, and nothing else`, () => {
        for (const [path, text] of Object.entries(texts)) {
            const [found] = text.match(new RegExp(`.{0,30}${wrong.source}.{0,30}`, 'i')) ?? [];
            assert.equal(found, undefined, `${path}: ${found}`);
        }
    });

test('the words are kept apart where they are wrong', () => {
    for (const [wrong] of APART) assert.ok(wrong instanceof RegExp);
    assert.match('размер батча', APART[0][0]);
    assert.doesNotMatch('микробатча', APART[0][0]);
    assert.match('шаг обучения', APART[2][0]);
});
