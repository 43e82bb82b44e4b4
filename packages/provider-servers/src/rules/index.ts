export { checkAnthropicRequest } from './anthropic/request.js';
export { checkChatCompletionsRequest } from './chat-completions/request.js';
export { checkedRules } from './checked-rules.js';
export { checkResponsesRequest } from './responses/request.js';
export type { OpenAIViolation, Violation } from './wire/violation.js';
