// Stands for pipeline-figure/core-bytes in the slim bundle: the core is a file of its own beside the script, and
// bundlers that know the form new URL(…, import.meta.url) carry it along.
export default new URL('../core.wasm', import.meta.url);
