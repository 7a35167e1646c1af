// The chapter page as built, in both languages, and what the manuals claim: README.md and docs/.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { HtmlValidate } from 'html-validate';
import { withoutPython } from '../support/optional.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path) => readFileSync(join(root, path), 'utf8');
const figures = JSON.parse(read('web/page/figures.json'));
const editions = { ru: 'dist/index.html', en: 'dist/index.en.html' };
const nbsp = '\u00a0';

const entities = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp };
const decode = (text) =>
    text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (all, dec, hex, name) =>
        name ? (entities[name] ?? all) : String.fromCodePoint(dec ? Number(dec) : Number.parseInt(hex, 16)),
    );

/** What a reader reads, whitespace as it stands; a block ends a line. Programs and drawings are left out. */
function prose(html) {
    return decode(
        html
            .replace(/<!--.*?-->|<head>.*?<\/head>|<pre>.*?<\/pre>|<code>.*?<\/code>|<svg.*?<\/svg>/gs, '')
            .replace(/<\/(?:p|h\d|li|td|th|dt|dd|caption|figcaption|summary|tr)>/g, '$&\n\n')
            .replace(/<[^>]+>/g, ''),
    );
}
/** A template as a reader would read it: numbers stand as 0, words that set a figure as themselves. */
function filled(html) {
    const innermost = /\{\{((?:(?!\{\{|\}\}).)*)\}\}/gs;
    for (let before = ''; before !== html; ) {
        before = html;
        html = html.replace(innermost, (_, inside) =>
            inside.startsWith('set ') ? inside.slice(inside.indexOf('|') + 1) : '0',
        );
    }
    return html;
}
const flat = (text) => text.replace(/\s+/g, ' ').trim();
const matches = (text, pattern) => [...text.matchAll(pattern)].map((found) => flat(found[0]));

// ---- The page as HTML ----

