// Questions before the answer is seen: a number, or a choice. After a miss the words for that very mistake are said, and the
// figure is set to what explains it. Whoever wants to may skip.
import { answerTo, numberIn, remember, sameNumber } from './answers.js';
import { figureNamed, make, say, setFigure } from './figures.js';

/**
 * @param {HTMLElement} box  .question of the page: its words, choices if there are any, and in <details> the answer with a
 *     paragraph [data-wrong] for each usual mistake
 */
export function bindQuestion(box) {
    const { name = '', right, figure: figureName, state, light } = box.dataset;
    const details = /** @type {HTMLDetailsElement} */ (box.querySelector('details'));
    const choices = /** @type {HTMLElement[]} */ ([...box.querySelectorAll('.choices > li')]);
    const wrongs = /** @type {HTMLElement[]} */ ([...details.querySelectorAll('[data-wrong]')]);
    const verdict = make('p', { class: 'verdict', role: 'status' });
    for (const words of wrongs) words.hidden = true;
    details.hidden = true;

    // A figure that follows its question keeps its words back until the question is answered, or passed over: the chart is seen,
    // what it comes to is not. Whoever works with the figure himself has gone on.
    const figure = figureNamed(figureName);
    const follows = figure && box.compareDocumentPosition(figure) & Node.DOCUMENT_POSITION_FOLLOWING;
    const waits = make('p', { class: 'waits' }, say('question_waits'));
    const reveal = () => {
        figure?.removeAttribute('unanswered');
        waits.remove();
    };
    const show = () => {
        reveal();
        if (!figure || !state) return;
        setFigure(figure, state).then(() => figure.highlight(light ?? null));
    };
    /** @param {string} given  a number as typed, or the place of a choice from 1; empty: skipped @param {boolean} quiet */
    const judge = (given, quiet) => {
        const number = numberIn(given);
        const holds = choices.length
            ? choices[Number(given) - 1]?.dataset.right !== undefined
            : sameNumber(number, Number(right));
        if (given !== '' && !choices.length && Number.isNaN(number)) {
            verdict.textContent = say('question_number');
            return;
        }
        for (const words of wrongs) {
            const wrong = words.dataset.wrong ?? '';
            words.hidden =
                given === '' || holds || !(choices.length ? wrong === given : sameNumber(number, Number(wrong)));
        }
        verdict.textContent = given === '' ? '' : say(holds ? 'question_right' : 'question_wrong');
        verdict.toggleAttribute('data-right', holds);
        details.hidden = false;
        details.open = true;
        box.dataset.done = '';
        if (choices.length && given !== '') {
            for (const [i, input] of box.querySelectorAll('input').entries()) input.checked = i + 1 === Number(given);
        }
        if (quiet) return;
        remember(name, { given, holds });
        show();
        box.dispatchEvent(new CustomEvent('lesson-answer', { bubbles: true, detail: { name, given, holds } }));
    };

    const form = make('form', { class: 'ask' });
    const skip = make('button', { type: 'button', class: 'skip' }, say('question_skip'));
    skip.addEventListener('click', () => judge('', false));
    if (choices.length) {
        const group = make('div', { role: 'radiogroup', 'aria-label': box.querySelector('p')?.textContent ?? '' });
        for (const [i, choice] of choices.entries()) {
            const input = make('input', { type: 'radio', name: `question-${name}`, value: String(i + 1) });
            group.append(make('label', {}, input, ' ', ...choice.cloneNode(true).childNodes));
        }
        group.addEventListener('change', (event) => judge(/** @type {HTMLInputElement} */ (event.target).value, false));
        box.querySelector('.choices')?.replaceWith(group);
        form.append(skip);
    } else {
        const input = make('input', { type: 'text', inputmode: 'decimal', autocomplete: 'off', size: '6' });
        form.append(
            make('label', {}, say('question_answer'), ' ', input),
            make('button', {}, say('question_check')),
            skip,
        );
        form.addEventListener('submit', (event) => {
            event.preventDefault();
            const { value } = /** @type {HTMLInputElement} */ (input);
            judge(value.trim() === '' ? '?' : value, false);
        });
        const before = answerTo(name)?.given;
        if (before) /** @type {HTMLInputElement} */ (input).value = before;
    }
    details.before(form, verdict);
    const before = answerTo(name);
    if (before) judge(before.given, true);
    else if (figure && follows) {
        figure.setAttribute('unanswered', '');
        form.after(waits);
        figure.addEventListener('pipeline-change', reveal, { once: true });
    }
}
