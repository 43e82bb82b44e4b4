import { isObject, listOf, objectOf, textOf } from '../json-shape.js';
import type { JsonObject } from '../json-shape.js';
import type { ImportedSession, LogFormat, LogSource } from '../log-format.js';
import { SessionRecorder } from '../session-recorder.js';
import { toolDefinitions } from '../tool-definitions.js';
import { isResponsesItem, ResponsesItems } from './responses-items.js';

/**
 * Items of the OpenAI Responses API: a list of them, `{ input, instructions?, tools? }`, or JSON Lines of items (as early
 * Codex CLI wrote them, with a header line).
 */
export const openAIResponses: LogFormat = {
  name: 'openai-responses',

  recognise: ({ document, head }) =>
    document === undefined ? head.some(isResponsesItem) : itemsOf(document).some(isResponsesItem),

  read: readResponses,
};

async function* readResponses(source: LogSource): AsyncGenerator<ImportedSession> {
  const { notes } = source;
  const recorder = new SessionRecorder(notes);
  const items = new ResponsesItems({ recorder, notes, sourceOf: () => 'user' });
  if (source.document === undefined) {
    for await (const { value, line } of source.records()) {
      const item = objectOf(value);
      if (isItemLike(item)) items.read(item, { id: `line-${line}`, line, timestamp: item['timestamp'] });
      else notes.add('unknown-line-type', 'a line that is no item was left out', line);
    }
  } else {
    const beside = objectOf(source.document);
    const tools = toolDefinitions(beside['tools'], notes);
    const instructions = textOf(beside['instructions']) ?? '';
    if (instructions !== '' || tools.length > 0) recorder.systemPrompt({ id: 'instructions' }, instructions, tools);
    for (const [index, item] of itemsOf(source.document).entries()) items.read(objectOf(item), { id: `item-${index}` });
  }
  yield { name: source.name, events: recorder.finish() };
}

function itemsOf(document: unknown): readonly unknown[] {
  if (Array.isArray(document)) return document;
  if (!isObject(document)) return [];
  return [...listOf(document['input']), ...listOf(document['output'])];
}

function isItemLike(value: JsonObject): boolean {
  return isResponsesItem(value) || value['type'] === 'message' || (value['type'] === undefined && 'role' in value);
}
