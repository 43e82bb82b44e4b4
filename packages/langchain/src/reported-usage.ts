import { field } from '@palimpsest/messages';

/** What LangChain reports of an answer of any provider, under the names of Chat Completions: there, too, the input includes the cache. */
export function usageOf(answer: unknown): object | undefined {
  const usage = field(answer, 'usage_metadata');
  if (usage === undefined) return undefined;
  const input = field(usage, 'input_token_details');
  return {
    prompt_tokens: field(usage, 'input_tokens'),
    completion_tokens: field(usage, 'output_tokens'),
    prompt_tokens_details: {
      cached_tokens: field(input, 'cache_read'),
      cache_write_tokens: field(input, 'cache_creation'),
    },
    completion_tokens_details: { reasoning_tokens: field(field(usage, 'output_token_details'), 'reasoning') },
  };
}
