// A reporter of node:test for tests/run.mjs, which starts one process for each test file: what becomes of each test goes to
// file descriptor 3, one line of JSON each, at once. It is written synchronously, so that what a file had done before it
// hung or was ended is not lost.
import { writeSync } from 'node:fs';

/** @param {AsyncIterable<{ type: string, data: any }>} source */
// biome-ignore lint/correctness/useYield: a reporter is a generator; this one has nothing to print
export default async function* tell(source) {
    for await (const { type, data } of source) {
        if (type !== 'test:pass' && type !== 'test:fail') continue;
        const { name, skip, todo, details } = data;
        const line = {
            passed: type === 'test:pass',
            name,
            // A suite is the sum of its tests; it fails by itself only where one of its hooks throws.
            suite: details?.type === 'suite',
            why: details?.error?.failureType,
            skip: skip ?? todo,
            milliseconds: Math.round(details?.duration_ms ?? 0),
        };
        writeSync(3, `${JSON.stringify(line)}\n`);
    }
}
