// The present setting as a short Python program: the same lists, ticks, utilization and, where the schedule trains, losses.
// The lists come from the core; the program times and executes them by rules of its own, so that it checks the core.
import { irisSamples } from '../engine/iris.js';
import { OPS } from '../words/ops.js';

/** @typedef {import('../engine/types.js').Simulation} Simulation */

/** Steps the program trains. */
export const TWIN_STEPS = 5;

/** What the program says of itself. @type {Record<string, Record<string, string>>} */
const words = {
    en: {
        title: 'A pipeline schedule, timed and executed with the standard library alone.',
        lists: 'Of each device, in order: stage, operation, micro-batch; from 0. A plus joins two that run as one.',
        costs: 'Ticks of each stage.',
        time: 'An action starts when its device is free and its input is there.',
        train: 'The same lists train a small network. numpy only makes it faster.',
        numbers: 'SplitMix64: the random numbers of the figure.',
        stops: 'deadlock: every device waits',
    },
    ru: {
        title: 'Конвейерное расписание: время и исполнение, одна стандартная библиотека.',
        lists: 'По устройствам, по порядку: стадия, операция, микробатч; счёт с нуля. Плюс соединяет две, идущие как одна.',
        costs: 'Такты каждой стадии.',
        time: 'Операция начинается, когда устройство свободно, а вход пришёл.',
        train: 'Те же списки обучают маленькую сеть. numpy лишь ускоряет.',
        numbers: 'SplitMix64: те же случайные числа, что у рисунка.',
        stops: 'взаимная блокировка: ждут все',
    },
};

/** @param {ArrayLike<number>} values */
const list = (values) => `[${Array.from(values).join(', ')}]`;

/** @param {Simulation} simulation */
function lists({ actions, perRank, config }) {
    const ranks = perRank.map(() => /** @type {string[]} */ ([]));
    const { rank, index, op, stage, microbatch, slice } = actions;
    for (let i = 0; i < actions.count; i++) {
        const unit = microbatch[i] * config.slices + slice[i];
        const fused = i > 0 && rank[i] === rank[i - 1] && index[i] === index[i - 1];
        const cell = `${stage[i]}${OPS[op[i]]}${unit}`;
        const own = ranks[rank[i]];
        if (fused) own[own.length - 1] += `+${cell}`;
        else own.push(cell);
    }
    return ranks.map((cells) => {
        const lines = cells
            .join(' ')
            .replace(/(.{1,100})( |$)/g, '\n        "$1 "')
            .trimStart();
        return `    ${lines.includes('\n') ? `(${lines})` : lines.replace(' "', '"')},`;
    });
}

/** @param {Simulation} simulation @param {Record<string, string>} say */
function timing(simulation, say) {
    const { costs, config, perRank } = simulation;
    const rows = { F: costs.forward, B: costs.backward, I: costs.input, W: costs.weight, R: costs.recompute };
    const used = new Set(Array.from(simulation.actions.op, (op) => OPS[op]));
    const table = Object.entries(rows).filter(([op]) => used.has(op));
    return `"""${say.title}"""
from fractions import Fraction

# ${say.lists}
schedule = [slots.split() for slots in (
${lists(simulation).join('\n')}
)]
# ${say.costs}
cost = {
${table.map(([op, values]) => `    "${op}": ${list(values)},`).join('\n')}
}
together = ${list(costs.overlap)}
latency = ${list(costs.latency)}
late, sender = ${config.recompute.startsWith('late') ? 'True' : 'False'}, ${config.transfer === 'sender' ? 'True' : 'False'}

p, last = ${perRank.length}, ${config.stages - 1}


def read(cell):
    at = next(i for i, letter in enumerate(cell) if letter.isalpha())
    return cell[at], int(cell[:at]), int(cell[at + 1:])


schedule = [[[read(cell) for cell in slot.split("+")] for slot in slots] for slots in schedule]
home = {a[1:]: d for d, slots in enumerate(schedule) for slot in slots for a in slot}


def needs(op, stage, k):
    if op == "F":
        return ("F", stage - 1, k) if stage > 0 else None
    if op in "BI" or op == "R" and late:
        return ("B", stage + 1, k) if stage < last else None


def hop(a, b, k):
    return latency[min(a, b)] if home[a, k] != home[b, k] else 0


def sends(op, stage, k):
    to = stage + 1 if op == "F" else stage - 1
    return hop(stage, to, k) if op in "FBI" and 0 <= to <= last else 0


def ticks_of(slot):
    alone = [cost[op][stage] for op, stage, _ in slot]
    given = [together[stage] for op, stage, _ in slot if op == "F"]
    if len(slot) == 1:
        return alone[0]
    return max(alone + given) if given[0] >= 0 else sum(alone)


def simulate():
    """${say.time}"""
    finish, free, at, order, busy = {}, [0] * p, [0] * p, [], [0] * p
    while any(n < len(slots) for n, slots in zip(at, schedule)):
        before = sum(at)
        for d, slots in enumerate(schedule):
            while at[d] < len(slots):
                slot = slots[at[d]]
                inputs = [(needs(*action), action) for action in slot if needs(*action)]
                if any(source not in finish for source, _ in inputs):
                    break
                arrivals = [finish[source] + hop(source[1], stage, k) for source, (_, stage, k) in inputs]
                end = max([free[d]] + arrivals) + ticks_of(slot)
                for op, stage, k in slot:
                    finish["B" if op == "I" else op, stage, k] = end
                free[d] = end + (max(sends(*action) for action in slot) if sender else 0)
                busy[d] += ticks_of(slot)
                order += slot
                at[d] += 1
        assert sum(at) > before, "${say.stops}"
    return max(finish.values()), sum(busy), order


ticks, busy, order = simulate()
whole = isinstance(ticks, int) and isinstance(busy, int)
print("ticks", ticks)
print("utilization", Fraction(busy, p * ticks) if whole else busy / (p * ticks))
`;
}

