// The operations of a schedule, as the core numbers them: forward, full backward, backward for the inputs, backward for the
// weights, recomputation.

/** Their letters. */
export const OPS = ['F', 'B', 'I', 'W', 'R'];

export const FORWARD = 0;
export const BACKWARD = 1;
export const INPUT_GRADIENT = 2;
export const WEIGHT_GRADIENT = 3;
