// The rows of a step's costs, and the options that give them.

/** Rows of Simulation.costs, in the core's order (pp_costs). */
export const COST_ROWS = ['forward', 'input', 'weight', 'backward', 'recompute', 'overlap', 'latency', 'size', 'kept'];

/** The row that an option of costs gives. @type {Record<string, string>} */
export const COST_ROW = {
    forward: 'forward',
    backward: 'backward',
    'input-gradient': 'input',
    'weight-gradient': 'weight',
    'recompute-cost': 'recompute',
    'overlap-cost': 'overlap',
    'kept-share': 'kept',
    latency: 'latency',
};
