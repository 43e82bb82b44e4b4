import { HumanMessage } from '@langchain/core/messages';
import type { CacheMark, Codec } from '@palimpsest/messages';
import type { BaseMessage } from 'langchain';
import { changedMessage, extractedMessage } from './changed-message.js';
import { chat } from './content-blocks.js';
import { messageOf, withFields } from './message-fields.js';
import { readMessage } from './read-message.js';

/**
 * Returns the codec of LangChain's messages: instances of `BaseMessage`, with content of any provider. Copies are of
 * the same class.
 */
export function langchainMessages(): Codec<BaseMessage> {
  return {
    name: 'langchain',
    returnsNewPieces: true,
    mergesAnswers: false,
    read: readMessage,
    summary: (text) => new HumanMessage({ content: text }),
    changed: changedMessage,
    extracted: extractedMessage,
    marks: (message) => chat.marks?.(asChat(message)) ?? [],
    marked: (message, mark: CacheMark) => {
      const copy = chat.marked?.(asChat(message), mark);
      return copy === undefined ? undefined : withFields(message, { content: (copy as AsChat).content });
    },
    // A model says nothing of what its provider takes in results, but for what stood in one.
    result: ({ text, images, files, stoodInResult }) =>
      stoodInResult
        ? [{ type: 'text', text }, ...images.map(({ url }) => ({ type: 'image_url', image_url: { url } })), ...files]
        : text,
    tool: ({ name, description, inputSchema }) => ({ name, description, schema: inputSchema }),
  };
}

interface AsChat {
  readonly role: string;
  readonly content: unknown;
}

function asChat(message: unknown): AsChat {
  return { role: 'user', content: messageOf(message)?.fields['content'] };
}
