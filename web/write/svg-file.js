// The figure as a file that stands alone: colours, legend, name and description inside. For the command line, the pages'
// static figures and the download button.
import { caption, title } from '../scene/format.js';
import { buildScene } from '../scene/scene.js';
import { sceneToSvg, standaloneCss } from '../scene/svg.js';

/**
 * @param {import('../engine/types.js').Simulation} simulation
 * @param {string} lang
 * @param {string} figureCss  text of figure.css
 * @param {import('../scene/scene.js').SceneOptions} [options]
 */
export function svgFile(simulation, lang, figureCss, options = {}) {
    const scene = buildScene(simulation, { lang, legend: true, idPrefix: 'figure', ...options });
    const [name, desc] = [title(simulation, lang), caption(simulation, lang)];
    return sceneToSvg(scene, { standalone: true, title: name, desc, css: standaloneCss(figureCss) });
}
