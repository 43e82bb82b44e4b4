import { readTool, receivedArguments, standIn, usageInAnyForm } from '@palimpsest/llm-adapters/wire';
import type { ContentPiece, Piece, ReadMessage, UnreadPiece } from '@palimpsest/llm-adapters/wire';
import type { ToolDefinition } from '@palimpsest/events';
import { isObject, listOf, objectOf, textOf } from '../log/json.js';
import type { JsonObject } from '../log/json.js';
import type { LogFormat, LogSource, NoteTaker } from '../log/session.js';
import { conversationsIn, messageReader, readConversations } from './messages.js';
import type { ConversationReader } from './messages.js';

/** The blocks of Converse. A block has no `type`: its only field says what it is. */
const blockNames: ReadonlySet<string> = new Set([
  'audio',
  'cachePoint',
  'citationsContent',
  'document',
  'guardContent',
  'image',
  'reasoningContent',
  'searchResult',
  'text',
  'toolResult',
  'toolUse',
  'video',
]);

/**
 * Messages of the Converse API of Amazon Bedrock: a list, a request (`{ system?, messages, toolConfig? }`), lists of these,
 * JSON Lines of any. They are known by their blocks. Usage is read where a program keeps it with the message.
 *
 * @see https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ContentBlock.html
 */
export const bedrockConverse: LogFormat = {
  name: 'bedrock-converse',
  recognise: ({ head }) =>
    head.some(
      (value) => hasBlock(value) || conversationsIn(value, isMessage).some(({ messages }) => messages.some(hasBlock)),
    ),
  read: (source: LogSource) => readConversations(source, isMessage, (beside) => openRequest(beside, source.notes)),
};

function isMessage(value: unknown): value is JsonObject {
  return (
    isObject(value) &&
    (value['role'] === 'user' || value['role'] === 'assistant') &&
    Array.isArray(value['content']) &&
    value['content'].every(isBlock)
  );
}

function isBlock(value: unknown): boolean {
  return isObject(value) && value['type'] === undefined && Object.keys(value).some((name) => blockNames.has(name));
}

function hasBlock(value: unknown): boolean {
  return isMessage(value) && listOf(value['content']).length > 0;
}

function openRequest(beside: JsonObject, notes: NoteTaker): ConversationReader {
  const usage = (counts: unknown): { usage: NonNullable<ReturnType<typeof usageInAnyForm>> } | undefined => {
    const counted = usageInAnyForm(counts);
    return counted === undefined ? undefined : { usage: counted };
  };
  const reader = messageReader(notes, { read: readConverseMessage, usage });
  const system = listOf(beside['system']).map(objectOf);
  const marked = system.findLastIndex((block) => isObject(block['cachePoint']));
  const textIn = (blocks: readonly JsonObject[]): string =>
    blocks.flatMap((block) => textOf(block['text']) ?? []).join('\n\n');
  // What stands behind the last cache mark changes from request to request.
  const [prompt, context] = marked === -1 ? [system, []] : [system.slice(0, marked), system.slice(marked)];
  const tools = toolsIn(beside['toolConfig'], notes);
  if (textIn(system) !== '' || tools.length > 0)
    reader.recorder.systemPrompt({ id: 'system' }, textIn(prompt), tools, textIn(context));
  return {
    finish: () => reader.finish(),
    read: (message, place) => {
      const metadata = objectOf(message['metadata']);
      const model = message['model'] ?? metadata['model'] ?? beside['modelId'];
      reader.read({ ...message, model, usage: message['usage'] ?? metadata['usage'] }, place);
    },
  };
}

function toolsIn(toolConfig: unknown, notes: NoteTaker): readonly ToolDefinition[] {
  return listOf(objectOf(toolConfig)['tools']).flatMap((value) => {
    const tool = objectOf(value);
    if (isObject(tool['cachePoint'])) return [];
    const { inputSchema, ...spec } = objectOf(tool['toolSpec']);
    const definition = readTool({ ...spec, inputSchema: objectOf(inputSchema)['json'] });
    if (definition === undefined) notes.add('unsupported-content', 'a tool that only the provider runs was left out');
    return definition ?? [];
  });
}

