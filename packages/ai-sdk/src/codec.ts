import type { Codec } from '@palimpsest/messages';
import { marked, marksOf } from './cache-marks.js';
import { changedMessage, extractedMessage } from './changed-message.js';
import { filePart, imagePart } from './recalled-parts.js';
import { readMessage } from './read-message.js';

/**
 * A message of the AI SDK: a `ModelMessage`, or a message of a `LanguageModelV3Prompt` or `LanguageModelV4Prompt`. Their types
 * differ between the versions of `ai`, so that this package names none of them.
 */
export interface AiMessage {
  readonly role: string;
}

/**
 * Returns the codec of the AI SDK's ModelMessages, of `ai` 6 and 7: what `generateText` takes and
 * `convertToModelMessages` makes of UIMessages.
 */
export function modelMessages(): Codec<AiMessage> {
  return { ...shared, name: 'ai-sdk', summary: (text) => userMessage(text) };
}

/**
 * Returns the codec of the messages of a prompt, as a middleware of the AI SDK sees them, of `ai` 6 and 7. Their
 * content is always in parts.
 */
export function promptMessages(): Codec<AiMessage> {
  return { ...shared, name: 'ai-sdk-prompt', summary: (text) => userMessage([{ type: 'text', text }]) };
}

const shared: Omit<Codec<AiMessage>, 'name' | 'summary'> = {
  returnsNewPieces: true,
  mergesAnswers: false,
  read: readMessage,
  changed: changedMessage,
  extracted: extractedMessage,
  marks: marksOf,
  marked,
  result: ({ text, images, files }) => ({
    type: 'content',
    value: [{ type: 'text', text }, ...images.map(imagePart), ...files.map(filePart)],
  }),
  tool: ({ name, description, inputSchema }) => ({ type: 'function', name, description, inputSchema }),
};

function userMessage(content: unknown): AiMessage {
  const message = { role: 'user', content };
  return message;
}
