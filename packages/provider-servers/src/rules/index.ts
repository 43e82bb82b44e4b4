export type { AnthropicRequestContext } from './anthropic/request.js';
export { checkAnthropicRequest } from './anthropic/request.js';
export { checkChatCompletionsRequest } from './chat-completions/request.js';
export { checkedRules } from './checked-rules.js';
export type { CompatProfileName } from './compat/profile.js';
export { checkResponsesRequest } from './responses/request.js';
export type { OpenAIViolation, Violation } from './wire/violation.js';
export type { JsonObject } from './wire/wire-json.js';
