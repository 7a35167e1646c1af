// The style sheet of the element: the chart's, which files of a picture have, too, and one for each part of the figure. Later ones
// win where they say something of the same: what holds in small boxes and on paper stands behind the parts it changes.
import figureCss from '../scene/figure.css';
import chart from './styles/chart.css';
import controls from './styles/controls.css';
import explain from './styles/explain.css';
import frame from './styles/frame.css';
import hold from './styles/hold.css';
import lean from './styles/lean.css';
import lecture from './styles/lecture.css';
import numbers from './styles/numbers.css';
import paper from './styles/paper.css';
import refusals from './styles/refusals.css';
import sentence from './styles/sentence.css';
import small from './styles/small.css';
import steps from './styles/steps.css';
import training from './styles/training.css';
import views from './styles/views.css';

export const styleSheet = [
    figureCss,
    frame,
    steps,
    sentence,
    lean,
    controls,
    hold,
    chart,
    numbers,
    views,
    explain,
    training,
    refusals,
    small,
    paper,
    lecture,
].join('');
