// The names of the devices at the left edge of a picture that is wider than its box, while it scrolls.

const SVG = 'http://www.w3.org/2000/svg';

export class RowNames {
    #box;
    #names = document.createElementNS(SVG, 'svg');

    /** @param {Element} box  that scrolls */
    constructor(box) {
        this.#box = box;
        this.#names.setAttribute('class', 'pf-scene names');
        this.#names.setAttribute('aria-hidden', 'true');
        box.addEventListener('scroll', () => box.classList.toggle('scrolled', box.scrollLeft > 0), { passive: true });
    }

    /** @param {SVGSVGElement | null} picture @param {import('../scene/scene.js').Scene | null} scene @param {number} width  of the box */
    keep(picture, scene, width) {
        if (!scene || !picture || scene.width <= width) {
            this.remove();
            return;
        }
        const shown = picture.querySelector('.pf-ranks')?.cloneNode(true);
        this.#names.setAttribute('width', String(scene.plot.left - 2));
        this.#names.setAttribute('height', String(scene.height));
        this.#names.replaceChildren(...(shown ? [shown] : []));
        if (!this.#names.isConnected) this.#box.append(this.#names);
    }

    remove() {
        this.#names.remove();
    }
}
