import type { Message, ThinkingBlock } from '@palimpsest/events';

/** One part of what is sent, with its role: the unit in which a provider compares prefixes. */
export interface SentPart {
  readonly role: Message['role'];
  readonly part: unknown;
}

/**
 * Returns the canonical form of messages: their parts in order, however they are divided into messages. Thinking is
 * left out, as a provider leaves it out of the prefix of other thinking.
 */
export function sentParts(messages: readonly Message[]): readonly SentPart[] {
  return messages.flatMap((message): readonly SentPart[] => {
    const { role } = message;
    const content = message.content.map((part) => ({ role, part }));
    if (message.role === 'assistant') return [...content, ...(message.toolCalls ?? []).map((part) => ({ role, part }))];
    if (message.role !== 'tool') return content;
    const { toolCallId: id, toolName: name, isError = false } = message;
    return [{ role, part: { id, name, isError } }, ...content];
  });
}

/** Returns the thinking blocks of messages in order, each with the number of parts that stand before its message. */
export function sentThinking(
  messages: readonly Message[],
): readonly { readonly block: ThinkingBlock; readonly partsBefore: number }[] {
  const thinking: { readonly block: ThinkingBlock; readonly partsBefore: number }[] = [];
  let partsBefore = 0;
  for (const message of messages) {
    if (message.role === 'assistant') {
      for (const block of message.thinkingBlocks ?? []) thinking.push({ block, partsBefore });
    }
    partsBefore += sentParts([message]).length;
  }
  return thinking;
}
