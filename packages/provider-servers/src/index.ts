export type { AnthropicAnswer } from './anthropic/answer.js';
export type { AnthropicPromptCacheOptions } from './anthropic/anthropic-prompt-cache.js';
export { anthropicPromptCache } from './anthropic/anthropic-prompt-cache.js';
export type { AnthropicRequestContext } from './anthropic/anthropic-request.js';
export { checkAnthropicRequest } from './anthropic/anthropic-request.js';
export type { AnthropicReply, AnthropicServerOptions } from './anthropic/anthropic-server.js';
export { anthropicServer } from './anthropic/anthropic-server.js';
export { messageStream as anthropicMessageStream } from './anthropic/message-stream.js';
export type { CacheMarking } from './cache-marking.js';
export type { CachedPrompt, SimulatedPromptCache } from './cached-prompt.js';
export { checkedRules } from './checked-rules.js';
export { checkChatCompletionsRequest } from './chat-completions/request.js';
export type { CompatProfileName } from './compat/profile.js';
export type { OpenAIPromptCacheOptions } from './openai/openai-prompt-cache.js';
export { openaiPromptCache } from './openai/openai-prompt-cache.js';
export type { OpenAIServerOptions } from './openai/openai-server.js';
export { openaiServer } from './openai/openai-server.js';
export type { OpenAIItemsReply, OpenAIMessageReply, OpenAIReply } from './openai/reply.js';
export type { OpenAIViolation } from './openai/violation.js';
export type { DeliveryFault, Fault, Faults, RefusalFault } from './provider-fault.js';
export type {
  ProviderServer,
  ReceivedRequest,
  ServerError,
  ServerResponse,
  ServerSentEvent,
} from './provider-server.js';
export { serve } from './provider-server.js';
export { checkResponsesRequest } from './responses/request.js';
export type { Script, ScriptedAnswer, ScriptedCall } from './scripted-server.js';
export { scriptedServer } from './scripted-server.js';
export { rewritesIn, sentTo } from './sent-history.js';
export type { ToolLoopOptions } from './tool-loop.js';
export { toolLoop } from './tool-loop.js';
export type { Violation } from './violation.js';
export type { JsonObject } from './wire-json.js';
