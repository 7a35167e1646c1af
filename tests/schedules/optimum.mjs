// The steps of tests/golden/optimum, whose best makespan is known from elsewhere: for the test and for the benchmark.
import { readFileSync } from 'node:fs';

/**
 * @typedef {{ set: string, id: string, makespan: number, request: Record<string, string> }} Instance
 * @returns {Instance[]}
 */
export function instances() {
    const text = readFileSync(new URL('../golden/optimum/instances.csv', import.meta.url), 'utf8');
    return text
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => {
            const [set, id, p, m, limit, forward, input, weight, latency, makespan] = line.split(',');
            return {
                set,
                id,
                makespan: Number(makespan),
                request: {
                    schedule: 'zb-auto',
                    ranks: p,
                    microbatches: m,
                    'memory-limit': limit,
                    forward,
                    'input-gradient': input,
                    'weight-gradient': weight,
                    latency,
                },
            };
        });
}
