import type { CreateEvent, Event, Message, ToolDefinition } from '@palimpsest/events';
import { cacheDriftOf, estimateInputTokens, expectedCacheRead, totalInputTokens } from '@palimpsest/llm-adapters';
import type { CacheDrift, Completion, LLM, RequestPair, SentPrompt } from '@palimpsest/llm-adapters';
import type { View } from '@palimpsest/view';

/** The key of the state that says whether the prompt cache reads what it should. */
export const cacheDriftKey = 'cache-drift';

/** The report to a log and a listener when a drift of the prompt cache begins, and when it ends. */
export interface CacheDriftReport extends Omit<CacheDrift, 'reason'> {
  readonly state: 'begun' | 'ended';
  readonly model: string;
  /** The reason why it has probably begun. */
  readonly reason?: CacheDrift['reason'];
  /** With `prefix-changed`: the index of the message of the request in which what the cache has read ends. */
  readonly changedAtMessage?: number;
}

export interface AnsweredCall {
  readonly llm: Pick<LLM, 'facts'>;
  /** The view before the answer. */
  readonly view: View;
  readonly log: Iterable<Event>;
  readonly prompt: Required<SentPrompt>;
  readonly tools: readonly ToolDefinition[];
  readonly completion: Completion;
}

interface Watched {
  isDrifting: boolean;
  driftsInARow: number;
}

/** One answer may miss the cache by chance, such as on another machine of the provider. Unit: answers. */
const driftsToBegin = 2;

/**
 * Compares what a provider reports to have read from its prompt cache with what was sent before. Costs O(1) for a conversation that
 * has only grown, and O(messages) for a rewritten one.
 */
export class CacheWatch {
  readonly #byLog = new WeakMap<Iterable<Event>, Watched>();

  /** Returns the report of an answer with which a drift begins or ends; undefined for any other. */
  answered(call: AnsweredCall): CacheDriftReport | undefined {
    const { completion, log } = call;
    const previous = call.view.internalEvents.findLast(
      (event) => event.type === 'llm-usage' && event.purpose === 'agent',
    );
    if (previous?.type !== 'llm-usage' || completion.usageIsEstimated === true) return undefined;
    if (previous.usageIsEstimated === true) return undefined;
    const pair: RequestPair = {
      previous: { model: previous.model, usage: previous.usage, at: Date.parse(previous.timestamp) },
      answered: { model: completion.model, usage: completion.usage, at: Date.now() },
      facts: call.llm.facts,
      ...keptTokens(call),
    };
    const expectedReadTokens = expectedCacheRead(pair);
    if (!(expectedReadTokens > 0)) return undefined;
    const watched = this.#watched(log);
    const drift = cacheDriftOf(pair);
    watched.driftsInARow = drift === undefined ? 0 : watched.driftsInARow + 1;
    const { model } = completion;
    if (drift === undefined) {
      if (!watched.isDrifting) return undefined;
      watched.isDrifting = false;
      const reportedReadTokens = completion.usage.cacheReadTokens;
      return { state: 'ended', model, expectedReadTokens, reportedReadTokens };
    }
    if (watched.isDrifting || watched.driftsInARow < driftsToBegin) return undefined;
    watched.isDrifting = true;
    const at = drift.reason === 'prefix-changed' ? { changedAtMessage: endOfRead(call) } : {};
    return { state: 'begun', model, ...drift, ...at };
  }

  /** After a restart and in a fork, the log tells whether a drift has begun. */
  #watched(log: Iterable<Event>): Watched {
    let watched = this.#byLog.get(log);
    if (watched === undefined) {
      watched = { isDrifting: false, driftsInARow: 0 };
      for (const event of log) {
        if (event.type !== 'conversation-state-update' || event.key !== cacheDriftKey) continue;
        const { value } = event;
        watched.isDrifting = typeof value === 'object' && value !== null && Reflect.get(value, 'state') === 'begun';
      }
      this.#byLog.set(log, watched);
    }
    return watched;
  }
}

/** Returns the event that keeps a report. */
export function cacheDriftEvent(report: CacheDriftReport, createEvent: CreateEvent): Event {
  return createEvent('conversation-state-update', { key: cacheDriftKey, value: report });
}

/** Estimates the part of a rewritten prompt that the cache can find. Nothing where the prompt has only grown. */
function keptTokens({ prompt, tools, completion }: AnsweredCall): Pick<RequestPair, 'keptTokens'> {
  const { messages, rewrittenMessages, cache } = prompt;
  if (rewrittenMessages !== messages.length) return {};
  const { cachedMessages = 0 } = cache;
  const kept = typeof cachedMessages === 'number' ? cachedMessages : cachedMessages.messages;
  const share = estimateInputTokens({ messages: messages.slice(0, kept), tools }) / sizeOf(messages, tools);
  return { keptTokens: share * totalInputTokens(completion.usage) };
}

function sizeOf(messages: readonly Message[], tools: readonly ToolDefinition[]): number {
  return Math.max(1, estimateInputTokens({ messages, tools }));
}

/** Returns the index of the message in which what was read ends. */
function endOfRead({ prompt: { messages }, tools, completion: { usage } }: AnsweredCall): number {
  const read = (usage.cacheReadTokens / Math.max(1, totalInputTokens(usage))) * sizeOf(messages, tools);
  let tokens = estimateInputTokens({ messages: [], tools });
  for (const [index, message] of messages.entries()) {
    tokens += estimateInputTokens({ messages: [message] });
    if (tokens > read) return index;
  }
  return messages.length;
}
