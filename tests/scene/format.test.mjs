// Numbers, plurals and sentences in both languages. Spaces are compared as one kind, except where the test is about them.
import assert from 'node:assert/strict';
import test from 'node:test';
import {
    caption,
    countOf,
    describeAction,
    describeIdle,
    exactFraction,
    formatNumber,
    formatPercent,
    formatShare,
    formula,
    headline,
    keyNumbers,
    mathText,
    partsText,
    pluralOf,
    settingsText,
    title,
} from '../../web/scene/format.js';
import { engine } from '../support/scenes.mjs';

const nbsp = '\u00a0';
const plain = (text) => text.replaceAll(nbsp, ' ');
const say = (request, lang, others = {}) => {
    const simulation = engine.simulate(request);
    const with_ = (change) => change && engine.simulate({ ...request, ...change });
    return plain(partsText(headline(simulation, lang, { compare: with_(others.compare) })));
};
const p4m8 = { ranks: 4, microbatches: 8 };

test('MUST-06: numbers: decimal comma and unbroken groups in Russian, point in English, a real minus', () => {
    assert.equal(formatNumber(28.5, 'ru'), '28,5');
    assert.equal(formatNumber(28.5, 'en'), '28.5');
    assert.equal(formatNumber(1234, 'ru'), '1234');
    assert.equal(formatNumber(12345.678, 'ru'), `12${nbsp}345,68`);
    assert.equal(formatNumber(-1, 'ru'), '\u22121');
    assert.equal(formatPercent(3 / 11, 'ru'), `27,3${nbsp}%`);
    assert.equal(formatPercent(3 / 11, 'en'), '27.3%');
    assert.equal(formatNumber(1 / 3, 'ru', 3), '0,333');
});

test('shares are exact where the core has them exact, a percentage where it has not', () => {
    const whole = engine.simulate({ schedule: 'gpipe', ...p4m8 }).summary;
    assert.equal(formatShare(whole, 'bubble_fraction', 'ru'), '3/11');
    assert.equal(exactFraction(whole, 'bubble_ratio'), '3/8');
    const broken = engine.simulate({ schedule: 'gpipe', ...p4m8, forward: 0.5, backward: 1 }).summary;
    assert.equal(exactFraction(broken, 'utilization'), null);
    assert.equal(formatShare(broken, 'bubble_fraction', 'ru'), `27,3${nbsp}%`);
    assert.equal(exactFraction(engine.simulate({ ranks: 1 }).summary, 'utilization'), '1');
});

test('a word follows its number', () => {
    const forms = {
        0: 'тактов',
        1: 'такт',
        2: 'такта',
        4: 'такта',
        5: 'тактов',
        11: 'тактов',
        12: 'тактов',
        21: 'такт',
        22: 'такта',
        100: 'тактов',
        111: 'тактов',
        0.5: 'такта',
        1.5: 'такта',
        28.5: 'такта',
    };
    for (const [value, word] of Object.entries(forms)) assert.equal(pluralOf(Number(value), 'ru', 'tick'), word, value);
    assert.equal(countOf(21, 'ru', 'microbatch'), `21${nbsp}микробатч`);
    assert.equal(countOf(1, 'en', 'tick'), `1${nbsp}tick`);
    assert.equal(countOf(0.5, 'en', 'tick'), `0.5${nbsp}ticks`);
    // Shown as 2, so it is treated as 2.
    assert.equal(countOf(1.9999999, 'ru', 'tick'), `2${nbsp}такта`);
});

test('POINT-07: headline, forward only: the sentence of the chapter', () => {
    assert.equal(say({}, 'ru'), 'Через 3 стадии проходят 4 микробатча: 6 тактов, и треть клеток пуста.');
    assert.equal(say({}, 'en'), '4 micro-batches pass through 3 stages: 6 ticks, and a third of the cells is empty.');
    assert.equal(say(p4m8, 'ru'), 'Через 4 стадии проходят 8 микробатчей: 11 тактов, и 3/11 клеток пусто.');
    assert.equal(
        say({ ranks: 5, microbatches: 2 }, 'ru'),
        'Через 5 стадий проходят 2 микробатча: 6 тактов, и две трети клеток пусты.',
    );
    assert.equal(
        say({ ranks: 1, microbatches: 21 }, 'ru'),
        'Через 1 стадию проходит 21 микробатч: 21 такт, и пустых клеток нет.',
    );
});

