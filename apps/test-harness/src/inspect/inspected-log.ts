import type { Event, LLMUsageEvent } from '@palimpsest/events';
import { View } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { modelCalls } from '../import/index.js';
import type { Session } from '../import/index.js';
import { expectedReads } from '../measure/recorded-cache.js';
import { recordedSession } from '../measure/recorded-session.js';
import { condensedCalls } from '../replay/replay-session.js';
import { HarnessError } from '../harness-error.js';

/** A log until one of its model calls, with the view that the call was sent. */
export interface InspectedLog {
  readonly session: string;
  readonly format: string;
  readonly policy: string;
  readonly modelCall: number | undefined;
  readonly modelCalls: number;
  /** All events before the call, with the condensations that were made. */
  readonly log: readonly Event[];
  readonly view: View;
  readonly errors: readonly string[];
  readonly usage: RecordedUsage | undefined;
}

/** What the log says of the usage of a reply. */
export interface RecordedUsage extends Pick<LLMUsageEvent, 'model' | 'usage' | 'costUsd'> {
  /** What the prompt cache should have read: the request before. Unit: tokens. @defaultValue none: nothing is known of it */
  readonly expectedCacheReadTokens?: number;
}

/** The name of the policy that the log itself records. */
export const logPolicy = 'log';

/** Options of {@link inspectedLog}. */
export interface InspectedLogOptions {
  /** The model call; the first is 1. @defaultValue the last */
  readonly call?: number | undefined;
  /** The condenser to replay. @defaultValue none: the condensations of the log are in force */
  readonly condenser?: Condenser | undefined;
  /** The window that the condenser is told of. Unit: tokens. @defaultValue none */
  readonly contextWindow?: number | undefined;
}

/**
 * The log until a model call: with the condensations that it records, or with those that a condenser makes in a replay.
 *
 * @throws {@link HarnessError} `inspect` when the session has no such call.
 */
export async function inspectedLog(session: Session, options: InspectedLogOptions = {}): Promise<InspectedLog> {
  const { events, name, format } = session;
  const calls = modelCalls(events);
  const call = callOf(options.call, calls.length, name);
  const known = { session: name, format, modelCall: call, modelCalls: calls.length };
  const usage = call === undefined ? undefined : usageOf(events, calls[call - 1] ?? 0);
  const { condenser } = options;
  if (condenser === undefined || call === undefined) {
    const log = events.slice(0, call === undefined ? events.length : calls[call - 1]);
    return { ...known, policy: logPolicy, log, view: View.fromEvents(log), errors: [], usage };
  }
  return { ...known, policy: condenser.name, usage, ...(await replayedLog(session, condenser, call, options)) };
}

function callOf(wanted: number | undefined, count: number, name: string): number | undefined {
  if (wanted !== undefined && wanted > count) {
    const reason = count === 0 ? 'has no model call' : `has ${count} model calls`;
    throw new HarnessError('inspect', `'${name}' ${reason}: there is no call ${wanted} to show.`);
  }
  return wanted ?? (count === 0 ? undefined : count);
}

async function replayedLog(
  { events }: Session,
  condenser: Condenser,
  call: number,
  { contextWindow }: InspectedLogOptions,
): Promise<Pick<InspectedLog, 'log' | 'view' | 'errors'>> {
  const recorded = recordedSession(events);
  const until = { ...recorded, calls: recorded.calls.slice(0, call) };
  const log: Event[] = [];
  const errors: string[] = [];
  let [folded, view] = [0, View.fromEvents([])];
  for await (const made of condensedCalls(until, condenser, { contextWindow })) {
    const end = until.calls[made.index] ?? 0;
    log.push(...recorded.events.slice(folded, end), ...made.condensations);
    folded = end;
    errors.push(...made.errors.map((message) => `model call ${made.index + 1}: ${message}`));
    ({ view } = made);
  }
  return { log, view, errors };
}

/** What the log says of the usage of the reply at this position. */
function usageOf(events: readonly Event[], position: number): InspectedLog['usage'] {
  const reply = events[position];
  const id = reply !== undefined && 'llmResponseId' in reply ? reply.llmResponseId : undefined;
  if (id === undefined) return undefined;
  const usage = events.find((event): event is LLMUsageEvent => event.type === 'llm-usage' && event.responseId === id);
  if (usage === undefined) return undefined;
  const { model, costUsd } = usage;
  const expectedCacheReadTokens = expectedReads(events).get(usage.responseId);
  return {
    model,
    usage: usage.usage,
    ...(costUsd === undefined ? {} : { costUsd }),
    ...(expectedCacheReadTokens === undefined ? {} : { expectedCacheReadTokens }),
  };
}
