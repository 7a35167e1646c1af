// The command line as a script outside the repository calls it.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../../web/cli.js', import.meta.url));

/** @param {string} line  words, or "several words" @param {string} [input]  standard input */
export function runCli(line, input) {
    const args = [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word);
    return spawnSync(process.execPath, [cli, ...args], { encoding: 'utf8', input, maxBuffer: 1 << 28 });
}
