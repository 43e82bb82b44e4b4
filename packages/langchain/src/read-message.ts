import { field, isRecord, listOf, textOf, withPreambles } from '@palimpsest/messages';
import type { HostMessage } from '@palimpsest/messages';
import { blockKind, blocksOf, chat, itemsOf, readBlock, responses } from './content-blocks.js';
import type { Piece } from './content-blocks.js';
import { messageOf } from './message-fields.js';
import type { Fields } from './message-fields.js';

/** Reads a message of LangChain. */
export function readMessage(message: unknown): HostMessage {
  const known = messageOf(message);
  // `{ role, content }`, which LangChain takes as well.
  if (known === undefined) return chat.read(message);
  const { kind, fields } = known;
  switch (kind) {
    case 'ai':
      return readAnswer(fields);
    case 'system':
      return { role: 'system', pieces: wordsIn(fields) };
    case 'tool':
    case 'function':
      return { role: 'user', pieces: [resultIn(fields)] };
    default: {
      const sender = textOf(fields['name']);
      return withPreambles({ role: 'user', ...(sender === undefined ? {} : { sender }), pieces: wordsIn(fields) });
    }
  }
}

function wordsIn({ content }: Fields): readonly Piece[] {
  const isBlocks = typeof content === 'string' || Array.isArray(content) || content === undefined || content === null;
  if (isBlocks) return blocksOf(content).flatMap(readBlock);
  return [{ type: 'unread', path: 'content', reason: 'content is neither text nor a list of blocks', value: content }];
}

function resultIn(fields: Fields): Piece {
  const toolCallId = textOf(fields['tool_call_id']);
  const toolName = textOf(fields['name']);
  return {
    type: 'result',
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...(toolName === undefined ? {} : { toolName }),
    content: wordsIn(fields).flatMap((piece) => (piece.type === 'content' || piece.type === 'unread' ? [piece] : [])),
    isError: fields['status'] === 'error',
    path: '',
    value: fields['content'],
  };
}

function readAnswer(fields: Fields): HostMessage {
  const blocks = blocksOf(fields['content']);
  const calls = callsIn(fields);
  const known = new Set(calls.flatMap((piece) => (piece.type === 'call' ? [piece.id] : [])));
  const content = blocks.flatMap((block): readonly Piece[] => {
    switch (blockKind(block)) {
      case 'call':
        return known.has(textOf(field(block, 'id'))) ? [] : [callInBlock(block)];
      case 'rest-of-call':
        return [];
      default:
        return readBlock(block);
    }
  });
  const words = typeof fields['content'] === 'string' || Array.isArray(fields['content']) ? content : wordsIn(fields);
  const pieces = [...reasoningIn(fields), ...words, ...serverItems(fields), ...calls];
  return blocks.some((block) => field(block, 'type') === 'compaction')
    ? { role: 'assistant', pieces, isBarrier: true, replacesBefore: true }
    : { role: 'assistant', pieces };
}

/** LangChain sends the parsed calls; only where there are none, it sends those of the provider. */
function callsIn(fields: Fields): readonly Piece[] {
  const kwargs = fields['additional_kwargs'];
  const parsed = listOf(fields['tool_calls']);
  const listed = parsed.length > 0 ? parsed : field(kwargs, 'tool_calls');
  const legacy = field(kwargs, 'function_call');
  const answer = { role: 'assistant', content: null, tool_calls: listed, function_call: legacy };
  return chat.read(answer).pieces.filter(({ type }) => type === 'call');
}

function callInBlock(block: unknown): Piece {
  const input = field(block, 'input') ?? field(block, 'args');
  const call = { id: field(block, 'id'), name: field(block, 'name'), args: input };
  const [piece] = chat.read({ role: 'assistant', tool_calls: [call] }).pieces;
  return piece ?? { type: 'unread', path: 'content', reason: 'not a call', value: block };
}

/** Reasoning that stands beside the content. */
function reasoningIn(fields: Fields): readonly Piece[] {
  const kwargs = fields['additional_kwargs'];
  const item = field(kwargs, 'reasoning');
  if (isRecord(item)) return responses.read({ ...item, type: 'reasoning' }).pieces;
  const text = textOf(field(kwargs, 'reasoning_content'));
  return text === undefined ? [] : [{ type: 'reasoning-text', text }];
}

/** Returns the pieces of what the provider has done itself: its items have no place in the message's content. */
function serverItems(fields: Fields): readonly Piece[] {
  const kwargs = fields['additional_kwargs'];
  const items = itemsOf(fields);
  const others = items.length > 0 ? items : listOf(field(kwargs, 'tool_outputs'));
  return others
    .filter((item) => !ownItems.has(field(item, 'type')))
    .flatMap((item) => responses.read(item as object).pieces)
    .filter(({ type }) => type === 'unread' || type === 'content');
}

/** Items that stand in the fields of the message. */
const ownItems: ReadonlySet<unknown> = new Set(['message', 'reasoning', 'function_call', 'custom_tool_call']);
