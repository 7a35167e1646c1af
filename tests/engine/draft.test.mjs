// A timetable made by hand: each placement is accepted or refused with its reason.
import assert from 'node:assert/strict';
import test from 'node:test';
import { DRAFT, draftCheck } from '../../web/engine/draft.js';
import { engine } from '../support/scenes.mjs';

const wave = { schedule: 'forward', ranks: 3, microbatches: 4 };
const F = (stage, microbatch, start) => ({ rank: stage, op: 0, stage, microbatch, start });
const B = (stage, microbatch, start) => ({ rank: stage, op: 1, stage, microbatch, start });

test('the wave of the chapter can be placed, in any order of hand', () => {
    const cells = [];
    for (let k = 0; k < 4; k++) for (let s = 0; s < 3; s++) cells.push(F(s, k, s + k));
    const placed = [];
    for (const cell of cells) {
        assert.equal(draftCheck(engine, wave, placed, cell).why, 'fits');
        placed.push(cell);
    }
    assert.equal(draftCheck(engine, wave, placed, F(0, 0, 9)).why, 'twice');
});

test('what is wrong has its name, and what is in the way is told', () => {
    const placed = [F(0, 0, 0), F(0, 1, 1)];
    const why = (wanted, all = placed) => draftCheck(engine, wave, all, wanted);
    assert.equal(why(F(0, 2, 1)).why, 'taken');
    assert.equal(why(F(1, 0, 0)).why, 'early');
    assert.deepEqual(why(F(1, 0, 0)).other, F(0, 0, 0));
    assert.equal(why(F(1, 2, 3)).why, 'missing');
    assert.equal(why({ ...F(1, 0, 1), rank: 2 }).why, 'elsewhere');
    assert.equal(why(F(1, 0, 1)).why, 'fits');
    const late = [F(1, 3, 3)];
    assert.equal(why(F(0, 3, 3), late).why, 'blocks');
    assert.deepEqual(new Set(DRAFT).size, 8);
});

test('a step with backwards: order, time and memory', () => {
    const two = { schedule: '1f1b', ranks: 2, microbatches: 3 };
    const placed = [F(0, 0, 0), F(1, 0, 1)];
    assert.equal(draftCheck(engine, two, placed, B(0, 0, 2)).why, 'missing');
    assert.equal(draftCheck(engine, two, placed, B(1, 0, 2)).why, 'fits');
    const further = [...placed, B(1, 0, 2), F(0, 1, 1)];
    assert.equal(draftCheck(engine, two, further, B(0, 0, 3)).why, 'early');
    assert.equal(draftCheck(engine, two, further, B(0, 0, 4)).why, 'fits');
    assert.equal(draftCheck(engine, two, further, F(0, 2, 2), 2).why, 'memory');
    assert.equal(draftCheck(engine, two, further, F(0, 2, 2)).why, 'fits');
    // Once the backward has ended there is room again.
    assert.equal(draftCheck(engine, two, [...further, B(0, 0, 4)], F(0, 2, 6), 2).why, 'fits');
});
