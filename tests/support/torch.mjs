// A Python with PyTorch, where there is one: scripts/setup.sh says (pp_find_torch). A command is given its time, and ended
// with all that it has started when that is over.
import { spawn, spawnSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

/** Found by hand where the tests were not started by npm test. */
function found() {
    for (const python of ['python3', '/usr/bin/python3']) {
        const { stdout } = spawnSync(python, ['-c', 'import importlib.metadata as m; print(m.version("torch"))'], {
            encoding: 'utf8',
        });
        const [major, minor] = (stdout ?? '').split('.').map(Number);
        if (major > 2 || (major === 2 && minor >= 6)) return python;
    }
    return '';
}

export const python = process.env.PP_TORCH_PYTHON ?? found();

/** false, or the reason to skip, said once on stderr. */
export const withoutTorch = python
    ? false
    : `NO PYTORCH: ${process.env.PP_TORCH_WHY || 'PyTorch 2.6 or newer is needed (Debian 13: apt-get install python3-torch)'}`;
if (withoutTorch) console.error(`\n*** ${withoutTorch}; the runs on PyTorch are SKIPPED ***\n`);

export const runner = fileURLToPath(new URL('../../examples/torch/run_schedule.py', import.meta.url));

/**
 * @param {string} command @param {string[]} args
 * @param {{ seconds?: number, input?: string, cwd?: string, env?: Record<string, string> }} [how]
 * @returns {Promise<{ status: number | null, stdout: string, stderr: string, late: boolean, seconds: number }>}
 */
export function run(command, args, { seconds = 240, input, cwd, env } = {}) {
    return new Promise((done) => {
        const started = performance.now();
        const child = spawn(command, args, { cwd, detached: true, env: { ...process.env, ...env } });
        const out = { stdout: '', stderr: '' };
        let late = false;
        const end = () => {
            try {
                process.kill(-(/** @type {number} */ (child.pid)), 'SIGKILL');
            } catch {} // nobody is left
        };
        const timer = setTimeout(() => {
            late = true;
            end();
        }, 1000 * seconds);
        for (const name of /** @type {const} */ (['stdout', 'stderr']))
            child[name].setEncoding('utf8').on('data', (text) => {
                out[name] += text;
            });
        child.stdin.on('error', () => {}); // it may not want to read
        child.stdin.end(input ?? '');
        child.on('error', (error) => {
            out.stderr += error.message;
        });
        child.on('close', (status) => {
            clearTimeout(timer);
            end();
            done({ status, ...out, late, seconds: (performance.now() - started) / 1000 });
        });
    });
}
