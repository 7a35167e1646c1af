// How the actions of a step stand to each other: which waits for which, which share a slot, what goes between ranks. Read from
// the columns of the core; nothing is decided here.

/**
 * @typedef {import('./types.js').Simulation} Simulation
 */

/**
 * Which of its rank's stages an action belongs to, from 0 in the order of the stages.
 * @param {Simulation} simulation
 */
export function chunkOf(simulation) {
    const known = chunks.get(simulation) ?? findChunks(simulation);
    chunks.set(simulation, known);
    return known;
}

/** @type {WeakMap<Simulation, ReturnType<typeof findChunks>>} */
const chunks = new WeakMap();

/** @param {Simulation} simulation */
function findChunks(simulation) {
    const { stageRank, actions, config } = simulation;
    const stages = config.stages;
    const held = new Map();
    const place = new Int32Array(stageRank.length);
    for (let i = 0; i < stageRank.length; i++) {
        place[i] = held.get(stageRank[i]) ?? 0;
        held.set(stageRank[i], place[i] + 1);
    }
    const pipes = stageRank.length / stages;
    const chunk = new Int32Array(actions.count);
    for (let i = 0; i < actions.count; i++) {
        let pipe = 0;
        while (pipe + 1 < pipes && stageRank[pipe * stages + actions.stage[i]] !== actions.rank[i]) pipe++;
        chunk[i] = place[pipe * stages + actions.stage[i]];
    }
    return { chunk, chunks: Math.max(1, ...held.values()) };
}

/**
 * The message that brings an action its input, null where none crosses from rank to rank.
 * @param {Simulation} simulation @param {number} to
 * @returns {{ from: number, to: number, sent: number, arrived: number } | null}
 */
export function messageTo({ actions, costs, config }, to) {
    const from = actions.input[to];
    if (from < 0 || actions.rank[from] === actions.rank[to]) return null;
    const latency = costs.latency[Math.min(actions.stage[from], actions.stage[to])];
    // A link that carries one after another, or a place that had to become free.
    if (actions.arrive) return { from, to, sent: actions.arrive[from] - latency, arrived: actions.arrive[from] };
    let sent = actions.finish[from];
    // Both ranks are held by the message, so that the taker starts when it is through.
    if (config.transfer === 'rendezvous') sent = Math.max(sent, actions.start[to] - latency);
    return { from, to, sent, arrived: sent + latency };
}

/** All messages between ranks, in the order of their takers. @param {Simulation} simulation */
export function messages(simulation) {
    const list = [];
    for (let to = 0; to < simulation.actions.count; to++) {
        const message = messageTo(simulation, to);
        if (message) list.push(message);
    }
    return list;
}

/** @param {Simulation} simulation */
export function firstStart({ perRank, rankBegin }) {
    const firsts = perRank.filter((_, r) => rankBegin[r + 1] > rankBegin[r]).map(({ first }) => first);
    return firsts.length > 0 ? Math.min(...firsts) : 0;
}

/** @param {Simulation} simulation @param {number} i @param {number} j */
export function sameSlot({ actions }, i, j) {
    return actions.rank[i] === actions.rank[j] && actions.index[i] === actions.index[j];
}

/** Who waits for each action, made once per simulation. @type {WeakMap<Simulation, { begin: Int32Array, list: Int32Array }>} */
const takers = new WeakMap();

/** @param {Simulation} simulation */
function takersOf(simulation) {
    let known = takers.get(simulation);
    if (known) return known;
    const { input, count } = simulation.actions;
    const begin = new Int32Array(count + 1);
    for (let i = 0; i < count; i++) if (input[i] >= 0) begin[input[i] + 1]++;
    for (let i = 0; i < count; i++) begin[i + 1] += begin[i];
    const next = begin.slice();
    const list = new Int32Array(begin[count]);
    for (let i = 0; i < count; i++) if (input[i] >= 0) list[next[input[i]]++] = i;
    known = { begin, list };
    takers.set(simulation, known);
    return known;
}

/**
 * @param {Simulation} simulation @param {number} index
 * @returns {{ waitsFor: number[], awaitedBy: number[], previous: number }}  previous: the slot before on the same rank
 */
export function neighbours(simulation, index) {
    const { actions } = simulation;
    const { begin, list } = takersOf(simulation);
    let previous = index - 1;
    while (previous >= 0 && sameSlot(simulation, previous, index)) previous--;
    if (previous >= 0 && actions.rank[previous] !== actions.rank[index]) previous = -1;
    return {
        waitsFor: actions.input[index] >= 0 ? [actions.input[index]] : [],
        awaitedBy: [...list.subarray(begin[index], begin[index + 1])],
        previous,
    };
}
