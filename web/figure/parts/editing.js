// Layers, samples, durations and the order of operations, changed by hand; and files given to the figure.
export { Editing } from '../edit.js';
