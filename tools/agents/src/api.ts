import { field, listOf, textOf } from '@palimpsest/llm-adapters/wire';
import type { Block, Body, Message, Tool } from './exchange.js';

/** An API that agents speak. */
export type ApiName = 'messages' | 'chat' | 'responses';

/** Returns the API of a path. Undefined for any other path. */
export function apiOf(path: string): ApiName | undefined {
  if (path.endsWith('/v1/messages')) return 'messages';
  if (path.endsWith('/v1/chat/completions')) return 'chat';
  return path.endsWith('/v1/responses') ? 'responses' : undefined;
}

/**
 * Returns a request of any API in the form of Messages, so that one judge reads all of them. Nothing is left out: what Messages has no
 * place for is a block of its own.
 */
export function bodyOf(api: ApiName, raw: unknown): Body {
  if (api === 'messages') return raw as Body;
  const list = listOf(api === 'chat' ? field(raw, 'messages') : field(raw, 'input'));
  const messages = list.map(api === 'chat' ? chatMessage : responsesItem);
  const start = messages.findIndex(({ role }) => role !== 'system' && role !== 'developer');
  return {
    model: textOf(field(raw, 'model')) ?? '',
    system: [field(raw, 'instructions'), ...messages.slice(0, start)],
    tools: listOf(field(raw, 'tools')).map(toolOf),
    messages: start === -1 ? [] : messages.slice(start),
  };
}

function toolOf(tool: unknown): Tool {
  const declared = field(tool, 'function') ?? tool;
  const name = textOf(field(declared, 'name')) ?? textOf(field(declared, 'type')) ?? '';
  return { name, declared };
}

function chatMessage(message: unknown): Message {
  const role = textOf(field(message, 'role')) ?? '';
  const content = blocksOf(field(message, 'content'));
  if (role === 'tool') {
    return { role: 'user', content: [{ type: 'tool_result', tool_use_id: idIn(message, 'tool_call_id'), content }] };
  }
  const calls = listOf(field(message, 'tool_calls')).map((call) =>
    callBlock(idIn(call, 'id'), field(field(call, 'function'), 'name'), field(field(call, 'function'), 'arguments')),
  );
  return { role, content: [...content, ...calls] };
}

function responsesItem(item: unknown): Message {
  const type = textOf(field(item, 'type')) ?? 'message';
  const id = idIn(item, 'call_id');
  switch (type) {
    case 'message':
      return { role: textOf(field(item, 'role')) ?? '', content: blocksOf(field(item, 'content')) };
    case 'reasoning':
      return { role: 'assistant', content: [{ type: 'thinking' }] };
    case 'function_call':
    case 'custom_tool_call': {
      const call = callBlock(id, field(item, 'name'), field(item, 'arguments') ?? field(item, 'input'));
      return { role: 'assistant', content: [call] };
    }
    case 'function_call_output':
    case 'custom_tool_call_output': {
      const content = blocksOf(field(item, 'output'));
      return { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content }] };
    }
    default:
      return { role: 'assistant', content: [{ type, input: item }] };
  }
}

const callBlock = (id: string, name: unknown, input: unknown): Block => ({
  type: 'tool_use',
  id,
  input: [name, input],
});

const idIn = (value: unknown, key: string): string => textOf(field(value, key)) ?? '';

/** Content of either API as blocks of Messages. */
function blocksOf(content: unknown): readonly Block[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  return listOf(content).map((part): Block => {
    const text = textOf(field(part, 'text'));
    if (text !== undefined) return { type: 'text', text };
    const image = field(part, 'image_url');
    return image === undefined ? { type: 'part', input: part } : { type: 'image', source: image };
  });
}
