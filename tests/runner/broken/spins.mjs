// A loop without end: no timer of its own process could stop it.
import { test } from 'node:test';

test('spins', () => {
    for (;;);
});
