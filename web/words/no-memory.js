// The core has run out of memory: the one refusal that it cannot say by itself, since the words need memory, too.

/** @param {string} lang @param {number} bytes  that could not be had */
export function noMemoryText(lang, bytes) {
    const size = new Intl.NumberFormat(lang, { maximumFractionDigits: 1 }).format(bytes / 2 ** 20);
    return lang === 'ru'
        ? `Не хватает памяти: нужно ещё ${size}\u00a0МиБ. Возьмите меньше микробатчей, стадий или кусков.`
        : `There is not enough memory: ${size} MiB more are needed. Take fewer micro-batches, stages or slices.`;
}
