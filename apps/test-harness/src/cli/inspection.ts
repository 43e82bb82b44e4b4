import type { Event, EventId, LLMUsageEvent } from '@palimpsest/events';
import { View } from '@palimpsest/view';
import { CondensationHistory } from '@palimpsest/view/inspect';
import type { Condenser } from '@palimpsest/view';
import type { ForgottenEvent } from '@palimpsest/view/inspect';
import { HarnessError } from '../harness-error.js';
import { expectedReads } from '../measure/recorded-cache.js';
import { modelCalls } from '../import/index.js';
import type { Session } from '../import/index.js';
import { kindOfEvent, recordedSession, textOfEvent, toolOf } from '../measure/recorded-session.js';
import type { EventKind } from '../measure/recorded-session.js';
import { tokensOfEvent } from '../measure/tokens.js';
import type { TextCounter } from '../measure/tokens.js';
import { condensedCalls } from '../replay/replay-session.js';
import { tokenUnit } from '../replay/report.js';

/** The kinds of items in a view. */
export type ItemKind = Exclude<EventKind, 'internal'> | 'summary';

/** An item of the view. */
export interface InspectedItem {
  /** The position in the view; the first is 1. */
  readonly position: number;
  readonly id: EventId;
  readonly kind: ItemKind;
  /** The tool of a call or a result. */
  readonly tool?: string;
  readonly tokens: number;
  /** The size before it was masked. Absent for an item that is as it was logged. Unit: tokens. */
  readonly loggedTokens?: number;
  /** The reason why the item is in the view but is not sent. Absent for an item that is sent. */
  readonly leftOut?: string;
  readonly text: string;
}

/** Items of one kind. */
export interface KindTotal {
  readonly kind: ItemKind;
  readonly items: number;
  readonly tokens: number;
}

