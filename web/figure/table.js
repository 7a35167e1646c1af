// The schedule as a table, for those who cannot see the picture, and for paper: a row per device, its operations in
// order.
import { html, nothing } from 'lit';
import { formatNumber, title, trains } from '../scene/format.js';
import { OPS } from '../words/ops.js';
import { textOf } from '../words/strings.js';

/** Operations of a device, and of all, that the table shows; the CSV file has them all. */
const MOST_COLUMNS = 160;
const MOST_CELLS = 8000;
/** More than these do not fit side by side on paper, and follow each other there like words. */
const PAPER_COLUMNS = 8;

/** @param {import('../engine/types.js').Simulation} simulation @param {string} lang */
export function scheduleTable(simulation, lang) {
    const { actions, perRank, config, rankBegin } = simulation;
    const backward = trains(simulation);
    const several = config.stages !== perRank.length;
    const number = (/** @type {number} */ value) => formatNumber(value, lang);
    const lengths = perRank.map((_, rank) => rankBegin[rank + 1] - rankBegin[rank]);
    const longest = Math.max(...lengths);
    const columns = Math.min(longest, MOST_COLUMNS, Math.ceil(MOST_CELLS / perRank.length));
    const rows = lengths.map((length, rank) =>
        Array.from({ length: Math.min(length, columns) }, (_, k) => rankBegin[rank] + k),
    );
    return html`<div class="scroller" tabindex="0" role="region" aria-label=${textOf(lang, 'view_table')}>
        <table class="schedule" part="table" ?data-long=${columns > PAPER_COLUMNS}>
            <caption><span>${textOf(lang, 'table_caption', title(simulation, lang))}</span></caption>
            <thead><tr>
                <th scope="col">${textOf(lang, 'table_device')}</th>
                <th scope="col">${textOf(lang, 'table_busy')}</th>
                <th scope="col">${textOf(lang, 'table_idle')}</th>
                ${backward ? html`<th scope="col">${textOf(lang, 'table_peak')}</th>` : nothing}
                ${Array.from({ length: columns }, (_, k) => html`<th scope="col">${k + 1}</th>`)}
            </tr></thead>
            <tbody>${rows.map(
                (row, rank) => html`<tr>
                <th scope="row">${textOf(lang, 'rank', rank + 1)}</th>
                <td data-label=${textOf(lang, 'table_busy')}>${number(perRank[rank].busy)}</td>
                <td data-label=${textOf(lang, 'table_idle')}>${number(perRank[rank].idle)}</td>
                ${backward ? html`<td data-label=${textOf(lang, 'table_peak')}>${number(perRank[rank].peak_activations)}</td>` : nothing}
                ${row.map(
                    (i) =>
                        html`<td class="op op-${OPS[actions.op[i]]}"><b>${OPS[actions.op[i]]}${actions.microbatch[i] + 1}</b>${
                            several
                                ? html` <span>${textOf(lang, 'table_cell_stage', actions.stage[i] + 1)}</span>`
                                : nothing
                        } <span>${number(actions.start[i])}–${number(actions.finish[i])}</span></td>`,
                )}
            </tr>`,
            )}</tbody>
        </table>
    </div>
    ${longest > columns ? html`<p class="note">${textOf(lang, 'table_cut', columns)}</p>` : nothing}`;
}
