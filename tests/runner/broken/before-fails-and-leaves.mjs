// The same by hand: nobody closes what was opened, and the open process keeps the file from ending. It has a group of its own,
// as a browser has.
import { spawn } from 'node:child_process';
import { before, describe, it } from 'node:test';

describe('a suite', () => {
    before(() => {
        spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)', 'left-open'], { detached: true });
        throw new Error('the driver refuses');
    });
    it('never begins', () => {});
});