for (const [lang, path] of Object.entries(editions)) {
    test(`${path} is valid HTML`, async () => {
        const validator = new HtmlValidate({
            extends: ['html-validate:recommended'],
            elements: ['html5', { 'pipeline-figure': { flow: true } }],
            rules: { 'doctype-style': 'off' },
        });
        const { results } = await validator.validateString(read(path), path);
        const found = results.flatMap(({ messages }) => messages.map((m) => `${m.line}: ${m.ruleId}: ${m.message}`));
        assert.deepEqual(found, []);
    });

    test(`${path}: the build has filled in everything`, () => {
        assert.doesNotMatch(read(path), /\{\{|\}\}/);
        assert.doesNotMatch(prose(read(path)), /\b(?:NaN|undefined|null|Infinity)\b/);
    });

    test(`${path} asks for nothing from outside and suits a strict policy`, () => {
        const html = read(path);
        assert.match(html, new RegExp(`<html lang="${lang}">`));
        const loaded = matches(html, /<(?:script|link|img|iframe|source|object|use)\b[^>]*>/g);
        assert.deepEqual(
            loaded.filter((tag) => /(?:src|href|data)="(?:[a-z]+:)?\/\//i.test(tag)),
            [],
        );
        assert.deepEqual(matches(html, /<script(?![^>]* src=)[^>]*>|<style[^>]*>|\s(?:style|on[a-z]+)="[^"]*"/g), []);
        assert.deepEqual(matches(html, /<script[^>]*type="module"[^>]*>/g), [], 'modules do not load from disk');
        assert.ok(html.includes('<script src="pipeline-figure.js" defer></script>'));
    });

    test(`${path}: files it links to are there`, () => {
        for (const [, link] of read(path).matchAll(/(?:src|href)="([^"#:]+)"/g)) {
            assert.ok(existsSync(join(root, 'dist', link)), link);
        }
    });

    test(`POINT-01: ${path}: each figure holds its picture, and figures.json says the same as the element`, () => {
        const html = read(path);
        const template = read(`web/page/index.${lang}.html`);
        const elements = [...html.matchAll(/<pipeline-figure ([^>]*)>(.*?)<\/pipeline-figure>/gs)];
        const asked = [...template.matchAll(/<pipeline-figure ([^>]*)>\{\{static:([\w-]+)\.(\w+)\}\}</g)];
        assert.equal(elements.length, asked.length);
        assert.deepEqual(
            asked.map(([, , name]) => name),
            figures.map(({ name }) => name),
        );
        for (const [i, [, attributes, name, language]] of asked.entries()) {
            const wanted = Object.entries({ ...figures[i].attributes, lang }).map(
                ([key, value]) => `${key}="${value}"`,
            );
            const written = attributes.replaceAll('&lt;', '<').replaceAll('&gt;', '>');
            assert.deepEqual(written.match(/[\w-]+="[^"]*"/g), wanted, name);
            assert.equal(language, lang);
            assert.match(
                elements[i][2],
                /<figure\b.*<svg\b.*<\/svg>.*<figcaption\b.*<\/figcaption>.*<\/figure>/s,
                name,
            );
        }
    });

    test(`EMB-17: ${path} never asks the reader to switch scripts on or to own a mouse`, () => {
        const text = flat(prose(read(path)));
        assert.doesNotMatch(text, /java\s*script|включите|no scripts\?/i);
        assert.doesNotMatch(text, /наведите|мышкой|move the mouse|hover over/i);
    });
}

test('MUST-06: both editions have the same parts', () => {
    const skeleton = (path) =>
        [...read(path).matchAll(/<(h[1-6]|table|dt|li|details|figure|pre|math|pipeline-figure|tr|dfn|section)\b/g)]
            .map(([, tag]) => tag)
            // Terms are introduced at different words of a sentence.
            .filter((tag) => tag !== 'dfn')
            .join(' ');
    assert.equal(skeleton('web/page/index.en.html'), skeleton('web/page/index.ru.html'));
    const ids = (path) => matches(read(path), / id="[^"]*"/g);
    assert.deepEqual(ids('web/page/index.en.html'), ids('web/page/index.ru.html'));
});

// ---- What the chapter claims ----

/** Claim, and what must be readable for it in Russian and in English. */
const claims = [
    ['layers become stages', /соберём соседние слои/i, /collect neighbouring layers/i],
    ['the batch becomes a stream of micro-batches', /пакет превратился в поток/i, /batch has become a stream/i],
    ['ticks', /T = 4 \+ 3 − 1 = 6/, /T = 4 \+ 3 − 1 = 6/],
    ['utilization', /U = m \/ \(m \+ p − 1\)/, /U = m \/ \(m \+ p − 1\)/],
    ['3 and 4 give 2/3', /U = 4\/6 = 2\/3/, /U = 4\/6 = 2\/3/],
    ['filling and draining', /заполнение .*опустошение/i, /fills.*drains/i],
    ['bubble', /пузырём \(bubble\)/i, /called the bubble/i],
    ['fraction and ratio apart', /доля пузыря .*отношение простоя к работе/i, /bubble fraction.*bubble ratio/i],
    ['diagonal wave', /диагональная волна/i, /diagonal wave/i],
    ['transfers of activations', /передачи активаций/i, /transfers of activations/i],
    ['never in all stages at once', /не бывает на всех стадиях сразу/i, /ever in all stages at once/i],
    ['activations in flight', /хранимых активаций/i, /in-flight activations/i],
    ['batch semantics', /пакетная нормализация/i, /batch normalization/i],
    ['balance', /поровну по времени, а не по числу слоёв/i, /equal times, not into equal numbers of layers/i],
    ['cadence', /задаёт самая медленная стадия/i, /set by the slowest stage/i],
    ['backward', /обратный \(B, backward\)/i, /backward pass \(B\)/i],
    ['recomputation', /пересчёт \(recomputation/i, /recomputation, or activation checkpointing/i],
    ['1F1B', /1F1B \(one forward, one backward/i, /1F1B \(one forward, one backward/i],
    [
        '1F1B does not shrink the bubble',
        /будто 1F1B уменьшает пузырь. Это не так/i,
        /makes the bubble smaller. It does not/i,
    ],
    ['interleaving', /чередование \(interleaving\)/i, /this is interleaving/i],
    ['transfers as bottleneck', /узким местом стала передача/i, /transfer of activations has become the bottleneck/i],
    [
        'latency',
        /задержка \(latency\) одного микробатча может только вырасти/i,
        /latency of one micro-batch can only grow/i,
    ],
    ['throughput', /пропускную способность \(throughput\)/i, /raises throughput/i],
    ['failure', /откатываются все.*контрольной точке/i, /everyone rolls back.*checkpoint/i],
    ['limits', /где формула не действует/i, /where the formula does not hold/i],
    [
        'one thread, modelled time',
        /в одном потоке.*вычислено, но не измерено/i,
        /on one thread.*computed, not measured/i,
    ],
    ['Python', /Нужен только Python 3/i, /only Python 3/i],
    ['works without a mouse', /мышью, пальцем или с клавиатуры/i, /a mouse, a finger or the keyboard/i],
    ['before and after', /Раньше: .*Дальше: /i, /Before: .*Next: /i],
];
for (const [claim, ru, en] of claims) {
    test(`claim: ${claim}`, () => {
        assert.match(flat(prose(read(editions.ru))), ru);
        assert.match(flat(prose(read(editions.en))), en);
    });
}

test('the tables hold the numbers of the core', () => {
    for (const [path, point] of [
        [editions.ru, ','],
        [editions.en, '.'],
    ]) {
        const rows = [...read(path).matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row]) =>
            [...row.matchAll(/<t[dh][^>]*>(.*?)<\/t[dh]>/gs)].map(([, cell]) => flat(prose(cell))),
        );
        const cells = (...row) => row.map((cell) => cell.replace('.', point));
        for (const row of [
            cells('0', '33', '33', '28.5'),
            cells('0.5', '36', '41', '35.5'),
            cells('1', '39', '49', '46'),
            cells('2', '45', '65', '70'),
        ]) {
            assert.ok(
                rows.some((found) => found.join('|') === row.join('|')),
                `${path}: ${row.join(' ')}`,
            );
        }
        const values = rows
            .filter((row) => row.length === 3)
            .map((row) => row.slice(1).map((cell) => cell.match(/\d+/g)));
        for (const pair of [
            [['33'], ['33']],
            [
                ['3', '11'],
                ['3', '11'],
            ],
            [
                ['3', '8'],
                ['3', '8'],
            ],
            [
                ['8', '8', '8', '8'],
                ['4', '3', '2', '1'],
            ],
            [['19'], ['12']],
        ]) {
            assert.ok(
                values.some((found) => JSON.stringify(found) === JSON.stringify(pair)),
                `${path}: ${pair.join(' and ')}`,
            );
        }
    }
});

// ---- Russian ----

const russian = {
    'web/page/index.ru.html': prose(filled(read('web/page/index.ru.html'))),
    [editions.ru]: prose(read(editions.ru)),
};

// Forms that are written with «ё», are often printed with «е», and mean nothing else with it.
const withoutYo = `
    еще ее нее свое своем твое твоем мое моем чье причем вперед наперед днем огнем путем пузырем подъем подъема
    объем(?!лющ)[а-я]* прием(?!лем)[а-я]* (?:рас|под|от|за|у|пере|недо)чет[а-я]* счет счетом счете счетчик[а-я]*
    слоев трех трем тремя четырех четырем идет ведет дает задает отдает передает[а-я]* создает[а-я]* растет ждет берет[а-я]*
    дойдет дойдем найдет[а-я]* придет[а-я]* пройдет[а-я]* займет[а-я]* начнет[а-я]* вернет[а-я]* уйдет живет несет кладет
    тяжел(?:ый|ая|ое|ые|ых|ой|ого) дешев(?:ый|ая|ое|ые|ых|ого) черн(?:ый|ая|ое|ые|ых) темн(?:ый|ая|ое|ые|ой|ых)
    зелен(?:ый|ая|ое|ые|ым) желт(?:ый|ая|ое|ые|ым) легк(?:ий|ая|ое|ие|их) жестк[а-я]* четк[а-я]* тверд(?:ый|ая|ое|о)
    надежн[а-я]* емкост[а-я]* определенн[а-я]* определен разделен поделен включен учтен сведен приведен проведен введен
    выведен произведен решен завершен деленн[а-я]* удаленн[а-я]* партнер[а-я]* щелк(?:нуть|ните|нув) шестеренк[а-я]*
`
    .trim()
    .split(/\s+/)
    .join('|');

test('MUST-06: «ё» stands wherever it belongs', () => {
    const pattern = new RegExp(`(?<![а-яё-])(?:${withoutYo})(?![а-яё])`, 'gi');
    assert.deepEqual(matches('Ещё её объём, еще объема', pattern), ['еще', 'объема']);
    for (const [path, text] of Object.entries(russian)) {
        assert.deepEqual(matches(text, pattern), [], path);
        assert.deepEqual(matches(text, /(?<![а-яё])(?:[ов]|на|при)\sнем(?![а-яё])/gi), [], path);
        assert.deepEqual(matches(text, /(?<![а-яё])все\s(?:же|равно|еще|ещё|это|время)(?![а-яё])/gi), [], path);
    }
});

test('a decimal comma, not a point, in Russian', () => {
    const text = russian[editions.ru].replace(/19\.4/g, '');
    assert.deepEqual(matches(text, /\d\.\d+/g), []);
    const svg = matches(read(editions.ru), /<text[^>]*>[^<]*\d\.\d[^<]*</g);
    assert.deepEqual(svg, []);
    assert.ok(text.includes('28,5'));
});

test('Russian line breaks: short words, dashes and numbers keep to their neighbours', () => {
    const short = /(?<![А-Яа-яЁёA-Za-z-])(?:[вкосуиая]|на|по|из|за|не|ни|но|до|от|об|со|ко|во)(?: |\n(?!\n))\S+/gi;
    const text = prose(filled(read('web/page/index.ru.html')));
    assert.deepEqual(matches(text, short), [], `a plain space after a short word: type ${nbsp} (U+00A0)`);
    assert.deepEqual(matches(text, /\S+[ \n]+—/g), [], 'a plain space before a dash');
    assert.deepEqual(
        matches(text, /\d(?: |\n(?!\n))(?:такт|микробатч|стади|%)\S*/g),
        [],
        'a plain space after a number',
    );
    assert.deepEqual(matches(text, /\S+[ \n]+(?:же|ли|бы|б)(?![а-яё-])/g), [], 'a plain space before a particle');
});

test('Russian signs: «quotes», dashes, minus', () => {
    const text = russian[editions.ru];
    assert.deepEqual(matches(text, /\S*["“”][^\n]{0,20}/g), []);
    assert.deepEqual(matches(text, /[^\n]{0,20}\s-\s[^\n]{0,20}/g), []);
    assert.deepEqual(matches(text, /\d-\d+/g), []);
    assert.deepEqual(matches(text, /[а-яё]-[ \n]|[ \n],| {2,}[,.;:]/g), []);
});

test('MUST-06: numbers and nouns agree in Russian', () => {
    const plural = new Intl.PluralRules('ru');
    // What may follow in one case or another; the wrong form of the nominative never does.
    const endings = {
        one: /^(?:|а|у|ом|е)$/,
        few: /^(?:а|ов|ей|ам|ах)$/,
        many: /^(?:ов|ей|ам|ах)$/,
        other: /^а$/,
    };
    const found = [...russian[editions.ru].matchAll(/(?<![\d/,.]|[−+] )(\d+(?:,\d+)?)\s(такт|микробатч)([а-яё]*)/g)];
    assert.ok(found.length >= 8);
    for (const [, number, noun, ending] of found) {
        const form = plural.select(Number(number.replace(',', '.')));
        assert.match(ending, endings[form], `${number} ${noun}${ending}`);
    }
});

// ---- The program ----

const parts = [...read('web/page/chapter.py').matchAll(/^# listing (\d): begin\n(.*?)\n# listing \1: end$/gms)].map(
    ([, , text]) => text,
);

test('the printed programs are parts of chapter.py, word for word', () => {
    assert.ok(parts.length >= 2);
    for (const path of Object.values(editions)) {
        const printed = [...read(path).matchAll(/<pre><code>(.*?)<\/code><\/pre>/gs)].map(([, text]) => decode(text));
        assert.deepEqual(printed, parts, path);
    }
    assert.equal(read('dist/chapter.py'), read('web/page/chapter.py'));
});

test('the printed programs run when they are typed in one after the other', { skip: withoutPython }, () => {
    execFileSync('python3', ['-'], { input: parts.join('\n\n') });
});

test('chapter.py runs and finds its numbers', { skip: withoutPython }, () => {
    const output = execFileSync('python3', [join(root, 'web/page/chapter.py')], { encoding: 'utf8' });
    assert.match(output, /p=3 m=4: 6 ticks, utilization 2\/3/);
    assert.match(output, /held 4 3 2 1/);
});

// ---- The manuals ----

const manuals = ['README.md', 'CHANGELOG.md', ...readdirSync(join(root, 'docs'))]
    .filter((name) => name.endsWith('.md'))
    .map((name) => (existsSync(join(root, name)) ? name : `docs/${name}`));
const blocks = (path, language) =>
    [...read(path).matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms'))].map(([, text]) => text);

for (const path of manuals) {
    test(`${path}: links lead to files`, () => {
        // Not those inside the files that are shown.
        const text = read(path).replace(/^(`{3,}).*?^\1$/gms, '');
        for (const [, link] of text.matchAll(/\]\((?!https?:|#)([^)#]+)/g)) {
            assert.ok(existsSync(join(root, dirname(path), link)), link);
        }
    });

    for (const block of blocks(path, 'console')) {
        for (const [, command, expected] of block.matchAll(/^\$ (.*)\n((?:(?!\$ ).*\n)*)/gm)) {
            test(`${path}: ${command}`, () => {
                const { stdout, stderr } = spawnSync('bash', ['-c', command], { cwd: root, encoding: 'utf8' });
                assert.equal((stderr + stdout).trimEnd(), expected.trimEnd());
            });
        }
    }
}

test('README.md: the JavaScript prints what its comments say', () => {
    const [block] = blocks('README.md', 'js');
    const expected = [...block.matchAll(/console\.log\(.*\); \/\/ (.*)$/gm)].map(([, text]) => text);
    assert.ok(expected.length > 0);
    const output = execFileSync(process.execPath, ['--input-type=module'], {
        cwd: root,
        input: block,
        encoding: 'utf8',
    });
    assert.deepEqual(output.trimEnd().split('\n'), expected);
});

test('docs/embedding.md names every option that the element takes', async () => {
    const { loadEngine } = await import('../../web/engine/index.js');
    const { options, schedules } = await loadEngine();
    const text = read('docs/embedding.md');
    // Options of schedules that are not there yet need no words.
    const used = options.filter(({ name }) => schedules.some((schedule) => schedule.options.includes(name)));
    assert.deepEqual(
        used.map(({ name }) => name).filter((name) => !text.includes(`\`${name}\``)),
        [],
    );
    assert.deepEqual(
        schedules.map(({ name }) => name).filter((name) => !text.includes(`\`${name}\``)),
        [],
    );
});

test('both editions ask the core for the same numbers, and the uneven stages come out as chapter.py has them', () => {
    const asked = (/** @type {string} */ lang) =>
        matches(read(`web/page/index.${lang}.html`), /\{\{value [^}]*\}\}/g).sort();
    assert.deepEqual(asked('en'), asked('ru'));
    assert.ok(asked('ru').length > 30);
    for (const path of Object.values(editions)) {
        const text = flat(prose(read(path)));
        for (const ticks of ['19', '29', '22'])
            assert.match(text, new RegExp(`(?<![\\d,.])${ticks}(?![\\d,.]\\d)`), `${path}: ${ticks}`);
    }
});
