import type { Event } from './event.js';
import { isLLMConvertible } from './llm-convertible-events.js';
import type { ActionEvent, LLMConvertibleEvent, MessageEvent } from './llm-convertible-events.js';
import type {
  ContentPart,
  KnownContent,
  Message,
  ReasoningItem,
  Thinking,
  ThinkingBlock,
  ToolCall,
} from './message.js';

/**
 * Returns the message as every provider's JSON reader takes it: no text, name or argument holds half of a surrogate pair, U+FFFD
 * stands in its place. Signed or opaque data (signed thinking, encrypted reasoning, signatures of calls) that holds one is left
 * out, never altered. So is an image with such an address, in favour of words that say so. A message that is sound is given back
 * as it is, the same object. Ids of calls stay: they connect messages, and an adapter gives those that cannot be sent another
 * form.
 */
export function wellFormedMessage<M extends Message>(message: M): M {
  const content = eachOf(message.content, wellFormedPart);
  switch (message.role) {
    case 'assistant': {
      const { toolCalls } = message;
      const calls = toolCalls === undefined ? undefined : eachOf(toolCalls, wellFormedToolCall);
      const thinking = wellFormedThinking(message);
      if (content === message.content && calls === toolCalls && thinking === message) return message;
      const { role } = message;
      const { thinkingBlocks, reasoningItems, reasoningContent } = thinking;
      return {
        role,
        content,
        ...(calls === undefined ? {} : { toolCalls: calls }),
        ...(thinkingBlocks === undefined ? {} : { thinkingBlocks }),
        ...(reasoningItems === undefined ? {} : { reasoningItems }),
        ...(reasoningContent === undefined ? {} : { reasoningContent }),
      } as Message as M;
    }
    case 'tool': {
      const toolName = wellFormedJson(message.toolName);
      return content === message.content && toolName === message.toolName ? message : { ...message, content, toolName };
    }
    default:
      return content === message.content ? message : { ...message, content };
  }
}

/** Returns the part as {@link wellFormedMessage} has it. */
export function wellFormedPart<P extends ContentPart>(part: P): P extends KnownContent ? KnownContent : ContentPart;
export function wellFormedPart(part: ContentPart): ContentPart {
  switch (part.type) {
    case 'text':
      return isPlainText(part) && part.text.isWellFormed() ? part : wellFormedJson(part);
    case 'image':
      return part.url.isWellFormed() ? wellFormedJson(part) : imageWithoutAddress;
    default:
      return part;
  }
}

/** Returns true if a text has no field that this version does not know. */
function isPlainText(part: object): boolean {
  for (const key in part) if (key !== 'type' && key !== 'text') return false;
  return true;
}

/**
 * Returns the call as {@link wellFormedMessage} has it. Halves that are escapes in its arguments are replaced as well.
 */
export function wellFormedToolCall(call: ToolCall): ToolCall {
  const name = call.name.toWellFormed();
  const sent = wellFormedArguments(call.arguments);
  const isOpaqueSound = isSound(call.itemId) && isSound(call.thoughtSignature);
  if (name === call.name && sent === call.arguments && isOpaqueSound) return call;
  const { itemId, thoughtSignature, ...rest } = call;
  return Object.freeze({
    ...rest,
    name,
    arguments: sent,
    ...(itemId === undefined || !isSound(itemId) ? {} : { itemId }),
    ...(thoughtSignature === undefined || !isSound(thoughtSignature) ? {} : { thoughtSignature }),
  });
}

/**
 * Returns the thinking as {@link wellFormedMessage} has it. Of blocks, and of items, all go where a signed or opaque
 * one of them must: a provider checks them together.
 */
export function wellFormedThinking<T extends Thinking>(thinking: T): T | Pick<T, keyof Thinking> {
  const { thinkingBlocks, reasoningItems, reasoningContent } = thinking;
  const blocks = allOrNone(thinkingBlocks, isOpaqueBlock);
  const items = allOrNone(reasoningItems, isOpaqueItem);
  const words = reasoningContent?.toWellFormed();
  if (blocks === thinkingBlocks && items === reasoningItems && words === reasoningContent) return thinking;
  return {
    ...(blocks === undefined ? {} : { thinkingBlocks: blocks }),
    ...(items === undefined ? {} : { reasoningItems: items }),
    ...(words === undefined ? {} : { reasoningContent: words }),
  };
}

/** The first alternative is a pair, the second a half, and the last an escape of anything else, a backslash among them. */
const escapes =
  /\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|(?<half>\\u[dD][89a-fA-F][\da-fA-F]{2})|\\[^]/g;

/** JSON text that parses to well-formed text: what is escaped in it is as good as what is not. All else stays to the byte. */
function wellFormedArguments(text: string): string {
  const sound = text.toWellFormed();
  if (!/\\u[dD][89a-fA-F]/.test(sound)) return sound;
  return sound.replace(escapes, (escape, half?: string) => (half === undefined ? escape : '\\ufffd'));
}

const imageWithoutAddress: KnownContent = Object.freeze({
  type: 'text',
  text: '(An image is not shown here: its address is not well-formed text.)',
});

