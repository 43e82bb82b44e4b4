export type { ModelLike } from './model-like.js';
export { agentItems } from './codec.js';
export type { CondensingModelOptions, PassedThrough } from './condensed-calls.js';
export type { CondensingModel, CondensingModelProvider } from './condensing-model.js';
export { condensingModel, condensingModelProvider } from './condensing-model.js';
