// An empty timetable to fill in: each placement is accepted, or refused with its reason. The rules, the durations and the
// shortest time are the core's.
import { remember } from './answers.js';
import { library, make, say } from './figures.js';

/**
 * @typedef {import('../../engine/draft.js').Placed} Placed
 * @typedef {import('../../engine/types.js').Simulation} Simulation
 */

const FORWARD = 0;
const BACKWARD = 1;

class Builder {
    /** @type {Placed[]} */
    #placed = [];
    /** What is put down next. */
    #op = FORWARD;
    #microbatch = 0;
    #limit = 0;
    /** Where keys are. */
    #at = { rank: 0, tick: 0 };
    #said = '';

    /** @param {HTMLElement} box @param {any} engine @param {Record<string, string | null>} request */
    constructor(box, engine, request) {
        this.box = box;
        this.engine = engine;
        this.request = request;
        /** @type {Simulation} */
        this.best = engine.simulate(request);
        this.trains = (this.best.kinds & 2) !== 0;
        this.ranks = this.best.perRank.length;
        this.microbatches = this.best.config.microbatches;
        // A little room behind the shortest time, so that a detour is possible where one is likely.
        this.ticks = this.best.summary.makespan + (this.trains ? 3 : 0);
        this.palette = make('div', { class: 'palette' });
        this.grid = make('table', { role: 'grid', 'aria-label': say('builder_grid') });
        this.status = make('p', { class: 'verdict', role: 'status' });
        box.append(this.palette, make('div', { class: 'scroller' }, this.grid), this.status);
        this.grid.addEventListener('keydown', (event) => this.#onKey(/** @type {KeyboardEvent} */ (event)));
        this.#draw();
    }

    /** @param {Placed} action */
    #duration({ op, stage }) {
        return (op === FORWARD ? this.best.costs.forward : this.best.costs.backward)[stage];
    }

    /** @param {Placed} action */
    #end = (action) => action.start + this.#duration(action);

