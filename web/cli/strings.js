// What the command line says, in both languages. Refusals of a request come from the core in its own words.

/** @param {number} count @param {string} one @param {string} few @param {string} many */
function ru(count, one, few, many) {
    const forms = /** @type {Record<string, string>} */ ({ one, few, many });
    return `${count} ${forms[new Intl.PluralRules('ru').select(count)] ?? few}`;
}

/** How many times, in the form of the number as it is shown. @param {string | number} shown */
const times = (shown) =>
    `${shown} ${ru(Number(String(shown).replace(',', '.')), 'раз', 'раза', 'раз')
        .split(' ')
        .pop()}`;

/** @param {number} count @param {string} word */
const en = (count, word) => `${count} ${word}${count === 1 ? '' : 's'}`;

const usage = `  pipeline-figure simulate [-s NAME] [-p RANKS] [-m MICROBATCHES] [-v CHUNKS] [OPTIONS]
  pipeline-figure check FILE [OPTIONS]
  pipeline-figure train    [the same] [--workers [--kill ACTION@STEP] [--checkpoint-every N]]
      [--data spirals|circles|xor|iris] [--width N] [--depth N] [--init random|whole]
      [--steps N] [--batch N] [--seed N] [--rate X]
      [--activation tanh|relu|identity|gelu] [--norm none|layer|batch] [--norm-statistics microbatch|deferred|batch]
      [--dropout P] [--loss cross-entropy|squared-error] [--tied none|ends] [--split even|last]
      [--mean samples|microbatches|undivided] [--clip X] [--loss-scale X [--scale-growth N]]
      [--update sgd|momentum|adam] [--momentum X] [--beta1 X] [--beta2 X] [--epsilon X]
  pipeline-figure plan     FILE [--after FILE] [--runs-on pytorch|any] [-s NAME] [-p N] [-m N] [-v N] [--cuts LIST]
                           [--prove [SECONDS]] [options of memory, limits, transfers]
`;
const options = `  -s, --schedule NAME        -p, --ranks N        -m, --microbatches N        -v, --chunks N
  --group N  --dialect megatron|pytorch|free  --extra-warmup N  --warmup-factor 1|2  --placement loop|v
  --pipes N  --slices N  --backward-order ascending|descending
  --recompute none|late|early|late-except-last|early-except-last
  --forward LIST  --backward LIST  --input-gradient LIST  --weight-gradient LIST
  --recompute-cost LIST  --overlap-cost LIST  --kept-share LIST  --memory-limit N or Np
  --costs-of chunk|device|batch  --latency LIST  --transfer overlap|sender|rendezvous
  --layers N|LIST  --partition cost|equal|makespan  --cuts LIST  --layout TEXT  --embedding X  --head X
  --layer-forward LIST  --layer-input-gradient LIST  --layer-weight-gradient LIST
  --global-batch N  --microbatch-size N  --bytes LIST  --bandwidth LIST
  --reduce LIST  --reduce-when beside|behind  --optimizer LIST  --optimizer-waits own|all
  --memory-weights LIST  --memory-gradients LIST  --memory-optimizer LIST  --memory-activations LIST
  --memory-kept LIST  --memory-inputs LIST  --memory-embedding X[;Y]  --memory-head X[;Y]  --memory-capacity X
  --fail-rank N  --fail-time X  --fail-step N  --restart-cost X  --spare-delay X
  --checkpoint-every N  --checkpoint-cost X  --mtbf X  --horizon N  --moves LIST
  --prove [SECONDS]  --chart auto|always|never
  --microbatch-costs LIST  --order given|falling|best  --receive-buffers N  --gather LIST  --gather-keep N
  --profile FILE  --why RANK@TICK  --format text|json|csv|torch|trace|svg|python  -o FILE  --lang en|ru
  of FILE:  --letters today|before-2.6  --receive post|wait  --times simulated|measured
  torch:    --comms keep|compute-only|compute-comms|transfers  --merge no|yes      trace:  --scale MICROSECONDS
`;

