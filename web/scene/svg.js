// Draws a scene: as text for Node (files, the static figure of a page) and with DOM calls for a page. Both walk the same
// list of shapes. No innerHTML, no style attribute: a page may forbid both.

const SVG = 'http://www.w3.org/2000/svg';
/** Around the picture in a file. */
const MARGIN = 12;
const MATHML = 'http://www.w3.org/1998/Math/MathML';

/**
 * @typedef {import('./scene.js').Shape} Shape
 * @typedef {import('./scene.js').Scene} Scene
 */

const OWN = new Set(['type', 'text', 'shapes']);

// ---- text ----

/** @param {string | number} text */
export function escapeXml(text) {
    return String(text)
        .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd') // XML has no way to write these
        .replace(/&/g, '&amp;')
        .replace(/</g, '&lt;')
        .replace(/>/g, '&gt;')
        .replace(/"/g, '&quot;');
}

/** @param {Shape} shape @returns {string} */
export function shapeToText(shape) {
    let tag = shape.type;
    for (const name of Object.keys(shape)) {
        // A file has no page around it whose style sheet could name a part.
        if (!OWN.has(name) && name !== 'part' && shape[name] !== undefined)
            tag += ` ${name}="${escapeXml(shape[name])}"`;
    }
    const inner =
        (shape.text === undefined ? '' : escapeXml(shape.text)) + (shape.shapes ?? []).map(shapeToText).join('');
    return inner === '' ? `<${tag}/>` : `<${tag}>${inner}</${shape.type}>`;
}

/** @param {string} text @param {RegExp} pattern */
function section(text, pattern) {
    const found = pattern.exec(text);
    if (!found) throw new Error(`figure.css: nothing like ${pattern}`);
    return found[1];
}

/**
 * Values of the inner tokens: light, dark, forced colours.
 * @param {string} css text of figure.css
 * @returns {Record<string, string[]>}
 */
export function colourTokens(css) {
    /** @type {Record<string, string[]>} */
    const tokens = {};
    const paired = /(--pf-[\w-]+):\s*var\(--pipeline-[\w-]+,\s*light-dark\(\s*([^,()]+),\s*([^,()]+)\)\s*\)/g;
    for (const [, name, light, dark] of css.matchAll(paired)) tokens[name] = [light.trim(), dark.trim(), light.trim()];
    for (const [, name, forced] of css.matchAll(/(--pf-[\w-]+):\s*(\w+);/g)) tokens[name][2] = forced;
    return tokens;
}

/**
 * Colours of figure.css for a file that stands alone: no custom properties and no light-dark(), which drawing programs do
 * not know; light, with the other themes behind media queries.
 * @param {string} css text of figure.css
 */
export function standaloneCss(css) {
    const tokens = colourTokens(css);
    const strip = (/** @type {string} */ text) => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\.pf-scene /g, '');
    const rules = strip(section(css, /\/\* scene-begin \*\/([\s\S]*)\/\* scene-end \*\//));
    // Only what has a colour has to be said again for another theme.
    const coloured = [...rules.matchAll(/([^{}]+)\{([^{}]*)\}/g)]
        .map(([, selector, body]) => [
            selector,
            body
                .split(';')
                .filter((line) => line.includes('var(--pf-'))
                .join(';'),
        ])
        .map(([selector, body]) => (body === '' ? '' : `${selector}{${body}}`))
        .join('');
    const forced = section(css, /@media \(forced-colors: active\) \{([\s\S]*?)\n\}/).replace(/^[^{}]*\{[^{}]*\}/, '');
    /** @param {string} text @param {number} theme */
    const painted = (text, theme) =>
        text
            .replace(/var\((--pf-[\w-]+)\)/g, (_, name) => tokens[name][theme])
            .replace(/\s+/g, ' ')
            .replace(/ ?([{};:,]) ?/g, '$1')
            .trim();
    return [
        'svg{font-family:system-ui,Segoe UI,Roboto,DejaVu Sans,Arial,sans-serif}',
        painted(rules, 0),
        `@media (prefers-color-scheme:dark){${painted(coloured, 1)}}`,
        `@media (forced-colors:active){${painted(coloured + strip(forced), 2)}}`,
    ].join('');
}

/**
 * @param {Scene} scene
 * @param {{ standalone?: boolean, title?: string, desc?: string, css?: string }} [options]
 *     standalone: a file by itself, with css (see standaloneCss) inside. title, desc: its name and description for those
 *     who cannot see it.
 */
export function sceneToSvg(scene, options = {}) {
    const { standalone = false, title, desc, css } = options;
    const ids = [];
    /** @type {Shape[]} */
    const head = [];
    if (title) {
        ids.push(`${scene.idPrefix}-title`);
        head.push({ type: 'title', id: ids[0], text: title });
    }
    if (desc) {
        ids.push(`${scene.idPrefix}-desc`);
        head.push({ type: 'desc', id: ids[ids.length - 1], text: desc });
    }
    /** @type {Shape} */
    const root = { type: 'svg', ...(standalone ? { xmlns: SVG } : {}), ...rootAttributes(scene) };
    if (ids.length > 0) root.role = 'img';
    if (ids.length > 0) root['aria-labelledby'] = ids.join(' ');
    if (standalone && css) head.push({ type: 'style', text: css });
    root.shapes = [...head, ...scene.shapes];
    if (standalone) framed(root, scene, head.length);
    return shapeToText(root);
}

/** A file has a ground of its own, with a margin: it may be shown on any. @param {Shape} root @param {Scene} scene @param {number} at */
function framed(root, scene, at) {
    const width = scene.width + 2 * MARGIN;
    const height = scene.height + 2 * MARGIN;
    const x = -MARGIN;
    root.viewBox = `${x} ${x} ${width} ${height}`;
    Object.assign(root, { width, height });
    root.shapes?.splice(at, 0, { type: 'rect', class: 'pf-ground', x, y: x, width, height, fill: 'none' });
}

/** @param {Scene} scene */
function rootAttributes(scene) {
    const { width, height } = scene;
    return { class: 'pf-scene', viewBox: `0 0 ${width} ${height}`, width, height, fill: 'currentColor' };
}

// ---- page ----

/** Shape each node was last drawn from. @type {WeakMap<Node, Shape>} */
const drawnFrom = new WeakMap();

/** @param {Document} document @param {Shape} shape @param {string} namespace @returns {Element} */
function makeNode(document, shape, namespace) {
    const node = document.createElementNS(namespace, shape.type);
    for (const name of Object.keys(shape)) {
        if (!OWN.has(name) && shape[name] !== undefined) node.setAttribute(name, String(shape[name]));
    }
    if (shape.text !== undefined) node.textContent = shape.text;
    for (const child of shape.shapes ?? []) node.append(makeNode(document, child, namespace));
    drawnFrom.set(node, shape);
    return node;
}

/** @param {Element} node @param {Shape} shape */
function changeNode(node, shape) {
    const old = drawnFrom.get(node);
    if (old === shape) return;
    if (old) {
        for (const name of Object.keys(old)) {
            if (!OWN.has(name) && old[name] !== undefined && shape[name] === undefined) node.removeAttribute(name);
        }
    }
    for (const name of Object.keys(shape)) {
        if (!OWN.has(name) && shape[name] !== undefined && old?.[name] !== shape[name]) {
            node.setAttribute(name, String(shape[name]));
        }
    }
    if (shape.text !== undefined) {
        if (old?.text !== shape.text) node.textContent = shape.text;
    } else {
        if (old?.text !== undefined) node.textContent = '';
        changeChildren(node, shape.shapes ?? []);
    }
    drawnFrom.set(node, shape);
}

/** Makes the children of a node those of a list, keeping the nodes there are. @param {Element} parent @param {Shape[]} shapes */
function changeChildren(parent, shapes) {
    let node = parent.firstElementChild;
    for (const shape of shapes) {
        if (node && node.localName === shape.type) {
            const next = node.nextElementSibling;
            changeNode(node, shape);
            node = next;
        } else {
            parent.insertBefore(makeNode(parent.ownerDocument, shape, parent.namespaceURI ?? SVG), node);
        }
    }
    while (node) {
        const next = node.nextElementSibling;
        node.remove();
        node = next;
    }
}

/**
 * A new <svg> with the scene. The caller gives it role and name, and inserts it.
 * @param {Scene} scene @param {Document} document
 * @returns {SVGSVGElement}
 */
export function renderScene(scene, document) {
    const svg = /** @type {SVGSVGElement} */ (document.createElementNS(SVG, 'svg'));
    svg.append(document.createElementNS(SVG, 'g'), document.createElementNS(SVG, 'g'));
    svg.children[1].setAttribute('class', 'pf-overlay');
    updateSvg(svg, scene);
    return svg;
}

/**
 * Draws another scene into an <svg> of renderScene. Nodes are used again.
 * @param {SVGSVGElement} svg @param {Scene} scene
 */
export function updateSvg(svg, scene) {
    const attributes = rootAttributes(scene);
    for (const [name, value] of Object.entries(attributes)) {
        if (name === 'class') svg.classList.add(String(value));
        else if (svg.getAttribute(name) !== String(value)) svg.setAttribute(name, String(value));
    }
    changeChildren(svg.children[0], scene.shapes);
}

/**
 * Lays shapes (of selectionShapes, microbatchShapes, …) over the scene; the scene fades while there are any. An empty
 * list takes them away.
 * @param {SVGSVGElement} svg @param {Shape[]} shapes @param {{ dim?: boolean }} [options]
 */
export function updateOverlay(svg, shapes, options = {}) {
    svg.classList.toggle('pf-dim', (options.dim ?? true) && shapes.length > 0);
    changeChildren(svg.children[1], shapes);
}

/**
 * A <math> element from the tree that formula() in format.js makes.
 * @param {Shape} tree @param {Document} document
 */
export function renderMath(tree, document) {
    return makeNode(document, tree, MATHML);
}
