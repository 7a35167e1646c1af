// How the command line ends: whatever happens, no stack trace. A reader that closes the pipe is no fault; a full disk, sums
// past what a double holds and a training that diverges are one line and a status; a step of no length breaks no format.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import {
    chmodSync,
    existsSync,
    lstatSync,
    mkdtempSync,
    readdirSync,
    readFileSync,
    rmSync,
    symlinkSync,
    writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runCli } from '../support/cli.mjs';

const cli = fileURLToPath(new URL('../../web/cli.js', import.meta.url));
const quiet = /^$/;
const oneLine = /^pipeline-figure: [^\n]+\n$/;

/** A shell line in which "pf" is the command line; its own status comes last. @param {string} line */
function shell(line) {
    const script = `pf() { "${process.execPath}" "${cli}" "$@"; }\n${line}`;
    const { stdout, stderr } = spawnSync('sh', ['-c', script], { encoding: 'utf8' });
    return { stdout, stderr };
}

test('a closed pipe ends it quietly', () => {
    const { stdout, stderr } = shell(
        '{ pf simulate -s 1f1b -p 8 -m 3000 --format csv; echo "status $?" >&2; } | head -n 1',
    );
    assert.equal(stdout, 'device,index,op,stage,microbatch,start,end\n');
    assert.equal(stderr, 'status 0\n');
});

test('a full disk is one line and status 2', { skip: !existsSync('/dev/full') }, () => {
    for (const words of ['simulate', '--help', '--version', 'train -s gpipe --steps 1']) {
        const { stderr } = shell(`pf ${words} > /dev/full; echo "status $?" >&2`);
        assert.match(stderr, /^pipeline-figure: stdout: cannot be written \(ENOSPC\)\.\nstatus 2\n$/, words);
    }
});

test('-o writes a file whole or leaves the old one; links and what is no file stay what they are', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pipeline-figure-'));
    try {
        const at = (/** @type {string} */ name) => join(folder, name);
        writeFileSync(at('old.json'), 'the old one\n');
        chmodSync(at('old.json'), 0o664); // more than the mask of most users leaves to a new file
        // A file may grow to 4 KiB, as on a disk that is nearly full.
        const full = shell(
            `( ulimit -f 8; pf simulate -s 1f1b -p 16 -m 512 --format json -o "${at('old.json')}"; echo "status $?" >&2 )`,
        );
        assert.match(full.stderr, /^pipeline-figure: \S+old\.json: cannot be written \(EFBIG\)\.\nstatus 2\n$/);
        assert.equal(readFileSync(at('old.json'), 'utf8'), 'the old one\n');
        assert.deepEqual(readdirSync(folder), ['old.json'], 'nothing is left beside it');

        symlinkSync('old.json', at('link.json'));
        assert.equal(runCli(`simulate --format json -o ${at('link.json')}`).status, 0);
        assert.ok(lstatSync(at('link.json')).isSymbolicLink());
        assert.equal(JSON.parse(readFileSync(at('old.json'), 'utf8')).ranks, 3);
        assert.equal(lstatSync(at('old.json')).mode & 0o777, 0o664);
        symlinkSync('new.json', at('ahead.json'));
        assert.equal(runCli(`simulate --format json -o ${at('ahead.json')}`).status, 0);
        assert.equal(JSON.parse(readFileSync(at('new.json'), 'utf8')).ranks, 3, 'a link to nothing yet');
        assert.equal(runCli('simulate --format csv -o /dev/null').status, 0);
        assert.ok(lstatSync('/dev/null').isCharacterDevice());
        assert.deepEqual(readdirSync(folder).sort(), ['ahead.json', 'link.json', 'new.json', 'old.json']);
        // Root may write anything; everybody else is refused, though the folder is theirs.
        if (process.getuid?.() !== 0) {
            chmodSync(at('new.json'), 0o444);
            const { status, stderr } = runCli(`simulate -o ${at('new.json')}`);
            assert.equal(status, 2);
            assert.match(stderr, /cannot be written \(EACCES\)/);
        }
    } finally {
        rmSync(folder, { recursive: true });
    }
});

test('a step of no length breaks no format', () => {
    for (const schedule of ['forward', '1f1b', 'zb-h1', 'interleaved', 'v-half', 'zb-auto'])
        for (const format of ['text', 'json', 'csv', 'torch', 'trace', 'svg']) {
            const { status, stdout, stderr } = runCli(
                `simulate -s ${schedule} -p 2 -m 4 --forward 0 --backward 0 --format ${format}`,
            );
            assert.equal(status, 0, `${schedule} ${format}: ${stderr}`);
            assert.doesNotMatch(stdout, /NaN|Infinity|∞|undefined/, `${schedule} ${format}`);
            if (format === 'json' || format === 'trace') JSON.parse(stdout);
        }
});

