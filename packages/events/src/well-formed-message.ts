import type {
  ContentPart,
  KnownContent,
  Message,
  ReasoningItem,
  Thinking,
  ThinkingBlock,
  ToolCall,
} from './message.js';
import { wellFormedJson } from './well-formed-json.js';

/**
 * The message as every provider's JSON reader takes it: no text, name or argument holds half of a surrogate pair, U+FFFD stands
 * in its place. Signed or opaque data (signed thinking, encrypted reasoning, signatures of calls) that holds one is left out,
 * never altered; so is an image with such an address, in favour of words that say so. A message that is sound is given back as
 * it is, the same object. Ids of calls stay: they connect messages, and an adapter gives those that cannot be sent another form.
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

/** The part as {@link wellFormedMessage} has it. */
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

/** Tells whether a text has no field that this version does not know. */
function isPlainText(part: object): boolean {
  for (const key in part) if (key !== 'type' && key !== 'text') return false;
  return true;
}

/** The call as {@link wellFormedMessage} has it. Halves that are escapes in its arguments are replaced as well. */
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
 * The thinking as {@link wellFormedMessage} has it. Of blocks, and of items, all go where a signed or opaque one of them must: a
 * provider checks them together.
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
