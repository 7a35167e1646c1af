// What is thrown where the core refuses.

/** @typedef {import('./types.js').Fix} Fix */
/** @typedef {import('./types.js').Stall} Stall */

/** A refusal of the core. message is a full sentence in the engine's language. */
export class PipelineError extends Error {
    /** @param {string} message @param {Record<string, any>} fields */
    constructor(message, fields) {
        super(message);
        this.name = 'PipelineError';
        /** @type {string} */ this.code = fields.code;
        /** @type {string | null} */ this.option = fields.option ?? null;
        /** The same for a reader of a figure: no names of options that only authors use. @type {string} */
        this.reader = fields.reader ?? '';
        /** @type {string} */ this.seen = fields.seen ?? '';
        /** @type {Fix[]} */ this.fixes = fields.fixes ?? [];
        /** @type {Record<string, number>} */ this.fault = fields.fault ?? {};
        /** On a deadlock: what the ranks stand before, and in which column of a file.
         * @type {{rank: number, stage: number, op: string, microbatch: number, column?: number}[]} */
        this.blocked = fields.blocked ?? [];
        /** How far a generated schedule comes whose changed order cannot run. @type {Stall | null} */
        this.stall = fields.stall ?? null;
        /** Names of an option of names, for a list of choices. @type {string[]} */ this.names = fields.names ?? [];
    }
}
