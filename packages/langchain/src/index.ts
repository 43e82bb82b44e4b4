export { langchainMessages } from './codec.js';
export type { CondensingOptions } from './condensing.js';
export { condensing } from './condensing.js';
export { condensingEdit } from './context-edit.js';
