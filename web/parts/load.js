// Parts of the figure that come when they are needed, each once a page: panels that a reader opens, the rest of the core, the
// other language. How they come is the build's choice: by-script.js, by-import.js.
import { fetchPart } from 'pipeline-figure/fetch-part';

/** @type {Map<string, Promise<any>>} */
const asked = new Map();

/** @param {string} name  of a file in this folder or in web/figure/parts @returns {Promise<any>} what it exports */
export function loadPart(name) {
    const known = asked.get(name);
    if (known) return known;
    const part = fetchPart(name);
    asked.set(name, part);
    part.catch(() => asked.delete(name)); // to be asked for again
    return part;
}
