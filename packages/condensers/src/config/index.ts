export { condenserByName, condenserNames } from './own-condensers.js';
export type {
  CondenserConfig,
  CondenserConfigDocument,
  LoadCondenserOptions,
  LoadedCondenser,
  V0CondenserConfig,
} from './load-condenser.js';
export { loadCondenser, loadCondenserConfig } from './load-condenser.js';
export type { ConfigNote } from './own-condensers.js';
export type { ImportModule } from './package-condenser.js';
export { CondenserNotFoundError, InvalidCondenserConfigError } from '../authoring/definition/errors.js';
