import { isObject, listOf, objectOf, textOf } from '../json-shape.js';
import type { JsonObject } from '../json-shape.js';

/** A message in the shape of version 1: what the reader takes. */
export interface OpencodeMessage {
  readonly info: JsonObject;
  readonly parts: readonly JsonObject[];
}

/** A message of version 1 as it is, a message of version 2 in the shape of version 1. */
export function messageOf(value: unknown): OpencodeMessage {
  const message = objectOf(value);
  if (isObject(message['info'])) {
    return { info: message['info'], parts: listOf(message['parts']).map(objectOf) };
  }
  const { type } = message;
  switch (type) {
    case 'user':
      return {
        info: { ...message, role: 'user' },
        parts: [textPart(message['text']), ...listOf(message['files']).map(filePart)],
      };
    case 'assistant':
      return { info: assistantInfo(message), parts: listOf(message['content']).map(objectOf).map(contentPart) };
    case 'system':
      return { info: { ...message, role: 'system' }, parts: [textPart(message['text'])] };
    case 'synthetic':
    case 'skill':
      return { info: { ...message, role: 'user' }, parts: [{ ...textPart(message['text']), synthetic: true }] };
    case 'shell':
      return { info: { ...message, role: 'user' }, parts: [{ ...textPart(shellText(message)), synthetic: true }] };
    case 'compaction':
      return { info: { ...message, role: 'user' }, parts: [{ ...message, type: 'compaction' }] };
    default:
      return { info: { ...message, role: type }, parts: [] };
  }
}

function assistantInfo(message: JsonObject): JsonObject {
  const model = objectOf(message['model']);
  return { ...message, role: 'assistant', modelID: model['id'], providerID: model['providerID'] };
}

function contentPart(part: JsonObject): JsonObject {
  if (part['type'] === 'tool')
    return { ...part, id: undefined, callID: part['id'], tool: part['name'], state: toolState(part) };
  if (part['type'] === 'reasoning')
    return { ...part, metadata: part['native'] ?? part['state'] ?? part['providerState'] };
  return part;
}

function toolState(part: JsonObject): JsonObject {
  const state = objectOf(part['state']);
  const content = listOf(state['content']).map(objectOf);
  const texts = content.flatMap((item) => textOf(item['text']) ?? []);
  const attachments = content.filter((item) => item['type'] === 'file').map(filePart);
  const output = texts.length === 0 ? {} : { output: texts.join('\n') };
  return { ...state, ...output, attachments, time: { end: objectOf(part['time'])['completed'] } };
}

function textPart(text: unknown): JsonObject {
  return { type: 'text', text };
}

function filePart(value: unknown): JsonObject {
  const file = objectOf(value);
  return { type: 'file', mime: file['mime'], url: file['uri'] ?? file['url'], filename: file['name'] };
}

/** A command that the user ran. The model did not call it, but is told of it. */
function shellText(message: JsonObject): string {
  const { command, output, exit } = message;
  const text =
    textOf(output) ?? textOf(objectOf(output)['text']) ?? textOf(objectOf(output)['output']) ?? '(no output)';
  const status = typeof exit === 'number' && exit !== 0 ? `\nexit code ${exit}` : '';
  return `The user ran: ${String(command)}\n${text}${status}`;
}
