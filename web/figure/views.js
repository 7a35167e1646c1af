// Views that explain the chart, right under it (teaching.js).

export const TEACHING_VIEWS = ['play', 'memory', 'curve', 'compare', 'path', 'failure', 'batch'];

/** Which of the views have something to show. @param {import('./teaching.js').Setting} setting */
export function viewsFor({ drawn, trains, simulation, request }) {
    return TEACHING_VIEWS.filter(
        (view) =>
            (view === 'curve' ? !simulation.config.edited && !simulation.file : drawn) &&
            (view !== 'failure' || request['fail-rank']) &&
            (view !== 'batch' || simulation.batch) &&
            (view !== 'compare' || trains) && // all others train, and half a step is not compared with a whole one
            (view !== 'memory' || (trains && simulation.summary.peak_activations > 0)),
    );
}
