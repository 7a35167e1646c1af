// One test passes, the next never ends, and does not listen to signals.
import { test } from 'node:test';

process.on('SIGTERM', () => {});
test('ends', () => {});
test('never ends', () => new Promise(() => setInterval(() => {}, 1000)));
