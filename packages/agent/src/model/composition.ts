import { messageContent, systemPromptContent } from '@palimpsest/events';
import type { ContentPart, Event, EventId, Message, MessageEvent, SystemPromptEvent } from '@palimpsest/events';
import type { RenderOptions, View } from '@palimpsest/view';
import type { StandingWords } from './standing-words.js';

/** What the view does not show and the request holds all the same. */
export interface MissingWords {
  readonly systemPrompt?: SystemPromptEvent;
  /** In the order of the log. */
  readonly userMessages: readonly MessageEvent[];
}

/** What a request is composed of, beside a view. */
export interface Composition {
  readonly words: StandingWords;
  readonly log: Iterable<Event>;
  readonly render: RenderOptions;
}

/** The instructions in force and the words of the user that a view lacks, or shows otherwise than they stand in the log. */
export function missingWords(view: View, words: StandingWords): MissingWords {
  const { systemPrompt, latestUserMessage: latest, lost } = words;
  // Where it is not lost, a condenser's own view may lack it.
  const isLatestGone = latest !== undefined && latest !== lost && !isInList(view, latest);
  return {
    ...(systemPrompt === undefined || isInList(view, systemPrompt) ? {} : { systemPrompt }),
    userMessages: [...(lost === undefined ? [] : [lost]), ...(isLatestGone ? [latest] : [])],
  };
}

/**
 * The messages of a request: the view as it is rendered, with what it lacks of the {@link StandingWords}. Instructions stand first,
 * and words of the user where they stood in the log. A history that begins with the agent's words begins with the user's first ones
 * instead, and a line says so where they stood. All of it depends on the view and the log alone, so what was sent before changes only
 * with a condensation, a revert or a new message.
 */
export function composedMessages(view: View, composition: Composition): readonly Message[] {
  const { words, render } = composition;
  const { firstUserMessage: first, latestUserMessage: latest } = words;
  const { systemPrompt, userMessages } = missingWords(view, words);
  const rendered = view.toMessages(render);
  const instructions = systemPrompt === undefined ? rendered.filter(isSystem) : systemMessage(systemPrompt);
  let history = withoutSystem(rendered);

  const missing = userMessages.map((event) => ({ event, place: placeOf(event, view, composition) }));
  const beginsWithAgent = history[0] !== undefined && history[0].role !== 'user';
  const moved = beginsWithAgent && missing.every(({ place }) => place > 0) ? first : undefined;
  if (moved !== undefined && isInList(view, moved)) history = withoutSystem(withMark(view, moved).toMessages(render));
  for (const { event, place } of missing.toReversed()) {
    history = inserted(history, place, event === moved ? [movedMark] : messageContent(event));
  }
  // An open batch holds them back where the model is asked beside the conversation: they come after all that is sent.
  const isHeld = latest !== undefined && latest !== moved && view.leftOut.has(latest.id);
  return [
    ...instructions,
    ...(moved === undefined ? [] : [userMessage(messageContent(moved))]),
    ...withoutEarlierThinking(history, composition),
    ...(isHeld ? [userMessage(messageContent(latest))] : []),
  ];
}

/** True for an event that stands in the view's list, with the content that it has in the log. */
function isInList(view: View, event: MessageEvent | SystemPromptEvent): boolean {
  const index = view.indexOf(event.id);
  const listed = index === undefined ? undefined : view.events.at(index);
  if (listed === undefined || listed === event) return listed === event;
  if (listed.type === 'message' && event.type === 'message') {
    return listed.role === event.role && isSame(messageContent(listed), messageContent(event));
  }
  return (
    listed.type === 'system-prompt' &&
    event.type === 'system-prompt' &&
    isSame(systemPromptContent(listed), systemPromptContent(event))
  );
}

function isSame(one: readonly ContentPart[], other: readonly ContentPart[]): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** How many messages of the history come from what stands before an event in the log. A call and its results stay together. */
function placeOf({ id }: MessageEvent, view: View, { log, render }: Composition): number {
  const later = new Set<EventId>();
  let isBehind = false;
  for (const event of log) {
    if (isBehind) later.add(event.id);
    isBehind ||= event.id === id;
  }
  const history = withoutSystem(view.toMessages(render));
  let place = withoutSystem(view.without(later).toMessages(render)).length;
  while (history[place]?.role === 'tool') place++;
  return Math.min(place, history.length);
}

/** In one message with what the user says before or after it, as a view renders neighbours. */
function inserted(history: readonly Message[], place: number, content: readonly ContentPart[]): readonly Message[] {
  const [before, after] = [history.slice(0, place), history.slice(place)];
  const [last, next] = [before.at(-1), after[0]];
  if (last?.role === 'user') return [...before.slice(0, -1), userMessage([...last.content, ...content]), ...after];
  if (next?.role === 'user') return [...before, userMessage([...content, ...next.content]), ...after.slice(1)];
  return [...before, userMessage(content), ...after];
}

/** Stands where the words stood, since no list may end with the agent's. */
const movedMark: ContentPart = {
  type: 'text',
  text: "[The user's message that stood here is the one at the beginning.]",
};

function withMark(view: View, event: MessageEvent): View {
  const { extendedContent: _moved, ...kept } = event;
  // It has been so since the words were first sent, so no thinking is older than the change.
  return view.replace(new Map([[event.id, { event: { ...kept, content: [movedMark] }, effectiveFrom: event.id }]]));
}

/**
 * The messages without what was thought before words ceased to be added: signed thinking is bound to all that stands before it, where
 * the model checks that, and the view knows nothing of those words.
 */
function withoutEarlierThinking(
  messages: readonly Message[],
  { words: { lostUntil }, log, render: { thinking = 'prefix-bound' } }: Composition,
): readonly Message[] {
  if (thinking !== 'prefix-bound' || lostUntil === undefined) return messages;
  const earlier = thoughtsBefore(lostUntil, log);
  if (earlier.size === 0) return messages;
  return messages.flatMap((message): readonly Message[] => {
    if (message.role !== 'assistant' || message.thinkingBlocks === undefined) return [message];
    const { thinkingBlocks, ...others } = message;
    const kept = thinkingBlocks.filter((block) => !earlier.has(keyOf(block)));
    if (kept.length > 0) return [{ ...others, thinkingBlocks: kept }];
    const { content, toolCalls = [], reasoningItems, reasoningContent } = others;
    const isEmpty = content.length + toolCalls.length === 0 && (reasoningItems ?? reasoningContent) === undefined;
    return isEmpty ? [] : [others];
  });
}

function thoughtsBefore(end: EventId, log: Iterable<Event>): ReadonlySet<string> {
  const thoughts = new Set<string>();
  for (const event of log) {
    if (event.id === end) break;
    if (event.type !== 'action' && event.type !== 'message') continue;
    for (const block of event.thinkingBlocks ?? []) thoughts.add(keyOf(block));
  }
  return thoughts;
}

/** A block without its place among the words and calls of its answer, which depends on what of them is sent. */
function keyOf(block: object): string {
  return JSON.stringify({ ...block, position: undefined });
}

function systemMessage(event: SystemPromptEvent): readonly Message[] {
  const content = systemPromptContent(event);
  return content.length === 0 ? [] : [{ role: 'system', content }];
}

function userMessage(content: readonly ContentPart[]): Message {
  return { role: 'user', content: [...content] };
}

function isSystem({ role }: Message): boolean {
  return role === 'system';
}

function withoutSystem(messages: readonly Message[]): readonly Message[] {
  return messages.filter((message) => !isSystem(message));
}
