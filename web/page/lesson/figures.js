// The figures of a page, by their name, and the words of the page that set them. The element does all the work: it is
// given a state, and says whether it stands there.

/**
 * @typedef {HTMLElement & { ready: Promise<boolean>, show: (state: string, options?: { view?: boolean }) => boolean,
 *     stands: (state: string) => boolean, highlight: (what: string | null) => void, challenge: string | null }} Figure
 *
 * @typedef {object} Library  what the figure's own script shares
 * @property {(lang: string, key: string, ...values: (string | number)[]) => string} textOf
 * @property {(lang: string) => Promise<void>} learnLanguage
 * @property {() => Promise<import('../../engine/engine.js').Engine>} sharedEngine
 * @property {(text: string) => Record<string, string | null>} requestFrom
 * @property {typeof import('../../engine/draft.js').draftCheck} draftCheck
 */

/** @returns {Library} undefined where there is no such script */
export const library = () => /** @type {any} */ (globalThis).PipelineFigure;

/** @param {string | undefined} name @returns {Figure | null} */
export const figureNamed = (name) =>
    name ? document.querySelector(`pipeline-figure[figure-id="${CSS.escape(name)}"]`) : null;

/** The language of the page. */
export const pageLanguage = () => (document.documentElement.lang.startsWith('ru') ? 'ru' : 'en');

/** A text of the tables. @param {string} key @param {...(string | number)} values */
export const say = (key, ...values) => library().textOf(pageLanguage(), key, ...values);

/** @param {string} tag @param {Record<string, string>} [attributes] @param {...(Node | string)} content */
export function make(tag, attributes = {}, ...content) {
    const node = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    node.append(...content);
    return node;
}

/** Sets a figure and brings it into sight where it is out of it. @param {Figure} figure @param {string} state */
export async function setFigure(figure, state) {
    await figure.ready;
    figure.show(state);
    const { top, bottom } = figure.getBoundingClientRect();
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches;
    if (bottom < 80 || top > innerHeight - 80) {
        figure.scrollIntoView({ block: 'center', behavior: still ? 'auto' : 'smooth' });
    }
}

/**
 * Words that set a figure become links to its state; a plain click sets the figure where it is. While it stands as the words
 * say, they are marked.
 */
export function bindWords() {
    /** @type {Map<Figure, { link: HTMLElement, state: string }[]>} */
    const byFigure = new Map();
    for (const words of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('span.set'))) {
        const { figure: name, state = '' } = words.dataset;
        const figure = figureNamed(name);
        if (!figure) continue;
        const link = make('a', { href: `#pipeline.${name}=${state}`, class: 'set' }, ...words.childNodes);
        link.addEventListener('click', (event) => {
            // With a key held the reader wants another tab or window.
            if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
            event.preventDefault();
            setFigure(figure, state);
        });
        words.replaceWith(link);
        byFigure.set(figure, [...(byFigure.get(figure) ?? []), { link, state }]);
    }
    for (const [figure, list] of byFigure) {
        const mark = () => {
            for (const { link, state } of list) {
                if (figure.stands(state)) link.setAttribute('aria-current', 'true');
                else link.removeAttribute('aria-current');
            }
        };
        for (const name of ['pipeline-ready', 'pipeline-change', 'pipeline-select'])
            figure.addEventListener(name, mark);
    }
}
