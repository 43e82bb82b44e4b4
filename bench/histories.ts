import { parseEvent } from '@palimpsest/events';
import type { Event, Message } from '@palimpsest/events';
import { toMessagesRequest } from '@palimpsest/llm-adapters/anthropic';
import { toChatCompletionsRequest } from '@palimpsest/llm-adapters/openai';
import { View } from '@palimpsest/view';
import { readSessions } from '../apps/test-harness/src/import/index.js';

/** The folder of the recorded sessions. Undefined: there are none, and what is measured is synthetic. */
export const recordings = process.env['PALIMPSEST_TRAJECTORIES'];

/** A log to measure with. */
export interface MeasuredLog {
  /** The source of the events. */
  readonly origin: string;
  /** Checked and deeply frozen. */
  readonly events: readonly Event[];
}

/** Makes a log of so many events, of which nobody has seen any before. */
export type LogOf = (length: number) => MeasuredLog;

/** Synthetic results are as long as those of real sessions. Unit: characters. */
const resultLength = 1_600;

/**
 * Returns logs of real agents: the sessions in the folder that `PALIMPSEST_TRAJECTORIES` names, longest first, one after the
 * other and again from the start, with ids that do not repeat. Without that folder the events are synthetic. Each call makes new
 * events.
 */
export async function measuredLogs(): Promise<LogOf> {
  if (recordings === undefined) {
    return (length) => ({ origin: 'synthetic', events: ordinaryLog(length, resultLength).map(parseEvent) });
  }
  const sessions: (readonly Event[])[] = [];
  for await (const { events } of readSessions(recordings)) sessions.push(events);
  sessions.sort((a, b) => b.length - a.length);
  const all = sessions.flatMap((events, session) =>
    events.filter(isOfModel).map((event) => withOwnIds(event, `${session}`)),
  );
  return (length) => {
    const events: Event[] = [];
    for (let round = 0; events.length < length; round++) {
      for (const event of all.slice(0, length - events.length)) events.push(parseEvent(withOwnIds(event, `${round}`)));
    }
    return { origin: 'real sessions', events };
  };
}

/** Reports whether a model reads the event. The recorded compactions of the sessions do not belong to the measurement. */
function isOfModel({ type }: Event): boolean {
  return type === 'message' || type === 'action' || type === 'observation' || type === 'agent-error';
}

function withOwnIds(event: Event, suffix: string): Event {
  const own = (id: string): string => `${id}-${suffix}`;
  const named = { ...event, id: own(event.id) };
  switch (named.type) {
    case 'action': {
      const toolCall = { ...named.toolCall, id: own(named.toolCall.id) };
      return { ...named, toolCall, llmResponseId: own(named.llmResponseId) };
    }
    case 'message':
      return named.llmResponseId === undefined ? named : { ...named, llmResponseId: own(named.llmResponseId) };
    case 'observation':
    case 'agent-error': {
      const { actionId } = named;
      const answered = { ...named, toolCallId: own(named.toolCallId) };
      return actionId === undefined ? answered : { ...answered, actionId: own(actionId) };
    }
    default:
      return named;
  }
}

/** Returns the log of a typical agent: a user message, then ten calls with results, repeated. Unit of `characters`: per result. */
export function ordinaryLog(length: number, characters = 200): readonly Event[] {
  const timestamp = '2026-01-01T00:00:00.000Z';
  const log: Event[] = [];
  for (let index = 0; log.length < length; index++) {
    if (index % 10 === 0) {
      const text = `Question ${index}: what does the module do, and where is it tested?`;
      const content = [{ type: 'text', text }] as const;
      log.push({ type: 'message', id: `user-${index}`, timestamp, source: 'user', role: 'user', content });
    }
    const call = { id: `call-${index}`, name: 'read_file', arguments: `{"path":"src/module-${index}.ts"}` };
    const text = `export const value${index} = ${index}; `.padEnd(characters, 'x');
    log.push(
      {
        type: 'action',
        id: `action-${index}`,
        timestamp,
        source: 'agent',
        thought: [],
        toolCall: call,
        llmResponseId: `response-${index}`,
      },
      {
        type: 'observation',
        id: `observation-${index}`,
        timestamp,
        source: 'environment',
        toolName: call.name,
        toolCallId: call.id,
        actionId: `action-${index}`,
        content: [{ type: 'text', text }],
      },
    );
  }
  log.length = length;
  return log;
}

/** A message as a host holds it for a provider's SDK: plain, and nobody has frozen it. */
export interface HostMessage {
  readonly role: string;
  content: unknown;
}

/** The APIs for which hosts hold messages. */
export const wires = {
  chat: (messages: readonly Message[]) => toChatCompletionsRequest({ messages }, { model: 'gpt-5' }).messages,
  anthropic: (messages: readonly Message[]) => toMessagesRequest({ messages }, { model: 'claude-haiku-4-5' }).messages,
} as const satisfies Readonly<Record<string, (messages: readonly Message[]) => readonly object[]>>;

export type WireName = keyof typeof wires;

/** A conversation as its host holds it, in objects that nobody else has. */
export interface HostHistory {
  /** The messages at a request. */
  readonly messages: HostMessage[];
  /** The messages that each further request adds: an answer of the model, and the results. */
  readonly steps: readonly (readonly HostMessage[])[];
}

/**
 * Makes a conversation of at least so many messages.
 *
 * @param steps how many of them follow
 * @returns what makes the conversation anew at each call.
 * @throws Error when the log is too short.
 */
export function hostHistories(wire: WireName, { events }: MeasuredLog, messages: number, steps = 0): () => HostHistory {
  const all = plain(wires[wire](View.fromEvents(events).toMessages()));
  const requests = all.flatMap(({ role }, index) =>
    index >= messages && role === 'assistant' && all[index - 1]?.role !== 'assistant' ? [index] : [],
  );
  if (requests.length <= steps) throw new Error(`the log has no ${steps} steps behind ${messages} messages`);
  const json = JSON.stringify({
    messages: all.slice(0, requests[0]),
    steps: Array.from({ length: steps }, (_, step) => all.slice(requests[step], requests[step + 1])),
  });
  return () => JSON.parse(json) as HostHistory;
}

function plain(messages: readonly object[]): HostMessage[] {
  return JSON.parse(JSON.stringify(messages)) as HostMessage[];
}
