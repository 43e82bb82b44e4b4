import { addressOf, isLLMConvertible, isToolResult } from '@palimpsest/events';
import type { Condensation, Event, EventId, LLMConvertibleEvent } from '@palimpsest/events';
import { pinnedEventIds } from '@palimpsest/view';
import { sentThinking } from '@palimpsest/view/inspect';
import type { View } from '@palimpsest/view';
import { reasonPhrase } from './condensation-phrases.js';
import { eventPhrase, kindPhrase, textOfEvent } from './phrases.js';
import type { Page, Line } from './lines.js';
import { formatCount, formatTokens, textLines } from './lines.js';
import { requestUse } from './request-size.js';

/** More hidden events in one place are counted. */
const mostNamed = 20;

/**
 * Returns the view as the model reads it, message by message, with what is hidden marked in its place. Cost: one pass over the log.
 *
 * @param view - what the next request holds: as the condenser shows it
 * @param thinking - the thinking that is sent, by the event that carries it. The default is all that the view renders
 */
export function viewPage(
  view: View,
  log: Iterable<Event>,
  thinking: ReadonlyMap<EventId, readonly string[]> = sentThinking(view),
): Page {
  const { sentTokens, largest } = requestUse(view, { thinking, largest: Infinity });
  const sizes = new Map(largest.map(({ eventId, sentTokens: size }) => [eventId, size]));
  const pinned = pinnedEventIds(view);
  const hidden = hiddenBefore(view, log);
  const byId = condensationsById(view);
  const lines: Line[] = [];
  for (const event of view.events) {
    const before = hidden.get(event.id);
    if (before !== undefined) lines.push(...hiddenLines(before, byId));
    const known = {
      isPinned: pinned.has(event.id),
      thinking: thinking.get(event.id),
      tokens: sizes.get(event.id) ?? 0,
    };
    addEvent(lines, event, view, known);
  }
  lines.push(...hiddenLines(hidden.get('') ?? [], byId));
  const forgotten = [...hidden.values()].reduce((sum, { length }) => sum + length, 0);
  return {
    title: `What the model reads: ${formatTokens(sentTokens)} in ${formatCount(view.events.length, 'event')}; ${forgotten} hidden`,
    lines,
  };
}

/** The events that the model does not read, by the event of the view before which they stood; '' for those at the end. */
function hiddenBefore(view: View, log: Iterable<Event>): ReadonlyMap<EventId, readonly LLMConvertibleEvent[]> {
  const hidden = new Map<EventId, readonly LLMConvertibleEvent[]>();
  let waiting: LLMConvertibleEvent[] = [];
  for (const event of log) {
    if (!isLLMConvertible(event)) continue;
    if (view.indexOf(event.id) === undefined) {
      waiting.push(event);
    } else {
      if (waiting.length > 0) hidden.set(event.id, waiting);
      waiting = [];
    }
  }
  if (waiting.length > 0) hidden.set('', waiting);
  return hidden;
}

/** The condensation that has forgotten an event. */
function condensationsById(view: View): ReadonlyMap<EventId, Condensation> {
  const byId = new Map<EventId, Condensation>();
  for (const condensation of view.condensations) {
    for (const id of condensation.forgottenEventIds) byId.set(id, condensation);
  }
  return byId;
}

function hiddenLines(
  events: readonly LLMConvertibleEvent[],
  byId: ReadonlyMap<EventId, Condensation>,
): readonly Line[] {
  const lines: Line[] = [];
  for (const group of groupsOf(events, byId)) {
    const [first] = group;
    const condensation = first === undefined ? undefined : byId.get(first.id);
    lines.push({
      text: `··· ${formatCount(group.length, 'event')} hidden: ${condensation === undefined ? 'by the condenser, in the view alone' : `${reasonPhrase(condensation.metadata ?? {})} (${addressOf(condensation.id)})`}`,
      style: 'hidden',
    });
    for (const event of group.slice(0, mostNamed)) {
      lines.push({ text: `${addressOf(event.id)}  ${eventPhrase(event)}`, style: 'hidden', indent: 4 });
    }
    const more = group.length - mostNamed;
    if (more > 0) lines.push({ text: `… and ${more} more; /recall finds them`, style: 'hidden', indent: 4 });
    lines.push({ text: '' });
  }
  return lines;
}

/** Hidden events that stand together, by what hid them. */
function groupsOf(
  events: readonly LLMConvertibleEvent[],
  byId: ReadonlyMap<EventId, Condensation>,
): readonly (readonly LLMConvertibleEvent[])[] {
  const groups: LLMConvertibleEvent[][] = [];
  let last: Condensation | undefined;
  for (const event of events) {
    const by = byId.get(event.id);
    const group = groups.at(-1);
    if (group === undefined || by !== last) groups.push([event]);
    else group.push(event);
    last = by;
  }
  return groups;
}

/** Facts that an event does not hold. */
interface Known {
  readonly isPinned: boolean;
  /** The thinking of it that is sent. */
  readonly thinking: readonly string[] | undefined;
  /** The size of the part that is sent. */
  readonly tokens: number;
}

function addEvent(lines: Line[], event: LLMConvertibleEvent, view: View, known: Known): void {
  const { isPinned, thinking = [] } = known;
  const why = view.leftOut.get(event.id);
  const size = formatTokens(known.tokens);
  const marks = [
    ...(isPinned ? ['pinned'] : []),
    ...(isMasked(event) ? ['masked'] : []),
    ...(why === undefined ? [] : [`not sent: ${why}`]),
  ];
  const head = [roleOf(event), kindPhrase(event), addressOf(event.id), size, ...marks].join(' · ');
  const style = isMasked(event) || why !== undefined ? 'hidden' : 'plain';
  lines.push({ text: head, style: 'strong' });
  for (const text of thinking) {
    lines.push({ text: 'thinking:', indent: 2, style: 'dim' });
    for (const line of textLines(text, { indent: 4, style: 'dim' })) lines.push(line);
  }
  // One by one: a text may have more lines than a call may have arguments.
  for (const line of textLines(textOfEvent(event), { indent: 2, style })) lines.push(line);
  lines.push({ text: '' });
}

/** Returns the speaker of an event, as the model reads it. */
function roleOf(event: LLMConvertibleEvent): 'system' | 'user' | 'assistant' | 'tool' {
  if (isToolResult(event)) return 'tool';
  if (event.type === 'system-prompt') return 'system';
  return event.type === 'action' || (event.type === 'message' && event.role === 'assistant') ? 'assistant' : 'user';
}

function isMasked(event: LLMConvertibleEvent): boolean {
  return (event.type === 'action' || isToolResult(event)) && 'redacted' in event && event.redacted === true;
}
