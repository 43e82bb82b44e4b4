import type { Codec } from '@palimpsest/messages';
import { changedMessage, extractedMessage, partsFrom } from './changed-message.js';
import type { PiMessage } from './pi-message.js';
import { readMessage } from './read-message.js';

/** A tool as pi's extensions declare it, but for the function that runs it. */
export interface PiTool {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  readonly parameters: object;
}

/** Returns the codec of the messages that pi's `context` event has: without system messages and ids. */
export function piMessages(): Codec<PiMessage, PiTool> {
  return {
    name: 'pi',
    returnsNewPieces: true,
    mergesAnswers: false,
    read: readMessage,
    summary: (text) => userMessage(text),
    changed: changedMessage,
    extracted: extractedMessage,
    result: ({ text, images }) => partsFrom([{ type: 'text', text }, ...images]),
    tool: ({ name, description, inputSchema }) => ({ name, label: name, description, parameters: inputSchema }),
  };
}

/** The time is of no message: the same summary is the same object in every process. */
function userMessage(text: string): PiMessage {
  const message = { role: 'user', content: [{ type: 'text', text }], timestamp: 0 };
  return message;
}
