// The gallery: each example of page/gallery.json with its tag, alive, and with its still picture inside. Node only;
// build.mjs calls it. tests/page/gallery.test.mjs compares the pictures with those in tests/golden/gallery.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadEngine } from '../engine/load.js';
import { asked, OPTIONS } from '../request/state.js';
import { escapeXml } from '../scene/svg.js';
import { languages } from '../words/strings.js';
import { figureHtml } from './static.js';

/**
 * @typedef {object} Example
 * @property {string} name
 * @property {Record<string, string>} title  by language
 * @property {Record<string, string>} words
 * @property {Record<string, string>} attributes  "" for one without a value
 * @property {Record<string, string>} [request]  what the core is asked, where the attributes do not say it
 * @property {string} [box]  class of the box around the figure
 */

const source = (/** @type {string} */ name) =>
    readFileSync(join(fileURLToPath(new URL('..', import.meta.url)), 'page', name), 'utf8');

export const examples = () => /** @type {Example[]} */ (JSON.parse(source('gallery.json')));

/** What the core is asked for the picture. @param {Example} example */
export const requestOf = ({ attributes, request }) =>
    request ?? Object.fromEntries(Object.entries(attributes).filter(([option]) => OPTIONS.includes(option)));

/** @param {Example} example */
export function tagOf({ attributes }) {
    const given = Object.entries(attributes).map(([name, value]) =>
        value === '' ? name : `${name}="${escapeXml(value)}"`,
    );
    return `<${['pipeline-figure', ...given].join(' ')}>`;
}

const FRAME = {
    ru: {
        title: 'Галерея',
        lead: 'Каждый пример — один тег на странице, подключившей скрипт. Внутри тега лежит неподвижная схема: её видно на бумаге и там, где скриптов нет.',
        chapter: 'index.html',
        to_chapter: 'К главе',
        other: 'gallery.en.html',
        other_lang: 'en',
        other_name: 'In English',
        still: 'неподвижная схема',
    },
    en: {
        title: 'Gallery',
        lead: 'Each example is one tag on a page that has the script. Inside the tag is a still picture, seen on paper and where there are no scripts.',
        chapter: 'index.en.html',
        to_chapter: 'To the chapter',
        other: 'gallery.html',
        other_lang: 'ru',
        other_name: 'По-русски',
        still: 'still picture',
    },
};

/** @param {string} outDir */
export async function buildGallery(outDir) {
    const engine = await loadEngine(undefined, { arithmetic: 'plain' });
    const template = source('gallery.html');
    for (const lang of /** @type {('ru' | 'en')[]} */ (languages)) {
        const frame = FRAME[lang];
        const shown = examples().map((example) => {
            const { name, title, words, box } = example;
            const tag = tagOf(example);
            const picture = figureHtml(engine.simulate(asked(requestOf(example))), lang, `still-${name}`);
            return `<section aria-labelledby="${name}">
<h2 id="${name}">${escapeXml(title[lang])}</h2>
<p>${escapeXml(words[lang])}</p>
<div class="listing tag"><pre><code>${escapeXml(tag)}<i lang="${lang}">${frame.still}</i>&lt;/pipeline-figure&gt;</code></pre></div>
<div class="pipeline-figure${box ? ` ${box}` : ''}">${tag}${picture}</pipeline-figure></div>
</section>`;
        });
        const values = /** @type {Record<string, string>} */ ({ ...frame, lang, examples: shown.join('\n') });
        const page = template.replace(/\{\{(\w+)\}\}/g, (_, key) => values[key]);
        writeFileSync(join(outDir, frame.other === 'gallery.html' ? 'gallery.en.html' : 'gallery.html'), page);
    }
}