test('sums past what a double holds are refused', () => {
    const file = JSON.stringify([
        { rank: 0, start: 0, finish: 1e308 },
        { rank: 0, start: 1e308, finish: 1.7e308 },
        { rank: 1, start: 0, finish: 1.7e308 },
    ]);
    const { status, stdout, stderr } = runCli('check - --times measured', file);
    assert.equal(status, 2);
    assert.match(stdout, quiet);
    assert.match(stderr, /^pipeline-figure: The times add up beyond what a number can hold/);
    assert.match(stderr, oneLine);
});

test('a training that diverges says in which step and why', () => {
    const line = 'train -s 1f1b -p 2 -m 4 --rate 1000 --activation relu --loss squared-error --steps 8';
    const text = runCli(line);
    assert.equal(text.status, 1);
    assert.match(text.stderr, /in step 3: the loss is no longer a finite number/);
    assert.match(text.stderr, oneLine);
    assert.match(runCli(`${line} --lang ru`).stderr, /Обучение разошлось на шаге 3: значение функции потерь/);
    const json = runCli(`${line} --format json`);
    assert.equal(json.status, 1);
    assert.deepEqual(JSON.parse(json.stdout).diverged, { step: 3, cause: 'loss' });
    const workers = runCli(`${line} --workers`);
    assert.equal(workers.status, 1);
    assert.match(workers.stderr, /in step 3: the loss/);
    const fine = runCli('train -s 1f1b -p 2 -m 4 --steps 3 --format json');
    assert.equal(fine.status, 0);
    assert.equal(JSON.parse(fine.stdout).diverged, undefined);
});

test('a step that is skipped to halve the scale of the loss is no divergence', () => {
    const { status, stderr } = runCli('train -s 1f1b -p 2 -m 4 --steps 12 --loss-scale 1e38 --scale-growth 0');
    assert.equal(status, 0, stderr);
    assert.match(stderr, quiet);
});

test('a large step is written piece by piece, with a heap far smaller than its text', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pipeline-figure-'));
    try {
        for (const [format, first, last] of [
            ['csv', /^device,index,op,stage,microbatch,start,end\n0,0,F,0,0,0,1\n/, /\n3,\d+,B,3,49999,\d+,\d+\n$/],
            ['json', /^\{"schedule":"gpipe","ranks":4,/, /\}\n$/],
            ['trace', /^\{"displayTimeUnit":"ms","traceEvents":\[\n\{/, /\}\n\]\}\n$/],
        ]) {
            const file = join(folder, 'out');
            const command = `simulate -s gpipe -p 4 -m 50000 --format ${format}`.split(' ');
            for (const more of [[], ['-o', file]]) {
                const out = execFileSync(process.execPath, ['--max-old-space-size=60', cli, ...command, ...more], {
                    encoding: 'utf8',
                    maxBuffer: 2 ** 30,
                });
                const text = more.length > 0 ? readFileSync(file, 'utf8') : out;
                assert.ok(text.length > 8e6, `${format}: ${text.length}`);
                assert.match(text.slice(0, 200), /** @type {RegExp} */ (first));
                assert.match(text.slice(-200), /** @type {RegExp} */ (last));
                if (format !== 'csv') {
                    const { actions, traceEvents } = JSON.parse(text);
                    const count = actions?.length ?? traceEvents.filter(({ ph }) => ph === 'X').length;
                    assert.equal(count, 400000);
                } else assert.equal(text.split('\n').length, 400002);
            }
        }
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
});

test('control characters of names and cells never reach the terminal, nor a picture', () => {
    const folder = mkdtempSync(join(tmpdir(), 'pipeline-figure-'));
    try {
        const name = join(folder, 'e\u001b[31m\u009b1m\u202evil.csv');
        for (const words of [
            ['check', name],
            ['plan', name],
            ['simulate', '-p', '2', '--profile', name],
        ]) {
            const { stderr } = spawnSync(process.execPath, [cli, ...words], { encoding: 'utf8' });
            assert.match(stderr, /e\?\[31m\?1m\?vil\.csv: cannot be read \(ENOENT\)/);
        }
        for (const cell of ['\u001b[31m', '\u009b31m', '\u007f', '\u0085']) {
            const { stderr } = spawnSync(process.execPath, [cli, 'check', '-'], {
                encoding: 'utf8',
                input: `0F0,${cell}`,
            });
            assert.match(stderr, /^pipeline-figure: ((?!\n)\P{Cc})+\n$/u);
            assert.match(stderr, /Row 1, column 2: \?/);
        }
        writeFileSync(name, '0F0,0B0\n');
        const shown = (/** @type {string} */ format) =>
            spawnSync(process.execPath, [cli, 'check', name, '--format', format], { encoding: 'utf8' }).stdout;
        assert.match(shown('text'), /^e\?\[31m\?1m\?vil\.csv: 1 rank/);
        for (const format of ['text', 'svg', 'json', 'trace'])
            assert.doesNotMatch(shown(format), /(?!\n)(?![\u0080-\u009f])\p{Cc}/u);
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
});
