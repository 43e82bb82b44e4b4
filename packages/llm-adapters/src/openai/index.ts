export type { OpenAILLMOptions } from './llm.js';
export { openaiLLM } from './llm.js';
export type { ChatCompletionsOptions } from './to-request.js';
export { toChatCompletionsRequest } from './to-request.js';
export type { ChatCompletionOptions } from './from-response.js';
export { fromChatCompletion } from './from-response.js';
