// Runs every test and closes with the line "N passed, N failed". Started by scripts/test.sh after the build.
//     native     each tests/native/ROOM/test_*.c through ctest, once plain, once under ASan and UBSan
//     node       tests/ROOM/*.test.mjs
//     browser    tests/browser/*.test.mjs in Chromium; without one they are skipped loudly, or fail when CI is set
// A suite that ran nothing is a failure.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

const chosen = process.argv.slice(2).map((file) => relative(root, resolve(file)));
process.chdir(root);

const total = { passed: 0, failed: 0 };
const failures = [];
const skips = new Map(); // how many by reason

function fail(what) {
    total.failed += 1;
    failures.push(what);
}

/** One ctest run; counts come from its JUnit file, not from its wording. */
function runNative(folder) {
    const report = join(root, folder, 'ctest.xml');
    console.log(`\nnative tests in ${folder}`);
    const result = spawnSync(
        'ctest',
        ['--test-dir', folder, '--output-on-failure', '--no-tests=error', '--output-junit', report],
        { stdio: 'inherit' },
    );
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
    else if (result.status !== 0 && !red) fail(`${folder}: ctest ended with ${result.status ?? result.signal}`);
}

/** Runs files with node:test. Only leaves are counted; suites and files are their sum. */
async function runNode(files) {
    const counted = new Map(files.map((file) => [file, 0]));
    const stream = run({ files: files.map((file) => join(root, file)), concurrency: 1 });
    function leaf(data, passed) {
        if (data.details?.type === 'suite') {
            // A suite fails by itself only where a hook of its own throws; its tests speak for themselves.
            if (!passed && data.details.error?.failureType !== 'subtestsFailed') fail(data.name);
            return;
        }
        const path = data.file ?? data.name;
        const file = relative(root, path.startsWith('file:') ? fileURLToPath(path) : path);
        // The file itself is reported as a test when it holds none, or when it breaks before the first.
        const whole = counted.has(relative(root, data.name));
        if (whole) {
            if (!passed && data.details.error?.failureType !== 'subtestsFailed')
                fail(`${file}: did not run to its end`);
            return;
        }
        counted.set(file, (counted.get(file) ?? 0) + 1);
        const skip = data.skip || data.todo;
        if (skip || skip === '') skips.set(skip, (skips.get(skip) ?? 0) + 1);
        else if (passed) total.passed += 1;
        else fail(`${file}: ${data.name}`);
    }
    stream.on('test:pass', (data) => leaf(data, true));
    stream.on('test:fail', (data) => leaf(data, false));
    await new Promise((ended, broken) => {
        stream.once('error', broken);
        stream.once('end', ended);
        stream.pipe(new spec()).pipe(process.stdout, { end: false });
    });
    for (const [file, count] of counted) {
        if (count === 0 && !failures.some((text) => text.startsWith(`${file}:`))) fail(`${file}: ran nothing`);
    }
}

/** Test files below tests/, by name; those that need a browser come last. */
function testFiles() {
    const inBrowser = (name) => name.startsWith('browser');
    return readdirSync('tests', { encoding: 'utf8', recursive: true })
        .filter((name) => name.endsWith('.test.mjs'))
        .sort((a, b) => inBrowser(a) - inBrowser(b) || (a < b ? -1 : 1))
        .map((name) => `tests/${name}`);
}

if (chosen.length === 0) {
    runNative('build/native');
    if (existsSync('build/sanitize') || process.env.CI) runNative('build/sanitize');
    else skips.set('NO SANITIZERS: install gcc', 1);
    chosen.push(...testFiles());
}
await runNode(chosen);

for (const text of failures) console.log(`failed: ${text}`);
for (const [reason, count] of skips) console.log(`SKIPPED ${count}: ${reason === true ? 'no reason given' : reason}`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