test('headline: what each schedule is about, beside another', () => {
    assert.equal(
        say({ schedule: '1f1b', ...p4m8 }, 'ru', { compare: { schedule: 'gpipe' } }),
        '1F1B: 4 стадии, 8 микробатчей; время — 33 такта. Доля пузыря та же, что у GPipe, — 3/11, но первое устройство хранит 4 активации вместо 8.',
    );
    assert.equal(
        say({ schedule: '1f1b', ranks: 4, microbatches: 4 }, 'ru', { compare: { schedule: 'gpipe' } }),
        '1F1B: 4 стадии, 4 микробатча; время — 21 такт. Доля пузыря та же, что у GPipe, — 3/7, и первое устройство хранит столько же: 4 активации.',
    );
    assert.equal(
        say({ schedule: '1f1b', ...p4m8, latency: 1 }, 'en', { compare: { schedule: 'gpipe' } }),
        '1F1B: 4 stages, 8 micro-batches, each transfer takes 1 tick; it takes 49 ticks. The bubble fraction is 51% instead of 38.5% with GPipe; the first device keeps 4 activations instead of 8.',
    );
    assert.equal(
        say({ schedule: 'gpipe', ...p4m8 }, 'ru'),
        'GPipe: 4 стадии, 8 микробатчей; время — 33 такта. Доля пузыря — 3/11, и каждое устройство хранит 8 активаций.',
    );
    assert.equal(
        say({ schedule: 'interleaved', ...p4m8 }, 'ru', { compare: { schedule: '1f1b', chunks: 1 } }),
        'Чередование: 4 устройства по 2 стадии, 8 микробатчей; время — 57 тактов. Доля пузыря 15,8 % вместо 27,3 % у 1F1B, но передач 112 вместо 48.',
    );
    assert.equal(
        say({ ranks: 4, microbatches: 8, forward: '1 1 2 1' }, 'ru'),
        'Только вперёд: 4 стадии, 8 микробатчей, стадии неравны; время — 19 тактов. Темп задаёт устройство 3: 2 такта на микробатч. Простой — 9/19 времени устройств.',
    );
    assert.equal(
        say({ schedule: 'naive', ranks: 4, microbatches: 2 }, 'ru'),
        'По очереди: 4 стадии, 2 микробатча; время — 24 такта. Занято всегда одно устройство, остальные ждут: простой — 3/4 времени.',
    );
    assert.match(say({ schedule: 'gpipe', recompute: 'late' }, 'ru'), /активации пересчитываются; время — 24 такта/);
});

test('the numbers of the headline can be edited: parts name their option, and the time stands out', () => {
    const parts = headline(engine.simulate({ schedule: 'interleaved', ...p4m8 }), 'ru');
    assert.deepEqual(
        parts.filter((part) => part.option).map(({ option, value, text }) => [option, value, text]),
        [
            ['ranks', 4, '4'],
            ['chunks', 2, '2'],
            ['microbatches', 8, '8'],
        ],
    );
    assert.deepEqual(
        parts.filter((part) => part.strong).map((part) => plain(part.text)),
        ['57 тактов'],
    );
    for (const part of parts) assert.doesNotMatch(part.text, /[{}*]|undefined/);
});

test('an action in words', () => {
    const forward = engine.simulate({});
    const at = (simulation, rank, op, microbatch) =>
        [...simulation.actions.op.keys()].find(
            (i) =>
                simulation.actions.rank[i] === rank &&
                simulation.actions.op[i] === op &&
                simulation.actions.microbatch[i] === microbatch,
        );
    assert.equal(
        plain(describeAction(forward, at(forward, 1, 0, 2), 'ru')),
        'Устройство 2, прямой проход микробатча 3 на стадии 2: с 3 до 4. Нужен результат стадии 1 (прямой проход, устройство 1): готов к 3. Операция началась сразу. Результата ждёт устройство 3: прямой проход на стадии 3, начнёт в 4.',
    );
    assert.equal(
        plain(describeAction(forward, at(forward, 0, 0, 0), 'en')),
        'Device 1, forward of micro-batch 1 at stage 1: time 0 to 1. It needs nobody’s result. Device 2 waits for the result: forward at stage 2, starting at 1.',
    );
    const slow = engine.simulate({ schedule: '1f1b', ...p4m8, latency: 1 });
    assert.match(
        plain(describeAction(slow, at(slow, 2, 0, 0), 'ru')),
        /готов к 3, пришёл в 4\. .*простаивало 4 такта\./,
    );
    const queued = engine.simulate({ ranks: 2, microbatches: 3, forward: '1 2' });
    assert.match(plain(describeAction(queued, at(queued, 1, 0, 2), 'ru')), /результат ждал 2 такта\./);
    const gpipe = engine.simulate({ schedule: 'gpipe', recompute: 'late' });
    assert.match(plain(describeAction(gpipe, at(gpipe, 0, 4, 1), 'ru')), /Результат нужен обратному проходу/);
});

