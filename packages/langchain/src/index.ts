export { langchainMessages } from './codec.js';
export type { CondensingMiddleware, CondensingOptions } from './condensing.js';
export { condensing } from './condensing.js';
export type { CondensingEditOptions } from './context-edit.js';
export { condensingEdit } from './context-edit.js';
