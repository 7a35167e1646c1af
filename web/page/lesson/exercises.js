// Exercises beside the one full figure: one at a time, with three hints, a check that knows the usual mistakes, and numbers of
// the reader's own. What is right is computed by the core; where a state of the figure is asked for, the figure checks it.
import { allAnswers, answerTo, forgetAnswers, numberIn, pick, remember, sameNumber, seedOfReader } from './answers.js';
import { figureNamed, library, make, pageLanguage, say, setFigure } from './figures.js';

/** Mistakes by the way they are made. @type {Record<string, (p: number, m: number) => number>} */
const MISTAKES = {
    'p*m': (p, m) => p * m,
    'p+m': (p, m) => p + m,
    m: (_, m) => m,
    'm+p-1': (p, m) => m + p - 1,
    'm*2+p': (p, m) => 2 * m + p,
    'm/(m+p)': (p, m) => m / (m + p),
    '(p-1)/p': (p) => (p - 1) / p,
    '(p-1)/m': (p, m) => (p - 1) / m,
    '(p-1)/(m+p-1)': (p, m) => (p - 1) / (m + p - 1),
};

/** "3-7" @param {string | undefined} text @param {number} seed @param {number} place */
function drawn(text, seed, place) {
    const [from, to] = (text ?? '1-1').split('-').map(Number);
    return pick(seed, place, from, to);
}

/** @param {number} value @param {Record<string, number>} summary @param {string} field */
function shown(value, summary, field) {
    const over = summary[`${field}_denominator`];
    if (over > 1) return `${summary[`${field}_numerator`]}/${over}`;
    return new Intl.NumberFormat(pageLanguage(), { maximumFractionDigits: 2 }).format(value);
}

class Exercise {
    /** @type {number | null} */
    #right = null;

    /** @param {HTMLElement} box @param {number} place @param {number} seed @param {string | undefined} figure */
    constructor(box, place, seed, figure) {
        this.box = box;
        this.name = `exercise-${box.dataset.name}`;
        this.figure = figureNamed(figure);
        this.p = drawn(box.dataset.p, seed, 2 * place);
        this.m = drawn(box.dataset.m, seed, 2 * place + 1);
        this.state = (box.dataset.state ?? '').replace('{p}', String(this.p)).replace('{m}', String(this.m));
        for (const part of /** @type {NodeListOf<HTMLElement>} */ (box.querySelectorAll('[data-v]'))) {
            if (part.dataset.v === 'p') part.textContent = String(this.p);
            if (part.dataset.v === 'm') part.textContent = String(this.m);
        }
        this.#build();
    }

    /** What is right, by the core. */
    async #answer() {
        const { ask, right } = this.box.dataset;
        if (right) return Number(right);
        if (this.#right !== null || !ask) return this.#right;
        const { sharedEngine, requestFrom } = library();
        const engine = await sharedEngine();
        const { summary } = engine.simulate({ ...requestFrom(this.state), 'costs-of': 'device' });
        this.#right = summary[ask];
        const answer = this.box.querySelector('[data-v="answer"]');
        if (answer) answer.textContent = shown(summary[ask], summary, ask);
        return this.#right;
    }

