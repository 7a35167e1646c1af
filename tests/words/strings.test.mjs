// The two tables of texts: the same keys, complete plural forms, nothing left over from the other language.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import test from 'node:test';
import en from '../../web/words/strings.en.js';
import { languageOf, languages, textOf } from '../../web/words/strings.js';
import ru from '../../web/words/strings.ru.js';

const tables = { ru, en };
const folder = new URL('../../web/', import.meta.url);
/** Key, text: forms of a word one by one. */
const texts = (table) =>
    Object.entries(table).flatMap(([key, text]) =>
        typeof text === 'string' ? [[key, text]] : Object.entries(text).map(([form, word]) => [`${key}.${form}`, word]),
    );

test('MUST-06: both languages have the same keys, in the same order', () => {
    assert.deepEqual(Object.keys(ru), Object.keys(en));
    assert.deepEqual(languages, Object.keys(tables));
});

test('MUST-06: texts are texts; words that go with numbers have every form of their language', () => {
    for (const [lang, table] of Object.entries(tables)) {
        const wanted = new Intl.PluralRules(lang).resolvedOptions().pluralCategories.slice().sort();
        for (const [key, text] of Object.entries(table)) {
            assert.equal(typeof text, typeof tables.en[key], key);
            if (typeof text === 'object') assert.deepEqual(Object.keys(text).sort(), wanted, `${lang} ${key}`);
        }
        for (const [key, text] of texts(table)) assert.match(text, /\S/, `${lang} ${key}`);
    }
});

test('a text and its translation have places for the same things', () => {
    const places = (text) => [...new Set(text.match(/\{\w+\}/g) ?? [])].sort();
    // A language may leave out what it does not need (the position of a word decides), but it may not ask for more.
    const russian = new Map(texts(ru));
    for (const [key, text] of texts(en)) {
        if (!russian.has(key)) continue;
        assert.deepEqual(places(russian.get(key)), places(text), key);
    }
});

test('stars and brackets close, no doubled blanks, no blanks to spare at the end', () => {
    for (const [lang, table] of Object.entries(tables)) {
        for (const [key, text] of texts(table)) {
            assert.equal((text.match(/\*/g) ?? []).length % 2, 0, key);
            assert.equal((text.match(/[([{«]/g) ?? []).length, (text.match(/[)\]}»]/g) ?? []).length, `${lang} ${key}`);
            assert.doesNotMatch(text, / {2,}|\s[,.;:!?]/, `${lang} ${key}`);
            if (!key.startsWith('headline_forward')) assert.doesNotMatch(text, /\s$/, `${lang} ${key}`);
        }
    }
});

// Names, signs of formulas, and words of the web that Russian readers know in these letters.
const LATIN = new Set(
    `GPipe F1B BFS GIS ZB-H1 ZB-H2 ZB-V ZB-auto V-Half V-Min F1B-V DualPipe DualPipe-V Chimera Hanayo PipeDream
    PipeDream-2BW Seq1F1B Megatron PyTorch XOR WebAssembly CSP Lockdown XHTML text html script-src wasm-unsafe-eval
    require-trusted-types-for DecompressionStream Chrome Firefox Safari nowasm pipeline-figure js JavaScript Python
    Perfetto CSV SVG PNG JSON SGD Adam ReLU GELU tanh Alt Ctrl Shift Esc Z m p v n N U T F B I W R`.split(/\s+/),
);

test('no English inside the Russian texts, no Russian inside the English', () => {
    for (const [key, text] of texts(ru)) {
        const words = text.replace(/\{\w+\}/g, ' ').match(/[A-Za-z][\w-]*/g) ?? [];
        for (const word of words) assert.ok(LATIN.has(word), `${key}: ${word}`);
        if (!/^(?:schedule_|description_|settings_cost|value_)/.test(key) && /[a-z]{3,}/.test(text)) {
            assert.match(text, /[а-яё]/i, key);
        }
        // A Latin letter inside a Russian word looks the same and breaks search and speech.
        assert.doesNotMatch(text, /[а-яё][a-z]|[a-z][а-яё]/i, key);
    }
    for (const [key, text] of texts(en)) assert.doesNotMatch(text, /[а-яё]/i, key);
});

