import { estimateTextTokens, messageContent, systemPromptContent } from '@palimpsest/events';
import type {
  ContentPart,
  Event,
  EventId,
  Message,
  MessageEvent,
  SystemPromptEvent,
  ToolDefinition,
} from '@palimpsest/events';
import { protectedEventIds, viewOfLog } from '@palimpsest/view';
import type { RenderOptions, View } from '@palimpsest/view';
import type { MessagesInForce } from '../state.js';

/** Messages that a request holds although the view does not show them. */
export interface MissingMessages {
  readonly systemPrompt?: SystemPromptEvent;
  /** Messages in the user's place, in the order of the log. */
  readonly userMessages: readonly MessageEvent[];
}

/** The parts of a request besides a view. */
export interface Composition {
  readonly inForce: MessagesInForce;
  readonly log: Iterable<Event>;
  readonly render: RenderOptions;
}

/**
 * Returns the instructions in force, the host's set-up and the messages of the user that a view lacks, or shows with other content than the log.
 */
function missingMessages(view: View, inForce: MessagesInForce): MissingMessages {
  const { systemPrompt } = inForce;
  return {
    ...(systemPrompt === undefined || isInList(view, systemPrompt) ? {} : { systemPrompt }),
    userMessages: [...hiddenSetUp(view), ...expectedMessages(inForce).filter((event) => !isInList(view, event))].sort(
      (one, other) => (view.positionOf(one.id) ?? 0) - (view.positionOf(other.id) ?? 0),
    ),
  };
}

/** Returns what the host put in the user's place, is protected, and is hidden in a view that a condenser derived. */
function hiddenSetUp(view: View): readonly MessageEvent[] {
  const stored = viewOfLog(view);
  if (stored === view) return [];
  const hidden = [...protectedEventIds(stored, { userWords: false })].filter((id) => view.indexOf(id) === undefined);
  const events = hidden.flatMap((id) => stored.events.at(stored.indexOf(id) ?? stored.events.length) ?? []);
  return events.flatMap((event) => (event.type === 'message' && event.role === 'user' ? [event] : []));
}

/** Returns the view with the messages of the user as the log has them, where a condenser has put a copy in their place. */
function withOwnMessages(view: View, inForce: MessagesInForce): View {
  const replaced = expectedMessages(inForce).filter(
    (event) => view.indexOf(event.id) !== undefined && !isInList(view, event),
  );
  if (replaced.length === 0) return view;
  return view.replace(new Map(replaced.map((event) => [event.id, { event, effectiveFrom: event.id }])));
}

/** Returns them in the order of the log. The view of a condenser can lack the latest message although the log's view has it. */
function expectedMessages({ lost, latestUserMessage: latest }: MessagesInForce): readonly MessageEvent[] {
  const expected = latest === lost ? [lost] : [lost, latest];
  return expected.filter((event) => event !== undefined);
}

/**
 * Composes the messages of a request: the rendered view, and the {@link MessagesInForce} that it lacks. Instructions stand first,
 * and the user's messages where the log has them, instead of copies with other words. If the history begins with the agent's words,
 * the user's first message is moved to the beginning, and a mark stands in its place. The result depends on the view and the log
 * alone, so what was sent before changes only with a condensation, a revert or a new message.
 */
export function composedMessages(condensed: View, composition: Composition): readonly Message[] {
  const { inForce, render } = composition;
  const view = withOwnMessages(condensed, inForce);
  const { firstUserMessage: first, latestUserMessage: latest } = inForce;
  const { systemPrompt, userMessages } = missingMessages(view, inForce);
  const rendered = view.toMessages(render);
  const instructions = systemPrompt === undefined ? instructionsOf(rendered) : systemMessage(systemPrompt);
  const asRendered = withoutInstructions(rendered);
  let history = asRendered;

  const missing = userMessages.map((event) => ({ event, place: placeOf(event, view, composition) }));
  const beginsWithAgent = history[0] !== undefined && history[0].role !== 'user';
  const moved = beginsWithAgent && missing.every(({ place }) => place > 0) ? first : undefined;
  if (moved !== undefined && isInList(view, moved))
    history = withoutInstructions(withMark(view, moved).toMessages(render));
  for (const { event, place } of missing.toReversed()) {
    history = inserted(history, place, event === moved ? [movedMark] : messageContent(event));
  }
  // When the model is asked outside the conversation, a batch can be open, and the view leaves the latest message out. It is
  // sent last.
  const isHeld = latest !== undefined && latest !== moved && view.leftOut.has(latest.id);
  const sent = withoutEarlierThinking(history, composition);
  const isAsRendered = systemPrompt === undefined && moved === undefined && !isHeld && sent === asRendered;
  // Most requests need nothing but the view. A copy would cost what the history is long.
  if (isAsRendered) return rendered;
  return [
    ...instructions,
    ...(moved === undefined ? [] : [messageOf(moved)]),
    ...sent,
    ...(isHeld ? [messageOf(latest)] : []),
  ];
}

