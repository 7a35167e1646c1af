// The package where there is no page: in Node.
export { OPS } from '../words/ops.js';
export { Engine } from './engine.js';
export { PipelineError } from './error.js';
export { completeEngine, loadCore, loadCoreNow, loadEngine, prepareCore } from './load.js';
export { divergenceOf } from './training.js';
