export type { CondenserDefinition, CondenserHost, CondenserSpec } from './define-condenser.js';
export type { OptionsSchema } from './options/checked-options.js';
export { defineCondenser, isCondenserDefinition } from './define-condenser.js';
export { optionNames } from './options/checked-options.js';
export { CondenserNotFoundError, InvalidCondenserConfigError } from './errors.js';
