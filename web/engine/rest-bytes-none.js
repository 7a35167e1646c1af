// Stands for pipeline-figure/rest-bytes where the core is whole.
export default undefined;
