// What simulate says beside the step itself: layers, samples, the end of the step, transfers, what-ifs, memory, a failure,
// the reasons of a wait. As rows for the terminal and as further fields of the JSON; what was not asked for is left out.
import { plainName } from '../words/names.js';
import { actionName, hasEnd } from '../write/rows.js';

/** @typedef {import('../engine/types.js').Simulation} Simulation */
/** @typedef {(value: number) => string} Plain */

/** What the options given ask for. @param {[string, any][]} pairs @param {string | undefined} why @returns {import('../engine/types.js').Ask} */
export function askOf(pairs, why) {
    const names = pairs.map(([name]) => plainName(name));
    const [, rank, time] = /^(\d+)@(\d+(?:[.,]\d+)?)$/.exec(why ?? '') ?? [];
    return {
        takeover: true,
        whatIf: true,
        memory: names.some((name) => name.startsWith('memory') && name !== 'memorylimit'),
        failure: names.some((name) => ['failrank', 'failtime', 'mtbf'].includes(name)),
        ...(rank === undefined ? {} : { why: { rank: Number(rank), time: Number(time.replace(',', '.')) } }),
    };
}

/** @param {Simulation} simulation @param {'en' | 'ru'} lang @param {Plain} plain @returns {string[][]} name and value */
export function studyFacts(simulation, lang, plain) {
    const text = words[lang];
    const { config, summary, partition, batch, end, takeover, whatIf, memory, failure, why } = simulation;
    const percent = new Intl.NumberFormat(lang, { style: 'percent', maximumFractionDigits: 1 });
    const facts = [[text.throughput, plain(summary.throughput)]];
    if (batch) facts.push([text.samples, text.samplesValue(batch, config.microbatches)]);
    if (partition) facts.push([text.layers, text.layersValue(partition, plain)]);
    if (hasEnd(simulation)) facts.push([text.end, `${plain(end.finish)} (+${plain(end.exposed)})`]);
    if (takeover && summary.transfers_forward > 0) facts.push([text.takeover, text.takeoverValue(takeover, plain)]);
    if (whatIf) {
        const other = (/** @type {Record<string, number>} */ sum) =>
            text.otherValue(plain(sum.makespan), percent.format(sum.bubble_fraction));
        if (whatIf.doubled) facts.push([text.doubled, other(whatIf.doubled)]);
        if (whatIf.balanced.makespan !== summary.makespan) facts.push([text.balanced, other(whatIf.balanced)]);
        if (whatIf.free.makespan !== summary.makespan) facts.push([text.free, other(whatIf.free)]);
    }
    if (memory) {
        facts.push([text.memory, memory.perRank.map((rank) => plain(rank.peak)).join(' ')]);
        if (memory.over_rank >= 0) facts.push([text.over, text.overValue(memory, plain)]);
    }
    if (failure) {
        for (const policy of failure.rank < 0 ? [] : failure.policies)
            if (policy.known)
                facts.push([text[policy.name], text.policyValue(policy, plain, percent.format(policy.goodput))]);
        if (failure.best_every > 0) facts.push([text.intervals, text.intervalsValue(failure, percent)]);
    }
    if (why === null) facts.push([text.busy, text.busyValue]);
    if (why) {
        const steps = why.reasons.filter((reason) => reason.inside);
        const named = (/** @type {any} */ reason) =>
            text.reason[reason.holds](
                actionName(simulation, reason.action),
                reason.rank,
                plain(reason.start),
                plain(reason.until),
            );
        facts.push([text.why(plain(why.idle.start), plain(why.idle.finish)), steps.map(named).join('; ')]);
    }
    return facts;
}

