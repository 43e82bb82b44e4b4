import { plainText } from '../content-parts.js';
import { isObject, objectOf } from '../json-shape.js';
import type { ImportedSession, LogFormat, LogSample, LogSource } from '../log-format.js';
import type { NoteTaker } from '../note-taker.js';
import { isChatMessage } from './chat-messages.js';
import { conversationName, conversationsIn } from './conversations.js';
import type { TextTurn } from './text-mode-turns.js';
import { TextModeTurns } from './text-mode-turns.js';

/** Without its end tag, at which agents stop the model, a call goes on to the next one or to the end of the text. */
const callPattern = /<function=([^>\s]+)>([\s\S]*?)(<\/function>|(?=<function=)|$)/g;
const parameterPattern = /<parameter=([^>\s]+)>([\s\S]*?)(?:<\/parameter>|(?=<parameter=)|$)/g;

/** Chat messages whose calls stand in the text as `<function=…><parameter=…>`. The result is the next user message. */
export const chatXml: LogFormat = {
  name: 'chat-xml',
  recognise: (sample) =>
    documents(sample).some((value) =>
      conversationsIn(value, isChatMessage).some(({ messages }) => messages.some(hasCall)),
    ),
  read: readChatXml,
};

async function* readChatXml(source: LogSource): AsyncGenerator<ImportedSession> {
  let sessions = 0;
  for await (const { value, line } of source.records()) {
    const found = conversationsIn(value, isChatMessage);
    if (found.length === 0) source.notes.add('unknown-line-type', 'a line with no messages was left out', line);
    for (const conversation of found) {
      const turns = new TextModeTurns(source.notes);
      for (const [index, message] of conversation.messages.entries())
        readMessage(objectOf(message), index, turns, source);
      const isOnly = source.document !== undefined && found.length === 1;
      yield { name: conversationName(source.name, conversation, sessions++, isOnly), events: turns.finish() };
    }
  }
}

function readMessage(
  message: Readonly<Record<string, unknown>>,
  index: number,
  turns: TextModeTurns,
  { notes }: LogSource,
): void {
  const entry = { id: `message-${index}` };
  const text = plainText(message['content']);
  const content = text === '' ? [] : [{ type: 'text' as const, text }];
  if (message['role'] === 'assistant') turns.assistant(entry, xmlTurn(text, notes));
  else if (message['role'] === 'user' || message['role'] === 'tool') turns.user(entry, content);
  else if (message['role'] === 'system') turns.recorder.instructions(entry, content);
  else notes.add('unknown-line-type', `messages of role '${String(message['role'])}' are not known and were left out`);
}

function xmlTurn(text: string, notes: NoteTaker): TextTurn {
  const calls = [...text.matchAll(callPattern)].map(([, name = '', body = '', end]) => {
    if (end === '')
      notes.add('unsupported-content', 'a call without its end tag was read to where the next one begins');
    const parameters = [...body.matchAll(parameterPattern)];
    return { name, input: Object.fromEntries(parameters.map(([, key = '', value = '']) => [key, value])) };
  });
  return { thought: text.replaceAll(callPattern, '').trim(), calls };
}

function documents({ document, head }: LogSample): readonly unknown[] {
  return document === undefined ? head : [document];
}

function hasCall(message: unknown): boolean {
  if (!isObject(message) || message['role'] !== 'assistant' || message['tool_calls'] !== undefined) return false;
  return plainText(message['content']).search(callPattern) !== -1;
}
