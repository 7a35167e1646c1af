// A run of tests always comes to its closing line, whatever a file does, and tells which file it was. The files in broken/
// are no tests by their names, and are run from here alone.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { withoutBrowser } from '../support/browser.mjs';
import { MARK, marked } from '../support/processes.mjs';

const program = fileURLToPath(new URL('../run.mjs', import.meta.url));
const broken = (/** @type {string} */ name) => fileURLToPath(new URL(`broken/${name}.mjs`, import.meta.url));
let runs = 0;

/**
 * Runs files as npm test does, and gives what was said, and what is still running of all that was started.
 * @param {string[]} names @param {Record<string, string>} [env]
 */
async function run(names, env = {}) {
    const mark = `${process.env[MARK] ?? ''}/${process.pid}-run-${++runs}`;
    const child = spawn(process.execPath, [program, ...names.map(broken)], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { ...process.env, ...env, [MARK]: mark },
    });
    let said = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
        said += text;
    });
    const status = await new Promise((ended) => child.once('close', ended));
    return { status, said, closing: said.trimEnd().split('\n').at(-1), left: marked(mark).map(({ name }) => name) };
}

const told = (/** @type {string} */ said, /** @type {string} */ name) =>
    said.split('\n').filter((line) => line.startsWith(`failed: tests/runner/broken/${name}.mjs: `));

test('a driver that fails in before: its browser is closed, the file ends by itself and is told', {
    skip: withoutBrowser,
}, async () => {
    const { status, said, closing, left } = await run(['before-fails', 'fine']);
    assert.equal(status, 1);
    assert.equal(closing, '1 passed, 2 failed', said); // the hook, and the test that it cancelled
    assert.equal(told(said, 'before-fails').length, 2);
    assert.match(said, /the driver refuses/);
    assert.doesNotMatch(said, /left running|did not end/);
    assert.match(said, /^SKIPPED 1: NO REASON$/m);
    assert.deepEqual(left, []);
});

test('a driver that fails in before and is left open: the file is ended at its limit, and what it left with it', async () => {
    const { status, said, closing, left } = await run(['before-fails-and-leaves', 'fine'], { PP_FILE_LIMIT: '5' });
    assert.equal(status, 1);
    assert.equal(closing, '1 passed, 3 failed', said);
    assert.match(told(said, 'before-fails-and-leaves').join('\n'), /did not end within 5 seconds and was ended/);
    assert.deepEqual(left, []);
});

test('a test that hangs, and one that spins: each is ended at the limit, and what had passed before counts', async () => {
    const { status, said, closing, left } = await run(['hangs', 'spins', 'fine'], { PP_FILE_LIMIT: '5' });
    assert.equal(status, 1);
    assert.equal(closing, '2 passed, 2 failed', said);
    assert.match(told(said, 'hangs').join(), /did not end within 5 seconds and was ended; it had told of 1 tests/);
    assert.match(told(said, 'spins').join(), /did not end within 5 seconds/);
    assert.deepEqual(left, []);
});

test('a browser that is killed: its tests are red, others are not, and the file ends by itself', {
    skip: withoutBrowser,
}, async () => {
    const { status, said, closing, left } = await run(['browser-killed', 'fine']);
    assert.equal(status, 1);
    assert.equal(closing, '2 passed, 2 failed', said);
    assert.equal(told(said, 'browser-killed').length, 2, said);
    assert.doesNotMatch(said, /did not end/);
    assert.deepEqual(left, []);
});

test('who ends the run ends all that it has started', async () => {
    const mark = `${process.env[MARK] ?? ''}/${process.pid}-ended`;
    const child = spawn(process.execPath, [program, broken('before-fails-and-leaves')], {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: { ...process.env, [MARK]: mark },
    });
    const ended = new Promise((done) => child.once('exit', done));
    // The program, the file, and what the file has started.
    while (marked(mark).length < 3) await new Promise((later) => setTimeout(later, 50));
    child.kill('SIGTERM');
    assert.equal(await ended, 143);
    while (marked(mark).length > 0) await new Promise((later) => setTimeout(later, 50));
});