/** @type {Record<'en' | 'ru', Record<string, any>>} */
const words = {
    en: {
        throughput: 'micro-batches a tick',
        samples: 'samples of a step',
        samplesValue: (/** @type {any} */ b, /** @type {number} */ m) =>
            `${b.global} = ${m} micro-batches x ${b.size}${b.moved ? ` (${b.moved} followed from the others)` : ''}`,
        layers: 'layers of the stages',
        layersValue: (/** @type {any} */ p, /** @type {Plain} */ n) =>
            `${p.sizes.join(' ')} (${n(p.layers)} in all; largest stage ${n(p.largest)}, even share ${n(p.mean)}${
                p.cases ? `; ${n(p.cases)} cuts simulated${p.proved ? ', none is better' : ', not all'}` : ''
            })`,
        end: 'step with reduction, optimizer',
        takeover: 'transfers take over',
        takeoverValue: (/** @type {any} */ t, /** @type {Plain} */ n) => {
            if (Number.isNaN(t.factor)) return 'not worked out for this kind of messages';
            if (t.factor === Infinity) return 'never: they cost only on the way in and out';
            return t.factor === 0 ? 'from the first tick of latency on' : `above a latency of ${n(t.latency)}`;
        },
        otherValue: (/** @type {string} */ ticks, /** @type {string} */ bubble) =>
            `${ticks}, bubble fraction ${bubble}`,
        doubled: 'if m were doubled',
        balanced: 'if all stages cost the same',
        free: 'if transfers took no time',
        memory: 'peak memory by rank',
        over: 'memory passes the capacity',
        overValue: (/** @type {any} */ m, /** @type {Plain} */ n) =>
            `on rank ${m.over_rank} at tick ${n(m.over_time)}, by ${n(m.over_by)}`,
        restart: 'failure, restart the step',
        checkpoint: 'failure, back to checkpoint',
        spare: 'failure, spare device',
        policyValue: (/** @type {any} */ p, /** @type {Plain} */ n, /** @type {string} */ goodput) =>
            `${n(p.time_lost)} ticks lost, ${n(p.work_redone)} of work redone, goodput ${goodput}`,
        intervals: 'checkpoints, best every',
        intervalsValue: (/** @type {any} */ f, /** @type {Intl.NumberFormat} */ percent) =>
            `${f.best_every} steps (goodput ${percent.format(f.best_goodput)}); Young ${f.young_every}, Daly ${f.daly_every}`,
        busy: 'why idle',
        busyValue: 'it is not idle then',
        why: (/** @type {string} */ from, /** @type {string} */ to) => `idle from ${from} to ${to}`,
        reason: [
            (/** @type {string} */ a, /** @type {number} */ r, /** @type {string} */ from, /** @type {string} */ to) =>
                `waits for ${a} of rank ${r} (${from}–${to})`,
            (/** @type {string} */ a, /** @type {number} */ r, /** @type {string} */ from, /** @type {string} */ to) =>
                `rank ${r} is busy with ${a} (${from}–${to})`,
            (/** @type {string} */ a, /** @type {number} */ r, /** @type {string} */ from, /** @type {string} */ to) =>
                `rank ${r} runs and sends ${a} (${from}–${to})`,
            (/** @type {string} */ a, /** @type {number} */ r, /** @type {string} */ from, /** @type {string} */ to) =>
                `the step ends with ${a} of rank ${r} (${from}–${to})`,
        ],
    },
    ru: {
        throughput: 'микробатчей за такт',
        samples: 'примеров в шаге',
        samplesValue: (/** @type {any} */ b, /** @type {number} */ m) =>
            `${b.global} = ${m} микробатчей × ${b.size}${b.moved ? ` (${b.moved} следует из остальных)` : ''}`,
        layers: 'слоёв в стадиях',
        layersValue: (/** @type {any} */ p, /** @type {Plain} */ n) =>
            `${p.sizes.join(' ')} (всего ${n(p.layers)}; самая тяжёлая стадия ${n(p.largest)}, поровну ${n(p.mean)}${
                p.cases ? `; просчитано разбиений: ${n(p.cases)}${p.proved ? ', лучше нет' : ', не все'}` : ''
            })`,
        end: 'шаг со сложением и оптимизатором',
        takeover: 'передачи задают темп',
        takeoverValue: (/** @type {any} */ t, /** @type {Plain} */ n) => {
            if (Number.isNaN(t.factor)) return 'для rendezvous не вычисляется';
            if (t.factor === Infinity) return 'никогда: они стоят времени только на входе и выходе';
            return t.factor === 0 ? 'с первого же такта задержки' : `при задержке больше ${n(t.latency)}`;
        },
        otherValue: (/** @type {string} */ ticks, /** @type {string} */ bubble) => `${ticks}, доля пузыря ${bubble}`,
        doubled: 'если удвоить m',
        balanced: 'если уравнять стадии',
        free: 'если передачи мгновенны',
        memory: 'память устройств, не больше',
        over: 'памяти не хватает',
        overValue: (/** @type {any} */ m, /** @type {Plain} */ n) =>
            `устройству ${m.over_rank} с такта ${n(m.over_time)}, недостаёт ${n(m.over_by)}`,
        restart: 'отказ, шаг заново',
        checkpoint: 'отказ, назад к копии',
        spare: 'отказ, запасное устройство',
        policyValue: (/** @type {any} */ p, /** @type {Plain} */ n, /** @type {string} */ goodput) =>
            `потеряно тактов: ${n(p.time_lost)}, работы повторено: ${n(p.work_redone)}, полезная доля ${goodput}`,
        intervals: 'копии лучше писать через',
        intervalsValue: (/** @type {any} */ f, /** @type {Intl.NumberFormat} */ percent) =>
            `шагов: ${f.best_every} (полезная доля ${percent.format(f.best_goodput)}); по Янгу ${f.young_every}, по Дейли ${f.daly_every}`,
        busy: 'почему простой',
        busyValue: 'в это время простоя нет',
        why: (/** @type {string} */ from, /** @type {string} */ to) => `простой с ${from} по ${to}`,
        reason: [
            (/** @type {string} */ a, /** @type {number} */ r, /** @type {string} */ from, /** @type {string} */ to) =>
                `ждёт ${a} от устройства ${r} (${from}–${to})`,
            (/** @type {string} */ a, /** @type {number} */ r, /** @type {string} */ from, /** @type {string} */ to) =>
                `устройство ${r} занято ${a} (${from}–${to})`,
            (/** @type {string} */ a, /** @type {number} */ r, /** @type {string} */ from, /** @type {string} */ to) =>
                `устройство ${r} исполняет и передаёт ${a} (${from}–${to})`,
            (/** @type {string} */ a, /** @type {number} */ r, /** @type {string} */ from, /** @type {string} */ to) =>
                `шаг кончается с ${a} на устройстве ${r} (${from}–${to})`,
        ],
    },
};
