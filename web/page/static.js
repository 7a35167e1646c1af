// The figure without scripts: SVG files for paper and readers of books, and the chapter page with a picture inside each
// element. Everything comes from the same core as the live figure. Node only; build.mjs calls it.
//
//     node web/page/static.js docs    writes docs/figure.svg, the picture of the README; tests/scene/svg.test.mjs compares the two
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { loadEngine } from '../engine/load.js';
import { requestFrom } from '../request/link.js';
import { asked, OPTIONS } from '../request/state.js';
import { peaksOf, trySimulate } from '../request/try-simulate.js';
import { caption, formatNumber, formatPercent, formatShare, peaksText, title } from '../scene/format.js';
import { buildScene } from '../scene/scene.js';
import { escapeXml, sceneToSvg } from '../scene/svg.js';
import { languages, textOf } from '../words/strings.js';
import { svgFile } from '../write/svg-file.js';

/**
 * @typedef {import('../engine/engine.js').Engine} Engine
 * @typedef {import('../engine/types.js').Simulation} Simulation
 */

const folder = fileURLToPath(new URL('..', import.meta.url));
const WIDTH = 760;

/** @param {string} name */
const source = (name) => readFileSync(join(folder, name), 'utf8');

/** The figures of the page: what each asks of the core, which is not all that its attributes say. */
const figureList = () =>
    /** @type {{ name: string, attributes: Record<string, string> }[]} */ (JSON.parse(source('page/figures.json'))).map(
        ({ name, attributes }) => ({
            name,
            request: Object.fromEntries(Object.entries(attributes).filter(([option]) => OPTIONS.includes(option))),
        }),
    );

/**
 * A file that stands alone, for Node.
 * @param {Simulation} simulation @param {string} lang @param {import('../scene/scene.js').SceneOptions} [options]
 */
export function figureSvg(simulation, lang, options = {}) {
    return svgFile(simulation, lang, source('scene/figure.css'), { width: WIDTH, ...options });
}

/** Height of a heading above a figure. */
const HEADING = 28;

/**
 * Figures one below the other on one scale of time, each under its name.
 * @param {{ name: string, simulation: Simulation }[]} list @param {string} lang
 */
