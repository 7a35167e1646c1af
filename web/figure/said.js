// Words that change while a reader looks. A page translator puts every text into elements of its own; a part of a text would
// then be changed where nobody sees it, so what changes is set as the whole content of an element.
import { html } from 'lit';

/** @param {string} text */
export const said = (text) => html`<span .textContent=${text}></span>`;

/**
 * Takes a translator's elements out again, before the figure is drawn anew: what has changed since finds its place, and is
 * translated again. @param {ParentNode} root
 */
export function untranslate(root) {
    for (const font of root.querySelectorAll('font')) {
        if (font.isConnected && !font.parentElement?.closest('font')) font.replaceWith(font.textContent ?? '');
    }
}
