// What a training looks like: the curve of the loss as a path, the regions of decision as pixels. Pure: numbers in,
// text or bytes out.

/**
 * Keeps a curve at a bounded number of points: when it is full, every second one is dropped and the step doubles, so
 * that a long training costs no more to draw than a short one.
 */
export class Curve {
    /** @param {number} capacity */
    constructor(capacity = 512) {
        this.capacity = capacity;
        /** @type {{ x: number, y: number }[]} */
        this.points = [];
        this.stride = 1;
        /** @type {{ x: number, y: number } | null} */
        this.last = null;
    }

    /** @param {number} x @param {number} y */
    add(x, y) {
        if (!Number.isFinite(y)) return;
        this.last = { x, y };
        if (x % this.stride === 0) this.points.push(this.last);
        if (this.points.length < this.capacity) return;
        this.stride *= 2;
        this.points = this.points.filter((point) => point.x % this.stride === 0);
    }

    /** What the picture should reach to: where the curve began and where it has been of late. Spikes may leave it. */
    get reach() {
        const late = this.points.slice(Math.floor(this.points.length * 0.75));
        return Math.max(this.points[0]?.y ?? 0, ...late.map(({ y }) => y), this.last?.y ?? 0);
    }
}

/** A round number not below value: 1, 2 or 5 times a power of ten. @param {number} value */
export function roundUp(value) {
    if (!(value > 0)) return 1;
    const power = 10 ** Math.floor(Math.log10(value));
    return [1, 2, 5, 10].map((digit) => digit * power).find((round) => round >= value * (1 - 1e-9)) ?? value;
}

/**
 * @param {Curve} curve @param {{ width: number, height: number, xMax: number, yMax: number }} frame
 * @returns {string} the d of a path, y upwards, from the origin at the lower left
 */
export function curvePath(curve, { width, height, xMax, yMax }) {
    const points = curve.last && curve.points.at(-1) !== curve.last ? [...curve.points, curve.last] : curve.points;
    const at = (/** @type {{x: number, y: number}} */ { x, y }) =>
        `${((x / xMax) * width).toFixed(1)} ${(height - (Math.min(y, yMax) / yMax) * height).toFixed(1)}`;
    return points.length === 0 ? '' : `M${points.map(at).join('L')}`;
}

/**
 * Square frame around points, a tenth wider than they are.
 * @param {ArrayLike<number>} values @param {number} features numbers per point; the first two are shown
 * @returns {{ left: number, top: number, size: number }} top is the largest second feature
 */
export function frameOf(values, features) {
    let [left, right, bottom, top] = [Infinity, -Infinity, Infinity, -Infinity];
    for (let i = 0; i < values.length; i += features) {
        left = Math.min(left, values[i]);
        right = Math.max(right, values[i]);
        bottom = Math.min(bottom, values[i + 1]);
        top = Math.max(top, values[i + 1]);
    }
    const size = Math.max(right - left, top - bottom, 1e-6) * 1.1;
    return { left: (left + right - size) / 2, top: (top + bottom + size) / 2, size };
}

/**
 * Points at the middles of a grid over a frame, row by row from the top; features beyond the first two are 0, the mean.
 * @param {{ left: number, top: number, size: number }} frame @param {number} cells a side @param {number} features
 */
export function gridPoints(frame, cells, features) {
    const points = new Float32Array(cells * cells * features);
    for (let i = 0; i < cells * cells; i++) {
        points[i * features] = frame.left + (((i % cells) + 0.5) / cells) * frame.size;
        points[i * features + 1] = frame.top - ((Math.floor(i / cells) + 0.5) / cells) * frame.size;
    }
    return points;
}

/**
 * Colours a grid by the class with the largest output, the stronger the surer.
 * @param {Float32Array} outputs classes numbers per cell @param {number} classes
 * @param {number[][]} colours red, green, blue per class
 * @param {Uint8ClampedArray} pixels four bytes per cell, filled
 */
export function regionPixels(outputs, classes, colours, pixels) {
    for (let cell = 0; cell < pixels.length / 4; cell++) {
        let best = 0;
        for (let c = 1; c < classes; c++) {
            if (outputs[cell * classes + c] > outputs[cell * classes + best]) best = c;
        }
        const even = 1 / classes;
        const sure = Math.min(1, Math.max(0, (outputs[cell * classes + best] - even) / (1 - even)));
        pixels.set(colours[best], cell * 4);
        pixels[cell * 4 + 3] = 40 + 110 * sure;
    }
}