    /** @param {Placed} action */
    #name({ op, microbatch, rank }) {
        return say(op === FORWARD ? 'builder_forward' : 'builder_backward', microbatch + 1, rank + 1);
    }

    get #whole() {
        return this.ranks * this.microbatches * (this.trains ? 2 : 1);
    }

    /** @param {number} rank @param {number} tick */
    #place(rank, tick) {
        /** @type {Placed} */
        const wanted = { rank, op: this.#op, stage: rank, microbatch: this.#microbatch, start: tick };
        const { draftCheck } = library();
        const { why, other } = draftCheck(this.engine, this.request, this.#placed, wanted, this.#limit);
        if (why !== 'fits') {
            this.#said = say(
                `builder_${why}`,
                this.#name(wanted),
                other ? this.#name(other) : '',
                other ? this.#end(other) : 0,
                this.#limit,
            );
        } else {
            this.#placed.push(wanted);
            this.#said = say('builder_fits', this.#name(wanted), this.#whole - this.#placed.length);
            if (this.#placed.length === this.#whole) this.#finish();
        }
        this.#draw();
    }

    #finish() {
        const end = Math.max(...this.#placed.map(this.#end));
        const shortest = end === this.best.summary.makespan;
        this.#said = say(shortest ? 'builder_done' : 'builder_longer', end, this.best.summary.makespan);
        remember(`builder-${this.box.dataset.name}`, { given: String(end), holds: shortest });
    }

    /** Takes an action back, and what stands only because of it. @param {Placed} action */
    #remove(action) {
        const { draftCheck } = library();
        let rest = this.#placed.filter((other) => other !== action);
        for (let n = 0; n <= this.#whole; n++) {
            const stays = rest.filter((one) => {
                const others = rest.filter((other) => other !== one);
                return draftCheck(this.engine, this.request, others, one).why === 'fits';
            });
            if (stays.length === rest.length) break;
            rest = stays;
        }
        this.#placed = rest;
        this.#said = say('builder_removed', this.#name(action));
        this.#draw();
    }

    /** @param {KeyboardEvent} event */
    #onKey(event) {
        const { key } = event;
        if (event.altKey || event.ctrlKey || event.metaKey) return;
        const [down, across] = { ArrowDown: [1, 0], ArrowUp: [-1, 0], ArrowRight: [0, 1], ArrowLeft: [0, -1] }[key] ?? [
            0, 0,
        ];
        if (down || across) {
            const { rank, tick } = this.#at;
            this.#at = {
                rank: Math.min(this.ranks - 1, Math.max(0, rank + down)),
                tick: Math.min(this.ticks - 1, Math.max(0, tick + across)),
            };
            this.#draw(true);
        } else if (/^[1-9]$/.test(key) && Number(key) <= this.microbatches) {
            this.#microbatch = Number(key) - 1;
            this.#place(this.#at.rank, this.#at.tick);
            this.#draw(true);
        } else if (this.trains && /^[fbFB]$/.test(key)) {
            this.#op = /f/i.test(key) ? FORWARD : BACKWARD;
            this.#draw(true);
        } else return;
        event.preventDefault();
    }

    #drawPalette() {
        const choice = (/** @type {string} */ text, /** @type {boolean} */ pressed, /** @type {() => void} */ does) => {
            const button = make('button', { type: 'button', 'aria-pressed': String(pressed) }, text);
            button.addEventListener('click', () => {
                does();
                this.#draw();
            });
            return button;
        };
        const ops = this.trains
            ? [FORWARD, BACKWARD].map((op) =>
                  choice(say(op === FORWARD ? 'builder_op_F' : 'builder_op_B'), op === this.#op, () => {
                      this.#op = op;
                  }),
              )
            : [];
        const numbers = Array.from({ length: this.microbatches }, (_, k) =>
            choice(String(k + 1), k === this.#microbatch, () => {
                this.#microbatch = k;
            }),
        );
        const limit = this.trains
            ? [
                  choice(say('builder_limit'), this.#limit > 0, () => {
                      this.#limit = this.#limit > 0 ? 0 : 2;
                      this.#placed = [];
                      this.#said = '';
                  }),
              ]
            : [];
        const clear = choice(say('builder_clear'), false, () => {
            this.#placed = [];
            this.#said = '';
        });
        clear.removeAttribute('aria-pressed');
        this.palette.replaceChildren(make('span', {}, say('builder_put')), ...ops, ...numbers, ...limit, clear);
    }

    /** @param {boolean} [focus] */
    #draw(focus = false) {
        this.#drawPalette();
        const rows = Array.from({ length: this.ranks }, (_, rank) => {
            const row = make('tr', {}, make('th', { scope: 'row' }, say('rank', rank + 1)));
            for (let tick = 0; tick < this.ticks; ) {
                const own = this.#placed.find((action) => action.rank === rank && action.start === tick);
                const span = own ? this.#duration(own) : 1;
                const inside = this.#at.rank === rank && this.#at.tick >= tick && this.#at.tick < tick + span;
                const label = own ? this.#name(own) : say('builder_empty', rank + 1, tick + 1);
                const button = make(
                    'button',
                    { type: 'button', tabindex: inside ? '0' : '-1', 'aria-label': label },
                    own ? String(own.microbatch + 1) : '',
                );
                if (own) button.dataset.op = own.op === FORWARD ? 'F' : 'B';
                const [r, t] = [rank, tick];
                button.addEventListener('click', () => {
                    this.#at = { rank: r, tick: t };
                    if (own) this.#remove(own);
                    else this.#place(r, t);
                });
                row.append(make('td', { colspan: String(span) }, button));
                tick += span;
            }
            return row;
        });
        const head = make('tr', {}, make('th', { scope: 'col' }, say('builder_ticks')));
        for (let tick = 1; tick <= this.ticks; tick++) head.append(make('th', { scope: 'col' }, String(tick)));
        const had = focus || this.grid.contains(document.activeElement);
        this.grid.replaceChildren(make('thead', {}, head), make('tbody', {}, ...rows));
        if (had) /** @type {HTMLElement | null} */ (this.grid.querySelector('button[tabindex="0"]'))?.focus();
        this.status.textContent = this.#said || say('builder_hint');
    }
}

/** @param {HTMLElement} box  .builder: words, and the shape in data-state */
export function bindBuilder(box) {
    const { sharedEngine, requestFrom } = library();
    const start = () =>
        sharedEngine().then(
            (engine) => new Builder(box, engine, { ...requestFrom(box.dataset.state ?? ''), 'costs-of': 'device' }),
            () => {}, // where the core may not run, the words stand alone
        );
    // Not before a reader comes near: the page has figures to bring to life first.
    const observer = new IntersectionObserver(
        (entries) => {
            if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
            observer.disconnect();
            start();
        },
        { rootMargin: '400px' },
    );
    observer.observe(box);
}
