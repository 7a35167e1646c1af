// Beside the broken ones: it is told all the same.
import { test } from 'node:test';

test('fine', () => {});
test('left out', { skip: 'NO REASON' }, () => {});