    #build() {
        const { box } = this;
        const hints = /** @type {HTMLElement[]} */ ([...box.querySelectorAll('.hints > li')]);
        const mistakes = /** @type {HTMLElement[]} */ ([...box.querySelectorAll('[data-mistake]')]);
        const details = /** @type {HTMLDetailsElement} */ (box.querySelector('details'));
        for (const part of [...hints, ...mistakes]) part.hidden = true;
        const verdict = make('p', { class: 'verdict', role: 'status' });
        const hint = /** @type {HTMLButtonElement} */ (make('button', { type: 'button' }, say('exercise_hint')));
        hint.addEventListener('click', () => {
            const next = hints.find((part) => part.hidden);
            if (next) next.hidden = false;
            hint.disabled = !hints.some((part) => part.hidden);
        });
        const set = make('button', { type: 'button' }, say('exercise_set'));
        set.addEventListener('click', () => this.#set());
        const row = make('form', { class: 'ask' });
        if (box.dataset.ask || box.dataset.right) {
            const input = make('input', { type: 'text', inputmode: 'decimal', autocomplete: 'off', size: '6' });
            row.append(
                make('label', {}, say('question_answer'), ' ', input),
                make('button', {}, say('question_check')),
            );
            row.addEventListener('submit', async (event) => {
                event.preventDefault();
                const { value } = /** @type {HTMLInputElement} */ (input);
                const number = numberIn(value);
                if (Number.isNaN(number)) {
                    verdict.textContent = say('question_number');
                    return;
                }
                const holds = sameNumber(number, Number(await this.#answer()));
                for (const part of mistakes) {
                    const wrong = MISTAKES[part.dataset.mistake ?? '']?.(this.p, this.m);
                    part.hidden = holds || wrong === undefined || !sameNumber(number, wrong);
                }
                this.done(holds, value);
            });
            const before = answerTo(this.name);
            if (before?.given) /** @type {HTMLInputElement} */ (input).value = before.given;
        }
        row.append(set, hint);
        details.before(row, verdict);
        details.addEventListener('toggle', () => this.#answer());
        this.verdict = verdict;
        const before = answerTo(this.name);
        if (before) this.#say(before.holds);
    }

    async #set() {
        const { figure, box } = this;
        if (!figure) return;
        await setFigure(figure, this.state);
        figure.challenge = box.dataset.challenge ?? null;
    }

    /** @param {boolean} holds */
    #say(holds) {
        const verdict = /** @type {HTMLElement} */ (this.verdict);
        verdict.textContent = say(holds ? 'question_right' : 'question_wrong');
        verdict.toggleAttribute('data-right', holds);
    }

    /** @param {boolean} holds @param {string} given */
    done(holds, given) {
        this.#say(holds);
        remember(this.name, { given, holds, p: this.p, m: this.m, state: this.state });
        this.box.dispatchEvent(new CustomEvent('lesson-answer', { bubbles: true }));
    }

    /** Whether a task of the figure is this one's. @param {string} challenge */
    owns(challenge) {
        return this.box.dataset.challenge === challenge;
    }
}

/** @param {HTMLElement} list  .exercises */
export function bindExercises(list) {
    const seed = seedOfReader();
    const boxes = /** @type {HTMLElement[]} */ ([...list.querySelectorAll('.exercise')]);
    const exercises = boxes.map((box, place) => new Exercise(box, place, seed, list.dataset.figure));
    let at = 0;
    const count = make('span', { class: 'count', role: 'status' });
    const step = (/** @type {number} */ by) => {
        at = Math.min(boxes.length - 1, Math.max(0, at + by));
        for (const [i, box] of boxes.entries()) box.hidden = i !== at;
        const solved = exercises.filter(({ name }) => answerTo(name)?.holds).length;
        count.textContent = say('exercise_count', at + 1, boxes.length, solved);
        back.disabled = at === 0;
        next.disabled = at === boxes.length - 1;
    };
    const button = (/** @type {string} */ key, /** @type {() => void} */ does) => {
        const made = /** @type {HTMLButtonElement} */ (make('button', { type: 'button' }, say(key)));
        made.addEventListener('click', does);
        return made;
    };
    const back = button('exercise_back', () => step(-1));
    const next = button('exercise_next', () => step(1));
    const bar = make('div', { class: 'stepper', role: 'group', 'aria-label': say('exercise_all') }, back, count, next);
    list.prepend(bar);
    list.append(reportOf(seed, exercises, () => step(0)));
    list.addEventListener('lesson-answer', () => step(0));
    figureNamed(list.dataset.figure)?.addEventListener('pipeline-answer', (event) => {
        const { challenge, solved } = /** @type {CustomEvent} */ (event).detail;
        const own = exercises.find((exercise) => exercise.owns(challenge));
        if (own && solved) own.done(true, '');
    });
    step(0);
}

/** @param {string} type @param {string} text @param {string} name */
function save(type, text, name) {
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A report to hand in, made here. @param {number} seed @param {Exercise[]} exercises @param {() => void} update */
function reportOf(seed, exercises, update) {
    const name = /** @type {HTMLInputElement} */ (make('input', { type: 'text', autocomplete: 'name' }));
    const content = () => ({
        chapter: '19.4',
        name: name.value,
        seed,
        date: new Date().toISOString(),
        answers: allAnswers(),
        exercises: exercises.map(({ name: exercise, p, m, state }) => ({
            exercise,
            p,
            m,
            state,
            ...(answerTo(exercise) ?? { holds: false }),
        })),
    });
    const text = () => {
        const { answers } = content();
        const lines = Object.entries(answers)
            .filter(([key]) => key !== 'seed')
            .map(
                ([key, { given, holds }]) =>
                    `${key}: ${given || '—'} ${say(holds ? 'question_right' : 'question_wrong')}`,
            );
        return [`${say('report_title')} — ${name.value}`, `${say('report_seed')}: ${seed}`, ...lines].join('\n');
    };
    const button = (/** @type {string} */ key, /** @type {() => void} */ does) => {
        const made = make('button', { type: 'button' }, say(key));
        made.addEventListener('click', does);
        return made;
    };
    const again = button('report_forget', () => {
        forgetAnswers();
        location.reload();
    });
    const box = make(
        'details',
        { class: 'report' },
        make('summary', {}, say('report_title')),
        make('p', {}, say('report_words', seed)),
        make(
            'div',
            { class: 'ask' },
            make('label', {}, say('report_name'), ' ', name),
            button('report_text', () => save('text/plain', text(), 'pipeline-report.txt')),
            button('report_json', () =>
                save('application/json', JSON.stringify(content(), null, 2), 'pipeline-report.json'),
            ),
            button('report_print', () => print()),
            again,
        ),
    );
    box.addEventListener('toggle', update);
    return box;
}