/** The changes of one condensation. */
export interface InspectedCondensation {
  readonly id: EventId;
  /** The model call before which it was made; the first is 1. One more than all calls for one made after the last. */
  readonly beforeCall: number;
  readonly condenser?: string;
  readonly reason?: string;
  readonly forgotten: readonly KindTotal[];
  /** Results and calls of which a text took the place. */
  readonly masked: readonly KindTotal[];
  readonly summary?: string;
  /** Unit: tokens. Absent without a summary. */
  readonly summaryTokens?: number;
  /** The size of the view. Unit: tokens. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

/** The usage of a reply, as the log has it. */
export interface RecordedUsage extends Pick<LLMUsageEvent, 'model' | 'usage' | 'costUsd'> {
  /** What the prompt cache should have read: the request before. Unit: tokens. @defaultValue none: nothing is known of it */
  readonly expectedCacheReadTokens?: number;
}

/** The name of the policy that the log itself records. */
export const logPolicy = 'log';

/** A session as the model saw it at one call. */
export interface Inspection {
  readonly session: string;
  readonly format: string;
  /** Who decided: `log` is what the log says, else the condenser that was replayed. */
  readonly policy: string;
  /** The first call is 1. Absent if the log has no model call; then the whole log is shown. */
  readonly modelCall?: number;
  readonly modelCalls: number;
  readonly tokenUnit: string;
  /** All that is sent, and all that had been logged by then. Unit: tokens. */
  readonly tokens: { readonly sent: number; readonly logged: number };
  /** The definitions of tools in the log's system prompt, which are sent beside the items. Unit: tokens. */
  readonly toolDefinitionTokens: number;
  /** What the provider counted at this call, if the log has it. */
  readonly recordedUsage?: RecordedUsage;
  readonly kinds: readonly KindTotal[];
  readonly condensations: readonly InspectedCondensation[];
  /** What the replayed condenser reported as failed. */
  readonly errors: readonly string[];
  readonly items: readonly InspectedItem[];
}

const kindOrder: readonly ItemKind[] = ['system', 'summary', 'user', 'environment', 'agent', 'call', 'result'];

/** Options of {@link inspectionOf}. */
export interface InspectionOptions {
  readonly count: TextCounter;
  /** The model call; the first is 1. @defaultValue the last */
  readonly call?: number | undefined;
  /** The condenser to replay. @defaultValue none: the condensations of the log are in force */
  readonly condenser?: Condenser | undefined;
  /** The window that the condenser is told of. Unit: tokens. @defaultValue none */
  readonly contextWindow?: number | undefined;
}

/**
 * Returns the request of a model call, and the changes of each condensation before it: of those that the log records, or of
 * those that a condenser makes in a replay.
 *
 * @throws {@link HarnessError} `inspect` when the session has no such call.
 */
export async function inspectionOf(
  { events, name, format }: Session,
  { count, condenser, contextWindow, ...options }: InspectionOptions,
): Promise<Inspection> {
  const calls = modelCalls(events);
  const call = callOf(options.call, calls.length, name);
  const { log, view, errors } =
    condenser === undefined || call === undefined
      ? recordedLog(events.slice(0, call === undefined ? events.length : calls[call - 1]))
      : await replayedLog(events, condenser, call, contextWindow);
  const items = itemsOf(view, count);
  const sent = items.filter(({ leftOut }) => leftOut === undefined);
  const logged = log.flatMap((event) => (event.type === 'condensation-summary' ? [] : measured(event, count)));
  const system = [...view.events].find((event) => event.type === 'system-prompt');
  const tools = system?.type === 'system-prompt' ? (system.tools ?? []) : [];
  const usage = call === undefined ? undefined : usageOf(events, calls[call - 1] ?? 0);
  return {
    session: name,
    format,
    policy: call === undefined ? logPolicy : (condenser?.name ?? logPolicy),
    ...(call === undefined ? {} : { modelCall: call }),
    modelCalls: calls.length,
    tokenUnit,
    tokens: { sent: totalOf(sent), logged: totalOf(logged) },
    toolDefinitionTokens: tools.length === 0 ? 0 : count(JSON.stringify(tools)),
    ...(usage === undefined ? {} : { recordedUsage: usage }),
    kinds: totals(sent),
    condensations: condensationsOf(log, count),
    errors,
    items,
  };
}

function itemsOf(view: View, count: TextCounter): readonly InspectedItem[] {
  return [...view.events].flatMap((event, index): readonly InspectedItem[] => {
    const original = view.original(event.id) ?? event;
    const [logged] = measured(original, count);
    const leftOut = view.leftOut.get(event.id);
    return measured(event, count).map(({ kind, tool, tokens, text }) => ({
      position: index + 1,
      id: event.id,
      kind,
      ...(tool === undefined ? {} : { tool }),
      tokens,
      ...(original !== event && logged?.text !== text ? { loggedTokens: logged?.tokens ?? tokens } : {}),
      ...(leftOut === undefined ? {} : { leftOut }),
      text,
    }));
  });
}

interface MeasuredItem {
  readonly kind: ItemKind;
  readonly tool?: string | undefined;
  readonly tokens: number;
  readonly text: string;
}

/** Measures an event that a model reads. Returns nothing for an internal one. */
function measured(event: Event, count: TextCounter): readonly MeasuredItem[] {
  const kind = event.type === 'condensation-summary' ? 'summary' : kindOfEvent(event);
  if (kind === 'internal') return [];
  return [{ kind, tool: toolOf(event), tokens: tokensOfEvent(event, count), text: textOfEvent(event) }];
}

function totals(items: readonly Pick<MeasuredItem, 'kind' | 'tokens'>[]): readonly KindTotal[] {
  return kindOrder.flatMap((kind) => {
    const these = items.filter((item) => item.kind === kind);
    return these.length === 0 ? [] : [{ kind, items: these.length, tokens: totalOf(these) }];
  });
}

function totalOf(items: readonly { readonly tokens: number }[]): number {
  return items.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** Says what each condensation of a log did to the view before it. */
function condensationsOf(log: readonly Event[], count: TextCounter): readonly InspectedCondensation[] {
  if (!log.some(({ type }) => type === 'condensation')) return [];
  const history = new CondensationHistory([], { estimateTokens: (event) => tokensOfEvent(event, count) });
  const { calls, events } = recordedSession(log);
  const answers = new Set(calls.map((call) => events[call]?.id));
  const totalsOf = (changed: readonly ForgottenEvent[]): readonly KindTotal[] =>
    totals(changed.flatMap(({ event }) => measured(event, count)));
  const found: InspectedCondensation[] = [];
  let beforeCall = 1;
  for (const event of log) {
    const before = event.type === 'condensation' ? sentTokens(history.view) : 0;
    history.append(event);
    if (answers.has(event.id)) beforeCall++;
    const details = event.type === 'condensation' ? history.details(event.id) : undefined;
    if (details === undefined) continue;
    const { id, summary, metadata } = details.condensation;
    const { summaryTokens } = details;
    const { condenser, reason } = metadata ?? {};
    found.push({
      id,
      beforeCall,
      ...(typeof condenser === 'string' ? { condenser } : {}),
      ...(typeof reason === 'string' ? { reason } : {}),
      forgotten: totalsOf(details.forgotten),
      masked: totalsOf(details.masked),
      ...(summary === undefined ? {} : { summary }),
      ...(summaryTokens === undefined ? {} : { summaryTokens }),
      tokensBefore: before,
      tokensAfter: sentTokens(history.view),
      ...(metadata === undefined ? {} : { metadata }),
    });
  }
  return found;
}

/** Returns the size of a view without what no request holds. */
function sentTokens(view: View): number {
  return [...view.events].reduce(
    (sum, { id }, index) => sum + (view.leftOut.has(id) ? 0 : view.tokens(index, index + 1)),
    0,
  );
}

/** A log until one of its model calls, with the condensations that were made and the view that the call was sent. */
interface LogOfCall {
  readonly log: readonly Event[];
  readonly view: View;
  readonly errors: readonly string[];
}

function recordedLog(log: readonly Event[]): LogOfCall {
  return { log, view: View.fromEvents(log), errors: [] };
}

function callOf(wanted: number | undefined, count: number, name: string): number | undefined {
  if (wanted !== undefined && wanted > count) {
    const reason = count === 0 ? 'has no model call' : `has ${count} model calls`;
    throw new HarnessError('inspect', `'${name}' ${reason}: there is no call ${wanted} to show.`);
  }
  return wanted ?? (count === 0 ? undefined : count);
}

async function replayedLog(
  events: readonly Event[],
  condenser: Condenser,
  call: number,
  contextWindow: number | undefined,
): Promise<LogOfCall> {
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

/** Returns the usage of the reply at this position, as the log has it. */
function usageOf(events: readonly Event[], position: number): RecordedUsage | undefined {
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
