// A suite whose `before` throws when its browser is open already: a driver refused a command.
import { describe, it } from 'node:test';
import { launch } from '../../support/browser.mjs';
import { opening } from '../../support/hooks.mjs';

describe('a suite', () => {
    opening(async (closing) => {
        const browser = await launch();
        closing(() => browser.close());
        throw new Error('the driver refuses');
    });
    it('never begins', () => {});
});
