// Stands for pipeline-figure/madd-bytes where there is no relaxed multiply-add.
export default undefined;
