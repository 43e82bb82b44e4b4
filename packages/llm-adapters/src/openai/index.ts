export type { OpenAILLMOptions } from './llm.js';
export { openaiLLM } from './llm.js';
export { toChatCompletionsRequest } from './chat/request.js';
export { fromChatCompletion } from './chat/response.js';
export { toResponsesRequest } from './responses/request.js';
export { fromResponse } from './responses/response.js';
export { eventsFromMessages } from './chat/events.js';
export { eventsFromResponseItems } from './responses/events.js';
