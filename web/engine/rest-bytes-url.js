// Stands for pipeline-figure/rest-bytes in the slim bundle: a file beside the core, fetched when a reader opens what needs it.
export default new URL('../core.rest.wasm', import.meta.url);
