export type { CondenserDefinition, CondenserHost, CondenserSpec, OptionsSchema } from './define-condenser.js';
export { defineCondenser, isCondenserDefinition, optionNames } from './define-condenser.js';
export { CondenserNotFoundError, InvalidCondenserConfigError } from './errors.js';