export function figuresSvg(list, lang) {
    const span = Math.max(...list.map(({ simulation }) => simulation.summary.makespan));
    let width = 0;
    let height = 0;
    const parts = list.map(({ name, simulation }, i) => {
        const svg = figureSvg(simulation, lang, { span, idPrefix: `figure-${i}` });
        const [, w, h] = /** @type {string[]} */ (/<svg[^>]* width="([\d.]+)" height="([\d.]+)"/.exec(svg));
        const top = height;
        width = Math.max(width, Number(w));
        height += HEADING + Number(h);
        return `<text x="16" y="${top + 20}" font-family="sans-serif" font-size="15" fill="#767676">${escapeXml(name)}</text>${svg.replace('<svg', `<svg y="${top + HEADING}"`)}`;
    });
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><rect class="pf-ground" width="${width}" height="${height}" fill="none"/>${parts.join('\n')}</svg>\n`;
}

/**
 * The picture for a page that links figure.css, with its caption.
 * @param {Simulation} simulation @param {string} lang @param {string} idPrefix
 */
export function figureHtml(simulation, lang, idPrefix) {
    const scene = buildScene(simulation, { width: WIDTH, lang, legend: true, idPrefix });
    const svg = sceneToSvg(scene, { title: title(simulation, lang) });
    return `<figure>${svg}<figcaption>${escapeXml(caption(simulation, lang))}</figcaption></figure>`;
}

/** The picture of the README. @param {Engine} engine */
export function readmeFigure(engine) {
    return figureSvg(engine.simulate({ schedule: '1f1b', ranks: 4, microbatches: 8 }), 'en');
}

/**
 * Writes figure-NAME.LANG.svg for each figure of the page.
 * @param {string} outDir
 */
export async function staticFigures(outDir) {
    const engine = await loadEngine(undefined, { arithmetic: 'plain' });
    mkdirSync(outDir, { recursive: true });
    for (const { name, request } of figureList()) {
        const simulation = engine.simulate(asked(request));
        for (const lang of languages)
            writeFileSync(join(outDir, `figure-${name}.${lang}.svg`), figureSvg(simulation, lang));
    }
}

// ---- the page ----

/** "schedule=gpipe;ranks=4" @param {string} text */
function requestOf(text) {
    return Object.fromEntries(
        text.split(';').map((pair) => {
            const at = pair.indexOf('=');
            if (at < 1) throw new Error(`page: "${pair}" is not name=value`);
            return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
        }),
    );
}

/** Memory of the first device in micro-batches; with recomputation those kept whole, and inputs. @param {Engine} engine @param {Record<string, string>} request @param {string} lang */
function memoryText(engine, request, lang) {
    const { config } = engine.simulate(asked(request));
    const [whole] = peaksOf(engine, request, String(1 / config.chunks), '0');
    if (config.recompute === 'none') return formatNumber(whole, lang);
    const [inputs] = peaksOf(engine, request, '0', '1');
    return textOf(lang, 'page_memory', formatNumber(whole, lang), formatNumber(inputs, lang));
}

/** One number of a simulation as the page shows it. @param {Simulation} simulation @param {string} field @param {string} lang */
function valueText(simulation, field, lang) {
    const { summary } = simulation;
    if (field === 'peaks') return peaksText(simulation, lang, ', ');
    if (field === 'bubble_percent') return formatPercent(summary.bubble_fraction, lang);
    if (field === 'messages') return formatNumber(summary.transfers_forward + summary.transfers_backward, lang);
    if (summary[field] === undefined) throw new Error(`page: the core has no figure named ${field}`);
    if (summary[`${field}_denominator`] !== undefined) return formatShare(summary, field, lang);
    return formatNumber(summary[field], lang);
}

/**
 * Fills a template: {{static:NAME.LANG}} is a picture of figures.json, {{value FIELD REQUEST}} a number of the core,
 * {{set FIGURE STATE|words}} words that set a figure, where there are scripts.
 * @param {string} template @param {string} lang @param {Engine} engine
 */
export function fillPage(template, lang, engine) {
    const figures = new Map(figureList().map(({ name, request }) => [name, request]));
    const linked = template.includes('figure.css')
        ? template
        : template.replace(
              '<link rel="stylesheet" href="page.css">',
              '<link rel="stylesheet" href="figure.css">\n  $&',
          );
    // From the inside out: the words that set a figure may hold a number of the core.
    const innermost = /\{\{((?:(?!\{\{|\}\}).)*)\}\}/gs;
    let text = linked;
    for (let before = ''; before !== text; ) {
        before = text;
        text = text.replace(innermost, (whole, inside) => fill(whole, inside));
    }
    return text;

    /** @param {string} whole @param {string} inside @returns {string} */
    function fill(whole, inside) {
        const picture = /^static:([\w-]+)\.(\w+)$/.exec(inside);
        const request = picture && figures.get(picture[1]);
        if (request) return figureHtml(engine.simulate(asked(request)), picture[2], `static-${picture[1]}`);
        const value = /^value (\w+) (.+)$/.exec(inside);
        if (value?.[1] === 'memory') return escapeXml(memoryText(engine, requestOf(value[2]), lang));
        if (value) return escapeXml(valueText(engine.simulate(asked(requestOf(value[2]))), value[1], lang));
        const set = /^set ([\w-]+) ([^|]+)\|(.*)$/s.exec(inside);
        if (set) {
            const { error } = trySimulate(engine, requestFrom(set[2]));
            if (error) throw new Error(`page: ${whole}: ${error.message}`);
            return `<span class="set" data-figure="${set[1]}" data-state="${set[2]}">${set[3]}</span>`;
        }
        throw new Error(`page: nothing to put in place of ${whole}`);
    }
}

/**
 * Writes the chapter page in both languages, and what it links to.
 * @param {string} outDir
 */
export async function buildPage(outDir) {
    const engine = await loadEngine(undefined, { arithmetic: 'plain' });
    mkdirSync(outDir, { recursive: true });
    for (const [lang, name] of [
        ['ru', 'index.html'],
        ['en', 'index.en.html'],
    ]) {
        writeFileSync(join(outDir, name), fillPage(source(`page/index.${lang}.html`), lang, engine));
    }
    for (const name of ['page.css', 'chapter.py']) copyFileSync(join(folder, 'page', name), join(outDir, name));
    copyFileSync(join(folder, 'scene/figure.css'), join(outDir, 'figure.css'));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    if (process.argv[2] !== 'docs') {
        process.stderr.write('usage: node web/page/static.js docs\n');
        process.exitCode = 2;
    } else {
        const docs = join(folder, '../docs');
        mkdirSync(docs, { recursive: true });
        writeFileSync(
            join(docs, 'figure.svg'),
            `${readmeFigure(await loadEngine(undefined, { arithmetic: 'plain' }))}\n`,
        );
    }
}
