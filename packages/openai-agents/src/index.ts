export type { AgentItem } from './agent-item.js';
export { agentItems } from './codec.js';
export type { CondensingModelOptions, PassedThrough } from './condensed-calls.js';
export type { CondensingModel, CondensingModelProvider, WithTools } from './condensing-model.js';
export { condensingModel, condensingModelProvider } from './condensing-model.js';
export type { AgentTool, ModelLike, ModelProviderLike, ModelRequestLike } from './model-like.js';
