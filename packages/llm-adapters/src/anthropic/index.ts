export type { AnthropicLLMOptions } from './llm.js';
export { anthropicLLM } from './llm.js';
export type { MessagesOptions } from './to-request.js';
export { toMessagesRequest } from './to-request.js';
export type { MessageOptions } from './from-response.js';
export { fromMessage } from './from-response.js';