/** Samples, as the core makes them. @type {Record<string, (whole: boolean) => string>} */
const samples = {
    spirals: () => `    turn, radius = 2 * pi * (i // 2 / 127 + label / 2), 0.1 + 0.85 * (i // 2) / 127
    x = radius * cos(turn) + 0.02 * noise()
    y = radius * sin(turn) + 0.02 * noise()`,
    circles: () => `    unit = draw.unit()
    radius, turn = 0.65 + 0.3 * unit if label else 0.45 * sqrt(unit), 2 * pi * draw.unit()
    x, y = radius * cos(turn), radius * sin(turn)`,
    xor: () => `    right = i // 2 % 2
    x = (1 if right else -1) * (0.08 + 0.87 * draw.unit())
    y = (1 if right != label else -1) * (0.08 + 0.87 * draw.unit())`,
};

/** @param {string} data @param {boolean} whole @param {number} kind */
function points(data, whole, kind) {
    const round = 'int(v - 0.5 if v < 0 else v + 0.5)';
    if (data === 'iris') {
        const { features, labels } = irisSamples();
        const rows = Array.from(labels, (_, i) =>
            [...features.subarray(4 * i, 4 * i + 4)].map((v) => Math.round(10 * v)),
        );
        const text = rows.map((row) => row.map((v) => String(v).padStart(2, '0')).join('')).join('');
        const lines = text.replace(/.{96}/g, '$&\n').trim().split('\n');
        return `digits = (
${lines.map((line) => `    "${line}"`).join('\n')}
)
points = [[int(digits[8 * i + 2 * j:8 * i + 2 * j + 2]) / 10 for j in range(4)] for i in range(150)]
labels = [i // 50 for i in range(150)]
for j in range(4):
    column = [point[j] for point in points]
    mean = sum(column) / 150
    spread = sqrt(sum((v - mean) ** 2 for v in column) / 150)
    for point in points:
        v = (point[j] - mean) / spread
        point[j] = ${whole ? round : 'v'}`;
    }
    return `points, labels, draw = [], [], Random(1, ${kind})
${data === 'spirals' ? '\n\ndef noise():\n    return sum(draw.unit() for _ in range(12)) - 6\n\n\n' : ''}for i in range(256):
    label = i % 2
${samples[data](whole)}
    points.append([${whole ? `${round} for v in (3 * x, 3 * y)` : 'x, y'}])
    labels.append(label)`;
}

