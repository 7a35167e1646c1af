// What a suite opens before its tests is closed behind them, also when opening fails half-way: node:test calls no `after`
// where a `before` has thrown, and a browser left open would keep the test file running for ever.
import { after, before } from 'node:test';

/**
 * In place of before() and after(). @param {(closing: (close: () => unknown) => void) => unknown} open  says by `closing`,
 * as soon as it has opened something, how that is closed; the last opened is closed first, and each, whatever became of others
 */
export function opening(open) {
    /** @type {(() => unknown)[]} */
    const closers = [];
    async function close() {
        /** @type {unknown[]} */
        const errors = [];
        for (let closer = closers.pop(); closer; closer = closers.pop()) {
            try {
                await closer();
            } catch (error) {
                errors.push(error);
            }
        }
        if (errors.length > 0) throw errors[0];
    }
    before(async () => {
        try {
            await open((closer) => closers.push(closer));
        } catch (error) {
            await close().catch(() => {}); // the first fault is the one to tell
            throw error;
        }
    });
    after(close);
}
