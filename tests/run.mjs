// Runs every test and closes with the line "N passed, N failed". Started by scripts/test.sh after the build.
//     native     each tests/native/ROOM/test_*.c through ctest, once plain, once under ASan and UBSan
//     node       every tests/**/*.test.mjs
//     browser    those in tests/browser, in Chromium; without one they are skipped loudly, or fail when CI is set
//     node tests/run.mjs            all of them
//     node tests/run.mjs FILE...    these files of Node
//     node tests/run.mjs --quick    native tests without sanitizers, and Node's without browsers and what takes long
// A suite that ran nothing is a failure. Each file of Node is a process with a group of its own; when its limit is over, it
// is ended with all that it has started, and told as failed, so that a run always comes to its closing line.
//     PP_FILE_LIMIT    seconds for one file, 600 unless set; far more than any needs, on a busy machine too
//     PP_TEST_JOBS     how many files run side by side, 2 unless set
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative, resolve, sep } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { endAll, MARK, marked, signal } from './support/processes.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const seconds = Number(process.env.PP_FILE_LIMIT) || 600;
const jobs = Number(process.env.PP_TEST_JOBS) || Math.min(2, availableParallelism());

const quick = process.argv.includes('--quick');
const chosen = process.argv
    .slice(2)
    .filter((word) => !word.startsWith('--'))
    .map((file) => relative(root, resolve(file)));
process.chdir(root);

const total = { passed: 0, failed: 0 };
const failures = [];
const skips = new Map(); // how many by reason
const took = []; // files with their seconds

function fail(what) {
    total.failed += 1;
    failures.push(what);
}

