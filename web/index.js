// The package: the engine for those who compute, the element for those who show. Loading it twice is harmless.
import { PipelineFigure } from './element.js';

export { Engine, loadEngine, loadEngineNow, OPS, PipelineError } from './engine.js';
export { PipelineFigure };

if (typeof customElements !== 'undefined' && !customElements.get('pipeline-figure')) {
    customElements.define('pipeline-figure', PipelineFigure);
}
