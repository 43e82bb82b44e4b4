import type { ContentPart, Message } from '@palimpsest/events';
import { ContextWindowExceededError } from './errors.js';
import type { Completion, CompletionRequest } from './llm.js';
import { remembering } from './memo.js';
import { totalInputTokens } from './usage.js';

/**
 * The upper bound of characters per token in ordinary text: English words are shorter, and blanks are not counted.
 * Unit: non-blank characters per token.
 */
const mostCharactersPerToken = 8;
/** Shorter requests are not checked, because they are too short to judge. Unit: tokens. */
const smallestTruncation = 500;

/**
 * The error for an answer to a request that did not fit: some servers cut the start of the history or return an empty answer,
 * with status 200. Undefined if the answer is to the whole request.
 *
 * @see provider-rules E.4
 */
export function overflowInAnswer(
  completion: Completion,
  request: CompletionRequest,
  { provider, contextWindow }: { readonly provider: string; readonly contextWindow: number | undefined },
): ContextWindowExceededError | undefined {
  if (completion.usageIsEstimated === true) return undefined;
  const inputTokens = totalInputTokens(completion.usage);
  const error = (why: string, sent: number) =>
    new ContextWindowExceededError(`${provider}: ${why}`, {
      provider,
      statusCode: 200,
      kind: 'input',
      inputTokens: sent,
      contextWindow,
    });
  if (contextWindow !== undefined && inputTokens > contextWindow) {
    return error(`answered to ${inputTokens} tokens, more than its window of ${contextWindow}`, inputTokens);
  }
  const isEmpty = completion.finishReason === 'length' && completion.usage.outputTokens === 0;
  if (contextWindow !== undefined && isEmpty && inputTokens >= 0.99 * contextWindow) {
    return error(`no room for an answer beside ${inputTokens} tokens in a window of ${contextWindow}`, inputTokens);
  }
  const atLeast = leastTokens(request);
  if (inputTokens > 0 && atLeast >= smallestTruncation && inputTokens < atLeast) {
    return error(`read ${inputTokens} tokens of at least ${atLeast} that were sent: it cut the history`, atLeast);
  }
  return undefined;
}

/** A lower bound, not an estimate: tools and images count nothing, because each server renders them in its own way. */
function leastTokens({ messages }: CompletionRequest): number {
  const characters = messages.reduce((sum, message) => sum + blackCharactersOf(message), 0);
  return Math.floor(characters / mostCharactersPerToken);
}

const blackCharactersOf = remembering((message: Message) => blackCharacters(textOf(message)));

function textOf(message: Message): string {
  const calls = message.role === 'assistant' ? (message.toolCalls ?? []) : [];
  return textOfParts(message.content) + calls.map((call) => call.arguments).join('');
}

function textOfParts(parts: readonly ContentPart[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/**
 * Runs of one character, as in ruled lines, count as one: tokenizers have tokens for them. They are bounded because an engine
 * of regular expressions remembers each repetition, and the stack ends at some millions of them.
 */
function blackCharacters(text: string): number {
  return text.replace(/\s+/g, '').replace(/(.)\1{3,999}/gsu, '$1').length;
}
