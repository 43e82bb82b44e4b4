export type { CondenserConfig, CondenserConfigDocument, LoadCondenserOptions } from './load-condenser.js';
export { loadCondenser } from './load-condenser.js';
export type { ImportModule } from './package-condenser.js';
export { CondenserNotFoundError, InvalidCondenserConfigError } from '../errors.js';
