export type { Script, ScriptedAnswer, ScriptedLLM, ScriptedLLMOptions, ScriptedToolCall } from './scripted-llm.js';
export { ScriptEndedError, scriptedLLM } from './scripted-llm.js';
export type { LLMContractOptions } from './llm-contract.js';
export { llmContract } from './llm-contract.js';
export type { LLMFeature, LLMScenario, LLMUnderTest, ScenarioToolCall, ScenarioTurn } from './llm-contract/scenario.js';
export type { RateLimitStoreContractOptions, RateLimitStoreUnderTest } from './rate-limit-store-contract.js';
export { rateLimitStoreContract } from './rate-limit-store-contract.js';
