import type { Condensation, Event, EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { View } from '@palimpsest/view';
import { eventTokens } from '../measure/event-tokens.js';
import { recordedSession } from '../measure/recorded-session.js';
import type { EventKind } from '../measure/recorded-session.js';
import type { TextCounter } from '../replay/token-counter.js';
import type { InspectedLog, RecordedUsage } from './inspected-log.js';

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
  /** Why the item is in the view but is not sent. Absent for an item that is sent. */
  readonly leftOut?: string;
  readonly text: string;
}

/** Items of one kind. */
export interface KindTotal {
  readonly kind: ItemKind;
  readonly items: number;
  readonly tokens: number;
}

/** What one condensation did. */
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
  /** The size of the view. Unit: tokens. */
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

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
const tokensPerPart = 4;

/** What the model was sent at a call, and what each condensation before it did. */
export function inspectionOf(
  { session, format, policy, modelCall, modelCalls, log, view, errors, usage }: InspectedLog,
  options: { readonly count: TextCounter; readonly tokenUnit: string },
): Inspection {
  const { count, tokenUnit } = options;
  const items = itemsOf(view, count);
  const sent = items.filter(({ leftOut }) => leftOut === undefined);
  const logged = measured(
    log.filter((event) => event.type !== 'condensation-summary'),
    count,
  );
  const system = [...view.events].find((event) => event.type === 'system-prompt');
  const tools = system?.type === 'system-prompt' ? (system.tools ?? []) : [];
  return {
    session,
    format,
    policy,
    ...(modelCall === undefined ? {} : { modelCall }),
    modelCalls,
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
  const events = [...view.events];
  const originals = measured(
    events.map((event) => view.original(event.id) ?? event),
    count,
  );
  return measured(events, count).map((item, index): InspectedItem => {
    const event = events[index] as LLMConvertibleEvent;
    const logged = originals[index]?.tokens ?? item.tokens;
    const leftOut = view.leftOut.get(event.id);
    const isMasked = view.original(event.id) !== event && originals[index]?.text !== item.text;
    return {
      position: index + 1,
      id: event.id,
      kind: item.kind,
      ...(item.tool === undefined ? {} : { tool: item.tool }),
      tokens: item.tokens,
      ...(isMasked ? { loggedTokens: logged } : {}),
      ...(leftOut === undefined ? {} : { leftOut }),
      text: item.text,
    };
  });
}

interface MeasuredItem {
  readonly kind: ItemKind;
  readonly tool?: string | undefined;
  readonly tokens: number;
  readonly text: string;
}

/** The events that a model reads, measured. Internal events are left out. */
function measured(events: readonly Event[], count: TextCounter): readonly MeasuredItem[] {
  const session = recordedSession(events);
  const tokens = eventTokens(session, count);
  return session.events.flatMap((event, index): readonly MeasuredItem[] => {
    if (event.type === 'condensation-summary')
      return [{ kind: 'summary', tokens: tokensPerPart + count(event.summary), text: event.summary }];
    const kind = session.kinds[index] ?? 'internal';
    if (kind === 'internal') return [];
    return [{ kind, tool: toolOf(event), tokens: tokens[index] ?? 0, text: session.texts[index] ?? '' }];
  });
}

function toolOf(event: Event): string | undefined {
  if (event.type === 'action') return event.toolCall.name;
  return 'toolName' in event && typeof event.toolName === 'string' ? event.toolName : undefined;
}

function totals(items: readonly MeasuredItem[]): readonly KindTotal[] {
  return kindOrder.flatMap((kind) => {
    const these = items.filter((item) => item.kind === kind);
    return these.length === 0 ? [] : [{ kind, items: these.length, tokens: totalOf(these) }];
  });
}

function totalOf(items: readonly MeasuredItem[]): number {
  return items.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** What each condensation of a log did to the view before it. */
function condensationsOf(log: readonly Event[], count: TextCounter): readonly InspectedCondensation[] {
  const positions = log.flatMap((event, index) => (event.type === 'condensation' ? [index] : []));
  const calls = positions.length === 0 ? [] : recordedPositions(log);
  return positions.map((position) => {
    const event = log[position] as Condensation;
    const [before, after] = [View.fromEvents(log.slice(0, position)), View.fromEvents(log.slice(0, position + 1))];
    const gone = new Set(event.forgottenEventIds);
    const forgotten = [...before.events].filter(({ id }) => gone.has(id) && after.indexOf(id) === undefined);
    const masked = [...before.events].filter(({ id }) => isChanged(before, after, id));
    const { condenser, reason } = event.metadata ?? {};
    return {
      id: event.id,
      beforeCall: calls.filter((call) => call < position).length + 1,
      ...(typeof condenser === 'string' ? { condenser } : {}),
      ...(typeof reason === 'string' ? { reason } : {}),
      forgotten: totals(measured(forgotten, count)),
      masked: totals(measured(masked, count)),
      ...(event.summary === undefined ? {} : { summary: event.summary }),
      tokensBefore: sentTokens(before, count),
      tokensAfter: sentTokens(after, count),
      ...(event.metadata === undefined ? {} : { metadata: event.metadata }),
    };
  });
}

/** The positions in the log at which model calls were answered. */
function recordedPositions(log: readonly Event[]): readonly number[] {
  const { calls, events } = recordedSession(log);
  const ids = new Set(calls.map((call) => events[call]?.id));
  return log.flatMap((event, index) => (ids.has(event.id) ? [index] : []));
}

function isChanged(before: View, after: View, id: EventId): boolean {
  const [was, is] = [before.indexOf(id), after.indexOf(id)];
  return was !== undefined && is !== undefined && before.events.at(was) !== after.events.at(is);
}

function sentTokens(view: View, count: TextCounter): number {
  return totalOf(itemsOf(view, count).filter(({ leftOut }) => leftOut === undefined));
}