/** @type {Record<'en' | 'ru', Record<string, any>>} */
export const cliStrings = {
    en: {
        help: `Pipeline schedules: generated, checked, timed and executed.

${usage}
${options}
A LIST is one number, or one per stage: "1 1 2 1". Costs are ticks of one stage (chunk): with -v 2 a device does twice the
work, unless --costs-of device shares it among its chunks, or batch among the micro-batches, too.
FILE is a schedule: PyTorch's table of cells, or what --format csv or json wrote; - is standard input. --profile takes
the costs from a file of measured times. plan reads such a file and finds the schedule and the cut of its layers that
would be best; --cuts says how many layers each measured stage had; --after compares a second run with what was expected.
`,
        missingValue: (/** @type {string} */ name) => `${name}: a value must follow.`,
        stray: (/** @type {string} */ arg) => `${arg}: not an option; options begin with - or --.`,
        noSuchName: (/** @type {string} */ name, /** @type {string} */ value, /** @type {string[]} */ names) =>
            `${name} = ${value}: no such name; the names are ${names.join(', ')}. Nearest legal: ${name}=${names[0]}.`,
        cannotWrite: (/** @type {string} */ file, /** @type {string} */ code) =>
            `${file}: cannot be written (${code}).`,
        cannotRead: (/** @type {string} */ file, /** @type {string} */ code) => `${file}: cannot be read (${code}).`,
        tooLarge: (/** @type {string} */ reason) =>
            `The result is too large to be written (${reason}); ask for fewer micro-batches, or --format csv.`,
        diverged: (/** @type {{ step: number, cause: string }} */ { step, cause }) =>
            `The training left the range of numbers in step ${step}: ${
                cause === 'loss' ? 'the loss' : 'a gradient'
            } is no longer a finite number, and from then on the weights do not change. Take a smaller rate.`,
        needsFile: (/** @type {string} */ command) => `${command}: the file to read must follow; - is standard input.`,
        noMeaning: (/** @type {string} */ name, /** @type {string} */ value) =>
            `${name} = ${value} has no meaning here. Leave out ${name}.`,
        blockedAt: (/** @type {any} */ b) =>
            `rank ${b.rank} before ${b.stage}${b.op}${b.microbatch}${b.column === undefined ? '' : ` (column ${b.column + 1})`}`,
        blocked: (/** @type {string} */ list, /** @type {boolean} */ more) => `Blocked: ${list}${more ? ' …' : '.'}`,
        simulated: 'simulated with mean times',
        simulatedBubble: 'its bubble fraction',
        steps: "steps by PyTorch's count",
        busy: 'busy by rank',
        measuredTitle: (/** @type {string} */ name, /** @type {number} */ ranks) =>
            `${name}: ${en(ranks, 'rank')}, measured`,
        planTitle: (
            /** @type {string} */ name,
            /** @type {number} */ p,
            /** @type {number} */ m,
            /** @type {number} */ l,
        ) => `${name}: ${en(p, 'rank')}, ${en(m, 'micro-batch').replace('batchs', 'batches')}, ${en(l, 'layer')}`,
        planShape: (/** @type {string} */ name) =>
            `${name}: it has no order of actions, so --ranks and --microbatches are needed. Nearest legal: --ranks 2 --microbatches 8.`,
        planRanks: (/** @type {any} */ p, /** @type {number} */ l) =>
            `ranks = ${p}: a rank needs at least one of ${en(l, 'layer')}. Nearest legal: ranks=${l}.`,
        planNone:
            'plan: no schedule fits these ranks, micro-batches and layers. Leave out schedule and chunks, or use fewer ranks.',
        measuredStep: (/** @type {string} */ name) => `${name}, measured`,
        planMeasured: 'measured step',
        planSpread: (/** @type {string} */ middle, /** @type {string} */ low, /** @type {string} */ high) =>
            low === high ? middle : `${middle} (steps took ${low} to ${high})`,
        planRatio: (/** @type {string} */ ticks, /** @type {string} */ ratio) =>
            `${ticks}, measured / simulated ${ratio}`,
        planSizes: 'layers of its stages',
        planCompared: '1f1b in equal parts',
        planLatency: 'latency of a transfer',
        planHead: [
            'schedule',
            'chunks',
            'layers of the stages',
            'step',
            'bubble',
            'gain',
            'above best',
            'activations',
            'memory',
            'beside the best',
        ],
        planBeside: (/** @type {string} */ time, /** @type {string} */ memory) => `time ${time}, memory ${memory}`,
        planBound: 'no plan is below',
        planAbove: (/** @type {string} */ share) => `It is at most ${share} above the best possible plan.`,
        planOptimal: 'No plan is shorter.',
        planOrderProved: 'No order of these stages within its limit of memory is shorter: proved.',
        planTooSmall: (
            /** @type {string} */ capacity,
            /** @type {string} */ name,
            /** @type {string} */ sizes,
            /** @type {string} */ needs,
            /** @type {string} */ over,
        ) =>
            `memory-capacity = ${capacity}: no plan fits. The nearest is ${name} with layers ${sizes}: it needs ${needs}, ${over} more. Nearest legal: memory-capacity=${needs}.`,
        planRecompute: (/** @type {string} */ value) =>
            `recompute = ${value}: PyTorch's tables have no action that recomputes; activation checkpointing inside a stage does it unseen. Nearest legal: recompute=none, or runs-on=any.`,
        planUnused: (/** @type {string} */ name, /** @type {string} */ value) =>
            `${name} = ${value}: none of the schedules that are tried knows this option. Leave it out, or name a schedule.`,
        proofProgress: (/** @type {string} */ best, /** @type {string} */ bound) =>
            `best so far ${best}, none below ${bound}`,
        proof: 'best possible order',
        proofDone: 'proved: none is shorter',
        proofOpen: (/** @type {string} */ share, /** @type {string} */ bound) =>
            `at most ${share} above the best possible (none is below ${bound})`,
        proofNone:
            'prove: the best order is looked for where zb-auto makes the order, and for some 2000 actions at most.',
        badProve: (/** @type {string} */ value) => `prove = ${value}: seconds are needed. Nearest legal: prove=60.`,
        chartLeft: (/** @type {number} */ columns) =>
            `The chart is wider than ${columns} columns; --chart always draws it.`,
        noCut: (/** @type {string} */ file) => `${file}: not the layers of stages, such as {"sizes": [4, 3]}.`,
        wrongCut: (/** @type {string} */ file, /** @type {string} */ sizes, /** @type {number} */ stages) =>
            `${file}: layers ${sizes} are not those of ${stages} stages; the table has changed since. Remove that file or write it anew.`,
        badChart: (/** @type {string} */ value) =>
            `chart = ${value}: no such name; the names are auto, always, never. Nearest legal: chart=auto.`,
        planOver: 'memory too small',
        planMore: (/** @type {number} */ count) => `… and ${count} more (--format json has them all)`,
        planBest: (
            /** @type {string} */ name,
            /** @type {string} */ sizes,
            /** @type {string} */ ticks,
            /** @type {string} */ share,
        ) => `best: ${name}, layers ${sizes}; expected step ${ticks}, shorter by ${share}`,
        planHalves: 'Backwards for inputs and for weights were not told apart: each is taken for half of the whole.',
        planAfter: (/** @type {string} */ name) => `second run: ${name}`,
        planPredicted: 'expected step',
        planQuotient: 'measured / expected',
        planNoise: (/** @type {string} */ ratio, /** @type {string} */ noise) =>
            `${ratio} (its steps differ by ${noise})`,
        planGain: 'gain over the first run',
        planGains: (/** @type {string} */ expected, /** @type {string} */ got) =>
            `expected ${expected}, measured ${got}`,
        badWhy: (/** @type {string} */ value) => `why = ${value}: a rank and a tick are needed, such as 2@5.`,
        title: (/** @type {any} */ c) =>
            `${c.schedule}: ${en(c.ranks, 'rank')}, ${en(c.stages, 'stage')}, ${en(c.microbatches, 'micro-batch').replace('batchs', 'batches')}`,
        rank: (/** @type {number} */ r) => `rank ${r}  `,
        makespan: 'makespan, ticks',
        bound: 'no order is below',
        span: 'longest span of a rank',
        utilization: 'utilization (busy / all)',
        bubbleFraction: 'bubble fraction (idle / all)',
        bubbleRatio: 'bubble ratio (idle / busy)',
        latency: 'latency of a micro-batch',
        cadence: 'cadence, ticks a micro-batch',
        cadenceValue: (/** @type {string} */ ticks, /** @type {number} */ rank) => `${ticks}, set by rank ${rank}`,
        forwardCosts: 'forward costs of stages',
        backwardCosts: 'backward costs of stages',
        sum: 'sum',
        peaks: 'peak activations by rank',
        transfers: 'transfers',
        unitCosts: 'factors of micro-batches',
        unitCostsMoved: (/** @type {string} */ rows, /** @type {string} */ places) => `${rows} (as given: ${places})`,
        order: 'order of micro-batches',
        orderProved: (/** @type {string} */ gap) => `none is better (${gap} above the bound)`,
        orderFound: (/** @type {string} */ gap) => `the best found, not all were tried (${gap} above the bound)`,
        waiting: 'messages that wait by rank',
        gathers: 'gathers of weights by rank',
        transfersValue: (/** @type {number} */ f, /** @type {number} */ b) => `${f} forward, ${b} backward`,
        oneRank: 'One rank: there is no pipeline, and nothing to wait for.',
        step: 'step',
        loss: 'loss',
        unpipelined: 'unpipelined',
        difference: 'largest gradient difference',
        accuracy: 'accuracy',
        trainTitle: (/** @type {any} */ s, /** @type {string} */ layers) =>
            `${s.data}: network ${layers}, ${s.activation}, ${s.loss}, batch ${s.batch}, rate ${s.rate}, seed ${s.seed}`,
        exact: 'The gradients add in the order of the whole batch: the two runs agree to the last bit.',
        tooManyWorkers: (/** @type {number} */ ranks, /** @type {number} */ most) =>
            `ranks = ${ranks}: with workers there is a thread for each rank, at most ${most}. Nearest legal: ranks=${most}.`,
        badKill: (/** @type {string} */ value, /** @type {number} */ action, /** @type {number} */ step) =>
            `kill = ${value}: an action from 0 to ${action} and a step from 0 to ${step} are needed. Nearest legal: kill=${action}@${step}.`,
        noTwinOf:
            'The Python program times steps whose micro-batches are alike, without links, buffers and gathers. Nearest legal: format=json.',
        noTwin: 'transfer = rendezvous: the Python program times messages that keep nobody, or the sender. Nearest legal: transfer=sender.',
        onlyPlain: (/** @type {string} */ format) =>
            `format = ${format}: it can hold dense layers with tanh, relu or identity, means over samples and plain descent at the end of the step. Nearest legal: format=json.`,
        flush: 'flush',
        noFlush: (/** @type {string} */ versions, /** @type {string} */ late) =>
            `none between steps: weight versions by rank ${versions}, gradients late by ${late} updates`,
        stream: (/** @type {any} */ s) =>
            `No flush between steps: weights change after every ${s.every > 1 ? `${s.every} micro-batches` : 'micro-batch'}. Versions by rank: measured ${s.versions}, simulated ${s.simulated}. Gradients late by updates: measured ${s.late}, expected ${s.expected}.`,
        exactStream: 'The unpipelined network has the same delays: the two runs agree to the last bit.',
        synchronous: (/** @type {string} */ difference) =>
            `Without delays the weights would differ by up to ${difference}.`,
        killNeedsWorkers: 'kill: there is a worker to end only with --workers.',
        workersTitle: (/** @type {number} */ workers, /** @type {number} */ cores, /** @type {number} */ steps) =>
            `${en(workers, 'worker')}, one for each rank, on ${en(cores, 'core')}; ${en(steps, 'step')}`,
        oneWorker: 'one worker, ms a step (median)',
        manyWorkers: (/** @type {number} */ n) => `${en(n, 'worker')}, ms a step (median)`,
        stepMeasured: 'actions of the step below, ms',
        stepPredicted: 'the model with its times, ms',
        stepEnd: 'end of the step: sums, norms and votes exchanged, update, ms',
        hop: 'one hop of message passing, ms',
        forwardOfStage: 'forward of one stage, ms',
        speedup: (/** @type {string} */ n, /** @type {string} */ predicted) =>
            `Measured speed-up over one worker: ${n}. The model, from the measured times: ${predicted}.`,
        noSpeedup: (/** @type {string} */ n, /** @type {string} */ predicted) =>
            `No speed-up was measured: the workers took ${n} times as long as one. The model, from the measured times: ${predicted}.`,
        speedUnknown: 'Too few undisturbed steps to compare the two.',
        stepShown: (/** @type {number} */ step) => `Step ${step}, the middle one by time of the second half; ms:`,
        stepInStream:
            'No flush: between its actions the ranks perform those of the steps before and after, here and in the prediction.',
        action: 'action',
        measuredSpan: 'measured',
        predictedSpan: 'predicted',
        andMore: (/** @type {number} */ n) => `… and ${n} more; --format json has all.`,
        loss_: (/** @type {any} */ { rank, step, from }, /** @type {string} */ action, /** @type {any} */ stream) =>
            `The worker of rank ${rank} was lost${action ? ` before ${action} of step ${step}` : ''}; the run went on from the checkpoint after ${en(from, 'step')}${stream && from > 0 ? ', with all that was under way there: older weights, sums of gradients, activations, messages' : ''}.`,
        workersEqual: 'The weights are those of one worker that was never disturbed, to the last bit.',
        workersDiffer: 'The weights are NOT those of one worker.',
        bytes: (/** @type {any} */ { measured, simulated }) =>
            `Most bytes of live activations by rank: measured ${measured.join(' ')}, simulated ${simulated.join(' ')}.`,
        rounded: 'The backwards come in another order than in the whole batch: the two runs agree to rounding.',
    },
    ru: {
        help: `Конвейерные расписания: построить, проверить, рассчитать время, исполнить.

${usage}
${options}
LIST — одно число или по одному на стадию: "1 1 2 1". Длительности — в тактах на одну стадию: с -v 2 устройство работает вдвое
больше, если только --costs-of device не делит его работу между стадиями, а batch — ещё и между микробатчами.
FILE — расписание: таблица PyTorch либо то, что записали --format csv или json; - означает стандартный ввод.
--profile берёт длительности из файла с измеренными временами. plan читает такой файл и находит лучшие расписание и
разбиение слоёв; --cuts говорит, сколько слоёв было в каждой измеренной стадии; --after сравнивает второй запуск с
ожиданием.
`,
        missingValue: (/** @type {string} */ name) => `${name}: дальше нужно значение.`,
        stray: (/** @type {string} */ arg) => `${arg}: это не параметр; параметры начинаются с - или --.`,
        noSuchName: (/** @type {string} */ name, /** @type {string} */ value, /** @type {string[]} */ names) =>
            `${name} = ${value}: такого названия нет; есть ${names.join(', ')}. Ближайшее допустимое: ${name}=${names[0]}.`,
        cannotWrite: (/** @type {string} */ file, /** @type {string} */ code) =>
            `${file}: не удалось записать (${code}).`,
        cannotRead: (/** @type {string} */ file, /** @type {string} */ code) =>
            `${file}: не удалось прочитать (${code}).`,
        tooLarge: (/** @type {string} */ reason) =>
            `Результат слишком велик, записать его нельзя (${reason}); возьмите меньше микробатчей или --format csv.`,
        diverged: (/** @type {{ step: number, cause: string }} */ { step, cause }) =>
            `Обучение разошлось на шаге ${step}: ${
                cause === 'loss' ? 'значение функции потерь' : 'один из градиентов'
            } уже не конечное число, и с этого шага веса не меняются. Уменьшите скорость обучения (rate).`,
        needsFile: (/** @type {string} */ command) => `${command}: дальше нужен файл; - означает стандартный ввод.`,
        noMeaning: (/** @type {string} */ name, /** @type {string} */ value) =>
            `${name} = ${value}: здесь это ничего не значит. Уберите ${name}.`,
        blockedAt: (/** @type {any} */ b) =>
            `устройство ${b.rank} перед ${b.stage}${b.op}${b.microbatch}${b.column === undefined ? '' : ` (столбец ${b.column + 1})`}`,
        blocked: (/** @type {string} */ list, /** @type {boolean} */ more) => `Стоят: ${list}${more ? ' …' : '.'}`,
        simulated: 'расчёт по средним временам',
        simulatedBubble: 'в нём доля пузыря',
        steps: 'шагов, как считает PyTorch',
        busy: 'работа по устройствам',
        measuredTitle: (/** @type {string} */ name, /** @type {number} */ ranks) =>
            `${name}: ${ru(ranks, 'устройство', 'устройства', 'устройств')}, измерено`,
        planTitle: (
            /** @type {string} */ name,
            /** @type {number} */ p,
            /** @type {number} */ m,
            /** @type {number} */ l,
        ) =>
            `${name}: ${ru(p, 'устройство', 'устройства', 'устройств')}, ${ru(m, 'микробатч', 'микробатча', 'микробатчей')}, ${ru(l, 'слой', 'слоя', 'слоёв')}`,
        planShape: (/** @type {string} */ name) =>
            `${name}: порядка операций в нём нет, поэтому нужны --ranks и --microbatches. Ближайшее допустимое: --ranks 2 --microbatches 8.`,
        planRanks: (/** @type {any} */ p, /** @type {number} */ l) =>
            `ranks = ${p}: устройству нужен хотя бы один слой, а слоёв всего ${l}. Ближайшее допустимое: ranks=${l}.`,
        planNone:
            'plan: для этих устройств, микробатчей и слоёв не подходит ни одно расписание. Уберите schedule и chunks или возьмите меньше устройств.',
        measuredStep: (/** @type {string} */ name) => `${name}, измерено`,
        planMeasured: 'измеренный шаг',
        planSpread: (/** @type {string} */ middle, /** @type {string} */ low, /** @type {string} */ high) =>
            low === high ? middle : `${middle} (шаги длились от ${low} до ${high})`,
        planRatio: (/** @type {string} */ ticks, /** @type {string} */ ratio) =>
            `${ticks}, измерено / рассчитано ${ratio}`,
        planSizes: 'слоёв в его стадиях',
        planCompared: '1f1b, слои поровну',
        planLatency: 'задержка передачи',
        planHead: [
            'расписание',
            'частей',
            'слоёв в стадиях',
            'шаг',
            'пузырь',
            'выигрыш',
            'выше лучшего',
            'активаций',
            'память',
            'против лучшего',
        ],
        planBeside: (/** @type {string} */ time, /** @type {string} */ memory) => `время ${time}, память ${memory}`,
        planBound: 'короче плана нет, чем',
        planAbove: (/** @type {string} */ share) => `Он не больше чем на ${share} длиннее лучшего из возможных планов.`,
        planOptimal: 'Короче плана нет.',
        planOrderProved: 'Для этих стадий и этого предела памяти порядка короче нет: доказано.',
        planTooSmall: (
            /** @type {string} */ capacity,
            /** @type {string} */ name,
            /** @type {string} */ sizes,
            /** @type {string} */ needs,
            /** @type {string} */ over,
        ) =>
            `memory-capacity = ${capacity}: не помещается ни один план. Ближе всех ${name}, слои ${sizes}: нужно ${needs}, недостаёт ${over}. Ближайшее допустимое: memory-capacity=${needs}.`,
        planRecompute: (/** @type {string} */ value) =>
            `recompute = ${value}: в таблицах PyTorch нет операции пересчёта; его незаметно делает activation checkpointing внутри стадии. Ближайшее допустимое: recompute=none или runs-on=any.`,
        planUnused: (/** @type {string} */ name, /** @type {string} */ value) =>
            `${name} = ${value}: ни одно из просмотренных расписаний не знает этого параметра. Уберите его или назовите расписание.`,
        proofProgress: (/** @type {string} */ best, /** @type {string} */ bound) =>
            `пока лучшее ${best}, меньше ${bound} нет`,
        proof: 'лучший возможный порядок',
        proofDone: 'доказано: короче нет',
        proofOpen: (/** @type {string} */ share, /** @type {string} */ bound) =>
            `не больше чем на ${share} длиннее лучшего возможного (меньше ${bound} нет)`,
        proofNone: 'prove: лучший порядок ищется там, где порядок находит zb-auto, и примерно до 2000 операций.',
        badProve: (/** @type {string} */ value) =>
            `prove = ${value}: нужно число секунд. Ближайшее допустимое: prove=60.`,
        chartLeft: (/** @type {number} */ columns) => `Диаграмма шире ${columns} знаков; её покажет --chart always.`,
        noCut: (/** @type {string} */ file) => `${file}: это не слои стадий вида {"sizes": [4, 3]}.`,
        wrongCut: (/** @type {string} */ file, /** @type {string} */ sizes, /** @type {number} */ stages) =>
            `${file}: слои ${sizes} не подходят, стадий ${stages}: таблица с тех пор изменилась. Удалите этот файл или запишите его заново.`,
        badChart: (/** @type {string} */ value) =>
            `chart = ${value}: такого названия нет; есть auto, always, never. Ближайшее допустимое: chart=auto.`,
        planOver: 'не хватит памяти',
        planMore: (/** @type {number} */ count) => `… и ещё ${count} (все — в --format json)`,
        planBest: (
            /** @type {string} */ name,
            /** @type {string} */ sizes,
            /** @type {string} */ ticks,
            /** @type {string} */ share,
        ) => `лучшее: ${name}, слои ${sizes}; ожидаемый шаг ${ticks}, короче на ${share}`,
        planHalves: 'Обратные проходы по входам и по весам не измерены порознь: каждый принят за половину целого.',
        planAfter: (/** @type {string} */ name) => `второй запуск: ${name}`,
        planPredicted: 'ожидаемый шаг',
        planQuotient: 'измерено / ожидалось',
        planNoise: (/** @type {string} */ ratio, /** @type {string} */ noise) =>
            `${ratio} (его шаги расходятся на ${noise})`,
        planGain: 'выигрыш против первого запуска',
        planGains: (/** @type {string} */ expected, /** @type {string} */ got) =>
            `ожидался ${expected}, измерен ${got}`,
        badWhy: (/** @type {string} */ value) => `why = ${value}: нужны устройство и такт, например 2@5.`,
        title: (/** @type {any} */ c) =>
            `${c.schedule}: ${ru(c.ranks, 'устройство', 'устройства', 'устройств')}, ${ru(c.stages, 'стадия', 'стадии', 'стадий')}, ${ru(c.microbatches, 'микробатч', 'микробатча', 'микробатчей')}`,
        rank: (/** @type {number} */ r) => `устройство ${r}  `,
        makespan: 'время шага, тактов',
        bound: 'меньше нельзя, чем',
        span: 'самый долгий отрезок устройства',
        utilization: 'занятость (работа / всё)',
        bubbleFraction: 'доля пузыря (простой / всё)',
        bubbleRatio: 'отношение пузыря (простой / работа)',
        latency: 'задержка микробатча',
        cadence: 'темп, тактов на микробатч',
        cadenceValue: (/** @type {string} */ ticks, /** @type {number} */ rank) =>
            `${ticks}, задаёт устройство ${rank}`,
        forwardCosts: 'прямой проход по стадиям',
        backwardCosts: 'обратный проход по стадиям',
        sum: 'сумма',
        peaks: 'активаций на устройствах, не больше',
        transfers: 'передач',
        unitCosts: 'множители микробатчей',
        unitCostsMoved: (/** @type {string} */ rows, /** @type {string} */ places) =>
            `${rows} (номера, как были заданы: ${places})`,
        order: 'порядок микробатчей',
        orderProved: (/** @type {string} */ gap) => `лучше нет (выше границы на ${gap})`,
        orderFound: (/** @type {string} */ gap) => `лучший из найденных, перебраны не все (выше границы на ${gap})`,
        waiting: 'ждущих сообщений по устройствам',
        gathers: 'сборов весов по устройствам',
        transfersValue: (/** @type {number} */ f, /** @type {number} */ b) => `${f} вперёд, ${b} назад`,
        oneRank: 'Устройство одно: конвейера нет, и ждать некого.',
        step: 'шаг',
        loss: 'потери',
        unpipelined: 'без конвейера',
        difference: 'наибольшая разность градиентов',
        accuracy: 'точность',
        trainTitle: (/** @type {any} */ s, /** @type {string} */ layers) =>
            `${s.data}: сеть ${layers}, ${s.activation}, ${s.loss}, пакет ${s.batch}, скорость обучения ${String(s.rate).replace('.', ',')}, зерно ${s.seed}`,
        exact: 'Градиенты складываются в том же порядке, что и по всему пакету: совпадение до последнего бита.',
        tooManyWorkers: (/** @type {number} */ ranks, /** @type {number} */ most) =>
            `ranks = ${ranks}: на каждое устройство нужен свой поток, не больше ${most}. Ближайшее допустимое: ranks=${most}.`,
        badKill: (/** @type {string} */ value, /** @type {number} */ action, /** @type {number} */ step) =>
            `kill = ${value}: нужны операция от 0 до ${action} и шаг от 0 до ${step}. Ближайшее допустимое: kill=${action}@${step}.`,
        noTwinOf:
            'Программа на Python считает шаги с одинаковыми микробатчами, без линий связи, буферов и сбора весов. Ближайшее допустимое: format=json.',
        noTwin: 'transfer = rendezvous: программа на Python умеет передачи, которые не занимают никого либо только отправителя. Ближайшее допустимое: transfer=sender.',
        onlyPlain: (/** @type {string} */ format) =>
            `format = ${format}: сюда помещаются плотные слои с tanh, relu или identity, среднее по примерам и простой градиентный спуск в конце шага. Ближайшее допустимое: format=json.`,
        flush: 'опустошение конвейера',
        noFlush: (/** @type {string} */ versions, /** @type {string} */ late) =>
            `между шагами нет: версий весов по устройствам ${versions}, градиенты запаздывают на ${late} обновлений`,
        stream: (/** @type {any} */ s) =>
            `Между шагами конвейер не опустошается: веса меняются ${s.every > 1 ? `через каждые ${ru(s.every, 'микробатч', 'микробатча', 'микробатчей')}` : 'после каждого микробатча'}. Версий по устройствам: измерено ${s.versions}, по расчёту ${s.simulated}. Запаздывание градиентов, обновлений: измерено ${s.late}, ожидалось ${s.expected}.`,
        exactStream: 'У сети без конвейера те же запаздывания: совпадение до последнего бита.',
        synchronous: (/** @type {string} */ difference) =>
            `Без запаздываний веса отличались бы на величину до ${difference}.`,
        killNeedsWorkers: 'kill: останавливать некого без --workers.',
        workersTitle: (/** @type {number} */ workers, /** @type {number} */ cores, /** @type {number} */ steps) =>
            `${ru(workers, 'поток', 'потока', 'потоков')}, по одному на устройство; ядер: ${cores}; ${ru(steps, 'шаг', 'шага', 'шагов')}`,
        oneWorker: 'один поток, мс на шаг (медиана)',
        manyWorkers: (/** @type {number} */ n) => `${ru(n, 'поток', 'потока', 'потоков')}, мс на шаг (медиана)`,
        stepMeasured: 'операции шага, что показан ниже, мс',
        stepPredicted: 'расчёт с его временами, мс',
        stepEnd: 'конец шага: обмен суммами, нормами и голосами, обновление, мс',
        hop: 'одна передача сообщения, мс',
        forwardOfStage: 'прямой проход одной стадии, мс',
        speedup: (/** @type {string} */ n, /** @type {string} */ predicted) =>
            `Измеренное ускорение против одного потока: в ${times(n)}. Расчёт по измеренным временам: ${predicted}.`,
        noSpeedup: (/** @type {string} */ n, /** @type {string} */ predicted) =>
            `Ускорения не измерено: потоки работали дольше одного в ${times(n)}. Расчёт по измеренным временам: ${predicted}.`,
        speedUnknown: 'Слишком мало шагов без помех, чтобы сравнить.',
        stepShown: (/** @type {number} */ step) => `Шаг ${step}, средний по времени из второй половины; мс:`,
        stepInStream: 'Конвейер не опустошается: между этими операциями идут операции соседних шагов; так и в расчёте.',
        action: 'операция',
        measuredSpan: 'измерено',
        predictedSpan: 'по расчёту',
        andMore: (/** @type {number} */ n) => `… и ещё ${n}; в --format json есть все.`,
        loss_: (/** @type {any} */ { rank, step, from }, /** @type {string} */ action, /** @type {any} */ stream) =>
            `Поток устройства ${rank} потерян${action ? ` перед ${action} шага ${step}` : ''}; обучение продолжено с контрольной точки после ${ru(from, 'шага', 'шагов', 'шагов')}${stream && from > 0 ? ' со всем, что было тогда начато: прежними весами, суммами градиентов, активациями, сообщениями в пути' : ''}.`,
        workersEqual: 'Веса те же, что у одного потока, которому ничто не мешало, до последнего бита.',
        workersDiffer: 'Веса НЕ те, что у одного потока.',
        bytes: (/** @type {any} */ { measured, simulated }) =>
            `Активаций на устройствах, не больше, байт: измерено ${measured.join(' ')}, по расчёту ${simulated.join(' ')}.`,
        rounded: 'Обратные проходы идут в ином порядке, чем по всему пакету: совпадение с точностью до округления.',
    },
};
