import type { Usage } from '@palimpsest/events';
import { numberOf, objectOf } from './json-shape.js';

/** Usage as Anthropic reports it: the three input counts do not overlap. `undefined` when there is none, or all is 0. */
export function anthropicUsage(json: unknown): Usage | undefined {
  const fields = objectOf(json);
  return usage({
    uncached: fields['input_tokens'],
    cacheRead: fields['cache_read_input_tokens'],
    cacheWrite: fields['cache_creation_input_tokens'],
    output: fields['output_tokens'],
  });
}

/** Usage as OpenAI reports it, in both of its dialects: the input count includes what was read from the cache. */
export function openAIUsage(json: unknown): Usage | undefined {
  const fields = objectOf(json);
  const inputDetails = objectOf(fields['prompt_tokens_details'] ?? fields['input_tokens_details']);
  const outputDetails = objectOf(fields['completion_tokens_details'] ?? fields['output_tokens_details']);
  const cacheRead = count(
    inputDetails['cached_tokens'] ?? fields['cached_input_tokens'] ?? fields['cache_read_tokens'],
  );
  return usage({
    uncached: count(fields['prompt_tokens'] ?? fields['input_tokens']) - cacheRead,
    cacheRead,
    cacheWrite: fields['cache_write_tokens'],
    output: fields['completion_tokens'] ?? fields['output_tokens'],
    reasoning: outputDetails['reasoning_tokens'] ?? fields['reasoning_output_tokens'],
  });
}

/** The one shape of usage from counts that do not overlap. `undefined` when all of them are 0 or absent. */
export function usage(counts: {
  readonly uncached: unknown;
  readonly cacheRead: unknown;
  readonly cacheWrite: unknown;
  readonly output: unknown;
  readonly reasoning?: unknown;
}): Usage | undefined {
  const result = {
    uncachedInputTokens: count(counts.uncached),
    cacheReadTokens: count(counts.cacheRead),
    cacheWriteTokens: count(counts.cacheWrite),
    outputTokens: count(counts.output),
  };
  if (Object.values(result).every((tokens) => tokens === 0)) return undefined;
  return numberOf(counts.reasoning) === undefined ? result : { ...result, reasoningTokens: count(counts.reasoning) };
}

function count(value: unknown): number {
  return Math.max(0, numberOf(value) ?? 0);
}
