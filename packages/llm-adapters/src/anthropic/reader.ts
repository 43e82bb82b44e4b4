import { imageUrl } from '../wire/images.js';
import { field, isRecord, listOf, textOf } from '../wire/json-fields.js';
import { imageNotShown } from '../wire/sendable-message.js';
import { notAMessage, notContent, receivedArguments, standIn, stateOf, textPiece } from '../wire/pieces.js';
import type { ContentPiece, Piece, ReadMessage, UnreadPiece } from '../wire/pieces.js';

/**
 * Reads a message of the Messages API, request or response. Text inside documents and search results is read as text, and the
 * block itself is kept as `unread`. Any other block without a neutral form is replaced by a text that says what is missing.
 */
export function readAnthropicMessage(message: unknown): ReadMessage {
  const role = field(message, 'role');
  if (role !== 'user' && role !== 'assistant' && role !== 'system') {
    return notAMessage(message, isRecord(message) ? `no message has the role '${String(role)}'` : 'not a message');
  }
  const content = field(message, 'content') ?? [];
  const pieces = anthropicBlocks(content).flatMap((block, index) => readAnthropicBlock(block, `content.${index}`));
  if (typeof content !== 'string' && !isRecord(content)) {
    pieces.push({ type: 'unread', path: 'content', reason: notContent, value: content });
  }
  const foreignCalls = listOf(field(message, 'tool_calls'));
  if (foreignCalls.length > 0) {
    const reason = 'calls in the form of Chat Completions: see ./openai';
    pieces.push({ type: 'unread', path: 'tool_calls', reason, value: foreignCalls });
  }
  return { role, id: textOf(field(message, 'id')), pieces };
}

/** Returns the blocks of a content. A string is one text block. */
export function anthropicBlocks(content: unknown): readonly unknown[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return isRecord(content) && !Array.isArray(content) ? [content] : listOf(content);
}

/** Reads one block of a message's content. `path` is the block's path in the message. */
export function readAnthropicBlock(block: unknown, path: string): Piece[] {
  switch (field(block, 'type')) {
    case 'tool_use': {
      const input = field(block, 'input');
      return [
        {
          type: 'call',
          id: textOf(field(block, 'id')),
          name: textOf(field(block, 'name')),
          arguments: receivedArguments(input),
          state: stateOf(input),
          path,
          value: block,
        },
      ];
    }
    case 'tool_result': {
      const said = field(block, 'content');
      const content = anthropicBlocks(said === '' ? [] : said).flatMap((inner, index) =>
        readContentBlock(inner, `${path}.content.${index}`),
      );
      return [
        {
          type: 'result',
          toolCallId: textOf(field(block, 'tool_use_id')),
          content,
          isError: field(block, 'is_error') === true,
          path,
          value: block,
        },
      ];
    }
    case 'thinking': {
      const thinking = field(block, 'thinking');
      if (typeof thinking !== 'string') break;
      const signature = textOf(field(block, 'signature'));
      const signed = signature === undefined ? {} : { signature };
      return [{ type: 'thinking', block: { type: 'thinking', thinking, ...signed } }];
    }
    case 'redacted_thinking': {
      const data = field(block, 'data');
      if (typeof data !== 'string') break;
      return [{ type: 'thinking', block: { type: 'redacted-thinking', data } }];
    }
    default:
  }
  return readContentBlock(block, path);
}

/** Reads a block in the content of a message or a result. */
function readContentBlock(block: unknown, path: string): (ContentPiece | UnreadPiece)[] {
  const unread = (reason: string): UnreadPiece => ({ type: 'unread', path, reason, value: block });
  const type = textOf(field(block, 'type')) ?? 'unknown';
  const text = typeof block === 'string' ? block : field(block, 'text');
  if (typeof text === 'string' && (type === 'text' || typeof block === 'string')) {
    const isCited = listOf(field(block, 'citations')).length > 0;
    return [textPiece(text), ...(isCited ? [unread('its citations have no place')] : [])];
  }
  if (type === 'image') {
    const url = imageUrl(block);
    if (url !== undefined) return [{ type: 'content', part: { type: 'image', url } }];
    const isFile = field(field(block, 'source'), 'type') === 'file';
    const words = imageNotShown(isFile ? 'it is a file at the provider' : 'its source is not known');
    return [unread('the event log has no place for it'), standIn(words)];
  }
  const said = type === 'document' ? documentTexts(block) : type === 'search_result' ? searchResultTexts(block) : [];
  if (said.length > 0) return [unread('it is sent as text'), ...said];
  return [unread('the event log has no place for it'), standIn(`(A block of the type '${type}' is not shown here.)`)];
}

function documentTexts(block: unknown): readonly ContentPiece[] {
  const source = field(block, 'source');
  const inner = field(source, 'type') === 'text' ? field(source, 'data') : field(source, 'content');
  const texts = textsInside(inner);
  return texts.length === 0 ? [] : [...titles(block, ['title', 'context']), ...texts];
}

function searchResultTexts(block: unknown): readonly ContentPiece[] {
  return [...titles(block, ['title', 'source']), ...textsInside(field(block, 'content'))];
}

function textsInside(content: unknown): readonly ContentPiece[] {
  return anthropicBlocks(content).flatMap((block) =>
    readContentBlock(block, '').flatMap((piece) =>
      piece.type === 'content' ? [{ ...piece, isStandIn: true as const }] : [],
    ),
  );
}

function titles(block: unknown, keys: readonly string[]): readonly ContentPiece[] {
  const text = keys.flatMap((key) => textOf(field(block, key)) ?? []).join('\n');
  return text === '' ? [] : [standIn(text)];
}

/**
 * Reads the `system` of a request. Of several blocks, those up to the last cache mark are static. Without a mark, only the first
 * is.
 */
export function readAnthropicSystem(system: unknown): {
  readonly systemPrompt: string;
  readonly dynamicContext: string;
  readonly blocks: number;
} {
  const blocks = anthropicBlocks(system);
  const markedAt = blocks.findLastIndex((block) => (field(block, 'cache_control') ?? null) !== null);
  const splitAt = Math.max(markedAt, 0) + 1;
  const text = (some: readonly unknown[]) =>
    some.map((block) => textOf(block) ?? textOf(field(block, 'text')) ?? '').join('\n\n');
  return {
    systemPrompt: text(blocks.slice(0, splitAt)),
    dynamicContext: text(blocks.slice(splitAt)),
    blocks: blocks.length,
  };
}
