import { plainText } from '../content-parts.js';
import { isObject } from '../json-shape.js';
import type { LogFormat, LogSample, LogSource } from '../log-format.js';
import type { NoteTaker } from '../note-taker.js';
import { isChatMessage } from './chat-message.js';
import type { ConversationReader } from './conversations.js';
import { conversationsIn, readConversations } from './conversations.js';
import type { TextTurn } from './text-mode-turns.js';
import { TextModeTurns } from './text-mode-turns.js';

/** Agents often stop the model at the end tag. A call without it ends at the next call or at the end of the text. */
const callPattern = /<function=([^>\s]+)>([\s\S]*?)(<\/function>|(?=<function=)|$)/g;
const parameterPattern = /<parameter=([^>\s]+)>([\s\S]*?)(?:<\/parameter>|(?=<parameter=)|$)/g;

/** Chat messages with calls in the text as `<function=…><parameter=…>`. The next user message is the result. */
export const chatXml: LogFormat = {
  name: 'chat-xml',
  recognise: (sample) =>
    documents(sample).some((value) =>
      conversationsIn(value, isChatMessage).some(({ messages }) => messages.some(hasCall)),
    ),
  read: (source) => readConversations(source, isChatMessage, () => openTurns(source)),
};

function openTurns(source: LogSource): ConversationReader {
  const turns = new TextModeTurns(source.notes);
  return {
    read: ({ role, content }, { index }) =>
      turns.read({ id: `message-${index}` }, { role, text: plainText(content) }, (text) => xmlTurn(text, source.notes)),
    finish: () => turns.finish(),
  };
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
