// Settings whose pictures are tested, and ways to read a scene: its shapes one after the other, and the boxes in a path.
import { loadEngine } from '../../web/engine/index.js';

export const engine = await loadEngine();

/** Name, options of the core, options of the scene. Each is a golden SVG and is looked at by the tests of the layout. */
export const settings = [
    ['forward-p3-m4.ru', {}, { lang: 'ru' }],
    ['forward-p3-m4-360.ru', {}, { lang: 'ru', width: 328 }],
    ['uneven-p4-m8.ru', { ranks: 4, microbatches: 8, forward: '1 1 2 1' }, { lang: 'ru' }],
    ['forward-p4-m2.en', { ranks: 4, microbatches: 2 }, { lang: 'en' }],
    ['forward-p1-m5.ru', { ranks: 1, microbatches: 5 }, { lang: 'ru' }],
    ['forward-p3-m4-c1.ru', { latency: 1 }, { lang: 'ru' }],
    ['naive-p3-m2.en', { schedule: 'naive', ranks: 3, microbatches: 2 }, { lang: 'en' }],
    ['gpipe-p4-m8.en', { schedule: 'gpipe', ranks: 4, microbatches: 8 }, { lang: 'en' }],
    ['gpipe-p3-m4-late.ru', { schedule: 'gpipe', recompute: 'late', latency: 0.5, transfer: 'sender' }, { lang: 'ru' }],
    ['1f1b-p4-m8.ru', { schedule: '1f1b', ranks: 4, microbatches: 8 }, { lang: 'ru' }],
    ['1f1b-p4-m8-360.en', { schedule: '1f1b', ranks: 4, microbatches: 8 }, { lang: 'en', width: 328, minCell: 14 }],
    ['1f1b-p4-m8-c1.ru', { schedule: '1f1b', ranks: 4, microbatches: 8, latency: 1 }, { lang: 'ru' }],
    ['1f1b-p8-m32-1200.ru', { schedule: '1f1b', ranks: 8, microbatches: 32 }, { lang: 'ru', width: 1160 }],
    ['interleaved-p4-m8-v2.ru', { schedule: 'interleaved', ranks: 4, microbatches: 8 }, { lang: 'ru' }],
    [
        'interleaved-p3-m3-v3-c05.en',
        { schedule: 'interleaved', ranks: 3, microbatches: 3, chunks: 3, latency: 0.5 },
        { lang: 'en', width: 900 },
    ],
];

/** Every shape of a list and of its children. */
export function* walk(shapes) {
    for (const shape of shapes) {
        yield shape;
        yield* walk(shape.shapes ?? []);
    }
}

/** Shapes that have all the classes, children of patterns left out. */
export function find(scene, ...classes) {
    return [...walk(scene.shapes)].filter((shape) =>
        classes.every((name) => (shape.class ?? '').split(' ').includes(name)),
    );
}

/** The subpaths of a path as boxes, numbers read from the text as a browser would. */
export function boxesOf(d) {
    const boxes = [];
    let x = 0;
    let y = 0;
    let box = null;
    const see = () => {
        box.x0 = Math.min(box.x0, x);
        box.x1 = Math.max(box.x1, x);
        box.y0 = Math.min(box.y0, y);
        box.y1 = Math.max(box.y1, y);
    };
    for (const [, letter, text] of d.matchAll(/([a-zA-Z])([^a-zA-Z]*)/g)) {
        const n = (text.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number);
        if (letter === 'M') {
            [x, y] = n;
            box = { x0: x, x1: x, y0: y, y1: y };
            boxes.push(box);
        } else if (letter === 'L') [x, y] = n;
        else if (letter === 'l') [x, y] = [x + n[0], y + n[1]];
        else if (letter === 'H') [x] = n;
        else if (letter === 'V') [y] = n;
        else if (letter === 'h') x += n[0];
        else if (letter === 'v') y += n[0];
        else if (letter === 'a') [x, y] = [x + n[5], y + n[6]];
        else if (letter !== 'z') throw new Error(`path command ${letter}`);
        see();
    }
    return boxes;
}
