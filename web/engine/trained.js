// What a training run takes in and has come to, for those who repeat it elsewhere. A part of engine.js, like measured.js.

/** @typedef {import('./training.js').Training} Training */

/** @param {any} core @param {number} at @param {number} count */
const floats = (core, at, count) => new Float32Array(core.memory.buffer, at, count).slice();

/** Gradients of the last step, laid out like training.parameters. @param {Training} training @returns {Float32Array} */
export const gradientsOf = (training) =>
    training.withInternals(({ steps: { core }, network }) =>
        floats(core, core.pp_network_gradients(network), core.pp_network_parameter_count(network)),
    );

/**
 * The samples of a step.
 * @param {Training} training @param {number} step  from 0
 * @returns {{ features: Float32Array, labels: Int32Array }}
 */
export const batchOf = (training, step) =>
    training.withInternals(({ steps, data }) =>
        steps.scope((alloc) => {
            const { core } = steps;
            const { batch } = training.settings;
            const features = alloc(4 * batch * training.features);
            const labels = alloc(4 * batch);
            core.pp_data_batch(data, step, batch, features, labels);
            return { features: floats(core, features, batch * training.features), labels: steps.ints(labels, batch) };
        }),
    );
