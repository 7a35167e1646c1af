// What the chapter page does beside its figures: words that set them, questions, exercises, the builder. A classic script of
// its own; without it, and without scripts, the page reads as a page.
import { bindBuilder } from './builder.js';
import { bindExercises } from './exercises.js';
import { bindWords, library, pageLanguage } from './figures.js';
import { bindQuestion } from './questions.js';

/** @param {string} selector @param {(box: HTMLElement) => void} bind */
const each = (selector, bind) => {
    for (const box of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(selector))) bind(box);
};

// Another version of the figure's script may be on the page, or none.
library()
    ?.learnLanguage(pageLanguage())
    .then(
        () => {
            document.documentElement.classList.add('alive');
            bindWords();
            each('.question', bindQuestion);
            each('.exercises', bindExercises);
            each('.builder', bindBuilder);
            // A teacher's link: the full figure before the class.
            if (new URLSearchParams(location.search).has('lecture'))
                document.querySelector('pipeline-figure[figure-id="chapter"]')?.toggleAttribute('lecture', true);
        },
        () => {}, // without its words the page reads as a page
    );