function readConverseMessage(message: unknown): ReadMessage {
  const { role, content } = objectOf(message);
  const pieces = listOf(content).flatMap((block, index) => readBlock(objectOf(block), `content.${index}`));
  return { role: role === 'assistant' ? 'assistant' : 'user', pieces };
}

function readBlock(block: JsonObject, path: string): readonly Piece[] {
  const { toolUse, toolResult, reasoningContent } = block;
  if (isObject(toolUse)) {
    const [id, name] = [textOf(toolUse['toolUseId']), textOf(toolUse['name'])];
    const named = { ...(id === undefined ? {} : { id }), ...(name === undefined ? {} : { name }) };
    return [{ type: 'call', ...named, arguments: receivedArguments(toolUse['input']), path, value: block }];
  }
  if (isObject(toolResult)) {
    const toolCallId = textOf(toolResult['toolUseId']);
    const content = listOf(toolResult['content']).flatMap((inner, index) =>
      readContent(objectOf(inner), `${path}.content.${index}`),
    );
    const of = toolCallId === undefined ? {} : { toolCallId };
    return [{ type: 'result', ...of, content, isError: toolResult['status'] === 'error', path, value: block }];
  }
  if (isObject(reasoningContent)) return readReasoning(reasoningContent);
  return readContent(block, path);
}

/** Reasoning is signed where the model signs it, and plain text elsewhere. */
function readReasoning(reasoning: JsonObject): readonly Piece[] {
  const { text, signature } = objectOf(reasoning['reasoningText']);
  const redacted = bytesOf(reasoning['redactedContent']);
  if (redacted !== undefined) return [{ type: 'thinking', block: { type: 'redacted-thinking', data: redacted } }];
  const [thinking, signed] = [textOf(text) ?? '', textOf(signature)];
  if (signed === undefined) return [{ type: 'reasoning-text', text: thinking }];
  return [{ type: 'thinking', block: { type: 'thinking', thinking, signature: signed } }];
}

function readContent(block: JsonObject, path: string): readonly (ContentPiece | UnreadPiece)[] {
  if (typeof block['text'] === 'string') return [textPiece(block['text'])];
  if (block['json'] !== undefined) return [textPiece(JSON.stringify(block['json']))];
  // A cache mark is no content.
  if (isObject(block['cachePoint'])) return [];
  const unread = (reason: string): UnreadPiece => ({ type: 'unread', path, reason, value: block });
  const [name = 'unknown'] = Object.keys(block);
  const image = objectOf(block['image']);
  const data = bytesOf(objectOf(image['source'])['bytes']);
  if (data !== undefined)
    return [{ type: 'content', part: { type: 'image', url: `data:image/${String(image['format'])};base64,${data}` } }];
  const said = textsIn(block);
  if (said.length > 0) return [unread('it is sent as text'), ...said.map(standIn)];
  return [unread('the event log has no place for it'), standIn(`(A block '${name}' is not shown here.)`)];
}

function textPiece(text: string): ContentPiece {
  return { type: 'content', part: { type: 'text', text } };
}

/** Returns the texts of guarded and cited content, search results and text documents. */
function textsIn(block: JsonObject): readonly string[] {
  const guarded = objectOf(objectOf(block['guardContent'])['text'])['text'];
  const source = objectOf(objectOf(block['document'])['source']);
  const holders = [block['citationsContent'], block['searchResult'], source].map(objectOf);
  const cited = holders.flatMap(({ content }) => listOf(content)).map((part) => objectOf(part)['text']);
  return [guarded, source['text'], ...cited].flatMap((text) => textOf(text) ?? []);
}

/** Bytes are base64 text in JSON; Strands puts them into an object. */
function bytesOf(value: unknown): string | undefined {
  return textOf(value) ?? textOf(objectOf(value)['data']);
}
