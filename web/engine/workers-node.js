// Workers of Node for workers.js: the same text, in threads.
import { Worker } from 'node:worker_threads';
import { workerText } from './workers.js';

/** Node reads two clocks for the time origin of a thread; where it had to wait in between, that is off by up to a millisecond. */
const origin = performance.timeOrigin + performance.now() - Number(process.hrtime.bigint()) / 1e6;
const text = workerText(
    `require('node:worker_threads').parentPort, () => ${origin} + Number(process.hrtime.bigint()) / 1e6`,
);

/** @returns {import('./workers.js').Handle} */
export function threadWorker() {
    const worker = new Worker(text, { eval: true });
    return {
        post: (message, transfer = []) => worker.postMessage(message, transfer),
        listen(take, fail) {
            worker.on('message', take);
            worker.on('error', (error) => fail(String(error)));
        },
        end: () => worker.terminate(),
    };
}
