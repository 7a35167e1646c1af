// What the modules use of WebAssembly, with a single module in it. Every instance of it is one and the same, the module that
// wasm2js wrote: engines share its memory, which none of them counts as its own.
import * as core from 'pipeline-figure/core-js';

class Module {}

class Instance {
    exports = core;
}

export const standIn = {
    Module,
    Instance,
    CompileError: class extends Error {},
    compile: async () => new Module(),
    instantiate: async () => new Instance(),
};

export { standIn as WebAssembly };