test('«ё» stands wherever it belongs', () => {
    const without = `еще ее нее свое своем твое мое моем чье причем вперед наперед днем путем пузырем
        объем(?!н)[а-я]* прием(?!лем)[а-я]* (?:рас|под|от|за|у|пере|недо)чет[а-я]* счет счетом счетчик[а-я]* слоев трех трем
        четырех четырем идет ведет дает задает отдает передает[а-я]* создает[а-я]* растет ждет берет[а-я]* найдет
        придет пройдет займет начнет вернет тяжел(?:ый|ая|ое|ые) легк(?:ий|ая|ое|ие) разделен поделен включен отключен
        определен[а-я]* решен завершен`
        .trim()
        .split(/\s+/)
        .join('|');
    const pattern = new RegExp(`(?<![а-яё-])(?:${without})(?![а-яё])`, 'i');
    assert.match('Ждет устройства', pattern);
    for (const [key, text] of texts(ru)) assert.doesNotMatch(text, pattern, key);
});

test('Russian signs: «quotes», a long dash between words', () => {
    for (const [key, text] of texts(ru)) {
        assert.doesNotMatch(text, /["“”]/, key);
        assert.doesNotMatch(text, / - |\d-\d/, key);
    }
    for (const [key, text] of texts(en)) assert.doesNotMatch(text, /["«»]| - /, key);
});

test('a line breaks neither after a short Russian word nor before a dash', () => {
    for (const key of Object.keys(ru)) {
        const text = textOf('ru', key);
        if (typeof text !== 'string') continue;
        assert.doesNotMatch(text, /(?<![а-яёa-z\d-])[а-яё]{1,2} (?=[^ ])/i, key);
        assert.doesNotMatch(text, /\S —/, key);
    }
});

test('every text is used, and every text asked for exists', () => {
    const sources = readdirSync(folder, { encoding: 'utf8', recursive: true })
        .filter((name) => /\.js$/.test(name) && !/^strings\.(?:ru|en)\.js$/.test(name))
        .map((name) => readFileSync(new URL(name, folder), 'utf8'));
    const code = sources.join('\n');
    const literal = new Set([...code.matchAll(/'([\w-]+)'/g)].map(([, word]) => word));
    const open = [...code.matchAll(/`([a-z_]+_)\$\{/g)].map(([, start]) => start);
    const closed = [...code.matchAll(/`\$\{\w+\}(_[a-z]+)`/g)].map(([, end]) => end);
    const used = (key) =>
        literal.has(key) || open.some((start) => key.startsWith(start)) || closed.some((end) => key.endsWith(end));
    assert.deepEqual(
        Object.keys(en).filter((key) => !used(key)),
        [],
        'used nowhere',
    );
    for (const [, key] of code.matchAll(/(?:textOf\((?:[\w.#]+),|\bt\()\s*'([\w-]+)'/g)) assert.ok(key in en, key);
    for (const [, key] of code.matchAll(/(?:countOf|pluralOf)\([^;]*?lang, '(\w+)'\)/g)) {
        assert.equal(typeof en[key], 'object', key);
    }
});

test('a key that does not exist is a fault, not a blank; an unknown language gets English', () => {
    assert.throws(() => textOf('ru', 'no such key'), /no text for/);
    assert.equal(textOf('de', 'phase_fill'), en.phase_fill);
    assert.equal(textOf('en', 'rank', 3), 'Device 3');
    assert.deepEqual(['ru', 'ru-RU', 'RU', 'en', 'en-GB', 'rus', ''].map(languageOf), [
        'ru',
        'ru',
        'ru',
        'en',
        'en',
        'en',
        'en',
    ]);
});

test('a name for every schedule the core has', async () => {
    const { engine } = await import('../support/scenes.mjs');
    for (const { name } of engine.schedules) {
        for (const lang of languages) assert.match(textOf(lang, `schedule_${name}`), /\S/);
    }
});
