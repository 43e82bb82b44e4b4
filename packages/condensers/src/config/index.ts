export { condenserByName, condenserNames } from './own-condensers.js';
export type { CondenserConfig, LoadedCondenser } from './load-condenser.js';
export { loadCondenser, loadCondenserConfig } from './load-condenser.js';
export { CondenserNotFoundError, InvalidCondenserConfigError } from '../authoring/definition/errors.js';
