import {
  addressOf,
  hostFilesOf,
  isLLMConvertible,
  isToolResult,
  isUserMessage,
  messageContent,
  sliceText,
  toolResultContent,
  wellFormedPart,
} from '@palimpsest/events';
import type { ActionEvent, ContentPart, Event, EventId, ToolContext, ToolResultEvent } from '@palimpsest/events';
import { isCondensation, isRecalled, View } from '@palimpsest/view';
import type { Condenser } from '@palimpsest/view';
import { relevanceDirectives } from '../directive.js';
import { neutralizedCopy } from '../labels.js';
import { hiddenReasons } from './recall.prompt.js';

/** The reason for which the model does not see a text. */
export type HiddenReason = keyof typeof hiddenReasons;

/** A log, as a tool is given it. */
type HiddenLog = Pick<ToolContext, 'log' | 'event' | 'signal'>;

/** The part of a log that the model does not see. */
export interface HiddenEvents {
  /** The view as the model reads it. */
  readonly view: View;
  /** Returns the reason for which an event is hidden; undefined if the model sees it. */
  reasonOf(event: Event): HiddenReason | undefined;
}

/**
 * Finds out what a model does not see of a log: it folds the log and shows the view to the condenser as a preview, which calls no
 * model and appends nothing. Without a condenser, what a condenser hides in the view alone is not known. A condenser that fails
 * counts as none. Targets of directives count as hidden, because a directive may take effect at the next call.
 */
export async function hiddenEvents(context: HiddenLog, condenser: Condenser | undefined): Promise<HiddenEvents> {
  const stored = View.fromEvents(context.log);
  const view = condenser === undefined ? stored : await preview(stored, condenser, context);
  const dismissed = new Set<EventId>(relevanceDirectives(stored).map(({ targetEventId }) => targetEventId));
  return { view, reasonOf: (event) => reasonIn(view, event, dismissed, context) };
}

async function preview(stored: View, condenser: Condenser, { signal }: HiddenLog): Promise<View> {
  try {
    const result = await condenser.condense(stored, { preview: true, signal });
    return isCondensation(result) ? stored : result;
  } catch {
    return stored;
  }
}

function reasonIn(
  view: View,
  event: Event,
  dismissed: ReadonlySet<EventId>,
  context: HiddenLog,
): HiddenReason | undefined {
  const id = event.type === 'condensation' ? summaryIdOf(view, event.id) : event.id;
  const index = id === undefined ? undefined : view.indexOf(id);
  const shown = index === undefined ? undefined : view.events.at(index);
  if (shown === undefined) return 'forgotten';
  if (event.type !== 'condensation' && isChanged(shown, event)) return dismissed.has(event.id) ? 'dismissed' : 'masked';
  if (dismissed.has(event.id)) return 'dismissed';
  if (view.leftOut.has(shown.id)) return 'not-sent';
  return isToolResult(event) && wholeOutputOf(event, (id) => context.event(id)) !== undefined ? 'in-part' : undefined;
}

/** Returns the event in a view that shows a condensation's summary. */
function summaryIdOf(view: View, condensationId: EventId): EventId | undefined {
  for (const event of view.events) {
    if (event.type === 'condensation-summary' && event.condensationId === condensationId) return event.id;
  }
  return undefined;
}

/** Returns true if a copy says something else than the logged event, apart from neutralised labels. */
function isChanged(shown: Event, logged: Event): boolean {
  if (shown === logged) return false;
  const none = (): undefined => undefined;
  const expected = isToolResult(logged) ? (neutralizedCopy(logged) ?? logged) : logged;
  const text = (event: Event): string | undefined => originalOf(event, none)?.text;
  return text(shown) !== text(logged) && text(shown) !== text(expected);
}

/** A text of the log that a search may find. */
export interface Document {
  readonly event: Event;
  /** The call that the event, a result, answers. */
  readonly call: ActionEvent | undefined;
  readonly text: string;
  /** Undefined if the model sees it. */
  readonly reason: HiddenReason | undefined;
}

/**
 * Returns the texts of a log, newest first, hidden or not. Answers of the recall tool and their calls are copies of others and are left
 * out, and so are short calls whose result is hidden too: the result's description holds them whole.
 */
