import type { ReasoningItem } from '@palimpsest/events';
import { field, isRecord, listOf, textOf } from '../../wire/json-fields.js';
import { readOpenAIContent } from '../content.js';
import { customToolArguments, notAMessage, receivedArguments, stateOf } from '../../wire/pieces.js';
import type { CallPiece, ReadMessage, ResultPiece } from '../../wire/pieces.js';

/**
 * Reads an item of the Responses API, input or output, also in the camel case of the Agents SDK. Neighbouring items of
 * the role `assistant` are one answer. The item of a tool that the provider runs is an `unread` piece of the answer.
 */
export function readResponsesItem(item: unknown): ReadMessage {
  // The type of a message is optional.
  const type = textOf(field(item, 'type')) ?? (field(item, 'role') === undefined ? undefined : 'message');
  switch (type) {
    case undefined:
      return notAMessage(item, 'not an item');
    case 'message':
      return readMessageItem(item);
    case 'reasoning':
      return { role: 'assistant', pieces: [{ type: 'reasoning-item', item: readReasoning(item) }] };
    case 'function_call':
      return { role: 'assistant', pieces: [functionCall(item)] };
    case 'custom_tool_call':
      return { role: 'assistant', pieces: [customCall(item)] };
    case 'function_call_output':
    case 'function_call_result':
    case 'custom_tool_call_output':
      return { role: 'user', pieces: [readOutput(item)] };
    default:
      return readOwnTool(item, type);
  }
}

function readMessageItem(item: unknown): ReadMessage {
  const role = field(item, 'role');
  const content = field(item, 'content');
  switch (role) {
    case 'assistant':
    case 'user':
      return { role, pieces: readOpenAIContent(content, 'content') };
    case 'system':
    case 'developer':
      return { role: 'system', pieces: readOpenAIContent(content, 'content') };
    default:
      return notAMessage(item, `no message has the role '${String(role)}'`);
  }
}

/** Reads a call of a tool with item types of its own: the type is its name, and its fields are its input. */
function readOwnTool(item: unknown, type: string): ReadMessage {
  const unread = notAMessage(item, `no place for an item of the type '${type}'`);
  if (!isRecord(item) || !/_call(?:_output)?$/.test(type)) return unread;
  const isNamed = callIdOf(item) !== undefined;
  if (type.endsWith('_output'))
    return isNamed ? { role: 'user', pieces: [{ ...readOutput(item), isOwnTool: true }] } : unread;
  if (!isNamed) return { ...unread, role: 'assistant' };
  const { type: _type, id: _id, call_id: _callId, callId: _camelCallId, status: _status, ...input } = item;
  const call = readCall({ ...item, name: type.slice(0, -'_call'.length) }, JSON.stringify(input));
  return { role: 'assistant', pieces: [{ ...call, isOwnTool: true, value: item }] };
}

/** Reads a function call. Its text says whether it is whole. A status says it only where it is that of an unfinished item. */
function functionCall(item: unknown): CallPiece {
  const given = field(item, 'arguments');
  const state = isUnfinished(item) ? 'cut' : stateOf(given);
  return { ...readCall(item, receivedArguments(given)), state };
}

/** Reads a custom call. The object around the free text is ours, so only the status says whether the text is whole. */
function customCall(item: unknown): CallPiece {
  const state = isUnfinished(item) ? 'cut' : field(item, 'status') === 'completed' ? 'complete' : 'parsed';
  return { ...readCall(item, customToolArguments(field(item, 'input'))), state };
}

function isUnfinished(item: unknown): boolean {
  const status = field(item, 'status');
  return status === 'incomplete' || status === 'in_progress';
}

function readCall(item: unknown, text: string): CallPiece {
  const itemId = textOf(field(item, 'id'));
  return {
    type: 'call',
    id: callIdOf(item) ?? itemId,
    name: textOf(field(item, 'name')),
    arguments: text,
    itemId,
    path: '',
    value: item,
  };
}

function readOutput(item: unknown): ResultPiece {
  return {
    type: 'result',
    toolCallId: callIdOf(item),
    content: readOpenAIContent(field(item, 'output'), 'output'),
    isError: false,
    path: '',
    value: item,
  };
}

function callIdOf(item: unknown): string | undefined {
  return textOf(field(item, 'call_id')) ?? textOf(field(item, 'callId'));
}

/** Reasoning that is sent back unchanged. */
function readReasoning(item: unknown): ReasoningItem {
  const id = textOf(field(item, 'id'));
  const content = field(item, 'content');
  const encryptedContent = textOf(field(item, 'encrypted_content'));
  return {
    ...(id === undefined ? {} : { id }),
    summary: textsOf(field(item, 'summary')),
    ...(Array.isArray(content) ? { content: textsOf(content) } : {}),
    ...(encryptedContent === undefined ? {} : { encryptedContent }),
  };
}

function textsOf(parts: unknown): readonly string[] {
  return listOf(parts).map((part) => textOf(part) ?? textOf(field(part, 'text')) ?? '');
}
