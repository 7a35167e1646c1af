// npm run bench: steps of a network by one worker for each rank, beside the same by one thread, in turns; and what one hop of
// message passing costs beside the forward of a stage. A speed-up is what this clock shows: on a busy machine there is none.
import { execFileSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';

const cli = fileURLToPath(new URL('../../web/cli.js', import.meta.url));
const rows = [
    ['1f1b', 2, 8, 32],
    ['1f1b', 2, 8, 128],
    ['1f1b', 2, 8, 512],
    ['gpipe', 2, 8, 512],
    ['zb-h1', 2, 8, 512],
    ['1f1b', 4, 8, 512],
];
const head = [
    'schedule',
    'p',
    'm',
    'width',
    'one ms',
    'p ms',
    'speed-up',
    'model',
    'hop ms',
    'F of a stage ms',
    'hop / F',
];

console.log(`steps by one worker a rank, Node ${process.versions.node}, ${availableParallelism()} cores`);
console.log(head.map((name) => name.padStart(9)).join(' '));
for (const [schedule, p, m, width] of rows) {
    const args = `train -s ${schedule} -p ${p} -m ${m} --width ${width} --batch ${64 * Number(m)} --steps 36 --workers --format json`;
    const { milliseconds: ms, workers } = JSON.parse(
        execFileSync(process.execPath, [cli, ...args.split(' ')], { encoding: 'utf8' }),
    );
    if (!workers.equal) throw new Error(`${args}: the weights differ`);
    const figures = [
        ms.one_worker,
        ms.workers,
        ms.speedup,
        ms.predicted_speedup,
        ms.hop,
        ms.forward_of_a_stage,
        ms.hop / ms.forward_of_a_stage,
    ];
    console.log(
        [schedule, p, m, width, ...figures.map((value) => value.toPrecision(3))]
            .map((cell, i) => String(cell).padStart(Math.max(9, head[i].length)))
            .join(' '),
    );
}
console.log();