export function documentsOf(
  context: Pick<ToolContext, 'log' | 'event' | 'actionId'>,
  hidden: HiddenEvents,
): readonly Document[] {
  const events = new Map<EventId, Event>();
  // Of events with one id only the first is in the conversation.
  for (const event of context.log) if (!events.has(event.id)) events.set(event.id, event);
  const documents: Document[] = [];
  // The calls of the present response have no results yet.
  const present = hidden.view.responseOf(context.actionId);
  const leftOut = new Set<string>([context.actionId]);
  for (const event of [...events.values()].toReversed()) {
    const call = isToolResult(event) ? hidden.view.callOf(event.id) : undefined;
    if (isToolResult(event)) {
      if (isRecalled(event)) {
        if (call !== undefined) leftOut.add(call.id);
        continue;
      }
      const isShort = call !== undefined && call.thought.length === 0 && callText(call).length <= longestCall;
      if (isShort && hidden.reasonOf(event) !== undefined) leftOut.add(call.id);
    }
    if (leftOut.has(event.id)) continue;
    if (present !== undefined && hidden.view.responseOf(event.id) === present) continue;
    const original = originalOf(event, (id) => context.event(id));
    if (original !== undefined) documents.push({ event, call, text: original.text, reason: hidden.reasonOf(event) });
  }
  return documents;
}

/** The places of a log's events among its calls. */
export interface Places {
  /** The address of an event, what it is, and how many calls ago it was. */
  describe(event: Event, reason?: HiddenReason): string;
}

/** A call is written out up to this length. Unit: characters. */
const longestCall = 120;

/** Reads the places of a log's events, whose view knows which call a result answers. Cost: one pass over the log. */
export function placesIn(log: Iterable<Event>, view: Pick<View, 'callOf'>): Places {
  const places = new Map<EventId, number>();
  let count = 0;
  for (const event of log) {
    if (event.type === 'action' && !places.has(event.id)) places.set(event.id, ++count);
    else if (event.type !== 'action') places.set(event.id, places.get(view.callOf(event.id)?.id ?? '') ?? count);
  }
  return {
    describe: (event, reason) => {
      const place = places.get(event.id) ?? count;
      const ago = count - place;
      const where = [
        `${isToolResult(event) || event.type === 'action' ? 'call' : 'after call'} ${place} of ${count}`,
        `${ago} ${ago === 1 ? 'call' : 'calls'} ago`,
        ...(reason === undefined ? [] : [hiddenReasons[reason]]),
      ];
      return `${addressOf(event.id)}: ${kindOf(event, view.callOf(event.id))}, ${where.join(', ')}`;
    },
  };
}

function kindOf(event: Event, call: ActionEvent | undefined): string {
  if (event.type === 'action') return `call of ${shortened(callText(event))}`;
  if (isToolResult(event)) return `result of ${shortened(call === undefined ? event.toolName : callText(call))}`;
  if (event.type === 'message') {
    return isUserMessage(event) ? 'message of the user' : event.source === 'agent' ? 'your message' : 'message';
  }
  return 'summary of what was before it';
}

/** Returns a text in one line, because what was logged must not look like a heading of its own. */
function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length <= longestCall ? line : `${sliceText(line, 0, longestCall - 1)}…`;
}

/** The text that a model read, or was to read, of an event, its images, and the files that its host holds. */
interface Original {
  readonly text: string;
  readonly media: readonly ContentPart[];
}

/**
 * Returns the original of an event: the content of a result or a message, the thought and the arguments of a call, the text of a
 * summary. For an output that was shown in part it is the whole. Thinking is not part of it. Undefined for events that no model
 * reads, and for instructions.
 */
export function originalOf(event: Event, find: (id: EventId) => Event | undefined): Original | undefined {
  if (event.type === 'condensation') {
    return typeof event.summary === 'string' && event.summary !== '' ? { text: event.summary, media: [] } : undefined;
  }
  if (!isLLMConvertible(event)) return undefined;
  if (isToolResult(event)) {
    const original = ofParts([...toolResultContent(event), ...hostFilesOf(event)]);
    const text = wholeOutputOf(event, find);
    return text === undefined ? original : { ...original, text };
  }
  switch (event.type) {
    case 'message':
      return ofParts([...messageContent(event), ...hostFilesOf(event)]);
    case 'action':
      return ofParts([...event.thought.map(wellFormedPart), { type: 'text', text: callText(event).toWellFormed() }]);
    case 'condensation-summary':
      return { text: event.summary, media: [] };
    default:
      return undefined;
  }
}

/** Returns a call as text: its name and its arguments. */
export function callText({ toolCall }: ActionEvent): string {
  return `${toolCall.name}(${toolCall.arguments})`;
}

/** Returns the whole text of an output that the agent showed in part: an event of the log that the result's `details` name. */
function wholeOutputOf(event: ToolResultEvent, find: (id: EventId) => Event | undefined): string | undefined {
  if (event.type !== 'observation') return undefined;
  const handle = event.details?.['outputHandle'];
  const whole = typeof handle === 'string' ? find(handle) : undefined;
  const text: unknown = whole === undefined || isLLMConvertible(whole) || !('text' in whole) ? undefined : whole.text;
  return typeof text === 'string' ? text.toWellFormed() : undefined;
}

function ofParts(parts: readonly ContentPart[]): Original {
  return {
    text: parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n'),
    media: parts.filter(({ type }) => type !== 'text'),
  };
}
