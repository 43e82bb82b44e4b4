export type { Script, ScriptedAnswer, ScriptedLLM, ScriptedLLMOptions, ScriptedToolCall } from './scripted-llm.js';
export { ScriptEndedError, scriptedLLM } from './scripted-llm.js';
export { llmContract } from './llm-contract.js';
export { rateLimitStoreContract } from './rate-limit-store-contract.js';
