import { anthropicMessages, chatMessages, field, listOf, responsesItems, textOf } from '@palimpsest/messages';
import type { HostMessage } from '@palimpsest/messages';
import type { Fields } from './message-fields.js';

// The blocks of a content: LangChain's own, and those of the providers, side by side.

/** A piece of a message in neutral form. */
export type Piece = HostMessage['pieces'][number];

export const chat = chatMessages();
const anthropic = anthropicMessages();
export const responses = responsesItems();

/** The kind of a block of an answer for a condenser. */
export type BlockKind = 'words' | 'thinking' | 'call' | 'rest-of-call';

export function blockKind(block: unknown): BlockKind {
  switch (field(block, 'type')) {
    case 'thinking':
    case 'redacted_thinking':
    case 'reasoning':
      return 'thinking';
    case 'tool_use':
    case 'tool_call':
    case 'tool_call_chunk':
      return 'call';
    case 'input_json_delta':
      return 'rest-of-call';
    default:
      return 'words';
  }
}

/** Returns the blocks of a content. A text is one block. */
export function blocksOf(content: unknown): readonly unknown[] {
  return typeof content === 'string' ? (content === '' ? [] : [{ type: 'text', text: content }]) : listOf(content);
}

/** Returns true for thinking that its provider has signed. */
export function isSigned(block: unknown): boolean {
  return (
    blockKind(block) === 'thinking' && (textOf(field(block, 'signature')) ?? textOf(field(block, 'data'))) !== undefined
  );
}

export function readBlock(block: unknown): readonly Piece[] {
  switch (field(block, 'type')) {
    case 'reasoning': {
      const thinking = textOf(field(block, 'reasoning')) ?? '';
      const signature = textOf(field(block, 'signature'));
      if (signature !== undefined) return [{ type: 'thinking', block: { type: 'thinking', thinking, signature } }];
      return thinking === '' ? [] : [{ type: 'reasoning-text', text: thinking }];
    }
    case 'thinking':
    case 'redacted_thinking':
    case 'document':
    case 'search_result':
    case 'compaction':
      return anthropic.read({ role: 'assistant', content: [block] }).pieces;
    default:
      return chat.read({ role: 'user', content: [imageBlock(block) ?? block] }).pieces.map(plain);
  }
}

/** LangChain's own images (`url`, or `data` beside its media type) in the form of Chat Completions. */
function imageBlock(block: unknown): Fields | undefined {
  if (field(block, 'type') !== 'image' || field(block, 'source') !== undefined) return undefined;
  const data = textOf(field(block, 'data'));
  const mediaType = textOf(field(block, 'mimeType')) ?? textOf(field(block, 'mime_type')) ?? 'image/jpeg';
  const url = textOf(field(block, 'url')) ?? (data === undefined ? undefined : `data:${mediaType};base64,${data}`);
  return url === undefined ? undefined : { type: 'image_url', image_url: { url } };
}

/** The user's program is told from the user by the message, not by the block. */
function plain(piece: Piece): Piece {
  if (piece.type !== 'content') return piece;
  const { isPreamble: _isPreamble, ...rest } = piece;
  return rest;
}

/**
 * Returns the items in which an answer of the Responses API came. LangChain sends them back in the place of the
 * message.
 */
export function itemsOf(fields: Fields): readonly object[] {
  const output = listOf(field(fields['response_metadata'], 'output'));
  return output.every((item) => typeof item === 'object' && item !== null) ? output : [];
}