/** @param {boolean} whole @param {boolean} relu */
function weights(whole, relu) {
    if (whole)
        return `for inputs, outputs in zip(widths, widths[1:]):
    draw = Random(3, len(weights))
    picks = [[draw.below(inputs) for _ in range(outputs)] for _ in range(inputs)]
    weights.append([[{0: 1, 1: -1}.get(pick, 0) for pick in row] for row in picks])
    biases.append([draw.below(3) - 1 for _ in range(outputs)])`;
    return `for inputs, outputs in zip(widths, widths[1:]):
    draw, limit = Random(3, len(weights)), sqrt(3 * ${relu ? 2 : 1} / inputs)
    w = [[limit * (2 * draw.unit() - 1) for _ in range(outputs)] for _ in range(inputs)]
    for i, row in enumerate(w if inputs == outputs else []):
        for j in range(2 * i):
            along = sum(a * b for a, b in zip(row, w[j % i])) / ${relu ? 2 : 1}
            row[:] = [a - along * b for a, b in zip(row, w[j % i])]
        length = sqrt(sum(a * a for a in row) / ${relu ? 2 : 1})
        row[:] = [a / length for a in row]
    weights.append(w)
    biases.append([0] * outputs)`;
}

const ACTIVATIONS = /** @type {Record<string, [string, string]>} */ ({
    tanh: ['tanh(v)', '1 - y * y'],
    relu: ['max(v, 0)', 'y > 0'],
    identity: ['v', '1'],
});

/** @param {any} training @param {Simulation} simulation @param {Record<string, string>} say */
function training({ settings, layers, cuts }, { config }, say) {
    const { batch, seed, rate, data, init, activation, loss } = settings;
    const whole = init === 'whole';
    const [forward, slope] = ACTIVATIONS[activation];
    const one = layers[layers.length - 1] === 1;
    const lossCode =
        loss === 'squared-error'
            ? `def loss_of(scores, label):
    target = ${one ? '[1 if label else -1]' : '[float(i == label) for i in range(len(scores))]'}
    off = [a - b for a, b in zip(scores, target)]
    return sum(a * a for a in off), [2 * a for a in off]`
            : `def loss_of(scores, label):
    top = max(scores)
    powers = [exp(v - top) for v in scores]
    total = sum(powers)
    return log(total) + top - scores[label], [v / total - (i == label) for i, v in enumerate(powers)]`;
    return `
# ${say.train}
from math import cos, exp, log, pi, sin, sqrt, tanh
from operator import mul

try:
    import numpy

    def product(a, b):
        return (numpy.array(a) @ numpy.array(b)).tolist()
except ImportError:
    def product(a, b):
        columns = list(zip(*b))
        return [[sum(map(mul, row, column)) for column in columns] for row in a]

widths, cuts = ${list(layers)}, ${list(cuts)}
batch, m, rate, seed = ${batch}, ${config.microbatches}, ${rate}, ${seed}


class Random:
    """${say.numbers}"""
    def __init__(self, purpose, index):
        self.state = seed
        self.state = self.next() ^ purpose
        self.state = self.next() ^ index
        self.state = self.next()

    def next(self):
        z = self.state = (self.state + 0x9E3779B97F4A7C15) % 2**64
        z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 % 2**64
        z = (z ^ z >> 27) * 0x94D049BB133111EB % 2**64
        return z ^ z >> 31

    def unit(self):
        return (self.next() >> 11) / 2**53

    def below(self, n):
        return (self.next() >> 32) * n >> 32


${points(data, whole, ['spirals', 'circles', 'xor'].indexOf(data))}

weights, biases = [], []
${weights(whole, activation === 'relu')}


def shuffled(epoch):
    order, draw = list(range(len(points))), Random(2, epoch)
    for n in range(len(points) - 1, 0, -1):
        other = draw.below(n + 1)
        order[n], order[other] = order[other], order[n]
    return order


def forward(stage, x):
    held = [x]
    for l in range(cuts[stage], cuts[stage + 1]):
        x = [[v + b for v, b in zip(row, biases[l])] for row in product(x, weights[l])]
        if l < len(weights) - 1:
            x = [[${forward} for v in row] for row in x]
        held.append(x)
    return held


${lossCode}


def train_step(step):
    """F, B = I and W, R: each as the lists have it."""
    places = range(step * batch, (step + 1) * batch)
    orders = {epoch: shuffled(epoch) for epoch in {n // len(points) for n in places}}
    chosen = [orders[n // len(points)][n % len(points)] for n in places]
    begin = [k * (batch // m) + min(k, batch % m) for k in range(m + 1)]
    part = [chosen[begin[k]:begin[k + 1]] for k in range(m)]
    inputs = {(0, k): [points[i] for i in part[k]] for k in range(m)}
    held, gradient, deltas, losses = {}, {}, {}, {}
    dw = [[[0] * len(row) for row in w] for w in weights]
    db = [[0] * len(b) for b in biases]
    for op, stage, k in order:
        mine = range(cuts[stage], cuts[stage + 1])
        if op in "FR":
            held[stage, k] = forward(stage, inputs[stage, k])
            inputs[stage + 1, k] = held[stage, k][-1]
        if op in "BI":
            g = gradient.get((stage, k))
            if stage == last:
                results = [loss_of(row, labels[i]) for row, i in zip(held[stage, k][-1], part[k])]
                losses.update(zip(range(begin[k], begin[k + 1]), (loss for loss, _ in results)))
                g = [slope for _, slope in results]
            for l in reversed(mine):
                if l < len(weights) - 1:
                    made = held[stage, k][l - cuts[stage] + 1]
                    g = [[v * (${slope}) for v, y in zip(*rows)] for rows in zip(g, made)]
                deltas[l, k] = g
                g = product(g, list(zip(*weights[l])))
            gradient[stage - 1, k] = g
        if op in "BW":
            for l in mine:
                x = held[stage, k][l - cuts[stage]]
                for row, more in zip(dw[l], product(list(zip(*x)), deltas[l, k])):
                    row[:] = map(sum, zip(row, more))
                db[l] = [v + sum(column) for v, column in zip(db[l], zip(*deltas[l, k]))]
            del held[stage, k]
    for w, b, gw, gb in zip(weights, biases, dw, db):
        for row, more in zip(w, gw):
            row[:] = [v - rate * g / batch for v, g in zip(row, more)]
        b[:] = [v - rate * g / batch for v, g in zip(b, gb)]
    return sum(losses.values()) / batch


for step in range(${TWIN_STEPS}):
    print("loss", step + 1, format(train_step(step), ".6f"))
`;
}

