import { plainText } from '../content-parts.js';
import { isObject, listOf, objectOf, textOf } from '../json-shape.js';
import type { ImportedSession, LogFormat, LogSource } from '../log-format.js';
import type { TextTurn } from './text-mode-turns.js';
import { TextModeTurns } from './text-mode-turns.js';

const callPattern = /<tool_call>([\s\S]*?)<\/tool_call>/g;
const responsePattern = /<tool_response>([\s\S]*?)<\/tool_response>/g;

/** Chat messages with calls in the text as `<tool_call>{ name, arguments }</tool_call>` and results in `<tool_response>`. */
export const chatMLTags: LogFormat = {
  name: 'chatml-tags',

  recognise: ({ document }) =>
    isObject(document) &&
    listOf(document['messages']).some(
      (message) =>
        isObject(message) &&
        message['role'] === 'assistant' &&
        message['tool_calls'] === undefined &&
        plainText(message['content']).search(callPattern) !== -1,
    ),

  read: readChatML,
};

async function* readChatML(source: LogSource): AsyncGenerator<ImportedSession> {
  const turns = new TextModeTurns(source.notes);
  for (const [index, value] of listOf(objectOf(source.document)['messages']).entries()) {
    const message = objectOf(value);
    const entry = { id: `message-${index}` };
    const text = plainText(message['content']);
    // Reading only the tags would lose the text around them.
    const isOnlyTags = text.replaceAll(responsePattern, '').trim() === '';
    const perCall = [...text.matchAll(responsePattern)].map(([whole]) => [{ type: 'text' as const, text: whole }]);
    turns.read(entry, { role: message['role'], text }, tagTurn, isOnlyTags ? perCall : undefined);
  }
  yield { name: source.name, events: turns.finish() };
}

/** The text keeps its `<think>` tags because the model was sent them. A call that does not parse stays in the text. */
function tagTurn(text: string): TextTurn {
  const calls = [...text.matchAll(callPattern)].map(([, body = '']) => {
    const call = parsed(body);
    const name = textOf(call['name']);
    return name === undefined ? { name: 'unknown', input: body.trim() } : { name, input: call['arguments'] };
  });
  return { thought: text.replaceAll(callPattern, '').trim(), calls };
}

function parsed(json: string): Readonly<Record<string, unknown>> {
  try {
    return objectOf(JSON.parse(json));
  } catch {
    return {};
  }
}
