// What a reader can take back: the states before each change. No document.

/** Changes of the same options that follow each other within so many milliseconds are one. */
const ONE_MS = 700;
const MOST = 200;

/** @template T */
export class History {
    /** @type {T[]} */ #past = [];
    /** @type {T[]} */ #future = [];
    #last = { what: '', at: 0 };
    /** Within a gesture, which is one change: is it noted? @type {boolean | null} */
    #gesture = null;

    get canUndo() {
        return this.#past.length > 0;
    }

    get canRedo() {
        return this.#future.length > 0;
    }

    /** Before a change. @param {T} state @param {string} what  it changes; '' is never one with the change before */
    note(state, what) {
        const at = performance.now();
        if (this.#gesture) return;
        if (what === '' || what !== this.#last.what || at - this.#last.at > ONE_MS) this.#past.push(state);
        if (this.#past.length > MOST) this.#past.shift();
        this.#last = { what, at };
        this.#future = [];
        if (this.#gesture === false) this.#gesture = true;
    }

    /** What follows until the end is one change. */
    begin() {
        this.#gesture = false;
        this.#last.what = '';
    }

    end() {
        this.#gesture = null;
        this.#last.what = '';
    }

    /** The state before, or after, the present one. @param {T} present @param {boolean} back */
    go(present, back) {
        const [from, to] = back ? [this.#past, this.#future] : [this.#future, this.#past];
        const state = from.pop();
        if (state !== undefined) to.push(present);
        this.#last = { what: '', at: 0 };
        return state;
    }
}