/** Dense layers and plain descent: what the program knows. @param {Record<string, any>} s */
export const isPlain = (s) =>
    s.activation in ACTIVATIONS &&
    s.norm === 'none' &&
    s.dropout === 0 &&
    s.tied === 'none' &&
    s.split === 'even' &&
    s.mean === 'samples' &&
    s.update === 'sgd' &&
    s.clip === 0 &&
    s.loss_scale === 1;

/**
 * The program, or null where it has no rule for the setting: messages that keep both ranks.
 * @param {Simulation} simulation
 * @param {{ settings: Record<string, any>, layers: ArrayLike<number>, cuts: ArrayLike<number> } | null} trained  of a
 *     Training, settings by name; null: times only
 * @param {string} lang
 */
export function pythonTwin(simulation, trained, lang) {
    if (simulation.config.transfer === 'rendezvous' || simulation.config.with > 0) return null;
    const say = words[lang] ?? words.en;
    const text = timing(simulation, say) + (trained ? training(trained, simulation, say) : '');
    return text.replace(/\n{4,}/g, '\n\n\n');
}

/**
 * Settings of a training, names in place of the numbers of choices.
 * @param {import('../engine/engine.js').Engine} engine @param {import('../engine/training.js').Training} training
 */
export function namedSettings(engine, { settings }) {
    return Object.fromEntries(
        Object.entries(settings).map(([name, value]) => {
            const option = engine.trainingOptions.find((known) => known.name.replace('-', '_') === name);
            return [name, option?.kind === 'E' ? option.names[value] : value];
        }),
    );
}

/**
 * The program of a setting with the training that goes with it, where one does.
 * @param {import('../engine/engine.js').Engine} engine @param {Simulation} simulation @param {import('../engine/types.js').Options} options
 *     of schedule and training @param {string} lang
 */
export function twinOf(engine, simulation, options, lang) {
    let trained;
    try {
        trained = engine.train(options);
    } catch {
        return pythonTwin(simulation, null, lang); // no backward, or no network fits: times alone
    }
    const { layers, cuts } = trained;
    const settings = namedSettings(engine, trained);
    const plain = isPlain(settings) && trained.stream === null;
    trained.close();
    return pythonTwin(simulation, plain ? { settings, layers, cuts } : null, lang);
}
