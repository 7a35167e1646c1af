// Stands for pipeline-figure/core-bytes in the bundle without WebAssembly, whose core is JavaScript.
export default new Uint8Array();
