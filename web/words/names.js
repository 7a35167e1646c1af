// Names as the core compares them.

/** @param {string} name  "Input-Gradient", "input_gradient" and "inputGradient" are one */
export const plainName = (name) => name.toLowerCase().replace(/[-_ ]/g, '');
