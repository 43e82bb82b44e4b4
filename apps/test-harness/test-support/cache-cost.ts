import type { Event, Message, ToolDefinition } from '@palimpsest/events';
import { promptToSend } from '@palimpsest/llm-adapters';
import type { CacheHints, SentPrompt } from '@palimpsest/llm-adapters';
import { toMessagesRequest } from '@palimpsest/llm-adapters/anthropic';
import { toResponsesRequest } from '@palimpsest/llm-adapters/openai';
import { anthropicPromptCache, openaiPromptCache } from '@palimpsest/provider-servers';
import type { CachedPrompt } from '@palimpsest/provider-servers';
import type { Condenser } from '@palimpsest/view';
import { recordedSession } from '../src/measure/recorded-session.js';
import { condensedViews } from '../src/replay/condensed-views.js';

/** What a session's requests read from the prompt cache and wrote to it. */
export interface CacheUseOfSession {
  readonly modelCalls: number;
  readonly condensations: number;
  /** With the marks of the requests. */
  readonly asSent: CachedPrompt;
  /** With every boundary marked, any number of marks, and no limit to the look-back. */
  readonly atBest: CachedPrompt;
}

/** Options of {@link cacheUse}. */
export interface CacheUseOptions {
  readonly provider?: 'anthropic' | 'openai';
  /** Entries of the cache expire on the session's own clock. @defaultValue false: no time passes */
  readonly expires?: boolean;
  /** The cache hints of a request, from its messages. @defaultValue {@link promptToSend}, with the request before */
  readonly hints?: (messages: readonly Message[]) => CacheHints;
}

/** What better marks could save, as a share of the least possible cost of the input. `read`: price of a cached token as a share of an uncached one. */
export function avoidableCost({ asSent, atBest }: Pick<CacheUseOfSession, 'asSent' | 'atBest'>, read = 0.1): number {
  const cost = (use: CachedPrompt) => use.read * read + use.written * writePrice + use.uncached;
  return cost(asSent) / cost(atBest) - 1;
}

/** The price of a written token as a share of an uncached one. */
const writePrice = 1.25;

/** The sum of two uses. */
export function sumOf(one: CachedPrompt, other: CachedPrompt): CachedPrompt {
  return {
    read: one.read + other.read,
    written: one.written + other.written,
    uncached: one.uncached + other.uncached,
  };
}

/** Nothing read and nothing written. */
export const noUse: CachedPrompt = { read: 0, written: 0, uncached: 0 };

/** Instructions and tools of about 6,000 tokens; recorded sessions rarely hold their own. */
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

/** Replays a session through a condenser against the simulated prompt cache of a provider. */
export async function cacheUse(
  recorded: readonly Event[],
  condenser: Condenser,
  options: CacheUseOptions = {},
): Promise<CacheUseOfSession> {
  const { expires = false, hints = hintsByComparison() } = options;
  const { cache, body } = providers[options.provider ?? 'anthropic'];
  let time = 0;
  const now = () => new Date(time);
  const [cacheAsSent, cacheAtBest] = [await cache({ now }), await cache({ now, marks: 'everywhere' })];
  let [modelCalls, condensations, asSent, atBest] = [0, 0, noUse, noUse];
  for await (const { view, at, ...made } of condensedViews(recordedSession(recorded), condenser)) {
    modelCalls++;
    condensations += made.condensations;
    const recordedAt = Date.parse(at);
    if (expires && recordedAt > time) time = recordedAt;
    const messages = [system, ...view.toMessages().filter(({ role }) => role !== 'system')];
    const sent = body(messages, { key: 'replay', ...hints(messages) });
    asSent = sumOf(asSent, cacheAsSent.use(sent));
    atBest = sumOf(atBest, cacheAtBest.use(sent));
  }
  return { modelCalls, condensations, asSent, atBest };
}

function hintsByComparison(): (messages: readonly Message[]) => CacheHints {
  let last: SentPrompt | undefined;
  return (messages) => {
    const prompt = promptToSend(messages, last);
    last = prompt;
    return prompt.cache;
  };
}