test('an idle interval in words: filling, waiting, on its way, sending, draining', () => {
    const reasons = (request, lang) => {
        const simulation = engine.simulate(request);
        return [...simulation.idle.rank.keys()].map((j) => plain(describeIdle(simulation, j, lang)));
    };
    const plainOnes = reasons({}, 'ru');
    assert.ok(
        plainOnes.includes(
            'Устройство 3 простаивает с 0 до 2: конвейер заполняется. Ждёт, пока устройство 2 закончит прямой проход микробатча 1 на стадии 2.',
        ),
    );
    assert.ok(plainOnes.includes('Устройство 1 закончило свою работу и простаивает с 4 до 6: конвейер опустошается.'));
    assert.ok(
        reasons({ schedule: '1f1b', ...p4m8 }, 'ru').includes(
            'Устройство 1 простаивает с 4 до 10: ждёт, пока устройство 2 закончит обратный проход микробатча 1 на стадии 2.',
        ),
    );
    assert.ok(
        reasons({ latency: 1 }, 'ru').includes(
            'Устройство 2 простаивает с 1 до 2: устройство 1 уже закончило прямой проход микробатча 1 на стадии 1, но результат ещё в пути.',
        ),
    );
    assert.ok(
        reasons({ latency: 1, transfer: 'sender' }, 'en').includes(
            'Device 1 does not compute from 1 to 2: it sends a result (forward of micro-batch 1 at stage 1).',
        ),
    );
});

test('every cell and every wait can be described, in both languages', () => {
    for (const request of [
        { schedule: '1f1b', ...p4m8, latency: 0.5, transfer: 'sender' },
        { schedule: '1f1b', ranks: 3, microbatches: 4, latency: 1, transfer: 'rendezvous' },
        { schedule: 'interleaved', ranks: 2, microbatches: 4 },
        { schedule: 'gpipe', recompute: 'early' },
    ]) {
        const simulation = engine.simulate(request);
        for (const lang of ['ru', 'en']) {
            const texts = [...simulation.idle.rank.keys()].map((j) => describeIdle(simulation, j, lang));
            for (let i = 0; i < simulation.actions.count; i++) texts.push(describeAction(simulation, i, lang));
            for (const text of texts) assert.doesNotMatch(text, /[{}]|undefined|NaN|\d\.\d\d\d/, text);
        }
    }
});

test('POINT-05: the formula with the present numbers', () => {
    const text = (request, lang = 'ru') => plain(formula(engine.simulate(request), lang).text);
    assert.equal(text({}), 'U = m / (m + p − 1) = 4 / (4 + 3 − 1) = 2/3');
    assert.equal(
        text({ schedule: 'gpipe', ...p4m8 }),
        'доля пузыря = (p − 1) / (m + p − 1) = (4 − 1) / (8 + 4 − 1) = 3/11',
    );
    assert.equal(
        text({ schedule: 'interleaved', ...p4m8 }, 'en'),
        'bubble fraction = (p − 1) / (v · m + p − 1) = (4 − 1) / (2 · 8 + 4 − 1) = 3/19',
    );
    assert.equal(
        text({ schedule: '1f1b', ...p4m8, latency: 1 }),
        'доля пузыря = простой / (p · T) = 100 / (4 · 49) = 25/49',
    );
    assert.equal(text({ ...p4m8, forward: '1 1 2 1' }), 'U = работа / (p · T) = 40 / (4 · 19) = 10/19');
});

