// A section of the page stays the section. In #sec&pipeline.x=1f1b;p4 the state of a figure stands behind the name of a
// section, and no browser looks for the section then: it is opened here, once, as the browser would have done it.
import { sectionIn } from '../request/link.js';

/** The hash whose section is still to be opened, or is open while the figures above it are still growing. */
let pending = '';
/** Where the page was scrolled to for it; -1 before. */
let top = -1;

/** Opens the section again, unless the reader has gone elsewhere since: figures above it have another height by now. */
export function openSection() {
    const { hash } = location;
    const name = sectionIn(hash);
    if (name === null || hash !== pending || (top >= 0 && Math.abs(scrollY - top) > 1)) return;
    const section = document.getElementById(name);
    if (!section) return;
    section.scrollIntoView();
    top = scrollY;
}

function follow() {
    pending = location.hash;
    top = -1;
    openSection();
}

/** Once a page. A page that is loaded anew, or come back to, is scrolled by the browser to where it was. */
export function watchSection() {
    if (watching) return;
    watching = true;
    addEventListener('hashchange', follow);
    const [entry] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType('navigation'));
    if (entry && entry.type !== 'navigate') return;
    follow();
    addEventListener('load', openSection);
}
let watching = false;
