// What the modules use of WebAssembly, with a single module in it. Every instance of it is one and the same, the module that
// wasm2js wrote: engines share its memory, which none of them counts as its own.
import * as core from 'pipeline-figure/core-js';

class Module {}
/** It brings along what it calls. */
const imports = () => [];

class Instance {
    exports = core;
}

export const standIn = {
    Module: Object.assign(Module, { imports }),
    Instance,
    CompileError: class extends Error {},
    compile: async () => new Module(),
    instantiate: async () => new Instance(),
};

export { standIn as WebAssembly };
