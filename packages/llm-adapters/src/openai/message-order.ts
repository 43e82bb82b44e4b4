import { isMeaningful } from '@palimpsest/events';
import type { KnownContent, KnownThinkingBlock, Message } from '@palimpsest/events';
import { knownMessages } from '../wire/known-messages.js';
import type { KnownAssistantMessage, KnownMessage } from '../wire/known-messages.js';
import { noWords, pleaseGoOn, startOfConversation } from '../wire/placeholders.js';
import type { ServerProfile } from './server-profile.js';

/**
 * The messages in the order and number that a server takes, still neutral. Only the changes that a server needs are made. Calls
 * and results that do not match stay unchanged, and the provider refuses them.
 *
 * - Blank text is left out, and so is a message that has nothing else.
 * - Images of results follow the batch's results in a user message, because a tool message accepts only text.
 * - Added messages are the same in every request and depend only on the messages before them, except the last message that
 *   `endsWithUser` requires.
 *
 * @see provider-rules B.2 and D
 */
export function messagesInOrder(messages: readonly Message[], profile: ServerProfile): readonly KnownMessage[] {
  const sent: KnownMessage[] = [];
  const add = (message: KnownMessage) => {
    const last = sent.at(-1);
    const merged = profile.mergesNeighbours && last !== undefined ? mergedNeighbours(last, message) : undefined;
    if (merged !== undefined) {
      sent[sent.length - 1] = merged;
      return;
    }
    if (profile.startsWithUser && message.role === 'assistant' && (last === undefined || last.role === 'system')) {
      sent.push(userSaying(startOfConversation));
    }
    if (profile.answersResults && last?.role === 'tool' && message.role !== 'tool' && message.role !== 'assistant') {
      sent.push({ role: 'assistant', content: [{ type: 'text', text: noWords }] });
    }
    sent.push(message);
  };

  let imagesOfResults: KnownContent[] = [];
  const endBatch = () => {
    if (imagesOfResults.length > 0) add({ role: 'user', content: imagesOfResults });
    imagesOfResults = [];
  };
  for (const message of knownMessages(messages)) {
    if (message.role === 'tool') {
      const images = message.content.filter(({ type }) => type === 'image');
      if (images.length > 0) {
        imagesOfResults.push({ type: 'text', text: `(From the result of ${message.toolName}:)` }, ...images);
      }
      add(message);
      continue;
    }
    endBatch();
    const content = message.content.filter(isMeaningful);
    if (content.length === 0 && (message.role !== 'assistant' || (message.toolCalls ?? []).length === 0)) continue;
    const isLaterSystem = message.role === 'system' && sent.length > 0 && profile.systemMessages === 'first-only';
    add(isLaterSystem ? { role: 'user', content } : { ...message, content });
  }
  endBatch();
  const needsUser = profile.startsWithUser || profile.endsWithUser;
  const last = sent.at(-1)?.role;
  if (sent.every(({ role }) => role === 'system') && (needsUser || last === undefined)) {
    sent.push(userSaying(startOfConversation));
  } else if (profile.endsWithUser && (last === 'assistant' || last === 'system')) {
    sent.push(userSaying(pleaseGoOn));
  }
  return sent;
}

function userSaying(text: string): KnownMessage {
  return { role: 'user', content: [{ type: 'text', text }] };
}

/** Merges two neighbouring messages; undefined if they must stay separate. Calls end a message. */
function mergedNeighbours(first: KnownMessage, second: KnownMessage): KnownMessage | undefined {
  if (first.role === 'user' && second.role === 'user') {
    return { role: 'user', content: [...first.content, ...second.content] };
  }
  if (first.role !== 'assistant' || second.role !== 'assistant' || first.toolCalls !== undefined) return undefined;
  const blocks = [...(first.thinkingBlocks ?? []), ...moved(second.thinkingBlocks ?? [], first.content.length)];
  const reasoning = [first.reasoningContent, second.reasoningContent].filter((text) => text !== undefined);
  return {
    ...withoutThinking(second),
    content: [...first.content, ...second.content],
    ...(blocks.length === 0 ? {} : { thinkingBlocks: blocks }),
    ...(reasoning.length === 0 ? {} : { reasoningContent: reasoning.join('\n\n') }),
  };
}

function withoutThinking({ role, content, toolCalls }: KnownAssistantMessage): KnownAssistantMessage {
  return { role, content, toolCalls };
}

function moved(blocks: readonly KnownThinkingBlock[], by: number): readonly KnownThinkingBlock[] {
  return blocks.map((block) => ({ ...block, position: (block.position ?? 0) + by }));
}
