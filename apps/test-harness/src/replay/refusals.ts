import type { Message } from '@palimpsest/events';
import { toMessagesRequest } from '@palimpsest/llm-adapters/anthropic';
import { toChatCompletionsRequest, toResponsesRequest } from '@palimpsest/llm-adapters/openai';
import {
  checkAnthropicRequest,
  checkChatCompletionsRequest,
  checkResponsesRequest,
} from '@palimpsest/provider-servers';

/** A rule of a provider's protocol that a message list breaks. */
export interface Refusal {
  readonly provider: 'anthropic' | 'openai';
  /** The rule that it breaks, by its row in docs/provider-rules.md: `A5` of Anthropic, `B1` of Chat Completions, `C6` of Responses. */
  readonly rule: string;
  readonly path: string;
  readonly message: string;
}

/** Any model will do: only the rules of message lists are checked. */
const models = { anthropic: 'claude-opus-5-5', openai: 'gpt-5.2' };

/** The rules that the messages break after conversion by the provider's adapter; empty if every provider takes them. */
export function findRefusals(messages: readonly Message[]): readonly Refusal[] {
  const anthropic = checkAnthropicRequest(toMessagesRequest({ messages }, { model: models.anthropic }));
  const openai = checkChatCompletionsRequest(toChatCompletionsRequest({ messages }, { model: models.openai }));
  const responses = checkResponsesRequest(toResponsesRequest({ messages }, { model: models.openai }));
  return [
    ...anthropic.map((violation): Refusal => ({ provider: 'anthropic', ...violation })),
    ...[...openai, ...responses].map((violation): Refusal => ({ provider: 'openai', ...violation })),
  ];
}
