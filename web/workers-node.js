// Workers of Node for workers.js: the same text, in threads.
import { Worker } from 'node:worker_threads';
import { workerText } from './workers.js';

/** @returns {import('./workers.js').Handle} */
export function threadWorker() {
    const worker = new Worker(workerText("require('node:worker_threads').parentPort"), { eval: true });
    return {
        post: (message, transfer = []) => worker.postMessage(message, transfer),
        listen(take, fail) {
            worker.on('message', take);
            worker.on('error', (error) => fail(String(error)));
        },
        end: () => worker.terminate(),
    };
}
