import { isObject, listOf, objectOf, textOf } from './json.js';
import type { JsonObject } from './json.js';
import type { ResponseDraft } from './drafts.js';

/** A message of LangChain with the role of Chat Completions. Undefined for a message that only edits a state. */
export interface LangChainMessage {
  readonly role: string | undefined;
  readonly fields: JsonObject;
}

const rolesByType: Readonly<Record<string, string | undefined>> = {
  ai: 'assistant',
  developer: 'developer',
  function: 'function',
  human: 'user',
  system: 'system',
  tool: 'tool',
};

/**
 * Returns the message in a value: a constructor object of `dumps` (`lc: 1`), `{ type, data }` of stored histories, or the
 * fields of a message with its `type`, as the API of LangGraph sends them. Undefined for anything else.
 *
 * @see https://reference.langchain.com/python/langchain_core/load/ and https://github.com/langchain-ai/langchainjs
 * `libs/langchain-core/src/load`, `src/messages`
 */
export function langChainMessage(value: unknown): LangChainMessage | undefined {
  if (!isObject(value)) return undefined;
  const { type } = value;
  if (type === 'constructor' && value['lc'] !== undefined) {
    const className = textOf(listOf(value['id']).at(-1)) ?? '';
    const name = /^(\w+?)Message(?:Chunk)?$/.exec(className)?.[1];
    return name === undefined ? undefined : messageOf(name.toLowerCase(), objectOf(value['kwargs']));
  }
  if (typeof type !== 'string') return undefined;
  const name = type.replace(/MessageChunk$/, '').toLowerCase();
  if (rolesByType[name] === undefined && name !== 'chat' && name !== 'remove') return undefined;
  if (isObject(value['data']) && 'content' in value['data']) return messageOf(name, value['data']);
  return 'content' in value ? messageOf(name, value) : undefined;
}

function messageOf(name: string, fields: JsonObject): LangChainMessage {
  return { role: name === 'chat' ? textOf(fields['role']) : rolesByType[name], fields };
}

/** Blocks of an answer that are no words: its calls, which stand in `tool_calls` too, and its thinking. */
const notWords: ReadonlySet<unknown> = new Set([
  'function_call',
  'input_json_delta',
  'invalid_tool_call',
  'reasoning',
  'redacted_thinking',
  'thinking',
  'tool_call',
  'tool_call_chunk',
  'tool_use',
]);

/** Returns the fields of a message in the form of Chat Completions, without the thinking. */
export function chatFields({ role, fields }: LangChainMessage): JsonObject {
  const { content } = fields;
  const blocks = listOf(content).map((block) => (isObject(block) ? block : { type: 'text', text: block }));
  const words = blocks.filter((block) => !notWords.has(block['type'])).map(asChatPart);
  const chat = { ...fields, role, type: undefined, content: Array.isArray(content) ? words : content };
  if (role !== 'assistant') return chat;
  const extra = objectOf(fields['additional_kwargs']);
  const calls = [...listOf(fields['tool_calls']), ...listOf(fields['invalid_tool_calls'])];
  const inContent = blocks
    .filter(({ type }) => type === 'tool_use' || type === 'tool_call')
    .map((block) => ({ id: block['id'], name: block['name'], args: block['args'] ?? block['input'] }));
  const found = [calls, listOf(extra['tool_calls']), inContent].find((list) => list.length > 0);
  return {
    ...chat,
    reasoning_content: extra['reasoning_content'],
    ...(found === undefined ? {} : { tool_calls: found }),
  };
}

/** Images have an address or data, under the names of either version of the content blocks. */
function asChatPart(block: JsonObject): JsonObject {
  if (block['type'] !== 'image') return block;
  const data = textOf(block['base64']) ?? textOf(block['data']);
  const mediaType = textOf(block['mime_type']) ?? textOf(block['mimeType']) ?? 'image/png';
  const url = textOf(block['url']) ?? (data === undefined ? undefined : `data:${mediaType};base64,${data}`);
  return url === undefined ? block : { type: 'image_url', image_url: { url } };
}

/** Adds the thinking in the content of an answer, in the form of the API that it came from. */
export function addThinking(response: ResponseDraft, content: unknown): void {
  for (const block of listOf(content).map(objectOf)) {
    const thinking = textOf(block['thinking']) ?? textOf(block['reasoning']) ?? '';
    const signature = textOf(block['signature']) ?? textOf(objectOf(block['extras'])['signature']);
    const data = textOf(block['data']);
    if (block['type'] === 'redacted_thinking' && data !== undefined) {
      response.add({ type: 'thinking', block: { type: 'redacted-thinking', data } });
    } else if (block['type'] === 'reasoning' && Array.isArray(block['summary'])) {
      const [id, encryptedContent] = [textOf(block['id']), textOf(block['encrypted_content'])];
      const summary = block['summary'].flatMap((part: unknown) => textOf(objectOf(part)['text']) ?? []);
      response.add({
        type: 'reasoning-item',
        item: {
          summary,
          ...(id === undefined ? {} : { id }),
          ...(encryptedContent === undefined ? {} : { encryptedContent }),
        },
      });
    } else if ((block['type'] === 'thinking' || block['type'] === 'reasoning') && signature !== undefined) {
      response.add({ type: 'thinking', block: { type: 'thinking', thinking, signature } });
    } else if ((block['type'] === 'thinking' || block['type'] === 'reasoning') && thinking !== '') {
      response.add({ type: 'reasoning-text', text: thinking });
    }
  }
}
