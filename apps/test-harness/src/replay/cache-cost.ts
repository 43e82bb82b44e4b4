import type { Event, Message, ToolDefinition } from '@palimpsest/events';
import { promptToSend } from '@palimpsest/llm-adapters';
import type { CacheHints, SentPrompt } from '@palimpsest/llm-adapters';
import { toMessagesRequest } from '@palimpsest/llm-adapters/anthropic';
import { toResponsesRequest } from '@palimpsest/llm-adapters/openai';
import { anthropicPromptCache, openaiPromptCache } from '@palimpsest/llm-adapters/testing';
import type { CacheMarking } from '@palimpsest/llm-adapters/testing';
import type { Condenser } from '@palimpsest/view';
import { condensedViews } from './condensed-views.js';

/** What a session's requests cost, in tokens of uncached input, as they are marked and with the best marks that there could be. */
export interface CacheCost {
  readonly modelCalls: number;
  readonly condensations: number;
  readonly cost: number;
  /** With every boundary marked, however many, and no limit to looking back. */
  readonly leastCost: number;
}

/** Options of {@link cacheCost}. */
export interface CacheCostOptions {
  readonly provider?: 'anthropic' | 'openai';
  /** Reading from the cache, to uncached input. @defaultValue 0.1 */
  readonly readPrice?: number;
  /** Writing to it. @defaultValue 1.25 */
  readonly writePrice?: number;
  /** Entries of the cache expire on the session's own clock. @defaultValue false: no time passes */
  readonly expires?: boolean;
  /** What a request tells the cache, from its messages. @defaultValue {@link promptToSend}, told of the request before */
  readonly hints?: (messages: readonly Message[]) => CacheHints;
}

/** Instructions and tools, about 6,000 tokens: recorded sessions rarely have theirs. */
const system: Message = { role: 'system', content: [{ type: 'text', text: 'Work with care. '.repeat(800) }] };
const tools: readonly ToolDefinition[] = ['read', 'edit', 'run', 'search'].map((name) => ({
  name,
  description: `What ${name} does. `.repeat(160),
  inputSchema: { type: 'object' },
}));

const providers = {
  anthropic: {
    cache: anthropicPromptCache,
    body: (messages: readonly Message[], cache: CacheHints): unknown =>
      toMessagesRequest({ messages, tools, cache }, { model: 'claude-opus-5-5' }),
  },
  openai: {
    cache: openaiPromptCache,
    body: (messages: readonly Message[], cache: CacheHints): unknown =>
      toResponsesRequest({ messages, tools, cache }, { model: 'gpt-6.1-sol' }),
  },
};

/** Replays a session through a condenser, and what its requests do to the simulated prompt cache of a provider. */
export async function cacheCost(
  recorded: readonly Event[],
  condenser: Condenser,
  options: CacheCostOptions = {},
): Promise<CacheCost> {
  const { readPrice = 0.1, writePrice = 1.25, expires = false, hints = hintsByComparison() } = options;
  const { cache, body } = providers[options.provider ?? 'anthropic'];
  let time = 0;
  const caches = await Promise.all(
    (['as-sent', 'everywhere'] as const).map((marks: CacheMarking) => cache({ marks, now: () => new Date(time) })),
  );
  const costs = [0, 0];
  let [modelCalls, condensations] = [0, 0];
  for await (const { view, at, ...made } of condensedViews(recorded, condenser)) {
    modelCalls++;
    condensations += made.condensations;
    const recordedAt = Date.parse(at);
    if (expires && recordedAt > time) time = recordedAt;
    const messages = [system, ...view.toMessages().filter(({ role }) => role !== 'system')];
    const sent = body(messages, { key: 'replay', ...hints(messages) });
    caches.forEach((one, index) => {
      const { read, written, uncached } = one.use(sent);
      costs[index] = (costs[index] ?? 0) + read * readPrice + written * writePrice + uncached;
    });
  }
  const [cost = 0, leastCost = 0] = costs;
  return { modelCalls, condensations, cost, leastCost };
}

function hintsByComparison(): (messages: readonly Message[]) => CacheHints {
  let last: SentPrompt | undefined;
  return (messages) => {
    const prompt = promptToSend(messages, last);
    last = prompt;
    return prompt.cache;
  };
}