/** Reports whether the view lists an event with the content that it has in the log, or of which the host has cut the middle out. */
function isInList(view: View, event: MessageEvent | SystemPromptEvent): boolean {
  const index = view.indexOf(event.id);
  const listed = index === undefined ? undefined : view.events.at(index);
  if (listed === undefined || listed === event) return listed === event;
  const stored = viewOfLog(view);
  if (listed === stored.events.at(stored.indexOf(event.id) ?? stored.events.length)) return true;
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

/**
 * Returns the number of history messages that come from events before this one in the log. A call and its results are not
 * separated.
 */
function placeOf({ id }: MessageEvent, view: View, { log, render }: Composition): number {
  const later = new Set<EventId>();
  let isBehind = false;
  for (const event of log) {
    if (isBehind) later.add(event.id);
    isBehind ||= event.id === id;
  }
  const history = withoutInstructions(view.toMessages(render));
  let place = withoutInstructions(view.without(later).toMessages(render)).length;
  while (history[place]?.role === 'tool') place++;
  return Math.min(place, history.length);
}

/** Inserts words of the user. Neighbouring messages of the user are merged, as in a rendered view. */
function inserted(history: readonly Message[], place: number, content: readonly ContentPart[]): readonly Message[] {
  const [before, after] = [history.slice(0, place), history.slice(place)];
  const [last, next] = [before.at(-1), after[0]];
  if (last?.role === 'user') return [...before.slice(0, -1), userMessage([...last.content, ...content]), ...after];
  if (next?.role === 'user') return [...before, userMessage([...content, ...next.content]), ...after.slice(1)];
  return [...before, userMessage(content), ...after];
}

/** Stands in place of the moved message, because a list must not end with the agent's words. */
const movedMark: ContentPart = {
  type: 'text',
  text: "[The user's message that stood here is the one at the beginning.]",
};

function withMark(view: View, event: MessageEvent): View {
  const { extendedContent: _moved, ...kept } = event;
  // The mark is as old as the message, so it makes no thinking stale.
  return view.replace(new Map([[event.id, { event: { ...kept, content: [movedMark] }, effectiveFrom: event.id }]]));
}

/**
 * Leaves out thinking that is older than the removal of added words. Signed thinking is bound to all messages before it if
 * the model checks that, and the view does not know the added words.
 */
function withoutEarlierThinking(
  messages: readonly Message[],
  { inForce: { lostUntil }, log, render: { thinking = 'prefix-bound' } }: Composition,
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

/** Identifies a block whatever its position among the parts of its answer, which depends on the parts that are sent. */
function keyOf(block: object): string {
  return JSON.stringify({ ...block, position: undefined });
}

/** Messages that are added to several requests: the same frozen object in each, as adapters remember what it becomes. */
const added = new WeakMap<SystemPromptEvent | MessageEvent, Message>();

function systemMessage(event: SystemPromptEvent): readonly Message[] {
  const content = systemPromptContent(event);
  if (content.length === 0) return [];
  return [addedMessage(event, () => ({ role: 'system', content: Object.freeze(content) }))];
}

function messageOf(event: MessageEvent): Message {
  return addedMessage(event, () => ({ role: 'user', content: Object.freeze([...messageContent(event)]) }));
}

function addedMessage(event: SystemPromptEvent | MessageEvent, make: () => Message): Message {
  let message = added.get(event);
  if (message === undefined) added.set(event, (message = Object.freeze(make())));
  return message;
}

function userMessage(content: readonly ContentPart[]): Message {
  return { role: 'user', content: [...content] };
}

/** A view renders the instructions first, as one message. */
function instructionsOf(messages: readonly Message[]): readonly Message[] {
  return messages[0]?.role === 'system' ? messages.slice(0, 1) : [];
}

function withoutInstructions(messages: readonly Message[]): readonly Message[] {
  return messages[0]?.role === 'system' ? messages.slice(1) : messages;
}

/**
 * Estimates the size of what is sent beside the view. Unit: tokens, as the view estimates. 0 when the view has a system prompt with the
 * tools, as in the log of a `Conversation`, and no words are missing from it.
 */
export function tokensBesideView(view: View, tools: readonly ToolDefinition[], inForce: MessagesInForce): number {
  const { systemPrompt, userMessages } = missingMessages(view, inForce);
  const missing = systemPrompt === undefined ? userMessages : [systemPrompt, ...userMessages];
  const added = missing.reduce((sum, event) => sum + view.tokensOf(event), 0);
  if (tools.length === 0) return added;
  const counted = systemPrompt === undefined ? view.events : [systemPrompt];
  for (const event of counted) if (event.type === 'system-prompt' && (event.tools?.length ?? 0) > 0) return added;
  return added + Math.ceil(estimateTextTokens(JSON.stringify(tools)));
}
