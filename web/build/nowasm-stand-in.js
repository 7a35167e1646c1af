// What the modules use of WebAssembly, with a single module in it.
import instance from 'pipeline-figure/core-js';

class Module {}

class Instance {
    constructor() {
        this.exports = instance();
    }
}

export const standIn = {
    Module,
    Instance,
    CompileError: class extends Error {},
    compile: async () => new Module(),
    instantiate: async () => new Instance(),
};

export { standIn as WebAssembly };
