import type { Event, Message, ToolDefinition } from '@palimpsest/events';
import { promptToSend } from '@palimpsest/llm-adapters';
import type { CacheHints, SentPrompt } from '@palimpsest/llm-adapters';
import { toMessagesRequest } from '@palimpsest/llm-adapters/anthropic';
import { toResponsesRequest } from '@palimpsest/llm-adapters/openai';
import { anthropicPromptCache, openaiPromptCache } from '@palimpsest/provider-servers';
import type { CachedPrompt } from '@palimpsest/provider-servers';
import type { Condenser } from '@palimpsest/view';
import { recordedSession } from '../src/measure/recorded-session.js';
import { condensedCalls } from '../src/replay/replay-session.js';

/** The providers whose caches are simulated. */
export type Provider = keyof typeof providers;

/** What a session's requests read from the prompt cache of one provider and wrote to it. */
export interface CacheUse {
  readonly provider: Provider;
  /** Entries of the cache expired on the session's own clock. False: no time passed. */
  readonly expires: boolean;
  /** With the marks of the requests. */
  readonly asSent: CachedPrompt;
  /** With every boundary marked, any number of marks, and no limit to the look-back. */
  readonly atBest: CachedPrompt;
  /** With marks at the ends alone, as if the history only grew. Nothing unless it is asked for. */
  readonly markedAtEnds: CachedPrompt;
}

/** The requests of one session, or of several. */
export interface CacheUseOfSessions {
  readonly condensations: number;
  /** One for each provider and clock. */
  readonly uses: readonly CacheUse[];
}

/** Options of {@link cacheUse}. */
export interface CacheUseOptions {
  /** @defaultValue Anthropic alone */
  readonly of?: readonly Provider[];
  /** @defaultValue false alone: no time passes */
  readonly expires?: readonly boolean[];
  /** Also marks requests at the ends alone. @defaultValue false */
  readonly marksAtEnds?: boolean;
}

/** What better marks could save, as a share of the least possible cost of the input. `read`: price of a cached token as a share of an uncached one. */
export function avoidableCost(sent: CachedPrompt, atBest: CachedPrompt, read = 0.1): number {
  const cost = (use: CachedPrompt) => use.read * read + use.written * writePrice + use.uncached;
  return cost(sent) / cost(atBest) - 1;
}

/** The price of a written token as a share of an uncached one. */
const writePrice = 1.25;

/** Replays sessions through a condenser, each once, against the simulated prompt caches, and adds up what they used. */
export async function cacheUse(
  sessions: readonly (readonly Event[])[],
  create: () => Condenser,
  options: CacheUseOptions = {},
): Promise<CacheUseOfSessions> {
  let sum: CacheUseOfSessions | undefined;
  for (const events of sessions) {
    const next = await cacheUseOf(events, create(), options);
    sum = {
      condensations: (sum?.condensations ?? 0) + next.condensations,
      uses: next.uses.map((use, index) => added(use, sum?.uses[index])),
    };
  }
  return sum ?? { condensations: 0, uses: [] };
}

function added(use: CacheUse, before: CacheUse | undefined): CacheUse {
  if (before === undefined) return use;
  return {
    ...use,
    asSent: sumOf(use.asSent, before.asSent),
    atBest: sumOf(use.atBest, before.atBest),
    markedAtEnds: sumOf(use.markedAtEnds, before.markedAtEnds),
  };
}

function sumOf(one: CachedPrompt, other: CachedPrompt): CachedPrompt {
  return {
    read: one.read + other.read,
    written: one.written + other.written,
    uncached: one.uncached + other.uncached,
  };
}

const noUse: CachedPrompt = { read: 0, written: 0, uncached: 0 };

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

async function cacheUseOf(
  recorded: readonly Event[],
  condenser: Condenser,
  { of = ['anthropic'], expires = [false], marksAtEnds = false }: CacheUseOptions,
): Promise<CacheUseOfSessions> {
  let [time, condensations] = [0, 0];
  const caches = await Promise.all(
    of.flatMap((provider) => expires.map((each) => cachesOf(provider, each, () => new Date(each ? time : 0)))),
  );
  const hints = hintsByComparison();
  for await (const { view, at, ...made } of condensedCalls(recordedSession(recorded), condenser)) {
    condensations += made.condensations.length;
    time = Math.max(time, Date.parse(at) || 0);
    const messages = [system, ...view.toMessages().filter(({ role }) => role !== 'system')];
    const marks = hints(messages);
    for (const provider of of) {
      const sent = providers[provider].body(messages, { key, ...marks });
      const atEnds = marksAtEnds ? providers[provider].body(messages, { key }) : undefined;
      for (const cache of caches.filter((each) => each.provider === provider)) cache.send(sent, atEnds);
    }
  }
  return { condensations, uses: caches.map(({ use }) => use()) };
}

const key = 'replay';

/** The caches of one provider on one clock: of the requests as sent, of the same with the best marks, and of those marked at the ends. */
async function cachesOf(provider: Provider, expires: boolean, now: () => Date) {
  const { cache } = providers[provider];
  const [cacheAsSent, cacheAtBest, cacheAtEnds] = [
    await cache({ now }),
    await cache({ now, marks: 'everywhere' }),
    await cache({ now }),
  ];
  let [asSent, atBest, markedAtEnds] = [noUse, noUse, noUse];
  return {
    provider,
    send(sent: unknown, atEnds: unknown) {
      asSent = sumOf(asSent, cacheAsSent.use(sent));
      atBest = sumOf(atBest, cacheAtBest.use(sent));
      if (atEnds !== undefined) markedAtEnds = sumOf(markedAtEnds, cacheAtEnds.use(atEnds));
    },
    use: (): CacheUse => ({ provider, expires, asSent, atBest, markedAtEnds }),
  };
}

function hintsByComparison(): (messages: readonly Message[]) => CacheHints {
  let last: SentPrompt | undefined;
  return (messages) => {
    const prompt = promptToSend(messages, last);
    last = prompt;
    return prompt.cache;
  };
}
