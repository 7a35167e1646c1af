// What a reader changes by hand, as far as it needs no page: moves of an order, an order that stalls, a step whose costs
// change, the words for it, what can be taken back.
import assert from 'node:assert/strict';
import test from 'node:test';
import { asLayers } from '../../web/figure/edit-bars.js';
import { stallText } from '../../web/figure/edit-order.js';
import { differenceText, withMove } from '../../web/figure/order-words.js';
import { History } from '../../web/request/history.js';
import { nearestLegalRequest, requestFrom, stateText } from '../../web/request/link.js';
import { ordersAnew } from '../../web/request/state.js';
import { trySimulate } from '../../web/request/try-simulate.js';
import { settingsText } from '../../web/scene/format.js';
import { circleShapes } from '../../web/scene/overlays.js';
import { buildScene } from '../../web/scene/scene.js';
import { engine } from '../support/scenes.mjs';

const plain = (/** @type {string} */ text) => text.replace(/\s/g, ' ');
const start = { schedule: '1f1b', ranks: '4', microbatches: '8' };

test('moves add up while they are of one action', () => {
    assert.equal(withMove(null, '1F2', -1), '1F2-1');
    assert.equal(withMove('1F2-1', '1F2', -1), '1F2-2');
    assert.equal(withMove('0B0+3 1F2-1', '1F2', 1), '0B0+3');
    assert.equal(withMove('1F2-1', '1F2', 1), null);
    assert.equal(withMove('1F2-1', '0B0', 2), '1F2-1 0B0+2');
});

test('moved there and back an order is the generated one, and its figures are those of a closed form no more', () => {
    const generated = engine.simulate(start);
    const moved = engine.simulate({ ...start, moves: '0B0-1 0B0+1' });
    assert.deepEqual(moved.actions, generated.actions);
    assert.equal(generated.config.edited, false);
    assert.equal(moved.config.edited, true);
    assert.equal(generated.summary.formula_holds, 1);
    assert.equal(moved.summary.formula_holds, 0);
    assert.match(settingsText(moved, 'ru'), /порядок операций изменён вручную/);
    assert.equal(
        plain(differenceText(moved, generated, 'en')),
        'The order was changed, and the numbers are the same: it takes 33 ticks.',
    );
});

test('a move that the order does not have is refused with the word at fault', () => {
    for (const [moves, seen] of [
        ['0F0-1', '0F0-1'],
        ['0B0-1, 9F0+1', '9F0+1'],
        ['earlier', 'earlier'],
    ]) {
        const { error } = trySimulate(engine, { ...start, moves });
        assert.equal(error?.code, 'moves');
        assert.equal(error?.option, 'moves');
        assert.ok(error?.message.includes(`= ${seen}:`), error?.message);
        assert.equal(error?.stall, null);
    }
});

test('an order that waits for itself runs as far as it can, and tells its circle', () => {
    const request = { schedule: 'gpipe', ranks: '2', microbatches: '2', moves: '1F0+1 1B1-2 0B0-1', forward: '1 3' };
    const { error } = trySimulate(engine, request);
    assert.equal(error?.code, 'deadlock');
    const stall = /** @type {import('../../web/engine/types.js').Stall} */ (error?.stall);
    assert.equal(stall.halt, 1);
    const name = (/** @type {number} */ i) =>
        `${stall.actions.stage[i]}${'FB'[stall.actions.op[i]]}${stall.actions.microbatch[i]}`;
    const pairs = [0, 1].map((n) => [...stall.circle.slice(2 * n, 2 * n + 2)].map(name).join(' needs '));
    assert.deepEqual(pairs.sort(), ['0B0 needs 1B0', '1F1 needs 0F1']);
    assert.equal(pairs.length, error?.fault.cycle);
    assert.equal(stallText(stall, 'ru').length, 3);
    const scene = buildScene(/** @type {any} */ (stall), { phases: false });
    assert.equal(circleShapes(scene, stall).filter((shape) => shape.class?.includes('arrow-tip')).length, 4);
});

test('a held step follows its costs bit for bit, and its cut of layers', () => {
    for (const request of [start, { ...start, schedule: 'zb-h1', latency: '1' }, { ...start, schedule: 'dualpipe' }]) {
        const held = engine.hold(request);
        for (const forward of ['1 2 1 1', '0.5', '3 1 1 2.5']) {
            const wanted = engine.simulate({ ...request, forward });
            assert.deepEqual(held.time({ ...request, forward }), wanted);
        }
        held.close();
        held.close();
    }
    const layered = { ...start, layers: '1 2 3 4 5 6 7 8', cuts: '2' };
    const held = engine.hold(layered);
    for (const cuts of ['1 3 2 2', '3 1 1 3']) {
        assert.deepEqual(held.time({ ...layered, cuts }), engine.simulate({ ...layered, cuts }));
    }
    held.close();
    assert.throws(() => engine.hold({ ranks: 0 }), /ranks/);
});

test('stages taken as layers keep their times where all are equal, and their forward in any case', () => {
    for (const request of [start, { ...start, forward: '2', backward: '3' }]) {
        const { summary } = engine.simulate(request);
        const layered = engine.simulate({ ...request, ...asLayers(engine.simulate(request), request) });
        assert.equal(layered.summary.makespan, summary.makespan);
        assert.equal(layered.config.layers, 16);
    }
    const uneven = { ...start, forward: '1 2 1 3', backward: '2 4 2 6' };
    const simulation = engine.simulate(uneven);
    const layered = engine.simulate({ ...uneven, ...asLayers(simulation, uneven), cuts: '4' });
    assert.deepEqual(layered.costs.forward, simulation.costs.forward);
    assert.deepEqual(layered.costs.backward, simulation.costs.backward);
});

test('an order by hand is part of a link, and ends where another order is asked for', () => {
    const request = { ...start, moves: '0B0-1 1F2+3' };
    assert.equal(requestFrom(stateText(request)).moves, request.moves);
    for (const moves of ['1B0-3', '9F9+1']) {
        // Of an order that cannot run, or is none, a link leaves the generated one.
        assert.deepEqual(nearestLegalRequest(engine, { ...start, moves }, 1000), start);
    }
    assert.ok(ordersAnew(request, { ...request, microbatches: '9' }));
    assert.ok(ordersAnew(request, { ...request, 'microbatch-size': '2' }));
    assert.ok(!ordersAnew(request, { ...request, forward: '2', latency: '1', layers: '8', transfer: 'sender' }));
});

test('changes of one thing in one go are taken back together, moves one by one', () => {
    const history = new History();
    history.note('a', 'forward');
    history.note('b', 'forward');
    history.note('c', '');
    history.note('d', '');
    assert.equal(history.go('e', true), 'd');
    assert.equal(history.go('d', true), 'c');
    assert.equal(history.go('c', true), 'a');
    assert.equal(history.canUndo, false);
    assert.equal(history.go('a', true), undefined);
    assert.equal(history.go('a', false), 'c');
    history.note('c', '');
    assert.equal(history.canRedo, false);
    // A gesture is one change, whatever it changes and however long it lasts.
    history.begin();
    history.note('d', 'layers,cuts');
    history.note('e', 'cuts');
    history.end();
    history.note('f', 'cuts');
    assert.equal(history.go('g', true), 'f');
    assert.equal(history.go('f', true), 'd');
});
