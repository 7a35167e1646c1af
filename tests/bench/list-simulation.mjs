// The list simulation of list_simulation.py in plain JavaScript, with typed arrays: the yardstick of npm run bench.

/** @param {number} ranks @param {number} microbatches @returns {number} makespan of 1F1B, F = 1, B = 2 */
export function listSimulation(ranks, microbatches) {
    const lists = Array.from({ length: ranks }, (_, rank) => {
        const warmup = Math.min(microbatches, ranks - 1 - rank);
        const actions = [];
        for (let k = 0; k < warmup; k++) actions.push(2 * k);
        for (let k = 0; k < microbatches - warmup; k++) actions.push(2 * (warmup + k), 2 * k + 1);
        for (let k = microbatches - warmup; k < microbatches; k++) actions.push(2 * k + 1);
        return actions;
    });
    const finish = new Float64Array(2 * ranks * microbatches).fill(-1);
    const head = new Int32Array(ranks);
    const free = new Float64Array(ranks);
    for (let moved = true; moved; ) {
        moved = false;
        for (let rank = 0; rank < ranks; rank++) {
            while (head[rank] < lists[rank].length) {
                const action = lists[rank][head[rank]];
                const from = action % 2 === 0 ? rank - 1 : rank + 1;
                const inside = from >= 0 && from < ranks;
                const ready = inside ? finish[2 * from * microbatches + action] : 0;
                if (ready < 0) break;
                free[rank] = Math.max(free[rank], ready) + 1 + (action % 2);
                finish[2 * rank * microbatches + action] = free[rank];
                head[rank]++;
                moved = true;
            }
        }
    }
    return Math.max(...free);
}