/** One ctest run, one program after the other; counts come from its JUnit file, not from its wording. */
async function runNative(folder) {
    const report = join(root, folder, 'ctest.xml');
    const began = performance.now();
    const child = spawn(
        'ctest',
        [
            ...['--test-dir', folder, '--output-on-failure', '--no-tests=error'],
            ...['--timeout', `${seconds}`, '--output-junit', report],
        ],
        { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    const said = [];
    child.stdout.on('data', (chunk) => said.push(chunk));
    const ended = await new Promise((done) => {
        child.once('error', (error) => done(error.message));
        child.once('close', (code, by) => done(code ?? by));
    });
    process.stdout.write(`\nnative tests in ${folder}\n`);
    process.stdout.write(Buffer.concat(said));
    took.push([folder, (performance.now() - began) / 1000]);
    let cases = [];
    try {
        cases = [...readFileSync(report, 'utf8').matchAll(/<testcase name="([^"]*)"[^>]*status="([^"]*)"/g)];
    } catch {}
    for (const [, name, status] of cases) {
        if (status === 'run') total.passed += 1;
        else fail(`${folder}: ${name} (${status})`);
    }
    const red = cases.some(([, , status]) => status !== 'run');
    if (cases.length === 0) fail(`${folder}: ran nothing`);
    else if (ended !== 0 && !red) fail(`${folder}: ctest ended with ${ended}`);
}

const running = new Set(); // { pid, mark } of the files that run now
let files = 0;

/**
 * Runs one file, and counts its tests: leaves only, since suites are their sum; a suite that is skipped whole is one skip.
 * @param {string} file @returns {Promise<void>}
 */
async function runFile(file) {
    const mark = `${process.env[MARK] ?? ''}/${process.pid}-${++files}`; // within the mark of who has started this program
    const began = performance.now();
    const reporters = [pathToFileURL(join(root, 'tests/support/reporter.mjs')).href, 'spec'];
    const child = spawn(
        process.execPath,
        [
            ...reporters.flatMap((name) => [`--test-reporter=${name}`, '--test-reporter-destination=stdout']),
            join(root, file),
        ],
        // NODE_TEST_CONTEXT: a test of this program starts it from within a test.
        { detached: true, stdio: ['ignore', 'pipe', 'pipe', 'pipe'], env: environment(mark) },
    );
    const here = { pid: child.pid, mark };
    running.add(here);
    // Shown when the file is through, since others run beside it.
    const said = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => said.push(chunk));

    let count = 0;
    let red = 0;
    const failed = (/** @type {string} */ what) => {
        red += 1;
        fail(`${file}: ${what}`);
    };
    createInterface({ input: child.stdio[3] }).on('line', (line) => {
        const { passed, name, suite, why, skip } = JSON.parse(line);
        if (suite && !(skip || skip === '')) {
            // Its tests speak for themselves, unless a hook of its own threw.
            if (!passed && why !== 'subtestsFailed') failed(name);
            return;
        }
        // A test with tests inside is their sum, too.
        if (!passed && why === 'subtestsFailed') return;
        count += 1;
        if (skip || skip === '') skips.set(skip, (skips.get(skip) ?? 0) + 1);
        else if (passed) total.passed += 1;
        else failed(name);
    });

    let late = false;
    const limit = setTimeout(async () => {
        late = true;
        // Who listens may close its browser; who does not is ended all the same.
        signal(-child.pid, 'SIGTERM');
        await new Promise((later) => setTimeout(later, 3000));
        endAll(child.pid, mark);
    }, 1000 * seconds);
    const ended = await new Promise((done) => {
        child.once('error', (error) => done(error.message));
        // Not 'close': a browser that outlives its file may hold on to the pipes.
        child.once('exit', (code, by) => done(code ?? by));
    });
    clearTimeout(limit);
    await leave(child, mark, file);
    running.delete(here);

    process.stdout.write(`\n${file}\n`);
    process.stdout.write(Buffer.concat(said));
    if (late) failed(`did not end within ${seconds} seconds and was ended; it had told of ${count} tests`);
    else if (ended !== 0 && red === 0) failed(`did not run to its end (${ended})`);
    else if (count === 0 && red === 0) failed('ran nothing');
    took.push([file, (performance.now() - began) / 1000]);
}

/** What a file has left running gets a moment to go by itself, and is then ended. */
async function leave(child, mark, file) {
    for (let i = 0; i < 50 && marked(mark).length > 0; i++) await new Promise((later) => setTimeout(later, 100));
    const left = marked(mark);
    if (left.length > 0) console.log(`note: ${file} left running: ${left.map(({ name }) => name).join(', ')}; ended`);
    endAll(child.pid, mark);
    // Now nobody should hold the pipes; who was not found is not waited for.
    const pipes = [child.stdout, child.stderr, child.stdio[3]];
    const closed = pipes.map((pipe) => pipe.closed || new Promise((done) => pipe.once('close', done)));
    await Promise.race([Promise.all(closed), new Promise((later) => setTimeout(later, 5000).unref())]);
    for (const pipe of pipes) pipe.destroy();
}

function environment(mark) {
    const { NODE_TEST_CONTEXT: _, ...rest } = process.env;
    return { ...rest, [MARK]: mark };
}

/** Files of node:test in a folder and those in it. */
function testFiles(folder) {
    return readdirSync(folder, { recursive: true })
        .map((name) => join(folder, name).split(sep).join('/'))
        .filter((name) => name.endsWith('.test.mjs'))
        .sort();
}

// Files are led by their own groups, so that who ends this program would leave them behind.
for (const [name, code] of /** @type {const} */ ([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
])) {
    process.on(name, () => {
        for (const { pid, mark } of running) endAll(pid, mark);
        process.exit(code);
    });
}

/** These measure how fast something is, and say nothing where others want the processors: they come last, one by one. */
const ALONE = ['tests/engine/workers.test.mjs'];

/** Left out of a quick run: what starts many processes or threads, or needs more than Node and the build. */
const QUICK_WITHOUT = ['async', 'torch', 'workers', 'python', 'package', 'run', 'page'].map(
    (name) => `/${name}.test.mjs`,
);

const folders = [];
if (chosen.length === 0) {
    const all = testFiles('tests');
    const browser = all.filter((file) => file.startsWith('tests/browser/'));
    const others = all.filter((file) => !browser.includes(file));
    if (quick) {
        folders.push('build/native');
        chosen.push(...others.filter((file) => !QUICK_WITHOUT.some((name) => file.endsWith(name))));
    } else {
        if (existsSync('build/sanitize') || process.env.CI) folders.push('build/sanitize');
        else skips.set('NO SANITIZERS: install gcc', 1);
        folders.push('build/native');
        // Those that take longest first, so that no long one begins when all others are through.
        chosen.push(...browser, ...others);
    }
}
const waiting = [
    ...folders.map((folder) => () => runNative(folder)),
    ...chosen.filter((file) => quick || !ALONE.includes(file)).map((file) => () => runFile(file)),
];
await Promise.all(
    Array.from({ length: jobs }, async () => {
        for (let task = waiting.shift(); task; task = waiting.shift()) await task();
    }),
);
if (!quick) for (const file of chosen.filter((file) => ALONE.includes(file))) await runFile(file);

console.log('\nseconds:');
took.sort(([, a], [, b]) => b - a);
for (const [name, time] of took.slice(0, 12)) console.log(`${time.toFixed(1).padStart(7)}  ${name}`);
for (const text of failures) console.log(`failed: ${text}`);
for (const [reason, count] of skips) console.log(`SKIPPED ${count}: ${reason === true ? 'no reason given' : reason}`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
