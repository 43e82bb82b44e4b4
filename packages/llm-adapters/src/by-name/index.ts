export type { LLMByNameOptions, ModelPlace } from './llm-by-name.js';
export { llmByName, providerOfModel, serverKeyVariable } from './llm-by-name.js';
export type { ModelProvider } from './model-providers.js';
export { modelProviders } from './model-providers.js';
export { MissingApiKeyError, UnknownProviderError } from './errors.js';
