// Contrast as it is on the screen: computed colours of what the figure draws, against what lies under it. axe does not
// look at SVG.

/**
 * Runs in the page: every text and every shape with an edge of the pictures of the first figure, with its colours.
 * @returns {{ kind: 'text' | 'edge', what: string, ink: string, ground: string }[]}
 */
export function colouredThings() {
    const root = /** @type {ShadowRoot} */ (document.querySelector('pipeline-figure')?.shadowRoot);
    /** @type {{ kind: 'text' | 'edge', what: string, ink: string, ground: string }[]} */
    const found = [];
    /** The colour of a fill; of a pattern the colour of its ground. @param {Element} shape @returns {string} */
    const fillOf = (shape) => {
        const { fill, fillOpacity, opacity } = getComputedStyle(shape);
        const id = /url\("?#([^")]+)/.exec(fill)?.[1];
        if (id) return fillOf(/** @type {Element} */ (root.querySelector(`[id="${id}"] > *`)));
        return Number(fillOpacity) * Number(opacity) < 1 ? 'none' : fill;
    };
    const pageGround = getComputedStyle(document.documentElement).backgroundColor;
    for (const picture of /** @type {NodeListOf<SVGSVGElement>} */ (
        root.querySelectorAll('.chart > svg:not(.time, .names), .beside > svg, svg.sweep, svg.strip, svg.bar')
    )) {
        const shapes = /** @type {SVGGeometryElement[]} */ (
            [...picture.querySelectorAll('path, rect, circle')].filter(
                (shape) =>
                    !shape.closest('pattern, defs, .places, .pf-overlay') && shape.getBoundingClientRect().width > 0,
            )
        );
        const style = (/** @type {Element} */ shape) => getComputedStyle(shape);
        /** Colour at a point of the picture, without `but`. @param {DOMPoint} point @param {Element} [but] */
        const under = (point, but) => {
            for (const shape of shapes.toReversed()) {
                if (shape === but || fillOf(shape) === 'none' || fillOf(shape) === 'rgba(0, 0, 0, 0)') continue;
                // Some engines have no matrix of the outermost picture: its own units are then meant.
                const own = picture.getCTM();
                const outside = own ? point.matrixTransform(own) : point;
                const at = outside.matrixTransform(/** @type {DOMMatrix} */ (shape.getCTM()).inverse());
                if (shape.isPointInFill(at)) return fillOf(shape);
            }
            return pageGround;
        };
        for (const text of picture.querySelectorAll('text')) {
            const box = text.getBBox();
            if (box.width === 0 || style(text).visibility === 'hidden' || text.closest('.places')) continue;
            const point = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2);
            found.push({
                kind: 'text',
                what: `${text.getAttribute('class') ?? picture.getAttribute('class')} ${text.textContent}`,
                ink: style(text).fill,
                ground: under(point),
            });
        }
        // A cell is seen by its edge or by its fill, against idle time and against the ground of the chart.
        const idle = picture.querySelector('.pf-idle, .pf-hatch');
        const grounds = [pageGround, ...(idle ? [fillOf(idle)] : [])];
        for (const shape of shapes) {
            const name = shape.getAttribute('class') ?? '';
            const isHandle = shape.matches('.handle > :is(circle, path)');
            const counts = /(^|\s)pf-[FBIWR](\s|$)|sweep-(?:axis|line|point)|pf-memory|piece|cuts|slowest/;
            if (!isHandle && !counts.test(name)) continue;
            const { stroke, strokeWidth } = style(shape);
            for (const ground of grounds) {
                found.push({
                    kind: 'edge',
                    what: isHandle ? 'handle' : name,
                    ink: `${Number.parseFloat(strokeWidth) > 0 ? stroke : 'none'}|${fillOf(shape)}`,
                    ground,
                });
            }
        }
    }
    return found;
}

/** @param {string} colour @returns {number[] | null} */
function channels(colour) {
    const numbers = colour.match(/-?[\d.]+(?:e-?\d+)?/g)?.map(Number);
    if (!numbers || /none|rgba\(.*, 0\)/.test(colour)) return null;
    return colour.startsWith('color(srgb') ? numbers.slice(0, 3).map((n) => 255 * n) : numbers.slice(0, 3);
}

/** @param {number[]} rgb  0 to 255 */
function luminance(rgb) {
    const [r, g, b] = rgb.map((value) => {
        const c = value / 255;
        return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** By WCAG 2; 1 where one of them is nothing. @param {string} a @param {string} b */
export function contrast(a, b) {
    const [first, second] = [channels(a), channels(b)];
    if (!first || !second) return 1;
    const [low, high] = [luminance(first), luminance(second)].sort((x, y) => x - y);
    return (high + 0.05) / (low + 0.05);
}

/** What is too faint: 4.5 for text, 3 for an edge or, in its place, a fill. @param {ReturnType<typeof colouredThings>} things */
export const tooFaint = (things) => [
    ...new Set(
        things
            .filter(({ kind, ink, ground }) => {
                const best = Math.max(...ink.split('|').map((colour) => contrast(colour, ground)));
                return best < (kind === 'text' ? 4.5 : 3);
            })
            .map(({ what, ink, ground }) => `${what}: ${ink} on ${ground}`),
    ),
];
