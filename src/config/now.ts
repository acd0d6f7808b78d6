/** Injects milliseconds since the Unix epoch. They may be adjusted, so ages are measured by `performance.now()`. */
export const NOW = Symbol('Now');
export type Now = () => number;
