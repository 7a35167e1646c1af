// What the first view does without of the core, and products with relaxed multiply-add where this build has them.
export { default as madd } from 'pipeline-figure/madd-bytes';
export { default as rest } from 'pipeline-figure/rest-bytes';
