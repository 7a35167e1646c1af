// Stands for pipeline-figure/madd-bytes in the slim bundle: a file beside the script, fetched only where it is of use.
export default new URL('../core.madd.wasm', import.meta.url);
