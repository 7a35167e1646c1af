// The package: the engine for those who compute, the element for those who show. Loading it twice is harmless.
import { PipelineFigure } from './element.js';

// What a page's own script shares with its figures.
export { draftCheck } from '../engine/draft.js';
export { Engine } from '../engine/engine.js';
export { PipelineError } from '../engine/error.js';
export { loadEngine } from '../engine/load.js';
export { requestFrom, stateText } from '../request/link.js';
export { OPS } from '../words/ops.js';
export { textOf } from '../words/strings.js';
export { learnLanguage, loadParts, sharedEngine } from './hydration.js';
export { PipelineFigure };

/** Of the package; build.mjs puts it here. */
export const version = typeof PIPELINE_FIGURE_VERSION === 'string' ? PIPELINE_FIGURE_VERSION : 'source';

if (typeof customElements !== 'undefined') {
    // The first definition stands, and says of which version it is.
    const first = /** @type {any} */ (customElements.get('pipeline-figure'));
    if (!first) {
        Object.assign(PipelineFigure, { version });
        customElements.define('pipeline-figure', PipelineFigure);
    } else if (first.version !== version) {
        console.warn(`pipeline-figure: ${first.version} is on this page already; ${version} leaves the element to it`);
    }
}