function allOrNone<Piece>(
  pieces: readonly Piece[] | undefined,
  isOpaque: (piece: Piece) => boolean,
): readonly Piece[] | undefined {
  if (pieces === undefined) return undefined;
  const sound = wellFormedJson(pieces);
  if (sound === pieces) return pieces;
  return pieces.some((piece, index) => piece !== sound[index] && isOpaque(piece)) ? undefined : sound;
}

function isOpaqueBlock(block: ThinkingBlock): boolean {
  return block.type !== 'thinking' || block.signature !== undefined;
}

function isOpaqueItem(item: ReasoningItem): boolean {
  return item.encryptedContent !== undefined || item.id !== undefined;
}

function isSound(text: string | undefined): boolean {
  return text?.isWellFormed() ?? true;
}

function eachOf<Item>(items: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  const changed = items.map(change);
  return changed.every((item, index) => item === items[index]) ? items : changed;
}

/**
 * Returns the well-formed copy of an event, for writers of logs: U+FFFD replaces every half of a surrogate pair in
 * texts and keys. Signed or opaque data with such a half is left out, and an image with such a URL is replaced by
 * words. A well-formed event is returned unchanged, as the same object. Events that are already in a log need no copy:
 * rendering makes them well-formed.
 */
export function wellFormedEvent<E extends Event>(event: E): E {
  const sound = wellFormedJson(event);
  if (sound === event) return event;
  return Object.freeze(isLLMConvertible(event) ? (withoutOpaque(event, sound as never) as Event as E) : sound);
}

/** Returns the copy, with nothing in it that must not be altered and was. */
function withoutOpaque(event: LLMConvertibleEvent, sound: LLMConvertibleEvent): LLMConvertibleEvent {
  switch (sound.type) {
    case 'message': {
      const { content } = event as MessageEvent;
      return { ...withSoundThinking(sound, event as MessageEvent), content: content.map(wellFormedPart) };
    }
    case 'action': {
      const { thought, toolCall } = event as ActionEvent;
      const { thoughtSignature, itemId, ...call } = sound.toolCall;
      return {
        ...withSoundThinking(sound, event as ActionEvent),
        thought: thought.map(wellFormedPart),
        toolCall: {
          ...call,
          ...(itemId === undefined || itemId !== toolCall.itemId ? {} : { itemId }),
          ...(thoughtSignature === undefined || thoughtSignature !== toolCall.thoughtSignature
            ? {}
            : { thoughtSignature }),
        },
      };
    }
    case 'observation':
      return { ...sound, content: (event as typeof sound).content.map(wellFormedPart) };
    default:
      return sound;
  }
}

function withSoundThinking<E extends ActionEvent | MessageEvent>(sound: E, event: E): E {
  const { thinkingBlocks, reasoningItems, reasoningContent } = wellFormedThinking(event);
  const { thinkingBlocks: _blocks, reasoningItems: _items, reasoningContent: _words, ...rest } = sound;
  return {
    ...rest,
    ...(thinkingBlocks === undefined ? {} : { thinkingBlocks }),
    ...(reasoningItems === undefined ? {} : { reasoningItems }),
    ...(reasoningContent === undefined ? {} : { reasoningContent }),
  } as E;
}

/**
 * Returns a copy of JSON data in which U+FFFD replaces every half of a surrogate pair in texts and keys, as in
 * `String.prototype.toWellFormed`. Well-formed data is returned unchanged, as the same object; a copy is frozen where
 * it differs. JSON allows such halves, but providers refuse them.
 *
 * Keys that become equal are told apart by more U+FFFD, so that no value is lost.
 */
export function wellFormedJson<T>(value: T): T {
  return isWellFormed(value) ? value : (wellFormed(value) as T);
}

/** Returns a look that makes nothing: nearly all data is well-formed. */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) {
    for (const item of value) if (!isWellFormed(item)) return false;
    return true;
  }
  for (const key of Object.keys(value)) {
    if (!key.isWellFormed() || !isWellFormed((value as Record<string, unknown>)[key])) return false;
  }
  return true;
}

function wellFormed(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    let changed: unknown[] | undefined;
    for (let index = 0; index < value.length; index++) {
      const item: unknown = value[index];
      const sound = wellFormed(item);
      if (sound !== item) (changed ??= [...(value as readonly unknown[])])[index] = sound;
    }
    return changed === undefined ? value : Object.freeze(changed);
  }
  const entries = Object.entries(value);
  let isChanged = false;
  const sound = entries.map(([key, item]): [string, unknown] => {
    const change: [string, unknown] = [key.toWellFormed(), wellFormed(item)];
    isChanged ||= change[0] !== key || change[1] !== item;
    return change;
  });
  if (!isChanged) return value;
  const taken = new Set(entries.map(([key]) => key).filter((key) => key.isWellFormed()));
  const copy = sound.map(([key, item], index) => {
    if (key === entries[index]?.[0]) return [key, item];
    let free = key;
    while (taken.has(free)) free += '\ufffd';
    taken.add(free);
    return [free, item];
  });
  return Object.freeze(Object.fromEntries(copy));
}