test('the formula says whether it holds, and why not', () => {
    const note = (request) => plain(formula(engine.simulate(request), 'ru').note);
    assert.equal(formula(engine.simulate({}), 'ru').holds, true);
    assert.match(note({}), /^Верно, пока/);
    assert.match(note({ forward: '1 2 1' }), /^Стадии неравны/);
    assert.match(note({ schedule: '1f1b', ...p4m8, latency: 1 }), /без них шаг занял бы 33 такта, с ними — 49 тактов/);
    assert.match(note({ schedule: 'gpipe', recompute: 'late' }), /^Верно, пока/); // R and B then count as one
    // Of a definition it is not said that it holds only sometimes.
    for (const schedule of ['zb-h1', 'zb-h2', 'dualpipe', 'bfs', 'gis', 'chimera', 'pipedream'])
        assert.match(note({ schedule, ranks: 4, microbatches: 8 }), /^Короткой формулы/);
    assert.match(note({ schedule: 'gpipe', recompute: 'early' }), /^Пересчёт/);
    assert.equal(formula(engine.simulate({ latency: 1 }), 'ru').holds, false);
});

test('what stands between the signs of equality is equal, for every shape', () => {
    const value = (text) =>
        Function(
            `return ${text
                .replaceAll('−', '-')
                .replaceAll('·', '*')
                .replaceAll(nbsp, '')
                .replace(',', '.')
                .replace(/([\d.]+)%/, '$1/100')}`,
        )();
    for (const schedule of ['forward', 'naive', 'gpipe', '1f1b', 'interleaved']) {
        for (let p = 2; p <= 6; p++) {
            for (const rounds of [1, 2, 5]) {
                for (const more of [{}, { latency: 1 }, { forward: 0.5 }]) {
                    const simulation = engine.simulate({ schedule, ranks: p, microbatches: p * rounds, ...more });
                    const { text, math } = formula(simulation, 'ru');
                    const [, , numbers, result] = text.split(' = ');
                    const percent = /%/.test(result) ? 6e-4 : 1e-12;
                    assert.ok(
                        Math.abs(value(numbers) - value(result)) < percent,
                        `${schedule} ${p} ${rounds}: ${text}`,
                    );
                    assert.equal(math.type, 'math');
                    assert.equal(mathText(math.shapes[0]), text);
                }
            }
        }
    }
});

test('four numbers: time, utilization, bubble, and what this setting is about', () => {
    const numbers = (request) =>
        keyNumbers(engine.simulate(request), 'ru').map(({ label, value }) => plain(`${label} ${value}`));
    assert.deepEqual(numbers({}), [
        'время 6 тактов',
        'занятость U 2/3',
        'доля пузыря 1/3',
        'задержка микробатча 3 такта',
    ]);
    assert.deepEqual(numbers({ schedule: '1f1b', ...p4m8 }), [
        'время шага 33 такта',
        'занятость U 8/11',
        'доля пузыря 3/11',
        'активаций на устройствах 4 · 3 · 2 · 1',
    ]);
    assert.equal(numbers({ ...p4m8, forward: '1 1 2 1' })[3], 'темп микробатч за 2 такта');
    assert.equal(numbers({ schedule: '1f1b', ranks: 16, microbatches: 32 })[3], 'активаций, не больше 16');
    for (const each of keyNumbers(engine.simulate({}), 'en').slice(1, 3)) assert.match(each.percent, /^\d+(\.\d)?%$/);
});

test('settings, caption and title say all that is needed without the controls', () => {
    const slow = engine.simulate({ schedule: '1f1b', ...p4m8, latency: 1 });
    assert.equal(plain(settingsText(slow, 'ru')), '1F1B, 4 устройства, 8 микробатчей; F = 1, B = 2; передача 1 такт');
    assert.equal(
        plain(caption(slow, 'ru')),
        '1F1B, 4 устройства, 8 микробатчей; F = 1, B = 2; передача 1 такт. Время 49 тактов, занятость 24/49, доля пузыря 25/49, активаций на устройствах 4, 3, 2, 1.',
    );
    const uneven = engine.simulate({ schedule: 'interleaved', ranks: 2, microbatches: 4, forward: '1 0.5 1 1' });
    assert.match(plain(settingsText(uneven, 'ru')), /2 устройства по 2 стадии, 4 микробатча; F = 1; 0,5; 1; 1, B = 2$/);
    assert.equal(plain(title(engine.simulate({}), 'ru')), 'Расписание «Только вперёд»: 3 устройства, 4 микробатча');
    const sender = engine.simulate({ schedule: 'gpipe', latency: '1 2', transfer: 'sender', recompute: 'early' });
    assert.match(
        plain(settingsText(sender, 'en')),
        /transfer 1; 2; a transfer occupies the sender; recomputation ahead/,
    );
});
