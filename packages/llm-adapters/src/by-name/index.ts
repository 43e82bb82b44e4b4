export type { LLMByNameOptions } from './llm-by-name.js';
export {
  llmByName,
  MissingApiKeyError,
  providerOfModel,
  serverKeyVariable,
  UnknownProviderError,
} from './llm-by-name.js';
export type { ModelProvider } from './model-providers.js';
export { modelProviders } from './model-providers.js';
