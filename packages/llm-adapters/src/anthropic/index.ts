export type { AnthropicLLMOptions } from './llm.js';
export { anthropicLLM } from './llm.js';
export { toMessagesRequest } from './request.js';
export { fromMessage } from './response.js';
export { eventsFromMessages } from './events.js';
